"""`cybleu sacrebleu` beside the command `sacrebleu`: what it prints, byte for byte."""

import os
import signal
import sys

import pytest
import sacrebleu.sacrebleu
from hypothesis import HealthCheck, given, settings, strategies as st
from sacrebleu.utils import Color

import command_line
from cybleu.sacrebleu_compat.install import run_sacrebleu

if hasattr(signal, "SIGPIPE"):  # sacreBLEU's command lets it end the process, here the one that runs all tests
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sacreBLEU leaves its files open
    pytest.mark.thread_unsafe(reason="the command replaces the standard streams of the process"),
]

HYPOTHESES = [
    "The cat, it sat.",
    "It costs 3.5 % today",
    "",
    "«Straße» 猫が in 2023 .",
    "so it was said again and again",
]
OTHERS = ["The cat sat!", "it costs 3,5% Today.", "x", "Straße 猫 in 2023.", "it was so said again"]
REFERENCES = ["The cat sat.", "It costs 3,5 % today.", "x y", "Straße 猫が, 2023.", "so it was said and then again"]
MORE = ["A cat sat.", "Today it costs 3.5 %.", "", "2023", "and so it was said, again"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sacrebleu")
    texts = {"one": HYPOTHESES, "two": OTHERS, "three": HYPOTHESES[1:] + OTHERS[:1], "ref": REFERENCES, "more": MORE}
    texts["tabs"] = [f"{one}\t{other}" for one, other in zip(REFERENCES, OTHERS)]
    texts["systems"] = [f"{one}\t{other}" for one, other in zip(HYPOTHESES, OTHERS)]
    command_line.write_lines(folder, {name: lines * 2 for name, lines in texts.items()})
    return folder


class Stream:
    """A standard stream that is a file, which the command opens again and closes."""

    def __init__(self, path, flags):
        self._descriptor = os.open(path, flags, 0o600)

    def fileno(self):
        return self._descriptor


def written(main, arguments, folder, variables):
    """What a command writes to standard output, and how it ends."""
    (folder / "empty").write_text("")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["sacrebleu", *arguments])
        patch.setattr(sys, "stdin", Stream("systems", os.O_RDONLY))
        patch.setattr(sys, "stdout", Stream("output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC))
        patch.setattr(Color, "ENABLE_COLORS", True)
        patch.setattr("colorama.init", lambda: None)
        for name, value in variables.items():
            patch.setenv(name, value)
        try:
            main()
            end = None
        except SystemExit as exit_:
            end = exit_.code
        except Exception as error:  # sacreBLEU fails on some options
            end = repr(error)
        sys.stdout.close()
        sys.stdin.close()
    return (folder / "output").read_bytes(), end


def flag(*names):
    return st.sampled_from([[], [], *([name] for name in names)])


def option(name, *values):
    return st.sampled_from([[], [], *([name, value] for value in values)])


chosen = st.tuples(
    st.lists(st.sampled_from(["bleu", "chrf", "ter"]), min_size=1, max_size=4).map(lambda names: ["-m", *names]),
    option("-w", "0", "4", "10"),
    option("-tok", "none", "intl", "zh", "char"),
    option("-s", "floor", "add-k", "none"),
    option("-sv", "0.5"),
    option("--format", "text", "latex", "json"),
    flag("--paired-bs", "--paired-ar", "-ci", "--sentence-level", "-d"),
    st.sampled_from([["-pbsn", "20", "-parn", "20", "-cin", "20"]]),
    *map(flag, ["-b", "-lc", "-sh", "-nc", "--force"]),
    option("-cw", "2"),
    option("-cc", "3"),
    option("--chrf-beta", "1"),
    *map(flag, ["--chrf-whitespace", "--chrf-lowercase", "--chrf-eps-smoothing"]),
    *map(flag, ["--ter-normalized", "--ter-no-punct", "--ter-asian-support", "--ter-case-sensitive"]),
).map(lambda parts: [argument for part in parts for argument in part])
references = st.sampled_from([["ref"], ["ref", "more"], ["tabs", "-nr", "2"]])
systems = st.sampled_from([["-i", "one"], ["-i", "one"], ["-i", "one", "two"], ["-i", "one", "two", "three"], []])
variables = st.fixed_dictionaries(
    {},
    optional={
        "SACREBLEU_FORMAT": st.sampled_from(["text", "JSON", "latex", "other"]),
        "SACREBLEU_SEED": st.sampled_from(["1", "12345"]),
        "NO_COLOR": st.just("1"),
    },
)


@given(references, chosen, systems, variables)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_output(folder, references, chosen, systems, variables):
    arguments = [*references, *chosen, *systems]
    theirs = written(sacrebleu.sacrebleu.main, arguments, folder, variables)
    assert written(lambda: run_sacrebleu(arguments), arguments, folder, variables) == theirs


@pytest.mark.parametrize("line", ["ref -i missing", "--list -l en-de"])
def test_the_output_of_what_scores_nothing(folder, line):
    arguments = line.split()
    theirs = written(sacrebleu.sacrebleu.main, arguments, folder, {})
    assert written(lambda: run_sacrebleu(arguments), arguments, folder, {}) == theirs


@pytest.mark.long
@pytest.mark.parametrize("line", ["ref -i one -m bleu chrf ter -w 4", "-h", "-m x"])
def test_as_a_program(folder, line):
    arguments = line.split()
    code = "import sys, sacrebleu.sacrebleu; sys.argv[0] = 'sacrebleu'; sacrebleu.sacrebleu.main()"
    found, theirs = (
        command_line.python(*command, *arguments, cwd=folder, variables={"PYTHONWARNINGS": "ignore"})
        for command in (("-m", "cybleu", "sacrebleu"), ("-c", code))
    )
    assert (found.returncode, found.stdout) == (theirs.returncode, theirs.stdout)


def test_without_sacrebleu():
    code = "import sys; sys.modules['sacrebleu.sacrebleu'] = None; from cybleu.__main__ import main; main()"
    done = command_line.python("-c", code, "sacrebleu")
    assert done.returncode == 2 and done.stderr.startswith("cybleu: error: ") and done.stderr.count("\n") == 1
