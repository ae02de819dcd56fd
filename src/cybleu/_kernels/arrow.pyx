# cython: freethreading_compatible=True
"""Columns of texts, of numbers and of lists of them, from what hands them over by the Arrow C data interface.

Whoever made the structs may be wrong about them. Everything is checked that can be: the interface says how long an
array is, and how long the buffers of string views are, but not how long any other buffer is.

A column is read in positions: each level makes of the positions that are asked for those of the level below, -1 where
there is nothing. Slices, chunks, dictionaries and runs are then the same for every type.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset, strcmp, strlen, strncmp

from cybleu._kernels.arrow cimport ArrowArray, ArrowArrayStream, ArrowSchema, Numbers
from cybleu._kernels.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.tokenizing cimport IN_UTF8, Line

from cybleu.errors import ArrowError, NotUtf8Error

cdef enum:
    FRONT = 16                  # bytes that can be read before a line
    INLINE = 12                 # bytes of a string view that has no buffer
    MOST_LEVELS = 2             # of lists
    MOST_WRAPPINGS = 4          # dictionaries and runs around each other

cdef int64_t MOST = <int64_t>1 << 56    # elements: so that sixteen times as many are a number of bytes
cdef uint8_t[2 * FRONT] NO_TEXT     # zeros


# ------------------------------------------------------------------------------------------------------------- structs

cdef class OwnSchema:
    cdef ArrowSchema schema

    def __cinit__(self):
        memset(&self.schema, 0, sizeof(ArrowSchema))

    def __dealloc__(self):
        if self.schema.release != NULL:
            self.schema.release(&self.schema)


cdef class OwnArray:
    cdef ArrowArray array

    def __cinit__(self):
        memset(&self.array, 0, sizeof(ArrowArray))

    def __dealloc__(self):
        if self.array.release != NULL:
            self.array.release(&self.array)


cdef void *pointer_of(object capsule, const char *name) except NULL:
    if not PyCapsule_IsValid(capsule, name):
        raise ArrowError(f"a capsule with the name {name.decode()} was expected, not {type(capsule).__name__}")
    return PyCapsule_GetPointer(capsule, name)


cdef int check_schema(const ArrowSchema *schema) except -1:
    cdef int64_t i
    if schema.format == NULL:
        raise ArrowError("a schema has no format")
    if not 0 <= schema.n_children < MOST or (schema.n_children > 0 and schema.children == NULL):
        raise ArrowError(f"a schema has {schema.n_children} children, and none are there")
    for i in range(schema.n_children):
        if schema.children[i] == NULL or schema.children[i].format == NULL:
            raise ArrowError(f"child {i} of a schema is not there")
    return 0


cdef str format_of(const ArrowSchema *schema):
    return (<bytes>schema.format).decode("utf-8", "replace")


cdef int check_array(const ArrowSchema *schema, const ArrowArray *array, int64_t buffers, int64_t children) except -1:
    """Of as many buffers and children as the format says, and a length that can be."""
    cdef str of = f"an array of the format {format_of(schema)!r} has"
    cdef int64_t i
    check_schema(schema)
    if not 0 <= array.length < MOST or not 0 <= array.offset < MOST - array.length:
        raise ArrowError(f"{of} the length {array.length} and the offset {array.offset}")
    if not -1 <= array.null_count <= array.length:
        raise ArrowError(f"{of} the length {array.length} and {array.null_count} nulls")
    if array.n_buffers != buffers and not (buffers < 0 and -buffers <= array.n_buffers < MOST):
        raise ArrowError(f"{of} {array.n_buffers} buffers in place of {abs(buffers)}")
    if array.n_buffers > 0 and array.buffers == NULL:
        raise ArrowError(f"{of} {array.n_buffers} buffers, and none are there")
    if array.n_children != children or schema.n_children != children:
        raise ArrowError(
            f"{of} {array.n_children} children, and its schema {schema.n_children}, in place of {children}")
    if children > 0 and array.children == NULL:
        raise ArrowError(f"{of} {children} children, and none are there")
    for i in range(children):
        if array.children[i] == NULL:
            raise ArrowError(f"{of} no child {i}")
        if not 0 <= array.children[i].length < MOST:
            raise ArrowError(f"{of} a child of the length {array.children[i].length}")
    return 0


cdef const void *buffer_of(const ArrowSchema *schema, const ArrowArray *array, int64_t number) except? NULL:
    """NULL where the array is empty, and may have no buffers."""
    if array.buffers[number] == NULL and array.length > 0:
        raise ArrowError(f"an array of the format {format_of(schema)!r} has no buffer {number}")
    return array.buffers[number]


cdef inline bint is_null(const uint8_t *validity, int64_t place) noexcept nogil:
    return validity != NULL and not validity[place >> 3] >> (place & 7) & 1


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


cdef inline bint is_integer(const char *format) noexcept nogil:
    return format[0] in (c"c", c"C", c"s", c"S", c"i", c"I", c"l", c"L") and format[1] == 0


cdef class ArrowColumn:
    """An array that was handed over, held as long as this is.

    :param schema: a capsule, from which the struct is moved
    :param array: likewise
    :raises ArrowError: the capsules or the structs are wrong
    """

    cdef OwnSchema held_schema
    cdef OwnArray held_array
    cdef const ArrowSchema *schema
    cdef const ArrowArray *array
    cdef int64_t start
    cdef int64_t length
    cdef const uint8_t *validity    # of the struct that it is a field of
    cdef int64_t validity_offset

    def __init__(self, schema, array):
        cdef ArrowSchema *given_schema = <ArrowSchema *>pointer_of(schema, "arrow_schema")
        cdef ArrowArray *given = <ArrowArray *>pointer_of(array, "arrow_array")
        cdef OwnSchema own_schema = OwnSchema()
        cdef OwnArray own = OwnArray()
        if given_schema.release == NULL or given.release == NULL:
            raise ArrowError("the array was consumed, or released, before; ask for it again")
        own_schema.schema = given_schema[0]
        given_schema.release = NULL
        own.array = given[0]
        given.release = NULL
        self.hold(own_schema, own)

    cdef int hold(self, OwnSchema schema, OwnArray array) except -1:
        check_schema(&schema.schema)
        if array.array.length < 0:
            raise ArrowError(f"an array has the length {array.array.length}")
        self.held_schema = schema
        self.held_array = array
        self.schema = &schema.schema
        self.array = &array.array
        self.start = 0
        self.length = array.array.length
        self.validity = NULL
        self.validity_offset = 0
        return 0

    def __len__(self):
        return self.length

    @property
    def format(self):
        return format_of(self.schema)

    @property
    def of_numbers(self):
        """Whether the entries are whole numbers, and no indices of a dictionary."""
        return self.schema.dictionary == NULL and is_integer(self.schema.format)

    @property
    def names(self):
        """The names of the fields of a struct, such as the columns of a table; None of what is no struct."""
        return names_of(self.schema)

    def part(self, int64_t start, int64_t stop):
        """The entries from `start` to before `stop`."""
        cdef ArrowColumn column = ArrowColumn.__new__(ArrowColumn)
        if not 0 <= start <= stop <= self.length or self.length >= MOST:
            raise ValueError("a column has not as many entries")
        column.held_schema = self.held_schema
        column.held_array = self.held_array
        column.schema = self.schema
        column.array = self.array
        column.start = self.start + start
        column.length = stop - start
        column.validity = self.validity
        column.validity_offset = self.validity_offset + start
        return column

    def field(self, Py_ssize_t number):
        """A field of a struct, as long as that."""
        cdef ArrowColumn column = ArrowColumn.__new__(ArrowColumn)
        cdef const ArrowArray *child
        check_array(self.schema, self.array, 1, self.schema.n_children)
        if strcmp(self.schema.format, "+s") != 0 or not 0 <= number < self.array.n_children:
            raise ArrowError(f"an array of the format {self.format!r} has no field {number}")
        if self.validity != NULL:
            raise ArrowError("a column is in a struct in a struct; take it out first")
        child = self.array.children[number]
        column.held_schema = self.held_schema
        column.held_array = self.held_array
        column.schema = self.schema.children[number]
        column.array = child
        column.start = self.start + self.array.offset
        column.length = self.length
        column.validity = <const uint8_t *>self.array.buffers[0]
        column.validity_offset = column.start
        if child.length < column.start or child.length - column.start < column.length:
            raise ArrowError(f"field {number} of a struct has {child.length} entries, less than the struct needs")
        return column


cdef tuple names_of(const ArrowSchema *schema):
    cdef int64_t i
    check_schema(schema)
    if strcmp(schema.format, "+s") != 0:
        return None
    return tuple([
        (<bytes>schema.children[i].name).decode("utf-8", "replace") if schema.children[i].name != NULL else ""
        for i in range(schema.n_children)
    ])


cdef class ArrowStream:
    """Arrays that come one after the other.

    :param stream: a capsule, from which the struct is moved
    :raises ArrowError: the capsule is wrong, the stream was consumed, or it fails
    """

    cdef ArrowArrayStream stream
    cdef OwnSchema schema

    def __cinit__(self, stream):
        cdef ArrowArrayStream *given = <ArrowArrayStream *>pointer_of(stream, "arrow_array_stream")
        cdef int failed
        memset(&self.stream, 0, sizeof(ArrowArrayStream))
        if given.release == NULL:
            raise ArrowError("the stream was consumed, or released, before; ask for it again")
        if given.get_schema == NULL or given.get_next == NULL:
            raise ArrowError("the stream has no functions to read it")
        self.stream = given[0]
        given.release = NULL
        self.schema = OwnSchema()
        with nogil:
            failed = self.stream.get_schema(&self.stream, &self.schema.schema)
        if failed:
            raise self.error(failed)
        if self.schema.schema.release == NULL:
            raise ArrowError("the stream gives a schema that is released")
        check_schema(&self.schema.schema)

    def __dealloc__(self):
        if self.stream.release != NULL:
            self.stream.release(&self.stream)

    @property
    def format(self):
        return format_of(&self.schema.schema)

    @property
    def names(self):
        return names_of(&self.schema.schema)

    cdef object error(self, int failed):
        cdef const char *text = NULL
        if self.stream.get_last_error != NULL:
            text = self.stream.get_last_error(&self.stream)
        return ArrowError(
            f"the stream fails with the number {failed}"
            + (f": {(<bytes>text).decode('utf-8', 'replace')}" if text != NULL else "")
        )

    def next(self):
        """The next array, or None at the end."""
        cdef OwnArray array = OwnArray()
        cdef ArrowColumn column = ArrowColumn.__new__(ArrowColumn)
        cdef int failed
        PyErr_CheckSignals()
        if self.stream.release == NULL:
            return None
        with nogil:
            failed = self.stream.get_next(&self.stream, &array.array)
        if failed:
            raise self.error(failed)
        if array.array.release == NULL:
            self.stream.release(&self.stream)
            self.stream.release = NULL
            return None
        column.hold(self.schema, array)
        return column


# -------------------------------------------------------------------------------------------------------------- values

cdef inline int push(Numbers *numbers, int64_t value) except -1 nogil:
    if numbers.count == numbers.room:
        make_room(numbers, 1)
    numbers.values[numbers.count] = value
    numbers.count += 1
    return 0


cdef int make_room(Numbers *numbers, Py_ssize_t more) except -1 nogil:
    cdef int64_t *larger
    cdef Py_ssize_t room
    if numbers.room - numbers.count < more:
        room = max(numbers.count + more, 2 * numbers.room, 16)
        larger = <int64_t *>realloc(numbers.values, <size_t>room * sizeof(int64_t))
        if larger == NULL:
            with gil:
                raise MemoryError()
        numbers.values = larger
        numbers.room = room
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
        self.depth = 0
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
            if not 0 <= column.length < MOST:
                raise ArrowError(f"an array has the length {column.length}")
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
        cdef const char *format
        cdef str kind
        cdef int wrapped = 0
        cdef int64_t before, length, value
        cdef Py_ssize_t i, k, at
        check_schema(schema)
        while schema.dictionary != NULL or strcmp(schema.format, "+r") == 0:
            if wrapped == MOST_WRAPPINGS:
                raise ArrowError("dictionaries and runs are too deep in each other")
            wrapped += 1
            if schema.dictionary != NULL:
                look_up(schema, array, positions)
                schema = schema.dictionary
                array = array.dictionary
            else:
                find_runs(schema, array, positions)
                schema = schema.children[1]
                array = array.children[1]
            check_schema(schema)
        format = schema.format
        kind = kind_of(schema)
        if kind == "texts":
            check_array(schema, array, -3 if format[0] == c"v" else 3, 0)
        elif kind == "integers":
            check_array(schema, array, 2, 0)
        elif kind == "lists":
            check_array(schema, array, array.n_buffers, 1)
            if array.n_buffers < 1:
                raise ArrowError("lists have no buffer")
        if kind == "nothing":
            for i in range(positions.count):
                positions.values[i] = -1
        else:
            apply_validity(array, positions)
        if self.dropped == level and sizes != NULL:
            at = k = 0
            for i in range(sizes.count):
                length = sizes.values[i]
                for _ in range(length):
                    if positions.values[k] >= 0:
                        positions.values[at] = positions.values[k]
                        at += 1
                    else:
                        sizes.values[i] -= 1
                    k += 1
            positions.count = at
        before = 0
        if level > 0:
            before = self.ends[level - 1].values[self.ends[level - 1].count - 1] if self.ends[level - 1].count else 0
            value = before
            make_room(&self.ends[level - 1], sizes.count)
            for i in range(sizes.count):
                value += sizes.values[i]
                push(&self.ends[level - 1], value)
        else:
            before = self.count
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
            return 0
        if kind != "nothing":
            if self.kind not in ("nothing", kind):
                raise ArrowError("the arrays of a column are of different types")
            self.kind = kind
        if kind == "texts":
            self.add_texts(schema, array, positions)
        elif kind == "integers":
            data = buffer_of(schema, array, 1)
            make_room(&self.integers, positions.count)
            for i in range(positions.count):
                value = 0
                if positions.values[i] >= 0:
                    value = integer_at(data, format[0], array.offset + positions.values[i])
                    if value < 0 and format[0] == c"L":
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
        cdef Line *larger
        cdef Py_ssize_t room, i
        cdef Watch watching = begin_watch()
        self.in_bytes = format[0] in (c"z", c"Z") or (views and format[1] == c"z")
        if views:
            buffers = array.n_buffers - 3
            data_sizes = <const int64_t *>array.buffers[array.n_buffers - 1]
            if buffers > 0 and data_sizes == NULL:
                raise ArrowError("string views have buffers, and the sizes of those are missing")
        else:
            data = <const uint8_t *>array.buffers[2]
        if self.line_room - self.line_count < positions.count:
            room = self.line_count + positions.count
            larger = <Line *>realloc(self.lines, (<size_t>room + 1) * sizeof(Line))
            if larger == NULL:
                raise MemoryError()
            self.lines = larger
            self.line_room = room
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
