"""Read the texts of a command: parallel files, or columns of a Parquet file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from os.path import isfile
from typing import Protocol

import click

from .._files.text import Lines, shown
from ..text.batches import Corpus, RawText, Sets
from ..text.files import raw_segments
from .common import one_standard_input, stderr_is_tty
from .parquet import column_segments

TABLES = {(".csv",): "CSV", (".tsv",): "a table with tabs", (".json", ".jsonl", ".ndjson"): "JSON lines"}
MOST_OF_LINE = 1 << 16  # bytes of a first line that is parsed


class Texts(Protocol):
    """Hypotheses and their references, read once, some segments at a time."""

    def blocks(self) -> Iterator[list[Corpus]]:
        """Some segments: a corpus for each text that is scored, all with the same references."""

    def references(self) -> str:
        """How many references a segment has, for signatures, when all is read."""


class FileTexts:
    """Texts in parallel files.

    :param hypotheses: the files whose texts are scored
    :param references: the files of references
    :param hashed: compute the digests
    :ivar digests: the SHA-256 of each file, when all is read
    """

    def __init__(self, hypotheses: Sequence[str], references: Sequence[str], drop_bom: bool, hashed: bool = False):
        self._hypotheses, self._references = hypotheses, references
        self._drop_bom, self._hashed = drop_bom, hashed
        self.digests: dict[str, str] = {}

    def blocks(self) -> Iterator[list[Corpus]]:
        with self._open() as files:
            count = len(self._hypotheses)
            for texts, others, bounds in files[0].watched(raw_segments(files[:count], files[count:]), stderr_is_tty()):
                sets = Sets(RawText(others), bounds)
                yield [Corpus(RawText(lines), sets) for lines in texts]

    def references(self) -> str:
        return str(len(self._references))

    @contextmanager
    def _open(self) -> Iterator[list[Lines]]:
        paths = [*self._hypotheses, *self._references]
        one_standard_input(*paths)
        with ExitStack() as stack:
            files = [
                stack.enter_context(Lines(path, keep_mark=not self._drop_bom, hashed=self._hashed)) for path in paths
            ]
            with suppress(GeneratorExit):  # marks are also reported if the caller stops reading
                yield files
        if self._hashed:
            self.digests = {path: file.digest for path, file in zip(paths, files)}
        named = {shown(file.name): (path, file) for path, file in zip(paths, files)}
        for name, (path, file) in named.items():
            if kind := _kind_of_table(path):
                click.echo(
                    f"cybleu: {name} looks like {kind}, and each of its lines is taken as a text; extract the texts first, one on "
                    "each line",
                    err=True,
                )
            if file.mark and not self._drop_bom:
                click.echo(
                    f"cybleu: {name} begins with a byte order mark, which is part of its first token here, as in the tools; "
                    "--drop-bom leaves it out",
                    err=True,
                )


class ColumnTexts:
    """Texts in columns of a Parquet file, of which the first has the hypotheses."""

    def __init__(self, file: str, columns: Sequence[str]):
        self._file, self._columns = file, columns
        self._numbers: set[int] = set()

    def blocks(self) -> Iterator[list[Corpus]]:
        for corpus in column_segments(self._file, self._columns):
            self._numbers |= set(corpus.sets.counts.tolist())
            yield [corpus]

    def references(self) -> str:
        return "var" if len(self._numbers) > 1 else str(max(self._numbers, default=len(self._columns) - 1))


def strings_of(corpus: Corpus) -> tuple[list[list[str]], list[str]]:
    """The references of each segment, and the hypotheses."""
    texts, sets = corpus.texts, corpus.sets
    assert isinstance(texts, RawText) and isinstance(sets, Sets) and isinstance(sets.texts, RawText)
    lines, bounds = sets.texts.lines.strings(), list(sets.bounds)
    return [lines[begin:end] for begin, end in pairwise(bounds)], texts.lines.strings()


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
