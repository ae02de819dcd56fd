"""A report by several metrics: each has the figures that it has alone, in its own direction."""

import json
import re

import numpy as np
import pytest

import cybleu
from cybleu.errors import UnknownNameError
from cybleu.metrics import Bleu, Chrf, find
from cybleu.report import analyse, html, plot_buckets, plot_differences, plot_scores
from cybleu.significance import Settings, compare_systems, format_comparisons
from report_pages import Page, check_policy, numbers_on
from reports import FEW, NAMES, REFERENCES, SYSTEMS, changed

METRICS = ["sacrebleu", "chrf", "ter"]


@pytest.fixture(scope="module")
def report():
    return analyse(SYSTEMS, REFERENCES, METRICS, **FEW)


@pytest.mark.parametrize(
    "weights", [{"bleu": 0.5, "gleu": 0.5}, {"nltk:method1": 1, "coco": 2}, {"bleu": 3, "chrf": 1}]
)
def test_mixtures(no_pictures, weights):
    report = analyse(SYSTEMS, REFERENCES, [weights, "ter"], **FEW)
    mixture = find(weights)
    rows = {name: mixture.rows(SYSTEMS[name], REFERENCES) for name in NAMES}
    assert report.metrics[0].systems == compare_systems(rows, mixture, **FEW).systems
    for name, scores in zip(report.metrics[0].names, report.metrics[0].sentence_scores):
        assert scores == pytest.approx(100 * mixture.of_sentences().scores(rows[name]))
    assert "tok:" not in report.comparisons[0].signature and html(report)


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("baseline", [None, "two"])
def test_each_comparison_is_that_of_the_metric_alone(lowercase, baseline):
    names = ["ter", "multi-bleu", "sacrebleu", "gleu", "nist", "chrf++", "mteval-v13a"]
    report = analyse(SYSTEMS, REFERENCES, names, lowercase=lowercase, baseline=baseline, **FEW)
    for name, figures, comparison in zip(names, report.metrics, report.comparisons, strict=True):
        metric = find(name, lowercase=lowercase) if find(name).reads == "text" else find(name)
        if metric.weighs_by_call:
            metric = metric.with_weights_of(REFERENCES)
        rows = {system: cybleu.rows(SYSTEMS[system], REFERENCES, name, lowercase=lowercase) for system in NAMES}
        alone = compare_systems(rows, metric, baseline=baseline, **FEW)
        assert (comparison.systems, comparison.differences) == (alone.systems, alone.differences)
        assert comparison.signature.startswith(alone.signature + "|nrefs:2|") and figures.comparison is comparison
        for pair in figures.looked_at:
            assert figures.influence(*pair).tolist() == (100 / metric.scale * alone.influence(*pair)).tolist()
        for output, scores in zip(figures.names, figures.sentence_scores):
            sentences = metric.of_sentences()
            expected = [100 / metric.scale * sentences.score(row.tolist()).score for row in rows[output]]
            assert scores.tolist() == pytest.approx(expected, rel=1e-12)
            assert figures.rows[output].tolist() == rows[output].tolist()
    assert report.bleu.metric.name == "multi-bleu"  # the first BLEU
    labels = ["TER", "multi-bleu", "sacrebleu", "GLEU", "NIST", "chrF++", "mteval-v13a"]
    assert [figures.label for figures in report.metrics] == labels


def test_systems_and_pairs_have_one_order():
    systems = {"short": ["the cat", "it"] * 10, "long": ["the cat sat on a mat and so on", "it rains a lot today"] * 10}
    references = [["the cat sat on the mat"], ["it rains a lot"]] * 10
    report = analyse(systems, references, ["sacrebleu", "ter", "chrf"], **FEW)
    ter = report.metrics[1]
    for figures in report.metrics:
        assert [system.name for system in figures.systems] == ["long", "short"]
        assert figures.looked_at == (("long", "short"),) and figures.names == ("long", "short")
        (pair,) = figures.differences
        (first, second) = figures.systems
        assert (pair.first, pair.second, pair.difference) == ("long", "short", first.score - second.score)
        better = (first.score > second.score) == figures.metric.higher_is_better
        assert (pair.wins > pair.losses) == better
        assert figures.comparison.systems[0].name == ("long" if better else "short")
    assert ter.metric.higher_is_better is False


