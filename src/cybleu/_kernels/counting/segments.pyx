# cython: freethreading_compatible=True
"""Count segments and corpora in Python lists.

A segment is accepted if its containers are exact lists or tuples and its tokens are plain (see ``tokens``). Anything
else is declined with ``None``, because it could run Python code during counting; the caller falls back to general code.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_CheckExact
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from cybleu._kernels.common.base cimport (
    CYBLEU_OTHER_THREADS_RUN, CYBLEU_PREFETCH, CYBLEU_PREFETCH_TO_WRITE, PY_SSIZE_T_MAX, Lock, allocated, begin_lock,
    closer, cybleu_item, cybleu_items, end_lock, row_size
)
from cybleu._kernels.common.interrupts cimport Watch, begin_watch, fill_bytes
from cybleu._kernels.counting.ngrams cimport (
    MASK_BITS, MaskMatcher, add_reference_masks, begin_masks, finish_masks, match_memory, match_ngrams
)
from cybleu._kernels.tokens.objects cimport (
    FewTokens, LockedTokens, TokenTable, assign_few, assign_locked, assign_many, fetch_tokens, look_up_few,
    look_up_locked, look_up_many, release_locked, slots_needed
)

cdef extern from *:
    void Py_INCREF(PyObject *kept) noexcept
    void Py_DECREF(PyObject *released) noexcept

cdef enum:
    RELEASE_FROM = 65536    # tokens in a segment from which the GIL is released while counting
    MANY_REFERENCES = 1024
    MOST_TOKENS = 0x3FFFFFFF    # in one segment, plus one for each text: positions are 32 bits
    TOKENS_AT_ONCE = 1024   # between checks for interrupts in one text
    LOOKS_BETWEEN_TURNS = 16    # checks after which the GIL is released
    FETCHED = 32            # tokens together
    MOST_FETCHED = 16       # references of a segment
    ITEMS_IN_LINE = 8       # of the processor's cache


# ---------------------------------------------------------------------------------------------------- memory in advance
#
# Tokens and the lists that contain them are separate objects: reading a corpus follows chains of five pointers. Cache
# misses take longer than counting, so each level is prefetched some segments ahead.

cdef inline bint lasting_items(PyObject *sequence, PyObject ***items, Py_ssize_t *size) noexcept:
    """Get the items of a list or tuple, unless another thread may free them meanwhile."""
    if CYBLEU_OTHER_THREADS_RUN and not PyTuple_CheckExact(<object>sequence):
        return False
    return cybleu_items(sequence, items, size)


cdef inline void fetch_tokens_of(PyObject *text) noexcept:
    cdef PyObject **tokens
    cdef Py_ssize_t size = 0
    if lasting_items(text, &tokens, &size):
        fetch_tokens(tokens, min(size, MASK_BITS))


cdef inline void fetch_items_of(PyObject *text) noexcept:
    cdef PyObject **items
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t i
    if cybleu_items(text, &items, &size):
        for i in range((min(size, MASK_BITS) + ITEMS_IN_LINE - 1) // ITEMS_IN_LINE):
            CYBLEU_PREFETCH(items + i * ITEMS_IN_LINE)


cdef void fetch_segment(PyObject *references, PyObject *hypothesis) noexcept:
    cdef PyObject **texts
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t k
    fetch_tokens_of(hypothesis)
    if lasting_items(references, &texts, &count):
        for k in range(min(count, MOST_FETCHED)):
            fetch_tokens_of(texts[k])


cdef void fetch_ahead(PyObject **references, PyObject **hypotheses, Py_ssize_t rest) noexcept:
    cdef PyObject **texts
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t k
    if rest > 5:
        CYBLEU_PREFETCH(references[5])
        CYBLEU_PREFETCH(hypotheses[5])
    if rest > 4:
        fetch_items_of(references[4])
    if rest > 3 and lasting_items(references[3], &texts, &count):
        for k in range(min(count, MOST_FETCHED)):
            CYBLEU_PREFETCH(texts[k])
    if rest > 2:
        fetch_items_of(hypotheses[2])
        if lasting_items(references[2], &texts, &count):
            for k in range(min(count, MOST_FETCHED)):
                fetch_items_of(texts[k])
    if rest > 1:
        fetch_segment(references[1], hypotheses[1])


cdef inline void fetch_locked_items(PyObject *sequence) noexcept:
    """Prefetch the items' reference counts, which other threads may have written last."""
    cdef PyObject **items
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t i
    cdef Lock lock
    begin_lock(&lock, sequence)
    if cybleu_items(sequence, &items, &size):
        for i in range(min(size, MOST_FETCHED)):
            CYBLEU_PREFETCH_TO_WRITE(items[i])
    end_lock(&lock)


