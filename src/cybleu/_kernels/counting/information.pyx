# cython: freethreading_compatible=True
"""NIST (Doddington 2002) with information weights of a corpus: matches are clipped by all references of a segment."""

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

import math

from cybleu._kernels.common.base cimport MAX_ORDER, allocated
from cybleu._kernels.common.buffers cimport free_buffer, reserve
from cybleu._kernels.common.hashing cimport process_seed
from cybleu._kernels.common.interrupts cimport begin_watch, watch
from cybleu._kernels.common.ngram_tables cimport MOST_NGRAMS, Slot, make_empty, pair_key, probe
from cybleu._kernels.counting.ter cimport check_ends, check_texts
from cybleu._kernels.tokens.objects cimport slots_needed

# Computed by Python as in the mirror, and not by the compiler, which may round in another way.
cdef double LOG_2 = math.log(2)


cdef class NgramInformation:
    """The information of the n-grams of a corpus, in bits. Concurrent calls of its methods are safe.

    :param tokens: the token ids of all texts, numbered from 0
    :param ends: where the tokens of each text end
    :param max_order: the largest order
    :param zero: the id of the word "0", which mteval-v13a.pl treats as no word where a bigram begins with it; or -1
    """

    def __cinit__(self, const int32_t[::1] tokens, const int64_t[::1] ends, Py_ssize_t max_order, int32_t zero):
        cdef Py_ssize_t i
        if not 1 <= max_order <= MAX_ORDER:
            raise ValueError("the order is out of range")
        if tokens.shape[0] > MOST_NGRAMS // max_order:
            raise MemoryError("the corpus has too many n-grams")
        check_ends(tokens.shape[0], ends)
        for i in range(tokens.shape[0]):
            if not 0 <= tokens[i] < tokens.shape[0]:
                raise ValueError("a token is out of range")
            self.distinct = max(self.distinct, tokens[i] + 1)
        self.max_order = max_order
        self.seed = process_seed()
        self.fill(tokens, ends, zero)

    def __dealloc__(self):
        free(self.table.slots)
        free(self.information)

    cdef int fill(self, const int32_t[::1] tokens, const int64_t[::1] ends, int32_t zero) except -1:
        """Number and count the n-grams order by order, and compute the information of each."""
        cdef Py_ssize_t size = tokens.shape[0]
        cdef Py_ssize_t most = self.distinct + size * (self.max_order - 1) + 1
        cdef int32_t given = self.distinct
        cdef int32_t first = 0
        cdef uint64_t slots = slots_needed(most)
        cdef Watch watching = begin_watch()
        cdef int32_t *prefixes = NULL
        cdef int32_t *frequencies = NULL
        cdef int32_t *grams = NULL
        cdef Slot *slot
        cdef Py_ssize_t text, begin, i
        cdef int32_t ngram, prefix
        cdef int n
        try:
            self.table.slots = <Slot *>allocated(malloc(<size_t>slots * sizeof(Slot)))
            self.information = <double *>allocated(malloc(<size_t>most * sizeof(double)))
            prefixes = <int32_t *>allocated(malloc(<size_t>most * sizeof(int32_t)))
            frequencies = <int32_t *>allocated(calloc(<size_t>most, sizeof(int32_t)))
            grams = <int32_t *>allocated(malloc(<size_t>(size + 1) * sizeof(int32_t)))
            with nogil:
                make_empty(&self.table, self.table.slots, slots, &watching)
                for i in range(size):
                    watch(&watching, 1)
                    grams[i] = tokens[i]
                    frequencies[tokens[i]] += 1
                for n in range(1, self.max_order + 1):
                    begin = 0
                    for text in range(ends.shape[0] if n > 1 else 0):
                        for i in range(begin, <Py_ssize_t>ends[text] - n + 1):
                            watch(&watching, 1)
                            slot = probe(self.table, pair_key(grams[i], tokens[i + n - 1]), self.seed)
                            if slot.ngram < 0:
                                slot.key = pair_key(grams[i], tokens[i + n - 1])
                                slot.ngram = given
                                prefixes[given] = grams[i]
                                given += 1
                            grams[i] = slot.ngram
                            frequencies[slot.ngram] += 1
                        begin = <Py_ssize_t>ends[text]
                    for ngram in range(first, given):
                        watch(&watching, 1)
                        prefix = -1 if n == 1 or prefixes[ngram] == zero else prefixes[ngram]
                        self.information[ngram] = log(
                            <double>(size if prefix < 0 else <Py_ssize_t>frequencies[prefix])
                            / <double>frequencies[ngram]) / LOG_2
                    first = given
        finally:
            free(prefixes)
            free(frequencies)
            free(grams)
        return 0

    cdef int read_hypothesis(self, Workspace *work, const int32_t *words, Py_ssize_t size) except -1 nogil:
        """Number and count the n-grams of a hypothesis."""
        cdef Py_ssize_t most = size * self.max_order + 1
        cdef uint64_t slots = slots_needed(most)
        cdef Py_ssize_t begin, i
        cdef int32_t ngram
        cdef Slot *slot
        if size > MOST_NGRAMS // self.max_order:
            with gil:
                raise MemoryError("a hypothesis has too many n-grams")
        reserve(&work.memory, slots * sizeof(Slot) + <uint64_t>most * sizeof(NGram))
        make_empty(&work.table, <Slot *>work.memory.data, slots, &work.watching)
        work.ngrams = <NGram *>(work.table.slots + slots)
        work.count = 0
        for begin in range(size):
            ngram = 0
            for i in range(begin, min(size, begin + self.max_order)):
                watch(&work.watching, 1)
                if not 0 <= words[i] < self.distinct:
                    break
                slot = probe(work.table, pair_key(ngram, words[i]), self.seed)
                if slot.ngram < 0:
                    work.count += 1
                    memset(&work.ngrams[work.count], 0, sizeof(NGram))
                    work.ngrams[work.count].prefix, work.ngrams[work.count].token = ngram, words[i]
                    slot.key = pair_key(ngram, words[i])
                    slot.ngram = work.count
                ngram = slot.ngram
                work.ngrams[ngram].in_hypothesis += 1
        return 0

    cdef int read_reference(self, Workspace *work, const int32_t *words, Py_ssize_t size,
                            int32_t reference) except -1 nogil:
        """Count the n-grams of a reference that are in the hypothesis."""
        cdef Py_ssize_t begin, i
        cdef int32_t number
        cdef NGram *ngram
        for begin in range(size):
            number = 0
            for i in range(begin, min(size, begin + self.max_order)):
                watch(&work.watching, 1)
                number = probe(work.table, pair_key(number, words[i]), self.seed).ngram if words[i] >= 0 else -1
                if number < 0:
                    break
                ngram = &work.ngrams[number]
                ngram.in_reference = ngram.in_reference + 1 if ngram.reference == reference else 1
                ngram.reference = reference
                ngram.most = max(ngram.most, ngram.in_reference)
        return 0

    cdef int add_matches(self, Workspace *work, double *information) except -1 nogil:
        """Add the information of matches by order, in the order of their first occurrence in the hypothesis."""
        cdef int32_t number
        cdef NGram *ngram
        cdef int32_t prefix
        cdef int n
        for number in range(1, work.count + 1):
            watch(&work.watching, 1)
            ngram = &work.ngrams[number]
            if not ngram.most:
                continue
            ngram.known = ngram.token
            if ngram.prefix:
                prefix = work.ngrams[ngram.prefix].known
                ngram.known = probe(self.table, pair_key(prefix, ngram.token), self.seed).ngram if prefix >= 0 else -1
            if ngram.known >= 0:
                n, prefix = 0, ngram.prefix
                while prefix:
                    n, prefix = n + 1, work.ngrams[prefix].prefix
                information[n] += self.information[ngram.known] * min(ngram.in_hypothesis, ngram.most)
        return 0

    def fill_rows(self, const int32_t[::1] hypotheses, const int64_t[::1] hypothesis_ends,
                  const int32_t[::1] references, const int64_t[::1] reference_ends, const int64_t[::1] sets,
                  const int64_t[::1] texts, const int64_t[::1] owners, Py_ssize_t start, Py_ssize_t stop,
                  double[:, ::1] rows):
        """Write rows: the average length of the references; for each order the information of the matches, and then
        the number of n-grams.

        The parameters are those of `edit_rows`. Ids outside of the corpus are words that match nothing.
        """
        cdef Workspace work
        cdef Py_ssize_t count = rows.shape[0]
        cdef Py_ssize_t i, k, n, size
        cdef int64_t begin, text, owner
        cdef double *row
        cdef int32_t none = 0     # the address of no words: adding 0 to NULL is undefined
        cdef const int32_t *words = &hypotheses[0] if hypotheses.shape[0] else &none
        cdef const int32_t *words_there = &references[0] if references.shape[0] else &none
        if (not 0 <= start <= stop <= count or texts.shape[0] != count or owners.shape[0] != count
                or rows.shape[1] != 1 + 2 * self.max_order):
            raise ValueError("the texts do not fit the rows")
        check_texts(hypotheses, hypothesis_ends, references, reference_ends, sets, texts, owners, start, stop)
        if start == stop:
            return
        memset(&work, 0, sizeof(Workspace))
        work.watching = begin_watch()
        try:
            with nogil:
                for i in range(start, stop):
                    text, owner, row = texts[i], owners[i], &rows[i, 0]
                    begin = hypothesis_ends[text - 1] if text else 0
                    size = <Py_ssize_t>(hypothesis_ends[text] - begin)
                    self.read_hypothesis(&work, words + begin, size)
                    begin = reference_ends[sets[owner] - 1] if sets[owner] else 0
                    row[0] = (<double>(reference_ends[sets[owner + 1] - 1] - begin)
                              / <double>(sets[owner + 1] - sets[owner]))
                    for k in range(<Py_ssize_t>sets[owner], <Py_ssize_t>sets[owner + 1]):
                        self.read_reference(&work, words_there + begin, <Py_ssize_t>(reference_ends[k] - begin),
                                            <int32_t>(k - sets[owner]) + 1)
                        begin = reference_ends[k]
                    for n in range(self.max_order):
                        row[1 + n] = 0
                        row[1 + self.max_order + n] = <double>max(size - n, <Py_ssize_t>0)
                    self.add_matches(&work, row + 1)
        finally:
            free_buffer(&work.memory)

    def weight(self, const int32_t[::1] ngram):
        """Return the information of an n-gram, or 0.0 if the corpus does not have it."""
        cdef int32_t known = -1
        cdef Py_ssize_t i
        for i in range(ngram.shape[0]):
            if not 0 <= ngram[i] < self.distinct:
                return 0.0
            known = ngram[i] if i == 0 else probe(self.table, pair_key(known, ngram[i]), self.seed).ngram
            if known < 0:
                return 0.0
        return self.information[known] if known >= 0 else 0.0
