"""Commands on lists that fairseq and Sockeye print."""

from __future__ import annotations

import json

import pytest

from command_line import run
from cybleu.nbest import NBest

pytestmark = [
    pytest.mark.usefixtures("backend"),
    pytest.mark.thread_unsafe(reason="commands write to the standard output of the process"),
]

LISTS = {
    "fairseq": "S-0\tx\nH-0\t-0.5\tthe cat sat\nH-0\t-1.5\tthe cat sat down\n",
    "json": '{"sentence_id": 0, "translation": "the cat sat", "translations": ["the cat sat", "the cat sat down"], "scores": [-0.5, -1.5]}\n',
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_other_programs(tmp_path, name):
    (tmp_path / "list").write_text(LISTS[name])
    (tmp_path / "ref").write_text("the cat sat down\n")
    options = tmp_path / "list", tmp_path / "ref", "--format", name
    found = json.loads(
        run(
            "tune",
            "mert",
            *options,
            "--metric",
            "sacrebleu",
            "--smoothing",
            "floor",
            "--output-format",
            "json",
            "--quiet",
        ).stdout
    )
    assert found["weights"]["score"] < 0 and found["score"] > found["start_score"]
    files = "--features-file", tmp_path / "F", "--scores-file", tmp_path / "S"
    assert run("tune", "extract", *options, *files).exit_code == 0
    assert NBest.from_moses(tmp_path / "F", tmp_path / "S").features.tolist() == [[-0.5], [-1.5]]
    assert run("rerank", "oracle", *options, "--metric", "sacrebleu").stdout == "the cat sat down\n"
