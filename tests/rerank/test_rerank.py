"""Rerankers: weighted features, oracles and minimum Bayes risk."""

import functools
import itertools
import math
import tracemalloc
import warnings
from dataclasses import replace
from fractions import Fraction

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from sacrebleu.metrics.bleu import BLEU

import nbest_lists
from cybleu import rerank
from cybleu.errors import EmptyHypothesisError
from cybleu.metrics import VARIANTS, Metric, score
from cybleu.nbest import NBest
from cybleu.rerank import antioracle, linear, oracle
from inputs import DEFINITIONS

mbr = functools.partial(rerank.mbr, tokenize=str.split)

WORDS = ["the", "cat", "sat", "on", "mat", "a"]
texts = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
nbests = nbest_lists.lists(["lm", "length"], sparse=False)
# whose scores are functions of the sum of rows
OF_CORPORA = [(name, smoothing) for name, smoothing in DEFINITIONS if VARIANTS[name].level == "corpus"]
best_and_worst = pytest.mark.parametrize(("find", "sign"), [(oracle, 1), (antioracle, -1)], ids=["best", "worst"])


def by_segment(nbest):
    return [range(start, stop) for start, stop in itertools.pairwise(nbest.offsets.tolist())]


# ------------------------------------------------------------------------------------------------------------ features


weighted = given(
    nbest_lists.lists(["lm", "length"], sparse=False, few=True),
    st.lists(st.sampled_from([0.0, 1.0, -1.0, 0.1, 7.0]), min_size=2, max_size=2),
)


def sums_of(nbest, weights):
    return [0.0 + lm * weights[0] + length * weights[1] for lm, length in nbest.features.tolist()]


@weighted
def test_linear_takes_the_first_of_the_highest(nbest, weights):
    sums = sums_of(nbest, weights)
    best = linear(nbest, weights)
    assert best.scores.tolist() == sums
    assert best.rows.tolist() == [max(rows, key=sums.__getitem__) if rows else -1 for rows in by_segment(nbest)]


@weighted
def test_what_a_selection_says_of_its_rows(nbest, weights):
    best = linear(nbest, dict(zip(nbest.names, weights)))
    chosen = [*zip(best.rows.tolist(), by_segment(nbest))]
    assert best.texts == [nbest.texts[row] if row >= 0 else "" for row, _ in chosen]
    assert best.positions.tolist() == [row - rows[0] if rows else -1 for row, rows in chosen]


@weighted
def test_the_best_first(nbest, weights):
    sums = sums_of(nbest, weights)
    ordered = linear(nbest, weights).best_first()
    expected = [row for rows in by_segment(nbest) for row in sorted(rows, key=lambda row: -sums[row])]
    assert ordered.index.tolist() == expected
    assert ordered.model_scores.tolist() == [sums[row] for row in expected]
    assert ordered.texts == [nbest.texts[row] for row in expected]
    assert (ordered.stats == nbest.stats[expected]).all()


# -------------------------------------------------------------------------------------------------------------- oracle


@best_and_worst
@given(nbests, st.sampled_from(OF_CORPORA))
def test_the_sentence_oracle_is_the_best_by_sentence_bleu(find, sign, nbest, definition):
    variant, smoothing = definition
    effective = VARIANTS[variant].empty_order == "end"
    rules = replace(VARIANTS[variant], fails="never")

    def value(row):
        if row < 0 or not nbest.stats[row, 0]:
            return 0.0
        return score(nbest.stats[row], rules, smoothing=smoothing, effective_order=effective).score

    found = find(nbest, "sentence", variant, smoothing=smoothing)
    assert found.scores.tolist() == [value(row) for row in range(len(nbest.features))]
    assert found.rows.tolist() == [
        max(candidates, key=lambda row: sign * value(row)) for candidates in candidates_of(nbest, sign)
    ]


def candidates_of(nbest, sign):
    """The hypotheses of each segment that may be chosen: the best one has tokens, if one has; -1 where there is none."""
    return [
        [row for row in rows if sign < 0 or nbest.stats[row, 0]] or list(rows) or [-1] for rows in by_segment(nbest)
    ]


def corpus_score(nbest, rows, variant, smoothing):
    stats = nbest.stats[[row for row in rows if row >= 0]]
    if not len(stats):
        return 0.0
    try:
        return score(stats, variant, smoothing=smoothing).score
    except EmptyHypothesisError:
        return score(stats, replace(VARIANTS[variant], fails="never"), smoothing=smoothing).score


