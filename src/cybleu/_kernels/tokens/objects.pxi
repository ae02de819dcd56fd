# Number Python tokens. Within a table, tokens are equal if and only if their ids are equal.
#
# Only exact ``str`` and ``int`` of 64 bits are plain: their equality runs no Python code, and is that of their keys, or
# for a ``str`` of 16 bytes or more that of its characters.

cdef enum:
    FEW = 64
    FEW_SHIFT = 55      # of a 64-bit hash to a slot
    FEW_TOKEN_SLOTS = 512     # sparsely used, because collisions cause branch mispredictions
    FEW_AND_ONE = 65


# For up to FEW tokens, on the stack. The id of a token is the position of the first one that equals it.
cdef struct FewTokens:
    uint8_t slots[FEW_TOKEN_SLOTS]        # open addressing: 0 is free, otherwise id + 1
    cybleu_key keys[FEW_AND_ONE]    # by id + 1, without the mark CYBLEU_UNDECIDED
    PyObject **tokens               # borrowed
    int distinct                    # number of ids


# For any number of tokens.
cdef struct TokenTable:
    uint64_t *slots       # open addressing: 0 is free, otherwise tag << 32 | id + 1
    uint64_t mask         # number of slots - 1; the number is a power of two, at least twice the tokens
    cybleu_key *keys      # id -> key
    PyObject **tokens     # id -> its first token, borrowed
    int32_t size          # number of ids


cdef extern from "Python.h":
    PyObject **PySequence_Fast_ITEMS(object sequence)


cdef extern from *:
    """
    #define CYBLEU_INT CYBLEU_FIRST_BYTE(7)     /* of no str */

    /* 1, or 0 for a token that is not plain. */
    static CYBLEU_NOINLINE int cybleu_other_key(PyObject *token, cybleu_seed seed, cybleu_key *key) {
        if (PyUnicode_CheckExact(token)) {
            size_t size = (size_t)PyUnicode_GET_LENGTH(token) * PyUnicode_KIND(token);
            if (!PyUnicode_IS_COMPACT(token)) return 0;     /* up to CPython 3.11, of the old C interface */
            key->first = cybleu_hash_bytes((const char *)PyUnicode_DATA(token), size, seed);
            key->second = CYBLEU_UNDECIDED;
            return 1;
        }
        if (PyLong_CheckExact(token)) {
            int overflow;
            key->first = (uint64_t)PyLong_AsLongLongAndOverflow(token, &overflow);
            key->second = CYBLEU_INT;
            return !overflow;
        }
        return 0;
    }

    /* The value of an int that the interpreter keeps in one digit. */
    static CYTHON_INLINE int cybleu_small_int(PyObject *integer, uint64_t *value) {
    #if PY_VERSION_HEX >= 0x030C0000
        if (!PyUnstable_Long_IsCompact((PyLongObject *)integer)) return 0;
        *value = (uint64_t)PyUnstable_Long_CompactValue((PyLongObject *)integer);
    #else
        Py_ssize_t size = Py_SIZE(integer);
        if (size < -1 || size > 1) return 0;
        *value = (uint64_t)((int64_t)size * (int64_t)((PyLongObject *)integer)->ob_digit[0]);
    #endif
        return 1;
    }

    static CYTHON_INLINE int cybleu_key_of(PyObject *token, cybleu_seed seed, cybleu_key *key) {
        if (!CYBLEU_UNLIKELY(!PyUnicode_CheckExact(token))) {
            /* no branch on whether the text is ASCII: in many languages one word in ten is not */
            unsigned int kind = (unsigned int)PyUnicode_KIND(token);
            size_t size = (size_t)PyUnicode_GET_LENGTH(token) * kind;
            if (!CYBLEU_UNLIKELY(!PyUnicode_IS_COMPACT(token) || size >= 16)) {
                const char *data = (const char *)token + sizeof(PyCompactUnicodeObject);
                data -= (sizeof(PyCompactUnicodeObject) - sizeof(PyASCIIObject)) * (PyUnicode_IS_ASCII(token) != 0);
                cybleu_short_text(data, size, kind, key);
                return 1;
            }
        }
        else if (PyLong_CheckExact(token) && cybleu_small_int(token, &key->first)) {
            key->second = CYBLEU_INT;
            return 1;
        }
        return cybleu_other_key(token, seed, key);
    }

    /* For tokens with equal keys that do not decide, which long str alone have. */
    static CYTHON_INLINE int cybleu_equal(PyObject *a, PyObject *b) {
        Py_ssize_t length = PyUnicode_GET_LENGTH(a);
        return a == b || (length == PyUnicode_GET_LENGTH(b) && PyUnicode_KIND(a) == PyUnicode_KIND(b)
            && memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), (size_t)length * PyUnicode_KIND(a)) == 0);
    }
    """
    bint cybleu_key_of(PyObject *token, Seed seed, cybleu_key *key) noexcept
    bint cybleu_equal(PyObject *a, PyObject *b) noexcept


