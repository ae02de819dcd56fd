# N-grams of units, which are characters or words, that two texts share.

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from cybleu._kernels.common cimport CYBLEU_UNLIKELY
from cybleu._kernels.interrupts cimport Watch

cdef enum:
    AHEAD = 8               # bytes after a text that can be read
    CHANGES = 66            # of most orders of either kind, none, and one more


cdef struct Buffer:
    uint8_t *data
    size_t room


# Memory for so many bytes; what is there stays.
cdef int enlarge(Buffer *buffer, uint64_t size) except -1 nogil
cdef void give_back(Buffer *buffer) noexcept nogil


cdef inline int make_room(Buffer *buffer, uint64_t size) except -1 nogil:
    if CYBLEU_UNLIKELY(size > buffer.room or buffer.data == NULL):
        return enlarge(buffer, size)
    return 0


# A text in numbers, of one byte or of four, from 1 on, 0 for what the hypothesis does not have, and AHEAD bytes of no
# number.
cdef struct Units:
    const uint8_t *data
    Py_ssize_t count
    int width
    int32_t different   # the largest number
    const int32_t *counts   # how often each number is there, where that is known


# An n-gram of the hypothesis.
cdef struct Mark:
    int32_t left        # how many nothing has taken, less one; or of one that stands once -1 less the longest match
    int32_t position    # where it stands; NAMED less its number where it is repeated; NOWHERE where there is none

cdef enum:
    NOWHERE = -1
    NAMED = -2


# Of one order: the n-grams that are repeated in the order before, by their number and the last unit.
cdef struct Table:
    Mark *marks
    uint64_t *keys      # open addressing; NULL where each pair has a cell
    int64_t width       # of cells
    int shift
    uint64_t last       # the number of slots, less one
    Py_ssize_t count    # of n-grams in it


# Where n-grams begin that are repeated in the hypothesis, and the numbers of these.
cdef struct Positions:
    int32_t *at
    int32_t *names
    Py_ssize_t count


# The bytes of a table.
#
# `often`: the table is asked of many texts
cdef uint64_t table_size(Py_ssize_t count, int32_t names, int32_t different, bint often) noexcept nogil

# The n-grams of a text that begin at these positions; those of repeated ones stay, and get numbers.
#
# `memory`: `table_size` bytes
# `names`: how many numbers there are
# `places`: memory for as many numbers
cdef int fill_table(Table *table, void *memory, const Units *text, int n, Positions *from_, int32_t *names,
                    int32_t *places, bint often, uint64_t odd, Watch *watching) except -1 nogil

# Add the matches of the n-grams of the table, and of longer ones that need none; the table is as before then.
#
# `from_`: of the reference, from the order before; of this one after
# `taken`: memory for as many numbers
# `changes`: from order to order the change of the number of matches, from 0 on
cdef int take(Table *table, const Units *hypothesis, const Units *text, int n, int order, Positions *from_,
              int32_t *taken, int64_t *changes, uint64_t odd, Watch *watching) except -1 nogil

# All positions of a text, in memory for twice as many numbers and two.
cdef void all_of(Positions *positions, int32_t *memory, Py_ssize_t count) noexcept nogil

# The units that two texts share, of one byte.
cdef int64_t shared_units(const Units *hypothesis, const Units *text) noexcept nogil

# Whether all pairs of units can have a cell, so that the first order needs no table.
cdef bint pairs_have_cells(const Units *text, bint often) noexcept nogil

# The same as if all units were repeated, for those of one byte: the next order is the second.
cdef void all_pairs(Positions *positions, int32_t *memory, const Units *text) noexcept nogil


cdef inline int64_t ngrams_of(Py_ssize_t units, int n) noexcept nogil:
    return units - n + 1 if units >= n else 0
