"""N-grams that match, order by order: marks of tokens, lists of n-grams, and counts of words.

If an output has an n-gram more often than a reference, BLEU defines how many occurrences match, but not which. Here those that
are part of a longer match come first, then the earlier ones; the others are clipped.

The n-grams of each order have numbers from 1. Arrays hold a value for each number, or for each place in the ids of all texts, where
an n-gram begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.arrays import bincount, np, repeat
from .figures import NGram
from .texts import PIECE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .texts import Texts

LISTED = 10  # n-grams of each order that are listed
CLIPPED = 5  # added to the mark of a token that a reference has, but that the output has too often

Pair: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]  # the outputs of two systems
Lists: TypeAlias = tuple[tuple[NGram, ...], ...]  # the n-grams of each order


@dataclass(frozen=True)
class NGrams:
    """The n-grams of all texts up to a largest order.

    :param marks: for each token of :class:`Texts` a digit: the length of the longest match that contains the token, and
        :data:`CLIPPED` more if the token is clipped
    :param over: for each output the n-grams of each order that it has too often
    :param under: for each output the n-grams of each order that it does not have often enough
    :param differences: for each pair the n-grams that match more often in the first system, and those in the second one
    :param frequency: how often all references have each token
    :param wanted: how often each token could match
    :param produced: how often each output has each token
    :param confirmed: how often each token matches in each output
    """

    marks: NDArray[np.uint8]
    over: list[Lists]
    under: list[Lists]
    differences: dict[Pair, tuple[Lists, Lists]]
    frequency: NDArray[np.int64]
    wanted: NDArray[np.int64]
    produced: NDArray[np.int64]
    confirmed: NDArray[np.int64]


def find_ngrams(texts: Texts, most: int, pairs: Iterable[Pair]) -> NGrams:
    """Count the n-grams of all texts, the longest first, and find those that matter.

    :param most: the largest order
    :param pairs: the outputs of the two systems of each pair to compare; the mean of the outputs of a system is used
    """
    levels = [texts.ids]
    while len(levels) < most:
        levels.append(_longer(levels[-1], texts))
    marks = np.zeros(len(texts.ids), dtype=np.uint8)
    inside = np.zeros(len(texts.ids) + 1, dtype=bool)  # whether the n-gram that begins there is part of a longer match
    # where the tokens of the references begin, those of each output, and the end
    cuts = [0, *(int(texts.bounds[texts.text(output, 0)]) for output in range(len(texts.outputs) + 1))]
    over: list[Lists] = [()] * len(texts.outputs)
    under = list(over)
    differences: dict[Pair, tuple[Lists, Lists]] = dict.fromkeys(pairs, ((), ()))
    for n in range(most, 0, -1):
        grams = levels.pop()
        size = int(grams.max(initial=0)) + 1
        wanted, found = _matched(texts, grams, size, n, marks, inside)
        frequency, *produced = (bincount(grams[begin:end], minlength=size) for begin, end in pairwise(cuts))
        confirmed = [bincount(grams[places], minlength=size) for places in found]

        def listed(counts: Any, others: Any, places: NDArray[Any], grams: Any = grams, n: int = n) -> Iterator[NGram]:
            """List the n-grams with the largest salience; among equals the largest counts, then the first. None that was seen once."""
            first = np.zeros(len(counts), dtype=np.int64)
            first[grams[places[::-1]]] = np.arange(len(places), dtype=np.int64)[::-1]
            chosen = 1 + np.flatnonzero(counts[1:] > 1)
            ones = counts[chosen]
            order = np.lexsort((first[chosen], -ones, -(ones + 1) / (ones + others[chosen] + 2)))[:LISTED]
            for gram, begin in zip(chosen[order], places[first[chosen[order]]]):
                tokens = (str(texts.vocabulary[number]) for number in texts.ids[begin : begin + n])
                yield NGram(tuple(tokens), counts[gram].item(), others[gram].item())

        in_references = np.arange(cuts[1], dtype=np.int64)
        for output, matches in enumerate(confirmed):
            own = np.arange(*cuts[output + 1 : output + 3], dtype=np.int64)
            over[output] = (tuple(listed(produced[output] - matches, matches, own)), *over[output])
            under[output] = (tuple(listed(wanted - matches, matches, in_references)), *under[output])
        for (ones, others), (better, worse) in differences.items():
            one, other = (_mean([confirmed[output] for output in side]) for side in (ones, others))
            of_one, of_other = (np.concatenate([found[output] for output in side]) for side in (ones, others))
            more = tuple(listed(np.where(one > other, one, 0), other, of_one))
            fewer = listed(np.where(other > one, other, 0), one, of_other)
            turned = tuple(NGram(gram.tokens, gram.second, gram.first) for gram in fewer)
            differences[ones, others] = (more, *better), (turned, *worse)
    return NGrams(marks, over, under, differences, frequency, wanted, np.array(produced), np.array(confirmed))


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
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Match the n-grams of an order, piece by piece, and mark their tokens.

    :param marks: changed in place
    :param inside: changed in place, for the order below
    :return: how often each n-gram could match, and where those of each output that match begin
    """
    wanted = np.zeros(size, dtype=np.int64)
    found: list[list[NDArray[np.int64]]] = [[] for _ in texts.outputs]
    for start in range(0, len(texts.references), PIECE):
        stop = min(start + PIECE, len(texts.references))
        kinds, allowed = _allowed(texts, grams, size, start, stop)
        wanted += bincount(kinds % size, allowed, minlength=size).astype(np.int64)
        for output, places in enumerate(found):
            first, last = texts.text(output, start), texts.text(output, stop)
            matches, clipped = _matches(texts.places(first, last, grams), grams, size, kinds, allowed, inside)
            places.append(matches)
            inside[texts.bounds[first] : texts.bounds[last]] = False
            marks[clipped] += CLIPPED * (n == 1)
            for offset in range(n):
                place = matches + offset
                inside[place] |= offset < 2  # two n-grams that are one token shorter
                marks[place] = np.where(marks[place] > 0, marks[place], n)
    return wanted, [np.concatenate(places) for places in found]


