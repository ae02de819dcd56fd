"""Likely mistakes of a newcomer: the message names the fix that is right for this one."""

from __future__ import annotations

import numpy as np
import pytest

import command_line
import cybleu
from cybleu import (
    closest_ref_length,
    columns,
    corpus_bleu,
    modified_precision,
    score,
    scores,
    sentence_bleu,
)
from cybleu.bleu_score import sentence_bleu_many
from cybleu.checks import check
from cybleu.chrf_score import corpus_chrf, sentence_chrf
from cybleu.errors import CybleuError
from cybleu.explanations import blind_spots, explain
from cybleu.gleu_score import corpus_gleu, sentence_gleu
from cybleu.metrics import Metric, find
from cybleu.nist_score import corpus_nist, sentence_nist
from cybleu.pairwise import self_bleu
from cybleu.report import analyse

pytestmark = pytest.mark.usefixtures("backend")

R, H = "the cat sat on the mat".split(), "the cat sat on a mat".split()
RAW = {"tokenize": "13a"}
NAN = float("nan")


class LazyFrame:
    """A frame of polars that is not computed yet."""

    def collect(self):
        return {}


class Column:
    """What looks like a column of pandas."""

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter(self.values)


class SharedWords(Metric):
    """A metric of tokens without a tokeniser."""

    name, columns = "shared words", ("shared", "words")

    def count(self, hypothesis, references):
        return [len({*hypothesis} & {*references[0]}), len({*hypothesis})]

    def evaluate(self, row):
        return row[0] / max(row[1], 1)


