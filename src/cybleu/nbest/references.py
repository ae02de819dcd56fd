"""References of n-best lists, and the rows of their texts: the only module of this package that parses texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from os import PathLike
from typing import TYPE_CHECKING, Any

from .._files.text import Lines
from .._runtime.arrays import np
from ..errors import InputFileError, LengthMismatchError
from ..metrics import Bleu, Metric, Mixture
from ..metrics.references import References
from ..metrics.tokens import tokens_of
from ..text.batches import Corpus, Place, RawText
from ..text.reading import read_groups, read_lines, token_lists
from .sparse import owners_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..text.batches import Batch

    Path = str | PathLike[str]
    Split = Callable[[str], list[str]]

__all__ = ["bleu", "count", "counted_texts", "digest", "prepare_references", "split_on_blanks"]


def prepare_references(references: Any) -> References:
    """Prepare references once, for several n-best lists of the same segments.

    :param references: paths of text files with one segment on each line; or as for :class:`cybleu.References`, or these
    :raises LengthMismatchError: the files have different numbers of lines
    """
    if isinstance(references, References):
        return references
    paths = [references] if isinstance(references, (str, PathLike)) else references
    if (
        not isinstance(paths, (list, tuple))
        or not paths
        or not all(isinstance(path, (str, PathLike)) for path in paths)
    ):
        return References(references)
    columns = []
    for path in paths:
        with Lines(path) as file:
            columns.append(list(file))
    if len(set(map(len, columns))) > 1:
        counts = ", ".join(f"{path}: {len(column)}" for path, column in zip(paths, columns))
        raise LengthMismatchError(f"the references have different numbers of lines, and a line is a segment: {counts}")
    return References(list(zip(*columns)))


def digest(references: References) -> str:
    """Return the SHA-256 of references, equal for equal ones."""
    lists = [[text if isinstance(text, str) else [*text] for text in group] for group in references.lists()]
    return sha256(repr(lists).encode("utf-8", "surrogatepass")).hexdigest()


def bleu(
    tokenize: str | Split | None = None,
    lowercase: bool = False,
    max_order: int | None = None,
    reference_length: str | None = None,
) -> Bleu:
    """Return the metric whose rows n-best lists have by default. The parameters are those of :meth:`NBest.from_texts`."""
    return Bleu(
        "moses",
        max_order=max_order,
        reference_length=reference_length or "closest",
        tokenize="unicode" if tokenize is None or tokenize is str.split else tokenize,
        lowercase=lowercase,
    )


def split_on_blanks(metric: Metric) -> Metric:
    """The metric with white space as its tokeniser, unless it has one: texts of n-best lists are tokens with blanks between them."""
    if isinstance(metric, Mixture):
        return metric._with(split_on_blanks)
    return metric.with_choices(tokenize="unicode") if metric.reads == "tokens" and metric.tokenize is None else metric


def count(
    metric: Metric, texts: Batch, references: References, owners: NDArray[np.int64], threads: int | None = None
) -> NDArray[Any]:
    """Return the rows of texts. If either side has tokens, the tokeniser of the metric splits the other.

    :param owners: for each text the number of its segment
    """
    if metric.reads == "tokens" and not (isinstance(texts, RawText) and references.kind == "raw text"):
        raw = metric.raw("raw text")
        assert raw is not None
        if isinstance(texts, RawText):
            texts = tokens_of(texts, raw, Place("hypotheses"))
        if references.kind == "raw text":
            references = References([[raw.splitter(line) for line in group] for group in references.lists()])
        metric = metric.with_choices(tokenize=None, lowercase=False)
    return metric._table(Corpus(texts, references._sets, owners, references._once), threads)


def counted_texts(
    hypotheses: Sequence[Sequence[Any]], references: Any, metric: Bleu, threads: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str] | None]:
    """Return the offsets of segments, the rows of hypotheses, and their texts, if they are known.

    The parameters are those of :meth:`cybleu.nbest.NBest.from_texts`.
    """
    texts, bounds = read_groups(hypotheses, "hypotheses")
    try:
        prepared = prepare_references(references)
    except InputFileError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        raise InputFileError(
            f"{error}; a str in the list of references is the path of a file; pass texts as a list for each "
            "segment: [[text] for text in references] if each has one"
        ) from error
    check_segments(len(bounds) - 1, prepared)
    batch: Batch
    if all(isinstance(text, str) for text in texts):
        batch, known = read_lines(texts), texts
    else:
        split = metric._raw().splitter
        tokens = [split(text) if isinstance(text, str) else text for text in texts]
        batch = token_lists(tokens, Place("hypotheses", bounds))
        known = [text if isinstance(text, str) else _joined(found) for text, found in zip(texts, batch.lists())]
    offsets = np.array(bounds, dtype=np.int64)
    rows = count(metric, batch, prepared, owners_of(offsets), threads)
    return offsets, rows, None if None in known else known


def check_segments(segments: int, references: References) -> None:
    """:raises LengthMismatchError: there are not as many sets of references as segments"""
    if len(references) != segments:
        raise LengthMismatchError(f"there are {segments} segments of hypotheses and {len(references)} of references")


def _joined(tokens: Any) -> str | None:
    """Join tokens with blanks; None if the text would be split into other tokens."""
    if not all(isinstance(token, str) for token in tokens):
        return None
    text = " ".join(tokens)
    return text if text.split() == list(tokens) else None
