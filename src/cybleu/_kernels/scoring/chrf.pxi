# chrF statistics and scores, of segments and of all pairs of texts.
#
# A row has for each order, character orders first, the n-gram counts of the hypothesis and of the reference, and the
# matches. Longer n-grams can only match where shorter ones do, so the work decreases with the number of matches.

cdef enum:
    TOGETHER = 65536        # characters of references per block of pairs, or at least those of the hypothesis
    OF_EACH = 64            # added for each reference, for the memory of its matches


cdef struct ChrfRules:
    int char_order
    int word_order
    int space
    bint epsilon
    double factor       # beta ** 2
    double plus         # 1 + beta ** 2


# The texts whose n-grams are counted, and then those looked up in them.
cdef struct Group:
    Py_ssize_t counted
    Py_ssize_t total
    Units *characters
    Units *words
    Py_ssize_t longest      # words


# ------------------------------------------------------------------------------------------------------------- scoring
cdef double chrf_of_row(const ChrfRules *rules, const int64_t *row) noexcept nogil:
    """The F-score of a row of numbers below 2 ** 53, which are exact as doubles, as sacreBLEU computes it."""
    cdef int order = rules.char_order + rules.word_order
    cdef int effective = 0
    cdef int n
    cdef double precision, recall, bottom
    cdef double precisions = 0.0
    cdef double recalls = 0.0
    cdef double score = 0.0
    for n in range(order):
        # sacreBLEU's and NLTK's number for no n-grams
        precision = <double>row[3 * n + 2] / <double>row[3 * n] if row[3 * n] > 0 else 1e-16
        recall = <double>row[3 * n + 2] / <double>row[3 * n + 1] if row[3 * n + 1] > 0 else 1e-16
        if rules.epsilon:
            bottom = rules.factor * precision + recall
            score += rules.plus * precision * recall / bottom if bottom > 0.0 else 1e-16
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
cdef void begin_row(const ChrfRules *rules, const Group *group, Py_ssize_t one, Py_ssize_t other,
                    int64_t *row) noexcept nogil:
    """Write the n-gram counts of one text and another, the first two of three numbers for each order."""
    cdef const Units *units = group.characters
    cdef int order = 0
    cdef int n
    for n in range(rules.char_order + rules.word_order):
        if n == rules.char_order:
            units = group.words
            order = 0
        order += 1
        row[1] = ngrams_of(units[other].count, order)
        row[0] = ngrams_of(units[one].count, order) if row[1] > 0 else 0
        row += 3


cdef int match_all(ChrfWorkspace *work, const Units *one, const Units *others, Py_ssize_t count, int order,
                   int64_t *rows, Py_ssize_t row_size, bint often) except -1 nogil:
    """Write the matches of a text with each of several others, the third of three numbers for each order.

    :param often: many texts are looked up in its tables
    """
    cdef int64_t *changes
    cdef Positions *positions
    cdef Positions from_
    cdef Table table
    cdef int32_t *memory
    cdef int32_t *places
    cdef uint64_t needed = 2 * <uint64_t>one.count + 2
    cdef int32_t names = 1
    cdef Py_ssize_t most = one.count
    cdef bint apart = pairs_have_cells(one, often)
    cdef int64_t matches
    cdef int first = 1
    cdef Py_ssize_t k
    cdef int n
    for k in range(count):
        needed += 2 * <uint64_t>others[k].count + 2
        most = max(most, others[k].count)
    reserve(&work.walk, <uint64_t>count * (sizeof(Positions) + CHANGES * sizeof(int64_t))
            + (needed + <uint64_t>most + 1) * sizeof(int32_t))
    positions = <Positions *>work.walk.data
    changes = <int64_t *>(positions + count)
    places = <int32_t *>(changes + count * CHANGES)
    memory = places + most + 1
    if apart:
        first = 2
        names = one.different + 1
        all_pairs(&from_, memory, one)
    else:
        all_of(&from_, memory, one.count)
    memory += 2 * one.count + 2
    for k in range(count):
        clear_items(changes + k * CHANGES, CHANGES)
        if apart:
            all_pairs(&positions[k], memory, &others[k])
            changes[k * CHANGES + 1] = shared_units(one, &others[k])
            changes[k * CHANGES + 2] = -changes[k * CHANGES + 1]
        else:
            all_of(&positions[k], memory, others[k].count)
        memory += 2 * others[k].count + 2
        watch(&work.watching, 8)
    for n in range(first, order + 1):
        if from_.count == 0:
            break
        reserve(&work.table, unit_table_size(from_.count, names, one.different, often))
        fill_table(&table, work.table.data, one, n, &from_, &names, places, often, &work.watching)
        for k in range(count):
            take_ngrams(&table, one, &others[k], n, order, &positions[k], places, changes + k * CHANGES, &work.watching)
            watch(&work.watching, 1 + (others[k].count >> 2))
    for k in range(count):
        matches = 0
        for n in range(order):
            matches += changes[n + 1]
            rows[3 * n + 2] = matches
        changes += CHANGES
        rows += row_size
    return 0


