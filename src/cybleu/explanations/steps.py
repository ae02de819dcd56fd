"""A sentence score with all steps of its computation, as text."""

from __future__ import annotations

import fractions
import html
import json
import math
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import combining, east_asian_width

from .._mirror import Definition
from .._runtime.numbers import finite_numbers, remark_on_weights
from .._runtime.scales import counted
from ..bleu_score import brevity_penalty, closest_ref_length, modified_precision, sentence_bleu
from ..bleu_score.fraction import Fraction
from ..bleu_score.scores import QUARTERS, smoothed_precisions, weights_given
from ..bleu_score.smoothing import SmoothingFunction
from ..errors import SmoothingParameterError, UnknownNameError, _printable
from ..metrics import VARIANTS, Bleu, BleuScore, Variant
from ..text.raw import raw_of
from .blind_spots import BlindSpots, blind_spots, find_blind_spots
from .reading import bleu_of_sentences, token_segment

if TYPE_CHECKING:
    from .._mirror.counting.segments import NGram
    from ..bleu_score.parts import Tokens
    from ..bleu_score.scores import SmoothingCallable
    from ..metrics import Metric

__all__ = ["Explanation", "Order", "explain"]

MONOTONE = ("method0", "method1", "method2", "method3")  # smoothing by which no match lowers the score
WIDTH = 100  # columns of text
MOST = 5  # n-grams in a sentence
MOST_SHOWN = 10**9  # orders of blocks of which the number is printed in full
MOST_PARTS = 64  # the largest denominator of a weight that is shown as a fraction
COUNTED, CLIPPED = "=", "~"


