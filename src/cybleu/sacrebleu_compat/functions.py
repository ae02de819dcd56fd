"""``corpus_bleu`` and ``sentence_bleu`` of ``sacrebleu.compat``, tokenised and counted by the kernel.

sacreBLEU computes the score from the counts, and its own tokenisers are used for all names except those in `RAW_NAMES`.
Arguments that are not plain lists of str are passed to sacreBLEU, so that results and errors are the same.
"""

from __future__ import annotations

import math
import sys
import threading
from array import array
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.extras import extra
from .._runtime.shapes import mistake_in_documents, warn_of
from ..errors import UnknownNameError
from ..metrics.bleu import Bleu
from ..text.batches import Corpus, RawText, Sets
from ..text.columns import lists_of_documents
from ..text.reading import sets_of_lines
from ..text.tokenizers import own_tokenizer
from .counting import strings

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEUScore

__all__ = ["corpus_bleu", "sentence_bleu"]

ORDER = 4  # the largest order of n-grams in sacreBLEU
BLOCK = 4096  # segments counted at a time
RAW_NAMES = frozenset({"13a", "intl", "zh", "char", "none"})  # the tokenisers of sacreBLEU that cybleu implements
MANY = 100  # sacreBLEU warns from this number of lines that look tokenised


@cache
def counter_for(tokenize: str, order: int = ORDER) -> Bleu:
    """sacreBLEU's BLEU with one of the backend's tokenisers."""
    return Bleu("sacrebleu", max_order=order, tokenize=tokenize)


# sacreBLEU's tokenisers in use, by name: they cache lines, and some load a model. MeCab's must stay in its thread.
_kept = threading.local()


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = "13a",
    use_effective_order: bool = False,
) -> BLEUScore:
    """Score a corpus of untokenised lines as ``sacrebleu.corpus_bleu`` does: the same arguments, result and errors.

    Where sacreBLEU silently ignores a part of its arguments, this function does the same with a
    :class:`cybleu.errors.ShapeWarning`.

    :param hypotheses: the lines to score
    :param references: one or more reference documents, each with a line for every hypothesis, or None where there is no
        reference. Note that :func:`cybleu.corpus_bleu` takes a list of references for each hypothesis instead
    :param smooth_method: ``exp``, ``floor``, ``add-k`` or ``none``
    :param smooth_value: the value of ``floor`` (by default 0.1) or of ``add-k`` (by default 1)
    :param force: do not warn if the hypotheses look tokenised
    :param lowercase: convert the texts to lower case first
    :param tokenize: the name of a tokeniser of sacreBLEU. cybleu implements ``13a``, ``intl``, ``zh``, ``char``
        and ``none``. Other tokenisers are sacreBLEU's; they are kept for later calls, with the lines that they cache
    :param use_effective_order: ignore the orders that all hypotheses are too short for
    :return: sacreBLEU's ``BLEUScore``, from 0 to 100
    :raises UnknownNameError: there is no such tokeniser
    :raises MissingExtraError: sacreBLEU is not installed

    >>> print(corpus_bleu(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
    """
    sacrebleu = imported_sacrebleu()
    settings = smooth_method, smooth_value, lowercase, tokenize, use_effective_order
    hypotheses, references = lists_of_documents(hypotheses), lists_of_documents(references)
    score = _score(sacrebleu.BLEU, hypotheses, references, *settings)
    if score is None:
        theirs: BLEUScore = _of_sacrebleu(
            sacrebleu.corpus_bleu, tokenize, hypotheses, references, *settings[:2], force, *settings[2:]
        )
        if not hasattr(sacrebleu.BLEU, "_of_sacrebleu"):  # cybleu's class warns itself
            warn_of(mistake_in_documents(hypotheses, references))
        return theirs
    if not force and len(hypotheses) >= MANY:
        warn_of_tokenised(sacrebleu.BLEU, _backend.chosen.RawTexts(hypotheses))
    return score


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str | None],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str | None = "13a",
    use_effective_order: bool = True,
) -> BLEUScore:
    """Score an untokenised line as ``sacrebleu.sentence_bleu`` does: the same arguments, result and errors.

    :param hypothesis: the line to score
    :param references: its reference lines
    :return: sacreBLEU's ``BLEUScore``, from 0 to 100
    :raises UnknownNameError: there is no such tokeniser
    :raises MissingExtraError: sacreBLEU is not installed

    The other parameters are those of :func:`corpus_bleu`.

    >>> print(sentence_bleu("The cat.", ["The cat.", "A cat."]))
    BLEU = 100.00 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 3 ref_len = 3)
    """
    sacrebleu = imported_sacrebleu()
    metric = sacrebleu.BLEU
    score: BLEUScore | None
    try:
        made = _sentence_maker(metric, _backend.BACKEND, smooth_method, smooth_value, tokenize, use_effective_order)
    except TypeError:  # an argument is not hashable
        made = None
    if made is not None and (
        type(hypothesis) is str
        and (
            are_plain(references)
            if type(references) is not list or len(references) != 1
            else type(references[0]) is str
        )
    ):
        if lowercase:
            hypothesis, references = hypothesis.lower(), [line.lower() for line in references if line is not None]
        score = made(hypothesis, references)
    else:
        documents = [[line] for line in references] if type(references) in (list, tuple) else []
        settings = smooth_method, smooth_value, lowercase, tokenize, use_effective_order
        score = _score(metric, [hypothesis], documents, *settings)
        if score is None:
            theirs: BLEUScore = _of_sacrebleu(sacrebleu.sentence_bleu, tokenize, hypothesis, references, *settings)
            return theirs
    if not use_effective_order:
        sacrebleu.sentence_bleu("", [""], tokenize="none", use_effective_order=False)  # issues sacreBLEU's warning
    return score


