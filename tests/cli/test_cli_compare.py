"""`cybleu compare`, through its entry point."""

import gzip
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

import command_line
import cybleu
from cybleu import __version__
from cybleu.significance import Settings, compare_systems
from reports import changed, lines_of

run = partial(command_line.run, "compare")
LINES = 14  # of which more shuffles are possible than the command samples


@pytest.fixture
def files(folder):
    texts = {"ref1": lines_of(0, LINES), "ref2": lines_of(1, LINES)}
    for name, every in (("a.txt", 2), ("b", 3), ("c", 4), ("c2", 5)):
        texts[name] = changed(texts["ref1"], every, every)
    command_line.write_lines(folder, texts)
    return {name: [line.split() for line in lines] for name, lines in texts.items()}


def expected(files, *, references=("ref1",), **choices):
    lists = [list(texts) for texts in zip(*(files[name] for name in references))]
    order = choices.get("max_order", 4)
    rows = {name: cybleu.rows(files[name], lists, max_order=order) for name in ("a.txt", "b", "c", "c2")}
    return compare_systems({"a": rows["a.txt"], "b": rows["b"], "mine": [rows["c"], rows["c2"]]}, **choices)


SYSTEMS = "a.txt", "b", "mine=c,c2"


def test_the_tables(files):
    found = expected(files)
    note = f"{found.signature}|nrefs:1|case:mixed|tok:13a|version:{__version__}"
    assert run(*SYSTEMS, "-r", "ref1").stdout == f"{replace(found, signature=note)}\n"
    found = expected(files, settings=Settings(samples=50))
    arguments = *SYSTEMS, "-r", "ref1", "--samples", 50, "--format"
    assert run(*arguments, "markdown", "--digits", 1).stdout.startswith(found.to_markdown(1).split("\n\n")[0])
    assert run(*arguments, "latex").stdout.startswith(found.to_latex().split("\n\n")[0])
    named = run(*arguments, "latex", "--caption", "50 % of all", "--label", "mine").stdout
    assert (
        r"\caption{50 \% of all. The best" in named
        and r"\label{tab:mine}" in named
        and r"\label{tab:mine-tests}" in named
    )


FEW = "--samples", "20"
SEVERAL = *FEW, "--metric", "BLEU,ter,mteval-v13a"


@pytest.mark.parametrize("more", [["--lowercase"], ["--tokenize", "zh"]], ids=str)
def test_several_metrics_have_the_numbers_that_each_has_alone(files, more):
    arguments = [*SYSTEMS, "-r", "ref1", "-r", "ref2", "--format", "json"]
    found = json.loads(run(*arguments, *SEVERAL, *more).stdout)
    for name, ours in zip(["BLEU", "ter", "mteval-v13a"], found, strict=True):
        of_metric = [] if name == "ter" and "zh" in more else more
        assert ours == json.loads(run(*arguments, *FEW, "--metric", name, *of_metric).stdout)


def test_several_metrics_are_in_one_table(files):
    found = json.loads(run(*SYSTEMS, "-r", "ref1", *SEVERAL, "--format", "json").stdout)
    scores = [f"{system['score']:.2f}" for of_metric in found for system in of_metric["systems"]]
    for form, title in (("text", "BLEU (sacrebleu) ↑"), ("latex", r"TER $\downarrow$ & $p$"), ("markdown", "TER ↓")):
        shown = run(*SYSTEMS, "-r", "ref1", *SEVERAL, "--format", form).stdout
        assert title in shown and all(score in shown for score in scores)


def test_a_pipe_is_read_once_for_several_metrics(files):
    piped = run("a.txt", "b", "-r", "-", *SEVERAL, stdin=Path("ref1").read_bytes())
    assert piped.stdout == run("a.txt", "b", "-r", "ref1", *SEVERAL).stdout


def test_options(files):
    how = {"metric": "nltk", "smoothing": "method1", "max_order": 2, "baseline": "b"}
    settings = Settings(test="shifted-bootstrap", samples=100, seed=3)
    found = expected(files, references=("ref1", "ref2"), **how, settings=settings)
    options = (
        "--metric nltk --smoothing method1 --max-order 2 --baseline b --test shifted-bootstrap --samples 100 --seed 3"
    )
    more = "--threads 2 --format json --influence"
    result = run(*SYSTEMS, "--references", "ref1", "-r", "ref2", *options.split(), *more.split())
    data = json.loads(result.stdout)
    assert data["differences"] == found.as_dict(influence=True)["differences"]
    assert data["systems"] == json.loads(found.to_json())["systems"]
    assert "|nrefs:2|case:mixed|tok:none|" in data["signature"]


@pytest.mark.parametrize(
    "arguments",
    [
        (*SYSTEMS, "-r", "ref1", "-r", "ref2"),
        ("-r", "ref1", "-r", "ref2", "--seed", "12345", *SYSTEMS),
        ("--references=ref1", "-rref2", "--", *SYSTEMS),
    ],
)
def test_an_option_for_each_file_of_references(files, arguments):
    result = run("--format", "csv", "--samples", 50, *arguments)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == expected(files, references=("ref1", "ref2"), settings=Settings(samples=50)).to_csv()


@pytest.mark.parametrize(
    ("name", "options", "theirs"),
    [
        ("bleu", [], BLEU()),
        ("bleu", ["--lowercase", "--tokenize", "intl"], BLEU(lowercase=True, tokenize="intl")),
        ("chrf++", [], CHRF(word_order=2)),
        ("ter", [], TER()),
    ],
    ids=["bleu", "bleu of intl", "chrf++", "ter"],
)
def test_the_signature_of_sacrebleu_is_printed_too(files, name, options, theirs):
    theirs.corpus_score(["a b c d"], [["a b c d"], ["a b"]])
    arguments = *SYSTEMS, "-r", "ref1", "-r", "ref2", "-m", name, *options, "--samples", 9
    assert f"\n{theirs.get_signature()}|cybleu:{__version__}\n" in run(*arguments).stdout
    other = run(*SYSTEMS, "-r", "ref1", "-m", "nltk", "--samples", 9).stdout
    assert "version:2.6.0" not in other


def test_a_file_name_may_hold_an_equals_sign(folder):
    command_line.write_lines(folder, {"lr=0.1.txt": ["a b", "c"], "lr=1.txt": ["a", "c"], "of lr": ["a b", "c"]})
    done = run("lr=0.1.txt", "lr=1.txt", "-r", "of lr", "--samples", 10, "--format", "json")
    assert done.exit_code == 0 and '"lr=0.1"' in done.stdout


def test_the_name_of_a_packed_text_has_no_suffixes(folder):
    (folder / "old.txt.gz").write_bytes(gzip.compress(b"a b\nc\n"))
    command_line.write_lines(folder, {"new.txt": ["a", "c"], "ref": ["a b", "c"]})
    done = run("old.txt.gz", "new.txt", "-r", "ref", "--samples", 10, "--format", "json")
    assert {system["name"] for system in json.loads(done.stdout)["systems"]} == {"old", "new"}
