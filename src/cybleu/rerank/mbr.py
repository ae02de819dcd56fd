"""Minimum Bayes risk: choose the hypothesis with the highest expected utility under the model."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import in_place, np
from .._runtime.numbers import check_whole
from .._runtime.parallel import bar
from ..errors import ArrayValueError, CybleuError
from ..metrics import find
from .posterior import expected_utilities, most_probable, posterior_of
from .selection import Selection, chosen
from .texts import TextLists, check_alike, parse_lists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric

    Floats = NDArray[np.float64]


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

    The expected utility of a hypothesis is the mean of its BLEU against each text of the evidence as the only
    reference, weighted by the posterior. Without a posterior it equals the result of a loop over sentence BLEU, with the
    sum rounded only once; its order makes no difference. If several hypotheses are equally good, the lowest index
    is chosen. An empty hypothesis is chosen only if all of a segment are empty. The matrix of one segment is in memory,
    with 8 bytes for each pair.

    :param hypotheses: n-best lists, as :mod:`cybleu.rerank` describes them
    :param posterior: the probability of each text of the evidence: numbers from 0, for all texts or as a sequence for
        each segment. Only their ratios matter. With None all are equally probable
    :param scores: instead of `posterior`: logarithms of the probabilities, such as the scores of a decoder
    :param scale: a factor for `scores`: below 1 it makes the probabilities more equal, above 1 less equal
    :param evidence: other lists to compare the hypotheses with; by default the hypotheses themselves
    :param metric: as for :func:`cybleu.metrics.find`; it scores as the tool scores single sentences
    :param prune: how many texts of each list of the evidence to use: the most probable ones, of equally probable texts
        those with the lowest index, and empty texts last. Without `evidence`, the other texts cannot be chosen either
    :param threads: the number of threads, which does not change the result; None is one
    :param progress: show a progress bar (requires tqdm)
    :param options: options of the metric. With an `NBest`, texts are split on white space unless `tokenize` says
        otherwise
    :return: a selection whose `scores` are the expected utilities of all hypotheses, on the scale of the tool, and NaN
        for pruned ones
    :raises CybleuError: one of its subclasses, whose message names the argument and the segment

    >>> samples = ["the cat sat", "a cat sat", "the cat sat down", ""]
    >>> best = mbr([samples], tokenize=str.split, smoothing="add-k")
    >>> best.texts, best.scores.round(1)
    (['the cat sat'], array([60.1, 54.5, 52.7,  0. ]))
    """
    given = [("hypotheses", hypotheses), *([] if evidence is None else [("evidence", evidence)])]
    found, (hyps, *others) = parse_lists(given, find(metric, **options).of_sentences())
    refs = others[0] if others else hyps
    check_alike(hyps, refs)
    shares = posterior_of(posterior, scores, scale, refs)
    kept = most_probable(shares, refs, prune)
    utilities = np.full(len(hyps.empty), np.nan)
    for _, rows, _, expected in _matrices(hyps, refs, kept, shares, found, threads, progress):
        utilities[rows] = expected
    utilities[hyps.empty & (kept if refs is hyps else True)] = 0.0
    return chosen(hyps.source, hyps.offsets, utilities, ~hyps.empty & ~np.isnan(utilities))


def diverse(
    hypotheses: Any,
    size: int,
    posterior: Any = None,
    *,
    scores: Any = None,
    scale: float = 1.0,
    similarity: float = 0.5,
    metric: Any = "bleu",
    progress: bool = False,
    **options: Any,
) -> list[NDArray[np.int64]]:
    """Choose some hypotheses of each segment that are good and differ from each other.

    The first is the choice of :func:`mbr`. The next one is always the hypothesis with the highest value of: expected
    utility - `similarity` * (similarity to the most similar hypothesis taken so far). The similarity of two texts is
    the mean of the BLEU of each against the other. If several are equally good, the lowest index is taken. Empty
    hypotheses are taken last.

    :param size: how many hypotheses to choose; a segment with fewer returns all
    :param similarity: the weight of the similarity; 0 takes the best by expected utility alone
    :return: for each segment an int64 array of indices in the segment, in the order in which they were taken; empty for
        a segment without hypotheses
    :raises ArrayValueError: `size` is not a whole number from 1

    The other arguments are those of :func:`mbr`.

    >>> texts = ["the cat sat on the mat", "the cat sat on the mat", "a cat sat on the mat", "it sat on a mat"]
    >>> texts = [text.split() for text in texts]
    >>> diverse([texts], 2), diverse([texts], 2, similarity=0.0)
    ([array([0, 3])], [array([0, 1])])
    """
    check_whole(size, "size", 1, error=ArrayValueError)
    if not 0 <= similarity < np.inf:
        raise ArrayValueError(f"similarity is {similarity!r}; it must be a finite number from 0")
    found, (lists,) = parse_lists([("hypotheses", hypotheses)], find(metric, **options).of_sentences())
    shares = posterior_of(posterior, scores, scale, lists)
    everything = np.ones(len(lists.empty), dtype=bool)
    taken = [np.arange(min(size, stop - start), dtype=np.int64) for start, stop in pairwise(lists.offsets.tolist())]
    for segment, rows, matrix, utilities in _matrices(lists, lists, everything, shares, found, None, progress):
        start, stop = lists.offsets[segment : segment + 2]
        among = matrix[:, rows - start]
        alike = (among + among.T) / 2
        most = np.zeros(len(rows))
        order: list[int] = []
        while len(order) < min(size, len(rows)):
            values = utilities - similarity * most
            values[order] = -np.inf
            order.append(int(values.argmax()))
            most = np.maximum(most, alike[order[-1]])
        empty = np.setdiff1d(np.arange(start, stop, dtype=np.int64), rows)
        taken[segment] = np.append(rows[order], empty)[:size] - start
    return taken


def _matrices(
    hyps: TextLists,
    refs: TextLists,
    kept: NDArray[np.bool_],
    shares: Floats,
    metric: Metric,
    threads: int | None,
    progress: bool,
) -> Iterator[tuple[int, NDArray[np.int64], Floats, Floats]]:
    """Score each segment that has hypotheses.

    Yields the number of the segment, the rows of its hypotheses that are kept and not empty, their scores against each
    text of the evidence that is kept, and their expected utilities.
    """
    rows_of_refs = in_place(np.flatnonzero(kept), np.int64)
    rows_of_hyps = rows_of_refs if refs is hyps else np.arange(len(hyps.empty), dtype=np.int64)
    ref_bounds = np.searchsorted(rows_of_refs, refs.offsets).tolist()
    hyp_bounds = np.searchsorted(rows_of_hyps, hyps.offsets).tolist()
    with bar(len(hyps.offsets) - 1, progress, " segments") as advance:
        for segment in range(len(hyps.offsets) - 1):
            columns = rows_of_refs[ref_bounds[segment] : ref_bounds[segment + 1]]
            rows = rows_of_hyps[hyp_bounds[segment] : hyp_bounds[segment + 1]]
            if len(rows):
                rows = rows[~hyps.empty[rows]]
                evidence = refs.texts.rows(columns)
                same = refs is hyps and len(rows) == len(columns)
                texts = evidence if same else hyps.texts.rows(rows)
                try:
                    matrix = metric.pairs(texts, None if same else evidence, threads=threads)
                except CybleuError as error:
                    raise type(error)(f"segment {segment}: {error}") from error
                yield segment, rows, matrix, expected_utilities(matrix, shares[columns])
            advance(1)
