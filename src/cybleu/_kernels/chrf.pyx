# cython: freethreading_compatible=True
"""chrF: the rows of segments, and their scores.

A row has for each order, of characters first, how many n-grams the hypothesis and the reference have and share. Where
an n-gram has no match no longer one can begin, so the work falls with the order as the matches do.
"""

from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from cybleu._kernels.chrf_texts cimport (
    BEFORE, Text, Workshop, begin_words, end_workshop, forget, make_workshop, number_words, read_text,
)
from cybleu._kernels.common cimport CYBLEU_UNLIKELY
from cybleu._kernels.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.ngrams cimport MASK_BITS, MaskMatcher, add_reference_masks, begin_masks, finish_masks
from cybleu._kernels.raw_texts cimport RawTexts
from cybleu._kernels.tokenizing cimport Line
from cybleu._kernels.tokens cimport secret
from cybleu._kernels.unit_ngrams cimport (
    AHEAD, CHANGES, Positions, Table, Units, all_of, all_pairs, fill_table, give_back, make_room, ngrams_of,
    pairs_have_cells, shared_units, table_size, take,
)

cdef extern from *:
    """
    #define CYBLEU_LARGEST ((int64_t)1 << 53)   /* counts below it are exact as doubles */
    #define CYBLEU_EPSILON 1e-16                /* sacreBLEU's and NLTK's */

    static CYTHON_INLINE double cybleu_ratio(int64_t part, int64_t whole) {
        return (double)part / (double)whole;
    }
    """
    int64_t LARGEST "CYBLEU_LARGEST"
    double EPSILON "CYBLEU_EPSILON"
    double ratio "cybleu_ratio" (int64_t part, int64_t whole) noexcept nogil

cdef enum:
    MOST_OF_A_KIND = 64     # orders
    KEPT = 65536            # bytes that are not given back after a segment


# ------------------------------------------------------------------------------------------------------------- scoring

cdef double score_of(const Rules *rules, const int64_t *row) noexcept nogil:
    """The F-score of a row whose numbers are below LARGEST, by sacreBLEU's float operations in its order."""
    cdef int order = rules.char_order + rules.word_order
    cdef int effective = 0
    cdef int n
    cdef double precision, recall, bottom
    cdef double precisions = 0.0
    cdef double recalls = 0.0
    cdef double score = 0.0
    for n in range(order):
        precision = ratio(row[3 * n + 2], row[3 * n]) if row[3 * n] > 0 else EPSILON
        recall = ratio(row[3 * n + 2], row[3 * n + 1]) if row[3 * n + 1] > 0 else EPSILON
        if rules.epsilon:
            bottom = rules.factor * precision + recall
            score += rules.plus * precision * recall / bottom if bottom > 0.0 else EPSILON
        if row[3 * n] > 0 and row[3 * n + 1] > 0:
            precisions += precision
            recalls += recall
            effective += 1
    if rules.epsilon:
        return 100.0 * score / <double>order
    if effective == 0:
        return 0.0
    precisions /= <double>effective
    recalls /= <double>effective
    bottom = rules.factor * precisions + recalls
    if precisions + recalls == 0.0 or bottom == 0.0:
        return 0.0
    return 100.0 * (rules.plus * precisions * recalls / bottom)


# ------------------------------------------------------------------------------------------------------------ segments

cdef void begin_row(const Units *hypothesis, const Units *text, int order, int64_t *row) noexcept nogil:
    """Write how many n-grams there are, three numbers an order, the third one 0."""
    cdef int n
    for n in range(order):
        row[3 * n + 1] = ngrams_of(text.count, n + 1)
        row[3 * n] = ngrams_of(hypothesis.count, n + 1) if row[3 * n + 1] > 0 else 0
        row[3 * n + 2] = 0


