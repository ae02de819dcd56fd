"""What cybleu does with any metric: read texts and count them, validate rows, add them up and score them.

A :class:`cybleu.metrics.Metric` defines how a segment is counted and how a row is scored, and nothing else.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, TypeVar

from .._backend import go_on
from .._runtime.lazy_arrays import Array, Floats, Integers, array_given, floats_given, in_place, np
from .._runtime.numbers import finite_numbers
from .._runtime.parallel import checked_threads, run
from .._runtime.sequences import check_unmasked
from .._version import __version__
from ..errors import SequenceTypeError, StatisticsError, UnknownNameError
from ..text.batches import Corpus, Kind, TokenLists
from ..text.ids import SpecialIds
from ..text.tokenizers import Tokenization
from .counting import segments_of, tokens_of

if TYPE_CHECKING:
    from .base import Counter, Metric

    AnyMetric = TypeVar("AnyMetric", bound=Metric)
    AnyScore = TypeVar("AnyScore", float, Array)

OF_ANOTHER_METRIC = "if another metric counted the rows, pass that metric"
OF_TOKENS = {"case": "mixed", "tok": "none"}
OF_IDS = {"lengths", "reference_lengths", *SpecialIds._fields}  # arguments for token ids


def with_options(metric: AnyMetric, **options: Any) -> AnyMetric:
    """Return the metric with other values of its fields.

    :param options: the new values, by the names of the fields
    :raises UnknownNameError: the metric has no such field
    """
    if not options:
        return metric
    names = [field.name for field in fields(metric)]
    for name in options:
        if name not in names:
            raise UnknownNameError(f"the metric {metric.name} has no {name!r}; it has {', '.join(names)}")
    changed = {name: value for name, value in options.items() if value is not getattr(metric, name)}
    return replace(metric, **changed) if changed else metric


# ------------------------------------------------------------------------------------------------------------- counting


def tokenization_for(metric: Metric, kind: Kind) -> Tokenization | None:
    """Return how the metric tokenises texts of this kind; None for tokens and ids.

    :raises SequenceTypeError: the metric does not read texts of this kind
    :raises UnknownNameError: the metric has a tokeniser, and the texts are tokens
    """
    if metric.components:
        for component in metric.components:
            tokenization_for(component, kind)
        return None  # each component tokenises the texts itself
    if kind == "raw text":
        tokenization = metric.tokenization
        if tokenization is None:
            raise SequenceTypeError(
                f"{metric.name} reads tokens, and the hypotheses are raw text; split them, or name a tokeniser: tokenize='13a'"
            )
        return tokenization
    if kind in ("tokens", "ids"):
        if metric.reads == "text":
            raise SequenceTypeError(
                f"{metric.name} reads raw text, and the hypotheses are {kind}; pass each text as a str"
            )
        for name in ("tokenize", "lowercase"):
            if getattr(metric, name):
                raise UnknownNameError(
                    f"{name} is for raw text, and the hypotheses are {kind}; leave {name} out, or pass texts as str"
                )
    return None


def corpus_for(metric: Metric, corpus: Corpus) -> Corpus:
    """Return the corpus as the metric reads it: raw text may be in lower case, or tokens if the tokeniser is a function in Python.

    :raises CybleuError: see :func:`tokenization_for`
    """
    if corpus.changed is not None:
        return corpus
    tokenization = tokenization_for(metric, corpus.kind)
    if tokenization is None:
        return corpus
    if not tokenization.own:
        return corpus.changed_by(tokenization, tokens_of)
    if tokenization.edits:
        return corpus.changed_by(tokenization, _edited)
    return corpus


def _edited(texts: Any, tokenization: Tokenization, bounds: Any) -> Any:
    return tokenization.edited(texts)


def ids_given(metric: Metric, of_ids: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments for token ids that are not None.

    :raises UnknownNameError: one has another name, such as that of a field of the metric
    """
    for name in of_ids:
        if name not in OF_IDS:
            raise UnknownNameError(
                f"{name} is no argument here; pass {type(metric).__name__}({name}=...) if it is a field"
            )
    return {name: value for name, value in of_ids.items() if value is not None}


def rows_of_corpus(
    metric: Metric, corpus: Corpus, threads: int | None = None, progress: bool = False, rows: Array | None = None
) -> Array:
    """Count a corpus, in threads if the metric and the texts allow it, and return its rows.

    :param rows: an array or a view `(segments, columns)` of zeros to write to; by default a new array
    """
    size = corpus.size
    if rows is None:
        rows = np.zeros((size, len(metric.columns)), dtype=metric.dtype)
    if threads is not None and checked_threads(threads) == 1:
        threads = None
    corpus = corpus_for(metric, corpus)
    if not size:
        return rows
    count = metric.counter(corpus)
    if not metric.cost or isinstance(corpus.texts, TokenLists):
        threads = None
    # One sentence is counted sooner than its cost is computed.
    if threads is None and not progress:
        count(0, size, rows)
    else:
        cost = metric.cost * corpus.cost
        run(lambda start, stop: count(start, stop, rows), size, cost, threads, progress, "segments")
    return rows


