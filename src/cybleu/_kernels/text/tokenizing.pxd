# Tokenise lines without creating Python objects.

from cpython.object cimport PyObject
from libc.stdint cimport uint8_t

from cybleu._kernels.common.interrupts cimport Watch
from cybleu._kernels.counting.pieces cimport Runs

cdef enum:
    IN_UTF8 = 0     # otherwise the size of a character of a str: 1, 2, 4
    MORE_TOKENS = 72    # further entries of the output that may be overwritten
    FRONT = 16      # readable bytes before a line in UTF-8


# View of the characters of a str or bytes.
cdef struct Line:
    const void *data
    Py_ssize_t size         # in characters; in UTF-8, in bytes
    int kind


# A token in UTF-8, with lone surrogates as three bytes, so that equal bytes mean equal characters. The 16 bytes before
# it are readable.
cdef struct Token:
    const uint8_t *text
    const uint8_t *end


cdef struct Scanner:
    const uint8_t *at
    const uint8_t *end
    int before              # kind of the character before `at`
    uint8_t *buffer         # copy of a line that cannot be read in place; NULL until required
    Py_ssize_t capacity
    Watch watching


cdef void make_scanner(Scanner *scanner) noexcept nogil
cdef void end_scanner(Scanner *scanner) noexcept nogil

# View an exact str or bytes, which must stay alive. UTF-8 is valid.
cdef int line_of(PyObject *text, Line *line) except -1


cdef class Tokenizer:
    cdef readonly str name
    cdef uint8_t of_bytes[256]
    cdef bint of_one_character  # each token is one character
    cdef bint by_runs           # only white space splits, and is found by ranges of byte values
    cdef Runs runs[2]
    cdef uint8_t *of_characters
    cdef int used               # union of the bits of `of_bytes`
    cdef int first
    cdef bint strips
    cdef bint strips_both
    cdef bint rewrites
    cdef bint tercom            # what is rewritten is that of TER's tokeniser

    # Begin a line. Tokens are valid while the line is alive and until the scanner begins another one.
    cdef int begin(self, Scanner *scanner, const Line *line) except -1 nogil
    # Write up to `most` tokens and return their number, which is less than `most` at the end of the line. The output
    # requires MORE_TOKENS further entries.
    cdef Py_ssize_t read(self, Scanner *scanner, Token *tokens, Py_ssize_t most) except -1 nogil
