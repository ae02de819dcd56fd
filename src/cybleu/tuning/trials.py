"""Many weight vectors at once, and scores of segments that took no part in tuning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._files.text import Lines, number_of
from .._runtime.arrays import array_given, first_not_finite, floats_given, in_place, np
from .._runtime.numbers import check_whole
from .._runtime.parallel import run
from ..errors import ArrayTypeError, ArrayValueError, InputFileError, WeightsError
from ..nbest import NBest
from ..nbest.container import check_nbest
from .climb import tune
from .held import held_by
from .model import Model
from .objective import Objective
from .problem import Problem
from .results import CrossValidation
from .space import checked_space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .objective import Metric


def random_search(
    nbest: NBest, weights: Any, metric: Metric = None, threads: int | None = None, progress: bool = False
) -> NDArray[np.float64]:
    """The score of each of many weight vectors, in one pass over the hypotheses.

    If several hypotheses are equally good, the first of them counts.

    :param nbest: a list of which at least one segment has a hypothesis
    :param weights: finite numbers `(R, F)`, with those of sparse features after those of dense ones
    :param metric: as for :func:`line_search`
    :param threads: how many threads work at the same time; None is one
    :param progress: show a progress bar (needs tqdm)
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
    width = len(nbest.names) + (0 if nbest.sparse is None else len(nbest.sparse.names))
    model = Problem(nbest, metric) if nbest.sparse is None else Model(nbest, metric)
    if vectors.ndim != 2 or vectors.shape[1] != width:
        raise ArrayTypeError(
            f"weights has the shape {vectors.shape}; it must have a row of {width} numbers for each vector"
        )
    if (place := first_not_finite(vectors)) is not None:
        raise WeightsError(f"weights[{place}] holds numbers that are not finite: {vectors[place].tolist()}")
    objective = model.objective
    rows = np.empty((len(vectors), objective.stats.shape[1]), dtype=objective.stats.dtype if objective.fits else object)
    write = _row_by_row(model, vectors, rows) if isinstance(model, Model) else _by_blocks(model, vectors, rows)
    run(write, len(vectors), vectors.size * len(nbest.features) // 8, threads, progress, "weights")
    return objective.scores(rows)


def _row_by_row(model: Model, vectors: NDArray[np.float64], rows: NDArray[Any]) -> Callable[[int, int], None]:
    """What writes the sums of statistics of some vectors."""

    def work(first: int, last: int) -> None:
        for place in range(first, last):
            rows[place] = model.row_of(vectors[place])

    return work


def _by_blocks(problem: Problem, vectors: NDArray[np.float64], rows: NDArray[Any]) -> Callable[[int, int], None]:
    """The same where all features are dense: many vectors at a time."""
    extents = problem.columns.extents()
    with np.errstate(over="ignore", invalid="ignore"):
        all_finite = np.isfinite(np.abs(vectors) @ extents.max(axis=1, initial=0.0)).all()

    def work(first: int, last: int) -> None:
        for begin in range(first, last, 64):
            block = vectors[begin : min(begin + 64, last)]
            if not all_finite:
                for weights in block:
                    problem.values_of(weights)  # for its error
            chosen = np.empty((len(block), len(problem.columns.segments)), dtype=np.int64)
            _backend.chosen.winners(problem.columns.values, problem.columns.offsets, block, chosen)
            for place, best in enumerate(chosen):
                rows[begin + place] = problem.objective.sum_of(best)

    return work


def read_table(path: str | PathLike[str], names: Sequence[str]) -> NDArray[np.float64]:
    """Weight vectors from a file that has a line of numbers for each vector.

    :param path: of a UTF-8 file; gzip is recognised
    :param names: of the features; each line has one number for each feature
    :return: float64 `(lines, features)`
    :raises InputFileError: a line is something else; the message names file and line

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
        rest = Model(_part(nbest, np.flatnonzero(numbers == fold)), metric)
        found = rest.row_of(rest.start(tuning.weights))
        tunings.append(tuning)
        held_out.append(objective.score(found))
        kind = found.dtype if objective.fits else object
        row = row + found.astype(kind)
        start_row = start_row + rest.row_of(start).astype(kind)
    return CrossValidation(objective.score(row), objective.score(start_row), tuple(tunings), tuple(held_out))


def _start_of(
    nbest: NBest, start: Any = None, bounds: Any = None, fixed: Any = (), searched: Any = (), **_: Any
) -> NDArray[np.float64]:
    """Where :func:`tune` starts with these options, the weights of sparse features after the others."""
    if nbest.sparse is None:
        return checked_space(nbest.names, start, bounds, fixed)[3]
    held, start, fixed = held_by(nbest, start, fixed, searched)
    return held.whole(checked_space(held.nbest.names, start, bounds, fixed)[3])


def _fold_of_segments(nbest: NBest, folds: int | Sequence[int], seed: int) -> NDArray[np.int64]:
    present = np.flatnonzero(np.diff(nbest.offsets) > 0)
    if isinstance(folds, int):
        if not 2 <= folds <= len(present):
            raise ArrayValueError(f"folds is {folds}; it must be from 2 to the number of segments, {len(present)}")
        numbers = np.zeros(len(nbest), dtype=np.int64)
        numbers[np.random.default_rng([seed]).permutation(present)] = np.arange(len(present)) % folds
        return numbers
    numbers = array_given(folds, "folds")
    if numbers.dtype.kind not in "iu" and numbers.size:
        raise ArrayTypeError(f"folds has dtype {numbers.dtype}; give a whole number for each segment")
    if numbers.shape != (len(nbest),):
        raise ArrayTypeError(f"folds has the shape {numbers.shape}; give a fold for each of the {len(nbest)} segments")
    used = set(numbers[present].tolist())
    if len(used) < 2 or used != set(range(max(used) + 1)):
        raise ArrayValueError(f"folds must be numbered from 0 without a gap, at least two; they are {sorted(used)}")
    return numbers


def _part(nbest: NBest, segments: NDArray[np.int64]) -> NBest:
    sizes = np.diff(nbest.offsets)[segments]
    rows = np.concatenate([np.arange(*nbest.offsets[segment : segment + 2]) for segment in segments])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    sparse = None if nbest.sparse is None else nbest.sparse.rows(rows)
    return NBest(offsets, nbest.features[rows], nbest.stats[rows], nbest.names, score=nbest.score, sparse=sparse)
