# NIST of a corpus, summed as in NLTK: the information of matches of hypotheses with their best references.
#
# Only n-grams that match in some segment affect the score, and both (n-1)-grams of one that matches do so, too. So the
# n-grams of the hypotheses are numbered order by order, and become fewer with the order. An NgramIndex would number all
# of them, which took 2.3 times as long.
#
# Whether an n-gram matches is unpredictable, so loops over text do not branch on it: the id -1 has counts, too.

# An n-gram of the hypotheses. The frequencies are those in all references.
cdef struct Ngram:
    double information
    int32_t frequency
    int32_t prefix_frequency    # of the n-gram without its last token
    int32_t segment             # the last one with a match, counted from 1


cdef struct NumberedText:
    Py_ssize_t length
    int32_t *grams              # by position: the id of the n-gram that begins there, -1 if it matches nowhere
    Py_ssize_t end              # for a hypothesis: where its references end among the texts


# Zeroed before it is read. The sums over segments are those of one order, which has its own best references; that of
# their lengths is over orders, too.
cdef struct Corpus:
    Py_ssize_t count            # of segments
    NumberedText *texts         # the hypotheses, and then the references of each segment
    Py_ssize_t size             # number of texts
    Py_ssize_t capacity         # texts that fit
    Py_ssize_t positions        # in all texts
    Py_ssize_t hypothesis_length
    int64_t reference_length    # sum over orders of those of the best references
    int64_t places              # sum of the n-grams of the hypotheses
    double information          # sum of that of the matches
    Buffer memory               # of what follows
    KeyTable table              # two (n-1)-grams -> n-gram
    Ngram *ngrams               # by id, also -1
    Ngram *shorter              # the (n-1)-grams
    NgramCount *found           # the n-grams of a hypothesis
    double *terms               # the information of their matches
    int32_t *counts             # by id, also -1; 0 between segments


cdef Py_ssize_t add_texts(Corpus *corpus, PyObject *texts) except -2:
    """List the texts of a container; return how many, or -1 if it or one of them is declined."""
    cdef PyObject **items
    cdef PyObject **tokens
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t k
    cdef NumberedText *text
    if not cybleu_items(texts, &items, &count):
        return -1
    corpus.texts = <NumberedText *>grown(corpus.texts, corpus.size + count, &corpus.capacity, sizeof(NumberedText))
    for k in range(count):
        text = &corpus.texts[corpus.size]
        if not cybleu_items(items[k], &tokens, &text.length) or text.length > MOST_NGRAMS - corpus.positions:
            return -1
        corpus.size += 1
        corpus.positions += text.length
    return count


cdef inline void fetch_text(PyObject *texts, Py_ssize_t k) noexcept:
    """Prefetch the tokens of a text, if the container has it: those of a corpus are rarely in the caches."""
    cdef PyObject **items
    cdef Py_ssize_t count = 0
    if cybleu_items(texts, &items, &count) and k < count:
        items_in(items[k])


cdef int32_t *number_container(TokenTable *table, object texts, NumberedText *numbered, Py_ssize_t count,
                               int32_t *grams, list held, Watch *watching) except? NULL:
    """Write the ids of the tokens of all texts of a container.

    A signal handler may change the container. The table has addresses of long tokens, which must stay alive.

    :param held: receives the texts with long tokens that are new; None if new tokens get no id
    :return: their end, or NULL if a token is declined, or a text has another length
    """
    cdef object text
    cdef int32_t before
    cdef uint64_t marks
    cdef Py_ssize_t k
    for k in range(count):
        fetch_text(<PyObject *>texts, k + 1)
        text = item_at(texts, k)
        before = table.size
        if not number_text(table, text, numbered[k].length, grams, held is not None):
            return NULL
        marks = 0
        while before < table.size:
            marks |= table.tokens[before].key.second
            before += 1
        if marks & CYBLEU_UNDECIDED:
            held.append(tuple(text))
        numbered[k].grams = grams
        grams += numbered[k].length
        watch(watching, numbered[k].length + 8)
    return grams


