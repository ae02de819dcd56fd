"""Marks for the characters of n-grams that match, as a short code that the page's script also reads.

A code such as ``a4d11B3`` is a list of letters, each with the number of characters that it applies to. The letter encodes the
length of the longest matching n-gram that contains the token: ``a`` for none, ``b`` for one token, and so on. A capital is for a
token that a reference has, but that the output has too often. The rest of the line, and white space at the end of a part, have
no mark.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import array_of, np
from .ngrams import NGrams
from .texts import Text, Texts
from .visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence


STATES = "abcdeABCDE"
PART = re.compile(r"([a-eA-E])(\d+)")
SPACES = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
IS_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])


class MarkedText:
    """The lines of an output as the page shows them, each with its code.

    A line is shown unchanged if the tokeniser only splits it. If the tokeniser changes characters, the tokens are shown, joined
    by blanks.

    :ivar lines: the lines, with symbols for invisible characters
    :ivar raw: the original line where tokens are shown, else None
    :ivar codes: the codes of the lines
    """

    def __init__(self, texts: Texts, ngrams: NGrams, output: int):
        text = texts.outputs[output]
        lines, words, self.raw = _shown(text)
        self.lines = [visible(line) for line in lines]
        self.codes = _codes(text, lines, words, ngrams, output) if text.lengths.sum() else [""] * len(lines)


def _shown(text: Text) -> tuple[list[str], list[Sequence[str]], list[str | None]]:
    """Return the lines to show, their tokens, and the raw lines where they differ."""
    lines: list[str] = []
    words: list[Sequence[str]] = []
    raw: list[str | None] = []
    for line, tokens in zip(text.lines, text.tokens):
        assert line is not None
        if _is_divided(line, tokens):
            lines.append(line)
            words.append(tokens)
            raw.append(None)
        else:
            words.append([_word(token) for token in tokens])
            lines.append(" ".join(words[-1]))
            raw.append(visible(line))
    return lines, words, raw


def _is_divided(line: str, tokens: Sequence[Any]) -> bool:
    try:
        together = "".join(tokens)
    except TypeError:  # tokens that are not str
        return False
    bare = "".join(line.split())
    return (bare == together or (len(bare) == len(together) and bare.lower() == together)) and "" not in tokens


def _word(token: Any) -> str:
    return re.sub(r"\s", "\u2423", str(token)) or "\u2205"


def _codes(text: Text, lines: list[str], words: list[Sequence[str]], ngrams: NGrams, output: int) -> list[str]:
    together = "".join(lines)
    characters = np.frombuffer(together.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    bare = np.flatnonzero(~IS_SPACE[np.minimum(characters, len(IS_SPACE) - 1)])
    sizes = array_of(map(len, chain.from_iterable(words)), np.int64, int(text.lengths.sum()))
    starts = bare[np.cumsum(sizes) - sizes]
    levels = ngrams.levels(output)
    clipped = ngrams.orders[0].clipped[output]
    states = levels + 5 * clipped
    linked = ngrams.levels(output, 1)  # whether a match contains the token and the one before it
    ends = np.cumsum(array_of(map(len, lines), np.int64, len(lines)))
    begins = ends - np.diff(ends, prepend=0)
    line_of = np.repeat(np.arange(len(lines), dtype=np.int64), text.lengths)
    goes_on = np.zeros(len(states), dtype=np.bool_)
    same = (states[1:] == states[:-1]) & (line_of[1:] == line_of[:-1])
    goes_on[1:] = same & ((states[1:] == 0) | (linked[1:] == levels[1:]))
    heads = np.flatnonzero(~goes_on)
    of_lines = line_of[heads]
    firsts = starts[heads].copy()
    opens = np.concatenate([[True], of_lines[1:] != of_lines[:-1]])
    stops = np.append(firsts[1:], ends[-1])
    last = np.append(opens[1:], True)
    stops[last] = ends[of_lines[last]]
    parts = stops - firsts
    leading = np.where(opens, firsts - begins[of_lines], 0)
    codes, back = np.unique(parts * 10 + states[heads], return_inverse=True)
    known = [f"{STATES[code % 10]}{code // 10}" for code in codes.tolist()]
    written = list(map(known.__getitem__, back.reshape(-1).tolist()))
    for place in np.flatnonzero(leading).tolist():
        written[place] = f"a{leading[place]}{written[place]}"
    bounds = np.searchsorted(of_lines, np.arange(len(lines) + 1, dtype=np.int64)).tolist()
    return ["".join(written[low:high]) for low, high in pairwise(bounds)]


def parts_of(line: str, code: str) -> list[tuple[str, str]]:
    """Yield the parts of a shown line, each with its letter; ``a`` for parts without a mark, such as white space."""
    parts: list[tuple[str, str]] = []
    place = 0
    for letter, length in PART.findall(code):
        part = line[place : place + int(length)]
        place += int(length)
        marked = part.rstrip(SPACES)
        parts += [(letter, marked), ("a", part[len(marked) :])]
    parts.append(("a", line[place:]))
    joined: list[tuple[str, str]] = []
    for letter, part in parts:
        if letter == "a" and joined and joined[-1][0] == "a":
            joined[-1] = ("a", joined[-1][1] + part)
        elif part:
            joined.append((letter, part))
    return joined
