"""sacreBLEU's intervals and its two significance tests, with its results to the last bit.

The tests are for comparison with sacreBLEU, and reproduce its faults: see the page on significance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from operator import gt
from typing import Any

from .._runtime.arrays import Array, Floats, np
from .._runtime.numbers import check_samples
from ..errors import SampleError, UnknownNameError
from ..metrics import VARIANTS, Bleu, Chrf, Ter
from .resampling import count_shuffles, halves, interval, resamples
from .settings import RESAMPLES, SEED, TESTS
from .systems import MetricLike, OfMetric, Systems, named, validated

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
        shown = f"{self.score:.1f}"
        if self.mean is not None:
            shown += f" ({self.mean:.1f} ± {self.ci:.1f})"
        if self.p_value is not None:
            shown += f" (p = {self.p_value:.4f})"
        return f"{shown}*" if self.p_value is not None and self.p_value <= 0.05 else shown


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

    sacreBLEU fails with a TypeError if some samples of chrF have no match, or if some of TER have no reference word and
    others have some. This function returns the interval of sacreBLEU's samples then, too. For one segment, as in
    sacreBLEU, the interval has no length.

    :param stats: the rows of the segments of one system
    :param metric: sacreBLEU's BLEU, with uniform weights, chrF or TER: a name, or a metric with other choices
    :param samples: the number of bootstrap samples
    :param seed: as sacreBLEU's ``SACREBLEU_SEED``
    :param progress: show a progress bar (requires tqdm)
    :param choices: options of the metric
    :return: the score, the mean of the samples, and half the length of the 95 % interval, from 0 to 100
    :raises UnknownNameError: the metric is not one of sacreBLEU
    :raises CybleuError: for the same reasons as :func:`bootstrap`

    >>> rows = [[4, 4, 3, 2, 1, 0, 4, 3, 2, 1], [5, 6, 5, 4, 3, 2, 5, 4, 3, 2]]
    >>> print(confidence(rows, samples=100))
    71.4 (67.8 ± 15.9)
    """
    from statistics import mean  # whose import takes longer than comparing two systems

    systems, found = _validated({"the system": stats}, metric, samples, seed, choices, (Bleu, Chrf, Ter))
    scores = _resampled(systems, found, np.random.default_rng(seed), samples, progress)[0]
    # sacreBLEU rounds these differently from the mean and half of its paired tests, see `_around`
    ordered = np.sort(scores)
    middle = scores.dtype.type(mean(ordered.astype(np.float64).tolist()))
    half = 0.5 * (ordered[samples - 1 - samples // 40] - ordered[samples // 40])
    return SacrebleuResult(found.score(systems.tables[0]).score, None, float(middle), float(half))


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

    :param systems: a mapping from the name of each system to the rows of its segments, the baseline first; or pairs of
        them
    :param metric: sacreBLEU's BLEU: its name, or a :class:`cybleu.metrics.Bleu` of it with other choices
    :param samples: the number of bootstrap samples
    :param seed: as sacreBLEU's ``SACREBLEU_SEED``. For sacreBLEU 0 means no seed; here it is the seed 0
    :param progress: show a progress bar (requires tqdm)
    :param choices: options of :class:`cybleu.metrics.Bleu`
    :return: the results by the names of the systems, with scores from 0 to 100
    :raises UnknownNameError: the metric is not sacreBLEU's BLEU
    :raises CybleuError: for the same reasons as :func:`compare_systems`

    >>> rows = [[[4, 4, 3, 2, 1, 0, 4, 3, 2, 1], [5, 6, 5, 4, 3, 2, 5, 4, 3, 2]], [[4, 4, 2, 1, 0, 0, 4, 3, 2, 1], [5, 6, 5, 4, 3, 2, 5, 4, 3, 2]]]
    >>> print(paired_bs({"baseline": rows[0], "system": rows[1]}, samples=100)["system"])
    61.4 (55.3 ± 29.6) (p = 0.2871)
    """
    found, bleu = _validated(systems, metric, samples, seed, choices)
    scores = _resampled(found, bleu, np.random.default_rng(seed), samples, progress)
    distances = np.abs(scores[1:] - scores[0])
    real = np.abs(np.array(found.scores[1:]) - found.scores[0])
    beyond = distances - distances.mean(axis=1, keepdims=True) > real[:, None]
    return _results(found, beyond.sum(axis=1), samples, map(_around, scores))


def paired_ar(
    systems: Any,
    metric: MetricLike = None,
    *,
    samples: int = TESTS["randomization"],
    confidence_samples: int | None = None,
    seed: int = SEED,
    threads: int | None = None,
    progress: bool = False,
    **choices: Any,
) -> dict[str, SacrebleuResult]:
    """Test each system against a baseline as ``sacrebleu --paired-ar`` does, by approximate randomisation.

    Its p counts only the shuffles that differ more than the systems, not those that differ as much. So it reports equal
    systems, and systems that differ in a single segment, as significantly different. :func:`paired_test` gives the
    correct p.

    The other parameters are those of :func:`paired_bs`.

    :param confidence_samples: the number of bootstrap samples for mean and interval, as
        ``--paired-ar-confidence-n``; by default none
    :param threads: the number of threads, by default one; it does not affect the result

    >>> rows = [[4, 4, 3, 2, 1, 0, 4, 3, 2, 1], [5, 6, 5, 4, 3, 2, 5, 4, 3, 2]]
    >>> print(paired_ar({"baseline": rows, "the same": rows})["the same"])
    71.4 (p = 0.0001)*
    """
    found, bleu = _validated(systems, metric, samples, seed, choices)
    if confidence_samples is not None:
        check_samples(confidence_samples, seed)
    # the bootstrap samples below continue the stream of the shuffles, as in sacreBLEU
    generator = np.random.default_rng(seed)
    shuffled = found
    if bleu.smoothing == "add-k" and bleu.smoothing_value is not None:
        # sacreBLEU assigns the value to an array of integers, which truncates it
        shuffled = copy(found)  # the real differences stay
        shuffled.scoring = OfMetric(replace(bleu, smoothing_value=float(int(bleu.smoothing_value))))
    pairs = [(0, system) for system in range(1, len(found.names))]
    drawn = halves(generator, samples, found.segments, progress)
    counts = count_shuffles(shuffled, pairs, drawn, threads, gt) if pairs else ()
    around: list[Any] = [()] * len(found.names)
    if confidence_samples is not None:
        scores = _resampled(found, bleu, generator, confidence_samples, progress)
        scores[0] = _resampled(found, bleu, np.random.default_rng(seed), confidence_samples, progress)[0]
        around = list(map(_around, scores))
    return _results(found, counts, samples, around)


def _results(found: Systems, counts: Iterable[int], samples: int, around: Iterable[Any]) -> dict[str, SacrebleuResult]:
    """:param counts: of the samples that count, for each system but the baseline"""
    p_values = [None, *((int(count) + 1) / (int(samples) + 1) for count in counts)]
    results = {}
    for name, score, p, ends in zip(found.names, found.scores, p_values, around):
        results[name] = SacrebleuResult(score, p, *ends)
    return results


def _around(scores: Floats) -> tuple[float, float]:
    """Return the mean of the scores of samples, and half the length of their interval."""
    low, high = interval(scores, 0.95)
    return float(np.sort(scores).mean()), 0.5 * (high - low)


def _validated(
    given: Any,
    metric: MetricLike,
    samples: int,
    seed: int,
    choices: Mapping[str, Any],
    kinds: tuple[type, ...] = (Bleu,),
) -> tuple[Systems, Any]:
    """Validate systems of one run each, and return them with the metric, which is sacreBLEU's."""
    check_samples(samples, seed)
    systems = named(given)
    for name, runs in systems.items():
        if len(runs) > 1:
            raise SampleError(
                f"{name} has several runs, and sacreBLEU's tests accept one; use compare_systems for several"
            )
    # sacreBLEU accepts one segment
    found = validated(systems, "sacrebleu" if metric is None else metric, None, least=1, **choices)
    used = getattr(found.scoring, "metric", None)
    of_sacrebleu = isinstance(used, kinds)
    if isinstance(used, Bleu):
        of_sacrebleu = used.definition.name == "sacrebleu" and used.weights is None and used.level == "corpus"
    if not of_sacrebleu:
        raise UnknownNameError(
            "sacreBLEU tests its own BLEU, with uniform weights, and has intervals of chrF and TER; for other metrics, use "
            "bootstrap or paired_test"
        )
    return found, used


# ---------------------------------------------------------------------------------------- scores in single precision


def _resampled(
    systems: Systems, metric: Bleu | Chrf | Ter, generator: np.random.Generator, samples: int, progress: bool
) -> Array:
    """Score bootstrap samples as sacreBLEU does, `(systems, samples)`."""
    columns = systems.columns
    if columns.dtype == np.float32:
        blocks = resamples(generator, samples, columns.segments, columns.dtype, progress)
        return np.concatenate([_scores_of_sums(columns.sums(counts), metric) for counts in blocks], axis=1)
    # sacreBLEU's float32 sums are rounded above 2**24, and those of fractions, so these are added in the same order
    tables = [table.astype(np.float32) for table in systems.tables]
    sums = np.empty((len(tables), columns.width, samples), dtype=np.float32)
    for sample in range(samples):
        drawn = generator.integers(0, systems.segments, size=systems.segments)
        sums[:, :, sample] = [table[drawn].sum(0) for table in tables]
    return _scores_of_sums(sums, metric)


def _scores_of_sums(sums: Array, metric: Bleu | Chrf | Ter) -> Array:
    """Score float32 sums `(tables, columns, n)`; each operation has the type that it has in sacreBLEU."""
    tables, width, _ = sums.shape
    rows = np.moveaxis(sums.astype(np.float32), 1, 2).reshape(-1, width)
    scores = _bleus(rows, metric) if isinstance(metric, Bleu) else [metric.formula(list(row)) for row in rows]
    return np.array(scores).reshape(tables, -1)


def _bleus(rows: Array, bleu: Bleu) -> list[float]:
    """Compute sacreBLEU's BLEU of each row of float32 sums, which are changed."""
    bleu = bleu.of_width(rows.shape[1])
    float_type: Any = np.float32 if IN_FLOAT32 else np.float64
    if bleu.rules().smoothing == "add-k":
        for counts in (rows[:, 3 : 2 + bleu.order], rows[:, 3 + bleu.order :]):  # of which sacreBLEU makes float32
            counts[:] = counts.astype(float_type) + float_type(bleu.rules().value)
        bleu = replace(bleu, smoothing="none", smoothing_value=None)
    matches = rows[:, 2 : 2 + bleu.order].astype(float_type)
    totals = rows[:, 2 + bleu.order :]
    # nearly all samples have a match of each order, so that nothing is smoothed; the metric scores the others
    plain = bleu.definition == VARIANTS["sacrebleu"]  # a changed definition may have the same name
    complete: Any = matches.all(axis=1)
    with np.errstate(all="ignore"):
        precisions = float_type(100) * matches / totals
    lengths = rows[:, :2].astype(np.int64)

    scores = []
    for row, (length, reference_length), of_orders, is_complete in zip(
        rows, lengths.tolist(), precisions.tolist(), complete
    ):
        if plain and is_complete:
            penalty = 1.0 if length >= reference_length else math.exp(1 - reference_length / length)
            scores.append(penalty * math.exp(sum(map(math.log, of_orders)) / bleu.order))
        else:
            scores.append(bleu.scorer.formula.evaluate([length, reference_length, *row[2:]])[0])
    return scores
