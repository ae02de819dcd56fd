# cython: freethreading_compatible=True
"""The texts, the whole numbers and the lists of them in the arrays of a column.

A column is read in positions: each level makes of the positions that are asked for those of the level below, -1 where
there is nothing. Slices, chunks, dictionaries and runs are then the same for every type.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free
from libc.string cimport memset, strcmp, strlen, strncmp

from cybleu._kernels.arrow cimport (
    ArrowArray, ArrowColumn, ArrowSchema, check_array, check_schema, format_of, is_integer, is_null
)
from cybleu._kernels.arrow_values cimport Numbers
from cybleu._kernels.common cimport room_for
from cybleu._kernels.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.tokenizing cimport IN_UTF8, Line

from cybleu.errors import ArrowError, NotUtf8Error

cdef enum:
    FRONT = 16                  # bytes that can be read before a line
    INLINE = 12                 # bytes of a string view that has no buffer
    MOST_LEVELS = 2             # of lists
    MOST_WRAPPINGS = 4          # dictionaries and runs around each other

cdef uint8_t[2 * FRONT] NO_TEXT     # zeros


cdef const void *buffer_of(const ArrowSchema *schema, const ArrowArray *array, int64_t number) except? NULL:
    """NULL where the array is empty, and may have no buffers."""
    if array.buffers[number] == NULL and array.length > 0:
        raise ArrowError(f"an array of the format {format_of(schema)!r} has no buffer {number}")
    return array.buffers[number]


cdef inline int64_t integer_at(const void *values, char kind, int64_t place) noexcept nogil:
    if kind == c"c":
        return (<const int8_t *>values)[place]
    if kind == c"C":
        return (<const uint8_t *>values)[place]
    if kind == c"s":
        return (<const int16_t *>values)[place]
    if kind == c"S":
        return (<const uint16_t *>values)[place]
    if kind == c"i":
        return (<const int32_t *>values)[place]
    if kind == c"I":
        return (<const uint32_t *>values)[place]
    return (<const int64_t *>values)[place]     # l, and L, whose larger numbers are negative here


cdef inline int push(Numbers *numbers, int64_t value) except -1 nogil:
    if numbers.count == numbers.room:
        make_room(numbers, 1)
    numbers.values[numbers.count] = value
    numbers.count += 1
    return 0


cdef int make_room(Numbers *numbers, Py_ssize_t more) except -1 nogil:
    numbers.values = <int64_t *>room_for(numbers.values, numbers.count + more, &numbers.room, sizeof(int64_t))
    return 0


cdef bytes bytes_of(const Numbers *numbers):
    return PyBytes_FromStringAndSize(<const char *>numbers.values, numbers.count * <Py_ssize_t>sizeof(int64_t))


cdef int apply_validity(const ArrowArray *array, Numbers *positions) except -1:
    cdef const uint8_t *validity = <const uint8_t *>array.buffers[0]
    cdef Py_ssize_t i
    cdef Watch watching = begin_watch()
    if validity == NULL:
        return 0
    with nogil:
        for i in range(positions.count):
            if positions.values[i] >= 0 and is_null(validity, array.offset + positions.values[i]):
                positions.values[i] = -1
        watch(&watching, positions.count >> 3)
    return 0


cdef int look_up(const ArrowSchema *schema, const ArrowArray *array, Numbers *positions) except -1:
    """The positions in the dictionary."""
    cdef const void *values
    cdef char kind
    cdef int64_t place
    cdef int64_t size
    cdef int64_t wrong = 0
    cdef Py_ssize_t i
    cdef bint fits = True
    if array.dictionary == NULL or not is_integer(schema.format):
        raise ArrowError(f"an array of the format {format_of(schema)!r} has no dictionary, or is no index of one")
    check_array(schema, array, 2, 0)
    apply_validity(array, positions)
    values = buffer_of(schema, array, 1)
    kind = schema.format[0]
    size = array.dictionary.length
    with nogil:
        for i in range(positions.count):
            if positions.values[i] < 0:
                continue
            place = integer_at(values, kind, array.offset + positions.values[i])
            if not 0 <= place < size:
                fits = False
                wrong = place
                break
            positions.values[i] = place
    if not fits:
        raise ArrowError(f"a dictionary has {size} entries, and an index is {wrong}")
    return 0


cdef int find_runs(const ArrowSchema *schema, const ArrowArray *array, Numbers *positions) except -1:
    """The positions of the runs' values."""
    cdef const ArrowSchema *of_ends
    cdef const ArrowArray *ends
    cdef const void *values
    cdef int64_t before = 0
    cdef int64_t end, place, low, high, middle, i
    cdef char kind
    check_array(schema, array, 0, 2)
    of_ends = schema.children[0]
    ends = array.children[0]
    if not is_integer(of_ends.format) or of_ends.format[0] not in (c"s", c"i", c"l"):
        raise ArrowError(f"the ends of runs have the format {format_of(of_ends)!r}")
    check_array(of_ends, ends, 2, 0)
    values = buffer_of(of_ends, ends, 1)
    kind = of_ends.format[0]
    if array.children[1].length < ends.length:
        raise ArrowError(f"there are {ends.length} runs and {array.children[1].length} values of them")
    for i in range(ends.length):
        end = integer_at(values, kind, ends.offset + i)
        if end <= before:
            raise ArrowError(f"run {i} ends at {end}, and begins at {before}")
        before = end
    if before < array.offset + array.length:
        raise ArrowError(f"the runs end at {before}, before the array, at {array.offset + array.length}")
    with nogil:
        for i in range(positions.count):
            if positions.values[i] < 0:
                continue
            place = array.offset + positions.values[i]
            low = 0
            high = ends.length - 1
            while low < high:
                middle = (low + high) // 2
                if integer_at(values, kind, ends.offset + middle) > place:
                    high = middle
                else:
                    low = middle + 1
            positions.values[i] = low
    return 0


