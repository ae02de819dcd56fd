"""Render the page of a report from a template that escapes all text, and say in words what it shows first."""

from __future__ import annotations

import json
import platform
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import groupby, islice
from os import PathLike, fspath
from typing import Any, TypeAlias

from .._files.writing import check_paths, writing
from .._runtime.arrays import Array, Integers, np
from .._runtime.extras import extra
from .._runtime.numbers import check_whole
from .._version import __version__
from ..errors import SampleError
from ..significance import SystemComparison, format_comparisons
from ..significance.results import MOST_PAIRS, notes_of_tests, p_value
from . import plots
from .analysis import MetricFigures, Report, analyse, in_words
from .texts import CLIPPED, short, visible

MOST_SEGMENTS = 5000  # that a page carries by default
NAMED = 10  # segments with the largest influence that are listed for each system of a pair
LONGEST_NAME = 24  # characters of a name that is not broken into lines
SHORT = 80  # the largest number of characters of a text in a table
UNITS = 1e4  # the script sorts by integers, in these fractions of a point
DIFFERS = 2 * CLIPPED  # added to the mark of a token that the rival lacks
# The elements of tokens by their marks, without classes, because a page has a hundred thousand of them: part of a match of one
# to four tokens, the same of clipped tokens, and all of these of tokens that the rival lacks.
TAGS = [("", ""), *((f"<{name}>", f"</{name}>") for name in ("u", "i", "b", "em"))]
TAGS += [(f"<s>{opening}", f"{closing}</s>") for opening, closing in TAGS]
TAGS += [(f"<mark>{opening}", f"{closing}</mark>") for opening, closing in TAGS]

ScoreRows: TypeAlias = list[tuple[str, list[dict[str, Any]]]]  # the name of each system, and a cell for each metric

needs_jinja2 = partial(extra, "jinja2", "the report requires Jinja2", "cybleu[report]")


def check_report(path: str | PathLike[str]) -> None:
    """Check that a report can be rendered and written, before it is computed.

    :param path: the file to write
    :raises InputFileError: the file cannot be written
    :raises MissingExtraError: Jinja2 or Matplotlib is not installed

    >>> check_report("no such folder/report.html")
    Traceback (most recent call last):
    cybleu.errors.InputFileError: no such folder/report.html: cannot be written: ...
    """
    check_paths([fspath(path)])
    with needs_jinja2():
        import jinja2  # noqa: F401
    plots.matplotlib_or_error()


