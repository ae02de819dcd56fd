"""Many BLEUs from one set of counts: each tool's definition as data.

The tools agree on the counts and differ in a few rules about them. A :class:`Variant` states those rules, and
:func:`score` follows them, by the tool's own float operations in its order where equal numbers are promised (NLTK,
sacreBLEU).

A statistics row is hypothesis length, reference length, clipped matches of orders 1 to N, n-grams of those orders. Rows
of segments add up to the row of their corpus for every definition but NLTK's, which also asks how many segments were too
short for an order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from .. import _backend, _mirror
from ..errors import SmoothingParameterError, StatisticsError, UnknownNameError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SMOOTHINGS", "VARIANTS", "Bleu", "Variant", "find", "score", "scores"]

#: The kinds of smoothing that a variant can have, see :class:`Variant`.
SMOOTHINGS = tuple(_mirror.definitions.SMOOTHINGS)


@dataclass(frozen=True)
class Variant:
    """A definition of BLEU as a set of rules. ``dataclasses.replace`` makes another from one of :data:`VARIANTS`.

    :param name: what the signature says
    :param scale: 1 or 100, the score of a perfect match
    :param smoothings: the smoothings that the tool has, its default first: name there, name in :data:`SMOOTHINGS`, and
        the default of the parameter
    :param reference_length: the one that the statistics should have: ``closest``, ``shortest`` or ``average``
    :param short_segments_count: whether a segment too short for an order adds 1 to its n-grams (NLTK)
    :param empty_order: what an order without any n-gram is: ``zero``; ``one``, perfect; or ``end``, with the orders after
        it 0, or left out if only effective orders count
    :param no_match_at_all: whether a hypothesis without any match is 0, however smoothed (``zero``), or ``smoothed``
    :param mean: how precisions become a score: ``exact``, the weighted logarithms of those above 0, rounded once;
        ``logs``, the mean of the logarithms; ``arithmetic``
    :param penalty: ``exponential``, the brevity penalty; or ``none``
    :param penalty_adds: added to the reference length in the brevity penalty (Moses can)
    :param empty_hypothesis: ``zero``, or ``error`` where the tool divides by the length
    :raises UnknownNameError: a rule has a value that is none of these

    >>> from dataclasses import replace
    >>> mine = replace(VARIANTS["sacrebleu"], name="mine", reference_length="shortest", empty_order="one")
    >>> score([3, 3, 3, 2, 1, 0, 3, 2, 1, 0], mine).signature
    'variant:mine|order:4|weights:uniform|smooth:exp|eff:no'
    """

    name: str
    scale: float
    smoothings: tuple[tuple[str, str, float | None], ...]
    reference_length: str = "closest"
    short_segments_count: bool = False
    empty_order: str = "zero"
    no_match_at_all: str = "zero"
    mean: str = "logs"
    penalty: str = "exponential"
    penalty_adds: float = 0
    empty_hypothesis: str = "zero"

    def __post_init__(self) -> None:
        for field, allowed in _ALLOWED.items():
            if getattr(self, field) not in allowed:
                raise UnknownNameError(
                    f"{field} of the variant {self.name!r} is {getattr(self, field)!r}; use one of {', '.join(allowed)}"
                )
        if not self.smoothings:
            raise UnknownNameError(f"the variant {self.name!r} has no smoothing; give at least one")
        for _, kind, _ in self.smoothings:
            if kind not in SMOOTHINGS:
                raise UnknownNameError(
                    f"the variant {self.name!r} has a smoothing of kind {kind!r}; use one of {', '.join(SMOOTHINGS)}"
                )

    @property
    def sentences_by_effective_order(self) -> bool:
        """Whether the tool leaves out, when it scores a single sentence, the orders that it is too short for."""
        return self.empty_order == "end"


_ALLOWED = {
    "reference_length": ("closest", "shortest", "average"),
    "empty_order": ("zero", "one", "end"),
    "no_match_at_all": ("zero", "smoothed"),
    "mean": ("exact", "logs", "arithmetic"),
    "penalty": ("exponential", "none"),
    "empty_hypothesis": ("zero", "error"),
}

#: The definitions of the tools, by name.
VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        Variant(
            "nltk",
            scale=1,
            smoothings=(
                ("none", "tiny", None),
                ("method0", "tiny", None),
                ("method1", "floor", 0.1),
                ("method2", "add-k", 1),
                ("method3", "exp", None),
                ("method4", "exp-by-length", 5),
            ),
            short_segments_count=True,
            mean="exact",
        ),
        Variant("nltk-3.3", scale=1, smoothings=(("skip", "skip", None),), short_segments_count=True, mean="exact"),
        Variant(
            "sacrebleu",
            scale=100,
            smoothings=(("exp", "exp", None), ("floor", "floor", 0.1), ("add-k", "add-k", 1), ("none", "none", None)),
            empty_order="end",
        ),
        Variant(
            "mteval-v13a",
            scale=1,
            smoothings=(("exp", "exp", None), ("none", "none", None)),
            empty_order="one",
            no_match_at_all="smoothed",
        ),
        Variant("multi-bleu", scale=100, smoothings=(("none", "none", None),), empty_hypothesis="error"),
        Variant(
            "moses",
            scale=1,
            smoothings=(("none", "none", None), ("add", "add-all", 1)),
            no_match_at_all="smoothed",
        ),
        Variant(
            "huggingface",
            scale=1,
            smoothings=(("none", "none", None), ("smooth", "add-all", 1)),
            reference_length="shortest",
            no_match_at_all="smoothed",
            empty_hypothesis="error",
        ),
        Variant("arithmetic-mean", scale=1, smoothings=(("none", "none", None),), mean="arithmetic"),
    )
}


# -------------------------------------------------------------------------------------------------------------- score


@dataclass(frozen=True)
class Bleu:
    """A score with what it was computed from; ``print`` shows it.

    :param score: on the tool's scale, from 0 to 1 or 0 to 100, as `scale` says; so are the precisions
    :param matches: clipped matches of each order
    :param totals: n-grams of the hypotheses of each order
    :param signature: the definition in one line

    >>> result = score([5, 6, 4, 2, 1, 1, 5, 4, 3, 2], "multi-bleu")
    >>> result.matches, result.totals, round(result.brevity_penalty, 3), result.scale
    ((4, 2, 1, 1), (5, 4, 3, 2), 0.819, 100)
    >>> print(str(result).partition(" = ")[2])
    41.60 80.0/50.0/33.3/50.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)
    """

    score: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    hypothesis_length: int
    reference_length: int
    matches: tuple[int, ...]
    totals: tuple[int, ...]
    scale: float
    signature: str

    @property
    def ratio(self) -> float:
        """Hypothesis length / reference length, 0 without references."""
        return self.hypothesis_length / self.reference_length if self.reference_length else 0.0

    def format(self, width: int = 2) -> str:
        """The line that people know from multi-bleu and sacreBLEU, always from 0 to 100.

        :param width: decimals of the score
        """
        percent = 100 / self.scale
        precisions = "/".join(f"{percent * precision:.1f}" for precision in self.precisions)
        return (
            f"BLEU|{self.signature} = {percent * self.score:.{width}f} {precisions} (BP = {self.brevity_penalty:.3f} "
            f"ratio = {self.ratio:.3f} hyp_len = {self.hypothesis_length} ref_len = {self.reference_length})"
        )

    def __str__(self) -> str:
        return self.format()


def find(variant: str | Variant) -> Variant:
    """The variant of this name.

    :param variant: a name in :data:`VARIANTS`; a variant is given back
    :raises UnknownNameError: there is none

    >>> find("huggingface").reference_length
    'shortest'
    """
    if isinstance(variant, Variant):
        return variant
    if variant not in VARIANTS:
        raise UnknownNameError(f"unknown variant {variant!r}; use one of {', '.join(VARIANTS)}")
    return VARIANTS[variant]


def score(
    stats: Any,
    variant: str | Variant = "sacrebleu",
    weights: Sequence[float] | None = None,
    smoothing: str | None = None,
    smoothing_value: float | None = None,
    effective_order: bool = False,
    short_segments: Sequence[int] | None = None,
) -> Bleu:
    """BLEU of a corpus or of one segment from its statistics.

    :param stats: a row; the rows of segments, which are added up; or a :class:`cybleu.stats.CorpusAccumulator`. Rows are
        lists of ints or one integer array `(n, 2 + 2 * orders)`
    :param variant: a name in :data:`VARIANTS`, or a variant
    :param weights: of the n-gram orders, by default uniform
    :param smoothing: the name of one of the variant's, by default the tool's
    :param smoothing_value: its parameter, by default the tool's
    :param effective_order: leave out the orders that the hypothesis is too short for, as for single sentences
    :param short_segments: for each order how many segments were too short for it. NLTK's definitions need it with a
        summed row, and with rows counted without some n-grams; from rows of segments, or the row of one, they know it
    :raises UnknownNameError: there is no such variant or smoothing
    :raises StatisticsError: the statistics cannot be, or NLTK's definition is given a summed row alone
    :raises EmptyHypothesisError: there is no hypothesis token, and the tool divides by their number

    >>> round(score([5, 5, 4, 2, 1, 0, 5, 4, 3, 2]).score, 4)
    42.7287
    >>> round(score([5, 5, 4, 2, 1, 0, 5, 4, 3, 2], "nltk", smoothing="method1").score, 4)
    0.2857
    """
    rules = find(variant)
    if short_segments is None:
        short_segments = getattr(stats, "short_segments", None)
    row, short = _summed(getattr(stats, "row", stats), short_segments, rules)
    order = (len(row) - 2) // 2
    length, reference_length, matches, totals = row[0], row[1], row[2 : 2 + order], row[2 + order :]
    name, *choices = _choices(rules, order, weights, smoothing, smoothing_value, effective_order)
    number, precisions, penalty = _mirror.Definition(*choices).evaluate(row, short)
    if rules.short_segments_count:
        totals = [total + count for total, count in zip(totals, short)]
    weighting = "uniform" if weights is None else ",".join(f"{weight:g}" for weight in weights)
    value = choices[2]
    signature = (
        f"variant:{rules.name}|order:{order}|weights:{weighting}|"
        f"smooth:{name if value is None else f'{name}[{value:g}]'}|eff:{'yes' if effective_order else 'no'}"
        + "".join(f"|{field}:{value}" for field, value in _changed_rules(rules))
    )
    return Bleu(
        score=number,
        precisions=tuple(precisions),
        brevity_penalty=penalty,
        hypothesis_length=length,
        reference_length=reference_length,
        matches=tuple(matches),
        totals=tuple(totals),
        scale=rules.scale,
        signature=signature,
    )


def _changed_rules(rules: Variant) -> list[tuple[str, Any]]:
    """Where the variant of a tool was given other rules than the tool's."""
    original = VARIANTS.get(rules.name, rules)
    names = [field.name for field in fields(rules) if field.name not in ("name", "smoothings")]
    return [(name, getattr(rules, name)) for name in names if getattr(rules, name) != getattr(original, name)]


