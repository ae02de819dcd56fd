// Keys of tokens. For a text of up to 15 bytes a key contains the characters themselves, so equal keys mean equal
// tokens; otherwise it is a hash, and texts with equal keys must be compared. The first byte of `second` distinguishes
// these cases, and encodes the number and the size of the characters.

#pragma once
#include "common/hashing.h"
#include "text/lines.h"

typedef struct { uint64_t first, second; } cybleu_key;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  #define CYBLEU_FIRST_BYTE(value) ((uint64_t)(value) << 56)
#else
  #define CYBLEU_FIRST_BYTE(value) ((uint64_t)(value))
#endif
#define CYBLEU_UNDECIDED CYBLEU_FIRST_BYTE(0x80)

// A token with its key. The characters of an object are set only if the key does not decide.
typedef struct { cybleu_key key; cybleu_token token; } cybleu_keyed;

static const uint8_t cybleu_keep[32] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
};

// The key of less than 16 bytes, without an unpredictable branch on their number: the loads begin up to 16 bytes before
// the text, which must be readable, and these are masked out. Those of an object are its header.
static inline void cybleu_short_text(const uint8_t *text, size_t size, unsigned int kind, cybleu_key *key) {
    const uint8_t *keep = cybleu_keep + size;
    key->second = cybleu_load(text + (ptrdiff_t)size - 16) & cybleu_load(keep);
    key->second |= CYBLEU_FIRST_BYTE(size << 3 | kind);
    key->first = cybleu_load(text + (ptrdiff_t)size - 8) & cybleu_load(keep + 8);
}

// A token of 16 bytes or more. The first byte of `second` is that of no short text, also without the mark.
static inline void cybleu_read_long(const uint8_t *text, size_t size, unsigned int kind, cybleu_seed seed,
                                    cybleu_keyed *to) {
    to->key.first = cybleu_hash_bytes(text, size, seed);
    to->key.second = CYBLEU_UNDECIDED | CYBLEU_FIRST_BYTE(7 - kind);
    to->token.text = text;
    to->token.end = text + size;
}
