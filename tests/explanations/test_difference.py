"""Explanations of differences between tools: the table, the rules with their points, and the segments."""

import math
import re
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import example, given, strategies as st

import cybleu
from cybleu import errors, explain_difference
from cybleu.metrics import VARIANTS, score
from cybleu.metrics.variants import tool_tokenizer
from cybleu.text import tokenizer
from inputs import DEFINITIONS, batches, counted_row, tokens

MOSES = VARIANTS["moses"]
LONGER_PENALTY = replace(MOSES, name="longer penalty", penalty_adds=1)
SHORTEST = replace(VARIANTS["sacrebleu"], name="shortest", reference_length="shortest")
EMPTY_AS_ONE = replace(VARIANTS["sacrebleu"], name="empty as one", empty_order="one")
AVERAGE = replace(MOSES, name="average", reference_length="average")
# On another scale than the tool's, which is no rule that makes a difference.
METHOD4_OF_100 = replace(
    VARIANTS["nltk"], name="nltk of 100", scale=100, smoothings=VARIANTS["nltk"].smoothings[-1:], mean="logs"
)

SETTINGS = [
    *DEFINITIONS,
    LONGER_PENALTY,
    AVERAGE,
    METHOD4_OF_100,
    replace(VARIANTS["nltk"], name="plain", short_segments_count=False, reference_length="shortest"),
    replace(VARIANTS["arithmetic-mean"], name="odd", no_match_at_all="smoothed", empty_order="one", scale=10),
]
settings = st.sampled_from(SETTINGS)


def only_difference(*arguments, **options):
    (difference,) = explain_difference(*arguments, **options).differences
    return difference


def rules(difference):
    return [cause.rule for cause in difference.causes]


def expected_score(corpus, setting, order, weights):
    """The score of the rows of the segments, as `cybleu.score` computes it."""
    name, smoothing = setting if isinstance(setting, tuple) else (setting, None)
    variant = VARIANTS.get(name, name)
    rows = [counted_row(*segment, order, variant.reference_length) for segment in zip(*corpus)]
    return score(rows, variant, weights=weights, smoothing=smoothing)


# ------------------------------------------------------------------------------------------------------ one rule alone


@pytest.mark.parametrize(
    ("case", "lower", "higher", "rule", "points", "orders", "segments"),
    [
        ("A", "sacrebleu", ("nltk", "method3"), "short_segments_count", 84.0896, (4,), (0,)),
        ("D", "sacrebleu", "mteval-v13a", "no_match_at_all", 7.9868, (), ()),
        ("D", "moses", "mteval-v13a", "smoothing", 7.9868, (1, 2, 3, 4), ()),
        ("B", "multi-bleu", "sacrebleu", "smoothing", 59.4604, (4,), ()),
        ("C", ("sacrebleu", "floor"), ("sacrebleu", "add-k"), "smoothing", 33.8179, (2, 3, 4), ()),
        ("B", "multi-bleu", "arithmetic-mean", "mean", 47.9167, (), ()),
        ("G", "sacrebleu", SHORTEST, "reference_length", 11.7503, (), (0,)),
        ("A", "sacrebleu", EMPTY_AS_ONE, "empty_order", 100, (4,), ()),
    ],
)
def test_one_rule_alone(case, lower, higher, rule, points, orders, segments):
    corpus = tokens(case)
    for pair in ((lower, higher), (higher, lower)):
        difference = only_difference(*corpus[::-1], pair)
        (cause,) = difference.causes
        assert (cause.rule, cause.orders, cause.segments) == (rule, orders, segments)
        assert cause.points == pytest.approx(difference.points)
        assert difference.points == pytest.approx(points, abs=1e-4)


def test_a_tool_that_fails_is_in_the_table():
    comparison = explain_difference(*tokens("E")[::-1])
    failed = {scored.name: scored.failure for scored in comparison.scores if scored.bleu is None}
    assert [*failed] == ["mteval-v13a", "multi-bleu", "huggingface"]
    assert all("have no token" in reason for reason in failed.values())
    assert comparison.differences == ()
    assert re.search("multi-bleu +- +fails  the hypotheses have no token", str(comparison))
    assert " above " not in str(comparison)
    assert all(math.isnan(scored.score) == (scored.bleu is None) for scored in comparison.scores)


