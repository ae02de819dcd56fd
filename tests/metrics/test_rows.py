"""Statistics rows from lists and from ids in every form, prepared references, and sums of rows."""

import pickle
from itertools import chain

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st

import cybleu
from cybleu import References, metrics
from cybleu.metrics import find, score, scores
from inputs import corpora, counted_row, matches_nothing, numbered_alike, others_against_ids, spliced_segments


def row_by_nltk(references, hypothesis, max_order, reference_length="closest"):
    lengths = [len(reference) for reference in references]
    chosen = {
        "closest": nltk_bleu.closest_ref_length(references, len(hypothesis)),
        "shortest": min(lengths),
        "average": int(sum(lengths) / len(lengths)),
    }[reference_length]
    precisions = [nltk_bleu.modified_precision(references, hypothesis, n) for n in range(1, max_order + 1)]
    totals = [max(0, len(hypothesis) - n) for n in range(max_order)]
    return [len(hypothesis), chosen, *(precision.numerator for precision in precisions), *totals]


@given(corpora(), st.integers(1, 6), st.sampled_from(["closest", "shortest", "average"]))
def test_token_lists(corpus, max_order, reference_length):
    assume(not matches_nothing(list(chain(*corpus[0])), corpus[1]))
    expected = [row_by_nltk(*segment, max_order, reference_length) for segment in zip(*corpus)]
    references, hypotheses = corpus
    stats = cybleu.rows(hypotheses, references, max_order=max_order, reference_length=reference_length)
    assert stats.dtype == np.int64
    assert stats.shape == (len(expected), 2 + 2 * max_order)
    assert stats.tolist() == expected


@given(corpora(), st.integers(1, 6), st.sampled_from(["closest", "shortest", "average"]))
def test_prepared_references(corpus, max_order, reference_length):
    assume(numbered_alike(corpus) and not matches_nothing(list(chain(*corpus[0])), corpus[1]))
    references, hypotheses = corpus
    assume(not others_against_ids(chain(*references), hypotheses))
    expected = [row_by_nltk(*segment, max_order, reference_length) for segment in zip(*corpus)]
    prepared = References(references)
    options = {"max_order": max_order, "reference_length": reference_length}
    assert cybleu.rows(hypotheses, prepared, **options).tolist() == expected
    owners = list(range(len(references)))[::-1] * 2
    if all(token == token for texts in references for text in texts for token in text):  # a NaN equals only itself
        prepared = pickle.loads(pickle.dumps(prepared))
    again = cybleu.rows([hypotheses[owner] for owner in owners], prepared, owner=owners, **options)
    assert again.tolist() == [expected[owner] for owner in owners]


FORMS = {
    "lists": (lambda tokens: tokens, lambda sets: sets),
    "lists, prepared": (lambda tokens: tokens, lambda sets: References(sets)),
    "raw text": (" ".join, lambda sets: [list(map(" ".join, group)) for group in sets]),
    "raw text, prepared": (" ".join, lambda sets: References([list(map(" ".join, group)) for group in sets])),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 7, 8, 9, *range(13, 19), 31, 32, 33, 40])
