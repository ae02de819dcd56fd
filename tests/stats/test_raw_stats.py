"""Statistics of raw text: the rows of the tokens, whatever the text comes in."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cybleu
from cybleu import CorpusAccumulator, References, segment_stats
from cybleu.errors import (
    NotUtf8Error,
)
from cybleu.text import tokenizer

pytestmark = pytest.mark.usefixtures("backend")

TOKENIZE = ["13a", "intl", "zh", "char", "none", "unicode", "ascii", "space", str.split]
lines = st.text(st.sampled_from("aAbé猫.,-5 \u00a0&\ud800İΣ"), max_size=30)
corpora = st.lists(st.tuples(st.lists(lines, min_size=1, max_size=3), lines), min_size=1, max_size=5)


def expected_rows(references, hypotheses, tokenize, lowercase, order, length="closest", **more):
    split = tokenizer(tokenize, lowercase)
    return segment_stats(
        [[split(line) for line in group] for group in references],
        [split(line) for line in hypotheses],
        order,
        length,
        **more,
    ).tolist()


@given(
    corpora,
    st.sampled_from(TOKENIZE),
    st.booleans(),
    st.sampled_from(["closest", "shortest", "average"]),
    st.sampled_from([1, 4]),
)
def test_rows_are_those_of_the_tokens(corpus, tokenize, lowercase, length, order):
    references, hypotheses = [group for group, _ in corpus], [line for _, line in corpus]
    expected = expected_rows(references, hypotheses, tokenize, lowercase, order, length)
    raw = {"tokenize": tokenize, "lowercase": lowercase}
    assert segment_stats(references, hypotheses, order, length, **raw).tolist() == expected
    assert (
        segment_stats(tuple(map(tuple, references)), tuple(hypotheses), order, length, threads=2, **raw).tolist()
        == expected
    )
    prepared = References(references, order, length, **raw)
    assert prepared.stats(hypotheses).tolist() == expected
    assert pickle.loads(pickle.dumps(prepared)).stats(hypotheses, threads=3).tolist() == expected
    owner = [len(corpus) - 1] * len(corpus)
    assert (
        segment_stats(references, hypotheses, order, length, owner=owner, **raw).tolist()
        == prepared.stats(hypotheses, owner).tolist()
        == expected_rows(references, hypotheses, tokenize, lowercase, order, length, owner=owner)
    )
    corpus_sum = CorpusAccumulator(order, length, **raw)
    for group, line in zip(references, hypotheses):
        corpus_sum.update(group, line)
    assert corpus_sum.row == np.sum(expected, axis=0).tolist()
    again = pickle.loads(pickle.dumps(corpus_sum))
    again.merge(corpus_sum)
    assert again.segments == 2 * len(corpus)


def test_the_error_of_bytes_that_are_not_utf8_pickles():
    with pytest.raises(NotUtf8Error, match=r"^hypotheses\[0\] is not UTF-8") as caught:
        References([["a"], ["b", "c"]], tokenize="13a").stats([b"\x80", b"b"])
    assert isinstance(pickle.loads(pickle.dumps(caught.value)), NotUtf8Error)


@pytest.mark.parametrize("tokenize", TOKENIZE)
@pytest.mark.parametrize("lowercase", [False, True])
def test_token_lists_beside_raw_references(tokenize, lowercase):
    references, texts = [["The cat sat.", "A cat."], ["It rains."]], ["The cat.", "It"]
    how = {"tokenize": tokenize, "lowercase": lowercase}
    tokens = [tokenizer(tokenize)(text.lower() if lowercase else text) for text in texts]
    expected = segment_stats(references, texts, **how).tolist()
    for owner in (None, [0, 1]):
        assert segment_stats(references, tokens, owner=owner, **how).tolist() == expected
        assert References(references, **how).stats(tokens, owner).tolist() == expected


def test_the_texts_are_left_alone():
    """No UTF-8 is left behind in a str, as CPython's own conversion would."""
    line = "naïve 猫 text " * 50
    before = line.__sizeof__()
    segment_stats([[line]], [line], tokenize="13a")
    References([[line]], tokenize="intl").stats([line])
    assert line.__sizeof__() == before


def test_ignored_ngrams_and_token_lists_beside_raw_text():
    references = References([["a b. c"], ["d"]], 2, tokenize="13a", ignore=[("a", "b"), (".",), ("z",)])
    expected = References(
        [["a", "b", ".", "c"]] and [[["a", "b", ".", "c"]], [["d"]]], 2, ignore=[("a", "b"), (".",), ("z",)]
    )
    hypotheses = ["a b. z", "d d"]
    tokens = [["a", "b", ".", "z"], ["d", "d"]]
    assert references.stats(hypotheses).tolist() == expected.stats(tokens).tolist() == references.stats(tokens).tolist()


@pytest.mark.real_data
@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none"])
def test_all_systems_against_sacrebleu(data, tokenize):
    import sacrebleu

    folder = data / "wmt17-en-de"
    reference = (folder / "ref.txt").read_text(encoding="utf-8").split("\n")[:-1]
    metric = sacrebleu.BLEU(tokenize=tokenize, force=True, references=[reference])
    systems = sorted(path for path in folder.glob("*.*.txt"))
    assert len(systems) == 16
    for path in systems if cybleu.BACKEND == "cython" else systems[:2]:
        hypotheses = path.read_text(encoding="utf-8").split("\n")[:-1]
        theirs = metric.corpus_score(hypotheses, None)
        rows = segment_stats([[line] for line in reference], hypotheses, tokenize=tokenize, threads=2)
        assert rows.sum(axis=0).tolist() == [theirs.sys_len, theirs.ref_len, *theirs.counts, *theirs.totals]
