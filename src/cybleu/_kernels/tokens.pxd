# Tokens to small integers. Within one table equal tokens have equal ids and different tokens different ones.

from cpython.object cimport PyObject
from libc.stdint cimport int32_t, uint8_t, uint64_t

from cybleu._kernels.keys cimport cybleu_key

cdef enum:
    FEW = 64
    FEW_SLOTS = 512     # few of them are taken, because one that is taken costs the processor a wrong guess
    FEW_SHIFT = 55      # 64 less the bits of their numbers
    FEW_AND_ONE = 65


# For up to FEW tokens, on the stack. The id of a token is the position of the first one that equals it.
cdef struct FewTokens:
    uint8_t slots[FEW_SLOTS]        # open addressing: 0 is free, otherwise id + 1
    cybleu_key keys[FEW_AND_ONE]    # by id + 1; what would be undecided is not marked here
    PyObject **tokens               # borrowed
    int distinct                    # ids given


# For any number of tokens. Slots are clear at entry.
cdef struct TokenTable:
    uint64_t *slots       # open addressing: 0 is free, otherwise tag << 32 | id + 1
    uint64_t mask         # number of slots - 1; the number is a power of two, at least twice the tokens
    PyObject **tokens     # id -> the token that introduced it, borrowed; id -1 and one more than there are can be read
    int32_t size          # ids given so far


# All return 1, or 0 where a token is not of a plain type, and raise what comparing raises. While they run no Python
# code does, so pointers borrowed from a list stay valid as long as the GIL is held. A look-up gives -1 where there is
# no such token.
cdef void fetch_tokens(PyObject **tokens, Py_ssize_t count) noexcept
cdef int assign_few(FewTokens *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) except -1
cdef int look_up_few(const FewTokens *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) except -1

# An odd number, another in every process where the hashes of str are.
cdef uint64_t secret() noexcept nogil

cdef uint64_t slots_needed(Py_ssize_t count) noexcept nogil
cdef int assign_many(TokenTable *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) except -1
cdef int look_up_many(TokenTable *table, PyObject **tokens, Py_ssize_t count, int32_t *ids) except -1
