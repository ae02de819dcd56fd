"""The page of a report: complete, with all texts as text, and nothing else that a browser would run or fetch."""

import functools
import re
from collections import Counter
from hashlib import sha256
from html import unescape

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from cybleu.report import analyse, html
from cybleu.report.texts import visible
from cybleu.text import tokenizer
from marks import long
from report_pages import Page, check_policy, numbers_on, pictures_on
from reports import FEW, HOSTILE, NAMES, REFERENCES, SYSTEMS, analysed, marks_of


@functools.cache
def page_on():
    return html(analysed())


@pytest.fixture
def page(jinja2):
    return page_on()


def tokens_shown(line):
    """A line of an output on the page: its tokens, with blanks between them."""
    return " ".join(visible(token) for token in tokenizer("13a")(line))


@pytest.mark.long_in_mirror
def test_hostile_texts_are_text(jinja2):
    other = [f"other {line}" for line in HOSTILE[:-1]] + ["x"]
    systems = {"<b>one</b>": HOSTILE, '_"two"$x$\u202e': other, "</title><script>": [*HOSTILE[1:], HOSTILE[0]]}
    references = [[line, f"{line} more"] for line in [*HOSTILE[2:], *HOSTILE[:2]]]
    text = html(analyse(systems, references, title="</title><script>alert(5)</script>", **FEW))
    found = check_policy(text)
    assert found.text_of("title")[0] == "</title><script>alert(5)</script>"
    shown = "\n".join(found.text_of("dd"))
    for lines in systems.values():
        for line in lines:
            assert tokens_shown(line) in shown
    for line in (line for group in references for line in group):
        assert visible(line) in shown or visible(line) in "\n".join(found.text_of("span"))
    assert "\x00" not in text and "\u202e" not in text and "\x1b" not in text
    text.encode("utf-8")  # no lone surrogate
    assert any("$x$" in picture for picture in pictures_on(found))  # a formula would have been drawn otherwise


MARKS = {"u": 1, "i": 2, "b": 3, "em": 4}
ELEMENT = re.compile(r"<(/?)(\w+)>|([^<]+)")


def marked_tokens(line):
    """The tokens of a line of HTML: its text, the length of its match, whether it is clipped, whether its rival lacks it."""
    found = []
    open_elements = []
    for closing, name, text in ELEMENT.findall(line):
        if closing:
            assert open_elements.pop() == name
        elif name:
            open_elements.append(name)
        for token in text.split():
            level = max((MARKS.get(one, 0) for one in open_elements), default=0)
            found.append((unescape(token), level, "s" in open_elements, "mark" in open_elements))
    assert open_elements == []
    return found


def test_every_token_is_marked_without_script(page, jinja2):
    report = analysed()
    seen = []
    for one in re.findall(r"<details class=s .*?</details>", page, re.DOTALL):
        segment = int(re.search(r"class=no>(\d+)", one)[1]) - 1
        entries = re.findall(r"<dt>((?:<bdi>\w+</bdi>(?:, )?)+) <b>.*?</b><dd dir=auto>(.*?)</div>", one)
        shown = {}
        for names, line in entries:
            shown |= dict.fromkeys(re.findall(r"<bdi>(\w+)</bdi>", names), marked_tokens(line))
        assert shown.keys() == {*NAMES} and f" id=s{segment + 1}>" in one and f'href="#s{segment + 1}"' in page
        assert all(line in re.sub("<[^>]+>", "", one) for line in REFERENCES[segment])
        seen.append(segment)
        for number, name in enumerate(NAMES):
            marks = [level + 5 * clipped for _, level, clipped, _ in shown[name]]
            assert marks == marks_of(report, number, segment)
        # the pair whose difference the segment influences most comes first, and each token that the other one lacks has a mark
        ones, others = pair = re.search(r"BLEU for <bdi>(\w+)</bdi> vs. <bdi>(\w+)</bdi>", one).groups()
        assert {*re.findall(r"<bdi>(\w+)</bdi>", " ".join(names for names, _ in entries[:2]))} >= {*pair}
        for own, rival in ((ones, others), (others, ones)):
            lacking = Counter(SYSTEMS[own][segment].split()) - Counter(SYSTEMS[rival][segment].split())
            assert Counter(token for token, _, _, marked in shown[own] if marked) == lacking
        (third,) = {*NAMES} - {*pair}
        if SYSTEMS[third][segment] not in {SYSTEMS[name][segment] for name in pair}:
            assert not any(marked for *_, marked in shown[third])
    assert sorted(seen) == [*range(len(REFERENCES))]


