"""`cybleu score` on columns of a Parquet file, against the same lines in text files."""

import json
from functools import partial

import pytest

import command_line
from cybleu.cli import parquet

HYPOTHESES = ["The cat is on a mat.", "A dog sat", "", "so it was said again and again"]
REFERENCES = ["The cat is on the mat.", "The dog sat", "nothing", "so it was said again and then again"]
OTHERS = ["There is a cat", None, "x", "it was said again"]


@pytest.fixture
def folder(folder, monkeypatch, pyarrow):
    from pyarrow.parquet import write_table

    monkeypatch.setattr(parquet, "ROWS", 3)
    columns = {"hyp": HYPOTHESES, "ref": REFERENCES, "other": OTHERS, "number": [1, 2, 3, 4]}
    both = [[one, other] for one, other in zip(REFERENCES, OTHERS)]
    write_table(pyarrow.table({**columns, "both": both}), "texts.parquet")
    command_line.write_lines(folder, {"hyp": HYPOTHESES, "ref": REFERENCES})
    return folder


run = partial(command_line.run, "score")


@pytest.mark.parametrize(
    "options",
    [
        "--format json --segments",
        "--lowercase --metric mteval-v13a",
        "--tokenize none --threads 2",
    ],
)
def test_equal_to_files_of_text(folder, options):
    files = run(*options.split(), "hyp", "ref")
    columns = run(*options.split(), "texts.parquet:hyp", "texts.parquet:ref")
    assert files.exit_code == 0, files.stderr
    assert columns.stdout.replace("texts.parquet:", "") == files.stdout


def test_systems_in_columns(folder):
    files, columns = (
        command_line.run("compare", f"one={prefix}hyp", f"two={prefix}ref", "-r", f"{prefix}ref", "--samples", 50)
        for prefix in ("", "texts.parquet:")
    )
    assert (columns.exit_code, columns.stdout) == (0, files.stdout)


def test_lists_and_nulls_of_references(folder):
    several, lists = (
        json.loads(run("--format", "json", "texts.parquet:hyp", *names).stdout)
        for names in (["texts.parquet:ref", "texts.parquet:other"], ["texts.parquet:both"])
    )
    assert several.pop("references") == ["texts.parquet:ref", "texts.parquet:other"]
    assert lists.pop("references") == ["texts.parquet:both"]
    assert several == lists
    assert "nrefs:var" in several["signature"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("texts.parquet:hyp ref", "columns of one Parquet file"),
        ("texts.parquet ref", "texts.parquet: name a column of the Parquet file: texts.parquet:COLUMN"),
        ("texts.parquet:hyp other.parquet:ref", "columns of one Parquet file"),
        ("texts.parquet:x texts.parquet:ref", "no column 'x'; it has 'hyp'"),
        ("texts.parquet:number texts.parquet:ref", "whole numbers"),
        ("texts.parquet:other texts.parquet:ref", "texts.parquet:other[1] is null"),
        ("texts.parquet:hyp texts.parquet:other", "texts.parquet:other[1] has no reference"),
        ("gone.parquet:hyp gone.parquet:ref", "gone.parquet"),
        ("none.parquet:hyp none.parquet:ref", "none.parquet"),
    ],
)
def test_what_cannot_be_read(folder, arguments, message):
    (folder / "none.parquet").write_text("no Parquet")
    result = run(*arguments.split())
    assert result.exit_code != 0
    assert message in result.stderr


def test_a_file_of_text_may_have_any_name(folder):
    (folder / "text.parquet").write_text("a b c d\n")
    assert " = 100.00 " in run("text.parquet", "text.parquet").stdout
