# cython: freethreading_compatible=True
"""chrF of every hypothesis against every reference alone: what a text has is counted once, for all pairs."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free

from cybleu._kernels.chrf cimport CharacterF, Group, Rules, begin_row, match_all, number_group, read_group, score_of
from cybleu._kernels.chrf_texts cimport DROPPED, Workshop, end_workshop, make_workshop
from cybleu._kernels.common cimport allocated
from cybleu._kernels.interrupts cimport watch
from cybleu._kernels.raw_texts cimport RawTexts
from cybleu._kernels.unit_ngrams cimport Units, make_room

cdef enum:
    TOGETHER = 65536    # characters of the references that are looked up in one hypothesis, or as many as it has
    OF_EACH = 64        # that a reference counts for besides, as its matches are as much memory


cdef class CharacterTexts:
    """Texts, read once, of which every hypothesis is scored against every reference alone. Immutable once made.

    :param measure: how
    :param hypotheses: None for the references themselves
    """

    cdef CharacterF measure
    cdef RawTexts references
    cdef RawTexts hypotheses
    cdef bint each_other
    cdef Workshop shop      # with the texts, the hypotheses first; `walk`, `rows` and `table` are of each call
    cdef Group group
    cdef int32_t *counts    # of each character in each text, where their numbers are bytes

    def __cinit__(self):
        make_workshop(&self.shop, DROPPED)

    def __dealloc__(self):
        end_workshop(&self.shop)
        free(self.counts)

    def __init__(self, CharacterF measure not None, RawTexts references not None, RawTexts hypotheses=None):
        if self.references is not None:
            raise RuntimeError("texts are read once")
        self.references = references
        self.each_other = hypotheses is None
        self.hypotheses = references if hypotheses is None else hypotheses
        make_workshop(&self.shop, measure.rules.space)
        self.group.hypotheses = self.hypotheses.lines
        self.group.references = references.lines
        self.group.by_hypothesis = True
        self.group.counted = self.hypotheses.count
        self.group.walked = 0 if self.each_other else references.count
        self.group.total = self.group.counted + self.group.walked
        with nogil:
            read_group(&measure.rules, &self.shop, &self.group)
            if measure.rules.word_order > 0:
                number_group(&self.shop, &self.group, 0, self.group.counted)
            self.count_characters()
        self.measure = measure      # or else nothing was read to its end

    cdef int count_characters(self) except -1 nogil:
        cdef Py_ssize_t size = self.shop.different + 1
        cdef Units *units = self.group.characters
        cdef int32_t *counts
        cdef Py_ssize_t i, k
        if self.group.total == 0 or units[0].width > 1:
            return 0
        counts = self.counts = <int32_t *>allocated(calloc(<size_t>self.group.total * <size_t>size, sizeof(int32_t)))
        for i in range(self.group.total):
            for k in range(units[i].count):
                counts[units[i].data[k]] += 1
            units[i].counts = counts
            counts += size
            watch(&self.shop.watching, units[i].count >> 3)
        return 0

    def fill(self, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] scores):
        """Write the scores of the hypotheses from `start` to before `stop`; `scores[i, j]` has text i, and reference j.

        Where both are the same texts, a block also writes what mirrors it.
        """
        cdef Workshop shop
        cdef Py_ssize_t i, first
        if self.measure is None:
            raise RuntimeError("there are no texts")
        if (scores.shape[0] != self.hypotheses.count or scores.shape[1] != self.references.count
                or not 0 <= start <= stop <= self.hypotheses.count):
            raise ValueError("the scores do not fit the texts")
        make_workshop(&shop, self.measure.rules.space)
        try:
            with nogil:
                for i in range(start, stop):
                    first = i if self.each_other else 0
                    while first < self.references.count:
                        first += self.fill_some(&shop, i, first, scores)
        finally:
            end_workshop(&shop)

    cdef Py_ssize_t fill_some(self, Workshop *shop, Py_ssize_t i, Py_ssize_t first,
                              double[:, ::1] scores) except -1 nogil:
        """The scores of a hypothesis against some of the references, from the first on; how many these are."""
        cdef const Rules *rules = &self.measure.rules
        cdef Py_ssize_t place = first if self.each_other else self.group.counted + first   # of the first reference
        cdef const Units *characters = self.group.characters
        cdef const Units *words = self.group.words
        cdef Py_ssize_t row_size = 3 * self.measure.order
        cdef int64_t *row
        cdef int64_t *of_words
        cdef Py_ssize_t most = max(<Py_ssize_t>TOGETHER, characters[i].count)
        cdef Py_ssize_t units = 0
        cdef Py_ssize_t count = 0
        cdef Py_ssize_t j
        while first + count < self.references.count and units < most:
            units += characters[place + count].count + OF_EACH
            count += 1
        make_room(&shop.rows, <uint64_t>count * <uint64_t>row_size * sizeof(int64_t))
        row = <int64_t *>shop.rows.data
        of_words = row + 3 * rules.char_order
        if rules.char_order > 0:
            match_all(shop, &characters[i], &characters[place], count, rules.char_order, row, row_size, True)
        if rules.word_order > 0:
            match_all(shop, &words[i], &words[place], count, rules.word_order, of_words, row_size, True)
        for j in range(count):
            begin_row(&characters[i], &characters[place + j], rules.char_order, row)
            begin_row(&words[i], &words[place + j], rules.word_order, of_words)
            scores[i, first + j] = score_of(rules, row)
            if self.each_other and first + j != i:
                begin_row(&characters[place + j], &characters[i], rules.char_order, row)
                begin_row(&words[place + j], &words[i], rules.word_order, of_words)
                scores[first + j, i] = score_of(rules, row)
            row += row_size
            of_words += row_size
            watch(&shop.watching, 8)
        return count