def scores(
    stats: Any,
    variant: str | Variant = "sacrebleu",
    weights: Sequence[float] | None = None,
    smoothing: str | None = None,
    smoothing_value: float | None = None,
    effective_order: bool = False,
    parts_of_segments: bool = False,
) -> NDArray[np.float64]:
    """The score of each row of an array, as :func:`score` gives it for that row alone. Needs NumPy.

    The other parameters are those of :func:`score`.

    :param stats: integers `(n, 2 + 2 * orders)`
    :param parts_of_segments: the rows are of segments although they have fewer n-grams than their tokens make, because
        some n-grams were left out of the count. NLTK's definitions cannot tell such a row from a sum and refuse it otherwise
    :return: `float64` of shape `(n,)`, on the scale of the tool
    :raises StatisticsError: a row cannot be, or NLTK's definition is given one that is not a segment's

    >>> import numpy
    >>> scores(numpy.array([[5, 5, 4, 2, 1, 0, 5, 4, 3, 2], [2, 2, 2, 1, 0, 0, 2, 1, 0, 0]]), "moses", smoothing="add")
    array([0.53728497, 1.        ])
    """
    from .._runtime.arrays import np

    rules = find(variant)
    rows, order = _checked_array(stats, "stats")
    if rows.ndim != 2:
        raise StatisticsError(f"stats has {rows.ndim} dimensions; scores() takes rows, and score() a single one")
    _, _, mixed = _sums(rows, order)
    if rules.short_segments_count and mixed >= 0 and not parts_of_segments:
        raise _not_a_segment(mixed, rules)
    _, *choices = _choices(rules, order, weights, smoothing, smoothing_value, effective_order)
    result = np.empty(len(rows))
    score_rows(choices, rows, result)
    return result


