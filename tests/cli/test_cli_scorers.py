"""Tuning on files of scores of other scorers than BLEU, and on lists that fairseq and Sockeye print."""

from __future__ import annotations

import json

import pytest

from command_line import run
from cybleu.metrics import MosesScorer
from cybleu.nbest import NBest
from cybleu.tuning import tune

pytestmark = [
    pytest.mark.usefixtures("backend"),
    pytest.mark.thread_unsafe(reason="commands write to the standard output of the process"),
]

FEATURES = "FEATURES_TXT_BEGIN_0 0 2 2 a_0 b_0\n3 0\n0 3\nFEATURES_TXT_END_0\n"
SCORES = {
    "TER": "SCORES_TXT_BEGIN_0 0 2 3 TER\n300 1000 30\n50 933.333 5.357\nSCORES_TXT_END_0\n",
    "BLEU,WER": "SCORES_TXT_BEGIN_0 0 2 7 BLEU,WER\n3 4 1 3 4 3 5\n4 4 2 3 4 1 5\nSCORES_TXT_END_0\n",
}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "F").write_text(FEATURES)
    for name, text in SCORES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "options", "scorer"),
    [
        ("TER", [], MosesScorer("TER")),
        ("BLEU,WER", [], MosesScorer("BLEU,WER", max_order=2)),
        ("BLEU,WER", ["--scorer-weights", "3,1"], MosesScorer("BLEU,WER", (3, 1), max_order=2)),
    ],
)
def test_mert(files, name, options, scorer):
    given = "--features-file", files / "F", "--scores-file", files / name, *options
    done = run("mert", *given, "--restarts", 1, "--json", "--quiet")
    found = json.loads(done.stdout)
    nbest = NBest.from_moses(files / "F", files / name, scorer_weights=scorer.weights)
    assert nbest.score == scorer
    assert found["score"] == tune(nbest, restarts=1).score == scorer.evaluate(nbest.stats[1].tolist())
    assert (found["metric"], found["scale"]) == (name, 1)
    done = run("random-search", *given, "--trials", 20, "--json")
    assert json.loads(done.stdout)["score"] == found["score"]


def test_two_pairs_of_files(files):
    pair = "--features-file", files / "F", "--scores-file", files / "TER"
    assert run("mert", *pair, *pair, "--restarts", 0).exit_code == 0
    (files / "PER").write_text("SCORES_TXT_BEGIN_0 0 2 3 PER\n3 4 5\n4 5 5\nSCORES_TXT_END_0\n")
    other = run("mert", *pair, "--features-file", files / "F", "--scores-file", files / "PER")
    assert other.exit_code == 2 and "list 1 of those to merge has" in other.stderr


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("TER", ["--variant", "moses"], "are of TER, so --variant and --smoothing do not go with them"),
        ("TER", ["--smoothing", "add"], "so --variant and --smoothing do not go with them"),
        ("TER", ["--scorer-weights", "1,2"], "the weights of TER are (1.0, 2.0); give a finite number for each scorer"),
        ("BLEU,WER", ["--scorer-weights", "x"], "is not a list of numbers"),
    ],
)
def test_options_that_do_not_fit(files, name, options, message):
    done = run("mert", "--features-file", files / "F", "--scores-file", files / name, *options)
    assert done.exit_code == 2 and message in done.stderr


def test_scorer_weights_are_for_files_of_scores(files):
    done = run("mert", files / "F", files / "F", "--scorer-weights", "1,2")
    assert done.exit_code == 2 and "--scorer-weights goes with --scores-file" in done.stderr


LISTS = {
    "fairseq": "S-0\tx\nH-0\t-0.5\tthe cat sat\nH-0\t-1.5\tthe cat sat down\n",
    "json": '{"sentence_id": 0, "translation": "the cat sat", "translations": ["the cat sat", "the cat sat down"], "scores": [-0.5, -1.5]}\n',
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_other_programs(tmp_path, name):
    (tmp_path / "list").write_text(LISTS[name])
    (tmp_path / "ref").write_text("the cat sat down\n")
    options = tmp_path / "list", tmp_path / "ref", "--format", name
    found = json.loads(
        run("mert", *options, "--variant", "sacrebleu", "--smoothing", "floor", "--json", "--quiet").stdout
    )
    assert found["weights"]["score"] < 0 and found["score"] > found["start_score"]
    files = "--features-file", tmp_path / "F", "--scores-file", tmp_path / "S"
    assert run("extract", *options, *files).exit_code == 0
    assert NBest.from_moses(tmp_path / "F", tmp_path / "S").features.tolist() == [[-0.5], [-1.5]]
    assert run("rerank", "oracle", *options, "--variant", "sacrebleu").stdout == "the cat sat down\n"
