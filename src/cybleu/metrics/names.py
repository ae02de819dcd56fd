"""Metrics by name, and weighted sums of metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .._runtime.lazy_arrays import array_given, floats_given, np
from .._runtime.numbers import finite_numbers
from ..errors import StatisticsError, UnknownNameError, WeightsError
from .base import Metric
from .bleu import Bleu
from .chrf import Chrf
from .combined import Combination
from .gleu import Gleu
from .nist import Nist
from .operations import with_options
from .rouge import KINDS, Rouge
from .signature import Signature
from .statistics import whole_array, whole_numbers
from .ter import Ter
from .variants import VARIANTS, Variant
from .wer import Cer, Wer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..text.batches import Batch, Corpus
    from .base import Counter

__all__ = ["METRICS", "Mixture", "find", "rows_by_name"]

#: The metrics by name: sacreBLEU's BLEU, each tool's BLEU, chrF, GLEU, NIST and TER.
METRICS: dict[str, Metric] = {
    "bleu": Bleu(),
    **{name: Bleu(name) for name in VARIANTS},
    **{"chrf" + "+" * order: Chrf(word_order=order) for order in range(3)},
    "gleu": Gleu(),
    "nist": Nist(),
    **{f"rouge{kind}": Rouge(kind) for kind in KINDS},
    "ter": Ter(),
    "wer": Wer(),
    "cer": Cer(),
}

_IN_LOWER_CASE = {name.lower(): metric for name, metric in METRICS.items()}


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
    >>> find("nltk:method1", max_order=2) == Bleu("nltk", smoothing="method1", max_order=2)
    True
    >>> find({"BLEU": 1, "chrF": 3}).name
    '0.25*sacrebleu+0.75*chrf'
    """
    # Nearly all calls give a name alone.
    if not options and type(metric) is str and metric in METRICS:
        return METRICS[metric]
    options = {name: value for name, value in options.items() if value is not None}
    for name in sorted({"metric", "variant"} & options.keys()):
        raise UnknownNameError(
            f"{name} is no option of a metric; pass the definition itself as metric=, which bleu, chrf and ter do not have"
        )
    if metric is None or isinstance(metric, str):
        return _by_name(default if metric is None else metric, options)
    if isinstance(metric, Variant):
        return with_options(Bleu(metric), **options)
    return _from_object(Mixture(metric) if isinstance(metric, Mapping) else metric, options)


def _by_name(name: str, options: dict[str, Any]) -> Metric:
    name, colon, smoothing = name.partition(":")
    metric = METRICS.get(name) or _IN_LOWER_CASE.get(name.lower())
    if metric is None:
        raise UnknownNameError(f"unknown metric {name!r}; use one of {', '.join(METRICS)}")
    if colon:
        options.setdefault("smoothing", smoothing)
    # equal values of these types are the same; lists have no hash, and 0.0 == -0.0
    if options and {*map(type, options.values())} <= {str, bool, int}:
        return _cached(metric, **options)
    return with_options(metric, **options) if options else metric


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
    if options and isinstance(metric, Mixture):
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


