"""A sentence score with all steps of its computation, as text."""

from __future__ import annotations

import fractions
import json
import math
import sys
import warnings
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import combining, east_asian_width

from .._definitions.bleu import Formula, remark_on_weights
from .._definitions.ngrams import count_ngrams, ngrams
from .._runtime.html import html_text
from .._runtime.numbers import finite_numbers
from ..bleu_score.fraction import Fraction
from ..bleu_score.scores import QUARTERS, score_of_precisions, smoothed_precisions, weight_vectors, weights_given
from ..bleu_score.smoothing import SmoothingFunction, method_number
from ..errors import UnknownNameError, WeightsError, _printable
from ..metrics import Bleu, BleuScore, Metric, Variant
from .blind_spots import BlindSpots, find_blind_spots, is_monotone, read_segment

if TYPE_CHECKING:
    from .._definitions.ngrams import NGram
    from ..bleu_score.parts import Tokens
    from ..bleu_score.scores import SmoothingCallable

WIDTH = 100  # columns of text
LABEL = 13  # columns before the tokens
MOST = 5  # n-grams in a sentence
MOST_SHOWN = 10**9  # orders of blocks of which the number is printed in full
MOST_PARTS = 64  # the largest denominator of a weight that is shown as a fraction
PRACTICALLY_0 = 1e-50
COUNTED = "="
CLIPPED = "~"


@dataclass(frozen=True)
class Order:
    """An n-gram order of an explained score.

    :param n: the n-gram order
    :param weight: the weight in the mean of the logarithms
    :param counts: the counts of the n-grams of the hypothesis
    :param clipped: the clipped counts, which are the matches
    :param smoothed: the precision after smoothing

    >>> order = explain(["a", "a"], [["a", "b"]], weights=(1,)).orders[0]
    >>> order.counts, order.clipped, order.precision, order.changed
    ({('a',): 2}, {('a',): 1}, Fraction(1, 2), False)
    """

    n: int
    weight: float
    counts: dict[NGram, int]
    clipped: dict[NGram, int]
    smoothed: Any

    @property
    def precision(self) -> Fraction:
        """Clipped matches / n-grams, as a fraction that is not reduced; 0/1 if there is no n-gram."""
        return Fraction(sum(self.clipped.values()), max(1, sum(self.counts.values())))

    @property
    def fraction(self) -> str:
        """The precision as text, not reduced, such as 4/4 and 0/1."""
        return f"{self.precision.numerator}/{self.precision.denominator}"

    @property
    def changed(self) -> bool:
        """Whether the smoothing changed the precision."""
        return float(self.smoothed) != float(self.precision)


@dataclass(frozen=True)
class Explanation:
    """A sentence score with all steps of its computation, shown by ``print`` and in notebooks.

    An n-gram is *matched* if it is in a reference. Its count is *clipped* to its largest count in any one reference.

    :param bleu: the score and its components; the score equals that of :func:`cybleu.sentence_bleu` or of the metric
    :param variant: the definition of the score
    :param smoothing: the name of the smoothing, or ``none``
    :param orders: an :class:`Order` for each n-gram order in the score, from 1
    :param hypothesis: the tokens of the hypothesis
    :param references: the tokens of each reference
    :param blind_spots: changes of the hypothesis that do not lower the score, see
        :func:`cybleu.explanations.blind_spots`; None if an additional match can lower the score, or the smoothing may
        read the texts

    >>> explanation = explain("the cat".split(), ["the cat sat".split()], weights=(0.5, 0.5))
    >>> explanation.score, explanation.bleu.reference_length, explanation.bleu.brevity_penalty
    (0.6065306597126334, 3, 0.6065306597126334)
    """

    bleu: BleuScore
    variant: Variant
    smoothing: str
    orders: tuple[Order, ...]
    hypothesis: NGram
    references: tuple[NGram, ...]
    blind_spots: BlindSpots | None = None

    @property
    def score(self) -> float:
        """The score, from 0 to the scale of the definition."""
        return self.bleu.score

    def __str__(self) -> str:
        numbers = [*_lengths_and_penalty(self), *_formula(self), *_unseen(self)]
        parts = ([_headline(self)], _picture(self), _table(self), numbers)
        return "\n\n".join(map("\n".join, parts))

    def _repr_html_(self) -> str:
        return html_text(self)


