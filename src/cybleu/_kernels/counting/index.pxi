# Number the n-grams of texts, and list those of each text with their counts.
#
# Offers: `NgramIndex`; `Found` with `free_found`.

# The n-grams of one text, found by one thread: those of order n + 1 from starts[n] to before starts[n + 1].
cdef struct Found:
    Buffer memory
    int32_t *counts         # by id, 0
    NgramCount *ngrams
    Py_ssize_t *starts


cdef inline Py_ssize_t count_ngrams_of(NgramIndex index, const int32_t *tokens, Py_ssize_t length, int32_t *grams,
                                       int32_t *counts, NgramCount *ngrams, Py_ssize_t *starts, Py_ssize_t start,
                                       bint adds, Watch *watching) except -1 nogil:
    """Write the n-grams of a text from `start` on, and where those of each order begin; return their end."""
    cdef int32_t given
    cdef Py_ssize_t i, n
    for i in range(length):
        grams[i] = tokens[i] if 0 <= tokens[i] < index.distinct else -1
    for n in range(index.order):
        starts[n] = start
        if n > 0:
            given = extend_ngrams(&index.table, grams, tokens + n, length - n, index.size, adds, watching)
            if adds:
                index.size = given
        start += count_ngrams(grams, length - n, counts, ngrams + start)
    starts[index.order] = start
    return start


cdef class NgramIndex:
    """The n-grams of texts up to an order, with ids from 0 on: tokens have the lowest ones, which the caller gave.

    Filled once; then any number of threads may read it.
    """

    cdef Py_ssize_t order
    cdef Py_ssize_t texts
    cdef int32_t distinct           # tokens
    cdef int32_t size               # number of ids
    cdef KeyTable table             # n-gram and the next token -> longer n-gram
    cdef Py_ssize_t *starts         # [text * order + n]: where the n-grams of a text and order begin
    cdef NgramCount *ngrams         # in the order of their first occurrence; in the memory of the table

    def __dealloc__(self):
        free(self.table.keys)
        free(self.starts)

    cdef int index(self, TokenTexts texts, const int32_t *tokens, int32_t distinct, Py_ssize_t max_order) except -1:
        """Fill the index.

        :param tokens: numbers from 0 to before `distinct` for the ids of the texts
        """
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t total = texts.total
        cdef Py_ssize_t keys, slots
        cdef Py_ssize_t start = 0
        cdef Py_ssize_t text, length
        cdef int32_t *counts = NULL
        cdef int32_t *grams = NULL
        if not 1 <= max_order <= MAX_ORDER:
            raise ValueError("the order is out of range")
        if total > MOST_NGRAMS // max_order:
            raise MemoryError("the texts have too many n-grams")
        self.order, self.texts, self.distinct, self.size = max_order, texts.size, distinct, distinct
        keys = distinct + total * (max_order - 1)
        slots = <Py_ssize_t>slots_for(keys)
        # At once, so that the next index gets the same pages: the allocator returns many smaller arrays to the system.
        self.table.keys = <uint64_t *>new_array(2 * (keys + 1 + total * max_order) + slots, sizeof(int32_t))
        self.ngrams = <NgramCount *>(self.table.keys + keys + 1)
        self.table.numbers = <int32_t *>(self.ngrams + total * max_order)
        forget_keys(&self.table, <uint64_t>slots, &watching)
        self.starts = <Py_ssize_t *>new_array(texts.size * max_order + 1, sizeof(Py_ssize_t))
        self.starts[0] = 0
        try:
            grams = <int32_t *>new_array(total, sizeof(int32_t))
            counts = <int32_t *>new_zeros(keys + 1, sizeof(int32_t))
            with nogil:
                for text in range(texts.size):
                    length = texts.length(text)
                    start = count_ngrams_of(self, tokens + texts.starts[text], length, grams, counts, self.ngrams,
                                            self.starts + text * max_order, start, True, &watching)
                    watch(&watching, length * max_order + 1)
        finally:
            free(grams)
            free(counts)
        return 0

    cdef int find(self, Found *found, const int32_t *tokens, Py_ssize_t length, Watch *watching) except -1 nogil:
        """Find the n-grams of another text, which may have other tokens. `found` is zeroed before the first one."""
        cdef int32_t *grams
        if length > MOST_NGRAMS // self.order:
            with gil:
                raise MemoryError("a text has too many n-grams")
        if found.counts == NULL:
            found.counts = <int32_t *>new_zeros(self.size + 1, sizeof(int32_t))
        reserve(&found.memory, (<uint64_t>self.order + 1) * sizeof(Py_ssize_t)
                + <uint64_t>(length * self.order) * sizeof(NgramCount) + <uint64_t>length * sizeof(int32_t))
        found.starts = <Py_ssize_t *>found.memory.data
        found.ngrams = <NgramCount *>(found.starts + self.order + 1)
        grams = <int32_t *>(found.ngrams + length * self.order)
        count_ngrams_of(self, tokens, length, grams, found.counts, found.ngrams, found.starts, 0, False,
                        watching)
        return 0


cdef void free_found(Found *found) noexcept nogil:
    free_buffer(&found.memory)
    free(found.counts)
