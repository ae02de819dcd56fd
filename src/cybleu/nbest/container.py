"""`NBest`, the n-best list: hypotheses with their features and statistics, as arrays."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

# a cycle, because its modules import this one; an import in a function could wait forever in a child of `fork`
from .. import nbest as lists
from .._files.text import Naming, keyword, shown
from .._runtime.arrays import array_given, first_not_finite, floats_given, in_place, np
from .._runtime.numbers import check_whole
from .._runtime.scales import counted
from ..errors import ArrayValueError, FeatureError, LengthMismatchError, SequenceTypeError, StatisticsError
from ..metrics import find
from ..metrics.combined import split_on_blanks
from ..text.ids import integers
from ..text.reading import read_groups, read_lines, read_texts
from .references import bleu, count, known_texts, prepare_references
from .sparse import SparseFeatures, owner_of, owners_of, sparse_given

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from ..metrics import Metric, Variant

    Path = str | PathLike[str]

__all__ = ["NBest", "SparseFeatures", "check_nbest"]

# Below the int64 limit, because searches add differences to such a sum, and some metrics add 1 to a count.
LARGEST_SUM = 2**62


class NBest:
    """Hypotheses of segments with their features and statistics. An `NBest` is immutable, thread-safe and picklable.

    The hypotheses of segment s are ``offsets[s]:offsets[s + 1]``. A segment may have no hypotheses.

    :param offsets: whole numbers `(S + 1,)`, ascending from 0 to the number N of hypotheses
    :param features: finite numbers `(N, F)`; all arrays are copied
    :param stats: rows of BLEU `(N, 2 + 2 * orders)`, as :func:`cybleu.rows` returns them; or finite numbers `(N, k)` or
        `(N,)` of any metric whose corpus statistics are the sums of its segment statistics. Whole numbers of a metric
        other than BLEU require `score`
    :param names: the names of the features, by default ``f0``, ``f1`` ...
    :param texts: the texts of the hypotheses, if they are known
    :param score: a function that maps a sum of rows to a number, where higher is better; or the
        :class:`cybleu.metrics.Metric` of the rows. If None, rows of BLEU are scored by the metric that you pass to a
        tuner, and a single float column is scored by its sum
    :param sparse: sparse features: :class:`SparseFeatures`, or the tuple of its `indptr`, `columns`, `values` and
        `names`; a pair of a SciPy sparse matrix `(N, S)` and a list of S names; or only the matrix, whose features get
        the names ``s0``, ``s1`` ...
    :param ids: the ids of the segments, whole numbers `(S,)`, by default 0 to S - 1
    :param index: the index of each hypothesis in the input, before duplicates were dropped; by default 0 to N - 1
    :param model_scores: the scores of the hypotheses by the decoder, finite numbers `(N,)`
    :param inputs: the number of hypotheses before duplicates were dropped, by default N
    :raises CybleuError: an argument is invalid; the message names the argument and the position

    >>> from cybleu.nbest import NBest
    >>> nbest = NBest([0, 2, 3], [[0.5, 2.0], [0.25, 1.0], [0.0, 3.0]], [[0.5], [0.75], [1.0]], ["lm", "length"])
    >>> nbest
    <NBest of 2 segments, 3 hypotheses, 2 features>
    >>> nbest.segment(0)
    slice(0, 2, None)
    """

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
        if hasattr(features, "tocsr"):
            raise ArrayValueError(
                "features is a sparse matrix; pass it as sparse=, and pass only the dense features, (N, 0) if there "
                "are none"
            )
        dense = _floats(features, "features", 2)
        count = len(dense)
        bounds = _offsets(offsets, "offsets", count, "rows of features")
        if inputs is not None:
            check_whole(inputs, "inputs", 0, 2**63 - 1, error=ArrayValueError)
        self._put(
            offsets=bounds,
            features=dense,
            names=feature_names(names, dense.shape[1]),
            score=score,
            ids=None if ids is None else _whole_numbers(ids, "ids", len(bounds) - 1, "segments"),
            index=None if index is None else _whole_numbers(index, "index", count, "hypotheses"),
            inputs=inputs,
        )
        if count and self.index.max() >= self.inputs:
            raise ArrayValueError(f"index holds {self.index.max()}, but the input had {self.inputs} hypotheses")
        if not np.isfinite(dense).all():
            row, column = np.argwhere(~np.isfinite(dense))[0]
            raise self._not_finite(self.names[column], row, dense[row, column])
        self.__dict__["stats"] = self._checked_stats(array_given(stats, "stats", copy=True))
        if texts is not None:
            self.__dict__["texts"] = self._checked_texts(list(texts))
        if sparse is not None:
            self.__dict__["sparse"] = self._checked_sparse(sparse_given(sparse))
        if model_scores is not None:
            scores = _floats(model_scores, "model_scores", 1, count)
            self.__dict__["model_scores"] = self._check_finite(scores, "model score")

    @classmethod
    def _of(cls, **fields: Any) -> NBest:
        """Create a list from `offsets`, `features`, `names` and other fields that are known to be valid."""
        nbest = cls.__new__(cls)
        nbest._put(**fields)
        return nbest

    def _put(self, **fields: Any) -> None:
        count = len(fields["features"])
        defaults = {
            "stats": np.zeros((count, 0)),
            "texts": None,
            "score": None,
            "sparse": None,
            "ids": np.arange(len(fields["offsets"]) - 1, dtype=np.int64),
            "index": np.arange(count, dtype=np.int64),
            "model_scores": None,
            "inputs": count,
        }
        found = defaults | {name: value for name, value in fields.items() if value is not None}
        for name, value in found.items():
            if isinstance(value, SparseFeatures):
                value = value._replace(
                    indptr=_kept(value.indptr), columns=_kept(value.columns), values=_kept(value.values)
                )
            self.__dict__[name] = _kept(value) if isinstance(value, np.ndarray) else value
        self.__dict__["_derived"] = {}

    def _with(self, **fields: Any) -> NBest:
        """Return a list with other fields, which are known to be valid."""
        return NBest._of(**{**self._fields(), **fields})

    def _take(self, rows: Any, offsets: NDArray[np.int64], **fields: Any) -> NBest:
        """Return a list of some hypotheses.

        :param rows: their indices, int64, in the order of the new list; or a slice of consecutive ones
        """
        texts = self.texts
        if texts:
            texts = texts[rows] if isinstance(rows, slice) else [texts[row] for row in rows.tolist()]
        return self._with(
            offsets=offsets,
            features=self.features[rows],
            stats=self.stats[rows],
            texts=texts,
            sparse=self.sparse and self.sparse.rows(rows),
            index=self.index[rows],
            model_scores=None if self.model_scores is None else self.model_scores[rows],
            **fields,
        )

    # -------------------------------------------------------------------------------------------------------- validation

    def _checked_stats(self, array: NDArray[Any]) -> NDArray[np.int64] | NDArray[np.float64]:
        is_float = array.dtype.kind == "f"
        if array.dtype.kind not in "iuf" and array.size:
            raise ArrayValueError(f"stats has dtype {array.dtype}; it must be int64 for BLEU, or float64")
        if array.ndim == 1 and (is_float or (array.size and self.score is not None)):
            array = array.reshape(-1, 1)
        _check_shape(array, "stats", 2, len(self.features))
        if is_float:
            return self._check_finite(_kept(floats_given(array, "stats")), "statistic")
        most = LARGEST_SUM // max(1, len(self))  # so that code that adds a row of each segment need not check the sum
        wrong = ((array > most) | (array < -most)).any(axis=1)
        reason = (
            f"too large; the sum of one row from each of {counted(len(self), 'segment')} must be at most 2 ** 62. "
            "Divide the numbers, or give them as floats"
        )
        rows = _kept(array.astype(np.int64, copy=False))
        if self.score is None:
            order = rows.shape[1] // 2 - 1
            if order < 1 or rows.shape[1] % 2:
                raise StatisticsError(
                    f"stats has {rows.shape[1]} columns; BLEU's rows have 2 + 2 * orders: hypothesis length, reference "
                    "length, matches, n-grams. For another metric give score="
                )
            if not wrong.any():
                wrong = (rows < 0).any(axis=1) | (rows[:, 2 : 2 + order] > rows[:, 2 + order :]).any(axis=1)
                reason = (
                    "impossible; they must be whole numbers from 0: hypothesis length, reference length, matches, and "
                    "n-grams, no fewer than matches. For another metric give score="
                )
        if wrong.any():
            row = int(wrong.argmax())
            raise StatisticsError(f"the statistics of {self._place(row)} are {reason}: {rows[row].tolist()}")
        return rows

    def _checked_texts(self, texts: list[str]) -> list[str]:
        if len(texts) != len(self.features):
            raise LengthMismatchError(f"there are {len(texts)} texts, but {len(self.features)} hypotheses")
        if set(map(type, texts)) - {str}:
            row = next(row for row, text in enumerate(texts) if type(text) is not str)
            raise ArrayValueError(f"the text of {self._place(row)} is a {type(texts[row]).__name__}, not a str")
        return texts

    def _checked_sparse(self, sparse: SparseFeatures) -> SparseFeatures:
        names = feature_names(sparse.names, len(sparse.names))
        values = _floats(sparse.values, "sparse.values", 1)
        columns = _whole_numbers(sparse.columns, "sparse.columns", len(values), "values")
        indptr = _offsets(sparse.indptr, "sparse.indptr", len(values), "values")
        if len(indptr) != len(self.features) + 1:
            raise LengthMismatchError(
                f"sparse.indptr has {len(indptr) - 1} hypotheses, but features has {len(self.features)}"
            )
        check_apart(self.names, names)
        if len(columns) and columns.max() >= len(names):
            raise ArrayValueError(f"sparse.columns holds {columns.max()}, but there are {len(names)} names")
        owners = owners_of(indptr)
        falls = (columns[1:] <= columns[:-1]) & (owners[1:] == owners[:-1])
        if falls.any():
            place = self._place(owners[falls.argmax()])
            raise ArrayValueError(f"sparse.columns of {place} are not strictly ascending")
        if (row := first_not_finite(values)) is not None:
            raise self._not_finite(names[columns[row]], owners[row], values[row])
        return SparseFeatures(indptr, columns, values, names)

    def _not_finite(self, name: str, row: int, value: float) -> FeatureError:
        return FeatureError(f"feature {shown(name)} of {self._place(row)} is {value}; features are finite numbers")

    def _check_finite(self, values: NDArray[np.float64], what: str) -> NDArray[np.float64]:
        if not np.isfinite(values).all():
            place = tuple(np.argwhere(~np.isfinite(values))[0])
            raise StatisticsError(f"the {what} of {self._place(place[0])} is {values[place]}; it must be finite")
        return values

    def _place(self, row: int) -> str:
        segment = owner_of(self.offsets, row)
        return f"hypothesis {row - self.offsets[segment]} of segment {self.ids[segment]}"

    # ---------------------------------------------------------------------------------------------------------- an object

    def _fields(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_derived"}

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self._fields()), ()

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError("an NBest is immutable; create a new one from the changed arrays")

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

        :param number: the number of the segment, counting from 0
        :raises ArrayValueError: there is no such segment
        """
        if not 0 <= number < len(self):
            raise ArrayValueError(f"there is no segment {number}; there are {len(self)}")
        return slice(int(self.offsets[number]), int(self.offsets[number + 1]))

    # ------------------------------------------------------------------------------------------------- readers and writers

    @classmethod
    def from_texts(
        cls,
        hypotheses: Sequence[Sequence[Any]],
        references: Any,
        features: Any = None,
        names: Sequence[str] | None = None,
        *,
        tokenize: str | Callable[[str], list[str]] | None = None,
        lowercase: bool = False,
        max_order: int | None = None,
        reference_length: str | None = None,
        threads: int | None = None,
        **more: Any,
    ) -> NBest:
        """Create a list from the texts of the hypotheses, and compute their BLEU statistics.

        :param hypotheses: for each segment a list of texts: either all raw text (str or bytes), or all token lists. The
            `texts` of the new list are the raw text, or the tokens joined with spaces; they are None if joining and
            splitting would change the tokens
        :param references: for each segment one or several references of either kind; or :class:`cybleu.References`; or
            paths of text files with one segment on each line
        :param features: the features of all hypotheses, segment after segment, `(N, F)`; None if there are none
        :param names: the names of the features, by default ``f0``, ``f1`` ...
        :param tokenize: the tokeniser of raw text: a function such as ``str.split``, or a name that
            :func:`cybleu.text.tokenizer` accepts. By default, texts are split on white space
        :param lowercase: convert raw text to lower case first; the `texts` of the list are not changed
        :param max_order: the maximum n-gram order, by default 4
        :param reference_length: ``closest`` (the default), ``closest-first``, ``shortest`` or ``average``
        :param threads: the number of threads, by default one; it does not affect the result
        :param more: `sparse`, `ids` or `model_scores`, see :class:`NBest`

        >>> texts = [["the cat sat", "a cat"]]
        >>> NBest.from_texts(texts, [["the cat sat down"]], [[1.0], [2.0]], max_order=2).stats
        array([[3, 4, 3, 2, 3, 2],
               [2, 4, 1, 0, 2, 1]])
        """
        metric = bleu(tokenize, lowercase, max_order, reference_length)
        texts, bounds = read_groups(hypotheses, "hypotheses")
        batch = read_texts(texts, "hypotheses", bounds=bounds)
        offsets = np.array(bounds, dtype=np.int64)
        stats = count(metric, batch, prepare_references(references, len(bounds) - 1), owners_of(offsets), threads)
        if features is None:
            features = np.zeros((len(stats), 0))
        return cls(offsets, features, stats, names, known_texts(batch), **more)

    @classmethod
    def from_files(
        cls,
        path: Path,
        references: Any,
        format: str | None = None,  # noqa: A002
        *,
        first_id: int = 0,
        size: int | None = None,
        features: Path | None = None,
        names: Sequence[str] | None = None,
        tokenize: str | Callable[[str], list[str]] = "unicode",
        lowercase: bool = False,
        max_order: int | None = None,
        reference_length: str | None = None,
        texts: bool = True,
        threads: int | None = None,
        progress: bool = False,
        naming: Naming = keyword,
    ) -> NBest:
        """Create a list from a file in one of the formats of :mod:`cybleu.nbest`, and compute its BLEU statistics.

        A reference segment without a line in the file has no hypotheses. The other parameters are those of
        :meth:`cybleu.nbest.NBest.from_texts`.

        :param path: the path of the file, which may be compressed by gzip; ``-`` is standard input
        :param references: paths of text files with one segment on each line, or references in any form that
            :meth:`from_texts` accepts
        :param format: ``moses``, ``joshua``, ``plain``, ``fairseq`` or ``json``; by default ``plain`` if `size` is
            given, and otherwise ``moses`` or ``joshua``, detected from the first lines
        :param first_id: the id of the first segment of the references
        :param size: the number of lines of each segment (only in the ``plain`` format)
        :param features: the path of the feature file, which is read as a whole (only in the ``plain`` format)
        :param names: the names of these features, by default ``f0``, ``f1`` ...
        :param texts: whether to keep the texts of the hypotheses, unchanged
        :param lowercase: convert the hypotheses, and references that are texts or files, to lower case with
            `str.lower`. References that are token lists are not changed
        :param progress: show a progress bar (requires tqdm)
        :param naming: how messages name an argument: a function of its name and, if the message advises one, its value,
            which returns an empty string for an argument that users of the caller cannot give
        :raises InputFileError: a file cannot be read, or a line is invalid; the message names the file, line and reason
        """
        counting: dict[str, Any] = {"tokenize": tokenize, "lowercase": lowercase, "max_order": max_order}
        reading: dict[str, Any] = {"size": size, "features": features, "names": names, "texts": texts, **counting}
        reading |= {"reference_length": reference_length, "threads": threads, "progress": progress}
        reading["naming"] = naming
        references = prepare_references(references)
        parts = lists.reading.read_parts(path, format, references, first_id, **reading)
        return lists.reading.by_segment(lists.reading.joined(parts), len(references), first_id)

    @classmethod
    def from_moses(
        cls,
        features: Path,
        scores: Path,
        segments: int | None = None,
        *,
        first_id: int = 0,
        naming: Naming = keyword,
    ) -> NBest:
        """Create a list from the two text files that Moses's extractor or :meth:`to_moses` writes.

        The statistics must be those of BLEU. They become rows like those of :func:`cybleu.rows`.

        :param features: the path of the feature file, which may be compressed by gzip
        :param scores: the path of the file of statistics
        :param segments: the number of segments; by default, the last id in the files determines it
        :param first_id: the id of the first segment
        :param naming: see :meth:`from_files`
        :raises InputFileError: a file cannot be read, or a line is invalid; the message names the file, line and reason
        """
        check_whole(first_id, "first_id", 0, error=ArrayValueError)
        if segments is not None:
            check_whole(segments, "segments", 0, error=ArrayValueError)
        return lists.extractor.read(features, scores, segments, first_id, naming)

    def with_metric(
        self,
        metric: str | Metric | Variant,
        references: Any,
        *,
        tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
        lowercase: bool = False,
        threads: int | None = None,
        **choices: Any,
    ) -> NBest:
        """Return a list with the statistics of another metric, which oracles and tuners then use.

        :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts
        :param references: for each segment a list of texts (str or bytes); or prepared :class:`cybleu.References`; or
            paths of text files with one segment on each line
        :param tokenize: the tokeniser of the texts; by default they are split on white space. Metrics of raw text, such
            as ``chrf``, accept no tokeniser
        :param lowercase: convert the texts to lower case first
        :param threads: the number of threads, by default one; it does not affect the result
        :param choices: options of the metric, see :func:`cybleu.metrics.find`
        :raises ArrayValueError: the texts of the hypotheses are not known
        :raises LengthMismatchError: the number of lists of references differs from the number of segments

        >>> nbest = NBest.from_texts([["the cat sat", "a cat"]], [["a cat sat"]], [[1.0], [2.0]], tokenize=str.split)
        >>> by_characters = nbest.with_metric("chrf", [["a cat sat"]])
        >>> by_characters.score.evaluate(by_characters.stats[0].tolist())
        67.23...
        """
        if self.texts is None:
            raise ArrayValueError("the texts of the hypotheses are not known, so another metric cannot count them")
        found = split_on_blanks(find(metric, tokenize=tokenize, lowercase=lowercase or None, **choices))
        prepared = prepare_references(references, len(self))
        rows = count(found, read_lines(self.texts), prepared, owners_of(self.offsets), threads)
        with_score = self._with(score=found)
        return with_score._with(stats=with_score._checked_stats(rows))

    def to_moses(self, features: Path, scores: Path) -> None:
        """Write the two text files of Moses's extractor, with numbers in full precision.

        A file is compressed if its name ends in ``.gz``. The files do not contain texts or segments without hypotheses.

        :param features: the path of the feature file
        :param scores: the path of the file of statistics
        :raises StatisticsError: the statistics are not those of BLEU
        :raises InputFileError: a file cannot be written
        """
        lists.extractor.write(self, features, scores)

    def write(self, path: Path, format: str = "moses") -> None:  # noqa: A002
        """Write an n-best list, with numbers in full precision.

        :param path: the path of the file, which is compressed if its name ends in ``.gz``
        :param format: ``moses`` or ``joshua``
        :raises CybleuError: texts or model scores are not known; a name or a text cannot be written in the format
        """
        lists.writing.write(self, path, format)


