"""Statistics rows from lists and from ids in every form, prepared references, and sums of rows."""

from __future__ import annotations

import pickle
from array import array
from collections import Counter
from itertools import chain

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cybleu
from cybleu import References, errors, metrics
from cybleu.metrics import find, score, scores
from cybleu.nbest import NBest
from cybleu.text import Ragged
from inputs import (
    VOCABULARIES,
    corpora,
    long_segments,
    mixes_ids_and_text,
    numbered_alike,
    others_against_ids,
    unaligned,
)

pytestmark = pytest.mark.usefixtures("backend")


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
    assume(not mixes_ids_and_text(*chain(*corpus[0]), *corpus[1]))
    expected = [row_by_nltk(*segment, max_order, reference_length) for segment in zip(*corpus)]
    references, hypotheses = corpus
    stats = cybleu.rows(hypotheses, references, max_order=max_order, reference_length=reference_length)
    assert stats.dtype == np.int64
    assert stats.shape == (len(expected), 2 + 2 * max_order)
    assert stats.tolist() == expected


@given(corpora(), st.integers(1, 6), st.sampled_from(["closest", "shortest", "average"]))
def test_prepared_references(corpus, max_order, reference_length):
    assume(numbered_alike(corpus) and not mixes_ids_and_text(*chain(*corpus[0]), *corpus[1]))
    references, hypotheses = corpus
    assume(not others_against_ids(chain(*references), hypotheses))
    expected = [row_by_nltk(*segment, max_order, reference_length) for segment in zip(*corpus)]
    prepared, options = References(references), {"max_order": max_order, "reference_length": reference_length}
    assert cybleu.rows(hypotheses, prepared, **options).tolist() == expected
    owners = list(range(len(references)))[::-1] * 2
    if all(token == token for texts in references for text in texts for token in text):  # a NaN equals only itself
        prepared = pickle.loads(pickle.dumps(prepared))
    again = cybleu.rows([hypotheses[owner] for owner in owners], prepared, owner=owners, **options)
    assert again.tolist() == [expected[owner] for owner in owners]


long_corpora = st.sampled_from(sorted(VOCABULARIES)).flatmap(
    lambda kind: st.lists(long_segments([kind]), min_size=1, max_size=3)
)


@given(long_corpora, st.sampled_from([1, 4, 16]))
def test_prepared_references_of_any_length(pairs, max_order):
    references, hypotheses = [list(texts) for texts, _ in pairs], [text for _, text in pairs]
    expected = cybleu.rows(hypotheses, references, max_order=max_order)
    assert (cybleu.rows(hypotheses, References(references), max_order=max_order) == expected).all()


small_ids = st.lists(st.lists(st.integers(1, 6), max_size=12), min_size=1, max_size=5)


@st.composite
def corpora_of_ids(draw):
    hypotheses = draw(small_ids)
    references = [draw(st.lists(st.lists(st.integers(1, 6), max_size=12), min_size=1, max_size=3)) for _ in hypotheses]
    return references, hypotheses


def padded(texts, pad, side="right", width=14):
    rows = np.full((len(texts), width), pad)
    for row, text in zip(rows, texts):
        if side == "right":
            row[: len(text)] = text
        else:
            row[width - len(text) :] = text
    return rows


def ragged(texts, dtype=np.int64):
    return Ragged(np.array(list(chain(*texts)), dtype=dtype), np.cumsum([0, *map(len, texts)]))


@given(corpora_of_ids(), st.sampled_from([np.int32, np.int64, np.uint8, np.int16, np.uint64, ">i4"]))
def test_every_form_of_ids(corpus, dtype):
    references, hypotheses = corpus
    expected = cybleu.rows(hypotheses, references).tolist()
    prepared = References(references)
    lengths = [len(text) for text in hypotheses]
    ids, offsets = ragged(hypotheses, dtype)
    forms = {
        "lists": (hypotheses, {}),
        "tuples": (tuple(map(tuple, hypotheses)), {}),
        "lengths": (padded(hypotheses, 1).astype(dtype), {"lengths": lengths}),
        "not contiguous": (np.asfortranarray(padded(hypotheses, 1).astype(dtype)), {"lengths": np.array(lengths)}),
        "every second": (np.repeat(padded(hypotheses, 1), 2, axis=1).astype(dtype)[:, ::2], {"lengths": lengths}),
        "ragged": (Ragged(ids, offsets), {}),
        "ragged buffers": (Ragged(memoryview(array("q", ids.tolist())), array("i", offsets.tolist())), {}),
        "list of arrays": ([np.array(text, dtype=dtype) for text in hypotheses], {}),
    }
    for form, (given_hypotheses, arguments) in forms.items():
        assert cybleu.rows(given_hypotheses, prepared, **arguments).tolist() == expected, form
    reference_forms = {
        "2-D arrays": [padded(texts, 0) for texts in references],
        "lists of arrays": [[np.array(text, dtype=dtype) for text in texts] for texts in references],
        "lists": references,
    }
    for form, given_references in reference_forms.items():
        for side in ("left", "right"):
            rows = padded(hypotheses, 0, side).astype(dtype)
            assert cybleu.rows(rows, given_references, pad_id=0).tolist() == expected, (form, side)


