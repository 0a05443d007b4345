#ifndef VOLLEY_CCAIRO_H
#define VOLLEY_CCAIRO_H

#include <cairo/cairo.h>

#endif
