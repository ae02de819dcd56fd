# How chrF counts and scores.

from libc.stdint cimport int64_t

from cybleu._kernels.chrf_texts cimport Text, Workshop
from cybleu._kernels.raw_texts cimport RawTexts
from cybleu._kernels.tokenizing cimport Line
from cybleu._kernels.unit_ngrams cimport Units

cdef struct Rules:
    int char_order
    int word_order
    int space
    bint epsilon
    double factor       # beta ** 2
    double plus         # 1 + beta ** 2


# The F-score of a row whose numbers are below 2 ** 53, by sacreBLEU's float operations in its order.
cdef double score_of(const Rules *rules, const int64_t *row) noexcept nogil

# Hypotheses with the same references. Its texts are first those whose n-grams are counted, then those that are looked
# up in them.
cdef struct Group:
    const Line *hypotheses
    const int64_t *places   # of the hypotheses; NULL where they are all there are
    const Line *references
    bint by_hypothesis      # hypotheses are counted; otherwise references are
    Py_ssize_t counted
    Py_ssize_t walked
    Py_ssize_t total
    Text *texts
    Units *characters
    Units *words
    Py_ssize_t longest      # words


# The texts in numbers.
cdef int read_group(const Rules *rules, Workshop *shop, Group *group) except -1 nogil

# Numbers for the words of the texts from `first` to before `last`, also where those that are looked up have them.
cdef int number_group(Workshop *shop, Group *group, Py_ssize_t first, Py_ssize_t last) except -1 nogil

# Write how many n-grams there are, the first two of three numbers an order.
cdef void begin_row(const Units *hypothesis, const Units *text, int order, int64_t *row) noexcept nogil

# Write the matches of a text with each of some others, the third of three numbers an order.
#
# `often`: its tables are made for many others
cdef int match_all(Workshop *shop, const Units *one, const Units *others, Py_ssize_t count, int order, int64_t *rows,
                   Py_ssize_t row_size, bint often) except -1 nogil


cdef class CharacterF:
    cdef Rules rules
    cdef readonly int order