# ------------------------------------------------------------------------------------------------------- one segment

cdef int count_segment(PyObject *references, PyObject *hypothesis, Py_ssize_t max_order,
                       int64_t *hypothesis_length, int64_t *reference_length, int64_t *matches,
                       Py_ssize_t *work) except -1:
    if CYBLEU_OTHER_THREADS_RUN:
        return count_locked_segment(references, hypothesis, max_order, hypothesis_length, reference_length, matches,
                                    work)
    return count_held_segment(references, hypothesis, max_order, hypothesis_length, reference_length, matches, work)


cdef inline int count_held_segment(PyObject *references, PyObject *hypothesis, Py_ssize_t max_order,
                                   int64_t *hypothesis_length, int64_t *reference_length, int64_t *matches,
                                   Py_ssize_t *work) except -1:
    """Count a segment. No Python code runs where it fits the masks, so borrowed references stay valid."""
    cdef PyObject **sequences
    cdef PyObject **tokens
    cdef PyObject **reference = NULL
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t count, length, k
    cdef Py_ssize_t longest, closest = -1
    cdef Py_ssize_t tokens_and_texts
    cdef int32_t ids[MASK_BITS]
    cdef int32_t reference_ids[MASK_BITS]
    cdef FewTokens table
    cdef MaskMatcher matcher
    if not cybleu_items(references, &sequences, &count) or count == 0:
        return 0
    if not cybleu_items(hypothesis, &tokens, &length):
        return 0
    longest = length
    tokens_and_texts = min(length, TOKENS_BETWEEN_LOOKS) + 8
    for k in range(count):
        if not cybleu_items(sequences[k], &reference, &size):
            return 0
        closest = closer(closest, size, length)
        longest = max(longest, size)
        tokens_and_texts += min(size, TOKENS_BETWEEN_LOOKS) + 8
    hypothesis_length[0] = length
    reference_length[0] = closest
    work[0] += min(tokens_and_texts, TOKENS_BETWEEN_LOOKS)
    if max_order == 0:
        return 1
    if longest > MASK_BITS or count > MANY_REFERENCES:
        return count_long_segment(sequences, count, hypothesis, max_order, matches)
    if not assign_few(&table, tokens, length, ids):
        return 0
    begin_masks(&matcher, ids, <int>length, table.distinct, max_order)
    for k in range(count):
        cybleu_items(sequences[k], &reference, &size)
        if not look_up_few(&table, reference, size, reference_ids):
            return 0
        add_reference_masks(&matcher, reference_ids, <int>size)
    finish_masks(&matcher, matches)
    return 1


cdef int count_locked_segment(PyObject *references, PyObject *hypothesis, Py_ssize_t max_order,
                              int64_t *hypothesis_length, int64_t *reference_length, int64_t *matches,
                              Py_ssize_t *work) except -1:
    """Count a segment whose lists other threads may change.

    Each list is locked while it is read. A copy is slower, because it counts references to all tokens, which threads
    that share tokens do one after the other; so only segments that do not fit the masks are copied.
    """
    cdef LockedTokens locked
    cdef object copy
    cdef int taken
    if max_order > 0:
        try:
            taken = count_few_locked(&locked, references, hypothesis, max_order, hypothesis_length, reference_length,
                                     matches, work)
        finally:
            release_locked(&locked)
        if taken:
            return 1
    copy = (frozen(<object>references, 2), frozen(<object>hypothesis, 1))
    return count_held_segment(<PyObject *>copy[0], <PyObject *>copy[1], max_order, hypothesis_length, reference_length,
                              matches, work)


