# cython: freethreading_compatible=True
"""Pairwise chrF of hypotheses and references, which are read once for all pairs."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free

from cybleu._kernels.scoring.chrf cimport (
    CharacterF, Group, ChrfRules, begin_row, match_all, number_group, read_group, score_of
)
from cybleu._kernels.text.chrf_texts cimport ChrfWorkspace, end_characters, make_characters
from cybleu._kernels.common.buffers cimport reserve
from cybleu._kernels.common.base cimport allocated
from cybleu._kernels.common.interrupts cimport watch
from cybleu._kernels.text.raw_texts cimport RawTexts
from cybleu._kernels.counting.unit_ngrams cimport Units

cdef enum:
    TOGETHER = 65536    # characters of references per block, or at least those of the hypothesis
    OF_EACH = 64        # added for each reference, for the memory of its matches


cdef class CharacterTexts:
    """Texts prepared for pairwise scoring. Immutable.

    :param measure: the options of chrF
    :param hypotheses: None to score the references against each other
    """

    cdef CharacterF measure
    cdef RawTexts references
    cdef RawTexts hypotheses
    cdef bint each_other
    cdef ChrfWorkspace work      # holds the texts, hypotheses first; each call has its own `walk`, `rows` and `table`
    cdef Group group
    cdef int32_t *counts    # count of each character in each text, if ids are bytes

    def __dealloc__(self):
        end_characters(&self.work)
        free(self.counts)

    def __cinit__(self, CharacterF measure not None, RawTexts references not None, RawTexts hypotheses=None):
        self.references = references
        self.each_other = hypotheses is None
        self.hypotheses = references if hypotheses is None else hypotheses
        make_characters(&self.work, measure.rules.space)
        self.group.hypotheses = self.hypotheses.lines
        self.group.references = references.lines
        self.group.by_hypothesis = True
        self.group.counted = self.hypotheses.count
        self.group.walked = 0 if self.each_other else references.count
        self.group.total = self.group.counted + self.group.walked
        with nogil:
            read_group(&measure.rules, &self.work, &self.group)
            if measure.rules.word_order > 0:
                number_group(&self.work, &self.group, 0, self.group.counted)
            self.count_characters()
        self.measure = measure

    cdef int count_characters(self) except -1 nogil:
        cdef Py_ssize_t size = self.work.different + 1
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
            watch(&self.work.watching, units[i].count >> 3)
        return 0

    def fill(self, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] scores):
        """Write the scores of hypotheses `start` to `stop` (exclusive): `scores[i, j]` is for i against reference j.
        If hypotheses and references are the same texts, also write the transposed block.
        """
        cdef ChrfWorkspace work
        cdef Py_ssize_t i, first
        if (scores.shape[0] != self.hypotheses.count or scores.shape[1] != self.references.count
                or not 0 <= start <= stop <= self.hypotheses.count):
            raise ValueError("the scores do not fit the texts")
        make_characters(&work, self.measure.rules.space)
        try:
            with nogil:
                for i in range(start, stop):
                    first = i if self.each_other else 0
                    while first < self.references.count:
                        first += self.fill_some(&work, i, first, scores)
        finally:
            end_characters(&work)

    cdef Py_ssize_t fill_some(self, ChrfWorkspace *work, Py_ssize_t i, Py_ssize_t first,
                              double[:, ::1] scores) except -1 nogil:
        """Write the scores of a hypothesis against a block of references; return the size of the block."""
        cdef const ChrfRules *rules = &self.measure.rules
        cdef Py_ssize_t place = first if self.each_other else self.group.counted + first   # index in the group
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
        reserve(&work.rows, <uint64_t>count * <uint64_t>row_size * sizeof(int64_t))
        row = <int64_t *>work.rows.data
        of_words = row + 3 * rules.char_order
        if rules.char_order > 0:
            match_all(work, &characters[i], &characters[place], count, rules.char_order, row, row_size, True)
        if rules.word_order > 0:
            match_all(work, &words[i], &words[place], count, rules.word_order, of_words, row_size, True)
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
            watch(&work.watching, 8)
        return count
