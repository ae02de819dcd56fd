"""Metrics by name, and the functions that take a metric or its name."""

from __future__ import annotations

import sys
from collections import UserDict
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from .._catalogue import CATALOGUE
from .._runtime.lazy_arrays import Array, Floats, array_given, floats_given, np
from ..errors import StatisticsError, UnknownNameError
from ..text.reading import read_corpus
from .base import Metric
from .operations import fields_of_texts, rows_without_numpy, whole_array, whole_numbers, with_options
from .variants import VARIANTS, Variant

metrics: Any = sys.modules[__package__]  # imports the module of a class when the class is used first


class MetricsByName(UserDict[str, Any]):
    """Metrics by name, each of which is made when it is used first, because importing all takes longer than many calls.

    :ivar data: by name a metric; before it is used, a class of :mod:`cybleu.metrics` with its arguments
    """

    def __getitem__(self, name: str) -> Metric:
        metric = self.data[name]
        if type(metric) is tuple:
            kind, *arguments = metric
            metric = self.data[name] = getattr(metrics, kind)(*arguments)
        return metric  # type: ignore[no-any-return]


_CALLS = {name: call for _, calls, _ in CATALOGUE.values() for name, call in calls.items()}
#: The metrics by name: sacreBLEU's BLEU, each tool's BLEU, and the others.
METRICS = MetricsByName({"bleu": ("Bleu",), **{name: ("Bleu", name) for name in VARIANTS}, **_CALLS})


def find(metric: Any = None, /, *, default: str = "bleu", **options: Any) -> Metric:
    """Return the metric with this name and these options.

    :param metric: a name in :data:`METRICS` in any case, to which ``:`` and the name of a smoothing can be added; a
        dict from names to weights, which is a :class:`Mixture`; a variant of BLEU; or a metric, which is returned with
        these options
    :param default: the name to use if no metric is given
    :param options: options of the metric; None leaves a field unchanged
    :raises UnknownNameError: there is no such metric, or it has no such option; or `tokenize` or `lowercase` is given
        for a metric object, which has its own; or an option is given for a mixture, whose metrics have their own

    >>> find("huggingface").definition.reference_length
    'shortest'
    >>> from cybleu.metrics import Bleu
    >>> find("nltk:method1", max_order=2) == Bleu("nltk", smoothing="method1", max_order=2)
    True
    >>> find({"BLEU": 1, "chrF": 3}).name
    '0.25*sacrebleu+0.75*chrf'
    """
    # Nearly all calls give a name alone.
    known: Any = METRICS.data.get(metric, ()) if not options and type(metric) is str else ()
    if type(known) is not tuple:
        return known  # type: ignore[no-any-return]
    options = {name: value for name, value in options.items() if value is not None}
    if isinstance(metric, Metric) and not options:
        return metric
    for name in sorted({"metric", "variant"} & options.keys()):
        raise UnknownNameError(
            f"{name} is no option of a metric; pass the definition itself as metric=, which bleu, chrf and ter do not have"
        )
    if isinstance(metric, Variant):
        return with_options(metrics.Bleu(metric), **options)  # type: ignore[no-any-return]
    if not isinstance(metric, (str, type(None))):
        return _from_object(metrics.Mixture(metric) if isinstance(metric, Mapping) else metric, options)
    name, colon, smoothing = (default if metric is None else metric).partition(":")
    known = name_of(name)
    if known not in METRICS:
        raise UnknownNameError(f"unknown metric {name!r}; use one of {', '.join(METRICS)}")
    if colon:
        options.setdefault("smoothing", smoothing)
    # equal values of these types are the same; lists have no hash, and 0.0 == -0.0
    if {*map(type, options.values())} <= {str, bool, int}:
        return _cached(METRICS[known], **options)
    return with_options(METRICS[known], **options)


def name_of(name: str) -> str:
    """Return the name in :data:`METRICS` that is equal without case, or the name itself if there is none."""
    if name in METRICS:
        return name
    lower = name.lower()
    return next((known for known in METRICS if known.lower() == lower), name)


def _from_object(metric: Any, options: dict[str, Any]) -> Metric:
    """Return a metric object with options that it does not have already.

    :raises UnknownNameError: it is no metric, or has or cannot have one of the options
    """
    if not options.get("lowercase"):
        options.pop("lowercase", None)
    if not isinstance(metric, Metric):
        raise UnknownNameError(
            f"the metric is a {type(metric).__name__}; pass a name, a dict of weights or a Metric, such as Bleu()"
        )
    if options and metric.components:
        raise UnknownNameError(
            f"{next(iter(options))} is an option of the metrics of a mixture; give it there, as {{Bleu(tokenize='zh'): 1}}"
        )
    for name in ("tokenize", "lowercase"):
        if options.get(name):
            raise UnknownNameError(f"{name} is a field of the metric; pass {type(metric).__name__}({name}=...)")
    return with_options(metric, **options)


@lru_cache(64, typed=True)
def _cached(metric: Metric, /, **options: Any) -> Metric:
    return with_options(metric, **options)


# ----------------------------------------------------------------------------------------- functions that take a metric


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
) -> Array:
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


def scores(rows: Any, metric: Any = "bleu", **options: Any) -> Floats:
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


def score_texts(name: str, hypotheses: Any, references: Any, threads: int | None, options: dict[str, Any]) -> Any:
    """Return the score of texts by one of cybleu's metrics, with a signature that describes the texts, too.

    :param name: the name of the metric
    :param options: options of the metric
    """
    metric: Any = find(name, **options)
    corpus = read_corpus(hypotheses, references)
    rows = rows_without_numpy(metric, corpus, threads)
    size = corpus.size
    bounds = corpus.sets.bounds
    nrefs: Any = 1
    # No set is empty, so as many references as segments are one for each.
    if bounds[-1] != size:
        counts = {int(end - begin) for begin, end in pairwise(bounds)}
        nrefs = "var" if len(counts) > 1 else max(counts)
    signature = metric.signatures.get((corpus.kind, nrefs))
    if signature is None:
        tokenization = metric.tokenization if corpus.kind == "raw text" else None
        signature = metric.signature.with_fields(**fields_of_texts(metric, tokenization, nrefs))
        metric.signatures[corpus.kind, nrefs] = signature  # making it takes longer than counting a sentence
    if size == 1 and not metric.averages:
        return metric.score_of_row(rows.tolist()[0], signature)  # which is valid
    return metric.score(rows if size else [0] * len(metric.columns), signature=signature)


def rows_by_name(columns: Mapping[str, Any], metric: Metric) -> Array:
    """Return rows from a dict of columns or numbers by the names of the metric's columns.

    :raises StatisticsError: a column is missing, or holds something other than whole numbers that fit into int64
    """
    arrays = [_numbers(columns, name, metric.dtype) for name in metric.columns]
    lengths = list(map(len, arrays))
    if len(set(lengths)) > 1:
        raise StatisticsError(f"the columns have different lengths: {', '.join(map(str, lengths))}")
    return np.column_stack(arrays)


def _numbers(columns: Mapping[str, Any], name: str, dtype: str) -> Array:
    if name not in columns:
        raise StatisticsError(f"there is no column {name!r} in the columns: {', '.join(map(repr, columns))}")
    flat = array_given(columns[name], name).reshape(-1)
    if dtype == "float64":
        return floats_given(flat, name)
    return whole_array(flat if flat.dtype.kind in "iu" else np.array(whole_numbers(flat.tolist(), name, 0)), name)
