# Parse lines of n-best lists, ``id ||| tokens ||| features ||| score``, and lines of numbers.
#
# Only lines of the usual form are accepted; the general reader parses declined lines, and reports their errors.

cdef enum:
    FEW_VALUES = 100            # in a row, up to which insertion sort is used


cdef struct Entry:
    int64_t column
    double value


cdef struct Label:
    int64_t line                # the last one that has the label
    int32_t first               # columns of its values
    int32_t next                # of the next value in this line
    int32_t last


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


cdef inline const char *past_token(const char *at, const char *end) noexcept nogil:
    while at < end and not is_blank(at[0]):
        at += 1
    return at


cdef inline Token token_of(bytes text):
    cdef Token token
    token.text = <const uint8_t *><const char *>text
    token.end = token.text + len(text)
    return token


cdef int by_column(const void *one, const void *other) noexcept nogil:
    cdef int64_t first = (<const Entry *>one).column
    cdef int64_t second = (<const Entry *>other).column
    return (first > second) - (first < second)


cdef class Fields:
    """Features of lines, in columns of an array; sparse features as columns and values, row after row.

    Dense features have the columns that :meth:`follow` gives them. Names of sparse features get columns in order of
    first occurrence, from 0.

    :param glued: values follow their label without a space, as in ``lm=-3.5``. In lists these are dense, and after the
        numbers of :meth:`read_rows` sparse features
    """

    cdef bint glued
    cdef RawVocabulary vocabulary   # of labels of dense features
    cdef Label *labels
    cdef int32_t *following         # for each column that of the next value of its label, or -1
    cdef Py_ssize_t label_capacity, column_capacity
    cdef Py_ssize_t width           # dense columns
    cdef int64_t line               # number of the current line, in any file
    cdef RawVocabulary sparse       # names
    cdef Entry *entries             # sparse features of the rows not yet taken
    cdef int64_t *ends              # offsets of these rows, starting with 0
    cdef Py_ssize_t entry_capacity, end_capacity
    cdef Py_ssize_t found           # number of entries, including those of an unfinished row
    cdef Py_ssize_t ended           # rows

    def __cinit__(self, bint glued=False):
        self.glued = glued
        self.vocabulary = RawVocabulary(Tokenizer("none"))
        self.sparse = RawVocabulary(Tokenizer("none"))
        self.ends = <int64_t *>grown(NULL, 1, &self.end_capacity, sizeof(int64_t))
        self.ends[0] = 0

    def __dealloc__(self):
        free(self.labels)
        free(self.following)
        free(self.entries)
        free(self.ends)

    def follow(self, bytes label not None):
        """Add a column, which the value of a label after those of its other columns has."""
        cdef Token token = token_of(label)
        cdef Py_ssize_t known = self.vocabulary.table.size
        cdef int32_t number = self.vocabulary.add_token(&token)
        cdef int32_t column = <int32_t>self.width
        self.labels = <Label *>grown(self.labels, number + 1, &self.label_capacity, sizeof(Label))
        self.following = <int32_t *>grown(self.following, column + 1, &self.column_capacity, sizeof(int32_t))
        if number == known:
            self.labels[number].line = -1
            self.labels[number].first = column
        else:
            self.following[self.labels[number].last] = column
        self.labels[number].last = column
        self.following[column] = -1
        self.width += 1

    @property
    def sparse_count(self):
        """Return the number of names of sparse features."""
        return self.sparse.table.size

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
        if not self.sort_row():
            raise ValueError("a name is there twice")
        self.end_row()

    @property
    def rows(self):
        """Return the number of rows not yet taken."""
        return self.ended

    @property
    def count(self):
        """Return the number of sparse features in these rows."""
        return self.ends[self.ended]

    def take(self, int64_t[::1] indptr not None, int64_t[::1] columns not None, double[::1] values not None):
        """Move the sparse features into compressed sparse row arrays, with ascending columns."""
        cdef Py_ssize_t i
        if indptr.shape[0] != self.ended + 1 or not columns.shape[0] == values.shape[0] == self.count:
            raise ValueError("the arrays do not fit the rows")
        for i in range(indptr.shape[0]):
            indptr[i] = self.ends[i]
        for i in range(columns.shape[0]):
            columns[i] = self.entries[i].column
            values[i] = self.entries[i].value
        self.ended = self.found = 0

    # -------------------------------------------------------------------------------------------- values of a line

    cdef Label *find(self, const char *at, const char *end) noexcept nogil:
        """Return a label of dense features, or NULL."""
        cdef Token token
        cdef int32_t number
        token.text, token.end = <const uint8_t *>at, <const uint8_t *>end
        number = number_word(&self.vocabulary.table, &token, False)
        if number < 0:
            return NULL
        if self.labels[number].line != self.line:
            self.labels[number].line = self.line
            self.labels[number].next = self.labels[number].first
        return &self.labels[number]

    cdef inline bint put(self, Label *label, double value, double *values) noexcept nogil:
        """Write the next value of a label; false if the label has no more columns."""
        cdef int32_t column
        if label == NULL or label.next < 0:
            return False
        column = label.next
        label.next = self.following[column]
        values[column] = value
        return True

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

    cdef int read_labelled(self, const char *at, const char *end, double *values) except -1 nogil:
        """Read features such as ``lm= -3.5 -1 pp_a= 1``; false for others than in the lines before."""
        cdef Label *label = self.find(at, at)   # of values without a label
        cdef const char *token = at
        cdef const char *name_end = at
        cdef const char *name = NULL            # of a sparse feature
        cdef bint labelled = False
        cdef Py_ssize_t of_label = 0            # values
        cdef Py_ssize_t dense = 0
        cdef double value = 0.0
        while True:
            token = past_blanks(at, end)
            if token == end:
                return dense == self.width and not (labelled and not of_label) and self.sort_row()
            at = read_number(token, &value)
            if at != NULL and (at == end or is_blank(at[0])):
                if name == NULL:
                    if not self.put(label, value, values):
                        return False
                    dense += 1
                elif of_label or not self.put_sparse(name, name_end, value):
                    return False
                of_label += 1
                continue
            if labelled != (of_label > 0):
                return False
            at = past_token(token, end)
            name_end = at - 1
            if token == name_end or not (name_end[0] == c"=" or name_end[0] == c":"):
                return False
            name = token
            if memchr(token, c"_", <size_t>distance(token, name_end)) == NULL:
                name = NULL
                label = self.find(token, name_end)
            labelled, of_label = True, 0

    cdef int read_pairs(self, const char *at, const char *end, double *values,
                        Py_ssize_t numbers) except -1 nogil:
        """Read numbers, and then pairs such as ``lm=-3.5``; false for other forms.

        :param numbers: how many numbers there must be before the pairs, which are sparse features; -1 for only pairs,
            which are dense features
        """
        cdef const char *token
        cdef const char *equals
        cdef Py_ssize_t i
        cdef double value = 0.0
        for i in range(numbers):
            at = read_number(past_blanks(at, end), &values[i])
            if at == NULL or not (at == end or is_blank(at[0])):
                return False
        while True:
            token = equals = past_blanks(at, end)
            if token == end:
                return self.sort_row()
            while True:     # a name may have other equals signs
                equals = <const char *>memchr(equals, c"=", <size_t>distance(equals, end))
                if equals == NULL:
                    return False
                at = read_number(equals + 1, &value)
                if at != NULL and (at == end or is_blank(at[0])):
                    break
                equals += 1
            if numbers < 0:
                if not self.put(self.find(token, equals), value, values):
                    return False
            elif not self.glued or not self.put_sparse(token, equals, value):
                return False

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
        cdef const char *line = first + start
        cdef const char *after
        cdef const char *end
        cdef const char *at
        cdef const char *text
        cdef double *values
        cdef Py_ssize_t rows = min(ids.shape[0], begins.shape[0], ends.shape[0], features.shape[0], scores.shape[0])
        if not 0 <= start <= distance(first, stop) or row < 0 or features.shape[1] < self.width:
            raise ValueError("the rows do not fit the lines")
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
                values = &features[row, 0] if self.width else NULL
                self.line = self.line + 1
                self.found = self.ends[self.ended]
                if self.glued:
                    if self.width:
                        memset(values, 0, <size_t>self.width * sizeof(double))
                    if not self.read_pairs(text, at, values, -1):
                        break
                elif not self.read_labelled(text, at, values):
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

    def read_rows(self, bytes block not None, Py_ssize_t start, double[:, ::1] rows, Py_ssize_t row, Py_ssize_t stop):
        """Read lines of numbers, and pairs such as ``pp_a=1``, into rows `row` to `stop`, up to a declined line.

        :return: the number of rows written, and the start of the first unread line
        """
        cdef const char *first = block
        cdef const char *end = first + len(block)
        cdef const char *line = first + start
        cdef const char *after
        cdef Py_ssize_t width = rows.shape[1]
        if not (0 <= start <= distance(first, end) and 0 <= row <= stop <= rows.shape[0]):
            raise ValueError("the rows do not fit the lines")
        with nogil:
            while line < end and row < stop:
                self.found = self.ends[self.ended]
                if not self.read_pairs(line, end_of_line(line, end, &after), &rows[row, 0] if width else NULL,
                                       width):
                    break
                self.end_row()
                row += 1
                line = after + 1
        return row, distance(first, min(line, end))
