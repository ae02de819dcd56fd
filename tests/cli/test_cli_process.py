"""The command as a process: its environment, and names that the system does not accept."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cybleu._files.writing import writing

pytestmark = [pytest.mark.usefixtures("backend"), pytest.mark.thread_unsafe(reason="it runs processes of its own")]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="names are bytes")
PROGRAM = [sys.executable, "-m", "cybleu"]


@pytest.fixture
def files(folder):
    for name in ("hyp", "ref"):
        (folder / name).write_text("a b c d e\nb c d e f\n")
    return folder


def run(*arguments, program=PROGRAM, **environment):
    return subprocess.run(
        [*program, *arguments], env={**os.environ, **environment}, capture_output=True, encoding="utf-8"
    )


@pytest.mark.parametrize("choice", ["zzz", "1"])
@pytest.mark.parametrize("as_script", [False, True])
def test_an_unknown_backend_is_one_sentence(files, choice, as_script):
    program = PROGRAM
    if as_script:
        (files / "cybleu").write_text("from cybleu.__main__ import main\nmain()\n")
        program = [sys.executable, str(files / "cybleu")]
    done = run("score", "hyp", "ref", program=program, CYBLEU_BACKEND=choice)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and f"CYBLEU_BACKEND={choice!r}" in done.stderr


@POSIX
@pytest.mark.parametrize("path", ["/dev/fd/99", "/proc/self/fd/99"])
def test_descriptors_that_are_not_open(files, path):
    (files / "list").write_text("0 ||| a b ||| x=1 ||| 1\n")
    (files / "weights").write_text("x 1\n")
    done = run("rerank", "linear", "list", "--weights", "weights", "-o", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and f"{path}: cannot be written" in done.stderr


@pytest.mark.parametrize("name", ["\u6f22" * 80, "\u6f22" * 75 + ".gz", "\U0001f600" * 60, "x" * 250])
def test_long_names(tmp_path, name):
    if os.name == "nt" and len(name) > 100:
        pytest.skip("the path is too long")
    path = tmp_path / name
    for text in ("old", "new"):
        with writing(str(path)) as file:
            file.write(text)
    assert [found.name for found in tmp_path.iterdir()] == [name]
