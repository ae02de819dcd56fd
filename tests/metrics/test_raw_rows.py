"""Statistics of raw text: the rows of the tokens, whatever the text comes in."""

import pytest
from hypothesis import example, given, strategies as st

import cybleu
from cybleu import References
from cybleu.text import tokenizer
from inputs import counted_row

pytestmark = [
    pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning"),
]

TOKENIZE = ["13a", "intl", "zh", "char", "none", "unicode", "ascii", "space", str.split]
WORDS = ["a", "b", "The", *("x" * n for n in (15, 16, 17)), *"é|猫|\ud800|5.5|.|a\u00a0b|&amp;|\U0001f600".split("|")]
lines = st.text(st.sampled_from("aAbé猫.,-5 \u00a0&\ud800İΣ"), max_size=30) | st.tuples(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), st.sampled_from([1, 13, 16, 60])
).map(lambda drawn: " ".join(drawn[0] * drawn[1]))
corpora = st.lists(st.tuples(st.lists(lines, min_size=1, max_size=3), lines), min_size=1, max_size=5)


# more different characters than a byte has values, and fewer; in the words between spaces, too
MANY = " ".join(map(chr, range(0x4E00, 0x4F20))) * 2
FEW = "ab bca é abba c" * 40
LONG = " ".join(map(str, range(20_000)))


@pytest.mark.parametrize("read", [list, References], ids=["as given", "prepared"])
@given(
    corpora,
    st.sampled_from(TOKENIZE),
    st.booleans(),
    st.sampled_from(["closest", "closest-first", "shortest", "average"]),
    st.sampled_from([1, 2, 4, 5, 70]),
)
@example([(["a " * 65, "b " * 64], "a " * 64), (["a b " * 200], "a " * 300)], "none", False, "closest", 4)
@example([([MANY[9:], MANY[:270] * 2], MANY), ([FEW, MANY, FEW[::-1] * 3], FEW[9:])], "none", False, "shortest", 5)
@example([([LONG], LONG), (["a c"], "a b")], "none", False, "closest", 4)
@example([([MANY[9:], MANY[:270] * 2], MANY), ([FEW, MANY, FEW[::-1] * 3], FEW[9:])], "char", False, "shortest", 5)
def test_rows_are_those_of_the_tokens(read, corpus, tokenize, lowercase, length, order):
    references = [group for group, _ in corpus]
    hypotheses = [line for _, line in corpus]
    split = tokenizer(tokenize, lowercase)
    expected = [
        counted_row([split(line) for line in group], split(hypothesis), order, length) for group, hypothesis in corpus
    ]
    options = {"max_order": order, "reference_length": length, "tokenize": tokenize, "lowercase": lowercase}
    owner = [*range(len(corpus))]
    assert cybleu.rows(hypotheses, read(references), owner=owner, threads=2, **options).tolist() == expected


def test_every_character_splits_as_in_python():
    starts = [start for start in range(0, 0x110000, 64) if not 0xD800 <= start < 0xE000]
    lines = ["b".join(map(chr, range(start, start + 64))) for start in starts]
    for texts in (lines, [line.encode() for line in lines]):
        rows = cybleu.rows(texts, texts, tokenize="none")
        assert rows[:, 0].tolist() == [len(line.split()) for line in lines]


def test_a_long_text_leaves_no_token_behind():
    for start in range(0, 6000, 100):  # tokens are in random slots of a table
        words = [f"w{number}" for number in range(start, start + 100)]
        texts = [" ".join(words), " ".join(reversed(words))]
        rows = cybleu.rows(texts, [" ".join(words[50:] * 2)] * 2, tokenize="none", max_order=1)
        assert rows[:, 2].tolist() == [50, 50]
