// What compilers have in different forms.

#pragma once
#include <Python.h>

// x87 rounds twice, so that scores would differ.
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 2
  #error "cybleu's kernels require arithmetic in double precision: set CFLAGS='-msse2 -mfpmath=sse' on i386"
#endif

// CYBLEU_NOINLINE is for functions that would take the registers of a loop.
#if defined(__GNUC__) || defined(__clang__)
  #define CYBLEU_PREFETCH(address) __builtin_prefetch(address)
  #define CYBLEU_UNLIKELY(condition) (int)__builtin_expect(!!(condition), 0)
  #define CYBLEU_NOINLINE __attribute__((noinline, unused))
#else
  #define CYBLEU_PREFETCH(address) ((void)(address))
  #define CYBLEU_UNLIKELY(condition) (condition)
  #define CYBLEU_NOINLINE
#endif

// The bytes between two addresses, in C, because checked builds of Cython do not compile a difference of pointers.
static inline Py_ssize_t cybleu_distance(const void *from, const void *to) {
    return (const char *)to - (const char *)from;
}
