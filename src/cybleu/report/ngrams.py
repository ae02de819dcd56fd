"""Counts and positions of the n-grams that match, in one pass over the token ids of all texts for each order.

Each distinct n-gram has a number of its own, which is not a hash. If an output has an n-gram more often than a reference, BLEU
defines how many occurrences match, but not which. Here those that are part of a longer match come first, then the earlier ones;
the others are clipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.arrays import bincount, np, repeat
from .figures import NGramDifference, NGramMiss, salience
from .texts import Text, Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray


LISTED = 10  # n-grams listed for each system of a pair
PIECE = 1 << 20  # positions whose n-grams are sorted at once, which bounds memory
Pair: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]  # the outputs of two systems
Misses: TypeAlias = tuple[tuple[NGramMiss, ...], ...]  # the n-grams of each order
Differences: TypeAlias = tuple[tuple[NGramDifference, ...], ...]


@dataclass(frozen=True)
class Matches:
    """The n-grams of one order that match.

    :param n: the order
    :param matched: for each output, whether the n-gram that begins at a token matches
    :param clipped: for each output, whether it is in a reference, but clipped
    """

    n: int
    matched: list[NDArray[np.bool_]]
    clipped: list[NDArray[np.bool_]]


@dataclass(frozen=True)
class WordCounts:
    """How often each token is in all references, how often it could match, and its counts in each output."""

    frequency: NDArray[np.int64]
    wanted: NDArray[np.int32]
    produced: list[NDArray[np.int64]]
    confirmed: list[NDArray[np.int64]]


class NGrams:
    """The n-grams that match, those that are listed, and the counts of words.

    :param most: the largest order, at most four
    :param pairs: the outputs of the two systems of each pair to compare; the mean of the outputs of a system is used
    :ivar orders: the matches of each order from 1
    :ivar over: for each output the n-grams of each order that it has too often
    :ivar under: for each output the n-grams of each order that it does not have often enough
    :ivar differences: for each pair the n-grams that match more often in the first system, and those in the second one
    """

    def __init__(self, texts: Texts, most: int, pairs: Sequence[Pair]):
        self.orders: list[Matches] = []
        self.over: list[Misses] = [()] * len(texts.outputs)
        self.under = list(self.over)
        self.differences: dict[Pair, tuple[Differences, Differences]] = dict.fromkeys(pairs, ((), ()))
        numbering = _Numbering(texts, most)
        longer = None
        for n in range(most, 0, -1):  # numbers of all orders at once would take too much memory
            order = _Order(texts, n, *numbering.of(n), longer)
            longer = order.matches
            self.orders.insert(0, longer)
            for output in range(len(texts.outputs)):
                too_often, too_rare = order.misses(output)
                self.over[output] = (too_often, *self.over[output])
                self.under[output] = (too_rare, *self.under[output])
            for pair, (better, worse) in self.differences.items():
                more, fewer = order.differences(*pair)
                self.differences[pair] = (more, *better), (fewer, *worse)
        self.words = order.word_counts()

    def levels(self, output: int, before: int = 0) -> NDArray[np.int8]:
        """Return for each token of an output the length of the longest matching n-gram that contains it.

        :param before: the number of preceding tokens that the n-gram must also contain
        """
        found = np.zeros(len(self.orders[0].matched[output]), dtype=np.int8)
        for order in self.orders:
            begins = np.flatnonzero(order.matched[output])
            for offset in range(before, order.n):
                found[begins + offset] = order.n
        return found


class _Numbering:
    """Numbers of the distinct n-grams of all texts."""

    def __init__(self, texts: Texts, most: int):
        every = [*texts.references, *texts.outputs]
        self._tokens = np.concatenate([text.ids for text in every])
        # the number of tokens from this one to the end of the line, as far as it matters
        self._left = np.concatenate(
            [
                np.minimum(
                    repeat(text.offsets[1:], text.lengths) - np.arange(len(text.ids), dtype=np.int64), most
                ).astype(np.int8)
                for text in every
            ]
        )
        self._words = len(texts.words)
        self._pairs = self._numbered(2, self._tokens, self._tokens, self._words) if most > 1 else None

    def of(self, n: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return for each position the number of its n-gram, or -1; and for each number its first position."""
        if n == 1:
            first = np.empty(self._words, dtype=np.int32)
            first[self._tokens[::-1]] = np.arange(len(self._tokens) - 1, -1, -1, dtype=np.int32)  # the last one wins
            return self._tokens, first
        assert self._pairs is not None
        if n == 2:
            return self._pairs
        numbers, first = self._pairs
        return self._numbered(n, numbers, *((self._tokens, self._words) if n == 3 else (numbers, len(first))))

    def _numbered(
        self, n: int, heads: NDArray[np.int32], tails: NDArray[np.int32], tail_count: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Number the n-grams that begin with the numbered `heads`, and end with `tails`, some heads at a time."""
        known = self._left >= n
        numbers = np.full(len(heads), -1, dtype=np.int32)
        firsts: list[NDArray[np.int32]] = [np.empty(0, dtype=np.int32)]
        count = 0
        ends = np.cumsum(bincount(heads[known]))
        low = 0
        shift = 1 if n == 2 else 2
        while low < len(ends):
            before = ends[low - 1] if low else 0
            high = max(low + 1, int(np.searchsorted(ends, before + PIECE, side="right")))
            places = np.flatnonzero(known & (heads >= low) & (heads < high))
            keys = heads[places].astype(np.int64) * tail_count + tails[places + shift]
            distinct, back = np.unique(keys, return_inverse=True)
            back = back.reshape(-1)
            first = np.empty(len(distinct), dtype=np.int32)
            first[back[::-1]] = places[::-1]  # the last assignment wins
            numbers[places] = back + count
            firsts.append(first)
            count += len(distinct)
            low = high
        return numbers, np.concatenate(firsts)


class _Order:
    """The n-grams of one order.

    :param numbers: for each position of all texts the number of its n-gram, or -1
    :param first: for each number the position where the n-gram first occurs
    :param longer: the matches of the next order
    """

    def __init__(
        self, texts: Texts, n: int, numbers: NDArray[np.int32], first: NDArray[np.int32], longer: Matches | None
    ):
        self._texts, self._first, count = texts, first, len(first)
        every = [*texts.references, *texts.outputs]
        self._ends = np.cumsum([len(text.ids) for text in every])
        of_texts = np.split(numbers, self._ends[:-1])
        self._outputs = of_texts[len(texts.references) :]
        self._of_references = of_texts[: len(texts.references)]
        known, most = _most_of_any([_keys(*of_text, count) for of_text in zip(texts.references, of_texts)])
        self._wanted = bincount(known % max(count, 1), most, count).astype(np.int32)
        self.matches = Matches(n, [], [])
        for output, (text, of_text) in enumerate(zip(texts.outputs, self._outputs)):
            there = np.flatnonzero(of_text >= 0)
            inside = np.zeros(len(of_text), dtype=np.bool_)
            if longer is not None:
                inside |= longer.matched[output]
                inside[1:] |= longer.matched[output][:-1]
            flags = np.zeros((2, len(of_text)), dtype=np.bool_)
            flags[:, there] = _matches(_keys(text, of_text, count), inside[there], known, most)
            self.matches.matched.append(flags[0])
            self.matches.clipped.append(flags[1])

    def _produced(self, output: int) -> NDArray[np.int64]:
        numbers = self._outputs[output]
        return bincount(numbers[numbers >= 0], minlength=len(self._first))

    def _confirmed(self, output: int) -> NDArray[np.int64]:
        return bincount(self._outputs[output][self.matches.matched[output]], minlength=len(self._first))

    def _mean_confirmed(self, outputs: Sequence[int]) -> NDArray[Any]:
        if len(outputs) == 1:
            return self._confirmed(outputs[0])
        mean: NDArray[np.float64] = np.mean([self._confirmed(output) for output in outputs], axis=0)
        return mean

    def misses(self, output: int) -> tuple[tuple[NGramMiss, ...], tuple[NGramMiss, ...]]:
        """Return the n-grams that an output has too often, and those that it does not have often enough."""
        produced, confirmed = self._produced(output), self._confirmed(output)
        return tuple(  # type: ignore[return-value]
            tuple(
                NGramMiss(
                    self._tokens(number), int(produced[number]), int(self._wanted[number]), int(confirmed[number])
                )
                for number in _most_salient(counts - confirmed, confirmed, self._first)
            )
            for counts in (produced, self._wanted)
        )

    def differences(
        self, first: Sequence[int], second: Sequence[int]
    ) -> tuple[tuple[NGramDifference, ...], tuple[NGramDifference, ...]]:
        """Return the n-grams that match more often in the first system, and those in the second one."""
        ones, others = self._mean_confirmed(first), self._mean_confirmed(second)
        return tuple(  # type: ignore[return-value]
            tuple(
                NGramDifference(self._tokens(number), float(ones[number]), float(others[number]))
                for number in _most_salient(more, fewer, self._first, more > fewer)
            )
            for more, fewer in ((ones, others), (others, ones))
        )

    def word_counts(self) -> WordCounts:
        """Return the counts of words, for the order 1."""
        outputs, count = range(len(self._outputs)), len(self._first)
        return WordCounts(
            bincount(np.concatenate(self._of_references), minlength=count),
            self._wanted,
            [self._produced(output) for output in outputs],
            [self._confirmed(output) for output in outputs],
        )

    def _tokens(self, number: int) -> tuple[str, ...]:
        place = int(self._first[number])
        text = int(np.searchsorted(self._ends, place, side="right"))
        ids = [*self._texts.references, *self._texts.outputs][text].ids
        begin = place - int(self._ends[text]) + len(ids)
        return tuple(str(self._texts.words[token]) for token in ids[begin : begin + self.matches.n].tolist())


def _keys(text: Text, numbers: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    """Return a key for the segment and the n-gram of each n-gram of a text."""
    there = numbers >= 0
    segments: NDArray[np.int64] = repeat(np.arange(len(text.lengths), dtype=np.int64), text.lengths)[there]
    return segments * count + numbers[there]


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
    before[order] = np.arange(len(found), dtype=np.int64) - repeat(starts, sizes)
    matches = before < most[place]
    matched[found], clipped[found] = matches, ~matches
    return matched, clipped


def _most_salient(
    counts: NDArray[Any], others: NDArray[Any], first: NDArray[np.int32], where: NDArray[np.bool_] | None = None
) -> list[int]:
    """Return the numbers with the largest salience of these counts; among equals the largest count, then the first.

    :param where: which n-grams to consider, by default those whose count is above 0
    """
    places = np.flatnonzero(counts > 0 if where is None else where)
    values = salience(counts[places], others[places])
    if len(places) > LISTED:
        enough = values >= np.partition(values, len(places) - LISTED)[len(places) - LISTED]
        places, values = places[enough], values[enough]
    order = np.lexsort((first[places], -counts[places], -values))
    return [int(place) for place in places[order[:LISTED]]]
