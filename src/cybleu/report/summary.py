"""What a page says first: which system is better than which, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .._runtime.arrays import np
from ..significance import SystemComparison, SystemDifference, SystemScore
from ..significance.results import p_value
from .analysis import MetricFigures, Report, in_words


class Verdict(NamedTuple):
    """What one metric says of a system, or of two.

    :ivar title: the metric, and whether lower is better
    :ivar number: the score, or the difference in words
    :ivar scores: the scores of both systems; of a single system None
    :ivar note: the interval, and whether the difference is significant
    """

    title: str
    number: str
    scores: tuple[str, str] | None
    note: str


class Card(NamedTuple):
    """The verdicts of all metrics on the same system or the same two systems, and sentences about the others.

    :ivar names: the better system and the one that it is compared with; or the only system
    """

    names: tuple[str, ...]
    verdicts: list[Verdict]
    sentences: list[tuple[str, str]]


class ScoreCell(NamedTuple):
    """A score in the table of scores.

    :ivar half: half the length of the interval
    :ivar ends: the interval in words
    :ivar rank: None if there is a baseline or a single system
    """

    score: str
    half: str
    ends: str
    is_best: bool
    rank: int | None


def points(value: float | None, width: int = 2, sign: str = "") -> str:
    """Format a score, or a difference with its sign."""
    return "" if value is None or np.isnan(value) else f"{value:{sign}.{width}f}".replace("-", "\u2212")


def _ends(low: float, high: float) -> str:
    return f"{points(low)} to {points(high)}"


def share_of(report: Report) -> str:
    """Return the confidence of the intervals in percent."""
    return f"{100 * report.comparisons[0].settings.confidence:g}\u00a0%"


def cards(report: Report) -> list[Card]:
    """Return a card for each pair of systems that a metric finds worth naming; of a single system one card."""
    found: dict[frozenset[str], list[MetricFigures]] = {}
    for figures in report.metrics:
        # metrics that disagree about which of two systems is better share a card
        found.setdefault(frozenset(_names(figures)), []).append(figures)
    share = share_of(report)
    return [_card(of_names, share, several=len(report.metrics) > 1) for of_names in found.values()]


def _names(figures: MetricFigures) -> tuple[str, ...]:
    """Return the best two systems; or the best one and the baseline; or the only one."""
    names = tuple(system.name for system in figures.comparison.systems[:2])
    return names if figures.comparison.baseline is None else names[::-1]


def _card(of_names: Sequence[MetricFigures], share: str, several: bool) -> Card:
    """Return the card of the metrics that name the same systems.

    :param several: whether the report has several metrics
    """
    names = _names(of_names[0])
    if len(names) == 1:
        verdicts = []
        for figures in of_names:
            cell = _cell(figures, figures.systems[0], is_best=False)
            verdicts.append(Verdict(figures.title, f"{cell.score} {cell.half}", None, f"{share} interval {cell.ends}"))
        return Card(names, verdicts, [])
    said: dict[tuple[str, str], list[str]] = {}  # by the metrics that say the same
    for figures in of_names:
        if len(figures.systems) > 2:
            said.setdefault(_of_others(figures.comparison), []).append(figures.label)
    sentences = []
    for (name, rest), labels in said.items():
        by = f" by {in_words(labels)}" if several else ""
        sentences.append((name, f"{rest}{by}."))
    return Card(names, [_of_two(figures, names, share) for figures in of_names], sentences)


def _of_two(figures: MetricFigures, names: tuple[str, ...], share: str) -> Verdict:
    comparison = figures.comparison
    difference, low, high = figures.improvement(*names)
    is_more = difference < 0 and not figures.metric.higher_is_better
    # the number in words has no sign, so its interval is that of more
    ends = (-high, -low) if is_more else (low, high)
    test = comparison.between(*names)
    p = p_value(test, comparison).removesuffix("*")
    p = p if p.startswith("<") else f"= {p}"  # "p <0.0001" needs no other sign
    found = "significant" if test.significant else "not significant"
    scores = {system.name: points(figures.percent(system.score)) for system in figures.systems}
    return Verdict(
        figures.title,
        _in_words(figures, difference),
        (scores[names[0]], scores[names[1]]),
        f"{found} (p {p}); {share} interval {_ends(*ends)}",
    )


def _in_words(figures: MetricFigures, difference: float) -> str:
    """Say an improvement so that its sign cannot be misread where lower scores are better."""
    if figures.metric.higher_is_better:
        return points(difference, sign="+")
    size = points(abs(difference))
    if figures.metric.name == "ter":
        return f"{size} {'fewer' if difference >= 0 else 'more'} edits in 100 words"
    return f"{size} {'lower' if difference >= 0 else 'higher'}"


def _of_others(comparison: SystemComparison) -> tuple[str, str]:
    """Say how many other systems differ, as the name of a system, if one is named, and the rest of the sentence."""
    best, *others = comparison.systems
    if comparison.baseline is not None:
        count = sum(pair.significant for pair in comparison.differences)
        return "", f"Of the systems vs. the baseline, {count} of {len(others)} differ significantly"
    count = sum(comparison.between(best.name, other.name).significant for other in others)
    beaten = "all" if count == len(others) else f"{count or 'none'} of the {len(others)}"
    return best.name, f"is significantly better than {beaten} other systems"


def score_rows(report: Report) -> list[tuple[str, list[ScoreCell]]]:
    """Return the rows of the table of scores: each system with its score by each metric."""
    rows = []
    for place, system in enumerate(report.metrics[0].systems):
        cells = []
        for figures in report.metrics:
            own = figures.systems[place]
            best = figures.sign * max(figures.sign * other.score for other in figures.systems)
            is_best = own.score == best and len(figures.systems) > 1
            cells.append(_cell(figures, own, is_best=is_best))
        rows.append((system.name, cells))
    return rows


def _cell(figures: MetricFigures, system: SystemScore, is_best: bool) -> ScoreCell:
    low = figures.percent(system.low)
    high = figures.percent(system.high)
    return ScoreCell(
        score=points(figures.percent(system.score)),
        half=f"\u00b1 {points((high - low) / 2)}",
        ends=_ends(low, high),
        is_best=is_best,
        rank=system.rank if len(figures.systems) > 1 else None,
    )


def notes_of_scores(report: Report) -> str:
    """Describe the table of scores."""
    first = report.metrics[0]
    notes = [f"\u00b1 is half the length of the {share_of(report)} interval."]
    if first.differences:
        after = "" if first.comparison.baseline is None else ", after the baseline"
        notes.append(f"The systems are in the order of {first.label}{after}; the best score is bold.")
        if first.comparison.baseline is None:
            notes.append("A rank begins where a system is significantly worse than those of the rank above.")
    notes += [f"Lower {one.label} is better." for one in report.metrics if not one.metric.higher_is_better]
    return " ".join(notes)


def pair_rows(figures: MetricFigures) -> Iterator[tuple[SystemDifference, str, str]]:
    """Yield the tests by a metric, each with the improvement and its interval."""
    for pair in figures.differences:
        difference, low, high = figures.improvement(pair.first, pair.second)
        yield pair, points(difference, sign="+"), _ends(low, high)
