"""The command on unusual files of raw text: the right score or one message, with little memory."""

import bz2
import gzip
import json
import lzma
import subprocess
import sys
from functools import partial

import pytest
import sacrebleu

import cybleu
from command_line import peak, run

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes and no `resource`")

MARK = "\ufeff"
# Texts of which each line, and each character, is as it is.
TEXTS = {
    "NUL": ["The \0 cat, a\0b.", "It sat.\0"],
    "U+2028": ["The\u2028cat sat.\u2029", "It\x0bsat\x0c on\x1c 3.\x85"],
    "CR": ["The\rcat sat.", "It sat,\r\rall day"],
    "BOM": [f"{MARK}The cat sat.", f"It {MARK} sat."],
    "empty lines": ["", " ", "The cat sat.", ""],
    "beyond the first plane": ["The \U0001f600 cat\U0001f600.", "\U0002a6d6\U00020000 sat"],
}


score = partial(run, "score")


@pytest.mark.parametrize(("tokenize", "threads"), [("none", 3), ("char", 1)])
@pytest.mark.parametrize("name", TEXTS)
def test_characters_and_line_ends(folder, name, tokenize, threads):
    lines = [line.removesuffix("\r") for line in TEXTS[name]] * 3
    others = [line and line[:-1] + "x" for line in lines]
    expected = sacrebleu.corpus_bleu(lines, [others], tokenize=tokenize, force=True)
    for end, last in (("\n", "\n"), ("\n", ""), ("\r\n", "\r\n"), ("\r\n", "")):
        if name == "empty lines" and not last:
            continue  # the last line would be none
        text = (end.join(lines) + last).encode()
        (folder / "hyp").write_bytes(text)
        (folder / "hyp.gz").write_bytes(gzip.compress(text))
        (folder / "ref").write_bytes((end.join(others) + last).encode())
        arguments = "ref", "--tokenize", tokenize, "--threads", threads, "--format", "json"
        for result in (score("hyp", *arguments), score("hyp.gz", *arguments), score("-", *arguments, stdin=text)):
            found = json.loads(result.stdout)
            assert (found["score"], found["segments"]) == (expected.score, len(lines))
            assert found["hypothesis_length"] == expected.sys_len


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("place", [1, 2, 3000, 20_000])
def test_the_line_that_is_not_utf8_is_named(folder, place, threads):
    lines = [b"the cat, it sat on the mat"] * 20_000
    (folder / "whole").write_bytes(b"\n".join(lines))
    for byte in (b"\xff", b"\xed\xa0\x80", b"\xe2\x82"):
        lines[place - 1] = b"a" + byte
        (folder / "damaged").write_bytes(b"\n".join(lines))
        for arguments in (("damaged", "whole"), ("whole", "damaged")):
            result = score(*arguments, "--threads", threads)
            assert (result.exit_code, result.stdout) == (2, "")
            assert result.stderr == (
                f"cybleu: error: damaged, line {place}: not UTF-8 text: byte 0x{byte[0]:02x}; "
                "convert the file, with iconv for example\n"
            )


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("\ufeff猫", "utf-16-le"),
        ("\ufeff猫", "utf-16-be"),
        ("a cat → mat\n", "utf-16-le"),
        ("a cat → mat\n", "utf-16-be"),
    ],
)
def test_utf16_is_named_if_it_has_a_mark_or_ascii_characters(folder, text, encoding):
    (folder / "hyp").write_bytes(text.encode(encoding))
    result = score("hyp", "hyp")
    assert result.exit_code == 2 and "it looks like UTF-16" in result.stderr


@pytest.mark.parametrize(
    "packed",
    [lzma.compress(b"a cat"), bz2.compress(b"a cat"), b"(\xb5/\xfd", b"PK\3\4\0\0\xe9"],
    ids=["xz", "bz2", "zst", "zip"],
)
def test_what_other_programs_compressed_is_named(folder, packed):
    (folder / "hyp").write_bytes(packed)
    result = score("hyp", "hyp")
    assert result.exit_code == 2 and "it looks compressed" in result.stderr


@pytest.mark.long
@POSIX
@pytest.mark.parametrize("threads", ["1", "2"])
def test_pipes_that_close(folder, threads):
    (folder / "ref").write_text("the cat sat\n" * 20_000)
    command = [sys.executable, "-m", "cybleu", "score", "--threads", threads]
    # what is read ends in the middle of a line
    with subprocess.Popen([*command, "-", "ref"], stdin=-1, stdout=-1, stderr=-1, cwd=folder, text=True) as running:
        output, errors = running.communicate("the cat sat\n" * 15_000 + "the c")
    assert (running.returncode, output) == (2, "")
    assert errors.endswith("a line is a segment: standard input: 15001, ref: 20000\n")
    # the output is not read
    with subprocess.Popen([*command, "--segments", "ref", "ref"], stdout=-1, stderr=-1, cwd=folder) as running:
        running.stdout.readline()
        running.stdout.close()
        errors = running.stderr.read()
    assert running.returncode != 0
    assert b"Traceback" not in errors


@pytest.mark.long
@pytest.mark.memory
@POSIX
def test_memory_is_flat(folder):
    for name, lines in (("few", 20_000), ("many", 400_000)):
        with open(folder / name, "w") as file:
            file.writelines(f"The cat no. {number} sat, all day, on 3.5 mats.\n" for number in range(lines))
    for options in ([], ["--threads", "2"], ["--tokenize", "none"]):
        few, many = (peak(["score", name, name, *options], folder) for name in ("few", "many"))
        assert few[0].partition(" = ")[2][:6] == many[0].partition(" = ")[2][:6] == "100.00"
        assert many[1] < few[1] + 20


@pytest.mark.long
@POSIX
def test_a_line_of_64_megabytes(folder):
    words = "The cat, it sat on 3.5 mats. "
    (folder / "long").write_text("first\n" + words * ((1 << 26) // len(words) - 1) + "\nlast\n")
    printed, memory = peak(["score", "long", "long", "--format", "json"], folder)
    found = json.loads(printed)
    assert (found["score"], found["segments"]) == (pytest.approx(100), 3)
    assert found["hypothesis_length"] == 2 + 9 * ((1 << 26) // len(words) - 1)
    assert memory < (2500 if cybleu.BACKEND == "cython" else 4500)  # the mirror holds a str for each word
    (folder / "one word").write_text("x" * ((1 << 26) - 1) + "\n")
    assert json.loads(peak(["score", "one word", "one word", "--format", "json"], folder)[0])["matches"] == [1, 0, 0, 0]
    (folder / "white").write_text(" " * ((1 << 26) - 1) + "\n")
    assert json.loads(peak(["score", "white", "white", "--format", "json"], folder)[0])["hypothesis_length"] == 0