@dataclass(frozen=True)
class Order:
    """An n-gram order of an explained score.

    :param n: the n-gram order
    :param weight: the weight in the mean of the logarithms
    :param counts: the counts of the n-grams of the hypothesis
    :param clipped: the clipped counts, which are the matches
    :param precision: clipped matches / n-grams, as a fraction that is not reduced; 0/1 if there is no n-gram
    :param smoothed: the precision after smoothing

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
        """Whether the smoothing changed the precision."""
        return float(self.smoothed) != float(self.precision)


@dataclass(frozen=True)
class Explanation:
    """A sentence score with all steps of its computation; ``print`` shows it, and so does a notebook.

    An n-gram is *matched* if it is in a reference. Its count is *clipped* to the largest count that it has in one reference.

    :param bleu: the score and its components; the score is equal to that of :func:`cybleu.sentence_bleu` or of the metric
    :param variant: the definition of the score
    :param smoothing: the name of the smoothing, or ``none``
    :param orders: an :class:`Order` for each n-gram order in the score, from 1
    :param hypothesis: the tokens of the hypothesis
    :param references: the tokens of each reference
    :param left_out: for each order that is not in the score, a sentence with the reason
    :param blind_spots: changes of the hypothesis that do not lower the score, see :func:`cybleu.explanations.blind_spots`; None if
        one more match can lower it

    >>> explanation = explain(["the cat sat".split()], "the cat".split(), (0.5, 0.5))
    >>> explanation.score, explanation.closest_reference_length, explanation.brevity_penalty
    (0.6065306597126334, 3, 0.6065306597126334)
    """

    bleu: BleuScore
    variant: Variant
    smoothing: str
    orders: tuple[Order, ...]
    hypothesis: NGram
    references: tuple[NGram, ...]
    left_out: tuple[str, ...] = ()
    blind_spots: BlindSpots | None = None

    @property
    def score(self) -> Any:
        """The score, from 0 to the scale of the definition."""
        return self.bleu.score

    @property
    def brevity_penalty(self) -> float:
        """The brevity penalty."""
        return self.bleu.brevity_penalty

    @property
    def closest_reference_length(self) -> int:
        """The reference length in the brevity penalty, in tokens; some tools do not use the closest."""
        return self.bleu.reference_length

    def __str__(self) -> str:
        texts = [
            line
            for number, reference in enumerate(self.references, start=1)
            for line in _wrapped(f"reference {number}" if len(self.references) > 1 else "reference", reference)
        ]
        table = [
            f"{n:>5}  {total:>7}  {found:>7}  {credited:>7}  {precision:<20}  {smoothed}".rstrip()
            for n, total, found, credited, precision, smoothed in (HEADS, *map(_cells, self.orders))
        ]
        parts = [*_marked(self), *texts], [*table, *_remarks(self)], [*_lengths(self), *_formula(self), *_unseen(self)]
        return "\n\n".join([_headline(self), *map("\n".join, parts)])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


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
    if metric is None and not choices:
        references, hypothesis = token_segment(references, hypothesis, raw_of(tokenize, lowercase))
        return _by_nltk(references, hypothesis, weights, smoothing_function)
    if smoothing_function is not None:
        raise UnknownNameError("smoothing_function is for NLTK's BLEU; for another metric give smoothing=")
    if weights is not QUARTERS:
        choices["weights"] = weights
    bleu, raw = bleu_of_sentences("explain", metric, tokenize, lowercase, choices)
    references, hypothesis = token_segment(references, hypothesis, raw)
    return _by_metric(references, hypothesis, bleu)


def _by_nltk(
    references: Sequence[Tokens], hypothesis: Tokens, weights: Sequence[float], function: SmoothingCallable | None
) -> Explanation:
    smoothed: Sequence[Any] | None = None

    def smoothing(p_n: Sequence[Fraction], **_: Any) -> Sequence[Any]:
        """Smooth, and keep the result, because smoothing again would repeat the warning."""
        nonlocal smoothed
        counts = [precision.numerator for precision in p_n], [precision.denominator for precision in p_n]
        smoothed = [*smoothed_precisions(function, *counts, references, hypothesis, length)]
        return smoothed

    length = len(hypothesis)
    score = sentence_bleu(references, hypothesis, weights, smoothing)
    precisions = [modified_precision(references, hypothesis, n) for n in range(1, len(weights) + 1)]
    if smoothed is None:
        smoothed = precisions
    closest = closest_ref_length(references, length)
    bleu = BleuScore(
        score=score,
        scale=1,
        signature="variant:nltk",
        precisions=tuple(map(float, smoothed)),
        brevity_penalty=brevity_penalty(closest, length),
        hypothesis_length=length,
        reference_length=closest,
        matches=tuple(precision.numerator for precision in precisions),
        totals=tuple(precision.denominator for precision in precisions),
    )
    made_by, name = getattr(function, "__self__", None), getattr(function, "__name__", "a function")
    spots = None  # a smoothing that is not NLTK's may read the texts
    if function is None or isinstance(made_by, SmoothingFunction):
        monotone = function is None or (name in MONOTONE and made_by.epsilon <= 1)  # type: ignore[union-attr]
        spots = find_blind_spots(references, hypothesis, len(weights), monotone and min(weights) >= 0)
    return Explanation(
        bleu=bleu,
        variant=VARIANTS["nltk"],
        smoothing="none" if function is None else name,
        orders=_orders(references, hypothesis, weights, precisions, smoothed),
        hypothesis=tuple(hypothesis),
        references=tuple(map(tuple, references)),
        blind_spots=spots,
    )


def _by_metric(references: Sequence[Tokens], hypothesis: Tokens, metric: Bleu) -> Explanation:
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
    spots = None
    with suppress(SmoothingParameterError):
        spots = blind_spots(references, hypothesis, metric)
    return Explanation(
        bleu=bleu,
        variant=metric.definition,
        smoothing=metric.definition.smoothing(metric.smoothing)[0],
        orders=_orders(references, hypothesis, weights, precisions, smoothed),
        hypothesis=tuple(hypothesis),
        references=tuple(map(tuple, references)),
        left_out=left_out,
        blind_spots=spots,
    )


def _orders(
    references: Sequence[Tokens],
    hypothesis: Tokens,
    weights: Sequence[float],
    precisions: Sequence[Fraction],
    smoothed: Sequence[Any],
) -> tuple[Order, ...]:
    return tuple(
        Order(n, weight, _counts(hypothesis, n), _clipped(references, hypothesis, n), precision, now)
        for n, (weight, precision, now) in enumerate(zip(weights, precisions, smoothed), start=1)
    )


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


# ------------------------------------------------------------------------------------------------------- marks as text


class Marks(NamedTuple):
    """The tokens of the hypothesis that the n-grams of an order cover."""

    tokens: list[str]  # the mark of each token: COUNTED, CLIPPED or a blank
    joints: list[str]  # the mark between each token and the next


def marks(explanation: Explanation, order: Order) -> Marks:
    """Mark where n-grams match. If an n-gram is clipped, its first occurrences count."""
    length = len(explanation.hypothesis)
    tokens, joints = [" "] * length, [" "] * length
    left = dict(order.clipped)
    for start in range(length - order.n + 1):
        ngram = explanation.hypothesis[start : start + order.n]
        if not order.clipped[ngram]:
            continue
        mark = COUNTED if left[ngram] else CLIPPED
        left[ngram] -= left[ngram] > 0
        for covered, stop in ((tokens, start + order.n), (joints, start + order.n - 1)):
            for place in range(start, stop):
                covered[place] = COUNTED if COUNTED in (mark, covered[place]) else mark
    return Marks(tokens, joints)


def _marked(explanation: Explanation) -> Iterator[str]:
    """Format the hypothesis with a line of marks under it for each order."""
    covers = [(f"{order.n}-grams", marks(explanation, order)) for order in explanation.orders]
    if any(CLIPPED in (*cover.tokens, *cover.joints) for _, cover in covers):
        yield f"{COUNTED} is under n-grams that count, {CLIPPED} under some that are in a reference, but clipped"
    else:
        yield f"{COUNTED} is under the n-grams that match"
    words = [quoted(token) for token in explanation.hypothesis]
    for start, stop in _rows(words):
        yield f"{'hypothesis':<13}{' '.join(words[start:stop])}"
        for name, cover in covers:
            line = "".join(
                cover.tokens[place] * _columns(words[place]) + (cover.joints[place] if place + 1 < stop else "")
                for place in range(start, stop)
            )
            yield f"{name:<13}{line}".rstrip()


def _wrapped(name: str, tokens: Collection[Hashable]) -> Iterator[str]:
    words = [quoted(token) for token in tokens]
    for start, stop in _rows(words):
        yield f"{name:<13}{' '.join(words[start:stop])}".rstrip()
        name = ""


def _rows(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Return where lines begin and end; a single empty line if there are no words."""
    start = used = 0
    for place, word in enumerate(words):
        used += _columns(word) + 1
        if used > WIDTH - 13 and place > start:
            yield start, place
            start, used = place, _columns(word) + 1
    yield start, len(words)


