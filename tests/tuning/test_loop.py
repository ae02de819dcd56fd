"""Tuning loop with a decoder that searches a small space, and interrupts at any point."""

import sys
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import pytest

from brute_force import score_of
from command_line import python
from cybleu import errors
from cybleu.nbest import NBest, merge
from cybleu.tuning import DecoderCommand, Iteration, Loop, Stopping, Tuner, kbmira, mert_loop, read_weights
from marks import long

REFERENCES = [["the cat sat on the mat"], ["it rains in spain today"]]
SPACE = [
    [
        ("the cat", 3, 0),
        ("the cat sat on mat", 0, 3),
        ("the cat sat on the mat", 1, 5),
        ("a cat sits on the mat now", 2, 6),
    ],
    [
        ("it rains", 4, 1),
        ("it rains in spain", 1, 3),
        ("it rains in spain today", 1, 4),
        ("in spain it rains now and", 4, 5),
    ],
]
START = {"a": 1.0, "b": -1.0}


class Decoder:
    """Decoder that writes the two best hypotheses of each segment; after some calls it is interrupted within a file."""

    names = ("a", "b")
    line = "{} ||| {} ||| a={} b={} ||| 0\n"

    def __init__(self, calls=99):
        self.calls = calls
        self.weights = []

    def __call__(self, weights, path):
        self.weights.append(weights)

        def value(hypothesis):
            text, *values = hypothesis
            features = {**dict(zip(self.names, values)), **self.sparse(text)}
            return sum(weights.get(name, 0) * number for name, number in features.items())

        with path.open("w") as file:
            for segment, hypotheses in enumerate(SPACE):
                if segment == 1 and len(self.weights) > self.calls:
                    raise KeyboardInterrupt
                for text, a, b in sorted(hypotheses, key=value, reverse=True)[:2]:
                    sparse = " ".join(f"{name}= {number}" for name, number in self.sparse(text).items())
                    file.write(self.line.format(segment, text, a, b, sparse))

    def sparse(self, text):
        return {}


def lists_of(folder, result, **reading):
    """The list that was decoded in each iteration of a run."""
    paths = [folder / f"iteration-{iteration.number}" / "nbest" for iteration in result.iterations]
    return [NBest.from_files(path, REFERENCES, **reading) for path in paths]


def loop(folder, decode, tuner=None, **stopping):
    return mert_loop(folder, decode, REFERENCES, START, tuner or Tuner(restarts=3), Stopping(**stopping))


def test_it_climbs_until_nothing_is_new(tmp_path):
    decoder = Decoder()
    result = loop(tmp_path / "run", decoder)
    assert result.score == 1 > result.iterations[0].start_score
    assert result.iterations[-1].new == 0 and "no new hypothesis" in result.reason
    assert decoder.weights[0] == START
    assert [iteration.weights for iteration in result.iterations[:-1]] == decoder.weights[1:]
    assert len(merge(*lists_of(tmp_path / "run", result)).features) == result.iterations[-1].hypotheses
    assert str(result).endswith(result.reason)


PROGRAM = (
    "import sys\n"
    "weights = dict(line.split() for line in open(sys.argv[1]))\n"
    "first = float(weights['a']) > 0\n"
    "open(sys.argv[2], 'w').write('0 ||| the cat ||| a=1 b=0 ||| 0\\n' * first + '1 ||| it rains ||| a=0 b=1 ||| 0\\n')\n"
)


def test_commands(tmp_path):
    program = tmp_path / "decoder.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), "{weights}", "{nbest}"]
    for form in (command, " ".join(f"'{word}'" for word in command)):
        result = loop(tmp_path / type(form).__name__, DecoderCommand(form))
        assert [iteration.hypotheses for iteration in result.iterations] == [2]
        assert "no weight changed" in result.reason


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ([sys.executable, "-c", "raise SystemExit(3)"], "status 3"),
        ([sys.executable, "-c", ""], "wrote no list"),
        (["no-such-program"], "cannot be run"),
        ("", "is empty"),
        ([], "is empty"),
        ("decode 'in {nbest}", "No closing quotation"),
    ],
)
def test_commands_that_give_no_list(tmp_path, command, message):
    with pytest.raises(errors.DecoderError, match=message):
        loop(tmp_path, DecoderCommand(command))


