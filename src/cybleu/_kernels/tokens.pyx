# cython: freethreading_compatible=True
"""Interning of Python tokens.

Only exact ``str``, ``bytes``, ``int``, ``float``, ``bool`` and ``None`` are taken: their hash and equality run no
Python code, cannot fail, and are transitive, so that an id says as much as the token. Equality is that of a dict key:
identity, or equal hash and ``==``. The table's own hash only finds the candidates.
"""

from cpython.list cimport PyList_GET_SIZE
from cpython.object cimport Py_TYPE, PyObject, PyTypeObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cybleu._kernels.common cimport CYBLEU_PREFETCH, CYBLEU_UNLIKELY, allocated
from cybleu._kernels.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.keys cimport CYBLEU_UNDECIDED, cybleu_key, cybleu_slot_of

cdef extern from "Python.h":
    PyObject **PySequence_Fast_ITEMS(object sequence)

cdef extern from *:
    """
    static CYTHON_INLINE int cybleu_is_str(PyObject *token) { return Py_TYPE(token) == &PyUnicode_Type; }

    static CYTHON_INLINE int cybleu_is_plain(PyObject *token) {
        PyTypeObject *type = Py_TYPE(token);
        return type == &PyLong_Type || type == &PyBytes_Type || type == &PyFloat_Type || type == &PyBool_Type
            || token == Py_None;
    }

    /* A str keeps its hash; -1 says that it is not computed yet. Another thread may be writing it on a
       free-threaded build, where the generic call reads it atomically. */
    static CYTHON_INLINE Py_hash_t cybleu_kept_hash(PyObject *text) {
    #ifdef Py_GIL_DISABLED
        (void)text;
        return -1;
    #else
        return ((PyASCIIObject *)text)->hash;
    #endif
    }

    /* Up to CPython 3.11 a str made by the old C interface has no characters until it is first asked for them. */
    static CYTHON_INLINE int cybleu_make_ready(PyObject *text) {
    #if PY_VERSION_HEX < 0x030C0000
        return PyUnicode_READY(text);
    #else
        (void)text;
        return 0;
    #endif
    }

    /* 1, or 0 for a token that is not plain, or -1 with an exception. */
    static CYBLEU_NOINLINE int cybleu_any_key(PyObject *token, cybleu_key *key) {
        if (cybleu_is_str(token)) {
            unsigned int kind;
            size_t size;
            if (cybleu_make_ready(token) < 0) return -1;
            kind = (unsigned int)PyUnicode_KIND(token);
            size = (size_t)PyUnicode_GET_LENGTH(token) * kind;
            if (size < 16) {
                char copy[32] = {0};    /* characters apart from the object have no header before them */
                memcpy(copy + 16, PyUnicode_DATA(token), size);
                cybleu_short_text(copy + 16, size, kind, key);
            }
            else
                cybleu_long_text((const char *)PyUnicode_DATA(token), size, key);
            return 1;
        }
        if (cybleu_is_plain(token)) {
            Py_hash_t hash = PyObject_Hash(token);
            if (hash == -1) return -1;
            key->first = (uint64_t)hash;
            key->second = CYBLEU_UNDECIDED;
            return 1;
        }
        return 0;
    }

    static CYTHON_INLINE int cybleu_key_of(PyObject *token, cybleu_key *key) {
        if (!CYBLEU_UNLIKELY(!cybleu_is_str(token))) {
            /* no branch on whether the text is ASCII: of many languages one word in ten is not */
            unsigned int kind = (unsigned int)PyUnicode_KIND(token);
            size_t size = (size_t)PyUnicode_GET_LENGTH(token) * kind;
            if (!CYBLEU_UNLIKELY(!PyUnicode_IS_COMPACT(token) || size >= 16)) {
                const char *data = (const char *)token + sizeof(PyCompactUnicodeObject);
                data -= (sizeof(PyCompactUnicodeObject) - sizeof(PyASCIIObject)) * (PyUnicode_IS_ASCII(token) != 0);
                cybleu_short_text(data, size, kind, key);
                return 1;
            }
        }
        return cybleu_any_key(token, key);
    }

    /* Spreads a hash over 64 bits: the low ones index, the high ones are the tag. The hash of an int is the int: as it
       is, multiples of a power of two would share a slot. `secret` is an odd number that no author of a text knows. */
    static CYTHON_INLINE uint64_t cybleu_mix(Py_hash_t value, uint64_t secret) {
        uint64_t product = (uint64_t)value * secret;
        product ^= product >> 32;
        product *= 0x9E3779B97F4A7C15ULL;
        return product ^ (product >> 32);
    }

    static CYTHON_INLINE uint64_t cybleu_odd(Py_hash_t hash) { return (uint64_t)hash | 1; }

    /* For two tokens that are not the same object. A str or bytes equals only its like, and asking the interpreter
       would warn of the comparison under -b. */
    static CYTHON_INLINE int cybleu_equal(PyObject *a, PyObject *b) {
        if (cybleu_is_str(a) && cybleu_is_str(b)) {
            Py_ssize_t length = PyUnicode_GET_LENGTH(a);
            return length == PyUnicode_GET_LENGTH(b) && PyUnicode_KIND(a) == PyUnicode_KIND(b)
                && memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), (size_t)length * PyUnicode_KIND(a)) == 0;
        }
        if (cybleu_is_str(a) || cybleu_is_str(b) || PyBytes_CheckExact(a) != PyBytes_CheckExact(b)) return 0;
        return PyObject_RichCompareBool(a, b, Py_EQ);
    }
    """
    bint cybleu_is_str(PyObject *token) noexcept
    bint cybleu_is_plain(PyObject *token) noexcept
    Py_hash_t cybleu_kept_hash(PyObject *text) noexcept
    int cybleu_key_of(PyObject *token, cybleu_key *key) except -1
    uint64_t cybleu_mix(Py_hash_t value, uint64_t secret) noexcept
    uint64_t cybleu_odd(Py_hash_t hash) noexcept
    bint cybleu_equal(PyObject *a, PyObject *b) except -1
    Py_hash_t PyObject_Hash(PyObject *token) except -1


