"""Sentence BLEU of all pairs of texts, and of each text against all others (self-BLEU).

Texts are token lists or ids in every form that :mod:`cybleu.stats` describes.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from . import _backend, _mirror
from .metrics import bleu as variants
from ._runtime.arrays import np
from ._runtime.parallel import run
from .stats.counts import check_max_order
from .text.batches import Batch, ReferenceSets, any_array, hypotheses_like, is_array, is_ragged, one_reference_each
from .bleu_score.scores import QUARTERS, methods_of_five_grams, weight_vectors
from .errors import (
    ArrayTypeError,
    CybleuError,
    LengthMismatchError,
    NoReferencesError,
    OrderError,
    SampleError,
)
from .bleu_score.many import score_rows
from .stats.references import checked_id, checked_output
from .metrics.bleu import Variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .bleu_score.scores import SmoothingCallable, Weights

__all__ = ["pairwise_bleu", "self_bleu", "self_stats"]

MOST_ORDERS_OF_KERNEL = 16
FEW = 24  # texts are compared sooner than found equal


def pairwise_bleu(
    references: Any,
    hypotheses: Any = None,
    variant: str | Variant = "sacrebleu",
    weights: Sequence[float] | None = None,
    smoothing: str | None = None,
    smoothing_value: float | None = None,
    effective_order: bool | None = None,
    *,
    max_order: int | None = None,
    batched: bool = False,
    pad_id: int | None = None,
    eos_id: int | None = None,
    out: Any = None,
    threads: int | None = None,
    progress: bool = False,
    strict: bool = False,
) -> NDArray[np.float64]:
    """Sentence BLEU of every hypothesis against every reference alone, exactly.

    It is what minimum Bayes risk decoding asks for. The cost is that of the n-grams that texts share; memory is the
    matrix and the n-grams of the texts. Equal texts are scored once.

    :param references: R texts
    :param hypotheses: H texts, by default the references themselves
    :param variant: a name in :data:`cybleu.metrics.VARIANTS`, or a variant
    :param weights: of the n-gram orders, by default uniform
    :param smoothing: the name of one of the variant's, by default the tool's
    :param smoothing_value: its parameter, by default the tool's
    :param effective_order: leave out the orders that a hypothesis is too short for; by default as the tool scores single
        sentences, so with sacreBLEU's definition
    :param max_order: the largest n-gram order, by default 4 or as many as there are weights
    :param batched: both are B lists of texts, or 3-D arrays, with the same numbers R and H in each
    :param pad_id: an id that is removed from both ends of a text
    :param eos_id: a text stops before the first one
    :param out: an array to write into, float64, contiguous, of the shape of the result
    :param threads: that work at the same time; None is one. The scores are the same
    :param progress: show a progress bar (needs tqdm)
    :param strict: look for texts of the wrong shape first, as :func:`cybleu.check` does
    :return: float64 of shape `(H, R)`, or `(B, H, R)`; entry `[i, j]` has hypothesis i and reference j, on the scale of
        the tool. An empty hypothesis has 0, or the error of the tool; no texts make an empty array
    :raises CybleuError: of the kind that fits, naming the argument and the place

    >>> pairwise_bleu([["a", "b", "c"], ["a", "b"]], variant="moses", smoothing="add").round(3)
    array([[1.   , 0.707],
           [0.607, 1.   ]])
    """
    if weights is not None and max_order is not None and len(weights) != max_order:
        raise OrderError(f"max_order is {max_order}, and there are {len(weights)} weights; give one of the two")
    order = max_order if max_order is not None else len(weights) if weights is not None else 4
    check_max_order(order)
    rules = variants.find(variant)
    if effective_order is None:
        effective_order = rules.sentences_by_effective_order
    choices = variants.definition_of(rules, order, weights, smoothing, smoothing_value, effective_order)
    if batched:
        pairs = _batches(references, hypotheses)
        if not pairs:
            return np.zeros((0, 0, 0))
    else:
        pairs = [(references, hypotheses)]
    texts = [_in_common(*pair, pad_id, eos_id, strict) for pair in pairs]
    sizes = {(len(hyps.begins), len(refs.begins)) for refs, hyps in texts}
    if len(sizes) > 1:
        raise LengthMismatchError(
            f"the batch has lists of different sizes, (hypotheses, references) {sorted(sizes)}; all must be alike"
        )
    shape = (len(texts), *sizes.pop())
    result = np.empty(shape)
    if out is not None:
        result = checked_output(out, shape if batched else shape[1:], np.float64).reshape(shape)
    for matrix, (refs, hyps) in zip(result, texts):
        _fill(matrix, refs, hyps, choices, order, threads, progress)
    if batched:
        return result
    first: NDArray[np.float64] = result[0]
    return first if out is None else out


def self_bleu(
    texts: Any,
    weights: Weights = QUARTERS,
    smoothing_function: SmoothingCallable | None = None,
    auto_reweigh: bool = False,
    *,
    sample: int | None = None,
    seed: int = 0,
    pad_id: int | None = None,
    eos_id: int | None = None,
    strict: bool = False,
) -> NDArray[np.float64]:
    """BLEU of each text with all the others as its references, by NLTK's definition: less is more diverse.

    Self-BLEU (Zhu et al. 2018, "Texygen") is the mean of the result. Each score equals
    ``sentence_bleu(others, text, weights, smoothing_function, auto_reweigh)``: n-grams are clipped to the largest count in
    any one other text, the reference length is that of another text that is closest, the shorter of two. All texts are
    scored in two passes over their n-grams.

    :param texts: at least two texts
    :param weights: as for :func:`cybleu.sentence_bleu`, also several vectors
    :param smoothing_function: as for :func:`cybleu.sentence_bleu`
    :param auto_reweigh: as for :func:`cybleu.sentence_bleu`
    :param sample: score only so many texts, drawn without repetition, each still against all others. To take Self-BLEU
        among a sample, give ``random.sample(texts, k)``
    :param seed: of the draw; the same one draws the same texts
    :param pad_id: an id that is removed from both ends of a text
    :param eos_id: a text stops before the first one
    :param strict: look for texts of the wrong shape first, as :func:`cybleu.check` does
    :return: float64 of shape `(n,)`, or `(n, vectors)`, from 0 to 1, in the order of the texts
    :raises NoReferencesError: there are fewer than two texts

    >>> scores = self_bleu([["a", "b", "c"], ["a", "b", "d"], ["x", "y", "z"]], weights=(0.5, 0.5))
    >>> scores.round(3), float(scores.mean().round(3))
    (array([0.577, 0.577, 0.   ]), 0.385)
    """
    batch = _in_common(texts, None, pad_id, eos_id, strict)[0]
    stats = self_stats(batch, _orders_of(weights, smoothing_function))
    count = len(stats)
    chosen = np.arange(count)
    if sample is not None:
        if type(sample) is not int or not 1 <= sample <= count:
            raise SampleError(f"sample is {sample!r}; it must be a whole number from 1 to {count}, the number of texts")
        chosen = np.array(sorted(Random(seed).sample(range(count), sample)))

    lists: list[list[Any]] = []

    def segment(position: int) -> tuple[list[list[Any]], list[Any]]:
        if not lists:
            lists.extend(_as_lists(texts, batch, pad_id is not None or eos_id is not None))
        here = int(chosen[position])
        return lists[:here] + lists[here + 1 :], lists[here]

    return score_rows(stats[chosen], weights, smoothing_function, auto_reweigh, segment)


def self_stats(texts: Any, max_order: int = 4) -> NDArray[np.int64]:
    """The statistics row of each text with all the others as its references, for any definition of BLEU.

    :param texts: at least two texts
    :param max_order: the largest n-gram order
    :return: int64 of shape `(n, 2 + 2 * max_order)`; the reference length is that of the closest other text, the shorter of
        two. The row of an empty text has only a reference length
    :raises NoReferencesError: there are fewer than two texts

    >>> self_stats([["a", "b", "c"], ["a", "b", "d"], ["x", "y"]], max_order=2)
    array([[3, 3, 2, 1, 3, 2],
           [3, 3, 2, 1, 3, 2],
           [2, 3, 0, 0, 2, 1]])
    """
    check_max_order(max_order)
    batch = texts if isinstance(texts, Batch) else _in_common(texts, None, None, None, False)[0]
    count = len(batch.begins)
    if count < 2:
        raise NoReferencesError(f"self-BLEU compares each text with the others; there are {count}, give at least two")
    stats = np.zeros((count, 2 + 2 * max_order), dtype=np.int64)
    ids = np.ascontiguousarray(batch.ids, dtype=np.int64)
    _backend.chosen.leave_one_out(ids, batch.begins, batch.ends, max_order, stats)
    stats[:, 1] = _closest_other_length(batch.ends - batch.begins)
    return stats


def _closest_other_length(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each of at least two texts the length of another that is closest, the shorter of two."""
    values, places, counts = np.unique(lengths, return_inverse=True, return_counts=True)
    shorter = values[np.maximum(places - 1, 0)]
    longer = values[np.minimum(places + 1, len(values) - 1)]
    to_shorter = np.where(places > 0, lengths - shorter, np.iinfo(np.int64).max)
    to_longer = np.where(places < len(values) - 1, longer - lengths, np.iinfo(np.int64).max)
    other = np.where(to_shorter <= to_longer, shorter, longer)
    result: NDArray[np.int64] = np.where(counts[places] > 1, lengths, other)
    return result


