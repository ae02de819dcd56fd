"""TER beside sacreBLEU."""

from random import Random

import pytest
from hypothesis import example, given, strategies as st
from sacrebleu.metrics import TER as Theirs
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from cybleu.metrics import Ter
from cybleu.sacrebleu_compat import TER
from inputs import CATCHES_WARNINGS, assert_class_is_as_sacrebleu_s
from marks import long

pytestmark = CATCHES_WARNINGS

# what the options of the tokeniser look at, and what they must not look at
PIECES = [
    *"aS's059.,-?:;!\"()&<'`/{~ \t\n\xa0\u3000\x85\x1cΣß中カ。、！･\ud800",
    *"'s |'s.|\n-|&quot;|&amp;|&lt;|&gt;".split("|"),
]
WORDS = ["a", "b", "a", "the", "cat", "'s", "x."]
OPTIONS = ["normalized", "no_punct", "asian_support", "case_sensitive"]

characters = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
options = st.fixed_dictionaries({}, optional={name: st.booleans() for name in OPTIONS})


@st.composite
def texts_alike(draw):
    """A few words that are repeated, and the same with blocks at other places and some words changed."""
    text = draw(st.lists(st.sampled_from(WORDS), max_size=40))
    other = list(text)
    for _ in range(draw(st.integers(0, 3))):
        first, length, place = (draw(st.integers(0, 40)) for _ in range(3))
        block = other[first : first + length]
        del other[first : first + length]
        other[place:place] = block
    for place, word in draw(st.lists(st.tuples(st.integers(0, 40), st.sampled_from([*WORDS, None])), max_size=4)):
        other[place : place + 1] = [] if word is None else [word]
    return " ".join(text), " ".join(other)


@st.composite
def corpora(draw):
    pairs = draw(st.lists(texts_alike() | st.tuples(characters, characters), min_size=1, max_size=3))
    count = draw(st.just(len(pairs)) | st.integers(1, 4))
    references = [reference for _, reference in pairs]
    documents = [(references * count)[:count]]
    more = st.sampled_from([*references, *(text for text, _ in pairs), None]) | characters
    documents += draw(st.lists(st.lists(more, min_size=count, max_size=count), max_size=3))
    return [text for text, _ in pairs], documents


@given(corpora(), options)
@example((["the dog's.", "dog's"], [["the dog's , x", "dog's !"]]), {"normalized": True})
@example((["", "a", ""], [["", "", "a"]]), {})
@example((["a b c " * 8], [["c " * 3], ["c b a " * 10]]), {})
@example((["a b c d e f"], [["f e d c b a"], ["a b c d e x"]]), {})
def test_the_class(corpus, kwargs):
    assert_class_is_as_sacrebleu_s(TER, Theirs, corpus, kwargs)


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")
@given(corpora(), options)
def test_the_metric(corpus, kwargs):
    hypotheses, documents = corpus
    groups = [[line for line in group if line is not None] for group in zip(*documents)][: len(hypotheses)]
    hypotheses = hypotheses[: len(groups)]
    metric = Ter(**kwargs)
    theirs = Theirs(**kwargs)
    expected = theirs._extract_corpus_statistics(hypotheses, documents)
    rows = metric.rows(hypotheses, groups, threads=2)
    assert rows.tolist() == expected
    assert metric.scores(rows).tolist() == [theirs._compute_score_from_stats(row).score for row in expected]


@given(characters, st.tuples(*[st.booleans()] * 4))
@example("&lt; a &gt;", (True, False, False, False))
def test_the_tokeniser(line, chosen):
    wanted = TercomTokenizer(*chosen)(line.rstrip()).split()
    metric = Ter(*chosen)
    assert metric.count(line, ["#"])[0] == max(len(wanted), 1)
    tokens = " ".join(wanted)  # which are read once more, so that those of &amp;lt; are not equal
    assert metric.count(tokens, [line]) == Theirs(*chosen)._extract_corpus_statistics([tokens], [[line]])[0]


# sacreBLEU takes seconds for many words of which many are equal
LENGTHS = [
    *((1, 90), (90, 1), (3, 200), (200, 3)),
    *map(long, ((30, 40), (50, 100), (100, 50), (80, 80))),
]


def random_texts(words, lengths):
    random = Random(words)
    return [" ".join(f"{random.randrange(words)}" for _ in range(length)) for length in lengths]


@pytest.mark.parametrize("words", [1, 2, 5, 500])
@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
def test_long_texts(lengths, words):
    """Longer than what is looked at beside the diagonal, and with as many candidates as there can be."""
    hypothesis, reference = random_texts(words, lengths)
    assert Ter().count(hypothesis, [reference]) == Theirs()._extract_corpus_statistics([hypothesis], [[reference]])[0]


def test_a_very_long_text():
    words = [f"{number}" for number in range(6000)]
    assert Ter().rows([" ".join(words), "a b"], [" ".join([*words[1:], "x"]), "a c"]).tolist() == [[2, 6000], [1, 2]]


NUMBERS = [f"{number}" for number in range(60)]
OTHERS = [f"a{number}" for number in range(26)]
PLACED = {
    **{f"{n} before": ([*OTHERS[:n], *NUMBERS[:40]], [*NUMBERS[:40], *OTHERS[:n][::-1]]) for n in (24, 25, 26)},
    "shuffled": (Random(1).sample(NUMBERS, 60), NUMBERS),
    "swapped": ([NUMBERS[place ^ 1] for place in range(60)], NUMBERS),
    "turned": (NUMBERS[::-1], NUMBERS),
}


@pytest.mark.long
@pytest.mark.parametrize("name", PLACED)
def test_words_in_another_order(name):
    """How far beside the diagonal is looked, and as many candidates as there can be."""
    line, text = map(" ".join, PLACED[name])
    theirs = Theirs()
    row = Ter().count(line, [text])
    assert row == theirs._extract_corpus_statistics([line], [[text]])[0]
    assert Ter().evaluate(row) == theirs._compute_score_from_stats(row).score


@pytest.mark.long_in_mirror
@pytest.mark.parametrize(
    ("texts", "row"),
    [(map(" ".join, PLACED["swapped"]), [30, 60]), (random_texts(2, (50, 100)), [55, 100])],
    ids=["fewer than 1000", "from 1000 on"],
)
def test_the_number_of_candidates_from_which_on_there_is_no_shift(texts, row):
    """The two tests above compare these rows with sacreBLEU."""
    hypothesis, reference = texts
    assert Ter().count(hypothesis, [reference]) == row