def test_the_corpus_oracle_goes_on_until_a_pass_improves_nothing():
    lengths, matches = np.random.default_rng(5).integers([[5], [1]], [[15], [6]], (2, 100))
    stats = np.array([[length, 10, match, length] for length, match in zip(lengths.tolist(), matches.tolist())])
    nbest = NBest(range(0, 101, 5), np.zeros((100, 1)), stats)
    found = oracle(nbest, "corpus", "moses")
    assert 1 < found.passes < 20 and found.score > oracle(nbest, "corpus", "moses", passes=1).score
    total = stats[found.rows].sum(axis=0)
    for row, chosen in enumerate(np.repeat(found.rows, 5).tolist()):
        assert score(total - stats[chosen] + stats[row], "moses").score <= found.score


@best_and_worst
@given(nbests, st.sampled_from(OF_CORPORA), st.integers(0, 3), st.sampled_from([1, 20]))
def test_the_corpus_oracle_starts_at_that_of_sentences(find, sign, nbest, definition, seed, passes):
    variant, smoothing = definition
    of_sentences = find(nbest, "sentence", variant, smoothing=smoothing)
    found = find(nbest, "corpus", variant, smoothing=smoothing, seed=seed, passes=passes)
    assert found.start == corpus_score(nbest, of_sentences.rows, variant, smoothing)
    assert found.score == corpus_score(nbest, found.rows, variant, smoothing)
    assert found.gain == sign * (found.score - found.start) >= 0


@best_and_worst
@given(nbests, st.sampled_from(OF_CORPORA), st.integers(0, 3))
def test_no_other_hypothesis_of_a_segment_improves_the_corpus_oracle(find, sign, nbest, definition, seed):
    found = find(nbest, "corpus", definition[0], smoothing=definition[1], seed=seed)
    assume(found.passes < 20)
    for segment, candidates in enumerate(candidates_of(nbest, sign)):
        assert found.rows[segment] in candidates
        for row in candidates:
            other = [*found.rows[:segment], row, *found.rows[segment + 1 :]]
            assert sign * corpus_score(nbest, other, *definition) <= sign * found.score


@given(nbests)
def test_the_corpus_oracle_is_the_same_in_each_run(nbest):
    assert oracle(nbest, "corpus").rows.tolist() == oracle(nbest, "corpus").rows.tolist()


def test_an_empty_hypothesis_never_wins_by_accident():
    nbest = NBest.from_texts([["", "x y"], ["", ""]], [["a b"], ["c"]], tokenize=str.split)
    for level in ("sentence", "corpus"):
        for variant, smoothing in OF_CORPORA:
            assert oracle(nbest, level, variant, smoothing=smoothing).rows.tolist() == [1, 2]
            assert antioracle(nbest, level, variant, smoothing=smoothing).rows.tolist() == [0, 2]


def test_lists_without_any_hypothesis():
    nbest = NBest.from_texts([[], []], [["a b"], ["c"]], tokenize=str.split)
    for selection in (oracle(nbest), oracle(nbest, "corpus"), antioracle(nbest, "corpus"), linear(nbest, [])):
        assert selection.rows.tolist() == [-1, -1]
        assert selection.texts == ["", ""]
    assert mbr([[], []]).rows.tolist() == [-1, -1]
    nothing = NBest([0], np.zeros((0, 1)), np.zeros((0, 4), dtype=np.int64))
    for selection in (oracle(nothing), oracle(nothing, "corpus"), linear(nothing, [1.0]), mbr([])):
        assert len(selection) == 0


# ----------------------------------------------------------------------------------------------------------------- MBR


def expected_utilities(hypotheses, evidence, posterior, bleu):
    total = math.fsum(posterior)
    return [
        math.fsum(p * bleu(reference, hypothesis) for p, reference in zip(posterior, evidence)) / total
        for hypothesis in hypotheses
    ]


def sacrebleu_of(reference, hypothesis):
    return BLEU(effective_order=True, tokenize="none").sentence_score(hypothesis, [reference]).score


def nltk_of(reference, hypothesis):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method1 = nltk_bleu.SmoothingFunction().method1
        return nltk_bleu.sentence_bleu([reference.split()], hypothesis.split(), smoothing_function=method1)


TOOLS = [({}, sacrebleu_of), ({"metric": "nltk", "smoothing": "method1"}, nltk_of)]


@given(
    st.lists(texts, min_size=1, max_size=6),
    st.lists(texts, max_size=4),
    st.sampled_from(TOOLS),
    st.booleans(),
    st.data(),
)
def test_mbr_is_the_loop_over_sentence_bleu(hypotheses, others, definition, uniform, data):
    arguments, bleu = definition
    evidence = others or hypotheses
    posterior = [1.0] * len(evidence)
    if not uniform:
        number = st.sampled_from([1.0, 0.5, 0.25, 2.0, 0.0])
        posterior = data.draw(st.lists(number, min_size=len(evidence), max_size=len(evidence)).filter(any))
    best = mbr([hypotheses], [posterior], evidence=[others] if others else None, **arguments)
    expected = expected_utilities(hypotheses, evidence, posterior, bleu)
    assert best.scores == pytest.approx(expected, rel=1e-12, abs=1e-12)
    filled = [row for row, text in enumerate(hypotheses) if text] or [0]
    assert best.rows.tolist() == [max(filled, key=expected.__getitem__)]
    assert best.texts == [hypotheses[best.rows[0]]]


