"""Scores of a corpus in one call: BLEU, chrF and TER of raw text. Requires no other package."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .._version import __version__
from ..text.corpora import read_corpus
from ..text.parsing import parse_raw_references, parse_raw_texts, segments_of, tokenise, tokenise_sets
from ..text.tokenizers import tokenizer_signature
from .names import named

if TYPE_CHECKING:
    from ..text.raw import Raw
    from ..text.values import RawReferences, RawText
    from .bleu import BleuScore
    from .metric import Metric, Score

__all__ = ["bleu", "chrf", "ter"]


def bleu(hypotheses: Any, references: Any, *, threads: int | None = None, **options: Any) -> BleuScore:
    """Score a corpus of raw text by sacreBLEU's BLEU, from 0 to 100.

    Lists of tokens and token ids are accepted, too; the signature then has ``tok:none``.

    :param hypotheses: a list of str, one for each segment
    :param references: for each segment a str, or a list of several
    :param threads: how many threads work at the same time; None is one. The score is the same
    :param options: of :class:`cybleu.metrics.Bleu`, for example ``tokenize="zh"``, ``lowercase=True`` or ``smoothing="none"``
    :return: the score, with its precisions, brevity penalty and signature; ``print`` shows them. Without segments it is 0
    :raises CybleuError: one of its subclasses, whose message names the argument and the place

    >>> result = bleu(["The cat sat on a mat.", "It rains."], ["The cat sat on the mat.", "It rains."])
    >>> round(result.score, 2), round(result.bp, 2), len(result.precisions)
    (53.9, 1.0, 4)
    """
    return _score(named("bleu", **options), hypotheses, references, threads)  # type: ignore[return-value]


def chrf(hypotheses: Any, references: Any, *, threads: int | None = None, **options: Any) -> Score:
    """Score a corpus of raw text by sacreBLEU's chrF, from 0 to 100.

    The other parameters are those of :func:`bleu`.

    :param options: of :class:`cybleu.metrics.Chrf`, for example ``word_order=2`` for chrF++

    >>> round(chrf(["The cat sat on a mat."], ["The cat sat on the mat."]).score, 2)
    65.8
    """
    return _score(named("chrf", **options), hypotheses, references, threads)


def ter(hypotheses: Any, references: Any, *, threads: int | None = None, **options: Any) -> Score:
    """Score a corpus of raw text by sacreBLEU's TER in percent; lower is better.

    The other parameters are those of :func:`bleu`.

    :param options: of :class:`cybleu.metrics.Ter`, for example ``normalized=True``

    >>> round(ter(["The cat sat on a mat."], ["The cat sat on the mat."]).score, 2)
    16.67
    """
    return _score(named("ter", **options), hypotheses, references, threads)


def _score(metric: Metric, hypotheses: Any, references: Any, threads: int | None) -> Score:
    kind, texts, sets = read_corpus(hypotheses, references)
    raw = metric._raw_for(kind)
    case, tokens = "mixed", "none"
    if raw is not None:
        case, tokens = "lc" if raw.lowercase else "mixed", tokenizer_signature(raw.tokenize)
        lines = parse_raw_references(sets, raw)
        result = _score_of_raw(metric, raw, parse_raw_texts(texts, raw), lines, threads)
        counts = {end - begin for begin, end in zip(lines.bounds, lines.bounds[1:])}
    else:
        segments = segments_of(sets, texts)
        rows = list(map(metric.count, segments.hypotheses, segments.references))
        result = metric.score(rows or metric.total([]))
        counts = set(map(len, segments.references))
    described = f"nrefs:{'var' if len(counts) > 1 else max(counts, default=1)}"
    if metric.reads == "tokens":
        described += f"|case:{case}|tok:{tokens}"
    return replace(result, signature=f"{result.signature}|{described}|version:{__version__}")


def _score_of_raw(metric: Metric, raw: Raw, texts: RawText, references: RawReferences, threads: int | None) -> Score:
    if not texts.size:
        return metric.score(metric.total([]))
    of_segments = getattr(metric, "level", "corpus") == "mean"
    if metric.reads != "text" and not raw.own:
        sets, tokens = tokenise_sets(raw, references).lists(), tokenise(raw, texts).lists()
        if of_segments:
            return metric.score(list(map(metric.count, tokens, sets)))
        return metric.score(*metric.sum_of(sets, tokens))
    lines = texts.lines, references.texts.lines, references.bounds
    if of_segments:
        return metric.score(metric.rows_of_raw(raw, *lines, threads))
    return metric.score(*metric.sum_of_raw(raw, *lines, threads))  # type: ignore[misc]