# ---------------------------------------------------------------------------------------------------------- few tokens
#
# A sentence is too short for branch prediction, and mispredicted branches dominate the cost. So keys are computed
# without branches on the length, and "new or known" is arithmetic.


cdef size_t ALL_SLOTS = FEW_TOKEN_SLOTS       # not a constant: GCC would replace memset by slower inline code


cdef inline int other_key(const cybleu_key *one, uint64_t first, uint64_t second) noexcept:
    return ((one.first ^ first) | (one.second ^ second)) != 0


cdef int probe_on(const FewTokens *table, PyObject *token, const cybleu_key *key, uint64_t *place) noexcept:
    """Probe from a slot that holds another token, or a key that does not decide."""
    cdef int number = table.slots[place[0]]
    while number != 0:
        if not other_key(&table.keys[number], key.first, key.second & ~CYBLEU_UNDECIDED):
            if not key.second & CYBLEU_UNDECIDED or cybleu_equal(table.tokens[number - 1], token):
                break
        place[0] = next_slot(place[0], FEW_TOKEN_SLOTS - 1)
        number = table.slots[place[0]]
    return number


# Functions that return an int return 1, or 0 if a token is not plain. Unknown tokens get the id -1, or a new one where
# they are assigned. No Python code runs, so references borrowed from a list stay valid while the GIL is held.
cdef void fetch_tokens(PyObject **tokens, Py_ssize_t count) noexcept:
    """Prefetch the tokens, whose memory is scattered."""
    cdef Py_ssize_t i
    for i in range(count):
        CYBLEU_PREFETCH(tokens[i])
        CYBLEU_PREFETCH(<char *>tokens[i] + 48)


cdef inline int read_keys(PyObject **tokens, Py_ssize_t count, cybleu_key *keys, uint64_t *places) noexcept:
    """Compute the keys of all tokens before probing, to avoid dependency chains."""
    cdef Seed seed = SEED
    cdef Py_ssize_t i
    for i in range(count):
        if not cybleu_key_of(tokens[i], seed, &keys[i]):
            return 0
        places[i] = mix_pair(keys[i].first, keys[i].second, seed) >> FEW_SHIFT
    return 1


cdef inline int number_at(const FewTokens *table, PyObject *token, const cybleu_key *key, uint64_t *place) noexcept:
    """Return the id of the token plus 1, or 0 and its free slot. Undecided keys never match directly."""
    cdef int number = table.slots[place[0]]
    if CYBLEU_UNLIKELY(number & -other_key(&table.keys[number], key.first, key.second)):
        return probe_on(table, token, key, place)
    return number


cdef inline int assign_tokens(FewTokens *table, PyObject **tokens, Py_ssize_t count, int32_t *ids,
                              bint stay) noexcept:
    cdef uint64_t places[FEW]
    cdef cybleu_key *keys = table.keys + 1
    cdef Py_ssize_t i
    cdef int number, new
    cdef int distinct = 0
    if not read_keys(tokens, count, keys, places):
        return 0
    memset(table.slots, 0, ALL_SLOTS)
    table.keys[0].first = table.keys[0].second = 0
    table.tokens = tokens
    for i in range(count):
        if not stay and keys[i].second & CYBLEU_UNDECIDED:
            return 0
        number = number_at(table, tokens[i], &keys[i], &places[i])
        new = number == 0
        number |= <int>(i + 1) & -new
        keys[i].second &= ~CYBLEU_UNDECIDED
        table.slots[places[i]] = <uint8_t>number
        distinct += new
        ids[i] = number - 1
    table.distinct = distinct
    return 1


# For a list or tuple `text`, which is locked while it is read; 0 also if it has more than FEW tokens or another type.
# Tokens that a table must compare are those of the first text; it must outlive the table, and be a tuple where other
# threads can change a list.
cdef int assign_few(FewTokens *table, object text, Py_ssize_t *size, int32_t *ids) noexcept:
    cdef PyObject **tokens
    cdef int taken = 0
    with cython.critical_section(text):
        if cybleu_items(<PyObject *>text, &tokens, size) and size[0] <= FEW:
            taken = assign_tokens(table, tokens, size[0], ids, not CYBLEU_OTHER_THREADS_RUN or type(text) is tuple)
    return taken


cdef int look_up_few(const FewTokens *table, object text, Py_ssize_t *size, int32_t *ids) noexcept:
    cdef cybleu_key keys[FEW]
    cdef uint64_t places[FEW]
    cdef PyObject **tokens
    cdef Py_ssize_t i
    cdef int taken = 0
    with cython.critical_section(text):
        if (cybleu_items(<PyObject *>text, &tokens, size) and size[0] <= FEW
                and read_keys(tokens, size[0], keys, places)):
            for i in range(size[0]):
                ids[i] = number_at(table, tokens[i], &keys[i], &places[i]) - 1
            taken = 1
    return taken


