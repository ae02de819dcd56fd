# Count segments of raw text and of token ids, without Python objects for tokens.
#
# The tokens of the hypothesis get ids local to the segment, by which those of the references are looked up. Then
# segments are counted as in `segments.pxi`: if no text has more than 64 tokens, positions are bits of a machine word.
#
# Offers: `SegmentWorkspace` with `make_workspace` and `end_workspace`; `Segments`, which `number` tokens;
# `begin_segment`, `number_ids_of`, `size_of`, `count_numbered` and `match_texts` for tokens that have ids.

# ------------------------------------------------------------------------------------------------------- one segment

cdef enum:
    MOST_ENTRIES = 0x40000      # of a table by id; more do not stay in the cache
    ENTRIES_EACH = 4            # entries for each token up to which making it takes less time than hashing ids


# Working memory of one thread.
cdef struct SegmentWorkspace:
    Scanner hypothesis
    Scanner reference
    Token tokens[AT_ONCE + MORE_TOKENS]
    FewTokens few
    bint has_few                # otherwise `table` has the tokens of the hypothesis
    MaskMatcher matcher
    Py_ssize_t references       # how many the segment has
    int32_t distinct            # tokens of the hypothesis
    TokenIds numbers             # token ids of the hypothesis, then of each reference; -1 after each text
    Py_ssize_t *starts          # where those of each text begin, and the end
    Py_ssize_t most_starts      # that fit
    Buffer memory
    int32_t *by_id              # of ids that are not hashed, the numbers in a segment; 0 between segments
    TokenTable table
    ChrfWorkspace characters
    bint characters_begun


cdef Py_ssize_t *begin_segment(SegmentWorkspace *work, Py_ssize_t count) except NULL nogil:
    """Return where the starts of the texts are written, of a segment with so many references."""
    work.references = count
    work.starts = <Py_ssize_t *>grown(work.starts, count + 2, &work.most_starts, sizeof(Py_ssize_t))
    work.numbers.count = work.starts[0] = 0
    return work.starts


cdef inline Py_ssize_t size_of(const SegmentWorkspace *work, Py_ssize_t k) noexcept nogil:
    """Return the number of tokens of a text: 0 is the hypothesis, k the k-th reference."""
    return work.starts[k + 1] - work.starts[k] - 1


cdef int count_numbered(SegmentWorkspace *work, Py_ssize_t max_order, int mode, int64_t *row) except -1 nogil:
    """Write the row of a segment whose tokens have numbers."""
    cdef Py_ssize_t chosen = -1
    cdef Py_ssize_t length = size_of(work, 0)
    cdef Py_ssize_t longest = length
    cdef Py_ssize_t size, k, n
    for k in range(1, work.references + 1):
        size = size_of(work, k)
        longest = max(longest, size)
        chosen = length_with(chosen, size, length, mode)
    row[0] = length
    row[1] = chosen // work.references if mode == AVERAGE else chosen
    for n in range(max_order):
        row[2 + n] = 0
        row[2 + max_order + n] = length - n if length > n else 0
    if length > 0:
        match_texts(work, longest, max_order, row + 2)
    return 0


cdef int match_texts(SegmentWorkspace *work, Py_ssize_t longest, Py_ssize_t max_order,
                     int64_t *matches) except -1 nogil:
    """Add the matches of a segment's token ids."""
    cdef const int32_t *numbers = work.numbers.values
    cdef Py_ssize_t texts = work.references + 1
    cdef Py_ssize_t k
    if longest <= MASK_BITS:
        begin_masks(&work.matcher, numbers, <int>size_of(work, 0), work.distinct, max_order)
        for k in range(1, texts):
            add_reference_masks(&work.matcher, numbers + work.starts[k], <int>size_of(work, k))
        finish_masks(&work.matcher, matches)
        return 0
    reserve(&work.memory, match_memory(size_of(work, 0), work.numbers.count, texts))
    return match_ngrams(numbers, work.starts, texts, max_order, work.memory.data, matches, &work.hypothesis.watching)


