"""Read and write the text files of features and scores of Moses's extractor, the input of its tuners."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from .._files.text import Lines, shown
from .._files.writing import writing_all
from .._runtime.arrays import np
from ..errors import InputFileError, StatisticsError
from .container import NBest, check_apart, feature_names
from .formats import MOST_DIGITS, error_at
from .merging import merge
from .reading import by_segment, joined
from .sparse import SparseFeatures, taken
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
        raise StatisticsError(
            "a hypothesis has more tokens than unigrams, as where n-grams are ignored; Moses's files have no place for both"
        )
    columns = [column for n in range(order) for column in (2 + n, 2 + order + n)]
    counts = stats[:, [*columns, 1]]  # m1 t1 m2 t2 ... and the reference length
    with writing_all(fspath(features), fspath(scores)) as (features_file, scores_file):
        for number, segment in enumerate(nbest.ids.tolist()):
            rows = nbest.segment(number)
            if rows.start == rows.stop:
                continue
            head = f"{segment} {rows.stop - rows.start}"
            lines = "".join(_lines_of_features(nbest, rows))
            features_file.write(
                f"{FEATURES[0]} {head} {len(nbest.names)} {' '.join(nbest.names)} \n{lines}{FEATURES[1]}\n"
            )
            lines = "".join(f"{' '.join(map(str, row))} \n" for row in counts[rows].tolist())
            scores_file.write(f"{SCORES[0]} {head} {counts.shape[1]} {BLEU}\n{lines}{SCORES[1]}\n")


def _lines_of_features(nbest: NBest, rows: slice) -> Iterator[str]:
    """The line of each hypothesis: the dense features, and the sparse ones with their names, each followed by a blank."""
    for number, row in enumerate(nbest.features[rows].tolist(), rows.start):
        line = " ".join([*map(repr, row), ""])
        if nbest.sparse is not None:
            names, found = nbest.sparse.names, slice(*nbest.sparse.indptr[number : number + 2].tolist())
            pairs = zip(nbest.sparse.columns[found].tolist(), nbest.sparse.values[found].tolist())
            line += "".join([f"{names[column]}={value!r} " for column, value in pairs])
        yield f"{line}\n"


class _Part(NamedTuple):
    """The hypotheses of one segment in one of the files."""

    line: int
    segment: int
    heading: list[str]  # the words after the numbers
    rows: NDArray[np.float64]
    sparse: SparseFeatures

    def __str__(self) -> str:
        return f"{len(self.rows)} hypotheses of segment {self.segment}"


def _parts(lines: NumberLines, begin: str, end: str, what: str) -> Iterator[_Part]:
    """Read the segments of a file.

    :param what: columns are, for messages
    """
    names: tuple[str, ...] = ()
    first: tuple[int, list[str]] | None = None
    file = lines.file
    while (line := lines.line()) is not None:
        number = file.count
        word, *heading = line.split() or [""]
        if word != begin:
            raise error_at(file, number, f"begins with {shown(word)} instead of {begin}")
        try:
            segment, count, width = map(_whole_number, heading[:3])
        except ValueError:
            raise error_at(
                file, number, "the heading must have segment, hypotheses and columns, whole numbers"
            ) from None
        if width > MOST_COLUMNS:
            raise error_at(file, number, f"announces {width} columns; at most {MOST_COLUMNS} can be read")
        first = first or (width, heading[3:])
        if width != first[0]:
            raise error_at(file, number, f"there are {width} {what}, and {first[0]} in the segment before")
        if heading[3:] != first[1]:
            raise error_at(file, number, f"the {what} are not those of the segment before")
        rows = lines.read(count, width)
        last = lines.line()
        if last is None or last.split() != [end]:
            place = number if last is None else file.count
            raise error_at(file, place, f"{end} is missing after the {count} rows")
        names += tuple(lines.fields.sparse_names(len(names)))
        yield _Part(number, segment, heading[3:], rows, taken(lines.fields, names))


def _whole_number(token: str) -> int:
    if not (token.isascii() and token.isdigit()) or len(token) > MOST_DIGITS:
        raise ValueError(token)
    return int(token)


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
        nbest = joined(_lists(features_file, scores_file, segments, first_id))
    last, count = int(nbest.ids.max()) - first_id, len(nbest.features)
    if segments is None and last - count > MOST_EMPTY:
        raise InputFileError(
            f"{features_file.name}: the last id is {last + first_id}, and there are {count} hypotheses; give the number "
            "of segments= if so many have none"
        )
    check_apart(nbest.names, () if nbest.sparse is None else nbest.sparse.names)
    return by_segment(nbest, last + 1 if segments is None else segments, first_id)


def _lists(features: Lines, scores: Lines, segments: int | None, first_id: int) -> Iterator[NBest]:
    """Yield a list for each segment of the two files."""
    pairs = zip_longest(
        _parts(NumberLines(features, "the value", "numbers", "{} were announced", pairs=True), *FEATURES, "features"),
        _parts(NumberLines(scores, "the value", "numbers", "{} were announced"), *SCORES, "statistics"),
    )
    names: tuple[str, ...] | None = None
    for part, score_part in pairs:
        if part is None or score_part is None or str(part) != str(score_part):
            raise InputFileError(
                f"{features.name} and {scores.name} do not match: {part or 'the end'} and {score_part or 'the end'}"
            )
        if names is None:
            width = part.rows.shape[1]
            if part.heading and len(part.heading) != width:
                raise error_at(features, part.line, f"there are {len(part.heading)} names and {width} features")
            names = feature_names(part.heading or None, width)
            _check_scorer(scores, score_part)
        number = part.segment - first_id
        if number < 0 or (segments is not None and number >= segments):
            raise error_at(
                features,
                part.line,
                f"the id is {part.segment}, and with first_id={first_id} the {'' if segments is None else segments} segments have others; "
                "give first_id= if ids start elsewhere",
            )
        yield NBest._of(
            offsets=np.array([0, len(part.rows)], dtype=np.int64),
            ids=np.array([part.segment], dtype=np.int64),
            features=part.rows,
            stats=_statistics(scores, score_part),
            names=names,
            sparse=part.sparse if part.sparse.names else None,
        )
    if names is None:
        raise InputFileError(f"{features.name}: there is no segment in it")


def _check_scorer(file: Lines, part: _Part) -> None:
    """Check that the heading names BLEU, and that the columns can be those of BLEU."""
    kind, width = " ".join(part.heading), part.rows.shape[1]
    if kind != BLEU:
        raise error_at(
            file,
            part.line,
            f"the statistics are of {shown(kind)}, and only those of BLEU are read; run the extractor with --sctype BLEU, or read "
            'the n-best list with NBest.from_files and count another metric with NBest.with_metric, such as "chrf"',
        )
    if width < 3 or width % 2 == 0:
        raise error_at(file, part.line, f"there are {width} statistics; BLEU has two for each order and one more")


def _statistics(file: Lines, part: _Part) -> NDArray[np.int64]:
    """Convert the statistics to rows as of :func:`cybleu.rows`."""
    rows = part.rows
    matches, totals = rows[:, :-1:2], rows[:, 1:-1:2]
    right = ((rows >= 0) & (rows <= LARGEST_COUNT) & (rows == np.floor(rows))).all(axis=1)
    right &= (matches <= totals).all(axis=1)
    if not right.all():
        row = int(right.argmin())
        numbers = " ".join(f"{number:.17g}" for number in rows[row].tolist())
        raise error_at(file, part.line + 1 + row, f"these are no statistics of {BLEU}: {numbers[:200]}")
    return np.column_stack([rows[:, 1], rows[:, -1], matches, totals]).astype(np.int64)