def test_a_function_is_called_once_for_each_line():
    seen = []

    def split(line):
        seen.append(line)
        return line.split()

    report = analyse(SYSTEMS, REFERENCES, ["sacrebleu", "gleu", "nltk", "ter"], tokenize=split, **FEW)
    assert len(report.comparisons) == 4
    lines = {line for group in [*REFERENCES, *SYSTEMS.values()] for line in group}
    assert sorted(seen) == sorted(lines)


def test_metrics_have_their_own_tokenisers():
    report = analyse(SYSTEMS, REFERENCES, [Bleu(tokenize="char", lowercase=True), Chrf(lowercase=True)], **FEW)
    given = [find("sacrebleu", tokenize="char", lowercase=True), Chrf(lowercase=True)]
    for figures, metric in zip(report.metrics, given, strict=True):
        assert figures.rows["one"].tolist() == metric.rows(SYSTEMS["one"], REFERENCES).tolist()
    assert "|case:lc|tok:char|" in report.bleu.comparison.signature


def test_options_are_for_each_bleu_or_one_metric():
    report = analyse(SYSTEMS, REFERENCES, ["ter", "sacrebleu", "multi-bleu"], max_order=2, **FEW)
    limited = [Bleu(name, max_order=2) for name in ("sacrebleu", "multi-bleu")]
    assert [figures.metric for figures in report.metrics[1:]] == limited
    assert analyse(SYSTEMS, REFERENCES, "chrf", word_order=2, **FEW).metrics[0].metric == Chrf(word_order=2)


def test_one_system(no_pictures):
    report = analyse({"one": SYSTEMS["one"]}, REFERENCES, METRICS, **FEW)
    assert [found.differences for found in report.comparisons] == [(), (), ()]
    assert [figures.looked_at for figures in report.metrics] == [(), (), ()]
    shown = [line.split() for line in str(report).splitlines() if line.startswith("rank")]
    assert [titles[:3] for titles in shown] == [["rank", "system", name] for name in ("BLEU", "chrF", "TER")]
    page = html(report, segments=3)
    found = Page(page)
    # the worst segment by each metric
    carried = [number - 1 for number in numbers_on(page)]
    for figures in report.metrics:
        scores = figures.sentence_scores[0]
        assert (scores.min() if figures.metric.higher_is_better else scores.max()) in scores[carried]
    assert found.text_of("p", **{"class": "metric"}) == ["BLEU", "chrF", "TER (lower is better)"]
    for figures, text in zip(report.metrics, found.text_of("p", **{"class": "big"})):
        (system,) = figures.systems
        assert text.startswith(f"{100 / figures.metric.scale * system.score:.2f} \u00b1 ")


@pytest.mark.parametrize("metric", ["chrf", "ter", "gleu"])
def test_any_metric_alone(no_pictures, metric):
    report = analyse(SYSTEMS, REFERENCES, metric, **FEW)
    page = html(report)
    assert report.bleu is None and report.pairs[0].contributions is None and "Components of" not in page
    with_bleu = analyse(SYSTEMS, REFERENCES, [metric, "sacrebleu"], **FEW)
    assert {line.name: line for line in report.precisions} == {line.name: line for line in with_bleu.precisions}


@pytest.fixture
def page(report, no_pictures):
    return html(report)


@pytest.fixture
def found(page):
    return Page(page)


@pytest.mark.long
@pytest.mark.parametrize("systems", [SYSTEMS, {"one": SYSTEMS["one"]}], ids=["three systems", "one system"])
def test_the_page_lets_nothing_else_run_or_load(jinja2, systems):
    check_policy(html(analyse(systems, REFERENCES, METRICS, **FEW)))


