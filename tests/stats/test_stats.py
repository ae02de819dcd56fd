"""Statistics rows from lists and from ids in every form, prepared references, and sums of rows."""

from __future__ import annotations

import copy
import pickle
from array import array
from collections import Counter
from itertools import chain

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cybleu import errors, metrics
from cybleu.metrics import score, scores
from cybleu.nbest import NBest
from cybleu.pairwise import pairwise_bleu
from cybleu.stats import CorpusAccumulator, References, segment_stats, short_segments
from cybleu.text import Ragged
from inputs import VOCABULARIES, corpora, long_segments, mixes_ids_and_text, numbered_alike, unaligned

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
    stats = segment_stats(*corpus, max_order, reference_length)
    assert stats.dtype == np.int64
    assert stats.shape == (len(expected), 2 + 2 * max_order)
    assert stats.tolist() == expected


@given(corpora(), st.integers(1, 6), st.sampled_from(["closest", "shortest", "average"]))
def test_prepared_references(corpus, max_order, reference_length):
    assume(numbered_alike(corpus) and not mixes_ids_and_text(*chain(*corpus[0]), *corpus[1]))
    references, hypotheses = corpus
    expected = [row_by_nltk(*segment, max_order, reference_length) for segment in zip(*corpus)]
    prepared = References(references, max_order, reference_length)
    assert prepared.stats(hypotheses).tolist() == expected
    owners = list(range(len(references)))[::-1] * 2
    if all(token == token for texts in references for text in texts for token in text):  # a NaN equals only itself
        prepared = pickle.loads(pickle.dumps(prepared))
    again = prepared.stats([hypotheses[owner] for owner in owners], owners)
    assert again.tolist() == [expected[owner] for owner in owners]


long_corpora = st.sampled_from(sorted(VOCABULARIES)).flatmap(
    lambda kind: st.lists(long_segments([kind]), min_size=1, max_size=3)
)


@given(long_corpora, st.sampled_from([1, 4, 16]))
def test_prepared_references_of_any_length(pairs, max_order):
    references, hypotheses = [list(texts) for texts, _ in pairs], [text for _, text in pairs]
    expected = segment_stats(references, hypotheses, max_order)
    assert (References(references, max_order).stats(hypotheses) == expected).all()


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
    expected = segment_stats(references, hypotheses).tolist()
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
        assert prepared.stats(given_hypotheses, **arguments).tolist() == expected, form
    reference_forms = {
        "2-D arrays": [padded(texts, 0) for texts in references],
        "lists of arrays": [[np.array(text, dtype=dtype) for text in texts] for texts in references],
        "lists": references,
    }
    for form, given_references in reference_forms.items():
        for side in ("left", "right"):
            rows = padded(hypotheses, 0, side).astype(dtype)
            assert segment_stats(given_references, rows, pad_id=0).tolist() == expected, (form, side)


@given(corpora_of_ids())
def test_one_reference_as_an_array(corpus):
    references, hypotheses = [texts[0] for texts in corpus[0]], corpus[1]
    expected = segment_stats([[text] for text in references], hypotheses).tolist()
    lengths = [len(text) for text in references]
    assert segment_stats(padded(references, 0), padded(hypotheses, 0), pad_id=0).tolist() == expected
    assert segment_stats(padded(references, 3), hypotheses, reference_lengths=lengths).tolist() == expected
    assert segment_stats(ragged(references), ragged(hypotheses)).tolist() == expected


def test_several_references_as_an_array():
    references = np.array([[[1, 2, 3], [1, 2, 0]], [[4, 5, 0], [5, 4, 4]]])
    hypotheses = [[1, 2], [5, 4, 5]]
    expected = segment_stats([[[1, 2, 3], [1, 2]], [[4, 5], [5, 4, 4]]], hypotheses)
    assert (segment_stats(references, hypotheses, pad_id=0) == expected).all()
    prepared = References(references, lengths=[[3, 2], [2, 3]])
    assert (prepared.stats(hypotheses) == expected).all()


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
        stats = References(references, pad_id=0, eos_id=9).stats(given_text)
        assert stats.tolist() == segment_stats(references, [expected]).tolist()


