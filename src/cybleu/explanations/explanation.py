"""A score with its components, formatted as text and as HTML for notebooks."""

from __future__ import annotations

import fractions
import html
import json
import math
import sys
from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import combining, east_asian_width

from .._runtime.scales import counted
from ..errors import _printable
from .blind_spots import BlindSpots

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence

    from .._mirror.counting.segments import NGram
    from ..bleu_score.fraction import Fraction

WIDTH = 100  # columns of text
MOST = 5  # n-grams in a sentence
MOST_SHOWN = 10**9  # orders of blocks of which the number is printed in full
MOST_PARTS = 64  # the largest denominator of a weight that is shown as a fraction
COUNTED, CLIPPED = "=", "~"
MATCHED = "matched: the n-grams of the hypothesis that are in a reference"
CLIPPED_IS = "clipped: the same, but an n-gram counts at most as often as it is in the reference that has it most often"


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
    """A sentence score with all steps of its computation; ``print`` shows it.

    A notebook shows it as a table. An n-gram is *matched* if it is in a reference. Its count is *clipped* to the
    largest count that it has in one reference.

    :param score: equal to :func:`cybleu.sentence_bleu`, or to the score of the metric; from 0 to `scale`
    :param orders: an :class:`Order` for each n-gram order in the score, from 1
    :param hypothesis: the tokens of the hypothesis
    :param references: the tokens of each reference
    :param closest_reference_length: the reference length in the brevity penalty, in tokens; some tools do not use the
        closest
    :param smoothing: the name of the smoothing, or ``none``
    :param scale: the score of a perfect match
    :param arithmetic: whether the score uses the arithmetic mean of the precisions
    :param name: the name of the definition
    :param left_out: for each order that is not in the score, a sentence with the reason
    :param reference_length: the rule of the reference length: ``closest``, ``closest-first``, ``shortest`` or ``average``
    :param penalised: whether the definition has a brevity penalty
    :param penalty_adds: what the brevity penalty adds to the reference length
    :param zeros_left_out: whether an order with the precision 0 is ignored, instead of making the score 0
    :param penalty_of_more: whether the brevity penalty adds 1 to both lengths
    :param blind_spots: changes of the hypothesis that do not lower the score, see :func:`cybleu.explanations.blind_spots`; None if
        one more match can lower it

    >>> explanation = explain(["the cat sat".split()], "the cat".split(), (0.5, 0.5))
    >>> explanation.score, explanation.closest_reference_length, explanation.brevity_penalty
    (0.6065306597126334, 3, 0.6065306597126334)
    """

    score: Any
    orders: tuple[Order, ...]
    hypothesis: NGram
    references: tuple[NGram, ...]
    closest_reference_length: int
    brevity_penalty: float
    smoothing: str
    scale: float = 1
    arithmetic: bool = False
    name: str = "nltk"
    left_out: tuple[str, ...] = ()
    reference_length: str = "closest"
    penalised: bool = True
    penalty_adds: float = 0
    zeros_left_out: bool = True
    penalty_of_more: bool = False
    blind_spots: BlindSpots | None = None

    @property
    def hypothesis_length(self) -> int:
        """The number of tokens in the hypothesis."""
        return len(self.hypothesis)

    @property
    def reference_lengths(self) -> tuple[int, ...]:
        """The number of tokens in each reference."""
        return tuple(map(len, self.references))

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


class Marks(NamedTuple):
    """The tokens of the hypothesis that the n-grams of an order cover."""

    tokens: list[str]  # the mark of each token: COUNTED, CLIPPED or a blank
    joints: list[str]  # the mark between each token and the next


# ------------------------------------------------------------------------------------------------- what there is to say


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
        for place in range(start, start + order.n):
            tokens[place] = COUNTED if COUNTED in (mark, tokens[place]) else mark
        for place in range(start, start + order.n - 1):
            joints[place] = COUNTED if COUNTED in (mark, joints[place]) else mark
    return Marks(tokens, joints)


def matched(order: Order) -> int:
    """Count the n-grams of the hypothesis that are in any reference."""
    return sum(count for ngram, count in order.counts.items() if order.clipped[ngram] > 0)


def headline(explanation: Explanation) -> str:
    percent = "" if explanation.scale == 100 else f"; {100 / explanation.scale * explanation.score:.2f} from 0 to 100"
    return (
        f"BLEU-{len(explanation.orders) + len(explanation.left_out)} = {explanation.score:.6g}   "
        f"({explanation.name}, from 0 to {explanation.scale:g}{percent}; smoothing: {explanation.smoothing})"
    )


def cells(order: Order) -> list[str]:
    """Format the row of an order in the table."""
    return [
        str(order.n),
        str(sum(order.counts.values())),
        str(matched(order)),
        str(order.precision.numerator),
        f"{_as_given(order.precision)} = {float(order.precision):.4f}",
        f"{float(order.smoothed):.4g}" if order.changed else "",
    ]