@given(corpora_of_ids())
def test_one_reference_as_an_array(corpus):
    references, hypotheses = [texts[0] for texts in corpus[0]], corpus[1]
    expected = cybleu.rows(hypotheses, [[text] for text in references]).tolist()
    lengths = [len(text) for text in references]
    assert cybleu.rows(padded(hypotheses, 0), padded(references, 0), pad_id=0).tolist() == expected
    assert cybleu.rows(hypotheses, padded(references, 3), reference_lengths=lengths).tolist() == expected
    assert cybleu.rows(ragged(hypotheses), ragged(references)).tolist() == expected


def test_several_references_as_an_array():
    references = np.array([[[1, 2, 3], [1, 2, 0]], [[4, 5, 0], [5, 4, 4]]])
    hypotheses = [[1, 2], [5, 4, 5]]
    expected = cybleu.rows(hypotheses, [[[1, 2, 3], [1, 2]], [[4, 5], [5, 4, 4]]])
    assert (cybleu.rows(hypotheses, references, pad_id=0) == expected).all()
    prepared = References(references, lengths=[[3, 2], [2, 3]])
    assert (cybleu.rows(hypotheses, prepared) == expected).all()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ([0, 0, 7, 8, 9, 0], [7, 8]),  # what follows the end is not looked at
        ([7, 0, 8, 9, 5, 5], [7, 0, 8]),  # padding inside stays
        ([9, 7, 8, 0, 0, 0], []),
        ([0, 0, 0, 0, 0, 0], []),
        ([7, 8, 7, 8, 7, 8], [7, 8, 7, 8, 7, 8]),
        ([7, 8, 0, 0, 9, 0], [7, 8]),
    ],
)
def test_padding_and_the_end_of_a_text(text, expected):
    references = [[[7, 0, 8, 7, 8]]]
    for given_text in (np.array([text]), [text], [np.array(text)]):
        stats = cybleu.rows(given_text, References(references, pad_id=0, eos_id=9))
        assert stats.tolist() == cybleu.rows([expected], references).tolist()


def test_padding_that_is_the_end_too():
    references = np.array([[5, 6, 7, 2, 2]])
    assert cybleu.rows(np.array([[2, 2, 5, 6, 2]]), references, pad_id=2, eos_id=2)[0, :4].tolist() == [2, 3, 2, 1]


def test_an_unknown_id_never_matches():
    stats = cybleu.rows([[1, 2, 9, 3]], [[[1, 2, 9, 3]]], unk_id=9)
    assert stats.tolist() == [[4, 4, 3, 1, 0, 0, 4, 3, 2, 1]]


@pytest.mark.parametrize("ids", [[-1, -2, -1], [2**63 - 1, -(2**63), 0], [2**31 - 1, -(2**31), 2**31]])
def test_ids_at_the_edges(ids):
    rows = np.array([ids])
    assert cybleu.rows(rows, rows).tolist() == cybleu.rows([ids], [[ids]]).tolist()
    assert cybleu.rows(rows, rows)[0, 2] == 3


@given(corpora(), st.integers(1, 5), st.data())
def test_ngrams_to_ignore(corpus, max_order, data):
    """CrystalBLEU leaves them out of the hypothesis's counts."""
    references, hypotheses = corpus
    assume(numbered_alike(corpus))
    present = [tuple(text[i : i + n]) for text in hypotheses for n in range(1, 6) for i in range(len(text) - n + 1)]
    ignore = set(data.draw(st.lists(st.sampled_from(present), max_size=6))) if present else set()
    tokens = list(chain(*hypotheses, *chain(*references)))
    assume(len({isinstance(token, int) for token in tokens}) <= 1)  # not ids and other tokens
    ignore.add((12345, 54321) if tokens and isinstance(tokens[0], int) else ("never", "there"))
    stats = cybleu.rows(hypotheses, references, max_order=max_order, ignore=ignore)
    for row, texts, text in zip(stats.tolist(), references, hypotheses):
        matches, totals = [], []
        for n in range(1, max_order + 1):
            counts = Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))
            best = Counter()
            for reference in texts:
                best |= Counter(tuple(reference[i : i + n]) for i in range(len(reference) - n + 1))
            kept = Counter({ngram: count for ngram, count in counts.items() if ngram not in ignore})
            matches.append(sum((kept & best).values()))
            totals.append(sum(kept.values()))
        assert row[2:] == [*matches, *totals]


