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

from .._runtime.arrays import array_of, np, repeat
from .ngrams import NGrams
from .texts import Texts
from .visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

STATES = "abcdeABCDE"
PART = re.compile(r"([a-eA-E])(\d+)")
SPACES = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
IS_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])


class MarkedText:
    """Lines of an output as the page shows them, each with its code.

    A line is shown unchanged if the tokeniser only splits it. If the tokeniser changes characters, the tokens are shown, joined
    by blanks.

    :ivar lines: the lines, with symbols for invisible characters
    :ivar raw: the original line where tokens are shown, else None
    :ivar codes: the codes of the lines
    """

    def __init__(self, texts: Texts, ngrams: NGrams, output: int, segments: Sequence[int]):
        text = texts.outputs[output]
        given = [text.lines[segment] for segment in segments]
        lines, words, self.raw = _shown(given, [texts.tokens(text, segment) for segment in segments])
        self.lines = [visible(line) for line in lines]
        lengths = text.lengths[segments]
        self.codes = [""] * len(lines)
        if lengths.sum():
            ends = np.cumsum(lengths)
            places = repeat(text.offsets[segments] - ends + lengths, lengths) + np.arange(ends[-1], dtype=np.int64)
            self.codes = _codes(lengths, places, lines, words, ngrams, output)


def _shown(
    given: list[str | None], tokens_of: list[list[Any]]
) -> tuple[list[str], list[Sequence[str]], list[str | None]]:
    """Return the lines to show, their tokens, and the raw lines where they differ."""
    lines: list[str] = []
    words: list[Sequence[str]] = []
    raw: list[str | None] = []
    for line, tokens in zip(given, tokens_of):
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


def _codes(
    lengths: NDArray[np.int64],
    places: NDArray[np.int64],
    lines: list[str],
    words: list[Sequence[str]],
    ngrams: NGrams,
    output: int,
) -> list[str]:
    """Return the code of each line, whose tokens are at these places of the output."""
    together = "".join(lines)
    characters = np.frombuffer(together.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    bare = np.flatnonzero(~IS_SPACE[np.minimum(characters, len(IS_SPACE) - 1)])
    sizes = array_of(map(len, chain.from_iterable(words)), np.int64, len(places))
    starts = bare[np.cumsum(sizes) - sizes]
    levels = ngrams.levels(output)[places].astype(np.int64)
    clipped = ngrams.orders[0].clipped[output][places]
    states = levels + 5 * clipped
    linked = ngrams.levels(output, 1)[places]  # whether a match contains the token and the one before it
    ends = np.cumsum(array_of(map(len, lines), np.int64, len(lines)))
    begins = ends - np.diff(ends, prepend=0)
    line_of = repeat(np.arange(len(lines), dtype=np.int64), lengths)
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
