"""`cybleu tune`: each command prints and writes what the function of the library returns."""

import gzip
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from command_line import run_line, weights_in, write_lines
from cybleu import metrics, tuning
from cybleu.nbest import NBest, extract, merge
from cybleu.tuning import DecoderCommand, Stopping, Tuner, kbmira, mert_loop, pro, read_weights, tune
from marks import long
from nbest_lists import line

pytestmark = [
    pytest.mark.thread_unsafe(reason="commands write to the standard output of the process"),
]

WORDS = "the cat sat on a mat and it rains in spain today so we stay at home".split()
#: Options with which tuners print what the functions of the library return without options.
AS_LIBRARY = ("--normalise none", "--seed 0")
START = {"lm_0": -1.0, "tm_0": 0.5, "tm_1": 0.25, "w_x1": 0.25}
FLOOR = replace(metrics.VARIANTS["sacrebleu"], smoothings=(("floor", "floor", 0.1),))
LISTS = {
    "refs": ["the cat sat on the mat", "it rains in spain today"],
    "first": [
        "0 ||| the cat ||| a=3 b=0 ||| 0",
        "0 ||| the cat sat on mat ||| a=0 b=3 ||| 0",
        "1 ||| it rains in spain ||| a=1 b=3 ||| 0",
        "1 ||| it rains ||| a=4 b=1 ||| 0",
    ],
    "second": [
        "0 ||| the cat sat on the mat ||| a=1 b=5 ||| 0",
        "1 ||| it rains ||| a=4 b=1 ||| 0",
        "1 ||| it rains in spain today ||| a=1 b=4 ||| 0",
    ],
    "start": ["lm= -1", "tm= 0.5 0.25", "w_x1 0.25"],
    "moses.ini": ["[feature]", "WordPenalty", "[weight]", "WordPenalty0= 1", "lm= -1", "tm= 0.5 0.25", "w_x1= 0.25"],
    "fairseq": ["S-0\tx", "H-0\t-0.5\tthe cat sat", "H-0\t-1.5\tthe cat sat on the mat"],
    "json": [
        '{"nbest": [{"text": "the cat sat", "score": -0.5, "features": {"score": -0.5}}, '
        '{"text": "the cat sat on the mat", "score": -1.5, "features": {"score": -1.5}}]}'
    ],
}


@pytest.fixture(autouse=True)
def files(folder):
    """Besides small lists, one whose hypotheses lose words, and have a sparse feature for some of them."""
    generator = np.random.default_rng(0)
    references = []
    lines = []
    for segment in range(12):
        tokens = [WORDS[place] for place in generator.permutation(len(WORDS))[:9].tolist()]
        references.append(" ".join(tokens))
        for _ in range(8):
            kept = [token if generator.random() < 0.8 else f"x{generator.integers(3)}" for token in tokens]
            dense = [sum(token in WORDS for token in kept) + generator.normal(), *generator.normal(size=2)]
            sparse = " ".join(f"w_{token}= 1" for token in sorted({*kept}) if token.startswith("x"))
            dense = "lm= {:.3f} tm= {:.3f} {:.3f}".format(*dense)
            lines.append(f"{segment} ||| {' '.join(kept)} ||| {dense} {sparse} ||| 0")
    write_lines(folder, {"list": lines, "ref": references, **LISTS})


@pytest.fixture
def nbest():
    return NBest.from_files("list", ["ref"])


def small():
    return merge(*(NBest.from_files(name, ["refs"]) for name in ("first", "second")))


def as_library(arguments):
    """Add the library's defaults for the options that are not given."""
    return " ".join([arguments, *(how for how in AS_LIBRARY if how.split()[0] not in arguments)])


def tuned(arguments):
    """The result of a tuner as JSON."""
    done = run_line(f"tune {as_library(arguments)} --output-format json --quiet --quiet")
    assert (done.exit_code, done.stderr) == (0, "")
    return json.loads(done.stdout)


HOW = {"safe_hope": True, "model_background": True, "shuffle": False, "return_best_dev": False, "decay": 0.5, "seed": 3}
TUNERS = {
    "mert list ref --start start --restarts 2": lambda nbest: tune(nbest, START, 2),
    "mert list ref --restarts 1": lambda nbest: tune(nbest, None, 1),
    "mert list ref --start 1,1,1 --restarts 1 --threads 2": lambda nbest: tune(nbest, None, 1),
    "mert first refs --more second --start 1,-1 --restarts 2": lambda nbest: tune(small(), [1.0, -1.0], 2),
    "mert first refs --more second --start 1,-1 --bounds a=-2:1.5 --fixed b --restarts 3 --metric sacrebleu "
    "--smoothing floor --seed 7": lambda nbest: tune(small(), [1.0, -1.0], 3, {"a": (-2.0, 1.5)}, ["b"], FLOOR, 7),
    "kbmira list ref --start start --passes 5 --step 0.1": lambda nbest: kbmira(nbest, START, 5, 0.1),
    "kbmira list ref --start start --passes 2 --rules moses": lambda nbest: kbmira(nbest, START, 2, rules="moses"),
    "kbmira list ref --start start --safe-hope --model-background --no-shuffle --return-last --decay 0.5 "
    "--passes 7 --seed 3 --metric sacrebleu": lambda nbest: kbmira(nbest, START, 7, metric="sacrebleu", **HOW),
    "pro list ref": pro,
    "pro list ref --start start --samples 100 --keep 9 --minimum 10 --regularisation 0.5 --interpolation 0.25 "
    "--seed 2 --metric sacrebleu": lambda nbest: pro(
        nbest, START, 100, 9, 10.0, regularisation=0.5, interpolation=0.25, seed=2, metric="sacrebleu"
    ),
}


