"""``corpus_chrf`` and ``sentence_chrf`` of ``sacrebleu.compat``, counted by the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .. import sacrebleu_compat
from ..metrics.chrf import LARGEST_BETA, MOST_ORDERS, Chrf
from .functions import imported_sacrebleu

if TYPE_CHECKING:
    from sacrebleu.metrics.chrf import CHRFScore

__all__ = ["corpus_chrf", "sentence_chrf"]


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    char_order: int = 6,
    word_order: int = 0,
    beta: int = 2,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score a corpus by chrF as ``sacrebleu.corpus_chrf`` does: the same arguments, result and errors.

    :param hypotheses: the lines to score
    :param references: one or more reference documents, each with a line for every hypothesis, or None where there is no
        reference
    :param char_order: the largest order of n-grams of characters
    :param word_order: the largest order of n-grams of words: 1 for chrF+, 2 for chrF++
    :param beta: the weight of recall relative to precision
    :param remove_whitespace: remove white space before counting n-grams of characters
    :param eps_smoothing: as for :class:`cybleu.metrics.Chrf`
    :return: sacreBLEU's ``CHRFScore``, from 0 to 100
    :raises MissingExtraError: sacreBLEU is not installed

    >>> print(corpus_chrf(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    chrF2 = 66.89
    """
    metric = sacrebleu_compat.CHRF(
        char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing
    )
    score: CHRFScore = metric.corpus_score(hypotheses, references)
    return score


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str | None],
    char_order: int = 6,
    word_order: int = 0,
    beta: int = 2,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score a line by chrF as ``sacrebleu.sentence_chrf`` does: the same arguments, result and errors.

    :param hypothesis: the line to score
    :param references: its reference lines
    :return: sacreBLEU's ``CHRFScore``, from 0 to 100
    :raises MissingExtraError: sacreBLEU is not installed

    The other parameters are those of :func:`corpus_chrf`.

    >>> print(sentence_chrf("The cat.", ["A cat.", "The cat."], word_order=2))
    chrF2++ = 100.00
    """
    if (
        type(hypothesis) is str
        and type(references) in (list, tuple)
        and set(map(type, references)) == {str}
        and type(char_order) is type(word_order) is type(beta) is int
        and 0 <= char_order <= MOST_ORDERS
        and 0 <= word_order <= MOST_ORDERS
        and char_order + word_order
        and abs(beta) <= LARGEST_BETA
    ):
        kind = imported_sacrebleu().metrics.chrf.CHRFScore
        counts: Any = measure(char_order, word_order, beta, "int", not remove_whitespace, bool(eps_smoothing))
        score: CHRFScore = kind(counts.evaluate(counts.count(hypothesis, references)), char_order, word_order, beta)
        return score
    metric = sacrebleu_compat.CHRF(
        char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing
    )
    score = metric.sentence_score(hypothesis, references)
    return score


@lru_cache
def measure(char_order: int, word_order: int, beta: float, kind: str, whitespace: bool, eps_smoothing: bool) -> Chrf:
    return Chrf(char_order, word_order, beta, whitespace, eps_smoothing)
