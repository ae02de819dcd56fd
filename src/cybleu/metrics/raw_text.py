"""Scores of a corpus in one call: BLEU, chrF and TER of raw text. Requires no other package."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from .._version import __version__
from ..text.reading import read_corpus
from .names import Mixture, find
from .operations import rows_without_numpy, tokenization_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..text.tokenization import Tokenization
    from .base import Metric, Score
    from .bleu import BleuScore

__all__ = ["bleu", "chrf", "ter"]

OF_TOKENS = {"case": "mixed", "tok": "none"}


def bleu(hypotheses: Any, references: Any, *, threads: int | None = None, **options: Any) -> BleuScore:
    """Score a corpus of raw text by sacreBLEU's BLEU, from 0 to 100.

    Lists of tokens and token ids are also accepted; the signature then contains ``tok:none``.

    :param hypotheses: a list of str, one for each segment
    :param references: for each segment a str or a list of str
    :param threads: the number of threads, by default one; it does not affect the result
    :param options: options of :class:`cybleu.metrics.Bleu`, for example ``tokenize="zh"``, ``lowercase=True`` or
        ``smoothing="none"``
    :return: the score with its precisions, brevity penalty and signature, which ``print`` shows; 0 without segments
    :raises CybleuError: an argument is invalid; the message names the argument and the position

    >>> result = bleu(["The cat sat on a mat.", "It rains."], ["The cat sat on the mat.", "It rains."])
    >>> round(result.score, 2), round(result.bp, 2), len(result.precisions)
    (53.9, 1.0, 4)
    """
    return score_texts(find("bleu", **options), hypotheses, references, threads)  # type: ignore[no-any-return]


def chrf(hypotheses: Any, references: Any, *, threads: int | None = None, **options: Any) -> Score:
    """Score a corpus of raw text by sacreBLEU's chrF, from 0 to 100.

    The other parameters are those of :func:`bleu`.

    :param options: options of :class:`cybleu.metrics.Chrf`, for example ``word_order=2`` for chrF++

    >>> round(chrf(["The cat sat on a mat."], ["The cat sat on the mat."]).score, 2)
    65.8
    """
    return score_texts(find("chrf", **options), hypotheses, references, threads)  # type: ignore[no-any-return]


def ter(hypotheses: Any, references: Any, *, threads: int | None = None, **options: Any) -> Score:
    """Score a corpus of raw text by sacreBLEU's TER in percent; lower is better.

    The other parameters are those of :func:`bleu`.

    :param options: options of :class:`cybleu.metrics.Ter`, for example ``normalized=True``

    >>> round(ter(["The cat sat on a mat."], ["The cat sat on the mat."]).score, 2)
    16.67
    """
    return score_texts(find("ter", **options), hypotheses, references, threads)  # type: ignore[no-any-return]


def score_texts(metric: Any, hypotheses: Any, references: Any, threads: int | None) -> Any:
    """Return the score of texts by one of cybleu's metrics, with a signature that describes the texts, too."""
    corpus = read_corpus(hypotheses, references)
    rows = rows_without_numpy(metric, corpus, threads)
    size = len(rows)
    bounds = corpus.sets.bounds
    nrefs: Any = 1
    if bounds[-1] != size:
        counts = {int(end - begin) for begin, end in itertools.pairwise(bounds)}
        nrefs = "var" if len(counts) > 1 else max(counts, default=1)
    fields = fields_of_texts(metric, tokenization_for(metric, corpus.kind), nrefs)
    signature = metric.signature.with_fields(**fields)
    if size == 1 and not metric.averages:
        return metric.score_of_row(rows.tolist()[0], signature)  # which is valid
    return metric.score(rows if size else [0] * len(metric.columns), signature=signature)


def fields_of_texts(
    metric: Metric, tokenization: Tokenization | None, nrefs: Any, samples: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the fields of a signature that describe the texts which a metric counted.

    :param tokenization: how they were tokenised
    :param nrefs: the number of references of a segment
    :param samples: the fields that describe samples
    """
    of_texts: Mapping[str, str] = {}
    if metric.reads == "tokens" and not isinstance(metric, Mixture):  # of a mixture each metric has its own
        of_texts = OF_TOKENS if tokenization is None else tokenization.fields
    return {"nrefs": nrefs, **(samples or {}), **of_texts, "version": __version__}
