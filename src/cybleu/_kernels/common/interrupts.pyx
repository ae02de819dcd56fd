# cython: freethreading_compatible=True
"""Check for Ctrl-C, which Python handles only in the main thread, between bytecodes."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t

cdef extern from *:
    """
    #ifdef _WIN32
      #define WIN32_LEAN_AND_MEAN
      #include <windows.h>
      static int64_t cybleu_milliseconds(void) { return (int64_t)GetTickCount64(); }
    #else
      #include <time.h>
      static int64_t cybleu_milliseconds(void) {
          struct timespec now;
          clock_gettime(CLOCK_MONOTONIC, &now);
          return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
      }
    #endif
    """
    int64_t cybleu_milliseconds() noexcept nogil

cdef enum:
    MILLISECONDS = 20


cdef int look() except -1 nogil:
    with gil:
        PyErr_CheckSignals()
    return 0


cdef int look_if_due(Watch *watching) except -1 nogil:
    cdef int64_t now = cybleu_milliseconds()
    if now - watching.looked >= MILLISECONDS:
        watching.looked = now
        return look()
    return 0
