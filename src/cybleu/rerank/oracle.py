"""Oracles: the best and the worst hypotheses by BLEU of each sentence or of the corpus."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from .._runtime.arrays import NDArray, in_place, least_sum, np
from .._runtime.numbers import check_whole
from ..errors import ArrayValueError, UnknownNameError
from ..metrics import Bleu, Metric, Variant
from ..nbest import NBest
from ..nbest.container import check_nbest
from .selection import CorpusSelection, Selection, chosen, metric_of


def oracle(
    nbest: NBest,
    level: str = "sentence",
    metric: str | Metric | Variant | None = None,
    *,
    seed: int = 0,
    passes: int = 20,
    **options: Any,
) -> Selection[str]:
    """Choose the hypotheses that are best by BLEU. They show how much a better model could gain from the list.

    The level ``sentence`` chooses the hypothesis with the highest sentence BLEU in each segment. The level ``corpus``
    starts from this choice. It visits the segments in a random order and replaces a hypothesis if this raises the
    corpus BLEU, pass after pass, until a pass improves nothing. The result is never worse than the sentence oracle. It
    is a local optimum: no replacement of a single hypothesis improves it, unless `passes` ended the search.
    ``passes=1`` is the greedy search.

    If several hypotheses are equally good, the lowest index is chosen. By BLEU, an empty hypothesis is chosen only if
    all of a segment are empty.

    :param nbest: a list with the statistics of the metric
    :param level: ``sentence`` or ``corpus``
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts, by default the metric of the list,
        otherwise ``sacrebleu``
    :param seed: the seed of the random order of the segments in each pass; the same seed gives the same result
    :param passes: the maximum number of passes
    :param options: options of :class:`cybleu.metrics.Bleu`; `effective_order` applies to the scores of sentences
    :return: a :class:`Selection`, or for ``corpus`` a :class:`CorpusSelection`. Its `scores` are sentence BLEU, on the
        scale of the tool. Its `rows` have -1 for a segment without hypotheses
    :raises StatisticsError: the statistics are not those of BLEU

    >>> hypotheses = [["a b c d", "a b", ""], ["e f", "e f g"]]
    >>> references = [["a b c e"], ["e f g h"]]
    >>> nbest = NBest.from_texts(hypotheses, references, tokenize=str.split, max_order=2)
    >>> oracle(nbest).rows, antioracle(nbest).rows
    (array([0, 4]), array([2, 3]))
    """
    return _extreme(nbest, True, level, metric, seed, passes, **options)


def antioracle(
    nbest: NBest, level: str = "sentence", metric: str | Metric | Variant | None = None, **options: Any
) -> Selection[str]:
    """Choose the hypotheses that are worst by BLEU.

    By BLEU, an empty hypothesis scores 0, so it is chosen before hypotheses with higher scores.

    The other parameters are those of :func:`oracle`. The result and the errors are also the same.

    :param options: `seed`, `passes` and the options of the metric, see :func:`oracle`

    >>> hypotheses = [["a b c d", "a b"], ["e f", "e f g"]]
    >>> references = [["a b c e"], ["e f g h"]]
    >>> nbest = NBest.from_texts(hypotheses, references, tokenize=str.split, max_order=2)
    >>> antioracle(nbest).texts
    ['a b', 'e f']
    """
    return _extreme(nbest, False, level, metric, **options)


def _extreme(
    nbest: NBest, best: bool, level: str, name: Any, seed: int = 0, passes: int = 20, **options: Any
) -> Selection[str]:
    check_nbest(nbest)
    metric = metric_of(nbest, name, options).of_width(nbest.stats.shape[1])
    if level not in ("sentence", "corpus"):
        raise UnknownNameError(f"unknown level {level!r}; use sentence or corpus")
    check_whole(passes, "passes", 1, error=ArrayValueError)
    random = Random(check_whole(seed, "seed", 0, error=ArrayValueError))
    highest = best == metric.higher_is_better
    stats = nbest.stats
    filled = stats[:, 0] > 0 if isinstance(metric, Bleu) else np.ones(len(stats), dtype=bool)
    scores = np.zeros(len(stats))
    scores[filled] = metric.of_sentences().evaluate_rows(np.ascontiguousarray(stats[filled]))
    # an empty hypothesis scores 0, so it may be the worst, and is the best only if all are empty
    kept = filled if highest else np.ones(len(stats), dtype=bool)
    selection = replace(chosen(nbest, nbest.offsets, scores if highest else -scores, kept), scores=scores)
    if level == "sentence":
        return selection
    # The candidates of a segment are those that may be chosen and its current choice.
    kept[selection.rows[selection.rows >= 0]] = True
    return _of_corpus(selection, kept, metric, 1 if highest else -1, random, passes)


def _of_corpus(
    selection: Selection[str], kept: NDArray[np.bool_], metric: Metric, sign: int, random: Random, passes: int
) -> CorpusSelection[str]:
    """Replace hypotheses while this improves the score of the corpus.

    :param kept: hypotheses that may be chosen
    :param sign: 1 for the highest score, -1 for the lowest
    """
    nbest: Any = selection.hypotheses
    rows = in_place(np.flatnonzero(kept), np.int64)
    bounds = np.searchsorted(rows, nbest.offsets).tolist()
    stats = metric.summable(nbest.stats[rows])
    order = np.flatnonzero(selection.rows >= 0).tolist()
    now = np.searchsorted(rows, selection.rows)
    total = np.array([sum(column) for column in stats[now[order]].T.tolist()], stats.dtype)
    least = least_sum(stats, len(nbest))
    start = score = float(metric.evaluate_rows(total[None])[0])
    count = swaps = 0
    improved = True
    while improved and count < passes:
        random.shuffle(order)
        improved = False
        for segment in order:
            first, last = bounds[segment : segment + 2]
            # What the corpus would sum up to with each candidate. A difference of floats may be rounded to less than a sum
            # can be.
            sums = np.maximum(total - stats[now[segment]] + stats[first:last], least)
            scores = metric.evaluate_rows(sums)
            best = int((sign * scores).argmax())
            # an equal score is no reason to move, or the search might not end
            if scores[best] != scores[now[segment] - first]:
                now[segment] = first + best
                total = sums[best]
                score = float(scores[best])
                swaps += 1
                improved = True
        count += 1
    chosen_rows = selection.rows.copy()
    chosen_rows[order] = rows[now[order]]
    return CorpusSelection(nbest.offsets, chosen_rows, selection.scores, nbest, score, start, count, swaps)
