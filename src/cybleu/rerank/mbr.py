"""Minimum Bayes risk: choose the hypothesis with the highest expected utility under the model."""

from __future__ import annotations

from typing import Any

from .._runtime.arrays import in_place, np
from .._runtime.parallel import bar
from ..errors import CybleuError
from ..metrics import find
from .posterior import most_probable, posterior_of
from .selection import Selection, chosen
from .texts import check_alike, parse_lists


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
    given = [("hypotheses", hypotheses), *([] if evidence is None else [("evidence", evidence)])]
    found, (hyps, *others) = parse_lists(given, find(metric, **options).of_sentences())
    refs = others[0] if others else hyps
    check_alike(hyps, refs)
    shares = posterior_of(posterior, scores, scale, refs)
    kept = most_probable(shares, refs, prune)
    candidates = kept if refs is hyps else np.ones(len(hyps.empty), dtype=bool)
    utilities = np.where(candidates & hyps.empty, 0.0, np.nan)
    hyp_rows, ref_rows = (in_place(np.flatnonzero(taken), np.int64) for taken in (candidates & ~hyps.empty, kept))
    hyp_bounds = np.searchsorted(hyp_rows, hyps.offsets).tolist()
    ref_bounds = np.searchsorted(ref_rows, refs.offsets).tolist()
    with bar(len(hyps.offsets) - 1, progress, " segments") as advance:
        for segment in range(len(hyps.offsets) - 1):
            rows = hyp_rows[hyp_bounds[segment] : hyp_bounds[segment + 1]]
            columns = ref_rows[ref_bounds[segment] : ref_bounds[segment + 1]]
            if len(rows):
                evidence = refs.texts.take(columns)
                same = refs is hyps and len(rows) == len(columns)
                texts = evidence if same else hyps.texts.take(rows)
                try:
                    utilities[rows] = found.expected_scores(texts, evidence, shares[columns], threads)
                except CybleuError as error:
                    raise type(error)(f"segment {segment}: {error}") from error
            advance(1)
    return chosen(hyps.source, hyps.offsets, utilities, ~hyps.empty & ~np.isnan(utilities))