def test_the_number_of_a_segment_is_its_largest_influence(page, jinja2):
    report = analyse(SYSTEMS, REFERENCES, **FEW)
    shown = []
    for one in re.findall(r"<details class=s .*?</details>", page, re.DOTALL):
        number, points, again, first, second = re.search(
            r"class=no>(\d+)</span> <span class=n>(.*?)</span>.*?<p>(.*?) BLEU for <bdi>(.*?)</bdi> vs. <bdi>(.*?)</bdi>",
            one,
            re.DOTALL,
        ).groups()
        of_pairs = {(pair.first, pair.second): pair.influence[int(number) - 1] for pair in report.pairs}
        of_pairs |= {(second, first): -value for (first, second), value in of_pairs.items()}
        largest = of_pairs[first, second]
        assert largest == max(map(abs, of_pairs.values())) and points == again == f"{largest:.3f}"
        shown.append(largest)
    assert shown == sorted(shown, reverse=True)


@pytest.mark.parametrize("names", [NAMES, NAMES[:2]], ids=["three systems", "two systems"])
@pytest.mark.parametrize("metrics", [["sacrebleu"], ["sacrebleu", "chrf", "ter"]], ids=["one metric", "three metrics"])
@pytest.mark.parametrize("most", [15, long(1), long(None)])
def test_a_page_of_many_segments_carries_the_most_influential(no_pictures, monkeypatch, names, metrics, most):
    """Those in favour of each system of each pair, by each metric, are carried up to the same rank."""
    monkeypatch.setattr("cybleu.report.page.NAMED", 3)
    report = analyse({name: SYSTEMS[name] for name in names}, REFERENCES, metrics, **FEW)
    page = html(report, segments=most)
    whole = numbers_on(html(report))
    shown = numbers_on(page)
    assert [number for number in whole if number in shown] == shown
    left_out = len(REFERENCES) - len(shown)
    assert (f"{left_out} are left out" in page) == (left_out > 0)
    assert {int(number) for number in re.findall(r'<a href="#s(\d+)"', page)} <= {*shown}
    influences = [figures.influence(*pair) for figures in report.metrics for pair in figures.looked_at]
    ranked = [np.argsort(-sign * influence, kind="stable") + 1 for influence in influences for sign in (1, -1)]

    def up_to(rank):
        return {*np.ravel([one[:rank] for one in ranked])}

    most = most or len(whole)
    rank = next(rank for rank in range(3, len(whole) + 1) if len(up_to(rank)) >= most)
    assert up_to(rank - 1) <= {*shown} <= up_to(rank) and len(shown) >= most


@pytest.mark.parametrize("most", [1, 15])
def test_a_page_of_one_system_carries_the_worst_segments(no_pictures, most):
    report = analyse({"one": SYSTEMS["one"]}, REFERENCES, **FEW)
    assert numbers_on(html(report, segments=most)) == numbers_on(html(report))[:most]


def test_texts_have_the_digests_of_their_files_and_names_of_their_own():
    report = analyse({"reference": ["a b", "c"]}, ["a b", "d"], **FEW)
    files = {"reference": b"a b\nc\n", "reference (of the segments)": b"a b\nd\n"}
    assert report.files == {name: sha256(content).hexdigest() for name, content in files.items()}


def test_the_source_is_shown_with_each_segment(no_pictures):
    source = [f"Quelle <b>{number}</b>" for number in range(len(REFERENCES))]
    report = analyse(SYSTEMS, REFERENCES, source=source, **FEW)
    assert report.source == source and "source" in report.files
    details = Page(html(report)).text_of("details", **{"class": "s"})
    for text in details:
        assert f"source{source[int(text.split()[0]) - 1]}" in text.replace("\n", "")
    assert report.comparisons == analyse(SYSTEMS, REFERENCES, **FEW).comparisons


