"""Parallel files of texts: how a command splits them, and their segments, some at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, TypeVar

import click

from .._files.text import Lines, parallel_segments, shown
from .._runtime.collector import collector_paused
from ..metrics import Metric, tool_tokenizer
from ..text import tokenizer
from ..text.files import raw_segments
from ..text.raw import lowered_block
from .common import one_standard_input, someone_looks

Text = TypeVar("Text")
NO_LINE = "the files have no line, so there is no segment to score"


def no_tokenizer(metric: Metric, tokenize: str | None, split: str | None) -> None:
    """Refuse what makes tokens where a metric counts raw text as it is."""
    if metric.of_raw_text and (tokenize or split):
        option = "--tokenize" if tokenize else "--split"
        raise click.UsageError(f"{option} makes tokens, and {metric.name} counts the characters of raw text")


def described(metric: Metric, tokenizer: str, lowercase: bool) -> str:
    """What was done to the text before it was counted, for signatures."""
    return "" if metric.of_raw_text else f"|case:{'lc' if lowercase else 'mixed'}|tok:{tokenizer}"


def tokenizer_of(variant: str, tokenize: str | None, split: str | None) -> str:
    """The name of the tokeniser that the options ask for."""
    if tokenize and split:
        raise click.UsageError("--tokenize and --split exclude each other")
    return tokenize or split or tool_tokenizer(variant)


def lowercase_of(variant: str, lowercase: bool) -> Callable[[bytes], bytes] | None:
    """What puts whole lines in lower case, if it is asked for, as the tool of the variant does."""
    if not lowercase:
        return None
    return bytes.lower if variant == "mteval-v13a" else lowered_block


def splitter_of(variant: str, name: str, lowercase: bool) -> Callable[[str], Any]:
    """What makes the tokens of a line, as the tool of the variant does."""
    if lowercase and variant == "mteval-v13a":
        tokens_of = tokenizer(name)
        return lambda line: tokens_of(line.encode().lower().decode())
    return tokenizer(name, lowercase)


def raw_segments_of_files(
    hypothesis: str,
    references: Sequence[str],
    change: Callable[[bytes], bytes] | None,
    drop_bom: bool,
    noted: set[str] | None = None,
) -> Iterator[tuple[Any, Any, Any]]:
    """The segments of parallel files as raw text, some at a time, under a progress bar."""
    one_standard_input(hypothesis, *references)
    with _files(hypothesis, references, drop_bom, 1, noted) as (files, advance):
        for block in raw_segments(files[0], files[1:], change):
            yield block
            advance()


def segments(
    hypothesis: str,
    references: Sequence[str],
    split: Callable[[str], Text],
    drop_bom: bool,
    delay: float = 1,
) -> Iterator[tuple[list[list[Text]], list[Text]]]:
    """The segments of parallel files, some at a time, under a progress bar.

    :param split: what to make of a line; ``str`` leaves it as it is
    """
    one_standard_input(hypothesis, *references)
    with _files(hypothesis, references, drop_bom, delay) as (files, advance), collector_paused():
        for block in parallel_segments(files[0], files[1:], split):
            yield block
            advance()


@contextmanager
def _files(
    hypothesis: str, references: Sequence[str], drop_bom: bool, delay: float, noted: set[str] | None = None
) -> Iterator[tuple[list[Lines], Callable[[], Any]]]:
    """The open files, and what moves the progress bar on. At the end, a note where there is a byte order mark."""
    with ExitStack() as stack:
        files = [stack.enter_context(Lines(path, keep_mark=not drop_bom)) for path in (hypothesis, *references)]
        advance = stack.enter_context(_bar(files[0], delay))
        with suppress(GeneratorExit):  # who stops reading is told of the mark, too
            yield files, advance
    note_marks(files, drop_bom, noted)


def note_marks(files: Sequence[Lines], drop_bom: bool, noted: set[str] | None = None) -> None:
    """Say of which of the files that were read a byte order mark is part of the text.

    :param noted: names of files of which that was said; it receives those of which it is said now
    """
    noted = set() if noted is None else noted
    for name in [shown(marked.name) for marked in files if marked.mark and not drop_bom]:
        if name in noted:
            continue
        noted.add(name)
        click.echo(
            f"cybleu: {name} begins with a byte order mark, which is part of its first token here, as in the tools; "
            "--drop-bom leaves it out",
            err=True,
        )


@contextmanager
def _bar(file: Lines, delay: float) -> Iterator[Callable[[], Any]]:
    """What moves on a progress bar, which is there if a person is looking and the file takes long.

    tqdm is imported only then: that takes as long as counting a hundred thousand lines.
    """
    if not someone_looks():
        yield lambda: None
        return
    from tqdm import tqdm

    with tqdm(total=file.size, unit="B", unit_scale=True, delay=delay, leave=False, file=sys.stderr) as bar:
        yield lambda: bar.update(file.position() - bar.n)
