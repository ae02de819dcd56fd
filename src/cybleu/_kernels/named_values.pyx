# cython: freethreading_compatible=True
"""Lines of numbers, and values with names, such as sparse features: as columns and values, row after row."""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, qsort, realloc
from libc.string cimport memchr, memcmp, memcpy

from cybleu._kernels.common cimport allocated, distance
from cybleu._kernels.keys cimport cybleu_hash_bytes
from cybleu._kernels.number_lines cimport is_blank, past_blanks, read_number
from cybleu._kernels.tokens cimport secret

cdef enum:
    FEW_SLOTS = 1024
    FEW_VALUES = 100            # of a row, which are sorted in the time of their square
    MOST_NAMES = 0x3FFFFFFF     # their numbers are 32 bits, and slots are twice as many


cdef inline void *room_for(void *memory, Py_ssize_t wanted, Py_ssize_t *room, size_t size) except NULL nogil:
    """The memory, or a larger one that holds what is wanted, at least twice as much as before."""
    if memory != NULL and wanted <= room[0]:
        return memory
    wanted = max(wanted, 2 * room[0], 64)
    memory = allocated(realloc(memory, <size_t>wanted * size))
    room[0] = wanted
    return memory


cdef inline bint is_plain(const char *name, Py_ssize_t length) noexcept nogil:
    """Whether these are characters of ASCII that are seen, so that Python divides a line where it is divided here."""
    cdef Py_ssize_t i
    for i in range(length):
        if not c"!" <= name[i] <= c"~":
            return False
    return length > 0


cdef int by_column(const void *one, const void *other) noexcept nogil:
    cdef int64_t first = (<const Entry *>one).column
    cdef int64_t second = (<const Entry *>other).column
    return (first > second) - (first < second)