def signed(number):
    return f"{number:+.2f}".replace("-", "\u2212")


def test_the_page_has_the_score_of_each_system(report, found):
    titles = [attributes["title"] for attributes in found.of("small") if "title" in attributes]
    for figures in report.metrics:
        times = 100 / figures.metric.scale
        for system in figures.comparison.systems:
            half = times * (system.high - system.low) / 2
            assert f"{times * system.score:.2f} \u00b1 {half:.2f} rank {system.rank}" in found.text_of("td")
            assert f"95\u00a0% interval {times * system.low:.2f} to {times * system.high:.2f}" in titles


def test_the_page_has_each_difference_as_an_improvement(report, found):
    cells = found.text_of("td")
    for figures in report.metrics:
        times = (1 if figures.metric.higher_is_better else -1) * 100 / figures.metric.scale
        for pair in figures.differences:
            low, high = sorted((times * pair.low, times * pair.high))
            assert signed(times * pair.difference) in cells and f"{pair.wins:,}" in cells
            assert f"{low:.2f} to {high:.2f}".replace("-", "\u2212") in cells


def test_the_page_has_the_influence_of_each_segment(report, page):
    order = [number - 1 for number in numbers_on(page)]
    units = json.loads(re.search(r'id="values">(.*?)</script>', page)[1])
    for figures, of_metric in zip(report.metrics, units, strict=True):
        sign = 1 if figures.metric.higher_is_better else -1
        expected = [sign * figures.influence(*pair)[order] for pair in report.looked_at]
        assert of_metric == [np.rint(1e4 * gains).astype(int).tolist() for gains in expected]


def test_the_page_has_signatures_and_tables_to_copy(report, found):
    tables = [format_comparisons(report.comparisons, form).rstrip("\n") + "\n" for form in ("latex", "markdown", "csv")]
    assert {*tables, *(comparison.signature for comparison in report.comparisons)} <= {*found.text_of("code")}


def test_the_page_is_whole(page, found):
    assert "BLEU, chrF and TER of one, two and three" in found.text_of("title")
    assert not re.search(r"{[{%]|None|Undefined", re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL))
    identifiers = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len({*identifiers}) == len(identifiers)


def test_a_segment_shows_its_score_by_each_metric(report, no_pictures):
    details = re.findall(r"<details class=s .*?</details>", html(report), re.DOTALL)
    assert len(details) == len(REFERENCES)
    for one in details:
        segment = int(re.search(r"class=no>(\d+)", one)[1]) - 1
        heads = re.findall(r"<dt>((?:<bdi>\w+</bdi>(?:, )?)+) <b>(.*?)</b>", one)
        assert sum(head.count("<bdi>") for head, _ in heads) == len(NAMES)
        for head, scores in heads:
            for name in re.findall(r"<bdi>(\w+)</bdi>", head):
                place = report.names.index(name)
                expected = [f"{f.label} {f.sentence_scores[place, segment]:.1f}" for f in report.metrics]
                assert scores == " \u00b7 ".join(expected)


def test_improvements_are_positive(no_pictures):
    systems = {"good": changed([text for text, _ in REFERENCES], 5, 1), "bad": SYSTEMS["three"]}
    report = analyse(systems, REFERENCES, ["sacrebleu", "ter"], **FEW)
    page = html(report)
    found = Page(page)
    bleu, ter = found.text_of("p", **{"class": "big"})
    assert bleu[0] == "+" and re.fullmatch(r"\d+\.\d\d fewer edits in 100 words", ter)
    assert found.text_of("p", **{"class": "pair"}) == ["good vs. bad"]
    lists = re.findall(r"<h4>In favour of <bdi>(\w+)</bdi> by (\w+)</h4>(.*?)</ol>", page, re.DOTALL)
    assert [found[:2] for found in lists] == [("good", "BLEU"), ("bad", "BLEU"), ("good", "TER"), ("bad", "TER")]
    assert {sign for *_, text in lists for sign in re.findall(r'<span class="n">(.)', text)} == {"+"}


