"""Commands as a terminal runs them, but in this process; and their files."""

from __future__ import annotations

from click.testing import CliRunner

from cybleu.cli import cli

#: Options with which tuners print what the functions of the library return without options.
AS_LIBRARY = ("--normalise", "none", "--seed", 0)


def run(*arguments, stdin=None):
    """The exit code and output of a command. An exception that a user would see as a traceback is raised."""
    return CliRunner().invoke(cli, [*map(str, arguments)], input=stdin, prog_name="cybleu", catch_exceptions=False)


def write_lines(folder, texts):
    """Write a file for each name."""
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def weights_in(text):
    """The weights that a tuning command printed."""
    return {name: float(weight) for name, weight in map(str.split, text.splitlines())}
