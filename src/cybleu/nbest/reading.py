"""Read files of n-best lists in any format, some lines at a time.

Formats:

- ``moses``: ``id ||| tokens ||| Name= v v Other= v sparse_name= v ||| score``. Fields after the score, such as
  alignments, are skipped. The values of a name are the features ``Name_0``, ``Name_1`` ..., as in Moses's extractor; if
  a name appears again, the numbering continues. A name with ``_`` is one sparse feature. Old labels, ``name:``, are
  also accepted. Values without labels are ``f0``, ``f1`` ... All lines must have the same dense features.
- ``joshua``: ``id ||| tokens ||| name=v other=v ||| score``, as written by Joshua and cdec. A feature that is missing in
  a line is 0, as in these decoders.
- ``plain``: the tokens alone; each segment has `size` lines. Features come from another file: numbers separated by
  blanks, the same number in every line.
- ``fairseq``: the output of ``fairseq-generate`` and ``fairseq-interactive``: ``H-id``, a tab, the score, a tab, the
  tokens, with segments in any order. The score is the only feature, ``score``. Lines that do not begin with ``H-`` are
  ignored.
- ``json``: JSON lines of model servers and of Sockeye: :mod:`cybleu.nbest.json_lines` describes them.

``|||`` separates fields, with or without blanks around it, and cannot be part of a token. Features are separated by
spaces and tabs, and by no other white space. Files are UTF-8; gzip is recognised by its first bytes; ``-`` is standard
input. Files whose names end in ``.gz`` are written compressed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from os import PathLike
from typing import TYPE_CHECKING, Any

from .._backend import RawTexts
from .._files.text import Lines, Naming, Path, keyword, shown
from .._runtime.arrays import Array, Integers, np, repeat
from .._runtime.numbers import check_whole
from .._runtime.parallel import checked_threads, in_order
from ..errors import (
    ArrayValueError,
    InputFileError,
    LengthMismatchError,
    MixedTokensError,
    SequenceTypeError,
    UnknownNameError,
)
from ..metrics import Metric, find
from ..metrics.combined import Combination
from ..metrics.counting import tokens_of
from ..metrics.operations import rows_of_corpus, tokenization_for, with_options
from ..metrics.references import References
from ..text.reading import check_same_kind
from .formats import Record, fairseq, field_lines, on_line, plain_lines
from .json_lines import json_lines
from .parts import Part

if TYPE_CHECKING:
    from ..text.batches import Batch

READERS = {"fairseq": fairseq, "json": json_lines}  # of formats without options
# The commands name them, too, without importing this module: in `cli/options.py` and `cli/tuning.py`.
FORMATS = ("moses", "joshua", "plain", *READERS)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How to read and count a list. The fields are parameters of :meth:`cybleu.nbest.NBest.from_files`."""

    first_id: int = 0
    size: int | None = None
    features: Path | None = None
    names: Sequence[str] | None = None
    tokenize: str | Callable[[str], list[str]] = "unicode"
    lowercase: bool = False
    max_order: int | None = None
    reference_length: str | None = None
    texts: bool = True
    threads: int | None = None
    progress: bool = False
    naming: Naming = keyword

    def parts(self, path: Path, form: str | None, references: References | None) -> Iterator[Part]:
        """Read the hypotheses of some lines at a time. A segment may begin in one part and end in the next.

        :param references: None if the hypotheses are not counted
        """
        size = self.size
        if form is None and size is not None:
            form = "plain"
        if form not in (None, *FORMATS):
            raise UnknownNameError(f"unknown format {shown(form)}; use one of {', '.join(FORMATS)}")
        if form == "plain":
            if size is None:
                raise ArrayValueError(
                    f"plain text has no segment ids; it requires {self.naming('size')}, the number of lines of each "
                    "segment, from 1"
                )
            size = check_whole(size, "size", 1, error=ArrayValueError)
        elif not (size is None and self.features is None and self.names is None):
            raise ArrayValueError("size, features and names are only for the plain format, a file without fields")
        threads = checked_threads(self.threads)
        metric = bleu_of_lists(self.tokenize, self.lowercase, self.max_order, self.reference_length)
        if references is not None:
            check_whole(self.first_id, "first_id", 0, 2**53, error=ArrayValueError)
            if references.kind == "ids":
                raise MixedTokensError("the references are token ids, but the hypotheses are texts")
            if not metric.tokenization.own:
                threads = 1  # a tokeniser of the caller runs in the caller's thread

        def finished(record: Record) -> Part:
            part = record.part
            texts = RawTexts.of_spans(record.data, record.begins, record.ends)
            stats = None
            if references is not None:
                numbers = part.ids - int(self.first_id)
                sizes = np.diff(part.offsets)
                # a segment without hypotheses may have any id: nothing of it is scored
                wrong = ((numbers < 0) | (numbers >= len(references))) & (sizes > 0)
                if wrong.any():
                    place = int(wrong.argmax())
                    with on_line(file, record.lines[part.offsets[place]]):
                        raise self._without_references(part.ids[place], len(references))
                stats = count_texts(metric, texts, references, repeat(numbers, sizes))
            return replace(part, stats=stats, texts=texts.lists() if self.texts else None)

        with Lines(path) as file:
            if form in READERS:
                records = READERS[form](file)
            elif size is not None:
                records = plain_lines(file, size, self.features, self.names)
            else:
                records = field_lines(file, form, self.naming)
            if self.progress:
                records = file.watched(records)
            # parts are parsed one after the other, and counted in threads
            yield from in_order(finished, records, threads)

    def _without_references(self, number: int, segments: int) -> InputFileError:
        """Return the error for the id of a segment that the references do not have."""
        if not segments:
            return InputFileError("the references are empty; give one or several for each segment")
        first_id = int(self.first_id)
        return InputFileError(
            f"the id is {number}, but the references have {segments} segments, with ids from {first_id} to "
            f"{first_id + segments - 1}; use {self.naming('first_id', 1)} or another number if the ids do not begin at "
            f"{first_id}, and more references if they do"
        )