def test_threads():
    random = np.random.default_rng(1)
    prepared = References(random.integers(0, 9, (50, 12)))
    hypotheses, owner = random.integers(0, 9, (3000, 10)), random.integers(0, 50, 3000)
    expected = cybleu.rows(hypotheses, prepared, owner=owner)
    assert (cybleu.rows(hypotheses, prepared, owner=owner, threads=3) == expected).all()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_arrays_that_are_not_aligned(dtype):
    """A copy is read: C has no such arrays, which the sanitizers see."""
    ids, offsets = np.array([1, 2, 3, 1, 2], dtype=dtype), np.array([0, 3, 5])
    expected = cybleu.rows(Ragged(ids, offsets), Ragged(ids, offsets))
    given = Ragged(unaligned(ids), unaligned(offsets))
    assert (cybleu.rows(given, given) == expected).all()
    assert (cybleu.pairs(given) == cybleu.pairs(Ragged(ids, offsets))).all()
    assert (metrics.scores(unaligned(expected)) == metrics.scores(expected)).all()
    nbest = NBest([0, 2], unaligned(np.array([[1.0], [2.0]])), unaligned(expected))
    assert nbest.features.flags.aligned and nbest.stats.flags.aligned


def test_references_cannot_be_changed():
    prepared = References([[["a", "b"]]])
    with pytest.raises(AttributeError, match="cannot be changed"):
        prepared.kind = "ids"
    with pytest.raises(AttributeError, match="cannot be changed"):
        del prepared.kind
    assert (len(prepared), prepared.kind) == (1, "tokens")
    assert repr(prepared) == "<References of 1 segment, 1 text of tokens>"
    assert repr(References([["a b"], ["c"]])) == "<References of 2 segments, 2 texts of raw text>"
    assert repr(References([[1, 2], [3]])) == "<References of 2 segments, 2 texts of ids>"


def test_no_segments():
    for references, hypotheses in (([], []), (np.zeros((0, 5), int), np.zeros((0, 5), int))):
        assert cybleu.rows(hypotheses, references).shape == (0, 10)
    assert score(np.zeros((0, 10), int)).score == 0.0
    assert scores(np.zeros((0, 10), int)).shape == (0,)


def test_rows_add_up():
    references = [[["a", "b", "c", "d", "e"]], [["x", "y"], ["x"]], [["q"]]]
    hypotheses = [["a", "b", "c", "d"], ["x", "y", "x"], []]
    stats = cybleu.rows(hypotheses, references)
    of_nltk = cybleu.rows(hypotheses, references, "nltk")
    for metric, rows in (
        ("sacrebleu", stats),
        ("moses", stats),
        ("mteval-v13a", stats),
        ("nltk", of_nltk),
        ("nltk", stats),
    ):
        total = find(metric).total
        expected = of_nltk.sum(axis=0).tolist() if metric == "nltk" else stats.sum(axis=0).tolist()
        parts = [total(rows[:1]), total(rows[1:].tolist())]
        assert total(rows) == total(rows.tolist()) == total(parts) == total(np.array(parts)) == expected
        assert score(expected, metric) == score(parts, metric) == score(rows, metric)
        assert [type(number) for number in total(rows)] == [int] * 10
    assert score(of_nltk, "nltk").score == nltk_bleu.corpus_bleu(references, hypotheses)
    assert find("bleu").total([]) == find("bleu").total([[0] * 10]) == [0] * 10
    assert find("bleu", max_order=1).total([3, 4, 2, 3]) == [3, 4, 2, 3]
    with pytest.raises(errors.StatisticsError, match="the rows have different lengths"):
        find("bleu").total([[1, 1, 1, 1], [2] * 10])
    with pytest.raises(errors.StatisticsError, match="the mean of the scores of segments"):
        find("codexglue").total(stats)


