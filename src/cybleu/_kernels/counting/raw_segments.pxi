# Count segments of raw text without creating Python objects for tokens.
#
# Segments are counted as in `segments.pxi`: tokens get ids local to the segment, and if no text has more than 64
# tokens, positions are bits of a machine word.
#
# Offers: `SegmentWorkspace` with `make_workspace` and `end_workspace`; `number_segment` for the ids of a segment;
# `begin_segment`, `count_numbered` and `match_texts` for tokens that have ids.

# ------------------------------------------------------------------------------------------------------- one segment

# Working memory of one thread.
cdef struct SegmentWorkspace:
    Scanner hypothesis
    Scanner reference
    Token tokens[AT_ONCE + MORE_TOKENS]
    FewTokens few
    bint has_few                # otherwise `table` has the tokens of the hypothesis
    MaskMatcher matcher
    TokenIds numbers             # token ids of the hypothesis, then of each reference; -1 after each text
    Buffer starts               # where those of each text begin, and the end
    Buffer memory
    TokenTable table
    ChrfWorkspace characters
    bint characters_begun


cdef int count_raw_segment(Tokenizer tokenizer, SegmentWorkspace *work, const Line *hypothesis, const Line *references,
                           Py_ssize_t count, Py_ssize_t max_order, int mode, int64_t *row) except -1 nogil:
    """Write the statistics row of a segment with at least one reference."""
    cdef int32_t distinct = number_segment(tokenizer, work, hypothesis, references, count)
    return count_numbered(work, count, distinct, max_order, mode, row)


cdef Py_ssize_t *begin_segment(SegmentWorkspace *work, Py_ssize_t count) except NULL nogil:
    """Return where the starts of the texts are written, of a segment with so many references."""
    reserve(&work.starts, (<uint64_t>count + 2) * sizeof(Py_ssize_t))
    cdef Py_ssize_t *starts = <Py_ssize_t *>work.starts.data
    work.numbers.count = starts[0] = 0
    return starts


cdef int count_numbered(SegmentWorkspace *work, Py_ssize_t count, int32_t distinct, Py_ssize_t max_order, int mode,
                        int64_t *row) except -1 nogil:
    """Write the row of a segment whose tokens have numbers.

    :param distinct: how many numbers the hypothesis has
    """
    cdef const Py_ssize_t *starts = <const Py_ssize_t *>work.starts.data
    cdef Py_ssize_t chosen = -1
    cdef Py_ssize_t length = starts[1] - 1
    cdef Py_ssize_t longest = length
    cdef Py_ssize_t size, k, n
    for k in range(count):
        size = starts[k + 2] - starts[k + 1] - 1
        longest = max(longest, size)
        chosen = length_with(chosen, size, length, mode)
    row[0] = length
    row[1] = chosen // count if mode == AVERAGE else chosen
    for n in range(max_order):
        row[2 + n] = 0
        row[2 + max_order + n] = length - n if length > n else 0
    if length > 0:
        match_texts(work, count + 1, longest, distinct, max_order, row + 2)
    return 0


cdef int match_texts(SegmentWorkspace *work, Py_ssize_t texts, Py_ssize_t longest, int32_t distinct,
                     Py_ssize_t max_order, int64_t *matches) except -1 nogil:
    """Add the matches of a segment's token ids."""
    cdef const int32_t *numbers = work.numbers.values
    cdef const Py_ssize_t *starts = <const Py_ssize_t *>work.starts.data
    cdef Py_ssize_t k
    if longest <= MASK_BITS:
        begin_masks(&work.matcher, numbers, <int>(starts[1] - 1), distinct, max_order)
        for k in range(1, texts):
            add_reference_masks(&work.matcher, numbers + starts[k], <int>(starts[k + 1] - starts[k] - 1))
        finish_masks(&work.matcher, matches)
        return 0
    reserve(&work.memory, match_memory(starts[1] - 1, work.numbers.count, texts))
    match_ngrams(numbers, starts, texts, max_order, work.memory.data, matches, &work.hypothesis.watching)
    if work.memory.capacity > KEPT:
        free_buffer(&work.memory)
    return 0


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


