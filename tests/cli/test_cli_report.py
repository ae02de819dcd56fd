"""`cybleu compare --report`, through its entry point."""

import gzip
import hashlib
import os
import re
import shlex
import sys
import threading

import pytest

from command_line import run, write_lines
from cybleu.report import analyse, html
from cybleu.significance import Settings
from marks import long
from reports import NAMES, OTHER, REFERENCE, REFERENCES, SYSTEMS


@pytest.fixture
def files(folder):
    outputs = {f"{name}.txt": lines for name, lines in SYSTEMS.items()}
    write_lines(folder, {"ref1": REFERENCE, "ref2": OTHER, **outputs})
    return folder


OUTPUTS = [f"{name}.txt" for name in NAMES]
OPTIONS = ["--samples", "100", "--seed", "7"]


@pytest.mark.parametrize(
    "options",
    [
        ["--metric", "ter", "--format", "json", "--influence"],
        long(["--metric", "TER", "--metric", "multi-bleu,nist,bleu", "--lowercase"]),
    ],
    ids=["json", "several metrics"],
)
def test_what_is_printed_is_the_same(files, no_pictures, options):
    arguments = ["compare", *OUTPUTS, "-r", "ref1", "-r", "ref2", *OPTIONS, *options]
    plain = run(*arguments)
    beside = run(*arguments, "--report", "report.html", "--title", "Metrics in <text>")
    assert (beside.exit_code, beside.stdout) == (0, plain.stdout)
    assert "<title>Metrics in &lt;text&gt;</title>" in (files / "report.html").read_text(encoding="utf-8")


def test_the_page_is_that_of_the_function(files, no_pictures):
    arguments = ["compare", *OUTPUTS, "-r", "ref1", "-r", "ref2", *OPTIONS, "--report", "report.html"]
    assert run(*arguments).exit_code == 0
    written = (files / "report.html").read_text(encoding="utf-8")
    expected = analyse(
        SYSTEMS,
        REFERENCES,
        settings=Settings(samples=100, seed=7),
        command=shlex.join(["cybleu", *arguments]),
        files={name: hashlib.sha256((files / name).read_bytes()).hexdigest() for name in (*OUTPUTS, "ref1", "ref2")},
    )
    assert written == html(expected)
    # the command that it shows writes the same page again
    shown = re.search(r"<dt>Command</dt><dd><code>(.*?)</code>", written)[1]
    (files / "report.html").unlink()
    assert run(*shlex.split(shown)[1:]).exit_code == 0
    assert (files / "report.html").read_text(encoding="utf-8") == written


def test_source_and_all_segments(files, no_pictures, monkeypatch):
    monkeypatch.setattr("cybleu.report.page.MOST_SEGMENTS", 5)
    source = [f"source {line}" for line in REFERENCE]
    write_lines(files, {"src": source})
    arguments = ["compare", *OUTPUTS, "-r", "ref1", "-r", "ref2", *OPTIONS, "--report", "r.html", "--source", "src"]
    assert run(*arguments, "--all-segments").exit_code == 0
    page = (files / "r.html").read_text(encoding="utf-8")
    assert all(line in page for line in source)
    assert hashlib.sha256((files / "src").read_bytes()).hexdigest() in page and "--source src --all-segments" in page


