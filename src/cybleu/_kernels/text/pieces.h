// Divide a line into tokens, 64 bytes at once as bit masks: white space, single-character tokens, starts and ends.

#pragma once
#include <Python.h>
#include <stdint.h>
#include <string.h>
#include "common/bits.h"

#if (defined(__SSE2__) || defined(_M_X64)) && !defined(CYBLEU_PORTABLE)
  #include <emmintrin.h>
  #define CYBLEU_SSE2
#endif

// Kinds of characters, and of the bytes that begin them. A point is a token except between digits, a hyphen after a
// digit. A lead is the first byte of a character that requires a lookup, an inner byte a later one of a token.
enum {
    CYBLEU_WORD = 0,
    CYBLEU_SPACE = 1,
    CYBLEU_ALONE = 2,
    CYBLEU_POINT = 4,
    CYBLEU_HYPHEN = 8,
    CYBLEU_DIGIT = 16,
    CYBLEU_LEAD = 32,
    CYBLEU_INNER = 64
};

// Ranges of byte values, each as its first value and the number of further values.
enum { CYBLEU_MOST_RUNS = 4 };
typedef struct {
    uint8_t first[CYBLEU_MOST_RUNS][16], span[CYBLEU_MOST_RUNS][16];
    int count;
} cybleu_runs;

// Masks for up to 64 bytes of a line. `taken` are points that are tokens because of what is before them; `ends` are
// exclusive.
typedef struct {
    uint64_t space, alone, point, hyphen, digit, lead, inner, taken, starts, ends;
    int size;
} cybleu_piece;

// Return the mask of the bytes of a kind among 64.
static inline uint64_t cybleu_bits_of(const uint8_t *kinds, int kind) {
    uint64_t bits = 0;
    int place = cybleu_lowest_bit((uint64_t)kind);
    int i;
#ifdef CYBLEU_SSE2
    for (i = 0; i < 64; i += 16) {
        __m128i some = _mm_slli_epi16(_mm_loadu_si128((const __m128i *)(kinds + i)), 7 - place);
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(some) << i;
    }
#else
    for (i = 0; i < 64; i += 8) {
        uint64_t some = (uint64_t)kinds[i] | (uint64_t)kinds[i + 1] << 8 | (uint64_t)kinds[i + 2] << 16
            | (uint64_t)kinds[i + 3] << 24 | (uint64_t)kinds[i + 4] << 32 | (uint64_t)kinds[i + 5] << 40
            | (uint64_t)kinds[i + 6] << 48 | (uint64_t)kinds[i + 7] << 56;
        // the multiplication gathers the lowest bits of the bytes in the top byte
        bits |= ((some >> place & 0x0101010101010101ULL) * 0x0102040810204080ULL >> 56) << i;
    }
#endif
    return bits;
}

// Return the mask of the bytes, among 64, that are in any of these ranges.
static inline uint64_t cybleu_in_runs(const uint8_t *bytes, const cybleu_runs *runs) {
    uint64_t bits = 0;
#ifdef CYBLEU_SSE2
    __m128i found[4] = {{0}};
    int i, k;
    for (k = 0; k < runs->count; k++) {
        __m128i first = _mm_loadu_si128((const __m128i *)runs->first[k]);
        __m128i span = _mm_loadu_si128((const __m128i *)runs->span[k]);
        for (i = 0; i < 4; i++) {
            __m128i value = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)bytes + i), first);
            found[i] = _mm_or_si128(found[i], _mm_cmpeq_epi8(_mm_min_epu8(value, span), value));
        }
    }
    for (i = 0; i < 4; i++) bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(found[i]) << 16 * i;
#else
    (void)bytes, (void)runs;
#endif
    return bits;
}

// Copy 16 bytes; return the length of the ASCII prefix, or less.
static inline int cybleu_copy_ascii(uint8_t *to, const uint8_t *from) {
#ifdef CYBLEU_SSE2
    __m128i some = _mm_loadu_si128((const __m128i *)from);
    _mm_storeu_si128((__m128i *)to, some);
    return cybleu_lowest_bit((uint64_t)_mm_movemask_epi8(some) | 1 << 16);
#else
    uint64_t words[2];
    memcpy(words, from, 16);
    memcpy(to, words, 16);
    return (words[0] | words[1]) & 0x8080808080808080ULL ? 0 : 16;
#endif
}

// Find the ranges of byte values of a kind; return 0 if there are too many, or no instructions for them.
static inline int cybleu_find_runs(const uint8_t *kinds, int kind, cybleu_runs *runs) {
    int value;
    runs->count = 0;
    for (value = 0; value < 256; value++) {
        if (!(kinds[value] & kind)) continue;
        if (value == 0 || !(kinds[value - 1] & kind)) {
            if (runs->count == CYBLEU_MOST_RUNS) return 0;
            memset(runs->first[runs->count++], value, 16);
        }
        memset(runs->span[runs->count - 1], value - runs->first[runs->count - 1][0], 16);
    }
#ifdef CYBLEU_SSE2
    return 1;
#else
    return 0;
#endif
}

