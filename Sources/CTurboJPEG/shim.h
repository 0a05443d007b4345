#ifndef VOLLEY_CTURBOJPEG_H
#define VOLLEY_CTURBOJPEG_H

#include <turbojpeg.h>

#endif
