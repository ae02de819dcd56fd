# cython: freethreading_compatible=True
"""Columns by the Arrow C data interface: one array, or a stream of arrays.

Structs are validated as far as the interface allows: array lengths, and the buffer sizes of string views. The interface
does not provide the sizes of other buffers.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from cpython.pythread cimport (
    NOWAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_type_lock,
)
from libc.stdint cimport int64_t
from libc.string cimport strcmp

from cybleu.errors import ArrowError

cdef int64_t MOST = <int64_t>1 << 56    # elements, so that 16 bytes for each are a size in bytes


cdef ArrowSchema NO_SCHEMA     # schema of an empty column, before it is read
cdef ArrowArray NO_ARRAY
NO_SCHEMA.format = "n"


cdef class OwnSchema:
    def __dealloc__(self):
        if self.schema.release != NULL:
            self.schema.release(&self.schema)


cdef class OwnArray:
    def __dealloc__(self):
        if self.array.release != NULL:
            self.array.release(&self.array)


cdef void *pointer_of(object capsule, const char *name) except NULL:
    if not PyCapsule_IsValid(capsule, name):
        raise ArrowError(f"expected a capsule named {name.decode()}, not a {type(capsule).__name__}")
    return PyCapsule_GetPointer(capsule, name)


cdef int check_schema(const ArrowSchema *schema) except -1:
    cdef int64_t i
    if schema.format == NULL:
        raise ArrowError("a schema has no format")
    if not 0 <= schema.n_children < MOST or (schema.n_children > 0 and schema.children == NULL):
        raise ArrowError(f"a schema has {schema.n_children} children, and the pointer to them is null")
    for i in range(schema.n_children):
        if schema.children[i] == NULL or schema.children[i].format == NULL:
            raise ArrowError(f"child {i} of a schema is null")
    return 0


cdef str format_of(const ArrowSchema *schema):
    return (<bytes>schema.format).decode("utf-8", "replace")


cdef int check_array(const ArrowSchema *schema, const ArrowArray *array, int64_t buffers, int64_t children) except -1:
    cdef str of = f"an array of the format {format_of(schema)!r} has"
    cdef int64_t i
    check_schema(schema)
    if not 0 <= array.length < MOST or not 0 <= array.offset < MOST - array.length:
        raise ArrowError(f"{of} the length {array.length} and the offset {array.offset}")
    if not -1 <= array.null_count <= array.length:
        raise ArrowError(f"{of} the length {array.length} and {array.null_count} nulls")
    if array.n_buffers != buffers and not (buffers < 0 and -buffers <= array.n_buffers < MOST):
        raise ArrowError(f"{of} {array.n_buffers} buffers instead of {abs(buffers)}")
    if array.n_buffers > 0 and array.buffers == NULL:
        raise ArrowError(f"{of} {array.n_buffers} buffers, and the pointer to them is null")
    if array.n_children != children or schema.n_children != children:
        raise ArrowError(
            f"{of} {array.n_children} children, and its schema {schema.n_children}, instead of {children}")
    if children > 0 and array.children == NULL:
        raise ArrowError(f"{of} {children} children, and the pointer to them is null")
    for i in range(children):
        if array.children[i] == NULL:
            raise ArrowError(f"{of} no child {i}")
        if not 0 <= array.children[i].length < MOST:
            raise ArrowError(f"{of} a child of the length {array.children[i].length}")
    return 0


cdef class ArrowColumn:
    """An Arrow array, which is released with this object.

    :param schema: capsule from which the struct is moved
    :param array: capsule from which the struct is moved
    :raises ArrowError: the capsules or the structs are wrong
    """

    def __cinit__(self):
        self.schema = &NO_SCHEMA
        self.array = &NO_ARRAY

    def __init__(self, schema, array):
        cdef ArrowSchema *given_schema = <ArrowSchema *>pointer_of(schema, "arrow_schema")
        cdef ArrowArray *given = <ArrowArray *>pointer_of(array, "arrow_array")
        cdef OwnSchema own_schema = OwnSchema()
        cdef OwnArray own = OwnArray()
        if given_schema.release == NULL or given.release == NULL:
            raise ArrowError("the array was already consumed or released; export it again")
        own_schema.schema = given_schema[0]
        given_schema.release = NULL
        own.array = given[0]
        given.release = NULL
        self.hold(own_schema, own)

    cdef int hold(self, OwnSchema schema, OwnArray array) except -1:
        check_schema(&schema.schema)
        if not 0 <= array.array.length < MOST:
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
    def of_numbers(self):
        """Return whether the entries are integers, and not dictionary indices."""
        return self.schema.dictionary == NULL and is_integer(self.schema.format)

    @property
    def names(self):
        """Return the field names of a struct, such as the column names of a table; None for other types."""
        return names_of(self.schema)

    def part(self, int64_t start, int64_t stop):
        """Return the entries from `start` to `stop` (exclusive)."""
        cdef ArrowColumn column = ArrowColumn.__new__(ArrowColumn)
        if not 0 <= start <= stop <= self.length:
            raise ValueError("the part is not within the column")
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
        """Return a field of a struct array as an array of the same length."""
        cdef ArrowColumn column = ArrowColumn.__new__(ArrowColumn)
        cdef const ArrowArray *child
        check_array(self.schema, self.array, 1, self.schema.n_children)
        if strcmp(self.schema.format, "+s") != 0 or not 0 <= number < self.array.n_children:
            raise ArrowError(f"an array of the format {format_of(self.schema)!r} has no field {number}")
        if self.validity != NULL:
            raise ArrowError("nested structs are not supported; extract the column first")
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
            raise ArrowError(f"field {number} of a struct has {child.length} entries, fewer than the struct")
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
    """A stream of Arrow arrays.

    :param stream: capsule from which the struct is moved
    :raises ArrowError: the capsule is wrong, the stream was consumed, or it fails
    """

    cdef ArrowArrayStream stream
    cdef OwnSchema schema
    cdef PyThread_type_lock reading     # the interface allows one call at a time

    def __cinit__(self, stream):
        cdef ArrowArrayStream *given = <ArrowArrayStream *>pointer_of(stream, "arrow_array_stream")
        cdef int failed
        if given.release == NULL:
            raise ArrowError("the stream was already consumed or released; export it again")
        if given.get_schema == NULL or given.get_next == NULL:
            raise ArrowError("the stream has no callbacks to read it")
        self.reading = PyThread_allocate_lock()
        if self.reading == NULL:
            raise MemoryError()
        self.stream = given[0]
        given.release = NULL
        self.schema = OwnSchema()
        with nogil:
            failed = self.stream.get_schema(&self.stream, &self.schema.schema)
        if failed:
            raise self.error(failed)
        if self.schema.schema.release == NULL:
            raise ArrowError("the schema of the stream is already released")
        check_schema(&self.schema.schema)

    def __dealloc__(self):
        if self.stream.release != NULL:
            self.stream.release(&self.stream)
        if self.reading != NULL:
            PyThread_free_lock(self.reading)

    @property
    def names(self):
        return names_of(&self.schema.schema)

    cdef object error(self, int failed):
        cdef const char *text = NULL
        if self.stream.get_last_error != NULL:
            text = self.stream.get_last_error(&self.stream)
        return ArrowError(
            f"the stream failed with error {failed}"
            + (f": {(<bytes>text).decode('utf-8', 'replace')}" if text != NULL else "")
        )

    def next(self):
        """Return the next array, or None at the end."""
        if not PyThread_acquire_lock(self.reading, NOWAIT_LOCK):
            raise ArrowError("this stream is already being read; read it in one thread, or hold a lock")
        try:
            return self.following()
        finally:
            PyThread_release_lock(self.reading)

    cdef object following(self):
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


def arrow_arrays(value):
    """Return the column names of a table (None for a single column) and an iterator over the arrays.
    :param value: an object that implements the Arrow PyCapsule interface
    :raises ArrowError: the structs are wrong, or were consumed before
    """
    if hasattr(type(value), "__arrow_c_array__"):
        capsules = value.__arrow_c_array__()
        if not isinstance(capsules, tuple) or len(capsules) != 2:
            raise ArrowError(f"__arrow_c_array__ of a {type(value).__name__} returns {capsules!r}, not two capsules")
        column = ArrowColumn(*capsules)
        return column.names, iter([column])
    stream = ArrowStream(value.__arrow_c_stream__())
    return stream.names, iter(stream.next, None)
