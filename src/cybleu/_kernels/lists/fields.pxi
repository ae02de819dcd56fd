# Parse lines of n-best lists, ``id ||| tokens ||| features ||| score``, and lines of numbers.
#
# Only lines of the usual form are accepted; the general reader parses declined lines, and reports their errors.

cdef enum:
    FEW_VALUES = 100            # in a row, up to which insertion sort is used


cdef struct Entry:
    int64_t column
    double value


cdef inline const char *next_bars(const char *at, const char *end) noexcept nogil:
    """Return the start of the next field separator, or the end of the line."""
    while at < end:
        at = <const char *>memchr(at, c"|", <size_t>distance(at, end))
        if at == NULL:
            return end
        if distance(at, end) >= 3 and at[1] == c"|" and at[2] == c"|":
            return at
        at += 1
    return end


cdef inline const char *read_id(const char *at, const char *end, int64_t *value) noexcept nogil:
    """Skip a whole number; return its end, or NULL."""
    cdef const char *start = at
    value[0] = 0
    while at < end and is_digit(at[0]) and distance(start, at) < MOST_DIGITS:
        value[0] = 10 * value[0] + (at[0] - c"0")
        at += 1
    return at if at > start else NULL


cdef inline bint is_plain(const Token *name) noexcept nogil:
    """Return whether all bytes are printable ASCII, so that `str.split` would split the line identically."""
    cdef const uint8_t *at = name.text
    while at < name.end:
        if not c"!" <= at[0] <= c"~":
            return False
        at += 1
    return at > name.text


cdef inline Token token_of(bytes text):
    cdef Token token
    token.text = <const uint8_t *><const char *>text
    token.end = token.text + len(text)
    return token


cdef inline bint begins_with(const char *at, const char *end, const Token *label) noexcept nogil:
    """Return whether a label and a blank are at this place."""
    cdef Py_ssize_t size = distance(label.text, label.end)
    return size < distance(at, end) and memcmp(at, label.text, <size_t>size) == 0 and is_blank(at[size])


cdef int by_column(const void *one, const void *other) noexcept nogil:
    cdef int64_t first = (<const Entry *>one).column
    cdef int64_t second = (<const Entry *>other).column
    return (first > second) - (first < second)


