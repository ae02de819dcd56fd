"""`NBest`, the n-best list: hypotheses with their features and statistics, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any

from .._files.text import Naming, Path, keyword
from .._files.writing import writing
from .._runtime.arrays import NDArray, in_place, np
from .._runtime.numbers import check_whole, counted
from ..errors import ArrayValueError, SequenceTypeError
from ..metrics import Metric, Variant, find
from ..text.reading import read_groups, read_lines, read_texts
from .extractor import read_moses, write_moses
from .features import Axes, SparseFeatures, owners_of
from .parts import Part, by_segment, joined_parts, part_of
from .reading import Reading, bleu_of_lists, count_texts, known_texts, prepare_references, split_on_blanks
from .validation import (
    Places,
    checked_floats,
    checked_integers,
    checked_offsets,
    checked_sparse,
    checked_stats,
    checked_texts,
    feature_names,
)
from .writing import nbest_lines


@dataclass(frozen=True, init=False, repr=False, eq=False)
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
        dense = checked_floats(features, "features", 2)
        hypotheses = len(dense)
        bounds = checked_offsets(offsets, "offsets", hypotheses, "rows of features")
        segments = len(bounds) - 1
        if inputs is None:
            inputs = hypotheses  # nothing was dropped
        check_whole(inputs, "inputs", 0, 2**63 - 1, error=ArrayValueError)
        dense_names = feature_names(names, dense.shape[1])
        if ids is None:
            ids = np.arange(segments, dtype=np.int64)
        places = Places(bounds, checked_integers(ids, "ids", segments, "segments"))
        if index is None:
            index = np.arange(hypotheses, dtype=np.int64)
        indices = checked_integers(index, "index", hypotheses, "hypotheses")
        if hypotheses and indices.max() >= inputs:
            raise ArrayValueError(f"index holds {indices.max()}, but the input had {inputs} hypotheses")
        if not np.isfinite(dense).all():
            row, column = np.argwhere(~np.isfinite(dense))[0]
            raise places.not_finite(dense_names[column], row, dense[row, column])
        # in the order in which mistakes are reported
        part = Part(
            offsets=bounds,
            ids=places.ids,
            features=dense,
            names=dense_names,
            stats=checked_stats(stats, places, score),
            texts=None if texts is None else checked_texts(texts, places),
            sparse=None if sparse is None else checked_sparse(sparse, dense_names, places),
            model_scores=None if model_scores is None else checked_floats(model_scores, "model_scores", 1, hypotheses),
            index=indices,
        )
        if part.model_scores is not None:
            places.check_finite(part.model_scores, "model score")
        self._own(part, score, inputs)

    @classmethod
    def unchecked(
        cls, part: Part, score: Callable[[Any], float] | Metric | None = None, inputs: int | None = None
    ) -> NBest:
        """Create a list from arrays that are known to be valid; they are not copied.

        :param part: the arrays, as readers of files return them; nobody else may write to them
        :param score: see :class:`NBest`
        :param inputs: see :class:`NBest`
        """
        hypotheses = len(part.features)
        if part.stats is None:
            part = replace(part, stats=np.zeros((hypotheses, 0)))
        if part.index is None:
            part = replace(part, index=np.arange(hypotheses, dtype=np.int64))
        nbest = object.__new__(cls)
        nbest._own(part, score, hypotheses if inputs is None else inputs)
        return nbest

    def _own(self, part: Part, score: Callable[[Any], float] | Metric | None, inputs: int) -> None:
        for name, value in {**vars(part), "score": score, "inputs": inputs}.items():
            object.__setattr__(self, name, _read_only(value))  # the only way to set a field of a frozen dataclass

    def __reduce__(self) -> tuple[Any, ...]:
        # pickles are validated like other arguments, because they may be made by hand
        return partial(type(self), **{field.name: getattr(self, field.name) for field in fields(self)}), ()

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

    @cached_property
    def all_names(self) -> tuple[str, ...]:
        """The names of all features, sparse ones after dense ones."""
        return self.names if self.sparse is None else (*self.names, *self.sparse.names)

    @cached_property
    def axes(self) -> Axes:
        """The features as the backend weighs them, and as axes of the space of weights."""
        return Axes(self.offsets, self.features, self.sparse)

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
        metric = bleu_of_lists(tokenize, lowercase, max_order, reference_length)
        texts, bounds = read_groups(hypotheses, "hypotheses")
        batch = read_texts(texts, "hypotheses", bounds=bounds)
        offsets = np.array(bounds, dtype=np.int64)
        stats = count_texts(metric, batch, prepare_references(references, len(bounds) - 1), owners_of(offsets), threads)
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
        prepared = prepare_references(references)
        reading = Reading(
            first_id=first_id,
            size=size,
            features=features,
            names=names,
            tokenize=tokenize,
            lowercase=lowercase,
            max_order=max_order,
            reference_length=reference_length,
            texts=texts,
            threads=threads,
            progress=progress,
            naming=naming,
        )
        parts = reading.parts(path, format, prepared)
        # the lines of a segment may be anywhere in the file
        return cls.unchecked(by_segment(joined_parts(parts), len(prepared), int(first_id)))

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
        first_id = check_whole(first_id, "first_id", 0, error=ArrayValueError)
        if segments is not None:
            segments = check_whole(segments, "segments", 0, error=ArrayValueError)
        return cls.unchecked(read_moses(features, scores, segments, first_id, naming))

    def with_metric(
        self,
        metric: str | Metric | Variant,
        references: Any,
        *,
        tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
        lowercase: bool = False,
        threads: int | None = None,
        **options: Any,
    ) -> NBest:
        """Return a list with the statistics of another metric, which oracles and tuners then use.

        :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts
        :param references: for each segment a list of texts (str or bytes); or prepared :class:`cybleu.References`; or
            paths of text files with one segment on each line
        :param tokenize: the tokeniser of the texts; by default they are split on white space. Metrics of raw text, such
            as ``chrf``, accept no tokeniser
        :param lowercase: convert the texts to lower case first
        :param threads: the number of threads, by default one; it does not affect the result
        :param options: options of the metric, see :func:`cybleu.metrics.find`
        :raises ArrayValueError: the texts of the hypotheses are not known
        :raises LengthMismatchError: the number of lists of references differs from the number of segments

        >>> nbest = NBest.from_texts([["the cat sat", "a cat"]], [["a cat sat"]], [[1.0], [2.0]], tokenize=str.split)
        >>> by_characters = nbest.with_metric("chrf", [["a cat sat"]])
        >>> by_characters.score.evaluate(by_characters.stats[0].tolist())
        67.23...
        """
        if self.texts is None:
            raise ArrayValueError("the texts of the hypotheses are not known, so another metric cannot count them")
        # the texts of lists are tokens that are split at blanks, unless the metric has its own tokeniser
        found = split_on_blanks(find(metric, tokenize=tokenize, lowercase=lowercase or None, **options))
        prepared = prepare_references(references, len(self))
        rows = count_texts(found, read_lines(self.texts), prepared, owners_of(self.offsets), threads)
        stats = checked_stats(rows, Places(self.offsets, self.ids), found)
        return NBest.unchecked(replace(part_of(self), stats=stats), found, self.inputs)

    def to_moses(self, features: Path, scores: Path) -> None:
        """Write the two text files of Moses's extractor, with numbers in full precision.

        A file is compressed if its name ends in ``.gz``. The files do not contain texts or segments without hypotheses.

        :param features: the path of the feature file
        :param scores: the path of the file of statistics
        :raises StatisticsError: the statistics are not those of BLEU
        :raises InputFileError: a file cannot be written
        """
        write_moses(self, features, scores)

    def write(self, path: Path, format: str = "moses") -> None:  # noqa: A002
        """Write an n-best list, with numbers in full precision.

        :param path: the path of the file, which is compressed if its name ends in ``.gz``
        :param format: ``moses`` or ``joshua``
        :raises CybleuError: texts or model scores are not known; a name or a text cannot be written in the format
        """
        lines = nbest_lines(self, format)
        with writing(path) as file:
            file.writelines(lines)


def _read_only(value: Any) -> Any:
    """Return an array contiguous and read-only for good: of a buffer that is read-only, NumPy refuses to set `writeable`."""
    if isinstance(value, SparseFeatures):
        return SparseFeatures(*map(_read_only, value))
    if not isinstance(value, np.ndarray):
        return value
    array = in_place(value)
    return np.asarray(array.data.toreadonly()) if array.flags.writeable else array


def check_nbest(nbest: object) -> None:
    """Check the type of an n-best list.

    :raises SequenceTypeError: it is not an `NBest`
    """
    if not isinstance(nbest, NBest):
        raise SequenceTypeError(
            f"the n-best list is of the type {type(nbest).__name__}; create an NBest with NBest.from_files, "
            "NBest.from_texts or NBest"
        )
