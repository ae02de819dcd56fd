"""``corpus_ter`` and ``sentence_ter`` of ``sacrebleu.compat``, counted by the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .. import sacrebleu_compat
from ..metrics.ter import Ter
from .functions import imported_sacrebleu

if TYPE_CHECKING:
    from sacrebleu.metrics.ter import TERScore

__all__ = ["corpus_ter", "sentence_ter"]

measure = lru_cache(Ter)


def corpus_ter(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Score a corpus by TER as ``sacrebleu.corpus_ter`` does: the same arguments, result and errors.

    :param hypotheses: the lines to score
    :param references: one or more reference documents, each with one line for every hypothesis, or None where it has no
        reference
    :param normalized: tokenise punctuation
    :param no_punct: remove punctuation
    :param asian_support: treat Chinese and Japanese characters in the same way, with one of the other two options
    :param case_sensitive: do not put the texts in lower case first
    :return: sacreBLEU's ``TERScore``, in percent; lower is better
    :raises MissingExtraError: sacreBLEU is not installed

    >>> print(corpus_ter(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    TER = 16.67
    """
    metric = sacrebleu_compat.TER(normalized, no_punct, asian_support, case_sensitive)
    score: TERScore = metric.corpus_score(hypotheses, references)
    return score


def sentence_ter(
    hypothesis: str,
    references: Sequence[str | None],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Score one line by TER as ``sacrebleu.sentence_ter`` does: the same arguments, result and errors.

    :param hypothesis: the line to score
    :param references: its reference lines
    :return: sacreBLEU's ``TERScore``, in percent; lower is better
    :raises MissingExtraError: sacreBLEU is not installed

    The other parameters are those of :func:`corpus_ter`.

    >>> print(sentence_ter("the cat sat", ["the cat", "a cat sat down"]))
    TER = 33.33
    """
    options = normalized, no_punct, asian_support, case_sensitive
    if type(hypothesis) is str and type(references) in (list, tuple) and set(map(type, references)) == {str}:
        metric: Any = measure(*map(bool, options))
        row = metric.count(hypothesis, references)
        score: TERScore = imported_sacrebleu().metrics.ter.TERScore(metric.evaluate(row), *row)
        return score
    score = sacrebleu_compat.TER(*options).sentence_score(hypothesis, references)
    return score
