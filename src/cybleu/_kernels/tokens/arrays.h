// Items of arrays as token ids.

#pragma once
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define CYBLEU_COPY_IDS(type) \
    for (; count > 0; count--, items += stride, ids++) { \
        type item; \
        memcpy(&item, items, sizeof item); \
        *ids = (int64_t)item; \
        if ((type)-1 > 0 && *ids < 0) return 0; \
    } \
    return 1

// 0 for a format that is not of integers, and for an integer that does not fit.
static inline int cybleu_copy_ids(const char *format, const char *items, Py_ssize_t count, Py_ssize_t stride,
                                  int64_t *ids) {
    if (count == 0) return 1;
    if (format[0] == 0 || format[1] != 0) return 0;
    switch (format[0]) {
        case 'b': CYBLEU_COPY_IDS(signed char);
        case 'B': CYBLEU_COPY_IDS(unsigned char);
        case 'h': CYBLEU_COPY_IDS(short);
        case 'H': CYBLEU_COPY_IDS(unsigned short);
        case 'i': CYBLEU_COPY_IDS(int);
        case 'I': CYBLEU_COPY_IDS(unsigned int);
        case 'l': CYBLEU_COPY_IDS(long);
        case 'L': CYBLEU_COPY_IDS(unsigned long);
        case 'q': CYBLEU_COPY_IDS(long long);
        case 'Q': CYBLEU_COPY_IDS(unsigned long long);
    }
    return 0;
}
