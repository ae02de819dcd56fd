"""Random search and cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from .._files.text import Lines, number_of
from .._runtime.arrays import array_given, first_not_finite, floats_given, in_place, np
from .._runtime.numbers import check_whole
from .._runtime.parallel import run
from ..errors import ArrayValueError, InputFileError, WeightsError
from ..nbest import NBest
from ..nbest.container import check_nbest
from ..nbest.weights import names_of
from .climb import tune
from .objective import Objective
from .problem import Problem
from .results import CrossValidation
from .searched import searched_list
from .space import checked_space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .objective import Metric

TOGETHER = 256  # weight vectors in one pass over the hypotheses


def random_search(
    nbest: NBest, weights: Any, metric: Metric = None, threads: int | None = None, progress: bool = False
) -> NDArray[np.float64]:
    """Score many weight vectors in one pass over the hypotheses.

    If several hypotheses are equally good, the first of them is chosen.

    :param nbest: a list of which at least one segment has a hypothesis
    :param weights: finite numbers `(R, F)`, with those of sparse features after those of dense ones
    :param metric: as for :func:`line_search`
    :param threads: how many threads work at the same time; None is one
    :param progress: show a progress bar (requires tqdm)
    :return: float64 `(R,)`, on the scale of the metric
    :raises CybleuError: one of its subclasses: the list has no hypothesis, or the weights are not finite or are not
        those of the features, or weights times features are too large for a float

    >>> from cybleu.nbest import NBest
    >>> nbest = NBest([0, 2, 4], [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0], [3.0, 1.0]], [[1.0], [0.0], [0.0], [1.0]])
    >>> random_search(nbest, [[1.0, 0.0], [1.0, 1.0]])
    array([1., 2.])
    """
    check_nbest(nbest)
    vectors = in_place(floats_given(weights, "weights"))
    problem = Problem(nbest, metric)
    width = len(names_of(nbest))
    if vectors.ndim != 2 or vectors.shape[1] != width:
        raise ArrayValueError(
            f"weights has the shape {vectors.shape}; it must have a row of {width} numbers for each vector"
        )
    if (place := first_not_finite(vectors)) is not None:
        raise WeightsError(f"weights[{place}] holds numbers that are not finite: {vectors[place].tolist()}")
    objective = problem.objective
    sums = np.empty((len(vectors), objective.stats.shape[1]), dtype=objective.stats.dtype)

    def work(first: int, last: int) -> None:
        for begin in range(first, last, TOGETHER):
            end = min(begin + TOGETHER, last)
            for place, chosen in enumerate(problem.winners(vectors[begin:end]), begin):
                sums[place] = objective.sum_of(chosen)

    run(work, len(vectors), vectors.size * len(nbest.features) // 8, threads, progress, "weights")
    return objective.scores(sums)


def read_table(path: str | PathLike[str], names: Sequence[str]) -> NDArray[np.float64]:
    """Read weight vectors from a file with a line of numbers for each vector.

    :param path: of a UTF-8 file; gzip is recognised
    :param names: of the features; each line has one number for each feature
    :return: float64 `(lines, features)`
    :raises InputFileError: a line is malformed; the message names file and line

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "weights"
    >>> _ = path.write_text("0.5 1\\n")
    >>> read_table(str(path), ["lm", "length"])
    array([[0.5, 1. ]])
    """
    rows = []
    with Lines(path) as file:
        for number, line in enumerate(file, 1):
            try:
                row = [number_of(word) for word in line.split()]
            except InputFileError as error:
                raise InputFileError(f"{file.name}, line {number}: {error}") from None
            if len(row) != len(names):
                raise InputFileError(
                    f"{file.name}, line {number}: there must be {len(names)} numbers, one for each feature"
                )
            rows.append(row)
    if not rows:
        raise InputFileError(f"{path} has no line of weights")
    return np.array(rows)


def cross_validate(
    nbest: NBest, folds: int | Sequence[int] = 5, *, metric: Metric = None, seed: int = 0, **options: Any
) -> CrossValidation:
    """Score each fold of the segments by weights that were tuned on the other folds.

    :param nbest: a list of which at least one segment has a hypothesis
    :param folds: how many folds, to which the seed assigns the segments at random; or for each segment the number of
        its fold
    :param metric: as for :func:`line_search`
    :param seed: of the folds and of :func:`tune`
    :param options: of :func:`tune`
    :return: the scores of all segments together and of each fold, on the scale of the metric
    :raises CybleuError: one of its subclasses: there are fewer than two folds, or more folds than segments

    >>> from cybleu.nbest import NBest
    >>> nbest = NBest([0, 2, 4], [[0.0], [1.0], [0.0], [2.0]], [[0.0], [1.0], [0.0], [1.0]], ["lm"])
    >>> print(cross_validate(nbest, folds=2, start=[-1.0], restarts=0))
    0 -> 2
    tuned 1, held out 1
    tuned 1, held out 1
    """
    check_nbest(nbest)
    check_whole(seed, "seed", 0, error=WeightsError)
    numbers = _fold_of_segments(nbest, folds, seed)
    objective = Objective(nbest, metric)
    tunings, held_out = [], []
    row: Any = 0
    start_row: Any = 0
    start = _start_of(nbest, **options)
    for fold in range(int(numbers.max()) + 1):
        tuning = tune(_part(nbest, np.flatnonzero(numbers != fold)), metric=metric, seed=seed, **options)
        rest = Problem(_part(nbest, np.flatnonzero(numbers == fold)), metric)
        found = rest.row_of(rest.start(tuning.weights))
        tunings.append(tuning)
        held_out.append(objective.score(found))
        row = row + found
        start_row = start_row + rest.row_of(start)
    return CrossValidation(objective.score(row), objective.score(start_row), tuple(tunings), tuple(held_out))


def _start_of(
    nbest: NBest, start: Any = None, bounds: Any = None, fixed: Any = (), searched: Any = (), **_: Any
) -> NDArray[np.float64]:
    """Return the start of :func:`tune` with these options, weights of sparse features after dense ones."""
    found, start, fixed = searched_list(nbest, start, fixed, searched)
    return found.whole(checked_space(found.nbest.names, start, bounds, fixed)[3])


def _fold_of_segments(nbest: NBest, folds: int | Sequence[int], seed: int) -> NDArray[np.int64]:
    present = np.flatnonzero(np.diff(nbest.offsets) > 0)
    if isinstance(folds, int):
        if not 2 <= folds <= len(present):
            raise ArrayValueError(f"folds is {folds}; it must be from 2 to the number of segments, {len(present)}")
        numbers = np.zeros(len(nbest), dtype=np.int64)
        numbers[np.random.default_rng([seed]).permutation(present)] = np.arange(len(present), dtype=np.int64) % folds
        return numbers
    numbers = array_given(folds, "folds")
    if numbers.dtype.kind not in "iu" and numbers.size:
        raise ArrayValueError(f"folds has dtype {numbers.dtype}; give a whole number for each segment")
    if numbers.shape != (len(nbest),):
        raise ArrayValueError(f"folds has the shape {numbers.shape}; give a fold for each of the {len(nbest)} segments")
    used = set(numbers[present].tolist())
    if len(used) < 2 or used != set(range(max(used) + 1)):
        raise ArrayValueError(f"folds must be numbered from 0 without a gap, at least two; they are {sorted(used)}")
    return numbers


def _part(nbest: NBest, segments: NDArray[np.int64]) -> NBest:
    sizes = np.diff(nbest.offsets)[segments]
    rows = np.concatenate([np.arange(*nbest.offsets[segment : segment + 2], dtype=np.int64) for segment in segments])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    sparse = None if nbest.sparse is None else nbest.sparse.rows(rows)
    return NBest(offsets, nbest.features[rows], nbest.stats[rows], nbest.names, score=nbest.score, sparse=sparse)
