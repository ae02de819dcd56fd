"""BLEU step by step: n-gram counts, and explained scores.

For reading and teaching: plain dicts and fractions, not optimised for speed.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .._mirror import Definition
from .._runtime.numbers import finite_numbers, remark_on_weights
from ..bleu_score import brevity_penalty, closest_ref_length, modified_precision, sentence_bleu
from ..bleu_score.fraction import Fraction
from ..bleu_score.scores import QUARTERS, smoothed_precisions, weights_given
from ..bleu_score.smoothing import SmoothingFunction
from ..errors import SmoothingParameterError, UnknownNameError
from ..metrics import Bleu, find
from ..text.raw import raw_of
from .blind_spots import blind_spots, find_blind_spots
from .explanation import Explanation, Order
from .reading import token_segment

if TYPE_CHECKING:
    from .._mirror.counting.segments import NGram
    from ..bleu_score.parts import Tokens
    from ..bleu_score.scores import SmoothingCallable
    from ..metrics import Metric, Variant
    from .blind_spots import BlindSpots

MONOTONE = ("method0", "method1", "method2", "method3")  # smoothing by which no match lowers the score

__all__ = ["Explanation", "Order", "explain"]


def explain(
    references: Sequence[Tokens],
    hypothesis: Tokens,
    weights: Sequence[float] = QUARTERS,
    smoothing_function: SmoothingCallable | None = None,
    *,
    metric: str | Metric | Variant | None = None,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    lowercase: bool = False,
    **choices: Any,
) -> Explanation:
    """Explain a score of :func:`cybleu.sentence_bleu`, or of another tool's BLEU, step by step.

    :param references: one or more references, each a sequence of hashable tokens
    :param hypothesis: a sequence of hashable tokens
    :param weights: a vector of weights of the n-gram orders from 1
    :param smoothing_function: as for :func:`cybleu.sentence_bleu`
    :param metric: as for :func:`cybleu.metrics.find`: a definition of BLEU to explain instead of NLTK's, with its own
        weights and smoothing
    :param tokenize: the tokeniser, if the texts are raw text (str, or bytes in UTF-8): a name, as for
        :func:`cybleu.text.tokenizer`, or a function from a str to its tokens
    :param lowercase: convert raw text to lower case first
    :param choices: options of :class:`cybleu.metrics.Bleu`
    :return: the score, and for each order the counts of n-grams, the clipped counts, the precision and the smoothed
        precision
    :raises NoReferencesError: there is no reference
    :raises UnknownNameError: the metric is not BLEU

    >>> print(explain(["the cat is on the mat".split()], "the the the cat sat".split(), (0.5, 0.5)))
    BLEU-2 = 0.317093   (nltk, from 0 to 1; 31.71 from 0 to 100; smoothing: none)
    <BLANKLINE>
    = is under n-grams that count, ~ under some that are in a reference, but clipped
    hypothesis   "the" "the" "the" "cat" "sat"
    1-grams      ===== ===== ~~~~~ =====
    2-grams                  ===========
    reference    "the" "cat" "is" "on" "the" "mat"
    <BLANKLINE>
    order  n-grams  matched  clipped  precision             smoothed
        1        5        4        3  3/5 = 0.6000
        2        4        1        1  1/4 = 0.2500
    matched: the n-grams of the hypothesis that are in a reference
             in no reference: "sat"
    clipped: the same, but an n-gram counts at most as often as it is in the reference that has it most often
             "the" is 3 times in the hypothesis and counts twice
    <BLANKLINE>
    lengths: the hypothesis has 5 tokens, the reference has 6
    brevity penalty: exp(1 - 6/5) = 0.818731, because 5 is less than 6
    score = 0.818731 * exp(0.5 * log(3/5) + 0.5 * log(1/4))
          = 0.818731 * exp(-0.94856) = 0.317093
    blind spots: 12 (10^1.1) orders of 4 blocks score at least as high: only bigrams without a match are broken
    another one  "the" "the" "sat" "the" "cat"
    replaceable  "sat", by any other word that is in no reference
    """
    weights = weights_given(weights)
    if remark := remark_on_weights(finite_numbers(weights, "weights") or (1,)):
        warnings.warn(remark, UserWarning, stacklevel=2)
    if metric is not None or choices:
        if smoothing_function is not None:
            raise UnknownNameError("smoothing_function is for NLTK's BLEU; for another metric give smoothing=")
        if weights is not QUARTERS:
            choices["weights"] = weights
        spots = None
        found = find(metric, **choices).of_sentences()
        if not isinstance(found, Bleu):
            raise UnknownNameError(f"explain requires BLEU, and the metric is {found.name}; give a variant of BLEU")
        reading = (
            None
            if raw_of(tokenize, lowercase) is None
            else found.with_choices(tokenize=tokenize, lowercase=lowercase).raw("raw text")
        )
        references, hypothesis = token_segment(references, hypothesis, reading)
        with suppress(SmoothingParameterError):
            spots = blind_spots(references, hypothesis, found)
        return _by_metric(references, hypothesis, found, spots)
    references, hypothesis = token_segment(references, hypothesis, raw_of(tokenize, lowercase))
    smoothed: Sequence[Any] | None = None

    def smoothing(p_n: Sequence[Fraction], **_: Any) -> Sequence[Any]:
        """Smooth, and keep the result, because smoothing again would repeat the warning."""
        nonlocal smoothed
        counts = [precision.numerator for precision in p_n], [precision.denominator for precision in p_n]
        smoothed = [*smoothed_precisions(smoothing_function, *counts, references, hypothesis, length)]
        return smoothed

    length = len(hypothesis)
    score = sentence_bleu(references, hypothesis, weights, smoothing)
    precisions = [modified_precision(references, hypothesis, n) for n in range(1, len(weights) + 1)]
    closest = closest_ref_length(references, length)
    return _explained(
        *(references, hypothesis, weights, precisions, precisions if smoothed is None else smoothed),
        score=score,
        closest_reference_length=closest,
        brevity_penalty=brevity_penalty(closest, length),
        smoothing=getattr(smoothing_function, "__name__", "none" if smoothing_function is None else "a function"),
        blind_spots=_spots(references, hypothesis, weights, smoothing_function),
    )


def _spots(
    references: Sequence[Tokens], hypothesis: Tokens, weights: Sequence[float], smoothing: SmoothingCallable | None
) -> BlindSpots | None:
    """The blind spots of NLTK's BLEU; None for a smoothing that is not NLTK's, which may read the texts."""
    made_by = getattr(smoothing, "__self__", None)
    monotone = smoothing is None
    if isinstance(made_by, SmoothingFunction):
        monotone = getattr(smoothing, "__name__", "") in MONOTONE and made_by.epsilon <= 1
    elif not monotone:
        return None
    return find_blind_spots(references, hypothesis, len(weights), monotone and min(weights) >= 0)


def _by_metric(references: Sequence[Tokens], hypothesis: Tokens, metric: Bleu, spots: BlindSpots | None) -> Explanation:
    bleu = metric.score(metric.count(hypothesis, references))
    rules = metric.rules()
    definition = Definition(rules)
    scored = definition.smoothed(bleu.matches, bleu.totals, bleu.hypothesis_length)[1]
    left_out = tuple(
        f"{n}-grams are left out, because "
        + ("none matches" if bleu.totals[n - 1] else "the hypothesis is too short to have one")
        for n in range(scored + 1, rules.order + 1)
    )
    weights: Sequence[float] = (rules.weights or (1 / rules.order,) * rules.order)[:scored]
    if scored and any(bleu.precisions):  # without matches the tool computes no mean
        weights = definition.weights_of(scored)
    precisions = [Fraction(matched, max(1, total)) for matched, total in zip(bleu.matches, bleu.totals)][:scored]
    # precisions that smoothing did not change are shown as fractions, not as floats on the tool's scale
    smoothed = [
        given if bleu.score == 0 or math.isclose(now / bleu.scale, given, rel_tol=1e-12) else now / bleu.scale
        for now, given in zip(bleu.precisions, precisions)
    ]
    return _explained(
        *(references, hypothesis, weights, precisions, smoothed),
        score=bleu.score,
        closest_reference_length=bleu.reference_length,
        brevity_penalty=bleu.brevity_penalty,
        smoothing=metric.definition.smoothing(metric.smoothing)[0],
        scale=bleu.scale,
        arithmetic=rules.mean == "arithmetic",
        name=metric.name,
        left_out=left_out,
        reference_length=metric.definition.reference_length,
        penalised=rules.penalty != "none",
        penalty_adds=rules.penalty_adds,
        zeros_left_out=rules.mean == "exact",
        penalty_of_more=rules.penalty == "added-one",
        blind_spots=spots,
    )


def _explained(
    references: Sequence[Tokens],
    hypothesis: Tokens,
    weights: Sequence[float],
    precisions: Sequence[Fraction],
    smoothed: Sequence[Any],
    **others: Any,
) -> Explanation:
    orders = tuple(
        Order(n, weight, _counts(hypothesis, n), _clipped(references, hypothesis, n), precision, now)
        for n, (weight, precision, now) in enumerate(zip(weights, precisions, smoothed), start=1)
    )
    return Explanation(orders=orders, hypothesis=tuple(hypothesis), references=tuple(map(tuple, references)), **others)


def _clipped(references: Collection[Tokens], hypothesis: Tokens, n: int) -> dict[NGram, int]:
    """Count the n-grams of the hypothesis, clipped by their largest count in one reference (Papineni et al. 2002, section 2.1)."""
    in_references = [_counts(reference, n) for reference in references]
    return {
        ngram: min(count, max((counts.get(ngram, 0) for counts in in_references), default=0))
        for ngram, count in _counts(hypothesis, n).items()
    }


def _counts(tokens: Tokens, n: int) -> dict[NGram, int]:
    """Count the n-grams of a text, in the order in which they first occur."""
    items = list(tokens)
    return dict(Counter(zip(*(items[start:] for start in range(n)))))