def write(
    path: str | PathLike[str],
    systems: Mapping[str, Any],
    references: Any,
    metric: Any = None,
    *,
    segments: int | None = MOST_SEGMENTS,
    **choices: Any,
) -> Report:
    """Write a comparison report: a self-contained HTML page that shows how systems differ.

    The other parameters are those of :func:`cybleu.report.analyse`.

    :param path: the file to write. If there is an error, an existing file is not changed
    :param systems: the name of each system with its list of texts, or with a list of such lists, one for each run
    :param references: raw text: for each segment a list of references, or a str if there is only one
    :param segments: see :func:`html`
    :param choices: other arguments of :func:`cybleu.report.analyse`
    :return: the report that the page shows
    :raises InputFileError: the file cannot be written
    :raises MissingExtraError: Jinja2 or Matplotlib is not installed
    :raises CybleuError: for the same reasons as :func:`cybleu.report.analyse`

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "report.html"
    >>> references = [["the cat sat on the mat"], ["it rains a lot in May"]]
    >>> report = write(path, {"mine": ["the cat sat on a mat", "it rains a lot in May"]}, references)
    >>> report.format().splitlines()[1]
    '   1  mine     77.82  53.73 to 100.00'
    >>> path.read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    check_report(path)
    report = analyse(systems, references, metric, **choices)
    save_page(report, path, segments=segments)
    return report


def save_page(report: Report, path: str | PathLike[str], *, segments: int | None = MOST_SEGMENTS) -> None:
    """Write the HTML page of a report that is already computed.

    :param report: a report of :func:`cybleu.report.analyse`
    :param path: the file to write. If there is an error, an existing file is not changed
    :param segments: see :func:`html`
    :raises InputFileError: the file cannot be written
    :raises MissingExtraError: Jinja2 or Matplotlib is not installed

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "report.html"
    >>> report = analyse({"mine": ["the cat sat on a mat", "it rains"]}, [["the cat sat on the mat"], ["it rains"]])
    >>> save_page(report, path)
    >>> path.read_text(encoding="utf-8") == html(report)
    True
    """
    with writing(fspath(path)) as file:
        file.write(html(report, segments=segments))


@cache
def _template() -> Any:
    """Compile the template once, with the style, the script and their digests."""
    with needs_jinja2():
        import jinja2
    source = files(__package__)
    parts = {kind: source.joinpath(f"page.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js")}
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"points": points, "p": p_value, "visible": visible}
    environment.filters["short"] = lambda text: short(visible(text), SHORT)
    environment.filters["whole"] = lambda count: f"{count:,.0f}" if float(count).is_integer() else f"{count:,.1f}"
    environment.globals |= {
        "longest_name": LONGEST_NAME,
        "most_pairs": MOST_PAIRS,
        "notes_of_tests": notes_of_tests,
        "parts": parts,
        "digests": {kind: b64encode(sha256(text.encode()).digest()).decode() for kind, text in parts.items()},
    }
    return environment.from_string(parts["html"])


def html(report: Report, *, segments: int | None = MOST_SEGMENTS) -> str:
    """Render a report as an HTML page.

    With the same versions of the packages, the same texts give the same page.

    :param report: a report of :func:`cybleu.report.analyse`
    :param segments: the maximum number of segments to list, at least 1; None lists all. If there are more, the page
        lists those with the largest influence in favour of each system of each pair; for a single system, it lists
        those with the worst scores. All figures use all segments
    :raises SampleError: `segments` is not a whole number from 1
    :raises MissingExtraError: Jinja2 or Matplotlib is not installed

    >>> report = analyse({"mine": ["the cat sat on a mat", "it rains"]}, [["the cat sat on the mat"], ["it rains"]])
    >>> html(report)[:15]
    '<!doctype html>'
    """
    if segments is not None:
        check_whole(segments, "segments", 1, error=SampleError)
    template = _template()
    first = report.metrics[0]
    ngrams = report._ngrams  # before anything else is kept: finding n-grams takes the most memory
    share = f"{100 * report.comparisons[0].settings.confidence:g}\u00a0%"
    # of one system's equal scores the longest segment comes first
    ties = np.zeros(report.segments) if first.looked_at else -first._lengths["length"][first.names[0]]
    ranked = []
    # for each pair by each metric, the segments in favour of the first system, and those in favour of the second one
    favoured: dict[MetricFigures, list[list[tuple[int, float]]]] = {}
    for figures in report.metrics:
        favoured[figures] = []
        for gains in figures.gains:
            for side in (gains, -gains) if first.looked_at else (gains,):
                order = np.lexsort((ties, -side))
                ranked.append(order)
                listed = [(segment, side[segment]) for segment in order[:NAMED].tolist() if side[segment] > 0]
                favoured[figures].append(listed)
    carried = _carried(first, ranked, segments)
    tables = {}
    if first.looked_at:  # one system has nothing to be compared with in a paper
        for form in ("LaTeX", "Markdown", "CSV"):
            tables[form] = format_comparisons(report.comparisons, form.lower()).rstrip("\n") + "\n"
    rows = score_rows(report)
    page = template.render(
        report=report,
        texts=report._texts,
        lowercase=report._tokens.lowercase,
        cards=cards(report, rows, share),
        score_rows=rows,
        notes_of_scores=notes_of_scores(report, share),
        lower_is_better=[place for place, one in enumerate(report.metrics) if one.sign < 0],
        percent=share,
        versions={"cybleu": __version__, "NumPy": np.__version__, "Python": platform.python_version()},
        tables=tables,
        pictures=_pictures(report),
        found_ngrams=ngrams,
        favoured=favoured,
        segments=_shown_segments(report, ngrams.marks, carried),
        carried=len(carried),
        values=json.dumps([np.rint(UNITS * one.gains[:, carried]).astype(int).tolist() for one in report.metrics]),
    )
    return str(page)


def _carried(first: MetricFigures, ranked: list[Integers], most: int | None) -> list[int]:
    """Choose the segments of the page by their best rank in any order, and sort them."""
    order = np.argsort(-np.abs(first.gains).max(axis=0), kind="stable") if first.looked_at else ranked[0]
    if most is not None:
        # a segment that is listed above has to be on the page, even if more are listed than it carries otherwise
        rank = np.min([np.argsort(one) for one in ranked], axis=0)
        listed = int((rank < NAMED).sum()) if first.looked_at else 0
        order = order[np.isin(order, np.argsort(rank, kind="stable")[: max(most, listed)])]
    numbers: list[int] = order.tolist()
    return numbers


def _pictures(report: Report) -> dict[str, str]:
    """Draw all plots, and return the address of each."""
    drawn: dict[str, Callable[..., Any]] = {"precisions": partial(plots.plot_precisions, report)}
    for by in plots.BUCKETS:
        drawn[by] = partial(plots.plot_buckets, report, by=by)
    if any(report.contributions(*pair) for pair in report.looked_at):
        drawn["contributions"] = partial(plots.plot_contributions, report)
    for number, figures in enumerate(report.metrics):
        drawn[f"scores{number}"] = partial(plots.plot_scores, figures)
        if figures.looked_at:
            drawn[f"differences{number}"] = partial(plots.plot_differences, figures)
    address = "data:image/svg+xml;base64,"
    return {name: f"{address}{b64encode(svg).decode()}" for name, svg in plots.pictures(drawn).items()}


def _shown_segments(report: Report, marks: Array, carried: list[int]) -> Iterator[dict[str, Any]]:
    """Yield what the page shows of each segment. Outputs with the same text are one entry; the pair of systems on whose
    difference the segment has the largest influence comes first."""
    from markupsafe import Markup

    texts = report._texts
    tokens = report._tokens
    first = report.metrics[0]
    words = []  # the tokens by their ids as HTML, of which none has a blank or is empty
    for token in tokens.vocabulary:
        word = re.sub(r"\s", "\u2423", str(token)) or "\u2205"
        words.append(escape(visible(word), quote=False))
    spans = {}  # of each output, where its tokens are in the segments
    for place, name in enumerate(texts.outputs):
        text = tokens.firsts[carried] + place
        spans[name] = [slice(*ends) for ends in zip(tokens.bounds[text].tolist(), tokens.bounds[text + 1].tolist())]
    shown = {name: Markup("<bdi>{}</bdi>").format(visible(name)) for name in report.names}
    largest = np.argmax(np.abs(first.gains), axis=0).tolist()
    scores = {figures.label: figures.sentence_scores[:, carried].tolist() for figures in report.metrics}
    for row, segment in enumerate(carried):
        gain = first.gains[largest[segment], segment]
        pair = None
        rivals: dict[str, list[int]] = {}  # of the outputs of the pair, the tokens of the other system's first run
        if first.looked_at:
            pair = first.looked_at[largest[segment]][:: 1 if gain >= 0 else -1]
            for own, other in (pair, pair[::-1]):
                of_rival = tokens.ids[spans[texts.runs[other][0]][row]].tolist()
                rivals |= dict.fromkeys(texts.runs[own], of_rival)
        alike: dict[str, list[str]] = {}
        for name in sorted(report.names, key=lambda name: name not in rivals):
            alike.setdefault(texts.outputs[name][segment], []).append(name)
        outputs = []
        for names in alike.values():
            name = names[0]
            span = spans[name][row]
            line = _marked(tokens.ids[span].tolist(), marks[span].tolist(), rivals.get(name), words)
            place = report.names.index(name)
            own_scores = [f"{label} {table[place][row]:.1f}" for label, table in scores.items()]
            title = Markup(", ").join(shown[name] for name in names)
            outputs.append((title, " \u00b7 ".join(own_scores), Markup(line)))
        yield {
            "number": segment + 1,
            "value": f"{abs(gain):.{3 if pair else 1}f}",
            "pair": pair,
            "references": texts.references[segment],
            "source": texts.source and texts.source[segment],
            "outputs": outputs,
        }


def _marked(tokens: list[int], states: list[int], rival: list[int] | None, words: list[str]) -> str:
    """Render tokens as HTML, with an element for neighbours that have the same mark, and for those that the rival lacks."""
    if rival is not None:
        left = Counter(rival)  # each token of the rival excuses one of the same tokens here
        for place, token in enumerate(tokens):
            if left[token] > 0:
                left[token] -= 1
            else:
                states[place] += DIFFERS
    parts = []
    shown = map(words.__getitem__, tokens)
    for state, group in groupby(states):
        opening, closing = TAGS[state]
        parts.append(f"{opening}{' '.join(islice(shown, len(list(group))))}{closing}")
    return " ".join(parts)


# ------------------------------------------------------------------ what a page says first: which system is better, and by how much


def points(value: float | None, width: int = 2, sign: str = "") -> str:
    """Format a score, or a difference with its sign."""
    return "" if value is None or np.isnan(value) else f"{value:{sign}.{width}f}".replace("-", "\u2212")


def cards(report: Report, rows: ScoreRows, share: str) -> list[dict[str, Any]]:
    """Return a card for each pair of systems that a metric finds worth naming; of a single system one card.

    A card has the `names` of the better system and the one that it is compared with, or of the only one; the `verdicts` of
    all metrics on them, see :func:`_verdict`; and `sentences` about the others.

    :param rows: see :func:`score_rows`
    :param share: the confidence of the intervals in percent
    """
    if len(rows) == 1:
        [(name, cells)] = rows
        verdicts = []
        for figures, cell in zip(report.metrics, cells):
            note = f"{share} interval {cell['ends']}"
            number = f"{cell['score']} {cell['half']}"
            verdicts.append({"title": figures.title, "number": number, "scores": None, "note": note})
        return [{"names": [name], "verdicts": verdicts, "sentences": []}]
    found: dict[frozenset[str], tuple[tuple[str, ...], list[MetricFigures]]] = {}
    for figures in report.metrics:
        names = tuple(system.name for system in figures.comparison.systems[:2])
        if figures.comparison.baseline is not None:
            names = names[::-1]  # the best one, and then the baseline
        # metrics that disagree about which of two systems is better share a card, on which the winner by the first is first
        found.setdefault(frozenset(names), (names, []))[1].append(figures)
    shown = []
    for names, of_names in found.values():
        said: dict[tuple[str, str], list[str]] = {}  # by the metrics that say the same
        for figures in of_names:
            if len(figures.systems) > 2:
                said.setdefault(_of_others(figures.comparison), []).append(figures.label)
        sentences = []
        for (name, rest), labels in said.items():
            by = f" by {in_words(labels)}" if len(report.metrics) > 1 else ""
            sentences.append((name, f"{rest}{by}."))
        verdicts = [_verdict(figures, names, share) for figures in of_names]
        shown.append({"names": names, "verdicts": verdicts, "sentences": sentences})
    return shown


def _verdict(figures: MetricFigures, names: tuple[str, ...], share: str) -> dict[str, Any]:
    """Return what a metric says of two systems.

    :return: the `title`; the difference in words as a `number`; the `scores` of both; and as a `note` whether the difference is
        significant, and its interval
    """
    comparison = figures.comparison
    difference, low, high = figures.improvement(*names)
    number = points(difference, sign="+")
    if not figures.metric.higher_is_better:  # in words, because the sign would be misread
        is_less = difference >= 0
        number = f"{points(abs(difference))} {'lower' if is_less else 'higher'}"
        if figures.metric.name == "ter":
            number = f"{points(abs(difference))} {'fewer' if is_less else 'more'} edits in 100 words"
        if not is_less:  # the number has no sign, so its interval is that of more
            low, high = -high, -low
    test = comparison.between(*names)
    p = p_value(test, comparison).removesuffix("*")
    p = p if p.startswith("<") else f"= {p}"  # "p <0.0001" needs no other sign
    found = "significant" if test.significant else "not significant"
    scores = {system.name: points(figures.percent(system.score)) for system in figures.systems}
    return {
        "title": figures.title,
        "number": number,
        "scores": [scores[name] for name in names],
        "note": f"{found} (p {p}); {share} interval {points(low)} to {points(high)}",
    }


def _of_others(comparison: SystemComparison) -> tuple[str, str]:
    """Say how many other systems differ, as the name of a system, if one is named, and the rest of the sentence."""
    best, *others = comparison.systems
    if comparison.baseline is not None:
        count = sum(pair.significant for pair in comparison.differences)
        return "", f"Of the systems vs. the baseline, {count} of {len(others)} differ significantly"
    count = sum(comparison.between(best.name, other.name).significant for other in others)
    beaten = "all" if count == len(others) else f"{count or 'none'} of the {len(others)}"
    return best.name, f"is significantly better than {beaten} other systems"


def score_rows(report: Report) -> ScoreRows:
    """Return the rows of the table of scores: the name of each system, and a cell for each metric.

    A cell has the `score`, `half` the length of its interval, its `ends`, whether it `is_best`, and its `rank` if there is one.
    """
    rows: ScoreRows = [(system.name, []) for system in report.metrics[0].systems]
    several = len(rows) > 1
    for figures in report.metrics:
        best = figures.sign * max(figures.sign * system.score for system in figures.systems)
        for (_, cells), system in zip(rows, figures.systems):
            low = figures.percent(system.low)
            high = figures.percent(system.high)
            cells.append(
                {
                    "score": points(figures.percent(system.score)),
                    "half": f"\u00b1 {points((high - low) / 2)}",
                    "ends": f"{points(low)} to {points(high)}",
                    "is_best": several and system.score == best,
                    "rank": system.rank if several else None,
                }
            )
    return rows


def notes_of_scores(report: Report, share: str) -> str:
    """Describe the table of scores.

    :param share: the confidence of the intervals in percent
    """
    first = report.metrics[0]
    notes = [f"\u00b1 is half the length of the {share} interval."]
    if first.differences:
        after = "" if first.comparison.baseline is None else ", after the baseline"
        notes.append(f"The systems are in the order of {first.label}{after}; the best score is bold.")
        if first.comparison.baseline is None:
            notes.append("A rank begins where a system is significantly worse than those of the rank above.")
    notes += [f"Lower {one.label} is better." for one in report.metrics if not one.metric.higher_is_better]
    return " ".join(notes)
