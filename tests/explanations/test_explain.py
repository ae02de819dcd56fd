"""Functions that explain a score."""

import html
import math
import re
import warnings
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import cybleu
from cybleu import SmoothingFunction, errors, explain, modified_precision, sentence_bleu
from cybleu.explanations import blind_spots
from cybleu.explanations.steps import marks
from cybleu.metrics import VARIANTS, Bleu
from cybleu.metrics.variants import tool_tokenizer
from cybleu.text import tokenizer
from inputs import DEFINITIONS, Near, segments, weight_vectors
from marks import long

REFERENCES = ["the cat is on the mat".split(), "there is a cat on the mat".split()]
HYPOTHESIS = "the cat and the cat on the mat".split()


def test_the_table_of_the_tutorials():
    order = explain(HYPOTHESIS, REFERENCES).orders[0]
    counts = order.counts
    clipped = order.clipped
    table = [(word, counts[word,], clipped[word,]) for (word,) in counts]
    assert table == [("the", 3, 2), ("cat", 2, 1), ("and", 1, 0), ("on", 1, 1), ("mat", 1, 1)]


@pytest.mark.filterwarnings("ignore")
@given(segments())
def test_clipped_counts_are_what_modified_precision_counts(segment):
    explanation = explain(*segment[::-1])
    for order in explanation.orders:
        precision = modified_precision(*segment, order.n)
        assert sum(order.clipped.values()) == precision.numerator
        assert max(1, sum(order.counts.values())) == precision.denominator


@pytest.mark.filterwarnings("ignore")
@given(segments(), weight_vectors)
def test_an_explained_score_is_the_score(segment, weights):
    for smoothing in (None, SmoothingFunction().method1, SmoothingFunction().method5, cybleu.nltk_3_2):
        try:
            expected = sentence_bleu(*segment, weights, smoothing)
        except OverflowError:
            continue
        explanation = explain(*segment[::-1], weights=weights, smoothing_function=smoothing)
        assert explanation.score == expected
        assert f"{expected:.6g}" in str(explanation)


UNUSUAL = [((0.3, 0.3, 0.3, 0.2), "add up to 1.1, not 1"), ((0.6, 0.5, -0.1), "the weight -0.1 is negative")]


@pytest.mark.parametrize(("weights", "remark"), UNUSUAL)
def test_unusual_weights_are_remarked_on(weights, remark):
    expected = sentence_bleu(REFERENCES, HYPOTHESIS, weights)
    with pytest.warns(UserWarning, match=remark) as caught:
        assert explain(HYPOTHESIS, REFERENCES, weights=weights).score == expected
    assert caught[0].filename == __file__


@pytest.mark.parametrize("weights", [(1,), (1 / 3,) * 3, (0.33,) * 3, (0.166,) * 6, (1, 0)])
def test_usual_weights_are_not(weights):
    assert explain(REFERENCES[0], REFERENCES, weights=weights).score == sentence_bleu(
        REFERENCES, REFERENCES[0], weights
    )


@pytest.mark.parametrize(
    ("weights", "shown"), [((1 / 3,) * 3, "1/3"), ((0.25,) * 4, "0.25"), ((1 / 7,) * 7, "1/7"), ((2 / 3, 1 / 3), "2/3")]
)
def test_weights_in_the_formula(weights, shown):
    text = str(explain("a b c d e f g i".split(), ["a b c d e f g h".split()], weights=weights))
    assert f"{shown} * log(" in text and "0.333 " not in text


def test_the_warning_is_given_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        explanation = explain(["the", "cat", "x"], REFERENCES)
    assert len(caught) == 2
    text = str(explanation)
    assert ", because no 3-gram matches" in text
    assert "exp(-" not in text


def test_smoothing_is_called_once():
    calls = []

    def smoothing(precisions, **segment):
        calls.append(segment)
        yield from precisions

    explanation = explain(HYPOTHESIS, REFERENCES, weights=(0.5, 0.5), smoothing_function=smoothing)
    assert explanation.score == sentence_bleu(REFERENCES, HYPOTHESIS, (0.5, 0.5))
    assert calls == [{"references": REFERENCES, "hypothesis": HYPOTHESIS, "hyp_len": len(HYPOTHESIS)}]


def test_no_match():
    text = str(explain(["x", "y"], REFERENCES))
    assert "score = 0, because no 1-gram matches" in text
    assert "exp(1 - 6/2)" in text
    for choices in ({}, {"metric": "sacrebleu"}, {"metric": "moses"}):
        text = str(explain([], REFERENCES, **choices))
        assert "score = 0, because the hypothesis is empty" in text
        assert "brevity penalty: 0\n" in text


