# Map tokens to small integers. Within a table, tokens are equal if and only if their ids are equal.

from cpython.object cimport PyObject
from libc.stdint cimport int32_t, uint8_t, uint64_t

from cybleu._kernels.common.hashing cimport cybleu_key

cdef enum:
    FEW = 64
    FEW_SHIFT = 55      # of a 64-bit hash to a slot
    FEW_SLOTS = 512     # sparsely used, because collisions cause branch mispredictions
    FEW_AND_ONE = 65


# For up to FEW tokens, on the stack. The id of a token is the position of the first one that equals it.
cdef struct FewTokens:
    uint8_t slots[FEW_SLOTS]        # open addressing: 0 is free, otherwise id + 1
    cybleu_key keys[FEW_AND_ONE]    # by id + 1, without the mark CYBLEU_UNDECIDED
    PyObject **tokens               # borrowed
    int distinct                    # number of ids


# The same where other threads may change the lists. A key contains a short str, so that no other thread can free it;
# references are held to the distinct tokens that are compared with their keys.
cdef struct LockedTokens:
    FewTokens table
    PyObject *tokens[FEW]           # by id
    uint64_t held                   # a bit for each id


# For any number of tokens. Slots are clear at entry.
cdef struct TokenTable:
    uint64_t *slots       # open addressing: 0 is free, otherwise tag << 32 | id + 1
    uint64_t mask         # number of slots - 1; the number is a power of two, at least twice the tokens
    PyObject **tokens     # id -> its first token, borrowed; readable from id -1 to one past the end
    int32_t size          # number of ids


# All return 1, or 0 if a token is not of a plain type, and propagate errors of comparisons. No Python code runs, so
# references borrowed from a list stay valid while the GIL is held. Lookups return -1 for unknown tokens.
cdef void fetch_tokens(PyObject **tokens, Py_ssize_t count) noexcept
cdef int assign_few(FewTokens *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) except -1
cdef int look_up_few(const FewTokens *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) except -1

# The same for the exact list or tuple `text`, which is locked while it is read; its size is -1 if it has another type.
# 0, and nothing held, also for more than FEW tokens. What `assign_locked` took must be released.
cdef int assign_locked(LockedTokens *locked, PyObject *text, Py_ssize_t *size, int32_t *ids) except -1
cdef int look_up_locked(const LockedTokens *locked, PyObject *text, Py_ssize_t *size, int32_t *ids) except -1
cdef void release_locked(LockedTokens *locked) noexcept

cdef uint64_t slots_needed(Py_ssize_t count) noexcept nogil
cdef int assign_many(TokenTable *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) except -1
cdef int look_up_many(TokenTable *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) except -1
