"""Malicious and damaged files raise errors that name the file and the reason, with little memory."""

import errno
import gzip
import json
import os
import re
import subprocess
import sys
import textwrap

import pytest

from command_line import PEAK, peak, python
from cybleu import nbest
from cybleu._files.text import Lines
from cybleu._files.writing import check_paths, writing
from cybleu.errors import CybleuError, InputFileError
from cybleu.nbest import NBest, read_segments
from cybleu.tuning import read_weights
from marks import long

POSIX = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no `resource`, no named pipes, and links only for some"
)

MEBIBYTE = 1 << 20
LINE = b"0 ||| a b ||| d= 1 ||| 1\n"


def packed_bomb(path, content, times):
    """Write `times` gzip members of the same 16 MiB."""
    path.write_bytes(gzip.compress(content * (16 * MEBIBYTE // len(content))) * times)


READERS = {
    "references": lambda path: NBest.from_texts([], [path]),
    "list": lambda path: NBest.from_files(path, [["a b"]]),
    "segments": lambda path: list(nbest.read_segments(path, "moses")),
    "plain": lambda path: NBest.from_files(path, [["a b"]] * 9, "plain", size=1),
    "json": lambda path: list(read_segments(path, "json")),
    "json-list": lambda path: NBest.from_files(path, [["a b"]], "json"),
    "fairseq": lambda path: NBest.from_files(path, [["a b"]], "fairseq"),
    "extract": lambda path: nbest.extract(path, [["a b"]], f"{path}.features", f"{path}.scores"),
}


def peak_memory(path):
    """The messages of the readers about a file, and the peak memory in MiB of a process that calls them all."""
    script = f"""
        from test_hostile_files import READERS, InputFileError
        for name, read in READERS.items():
            try:
                read({str(path)!r})
            except InputFileError as error:
                print(name, error)
    """
    variables = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = python("-c", textwrap.dedent(script) + PEAK, variables=variables, check=True)
    *messages, _, memory = done.stdout.splitlines()
    assert [message.split()[0] for message in messages] == list(READERS)
    return messages, int(memory)


@pytest.mark.memory
@POSIX
@pytest.mark.parametrize("content", [b"\0", b"a a a a a a a a\n", LINE], ids=repr)
def test_what_unpacks_to_more_than_memory(tmp_path, content):
    path = tmp_path / "bomb.gz"
    packed_bomb(path, content, 64)
    messages, memory = peak_memory(path)
    for message in messages:
        # a reader of another format gives up at the first line
        assert re.search(rf"{path}, (after line .* more than 100 times its size, .*|line \d+: )", message), message
    assert "decompress it with gunzip first" in messages[0]
    assert memory < 1000


@pytest.mark.memory
@POSIX
def test_a_line_without_end(tmp_path):
    path = tmp_path / "endless"
    with path.open("wb") as file:
        file.truncate(1 << 32)  # sparse
    messages, memory = peak_memory(path)
    for message in messages:
        assert re.search(rf"{path}, line 1: longer than 67108864 bytes; is it a text file\?$", message)
    assert memory < 200


def long_lines():
    return [" ".join(f"w{seed * word % 4001}" for word in range(1, 20_001)) for seed in range(1, 65)]


@pytest.mark.memory
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak memory from /proc")
@pytest.mark.parametrize(
    ("command", "most"),
    [
        ("score --metric gleu texts texts", 100),
        ("score --metric gleu texts.gz texts.gz", 100),
        ("compare --metric gleu --samples 2 texts list -r texts", 150),
        ("rerank mbr --metric gleu list", 95),
    ],
)
def test_long_lines_do_not_add_up(tmp_path, command, most):
    """A block of segments is limited by its size, not by the number of segments.

    :param most: MiB, which blocks of 64, 512 or 16,384 segments exceed
    """
    lines = long_lines()
    text = "\n".join(lines)
    (tmp_path / "texts").write_text(text)
    (tmp_path / "texts.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "list").write_text("".join(f"{n} ||| {line} ||| lm= 1 ||| 1\n" for n, line in enumerate(lines)))
    assert peak(command.split(), tmp_path)[1] < most


def test_what_unpacks_to_much_more(tmp_path):
    path = tmp_path / "text.gz"
    packed_bomb(path, b"a" * MEBIBYTE + b"\n" + b"b" * (MEBIBYTE - 1), 2)
    with (
        Lines(str(path)) as file,
        pytest.raises(InputFileError, match=r"after line \d+: unpacks to more than 100 times"),
    ):
        list(file)


@pytest.mark.long
def test_the_longest_line(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"a\n" + b"b" * 64 * MEBIBYTE + b"\nc\n")
    with Lines(str(path)) as file:
        assert list(map(len, file)) == [1, 64 * MEBIBYTE, 1]


def test_a_longer_line(tmp_path):
    path = tmp_path / "text"
    with path.open("wb") as file:
        file.write(b"a\n")
        file.truncate(64 * MEBIBYTE + 3)  # sparse
    with Lines(str(path)) as file, pytest.raises(InputFileError, match="text, line 2: longer than 67108864 bytes"):
        list(file)


@pytest.mark.parametrize("cut", range(1, 30, 3))
@pytest.mark.parametrize("compressed", [False, True])
def test_files_that_were_cut_off(tmp_path, cut, compressed):
    """Files cut within a line, a character or a gzip block are never read as complete."""
    whole = "0 ||| ä 猫 😀 ||| d= 1 ||| 1\n0 ||| ü ||| d= 2 ||| 1.25".encode()
    data = gzip.compress(whole) if compressed else whole
    path = tmp_path / "list"
    path.write_bytes(data[:-cut])
    if not compressed and whole[:-cut].endswith((b"1.25", b"1.2", b"1.", b"|| 1", b"1\n")):
        assert len(NBest.from_files(path, [["a"]]).features) in (1, 2)  # nothing shows that more was meant
    else:
        with pytest.raises(InputFileError, match=re.escape(str(path))):
            NBest.from_files(path, [["a"]])


@POSIX
def test_what_is_written_is_whole_or_not_there(tmp_path):
    path = tmp_path / "list.gz"
    with pytest.raises(KeyboardInterrupt), writing(str(path)) as file:
        file.write("half\n")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    path.write_bytes(b"before")
    with pytest.raises(KeyboardInterrupt), writing(str(path)) as file:
        file.write("half\n")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"before" and list(tmp_path.iterdir()) == [path]


# ------------------------------------------------------------------------------------------- several outputs, and inputs


@POSIX
def test_where_nothing_can_be_written_is_said_before_anything_is(tmp_path):
    (tmp_path / "file").write_text("old\n")
    (tmp_path / "folder").mkdir()
    for path, reason in (
        (tmp_path / "gone" / "out", "No such file"),
        (tmp_path / "file" / "out", "Not a directory"),
        (tmp_path / "folder", "Is a directory"),
        ("nul\0", "null"),
        ("-", "it must be a file"),
    ):
        with pytest.raises(InputFileError, match=f"cannot be written: .*{reason}"):
            check_paths([str(tmp_path / "out"), str(path)])


def test_two_outputs_that_differ_in_case_where_the_system_ignores_it(tmp_path, monkeypatch):
    monkeypatch.setattr(os.path, "normcase", str.lower)
    with pytest.raises(InputFileError, match="NEW: two outputs would be written to the same file"):
        check_paths([str(tmp_path / "new"), str(tmp_path / "NEW")])


def test_a_device_without_a_path_of_its_own(monkeypatch):
    def failing(path):
        raise OSError(errno.EINVAL, "Incorrect function")

    monkeypatch.setattr(os.path, "realpath", failing)
    with pytest.raises(InputFileError, match="/dev/null: cannot be written: Incorrect function"), writing("/dev/null"):
        pass


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_folder_is_named_where_the_system_denies_access(tmp_path, monkeypatch, read):
    def denied(*arguments):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("cybleu._files.text.open", denied, raising=False)
    with pytest.raises(InputFileError, match="cannot be read: Is a directory"):
        read(tmp_path)


@POSIX
def test_a_file_of_the_user_beside_the_output(tmp_path):
    (tmp_path / "out").write_text("old\n")
    (tmp_path / "out").chmod(0o600)
    (tmp_path / "out.partial").write_text("mine\n")
    (tmp_path / "link").symlink_to("out")
    with writing(str(tmp_path / "link")) as file:
        file.write("new\n")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "out").read_text() == "new\n"
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "out.partial").read_text() == "mine\n"


def test_long_names(tmp_path):
    for name in ("\u6f22" * 80, "\U0001f600" * 60):
        with writing(str(tmp_path / name)) as file:
            file.write("text")
        assert name in {path.name for path in tmp_path.iterdir()}


@POSIX
@pytest.mark.parametrize("path", ["/dev/stdout", long("/dev/fd/1"), long("/proc/self/fd/1")])
def test_what_a_process_has_open(tmp_path, path):
    code = f"""
        import sys
        from cybleu._files.writing import writing
        print("before")
        sys.stdout.flush()
        with writing({path!r}) as file:
            file.write("new\\n")
        print("after")
    """
    with open(tmp_path / "out", "wb") as out:
        python("-c", textwrap.dedent(code), stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "before\nnew\nafter\n"


# ---------------------------------------------------------------------------------------------------------- foreign text


@pytest.mark.parametrize("name", ["\x1b[31mred", "x" * 1_000_000, "\x9b2J", "\u202egpj"])
def test_names_in_messages(tmp_path, name):
    path = tmp_path / "file"
    hypotheses = [{"text": "a", "features": {name: 1}}, {"text": "b", "features": {}}]
    for text, read in (
        (json.dumps({"hypotheses": hypotheses}), READERS["json"]),
        (f"{name} 1\n{name} 2\n", read_weights),
        (f"0 ||| a ||| {name}= x ||| 1\n", READERS["list"]),
        (f"{name} 0 1 1 lm \n", lambda path: NBest.from_moses(path, path)),
    ):
        path.write_text(text + "\n", encoding="utf-8")
        with pytest.raises(CybleuError) as caught:
            read(path)
        message = str(caught.value)
        assert len(message) < 2500 and message.isprintable()


def test_the_last_guard_of_messages():
    error = CybleuError("a\x1b[31m\x07\nb\u00e9\x85")
    assert str(error) == "a\\x1b[31m\\x07\nb\u00e9\\x85"
    long = str(CybleuError("begin" + "x" * 10**6 + "end"))
    assert len(long) < 2100
    assert long.startswith("beginx")
    assert long.endswith("xend")


@pytest.mark.long
@POSIX
def test_two_processes_leave_one_whole_file(tmp_path):
    code = f"""
        import sys
        from cybleu._files.writing import writing
        for _ in range(50):
            with writing({str(tmp_path / "out")!r}) as file:
                for _ in range(200):
                    file.write(sys.argv[1] * 500 + "\\n")
    """
    processes = [subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), letter]) for letter in "ab"]
    assert [process.wait() for process in processes] == [0, 0]
    text = (tmp_path / "out").read_text()
    assert text in {(letter * 500 + "\n") * 200 for letter in "ab"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
