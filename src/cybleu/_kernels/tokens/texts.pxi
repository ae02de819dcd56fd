# Texts as ids of tokens.
#
# Offers: `TokenTexts`, and `token_id` of 32 or 64 bits.

ctypedef fused token_id:
    int32_t
    int64_t


cdef int32_t NO_WORD = -1       # the address of no words: adding 0 to NULL is undefined


cdef class TokenTexts:
    """Texts as ids of tokens, whose arrays must not change.

    :param ids: the tokens of all texts, int32 or int64
    :param begins: where each text begins in `ids`, int64
    :param ends: where it ends
    """

    cdef const int32_t[::1] narrow      # one of the two has the ids
    cdef const int64_t[::1] wide
    cdef const int64_t[::1] starts
    cdef const int64_t[::1] stops
    cdef readonly object ids
    cdef readonly object begins
    cdef readonly object ends
    cdef readonly Py_ssize_t size       # texts
    cdef Py_ssize_t width       # ids, also those of no text
    cdef Py_ssize_t total       # tokens of all texts
    cdef Py_ssize_t longest

    def __cinit__(self, ids not None, begins not None, ends not None):
        cdef Py_ssize_t i, length
        self.ids, self.begins, self.ends = ids, begins, ends
        self.narrow, self.wide = (ids, None) if memoryview(ids).itemsize == sizeof(int32_t) else (None, ids)
        # not len(ids), which a subclass of an array may define
        self.width = self.wide.shape[0] if self.narrow is None else self.narrow.shape[0]
        self.starts, self.stops = begins, ends
        self.size = self.starts.shape[0]
        if self.stops.shape[0] != self.size:
            raise ValueError("begins and ends do not fit each other")
        for i in range(self.size):
            if not 0 <= self.starts[i] <= self.stops[i] <= self.width:
                raise ValueError("a text is out of range")
            length = self.length(i)
            if length > MOST_TOKENS:
                raise MemoryError("a text has too many tokens")
            self.total += length
            self.longest = max(self.longest, length)

    @cython.final
    cdef Py_ssize_t length(self, Py_ssize_t text) noexcept nogil:
        return <Py_ssize_t>(self.stops[text] - self.starts[text])

    @cython.final
    cdef uint64_t bits(self, uint64_t limit) noexcept nogil:
        """Return the bits that an id has: as a number it is at least the largest id, unless an id is negative.

        :param limit: if the number is not below it, only some ids may be read
        """
        cdef int64_t found = 0
        cdef Py_ssize_t first = 0
        cdef Py_ssize_t last, i
        while first < self.width and <uint64_t>found < limit:
            last = min(first + STEPS, self.width)
            if self.narrow is None:
                for i in range(first, last):
                    found |= self.wide[i]
            else:
                for i in range(first, last):
                    found |= self.narrow[i]
            first = last
        return <uint64_t>found

    @cython.final
    cdef void read(self, Py_ssize_t text, uint64_t *keys) noexcept nogil:
        """Write the tokens of a text as keys."""
        cdef int64_t begin = self.starts[text]
        cdef Py_ssize_t i
        if self.narrow is None:
            for i in range(self.length(text)):
                keys[i] = <uint64_t>self.wide[begin + i]
        else:
            for i in range(self.length(text)):
                keys[i] = <uint64_t>self.narrow[begin + i]

    @cython.final
    cdef const int32_t *words(self, Py_ssize_t text) noexcept nogil:
        """Return the tokens of a text of int32."""
        return &self.narrow[self.starts[text]] if self.length(text) else &NO_WORD