def explain(
    hypothesis: str | bytes | Collection[Hashable],
    references: str | bytes | Collection[Any],
    *,
    weights: Sequence[float] = QUARTERS,
    smoothing_function: SmoothingCallable | None = None,
    metric: str | Metric | Variant | None = None,
    **choices: Any,
) -> Explanation:
    """Explain a score of :func:`cybleu.sentence_bleu`, or of another tool's BLEU, step by step.

    :param hypothesis: one text: raw text (str or UTF-8 bytes), a list of hashable tokens, or an array of token ids
    :param references: one reference of the same kind, or a list of several
    :param weights: a vector of weights of the n-gram orders from 1
    :param smoothing_function: see :func:`cybleu.sentence_bleu`; only for NLTK's BLEU
    :param metric: a definition of BLEU to explain instead of NLTK's, with its own weights and smoothing, in any form
        that :func:`cybleu.metrics.find` accepts. With `choices` other than `tokenize` and `lowercase`, it is sacreBLEU's
    :param choices: options of :class:`cybleu.metrics.Bleu`, such as ``tokenize="13a"`` for raw text, which is split as
        the tool of the metric does it, for NLTK's BLEU at white space
    :return: the score, and for each order the counts of n-grams, the clipped counts, the precision and the smoothed
        precision
    :raises NoReferencesError: there is no reference
    :raises SequenceTypeError: an argument is not a text, or the arguments are swapped
    :raises MixedTokensError: the hypothesis is raw text and a reference is not, or the other way round
    :raises UnknownNameError: the metric is not BLEU; `smoothing_function` is given with a metric or its options; or
        `tokenize` or `lowercase` is given for tokens, or for a metric object, which has its own
    :raises WeightsError: the weights are not finite numbers, one for each n-gram order

    >>> print(explain("the the the cat sat".split(), ["the cat is on the mat".split()], weights=(0.5, 0.5)))
    BLEU-2 = 0.317093   (nltk, from 0 to 1; 31.71 from 0 to 100; smoothing: none)
    <BLANKLINE>
    = matches that count, ~ matches that are clipped
    hypothesis   "the" "the" "the" "cat" "sat"
    1-grams      ===== ===== ~~~~~ =====
    2-grams                  ===========
    reference    "the" "cat" "is" "on" "the" "mat"
    <BLANKLINE>
    order  n-grams  matched  clipped  precision             smoothed
        1        5        4        3  3/5 = 0.6000
        2        4        1        1  1/4 = 0.2500
    in no reference: "sat"
    clipped to the largest count in one reference: "the" from 3 to 2
    <BLANKLINE>
    tokens: 5 in the hypothesis, 6 in the reference
    brevity penalty: exp(1 - 6/5) = 0.818731
    score = 0.818731 * exp(0.5 * log(3/5) + 0.5 * log(1/4))
          = 0.818731 * exp(-0.94855999) = 0.317093
    blind spots: 4 blocks can be put in any of 12 orders without lowering the score, such as
                 "the" "the" "sat" "the" "cat"
    replaceable by any word that is in no reference: "sat"
    """
    weights = weights_given(weights)
    numbers = finite_numbers(weights, "weights")
    remark = remark_on_weights(numbers or (1,))
    if remark:
        warnings.warn(remark, UserWarning, stacklevel=2)
    # NLTK's functions score where nothing else is named, because smoothing can then be any function.
    by_nltk = metric is None and choices.keys() <= {"tokenize", "lowercase"}
    if by_nltk:
        choices["max_order"] = weight_vectors(weights)[1]
        if numbers is None:
            raise WeightsError(f"weights must be finite numbers, one for each n-gram order, not {weights!r}")
    elif smoothing_function is not None:
        raise UnknownNameError("smoothing_function is only for NLTK's BLEU without options; otherwise use smoothing=")
    else:
        metric = "bleu" if metric is None else metric
        if weights is not QUARTERS:
            choices["weights"] = weights
    bleu, tokens, of_references = read_segment(hypothesis, references, metric, **choices)
    if by_nltk:
        scored = _scored_by_nltk(bleu, tokens, of_references, weights, smoothing_function)
    else:
        scored = _scored_by_metric(bleu, tokens, of_references)
    orders = [
        _order(n, weight, smoothed, tokens, of_references)
        for n, (weight, smoothed) in enumerate(zip(scored.weights, scored.smoothed), start=1)
    ]
    spots = None
    if scored.monotone is not None:
        spots = find_blind_spots(tokens, of_references, len(scored.bleu.totals), scored.monotone)
    return Explanation(
        bleu=scored.bleu,
        variant=bleu.definition,
        smoothing=scored.smoothing,
        orders=tuple(orders),
        hypothesis=tuple(tokens),
        references=tuple(map(tuple, of_references)),
        blind_spots=spots,
    )