cdef int count_characters(const ChrfRules *rules, ChrfWorkspace *work, const Line *hypothesis, const Line *references,
                          Py_ssize_t count, int64_t *row) except -1 nogil:
    """Write the row of the reference with the best score, on ties the first; requires at least one."""
    cdef Py_ssize_t row_size = 3 * (rules.char_order + rules.word_order)
    cdef Group group
    cdef double score
    cdef double best = -1.0
    cdef int64_t *found
    cdef Py_ssize_t _k
    group.counted, group.total = 1, count + 1
    read_group(rules, work, &group, hypothesis, references)
    match_group(rules, work, &group, 0, 1, count, False)
    found = <int64_t *>work.rows.data
    for _k in range(count):
        score = chrf_of_row(rules, found) if count > 1 else 0.0
        if score > best:
            best = score
            copy_items(row, found, row_size)
        found += row_size
        watch(&work.watching, 1)
    return 0


cdef int read_group(const ChrfRules *rules, ChrfWorkspace *work, Group *group, const Line *counted,
                    const Line *others) except -1 nogil:
    """Number the characters and words of the texts."""
    if not read_numbers(rules, work, group, counted, others, 1):
        read_numbers(rules, work, group, counted, others, 4)
    return 0


cdef inline const Line *line_in(const Group *group, const Line *counted, const Line *others,
                                Py_ssize_t i) noexcept nogil:
    """Return a text of a group."""
    return &counted[i] if i < group.counted else &others[i - group.counted]


cdef int read_numbers(const ChrfRules *rules, ChrfWorkspace *work, Group *group, const Line *counted,
                      const Line *others, int width) except -1 nogil:
    """Number the characters and words of the texts; 0 if ids of one byte do not suffice."""
    cdef Py_ssize_t total = group.total
    cdef uint64_t size = BEFORE
    cdef const uint8_t *ids
    cdef Units *words = NULL
    cdef Py_ssize_t i
    reserve(&work.texts, <uint64_t>total * 2 * sizeof(Units))
    group.characters = <Units *>work.texts.data
    group.words = group.characters + total
    for i in range(total):
        size += <uint64_t>(line_in(group, counted, others, i).size * width) + 2 * AHEAD
    reserve(&work.text, size)       # at once: the table of words has addresses in it
    forget_characters(work)
    forget_tokens(&work.known)
    reserve_tokens(&work.known, 0)      # words are looked up also if no text is counted
    work.used = BEFORE
    work.used_by_words = 0
    for i in range(total):
        if rules.word_order > 0:
            words = &group.words[i]
        if not read_text(work, line_in(group, counted, others, i), width, i < group.counted, &group.characters[i],
                         words):
            return 0
    ids = work.words.data
    group.longest = 0
    for i in range(total):
        group.characters[i].different = work.different
        if rules.word_order > 0:
            group.words[i].data = ids
            group.words[i].width = sizeof(int32_t)
            group.words[i].different = work.known.size
            group.longest = max(group.longest, group.words[i].count)
            ids += group.words[i].count * <Py_ssize_t>sizeof(int32_t) + AHEAD
    if width == 1:
        count_units(group.characters, total, &work.counts, &work.watching)
    return 1