def test_padding_that_is_the_end_too():
    references = np.array([[5, 6, 7, 2, 2]])
    assert segment_stats(references, np.array([[2, 2, 5, 6, 2]]), pad_id=2, eos_id=2)[0, :4].tolist() == [2, 3, 2, 1]


def test_an_unknown_id_never_matches():
    stats = segment_stats([[[1, 2, 9, 3]]], [[1, 2, 9, 3]], unk_id=9)
    assert stats.tolist() == [[4, 4, 3, 1, 0, 0, 4, 3, 2, 1]]


@pytest.mark.parametrize("ids", [[-1, -2, -1], [2**63 - 1, -(2**63), 0], [2**31 - 1, -(2**31), 2**31]])
def test_ids_at_the_edges(ids):
    rows = np.array([ids])
    assert segment_stats(rows, rows).tolist() == segment_stats([[ids]], [ids]).tolist()
    assert segment_stats(rows, rows)[0, 2] == 3


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
    stats = segment_stats(references, hypotheses, max_order, ignore=ignore)
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
    expected = prepared.stats(hypotheses, owner)
    assert (prepared.stats(hypotheses, owner, threads=3) == expected).all()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_arrays_that_are_not_aligned(dtype):
    """A copy is read: C has no such arrays, which the sanitizers see."""
    ids, offsets = np.array([1, 2, 3, 1, 2], dtype=dtype), np.array([0, 3, 5])
    expected = segment_stats(Ragged(ids, offsets), Ragged(ids, offsets))
    given = Ragged(unaligned(ids), unaligned(offsets))
    assert (segment_stats(given, given) == expected).all()
    assert (pairwise_bleu(given) == pairwise_bleu(Ragged(ids, offsets))).all()
    assert (metrics.scores(unaligned(expected)) == metrics.scores(expected)).all()
    nbest = NBest([0, 2], unaligned(np.array([[1.0], [2.0]])), unaligned(expected))
    assert nbest.features.flags.aligned and nbest.stats.flags.aligned


def test_references_cannot_be_changed():
    prepared = References([[["a", "b"]]])
    with pytest.raises(AttributeError, match="cannot be changed"):
        prepared.max_order = 3
    with pytest.raises(AttributeError, match="cannot be changed"):
        del prepared.max_order
    assert (len(prepared), prepared.max_order, prepared.reference_length) == (1, 4, "closest")
    assert repr(prepared) == "<References of 1 segment, 1 text, orders 1 to 4, closest length>"
    assert repr(References([[["a"]]] * 2)) == "<References of 2 segments, 2 texts, orders 1 to 4, closest length>"
    parts = CorpusAccumulator(), CorpusAccumulator()
    parts[1].update([["a"]], ["a"])
    assert [*map(repr, parts)] == [
        "<CorpusAccumulator of 0 segments, 0 tokens>",
        "<CorpusAccumulator of 1 segment, 1 token>",
    ]


def test_no_segments():
    for references, hypotheses in (([], []), (np.zeros((0, 5), int), np.zeros((0, 5), int))):
        assert segment_stats(references, hypotheses).shape == (0, 10)
    assert score(np.zeros((0, 10), int)).score == 0.0
    assert scores(np.zeros((0, 10), int)).shape == (0,)


def test_rows_add_up():
    references = [[["a", "b", "c", "d", "e"]], [["x", "y"], ["x"]], [["q"]]]
    hypotheses = [["a", "b", "c", "d"], ["x", "y", "x"], []]
    stats = segment_stats(references, hypotheses)
    corpus = CorpusAccumulator()
    first, second = CorpusAccumulator(), CorpusAccumulator()
    for position, segment in enumerate(zip(references, hypotheses)):
        corpus.update(*segment)
        (second if position else first).update(*segment)
    first.merge(pickle.loads(pickle.dumps(second)))
    assert first == corpus
    by_rows = CorpusAccumulator()
    by_rows.update_stats(stats)
    assert by_rows == corpus
    assert corpus.row == stats.sum(axis=0).tolist()
    assert corpus.segments == 3
    assert corpus.short_segments == short_segments(stats) == [1, 1, 1, 2]
    for variant in ("sacrebleu", "moses", "mteval-v13a"):
        assert score(corpus, variant) == score(stats, variant) == score(stats.sum(axis=0), variant)
    assert score(corpus, "nltk") == score(stats, "nltk")
    assert score(corpus, "nltk").score == nltk_bleu.corpus_bleu(references, hypotheses)
    corpus.reset()
    assert corpus == CorpusAccumulator()
    with pytest.raises(errors.StatisticsError, match="this is a list; give rows to update_stats"):
        CorpusAccumulator().merge([[2] * 10])
    with pytest.raises(errors.StatisticsError, match="cannot be merged"):
        corpus.merge(CorpusAccumulator(3))
    with pytest.raises(errors.StatisticsError, match="10 are needed"):
        corpus.update_stats([[1, 1, 1, 1]])


