"""Run commands in this process or in one of their own, and write the files that they read."""

import os
import shlex
import subprocess
import sys
from traceback import clear_frames

from click.testing import CliRunner

from cybleu.cli import cli


def run(*arguments, stdin=None):
    """The exit code and output of a command. An exception that a user would see as a traceback is raised."""
    result = CliRunner().invoke(cli, [*map(str, arguments)], input=stdin, prog_name="cybleu", catch_exceptions=False)
    # The runner's frame holds this traceback, and garbage collection may finalize a file before what would close it.
    clear_frames(result.exc_info[2])
    return result


def run_line(line, stdin=None):
    """The same of a command as it is typed, without the word `cybleu`."""
    return run(*shlex.split(line), stdin=stdin)


def python(*arguments, variables=None, **options):
    """What an interpreter wrote, and its exit code."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    return subprocess.run([sys.executable, *map(str, arguments)], env={**os.environ, **(variables or {})}, **options)


PEAK = """
import resource
try:
    with open("/proc/self/status") as status:  # without the memory of the process that started this one
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) >> 10
except FileNotFoundError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 20
print("", peak, sep="\\n")
"""


def peak(arguments, folder):
    """The output of a command in a process of its own, and the most memory in MiB that it holds at the same time."""
    code = "import sys; from cybleu.cli import cli; cli(sys.argv[1:], standalone_mode=False)" + PEAK
    done = python("-c", code, *arguments, cwd=folder, check=True)
    printed, _, memory = done.stdout.rstrip("\n").rpartition("\n")
    return printed, int(memory)


def write_lines(folder, texts):
    """Write a file for each name."""
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def weights_in(text):
    """The weights that a tuning command printed."""
    return {name: float(weight) for name, weight in map(str.split, text.splitlines())}
