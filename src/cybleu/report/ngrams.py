"""Counts and positions of the n-grams that match, in one pass over the token ids of all texts for each order.

Each distinct n-gram has a number of its own, which is not a hash. If an output has an n-gram more often than a reference, BLEU
defines how many occurrences match, but not which. Here those that are part of a longer match come first, then the earlier ones;
the others are clipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np
from .figures import NGramDifference, NGramMiss
from .texts import Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray


LISTED = 10  # n-grams listed for each system of a pair
Differences = tuple[tuple[NGramDifference, ...], ...]  # the n-grams of each order


@dataclass(frozen=True)
class Order:
    """The n-grams of one order.

    :param n: the order
    :param first: for each number the position where the n-gram first occurs in the texts
    :param confirmed: matches of each n-gram, `(outputs, numbers)`
    :param produced: occurrences in the outputs, `(outputs, numbers)`
    :param wanted: how many could match: the largest count in one reference, summed over the segments, `(numbers,)`
    :param matched: for each output, whether the n-gram that begins at a token matches
    :param clipped: for each output, whether it is in a reference, but clipped
    """

    n: int
    first: NDArray[np.int64]
    confirmed: NDArray[np.int32]
    produced: NDArray[np.int32]
    wanted: NDArray[np.int64]
    matched: list[NDArray[np.bool_]]
    clipped: list[NDArray[np.bool_]]


class NGrams:
    """The n-grams of all texts, for each order.

    :param most: the largest order
    :ivar orders: the orders from 1
    """

    def __init__(self, texts: Texts, most: int):
        self._texts = texts
        self._tokens = np.concatenate(texts.ids)
        sizes = [len(ids) for ids in texts.ids]
        self._ends = np.cumsum(sizes)
        every = [*texts.references, *texts.outputs]
        self._segments = [np.repeat(np.arange(texts.segments, dtype=np.int64), text.lengths) for text in every]
        # the number of tokens from this one to the end of the line
        self._left = np.concatenate(
            [
                np.repeat(np.cumsum(text.lengths), text.lengths) - np.arange(size, dtype=np.int64)
                for text, size in zip(every, sizes)
            ]
        )
        numbered = []
        numbers, first = _numbered(self._tokens, np.ones(len(self._tokens), dtype=np.bool_))
        for n in range(1, most + 1):
            if n > 1:
                there = self._left >= n
                shorter = np.where(there, numbers, 0)
                following = np.zeros_like(shorter)
                following[there] = self._tokens[np.flatnonzero(there) + n - 1]
                numbers, first = _numbered(shorter * len(texts.words) + following, there)
            numbered.append((numbers, first))
        self.orders: list[Order] = []
        longer: Order | None = None
        for n in range(most, 0, -1):
            longer = self._order(n, *numbered[n - 1], longer)
            self.orders.insert(0, longer)

    def words(self, order: Order, number: int) -> tuple[str, ...]:
        """Return the tokens of an n-gram."""
        begin = int(order.first[number])
        return tuple(str(self._texts.words[token]) for token in self._tokens[begin : begin + order.n].tolist())

    def misses(self, order: Order, output: int, counts: NDArray[Any]) -> tuple[NGramMiss, ...]:
        """Return the n-grams that an output has too often, or not often enough, with the largest counts first.

        :param counts: for each n-gram how often it is superfluous or missing
        """
        return tuple(
            NGramMiss(
                self.words(order, number),
                int(order.produced[output, number]),
                int(order.wanted[number]),
                int(order.confirmed[output, number]),
            )
            for number in _largest(counts, order.first)
        )

    def differences(self, first: list[int], second: list[int]) -> tuple[Differences, Differences]:
        """Return for each order the n-grams that match more often in the first system, and those in the second one.

        :param first: the outputs of the first system, whose mean is used
        """
        better: list[tuple[NGramDifference, ...]] = []
        worse: list[tuple[NGramDifference, ...]] = []
        for order in self.orders:
            ones, others = (
                order.confirmed[outputs].mean(axis=0) if len(outputs) > 1 else order.confirmed[outputs[0]]
                for outputs in (first, second)
            )
            for found, sign in ((better, 1), (worse, -1)):
                numbers = _largest(sign * (ones - others), order.first)
                found.append(
                    tuple(
                        NGramDifference(self.words(order, number), float(ones[number]), float(others[number]))
                        for number in numbers
                    )
                )
        return tuple(better), tuple(worse)

    def frequencies(self) -> NDArray[np.int64]:
        """Count each token in all references."""
        references = self._tokens[: self._ends[len(self._texts.references) - 1]]
        return np.bincount(references, minlength=len(self._texts.words))

    def _order(self, n: int, numbers: NDArray[np.int64], first: NDArray[np.int64], longer: Order | None) -> Order:
        count = len(first)
        of_texts = np.split(numbers, self._ends[:-1])
        keys = [
            segments[of_text >= 0] * count + of_text[of_text >= 0]
            for segments, of_text in zip(self._segments, of_texts)
        ]
        references = len(self._texts.references)
        known, most = _most_of_any(keys[:references])
        wanted = np.bincount(known % count, most, count).astype(np.int64) if count else np.zeros(0, np.int64)
        outputs = len(self._texts.outputs)
        confirmed = np.zeros((outputs, count), dtype=np.int32)
        produced = np.zeros((outputs, count), dtype=np.int32)
        matched, clipped = [], []
        for output in range(outputs):
            own, of_text = keys[references + output], of_texts[references + output]
            there = np.flatnonzero(of_text >= 0)
            inside = np.zeros(len(of_text), dtype=np.bool_)
            if longer is not None:
                inside |= longer.matched[output]
                inside[1:] |= longer.matched[output][:-1]
            matches, too_often = _matches(own, inside[there], known, most)
            flags = np.zeros((2, len(of_text)), dtype=np.bool_)
            flags[0, there], flags[1, there] = matches, too_often
            matched.append(flags[0])
            clipped.append(flags[1])
            confirmed[output] = np.bincount(of_text[flags[0]], minlength=count)
            produced[output] = np.bincount(of_text[there], minlength=count)
        return Order(n, first, confirmed, produced, wanted, matched, clipped)

    def levels(self, output: int, before: int = 0) -> NDArray[np.int64]:
        """Return for each token of an output the length of the longest matching n-gram that contains it.

        :param before: the number of preceding tokens that the n-gram must also contain
        """
        found = np.zeros(len(self._texts.ids[len(self._texts.references) + output]), dtype=np.int64)
        for order in self.orders:
            begins = np.flatnonzero(order.matched[output])
            for offset in range(before, order.n):
                found[begins + offset] = order.n
        return found


def _numbered(keys: NDArray[np.int64], there: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the keys: for each position the number of its key, or -1 without a key; for each number its first position."""
    numbers = np.full(len(keys), -1, dtype=np.int64)
    places = np.flatnonzero(there)
    known, back = np.unique(keys[places], return_inverse=True)
    back = back.reshape(-1)
    numbers[places] = back
    first = np.empty(len(known), dtype=np.int64)
    first[back[::-1]] = places[::-1]  # the last assignment wins
    return numbers, first


