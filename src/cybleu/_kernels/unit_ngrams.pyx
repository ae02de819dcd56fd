# cython: freethreading_compatible=True
"""The n-grams of characters, or of words, that a hypothesis and one reference share.

The characters of a segment have numbers of their own, and so have its words, with 0 for those that the hypothesis does
not have. An n-gram that is repeated in the hypothesis gets a number, too, and the longer one is told by this number and
that of its last unit: most often that is a cell of a small table, and nothing is searched for.

An n-gram that stands once in the hypothesis stands there when it is longer. So a position of the reference with such an
n-gram needs no more tables: one comparison of 8 bytes says up to which order it goes on to match. Of repeated ones each
n-gram of the reference takes one of the hypothesis that nothing has taken yet. Where an n-gram has no match no longer
one can begin, so the work falls with the order as the matches do.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from cybleu._kernels.common cimport CYBLEU_UNLIKELY, allocated
from cybleu._kernels.interrupts cimport Watch, fill_bytes, watch
from cybleu._kernels.tables cimport cybleu_place
from cybleu._kernels.tokens cimport slots_needed

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef extern from *:
    """
    #define CYBLEU_FREE (~0ULL)

    /* How many bytes of 8 are equal before the first that is not, or that `limit` is the first bit of. */
    static CYTHON_INLINE int cybleu_alike(const uint8_t *one, const uint8_t *other, uint64_t limit) {
    #if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__    /* clang, too */
        uint64_t first, second;
        memcpy(&first, one, 8);
        memcpy(&second, other, 8);
        return __builtin_ctzll((first ^ second) | limit) >> 3;
    #else
        int equal = 0;
        while (limit >> 8 * equal != 1 && one[equal] == other[equal]) equal++;
        return equal;
    #endif
    }
    """
    uint64_t FREE "CYBLEU_FREE"
    int alike "cybleu_alike" (const uint8_t *one, const uint8_t *other, uint64_t limit) noexcept nogil

cdef enum:
    PIECE = 4096            # n-grams between two looks for an interrupt
    MOST_CELLS = 0x3FFFFFFF     # places are 32 bits
    FEW_CELLS = 1024
    MANY_CELLS = 16384


cdef int enlarge(Buffer *buffer, uint64_t size) except -1 nogil:
    size = max(size, 2 * <uint64_t>buffer.room, <uint64_t>64)
    buffer.data = <uint8_t *>allocated(
        realloc(buffer.data, <size_t>size) if size <= <uint64_t>PY_SSIZE_T_MAX else NULL)
    buffer.room = <size_t>size
    return 0


cdef void give_back(Buffer *buffer) noexcept nogil:
    free(buffer.data)
    buffer.data = NULL
    buffer.room = 0


cdef inline int32_t unit_at(const Units *text, int32_t position) noexcept nogil:
    return text.data[position] if text.width == 1 else (<const int32_t *>text.data)[position]


cdef inline uint64_t place_of_key(const Table *table, uint64_t key, uint64_t odd) noexcept nogil:
    """The slot of the n-gram, or the free one where it would be."""
    cdef uint64_t place = cybleu_place(<int64_t>key, odd, table.shift)
    while CYBLEU_UNLIKELY((table.keys[place] != key) & (table.keys[place] != FREE)):
        place = (place + 1) & table.last
    return place


cdef inline uint64_t key_of(int32_t name, int32_t unit) noexcept nogil:
    return <uint64_t>name << 32 | <uint64_t>unit


cdef uint64_t cells_of(Py_ssize_t count, int32_t names, int32_t different, bint often) noexcept nogil:
    """How many cells a table has in which each pair has one; 0 where that would be too many.

    :param often: the table is asked of many texts
    """
    cdef uint64_t cells = <uint64_t>names * (<uint64_t>different + 1)
    cdef uint64_t most = 16 * <uint64_t>count + <uint64_t>(MANY_CELLS if often else FEW_CELLS)
    return cells if cells <= most and cells <= <uint64_t>MOST_CELLS else 0


cdef bint pairs_have_cells(const Units *text, bint often) noexcept nogil:
    return text.width == 1 and cells_of(text.count, text.different + 1, text.different, often) > 0


cdef uint64_t table_size(Py_ssize_t count, int32_t names, int32_t different, bint often) noexcept nogil:
    """The bytes of a table."""
    cdef uint64_t cells = cells_of(count, names, different, often)
    return cells * sizeof(Mark) if cells > 0 else slots_needed(count) * (sizeof(Mark) + sizeof(uint64_t))


cdef int fill_table(Table *table, void *memory, const Units *text, int n, Positions *from_, int32_t *names,
                    int32_t *places, bint often, uint64_t odd, Watch *watching) except -1 nogil:
    """The n-grams of a text that begin at these positions; those of repeated ones stay, and get numbers.

    :param memory: `table_size` bytes
    :param names: how many numbers there are
    :param places: memory for as many numbers
    """
    cdef int32_t *at = from_.at
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t start, stop, i
    cdef uint64_t size
    cdef uint64_t place
    cdef uint64_t key
    cdef int32_t given = 0
    cdef int32_t repeated, fresh, name
    cdef Mark *mark
    table.count = from_.count
    if table.count == 0:
        return 0
    table.width = <int64_t>text.different + 1
    table.marks = <Mark *>memory
    table.keys = NULL
    size = cells_of(table.count, names[0], text.different, often)
    if size == 0:
        size = slots_needed(table.count)
        table.keys = <uint64_t *>memory
        table.marks = <Mark *>(table.keys + size)
        table.last = size - 1
        table.shift = 64
        while table.last >> (64 - table.shift):
            table.shift -= 1
        fill_bytes(table.keys, 0xFF, <size_t>size * sizeof(uint64_t), watching)
    fill_bytes(table.marks, 0xFF, <size_t>size * sizeof(Mark), watching)
    start = 0
    while start < table.count:
        stop = min(start + PIECE, table.count)
        for i in range(start, stop):
            if table.keys == NULL:
                place = <uint64_t>(from_.names[i] * table.width + unit_at(text, at[i] + n - 1))
            else:
                key = key_of(from_.names[i], unit_at(text, at[i] + n - 1))
                place = place_of_key(table, key, odd)
                table.keys[place] = key
            mark = &table.marks[place]
            mark.left += 1
            mark.position = at[i]
            places[i] = <int32_t>place
        watch(watching, (stop - start) >> 2)
        start = stop
    start = 0
    while start < table.count:
        stop = min(start + PIECE, table.count)
        for i in range(start, stop):
            mark = &table.marks[places[i]]
            repeated = mark.left > 0
            fresh = -(repeated & <int32_t>(mark.position >= 0))
            name = NAMED - given
            mark.position = (name & fresh) | (mark.position & ~fresh)
            given -= fresh
            at[kept] = at[i]
            from_.names[kept] = NAMED - mark.position
            kept += repeated & <int32_t>(at[i] + n < text.count)
        watch(watching, (stop - start) >> 3)
        start = stop
    from_.count = kept
    names[0] = given
    return 0


cdef int32_t alike_from(const Units *one, int32_t position, const Units *other, int32_t place,
                        int32_t most) noexcept nogil:
    """How many units are equal from there on."""
    cdef int32_t equal = 0
    while equal < most and unit_at(one, position + equal) == unit_at(other, place + equal):
        equal += 1
    return equal


cdef inline int take_block(Table *table, const Units *hypothesis, const Units *text, int n, int order,
                           Positions *from_, int32_t *taken, int64_t *changes, uint64_t odd, Watch *watching,
                           bint plain) except -1 nogil:
    """As `take`. `plain`: numbers of one byte, less than 8 orders, and a cell for each pair."""
    cdef Mark *marks = table.marks
    cdef int32_t *at = from_.at
    cdef int32_t *names = from_.names
    cdef const uint8_t *own = hypothesis.data
    cdef const uint8_t *other = text.data
    cdef int shift = 0 if plain or text.width == 1 else 2
    cdef int bits = 8 * order << shift
    cdef bint short = plain or bits < 64
    cdef uint64_t limit = <uint64_t>1 << (bits & 63)
    cdef int32_t last = <int32_t>text.count
    cdef int64_t width = table.width
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t hits = 0
    cdef Py_ssize_t start, stop, i
    cdef uint64_t place
    cdef int32_t position, once, longest, hit, left, stands, longer
    cdef Mark *mark
    start = 0
    while start < from_.count:
        stop = min(start + PIECE, from_.count)
        for i in range(start, stop):
            position = at[i]
            if plain:
                place = <uint64_t>(names[i] * width + other[position + n - 1])
            elif table.keys == NULL:
                place = <uint64_t>(names[i] * width + unit_at(text, position + n - 1))
            else:
                place = place_of_key(table, key_of(names[i], unit_at(text, position + n - 1)), odd)
            mark = &marks[place]
            # all by arithmetic: whether an n-gram has a match is a coin toss for the processor
            left = mark.left
            stands = mark.position
            once = -<int32_t>(stands >= 0)
            if short:
                longest = alike(own + (<Py_ssize_t>(stands & once) << shift), other + (<Py_ssize_t>position << shift),
                                limit) >> shift
                longest = min(longest, last - position)
            else:
                longest = alike_from(hypothesis, stands & once, text, position, min(order, last - position))
            hit = left >= 0
            longer = -1 - longest
            mark.left = (min(left, longer) & once) | ((left - hit) & ~once)
            taken[hits] = <int32_t>place
            hits += hit
            at[kept] = position
            names[kept] = NAMED - stands
            kept += <int32_t>(stands < NOWHERE) & <int32_t>(position + n < last)
        watch(watching, (stop - start) >> 2)
        start = stop
    from_.count = kept
    changes[n] += hits
    start = 0
    while start < hits:
        stop = min(start + PIECE, hits)
        for i in range(start, stop):
            mark = &marks[taken[i]]
            once = -<int32_t>(mark.position >= 0)
            changes[(-mark.left & once) | ((n + 1) & ~once)] -= 1
            mark.left = (mark.left + 1) & ~once
        watch(watching, (stop - start) >> 3)
        start = stop
    return 0


cdef int take(Table *table, const Units *hypothesis, const Units *text, int n, int order, Positions *from_,
              int32_t *taken, int64_t *changes, uint64_t odd, Watch *watching) except -1 nogil:
    """Add the matches of the n-grams of the table, and of longer ones that need none; the table is as before then.

    :param from_: of the reference, from the order before; of this one after
    :param taken: memory for as many numbers
    :param changes: from order to order the change of the number of matches, from 0 on
    """
    if table.count == 0:
        from_.count = 0
        return 0
    if text.width == 1 and order < 8 and table.keys == NULL:
        return take_block(table, hypothesis, text, n, order, from_, taken, changes, odd, watching, True)
    return take_block(table, hypothesis, text, n, order, from_, taken, changes, odd, watching, False)


cdef int64_t shared_units(const Units *hypothesis, const Units *text) noexcept nogil:
    """The units that two texts share, of one byte."""
    cdef int32_t[256] counts
    cdef int64_t found = 0
    cdef Py_ssize_t i
    cdef int hit
    if hypothesis.counts != NULL:
        for i in range(hypothesis.different + 1):
            found += min(hypothesis.counts[i], text.counts[i])
        return found
    for i in range(hypothesis.different + 1):
        counts[i] = 0
    for i in range(hypothesis.count):
        counts[hypothesis.data[i]] += 1
    for i in range(text.count):
        hit = counts[text.data[i]] > 0
        counts[text.data[i]] -= hit
        found += hit
    return found


cdef void all_of(Positions *positions, int32_t *memory, Py_ssize_t count) noexcept nogil:
    """All positions of a text, in memory for twice as many numbers and two."""
    cdef Py_ssize_t i
    positions.at = memory
    positions.names = memory + count + 1
    positions.count = count
    for i in range(count):
        memory[i] = <int32_t>i
    memset(positions.names, 0, <size_t>count * sizeof(int32_t))


cdef void all_pairs(Positions *positions, int32_t *memory, const Units *text) noexcept nogil:
    """The same as if all units were repeated, for those of one byte: the next order is the second."""
    cdef Py_ssize_t i
    all_of(positions, memory, text.count)
    positions.count = text.count - 1 if text.count > 0 else 0
    for i in range(positions.count):
        positions.names[i] = text.data[i]
