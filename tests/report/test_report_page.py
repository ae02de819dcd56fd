"""The page of a report: complete, with all texts as text, and nothing else that a browser would run or fetch."""

from __future__ import annotations

import functools
import json
import re
import stat
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from cybleu.errors import InputFileError
from cybleu.report import analyse, html, save_page, write
from cybleu.report.marks import PART, MarkedText, parts_of
from cybleu.report.visible import visible
from report_pages import Page, check_policy, numbers_on
from reports import FEW, HOSTILE, NAMES, REFERENCES, SYSTEMS, analysed

pytestmark = pytest.mark.usefixtures("backend")


@functools.cache
def page_on(backend):
    return html(analysed(backend))


@pytest.fixture
def page(jinja2, backend):
    return page_on(backend)


def hostile_report(**choices):
    lines = HOSTILE
    other = [f"other {line}" for line in lines[:-1]] + ["x"]
    systems = {"<b>one</b>": lines, '_"two"$x$\u202e': other, "</title><script>": [*lines[1:], lines[0]]}
    references = [[line, f"{line} more"] for line in [*lines[2:], *lines[:2]]]
    return (
        analyse(references, systems, title="</title><script>alert(5)</script>", **FEW, **choices),
        systems,
        references,
    )


def test_nothing_is_run_or_fetched(page):
    check_policy(page)


@pytest.mark.long_in_mirror
def test_hostile_texts_are_text(jinja2):
    report, systems, references = hostile_report()
    text = html(report)
    found = check_policy(text)
    assert found.text_of("title")[0] == "</title><script>alert(5)</script>"
    shown = "\n".join(found.text_of("dd"))
    for lines in systems.values():
        for line in lines:
            assert visible(line) in shown
    for line in (line for group in references for line in group):
        assert visible(line) in shown or visible(line) in "\n".join(found.text_of("span"))
    assert "\x00" not in text and "\u202e" not in text and "\x1b" not in text
    text.encode("utf-8")  # no lone surrogate
    for picture in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        ElementTree.fromstring(picture)
    assert "$x$" in text  # a formula would have been drawn otherwise


def test_every_segment_of_every_system_is_there(page):
    found = Page(page)
    details = found.text_of("details", **{"class": "s"})
    assert len(details) == len(REFERENCES)
    numbers = {attributes["id"] for attributes in found.of("dl") if "id" in attributes}
    assert numbers == {f"s{number}" for number in range(1, len(REFERENCES) + 1)}
    by_number = {int(text.split()[0]): text for text in details}
    for number, group in enumerate(REFERENCES, 1):
        for line in (*group, *(lines[number - 1] for lines in SYSTEMS.values())):
            assert line in by_number[number]
        for name in NAMES:
            assert name in by_number[number]


def test_segments_are_marked_by_the_script_after_the_first_ones(jinja2, monkeypatch):
    monkeypatch.setattr("cybleu.report.page.MARKED", 5)
    report = analyse(REFERENCES, SYSTEMS, **FEW)
    text = html(report)
    details = re.findall(r'<details class="s">.*?</details>', text, re.DOTALL)
    assert ["data-m" in one for one in details[:5]] == [False] * 5 and "<u class=" in details[0]
    for one in details[5:]:
        for output in re.findall(r'<dd dir="auto" data-m="([^"]*)">([^<]*)', one):
            assert "".join(part for _, part in parts_of(output[1].rstrip("\n"), output[0])) == output[1].rstrip("\n")
        assert "<u " not in one
    largest = np.max([np.abs(pair.influence) for pair in report.pairs], axis=0)
    order = [int(re.search(r'class="no">(\d+)', one)[1]) for one in details]
    assert [largest[number - 1] for number in order] == sorted(largest, reverse=True)


def test_the_number_of_a_segment_is_its_largest_influence(page, jinja2):
    report = analyse(REFERENCES, SYSTEMS, **FEW)
    for one in re.findall(r'<details class="s">.*?</details>', page, re.DOTALL):
        number, points, first, second = re.search(
            r'class="no">(\d+)</span> <span class="n">(.*?)</span>.*?Influence on <bdi>(.*?)</bdi> vs. <bdi>(.*?)</bdi>',
            one,
        ).groups()
        of_pairs = {(pair.first, pair.second): pair.influence[int(number) - 1] for pair in report.pairs}
        largest = of_pairs[first, second]
        assert abs(largest) == max(map(abs, of_pairs.values()))
        assert points == f"{largest:+.3f}".replace("-", "\u2212")


