"""Read and write the text files of features and scores of Moses's extractor, the input of its tuners."""

from __future__ import annotations

from itertools import zip_longest
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from .._files.text import Lines, shown
from .._files.writing import check_paths, writing
from .._runtime.arrays import in_place, np
from ..errors import InputFileError, StatisticsError
from .container import NBest, check_apart, feature_names
from .formats import MOST_DIGITS, error_at
from .merging import merge
from .reading import Rows, by_segment
from .sparse import formatted, no_features, taken
from .tables import NumberLines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Path = str | PathLike[str]

FEATURES = "FEATURES_TXT_BEGIN_0", "FEATURES_TXT_END_0"
SCORES = "SCORES_TXT_BEGIN_0", "SCORES_TXT_END_0"
BLEU = "BLEU"
MOST_EMPTY = 10_000_000  # limit of empty segments, if `segments` is not given
MOST_COLUMNS = 10**6  # limit for the columns that a heading announces
LARGEST_COUNT = 2**53 - 1  # the largest integer up to which float64 represents every integer


def write(nbest: NBest, features: Path, scores: Path) -> None:
    """Write the two text files; see :meth:`NBest.to_moses`."""
    stats = nbest.stats
    if stats.dtype != np.int64 or nbest.score is not None:
        raise StatisticsError("only the statistics of BLEU can be written for Moses; these are of another metric")
    order = stats.shape[1] // 2 - 1
    if (stats[:, 0] != stats[:, 2 + order]).any():
        raise StatisticsError("a hypothesis has not as many unigrams as tokens; Moses's files have no place for both")
    columns = [column for n in range(order) for column in (2 + n, 2 + order + n)]
    counts = stats[:, [*columns, 1]]  # m1 t1 m2 t2 ... and the reference length
    labels = [] if nbest.sparse is None else [f"{name}=" for name in nbest.sparse.names]
    features, scores = fspath(features), fspath(scores)
    check_paths([features, scores])
    with writing(features) as features_file, writing(scores) as scores_file:
        for number, segment in enumerate(nbest.ids.tolist()):
            rows = nbest.segment(number)
            if rows.start == rows.stop:
                continue
            head = f"{segment} {rows.stop - rows.start}"
            lines = "".join(
                f"{' '.join([*map(repr, row), *formatted(nbest.sparse, place, labels), ''])}\n"
                for place, row in enumerate(nbest.features[rows].tolist(), rows.start)
            )
            features_file.write(
                f"{FEATURES[0]} {head} {len(nbest.names)} {' '.join(nbest.names)} \n{lines}{FEATURES[1]}\n"
            )
            lines = "".join(f"{' '.join(map(str, row))} \n" for row in counts[rows].tolist())
            scores_file.write(f"{SCORES[0]} {head} {counts.shape[1]} {BLEU}\n{lines}{SCORES[1]}\n")


def extract(
    path: Path,
    references: Any,
    features_file: Path,
    scores_file: Path,
    format: str | None = None,  # noqa: A002
    *,
    unique: bool = False,
    **reading: Any,
) -> None:
    """Write the two text files of Moses's extractor for an n-best list in a file.

    The files are the same as those of :meth:`cybleu.nbest.NBest.from_files` and :meth:`cybleu.nbest.NBest.to_moses`.

    The other parameters are those of :meth:`cybleu.nbest.NBest.from_files`.

    :param features_file: the path of the file of features; compressed if its name ends in ``.gz``
    :param scores_file: the path of the file of BLEU statistics, likewise
    :param unique: leave out hypotheses that have the same features and statistics as an earlier one of the segment, as
        :func:`cybleu.nbest.merge` does
    :param reading: how the list is read and counted, as for :meth:`cybleu.nbest.NBest.from_files`
    :raises InputFileError: a file cannot be read or written, or a line is wrong; then files that were there are not
        changed

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "nbest").write_text("0 ||| it rains ||| lm= -1.5 ||| -1\\n")
    >>> extract(folder / "nbest", [["it rains"]], folder / "features", folder / "scores", tokenize=str.split)
    >>> (folder / "scores").read_text().splitlines()
    ['SCORES_TXT_BEGIN_0 0 1 9 BLEU', '2 2 1 1 0 0 0 0 2 ', 'SCORES_TXT_END_0']
    """
    nbest = NBest.from_files(path, references, format, texts=False, **reading)
    (merge(nbest) if unique else nbest).to_moses(features_file, scores_file)


