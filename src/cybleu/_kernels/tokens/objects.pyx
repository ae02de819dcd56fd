# cython: freethreading_compatible=True
"""Interning of Python tokens.

Only exact ``str``, ``bytes``, ``int``, ``float``, ``bool`` and ``None`` are accepted: their hash and equality run no
Python code, cannot fail, and are transitive, so that ids are equivalent to tokens. Equality is that of a dict key:
identity, or equal hash and ``==``. The table's own hash only finds the candidates.
"""

from cpython.list cimport PyList_GET_SIZE
from cpython.object cimport Py_TYPE, PyObject, PyTypeObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cybleu._kernels.common.base cimport (
    CYBLEU_PREFETCH, CYBLEU_UNLIKELY, Lock, allocated, begin_lock, cybleu_items, end_lock
)
from cybleu._kernels.common.bits cimport cybleu_lowest_bit
from cybleu._kernels.common.hashing cimport (
    CYBLEU_UNDECIDED, Seed, cybleu_key, hash_word, mix_pair, next_slot, process_seed
)
from cybleu._kernels.common.interrupts cimport Watch, begin_watch, watch

cdef extern from "Python.h":
    PyObject **PySequence_Fast_ITEMS(object sequence)

cdef extern from *:
    """
    #include <math.h>

    static CYTHON_INLINE int cybleu_is_str(PyObject *token) { return Py_TYPE(token) == &PyUnicode_Type; }

    static CYTHON_INLINE int cybleu_is_plain(PyObject *token) {
        PyTypeObject *type = Py_TYPE(token);
        return type == &PyLong_Type || type == &PyBytes_Type || type == &PyFloat_Type || type == &PyBool_Type
            || token == Py_None;
    }

    /* A str caches its hash; -1 means that it is not computed yet. Another thread may be writing it on a
       free-threaded build, where the generic call reads it atomically. */
    static CYTHON_INLINE Py_hash_t cybleu_kept_hash(PyObject *text) {
    #ifdef Py_GIL_DISABLED
        (void)text;
        return -1;
    #else
        return ((PyASCIIObject *)text)->hash;
    #endif
    }

    /* Up to CPython 3.11 a str made by the old C interface has no characters until it is made ready. */
    static CYTHON_INLINE int cybleu_make_ready(PyObject *text) {
    #if PY_VERSION_HEX < 0x030C0000
        return PyUnicode_READY(text);
    #else
        (void)text;
        return 0;
    #endif
    }

    /* An int beyond 64 bits as the bytes of its two's complement, at least 16. */
    static int cybleu_hash_large(PyObject *integer, cybleu_seed seed, uint64_t *hash) {
        char few[64];
        char *data = few;
        size_t size;
        int failed;
    #if PY_VERSION_HEX >= 0x030D0000
        Py_ssize_t needed = PyLong_AsNativeBytes(integer, NULL, 0, -1);
        if (needed < 0) return -1;
        size = (size_t)needed;
    #else
        size = _PyLong_NumBits(integer) / 8 + 1;
    #endif
        if (size < 16) size = 16;
        if (size > sizeof(few) && (data = (char *)PyMem_Malloc(size)) == NULL) {
            PyErr_NoMemory();
            return -1;
        }
    #if PY_VERSION_HEX >= 0x030D0000
        failed = PyLong_AsNativeBytes(integer, data, (Py_ssize_t)size, -1) < 0;
    #else
        failed = _PyLong_AsByteArray((PyLongObject *)integer, (unsigned char *)data, size, 1, 1) < 0;
    #endif
        if (!failed) *hash = cybleu_hash_bytes(data, size, seed);
        if (data != few) PyMem_Free(data);
        return failed ? -1 : 0;
    }

    /* Equal numbers have equal hashes, whatever their types. CPython's hash of a number is a
       remainder, so colliding numbers can be crafted. */
    static CYBLEU_NOINLINE int cybleu_hash_number(PyObject *number, cybleu_seed seed, uint64_t *hash) {
        if (PyLong_Check(number)) {
            int overflow;
            long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
            if (overflow) return cybleu_hash_large(number, seed, hash);
            if (value == -1 && PyErr_Occurred()) return -1;
            *hash = (uint64_t)value;
        }
        else {
            double value = PyFloat_AS_DOUBLE(number);
            if (value >= -9223372036854775808.0 && value < 9223372036854775808.0 && value == (double)(long long)value)
                *hash = (uint64_t)(long long)value;
            else if (value == floor(value) && value - value == 0) {
                PyObject *integer = PyLong_FromDouble(value);
                int failed = integer == NULL || cybleu_hash_large(integer, seed, hash) < 0;
                Py_XDECREF(integer);
                return failed ? -1 : 0;
            }
            else if (value == value)
                memcpy(hash, &value, 8);
            else
                *hash = (uint64_t)(uintptr_t)number;    /* a NaN equals itself alone */
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

    /* Compute the hash to be mixed for a table: 1, or 0 for a token that is not plain, or -1 with an exception. */
    static CYTHON_INLINE int cybleu_hash_plain(PyObject *token, cybleu_seed seed, uint64_t *hash) {
        Py_hash_t found;
        if (PyLong_CheckExact(token) && cybleu_small_int(token, hash)) return 1;
        if (!cybleu_is_plain(token)) return 0;
        if (PyLong_Check(token) || PyFloat_Check(token)) return cybleu_hash_number(token, seed, hash) < 0 ? -1 : 1;
        found = PyObject_Hash(token);
        *hash = (uint64_t)found;
        return found == -1 ? -1 : 1;
    }

    /* 1, or 0 for a token that is not plain, or -1 with an exception. */
    static CYBLEU_NOINLINE int cybleu_any_key(PyObject *token, cybleu_seed seed, cybleu_key *key) {
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
            else {
                key->first = cybleu_hash_bytes((const char *)PyUnicode_DATA(token), size, seed);
                key->second = CYBLEU_UNDECIDED;
            }
            return 1;
        }
        key->second = CYBLEU_UNDECIDED;
        return cybleu_hash_plain(token, seed, &key->first);
    }

    static CYTHON_INLINE int cybleu_key_of(PyObject *token, cybleu_seed seed, cybleu_key *key) {
        if (!CYBLEU_UNLIKELY(!cybleu_is_str(token))) {
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
        return cybleu_any_key(token, seed, key);
    }

    /* For distinct objects. A str or bytes equals only objects of its own type, and PyObject_RichCompare would warn
       under -b. */
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
    int cybleu_hash_plain(PyObject *token, Seed seed, uint64_t *hash) except -1
    int cybleu_key_of(PyObject *token, Seed seed, cybleu_key *key) except -1
    bint cybleu_equal(PyObject *a, PyObject *b) except -1
    Py_hash_t PyObject_Hash(PyObject *token) except -1
    void Py_INCREF(PyObject *kept) noexcept
    void Py_DECREF(PyObject *released) noexcept


# ---------------------------------------------------------------------------------------------------------- few tokens
#
# A sentence is too short for branch prediction, and mispredicted branches dominate the cost. So keys are computed
# without branches on the length, and "new or known" is arithmetic. CPython's hash, which is not yet cached in tokens
# that were just split, is not required.

cdef Seed SEED = process_seed()         # a copy, because a call is slow compared with a sentence
cdef size_t ALL_SLOTS = FEW_SLOTS       # not a constant: GCC would replace memset by slower inline code


cdef inline int other_key(const FewTokens *table, int number, uint64_t first, uint64_t second) noexcept:
    return ((table.keys[number].first ^ first) | (table.keys[number].second ^ second)) != 0


cdef int probe_on(const FewTokens *table, PyObject *token, const cybleu_key *key, uint64_t *place) except -1:
    """Probe from a slot that holds another token, or an equal key that requires a comparison."""
    cdef int probed = 0
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
        place[0] = next_slot(place[0], FEW_SLOTS - 1, &probed)


cdef void fetch_tokens(PyObject **tokens, Py_ssize_t count) noexcept:
    """Prefetch the tokens, whose memory is scattered."""
    cdef Py_ssize_t i
    for i in range(count):
        CYBLEU_PREFETCH(tokens[i])
        CYBLEU_PREFETCH(<char *>tokens[i] + 48)


cdef inline int read_keys(PyObject **tokens, Py_ssize_t count, cybleu_key *keys, uint64_t *places) except -1:
    """Compute the keys of all tokens before probing, to avoid dependency chains."""
    cdef Seed seed = SEED
    cdef Py_ssize_t i
    for i in range(count):
        if not cybleu_key_of(tokens[i], seed, &keys[i]):
            return 0
        places[i] = mix_pair(keys[i].first, keys[i].second, seed) >> FEW_SHIFT
    return 1


cdef inline int number_at(const FewTokens *table, PyObject *token, const cybleu_key *key,
                          uint64_t *place) except -1:
    """Return the id of the token plus 1, or 0 and its free slot. Undecided keys never match directly."""
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


cdef inline int few_items(PyObject *text, PyObject ***tokens, Py_ssize_t *size) noexcept:
    if not cybleu_items(text, tokens, size):
        size[0] = -1
        return 0
    if size[0] > FEW:
        return 0
    fetch_tokens(tokens[0], size[0])
    return 1


cdef int assign_locked(LockedTokens *locked, PyObject *text, Py_ssize_t *size, int32_t *ids) except -1:
    cdef PyObject **tokens
    cdef uint64_t held = 0
    cdef Lock lock
    cdef Py_ssize_t i
    locked.held = 0
    begin_lock(&lock, text)
    try:
        if not few_items(text, &tokens, size) or not assign_few(&locked.table, tokens, size[0], ids):
            return 0
        for i in range(size[0]):
            # `second` of a short str is not 0
            held |= <uint64_t>((locked.table.keys[i + 1].second == 0) & (ids[i] == i)) << i
        locked.held = held
        while held:
            i = cybleu_lowest_bit(held)
            held &= held - 1
            Py_INCREF(tokens[i])
            locked.tokens[i] = tokens[i]
        locked.table.tokens = locked.tokens
        return 1
    finally:
        end_lock(&lock)


cdef int look_up_locked(const LockedTokens *locked, PyObject *text, Py_ssize_t *size, int32_t *ids) except -1:
    cdef PyObject **tokens
    cdef Lock lock
    begin_lock(&lock, text)
    try:
        return few_items(text, &tokens, size) and look_up_few(&locked.table, tokens, size[0], ids)
    finally:
        end_lock(&lock)


cdef void release_locked(LockedTokens *locked) noexcept:
    cdef uint64_t held = locked.held
    while held:
        Py_DECREF(locked.tokens[cybleu_lowest_bit(held)])
        held &= held - 1


# --------------------------------------------------------------------------------------------------------- many tokens
#
# For a str, the table mixes CPython's cached hash. Hashes are gathered a block ahead of the probes, to prefetch many
# slots at once.

cdef enum:
    BLOCK = 32
    BLOCK_AND_ONE = 33  # one entry to write ahead


cdef uint64_t slots_needed(Py_ssize_t count) noexcept nogil:
    """Return the smallest power of two that leaves at least half of the slots free."""
    cdef uint64_t slots = 16
    while slots < 2 * <uint64_t>count:
        slots *= 2
    return slots


cdef inline bint same_token(PyObject *candidate, PyObject *token) except -1:
    return candidate == token or cybleu_equal(candidate, token)


cdef inline int32_t find(const TokenTable *table, PyObject *token, uint64_t mixed, uint64_t *slot) except -2:
    """Return the id of the token, or -1 and its free slot."""
    cdef uint64_t place = mixed & table.mask
    cdef int probed = 0
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
        place = next_slot(place, table.mask, &probed)


cdef inline int32_t add(TokenTable *table, PyObject *token, uint64_t mixed, uint64_t slot) noexcept:
    cdef int32_t token_id = table.size
    table.tokens[token_id] = token
    table.size = token_id + 1
    table.slots[slot] = (mixed >> 32) << 32 | <uint64_t>(token_id + 1)
    return token_id


cdef inline int hash_of(PyObject *token, Seed seed, uint64_t *mixed) except -1:
    cdef uint64_t value
    if cybleu_is_str(token):
        value = <uint64_t>cybleu_kept_hash(token)
        if CYBLEU_UNLIKELY(value == <uint64_t>-1):
            value = <uint64_t>PyObject_Hash(token)
    elif not cybleu_hash_plain(token, seed, &value):
        return 0
    mixed[0] = hash_word(value, seed)
    return 1


cdef inline int gather(const TokenTable *table, PyObject **tokens, Py_ssize_t count, uint64_t *mixed) except -1:
    cdef Seed seed = SEED
    cdef Py_ssize_t i
    for i in range(count):
        if not hash_of(tokens[i], seed, &mixed[i]):
            return 0
        CYBLEU_PREFETCH(&table.slots[mixed[i] & table.mask])
    return 1


cdef inline int number_many(TokenTable *table, PyObject **tokens, Py_ssize_t count, int32_t *ids,
                            bint adds) except -1:
    """Write the ids of tokens; unknown tokens get new ids if `adds`, otherwise -1."""
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
        # assume that equal tags mean equal tokens, and verify after the block; other tags are resolved then, too
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
    """Write an id for each token of a list, from 0 on in arbitrary order.

    The list must not be shared with other threads, and be short, because there is no check for interrupts.

    :param ids: array of shape `(tokens,)`, filled
    :return: the number of distinct tokens, or None if one is not of a plain type
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
    """Return the set of types of the tokens of all texts."""
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
