"""The commands that tune weights."""

from __future__ import annotations

import json
import os
import sys

import pytest

from brute_force import score_of
from command_line import AS_LIBRARY, run, weights_in
from cybleu import metrics
from cybleu.nbest import NBest, merge
from cybleu.tuning import mert_loop, read_weights, tune

pytestmark = [
    pytest.mark.usefixtures("backend"),
    pytest.mark.thread_unsafe(reason="commands write to the standard output of the process"),
]

REFERENCES = "the cat sat on the mat\nit rains in spain today\n"
FIRST = """0 ||| the cat ||| a=3 b=0 ||| 0
0 ||| the cat sat on mat ||| a=0 b=3 ||| 0
1 ||| it rains in spain ||| a=1 b=3 ||| 0
1 ||| it rains ||| a=4 b=1 ||| 0
"""
SECOND = """0 ||| the cat sat on the mat ||| a=1 b=5 ||| 0
1 ||| it rains ||| a=4 b=1 ||| 0
1 ||| it rains in spain today ||| a=1 b=4 ||| 0
"""


@pytest.fixture
def files(tmp_path):
    for name, text in (
        ("refs", REFERENCES),
        ("first", FIRST),
        ("second", SECOND),
        ("start", "b -1\na 1.0\n"),
    ):
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def lists(files):
    return merge(*(NBest.from_files(files / name, [files / "refs"]) for name in ("first", "second")))


def test_mert(files, lists):
    done = run(
        "tune", "mert", *AS_LIBRARY, files / "first", files / "refs", "--more", files / "second", "--start", files / "start", "--restarts", 2,
        "--output", files / "out",
    )  # fmt: skip
    expected = tune(lists, {"a": 1.0, "b": -1.0}, 2)
    assert (done.exit_code, weights_in(done.stdout)) == (0, expected.weights)
    assert read_weights(files / "out") == expected.weights
    assert done.stderr.splitlines()[-2] == f"moses {100 * expected.start_score:.4f} -> 100.0000"
    assert [line for line in done.stderr.splitlines() if "->" in line][:3] == [str(end) for end in expected.restarts]


def test_mert_as_json_by_options(files, lists):
    done = run(
        "tune", "mert", *AS_LIBRARY, files / "first", files / "refs", "--more", files / "second", "--start", "1,-1", "--bounds", "a=-2:1.5",
        "--fixed", "b", "--restarts", 3, "--metric", "sacrebleu", "--smoothing", "floor", "--seed", 7, "--threads", 2, "--output-format", "json", "--quiet",
    )  # fmt: skip
    expected = tune(lists, [1.0, -1.0], 3, {"a": (-2.0, 1.5)}, ["b"], _floor(), 7)
    result = json.loads(done.stdout)
    assert (result["weights"], result["score"]) == (expected.weights, expected.score)
    assert result["weights"]["b"] == -1 and result["metric"] == "sacrebleu" and done.stderr == ""
    assert [climb["score"] for climb in result["climbs"]] == [end.score for end in expected.restarts]


@pytest.mark.parametrize(("how", "size"), [("l1", sum), ("largest", max)])
def test_mert_normalised(files, lists, how, size):
    arguments = (
        "tune",
        "mert",
        *AS_LIBRARY,
        files / "first",
        files / "refs",
        "--more",
        files / "second",
        "--start",
        "1,-1",
        "--quiet",
    )
    done = run(*arguments, "--normalise", how, "--output-format", "json", "--output", files / "out")
    result = json.loads(done.stdout)
    assert size(map(abs, result["weights"].values())) == pytest.approx(1, abs=1e-15)
    assert score_of(lists, result["weights"].values()) == result["score"] == 1
    assert read_weights(files / "out") == result["weights"]


