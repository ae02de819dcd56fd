"""The commands that tune many features: kbmira and pro, and the others on lists with sparse features."""

from __future__ import annotations

import json
import sys
from functools import partial

import numpy as np
import pytest

from command_line import AS_LIBRARY, run, weights_in
from cybleu.nbest import NBest
from cybleu.tuning import kbmira, mert_loop, pro, read_weights, tune

pytestmark = [
    pytest.mark.usefixtures("backend"),
    pytest.mark.thread_unsafe(reason="commands write to the standard output of the process"),
]

WORDS = "the cat sat on a mat and it rains in spain today so we stay at home".split()


@pytest.fixture
def files(tmp_path):
    """A list in Moses's format, whose hypotheses lose words, and have a sparse feature for some of them."""
    generator = np.random.default_rng(0)
    references, lines = [], []
    for segment in range(12):
        tokens = [WORDS[place] for place in generator.permutation(len(WORDS))[:9].tolist()]
        references.append(" ".join(tokens))
        for _ in range(8):
            kept = [token if generator.random() < 0.8 else f"x{generator.integers(3)}" for token in tokens]
            dense = f"lm= {sum(token in WORDS for token in kept) + generator.normal():.3f} tm= {generator.normal():.3f}"
            sparse = " ".join(f"w_{token}= 1" for token in sorted({*kept}) if token.startswith("x"))
            lines.append(f"{segment} ||| {' '.join(kept)} ||| {dense} {sparse} ||| 0")
    (tmp_path / "ref").write_text("\n".join(references) + "\n")
    (tmp_path / "list").write_text("\n".join(lines) + "\n")
    (tmp_path / "start").write_text("lm= -1\ntm= 0.5\nw_x1 0.25\n")
    return tmp_path


START = {"lm_0": -1.0, "tm_0": 0.5, "w_x1": 0.25}


@pytest.fixture
def nbest(files):
    return NBest.from_files(files / "list", [files / "ref"])


def without_zeros(nbest, weights):
    return {name: weight for name, weight in weights.items() if weight or name in nbest.names}


def test_kbmira(files, nbest):
    lists = files / "list", files / "ref"
    done = run(
        "tune",
        "kbmira",
        *AS_LIBRARY,
        *lists,
        "--start",
        files / "start",
        "--iterations",
        5,
        "--step",
        0.1,
        "--output",
        files / "out",
    )
    expected = kbmira(nbest, START, 5, 0.1)
    assert done.exit_code == 0, done.stderr
    assert weights_in(done.stdout) == read_weights(files / "out") == without_zeros(nbest, expected.weights)
    shown = done.stderr.splitlines()
    assert shown[:5] == [f"{number:3} {100 * score:.4f}" for number, score in enumerate(expected.scores, 1)]
    assert shown[5:-1] == [f"moses {100 * expected.start_score:.4f} -> {100 * expected.score:.4f}"]
    assert shown[-1].endswith(f"cybleu score OUTPUT {files / 'ref'} -m moses --tokenize unicode")
    how = {"safe_hope": True, "model_background": True, "shuffle": False, "return_best_dev": False, "seed": 3}
    expected = kbmira(nbest, START, 7, decay=0.5, metric="sacrebleu", **how)
    flags = [
        "--safe-hope",
        "--model-background",
        "--no-shuffle",
        "--return-last",
        "--decay",
        0.5,
        "--iterations",
        7,
        "--seed",
        3,
    ]
    done = run(
        "tune",
        "kbmira",
        *AS_LIBRARY,
        *lists,
        "--start",
        files / "start",
        *flags,
        "--metric",
        "sacrebleu",
        "--output-format",
        "json",
        "--quiet",
    )
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert found == {
        "score": expected.score,
        "start_score": expected.start_score,
        "scale": 100,
        "metric": "sacrebleu",
        "segments": 12,
        "hypotheses": 96,
        "scores": list(expected.scores),
        "weights": without_zeros(nbest, expected.weights),
    }


def test_pro(files, nbest):
    lists = files / "list", files / "ref"
    done = run("tune", "pro", *AS_LIBRARY, *lists, "--output", files / "out")
    expected = pro(nbest)
    assert done.exit_code == 0, done.stderr
    assert weights_in(done.stdout) == read_weights(files / "out") == without_zeros(nbest, expected.weights)
    assert done.stderr.startswith(f"moses {100 * expected.start_score:.4f} -> {100 * expected.score:.4f}\ncybleu: ")
    how = {"samples": 100, "keep": 9, "minimum": 10.0, "regularisation": 0.5, "interpolation": 0.25, "seed": 2}
    expected = pro(nbest, START, metric="sacrebleu", **how)
    flags = [f"--{name}={value}" for name, value in how.items()]
    done = run(
        "tune",
        "pro",
        *AS_LIBRARY,
        *lists,
        "--start",
        files / "start",
        *flags,
        "--metric",
        "sacrebleu",
        "--output-format",
        "json",
        "--quiet",
    )
    found = json.loads(done.stdout)
    assert (found["weights"], found["pairs"]) == (without_zeros(nbest, expected.weights), expected.pairs)
    assert (found["score"], found["start_score"]) == (expected.score, expected.start_score)