@dataclass(frozen=True)
class Mixture(Combination):
    """A weighted mean of metrics, each from 0 to 1, where 1 is a perfect match.

    A row has the rows of the metrics one after the other, as float64. An error rate such as TER counts as 1 minus the
    rate, or 0 where it is above 1. Each metric reads raw text with its own tokeniser.

    :param parts: a dict from metrics or their names to weights, or pairs of a metric or name and its weight. Weights
        are above 0, and are divided by their sum
    :raises UnknownNameError: there is no such metric
    :raises WeightsError: there is no metric, one is neither a metric nor a name, or a weight is not a finite number
        above 0

    >>> from cybleu.metrics import Mixture
    >>> metric = Mixture({"bleu": 0.5, "chrf": 0.5})
    >>> metric.scores(metric.rows(["The cat sat on a mat."], ["The cat sat on the mat."])).round(3)
    array([0.573])
    """

    parts: Any

    scale = 1
    dtype = "float64"

    def __post_init__(self) -> None:
        if self.tokenize is not None or self.lowercase:
            raise UnknownNameError(
                "tokenize and lowercase are options of the metrics of a mixture; pass Bleu(tokenize=...)"
            )
        parts = self.parts.items() if isinstance(self.parts, Mapping) else self.parts
        try:
            pairs = [(metric, weight) for metric, weight in parts]
        except (TypeError, ValueError):
            pairs = []
        weights = finite_numbers([weight for _, weight in pairs], "the weights")
        known = all(isinstance(metric, (str, Metric)) for metric, _ in pairs)
        if not pairs or not known or weights is None or min(weights) <= 0:
            raise WeightsError(
                "a mixture requires metrics or their names with finite weights above 0, such as "
                f"{{'bleu': 0.5, 'chrf': 0.5}}, and these are {self.parts!r}"
            )
        total = sum(weights)
        parts = tuple((find(metric), weight / total) for (metric, _), weight in zip(pairs, weights))
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "cost", min(metric.cost for metric, _ in parts))
        object.__setattr__(self, "least", None if any(metric.least is None for metric, _ in parts) else 0)

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        super().__setstate__(state)
        # with these weights, which are not divided by their sum again
        object.__setattr__(self, "parts", state["parts"])

    @property
    def components(self) -> tuple[Metric, ...]:  # type: ignore[override]
        """The metrics."""
        return tuple(metric for metric, _ in self.parts)

    def with_components(self, components: Sequence[Metric]) -> Mixture:
        weights = [weight for _, weight in self.parts]
        # not by the constructor, which divides the weights by their sum again
        mixture = Mixture.__new__(Mixture)
        vars(mixture).update(vars(self), parts=tuple(zip(components, weights)))
        return mixture

    @property
    def weighs_by_call(self) -> bool:  # type: ignore[override]
        """Whether one of the metrics takes its weights from all references of a call."""
        return any(metric.weighs_by_call for metric in self.components)

    @property
    def name(self) -> str:  # type: ignore[override]
        """The weights and the names, such as ``0.5*sacrebleu+0.5*chrf``."""
        return "+".join(f"{weight:g}*{metric.name}" for metric, weight in self.parts)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The columns of each metric, prefixed by its name, and by a number if an earlier part has the same name."""
        names = [metric.name for metric in self.components]
        numbers = [names[:place].count(name) + 1 for place, name in enumerate(names)]
        prefixes = [name if number == 1 else f"{name}_{number}" for name, number in zip(names, numbers)]
        of_each = zip(prefixes, self.components)
        return tuple(f"{prefix}.{name}" for prefix, metric in of_each for name in metric.columns)

    @property
    def reads(self) -> str:  # type: ignore[override]
        """``text`` if one of the metrics reads text."""
        return "text" if any(metric.reads == "text" for metric in self.components) else "tokens"

    @property
    def signature(self) -> str:
        """The weights and the signatures of the metrics in one line."""
        return Signature({"": "+".join(f"{weight:g}*({metric.signature})" for metric, weight in self.parts)})

    def counter(self, corpus: Corpus) -> Counter:
        counters = [metric.counter(corpus) for metric in self.components]

        def count(start: int, stop: int, rows: Any) -> None:
            for counter, (metric, _, part) in zip(counters, self._of_each(np.asarray(rows))):
                table = np.zeros(part.shape, dtype=metric.dtype)
                counter(start, stop, table)
                part[start:stop] = table[start:stop]

        return count

    def _of_each(self, rows: NDArray[Any]) -> Iterator[tuple[Metric, float, NDArray[Any]]]:
        """Each metric, its weight and its columns of rows."""
        start = 0
        for metric, weight in self.parts:
            end = start + len(metric.columns)
            yield metric, weight, rows[:, start:end]
            start = end

    def fill_pairs(
        self, texts: Batch, others: Batch, scores: NDArray[np.float64], threads: int | None, progress: bool
    ) -> None:
        for metric, weight in self.parts:
            part = np.zeros_like(scores)
            metric.fill_pairs(texts, others, part, threads, progress)
            scores += weight * as_shares(metric, part)

    def formula(self, row: Sequence[float]) -> float:
        return float(self.evaluate_rows(np.array([row]))[0])

    def evaluate_rows(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        total = np.zeros(len(rows))
        for metric, weight, part in self._of_each(rows):
            with np.errstate(invalid="ignore"):  # numbers beyond 64 bits become others
                table = np.ascontiguousarray(part, dtype=metric.dtype)
            if (table != part).any():
                raise StatisticsError(f"rows of {self.name} have fractions or too large counts of {metric.name}")
            total += weight * as_shares(metric, metric.scores(table))
        return total


def as_shares(metric: Metric, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores as shares from 0 to 1, where 1 is a perfect match; of an error rate, at least 0."""
    if not metric.higher_is_better:
        scores = np.maximum(metric.scale - scores, 0.0)
    return scores / metric.scale


def family(metric: Metric) -> str:
    """Return the name that all definitions of a metric share: ``BLEU``, or the metric's name."""
    return "BLEU" if isinstance(metric, Bleu) else metric.name


def rows_by_name(columns: Mapping[str, Any], metric: Metric) -> NDArray[Any]:
    """Return rows from a dict of columns or numbers by the names of the metric's columns.

    :raises StatisticsError: a column is missing, or holds something other than whole numbers that fit into int64
    """
    arrays = [_numbers(columns, name, metric.dtype) for name in metric.columns]
    lengths = list(map(len, arrays))
    if len(set(lengths)) > 1:
        raise StatisticsError(f"the columns have different lengths: {', '.join(map(str, lengths))}")
    return np.column_stack(arrays)


def _numbers(columns: Mapping[str, Any], name: str, dtype: str) -> NDArray[Any]:
    if name not in columns:
        raise StatisticsError(f"there is no column {name!r} in the columns: {', '.join(map(repr, columns))}")
    flat = array_given(columns[name], name).reshape(-1)
    if dtype == "float64":
        return floats_given(flat, name)
    return whole_array(flat if flat.dtype.kind in "iu" else np.array(whole_numbers(flat.tolist(), name, 0)), name)
