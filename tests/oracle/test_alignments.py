"""ROUGE beside rouge_score, WER and CER beside a table of edits in plain Python and beside jiwer."""

import re

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import cybleu
from cybleu import References, rows
from cybleu.errors import MissingExtraError, SequenceTypeError, UnknownNameError
from cybleu.frameworks import load
from cybleu.metrics import Cer, Rouge, Wer, find
from cybleu.rouge_score_compat import RougeScorer

pytestmark = pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")

KINDS = ["rouge1", "rouge2", "rouge5", "rouge9", "rougeL", "rougeLsum"]
# what tokenisers look at, and characters whose lower case is an ASCII letter or has one
PIECES = "a|b|the|was|Cat|running|runs|12| |  |\t|\n|\n\n|\r\n|.|É|\u212a|İ|\u3000|\0".split("|")
WORDS = ["a", "b", "c", "the", "cat"]

lines = st.lists(st.sampled_from(WORDS), max_size=90).map(" ".join)
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.lists(lines, max_size=3).map("\n".join)
corpora = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=3)


def distance(words, others):
    before = [*range(len(others) + 1)]
    for number, word in enumerate(words, 1):
        row = [number]
        for place, other in enumerate(others):
            row.append(min(row[place] + 1, before[place + 1] + 1, before[place] + (word != other)))
        before = row
    return before[-1]


def words_of_jiwer(text):
    return [word for word in re.sub(r"\s\s+", " ", text).strip().split(" ") if word]


def characters_of(text):
    return list(text.strip())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stemmer", [False, True])
@given(corpus=corpora)
@example(corpus=[("was it running", ["wa it run"])])  # a word of three letters is its own stem
@example(corpus=[("a b", ["b a", "a b"])])
@example(corpus=[("a " * 64, ["b " + "a " * 64]), ("b " + "a " * 64, ["a " * 64]), ("a b " * 65, ["b a " * 65])])
@example(corpus=[("", [""]), ("a", [""]), ("", ["a"])])
@example(corpus=[("a b", ["a c", "a b c d e f"])])  # two that score the same, with other precision and recall
def test_rouge_is_that_of_rouge_score(rouge_score, kind, stemmer, corpus):
    from rouge_score.rouge_scorer import RougeScorer as Theirs

    theirs = Theirs([kind], use_stemmer=stemmer)
    wanted = [[*theirs.score_multi(references, hypothesis)[kind], 1.0] for hypothesis, references in corpus]
    hypotheses, references = map(list, zip(*corpus))
    assert rows(hypotheses, references, kind, stemmer=stemmer).tolist() == wanted


@given(corpus=corpora)
@example(corpus=[("a\nb\na c", ["b a " * 40, "c"])])  # more words than a machine word has bits, and lines
def test_the_class_is_that_of_rouge_score(rouge_score, corpus):
    from rouge_score.rouge_scorer import RougeScorer as Theirs

    for hypothesis, references in corpus:
        wanted = Theirs(KINDS).score_multi(references, hypothesis)
        assert RougeScorer(KINDS).score_multi(references, hypothesis) == wanted


@pytest.mark.parametrize(("name", "split"), [("wer", words_of_jiwer), ("cer", characters_of)], ids=["wer", "cer"])
@given(corpora)
@example([("a " * 64, ["b " + "a " * 64]), ("b " + "a " * 64, ["a " * 64]), ("a b " * 65, ["b a " * 65])])
@example([("", [""]), ("a", [""]), ("", ["a"]), ("a\tb", ["a b"])])
def test_error_rates_are_those_of_their_definition(name, split, corpus):
    hypotheses, references = zip(*corpus)
    wanted = []
    for hypothesis, group in corpus:
        found = [[distance(split(hypothesis), split(reference)), len(split(reference))] for reference in group]
        wanted.append(min(found, key=lambda row: row[0] / max(row[1], 1)))
    assert rows(list(hypotheses), list(references), name).tolist() == wanted


@given(corpus=corpora)
def test_error_rates_are_those_of_jiwer(jiwer, corpus):
    hypotheses = [hypothesis for hypothesis, _ in corpus]
    references = [group[0] for _, group in corpus]
    assert cybleu.wer(hypotheses, references).score == jiwer.wer(references, hypotheses)
    assert cybleu.cer(hypotheses, references).score == jiwer.cer(references, hypotheses)


@pytest.mark.parametrize("name", ["wer", "rouge1", "rougeL"])
@pytest.mark.parametrize("as_given", [list, np.array], ids=["lists", "arrays"])
def test_ids_score_as_other_tokens_do(name, as_given):
    hypotheses = [[5, 2**40, -1], [7], [-1, 5]]
    references = [[2**40, 5], [7, 7], [-1]]
    found = rows([as_given(text) for text in hypotheses], [as_given(text) for text in references], name)
    as_words = [[[*map(str, text)] for text in texts] for texts in (hypotheses, references)]
    assert (found == rows(*as_words, name)).all()


