# From the characters of a line to its tokens, without a Python object for one.

from cpython.object cimport PyObject
from libc.stdint cimport uint8_t

from cybleu._kernels.interrupts cimport Watch
from cybleu._kernels.pieces cimport Runs

cdef enum:
    IN_UTF8 = 0     # or else the bytes of a character in a str: 1, 2, 4
    MORE_TOKENS = 72    # places after those of the tokens asked for, which may be written, too


# Characters in place, in a str or in bytes.
cdef struct Line:
    const void *data
    Py_ssize_t size         # in characters; in UTF-8, in bytes
    int kind


# A token in UTF-8, a lone surrogate as three bytes, so that equal bytes are equal characters. The 16 bytes before it
# can be read.
cdef struct Token:
    const uint8_t *text
    const uint8_t *end


cdef struct Scanner:
    const uint8_t *at
    const uint8_t *end
    int before              # what the character before `at` is
    uint8_t *buffer         # where a line is copied that cannot be read in place; NULL until there is one
    Py_ssize_t room
    Watch watching


cdef void make_scanner(Scanner *scanner) noexcept nogil
cdef void end_scanner(Scanner *scanner) noexcept nogil

# Of an exact str or bytes, as long as the object lives. What is in UTF-8 is valid.
cdef int line_of(PyObject *text, Line *line) except -1


cdef class Tokenizer:
    cdef readonly str name
    cdef uint8_t of_bytes[256]
    cdef bint of_one_character  # each token is
    cdef bint by_runs           # white space alone divides, and these runs of values say where it may be
    cdef Runs runs[2]
    cdef uint8_t *of_characters
    cdef int used               # all bits of `of_bytes`
    cdef int first
    cdef bint strips
    cdef bint strips_both
    cdef bint rewrites

    # Begin a line. Its tokens are there as long as the line is, and no other is begun with this scanner.
    cdef int begin(self, Scanner *scanner, const Line *line) except -1 nogil
    # Write the next tokens, up to `most`; how many there are. Less than `most` is the end of the line. There must be
    # MORE_TOKENS places after them.
    cdef Py_ssize_t read(self, Scanner *scanner, Token *tokens, Py_ssize_t most) except -1 nogil
