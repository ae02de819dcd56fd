"""The metric `nist` compared with its definition by brute force."""

import math
import re
from collections import Counter

import pytest
from hypothesis import example, given, strategies as st

from cybleu.metrics import Nist, NistInformation
from cybleu.text import tokenizer
from inputs import matched, ngrams

WORDS = "a|A|b|0|1,000|3.|x-y|5-|&quot;|&AMP;|&amp;LT;|<SKIPPED>|Ä|don't|$|\xa0".split("|")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
CORPORA = st.integers(1, 3).flatmap(
    lambda count: st.lists(st.tuples(st.lists(TEXTS, min_size=count, max_size=count), TEXTS), min_size=1, max_size=4)
)
RULES = [
    (r"([\{-\~\[-\` -\&\(-\+\:-\@\/])", r" \1 "),
    (r"([^0-9])([\.,])", r"\1 \2 "),
    (r"([\.,])([^0-9])", r" \1 \2"),
    (r"([0-9])(-)", r"\1 \2 "),
]


def words_of(line, lowercase):
    line = line.replace("<skipped>", "")
    for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        line = line.replace(entity, character)
    line = re.sub("[A-Z]", lambda found: found[0].lower(), f" {line} ") if lowercase else f" {line} "
    for pattern, replacement in RULES:
        line = re.sub(pattern, replacement, line)
    return line.split()


def definition(references, hypotheses, lowercase):
    """The cumulative and individual scores by order, from 1 to 9."""
    sets = [[words_of(line, lowercase) for line in group] for group in references]
    texts = [words_of(line, lowercase) for line in hypotheses]
    everything = [words for group in sets for words in group]
    length = sum(map(len, everything)) / len(references[0])
    total = sum(map(len, everything))
    found = sum((ngrams(words, n) for n in range(1, 10) for words in everything), Counter())
    ratio = sum(map(len, texts)) / length if length else 0
    penalty = math.exp(math.log(0.5) * (math.log(ratio) / math.log(1.5)) ** 2) if 0 < ratio < 1 else float(ratio >= 1)
    individual = []
    for n in range(1, 10):
        bits = 0.0
        for group, words in zip(sets, texts):
            for ngram in matched(group, words, n).elements():
                before = total if n == 1 or ngram[:-1] == ("0",) else found[ngram[:-1]]
                bits += math.log2(before / found[ngram])
        individual.append(bits / max(1, sum(max(len(words) - n + 1, 0) for words in texts)) * penalty)
    return [math.fsum(individual[:n]) for n in range(1, 10)], individual


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")
@pytest.mark.parametrize("order", [5, 9])
@given(CORPORA, st.booleans())
@example([(["0 a 0 b", "a b"], "0 a b")], False)
@example([(["a a a b", "a a c"], "a a a a b b c"), (["b a"], "a b")], False)
@example([(["a b", "a b c"], "a b")], False)
@example([([""], "a")], False)
@example([(["a b c d e f g h i j", "a"], "a b c d e f g h i j")], False)
def test_the_definition(order, corpus, lowercase):
    references, hypotheses = map(list, zip(*corpus))
    if len(set(map(len, references))) > 1:
        references = [group[:1] for group in references]
    metric = Nist(order, lowercase=lowercase)
    cumulative, individual = definition(references, hypotheses, lowercase)
    rows = metric.rows(hypotheses, references)
    found = metric.score(rows)
    assert metric.scores(rows).tolist() == [metric.score(row).score for row in rows]
    assert found.cumulative == pytest.approx(cumulative[:order], rel=1e-12)
    assert found.individual == pytest.approx(individual[:order], rel=1e-12)
    assert found.score == found.cumulative[-1]


@given(TEXTS, st.booleans())
@example("&QUOT;&quot;&Amp;lt; <Skipped><skipped> U.S.A. A,B 1,5.", True)
def test_the_tokeniser(line, lowercase):
    """Words are equal if one text has the information of the other."""
    information = NistInformation([[line]])
    words = words_of(line, lowercase)
    if not lowercase:
        assert tokenizer("13a")(line) == words
    if words:
        # as many different words of equal frequencies, and matches of all of them
        expected = {n: math.log2(len(words) / n) for n in Counter(words).values()}
        metric = Nist(1, information, lowercase=lowercase)
        bits = sum(count * expected[count] for count in Counter(words).values())
        assert metric.count(line, [line]) == pytest.approx([len(words), bits, len(words)], rel=1e-12)
