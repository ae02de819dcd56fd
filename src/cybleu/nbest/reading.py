"""Read files of n-best lists: as a stream, or into an :class:`cybleu.nbest.NBest`.

Formats:

- ``moses``: ``id ||| tokens ||| Name= v v Other= v sparse_name= v ||| score``. Fields after the score, such as
  alignments, are skipped. The values of a name are the features ``Name_0``, ``Name_1`` ..., as in Moses's extractor; if
  a name appears again, the numbering continues. A name with ``_`` is one sparse feature. Old labels, ``name:``, are
  also accepted. Values without labels are ``f0``, ``f1`` ... All lines must have the same dense features.
- ``joshua``: ``id ||| tokens ||| name=v other=v ||| score``, as written by Joshua and cdec. A feature that is missing in
  a line is 0, as in these decoders.
- ``plain``: the tokens alone; each segment has `size` lines. Features come from another file: numbers separated by
  blanks, the same number in every line.
- ``fairseq``: the output of ``fairseq-generate`` and ``fairseq-interactive``: ``H-id``, a tab, the score, a tab, the
  tokens, with segments in any order. The score is the only feature, ``score``. Lines that do not begin with ``H-`` are
  ignored.
- ``json``: JSON lines of model servers and of Sockeye: :mod:`cybleu.nbest.json_lines` describes them.

``|||`` separates fields, with or without blanks around it, and cannot be part of a token. Features are separated by
spaces and tabs, and by no other white space. Files are UTF-8; gzip is recognised by its first bytes; ``-`` is standard
input. Files whose names end in ``.gz`` are written compressed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from .._files.text import Lines, Naming, keyword, shown
from .._runtime.arrays import bincount, np, repeat
from .._runtime.numbers import check_whole
from .._runtime.parallel import in_order
from ..errors import ArrayValueError, InputFileError, MixedTokensError, UnknownNameError
from .container import NBest
from .formats import Record, fairseq, field_lines, on_line
from .json_lines import json_lines
from .references import bleu, count, prepare_references
from .sparse import SparseFeatures, no_features
from .tables import plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric
    from ..metrics.references import References

    Path = str | PathLike[str]

__all__ = ["Segment", "chunks", "read_segments"]

READERS = {"fairseq": fairseq, "json": json_lines}  # of formats without options
# The commands name them, too, without importing this module: in `cli/lists.py` and `cli/tuning.py`.
FORMATS = ("moses", "joshua", "plain", *READERS)


class Segment(NamedTuple):
    """Consecutive hypotheses of one segment in a file.

    :param id: the id in the file
    :param texts: a text for each of the n hypotheses
    :param features: float64 `(n, F)`
    :param names: the names of the features in the lines so far. In the ``joshua`` format, later lines may add more
    :param model_scores: the scores of the hypotheses by the decoder, float64 `(n,)`; None in the ``plain`` format
    :param sparse: the sparse features; None if there are none

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


def read_segments(path: Path, format: str | None = None, **reading: Any) -> Iterator[Segment]:  # noqa: A002
    """Read the segments of an n-best list in a file, one at a time, in the order of the file.

    If the lines of a segment are not consecutive, each run of consecutive lines is yielded as a segment.

    :param path: the path of the file, which may be compressed by gzip; ``-`` is standard input
    :param format: ``moses``, ``joshua``, ``plain``, ``fairseq`` or ``json``; by default ``plain`` if `size` is given,
        and otherwise ``moses`` or ``joshua``, detected from the first lines
    :param reading: `progress`, and in the ``plain`` format `size`, `features` and `names`; see
        :meth:`cybleu.nbest.NBest.from_files`
    :raises InputFileError: a file cannot be read, or a line is invalid; the message names the file, line and reason
    :raises ValueError: two threads read one iterator at the same time

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "nbest"
    >>> _ = path.write_text("0 ||| it rains ||| lm= -1 ||| -1\\n1 ||| so it is ||| lm= -2 ||| -2\\n")
    >>> [(segment.id, segment.texts) for segment in read_segments(path)]
    [(0, ['it rains']), (1, ['so it is'])]
    """
    for chunk in chunks(path, format, **reading):
        scores, sparse = chunk.model_scores, chunk.sparse
        for number, identity in enumerate(chunk.ids.tolist()):
            rows = chunk.segment(number)
            yield Segment(
                identity,
                (chunk.texts or [])[rows],
                chunk.features[rows],
                chunk.names,
                None if scores is None else scores[rows],
                None if sparse is None else sparse.rows(rows),
            )