class _ScoredSegment(NamedTuple):
    """The score of a segment, and what it is made of.

    :ivar weights: of each order in the score
    :ivar smoothed: the precisions of these orders, from 0 to 1
    :ivar monotone: whether no match can lower the score; None if the smoothing may read the texts, and then give each order
        of the blocks another score
    """

    bleu: BleuScore
    smoothing: str
    weights: Sequence[float]
    smoothed: Sequence[Any]
    monotone: bool | None


def _scored_by_nltk(
    metric: Bleu,
    hypothesis: Tokens,
    references: Sequence[Tokens],
    weights: Sequence[float],
    function: SmoothingCallable | None,
) -> _ScoredSegment:
    row = metric.count(hypothesis, references)
    order = len(weights)
    smoothed = list(smoothed_precisions(function, row, row[2 + order :], references, hypothesis))
    score: Any = score_of_precisions(smoothed, row, [weights], auto_reweigh=False)
    precisions = tuple(map(float, smoothed))
    bleu = replace(metric.score(row), score=score, signature="variant:nltk", precisions=precisions)
    name = "none" if function is None else getattr(function, "__name__", "a function")
    method: Any = function or SmoothingFunction().method0
    number = method_number(method)
    monotone = None
    if number is not None and number <= 4:  # the other methods read the texts
        monotone = number <= 3 and 0 < method.__self__.epsilon <= 1 and min(weights) >= 0
    return _ScoredSegment(bleu, name, weights, smoothed, monotone)


def _scored_by_metric(metric: Bleu, hypothesis: Tokens, references: Sequence[Tokens]) -> _ScoredSegment:
    bleu = metric.score(metric.count(hypothesis, references))
    rules = metric.rules()
    formula = Formula(rules)
    count = formula.smoothed(bleu.matches, bleu.totals, bleu.hypothesis_length)[1]
    weights: Sequence[float] = (rules.weights or (1 / rules.order,) * rules.order)[:count]
    if count and any(bleu.precisions):  # without matches the tool computes no mean
        weights = formula.weights_of(count)
    smoothed = [precision / bleu.scale for precision in bleu.precisions]
    if bleu.score == 0:
        smoothed = [matched / max(1, total) for matched, total in zip(bleu.matches, bleu.totals)]
    name = metric.definition.smoothing(metric.smoothing).name
    return _ScoredSegment(bleu, name, weights, smoothed, is_monotone(rules, len(hypothesis)))


def _order(n: int, weight: float, smoothed: Any, hypothesis: Tokens, references: Sequence[Tokens]) -> Order:
    counts = count_ngrams(list(hypothesis), n)
    most: Counter[NGram] = Counter()  # in any one reference
    for reference in references:
        most |= count_ngrams(list(reference), n)
    clipped = {ngram: min(count, most[ngram]) for ngram, count in counts.items()}
    order = Order(n, weight, dict(counts), clipped, smoothed)
    # a precision that smoothing did not change is shown as a fraction, not as a float on the tool's scale
    same = math.isclose(smoothed, order.precision, rel_tol=1e-12)
    return replace(order, smoothed=order.precision) if same else order


# ------------------------------------------------------------------------------------------------------- marks as text


