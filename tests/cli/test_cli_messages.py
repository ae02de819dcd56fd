"""What every command has in common: its help, the names of files in shells, and messages that name what can be given."""

import os
import re
import subprocess
import sys

import click
import pytest

import command_line
from cybleu.__main__ import version
from cybleu.cli import cli
from cybleu.metrics import METRICS, VARIANTS
from marks import long

TEXT = "the cat sat on the mat\n" * 2
LIST = "".join(f"{n} ||| {text} ||| lm= {k} ||| {k}\n" for n in range(2) for k, text in enumerate(["a cat", "the cat"]))


FEATURES = "--features-file f --scores-file s"


@pytest.fixture
def run(folder):
    (folder / "text").write_text(TEXT)
    (folder / "list").write_text(LIST)
    (folder / "weights").write_text("lm_0 1\n")
    (folder / "bare").write_text("0 ||| a cat\n")
    return command_line.run


def commands(command=cli, *names):
    yield names, command
    context = click.Context(command)
    for name in command.list_commands(context) if isinstance(command, click.Group) else ():
        yield from commands(command.get_command(context, name), *names, name)


def test_the_version(run):
    assert run("--version").stdout == f"{version()}\n"


@pytest.mark.parametrize("names", [names for names, _ in commands()], ids=" ".join)
def test_help(run, names):
    result = run(*names, "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.lower().startswith("usage: ")


def of_files():
    """What takes the name of a file says so in its help."""
    for names, command in commands():
        for parameter in command.params:
            shown = parameter.metavar or ""
            if any(word in shown for word in ("FILE", "HYP", "REF", "NBEST", "SCRIPT")):
                yield pytest.param(command, parameter, id=" ".join([*names, parameter.name]))


@pytest.mark.parametrize(("command", "parameter"), list(of_files()))
def test_shells_complete_names_of_files(command, parameter):
    assert isinstance(parameter.type, click.Path)
    found = parameter.shell_complete(click.Context(command), "ex")
    assert [(item.value, item.type) for item in found] == [("ex", "file")]


WITH_OUTPUT = {
    "mert": ["tune", "mert", "list", "text", "--restarts", "0", "--quiet", "--output"],
    "rerank mbr": ["rerank", "mbr", "list", "--output"],
    "rerank perceptron": ["rerank", "perceptron", "list", "text", "--folds", "2", "--epochs", "1", "--output"],
}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("name", WITH_OUTPUT)
def test_a_device_is_written_to_and_a_full_one_is_one_sentence(run, name):
    result = run(*WITH_OUTPUT[name], "/dev/null")
    assert result.exit_code == 0, result.stderr
    result = run(*WITH_OUTPUT[name], "/dev/full")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == "cybleu: error: /dev/full: cannot be written: No space left on device"
    for path in ("/dev/null", "/dev/full"):
        assert not os.path.isfile(path)
    for path in ("/dev/fd/99", "/proc/self/fd/99"):  # which are not open
        result = run(*WITH_OUTPUT[name], path)
        assert result.exit_code == 2 and f"{path}: cannot be written" in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("program", [["-m", "cybleu"], ["cybleu"]], ids=" ".join)
def test_an_unknown_backend_is_one_sentence(run, folder, program):
    (folder / "cybleu").write_text("from cybleu.__main__ import main\nmain()\n")
    done = command_line.python(*program, "score", "text", "text", variables={"CYBLEU_BACKEND": "zzz"})
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "CYBLEU_BACKEND='zzz'" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        "score text text",
        long("tune mert list text --restarts 0 --quiet"),
        long("--help"),
    ],
)
def test_a_full_standard_output_is_one_sentence(run, arguments):
    with open("/dev/full", "w") as full:
        done = command_line.python("-m", "cybleu", *arguments.split(), stdout=full)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "cybleu: error: standard output: cannot be written: No space left on device"
    )
    assert "Traceback" not in done.stderr


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there is no sh")
@pytest.mark.parametrize(
    ("stream", "arguments"),
    [
        *(("input", command) for command in ("score - text", f"tune extract - text {FEATURES}")),
        *(("output", command) for command in ("score text text", "tune mert list text")),
    ],
)
def test_a_closed_standard_stream_is_one_sentence(run, stream, arguments):
    shell = f"exec '{sys.executable}' -m cybleu {arguments} {'<' if stream == 'input' else '>'}&-"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"cybleu: error: standard {stream}: is closed\n")


@pytest.mark.parametrize("arguments", ["--version", long("score text text")])
def test_a_reader_that_went_away_is_no_message(run, arguments):
    read, write = os.pipe()
    os.close(read)
    with open(write, "w") as gone:
        done = command_line.python("-m", "cybleu", *arguments.split(), stdout=gone)
    assert (done.returncode, done.stderr) == (1, "")


OTHERS = {name for name in METRICS if name not in VARIANTS and name != "bleu"}
MEANS = {"codexglue", "ignite"}


@pytest.mark.parametrize(
    ("command", "refused"),
    [
        *((command, OTHERS | MEANS) for command in ("tune mert", "tune kbmira", "tune pro", "tune loop")),
        ("rerank perceptron", OTHERS | MEANS),
        ("rerank oracle", OTHERS),
        ("rerank mbr", set()),
        ("explain", OTHERS),
        ("score", set()),
        ("compare", MEANS),
    ],
)
def test_only_metrics_that_a_command_takes_are_offered(run, command, refused):
    shown = re.sub(r"(?<=\w-)\s+", "", " ".join(run(*command.split(), "--help").stdout.split()))  # wrapped at hyphens
    (listed,) = re.findall(r"-m, --metric NAME\S* One (?:or more )?of (.*?)\. bleu is", shown)
    assert set(listed.split(", ")) == set(METRICS) - refused
    (option,) = (one for one in dict(commands())[tuple(command.split())].params if "--metric" in one.opts)
    shown = option.shell_complete(click.Context(cli), "ch")
    assert {item.value for item in shown} == {name for name in METRICS if name.startswith("ch")} - refused
    for name in refused:
        result = run(*command.split(), "--metric", name)
        assert result.exit_code == 2 and "this command" in result.stderr and name in result.stderr


@pytest.mark.parametrize("command", ["mert", "kbmira", "pro"])
def test_segments_without_a_hypothesis_are_counted(run, command, tmp_path):
    (tmp_path / "the references").write_text("the cat\n" * 5)
    assert "no hypothesis" not in run("tune", command, "list", "text").stderr
    said = run("tune", command, "list", "the references").stderr
    assert "segments without a hypothesis in the list are ignored: 3 of 5" in said
    quoted = '"the references"' if os.name == "nt" else "'the references'"
    assert f"run: cybleu score OUTPUT {quoted} -m moses --tokenize unicode" in said