def rows_without_numpy(metric: Metric, corpus: Corpus, threads: int | None = None) -> Any:
    """Count a corpus, and return its rows as a view `(segments, columns)`; an empty list if there are none."""
    rows: Any = []
    if corpus.size:
        width = len(metric.columns)
        code: Any = "d" if metric.dtype == "float64" else "q"
        rows = memoryview(bytearray(8 * corpus.size * width)).cast(code, (corpus.size, width))
    return rows_of_corpus(metric, corpus, threads, rows=rows)


def counter_in_python(metric: Metric, corpus: Corpus) -> Counter:
    """Return a function `(start, stop, rows)` that writes the rows of these segments as the metric counts each of them."""
    segments = segments_of(metric, corpus)

    def count(start: int, stop: int, rows: Any) -> None:
        for position in range(start, stop):
            row = checked_row(metric, metric.count(*segments[position]))
            try:
                for column, number in enumerate(row):
                    rows[position, column] = number
            except (OverflowError, ValueError):
                raise StatisticsError(f"the counts of {metric.name} are beyond 64 bits: {row}") from None

    return count


# ----------------------------------------------------------------------------------------------------------------- rows


def one_or_more(rows: Any) -> list[Any]:
    """The rows in their order; a single row may be passed without a list.

    :raises StatisticsError: these are no rows
    :raises ArrayValueError: entries are masked
    """
    check_unmasked(rows, "rows")
    if not hasattr(rows, "__iter__"):
        raise StatisticsError(f"statistics are a row of whole numbers, or rows, and this is a {type(rows).__name__}")
    entries = list(rows)
    return entries if entries and hasattr(entries[0], "__len__") else [entries]


def whole_numbers(values: Any, name: str, least: int | None = None) -> list[int]:
    """Whole numbers of any type as ints, none of them rounded.

    :param least: the least that is allowed
    :raises StatisticsError: these are not such numbers
    """
    if type(values) is list and set(map(type, values)) == {int} and (least is None or min(values) >= least):
        return values
    check_unmasked(values, name)
    try:
        entries = list(values)
        numbers = [int(value) for value in entries]
        # Unequal where `int` has rounded a fraction.
        valid = numbers == entries and (least is None or min(numbers, default=least) >= least)
    except (TypeError, ValueError, OverflowError):
        valid = False
    if not valid:
        which = "" if least is None else f" from {least}"
        raise StatisticsError(f"{name} are whole numbers{which}, and these are not: {values!r}")
    return numbers


def whole_array(rows: Any, name: str) -> Integers:
    """Rows as the backends read them.

    :raises StatisticsError: the numbers are not integers, or int64 does not hold them
    """
    table = array_given(rows, name)
    if table.dtype.kind not in "iu" and table.size:
        raise StatisticsError(f"{name} has dtype {table.dtype}; give integers; {OF_ANOTHER_METRIC}")
    if table.dtype == np.uint64 and table.size and table.max() > np.iinfo(np.int64).max:
        raise StatisticsError(f"{name} has numbers above {np.iinfo(np.int64).max}")
    return in_place(table, np.int64)


def in_two_dimensions(rows: Array) -> Array:
    """A row or rows as rows.

    :raises StatisticsError: these have more dimensions
    """
    table = np.atleast_2d(rows)
    if table.ndim != 2:
        raise StatisticsError(f"rows has {table.ndim} dimensions; it must be one row or rows")
    return table


def row_at(rows: Any, position: int) -> list[int]:
    """A row of an array or of a view."""
    return rows[position : position + 1].tolist()[0]  # type: ignore[no-any-return]


# -------------------------------------------------------------------------------------------------------------- scoring


def check_summable(metric: Metric) -> None:
    """Check that a corpus can be scored from the sum of its rows.

    :raises StatisticsError: the metric is a mean of the scores of segments
    """
    if metric.averages:
        raise StatisticsError(
            f"{metric.signature} is the mean of the scores of segments, which no sum of their rows has; give the scores "
            "of the segments, or level='corpus'"
        )
    for component in metric.components:
        check_summable(component)


def check_parts(metric: Metric) -> None:
    """Check that a corpus can be counted in several calls.

    :raises StatisticsError: the metric takes its weights from all references of a call
    """
    if metric.weighs_by_call:
        raise StatisticsError(
            f"{metric.name} takes its weights from all references of a call, and here a corpus is counted in parts; "
            "give the metric the weights of the whole corpus: metric.with_weights_of(references)"
        )


