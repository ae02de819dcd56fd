# Count matching n-grams of characters or words in a hypothesis and one reference.
#
# Characters and words get ids local to the segment, with 0 for units that are not in the hypothesis. An n-gram that is
# repeated in the hypothesis gets an id, too, and longer n-grams are identified by this id and their last unit: usually
# an index into a small table, without hashing.
#
# An n-gram that is unique in the hypothesis can only be extended at its one position. So a reference position with such
# an n-gram requires no further tables: a comparison of 8 bytes gives the order up to which it matches. For repeated
# n-grams, each one in the reference takes an unmatched one in the hypothesis. Longer n-grams can only match where
# shorter ones do, so the work decreases with the number of matches.
#
# Offers: `count_units` and `shared_units` for single ones; `Positions` with `all_of` and `all_pairs`;
# `Table` with `unit_table_size`, `fill_table` and `take_ngrams`; `pairs_have_cells`, `ngrams_of`.

cdef enum:
    MOST_OF_A_KIND = 64     # orders of characters, and of words: MOST_ORDERS of `_runtime/numbers.py`
    CHANGES = 66            # MOST_OF_A_KIND + 2: also of order 0, and of the one after the last


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
    uint64_t *keys      # open addressing, all ones in a free slot; NULL for direct addressing by cells
    int64_t width       # of cells
    uint64_t mask       # the number of slots, less one
    Py_ssize_t count    # of n-grams in it


# Start positions of n-grams that are repeated in the hypothesis, and their ids.
cdef struct Positions:
    int32_t *at
    int32_t *names
    Py_ssize_t count


cdef inline int64_t ngrams_of(Py_ssize_t units, int n) noexcept nogil:
    return units - n + 1 if units >= n else 0


cdef extern from "counting/alike.h":
    int alike "cybleu_alike" (const uint8_t *one, const uint8_t *other, uint64_t limit) noexcept nogil


cdef enum:
    MOST_CELLS = 0x3FFFFFFF     # places are 32 bits
    FEW_CELLS = 1024
    MANY_CELLS = 16384


cdef inline int32_t unit_at(const Units *text, int32_t position) noexcept nogil:
    """Return the id of a unit."""
    return text.data[position] if text.width == 1 else (<const int32_t *>text.data)[position]


cdef inline bint keys_hold_other(const void *table, const void *key, uint64_t slot) noexcept nogil:
    """Implement `HoldsOther` for the keys of a Table and a uint64."""
    cdef uint64_t known = (<const uint64_t *>table)[slot]
    return (known != (<const uint64_t *>key)[0]) & (known != ~<uint64_t>0)


cdef inline uint64_t place_of_key(const Table *table, uint64_t key) noexcept nogil:
    """Return the slot of the n-gram, or the free slot for it."""
    return probe(table.keys, &key, keys_hold_other, hash_word(key) & table.mask, table.mask)


cdef inline uint64_t unit_key(int32_t name, int32_t unit) noexcept nogil:
    """Return the key of an n-gram: the name of its repeated (n-1)-gram, and its last unit."""
    return <uint64_t>name << 32 | <uint64_t>unit


cdef uint64_t cells_of(Py_ssize_t count, int32_t names, int32_t different, bint often) noexcept nogil:
    """Return the number of cells for direct addressing of all pairs; 0 if there would be too many.

    :param often: many texts are looked up in the table
    """
    cdef uint64_t cells = <uint64_t>names * (<uint64_t>different + 1)
    cdef uint64_t most = 16 * <uint64_t>count + <uint64_t>(MANY_CELLS if often else FEW_CELLS)
    return cells if cells <= most and cells <= <uint64_t>MOST_CELLS else 0


cdef bint pairs_have_cells(const Units *text, bint often) noexcept nogil:
    """Return whether all pairs of units can have a cell, so that order 1 requires no table."""
    return text.width == 1 and cells_of(text.count, text.different + 1, text.different, often) > 0


cdef uint64_t unit_table_size(Py_ssize_t count, int32_t names, int32_t different, bint often) noexcept nogil:
    """Return the size of a table in bytes. `often`: many texts are looked up in it."""
    cdef uint64_t cells = cells_of(count, names, different, often)
    return cells * sizeof(Mark) if cells > 0 else slots_needed(count) * (sizeof(Mark) + sizeof(uint64_t))