@pytest.mark.parametrize("names", [NAMES, NAMES[:2], NAMES[:1]])
@pytest.mark.parametrize("most", [1, 25, 40, None])
def test_a_page_of_many_segments_carries_the_most_influential(jinja2, monkeypatch, names, most):
    monkeypatch.setattr("cybleu.report.page.NAMED", 3)
    report = analyse(REFERENCES, {name: SYSTEMS[name] for name in names}, **FEW)
    page, whole = html(report, segments=most), numbers_on(html(report))
    shown = numbers_on(page)
    assert [number for number in whole if number in shown] == shown
    left_out = len(REFERENCES) - len(shown)
    assert (f"{left_out} are left out" in page) == (left_out > 0)
    links = re.findall(r'<a href="#s(\d+)"', page)
    assert {int(number) for number in links} <= {*shown}
    if most in (None, 40):
        assert shown == whole
    elif len(names) == 1:
        assert shown == whole[:most]
    else:
        # the segments in favour of each system of each pair are carried up to the same rank
        lists = [np.argsort(-sign * pair.influence, kind="stable") for pair in report.pairs for sign in (1, -1)]
        chosen, rank = {*()}, 0
        while len(chosen) < most or rank < 3:
            chosen |= {int(one[rank]) + 1 for one in lists}
            rank += 1
        assert {*shown} <= chosen and len(shown) >= most
        assert {int(one[place]) + 1 for one in lists for place in range(rank - 1)} <= {*shown}


def test_the_source_is_shown_with_each_segment(jinja2):
    source = [f"Quelle <b>{number}</b>" for number in range(len(REFERENCES))]
    report = analyse(REFERENCES, SYSTEMS, source=source, **FEW)
    assert report.source == source and "source" in report.files
    details = Page(html(report)).text_of("details", **{"class": "s"})
    for text in details:
        assert f"source{source[int(text.split()[0]) - 1]}" in text.replace("\n", "")
    assert report.comparison == analyse(REFERENCES, SYSTEMS, **FEW).comparison


def test_what_differs_between_outputs_is_said(page, jinja2):
    assert page.count("A group contains different segments for each output.") == 4  # two figures, two tables
    one = html(analyse(REFERENCES, {"one": SYSTEMS["one"]}, **FEW))
    assert "different segments" not in one


def test_the_numbers_are_those_of_the_report(page, jinja2):
    report = analyse(REFERENCES, SYSTEMS, **FEW)
    cells = Page(page).text_of("td")
    for output in report.outputs:
        assert f"{output.bleu.score:.2f}" in cells and f"{output.chrf:.2f}" in cells
    for first, second in (pair[:2] for pair in report.looked_at):
        parts = report.contributions(first, second)
        for part in (parts.difference, parts.penalty, *parts.orders):
            assert f"{part:+.2f}".replace("-", "\u2212") in cells
    units = json.loads(re.search(r'id="influence">(.*?)</script>', page)[1])
    order = [number - 1 for number in numbers_on(page)]
    for pair, of_pair in zip(report.pairs, units):
        assert of_pair == np.rint(1e4 * pair.influence[order]).astype(int).tolist()
    codes = Page(page).text_of("code")
    for form in (report.comparison.to_latex(), report.comparison.to_markdown() + "\n", report.comparison.to_csv()):
        assert form in codes


@pytest.mark.long
@pytest.mark.parametrize("choices", [{}, {"baseline": "two"}])
def test_equal_input_gives_equal_bytes(jinja2, tmp_path, choices):
    for name in ("a.html", "b.html"):
        write(tmp_path / name, REFERENCES, SYSTEMS, command="cybleu compare", **FEW, **choices)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert not re.search(r"20\d\d-\d\d-\d\d", (tmp_path / "a.html").read_text(encoding="utf-8"))


@pytest.mark.long
def test_one_system_many_systems_and_runs(jinja2):
    one = html(analyse(REFERENCES, {"one": SYSTEMS["one"]}, **FEW))
    check_policy(one)
    assert "one</bdi> scores <b>" in one and "Significance tests" not in one
    many = {f"system {number}": SYSTEMS[NAMES[number % 3]] for number in range(7)}
    found = analyse(REFERENCES, many, **FEW)
    check_policy(html(found))
    assert "of each pair; * is at most 0.05" in html(found)
    runs = html(analyse(REFERENCES, {"both": [SYSTEMS["one"], SYSTEMS["two"]], "three": SYSTEMS["three"]}, **FEW))
    check_policy(runs)
    assert "both, run 2" in runs and "s<sub>opt</sub>" in runs