def read(features: Path, scores: Path, segments: int | None, first_id: int) -> NBest:
    """Read a list; see :meth:`NBest.from_moses`."""
    with Lines(features) as features_file, Lines(scores) as scores_file:
        found, counted = _Table(features_file, *FEATURES, "features"), _Table(scores_file, *SCORES, "statistics")
    for one, other in zip_longest(found.parts, counted.parts):
        if one is None or other is None or one[1:] != other[1:]:
            names = [f"{part[2]} hypotheses of segment {part[1]}" if part else "the end" for part in (one, other)]
            raise InputFileError(f"{found.file.name} and {counted.file.name} do not match: {' and '.join(names)}")
    if not found.parts:
        raise InputFileError(f"{found.file.name}: there is no segment in it")
    _, ids, counts = in_place(np.array(found.parts, dtype=np.int64).T)
    last = int(ids.max()) - first_id
    if segments is None and last - len(found.rows) > MOST_EMPTY:
        raise InputFileError(
            f"{found.file.name}: the last id is {last + first_id}, and there are {len(found.rows)} hypotheses; give the number "
            "of segments= if so many have none"
        )
    segments = last + 1 if segments is None else segments
    for line, number, _ in found.parts:
        if not 0 <= number - first_id < segments:
            raise error_at(
                found.file,
                line,
                f"the id is {number}, and with first_id={first_id} the {segments} segments have others; give first_id= if ids start elsewhere",
            )
    dense = feature_names(found.heading or None, found.rows.shape[1])
    check_apart(dense, found.sparse.names)
    nbest = NBest._of(
        offsets=np.append(0, np.cumsum(counts)),
        ids=ids,
        features=found.rows,
        stats=_statistics(counted),
        names=dense,
        sparse=found.sparse if found.sparse.names else None,
    )
    return by_segment(nbest, segments, first_id)


class _Table:
    """The rows of all segments in one of the files.

    :param begin: what a segment begins with
    :param end: what it ends with
    :param what: the columns are, for messages
    :ivar parts: for each segment the line of its heading, its id and its number of hypotheses
    :ivar heading: the words after the numbers, the same in each segment
    """

    def __init__(self, file: Lines, begin: str, end: str, what: str):
        self.file = file
        self.parts: list[tuple[int, int, int]] = []
        self.heading: list[str] = []
        of_features = begin == FEATURES[0]
        lines = NumberLines(file, "the value", "numbers", "{} were announced", pairs=of_features)
        rows = Rows(np.zeros((0, 0)))
        while (line := lines.line()) is not None:
            number = file.count
            word, *heading = line.split() or [""]
            if word != begin:
                raise error_at(file, number, f"begins with {shown(word)} instead of {begin}")
            if len(heading) < 3 or not all(map(_is_whole, heading[:3])):
                raise error_at(file, number, "the heading must have segment, hypotheses and columns, whole numbers")
            segment, count, width = map(int, heading[:3])
            if width > MOST_COLUMNS:
                raise error_at(file, number, f"announces {width} columns; at most {MOST_COLUMNS} can be read")
            if not self.parts:
                self.heading, rows = heading[3:], Rows(np.zeros((0, width)))
                if of_features and heading[3:] and len(heading[3:]) != width:
                    raise error_at(file, number, f"there are {len(heading[3:])} names and {width} features")
            columns = rows.rows().shape[1]
            if width != columns:
                raise error_at(file, number, f"there are {width} {what}, and {columns} in the segment before")
            if heading[3:] != self.heading:
                raise error_at(file, number, f"the {what} are not those of the segment before")
            rows.add(lines.read(count, width))
            last = lines.line()
            if last is None or last.split() != [end]:
                raise error_at(file, number if last is None else file.count, f"{end} is missing after the {count} rows")
            self.parts.append((number, segment, count))
        self.rows = rows.rows()
        self.sparse = taken(lines.fields, tuple(lines.fields.sparse_names(0))) if self.parts else no_features(0)


def _is_whole(token: str) -> bool:
    return token.isascii() and token.isdigit() and len(token) <= MOST_DIGITS


def _statistics(table: _Table) -> NDArray[np.int64]:
    """Convert the statistics to rows as of :func:`cybleu.rows`."""
    kind, width, rows = " ".join(table.heading), table.rows.shape[1], table.rows
    if kind != BLEU:
        raise error_at(
            table.file,
            table.parts[0][0],
            f"the statistics are of {shown(kind)}, and only those of BLEU are read; run the extractor with --sctype BLEU, or read "
            'the n-best list with NBest.from_files and count another metric with NBest.with_metric, such as "chrf"',
        )
    if width < 3 or width % 2 == 0:
        raise error_at(
            table.file, table.parts[0][0], f"there are {width} statistics; BLEU has two for each order and one more"
        )
    matches, totals = rows[:, :-1:2], rows[:, 1:-1:2]
    right = ((rows >= 0) & (rows <= LARGEST_COUNT) & (rows == np.floor(rows))).all(axis=1)
    right &= (matches <= totals).all(axis=1)
    if not right.all():
        row = int(right.argmin())
        starts = np.append(0, np.cumsum([count for _, _, count in table.parts]))
        part = int(np.searchsorted(starts, row, side="right")) - 1
        line = table.parts[part][0] + 1 + row - int(starts[part])
        numbers = " ".join(f"{number:.17g}" for number in rows[row].tolist())
        raise error_at(table.file, line, f"these are no statistics of {BLEU}: {numbers[:200]}")
    return np.column_stack([rows[:, 1], rows[:, -1], matches, totals]).astype(np.int64)