def test_what_is_worse_than_the_baseline_is_negative(no_pictures):
    systems = {"good": changed([text for text, _ in REFERENCES], 5, 1), "bad": SYSTEMS["three"]}
    worse = Page(html(analyse(systems, REFERENCES, ["sacrebleu", "ter"], baseline="good", **FEW)))
    bleu, ter = worse.text_of("p", **{"class": "big"})
    assert bleu[0] == "\u2212" and "more edits" in ter
    more = float(ter.partition(" ")[0])
    least, most = map(float, re.findall(r"interval (\S+) to (\S+)", worse.text_of("p", **{"class": "note"})[1])[0])
    assert 0 < least <= more <= most


def test_one_card_for_two_systems_of_which_each_is_better_by_a_metric(no_pictures):
    texts = {"short": "a b c d e", "long": "a b c d e f g h x x x x", "wrong": "x"}
    systems = {name: [text] * 20 for name, text in texts.items()}
    found = Page(html(analyse(systems, ["a b c d e f g h"] * 20, METRICS, **FEW)))
    assert found.text_of("p", **{"class": "pair"}) == ["long vs. short"]
    assert found.text_of("p", **{"class": "big"})[2] == "12.50 more edits in 100 words"


def test_the_title_names_four_systems_and_counts_the_others(no_pictures):
    many = {f"system {number}": ["a b", "c"] for number in range(7)}
    page = html(analyse(many, ["a b", "c d"], METRICS, **FEW))
    title = "BLEU, chrF and TER of system 0, system 1, system 2, system 3 and 3 others"
    assert Page(page).text_of("title") == [title]
    assert page.count("of each pair; * is at most 0.05") == 3


def test_the_deviations_of_several_runs_are_shown(no_pictures):
    runs = {"both": [SYSTEMS["one"], SYSTEMS["two"]], "three": SYSTEMS["three"]}
    report = analyse(runs, REFERENCES, METRICS, **FEW)
    page = html(report)
    table = page[page.index('aria-label="Deviations of the runs"') :].partition("</table>")[0]
    expected = []
    for figures in report.metrics:
        for system in figures.systems:
            s_sel, s_opt = (
                None if one is None else 100 / figures.metric.scale * one for one in (system.s_sel, system.s_opt)
            )
            expected += [figures.label, f"{s_sel:.2f}", "" if s_opt is None else f"{s_opt:.2f}"]
    assert Page(table).text_of("td") == expected and len(expected) == 18 and "both, run 2" in page


def test_plots_of_each_metric(report, matplotlib):
    ter = report.metrics[2]
    assert plot_scores(ter).get_xlabel() == "TER (lower is better)"
    assert plot_differences(ter).get_xlabel() == "improvement in TER"
    drawn = [list(line.get_xdata()) for line in plot_differences(ter).get_lines()]
    for pair in ter.differences:
        assert [-pair.difference] in drawn and [-pair.high, -pair.low] in drawn
    assert plot_buckets(ter, by="score").get_xlabel() == "TER of the segment"
    axes = plot_buckets(ter)
    assert axes.get_ylabel() == "TER (lower is better)"
    scores = ter.buckets("length").scores
    for line, expected in zip(axes.get_lines(), scores, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), expected)
    with pytest.raises(UnknownNameError, match="recall of words is a figure of the report, not of a metric"):
        plot_buckets(ter, by="recall")


def test_scores_above_100_have_a_group():
    above = analyse(
        {"it": ["b c d", "a b"]}, [["a"], ["a b"]], ["sacrebleu", "ter"], settings=Settings(resamples=9)
    ).metrics[1]
    assert above.sentence_scores.max() == 300 and above.buckets("score").labels[-1] == "90 and more"
