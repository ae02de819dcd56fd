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


# For any number of tokens.
cdef struct TokenTable:
    uint64_t *slots       # open addressing: 0 is free, otherwise tag << 32 | id + 1
    uint64_t mask         # number of slots - 1; the number is a power of two, at least twice the tokens
    cybleu_key *keys      # id -> key
    PyObject **tokens     # id -> its first token, borrowed
    int32_t size          # number of ids


# Functions that return an int return 1, or 0 if a token is not plain. Unknown tokens get the id -1, or a new one where
# they are assigned. No Python code runs, so references borrowed from a list stay valid while the GIL is held.

cdef void fetch_tokens(PyObject **tokens, Py_ssize_t count) noexcept

# For a list or tuple `text`, which is locked while it is read; 0 also if it has more than FEW tokens or another type.
# Tokens that a table must compare are those of the first text; it must outlive the table, and be a tuple where other
# threads can change a list.
cdef int assign_few(FewTokens *table, object text, Py_ssize_t *size, int32_t *ids) noexcept
cdef int look_up_few(const FewTokens *table, object text, Py_ssize_t *size, int32_t *ids) noexcept

cdef uint64_t slots_needed(Py_ssize_t count) noexcept nogil

# For texts of any length. An empty table for `count` tokens is made in memory of this size in bytes.
cdef uint64_t table_size(Py_ssize_t count) noexcept nogil
cdef void make_table(TokenTable *table, void *memory, Py_ssize_t count) noexcept
cdef int assign_many(TokenTable *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) noexcept

# The same for a list or tuple, which is locked meanwhile; 0 also if it has another size or type.
cdef int number_text(TokenTable *table, object text, Py_ssize_t size, int32_t *ids, bint adds) noexcept
