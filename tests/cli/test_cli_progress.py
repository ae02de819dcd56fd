"""Progress bars: on standard error, if it is a terminal and the work is long."""

import os
import subprocess
import sys

import pytest

import command_line

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal")

# A command in a process of its own, in which work is long after so many seconds.
CODE = """
import sys
from cybleu._runtime import parallel
parallel.LATE = float(sys.argv[1])
from cybleu.cli import cli
cli(sys.argv[2:])
"""


@pytest.fixture
def files(folder):
    command_line.write_lines(
        folder,
        {"hyp": ["a cat"] * 9, "list": ["0 ||| a cat ||| a= 1 ||| 0", "0 ||| a ||| a= 2 ||| 0"], "ref": ["a cat"] * 9},
    )
    return folder


def said(command, late, stderr):
    done = command_line.python("-c", CODE, late, *command.split(), stderr=stderr)
    assert done.returncode == 0
    return done.stderr or ""


def said_on_a_terminal(command, late):
    ours, theirs = os.openpty()
    try:
        said(command, late, theirs)
        os.set_blocking(ours, False)
        return os.read(ours, 1 << 16).decode()
    finally:
        os.close(theirs)
        os.close(ours)


@pytest.mark.parametrize(
    "command",
    [
        "score hyp ref",
        "score hyp ref -m chrf --threads 2",
        "variants hyp ref",
        "compare hyp ref -r ref",
        "rerank mbr list",
        "rerank oracle list ref",
        "tune mert list ref --restarts 0",
        "tune kbmira list ref",
        "tune pro list ref",
        "tune extract list ref --features-file f --scores-file s",
    ],
)
def test_long_work_has_a_bar_on_a_terminal(files, command):
    assert "%|" in said_on_a_terminal(command, 0)


def test_short_work_has_none(files):
    assert said_on_a_terminal("score hyp ref", 9) == "cybleu: hypotheses: hyp; references: ref\r\n"


def test_quiet_work_has_none(files):
    assert "%|" not in said_on_a_terminal("tune mert list ref --restarts 0 --quiet", 0)


def test_there_is_none_in_a_pipe(files):
    assert said("score hyp ref", 0, subprocess.PIPE) == "cybleu: hypotheses: hyp; references: ref\n"


def test_columns_of_a_parquet_file_have_one(files, pyarrow):
    from pyarrow.parquet import write_table

    write_table(pyarrow.table({"hyp": ["a cat"] * 9, "ref": ["a cat"] * 9}), "texts.parquet")
    assert "%|" in said_on_a_terminal("score texts.parquet:hyp texts.parquet:ref", 0)
