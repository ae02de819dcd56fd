// Bit operations on machine words.

#pragma once
#include <stdint.h>

// Computed in registers: baseline x86-64 has no popcount instruction, and few words are counted.
static inline int cybleu_count_bits(uint64_t word) {
    word -= (word >> 1) & 0x5555555555555555ULL;
    word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    return (int)((word * 0x0101010101010101ULL) >> 56);
}

// The place of the lowest bit of a word that is not 0.
#if defined(__GNUC__) || defined(__clang__)
static inline int cybleu_lowest_bit(uint64_t word) { return __builtin_ctzll(word); }
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
  #include <intrin.h>
static inline int cybleu_lowest_bit(uint64_t word) {
    unsigned long place;
    _BitScanForward64(&place, word);
    return (int)place;
}
#else
static inline int cybleu_lowest_bit(uint64_t word) { return cybleu_count_bits((word & (~word + 1)) - 1); }
#endif