METRICS = [
    Bleu(*definition, weights=weights, effective_order=effective)
    for definition in DEFINITIONS
    for weights in (None, (0.5, 0.3, 0.2))
    for effective in (None, True)
]


@given(segments(), st.sampled_from(METRICS))
def test_the_formula_is_the_score_of_every_definition(segment, metric):
    """The printed formula gives the score, in the rounded numbers that are printed."""
    try:
        explanation = explain(*segment[::-1], metric=metric)
    except errors.CybleuError as error:
        with pytest.raises(type(error)):
            metric.of_sentences().score(metric.count(*segment[::-1]))
        return
    assert explanation.score == metric.of_sentences().score(metric.count(*segment[::-1])).score
    text = str(explanation)
    assert text.startswith(f"BLEU-{metric.order} = {explanation.score:.6g}   ({metric.name}, from 0 to {metric.scale}")
    for n in range(len(explanation.orders) + 1, metric.order + 1):
        assert f"{n}-grams are left out: " in text
    if "score = 0, because" in text:
        assert explanation.score == 0
    elif ", because no " in text:
        assert 0 < explanation.score < 1e-50
    else:
        whole, rounded, score = re.search(r"^score = (.*)\n      = (.*) = (.*)$", text, re.M).groups()
        names = {"exp": math.exp, "log": math.log, "__builtins__": {}}
        assert float(score) == pytest.approx(explanation.score, rel=1e-5)
        for printed in (whole, rounded):
            assert eval(printed, names) == pytest.approx(explanation.score, rel=5e-3, abs=1e-300)


@pytest.mark.filterwarnings("ignore")
@given(segments(), st.integers(1, 4))
def test_the_marks_are_where_n_grams_match(segment, n):
    references, hypothesis = segment
    assume(not any(isinstance(token, Near) for text in (hypothesis, *references) for token in text))
    explanation = explain(hypothesis, references, weights=(1 / n,) * n)
    order = explanation.orders[n - 1]
    found = marks(explanation, order)
    known = {tuple(reference[i : i + n]) for reference in references for i in range(len(reference) - n + 1)}
    starts = [i for i in range(len(hypothesis) - n + 1) if tuple(hypothesis[i : i + n]) in known]
    covered = {place for start in starts for place in range(start, start + n)}
    assert {place for place, mark in enumerate(found[::2]) if mark != " "} == covered
    joined = {place for start in starts for place in range(start, start + n - 1)}
    assert {place for place, mark in enumerate(found[1::2]) if mark != " "} == joined
    credited = sum(order.clipped.values())
    if credited == len(starts):
        assert "~" not in found
    if n == 1:
        assert found[::2].count("=") == credited


def test_the_picture():
    lines = str(
        explain("the cat the cat 猫 is the".split(), [*REFERENCES, ["猫", "is", "on"]], weights=(0.5, 0.5))
    ).splitlines()
    start = lines.index("= matches that count, ~ matches that are clipped")
    assert lines[start + 1 : start + 7] == [
        'hypothesis   "the" "cat" "the" "cat" "猫" "is" "the"',
        "1-grams      ===== ===== ===== ~~~~~ ==== ==== ~~~~~",
        "2-grams      =========== ~~~~~~~~~~~ =========",
        'reference 1  "the" "cat" "is" "on" "the" "mat"',
        'reference 2  "there" "is" "a" "cat" "on" "the" "mat"',
        'reference 3  "猫" "is" "on"',
    ]
    text = "\n".join(lines)
    assert (
        'clipped to the largest count in one reference: "the" from 3 to 2, "cat" from 2 to 1, "the" "cat" from 2 to 1'
        in text
    )


def test_long_texts_are_wrapped():
    words = [f"word{number}" for number in range(60)]
    lines = str(explain(words, [words[::-1], words])).splitlines()
    table = lines.index("order  n-grams  matched  clipped  precision             smoothed")
    assert max(map(len, lines[:table])) <= 100
    shown = " ".join(line[13:] for line in lines if line.startswith("hypothesis"))
    assert shown.replace('"', "").split() == words
    assert "".join(line[13:] for line in lines if line.startswith("1-grams")).count("=") == len(shown) - 59


