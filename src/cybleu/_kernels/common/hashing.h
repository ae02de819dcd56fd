// Hashing of keys derived from input text.

#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "common/build.h"
#include "common/compiler.h"
#if defined(_MSC_VER) && defined(_M_X64)
  #include <intrin.h>
#endif

// Two random numbers; the second is odd.
typedef struct { uint64_t first, second; } cybleu_seed;

static inline uint64_t cybleu_load(const void *address) {
    uint64_t word;
    memcpy(&word, address, 8);
    return word;
}

// The low and the high half of the product, combined. In assembly, because GCC spills an __int128 to memory.
#if defined(__GNUC__) && defined(__x86_64__)
static inline uint64_t cybleu_fold(uint64_t one, uint64_t other) {
    uint64_t low, high;
    __asm__("mulq %3" : "=a"(low), "=d"(high) : "%0"(one), "rm"(other) : "cc");
    return low ^ high;
}
#elif defined(__SIZEOF_INT128__)
static inline uint64_t cybleu_fold(uint64_t one, uint64_t other) {
    return one * other ^ (uint64_t)((unsigned __int128)one * other >> 64);
}
#elif defined(_MSC_VER) && defined(_M_X64)
static inline uint64_t cybleu_fold(uint64_t one, uint64_t other) {
    uint64_t high, low = _umul128(one, other, &high);
    return low ^ high;
}
#else
static inline uint64_t cybleu_fold(uint64_t one, uint64_t other) {
    uint64_t low = (uint64_t)(uint32_t)one * (uint32_t)other;
    // This does not overflow, nor does the next one.
    uint64_t middle = (one >> 32) * (uint32_t)other + (low >> 32);
    uint64_t rest = (uint64_t)(uint32_t)one * (other >> 32) + (uint32_t)middle;
    return (rest << 32 | (uint32_t)low) ^ ((one >> 32) * (other >> 32) + (middle >> 32) + (rest >> 32));
}
#endif

// Distinct keys give distinct pairs of factors. Some seeds fold keys of a regular pattern, such as all pairs of two
// small numbers, to close values; the multiplication by an odd number separates them. Its high bits, which depend on
// all others, select slots.
static inline uint64_t cybleu_mix_pair(uint64_t first, uint64_t second, cybleu_seed seed) {
    return cybleu_fold((first + second) ^ seed.first, (first + 2 * second) ^ seed.second) * seed.second;
}

// The same with the high bits as the low ones, for masks.
static inline uint64_t cybleu_hash_pair(uint64_t first, uint64_t second, cybleu_seed seed) {
    uint64_t hash = cybleu_mix_pair(first, second, seed);
    return hash << 32 | hash >> 32;
}

// Requires 16 bytes or more.
static inline uint64_t cybleu_hash_bytes(const uint8_t *data, size_t size, cybleu_seed seed) {
    const uint8_t *last = data + size - 16;
    uint64_t hash = seed.second;
    for (; data < last; data += 16)
        hash = cybleu_fold(cybleu_load(data) ^ seed.first, cybleu_load(data + 8) ^ hash);
    hash = cybleu_fold(cybleu_load(last) ^ seed.first, cybleu_load(last + 8) ^ hash);
    return cybleu_fold(hash ^ seed.first, size ^ seed.second);
}

// Whether a slot of a table is taken by another key than this one.
typedef int (*cybleu_holds_other)(const void *table, const void *key, uint64_t slot);

// Slots probed after the first ones, in builds that count them. Threads may count one at the same time: it is a test's
// rough number.
static int64_t cybleu_slots = 0;

// Return the slot of a key, or the free slot for it, from this slot on: the loop of all tables. Compilers inline
// `holds_other`, which is a constant where this is called.
static inline uint64_t cybleu_probe(const void *table, const void *key, cybleu_holds_other holds_other, uint64_t slot,
                                    uint64_t mask) {
    while (CYBLEU_UNLIKELY(holds_other(table, key, slot))) {
        if (CYBLEU_COUNTS_SLOTS) cybleu_slots++;
        slot = (slot + 1) & mask;
    }
    return slot;
}

// The same for slots that are seldom taken, so that a loop over keys keeps its constants in registers.
static CYBLEU_NOINLINE uint64_t cybleu_probe_on(const void *table, const void *key, cybleu_holds_other holds_other,
                                                uint64_t slot, uint64_t mask) {
    return cybleu_probe(table, key, holds_other, slot, mask);
}