# ---------------------------------------------------------------------------------------------------------- few tokens
#
# A sentence is too short for the processor to learn its branches, and mispredicted ones cost more than all the rest.
# So a token's key is taken without looking at its length, and "new or known" is arithmetic, not a branch. The hash of
# the interpreter, slow on text that was split a moment ago, is not needed; that this one is weak does not matter among
# FEW tokens.

cdef size_t ALL_SLOTS = FEW_SLOTS       # no constant: for these GCC fills memory without the library, and slower


cdef inline int other_key(const FewTokens *table, int number, uint64_t first, uint64_t second) noexcept:
    return ((table.keys[number].first ^ first) | (table.keys[number].second ^ second)) != 0


cdef int probe_on(const FewTokens *table, PyObject *token, const cybleu_key *key, uint64_t *place) except -1:
    """From a slot that another token holds, or that holds an equal key which does not decide yet."""
    cdef int number
    while True:
        number = table.slots[place[0]]
        if number == 0:
            return 0
        if not other_key(table, number, key.first, key.second & ~CYBLEU_UNDECIDED):
            if not key.second & CYBLEU_UNDECIDED or table.tokens[number - 1] == token:
                return number
            if cybleu_equal(table.tokens[number - 1], token):
                return number
        place[0] = (place[0] + 1) & (FEW_SLOTS - 1)


cdef void fetch_tokens(PyObject **tokens, Py_ssize_t count) noexcept:
    """Ask for the memory of the tokens, which is scattered, all at once."""
    cdef Py_ssize_t i
    for i in range(count):
        CYBLEU_PREFETCH(tokens[i])
        CYBLEU_PREFETCH(<char *>tokens[i] + 48)


cdef inline int read_keys(PyObject **tokens, Py_ssize_t count, cybleu_key *keys, uint64_t *places) except -1:
    """The keys of all tokens before any is looked for, so that one does not wait for another."""
    cdef Py_ssize_t i
    for i in range(count):
        if not cybleu_key_of(tokens[i], &keys[i]):
            return 0
        places[i] = cybleu_slot_of(keys[i], FEW_SHIFT)
    return 1


