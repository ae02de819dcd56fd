"""Scores of a corpus in one call: BLEU, chrF, TER, ROUGE, WER and CER of raw text. Requires no other package."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from .._version import __version__
from ..text.reading import read_corpus
from .names import Mixture, find
from .operations import rows_without_numpy
from .rouge import Rouge, RougeKinds, RougeScore, Shares

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..text.tokenization import Tokenization
    from .base import Metric, Score
    from .bleu import BleuScore

__all__ = ["bleu", "cer", "chrf", "rouge", "ter", "wer"]

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


def wer(hypotheses: Any, references: Any, *, threads: int | None = None, **options: Any) -> Score:
    """Score a corpus by jiwer's word error rate; lower is better, and 0 is a perfect match.

    The other parameters are those of :func:`bleu`; lists of tokens and token ids are accepted, too.

    :param options: options of :class:`cybleu.metrics.Wer`, for example ``tokenize="13a"`` or ``lowercase=True``

    >>> wer(["the cat sat on a mat"], ["the cat sat on the mat"]).score
    0.16666666666666666
    """
    return score_texts(find("wer", **options), hypotheses, references, threads)  # type: ignore[no-any-return]


def cer(hypotheses: Any, references: Any, *, threads: int | None = None, **options: Any) -> Score:
    """Score a corpus of raw text by jiwer's character error rate; lower is better, and 0 is a perfect match.

    The other parameters are those of :func:`bleu`.

    :param options: options of :class:`cybleu.metrics.Cer`: ``lowercase=True``

    >>> cer(["the cat"], ["the bats"]).score
    0.25
    """
    return score_texts(find("cer", **options), hypotheses, references, threads)  # type: ignore[no-any-return]


def rouge(
    hypotheses: Any, references: Any, *, stemmer: bool = False, tokenize: Any = None, threads: int | None = None
) -> RougeScore:
    """Score a corpus of raw text by Google's ROUGE, from 0 to 1: the means of the segments.

    Texts are read and tokenised once for ROUGE-1, ROUGE-2, ROUGE-L and ROUGE-Lsum. Of several references each kind takes
    the one with its largest F-measure.

    :param hypotheses: a list of str, one for each segment; ROUGE-Lsum compares their lines
    :param references: for each segment a str or a list of str
    :param stemmer: stem words with NLTK's Porter stemmer
    :param tokenize: the tokeniser; by default words are runs of ASCII letters and digits in lower case
    :param threads: the number of threads, by default one; it does not affect the result
    :return: precision, recall and F-measure of each kind; all are 0 without segments
    :raises CybleuError: an argument is invalid; the message names the argument and the position

    >>> result = rouge(["the cat sat on a mat"], ["the cat sat on the mat"])
    >>> result.rougeL.fmeasure, result.rouge2.precision
    (0.8333333333333334, 0.6)
    """
    corpus = read_corpus(hypotheses, references)
    kinds = ("1", "2", "L", "Lsum")
    metrics: list[Metric] = [Rouge(kind, stemmer, tokenize=tokenize) for kind in kinds]
    if tokenize is None:
        metrics = [RougeKinds("Lsum", stemmer, kinds=kinds)]
    totals: list[float] = []
    for metric in metrics:
        totals += metric.total(rows_without_numpy(metric, corpus, threads)) if corpus.size else [0.0] * 4 * len(kinds)
    shares = [total / max(corpus.size, 1) for total in totals]
    return RougeScore(*[Shares(*shares[column : column + 3]) for column in range(0, 4 * len(kinds), 4)])


def score_texts(metric: Any, hypotheses: Any, references: Any, threads: int | None) -> Any:
    """Return the score of texts by one of cybleu's metrics, with a signature that describes the texts, too."""
    corpus = read_corpus(hypotheses, references)
    rows = rows_without_numpy(metric, corpus, threads)
    size = len(rows)
    bounds = corpus.sets.bounds
    nrefs: Any = 1
    # No set is empty, so as many references as segments are one for each.
    if bounds[-1] != size:
        counts = {int(end - begin) for begin, end in itertools.pairwise(bounds)}
        nrefs = "var" if len(counts) > 1 else max(counts, default=1)
    tokenization = metric.tokenization if corpus.kind == "raw text" else None
    fields = fields_of_texts(metric, tokenization, nrefs)
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
