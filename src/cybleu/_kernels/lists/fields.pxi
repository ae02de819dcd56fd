# Parse lines of n-best lists, ``id ||| tokens ||| features ||| score``, and lines of features alone.
#
# Only lines of the usual form are accepted; the general reader parses declined lines, and reports their errors.

cdef enum:
    MOST_DIGITS = 18        # that always fit a signed 64-bit integer
    MOST_SPARSE = 1000      # features of a line, which are sorted by insertion
    DECLINED = -2


cdef extern from "Python.h":
    double PyOS_string_to_double(const char *text, char **end, object overflow) except? -1.0


cdef inline bint is_blank(char byte) noexcept nogil:
    return byte == c" " or byte == c"\t"


cdef inline bint is_digit(char byte) noexcept nogil:
    return c"0" <= byte <= c"9"


cdef inline const char *past_blanks(const char *at, const char *end) noexcept nogil:
    """Return the first byte that is no blank, or the end."""
    while at < end and is_blank(at[0]):
        at += 1
    return at


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


cdef inline bint is_exact(uint64_t number) noexcept nogil:
    """Return whether a double holds this integer and every smaller one."""
    return number <= <uint64_t>1 << 53


cdef inline const char *read_digits(const char *at, uint64_t *mantissa) noexcept nogil:
    """Append digits to the mantissa, while it is exact as a double."""
    while is_digit(at[0]):
        if is_exact(mantissa[0]):
            mantissa[0] = 10 * mantissa[0] + <uint64_t>(at[0] - c"0")
        at += 1
    return at


cdef const char *read_number(const char *at, double *value) noexcept nogil:
    """Parse a finite number; return its end, or NULL. A byte that cannot be part of it must follow, such as a null.

    It is parsed here if its digits and the power of ten that divides them are exact doubles (Clinger 1990), and
    otherwise by Python.
    """
    cdef const char *start = at
    cdef const char *point
    cdef uint64_t mantissa = 0
    cdef double scale = 1.0
    cdef Py_ssize_t i
    if at[0] == c"-" or at[0] == c"+":
        at += 1
    cdef const char *first = at
    at = point = read_digits(at, &mantissa)
    if at[0] == c".":
        first += 1
        at = read_digits(at + 1, &mantissa)
    if not 0 < distance(first, at) <= MOST_DIGITS or not is_exact(mantissa) or at[0] == c"e" or at[0] == c"E":
        return read_as_python(start, value)
    for i in range(distance(point, at) - 1):
        scale *= 10.0
    value[0] = <double>mantissa / scale
    if start[0] == c"-":
        value[0] = -value[0]
    return at


cdef const char *read_as_python(const char *start, double *value) noexcept nogil:
    """Parse a finite number as Python does; return its end, or NULL."""
    cdef char *end = NULL
    with gil:
        try:
            value[0] = PyOS_string_to_double(start, &end, OverflowError)
        except (OverflowError, ValueError):
            return NULL
    return end if isfinite(value[0]) else NULL


cdef const char *read_head(const char *first, const char *at, const char *end, int64_t[:, ::1] spans,
                           Py_ssize_t row) noexcept nogil:
    """Read the id of a line and the span of its text without blanks around it.

    :return: where its features begin, or NULL
    """
    cdef const char *start
    cdef int64_t number = 0
    at = start = past_blanks(at, end)
    while at < end and is_digit(at[0]) and distance(start, at) < MOST_DIGITS:
        number = 10 * number + (at[0] - c"0")
        at += 1
    if at == start:
        return NULL
    at = past_blanks(at, end)
    if at == end or at != next_bars(at, end):
        return NULL
    start = past_blanks(at + 3, end)
    at = next_bars(at + 3, end)
    spans[0, row], spans[1, row], spans[2, row] = number, distance(first, min(start, at)), distance(first, at)
    while spans[2, row] > spans[1, row] and is_blank(first[spans[2, row] - 1]):
        spans[2, row] -= 1
    return at + 3 if at < end else NULL


cdef inline Token token_of(bytes text):
    cdef Token token
    token.text = <const uint8_t *><const char *>text
    token.end = token.text + len(text)
    return token


cdef inline bint begins_with(const char *at, const char *end, const Token *label) noexcept nogil:
    """Return whether a label and a blank are at this place."""
    cdef Py_ssize_t size = distance(label.text, label.end)
    return size < distance(at, end) and memcmp(at, label.text, <size_t>size) == 0 and is_blank(at[size])


cdef inline bint insert(int64_t *columns, double *values, Py_ssize_t size, int64_t column, double value) noexcept nogil:
    """Insert a sparse feature into the `size` ones of a row by column; false if the column is repeated."""
    while size and columns[size - 1] > column:
        columns[size] = columns[size - 1]
        values[size] = values[size - 1]
        size -= 1
    columns[size] = column
    values[size] = value
    return not size or columns[size - 1] < column


