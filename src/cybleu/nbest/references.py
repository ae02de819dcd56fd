"""Prepare references, and count hypotheses against them: the only module of this package that parses texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from .._files.text import Lines
from .._runtime.arrays import np, repeat
from ..errors import InputFileError, LengthMismatchError
from ..metrics import Metric, Mixture, find
from ..metrics.counting import Counting
from ..metrics.references import References
from ..metrics.tokens import tokens_of
from ..text.batches import ListSets, Place
from ..text.raw import Raw
from ..text.reading import read_groups, read_lines, token_lists
from ..text.tokenizers import tokenizer
from .counted import CountedReferences, LineCounter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Path = str | PathLike[str]
    Split = Callable[[str], list[str]]

__all__ = ["SpanCounter", "counted_texts", "prepare_references", "rows_of_metric", "split_on_blanks"]


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
    sets = _lines_of_files(references, tokenize)
    if sets is None:
        prepared = references if isinstance(references, References) else References(references)
        if prepared.kind != "raw text":
            return CountedReferences(prepared._sets, counting)
        sets = prepared.lists()
    return CountedReferences(ListSets([[split(line) for line in group] for group in sets], "references"), counting)


def _lines_of_files(references: Any, tokenize: object) -> list[tuple[str, ...]] | None:
    """Read references from paths: for each segment the lines of all files. None if they are not paths.

    With the tokeniser ``space`` a CR at the end of a line is part of the last token, as in Moses.
    """
    paths = [references] if isinstance(references, (str, PathLike)) else references
    if not isinstance(paths, (list, tuple)) or not paths:
        return None
    if not all(isinstance(path, (str, PathLike)) for path in paths):
        return None
    columns = []
    for path in paths:
        with Lines(path, keep_cr=tokenize == "space") as file:
            columns.append(list(file))
    if len(set(map(len, columns))) > 1:
        counts = ", ".join(f"{path}: {len(column)}" for path, column in zip(paths, columns))
        raise LengthMismatchError(f"the references have different numbers of lines, and a line is a segment: {counts}")
    return list(zip(*columns))


def split_on_blanks(metric: Metric) -> Metric:
    """The metric with white space as its tokeniser, unless it has one: texts of n-best lists are tokens with blanks between them."""
    if isinstance(metric, Mixture):
        return metric._with(split_on_blanks)
    return metric.with_choices(tokenize="unicode") if metric.reads == "tokens" and metric.tokenize is None else metric


def counted_texts(
    hypotheses: Sequence[Sequence[Any]],
    references: Any,
    tokenize: str | Split | None,
    lowercase: bool,
    max_order: int | None,
    reference_length: str | None,
    threads: int | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str] | None]:
    """Return the offsets of segments, the statistics of hypotheses, and their texts, if they are known.

    The parameters are those of :meth:`cybleu.nbest.NBest.from_texts`.
    """
    texts, bounds = read_groups(hypotheses, "hypotheses")
    try:
        prepared = prepare_references(references, tokenize, max_order, reference_length, lowercase)
    except InputFileError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        raise InputFileError(
            f"{error}; a str in the list of references is the path of a file; pass texts as a list for each "
            "segment: [[text] for text in references] if each has one"
        ) from error
    segments = len(bounds) - 1
    if len(prepared) != segments:
        raise LengthMismatchError(f"there are {segments} segments of hypotheses and {len(prepared)} of references")
    split = tokenizer(tokenize or "unicode", lowercase)
    tokens = token_lists(
        [split(text) if isinstance(text, str) else text for text in texts], Place("hypotheses", bounds)
    )
    offsets = np.array(bounds, dtype=np.int64)
    stats = prepared.rows(tokens, repeat(np.arange(segments, dtype=np.int64), np.diff(offsets)), threads)
    joined = [text if isinstance(text, str) else _joined(found) for text, found in zip(texts, tokens.lists())]
    known = [text for text in joined if text is not None]
    return offsets, stats, known if len(known) == len(texts) else None


def _joined(tokens: Any) -> str | None:
    """Join tokens with blanks; None if the text would be split into other tokens."""
    if not all(isinstance(token, str) for token in tokens):
        return None
    text = " ".join(tokens)
    return text if text.split() == list(tokens) else None


def rows_of_metric(
    texts: Sequence[str],
    owners: NDArray[np.int64],
    segments: int,
    metric: Any,
    references: Any,
    tokenize: Any,
    lowercase: bool,
    threads: int | None,
    choices: dict[str, Any],
) -> tuple[Any, Metric]:
    """Return the rows of texts by another metric, and the metric.

    The other parameters are those of :meth:`cybleu.nbest.NBest.with_metric`.
    """
    found = split_on_blanks(find(metric, tokenize=tokenize, lowercase=lowercase or None, **choices))
    if not isinstance(references, References):
        lines = _lines_of_files(references, tokenize)
        references = References(references if lines is None else lines)
    given: Any = texts
    if references.kind != "raw text" and found.reads == "tokens":
        raw = found.raw("raw text")
        assert raw is not None
        given = tokens_of(read_lines(texts), raw, Place("hypotheses")).lists()
        found = found.with_choices(tokenize=None, lowercase=False)
    if len(references) != segments:
        raise LengthMismatchError(f"there are {segments} segments of hypotheses and {len(references)} of references")
    return found.rows(given, references, owner=owners, threads=threads), found


class SpanCounter:
    """Count texts in blocks of bytes against references; threads may share an instance."""

    def __init__(self, prepared: CountedReferences, tokenize: str | Split, lowercase: bool):
        self._prepared = prepared
        self._raw = Raw("unicode" if tokenize is str.split else tokenize, lowercase)
        self.own = self._raw.own  # whether the tokeniser is one of the backend's
        self._lines = LineCounter(prepared, self._raw) if self.own else None
        self.with_blanks = self._raw.tokenize == "space"  # tabs around a text are part of its tokens

    def rows(
        self, data: bytes, begins: NDArray[np.int64], ends: NDArray[np.int64], owners: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the statistics of the texts from `begins` to before `ends`.

        :param owners: the numbers of their segments
        """
        if self._lines is not None and (data.isascii() or not self._raw.lowercase):
            return self._lines.rows(data.lower() if self._raw.lowercase else data, begins, ends, owners)
        texts = [data[begin:end].decode() for begin, end in zip(begins.tolist(), ends.tolist())]
        if self._raw.lowercase:
            texts = [text.lower() for text in texts]
        if self._lines is None:
            return self._prepared.rows(token_lists(self._raw.split(texts), Place("hypotheses")), owners)
        lines = [text.encode() for text in texts]
        stops = np.cumsum([len(line) for line in lines], dtype=np.int64)
        return self._lines.rows(b"".join(lines), np.append(0, stops)[: len(lines)], stops, owners)