def chunks(
    path: Path,
    format: str | None = None,  # noqa: A002
    references: Any = None,
    **reading: Any,
) -> Iterator[NBest]:
    """Read an n-best list in a file as a sequence of smaller lists of whole segments, in the order of the file.

    If the lines of a segment are not consecutive, each run of consecutive lines is a segment. The `names` of a list are
    the names in the lines so far.

    :param path: the path of the file, see :func:`read_segments`
    :param format: see :func:`read_segments`
    :param references: the references; None if you need no statistics, and then `stats` has no columns
    :param reading: options for reading and counting the list, see :meth:`cybleu.nbest.NBest.from_files`
    :raises InputFileError: a file cannot be read, or a line is invalid; the message names the file, line and reason
    :raises ValueError: two threads read one iterator at the same time

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "nbest"
    >>> _ = path.write_text("0 ||| it rains ||| lm= -1 ||| -1\\n1 ||| so it is ||| lm= -2 ||| -2\\n")
    >>> [(chunk.ids.tolist(), chunk.texts) for chunk in chunks(path)]
    [([0], ['it rains']), ([1], ['so it is'])]
    """
    held: list[NBest] = []  # the last segment, which may continue
    for part in read_parts(path, format, references, **reading):
        if len(part) > 1 or (held and held[-1].ids[-1] != part.ids[0]):
            yield joined([*held, _segments(part, 0, len(part) - 1)])
            held = []
        held.append(_segments(part, len(part) - 1, len(part)))
    yield joined(held)


def _segments(nbest: NBest, start: int, stop: int) -> NBest:
    """Return the segments from `start` to before `stop`."""
    first, last = nbest.offsets[start], nbest.offsets[stop]
    return nbest._take(slice(int(first), int(last)), nbest.offsets[start : stop + 1] - first, ids=nbest.ids[start:stop])


def read_parts(
    path: Path,
    form: str | None,
    references: Any,
    first_id: int = 0,
    *,
    size: int | None = None,
    features: Path | None = None,
    names: Sequence[str] | None = None,
    texts: bool = True,
    threads: int | None = None,
    progress: bool = False,
    naming: Naming = keyword,
    **counting: Any,
) -> Iterator[NBest]:
    """Read the hypotheses of some lines at a time. A segment may begin in one list and end in the next.

    :param references: None if the hypotheses are not counted
    :param first_id: the id of their first segment
    :param texts: whether to keep the texts
    :param naming: see :meth:`cybleu.nbest.NBest.from_files`
    :param counting: see :func:`bleu`
    """
    if form is not None and form not in FORMATS:
        raise UnknownNameError(f"unknown format {shown(form)}; use one of {', '.join(FORMATS)}")
    is_plain = form == "plain" or (form is None and size is not None)
    if is_plain and (type(size) is not int or size < 1):
        raise ArrayValueError(
            f"plain text has no segment ids; it requires {naming('size')}, the number of lines of each segment, from 1"
        )
    if not is_plain and not (size is None and features is None and names is None):
        raise ArrayValueError("size, features and names are only for the plain format, a file without fields")
    metric = bleu(**counting)
    if references is not None:
        check_whole(first_id, "first_id", 0, 2**53, error=ArrayValueError)
        references = prepare_references(references)
        if references.kind == "ids":
            raise MixedTokensError("the references are token ids, but the hypotheses are texts")
        if not metric.tokenization.own:
            threads = 1  # a tokeniser of the caller runs in the caller's thread

    def finished(record: Record) -> NBest:
        stats = None if references is None else _counted(file, record, metric, references, first_id, naming)
        return record.nbest._with(stats=stats, texts=record.raw_text().lists() if texts else None)

    with Lines(path) as file:
        if is_plain:
            records = plain(file, size or 0, features, names)
        elif form in READERS:
            records = READERS[form](file)
        else:
            records = field_lines(file, form, naming)
        yield from in_order(finished, file.watched(records, progress), threads)