cdef int match_all(Workshop *shop, const Units *texts, Py_ssize_t count, int order, int64_t *rows,
                   Py_ssize_t row_size) except -1 nogil:
    """Write counts and matches of the hypothesis, the first text, with each of the others, three numbers an order."""
    cdef const Units *hypothesis = texts
    cdef uint64_t odd = secret()
    cdef int64_t *changes
    cdef Positions *positions
    cdef Positions from_
    cdef Table table
    cdef int32_t *memory
    cdef int32_t *places
    cdef uint64_t needed = 0
    cdef int32_t names = 1
    cdef Py_ssize_t most = hypothesis.count
    cdef bint apart = pairs_have_cells(hypothesis)
    cdef int first = 1
    cdef Py_ssize_t k
    cdef int n
    for k in range(1, count + 1):
        begin_row(hypothesis, &texts[k], order, rows + (k - 1) * row_size)
    for k in range(count + 1):
        needed += 2 * <uint64_t>texts[k].count + 2
        most = max(most, texts[k].count)
    make_room(&shop.walk, <uint64_t>count * (sizeof(Positions) + CHANGES * sizeof(int64_t))
              + (needed + <uint64_t>most + 1) * sizeof(int32_t))
    positions = <Positions *>shop.walk.data
    changes = <int64_t *>(positions + count)
    memset(changes, 0, <size_t>count * CHANGES * sizeof(int64_t))
    places = <int32_t *>(changes + count * CHANGES)
    memory = places + most + 1
    if apart:
        first = 2
        names = hypothesis.different + 1
        all_pairs(&from_, memory, hypothesis)
    else:
        all_of(&from_, memory, hypothesis.count)
    memory += 2 * hypothesis.count + 2
    for k in range(count):
        if apart:
            all_pairs(&positions[k], memory, &texts[k + 1])
            changes[k * CHANGES + 1] = shared_units(hypothesis, &texts[k + 1])
            changes[k * CHANGES + 2] = -changes[k * CHANGES + 1]
        else:
            all_of(&positions[k], memory, texts[k + 1].count)
        memory += 2 * texts[k + 1].count + 2
        watch(&shop.watching, texts[k + 1].count >> 4)
    for n in range(first, order + 1):
        if from_.count == 0:
            break
        make_room(&shop.table, table_size(from_.count, names, hypothesis.different, False))
        fill_table(&table, shop.table.data, hypothesis, n, &from_, &names, places, False, odd,
                   &shop.watching)
        for k in range(count):
            take(&table, hypothesis, &texts[k + 1], n, order, &positions[k], places, changes + k * CHANGES, odd,
                 &shop.watching)
    for k in range(count):
        add_up(changes + k * CHANGES, order, rows + k * row_size)
    return 0


cdef void add_up(const int64_t *changes, int order, int64_t *row) noexcept nogil:
    """Write the matches, each third number of a row."""
    cdef int64_t matches = 0
    cdef int n
    for n in range(order):
        matches += changes[n + 1]
        row[3 * n + 2] = matches


cdef int count_segment(const Rules *rules, Workshop *shop, const Line *hypothesis, const Line *references,
                       Py_ssize_t count, int64_t *row) except -1 nogil:
    """Write the row of the reference with the best score, the first of equal ones; there is at least one."""
    cdef int order = rules.char_order + rules.word_order
    cdef int width = 1
    cdef Py_ssize_t row_size = 3 * order
    cdef Py_ssize_t best = 0
    cdef double score, best_score
    cdef int64_t *rows
    cdef Py_ssize_t k
    if not read_segment(rules, shop, hypothesis, references, count, width):
        read_segment(rules, shop, hypothesis, references, count, 4)
        width = 4
    make_room(&shop.rows, <uint64_t>count * <uint64_t>row_size * sizeof(int64_t))
    rows = <int64_t *>shop.rows.data
    match_characters(rules, shop, count, width, rows, row_size)
    if rules.word_order > 0:
        match_words(rules, shop, count, rows + 3 * rules.char_order, row_size)
    if count > 1:
        best_score = -1.0
        for k in range(count):
            score = score_of(rules, rows + k * row_size)
            if score > best_score:
                best_score = score
                best = k
    for k in range(row_size):
        row[k] = rows[best * row_size + k]
    shrink(shop)
    return 0


cdef void shrink(Workshop *shop) noexcept nogil:
    """Give back what only a long segment needs."""
    if CYBLEU_UNLIKELY(shop.table.room > KEPT):
        give_back(&shop.table)
        give_back(&shop.walk)
        give_back(&shop.text)


cdef int read_segment(const Rules *rules, Workshop *shop, const Line *hypothesis, const Line *references,
                      Py_ssize_t count, int width) except -1 nogil:
    """The texts in numbers; 0 where numbers of one byte do not suffice."""
    cdef uint64_t used = BEFORE
    cdef Py_ssize_t spans = 0
    cdef Py_ssize_t k
    cdef Text *texts
    make_room(&shop.texts, (<uint64_t>count + 1) * (sizeof(Text) + sizeof(Units)))
    texts = <Text *>shop.texts.data
    forget(shop)
    if not read_text(shop, hypothesis, width, rules.word_order > 0, True, &used, &spans, texts):
        return 0
    for k in range(count):
        read_text(shop, &references[k], width, rules.word_order > 0, False, &used, &spans, &texts[k + 1])
    return 1


