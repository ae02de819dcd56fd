"""What a page says first: which system is better than which, and by how much."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._runtime.arrays import np
from ..significance import SystemComparison, SystemDifference, SystemScore
from ..significance.results import p_value
from .analysis import MetricFigures, Report, in_words


def points(value: float | None, width: int = 2, sign: str = "") -> str:
    """Format a score, or a difference with its sign."""
    return "" if value is None or np.isnan(value) else f"{value:{sign}.{width}f}".replace("-", "\u2212")


def _ends(low: float, high: float) -> str:
    return f"{points(low)} to {points(high)}"


def share_of(report: Report) -> str:
    """Return the confidence of the intervals in percent."""
    return f"{100 * report.comparisons[0].settings.confidence:g}\u00a0%"


def cards(report: Report) -> list[dict[str, Any]]:
    """Return a card for each pair of systems that a metric finds worth naming; of a single system one card.

    A card has the `names` of the better system and the one that it is compared with, or of the only one; the `verdicts` of
    all metrics on them, see :func:`_verdict`; and `sentences` about the others.
    """
    found: dict[frozenset[str], list[MetricFigures]] = {}
    for figures in report.metrics:
        # metrics that disagree about which of two systems is better share a card
        found.setdefault(frozenset(_names(figures)), []).append(figures)
    shown = []
    for of_names in found.values():
        names = _names(of_names[0])  # in the order of the first metric, whose winner is named first
        said: dict[tuple[str, str], list[str]] = {}  # by the metrics that say the same
        for figures in of_names:
            if len(figures.systems) > 2:
                said.setdefault(_of_others(figures.comparison), []).append(figures.label)
        sentences = []
        for (name, rest), labels in said.items():
            by = f" by {in_words(labels)}" if len(report.metrics) > 1 else ""
            sentences.append((name, f"{rest}{by}."))
        verdicts = [_verdict(figures, names, share_of(report)) for figures in of_names]
        shown.append({"names": names, "verdicts": verdicts, "sentences": sentences})
    return shown


def _names(figures: MetricFigures) -> tuple[str, ...]:
    """Return the best two systems; or the best one and the baseline; or the only one."""
    names = tuple(system.name for system in figures.comparison.systems[:2])
    return names if figures.comparison.baseline is None else names[::-1]


def _verdict(figures: MetricFigures, names: tuple[str, ...], share: str) -> dict[str, Any]:
    """Return what a metric says of a system, or of two.

    :return: the `title`; the score as a `number`, or the difference in words; the `scores` of both systems, or None; and as
        a `note` the interval, and whether the difference is significant
    """
    if len(names) == 1:
        cell = _cell(figures, figures.systems[0], is_best=False)
        number = f"{cell['score']} {cell['half']}"
        return {"title": figures.title, "number": number, "scores": None, "note": f"{share} interval {cell['ends']}"}
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
    return {
        "title": figures.title,
        "number": _in_words(figures, difference),
        "scores": [scores[name] for name in names],
        "note": f"{found} (p {p}); {share} interval {_ends(*ends)}",
    }


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


def score_rows(report: Report) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the rows of the table of scores: each system with its score by each metric, see :func:`_cell`."""
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


def _cell(figures: MetricFigures, system: SystemScore, is_best: bool) -> dict[str, Any]:
    """Return a `score`, `half` the length of its interval, its `ends`, whether it `is_best`, and its `rank` if there is one."""
    low = figures.percent(system.low)
    high = figures.percent(system.high)
    return {
        "score": points(figures.percent(system.score)),
        "half": f"\u00b1 {points((high - low) / 2)}",
        "ends": _ends(low, high),
        "is_best": is_best,
        "rank": system.rank if len(figures.systems) > 1 else None,
    }


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
