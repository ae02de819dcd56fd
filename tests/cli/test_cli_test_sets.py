"""Test sets of sacreBLEU on the command line, from a cache that the tests fill."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest
import sacrebleu
from sacrebleu import utils
from sacrebleu.dataset import DATASETS

import command_line

pytestmark = [
    pytest.mark.usefixtures("backend"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sacreBLEU leaves its files open
]

SOURCE = ["The cat sat .", "It rains today.", "Nobody knows it.", "So it was said."]
REFERENCE = ["Die Katze saß.", "Heute regnet es.", "Niemand weiß es.", "So wurde es gesagt."]
CHINESE = ["猫坐着。", "今天下雨。", "没有人知道。", "据说是这样。"]
HYPOTHESES = ["Die Katze saß da.", "Heute regnet es.", "Das weiß niemand.", "Es wurde so gesagt ."]
ORIGLANGS = ["en", "de"]


def documents(lines, tag, language):
    """A file of the old format, with two documents of two segments."""
    parts = [f'<{tag} setid="x" srclang="en" trglang="{language}">']
    for number, origin in enumerate(ORIGLANGS):
        parts.append(f'<doc sysid="ref" docid="bbc.{number}" genre="news" origlang="{origin}">')
        parts += [f'<seg id="{n}">{line}</seg>' for n, line in enumerate(lines[2 * number : 2 * number + 2], 1)]
        parts.append("</doc>")
    return "".join(f"{part}\n" for part in [*parts, f"</{tag}>"])


def xml(references):
    """A file of the newer format, whose documents have domains."""
    parts = ['<dataset id="x">']
    for number, origin in enumerate(ORIGLANGS):
        parts.append(f'<doc id="d{number}" origlang="{origin}" domain="{["news", "social"][number]}">')
        for tag, attributes, lines in (
            ("src", "", SOURCE),
            *(("ref", f' translator="{one}"', x) for one, x in references),
        ):
            parts.append(f'<{tag} lang="{"en" if tag == "src" else "de"}"{attributes}><p>')
            parts += [f'<seg id="{n}">{lines[2 * number + n - 1]}</seg>' for n in (1, 2)]
            parts.append(f"</p></{tag}>")
        parts.append("</doc>")
    return "\n".join([*parts, "</dataset>"])


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of sacreBLEU as it is after a download, and the hypotheses."""
    monkeypatch.chdir(tmp_path)
    command_line.write_lines(tmp_path, {"hyp": HYPOTHESES, "other": REFERENCE[::-1], "zh": CHINESE, "ref": REFERENCE})
    command_line.write_lines(tmp_path, {"twice": HYPOTHESES * 2})
    folder = tmp_path / "cache"
    monkeypatch.setattr(utils, "SACREBLEU_DIR", str(folder))
    contents = {
        "wmt17": {
            pair: [documents(SOURCE, "srcset", lines[0]), documents(lines[1], "refset", lines[0])]
            for pair, lines in {"en-de": ("de", REFERENCE), "en-zh": ("zh", CHINESE)}.items()
        },
        "wmt18": {"en-de": [documents(SOURCE, "srcset", "de"), documents(HYPOTHESES[::-1], "refset", "de")]},
        "wmt21": {"en-de": [xml([("A", REFERENCE), ("B", HYPOTHESES[::-1])])]},
    }
    for name in [*contents, "wmt19"]:
        dataset = DATASETS[name]
        monkeypatch.setattr(dataset, "_outdir", str(folder / name))
        monkeypatch.setattr(dataset, "_rawdir", str(folder / name / "raw"))
    for name, pairs in contents.items():
        raw = folder / name / "raw"
        raw.mkdir(parents=True)
        for url in DATASETS[name].data:
            (raw / DATASETS[name]._get_tarball_filename(url)).write_text("downloaded")
        for pair, files in pairs.items():
            for path, content in zip(DATASETS[name].langpairs[pair], files, strict=True):
                (raw / path).parent.mkdir(parents=True, exist_ok=True)
                (raw / path).write_text(content, encoding="utf-8")
    return folder


def score(*arguments):
    result = command_line.run("score", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_one_set(cache):
    found = score("hyp", "-t", "wmt17", "-l", "en-de", *"--metric bleu --metric chrf --metric ter".split())
    metrics = sacrebleu.BLEU(), sacrebleu.CHRF(), sacrebleu.TER()
    assert [one["score"] for one in found] == [metric.corpus_score(HYPOTHESES, [REFERENCE]).score for metric in metrics]
    assert "|nrefs:1|test:wmt17|lang:en-de|case:mixed|tok:13a|" in found[0]["signature"]


def test_the_tokeniser_follows_the_language(cache):
    found = score("zh", "-t", "wmt17", "-l", "en-zh")
    assert found["score"] == sacrebleu.BLEU(trg_lang="zh").corpus_score(CHINESE, [CHINESE]).score
    assert "|tok:zh|" in found["signature"]
    assert "|tok:char|" in score("zh", "-t", "wmt17", "-l", "en-zh", "--tokenize", "char")["signature"]
    assert "|tok:none|" in score("zh", "-t", "wmt17", "-l", "en-zh", "--metric", "nltk")["signature"]


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (["--origlang", "en"], [0, 1]),
        (["--origlang", "non-en"], [2, 3]),
        (["--subset", "social"], [2, 3]),
        (["--origlang", "de", "--subset", "s"], [2, 3]),
    ],
)
def test_parts_of_a_set(cache, options, kept):
    found = score("hyp", "-t", "wmt21", "-l", "en-de", *options)
    texts, references = ([lines[place] for place in kept] for lines in (HYPOTHESES, REFERENCE))
    assert found["score"] == sacrebleu.corpus_bleu(texts, [references]).score
    assert found["segments"] == 2 and f"|{options[0][2:]}:{options[1]}" in found["signature"]
    if "--subset" not in options:
        of_old = score("hyp", "-t", "wmt17", "-l", "en-de", *options)
        assert of_old["score"] == found["score"]


