"""`cybleu rerank`: files in, one line for each segment out."""

import gzip
import tracemalloc
from functools import partial

import pytest

import command_line
from cybleu.nbest import NBest
from cybleu.rerank import linear, mbr, oracle, perceptron
from cybleu.tuning import write_weights

LIST = """0 ||| the cat sat ||| lm= -3 len= 3 ||| -2
0 ||| a cat sat down ||| lm= -4 len= 4 ||| -1
0 |||  ||| lm= 0 len= 0 ||| -9
1 ||| it rains ||| lm= -1 len= 2 ||| -1
1 ||| it rains a lot ||| lm= -2 len= 4 ||| -3
3 ||| so it is ||| lm= -2 len= 3 ||| -1
"""
REFERENCE = "a cat sat\nit rains a lot\nnothing\nso it is\n"
WEIGHTS = "lm_0 0.5\nlen_0 1\n"


@pytest.fixture
def run(folder):
    (folder / "list").write_text(LIST)
    (folder / "ref").write_text(REFERENCE)
    (folder / "weights").write_text(WEIGHTS)
    return partial(command_line.run, "rerank")


def lines(result):
    assert result.exit_code == 0, result.output
    return result.stdout.split("\n")[:-1]


def test_linear(run, tmp_path):
    result = run("linear", "list", "--weights", "weights")
    assert lines(result) == ["a cat sat down", "it rains a lot", "", "so it is"]
    assert result.stderr.startswith(
        "cybleu: segments without a hypothesis: 1; each is an empty line in the output; if ids"
    )
    assert lines(run("linear", "-", "--weights", "weights", stdin=LIST)) == lines(result)
    assert lines(run("linear", "list", "--weights", "weights", "-o", "out.gz")) == []
    assert gzip.decompress((tmp_path / "out.gz").read_bytes()).decode().split("\n")[:-1] == lines(result)
    assert lines(run("linear", "list", "--weights", "weights", "--segment-count", 6)) == [*lines(result), "", ""]


def test_ten_million_segments_may_have_no_hypothesis(run, tmp_path):
    text = "0 ||| a ||| lm= 1 len= 1 ||| 0\n10000001 ||| b ||| lm= 1 len= 1 ||| 0\n"
    assert lines(run("linear", "-", "--weights", "weights", "-o", "out", stdin=text)) == []
    assert (tmp_path / "out").read_bytes() == b"a\n" + b"\n" * 10_000_000 + b"b\n"


def test_weights_of_features_that_come_later_or_never(run, tmp_path):
    text = "0 ||| a ||| lm=1 ||| 0\n" * 2 + "1 ||| b ||| lm=1 ||| 0\n1 ||| c ||| lm=1 oov=1 ||| 0\n"
    (tmp_path / "weights").write_text("lm 1\noov 2\nother 3\n")
    result = run("linear", "-", "--weights", "weights", stdin=text)
    assert lines(result) == ["a", "c"]
    assert result.stderr == "cybleu: weights of features that are not in the list are ignored: other\n"


def test_the_whole_list_in_its_new_order(run, tmp_path):
    for form in ("moses", "joshua"):
        found = run("linear", "list", "--weights", "weights", "--list", form, "-o", "sorted")
        assert found.exit_code == 0, found.output
        again = NBest.from_files("sorted", ["ref"], form)
        expected = linear(NBest.from_files("list", ["ref"]), [0.5, 1.0]).best_first()
        assert again.texts == expected.texts
        assert again.features.tolist() == expected.features.tolist()
        assert again.model_scores.tolist() == expected.model_scores.tolist()
    plain = lines(run("mbr", "list", "--list", "plain"))
    assert sorted(plain) == sorted(line.split("|||")[1].strip() for line in LIST.splitlines())
    assert plain.index("") == 2


def test_mbr(run):
    nbest = NBest.from_files("list", ["ref"])
    assert lines(run("mbr", "list")) == mbr(nbest).texts
    arguments = {"scores": nbest.model_scores, "scale": 0.5, "metric": "nltk", "smoothing": "method1"}
    options = ["--scale", 0.5, "--metric", "nltk", "--smoothing", "method1"]
    assert lines(run("mbr", "list", *options)) == mbr(nbest, **arguments).texts
    assert lines(run("mbr", "list", "--prune", 1)) == mbr(nbest, prune=1).texts


