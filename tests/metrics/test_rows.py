"""Statistics rows from lists and from ids in every form, prepared references, and sums of rows."""

import pickle

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import cybleu
from cybleu import References
from cybleu.metrics import find, score, scores
from inputs import batches, corpora, counted_row, spliced_segments
from marks import long

RULES = ["closest", "closest-first", "shortest", "average"]


@given(corpora(["not transitive", "numbers", "not a number"]) | batches(), st.integers(1, 6), st.sampled_from(RULES))
def test_token_lists(corpus, max_order, rule):
    references, hypotheses = corpus
    stats = cybleu.rows(hypotheses, references, max_order=max_order, reference_length=rule)
    assert stats.tolist() == [counted_row(*segment, max_order, rule) for segment in zip(*corpus)]


@given(batches(min_size=1), st.integers(1, 6), st.sampled_from(RULES), st.booleans(), st.data())
def test_prepared_references(corpus, max_order, rule, pickled, data):
    references, hypotheses = corpus
    prepared = References(references)
    if pickled:
        prepared = pickle.loads(pickle.dumps(prepared))
    owner = data.draw(st.lists(st.integers(0, len(references) - 1), min_size=1, max_size=9))
    texts = [hypotheses[place] for place in owner]
    rows = cybleu.rows(texts, prepared, owner=owner, max_order=max_order, reference_length=rule)
    assert rows.tolist() == [counted_row(references[place], hypotheses[place], max_order, rule) for place in owner]


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


def rows_of(form, references, hypothesis, **options):
    """The rows of a segment in a form of texts and references."""
    of_text, of_sets = FORMS[form]
    tokenize = "none" if "raw" in form else None
    return cybleu.rows([of_text(hypothesis)], of_sets([references]), tokenize=tokenize, **options).tolist()


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")
@pytest.mark.parametrize("form", FORMS)
@given(spliced_segments())
@example(([[*"abcdxbcde"]], [*"abcde"]))
def test_orders_up_to_16(form, segment):
    assert rows_of(form, *segment, max_order=16) == [counted_row(*segment, 16)]


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "length",
    [1, 63, 64, 65, 129, 255, 256, 257, long(512), long(514)],
)
def test_every_position_and_every_reference_counts(length, form):
    """At the lengths where texts are counted in another way."""
    words = [f"w{number}" for number in range(length)]
    others = [word.upper() for word in words]
    for references, hypothesis in (
        ([words], words),
        ([others, words], words),  # the last one
        ([words, words[::-1]], words[: length // 2 + 1] * 2),  # the largest count in one of them, not the sum
        ([[*others, "a"], ["b", *others]], ["a", "b", *words]),  # no n-gram begins in one and ends in the next
    ):
        assert rows_of(form, references, hypothesis, max_order=5) == [counted_row(references, hypothesis, 5)]


def test_an_unknown_id_never_matches():
    ids = np.array([[1, 2, 9, 3]])
    assert cybleu.rows(ids, ids, unk_id=9).tolist() == [[4, 4, 3, 1, 0, 0, 4, 3, 2, 1]]


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
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rule", RULES)
@given(st.integers(0, 9), st.lists(st.integers(0, 9), min_size=1, max_size=4))
@example(5, [6, 4])
@example(5, [4, 6])
def test_of_equally_close_references_the_shorter_counts_or_the_first(form, rule, length, lengths):
    references = [["a"] * other for other in lengths]
    hypothesis = ["a"] * length
    assert rows_of(form, references, hypothesis, reference_length=rule) == [
        counted_row(references, hypothesis, 4, rule)
    ]
