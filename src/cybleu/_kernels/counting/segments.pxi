# Count segments and corpora in Python lists.
#
# A segment is accepted if its containers are exact lists or tuples and its tokens are plain (see `tokens/objects.pxi`).
# Anything else is declined, because it could run Python code during counting; the caller falls back to general code.
#
# Offers: `count_segment`, `count_reference`, `count_corpus`; `frozen` copies, `items_in` a text, `look_between`
# segments.

cdef enum:
    RELEASE_FROM_TOKENS = 65536        # tokens in a segment from which the GIL is released while counting
    MANY_REFERENCES = 1024      # between which there are checks for interrupts
    WORK_BETWEEN_LOOKS = 65536  # tokens, and 8 for each text


# ------------------------------------------------------------------------------------------------------- one segment

cdef int count_segment(object references, object hypothesis, Py_ssize_t max_order, int64_t *row,
                       Py_ssize_t *work) except -1:
    """Add the lengths and the clipped matches of each order to `row`, and the cost to `work`; 0 if it is declined.

    The caller holds references to both; on free-threaded builds other threads may change them.
    """
    cdef PyObject **texts
    cdef Py_ssize_t count = 0
    cdef object held
    if not cybleu_items(<PyObject *>references, &texts, &count) or count == 0:
        return 0
    if not CYBLEU_OTHER_THREADS_RUN and count <= MANY_REFERENCES:
        return count_texts(texts, count, hypothesis, max_order, row, work)
    if count == 1:      # most often; a tuple would cost 3 % of the time
        return count_reference(item_at(references, 0), hypothesis, max_order, row, work)
    held = tuple(references)
    cybleu_items(<PyObject *>held, &texts, &count)
    # A copy of the hypothesis is slow where threads share its tokens, whose references they count one after the other.
    if count <= MANY_REFERENCES and count_texts(texts, count, hypothesis, max_order, row, work):
        return 1
    return count_texts(texts, count, frozen(hypothesis, 1), max_order, row, work)


cdef int count_reference(object reference, object hypothesis, Py_ssize_t max_order, int64_t *row,
                         Py_ssize_t *work) except -1:
    """Count a segment with one reference as `count_segment` does."""
    cdef PyObject *only = <PyObject *>reference
    if count_texts(&only, 1, hypothesis, max_order, row, work):
        return 1
    return CYBLEU_OTHER_THREADS_RUN and count_texts(&only, 1, frozen(hypothesis, 1), max_order, row, work)


cdef inline Py_ssize_t items_in(PyObject *text) noexcept:
    """Return the number of tokens, or -1 for other types, and prefetch tokens: that is worth 17 % for a sentence.

    Where other threads run, the tokens must not be read before the text is locked.
    """
    cdef PyObject **tokens
    cdef Py_ssize_t size = -1
    if cybleu_items(text, &tokens, &size) and not CYBLEU_OTHER_THREADS_RUN:
        fetch_tokens(tokens, min(size, <Py_ssize_t>MASK_BITS))
    return size


cdef inline int count_texts(PyObject **texts, Py_ssize_t count, object hypothesis, Py_ssize_t max_order, int64_t *row,
                            Py_ssize_t *work) except -1:
    """Count a segment.

    No Python code runs, so borrowed references stay valid; the caller has copied what other threads may change, and
    many references with their hypothesis.
    """
    cdef Py_ssize_t length = items_in(<PyObject *>hypothesis)
    cdef Py_ssize_t longest = length
    cdef Py_ssize_t total = length + 1
    cdef Py_ssize_t size, k
    if length < 0 or length >= MOST_POSITIONS or count == 0:
        return 0
    for k in range(count):
        size = items_in(texts[k])
        if size < 0 or size >= MOST_POSITIONS - total:
            return 0
        longest = max(longest, size)
        total += size + 1
    if longest > MASK_BITS:
        return count_long_texts(texts, count, hypothesis, length, total, max_order, row, work)
    return count_short_texts(texts, count, hypothesis, max_order, row, work)


cdef inline int count_short_texts(PyObject **texts, Py_ssize_t count, object hypothesis, Py_ssize_t max_order,
                                  int64_t *row, Py_ssize_t *work) except -1:
    """Count texts that fit the masks. Where other threads run, each is read as it is when it is locked."""
    cdef Py_ssize_t length = 0
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t closest = -1
    cdef Py_ssize_t k
    cdef int32_t ids[MASK_BITS]
    cdef int32_t reference_ids[MASK_BITS]
    cdef FewTokens table
    cdef MaskMatcher matcher
    cdef bint brief = CYBLEU_OTHER_THREADS_RUN and count > 1 and type(hypothesis) is list
    cdef int taken
    with cython.critical_section(hypothesis, <object>texts[0]):
        taken = (assign_few_of(&table, <PyObject *>hypothesis, brief, &length, ids)
                 and look_up_few_of(&table, texts[0], &size, reference_ids))
    if not taken:
        return 0
    work[0] += length + 8
    begin_masks(&matcher, ids, <int>length, table.distinct, max_order)
    for k in range(count):
        if k > 0 and not look_up_locked(&table, <object>texts[k], &size, reference_ids):
            return 0
        add_reference_masks(&matcher, reference_ids, <int>size)
        closest = length_with(closest, size, length, CLOSEST)
        work[0] += size + 8
        if count > MANY_REFERENCES:
            look_between(work)
    row[0] += length
    row[1] += closest
    finish_masks(&matcher, row + 2)
    return 1


