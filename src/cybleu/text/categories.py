"""Which characters are punctuation, symbols and numbers, for the tokenisers ``intl`` and ``tensor2tensor``.

sacreBLEU uses the package `regex`, whose version of Unicode differs from Python's. If it is installed, it is used here, too,
so that the tokens are the same; elsewhere the table of this package answers. ``cybleu --version`` says which one it is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from .._runtime.extras import extra
from .unicode_table import NUMBERS, PUNCTUATION, SYMBOLS, UNICODE


def _regex() -> ModuleType | None:
    if find_spec("regex") is None:
        return None
    with extra("regex", "the tokeniser 'intl' uses regex", "regex"):
        return import_module("regex")


@cache
def categories() -> bytes:
    """Return for each code point 1, 2, 3 for punctuation, a symbol, a number, or else 0."""
    regex = _regex()
    found = bytearray(0x110000)
    for category, first, end in _runs_of_table() if regex is None else _runs_of_regex(regex):
        found[first:end] = bytes([category]) * (end - first)
    return bytes(found)


def categories_of_tensor2tensor() -> bytes:
    """Return for each code point what :func:`categories` does, as its ``bleu_tokenize`` takes it.

    That is ``intl`` with the digits and the marks of Python's own version of Unicode, and a backslash is none of them.
    """
    kinds = map(unicodedata.category, map(chr, range(0x110000)))
    found = bytearray(3 if kind == "Nd" else "PS".find(kind[0]) + 1 for kind in kinds)
    found[ord("\\")] = 0
    return bytes(found)


def unicode_version() -> str:
    """Return whose characters they are."""
    regex = _regex()
    return f"Unicode {UNICODE}" if regex is None else f"regex {regex.__version__}"


def _runs_of_regex(regex: ModuleType) -> Iterator[tuple[int, int, int]]:
    """Yield the number of a category, and where code points of it begin and end."""
    from array import array

    characters = array("I", range(0x110000)).tobytes().decode("utf-32", "surrogatepass")
    for category, name in enumerate("PSN", start=1):
        for run in regex.finditer(rf"\p{{{name}}}+", characters):
            yield category, *run.span()


def _runs_of_table() -> Iterator[tuple[int, int, int]]:
    for category, table in enumerate((PUNCTUATION, SYMBOLS, NUMBERS), start=1):
        for run in table.split():
            first, _, last = run.partition("-")
            yield category, int(first, 16), int(last or first, 16) + 1