cdef int count_few_locked(LockedTokens *locked, PyObject *references, PyObject *hypothesis, Py_ssize_t max_order,
                          int64_t *hypothesis_length, int64_t *reference_length, int64_t *matches,
                          Py_ssize_t *work) except -1:
    cdef PyObject **sequences
    cdef PyObject *reference
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t length = 0
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t closest = -1
    cdef Py_ssize_t k
    cdef int32_t ids[MASK_BITS]
    cdef int32_t reference_ids[MASK_BITS]
    cdef MaskMatcher matcher
    cdef int taken
    fetch_locked_items(references)
    if not assign_locked(locked, hypothesis, &length, ids):
        return 0
    if not cybleu_items(references, &sequences, &count) or not 0 < count <= MANY_REFERENCES:
        return 0
    begin_masks(&matcher, ids, <int>length, locked.table.distinct, max_order)
    for k in range(count):
        reference = cybleu_item(references, k)
        if reference == NULL:
            return 0
        try:
            taken = look_up_locked(locked, reference, &size, reference_ids)
        finally:
            Py_DECREF(reference)
        if not taken:
            return 0
        closest = closer(closest, size, length)
        work[0] += size + 8
        add_reference_masks(&matcher, reference_ids, <int>size)
    work[0] += length + 8
    finish_masks(&matcher, matches)
    hypothesis_length[0] = length
    reference_length[0] = closest
    return 1


cdef int intern_texts(TokenTable *table, PyObject **texts, Py_ssize_t count, const Py_ssize_t *starts, int32_t *ids,
                      Py_ssize_t *held) except -1:
    """Write the ids of all tokens; 0 if a token is declined or a text has changed its length.

    Checking for interrupts may run Python code, so the table takes references to its tokens, counted in `held`.
    """
    cdef PyObject **tokens
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t unwatched = 0
    cdef Py_ssize_t k, start, length
    cdef int taken
    for k in range(count):
        length = starts[k + 1] - starts[k] - 1
        start = 0
        while start < length:
            if not cybleu_items(texts[k], &tokens, &size) or size != length:
                return 0
            size = min(TOKENS_AT_ONCE, length - start)
            if k == 0:
                taken = assign_many(table, tokens + start, size, ids + start)
            else:
                taken = look_up_many(table, tokens + start, size, ids + starts[k] + start)
            if not taken:
                return 0
            start += size
            unwatched += size
            if unwatched >= TOKENS_AT_ONCE:
                while held[0] < table.size:
                    Py_INCREF(table.tokens[held[0]])
                    held[0] += 1
                unwatched = 0
                PyErr_CheckSignals()
        ids[starts[k + 1] - 1] = -1
    return 1


