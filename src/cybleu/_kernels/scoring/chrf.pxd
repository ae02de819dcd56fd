# Counting and scoring of chrF.

from libc.stdint cimport int64_t

from cybleu._kernels.text.chrf_texts cimport Text, ChrfWorkspace
from cybleu._kernels.text.raw_texts cimport RawTexts
from cybleu._kernels.text.tokenizing cimport Line
from cybleu._kernels.counting.unit_ngrams cimport Units

cdef struct ChrfRules:
    int char_order
    int word_order
    int space
    bint epsilon
    double factor       # beta ** 2
    double plus         # 1 + beta ** 2


# The F-score of a row whose numbers are below 2 ** 53, by sacreBLEU's float operations in its order.
cdef double score_of(const ChrfRules *rules, const int64_t *row) noexcept nogil

# Hypotheses with the same references. The texts whose n-grams are counted come first, then those looked up in them.
cdef struct Group:
    const Line *hypotheses
    const int64_t *places   # indices of the hypotheses; NULL for all
    const Line *references
    bint by_hypothesis      # count hypotheses; otherwise count references
    Py_ssize_t counted
    Py_ssize_t walked
    Py_ssize_t total
    Text *texts
    Units *characters
    Units *words
    Py_ssize_t longest      # words


# Number the characters and words of the texts.
cdef int read_group(const ChrfRules *rules, ChrfWorkspace *work, Group *group) except -1 nogil

# Number the words of the counted texts `first` to `last` (exclusive), and look up those of the other texts.
cdef int number_group(ChrfWorkspace *work, Group *group, Py_ssize_t first, Py_ssize_t last) except -1 nogil

# Write the n-gram counts, the first two of three numbers for each order.
cdef void begin_row(const Units *hypothesis, const Units *text, int order, int64_t *row) noexcept nogil

# Write the matches of a text with each of several others, the third of three numbers for each order.
#
# `often`: many texts are looked up in its tables
cdef int match_all(ChrfWorkspace *work, const Units *one, const Units *others, Py_ssize_t count, int order,
                   int64_t *rows, Py_ssize_t row_size, bint often) except -1 nogil


cdef class CharacterF:
    cdef ChrfRules rules
    cdef readonly int order