cdef int count_long_texts(PyObject **texts, Py_ssize_t count, object hypothesis, Py_ssize_t length, Py_ssize_t total,
                          Py_ssize_t max_order, int64_t *row, Py_ssize_t *work) except -1:
    """Count texts of any length, `total` tokens with one more for each text."""
    cdef TokenTable table
    cdef PyObject **tokens
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t closest = -1
    cdef Py_ssize_t k
    # n-grams reuse the memory of the token table: page faults of fresh memory cost as much as the counting
    cdef uint64_t space = max(table_size(length), match_memory(length, total, count + 1))
    cdef char *memory
    cdef Py_ssize_t *starts
    cdef int32_t *ids
    cdef Watch watching = begin_watch()
    if CYBLEU_OTHER_THREADS_RUN and type(hypothesis) is list:
        return 0
    space = (space + 7) & ~<uint64_t>7
    memory = <char *>new_array(<Py_ssize_t>(space + <uint64_t>(count + 2) * sizeof(Py_ssize_t)
                                            + <uint64_t>total * sizeof(int32_t)), 1)
    starts = <Py_ssize_t *>(memory + space)
    ids = <int32_t *>(starts + count + 2)
    try:
        place_table(&table, memory, length)
        if not number_text(&table, hypothesis, length, ids, True):
            return 0
        starts[0], starts[1] = 0, length + 1
        ids[length] = -1
        for k in range(count):
            if not cybleu_items(texts[k], &tokens, &size) or size >= total - starts[k + 1]:
                return 0
            if not number_text(&table, <object>texts[k], size, ids + starts[k + 1], False):
                return 0
            starts[k + 2] = starts[k + 1] + size + 1
            ids[starts[k + 2] - 1] = -1
            closest = length_with(closest, size, length, CLOSEST)
            work[0] += size + 8
            if count > MANY_REFERENCES:
                look_between(work)
        if total < RELEASE_FROM_TOKENS:
            match_ngrams(ids, starts, count + 1, max_order, memory, row + 2, &watching)
        else:
            with nogil:
                match_ngrams(ids, starts, count + 1, max_order, memory, row + 2, &watching)
        row[0] += length
        row[1] += closest
    finally:
        free(memory)
    return 1


# ----------------------------------------------------------------------------------------------------------- a corpus

cdef object frozen(object container, int depth):
    """Copy nested lists and tuples to tuples, down to this depth, so that nothing can change them."""
    if type(container) is not list and type(container) is not tuple:
        return container
    if depth == 1:
        return tuple(container)
    return tuple([frozen(item, depth - 1) for item in tuple(container)])


cdef int look_between(Py_ssize_t *work) except -1:
    """Check for interrupts and let other threads run, if there was enough work since. Python code may run."""
    if work[0] >= WORK_BETWEEN_LOOKS:
        work[0] = 0
        look()
        with nogil:
            pass
    return 0


cdef int count_corpus(object list_of_references, object hypotheses, Py_ssize_t max_order, int64_t *sums) except -1:
    """Sum the rows of the segments, followed by the number of segments too short for each order.

    Return 0 if a segment or a container is declined, or the lists change meanwhile.
    """
    cdef PyObject **items
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t other_count = 0
    cdef Py_ssize_t work = 0
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t n
    cdef int64_t length
    while True:
        # read again each time: a signal handler or a finalizer may have changed the lists
        if (not cybleu_items(<PyObject *>list_of_references, &items, &count)
                or not cybleu_items(<PyObject *>hypotheses, &items, &other_count)
                or count != other_count):
            return 0
        if i >= count:
            return 1
        length = -sums[0]
        if not count_segment(item_at(list_of_references, i), item_at(hypotheses, i), max_order, sums, &work):
            return 0
        length += sums[0]
        for n in range(max_order):
            if length > n:
                sums[2 + max_order + n] += length - n
            else:
                sums[2 + 2 * max_order + n] += 1
        i += 1
        look_between(&work)


def segment_counts(references, hypothesis, Py_ssize_t max_order):
    """Return the statistics row of a segment as a list of 2 + 2 * max_order ints, or None if it is declined.

    The row is: hypothesis length, closest reference length, clipped matches of orders 1 to max_order, n-gram counts.
    """
    cdef Py_ssize_t work = 0
    cdef Py_ssize_t n
    cdef int64_t *row
    row = <int64_t *>new_zeros(bleu_row_size(max_order, 0), sizeof(int64_t))
    try:
        if not count_segment(references, hypothesis, max_order, row, &work):
            return None
        return [row[n] for n in range(2 + max_order)] + [max(row[0] - n, 0) for n in range(max_order)]
    finally:
        free(row)


def clipped_matches(references, hypothesis, Py_ssize_t n):
    """Return the clipped matches and the n-grams of order n, or None if the segment is declined."""
    cdef list row
    if n < 1 or n > MASK_BITS:
        return None
    row = segment_counts(references, hypothesis, n)
    return None if row is None else (row[1 + n], row[1 + 2 * n])


def segment_rows(list_of_references, hypotheses, Py_ssize_t max_order, Py_ssize_t start, Py_ssize_t stop,
                 int64_t[:, ::1] stats):
    """Write the statistics rows of segments `start` to `stop`; return the first declined segment, or `stop`.

    If the lists become too short meanwhile, the rest is declined.
    """
    cdef Py_ssize_t work = 0
    cdef Py_ssize_t i, n
    if start < 0 or stop > stats.shape[0] or stats.shape[1] != bleu_row_size(max_order):
        raise ValueError("the rows do not fit the segments")
    for i in range(start, stop):
        clear_items(&stats[i, 0], stats.shape[1])
        if not count_segment(item_at(list_of_references, i), item_at(hypotheses, i), max_order, &stats[i, 0], &work):
            return i
        for n in range(max_order):
            stats[i, 2 + max_order + n] = max(stats[i, 0] - n, 0)
        look_between(&work)
    return stop