cdef int end_text(TokenIds *numbers) except -1 nogil:
    """Append the -1 that ends the ids of a text."""
    reserve_ids(numbers, 1)
    numbers.values[numbers.count] = -1
    numbers.count += 1
    if numbers.count >= MOST_POSITIONS:
        with gil:
            raise MemoryError("a segment has too many tokens")
    return 0


cdef int append_text(Tokenizer tokenizer, SegmentWorkspace *work, const Line *line, bint is_hypothesis) except -1 nogil:
    """Append the ids of the tokens of a text."""
    cdef TokenIds *numbers = &work.numbers
    cdef Scanner *scanner = &work.hypothesis if is_hypothesis else &work.reference
    cdef uint64_t places[FEW]
    cdef Py_ssize_t size = AT_ONCE
    cdef int32_t *ids
    tokenizer.begin(scanner, line)
    while size >= AT_ONCE:
        size = tokenizer.read(scanner, work.tokens, AT_ONCE)
        reserve_ids(numbers, size)
        ids = numbers.values + numbers.count
        if numbers.count == 0:
            work.has_few = size <= FEW
            forget_tokens(&work.table)
        if not work.has_few:
            number_each(&work.table, work.tokens, size, ids, is_hypothesis)
        elif is_hypothesis:
            read_words(work.tokens, size, work.few.tokens + 1, places)
            assign_few(&work.few, places, size, ids)
        else:
            look_up_few_words(&work.few, work.tokens, size, ids)
        numbers.count += size
    return 0


cdef int append_characters(Tokenizer tokenizer, SegmentWorkspace *work, const Line *line,
                           bint is_hypothesis) except -1 nogil:
    """Like `append_text`, if each character is a token, without hashing."""
    cdef TokenIds *numbers = &work.numbers
    cdef const int32_t *ids
    cdef Py_ssize_t i
    cdef Units text
    if not work.characters_begun:
        make_characters(&work.characters, KEPT_SPACE if tokenizer.keeps_space else DROPPED)
        work.characters_begun = True
    if is_hypothesis:
        forget_characters(&work.characters)
    work.characters.used = 0
    read_text(&work.characters, line, sizeof(int32_t), is_hypothesis, &text, NULL)
    reserve_ids(numbers, text.count)
    ids = <const int32_t *>text.data
    for i in range(text.count):
        numbers.values[numbers.count + i] = ids[i] - 1
    numbers.count += text.count
    return 0


cdef inline int append_line(Tokenizer tokenizer, SegmentWorkspace *work, const Line *line,
                            bint is_hypothesis) except -1 nogil:
    """Append the ids of a text, and the -1 that ends them."""
    if tokenizer.of_one_character:
        append_characters(tokenizer, work, line, is_hypothesis)
    else:
        append_text(tokenizer, work, line, is_hypothesis)
    return end_text(&work.numbers)


cdef int number_lines(Tokenizer tokenizer, SegmentWorkspace *work, const Line *hypothesis, const Line *references,
                      Py_ssize_t count) except -1 nogil:
    """Number the tokens of the hypothesis, and look up those of the references."""
    cdef Py_ssize_t *starts = begin_segment(work, count)
    cdef Py_ssize_t k
    append_line(tokenizer, work, hypothesis, True)
    starts[1] = work.numbers.count
    for k in range(count):
        append_line(tokenizer, work, &references[k], False)
        starts[k + 2] = work.numbers.count
    if tokenizer.of_one_character:
        work.distinct = work.characters.different
    else:
        work.distinct = work.few.distinct if work.has_few else work.table.size
    return 0