def test_two_rules_and_their_segments():
    references = [["a b c d e f g".split(), "a b c d".split()], [["h"]], [["i", "j"]]]
    hypotheses = ["a b c d e f".split(), ["h"], ["i", "k"]]
    difference = only_difference(hypotheses, references, ("nltk", "huggingface"))
    assert difference.lower.name == "nltk"
    short, length = difference.causes
    assert (short.rule, short.orders, short.segments) == ("short_segments_count", (2, 3, 4), (1, 2))
    assert (short.before.totals, short.after.totals) == ((9, 7, 6, 5), (9, 6, 4, 3))
    assert (length.rule, length.orders, length.segments) == ("reference_length", (), (0,))
    assert (length.before.reference_length, length.after.reference_length) == (10, 7)
    assert short.points + length.points == pytest.approx(difference.points)
    # 8 and 4 tokens are equally close to 6, and the shorter is taken, so that the closest is also the shortest
    references[0][0].append("h")
    assert rules(only_difference(hypotheses, references, ("nltk", "huggingface"))) == ["short_segments_count"]


def test_rules_that_are_needed_together():
    difference = only_difference(*tokens("D")[::-1], ("multi-bleu", "mteval-v13a"))
    gate, smoothing = difference.causes
    assert (gate.rule, gate.points) == ("no_match_at_all", pytest.approx(difference.points))
    assert (smoothing.rule, smoothing.points, smoothing.before.score) == ("smoothing", 0, 0)
    assert "also required: with the rule of multi-bleu, mteval-v13a would score 0.0000" in str(
        explain_difference(*tokens("D")[::-1], ("multi-bleu", "mteval-v13a"))
    )


def test_the_order_in_which_rules_change():
    def of(references, hypotheses, *variants):
        return [
            (cause.rule, round(cause.points, 2)) for cause in only_difference(hypotheses, references, variants).causes
        ]

    # what an empty order is, while short segments leave none empty
    assert of(*tokens("A"), ("nltk", "method3"), "mteval-v13a") == [("short_segments_count", 15.91), ("empty_order", 0)]
    # short segments, under a mean that does not pass over precisions of 0
    assert of(*tokens("A"), ("nltk", "method1"), ("sacrebleu", "add-k")) == [
        ("short_segments_count", -56.23),
        ("smoothing", 100),
    ]
    # smoothing, while short segments do not count, from either side
    corpus = [["a b c x".split()], [["e"]]], ["a b c d".split(), ["e"]]
    assert of(*corpus, ("nltk", "method1"), "sacrebleu") == [("short_segments_count", 11.84), ("smoothing", 20.02)]
    assert of(*corpus, ("sacrebleu", "floor"), ("nltk", "method3")) == [
        ("smoothing", 20.02),
        ("short_segments_count", -17.7),
    ]


def test_a_formula_without_a_value_on_the_way():
    # the orders that NLTK 3.2 does not skip have no weight, so logarithms would have no mean
    references = [[["a", "b", "c"]]]
    hypotheses = [["a", "x", "c"]]
    difference = only_difference(hypotheses, references, ("sacrebleu", "nltk-3.2"), order=2, weights=(0, 1))
    assert rules(difference) == ["smoothing"]
    assert difference.causes[0].points == pytest.approx(difference.points)


def test_orders_without_weight_are_not_named():
    difference = only_difference(*tokens("H")[::-1], ("nltk", "sacrebleu"), weights=(0.5, 0.5, 0, 0))
    assert difference.causes[0].orders == (2,)
    assert explain_difference(*tokens("H")[::-1], ("nltk", "multi-bleu"), weights=(1, 0, 0, 0)).differences == ()


