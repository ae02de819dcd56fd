# Tables that number keys: token ids, and n-grams as pairs of an (n-1)-gram and what follows it.
#
# Offers: `KeyTable` with `slots_for` keys, `make_keys`, `forget_keys` and `number_of` a key, from 1 on; `number_ids` of
# a text, `number_all` of several, `extended` and `extend_ngrams` for n-grams, from 0 on; `pair_key`; `NgramCount`,
# which `count_ngrams` writes.

cdef enum:
    MOST_NGRAMS = 0x1FFFFFFF    # in one numbering: ids are 32 bits
    FEW_KEYS = 1024     # whose table fits the cache also if it is sparse, so that fewer branches are mispredicted


cdef struct KeyTable:
    int32_t *numbers            # by slot, 0 in a free one
    uint64_t *keys              # by number; 0 for number 0
    uint64_t mask
    uint64_t width              # of direct addressing: each key has a slot, of a pair by its halves; otherwise 0


# An n-gram of a text, and how often the text has it.
cdef struct NgramCount:
    int32_t ngram
    int32_t count


cdef inline uint64_t pair_key(int32_t first, int32_t second) noexcept nogil:
    """Return the key of an n-gram: an (n-1)-gram and the next token, or the (n-1)-gram that ends there."""
    return <uint64_t>first << 32 | <uint64_t><uint32_t>second


cdef inline uint64_t slots_for(Py_ssize_t count) noexcept nogil:
    """Return how many slots are used for so many keys, at most; never more for fewer keys."""
    return max(2 * slots_needed(count), 4 * slots_needed(min(count, <Py_ssize_t>FEW_KEYS)))


cdef inline int forget_keys(KeyTable *table, uint64_t slots, Watch *watching) except -1 nogil:
    """Make the table empty, with so many of its slots, a power of two."""
    cdef Py_ssize_t first = 0
    cdef Py_ssize_t size
    table.mask = slots - 1
    table.keys[0] = 0
    while first < <Py_ssize_t>slots:       # the first access to new memory is slow
        size = block_end(first, <Py_ssize_t>slots, watching) - first
        clear_items(table.numbers + first, size)
        first += STEPS
    return 0


cdef int make_keys(KeyTable *table, Py_ssize_t count, Watch *watching) except -1 nogil:
    """Allocate an empty table for so many keys; its arrays are NULL before."""
    cdef uint64_t slots = slots_for(count)
    table.numbers = <int32_t *>new_array(<Py_ssize_t>slots, sizeof(int32_t))
    table.keys = <uint64_t *>new_array(count + 1, sizeof(uint64_t))
    return forget_keys(table, slots, watching)


cdef inline bint key_table_holds_other(const void *table, const void *key, uint64_t slot) noexcept nogil:
    """Implement `HoldsOther` for a KeyTable and a uint64."""
    cdef int32_t number = (<const KeyTable *>table).numbers[slot]
    return number != 0 and (<const KeyTable *>table).keys[number] != (<const uint64_t *>key)[0]


cdef inline int32_t number_of(const KeyTable *table, uint64_t key, int32_t *given, bint adds,
                              bint direct) noexcept nogil:
    """Return the number of a key; if it is unknown 0, or with `adds` the one after `given`."""
    cdef uint64_t place = (key >> 32) * table.width + <uint32_t>key if direct else hash_word(key) & table.mask
    cdef int32_t number = table.numbers[place]
    cdef int32_t new
    if not direct and CYBLEU_UNLIKELY(number & -<int32_t>(table.keys[number] != key)):
        place = probe_on(table, &key, key_table_holds_other, place, table.mask)
        number = table.numbers[place]
    if adds:
        if not direct:
            table.keys[given[0] + 1] = key
        new = number == 0
        given[0] += new
        number |= given[0] & -new
        table.numbers[place] = number
    return number


cdef inline int32_t number_each_id(const KeyTable *table, const token_id *text, Py_ssize_t length, int32_t *ids,
                                   int32_t given, bint adds, Watch *watching) except -1 nogil:
    """Implement `number_ids`."""
    cdef Py_ssize_t first, last, i
    cdef uint32_t key
    first = 0
    while first < length:
        last = block_end(first, length, watching)
        if table.width > 0:     # in loops of their own
            for i in range(first, last):
                key = <uint32_t>text[i] & <uint32_t>table.mask  # in the table even if another thread changes the id
                if adds:
                    table.keys[given + 1] = key
                ids[i] = number_of(table, key, &given, adds, True) - 1
        else:
            for i in range(first, last):
                ids[i] = number_of(table, <uint64_t>text[i], &given, adds, False) - 1
        first = last
    return given


cdef inline int32_t number_ids(const KeyTable *table, TokenTexts texts, Py_ssize_t text, int32_t *ids, int32_t given,
                               bint adds, Watch *watching) except -1 nogil:
    """Write numbers for the tokens of a text, -1 for unknown ones; with `adds` these get numbers from `given` on.

    :return: the next number
    """
    cdef Py_ssize_t length = texts.length(text)
    if length == 0:
        return given
    if texts.narrow is None:
        return number_each_id(table, &texts.wide[texts.starts[text]], length, ids, given, adds, watching)
    return number_each_id(table, &texts.narrow[texts.starts[text]], length, ids, given, adds, watching)


cdef int32_t number_all(const KeyTable *table, TokenTexts texts, int32_t *ids, Watch *watching) except -1 nogil:
    """Write numbers for the tokens of all texts, at their places in `texts.ids`, and return how many there are."""
    cdef int32_t given = 0
    cdef Py_ssize_t text
    for text in range(texts.size):
        given = number_ids(table, texts, text, ids + texts.starts[text], given, True, watching)
        watch(watching, 8 + texts.length(text))
    return given


cdef inline int32_t extended(const KeyTable *table, int32_t gram, int32_t last, int32_t *given,
                             bint adds) noexcept nogil:
    """Return the id of the n-gram of an (n-1)-gram and what follows it, as `number_ids` does; -1 if one is unknown."""
    if (gram | last) < 0:
        return -1
    return number_of(table, pair_key(gram, last), given, adds, False) - 1


cdef inline int32_t extend_ngrams(const KeyTable *table, int32_t *grams, const int32_t *last, Py_ssize_t count,
                                  int32_t given, bint adds, Watch *watching) except -1 nogil:
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
