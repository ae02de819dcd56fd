"""Read files of n-best lists in each format, as records of some lines.

A malformed line is an :class:`InputFileError` with file, line and reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _backend
from .._files.text import Lines, number_of, shown
from .._runtime.arrays import in_place, np
from ..errors import InputFileError
from .container import NBest, check_apart, feature_names
from .sparse import taken
from .tables import NumberLines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Path = str | PathLike[str]

BARS = b"|||"
BLANKS = b" \t"
# hard alignments such as 0-0 1-2; soft ones, probabilities such as 0.9,0.1 0.2,0.8
ALIGNED = re.compile(rb"\d+-\d+|[\d.e-]+(,[\d.e-]+)+")
MOST_DIGITS = 18  # of an id, so that it fits int64
MOST_FEATURES = 1 << 16  # limit of dense features, because each hypothesis stores all of them
FAIRSEQ = re.compile(rb"H-(\d{1,%d})\t([^\t]*)\t(.*)" % MOST_DIGITS, re.DOTALL)


class Record(NamedTuple):
    """Hypotheses of some lines of a file.

    :ivar lines: for each hypothesis the number of its line, from 1
    :ivar data: the buffer that holds the texts
    :ivar nbest: without texts and statistics. Its last segment may continue in the next record
    """

    lines: NDArray[np.int64]
    data: bytes
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    nbest: NBest

    def texts(self) -> list[str]:
        spans = zip(self.begins.tolist(), self.ends.tolist())
        if self.data.isascii():
            text = self.data.decode()
            return [text[begin:end] for begin, end in spans]
        return [self.data[begin:end].decode() for begin, end in spans]

    def with_blanks(self) -> Record:
        """Return hypotheses between bars with the blanks around them."""
        if b"\t" not in self.data:  # spaces are part of no token
            return self
        data = np.frombuffer(self.data, dtype=np.uint8)
        others = in_place(np.flatnonzero((data != ord(" ")) & (data != ord("\t"))), np.int64)
        begins = others[np.searchsorted(others, self.begins) - 1] + 1
        return self._replace(begins=begins, ends=others[np.searchsorted(others, self.ends)])


def _record(
    lines: NDArray[np.int64],
    data: bytes,
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    ids: NDArray[np.int64],
    features: NDArray[np.float64],
    names: tuple[str, ...],
    **more: Any,
) -> Record:
    """Create a record, in which each run of an id is a segment.

    :param ids: of the segment of each hypothesis
    """
    starts = in_place(np.flatnonzero(np.diff(ids, prepend=-1)), np.int64)
    offsets = np.append(starts, len(ids))
    nbest = NBest._of(offsets=offsets, ids=ids[starts], features=features, names=names, **more)
    return Record(lines, data, begins, ends, nbest)


def _blocks(file: Lines) -> Iterator[tuple[bytes, NDArray[np.int64]]]:
    """Yield blocks of lines in valid UTF-8, with the position of the end of each line.

    Meanwhile, `file.count` is the number of lines before the block.
    """
    for block in file.blocks():
        if not block.isascii():
            file.text(block)
        breaks = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n"))
        ends = in_place(np.append(breaks, len(block)), np.int64)
        yield block, ends
        file.count += len(ends)
    if not file.count:
        raise InputFileError(f"{file.name}: there is no line in it")


def _error(file: Lines, line: int, reason: object) -> InputFileError:
    return InputFileError(f"{file.name}, line {line}: {reason}")


# ---------------------------------------------------------------------------------------- id ||| tokens ||| features


class FieldLines:
    """Lines with fields, in the format `moses` or `joshua`, by default detected from the first lines.

    The backend parses lines with known labels; this class parses all others.
    """

    def __init__(self, file: Lines, form: str | None):
        self._file = file
        self._form = form
        self._columns: dict[str, int] = {}
        self._names: tuple[str, ...] = ()
        self._sparse_names: tuple[str, ...] = ()

    def records(self) -> Iterator[Record]:
        fields: Any = None
        for block, line_ends in _blocks(self._file):
            if fields is None:
                self._form = self._form or self._detected(block)
                fields = _backend.chosen.Fields(self._form == "joshua")
            yield self._record(block, len(line_ends), fields)

    def _detected(self, block: bytes) -> str:
        for number, line in enumerate(block.split(b"\n"), 1):
            if line.startswith((b"FEATURES_", b"SCORES_")):
                raise _error(self._file, number, "this is a file of Moses's extractor; read it with NBest.from_moses")
            fields = _fields(line)
            if len(fields) == 1:
                raise _error(
                    self._file,
                    number,
                    "has no '|||', so this is no n-best list with fields; if it is plain text with as many lines for "
                    "each segment, give that number as size=; if fairseq printed it, or if it is JSON lines, name that as format=",
                )
            tokens = fields[2].decode().split() if len(fields) > 2 else []
            labels = [token for token in tokens if token.endswith(("=", ":"))]
            pairs = [token for token in tokens if "=" in token[:-1] and token not in labels]
            if labels and pairs:
                raise _error(
                    self._file,
                    number,
                    f"has the label {shown(labels[0])}, as Moses writes it, and the pair {shown(pairs[0])}, as Joshua does; "
                    "give format='moses' or format='joshua'",
                )
            if tokens:
                return "joshua" if pairs else "moses"
        raise _error(self._file, 1, "has no features, as both formats can; give format='moses' or format='joshua'")

    def _record(self, block: bytes, count: int, fields: Any) -> Record:
        ids, begins, ends = (np.zeros(count, dtype=np.int64) for _ in range(3))
        features, scores = np.zeros((count, len(self._names))), np.zeros(count)
        first = self._file.count + 1
        row = start = 0
        while row < count:
            row, start = fields.read(block, start, row, ids, begins, ends, features, scores)
            if row == count:
                break
            end = block.find(b"\n", start)
            end = len(block) if end < 0 else end
            try:
                line = self._line(block[start:end].removesuffix(b"\r"), fields)
            except InputFileError as error:
                raise _error(self._file, first + row, error) from None
            ids[row], scores[row] = line.id, line.score
            begins[row], ends[row] = start + line.begin, start + line.end
            if len(self._names) > features.shape[1]:
                # twice as many as required, because any line of Joshua may have new features
                features = np.pad(features, ((0, 0), (0, 2 * len(self._names) - features.shape[1])))
            features[row] = 0  # the backend may have written parts of this row
            features[row, line.columns] = line.values
            fields.add(line.sparse)
            start = end + 1
            row += 1
        if fields.sparse_count > len(self._sparse_names):
            self._sparse_names += tuple(fields.sparse_names(len(self._sparse_names)))
            check_apart(self._names, self._sparse_names)
        sparse = taken(fields, self._sparse_names)
        lines = np.arange(first, first + count, dtype=np.int64)
        features = features[:, : len(self._names)]
        return _record(lines, block, begins, ends, ids, features, self._names, model_scores=scores, sparse=sparse)

    def _line(self, line: bytes, known: Any) -> _Line:
        fields = _fields(line)
        if len(fields) < 4:
            what = f"has {len(fields)} of the fields" if line else "is empty, where there must be"
            raise InputFileError(f"{what} id ||| tokens ||| features ||| score")
        number = fields[0].strip(BLANKS)
        if not number.isdigit() or len(number) > MOST_DIGITS:
            raise InputFileError(f"the id is {shown(number.decode())}; it must be a whole number")
        score = fields[3].decode().split()
        if len(score) != 1:
            raise InputFileError(f"the score is {shown(' '.join(score))}; it must be one number")
        tokens = fields[2].decode().split()
        dense, sparse = _pairs(tokens) if self._form == "joshua" else _labelled(tokens)
        _check_once([name for name, _ in sparse])
        columns = self._columns_of(dense, known)
        begin = len(fields[0]) + len(BARS) + len(fields[1]) - len(fields[1].lstrip(BLANKS))
        return _Line(
            int(number),
            begin,
            begin + len(fields[1].strip(BLANKS)),
            columns,
            [value for _, _, value in dense],
            sparse,
            number_of(score[0], "the score"),
        )

    def _columns_of(self, dense: Dense, fields: Any) -> list[int]:
        """Return the columns of features. The first line defines them; in the `joshua` format any line adds new ones."""
        names = [name for name, _, _ in dense]
        _check_once(names)
        if self._form == "joshua" or not (self._file.count or fields.rows):
            for name, label, _ in dense:
                if name not in self._columns:
                    self._columns[name] = len(self._columns)
                    fields.follow(label)
            if len(self._columns) > MOST_FEATURES:
                raise InputFileError(f"there are more than {MOST_FEATURES} features that are not sparse")
            if len(self._columns) > len(self._names):
                self._names = tuple(self._columns)
                check_apart(self._names, self._sparse_names)
        present = set(names)
        for name in self._names if self._form == "moses" and len(names) < len(self._names) else ():
            if name not in present:
                raise InputFileError(f"the feature {shown(name)} of the lines before is missing")
        for name in names:
            if name not in self._columns:
                raise InputFileError(f"the feature {shown(name)} is not in the lines before")
        return [self._columns[name] for name in names]


def _fields(line: bytes) -> list[bytes]:
    """Split a line into fields, without those that Marian writes before the features: alignments and scores of words."""
    fields = line.split(BARS)
    while len(fields) > 4 and (tokens := fields[2].split()):
        if tokens[0] != b"WordScores=" and not all(map(ALIGNED.fullmatch, tokens)):
            break
        del fields[2]
    return fields


class _Line(NamedTuple):
    id: int
    begin: int  # where the text begins
    end: int
    columns: list[int]
    values: list[float]
    sparse: Sparse
    score: float


def _check_once(names: list[str]) -> None:
    if len(set(names)) < len(names):
        times = Counter(names)
        twice = next(name for name in names if times[name] > 1)
        raise InputFileError(f"the feature {shown(twice)} appears twice")


Dense = list[tuple[str, bytes, float]]  # name, label of the value, value
Sparse = list[tuple[str, float]]


def _labelled(tokens: list[str]) -> tuple[Dense, Sparse]:
    """Parse features in Moses's form: ``d= 0 -7.6 lm= -41.3 pp_a= 1``, or ``d: 0 -7.6``."""
    dense: Dense = []
    sparse: Sparse = []
    starts = [place for place, token in enumerate(tokens) if token.endswith(("=", ":"))]
    if not starts:
        return [(f"f{column}", b"", number_of(token, "a feature")) for column, token in enumerate(tokens)], sparse
    if starts[0] > 0:
        raise InputFileError(f"{shown(tokens[0])} is before the first name of a feature")
    counts: Counter[str] = Counter()
    for start, end in zip(starts, [*starts[1:], len(tokens)]):
        name = tokens[start][:-1]
        values = [number_of(token, f"a value of {shown(name)}") for token in tokens[start + 1 : end]]
        if not values or not name:
            raise InputFileError(f"the label {shown(tokens[start])} has no {'value' if name else 'name'}")
        if "_" not in name:
            for value in values:
                dense.append((f"{name}_{counts[name]}", name.encode(), value))
                counts[name] += 1
        elif len(values) == 1:
            sparse.append((name, values[0]))
        else:
            raise InputFileError(f"the sparse feature {shown(name)} has {len(values)} values; a name with '_' has one")
    return dense, sparse


