// A clock that does not jump.

#pragma once
#include <Python.h>
#include <stdint.h>

// GetTickCount64 is declared here, because windows.h defines names such as near, far and small.
#ifdef _WIN32
__declspec(dllimport) unsigned long long __stdcall GetTickCount64(void);
static inline int64_t cybleu_milliseconds(void) { return (int64_t)GetTickCount64(); }
#else
  #include <time.h>
static inline int64_t cybleu_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
#endif