def score_rows(choices: Sequence[Any], rows: NDArray[np.int64], result: NDArray[np.float64]) -> None:
    """Score segments' rows by the backend, and those that it declines by the mirror, which also raises what there is."""
    definition, general = _backend.chosen.Definition(*choices), _mirror.Definition(*choices)
    position = 0
    while (position := definition.score_rows(rows, position, result)) < len(rows):
        general.score_rows(rows[position : position + 1], 0, result[position : position + 1])
        position += 1


def definition_of(
    variant: str | Variant,
    order: int,
    weights: Sequence[float] | None = None,
    smoothing: str | None = None,
    smoothing_value: float | None = None,
    effective_order: bool = False,
) -> list[Any]:
    """The arguments of a backend's ``Definition`` for a variant and the choices of a call, checked."""
    return _choices(find(variant), order, weights, smoothing, smoothing_value, effective_order)[1:]


def _choices(
    rules: Variant,
    order: int,
    weights: Sequence[float] | None,
    smoothing: str | None,
    value: float | None,
    effective_order: bool,
) -> list[Any]:
    """The name of the smoothing, then the arguments of a ``Definition``."""
    if weights is not None:
        weights = [float(weight) for weight in weights]
        if len(weights) != order:
            raise StatisticsError(f"there are {len(weights)} weights for {order} n-gram orders; give one for each")
        if not all(math.isfinite(weight) for weight in weights):
            raise StatisticsError(f"weights must be finite numbers, and these are not: {weights}")
    name, kind, default = _smoothing(rules, smoothing)
    if value is None:
        value = default
    elif default is None:
        raise UnknownNameError(f"the smoothing {name!r} of {rules.name} takes no value")
    if value is not None and not (0 <= value < math.inf and (value or kind != "exp-by-length")):
        raise SmoothingParameterError(
            f"the value of the smoothing {name!r} is {value}; it must be a finite number "
            f"{'above 0' if kind == 'exp-by-length' else 'from 0'}"
        )
    return [
        name,
        order,
        kind,
        value,
        weights,
        bool(effective_order),
        rules.scale,
        rules.short_segments_count,
        rules.empty_order,
        rules.no_match_at_all,
        rules.mean,
        rules.penalty,
        rules.penalty_adds,
        rules.empty_hypothesis,
        rules.name,
    ]


