"""Tables of results in notebooks."""

import re
import sys
from html.parser import HTMLParser
from unittest.mock import MagicMock

import numpy as np
import pytest

import cybleu
from cybleu.explanations import settings_of
from cybleu.nbest import NBest
from cybleu.report import analyse, plot_scores
from cybleu.rerank import linear, mbr
from cybleu.significance import bootstrap, compare_systems, paired_test
from cybleu.tuning import kbmira, tune

NUMBER = re.compile(r"\d+\.\d+")
NBEST = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["<a>", "b"])
RESULTS = {
    "BleuScore": lambda: cybleu.bleu(["a b c d"], ["a b c d e"]),
    "Score": lambda: cybleu.chrf(["ab"], ["abc"]),
    "RougeScore": lambda: cybleu.rouge(["a b"], ["a c"]),
    "Comparison": lambda: cybleu.explain_difference([["g", "h"]], [[["g"]]], ("nltk:method1", "sacrebleu", "moses")),
    "Tuning": lambda: tune(NBEST, [1.0, 0.5], restarts=0),
    "Mira": lambda: kbmira(NBEST, [1.0, 0.5], passes=3),
    "SystemComparison": lambda: compare_systems({"<a>": np.arange(40) % 7 / 7, "b": np.arange(40) % 5 / 7}, scale=1),
}


TEXTS = [
    settings_of(["a b c"], ["a <b> d"], 10),
    bootstrap([0.5, 0.25], samples=10),
    paired_test([0.5, 0.25], [0.5, 0.5]),
]


class Cells(HTMLParser):
    """The texts of a table, and its elements."""

    def __init__(self, html):
        super().__init__()
        self.texts = []
        self.tags = set()
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        assert not attributes  # such as colours, which would be those of a light or a dark page only

    def handle_data(self, text):
        self.texts.append(text)


@pytest.mark.parametrize("name", RESULTS)
def test_a_table_has_the_numbers_that_print_shows(name):
    result = RESULTS[name]()
    table = Cells(result._repr_html_())
    assert type(result).__name__ == name
    printed = str(result)
    if name == "Comparison":
        printed = "\n".join(line for line in printed.splitlines() if not line.startswith("   " * 4))
    assert {*NUMBER.findall(printed)} <= {*NUMBER.findall(" ".join(table.texts))}
    assert table.tags <= {"table", "caption", "tr", "th", "td"}


@pytest.mark.parametrize("result", TEXTS)
def test_a_text_is_that_which_print_shows(result):
    text = Cells(result._repr_html_())
    assert text.texts == [str(result)]
    assert text.tags == {"pre"}


def test_samples_are_not_printed():
    assert len(repr(bootstrap([0.5, 0.25], samples=500))) < 300


@pytest.mark.usefixtures("matplotlib")
def test_a_plot_is_shown_in_a_notebook(monkeypatch):
    from matplotlib import pyplot

    monkeypatch.setitem(sys.modules, "IPython", MagicMock(version_info=(9, 0)))
    axes = plot_scores(analyse({"one": ["a b c d", "a b"]}, ["a b c d", "a c"]))
    assert axes.figure.number in pyplot.get_fignums()
    pyplot.close(axes.figure)


def test_intervals_are_bars_on_one_scale():
    better, worse = re.findall("[─━]+", RESULTS["SystemComparison"]()._repr_html_())
    assert worse.startswith("━") and not better.startswith("━")
    assert len(better) == 31


def test_a_table_escapes_texts():
    table = Cells(mbr([["it <b>", "it <b>", "rain & co"]])._repr_html_())
    assert "it <b>" in table.texts
    assert "b" not in table.tags


def test_a_selection_without_texts():
    nbest = NBest([0, 2, 2], [[1.0], [2.0]], [[2, 3, 1, 2], [3, 3, 2, 3]])
    assert Cells(linear(nbest, [1.0])._repr_html_()).texts[-4:] == ["1", "2.0", "1", "-1"]