cdef Py_ssize_t read_corpus(Corpus *corpus, object list_of_references, object hypotheses, list held,
                            Watch *watching) except -2:
    """Number the tokens of the hypotheses, and find them in the references.

    :param held: receives what must stay alive meanwhile
    :return: the number of ids, or -1 if a container or a token is declined, or changes meanwhile
    """
    cdef PyObject **sets
    cdef object texts
    cdef Py_ssize_t first, i, most
    cdef Py_ssize_t size = 0
    cdef TokenTable table
    cdef int32_t *grams
    cdef uint64_t slots
    if (not cybleu_items(<PyObject *>list_of_references, &sets, &corpus.count)
            or add_texts(corpus, <PyObject *>hypotheses) != corpus.count):
        return -1
    corpus.hypothesis_length = corpus.positions
    for i in range(corpus.count):
        texts = item_at(list_of_references, i)
        if add_texts(corpus, <PyObject *>texts) <= 0 or corpus.size > MOST_NGRAMS:
            return -1
        corpus.texts[i].end = corpus.size
        watch(watching, 8)
    most = corpus.hypothesis_length + 1
    slots = slots_for(corpus.hypothesis_length)
    # at once, so that the next call gets the same pages; the tokens are where n-grams have no values yet
    reserve(&corpus.memory, (slots + <uint64_t>corpus.positions) * sizeof(int32_t) + <uint64_t>most * (
        sizeof(uint64_t) + 2 * sizeof(Ngram) + sizeof(NgramCount) + sizeof(double) + sizeof(int32_t)))
    place_table(&table, corpus.memory.data, corpus.hypothesis_length)
    corpus.table.keys = <uint64_t *>corpus.memory.data
    corpus.ngrams = <Ngram *>(corpus.table.keys + most) + 1
    corpus.shorter = corpus.ngrams + most
    corpus.found = <NgramCount *>(corpus.shorter + most - 1)
    corpus.terms = <double *>(corpus.found + most)
    corpus.counts = <int32_t *>(corpus.terms + most) + 1
    corpus.table.numbers = corpus.counts + most - 1
    grams = corpus.table.numbers + slots
    grams = number_container(&table, hypotheses, corpus.texts, corpus.count, grams, held, watching)
    if grams == NULL:
        return -1
    first = corpus.count
    for i in range(corpus.count):
        if cybleu_items(<PyObject *>list_of_references, &sets, &size) and i + 1 < size:
            fetch_text(sets[i + 1], 0)
        texts = item_at(list_of_references, i)
        grams = number_container(&table, texts, corpus.texts + first, corpus.texts[i].end - first, grams, None,
                                 watching)
        if grams == NULL:
            return -1
        first = corpus.texts[i].end
    clear_items(corpus.counts - 1, most)
    return table.size


cdef int number_ngrams(Corpus *corpus, Py_ssize_t n, Py_ssize_t most, Watch *watching) except -1 nogil:
    """Number the n-grams of order n + 1 of the hypotheses, find them in the references, and compute their information.

    :param most: tokens have as many ids; otherwise, how many n-grams of order n the hypotheses have that match
    """
    cdef int32_t prefix_frequency = <int32_t>(corpus.positions - corpus.hypothesis_length)
    cdef int32_t given = 0
    cdef int32_t *gram
    cdef Py_ssize_t k, m
    corpus.ngrams, corpus.shorter = corpus.shorter, corpus.ngrams
    clear_items(corpus.ngrams - 1, most + 1)
    forget_keys(&corpus.table, slots_for(most), watching)
    for k in range(corpus.size):
        gram = corpus.texts[k].grams
        for m in range(corpus.texts[k].length - n):
            if n > 0:
                prefix_frequency = corpus.shorter[gram[m]].frequency
                gram[m] = extended(&corpus.table, gram[m], gram[m + 1], &given, k < corpus.count)
            corpus.ngrams[gram[m]].prefix_frequency = prefix_frequency
            corpus.ngrams[gram[m]].frequency += k >= corpus.count
        watch(watching, corpus.texts[k].length + 8)
    for k in range(most):
        if (corpus.ngrams[k].frequency > 0) & (corpus.ngrams[k].frequency < corpus.ngrams[k].prefix_frequency):
            corpus.ngrams[k].information = information_of(corpus.ngrams[k].prefix_frequency, corpus.ngrams[k].frequency)
    return 0


