"""Scores of bootstrap samples, and counts of shuffles for randomisation tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import factorial
from operator import ge
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np
from .._runtime.parallel import bar, checked_threads, run
from .draws import MOST_TABULATED, all_orders, halves, orders, resamples
from .products import Columns
from .settings import Settings
from .systems import Systems, mean_of_runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Pair = tuple[int, int]

ROW = 20  # the cost of scoring a row, in the unit of `run`


def bootstrap_scores(systems: Systems, settings: Settings) -> NDArray[np.float64]:
    """Score each run in each bootstrap sample; all runs share the same samples.

    :return: float64 `(runs, samples)`
    """
    checked_threads(settings.threads)
    return scores_of_resamples(
        systems.columns,
        np.random.default_rng(settings.seed),
        settings.resamples,
        lambda sums: _scored(systems, sums, settings.threads),
        settings.progress,
    )


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


def _scored(systems: Systems, sums: NDArray[np.float64], threads: int | None) -> NDArray[np.float64]:
    """Score sums `(tables, limbs * columns, n)`, and return an array `(tables, n)`."""
    numbers = systems.columns.numbers(sums)
    result = np.empty(len(numbers))

    def work(start: int, stop: int) -> None:
        result[start:stop] = systems.scoring.exact(numbers[start:stop])

    run(work, len(numbers), ROW * len(numbers), threads, False, "samples")
    return result.reshape(len(sums), -1)


# ------------------------------------------------------------------------------------------------------------- shuffles
# A shuffle exchanges the outputs of two systems for random segments. If the systems have several runs, it permutes the runs of
# both systems for each segment. A shuffle counts if the systems then differ at least as much as they really do.


def enumerated(systems: Systems, pair: Pair, samples: int, threads: int | None) -> tuple[int, int] | None:
    """Enumerate all shuffles: return how many count, and how many there are; None if there are more than samples."""
    first, *others = [systems.tables[table] for system in pair for table in systems.runs[system]]
    runs = 1 + len(others)
    if runs > MOST_TABULATED:
        return None
    # the segments in which any two runs of the pair differ
    places = np.any([(table != first).any(axis=1) for table in others], axis=0).nonzero()[0]
    count = factorial(runs) ** len(places)
    if count > samples:
        return None
    return int(_count(systems, [pair], all_orders(places, systems.segments, runs), threads)[0]), count


def sampled(
    systems: Systems,
    pairs: Sequence[Pair],
    settings: Settings,
    generator: Callable[[], np.random.Generator],
    beyond: Callable[[Any, Any], Any] = ge,
) -> list[int]:
    """Draw shuffles, and count those that matter for each pair; pairs with the same number of runs share shuffles.

    :param settings: the samples, the threads and the progress bar
    :param generator: return the random generator, for each number of runs
    :param beyond: the comparison of a shuffle's statistic with the real one that makes the shuffle count
    """
    samples: Any = settings.samples
    alike: dict[tuple[int, ...], list[int]] = {}
    for place, pair in enumerate(pairs):
        alike.setdefault(tuple(len(systems.runs[system]) for system in pair), []).append(place)
    found = np.zeros(len(pairs), dtype=np.int64)
    for runs, places in alike.items():
        if runs == (1, 1):
            drawn = halves(generator(), samples, systems.segments)
        else:
            drawn = orders(generator(), samples, systems.segments, sum(runs))
        with bar(samples, settings.progress, " shuffles") as advance:
            chosen = [pairs[place] for place in places]
            found[places] = _count(systems, chosen, drawn, settings.threads, beyond, advance)
    return found.tolist()


def _count(
    systems: Systems,
    pairs: Sequence[Pair],
    drawn: Iterable[NDArray[Any]],
    threads: int | None,
    beyond: Callable[[Any, Any], Any] = ge,
    advance: Callable[[int], Any] = int,
) -> NDArray[np.int64]:
    """Count the shuffles of pairs whose systems have the same numbers of runs.

    In each place there is one run of each segment, and in all places together there are all runs. So the sum of the
    last place is what the others leave, and the sum of a place is that of the last run, plus what the segments of other
    runs gain.

    :param drawn: blocks of shuffles: which run is in each place, `(places, shuffles, segments)`
    """
    columns = systems.columns
    own = len(systems.runs[pairs[0][0]])
    tables = np.array([systems.runs[first] + systems.runs[second] for first, second in pairs]).T
    real = np.array([[abs(systems.difference(*pair))] for pair in pairs]) - systems.scoring.tolerance
    counts = np.zeros(len(pairs), dtype=np.int64)
    last = len(tables) - 1
    for block in drawn:
        left = columns.totals[tables].sum(axis=0)[:, :, None]  # of the places that are not scored yet
        scores = []
        for place in range(last):
            gains = [columns.gains((block[place] == run).astype(columns.dtype)) for run in range(last)]
            sums = columns.totals[tables[last], :, None]
            for tables_of_run, gain in zip(tables, gains):
                sums = sums + gain[tables_of_run] - gain[tables[last]]
            left = left - sums
            scores.append(_scored(systems, sums, threads))
        scores.append(_scored(systems, left, threads))
        statistics = np.abs(mean_of_runs(np.array(scores[:own])) - mean_of_runs(np.array(scores[own:])))
        counts += beyond(statistics, real).sum(axis=1)
        advance(len(block))
    return counts