def _kept(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array contiguous and read-only for good: of a buffer that is read-only, NumPy refuses to set `writeable`."""
    array = in_place(array)
    return np.asarray(array.data.toreadonly()) if array.flags.writeable else array


def _check_shape(array: NDArray[Any], name: str, dimensions: int, count: int | None, what: str = "hypotheses") -> None:
    if array.ndim != dimensions:
        raise ArrayValueError(f"{name} has {array.ndim} dimensions; it must have {dimensions}")
    if count is not None and len(array) != count:
        raise LengthMismatchError(f"{name} has {len(array)} entries, but there are {count} {what}")


def _floats(values: Any, name: str, dimensions: int, count: int | None = None) -> NDArray[np.float64]:
    array = floats_given(array_given(values, name, copy=True), name)
    _check_shape(array, name, dimensions, count)
    return _kept(array)


def check_nbest(nbest: object) -> None:
    """Check the type of an n-best list.

    :raises SequenceTypeError: it is not an `NBest`
    """
    if not isinstance(nbest, NBest):
        raise SequenceTypeError(
            f"the n-best list is of the type {type(nbest).__name__}; create an NBest with NBest.from_files, "
            "NBest.from_texts or NBest"
        )


def _whole_numbers(values: Any, name: str, count: int | None, what: str) -> NDArray[np.int64]:
    """Copy whole numbers, so that they cannot change after validation."""
    array = integers(values, name, (1,))
    _check_shape(array, name, 1, count, what)
    if array.size and array.min() < 0:
        raise ArrayValueError(f"{name} holds {array.min()}; its numbers must be from 0")
    return _kept(array.astype(np.int64))


def _offsets(values: Any, name: str, total: int, of_what: str) -> NDArray[np.int64]:
    offsets = _whole_numbers(values, name, None, "numbers")
    ends = [*offsets[:1].tolist(), *offsets[-1:].tolist()]
    if ends != [0, total]:
        raise ArrayValueError(f"{name} must begin with 0 and end with the number of {of_what}, {total}, not {ends}")
    if (offsets[1:] < offsets[:-1]).any():
        position = int((offsets[1:] < offsets[:-1]).argmax())
        raise ArrayValueError(f"{name} falls from {offsets[position]} to {offsets[position + 1]} at {position + 1}")
    return offsets


def check_apart(dense: Sequence[str], sparse: Sequence[str]) -> None:
    """Check that no feature is both dense and sparse."""
    both = set(dense).intersection(sparse)
    if both:
        raise FeatureError(f"feature {shown(min(both))} is both dense and sparse")


def feature_names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Check the names of features; None means ``f0``, ``f1`` ..."""
    if names is None:
        return tuple(f"f{column}" for column in range(count))
    if isinstance(names, str):
        raise FeatureError(f"names is the text {shown(names)}; it must be a list with a name for each feature")
    names = tuple(names)
    if len(names) != count:
        raise FeatureError(f"there are {len(names)} names, but {count} features")
    for position, name in enumerate(names):
        if not isinstance(name, str) or not re.fullmatch(r"[^ \t\n]+", name):
            raise FeatureError(
                f"names[{position}] is {shown(name) if isinstance(name, str) else repr(name)}; a name is a text "
                "without blanks"
            )
    if len(set(names)) != count:
        raise FeatureError(f"the name {shown(next(name for name in names if names.count(name) > 1))} appears twice")
    return names