cdef Py_ssize_t add_segment(Corpus *corpus, Py_ssize_t i, Py_ssize_t n, Watch *watching) except -1 nogil:
    """Add the best reference of order n + 1, and forget n-grams of the hypothesis that no reference of it has.

    The best reference has matches with the most information; on ties, it is the longest one.

    :return: how many n-grams of the hypothesis match
    """
    cdef const NumberedText *text = &corpus.texts[i]
    cdef int32_t *hypothesis = text.grams
    cdef Py_ssize_t places = max(text.length - n, <Py_ssize_t>0)
    cdef Py_ssize_t different = count_ngrams(hypothesis, places, corpus.counts, corpus.found)
    cdef int32_t *counts = corpus.counts        # 1 for n-grams of the hypothesis, and more for those of a reference
    cdef Py_ssize_t matched = 0
    cdef Py_ssize_t best_length, k, m
    cdef double information, best_information
    cdef Ngram *ngram
    cdef int32_t gram
    best_information = best_length = -1
    for m in range(different):
        counts[corpus.found[m].ngram] = 1
    for k in range(corpus.texts[i - 1].end if i > 0 else corpus.count, corpus.texts[i].end):
        text = &corpus.texts[k]
        for m in range(text.length - n if different else 0):
            gram = text.grams[m]
            counts[gram] += counts[gram] > 0
        for m in range(different):
            gram = corpus.found[m].ngram
            ngram = &corpus.ngrams[gram]
            corpus.terms[m] = ngram.information * min(corpus.found[m].count, <int32_t>(counts[gram] - 1))
            ngram.segment = max(ngram.segment, <int32_t>(i + 1) * (counts[gram] > 1))
            counts[gram] = k + 1 < corpus.texts[i].end    # 0 after the last reference
        information = python_sum(corpus.terms, <int>different)
        if information > best_information or information == best_information and text.length > best_length:
            best_information, best_length = information, text.length
        watch(watching, text.length + places + 8)
    for m in range(places if different else 0):
        hypothesis[m] |= -<int32_t>(corpus.ngrams[hypothesis[m]].segment != i + 1)
        matched += hypothesis[m] >= 0
    corpus.information += best_information
    corpus.places += places
    corpus.reference_length += best_length
    return matched


# Computed by Python as in the mirror, and not by the compiler, which may round in another way.
cdef double BETA = math.log(0.5) / math.log(1.5) ** 2
cdef double TWO = 2         # in a variable, because compilers replace pow(x, 2.0)


cdef double score_corpus(Corpus *corpus, Py_ssize_t orders, Py_ssize_t ids) except? -1 nogil:
    """Return the score, or NaN where the mirror raises an error because it divides by zero."""
    cdef Watch watching = begin_watch()
    cdef Py_ssize_t matched = ids
    cdef double precision = 0
    cdef double ratio
    cdef Py_ssize_t i, n
    for n in range(orders):
        if matched:
            number_ngrams(corpus, n, matched, &watching)
        matched = corpus.places = 0
        corpus.information = 0
        for i in range(corpus.count):
            matched += add_segment(corpus, i, n, &watching)
        if corpus.places == 0 or corpus.reference_length == 0:
            return NAN
        precision += corpus.information / <double>corpus.places
    ratio = <double>(orders * corpus.hypothesis_length) / <double>corpus.reference_length
    return precision * exp(BETA * pow(log(ratio), TWO)) if ratio < 1 else precision


def corpus_nist(list_of_references, hypotheses, n):
    """Return NIST of a corpus, or None if a segment, a container or the order is declined, or it divides by zero."""
    cdef Py_ssize_t[2] orders
    cdef Corpus corpus
    cdef Py_ssize_t ids
    cdef double score = NAN
    cdef list held = []
    cdef Watch watching = begin_watch()
    if not read_orders(1, n, orders):
        return None
    if CYBLEU_OTHER_THREADS_RUN:
        list_of_references, hypotheses = frozen(list_of_references, 3), frozen(hypotheses, 2)
    clear_items(&corpus, 1)
    try:
        ids = read_corpus(&corpus, list_of_references, hypotheses, held, &watching)
        if ids >= 0:
            with nogil:
                score = score_corpus(&corpus, orders[1], ids)
        return None if score != score else score
    finally:
        free(corpus.texts)
        free_buffer(&corpus.memory)
