"""Scores of bootstrap samples, and counts of shuffles for randomisation tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import factorial
from operator import ge
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import bincount, np
from .._runtime.parallel import bar, checked_threads, run
from .draws import MOST_TABULATED, all_orders, halves, orders, resamples
from .products import Columns
from .systems import Systems, mean_of_runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Compare = Callable[[Any, Any], Any]
    Pair = tuple[int, int]

ROW = 20  # the cost of scoring a row, in the unit of `run`


def bootstrap_scores(
    systems: Systems, samples: int, seed: int, threads: int | None = None, progress: bool = False
) -> NDArray[np.float64]:
    """Score each run in each bootstrap sample; all runs share the same samples.

    :return: float64 `(runs, samples)`
    """
    checked_threads(threads)
    columns = systems.columns

    def score(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return _scored(systems, columns.numbers(sums), threads).reshape(len(sums), -1)

    return scores_of_resamples(columns, np.random.default_rng(seed), samples, score, progress)


def scores_of_resamples(
    columns: Columns,
    generator: np.random.Generator,
    samples: int,
    score: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    progress: bool = False,
) -> NDArray[np.float64]:
    """Score the sums of bootstrap samples, and return an array `(..., samples)`.

    :param score: a function from sums `(tables, limbs * columns, n)` to scores `(..., n)`
    """
    scores: NDArray[np.float64] | None = None  # allocated once, so that too little memory is found with the first block
    with bar(samples, progress, " samples") as advance:
        for start, stop, counts in resamples(generator, samples, columns.segments, columns.dtype):
            block = score(columns.sums(counts))
            if scores is None:
                scores = np.empty((*block.shape[:-1], samples), dtype=block.dtype)
            scores[..., start:stop] = block
            advance(stop - start)
    assert scores is not None  # there is at least one sample
    return scores


def _scored(systems: Systems, numbers: NDArray[Any], threads: int | None) -> NDArray[np.float64]:
    if threads is None or threads == 1:
        return systems.scoring.exact(numbers)
    result = np.empty(len(numbers))

    def work(start: int, stop: int) -> None:
        result[start:stop] = systems.scoring.exact(numbers[start:stop])

    run(work, len(numbers), ROW * len(numbers), threads, False, "samples")
    return result


class Shuffles:
    """Randomisation test of many pairs: counts shuffles in which two systems differ at least as much as they really do.

    A shuffle exchanges the outputs of two systems for random segments. If the systems have several runs, it permutes the
    runs of both systems for each segment.

    :param beyond: the comparison of a shuffle's statistic with the real one that makes the shuffle count
    :param real: the real statistic of each pair, by default the difference of the scores
    """

    def __init__(
        self,
        systems: Systems,
        samples: int,
        seed: int,
        threads: int | None,
        progress: bool,
        beyond: Compare = ge,
        real: Mapping[Pair, float] | None = None,
    ):
        self._systems = systems
        self._given = real or {}
        self._samples, self._seed = samples, seed
        self._threads = checked_threads(threads)
        self._progress = progress
        self._beyond = beyond
        self._nearly = systems.scoring.estimates(systems.columns)

    def enumerated(self, pair: Pair) -> tuple[int, int] | None:
        """Enumerate all shuffles: return how many count, and how many there are; None if there are more than samples."""
        tables = [self._systems.tables[table] for system in pair for table in self._systems.runs[system]]
        runs = len(tables)
        if runs > MOST_TABULATED:
            return None
        # whether any two runs of the pair differ in a segment
        differs = np.zeros(self._systems.segments, dtype=np.bool_)
        for table in tables[1:]:
            differs |= (table != tables[0]).any(axis=1)
        places = differs.nonzero()[0]
        count = factorial(runs) ** len(places)
        if count > self._samples:
            return None
        return self._count(all_orders(places, self._systems.segments, runs), [pair])[0], count

    def sampled(self, pairs: Sequence[Pair], generator: np.random.Generator | None = None) -> list[int]:
        """Draw shuffles, and count those that matter for each pair; pairs with the same number of runs share shuffles.

        :param generator: the random generator, by default a new one for each number of runs
        """
        kinds: dict[tuple[int, ...], list[int]] = {}
        for place, pair in enumerate(pairs):
            kinds.setdefault(tuple(len(self._systems.runs[system]) for system in pair), []).append(place)
        found = [0] * len(pairs)
        for kind, places in kinds.items():
            those = [pairs[place] for place in places]
            drawing = np.random.default_rng(self._seed) if generator is None else generator
            size = self._samples, self._systems.segments
            with bar(self._samples, self._progress, " shuffles") as advance:
                if kind == (1, 1):
                    counts = self._count_halves(_advancing(halves(drawing, *size), advance), those)
                else:
                    counts = self._count(_advancing(orders(drawing, *size, sum(kind)), advance), those)
            for place, count in zip(places, counts):
                found[place] = count
        return found

    def _real(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the real statistics minus the tolerance, `(pairs, 1)`."""
        found = [self._given[pair] if pair in self._given else abs(self._systems.difference(*pair)) for pair in pairs]
        return np.array(found)[:, None] - self._systems.scoring.tolerance

    # ------------------------------------------------------------------------------------------- two systems of one run

    def _count_halves(self, drawn: Iterable[NDArray[np.bool_]], pairs: Sequence[Pair]) -> list[int]:
        """Count shuffles with one matrix product for all pairs.

        If `S` is the sum of the segments that stay and `T` that of all segments, the sum of a shuffled system is
        `S_a + T_b - S_b`.
        """
        columns = self._systems.columns
        tables = [runs[0] for runs in self._systems.runs]
        works = []
        for first in sorted({first for first, _ in pairs}):
            places = [place for place, pair in enumerate(pairs) if pair[0] == first]
            others = [tables[pairs[place][1]] for place in places]
            real = self._real([pairs[place] for place in places])
            works.append((places, tables[first], _in_place(others), real))
        found = np.zeros(len(pairs), dtype=np.int64)
        for stay in drawn:
            stays = columns.sums(stay.astype(columns.dtype))
            leaves = columns.totals[:, :, None] - stays

            def work(start: int, stop: int, stays: Any = stays, leaves: Any = leaves) -> None:
                for places, own, others, real in works[start:stop]:
                    found[places] += self._beyonds(stays[own] + leaves[others], stays[others] + leaves[own], real)

            run(work, len(works), ROW * len(pairs) * len(stay), self._threads, False, "systems")
        return [int(count) for count in found]

    def _beyonds(
        self, ones: NDArray[np.float64], others: NDArray[np.float64], real: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Count the shuffles for each pair, with exact scores only where estimates do not decide.

        :param ones: sums of the first shuffled systems, `(pairs, columns, n)`
        :param others: sums of the second shuffled systems
        :param real: differences, `(pairs, 1)`
        """
        scoring, columns = self._systems.scoring, self._systems.columns
        if self._nearly is None:
            counts = np.zeros(len(real), dtype=np.int64)
            unclear = np.ones((len(real), ones.shape[-1]), dtype=np.bool_)
        else:
            estimates = np.abs(self._nearly(ones) - self._nearly(others)) - real
            unclear = ~(np.abs(estimates) > 4 * scoring.error)
            counts = ((estimates > 0) & ~unclear).sum(axis=1)
        pair, shuffle = unclear.nonzero()
        if len(pair):
            exact = [
                scoring.exact(columns.numbers(np.ascontiguousarray(sums[pair, :, shuffle].T)))
                for sums in (ones, others)
            ]
            counts += bincount(pair[self._beyond(np.abs(exact[0] - exact[1]), real[pair, 0])], minlength=len(counts))
        return counts

    # --------------------------------------------------------------------------------------------------- several runs

    def _count(self, drawn: Iterable[NDArray[np.uint8]], pairs: Sequence[Pair]) -> list[int]:
        """Count shuffles for any numbers of runs, which are the same for each pair."""
        systems, columns = self._systems, self._systems.columns
        own = len(systems.runs[pairs[0][0]])
        items = [
            [systems.runs[a][item] if item < own else systems.runs[b][item - own] for a, b in pairs]
            for item in range(sum(len(systems.runs[system]) for system in pairs[0]))
        ]
        real = self._real(pairs)
        found = np.zeros(len(pairs), dtype=np.int64)
        for order in drawn:
            scores = np.empty((len(items), len(pairs), len(order)))
            for slot in range(len(items)):
                sums = np.zeros(1)
                for item, tables in enumerate(items):
                    sums = sums + columns.sums((order[:, :, slot] == item).astype(columns.dtype), tables)
                scores[slot] = _scored(systems, columns.numbers(sums), self._threads).reshape(scores.shape[1:])
            statistics = np.abs(mean_of_runs(scores[:own]) - mean_of_runs(scores[own:]))
            found += self._beyond(statistics, real).sum(axis=1)
        return [int(count) for count in found]


def _in_place(places: list[int]) -> list[int] | slice:
    """Convert consecutive positions to a slice, so that indexing does not copy."""
    neighbours = places == list(range(places[0], places[0] + len(places)))
    return slice(places[0], places[-1] + 1) if neighbours else places


def _advancing(drawn: Iterator[NDArray[Any]], advance: Callable[[int], Any]) -> Iterator[NDArray[Any]]:
    for block in drawn:
        yield block
        advance(len(block))
