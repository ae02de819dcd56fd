# The tokens of raw text as numbers: those of one segment, and those that many texts share.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t

from cybleu._kernels.interrupts cimport Watch
from cybleu._kernels.raw_texts cimport RawTexts
from cybleu._kernels.tokenizing cimport Line, Scanner, Token, Tokenizer

cdef enum:
    FEW_SLOTS = 4096
    FEW_NUMBERS = 514       # nobody, those of AT_ONCE - 1 tokens, and one place to write ahead
    AT_ONCE = 513           # tokens that are read together
    MOST_TOKENS = 0x3FFFFFFF    # of a segment, or in one table: positions and numbers are 32 bits


# For less than AT_ONCE tokens. As in `tokens.pxd`, numbers count from 1 here and 0 is nobody.
cdef struct FewTokens:
    uint16_t slots[FEW_SLOTS]
    uint64_t mask
    int shift
    uint64_t odd
    uint64_t other_odd
    uint64_t first[FEW_NUMBERS]
    uint64_t second[FEW_NUMBERS]
    Token tokens[FEW_NUMBERS]   # where the key leaves them to be compared
    int size


cdef struct Word:
    uint64_t first          # its key, as for few tokens
    uint64_t second
    Token token


# For any number of tokens.
cdef struct WordTable:
    uint64_t *slots         # open addressing: 0 is free, otherwise tag << 32 | number + 1
    uint64_t mask
    Word *words             # by number
    int32_t size            # numbers given
    int32_t room


cdef struct Numbers:
    int32_t *values
    Py_ssize_t count
    Py_ssize_t room


# Give numbers to tokens, from 0 on in the order in which they come.
#
# `odd`: the secret of the process
cdef void number_few(FewTokens *table, const Token *tokens, Py_ssize_t count, uint64_t odd, int32_t *ids) noexcept nogil
cdef int number_many(WordTable *table, const Token *tokens, Py_ssize_t count, uint64_t odd, int32_t *ids,
                     Watch *watching) except -1 nogil

# Their numbers, or -1.
cdef void look_up_few(const FewTokens *table, const Token *tokens, Py_ssize_t count, int32_t *ids) noexcept nogil
cdef void look_up_many(const WordTable *table, const Token *tokens, Py_ssize_t count, uint64_t odd,
                       int32_t *ids) noexcept nogil

cdef int32_t look_up_word(const WordTable *table, const Token *token, uint64_t odd) noexcept nogil

# Empty, in no memory yet or in that of before, if there is not much of it.
cdef int make_table(WordTable *table) except -1 nogil
cdef void end_table(WordTable *table) noexcept nogil

# Room for so many more numbers.
cdef int reserve(Numbers *numbers, Py_ssize_t more) except -1 nogil


cdef class RawVocabulary:
    cdef readonly Tokenizer tokenizer
    cdef WordTable table
    cdef uint8_t **arenas       # where the tokens are kept
    cdef Py_ssize_t arena_count
    cdef Py_ssize_t arena_left  # bytes free at the end of the last one
    cdef uint8_t *arena_at

    cdef int make_place(self, Py_ssize_t size) except -1 nogil
    cdef int32_t add_token(self, const Token *token, uint64_t odd, Watch *watching) except -1 nogil
    cdef int number_line(self, Scanner *scanner, const Line *line, Numbers *numbers, bint adds) except -1 nogil
    cdef bytes numbers_of(self, RawTexts texts, Py_ssize_t start, Py_ssize_t stop, int64_t[::1] ends, bint adds)
