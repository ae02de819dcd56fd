# What the headers of this folder give, but for hashing and the clock.
#
# Offers: `distance` in bytes, `item_at` and `cybleu_items` of lists and tuples, `cybleu_lowest_bit`,
# `cybleu_count_bits`, `wrapping_sum`, `wrapping_difference`, and macros of compilers and builds.

cdef extern from "common/compiler.h":
    void CYBLEU_PREFETCH(const void *address) noexcept nogil
    bint CYBLEU_UNLIKELY(bint condition) noexcept nogil
    Py_ssize_t distance "cybleu_distance" (const void *start, const void *end) noexcept nogil


cdef extern from "common/build.h":
    bint CYBLEU_OTHER_THREADS_RUN
    bint COUNTS_SLOTS "CYBLEU_COUNTS_SLOTS"
    const Py_ssize_t ROWS_AT_ONCE "CYBLEU_ROWS_AT_ONCE"


cdef extern from "common/bits.h":
    int cybleu_lowest_bit(uint64_t word) noexcept nogil
    int cybleu_count_bits(uint64_t word) noexcept nogil


cdef extern from "common/arithmetic.h":
    int64_t wrapping_sum "cybleu_wrapping_sum" (int64_t first, int64_t second) noexcept nogil
    int64_t wrapping_difference "cybleu_wrapping_difference" (int64_t first, int64_t second) noexcept nogil


cdef extern from "common/sequences.h":
    bint cybleu_items(PyObject *sequence, PyObject ***items, Py_ssize_t *size) noexcept
    object item_at "cybleu_item" (object sequence, Py_ssize_t i)