def test_operations_in_another_order():
    comparison = explain_difference(*tokens("F")[::-1], ("mteval-v13a", "sacrebleu"))
    assert comparison.differences[0].causes == ()
    assert " above " not in str(comparison)


# ----------------------------------------------------------------------------------------------------- classes of input


compared = given(
    batches(min_size=1), st.lists(settings, min_size=2, max_size=3, unique=True), st.integers(1, 6), st.booleans()
)


def compare(corpus, variants, order, weighted):
    """Return the comparison and its weights."""
    weights = tuple(2 * n / (order * (order + 1)) for n in range(order, 0, -1)) if weighted else None
    return explain_difference(*corpus[::-1], variants, order, weights), weights


@compared
def test_the_table_has_the_score_or_the_failure_of_each_tool(corpus, variants, order, weighted):
    comparison, weights = compare(corpus, variants, order, weighted)
    assert str(comparison).count("\n") >= len(variants)
    for setting, scored in zip(variants, comparison.scores):
        if scored.bleu is None:
            with pytest.raises((errors.CybleuError, ArithmeticError)) as caught:
                expected_score(corpus, setting, order, weights)
            assert str(caught.value) == scored.failure
        else:
            assert scored.bleu == expected_score(corpus, setting, order, weights)
            assert scored.score == 100 / scored.bleu.scale * scored.bleu.score


@compared
def test_scores_that_differ_are_explained_in_any_order(corpus, variants, order, weighted):
    comparison, weights = compare(corpus, variants, order, weighted)
    scores = [scored.score for scored in comparison.scores if scored.bleu]
    differ = sum(one != other for one, other in combinations(scores, 2))
    turned = explain_difference(*corpus[::-1], variants[::-1], order, weights)
    assert len(comparison.differences) == differ
    assert sorted(map(repr, turned.differences)) == sorted(map(repr, comparison.differences))


@compared
def test_the_points_of_the_rules_add_up(corpus, variants, order, weighted):
    for difference in compare(corpus, variants, order, weighted)[0].differences:
        points = [cause.points for cause in difference.causes]
        assert difference.points > 0 and len(set(rules(difference))) == len(points)
        if not points:
            assert difference.lower.score == pytest.approx(difference.higher.score, rel=1e-10, abs=0)
        else:
            assert any(points) and math.fsum(points) == pytest.approx(difference.points, rel=1e-6, abs=1e-9)


ONE_RULE = {
    "reference_length": ["closest", "closest-first", "shortest", "average"],
    "short_segments_count": [False, True],
    "empty_order": ["zero", "one", "end"],
    "no_match_at_all": ["zero", "smoothed"],
    "mean": ["logs", "exact", "arithmetic"],
    "penalty_adds": [0, 1, 2.5],
    "smoothings": [smoothing for name in ("nltk", "sacrebleu", "moses") for smoothing in [VARIANTS[name].smoothings]],
}


RULES = st.sampled_from([(rule, value) for rule, values in ONE_RULE.items() for value in values])


@given(batches(min_size=1), st.sampled_from([*VARIANTS]), RULES)
@example(tokens("G"), "sacrebleu", ("reference_length", "average"))
@example(tokens("H"), "sacrebleu", ("short_segments_count", True))
@example(tokens("A"), "sacrebleu", ("empty_order", "one"))
@example(tokens("D"), "mteval-v13a", ("no_match_at_all", "zero"))
@example(tokens("B"), "mteval-v13a", ("mean", "arithmetic"))
@example(([[[]]], [[]]), "codexglue", ("short_segments_count", True))
@example(tokens("B"), "sacrebleu", ("penalty_adds", 1))
@example(tokens("B"), "sacrebleu", ("smoothings", VARIANTS["moses"].smoothings))
def test_variants_with_one_rule_between_them(corpus, name, changed):
    rule, value = changed
    other = replace(VARIANTS[name], name="other", **{rule: value})
    comparison = explain_difference(*corpus[::-1], (name, other))
    if None in (scored.bleu for scored in comparison.scores):
        return
    for difference in comparison.differences:
        assert difference.causes or difference.lower.score == pytest.approx(difference.higher.score, rel=1e-10, abs=0)
        for cause in difference.causes:
            assert cause.rule == rule.replace("smoothings", "smoothing")
            assert cause.points == pytest.approx(difference.points, rel=1e-9)
            assert (cause.before.score, cause.after.score) == (
                difference.lower.bleu.score,
                difference.higher.bleu.score,
            )