class Table(Metric):
    """Scores of pairs of texts that are numbers, from a table."""

    name = "table"
    columns = ("hypothesis", "reference")

    def __init__(self, table):
        object.__setattr__(self, "table", table)

    def count(self, hypothesis, references):
        return [int(hypothesis[0]), int(references[0][0])]

    def evaluate(self, row):
        return self.table[row[0]][row[1]]


PARTS = st.sampled_from([0.0, 1.0, 3.0, 100.0, 1 / 3, *(2.0**-n for n in (1, 52, 53, 54, 106, 107, 159, 600))])
SIGNED = st.builds(lambda size, more, sign: sign * (size + more), PARTS, PARTS, st.sampled_from([1, 1, -1]))
SIZES = st.sampled_from([5e-324, 1e-308, 1e-160, 1e160, 1e290, 1e307])


@given(st.integers(1, 12), st.booleans(), st.data())
def test_the_sum_of_equally_probable_utilities_is_rounded_once(size, wide, data):
    number = st.one_of(SIGNED, SIZES) if wide else SIGNED
    table = data.draw(st.lists(st.lists(number, min_size=size, max_size=size), min_size=size, max_size=size))
    found = rerank.mbr([[[str(place)] for place in range(size)]], metric=Table(table))
    assert found.scores.tolist() == [float(sum(map(Fraction, row))) / size for row in table]


@pytest.mark.thread_unsafe(reason="it measures the memory of the process")
@pytest.mark.long_in_mirror
@pytest.mark.parametrize("posterior", [None, range(1, 1001)])
def test_the_memory_of_mbr_does_not_grow_with_the_pairs(posterior):
    samples = [[f"word {number}", f"word {number % 7}"] for number in range(1000)]
    rerank.mbr([samples], posterior)  # imports what it needs
    tracemalloc.start()
    try:
        rerank.mbr([samples], posterior)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * len(samples) ** 2 / 2  # bytes; a matrix of the scores takes twice as many


@given(
    st.lists(texts, min_size=1, max_size=5),
    st.lists(st.floats(0.001, 1), min_size=5, max_size=5),
    st.sampled_from([1e-300, 2.0, 0.3, 1e300]),
)
def test_the_scale_of_the_posterior_makes_no_difference(hypotheses, numbers, factor):
    posterior = np.array(numbers[: len(hypotheses)])
    one = mbr([hypotheses], posterior)
    other = mbr([hypotheses], [posterior * factor])
    of_scores = mbr([hypotheses], scores=2 * np.log(posterior) + 1000, scale=0.5)
    for again in (other, of_scores):
        assert again.scores == pytest.approx(one.scores, rel=1e-9, abs=1e-9)
        assert one.scores[again.rows[0]] == pytest.approx(one.scores[one.rows[0]], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("variant", ["sacrebleu", "huggingface"])
def test_an_empty_text_is_chosen_only_where_all_are(variant):
    lists = [["", "", "", "x"], ["", ""], [""], ["a"]]
    best = mbr(lists, metric=variant)
    assert best.positions.tolist() == [3, 0, 0, 0]
    assert best.scores[:3].tolist() == [0.0] * 3
    assert best.scores[4:7].tolist() == [0.0] * 3


def test_pruned_texts_do_not_count():
    hypotheses = ["a b c d", "a b c e", "x y z", ""]
    kept = mbr([hypotheses], [[8, 4, 1, 8]], prune=2)
    assert kept.scores[:2].tolist() == mbr([hypotheses[:2]], [[8, 4]]).scores.tolist()
    assert np.isnan(kept.scores).tolist() == [False, False, True, True]
    separate = mbr([hypotheses], [[3, 2, 1]], evidence=[hypotheses[:3]], prune=1)
    assert separate.scores.tolist() == mbr([hypotheses], evidence=[hypotheses[:1]]).scores.tolist()
    assert mbr([["", ""]], [[1, 2]], prune=1).rows == [1]


def test_the_worst_are_ranked_first():
    worst = antioracle(NBest.from_texts([["a b c d", "a b", "a c"]], [["a b c e"]], max_order=1))
    assert worst.ranked().tolist()[0] == worst.rows.tolist()[0] != 0