def _allowed(
    texts: Texts, grams: NDArray[np.int32], size: int, start: int, stop: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the n-grams of each of some segments' references, as segment * size + number, and how often each may match."""
    sets, most = texts.sets, texts.most_references
    places, segment, text = texts.places(int(sets[start]), int(sets[stop]), grams)
    # the reference that has an n-gram most often says how often it may match
    keys, counts = np.unique((segment * size + grams[places]) * most + text - sets[segment], return_counts=True)
    begins = np.flatnonzero(np.diff(keys // most, prepend=-1))
    return keys[begins] // most, np.maximum.reduceat(counts, begins)


def _matches(
    texts: tuple[NDArray[np.int64], ...],
    grams: NDArray[np.int32],
    size: int,
    kinds: NDArray[np.int64],
    allowed: NDArray[np.int64],
    inside: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where n-grams that match begin, in each segment those in a longer match first, and where those that would match."""
    places, segment, _ = texts
    own = segment * size + grams[places]
    kind = np.searchsorted(kinds, own)
    known = np.flatnonzero(np.append(kinds, -1)[kind] == own)
    places, kind, segment = places[known], kind[known], segment[known]
    groups = 2 * kind + ~inside[places]
    order = np.argsort(groups, kind="stable")
    begins = np.flatnonzero(np.diff(groups[order] // 2, prepend=-1))
    rank = np.arange(len(order)) - repeat(begins, np.diff(begins, append=len(order)))
    match = np.empty(len(order), dtype=bool)
    match[order] = rank < allowed[kind[order]]
    matches, segment = places[match], segment[match]
    return matches[np.argsort(2 * segment + ~inside[matches], kind="stable")], places[~match]


def _mean(counts: list[NDArray[np.int64]]) -> NDArray[Any]:
    return np.mean(counts, axis=0) if len(counts) > 1 else counts[0]