def test_normalised_weights(files, nbest):
    for command in (["kbmira", "--iterations", 3], ["pro"]):
        done = run("tune", *command, files / "list", files / "ref", "--output-format", "json", "--quiet")
        found = json.loads(done.stdout)
        assert sum(map(abs, found["weights"].values())) == pytest.approx(1)
        plain = run(
            "tune", *command, files / "list", files / "ref", "--normalise", "none", "--output-format", "json", "--quiet"
        )
        plain = json.loads(plain.stdout)
        assert found["score"] == pytest.approx(plain["score"], abs=0.05)


def test_a_start_with_features_that_the_list_does_not_have(files, nbest):
    with (files / "start").open("a") as file:
        file.write("w_other 7\n")
    for command in ("kbmira", "pro", "mert"):
        done = run("tune", command, *AS_LIBRARY, files / "list", files / "ref", "--start", files / "start", "--quiet")
        assert done.exit_code == 0
        assert "does not have these features, whose weights stay: w_other" in done.stderr
        assert weights_in(done.stdout)["w_other"] == 7


def test_mert_holds_sparse_weights(files, nbest):
    arguments = "tune", "mert", *AS_LIBRARY, files / "list", files / "ref", "--start", files / "start", "--restarts", 2
    done = run(*arguments)
    expected = tune(nbest, START, 2)
    assert done.exit_code == 0, done.stderr
    assert weights_in(done.stdout) == without_zeros(nbest, expected.weights)
    assert "the weights of 3 sparse features stay, 0 without --start" in done.stderr
    assert weights_in(run(*arguments, "--quiet").stdout)["w_x1"] == 0.25
    plain = run("tune", "mert", *AS_LIBRARY, files / "list", files / "ref", "--restarts", 1, "--quiet")
    assert set(weights_in(plain.stdout)) == {"lm_0", "tm_0"}
    numbers = run(
        "tune", "mert", *AS_LIBRARY, files / "list", files / "ref", "--restarts", 1, "--quiet", "--start", "1,1"
    )
    assert numbers.stdout == plain.stdout


DECODER = """import shutil, sys
shutil.copy(sys.argv[1], sys.argv[2])
"""


@pytest.mark.parametrize("tuner", ["mert", "kbmira", "pro"])
def test_loops(files, tuner):
    (files / "decoder.py").write_text(DECODER)
    decoder = f"'{sys.executable}' '{files / 'decoder.py'}' '{files / 'list'}' {{nbest}}"
    own = {
        "mert": (["--restarts", "2"], "mert", {"restarts": 2}),
        "kbmira": (["--safe-hope", "--passes", "3"], partial(kbmira, iterations=3), {"safe_hope": True}),
        "pro": (["--keep", "9", "--minimum", "3"], "pro", {"keep": 9, "minimum": 0.03}),
    }
    flags, how, options = own[tuner]
    arguments = [
        "tune",
        "loop",
        *AS_LIBRARY,
        files / "run",
        files / "ref",
        "--decoder",
        decoder,
        "--start",
        files / "start",
    ]
    done = run(*arguments, "--tuner", tuner, *flags, "--output", files / "out")
    assert done.exit_code == 0, done.stderr
    expected = mert_loop(files / "other", decoder, [files / "ref"], START, tuner=how, metric="moses", **options)
    assert weights_in(done.stdout) == read_weights(files / "out") == expected.weights
    assert done.stderr.splitlines()[:-1] == str(expected).splitlines()
    assert run(*arguments, "--tuner", tuner, *flags).stdout == done.stdout
    other = next(name for name in own if name != tuner)
    refused = run(*arguments, "--tuner", tuner, *own[other][0])
    assert refused.exit_code == 2
    assert f"{own[other][0][0]} is an option of {other}, and the tuner is {tuner}" in refused.stderr
    begun = run(*arguments, "--tuner", other)
    assert begun.exit_code == 2
    assert "run.json: the run in this folder" in begun.stderr


def test_an_interrupt_tells_the_best_so_far(files, nbest, monkeypatch):
    from cybleu import tuning

    def interrupted(nbest, start, **options):
        trace = options.pop("trace")

        def stopping(result):
            trace(result)
            if len(result.scores) == 2:
                raise KeyboardInterrupt

        return kbmira(nbest, start, trace=stopping, **options)

    monkeypatch.setattr(tuning, "kbmira", interrupted)
    done = run(
        "tune",
        "kbmira",
        *AS_LIBRARY,
        files / "list",
        files / "ref",
        "--start",
        files / "start",
        "--output",
        files / "out",
    )
    assert done.exit_code == 1
    assert "these are the best weights so far" in done.stderr
    expected = without_zeros(nbest, kbmira(nbest, START, 2).weights)
    assert read_weights(files / "out") == expected
    assert weights_in(done.stdout) == expected
