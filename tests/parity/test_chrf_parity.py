"""chrF and GLEU on both backends: rows, sums, scores of rows, matrices, invalid arguments."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cybleu import _mirror
from inputs import in_bytes

PIECES = [*"abc .,(é猫\ud800\x1c\xa0\u2028\u3000A!", "\U0001f600", "ab ", "the "]
MANY = "".join(chr(code) for code in range(0x4E00, 0x4E00 + 300))  # more than a byte has numbers for
LINES = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
SPACES = ["dropped", "kept", "dropped but separators"]

measures = st.tuples(
    st.sampled_from([(6, 0), (6, 2), (1, 1), (0, 3), (12, 1), (64, 64)]),
    st.sampled_from([2, 1, 0.5, 0]),
    st.sampled_from(SPACES),
    st.booleans(),
)
corpora = st.lists(st.tuples(LINES, st.lists(LINES, min_size=1, max_size=3)), max_size=4)


def results(backend, corpus, measure):
    (char_order, word_order), beta, space, epsilon = measure
    measure = backend.CharacterF(char_order, word_order, beta, space, epsilon)
    texts = backend.RawTexts([text for text, _ in corpus])
    others = backend.RawTexts([text for _, group in corpus for text in group])
    sets = np.cumsum([0, *(len(group) for _, group in corpus)], dtype=np.int64)
    rows = np.full((len(corpus), 3 * (char_order + word_order)), -1, dtype=np.int64)
    measure.rows(texts, others, sets, None, 0, len(corpus), rows)
    found = np.empty(len(corpus))
    assert measure.score_rows(rows, 0, found) == len(corpus)
    assert rows.tolist() == [measure.row(*segment) for segment in corpus]
    assert found.tolist() == [measure.evaluate(row) for row in rows.tolist()]
    owners = np.array([7 * place % len(corpus) for place in range(3 * len(corpus))], dtype=np.int64)
    many = backend.RawTexts([corpus[place % len(corpus)][0] for place in range(len(owners))])
    shared = np.full((len(owners), rows.shape[1]), -1, dtype=np.int64)
    middle = len(owners) // 2
    measure.rows(many, others, sets, owners, 0, middle, shared)
    measure.rows(many, others, sets, owners, middle, len(owners), shared)
    matrix = np.empty((len(texts), len(others)))
    backend.CharacterTexts(measure, others, texts).fill(0, len(texts), matrix)
    each_other = np.empty((len(others), len(others)))
    pairs = backend.CharacterTexts(measure, others)
    middle = len(others) // 2
    pairs.fill(0, middle, each_other)
    pairs.fill(middle, len(others), each_other)
    return rows.tolist(), shared.tolist(), found.tolist(), matrix.tolist(), each_other.tolist(), others.strings()


@given(corpora, measures)
@example([("a" * 70, ["aa", ""]), ("ab" * 40, ["ba" * 30])], ((6, 2), 2, "dropped", False))
@example([(MANY + "ab", [MANY, "ab" * 9]), ("", [MANY[:250] * 2])], ((6, 2), 2, "kept", False))
@example([("x y", ["z"])], ((64, 64), 2, "dropped", True))
def test_chrf(kernels, corpus, measure):
    ours = results(kernels, corpus, measure)
    assert ours == results(_mirror, corpus, measure)
    as_bytes = [(in_bytes(text), [*map(in_bytes, group)]) for text, group in corpus]
    assert ours == results(kernels, as_bytes, measure)


@pytest.mark.parametrize(
    "text", ["a" * 9000, "ab" * 5000, "".join(map(chr, range(0x100, 0x100 + 9000))), "a b " * 3000]
)
def test_long_texts(kernels, text):
    corpus = [(text, [text[3000:] + text[:3000], text[::-1]])]
    measure = ((6, 2), 2, "dropped", False)
    assert results(kernels, corpus, measure) == results(_mirror, corpus, measure)


def test_words_of_references_without_hypotheses(kernels):
    for backend in (kernels, _mirror):
        measure = backend.CharacterF(6, 2, 2, "dropped", False)
        pairs = backend.CharacterTexts(measure, backend.RawTexts(["a b"]), backend.RawTexts([]))
        pairs.fill(0, 0, np.empty((0, 1)))


def test_rows_that_are_declined(kernels):
    measure = kernels.CharacterF(1, 0, 2, "dropped", False)
    rows = np.array([[3, 3, 1], [2**53, 2**53, 1], [3, 3, 1]], dtype=np.int64)
    found = np.zeros(3)
    assert measure.score_rows(rows, 0, found) == 1
    assert measure.score_rows(rows, 2, found) == 3
    for row in ([2**53, 2**53, 1], [2**64, 2**64, 1]):
        assert measure.evaluate(row) is None
    for row in ([3, 3], (3, 3, 1), [3, 3, 1.0], [True, 3, 1], [3, 3, -1], [-3, 3, 1], "331", None):
        assert measure.evaluate(row) is None
        assert _mirror.CharacterF(1, 0, 2, "dropped", False).evaluate(row) is None
    for backend in (kernels, _mirror):
        negative = np.array([[3, 3, 1], [3, -3, 1], [3, 3, 1]], dtype=np.int64)
        assert backend.CharacterF(1, 0, 2, "dropped", False).score_rows(negative, 0, found) == 1
    assert (
        found[0]
        == found[2]
        == measure.evaluate([3, 3, 1])
        == _mirror.CharacterF(1, 0, 2, "dropped", False).evaluate([3, 3, 1])
    )
