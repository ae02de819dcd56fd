"""Metrics: BLEU as many tools define it, chrF, GLEU, NIST and TER.

A metric is a frozen object that counts segments and scores the counts. Every function that takes a metric also takes a name in :data:`METRICS`, such as
``nltk``; a name with a smoothing, such as ``nltk:method1``; or the options of :class:`Bleu` by keyword, such as
``variant="nltk", smoothing="method1"``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UnknownNameError
from ..text.raw import check_tokenizer
from .bleu import Bleu, BleuScore
from .by_name import rows_by_name, short_by_name
from .chrf import Chrf
from .gleu import Gleu
from .metric import Metric, Score
from .mixture import Mixture
from .nist import Nist, NistInformation, NistScore
from .ter import Ter
from .variants import SMOOTHINGS, VARIANTS, Variant, tool_tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "METRICS",
    "SMOOTHINGS",
    "VARIANTS",
    "Bleu",
    "BleuScore",
    "Chrf",
    "Gleu",
    "Metric",
    "Mixture",
    "Nist",
    "NistInformation",
    "NistScore",
    "Score",
    "Ter",
    "Variant",
    "find",
    "score",
    "scores",
    "tool_tokenizer",
]

#: The metrics by name: each tool's BLEU, chrF, GLEU, NIST and TER.
METRICS: dict[str, Metric] = {
    **{name: Bleu(name) for name in VARIANTS},
    "chrf": Chrf(),
    "chrf+": Chrf(word_order=1),
    "chrf++": Chrf(word_order=2),
    "gleu": Gleu(),
    "nist": Nist(),
    "ter": Ter(),
}


def find(metric: str | Metric | Variant | None = None, *, default: str = "sacrebleu", **choices: Any) -> Metric:
    """Return the metric with this name and these options.

    :param metric: a name in :data:`METRICS`, to which ``:`` and the name of a smoothing can be added; a variant of
        BLEU; or a metric, which is returned as it is
    :param default: the name to use if no metric is given
    :param choices: values of fields of :class:`Bleu`, or of the metric; None leaves a field unchanged. `variant` is
        another name of `metric`
    :raises UnknownNameError: there is no such metric, or it has no such option

    >>> find("huggingface").definition.reference_length
    'shortest'
    >>> find("nltk:method1", max_order=2) == Bleu("nltk", smoothing="method1", max_order=2)
    True
    """
    choices = {name: value for name, value in choices.items() if value is not None}
    variant = choices.pop("variant", None)
    if metric is not None and variant is not None:
        raise UnknownNameError(f"metric is {metric!r} and variant {variant!r}; give one of the two")
    metric = default if metric is None and variant is None else variant if metric is None else metric
    if isinstance(metric, Variant):
        return Bleu(metric, **choices)
    if isinstance(metric, str):
        name, colon, smoothing = metric.partition(":")
        if name not in METRICS:
            raise UnknownNameError(f"unknown metric {name!r}; use one of {', '.join(METRICS)}")
        if colon:
            choices.setdefault("smoothing", smoothing)
        metric = METRICS[name]
    elif not isinstance(metric, Metric):
        raise UnknownNameError(f"the metric is a {type(metric).__name__}; give a name, a variant of BLEU or a Metric")
    return metric.with_choices(**choices) if choices else metric


def of_text(metric: Metric, tokenize: Any, lowercase: bool = False) -> Metric:
    """Return a metric that counts raw text, with lower-casing if requested.

    :param tokenize: must be None
    :raises UnknownNameError: `tokenize` is not None
    """
    if tokenize is not None:
        raise UnknownNameError(f"{metric.name} counts raw text as it is, so it takes no tokeniser")
    return metric.in_lowercase() if lowercase else metric


def check_tokens(metric: Metric, tokenize: Any, lowercase: bool = False) -> None:
    """Check that a metric accepts texts with this tokeniser.

    :raises UnknownNameError: there is no such tokeniser, or the metric accepts none
    """
    if metric.of_raw_text:
        of_text(metric, tokenize, lowercase)
    else:
        check_tokenizer(tokenize, lowercase)


def score(
    stats: Any,
    metric: str | Metric | Variant | None = None,
    *,
    short_segments: Sequence[int] | None = None,
    **choices: Any,
) -> Any:
    """Score a corpus or a segment from its statistics.

    :param stats: a row; the rows of segments, which are added up; or a :class:`cybleu.CorpusAccumulator`. Rows are lists of
        ints or one integer array `(n, 2 + 2 * orders)`; or a dict of numbers or columns by the names of the metric's columns,
        as :func:`cybleu.columns.total` and :func:`cybleu.columns.rows` return them
    :param metric: as for :func:`find`, by default ``sacrebleu``
    :param short_segments: for each order, the number of segments that are too short for it. NLTK's definitions require it
        if the rows are already summed, or if some n-grams were not counted. It is computed from rows of segments
    :param choices: options of :class:`Bleu`
    :return: a :class:`BleuScore`, or the :class:`Score` of another metric, on the scale of the tool. An array without
        rows has the score of an empty corpus, by default 0
    :raises UnknownNameError: there is no such metric, variant or smoothing
    :raises StatisticsError: the rows are not valid statistics, or NLTK's definition gets a summed row without
        `short_segments`
    :raises EmptyHypothesisError: the hypotheses have no token, and the tool divides by the number of tokens

    >>> round(score([5, 5, 4, 2, 1, 0, 5, 4, 3, 2]).score, 4)
    42.7287
    >>> round(score([5, 5, 4, 2, 1, 0, 5, 4, 3, 2], "nltk", smoothing="method1").score, 4)
    0.2857
    """
    _check_no_texts("score", metric)
    found = find(metric, **choices)
    if isinstance(stats, Mapping):
        short = short_by_name(stats, found) if short_segments is None else short_segments
        rows = rows_by_name(stats, found)
        return found.score(rows if short is None else rows.sum(axis=0), short)
    return found.score(stats, short_segments)


def scores(
    stats: Any, metric: str | Metric | Variant | None = None, *, parts_of_segments: bool = False, **choices: Any
) -> NDArray[np.float64]:
    """Score each row of an array, as :func:`score` scores a single row. Requires NumPy.

    The other parameters are those of :func:`score`.

    :param stats: integers `(n, 2 + 2 * orders)`
    :param parts_of_segments: whether the rows are of single segments even if they have fewer n-grams than their lengths
        imply, because some n-grams were not counted. NLTK's definitions cannot distinguish such a row from a sum, and
        otherwise raise an error
    :return: float64 of shape `(n,)`, on the scale of the tool; empty for an array without rows
    :raises StatisticsError: a row is not valid, or NLTK's definition gets one that is not of a single segment

    >>> import numpy
    >>> scores(numpy.array([[5, 5, 4, 2, 1, 0, 5, 4, 3, 2], [2, 2, 2, 1, 0, 0, 2, 1, 0, 0]]), "moses", smoothing="add")
    array([0.53728497, 1.        ])
    """
    _check_no_texts("scores", metric)
    found = find(metric, **choices)
    return found.scores(stats, parts_of_segments) if isinstance(found, Bleu) else found.scores(stats)


def _check_no_texts(function: str, metric: Any) -> None:
    """Check that the metric is not the second of two arguments with texts.

    :raises UnknownNameError: it is a list, an array or a column
    """
    if not isinstance(metric, (str, Metric, Variant)) and hasattr(type(metric), "__len__"):
        raise UnknownNameError(
            f"{function} takes statistics and a metric, and the metric is a {type(metric).__name__}; for texts, count them "
            f"first: {function}(segment_stats(references, hypotheses, tokenize='13a'))"
        )
