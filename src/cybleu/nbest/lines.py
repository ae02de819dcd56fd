"""Parse the lines of n-best lists in blocks.

A malformed line is an :class:`InputFileError` with file, line and reason.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _backend
from .._files.text import Lines, number_of, shown
from .._runtime.arrays import in_place, np
from ..errors import InputFileError
from .sparse import SparseFeatures, taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Path = str | PathLike[str]

BARS = b"|||"
BLANKS = b" \t"
# hard alignments such as 0-0 1-2; soft ones, probabilities such as 0.9,0.1 0.2,0.8
ALIGNED = re.compile(rb"\d+-\d+|[\d.e-]+(,[\d.e-]+)+")
MOST_DIGITS = 18  # of an id, so that it fits int64
MOST_FEATURES = 1 << 16  # limit of dense features, because each hypothesis stores all of them


class Block(NamedTuple):
    """Hypotheses of consecutive lines."""

    lines: (
        int | NDArray[np.int64]
    )  # line number of each hypothesis, from 1; or of the first one if lines are consecutive
    bytes: bytes  # the buffer that holds the texts
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    ids: NDArray[np.int64]
    features: NDArray[np.float64]
    model_scores: NDArray[np.float64] | None
    sparse: SparseFeatures | None  # without names

    def texts(self) -> list[str]:
        spans = zip(self.begins.tolist(), self.ends.tolist())
        if self.bytes.isascii():
            text = self.bytes.decode()
            return [text[begin:end] for begin, end in spans]
        return [self.bytes[begin:end].decode() for begin, end in spans]

    def with_blanks(self) -> Block:
        """Return the hypotheses with the blanks around them, up to the bars."""
        if b"\t" not in self.bytes:  # spaces are part of no token
            return self
        data = np.frombuffer(self.bytes, dtype=np.uint8)
        others = in_place(np.flatnonzero((data != ord(" ")) & (data != ord("\t"))), np.int64)
        begins = others[np.searchsorted(others, self.begins) - 1] + 1
        return self._replace(begins=begins, ends=others[np.searchsorted(others, self.ends)])

    def line_of(self, row: int) -> int:
        """Return the line number of a hypothesis, from 1."""
        return self.lines + row if isinstance(self.lines, int) else int(self.lines[row])

    def part(self, start: int, stop: int) -> Block:
        """Return the hypotheses from `start` to before `stop`."""
        rows = slice(start, stop)
        scores = None if self.model_scores is None else self.model_scores[rows]
        sparse = None if self.sparse is None else self.sparse.part(start, stop)
        spans = self.begins[rows], self.ends[rows]
        lines = self.lines + start if isinstance(self.lines, int) else self.lines[rows]
        return Block(lines, self.bytes, *spans, self.ids[rows], self.features[rows], scores, sparse)


class Reader(ABC):
    """Base class of readers. `names` are the features of the lines read so far.

    :cvar has_bars: whether hypotheses are between ``|||``
    """

    has_bars = False

    def __init__(self, path: Path):
        self.file = Lines(path)
        self.names: tuple[str, ...] = ()
        self.sparse_names: tuple[str, ...] = ()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *exception: object) -> None:
        self.file.close()

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield the hypotheses, some lines at a time."""

    def error(self, reason: str, line: int) -> InputFileError:
        return InputFileError(f"{self.file.name}, line {line}: {reason}")

    def checked_blocks(self) -> Iterator[tuple[bytes, int]]:
        """Yield blocks of lines in valid UTF-8, and the number of lines of each."""
        for block in self.file.blocks():
            if not block.isascii():
                self.file.text(block)
            count = int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n"))) + 1
            yield block, count
            self.file.count += count
        if not self.file.count:
            raise InputFileError(f"{self.file.name}: there is no line in it")