cdef int fill_table(Table *table, void *memory, const Units *text, int n, Positions *from_, int32_t *names,
                    int32_t *places, bint often, Watch *watching) except -1 nogil:
    """Count the n-grams at these positions of a text; keep the positions of repeated ones, which get ids.

    :param memory: `unit_table_size` bytes
    :param names: number of ids
    :param places: memory for as many ids
    """
    cdef int32_t *at = from_.at
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t first, i
    cdef uint64_t size
    cdef uint64_t place
    cdef uint64_t key
    cdef int32_t given = 0
    cdef int32_t repeated, fresh, name
    cdef Mark *mark
    table.count = from_.count
    table.width = <int64_t>text.different + 1
    table.marks = <Mark *>memory
    table.keys = NULL
    size = cells_of(table.count, names[0], text.different, often)
    if size == 0:
        size = slots_needed(table.count)
        table.keys = <uint64_t *>memory
        table.marks = <Mark *>(table.keys + size)
        memset(table.keys, 0xFF, <size_t>size * sizeof(uint64_t))
    table.mask = size - 1
    memset(table.marks, 0xFF, <size_t>size * sizeof(Mark))
    first = 0
    while first < table.count:
        for i in range(first, block_end(first, table.count, watching)):
            if table.keys == NULL:
                place = <uint64_t>(from_.names[i] * table.width + unit_at(text, at[i] + n - 1))
            else:
                key = unit_key(from_.names[i], unit_at(text, at[i] + n - 1))
                place = place_of_key(table, key)
                table.keys[place] = key
            mark = &table.marks[place]
            mark.left += 1
            mark.position = at[i]
            places[i] = <int32_t>place
        first += STEPS
    first = 0
    while first < table.count:
        for i in range(first, block_end(first, table.count, watching)):
            mark = &table.marks[places[i]]
            repeated = mark.left > 0
            fresh = -(repeated & <int32_t>(mark.position >= 0))
            name = NAMED - given
            mark.position = (name & fresh) | (mark.position & ~fresh)
            given -= fresh
            at[kept] = at[i]
            from_.names[kept] = NAMED - mark.position
            kept += repeated & <int32_t>(at[i] + n < text.count)
        first += STEPS
    from_.count = kept
    names[0] = given
    return 0


cdef int32_t alike_from(const Units *one, int32_t position, const Units *other, int32_t place,
                        int32_t most) noexcept nogil:
    """Return the number of matching units from these positions on."""
    cdef int32_t equal = 0
    while equal < most and unit_at(one, position + equal) == unit_at(other, place + equal):
        equal += 1
    return equal


cdef inline int take_block(Table *table, const Units *hypothesis, const Units *text, int n, int order,
                           Positions *from_, int32_t *taken, int64_t *changes, bint plain,
                           Watch *watching) except -1 nogil:
    """Implement `take_ngrams`. `plain`: ids of one byte, less than 8 orders, and a cell for each pair."""
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
    cdef Py_ssize_t first = 0
    cdef Py_ssize_t i
    cdef uint64_t place
    cdef int32_t position, once, longest, hit, left, stands, longer
    cdef Mark *mark
    while first < from_.count:
        for i in range(first, block_end(first, from_.count, watching)):
            position = at[i]
            if plain:
                place = <uint64_t>(names[i] * width + other[position + n - 1])
            elif table.keys == NULL:
                place = <uint64_t>(names[i] * width + unit_at(text, position + n - 1))
            else:
                place = place_of_key(table, unit_key(names[i], unit_at(text, position + n - 1)))
            mark = &marks[place]
            # branch-free, because matches are unpredictable
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
        first += STEPS
    from_.count = kept
    changes[n] += hits
    first = 0
    while first < hits:
        for i in range(first, block_end(first, hits, watching)):
            mark = &marks[taken[i]]
            once = -<int32_t>(mark.position >= 0)
            changes[(-mark.left & once) | ((n + 1) & ~once)] -= 1
            mark.left = (mark.left + 1) & ~once
        first += STEPS
    return 0


cdef int take_ngrams(Table *table, const Units *hypothesis, const Units *text, int n, int order, Positions *from_,
                     int32_t *taken, int64_t *changes, Watch *watching) except -1 nogil:
    """Add the matches of the n-grams of the table, and of longer unique ones. The table is restored afterwards.

    :param from_: positions in the reference of the previous order; replaced by those of this order
    :param taken: memory for as many positions
    :param changes: differences between the match counts of consecutive orders
    """
    if text.width == 1 and order < 8 and table.keys == NULL:
        return take_block(table, hypothesis, text, n, order, from_, taken, changes, True, watching)
    return take_block(table, hypothesis, text, n, order, from_, taken, changes, False, watching)


cdef int count_units(Units *texts, Py_ssize_t count, Buffer *memory, Watch *watching) except -1 nogil:
    """Count the units of texts with the same ids of one byte."""
    cdef Py_ssize_t size = texts[0].different + 1 if count > 0 else 0
    cdef int32_t *counts
    cdef Py_ssize_t i, k
    reserve(memory, <uint64_t>count * <uint64_t>size * sizeof(int32_t))
    counts = <int32_t *>memory.data
    for k in range(count):
        texts[k].counts = counts
        clear_items(counts, size)
        for i in range(texts[k].count):
            counts[texts[k].data[i]] += 1
        counts += size
        watch(watching, 8)
    return 0


cdef int64_t shared_units(const Units *hypothesis, const Units *text) noexcept nogil:
    """Return the number of one-byte units shared by two texts."""
    cdef int64_t found = 0
    cdef Py_ssize_t i
    for i in range(hypothesis.different + 1):
        found += min(hypothesis.counts[i], text.counts[i])
    return found


cdef void all_of(Positions *positions, int32_t *memory, Py_ssize_t count) noexcept nogil:
    """Return all positions of a text; requires memory for 2 * length + 2 positions."""
    cdef Py_ssize_t i
    positions.at = memory
    positions.names = memory + count + 1
    positions.count = count
    for i in range(count):
        memory[i] = <int32_t>i
    clear_items(positions.names, count)


cdef void all_pairs(Positions *positions, int32_t *memory, const Units *text) noexcept nogil:
    """Like `take_ngrams` for one-byte units, treating all as repeated, so that the next order is 2."""
    cdef Py_ssize_t i
    all_of(positions, memory, text.count)
    positions.count = text.count - 1 if text.count > 0 else 0
    for i in range(positions.count):
        positions.names[i] = text.data[i]
