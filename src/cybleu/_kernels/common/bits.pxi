# Bit operations on machine words.

cdef extern from *:
    """
    /* Computed in registers: baseline x86-64 has no popcount instruction, and few words are counted. */
    static CYTHON_INLINE int cybleu_count_bits(unsigned long long word) {
        word -= (word >> 1) & 0x5555555555555555ULL;
        word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
        word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
        return (int)((word * 0x0101010101010101ULL) >> 56);
    }

    #if defined(__GNUC__) || defined(__clang__)
      static CYTHON_INLINE int cybleu_lowest_bit(unsigned long long word) { return __builtin_ctzll(word); }
    #elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
      #include <intrin.h>
      static CYTHON_INLINE int cybleu_lowest_bit(unsigned long long word) {
          unsigned long index;
          _BitScanForward64(&index, word);
          return (int)index;
      }
    #else
      static CYTHON_INLINE int cybleu_lowest_bit(unsigned long long word) {
          return cybleu_count_bits((word & (~word + 1)) - 1);
      }
    #endif
    """
    int cybleu_lowest_bit(uint64_t word) noexcept nogil
    int cybleu_count_bits(uint64_t word) noexcept nogil
