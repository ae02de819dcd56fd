"""The best and the worst that an n-best list holds by BLEU, of each sentence and of the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from .. import _backend, _mirror
from ..metrics import bleu as variants
from .._runtime.arrays import np
from .selection import CorpusSelection, Selection, bleu_stats, chosen
from ..errors import ArrayValueError, UnknownNameError
from ..nbest.container import NBest
from ..metrics.bleu import Variant

if TYPE_CHECKING:
    from numpy.typing import NDArray


def oracle(
    nbest: NBest,
    level: str = "sentence",
    variant: str | Variant = "sacrebleu",
    weights: Sequence[float] | None = None,
    smoothing: str | None = None,
    smoothing_value: float | None = None,
    effective_order: bool | None = None,
    *,
    seed: int = 0,
    passes: int = 20,
) -> Selection:
    """The hypotheses that BLEU itself would choose: how much a better model could gain from the list.

    ``sentence`` takes the hypothesis of each segment with the highest sentence BLEU. ``corpus`` goes on from there: it
    looks at the segments in a random order and exchanges a hypothesis wherever the BLEU of the corpus rises, pass after
    pass, until a pass improves nothing. So it never ends below the sentence oracle; with ``passes=1`` it is the greedy
    choice. It is a local optimum: no exchange of a single hypothesis improves it.

    Of equal hypotheses the lower index is taken. An empty one is taken only where all of a segment are empty.

    :param nbest: a list with the statistics of BLEU
    :param level: ``sentence`` or ``corpus``
    :param variant: a name in :data:`cybleu.metrics.VARIANTS`, or a variant
    :param weights: of the n-gram orders, by default uniform
    :param smoothing: the name of one of the variant's, by default the tool's
    :param smoothing_value: its parameter, by default the tool's
    :param effective_order: of sentence BLEU: leave out the orders that a hypothesis is too short for; by default as the tool
        scores single sentences
    :param seed: of the order of the segments, another for each pass; the same one gives the same result
    :param passes: at most so many
    :return: a :class:`Selection`, for ``corpus`` a :class:`CorpusSelection`; `scores` are sentence BLEU, on
        the scale of the tool. A segment without hypotheses has row -1
    :raises StatisticsError: the statistics are not BLEU's

    >>> nbest = NBest.from_texts([["a b c d", "a b", ""], ["e f", "e f g"]], [["a b c e"], ["e f g h"]], max_order=2)
    >>> oracle(nbest).rows, antioracle(nbest).rows
    (array([0, 4]), array([2, 3]))
    """
    return _extreme(nbest, True, level, variant, weights, smoothing, smoothing_value, effective_order, seed, passes)


def antioracle(
    nbest: NBest,
    level: str = "sentence",
    variant: str | Variant = "sacrebleu",
    weights: Sequence[float] | None = None,
    smoothing: str | None = None,
    smoothing_value: float | None = None,
    effective_order: bool | None = None,
    *,
    seed: int = 0,
    passes: int = 20,
) -> Selection:
    """The worst that a choice from the list can have by BLEU.

    An empty hypothesis scores 0 and is taken before those that score more: it is the worst. The other parameters, the result
    and the errors are those of :func:`oracle`.

    >>> nbest = NBest.from_texts([["a b c d", "a b"], ["e f", "e f g"]], [["a b c e"], ["e f g h"]], max_order=2)
    >>> antioracle(nbest).texts
    ['a b', 'e f']
    """
    return _extreme(nbest, False, level, variant, weights, smoothing, smoothing_value, effective_order, seed, passes)


def _extreme(
    nbest: NBest,
    highest: bool,
    level: str,
    variant: str | Variant,
    weights: Sequence[float] | None,
    smoothing: str | None,
    smoothing_value: float | None,
    effective_order: bool | None,
    seed: int,
    passes: int,
) -> Selection:
    if level not in ("sentence", "corpus"):
        raise UnknownNameError(f"unknown level {level!r}; use sentence or corpus")
    if type(passes) is not int or passes < 1:
        raise ArrayValueError(f"passes is {passes!r}; it must be a whole number from 1")
    stats = bleu_stats(nbest)
    rules = variants.find(variant)
    order = stats.shape[1] // 2 - 1
    choices = variants.definition_of(
        rules,
        order,
        weights,
        smoothing,
        smoothing_value,
        rules.sentences_by_effective_order if effective_order is None else effective_order,
    )
    filled = stats[:, 0] > 0
    scores = np.zeros(len(stats))
    of_filled = np.empty(int(filled.sum()))
    variants.score_rows(choices, np.ascontiguousarray(stats[filled]), of_filled)
    scores[filled] = of_filled
    if not highest:
        start = chosen(nbest, nbest.offsets, -scores)
        selection = Selection(nbest.offsets, start.rows, scores, nbest)
        kept = np.ones(len(stats), dtype=bool)
    else:
        selection = chosen(nbest, nbest.offsets, scores, filled)
        kept = filled
    if level == "sentence":
        return selection
    choices = variants.definition_of(rules, order, weights, smoothing, smoothing_value)
    return _climb(selection, nbest, kept, choices, rules, highest, seed, passes)


def _climb(
    selection: Selection,
    nbest: NBest,
    kept: NDArray[np.bool_],
    choices: list[Any],
    rules: Variant,
    highest: bool,
    seed: int,
    passes: int,
) -> CorpusSelection:
    """Swap until nothing improves. A segment has only those kept to choose from, and what it has now."""
    kept = kept.copy()
    kept[selection.rows[selection.rows >= 0]] = True
    rows = np.flatnonzero(kept)
    offsets = np.searchsorted(rows, nbest.offsets)
    stats = bleu_stats(nbest)[rows]
    if rules.short_segments_count:
        # as NLTK's corpus BLEU counts a segment that is too short for an order
        order = stats.shape[1] // 2 - 1
        np.maximum(stats[:, 2 + order :], 1, out=stats[:, 2 + order :])
    now = np.where(selection.rows < 0, -1, np.searchsorted(rows, selection.rows))
    segments = np.flatnonzero(now >= 0).tolist()
    by_kernel = int(stats.max(initial=0)) * max(1, len(nbest)) < np.iinfo(np.int64).max
    start = score = _swap_pass(choices, stats, offsets, [], now, highest, by_kernel)[1]
    random = Random(seed)
    swaps = count = 0
    while count < passes:
        random.shuffle(segments)
        found, score = _swap_pass(choices, stats, offsets, segments, now, highest, by_kernel)
        swaps, count = swaps + found, count + 1
        if not found:
            break
    chosen_rows = np.where(now < 0, -1, rows[now]) if len(rows) else now
    return CorpusSelection(nbest.offsets, chosen_rows, selection.scores, nbest, score, start, count, swaps)


def _swap_pass(
    choices: list[Any],
    stats: NDArray[np.int64],
    offsets: NDArray[np.int64],
    segments: list[int],
    now: NDArray[np.int64],
    highest: bool,
    by_kernel: bool,
) -> tuple[int, float]:
    order = np.array(segments, dtype=np.int64)
    found = None
    if by_kernel:
        found = _backend.chosen.swap_pass(_backend.chosen.Definition(*choices), stats, offsets, order, now, highest)
    if found is None:
        found = _mirror.swap_pass(_mirror.Definition(*choices), stats, offsets, order, now, highest)
    return found
