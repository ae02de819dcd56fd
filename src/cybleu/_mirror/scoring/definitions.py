"""Sums of rows."""

from __future__ import annotations

from operator import gt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
