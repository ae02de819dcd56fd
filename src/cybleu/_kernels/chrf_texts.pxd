# Texts as numbers of their characters, and of words as chrF has them.

from libc.stdint cimport int32_t, uint64_t

from cybleu._kernels.interrupts cimport Watch
from cybleu._kernels.keys cimport cybleu_key
from cybleu._kernels.tokenizing cimport Line
from cybleu._kernels.unit_ngrams cimport Buffer

cdef enum:
    BEFORE = 16             # bytes before the first text that can be read
    LOW = 0x2070            # characters that need no memory of their own: up to the general punctuation

# What becomes of white space.
cdef enum:
    DROPPED
    KEPT_SPACE
    DROPPED_BUT_SEPARATORS  # U+001C to U+001F stay, as in Unicode's own definition of white space


# What one thread works in.
cdef struct Workshop:
    int32_t low[LOW]            # character -> number, 0 where it has none, LEFT_OUT of white space that does not count
    int32_t *high               # of the others; NULL until there is one
    Buffer codes                # the characters that have numbers, in their order
    int32_t different           # how many there are
    Buffer text                 # the numbers of the characters of all texts
    Buffer spans                # the words of all texts: where each begins and ends in its text
    Buffer words                # the numbers of the words of all texts
    Buffer known                # slots of the words that have numbers
    Buffer known_words          # and by number each as a Word; nobody has 0
    Buffer texts                # of each text a Text
    Buffer table
    Buffer walk
    Buffer rows
    Watch watching
    int space                   # what becomes of white space


cdef struct Text:
    uint64_t start              # in `text`
    Py_ssize_t count            # of its characters
    Py_ssize_t spans            # its first word in `spans`
    Py_ssize_t words            # how many it has
    uint64_t numbers            # in `words`


cdef struct Span:
    uint64_t start              # in `text`
    Py_ssize_t size             # in bytes


cdef struct Word:
    cybleu_key key
    const Span *span


cdef void make_workshop(Workshop *shop, int space) noexcept nogil
cdef void end_workshop(Workshop *shop) noexcept nogil

# Take the numbers of all characters back.
cdef int forget(Workshop *shop) except -1 nogil

# Append the numbers of the characters of a line, and its words; 0 where numbers of one byte do not suffice.
#
# `words`: words matter
# `adds`: characters get numbers that have none
# `used`: bytes of `shop.text` in use, BEFORE at first
# `spans`: words in `shop.spans`
cdef int read_text(Workshop *shop, const Line *line, int width, bint words, bint adds, uint64_t *used,
                   Py_ssize_t *spans, Text *text) except -1 nogil

# Memory for so many words that get numbers; how many slots their table has.
cdef Py_ssize_t begin_words(Workshop *shop, Py_ssize_t words) except -1 nogil

# Write the numbers of the words of a text, from 1 on, 0 for those that have none.
#
# `known`: slots of the table
# `adds`: words get numbers that have none
# `given`: how many have a number
cdef int number_words(Workshop *shop, const Text *text, Py_ssize_t known, bint adds, uint64_t odd, int32_t *numbers,
                      int32_t *given) except -1 nogil
