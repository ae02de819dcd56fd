"""The best hypothesis of each segment by weights."""

from __future__ import annotations

from itertools import pairwise

from .._runtime.interrupts import look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def winners(columns: Any, offsets: Any, weights: Any, chosen: Any, values: Any = None) -> None:
    """For each row of weights the hypothesis of each segment with the highest value, the first of equal ones.

    A value is the sum of weight * feature from the first feature on. The values by the last row go to `values`.

    :param columns: of features, a row for each feature
    :param offsets: of segments, each with a hypothesis
    :param chosen: receives the hypotheses, a row for each row of weights
    """
    features = [column.tolist() for column in columns]
    for row, best in zip(weights.tolist(), chosen):
        sums = [0.0] * columns.shape[1]
        for weight, column in zip(row, features):
            look()
            sums = [total + weight * value for total, value in zip(sums, column)]
        for segment, (first, last) in enumerate(pairwise(offsets.tolist())):
            best[segment] = max(range(first, last), key=sums.__getitem__)
        if values is not None:
            values[:] = sums


def winners_near(
    columns: Any, offsets: Any, weights: Any, values: Any, slope: Any, step: float, errors: Any, chosen: Any
) -> None:
    """As :func:`winners` for one row of weights.

    :param values: by other weights; value + step * slope is the value by these, but for an error. For speed alone, as is
        `errors`: for each segment, no smaller than any of these errors
    """
    winners(columns, offsets, weights.reshape(1, -1), chosen.reshape(1, -1))
