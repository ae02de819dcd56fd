// Keys of Python tokens. Only exact str and int of 64 bits are plain.

#pragma once
#include <Python.h>
#include "common/compiler.h"
#include "tokens/keys.h"

// The second half of the key of an int, which no str has.
#define CYBLEU_INT CYBLEU_FIRST_BYTE(7)

// Read the tokens that are rare; 0 for one that is not plain. Up to CPython 3.11, a str of the old C interface is none.
static CYBLEU_NOINLINE int cybleu_read_other(PyObject *token, cybleu_seed seed, cybleu_keyed *to) {
    if (PyUnicode_CheckExact(token)) {
        unsigned int kind = (unsigned int)PyUnicode_KIND(token);
        size_t size = (size_t)PyUnicode_GET_LENGTH(token) * kind;
        if (!PyUnicode_IS_COMPACT(token)) return 0;
        cybleu_read_long((const uint8_t *)PyUnicode_DATA(token), size, kind, seed, to);
        return 1;
    }
    if (PyLong_CheckExact(token)) {
        int overflow;
        to->key.first = (uint64_t)PyLong_AsLongLongAndOverflow(token, &overflow);
        to->key.second = CYBLEU_INT;
        return !overflow;
    }
    return 0;
}

// The value of an int that the interpreter keeps in one digit; 0 for others.
static inline int cybleu_small_int(PyObject *integer, uint64_t *value) {
#if PY_VERSION_HEX >= 0x030C0000
    if (!PyUnstable_Long_IsCompact((PyLongObject *)integer)) return 0;
    *value = (uint64_t)PyUnstable_Long_CompactValue((PyLongObject *)integer);
#else
    Py_ssize_t size = Py_SIZE(integer);
    if (size < -1 || size > 1) return 0;
    *value = (uint64_t)((int64_t)size * (int64_t)((PyLongObject *)integer)->ob_digit[0]);
#endif
    return 1;
}

// Read a token; 0 for one that is not plain. There is no branch on whether a str is ASCII: in many languages one word
// in ten is not.
static inline int cybleu_read_object(PyObject *token, cybleu_seed seed, cybleu_keyed *to) {
    if (!CYBLEU_UNLIKELY(!PyUnicode_CheckExact(token))) {
        unsigned int kind = (unsigned int)PyUnicode_KIND(token);
        size_t size = (size_t)PyUnicode_GET_LENGTH(token) * kind;
        if (!CYBLEU_UNLIKELY(!PyUnicode_IS_COMPACT(token) || size >= 16)) {
            const uint8_t *text = (const uint8_t *)token + sizeof(PyCompactUnicodeObject);
            text -= (sizeof(PyCompactUnicodeObject) - sizeof(PyASCIIObject)) * (PyUnicode_IS_ASCII(token) != 0);
            cybleu_short_text(text, size, kind, &to->key);
            return 1;
        }
    }
    else if (PyLong_CheckExact(token) && cybleu_small_int(token, &to->key.first)) {
        to->key.second = CYBLEU_INT;
        return 1;
    }
    return cybleu_read_other(token, seed, to);
}