@lru_cache(typed=True)
def _sentence_maker(
    metric: Any, backend: str, smooth_method: Any, smooth_value: Any, tokenize: Any, use_effective_order: Any
) -> Callable[[str, Any], BLEUScore] | None:
    """Return a function that scores lines; None if sacreBLEU must handle these settings."""
    name = "13a" if tokenize is None else tokenize
    if name not in RAW_NAMES or smooth_method not in metric.SMOOTH_DEFAULTS:
        return None
    tokenizer = own_tokenizer(name)
    made = _maker(metric, backend, smooth_method, smooth_value, use_effective_order)

    def of_lines(hypothesis: str, references: Any) -> BLEUScore:
        return made(_backend.chosen.raw_row(tokenizer, hypothesis, references, ORDER, "closest"))

    return of_lines


def imported_sacrebleu() -> Any:
    """Return the module.

    :raises MissingExtraError: sacreBLEU is not installed
    """
    imported = sys.modules.get("sacrebleu")
    if imported is not None:
        return imported
    with extra("sacrebleu", "the result is an object of sacreBLEU", "cybleu[sacrebleu]"):
        import sacrebleu
    return sacrebleu


def _of_sacrebleu(function: Callable[..., Any], tokenize: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except KeyError as error:
        if error.args == (tokenize,):
            raise unknown_tokenizer(tokenize) from None
        raise


def unknown_tokenizer(name: Any) -> UnknownNameError:
    """Return the error for a tokeniser that sacreBLEU does not have, for which it raises a KeyError."""
    known = ", ".join(imported_sacrebleu().BLEU.TOKENIZERS)
    return UnknownNameError(f"unknown tokeniser {name!r}; use one of {known}")


def _score(
    metric: Any,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    smooth_method: str,
    smooth_value: float | None,
    lowercase: bool,
    tokenize: str | None,
    use_effective_order: bool,
) -> BLEUScore | None:
    """Score plain lists of lines; return None if sacreBLEU must handle the arguments."""
    known = smooth_method in list(metric.SMOOTH_DEFAULTS) and tokenize in [None, *metric.TOKENIZERS]
    if not known or not _are_lists(hypotheses, references):
        return None
    name = "13a" if tokenize is None else tokenize  # sacreBLEU's default
    if name in RAW_NAMES:
        row = _summed(name, bool(lowercase), hypotheses, references)
    else:
        row = _counts_of_theirs(metric, hypotheses, references, lowercase, tokenize)
    if row is None:
        return None
    settings = metric, _backend.BACKEND, smooth_method, smooth_value, use_effective_order
    try:
        return _maker(*settings)(row)
    except TypeError:  # an argument is not hashable, or sacreBLEU raises its own error again
        return _maker.__wrapped__(*settings)(row)


def _summed(
    tokenize: str, lowercase: bool, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]]
) -> list[int] | None:
    """Sum the statistics of lists of equal length; None if a line is not a str, or a segment has no reference."""
    if len(hypotheses) == 1:
        lines = [document[0] for document in references if document[0] is not None]
        plain = are_plain(lines) and are_plain(hypotheses)
        if not plain:
            return None
        line, *lines = [one.lower() if lowercase else one for one in (hypotheses[0], *lines)]
        row: list[int] = _backend.chosen.raw_row(own_tokenizer(tokenize), line, lines, ORDER, "closest")
        return row
    metric, totals = counter_for(tokenize), [[0] * (2 + 2 * ORDER)]
    for start in range(0, len(hypotheses), BLOCK):
        documents = [document[start : start + BLOCK] for document in (hypotheses, *references)]
        texts, *parts = (strings(document, lowercase) for document in documents)
        if texts is None:
            return None
        if None not in parts:
            bounds: Any = array("q", bytes(8 * (len(texts) + 1)))
            others = _backend.chosen.RawTexts.side_by_side(parts, [0] * len(parts), bounds)
        else:
            groups = [[line for line in lines if line is not None] for lines in zip(*documents[1:])]
            if not all(map(are_plain, groups)):
                return None
            if lowercase:
                groups = [[line.lower() for line in lines] for lines in groups]
            sets = sets_of_lines(groups, "references")
            others, bounds = sets.texts.lines, sets.bounds  # type: ignore[union-attr]
        totals.append(metric.total(metric.rows_of(Corpus(RawText(texts), Sets(RawText(others), bounds)))))
    return metric.total(totals)


