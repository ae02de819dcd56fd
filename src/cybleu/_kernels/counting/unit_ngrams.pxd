# Matching n-grams of units (characters or words) of two texts.

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from cybleu._kernels.common.base cimport CYBLEU_UNLIKELY
from cybleu._kernels.common.hashing cimport Seed

cdef enum:
    AHEAD = 8               # readable bytes after a text
    CHANGES = 66            # 64 orders, order 0, and one more


# A text as unit ids of one or four bytes, from 1 on, with 0 for units that are not in the hypothesis; followed by AHEAD
# bytes that match no id.
cdef struct Units:
    const uint8_t *data
    Py_ssize_t count
    int width
    int32_t different   # the largest id
    const int32_t *counts   # number of occurrences of each id, if known


# An n-gram of the hypothesis.
cdef struct Mark:
    int32_t left        # unmatched occurrences - 1; for a unique n-gram, -1 - the longest match
    int32_t position    # position; NAMED - id if it is repeated; NOWHERE if there is none

cdef enum:
    NOWHERE = -1
    NAMED = -2


# N-grams of one order, by the id of their repeated (n-1)-gram and their last unit.
cdef struct Table:
    Mark *marks
    uint64_t *keys      # open addressing; NULL for direct addressing by cells
    int64_t width       # of cells
    uint64_t mask       # the number of slots, less one
    Py_ssize_t count    # of n-grams in it


# Start positions of n-grams that are repeated in the hypothesis, and their ids.
cdef struct Positions:
    int32_t *at
    int32_t *names
    Py_ssize_t count


# Size of a table in bytes.
#
# `often`: many texts are looked up in the table
cdef uint64_t table_size(Py_ssize_t count, int32_t names, int32_t different, bint often) noexcept nogil

# Count the n-grams at these positions of a text; keep the positions of repeated ones, which get ids.
#
# `memory`: `table_size` bytes
# `names`: number of ids
# `places`: memory for as many ids
cdef void fill_table(Table *table, void *memory, const Units *text, int n, Positions *from_, int32_t *names,
                     int32_t *places, bint often, Seed seed) noexcept nogil

# Add the matches of the n-grams of the table, and of longer unique ones. The table is restored afterwards.
#
# `from_`: positions in the reference of the previous order; replaced by those of this order
# `taken`: memory for as many positions
# `changes`: differences between the match counts of consecutive orders
cdef void take(Table *table, const Units *hypothesis, const Units *text, int n, int order, Positions *from_,
               int32_t *taken, int64_t *changes, Seed seed) noexcept nogil

# All positions of a text; requires memory for 2 * length + 2 positions.
cdef void all_of(Positions *positions, int32_t *memory, Py_ssize_t count) noexcept nogil

# The number of one-byte units shared by two texts.
cdef int64_t shared_units(const Units *hypothesis, const Units *text) noexcept nogil

# Whether all pairs of units can have a cell, so that order 1 requires no table.
cdef bint pairs_have_cells(const Units *text, bint often) noexcept nogil

# Like `take` for one-byte units, treating all as repeated, so that the next order is 2.
cdef void all_pairs(Positions *positions, int32_t *memory, const Units *text) noexcept nogil


cdef inline int64_t ngrams_of(Py_ssize_t units, int n) noexcept nogil:
    return units - n + 1 if units >= n else 0
