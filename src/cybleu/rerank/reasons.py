"""Why a hypothesis ranks where it does: lines about its row in a segment of a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..metrics import Bleu, Metric
from ..metrics.bleu import family
from ..metrics.operations import percent
from ..pairwise import pairs

if TYPE_CHECKING:
    from ..nbest import NBest

EXPLAINED = 3  # candidates, and texts that are most like one


def terms(nbest: NBest, segment: slice, row: int, weights: dict[str, float]) -> Iterator[str]:
    """Yield the terms of a weighted sum, the largest first."""
    values = dict(zip(nbest.names, nbest.features[row].tolist()))
    if nbest.sparse is not None:
        sparse = nbest.sparse.rows(slice(row, row + 1))
        values.update(zip([nbest.sparse.names[column] for column in sparse.columns.tolist()], sparse.values.tolist()))
    # the terms that decide come first, whatever their sign
    for name in sorted(values, key=lambda name: -abs(weights.get(name, 0.0) * values[name])):
        weight = weights.get(name, 0.0)
        yield f"{weight * values[name]:+.6g} = {weight:g} * {values[name]:g} {name}"


def nearest(nbest: NBest, segment: slice, row: int, metric: Metric) -> Iterator[str]:
    """Yield the other texts of the segment that are most like this one."""
    texts = (nbest.texts or [])[segment]
    row -= segment.start
    alike = percent(pairs([texts[row]], texts, metric=metric)[0], metric.scale)
    sign = -1 if metric.higher_is_better else 1
    for other in sorted((i for i in range(len(texts)) if i != row), key=lambda i: sign * alike[i])[:EXPLAINED]:
        line = f"{family(metric)} {alike[other]:.1f} with hypothesis {other}"
        if isinstance(metric, Bleu):
            line += f": {_matches_in_words(metric.rows([texts[row]], [texts[other]])[0].tolist())}"
        yield line


def matches(nbest: NBest, segment: slice, row: int) -> Iterator[str]:
    """Yield the n-grams that match the references."""
    yield _matches_in_words(nbest.stats[row].tolist())


def _matches_in_words(row: list[int]) -> str:
    order = len(row) // 2 - 1
    orders = " ".join(f"{matched}/{total}" for matched, total in zip(row[2 : 2 + order], row[2 + order :]))
    return f"matched n-grams {orders}, length {row[0]} against {row[1]}"