def _orders_of(weights: Weights, smoothing_function: SmoothingCallable | None) -> int:
    order = weight_vectors(weights)[1]
    return max(1, order, 5 if methods_of_five_grams(smoothing_function) else 0)


def _as_lists(texts: Any, batch: Batch, trimmed: bool) -> list[list[Any]]:
    """The texts as token lists, for a smoothing function that wants to see them."""
    if not (trimmed or is_array(texts) or is_ragged(texts) or any_array(texts)):
        return [list(text) for text in texts]
    return [batch.ids[begin:end].tolist() for begin, end in zip(batch.begins.tolist(), batch.ends.tolist())]


# --------------------------------------------------------------------------------------------------------------- pairs


def _batches(references: Any, hypotheses: Any) -> list[tuple[Any, Any]]:
    for name, value in (("references", references), ("hypotheses", hypotheses)):
        if is_array(value) and getattr(value, "ndim", 3) != 3:
            raise ArrayTypeError(f"{name} has {value.ndim} dimensions; batched arrays have three: batch, text, token")
        if is_ragged(value):
            raise ArrayTypeError(
                f"{name} is a ragged pair; a batch is a list with a pair for each entry, or a 3-D array"
            )
    if hypotheses is None:
        return [(texts, None) for texts in references]
    if len(references) != len(hypotheses):
        raise LengthMismatchError(
            f"there are {len(hypotheses)} lists of hypotheses and {len(references)} lists of references in the batch"
        )
    return list(zip(references, hypotheses))