cdef int match_characters(const Rules *rules, Workshop *shop, Py_ssize_t count, int width, int64_t *rows,
                          Py_ssize_t row_size) except -1 nogil:
    cdef Text *texts = <Text *>shop.texts.data
    cdef Units *units = <Units *>(texts + count + 1)
    cdef Py_ssize_t k
    if rules.char_order == 0:
        return 0
    for k in range(count + 1):
        units[k].data = shop.text.data + texts[k].start
        units[k].count = texts[k].count
        units[k].width = width
        units[k].different = shop.different
    return match_all(shop, units, count, rules.char_order, rows, row_size)


cdef int match_words(const Rules *rules, Workshop *shop, Py_ssize_t count, int64_t *rows,
                     Py_ssize_t row_size) except -1 nogil:
    cdef Text *texts = <Text *>shop.texts.data
    cdef Units *units = <Units *>(texts + count + 1)
    cdef uint64_t odd = secret()
    cdef Py_ssize_t known = begin_words(shop, texts[0].words)
    cdef Py_ssize_t longest = 0
    cdef uint64_t used = 0
    cdef int32_t given = 0
    cdef Py_ssize_t k
    for k in range(count + 1):
        texts[k].numbers = used
        used += (<uint64_t>texts[k].words + 2) * sizeof(int32_t)
        longest = max(longest, texts[k].words)
    make_room(&shop.words, used)
    for k in range(count + 1):
        units[k].data = shop.words.data + texts[k].numbers
        units[k].count = texts[k].words
        units[k].width = 4
        number_words(shop, &texts[k], known, k == 0, odd, <int32_t *>units[k].data, &given)
        units[k].different = given
        memset(<uint8_t *>units[k].data + 4 * units[k].count, 0xFF, AHEAD)
    if longest > MASK_BITS:
        return match_all(shop, units, count, rules.word_order, rows, row_size)
    for k in range(1, count + 1):
        match_few_words(units, &units[k], rules.word_order, rows + (k - 1) * row_size)
    return 0


cdef void match_few_words(const Units *hypothesis, const Units *text, int order, int64_t *row) noexcept nogil:
    """The same of one reference, of texts whose words masks have bits for."""
    cdef MaskMatcher matcher
    cdef int64_t matches[MOST_OF_A_KIND]
    cdef int32_t ids[MASK_BITS]
    cdef int32_t others[MASK_BITS]
    cdef Py_ssize_t i
    cdef int n
    for i in range(hypothesis.count):   # there they count from 0, and -1 is unknown
        ids[i] = (<const int32_t *>hypothesis.data)[i] - 1
    for i in range(text.count):
        others[i] = (<const int32_t *>text.data)[i] - 1
    for n in range(order):
        matches[n] = 0
    begin_masks(&matcher, ids, <int>hypothesis.count, hypothesis.different, order)
    add_reference_masks(&matcher, others, <int>text.count)
    finish_masks(&matcher, matches)
    begin_row(hypothesis, text, order, row)
    for n in range(order):
        row[3 * n + 2] = matches[n]


# ----------------------------------------------------------------------------------------------------------- the class

SPACES = ("dropped", "kept", "dropped but separators")