@pytest.mark.parametrize("arguments", TUNERS)
def test_tuners(nbest, arguments):
    expected = TUNERS[arguments](nbest)
    found = tuned(arguments)
    names = small().names if "first" in arguments else nbest.names
    weights = {name: weight for name, weight in expected.weights.items() if weight or name in names}
    assert found["weights"] == weights
    assert (found["score"], found["start_score"]) == (expected.score, expected.start_score)
    assert found["segments"] == (2 if "first" in arguments else 12)
    done = run_line(f"tune {as_library(arguments)} --output out")
    assert weights_in(done.stdout) == read_weights("out") == weights
    scale = 100 / found["scale"]
    assert f"{scale * expected.start_score:.4f} -> {scale * expected.score:.4f}" in done.stderr


@pytest.mark.parametrize("tuner", ["mert --restarts 1", "kbmira --passes 2", "pro"])
def test_weights_of_features_that_the_list_does_not_have_stay(tuner):
    command = f"tune {as_library(tuner)} list ref"
    done, plain = (run_line(f"{command} --start {start}") for start in ("moses.ini", "start"))
    assert weights_in(done.stdout) == {**weights_in(plain.stdout), "WordPenalty0_0": 1.0}
    assert "not in the list are not tuned: WordPenalty0_0" in done.stderr and "not in the list" not in plain.stderr


def test_numbers_without_names_are_those_of_the_features_of_the_list():
    """Moses reads them by their places, so a number more would be an error."""
    Path("dense").write_text(line(0, "the cat sat") + line(0, "the cat") + line(1, "it rains"))
    Path("moses.ini").write_text("[weight]\nWordPenalty0= 1\nlm= -1\nd= 0.5 0.25\n")
    done = run_line("tune mert dense refs --restarts 1 --start moses.ini --output-format numbers --output out")
    assert done.exit_code == 0, done.stderr
    names = NBest.from_files("dense", ["refs"]).names
    numbers = [float(word) for word in Path("out").read_text().split()]
    assert len(numbers) == len(names) and read_weights("out", names) == dict(zip(names, numbers))
    assert done.stdout.split() == Path("out").read_text().split()


def test_normalised_weights():
    for tuner in ("mert first refs --restarts 1", "kbmira list ref", "pro list ref"):
        for how, size in (("l1", sum), ("largest", max)):
            found = tuned(f"{tuner} --normalise {how}")
            assert size(map(abs, found["weights"].values())) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("tuner", ["mert", "kbmira"])
def test_an_interrupt_tells_the_best_so_far(nbest, monkeypatch, tuner):
    function = {"mert": tune, "kbmira": kbmira}[tuner]
    traced = []

    def interrupted(*arguments, trace, **options):
        def stopping(result):
            trace(result)
            traced.append(result)
            if len(traced) == 2:
                raise KeyboardInterrupt

        return function(*arguments, trace=stopping, **options)

    monkeypatch.setattr(tuning, function.__name__, interrupted)
    done = run_line(f"tune {as_library(tuner)} list ref --start start --output out")
    assert done.exit_code == 1 and "these are the best weights so far" in done.stderr
    best = function(nbest, START, {"mert": 1, "kbmira": 2}[tuner]).weights
    assert weights_in(done.stdout) == read_weights("out")
    assert read_weights("out") == pytest.approx({name: one for name, one in best.items() if one}, rel=1e-14)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
def test_weights_are_printed_where_they_cannot_be_written():
    done = run_line("tune mert first refs --start 1,-1 --restarts 2 --output /dev/full")
    assert done.exit_code == 2 and "No space left" in done.stderr
    assert set(weights_in(done.stdout)) == {"a", "b"}


def test_lists_of_files():
    for name in ("1", "2", "1,2"):
        extract("list", ["ref"], f"f{name}", f"s{name}")
    expected = tuned("mert --restarts 1 --features-file f1 --features-file f2 --scores-file s1 --scores-file s2")
    assert expected["hypotheses"] == 96
    for features, scores in (("f1,f2", "s1,s2"), ("f1,2", "s1,2")):
        found = tuned(f"mert --restarts 1 --features-file {features} --scores-file {scores}")
        assert found["weights"] == expected["weights"]


