"""Bootstrap intervals of a system, and paired tests of two systems."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._runtime.arrays import Floats
from .._runtime.html import html_text
from ..metrics.operations import percent
from .resampling import bootstrap_scores, interval, mean_and_deviation, p_values
from .settings import CONFIDENCE, RESAMPLES, SEED, Settings
from .systems import MetricLike, mean_of_runs, runs_of, validated


@dataclass(frozen=True)
class Bootstrap:
    """The scores of a system on bootstrap samples of its segments; ``print`` shows score, mean and interval.

    :param score: the score of the system, or the mean of several runs; all scores are on the metric's scale
    :param mean: the mean of the samples' scores
    :param deviation: the standard deviation of the samples' scores (n - 1)
    :param low: the lower end of the percentile interval
    :param high: the upper end of the interval
    :param confidence: the confidence of the interval, between 0 and 1
    :param scores: the scores of the samples, float64 `(samples,)`; for several runs their mean
    :param seed: the seed of the samples
    :param scale: the score of a perfect match, or None if it is not known; if it is known, ``print`` shows scores from
        0 to 100
    :param signature: the definition in one line

    >>> import numpy
    >>> result = bootstrap(numpy.array([0.5, 0.25, 1.0, 0.75]), samples=100, scale=1)
    >>> print(result)
    62.50 (61.44 ± 28.12), 95 % of 100 samples from 31.25 to 87.50
    """

    score: float
    mean: float
    deviation: float
    low: float
    high: float
    confidence: float
    scores: Floats = field(repr=False, compare=False)  # arrays have no truth value
    seed: int
    scale: float | None
    signature: str

    @property
    def ci(self) -> float:
        """Half the length of the interval, which sacreBLEU prints after ``±``."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        numbers = self.score, self.mean, self.ci, self.low, self.high
        score, mean, ci, low, high = (f"{percent(number, self.scale or 100):.2f}" for number in numbers)
        return (
            f"{score} ({mean} ± {ci}), {100 * self.confidence:g} % of {len(self.scores)} samples from {low} to {high}"
        )

    def _repr_html_(self) -> str:
        return html_text(self)


def bootstrap(
    stats: Any,
    metric: MetricLike = None,
    *,
    samples: int = RESAMPLES,
    seed: int = SEED,
    confidence: float = CONFIDENCE,
    scale: float | None = None,
    threads: int | None = None,
    progress: bool = False,
    **choices: Any,
) -> Bootstrap:
    """Estimate the confidence interval of a corpus score by bootstrap resampling (Koehn 2004).

    Each sample has as many segments as the corpus, drawn with replacement. The samples are those of
    ``numpy.random.default_rng(seed).choice(n, size=(samples, n))``.

    :param stats: the rows of the segments, integers `(n, columns)`; or a score for each segment, floats `(n,)`, whose
        mean is the score; or several runs of a system, as a list of such arrays or as an array with three dimensions
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts, by default ``sacrebleu``, or the
        mean if `stats` are scores; or a function that takes the sum of all rows, an array `(columns,)`, and returns a
        score
    :param samples: the number of samples, at most 100,000,000
    :param seed: the seed of the samples
    :param confidence: the confidence of the interval, between 0 and 1. The interval of n sorted scores omits n (1 -
        confidence) / 2 at each end, rounded down
    :param scale: the score of a perfect match, for a function or for scores; printed numbers are then from 0 to 100
    :param threads: the number of threads, by default one; it does not affect the result
    :param progress: show a progress bar (requires tqdm)
    :param choices: options of :class:`cybleu.metrics.Bleu`, or of the metric
    :return: score, mean, deviation and interval, on the scale of the metric
    :raises EmptyCorpusError: there is no segment
    :raises SampleError: there is only one segment, no sample, a negative seed, or a confidence that is not between 0
        and 1
    :raises ArrayValueError: a number is not finite
    :raises CybleuError: the rows are invalid

    >>> import cybleu
    >>> references = ["the cat sat", "it rains a lot", "so it is"]
    >>> rows = cybleu.rows(["a cat sat", "it rains a lot", "so it was"], references)
    >>> result = bootstrap(rows, samples=200)
    >>> round(result.score, 2), round(result.low, 2), round(result.high, 2)
    (73.11, 0.0, 100.0)
    """
    settings = Settings(resamples=samples, seed=seed, confidence=confidence, threads=threads, progress=progress)
    systems = validated({"the system": runs_of(stats, "the system")}, metric, scale, **choices)
    scores = mean_of_runs(bootstrap_scores(systems, settings))
    mean, deviation = mean_and_deviation(scores)
    low, high = interval(scores, settings.confidence)
    return Bootstrap(
        score=systems.scores[0],
        mean=mean,
        deviation=deviation,
        low=low,
        high=high,
        confidence=settings.confidence,
        scores=scores,
        seed=seed,
        scale=systems.scoring.scale,
        signature=systems.scoring.signature,
    )