@pytest.mark.parametrize(("letter", "other"), ["ab", "éè"], ids=["of one byte", "of two bytes"])
def test_a_token_matches_no_other_that_differs_in_one_byte(form, size, letter, other):
    of_text, of_sets = FORMS[form]
    token = letter * size
    others = [f"{token[:place]}{other}{token[place + 1 :]}" for place in range(size)]
    texts = [of_text([token, "x"])] * size
    sets = of_sets([[[different, "x"]] for different in others])
    assert cybleu.rows(texts, sets, tokenize="none" if "raw" in form else None)[:, 2].tolist() == [1] * size


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")
@pytest.mark.parametrize("form", FORMS)
@given(spliced_segments())
@example(([[*"abcdxbcde"]], [*"abcde"]))
def test_orders_up_to_16(form, segment):
    of_text, of_sets = FORMS[form]
    references, hypothesis = segment
    options = {"max_order": 16, "tokenize": "none" if "raw" in form else None}
    found = cybleu.rows([of_text(hypothesis)], of_sets([references]), **options)
    assert found.tolist() == [counted_row(references, hypothesis, 16)]


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")
@pytest.mark.parametrize("length", [1, 4, 62, 63, 64, 65, 129, 255, 256, 257, 512, 514])
def test_every_position_and_every_reference_counts(length):
    """At the lengths where texts are counted in another way."""
    words = [f"w{number}" for number in range(length)]
    others = [word.upper() for word in words]
    for references, hypothesis in (
        ([words], words),
        ([others, words], words),  # the last one
        ([words, words[::-1]], words[: length // 2 + 1] * 2),  # the largest count in one of them, not the sum
        ([[*others, "a"], ["b", *others]], ["a", "b", *words]),  # no n-gram begins in one and ends in the next
    ):
        raw = " ".join(hypothesis), list(map(" ".join, references))
        expected = [row_by_nltk(references, hypothesis, 5)]
        for texts, sets in ((hypothesis, references), raw):
            options = {"max_order": 5} | ({"tokenize": "none"} if texts is raw[0] else {})
            assert cybleu.rows([texts], [sets], **options).tolist() == expected
            assert cybleu.rows([texts], References([sets]), **options).tolist() == expected


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint64"])
def test_an_unknown_id_never_matches(dtype):
    ids = np.array([[1, 2, 9, 3]], dtype)
    stats = cybleu.rows(ids, ids, unk_id=9)
    assert stats.tolist() == [[4, 4, 3, 1, 0, 0, 4, 3, 2, 1]]


def test_no_segments():
    for references, hypotheses in (([], []), (np.zeros((0, 5), int), np.zeros((0, 5), int))):
        assert cybleu.rows(hypotheses, references).shape == (0, 10)
    assert score(np.zeros((0, 10), int)).score == 0.0
    assert scores(np.zeros((0, 10), int)).shape == (0,)


@pytest.mark.parametrize("name", ["sacrebleu", "moses", "mteval-v13a", "nltk"])
def test_a_score_is_that_of_sums_in_any_form(name):
    references = [[["a", "b", "c", "d", "e"]], [["x", "y"], ["x"]], [["q"]]]
    hypotheses = [["a", "b", "c", "d"], ["x", "y", "x"], []]
    metric = find(name)
    rows = metric.rows(hypotheses, references)
    total = metric.total(rows)
    assert total == rows.sum(axis=0).tolist() and [*map(type, total)] == [int] * 10
    parts = [metric.total(rows[:1]), metric.total(rows[1:].tolist())]
    for sums in (parts, np.array(parts), total):
        assert metric.total(sums) == total and score(sums, metric) == score(rows, metric)


def test_rows_of_bleu_are_summed_by_the_rules_of_nltk():
    """A short segment counts n-grams there, and a sum is known by its length."""
    references = [[["a", "b", "c", "d", "e"]], [["q"]]]
    hypotheses = [["a", "b", "c", "d"], ["x"]]
    rows = cybleu.rows(hypotheses, references)
    assert score(rows, "nltk").score == nltk_bleu.corpus_bleu(references, hypotheses)


@pytest.mark.parametrize("name", ["bleu", "nltk"])
def test_a_sum_of_no_rows_is_a_row_of_zeros_which_adds_nothing(name):
    total = find(name).total
    row = [4, 4, 3, 1, 0, 0, 4, 3, 2, 1]
    assert total([]) == total([[0] * 10]) == [0] * 10 and total([total([]), row]) == row


@given(corpora(), st.sampled_from(["bleu", "nltk", "multi-bleu", "gleu"]), st.randoms())
def test_sums_of_any_order_of_merging(corpus, name, random):
    references, hypotheses = corpus
    metric = find(name)
    rows = metric.rows(hypotheses, references)
    parts = rows.tolist()
    while len(parts) > 1:
        random.shuffle(parts)
        some = random.randint(2, len(parts))
        parts = [*parts[some:], metric.total(parts[:some])]
    assert parts in ([], [metric.total(rows)])


def test_an_array_that_changes_after_its_preparation():
    ids = np.array([[1, 2, 3]])
    references = References(ids)
    ids[:] = 9
    for prepared in (references, pickle.loads(pickle.dumps(references))):
        assert cybleu.rows([[1, 2, 3]], prepared, max_order=2).tolist() == [[3, 3, 3, 2, 3, 2]]


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")
@given(
    st.lists(st.tuples(st.integers(0, 9), st.lists(st.integers(0, 9), min_size=1, max_size=4)), min_size=1, max_size=5)
)
@example([(5, [6, 4]), (5, [4, 6])])
def test_of_equally_close_references_the_shorter_counts_or_the_first(lengths):
    hypotheses = [["a"] * length for length, _ in lengths]
    references = [[["a"] * length for length in of_references] for _, of_references in lengths]
    raw = [" ".join(text) for text in hypotheses], [[" ".join(text) for text in texts] for texts in references]
    rules = {
        "closest": lambda length, others: min(others, key=lambda other: (abs(other - length), other)),
        "closest-first": lambda length, others: min(others, key=lambda other: abs(other - length)),
        "shortest": lambda length, others: min(others),
        "average": lambda length, others: sum(others) // len(others),
    }
    for name, rule in rules.items():
        wanted = [rule(length, others) for length, others in lengths]
        metric = metrics.Bleu(reference_length=name)
        assert metric.total(metric.rows(hypotheses, references))[1] == sum(wanted)
        for rows in (
            cybleu.rows(hypotheses, references, reference_length=name),
            cybleu.rows(hypotheses, references, reference_length=name, threads=2),
            cybleu.rows(*raw, reference_length=name, tokenize="none"),
            cybleu.rows(hypotheses, References(references), reference_length=name),
            metric.rows(hypotheses, references),
        ):
            assert rows[:, 1].tolist() == wanted
            assert metric.total(rows)[1] == sum(wanted)
