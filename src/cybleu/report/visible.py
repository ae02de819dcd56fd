"""Replacement of invisible and direction-changing characters by symbols, one character for each."""

from __future__ import annotations

REPLACEMENT = "\ufffd"
SYMBOLS = {
    **dict.fromkeys((*range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFEFF, 0xFFFE, 0xFFFF), REPLACEMENT),
    **{code: chr(0x2400 + code) for code in range(0x20) if code != 0x09},
    0x7F: "\u2421",
    **dict.fromkeys((0x2028, 0x2029), "\u2424"),
    # bidirectional embeddings, overrides and isolates, which change the direction of the text after them: left, right, end
    **dict.fromkeys((0x202B, 0x202E, 0x2067), "\u25c1"),
    **dict.fromkeys((0x202A, 0x202D, 0x2066), "\u25b7"),
    **dict.fromkeys((0x202C, 0x2068, 0x2069), "\u25c7"),
}


def visible(text: str) -> str:
    """Replace control characters and lone surrogates by symbols."""
    return text.translate(SYMBOLS)


def short(text: str, most: int) -> str:
    """Shorten a text to at most this many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"
