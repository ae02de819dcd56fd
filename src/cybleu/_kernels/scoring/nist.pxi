# NIST of a corpus, summed as in NLTK: the information of matches of hypotheses with their best references.

# Computed by Python, and not by the compiler, which may round in another way.
cdef double BETA = math.log(0.5) / math.log(1.5) ** 2


cdef double TWO = 2         # in a variable, because compilers replace pow(x, 2.0)


# The sums over segments, by order; of the lengths over orders, too, because each order has its own best reference.
cdef struct Sums:
    double weighted[MAX_ORDER]
    int64_t ngrams[MAX_ORDER]       # of the hypotheses
    int64_t reference_length
    int64_t hypothesis_length


# The reference with the largest precision, on ties with the largest length.
cdef struct BestReference:
    double precision
    double information
    Py_ssize_t length


cdef tuple texts_of(object list_of_references, object hypotheses):
    """Return all texts, the references first, and where those of each segment end; None if one is declined."""
    cdef list texts = []
    cdef list sets = [0]
    if type(list_of_references) is not tuple or type(hypotheses) is not tuple:
        return None
    for references in <tuple>list_of_references:
        if type(references) is not tuple or not references:
            return None
        texts.extend(<tuple>references)
        sets.append(len(texts))
    texts.extend(<tuple>hypotheses)
    if len(sets) != len(<tuple>hypotheses) + 1 or not all([type(text) is tuple for text in texts]):
        return None
    return texts, sets


cdef int add_segment(NgramInformation corpus, Hypothesis *hypothesis, Py_ssize_t length, Py_ssize_t first,
                     Py_ssize_t last, Sums *sums, Watch *watching) except -1 nogil:
    """Add the best reference, by order, of those from `first` to before `last`."""
    cdef BestReference best[MAX_ORDER]
    cdef Py_ssize_t n, k, places, size
    cdef double information, precision
    cdef double *terms = <double *>hypothesis.terms.data
    for n in range(corpus.order):
        best[n].precision = best[n].information = best[n].length = -1
    for k in range(first, last):
        add_reference(hypothesis, corpus.ngrams, corpus.starts[k * corpus.order], corpus.starts[(k + 1) * corpus.order])
        size = corpus.corpus.length(k)
        for n in range(corpus.order):
            places = max(length - n, <Py_ssize_t>0)
            information = python_sum(terms, <int>corpus.weigh(hypothesis, n, terms))
            precision = information / <double>places if places else 0
            if (precision > best[n].precision
                    or precision == best[n].precision and information > best[n].information
                    or precision == best[n].precision and information == best[n].information
                    and size > best[n].length):
                best[n].precision, best[n].information, best[n].length = precision, information, size
        forget_hypothesis(hypothesis, corpus.order, False)
        watch(watching, (length + size) * corpus.order + 1)
    for n in range(corpus.order):
        sums.weighted[n] += best[n].information
        sums.ngrams[n] += max(length - n, <Py_ssize_t>0)
        sums.reference_length += best[n].length
        sums.hypothesis_length += length
    return 0


cdef double nist_of_sums(const Sums *sums, int orders) noexcept nogil:
    """Compute NIST from sums as Python computes it; -1 where it divides by zero."""
    cdef double precision = 0
    cdef double ratio
    cdef int n
    for n in range(orders):
        if sums.ngrams[n] == 0:
            return -1
        precision += sums.weighted[n] / <double>sums.ngrams[n]
    if sums.reference_length == 0:
        return -1
    ratio = <double>sums.hypothesis_length / <double>sums.reference_length
    return precision * exp(BETA * pow(log(ratio), TWO)) if ratio < 1 else precision


def corpus_nist(list_of_references, hypotheses, n):
    """Compute NIST of a corpus.

    Return None if a segment, a container or the order is declined, or the score divides by zero.
    """
    cdef int overflow = 0
    cdef Py_ssize_t order = PyLong_AsLongAndOverflow(n, &overflow) if PyLong_CheckExact(n) else 0
    cdef NgramInformation corpus
    cdef Hypothesis hypothesis
    cdef Watch watching = begin_watch()
    cdef TokenTexts segments
    cdef int64_t[::1] ends
    cdef int64_t[::1] sets
    cdef int32_t[::1] ids
    cdef Py_ssize_t references, i
    cdef Sums sums
    cdef double score
    if overflow or not 1 <= order <= MAX_ORDER:
        return None
    # copies, which no other thread or signal handler can change
    found = texts_of(frozen(list_of_references, 3), frozen(hypotheses, 2))
    if found is None:
        return None
    texts, bounds = found
    sets = array("q", bounds)
    ends = array("q", accumulate([len(text) for text in texts], initial=0))
    if ends[len(texts)] > MOST_NGRAMS:
        return None
    ids = array("i", bytes(4 * ends[len(texts)] + 4))
    if number_all(texts, ends[len(texts)], ids) < 0:
        return None
    references = sets[sets.shape[0] - 1]
    corpus = NgramInformation(TokenTexts(ids[:ends[references]], ends[:references], ends[1:references + 1]), order, -1)
    segments = TokenTexts(ids, ends[references:ends.shape[0] - 1], ends[references + 1:])
    memset(&hypothesis, 0, sizeof(Hypothesis))
    memset(&sums, 0, sizeof(Sums))
    try:
        with nogil:
            for i in range(segments.count):
                corpus.begin(&hypothesis, segments.words(i), segments.length(i))
                add_segment(corpus, &hypothesis, segments.length(i), <Py_ssize_t>sets[i], <Py_ssize_t>sets[i + 1],
                            &sums, &watching)
                forget_hypothesis(&hypothesis, corpus.order, True)
            score = nist_of_sums(&sums, <int>order)
        return None if score < 0 else score
    finally:
        free_hypothesis(&hypothesis)
