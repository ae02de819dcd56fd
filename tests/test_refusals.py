"""What the library refuses: the class of the error, the place that it names, and a fragment of its advice."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from brute_force import LIST, bleu as of_perfect
from cybleu import (
    References,
    SmoothingFunction,
    bleu,
    corpus_bleu,
    errors,
    modified_precision,
    pairs,
    reward_scores,
    rows,
    sentence_bleu,
    sentence_bleu_many,
)
from cybleu.bleu_score import closest_ref_length
from cybleu.checks import check
from cybleu.chrf_score import corpus_chrf, sentence_chrf
from cybleu.columns import rows as column_rows
from cybleu.explanations import blind_spots, explain, explain_difference
from cybleu.frameworks import CaptionBleu, load
from cybleu.gleu_score import corpus_gleu, sentence_gleu
from cybleu.metrics import VARIANTS, Bleu, Chrf, Nist, NistInformation, Ter, find, score, scores
from cybleu.nbest import NBest, merge
from cybleu.nist_score import sentence_nist
from cybleu.pairwise import self_bleu
from cybleu.report import analyse, save_page
from cybleu.rerank import linear, mbr, oracle, perceptron
from cybleu.rewards import RepetitionPenalty, Reward
from cybleu.significance import (
    Settings,
    bootstrap,
    compare_systems,
    format_comparisons,
    paired_ar,
    paired_bs,
    paired_test,
)
from cybleu.text import Ragged
from cybleu.tuning import (
    Stopping,
    Tuner,
    kbmira,
    line_search,
    mert_loop,
    normalised,
    pro,
    read_weights,
    tune,
    write_weights,
)
from inputs import Labelled, OnADevice, Own
from nbest_lists import ROW, a_list, made, sparse_and_dense
from refusals import refused
from reports import REFERENCE, REFERENCES, SYSTEMS, analysed
from statistics_rows import rows_of

R = "the cat sat on the mat".split()
H = "the cat sat on a mat".split()
TEXTS = [["a", "b", "c"], ["a", "b"]]
TUPLES = [("a", "X"), ("b", "Y")]
RAW_13A = {"tokenize": "13a"}
NAN = float("nan")
MASKED = np.ma.array([1.0, 2.0], mask=[1, 0])
ONE = References([[[1, 2, 3]]])
RAW = References([["a"]])
STATS = rows_of(np.random.default_rng(3), 5)
SPARSE = sparse_and_dense()[0]
GROWING = [[4, 4, 4, 3, 4, 3], [4, 4, 1, 0, 4, 3], [4, 4, 1, 0, 4, 3], [4, 4, 4, 3, 4, 3]]
NO_SMOOTHING = [getattr(SmoothingFunction, f"method{number}") for number in range(8)]  # unbound
NO_SMOOTHING += ["method1", SmoothingFunction, SmoothingFunction()]


NO_ORDERS = [(0, 4), (3, 2), (1, 17), (1, 2.0)]


class Unsure(Own):
    """A metric whose scores of many sums at once are nan."""

    def evaluate_rows(self, rows):
        return rows[:, 0] * NAN


class LazyFrame:
    """A frame of polars that is not computed yet."""

    def collect(self):
        return {}


def of_one(hypotheses, **how):
    return rows(hypotheses, ONE, **how)


# The class of an error, a fragment of its advice, and the call or calls that raise it.
REFUSED = {
    errors.ArrowError: {
        r"collect it first, with \.collect\(\)": lambda: column_rows(LazyFrame()),
    },
    errors.ArrayValueError: {
        "are not known": lambda: mbr(a_list()),
        "pad_id is for token ids, and the references are prepared": lambda: find("gleu").rows([["a"]], RAW, pad_id=0),
        "texts of the hypotheses are not known": lambda: a_list().with_metric("chrf", [["a"]]),
        "no segment 3": lambda: a_list().segment(3),
        r"references\[1\]\[0\] has dtype float64": lambda: rows([[1], [2]], [[[1]], [np.array([0.5])]]),
        r"hypotheses\[1\] has 2 dimensions": lambda: rows([[1], np.array([[1]])], [[1], [1]]),
        "hypotheses has dtype float64": lambda: of_one(np.array([[1.0, 2.0]])),
        "has 3 dimensions; it must have 2": lambda: of_one(np.ones((1, 2, 3), int)),
        r"on the device cuda:0; copy it to the CPU": lambda: of_one(OnADevice()),
        "references has 4 dimensions": lambda: References(np.ones((1, 1, 1, 1), int)),
        "does not fit int64": lambda: of_one(np.array([[2**63]], dtype=np.uint64)),
        r"lengths\[0\] is 4, .* 0 to 3": lambda: of_one(np.ones((1, 3), int), lengths=[4]),
        r"shape \(2,\); give one for each": lambda: of_one(np.ones((1, 3), int), lengths=[1, 1]),
        r"must rise from 0 .* from 0 on they are \[0, 2\]": lambda: of_one(Ragged(np.ones(3, int), np.array([0, 2]))),
        r"from 1 on they are \[2, 1, 3\]": lambda: of_one(Ragged(np.ones(3, int), np.array([0, 2, 1, 3]))),
        r"owner\[0\] is 1, which is not from 0 to 0": lambda: of_one([[1]], owner=[1]),
        "pad_id is 'x'": lambda: References([[[1]]], pad_id="x"),
        r"shape \(3, 2\); .* \(2, 3\)": lambda: References(np.ones((2, 3, 4), int), lengths=np.ones((3, 2), int)),
        "reference_lengths is for token ids, .*; prepare them with it": lambda: of_one([[1]], reference_lengths=[1]),
        "are for token ids, and hypotheses are raw": lambda: rows(["a"], [["a"]], pad_id=0),
        "lengths are for a 2-D array, and references": lambda: rows([[1]], [[1]], reference_lengths=[1]),
        "has masked entries; leave them out, or fill them": lambda: linear(a_list(), MASKED),
        r"owner\[0\] is -1": lambda: Own().rows([["a"]], [TEXTS], owner=[-1]),
        "minimum is -1": lambda: pro(SPARSE, minimum=-1),
        "passes is 0": lambda: oracle(LIST, "corpus", passes=0),
        "seed is None": [lambda: oracle(LIST, seed=None), lambda: perceptron(a_list(), folds=2, seed=None)],
        "good is 0.0": lambda: perceptron(LIST, good=0.0),
        "at least 2 segments with hypotheses, but there are 1": lambda: perceptron(LIST),
        "either posterior or scores": lambda: mbr([["a b", "a c"]], [[1, 1]], scores=[[1, 1]]),
        "posterior of segment 0": lambda: mbr([["a b", "a c"]], [[0, 0]]),
        "scores of text 1 of segment 0 is nan": lambda: mbr([["a b", "a c"]], scores=[[1, NAN]]),
        "segment 0 .* probability 0": lambda: mbr([["a", ""]], [[0, 1]], prune=1),
        "features has dtype": lambda: made(features=[["a", "b"]] * 3),
        "must begin with 0 and end with the number of rows of features, 3": lambda: made(offsets=[0, 2, 4]),
        "falls from 3 to 2 at 2": lambda: made(offsets=[0, 3, 2, 3]),
        "hypothesis 1 of segment 0 is a list": lambda: made(texts=["a", ["b"], "c"]),
        "ids holds -3": lambda: made(ids=[1, 2, -3]),
        "holds 1, but there are 1 names": lambda: made(sparse=([0, 0, 0, 1], [1], [1.0], ["a"])),
        "not strictly ascending": lambda: made(sparse=([0, 2, 2, 2], [0, 0], [1.0, 2.0], ["a"])),
        "not tuple of 3": lambda: made(sparse=([0, 1, 1, 1], [0], [1.0])),
        "index holds 5, but the input had 3 hypotheses": lambda: made(index=[0, 1, 5], inputs=3),
        "features has 1 dimensions; it must have 2": lambda: made(features=[1.0, 2.0, 3.0]),
        "features holds what is no float: int too large": lambda: made(features=np.array([[10**400, 1]] * 3, object)),
        "sparse matrix has 1 dimensions": lambda: made(sparse=(type("Vector", (), {"tocsr": None, "ndim": 1}), ["a"])),
        "size, features and names are only for the plain format": lambda: NBest.from_files(
            "x", [["a"]], "moses", size=2
        ),
        "scores times the scale 10 are beyond the range": lambda: mbr([["a b", "a c"]], scores=[[1e308, 1]], scale=10),
        "read it with its texts": lambda: linear(a_list(), [1.0, 1.0]).texts,
        "plain texts has no n-best list": lambda: mbr([["a b", "a c"]]).best_first(),
        "scale is for functions and columns of scores": lambda: compare_systems({"a": STATS}, scale=1),
        r"the system has dtype <U1; give its rows, from cybleu.rows, or a score": lambda: bootstrap(["a", "b"]),
        r"the system has the shape \(2, 0\); give the rows": lambda: bootstrap(np.ones((2, 0))),
        "the system has numbers above 9223372036854775807": lambda: bootstrap(np.full(3, 2**63, np.uint64)),
        "as large as 4611686018427387904, and sums of 9 of them": lambda: paired_test(
            np.full(9, 2**62), np.zeros(9, int)
        ),
        "the sum of the numbers is too large for a float": lambda: paired_test(np.full(9, 1e308), np.zeros(9)),
        "hypotheses have the id -9223372036854775808": lambda: rows([[-(2**63)]], [[1]], unk_id=1),
        "eos_id is -9223372036854775808": lambda: rows([[1]], [[1]], eos_id=-(2**63)),
        "margin is": lambda: perceptron(a_list(), folds=2, margin=1j),
        "b has nan for segment 1": lambda: compare_systems({"a": [0.5, 0.6], "b": [0.5, NAN]}),
        "rows of sacrebleu are integers": lambda: bootstrap(np.ones((3, 10))),
    },
    errors.MixedTokensError: {
        r"hypotheses\[1\] is a bytes and hypotheses\[0\] a str": lambda: rows(["a", b"b"], ["a", "b"]),
        r"hypotheses\[0\]\[1\] is a str and hypotheses\[0\]\[0\] a list": lambda: mbr([[R, "the cat"]]),
        "hypotheses are tokens, and evidence raw text": lambda: mbr([[R], [R]], evidence=[["a"], ["b"]]),
        r"references\[0\]\[1\] is a str and references\[0\]\[0\] a list": lambda: NBest.from_texts([[R]], [[R, "a"]]),
        r"token 0 of hypotheses\[0\] is 'a'": lambda: of_one([["a"]]),
        "is 9223372036854775808, .* fit int64": lambda: rows([[1, 2**63]], References([[[1]]], pad_id=0)),
        "hypotheses are token ids": lambda: rows([[1]], References([[["a"]]])),
        "are for token ids": lambda: rows([["a"]], [[["a"]]], pad_id=0),
        r"hypotheses are raw text, and references\[0\]": lambda: rows(["a b"], [[1, 2]]),
        "every token of the hypotheses is a tuple, .* the hypotheses first": lambda: rows([[("a", 1)]], [["a", 1]]),
        "hypothesis is raw text, and references tokens; pass both in one form": lambda: explain("the cat", [R]),
        r"references\[1\] is a bytes and references\[0\] a list": lambda: explain(R, [R, b"the cat"]),
        "the texts are raw text, and the references tokens": lambda: a_list(texts=["a"] * 2).with_metric("chrf", [[H]]),
        "hypotheses are raw text": lambda: find("chrf").rows(["a"], References([[["a"]]])),
        "hypotheses are tokens": lambda: find("chrf").rows([["a"]], RAW),
        "token ids": lambda: pairs([[1]], [["a"]]),
        "split them": [lambda: rows([["a", "b"], ["c"]], ["a b", "c"]), lambda: rows(np.array([[1, 2]]), ["a b"])],
        r"references\[0\] holds raw.*split them": lambda: rows([["a", "b"], ["c"]], [["a b"], ["c d"]]),
        r"references\[1\]\[1\] is a bytes.*references\[0\]": lambda: rows(["a", "b"], [["a", "b"], ["c", b"c"]]),
        "so are texts of references; pass these as lists": lambda: rows([[("a", "b")]], [[(("a", "b"),), [("a",)]]]),
        r"in references\[0\] can be .*; pass each .* as a list": lambda: rows([TUPLES], [(tuple(TUPLES),)]),
        r"in references can be .*; pass each .* as a list": lambda: explain(TUPLES, (tuple(TUPLES),)),
        r"in references\[2\] can be tokens or references": lambda: rows([TUPLES] * 3, [TUPLES, "", [()]]),
        "can be tokens or references; prepare each reference as a list": lambda: rows([TUPLES], References([TUPLES])),
    },
    errors.SequenceTypeError: {
        "lists of references": lambda: corpus_bleu(iter([[R]]), [H]),
        "a list of references, each a list of tokens, not a References": lambda: sentence_bleu(ONE, H),
        "of the type str; create an NBest with NBest.from_files": lambda: tune("dev.nbest.gz"),
        "tokens, and a mixture counts raw text": lambda: a_list(texts=["a b", "a"]).with_metric({"bleu": 1}, [[H]]),
        r"hypotheses\[1\] must be .* not a ndarray": lambda: rows([[1], np.array(3)], [[1], [1]]),
        "is a set, which has no order": lambda: sentence_bleu_many([[R], [{*R}]], [H, H]),
        r"hypotheses\[1\] is a dict, which has no order": lambda: rows([H, {"a": 1}], [[R], [R]]),
        "no order of entries and no equal ones; give a list": lambda: rows({"a b", "c"}, ["a b", "c"]),
        r"such as list\(\w+.values\(\)\)": lambda: rows(["a b"], {0: "a b"}),
        r"completions\[1\]": lambda: Reward()(completions=["a", [{"content": 7}]], references=["a", "a"]),
        "or a list of parts": lambda: Reward()(completions=[[{"content": [{"type": "image"}]}]], references=["a"]),
        r"completions\[0\] must be a str": lambda: Reward()(completions=[7], references=["a"]),
        "completions is a str; give a list": lambda: Reward()(completions="ab", references=["a", "b"]),
        "a str, token ids, or a list of either, not dict": lambda: Reward()(completions=["a"], references=[{1: 2}]),
        "neither a str nor a list of token ids: 'float'": lambda: Reward()(completions=["a"], references=[[3.7]]),
        "or a list of either, not int64": lambda: Reward()(completions=["a"], references=np.array([1])),
        r"references\[0\] has a reference of type bytes; decode": lambda: Reward()(
            completions=["a"], references=[b"a"]
        ),
        "source is a str; give a list of lines": lambda: analyse(SYSTEMS, REFERENCES, source="text"),
        r"source\[0\] is None; leave out": lambda: analyse(SYSTEMS, REFERENCES, source=[None] * 24),
        r"hypotheses\[0\] must be raw text, .* not an int": lambda: explain_difference([5], ["a"], tokenize="13a"),
        r"references\[0\] is a set, which has no order of entries": lambda: rows(["a b"], [{"a b"}]),
        "references is a list_iterator; give a list": lambda: explain_difference([], iter([])),
        "hypothesis must be raw text, a list of tokens or an array of token ids, not an int": lambda: explain(7, [R]),
        r"references\[1\] must be raw text": lambda: explain("the cat", ["a", 7]),
        r"put it in a list: \[\['the', ...\]\]": lambda: sentence_bleu_many([R], [H]),
        r"hypotheses\[0\] must be a list of tokens": lambda: of_one([OnADevice()]),
        "texts is a str; give a list": lambda: pairs("a b", [["a"]]),
        "own reads tokens, and the hypotheses are raw text; split them": lambda: Own().rows(["a"], ["a"]),
        "chrf reads raw text, and the hypotheses are tokens": lambda: pairs([["a"]], metric="chrf"),
        "hypotheses is a str; give a list": [
            lambda: check([["a"]], "a", tokenize="13a"),
            lambda: column_rows({"hypothesis": "a", "reference": ["a"]}),
        ],
        r"references\[0\] is a str; .* \[\[text\] for": lambda: check(["a"], ["a"], tokenize="13a"),
        "predictions is a str; give a list": lambda: load("bleu").add_batch(predictions="a", references=["a"]),
        "references is None; give a list": [
            lambda: column_rows({"hypothesis": ["a"], "reference": None}),
            lambda: find("chrf").count("a", None),
        ],
        r"predictions\[0\]": lambda: load("bleu").add(prediction=["a"], reference="a"),
        r"references\[0\]\[0\] is a list": lambda: load("bleu").add(prediction="a", reference=[["a"]]),
        "one caption": lambda: CaptionBleu().compute_score({1: ["a"]}, {1: ["a", "b"]}),
        r"gts\[1\]": lambda: CaptionBleu().compute_score({1: "a"}, {1: ["a"]}),
        r"references\[\d\].*references\[\d\]": lambda: rows(["a b", "c"], ["a b", ["c"]]),
        r"references\[1\].* int": lambda: rows([["a"], ["c"]], [["a"], 5]),
        r"hypotheses is a str; .* as in bleu\(\[hypothesis\], \[\[r1, r2\]\]\)": lambda: bleu("a b", "a b"),
        r"references is a str; .* as in bleu\(\[hypothesis\], \[\[r1, r2\]\]\)": lambda: bleu(["a b"], "a b"),
        "hypotheses.* pass a list": lambda: rows(np.array([1, 2]), [[1, 2]]),
        r"hypotheses\[1\].* None; leave out": lambda: rows(["a b", None], ["a b", "c"]),
        "pass each text as a str": lambda: rows([H], [[R]], "chrf"),
        "the hypothesis .* not None; leave out the segment": lambda: sentence_bleu([R], None),
        "reference 0 .* not nan; leave out the segment": lambda: sentence_bleu([NAN], H),
        "segment 0: the references .*; leave out": lambda: sentence_bleu_many([None], [H]),
        "reference 0 is a str.* split it": lambda: sentence_bleu_many([["Yes."]], ["No."]),
        "the lists of references must be a list .* not None": lambda: corpus_gleu(None, [H]),
        "reference 1 is None; leave out": lambda: sentence_gleu([R, None], H),
        "the hypothesis is nan; leave out": lambda: sentence_nist([R], NAN),
        "segment 1: reference 0 is None; leave": lambda: corpus_chrf(["a", None], ["a", "a"]),
        "the hypothesis is None; leave out": lambda: sentence_chrf("a", None),
        "references must be a reference or a list of several, not a list_iterator": lambda: blind_spots(H, iter([R])),
        "segment 1: the references .* None; leave out the segment": lambda: check([[R], None], [H, H]),
        "collect it first": [lambda: rows(["a"], LazyFrame()), lambda: rows(LazyFrame(), ["a"])],
        "arguments look swapped; pass the hypothesis first": [
            lambda: explain(["The cat sat.", "A cat."], "The cat."),
            lambda: explain([R, H], H),
        ],
        "arguments look swapped; pass the hypotheses first": [
            lambda: explain_difference([[R], [R]], [H, H]),
            lambda: rows([["a b", "c d"], ["e"]], ["a c", "e f"]),
            lambda: rows([[[5, 6]]], [np.array([5])]),
        ],
        "arguments look swapped: give the hypothesis first": lambda: Bleu().count([R, R], R),
        "arguments look swapped; give the systems first, then the references": lambda: analyse(REFERENCES, SYSTEMS),
        r"x\[1\] .*; leave out": lambda: analyse({"x": ["a", None]}, ["a", "b"]),
        "a list of texts for each segment": lambda: mbr("a b"),
        r"hypotheses\[0\] is a str; give a list of texts": [
            lambda: mbr(["a b", "a c"]),
            lambda: NBest.from_texts(["a", "b"], [["a"], ["b"]]),
        ],
        r"hypotheses\[0\]\[0\] must be .* not an int": lambda: mbr([[6, 5], [7]]),
        "the references must be a list of references, .* not an int": lambda: closest_ref_length(5, 3),
        "reference 1 must be a list .* not an int": lambda: closest_ref_length([R, 5], 3),
        "references hold tokens; NIST reads raw text": lambda: NistInformation([[["a"]]]),
        r"give for example {'mine': lines}": lambda: analyse([1], REFERENCES),
        r"one\[0\] is an int; give the raw text, a str": lambda: analyse({"one": [1] * 24}, REFERENCES),
        r"references\[0\]\[0\] is a bytes; give the raw text, a str": lambda: analyse(SYSTEMS, [[b"a"]] * 24),
        "one is a str; give a list of lines": lambda: analyse({"one": "the cat"}, REFERENCES),
        "references is a str; give a list of those of each segment": lambda: analyse(SYSTEMS, "the cat"),
        "a ndarray is not the name of a system; give names": lambda: compare_systems([STATS[:2], STATS[:2]]),
        "the systems are neither a mapping": lambda: paired_ar(STATS),
    },
    errors.LengthMismatchError: {
        "0 hypotheses and 1 lists": lambda: corpus_bleu([[R]], []),
        "completions has length 2, .*'references' has length 1; each": lambda: Reward()(
            completions=["a", "b"], references=["a"]
        ),
        "source has 1 lines": lambda: analyse(SYSTEMS, REFERENCES, source=["a"]),
        "there are 0 hypotheses and 1 set of references; give": lambda: explain_difference([], [[["a"]]]),
        "2 hypotheses and 1 set .* owner": lambda: of_one([[1], [1]]),
        "keys differ; give both for each image": lambda: CaptionBleu().compute_score({1: ["a"]}, {2: ["a"]}),
        "1 predictions": lambda: load("bleu").add_batch(predictions=["a"], references=[]),
        r"list\(zip\(\*references\)\)": lambda: rows(["a b", "c"], [["a b", "c"]]),
        r"pass \[references\]": lambda: rows(["a b"], ["a b", "a c"]),
        r"as in bleu\(\[hypothesis\], \[\[r1, r2\]\]\)": [
            lambda: bleu(["a b"], ["a b", "a c"]),
            lambda: bleu([["a"]], [["a"], ["a", "b"]]),
        ],
        "pass owner= to rows or reward_scores": lambda: rows([["a"], ["b"]], [["a"], ["b"], ["c"]]),
        r"put the hypothesis in a list: \[hyp": [lambda: sentence_bleu_many([[R]], H), lambda: corpus_bleu([[R]], H)],
        "stats has 2 entries, but there are 3 hypotheses": lambda: made(stats=[[2, 4, 1, 0, 2, 1]] * 2),
        "or their ids differ": lambda: merge(made(), made(ids=[1, 2, 3])),
        "1 segments of hypotheses, but 2 of references": lambda: NBest.from_texts([["a"]], [["a"], ["b"]]),
        "3 numbers for 2 texts": lambda: mbr([["a b", "a c"]], [1, 1, 1]),
        "1 segments of hypotheses, but 0 of evidence": lambda: mbr([["a b", "a c"]], evidence=[]),
        "look transposed": lambda: load("bleu").compute(predictions=["a", "b", "c"], references=[["a", "b", "c"]] * 2),
        "there are 1 texts, but 3 hypotheses": lambda: made(texts=["a"]),
        "posterior is 1.0; give a number for each text": lambda: mbr([["a b", "a c"]], 1.0),
        "not a table: its parts have different lengths": lambda: bootstrap([[1, 2], [1]]),
        "one has 23 lines, .* 24 segments": lambda: analyse({"one": REFERENCE[:-1]}, REFERENCES),
        "a has 5 segments and b 4": lambda: compare_systems({"a": STATS, "b": STATS[1:]}),
        "5 segments and the second system 4": lambda: paired_test(STATS, STATS[1:]),
        "have 1 numbers and those of the second system 10": lambda: paired_test([0.5, 0.6], [ROW] * 2),
    },
    errors.NoReferencesError: {
        "there is no reference": lambda: find("gleu").count(["a"], []),
        "no reference for the hypothesis": lambda: sentence_bleu([], H),
        "segment 1: ": lambda: corpus_bleu([[R], []], [H, H]),
        r"references\[1\] has no reference": [
            lambda: rows([R, R], [[R], []]),
            lambda: rows(["a", "b"], [["a"], [None]]),
        ],
        "references has no reference; give at least one$": [
            lambda: blind_spots("the cat", [], tokenize="13a"),
            lambda: blind_spots(H, None),
        ],
        "no reference": lambda: References(np.zeros((2, 0, 3), int)),
        r"references\[0\] has no reference": [
            lambda: References([[None], ["a b"]]),
            lambda: NistInformation([[]]),
            lambda: analyse(SYSTEMS, [[]] * 24),
        ],
        r"references\[0, 1\] is empty": lambda: rows([[1]], np.array([[[1, 2], [0, 0]]]), pad_id=0),
        "there are 1 texts, and at least two are required": lambda: self_bleu([["a"]]),
        r"references\[0\]": lambda: load("bleu").add(prediction="a", reference=[]),
        r"gts\[1\]": lambda: CaptionBleu().compute_score({1: []}, {1: ["a"]}),
        r"references\[1\] has no .*; give": lambda: rows(["a", "b"], Labelled([["a"], NAN]), **RAW_13A),
        "segment 0 has hypotheses, but no evidence": lambda: mbr([["a b", "a c"]], evidence=[[]]),
    },
    errors.OrderError: {
        "min_len is -1; an order is a whole number from 0": lambda: corpus_chrf(["a b"], ["a"], -1, 6),
        "_len is": [lambda orders=orders: find("gleu", min_len=orders[0], max_len=orders[1]) for orders in NO_ORDERS],
        "negative, but it is -1": lambda: modified_precision([R], H, -1),
        "at least 3 n-gram orders, not 2": lambda: sentence_bleu([R], H, (0.5, 0.5), SmoothingFunction().method6),
        "the largest n-gram order is 0; it must be a whole": lambda: explain_difference([R], [[R]], ["nltk"], 0),
        "max_order is": lambda: pairs([[1, 2]], max_order=10**30),
        "max_order is 2, and there are 1": lambda: pairs([["a"]], weights=(1,), max_order=2),
        "n is 0": lambda: CaptionBleu(0),
        "both 0": lambda: Chrf(0),
        "char_order is -1": lambda: Chrf(-1),
        "max_order is 10": lambda: Nist(10),
        "max_len is -1, all orders, for 257 tokens": lambda: sentence_gleu([["a"] * 257], ["a"], max_len=-1),
        "n_end is 0; it must be a whole number from 1 to 64": lambda: analyse(SYSTEMS, REFERENCES, n_end=0),
    },
    errors.UnknownNameError: {
        "no column .references. with references; .*'target'": lambda: Reward()(completions=["a"], target=["a"]),
        "has no 'smothing'; it has .* smoothing": lambda: Reward(smothing="exp"),
        "the metric is a ABCMeta": [lambda: bootstrap(STATS, Bleu), lambda: tune(a_list(), metric=Bleu)],
        "unknown rules 'mose'; use one of best, paper, moses": lambda: kbmira(a_list(), rules="mose"),
        "unknown tuner 'moses'; use one of mert, kbmira, pro": lambda: Tuner("moses"),
        "there is no metric; give one": lambda: analyse(SYSTEMS, REFERENCES, []),
        "two metrics are called 'ter'; give each once": lambda: analyse(SYSTEMS, REFERENCES, ["nltk", "ter", "ter"]),
        "tokenize is for raw text, and the hypothesis is tokens": lambda: explain(R, H, tokenize="13a"),
        "lowercase is for raw text, and the hypothesis is tokens": lambda: blind_spots(R, H, lowercase=True),
        "options of the metrics of a mixture": [
            lambda: analyse(SYSTEMS, REFERENCES, {"bleu": 1}, tokenize="zh"),
            lambda: analyse(SYSTEMS, REFERENCES, {"bleu": 1}, lowercase=True),
        ],
        "tokenize is a field of the metric": [
            lambda: explain("a b", "a b", metric=Bleu(), tokenize="13a"),
        ],
        "tokenize is for raw text, and the hypoth": lambda: explain_difference([R], [H], tokenize="of-tools"),
        "there is no variant to compare; name at least one": lambda: explain_difference([R], [[R]], []),
        "unknown variant 'bleu'; use one of nltk": lambda: explain_difference([R], [[R]], ["bleu"]),
        "nltk has no smoothing 'exp'; use one of": lambda: explain_difference([R], [[R]], [("nltk", "exp")]),
        r"first: score\(cybleu\.rows\(": lambda: score([[R]], [H]),
        r"first: scores\(cybleu\.rows\(": lambda: scores([[R]], [H]),
        "closest, closest-first, shortest, average": lambda: of_one([[1]], reference_length="longest"),
        "no smoothing": lambda: reward_scores([["a"]], [[["a"]]], smoothing="method1"),
        "variant is no option": lambda: pairs([["a"]], variant="moses"),
        "metric is no option .* which bleu, chrf and ter do not have": lambda: bleu(["a"], ["a"], metric="nltk"),
        "a Metric, such as Bleu": lambda: score(STATS, Bleu),
        "unknown tokeniser '13b'": lambda: rows(["a"], [["a"]], tokenize="13b"),
        "lowercase is for raw text": lambda: rows([["a"]], [["a"]], lowercase=True),
        "takes no tokeniser": lambda: rows(["a"], ["a"], "chrf", tokenize="13a"),
        "give a NistInformation": lambda: Nist(information=[["a"]]),
        "the metric is chrf": lambda: explain(["a"], [["a"]], metric="chrf"),
        "use one of bleu, sacrebleu, google_bleu, chrf": lambda: load("meteor"),
        "threads is 0": lambda: of_one([[1]], threads=0),
        "leave tokenize out, or pass texts as str": lambda: rows([H], [[R]], **RAW_13A),
        r"pass Chrf\(tokenize=...\)": lambda: find("chrf").rows(["a b"], [["a b"]], tokenize="13a"),
        "only for NLTK's BLEU without opt": lambda: explain(["a"], TEXTS, smoothing_function=max, metric="moses"),
        "sentence or corpus": lambda: oracle(LIST, "document"),
        "utility": lambda: mbr([["a b", "a c"]], utility="linear"),
        "brevity_penalty is 3; use True or False": lambda: Bleu(brevity_penalty=3),
        "unknown level 'document'; use one of corpus, sentence, mean": lambda: Bleu(level="document"),
        "lowercase is for raw text; name a tokeniser too": lambda: check([["a"]], ["a"], lowercase=True),
        "the tokeniser is 5; give a name, such as '13a', or a function": lambda: Bleu(tokenize=5),
        "unknown format 'xml'; use one of moses, joshua": lambda: NBest.from_files("x", [["a"]], "xml"),
        "unknown form 'xml'; use one of text, json": lambda: format_comparisons([compare_systems({"a": STATS})], "xml"),
        "'exp' of sacrebleu takes no value": lambda: score([4] * 4, smoothing="exp", smoothing_value=1),
        "sacrebleu has no 'weight'; it has tokenize, lowercase, variant": lambda: score([4] * 4, weight=(0.5, 0.5)),
        "pass the definition itself as metric=": lambda: score([4] * 4, "nltk", variant="moses"),
        "there is no system; give at least one": lambda: analyse({}, REFERENCES),
        "two outputs are called 'x, run 2'": lambda: analyse({"x": [["a"], ["b"]], "x, run 2": ["a"]}, ["a"]),
        "no system 'four' .* one, two, three": lambda: analyse(SYSTEMS, REFERENCES, baseline="four"),
        "no system 'four'; there are one, two, three": lambda: analysed().between("one", "four"),
        "'colour'; use one of length, diff": lambda: analysed().metrics[0].buckets("colour"),
        r"pass settings=Settings\(samples=...\)": [
            lambda: compare_systems({"a": STATS}, samples=9),
            lambda: analyse(SYSTEMS, REFERENCES, samples=9),
        ],
        "two systems are called 'a'": lambda: compare_systems([("a", STATS), ("a", STATS)]),
        "there is no system 'c'": lambda: compare_systems({"a": STATS, "b": STATS}, baseline="c"),
        "unknown correction 'b'": lambda: compare_systems({"a": STATS, "b": STATS}, settings=Settings(correction="b")),
        "were not compared": lambda: compare_systems({"a": STATS, "b": STATS}).between("a", "a"),
        "has no option 'smoothing'": lambda: bootstrap(STATS, len, smoothing="exp"),
        "unknown test 't'; use one of randomization, shifted-bootstrap": lambda: paired_test(STATS, STATS, test="t"),
        "its own BLEU": lambda: paired_ar({"a": STATS}, Bleu(weights=(0.5, 0.5, 0, 0))),
        "penalty": lambda: replace(VARIANTS["sacrebleu"], penalty="none at all"),
        "smoothing": [
            lambda: replace(VARIANTS["sacrebleu"], smoothings=()),
            lambda: replace(VARIANTS["sacrebleu"], smoothings=5),
            lambda: replace(VARIANTS["sacrebleu"], smoothings=(("none", "no such kind", None),)),
        ],
    },
    errors.StatisticsError: {
        "neither the statistics of BLEU": [
            lambda: perceptron(NBest([0, 1, 2], [[1.0], [2.0]], [[0.5], [0.5]])),
            lambda: oracle(a_list(stats=[[0.5], [0.5]])),
        ],
        "is the mean of the scores of segments": lambda: analyse(SYSTEMS, REFERENCES, level="mean"),
        "2 weights for 4 n-gram orders; give": lambda: explain_difference([R], [[R]], ["nltk"], 4, (0.5, 0.5)),
        "whole numbers from 0": [
            lambda: score([np.nan, 2, 1, 2]),
            lambda: scores(np.array([[2, 2, 1, 2], [2, 2, -1, 2]])),
        ],
        "NLTK's BLEU counted it": [lambda: score([[1, 1, 1, 0, 1, 1]]), lambda: scores([[1, 1, 1, 0, 1, 1]])],
        "rows has 3 dimensions": lambda: score(np.zeros((1, 2, 2), int), "gleu"),
        "2 entries": lambda: Ter().evaluate([1.0]),
        "finite numbers from 0": lambda: Nist(1).evaluate([1.0, float("inf"), 1.0]),
        "in parts": lambda: column_rows({"hypothesis": [], "reference": []}, metric="nist"),
        "beta is nan": lambda: Chrf(beta=float("nan")),
        "one for each order": lambda: pairs([[1, 2]], weights=[]),
        "gave nan": [
            lambda: tune(LIST, metric=lambda row: NAN),
            lambda: tune(NBest([0, 2], np.eye(2), [[1, 2], [2, 2]], score=Unsure())),
        ],
        "give a function": lambda: tune(NBest([0, 1], [[1.0]], [[0.5, 0.5]])),
        "chrf has 18 entries, and these have 4; .* with NBest.with_metric": lambda: oracle(LIST, metric="chrf"),
        "segment 2 are imposs": lambda: made(stats=[[2, 4, 1, 0, 2, 1]] * 2 + [[2, 4, 3, 0, 2, 1]]),
        "3 columns.*give score=": lambda: made(stats=[[1, 2, 3]] * 3),
        "statistic of hypothesis 1 of segment 0 is nan": lambda: made(stats=[[0.5], [NAN], [1]]),
        "segment 2 are too large.*3 seg": lambda: made(stats=[[2, 4, 1, 0, 2, 1]] * 2 + [[2, 2**61, 0, 0, 2, 1]]),
        "model score of hypothesis 0 of segment 2 is inf": lambda: made(model_scores=[1, 2, np.inf]),
        "has 1 statistics of float64, but list 0 has 6 of int64": lambda: merge(made(), made(stats=[[0.5]] * 3)),
        "only BLEU statistics": lambda: made(score=sum).to_moses("F", "S"),
        "different numbers of unigrams and tokens": lambda: made(stats=[[3, 4, 1, 0, 2, 1]] * 3).to_moses("F", "S"),
        "weights must be finite numbers, one for each order, .*: 'abc'": lambda: Bleu(weights="abc"),
        r"finite numbers from 0, and this is \[1.0, nan\]": lambda: scores(np.array([[1.0, 2.0], [1.0, NAN]]), "ter"),
        "statistics fit int64, and these do not": lambda: score([[2**63] * 4]),
        "plain texts has no statistics; count its `texts`": lambda: mbr([["a b", "a c"]]).stats,
        "list 1 of those to merge has another score function": lambda: merge(made(), made(score=find("nltk"))),
        "a row has more matches than n-grams of an order": lambda: score([4, 4, 5, 4]),
        "has dtype float64; give integers; if another metric counted": lambda: score(rows(["a"], ["a"], "ter")),
        "2 entries, but a row of BLEU .*; if another metric counted": lambda: scores(rows(["a"], ["a"], "gleu")),
        "more matches than n-grams .*; if another metric counted": lambda: scores(rows(["a b"], ["a b"], "chrf")),
        "the rows have different lengths": lambda: score([[4, 4, 4, 4], [4, 4, 4, 3, 4, 3]]),
        r"gives 1.7e\+308 .* must give a number from -1e\+300": lambda: bootstrap(STATS, lambda row: 1.7e308),
        "scale": lambda: replace(VARIANTS["sacrebleu"], scale=0),
        "penalty_adds": lambda: replace(VARIANTS["sacrebleu"], penalty_adds=-1),
    },
    errors.EmptyHypothesisError: {
        "hypotheses have no token": lambda: load("bleu").compute(predictions=[""], references=["a"]),
    },
    errors.EmptyCorpusError: {
        "no text": lambda: load("bleu").compute(),
        "there is no segment to score; give at least one hypothesis": lambda: explain_difference([], []),
        "no segment": [lambda: corpus_bleu([], []), lambda: bootstrap([])],
        "no image": lambda: CaptionBleu().compute_score({}, {}),
        "no segment has": lambda: tune(of_perfect([0, 0], np.zeros((0, 1)), np.zeros((0, 4)))),
        "there is no list to merge": lambda: merge(),
        "there is no segment": lambda: analyse(SYSTEMS, []),
    },
    errors.TokensError: {
        "token 0 of .* is a .*ndarray": lambda: sentence_bleu_many([[[5]]], [[np.array(5)]]),
        r"token 0 of .* is a \w*ndarray": lambda: rows([[np.array(5)]], [[[5]]]),
        r"references\[0\]\[0\] has no token": lambda: check([[" "]], ["a"], tokenize="13a"),
        r"token 0 of texts\[0\] is a ndarray": lambda: pairs([[np.array(5)]]),
    },
    errors.NotUtf8Error: {
        r"hypotheses\[1\] is not UTF-8: byte 0xff at position 2": lambda: rows([b"a", b"a \xff"], [b"a", b"b"]),
        r"^references\[0\]\[0\] is not UTF-8": lambda: bleu([b"a"], [[b"\x80"]]),
    },
    errors.SampleError: {
        "it must be a whole number from 1": lambda: save_page(None, "r.html", segments=0),
        "from 1 to 2": lambda: self_bleu([["a"], ["b"]], sample=3),
        "seed is None": lambda: self_bleu([["a"], ["b"]], sample=1, seed=None),
        "samples is 0": [
            lambda: pro(SPARSE, samples=0),
            lambda: analyse(SYSTEMS, REFERENCES, settings=Settings(resamples=0)),
            lambda: paired_ar({"a": STATS}, confidence_samples=0),
        ],
        "confidence is 2": lambda: analyse(SYSTEMS, REFERENCES, settings=Settings(confidence=2)),
        "there is no system": lambda: compare_systems({}),
        "there is one segment": lambda: bootstrap(STATS[:1]),
        "samples is 100000001; .* from 1 to 100,000,000": lambda: bootstrap(STATS, samples=10**8 + 1),
        "seed is -1": lambda: bootstrap(STATS, seed=-1),
        "a has several runs": lambda: paired_bs({"a": [STATS, STATS]}),
    },
    errors.UnhashableTokenError: {
        "segment 1: token 1 of reference 0 is a list": lambda: corpus_bleu([[R], [["a", []]]], [H, H]),
        "token 0 of the hypothesis is a list": lambda: explain_difference([[["a"]]], [[["a"]]]),
        "token 1 of reference": lambda: rows([["a"]], References([[["a", []]]])),
        "token 1 of the hypothesis is a list": lambda: rows([["x", ["a"]]], [[["x", "y"]]], "gleu"),
        "token 1 of reference 1 is a list": lambda: corpus_gleu([[R, ["a", []]]], [H]),
    },
    errors.WeightsError: {
        r"not \['0.5'\]": lambda: explain(H, [R], weights=["0.5"]),
        "from nan to inf": lambda: line_search(a_list(), [1, 1], "f0", None),
        "must be a sequence of numbers, .*; float has no length": lambda: explain(H, [R], weights=0.5),
        "must be finite numbers": lambda: explain(["a"], [["a"]], weights=[[None], ["b"]]),
        "float has no length": lambda: sentence_bleu([R], H, 0.25),
        "order, not 'uniform'": lambda: sentence_bleu([R], H, "uniform"),
        "start must be finite numbers by name, such as": lambda: mert_loop("run", print, [["a"]], [1.0]),
        "iterations is": lambda: Stopping(iterations=0),
        "weights_settle is": lambda: Stopping(weights_settle="x"),
        "score_settles is": lambda: Stopping(score_settles=NAN),
        "seed is": lambda: Tuner(seed="x"),
        "the weights must be finite numbers by name, such as": lambda: normalised({"a": NAN}, "sum"),
        r"must be by name, such as .*, and they are a list": lambda: write_weights("weights", [1.0]),
        "all start weights are 0": lambda: tune(LIST, [0.0, 0.0]),
        "start is nan for 'tm'": lambda: tune(LIST, [1.0, NAN]),
        "bounds of 'lm' are 1 and 0": lambda: tune(LIST, bounds={"lm": (1, 0)}),
        "of 'lm' is 2.0, out of": lambda: tune(LIST, [2.0, 1.0], bounds={"lm": (0, 1)}),
        "from 1.0 to 0.0": lambda: line_search(LIST, [1.0, 1.0], "lm", 1, 0),
        "can hold": lambda: line_search(NBest([0, 1], [[1e300]], [[1.0]]), [1e300], "f0"),
        "step is 0.0": lambda: kbmira(SPARSE, step=0.0),
        "more than a float can hold": lambda: kbmira(SPARSE, [1e308] * 8),
        "grew beyond": lambda: kbmira(NBest([0, 2, 4], [[1e308], [-1e308]] * 2, GROWING), [1e-308]),
        "regularisation is 0.0": lambda: pro(SPARSE, regularisation=0.0),
        "no pair of hypotheses differs enough": lambda: pro(SPARSE, minimum=2.0),
        "normalise is 'l1'; it must be one of sum, largest, or None": lambda: normalised({"a": 1.0}, "l1"),
        "interpolation is 2.0; it must be at most 1": lambda: pro(SPARSE, interpolation=2.0),
        "the weights stay 0": lambda: kbmira(NBest([0, 2], [[1.0], [2.0]], [[0.0], [0.0]]), [0.0]),
        "max_penalty is 1.0; it must be a finite number of at most 0": lambda: RepetitionPenalty(max_penalty=1.0),
    },
    errors.FeatureError: {
        "no feature": lambda: perceptron(NBest.from_texts([["a"], ["b"]], [["a"], ["b"]])),
        "no weight for the feature 'tm'": lambda: tune(LIST, {"lm": 1.0}),
        "no feature 'x'": lambda: line_search(a_list(), [1.0, 1.0], "x"),
        "one number for each of the 2 features": lambda: linear(a_list(), [1.0]),
        "hypothesis 1 is inf; the weights are too large": lambda: linear(made(), [1e308, 1e308]),
        "has 1, which is not a feature": lambda: tune(a_list(), {1: 2.0}),
        "no features": lambda: tune(NBest([0, 1], np.zeros((1, 0)), [[1, 1, 1, 1]])),
        "no feature 'x'; there are lm, tm": lambda: tune(LIST, bounds={"x": (0, 1)}),
        "'f1' of hypothesis 1 of segment 0 is nan": lambda: made(features=[[0, 1], [2, NAN], [4, 5]]),
        "'a' appears twice": lambda: made(names=["a", "a"]),
        "'f1' is both dense and sparse": lambda: made(sparse=([0, 0, 0, 1], [0], [1.0], ["f1"])),
        "'a' of .* 0 of segment 2": lambda: made(sparse=([0, 0, 0, 1], [0], [np.inf], ["a"])),
        "list 1 of those to merge has no feature 'f1'": lambda: merge(made(), made(names=["f0", "g"])),
        "bounds must be by name, and fixed a list of names": lambda: tune(LIST, bounds=[(0, 1)]),
        "names is the text 'ab'; it must be a list": lambda: made(names="ab"),
        r"names\[0\] is 'a b'; a name is a text without blanks": lambda: made(names=["a b", "c"]),
    },
    errors.InputFileError: {
        "cannot be the name of a file": [lambda: read_weights("a\0b"), lambda: NBest.from_texts([[]], "a\0b")],
        r"No such file .*; to pass texts, give a list for each": lambda: NBest.from_texts([["a"]], ["no such file"]),
    },
    errors.SmoothingTypeError: {
        r"such as SmoothingFunction\(\).method1": [
            *(lambda one=one: sentence_bleu([R], H, (0.5, 0.5), one) for one in NO_SMOOTHING),
            *(lambda one=one: corpus_bleu([[R]], [H], smoothing_function=one) for one in NO_SMOOTHING),
        ],
    },
    errors.SmoothingParameterError: {
        "k=0": lambda: sentence_bleu([R], H[:2], smoothing_function=SmoothingFunction(k=0).method4),
        "alpha=0": lambda: sentence_bleu([R], R[:3], smoothing_function=SmoothingFunction(alpha=0).method6),
        "'floor' is '0.1'; .* from 0": lambda: score([4] * 4, smoothing="floor", smoothing_value="0.1"),
        "smoothing": [
            lambda: replace(VARIANTS["sacrebleu"], smoothings=(("floor", "floor", None),)),
            lambda: replace(VARIANTS["sacrebleu"], smoothings=(("exp-by-length", "exp-by-length", 0),)),
        ],
    },
    errors.ZeroPrecisionError: {
        "trigram match": lambda: sentence_bleu([R], ["the"], smoothing_function=SmoothingFunction().method6),
    },
    errors.OneShotReferencesError: {
        "only once": lambda: sentence_bleu(iter([R]), H),
    },
}


# What code that was written for NLTK catches.
OF_NLTK = {
    errors.LengthMismatchError: AssertionError,
    errors.NoReferencesError: KeyError,
    errors.OneShotReferencesError: KeyError,
    errors.OrderError: (ValueError, IndexError),
    errors.SmoothingParameterError: ZeroDivisionError,
    errors.ZeroPrecisionError: AssertionError,
    **dict.fromkeys((errors.SequenceTypeError, errors.UnhashableTokenError, errors.WeightsError), TypeError),
    errors.SmoothingTypeError: TypeError,
}


@pytest.mark.parametrize(("error", "advice", "call"), refused(REFUSED))
def test_what_is_refused(error, advice, call):
    with pytest.raises(error, match=f"(?s){advice}") as caught:
        call()
    message = str(caught.value)
    assert type(caught.value) is error and isinstance(caught.value, errors.CybleuError)
    assert isinstance(caught.value, OF_NLTK.get(error, error))
    assert len(message) < 400 and message[:: len(message) - 1] not in ("''", '""')  # as a KeyError shows its message
    assert str(pickle.loads(pickle.dumps(caught.value))) == message
