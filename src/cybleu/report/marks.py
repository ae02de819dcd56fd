"""Which characters of a line belong to n-grams that match, as a short code that the page's script reads as well.

A code is letters with lengths, ``a4d11B3``: so many characters in this state. The letters from a on stand for the length of the
longest n-gram around a token that matches, a for none; a capital for a token that is in a reference and there too often. The rest
of the line, and white space at the end of a part, have no mark.
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
    """The lines of an output as they are shown, each with its code.

    A line is shown as it is if its tokens are its characters, which white space divides. Where the tokeniser changes characters,
    its tokens are shown, divided by blanks.

    :ivar lines: with symbols for what cannot be seen
    :ivar raw: the lines as they were where tokens are shown, else None
    :ivar codes: of the lines
    """

    def __init__(self, texts: Texts, ngrams: NGrams, output: int):
        text = texts.outputs[output]
        lines, words, self.raw = _shown(text)
        self.lines = [visible(line) for line in lines]
        self.codes = _codes(text, lines, words, ngrams, output) if text.lengths.sum() else [""] * len(lines)


def _shown(text: Text) -> tuple[list[str], list[Sequence[str]], list[str | None]]:
    """The lines that are shown, their tokens, and the raw ones where these are others."""
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
    except TypeError:  # tokens of another kind
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
    linked = ngrams.levels(output, 1)  # to the token before it
    ends = np.cumsum(array_of(map(len, lines), np.int64, len(lines)))
    begins = ends - np.diff(ends, prepend=0)
    line_of = np.repeat(np.arange(len(lines)), text.lengths)
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
    bounds = np.searchsorted(of_lines, np.arange(len(lines) + 1)).tolist()
    return ["".join(written[low:high]) for low, high in pairwise(bounds)]


def parts_of(line: str, code: str) -> list[tuple[str, str]]:
    """The parts of a line that is shown, each with its letter; ``a`` for what has no mark, white space among it."""
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