@pytest.mark.parametrize("path", ["sub\\decode.py", ".\\decode.py", '"sub\\with blank.py"'])
def test_paths_in_a_command_on_windows(folder, monkeypatch, path):
    monkeypatch.setattr("cybleu._runtime.system.WINDOWS", True)
    (folder / "sub").mkdir()
    (folder / path.strip('"')).write_text(PROGRAM)
    result = loop(folder / "the run", DecoderCommand(f'"{sys.executable}" {path} {{weights}} {{nbest}}'))
    assert [iteration.hypotheses for iteration in result.iterations] == [2]


def test_a_command_that_fails_is_shown_in_double_quotes_on_windows(tmp_path, monkeypatch):
    monkeypatch.setattr("cybleu._runtime.system.WINDOWS", True)
    with pytest.raises(errors.DecoderError, match=r'status 3: .* -c "raise SystemExit \(3\)"$'):
        loop(tmp_path / "run", DecoderCommand(f'"{sys.executable}" -c "raise SystemExit (3)"'))


def test_other_reasons_to_stop(tmp_path):
    assert "after 1 iterations" in loop(tmp_path / "one", Decoder(), iterations=1).reason
    assert "gained no more than 2" in loop(tmp_path / "two", Decoder(), score_settles=2.0).reason
    assert "changed by more than 5" in loop(tmp_path / "three", Decoder(), weights_settle=5.0).reason


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"metric": "sacrebleu"}, "metric=None, not metric='sacrebleu'"),
        ({"restarts": 4}, "restarts=3, not restarts=4"),
        ({"bounds": {"a": (0, 1)}}, "with bounds=None"),
        ({"fixed": {"a"}}, r"with fixed=.*, not fixed=\['a'\]"),
        ({"normalise": "sum"}, "with normalise=None"),
        ({"tuner": "pro"}, "with tuner="),
    ],
)
def test_another_call_for_the_folder_is_refused(tmp_path, changes, message):
    loop(tmp_path, Decoder(), iterations=1)
    with pytest.raises(errors.InputFileError, match=message):
        loop(tmp_path, Decoder(), Tuner(**{"restarts": 3, **changes}))


def test_a_call_with_other_references_is_refused(tmp_path):
    loop(tmp_path, Decoder(), iterations=1)
    with pytest.raises(errors.InputFileError, match="with other references"):
        mert_loop(tmp_path, Decoder(), [REFERENCES[0] * 2, REFERENCES[1]], START, Tuner(restarts=3))


def test_threads_and_reasons_to_stop_may_differ(tmp_path):
    loop(tmp_path, Decoder(), iterations=1)
    decoder = Decoder()
    assert loop(tmp_path, decoder, Tuner(restarts=3, threads=2), iterations=1, weights_settle=0.5).iterations
    assert decoder.weights == []


@pytest.mark.parametrize(
    "text", ["[" * 500_000, "{}", '{"surprise": 2}', None], ids=["nested", "empty", "another name", "a wrong weight"]
)
def test_a_result_that_was_changed(tmp_path, text):
    loop(tmp_path, Decoder(), iterations=1)
    result = tmp_path / "iteration-1" / "result.json"
    result.write_text(text or result.read_text().replace('"weights": {', '"weights": {"": "x",'))
    with pytest.raises(errors.InputFileError, match="is not the result of an iteration"):
        loop(tmp_path, Decoder())


def test_start_weights_that_were_changed(tmp_path):
    loop(tmp_path, Decoder(), iterations=1)
    (tmp_path / "iteration-1" / "result.json").unlink()
    (tmp_path / "iteration-1" / "weights").write_text("a 1\nb 2\n")
    with pytest.raises(errors.WeightsError, match="holds other weights"):
        loop(tmp_path, Decoder())


def test_a_description_of_the_run_that_was_changed(tmp_path):
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(errors.InputFileError, match=r"run\.json does not describe a run"):
        loop(tmp_path, Decoder())


ANOTHER = "run: another loop is running in this folder; wait until it ends, or give another folder"


def test_two_loops_in_one_folder(tmp_path):
    found = []

    def decode(weights, path):
        with pytest.raises(errors.InputFileError, match=ANOTHER):
            loop(tmp_path / "run", Decoder())
        found.append(path)
        Decoder()(weights, path)

    assert loop(tmp_path / "run", decode) == loop(tmp_path / "other", Decoder())
    assert found and len({*found}) == len(found)
    assert loop(tmp_path / "run", Decoder()) == loop(tmp_path / "other", Decoder())