def _counted(
    file: Lines, record: Record, metric: Metric, references: References, first_id: int, naming: Naming
) -> NDArray[np.int64]:
    """Return the statistics of a record; an id beyond the references is an error."""
    numbers, sizes = record.nbest.ids - first_id, np.diff(record.nbest.offsets)
    wrong = ((numbers < 0) | (numbers >= len(references))) & (sizes > 0)
    if wrong.any():
        place = int(wrong.argmax())
        with on_line(file, record.lines[record.nbest.offsets[place]]):
            raise InputFileError(
                f"the id is {record.nbest.ids[place]}, but the references have {len(references)} segments, with ids "
                f"from {first_id} to {first_id + len(references) - 1}; use {naming('first_id', 1)} or another "
                f"number if the ids do not begin at {first_id}, and more references if they do"
            )
    return count(metric, record.raw_text(), references, repeat(numbers, sizes))


# ---------------------------------------------------------------------------------------------------------- parts of lists


class GrowingRows:
    """Growing array of rows. Memory that is reserved and not written to is not used.

    Earlier rows have 0 in the columns that only later rows have, as in Joshua's format.
    """

    def __init__(self, like: NDArray[Any]):
        self._rows, self._count = np.empty((0, *like.shape[1:]), like.dtype), 0

    def add(self, rows: NDArray[Any]) -> None:
        begin, self._count = self._count, self._count + len(rows)
        if self._count > len(self._rows) or rows.shape[1:] != self._rows.shape[1:]:
            larger = np.zeros((2 * self._count, *rows.shape[1:]), rows.dtype)
            larger[(slice(begin), *map(slice, self._rows.shape[1:]))] = self._rows[:begin]
            self._rows = larger
        self._rows[begin : self._count] = rows

    def rows(self) -> NDArray[Any]:
        return self._rows[: self._count]


def joined(parts: Iterable[NBest]) -> NBest:
    """Concatenate lists of consecutive hypotheses. A segment may begin in one list and end in the next."""
    growing: dict[str, GrowingRows] = {}
    texts: list[str] = []
    for part in parts:
        sparse = part.sparse or no_features(len(part.features))
        arrays = {
            "features": part.features,
            "stats": part.stats,
            "scores": np.zeros(0) if part.model_scores is None else part.model_scores,
            "ids": part.ids,
            "counts": np.diff(part.offsets),
            "sizes": np.diff(sparse.indptr),
            "columns": sparse.columns,
            "values": sparse.values,
        }
        for name, array in arrays.items():
            growing.setdefault(name, GrowingRows(array)).add(array)
        texts += part.texts or ()
    found = {name: rows.rows() for name, rows in growing.items()}
    ids = found["ids"]
    bounds, indptr = np.append(0, np.cumsum(found["counts"])), np.append(0, np.cumsum(found["sizes"]))
    starts = np.append(True, ids[1:] != ids[:-1])[: len(ids)]
    return NBest._of(
        offsets=np.append(bounds[:-1][starts], bounds[-1]),
        ids=ids[starts],
        features=found["features"],
        stats=found["stats"],
        names=part.names,
        texts=None if part.texts is None else texts,
        model_scores=None if part.model_scores is None else found["scores"],
        sparse=part.sparse and SparseFeatures(indptr, found["columns"], found["values"], part.sparse.names),
    )


def by_segment(nbest: NBest, segments: int, first_id: int) -> NBest:
    """Sort hypotheses by segment, of which some may have none.

    :param segments: the number of segments
    """
    owners = repeat(nbest.ids - first_id, np.diff(nbest.offsets))
    offsets = np.append(0, np.cumsum(bincount(owners, minlength=segments)))
    ids = np.arange(segments, dtype=np.int64) + first_id
    if (owners[1:] >= owners[:-1]).all():
        return nbest._with(offsets=offsets, ids=ids)
    return nbest._take(np.argsort(owners, kind="stable"), offsets, ids=ids)
