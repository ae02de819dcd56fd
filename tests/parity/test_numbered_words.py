"""Rows of numbered words on the two backends: information weights with NIST, edits and shifts with TER; what does not fit."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cybleu import _mirror
from statistics_rows import ints


def words_of(backend, texts):
    """The backend's texts of numbered words."""
    ids = np.array([word for text in texts for word in text], dtype=np.int32)
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    return backend.TokenTexts(ids, np.append(0, ends)[: len(ends)].astype(np.int64), ends)


def rows_of(backend, fill_rows, corpus, texts, owners, width):
    """The rows of texts against the references of their owners, counted in two ranges.

    :param corpus: for each segment a hypothesis and its references
    """
    bounds = np.cumsum([0, *(len(group) for _, group in corpus)], dtype=np.int64)
    hypotheses = words_of(backend, [corpus[text][0] for text in texts])
    references = words_of(backend, [text for _, group in corpus for text in group])
    rows = np.full((len(texts), width), -1.0)
    middle = len(texts) // 2
    for start, stop in ((0, middle), (middle, len(texts))):
        fill_rows(hypotheses, references, bounds, np.array(owners, dtype=np.int64), start, stop, rows)
    return rows.tolist()


# few different words, so that many are alike; 0 is the word "0" in some corpora
TEXTS = st.integers(1, 5).flatmap(lambda most: st.lists(st.integers(0, most), max_size=12))
SETS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=4)


def numbered(corpus):
    """The words from 0 without gaps, as a vocabulary numbers them; other words become -1."""
    numbers = {}
    return [[numbers.setdefault(word, len(numbers)) for word in text] for text in corpus], numbers


def results(backend, corpus, max_order, zero, texts):
    information = backend.NgramInformation(words_of(backend, corpus), max_order, zero)
    places = range(len(texts))
    rows = rows_of(backend, information.fill_rows, texts, places, places[::-1], 1 + 2 * max_order)
    ngrams = [np.array(text[:size], np.int32) for text, _ in texts for size in range(max_order + 1)]
    return rows, [information.weight(ngram) for ngram in ngrams]


@given(st.lists(TEXTS, max_size=4), st.integers(1, 9), st.booleans(), SETS)
@example([], 5, False, [([1, 2], [[1, 2]])])
@example([[0, 1, 0, 2]], 2, True, [([0, 1, 0], [[0, 1], [0, 1, 0, 1]])])
@example([list(range(300))] * 2, 4, False, [(list(range(300)) * 2, [list(range(299, -1, -1)), list(range(300))])])
def test_information(kernels, corpus, max_order, with_zero, texts):
    corpus, numbers = numbered(corpus)
    zero = numbers.get(0, -1) if with_zero else -1

    def known(text):
        return [numbers.get(word, -1) for word in text]

    texts = [(known(text), [known(reference) for reference in group]) for text, group in texts]
    arguments = corpus, max_order, zero, texts
    assert results(kernels, *arguments) == results(_mirror, *arguments)


# few different words, so that many are alike
LONGER = st.integers(1, 6).flatmap(lambda most: st.lists(st.integers(0, most), max_size=45))


@given(st.lists(st.tuples(LONGER, st.lists(LONGER, min_size=1, max_size=3)), min_size=1, max_size=4), st.data())
@example([([1, 2, 3] * 30, [[3, 2, 1] * 40, []]), ([], [[1]])], None)
def test_edits(kernels, corpus, data):
    place = st.integers(0, len(corpus) - 1)
    count = len(corpus)
    drawn = [] if data is None else data.draw(st.lists(st.tuples(place, place), max_size=4))
    places = [(number, number) for number in range(count)] + drawn
    rows = [rows_of(backend, backend.edit_rows, corpus, *zip(*places), 2) for backend in (kernels, _mirror)]
    assert rows[0] == rows[1]


@pytest.mark.parametrize(
    ("size", "width"), [(2**30, 0), (0, 2**30), (2**30 - 1, 1), (2**29 - 1, 1), (1, 2**29 - 1), (2**29 - 1, 0)]
)
@pytest.mark.parametrize("others", [0, 1])
def test_texts_whose_edits_do_not_fit(kernels, size, width, others):
    """Words are not read where they are too many, so that these take no memory."""
    words, rows = np.zeros(max(size, width), np.int32), np.zeros((1, 2))
    hypotheses = kernels.TokenTexts(words, ints(0), ints(size))
    references = kernels.TokenTexts(words, ints(*[0] * (1 + others)), ints(*[width] * (1 + others)))
    arguments = hypotheses, references, ints(0, 1 + others), None, 0, 1, rows
    if size + width < 2**29:
        kernels.edit_rows(*arguments)
        assert rows.tolist() == [[size, 0]]
    else:
        with pytest.raises(
            MemoryError, match=f"hypothesis of {size} words and a reference of {width} are too long for TER"
        ):
            kernels.edit_rows(*arguments)