def test_the_first_sentence(jinja2):
    right, wrong = ["a b c d e"] * 30, ["a b x d e"] * 30
    references = [[line] for line in right]

    def lead(systems, **choices):
        (text,) = Page(html(analyse(references, systems, **FEW, **choices))).text_of("p", **{"class": "lead"})
        return " ".join(text.split())

    assert lead({"one": right, "two": right}) == "one and two have the same score, 100.00 BLEU."
    assert lead({"one": right, "two": wrong}).startswith(
        "one scores highest, with 100.00 BLEU. one is significantly better"
    )
    nearly = [*right[:-1], "a b c d x"]
    assert lead({"one": right, "two": nearly}).endswith("The difference from two is not significant.")
    assert lead({"one": right, "two": right, "three": wrong}) == (
        "one and two have the same score, 100.00 BLEU, and no other score is higher. one is significantly better than three."
    )
    assert lead({"one": right, "two": nearly, "three": wrong}).endswith(
        "one is significantly better than 1 of the other 2; the difference from two is not significant."
    )
    assert lead({"one": nearly, "two": right, "three": wrong}, baseline="one").endswith(
        "Significantly worse: three. No significant difference: two."
    )


def test_scores_of_zero(jinja2):
    found = analyse([["a b c"], ["d e f"]], {"nothing": ["", ""], "wrong": ["x y", "z"]}, **FEW)
    text = check_policy(html(found)).text_of("td")
    assert "undefined for a score of 0" in text


def test_files_are_whole_or_as_they_were(jinja2, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    path.chmod(0o640)
    write(path, REFERENCES, SYSTEMS, **FEW)
    assert path.read_text(encoding="utf-8").endswith("</html>\n") and stat.S_IMODE(path.stat().st_mode) == 0o640
    with pytest.raises(InputFileError):
        write(tmp_path / "none" / "report.html", REFERENCES, SYSTEMS)
    with pytest.raises(InputFileError):
        save_page(None, tmp_path / "none" / "report.html")  # before anything is drawn
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


letters = st.lists(
    st.sampled_from(["a", "b", "c", " ", "  ", "\u00a0", "\t", "&quot;", "A", "é", "🎉", "\x00", ".", ","]), max_size=12
).map("".join)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(letters, letters), min_size=2, max_size=5),
    st.sampled_from(["13a", "ascii", "none", "char", "intl"]),
)
def test_codes_say_which_characters_match(backend, pairs, tokenize):
    report = analyse([[one] for one, _ in pairs], {"it": [line for _, line in pairs]}, tokenize=tokenize, **FEW)
    ngrams, text = report._ngrams, report._texts.outputs[0]
    marked = MarkedText(report._texts, ngrams, 0, range(len(pairs)))
    levels, clipped = ngrams.levels(0), ngrams.orders[0].clipped[0]
    for segment, (_, line) in enumerate(pairs):
        shown, code = marked.lines[segment], marked.codes[segment]
        assert marked.raw[segment] is not None or shown == visible(line)
        parts = parts_of(shown, code)
        assert "".join(part for _, part in parts) == shown
        assert sum(int(length) for _, length in PART.findall(code)) in (0, len(shown))
        # each character of a token has the state of its token
        states = [letter for letter, part in parts for character in part if not character.isspace()]
        expected = []
        tokens = report._texts.tokens(text, segment)
        for place, token in enumerate(tokens, text.offsets[segment]):
            expected += "abcdeABCDE"[levels[place] + 5 * clipped[place]] * len(token)
        if marked.raw[segment] is None:
            assert states == expected


def test_visible_is_one_character_for_one():
    for code in (*range(0x300), *range(0x2000, 0x2100), 0xD800, 0xDFFF, 0xFEFF, 0xFFFE, 0x1F389):
        assert len(visible(chr(code))) == 1
    assert visible("a\tb é שלום \u200d") == "a\tb é שלום \u200d"
    assert visible("\x00\u202e\ud800") == "\u2400\u25c1\ufffd"


@pytest.mark.parametrize(("lowercase", "words"), [(False, "by default"), (True, "with lowercase=True")])
def test_what_chrf_is(jinja2, lowercase, words):
    report = analyse(["A b", "c D"], {"one": ["a b", "C"]}, lowercase=lowercase, resamples=9)
    expected = CHRF(lowercase=lowercase).corpus_score(["a b", "C"], [["A b", "c D"]])
    assert report.outputs[0].chrf == expected.score
    assert f"chrF is chrF2 as sacreBLEU computes it {words}." in html(report)
