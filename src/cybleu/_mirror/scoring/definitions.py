"""Scores of rows by the rules of a BLEU definition, and sums of rows."""

from __future__ import annotations

from operator import gt

from ..._definitions.bleu import Formula

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Definition:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, rules: Any):
        self._formula = Formula(rules)

    def evaluate(self, row: list[int]) -> tuple[float, list[float], float]:
        return self._formula.evaluate(row)

    def score_rows(self, stats: Any, start: int, scores: Any) -> int:
        for position, row in enumerate(stats.tolist()[start:], start):
            scores[position] = self._formula.evaluate(row)[0]
        return len(stats)


def sum_rows(stats: Any, totals: Any, too_short: Any) -> tuple[int, int, int, int]:
    order = len(too_short)
    rows = stats.tolist()
    for column, numbers in enumerate(zip(*rows)):
        totals[column] = min(sum(numbers), 2**63 - 1)
        if column >= 2 + order:
            too_short[column - 2 - order] = numbers.count(0)
    invalid = [min(row) < 0 or any(map(gt, row[2 : 2 + order], row[2 + order :])) for row in rows]
    too_many = [any(total > max(row[0] - n, 0) for n, total in enumerate(row[2 + order :])) for row in rows]
    most = max(map(max, rows), default=0)
    return _first_true(invalid), _first_true(too_many), most, sum(not any(row) for row in rows)


def _first_true(flags: list[bool]) -> int:
    return flags.index(True) if True in flags else -1