def marks(explanation: Explanation, order: Order) -> list[str]:
    """Mark where n-grams match. If an n-gram is clipped, its first occurrences count.

    :return: for each token of the hypothesis its mark, and that between it and the next: COUNTED, CLIPPED or a blank
    """
    cells = [" "] * (2 * len(explanation.hypothesis))
    left = Counter(order.clipped)
    for start, ngram in enumerate(ngrams(explanation.hypothesis, order.n)):
        if order.clipped.get(ngram):
            mark = COUNTED if left[ngram] > 0 else CLIPPED
            left[ngram] -= 1
            for place in range(2 * start, 2 * (start + order.n) - 1):
                # a token of two n-grams counts if it does in one of them
                cells[place] = COUNTED if COUNTED in (mark, cells[place]) else mark
    return cells


def _picture(explanation: Explanation) -> Iterator[str]:
    """Format the hypothesis with a line of marks under it for each order, and the references."""
    marks_of = {f"{order.n}-grams": marks(explanation, order) for order in explanation.orders}
    yield f"{COUNTED} matches that count, {CLIPPED} matches that are clipped"
    yield from _wrapped("hypothesis", explanation.hypothesis, marks_of)
    several = len(explanation.references) > 1
    for number, reference in enumerate(explanation.references, start=1):
        yield from _wrapped(f"reference {number}" if several else "reference", reference, {})


def _wrapped(name: str, tokens: Iterable[Hashable], marks_of: Mapping[str, list[str]]) -> Iterator[str]:
    """Format tokens in lines, each with the lines of their marks under it.

    :param marks_of: what :func:`marks` returns, by the label of its line
    """
    words = list(map(quoted, tokens))
    widths = list(map(_columns_of_terminal, words))
    lines: list[list[int]] = [[]]
    used = LABEL
    for place, width in enumerate(widths):
        if used + width >= WIDTH and lines[-1]:
            lines.append([])
            used = LABEL
        lines[-1].append(place)
        used += width + 1
    for line in lines:
        yield f"{name:<{LABEL}}{' '.join(words[place] for place in line)}".rstrip()
        for label, cells in marks_of.items():
            under = "".join(cells[2 * place] * widths[place] + cells[2 * place + 1] for place in line)
            yield f"{label:<{LABEL}}{under}".rstrip()


def _columns_of_terminal(text: str) -> int:
    if text.isascii():
        return len(text)
    shown = [character for character in text if not combining(character)]
    return len(shown) + sum(east_asian_width(character) in "WF" for character in shown)


def quoted(token: Hashable) -> str:
    """Quote a token, and escape control characters."""
    text = json.dumps(str(token), ensure_ascii=False) if isinstance(token, str) else repr(token)
    return _printable(text, sys.maxsize).replace("\n", "\\n")


def _quoted_words(ngram: NGram) -> str:
    return " ".join(map(quoted, ngram))


