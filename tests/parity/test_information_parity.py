"""Information weights and NIST rows on the two backends; what does not fit."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from cybleu import _mirror
from numbered_words import rows_of, words_of

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
def test_rows_and_weights(kernels, corpus, max_order, with_zero, texts):
    corpus, numbers = numbered(corpus)
    zero = numbers.get(0, -1) if with_zero else -1

    def known(text):
        return [numbers.get(word, -1) for word in text]

    texts = [(known(text), [known(reference) for reference in group]) for text, group in texts]
    arguments = corpus, max_order, zero, texts
    assert results(kernels, *arguments) == results(_mirror, *arguments)
