# Open-addressing tables from token ids, and from pairs of n-gram ids, to n-gram ids.
#
# Offers: `Slots` of `Slot` with `make_slots`, `make_empty`, `size_of`, `place_of`, `probe_from` and `slot_of`;
# `number_ids` of tokens, `pair_key`, `extended` and `extend_ngrams` for n-grams; `NgramCount`, which `count_ngrams`
# writes.

cdef enum:
    MOST_NGRAMS = 0x1FFFFFFF    # in one numbering: ids are 32 bits


cdef struct Slot:
    int64_t key         # the token, or a pair
    int32_t ngram       # id, -1 in a free slot
    int32_t best        # the maximum count in one reference


cdef struct Slots:
    Slot *slots
    uint64_t mask       # number of slots - 1; the number is a power of two


# An n-gram of a text, and how often the text has it.
cdef struct NgramCount:
    int32_t ngram
    int32_t count


cdef inline int64_t pair_key(int32_t first, int32_t second) noexcept nogil:
    """Return the key of an n-gram: an (n-1)-gram and the next token, or the (n-1)-gram that ends there."""
    return (<int64_t>first << 32) | second


cdef inline uint64_t place_of(Slots table, int64_t key) noexcept nogil:
    """Return the slot at which probing for a key begins."""
    return hash_word(<uint64_t>key) & table.mask


cdef inline bint slots_hold_other(const void *table, const void *key, uint64_t slot) noexcept nogil:
    """Implement `HoldsOther` for the slots of a Slots and an int64."""
    cdef const Slot *found = <const Slot *>table + slot
    # Negative for a free slot and for the key: one branch, because which of the two it is cannot be predicted.
    return (found.ngram | -<int32_t>(found.key == (<const int64_t *>key)[0])) >= 0


cdef inline bint added_holds_other(const void *table, const void *key, uint64_t slot) noexcept nogil:
    """The same where keys are added. Two branches, because most keys of texts that are alike are known."""
    cdef const Slot *found = <const Slot *>table + slot
    return found.key != (<const int64_t *>key)[0] and found.ngram >= 0


cdef inline Slot *probe_from(Slots table, int64_t key, uint64_t place) noexcept nogil:
    """Return the slot of the key, or the free slot for it, from `place` on."""
    return &table.slots[probe(table.slots, &key, slots_hold_other, place, table.mask)]


cdef inline Slot *slot_of(Slots table, int64_t key) noexcept nogil:
    """Return the slot of the key, or the free slot for it."""
    return probe_from(table, key, place_of(table, key))


cdef inline Py_ssize_t size_of(Slots table) noexcept nogil:
    return <Py_ssize_t>table.mask + 1


cdef inline int make_empty(Slots *table, uint64_t count, Watch *watching) except -1 nogil:
    """Make the table empty, with so many of its slots, a power of two."""
    cdef Py_ssize_t first, size
    table.mask = count - 1
    first = 0
    while first < size_of(table[0]):       # the first access to new memory is slow
        size = block_end(first, size_of(table[0]), watching) - first
        memset(table.slots + first, 0xFF, <size_t>size * sizeof(Slot))
        first += STEPS
    return 0


cdef int make_slots(Slots *table, uint64_t count, Watch *watching) except -1 nogil:
    """Allocate an empty table with so many slots."""
    table.slots = <Slot *>new_array(<Py_ssize_t>count, sizeof(Slot))
    return make_empty(table, count, watching)


cdef inline int32_t number_key(Slots table, int64_t key, int32_t *given, bint adds) noexcept nogil:
    """Return the id of a key; if it is unknown -1, or with `adds` the next one that is not given."""
    cdef Slot *slot
    if not adds:
        return slot_of(table, key).ngram
    slot = &table.slots[probe(table.slots, &key, added_holds_other, place_of(table, key), table.mask)]
    if slot.ngram < 0:
        slot.key = key
        slot.ngram = given[0]
        given[0] += 1
    return slot.ngram


cdef inline int32_t number_ids(Slots table, const int64_t *text, Py_ssize_t length, int32_t *ids, int32_t given,
                               bint adds, Watch *watching) except -1 nogil:
    """Write the ids of tokens, with `adds` from `given` on; return the next id that is not given."""
    cdef Py_ssize_t first, i
    first = 0
    while first < length:
        for i in range(first, block_end(first, length, watching)):
            ids[i] = number_key(table, text[i], &given, adds)
        first += STEPS
    return given


cdef inline int32_t extended(Slots table, int32_t gram, int32_t last, int32_t *given, bint adds) noexcept nogil:
    """Return the id of the n-gram of an (n-1)-gram and what follows it, as `number_key` does; -1 if one is unknown."""
    if (gram | last) < 0:
        return -1
    return number_key(table, pair_key(gram, last), given, adds)


cdef inline int32_t extend_ngrams(Slots table, int32_t *grams, const int32_t *last, Py_ssize_t count, int32_t given,
                                  bint adds, Watch *watching) except -1 nogil:
    """Replace the ids of (n-1)-grams by those of the n-grams that begin there, as `number_ids` gives ids.

    :param last: the ids of the last tokens of the n-grams, or of the (n-1)-grams that end there
    """
    cdef Py_ssize_t first, i
    first = 0
    while first < count:
        for i in range(first, block_end(first, count, watching)):
            grams[i] = extended(table, grams[i], last[i], &given, adds)
        first += STEPS
    return given


cdef inline Py_ssize_t count_ngrams(const int32_t *grams, Py_ssize_t count, int32_t *counts,
                                    NgramCount *found) noexcept nogil:
    """Write the different known n-grams in order of first occurrence; return how many.

    :param counts: 0 before and after
    """
    cdef Py_ssize_t different = 0
    cdef Py_ssize_t i
    for i in range(count):
        if grams[i] >= 0:
            if counts[grams[i]] == 0:
                found[different].ngram = grams[i]
                different += 1
            counts[grams[i]] += 1
    for i in range(different):
        found[i].count = counts[found[i].ngram]
        counts[found[i].ngram] = 0
    return different
