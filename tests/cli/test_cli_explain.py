"""The command that explains the score of a line."""

from __future__ import annotations

import gzip
from functools import partial

import pytest

import command_line
from cybleu import SmoothingFunction, explain
from cybleu.metrics import Bleu

pytestmark = pytest.mark.usefixtures("backend")

HYPOTHESES = ["the cat is on a mat", "a dog sat", "", "so it was said again\xa0and again"]
FIRST = ["the cat is on the mat", "the dog sat", "nothing", "so it was said again and then again"]
SECOND = ["there is a cat on the mat", "a dog sits", "empty", "it was said again and again"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command_line.write_lines(tmp_path, {"hyp": HYPOTHESES, "ref1": FIRST, "ref2": SECOND})


run = partial(command_line.run, "explain")


def shown(*arguments, **stdin):
    result = run(*arguments, **stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def tokens(line, split=str.split):
    return [split(FIRST[line - 1]), split(SECOND[line - 1])], split(HYPOTHESES[line - 1])


@pytest.mark.parametrize("line", [1, 2, 3, 4])
def test_a_line_as_explain_shows_it(line):
    assert shown("hyp", "ref1", "ref2", "--line", line) == f"{explain(*tokens(line), metric='sacrebleu')}\n"


@pytest.mark.parametrize(
    ("options", "metric"),
    [
        ("--metric nltk --smoothing method1", Bleu("nltk", "method1")),
        ("--metric nltk-3.2", Bleu("nltk-3.2")),
        ("--smoothing floor --smoothing-value 0.5 --max-order 2", Bleu("sacrebleu", "floor", 0.5, max_order=2)),
        ("--metric moses --smoothing add --weights 0.5,0.3,0.2", Bleu("moses", "add", weights=(0.5, 0.3, 0.2))),
        ("--metric arithmetic-mean", Bleu("arithmetic-mean")),
        ("--metric huggingface", Bleu("huggingface")),
    ],
)
def test_the_options_of_score(options, metric):
    assert shown("hyp", "ref1", "ref2", "--line", 1, *options.split()) == f"{explain(*tokens(1), metric=metric)}\n"


@pytest.mark.parametrize("method", ["method5", "method6", "method7"])
def test_smoothing_that_looks_at_the_segment(method):
    expected = explain(*tokens(1), (1 / 3,) * 3, getattr(SmoothingFunction(), method))
    options = f"--line 1 --max-order 3 --metric nltk --smoothing {method}"
    assert shown("hyp", "ref1", "ref2", *options.split()) == f"{expected}\n"


def test_how_the_line_is_split(tmp_path):
    by_ascii = shown("hyp", "ref1", "ref2", "--line", 4, "--tokenize", "ascii")
    assert r'"again\xa0and"' in by_ascii
    assert "again\xa0and" not in shown("hyp", "ref1", "ref2", "--line", 4)
    assert '"m" "a" "t"' in shown("hyp", "ref1", "ref2", "--line", 1, "--tokenize", "char")


def test_files_of_other_kinds(tmp_path):
    (tmp_path / "hyp.gz").write_bytes(gzip.compress((tmp_path / "hyp").read_bytes()))
    expected = shown("hyp", "ref1", "--line", 2)
    assert shown("hyp.gz", "ref1", "--line", 2) == expected
    assert shown("-", "ref1", "--line", 2, stdin="".join(f"{line}\n" for line in HYPOTHESES)) == expected


def test_a_line_of_a_long_file(tmp_path):
    for name, word in (("long", "hypothesis"), ("longer", "reference")):
        (tmp_path / name).write_text("".join(f"{word} {number} ends\n" for number in range(1, 30_001)))
    assert '"hypothesis" "20001" "ends"' in shown("long", "longer", "--line", 20_001)


def test_a_byte_order_mark_is_told(tmp_path):
    (tmp_path / "marked").write_text("".join(f"{line}\n" for line in HYPOTHESES), encoding="utf-8-sig")
    for line in (1, 4):
        result = run("marked", "ref1", "--line", line)
        assert result.exit_code == 0
        assert result.stderr == (
            "cybleu: 'marked' begins with a byte order mark, which is part of its first token here, as in the tools; "
            "--drop-bom leaves it out\n"
        )
    assert shown("marked", "ref1", "--line", 1, "--drop-bom") == shown("hyp", "ref1", "--line", 1)