def test_scores_of_rows():
    stats = cybleu.rows([["a", "b", "c", "d"], ["x", "z"]], [[["a", "b", "c", "d", "e"]], [["x", "y"]]])
    for variant in ("sacrebleu", "nltk", "moses"):
        assert scores(stats, variant).tolist() == [score(row, variant).score for row in stats]
    of_nltk = cybleu.rows([["a", "b", "c", "d"], ["x", "z"]], [[["a", "b", "c", "d", "e"]], [["x", "y"]]], "nltk")
    assert of_nltk.tolist() == [stats[0].tolist(), [2, 2, 1, 0, 0, 0, 2, 1, 1, 1]]
    assert scores(of_nltk, "nltk").tolist() == scores(stats, "nltk").tolist()
    for function in (score, scores):
        with pytest.raises(errors.StatisticsError, match=r"the row \[2, 2, .* so NLTK's BLEU counted it"):
            function(of_nltk)
    ignored = cybleu.rows([["a", "b", "c"]], [[["a", "b", "c"]]], ignore={("a", "b")})
    assert scores(ignored, "nltk").shape == scores(ignored).shape == (1,)


def test_lengths_in_arrays():
    ids = np.array([[1, 2, 3], [4, 5, 6]])
    stats = cybleu.rows(ids, ids, max_order=2, lengths=np.array([2, 3]), reference_lengths=np.array([3, 1]))
    assert stats.tolist() == [[2, 3, 2, 1, 2, 1], [3, 1, 1, 0, 3, 2]]
    several = np.stack([ids, ids[::-1]], axis=1)
    stats = cybleu.rows(ids, several, max_order=2, reference_lengths=np.array([[1, 3], [2, 1]]))
    assert stats.tolist() == [[3, 3, 1, 0, 3, 2], [3, 2, 2, 1, 3, 2]]


def test_arrays_without_columns():
    empty = np.zeros((2, 0), int)
    assert cybleu.rows(empty, empty, max_order=1).tolist() == [[0, 0, 0, 0]] * 2
    assert cybleu.rows([[1], []], empty.reshape(2, 1, 0), max_order=1).tolist() == [[1, 0, 0, 1], [0, 0, 0, 0]]


def test_padding_with_the_smallest_id():
    smallest = -(2**63)
    assert cybleu.rows(np.array([[smallest, 5]]), np.array([[5, smallest]]), max_order=1, pad_id=smallest).tolist() == [
        [1] * 4
    ]


@pytest.mark.parametrize("hypothesis", [[1, 6], [7, 6]])
def test_ngrams_to_ignore_that_no_reference_has(hypothesis):
    for references in ([[[5, 6]]], References([[[5, 6]]])):
        stats = cybleu.rows([hypothesis], references, max_order=2, ignore=[(7,), (0,)])
        assert stats.tolist() == [[2, 2, 1, 0, 2 - (hypothesis[0] == 7), 1]]


def test_numbers_to_ignore_that_are_no_ids():
    large = 10**30
    assert cybleu.rows([[large, 5]], [[[]]], max_order=1, ignore=[(large,)]).tolist() == [[2, 0, 0, 1]]
    assert cybleu.rows([[5]], [[[]]], max_order=1, ignore=[(large,)]).tolist() == [[1, 0, 0, 1]]
    assert cybleu.rows([["a"]], [[["a"], []]], max_order=1, ignore=[(large,)]).tolist() == [[1, 1, 1, 1]]


def test_threads_of_token_lists():
    lists = [list("abd")] * 7, [[list("abc")]] * 7
    assert (cybleu.rows(*lists, threads=8) == cybleu.rows(*lists)).all()


def test_ids_to_ignore_where_references_are_empty():
    stats = cybleu.rows([np.array([5, 6])], References([[np.zeros(0, int)]]), max_order=1, ignore=[(5,)])
    assert stats.tolist() == [[2, 0, 0, 1]]


def test_an_array_that_changes_after_its_preparation():
    ids = np.array([[1, 2, 3]])
    references = References(ids)
    ids[:] = 9
    for prepared in (references, pickle.loads(pickle.dumps(references))):
        assert cybleu.rows([[1, 2, 3]], prepared, max_order=2).tolist() == [[3, 3, 3, 2, 3, 2]]


def test_sums_beyond_64_bits():
    rows = [[2**62] * 4] * 4
    assert score(np.array(rows)).hypothesis_length == score(rows).hypothesis_length == 2**64


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")
@given(
    st.lists(st.tuples(st.integers(0, 9), st.lists(st.integers(0, 9), min_size=1, max_size=4)), min_size=1, max_size=5)
)
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