def _first_of(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


# ------------------------------------------------------------------------------------------------- numbers as sentences


def _headline(explanation: Explanation) -> str:
    scale = explanation.bleu.scale
    percent = "" if scale == 100 else f"; {explanation.bleu.percent:.2f} from 0 to 100"
    return (
        f"BLEU-{len(explanation.bleu.totals)} = {explanation.score:.6g}   "
        f"({explanation.variant.name}, from 0 to {scale:g}{percent}; smoothing: {explanation.smoothing})"
    )


def _table(explanation: Explanation) -> Iterator[str]:
    """Format a row for each order, and name the n-grams of this text that make the columns differ."""
    line = "{:>5}  {:>7}  {:>7}  {:>7}  {:<20}  {}".format
    yield line("order", "n-grams", "matched", "clipped", "precision", "smoothed")
    unmatched: list[str] = []  # tokens
    clipped: list[str] = []
    for order in explanation.orders:
        matched = 0
        for ngram, count in order.counts.items():
            most = order.clipped[ngram]
            if most:
                matched += count
            elif order.n == 1:
                unmatched.append(_quoted_words(ngram))
            if 0 < most < count:
                clipped.append(f"{_quoted_words(ngram)} from {count} to {most}")
        total = sum(order.counts.values())
        precision = f"{order.fraction} = {float(order.precision):.4f}"
        smoothed = f"{float(order.smoothed):.4g}" if order.changed else ""
        yield line(order.n, total, matched, order.precision.numerator, precision, smoothed).rstrip()
    if unmatched:
        yield f"in no reference: {_first_of(unmatched)}"
    if clipped:
        yield f"clipped to the largest count in one reference: {_first_of(clipped)}"
    for n, total in enumerate(explanation.bleu.totals, start=1):
        if n > len(explanation.orders):
            yield f"{n}-grams are left out: {'none matches' if total else 'the hypothesis is too short'}"


def _lengths_and_penalty(explanation: Explanation) -> Iterator[str]:
    bleu = explanation.bleu
    variant = explanation.variant
    lengths = ", ".join(str(len(reference)) for reference in explanation.references)
    which = f"; {variant.reference_length}: {bleu.reference_length}" if len(explanation.references) > 1 else ""
    added = f" + {variant.penalty_adds:g}" if variant.penalty_adds else ""
    yield f"tokens: {bleu.hypothesis_length} in the hypothesis, {lengths} in the reference{which}{added}"
    wanted = bleu.reference_length + variant.penalty_adds
    formula = ""
    if variant.penalty != "none" and 0 < bleu.hypothesis_length < wanted:
        more = int(variant.penalty == "added-one")
        formula = f"exp(1 - {wanted + more:g}/{bleu.hypothesis_length + more}) = "
    yield f"brevity penalty: {formula}{bleu.brevity_penalty:.6g}"


def _formula(explanation: Explanation) -> Iterator[str]:
    bleu = explanation.bleu
    score = explanation.score
    if 0 in bleu.matches and score < PRACTICALLY_0 and (bleu.brevity_penalty or not explanation.hypothesis):
        unmatched = bleu.matches.index(0) + 1
        cause = f"no {unmatched}-gram matches" if explanation.hypothesis else "the hypothesis is empty"
        yield f"score = {score:.6g}, because {cause}"
        return
    arithmetic = explanation.variant.mean == "arithmetic"
    terms = []
    values = []
    for order in explanation.orders:
        if not (order.smoothed > 0 or arithmetic):
            continue
        precision = f"{float(order.smoothed):.6g}" if order.changed else order.fraction
        terms.append(f"{_factor(float(order.weight))} * {precision if arithmetic else f'log({precision})'}")
        values.append(float(order.weight) * (float(order.smoothed) if arithmetic else math.log(order.smoothed)))
    mean = "" if arithmetic else "exp"
    scale = "" if bleu.scale == 1 else f"{bleu.scale:g} * "
    begin = f"{scale}{bleu.brevity_penalty:.6g} * {mean}"
    yield f"score = {begin}({' + '.join(terms) or '0'})"
    yield f"      = {begin}({math.fsum(values):.8g}) = {score:.6g}"


def _unseen(explanation: Explanation) -> Iterator[str]:
    """Say which changes of the hypothesis do not lower the score."""
    spots = explanation.blind_spots
    if spots is None:
        return
    if spots.count > 1:
        number = str(spots.count) if spots.count < MOST_SHOWN else f"10^{math.log10(spots.count):.1f}"
        blocks = len(spots.blocks)
        yield f"blind spots: {blocks} blocks can be put in any of {number} orders without lowering the score, such as"
        other = next(islice(spots.texts(), 1, None))
        yield from _wrapped("", other, {})
    replaceable = dict.fromkeys(quoted(explanation.hypothesis[place]) for place in spots.replaceable)
    if replaceable:
        yield f"replaceable by any word that is in no reference: {_first_of(list(replaceable))}"


def _factor(weight: float) -> str:
    """Format a weight so that the formula gives the score: 1/3 as a fraction, because it has no short decimal."""
    ratio = fractions.Fraction(weight).limit_denominator(MOST_PARTS)
    return f"{weight:.12g}" if float(f"{weight:.6g}") == weight or float(ratio) != weight else str(ratio)