cdef class Fields:
    """Values of dense features in columns of an array, and sparse features as columns and values, row after row.

    Names of sparse features get columns in order of first occurrence, from 0.

    :param labels: for each dense feature what is before its value, such as ``lm=``; nothing if it follows another value
    :param sparse: how sparse features are written: ``spaced`` as ``pp_a= 1``, with ``_`` in the name; ``glued`` as
        ``lm=1``; or ``none``
    """

    cdef list kept                  # the labels
    cdef Token *labels
    cdef Py_ssize_t width           # dense columns
    cdef bint spaced, glued
    cdef RawVocabulary sparse       # names
    cdef Entry *entries             # sparse features of the rows not yet taken
    cdef int64_t *ends              # offsets of these rows, starting with 0
    cdef Py_ssize_t entry_capacity, end_capacity
    cdef Py_ssize_t found           # number of entries, including those of an unfinished row
    cdef Py_ssize_t ended           # rows

    def __cinit__(self, list labels not None, str sparse not None):
        cdef Py_ssize_t capacity = 0
        self.kept, self.width = list(labels), len(labels)
        self.labels = <Token *>grown(NULL, self.width, &capacity, sizeof(Token))
        for i in range(self.width):
            self.labels[i] = token_of(self.kept[i])
        self.spaced, self.glued = sparse == "spaced", sparse == "glued"
        self.sparse = RawVocabulary(Tokenizer("none"))
        self.ends = <int64_t *>grown(NULL, 1, &self.end_capacity, sizeof(int64_t))
        self.ends[0] = 0

    def __dealloc__(self):
        free(self.labels)
        free(self.entries)
        free(self.ends)

    def sparse_names(self, Py_ssize_t first):
        """Return the names of sparse features from the column `first` on."""
        cdef Py_ssize_t i
        return [decoded(&self.sparse.table.tokens[i].token) for i in range(max(first, 0), self.sparse.table.size)]

    def add(self, list row not None):
        """Add the sparse features of a row, distinct names and their values, that the caller has parsed."""
        cdef bytes encoded
        cdef Token name
        self.found = self.ends[self.ended]
        for text, value in row:
            encoded = text.encode()
            name = token_of(encoded)
            self.put_entry(self.sparse.add_token(&name), value)
        self.sort_row()
        self.end_row()

    def take(self):
        """Remove the sparse features, and return them as bytes: where those of each row begin, and the end; and pairs
        of an int64 column and a float64 value, with ascending columns."""
        cdef Py_ssize_t count = self.ends[self.ended]
        ends = PyBytes_FromStringAndSize(<const char *>self.ends, (self.ended + 1) * <Py_ssize_t>sizeof(int64_t))
        entries = PyBytes_FromStringAndSize(<const char *>self.entries, count * <Py_ssize_t>sizeof(Entry))
        self.ended = self.found = 0
        return ends, entries

    # -------------------------------------------------------------------------------------------- values of a line

    cdef int put_entry(self, int32_t column, double value) except -1 nogil:
        self.entries = <Entry *>grown(self.entries, self.found + 1, &self.entry_capacity, sizeof(Entry))
        self.entries[self.found].column = column
        self.entries[self.found].value = value
        self.found = self.found + 1
        return True

    cdef int put_sparse(self, const char *at, const char *end, double value) except -1 nogil:
        """Add a sparse feature to the unfinished row; false for a new name that `str.split` may split."""
        cdef Token name
        cdef int32_t column
        name.text, name.end = <const uint8_t *>at, <const uint8_t *>end
        column = number_word(&self.sparse.table, &name, False)
        if column < 0:
            if not is_plain(&name):
                return False
            column = self.sparse.add_token(&name)
        return self.put_entry(column, value)

    cdef int read_values(self, const char *at, const char *end, double *values) except -1 nogil:
        """Read the features of a line; false for other forms, and if dense ones have not the labels in this order."""
        cdef const Token *label = self.labels
        cdef const Token *last = label + self.width
        cdef const char *name
        cdef const char *name_end
        cdef double value = 0.0
        cdef bint after_sparse = False
        self.found = self.ends[self.ended]
        while True:
            at = past_blanks(at, end)
            if at == end:
                return label == last and self.sort_row()
            if label < last and (begins_with(at, end, label) if label.text < label.end else not after_sparse):
                at = past_blanks(at + distance(label.text, label.end), end)
                at = read_number(at, values)
                if at == NULL or not (at == end or is_blank(at[0])):
                    return False
                label += 1
                values += 1
                after_sparse = False
                continue
            name = at
            while at < end and not is_blank(at[0]):
                at += 1
            name_end = at - 1
            if self.glued:
                while name_end > name and name_end[0] != c"=":
                    name_end -= 1
                at = name_end + 1
            elif (self.spaced and (name_end[0] == c"=" or name_end[0] == c":")
                  and memchr(name, c"_", <size_t>distance(name, name_end)) != NULL):
                at = past_blanks(at, end)
            else:
                return False
            at = read_number(at, &value)
            if name == name_end or at == NULL or not (at == end or is_blank(at[0])):
                return False
            if not self.put_sparse(name, name_end, value):
                return False
            after_sparse = True

    cdef bint sort_row(self) noexcept nogil:
        """Sort the unfinished row by column; false if a column is repeated."""
        cdef Py_ssize_t first = self.ends[self.ended]
        cdef Py_ssize_t i, place
        cdef Entry entry
        if self.found - first > FEW_VALUES:
            qsort(self.entries + first, <size_t>(self.found - first), sizeof(Entry), by_column)
        for i in range(first + 1, self.found):
            entry = self.entries[i]
            place = i
            while place > first and self.entries[place - 1].column > entry.column:
                self.entries[place] = self.entries[place - 1]
                place -= 1
            self.entries[place] = entry
        for i in range(first + 1, self.found):
            if self.entries[i - 1].column == self.entries[i].column:
                return False
        return True

    cdef int end_row(self) except -1 nogil:
        self.ends = <int64_t *>grown(self.ends, self.ended + 2, &self.end_capacity, sizeof(int64_t))
        self.ended = self.ended + 1
        self.ends[self.ended] = self.found
        return 0

    # ------------------------------------------------------------------------------------------------------------ lines

    def read(self, bytes block not None, Py_ssize_t start, Py_ssize_t row, int64_t[::1] ids, int64_t[::1] begins,
             int64_t[::1] ends, double[:, ::1] features, double[::1] scores):
        """Read lines of a list from `start` on into the rows from `row` on, up to the first declined line.

        :param begins: receives the start of each hypothesis in the block, without surrounding blanks
        :param ends: receives the end of each hypothesis
        :return: the number of rows written, and the start of the first unread line
        """
        cdef const char *first = block
        cdef const char *stop = first + len(block)
        cdef const char *line
        cdef const char *after
        cdef const char *end
        cdef const char *at
        cdef const char *text
        cdef Py_ssize_t rows = min(ids.shape[0], begins.shape[0], ends.shape[0], features.shape[0], scores.shape[0])
        if not 0 <= start <= distance(first, stop) or row < 0 or features.shape[1] != self.width:
            raise ValueError("the rows do not fit the lines")
        line = first + start
        with nogil:
            while line < stop and row < rows:
                end = end_of_line(line, stop, &after)
                at = read_id(past_blanks(line, end), end, &ids[row])
                if at == NULL:
                    break
                at = past_blanks(at, end)
                if at == end or at != next_bars(at, end):
                    break
                text = past_blanks(at + 3, end)
                at = next_bars(at + 3, end)
                begins[row] = distance(first, min(text, at))
                ends[row] = distance(first, at)
                while ends[row] > begins[row] and is_blank(first[ends[row] - 1]):
                    ends[row] -= 1
                if at == end:
                    break
                text = at + 3
                at = next_bars(text, end)
                if at == end:
                    break
                if not self.read_values(text, at, &features[row, 0] if self.width else NULL):
                    break
                at = read_number(past_blanks(at + 3, end), &scores[row])
                if at == NULL:
                    break
                at = past_blanks(at, end)
                if at < end and at != next_bars(at, end):
                    break
                self.end_row()
                row += 1
                line = after + 1
        return row, distance(first, min(line, stop))

    def read_rows(self, bytes block not None, Py_ssize_t start, double[:, ::1] rows, Py_ssize_t row):
        """Read lines of features from `start` on into the rows from `row` on, up to the first declined line.

        :return: the number of rows written, and the start of the first unread line
        """
        cdef const char *first = block
        cdef const char *end = first + len(block)
        cdef const char *line
        cdef const char *after
        if not (0 <= start <= distance(first, end) and 0 <= row <= rows.shape[0] and rows.shape[1] == self.width):
            raise ValueError("the rows do not fit the lines")
        line = first + start
        with nogil:
            while line < end and row < rows.shape[0]:
                if not self.read_values(line, end_of_line(line, end, &after), &rows[row, 0] if self.width else NULL):
                    break
                self.end_row()
                row += 1
                line = after + 1
        return row, distance(first, min(line, end))
