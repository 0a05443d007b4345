#ifndef VOLLEY_CEXIF_H
#define VOLLEY_CEXIF_H

#include <libexif/exif-data.h>
#include <libexif/exif-mem.h>

#endif