def test_the_best_weights_so_far(files, monkeypatch):
    """Of climbs that ended before an interrupt."""
    ended = []

    def interrupted(*arguments, trace, **named):
        def told(restart):
            ended.append(restart)
            trace(restart)
            if len(ended) == 2:
                raise KeyboardInterrupt

        return tune(*arguments, trace=told, **named)

    monkeypatch.setattr("cybleu.tuning.tune", interrupted)
    done = run(
        "tune", "mert", *AS_LIBRARY, files / "first", files / "refs", "--more", files / "second", "--start", "1,-1", "--output", files / "out"
    )  # fmt: skip
    best = max(ended, key=lambda end: end.score)
    assert done.exit_code != 0 and "interrupted; these are the best weights so far" in done.stderr
    assert weights_in(done.stdout) == read_weights(files / "out") == best.weights


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
def test_weights_are_printed_where_they_cannot_be_written(files):
    done = run(
        "tune",
        "mert",
        *AS_LIBRARY,
        files / "first",
        files / "refs",
        "--start",
        "1,-1",
        "--restarts",
        2,
        "--output",
        "/dev/full",
    )
    assert done.exit_code == 2 and "No space left" in done.stderr
    assert set(weights_in(done.stdout)) == {"a", "b"}


def test_names_that_cannot_be_written_are_found_before_the_work(files):
    (files / "named").write_text("0 ||| the cat ||| a=b=1 c=2 ||| 0\n1 ||| it ||| a=b=2 c=1 ||| 0\n")
    done = run("tune", "mert", *AS_LIBRARY, files / "named", files / "refs", "--output", files / "out")
    assert done.exit_code == 2 and "'a=b' cannot be written" in done.stderr and "->" not in done.stderr
    assert run("tune", "mert", *AS_LIBRARY, files / "named", files / "refs", "--restarts", 1).exit_code == 0


DECODER = """
import sys
weights = dict(line.split() for line in open(sys.argv[1]))
lists = [[("the cat", 3, 0), ("the cat sat on mat", 0, 3), ("the cat sat on the mat", 1, 5)],
         [("it rains", 4, 1), ("it rains in spain", 1, 3), ("it rains in spain today", 1, 4)]]
with open(sys.argv[2], "w") as file:
    for segment, texts in enumerate(lists):
        ranked = sorted(texts, key=lambda text: -float(weights["a"]) * text[1] - float(weights["b"]) * text[2])
        for text, a, b in ranked[:2]:
            print(f"{segment} ||| {text} ||| a={a} b={b} ||| 0", file=file)
"""


def test_mert_loop(files):
    (files / "decoder.py").write_text(DECODER)
    decoder = f"'{sys.executable}' '{files / 'decoder.py'}' {{weights}} {{nbest}}"
    arguments = [
        "tune",
        "loop",
        *AS_LIBRARY,
        files / "run",
        files / "refs",
        "--decoder",
        decoder,
        "--start",
        files / "start",
    ]
    arguments += ["--restarts", 3]
    done = run(*arguments, "--normalise", "l1", "--output", files / "out")
    expected = mert_loop(
        files / "other", decoder, [files / "refs"], {"a": 1.0, "b": -1.0}, restarts=3, normalise="sum", metric="moses"
    )
    assert done.exit_code == 0, done.stderr
    assert weights_in(done.stdout) == read_weights(files / "out") == expected.weights
    assert done.stderr.splitlines()[:-1] == str(expected).splitlines()
    best = json.loads(run(*arguments, "--normalise", "l1", "--output-format", "json", "--return-best-dev").stdout)
    assert (best["weights"], best["score"]) == (expected.best.decoded, expected.best.decoded_score)
    assert len(best["iterations"]) == len(expected.iterations)
    other = run(*arguments, "--metric", "sacrebleu")
    assert other.exit_code == 2 and "run in this folder was started with metric=" in other.stderr


def _floor():
    from dataclasses import replace

    return replace(metrics.VARIANTS["sacrebleu"], smoothings=(("floor", "floor", 0.1),))


def test_mert_on_files_of_moses(files):
    NBest.from_files(files / "first", [files / "refs"]).to_moses(files / "f1", files / "s1")
    NBest.from_files(files / "second", [files / "refs"]).to_moses(files / "f2", files / "s2")
    done = run(
        "tune", "mert", *AS_LIBRARY, "--features-file", files / "f1", "--scores-file", files / "s1", "--features-file", files / "f2",
        "--scores-file", files / "s2", "--start", "1,-1", "--restarts", 2, "--output-format", "json",
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert (result["score"], result["hypotheses"]) == (1.0, 6)