cdef int number_ids_of(SegmentWorkspace *work, TokenTexts hypotheses, Py_ssize_t text, TokenTexts references,
                       Py_ssize_t first, Py_ssize_t last, uint64_t bits) except -1 nogil:
    """Number the ids of a hypothesis, and look up those of the references `first` to `last` (exclusive), likewise.

    :param bits: the largest index of a table of the workspace by id; 0 if ids are hashed
    """
    cdef Watch *watching = &work.hypothesis.watching
    cdef Py_ssize_t *starts = begin_segment(work, last - first)
    cdef Py_ssize_t length = hypotheses.length(text)
    cdef uint64_t slots = 0 if bits > 0 else 2 * slots_for(length)
    cdef Py_ssize_t k
    cdef KeyTable table
    starts[1] = length + 1
    for k in range(first, last):
        starts[k - first + 2] = starts[k - first + 1] + references.length(k) + 1
        if starts[k - first + 2] > MOST_POSITIONS:
            with gil:
                raise MemoryError("a segment has too many tokens")
    work.numbers.count = starts[last - first + 1]
    reserve_ids(&work.numbers, 0)
    reserve(&work.memory, <uint64_t>(length + 2) * sizeof(uint64_t) + slots * sizeof(int32_t))
    table.keys = <uint64_t *>work.memory.data
    table.numbers = <int32_t *>(table.keys + length + 2)
    table.width = bits
    if bits > 0:
        table.numbers = work.by_id
        table.mask = bits
    else:
        forget_keys(&table, slots, watching)
    work.distinct = number_ids(&table, hypotheses, text, work.numbers.values, 0, True, watching)
    work.numbers.values[length] = -1
    for k in range(first, last):
        number_ids(&table, references, k, work.numbers.values + starts[k - first + 1], 0, False, watching)
        work.numbers.values[starts[k - first + 2] - 1] = -1
    if bits > 0:
        for k in range(1, work.distinct + 1):
            table.numbers[table.keys[k]] = 0
    return watch(watching, 8 + work.numbers.count)


cdef void make_workspace(SegmentWorkspace *work) noexcept nogil:
    make_scanner(&work.hypothesis)
    make_scanner(&work.reference)
    clear_items(&work.numbers, 1)
    work.starts = NULL
    work.most_starts = 0
    clear_items(&work.memory, 1)
    work.by_id = NULL
    clear_items(&work.table, 1)
    work.characters_begun = False


cdef void end_workspace(SegmentWorkspace *work) noexcept nogil:
    end_scanner(&work.hypothesis)
    end_scanner(&work.reference)
    free(work.numbers.values)
    free(work.starts)
    free_buffer(&work.memory)
    free(work.by_id)
    free_tokens(&work.table)
    if work.characters_begun:
        end_characters(&work.characters)


