"""Definitions of BLEU against NLTK and sacreBLEU, on Moses's worked cases, and by the formulas of scripts."""

import math
import warnings
from contextlib import nullcontext
from dataclasses import replace
from enum import Enum

import nltk.translate.bleu_score as nltk_bleu
import pytest
from hypothesis import assume, given, strategies as st
from sacrebleu.metrics.bleu import BLEU

import cybleu
from cybleu import errors, explain_difference, metrics
from cybleu.bleu_score.parts import segment_counts
from cybleu.metrics import VARIANTS, Bleu, BleuScore, Variant, score
from inputs import corpora, segments


def test_a_perfect_match_of_multi_bleu():
    # the script multiplies by 100 in the end; sacreBLEU takes logarithms of 100
    perfect = [5, 5, 5, 4, 3, 2, 5, 4, 3, 2]
    result = score(perfect, "multi-bleu")
    assert (result.score, result.precisions) == (100, (100,) * 4)
    assert cybleu.scores([perfect], "multi-bleu").tolist() == [100]
    assert cybleu.pairs([list("abcde")] * 2, metric="multi-bleu").tolist() == [[100, 100]] * 2
    assert score(perfect).score == BLEU().corpus_score(["a b c d e"], [["a b c d e"]]).score != 100


@given(segments())
def test_multi_bleu_counts_as_the_script(segment):
    references, hypothesis = segment
    assume(hypothesis)
    row = segment_counts(references, hypothesis, 4)
    logs = 0.0
    for matched, total in zip(row[2:6], row[6:]):
        logs += math.log(matched / total) if matched else -9999999999
    penalty = math.exp(1 - row[1] / row[0]) if row[0] < row[1] else 1
    assert (
        cybleu.scores([row], "multi-bleu")[0] == score(row, "multi-bleu").score == 100 * (penalty * math.exp(logs / 4))
    )


@given(segments())
def test_mteval_counts_as_the_script(segment):
    row = segment_counts(*segment, 4)
    penalty = math.exp(min(0.0, 1 - row[1] / row[0])) if row[0] else 0.0
    assume(row[1] and penalty)  # without smoothing it divides by the one and takes the logarithm of the other
    logs = 0.0
    factor = 1
    for matched, total in zip(row[2:6], row[6:]):
        factor *= 2 if total and not matched else 1
        logs += math.log(matched / total if matched else 1 / (factor * total)) if total else 0.0
    assert score(row, "mteval-v13a").score == pytest.approx(math.exp(logs / 4) * penalty, rel=1e-12, abs=0)
    expected = math.exp(logs / 4) * penalty if all(row[2:6]) else 0.0
    assert score(row, "mteval-v13a", smoothing="none").score == pytest.approx(expected, rel=1e-12, abs=0)


# Texts on which a tool may fail: the reference and the hypothesis of a segment.
HARD = {
    "no hypothesis": ("a b c d", ""),
    "no reference": ("", "a b c d"),
    "no text": ("", ""),
    "penalty below the smallest float": ("a " * 2000, "a"),
    "no match and no penalty": ("a " * 2000, "b"),
}
# Of each definition those on which its tool fails. mteval prints the logarithm of the penalty if it smooths, and divides
# by the reference length; multi-bleu.perl prints 0 for empty references before it divides by the other length.
FAILURES = {
    "mteval-v13a": tuple(HARD),
    "mteval-v13a:none": (),
    "multi-bleu": ("no hypothesis",),
    "huggingface": ("no hypothesis", "no reference", "no text"),
    "huggingface:smooth": ("no hypothesis", "no reference", "no text"),
}


