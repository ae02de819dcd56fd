# cython: freethreading_compatible=True
"""The seed of the hash tables, and a count of probed slots for tests."""

from libc.string cimport memcpy

from os import urandom

cdef extern from *:
    """
    #if !defined(_MSC_VER)
      #define CYBLEU_ADD(counter, value) __atomic_fetch_add(&counter, value, __ATOMIC_RELAXED)
    #elif defined(_WIN64)
      #include <intrin.h>
      #define CYBLEU_ADD(counter, value) _InterlockedExchangeAdd64(&counter, value)
    #else
      #include <intrin.h>
      #define CYBLEU_ADD(counter, value) _InterlockedExchangeAdd((long *)&counter, value)
    #endif

    static Py_ssize_t cybleu_slots = 0;
    """
    Py_ssize_t cybleu_slots
    Py_ssize_t CYBLEU_ADD(Py_ssize_t counter, Py_ssize_t value) noexcept nogil

cdef Seed SEED
cdef bytes RANDOM = urandom(sizeof(Seed))
memcpy(&SEED, <const char *>RANDOM, sizeof(Seed))
SEED.second |= 1


cdef Seed process_seed() noexcept nogil:
    return SEED


cdef void count_slot() noexcept nogil:
    CYBLEU_ADD(cybleu_slots, 1)


def slots_probed():
    """Return how many slots this process has probed after the first ones; None in builds that do not count."""
    return CYBLEU_ADD(cybleu_slots, 0) if COUNTS_SLOTS else None