def test_the_same_twice_and_names():
    comparison = explain_difference(
        *tokens("B")[::-1], ("moses", replace(MOSES, penalty_adds=1), ("moses", "add"), "moses")
    )
    assert [scored.name for scored in comparison.scores] == ["moses", "moses", "moses:add", "moses"]
    assert {scored.name: scored.bleu.signature for scored in comparison.scores}["moses:add"] == (
        "variant:moses|order:4|weights:uniform|smooth:add[1]|eff:no"
    )
    assert {difference.higher.name for difference in comparison.differences} == {"moses:add"}


def test_many_segments_are_shortened_in_the_text_only():
    references = [[["a", "b", "c", "d"]], *[[["x"]]] * 30]
    hypotheses = [["a", "b", "c", "d"], *[["x"]] * 30]
    comparison = explain_difference(hypotheses, references, ("nltk", "sacrebleu"))
    (cause,) = comparison.differences[0].causes
    assert cause.segments == tuple(range(1, 31))
    assert "30 segments (1, 2, 3, 4, 5, ...): 2-grams 3/33 = 9.09091 -> 3/3 = 100" in str(comparison)
    assert "30 lines (2, 3, 4, 5, 6, ...): 2-grams 3/33 = 9.09091 -> 3/3 = 100" in comparison.format("line", 1)


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", ["codexglue", "tensor2tensor"])
def test_tools_whose_tokenisers_are_written_in_python(name, lowercase):
    references = [["A (b). c", "a"], ["d (e)-f g"]]
    hypotheses = ["a b. c", "d (e) - F g"]
    found = explain_difference(hypotheses, references, (name, "moses"), tokenize="of-tools", lowercase=lowercase)
    split = tokenizer(tool_tokenizer(name), lowercase)
    tokens = list(map(split, hypotheses)), [list(map(split, texts)) for texts in references]
    assert found.scores[0].score == explain_difference(*tokens, (name,)).scores[0].score


def test_raw_text_has_the_tokens_of_each_tool_unless_a_tokeniser_is_named():
    hypotheses = ["The cat, it sat.", "It rains!"]
    references = ["The cat sat.", "It rains."]
    found = explain_difference(hypotheses, references)
    assert [scored.tokenize for scored in found.scores] == ["none", "13a", "13a", "ascii", "none", "13a"]
    for scored in found.scores:
        assert scored.bleu == score(cybleu.rows(hypotheses, references, tokenize=scored.tokenize), scored.variant)
    assert found == explain_difference(hypotheses, [[text] for text in references], tokenize="of-tools")
    named = explain_difference(hypotheses, references, tokenize="char")
    assert {scored.tokenize for scored in named.scores} == {"char"}


def test_a_difference_of_tokens_is_explained():
    references = [["The cat, it sat there.", "A cat sat."], ["It rains a lot now."], ["so"]]
    hypotheses = ["The cat, it sat there!", "It rains a lot now.", "so"]
    comparison = explain_difference(hypotheses, references, ("sacrebleu", "moses"), tokenize="of-tools")
    (difference,) = comparison.differences
    cause = difference.causes[0]
    assert (cause.rule, cause.orders, cause.segments) == ("tokenize", (), (0, 1))
    assert {cause.before.hypothesis_length, cause.after.hypothesis_length} == {11, 14}
    assert sum(cause.points for cause in difference.causes) == pytest.approx(difference.points)
    assert re.search(r"2 segments \(0, 1\): hypothesis length 11 -> 14, .*\s1-grams ", str(comparison), re.S)
