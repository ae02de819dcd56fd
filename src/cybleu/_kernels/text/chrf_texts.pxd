# Texts as ids of characters and of words, by chrF's rules.

from libc.stdint cimport int32_t, uint64_t

from cybleu._kernels.common.buffers cimport Buffer
from cybleu._kernels.common.hashing cimport Seed
from cybleu._kernels.common.interrupts cimport Watch
from cybleu._kernels.text.tokenizing cimport Line
from cybleu._kernels.tokens.characters cimport WordTable

cdef enum:
    BEFORE = 16             # readable bytes before the first text
    FEW_WORDS = 512         # see FewWords
    LOW = 0x2070            # characters with a fixed table: up to general punctuation

# Treatment of white space.
cdef enum:
    DROPPED
    KEPT_SPACE
    DROPPED_BUT_SEPARATORS  # U+001C to U+001F stay, as in Unicode's own definition of white space


# Working memory of one thread.
cdef struct ChrfWorkspace:
    int32_t low[LOW]            # character -> id; 0: none, LEFT_OUT: ignored white space
    int32_t *high               # for the other characters; NULL until required
    Buffer codes                # numbered characters, in order of their ids
    int32_t different           # number of distinct characters
    Buffer text                 # character ids of all texts
    Buffer spans                # start and end of each word of all texts
    Buffer words                # word ids of all texts
    Buffer few                  # FewWords
    WordTable many
    bint few_words              # which of the two has the words
    Buffer texts                # a Text for each text
    Buffer table
    Buffer walk
    Buffer rows
    Watch watching
    int space                   # treatment of white space


cdef struct Text:
    uint64_t start              # in `text`
    Py_ssize_t count            # number of characters
    Py_ssize_t spans            # index of its first word in `spans`
    Py_ssize_t words            # number of words
    uint64_t numbers            # in `words`


cdef struct Span:
    uint64_t start              # in `text`
    Py_ssize_t size             # in bytes


cdef void make_characters(ChrfWorkspace *work, int space) noexcept nogil
cdef void end_characters(ChrfWorkspace *work) noexcept nogil

# Reset the ids of all characters.
cdef void forget(ChrfWorkspace *work) noexcept nogil

# Append the character ids and the words of a line; 0 if ids of one byte do not suffice.
#
# `words`: find words
# `adds`: assign ids to new characters
# `used`: bytes of `work.text` in use, initially BEFORE
# `spans`: number of words in `work.spans`
cdef int read_text(ChrfWorkspace *work, const Line *line, int width, bint words, bint adds, uint64_t *used,
                   Py_ssize_t *spans, Text *text) except -1 nogil

# Prepare a table of words; `few`: it is for one text of less than FEW_WORDS words.
cdef int begin_words(ChrfWorkspace *work, bint few) except -1 nogil

# Write the word ids of a text, from 1 on, with 0 for unknown words; return the number of words in the table.
#
# `adds`: assign ids to new words
cdef int number_words(ChrfWorkspace *work, const Text *text, bint adds, Seed seed, int32_t *ids) except -2 nogil
