// Lines of raw text, and tokens in them.

#pragma once
#include <Python.h>
#include <stdint.h>

// The characters of a str or bytes. `size` is in characters; in UTF-8, in bytes.
typedef struct {
    const void *data;
    Py_ssize_t size;
    int kind;
} cybleu_line;

// The characters of a token in UTF-8, with lone surrogates as three bytes.
typedef struct { const uint8_t *text, *end; } cybleu_token;

// Kind of a line in UTF-8; otherwise it is the size of a character of a str: 1, 2, 4.
enum { CYBLEU_IN_UTF8 = 0 };

// View an exact str or bytes, which must stay alive; 0 for other types, -1 for an error.
static inline int cybleu_line_of(PyObject *text, cybleu_line *line) {
    if (PyBytes_CheckExact(text)) {
        line->data = PyBytes_AS_STRING(text);
        line->size = PyBytes_GET_SIZE(text);
        line->kind = CYBLEU_IN_UTF8;
        return 1;
    }
    if (!PyUnicode_CheckExact(text)) return 0;
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(text) < 0) return -1;
#endif
    line->data = PyUnicode_DATA(text);
    line->size = PyUnicode_GET_LENGTH(text);
    // Bytes before the characters of a str of the old C interface are not readable, so these are copied.
    line->kind = PyUnicode_IS_COMPACT_ASCII(text) ? CYBLEU_IN_UTF8 : (int)PyUnicode_KIND(text);
    return 1;
}
