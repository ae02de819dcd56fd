"""Prepare the references of n-best lists, from files, texts or tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from .._files.text import Lines
from ..errors import LengthMismatchError
from ..metrics import Metric, Mixture
from ..metrics.counting import Counting
from ..metrics.references import References
from ..text.batches import ListSets
from ..text.tokenizers import tokenizer
from .counted import CountedReferences

if TYPE_CHECKING:
    Path = str | PathLike[str]
    Split = Callable[[str], list[str]]

__all__ = ["lines_of_files", "prepare_references", "split_on_blanks"]


def prepare_references(
    references: Any,
    tokenize: str | Split | None = None,
    max_order: int | None = None,
    reference_length: str | None = None,
    lowercase: bool = False,
) -> CountedReferences:
    """Prepare references once, for several n-best lists of the same segments.

    :param references: one or several references for each segment, raw text or tokens; or paths of text files with one segment on
        each line; or :class:`cybleu.References`
    :param tokenize: how to split raw text into tokens, by default on white space
    :param max_order: the largest n-gram order, by default 4
    :param reference_length: ``closest`` (the default), ``closest-first``, ``shortest`` or ``average``
    :param lowercase: convert raw text to lower case first
    :raises LengthMismatchError: the files have different numbers of lines
    """
    split = tokenizer(tokenize or "unicode", lowercase)
    counting = Counting(4 if max_order is None else max_order, reference_length or "closest")
    counting.check()
    if isinstance(references, CountedReferences):
        return references
    sets = lines_of_files(references, tokenize)
    if sets is None:
        prepared = references if isinstance(references, References) else References(references)
        if prepared.kind != "raw text":
            return CountedReferences(prepared._sets, counting)
        sets = prepared.lists()
    return CountedReferences(ListSets([[split(line) for line in group] for group in sets], "references"), counting)


def split_on_blanks(metric: Metric) -> Metric:
    """The metric with white space as its tokeniser, unless it has one: texts of n-best lists are tokens with blanks between them."""
    if isinstance(metric, Mixture):
        return metric._with(split_on_blanks)
    return metric.with_choices(tokenize="unicode") if metric.reads == "tokens" and metric.tokenize is None else metric


def lines_of_files(references: Any, tokenize: object) -> list[tuple[str, ...]] | None:
    """Read references from paths: for each segment the lines of all files. None if they are not paths.

    With the tokeniser ``space`` a CR at the end of a line is part of the last token, as in Moses.
    """
    paths = [references] if isinstance(references, (str, PathLike)) else references
    if not isinstance(paths, (list, tuple)) or not paths:
        return None
    if not all(isinstance(path, (str, PathLike)) for path in paths):
        return None
    return _lines_of_files(paths, tokenize == "space")


def _lines_of_files(paths: Sequence[Path], keep_cr: bool) -> list[tuple[str, ...]]:
    columns = []
    for path in paths:
        with Lines(path, keep_cr=keep_cr) as file:
            columns.append(list(file))
    if len(set(map(len, columns))) > 1:
        counts = ", ".join(f"{path}: {len(column)}" for path, column in zip(paths, columns))
        raise LengthMismatchError(f"the references have different numbers of lines, and a line is a segment: {counts}")
    return list(zip(*columns))