@pytest.mark.parametrize("name", ["fairseq", "json"])
def test_lists_of_other_programs(name):
    Path("ref").write_text("the cat sat on the mat\n")
    found = tuned(f"mert {name} ref --format {name} --metric sacrebleu --smoothing floor")
    assert found["weights"]["score"] < 0 and found["score"] > found["start_score"]
    assert run_line(f"tune extract {name} ref --format {name} {EXTRACTED}").exit_code == 0
    assert NBest.from_moses("F", "S").features.tolist() == [[-0.5], [-1.5]]


def test_only_lists_that_are_merged_lose_their_duplicates():
    Path("twice").write_text(line(0, "the cat") * 2 + line(1, "it rains"))
    for command, count in (("twice refs", 3), ("twice refs --more twice", 2)):
        assert tuned(f"kbmira {command} --passes 1")["hypotheses"] == count


# ---------------------------------------------------------------------------------------------------------------- loops

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
OF_TUNERS = {
    "mert": ("--restarts 3 --score-settles 1", 0.01, {"restarts": 3}),
    "kbmira": (
        "--safe-hope --rules moses --passes 3 --score-settles 1",
        0.01,
        {"passes": 3, "safe_hope": True, "rules": "moses"},
    ),
    "pro": ("--keep 9 --minimum 3", None, {"keep": 9, "minimum": 0.03}),
}


@pytest.mark.parametrize("tuner", ["mert", "kbmira", long("pro")])
def test_loops(tuner):
    Path("decoder.py").write_text(DECODER)
    Path("weights").write_text("b -1\na 1.0\n")
    decoder = f"'{sys.executable}' decoder.py {{weights}} {{nbest}}"
    flags, score_settles, options = OF_TUNERS[tuner]
    command = f'tune loop run refs --decoder "{decoder}" --start weights --seed 0'
    done = run_line(f"{command} --tuner {tuner} {flags} --output out")
    assert done.exit_code == 0, done.stderr
    start = {"a": 1.0, "b": -1.0}
    expected = mert_loop(
        "other",
        DecoderCommand(decoder),
        ["refs"],
        start,
        Tuner(tuner, metric="moses", normalise="sum", **options),
        Stopping(score_settles=score_settles),
    )
    assert weights_in(done.stdout) == read_weights("out") == expected.weights
    assert done.stderr.splitlines()[:-1] == str(expected).splitlines()
    best = json.loads(run_line(f"{command} --tuner {tuner} {flags} --output-format json --return-best-dev").stdout)
    assert (best["weights"], best["score"]) == (expected.best.decoded, expected.best.decoded_score)
    assert len(best["iterations"]) == len(expected.iterations)
    other = run_line(f"{command} --tuner {'pro' if tuner != 'pro' else 'mert'}")
    assert other.exit_code == 2 and "run.json: the run in this folder" in other.stderr


# -------------------------------------------------------------------------------------------------------------- extract

EXTRACTED = "--features-file F --scores-file S"


def test_extract():
    text = line(1, "the cat") + line(2, "it\xa0rains", "d= 4 5 lm= 6 p_x= 7")
    Path("given").write_text(text, encoding="utf-8")
    expected = NBest.from_files("given", ["refs"], first_id=1, max_order=2, texts=False)
    assert run_line(f"tune extract given refs {EXTRACTED} --first-id 1 --max-order 2 --threads 2").exit_code == 0
    read = NBest.from_moses("F", "S", 2, first_id=1)
    assert read.stats.tolist() == expected.stats.tolist()
    command = f"tune extract - refs {EXTRACTED} --first-id 1 --tokenize ascii"
    assert run_line(command, stdin=gzip.compress(text.encode())).exit_code == 0
    assert NBest.from_moses("F", "S", 2, first_id=1).stats[1, 0] == 1


def test_extract_plain():
    write_lines(Path(), {"plain": ["it rains.", "rain"] * 2, "table": ["1 2", "3 4"] * 2})
    arguments = "plain refs --size 2 --feature-table table --tokenize 13a --reference-length shortest"
    assert run_line(f"tune extract {arguments} {EXTRACTED}").exit_code == 0
    read = NBest.from_moses("F", "S")
    assert (read.features.tolist(), read.stats[:, 0].tolist()) == ([[1, 2], [3, 4]] * 2, [3, 1] * 2)


def test_extract_in_lower_case_and_without_duplicates():
    same = line(0, "The CAT", "d= 1 2 lm= 3 p_a= 1")
    Path("given").write_text(same + line(0, "THE cat", "d= 1 2 lm= 3 p_a= 2") + same)
    for options, matches in (("", [0, 1, 0]), ("--lowercase", [2, 2, 2]), ("--unique", [0, 1])):
        assert run_line(f"tune extract given refs {EXTRACTED} {options}").exit_code == 0
        assert NBest.from_moses("F", "S").stats[:, 2].tolist() == matches
