"""Read the texts of a command: parallel files or columns of a Parquet file, as raw text or split into tokens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from os.path import isfile
from typing import Any, Protocol, TypeAlias, TypeVar

import click

from .._files.text import SEGMENT, Lines, in_blocks, parallel_segments, shown
from .._runtime.collector import collector_paused
from ..text.batches import Corpus, RawText, Sets
from ..text.files import raw_segments
from .common import one_standard_input, stderr_is_tty
from .parquet import column_segments

Text = TypeVar("Text")
TABLES = {(".csv",): "CSV", (".tsv",): "a table with tabs", (".json", ".jsonl", ".ndjson"): "JSON lines"}
MOST_OF_LINE = 1 << 16  # bytes of a first line that is parsed
Segments: TypeAlias = tuple[list[list[Text]], list[Text]]  # the references of some segments, and their hypotheses


class Texts(Protocol):
    """Hypotheses and their references, read once, some segments at a time."""

    def raw(self) -> Iterator[Corpus]:
        """The segments as the backend reads them."""

    def split(self, split: Callable[[str], Text]) -> Iterator[Segments[Text]]:
        """The segments with what `split` makes of each text; ``str`` leaves it as it is."""

    def references(self) -> str:
        """How many references a segment has, for signatures, when all is read."""


class FileTexts:
    """Texts in parallel files, of which the first has the hypotheses.

    :param noted: names of files whose byte order mark was reported
    :param hashed: compute the digests
    :ivar digests: the SHA-256 of each file, when all is read
    """

    def __init__(
        self,
        paths: Sequence[str],
        drop_bom: bool,
        noted: set[str] | None = None,
        hashed: bool = False,
    ):
        self._paths = paths
        self._drop_bom = drop_bom
        self._noted = set() if noted is None else noted
        self._hashed = hashed
        self.digests: list[str] = []

    def raw(self) -> Iterator[Corpus]:
        with self._open() as (hypothesis, *references):
            blocks = raw_segments(hypothesis, references)
            for texts, others, bounds in hypothesis.watched(blocks, stderr_is_tty()):
                yield Corpus(RawText(texts), Sets(RawText(others), bounds))

    def split(self, split: Callable[[str], Text]) -> Iterator[Segments[Text]]:
        with self._open() as (hypothesis, *references), collector_paused():
            yield from hypothesis.watched(parallel_segments(hypothesis, references, split), stderr_is_tty())

    def references(self) -> str:
        return str(len(self._paths) - 1)

    @contextmanager
    def _open(self) -> Iterator[list[Lines]]:
        one_standard_input(*self._paths)
        with ExitStack() as stack:
            files = [
                stack.enter_context(Lines(path, keep_mark=not self._drop_bom, hashed=self._hashed))
                for path in self._paths
            ]
            with suppress(GeneratorExit):  # marks are also reported if the caller stops reading
                yield files
        self.digests = [file.digest for file in files] if self._hashed else []
        self._note_tables(files)
        if not self._drop_bom:
            self._note_marks(files)

    def _note_tables(self, files: Sequence[Lines]) -> None:
        """Report files of a table or of JSON, whose lines are no texts. The score is that of the lines as they are."""
        for path, name in {path: shown(file.name) for path, file in zip(self._paths, files)}.items():
            kind = _kind_of_table(path)
            if kind and f"{kind} {name}" not in self._noted:
                self._noted.add(f"{kind} {name}")
                click.echo(
                    f"cybleu: {name} looks like {kind}, and each of its lines is taken as a text; extract the texts first, one on "
                    "each line",
                    err=True,
                )

    def _note_marks(self, files: Sequence[Lines]) -> None:
        """Report the files whose byte order mark is part of the text."""
        for name in dict.fromkeys(shown(file.name) for file in files if file.mark):
            if name not in self._noted:
                self._noted.add(name)
                click.echo(
                    f"cybleu: {name} begins with a byte order mark, which is part of its first token here, as in the tools; "
                    "--drop-bom leaves it out",
                    err=True,
                )


class ColumnTexts:
    """Texts in columns of a Parquet file."""

    def __init__(self, file: str, columns: Sequence[str]):
        self._file, self._columns = file, columns
        self._numbers: set[int] = set()

    def raw(self) -> Iterator[Corpus]:
        for texts, sets in self._blocks():
            yield Corpus(texts.batch(), sets.batch("raw text"))

    def split(self, split: Callable[[str], Text]) -> Iterator[Segments[Text]]:
        segments = (
            ([*map(_str_of, lines)], _str_of(line))
            for texts, sets in self._blocks()
            for lines, line in zip(sets, texts)
        )
        for block in in_blocks(segments, lambda segment: SEGMENT + sum(map(len, segment[0])) + len(segment[1])):
            yield [[*map(split, lines)] for lines, _ in block], [split(line) for _, line in block]

    def references(self) -> str:
        return "var" if len(self._numbers) > 1 else str(max(self._numbers, default=len(self._columns) - 1))

    def _blocks(self) -> Iterator[tuple[Any, Any]]:
        for texts, sets in column_segments(self._file, self._columns):
            self._numbers |= {sets.number} if sets.number else set(map(len, sets))
            yield texts, sets


def _str_of(line: Any) -> str:
    return line if isinstance(line, str) else line.decode()


def _kind_of_table(path: str) -> str | None:
    """What a file is if its lines are no texts: by its name, or by its first line if that is a JSON object."""
    name = path.lower().removesuffix(".gz")
    kind = next((kind for endings, kind in TABLES.items() if name.endswith(endings)), None)
    if kind or path.endswith(".gz") or not isfile(path):
        return kind
    with suppress(OSError, ValueError, RecursionError), open(path, "rb") as file:
        line = file.readline(MOST_OF_LINE).strip()
        if line.startswith(b"{") and isinstance(json.loads(line), dict):
            return "JSON lines"
    return None
