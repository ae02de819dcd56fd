"""Scores of groups of segments and of words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from .._runtime.arrays import bincount, np
from .._runtime.scales import percent
from .figures import Buckets, WordFrequencies
from .ngrams import NGrams

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric

LENGTHS = (10, 20, 30, 40, 50, 60)
DIFFERENCES = (-10, -5, -2, 0, 1, 3, 6, 11)
TENTHS = tuple(range(10, 100, 10))
FREQUENCIES = (1, 2, 3, 4, 5, 10, 100, 1000)


def labels_of(edges: Sequence[int], lowest: int | None = None) -> tuple[str, ...]:
    """Return the labels of groups of whole numbers, each of which begins at an edge."""
    first = f"below {edges[0]}" if lowest is None else _range(lowest, edges[0] - 1)
    return (first, *(_range(low, high - 1) for low, high in pairwise(edges)), f"{edges[-1]} and more")


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def bucketed(
    by: str,
    labels: tuple[str, ...],
    edges: Sequence[float],
    values: Sequence[NDArray[np.float64] | NDArray[np.int64]],
    names: tuple[str, ...],
    rows: Sequence[NDArray[np.int64]],
    metric: Metric,
) -> Buckets:
    """Score groups of segments, which are divided by their values at the edges.

    :param values: a value of each segment, for each output
    """
    groups = len(edges) + 1
    segments = np.zeros((len(rows), groups), dtype=np.int64)
    scores = np.full((len(rows), groups), np.nan)
    for output, (table, of_segments) in enumerate(zip(rows, values)):
        group = np.searchsorted(np.asarray(edges), of_segments, side="right")
        segments[output] = bincount(group, minlength=groups)
        for place in np.flatnonzero(segments[output]).tolist():
            scores[output, place] = score_of(metric, table[group == place])
    return Buckets(by, labels, names, segments, scores)


def score_of(metric: Metric, rows: NDArray[np.int64]) -> float:
    """Return the corpus score of these segments, from 0 to 100; NaN if the tool has no score for them."""
    try:
        return float(percent(metric.score(rows).score, metric.scale))
    except ZeroDivisionError:  # some tools fail on empty texts
        return float("nan")


def word_frequencies(ngrams: NGrams, names: tuple[str, ...], outputs: Sequence[int]) -> WordFrequencies:
    """Count words and matches, by the frequency of the words in the references."""
    words = ngrams.words
    group = np.searchsorted(np.asarray(FREQUENCIES), words.frequency, side="right")
    groups = len(FREQUENCIES) + 1

    def summed(counts: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.int64]:
        return bincount(group, counts, groups).astype(np.int64)

    return WordFrequencies(
        labels_of(FREQUENCIES, 0),
        names,
        summed(words.wanted),
        np.array([summed(words.produced[output]) for output in outputs]),
        np.array([summed(words.confirmed[output]) for output in outputs]),
    )
