"""Likely mistakes of a newcomer: the message names the fix that is right for this one."""

from __future__ import annotations

import numpy as np
import pytest

import command_line
from cybleu import sentence_bleu
from cybleu.explanations import explain

pytestmark = pytest.mark.usefixtures("backend")

R, H = "the cat sat on the mat".split(), "the cat sat on a mat".split()


@pytest.mark.parametrize(
    ("weights", "remark"),
    [
        ((0.3, 0.3, 0.3, 0.2), "the weights add up to 1.1, not 1"),
        ((0.6, 0.5, -0.1), "the weight -0.1 is negative"),
        ([0.5, 0.25], "the weights add up to 0.75, not 1"),
    ],
)
def test_unusual_weights_are_remarked_on(weights, remark):
    expected = sentence_bleu([R], H, weights)
    with pytest.warns(UserWarning, match=remark) as caught:
        assert explain([R], H, weights).score == expected
    assert caught[0].filename == __file__


@pytest.mark.parametrize("weights", [(1,), (1 / 3,) * 3, (0.33,) * 3, (0.166,) * 6, np.array([0.5, 0.5]), (1, 0)])
def test_usual_weights_are_not(weights):
    assert explain([R], R, weights).score == sentence_bleu([R], R, weights)


# ------------------------------------------------------------------------------------------------------------- commands


def run(*arguments):
    return command_line.run(*arguments)


@pytest.fixture
def files(folder):
    command_line.write_lines(folder, {"hyp": ["a b c d"], "ref": ["a b c e"], "other": ["a x c e"]})
    return folder


@pytest.mark.parametrize(
    ("name", "line", "kind"),
    [
        ("texts.csv", "1,a b c d", "CSV"),
        ("texts.tsv", "1\ta b c d", "a table with tabs"),
        ("texts.jsonl", '{"text": "a b c d"}', "JSON lines"),
        ("texts.txt", '{"text": "a b c d"}', "JSON lines"),
    ],
)
def test_tables_given_as_text_are_noticed(files, name, line, kind):
    command_line.write_lines(files, {name: [line]})
    plain = files / "same"
    plain.write_bytes((files / name).read_bytes()[:0] + (line.replace("{", "(", 1) + "\n").encode())
    result = run("score", name, "ref", "--tokenize", "none")
    assert result.exit_code == 0
    assert f"'{name}' looks like {kind}, and each of its lines is taken as a text" in result.stderr
    assert "looks like" not in run("score", "same", "ref").stderr


def test_weights_on_the_command_line(files):
    result = run("score", "hyp", "ref", "--weights", "0.6,0.5")
    assert result.exit_code == 0 and "cybleu: the weights add up to 1.1, not 1" in result.stderr
    assert "weights" not in run("score", "hyp", "ref", "--weights", "0.5,0.5").stderr
