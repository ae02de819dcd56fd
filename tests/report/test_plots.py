"""Plots on given axes and as pictures."""

import warnings
from threading import Event, Thread

import numpy as np
import pytest

from cybleu.errors import CybleuError
from cybleu.report import (
    analyse,
    plot_buckets,
    plot_contributions,
    plot_differences,
    plot_precisions,
    plot_scores,
)
from cybleu.report.plots import pictures
from reports import FEW, REFERENCES, SYSTEMS, analysed

pytestmark = [
    pytest.mark.usefixtures("matplotlib"),
    pytest.mark.thread_unsafe(reason="the axes are drawn on by one thread"),
]


@pytest.fixture
def report():
    return analysed()


@pytest.fixture
def axes(matplotlib):
    from matplotlib.figure import Figure

    return Figure().add_subplot()


def lines_of(axes):
    return {line.get_label(): line.get_ydata() for line in axes.get_lines()}


@pytest.mark.parametrize("log", [False, True])
def test_precisions(report, axes, log):
    assert plot_precisions(report, axes, n_start=2, n_end=5, log=log) is axes
    drawn = lines_of(axes)
    for curve in report.precisions:
        assert drawn[curve.name].tolist() == list(curve.values[1:5])
    assert axes.get_xticks().tolist() == [2, 3, 4, 5]
    assert axes.get_yscale() == ("log" if log else "linear")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(report.names)


@pytest.mark.parametrize("by", ["length", "difference", "score"])
def test_buckets(report, axes, by):
    plot_buckets(report, axes, by=by)
    found = report.metrics[0].buckets(by)
    drawn = lines_of(axes)
    for name, scores in zip(found.names, found.segments if by == "score" else found.scores):
        np.testing.assert_array_equal(drawn[name], scores)
    labels = [text.get_text() for text in axes.get_xticklabels()]
    sizes = [text.partition("\n")[2] for text in labels]
    assert sizes == [f"{size:,}" if by == "length" else "" for size in found.segments[0].tolist()]


@pytest.mark.parametrize("by", ["recall", "precision"])
def test_words(report, axes, by):
    plot_buckets(report, axes, by=by)
    for name, values in zip(report.names, getattr(report.word_frequencies, by)):
        np.testing.assert_array_equal(lines_of(axes)[name], values[1:])  # words that no reference contains cannot match
    words = report.word_frequencies
    sizes = words.wanted if by == "recall" else words.produced.mean(axis=0).round().astype(int)
    labels = [text.get_text() for text in axes.get_xticklabels()]
    assert labels[0] == f"1\n{sizes[1]:,}" and [text.partition("\n")[2] for text in labels] == [
        f"{size:,}" for size in sizes[1:]
    ]


def test_scores_and_differences(report, axes):
    plot_scores(report, axes)
    points = [line.get_xdata().tolist() for line in axes.get_lines()]
    for system in report.metrics[0].systems:
        assert [system.score] in points and [system.low, system.high] in points
    other = plot_differences(report)
    points = [list(line.get_xdata()) for line in other.get_lines()]
    for pair in report.metrics[0].comparison.differences:
        assert [pair.difference] in points and [pair.low, pair.high] in points


def test_contributions_are_bars_that_add_up(report, axes):
    plot_contributions(report, axes)
    widths = np.array([[bar.get_width() for bar in bars] for bars in axes.containers])
    for pair, of_pair in zip(report.looked_at, widths.T):
        assert of_pair.sum() == pytest.approx(report.contributions(*pair).difference)


def test_names_are_no_formulas(axes):
    systems = {"$x$ one": SYSTEMS["one"], "_two": SYSTEMS["two"], "three\x00": SYSTEMS["three"]}
    report = analyse(systems, REFERENCES, **FEW)
    plot_precisions(report, axes)
    texts = axes.get_legend().get_texts()
    assert {text.get_text().strip() for text in texts} == {"$x$ one", "_two", "three\u2400"}
    assert not any(text.get_parse_math() for text in texts)
    axes.figure.canvas.draw()


def drawn(draw):
    return pictures({"one": draw})["one"]


def test_pictures_are_equal_for_equal_input(report):
    first = drawn(lambda axes: plot_precisions(report, axes))
    assert first.startswith(b"<?xml") and drawn(lambda axes: plot_precisions(report, axes)) == first


def test_what_cannot_be(report):
    for work, message in (
        (lambda: plot_precisions(report, n_end=10), "n_start is 1 and n_end 10, but the report has the orders 1 to 9"),
        (lambda: plot_precisions(report, n_start=0), "n_start is 0"),
        (lambda: plot_buckets(report, by="x"), "unknown groups 'x'"),
        (lambda: plot_differences(analyse({"a": SYSTEMS["one"]}, REFERENCES, **FEW)), "the report has one system"),
        (lambda: plot_contributions(analyse({"a": SYSTEMS["one"]}, REFERENCES, **FEW)), "there is nothing to draw"),
    ):
        with pytest.raises(CybleuError, match=message):
            work()


@pytest.mark.long
def test_two_threads_that_draw_pictures(report, matplotlib):
    """A thread that starts while another draws does not keep the settings of the other."""
    import matplotlib as the_caller_s

    before = the_caller_s.rcParams.copy(), list(warnings.filters)
    second_draws = Event()
    first_is_done = Event()
    pictures = []

    def draw_second(axes):
        second_draws.set()
        first_is_done.wait(30)
        plot_precisions(report, axes)

    second = Thread(target=lambda: pictures.append(drawn(draw_second)))

    def draw_first(axes):
        second.start()
        second_draws.wait(0.2)  # it does not, while this one draws
        pictures.append(drawn(lambda axes: plot_precisions(report, axes)))
        plot_precisions(report, axes)

    pictures.append(drawn(draw_first))
    first_is_done.set()
    second.join(30)
    assert (the_caller_s.rcParams.copy(), list(warnings.filters)) == before
    assert len(pictures) == 3 and len({*pictures}) == 1