# --------------------------------------------------------------------------------------------------------- the segments
@cython.final
cdef class Segments:
    """Hypotheses with their references. Immutable.

    :param tokenizer: of raw text; None for token ids
    :param hypotheses: RawTexts with a tokeniser, otherwise TokenTexts
    :param references: the same
    :param sets: where the references of each set begin, and the end
    :param owners: for each hypothesis the index of its set; None if hypothesis i has set i
    """

    cdef Tokenizer tokenizer
    cdef RawTexts lines
    cdef RawTexts reference_lines
    cdef TokenTexts texts
    cdef TokenTexts references
    cdef uint64_t bits          # see `number_ids_of`
    cdef Py_ssize_t count
    cdef const int64_t[::1] sets
    cdef const int64_t[::1] owners

    def __cinit__(self, Tokenizer tokenizer, hypotheses not None, references not None, const int64_t[::1] sets not None,
                  const int64_t[::1] owners=None):
        cdef Py_ssize_t count, i
        cdef int64_t owner
        cdef uint64_t limit
        self.tokenizer = tokenizer
        if tokenizer is None:
            self.texts, self.references = hypotheses, references
            self.count, count = self.texts.size, self.references.size
            limit = <uint64_t>min(MOST_ENTRIES, ENTRIES_EACH * (self.texts.total + self.references.total))
            self.bits = self.texts.bits(limit) | self.references.bits(limit)
            if self.bits >= limit:
                self.bits = 0
        else:
            self.lines, self.reference_lines = hypotheses, references
            self.count, count = self.lines.size, self.reference_lines.size
        self.sets, self.owners = sets, owners
        if owners is not None and owners.shape[0] < self.count:
            raise ValueError("the owners do not fit the hypotheses")
        for i in range(self.count):
            owner = self.owner(i)
            if not 0 <= owner < sets.shape[0] - 1 or not 0 <= sets[owner] < sets[owner + 1] <= count:
                raise ValueError("a segment has no reference")

    cdef int check(self, Py_ssize_t start, Py_ssize_t stop, const Py_ssize_t *shape, Py_ssize_t columns) except -1:
        """Check that the segments from `start` to before `stop` exist, and the rows of all."""
        if not 0 <= start <= stop <= self.count:
            raise ValueError("the range does not fit the texts")
        return check_rows(shape, self.count, columns)

    cdef int64_t owner(self, Py_ssize_t i) noexcept nogil:
        """Return the set of a segment."""
        return i if self.owners is None else self.owners[i]

    cdef Py_ssize_t first(self, Py_ssize_t i) noexcept nogil:
        """Return its first reference."""
        return <Py_ssize_t>self.sets[self.owner(i)]

    cdef Py_ssize_t end(self, Py_ssize_t i) noexcept nogil:
        """Return the end of its references."""
        return <Py_ssize_t>self.sets[self.owner(i) + 1]

    cdef int number(self, SegmentWorkspace *work, Py_ssize_t i) except -1 nogil:
        """Number the tokens of a segment."""
        cdef Py_ssize_t first = self.first(i)
        if self.tokenizer is None:
            if self.bits > 0 and work.by_id == NULL:
                work.by_id = <int32_t *>new_zeros(<Py_ssize_t>self.bits + 1, sizeof(int32_t))
            return number_ids_of(work, self.texts, i, self.references, first, self.end(i), self.bits)
        return number_lines(self.tokenizer, work, &self.lines.lines[i], &self.reference_lines.lines[first],
                            self.end(i) - first)


def numbered_rows(Segments segments not None, Py_ssize_t max_order, str reference_length not None, Py_ssize_t start,
                  Py_ssize_t stop, int64_t[:, ::1] rows):
    """Write the statistics rows of segments `start` to `stop` (exclusive)."""
    cdef SegmentWorkspace work
    cdef int mode = REFERENCE_LENGTHS.index(reference_length)
    cdef Py_ssize_t i
    segments.check(start, stop, rows.shape, bleu_row_size(max_order))
    make_workspace(&work)
    try:
        with nogil:
            for i in range(start, stop):
                segments.number(&work, i)
                count_numbered(&work, max_order, mode, &rows[i, 0])
    finally:
        end_workspace(&work)


def raw_row(Tokenizer tokenizer not None, lines, Py_ssize_t max_order):
    """Return the statistics row of one segment as a list, with the closest reference length.

    :param lines: a list or tuple of str or bytes: the hypothesis, and at least one reference
    """
    cdef RawTexts texts = RawTexts(lines)
    cdef SegmentWorkspace work
    cdef int64_t *row
    cdef Py_ssize_t i
    if texts.size < 2:
        raise ValueError("there is no reference")
    row = <int64_t *>new_array(bleu_row_size(max_order), sizeof(int64_t))
    make_workspace(&work)
    try:
        with nogil:
            number_lines(tokenizer, &work, texts.lines, texts.lines + 1, texts.size - 1)
            count_numbered(&work, max_order, CLOSEST, row)
        return [row[i] for i in range(2 + 2 * max_order)]
    finally:
        end_workspace(&work)
        free(row)
