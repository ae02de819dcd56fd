"""Rows, scores and pairs of each metric of raw text are the same on both backends, to the last bit."""

from random import Random

import pytest
from hypothesis import example, given, strategies as st

import cybleu
from cybleu.metrics import Bleu, Cer, Chrf, Gleu, Nist, References, Rouge, Ter, Wer
from inputs import on_both_backends

pytestmark = pytest.mark.thread_unsafe(reason="one process has the mirror")

METRICS = [
    Bleu("sacrebleu"),
    Bleu("sacrebleu", smoothing="floor", tokenize="intl", reference_length="closest-first"),
    Chrf(),
    Chrf(char_order=4, word_order=2, beta=0.7),
    Chrf(whitespace=True, eps_smoothing=True),
    Gleu(tokenize="13a"),
    Nist(),
    Ter(normalized=True),
    Rouge("2"),
    Rouge("L"),
    Rouge("Lsum"),
    Wer(),
    Cer(),
]
lines = st.lists(st.sampled_from([*"abc .,é猫\ud800\x1c\xa0", "the ", "cat "]), max_size=25).map("".join)
corpora = st.lists(st.tuples(lines, st.lists(lines, min_size=1, max_size=3)), min_size=1, max_size=4)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")  # several references of one word
@given(corpora)
@example([(" ".join("03302214210242"), [" ".join("00223242123140")])])  # several shifts of TER that gain as much
@example([("a b c", ["a b c d", "a b"]), ("a b c", ["a b", "a b c d"]), ("a b c", ["b c a b", "a b ."])])  # ties
def test_metrics(kernels, metric, corpus):
    texts = [text for text, _ in corpus]
    references = [group for _, group in corpus]
    rows = on_both_backends(lambda: metric.rows(texts, references))
    on_both_backends(lambda: metric.rows(texts, References(references)))
    on_both_backends(lambda: (metric.scores(rows), cybleu.score(rows, metric)))
    on_both_backends(lambda: metric.pairs(texts))


DEFINITIONS = [
    Bleu(),
    Bleu(max_order=2, smoothing="floor"),
    Bleu(smoothing="none"),
    Bleu("nltk", smoothing="method4"),
    Bleu("multi-bleu"),
    Rouge("L"),
    Wer(),
]


@pytest.mark.parametrize("metric", DEFINITIONS, ids=repr)
def test_pairs_of_many_texts(kernels, metric):
    """Some n-grams are in most texts, in some of these more often than a byte can count; some texts are long."""
    random = Random(0)
    texts = [random.choices("abcdefgh", [9, 3, 2, 1, 1, 1, 1, 1], k=random.randrange(40)) for _ in range(40)]
    texts += [["a"] * 300, ["a", "b"] * 200, ["a", "i"] * 130, texts[0], texts[0]]
    on_both_backends(lambda: (metric.pairs(texts), metric.pairs(texts[:3], texts), metric.pairs(texts, texts[:3])))


@pytest.mark.parametrize("kinds", [1, 3, 40, 64, 65, 120])
def test_long_texts_of_few_different_tokens(kernels, kinds):
    random = Random(kinds)
    alphabet = list(map(chr, range(0x100, 0x100 + kinds)))
    texts = ["".join(random.choices(alphabet, k=random.randrange(60, 300))) for _ in range(12)]
    copies = [[text[:90], text[50:] + text[:70]] for text in texts]
    references = [[*some, other] for some, other in zip(copies, texts[1:] + texts[:1])]
    on_both_backends(lambda: cybleu.rows(texts, references, tokenize="char", max_order=6))
    on_both_backends(lambda: cybleu.rows(texts, [some[1:2] for some in references], tokenize="char", max_order=6))
    on_both_backends(lambda: cybleu.rows(texts, references, "gleu", tokenize="char", min_len=2, owner=[0, 5, 5] * 4))
