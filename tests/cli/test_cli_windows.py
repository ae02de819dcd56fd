"""What commands do on Windows, as far as other systems can show it."""

import os

import pytest

from command_line import python, run, write_lines

REFERENCE = ["the cat sat on the mat →", "it rains"]
TEXTS = {
    "систем": ["the cat sat on the mat", "it rains"],
    "one": ["the cat is on the mat →", "it rained"],
    "ref": REFERENCE,
    "the ref": REFERENCE,
    "list": ["0 ||| the cat ||| lm= 1 ||| 1", "1 ||| it rains ||| lm= 2 ||| 2"],
}
WINDOWS = """
import cybleu.__main__, sys
from cybleu._runtime import system
system.WINDOWS = True
"""
CODE_PAGE = """
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(encoding="cp1252", errors=stream.errors, newline="\\r\\n")
"""
PIPE = """
import errno, io
class Pipe(io.FileIO):
    def write(self, data):
        try:
            return super().write(data)
        except BrokenPipeError:
            raise OSError(errno.EINVAL, "Invalid argument") from None
sys.stdout = io.TextIOWrapper(io.BufferedWriter(Pipe(1, "w")))
"""


@pytest.fixture(autouse=True)
def texts(folder):
    write_lines(folder, TEXTS)


def as_on_windows(code, arguments, **options):
    return python("-c", f"{WINDOWS}{code}cybleu.__main__.main()", *arguments.split(), text=False, **options)


@pytest.mark.parametrize(
    "arguments",
    ["score систем ref --format json", "score nothing→ ref"],
)
def test_redirected_output_is_utf8_whatever_the_code_page(arguments):
    found = as_on_windows(CODE_PAGE, arguments, variables={"PYTHONIOENCODING": ""})
    expected = run(*arguments.split())
    assert (found.returncode, found.stdout.decode(), found.stderr.decode()) == (
        expected.exit_code,
        expected.stdout,
        expected.stderr,
    )


def test_an_encoding_that_the_user_chose_stays():
    found = as_on_windows(CODE_PAGE, "explain one ref --line 1", variables={"PYTHONIOENCODING": "cp1252:replace"})
    assert (found.returncode, b'"mat" "?"' in found.stdout) == (0, True)


def test_a_reader_that_went_away_is_no_message():
    read, write = os.pipe()
    os.close(read)
    with open(write, "w") as gone:
        done = as_on_windows(PIPE, "score one ref", stdout=gone)
    assert (done.returncode, done.stderr) == (1, b"")


def test_the_command_that_scores_the_same_way_has_double_quotes(monkeypatch):
    monkeypatch.setattr("cybleu._runtime.system.WINDOWS", True)
    result = run("tune", "mert", "list", "the ref", "--restarts", "0")
    assert 'run: cybleu score OUTPUT "the ref" -m ' in result.stderr


def test_the_command_of_a_report_has_double_quotes(folder, monkeypatch, no_pictures):
    monkeypatch.setattr("cybleu._runtime.system.WINDOWS", True)
    result = run("compare", "one", "систем", "-r", "the ref", "--report", "page.html")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "<code>cybleu compare one систем -r &#34;the ref&#34; --report page.html</code>" in page, result.stderr