@dataclass(frozen=True)
class PairedTest:
    """The result of a significance test of two systems; ``print`` shows it in a sentence.

    :param difference: the first score minus the second, on the metric's scale
    :param p: the probability of such a large difference if neither system is better (two-sided; for ``win-ratio``
        one-sided)
    :param test: the name of the test
    :param samples: the number of shuffles or bootstrap samples that `p` is based on
    :param enumerated: whether these are all possible shuffles, so that `p` is exact
    :param wins: for tests on bootstrap samples, the share of the samples in which the first system scores higher;
        otherwise None. `losses` is the share in which it scores lower
    :param seed: the seed of the samples
    :param scale: the score of a perfect match, or None if it is not known
    :param signature: definition, test, samples and seed in one line

    >>> print(paired_test([0.5, 0.7, 0.2, 0.9], [0.4, 0.6, 0.3, 0.6], scale=1))
    a difference of 10.00 has p = 0.5000 by randomization, all 16 shuffles
    """

    difference: float
    p: float
    test: str
    samples: int
    enumerated: bool
    wins: float | None
    losses: float | None
    seed: int
    scale: float | None
    signature: str

    def __str__(self) -> str:
        won = ""
        if self.wins is not None and self.losses is not None:
            won = f"; the first wins in {100 * self.wins:.1f} % and loses in {100 * self.losses:.1f} %"
        looked_at = f"all {self.samples} shuffles" if self.enumerated else f"{self.samples} samples, seed {self.seed}"
        difference = f"{percent(self.difference, self.scale or 100):.2f}"
        return f"a difference of {difference} has p = {self.p:.4f} by {self.test}, {looked_at}{won}"

    def _repr_html_(self) -> str:
        return html_text(self)


def paired_test(
    first: Any,
    second: Any,
    metric: MetricLike = None,
    *,
    test: str = "randomization",
    samples: int | None = None,
    seed: int = SEED,
    scale: float | None = None,
    threads: int | None = None,
    progress: bool = False,
    **choices: Any,
) -> PairedTest:
    """Test whether the difference between two systems on the same segments is significant.

    ``randomization``
        Approximate randomisation, two-sided (Noreen 1989; Riezler and Maxwell 2005). A shuffle exchanges the outputs of
        the systems for randomly chosen segments. If in k of n shuffles the difference of the scores is at least as large
        as the observed difference, p = (k + 1) / (n + 1). If only a few segments differ, every possible shuffle is used
        once, and p = k / n. If a system has several runs, each shuffle permutes the runs of both systems for each
        segment, and the mean scores of the runs are compared (Clark et al. 2011).
    ``shifted-bootstrap``
        Two-sided (Noreen 1989; Riezler and Maxwell 2005). In k of n bootstrap samples, the difference is at least as far
        from the observed difference as the observed difference is from 0; p = (k + 1) / (n + 1).
    ``win-ratio``
        One-sided (Koehn 2004). In k of n bootstrap samples, the better system is not better; p = (k + 1) / (n + 1).

    :param first: the rows or scores of the first system, see `stats` of :func:`bootstrap`
    :param second: the rows or scores of the other system, for the same segments in the same order
    :param metric: see :func:`bootstrap`
    :param test: one of these names
    :param samples: the number of shuffles or bootstrap samples, by default 10,000 shuffles or 1,000 samples; at most
        100,000,000
    :param seed: the seed of the samples
    :param scale: see :func:`bootstrap`
    :param threads: the number of threads, by default one; it does not affect the result
    :param progress: show a progress bar (requires tqdm)
    :param choices: options of :class:`cybleu.metrics.Bleu`, or of the metric
    :return: the difference of the scores, on the scale of the metric, and p; for equal systems p is 1
    :raises UnknownNameError: there is no such test
    :raises LengthMismatchError: the systems, or the runs of one, have different numbers of segments
    :raises SampleError: there is only one segment, no sample, or a negative seed
    :raises CybleuError: the rows are invalid

    >>> import cybleu
    >>> references = ["the cat sat", "it rains a lot", "so it is"]
    >>> one = cybleu.rows(["a cat sat", "it rains a lot", "so it was"], references)
    >>> other = cybleu.rows(["a cat sat", "rain falls", "so it was"], references)
    >>> result = paired_test(one, other)  # one segment differs, so there are two shuffles, and both differ as much
    >>> result.p, result.samples, result.enumerated
    (1.0, 2, True)
    """
    settings = Settings(test=test, samples=samples, seed=seed, threads=threads, progress=progress)
    both = {name: runs_of(rows, name) for name, rows in (("the first system", first), ("the second system", second))}
    systems = validated(both, metric, scale, **choices)
    wins = losses = None
    of_samples: list[Floats] = []
    if test != "randomization":  # samples tell how often each system wins, and shuffles do not
        scores = bootstrap_scores(systems, settings)
        of_samples = [mean_of_runs(scores[runs]) for runs in systems.runs]
        gains = of_samples[0] - of_samples[1]
        tolerance = systems.scoring.tolerance
        wins = float((gains > tolerance).mean())
        losses = float((gains < -tolerance).mean())
    [(p, looked_at, exact)] = p_values(systems, [(0, 1)], settings, of_samples)
    return PairedTest(
        difference=systems.scores[0] - systems.scores[1],
        p=p,
        test=test,
        samples=looked_at,
        enumerated=exact,
        wins=wins,
        losses=losses,
        seed=seed,
        scale=systems.scoring.scale,
        signature=systems.scoring.signature.with_fields(test=test, samples=settings.samples, seed=seed),
    )
