"""Statistics of raw text: the rows of the tokens, whatever the text comes in."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cybleu
from cybleu import References
from cybleu.metrics import Bleu
from cybleu.text import tokenizer

pytestmark = [
    pytest.mark.usefixtures("backend"),
    pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning"),
]

TOKENIZE = ["13a", "intl", "zh", "char", "none", "unicode", "ascii", "space", str.split]
lines = st.text(st.sampled_from("aAbé猫.,-5 \u00a0&\ud800İΣ"), max_size=30)
corpora = st.lists(st.tuples(st.lists(lines, min_size=1, max_size=3), lines), min_size=1, max_size=5)


def expected_rows(references, hypotheses, tokenize, lowercase, order, length="closest", **more):
    split = tokenizer(tokenize, lowercase)
    return cybleu.rows(
        [split(line) for line in hypotheses],
        [[split(line) for line in group] for group in references],
        max_order=order,
        reference_length=length,
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
    options = {"max_order": order, "reference_length": length, "tokenize": tokenize, "lowercase": lowercase}
    assert cybleu.rows(hypotheses, references, **options).tolist() == expected
    in_tuples = tuple(hypotheses), tuple(map(tuple, references))
    assert cybleu.rows(*in_tuples, threads=2, **options).tolist() == expected
    prepared = References(references)
    assert cybleu.rows(hypotheses, prepared, **options).tolist() == expected
    again = pickle.loads(pickle.dumps(prepared))
    assert cybleu.rows(hypotheses, again, threads=3, **options).tolist() == expected
    owner = [len(corpus) - 1] * len(corpus)
    assert (
        cybleu.rows(hypotheses, references, owner=owner, **options).tolist()
        == cybleu.rows(hypotheses, prepared, owner=owner, **options).tolist()
        == expected_rows(references, hypotheses, tokenize, lowercase, order, length, owner=owner)
    )
    metric = Bleu(**options)
    assert metric.total(expected) == np.sum(expected, axis=0).tolist()
    assert cybleu.bleu(hypotheses, references, **options).score == metric.score(expected).score


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
        rows = cybleu.rows(hypotheses, [[line] for line in reference], tokenize=tokenize, threads=2)
        assert rows.sum(axis=0).tolist() == [theirs.sys_len, theirs.ref_len, *theirs.counts, *theirs.totals]
