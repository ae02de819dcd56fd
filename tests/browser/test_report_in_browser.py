"""The page of a report in a browser. `nox -s browser` runs these tests; they require Playwright, Chromium and axe-core."""

import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from cybleu.report import analyse, save_page
from cybleu.report.texts import visible
from cybleu.text import tokenizer
from reports import FEW, HOSTILE, NAMES, REFERENCES, SYSTEMS

pytestmark = pytest.mark.thread_unsafe(reason="the browser belongs to one thread")

WIDTHS = {"phone": {"width": 390, "height": 844}, "desk": {"width": 1440, "height": 900}}
METRICS = ("sacrebleu", "chrf", "ter")
PAGES = ("metrics", "one", "hostile")
NO_SIDEWAYS = "document.documentElement.scrollWidth <= innerWidth"


def program():
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CYBLEU_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    assert found, "there is no Chromium: install the package chromium, or name its program in CYBLEU_CHROMIUM"
    return found


@pytest.fixture(scope="module")
def browser(playwright, jinja2):
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=program(), args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory, jinja2):
    """Pages of three systems by one metric and by several, of one system by several, and of malicious texts."""
    folder = tmp_path_factory.mktemp("pages")
    systems = {"<b>one</b>": HOSTILE, "\u202etwo": [f"x {line}" for line in HOSTILE[:-1]] + ["y"]}
    turned = [[line] for line in [*HOSTILE[2:], *HOSTILE[:2]]]
    for name, report in {
        "three": analyse(SYSTEMS, REFERENCES, command="cybleu compare a b", **FEW),
        "metrics": analyse(SYSTEMS, REFERENCES, METRICS, **FEW),
        "one": analyse({"one": SYSTEMS["one"]}, REFERENCES, METRICS, **FEW),
        "hostile": analyse(systems, turned, title="<script>alert(1)</script>", **FEW),
    }.items():
        save_page(report, folder / f"{name}.html")
    return folder


@pytest.fixture(scope="module")
def many(files):
    """A page of 250 segments."""
    systems = {name: [f"{line} {number}" for number in range(11) for line in SYSTEMS[name]][:250] for name in NAMES}
    save_page(analyse(systems, [[line] for line in systems["one"]], **FEW), files / "many.html")