cdef int append_characters(SegmentWorkspace *work, const Line *line, bint is_hypothesis) except -1 nogil:
    """Like `append_text`, if each character is a token, without hashing."""
    cdef TokenIds *numbers = &work.numbers
    cdef const int32_t *ids
    cdef Py_ssize_t spans = 0
    cdef Py_ssize_t i
    cdef uint64_t used = 0
    cdef Text text
    if not work.characters_begun:
        make_characters(&work.characters, DROPPED)
        work.characters_begun = True
    if is_hypothesis:
        forget_characters(&work.characters)
    read_text(&work.characters, line, sizeof(int32_t), False, is_hypothesis, &used, &spans, &text)
    reserve_ids(numbers, text.count)
    ids = <const int32_t *>(work.characters.text.data + text.start)
    for i in range(text.count):
        numbers.values[numbers.count + i] = ids[i] - 1
    numbers.count += text.count
    return 0


cdef inline int append_line(Tokenizer tokenizer, SegmentWorkspace *work, const Line *line,
                            bint is_hypothesis) except -1 nogil:
    """Append the ids of a text, and the -1 that ends them."""
    if tokenizer.of_one_character:
        append_characters(work, line, is_hypothesis)
    else:
        append_text(tokenizer, work, line, is_hypothesis)
    return end_text(&work.numbers)


cdef int32_t number_segment(Tokenizer tokenizer, SegmentWorkspace *work, const Line *hypothesis, const Line *references,
                            Py_ssize_t count) except -1 nogil:
    """Number the tokens of the hypothesis, and look up those of the references; return the number of distinct tokens.

    Where each text begins is written, too.
    """
    cdef Py_ssize_t *starts = begin_segment(work, count)
    cdef Py_ssize_t k
    append_line(tokenizer, work, hypothesis, True)
    starts[1] = work.numbers.count
    for k in range(count):
        append_line(tokenizer, work, &references[k], False)
        starts[k + 2] = work.numbers.count
    if tokenizer.of_one_character:
        return work.characters.different
    return work.few.distinct if work.has_few else work.table.size


cdef void make_workspace(SegmentWorkspace *work) noexcept nogil:
    make_scanner(&work.hypothesis)
    make_scanner(&work.reference)
    memset(&work.numbers, 0, sizeof(TokenIds))
    memset(&work.starts, 0, sizeof(Buffer))
    memset(&work.memory, 0, sizeof(Buffer))
    memset(&work.table, 0, sizeof(TokenTable))
    work.characters_begun = False


cdef void end_workspace(SegmentWorkspace *work) noexcept nogil:
    end_scanner(&work.hypothesis)
    end_scanner(&work.reference)
    free(work.numbers.values)
    free_buffer(&work.starts)
    free_buffer(&work.memory)
    free_tokens(&work.table)
    if work.characters_begun:
        end_characters(&work.characters)


def raw_rows(Tokenizer tokenizer not None, RawTexts hypotheses not None, RawTexts references not None,
             const int64_t[::1] sets, const int64_t[::1] owners, Py_ssize_t max_order, str reference_length not None,
             Py_ssize_t start, Py_ssize_t stop, int64_t[:, ::1] rows):
    """Write the statistics rows of segments `start` to `stop` (exclusive).

    :param sets: where the references of each set begin, and the end
    :param owners: for each hypothesis the index of its set; None if hypothesis i has set i
    """
    cdef SegmentWorkspace work
    cdef int mode = REFERENCE_LENGTHS.index(reference_length)
    cdef Py_ssize_t i, first
    check_segments(hypotheses.size, references.size, sets, owners, start, stop, rows.shape, bleu_row_size(max_order))
    make_workspace(&work)
    try:
        with nogil:
            for i in range(start, stop):
                first = first_of(sets, owners, i)
                count_raw_segment(tokenizer, &work, &hypotheses.lines[i], &references.lines[first],
                                  end_of(sets, owners, i) - first, max_order, mode, &rows[i, 0])
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
            count_raw_segment(tokenizer, &work, texts.lines, texts.lines + 1, texts.size - 1, max_order, CLOSEST, row)
        return [row[i] for i in range(2 + 2 * max_order)]
    finally:
        end_workspace(&work)
        free(row)