cdef int unwrap(const ArrowSchema **schema, const ArrowArray **array, Numbers *positions) except -1:
    """Go on to what dictionaries and runs hold, and to the positions in that."""
    cdef int wrapped = 0
    check_schema(schema[0])
    while schema[0].dictionary != NULL or strcmp(schema[0].format, "+r") == 0:
        if wrapped == MOST_WRAPPINGS:
            raise ArrowError("dictionaries and runs are too deep in each other")
        wrapped += 1
        if schema[0].dictionary != NULL:
            look_up(schema[0], array[0], positions)
            schema[0] = schema[0].dictionary
            array[0] = array[0].dictionary
        else:
            find_runs(schema[0], array[0], positions)
            schema[0] = schema[0].children[1]
            array[0] = array[0].children[1]
        check_schema(schema[0])
    return 0


cdef void leave_out_nothing(Numbers *positions, Numbers *sizes) noexcept:
    """Keep of each list what is there."""
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t k = 0
    cdef Py_ssize_t i, end
    for i in range(sizes.count):
        end = k + sizes.values[i]
        while k < end:
            positions.values[kept] = positions.values[k]
            kept += positions.values[k] >= 0
            sizes.values[i] -= positions.values[k] < 0
            k += 1
    positions.count = kept


cdef int64_t add_ends(Numbers *ends, const Numbers *sizes) except -1:
    """Say where lists of these sizes end, and return where the first of them begins."""
    cdef int64_t before = ends.values[ends.count - 1] if ends.count else 0
    cdef int64_t end = before
    cdef Py_ssize_t i
    make_room(ends, sizes.count)
    for i in range(sizes.count):
        end += sizes.values[i]
        push(ends, end)
    return before