def test_one_system_and_options(files, no_pictures):
    arguments = ["compare", "mine=one.txt", "-r", "ref1", "--lowercase", "--report", "r.html"]
    for more, metric, how in (
        (["--tokenize", "none"], None, {"tokenize": "none"}),
        (["--metric", "bleu", "--metric", "ter"], ["sacrebleu", "ter"], {}),
    ):
        found = analyse({"mine": SYSTEMS["one"]}, [[line] for line in REFERENCE], metric, lowercase=True, **how)
        assert run(*arguments, *more).stdout == f"{found}\n"
    runs = ["both=one.txt,two.txt", "three.txt", "-r", "ref1", "--baseline", "three"]
    assert run("compare", *runs, "--report", "r.html").exit_code == 0
    assert "both, run 2" in (files / "r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("library", ["jinja2", "matplotlib"])
def test_a_missing_package_is_one_sentence(files, jinja2, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setitem(sys.modules, f"{library}.figure", None)
    result = run("compare", *OUTPUTS, "-r", "ref1", "--report", "r.html")
    extra = {"jinja2": "report", "matplotlib": "plot"}[library]
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and f'install it with: pip install "cybleu[{extra}]"' in result.stderr
    assert not (files / "r.html").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes")
def test_pipes_are_read_once(files, no_pictures):
    piped = OUTPUTS[0]
    content = (files / piped).read_bytes()
    arguments = ["compare", *OUTPUTS, "-r", "ref1", *OPTIONS]
    plain = run(*arguments)
    (files / piped).unlink()
    os.mkfifo(files / piped)
    for report in ([], ["--report", "report.html"]):
        writer = threading.Thread(target=(files / piped).write_bytes, args=[content], daemon=True)
        writer.start()
        result = run(*arguments, *report)
        assert (result.exit_code, result.stdout) == (0, plain.stdout)
        writer.join(60)
    assert hashlib.sha256(content).hexdigest() in (files / "report.html").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes")
def test_the_digest_is_of_the_bytes_that_were_scored(files, no_pictures):
    """A file that changes after it was read, while a later one is still read."""
    first = files / OUTPUTS[0]
    last = files / OUTPUTS[-1]
    last.write_text("".join(line + " and so on" * 500 + "\n" for line in last.read_text().splitlines()))
    first.write_bytes(gzip.compress(first.read_bytes()))
    read = first.read_bytes()
    content = last.read_bytes()
    last.unlink()
    os.mkfifo(last)

    def feed():
        with open(last, "wb") as pipe:
            pipe.write(content[:-1])  # of which a pipe holds only a part: the command has read the other files
            pipe.flush()
            first.write_bytes(b"changed\n")  # shorter, so that nothing follows what was read
            pipe.write(content[-1:])

    writer = threading.Thread(target=feed, daemon=True)
    writer.start()
    result = run("compare", *OUTPUTS, "-r", "ref1", "--report", "report.html", *OPTIONS)
    writer.join(60)
    assert result.exit_code == 0
    page = (files / "report.html").read_text(encoding="utf-8")
    assert hashlib.sha256(read).hexdigest() in page
    assert hashlib.sha256(first.read_bytes()).hexdigest() not in page


def test_a_page_shows_no_absolute_path(files, no_pictures):
    (files / "other").mkdir()
    (files / "other" / "ref1").write_bytes((files / "ref1").read_bytes())
    references = [str(files / "ref1"), str(files / "other" / "ref1"), "ref2"]
    systems = [str(files / OUTPUTS[0]), f"named={files / OUTPUTS[1]},{OUTPUTS[1]}"]
    report = str(files / "report.html")
    assert run("compare", *systems, "-r", *references, *OPTIONS, "--report", report).exit_code == 0
    page = (files / "report.html").read_text(encoding="utf-8")
    assert str(files) not in page
    folder = files.name
    for name in (OUTPUTS[0], f"{folder}/{OUTPUTS[1]}", f"{folder}/ref1", "other/ref1", "ref2"):
        assert f">{name}<" in page.replace("<bdi>", "").replace("</bdi>", "").replace("\u200b", ""), name
    command = f"cybleu compare {OUTPUTS[0]} named={folder}/{OUTPUTS[1]},{OUTPUTS[1]} -r {folder}/ref1 other/ref1 ref2"
    assert f"{command} {' '.join(OPTIONS)} --report report.html" in page


def test_the_path_of_a_file_may_begin_as_that_of_another(files, no_pictures):
    for name in ("a/out", "b/out", "a/out2"):
        (files / name).parent.mkdir(exist_ok=True)
        (files / name).write_bytes((files / OUTPUTS[0]).read_bytes())
    systems = [f"{name}={files / path}" for name, path in (("x", "a/out"), ("y", "b/out"), ("z", "a/out2"))]
    report = str(files / "report.html")
    assert run("compare", *systems, "-r", "ref1", *OPTIONS, "--report", report).exit_code == 0
    page = (files / "report.html").read_text(encoding="utf-8")
    assert "cybleu compare x=a/out y=b/out z=out2 -r ref1" in page
