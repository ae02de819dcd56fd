# cython: freethreading_compatible=True
"""The counts of each text of a collection against all the others, in two passes.

For every n-gram, the largest count in one text, this text, and the largest count in any other text are stored, which
suffices for clipping against all texts but one.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc

from cybleu._kernels.common.base cimport row_size
from cybleu._kernels.common.hashing cimport Seed, process_seed
from cybleu._kernels.common.interrupts cimport Watch, begin_watch, fill_bytes, watch
from cybleu._kernels.common.ngram_tables cimport Slot, Slots, check_collection, intern_text, make_empty
from cybleu._kernels.tokens.objects cimport slots_needed


def leave_one_out(const int64_t[::1] ids, const int64_t[::1] begins, const int64_t[::1] ends, Py_ssize_t max_order,
                  int64_t[:, ::1] stats):
    """Write the statistics row of each text with all others as references; the reference length is not written."""
    cdef Py_ssize_t tokens = check_collection(ids.shape[0], begins, ends, 1)
    cdef Py_ssize_t count = begins.shape[0]
    cdef int32_t *ngrams = NULL     # by position, text after text
    cdef int32_t *counts = NULL     # counts in the current text
    cdef int32_t *best = NULL       # the largest count of an n-gram in one text
    cdef int32_t *second = NULL     # and in another one
    cdef int32_t *owner = NULL      # the text that has the largest
    cdef Slot *memory = NULL
    cdef size_t size = <size_t>(tokens + 1) * sizeof(int32_t)
    if stats.shape[0] != count or stats.shape[1] != row_size(max_order):
        raise ValueError("the rows do not fit the texts")
    ngrams = <int32_t *>malloc(size)
    counts = <int32_t *>calloc(<size_t>(tokens + 1), sizeof(int32_t))
    best = <int32_t *>malloc(size)
    second = <int32_t *>malloc(size)
    owner = <int32_t *>malloc(size)
    memory = <Slot *>malloc(<size_t>slots_needed(tokens) * sizeof(Slot))
    try:
        if (ngrams == NULL or counts == NULL or best == NULL or second == NULL or owner == NULL or memory == NULL):
            raise MemoryError()
        with nogil:
            count_others(&ids[0] if tokens > 0 else NULL, begins, ends, tokens, max_order, stats, ngrams, counts,
                         best, second, owner, memory)
    finally:
        free(ngrams)
        free(counts)
        free(best)
        free(second)
        free(owner)
        free(memory)


cdef int count_others(const int64_t *ids, const int64_t[::1] begins, const int64_t[::1] ends, Py_ssize_t tokens,
                      Py_ssize_t max_order, int64_t[:, ::1] stats, int32_t *ngrams, int32_t *counts, int32_t *best,
                      int32_t *second, int32_t *owner, Slot *memory) except -1 nogil:
    cdef Seed seed = process_seed()
    cdef Slots table
    cdef Py_ssize_t text, start, length, i, n
    cdef Watch watching = begin_watch()
    cdef int32_t given, ngram, limit
    cdef int64_t matched
    for n in range(1, max_order + 1):
        make_empty(&table, memory, slots_needed(tokens), &watching)
        given = 0
        start = 0
        fill_bytes(best, 0, <size_t>(tokens + 1) * sizeof(int32_t), &watching)
        fill_bytes(second, 0, <size_t>(tokens + 1) * sizeof(int32_t), &watching)
        for text in range(begins.shape[0]):
            length = <Py_ssize_t>(ends[text] - begins[text])
            if n <= length:
                given = intern_text(table, seed, ids + begins[text], length, <int>n, ngrams + start, given,
                                    &watching)
            for i in range(start, start + length - n + 1):
                watch(&watching, 1)
                counts[ngrams[i]] += 1
            for i in range(start, start + length - n + 1):
                watch(&watching, 1)
                ngram = ngrams[i]
                if counts[ngram] > best[ngram]:
                    second[ngram] = best[ngram]
                    best[ngram] = counts[ngram]
                    owner[ngram] = <int32_t>text
                elif counts[ngram] > second[ngram]:
                    second[ngram] = counts[ngram]
                counts[ngram] = 0
            start += length
            watch(&watching, 8)
        start = 0
        for text in range(begins.shape[0]):
            length = <Py_ssize_t>(ends[text] - begins[text])
            matched = 0
            for i in range(start, start + length - n + 1):
                watch(&watching, 1)
                ngram = ngrams[i]
                limit = second[ngram] if owner[ngram] == text else best[ngram]
                matched += counts[ngram] < limit
                counts[ngram] += 1
            for i in range(start, start + length - n + 1):
                watch(&watching, 1)
                counts[ngrams[i]] = 0
            stats[text, 0] = length
            stats[text, 1 + n] = matched
            stats[text, 1 + max_order + n] = length - n + 1 if length >= n else 0
            start += length
            watch(&watching, 8)
    return 0
