"""Which characters are punctuation, symbols and numbers, for the tokeniser ``intl``.

sacreBLEU uses the package `regex`, whose version of Unicode differs from Python's. If it is installed, it is used here, too,
so that the tokens are the same; elsewhere the table of this package answers. ``cybleu --version`` says which one it is.
"""

from __future__ import annotations

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
    """For each code point 1, 2, 3 for punctuation, a symbol, a number, or else 0."""
    regex = _regex()
    found = bytearray(0x110000)
    for category, runs in enumerate(_of_table() if regex is None else _of_regex(regex), 1):
        for first, end in runs:
            found[first:end] = bytes([category]) * (end - first)
    return bytes(found)


def unicode_version() -> str:
    """Whose characters they are."""
    regex = _regex()
    return f"Unicode {UNICODE}" if regex is None else f"regex {regex.__version__}"


def _of_regex(regex: ModuleType) -> list[list[tuple[int, int]]]:
    """Where code points of each category begin, and end."""
    from array import array

    characters = array("I", range(0x110000)).tobytes().decode("utf-32", "surrogatepass")
    return [[run.span() for run in regex.finditer(rf"\p{{{name}}}+", characters)] for name in "PSN"]


def _of_table() -> list[list[tuple[int, int]]]:
    found = []
    for table in (PUNCTUATION, SYMBOLS, NUMBERS):
        pairs = (word.partition("-") for word in table.split())
        found.append([(int(first, 16), int(last or first, 16) + 1) for first, _, last in pairs])
    return found
