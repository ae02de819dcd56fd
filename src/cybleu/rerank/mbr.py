"""Minimum Bayes risk: choose the hypothesis with the highest expected utility under the model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from .._runtime.arrays import Floats, Integers, NDArray, bincount, first_not_finite, floats_given, in_place, np
from .._runtime.numbers import check_whole
from .._runtime.parallel import bar
from .._runtime.sequences import by_position, is_array
from ..errors import ArrayValueError, CybleuError, LengthMismatchError, NoReferencesError
from ..metrics import Metric, find
from ..metrics.combined import Accuracy
from ..metrics.operations import corpus_for, tokenization_for
from ..nbest import NBest
from ..nbest.features import owner_of, owners_of
from ..nbest.reading import split_on_blanks
from ..text.batches import TokenLists, in_pairs
from ..text.reading import check_same_kind, read_groups, read_texts
from .selection import Selection, chosen, highest

if TYPE_CHECKING:
    from ..text.batches import Batch, Kind


def mbr(
    hypotheses: Any,
    posterior: Any = None,
    *,
    scores: Any = None,
    scale: float = 1.0,
    evidence: Any = None,
    metric: Any = "bleu",
    prune: int | None = None,
    threads: int | None = None,
    progress: bool = False,
    **options: Any,
) -> Selection[Any]:
    """Choose the hypothesis of each segment with the highest expected utility (Kumar and Byrne 2004).

    The expected utility of a hypothesis is its mean BLEU against each text of the evidence as the only reference,
    weighted by the posterior. Without a posterior, it is the mean of a loop over sentence BLEU. The sum is rounded only
    once, so it does not depend on the order. If several hypotheses are equally good, the lowest index is chosen. An
    empty hypothesis is chosen only if all hypotheses of the segment are empty. For BLEU, some thousand scores are in
    memory at a time, for other metrics those of all pairs of a segment, with 8 bytes each.

    :param hypotheses: n-best lists, as :mod:`cybleu.rerank` describes them
    :param posterior: the probability of each text of the evidence: non-negative numbers, for all texts or as a sequence
        for each segment. Only their ratios matter. By default, all texts are equally probable
    :param scores: logarithms of the probabilities, such as the scores of a decoder, instead of `posterior`
    :param scale: a factor for `scores`; below 1 it makes the probabilities more equal, above 1 less equal
    :param evidence: other lists to compare the hypotheses with; by default the hypotheses themselves
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts; it scores as the tool scores single
        sentences
    :param prune: the number of texts of each segment's evidence to use. The most probable texts are used; on a tie,
        those with the lowest index; empty texts come last. Without `evidence`, the other texts cannot be chosen either
    :param threads: the number of threads, by default one; it does not affect the result
    :param progress: show a progress bar (requires tqdm)
    :param options: options of the metric. With an `NBest`, texts are split on white space unless `tokenize` says
        otherwise
    :return: a selection whose `scores` are the expected utilities of all hypotheses, on the scale of the tool, and NaN
        for pruned ones
    :raises CybleuError: an argument is invalid; the message names the argument and the segment

    >>> samples = ["the cat sat", "a cat sat", "the cat sat down", ""]
    >>> best = mbr([samples], tokenize=str.split, smoothing="add-k")
    >>> best.texts, best.scores.round(1)
    (['the cat sat'], array([60.1, 54.5, 52.7,  0. ]))
    """
    found = find(metric, **options).of_sentences()
    if isinstance(hypotheses, NBest) or isinstance(evidence, NBest):
        found = split_on_blanks(found)  # unless the metric has a tokeniser of its own
    hyps = _parse_lists(hypotheses, "hypotheses", found)
    refs = hyps
    if evidence is not None:
        refs = _parse_lists(evidence, "evidence", found)
        _check_evidence(hyps, refs)
    if not found.higher_is_better:
        found = Accuracy(found)
    shares = _shares(posterior, scores, scale, refs)
    kept = _most_probable(shares, refs, prune)
    candidates = kept if refs is hyps else np.ones(len(hyps.empty), dtype=bool)
    # empty hypotheses are worth 0 and not compared; NaN is for those that cannot be chosen
    utilities = np.where(candidates & hyps.empty, 0.0, np.nan)
    hyp_rows = in_place(np.flatnonzero(candidates & ~hyps.empty), np.int64)
    ref_rows = in_place(np.flatnonzero(kept), np.int64)
    hyp_bounds = np.searchsorted(hyp_rows, hyps.offsets).tolist()
    ref_bounds = np.searchsorted(ref_rows, refs.offsets).tolist()
    with bar(len(hyps.offsets) - 1, progress, " segments") as advance:
        for segment in range(len(hyps.offsets) - 1):
            rows = hyp_rows[hyp_bounds[segment] : hyp_bounds[segment + 1]]
            columns = ref_rows[ref_bounds[segment] : ref_bounds[segment + 1]]
            if len(rows):
                others = refs.texts.take(columns)
                # the same object lets a metric score each pair once
                same = refs is hyps and len(rows) == len(columns)
                texts = others if same else hyps.texts.take(rows)
                try:
                    pairs = corpus_for(found, in_pairs(texts, others))
                    utilities[rows] = found.expected_scores(pairs, shares[columns], threads)
                except CybleuError as error:
                    raise type(error)(f"segment {segment}: {error}") from error
            advance(1)
    return chosen(hyps.source, hyps.offsets, utilities, ~hyps.empty)


class _Lists(NamedTuple):
    """Lists of texts, one for each segment.

    :ivar source: what a :class:`Selection` holds
    :ivar texts: of all segments
    """

    source: NBest | Sequence[Any]
    texts: Batch
    kind: Kind
    empty: NDArray[np.bool_]
    offsets: Integers


def _parse_lists(value: Any, name: str, metric: Metric) -> _Lists:
    if isinstance(value, NBest):
        source: Any = value
        texts: Any = value.texts
        bounds: Any = value.offsets.tolist()
        if texts is None:
            raise ArrayValueError(f"the texts of the n-best list ({name}) are not known; read it with its texts")
    else:
        texts, bounds = read_groups(value, name)
        source = texts
    batch = read_texts(texts, name, bounds=bounds)
    kind = batch.kind if batch.size else "nothing"
    tokenization_for(metric, kind)  # raises an error for a kind that the metric does not read
    if isinstance(batch, TokenLists):
        batch.types()  # an error if one is an array
    empty = [not (text.strip() if isinstance(text, str) else len(text)) for text in batch.lists()]
    return _Lists(source, batch, kind, np.array(empty, dtype=bool), np.array(bounds, dtype=np.int64))


def _check_evidence(hyps: _Lists, refs: _Lists) -> None:
    check_same_kind(hyps.kind, "hypotheses", refs.kind, "evidence")
    if len(hyps.offsets) != len(refs.offsets):
        raise LengthMismatchError(
            f"there are {len(hyps.offsets) - 1} segments of hypotheses, but {len(refs.offsets) - 1} of evidence"
        )
    lacking = (np.diff(hyps.offsets) > 0) & (np.diff(refs.offsets) == 0)
    if lacking.any():
        raise NoReferencesError(f"segment {lacking.argmax()} has hypotheses, but no evidence")


def _shares(posterior: Any, scores: Any, scale: float, lists: _Lists) -> Floats:
    """Compute a probability for each text, scaled so that the largest of a segment is 1."""
    if posterior is not None and scores is not None:
        raise ArrayValueError("give either posterior or scores")
    if posterior is None and scores is None:
        return np.ones(len(lists.empty))
    factor = floats_given(scale, "scale")
    if factor.ndim or not np.isfinite(factor):
        raise ArrayValueError(f"scale is {scale!r}; it must be a finite number")
    if scores is None:
        values = _flattened(posterior, "posterior", lists)
        most = highest(values, lists.offsets)
        wrong = (values < 0) | (most <= 0)
        if wrong.any():
            segment = owner_of(lists.offsets, wrong.argmax())
            raise ArrayValueError(f"the posterior of segment {segment} must be numbers from 0, at least one above 0")
        shares: Floats = values / most
        return shares
    with np.errstate(over="ignore"):  # a text that is far below the best has the probability 0
        values = _flattened(scores, "scores", lists) * factor
        if not np.isfinite(values).all():
            raise ArrayValueError(f"scores times the scale {scale} are beyond the range of numbers")
        shares = np.exp(values - highest(values, lists.offsets))
    return shares


def _flattened(values: Any, name: str, lists: _Lists) -> Floats:
    """Flatten a number for each text, given for all texts or as a sequence for each segment."""
    values = by_position(values)
    if not hasattr(type(values), "__len__"):
        raise LengthMismatchError(f"{name} is {values!r}; give a number for each text")
    if not is_array(values) and any(getattr(part, "ndim", hasattr(type(part), "__len__")) for part in values):
        # a sequence for each segment
        parts = [floats_given(part, f"{name}[{number}]").reshape(-1) for number, part in enumerate(values)]
        for number, (given, size) in enumerate(zip_longest(map(len, parts), np.diff(lists.offsets).tolist())):
            if given != size:
                raise LengthMismatchError(f"{name} does not have a number for each text: see segment {number}")
        values = np.concatenate(parts)
    array = floats_given(values, name).reshape(-1)
    if len(array) != len(lists.empty):
        raise LengthMismatchError(f"{name} has {len(array)} numbers for {len(lists.empty)} texts")
    if (row := first_not_finite(array)) is not None:
        segment = owner_of(lists.offsets, row)
        raise ArrayValueError(f"{name} of text {row - lists.offsets[segment]} of segment {segment} is {array[row]}")
    return array


def _most_probable(shares: Floats, lists: _Lists, prune: int | None) -> NDArray[np.bool_]:
    """Return which texts are used: of each segment the `prune` most probable ones, empty ones last."""
    kept = np.ones(len(shares), dtype=bool)
    if prune is None:
        return kept
    check_whole(prune, "prune", 1, error=ArrayValueError)
    owners = owners_of(lists.offsets)
    order = np.lexsort((-shares, lists.empty, owners))
    # the rank of each text in its segment
    kept[order] = np.arange(len(order), dtype=np.int64) - lists.offsets[:-1][owners] < prune
    left = bincount(owners[kept], shares[kept], minlength=len(lists.offsets) - 1)
    lacking = (left == 0) & (np.diff(lists.offsets) > 0)
    if lacking.any():
        raise ArrayValueError(
            f"the texts that prune={prune} keeps of segment {lacking.argmax()} have the probability 0"
        )
    return kept
