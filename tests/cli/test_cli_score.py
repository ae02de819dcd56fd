"""The command line, through its entry point."""

import gzip
import json
import re
from pathlib import Path

import pytest
import sacrebleu
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

import command_line
import cybleu
from cybleu import __version__, explain, explain_difference
from cybleu.metrics import METRICS, VARIANTS, Bleu, find
from cybleu.significance import bootstrap

HYPOTHESES = ["the cat is on a mat", "a dog sat", "", "so it was said again and again"]
FIRST = ["the cat is on the mat", "the dog sat", "nothing", "so it was said again and then again"]
SECOND = ["there is a cat on the mat", "a dog sits", "empty", "it was said again and again"]


@pytest.fixture
def files(folder):
    command_line.write_lines(folder, {"hyp": HYPOTHESES, "ref1": FIRST, "ref2": SECOND})
    return folder


def run(*arguments, stdin=None, command="score"):
    return command_line.run(command, *arguments, stdin=stdin)


def as_json(*arguments):
    result = run("--format", "json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_line(files):
    theirs = sacrebleu.BLEU(tokenize="none").corpus_score(HYPOTHESES, [FIRST, SECOND])
    line = run("hyp", "ref1", "ref2").stdout
    assert line == (
        "BLEU|variant:sacrebleu|order:4|weights:uniform|smooth:exp|eff:no|nrefs:2|case:mixed|tok:13a|"
        f"version:{__version__}"
        f" = {theirs.score:.2f} {theirs._verbose}\n"
    )


@pytest.mark.parametrize(
    ("options", "metric"),
    [
        ("--metric nltk --smoothing method1", Bleu("nltk", "method1")),
        ("--metric mteval-v13a", Bleu("mteval-v13a", tokenize="13a")),
        ("--metric moses --weights 1,0,0,0", Bleu("moses", weights=(1, 0, 0, 0))),
        ("--metric huggingface", Bleu("huggingface", tokenize="13a", reference_length="shortest")),
        ("--metric arithmetic-mean --tokenize none", Bleu("arithmetic-mean")),
        ("--smoothing floor --smoothing-value 0.5", Bleu("sacrebleu", "floor", 0.5, tokenize="13a")),
        ("--reference-length shortest --max-order 2", Bleu(reference_length="shortest", max_order=2, tokenize="13a")),
        ("--tokenize zh --lowercase", Bleu(tokenize="zh", lowercase=True)),
        ("--max-order 64", Bleu(max_order=64, tokenize="13a")),
        ("--metric gleu", find("gleu")),
        ("--metric chrf++ --lowercase", find("chrf++", lowercase=True)),
        ("--metric nist --lowercase", find("nist", lowercase=True)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_scores_are_those_of_the_library(files, options, metric):
    raw = metric.reads == "text" or metric.tokenize
    texts = [hypothesis if raw else hypothesis.split() for hypothesis in HYPOTHESES]
    lists = [[one if isinstance(texts[0], str) else one.split() for one in pair] for pair in zip(FIRST, SECOND)]
    rows = metric.rows(texts, lists)
    assert as_json("hyp", "ref1", "ref2", *options.split())["score"] == 100 / metric.scale * metric.score(rows).score
    found = as_json("hyp", "ref1", "ref2", *options.split(), "--segments")["segment_scores"]
    assert found == (100 / metric.scale * metric.of_sentences().scores(rows)).tolist()


def test_smoothing_with_the_segments_is_nltks(files):
    found = as_json("hyp", "ref1", *"--metric nltk --smoothing method5 --max-order 2".split())
    texts = [[line.split()] for line in FIRST], [line.split() for line in HYPOTHESES]
    assert found["score"] == 100 * corpus_bleu(*texts, (0.5, 0.5), SmoothingFunction().method5)


def test_standard_input_and_gzip(files):
    packed = gzip.compress((files / "ref1").read_bytes())
    assert run("hyp", "-", "ref2", stdin=packed).stdout == run("hyp", "ref1", "ref2").stdout


@pytest.mark.parametrize(
    ("line", "options", "metric"),
    [
        (3, "", Bleu()),
        (1, "--smoothing floor --smoothing-value 0.5 --max-order 2", Bleu("sacrebleu", "floor", 0.5, max_order=2)),
        (4, "--metric moses --smoothing add --weights 0.5,0.3,0.2", Bleu("moses", "add", weights=(0.5, 0.3, 0.2))),
    ],
)
def test_a_line_as_explain_shows_it(files, line, options, metric):
    result = run("hyp", "ref1", "ref2", "--line", line, *options.split(), command="explain")
    references = [texts[line - 1].split() for texts in (FIRST, SECOND)]
    assert result.stdout == f"{explain(HYPOTHESES[line - 1].split(), references, metric=metric)}\n"
    assert (result.exit_code, result.stderr) == (0, "")


def test_variants(files):
    printed = run("hyp", "ref1", "ref2", "--tokenize", "none", command="variants").stdout
    references = [[r.split() for r in pair] for pair in zip(FIRST, SECOND)]
    comparison = explain_difference([h.split() for h in HYPOTHESES], references)
    assert printed.replace("  none   ", "  -      ") == f"{comparison.format('line', 1)}\n"
    assert "2 lines (2, 3): " in printed


def test_only_rules_of_orders_have_orders_in_json(files):
    (files / "marks").write_text("".join(f"{line}!\n" for line in HYPOTHESES))
    printed = run("marks", "ref1", "--metric", "nltk,sacrebleu", "--format", "json", command="variants").stdout
    causes = json.loads(printed)["differences"][0]["causes"]
    assert {cause["rule"]: cause["orders"] for cause in causes} == {"tokenize": [], "short_segments_count": [2, 3, 4]}


def test_variants_when_a_tool_fails(files):
    (files / "blank").write_text("\n" * len(HYPOTHESES))
    arguments = "blank", "ref1", "--metric", "multi-bleu", "--metric", "moses"
    failed, scored = json.loads(run(*arguments, "--format", "json", command="variants").stdout)["scores"]
    assert (failed["score"], failed["signature"], scored["score"]) == (None, None, 0)
    assert failed["failure"].startswith("the hypotheses have no token")
    shown = run(*arguments, command="variants").stdout
    assert re.search("multi-bleu +ascii +fails  the hypotheses have no token", shown)


@pytest.mark.thread_unsafe(reason="the command writes to the standard output of the process")
@pytest.mark.parametrize(
    ("metric", "papers"),
    [
        ([], ["papineni-2002", "post-2018"]),
        (["nltk:method1"], ["papineni-2002", "chen-cherry-2014"]),
        (["metric:chrf|nc:6|nw:2|beta:2|eff:yes"], ["popovic-2015", "popovic-2017"]),
        (["BLEU|variant:moses|order:4|smooth:none"], ["papineni-2002", "koehn-2007"]),
        (["gleu"], ["wu-2016"]),
        # signatures of sacreBLEU
        (["BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"], ["papineni-2002", "post-2018"]),
        (["nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0"], ["popovic-2015"]),
        (["chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0"], ["popovic-2015"]),
        (["chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0"], ["popovic-2015", "popovic-2017"]),
        (["TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0"], ["snover-2006"]),
    ],
)
def test_citations(metric, papers):
    done = run(*metric, command="--cite")
    assert done.exit_code == 0
    assert re.findall(r"^@\w+\{([^,]+),", done.stdout, re.MULTILINE) == ["cybleu", *papers]
    assert f"version = {{{__version__}}}" in done.stdout


@pytest.mark.thread_unsafe(reason="the command writes to the standard output of the process")
def test_every_metric_has_a_citation():
    for name, metric in METRICS.items():
        done = run(name, command="--cite")
        assert done.exit_code == 0, name
        assert run(metric.signature, command="--cite").stdout == done.stdout


def test_the_file_with_the_citation_names_this_version():
    text = (Path(__file__).parents[2] / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in text


def test_a_byte_order_mark_is_part_of_the_first_token_as_in_the_tools(files):
    text = (files / "hyp").read_text(encoding="utf-8")
    (files / "marked").write_text("\ufeff" + text, encoding="utf-8")
    lines = [("\ufeff" + text).splitlines(), (files / "ref1").read_text(encoding="utf-8").splitlines()]
    expected = sacrebleu.corpus_bleu(lines[0], [lines[1]], tokenize="none").score
    kept = run("marked", "ref1", "--format", "json")
    assert json.loads(kept.stdout)["score"] == expected
    assert kept.stderr.startswith(
        "cybleu: 'marked' begins with a byte order mark, which is read as part of the first token"
    )
    dropped = run("marked", "ref1", "--drop-bom")
    plain = run("hyp", "ref1")
    assert (dropped.stdout, dropped.stderr) == (plain.stdout, "cybleu: hypotheses: marked; references: ref1\n")
    assert "--drop-bom" in run("marked", "ref1", command="variants").stderr


RAW = [
    "The cat, it sat.",
    "It costs 3.5 %\u00a0today.",
    "«Straße» in 2023.",
    "a\u2028b <skipped>&amp;",
    "",
    "ÄÖÜ İ end.",
]
RAW_REF = ["The cat sat.", "It costs 3,5 % today", "Straße, 2023 .", "a b &", "x", "äöü i̇ end."]


@pytest.fixture
def raw_files(folder):
    for name, lines in (("raw", RAW), ("raw.ref", RAW_REF)):
        (folder / name).write_bytes("".join(f"{line}\n" for line in lines * 7).encode())
    return folder


@pytest.mark.parametrize("options", [[], ["--lowercase", "--tokenize", "ascii"]], ids=["", "options"])
def test_variants_of_raw_files_have_the_numbers_of_the_tools(raw_files, options):
    every = "--metric", ",".join(VARIANTS)
    found = json.loads(run("raw", "raw.ref", *every, *options, "--format", "json", command="variants").stdout)
    assert found["segments"] == 42 and [scored["name"] for scored in found["scores"]] == list(VARIANTS)
    for scored in found["scores"]:
        alone = as_json("raw", "raw.ref", "--metric", scored["name"], *options)
        assert scored["score"] == alone["score"]
        assert f"|tok:{scored['tokenize'].removesuffix(' (mteval)')}|" in alone["signature"]


@pytest.mark.parametrize("options", ["", "--lowercase", "--tokenize char", "--tokenize 13a --lowercase"])
def test_variants_of_many_blocks(raw_files, monkeypatch, options):
    arguments = "raw", "raw.ref", "--max-order", 2, *options.split()
    whole = run(*arguments, command="variants").stdout
    monkeypatch.setattr("cybleu._files.text.BLOCK", 16)
    assert run(*arguments, command="variants").stdout == whole != ""


def test_advice(folder):
    (folder / "tokenised").write_text("it is so .\n" * 100)
    (folder / "raw").write_text("it is so.\n" * 100)
    (folder / "half").write_text("it is so.\nit is so\n" * 100)
    assert "the text looks tokenised" in run("tokenised", "raw").stderr
    assert "the text does not look tokenised; use --tokenize 13a" in run("raw", "raw", "--tokenize", "none").stderr
    for name, options in (("raw", []), ("tokenised", ["--tokenize", "none"]), ("half", ["--tokenize", "none"])):
        assert run(name, name, *options).stderr == f"cybleu: hypotheses: {name}; references: {name}\n"
    assert "cybleu: the weights add up to 1.1, not 1" in run("raw", "raw", "--weights", "0.6,0.5").stderr
    assert "weights" not in run("raw", "raw", "--weights", "0.5,0.5").stderr


@pytest.mark.parametrize(
    ("name", "line", "kind"),
    [("a.csv", "1,a b", "CSV"), ("a.tsv", "1\ta b", "a table with tabs"), ("a.txt", '{"text": "a b"}', "JSON lines")],
)
def test_tables_given_as_text_are_noticed(folder, name, line, kind):
    command_line.write_lines(folder, {name: [line], "same": [line.replace("{", "(")]})
    said = run(name, "same", "--tokenize", "none").stderr
    assert f"'{name}' looks like {kind}, but each of its lines is read as a text" in said and said.count("looks") == 1


@pytest.mark.parametrize(
    ("names", "options", "of_tokens"),
    [
        ("BLEU,chrf,TER,gleu,chrF2++", [], []),
        ("sacrebleu,mteval-v13a,ter,chrf++", ["--lowercase"], ["--max-order", "2"]),
        ("nltk,ter,chrf", ["--segments", "--threads", "2"], ["--smoothing", "method5"]),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_several_metrics(raw_files, names, options, of_tokens):
    """Each has the result that it has alone, and options that only some have are for these."""
    found = as_json("raw", "raw.ref", "--metric", names, *options, *of_tokens)
    for name, ours in zip(names.split(","), found, strict=True):
        takes = name.lower() not in ("ter", "chrf", "chrf++", "chrf2++")
        assert ours == as_json("raw", "raw.ref", "--metric", name, *options, *(of_tokens if takes else []))
    lines = run("raw", "raw.ref", "--metric", names, *options, *of_tokens).stdout.splitlines()
    segments = found[0].get("segment_scores")
    assert len(lines) == len(segments or found)
    assert len(lines[0].split("\t")) == (len(found) if segments else 1)


def test_intervals_as_sacrebleu(raw_files, monkeypatch):
    options = "--metric bleu,chrf,ter --confidence --confidence-n 50 --seed 7".split()
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    printed = run("raw", "raw.ref", *options, "--digits", 4).stdout.splitlines()
    metrics = sacrebleu.BLEU(), sacrebleu.CHRF(), sacrebleu.TER()
    for found, line, metric in zip(as_json("raw", "raw.ref", *options), printed, metrics, strict=True):
        theirs = metric.corpus_score(RAW * 7, [RAW_REF * 7], 50)
        expected = theirs.score, float(theirs._mean), float(theirs._ci)
        assert (found["score"], found["confidence_mean"], found["confidence_var"]) == expected
        assert line.endswith(theirs.format(4).partition(" = ")[2]) and "|bs:50|seed:7|" in line


def test_intervals_of_another_metric_are_of_the_bootstrap(raw_files):
    found = as_json("raw", "raw.ref", *"--metric nltk --confidence --confidence-n 50 --seed 7".split())
    rows = cybleu.rows([line.split() for line in RAW * 7], [[line.split()] for line in RAW_REF * 7])
    assert found["confidence_mean"] == 100 * bootstrap(rows, "nltk", samples=50, seed=7).mean


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_the_interval_of_one_segment_is_empty_as_in_sacrebleu(folder, metric):
    command_line.write_lines(folder, {"one": ["the cat sat on a mat"], "one.ref": ["the cat sat on the mat."]})
    assert " ± 0.00)" in run("one", "one.ref", "--metric", metric, "--confidence").stdout
