"""The kernels, one extension module: each file below uses only those above it.

The comments say what a file gives, and which files it needs but for `common` and declarations of headers. The first
comment of a file names what it offers to later ones. A module for each file would need declarations that repeat
definitions, calls between modules, and twice the space.

A further kind of token needs a file of its own in `tokens`, which gives ids from 0 to the distinct tokens of a
hypothesis, and -1 to others, as `number_lines` and `number_ids_of` do; `Segments` then takes it, and what counts
numbers counts it.
"""

cimport cython
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_STRIDES, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
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
from libc.float cimport DBL_MAX, DBL_MIN
from libc.math cimport INFINITY, NAN, ceil, exp, fabs, floor, isfinite, log, pow
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, llabs, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

import math
from functools import update_wrapper
from os import urandom

from cybleu.errors import NotUtf8Error

include "common/declarations.pxi"  # what the headers of the folder give
include "common/memory.pxi"  # allocation, buffers
include "common/checks.pxi"  # limits, checks of arrays
include "common/lengths.pxi"  # the closest reference length, and others
include "common/interrupts.pxi"  # looks for Ctrl-C
include "common/hashing.pxi"  # hashing with a secret seed
include "text/declarations.pxi"  # what the headers of the folder give
include "text/tokenizing.pxi"  # tokenisers of lines of raw text
include "text/raw_texts.pxi"  # raw text as lines; needs tokenizing
include "tokens/tables.pxi"  # tables from tokens to ids
include "tokens/objects.pxi"  # ids of Python tokens; needs tables
include "tokens/words.pxi"  # ids of tokens of raw text; needs tokenizing, raw_texts, tables
include "tokens/texts.pxi"  # texts as ids
include "tokens/arrays.pxi"  # ids of many arrays
include "tokens/characters.pxi"  # ids of characters and words; needs tokenizing, tables, words
include "counting/ngram_tables.pxi"  # tables that number token ids and n-grams; needs tables, texts
include "counting/ngrams.pxi"  # clipped matches of a segment; needs ngram_tables
include "counting/segments.pxi"  # rows of lists; needs tables, objects, ngrams
# Rows of raw text and of ids.
include "counting/numbered.pxi"  # ; needs tokenizing, raw_texts, tables, words, texts, characters, ngram_tables, ngrams
include "counting/prepared.pxi"  # of References; needs tables, texts, ngram_tables, ngrams, numbered
include "counting/index.pxi"  # n-grams of many texts; needs texts, ngram_tables
include "counting/ter.pxi"  # edits of TER; needs numbered
include "counting/alignment.pxi"  # of ROUGE and WER; needs words, texts, ngram_tables, ngrams, numbered
include "counting/unit_ngrams.pxi"  # matches of characters or words; needs tables, characters
include "scoring/formula.pxi"  # sums and smoothings
include "scoring/definitions.pxi"  # scores of rows; needs formula
include "scoring/scores.pxi"  # NLTK's BLEU; needs segments, formula, definitions
include "scoring/gleu.pxi"  # GLEU; needs segments, numbered, scores
include "scoring/pairwise.pxi"  # BLEU of pairs; needs texts, ngram_tables, index, formula, definitions
include "scoring/information.pxi"  # mteval's NIST; needs texts, ngram_tables, numbered, index
include "scoring/nist.pxi"  # NLTK's NIST; needs tables, objects, ngram_tables, segments, definitions, gleu, information
# chrF.
include "scoring/chrf.pxi"  # ; needs raw_texts, tables, characters, ngrams, numbered, unit_ngrams, formula, definitions
include "lists/fields.pxi"  # lines of n-best lists; needs tokenizing, words
include "search/envelope.pxi"  # the line search of MERT; needs formula, definitions
include "search/feature_rows.pxi"  # features, MIRA