def _most_of_any(references: list[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sorted keys of all references, and the largest count of each in one reference."""
    counted = [np.unique(keys, return_counts=True) for keys in references]
    if len(counted) == 1:
        return counted[0]
    keys = np.concatenate([keys for keys, _ in counted])
    counts = np.concatenate([counts for _, counts in counted])
    known, place = np.unique(keys, return_inverse=True)
    most = np.zeros(len(known), dtype=np.int64)
    np.maximum.at(most, place.reshape(-1), counts)
    return known, most


def _matches(
    own: NDArray[np.int64], inside: NDArray[np.bool_], known: NDArray[np.int64], most: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Decide which n-grams of an output match, and which are clipped.

    :param inside: whether each is part of a longer match
    """
    matched, clipped = np.zeros((2, len(own)), dtype=np.bool_)
    if not len(own) or not len(known):
        return matched, clipped
    place = np.minimum(np.searchsorted(known, own), len(known) - 1)
    found = np.flatnonzero(known[place] == own)
    place = place[found]
    if not len(found):
        return matched, clipped
    order = np.argsort(2 * place + ~inside[found], kind="stable")
    ordered = place[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    sizes = np.diff(np.concatenate([starts, [len(found)]]))
    before = np.empty(len(found), dtype=np.int64)  # the number of equal n-grams before it
    before[order] = np.arange(len(found), dtype=np.int64) - np.repeat(starts, sizes)
    matches = before < most[place]
    matched[found], clipped[found] = matches, ~matches
    return matched, clipped


def _largest(counts: NDArray[Any], first: NDArray[np.int64]) -> list[int]:
    """Return the numbers with the largest counts above 0; among equal counts, the first in the texts."""
    places = np.flatnonzero(counts > 0)
    if len(places) > LISTED:
        least = np.partition(counts[places], len(places) - LISTED)[len(places) - LISTED]
        places = places[counts[places] >= least]
    order = np.lexsort((first[places], -counts[places]))
    return [int(place) for place in places[order[:LISTED]]]
