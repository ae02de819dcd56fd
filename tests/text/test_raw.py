"""Raw text wherever texts are taken: the same as its tokens."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from cybleu import (
    BleuReward,
    CorpusAccumulator,
    References,
    SmoothingFunction,
    bleu_rewards,
    check,
    explain,
    explain_difference,
    pairwise_bleu,
    segment_stats,
    self_bleu,
)
from cybleu.errors import (
    SequenceTypeError,
)
from cybleu.metrics import Metric
from cybleu.nbest import NBest, prepare_references
from cybleu.rerank import diverse, mbr
from cybleu.text import tokenizer

pytestmark = pytest.mark.usefixtures("backend")

LINES = ["The cat sat.", "A cat, it sat!", "the Cat sat.", "", "猫 sat. The cat"]
REFERENCES = [["The cat sat."], ["A cat sat.", "It sat, a cat."], ["the cat"], ["x"], ["猫。"]]
RAW = [("13a", False), ("13a", True), ("zh", False), ("char", True), (str.split, False)]


def tokens(lines, tokenize, lowercase):
    split = tokenizer(tokenize, lowercase)
    return [tokens(line, tokenize, lowercase) if isinstance(line, list) else split(line) for line in lines]


@pytest.mark.filterwarnings("ignore::UserWarning")  # NLTK's, of orders without a match
@pytest.mark.parametrize(("tokenize", "lowercase"), RAW)
def test_all_faces(tokenize, lowercase):
    raw = {"tokenize": tokenize, "lowercase": lowercase}
    hypotheses, references = tokens(LINES, tokenize, lowercase), tokens(REFERENCES, tokenize, lowercase)
    in_bytes = [line.encode() for line in LINES]
    assert bleu_rewards(REFERENCES, LINES, **raw).tolist() == bleu_rewards(references, hypotheses).tolist()
    owner = [0, 1, 0, 1, 4]
    expected = bleu_rewards(references, hypotheses, owner, smoothing="add-k").tolist()
    assert bleu_rewards(REFERENCES, in_bytes, owner, smoothing="add-k", **raw).tolist() == expected
    many = [0] * 60
    assert (
        bleu_rewards(REFERENCES, LINES * 12, many, **raw).tolist()
        == bleu_rewards(references, hypotheses * 12, many).tolist()
    )
    reward = BleuReward("r", **raw)
    for one in (reward, pickle.loads(pickle.dumps(reward))):
        assert one(None, LINES, None, r=REFERENCES) == bleu_rewards(references, hypotheses).tolist()
    assert pairwise_bleu(LINES, **raw).tolist() == pairwise_bleu(hypotheses).tolist()
    assert pairwise_bleu(LINES[:2], in_bytes, **raw).tolist() == pairwise_bleu(hypotheses[:2], hypotheses).tolist()
    batched = pairwise_bleu([LINES[:2], LINES[2:4]], [LINES[:1], LINES[1:2]], batched=True, **raw)
    assert batched.tolist() == [
        pairwise_bleu(hypotheses[:2], hypotheses[:1]).tolist(),
        pairwise_bleu(hypotheses[2:4], hypotheses[1:2]).tolist(),
    ]
    for method in (None, SmoothingFunction().method1, SmoothingFunction().method4):
        for texts in (LINES, in_bytes):
            assert (
                self_bleu(texts, smoothing_function=method, **raw).tolist()
                == self_bleu(hypotheses, smoothing_function=method).tolist()
            )
    assert str(explain(REFERENCES[1], LINES[1], **raw)) == str(explain(references[1], hypotheses[1]))
    of_text, of_tokens = explain_difference(REFERENCES, LINES, **raw), explain_difference(references, hypotheses)
    assert [scored.bleu for scored in of_text.scores] == [scored.bleu for scored in of_tokens.scores]
    assert [pair.causes for pair in of_text.differences] == [pair.causes for pair in of_tokens.differences]
    assert all(scored.tokenize == (tokenize if type(tokenize) is str else None) for scored in of_text.scores)


@pytest.mark.parametrize(("tokenize", "lowercase"), RAW)
def test_lists_of_hypotheses(tokenize, lowercase, tmp_path):
    raw = {"tokenize": tokenize, "lowercase": lowercase}
    hypotheses, references = tokens(LINES, tokenize, lowercase), tokens(REFERENCES, tokenize, lowercase)
    check(REFERENCES, LINES, **raw)
    lists, of_tokens = [LINES, LINES[1:3]], [hypotheses, hypotheses[1:3]]
    found, expected = mbr(lists, **raw), mbr(of_tokens)
    assert found.texts == [LINES[row] if row < 5 else LINES[row - 4] for row in found.rows.tolist()]
    assert (found.rows.tolist(), found.scores.tolist()) == (expected.rows.tolist(), expected.scores.tolist())
    among = mbr(lists, evidence=[LINES[:2], LINES[3:]], smoothing="add-k", **raw)
    expected = mbr(of_tokens, evidence=[hypotheses[:2], hypotheses[3:]], smoothing="add-k")
    assert among.scores.tolist() == expected.scores.tolist()
    assert mbr(lists, evidence=[hypotheses[:2], hypotheses[3:]], smoothing="add-k", **raw).scores.tolist() == (
        expected.scores.tolist()
    )
    assert np.concatenate(diverse(lists, 3, **raw)).tolist() == np.concatenate(diverse(of_tokens, 3)).tolist()
    nbest = NBest.from_texts([LINES, LINES], REFERENCES[:2], **raw)
    expected = NBest.from_texts([hypotheses, hypotheses], references[:2])
    assert nbest.stats.tolist() == expected.stats.tolist()
    assert nbest.texts == LINES * 2
    assert prepare_references(REFERENCES, **raw).stats(hypotheses).tolist() == expected_rows(references, hypotheses)
    (tmp_path / "nbest").write_text("".join(f"{line.replace(chr(10), ' ')}\n" for line in LINES), encoding="utf-8")
    (tmp_path / "ref").write_text(f"{REFERENCES[1][0]}\n", encoding="utf-8")
    arguments = tmp_path / "nbest", tmp_path / "ref", "plain"
    of_file = NBest.from_files(*arguments, size=5, **raw)
    assert of_file.stats.tolist() == NBest.from_texts([hypotheses], [references[1][:1]]).stats.tolist()


def expected_rows(references, hypotheses):
    return segment_stats(references, hypotheses).tolist()


class Longest(Metric):
    """The longest token that both have."""

    name, scale, columns = "longest", 1.0, ("longest",)

    def row(self, references, hypothesis):
        return [max((len(token) for token in hypothesis if any(token in text for text in references)), default=0)]

    def evaluate(self, row):
        return float(row[0])


def test_a_metric_of_ones_own_gets_tokens():
    assert bleu_rewards(REFERENCES, LINES, metric=Longest(), tokenize="13a").tolist() == [3, 3, 3, 0, 0]
    assert pairwise_bleu(LINES[:2], metric=Longest(), tokenize="13a").tolist() == [[3, 3], [3, 3]]


@pytest.mark.parametrize(
    "call",
    [
        lambda **how: check([["a cat"]], ["a cat"], **how),
        lambda **how: segment_stats([["a cat"]], ["a cat"], **how),
        lambda **how: References([["a cat"]], **how),
        lambda **how: bleu_rewards([["a cat"]], ["a cat"], **how),
        lambda **how: pairwise_bleu(["a cat"], **how),
        lambda **how: self_bleu(["a cat", "a"], (1,), **how),
        lambda **how: explain(["a cat"], "a cat", (1,), **how),
        lambda **how: CorpusAccumulator(**how).update(["a cat"], "a cat"),
        lambda **how: mbr([["a cat"]], **how),
        lambda **how: NBest.from_texts([["a cat"]], [["a cat"]], **how),
    ],
)
def test_raw_text_without_a_tokeniser_is_told_of_it(call):
    with pytest.raises(
        SequenceTypeError, match=r"a str, not .*with \.split\(\), or name a tokeniser .* tokenize='13a'"
    ):
        call()
    call(tokenize="13a")


def test_prepared_references_of_raw_text():
    found = bleu_rewards(References(REFERENCES, tokenize="13a"), LINES)
    assert np.array_equal(found, bleu_rewards(REFERENCES, LINES, tokenize="13a"))
