"""Compare chrF with sacreBLEU and NLTK."""

from collections import deque

import nltk.translate.chrf_score as nltk_chrf
import pytest
from hypothesis import example, given, strategies as st
from sacrebleu.metrics import CHRF as Theirs

import cybleu
from cybleu import References, chrf_score, scores
from cybleu.metrics import Chrf, find
from cybleu.sacrebleu_compat import CHRF
from inputs import CATCHES_WARNINGS, assert_class_is_as_sacrebleu_s, assert_same_calls

pytestmark = CATCHES_WARNINGS

PIECES = [*"abc .,(é猫\ud800\x1c\xa0\u2028A!", "\U0001f600", "ab ", "the ", "\u0130"]
SPACES = [chr(code) for code in range(0x3001) if chr(code).isspace()]  # the last is U+3000
MANY = [chr(code) for code in range(0x4E00, 0x4E00 + 300)]  # more than a byte has numbers for

lines = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
long_lines = st.tuples(st.lists(st.sampled_from(PIECES + MANY), min_size=1, max_size=9), st.integers(0, 299)).map(
    lambda pair: "".join(pair[0]) * 30 + "".join(MANY[: pair[1]])
)
arguments = st.fixed_dictionaries(
    {},
    optional={
        "char_order": st.sampled_from([0, 1, 2, 6, 9, 12, 64]),
        "word_order": st.sampled_from([0, 1, 2, 3, 64]),
        "beta": st.sampled_from([0, 1, 2, 3, 0.5, -2, 2.5, True, 1e200]),
        "lowercase": st.booleans(),
        "whitespace": st.booleans(),
        "eps_smoothing": st.booleans(),
    },
)


def is_accepted(options):
    """Whether the metric takes what sacreBLEU takes."""
    beta = options.get("beta", 2)
    return options.get("char_order", 6) + options.get("word_order", 0) > 0 and beta is not True and beta < 1e100


@st.composite
def corpora(draw):
    hypotheses = draw(st.lists(lines | long_lines, min_size=1, max_size=4))

    def alike(position):
        line = hypotheses[position % len(hypotheses)]
        return st.just(line) | st.integers(0, len(line)).map(lambda cut: line[cut:] + line[:cut]) | lines | st.none()

    count = draw(st.just(len(hypotheses)) | st.integers(1, 5))
    document = st.tuples(*[alike(position) for position in range(count)]).map(list)
    return hypotheses, draw(st.lists(document, min_size=1, max_size=3))


@given(corpora(), arguments)
@example((["a\x1cb", ""], [["a b", "x"], ["", "x"]]), {"word_order": 2, "whitespace": True})
@example((["ab" * 200], [["ba" * 150]]), {"char_order": 12})
@example((["ab" * 1000], [["ba" * 600]]), {"word_order": 2})
@example((["".join(map(chr, range(0x100, 0x2400)))], [["".join(map(chr, range(0x1000, 0x2500)))]]), {})
@example(
    (["".join(MANY[:n]) for n in range(254, 258)], [["".join(MANY[1:n]) + MANY[n - 1] for n in range(254, 258)]]), {}
)
@example((["".join(MANY) * 30], [["".join(MANY) * 20 + "".join(MANY[::2]) * 9]]), {})
@example((["".join(MANY) * 2], [["".join(MANY[::2] + MANY[1::2]) * 2]]), {})
@example((["a b " * 600], [["b a a " * 400], ["ab " * 600]]), {"word_order": 2})
@example(([" ".join(MANY[:n]) for n in (64, 65)], [[" ".join(MANY[:n]) for n in (64, 65)]]), {"word_order": 2})
@example((["".join(map("a{}".format, SPACES))], [["a" * len(SPACES)]]), {"word_order": 2})
def test_the_class(corpus, kwargs):
    assert_class_is_as_sacrebleu_s(CHRF, Theirs, corpus, kwargs)


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")
@given(corpora(), arguments.filter(is_accepted))
def test_the_metric(corpus, kwargs):
    hypotheses, documents = corpus
    groups = [[line for line in group if line is not None] or ["x"] for group in zip(*documents)]
    hypotheses = hypotheses[: len(groups)]
    groups = groups[: len(hypotheses)]
    metric = Chrf(**kwargs)
    theirs = Theirs(**kwargs)
    rows = metric.rows(hypotheses, groups)
    assert rows.tolist() == [
        theirs._extract_corpus_statistics([line], [[text] for text in group])[0]
        for group, line in zip(groups, hypotheses)
    ]
    wanted = [theirs.sentence_score(line, group).score for line, group in zip(hypotheses, groups)]
    assert metric.scores(rows).tolist() == wanted