cdef int match_group(const ChrfRules *rules, ChrfWorkspace *work, const Group *group, Py_ssize_t one, Py_ssize_t first,
                     Py_ssize_t count, bint often) except -1 nogil:
    """Write the rows of a text with others, those from `first` on, to `work.rows`.

    :param often: many texts are looked up in its tables
    """
    cdef Py_ssize_t row_size = 3 * (rules.char_order + rules.word_order)
    cdef bint few_words = not often and rules.word_order > 0 and group.longest <= MASK_BITS
    cdef int64_t *row
    cdef Py_ssize_t k
    reserve(&work.rows, <uint64_t>count * <uint64_t>row_size * sizeof(int64_t))
    row = <int64_t *>work.rows.data
    if rules.char_order > 0:
        match_all(work, &group.characters[one], &group.characters[first], count, rules.char_order, row, row_size, often)
    if rules.word_order > 0 and not few_words:
        match_all(work, &group.words[one], &group.words[first], count, rules.word_order, row + 3 * rules.char_order,
                  row_size, often)
    for k in range(first, first + count):
        if few_words:
            match_few_words(&group.words[one], &group.words[k], rules.word_order, row + 3 * rules.char_order)
        begin_row(rules, group, one, k, row)
        row += row_size
        watch(&work.watching, 8)
    return 0


cdef void match_few_words(const Units *one, const Units *other, int order, int64_t *row) noexcept nogil:
    """Write the word matches of texts that fit the masks."""
    cdef MaskMatcher matcher
    cdef int64_t matches[MOST_OF_A_KIND]
    cdef int32_t ids[MASK_BITS]
    cdef int32_t others[MASK_BITS]
    cdef Py_ssize_t i
    cdef int n
    for i in range(one.count):   # ids there start at 0, with -1 for unknown words
        ids[i] = (<const int32_t *>one.data)[i] - 1
    for i in range(other.count):
        others[i] = (<const int32_t *>other.data)[i] - 1
    for n in range(order):
        matches[n] = 0
    begin_masks(&matcher, ids, <int>one.count, one.different, order)
    add_reference_masks(&matcher, others, <int>other.count)
    finish_masks(&matcher, matches)
    for n in range(order):
        row[3 * n + 2] = matches[n]


# ----------------------------------------------------------------------------------------------------------- the class
SPACES = ("dropped", "kept", "dropped but separators")


