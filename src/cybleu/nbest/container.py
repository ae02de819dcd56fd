"""Container of n-best lists: hypotheses with their features and statistics, as arrays, without file access."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from .._files.text import shown
from .._runtime.arrays import array_given, first_not_finite, floats_given, in_place, np
from .._runtime.scales import counted
from ..errors import (
    ArrayValueError,
    FeatureError,
    LengthMismatchError,
    SequenceTypeError,
    StatisticsError,
)
from .sparse import SparseFeatures, sparse_given

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric

__all__ = ["Hypotheses", "SparseFeatures"]

# Below the int64 limit, because searches add differences to such a sum, and some metrics add 1 to a count.
LARGEST_SUM = 2**62

ARGUMENTS = (
    "offsets",
    "features",
    "stats",
    "names",
    "texts",
    "score",
    "sparse",
    "ids",
    "index",
    "model_scores",
    "inputs",
)


class Hypotheses:
    """Hypotheses of segments with their features and statistics. Immutable; threads and pickles can share it.

    The hypotheses of segment s are ``offsets[s]:offsets[s + 1]``; a segment may have none.

    :param offsets: whole numbers `(S + 1,)`, ascending from 0 to the number N of hypotheses
    :param features: finite numbers `(N, F)`. A contiguous float64 array is kept without a copy, so do not change it
        afterwards
    :param stats: rows of BLEU `(N, 2 + 2 * orders)`, as :func:`cybleu.rows` returns them; or finite numbers `(N, k)`
        or `(N,)` of any metric whose statistics of a corpus are the sums of those of its segments. Whole numbers of
        another metric than BLEU require `score`
    :param names: of the features, by default ``f0``, ``f1`` ...
    :param texts: of the hypotheses, if they are known
    :param score: a function from a sum of rows to a number, of which higher values are better; or the
        :class:`cybleu.metrics.Metric` of the rows. With None, the metric that a tuner is given scores rows of BLEU, and
        a single float column is scored by its sum
    :param sparse: sparse features: :class:`SparseFeatures`; or a pair of a sparse matrix of SciPy `(N, S)` and a list
        of S names; or only the matrix, whose features get the names ``s0``, ``s1`` ...
    :param ids: of the segments, whole numbers `(S,)`, by default 0 to S - 1
    :param index: the index of each hypothesis in the input, before duplicates were dropped; by default 0 to N - 1
    :param model_scores: the scores that the decoder gave the hypotheses, finite numbers `(N,)`
    :param inputs: how many hypotheses there were before duplicates were dropped, by default N
    :raises CybleuError: one of its subclasses, whose message names the argument and the place

    >>> from cybleu.nbest import NBest
    >>> nbest = NBest([0, 2, 3], [[0.5, 2.0], [0.25, 1.0], [0.0, 3.0]], [[0.5], [0.75], [1.0]], ["lm", "length"])
    >>> nbest
    <NBest of 2 segments, 3 hypotheses, 2 features>
    >>> nbest.segment(0)
    slice(0, 2, None)
    """

    __slots__ = ("__weakref__", "_derived", *ARGUMENTS)

    offsets: NDArray[np.int64]
    features: NDArray[np.float64]
    stats: NDArray[np.int64] | NDArray[np.float64]
    names: tuple[str, ...]
    texts: list[str] | None
    score: Callable[[Any], float] | Metric | None
    sparse: SparseFeatures | None
    ids: NDArray[np.int64]
    index: NDArray[np.int64]
    model_scores: NDArray[np.float64] | None
    inputs: int
    _derived: dict[str, Any]  # values that searches compute once, by name

    def __init__(
        self,
        offsets: Any,
        features: Any,
        stats: Any,
        names: Sequence[str] | None = None,
        texts: Sequence[str] | None = None,
        score: Callable[[Any], float] | Metric | None = None,
        sparse: Any = None,
        ids: Any = None,
        *,
        index: Any = None,
        model_scores: Any = None,
        inputs: int | None = None,
    ):
        put = object.__setattr__
        put(self, "_derived", {})
        if hasattr(features, "tocsr"):
            raise ArrayValueError(
                "features is a sparse matrix; give it as sparse=, and as features those that are dense, (N, 0) if there are none"
            )
        features = _floats(features, "features", 2)
        count = len(features)
        put(self, "features", features)
        put(self, "offsets", _offsets(offsets, "offsets", count, "hypotheses"))
        put(self, "ids", _whole_numbers(ids, "ids", len(self), "segments"))
        put(self, "index", _whole_numbers(index, "index", count, "hypotheses"))
        put(self, "inputs", count if inputs is None else whole_number(inputs, "inputs"))
        if count and self.index.max() >= self.inputs:
            raise ArrayValueError(f"index holds {self.index.max()}, and the input had {self.inputs} hypotheses")
        put(self, "names", feature_names(names, features.shape[1]))
        if not np.isfinite(features).all():
            row, column = np.argwhere(~np.isfinite(features))[0]
            raise self._not_finite(self.names[column], row, features[row, column])
        put(self, "score", score)
        put(self, "stats", self._checked_stats(stats))
        if texts is not None:
            texts = list(texts)
            if len(texts) != count:
                raise LengthMismatchError(f"there are {len(texts)} texts and {count} hypotheses")
            if set(map(type, texts)) - {str}:
                row = next(row for row, text in enumerate(texts) if type(text) is not str)
                raise ArrayValueError(f"the text of {self._place(row)} is a {type(texts[row]).__name__}, not a str")
        put(self, "texts", texts)
        put(self, "sparse", None if sparse is None else self._checked_sparse(sparse_given(sparse)))
        if model_scores is not None:
            model_scores = _floats(model_scores, "model_scores", 1)
            _check_count(model_scores, "model_scores", count, "hypotheses")
            self._check_finite(model_scores, "model score")
        put(self, "model_scores", model_scores)

    def _checked_stats(self, stats: Any) -> NDArray[np.int64] | NDArray[np.float64]:
        array = array_given(stats, "stats")
        if array.dtype.kind == "f":
            floats = _floats(array.reshape(-1, 1) if array.ndim == 1 else array, "stats", 2)
            _check_count(floats, "stats", len(self.features), "hypotheses")
            self._check_finite(floats, "statistic")
            return floats
        if array.dtype.kind not in "iu" and array.size:
            raise ArrayValueError(f"stats has dtype {array.dtype}; it must be int64 for BLEU, or float64")
        if array.ndim == 1 and array.size and self.score is not None:
            array = array.reshape(-1, 1)
        if array.ndim != 2:
            raise ArrayValueError(f"stats has {array.ndim} dimensions; it must have 2")
        _check_count(array, "stats", len(self.features), "hypotheses")
        if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
            raise StatisticsError(f"stats has numbers above {np.iinfo(np.int64).max}")
        rows = kept(array, np.int64)
        self._check_sums(rows)
        if self.score is None:
            self._check_bleu(rows)
        return rows

    def _check_sums(self, rows: NDArray[np.int64]) -> None:
        """Check that a sum of one row from each segment fits int64, so that code that adds rows need not."""
        most = LARGEST_SUM // max(1, len(self))
        if rows.max(initial=0) <= most and rows.min(initial=0) >= -most:
            return
        row = int(((rows > most) | (rows < -most)).any(axis=1).argmax())
        raise StatisticsError(
            f"the statistics of {self._place(row)} are too large: {rows[row].tolist()}; the sum of one row from each of "
            f"{counted(len(self), 'segment')} must be at most 2 ** 62. Divide the numbers, or give them as floats"
        )

    def _check_bleu(self, rows: NDArray[np.int64]) -> None:
        order = rows.shape[1] // 2 - 1
        if order < 1 or rows.shape[1] % 2:
            raise StatisticsError(
                f"stats has {rows.shape[1]} columns; BLEU's rows have 2 + 2 * orders: hypothesis length, reference "
                "length, matches, n-grams. For another metric give score="
            )
        wrong = (rows < 0).any(axis=1) | (rows[:, 2 : 2 + order] > rows[:, 2 + order :]).any(axis=1)
        if wrong.any():
            row = int(wrong.argmax())
            raise StatisticsError(
                f"the statistics of {self._place(row)} are impossible: {rows[row].tolist()}; they must be whole numbers from 0: "
                "hypothesis length, reference length, matches, and n-grams, no fewer than matches. "
                "For another metric give score="
            )

    def _checked_sparse(self, sparse: SparseFeatures) -> SparseFeatures:
        names = feature_names(sparse.names, len(sparse.names))
        values = _floats(sparse.values, "sparse.values", 1)
        columns = _whole_numbers(sparse.columns, "sparse.columns", len(values), "values")
        indptr = _offsets(sparse.indptr, "sparse.indptr", len(values), "values")
        if len(indptr) != len(self.features) + 1:
            raise LengthMismatchError(
                f"sparse.indptr has {len(indptr) - 1} hypotheses, and features has {len(self.features)}"
            )
        both = set(names) & set(self.names)
        if both:
            raise FeatureError(f"feature {shown(min(both))} is both dense and sparse")
        if len(columns) and columns.max() >= len(names):
            raise ArrayValueError(f"sparse.columns holds {columns.max()}, and there are {len(names)} names")
        falls = columns[1:] <= columns[:-1]
        begins = indptr[(indptr > 0) & (indptr < len(columns))]
        falls[begins - 1] = False  # between two hypotheses columns may fall
        if falls.any():
            raise ArrayValueError(
                f"sparse.columns of {self._place(_owner(indptr, int(falls.argmax())))} are not strictly ascending"
            )
        if (place := first_not_finite(values)) is not None:
            raise self._not_finite(names[columns[place]], _owner(indptr, place), values[place])
        return SparseFeatures(indptr, columns, values, names)

    def _not_finite(self, name: str, row: int, value: float) -> FeatureError:
        return FeatureError(f"feature {shown(name)} of {self._place(row)} is {value}; features are finite numbers")

    def _check_finite(self, values: NDArray[np.float64], what: str) -> None:
        if not np.isfinite(values).all():
            row, *column = np.argwhere(~np.isfinite(values))[0]
            raise StatisticsError(f"the {what} of {self._place(row)} is {values[(row, *column)]}; it must be finite")

    def _place(self, row: int) -> str:
        segment = _owner(self.offsets, row)
        return f"hypothesis {row - self.offsets[segment]} of segment {self.ids[segment]}"

    def _arguments(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ARGUMENTS}

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self._arguments()), ()

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError("an NBest cannot be changed; make another from the changed arrays")

    __delattr__ = __setattr__

    def __len__(self) -> int:
        """The number of segments."""
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        sparse = f" and {counted(len(self.sparse.names), 'sparse one')}" if self.sparse else ""
        hypotheses = counted(len(self.features), "hypothesis", "hypotheses")
        features = counted(len(self.names), "feature")
        return f"<NBest of {counted(len(self), 'segment')}, {hypotheses}, {features}{sparse}>"

    def segment(self, number: int) -> slice:
        """Return the slice of the hypotheses of a segment.

        :param number: of the segment, counted from 0
        :raises ArrayValueError: there is no such segment
        """
        if not 0 <= number < len(self):
            raise ArrayValueError(f"there is no segment {number}; there are {len(self)}")
        return slice(int(self.offsets[number]), int(self.offsets[number + 1]))


# ---------------------------------------------------------------------------------------------------------- validation


def kept(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """Convert to a contiguous, read-only array of this type."""
    view = in_place(array, dtype).view()
    view.flags.writeable = False
    return view


def _floats(values: Any, name: str, dimensions: int) -> NDArray[np.float64]:
    array = floats_given(values, name)
    if array.ndim != dimensions:
        raise ArrayValueError(f"{name} has {array.ndim} dimensions; it must have {dimensions}")
    return kept(array, np.float64)


def check_nbest(nbest: object) -> None:
    """Check the type of an n-best list.

    :raises SequenceTypeError: it is not an `NBest`
    """
    if not isinstance(nbest, Hypotheses):
        raise SequenceTypeError(
            f"the n-best list is of the type {type(nbest).__name__}; make an NBest first, with NBest.from_files, "
            "NBest.from_texts or NBest"
        )


def whole_number(value: Any, name: str) -> int:
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number < 2**53:  # so that a sum of many fits int64
        raise ArrayValueError(f"{name} is {value!r}; it must be a whole number from 0 to 2 ** 53 - 1")
    return number


def _whole_numbers(values: Any, name: str, count: int, of_what: str) -> NDArray[np.int64]:
    """Copy whole numbers, so that they cannot change after validation. None means 0 to count - 1."""
    if values is None:
        return kept(np.arange(count, dtype=np.int64), np.int64)
    array = array_given(values, name)
    if (array.dtype.kind not in "iu" and array.size) or array.ndim != 1:
        raise ArrayValueError(f"{name} must be whole numbers of one dimension, not {array.dtype} of {array.ndim}")
    _check_count(array, name, count, of_what)
    if array.size and (array.min() < 0 or array.max() > np.iinfo(np.int64).max):
        raise ArrayValueError(f"{name} holds {array.min() if array.min() < 0 else array.max()}")
    return kept(array.astype(np.int64), np.int64)


def _offsets(values: Any, name: str, total: int, of_what: str) -> NDArray[np.int64]:
    array = array_given(values, name)
    offsets = _whole_numbers(array, name, array.size, "numbers")
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != total:
        raise ArrayValueError(
            f"{name} must begin with 0 and end with the number of {of_what}, {total}; it is "
            + (f"{offsets[0]} to {offsets[-1]}" if len(offsets) else "empty")
        )
    if (offsets[1:] < offsets[:-1]).any():
        position = int((offsets[1:] < offsets[:-1]).argmax())
        raise ArrayValueError(f"{name} falls from {offsets[position]} to {offsets[position + 1]} at {position + 1}")
    return offsets


def _owner(offsets: NDArray[np.int64], place: int) -> int:
    """Return the index of the part that contains a position."""
    return int(np.searchsorted(offsets, place, side="right")) - 1


def _check_count(array: NDArray[Any], name: str, count: int, of_what: str) -> None:
    if len(array) != count:
        raise LengthMismatchError(f"{name} has {len(array)} entries, and there are {count} {of_what}")


def feature_names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"f{column}" for column in range(count))
    if isinstance(names, str):
        raise FeatureError(f"names is the text {shown(names)}; it must be a list with a name for each feature")
    names = tuple(names)
    if len(names) != count:
        raise FeatureError(f"there are {len(names)} names and {count} features")
    for position, name in enumerate(names):
        if not isinstance(name, str) or not name or name.split() != [name]:
            raise FeatureError(
                f"names[{position}] is {shown(name) if isinstance(name, str) else repr(name)}; a name is a text without white space"
            )
    if len(set(names)) != count:
        raise FeatureError(f"the name {shown(next(name for name in names if names.count(name) > 1))} appears twice")
    return names
