"""The references of n-best lists, from files, texts or tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from .._files.text import Lines
from .._runtime.sequences import by_position, refuse_text
from ..errors import ArrayValueError, LengthMismatchError
from ..stats.references import References
from ..text.columns import references_given
from ..text.raw import raw_of
from ..text.tokenizers import tokenizer

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
    """References for n-best lists, prepared once for several lists of the same segments.

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
    raw_of(tokenize, lowercase)  # for its errors
    split = tokenizer(tokenize or "unicode", lowercase)
    if isinstance(references, References):
        for name, value in (("max_order", max_order), ("reference_length", reference_length)):
            if value is not None and value != getattr(references, name):
                raise ArrayValueError(
                    f"{name}={value!r} does not fit the References, which were made with {getattr(references, name)!r}"
                )
        return references
    references = sets_given(references, split, tokenize is not None)
    if isinstance(references, (list, tuple)) and all(isinstance(texts, (list, tuple)) for texts in references):
        if tokenize is not None:
            references = [[split(text) if isinstance(text, str) else text for text in texts] for texts in references]
        for position, texts in enumerate(references):
            for number, text in enumerate(texts):
                refuse_text(text, f"references[{position}][{number}]")
    max_order = 4 if max_order is None else max_order
    return References(references, max_order, "closest" if reference_length is None else reference_length)


def sets_given(references: Any, split: Callable[[str], Any], raw: bool) -> Any:
    """For each segment what is given as its references; the lines of files where paths are given.

    :param split: what to make of a line of a file; ``str`` leaves it as it is
    :param raw: whether columns of texts are raw text
    """
    if isinstance(references, (str, PathLike)):
        references = [references]
    references = by_position(references_given(references, raw))
    if isinstance(references, (list, tuple)) and references:
        references = [texts if isinstance(texts, PathLike) else by_position(texts) for texts in references]
        if all(isinstance(path, (str, PathLike)) for path in references):
            return _sets_of_files(references, split)
    return references


def _sets_of_files(paths: Sequence[Path], split: Callable[[str], Any]) -> list[tuple[Any, ...]]:
    columns = []
    for path in paths:
        with Lines(path) as file:
            columns.append([split(line) for line in file])
    if len(set(map(len, columns))) > 1:
        counts = ", ".join(f"{path}: {len(column)}" for path, column in zip(paths, columns))
        raise LengthMismatchError(f"the references have different numbers of lines, and a line is a segment: {counts}")
    return list(zip(*columns))