def test_scores_of_rows():
    stats = segment_stats([[["a", "b", "c", "d", "e"]], [["x", "y"]]], [["a", "b", "c", "d"], ["x", "z"]])
    for variant in ("sacrebleu", "nltk", "moses"):
        assert scores(stats, variant).tolist() == [score(row, variant).score for row in stats]
    with pytest.raises(errors.StatisticsError, match="row 0 is not that of one segment"):
        scores(stats.sum(axis=0, keepdims=True), "nltk")
    ignored = segment_stats([[["a", "b", "c"]]], [["a", "b", "c"]], ignore={("a", "b")})
    with pytest.raises(errors.StatisticsError, match="row 0"):
        scores(ignored, "nltk")
    assert scores(ignored, "nltk", parts_of_segments=True).shape == (1,)


def test_lengths_in_arrays():
    ids = np.array([[1, 2, 3], [4, 5, 6]])
    stats = segment_stats(ids, ids, 2, lengths=np.array([2, 3]), reference_lengths=np.array([3, 1]))
    assert stats.tolist() == [[2, 3, 2, 1, 2, 1], [3, 1, 1, 0, 3, 2]]
    several = np.stack([ids, ids[::-1]], axis=1)
    stats = segment_stats(several, ids, 2, reference_lengths=np.array([[1, 3], [2, 1]]))
    assert stats.tolist() == [[3, 3, 1, 0, 3, 2], [3, 2, 2, 1, 3, 2]]


def test_arrays_without_columns():
    empty = np.zeros((2, 0), int)
    assert segment_stats(empty, empty, 1).tolist() == [[0, 0, 0, 0]] * 2
    assert segment_stats(empty.reshape(2, 1, 0), [[1], []], 1).tolist() == [[1, 0, 0, 1], [0, 0, 0, 0]]


def test_padding_with_the_smallest_id():
    smallest = -(2**63)
    assert segment_stats(np.array([[5, smallest]]), np.array([[smallest, 5]]), 1, pad_id=smallest).tolist() == [[1] * 4]


def test_ngrams_to_ignore_that_no_reference_has():
    references = References([[[5, 6]]], 2, ignore=[(7,), (0,)])
    assert references.stats([[7, 6], [1, 6]], [0, 0]).tolist() == [[2, 2, 1, 0, 1, 1], [2, 2, 1, 0, 2, 1]]


def test_numbers_to_ignore_that_are_no_ids():
    large = 10**30
    assert segment_stats([[[]]], [[large, 5]], 1, ignore=[(large,)]).tolist() == [[2, 0, 0, 1]]
    assert segment_stats([[[]]], [[5]], 1, ignore=[(large,)]).tolist() == [[1, 0, 0, 1]]
    assert segment_stats([[["a"], []]], [["a"]], 1, ignore=[(large,)]).tolist() == [[1, 1, 1, 1]]


def test_threads_of_token_lists(monkeypatch):
    lists = [[list("abc")]] * 7, [list("abd")] * 7
    expected = segment_stats(*lists)
    asked = []
    monkeypatch.setattr("cybleu.stats.references.run", lambda work, count, cost, threads, *rest: asked.append(threads))
    segment_stats(*lists, threads=8)
    assert asked == [8]
    monkeypatch.undo()
    assert (segment_stats(*lists, threads=8) == expected).all()


def test_ids_to_ignore_where_references_are_empty():
    stats = References([[np.zeros(0, int)]], 1, ignore=[(5,)]).stats([np.array([5, 6])])
    assert stats.tolist() == [[2, 0, 0, 1]]


