"""Cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import array_given, np
from .._runtime.numbers import check_whole
from ..errors import ArrayValueError, WeightsError
from ..nbest import NBest
from .climb import tune
from .problem import Problem
from .results import CrossValidation
from .space import checked_space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .problem import Metric


def cross_validate(
    nbest: NBest, folds: int | Sequence[int] = 5, *, metric: Metric = None, seed: int = 0, **options: Any
) -> CrossValidation:
    """Score each fold of the segments by weights that were tuned on the other folds.

    :param nbest: a list of which at least one segment has a hypothesis
    :param folds: how many folds, to which the seed assigns the segments at random; or for each segment the number of
        its fold
    :param metric: as for :func:`line_search`
    :param seed: the seed of the folds and of :func:`tune`
    :param options: options of :func:`tune`
    :return: the scores of all segments together and of each fold, on the scale of the metric
    :raises CybleuError: one of its subclasses: there are fewer than two folds, or more folds than segments

    >>> from cybleu.nbest import NBest
    >>> nbest = NBest([0, 2, 4], [[0.0], [1.0], [0.0], [2.0]], [[0.0], [1.0], [0.0], [1.0]], ["lm"])
    >>> print(cross_validate(nbest, folds=2, start=[-1.0], restarts=0))
    0 -> 2
    tuned 1, held out 1
    tuned 1, held out 1
    """
    problem = Problem(nbest, metric)
    check_whole(seed, "seed", 0, error=WeightsError)
    numbers = _fold_of_segments(nbest, folds, seed)
    tunings, held_out = [], []
    row: Any = 0
    start_row: Any = 0
    start = checked_space(problem, *map(options.get, ("start", "bounds", "fixed"), (None, None, ())))[2]
    for fold in range(int(numbers.max()) + 1):
        tuning = tune(_part(nbest, np.flatnonzero(numbers != fold)), metric=metric, seed=seed, **options)
        rest = Problem(_part(nbest, np.flatnonzero(numbers == fold)), metric)
        found = rest.point(rest.start(tuning.weights)).row
        tunings.append(tuning)
        held_out.append(problem.objective.score(found))
        row = row + found
        start_row = start_row + rest.point(start).row
    return CrossValidation(
        problem.objective.score(row), problem.objective.score(start_row), tuple(tunings), tuple(held_out)
    )


def _fold_of_segments(nbest: NBest, folds: int | Sequence[int], seed: int) -> NDArray[np.int64]:
    present = np.flatnonzero(np.diff(nbest.offsets) > 0)
    if isinstance(folds, int):
        if not 2 <= folds <= len(present):
            raise ArrayValueError(f"folds is {folds}; it must be from 2 to the number of segments, {len(present)}")
        numbers = np.zeros(len(nbest), dtype=np.int64)
        numbers[np.random.default_rng([seed]).permutation(present)] = np.arange(len(present), dtype=np.int64) % folds
        return numbers
    numbers = array_given(folds, "folds")
    fit = numbers.shape == (len(nbest),) and numbers.dtype.kind in "iu"
    used = set(numbers[present].tolist()) if fit else set()
    if len(used) < 2 or used != set(range(max(used) + 1)):
        raise ArrayValueError(
            f"folds must be whole numbers from 0 without a gap, for {len(nbest)} segments; not {folds!r}"
        )
    return numbers


def _part(nbest: NBest, segments: NDArray[np.int64]) -> NBest:
    sizes = np.diff(nbest.offsets)[segments]
    rows = np.concatenate([np.arange(*nbest.offsets[segment : segment + 2], dtype=np.int64) for segment in segments])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    sparse = None if nbest.sparse is None else nbest.sparse.rows(rows)
    return NBest(offsets, nbest.features[rows], nbest.stats[rows], nbest.names, score=nbest.score, sparse=sparse)