cdef int count_long_segment(PyObject **sequences, Py_ssize_t count, PyObject *hypothesis, Py_ssize_t max_order,
                            int64_t *matches) except -1:
    """Count matches for any length. Texts are strong references, because checks for interrupts may run Python code."""
    cdef TokenTable table
    cdef PyObject **items = NULL
    cdef PyObject **texts
    cdef Py_ssize_t *starts
    cdef int32_t *ids
    cdef char *memory
    cdef Watch watching = begin_watch()
    cdef uint64_t table_size, space, everything
    cdef Py_ssize_t length = 0
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t held = 0
    cdef Py_ssize_t i, k, total
    cdef int taken
    cybleu_items(hypothesis, &items, &length)
    total = length + 1
    for k in range(count):
        cybleu_items(sequences[k], &items, &size)
        if size >= MOST_TOKENS - total:
            return 0
        total += size + 1
    # Allocate one block in which the n-grams reuse the memory of the token table: page faults of fresh memory
    # cost as much as the counting.
    table.mask = slots_needed(length) - 1
    table_size = (table.mask + 1) * sizeof(uint64_t)
    space = max(table_size + <uint64_t>(length + 2) * sizeof(PyObject *), match_memory(length, total, count + 1))
    space = (space + 7) & ~<uint64_t>7
    everything = space + <uint64_t>(2 * count + 3) * sizeof(PyObject *) + <uint64_t>total * sizeof(int32_t)
    if everything > <uint64_t>PY_SSIZE_T_MAX:
        raise MemoryError()
    memory = <char *>allocated(malloc(<size_t>everything))
    texts = <PyObject **>(memory + space)       # the hypothesis, then the references
    starts = <Py_ssize_t *>(texts + count + 1)
    ids = <int32_t *>(starts + count + 2)
    starts[0] = 0
    for k in range(count + 1):
        texts[k] = sequences[k - 1] if k > 0 else hypothesis
        cybleu_items(texts[k], &items, &size)
        starts[k + 1] = starts[k] + size + 1
        Py_INCREF(texts[k])
    try:
        table.slots = <uint64_t *>memory
        fill_bytes(table.slots, 0, <size_t>table_size, &watching)
        table.tokens = <PyObject **>(memory + table_size) + 1
        (table.tokens - 1)[0] = NULL
        table.size = 0
        try:
            taken = intern_texts(&table, texts, count + 1, starts, ids, &held)
        finally:
            for i in range(held):
                if i % FETCHED == 0:
                    fetch_tokens(table.tokens + i + FETCHED, min(FETCHED, held - i - FETCHED))
                Py_DECREF(table.tokens[i])
        if not taken:
            return 0
        if total < RELEASE_FROM:
            match_ngrams(ids, starts, count + 1, table.size, max_order, memory, matches)
        else:
            with nogil:
                match_ngrams(ids, starts, count + 1, table.size, max_order, memory, matches)
    finally:
        for k in range(count + 1):
            Py_DECREF(texts[k])
        free(memory)
    return 1


# ----------------------------------------------------------------------------------------------------------- a corpus

cdef int count_corpus(object list_of_references, object hypotheses, Py_ssize_t max_order, int64_t *sums) except -1:
    cdef PyObject **references
    cdef PyObject **hypothesis
    cdef Py_ssize_t count, other_count, n
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t unwatched = 0
    cdef Py_ssize_t looks = 0
    cdef int64_t hypothesis_length = 0
    cdef int64_t reference_length = 0
    if CYBLEU_OTHER_THREADS_RUN:
        list_of_references, hypotheses = frozen(list_of_references, 1), frozen(hypotheses, 1)
    while True:
        # reread each time: a signal handler or a finalizer may have changed the lists
        if (not cybleu_items(<PyObject *>list_of_references, &references, &count)
                or not cybleu_items(<PyObject *>hypotheses, &hypothesis, &other_count)
                or count != other_count):
            return 0
        if i >= count:
            return 1
        fetch_ahead(references + i, hypothesis + i, count - i)
        if not count_segment(references[i], hypothesis[i], max_order, &hypothesis_length, &reference_length, sums + 2,
                             &unwatched):
            return 0
        sums[0] += hypothesis_length
        sums[1] += reference_length
        for n in range(max_order):
            if hypothesis_length > n:
                sums[2 + max_order + n] += hypothesis_length - n
            else:
                sums[2 + 2 * max_order + n] += 1
        i += 1
        if unwatched >= TOKENS_BETWEEN_LOOKS:
            unwatched = 0
            looks += 1
            PyErr_CheckSignals()
            if looks % LOOKS_BETWEEN_TURNS == 0:
                with nogil:
                    pass


cdef object frozen(object container, int depth):
    if type(container) is not list and type(container) is not tuple:
        return container
    if depth == 1:
        return tuple(container)
    return tuple([frozen(item, depth - 1) for item in tuple(container)])


cdef int count_row(PyObject *references, PyObject *hypothesis, Py_ssize_t max_order, int64_t *row,
                   Py_ssize_t *work) except -1:
    """Write the statistics row of a segment into a zeroed row; 0 if it is declined."""
    cdef Py_ssize_t n
    fetch_segment(references, hypothesis)
    if not count_segment(references, hypothesis, max_order, row, row + 1, row + 2, work):
        return 0
    for n in range(max_order):
        row[2 + max_order + n] = row[0] - n if row[0] > n else 0
    return 1


