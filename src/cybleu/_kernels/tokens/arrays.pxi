# Read token ids from the buffers of many arrays.

cdef extern from "tokens/arrays.h":
    int cybleu_copy_ids(const char *format, const char *items, Py_ssize_t count, Py_ssize_t stride,
                        int64_t *ids) noexcept


def read_arrays(list entries not None, kind, int64_t[::1] counts not None):
    """Read texts of ids from arrays with one dimension, or from lists of these and arrays with two dimensions.

    :param kind: the type of the arrays
    :param counts: receives the number of texts of each entry
    :return: the ids of all texts and the lengths of the texts, int64 in bytearrays, and whether an entry has several
        texts; None if an entry is something else, or entries differ in that
    """
    cdef Watch watching = begin_watch()
    cdef bytearray ids = bytearray()
    cdef bytearray lengths = bytearray()
    cdef Py_ssize_t i, k
    cdef bint several = False
    cdef int dimensions
    for i in range(counts.shape[0]):
        entry = item_at(entries, i)
        if type(entry) is list or type(entry) is tuple:
            dimensions = 2
            for k in range(len(entry)):
                if add_array(item_at(entry, k), kind, ids, lengths) != 1:
                    return None
                watch(&watching, 64)
        else:
            dimensions = add_array(entry, kind, ids, lengths)
            watch(&watching, 64)
        counts[i] = len(entry) if dimensions == 2 else 1
        if i == 0:
            several = dimensions == 2
        if dimensions != 1 + several:
            return None
    return ids, lengths, several


cdef int add_array(object array, object kind, bytearray ids, bytearray lengths) except -1:
    """Append the ids and the lengths of the texts of an array; return its number of dimensions, 0 if declined."""
    cdef Py_ssize_t done = len(ids)
    cdef Py_ssize_t texts = len(lengths)
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
        PyByteArray_Resize(lengths, texts + rows * 8)
        items = <const char *>view.buf
        to = <int64_t *>(PyByteArray_AS_STRING(ids) + done)
        for i in range(rows):
            (<int64_t *>(PyByteArray_AS_STRING(lengths) + texts))[i] = width
            if not cybleu_copy_ids(view.format, items, width, view.strides[view.ndim - 1], to + i * width):
                return 0
            items += view.strides[0]
        dimensions = view.ndim
    finally:
        PyBuffer_Release(&view)
    return dimensions