def test_sets_that_are_joined(cache):
    found = score("twice", "-t", "wmt17,wmt18", "-l", "en-de")
    assert found["score"] == sacrebleu.corpus_bleu(HYPOTHESES * 2, [REFERENCE + HYPOTHESES[::-1]]).score
    assert found["segments"] == 8


def test_systems(cache):
    arguments = "hyp", "other", "--samples", "20", "--format", "json", "--metric", "bleu", "--metric", "ter"
    of_set = command_line.run("compare", *arguments, "-t", "wmt17", "-l", "en-de")
    of_file = command_line.run("compare", *arguments, "-r", "ref")
    assert of_set.stdout.replace("|test:wmt17|lang:en-de", "") == of_file.stdout
    part = command_line.run("compare", *arguments, "-t", "wmt17", "-l", "en-de", "--origlang", "en")
    assert [found["segments"] for found in json.loads(part.stdout)] == [2, 2]
    assert json.loads(part.stdout)[0]["systems"][0]["name"] in ("hyp", "other")


@pytest.mark.parametrize("command", ["score", "compare"])
def test_what_is_printed(cache, command):
    listed = command_line.run(command, "--list").stdout
    assert all(f"{name:<30}: " in listed for name in DATASETS)
    assert "wmt17 " in command_line.run(command, "--list", "-l", "en-de").stdout
    assert command_line.run(command, "--list", "-t", "wmt21", "-l", "en-de").stdout.startswith("en-de: src, ref:")
    echoed = command_line.run(command, "-t", "wmt17", "-l", "en-de", "--echo", "src", "--echo", "ref").stdout
    assert echoed == "".join(f"{one}\t{other}\n" for one, other in zip(SOURCE, REFERENCE))
    part = command_line.run(command, "-t", "wmt17", "-l", "en-de", "--echo", "ref", "--origlang", "de").stdout
    assert part.splitlines() == REFERENCE[2:]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("hyp -t wmt19 -l en-de", "the test set wmt19 (en-de) is not in sacreBLEU's cache, "),
        ("hyp -t wmt99 -l en-de", "there is no test set 'wmt99'; --list prints their names"),
        ("--list -t wmt99", "there is no test set 'wmt99'"),
        ("hyp -t wmt17 -l en-xx", "has no --language-pair en-xx; it has cs-en, "),
        ("hyp -t wmt17", "has no --language-pair None"),
        ("hyp ref -t wmt17 -l en-de", "give either files of references or --test-set"),
        ("hyp ref --origlang en", "--origlang and --subset are for a test set"),
        ("hyp -t wmt17 -l en-de --origlang fr", "has no segment of this --origlang and --subset"),
        ("hyp -t wmt17 -l en-de --subset news", "No subset annotation available for test set wmt17"),
        ("twice -t wmt17 -l en-de --origlang en", "the test set: 4, twice: 8"),
        ("twice -t wmt17 -l en-de", "different numbers of lines"),
        ("-t wmt17 -l en-de --echo refs", "No such field refs in test set wmt17"),
        ("-t wmt17 -l en-de", "Missing argument 'HYP'"),
    ],
)
def test_mistakes(cache, monkeypatch, arguments, message):
    def no_network(*_):
        raise OSError("no network")

    monkeypatch.setattr("urllib.request.urlopen", no_network)
    result = command_line.run("score", *arguments.split())
    assert result.exit_code == 2 and result.stdout == ""
    assert message in " ".join(result.stderr.split())
    assert result.stderr.count("\n") == 1 or result.stderr.startswith("Usage: ")


def test_a_download_is_checked(cache, monkeypatch):
    monkeypatch.setattr("urllib.request.urlopen", lambda *_: io.BytesIO(b"something else"))
    result = command_line.run("score", "hyp", "-t", "wmt19", "-l", "en-de")
    assert result.exit_code == 2 and "MD5 sum of downloaded file was incorrect" in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_cache_of_the_environment(cache):
    environment = {**os.environ, "SACREBLEU": str(cache), "PYTHONWARNINGS": "ignore"}
    commands = (
        ["score", "hyp", "-t", "wmt17", "-l", "en-de", "--width", "4"],
        ["sacrebleu", *"-t wmt17 -l en-de -i hyp -b -w 4".split()],
    )
    ours, theirs = (
        subprocess.run(
            [sys.executable, "-m", "cybleu", *command], env=environment, capture_output=True, text=True, check=True
        )
        for command in commands
    )
    assert f" = {theirs.stdout.strip()} " in ours.stdout


def test_without_sacrebleu(cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    result = command_line.run("score", "hyp", "-t", "wmt17", "-l", "en-de")
    assert result.exit_code == 2 and "'cybleu[sacrebleu]'" in result.stderr