@pytest.mark.parametrize("variant", [*VARIANTS, *(name for name in FAILURES if name not in VARIANTS)])
@pytest.mark.parametrize("text", HARD)
def test_a_variant_fails_where_its_tool_fails(variant, text):
    reference, hypothesis = map(str.split, HARD[text])
    row = segment_counts([reference], hypothesis, 4)
    fails = text in FAILURES.get(variant, ())
    expectation = pytest.raises(errors.EmptyHypothesisError) if fails else nullcontext()
    explained = explain_difference([hypothesis], [[reference]], [variant]).scores[0]
    assert (explained.bleu is None) == fails
    with expectation:
        assert score(row, variant).score == explained.bleu.score
    found = cybleu.scores([row, row], variant).tolist()  # which do not fail, so that searches can go on
    assert found == [found[0]] * 2 if fails else found == [explained.bleu.score] * 2
    (pairs,) = cybleu.pairs([hypothesis], [reference], metric=variant)[0]
    with nullcontext() if variant == "mteval-v13a" else expectation:  # it prints the penalty for the corpus alone
        assert pairs == metrics.find(variant).of_sentences().score(row).score
    assert 0 <= pairs <= metrics.find(variant).scale
    assert 0 <= cybleu.reward_scores([hypothesis], [[reference]], metric=variant)[0] <= 1


def test_worked_cases_of_moses():
    row = [6, 7, 6, 4, 2, 1, 6, 5, 4, 3]
    # Moses states them to four digits, not rounded
    assert score(row, "moses").score == pytest.approx(0.5115, abs=1e-4)
    assert score(row, "moses", smoothing="add").score == pytest.approx(0.5985, abs=1e-4)
    assert score(row, "moses", smoothing="add", smoothing_value=0.5).score == pytest.approx(0.5624, abs=1e-4)
    longer = replace(VARIANTS["moses"], penalty_adds=1)
    assert score(row, longer, smoothing="add").score == pytest.approx(0.5067, abs=1e-4)
    joshua = [27, 23, 14, 8, 5, 3, 27, 26, 25, 24]
    assert f"{score(joshua, 'moses').score:.4f}" == "0.2513"