def _in_common(
    references: Any, hypotheses: Any, pad_id: int | None, eos_id: int | None, strict: bool
) -> tuple[Batch, Batch]:
    """Both in the same numbers; where there are no hypotheses the references twice."""
    for id_name, value in (("pad_id", pad_id), ("eos_id", eos_id)):
        checked_id(id_name, value)
    if strict:
        from .checks import check_texts

        for name, texts in (("references", references), ("hypotheses", hypotheses)):
            if texts is not None and not is_array(texts) and not is_ragged(texts):
                check_texts(texts, name)
    need_ids = pad_id is not None or eos_id is not None
    sets: ReferenceSets = one_reference_each(references, pad_id, eos_id, need_ids)
    if hypotheses is None:
        return sets.batch, sets.batch
    return sets.batch, hypotheses_like(hypotheses, sets, None, pad_id, eos_id, need_ids)


def _fill(
    matrix: NDArray[np.float64],
    references: Batch,
    hypotheses: Batch,
    choices: list[Any],
    order: int,
    threads: int | None,
    progress: bool,
) -> None:
    each_other = hypotheses is references
    unique_refs, place_of_ref = _unique(references)
    unique_hyps, place_of_hyp = (unique_refs, place_of_ref) if each_other else _unique(hypotheses)
    shape = len(unique_hyps.begins), len(unique_refs.begins)
    scores = matrix if shape == matrix.shape else np.empty(shape)
    by_kernel = order <= MOST_ORDERS_OF_KERNEL
    texts = (_backend.chosen.PairwiseTexts if by_kernel else _mirror.PairwiseTexts)(
        np.ascontiguousarray(unique_refs.ids, dtype=np.int64), unique_refs.begins, unique_refs.ends, order
    )
    definition = (_backend.chosen.Definition if by_kernel else _mirror.Definition)(*choices)
    ids = np.ascontiguousarray(unique_hyps.ids, dtype=np.int64)

    def work(start: int, stop: int) -> None:
        if each_other:
            texts.score_each_other(definition, start, stop, scores)
        else:
            texts.score_others(definition, ids, unique_hyps.begins, unique_hyps.ends, start, stop, scores)

    run(work, shape[0], shape[0] * shape[1], threads, progress, "hypotheses")
    if np.isnan(scores).any():
        _fill_declined(scores, unique_refs, unique_hyps, place_of_hyp, choices, order)
    if scores is not matrix:
        np.take(scores[place_of_hyp], place_of_ref, axis=1, out=matrix)


def _fill_declined(
    scores: NDArray[np.float64],
    references: Batch,
    hypotheses: Batch,
    places: NDArray[np.int64],
    choices: list[Any],
    order: int,
) -> None:
    """The scores that the kernel left to Python's arithmetic, or what that raises."""
    definition = _mirror.Definition(*choices)
    for i, j in np.argwhere(np.isnan(scores)).tolist():
        hypothesis = hypotheses.ids[hypotheses.begins[i] : hypotheses.ends[i]].tolist()
        reference = references.ids[references.begins[j] : references.ends[j]].tolist()
        row = _mirror.segment_counts([reference], hypothesis, order)
        try:
            scores[i, j] = definition.evaluate(row, [int(total == 0) for total in row[2 + order :]])[0]
        except CybleuError as error:
            first = int((places == i).nonzero()[0][0])
            raise type(error)(f"hypotheses[{first}]: {error}") from error


def _unique(batch: Batch) -> tuple[Batch, NDArray[np.int64]]:
    """The different texts, and for each text which of them it is; all as they are where few are equal, or few there are."""
    if len(batch.begins) <= FEW:
        return batch, np.arange(len(batch.begins))
    numbers: dict[bytes, int] = {}
    first: list[int] = []
    places = []
    for position, (begin, end) in enumerate(zip(batch.begins.tolist(), batch.ends.tolist())):
        place = numbers.setdefault(batch.ids[begin:end].tobytes(), len(numbers))
        if place == len(first):
            first.append(position)
        places.append(place)
    if len(first) > 0.9 * len(places):
        return batch, np.arange(len(places))
    return Batch(batch.ids, batch.begins[first], batch.ends[first]), np.array(places, dtype=np.int64)
