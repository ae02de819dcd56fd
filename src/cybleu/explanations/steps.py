"""BLEU step by step: the counts of the tutorials, and a score with its reasons.

For reading and teaching. Everything here is plain dicts and fractions, and nothing is fast.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._mirror import segments
from ..bleu_score import brevity_penalty, closest_ref_length, modified_precision, sentence_bleu
from ..bleu_score.fraction import Fraction
from ..bleu_score.parts import checked_order
from ..bleu_score.scores import QUARTERS, smoothed_precisions
from ..errors import UnknownNameError
from ..metrics import Bleu, find
from ..text.raw import raw_of

if TYPE_CHECKING:
    from .._mirror.segments import NGram
    from ..bleu_score.parts import Tokens
    from ..bleu_score.scores import SmoothingCallable
    from ..metrics import Metric, Variant

__all__ = ["Explanation", "Order", "clipped_counts", "explain", "ngram_counts", "ngram_precision"]


def ngram_counts(tokens: Tokens, n: int) -> dict[NGram, int]:
    """The n-grams of a sequence with their counts, in the order in which they first occur.

    :param tokens: a sequence of hashable tokens
    :param n: the n-gram order from 0; an n-gram is the tuple of its n tokens, for single words too
    :return: an empty dict where there are fewer than n tokens
    :raises OrderError: n is negative or not a whole number

    >>> ngram_counts("to be or not to be".split(), 2)
    {('to', 'be'): 2, ('be', 'or'): 1, ('or', 'not'): 1, ('not', 'to'): 1}
    """
    return dict(segments.ngram_counts(tokens, len(tokens), checked_order(n, tokens), "the tokens"))


def clipped_counts(references: Collection[Tokens], hypothesis: Tokens, n: int) -> dict[NGram, int]:
    """The n-grams of the hypothesis, each with the count that it gets credit for.

    That is its count in the hypothesis, or in the reference that has it most often if that is less
    (Papineni et al. 2002, section 2.1).

    :param references: any number of references, each a sequence of hashable tokens; without one all counts are 0
    :param hypothesis: a sequence of hashable tokens
    :param n: the n-gram order from 0
    :return: in the order in which the n-grams first occur
    :raises OrderError: n is negative or not a whole number

    >>> clipped_counts(["the cat is on the mat".split()], "the the the cat and".split(), 1)
    {('the',): 2, ('cat',): 1, ('and',): 0}
    """
    in_references = [ngram_counts(reference, n) for reference in references]
    return {
        ngram: min(count, max((counts.get(ngram, 0) for counts in in_references), default=0))
        for ngram, count in ngram_counts(hypothesis, n).items()
    }


def ngram_precision(references: Collection[Tokens], hypothesis: Tokens, n: int) -> Fraction:
    """The plain precision, before clipping: how many n-grams of the hypothesis are in any reference at all.

    :param references: any number of references, each a sequence of hashable tokens
    :param hypothesis: a sequence of hashable tokens
    :param n: the n-gram order from 0
    :return: the fraction of the two counts, not reduced; 0/1 for a hypothesis shorter than n
    :raises OrderError: n is negative or not a whole number

    >>> ngram_precision(["the cat is on the mat".split()], "the the the the the the the".split(), 1)
    Fraction(7, 7)
    """
    in_references: set[NGram] = set()
    for reference in references:
        in_references.update(ngram_counts(reference, n))
    counts = ngram_counts(hypothesis, n)
    found = sum(count for ngram, count in counts.items() if ngram in in_references)
    return Fraction(found, max(1, sum(counts.values())))


@dataclass(frozen=True)
class Order:
    """One n-gram order of an explained score.

    :param n: the order
    :param weight: in the mean of the logarithms
    :param counts: of the n-grams of the hypothesis
    :param clipped: the counts that they get credit for
    :param precision: clipped / all n-grams, a fraction that is not reduced; 0/1 without an n-gram
    :param smoothed: what the smoothing made of it

    >>> order = explain([["a", "b"]], ["a", "a"], (1,)).orders[0]
    >>> order.counts, order.clipped, order.precision, order.changed
    ({('a',): 2}, {('a',): 1}, Fraction(1, 2), False)
    """

    n: int
    weight: float
    counts: dict[NGram, int]
    clipped: dict[NGram, int]
    precision: Fraction
    smoothed: Any

    @property
    def changed(self) -> bool:
        """Whether smoothing made the precision another number."""
        return float(self.smoothed) != float(self.precision)


@dataclass(frozen=True)
class Explanation:
    """A sentence score with all that it was computed from; ``print`` shows it.

    :param score: equal to that of :func:`cybleu.sentence_bleu`, or of the metric; from 0 to `scale`
    :param orders: one :class:`Order` for each n-gram order from 1
    :param smoothing: the name of the smoothing, ``none`` without one
    :param scale: the score of a perfect match
    :param arithmetic: the mean of the precisions is the arithmetic one

    >>> explanation = explain(["the cat sat".split()], "the cat".split(), (0.5, 0.5))
    >>> explanation.score, explanation.closest_reference_length, explanation.brevity_penalty
    (0.6065306597126334, 3, 0.6065306597126334)
    """

    score: Any
    orders: tuple[Order, ...]
    hypothesis_length: int
    reference_lengths: tuple[int, ...]
    closest_reference_length: int
    brevity_penalty: float
    smoothing: str
    scale: float = 1
    arithmetic: bool = False

    def __str__(self) -> str:
        lengths = ", ".join(map(str, self.reference_lengths))
        lines = [
            f"BLEU-{len(self.orders)} = {self.score:.6g}   (0 to {self.scale:g}, smoothing: {self.smoothing})",
            "",
            "order  n-grams  matched  clipped  precision             smoothed",
        ]
        for order in self.orders:
            total = sum(order.counts.values())
            matched = ngrams_found(order)
            exact = f"{_as_given(order.precision)} = {float(order.precision):.4f}"
            changed = f"{float(order.smoothed):.4g}" if order.changed else ""
            lines.append(
                f"{order.n:>5}  {total:>7}  {matched:>7}  {order.precision.numerator:>7}  {exact:<20}  {changed}".rstrip()
            )
        for order in self.orders[:1]:
            clipped = [
                f"{' '.join(map(str, ngram))} {count} -> {order.clipped[ngram]}"
                for ngram, count in order.counts.items()
                if count != order.clipped[ngram]
            ]
            if clipped:
                lines.append(f"words that count less than they occur: {', '.join(clipped)}")
        comparison = ">" if self.hypothesis_length > self.closest_reference_length else "<="
        penalty = f"{self.brevity_penalty:.6g}"
        if comparison == "<=" and self.hypothesis_length:
            penalty = f"exp(1 - {self.closest_reference_length}/{self.hypothesis_length}) = {penalty}"
        lines += [
            "",
            f"hypothesis length {self.hypothesis_length}, reference lengths {lengths}, "
            f"closest {self.closest_reference_length}",
            f"brevity penalty: {self.hypothesis_length} {comparison} {self.closest_reference_length}, so {penalty}",
            self._formula(),
        ]
        return "\n".join(lines)

    def _formula(self) -> str:
        if self.score == 0 and not any(order.precision.numerator for order in self.orders):
            return "score = 0, because no word of the hypothesis is in a reference"
        factor = "" if self.scale == 1 else f"{self.scale:g} * "
        factor += f"{self.brevity_penalty:.6g} * "
        terms = []
        total = []
        for order in self.orders:
            precision = f"{float(order.smoothed):.4g}" if order.changed else _as_given(order.precision)
            if self.arithmetic:
                terms.append(f"{order.weight:.4g} * {precision}")
                total.append(float(order.weight) * float(order.smoothed))
            elif order.smoothed > 0:
                terms.append(f"{float(order.weight):.4g} * log({precision})")
                total.append(float(order.weight) * math.log(order.smoothed))
            elif order.weight:
                return f"score = 0, because no {order.n}-gram of the hypothesis matches, and the mean is geometric"
        if self.arithmetic:
            return f"score = {factor}({' + '.join(terms)})\n      = {factor}{math.fsum(total):.6g} = {self.score:.6g}"
        return (
            f"score = {factor}exp({' + '.join(terms)})\n      = {factor}exp({math.fsum(total):.6g}) = {self.score:.6g}"
        )


def _as_given(precision: Fraction) -> str:
    """Also 4/4 and 0/1, which `str` shortens."""
    return f"{precision.numerator}/{precision.denominator}"


def ngrams_found(order: Order) -> int:
    """How many n-grams of the hypothesis are in a reference at all."""
    return sum(count for ngram, count in order.counts.items() if order.clipped[ngram] > 0)


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
    """Score one hypothesis as :func:`cybleu.sentence_bleu` does, or by another tool's BLEU, and keep every step.

    :param references: one or more references, each a sequence of hashable tokens
    :param hypothesis: a sequence of hashable tokens
    :param weights: one vector of weights of the n-gram orders from 1
    :param smoothing_function: as for :func:`cybleu.sentence_bleu`
    :param metric: as for :func:`cybleu.metrics.find`: a definition of BLEU to explain in place of NLTK's, with the weights and
        the smoothing that are its own
    :param tokenize: the texts are raw text, str or bytes in UTF-8, and what makes tokens of it: a name that
        :func:`cybleu.text.tokenizer` knows, or a function from a str to its tokens
    :param lowercase: put raw text in lower case first
    :param choices: of :class:`cybleu.metrics.Bleu`
    :return: the score, and for each order the n-gram counts, clipped counts, precision and smoothed precision
    :raises NoReferencesError: there is no reference
    :raises UnknownNameError: the metric is not BLEU

    >>> print(explain(["the cat is on the mat".split()], "the the cat and the mat".split(), (0.5, 0.5)))
    BLEU-2 = 0.516398   (0 to 1, smoothing: none)
    <BLANKLINE>
    order  n-grams  matched  clipped  precision             smoothed
        1        6        5        4  4/6 = 0.6667
        2        5        2        2  2/5 = 0.4000
    words that count less than they occur: the 3 -> 2, and 1 -> 0
    <BLANKLINE>
    hypothesis length 6, reference lengths 6, closest 6
    brevity penalty: 6 <= 6, so exp(1 - 6/6) = 1
    score = 1 * exp(0.5 * log(4/6) + 0.5 * log(2/5))
          = 1 * exp(-0.660878) = 0.516398
    """
    raw = raw_of(tokenize, lowercase)
    if raw is not None:
        references = raw.token_lists(references, "the references")
        hypothesis = raw.tokens(hypothesis, "the hypothesis")
    if metric is not None or choices:
        found = find(metric, **choices).of_sentences()
        if not isinstance(found, Bleu):
            raise UnknownNameError(f"the steps of BLEU can be explained, and the metric is {found.name}")
        return _by_metric(references, hypothesis, found)
    score = sentence_bleu(references, hypothesis, weights, smoothing_function)
    length = len(hypothesis)
    precisions = [modified_precision(references, hypothesis, n) for n in range(1, len(weights) + 1)]
    smoothed: Sequence[Any] = precisions
    if score != 0:
        matches = [precision.numerator for precision in precisions]
        denominators = [precision.denominator for precision in precisions]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # given already, with the score
            smoothed = [*smoothed_precisions(smoothing_function, matches, denominators, references, hypothesis, length)]
    closest = closest_ref_length(references, length)
    return Explanation(
        score=score,
        orders=_orders(references, hypothesis, weights, precisions, smoothed),
        hypothesis_length=length,
        reference_lengths=tuple(len(reference) for reference in references),
        closest_reference_length=closest,
        brevity_penalty=brevity_penalty(closest, length),
        smoothing=getattr(smoothing_function, "__name__", "none" if smoothing_function is None else "a function"),
    )


def _by_metric(references: Sequence[Tokens], hypothesis: Tokens, metric: Bleu) -> Explanation:
    bleu = metric.score(metric.row(references, hypothesis))
    rules = metric.rules()
    count = len(bleu.precisions)
    if rules.effective_order and 0 in bleu.totals:
        count = bleu.totals.index(0)
    weights = rules.weights[:count] if rules.weights else (1 / max(1, count),) * count
    precisions = [Fraction(matched, max(1, total)) for matched, total in zip(bleu.matches, bleu.totals)][:count]
    # where smoothing changed nothing, the fraction says more than its float on the tool's scale
    smoothed = [
        given if bleu.score == 0 or math.isclose(now / bleu.scale, given, rel_tol=1e-12) else now / bleu.scale
        for now, given in zip(bleu.precisions, precisions)
    ]
    return Explanation(
        score=bleu.score,
        orders=_orders(references, hypothesis, weights, precisions, smoothed),
        hypothesis_length=bleu.hypothesis_length,
        reference_lengths=tuple(len(reference) for reference in references),
        closest_reference_length=bleu.reference_length,
        brevity_penalty=bleu.brevity_penalty,
        smoothing=metric.definition.smoothing(metric.smoothing)[0],
        scale=bleu.scale,
        arithmetic=rules.mean == "arithmetic",
    )


def _orders(
    references: Sequence[Tokens],
    hypothesis: Tokens,
    weights: Sequence[float],
    precisions: Sequence[Fraction],
    smoothed: Sequence[Any],
) -> tuple[Order, ...]:
    return tuple(
        Order(n, weight, ngram_counts(hypothesis, n), clipped_counts(references, hypothesis, n), precision, now)
        for n, (weight, precision, now) in enumerate(zip(weights, precisions, smoothed), start=1)
    )
