# Read token ids from the buffers of many arrays.

cdef extern from "tokens/arrays.h":
    int cybleu_copy_ids(const char *format, const char *items, Py_ssize_t count, Py_ssize_t stride,
                        int64_t *ids) noexcept


def read_arrays(list entries not None, kind, bint several):
    """Read texts of ids from arrays with one dimension, or from lists of these and arrays with two dimensions.

    :param kind: the type of the arrays
    :param several: whether entries may have several texts
    :return: the ids of all texts, where each text begins, where it ends, and where the texts of each entry begin, and
        the end: int64 in bytearrays. None if there is no id, an entry is something else or has no text, or entries
        differ in whether they have several texts
    """
    cdef Watch watching = begin_watch()
    cdef bytearray ids = bytearray()
    cdef bytearray begins = bytearray()
    cdef bytearray ends = bytearray()
    cdef bytearray bounds = bytearray(8 * (len(entries) + 1))
    cdef int64_t *bound = <int64_t *>PyByteArray_AS_STRING(bounds)
    cdef int expected = 0
    cdef int dimensions
    cdef Py_ssize_t i, k
    for i in range(len(bounds) // 8 - 1):
        entry = item_at(entries, i)
        if type(entry) is list or type(entry) is tuple:
            dimensions = 2
            for k in range(len(entry)):
                if add_array(item_at(entry, k), kind, ids, begins, ends) != 1:
                    return None
                watch(&watching, 64)
        else:
            dimensions = add_array(entry, kind, ids, begins, ends)
            watch(&watching, 64)
        if i == 0:
            expected = dimensions
        bound[i + 1] = len(begins) // 8
        if not 0 < dimensions <= 1 + several or dimensions != expected or bound[i] == bound[i + 1]:
            return None
    return (ids, begins, ends, bounds) if ids else None


cdef int add_array(object array, object kind, bytearray ids, bytearray begins, bytearray ends) except -1:
    """Append the texts of an array; return its number of dimensions, 0 if declined."""
    cdef Py_ssize_t done = len(ids)
    cdef Py_ssize_t texts = len(begins)
    cdef Py_ssize_t rows = 1
    cdef Py_ssize_t width, i
    cdef int dimensions = 0
    cdef const char *items
    cdef int64_t *to
    cdef Py_buffer view
    if type(array) is not kind:
        return 0
    try:
        PyObject_GetBuffer(array, &view, PyBUF_STRIDES | PyBUF_FORMAT)
    except (TypeError, ValueError, BufferError):    # such as NumPy's dates
        return 0
    try:
        if view.ndim not in (1, 2):
            return 0
        width = view.shape[view.ndim - 1]
        if view.ndim == 2:
            rows = view.shape[0]
        if max(rows, view.len) > (PY_SSIZE_T_MAX - done - texts) // 8:
            return 0
        PyByteArray_Resize(ids, done + rows * width * 8)
        PyByteArray_Resize(begins, texts + rows * 8)
        PyByteArray_Resize(ends, texts + rows * 8)
        items = <const char *>view.buf
        to = <int64_t *>(PyByteArray_AS_STRING(ids) + done)
        for i in range(rows):
            (<int64_t *>(PyByteArray_AS_STRING(begins) + texts))[i] = done // 8 + i * width
            (<int64_t *>(PyByteArray_AS_STRING(ends) + texts))[i] = done // 8 + (i + 1) * width
            if not cybleu_copy_ids(view.format, items, width, view.strides[view.ndim - 1], to + i * width):
                return 0
            items += view.strides[0]
        dimensions = view.ndim
    finally:
        PyBuffer_Release(&view)
    return dimensions