def _counts_of_theirs(
    metric: Any,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    lowercase: bool,
    tokenize: str | None,
) -> list[int] | None:
    """Sum the statistics with a tokeniser of sacreBLEU."""
    if not are_plain(hypotheses) or not {str, type(None)}.issuperset(map(type, chain(*references))):
        return None
    kept: Any = vars(_kept)
    if tokenize not in kept:
        kept[tokenize] = metric(tokenize=tokenize).tokenizer
    tokenise = kept[tokenize]
    tokenised: dict[str | None, str | None] = {None: None}
    for line in chain(hypotheses, *references):
        if line not in tokenised:  # each distinct line once, because these tokenisers are slow
            assert line is not None
            tokenised[line] = tokenise((line.lower() if lowercase else line).rstrip())
    # tokenise everything first: it is slower if it alternates with counting
    texts: list[Any] = [list(map(tokenised.__getitem__, document)) for document in (hypotheses, *references)]
    return _summed("none", False, texts[0], texts[1:])


@lru_cache(typed=True)
def _maker(
    metric: Any, backend: str, smooth_method: str, smooth_value: Any, use_effective_order: Any
) -> Callable[[list[int]], BLEUScore]:
    """Return a function that does what sacreBLEU's ``compute_bleu`` does: the same floats and the same formatted text."""
    from sacrebleu.metrics.bleu import BLEUScore

    def theirs(row: list[int]) -> BLEUScore:
        matches, totals = row[2 : 2 + ORDER], row[2 + ORDER :]
        found: BLEUScore = metric.compute_bleu(
            matches, totals, row[0], row[1], smooth_method, smooth_value, use_effective_order
        )
        return found

    value = smooth_value if smooth_method == "floor" else None  # not for add-k, which also changes the shown counts
    if smooth_method == "add-k" or not (value is None or (type(value) is float and 0 <= value < math.inf)):
        return theirs
    rules = Bleu("sacrebleu", smooth_method, value, effective_order=bool(use_effective_order)).rules(ORDER)
    evaluate = _backend.chosen.Definition(rules).evaluate
    new = BLEUScore.__new__

    def made(row: list[int]) -> BLEUScore:
        parts = evaluate(row)
        if parts is None:
            return theirs(row)
        score = new(BLEUScore)
        score.name = "BLEU"
        score.score, precisions, penalty = parts
        score._mean = score._ci = -1.0
        score.bp = penalty
        score.counts = row[2 : 2 + ORDER]
        score.totals = row[2 + ORDER :]
        score.sys_len = length = row[0]
        score.ref_len = reference_length = row[1]
        score.precisions = precisions
        score.ratio = ratio = length / reference_length if reference_length else 0
        text = _TEXT % (*precisions, penalty, ratio, length, reference_length)
        score._verbose = text
        score.prec_str = text[: text.index(" ")]
        return score

    example = [5, 6, 3, 2, 1, 1, 5, 4, 3, 2]
    return made if vars(made(example)) == vars(theirs(example)) else theirs


_TEXT = f"{'/'.join(['%.1f'] * ORDER)} (BP = %.3f ratio = %.3f hyp_len = %d ref_len = %d)"


def warn_of_tokenised(metric: Any, texts: Any) -> None:
    """Issue sacreBLEU's warning about tokenised lines, for lines that the backend has read."""
    if texts.full_stops()[0] >= MANY:
        metric(tokenize="none").corpus_score([" ."] * MANY, [["."] * MANY])


def are_plain(lines: Any) -> bool:
    """Return whether this is a list or tuple with at least one element, all str."""
    return type(lines) in (list, tuple) and set(map(type, lines)) == {str}


def _are_lists(hypotheses: Any, references: Any) -> bool:
    """Return whether these are lists or tuples of equal length above 0, with at least one list of references."""
    lists = (list, tuple)
    return (
        type(hypotheses) in lists
        and len(hypotheses) > 0
        and type(references) in lists
        and len(references) > 0
        and all(type(document) in lists and len(document) == len(hypotheses) for document in references)
    )