def line_ends(block: bytes) -> NDArray[np.int64]:
    """Return the positions of the line ends of a block."""
    ends = np.append(np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n")), len(block))
    return in_place(ends, np.int64)


# ------------------------------------------------------------------------------------------- id ||| tokens ||| features


class FieldReader(Reader):
    """Reader of lines with fields, in the format `moses` or `joshua`, by default detected from the first lines.

    The backend parses lines with the same labels as the previous line; this class parses all others.
    """

    has_bars = True

    def __init__(self, path: Path, name: str | None):
        super().__init__(path)
        self.format = name
        self._columns: dict[str, int] = {}
        self._sparse = _backend.chosen.NamedValues()
        self._alike: tuple[tuple[bytes, ...], tuple[int, ...]] | None = None
        self._lines_alike: Any = None

    def blocks(self) -> Iterator[Block]:
        for block, count in self.checked_blocks():
            if self.format is None:
                self.format = self._detected(block)
            yield self._block(block, count)

    def _detected(self, block: bytes) -> str:
        for number, line in enumerate(block.split(b"\n"), 1):
            if line.startswith((b"FEATURES_", b"SCORES_")):
                raise self.error("this is a file of Moses's extractor; read it with NBest.from_moses", number)
            fields = _fields(line)
            if len(fields) == 1:
                raise self.error(
                    "has no '|||', so this is no n-best list with fields; if it is plain text with as many lines for "
                    "each segment, give that number as size=; if fairseq printed it, or if it is JSON lines, name that as format=",
                    number,
                )
            tokens = fields[2].decode().split() if len(fields) > 2 else []
            labels = [token for token in tokens if token.endswith(("=", ":"))]
            pairs = [token for token in tokens if "=" in token[:-1] and token not in labels]
            if labels and pairs:
                raise self.error(
                    f"has the label {shown(labels[0])}, as Moses writes it, and the pair {shown(pairs[0])}, as Joshua does; "
                    "give format='moses' or format='joshua'",
                    number,
                )
            if tokens:
                return "joshua" if pairs else "moses"
        raise self.error("has no features, as both formats can; give format='moses' or format='joshua'", 1)

    def _block(self, block: bytes, count: int) -> Block:
        ids, begins, ends = (np.zeros(count, dtype=np.int64) for _ in range(3))
        features = np.zeros((count, len(self.names)))
        model_scores = np.zeros(count)
        row = start = 0
        while True:
            if self._lines_alike is not None and row < count:
                row, start = self._lines_alike.read(
                    block, start, row, ids, begins, ends, features, model_scores, self._sparse
                )
            if row == count:
                features = features[:, : len(self.names)]
                sparse = taken(self._sparse)
                if len(self._sparse.names) > len(self.sparse_names):
                    self.sparse_names = tuple(self._sparse.names)
                return Block(self.file.count + 1, block, begins, ends, ids, features, model_scores, sparse)
            end = block.find(b"\n", start)
            end = len(block) if end < 0 else end
            try:
                line = self._line(block[start:end].removesuffix(b"\r"))
            except InputFileError as error:
                raise self.error(str(error), self.file.count + row + 1) from None
            ids[row], model_scores[row] = line.id, line.score
            begins[row], ends[row] = start + line.begin, start + line.end
            if len(self.names) > features.shape[1]:
                # twice as many as required, because any line of Joshua may have new features
                features = np.pad(features, ((0, 0), (0, 2 * len(self.names) - features.shape[1])))
            features[row] = 0  # the backend may have written parts of this row
            features[row, line.columns] = line.values
            self._sparse.add(line.sparse)
            start = end + 1
            row += 1

    def _line(self, line: bytes) -> _Line:
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
        dense, sparse = _pairs(tokens) if self.format == "joshua" else _labelled(tokens)
        columns = self._columns_of([name for name, _, _ in dense])
        _check_once([name for name, _ in sparse])
        self._look_for(tuple(label for _, label, _ in dense), tuple(columns))
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

    def _columns_of(self, names: list[str]) -> list[int]:
        """Return the columns of features. The first line defines them; in the `joshua` format any line adds new ones."""
        _check_once(names)
        if self.format == "joshua" or self._alike is None:
            for name in names:
                self._columns.setdefault(name, len(self._columns))
            if len(self._columns) > MOST_FEATURES:
                raise InputFileError(f"there are more than {MOST_FEATURES} features that are not sparse")
            if len(self._columns) > len(self.names):
                self.names = tuple(self._columns)
        present = set(names)
        for name in self.names if self.format == "moses" and len(names) < len(self.names) else ():
            if name not in present:
                raise InputFileError(f"the feature {shown(name)} of the lines before is missing")
        for name in names:
            if name not in self._columns:
                raise InputFileError(f"the feature {shown(name)} is not in the lines before")
        return [self._columns[name] for name in names]

    def _look_for(self, labels: tuple[bytes, ...], columns: tuple[int, ...]) -> None:
        """Set the labels that the backend parses."""
        if self._alike != (labels, columns):
            self._alike = labels, columns
            self._lines_alike = _backend.chosen.NBestLines(labels, columns, self.format == "joshua")


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


Dense = list[tuple[str, bytes, float]]  # name, label before the value, value
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
    counts: dict[str, int] = {}
    for start, end in zip(starts, [*starts[1:], len(tokens)]):
        name = tokens[start][:-1]
        values = [number_of(token, f"a value of {shown(name)}") for token in tokens[start + 1 : end]]
        if not values or not name:
            raise InputFileError(f"the label {shown(tokens[start])} has no {'value' if name else 'name'}")
        if "_" not in name:
            label = tokens[start].encode()
            for value in values:
                dense.append((f"{name}_{counts.setdefault(name, 0)}", label, value))
                counts[name] += 1
                label = b""
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
        dense.append((name, f"{name}=".encode(), number_of(value, f"the value of {shown(name)}")))
    return dense, []
