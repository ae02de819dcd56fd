"""N-grams that match, order by order: marks of tokens, lists of n-grams, and counts of words.

If an output has an n-gram more often than a reference, BLEU defines how many occurrences match, but not which. Here
those that are part of a longer match come first, then the earlier ones; the others are clipped.

The n-grams of each order have numbers from 1. Arrays hold a value for each number, or for each place in the ids of all
texts, where an n-gram begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.arrays import bincount, np, repeat
from .figures import NGram
from .texts import PIECE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .texts import Texts

LISTED = 10  # n-grams of each order that are listed
CLIPPED = 5  # added to the mark of a token that a reference has, but that the output has too often

Lists: TypeAlias = tuple[tuple[NGram, ...], ...]  # the n-grams of each order


class NGrams:
    """The n-grams of all texts up to a largest order.

    :ivar marks: for each token of :class:`Texts` a digit: the length of the longest match that contains the token, and
        :data:`CLIPPED` more if the token is clipped
    :ivar over: for each output the n-grams of each order that it has too often
    :ivar under: for each output the n-grams of each order that it does not have often enough
    :ivar differences: for each pair, in both orders, the n-grams that match more often in the first system
    :ivar frequency: how often all references have each token
    :ivar wanted: how often each token could match
    :ivar produced: how often each output has each token
    :ivar confirmed: how often each token matches in each output
    """

    def __init__(self, texts: Texts, most: int, pairs: Sequence[tuple[str, str]]):
        """Count the n-grams, the longest first, and find those that matter.

        :param most: the largest order
        :param pairs: the names of systems to compare; the mean of the runs of a system is used
        """
        levels = [texts.ids]
        while len(levels) < most:
            levels.append(_longer(levels[-1], texts))
        self.marks = np.zeros(len(texts.ids), dtype=np.uint8)
        inside = np.zeros(len(texts.ids), dtype=bool)  # whether the n-gram that begins there is part of a longer match
        self.over: dict[str, Lists] = dict.fromkeys(texts.outputs, ())
        self.under = dict(self.over)
        self.differences: dict[tuple[str, str], Lists] = {names: () for pair in pairs for names in (pair, pair[::-1])}
        references = np.flatnonzero(texts.sides >= len(texts.outputs))
        for n in range(most, 0, -1):
            grams = levels.pop()
            size = int(grams.max(initial=0)) + 1
            self.wanted, matches = _matched(texts, grams, size, n, self.marks, inside)
            found = {name: matches[texts.sides[matches] == side] for side, name in enumerate(texts.outputs)}
            self.frequency = bincount(grams[references], minlength=size)
            self.produced = {name: bincount(grams[texts.places(name)], minlength=size) for name in found}
            self.confirmed = {name: bincount(grams[places], minlength=size) for name, places in found.items()}
            listed = partial(_most_salient, texts, grams, n)
            for name, matched in self.confirmed.items():
                self.over[name] = (listed(self.produced[name] - matched, matched, texts.places(name)), *self.over[name])
                self.under[name] = (listed(self.wanted - matched, matched, references), *self.under[name])
            for pair, lists in self.differences.items():
                one, other = (_mean([self.confirmed[run] for run in texts.runs[name]]) for name in pair)
                places = np.concatenate([found[run] for run in texts.runs[pair[0]]])
                self.differences[pair] = (listed(np.where(one > other, one, 0), other, places), *lists)


def _longer(grams: NDArray[np.int32], texts: Texts) -> NDArray[np.int32]:
    """Return the numbers of the n-grams that are one token longer and begin at each place; 0 for none, and if it occurs once.

    An n-gram that occurs twice consists of two shorter ones that do.
    """
    often = (bincount(grams) > 1)[grams] & (grams > 0)
    begins = often.copy()
    begins[texts.bounds[texts.bounds > 0] - 1] = False  # the last token of a text
    places = np.flatnonzero(begins[:-1] & often[1:]).astype(np.int32)
    keys = grams[places].astype(np.int64) * (int(grams.max(initial=0)) + 1) + grams[places + 1]
    order = np.argsort(keys)
    keys.sort()  # in place, because of many texts these arrays take the most memory of a report
    numbers = np.ones(len(keys), dtype=np.int32)
    numbers[1:] += np.cumsum(keys[1:] != keys[:-1], dtype=np.int32)
    longer = np.zeros_like(grams)
    longer[places[order]] = numbers
    return longer


def _matched(
    texts: Texts, grams: NDArray[np.int32], size: int, n: int, marks: NDArray[np.uint8], inside: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Match the n-grams of an order, and mark their tokens.

    :param marks: changed in place
    :param inside: changed in place, for the order below
    :return: how often each n-gram could match, and where those of the outputs that match begin: segment by segment, in
        each those in a longer match first
    """
    wanted, found = np.zeros(size, dtype=np.int64), []
    edges, sides = texts.bounds[texts.firsts], int(texts.sides.max(initial=0)) + 1
    for start in range(0, len(texts.references), PIECE):
        part = slice(*edges[[start, min(start + PIECE, len(texts.references))]].tolist())
        places = part.start + np.flatnonzero(grams[part])
        segment = np.searchsorted(edges, places, side="right")
        keys = (segment * size + grams[places]) * sides + texts.sides[places]
        order = np.argsort(2 * keys + ~inside[places], kind="stable")
        places, keys, segment = places[order], keys[order], segment[order]
        rank = np.arange(len(keys)) - np.searchsorted(keys, keys)  # among the same n-grams of the text
        of_output = texts.sides[places] < len(texts.outputs)
        # the reference that has an n-gram most often says how often it may match in a segment
        kinds = keys // sides
        begins = np.flatnonzero(np.diff(kinds, prepend=-1))
        allowed = np.maximum.reduceat(np.where(of_output, 0, rank + 1), begins)
        wanted += bincount(kinds[begins] % size, allowed, minlength=size).astype(np.int64)
        allowed = repeat(allowed, np.diff(begins, append=len(kinds)))
        match = of_output & (rank < allowed)
        marks[places[of_output & ~match & (allowed > 0)]] += CLIPPED * (n == 1)
        places, segment = places[match], segment[match]
        places = places[np.lexsort((places, ~inside[places], segment))]
        inside[part] = False
        for offset in range(n):
            inside[places + offset] |= offset < 2  # two n-grams that are one token shorter
            marks[places + offset] = np.maximum(marks[places + offset], n)
        found.append(places)
    return wanted, np.concatenate(found)


def _most_salient(
    texts: Texts, grams: NDArray[np.int32], n: int, counts: NDArray[Any], others: NDArray[Any], places: NDArray[Any]
) -> tuple[NGram, ...]:
    """List the n-grams with the largest salience; among equals the largest counts, then the first. None that was seen once.

    :param places: where the n-grams begin
    """
    first = np.zeros(len(counts), dtype=np.int64)
    first[grams[places[::-1]]] = np.arange(len(places), dtype=np.int32)[::-1]
    chosen = 1 + np.flatnonzero(counts[1:] > 1)
    ones = counts[chosen]
    chosen = chosen[np.lexsort((first[chosen], -ones, -(ones + 1) / (ones + others[chosen] + 2)))[:LISTED]]
    spans = (texts.ids[begin : begin + n].tolist() for begin in places[first[chosen]].tolist())
    tokens = [tuple(str(texts.vocabulary[token]) for token in span) for span in spans]
    return tuple(map(NGram, tokens, counts[chosen].tolist(), others[chosen].tolist()))


def _mean(counts: list[NDArray[np.int64]]) -> NDArray[Any]:
    return np.mean(counts, axis=0) if len(counts) > 1 else counts[0]
