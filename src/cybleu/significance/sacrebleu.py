"""sacreBLEU's intervals and its two significance tests, with its results to the last bit.

The tests are for comparison with sacreBLEU, and reproduce its faults: see the page on significance.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import gt
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.arrays import np
from .._runtime.samples import check_samples
from ..errors import SampleError, UnknownNameError
from ..metrics import Bleu, Chrf, Ter
from .defaults import RESAMPLES, SEED, SHUFFLES
from .paired import interval
from .products import EXACT_IN_FLOAT32
from .resampling import Shuffles, scores_of_resamples
from .systems import MetricLike, Systems, named

if TYPE_CHECKING:
    from numpy.typing import NDArray

OfSamples: TypeAlias = "Callable[[NDArray[Any]], NDArray[Any]]"

LOG_OF_ZERO = -9999999999  # as in sacreBLEU
EPSILON = 1e-16  # of its chrF
IN_FLOAT32 = int(np.__version__.split(".")[0]) >= 2  # before, a Python float converted a float32 to float64


@dataclass(frozen=True)
class SacrebleuResult:
    """The result of sacreBLEU's tests or intervals for a system, with sacreBLEU's names. Scores are from 0 to 100.

    :param score: the score of all segments
    :param p_value: the p of the comparison with the baseline, None for the baseline
    :param mean: the mean of the bootstrap samples, None without samples
    :param ci: half the length of the 95 % interval, None without samples

    >>> print(SacrebleuResult(26.7, 0.3077, 26.64, 0.7))
    26.7 (26.6 ± 0.7) (p = 0.3077)
    """

    score: float
    p_value: float | None = None
    mean: float | None = None
    ci: float | None = None

    def __str__(self) -> str:
        around = "" if self.mean is None else f" ({self.mean:.1f} ± {self.ci:.1f})"
        p = "" if self.p_value is None else f" (p = {self.p_value:.4f}){'*' if self.p_value <= 0.05 else ''}"
        return f"{self.score:.1f}{around}{p}"


def confidence(
    stats: Any,
    metric: MetricLike = None,
    *,
    samples: int = RESAMPLES,
    seed: int = SEED,
    progress: bool = False,
    **choices: Any,
) -> SacrebleuResult:
    """Estimate mean and interval of a corpus score as ``sacrebleu --confidence`` does, by bootstrap.

    sacreBLEU adds and scores in single precision. :func:`bootstrap` computes the same interval in double precision, for
    every metric.

    :param stats: the rows of the segments of one system
    :param metric: sacreBLEU's BLEU, with uniform weights, chrF or TER: a name, or a metric with other choices
    :param samples: the number of bootstrap samples
    :param seed: as sacreBLEU's ``SACREBLEU_SEED``
    :param progress: show a progress bar (requires tqdm)
    :param choices: values of fields of the metric
    :return: the score, the mean of the samples, and half the length of the 95 % interval, from 0 to 100
    :raises UnknownNameError: the metric is not one of sacreBLEU
    :raises CybleuError: as for :func:`bootstrap`

    >>> rows = [[4, 4, 3, 2, 1, 0, 4, 3, 2, 1], [5, 6, 5, 4, 3, 2, 5, 4, 3, 2]]
    >>> print(confidence(rows, samples=100))
    71.4 (67.8 ± 15.9)
    """
    systems = _of_one_run({"the system": stats}, metric, samples, seed, choices)
    found: Any = getattr(systems.scoring, "metric", None)
    if not is_of_sacrebleu(found):
        raise UnknownNameError("sacreBLEU has BLEU with uniform weights, chrF and TER; use bootstrap for other metrics")
    of_samples: OfSamples = (
        partial(score_float32, bleu=found) if isinstance(found, Bleu) else partial(_scores_float32, metric=found)
    )
    scores = _resampled(systems, of_samples, np.random.default_rng(seed), samples, progress)[0]
    ordered = np.sort(scores)
    left_out = samples // 40
    mean = scores.dtype.type(statistics.mean(ordered.astype(np.float64).tolist()))
    half = 0.5 * (ordered[samples - 1 - left_out] - ordered[left_out])
    return SacrebleuResult(found.score(systems.given[0]).score, None, float(mean), float(half))


def is_of_sacrebleu(metric: Any) -> bool:
    """Whether sacreBLEU has this metric."""
    if isinstance(metric, Bleu):
        return metric.definition.name == "sacrebleu" and metric.weights is None and metric.level != "mean"
    return isinstance(metric, (Chrf, Ter))


def paired_bs(
    systems: Any,
    metric: MetricLike = None,
    *,
    samples: int = RESAMPLES,
    seed: int = SEED,
    progress: bool = False,
    **choices: Any,
) -> dict[str, SacrebleuResult]:
    """Test each system against a baseline as ``sacrebleu --paired-bs`` does, by paired bootstrap.

    Its p counts the samples whose absolute differences are above their mean by more than the real difference. The
    result is a half to a third of the correct p, which :func:`paired_test` gives.

    :param systems: the names of the systems, the baseline first, each with the rows of its segments: a mapping, or
        pairs
    :param metric: sacreBLEU's BLEU: its name, or a :class:`cybleu.metrics.Bleu` of it with other choices
    :param samples: the number of bootstrap samples
    :param seed: as sacreBLEU's ``SACREBLEU_SEED``. For sacreBLEU 0 means no seed; here it is the seed 0
    :param progress: show a progress bar (requires tqdm)
    :param choices: options of :class:`cybleu.metrics.Bleu`
    :return: the results by the names of the systems, with scores from 0 to 100
    :raises UnknownNameError: the metric is not sacreBLEU's BLEU
    :raises CybleuError: as for :func:`compare_systems`

    >>> rows = [[[4, 4, 3, 2, 1, 0, 4, 3, 2, 1], [5, 6, 5, 4, 3, 2, 5, 4, 3, 2]], [[4, 4, 2, 1, 0, 0, 4, 3, 2, 1], [5, 6, 5, 4, 3, 2, 5, 4, 3, 2]]]
    >>> print(paired_bs({"baseline": rows[0], "system": rows[1]}, samples=100)["system"])
    61.4 (55.3 ± 29.6) (p = 0.2871)
    """
    found, bleu = _systems(systems, metric, samples, seed, choices)
    scores = _resampled(found, partial(score_float32, bleu=bleu), np.random.default_rng(seed), samples, progress)
    results = {}
    for system, name in enumerate(found.names):
        p = None
        if system:
            distances = np.abs(scores[system] - scores[0])
            real = abs(found.difference(0, system))
            p = (int((distances - distances.mean() > real).sum()) + 1) / (samples + 1)
        results[name] = SacrebleuResult(found.score(system), p, *_around(scores[system]))
    return results


def paired_ar(
    systems: Any,
    metric: MetricLike = None,
    *,
    samples: int = SHUFFLES,
    confidence_samples: int | None = None,
    seed: int = SEED,
    threads: int | None = None,
    progress: bool = False,
    **choices: Any,
) -> dict[str, SacrebleuResult]:
    """Test each system against a baseline as ``sacrebleu --paired-ar`` does, by approximate randomisation.

    Its p counts only the shuffles that differ more than the systems, not those that differ as much. So it reports
    equal systems, and systems that differ in a single segment, as significantly different. :func:`paired_test` gives the
    correct p.

    The other parameters are those of :func:`paired_bs`.

    :param confidence_samples: the number of bootstrap samples for mean and interval, as
        ``--paired-ar-confidence-n``; by default none
    :param threads: the number of threads, which does not change the result; None is one

    >>> rows = [[4, 4, 3, 2, 1, 0, 4, 3, 2, 1], [5, 6, 5, 4, 3, 2, 5, 4, 3, 2]]
    >>> print(paired_ar({"baseline": rows, "the same": rows})["the same"])
    71.4 (p = 0.0001)*
    """
    found, bleu = _systems(systems, metric, samples, seed, choices)
    if confidence_samples is not None:
        check_samples(confidence_samples, seed)
    generator = np.random.default_rng(seed)
    shuffled = found
    if bleu.smoothing == "add-k" and bleu.smoothing_value is not None:
        # sacreBLEU assigns the value to an array of integers, which truncates it
        shuffled = found.scored_by(replace(bleu, smoothing_value=float(int(bleu.smoothing_value))))
    pairs = [(0, system) for system in range(1, len(found.names))]
    real = {pair: abs(found.difference(*pair)) for pair in pairs}
    counts = Shuffles(shuffled, samples, seed, threads, progress, gt, real).sampled(pairs, generator)
    around: list[tuple[float | None, float | None]] = [(None, None)] * len(found.names)
    if confidence_samples is not None:
        of_samples = partial(score_float32, bleu=bleu)
        scores = _resampled(found, of_samples, generator, confidence_samples, progress)
        scores[0] = _resampled(found, of_samples, np.random.default_rng(seed), confidence_samples, progress)[0]
        around = list(map(_around, scores))
    p_values = [None, *((count + 1) / (samples + 1) for count in counts)]
    return {
        name: SacrebleuResult(found.score(system), p_values[system], *around[system])
        for system, name in enumerate(found.names)
    }


def _around(scores: NDArray[np.float64]) -> tuple[float | None, float | None]:
    """Return the mean of the scores of samples, and half the length of their interval."""
    low, high = interval(scores, 0.95)
    return float(np.sort(scores).mean()), 0.5 * (high - low)


def _systems(
    given: Any, metric: MetricLike, samples: int, seed: int, choices: Mapping[str, Any]
) -> tuple[Systems, Bleu]:
    found = _of_one_run(given, metric, samples, seed, choices)
    bleu = getattr(found.scoring, "metric", None)
    if not isinstance(bleu, Bleu) or not is_of_sacrebleu(bleu):
        raise UnknownNameError(
            "sacreBLEU's tests use its own BLEU, with uniform weights; use paired_test for other metrics"
        )
    return found, bleu


class _Systems(Systems):
    least = 1  # as in sacreBLEU


def _of_one_run(given: Any, metric: MetricLike, samples: int, seed: int, choices: Mapping[str, Any]) -> Systems:
    check_samples(samples, seed)
    systems = named(given, 1)
    several = [name for name, runs in systems.items() if len(runs) > 1]
    if several:
        raise SampleError(
            f"{several[0]} has several runs, and sacreBLEU's tests accept only one; use compare_systems for several"
        )
    return _Systems(systems, "sacrebleu" if metric is None else metric, None, **choices)


def _resampled(
    systems: Systems, score: OfSamples, generator: np.random.Generator, samples: int, progress: bool
) -> NDArray[Any]:
    """Score bootstrap samples as sacreBLEU does, `(systems, samples)`.

    :param score: a function from float32 sums `(tables, columns, n)` to scores `(tables, n)`
    """
    columns = systems.columns
    if columns.whole and columns.limbs == 1 and columns.largest * columns.segments < EXACT_IN_FLOAT32:
        return scores_of_resamples(columns, generator, samples, score, progress)
    # sacreBLEU's float32 sums are rounded above 2**24, and those of fractions, so these are added in the same order
    tables = [table.astype(np.float32) for table in systems.tables]
    sums = np.empty((len(tables), columns.width, samples), dtype=np.float32)
    for sample in range(samples):
        drawn = generator.integers(0, systems.segments, size=systems.segments)
        sums[:, :, sample] = [table[drawn].sum(0) for table in tables]
    return score(sums)


def _scores_float32(sums: NDArray[Any], metric: Chrf | Ter) -> NDArray[Any]:
    """Compute sacreBLEU's chrF or TER from float32 sums: `(tables, columns, n)` to `(tables, n)`.

    The numbers are scalars of NumPy, so that each operation has the type that it has in sacreBLEU.
    """
    score = partial(_chrf, metric=metric) if isinstance(metric, Chrf) else _ter
    rows = np.moveaxis(sums.astype(np.float32), 1, 2)
    return np.array([[score(list(row)) for row in table] for table in rows])


def _ter(row: Sequence[Any]) -> Any:
    edits, length = row
    return 100 * (edits / length if length > 0 else float(edits > 0))


def _chrf(row: Sequence[Any], metric: Chrf) -> Any:
    factor, orders = metric.beta**2, metric.char_order + metric.word_order
    score: Any = 0.0
    precisions: Any = 0.0
    recalls: Any = 0.0
    effective = 0
    for order in range(orders):
        of_hypothesis, of_reference, matches = row[3 * order : 3 * order + 3]
        precision = matches / of_hypothesis if of_hypothesis > 0 else EPSILON
        recall = matches / of_reference if of_reference > 0 else EPSILON
        weighted = factor * precision + recall
        score += (1 + factor) * precision * recall / weighted if weighted > 0 else EPSILON
        if of_hypothesis > 0 and of_reference > 0:
            precisions += precision
            recalls += recall
            effective += 1
    if metric.eps_smoothing:
        return 100 * score / orders
    if effective:
        precisions /= effective
        recalls /= effective
    if not precisions + recalls:
        return 0.0
    return 100 * ((1 + factor) * precisions * recalls / (factor * precisions + recalls))


def score_float32(sums: NDArray[Any], bleu: Bleu) -> NDArray[np.float64]:
    """Compute sacreBLEU's BLEU from float32 sums with the same operations: `(tables, columns, n)` to `(tables, n)`."""
    tables = len(sums)
    sums = np.moveaxis(sums, 1, 0).reshape(sums.shape[1], -1).astype(np.float32)
    order = len(sums) // 2 - 1
    matches, totals = sums[2 : 2 + order], sums[2 + order :]
    none: NDArray[np.bool_] = np.logical_not(matches.any(axis=0))
    float_type: Any = np.float32 if IN_FLOAT32 else np.float64
    rules = bleu.rules(order)
    smoothing, value = rules.smoothing, rules.value
    if smoothing == "add-k":
        matches[1:] = (matches[1:].astype(float_type) + float_type(value)).astype(np.float32)
        totals[1:] = (totals[1:].astype(float_type) + float_type(value)).astype(np.float32)
    matches, totals = matches.astype(float_type), totals.astype(float_type)
    absent: NDArray[np.bool_] = np.logical_or.accumulate(totals == 0, axis=0)
    missing = (matches == 0) & ~absent
    with np.errstate(all="ignore"):
        precisions = float_type(100) * matches / totals
        if smoothing == "exp":
            halved = 2.0 ** np.cumsum(missing, axis=0)
            precisions = np.where(missing, float_type(100) / (halved.astype(float_type) * totals), precisions)
        elif smoothing == "floor":
            precisions = np.where(missing, float_type(100.0 * value) / totals, precisions)  # type: ignore[operator]
    precisions[absent] = 0
    orders = np.full(len(none), order)
    if rules.effective_order:
        orders = np.maximum((~absent).sum(axis=0), 1)
    # as in sacreBLEU, Python computes logarithms, sums and powers
    zero = precisions == 0
    flat = np.where(zero, 1, precisions).astype(np.float64).ravel().tolist()
    logarithms = np.where(zero, LOG_OF_ZERO, np.reshape(list(map(math.log, flat)), zero.shape))
    means = np.empty(len(none))
    for scored in set(orders.tolist()):
        those = orders == scored
        means[those] = list(map(sum, logarithms[:scored, those].T.tolist()))
    penalties = [
        1.0 if length >= wanted else math.exp(1 - wanted / length) if length else 0.0
        for length, wanted in zip(*sums[:2].astype(np.int64).tolist())
    ]
    scores: NDArray[np.float64] = np.array(penalties) * np.array(list(map(math.exp, (means / orders).tolist())))
    scores[none] = 0.0
    return scores.reshape(tables, -1)
