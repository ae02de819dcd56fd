"""Metrics: BLEU as many tools define it, chrF, GLEU, NIST, ROUGE, TER, WER and CER.

A metric is a frozen object that counts segments and scores the counts. Every function that takes a metric also takes a
name in :data:`METRICS`, such as ``nltk``; a name with a smoothing, such as ``nltk:method1``; or a dict from names to
weights. The fields of the metric, such as ``smoothing="method1"``, are options of these functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import UnknownNameError
from .base import Metric, Score
from .bleu import Bleu, BleuScore
from .chrf import Chrf
from .gleu import Gleu
from .names import METRICS, Mixture, find, rows_by_name
from .nist import Nist, NistInformation, NistScore
from .references import References
from .rouge import Rouge, RougeScore, Shares
from .ter import Ter
from .variants import VARIANTS, Variant
from .wer import Cer, Wer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "METRICS",
    "VARIANTS",
    "Bleu",
    "BleuScore",
    "Cer",
    "Chrf",
    "Gleu",
    "Metric",
    "Mixture",
    "Nist",
    "NistInformation",
    "NistScore",
    "References",
    "Rouge",
    "RougeScore",
    "Score",
    "Shares",
    "Ter",
    "Variant",
    "Wer",
    "find",
    "rows",
    "score",
    "scores",
]


def rows(
    hypotheses: Any,
    references: Any,
    metric: Any = "bleu",
    *,
    owner: Any = None,
    lengths: Any = None,
    reference_lengths: Any = None,
    pad_id: int | None = None,
    eos_id: int | None = None,
    unk_id: int | None = None,
    threads: int | None = None,
    progress: bool = False,
    **options: Any,
) -> NDArray[Any]:
    """Count segments: return the statistics row of each hypothesis with its references. Requires NumPy.

    A str is raw text, which the metric tokenises. A list contains tokens. An array of integers contains token ids.

    :param hypotheses: a batch of texts of one kind: a list of str, a list of token lists, ids as a 2-D array, a list of
        1-D arrays or :class:`cybleu.Ragged`; or a column of a frame
    :param references: for each segment one reference or a list of references; or prepared :class:`cybleu.References`
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts
    :param owner: the index of the references of each hypothesis; by default, hypothesis i has references i
    :param lengths: the lengths of the hypotheses in a 2-D array
    :param reference_lengths: the lengths of the references in a 2-D or 3-D array
    :param pad_id: a padding id, removed from both ends of a text
    :param eos_id: an end id; a text ends before its first occurrence
    :param unk_id: an id that matches nothing, but counts as a token
    :param threads: the number of threads, by default one; it does not affect the result
    :param progress: show a progress bar (requires tqdm)
    :param options: options of the metric, for example ``tokenize="zh"`` or ``max_order=2``
    :return: int64 of shape `(n, columns)`, or float64 where the metric counts fractions. A row of BLEU has the
        hypothesis length, the reference length, the clipped matches of each order and the n-grams of each order. In the
        row of an empty hypothesis, only the reference length is not 0, and for NLTK's BLEU the n-grams, which are 1
    :raises CybleuError: an argument is invalid; the message names the argument and the position

    >>> rows(["The cat."], [["The cat sat.", "A cat."]], max_order=2)
    array([[3, 3, 3, 2, 3, 2]])
    >>> rows([["the", "cat"]], [["the", "cat", "sat"]], max_order=2)
    array([[2, 3, 2, 1, 2, 1]])
    """
    return find(metric, **options).rows(
        hypotheses,
        references,
        owner=owner,
        lengths=lengths,
        reference_lengths=reference_lengths,
        pad_id=pad_id,
        eos_id=eos_id,
        unk_id=unk_id,
        threads=threads,
        progress=progress,
    )


def score(rows: Any, metric: Any = "bleu", **options: Any) -> Any:
    """Score a corpus or a segment from its rows.

    :param rows: a row; or the rows of segments, which are added up. Rows are lists of ints or one integer array `(n,
        columns)`; or a dict of numbers or columns by the names of the metric's columns, as :func:`cybleu.columns.total`
        and :func:`cybleu.columns.rows` return them
    :param metric: the metric that counted the rows, or another definition of BLEU, in any form that :func:`find`
        accepts
    :param options: options of the metric
    :return: a :class:`BleuScore`, or the :class:`Score` of another metric, on the scale of the tool. For an array
        without rows it is the score of an empty corpus, by default 0
    :raises UnknownNameError: there is no such metric or option
    :raises StatisticsError: the rows are not valid statistics, or NLTK's BLEU counted them and another definition is to
        score them
    :raises EmptyHypothesisError: the hypotheses have no token, and the tool divides by the number of tokens

    >>> round(score([5, 5, 4, 2, 1, 0, 5, 4, 3, 2]).score, 4)
    42.7287
    >>> round(score([5, 5, 4, 2, 1, 0, 5, 4, 3, 2], "nltk", smoothing="method1").score, 4)
    0.2857
    """
    metric, rows = _metric_and_rows("score", rows, metric, options)
    return metric.score(rows)


def scores(rows: Any, metric: Any = "bleu", **options: Any) -> NDArray[np.float64]:
    """Score each row of an array, as :func:`score` scores a single row. Requires NumPy.

    The other parameters are those of :func:`score`. Where the tool fails and :func:`score` raises an
    EmptyHypothesisError, the result is the number that the formula gives: 0 for a hypothesis without tokens. For
    references without tokens, a smoothing can give a number above 0.

    :param rows: an array `(n, columns)`, or a dict of columns by the names of the metric's columns
    :return: float64 of shape `(n,)`, on the scale of the tool; empty for an array without rows
    :raises StatisticsError: a row is not valid

    >>> import numpy
    >>> scores(numpy.array([[5, 5, 4, 2, 1, 0, 5, 4, 3, 2], [2, 2, 2, 1, 0, 0, 2, 1, 0, 0]]), "moses", smoothing="add")
    array([0.53728497, 1.        ])
    >>> scores(numpy.array([[0, 4, 0, 0, 0, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0, 4, 3, 2, 1]]), "huggingface:smooth").round(3)
    array([0.   , 0.302])
    """
    metric, rows = _metric_and_rows("scores", rows, metric, options)
    return metric.scores(rows)  # type: ignore[no-any-return]


def _metric_and_rows(function: str, rows: Any, metric: Any, options: dict[str, Any]) -> tuple[Metric, Any]:
    """Find the metric, and take rows by the names of its columns.

    :raises UnknownNameError: the metric is a list, an array or a column, as if it were the second of two arguments with
        texts
    """
    if not isinstance(metric, (str, Mapping, Metric, Variant)) and hasattr(type(metric), "__len__"):
        raise UnknownNameError(
            f"{function} takes rows and a metric, and the metric is a {type(metric).__name__}; count texts first: "
            f"{function}(cybleu.rows(hypotheses, references))"
        )
    metric = find(metric, **options)
    return metric, rows_by_name(rows, metric) if isinstance(rows, Mapping) else rows
