"""Batch MIRA (Cherry and Foster 2012), for models with too many features for line searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

from .._files.text import shown
from .._runtime.arrays import Array, Floats, np
from .._runtime.numbers import MOST_REPEATS, as_number, check_whole
from ..errors import UnknownNameError, WeightsError
from ..metrics.operations import percent
from ..nbest import NBest
from ..nbest.features import Weights
from .problem import Metric, Problem, check_finite
from .results import Tuned

RULES = ("best", "paper", "moses")

# With safe_hope: the largest ratio of the model's score and the gain of hope, as in Moses's kbmira.
SAFE_RATIO = 5.0


@dataclass(frozen=True, kw_only=True)
class Mira(Tuned):
    """The result of :func:`kbmira`.

    :param weights: the weights by name, with sparse features after the dense ones
    :param score: the score of these weights, on the scale of the metric; `start_score` is that of the start
    :param scores: the score after each pass, of the average of all weights so far
    :param rules: the rules that led to these weights: ``paper`` or ``moses``
    :param scale: the score of a perfect match, or None if it is not known; if it is known, ``print`` shows scores from
        0 to 100
    :param metric: the name of the metric

    >>> nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    >>> result = kbmira(nbest, [1.0, 0.0], passes=3, step=1.0)
    >>> result.start_score, result.score, len(result.scores)
    (0.0, 1.0, 3)
    """

    scores: tuple[float, ...]
    rules: str


def kbmira(
    nbest: NBest,
    start: Weights | None = None,
    passes: int = 60,
    step: float = 0.01,
    decay: float = 0.999,
    *,
    metric: Metric = None,
    seed: int = 0,
    shuffle: bool = True,
    safe_hope: bool = False,
    model_background: bool = False,
    return_best_dev: bool = True,
    rules: str = "best",
    trace: Callable[[Mira], Any] | None = None,
) -> Mira:
    """Tune weights by batch MIRA on n-best lists (Cherry and Foster 2012).

    Each pass visits the segments in a new order. In each segment it compares two hypotheses: *hope* has the highest sum
    of model score and metric, and *fear* has the highest difference of model score and metric. It moves the weights
    just enough to make the model's difference between hope and fear as large as the metric's. The BLEU of a hypothesis
    is computed together with a decaying sum of the statistics of chosen hypotheses (the background), and multiplied by
    the number of reference tokens. In addition to the list, memory proportional to the number of features is used.

    There are two sets of rules:

    - ``paper``: each segment adds hope to the background, whose initial counts fall with the order of the n-grams, from
      4 to 1. The weights after each segment are averaged. If no pass scores higher than the start, the start is returned.
    - ``moses``, as in Moses's kbmira: a segment adds hope to the background only if hope scores higher than fear by the
      metric. The initial counts are 1. The start and the weights after each update are averaged. The start does not
      compete with the passes, so the score may be lower than that of the start.

    :param nbest: a list of which at least one segment has a hypothesis
    :param start: the weights by name, for every dense feature and any of the sparse ones; the other sparse weights are
        0. Or one number for each feature, sparse ones after the dense ones. By default 1 for dense features and 0 for
        sparse ones
    :param passes: the number of passes over the segments, at most 1,000,000
    :param step: the maximum step size (C)
    :param decay: the factor by which the background shrinks with each segment
    :param metric: see :func:`cybleu.tuning.line_search`. A metric that is not BLEU, such as a mixture, scores each
        hypothesis as a single sentence, in points from 0 to 100; the values of a function or of a float column are not scaled. Their differences are compared with
        differences of model scores, so start with weights whose model scores have the same order of magnitude
    :param seed: the seed of the order of segments, at least 0
    :param shuffle: if False, visit the segments in the order of the list in each pass, like Moses's kbmira with
        ``--no-shuffle``
    :param safe_hope: reduce the influence of the model score on hope if it is more than five times the gain, like
        Moses's kbmira with ``--safe-hope``
    :param model_background: add the model's best hypothesis to the background instead of hope (``--model-bg``)
    :param return_best_dev: if True, return the average weights after the pass that scored best; if all these scores are
        0, BLEU with 1 added to the counts decides. If False, return the average weights after the last pass
    :param rules: ``paper``, ``moses`` or ``best``, which makes all passes by both, one after the other, and returns the
        result that scores higher on the list, or that of ``paper`` if both score the same
    :param trace: called after each pass with the result of these rules up to this pass
    :return: the weights by name, their score and the start score, on the scale of the metric
    :raises UnknownNameError: `rules` has another value
    :raises CybleuError: the list has no hypothesis, or the weights are not finite or do not match the features

    >>> nbest = NBest([0, 2, 4], [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0], [3.0, 1.0]], [[1.0], [0.0], [0.0], [1.0]], ["a", "b"])
    >>> kbmira(nbest).score
    2.0
    """
    if not (0 < as_number(step) < inf and 0 <= as_number(decay) <= 1):
        raise WeightsError(f"step is {step!r} and decay {decay!r}; step must be above 0, and decay from 0 to 1")
    check_whole(passes, "passes", 1, MOST_REPEATS, error=WeightsError)
    check_whole(seed, "seed", 0, error=WeightsError)
    if rules not in RULES:
        raise UnknownNameError(f"unknown rules {shown(rules)}; use one of {', '.join(RULES)}")
    problem = Problem(nbest, metric)
    begin = problem.point(problem.start(start))
    stats, scores, shares = _gains(problem)

    def search(rules: str) -> Mira:
        """Make all passes by these rules."""
        moses_rules = rules == "moses"
        weights = begin.weights.copy()
        best = begin.weights
        score = begin.merit[0]
        # what a pass has to exceed; Moses's start does not compete
        highest = (-inf, -inf) if moses_rules or not weights.any() else begin.merit
        of_passes: list[float] = []
        background = np.zeros(0) if stats is None else _first_background(stats.shape[1], moses_rules)
        generator = np.random.default_rng([seed])
        order = np.arange(len(problem.axes.present), dtype=np.int64)
        # The average is weights - lag / averaged, so that an update only touches the features that change.
        lag = np.zeros(len(weights))
        averaged = 1 if moses_rules else 0  # Moses averages the start, too

        def result() -> Mira:
            found = problem.tuned(best, score, begin.merit[0])
            return Mira(**found, scores=tuple(of_passes), rules=rules)

        for _ in range(passes):
            averaged = problem.rows.mira_pass(
                problem.axes.offsets,
                generator.permutation(order) if shuffle else order,
                stats=stats,
                scores=scores,
                shares=shares,
                background=background,
                weights=weights,
                lag=lag,
                averaged=averaged,
                step=float(step),
                decay=float(decay),
                safe_ratio=SAFE_RATIO if safe_hope else 0.0,
                model_background=bool(model_background),
                moses_rules=moses_rules,
            )
            with np.errstate(over="ignore", invalid="ignore"):
                # not finite if the weights grew too large, which is checked next
                average = weights - lag / averaged
            check_finite(average)
            merit = problem.point(average).merit
            of_passes.append(merit[0])
            if (merit > highest and average.any()) or not return_best_dev:
                highest = merit
                best = average
                score = merit[0]
            if trace:
                trace(result())
        if not best.any():
            raise WeightsError("the weights stay 0: no hypothesis is better than another; give a start that is not 0")
        return result()

    if rules != "best":
        return search(rules)
    paper = search("paper")
    moses = search("moses")
    # on a tie those of the paper, which never lower the score
    return moses if moses.score > paper.score else paper


def _gains(problem: Problem) -> tuple[Array | None, Floats | None, Floats | None]:
    """Return what the gain of a hypothesis is computed from: rows of BLEU, scores, and the weights of BLEU's orders."""
    objective = problem.objective
    if objective.bleu is None:
        scores = problem.sentence_scores()
        # in points, so that a step has the same effect for every scale
        return None, scores if objective.scale is None else percent(scores, objective.scale), None
    weights = objective.bleu.weights
    return objective.stats, None, None if weights is None else np.array(weights, dtype=np.float64)


def _first_background(width: int, moses_rules: bool) -> Floats:
    """Return small counts, but above 0 for each order.

    :param width: of a row of BLEU
    """
    if moses_rules:
        return np.ones(width)
    falling = np.arange(width // 2 - 1, 0, -1.0)
    return np.concatenate([[falling[0]] * 2, falling, falling])
