"""Random samples in blocks, the scores of bootstrap samples, and counts of shuffles for randomisation tests.

The stream of a seed does not depend on the size of the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from math import factorial
from operator import ge
from typing import Any, TypeAlias

from .._runtime.arrays import Array, Floats, Integers, np
from .._runtime.parallel import bar, run
from .settings import Settings
from .systems import Systems, mean_of_runs

Pair: TypeAlias = tuple[int, int]

CELLS = 1 << 20  # samples * segments in a block; bounds memory for any number of samples
MOST_ROWS = 512  # so that the results of a block stay in the processor's cache
WORD = 32  # the generator makes one boolean of each bit
MOST_TABULATED = 8  # the table has 8! permutations
ROW = 20  # the cost of scoring a row, in the unit of `run`


def blocks(samples: int, segments: int, progress: bool = False, unit: str = " samples") -> Iterator[tuple[int, int]]:
    """Yield where blocks of samples begin and end."""
    size = max(1, min(MOST_ROWS, CELLS // segments))
    with bar(samples, progress, unit) as advance:
        for start in range(0, samples, size):
            stop = min(int(samples), start + size)
            yield start, stop
            advance(stop - start)


def resamples(
    generator: np.random.Generator, samples: int, segments: int, dtype: np.dtype[Any], progress: bool = False
) -> Iterator[Array]:
    """Draw bootstrap samples in blocks: how often each contains each segment, `(samples, segments)`.

    The samples are those of ``generator.choice(segments, size=(samples, segments))``.
    """
    for start, stop in blocks(samples, segments, progress):
        counts = np.empty((stop - start, segments), dtype=dtype)
        # of the type that bincount takes as it is; numbers of 32 bits come from the same stream as those of 64
        drawn: Any = generator.integers(0, segments, size=counts.shape, dtype=np.intp)
        for row, places in zip(counts, drawn):
            row[:] = np.bincount(places, minlength=segments)
        yield counts


def bootstrap_scores(systems: Systems, settings: Settings) -> Floats:
    """Score each run in each bootstrap sample; all runs share the same samples.

    :return: float64 `(runs, samples)`
    """
    columns = systems.columns
    generator = np.random.default_rng(settings.seed)
    drawn = resamples(generator, settings.resamples, columns.segments, columns.dtype, settings.progress)
    scores = [_scored(systems, columns.sums(counts), settings.threads) for counts in drawn]
    return np.concatenate(scores, axis=1)


def _scored(systems: Systems, sums: Floats, threads: int | None) -> Floats:
    """Score sums `(tables, limbs * columns, n)`, and return an array `(tables, n)`."""
    numbers = systems.columns.numbers(sums)
    result = np.empty(len(numbers))

    def work(start: int, stop: int) -> None:
        result[start:stop] = systems.scoring.exact(numbers[start:stop])

    run(work, len(numbers), ROW * len(numbers), threads, False, "samples")
    return result.reshape(len(sums), -1)


def interval(scores: Floats, confidence: float) -> tuple[float, float]:
    """Return the ends of the percentile interval; at 95 % they equal those of sacreBLEU."""
    left_out = int(len(scores) * (1 - confidence) / 2 + 1e-9)
    ordered = np.sort(scores)
    return float(ordered[left_out]), float(ordered[len(scores) - 1 - left_out])


def mean_and_deviation(scores: Floats) -> tuple[float, float]:
    """Return mean and standard deviation (n - 1; 0 for a single score)."""
    # a power of two, so that the division is exact
    unit = 2.0 ** max(int(np.frexp(np.abs(scores).max())[1]), -1000)  # so that squares and sums do not overflow
    scaled = np.sort(scores) / unit
    return float(scaled.mean() * unit), float(scaled.std(ddof=1) * unit) if len(scores) > 1 else 0.0


# ------------------------------------------------------------------------------------------------------------------- tests


def p_values(
    systems: Systems,
    pairs: Sequence[Pair],
    settings: Settings,
    of_samples: Sequence[Floats],
) -> list[tuple[float, int, bool]]:
    """Test pairs: p, the number of samples, and whether these are all possible shuffles.

    :param of_samples: the scores of each system in bootstrap samples, for tests by bootstrap
    """
    samples: Any = settings.samples
    found: dict[Pair, tuple[float, int, bool]] = {}
    if settings.test == "randomization":
        for pair in pairs:
            if of_all := enumerated(systems, pair, samples, settings.threads):
                found[pair] = of_all
        others = [pair for pair in pairs if pair not in found]
        counts = _sampled(systems, others, settings)
    else:
        others = [*pairs]
        counts = [_beyond(systems, pair, settings.test, of_samples[pair[0]] - of_samples[pair[1]]) for pair in pairs]
    for pair, count in zip(others, counts):
        found[pair] = (count + 1) / (samples + 1), samples, False
    return [found[pair] for pair in pairs]


def _beyond(systems: Systems, pair: Pair, test: str, differences: Floats) -> int:
    """Count the bootstrap samples that speak against the difference of two systems.

    :param differences: those of the systems in the samples
    """
    real = systems.scores[pair[0]] - systems.scores[pair[1]]
    tolerance = systems.scoring.tolerance
    if test == "win-ratio":
        sign = np.sign(real) if abs(real) > tolerance else 0.0
        return int((differences * sign <= tolerance).sum())
    return int((np.abs(differences - real) >= abs(real) - tolerance).sum())


# ------------------------------------------------------------------------------------------------------------- shuffles
# A shuffle exchanges the outputs of two systems for random segments. If the systems have several runs, it permutes the runs of
# both systems for each segment. A shuffle counts if the systems then differ at least as much as they really do.


def enumerated(systems: Systems, pair: Pair, samples: int, threads: int | None) -> tuple[float, int, bool] | None:
    """Enumerate all shuffles: return p, their number, and True; None if there are more than samples."""
    first, *others = [systems.tables[table] for system in pair for table in systems.runs[system]]
    runs = 1 + len(others)
    if runs > MOST_TABULATED:
        return None
    # the segments in which any two runs of the pair differ
    places = np.any([(table != first).any(axis=1) for table in others], axis=0).nonzero()[0]
    count = factorial(runs) ** len(places)
    if count > samples:
        return None
    counted = count_shuffles(systems, [pair], all_orders(places, systems.segments, runs), threads)
    return counted.item() / count, count, True


def _sampled(systems: Systems, pairs: Sequence[Pair], settings: Settings) -> list[int]:
    """Draw shuffles, and count those that matter for each pair; pairs with the same number of runs share shuffles."""
    samples: Any = settings.samples
    alike: dict[tuple[int, ...], list[int]] = {}
    for place, pair in enumerate(pairs):
        alike.setdefault(tuple(len(systems.runs[system]) for system in pair), []).append(place)
    found = np.zeros(len(pairs), dtype=np.int64)
    for runs, places in alike.items():
        generator = np.random.default_rng(settings.seed)
        if runs == (1, 1):
            drawn = halves(generator, samples, systems.segments, settings.progress)
        else:
            drawn = orders(generator, samples, systems.segments, sum(runs), settings.progress)
        found[places] = count_shuffles(systems, [pairs[place] for place in places], drawn, settings.threads)
    return found.tolist()


def count_shuffles(
    systems: Systems,
    pairs: Sequence[Pair],
    drawn: Iterable[Array],
    threads: int | None,
    beyond: Callable[[Any, Any], Any] = ge,
) -> Integers:
    """Count the shuffles that matter for pairs whose systems have the same numbers of runs.

    In each place there is one run of each segment, and in all places together there are all runs. So the sum of the
    last place is what the others leave, and the sum of a place is that of the last run, plus what the segments of other
    runs gain.

    :param drawn: blocks of shuffles: which run is in each place, `(places, shuffles, segments)`
    :param beyond: the comparison of a shuffle's statistic with the real one that makes the shuffle count
    """
    columns = systems.columns
    own = len(systems.runs[pairs[0][0]])
    tables = np.array([systems.runs[first] + systems.runs[second] for first, second in pairs]).T
    differences = [[systems.scores[first] - systems.scores[second]] for first, second in pairs]
    real = np.abs(differences) - systems.scoring.tolerance
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
    return counts


def halves(generator: np.random.Generator, samples: int, segments: int, progress: bool) -> Iterator[Array]:
    """Draw shuffles of two runs, as :func:`orders`, but only which run is in the first place.

    They are drawn as by ``generator.integers(2, size=(samples, segments), dtype=bool)``, which consumes whole words.
    """
    left = np.empty(0, dtype=np.uint8)
    for start, stop in blocks(samples, segments, progress, " shuffles"):
        count = (stop - start) * segments
        words = -(-(count - len(left)) // WORD)
        bits = np.unpackbits(np.frombuffer(generator.bytes(WORD // 8 * words), np.uint8), bitorder="little")
        drawn, left = np.split(np.concatenate([left, bits]), [count])
        yield drawn.reshape(1, -1, segments)


def orders(generator: np.random.Generator, samples: int, segments: int, runs: int, progress: bool) -> Iterator[Array]:
    """Draw which run is in each place, for each segment of each shuffle: `(places, shuffles, segments)`."""
    every = tabulated(runs) if runs <= MOST_TABULATED else None
    for start, stop in blocks(samples, segments * runs, progress, " shuffles"):
        shape = stop - start, segments
        if every is not None:
            yield np.take(every.T, generator.integers(len(every), size=shape), axis=1)
        else:
            each = np.broadcast_to(np.arange(runs, dtype=np.uint8), (*shape, runs))
            yield np.moveaxis(generator.permuted(each, axis=2), 2, 0)


def all_orders(places: Integers, segments: int, runs: int) -> Iterator[Array]:
    """Enumerate the shuffles of the segments at these positions, as :func:`orders`; other segments stay."""
    every = tabulated(runs)
    for start, stop in blocks(len(every) ** len(places), segments * runs):
        shuffles = np.arange(start, stop, dtype=np.int64)
        block = np.empty((runs, stop - start, segments), dtype=np.uint8)
        block[:] = every[0][:, None, None]
        for place in places.tolist():
            shuffles, chosen = np.divmod(shuffles, len(every))
            block[:, :, place] = every[chosen].T
        yield block


def tabulated(runs: int) -> Array:
    """Return a table of all permutations of this many items, the identity first."""
    return np.array(list(permutations(range(runs))), dtype=np.uint8)
