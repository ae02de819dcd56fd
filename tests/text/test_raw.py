"""Raw text wherever texts are taken: the same as its tokens."""

import pickle
import re

import pytest

import cybleu
from cybleu import References, columns, explain
from cybleu.explanations import blind_spots
from cybleu.metrics import find
from cybleu.rerank import mbr
from cybleu.text import tokenizer
from inputs import bits

LINES = ["The cat sat.", "A cat, it sat!", "the Cat sat.", "", "猫 sat. The cat"]
REFERENCES = [["The cat sat."], ["A cat sat.", "It sat, a cat."], ["the cat"], ["x"], ["猫。"]]


OF_MTEVAL = [
    ("13a", True, ["THE Ä cat.", "the &QUOT; cat"], [["the Ä Cat."], ["the &quot; cat", "THE x"]]),
    ("intl", False, ["it was in 1990. ", "1. 2"], [["it was in 1990."], ["it was in 1990. \t", "1. 2 "]]),
    ("intl", True, ["It Was É in 1990. ", "1. 2"], [["it was é in 1990 ."], ["É É 1."]]),
    ("none", True, ["THE Ä cat", "&QUOT; x"], [["the ä CAT"], ["&quot; Ä"]]),
    ("codexglue", True, ["THE Ä cat", "x"], [["the ä CAT"], ["X"]]),
    (str.split, True, ["THE Ä cat", "x"], [["the ä CAT"], ["X"]]),
]


def tokens_of_script(line, tokenize, lowercase):
    """The script's tokens: only A to Z have a lower case, and a blank at the end of a line separates a mark."""
    if lowercase:
        entity = " &QUOT ;" if tokenize == "13a" else "&QUOT;"  # the script replaces entities before
        line = re.sub("[A-Z]", lambda found: found[0].lower(), line.replace("&QUOT;", entity))
    if tokenize == "intl" and re.search(r"\d[.]\s+$", line):
        line = re.sub(r"([.])\s+$", r" \1", line)
    return tokenizer(tokenize)(line)


def prepared_and_pickled(metric, texts, sets):
    prepared = References(sets)
    return [metric.rows(texts, one).tolist() for one in (prepared, pickle.loads(pickle.dumps(prepared)))]


USES = {
    "rows": lambda metric, texts, sets: metric.rows(texts, sets),
    "owner": lambda metric, texts, sets: metric.rows(texts * 20, sets, owner=[0, 1] * 20),
    "prepared": prepared_and_pickled,
    "pairs": lambda metric, texts, sets: cybleu.pairs(texts, metric=metric),
    "rewards": lambda metric, texts, sets: cybleu.reward_scores(texts, sets, metric=metric),
    "columns": lambda metric, texts, sets: [
        *columns.rows({"hypothesis": texts, "reference": sets}, metric=metric).values()
    ],
    "mbr": lambda metric, texts, sets: mbr([[text for text in group if text] for group in sets], metric=metric).scores,
    "explain": lambda metric, texts, sets: str(explain(texts[0], sets[0], metric=metric)),
    "blind spots": lambda metric, texts, sets: blind_spots(texts[0], sets[0], metric).blocks,
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize(("tokenize", "lowercase", "lines", "references"), OF_MTEVAL)
def test_mteval_reads_raw_text_as_its_script(use, tokenize, lowercase, lines, references):
    raw = {"tokenize": tokenize, "lowercase": lowercase}
    texts = [tokens_of_script(line, **raw) for line in lines]
    sets = [[tokens_of_script(line, **raw) for line in group] for group in references]
    found = use(find("mteval-v13a", **raw), lines, references)
    assert bits(found) == bits(use(find("mteval-v13a"), texts, sets))


@pytest.mark.parametrize(("tokenize", "lowercase", "lines", "references"), OF_MTEVAL)
def test_mteval_reads_bytes_as_text(tokenize, lowercase, lines, references):
    metric = find("mteval-v13a", tokenize=tokenize, lowercase=lowercase)
    in_bytes = [line.encode() for line in lines], [[line.encode() for line in group] for group in references]
    assert metric.rows(*in_bytes).tolist() == metric.rows(lines, references).tolist()


@pytest.mark.parametrize(("tokenize", "lowercase", "lines", "references"), OF_MTEVAL)
def test_other_metrics_use_what_mteval_has_prepared(tokenize, lowercase, lines, references):
    raw = {"tokenize": tokenize, "lowercase": lowercase}
    prepared = References(references)
    for name in ("mteval-v13a", "sacrebleu"):
        assert find(name, **raw).rows(lines, prepared).tolist() == find(name, **raw).rows(lines, references).tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda **how: cybleu.rows(LINES, REFERENCES, **how),
        lambda **how: cybleu.rows(LINES, References(REFERENCES), **how),
        lambda **how: cybleu.reward_scores(LINES, REFERENCES, **how),
        lambda **how: cybleu.reward_scores(LINES, References(REFERENCES), **how),
        lambda **how: cybleu.pairs(LINES, **how),
        lambda **how: mbr([LINES], **how).scores,
    ],
)
def test_raw_text_has_the_tokeniser_of_the_metric(call):
    assert call().tolist() == call(tokenize="13a").tolist() == call(metric="sacrebleu").tolist()
    assert call(metric="nltk").tolist() == call(metric="nltk", tokenize=str.split).tolist()
    assert call(metric="nltk").tolist() != call(metric="nltk", tokenize="13a").tolist()
