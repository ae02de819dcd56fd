"""Output of real systems, and the scores of other tools."""

import csv
import json

import nltk.translate.bleu_score as nltk_bleu
import pytest
import sacrebleu

import cybleu
from command_line import run
from cybleu import SmoothingFunction, corpus_bleu, sacrebleu_compat, score, sentence_bleu
from cybleu.metrics import find
from cybleu.text import tokenizer

pytestmark = [pytest.mark.real_data]

SYSTEMS = (
    "C-3MA.4959 FBK.4870 KIT.4950 LIUM-NMT.4900 LMU-nmt-reranked.4934 LMU-nmt-single.4893 PROMT-Rule-based.4735 "
    "RWTH-nmt-ensemble.4921 SYSTRAN.4847 TALP-UPC.4834 online-A.0 online-B.0 online-F.0 online-G.0 uedin-nmt.4722 xmu.4910"
).split()


def lines(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def read(path):
    return [line.split() for line in lines(path)]


def cli_score(*arguments):
    result = run("score", "--format", "json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_segment_equals_nltk(data, system):
    references = [[reference] for reference in read(data / "wmt17-en-de" / "ref.txt")]
    hypotheses = read(data / "wmt17-en-de" / f"{system}.txt")
    assert len(references) == len(hypotheses) == 3004
    smoothing = SmoothingFunction().method1, nltk_bleu.SmoothingFunction().method1
    for pair in zip(references, hypotheses):
        theirs = nltk_bleu.sentence_bleu(*pair, smoothing_function=smoothing[1])
        assert sentence_bleu(*pair, smoothing_function=smoothing[0]) == theirs
    assert corpus_bleu(references, hypotheses) == nltk_bleu.corpus_bleu(references, hypotheses)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("method", range(8))
def test_every_smoothing_method_with_four_references(data, method):
    folder = data / "bn-en"
    references = [list(group) for group in zip(*(read(folder / f"reference.en.{n}") for n in range(4)))]
    hypotheses = [group[(n + 1) % 4] for n, group in enumerate(references)]
    others = [group[: (n + 1) % 4] + group[(n + 1) % 4 + 1 :] for n, group in enumerate(references)]

    def scores(function, smoothing_functions):
        smoothing = getattr(smoothing_functions, f"method{method}")
        for pair in zip(others, hypotheses):
            try:
                yield function(*pair, smoothing_function=smoothing)
            except AssertionError:
                yield "no trigram match"

    theirs = list(scores(nltk_bleu.sentence_bleu, nltk_bleu.SmoothingFunction()))
    assert list(scores(sentence_bleu, SmoothingFunction())) == theirs


@pytest.mark.parametrize("system", SYSTEMS)
def test_scripts_on_wmt17(data, system):
    folder = data / "wmt17-en-de"
    with open(folder / "scores.tsv", encoding="utf-8") as file:
        (stated,) = [row for row in csv.DictReader(file, delimiter="\t") if row["system"] == system]
    result = cli_score("--metric", "multi-bleu", folder / f"{system}.txt", folder / "ref.txt")
    assert f"{result['score']:.2f}" == f"{float(stated['multibleu_bleu']):.2f}"
    assert "/".join(f"{precision:.1f}" for precision in result["precisions"]) == stated["multibleu_precisions"]
    assert f"{result['brevity_penalty']:.3f}" == stated["multibleu_bp"]
    assert str(result["hypothesis_length"]) == stated["multibleu_hyp_len"]
    assert str(result["reference_length"]) == stated["multibleu_ref_len"]
    arguments = "--metric", "mteval-v13a", "--tokenize", "13a", folder / f"{system}.txt", folder / "ref.txt"
    assert f"{cli_score(*arguments)['score']:.2f}" == f"{float(stated['mteval13a_bleu']):.2f}"


def test_the_no_break_space(data):
    folder = data / "wmt17-en-de"
    arguments = "--smoothing", "none", folder / "PROMT-Rule-based.4735.txt", folder / "ref.txt"
    assert round(cli_score("--tokenize", "none", *arguments)["score"], 4) == 13.1355
    assert round(cli_score("--tokenize", "ascii", *arguments)["score"], 4) == 13.1182


def test_mteval_at_every_order_on_wmt15(data):
    tokens_of = tokenizer("13a")
    references, hypotheses = (
        [tokens_of(line) for line in lines(data / "wmt15-en-ru" / name)] for name in ("ref", "google")
    )
    scores = [
        score(cybleu.rows(hypotheses, [[text] for text in references], max_order=order), "mteval-v13a").score
        for order in range(1, 10)
    ]
    stated = ".5415 .4012 .3044 .2318 .1784 .1362 .1031 .0754 .0493"
    assert " ".join(f"{number:.4f}"[1:] for number in scores) == stated


def test_shortest_reference_on_joined_subwords(data):
    hypotheses, references = (
        [line.replace("@@ ", "").split(" ") for line in lines(data / "nmt-de-en" / f"deen_{name}")]
        for name in ("output", "ref_bpe")
    )
    stats = cybleu.rows(hypotheses, [[text] for text in references], reference_length="shortest")
    assert f"{100 * score(stats, 'huggingface').score:.14f}".startswith("22.5855084573")


@pytest.mark.parametrize(("system", "chrf"), [("LIUM-NMT.4900", 55.92837490341378), ("online-B.0", 56.26334773903824)])
def test_chrf_equals_sacrebleu(data, system, chrf):
    reference, hypotheses = (lines(data / "wmt17-en-de" / f"{name}.txt") for name in ("ref", system))
    assert sacrebleu_compat.corpus_chrf(hypotheses, [reference]).score == chrf
    metric = find("chrf++")
    theirs = sacrebleu.CHRF(word_order=2)
    rows = metric.rows(hypotheses, [[line] for line in reference])
    assert rows.tolist() == theirs._extract_corpus_statistics(hypotheses, [reference])
    assert score(rows, metric).score == theirs.corpus_score(hypotheses, [reference]).score


@pytest.mark.parametrize("system", SYSTEMS)
def test_ter_equals_sacrebleu(data, system):
    """Each system with another choice of options, and one in four with a second reference."""
    number = SYSTEMS.index(system)
    options = dict(
        zip(("normalized", "no_punct", "asian_support", "case_sensitive"), map(bool, map(int, f"{number:04b}")))
    )
    reference, hypotheses = (lines(data / "wmt17-en-de" / f"{name}.txt") for name in ("ref", system))
    documents = [reference, *([lines(data / "wmt17-en-de" / "LIUM-NMT.4900.txt")] if number % 4 == 2 else [])]
    metric = find("ter", **options)
    theirs = sacrebleu.TER(**options)
    rows = metric.rows(hypotheses, [list(group) for group in zip(*documents)])
    expected = theirs._extract_corpus_statistics(hypotheses, documents)
    assert rows.tolist() == expected
    assert score(rows, metric).score == theirs._aggregate_and_compute(expected).score