def test_what_would_control_a_terminal_or_a_page_is_escaped():
    hostile = [
        "\x1b[31mred",
        "a b",
        "\u202etxt",
        'say "',
        "<script>alert(1)</script>",
        "&amp;",
        "\n",
        ("x", 1),
        7,
        "\ud800",
    ]
    explanation = explain(hostile, [hostile], metric=Bleu("sacrebleu", max_order=2))
    text = str(explanation)
    assert text.replace("\n", "").isprintable()
    for shown in ('"a b"', r'"say \""', r'"\n"', "('x', 1) 7", '"<script>alert(1)</script>"'):
        assert shown in text
    assert html.unescape(explanation._repr_html_()) == f"<pre>{text}</pre>"
    assert re.findall(r"<\s*/?\s*([^\s>]*)", explanation._repr_html_()) == ["pre", "pre"]
    named = explain(["a"], [["a"]], metric=Bleu(replace(VARIANTS["moses"], name="<img src=x onerror=alert(1)>")))
    assert "<img" not in named._repr_html_()


def test_a_score_that_underflows_is_not_without_a_match():
    for choices in ({}, {"metric": "moses", "max_order": 1}, {"metric": "arithmetic-mean", "max_order": 1}):
        explanation = explain(["a"], [["a"] + ["b"] * 999], weights=(1,), **choices)
        text = str(explanation)
        assert explanation.score == 0
        assert "because" not in text
        assert "score = 0 * " in text and text.endswith("= 0")
        assert "1/1" in text


@pytest.mark.parametrize("weights", [(Fraction(1, 2),) * 2, (Fraction(1, 3), Fraction(2, 3)), (Decimal("0.5"), 0.5)])
def test_weights_of_other_kinds(weights):
    floats = tuple(map(float, weights))
    for variant in ("moses", "arithmetic-mean"):
        explained = explain(HYPOTHESIS, REFERENCES, metric=Bleu(variant, weights=weights))
        assert str(explained) == str(explain(HYPOTHESIS, REFERENCES, metric=Bleu(variant, weights=floats)))
        assert f"{'1/3' if floats[0] == 1 / 3 else floats[0]} * " in str(explained)


LINE = "The cat sat, on a Mat."
LINES = ["The cat is on the mat.", "A cat, it sat."]


@pytest.mark.parametrize("name", VARIANTS)
def test_raw_text_is_split_as_the_tool_of_the_metric_splits_it(name):
    split = tokenizer(tool_tokenizer(name))
    tokens = split(LINE), list(map(split, LINES))
    assert str(explain(LINE, LINES, metric=name)) == str(explain(*tokens, metric=name))
    assert blind_spots(LINE, LINES, name) == blind_spots(*tokens, name)


@pytest.mark.filterwarnings("ignore::UserWarning")  # of orders without a match
@pytest.mark.parametrize(
    ("hypothesis", "references", "read"),
    [
        (LINE, LINES[0], [LINES[0].split()]),
        (LINE.encode(), [LINES[0].encode(), None], [LINES[0].split()]),
        (LINE.split(), LINES[0].split(), [LINES[0].split()]),
        (tuple(LINE.split()), [LINES[0].split(), []], [LINES[0].split(), []]),
        ([("a", 1)], [("a", 1), ("b", 2)], [[("a", 1), ("b", 2)]]),
        ([5, 6], [[5, 6], [7]], [[5, 6], [7]]),
        (np.array([5, 6]), np.array([[5, 7], [6, 5]]), [[5, 7], [6, 5]]),
        (np.array([5, 6]), [5, 7], [[5, 7]]),
    ],
)
def test_the_references_of_one_segment_are_one_or_several(hypothesis, references, read):
    assert explain(hypothesis, references).references == tuple(map(tuple, read))


def test_weights_are_no_third_argument_so_that_calls_with_references_first_fail():
    with pytest.raises(TypeError, match="positional"):
        explain(REFERENCES, HYPOTHESIS, (0.5, 0.5))


ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("score", ["corpus BLEU: 0.5223\n"]),
        long("rerank", ["kjv: most like .* in 368 verses\n", " 39.49\n", " 40.04\n", ": 46.73; 46.85 after"]),
    ],
)
@pytest.mark.long_in_mirror
def test_the_example_scripts(name, shown, capsys):
    script = ROOT / "examples" / f"{name}.py"
    exec(compile(script.read_text(), str(script), "exec"), {"__file__": str(script), "__name__": "__main__"})
    printed = capsys.readouterr().out
    assert all(re.search(part, printed) for part in shown), printed


@pytest.mark.parametrize(("metric", "choices"), [("moses", {"metric": "moses"}), ("sacrebleu", {"max_order": 2})])
def test_the_weights_are_those_of_any_metric(metric, choices):
    segment = ["a", "b", "x"], [["a", "b", "c"]]
    expected = Bleu(metric, weights=(0.9, 0.1)).score(Bleu(max_order=2).count(*segment)).score
    assert explain(*segment, weights=(0.9, 0.1), **choices).score == expected