HEADS = ["order", "n-grams", "matched", "clipped", "precision", "smoothed"]


def remarks(explanation: Explanation) -> Iterator[str]:
    """Explain the columns of the table with n-grams of this text."""
    yield MATCHED
    if explanation.orders:
        first = explanation.orders[0]
        lacking = [ngram for ngram, credit in first.clipped.items() if not credit]
        if lacking:
            yield f"         in no reference: {_listed(map(quoted_ngram, lacking), len(lacking))}"
    yield CLIPPED_IS
    clipped = [
        f"{quoted_ngram(ngram)} is {_times(count)} in the hypothesis and counts {_times(order.clipped[ngram])}"
        for order in explanation.orders
        for ngram, count in order.counts.items()
        if 0 < order.clipped[ngram] < count
    ]
    if clipped:
        yield from (f"         {sentence}" for sentence in clipped[:MOST])
        if len(clipped) > MOST:
            yield f"         and {len(clipped) - MOST} more"
    elif explanation.hypothesis:
        yield "         no n-gram is in the hypothesis more often than that, so nothing is clipped"
    yield from explanation.left_out


def conclusion(explanation: Explanation) -> Iterator[str]:
    """Explain lengths, brevity penalty and score."""
    length = explanation.hypothesis_length
    wanted: float = explanation.closest_reference_length
    lengths = ", ".join(map(str, explanation.reference_lengths))
    which = {
        "average": f"their average is {wanted}",
        "closest-first": f"the closest, the first of equals, is {wanted}",
    }.get(explanation.reference_length, f"the {explanation.reference_length} is {wanted}")
    one = len(explanation.reference_lengths) == 1
    yield (
        f"lengths: the hypothesis has {counted(length, 'token')}, "
        + (f"the reference has {lengths}" if one else f"the references have {lengths}; {which}")
    )
    if explanation.penalty_adds:
        wanted = wanted + explanation.penalty_adds
        yield f"the tool adds {explanation.penalty_adds:g} to the reference length"
    penalty = f"{explanation.brevity_penalty:.6g}"
    if not explanation.penalised:
        yield "brevity penalty: none, so 1"
    elif not length:
        yield f"brevity penalty: {penalty}, because the hypothesis is empty"
    elif explanation.penalty_of_more and length < wanted:
        yield (
            f"brevity penalty: exp(1 - {wanted + 1:g}/{length + 1}) = {penalty}, because {length} is less than {wanted:g}; "
            "1 is added to both"
        )
    elif length < wanted:
        yield f"brevity penalty: exp(1 - {wanted:g}/{length}) = {penalty}, because {length} is less than {wanted:g}"
    else:
        yield f"brevity penalty: {penalty}, because {length} is not less than {wanted:g}"
    yield from _formula(explanation)


def _formula(explanation: Explanation) -> Iterator[str]:
    score = explanation.score
    if score == 0 and not any(order.precision.numerator for order in explanation.orders):
        what = "no word of the hypothesis is in a reference" if explanation.hypothesis else "the hypothesis is empty"
        yield f"score = 0, because {what}"
        return
    tiny = [order for order in explanation.orders if order.weight > 0 and 0 < order.smoothed <= sys.float_info.min]
    if tiny and 0 < score < 1e-50:
        yield f"no {tiny[0].n}-gram matches, so the score is practically 0"
        yield (
            f"score = {score:.6g}: {explanation.name} takes {float(tiny[0].smoothed):.2g} for a precision of 0; "
            "a smoothing such as method1 gives a number that says more"
        )
        return
    factor = "" if explanation.scale == 1 else f"{explanation.scale:g} * "
    factor += f"{explanation.brevity_penalty:.6g} * "
    terms, total = [], []
    for order in explanation.orders:
        precision = f"{float(order.smoothed):.6g}" if order.changed else _as_given(order.precision)
        weight = _factor(float(order.weight))
        if explanation.arithmetic:
            terms.append(f"{weight} * {precision}")
            total.append(float(order.weight) * float(order.smoothed))
        elif order.smoothed > 0:
            terms.append(f"{weight} * log({precision})")
            total.append(float(order.weight) * math.log(order.smoothed))
        elif order.weight and not explanation.zeros_left_out:
            yield f"score = 0, because no {order.n}-gram matches, and the mean is geometric"
            return
    if score == 0 and explanation.brevity_penalty > 0 and terms and math.fsum(total) > -700:
        yield f"score = 0, because {explanation.name} gives 0 where an order has no match"
        return
    inner = " + ".join(terms) or "0"
    name = "" if explanation.arithmetic else "exp"
    yield f"score = {factor}{name}({inner})"
    value = f"{math.fsum(total):.6g}" if explanation.arithmetic else f"exp({round(math.fsum(total), 6):.12g})"
    yield f"      = {factor}{value} = {score:.6g}"


