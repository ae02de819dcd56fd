// Common prefixes of 8 bytes.

#pragma once
#include <stdint.h>
#include <string.h>
#include "common/bits.h"

// The length of the common prefix, up to the byte marked by the lowest bit of `limit`.
static inline int cybleu_alike(const uint8_t *one, const uint8_t *other, uint64_t limit) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t first, second;
    memcpy(&first, one, 8);
    memcpy(&second, other, 8);
    return cybleu_lowest_bit((first ^ second) | limit) >> 3;
#else
    int equal = 0;
    while (limit >> 8 * equal != 1 && one[equal] == other[equal]) equal++;
    return equal;
#endif
}