def _columns(text: str) -> int:
    """Return the width of a text in a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def quoted(token: Hashable) -> str:
    """Quote a token, and escape control characters."""
    text = json.dumps(str(token), ensure_ascii=False) if isinstance(token, str) else repr(token)
    return _printable(text, sys.maxsize).replace("\n", "\\n")


def quoted_ngram(ngram: Iterable[Hashable]) -> str:
    return " ".join(map(quoted, ngram))


def _listed(names: Iterable[str], number: int) -> str:
    return ", ".join(islice(names, MOST)) + (f" and {number - MOST} more" if number > MOST else "")


# ------------------------------------------------------------------------------------------------- numbers as sentences


def _headline(explanation: Explanation) -> str:
    scale, name = explanation.bleu.scale, explanation.variant.name
    percent = "" if scale == 100 else f"; {100 / scale * explanation.score:.2f} from 0 to 100"
    return (
        f"BLEU-{len(explanation.orders) + len(explanation.left_out)} = {explanation.score:.6g}   "
        f"({name}, from 0 to {scale:g}{percent}; smoothing: {explanation.smoothing})"
    )


HEADS = ["order", "n-grams", "matched", "clipped", "precision", "smoothed"]


def _cells(order: Order) -> list[str]:
    """Format the row of an order in the table."""
    return [
        str(order.n),
        str(sum(order.counts.values())),
        str(sum(count for ngram, count in order.counts.items() if order.clipped[ngram])),
        str(order.precision.numerator),
        f"{_as_given(order.precision)} = {float(order.precision):.4f}",
        f"{float(order.smoothed):.4g}" if order.changed else "",
    ]


def _remarks(explanation: Explanation) -> Iterator[str]:
    """Explain the columns of the table with n-grams of this text."""
    yield "matched: the n-grams of the hypothesis that are in a reference"
    if explanation.orders:
        lacking = [ngram for ngram, credit in explanation.orders[0].clipped.items() if not credit]
        if lacking:
            yield f"         in no reference: {_listed(map(quoted_ngram, lacking), len(lacking))}"
    yield "clipped: the same, but an n-gram counts at most as often as it is in the reference that has it most often"
    clipped = [
        f"{quoted_ngram(ngram)} is {_times(count)} in the hypothesis and counts {_times(order.clipped[ngram])}"
        for order in explanation.orders
        for ngram, count in order.counts.items()
        if 0 < order.clipped[ngram] < count
    ]
    yield from (f"         {sentence}" for sentence in clipped[:MOST])
    if len(clipped) > MOST:
        yield f"         and {len(clipped) - MOST} more"
    elif not clipped and explanation.hypothesis:
        yield "         no n-gram is in the hypothesis more often than that, so nothing is clipped"
    yield from explanation.left_out


def _lengths(explanation: Explanation) -> Iterator[str]:
    """Explain lengths and brevity penalty."""
    length, variant = len(explanation.hypothesis), explanation.variant
    wanted: float = explanation.closest_reference_length
    lengths = ", ".join(str(len(reference)) for reference in explanation.references)
    which = {
        "average": "their average",
        "closest-first": "the closest, the first of equals,",
    }.get(variant.reference_length, f"the {variant.reference_length}")
    one = len(explanation.references) == 1
    yield (
        f"lengths: the hypothesis has {counted(length, 'token')}, "
        + (f"the reference has {lengths}" if one else f"the references have {lengths}; {which} is {wanted}")
    )
    if variant.penalty_adds:
        wanted = wanted + variant.penalty_adds
        yield f"the tool adds {variant.penalty_adds:g} to the reference length"
    penalty = f"brevity penalty: {explanation.brevity_penalty:.6g}"
    if variant.penalty == "none":
        yield "brevity penalty: none, so 1"
    elif not length:
        yield f"{penalty}, because the hypothesis is empty"
    elif length < wanted:
        more = variant.penalty == "added-one"
        yield (
            f"brevity penalty: exp(1 - {wanted + more:g}/{length + more}) = {explanation.brevity_penalty:.6g}, because {length} "
            f"is less than {wanted:g}{'; 1 is added to both' if more else ''}"
        )
    else:
        yield f"{penalty}, because {length} is not less than {wanted:g}"


def _formula(explanation: Explanation) -> Iterator[str]:
    score, variant = explanation.score, explanation.variant
    if score == 0 and not any(order.precision.numerator for order in explanation.orders):
        what = "no word of the hypothesis is in a reference" if explanation.hypothesis else "the hypothesis is empty"
        yield f"score = 0, because {what}"
        return
    tiny = [order for order in explanation.orders if order.weight > 0 and 0 < order.smoothed <= sys.float_info.min]
    if tiny and 0 < score < 1e-50:
        yield f"no {tiny[0].n}-gram matches, so the score is practically 0"
        yield (
            f"score = {score:.6g}: {variant.name} takes {float(tiny[0].smoothed):.2g} for a precision of 0; "
            "a smoothing such as method1 gives a number that says more"
        )
        return
    factor = "" if explanation.bleu.scale == 1 else f"{explanation.bleu.scale:g} * "
    factor += f"{explanation.brevity_penalty:.6g} * "
    terms, total, arithmetic = [], [], variant.mean == "arithmetic"
    for order in explanation.orders:
        precision = f"{float(order.smoothed):.6g}" if order.changed else _as_given(order.precision)
        weight = _factor(float(order.weight))
        if arithmetic:
            terms.append(f"{weight} * {precision}")
            total.append(float(order.weight) * float(order.smoothed))
        elif order.smoothed > 0:
            terms.append(f"{weight} * log({precision})")
            total.append(float(order.weight) * math.log(order.smoothed))
        elif order.weight and variant.mean != "exact":
            yield f"score = 0, because no {order.n}-gram matches, and the mean is geometric"
            return
    if score == 0 and explanation.brevity_penalty > 0 and terms and math.fsum(total) > -700:
        yield f"score = 0, because {variant.name} gives 0 where an order has no match"
        return
    yield f"score = {factor}{'' if arithmetic else 'exp'}({' + '.join(terms) or '0'})"
    value = f"{math.fsum(total):.6g}" if arithmetic else f"exp({round(math.fsum(total), 6):.12g})"
    yield f"      = {factor}{value} = {score:.6g}"


def _unseen(explanation: Explanation) -> Iterator[str]:
    """Say which changes of the hypothesis do not lower the score."""
    spots = explanation.blind_spots
    if spots is None:
        return
    if spots.count > 1:
        power = f"10^{math.log10(spots.count):.1f}"
        number = f"{spots.count} ({power})" if spots.count < MOST_SHOWN else power
        yield (
            f"blind spots: {number} orders of {len(spots.blocks)} blocks score at least as high: only bigrams without a match are "
            "broken"
        )
        yield from _wrapped("another one", next(islice(spots.texts(), 1, None)))
    words = dict.fromkeys(explanation.hypothesis[place] for place in spots.replaceable)
    if words:
        yield f"replaceable  {_listed(map(quoted, words), len(words))}, by any other word that is in no reference"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _factor(weight: float) -> str:
    """Format a weight so that the formula gives the score: 1/3 as a fraction, because it has no short decimal."""
    ratio = fractions.Fraction(weight).limit_denominator(MOST_PARTS)
    return f"{weight:.12g}" if float(f"{weight:.6g}") == weight or float(ratio) != weight else str(ratio)


def _as_given(precision: Fraction) -> str:
    """Format a fraction without reducing it, such as 4/4 and 0/1."""
    return f"{precision.numerator}/{precision.denominator}"
