#ifndef VOLLEY_CZLIB_H
#define VOLLEY_CZLIB_H

#include <zlib.h>

#endif
