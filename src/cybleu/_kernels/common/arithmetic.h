// Arithmetic that Cython's checked builds do not compile, or that is undefined in C.

#pragma once
#include <stdint.h>

// Sums and differences modulo 2 ** 64: signed overflow is undefined.
static inline int64_t cybleu_wrapping_sum(int64_t first, int64_t second) {
    return (int64_t)((uint64_t)first + (uint64_t)second);
}

static inline int64_t cybleu_wrapping_difference(int64_t first, int64_t second) {
    return (int64_t)((uint64_t)first - (uint64_t)second);
}
