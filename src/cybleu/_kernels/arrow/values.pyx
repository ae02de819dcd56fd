# cython: freethreading_compatible=True
"""Texts, integers and lists in the arrays of a column.

A column is read by positions: each level maps its positions to those of the level below, with -1 for null. This handles
slices, chunks and dictionaries uniformly for every type.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free
from libc.string cimport memset, strcmp, strlen, strncmp

from cybleu._kernels.arrow.streams cimport (
    ArrowArray, ArrowColumn, ArrowSchema, check_array, check_schema, format_of, is_integer, is_null
)
from cybleu._kernels.arrow.values cimport Int64Buffer
from cybleu._kernels.common.base cimport grown
from cybleu._kernels.common.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.text.tokenizing cimport IN_UTF8, Line

from cybleu.errors import ArrowError, NotUtf8Error

cdef enum:
    FRONT = 16                  # readable bytes before a line
    INLINE = 12                 # maximum size in bytes of an inline string view
    MOST_LEVELS = 2             # nested lists
    MOST_WRAPPINGS = 4          # dictionaries of dictionaries

cdef uint8_t[2 * FRONT] NO_TEXT     # zeros


cdef const void *buffer_of(const ArrowSchema *schema, const ArrowArray *array, int64_t number,
                           size_t size) except? NULL:
    """Return a buffer of integers of this size; NULL if the array is empty and may have no buffers."""
    cdef const void *buffer = array.buffers[number]
    if buffer == NULL and array.length > 0:
        raise ArrowError(f"an array of the format {format_of(schema)!r} has no buffer {number}")
    if <uintptr_t>buffer % size != 0:
        raise ArrowError(
            f"buffer {number} of an array of the format {format_of(schema)!r} is not aligned to {size} bytes; "
            "copy the column, so that it gets buffers of its own")
    return buffer


cdef size_t size_of(char kind) noexcept nogil:
    """Return the integer size in bytes of an Arrow format."""
    return 1 if kind in (c"c", c"C") else 2 if kind in (c"s", c"S") else 4 if kind in (c"i", c"I") else 8


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
    return (<const int64_t *>values)[place]     # formats l and L; large values of L become negative


cdef inline int push(Int64Buffer *numbers, int64_t value) except -1 nogil:
    if numbers.count == numbers.capacity:
        reserve_integers(numbers, 1)
    numbers.values[numbers.count] = value
    numbers.count += 1
    return 0


cdef int reserve_integers(Int64Buffer *numbers, Py_ssize_t more) except -1 nogil:
    numbers.values = <int64_t *>grown(numbers.values, numbers.count + more, &numbers.capacity, sizeof(int64_t))
    return 0


cdef bytes bytes_of(const Int64Buffer *numbers):
    return PyBytes_FromStringAndSize(<const char *>numbers.values, numbers.count * <Py_ssize_t>sizeof(int64_t))


cdef int apply_validity(const ArrowArray *array, Int64Buffer *positions) except -1:
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


cdef int look_up(const ArrowSchema *schema, const ArrowArray *array, Int64Buffer *positions) except -1:
    """Replace positions by those in the dictionary."""
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
    kind = schema.format[0]
    values = buffer_of(schema, array, 1, size_of(kind))
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


cdef int unwrap(const ArrowSchema **schema, const ArrowArray **array, Int64Buffer *positions) except -1:
    """Replace arrays of indices by their dictionaries, and positions by those in the dictionaries."""
    cdef int wrapped = 0
    check_schema(schema[0])
    while schema[0].dictionary != NULL:
        if wrapped == MOST_WRAPPINGS:
            raise ArrowError("dictionaries are nested too deeply")
        wrapped += 1
        look_up(schema[0], array[0], positions)
        schema[0] = schema[0].dictionary
        array[0] = array[0].dictionary
        check_schema(schema[0])
    return 0


cdef void leave_out_nothing(Int64Buffer *positions, Int64Buffer *sizes) noexcept:
    """Drop the nulls of each list."""
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


cdef int64_t add_ends(Int64Buffer *ends, const Int64Buffer *sizes) except -1:
    """Append the ends of lists of these sizes, and return the start of the first one."""
    cdef int64_t before = ends.values[ends.count - 1] if ends.count else 0
    cdef int64_t end = before
    cdef Py_ssize_t i
    reserve_integers(ends, sizes.count)
    for i in range(sizes.count):
        end += sizes.values[i]
        push(ends, end)
    return before


cdef int expand(const ArrowSchema *schema, const ArrowArray *array, const Int64Buffer *positions, Int64Buffer *inner,
                Int64Buffer *sizes) except -1:
    """Compute the positions of list entries in the child array, and the size of each list."""
    cdef const char *format = schema.format
    cdef const void *offsets = NULL
    cdef char kind = c"l" if format[1] == c"L" else c"i"
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
        check_array(schema, array, 2, 1)
        most = array.children[0].length
        offsets = buffer_of(schema, array, 1, size_of(kind))
    reserve_integers(sizes, positions.count)
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
                    end = integer_at(offsets, kind, place + 1)
                    if not 0 <= begin <= end <= most:
                        with gil:
                            raise ArrowError(f"list {place} is from {begin} to {end} of a child of {most}")
            reserve_integers(inner, end - begin)
            for k in range(begin, end):
                inner.values[inner.count] = k
                inner.count += 1
            sizes.values[sizes.count] = end - begin
            sizes.count += 1
            watch(&watching, ((end - begin) >> 3) + 1)
    return 0


cdef class ArrowValues:
    """Values in the arrays of a column, in order. Immutable.

    :param columns: list of `ArrowColumn` of the same type
    :param dropped: level at which nulls are dropped: 1 for list entries, -1 for none
    :raises ArrowError: an array is invalid, or of an unsupported type
    """

    def __cinit__(self, list columns not None, int dropped=-1):
        self.kind = "nothing"
        self.dropped = dropped
        self.held = []
        for column in columns:
            self.add(column)
        self.copy_fronts()

    def __dealloc__(self):
        cdef int i
        for i in range(3):
            free(self.nulls[i].values)
        for i in range(2):
            free(self.ends[i].values)
        free(self.integers.values)
        free(self.fronts.values)
        free(self.lines)

    def __len__(self):
        return self.count

    def ends_of(self, int level):
        """Return the end of each list of a level, as an index into the next level, as the bytes of int64."""
        if not 0 <= level < self.depth:
            raise ValueError("there is no such level")
        return bytes_of(&self.ends[level])

    def nulls_of(self, int level):
        """Return the positions of the nulls at this level."""
        if not 0 <= level <= self.depth:
            raise ValueError("there is no such level")
        return [self.nulls[level].values[i] for i in range(self.nulls[level].count)]

    def numbers(self):
        """Return the integers as the bytes of int64, with 0 for null."""
        return bytes_of(&self.integers)

    def texts(self):
        """Return the texts as a list of str, or of bytes for binary types, with empty texts for null.

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
        cdef ArrowColumn column = <ArrowColumn?>given
        cdef Int64Buffer positions
        cdef int64_t i
        memset(&positions, 0, sizeof(Int64Buffer))
        try:
            reserve_integers(&positions, column.length)
            for i in range(column.length):
                positions.values[i] = -1 if is_null(column.validity, column.validity_offset + i) else column.start + i
            positions.count = column.length
            self.held.append(column)
            self.descend(column.schema, column.array, &positions, 0, NULL)
            self.count += column.length
        finally:
            free(positions.values)
        return 0

    cdef int descend(self, const ArrowSchema *schema, const ArrowArray *array, Int64Buffer *positions, int level,
                     Int64Buffer *sizes) except -1:
        """Add the entries at these positions.

        :param sizes: sizes of the lists that contain them, or NULL
        """
        cdef Int64Buffer inner
        cdef Int64Buffer inner_sizes
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
            memset(&inner, 0, sizeof(Int64Buffer))
            memset(&inner_sizes, 0, sizeof(Int64Buffer))
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
        """Return the kind of an array after checking its buffers."""
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
                          const Int64Buffer *positions) except -1:
        cdef char kind = schema.format[0]
        cdef const void *data = buffer_of(schema, array, 1, size_of(kind))
        cdef int64_t value
        cdef Py_ssize_t i
        reserve_integers(&self.integers, positions.count)
        for i in range(positions.count):
            value = 0
            if positions.values[i] >= 0:
                value = integer_at(data, kind, array.offset + positions.values[i])
                if value < 0 and kind == c"L":
                    raise ArrowError(f"number {self.integers.count} is {<uint64_t>value}, which does not fit int64")
            push(&self.integers, value)
        return 0

    cdef int add_texts(self, const ArrowSchema *schema, const ArrowArray *array,
                       const Int64Buffer *positions) except -1:
        cdef const char *format = schema.format
        cdef bint views = format[0] == c"v"
        cdef char kind = c"l" if format[0] in (c"U", c"Z") else c"i"
        cdef const void *offsets = buffer_of(schema, array, 1, 4 if views else size_of(kind))
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
            if buffers > 0:
                data_sizes = <const int64_t *>buffer_of(schema, array, array.n_buffers - 1, sizeof(int64_t))
        else:
            data = <const uint8_t *>array.buffers[2]
        self.lines = <Line *>grown(self.lines, self.line_count + positions.count, &self.line_capacity, sizeof(Line))
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
                                                 f"{view[2]}, which do not exist")
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
                            raise ArrowError(f"text {place} is from {begin} to {end}, which is not possible")
                    text = data + begin
                    end -= begin
                if end == 0:
                    continue
                self.lines[self.line_count - 1].data = text
                self.lines[self.line_count - 1].size = end
                if begin < FRONT:
                    push(&self.fronts, self.line_count - 1)
                    push(&self.fronts, begin)
        return 0

    cdef int copy_fronts(self) except -1:
        """Copy lines that begin too close to the start of their buffer, into one copy for each buffer."""
        cdef dict sizes = {}
        cdef dict copies = {}
        cdef Line *line
        cdef Py_ssize_t i
        cdef int64_t begin
        cdef Watch watching = begin_watch()
        for i in range(0, self.fronts.count, 2):
            line = &self.lines[self.fronts.values[i]]
            begin = self.fronts.values[i + 1]
            buffer = <uintptr_t>line.data - <uintptr_t>begin
            sizes[buffer] = max(sizes.get(buffer, 0), begin + line.size)
            watch(&watching, 8)
        for buffer, size in sizes.items():
            copies[buffer] = bytes(FRONT) + PyBytes_FromStringAndSize(<const char *><uintptr_t>buffer, size)
        for i in range(0, self.fronts.count, 2):
            line = &self.lines[self.fronts.values[i]]
            begin = self.fronts.values[i + 1]
            copied = <bytes>copies[<uintptr_t>line.data - <uintptr_t>begin]
            line.data = <const uint8_t *><const char *>copied + FRONT + begin
            watch(&watching, 8)
        self.held.append(copies)
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
    if strcmp(format, "+l") == 0 or strcmp(format, "+L") == 0 or strncmp(format, "+w:", 3) == 0:
        return "lists"
    if strncmp(format, "+v", 2) == 0:
        raise ArrowError(
            "a column of list views is not supported; cast it to lists first, for example with "
            "column.cast(pyarrow.list_(column.type.value_type))")
    raise ArrowError(
        f"a column of the Arrow format {format_of(schema)!r} holds neither texts nor integers nor lists of them")