def _smoothing(rules: Variant, name: str | None) -> tuple[str, str, float | None]:
    if name is None:
        return rules.smoothings[0]
    for smoothing in rules.smoothings:
        if smoothing[0] == name:
            return smoothing
    names = ", ".join(smoothing[0] for smoothing in rules.smoothings)
    raise UnknownNameError(f"{rules.name} has no smoothing {name!r}; use one of {names}")


# --------------------------------------------------------------------------------------------------------------- rows


def _summed(stats: Any, short_segments: Sequence[int] | None, rules: Variant) -> tuple[list[int], Sequence[int]]:
    """The sum of the rows, and for each order how many segments have no n-gram of it."""
    if hasattr(stats, "dtype"):
        rows, order = _checked_array(stats, "stats")
        total, short, mixed = _sums(rows.reshape(-1, 2 + 2 * order), order)
    else:
        total, short, mixed = _sums_of_lists(stats)
        order = len(short)
    if short_segments is None:
        if rules.short_segments_count and mixed >= 0:
            raise _not_a_segment(mixed, rules)
        return total, short
    if len(short_segments) != order:
        raise StatisticsError(f"short_segments has {len(short_segments)} entries for {order} n-gram orders")
    if not all(count >= 0 for count in short_segments):
        raise StatisticsError(f"short_segments are whole numbers from 0, and these are not: {list(short_segments)}")
    return total, [int(count) for count in short_segments]


