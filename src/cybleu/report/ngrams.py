"""N-grams that match, order by order: marks of tokens, lists of n-grams, and counts of words.

If an output has an n-gram more often than a reference, BLEU defines how many occurrences match, but not which. Here those that
are part of a longer match come first, then the earlier ones; the others are clipped.

All n-grams that occur twice have a number, for each order. Arrays hold a value for each number, or for each place in the ids of all
texts, where an n-gram begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .._runtime.arrays import bincount, np, repeat
from .figures import NGram

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .texts import Texts

LISTED = 10  # n-grams of each order that are listed
CLIPPED = 5  # added to the mark of a token that a reference has, but that the output has too often

Pair: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]  # the outputs of two systems
Lists: TypeAlias = tuple[tuple[NGram, ...], ...]  # the n-grams of each order


class Counts(NamedTuple):
    """How often there is each n-gram, and when it comes first."""

    number: NDArray[Any]
    first: NDArray[np.int64]


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
    ids, outputs = texts.ids, len(texts.outputs)
    text = repeat(np.arange(len(texts.bounds) - 1, dtype=np.int32), np.diff(texts.bounds))
    firsts = [texts.text(output, 0) for output in range(outputs + 1)]  # the first text of each output, and the end
    marks = np.zeros(len(ids), dtype=np.uint8)
    inside = np.zeros(len(ids) + 1, dtype=bool)  # whether the n-gram that begins there is part of a longer match
    over: list[Lists] = [()] * outputs
    under = list(over)
    differences: dict[Pair, tuple[Lists, Lists]] = dict.fromkeys(pairs, ((), ()))
    for n, places, grams in reversed([*_numbered(texts, text, most)]):
        size = int(grams.max(initial=-1)) + 1
        sample = np.empty(size, dtype=np.int64)
        sample[grams] = places

        def listed(counts: Counts, others: NDArray[Any], sample: Any = sample, n: int = n) -> Iterator[NGram]:
            for gram in _most_salient(counts, others):
                tokens = (str(texts.vocabulary[number]) for number in ids[sample[gram] : sample[gram] + n])
                yield NGram(tuple(tokens), counts.number[gram].item(), others[gram].item())

        cuts = np.searchsorted(text[places], firsts)
        first = cuts[0]  # those before are of references
        wanted, found = _matches(texts, text, places, grams, first, inside)
        if n == 1:
            marks[places[first:][found == CLIPPED]] += CLIPPED
        matched = first + np.flatnonzero(found == 1)
        # in a segment those that are part of a longer match come first
        matched = matched[np.argsort(2 * text[places[matched]] + ~inside[places[matched]], kind="stable")]
        begins = places[matched]
        inside[:] = False
        inside[begins] = inside[begins + 1] = True
        for place in (begins + offset for offset in range(n)):
            marks[place] = np.where(marks[place] > 0, marks[place], n)
        produced = [_counts(grams[start:stop], size) for start, stop in pairwise(cuts)]
        ends = np.searchsorted(text[begins], firsts)
        confirmed = [_counts(grams[matched[start:stop]], size, start) for start, stop in pairwise(ends)]
        for output, (every, matches) in enumerate(zip(produced, confirmed)):
            missed, missing = every._replace(number=every.number - matches.number), wanted.number - matches.number
            over[output] = (tuple(listed(missed, matches.number)), *over[output])
            under[output] = (tuple(listed(wanted._replace(number=missing), matches.number)), *under[output])
        for (ones, others), (better, worse) in differences.items():
            one, other = (_mean([confirmed[output] for output in side]) for side in (ones, others))
            more = tuple(listed(_more(one, other), other.number))
            fewer = tuple(NGram(gram.tokens, gram.second, gram.first) for gram in listed(_more(other, one), one.number))
            differences[ones, others] = (more, *better), (fewer, *worse)
    frequency = bincount(ids[: texts.bounds[firsts[0]]], minlength=size)
    of_outputs = (np.array([counts.number for counts in kind]) for kind in (produced, confirmed))
    return NGrams(marks, over, under, differences, frequency, wanted.number, *of_outputs)


def _numbered(texts: Texts, text: NDArray[Any], most: int) -> Iterator[tuple[int, NDArray[Any], NDArray[Any]]]:
    """Yield each order, the places where its n-grams begin, and the numbers of these. From order 2 all occur twice."""
    places, grams = np.arange(len(text), dtype=np.int64), texts.ids.astype(np.int64)
    yield 1, places, grams
    for n in range(2, most + 1):
        # an n-gram that occurs twice consists of two shorter ones that do
        number = np.full(len(text) + 1, -1, dtype=np.int64)
        number[places] = np.where(bincount(grams)[grams] > 1, grams, -1)
        places = places[(number[places] >= 0) & (number[places + 1] >= 0)]
        places = places[text[places] == text[places + 1]]
        keys = number[places] * (number.max() + 1) + number[places + 1]
        grams = np.unique(keys, return_inverse=True)[1]
        yield n, places, grams


def _matches(
    texts: Texts, text: NDArray[Any], places: NDArray[Any], grams: NDArray[Any], first: int, inside: NDArray[np.bool_]
) -> tuple[Counts, NDArray[np.uint8]]:
    """Match the n-grams of the outputs.

    :param first: the first one of an output; those before are of references
    :return: how often each n-gram could match; and of each in an output 1 if it matches, :data:`CLIPPED` if it would
    """
    size, most, segment = int(grams.max(initial=-1)) + 1, texts.most_references, texts.segments[text[places]]
    # the n-grams of a segment, by its number and theirs; the reference that has one most often says how often it may match
    kinds = segment * size + grams
    reference = text[places[:first]] - texts.sets[segment[:first]]
    keys, counts = np.unique(kinds[:first] * most + reference, return_counts=True)
    keys //= most
    begins = np.flatnonzero(np.diff(keys, prepend=-1))
    keys, allowed = np.append(keys[begins], np.iinfo(np.int64).max), np.maximum.reduceat(counts, begins)
    wanted = _counts(grams[:first], size)
    wanted = wanted._replace(number=bincount(keys[:-1] % size, allowed, minlength=size).astype(np.int64))
    found = np.zeros(len(places) - first, dtype=np.uint8)
    kind = np.searchsorted(keys, kinds[first:])
    known = np.flatnonzero(keys[kind] == kinds[first:])
    output = (text[places[first + known]] - texts.text(0, 0)) // len(texts.references)
    groups = 2 * (output * len(keys) + kind[known]) + ~inside[places[first + known]]
    order = np.argsort(groups, kind="stable")
    number = np.arange(len(order), dtype=np.int64)
    begins = np.flatnonzero(np.diff(groups[order] // 2, prepend=-1))
    rank = number - repeat(begins, np.diff(begins, append=len(order)))
    found[known[order]] = np.where(rank < allowed[kind[known[order]]], 1, CLIPPED)
    return wanted, found


def _counts(grams: NDArray[Any], size: int, start: int = 0) -> Counts:
    first = np.full(size, np.iinfo(np.int64).max)
    first[grams[::-1]] = np.arange(start + len(grams) - 1, start - 1, -1, dtype=np.int64)
    return Counts(bincount(grams, minlength=size), first)


def _mean(runs: list[Counts]) -> Counts:
    if len(runs) == 1:
        return runs[0]
    return Counts(np.sum([run.number for run in runs], axis=0) / len(runs), np.min([run.first for run in runs], axis=0))


def _more(counts: Counts, others: Counts) -> Counts:
    return counts._replace(number=np.where(counts.number > others.number, counts.number, 0))


def _most_salient(counts: Counts, others: NDArray[Any]) -> list[int]:
    """Return the n-grams with the largest salience; among equals the largest count, then the first. None that was seen once."""
    grams = np.flatnonzero(counts.number > 1)
    number = counts.number[grams]
    order = np.lexsort((counts.first[grams], -number, -(number + 1) / (number + others[grams] + 2)))
    best: list[int] = grams[order[:LISTED]].tolist()
    return best