cdef inline int number_at(const FewTokens *table, PyObject *token, const cybleu_key *key,
                          uint64_t *place) except -1:
    """The id of the token, plus 1, or 0 with the place where it would be. What is undecided equals no key here."""
    cdef int number = table.slots[place[0]]
    if CYBLEU_UNLIKELY(number & -other_key(table, number, key.first, key.second)):
        return probe_on(table, token, key, place)
    return number


cdef int assign_few(FewTokens *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) except -1:
    cdef uint64_t places[FEW]
    cdef cybleu_key *keys = table.keys + 1
    cdef Py_ssize_t i
    cdef int number, new
    cdef int distinct = 0
    if not read_keys(tokens, count, keys, places):
        return 0
    memset(table.slots, 0, ALL_SLOTS)
    table.keys[0].first = 0
    table.keys[0].second = 0
    table.tokens = tokens
    for i in range(count):
        number = number_at(table, tokens[i], &keys[i], &places[i])
        new = number == 0
        number |= <int>(i + 1) & -new
        keys[i].second &= ~CYBLEU_UNDECIDED
        table.slots[places[i]] = <uint8_t>number
        distinct += new
        ids[i] = number - 1
    table.distinct = distinct
    return 1


cdef int look_up_few(const FewTokens *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) except -1:
    cdef cybleu_key keys[FEW]
    cdef uint64_t places[FEW]
    cdef Py_ssize_t i
    if not read_keys(tokens, count, keys, places):
        return 0
    for i in range(count):
        ids[i] = number_at(table, tokens[i], &keys[i], &places[i]) - 1
    return 1


# --------------------------------------------------------------------------------------------------------- many tokens
#
# By the interpreter's hash and a secret of this process, so that nobody can make many tokens collide who does not make
# their hashes equal. Hashes are gathered a block ahead of the probes, so that the memory of many slots is on its way at
# once.

cdef uint64_t SECRET = cybleu_odd(hash("cybleu"))


cdef uint64_t secret() noexcept nogil:
    return SECRET


cdef enum:
    BLOCK = 32
    BLOCK_AND_ONE = 33  # a place to write ahead


cdef uint64_t slots_needed(Py_ssize_t count) noexcept nogil:
    """The smallest power of two that leaves at least half of the slots free."""
    cdef uint64_t slots = 16
    while slots < 2 * <uint64_t>count:
        slots *= 2
    return slots


cdef inline bint same_token(PyObject *candidate, PyObject *token) except -1:
    return candidate == token or cybleu_equal(candidate, token)


cdef inline int32_t find(const TokenTable *table, PyObject *token, uint64_t mixed, uint64_t *slot) except -2:
    """The id of the token, or -1 with the free slot that it would take."""
    cdef uint64_t place = mixed & table.mask
    cdef uint64_t entry
    cdef PyObject *candidate
    while True:
        entry = table.slots[place]
        if entry == 0:
            slot[0] = place
            return -1
        if (entry ^ mixed) >> 32 == 0:
            candidate = table.tokens[<uint32_t>entry - 1]
            if same_token(candidate, token):
                return <int32_t>(<uint32_t>entry - 1)
        place = (place + 1) & table.mask


cdef inline int32_t add(TokenTable *table, PyObject *token, uint64_t mixed, uint64_t slot) noexcept:
    cdef int32_t token_id = table.size
    table.tokens[token_id] = token
    table.size = token_id + 1
    table.slots[slot] = (mixed >> 32) << 32 | <uint64_t>(token_id + 1)
    return token_id


cdef inline int hash_of(PyObject *token, uint64_t *mixed) except -1:
    cdef Py_hash_t value
    if cybleu_is_str(token):
        value = cybleu_kept_hash(token)
        if CYBLEU_UNLIKELY(value == -1):
            value = PyObject_Hash(token)
    elif cybleu_is_plain(token):
        value = PyObject_Hash(token)
    else:
        return 0
    mixed[0] = cybleu_mix(value, SECRET)
    return 1


cdef inline int gather(const TokenTable *table, PyObject **tokens, Py_ssize_t count, uint64_t *mixed) except -1:
    cdef Py_ssize_t i
    for i in range(count):
        if not hash_of(tokens[i], &mixed[i]):
            return 0
        CYBLEU_PREFETCH(&table.slots[mixed[i] & table.mask])
    return 1


