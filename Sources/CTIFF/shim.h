#ifndef VOLLEY_CTIFF_H
#define VOLLEY_CTIFF_H

#include <tiffio.h>

// TIFFSetField is variadic, which Swift cannot call. Each form passes what the tag's definition wants.

static inline int ctiff_set_integer(TIFF *tiff, uint32_t tag, uint32_t value) {
    return TIFFSetField(tiff, tag, value);
}

// TIFFGetField is variadic as well; 0 where the tag is missing.
static inline uint32_t ctiff_integer(TIFF *tiff, uint32_t tag) {
    uint32_t value = 0;
    return TIFFGetField(tiff, tag, &value) ? value : 0;
}

static inline int ctiff_set_pair(TIFF *tiff, uint32_t tag, uint32_t first, uint32_t second) {
    return TIFFSetField(tiff, tag, first, second);
}

static inline int ctiff_set_double(TIFF *tiff, uint32_t tag, double value) {
    return TIFFSetField(tiff, tag, value);
}

static inline int ctiff_set_offset(TIFF *tiff, uint32_t tag, uint64_t value) {
    return TIFFSetField(tiff, tag, value);
}

static inline int ctiff_set_string(TIFF *tiff, uint32_t tag, const char *value) {
    return TIFFSetField(tiff, tag, value);
}

// Some tags know their count, others take it as an argument.
static inline int ctiff_set_array(TIFF *tiff, uint32_t tag, uint32_t count, const void *values) {
    const TIFFField *field = TIFFFieldWithTag(tiff, tag);
    if (field == NULL) return 0;
    return TIFFFieldPassCount(field) ? TIFFSetField(tiff, tag, count, values) : TIFFSetField(tiff, tag, values);
}

// A library must not write to its host's stderr; results say what failed.
static inline void ctiff_silence(void) {
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
}

#endif