def test_an_array_that_changes_after_its_preparation():
    ids = np.array([[1, 2, 3]])
    references = References(ids, 2)
    ids[:] = 9
    for prepared in (references, pickle.loads(pickle.dumps(references))):
        assert prepared.stats([[1, 2, 3]]).tolist() == [[3, 3, 3, 2, 3, 2]]


def test_sums_beyond_64_bits():
    rows = [[2**62] * 4] * 4
    assert score(np.array(rows)).hypothesis_length == score(rows).hypothesis_length == 2**64


def test_a_single_row_is_that_of_one_segment():
    corpus, other = CorpusAccumulator(max_order=1), CorpusAccumulator(max_order=1)
    corpus.update_stats([3, 4, 2, 3])
    other.update_stats([[3, 4, 2, 3]])
    other.update_stats([])
    assert corpus == other
    with pytest.raises(errors.StatisticsError, match="the rows have 4 entries; 10 are needed here"):
        CorpusAccumulator().update_stats([3, 4, 2, 3])


def test_accumulators_add_up():
    parts = [CorpusAccumulator() for _ in range(3)]
    for part, (references, hypothesis) in zip(parts, [([["a", "b"]], ["a"]), ([["c"] * 5], ["c"] * 4), ([["d"]], [])]):
        part.update(references, hypothesis)
    whole = CorpusAccumulator()
    for part in parts:
        whole.merge(part)
    before = copy.deepcopy(parts)
    assert parts[0] + parts[1] + parts[2] == sum(parts) == sum(parts[1:], parts[0]) == whole
    assert parts == before
    assert sum(parts[:1]) == parts[0] and sum(parts[:1]) is not parts[0]
    kept = growing = CorpusAccumulator()
    growing += parts[0]
    assert growing is kept and kept == parts[0] and kept.row is not parts[0].row
    for other in (CorpusAccumulator(3), CorpusAccumulator(reference_length="shortest")):
        with pytest.raises(errors.StatisticsError, match="cannot be merged"):
            whole + other
    for other in (1, None, [0]):
        with pytest.raises(TypeError):
            whole + other
        with pytest.raises(TypeError):
            other + whole


def test_accumulators_of_raw_text_add_up():
    def counted(*lines):
        corpus = CorpusAccumulator(2, "shortest", tokenize="13a", lowercase=True)
        for line in lines:
            corpus.update(["The cat sat."], line)
        return corpus

    parts = [counted("The cat."), counted("A cat sat.", "It")]
    assert parts[0] + parts[1] == sum(parts) == counted("The cat.", "A cat sat.", "It")
    assert sum(parts[:1]) == parts[0] and sum(parts[:1]).row is not parts[0].row


@given(
    st.lists(st.tuples(st.integers(0, 9), st.lists(st.integers(0, 9), min_size=1, max_size=4)), min_size=1, max_size=5)
)
def test_of_equally_close_references_the_shorter_counts_or_the_first(lengths):
    hypotheses = [["a"] * length for length, _ in lengths]
    references = [[["a"] * length for length in of_references] for _, of_references in lengths]
    raw = [[" ".join(text) for text in texts] for texts in references], [" ".join(text) for text in hypotheses]
    rules = {
        "closest": lambda length, others: min(others, key=lambda other: (abs(other - length), other)),
        "closest-first": lambda length, others: min(others, key=lambda other: abs(other - length)),
        "shortest": lambda length, others: min(others),
        "average": lambda length, others: sum(others) // len(others),
    }
    for name, rule in rules.items():
        wanted = [rule(length, others) for length, others in lengths]
        accumulator = CorpusAccumulator(reference_length=name)
        for segment in zip(references, hypotheses):
            accumulator.update(*segment)
        assert accumulator.row[1] == sum(wanted)
        metric = metrics.Bleu(reference_length=name)
        assert metric.sum_of(references, hypotheses)[0][1] == sum(wanted)
        for rows in (
            segment_stats(references, hypotheses, reference_length=name),
            segment_stats(references, hypotheses, reference_length=name, threads=2),
            segment_stats(*raw, reference_length=name, tokenize="none"),
            References(references, reference_length=name).stats(hypotheses),
            metric.rows(references, hypotheses),
        ):
            assert rows[:, 1].tolist() == wanted
