# Token ids of raw text, local to a segment or shared by many texts.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t

from cybleu._kernels.common.hashing cimport Seed
from cybleu._kernels.text.raw_texts cimport RawTexts
from cybleu._kernels.text.tokenizing cimport Line, Scanner, Token, Tokenizer

cdef enum:
    FEW_SLOTS = 4096
    FEW_NUMBERS = 514       # unused 0, AT_ONCE - 1 tokens, and one entry to write ahead
    AT_ONCE = 513           # tokens read at once


# For less than AT_ONCE tokens. As in `objects.pxd`, ids start at 1, and 0 is unused.
cdef struct FewWords:
    uint16_t slots[FEW_SLOTS]
    uint64_t mask
    Seed seed
    uint64_t first[FEW_NUMBERS]
    uint64_t second[FEW_NUMBERS]
    Token tokens[FEW_NUMBERS]   # set if the key does not identify the token
    int size


cdef struct WordEntry:
    uint64_t first          # key, as in FewWords
    uint64_t second
    Token token


# For any number of tokens.
cdef struct WordTable:
    uint64_t *slots         # open addressing: 0 is free, otherwise tag << 32 | number + 1
    uint64_t mask
    WordEntry *words             # by number
    int32_t size            # number of ids
    int32_t capacity


cdef struct TokenIds:
    int32_t *values
    Py_ssize_t count
    Py_ssize_t capacity


# Assign ids to tokens, from 0 on in order of occurrence.
cdef void number_few(FewWords *table, const Token *tokens, Py_ssize_t count, Seed seed, int32_t *ids) noexcept nogil
cdef int number_many(WordTable *table, const Token *tokens, Py_ssize_t count, Seed seed,
                     int32_t *ids) except -1 nogil

# Look up ids; -1 for unknown tokens.
cdef void look_up_few(const FewWords *table, const Token *tokens, Py_ssize_t count, int32_t *ids) noexcept nogil
cdef void look_up_many(const WordTable *table, const Token *tokens, Py_ssize_t count, Seed seed,
                       int32_t *ids) noexcept nogil

cdef int32_t look_up_word(const WordTable *table, const Token *token, Seed seed) noexcept nogil

# Initialise an empty table, reusing previous memory unless it is large.
cdef int make_table(WordTable *table) except -1 nogil
cdef void end_table(WordTable *table) noexcept nogil

# Reserve memory for more ids.
cdef int reserve_ids(TokenIds *numbers, Py_ssize_t more) except -1 nogil


cdef class RawVocabulary:
    cdef readonly Tokenizer tokenizer
    cdef WordTable table
    cdef uint8_t **arenas       # memory of the tokens
    cdef Py_ssize_t arena_count
    cdef Py_ssize_t arena_left  # bytes free at the end of the last one
    cdef uint8_t *arena_at

    cdef int reserve_bytes(self, Py_ssize_t size) except -1 nogil
    cdef int32_t add_token(self, const Token *token, Seed seed) except -1 nogil
    cdef int number_line(self, Scanner *scanner, const Line *line, TokenIds *numbers, bint adds) except -1 nogil
    cdef bytes numbers_of(self, RawTexts texts, Py_ssize_t start, Py_ssize_t stop, int64_t[::1] ends, bint adds)