def test_explain(run):
    found = lines(run("linear", "list", "--weights", "weights", "--explain", 1))
    assert found == [
        "segment 1: 2 hypotheses",
        "1. hypothesis 1, score 3: it rains a lot",
        "   +4 = 1 * 4 len_0",
        "   -1 = 0.5 * -2 lm_0",
        "2. hypothesis 0, score 1.5: it rains",
        "   +2 = 1 * 2 len_0",
        "   -0.5 = 0.5 * -1 lm_0",
    ]
    text = "0 ||| a ||| lm= 1 w_a= 2 ||| 0\n1 ||| b ||| lm= 1 w_b= 3 ||| 0\n"
    found = lines(run("linear", "-", "--weights", "weights", "--explain", 1, stdin=text))
    assert found[2:] == ["   +0.5 = 0.5 * 1 lm_0", "   +0 = 0 * 3 w_b"]
    assert "matched n-grams 4/4 3/3 2/2 1/1, length 4 against 4" in run("oracle", "list", "ref", "--explain", 1).stdout
    assert " BLEU 36.8 with hypothesis 1: " in run("mbr", "list", "--explain", 1).stdout


def test_oracle(run):
    nbest = NBest.from_files("list", ["ref"])
    assert (
        lines(run("oracle", "list", "ref"))
        == oracle(nbest).texts
        == ["a cat sat down", "it rains a lot", "", "so it is"]
    )
    result = run("oracle", "list", "ref", "--level", "corpus", "--seed", 1)
    assert lines(result) == oracle(nbest, "corpus", seed=1).texts
    assert "BLEU of the corpus" in result.stderr
    assert lines(run("oracle", "list", "ref", "--worst")) == ["", "it rains", "", "so it is"]


def test_a_list_whose_first_segment_is_1(run, tmp_path):
    (tmp_path / "from1").write_text("1 ||| a ||| f= 1 ||| 1\n2 ||| b ||| f= 1 ||| 1\n")
    assert lines(run("mbr", tmp_path / "from1", "--first-id", 1)) == ["a", "b"]


def test_perceptron(run, tmp_path):
    nbest = NBest.from_files("list", ["ref"])
    trained = perceptron(nbest, folds=2, epochs=3)
    arguments = "perceptron", "list", "ref", "--folds", 2, "--epochs", 3, "--seed", 0
    result = run(*arguments, "--held-out", "held")
    assert lines(result) == [f"{name} {weight!r}" for name, weight in trained.weights.items()]
    assert (
        f"{trained.score:.4f} after {trained.epochs} {'epoch' if trained.epochs == 1 else 'epochs'};" in result.stderr
    )
    assert (tmp_path / "held").read_text().split("\n")[:-1] == trained.held_out.texts
    (tmp_path / "trained").write_text(result.stdout)
    assert lines(run("linear", "list", "--weights", "trained")) == linear(nbest, trained.weights).texts
    assert lines(run(*arguments, "--output-format", "moses", "-o", "trained")) == []
    write_weights("written", trained.weights, "moses")
    assert (tmp_path / "written").read_text() == (tmp_path / "trained").read_text()


@pytest.mark.memory
def test_the_list_is_a_stream(run, tmp_path):
    """Five times as many segments need no more memory. The shorter list is longer than a block of what is read."""
    text = "the cat sat on the mat and the dog " * 10

    def peak(copies):
        with open(tmp_path / "many", "w") as file:
            for number in range(copies):
                file.writelines(f"{number} ||| {text}{place} ||| lm= {place} ||| 0\n" for place in range(5))
        (tmp_path / "weights").write_text("lm_0 1\n")
        tracemalloc.start()
        try:
            result = run("linear", "many", "--weights", "weights", "-o", "out")
            assert result.exit_code == 0, result.output
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)  # imports
    few = peak(400)
    many = peak(2000)
    assert (tmp_path / "out").read_text() == f"{text}4\n" * 2000
    assert many < 1.5 * few
