// Items of exact lists and tuples, whose access runs no Python code.

#pragma once
#include <Python.h>

// Get the items and their number; 0 for other types.
static inline int cybleu_items(PyObject *sequence, PyObject ***items, Py_ssize_t *size) {
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

// Return a new reference to an item, or None, which is declined as a text.
static inline PyObject *cybleu_item(PyObject *sequence, Py_ssize_t i) {
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