def _pairs(tokens: list[str]) -> tuple[Dense, Sparse]:
    """Parse features in the form of Joshua and cdec: ``lm_0=-41.3 glue=7``."""
    dense: Dense = []
    for token in tokens:
        name, _, value = token.rpartition("=")
        if not name:
            raise InputFileError(f"{shown(token)} is not a feature such as lm=-3.5")
        dense.append((name, name.encode(), number_of(value, f"the value of {shown(name)}")))
    return dense, []


# --------------------------------------------------------------------------------------------------------- other formats


def plain(file: Lines, size: int, table: Lines | None, names: Sequence[str] | None) -> Iterator[Record]:
    """Read plain text with `size` lines for each segment, and the features of its lines in another file."""
    rows = None if table is None else NumberLines(table, "a feature", "features", "the lines before have {}")
    named = feature_names(names, 0) if rows is None else ()
    for block, ends in _blocks(file):
        count = len(ends)
        features = np.zeros((count, 0))
        if rows is not None:
            width = len(named) if file.count else rows.width()
            features = rows.read(count, width)
            if len(features) < count:
                raise InputFileError(
                    f"{rows.file.name}: has {file.count + len(features)} lines, fewer than {file.name}; a line of features "
                    "is of one hypothesis"
                )
            named = named or feature_names(names, width)
        begins, ends = _trimmed(block, np.append(0, ends[:-1] + 1), ends)
        lines = np.arange(file.count, file.count + count, dtype=np.int64)
        yield _record(lines + 1, block, begins, ends, lines // size, features, named)
    if file.count % size:
        raise InputFileError(
            f"{file.name}: has {file.count} lines, which is not a multiple of {size}, the lines of each segment"
        )
    if rows is not None and rows.peek() is not None:
        raise InputFileError(
            f"{rows.file.name}: has more lines than {file.name}, which has {file.count}; a line of features is of one hypothesis"
        )


def _trimmed(
    block: bytes, begins: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the spans of texts without the blanks around them, and without a CR at the end."""
    for row, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist())):
        text = block[begin:end].removesuffix(b"\r")
        begins[row] = begin + len(text) - len(text.lstrip(BLANKS))
        ends[row] = max(begins[row], begin + len(text.rstrip(BLANKS)))
    return begins, ends


def fairseq(file: Lines) -> Iterator[Record]:
    """Read the output of fairseq, ``H-id<tab>score<tab>tokens``. The score is the only feature; other lines are ignored."""
    found = False
    for block, line_ends in _blocks(file):
        starts = np.append(0, line_ends[:-1] + 1)
        rows = [row for row, start in enumerate(starts.tolist()) if block.startswith(b"H-", start)]
        if not rows:
            continue
        found = True
        ids, begins, ends = np.zeros(len(rows), dtype=np.int64), starts[rows], line_ends[rows]
        scores = np.zeros(len(rows))
        for row, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist())):
            line = block[begin:end].removesuffix(b"\r")
            fields = FAIRSEQ.fullmatch(line)
            number = file.count + 1 + rows[row]
            if fields is None:
                reason = f"{shown(line.decode())} is not H-, a whole number, a tab, a score, a tab and tokens"
                raise _error(file, number, reason)
            try:
                scores[row] = number_of(fields[2].decode(), "the score")
            except InputFileError as error:
                raise _error(file, number, error) from None
            ids[row] = int(fields[1])
            begins[row] += fields.start(3)
        begins, ends = _trimmed(block, begins, ends)
        lines = file.count + 1 + np.array(rows, dtype=np.int64)
        yield _record(lines, block, begins, ends, ids, scores.reshape(-1, 1), ("score",), model_scores=scores)
    if not found:
        raise InputFileError(f"{file.name}: there is no line in it that begins with H-, as fairseq prints them")
