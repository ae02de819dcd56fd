"""Read files of n-best lists: as a stream, or into an :class:`cybleu.nbest.NBest`.

Formats:

- ``moses``: ``id ||| tokens ||| Name= v v Other= v sparse_name= v ||| score``. Fields after the score, such as alignments,
  are skipped. The values of a name are the features ``Name_0``, ``Name_1`` ..., as Moses's extractor names them; if a name
  appears again, the numbers continue. A name with ``_`` is one sparse feature. Old labels, ``name:``, are accepted, too;
  values without labels are ``f0``, ``f1`` ... All lines must have the same dense features.
- ``joshua``: ``id ||| tokens ||| name=v other=v ||| score``, as Joshua and cdec write. A feature that is missing in a
  line is 0, as in these decoders.
- ``plain``: the tokens alone; each segment has `size` lines. Features come from another file: numbers separated by white
  space, the same number in every line.

- ``fairseq``: the output of ``fairseq-generate`` and ``fairseq-interactive``: ``H-id``, a tab, the score, a tab, the tokens,
  with segments in any order. The score is the only feature, ``score``. Lines that do not begin with ``H-`` are ignored.
- ``json``: JSON lines of model servers, and Sockeye's; see :func:`read_segments`.

``|||`` separates fields, with or without blanks around it, and cannot be part of a token. Files are UTF-8; gzip is
recognised by its first bytes; ``-`` is standard input. Files whose names end in ``.gz`` are written compressed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from .._files.text import Lines, shown
from .._runtime.arrays import bincount, np, repeat
from .._runtime.exclusive import exclusive
from .._runtime.parallel import in_order
from ..errors import ArrayValueError, InputFileError, UnknownNameError
from .container import NBest, whole_number
from .formats import FieldLines, Record, fairseq, plain
from .json_lines import json_lines
from .references import SpanCounter, prepare_references
from .sparse import SparseFeatures, no_features

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Path = str | PathLike[str]
    Split = Callable[[str], list[str]]

__all__ = ["Segment", "chunks", "read_segments"]

FORMATS = ("moses", "joshua", "plain", "fairseq", "json")


class Segment(NamedTuple):
    """Consecutive hypotheses of one segment in a file.

    :param id: as in the file
    :param texts: a text for each of the n hypotheses
    :param features: float64 `(n, F)`
    :param names: of the features in the lines so far. In the ``joshua`` format later lines may add more
    :param model_scores: the scores that the decoder gave the hypotheses, float64 `(n,)`; None in the ``plain`` format
    :param sparse: the sparse features, None if there are none

    >>> import pathlib, tempfile
    >>> from cybleu.nbest import read_segments
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "nbest"
    >>> _ = path.write_text("0 ||| it rains ||| lm= -1 ||| -1\\n0 ||| rain falls ||| lm= -2 ||| -2\\n")
    >>> segment = next(read_segments(path))
    >>> segment.id, segment.features.tolist(), segment.names, segment.model_scores
    (0, [[-1.0], [-2.0]], ('lm_0',), array([-1., -2.]))
    """

    id: int
    texts: list[str]
    features: NDArray[np.float64]
    names: tuple[str, ...]
    model_scores: NDArray[np.float64] | None
    sparse: SparseFeatures | None


@exclusive
def read_segments(
    path: Path,
    format: str | None = None,  # noqa: A002
    *,
    size: int | None = None,
    features: Path | None = None,
    names: Sequence[str] | None = None,
    progress: bool = False,
) -> Iterator[Segment]:
    """Read the segments of an n-best list in a file, one at a time, in the order of the file.

    If the lines of a segment are not consecutive, each group of them is yielded as a segment. An empty file has no
    segments.

    :param path: of the file, which may be compressed by gzip; ``-`` is standard input
    :param format: ``moses``, ``joshua``, ``plain``, ``fairseq`` or ``json``; by default one of the first
        two, detected from the first lines
    :param size: in the ``plain`` format: how many lines each segment has
    :param features: in the ``plain`` format: the file with the features
    :param names: of these features, by default ``f0``, ``f1`` ...
    :param progress: show a progress bar (requires tqdm)
    :raises InputFileError: a file cannot be read, or a line is wrong; the message names file, line and reason
    :raises ValueError: two threads read one iterator at the same time

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "nbest"
    >>> _ = path.write_text("0 ||| it rains ||| lm= -1 ||| -1\\n1 ||| so it is ||| lm= -2 ||| -2\\n")
    >>> [(segment.id, segment.texts) for segment in read_segments(path)]
    [(0, ['it rains']), (1, ['so it is'])]
    """
    for chunk in chunks(path, format, size=size, features=features, names=names, progress=progress):
        scores, sparse = chunk.model_scores, chunk.sparse
        for number, identity in enumerate(chunk.ids.tolist()):
            rows = chunk.segment(number)
            yield Segment(
                identity,
                (chunk.texts or [])[rows],
                chunk.features[rows],
                chunk.names,
                None if scores is None else scores[rows],
                None if sparse is None else sparse.part(rows.start, rows.stop),
            )


@exclusive
def chunks(
    path: Path,
    format: str | None = None,  # noqa: A002
    references: Any = None,
    *,
    size: int | None = None,
    features: Path | None = None,
    names: Sequence[str] | None = None,
    progress: bool = False,
    **counting: Any,
) -> Iterator[NBest]:
    """Read an n-best list in a file as lists of some whole segments, in the order of the file.

    If the lines of a segment are not consecutive, each group of them is a segment; `names` of a list are those in the lines
    so far. The other parameters are those of :meth:`cybleu.nbest.NBest.from_files`.

    :param references: None if the hypotheses are not counted; then `stats` has no columns
    :param counting: how they are counted: `first_id`, `tokenize`, `lowercase`, `max_order`, `reference_length`
    :raises InputFileError: a file cannot be read, or a line is wrong; the message names file, line and reason
    :raises ValueError: two threads read one iterator at the same time

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "nbest"
    >>> _ = path.write_text("0 ||| it rains ||| lm= -1 ||| -1\\n1 ||| so it is ||| lm= -2 ||| -2\\n")
    >>> [(chunk.ids.tolist(), chunk.texts) for chunk in chunks(path)]
    [([0], ['it rains']), ([1], ['so it is'])]
    """
    counter = None if references is None else SegmentCounter(references, **counting)
    with Source(path, format, size, features, names) as source:
        parts: list[NBest] = []
        for part in source.lists(counter, progress=progress):
            if format == "json":  # a line is a whole segment
                yield part
                continue
            if parts and parts[0].ids[-1] != part.ids[0]:
                yield joined(parts)
                parts = []
            if len(part) > 1:
                yield joined([*parts, _segments(part, 0, len(part) - 1)])
                parts = []
            parts.append(_segments(part, len(part) - 1, len(part)))
        if parts:
            yield joined(parts)


def _segments(nbest: NBest, start: int, stop: int) -> NBest:
    """Return the segments from `start` to before `stop`."""
    first, last = nbest.offsets[start], nbest.offsets[stop]
    return nbest._take(slice(int(first), int(last)), nbest.offsets[start : stop + 1] - first, ids=nbest.ids[start:stop])


class Source:
    """An open file in one of the formats. `size`, `features` and `names` are for the plain format."""

    def __init__(
        self, path: Path, form: str | None, size: int | None, features: Path | None, names: Sequence[str] | None
    ):
        if form is not None and form not in FORMATS:
            raise UnknownNameError(f"unknown format {shown(form)}; use one of {', '.join(FORMATS)}")
        is_plain = form == "plain" or (form is None and size is not None)
        if is_plain and (type(size) is not int or size < 1):
            raise ArrayValueError(
                f"size is {size!r}; the plain format needs the number of lines of each segment, from 1"
            )
        if not is_plain and not (size is None and features is None and names is None):
            raise ArrayValueError("size, features and names are for the plain format, a file without fields")
        self.has_bars = form in ("moses", "joshua", None) and not is_plain
        self._records: Iterator[Record]
        with ExitStack() as stack:
            self.file = stack.enter_context(Lines(path))
            if is_plain:
                table = None if features is None else stack.enter_context(Lines(features))
                self._records = plain(self.file, size or 0, table, names)
            elif form == "fairseq":
                self._records = fairseq(self.file)
            elif form == "json":
                self._records = json_lines(self.file)
            else:
                self._records = FieldLines(self.file, form).records()
            self._files = stack.pop_all()

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *exception: object) -> None:
        self._files.close()

    def lists(
        self,
        counting: SegmentCounter | None,
        texts: bool = True,
        alike: bool = False,
        threads: int | None = None,
        progress: bool = False,
    ) -> Iterator[NBest]:
        """Yield the hypotheses of some lines at a time.

        :param counting: counts the hypotheses if it is not None
        :param texts: whether to keep the texts
        :param alike: either all hypotheses must have scores or none
        """

        def finished(record: Record) -> NBest:
            stats = None if counting is None else counting.rows(record, self.has_bars)
            return record.nbest._with(stats=stats, texts=record.texts() if texts else None)

        records = self._records
        if counting is not None:
            records = counting.checked(self.file, records)
        if alike:
            records = _alike(self.file, records)
        # a tokeniser that the caller passed runs in the caller's thread
        in_threads = threads if counting is None or counting.counter.own else 1
        return in_order(finished, self.file.watched(records, progress), in_threads)


class SegmentCounter:
    """References, against which hypotheses of files are counted. The parameters are those of :meth:`NBest.from_files`."""

    def __init__(
        self,
        references: Any,
        first_id: int = 0,
        tokenize: str | Split = "unicode",
        lowercase: bool = False,
        max_order: int | None = None,
        reference_length: str | None = None,
    ):
        self.first_id = whole_number(first_id, "first_id")
        prepared = prepare_references(references, tokenize, max_order, reference_length, lowercase)
        self.segments = len(prepared)
        self.counter = SpanCounter(prepared, tokenize, lowercase)

    def rows(self, record: Record, has_bars: bool) -> NDArray[np.int64]:
        """Return the statistics of a record.

        :param has_bars: whether hypotheses are between ``|||``
        """
        if has_bars and self.counter.with_blanks:
            record = record.with_blanks()
        owners = repeat(record.nbest.ids - self.first_id, np.diff(record.nbest.offsets))
        return self.counter.rows(record.data, record.begins, record.ends, owners)

    def checked(self, file: Lines, records: Iterable[Record]) -> Iterator[Record]:
        """Yield records; an id beyond the references is an error."""
        first = None
        for record in records:
            owners = record.nbest.ids - self.first_id
            first = record.nbest.ids[0] if first is None else first
            wrong = ((owners < 0) | (owners >= self.segments)) & (np.diff(record.nbest.offsets) > 0)
            if wrong.any():
                segment = int(wrong.argmax())
                number = int(record.nbest.ids[segment])
                from_one = self.first_id == 0 and first > 0 and number == self.segments
                start = (
                    "they seem to start at 1 here: give first_id=1"
                    if from_one
                    else "give first_id= if they start elsewhere"
                )
                raise InputFileError(
                    f"{file.name}, line {record.lines[record.nbest.offsets[segment]]}: the id is {number}, and the references "
                    f"are of {self.segments} segments, so ids go from {self.first_id} to "
                    f"{self.first_id + self.segments - 1}; {start}"
                )
            yield record


def _alike(file: Lines, records: Iterable[Record]) -> Iterator[Record]:
    """Yield records; it is an error if some have scores of the decoder and others have none."""
    scored = None
    for record in records:
        has = record.nbest.model_scores is not None
        if len(record.lines):
            if scored not in (None, has):
                what = "no score, and those before have one" if scored else "a score, and those before have none"
                raise InputFileError(f"{file.name}, line {record.lines[0]}: the hypotheses have {what}")
            scored = has
        yield record
    if not file.count:
        raise InputFileError(f"{file.name}: there is no line in it")


def read(source: Source, counting: SegmentCounter, texts: bool, threads: int | None, progress: bool) -> NBest:
    """Read a whole list; see :meth:`cybleu.nbest.NBest.from_files`."""
    with source:
        nbest = joined(source.lists(counting, texts, True, threads, progress), partial(share, source.file))
    return by_segment(nbest, nbest.ids - counting.first_id, counting.segments, counting.first_id)


# ---------------------------------------------------------------------------------------------------------- parts of lists


def share(file: Lines) -> float:
    """Return an estimate of the share of a file that was read."""
    size, position = file.size, file.position()
    return position / size if size and 0 < position <= size else 0.5


class _Rows:
    """Growing array of rows, which never holds all rows twice in memory. A new column is 0 in earlier rows.

    :param read_share: returns an estimate of the share of all rows that was added
    """

    def __init__(self, dtype: Any, read_share: Callable[[], float]) -> None:
        self._rows: NDArray[Any] = np.empty((0, 0), dtype)
        self._count = 0
        self._share = read_share

    def add(self, rows: NDArray[Any]) -> None:
        """Add rows `(n, columns)`."""
        before, count = self._rows, self._count + len(rows)
        width = max(rows.shape[1], before.shape[1])
        if count > len(before) or width > before.shape[1]:
            # memory that is not written to is not used
            expected = max(count, int(1.1 * count / self._share()), int(1.25 * len(before)))
            self._rows = np.empty((expected, width), before.dtype)
            self._rows[: self._count, : before.shape[1]] = before[: self._count]
            self._rows[: self._count, before.shape[1] :] = 0
        self._rows[self._count : count, : rows.shape[1]] = rows
        self._rows[self._count : count, rows.shape[1] :] = 0
        self._count = count

    def rows(self) -> NDArray[Any]:
        return self._rows[: self._count]


def joined(parts: Iterable[NBest], read_share: Callable[[], float] = lambda: 1.0) -> NBest:
    """Concatenate lists of consecutive hypotheses. A segment may begin in one list and end in the next.

    :param read_share: returns an estimate of the share of all hypotheses that were read
    """
    features, scores, values = (_Rows(np.float64, read_share) for _ in range(3))
    sizes, columns = (_Rows(np.int64, read_share) for _ in range(2))
    stats: _Rows | None = None
    ids, counts = [], []
    texts: list[str] = []
    for part in parts:
        ids.append(part.ids)
        counts.append(np.diff(part.offsets))
        features.add(part.features)
        stats = stats or _Rows(part.stats.dtype, read_share)
        stats.add(part.stats)
        texts += part.texts or ()
        if part.model_scores is not None:
            scores.add(part.model_scores[:, None])
        sparse = part.sparse or no_features(len(part.features))
        sizes.add(np.diff(sparse.indptr)[:, None])
        columns.add(sparse.columns[:, None])
        values.add(sparse.values[:, None])
    assert stats is not None
    every = np.concatenate(ids)
    begins = np.append(0, np.cumsum(np.concatenate(counts)))
    starts = np.append(True, every[1:] != every[:-1])
    if part.sparse is not None:
        indptr = np.append(0, np.cumsum(sizes.rows()))
        sparse = SparseFeatures(indptr, columns.rows().ravel(), values.rows().ravel(), part.sparse.names)
    return NBest._of(
        offsets=np.append(begins[:-1][starts], begins[-1]),
        ids=every[starts],
        features=features.rows(),
        stats=stats.rows(),
        names=part.names,
        texts=None if part.texts is None else texts,
        model_scores=None if part.model_scores is None else scores.rows().ravel(),
        sparse=None if part.sparse is None else sparse,
    )


def by_segment(nbest: NBest, numbers: NDArray[np.int64], segments: int, first_id: int) -> NBest:
    """Sort hypotheses by segment, of which some may have none.

    :param numbers: for each segment of the list its number, from 0
    :param segments: how many there are
    """
    owners = repeat(numbers, np.diff(nbest.offsets))
    offsets = np.append(0, np.cumsum(bincount(owners, minlength=segments)))
    ids = np.arange(segments, dtype=np.int64) + first_id
    if (owners[1:] >= owners[:-1]).all():
        return nbest._with(offsets=offsets, ids=ids)
    return nbest._take(np.argsort(owners, kind="stable"), offsets, ids=ids)
