"""sacreBLEU's functions, each of which calls the class of its metric, kept with its settings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from threading import get_ident
from typing import TYPE_CHECKING, Any

from .. import sacrebleu_compat

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEUScore
    from sacrebleu.metrics.chrf import CHRFScore
    from sacrebleu.metrics.ter import TERScore

MAX_ORDER = 4


# Kept by name and settings, because tokenisers cache lines, and some load a model. MeCab's must stay in its thread.
@lru_cache(64, typed=True)
def _kept(thread: int, name: str, *settings: Any) -> Any:
    return getattr(sacrebleu_compat, name)(*settings)


def _metric(*settings: Any) -> Any:
    """Return sacreBLEU's metric with this name and these settings, in the order of its class, counted by cybleu."""
    try:
        return _kept(get_ident(), *settings)
    except TypeError:  # perhaps a setting without a hash, which sacreBLEU refuses in words of its own
        return _kept.__wrapped__(0, *settings)


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

    If sacreBLEU silently ignores a part of its arguments, this function ignores it too, but issues a
    :class:`cybleu.errors.ShapeWarning`.

    :param hypotheses: the lines to score
    :param references: one or more reference documents, each with a line for every hypothesis, or None where there is no
        reference. Note that :func:`cybleu.corpus_bleu` takes a list of references for each hypothesis instead
    :param smooth_method: ``exp``, ``floor``, ``add-k`` or ``none``
    :param smooth_value: the value of ``floor`` (by default 0.1) or of ``add-k`` (by default 1)
    :param force: do not warn if the hypotheses look tokenised
    :param lowercase: convert the texts to lower case first
    :param tokenize: the name of a tokeniser of sacreBLEU. cybleu implements ``13a``, ``intl``, ``zh``, ``char``
        and ``none``. Other tokenisers are sacreBLEU's, whose tokens cybleu counts; they are kept for later calls, with the
        lines that they cache
    :param use_effective_order: ignore the orders that all hypotheses are too short for
    :return: sacreBLEU's ``BLEUScore``, from 0 to 100
    :raises UnknownNameError: there is no such tokeniser
    :raises MissingExtraError: sacreBLEU is not installed

    >>> print(corpus_bleu(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
    """
    metric = _metric("BLEU", lowercase, force, tokenize, smooth_method, smooth_value, MAX_ORDER, use_effective_order)
    return metric.corpus_score(hypotheses, references)


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
    metric = _metric("BLEU", lowercase, False, tokenize, smooth_method, smooth_value, MAX_ORDER, use_effective_order)
    return metric.sentence_score(hypothesis, references)


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
    :param char_order: the largest character n-gram order
    :param word_order: the largest word n-gram order: 1 for chrF+, 2 for chrF++
    :param beta: the weight of recall relative to precision
    :param remove_whitespace: remove white space before counting n-grams of characters
    :param eps_smoothing: as for :class:`cybleu.metrics.Chrf`
    :return: sacreBLEU's ``CHRFScore``, from 0 to 100
    :raises MissingExtraError: sacreBLEU is not installed

    >>> print(corpus_chrf(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    chrF2 = 66.89
    """
    metric = _metric("CHRF", char_order, word_order, beta, False, not remove_whitespace, eps_smoothing)
    return metric.corpus_score(hypotheses, references)


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
    metric = _metric("CHRF", char_order, word_order, beta, False, not remove_whitespace, eps_smoothing)
    return metric.sentence_score(hypothesis, references)


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
    :param asian_support: apply `normalized` and `no_punct` to Chinese and Japanese characters, too
    :param case_sensitive: do not convert the texts to lower case first
    :return: sacreBLEU's ``TERScore``, in percent; lower is better
    :raises MissingExtraError: sacreBLEU is not installed

    >>> print(corpus_ter(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    TER = 16.67
    """
    metric = _metric("TER", normalized, no_punct, asian_support, case_sensitive)
    return metric.corpus_score(hypotheses, references)


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
    metric = _metric("TER", normalized, no_punct, asian_support, case_sensitive)
    return metric.sentence_score(hypothesis, references)
