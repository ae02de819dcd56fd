"""Progress bars: on standard error, if it is a terminal and the work is long."""

import io
from contextlib import redirect_stderr

import pytest

from command_line import run_line, write_lines
from cybleu._runtime import parallel
from cybleu.cli import cli

pytestmark = pytest.mark.thread_unsafe(reason="it replaces the standard error of the process")

SAID = "cybleu: hypotheses: hyp; references: ref\n"


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def files(folder, monkeypatch):
    """Files to score, and work that is long at once."""
    monkeypatch.setattr(parallel, "LATE", 0.0)
    lists = {
        "hyp": ["a cat"] * 9,
        "list": ["0 ||| a cat ||| a= 1 ||| 0", "0 ||| a ||| a= 2 ||| 0"],
        "ref": ["a cat"] * 9,
    }
    write_lines(folder, lists)


def said_on_a_terminal(command):
    with redirect_stderr(Terminal()) as terminal:
        cli(command.split(), standalone_mode=False)
    return terminal.getvalue()


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
    assert "%|" in said_on_a_terminal(command)


def test_columns_of_a_parquet_file_have_one(files, pyarrow):
    from pyarrow.parquet import write_table

    write_table(pyarrow.table({"hyp": ["a cat"] * 9, "ref": ["a cat"] * 9}), "texts.parquet")
    assert "%|" in said_on_a_terminal("score texts.parquet:hyp texts.parquet:ref")


def test_short_work_has_none(files, monkeypatch):
    monkeypatch.setattr(parallel, "LATE", 60.0)
    assert said_on_a_terminal("score hyp ref") == SAID


def test_quiet_work_has_none(files):
    assert "%|" not in said_on_a_terminal("tune mert list ref --restarts 0 --quiet")


def test_there_is_none_in_a_pipe(files):
    assert run_line("score hyp ref").stderr == SAID
