"""Parallel files of texts: how a command splits them, and their segments, some at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, NamedTuple, TypeVar

import click

from .._files.text import Lines, parallel_segments, shown
from .._runtime.collector import collector_paused
from ..metrics import Metric, tool_tokenizer
from ..text import tokenizer
from ..text.files import raw_segments
from ..text.raw import lowered_block
from .common import metric_of, one_standard_input, someone_looks

Text = TypeVar("Text")
NO_LINE = "the files have no line, so there is no segment to score"
# These methods of NLTK ask for a segment, so they are not of the counts alone.
METHODS_OF_SEGMENTS = ("method5", "method6", "method7")


class TextOptions(NamedTuple):
    """The options of commands that score texts: by what, and of which tokens."""

    variant: str
    order: int | None
    weights: tuple[float, ...] | None
    smoothing: str | None
    tokenize: str | None
    split: str | None
    lowercase: bool
    drop_bom: bool
    smoothing_value: float | None = None

    @property
    def tokenizer(self) -> str:
        """The name of the tokeniser that is asked for."""
        return asked_tokenizer(self.tokenize, self.split) or tool_tokenizer(self.variant)

    def metric(self) -> Metric:
        """The metric that is asked for, for commands that add up rows."""
        metric = self._metric(self.smoothing)
        no_tokenizer(metric, self.tokenize, self.split)
        return metric

    def metric_and_method(self) -> tuple[Metric, str | None]:
        """The metric that is asked for; and the smoothing if it is a method that asks for a segment, which no metric has."""
        method = self.smoothing if self.variant == "nltk" and self.smoothing in METHODS_OF_SEGMENTS else None
        if method and self.smoothing_value is not None:
            raise click.UsageError(f"--smoothing {method} takes no --smoothing-value here")
        try:
            return self._metric(None if method else self.smoothing), method
        except click.UsageError as error:
            if self.variant == "nltk" and "no smoothing" in error.message:
                raise click.UsageError(", ".join([error.message, *METHODS_OF_SEGMENTS])) from error
            raise

    def _metric(self, smoothing: str | None) -> Metric:
        return metric_of(self.variant, smoothing, self.smoothing_value, self.order, self.weights)

    def described(self, metric: Metric) -> str:
        """What was done to the text before it was counted, for signatures."""
        return "" if metric.of_raw_text else f"|case:{'lc' if self.lowercase else 'mixed'}|tok:{self.tokenizer}"

    def splitter(self) -> Callable[[str], Any]:
        """What makes the tokens of a line, as the tool of the variant does."""
        if self.lowercase and self.variant == "mteval-v13a":
            tokens_of = tokenizer(self.tokenizer)
            return lambda line: tokens_of(line.encode().lower().decode())
        return tokenizer(self.tokenizer, self.lowercase)

    def raw_segments(
        self, hypothesis: str, references: Sequence[str], noted: set[str] | None = None
    ) -> Iterator[tuple[Any, Any, Any]]:
        """The segments of parallel files as raw text, some at a time, under a progress bar.

        Whole lines are put in lower case as the tool of the variant does it, if that is asked for.

        :param noted: names of files whose byte order mark was spoken of
        """
        lowered = bytes.lower if self.variant == "mteval-v13a" else lowered_block
        with _files(hypothesis, references, self.drop_bom, noted) as files:
            blocks = raw_segments(files[0], files[1:], lowered if self.lowercase else None)
            yield from files[0].watched(blocks, someone_looks())


def asked_tokenizer(tokenize: str | None, split: str | None) -> str | None:
    """The name of the tokeniser that the options ask for, if they do."""
    if tokenize and split:
        raise click.UsageError("--tokenize and --split exclude each other")
    return tokenize or split


def no_tokenizer(metric: Metric, tokenize: str | None, split: str | None) -> None:
    """Refuse what makes tokens where a metric counts raw text as it is."""
    if metric.of_raw_text and (tokenize or split):
        option = "--tokenize" if tokenize else "--split"
        raise click.UsageError(f"{option} makes tokens, and {metric.name} counts the characters of raw text")


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
    with _files(hypothesis, references, drop_bom) as files, collector_paused():
        yield from files[0].watched(parallel_segments(files[0], files[1:], split), someone_looks(), delay)


@contextmanager
def _files(
    hypothesis: str, references: Sequence[str], drop_bom: bool, noted: set[str] | None = None
) -> Iterator[list[Lines]]:
    """The open files. At the end, a note where there is a byte order mark."""
    one_standard_input(hypothesis, *references)
    with ExitStack() as stack:
        files = [stack.enter_context(Lines(path, keep_mark=not drop_bom)) for path in (hypothesis, *references)]
        with suppress(GeneratorExit):  # who stops reading is told of the mark, too
            yield files
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