MISTAKES = {
    "one segment where many are expected": (
        lambda: sentence_bleu_many([R], [H]),
        r"put it in a list: \[\['the', ...\]\]",
    ),
    "one hypothesis where many are expected, counted": (
        lambda: cybleu.rows("the cat", ["a"]),
        r"pass a list: \[text\]",
    ),
    "the references of one hypothesis": (lambda: cybleu.rows(["a b"], ["a", "b"]), r"pass \[references\]"),
    "references as sacreBLEU takes them": (
        lambda: cybleu.rows(["a b", "c"], [["a b", "c"]]),
        r"pass list\(zip\(\*references\)\)",
    ),
    "one hypothesis where many are expected": (
        lambda: sentence_bleu_many([[R]], H),
        r"put the hypothesis in a list: \[hyp",
    ),
    "the same of a corpus": (lambda: corpus_bleu([[R]], H), r"put the hypothesis in a list: \[hyp"),
    "raw text for a metric of tokens": (
        lambda: cybleu.rows(["the cat"], [["the cat"]], SharedWords()),
        "split them, or name a tokeniser",
    ),
    "raw references beside tokens": (lambda: cybleu.rows([H], [["the cat"]]), r"references\[0\] holds raw.*split them"),
    "tokens for a metric of raw text": (lambda: cybleu.rows([H], [[R]], "chrf"), "pass each text as a str"),
    "a tokeniser beside tokens": (lambda: cybleu.rows([H], [[R]], **RAW), "leave tokenize out, or pass texts as str"),
    "raw references without a list": (lambda: check(["the cat"], ["the cat"]), "split it.* or name a tokeniser"),
    "None among token lists": (lambda: cybleu.rows([H, None], [[R], [R]]), r"hypotheses\[1\].* None; leave out"),
    "None among raw texts": (lambda: cybleu.rows(["a", None], ["a", "b"], **RAW), r"hypotheses\[1\].* None; leave out"),
    "None as raw hypothesis": (
        lambda: cybleu.rows([None], [["a"]], **RAW),
        r"hypotheses\[0\] .* None; leave out",
    ),
    "NaN as raw hypothesis": (
        lambda: cybleu.rows([NAN], [["a"]], **RAW),
        r"hypotheses\[0\] .* NaN \(a float\); leave out",
    ),
    "NaN as raw reference": (
        lambda: cybleu.rows(["a"], [[NAN]], **RAW),
        r"references\[0\] has no reference; give at least one",
    ),
    "NaN in a column": (
        lambda: cybleu.rows(Column(["a", "b"]), Column([["a"], NAN]), **RAW),
        r"references\[1\] has no reference; give at least one",
    ),
    "None as hypothesis": (lambda: sentence_bleu([R], None), "the hypothesis .* not NoneType; leave out the segment"),
    "NaN as reference": (lambda: sentence_bleu([NAN], H), r"reference 0 .* not NaN \(a float\); leave out the segment"),
    "None as hypothesis of many": (lambda: sentence_bleu_many([[R]], [None]), "segment 0: .* leave out the segment"),
    "None as references of a sentence": (lambda: sentence_bleu(None, H), "the references .* not NoneType; leave out"),
    "None as references of a corpus": (
        lambda: corpus_bleu([[R], None], [H, H]),
        "segment 1: the references .*; leave out",
    ),
    "None as references of many": (lambda: sentence_bleu_many([None], [H]), "segment 0: the references .*; leave out"),
    "None as references of a precision": (lambda: modified_precision(None, H, 1), "the references .*; leave out"),
    "None as references of a length": (lambda: closest_ref_length(None, 1), "the references .*; leave out"),
    "None as references of GLEU": (
        lambda: corpus_gleu([[R], None], [H, H]),
        "segment 1: the references are None; leave",
    ),
    "None as references of NIST": (lambda: sentence_nist(None, H), "the references are None; leave out"),
    "None as a reference of GLEU": (lambda: sentence_gleu([R, None], H), "reference 1 is None; leave out"),
    "NaN as hypothesis of NIST": (lambda: sentence_nist([R], NAN), r"the hypothesis is NaN \(a float\); leave out"),
    "None as reference of chrF": (
        lambda: corpus_chrf(["a", None], ["a", "a"]),
        "segment 1: reference 0 is None; leave",
    ),
    "None as hypothesis of chrF": (lambda: sentence_chrf("a", None, 0), "the hypothesis is None; leave out"),
    "None as all references": (
        lambda: corpus_gleu(None, [H]),
        "the lists of references must be a list .* not NoneType",
    ),
    "None as all references of NIST": (lambda: corpus_nist(None, [H]), "the lists of references must be a list"),
    "None as all references of chrF": (lambda: corpus_chrf(None, ["a"]), "the references must be a list"),
    "None as all hypotheses of chrF": (lambda: corpus_chrf(["a"], None), "the hypotheses must be a list"),
    "None as references of blind spots": (lambda: blind_spots(None, H), "the references .*; leave out"),
    "None as references of a row": (lambda: find("gleu").count(H, None), "the references .*; leave out"),
    "None as references of a raw row": (lambda: find("chrf").count("a", None), "None.*; leave out"),
    "None as references of TER": (lambda: find("ter").count("a", None), "None.*; leave out"),
    "None as texts of all pairs": (
        lambda: find("gleu").pairs(None),
        "texts must be a list of texts, not None; leave out",
    ),
    "None as references": (lambda: check([[R], None], [H, H]), r"references\[1\] is None.*; leave out the segment"),
    "a lazy frame as a table": (lambda: columns.rows(LazyFrame()), r"collect it first, with \.collect\(\)"),
    "a lazy frame as texts": (
        lambda: cybleu.rows(["a"], LazyFrame(), **RAW),
        r"collect it first, with \.collect\(\)",
    ),
    "a lazy frame as hypotheses": (lambda: cybleu.rows(LazyFrame(), [["a"]], **RAW), "collect it first"),
    "texts where statistics are expected": (lambda: score([[R]], [H]), r"count texts first: score\(cybleu\.rows\("),
    "the same of many": (lambda: scores([[R]], [H]), r"count texts first: scores\(cybleu\.rows\("),
    "columns where statistics are expected": (
        lambda: score(Column([R]), Column([H] * 100)),
        r"the metric is a Column; count texts first: score\(cybleu\.rows\(",
    ),
    "references and hypothesis exchanged": (lambda: explain(H, [R]), "the arguments look swapped"),
    "None among the lines of a system": (lambda: analyse(["a", "b"], {"x": ["a", None]}), r"x\[1\] .*; leave out"),
    "one text where many are expected": (lambda: self_bleu("the cat"), "is a str"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_advice_is_right_for_the_mistake(mistake):
    call, advice = MISTAKES[mistake]
    with pytest.raises(CybleuError, match=f"(?s){advice}") as caught:
        call()
    assert len(str(caught.value)) < 300


def test_a_function_without_tokenisers_does_not_advise_one():
    for call in (
        lambda: sentence_bleu_many(["the cat"], ["the cat"]),
        lambda: sentence_bleu_many([["the cat"]], ["the cat"]),
    ):
        with pytest.raises(CybleuError) as caught:
            call()
        assert "split it" in str(caught.value) and "tokenis" not in str(caught.value)


def test_a_single_word_may_be_a_text():
    with pytest.raises(CybleuError, match=r"reference 0 is a str, not a list of tokens; split it"):
        sentence_bleu_many([["Yes."]], ["No."])
    assert cybleu.rows(["No."], [["Yes."]], max_order=1).tolist() == [[2, 2, 1, 2]]


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
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command_line.write_lines(tmp_path, {"hyp": ["a b c d"], "ref": ["a b c e"], "other": ["a x c e"]})
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ("scor hyp ref", "Did you mean score"),
        ("compar hyp other -r ref", "Did you mean compare"),
        ("score hyp ref --lc", "Did you mean '--lowercase'?"),
        ("score hyp ref -lc", "Did you mean '--lowercase'?"),
        ("score hyp ref --tok 13a", "Did you mean '--tokenize'?"),
        ("score hyp ref --lowercas", "Did you mean '--lowercase'?"),
        ("score hyp ref --format json", "Did you mean '--json'?"),
        ("compare hyp other -r ref --json --format csv", "--json and --format csv exclude each other"),
    ],
)
def test_what_was_meant(files, arguments, advice):
    result = run(*arguments.split())
    unquoted = result.stderr.replace("'", "")  # not every version of click quotes an option
    assert result.exit_code == 2 and advice.replace("'", "") in unquoted


def test_json_is_one_option_of_all_commands(files):
    command_line.write_lines(files, {"hyp": ["a b c d"] * 3, "ref": ["a b c e"] * 3, "other": ["a x c e"] * 3})
    arguments = ["compare", "hyp", "other", "-r", "ref", "--samples", "9"]
    found = run(*arguments, "--json", "--influence")
    assert found.exit_code == 0 and found.stdout == run(*arguments, "--format", "json", "--influence").stdout
    assert run("score", "hyp", "ref", "--json").stdout.startswith("{")


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


@pytest.mark.parametrize("line", ["{ a b", "{}{", "[1, 2]", "a, b", "{" * 5000])
def test_texts_are_no_tables(files, line):
    command_line.write_lines(files, {"hyp": [line]})
    assert "looks like" not in run("score", "hyp", "ref").stderr


def test_weights_on_the_command_line(files):
    result = run("score", "hyp", "ref", "--weights", "0.6,0.5")
    assert result.exit_code == 0 and "cybleu: the weights add up to 1.1, not 1" in result.stderr
    assert "weights" not in run("score", "hyp", "ref", "--weights", "0.5,0.5").stderr