cdef class NamedValues:
    """Rows of values with names. The first name is column 0, and each new one the next.

    :ivar names: of all columns
    """

    def __cinit__(self):
        self.names = []
        self.ends = <int64_t *>room_for(NULL, 1, &self.end_room, sizeof(int64_t))
        self.ends[0] = 0

    def __dealloc__(self):
        free(self.slots)
        free(self.text)
        free(self.spans)
        free(self.entries)
        free(self.ends)

    @property
    def rows(self):
        """How many were not taken yet."""
        return self.ended

    @property
    def count(self):
        """How many values these have."""
        return self.ends[self.ended]

    cdef int32_t column_of(self, const char *name, Py_ssize_t length, bint known_alone) except -2 nogil:
        """The column of a name; a new one gets the next, or -1 if only those that are known are wanted."""
        cdef uint64_t hashed, place
        cdef const Span *span
        cdef int32_t number
        if 2 * self.given >= <Py_ssize_t>self.mask:
            self.make_room()
        hashed = cybleu_hash_bytes(<const uint8_t *>name, length, secret())
        place = hashed & self.mask
        while self.slots[place].number:
            number = self.slots[place].number - 1
            span = &self.spans[number]
            if (self.slots[place].tag == <uint32_t>(hashed >> 32) and span.length == length
                    and memcmp(self.text + span.begin, name, <size_t>length) == 0):
                return number
            place = (place + 1) & self.mask
        if known_alone:
            return -1
        return self.add_name(name, length, hashed, place)

    cdef int32_t add_name(self, const char *name, Py_ssize_t length, uint64_t hashed,
                          uint64_t place) except -2 nogil:
        cdef Py_ssize_t begin = 0
        if self.given:
            begin = self.spans[self.given - 1].begin + self.spans[self.given - 1].length
        if self.given == MOST_NAMES:
            with gil:
                raise MemoryError("there are too many names")
        self.text = <char *>room_for(self.text, begin + length, &self.text_room, 1)
        self.spans = <Span *>room_for(self.spans, self.given + 1, &self.span_room, sizeof(Span))
        with gil:
            self.names.append(PyUnicode_DecodeUTF8(name, length, NULL))
        memcpy(self.text + begin, name, <size_t>length)
        self.spans[self.given].begin = begin
        self.spans[self.given].length = length
        self.given = self.given + 1
        self.slots[place].tag = <uint32_t>(hashed >> 32)
        self.slots[place].number = <int32_t>self.given
        return <int32_t>(self.given - 1)

    cdef int make_room(self) except -1 nogil:
        """Twice as many slots."""
        cdef uint64_t mask = 2 * self.mask + 1 if self.mask else FEW_SLOTS - 1
        cdef Known *slots = <Known *>allocated(calloc(<size_t>(mask + 1), sizeof(Known)))
        cdef uint64_t hashed, place
        cdef Py_ssize_t i
        for i in range(self.given):
            hashed = cybleu_hash_bytes(<const uint8_t *>self.text + self.spans[i].begin, self.spans[i].length, secret())
            place = hashed & mask
            while slots[place].number:
                place = (place + 1) & mask
            slots[place].tag = <uint32_t>(hashed >> 32)
            slots[place].number = <int32_t>(i + 1)
        free(self.slots)
        self.slots = slots
        self.mask = mask
        return 0

    cdef int append(self, int32_t column, double value) except -1 nogil:
        self.entries = <Entry *>room_for(self.entries, self.found + 1, &self.entry_room, sizeof(Entry))
        self.entries[self.found].column = column
        self.entries[self.found].value = value
        self.found = self.found + 1
        return 0

    cdef int read(self, const char *at, const char *end, bint glued) except -1 nogil:
        """False where any of the pairs is not of the ordinary form, or a name is there twice.

        :param at: pairs such as ``pp_a= 1``, each of a name with ``_``; or if they are glued, such as ``pp_a=1``
        :param end: what comes there must not be part of a number
        """
        cdef const char *name
        cdef const char *after
        cdef Py_ssize_t length
        cdef double value = 0.0
        cdef int32_t column
        cdef bint ordinary
        self.found = self.ends[self.ended]
        at = past_blanks(at, end)
        while at < end:
            name = at
            while True:
                at = <const char *>memchr(at, c"=", <size_t>distance(at, end))
                if at == NULL:
                    return False
                length = distance(name, at)
                at += 1
                after = at if glued else past_blanks(at, end)
                if glued or after > at:
                    after = read_number(after, &value)
                    if after != NULL and (after == end or is_blank(after[0])):
                        break
                    if not glued:
                        return False
            column = self.column_of(name, length, True)
            if column < 0:
                # what a name that is known here cannot have needs no look
                ordinary = is_plain(name, length) and (glued or memchr(name, c"_", <size_t>length) != NULL)
                if not ordinary:
                    return False
                column = self.column_of(name, length, False)
            self.append(column, value)
            at = past_blanks(after, end)
        return self.sort_row()

    cdef bint sort_row(self) noexcept nogil:
        """Bring the row that is not ended into the order of columns; false where one is there twice."""
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
        self.ends = <int64_t *>room_for(self.ends, self.ended + 2, &self.end_room, sizeof(int64_t))
        self.ended = self.ended + 1
        self.ends[self.ended] = self.found
        return 0

    def add(self, list row not None):
        """Add a row of names, different ones, and values."""
        cdef bytes encoded
        self.found = self.ends[self.ended]
        for name, value in row:
            encoded = name.encode()
            self.append(self.column_of(encoded, len(encoded), False), value)
        if not self.sort_row():
            raise ValueError("a name is there twice")
        self.end_row()

    def take(self, int64_t[::1] indptr not None, int64_t[::1] columns not None, double[::1] values not None):
        """Move the rows into arrays, compressed, their columns ascending."""
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
    """Read lines of numbers from `start` on into the rows from `row` to before `stop`, up to one that is declined.

    :param named: receives the pairs such as ``pp_a=1`` after the numbers; without it there must be none
    :return: the number of rows that are filled, and where the first line begins that is not read
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
            after = <const char *>memchr(line, c"\n", <size_t>distance(line, end))
            if after == NULL:
                after = end
            last = after - (after > line and (after - 1)[0] == c"\r")
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
