"""Oracles: the best and the worst hypotheses by BLEU of each sentence or of the corpus."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import in_place, np
from .._runtime.numbers import check_whole
from ..errors import ArrayValueError, UnknownNameError
from ..metrics import Bleu
from ..nbest import NBest
from ..nbest.container import check_nbest
from .selection import CorpusSelection, Selection, chosen, metric_of, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric, Variant


def oracle(
    nbest: NBest,
    level: str = "sentence",
    metric: str | Metric | Variant | None = None,
    *,
    seed: int = 0,
    passes: int = 20,
    **choices: Any,
) -> Selection[str]:
    """Choose the hypotheses that are best by BLEU. They show how much a better model could gain from the list.

    ``sentence`` takes the hypothesis of each segment with the highest sentence BLEU. ``corpus`` continues from this
    choice: it visits the segments in a random order and replaces a hypothesis wherever this raises the BLEU of the
    corpus, pass after pass, until a pass improves nothing. So it never ends below the sentence oracle. The result is a
    local optimum: no replacement of a single hypothesis improves it, unless `passes` ended the search. ``passes=1`` is the
    greedy choice.

    If several hypotheses are equally good, the lowest index is chosen. An empty hypothesis is chosen only if all of a
    segment are empty.

    :param nbest: a list with the statistics of the metric
    :param level: ``sentence`` or ``corpus``
    :param metric: as for :func:`cybleu.metrics.find`, by default that of the list, otherwise ``sacrebleu``
    :param seed: of the order of the segments, which is new in each pass; the same seed gives the same result
    :param passes: how many passes, at most
    :param choices: of :class:`cybleu.metrics.Bleu`; `effective_order` applies to the scores of sentences
    :return: a :class:`Selection`, or for ``corpus`` a :class:`CorpusSelection`. Its `scores` are sentence BLEU, on the
        scale of the tool. Its `rows` have -1 for a segment without hypotheses
    :raises StatisticsError: the statistics are not BLEU's

    >>> hypotheses = [["a b c d", "a b", ""], ["e f", "e f g"]]
    >>> references = [["a b c e"], ["e f g h"]]
    >>> nbest = NBest.from_texts(hypotheses, references, tokenize=str.split, max_order=2)
    >>> oracle(nbest).rows, antioracle(nbest).rows
    (array([0, 4]), array([2, 3]))
    """
    check_nbest(nbest)
    return _extreme(nbest, True, level, metric_of(nbest, metric, choices), seed, passes)


def antioracle(
    nbest: NBest,
    level: str = "sentence",
    metric: str | Metric | Variant | None = None,
    *,
    seed: int = 0,
    passes: int = 20,
    **choices: Any,
) -> Selection[str]:
    """Choose the hypotheses that are worst by BLEU.

    An empty hypothesis scores 0, so it is taken before hypotheses with higher scores. The other parameters, the result
    and the errors are those of :func:`oracle`.

    >>> hypotheses = [["a b c d", "a b"], ["e f", "e f g"]]
    >>> references = [["a b c e"], ["e f g h"]]
    >>> nbest = NBest.from_texts(hypotheses, references, tokenize=str.split, max_order=2)
    >>> antioracle(nbest).texts
    ['a b', 'e f']
    """
    check_nbest(nbest)
    return _extreme(nbest, False, level, metric_of(nbest, metric, choices), seed, passes)


def _extreme(nbest: NBest, best: bool, level: str, metric: Metric, seed: int, passes: int) -> Selection[str]:
    if level not in ("sentence", "corpus"):
        raise UnknownNameError(f"unknown level {level!r}; use sentence or corpus")
    check_whole(passes, "passes", 1, error=ArrayValueError)
    highest = best == metric.higher_is_better
    stats = rows_of(nbest)
    everything = np.ones(len(stats), dtype=bool)
    filled = stats[:, 0] > 0 if isinstance(metric, Bleu) else everything
    scores = np.zeros(len(stats))
    of_sentences = metric.of_sentences()
    of_sentences.check_width(stats.shape[1])
    scores[filled] = of_sentences.scores_of(np.ascontiguousarray(stats[filled]))
    if highest:
        selection: Selection[str] = chosen(nbest, nbest.offsets, scores, filled)
    else:
        selection = replace(chosen(nbest, nbest.offsets, -scores), scores=scores)
    if level == "sentence":
        return selection
    # The candidates of a segment are those that may be chosen and its current choice.
    kept = filled if highest else everything
    kept[selection.rows[selection.rows >= 0]] = True
    rows = in_place(np.flatnonzero(kept), np.int64)
    offsets = np.searchsorted(rows, nbest.offsets)
    now = np.where(selection.rows < 0, -1, np.searchsorted(rows, selection.rows))
    stats = metric.summable(stats[rows])
    swaps = _Swaps(stats, offsets.tolist(), now, metric, highest)
    start = swaps.score
    random = Random(seed)
    order = np.flatnonzero(now >= 0).tolist()
    count = exchanged = 0
    while count < passes:
        random.shuffle(order)
        found = sum(map(swaps.visit, order))
        exchanged, count = exchanged + found, count + 1
        if not found:
            break
    chosen_rows = np.where(now < 0, -1, rows[now]) if len(rows) else now
    return CorpusSelection(nbest.offsets, chosen_rows, selection.scores, nbest, swaps.score, start, count, exchanged)


class _Swaps:
    """The current choice, its sum of statistics and its score, which exchanges in single segments improve.

    :param now: for each segment the row that is chosen, changed in place; -1 for segments without hypotheses
    """

    def __init__(self, stats: NDArray[Any], offsets: list[int], now: NDArray[np.int64], metric: Metric, highest: bool):
        self._stats, self._offsets, self._now, self._metric = stats, offsets, now, metric
        self._sign = 1 if highest else -1
        self._total = np.array([sum(column) for column in stats[now[now >= 0]].T.tolist()], stats.dtype)
        self.score = float(metric.scores_of(self._total[None])[0])

    def visit(self, segment: int) -> bool:
        """Choose the first hypothesis of a segment with the best score of the corpus; return whether that is another."""
        start, stop, now = *self._offsets[segment : segment + 2], self._now[segment]
        sums = self._total - self._stats[now] + self._stats[start:stop]
        scores = self._metric.scores_of(sums)
        best = int((self._sign * scores).argmax())
        if scores[best] == scores[now - start]:
            return False
        self._now[segment], self._total, self.score = start + best, sums[best], float(scores[best])
        return True
