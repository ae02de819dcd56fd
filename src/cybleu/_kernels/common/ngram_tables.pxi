# Open-addressing tables from token ids, and from pairs of n-gram ids, to n-gram ids; and checks of offset arrays.

cdef enum:
    MOST_NGRAMS = 0x1FFFFFFF    # in one numbering: ids are 32 bits
    MOST_TOKENS = 0x7FFFFFFE    # in one text: counts are 32 bits


cdef struct Slot:
    int64_t key         # the token, or a pair
    int32_t ngram       # id, -1 in a free slot
    int32_t best        # the maximum count in one reference


cdef struct Slots:
    Slot *slots
    uint64_t mask       # number of slots - 1; the number is a power of two


cdef inline int64_t pair_key(int32_t first, int32_t second) noexcept nogil:
    return (<int64_t>first << 32) | second


cdef inline Slot *probe(Slots table, int64_t key, Seed seed) noexcept nogil:
    """Return the slot of the key, or the free slot for it."""
    return probe_from(table, key, place_of(table, key, seed))


cdef inline uint64_t place_of(Slots table, int64_t key, Seed seed) noexcept nogil:
    return hash_word(<uint64_t>key, seed) & table.mask


cdef inline Slot *probe_from(Slots table, int64_t key, uint64_t place) noexcept nogil:
    while CYBLEU_UNLIKELY((table.slots[place].key != key) & (table.slots[place].ngram >= 0)):
        place = next_slot(place, table.mask)
    return &table.slots[place]


cdef inline uint64_t size_of(Slots table) noexcept nogil:
    return table.mask + 1


cdef inline void make_empty(Slots *table, Slot *memory, uint64_t count) noexcept nogil:
    """Initialise an empty table in this memory; `count` is a power of two."""
    table.slots = memory
    table.mask = count - 1
    memset(memory, 0xFF, <size_t>count * sizeof(Slot))


cdef inline Py_ssize_t check_offsets(const int64_t[::1] offsets, Py_ssize_t size, Py_ssize_t least) except -1:
    """Check that offsets ascend from 0 to `size` with parts of at least `least`, and return the size of the largest."""
    cdef Py_ssize_t i
    cdef Py_ssize_t largest = 0
    if offsets.shape[0] < 1 or offsets[0] != 0 or offsets[offsets.shape[0] - 1] != size:
        raise ValueError("the offsets do not fit what they divide")
    for i in range(offsets.shape[0] - 1):
        # non-negative, so that the difference does not overflow
        if offsets[i] > offsets[i + 1] or offsets[i + 1] - offsets[i] < least:
            raise ValueError("the offsets do not ascend")
        largest = max(largest, <Py_ssize_t>(offsets[i + 1] - offsets[i]))
    return largest


cdef inline int64_t check_texts(Py_ssize_t size, const int64_t[::1] begins, const int64_t[::1] ends, Py_ssize_t start,
                                Py_ssize_t stop) except -1:
    """Check the bounds of texts `start` to `stop` (exclusive), and return their number of tokens."""
    cdef Py_ssize_t i
    cdef int64_t total = 0
    if begins.shape[0] != ends.shape[0] or not 0 <= start <= stop <= begins.shape[0]:
        raise ValueError("begins and ends do not fit each other")
    for i in range(start, stop):
        if not 0 <= begins[i] <= ends[i] <= size:
            raise ValueError("a text is out of range")
        if ends[i] - begins[i] > MOST_TOKENS:
            raise MemoryError("a text has too many tokens")
        total += ends[i] - begins[i]
    return total


cdef inline Py_ssize_t check_collection(Py_ssize_t size, const int64_t[::1] begins, const int64_t[::1] ends,
                                        Py_ssize_t max_order) except -1:
    """Return the number of tokens of texts that share one numbering of n-grams."""
    cdef int64_t total = check_texts(size, begins, ends, 0, begins.shape[0])
    if max_order < 1:
        raise ValueError("the order is out of range")
    if total > MOST_NGRAMS // max_order:
        raise MemoryError("the texts have too many n-grams")
    return <Py_ssize_t>total


# An n-gram of a text, and how often the text has it.
cdef struct NgramCount:
    int32_t ngram
    int32_t count


cdef inline int32_t number_ids(Slots table, Seed seed, const int64_t *text, Py_ssize_t length, int32_t *ids,
                               int32_t given, bint adds) noexcept nogil:
    """Write the ids of tokens, -1 for unknown ones; with `adds` these get ids from `given` on. Return the next id."""
    cdef Slot *slot
    cdef Py_ssize_t i
    for i in range(length):
        slot = probe(table, text[i], seed)
        if adds and slot.ngram < 0:
            slot.key = text[i]
            slot.ngram = given
            given += 1
        ids[i] = slot.ngram
    return given


cdef inline int32_t extend_ngrams(Slots table, Seed seed, int32_t *grams, const int32_t *last, Py_ssize_t count,
                                  int32_t given, bint adds) noexcept nogil:
    """Replace the ids of (n-1)-grams by those of the n-grams that begin there, as `number_ids` gives ids.

    :param last: the ids of the last tokens of the n-grams
    """
    cdef Slot *slot
    cdef int64_t key
    cdef Py_ssize_t i
    for i in range(count):
        if grams[i] < 0 or last[i] < 0:
            grams[i] = -1
            continue
        key = pair_key(grams[i], last[i])
        slot = probe(table, key, seed)
        if adds and slot.ngram < 0:
            slot.key = key
            slot.ngram = given
            given += 1
        grams[i] = slot.ngram
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