cdef int expand(const ArrowSchema *schema, const ArrowArray *array, const Numbers *positions, Numbers *inner,
                Numbers *sizes) except -1:
    """The positions in the child of what is in the lists, and how much is in each."""
    cdef const char *format = schema.format
    cdef bint views = format[1] == c"v"
    cdef bint wide = format[1] == c"L" or (views and format[2] == c"L")
    cdef const void *offsets = NULL
    cdef const void *lengths = NULL
    cdef char kind = c"l" if wide else c"i"
    cdef int64_t width = -1
    cdef int64_t most, place, begin, end, k
    cdef Py_ssize_t i
    cdef Watch watching = begin_watch()
    if format[1] == c"w":
        digits = (<bytes>format)[3:]
        if format[2] != c":" or not digits.isdigit() or len(digits) > 15:
            raise ArrowError(f"lists of a fixed size have the format {format_of(schema)!r}")
        width = int(digits)
        check_array(schema, array, 1, 1)
        most = array.children[0].length
        if width and (array.offset + array.length > most // width):
            raise ArrowError(f"{array.offset + array.length} lists of {width} do not fit into a child of {most}")
    else:
        check_array(schema, array, 3 if views else 2, 1)
        most = array.children[0].length
        offsets = buffer_of(schema, array, 1)
        if views:
            lengths = buffer_of(schema, array, 2)
    make_room(sizes, positions.count)
    with nogil:
        for i in range(positions.count):
            place = positions.values[i]
            begin = end = 0
            if place >= 0:
                place += array.offset
                if width >= 0:
                    begin = place * width
                    end = begin + width
                else:
                    begin = integer_at(offsets, kind, place)
                    end = integer_at(lengths if views else offsets, kind, place if views else place + 1)
                    if views:
                        if not 0 <= begin <= most or not 0 <= end <= most - begin:
                            with gil:
                                raise ArrowError(f"list {place} has {end} entries from {begin} of a child of {most}")
                        end += begin
                    elif not 0 <= begin <= end <= most:
                        with gil:
                            raise ArrowError(f"list {place} is from {begin} to {end} of a child of {most}")
            make_room(inner, end - begin)
            for k in range(begin, end):
                inner.values[inner.count] = k
                inner.count += 1
            sizes.values[sizes.count] = end - begin
            sizes.count += 1
            watch(&watching, ((end - begin) >> 3) + 1)
    return 0


cdef class ArrowValues:
    """What is in the arrays of a column, one after the other. Immutable.

    :param columns: a list of `ArrowColumn` of one type
    :param dropped: the level of which nothing is kept where there is nothing: 1 are the entries of lists; -1 is none
    :raises ArrowError: an array is wrong, or of a type that holds neither texts nor whole numbers
    """

    def __cinit__(self, list columns not None, int dropped=-1):
        self.kind = "nothing"
        self.dropped = dropped
        self.held = []
        self.copies = {}
        for column in columns:
            self.add(column)

    def __dealloc__(self):
        cdef int i
        for i in range(3):
            free(self.nulls[i].values)
        for i in range(2):
            free(self.ends[i].values)
        free(self.integers.values)
        free(self.lines)

    def __len__(self):
        return self.count

    def ends_of(self, int level):
        """Where each list of a level ends among the entries of the next, as the bytes of int64."""
        if not 0 <= level < self.depth:
            raise ValueError("there is no such level")
        return bytes_of(&self.ends[level])

    def nulls_of(self, int level):
        """The positions at which there is nothing at this level."""
        if not 0 <= level <= self.depth:
            raise ValueError("there is no such level")
        return [self.nulls[level].values[i] for i in range(self.nulls[level].count)]

    def numbers(self):
        """The whole numbers, as the bytes of int64; 0 where there is nothing."""
        return bytes_of(&self.integers)

    def texts(self):
        """The texts as a list of str, or of bytes where they are binary; empty where there is nothing.

        :raises NotUtf8Error: a text is not UTF-8
        """
        cdef list found = []
        cdef Py_ssize_t i
        cdef Watch watching = begin_watch()
        for i in range(self.line_count):
            if self.in_bytes:
                found.append(PyBytes_FromStringAndSize(<const char *>self.lines[i].data, self.lines[i].size))
            else:
                try:
                    found.append(PyUnicode_DecodeUTF8(<const char *>self.lines[i].data, self.lines[i].size, NULL))
                except UnicodeDecodeError as error:
                    raise NotUtf8Error(i, error.start, error.object[error.start]) from None
            watch(&watching, 1)
        return found

    cdef int add(self, object given) except -1:
        cdef ArrowColumn column = given
        cdef Numbers positions
        cdef int64_t i
        memset(&positions, 0, sizeof(Numbers))
        try:
            make_room(&positions, column.length)
            for i in range(column.length):
                positions.values[i] = -1 if is_null(column.validity, column.validity_offset + i) else column.start + i
            positions.count = column.length
            self.held.append(column)
            self.descend(column.schema, column.array, &positions, 0, NULL)
            self.count += column.length
        finally:
            free(positions.values)
        return 0

    cdef int descend(self, const ArrowSchema *schema, const ArrowArray *array, Numbers *positions, int level,
                     Numbers *sizes) except -1:
        """Add the entries at these positions.

        :param sizes: of the lists that they are in, or NULL
        """
        cdef Numbers inner
        cdef Numbers inner_sizes
        cdef int64_t before = self.count
        cdef Py_ssize_t i
        cdef str kind
        unwrap(&schema, &array, positions)
        kind = self.checked_kind(schema, array)
        if kind == "nothing":
            for i in range(positions.count):
                positions.values[i] = -1
        else:
            apply_validity(array, positions)
        if level > 0:
            if level == self.dropped:
                leave_out_nothing(positions, sizes)
            before = add_ends(&self.ends[level - 1], sizes)
        for i in range(positions.count):
            if positions.values[i] < 0:
                push(&self.nulls[level], before + i)
        if kind == "lists":
            if level == MOST_LEVELS:
                raise ArrowError("the lists of a column are more than two deep, as references with tokens are")
            self.depth = max(self.depth, level + 1)
            memset(&inner, 0, sizeof(Numbers))
            memset(&inner_sizes, 0, sizeof(Numbers))
            try:
                expand(schema, array, positions, &inner, &inner_sizes)
                self.descend(schema.children[0], array.children[0], &inner, level + 1, &inner_sizes)
            finally:
                free(inner.values)
                free(inner_sizes.values)
        elif kind == "texts":
            self.add_texts(schema, array, positions)
        elif kind == "integers":
            self.add_integers(schema, array, positions)
        return 0

    cdef str checked_kind(self, const ArrowSchema *schema, const ArrowArray *array):
        """What is in the array, which has the buffers for it."""
        cdef str kind = kind_of(schema)
        if kind == "texts":
            check_array(schema, array, -3 if schema.format[0] == c"v" else 3, 0)
        elif kind == "integers":
            check_array(schema, array, 2, 0)
        elif kind == "lists":
            check_array(schema, array, array.n_buffers, 1)
            if array.n_buffers < 1:
                raise ArrowError("lists have no buffer")
        if kind == "texts" or kind == "integers":
            if self.kind not in ("nothing", kind):
                raise ArrowError("the arrays of a column are of different types")
            self.kind = kind
        return kind

    cdef int add_integers(self, const ArrowSchema *schema, const ArrowArray *array,
                          const Numbers *positions) except -1:
        cdef const void *data = buffer_of(schema, array, 1)
        cdef char kind = schema.format[0]
        cdef int64_t value
        cdef Py_ssize_t i
        make_room(&self.integers, positions.count)
        for i in range(positions.count):
            value = 0
            if positions.values[i] >= 0:
                value = integer_at(data, kind, array.offset + positions.values[i])
                if value < 0 and kind == c"L":
                    raise ArrowError(f"number {self.integers.count} is {<uint64_t>value}, which does not fit int64")
            push(&self.integers, value)
        return 0

    cdef int add_texts(self, const ArrowSchema *schema, const ArrowArray *array, const Numbers *positions) except -1:
        cdef const char *format = schema.format
        cdef bint views = format[0] == c"v"
        cdef char kind = c"l" if format[0] in (c"U", c"Z") else c"i"
        cdef const void *offsets = buffer_of(schema, array, 1)
        cdef const uint8_t *data = NULL
        cdef const uint8_t *text
        cdef const int64_t *data_sizes = NULL
        cdef const int32_t *view
        cdef int64_t buffers = 0
        cdef int64_t place, begin, end
        cdef Py_ssize_t i
        cdef Watch watching = begin_watch()
        self.in_bytes = format[0] in (c"z", c"Z") or (views and format[1] == c"z")
        if views:
            buffers = array.n_buffers - 3
            data_sizes = <const int64_t *>array.buffers[array.n_buffers - 1]
            if buffers > 0 and data_sizes == NULL:
                raise ArrowError("string views have buffers, and the sizes of those are missing")
        else:
            data = <const uint8_t *>array.buffers[2]
        self.lines = <Line *>room_for(self.lines, self.line_count + positions.count, &self.line_room, sizeof(Line))
        with nogil:
            for i in range(positions.count):
                watch(&watching, 1)
                self.lines[self.line_count].data = NO_TEXT + FRONT
                self.lines[self.line_count].size = 0
                self.lines[self.line_count].kind = IN_UTF8
                self.line_count = self.line_count + 1
                place = positions.values[i]
                if place < 0:
                    continue
                place += array.offset
                if views:
                    view = <const int32_t *>offsets + 4 * place
                    end = view[0]
                    begin = 4
                    text = <const uint8_t *>view + 4
                    if end > INLINE:
                        begin = view[3]
                        if (not 0 <= view[2] < buffers or array.buffers[2 + view[2]] == NULL
                                or not 0 <= begin <= data_sizes[view[2]] or end > data_sizes[view[2]] - begin):
                            with gil:
                                raise ArrowError(f"string view {place} is of {end} bytes from {begin} in buffer "
                                                 f"{view[2]}, which are not there")
                        text = <const uint8_t *>array.buffers[2 + view[2]] + begin
                    elif end < 0:
                        with gil:
                            raise ArrowError(f"string view {place} is of {end} bytes")
                    else:
                        begin += 16 * place
                else:
                    begin = integer_at(offsets, kind, place)
                    end = integer_at(offsets, kind, place + 1)
                    if not 0 <= begin <= end or (data == NULL and end > begin):
                        with gil:
                            raise ArrowError(f"text {place} is from {begin} to {end}, which cannot be")
                    text = data + begin
                    end -= begin
                if end == 0:
                    continue
                self.lines[self.line_count - 1].size = end
                if begin >= FRONT:
                    self.lines[self.line_count - 1].data = text
                else:
                    with gil:
                        self.copy(&self.lines[self.line_count - 1], text, end)
        return 0

    cdef int copy(self, Line *line, const void *text, Py_ssize_t size) except -1:
        """A text that bytes can be read before, which those of its buffer may not be."""
        cdef bytes copied = self.copies.get((<uintptr_t>text, size))
        if copied is None:
            copied = bytes(FRONT) + PyBytes_FromStringAndSize(<const char *>text, size)
            self.copies[<uintptr_t>text, size] = copied
        line.data = <const uint8_t *><const char *>copied + FRONT
        return 0


cdef str kind_of(const ArrowSchema *schema):
    cdef const char *format = schema.format
    cdef size_t size = strlen(format)
    if size == 1 and format[0] in (c"u", c"U", c"z", c"Z"):
        return "texts"
    if strcmp(format, "vu") == 0 or strcmp(format, "vz") == 0:
        return "texts"
    if is_integer(format):
        return "integers"
    if strcmp(format, "n") == 0:
        return "nothing"
    if (strcmp(format, "+l") == 0 or strcmp(format, "+L") == 0 or strcmp(format, "+vl") == 0
            or strcmp(format, "+vL") == 0 or strncmp(format, "+w:", 3) == 0):
        return "lists"
    raise ArrowError(
        f"a column of the Arrow format {format_of(schema)!r} holds neither texts, nor whole numbers, nor lists")
