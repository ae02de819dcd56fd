# Limits, and checks of arrays that Python code passes.
#
# Offers: limits; `bleu_row_size`, `check_offsets`, `check_rows`.

# Checked builds of Cython do not compile arithmetic in an enum, so it is in the sizes of arrays that depend on this.
cdef enum:
    MAX_ORDER = 16      # of weights and rows that the kernels score: MOST_ORDERS_OF_KERNELS in `metrics/counting.py`
    MOST_TOKENS = 0x7FFFFFFE        # of any text: counts are 32 bits
    MOST_POSITIONS = 0x3FFFFFFF     # of tokens in a segment, with one more for each text: positions are 32 bits


cdef enum:
    LARGEST_ITEM = 256      # upper bound of the size in bytes of any item of a row


cdef inline Py_ssize_t bleu_row_size(Py_ssize_t max_order, Py_ssize_t least=1) except -1:
    """Return the size of a statistics row, limited so that the size in bytes of several rows fits a size_t."""
    if not least <= max_order <= PY_SSIZE_T_MAX // LARGEST_ITEM:
        raise ValueError("the order is out of range")
    return 2 + 2 * max_order


cdef Py_ssize_t check_offsets(const int64_t[::1] offsets, Py_ssize_t size, Py_ssize_t least) except -1:
    """Check that offsets ascend from 0 to `size` with parts of at least `least`, and return the size of the largest."""
    cdef Py_ssize_t i
    cdef Py_ssize_t largest = 0
    if offsets.shape[0] < 1 or offsets[0] != 0 or offsets[offsets.shape[0] - 1] != size:
        raise ValueError("the offsets do not fit what they divide")
    for i in range(offsets.shape[0] - 1):
        # non-negative, so that the difference does not overflow
        if offsets[i] > offsets[i + 1] or offsets[i + 1] - offsets[i] < least:
            raise ValueError("the offsets do not ascend")
        largest = max(largest, <Py_ssize_t>(offsets[i + 1] - offsets[i]))
    return largest


cdef int check_rows(const Py_ssize_t *shape, Py_ssize_t texts, Py_ssize_t columns) except -1:
    """Check that rows of this shape have so many columns for each text."""
    if shape[0] != texts or shape[1] != columns:
        raise ValueError("the texts do not fit the rows")
    return 0