cdef class CharacterF:
    """How to count and to score. Immutable, so that threads can share it.

    :param char_order: the largest order of n-grams of characters, from 0
    :param word_order: the same of words
    :param beta: how much more recall weighs than precision; the square of it is finite
    :param space: ``dropped``, ``kept``, or ``dropped but separators``, which keeps U+001C to U+001F
    :param epsilon: the mean of the orders' scores, where nothing is 1e-16, and not that of precisions and recalls
    """

    def __init__(self, int char_order, int word_order, beta, str space not None, bint epsilon):
        if (not 0 <= char_order <= MOST_OF_A_KIND or not 0 <= word_order <= MOST_OF_A_KIND
                or char_order + word_order == 0):
            raise ValueError("the orders are out of range")
        self.rules.char_order = char_order
        self.rules.word_order = word_order
        self.rules.space = SPACES.index(space)
        self.rules.epsilon = epsilon
        self.rules.factor = float(beta ** 2)
        self.rules.plus = float(1 + beta ** 2)
        self.order = char_order + word_order

    cdef int check(self, RawTexts hypotheses, RawTexts references, const int64_t[::1] sets, Py_ssize_t start,
                   Py_ssize_t stop) except -1:
        cdef Py_ssize_t i
        if not 0 <= start <= stop <= hypotheses.count or sets.shape[0] != hypotheses.count + 1:
            raise ValueError("the segments do not fit")
        for i in range(start, stop):
            if not 0 <= sets[i] < sets[i + 1] <= references.count:
                raise ValueError("a segment has no reference")
        return 0

    def row(self, hypothesis, references):
        """The row of a line with one or more others."""
        cdef RawTexts texts = RawTexts([hypothesis, *references])
        cdef Workshop shop
        cdef int64_t row[ROW]
        if texts.count < 2:
            raise ValueError("a segment has no reference")
        make_workshop(&shop, self.rules.space)
        try:
            with nogil:
                count_segment(&self.rules, &shop, &texts.lines[0], &texts.lines[1], texts.count - 1, row)
        finally:
            end_workshop(&shop)
        return as_list(row, 3 * self.order)

    def evaluate(self, row):
        """The score of a row, from 0 to 100, or None where it is declined."""
        cdef int64_t counts[ROW]
        cdef int overflow = 0
        cdef object number
        cdef Py_ssize_t n
        if not PyList_CheckExact(row) or len(row) != 3 * self.order:
            return None
        memset(counts, 0, 3 * <size_t>self.order * sizeof(int64_t))
        for n in range(3 * self.order):
            number = row[n]
            if not PyLong_CheckExact(number):
                return None
            counts[n] = PyLong_AsLongLongAndOverflow(number, &overflow)
            if overflow or not -LARGEST < counts[n] < LARGEST:
                return None
        return score_of(&self.rules, counts)

    def rows(self, RawTexts hypotheses not None, RawTexts references not None, const int64_t[::1] sets,
             Py_ssize_t start, Py_ssize_t stop, int64_t[:, ::1] rows):
        """Write the rows of the segments from `start` to before `stop`.

        :param sets: where the references of each segment begin among the references, and the end
        """
        cdef Workshop shop
        cdef Py_ssize_t i
        self.check(hypotheses, references, sets, start, stop)
        if start == stop:
            return
        if rows.shape[0] != hypotheses.count or rows.shape[1] != 3 * self.order:
            raise ValueError("the rows do not fit the segments")
        make_workshop(&shop, self.rules.space)
        try:
            with nogil:
                for i in range(start, stop):
                    count_segment(&self.rules, &shop, &hypotheses.lines[i], &references.lines[sets[i]],
                                  <Py_ssize_t>(sets[i + 1] - sets[i]), &rows[i, 0])
                    watch(&shop.watching, 8)
        finally:
            end_workshop(&shop)

    def sum(self, RawTexts hypotheses not None, RawTexts references not None, const int64_t[::1] sets,
            Py_ssize_t start, Py_ssize_t stop):
        """The sum of these rows as a list."""
        cdef Workshop shop
        cdef int64_t row[ROW]
        cdef int64_t total[ROW]
        cdef Py_ssize_t i
        cdef int n
        self.check(hypotheses, references, sets, start, stop)
        memset(total, 0, sizeof(total))
        make_workshop(&shop, self.rules.space)
        try:
            with nogil:
                for i in range(start, stop):
                    count_segment(&self.rules, &shop, &hypotheses.lines[i], &references.lines[sets[i]],
                                  <Py_ssize_t>(sets[i + 1] - sets[i]), row)
                    for n in range(3 * self.order):
                        total[n] += row[n]
                    watch(&shop.watching, 8)
            return as_list(total, 3 * self.order)
        finally:
            end_workshop(&shop)

    def score_rows(self, const int64_t[:, ::1] stats, Py_ssize_t start, double[::1] scores):
        """Write the score of each row from `start` on; the first row that is declined, or the end."""
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t position = start
        cdef bint fits = True
        cdef int n
        if start < 0 or stats.shape[0] != scores.shape[0] or stats.shape[1] != 3 * self.order:
            raise ValueError("the rows do not fit the scores or the orders")
        with nogil:
            while position < stats.shape[0]:
                for n in range(3 * self.order):
                    fits = fits and -LARGEST < stats[position, n] < LARGEST
                if not fits:
                    break
                scores[position] = score_of(&self.rules, &stats[position, 0])
                position += 1
                watch(&watching, 4)
        return position


cdef list as_list(const int64_t *numbers, Py_ssize_t count):
    cdef list listed = []
    cdef Py_ssize_t i
    for i in range(count):
        listed.append(numbers[i])
    return listed