def test_the_numbers_are_those_of_the_report(page, jinja2):
    report = analyse(SYSTEMS, REFERENCES, **FEW)
    cells = Page(page).text_of("td")
    for output in report.outputs:
        assert f"{output.bleu.score:.2f}" in cells and f"{output.chrf:.2f}" in cells
    for first, second in (pair[:2] for pair in report.looked_at):
        parts = report.contributions(first, second)
        for part in (parts.difference, parts.penalty, *parts.orders):
            assert f"{part:+.2f}".replace("-", "\u2212") in cells
    order = [
        page.index(f'id="h-{name}"')
        for name in ("scores", "tests", "precision", "differ", "ngrams", "segments", "computed")
    ]
    assert order == sorted(order)


@pytest.mark.parametrize(
    ("names", "choices", "first", "second", "word", "rest"),
    [
        (("wrong", "right"), {}, "right", "wrong", "significant", []),
        (("right", "right "), {}, "right", "right ", "not significant", []),
        (("right", "nearly", "wrong"), {}, "right", "nearly", "not significant", ["right is significantly better than 1 of the 2 other systems."]),
        (("nearly", "right", "wrong"), {"baseline": "nearly"}, "right", "nearly", "not significant", ["Of the systems vs. the baseline, 1 of 2 differ significantly."]),
    ],
)  # fmt: skip
def test_the_verdict(no_pictures, names, choices, first, second, word, rest):
    outputs = {"right": ["a b c d e"] * 30, "wrong": ["a b x d e"] * 30, "nearly": ["a b c d e"] * 29 + ["a b c d x"]}
    report = analyse(
        {name: outputs[name.strip()] for name in names}, [[line] for line in outputs["right"]], **FEW, **choices
    )
    page = html(report)
    text = page[page.index('<div class="card">') :].partition("</header>")[0]
    lines = [" ".join(line.replace("\u2212", "-").split()) for line in Page(text).text_of("p")]
    pair = report.metrics[0].comparison.between(first, second)
    scores = {system.name: system.score for system in report.metrics[0].systems}
    p = "<0.0050" if word == "significant" else f"= {pair.p_holm:.4f}"  # no sample counts, of 200
    assert lines == [
        " ".join(f"{first} vs. {second}".split()),
        "BLEU",
        f"{pair.difference:+.2f}",
        f"{scores[first]:.2f} vs. {scores[second]:.2f}",
        f"{word} (p {p}); 95 % interval {pair.low:.2f} to {pair.high:.2f}",
        *rest,
    ]


def of_zero():
    return analyse({"nothing": ["", ""], "wrong": ["x y", "z"]}, [["a b c"], ["d e f"]], **FEW)


def test_scores_of_zero(no_pictures):
    assert "undefined for a score of 0" in Page(html(of_zero())).text_of("td")


@pytest.mark.long
def test_pictures_of_scores_of_zero(jinja2):
    check_policy(html(of_zero()))


letters = st.lists(
    st.sampled_from(["a", "b", "c", " ", "  ", "\u00a0", "\t", "&quot;", "A", "é", "🎉", "\x00", ".", ","]), max_size=12
).map("".join)


@given(
    st.lists(st.tuples(letters, letters), min_size=2, max_size=5),
    st.sampled_from(["13a", "ascii", "none", "char", "intl"]),
)
@example([("<b>", "<b>&quot;")] * 2, "none")
def test_tokens_are_shown_as_they_are_counted(no_pictures, pairs, tokenize):
    report = analyse({"it": [line for _, line in pairs]}, [[one] for one, _ in pairs], tokenize=tokenize, **FEW)
    page = html(report)
    lines = re.findall(r"<dt><bdi>it</bdi> <b>.*?</b><dd dir=auto>(.*?)</div>\n?</dl>", page, re.DOTALL)
    shown = {number - 1: line for number, line in zip(numbers_on(page), lines, strict=True)}
    for segment, (_, line) in enumerate(pairs):
        tokens = [re.sub(r"\s", "\u2423", token) for token in tokenizer(tokenize)(line)]
        found = marked_tokens(shown[segment])
        assert [token for token, *_ in found] == list(map(visible, tokens))
        assert [level + 5 * clipped for _, level, clipped, _ in found] == marks_of(report, 0, segment)


def test_visible_is_one_character_for_one():
    for code in (*range(0x300), *range(0x2000, 0x2100), 0xD800, 0xDFFF, 0xFEFF, 0xFFFE, 0x1F389):
        assert len(visible(chr(code))) == 1
    assert visible("a\tb é שלום \u200d") == "a\tb é שלום \u200d"
    assert visible("\x00\u202e\ud800") == "\u2400\u25c1\ufffd"
