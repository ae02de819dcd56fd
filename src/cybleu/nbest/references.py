"""References of n-best lists, and the rows of their texts: the only module of this package that parses texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from os import PathLike
from typing import TYPE_CHECKING, Any

from .._files.text import Lines, Path
from .._runtime.arrays import Array, Integers
from ..errors import InputFileError, LengthMismatchError, SequenceTypeError
from ..metrics import Bleu, Metric
from ..metrics.operations import rows_of_corpus, tokenization_for, with_options
from ..metrics.references import References
from ..metrics.tokens import tokens_of
from ..text.batches import Place, RawText

if TYPE_CHECKING:
    from ..text.batches import Batch


def prepare_references(references: Any, segments: int | None = None) -> References:
    """Prepare references once, for several n-best lists of the same segments.

    :param references: paths of text files with one segment on each line; or as for :class:`cybleu.References`, or these
    :param segments: how many there must be
    :raises LengthMismatchError: there are not so many; the files have different numbers of lines
    """
    paths = [references] if isinstance(references, (str, PathLike)) else references
    if isinstance(paths, (list, tuple)) and paths and all(isinstance(path, (str, PathLike)) for path in paths):
        references = _lines_in(paths, segments is not None)
    prepared = references if isinstance(references, References) else References(references)
    if segments not in (None, len(prepared)):
        raise LengthMismatchError(f"there are {segments} segments of hypotheses, but {len(prepared)} of references")
    return prepared


def _lines_in(paths: Sequence[Path], beside_texts: bool) -> list[list[str]]:
    """Return the references of each segment in files.

    :param beside_texts: whether the hypotheses are texts, so that the paths may be meant as texts, too
    """
    columns = []
    for path in paths:
        try:
            with Lines(path) as file:
                columns.append(list(file))
        except InputFileError as error:
            if not (beside_texts and isinstance(error.__cause__, OSError)):
                raise
            raise InputFileError(
                f"{error}; a str in the list of references is the path of a file; to pass texts, give a list for each "
                "segment: [[text] for text in references] if each has one"
            ) from error
    # zip would end with the shortest file
    if len(set(map(len, columns))) > 1:
        counts = ", ".join(f"{path}: {len(column)}" for path, column in zip(paths, columns))
        raise LengthMismatchError(f"reference files must have one line per segment, but their lengths differ: {counts}")
    return [list(group) for group in zip(*columns)]  # lists, which are read the shortest way


def digest(references: References) -> str:
    """Return the SHA-256 of references, equal for equal ones."""
    return sha256(repr(references.lists()).encode("utf-8", "surrogatepass")).hexdigest()


def bleu_of_lists(
    tokenize: str | Callable[[str], list[str]] | None = None,
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


def count_texts(
    metric: Metric, texts: Batch, references: References, owners: Integers, threads: int | None = None
) -> Array:
    """Return the rows of texts. If either side has tokens, the tokeniser of the metric splits the other.

    :param owners: for each text the number of its segment
    """
    if metric.reads == "tokens" and not (isinstance(texts, RawText) and references.kind == "raw text"):
        tokenization = tokenization_for(metric, "raw text")
        if tokenization is None:
            raise SequenceTypeError("the references are tokens, and a mixture counts raw text; give each as a str")
        if isinstance(texts, RawText):
            texts = tokens_of(texts, tokenization, Place("hypotheses"))
        if references.kind == "raw text":
            references = References([tokenization.split(group) for group in references.lists()])
        # both sides are tokens now
        metric = with_options(metric, tokenize=None, lowercase=False)
    return rows_of_corpus(metric, references.corpus_of(texts, owners), threads)


def known_texts(texts: Batch) -> list[str] | None:
    """Return texts, of which tokens are joined with blanks. None if a text would be split into other tokens."""
    found: list[str] = []
    for tokens in texts.lists():
        text = tokens if isinstance(tokens, str) else " ".join(map(str, tokens))
        if text is not tokens and text.split() != list(tokens):
            return None
        found.append(text)
    return found