@given(
    st.lists(lines | long_lines, max_size=4), st.lists(lines | long_lines, max_size=4), arguments.filter(is_accepted)
)
def test_pairs(hypotheses, others, kwargs):
    theirs = Theirs(**kwargs)
    wanted = [[theirs.sentence_score(line, [text]).score for text in others] for line in hypotheses]
    assert Chrf(**kwargs).pairs(hypotheses, others).tolist() == wanted


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")
@given(
    st.lists(st.lists(lines, min_size=1, max_size=3), min_size=1, max_size=4),
    st.lists(st.tuples(lines | st.none(), st.integers(0, 99)), max_size=70),
    st.sampled_from(["chrf", "chrf++"]),
    st.booleans(),
)
@example([["ab", "ba"], ["a"]], [("ab", 0), (None, 1)] * 40, "chrf++", False)
@example([["a b " * 70, "b a a"]], [("a b " * 70, 0), ("b a", 0), ("", 0)], "chrf++", True)
def test_prepared_references(sets, hypotheses, name, lowercase):
    owner = [place % len(sets) for _, place in hypotheses]
    texts = [sets[number][0][::-1] if text is None else text for (text, _), number in zip(hypotheses, owner)]
    metric = find(name, lowercase=lowercase)
    rows = metric.rows(texts, References(sets), owner=owner, threads=2)
    theirs = Theirs(word_order=metric.word_order, lowercase=lowercase)
    assert scores(rows, metric).tolist() == [
        theirs.sentence_score(text, sets[number]).score for text, number in zip(texts, owner)
    ]
    assert rows.tolist() == metric.rows(texts, sets, owner=owner).tolist()


@pytest.mark.parametrize("whitespace", [False, True])
@pytest.mark.parametrize("space", SPACES, ids=lambda space: f"U+{ord(space):04X}")
def test_every_white_space_with_and_without_the_option(space, whitespace):
    many = "".join(MANY)
    hypotheses = [f"ab{space}cd", f"{space}é{space}{space}ba", f"{many}{space}ab"]
    references = ["abcd", f"é b{space}a", f"{many}ab {space}"]
    options = {"whitespace": whitespace, "word_order": 2}
    expected = Theirs(**options)
    metric = find("chrf++", whitespace=whitespace)
    rows = metric.rows(hypotheses, references)
    for row, hypothesis, reference in zip(rows.tolist(), hypotheses, references):
        assert row == expected._extract_corpus_statistics([hypothesis], [[reference]])[0]
    assert cybleu.chrf(hypotheses, references, **options).score == expected.corpus_score(hypotheses, [references]).score


# ------------------------------------------------------------------------------------------------------------- NLTK's


texts = lines | st.lists(st.sampled_from(["a", "b c", "the", "", "é", "\x1c"]), max_size=8)
orders = st.fixed_dictionaries(
    {},
    optional={
        "min_len": st.sampled_from([0, 1, 2, 3, 65]),
        "max_len": st.sampled_from([0, 1, 2, 6, 9, 64, 65, 100]),
        "beta": st.sampled_from([0, 1, 2.5, 3.0, -1, True, float("nan"), float("inf"), 1e200]),
        "ignore_whitespace": st.booleans(),
    },
)


@given(st.lists(st.tuples(texts, texts), max_size=4), orders)
@example([("a\x1cb", "a b")], {"ignore_whitespace": True})
@example([("abc", "abc"), ([], [])], {"beta": True})
@example([("a\x1cb c" * 30, "a b\x1f c" * 25), ("", "a")], {"min_len": 0, "max_len": 100})
@example([("the cat sat", "a cat sat")], {"min_len": -1})
@example([], {"min_len": -1})
def test_nltks_functions(pairs, options):
    references = [one for one, _ in pairs]
    hypotheses = [other for _, other in pairs]
    assert_same_calls(chrf_score.corpus_chrf, nltk_chrf.corpus_chrf, references, hypotheses, **options)
    for pair in pairs:
        assert_same_calls(chrf_score.sentence_chrf, nltk_chrf.sentence_chrf, *pair, **options)


@given(texts, texts, st.integers(-1, 40), st.sampled_from([1, 3.0, 0]))
def test_nltks_parts(reference, hypothesis, n, beta):
    parts = "chrf_precision_recall_fscore_support"
    assert_same_calls(getattr(chrf_score, parts), getattr(nltk_chrf, parts), reference, hypothesis, n, beta, 0.5)


@pytest.mark.parametrize("ignore_whitespace", [False, True])
@pytest.mark.parametrize("space", SPACES, ids=lambda space: f"U+{ord(space):04X}")
@pytest.mark.parametrize("orders", [(1, 6), (0, 6)], ids=str)
def test_every_white_space_of_nltk(space, ignore_whitespace, orders):
    pair = f"ab{space}cd é", f"{space}abc{space}{space}d é"
    options = {"ignore_whitespace": ignore_whitespace}
    assert chrf_score.sentence_chrf(*pair, *orders, **options) == nltk_chrf.sentence_chrf(*pair, *orders, **options)


@pytest.mark.parametrize(
    "given_", [(["a"], ["a", "b"]), ([1], ["a"]), (["a"], [None]), (["a"], [["b", 1]]), ([], []), (None, [])]
)
def test_nltks_errors(given_):
    assert_same_calls(chrf_score.corpus_chrf, nltk_chrf.corpus_chrf, *given_)


@pytest.mark.parametrize(
    "of", [tuple, deque, lambda texts: dict(enumerate(texts)).values(), lambda texts: dict.fromkeys(texts).keys()]
)
def test_corpora_in_other_collections(of):
    """NLTK's function asks for a length and goes through them."""
    references = [f"the cat sat {n}" for n in range(600)]
    hypotheses = [f"a cat sits {n}" for n in range(600)]
    given_ = of(references), of(hypotheses)
    assert chrf_score.corpus_chrf(*given_) == nltk_chrf.corpus_chrf(*given_)