SECOND_LOOP = """
from pathlib import Path
from cybleu.errors import InputFileError
from cybleu.tuning import mert_loop
try:
    mert_loop("run", print, [["a"]], {"a": 1.0})
except InputFileError as error:
    print(error)
"""


@pytest.mark.long
def test_a_second_process_in_a_folder_whose_lock_was_deleted(folder):
    messages = []

    def decode(weights, path):
        with suppress(PermissionError):  # of Windows, which does not delete a file that is open
            (folder / "run" / "cybleu.lock").unlink()
        messages.append(python("-c", SECOND_LOOP, cwd=folder).stdout)
        Decoder()(weights, path)

    loop(folder / "run", decode, iterations=1)
    assert messages == [f"{ANOTHER}\n"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 ||| the cat ||| a=1 b=x ||| 0\n", "nbest.*partial, line 1: .*'x'.*decoded again"),
        ("", "the file is empty"),
        (
            "0 ||| the cat ||| a_0=1 b=1 ||| 0\n",
            "has 'a', which is not a feature; the features are a_0, b; is 'a_0' meant",
        ),
    ],
)
def test_a_list_that_cannot_be_read_is_decoded_again(tmp_path, text, message):
    def decode(weights, path):
        path.write_text(text)

    with pytest.raises(errors.DecoderError, match=message):
        loop(tmp_path / "run", decode)
    assert not (tmp_path / "run" / "iteration-1" / "nbest").exists()
    (partial_list,) = (tmp_path / "run" / "iteration-1").glob("nbest.*.partial")
    assert partial_list.read_text() == text
    decoder = Decoder()
    assert loop(tmp_path / "run", decoder) == loop(tmp_path / "other", Decoder())
    assert decoder.weights[0] == START


@pytest.mark.parametrize(("how", "size"), [("sum", sum), ("largest", max)])
def test_normalised_weights(tmp_path, how, size):
    decoder = Decoder()
    result = loop(tmp_path / "run", decoder, Tuner(restarts=3, normalise=how))
    assert decoder.weights[0] == START
    decoded = lists_of(tmp_path / "run", result)
    for iteration in result.iterations:
        assert size(map(abs, iteration.weights.values())) == pytest.approx(1, abs=1e-15)
        merged = merge(*decoded[: iteration.number])
        assert iteration.score == score_of(merged, [iteration.weights[name] for name in merged.names])
    plain = loop(tmp_path / "plain", Decoder())
    assert [one.score for one in result.iterations] == [one.score for one in plain.iterations]
    for wrong in ({"fixed": ["a"]}, {"bounds": {"a": (0, 2)}}):
        with pytest.raises(errors.WeightsError, match="cannot be held at a number"):
            loop(tmp_path / "wrong", decoder, Tuner(normalise=how, **wrong))
    assert not (tmp_path / "wrong").exists()


def test_the_best_that_was_decoded(tmp_path):
    decoder = Decoder()
    result = loop(tmp_path / "run", decoder)
    decoded = [(iteration.decoded, iteration.decoded_score) for iteration in result.iterations]
    assert [weights for weights, _ in decoded] == decoder.weights
    for iteration, own in zip(result.iterations, lists_of(tmp_path / "run", result)):
        assert iteration.decoded_score == score_of(own, [iteration.decoded[name] for name in own.names])
    assert result.best.decoded_score == max(score for _, score in decoded)


def test_of_equally_good_iterations_the_last_is_the_best():
    one = Iteration(1, {"a": 2.0}, 0.5, 0.75, 10, 10, None, {"a": 1.0}, 0.5)
    two = replace(one, number=2, decoded={"a": 2.0}, decoded_score=0.25)
    assert Loop((one, two), "").best == one
    assert Loop((one, two, replace(one, number=3)), "").best.number == 3


# ----------------------------------------------------------------------------------------------- other tuners, sparse features


RARE = {
    "the cat sat on mat": {"w_mat": 1},
    "it rains in spain": {"w_in": 1, "w_spain": 2},
    "a cat sits on the mat now": {"w_now": 1},
}


class SparseDecoder(Decoder):
    """Decoder that writes lists in Moses's format, in which some hypotheses have a sparse feature."""

    names = ("a_0", "b_0")
    line = "{} ||| {} ||| a= {} b= {} {} ||| 0\n"

    def sparse(self, text):
        return RARE.get(text, {})


class WithoutDense(SparseDecoder):
    line = "{} ||| {} ||| a_0= {} b_0= {} {} ||| 0\n"


