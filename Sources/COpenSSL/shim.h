#ifndef VOLLEY_COPENSSL_H
#define VOLLEY_COPENSSL_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#endif
