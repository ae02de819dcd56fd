# Hashing of keys derived from input text.
#
# All open-addressing tables use these functions, so that colliding keys cannot be crafted without knowing the seed of
# the process.
#
# Probes do not check for Ctrl-C, and need not: tables are at most half full, so a probe of n keys visits O(log n) slots
# with high probability, whatever the keys. tests/whole/test_collisions.py counts the slots for keys that would collide
# without the seed, in a build with all checks.
#
# Offers: `Seed` and the process's own, `hash_word`, `hash_pair`, `mix_pair`, `next_slot`.

cdef extern from "common/hashing.h":
    ctypedef struct Seed "cybleu_seed":
        uint64_t first
        uint64_t second
    uint64_t mix_pair "cybleu_mix_pair" (uint64_t first, uint64_t second, Seed seed) noexcept nogil
    uint64_t hash_pair "cybleu_hash_pair" (uint64_t first, uint64_t second, Seed seed) noexcept nogil


cdef inline uint64_t next_slot(uint64_t slot, uint64_t mask) noexcept nogil:
    """Return the next slot."""
    if COUNTS_SLOTS:
        count_slot()
    return (slot + 1) & mask


cdef Py_ssize_t SLOTS = 0       # threads may count one at the same time: it is a test's rough number


cdef Seed SEED      # of this process


cdef bytes RANDOM = urandom(sizeof(Seed))


memcpy(&SEED, <const char *>RANDOM, sizeof(Seed))


SEED.second |= 1


cdef inline uint64_t hash_word(uint64_t key) noexcept nogil:
    """Return the hash of one word."""
    return hash_pair(key, 0, SEED)


cdef void count_slot() noexcept nogil:
    """Count a slot, in builds with all checks."""
    global SLOTS
    SLOTS += 1


def slots_probed():
    """Return how many slots this process has probed after the first ones; None in builds that do not count."""
    return SLOTS if COUNTS_SLOTS else None
