# NIST (Doddington 2002) with information weights of a corpus: matches are clipped by all references of a segment.
#
# Offers: `information_of`.

# Computed by Python as in the mirror, and not by the compiler, which may round in another way.
cdef double LOG_2 = math.log(2)


cdef inline double information_of(int64_t prefix, int64_t frequency) noexcept nogil:
    """Return the information of an n-gram, in bits, from its frequency and that of its prefix."""
    return log(<double>prefix / <double>frequency) / LOG_2 if prefix != frequency else 0.0


cdef class NgramInformation(NgramIndex):
    """The information of the n-grams of a corpus, in bits. Concurrent calls of its methods are safe.

    :param corpus: texts with the ids of their tokens numbered from 0, int32
    :param max_order: the largest order
    :param zero: the id of the word "0", which mteval-v13a.pl treats as no word where a bigram begins with it; or -1
    """

    cdef readonly TokenTexts corpus
    cdef double *information        # by id

    def __cinit__(self, TokenTexts corpus not None, Py_ssize_t max_order, int32_t zero):
        cdef int32_t distinct = 0
        cdef Py_ssize_t i
        if corpus.narrow is None:
            raise ValueError("the ids must have 32 bits")
        for i in range(corpus.width):
            if not 0 <= corpus.narrow[i] < corpus.width:
                raise ValueError("a token is out of range")
            distinct = max(distinct, <int32_t>(corpus.narrow[i] + 1))
        self.corpus = corpus
        self.index(corpus, &corpus.narrow[0] if corpus.width else &NO_WORD, distinct, max_order)
        self.inform(corpus.total, zero)

    def __dealloc__(self):
        free(self.information)

    cdef int inform(self, Py_ssize_t words, int32_t zero) except -1:
        """Compute the information of each n-gram from its frequency and that of its prefix."""
        cdef int32_t *frequencies = <int32_t *>new_zeros(self.size + 1, sizeof(int32_t))
        cdef int32_t ngram, prefix
        cdef Py_ssize_t text, k
        cdef Watch watching = begin_watch()
        try:
            self.information = <double *>new_array(self.size, sizeof(double))
            with nogil:
                for text in range(self.texts):
                    for k in range(self.starts[text * self.order], self.starts[(text + 1) * self.order]):
                        frequencies[self.ngrams[k].ngram] += self.ngrams[k].count
                    watch(&watching, 8 * self.corpus.length(text) + 8)
                for ngram in range(self.distinct):      # a number that no token has is not asked for
                    self.information[ngram] = information_of(words, max(frequencies[ngram], 1))
                for ngram in range(self.distinct, self.size):
                    prefix = <int32_t>(self.table.keys[ngram + 1] >> 32)
                    self.information[ngram] = information_of(words if prefix == zero else frequencies[prefix],
                                                             frequencies[ngram])
                    watch(&watching, 1)
        finally:
            free(frequencies)
        return 0

    def fill_rows(self, Segments segments not None, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] rows):
        """Write rows: the average length of the references; for each order the information of the matches, and then
        the number of n-grams.

        :param segments: of ids of int32; those outside of the corpus are words that match nothing
        """
        cdef TokenTexts hypotheses = segments.texts
        cdef TokenTexts references = segments.references
        cdef Found own              # of the hypothesis
        cdef Found reference
        cdef Watch watching = begin_watch()
        cdef bint known = references is self.corpus
        cdef Py_ssize_t order = self.order
        cdef const NgramCount *ngrams
        cdef int32_t *largest       # by id: 1 + the largest count in a reference; 0 if the hypothesis does not have it
        cdef Py_ssize_t first, last, i, k, m, n, size, total, count
        cdef double *row
        segments.check(start, stop, rows.shape, 1 + 2 * order)
        if segments.texts is None or hypotheses.narrow is None or references.narrow is None:
            raise ValueError("the ids must have 32 bits")
        clear_items(&own, 1)
        clear_items(&reference, 1)
        try:
            with nogil:
                for i in range(start, stop):
                    first = segments.first(i)
                    last = segments.end(i)
                    row = &rows[i, 0]
                    size = hypotheses.length(i)
                    total = 0
                    self.find(&own, hypotheses.words(i), size, &watching)
                    largest = own.counts
                    for m in range(own.starts[order]):
                        largest[own.ngrams[m].ngram] = 1
                    for k in range(first, last):
                        if known:
                            ngrams = self.ngrams + self.starts[k * order]
                            count = self.starts[(k + 1) * order] - self.starts[k * order]
                        else:
                            self.find(&reference, references.words(k), references.length(k), &watching)
                            ngrams = reference.ngrams
                            count = reference.starts[order]
                        for m in range(count):
                            if largest[ngrams[m].ngram]:
                                largest[ngrams[m].ngram] = max(largest[ngrams[m].ngram], <int32_t>(ngrams[m].count + 1))
                        total += references.length(k)
                        watch(&watching, references.length(k) * order + 1)
                    row[0] = <double>total / <double>(last - first)
                    ngrams = own.ngrams
                    for n in range(order):
                        row[1 + n] = 0
                        for m in range(own.starts[n], own.starts[n + 1]):
                            count = min(ngrams[m].count, <int32_t>(largest[ngrams[m].ngram] - 1))
                            row[1 + n] += self.information[ngrams[m].ngram] * <double>count
                            largest[ngrams[m].ngram] = 0
                        row[1 + order + n] = <double>max(size - n, <Py_ssize_t>0)
                    watch(&watching, size * order + 1)
        finally:
            free_found(&own)
            free_found(&reference)

    def weight(self, const int32_t[::1] ngram):
        """Return the information of an n-gram, or 0.0 if the corpus does not have it."""
        cdef int32_t known = -1
        cdef Py_ssize_t i
        for i in range(ngram.shape[0]):
            if not 0 <= ngram[i] < self.distinct:
                return 0.0
            known = ngram[i] if i == 0 else extended(&self.table, known, ngram[i], NULL, False)
            if known < 0:
                return 0.0
        return self.information[known] if known >= 0 else 0.0