# ---------------------------------------------------------------------------------------- references, and rows of texts


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


def _lines_in(paths: Sequence[Path], beside_texts: bool) -> list[str] | list[list[str]]:
    """Return the reference of each segment in a file, or those in several files.

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
    if len(columns) == 1:
        return columns[0]
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
) -> Any:
    """Return the metric whose rows n-best lists have by default. The parameters are those of :meth:`NBest.from_texts`."""
    return find(
        "moses",
        max_order=max_order,
        reference_length=reference_length,
        tokenize="unicode" if tokenize is None or tokenize is str.split else tokenize,
        lowercase=lowercase,
    )


def split_on_blanks(metric: Metric) -> Metric:
    """Return the metric with white space as its tokeniser of raw text, unless it has another one."""
    if isinstance(metric, Combination):
        return metric.with_components([split_on_blanks(component) for component in metric.components])
    if metric.reads == "tokens" and metric.tokenize is None:
        return with_options(metric, tokenize="unicode")
    return metric


def count_texts(
    metric: Metric, texts: Batch, references: References, owners: Integers, threads: int | None = None
) -> Array:
    """Return the rows of texts. If either side has tokens, the tokeniser of the metric splits the other.

    :param owners: for each text the number of its segment
    """
    both_raw = isinstance(texts, RawTexts) and references.kind == "raw text"
    if metric.reads == "tokens" and not both_raw:
        tokenization = tokenization_for(metric, "raw text")
        if tokenization is None:
            raise SequenceTypeError("the references are tokens, and a mixture counts raw text; give each as a str")
        if isinstance(texts, RawTexts):
            texts = tokens_of(texts, tokenization, None)
        if references.kind == "raw text":
            references = References([tokenization.split(group) for group in references.lists()])
        # both sides are tokens now
        metric = with_options(metric, tokenize=None, lowercase=False)
    elif not both_raw:
        check_same_kind(texts.kind, "the texts", references.kind, "the references")
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