def _not_a_segment(position: int, rules: Variant) -> StatisticsError:
    return StatisticsError(
        f"row {position} is not that of one segment, and {rules.name} counts n-grams by segments; "
        "give the segments' rows, or short_segments with their sum"
    )


def _sums_of_lists(stats: Any) -> tuple[list[int], list[int], int]:
    """The sum, the segments without an n-gram by order, and the first row that is not of one segment, or -1."""
    rows = [_row(row) for row in (stats if len(stats) and hasattr(stats[0], "__len__") else [stats])]
    size = len(rows[0])
    if any(len(row) != size for row in rows):
        raise StatisticsError("the rows have different lengths; all must have 2 + 2 * orders entries")
    order = (size - 2) // 2
    mixed = -1
    for position, row in enumerate(rows):
        if mixed < 0 and any(row[2 + order + n] != max(0, row[0] - n) for n in range(order)):
            mixed = position
    return (
        [sum(column) for column in zip(*rows)],
        [sum(row[2 + order + n] == 0 for row in rows) for n in range(order)],
        mixed,
    )


def checked_rows(stats: Any) -> list[list[int]]:
    """The rows as lists of ints that can be."""
    return [_row(list(row)) for row in stats]


def _row(values: Sequence[Any]) -> list[int]:
    try:
        row = [int(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        raise StatisticsError(f"statistics are whole numbers from 0, and these are not: {list(values)}") from None
    _order_of(len(row))
    if any(number != value for number, value in zip(row, values)):
        raise StatisticsError(f"statistics are whole numbers from 0, and these are not: {list(values)}")
    _check_row(row, "a row")
    return row


def _order_of(size: int) -> int:
    if size < 4 or size % 2:
        raise StatisticsError(
            f"a row has {size} entries; it must have 2 + 2 * orders: hypothesis length, reference length, matches, n-grams"
        )
    return (size - 2) // 2


def _check_row(row: list[int], name: str) -> None:
    order = (len(row) - 2) // 2
    if min(row) < 0:
        raise StatisticsError(f"statistics are whole numbers from 0, and these are not: {row}")
    if any(matched > total for matched, total in zip(row[2 : 2 + order], row[2 + order :])):
        raise StatisticsError(f"{name} has more matches than n-grams of an order: {row}")


def _checked_array(stats: Any, name: str) -> tuple[NDArray[np.int64], int]:
    """The array in the form that the backends read, and the number of n-gram orders."""
    from .._runtime.arrays import in_place, np

    array = np.asarray(stats)
    if array.dtype.kind not in "iu":
        raise StatisticsError(f"{name} has dtype {array.dtype}; statistics are integers, best int64")
    if array.ndim not in (1, 2):
        raise StatisticsError(f"{name} has {array.ndim} dimensions; it must be one row or rows")
    order = _order_of(array.shape[-1])
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise StatisticsError(f"{name} has numbers above {np.iinfo(np.int64).max}")
    return in_place(array, np.int64), order


def _sums(rows: NDArray[np.int64], order: int) -> tuple[list[int], list[int], int]:
    """As :func:`_sums_of_lists`, for an array."""
    from .._runtime.arrays import np

    totals = np.zeros(2 + 2 * order, dtype=np.int64)
    short = np.zeros(order, dtype=np.int64)
    impossible, mixed, largest = _backend.chosen.sum_rows(rows, totals, short)
    if impossible >= 0:
        _check_row(rows[impossible].tolist(), f"row {impossible}")
    if largest * len(rows) > np.iinfo(np.int64).max:
        return rows.sum(axis=0, dtype=object).tolist(), short.tolist(), mixed
    return totals.tolist(), short.tolist(), mixed
