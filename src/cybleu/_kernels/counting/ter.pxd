# Translation edit rate of texts that are numbers.

from libc.stdint cimport int32_t, int64_t

from cybleu._kernels.common.buffers cimport Buffer
from cybleu._kernels.common.interrupts cimport Watch


# A hypothesis and a reference. Cell (i, j) of a table is the distance between the first i words of one and the first j
# of the other, or for `backward` between the words after these. A row has the columns from `low` to before `high`.
cdef struct Segment:
    const int32_t *given    # the words of the hypothesis
    Py_ssize_t size
    Py_ssize_t width        # words of the reference
    bint whole              # each row has all columns
    int32_t *words          # as shifted until now
    int32_t *changed        # as a candidate has them
    int32_t *reference      # from 1 on
    int32_t *low
    int32_t *high
    int64_t *places         # where column 0 of each row is or would be
    int32_t *forward
    int32_t *backward
    int32_t *rows[2]        # of a candidate, from column 0
    int32_t *align          # for each word of the reference the one of the hypothesis, or the one before, -1 for none
    int32_t *wrong          # how many of the first words of the hypothesis have no match
    int32_t *wrong_there    # the same of the reference
    int32_t bound           # no order of the words has less edits
    int32_t score           # the distance now
    Py_ssize_t checked      # candidates


cdef struct Shift:
    int32_t gain
    Py_ssize_t length
    Py_ssize_t start
    Py_ssize_t target


cdef struct Workspace:
    Buffer memory
    Buffer bounds
    Watch watching


cdef int check_ends(Py_ssize_t size, const int64_t[::1] ends) except -1

cdef int check_words(const int32_t[::1] hypotheses, const int64_t[::1] hypothesis_ends, const int32_t[::1] references,
                     const int64_t[::1] reference_ends, const int64_t[::1] sets, const int64_t[::1] texts,
                     const int64_t[::1] owners, Py_ssize_t start, Py_ssize_t stop) except -1