cdef class CharacterF(RowFormula):
    """Options of chrF, and functions that count and score.

    :param char_order: the largest order of n-grams of characters, from 0
    :param word_order: the largest order of n-grams of words, from 0
    :param beta: the weight of recall relative to precision, with a finite square
    :param space: ``dropped``, ``kept``, or ``dropped but separators``, which keeps U+001C to U+001F
    :param epsilon: average the F-scores of the orders, with zeros replaced by 1e-16, instead of precisions and recalls
    """

    cdef ChrfRules rules
    cdef int order

    def __cinit__(self, int char_order, int word_order, beta, str space not None, bint epsilon):
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
        self.width = 3 * self.order

    cdef double score_of(self, const int64_t *row) noexcept nogil:
        cdef bint fits = True
        cdef Py_ssize_t n
        for n in range(self.width):
            fits &= 0 <= row[n] < <int64_t>1 << 53
        return chrf_of_row(&self.rules, row) if fits else NO_SCORE

    def row(self, hypothesis, references):
        """Return the row of a hypothesis with one or more references."""
        cdef RawTexts texts = RawTexts([hypothesis, *references])
        cdef ChrfWorkspace work
        cdef int64_t row[6 * MOST_OF_A_KIND]
        cdef int n
        if texts.size < 2:
            raise ValueError("a segment has no reference")
        make_characters(&work, self.rules.space)
        try:
            with nogil:
                count_characters(&self.rules, &work, &texts.lines[0], &texts.lines[1], texts.size - 1, row)
        finally:
            end_characters(&work)
        return [row[n] for n in range(self.width)]

    def evaluate(self, list row not None):
        """Return the score of a row, from 0 to 100, or None if it is declined."""
        cdef int64_t numbers[6 * MOST_OF_A_KIND]
        cdef double score = self.score_of(numbers) if read_row(row, self.width, numbers) else NO_SCORE
        return score if isfinite(score) else None

    def rows(self, Segments segments not None, Py_ssize_t start, Py_ssize_t stop, int64_t[:, ::1] rows not None):
        """Write the rows of the segments from `start` to before `stop`.

        :param segments: of raw text, whose tokeniser is not used
        """
        cdef ChrfWorkspace work
        cdef RawTexts hypotheses = segments.lines
        cdef RawTexts references = segments.reference_lines
        cdef Py_ssize_t i, first
        segments.check(start, stop, rows.shape, self.width)
        if hypotheses is None:
            raise ValueError("the segments must be raw text")
        make_characters(&work, self.rules.space)
        try:
            with nogil:
                for i in range(start, stop):
                    first = segments.first(i)
                    count_characters(&self.rules, &work, &hypotheses.lines[i], &references.lines[first],
                                     segments.end(i) - first, &rows[i, 0])
        finally:
            end_characters(&work)


# --------------------------------------------------------------------------------------------------------------- pairs
cdef class CharacterTexts:
    """Texts prepared for pairwise scoring. Immutable.

    :param measure: the options of chrF
    :param hypotheses: None to score the references against each other
    """

    cdef CharacterF measure
    cdef Py_ssize_t references      # how many
    cdef bint each_other
    cdef ChrfWorkspace work      # holds the texts, hypotheses first; each call has its own `walk`, `rows` and `table`
    cdef Group group

    def __dealloc__(self):
        end_characters(&self.work)

    def __cinit__(self, CharacterF measure not None, RawTexts references not None, RawTexts hypotheses=None):
        self.each_other = hypotheses is None
        hypotheses = references if hypotheses is None else hypotheses
        make_characters(&self.work, measure.rules.space)
        self.references = references.size
        self.group.counted = hypotheses.size
        self.group.total = self.group.counted + (0 if self.each_other else references.size)
        with nogil:
            read_group(&measure.rules, &self.work, &self.group, hypotheses.lines, references.lines)
        self.measure = measure

    def fill(self, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] scores):
        """Write the scores of hypotheses `start` to `stop` (exclusive): `scores[i, j]` is for i against reference j.
        If hypotheses and references are the same texts, also write the transposed block.
        """
        cdef ChrfWorkspace work
        cdef const ChrfRules *rules = &self.measure.rules
        cdef Py_ssize_t offset = 0 if self.each_other else self.group.counted     # of the references in the group
        cdef Py_ssize_t i, j, first, last, units
        cdef int64_t *row
        if (scores.shape[0] != self.group.counted or scores.shape[1] != self.references
                or not 0 <= start <= stop <= self.group.counted):
            raise ValueError("the scores do not fit the texts")
        make_characters(&work, rules.space)
        try:
            with nogil:
                for i in range(start, stop):
                    last = i if self.each_other else 0
                    while last < self.references:
                        first = last
                        units = 0
                        while last < self.references and units < max(TOGETHER, self.group.characters[i].count):
                            units += self.group.characters[offset + last].count + OF_EACH
                            last += 1
                        match_group(rules, &work, &self.group, i, offset + first, last - first, True)
                        row = <int64_t *>work.rows.data
                        for j in range(first, last):
                            scores[i, j] = chrf_of_row(rules, row)
                            if self.each_other and j != i:
                                begin_row(rules, &self.group, j, i, row)
                                scores[j, i] = chrf_of_row(rules, row)
                            row += self.measure.width
                            watch(&work.watching, 8)
        finally:
            end_characters(&work)