@pytest.fixture
def opened(browser, files):
    """A function that opens a page; it may not load, run or log anything external."""
    contexts = []
    wrong = []

    def visit(name="three", width="desk", **choices):
        context = browser.new_context(viewport=WIDTHS[width], **choices)
        contexts.append(context)
        page = context.new_page()
        address = f"file://{files / name}.html"
        page.on("console", lambda message: wrong.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        own = (address, "data:image/svg+xml;base64,")
        page.on("request", lambda request: request.url.startswith(own) or wrong.append(f"request: {request.url}"))
        page.goto(address)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert wrong == []


SMALL = """() => {
    const texts = [...document.querySelectorAll('body *')].filter((one) =>
        one.checkVisibility() && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
    return texts.map((one) => [parseFloat(getComputedStyle(one).fontSize), one.outerHTML.slice(0, 80)]).filter(([size]) => size < 11);
}"""
WIDE = """() => [...document.querySelectorAll('body *')]
    .filter((one) => one.checkVisibility() && !one.parentElement.closest('.scroll, pre, nav'))
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5)
    .map((one) => one.outerHTML.slice(0, 80))"""
PICTURES = """() => [...document.images].filter((one) => one.checkVisibility())
    .map((one) => [atob(one.src.split(',')[1]), one.getBoundingClientRect().width])"""


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_page_or_too_small(opened, name, width):
    page = opened(name, width)
    assert (page.evaluate(WIDE), page.evaluate(SMALL)) == ([], [])
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    page.wait_for_timeout(300)
    assert page.evaluate(NO_SIDEWAYS)


@pytest.mark.parametrize("width", WIDTHS)
def test_labels_of_plots_can_be_read(opened, width):
    sizes = []
    for picture, shown in opened("metrics", width).evaluate(PICTURES):
        scale = shown / float(re.search(r'viewBox="0 0 ([0-9.]+) ', picture)[1])
        sizes += [scale * float(size) for size in re.findall(r"font-size: ([0-9.]+)px", picture)]
    assert len(sizes) > 50 and min(sizes) >= 11


def test_p_and_the_interval_are_seen_on_a_phone(opened):
    page = opened("metrics", "phone")
    for row in page.locator("#tests tbody tr").all():
        place = row.locator("td").nth(4).bounding_box()
        assert place["x"] >= 0 and place["x"] + place["width"] <= 390
        improvement = row.locator("td").nth(1)
        assert improvement.bounding_box()["x"] + improvement.bounding_box()["width"] <= 390
        below = improvement.evaluate("(cell) => getComputedStyle(cell, '::after').content")
        assert below.strip('"') == row.locator("td").nth(2).text_content()


def test_segments_by_the_hundred(opened, many):
    page = opened("many")
    more = page.locator("#more")
    assert page.locator(".s:not([hidden])").count() == 100
    more.press("Enter")
    assert page.locator(".s:not([hidden])").count() == 200
    more.press("Enter")
    assert page.locator(".s:not([hidden])").count() == 250 and not more.is_visible()
    page.locator("#order").select_option("number")
    assert numbers(page) == list(range(1, 101))


@pytest.mark.parametrize("name", ["metrics", "one"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_accessible_by_axe(opened, name, scheme, width):
    source = os.environ.get("CYBLEU_AXE")
    assert source, "axe-core is missing: `npm pack axe-core`, unpack it, and name its axe.min.js in CYBLEU_AXE"
    page = opened(name, width, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((one, place) => (one.open ||= place < 40))")
    page.evaluate(Path(source).read_text(encoding="utf-8"))
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
    found = page.evaluate("(rules) => axe.run(document, rules)", rules)
    assert {one["id"]: [node["html"][:200] for node in one["nodes"][:3]] for one in found["violations"]} == {}
    assert "color-contrast" in {one["id"] for one in found["passes"]}
    background = {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 28)"}[scheme]
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == background


def test_print(opened):
    page = opened(color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible() and not page.locator("#search").is_visible()
    assert page.pdf().startswith(b"%PDF")


def wait_until(page, condition):
    """Playwright's own function evaluates text in the page, which the policy rejects."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never: {condition}")


def numbers(page):
    return [int(text) for text in page.locator(".s:not([hidden]) .no").all_text_contents()]


def test_search_by_keyboard(opened):
    page = opened()
    page.locator("#search").focus()
    page.keyboard.type("DOG")
    wait_until(page, "document.getElementById('count').textContent !== ''")
    expected = {
        number
        for number, lines in enumerate(zip(map(" ".join, REFERENCES), *SYSTEMS.values()), 1)
        if "dog" in " ".join(lines)
    }
    assert {*numbers(page)} == expected and 0 < len(expected) < len(REFERENCES)
    assert page.locator("#count").inner_text() == f"{len(expected)} of {len(REFERENCES)}"
    for _ in range(3):
        page.keyboard.press("Backspace")
    wait_until(page, "document.getElementById('count').textContent === ''")
    assert len(numbers(page)) == len(REFERENCES)


def points_on(page):
    return [float(text.replace("\u2212", "-")) for text in page.locator(".s .n").all_text_contents()]


def test_metric_by_keyboard(opened):
    page = opened("metrics")
    report = analyse(SYSTEMS, REFERENCES, METRICS, **FEW)
    at_first = numbers(page), points_on(page)
    metric = page.locator("#metric")
    order = page.locator("#order")
    assert metric.locator("option").all_text_contents() == ["BLEU", "chrF", "TER"]
    for figures in report.metrics:
        if figures is not report.metrics[0]:
            metric.focus()
            page.keyboard.press("ArrowDown")
        units = np.rint(1e4 * figures.gains)
        largest = np.max(np.abs(units), axis=0)
        expected = sorted(range(report.segments), key=lambda segment: (-largest[segment], segment))
        assert numbers(page) == [segment + 1 for segment in expected]
        assert points_on(page) == pytest.approx(largest[expected] / 1e4, abs=0.0006)
        order.focus()
        page.keyboard.press("ArrowDown")
        assert order.input_value() == "number" and numbers(page) == list(range(1, report.segments + 1))
        for place in range(len(report.looked_at)):
            for end, sign in (("+", 1), ("-", -1)):
                page.keyboard.press("ArrowDown")
                assert order.input_value() == f"{place}{end}"
                gains = sign * units[place]
                expected = sorted(range(report.segments), key=lambda segment: (-gains[segment], segment))
                assert numbers(page) == [segment + 1 for segment in expected]
                assert points_on(page) == [round(points, 3) for points in (gains[expected] / 1e4).tolist()]
        order.select_option("page")
    metric.select_option("BLEU")
    assert (numbers(page), points_on(page)) == at_first


def test_metric_of_one_system(opened):
    page = opened("one")
    report = analyse({"one": SYSTEMS["one"]}, REFERENCES, METRICS, **FEW)
    at_first = numbers(page), points_on(page)
    for figures in report.metrics[1:]:
        page.locator("#metric").select_option(figures.label)
        scores = np.rint(1e4 * figures.sentence_scores[0])
        worst = scores if figures.metric.higher_is_better else -scores
        expected = sorted(range(report.segments), key=lambda segment: (worst[segment], segment))
        assert numbers(page) == [segment + 1 for segment in expected]
        assert points_on(page) == [round(points, 1) for points in (scores[expected] / 1e4).tolist()]
    page.locator("#metric").select_option("BLEU")
    assert (numbers(page), points_on(page)) == at_first


def test_tables_are_sorted_by_keyboard_the_best_first(opened):
    page = opened("metrics")
    table = page.locator("#scores table.sortable").first
    titles = [text.strip() for text in table.locator("thead th").all_text_contents()]
    for label, sort, best in (("TER", "ascending", min), ("chrF", "descending", max)):
        column = titles.index(label)
        table.locator("thead th").nth(column).locator("button").press("Enter")
        assert table.locator("thead th").nth(column).get_attribute("aria-sort") == sort
        shown = [
            float(row.locator("th, td").nth(column).inner_text().split()[0]) for row in table.locator("tbody tr").all()
        ]
        assert shown[0] == best(shown) and shown in (sorted(shown), sorted(shown, reverse=True))


def test_shares_are_sorted_by_wins_without_losses(opened):
    page = opened("metrics")
    table = page.locator("#tests table").first
    button = table.get_by_role("button", name="shares")
    for down in (True, False):
        button.press("Enter")
        shown = [
            [int(row.locator("td").nth(place).inner_text()) for place in (5, 7)]
            for row in table.locator("tbody tr").all()
        ]
        net = [wins - losses for wins, losses in shown]
        assert net == sorted(net, reverse=down) and len({*net}) > 1


def test_all_segments_are_expanded(opened):
    page = opened()
    page.locator("#expand").focus()
    page.keyboard.press("Enter")
    assert page.locator(".s[open]").count() == len(REFERENCES)
    page.keyboard.press("Enter")
    assert page.locator(".s[open]").count() == 0 and page.locator("#expand").inner_text() == "Expand all"


def test_without_script(opened):
    page = opened(java_script_enabled=False)
    assert not page.locator("#search").is_visible()
    first = page.locator(".s").first
    assert first.locator("dd :is(u, i, b, em)").count() > 0
    first.locator("summary").click()
    assert first.locator("dd").first.is_visible()
    text = page.locator("#list").inner_html()
    for lines in SYSTEMS.values():
        plain = re.sub(r"<[^>]+>", "", text)
        assert all(line in plain for line in lines)


def test_a_link_opens_its_segment(opened):
    page = opened()
    page.locator("#search").fill("no such text")
    wait_until(page, "document.getElementById('count').textContent.startsWith('0 ')")
    page.locator(".named a").first.focus()
    page.keyboard.press("Enter")
    wait_until(page, "document.querySelector('.s[open]:not([hidden])')")
    target = page.locator(".named a").first.get_attribute("href")
    assert page.locator(f"{target} dd").first.is_visible()


def test_copying(opened):
    page = opened(permissions=["clipboard-read", "clipboard-write"])
    details = page.locator("details", has=page.locator("button.copy")).first
    details.locator("summary").click()
    details.locator("button").press("Enter")
    details.get_by_role("status").filter(has_text="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == analyse(SYSTEMS, REFERENCES, **FEW).comparisons[0].to_latex().strip()


def test_hostile_texts_are_shown(opened):
    page = opened("hostile")
    assert page.title() == "<script>alert(1)</script>"
    assert page.locator("h1").inner_text() == "<script>alert(1)</script>"
    page.evaluate("document.querySelectorAll('.s').forEach((one) => (one.open = true))")
    shown = page.evaluate(
        "[...document.querySelectorAll('#list dd')].map((one) => one.textContent.replace(/\\n$/, ''))"
    )
    for line in HOSTILE:
        assert " ".join(map(visible, tokenizer("13a")(line))) in shown
    assert page.locator("script:not(#values)").count() == 1  # our own
    sources = page.evaluate("[...document.images].map((one) => one.src.slice(0, 26))")
    assert {*sources} == {"data:image/svg+xml;base64,"}
    assert page.evaluate("[...document.images].every((one) => one.complete && one.naturalWidth > 0)")
    directions = page.evaluate("[...document.querySelectorAll('#list dd')].map((one) => one.dir)")
    assert {*directions} == {"auto"}


def test_tab_reaches_the_search(opened):
    page = opened("one")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "search":
            return
    pytest.fail(f"the search is not reached by the keyboard; {NAMES}")