cdef class Fields:
    """Parser of lines that have the same dense features in the same order, and any sparse ones.

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
    cdef tuple known                # names that are decoded

    def __cinit__(self, list labels not None, str sparse not None):
        self.kept, self.width, self.known = list(labels), len(labels), ()
        self.labels = <Token *>new_array(self.width, sizeof(Token))
        for i in range(self.width):
            self.labels[i] = token_of(self.kept[i])
        self.spaced, self.glued = sparse == "spaced", sparse == "glued"
        self.sparse = RawVocabulary(Tokenizer("none"))

    def __dealloc__(self):
        free(self.labels)

    def names(self):
        """Return the names of sparse features."""
        cdef Py_ssize_t i
        if self.sparse.table.size > len(self.known):
            new = [decoded(&self.sparse.table.tokens[i].token) for i in range(len(self.known), self.sparse.table.size)]
            self.known += tuple(new)
        return self.known

    def column(self, str name not None):
        """Return the column of a sparse feature."""
        cdef bytes encoded = name.encode()
        cdef Token token = token_of(encoded)
        return self.sparse.add_token(&token)

    cdef Py_ssize_t read_features(self, const char *at, const char *end, double *dense, int64_t *columns,
                                  double *values, Py_ssize_t most) except -1 nogil:
        """Read the features of a line, of which dense ones have the labels in their order.

        :param most: sparse features for which there is memory
        :return: the number of sparse features, or DECLINED
        """
        cdef const Token *label = self.labels
        cdef const Token *last = label + self.width
        cdef Token name
        cdef Py_ssize_t size = 0
        cdef double value = 0.0
        cdef bint is_dense, after_sparse = False
        while True:
            at = past_blanks(at, end)
            if at == end:
                return size if label == last else DECLINED
            is_dense = label < last and (begins_with(at, end, label) if label.text < label.end else not after_sparse)
            if is_dense:
                at = read_number(past_blanks(at + distance(label.text, label.end), end), dense)
                label += 1
                dense += 1
            else:
                name.text = <const uint8_t *>at
                while at < end and not is_blank(at[0]):
                    at += 1
                name.end = <const uint8_t *>at - 1
                if self.glued:
                    while name.end > name.text and name.end[0] != c"=":
                        name.end -= 1
                    at = <const char *>name.end + 1
                elif (self.spaced and (name.end[0] == c"=" or name.end[0] == c":")
                      and memchr(name.text, c"_", <size_t>distance(name.text, name.end)) != NULL):
                    at = past_blanks(at, end)
                else:
                    return DECLINED
                at = read_number(at, &value)
            if at == NULL or not (at == end or is_blank(at[0])):
                return DECLINED
            if not is_dense:
                if name.text == name.end or size == most:
                    return DECLINED
                if not insert(columns, values, size, self.sparse.add_token(&name), value):
                    return DECLINED
                size += 1
            after_sparse = not is_dense

    def read(self, bytes block not None, Py_ssize_t start, Py_ssize_t row, double[:, ::1] features not None,
             int64_t[::1] indptr not None, int64_t[::1] columns not None, double[::1] values not None,
             int64_t[:, ::1] spans=None, double[::1] scores=None):
        """Read lines from `start` on into the rows from `row` on, up to the first declined line.

        :param features: receives the dense features of each line
        :param indptr: where the sparse features of each row begin, and the end; of earlier rows it is known
        :param columns: receives those of sparse features, ascending in each row
        :param values: receives the sparse features
        :param spans: receives the id of each line, and the start and the end of its text in the block; None for lines
            of features alone
        :param scores: receives the scores
        :return: the number of rows written, and the start of the first unread line
        """
        cdef const char *first = block
        cdef const char *stop = first + len(block)
        cdef const char *line
        cdef const char *after
        cdef const char *end        # of the line
        cdef const char *at
        cdef const char *bars       # where the features end
        cdef Py_ssize_t size, left
        cdef Py_ssize_t rows = features.shape[0]
        cdef bint listed = spans is not None
        if (not (0 <= start <= distance(first, stop) and 0 <= row <= rows) or features.shape[1] != self.width
                or indptr.shape[0] != rows + 1 or columns.shape[0] != values.shape[0]
                or not 0 <= indptr[row] <= columns.shape[0] or listed != (scores is not None)
                or (listed and not (spans.shape[0] == 3 and spans.shape[1] == scores.shape[0] == rows))):
            raise ValueError("the rows do not fit the lines")
        line = first + start
        with nogil:
            while line < stop and row < rows:
                after = <const char *>memchr(line, c"\n", <size_t>distance(line, stop))
                if after == NULL:
                    after = stop
                end = after - (after > line and (after - 1)[0] == c"\r")
                at, bars = line, end
                if listed:
                    at = read_head(first, line, end, spans, row)
                    bars = end if at == NULL else next_bars(at, end)
                    if bars == end:
                        break
                left = columns.shape[0] - indptr[row]
                size = self.read_features(at, bars, &features[row, 0] if self.width else NULL,
                                          &columns[indptr[row]] if left else NULL,
                                          &values[indptr[row]] if left else NULL, min(left, MOST_SPARSE))
                if size == DECLINED:
                    break
                if listed:
                    at = read_number(past_blanks(bars + 3, end), &scores[row])
                    if at == NULL:
                        break
                    at = past_blanks(at, end)
                    if at < end and at != next_bars(at, end):
                        break
                indptr[row + 1] = indptr[row] + size
                row += 1
                line = after + 1
        return row, distance(first, min(line, stop))