cdef inline int number_many(TokenTable *table, PyObject **tokens, Py_ssize_t count, int32_t *ids,
                            bint adds) except -1:
    """The ids of tokens; where they have none, a new one if it `adds`, or else -1."""
    cdef uint64_t mixed[BLOCK]
    cdef Py_ssize_t known[BLOCK_AND_ONE]
    cdef Py_ssize_t waiting[BLOCK_AND_ONE]
    cdef uint64_t entry, new
    cdef uint64_t slot = 0
    cdef Py_ssize_t i, k, size, found, waited, other
    cdef Py_ssize_t start = 0
    while start < count:
        size = min(BLOCK, count - start)
        fetch_tokens(tokens + size, min(BLOCK, count - start - size))
        if not gather(table, tokens, size, mixed):
            return 0
        # equal tags are taken for equal tokens until the block is done; what finds another tag waits for that too
        found = 0
        waited = 0
        for i in range(size):
            slot = mixed[i] & table.mask
            entry = table.slots[slot]
            new = <uint64_t>(entry == 0)
            other = (entry != 0) & ((entry ^ mixed[i]) >> 32 != 0)
            if adds:
                table.tokens[table.size] = tokens[i]
                entry |= <uint64_t>(-<int64_t>new) & ((mixed[i] >> 32) << 32 | <uint64_t>(table.size + 1))
                table.slots[slot] = entry
                table.size += <int32_t>new
            ids[i] = <int32_t>(<uint32_t>entry - 1)     # -1 for a free slot
            CYBLEU_PREFETCH(table.tokens[ids[i]])
            waiting[waited] = i
            waited += other
            known[found] = i
            found += 1 - <Py_ssize_t>new - other
        for i in range(found):
            if not same_token(table.tokens[ids[known[i]]], tokens[known[i]]):
                waiting[waited] = known[i]
                waited += 1
        for i in range(waited):
            k = waiting[i]
            ids[k] = find(table, tokens[k], mixed[k], &slot)
            if adds and ids[k] < 0:
                ids[k] = add(table, tokens[k], mixed[k], slot)
        tokens += size
        ids += size
        start += BLOCK
    return 1


cdef int assign_many(TokenTable *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) except -1:
    return number_many(table, tokens, count, ids, True)


cdef int look_up_many(TokenTable *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) except -1:
    return number_many(table, tokens, count, ids, False)


# --------------------------------------------------------------------------------------------------------------- lists

def number_tokens(list tokens not None, int32_t[::1] ids not None):
    """Numbers from 0 for the tokens of a list, equal ones for equal tokens, in an order that means nothing.

    The list is one that nobody else has, of so few tokens that nobody waits for them.

    :param ids: `(tokens,)`, filled
    :return: how many different tokens there are, or None if one is not of a plain type
    """
    cdef TokenTable table
    cdef Py_ssize_t count = PyList_GET_SIZE(tokens)
    cdef char *memory
    cdef uint64_t slots = slots_needed(count)
    cdef size_t table_size = <size_t>slots * sizeof(uint64_t)
    if ids.shape[0] != count:
        raise ValueError("there must be an id for each token")
    if count == 0:
        return 0
    memory = <char *>allocated(malloc(table_size + <size_t>(count + 2) * sizeof(PyObject *)))
    try:
        memset(memory, 0, table_size + sizeof(PyObject *))
        table.slots = <uint64_t *>memory
        table.mask = slots - 1
        table.tokens = <PyObject **>(memory + table_size) + 1
        table.size = 0
        if not assign_many(&table, PySequence_Fast_ITEMS(tokens), count, &ids[0]):
            return None
        return table.size
    finally:
        free(memory)


def types_within(texts):
    """The types of the tokens of all texts."""
    cdef Watch watching = begin_watch()
    cdef set types = set()
    cdef PyTypeObject *last = NULL
    for text in texts:
        if type(text) is list:
            for token in <list>text:
                last = add_type(types, token, last)
                watch(&watching, 1)
        else:
            for token in text:
                last = add_type(types, token, last)
                watch(&watching, 1)
    return types


cdef inline PyTypeObject *add_type(set types, object token, PyTypeObject *last):
    cdef PyTypeObject *found = Py_TYPE(token)
    if found != last:
        types.add(<object>found)
    return found
