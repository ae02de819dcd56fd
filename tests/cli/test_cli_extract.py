"""The command `extract`: files of features and statistics from an n-best list and references."""

from __future__ import annotations

import gzip
from functools import partial

import pytest

from command_line import run
from cybleu.nbest import NBest
from nbest_lists import line, written

pytestmark = pytest.mark.usefixtures("backend")


extract = partial(run, "tune", "extract")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "the cat sat down\nit rains\nso it is\n", "ref1")
    written(tmp_path, "a cat\nrain falls.\nso\n", "ref2")
    return tmp_path


FILES = ("--features-file", "F", "--scores-file", "S")


def test_extract(folder):
    text = line(1, "the cat") + line(3, "so\xa0it", "d= 4 5 lm= 6 p_x= 7")
    expected = NBest.from_files(written(folder, text), ["ref1", "ref2"], first_id=1, max_order=2, texts=False)
    assert extract("list", "ref1", "ref2", *FILES, "--first-id", 1, "--max-order", 2).exit_code == 0
    assert (folder / "F").read_text() == (
        "FEATURES_TXT_BEGIN_0 1 1 3 d_0 d_1 lm_0 \n1.0 2.0 3.0 \nFEATURES_TXT_END_0\n"
        "FEATURES_TXT_BEGIN_0 3 1 3 d_0 d_1 lm_0 \n4.0 5.0 6.0 p_x=7.0 \nFEATURES_TXT_END_0\n"
    )
    assert (folder / "S").read_text() == (
        "SCORES_TXT_BEGIN_0 1 1 5 BLEU\n2 2 1 1 2 \nSCORES_TXT_END_0\nSCORES_TXT_BEGIN_0 3 1 5 BLEU\n2 2 1 1 1 \nSCORES_TXT_END_0\n"
    )
    read = NBest.from_moses("F", "S", 3, first_id=1)
    assert (read.stats == expected.stats).all()
    rows = (folder / "S").read_text()
    assert extract("list", "ref1", "ref2", *FILES, "--first-id", 1, "--max-order", 2).exit_code == 0
    assert (folder / "S").read_text() == rows  # the name that it had before
    assert (
        extract(
            "-", "ref1", *FILES, "--first-id", 1, "--tokenize", "ascii", stdin=gzip.compress(text.encode())
        ).exit_code
        == 0
    )
    assert NBest.from_moses("F", "S", 3, first_id=1).stats[1, 0] == 1


def test_standard_input_is_read_once(folder):
    """Whatever has its name, and although the segments stand in no order."""
    written(folder, "", "-")
    assert extract("-", "ref1", *FILES, stdin=(line(1) + line(0)).encode()).exit_code == 0
    assert NBest.from_moses("F", "S").offsets.tolist() == [0, 1, 2]


def test_extract_in_threads(folder):
    path = written(folder, "".join(line(number // 100, "the cat") for number in range(300)))
    assert extract(path, "ref1", *FILES).exit_code == 0
    before = [(folder / name).read_bytes() for name in "FS"]
    assert extract(path, "ref1", *FILES, "--threads", 3).exit_code == 0
    assert [(folder / name).read_bytes() for name in "FS"] == before


def test_extract_plain(folder):
    written(folder, "it rains.\nrain\n" * 3, "plain")
    written(folder, "1 2\n3 4\n" * 3, "table")
    arguments = ("plain", "ref2", *FILES, "--size", 2, "--feature-table", "table", "--tokenize", "13a")
    assert extract(*arguments, "--reference-length", "shortest").exit_code == 0
    read = NBest.from_moses("F", "S")
    assert read.features.tolist() == [[1, 2], [3, 4]] * 3
    assert read.stats[:, 0].tolist() == [3, 1] * 3


@pytest.mark.real_data
def test_extract_from_real_lists(data, tmp_path):
    folder, files = data / "moses100", (tmp_path / "F.gz", tmp_path / "S.gz")
    arguments = "--features-file", files[0], "--scores-file", files[1]
    assert extract(folder / "nbest.gz", folder / "reference", *arguments).exit_code == 0
    expected, read = NBest.from_files(folder / "nbest.gz", folder / "reference"), NBest.from_moses(*files)
    assert read.features.tobytes() == expected.features.tobytes()
    assert read.stats.tobytes() == expected.stats.tobytes()


@pytest.mark.parametrize("option", ["--lowercase"])
def test_extract_in_lower_case(folder, option):
    written(folder, line(0, "The CAT") + line(0, "THE cat", "d= 3 2 lm= 3"), "upper")
    assert extract("upper", "ref1", *FILES, option).exit_code == 0
    assert NBest.from_moses("F", "S").stats[:, 2].tolist() == [2, 2]
    assert extract("upper", "ref1", *FILES).exit_code == 0
    assert NBest.from_moses("F", "S").stats[:, 2].tolist() == [0, 1]


def test_extract_without_duplicates(folder):
    same = line(0, "the cat", "d= 1 2 lm= 3 p_a= 1")
    written(folder, same + line(0, "a cat", "d= 1 2 lm= 3 p_a= 2") + same + same.replace("0", "1", 1), "twice")
    assert extract("twice", "ref1", *FILES, "--unique").exit_code == 0
    assert NBest.from_moses("F", "S").offsets.tolist() == [0, 2, 3]
    assert extract("twice", "ref1", *FILES).exit_code == 0
    assert NBest.from_moses("F", "S").offsets.tolist() == [0, 3, 4]