TUNERS = {
    "mert": Tuner("mert"),
    "kbmira": Tuner("kbmira"),
    "pro": Tuner("pro"),
    "few passes": Tuner("kbmira", passes=5, step=0.5),
    "a function": Tuner(kbmira, passes=5),
}


def sparse_loop(folder, decode, tuner, start, iterations, **reading):
    return mert_loop(folder, decode, REFERENCES, start, TUNERS[tuner], Stopping(iterations), **reading)


@pytest.mark.parametrize("tuner", TUNERS)
def test_any_tuner_with_sparse_features(tmp_path, tuner):
    decoder = SparseDecoder()
    result = sparse_loop(tmp_path / "run", decoder, tuner, {"a_0": 0.1, "b_0": -0.1}, 6, max_order=2)
    assert len(result.iterations) > 1
    assert tuner == "pro" or result.score >= result.iterations[0].start_score
    named = set().union(*(iteration.weights for iteration in result.iterations))
    assert {"a_0", "b_0"} <= named <= {"a_0", "b_0", "w_mat", "w_in", "w_spain", "w_now"}
    for iteration, decoded in zip(result.iterations, decoder.weights):
        assert (
            iteration.decoded == decoded == read_weights(tmp_path / "run" / f"iteration-{iteration.number}" / "weights")
        )
        assert all(weight or name in ("a_0", "b_0") for name, weight in iteration.weights.items())
    pool = merge(*lists_of(tmp_path / "run", result, max_order=2))
    last = result.iterations[-1]
    vector = [last.weights.get(name, 0.0) for name in (*pool.names, *pool.sparse.names)]
    assert last.score == score_of(pool, vector)


@pytest.mark.parametrize(("tuner", "decoder"), [*((tuner, SparseDecoder) for tuner in TUNERS), ("pro", WithoutDense)])
@pytest.mark.parametrize("calls", [long(0), 2])
def test_interrupted_runs_of_any_tuner_go_on(tmp_path, tuner, decoder, calls):
    start = {} if decoder is WithoutDense else {"a_0": 1.0, "b_0": -1.0}
    whole = sparse_loop(tmp_path / "whole", decoder(), tuner, start, 3)
    if len(whole.iterations) > calls:
        with pytest.raises(KeyboardInterrupt):
            sparse_loop(tmp_path / "run", decoder(calls), tuner, start, 3)
    assert sparse_loop(tmp_path / "run", decoder(), tuner, start, 3) == whole
    again = decoder(0)
    assert sparse_loop(tmp_path / "run", again, tuner, start, 3) == whole
    assert not again.weights


def test_the_score_does_not_stop_the_loop_if_the_rules_may_lower_it(tmp_path):
    def decode(weights, path):
        number = path.parent.name.removeprefix("iteration-")
        path.write_text(f"0 ||| the cat ||| a= 1 ||| 0\n0 ||| it rains ||| a= -{number} ||| 0\n")

    def reason(name, tuner):
        stopping = Stopping(iterations=2, weights_settle=-1.0)
        return mert_loop(tmp_path / name, decode, [["the cat"]], {"a_0": 1.0}, tuner, stopping, max_order=1).reason

    assert reason("best", Tuner("kbmira")) == "stopped: the score gained no more than 0"
    assert reason("moses", Tuner("kbmira", rules="moses")) == "stopped: after 2 iterations"
    assert reason("unknown", Tuner(kbmira)) == "stopped: after 2 iterations"
    assert reason("known", Tuner(kbmira, never_lowers=True)) == "stopped: the score gained no more than 0"


def test_a_tuner_of_ones_own(tmp_path):
    calls = []

    def tuner(nbest, start, seed, metric=None):
        calls.append((start, seed))
        return SimpleNamespace(weights={"a": start["a"] - 1.0, "b": 1.0})

    result = loop(tmp_path, Decoder(), Tuner(tuner, seed=5), iterations=2)
    assert calls == [(START, 6), ({"a": 0.0, "b": 1.0}, 7)]
    assert result.weights == {"a": -1.0, "b": 1.0}
    assert result.score > result.iterations[0].start_score


def test_options_of_a_tuner_are_no_arguments_of_the_loop(tmp_path):
    with pytest.raises(TypeError, match="restarts is no argument of mert_loop; pass the options of a tuner to Tuner"):
        mert_loop(tmp_path, Decoder(), REFERENCES, START, restarts=3)
