"""Raw text wherever texts are taken: the same as its tokens."""

import pickle
import re

import numpy as np
import pytest

import cybleu
from cybleu import References, Reward, columns, explain
from cybleu.explanations import blind_spots
from cybleu.metrics import find
from cybleu.nbest import NBest
from cybleu.rerank import mbr
from cybleu.text import tokenizer

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


def in_bytes(lines, references):
    return [line.encode() for line in lines], [[line.encode() for line in group] for group in references]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("tokenize", "lowercase", "lines", "references"), OF_MTEVAL)
def test_mteval_reads_raw_text_as_its_script(tokenize, lowercase, lines, references):
    raw = {"tokenize": tokenize, "lowercase": lowercase}
    hypotheses = [tokens_of_script(line, **raw) for line in lines]
    sets = [[tokens_of_script(line, **raw) for line in group] for group in references]
    name = "mteval-v13a"
    metric = find("mteval-v13a", **raw)
    of_tokens = {"metric": name}
    expected = cybleu.rows(hypotheses, sets, **of_tokens).tolist()
    assert metric.rows(lines, references).tolist() == expected
    assert metric.rows(*in_bytes(lines, references)).tolist() == expected
    assert metric.rows(lines * 20, references, owner=[0, 1] * 20).tolist() == expected * 20
    prepared = References(references)
    for one in (prepared, pickle.loads(pickle.dumps(prepared))):
        assert metric.rows(lines, one).tolist() == metric.rows(lines, one).tolist() == expected
    assert find("sacrebleu", **raw).rows(lines, prepared).tolist() == cybleu.rows(lines, references, **raw).tolist()
    table = {"hypothesis": lines, "reference": references}
    assert np.stack(list(columns.rows(table, metric=name, **raw).values()), axis=1).tolist() == expected
    rewards = cybleu.reward_scores(hypotheses, sets, **of_tokens).tolist()
    assert cybleu.reward_scores(lines, references, metric=metric).tolist() == rewards
    assert Reward(metric, "r")(completions=lines, r=references) == rewards
    assert cybleu.pairs(lines, metric=metric).tolist() == cybleu.pairs(hypotheses, **of_tokens).tolist()
    lists = [[text for text in group if text] for group in references]
    found = mbr(lists, metric=name, **raw).scores.tolist()
    of_lists = [[tokens_of_script(text, **raw) for text in group] for group in lists]
    assert found == mbr(of_lists, **of_tokens).scores.tolist()
    explained = explain(hypotheses[0], sets[0], **of_tokens)
    assert str(explain(lines[0], references[0], metric=name, **raw)) == str(explained)
    assert blind_spots(lines[0], references[0], name, **raw) == blind_spots(hypotheses[0], sets[0], **of_tokens)
    nbest = NBest.from_texts([[line] for line in lines], references, tokenize=tokenize)
    for one in (references, prepared, References(sets)):
        assert nbest.with_metric(name, one, **raw).stats.tolist() == expected


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