def unseen(explanation: Explanation) -> Iterator[str]:
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


# ---------------------------------------------------------------------------------------------------------------- text


def as_text(explanation: Explanation) -> str:
    lines = [headline(explanation), "", *_marked_text(explanation)]
    lines += [
        line
        for number, reference in enumerate(explanation.references, start=1)
        for line in _wrapped(f"reference {number}" if len(explanation.references) > 1 else "reference", reference)
    ]
    lines.append("")
    for n, total, found, credited, precision, smoothed in (HEADS, *map(cells, explanation.orders)):
        lines.append(f"{n:>5}  {total:>7}  {found:>7}  {credited:>7}  {precision:<20}  {smoothed}".rstrip())
    return "\n".join([*lines, *remarks(explanation), "", *conclusion(explanation), *unseen(explanation)])


def _marked_text(explanation: Explanation) -> Iterator[str]:
    """Format the hypothesis with a line of marks under it for each order."""
    names = [f"{order.n}-grams" for order in explanation.orders]
    covers = [marks(explanation, order) for order in explanation.orders]
    if any(CLIPPED in (*cover.tokens, *cover.joints) for cover in covers):
        yield f"{COUNTED} is under n-grams that count, {CLIPPED} under some that are in a reference, but clipped"
    else:
        yield f"{COUNTED} is under the n-grams that match"
    words = [quoted(token) for token in explanation.hypothesis]
    for start, stop in _rows(words):
        yield f"{'hypothesis':<13}{' '.join(words[start:stop])}"
        for name, cover in zip(names, covers):
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
    shown = [name for _, name in zip(range(MOST), names)]
    return ", ".join(shown) + (f" and {number - MOST} more" if number > MOST else "")


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _factor(weight: float) -> str:
    """Format a weight so that the formula gives the score: 1/3 as a fraction, because it has no short decimal."""
    ratio = fractions.Fraction(weight).limit_denominator(MOST_PARTS)
    return f"{weight:.12g}" if float(f"{weight:.6g}") == weight or float(ratio) != weight else str(ratio)


def _as_given(precision: Fraction) -> str:
    """Format a fraction without reducing it, such as 4/4 and 0/1."""
    return f"{precision.numerator}/{precision.denominator}"


# ---------------------------------------------------------------------------------------------------------------- HTML

COLOURS = {COUNTED: "background:rgba(64,160,96,.45)", CLIPPED: "background:rgba(224,160,32,.45)", " ": ""}
TITLES = {COUNTED: "an n-gram that counts", CLIPPED: "one that is in a reference, but clipped"}


def as_html(explanation: Explanation) -> str:
    """Format an explanation as HTML without scripts or style sheets, with all text escaped."""
    rows = [_row("hypothesis", [(quoted(token), "", 1) for token in explanation.hypothesis])]
    rows += [_row(f"{order.n}-grams", _runs(marks(explanation, order))) for order in explanation.orders]
    texts = [
        f"<div>reference {number}: {html.escape(quoted_ngram(reference))}</div>"
        for number, reference in zip(count(1), explanation.references)
    ]
    table = [f"<tr>{''.join(f'<th>{head}</th>' for head in HEADS)}</tr>"]
    table += [
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells(order))}</tr>" for order in explanation.orders
    ]
    sentences = [
        f'<div style="margin-left:{2 * sentence.startswith(" ")}em">{html.escape(sentence)}</div>'
        for part in (remarks, conclusion, unseen)
        for sentence in part(explanation)
    ]
    legend = "".join(f'<span style="{COLOURS[mark]}">{title}</span> ' for mark, title in TITLES.items())
    return (
        f"<div><div><b>{html.escape(headline(explanation))}</b></div>"
        f'<div style="overflow-x:auto"><table>{"".join(rows)}</table></div><div>{legend}</div>{"".join(texts)}'
        f"<table>{''.join(table)}</table>{''.join(sentences)}</div>"
    )


def _row(name: str, parts: Iterable[tuple[str, str, int]]) -> str:
    """Format a row of the table.

    :param parts: the text, the mark and the number of columns of each cell
    """
    of_parts = "".join(
        f'<td colspan="{columns}" style="{COLOURS.get(mark, "")}" title="{TITLES.get(mark, "")}">{html.escape(text)}</td>'
        for text, mark, columns in parts
    )
    return f"<tr><th>{html.escape(name)}</th>{of_parts}</tr>"


def _runs(cover: Marks) -> list[tuple[str, str, int]]:
    """Merge the tokens that an n-gram, or several overlapping n-grams, cover into a cell."""
    runs: list[tuple[str, str, int]] = []
    for place, mark in enumerate(cover.tokens):
        if place and mark != " " and cover.joints[place - 1] == mark == cover.tokens[place - 1]:
            runs[-1] = ("", mark, runs[-1][2] + 1)
        else:
            runs.append(("", mark, 1))
    return runs