@pytest.mark.thread_unsafe(reason="the sentence splitter is replaced for the whole process")
def test_prepared_references_keep_lines_and_sentences_apart(monkeypatch):
    monkeypatch.setattr("cybleu.metrics.rouge._sentence_splitter", lambda: lambda text: text.split(". "))
    texts = ["c d a b"]
    references = ["a b\nc d"]
    prepared = References(references)
    found = {}
    for split in (False, True):
        metric = Rouge("Lsum", split_summaries=split)
        found[split] = metric.rows(texts, prepared).tolist()
        assert found[split] == metric.rows(texts, references).tolist()
    assert found[False] != found[True]


def test_a_line_break_is_a_token_of_a_line():
    metric = Rouge("Lsum", tokenize=lambda line: [*line.split(), "\n"])
    assert metric.count("a b", ["a c"])[:2] == [2 / 3, 2 / 3]


def test_rouge_of_a_corpus_is_the_mean_of_the_segments():
    hypotheses = ["the cat\nsat", "it rains"]
    references = [["a cat sat", "the cat"], ["it rained"]]
    result = cybleu.rouge(hypotheses, references)
    for kind in ("rouge1", "rouge2", "rougeL", "rougeLsum"):
        counted = rows(hypotheses, references, kind)
        assert getattr(result, kind) == tuple((counted[:, :3].sum(axis=0) / 2).tolist())
        assert cybleu.score(counted, kind).score == getattr(result, kind).fmeasure


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: rows([["a"]], [["a"]], "rougeLsum"), SequenceTypeError, "rougeLsum reads raw text.*str"),
        (lambda: Rouge("0"), UnknownNameError, "'0'; use one of 1, 2"),
        (lambda: Rouge("L", stemmer=True, tokenize="13a"), UnknownNameError, "leave out stemmer or tokenize"),
        (lambda: Rouge("L", split_summaries=True), UnknownNameError, "split_summaries is for rougeLsum"),
        (lambda: Cer(tokenize="13a"), UnknownNameError, "takes no tokeniser"),
        (lambda: RougeScorer(["rouge0"]).score("a", "b"), ValueError, "Invalid rouge type: rouge0"),
        (lambda: cybleu.rouge(["a"], ["a", "b"]), cybleu.errors.LengthMismatchError, "1 hypothesis and 2 sets"),
    ],
)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_sentences_require_a_model_of_nltk(monkeypatch):
    def missing(text):
        raise LookupError("punkt_tab")

    monkeypatch.setattr("nltk.sent_tokenize", missing)
    with pytest.raises(MissingExtraError, match="python -m nltk"):
        Rouge("Lsum", split_summaries=True)


def test_names_of_metrics_in_any_case():
    assert find("ROUGEL") == find("rougel") == Rouge("rougeL") == Rouge("l")
    assert find("WER") == Wer()


@pytest.mark.thread_unsafe(reason="rouge_score is patched for the whole process")
def test_rouge_score_in_an_unchanged_program(rouge_score):
    from rouge_score import rouge_scorer

    with cybleu.install_as_rouge_score():
        ours = rouge_scorer.RougeScorer(["rouge1"])
        assert isinstance(ours, RougeScorer)
    assert not isinstance(rouge_scorer.RougeScorer(["rouge1"]), RougeScorer)


@pytest.mark.parametrize(
    ("options", "use_aggregator"),
    [
        ({}, False),
        ({}, True),
        ({"use_stemmer": True}, False),
        ({"rouge_types": ["rouge3"]}, True),
        ({"tokenizer": str.split}, False),
    ],
)
def test_rouge_of_evaluate(rouge_score, options, use_aggregator):
    from rouge_score import rouge_scorer, scoring

    class Tokenizer:
        tokenize = staticmethod(options.get("tokenizer"))

    predictions = ["the cats sat on\nthe mat", "it rains", "x y"]
    references = [["the cat sat\non mats", "a"], ["rain it", "it"], ["y x"]]
    names = options.get("rouge_types", ["rouge1", "rouge2", "rougeL", "rougeLsum"])
    tokenizer = Tokenizer if "tokenizer" in options else None
    theirs = rouge_scorer.RougeScorer(names, options.get("use_stemmer", False), tokenizer=tokenizer)
    found = [theirs.score_multi(group, text) for group, text in zip(references, predictions)]
    wanted = {name: [score[name].fmeasure for score in found] for name in names}
    if use_aggregator:
        aggregator = scoring.BootstrapAggregator()
        for score in found:
            aggregator.add_scores(score)
        np.random.seed(1)
        wanted = {name: score.mid.fmeasure for name, score in aggregator.aggregate().items()}
    np.random.seed(1)
    module = load("rouge")
    assert (
        module.compute(predictions=predictions, references=references, use_aggregator=use_aggregator, **options)
        == wanted
    )


@pytest.mark.parametrize(("name", "wanted"), [("wer", 2 / 5), ("cer", 2 / 19)])
def test_error_rates_of_evaluate(name, wanted):
    module = load(name)
    module.add_batch(predictions=["the cats sat", "it rain"], references=["the cat sat", "it rains"])
    assert module.compute(concatenate_texts=False) == wanted
