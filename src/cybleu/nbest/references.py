"""Prepare the references of n-best lists, from files, texts or tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from .._files.text import Lines
from ..errors import ArrayValueError, LengthMismatchError
from ..stats.options import CountOptions
from ..stats.references import References
from ..text.parsing import parse_references
from ..text.raw import check_tokenizer
from ..text.tokenizers import tokenizer
from ..text.values import ReferenceLists

if TYPE_CHECKING:
    Path = str | PathLike[str]
    Split = Callable[[str], list[str]]


def prepare_references(
    references: Any,
    tokenize: str | Split | None = None,
    max_order: int | None = None,
    reference_length: str | None = None,
    lowercase: bool = False,
) -> References:
    """Prepare references once, for several n-best lists of the same segments.

    :param references: for each segment a list of texts: token lists, or strings if `tokenize` is given; or paths of
        text files with one segment on each line. :class:`cybleu.References` are returned as they are
    :param tokenize: how to split a text into tokens: a function such as ``str.split``, or a name that
        :func:`cybleu.text.tokenizer` knows. By default files are split on white space, and a string in a list is an
        error
    :param max_order: the largest n-gram order, by default 4
    :param reference_length: ``closest`` (the default), ``closest-first``, ``shortest`` or ``average``
    :param lowercase: put the strings in lower case first
    :return: references that :meth:`NBest.from_texts` and :meth:`NBest.from_files` take
    :raises ArrayValueError: the given `References` were prepared with another largest order or another reference length
    :raises SequenceTypeError: there is a string among the texts, and no `tokenize`; the message says where
    :raises LengthMismatchError: the files have different numbers of lines

    >>> prepare_references([["it rains", "rain falls"]], "unicode", max_order=2)
    <References of 1 segment, 2 texts, orders 1 to 2, closest length>
    """
    check_tokenizer(tokenize, lowercase)
    split = tokenizer(tokenize or "unicode", lowercase)
    if isinstance(references, References):
        for name, value in (("max_order", max_order), ("reference_length", reference_length)):
            if value is not None and value != getattr(references, name):
                raise ArrayValueError(
                    f"{name}={value!r} does not fit the References, which were made with {getattr(references, name)!r}"
                )
        return references
    options = CountOptions.checked(
        4 if max_order is None else max_order, "closest" if reference_length is None else reference_length
    )
    lines = lines_of_files(references, tokenize)
    if lines is not None:
        sets = [[split(line) for line in group] for group in lines]
        return References._of(ReferenceLists(sets, "references"), options)
    return References._of(parse_references(references, split=None if tokenize is None else split), options)


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
