"""The commands that tune with the files and the options of Moses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import AS_LIBRARY, run, weights_in, write_lines
from cybleu.nbest import NBest, extract
from cybleu.tuning import kbmira, read_weights, tune

pytestmark = [
    pytest.mark.usefixtures("backend"),
    pytest.mark.thread_unsafe(reason="commands write to the standard output of the process"),
]

TEXTS = {
    "ref": ["the cat sat on the mat", "it rains in spain today"],
    "list": [
        "0 ||| the cat ||| LM0= 3 TM0= 0 1 ||| 0",
        "0 ||| the cat sat on the mat ||| LM0= 1 TM0= 5 0 ||| 0",
        "1 ||| it rains in spain ||| LM0= 1 TM0= 3 2 ||| 0",
        "1 ||| it rains in spain today ||| LM0= 1 TM0= 4 0 ||| 0",
    ],
    "moses.ini": ["[feature]", "UnknownWordPenalty", "[weight]", "UnknownWordPenalty0= 1", "LM0= 1", "TM0= -1 0.5"],
    "init.opt": ["1 -1 0.5", "0 0 0", "1 1 1"],
    "kbmira": ["F0 1", "F1 -1", "F2 0.5"],
    "run1.dense": ["LM0= 1", "TM0= -1", "TM0= 0.5"],
}
START = {"LM0_0": 1.0, "TM0_0": -1.0, "TM0_1": 0.5}


@pytest.fixture
def files(tmp_path, monkeypatch):
    write_lines(tmp_path, TEXTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def nbest(files):
    return NBest.from_files("list", ["ref"])


@pytest.mark.parametrize("start", ["moses.ini", "init.opt", "kbmira", "run1.dense", "1,-1,0.5"])
def test_starts(files, nbest, start):
    done = run("tune", "mert", *AS_LIBRARY, "list", "ref", "--start", start, "--restarts", 1)
    unlisted = {"UnknownWordPenalty0_0": 1.0} if start == "moses.ini" else {}
    assert weights_in(done.stdout) == {**tune(nbest, START, 1).weights, **unlisted}
    assert ("whose weights stay: UnknownWordPenalty0_0" in done.stderr) == bool(unlisted)
    done = run("tune", "kbmira", *AS_LIBRARY, "list", "ref", "--start", start, "--iterations", 2)
    assert weights_in(done.stdout) == {**kbmira(nbest, START, 2).weights, **unlisted}


def test_reranking_by_numbers(files):
    expected = run("rerank", "linear", "list", "--weights", "run1.dense")
    assert expected.exit_code == 0
    for weights in ("init.opt", "kbmira"):
        assert run("rerank", "linear", "list", "--weights", weights).stdout == expected.stdout


@pytest.mark.parametrize("form", ["moses", "dense", "numbers"])
@pytest.mark.parametrize("command", [["mert", "--restarts", 1], ["kbmira"], ["pro"]])
def test_weights_for_moses(files, nbest, command, form):
    arguments = ["tune", *command, *AS_LIBRARY, "list", "ref", "--start", "moses.ini"]
    expected = json.loads(run(*arguments, "--output-format", "json").stdout)["weights"]
    done = run(*arguments, "--output", "out", "--output-format", form)
    assert done.exit_code == 0 and done.stdout == Path("out").read_text()
    assert len(done.stdout.splitlines()) == (1 if form == "numbers" else 4 if form == "dense" else 3)
    of_list = {name: expected[name] for name in nbest.names}
    assert read_weights("out", nbest.names) == (of_list if form == "numbers" else expected)


def test_lists_of_files(files):
    for name in ("1", "2", "1,2"):
        extract("list", ["ref"], f"f{name}", f"s{name}")
    arguments = ["tune", "mert", *AS_LIBRARY, "--restarts", 1, "--output-format", "json"]
    pairs = run(
        *arguments, "--features-file", "f1", "--features-file", "f2", "--scores-file", "s1", "--scores-file", "s2"
    )
    for features, scores in (("f1,f2", "s1,s2"), ("f1,2", "s1,2")):
        done = run(*arguments, "--features-file", features, "--scores-file", scores)
        assert json.loads(done.stdout)["weights"] == json.loads(pairs.stdout)["weights"]
