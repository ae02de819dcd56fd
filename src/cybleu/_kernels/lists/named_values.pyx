# cython: freethreading_compatible=True
"""Lines of numbers, and values with names, such as sparse features: as columns and values, row after row."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, qsort
from libc.string cimport memchr

from cybleu._kernels.common.base cimport distance, grown
from cybleu._kernels.common.hashing cimport process_seed
from cybleu._kernels.common.interrupts cimport Watch, begin_watch
from cybleu._kernels.lists.number_lines cimport end_of_line, is_blank, past_blanks, read_number
from cybleu._kernels.tokens.characters cimport RawVocabulary, look_up_word
from cybleu._kernels.text.tokenizing cimport Token, Tokenizer

cdef enum:
    FEW_VALUES = 100            # in a row, up to which insertion sort is used


cdef inline bint is_plain(const Token *name) noexcept nogil:
    """Return whether all bytes are printable ASCII, so that `str.split` would split the line identically."""
    cdef const uint8_t *at = name.text
    while at < name.end:
        if not c"!" <= at[0] <= c"~":
            return False
        at += 1
    return at > name.text


cdef int by_column(const void *one, const void *other) noexcept nogil:
    cdef int64_t first = (<const Entry *>one).column
    cdef int64_t second = (<const Entry *>other).column
    return (first > second) - (first < second)


cdef class NamedValues:
    """Rows of named values. Names get columns in order of first occurrence, from 0.

    :ivar names: names of all columns
    """

    def __cinit__(self):
        self.vocabulary = RawVocabulary(Tokenizer("none"))
        self.ends = <int64_t *>grown(NULL, 1, &self.end_capacity, sizeof(int64_t))
        self.ends[0] = 0

    def __dealloc__(self):
        free(self.entries)
        free(self.ends)

    @property
    def names(self):
        return self.vocabulary.tokens()

    @property
    def rows(self):
        """Return the number of rows not yet taken."""
        return self.ended

    @property
    def count(self):
        """Return the number of values in these rows."""
        return self.ends[self.ended]

    cdef int append(self, int32_t column, double value) except -1 nogil:
        self.entries = <Entry *>grown(self.entries, self.found + 1, &self.entry_capacity, sizeof(Entry))
        self.entries[self.found].column = column
        self.entries[self.found].value = value
        self.found = self.found + 1
        return 0

    cdef int read(self, const char *at, const char *end, bint glued) except -1 nogil:
        """Read pairs of names and values; false if a pair has another form, or a name is repeated.
        :param at: pairs such as ``pp_a= 1``, with ``_`` in each name; if `glued`, such as ``pp_a=1``
        :param end: the byte there must not be part of a number
        """
        cdef Watch watching = begin_watch()
        cdef Token name
        cdef const char *after
        cdef double value = 0.0
        cdef int32_t column
        self.found = self.ends[self.ended]
        at = past_blanks(at, end)
        while at < end:
            name.text = <const uint8_t *>at
            while True:
                at = <const char *>memchr(at, c"=", <size_t>distance(at, end))
                if at == NULL:
                    return False
                name.end = <const uint8_t *>at
                at += 1
                after = at if glued else past_blanks(at, end)
                if glued or after > at:
                    after = read_number(after, &value)
                    if after != NULL and (after == end or is_blank(after[0])):
                        break
                    if not glued:
                        return False
            column = look_up_word(&self.vocabulary.table, &name, process_seed())
            if column < 0:
                # known names were checked before
                if not is_plain(&name) or not (glued or memchr(name.text, c"_", <size_t>distance(name.text, name.end))):
                    return False
                column = self.vocabulary.add_token(&name, process_seed(), &watching)
            self.append(column, value)
            at = past_blanks(after, end)
        return self.sort_row()

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

    def add(self, list row not None):
        """Add a row of distinct names and their values."""
        cdef Watch watching = begin_watch()
        cdef bytes encoded
        cdef Token token
        self.found = self.ends[self.ended]
        for name, value in row:
            encoded = name.encode()
            token.text = <const uint8_t *><const char *>encoded
            token.end = token.text + len(encoded)
            self.append(self.vocabulary.add_token(&token, process_seed(), &watching), value)
        if not self.sort_row():
            raise ValueError("a name is there twice")
        self.end_row()

    def take(self, int64_t[::1] indptr not None, int64_t[::1] columns not None, double[::1] values not None):
        """Move the rows into compressed sparse row arrays, with ascending columns."""
        cdef Py_ssize_t i
        if indptr.shape[0] != self.ended + 1 or not columns.shape[0] == values.shape[0] == self.count:
            raise ValueError("the arrays do not fit the rows")
        for i in range(indptr.shape[0]):
            indptr[i] = self.ends[i]
        for i in range(columns.shape[0]):
            columns[i] = self.entries[i].column
            values[i] = self.entries[i].value
        self.ended = self.found = 0


def read_rows(bytes block not None, Py_ssize_t start, double[:, ::1] rows, Py_ssize_t row, Py_ssize_t stop,
              NamedValues named=None):
    """Read lines of numbers from `start` on into the rows `row` to `stop` (exclusive), up to a declined line.

    :param named: receives pairs such as ``pp_a=1`` after the numbers; if None, lines with pairs are declined
    :return: the number of rows written, and the start of the first unread line
    """
    cdef const char *first = block
    cdef const char *end = first + len(block)
    cdef const char *line = first + start
    cdef const char *after
    cdef const char *at
    cdef const char *last
    cdef Py_ssize_t i
    cdef Py_ssize_t width = rows.shape[1]
    if not (0 <= start <= distance(first, end) and 0 <= row <= stop <= rows.shape[0]):
        raise ValueError("the rows do not fit the lines")
    with nogil:
        while line < end and row < stop:
            last = end_of_line(line, end, &after)
            at = line
            for i in range(width):
                at = read_number(past_blanks(at, last), &rows[row, i])
                if at == NULL or not (at == last or is_blank(at[0])):
                    break
            else:
                at = past_blanks(at, last)
                if named is not None:
                    if not named.read(at, last, True):
                        break
                    named.end_row()
                    at = last
                if at == last:
                    row += 1
                    line = after + 1
                    continue
            break
    return row, distance(first, min(line, end))