def segment_counts(references, hypothesis, Py_ssize_t max_order):
    """Return the statistics row of a segment as a list of 2 + 2 * max_order ints, or None if it is declined.

    The row is: hypothesis length, closest reference length, clipped matches of orders 1 to max_order, n-gram counts.
    """
    cdef Py_ssize_t work = 0
    cdef Py_ssize_t n
    cdef int64_t *row
    row = <int64_t *>allocated(calloc(row_size(max_order, 0), sizeof(int64_t)))
    try:
        if not count_row(<PyObject *>references, <PyObject *>hypothesis, max_order, row, &work):
            return None
        return [row[n] for n in range(2 + 2 * max_order)]
    finally:
        free(row)


def clipped_matches(references, hypothesis, Py_ssize_t n):
    """Return the clipped matches and the n-grams of order n, or None if the segment is declined."""
    cdef list row
    if n < 1 or n > MASK_BITS:
        return None
    row = segment_counts(references, hypothesis, n)
    return None if row is None else (row[1 + n], row[1 + 2 * n])


def corpus_counts(list_of_references, hypotheses, Py_ssize_t max_order):
    """Return the sum of the segments' rows, and for each order the number of segments too short for it.

    None where a segment is declined.
    """
    cdef Py_ssize_t n
    cdef int64_t *sums
    sums = <int64_t *>allocated(calloc(row_size(max_order, 0) + max_order, sizeof(int64_t)))
    try:
        if not count_corpus(list_of_references, hypotheses, max_order, sums):
            return None
        return [sums[n] for n in range(2 + 2 * max_order)], [sums[2 + 2 * max_order + n] for n in range(max_order)]
    finally:
        free(sums)


def segment_rows(list_of_references, hypotheses, Py_ssize_t max_order, Py_ssize_t start, Py_ssize_t stop,
                 int64_t[:, ::1] stats):
    """Write the statistics rows of segments `start` to `stop`; return the first declined segment, or `stop`.

    If the lists change in length meanwhile, the rest is declined.
    """
    cdef PyObject *references = NULL
    cdef PyObject *hypothesis = NULL
    cdef list held = [None, None]
    cdef Py_ssize_t i = start
    cdef Py_ssize_t unwatched = 0
    if start < 0 or stop > stats.shape[0] or stats.shape[1] != row_size(max_order):
        raise ValueError("the rows do not fit the segments")
    while i < stop:
        memset(&stats[i, 0], 0, <size_t>(2 + 2 * max_order) * sizeof(int64_t))
        if (not segment_at(list_of_references, hypotheses, i, held, &references, &hypothesis)
                or not count_row(references, hypothesis, max_order, &stats[i, 0], &unwatched)):
            return i
        i += 1
        if unwatched >= TOKENS_BETWEEN_LOOKS:
            unwatched = 0
            PyErr_CheckSignals()
    return stop


cdef int segment_at(object list_of_references, object hypotheses, Py_ssize_t i, list held, PyObject **references,
                    PyObject **hypothesis) except -1:
    cdef PyObject **items
    cdef PyObject **other_items
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t other_count = 0
    if CYBLEU_OTHER_THREADS_RUN:
        held[0], held[1] = item_at(list_of_references, i), item_at(hypotheses, i)
        references[0], hypothesis[0] = <PyObject *>held[0], <PyObject *>held[1]
        return 1
    if (not cybleu_items(<PyObject *>list_of_references, &items, &count)
            or not cybleu_items(<PyObject *>hypotheses, &other_items, &other_count)
            or i >= count or i >= other_count):
        return 0
    references[0], hypothesis[0] = items[i], other_items[i]
    return 1


cdef inline object item_at(object container, Py_ssize_t i):
    """Return an item, or None, which is declined as a text."""
    cdef PyObject *item = cybleu_item(<PyObject *>container, i)
    cdef object owned
    if item == NULL:
        return None
    owned = <object>item
    Py_DECREF(item)
    return owned
