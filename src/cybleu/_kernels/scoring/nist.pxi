# The sums over segments for NIST as in NLTK: the information of matches of hypotheses with their best references.
#
# Only n-grams that match in some segment affect the score, and both (n-1)-grams of one that matches do so, too. So the
# n-grams of the hypotheses are numbered order by order, and become fewer with the order.

# An n-gram of the hypotheses. The frequencies are those in all references.
cdef struct Ngram:
    double information
    int32_t frequency
    int32_t prefix_frequency    # of the n-gram without its last token
    int32_t segment             # the last one with a match, counted from 1


# Zeroed before it is read. Segment i has the texts from segments[i] to before segments[i + 1], the hypothesis first.
cdef struct Corpus:
    Py_ssize_t count            # of segments
    Py_ssize_t *segments
    Py_ssize_t *starts          # by text: its first position; each text ends with a position that has no n-gram
    int32_t *grams              # by position: the id of the n-gram that begins there, -1 if it matches nowhere
    int32_t given               # ids
    Py_ssize_t hypothesis_length
    Py_ssize_t reference_length
    Buffer memory               # of what follows
    Slots table                 # two (n-1)-grams -> n-gram
    Ngram *ngrams               # by id
    Ngram *shorter              # the (n-1)-grams
    NgramCount *found           # the n-grams of a hypothesis
    double *terms               # the information of their matches
    int32_t *counts             # by id, also -1; 0 between segments


# Sums over segments of one order, which has its own best references.
cdef struct Sums:
    double information
    int64_t ngrams              # of the hypotheses
    Py_ssize_t matched          # of these
    int64_t reference_length


cdef inline Py_ssize_t words_of(const Corpus *corpus, Py_ssize_t text) noexcept nogil:
    return corpus.starts[text + 1] - corpus.starts[text] - 1


cdef int read_corpus(Corpus *corpus, object list_of_references, object hypotheses) except -1:
    """Number the tokens; 0 if a container or a token is declined. No Python code runs, so that no list changes."""
    cdef PyObject **sets
    cdef PyObject **texts
    cdef PyObject **references
    cdef PyObject **tokens
    cdef Py_ssize_t count, size, text, start, texts_capacity, capacity, i, k
    cdef TokenTable table
    count = size = text = start = texts_capacity = capacity = 0
    if (not cybleu_items(<PyObject *>list_of_references, &sets, &corpus.count)
            or not cybleu_items(<PyObject *>hypotheses, &texts, &count) or corpus.count != count):
        return 0
    corpus.segments = <Py_ssize_t *>new_array(corpus.count + 1, sizeof(Py_ssize_t))
    memset(&table, 0, sizeof(TokenTable))
    try:
        for i in range(corpus.count):
            if not cybleu_items(sets[i], &references, &count) or count == 0:
                return 0
            corpus.segments[i] = text
            corpus.starts = <Py_ssize_t *>grown(corpus.starts, text + count + 2, &texts_capacity, sizeof(Py_ssize_t))
            for k in range(-1, count):
                if not cybleu_items(texts[i] if k < 0 else references[k], &tokens, &size) or size > MOST_NGRAMS - start:
                    return 0
                items_in(references[k + 1] if k + 1 < count else texts[min(i + 1, corpus.count - 1)])     # prefetch
                corpus.grams = <int32_t *>grown(corpus.grams, start + size + 1, &capacity, sizeof(int32_t))
                reserve_tokens(&table, size)
                if not number_objects(&table, tokens, size, corpus.grams + start, True):
                    return 0
                corpus.starts[text] = start
                text, start = text + 1, start + size + 1
                corpus.grams[start - 1] = -1
            corpus.starts[text] = start
            corpus.hypothesis_length += words_of(corpus, corpus.segments[i])
        corpus.segments[corpus.count] = text
        corpus.reference_length = start - text - corpus.hypothesis_length
        corpus.given = table.size
    finally:
        free_tokens(&table)
    return 1


cdef int reserve_ngrams(Corpus *corpus) except -1 nogil:
    """Allocate memory for the n-grams of an order, at once, so that the next call gets the same pages."""
    cdef Py_ssize_t most = max(<Py_ssize_t>corpus.given, corpus.hypothesis_length) + 1
    cdef uint64_t slots = slots_needed(corpus.hypothesis_length)
    reserve(&corpus.memory, slots * sizeof(Slot) + <uint64_t>most * (
        2 * sizeof(Ngram) + sizeof(NgramCount) + sizeof(double) + sizeof(int32_t)))
    corpus.table.slots = <Slot *>corpus.memory.data
    corpus.ngrams = <Ngram *>(corpus.table.slots + slots)
    corpus.shorter = corpus.ngrams + most
    corpus.found = <NgramCount *>(corpus.shorter + most)
    corpus.terms = <double *>(corpus.found + most)
    corpus.counts = <int32_t *>(corpus.terms + most) + 1
    memset(corpus.counts - 1, 0, <size_t>most * sizeof(int32_t))
    return 0