// Classify up to 64 bytes. `used` is the union of all kinds of the table; the line is readable from `start` on.
static inline void cybleu_read_piece(cybleu_piece *piece, const uint8_t *start, const uint8_t *at, const uint8_t *end,
                                     const uint8_t *table, int used, int by_runs, const cybleu_runs *runs) {
    uint8_t bytes[64];
    int i, size = 64, shift = 0;
    piece->taken = 0;
    if (end - at < 64) {
        size = (int)(end - at);
        if (end - start >= 64) {
            // reread earlier bytes, and shift them out
            shift = 64 - size;
            at = end - 64;
        } else {
            memset(bytes, 0, 64);
            memcpy(bytes, at, (size_t)size);
            at = bytes;
        }
    }
    piece->size = size;
    if (by_runs) {
        piece->alone = piece->point = piece->hyphen = piece->digit = piece->inner = 0;
        piece->space = cybleu_in_runs(at, &runs[0]) >> shift;
        piece->lead = cybleu_in_runs(at, &runs[1]) >> shift;
        return;
    }
    for (i = 0; i < 64; i++) bytes[i] = table[at[i]];
#define CYBLEU_MASK(kind) (used & (kind) ? cybleu_bits_of(bytes, kind) >> shift : 0)
    piece->space = CYBLEU_MASK(CYBLEU_SPACE);
    piece->alone = CYBLEU_MASK(CYBLEU_ALONE);
    piece->point = CYBLEU_MASK(CYBLEU_POINT);
    piece->hyphen = CYBLEU_MASK(CYBLEU_HYPHEN);
    piece->digit = CYBLEU_MASK(CYBLEU_DIGIT);
    piece->lead = CYBLEU_MASK(CYBLEU_LEAD);
    piece->inner = CYBLEU_MASK(CYBLEU_INNER);
#undef CYBLEU_MASK
}

// Set the bits of a multibyte character.
static inline void cybleu_set_bits(uint64_t *bits, int first, Py_ssize_t length) {
    *bits |= (((uint64_t)1 << length) - 1) << first;
}

static inline int cybleu_bit(uint64_t bits, int place) { return (int)(bits >> place & 1); }

// Mark points that are tokens of their own. `never_taken`: the byte before the piece prevents splitting, as a digit
// does; `digit_follows`: a digit follows. Multibyte points have all bits set.
static inline void cybleu_set_points_apart(cybleu_piece *piece, int never_taken, int digit_follows) {
    uint64_t first = piece->point & ~piece->inner, later = piece->point & piece->inner, last, found, next;
    first &= ~(piece->digit << 1 | (uint64_t)never_taken);
    next = first;
    // repeats only for adjacent points
    do {
        found = next;
        next = (first & ~(found << 1)) | (later & found << 1);
    } while (next != found);
    piece->taken = found;
    last = piece->point & ~(piece->inner >> 1) & ~(piece->digit >> 1);
    if (digit_follows) last &= ~((uint64_t)1 << (piece->size - 1));
    if (later)
        for (next = 0; next != last; last |= piece->point & (last & later) >> 1) next = last;
    piece->alone |= found | last;
}

// Compute starts and ends of tokens. `unfinished`: a token continues from the previous piece; `joins`: the first byte
// does not start a token.
static inline void cybleu_divide(cybleu_piece *piece, int digit_before, int unfinished, int joins) {
    uint64_t all = piece->size == 64 ? ~(uint64_t)0 : ((uint64_t)1 << piece->size) - 1, breaks;
    piece->alone |= piece->hyphen & (piece->digit << 1 | (uint64_t)digit_before);
    breaks = piece->space | piece->alone;
    piece->starts = ~(piece->space | piece->inner) & (piece->alone | breaks << 1 | (uint64_t)!joins) & all;
    piece->ends = (~piece->space << 1 | (uint64_t)1) & (piece->space | piece->starts) & all;
    if (!unfinished) piece->ends &= ~(uint64_t)1;
}

// Write the addresses of set bits to every other entry, and return their number. Writes in blocks of 8, to avoid branch
// mispredictions at the end; up to 8 entries after the last one are overwritten.
static inline int cybleu_write_places(const uint8_t **places, const uint8_t *at, uint64_t bits) {
    int count = cybleu_count_bits(bits), written, i;
    for (written = 0; written < count; written += 8)
        for (i = 0; i < 8; i++) {
            *places = at + cybleu_lowest_bit(bits | (uint64_t)1 << 63);
            places += 2;
            bits &= bits - 1;
        }
    return count;
}