# --------------------------------------------------------------------------------------------------------- many tokens
cdef uint64_t slots_needed(Py_ssize_t count) noexcept nogil:
    """Return the smallest power of two that leaves at least half of the slots free."""
    cdef uint64_t slots = 16
    while slots < 2 * <uint64_t>count:
        slots *= 2
    return slots


# For texts of any length. An empty table for `count` tokens is made in memory of this size in bytes.
cdef uint64_t token_table_size(Py_ssize_t count) noexcept nogil:
    return slots_needed(count) * sizeof(uint64_t) + <uint64_t>count * (sizeof(cybleu_key) + sizeof(PyObject *))


cdef void make_token_table(TokenTable *table, void *memory, Py_ssize_t count) noexcept:
    cdef uint64_t slots = slots_needed(count)
    table.slots = <uint64_t *>memory
    table.mask = slots - 1
    table.keys = <cybleu_key *>(table.slots + slots)
    table.tokens = <PyObject **>(table.keys + count)
    table.size = 0
    memset(table.slots, 0, <size_t>slots * sizeof(uint64_t))


cdef inline bint same_token(const TokenTable *table, uint32_t number, PyObject *token,
                            const cybleu_key *key) noexcept:
    if other_key(&table.keys[number], key.first, key.second):
        return False
    return not key.second & CYBLEU_UNDECIDED or cybleu_equal(table.tokens[number], token)


cdef inline int32_t number_one(TokenTable *table, PyObject *token, const cybleu_key *key, uint64_t hash,
                               bint adds) noexcept:
    cdef uint64_t place = hash & table.mask
    cdef uint64_t entry = table.slots[place]
    while entry != 0:
        if (entry ^ hash) >> 32 == 0 and same_token(table, <uint32_t>entry - 1, token, key):
            return <int32_t>(<uint32_t>entry - 1)
        place = next_slot(place, table.mask)
        entry = table.slots[place]
    if not adds:
        return -1
    table.tokens[table.size] = token
    table.keys[table.size] = key[0]
    table.size += 1
    table.slots[place] = (hash >> 32) << 32 | <uint64_t>table.size
    return table.size - 1


cdef inline int number_many(TokenTable *table, PyObject **tokens, Py_ssize_t count, int32_t *ids, bint adds) noexcept:
    """Number tokens in blocks, to prefetch their slots."""
    cdef cybleu_key keys[FEW]
    cdef uint64_t hashes[FEW]
    cdef Py_ssize_t start, size, i
    for start in range(0, count, FEW):
        size = min(<Py_ssize_t>FEW, count - start)
        fetch_tokens(tokens + start, size)
        for i in range(size):
            if not cybleu_key_of(tokens[start + i], SEED, &keys[i]):
                return 0
            hashes[i] = hash_pair(keys[i].first, keys[i].second, SEED)
            CYBLEU_PREFETCH(&table.slots[hashes[i] & table.mask])
        for i in range(size):
            ids[start + i] = number_one(table, tokens[start + i], &keys[i], hashes[i], adds)
    return 1


cdef int assign_many(TokenTable *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) noexcept:
    return number_many(table, tokens, count, ids, True)


# The same for a list or tuple, which is locked meanwhile; 0 also if it has another size or type.
cdef int number_text(TokenTable *table, object text, Py_ssize_t size, int32_t *ids, bint adds) noexcept:
    cdef PyObject **tokens
    cdef Py_ssize_t count = 0
    cdef int taken = 0
    with cython.critical_section(text):
        if cybleu_items(<PyObject *>text, &tokens, &count) and count == size:
            if adds:
                taken = number_many(table, tokens, size, ids, True)
            else:
                taken = number_many(table, tokens, size, ids, False)
    return taken


# --------------------------------------------------------------------------------------------------------------- lists
def number_tokens(list tokens not None, int32_t[::1] ids not None):
    """Write an id for each token of a list, from 0 on in arbitrary order.

    The list must not be shared with other threads, and be short, because there is no check for interrupts.

    :param ids: array of shape `(tokens,)`, filled
    :return: the number of distinct tokens, or None if one is not plain
    """
    cdef TokenTable table
    cdef Py_ssize_t count = PyList_GET_SIZE(tokens)
    cdef void *memory
    if ids.shape[0] != count:
        raise ValueError("there must be an id for each token")
    if count == 0:
        return 0
    memory = new_bytes(token_table_size(count))
    make_token_table(&table, memory, count)
    try:
        return table.size if assign_many(&table, PySequence_Fast_ITEMS(tokens), count, &ids[0]) else None
    finally:
        free(memory)


def types_within(texts):
    """Return the set of types of the tokens of all texts."""
    cdef Watch watching = begin_watch()
    cdef set types = set()
    cdef PyTypeObject *last = NULL
    for text in texts:
        for token in text:
            last = add_type(types, token, last)
        watch(&watching, 64)
    return types


cdef inline PyTypeObject *add_type(set types, object token, PyTypeObject *last):
    cdef PyTypeObject *found = Py_TYPE(token)
    if found != last:
        types.add(<object>found)
    return found