cdef int number_ngrams(Corpus *corpus, Py_ssize_t n, Py_ssize_t matched, Watch *watching) except -1 nogil:
    """Number the n-grams of order n + 1 of the hypotheses, find them in the references, and compute their information.

    :param matched: how many n-grams of order n the hypotheses have that match
    """
    cdef int32_t prefix_frequency = <int32_t>corpus.reference_length
    cdef int32_t *gram
    cdef Py_ssize_t i, k
    if n > 0:
        make_empty(&corpus.table, slots_needed(matched))
        corpus.ngrams, corpus.shorter, corpus.given = corpus.shorter, corpus.ngrams, 0
        for i in range(corpus.count):
            gram = corpus.grams + corpus.starts[corpus.segments[i]]
            k = words_of(corpus, corpus.segments[i])
            corpus.given = extend_ngrams(corpus.table, gram, gram + 1, k, corpus.given, True)
            watch(watching, k + 8)
    memset(corpus.ngrams, 0, <size_t>corpus.given * sizeof(Ngram))
    for i in range(corpus.count):
        for k in range(corpus.starts[corpus.segments[i] + 1], corpus.starts[corpus.segments[i + 1]]):
            watch(watching, 1)
            gram = corpus.grams + k
            if n > 0 and gram[0] >= 0:
                prefix_frequency = corpus.shorter[gram[0]].frequency
                extend_ngrams(corpus.table, gram, gram + 1, 1, 0, False)
            if gram[0] >= 0:
                corpus.ngrams[gram[0]].frequency += 1
                corpus.ngrams[gram[0]].prefix_frequency = prefix_frequency
    for i in range(corpus.given):
        if corpus.ngrams[i].frequency:
            corpus.ngrams[i].information = bits(corpus.ngrams[i].prefix_frequency, corpus.ngrams[i].frequency)
    return 0


cdef int add_segment(const Corpus *corpus, Py_ssize_t i, Py_ssize_t n, Sums *sums, Watch *watching) except -1 nogil:
    """Add the best reference of order n + 1, and forget n-grams of the hypothesis that no reference of it has.

    The best reference has the largest precision; on ties the most information, and then the largest length.
    """
    cdef Py_ssize_t text = corpus.segments[i]
    cdef int32_t *hypothesis = corpus.grams + corpus.starts[text]
    cdef Py_ssize_t places = max(words_of(corpus, text) - n, <Py_ssize_t>0)
    cdef Py_ssize_t different = count_ngrams(hypothesis, places, corpus.counts, corpus.found)
    cdef int32_t *counts = corpus.counts        # 1 for n-grams of the hypothesis, and more for those of a reference
    cdef double information, precision, best_information, best_precision
    cdef Py_ssize_t length, best_length, k, m
    cdef int32_t gram
    best_information = best_precision = best_length = -1
    for m in range(different):
        counts[corpus.found[m].ngram] = 1
    for k in range(text + 1, corpus.segments[i + 1]):
        length = words_of(corpus, k)
        for m in range(corpus.starts[k], corpus.starts[k] + (length - n if different else 0)):
            gram = corpus.grams[m]
            counts[gram] += counts[gram] > 0
        for m in range(different):
            gram = corpus.found[m].ngram
            corpus.terms[m] = corpus.ngrams[gram].information * min(corpus.found[m].count, counts[gram] - 1)
            if counts[gram] > 1:
                corpus.ngrams[gram].segment = <int32_t>i + 1
            counts[gram] = k + 1 < corpus.segments[i + 1]   # 0 after the last reference
        information = python_sum(corpus.terms, <int>different)
        precision = information / <double>places if places else 0
        if (precision > best_precision
                or precision == best_precision and information > best_information
                or precision == best_precision and information == best_information and length > best_length):
            best_precision, best_information, best_length = precision, information, length
        watch(watching, length + places + 8)
    for m in range(places if different else 0):
        if hypothesis[m] >= 0 and corpus.ngrams[hypothesis[m]].segment != i + 1:
            hypothesis[m] = -1
        sums.matched += hypothesis[m] >= 0
    sums.information += best_information
    sums.ngrams += places
    sums.reference_length += best_length
    return 0


def nist_sums(list_of_references, hypotheses, n):
    """Return sums over segments: for each order the information of the matches with the best reference, and the n-grams
    of the hypotheses; over the orders, too, the lengths of these references, and of the hypotheses.

    None if a segment, a container or the order is declined.
    """
    cdef Py_ssize_t[2] orders
    cdef Watch watching = begin_watch()
    cdef Corpus corpus
    cdef Sums sums[MAX_ORDER]
    cdef Py_ssize_t i, k
    if not read_orders(1, n, orders):
        return None
    if CYBLEU_OTHER_THREADS_RUN:
        list_of_references, hypotheses = frozen(list_of_references, 3), frozen(hypotheses, 2)
    memset(&corpus, 0, sizeof(Corpus))
    memset(sums, 0, sizeof(sums))
    try:
        if not read_corpus(&corpus, list_of_references, hypotheses):
            return None
        with nogil:
            reserve_ngrams(&corpus)
            for k in range(orders[1]):
                number_ngrams(&corpus, k, sums[k - 1].matched if k else 0, &watching)
                for i in range(corpus.count):
                    add_segment(&corpus, i, k, &sums[k], &watching)
        return ([sums[k].information for k in range(orders[1])], [sums[k].ngrams for k in range(orders[1])],
                sum([sums[k].reference_length for k in range(orders[1])]), orders[1] * corpus.hypothesis_length)
    finally:
        free(corpus.segments)
        free(corpus.starts)
        free(corpus.grams)
        free_buffer(&corpus.memory)
