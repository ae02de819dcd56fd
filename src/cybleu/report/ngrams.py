"""N-grams that match, order by order: marks of tokens, lists of n-grams, and counts of words.

If an output has an n-gram more often than a reference, BLEU defines how many occurrences match, but not which. Here
those that are part of a longer match come first, then the earlier ones; the others are clipped.

The n-grams of each order have numbers from 1. Arrays hold a value for each number, or for each place in the ids of all
texts, where an n-gram begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from .._runtime.arrays import Array, Integers, bincount, np, repeat
from .figures import NGram
from .texts import PIECE

if TYPE_CHECKING:
    from .texts import Outputs

LISTED = 10  # n-grams of each order that are listed
CLIPPED = 5  # added to the mark of a token that a reference has, but that the output has too often

Lists: TypeAlias = tuple[tuple[NGram, ...], ...]  # the n-grams of each order


class NGrams:
    """The n-grams of all texts up to a largest order.

    :ivar marks: for each token of :class:`Outputs` a digit: the length of the longest match that contains the token, and
        :data:`CLIPPED` more if the token is clipped
    :ivar over: for each output the n-grams of each order that it has too often
    :ivar under: for each output the n-grams of each order that it does not have often enough
    :ivar differences: for each pair, in both orders, the n-grams that match more often in the first system
    :ivar frequency: how often all references have each token
    :ivar wanted: how often each token could match
    :ivar produced: how often each output has each token
    :ivar confirmed: how often each token matches in each output
    """

    def __init__(self, texts: Outputs, most: int, pairs: Sequence[tuple[str, str]]):
        """Count the n-grams, the longest first, and find those that matter.

        :param most: the largest order
        :param pairs: the names of systems to compare; the mean of the runs of a system is used
        """
        # made from the shortest on, and matched from the longest down, because a token gets the mark of its longest match
        levels = [texts.ids]
        while len(levels) < most:
            levels.append(_longer(levels[-1], texts))
        self.marks = np.zeros(len(texts.ids), dtype=np.uint8)
        inside = np.zeros(len(texts.ids), dtype=bool)  # whether the n-gram that begins there is part of a longer match
        self.over: dict[str, Lists] = dict.fromkeys(texts.outputs, ())
        self.under = dict(self.over)
        self.differences: dict[tuple[str, str], Lists] = dict.fromkeys([*pairs, *(pair[::-1] for pair in pairs)], ())
        references = np.flatnonzero(texts.sides >= len(texts.outputs))
        for n in range(most, 0, -1):
            grams = levels.pop()
            self.wanted, matched, clipped = _match(texts, grams, inside)
            size = len(self.wanted)
            inside = np.zeros_like(inside)
            for offset in range(n):
                tokens = matched + offset
                if offset < 2:  # where the n-grams that are one token shorter begin
                    inside[tokens] = True
                self.marks[tokens[self.marks[tokens] == 0]] = n  # tokens of longer matches are marked already
            if n == 1:
                self.marks[clipped] += CLIPPED
            sides = texts.sides[matched]
            found = {name: matched[sides == side] for side, name in enumerate(texts.outputs)}
            self.frequency = bincount(grams[references], minlength=size)
            self.produced = {name: bincount(grams[texts.places(name)], minlength=size) for name in found}
            self.confirmed = {name: bincount(grams[places], minlength=size) for name, places in found.items()}
            listed = partial(_most_salient, texts, grams, n)
            for name, confirmed in self.confirmed.items():
                over = listed(self.produced[name] - confirmed, confirmed, texts.places(name))
                under = listed(self.wanted - confirmed, confirmed, references)
                self.over[name] = (over, *self.over[name])
                self.under[name] = (under, *self.under[name])
            for pair, lists in self.differences.items():
                first, second = (texts.runs[name] for name in pair)
                one = _mean([self.confirmed[run] for run in first])
                other = _mean([self.confirmed[run] for run in second])
                places = np.concatenate([found[run] for run in first])
                self.differences[pair] = (listed(np.where(one > other, one, 0), other, places), *lists)


def _longer(grams: Array, texts: Outputs) -> Array:
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


def _match(texts: Outputs, grams: Array, inside: Array) -> tuple[Integers, Integers, Integers]:
    """Match the n-grams of an order.

    :param inside: for each place whether the n-gram that begins there is part of a longer match
    :return: how often each n-gram could match; where the n-grams of the outputs that match begin, segment by segment, in each
        those in a longer match first; and where those begin that a reference has, but that the output has too often
    """
    size = int(grams.max(initial=0)) + 1
    wanted = np.zeros(size, dtype=np.int64)
    found = []
    clipped = []
    edges = texts.bounds[texts.firsts]
    sides = int(texts.sides.max(initial=0)) + 1
    for start in range(0, len(texts.references), PIECE):
        part = slice(*edges[[start, min(start + PIECE, len(texts.references))]].tolist())
        places = part.start + np.flatnonzero(grams[part])
        segment = np.searchsorted(edges, places, side="right")
        keys = (segment * size + grams[places]) * sides + texts.sides[places]
        order = np.argsort(2 * keys + ~inside[places], kind="stable")
        places = places[order]
        keys = keys[order]
        segment = segment[order]
        rank = np.arange(len(keys)) - np.searchsorted(keys, keys)  # among the same n-grams of the text
        of_output = texts.sides[places] < len(texts.outputs)
        # the reference that has an n-gram most often says how often it may match in a segment
        kinds = keys // sides
        begins = np.flatnonzero(np.diff(kinds, prepend=-1))
        allowed = np.maximum.reduceat(np.where(of_output, 0, rank + 1), begins)
        wanted += bincount(kinds[begins] % size, allowed, minlength=size).astype(np.int64)
        allowed = repeat(allowed, np.diff(begins, append=len(kinds)))
        match = of_output & (rank < allowed)
        clipped.append(places[of_output & ~match & (allowed > 0)])
        places = places[match]
        found.append(places[np.lexsort((places, ~inside[places], segment[match]))])
    return wanted, np.concatenate(found), np.concatenate(clipped)


def _most_salient(
    texts: Outputs, grams: Array, n: int, counts: Array, others: Array, places: Array
) -> tuple[NGram, ...]:
    """List the n-grams with the largest salience; among equals the largest counts, then the first. None that was seen once.

    :param places: where the n-grams begin
    """
    first = np.zeros(len(counts), dtype=np.int64)
    first[grams[places[::-1]]] = np.arange(len(places), dtype=np.int32)[::-1]
    # number 0 is no n-gram
    chosen = 1 + np.flatnonzero(counts[1:] > 1)
    ones = counts[chosen]
    chosen = chosen[np.lexsort((first[chosen], -ones, -(ones + 1) / (ones + others[chosen] + 2)))[:LISTED]]
    found = []
    for number, begin in zip(chosen.tolist(), places[first[chosen]].tolist()):
        tokens = tuple(str(texts.vocabulary[token]) for token in texts.ids[begin : begin + n].tolist())
        found.append(NGram(tokens, counts[number].item(), others[number].item()))
    return tuple(found)


def _mean(counts: list[Integers]) -> Array:
    return np.mean(counts, axis=0) if len(counts) > 1 else counts[0]
