"""`extract` with pipes and damaged lists, and lists that are longer than a block."""

import os
import threading

import pytest

from cybleu._files import text
from cybleu.errors import FeatureError, InputFileError
from cybleu.nbest import NBest, extract
from nbest_lists import REFERENCES, line, same, written


@pytest.mark.thread_unsafe(reason="the size of a block is changed for the whole process")
@pytest.mark.parametrize("at_once", [20, 100])
@pytest.mark.parametrize(
    "lines",
    [
        line(1) + line(0),
        line(0) + line(1) + line(0),
        line(0, "it", "a=1") + line(2, "it", "a=1 b=2"),
        line(0, "it", "d= 1 p_a= 1") + line(0, "é", "d= 1") + line(1, "", "d= 1 p_b= 2 p_a= 1"),
    ],
    ids=["ids that fall", "ids that return", "a late name", "sparse names in another order"],
)
def test_the_size_of_a_block_makes_no_difference(tmp_path, monkeypatch, at_once, lines):
    path = written(tmp_path, lines)
    whole = NBest.from_files(path, REFERENCES)
    monkeypatch.setattr(text, "BLOCK", at_once)
    assert same(NBest.from_files(path, REFERENCES), whole)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_pipes(tmp_path):
    """A pipe as input is read only once, and a pipe as output is written to only when all features are known."""
    lines = line(1) + line(0)
    path = written(tmp_path, lines)
    pipe = tmp_path / "pipe"
    NBest.from_files(path, REFERENCES).to_moses(tmp_path / "wholeF", tmp_path / "wholeS")
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=[lines])
    writer.start()
    extract(pipe, REFERENCES, tmp_path / "F", tmp_path / "S", "moses")
    writer.join()
    assert (tmp_path / "F").read_bytes() == (tmp_path / "wholeF").read_bytes()
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    extract(path, REFERENCES, pipe, tmp_path / "S")
    reader.join()
    assert found == [(tmp_path / "wholeF").read_bytes()]


@pytest.mark.thread_unsafe(reason="the size of a block is changed for the whole process")
@pytest.mark.parametrize(
    ("lines", "error", "reason"),
    [
        (line(0) + line(1, features="d= 1 x lm= 3"), InputFileError, "list, line 2: .* 'd' 'x' is not a number"),
        (line(0) + line(1) + line(2, features="d= 1 2 lm= 3 d_0= 4"), FeatureError, "'d_0' is both dense and sparse"),
    ],
)
def test_what_is_wrong_leaves_the_files_as_they_were(tmp_path, lines, error, reason):
    for name in "FS":
        written(tmp_path, "old", name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "BLOCK", 20)
        with pytest.raises(error, match=reason):
            extract(written(tmp_path, lines), REFERENCES, tmp_path / "F", tmp_path / "S", "moses", threads=2)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"F": "old", "S": "old", "list": lines}
