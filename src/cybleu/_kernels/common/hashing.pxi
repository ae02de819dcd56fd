# Hashing of keys derived from input text.
#
# All open-addressing tables use these functions, so that colliding keys cannot be crafted without knowing the seed of
# the process.
#
# Probes do not check for Ctrl-C, and need not: tables are at most half full, so a probe of n keys visits O(log n) slots
# with high probability, whatever the keys. tests/whole/test_collisions.py counts the slots for keys that would collide
# without the seed, in a build with all checks.
#
# Offers: `Seed` and the process's own, `hash_word`, `hash_pair`, `mix_pair`; `probe` and `probe_on`, the loop of all
# tables.

cdef extern from "common/hashing.h":
    ctypedef struct Seed "cybleu_seed":
        uint64_t first
        uint64_t second
    uint64_t mix_pair "cybleu_mix_pair" (uint64_t first, uint64_t second, Seed seed) noexcept nogil
    uint64_t hash_pair "cybleu_hash_pair" (uint64_t first, uint64_t second, Seed seed) noexcept nogil
    ctypedef bint (*HoldsOther "cybleu_holds_other")(const void *table, const void *key, uint64_t slot) noexcept nogil
    int64_t cybleu_slots
    uint64_t probe "cybleu_probe" (const void *table, const void *key, HoldsOther holds_other, uint64_t slot,
                                   uint64_t mask) noexcept nogil
    uint64_t probe_on "cybleu_probe_on" (const void *table, const void *key, HoldsOther holds_other, uint64_t slot,
                                         uint64_t mask) noexcept nogil


cdef Seed SEED      # of this process


cdef bytes RANDOM = urandom(sizeof(Seed))


memcpy(&SEED, <const char *>RANDOM, sizeof(Seed))


SEED.second |= 1


cdef inline uint64_t hash_word(uint64_t key) noexcept nogil:
    """Return the hash of one word."""
    return hash_pair(key, 0, SEED)


def slots_probed():
    """Return how many slots this process has probed after the first ones; None in builds that do not count."""
    return cybleu_slots if COUNTS_SLOTS else None
