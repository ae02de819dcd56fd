# Compiler helpers, memory allocation and limits shared by the kernels.

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX


cdef extern from *:
    """
    #if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 2    /* x87 rounds twice, so that scores would differ */
      #error "cybleu's kernels require arithmetic in double precision: set CFLAGS='-msse2 -mfpmath=sse' on i386"
    #endif

    #if defined(__GNUC__) || defined(__clang__)
      #define CYBLEU_PREFETCH(address) __builtin_prefetch(address)
      #define CYBLEU_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
      #define CYBLEU_NOINLINE __attribute__((noinline))   /* so that a loop keeps its constants in registers */
    #else
      #define CYBLEU_PREFETCH(address) ((void)(address))
      #define CYBLEU_UNLIKELY(condition) (condition)
      #define CYBLEU_NOINLINE
    #endif

    #ifndef CYBLEU_OTHER_THREADS_RUN    /* a build with the GIL may set it for tests of this code */
      #ifdef Py_GIL_DISABLED
        #define CYBLEU_OTHER_THREADS_RUN 1
      #else
        #define CYBLEU_OTHER_THREADS_RUN 0
      #endif
    #endif

    /* In C, because checked builds of Cython do not compile a difference of pointers. */
    static CYTHON_INLINE Py_ssize_t cybleu_distance(const void *from, const void *to) {
        return (const char *)to - (const char *)from;
    }

    /* Get the items of an exact list or tuple; 0 for other types. */
    static CYTHON_INLINE int cybleu_items(PyObject *sequence, PyObject ***items, Py_ssize_t *size) {
        if (PyList_CheckExact(sequence)) {
            *size = PyList_GET_SIZE(sequence);
            *items = ((PyListObject *)sequence)->ob_item;
            return 1;
        }
        if (PyTuple_CheckExact(sequence)) {
            *size = PyTuple_GET_SIZE(sequence);
            *items = ((PyTupleObject *)sequence)->ob_item;
            return 1;
        }
        return 0;
    }

    /* The item of an exact list or tuple, or None, which is declined as a text. */
    static CYTHON_INLINE PyObject *cybleu_item(PyObject *sequence, Py_ssize_t i) {
        PyObject *item = Py_None;
        if (PyTuple_CheckExact(sequence)) {
            if (i < PyTuple_GET_SIZE(sequence)) item = PyTuple_GET_ITEM(sequence, i);
        }
        else if (PyList_CheckExact(sequence)) {
    #ifdef Py_GIL_DISABLED
            PyObject *owned = PyList_GetItemRef(sequence, i);
            if (owned != NULL) return owned;
            PyErr_Clear();
    #else
            if (i < PyList_GET_SIZE(sequence)) item = PyList_GET_ITEM(sequence, i);
    #endif
        }
        Py_INCREF(item);
        return item;
    }
    """
    void CYBLEU_PREFETCH(const void *address) noexcept nogil
    bint CYBLEU_UNLIKELY(bint condition) noexcept nogil
    Py_ssize_t distance "cybleu_distance" (const void *start, const void *end) noexcept nogil
    bint CYBLEU_OTHER_THREADS_RUN
    bint cybleu_items(PyObject *sequence, PyObject ***items, Py_ssize_t *size) noexcept
    object item_at "cybleu_item" (object sequence, Py_ssize_t i)


cdef inline void *allocated(void *memory) except NULL nogil:
    """Return the result of malloc, calloc or realloc, or raise MemoryError if it is NULL."""
    if memory == NULL:
        with gil:
            raise MemoryError()
    return memory


cdef inline void *new_array(uint64_t count, size_t size) except NULL nogil:
    """Allocate an array of items; raise MemoryError also if its size in bytes overflows a Py_ssize_t."""
    if count > <uint64_t>PY_SSIZE_T_MAX // size:
        return allocated(NULL)
    return allocated(malloc(<size_t>max(count, <uint64_t>1) * size))


cdef enum:
    LARGEST_ITEM = 256      # upper bound of the size in bytes of any item of a row


cdef inline Py_ssize_t row_size(Py_ssize_t max_order, Py_ssize_t least=1) except -1:
    """Return the size of a statistics row, limited so that the size in bytes of several rows fits a size_t."""
    if not least <= max_order <= PY_SSIZE_T_MAX // LARGEST_ITEM:
        raise ValueError("the order is out of range")
    return 2 + 2 * max_order


cdef inline void *grown(void *memory, Py_ssize_t wanted, Py_ssize_t *capacity, size_t size) except NULL nogil:
    """Reallocate to hold at least `wanted` items, at least doubling the capacity; unchanged if it suffices."""
    if memory != NULL and wanted <= capacity[0]:
        return memory
    cdef Py_ssize_t most = PY_SSIZE_T_MAX // <Py_ssize_t>size
    wanted = max(wanted, 2 * min(capacity[0], most // 2), 16)
    if wanted > most:
        with gil:
            raise MemoryError()
    memory = allocated(realloc(memory, <size_t>wanted * size))
    capacity[0] = wanted
    return memory


# Checked builds of Cython do not compile arithmetic in an enum, so it is in the sizes of arrays that depend on this.
cdef enum:
    MAX_ORDER = 16      # of weights and rows that the kernels score: MOST_ORDERS_OF_KERNELS in `metrics/counting.py`
    MOST_POSITIONS = 0x3FFFFFFF     # of tokens in a segment, with one more for each text: positions are 32 bits


cdef inline int64_t apart(int64_t one, int64_t other) noexcept nogil:
    return one - other if one > other else other - one


cdef inline Py_ssize_t closer(Py_ssize_t best, Py_ssize_t length, Py_ssize_t wanted) noexcept nogil:
    """Return the closer of two reference lengths; ties go to the shorter one. -1 means none yet.

    The same rule is in `metrics/counting.py`, which sorts the lengths of prepared references, and in `pairwise.py`.
    """
    cdef int64_t best_distance = apart(best, wanted)
    cdef int64_t distance = apart(length, wanted)
    if best < 0 or distance < best_distance or (distance == best_distance and length < best):
        return length
    return best


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
