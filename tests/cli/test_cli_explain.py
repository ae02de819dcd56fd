"""The command that explains the score of a line."""

from __future__ import annotations

from functools import partial

import pytest

import command_line
from cybleu import explain
from cybleu.metrics import Bleu

pytestmark = pytest.mark.usefixtures("backend")

HYPOTHESES = ["the cat is on a mat", "a dog sat", "", "so it was said again\xa0and again"]
FIRST = ["the cat is on the mat", "the dog sat", "nothing", "so it was said again and then again"]
SECOND = ["there is a cat on the mat", "a dog sits", "empty", "it was said again and again"]


@pytest.fixture(autouse=True)
def files(folder):
    command_line.write_lines(folder, {"hyp": HYPOTHESES, "ref1": FIRST, "ref2": SECOND})


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
