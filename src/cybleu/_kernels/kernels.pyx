"""The kernels, one extension module: the files below have its definitions, in the order in which they use each other.

A module for each file would need declarations that repeat definitions, calls between modules, and twice the space.
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.method cimport PyMethod_Check, PyMethod_GET_FUNCTION, PyMethod_GET_SELF
from cpython.object cimport Py_TYPE, PyObject, PyTypeObject
from cpython.tuple cimport PyTuple_CheckExact
from cpython.version cimport PY_VERSION_HEX
from cpython.unicode cimport PyUnicode_DecodeUTF8, PyUnicode_FromKindAndData, PyUnicode_FromObject
from libc.float cimport DBL_MIN
from libc.math cimport INFINITY, NAN, ceil, exp, fabs, floor, isfinite, log, pow
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

import math
from functools import update_wrapper
from os import urandom

from cybleu.errors import NotUtf8Error

include "common/declarations.pxi"
include "common/memory.pxi"
include "common/checks.pxi"
include "common/lengths.pxi"
include "common/interrupts.pxi"
include "common/hashing.pxi"
include "text/declarations.pxi"
include "text/tokenizing.pxi"
include "text/raw_texts.pxi"
include "tokens/tables.pxi"
include "tokens/objects.pxi"
include "tokens/words.pxi"
include "tokens/texts.pxi"
include "tokens/characters.pxi"
include "counting/ngrams.pxi"
include "counting/segments.pxi"
include "counting/raw_segments.pxi"
include "counting/ngram_tables.pxi"
include "counting/prepared.pxi"
include "counting/index.pxi"
include "counting/ter.pxi"
include "counting/unit_ngrams.pxi"
include "scoring/formula.pxi"
include "scoring/definitions.pxi"
include "scoring/scores.pxi"
include "scoring/gleu.pxi"
include "scoring/pairwise.pxi"
include "scoring/information.pxi"
include "scoring/nist.pxi"
include "scoring/chrf.pxi"
include "lists/fields.pxi"
include "search/envelope.pxi"
include "search/feature_rows.pxi"
