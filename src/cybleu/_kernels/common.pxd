# What several kernels ask of the compiler, and the limits they share.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport realloc

cdef extern from *:
    """
    #ifndef CYBLEU_COMMON
    #define CYBLEU_COMMON

    #if defined(__GNUC__) || defined(__clang__)
      #define CYBLEU_PREFETCH(address) __builtin_prefetch(address)
      #define CYBLEU_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
      #define CYBLEU_NOINLINE __attribute__((noinline))   /* so that a loop keeps its constants in registers */
    #else
      #define CYBLEU_PREFETCH(address) ((void)(address))
      #define CYBLEU_UNLIKELY(condition) (condition)
      #define CYBLEU_NOINLINE
    #endif

    #ifndef CYBLEU_OTHER_THREADS_RUN    /* a build with the GIL may set it, to test what the others do */
      #ifdef Py_GIL_DISABLED
        #define CYBLEU_OTHER_THREADS_RUN 1
      #else
        #define CYBLEU_OTHER_THREADS_RUN 0
      #endif
    #endif

    static CYTHON_INLINE Py_ssize_t cybleu_distance(const void *from, const void *to) {
        return (const char *)to - (const char *)from;
    }

    /* Whether this is an exact list or tuple, and its items. */
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

    #endif
    """
    void CYBLEU_PREFETCH(const void *address) noexcept nogil
    bint CYBLEU_UNLIKELY(bint condition) noexcept nogil
    Py_ssize_t distance "cybleu_distance" (const void *start, const void *end) noexcept nogil
    bint CYBLEU_OTHER_THREADS_RUN
    bint cybleu_items(PyObject *sequence, PyObject ***items, Py_ssize_t *size) noexcept


cdef inline void *allocated(void *memory) except NULL nogil:
    """What malloc and its like return, or a MemoryError."""
    if memory == NULL:
        with gil:
            raise MemoryError()
    return memory


cdef inline void *room_for(void *memory, Py_ssize_t wanted, Py_ssize_t *room, size_t size) except NULL nogil:
    """The memory, or a larger one that holds what is wanted, at least twice as much as before."""
    if memory != NULL and wanted <= room[0]:
        return memory
    wanted = max(wanted, 2 * room[0], 16)
    memory = allocated(realloc(memory, <size_t>wanted * size))
    room[0] = wanted
    return memory


cdef enum:
    MAX_ORDER = 16          # of weights and rows that are scored here
    ROW_SIZE = 34           # 2 + 2 * MAX_ORDER
    SUMS_SIZE = 50          # 2 + 3 * MAX_ORDER


cdef inline int64_t apart(int64_t one, int64_t other) noexcept nogil:
    return one - other if one > other else other - one


cdef inline Py_ssize_t closer(Py_ssize_t best, Py_ssize_t length, Py_ssize_t wanted) noexcept nogil:
    """The one of two reference lengths that is nearer to the wanted one; a tie goes to the shorter. -1 is none yet."""
    cdef int64_t best_distance = apart(best, wanted)
    cdef int64_t distance = apart(length, wanted)
    if best < 0 or distance < best_distance or (distance == best_distance and length < best):
        return length
    return best