def check_width(metric: Metric, width: int) -> None:
    """:raises StatisticsError: rows of the metric have another number of columns"""
    if width != len(metric.columns):
        raise StatisticsError(
            f"a row of {metric.name} has {len(metric.columns)} entries, and these have {width}; count the texts for this "
            "metric, those of an n-best list with NBest.with_metric"
        )


def table_of_rows(metric: Metric, rows: Any) -> Array:
    """Return rows as an array of two dimensions with the metric's dtype."""
    table = _array(metric, rows)
    if table.ndim != 2:
        raise StatisticsError(f"rows has {table.ndim} dimensions; scores() takes rows, and score() a single one")
    return table


def _array(metric: Metric, rows: Any) -> Array:
    return floats_given(rows, "rows") if metric.dtype == "float64" else whole_array(rows, "rows")


def check_rows(metric: Metric, rows: Array) -> None:
    """:raises StatisticsError: a row is not valid"""
    too_low = metric.least is not None and rows.size > 0 and not rows.min() >= metric.least
    if too_low or (metric.dtype == "float64" and not np.isfinite(rows).all()):
        for row in rows.tolist():
            checked_row(metric, row)


def checked_row(metric: Metric, row: Any) -> list[Any]:
    """Return a row as a list.

    :raises StatisticsError: it is not valid
    """
    numbers: Any
    if metric.dtype == "float64":
        numbers = finite_numbers(row, f"the numbers of {metric.name}")
        if numbers is None or (metric.least is not None and min(numbers, default=0) < metric.least):
            least = "" if metric.least is None else f" from {metric.least}"
            raise StatisticsError(f"a row of {metric.name} has finite numbers{least}, and this is {row!r}")
    else:
        numbers = whole_numbers(row, f"the counts of {metric.name}", metric.least)
    check_width(metric, len(numbers))
    return list(numbers)


def has_rows(rows: Any) -> bool:
    """Whether this is anything but an empty list or array."""
    return not (hasattr(rows, "__len__") and getattr(rows, "ndim", 1) != 0 and not len(rows))


def sum_of_rows(metric: Metric, rows: Any, of_sums: bool = False) -> list[Any]:
    """Return the sum of a row or rows, from the first to the last.

    :param of_sums: the rows can be sums, which makes no difference here
    :raises StatisticsError: there is no row, or one is not valid
    """
    columns: Any
    if isinstance(rows, memoryview) and rows.ndim == 2:  # of `rows_without_numpy`
        width = len(metric.columns)
        numbers = rows.cast("B").cast(rows.format)  # type: ignore[call-overload]
        columns = [numbers[column::width] for column in range(width)]
    elif hasattr(rows, "ndim") or hasattr(rows, "columns"):  # iterating over a frame of Polars gives its columns
        table = in_two_dimensions(_array(metric, rows))
        check_width(metric, table.shape[1])
        check_rows(metric, table)
        columns = table.T.tolist()
    else:
        checked = [checked_row(metric, row) for row in one_or_more(rows)]
        columns = zip([0] * len(metric.columns), *checked)
    if metric.dtype == "int64":
        return list(map(sum, columns))
    return [reduce(add, column, 0) for column in columns]  # `sum` compensates rounding errors from Python 3.12 on


def scores_by(kernel: Any, rows: Any, evaluate: Callable[[Any], float]) -> Any:
    """Score rows that are valid by the kernel, and by a function where it declines.

    :param rows: an array or a view, as the backends read them
    :return: an array of NumPy for an array
    """
    scores = np.empty(len(rows)) if hasattr(rows, "dtype") else array("d", bytes(8 * len(rows)))

    def one(position: int) -> None:
        scores[position] = evaluate(row_at(rows, position))

    go_on(lambda start: kernel.score_rows(rows, start, scores), 0, len(rows), one)
    return scores


def percent(score: AnyScore, scale: float) -> AnyScore:
    """Convert a score, or an array of scores, to the scale from 0 to 100.

    :param scale: the score of a perfect match
    """
    return 100 / scale * score


def as_shares(metric: Metric, scores: Floats) -> Floats:
    """Return scores as shares from 0 to 1, where 1 is a perfect match; of an error rate, at least 0."""
    if not metric.higher_is_better:
        scores = np.maximum(metric.scale - scores, 0.0)
    return scores / metric.scale


def fields_of_texts(
    metric: Metric, tokenization: Tokenization | None, nrefs: Any, samples: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the fields of a signature that describe the texts which a metric counted.

    :param tokenization: how they were tokenised
    :param nrefs: the number of references of a segment
    :param samples: the fields that describe samples
    """
    of_texts: Mapping[str, str] = {}
    if metric.reads == "tokens" and not metric.components:  # of a mixture each metric has its own
        of_texts = OF_TOKENS if tokenization is None else tokenization.fields
    return {"nrefs": nrefs, **(samples or {}), **of_texts, "version": __version__}
