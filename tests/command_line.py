"""Commands as a terminal runs them, but in this process; and their files."""

from __future__ import annotations

import shlex

from click.testing import CliRunner

from cybleu.cli import cli


def run(*arguments, stdin=None):
    """The exit code and output of a command. An exception that a user would see as a traceback is raised."""
    return CliRunner().invoke(cli, [*map(str, arguments)], input=stdin, prog_name="cybleu", catch_exceptions=False)


def run_line(line, stdin=None):
    """The same of a command as it is typed, without the word `cybleu`."""
    return run(*shlex.split(line), stdin=stdin)


def write_lines(folder, texts):
    """Write a file for each name."""
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def weights_in(text):
    """The weights that a tuning command printed."""
    return {name: float(weight) for name, weight in map(str.split, text.splitlines())}
