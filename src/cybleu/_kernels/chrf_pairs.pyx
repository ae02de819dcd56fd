# cython: freethreading_compatible=True
"""chrF of every hypothesis against every reference alone: what a text has is counted once, for all pairs."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from cybleu._kernels.chrf cimport MOST_ORDERS, ROW, CharacterF, Rules, count_segment, score_of
from cybleu._kernels.chrf_texts cimport (
    BEFORE, DROPPED, Text, Workshop, begin_words, end_workshop, make_workshop, number_words, read_text,
)
from cybleu._kernels.common cimport allocated
from cybleu._kernels.interrupts cimport watch
from cybleu._kernels.raw_texts cimport RawTexts
from cybleu._kernels.tokenizing cimport Line
from cybleu._kernels.tokens cimport secret
from cybleu._kernels.unit_ngrams cimport (
    AHEAD, CHANGES, Mark, Positions, Table, Units, all_of, all_pairs, fill_table, make_room, ngrams_of, table_size,
    take,
)


cdef class CharacterTexts:
    """Texts, read once, of which every hypothesis is scored against every reference alone. Immutable once made.

    :param measure: how
    :param hypotheses: None for the references themselves
    """

    cdef CharacterF measure
    cdef RawTexts references
    cdef RawTexts hypotheses
    cdef bint each_other
    cdef bint narrow        # the numbers of all characters are bytes
    cdef int32_t words      # different ones
    cdef int32_t *counts    # of each character in each text
    cdef Workshop shop      # with the texts, the references first; `walk`, `rows` and `table` are of each call

    def __cinit__(self):
        self.counts = NULL
        make_workshop(&self.shop, DROPPED)

    def __dealloc__(self):
        end_workshop(&self.shop)
        free(self.counts)

    def __init__(self, CharacterF measure not None, RawTexts references not None, RawTexts hypotheses=None):
        if self.measure is not None:
            raise RuntimeError("texts are read once")
        self.measure = measure
        self.references = references
        self.each_other = hypotheses is None
        self.hypotheses = references if hypotheses is None else hypotheses
        make_workshop(&self.shop, measure.rules.space)
        with nogil:
            self.narrow = self.read()

    cdef bint read(self) except -1 nogil:
        """The numbers of all characters and words; 0 where they do not fit."""
        cdef const Rules *rules = &self.measure.rules
        cdef Workshop *shop = &self.shop
        cdef Py_ssize_t count = self.references.count
        cdef Py_ssize_t total = count if self.each_other else count + self.hypotheses.count
        cdef uint64_t used = BEFORE
        cdef Py_ssize_t spans = 0
        cdef Py_ssize_t known
        cdef uint64_t odd = secret()
        cdef int32_t given = 0
        cdef Py_ssize_t i
        cdef const Line *line
        cdef Text *texts
        make_room(&shop.texts, <uint64_t>total * sizeof(Text))
        texts = <Text *>shop.texts.data
        for i in range(total):
            line = &self.references.lines[i] if i < count else &self.hypotheses.lines[i - count]
            if not read_text(shop, line, 1, rules.word_order > 0, True, &used, &spans, &texts[i]):
                return False
        self.count_characters(texts, total)
        if rules.word_order == 0:
            return True
        known = begin_words(shop, spans)
        make_room(&shop.words, (<uint64_t>spans + 2 * <uint64_t>total) * sizeof(int32_t))
        used = 0
        for i in range(total):
            texts[i].numbers = used
            number_words(shop, &texts[i], known, True, odd, <int32_t *>(shop.words.data + used), &given)
            used += <uint64_t>texts[i].words * sizeof(int32_t)
            memset(shop.words.data + used, 0xFF, AHEAD)
            used += AHEAD
        self.words = given
        return True

    cdef int count_characters(self, Text *texts, Py_ssize_t total) except -1 nogil:
        cdef Py_ssize_t size = self.shop.different + 1
        cdef const uint8_t *data
        cdef int32_t *counts
        cdef Py_ssize_t i, k
        self.counts = <int32_t *>allocated(calloc(<size_t>total * <size_t>size + 1, sizeof(int32_t)))
        for i in range(total):
            texts[i].histogram = i * size
            counts = self.counts + i * size
            data = self.shop.text.data + texts[i].start
            for k in range(texts[i].count):
                counts[data[k]] += 1
            watch(&self.shop.watching, texts[i].count >> 3)
        return 0

    def fill(self, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] scores):
        """Write the scores of the hypotheses from `start` to before `stop`; `scores[i, j]` has text i, and reference j.

        Where both are the same texts, a block also writes what mirrors it.
        """
        cdef Workshop shop
        if self.measure is None:
            raise RuntimeError("there are no texts")
        if (scores.shape[0] != self.hypotheses.count or scores.shape[1] != self.references.count
                or not 0 <= start <= stop <= self.hypotheses.count):
            raise ValueError("the scores do not fit the texts")
        make_workshop(&shop, self.measure.rules.space)
        try:
            with nogil:
                if self.narrow:
                    self.fill_by_tables(&shop, start, stop, scores)
                else:
                    self.fill_by_segments(&shop, start, stop, scores)
        finally:
            end_workshop(&shop)

    cdef int fill_by_segments(self, Workshop *shop, Py_ssize_t start, Py_ssize_t stop,
                              double[:, ::1] scores) except -1 nogil:
        cdef int64_t row[ROW]
        cdef Py_ssize_t i, j
        for i in range(start, stop):
            for j in range(self.references.count):
                count_segment(&self.measure.rules, shop, &self.hypotheses.lines[i], &self.references.lines[j], 1, row)
                scores[i, j] = score_of(&self.measure.rules, row)
                watch(&shop.watching, 8)
        return 0

    cdef int fill_by_tables(self, Workshop *shop, Py_ssize_t start, Py_ssize_t stop,
                            double[:, ::1] scores) except -1 nogil:
        cdef const Rules *rules = &self.measure.rules
        cdef const Text *texts = <const Text *>self.shop.texts.data
        cdef const Text *hypothesis
        cdef Py_ssize_t count = self.references.count
        cdef Py_ssize_t longest = 0
        cdef Py_ssize_t i, j, first
        cdef Table tables[MOST_ORDERS]
        cdef int64_t matches[MOST_ORDERS]
        for j in range(count):
            longest = max(longest, texts[j].count, texts[j].words)
        for i in range(start, stop):
            hypothesis = &texts[i if self.each_other else count + i]
            longest = max(longest, hypothesis.count, hypothesis.words)
        make_room(&shop.walk, (3 * <uint64_t>longest + 3) * sizeof(int32_t))
        for i in range(start, stop):
            hypothesis = &texts[i if self.each_other else count + i]
            self.fill_tables(shop, hypothesis, tables)
            first = i if self.each_other else 0
            for j in range(first, count):
                self.match(shop, hypothesis, tables, &texts[j], matches)
                scores[i, j] = score_of_pair(rules, hypothesis, &texts[j], matches)
                if self.each_other and j != i:
                    scores[j, i] = score_of_pair(rules, &texts[j], hypothesis, matches)
                watch(&shop.watching, 8)
        return 0

    cdef Units units_of(self, const Text *text, bint of_words) noexcept nogil:
        cdef Units units
        units.data = self.shop.words.data + text.numbers if of_words else self.shop.text.data + text.start
        units.count = text.words if of_words else text.count
        units.width = 4 if of_words else 1
        units.different = self.words if of_words else self.shop.different
        return units

    cdef int fill_tables(self, Workshop *shop, const Text *text, Table *tables) except -1 nogil:
        """The n-grams of a hypothesis, of all orders."""
        cdef const Rules *rules = &self.measure.rules
        cdef uint64_t starts[MOST_ORDERS]
        cdef uint64_t used = 0
        cdef int n
        if rules.char_order > 0:
            self.fill_tables_of(shop, self.units_of(text, False), rules.char_order, tables, starts, &used)
        if rules.word_order > 0:
            self.fill_tables_of(shop, self.units_of(text, True), rules.word_order, tables + rules.char_order,
                                starts + rules.char_order, &used)
        for n in range(rules.char_order + rules.word_order):    # the memory may have moved meanwhile
            if tables[n].count > 0:
                tables[n].marks = <Mark *>(shop.table.data + starts[n])
                if tables[n].keys != NULL:
                    tables[n].keys = <uint64_t *>tables[n].marks
                    tables[n].marks = <Mark *>(tables[n].keys + tables[n].last + 1)
        return 0

    cdef int fill_tables_of(self, Workshop *shop, Units units, int order, Table *tables, uint64_t *starts,
                            uint64_t *used) except -1 nogil:
        cdef Positions positions
        cdef int32_t *memory = <int32_t *>shop.walk.data
        cdef uint64_t odd = secret()
        cdef uint64_t size
        cdef int32_t names = 1
        cdef int n
        cdef int first = 0
        if units.width == 1:
            # single characters are counted apart, because there are few different ones
            first = 1
            tables[0].count = 0
            names = units.different + 1
            all_pairs(&positions, memory, &units)
        else:
            all_of(&positions, memory, units.count)
        for n in range(first, order):
            starts[n] = used[0]
            size = table_size(positions.count, names, units.different, True)
            make_room(&shop.table, used[0] + size)
            used[0] += size
            fill_table(&tables[n], shop.table.data + starts[n], &units, n + 1, &positions, &names,
                       memory + 2 * units.count + 2, True, odd, &shop.watching)
        return 0

    cdef int match(self, Workshop *shop, const Text *hypothesis, Table *tables, const Text *text,
                   int64_t *matches) except -1 nogil:
        cdef const Rules *rules = &self.measure.rules
        if rules.char_order > 0:
            self.match_units(shop, self.units_of(hypothesis, False), tables, self.units_of(text, False),
                             rules.char_order, matches)
            matches[0] = shared(self.counts + hypothesis.histogram, self.counts + text.histogram,
                                self.shop.different + 1)
        if rules.word_order > 0:
            self.match_units(shop, self.units_of(hypothesis, True), tables + rules.char_order,
                             self.units_of(text, True), rules.word_order, matches + rules.char_order)
        return 0

    cdef int match_units(self, Workshop *shop, Units hypothesis, Table *tables, Units text, int order,
                         int64_t *matches) except -1 nogil:
        cdef int64_t changes[CHANGES]
        cdef Positions positions
        cdef int32_t *memory = <int32_t *>shop.walk.data
        cdef uint64_t odd = secret()
        cdef int64_t total = 0
        cdef int n
        cdef int first = 0
        memset(changes, 0, sizeof(changes))
        if text.width == 1:
            first = min(1, order)
            all_pairs(&positions, memory, &text)
        else:
            all_of(&positions, memory, text.count)
        for n in range(first, order):
            if positions.count == 0 or tables[n].count == 0:
                break
            take(&tables[n], &hypothesis, &text, n + 1, order, &positions, memory + 2 * text.count + 2, changes, odd,
                 &shop.watching)
        for n in range(order):
            total += changes[n + 1]
            matches[n] = total
        return 0


cdef int64_t shared(const int32_t *one, const int32_t *other, Py_ssize_t size) noexcept nogil:
    """The sum of the smaller ones."""
    cdef int64_t total = 0
    cdef Py_ssize_t i
    for i in range(size):
        total += one[i] if one[i] < other[i] else other[i]
    return total


cdef double score_of_pair(const Rules *rules, const Text *hypothesis, const Text *reference,
                          const int64_t *matches) noexcept nogil:
    cdef int64_t row[ROW]
    cdef int n
    for n in range(rules.char_order):
        row[3 * n + 1] = ngrams_of(reference.count, n + 1)
        row[3 * n] = ngrams_of(hypothesis.count, n + 1) if row[3 * n + 1] > 0 else 0
        row[3 * n + 2] = matches[n]
    for n in range(rules.char_order, rules.char_order + rules.word_order):
        row[3 * n + 1] = ngrams_of(reference.words, n - rules.char_order + 1)
        row[3 * n] = ngrams_of(hypothesis.words, n - rules.char_order + 1) if row[3 * n + 1] > 0 else 0
        row[3 * n + 2] = matches[n]
    return score_of(rules, row)