@given(corpora(), st.sampled_from([None, "method0", "method1", "method2", "method3", "method4"]))
def test_equal_to_nltk(corpus, smoothing):
    assume(corpus[1])
    segment_rows = [segment_counts(*segment, 4) for segment in zip(*corpus)]
    function = None if smoothing is None else getattr(nltk_bleu.SmoothingFunction(), smoothing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = nltk_bleu.corpus_bleu(*corpus, smoothing_function=function)
        # of several segments from the sum too, with the n-grams that NLTK counts in short segments
        metric = Bleu("nltk", smoothing=smoothing)
        counted = [metric.count(hypothesis, references) for references, hypothesis in zip(*corpus)]
        summed = [sum(column) for column in zip(*counted)]
    assert metric.total(counted) == metric.total([summed]) == summed
    if all(map(any, segment_rows)):  # a row of zeros is the total of no segments
        assert metric.total(segment_rows) == summed
    for given_rows in (segment_rows, counted, summed):
        assert score(given_rows, "nltk", smoothing=smoothing).score == expected


@given(corpora())
def test_equal_to_the_rule_of_nltk_3_2(corpus):
    assume(corpus[1])
    segment_rows = [segment_counts(*segment, 4) for segment in zip(*corpus)]
    assert score(segment_rows, "nltk-3.2", weights=(0.4, 0.3, 0.2, 0.1)).score == cybleu.corpus_bleu(
        *corpus, (0.4, 0.3, 0.2, 0.1), cybleu.nltk_3_2
    )


@given(
    segments(),
    st.integers(1, 6),
    st.sampled_from(["none", "exp", "floor", "add-k"]),
    st.sampled_from([None, 0.5, 2, 1e-6]),
    st.booleans(),
)
def test_equal_to_sacrebleu(segment, order, smoothing, value, effective_order):
    if smoothing in ("none", "exp"):
        value = None
    row = segment_counts(*segment, order)
    theirs = BLEU.compute_bleu(
        row[2 : 2 + order], row[2 + order :], row[0], row[1], smoothing, value, effective_order, order
    )
    ours = score(row, "sacrebleu", smoothing=smoothing, smoothing_value=value, effective_order=effective_order)
    assert (ours.score, list(ours.precisions), ours.brevity_penalty) == (theirs.score, theirs.precisions, theirs.bp)
    assert ours.ratio == theirs.ratio


def test_weights():
    row = [9, 9, 8, 5, 3, 1, 9, 8, 7, 6]
    uniform = score(row).score
    assert score(row, weights=(0.25,) * 4).score == pytest.approx(uniform)
    assert score(row, weights=(1, 0, 0, 0)).score == pytest.approx(100 * 8 / 9)
    assert score(row, "nltk", weights=(0.5, 0.5, 0, 0)).score == pytest.approx(math.sqrt(8 / 9 * 5 / 8))
    assert score(row, "arithmetic-mean").score == pytest.approx((8 / 9 + 5 / 8 + 3 / 7 + 1 / 6) / 4)


def test_smoothing_of_moses_adds_1_to_each_order():
    assert score([4, 4, 0, 0, 0, 0, 4, 3, 2, 1], "moses:add").score == pytest.approx((5 * 4 * 3 * 2) ** -0.25)


@pytest.mark.parametrize("name", ["sacrebleu", "nltk", "mteval-v13a", "multi-bleu", "moses", "huggingface"])
def test_without_the_penalty_a_short_text_scores_as_one_of_the_wanted_length(name):
    row = [5, 9, 4, 2, 1, 1, 5, 4, 3, 2]
    long_enough = [9, 9, 4, 2, 1, 1, 5, 4, 3, 2]
    assert score(row, name, brevity_penalty=False).score == score(long_enough, name).score


@pytest.mark.parametrize("name", ["sacrebleu", "tensor2tensor"])
def test_the_penalty_of_a_text_without_tokens_is_0(name):
    assert score([0, 4] + [0] * 8, name).brevity_penalty == 0


def test_a_definition_of_ones_own():
    mine = Variant("mine", scale=100, smoothings=(("plus", "add-all", 0.5),), empty_order="one")
    result = score([3, 4, 2, 1, 0, 0, 3, 2, 1, 0], mine)
    assert result.precisions == pytest.approx([250 / 3.5, 150 / 2.5, 50 / 1.5, 100])
    assert result.signature == "variant:mine|order:4|weights:uniform|smooth:plus[0.5]|eff:no"
    changed = replace(VARIANTS["moses"], penalty="none", penalty_adds=1)
    assert score([3, 4, 2, 1, 0, 0, 3, 2, 1, 0], changed).signature == (
        "variant:moses|order:4|weights:uniform|smooth:none|eff:no|penalty:none|penalty_adds:1"
    )


def test_the_result_prints_on_one_line():
    result = score([1989, 1852, 1070, 559, 314, 174, 1989, 1889, 1789, 1689])
    assert isinstance(result, BleuScore)
    assert str(result) == (
        f"BLEU|variant:sacrebleu|order:4|weights:uniform|smooth:exp|eff:no = {result.score:.2f} 53.8/29.6/17.6/10.3 "
        "(BP = 1.000 ratio = 1.074 hyp_len = 1989 ref_len = 1852)"
    )
    nltk = score([4, 4, 4, 3, 2, 1, 4, 3, 2, 1], "nltk")
    assert (nltk.score, nltk.scale) == (1.0, 1)
    assert "= 100.00 100.0/100.0/100.0/100.0 " in str(nltk)


def test_a_mean_of_segments_with_a_function_as_tokeniser():
    texts = ["a b c d e", "x y"]
    references = ["a b c d f", "x z"]
    expected = score(cybleu.rows(texts, references), level="mean").score
    for tokenize in (None, "none", str.split):
        assert cybleu.bleu(texts, references, level="mean", tokenize=tokenize).score == expected


@pytest.mark.parametrize(
    "option",
    [
        {"tokenize": "13a"},
        {"tokenize": "unicode"},
        {"tokenize": "rouge"},
        {"reference_length": "shortest"},
        {"smoothing": "floor"},
    ],
    ids=str,
)
def test_names_may_be_members_of_an_enum(option):
    ((name, value),) = option.items()
    member = Enum("Choice", {"made": value}, type=str).made
    assert cybleu.bleu(["a, b"], ["a, c"], **{name: member}) == cybleu.bleu(["a, b"], ["a, c"], **option)
