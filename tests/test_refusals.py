"""What the library refuses: the class of the error, the place that it names, and a fragment of its advice."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from brute_force import LIST
from brute_force import bleu as of_perfect
from cybleu import (
    References,
    SmoothingFunction,
    _backend,
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
from cybleu.rerank import linear, mbr, nbest_sorted, oracle, perceptron
from cybleu.rewards import RepetitionPenalty, Reward
from cybleu.significance import bootstrap, compare_systems, format_comparisons, paired_ar, paired_bs, paired_test
from cybleu.text import Ragged
from cybleu.tuning import (
    kbmira,
    line_search,
    mert_loop,
    normalised,
    pro,
    pro_pairs,
    read_weights,
    tune,
    write_weights,
)
from inputs import Labelled, OnADevice, Own
from nbest_lists import ROW, a_list, made, sparse_and_dense
from reports import REFERENCE, REFERENCES, SYSTEMS, analysed
from statistics_rows import rows_of

pytestmark = pytest.mark.usefixtures("backend")

R, H, TEXTS = "the cat sat on the mat".split(), "the cat sat on a mat".split(), [["a", "b", "c"], ["a", "b"]]
TUPLES = [("a", "X"), ("b", "Y")]
RAW_13A = {"tokenize": "13a"}
NAN = float("nan")
MASKED = np.ma.array([1.0, 2.0], mask=[1, 0])
ONE = References([[[1, 2, 3]]])
RAW = References([["a"]])
STATS = rows_of(np.random.default_rng(3), 5)
SPARSE = sparse_and_dense()[0]
GROWING = [[4, 4, 4, 3, 4, 3], [4, 4, 1, 0, 4, 3], [4, 4, 1, 0, 4, 3], [4, 4, 4, 3, 4, 3]]
RAW_BLEU = Bleu(tokenize="zh")
UNBOUND = [getattr(SmoothingFunction, f"method{number}") for number in range(8)]


class LazyFrame:
    """A frame of polars that is not computed yet."""

    def collect(self):
        return {}


def of_one(hypotheses, **how):
    return rows(hypotheses, ONE, **how)


REFUSED = {
    errors.ArrowError: [
        (lambda: column_rows(LazyFrame()), r"collect it first, with \.collect\(\)"),
    ],
    errors.ArrayValueError: [
        (lambda: mbr(a_list()), "are not known"),
        (lambda: a_list().with_metric("chrf", [["a"]]), "texts of the hypotheses are not known"),
        (lambda: a_list().segment(3), "no segment 3"),
        (lambda: rows([[1], [2]], [[[1]], [np.array([0.5])]]), r"references\[1\]\[0\] has dtype float64"),
        (lambda: rows([[1], np.array([[1]])], [[1], [1]]), r"hypotheses\[1\] has 2 dimensions"),
        (lambda: of_one(np.array([[1.0, 2.0]])), "hypotheses has dtype float64"),
        (lambda: of_one(np.ones((1, 2, 3), int)), "has 3 dimensions; it must have 2"),
        (lambda: of_one(OnADevice()), r"on the device cuda:0; copy it to the CPU"),
        (lambda: References(np.ones((1, 1, 1, 1), int)), "references has 4 dimensions"),
        (lambda: of_one(np.ones((1, 3), int), lengths=[np.nan]), "lengths has dtype float64"),
        (lambda: of_one([[1]], owner=[0.5]), "owner has dtype float64"),
        (lambda: of_one(np.array([[2**63]], dtype=np.uint64)), "does not fit int64"),
        (lambda: of_one(np.ones((1, 3), int), lengths=[4]), r"lengths\[0\] is 4, .* 0 to 3"),
        (lambda: of_one(np.ones((1, 3), int), lengths=[1, 1]), r"shape \(2,\); give one for each"),
        (lambda: of_one([[1]], lengths=[1]), "lengths are for a 2-D array"),
        (lambda: of_one(Ragged(np.ones(3, int), np.array([0, 2]))), r"must rise from 0 .* from 0 on they are \[0, 2\]"),
        (lambda: of_one(Ragged(np.ones(3, int), np.array([0, 2, 1, 3]))), r"from 1 on they are \[2, 1, 3\]"),
        (lambda: of_one([[1]], owner=[1]), r"owner\[0\] is 1, which is not from 0 to 0"),
        (lambda: References([[[1]]], pad_id="x"), "pad_id is 'x'"),
        (lambda: rows([[1]], [[1]], pad_id=np.array([1, 2])), "pad_id is array"),
        (lambda: References(np.ones((2, 3, 4), int), lengths=np.ones((3, 2), int)), r"shape \(3, 2\); .* \(2, 3\)"),
        (lambda: of_one([[1]], reference_lengths=[1]), "reference_lengths is for token ids, .*; prepare them with it"),
        (lambda: rows(["a"], [["a"]], pad_id=0), "are for token ids, and hypotheses are raw"),
        (lambda: rows([[1]], [[1]], reference_lengths=[1]), "lengths are for a 2-D array, and references"),
        (lambda: linear(a_list(), MASKED), "has masked entries; leave them out, or fill them"),
        (lambda: rows(np.ma.masked_equal([[1, 3]], 3), [[1]]), "has masked entries"),
        (lambda: Own().rows([["a"]], [TEXTS], owner=[-1]), r"owner\[0\] is -1"),
        (lambda: pro(SPARSE, keep=0), "keep is 0"),
        (lambda: pro(SPARSE, minimum=-1), "minimum is -1"),
        (lambda: oracle(LIST, "corpus", passes=0), "passes is 0"),
        (lambda: perceptron(LIST, good=0.0), "good is 0.0"),
        (lambda: perceptron(SPARSE, folds=1), "folds is 1"),
        (lambda: perceptron(LIST), "at least 2 segments with hypotheses, but there are 1"),
        (lambda: mbr([["a b", "a c"]], [[1, 1]], scores=[[1, 1]]), "either posterior or scores"),
        (lambda: mbr([["a b", "a c"]], [[0, 0]]), "posterior of segment 0"),
        (lambda: mbr([["a b", "a c"]], scores=[[1, NAN]]), "scores of text 1 of segment 0 is nan"),
        (lambda: mbr([["a", ""]], [[0, 1]], prune=1), "segment 0 .* probability 0"),
        (lambda: made(features=[["a", "b"]] * 3), "features has dtype"),
        (lambda: made(offsets=[0, 2, 4]), "must begin with 0 and end with the number of rows of features, 3"),
        (lambda: made(offsets=[0, 3, 2, 3]), "falls from 3 to 2 at 2"),
        (lambda: made(texts=["a", ["b"], "c"]), "hypothesis 1 of segment 0 is a list"),
        (lambda: made(ids=[1, 2, -3]), "ids holds -3"),
        (lambda: made(sparse=([0, 0, 0, 1], [1], [1.0], ["a"])), "holds 1, but there are 1 names"),
        (lambda: made(sparse=([0, 2, 2, 2], [0, 0], [1.0, 2.0], ["a"])), "not strictly ascending"),
        (lambda: made(sparse=([0, 1, 1, 1], [0], [1.0])), "not tuple of 3"),
        (lambda: made(index=[0, 1, 5], inputs=3), "index holds 5, but the input had 3 hypotheses"),
        (lambda: made(features=[1.0, 2.0, 3.0]), "features has 1 dimensions; it must have 2"),
        (lambda: made(features=np.array([[10**400, 1]] * 3, object)), "features holds what is no float: int too large"),
        (
            lambda: made(sparse=(type("Vector", (), {"tocsr": None, "ndim": 1}), ["a"])),
            "sparse matrix has 1 dimensions",
        ),
        (
            lambda: NBest.from_files("x", [["a"]], "moses", size=2),
            "size, features and names are only for the plain format",
        ),
        (
            lambda: mbr([["a b", "a c"]], scores=[[1e308, 1]], scale=10),
            "scores times the scale 10 are beyond the range",
        ),
        (lambda: linear(a_list(), [1.0, 1.0]).texts, "read it with its texts"),
        (lambda: mbr([["a b", "a c"]]).best_first(), "plain texts has no n-best list"),
        (lambda: compare_systems({"a": STATS}, scale=1), "scale is for functions and columns of scores"),
        (lambda: bootstrap(["a", "b"]), r"the system has dtype <U1; give its rows, from cybleu.rows, or a score"),
        (lambda: bootstrap(np.ones((2, 0))), r"the system has the shape \(2, 0\); give the rows"),
        (lambda: bootstrap(np.full(3, 2**63, np.uint64)), "the system has numbers above 9223372036854775807"),
        (
            lambda: paired_test(np.full(9, 2**62), np.zeros(9, int)),
            "as large as 4611686018427387904, and sums of 9 of them",
        ),
        (lambda: paired_test(np.full(9, 1e308), np.zeros(9)), "the sum of the numbers is too large for a float"),
        (lambda: rows([[-(2**63)]], [[1]], unk_id=1), "hypotheses have the id -9223372036854775808"),
        (lambda: rows([[1]], [[1]], eos_id=-(2**63)), "eos_id is -9223372036854775808"),
        (lambda: perceptron(a_list(), folds=2, good=[1]), "good is"),
        (lambda: perceptron(a_list(), folds=2, margin=1j), "margin is"),
        (lambda: paired_test(*[[ROW] * 2] * 2, np.sum, scale="1"), "scale is"),
        (lambda: compare_systems({"a": [0.5, 0.6], "b": [0.5, NAN]}), "b has nan for segment 1"),
        (lambda: bootstrap(np.ones((3, 10))), "rows of sacrebleu are integers"),
    ],
    errors.MixedTokensError: [
        (lambda: mbr([[R, "the cat"]]), r"hypotheses\[0\]\[1\] is a str and hypotheses\[0\]\[0\] a list"),
        (
            lambda: NBest.from_texts([["a"], [["b"]]], [["a"]] * 2),
            r"hypotheses\[1\]\[0\] is a list and hypotheses\[0\]",
        ),
        (lambda: mbr([[R], [R]], evidence=[["a"], ["b"]]), "hypotheses are tokens, and evidence raw text"),
        (lambda: NBest.from_texts([[R]], [[R, "a"]]), r"references\[0\]\[1\] is a str and references\[0\]\[0\] a list"),
        (lambda: of_one([["a"]]), r"token 0 of hypotheses\[0\] is 'a'"),
        (lambda: rows([[1, 2**63]], References([[[1]]], pad_id=0)), "is 9223372036854775808, .* fit int64"),
        (lambda: rows([[1]], References([[["a"]]])), "hypotheses are token ids"),
        (lambda: rows([["a"]], [[["a"]]], pad_id=0), "are for token ids"),
        (lambda: rows(["a b"], [[1, 2]]), r"hypotheses are raw text, and references\[0\]"),
        (lambda: find("chrf").rows(["a"], References([[["a"]]])), "hypotheses are raw text"),
        (lambda: find("chrf").rows([["a"]], RAW), "hypotheses are tokens"),
        (lambda: pairs([[1]], [["a"]]), "token ids"),
        (lambda: rows([["a"]], [[["a"], "b"]]), r"references\[0\]\[1\].*references\[0\]\[0\]"),
        (lambda: rows([["a", "b"], ["c"]], ["a b", "c"]), "split them"),
        (lambda: rows([["a", "b"], ["c"]], [["a b"], ["c d"]]), r"references\[0\] holds raw.*split them"),
        (lambda: rows(["a b", "c"], [[["a", "b"]], [["c"]]]), r"references\[0\]"),
        (lambda: rows(np.array([[1, 2]]), ["a b"]), "split them"),
        (lambda: rows(["a b", ["c"]], ["a b", "c"]), r"hypotheses\[\d\].*hypotheses\[\d\]"),
        (lambda: rows(["a", "b"], [["a", "b"], ["c", b"c"]]), r"references\[1\]\[1\] is a bytes.*references\[0\]"),
        (lambda: rows([[("a", "b")]], [[(("a", "b"),), [("a",)]]]), "so are texts of references; pass these as lists"),
        *(
            (lambda one=one: one([TUPLES], [(tuple(TUPLES),)]), r"in references\[0\] can be .*; pass each .* as a list")
            for one in (rows, bleu, reward_scores)
        ),
        (lambda: rows([TUPLES] * 2, [[tuple(TUPLES)], [TUPLES]]), r"in references\[0\] can be tokens or references"),
        (lambda: rows([TUPLES] * 2, [TUPLES, [()]]), r"in references\[1\] can be tokens or references"),
        (lambda: rows([TUPLES], References([TUPLES])), "can be tokens or references; prepare each reference as a list"),
    ],
    errors.SequenceTypeError: [
        (lambda: corpus_bleu(iter([[R]]), [H]), "lists of references"),
        (lambda: sentence_bleu(ONE, H), "a list of references, each a list of tokens, not a References"),
        (lambda: tune("dev.nbest.gz"), "of the type str; create an NBest with NBest.from_files"),
        (lambda: a_list(texts=["a b", "a"]).with_metric({"bleu": 1}, [[H]]), "tokens, and a mixture counts raw text"),
        (lambda: rows([[1], np.array(3)], [[1], [1]]), r"hypotheses\[1\] must be .* not a ndarray"),
        (lambda: sentence_bleu_many([[R], [{*R}]], [H, H]), "is a set, which has no order"),
        (lambda: rows([H, {"a": 1}], [[R], [R]]), r"hypotheses\[1\] is a dict, which has no order"),
        (lambda: rows({"a b", "c"}, ["a b", "c"]), "no order of entries and no equal ones; give a list"),
        (lambda: rows(["a b"], {0: "a b"}), r"such as list\(\w+.values\(\)\)"),
        (lambda: Reward()(completions=["a", [{"content": 7}]], references=["a", "a"]), r"completions\[1\]"),
        (lambda: Reward()(completions=[[{"content": [{"type": "image"}]}]], references=["a"]), "or a list of parts"),
        (lambda: Reward()(completions=[7], references=["a"]), r"completions\[0\] must be a str"),
        (lambda: Reward()(completions="ab", references=["a", "b"]), "completions is a str; give a list"),
        (lambda: Reward()(completions=["a"], references=[{1: 2}]), "a str, token ids, or a list of either, not dict"),
        (lambda: Reward()(completions=["a"], references=[[3.7]]), "neither a str nor a list of token ids: 'float'"),
        (
            lambda: Reward()(completions=["a"], references=[b"a"]),
            r"references\[0\] has a reference of type bytes; decode",
        ),
        (lambda: analyse(SYSTEMS, REFERENCES, source="text"), "source is a str; give a list of lines"),
        (lambda: analyse(SYSTEMS, REFERENCES, source=[None] * 40), r"source\[0\] is None; leave out"),
        (lambda: explain_difference([5], ["a"], tokenize="13a"), r"hypotheses\[0\] must be raw text, .* not an int"),
        (lambda: explain_difference([["a"]], [["a"]], tokenize=str.split), r"hypotheses\[0\] is a list; with tokenize"),
        (lambda: explain_difference(["a", "b"], [["a"], [None]], tokenize="13a"), r"references\[1\]\[0\]"),
        (lambda: rows(["a b"], [{"a b"}]), r"references\[0\] is a set, which has no order of entries"),
        (lambda: explain_difference(["a b"], ["a b"]), "segment 0: the set of references is a str"),
        (lambda: explain_difference(["a b"], [["a b"]]), "segment 0: reference 0 is a str, not a list of tokens"),
        (lambda: explain_difference([], iter([])), "references is a list_iterator; give a list"),
        (lambda: explain("the cat", [R]), "the hypothesis is a str, not a list of tok"),
        (lambda: explain(R, [R, b"the cat"]), "reference 1 is a bytes, not a list of tok"),
        (lambda: sentence_bleu_many([R], [H]), r"put it in a list: \[\['the', ...\]\]"),
        (lambda: of_one([OnADevice()]), r"hypotheses\[0\] must be a list of tokens"),
        (lambda: of_one([np.array([1]), 5]), r"hypotheses\[1\] must be raw text, a list of tokens or"),
        (lambda: pairs("a b", [["a"]]), "texts is a str; give a list"),
        (lambda: pairs([["a"]], "a b"), "others is a str; give a list"),
        (lambda: Own().rows(["a"], ["a"]), "own reads tokens, and the hypotheses are raw text; split them"),
        (lambda: pairs([["a"]], metric="chrf"), "chrf reads raw text, and the hypotheses are tokens"),
        (lambda: check([["a"]], "a", tokenize="13a"), "hypotheses is a str; give a list"),
        (lambda: check(["a"], ["a"], tokenize="13a"), r"references\[0\] is a str; .* \[\[text\] for"),
        (lambda: load("bleu").add_batch(predictions="a", references=["a"]), "predictions is a str; give a list"),
        (lambda: column_rows({"hypothesis": "a", "reference": ["a"]}), "hypotheses is a str; give a list"),
        (lambda: column_rows({"hypothesis": ["a"], "reference": None}), "references is None; give a list"),
        (lambda: load("bleu").add(prediction=["a"], reference="a"), r"predictions\[0\]"),
        (lambda: load("bleu").add(prediction="a", reference=[["a"]]), r"references\[0\]\[0\] is a list"),
        (lambda: load("bleu").add(prediction="a", reference=1), r"references\[0\] is an int"),
        (lambda: CaptionBleu().compute_score({1: ["a"]}, {1: ["a", "b"]}), "one caption"),
        (lambda: CaptionBleu().compute_score({1: "a"}, {1: ["a"]}), r"gts\[1\]"),
        (lambda: rows(["a b", "c"], ["a b", ["c"]]), r"references\[\d\].*references\[\d\]"),
        (lambda: rows([["a"], ["c"]], [["a"], 5]), r"references\[1\].* int"),
        (lambda: rows("a b", ["a b"]), "hypotheses is a str; give a list of texts"),
        (lambda: bleu("a b", "a b"), r"hypotheses is a str; .* as in bleu\(\[hypothesis\], \[\[r1, r2\]\]\)"),
        (lambda: bleu(["a b"], "a b"), r"references is a str; .* as in bleu\(\[hypothesis\], \[\[r1, r2\]\]\)"),
        (lambda: rows(np.array([1, 2]), [[1, 2]]), "hypotheses.* pass a list"),
        (lambda: rows(["a b"], "a b"), "references"),
        (lambda: rows(["a b", None], ["a b", "c"]), r"hypotheses\[1\].* None; leave out"),
        (lambda: rows([NAN], [["a"]], **RAW_13A), r"hypotheses\[0\] .* nan; leave out"),
        (lambda: rows([H], [[R]], "chrf"), "pass each text as a str"),
        (lambda: check(["the cat"], ["the cat"]), "split it.* or with a tokeniser"),
        (lambda: sentence_bleu([R], None), "the hypothesis .* not None; leave out the segment"),
        (lambda: sentence_bleu([NAN], H), "reference 0 .* not nan; leave out the segment"),
        (lambda: sentence_bleu(None, H), "the references .* not None; leave out"),
        (lambda: sentence_bleu_many([None], [H]), "segment 0: the references .*; leave out"),
        (lambda: sentence_bleu_many([["Yes."]], ["No."]), "reference 0 is a str.* split it"),
        (lambda: corpus_bleu([[R], None], [H, H]), "segment 1: the references .*; leave out"),
        (lambda: corpus_gleu([[R], None], [H, H]), "segment 1: the references are None; leave"),
        (lambda: corpus_gleu(None, [H]), "the lists of references must be a list .* not None"),
        (lambda: sentence_gleu([R, None], H), "reference 1 is None; leave out"),
        (lambda: sentence_nist([R], NAN), "the hypothesis is nan; leave out"),
        (lambda: corpus_chrf(["a", None], ["a", "a"]), "segment 1: reference 0 is None; leave"),
        (lambda: sentence_chrf("a", None), "the hypothesis is None; leave out"),
        (lambda: blind_spots(H, None), "the references .*; leave out"),
        (lambda: blind_spots(H, iter([R])), "the references must be a list .* can be read again, not a list_iterator"),
        (lambda: find("chrf").count("a", None), "references is None; give a list"),
        (lambda: check([[R], None], [H, H]), "segment 1: the references .* None; leave out the segment"),
        *((lambda two=two: rows(*two), "collect it first") for two in ((["a"], LazyFrame()), (LazyFrame(), ["a"]))),
        (lambda: explain([R], H), "the arguments look swapped"),
        (lambda: analyse({"x": ["a", None]}, ["a", "b"]), r"x\[1\] .*; leave out"),
        (lambda: self_bleu("the cat"), "is a str; give a list"),
        (lambda: mbr("a b"), "a list of texts for each segment"),
        (lambda: mbr(["a b", "a c"]), r"hypotheses\[0\] is a str; give a list of texts"),
        (lambda: mbr([[6, 5], [7]]), r"hypotheses\[0\]\[0\] must be .* not an int"),
        (lambda: NBest.from_texts(["a", "b"], [["a"], ["b"]]), r"hypotheses\[0\] is a str; give a list of texts"),
        (lambda: NBest.from_texts([[], [["a"], 7]], [["a"]] * 2), r"hypotheses\[1\]\[1\] must be .* not an int"),
        (lambda: closest_ref_length(5, 3), "the references must be a list of references, .* not an int"),
        (lambda: closest_ref_length([R, 5], 3), "reference 1 must be a list .* not an int"),
        (lambda: modified_precision([5], H, 1), "reference 0 must be a list .* not an int"),
        (lambda: NistInformation([[["a"]]]), "references hold tokens; NIST reads raw text"),
        (lambda: analyse([1], REFERENCES), r"give for example {'mine': lines}"),
        (lambda: analyse({"one": [1] * 40}, REFERENCES), r"one\[0\] is an int; give the raw text, a str"),
        (lambda: analyse(SYSTEMS, [[b"a"]] * 40), r"references\[0\]\[0\] is a bytes; give the raw text, a str"),
        (lambda: analyse({"one": "the cat"}, REFERENCES), "one is a str; give a list of lines"),
        (lambda: analyse(SYSTEMS, "the cat"), "references is a str; give a list of those of each segment"),
        (lambda: compare_systems([STATS[:2], STATS[:2]]), "a ndarray is not the name of a system; give names"),
        (lambda: paired_ar(STATS), "the systems are neither a mapping"),
    ],
    errors.LengthMismatchError: [
        (lambda: corpus_bleu([[R]], []), "0 hypotheses and 1 lists"),
        (
            lambda: Reward()(completions=["a", "b"], references=["a"]),
            "completions has length 2, .*'references' has length 1; each",
        ),
        (lambda: analyse(SYSTEMS, REFERENCES, source=["a"]), "source has 1 lines"),
        (lambda: explain_difference([], [[["a"]]]), "there are 0 hypotheses and 1 lists of references; each"),
        (lambda: of_one([[1], [1]]), "2 hypotheses and 1 set .* owner"),
        (lambda: check([["a"], ["b"]], ["a"], tokenize="13a"), "there are 1 hypotheses and 2 lists of references"),
        (lambda: find("chrf").rows(["a", "b"], RAW), "2 hypotheses and 1 set"),
        (lambda: load("bleu").add_batch(predictions=["a"], references=[]), "1 predictions"),
        (lambda: CaptionBleu().compute_score({1: ["a"]}, {2: ["a"]}), "keys differ; give both for each image"),
        ((lambda: rows(["a b", "c"], [["a b", "c"]])), r"list\(zip\(\*references\)\)"),
        (lambda: rows(["a b"], ["a b", "a c"]), r"pass \[references\]"),
        (lambda: bleu(["a b"], ["a b", "a c"]), r"as in bleu\(\[hypothesis\], \[\[r1, r2\]\]\)"),
        (lambda: bleu([["a"]], [["a"], ["a", "b"]]), r"as in bleu\(\[hypothesis\], \[\[r1, r2\]\]\)"),
        (lambda: rows([["a"], ["b"]], [["a"], ["b"], ["c"]]), "pass owner= to rows or reward_scores"),
        (lambda: sentence_bleu_many([[R]], H), r"put the hypothesis in a list: \[hyp"),
        (lambda: corpus_bleu([[R]], H), r"put the hypothesis in a list: \[hyp"),
        (lambda: made(stats=[[2, 4, 1, 0, 2, 1]] * 2), "stats has 2 entries, but there are 3 hypotheses"),
        (lambda: merge(made(), made(ids=[1, 2, 3])), "or their ids differ"),
        (lambda: NBest.from_texts([["a"]], [["a"], ["b"]]), "1 segments of hypotheses, but 2 of references"),
        (lambda: mbr([["a b", "a c"]], [1, 1, 1]), "3 numbers for 2 texts"),
        (lambda: mbr([["a b", "a c"]], evidence=[]), "1 segments of hypotheses, but 0 of evidence"),
        (
            lambda: load("bleu").compute(predictions=["a", "b", "c"], references=[["a", "b", "c"]] * 2),
            "look transposed",
        ),
        (lambda: made(texts=["a"]), "there are 1 texts, but 3 hypotheses"),
        (lambda: nbest_sorted(a_list(), scores=[1.0]), r"scores has the shape \(1,\), but there are 2 hypotheses"),
        (lambda: mbr([["a b", "a c"]], 1.0), "posterior is 1.0; give a number for each text"),
        (lambda: bootstrap([[1, 2], [1]]), "not a table: its parts have different lengths"),
        (lambda: analyse({"one": REFERENCE[:-1]}, REFERENCES), "one has 39 lines, .* 40 segments"),
        (lambda: compare_systems({"a": STATS, "b": STATS[1:]}), "a has 5 segments and b 4"),
        (lambda: paired_test(STATS, STATS[1:]), "5 segments and the second system 4"),
        (lambda: paired_test([0.5, 0.6], [ROW] * 2), "have 1 numbers and those of the second system 10"),
    ],
    errors.NoReferencesError: [
        (lambda: sentence_bleu([], H), "no reference for the hypothesis"),
        (lambda: corpus_bleu([[R], []], [H, H]), "segment 1: "),
        (lambda: explain_difference([R, R], [[R], []]), "segment 1: there is no reference"),
        (lambda: blind_spots("the cat", [], tokenize="13a"), "no reference for the hypothesis; give at least one"),
        (lambda: References(np.zeros((2, 0, 3), int)), "no reference"),
        (lambda: References([[None], ["a b"]]), r"references\[0\] has no reference"),
        (lambda: rows([[1]], np.array([[[1, 2], [0, 0]]]), pad_id=0), r"references\[0, 1\] is empty"),
        (lambda: self_bleu([["a"]]), "there are 1 texts, and at least two are required"),
        (lambda: load("bleu").add(prediction="a", reference=[]), r"references\[0\]"),
        (lambda: CaptionBleu().compute_score({1: []}, {1: ["a"]}), r"gts\[1\]"),
        (lambda: NistInformation([[]]), r"references\[0\] has no reference"),
        (lambda: rows(["a b", "c"], ["a b", []]), r"references\[1\]"),
        (lambda: rows(["a", "b"], Labelled([["a"], NAN]), **RAW_13A), r"references\[1\] has no .*; give"),
        (lambda: mbr([["a b", "a c"]], evidence=[[]]), "segment 0 has hypotheses, but no evidence"),
        (lambda: analyse(SYSTEMS, [[]] * 40), r"references\[0\] has no reference"),
    ],
    errors.OrderError: [
        (lambda: modified_precision([R], H, -1), "negative, but it is -1"),
        (lambda: sentence_bleu([R], H, (0.5, 0.5), SmoothingFunction().method6), "at least 3 n-gram orders, not 2"),
        (lambda: explain_difference([R], [[R]], ["nltk"], 0), "the largest n-gram order is 0; it must be a whole"),
        (lambda: pairs([[1, 2]], max_order=10**30), "max_order is"),
        (lambda: pairs([["a"]], weights=(1,), max_order=2), "max_order is 2, and there are 1"),
        (lambda: CaptionBleu(0), "n is 0"),
        (lambda: Chrf(0), "both 0"),
        (lambda: Chrf(-1), "char_order is -1"),
        (lambda: Nist(10), "max_order is 10"),
        (lambda: sentence_gleu([["a"] * 257], ["a"], max_len=-1), "max_len is -1, all orders, for 257 tokens"),
        (lambda: analyse(SYSTEMS, REFERENCES, n_end=0), "n_end is 0; it must be a whole number from 1 to 64"),
    ],
    errors.UnknownNameError: [
        (lambda: Reward()(completions=["a"], target=["a"]), "no column .references. with references; .*'target'"),
        (lambda: Reward(smothing="exp"), "has no 'smothing'; it has .* smoothing"),
        (lambda: Reward(metric="chrf", brevity_penalty=False), "has no 'brevity_penalty'"),
        (lambda: analyse(SYSTEMS, REFERENCES, []), "there is no metric; give one"),
        (lambda: analyse(SYSTEMS, REFERENCES, ["nltk", "ter", "ter"]), "two metrics are called 'ter'; give each once"),
        (lambda: analyse(SYSTEMS, REFERENCES, ["sacrebleu", "bleurt"]), "unknown metric 'bleurt'"),
        (lambda: explain_difference([R], [[R]], []), "there is no variant to compare; name at least one"),
        (lambda: explain_difference([R], [[R]], ["bleu"]), "unknown variant 'bleu'; use one of nltk"),
        (lambda: explain_difference([R], [[R]], [("nltk", "exp")]), "nltk has no smoothing 'exp'; use one of"),
        *((lambda one=one: one([[R]], [H]), rf"first: {one.__name__}\(cybleu\.rows\(") for one in (score, scores)),
        (lambda: of_one([[1]], reference_length="longest"), "closest, closest-first, shortest, average"),
        (lambda: reward_scores([["a"]], [[["a"]]], smoothing="method1"), "no smoothing"),
        (lambda: pairs([["a"]], variant="moses"), "variant is no option"),
        (lambda: bleu(["a"], ["a"], metric="nltk"), "metric is no option .* which bleu, chrf and ter do not have"),
        (lambda: score(STATS, Bleu), "a Metric, such as Bleu"),
        (lambda: rows(["a"], [["a"]], tokenize="13b"), "unknown tokeniser '13b'"),
        (lambda: rows([["a"]], [["a"]], lowercase=True), "lowercase is for raw text"),
        (lambda: rows(["a"], ["a"], "chrf", tokenize="13a"), "takes no tokeniser"),
        (lambda: find("chrf", smoothing="exp"), "has no 'smoothing'"),
        (lambda: rows(["a"], ["a"], RAW_BLEU, tokenize="13a"), "tokenize is a field of the metric"),
        (lambda: Nist(information=[["a"]]), "give a NistInformation"),
        (lambda: explain(["a"], [["a"]], metric="chrf"), "the metric is chrf"),
        (lambda: load("rouge"), "use one of bleu, sacrebleu, google_bleu, chrf"),
        (lambda: of_one([[1]], threads=0), "threads is 0"),
        (lambda: rows([H], [[R]], **RAW_13A), "leave tokenize out, or pass texts as str"),
        (lambda: find("chrf").rows(["a b"], [["a b"]], tokenize="13a"), r"pass Chrf\(tokenize=...\)"),
        (lambda: explain(["a"], TEXTS, smoothing_function=max, metric="moses"), "only for NLTK's BLEU without opt"),
        (lambda: explain(["a"], TEXTS, smoothing_function=max, max_order=2), "only for NLTK's BLEU without options"),
        (lambda: oracle(LIST, "document"), "sentence or corpus"),
        (lambda: mbr([["a b", "a c"]], utility="linear"), "utility"),
        (lambda: Bleu(brevity_penalty=3), "brevity_penalty is 3; use True or False"),
        (lambda: Bleu(level="document"), "unknown level 'document'; use one of corpus, sentence, mean"),
        (lambda: check([["a"]], ["a"], lowercase=True), "lowercase is for raw text; name a tokeniser too"),
        (lambda: Bleu(tokenize=5), "the tokeniser is 5; give a name, such as '13a', or a function"),
        (lambda: NBest.from_files("x", [["a"]], "xml"), "unknown format 'xml'; use one of moses, joshua"),
        (
            lambda: format_comparisons([compare_systems({"a": STATS})], "xml"),
            "unknown form 'xml'; use one of text, json",
        ),
        (lambda: score([4] * 4, smoothing="exp", smoothing_value=1), "'exp' of sacrebleu takes no value"),
        (lambda: score([4] * 4, weight=(0.5, 0.5)), "sacrebleu has no 'weight'; it has tokenize, lowercase, variant"),
        (lambda: score([4] * 4, "nltk", variant="moses"), "pass the definition itself as metric="),
        (lambda: score([4] * 4, 4), "pass a name, a dict of weights or a Metric"),
        (lambda: analyse({}, REFERENCES), "there is no system; give at least one"),
        (lambda: analyse({"x": [["a"], ["b"]], "x, run 2": ["a"]}, ["a"]), "two outputs are called 'x, run 2'"),
        (lambda: analyse(SYSTEMS, REFERENCES, baseline="four"), "no system 'four' .* one, two, three"),
        (lambda: analysed(_backend.BACKEND).between("one", "four"), "no system 'four'; there are one, two, three"),
        (lambda: analysed(_backend.BACKEND).metrics[0].buckets("colour"), "'colour'; use one of length, diff"),
        (lambda: compare_systems([("a", STATS), ("a", STATS)]), "two systems are called 'a'"),
        (lambda: compare_systems({"a": STATS, "b": STATS}, baseline="c"), "there is no system 'c'"),
        (lambda: compare_systems({"a": STATS, "b": STATS}, correction="b"), "unknown correction 'b'"),
        (lambda: compare_systems({"a": STATS, "b": STATS}).between("a", "a"), "were not compared"),
        (lambda: bootstrap(STATS, len, smoothing="exp"), "has no option 'smoothing'"),
        (lambda: paired_test(STATS, STATS, test="t"), "unknown test 't'; use one of randomization, shifted-bootstrap"),
        (lambda: paired_ar({"a": STATS}, Bleu(weights=(0.5, 0.5, 0, 0))), "its own BLEU"),
        (lambda: replace(VARIANTS["sacrebleu"], penalty="none at all"), "penalty"),
        (lambda: replace(VARIANTS["sacrebleu"], smoothings=()), "smoothing"),
        (lambda: replace(VARIANTS["sacrebleu"], smoothings=5), "smoothing"),
        (lambda: replace(VARIANTS["sacrebleu"], smoothings=(("none", "no such kind", None),)), "smoothing"),
    ],
    errors.StatisticsError: [
        (lambda: perceptron(NBest([0, 1, 2], [[1.0], [2.0]], [[0.5], [0.5]])), "neither the statistics of BLEU"),
        (lambda: oracle(a_list(stats=[[0.5], [0.5]])), "neither the statistics of BLEU"),
        (lambda: analyse(SYSTEMS, REFERENCES, level="mean"), "is the mean of the scores of segments"),
        (lambda: explain_difference([R], [[R]], ["nltk"], 4, (0.5, 0.5)), "2 weights for 4 n-gram orders; give"),
        (lambda: score([np.nan, 2, 1, 2]), "whole numbers from 0"),
        *((lambda one=one: one([[1, 1, 1, 0, 1, 1]]), "NLTK's BLEU counted it") for one in (score, scores)),
        (lambda: scores(np.array([[2, 2, 3, 2]])), "row 0 has more matches"),
        (lambda: scores(np.array([[2, 2, 1, 2], [2, 2, -1, 2]])), "whole numbers from 0"),
        (lambda: scores(np.array([[2.0, 2, 1, 2]])), "dtype float64"),
        (lambda: scores(np.array([[2, 2, 1]])), "a row has 3 entries"),
        (lambda: scores(np.zeros((1, 4), int), "chrf"), "18 entries"),
        (lambda: score(np.zeros((1, 2, 2), int), "gleu"), "rows has 3 dimensions"),
        (lambda: score([float("nan"), 2.0], "ter"), "finite numbers"),
        (lambda: Ter().evaluate([1.0]), "2 entries"),
        (lambda: Nist(1).evaluate([1.0, float("inf"), 1.0]), "finite numbers from 0"),
        (lambda: column_rows({"hypothesis": [], "reference": []}, metric="nist"), "in parts"),
        (lambda: Chrf(beta=float("nan")), "beta is nan"),
        (lambda: pairs([[1, 2]], weights=[]), "one for each order"),
        (lambda: tune(LIST, metric=lambda row: NAN), "gave nan"),
        (lambda: tune(NBest([0, 1], [[1.0]], [[0.5, 0.5]])), "give a function"),
        (lambda: oracle(LIST, metric="chrf"), "chrf has 18 entries, and these have 4; .* with NBest.with_metric"),
        (lambda: made(stats=[[2, 4, 1, 0, 2, 1]] * 2 + [[2, 4, 3, 0, 2, 1]]), "segment 2 are imposs"),
        (lambda: made(stats=[[1, 2, 3]] * 3), "3 columns.*give score="),
        (lambda: made(stats=[[0.5], [NAN], [1]]), "statistic of hypothesis 1 of segment 0 is nan"),
        (lambda: made(stats=[[2, 4, 1, 0, 2, 1]] * 2 + [[2, 2**61, 0, 0, 2, 1]]), "segment 2 are too large.*3 seg"),
        (lambda: made(model_scores=[1, 2, np.inf]), "model score of hypothesis 0 of segment 2 is inf"),
        (lambda: merge(made(), made(stats=[[0.5]] * 3)), "has 1 statistics of float64, but list 0 has 6 of int64"),
        (lambda: made(score=sum).to_moses("F", "S"), "only BLEU statistics"),
        (lambda: made(stats=[[3, 4, 1, 0, 2, 1]] * 3).to_moses("F", "S"), "different numbers of unigrams and tokens"),
        (lambda: Bleu(weights="abc"), "weights must be finite numbers, one for each order, .*: 'abc'"),
        (lambda: scores(np.array([[1.0, 2.0], [1.0, NAN]]), "ter"), r"finite numbers from 0, and this is \[1.0, nan\]"),
        (lambda: score([[2**63] * 4]), "statistics fit int64, and these do not"),
        (lambda: mbr([["a b", "a c"]]).stats, "plain texts has no statistics; count its `texts`"),
        (lambda: merge(made(), made(score=find("nltk"))), "list 1 of those to merge has another score function"),
        (lambda: score([4, 4, 5, 4]), "a row has more matches than n-grams of an order"),
        (lambda: score(rows(["a"], ["a"], "ter")), "has dtype float64; give integers; if another metric counted"),
        (lambda: scores(rows(["a"], ["a"], "gleu")), "2 entries, but a row of BLEU .*; if another metric counted"),
        (lambda: scores(rows(["a b"], ["a b"], "chrf")), "more matches than n-grams .*; if another metric counted"),
        (lambda: score([[4, 4, 4, 4], [4, 4, 4, 3, 4, 3]]), "the rows have different lengths"),
        (lambda: bootstrap(STATS, lambda row: 1.7e308), r"gives 1.7e\+308 .* must give a number from -1e\+300"),
        (lambda: replace(VARIANTS["sacrebleu"], scale=0), "scale"),
        (lambda: replace(VARIANTS["sacrebleu"], penalty_adds=-1), "penalty_adds"),
    ],
    errors.EmptyHypothesisError: [
        (lambda: load("bleu").compute(predictions=[""], references=["a"]), "hypotheses have no token"),
    ],
    errors.EmptyCorpusError: [
        (lambda: load("bleu").compute(), "no text"),
        (lambda: explain_difference([], []), "there is no segment to score; give at least one hypothesis"),
        (lambda: corpus_bleu([], []), "no segment"),
        (lambda: CaptionBleu().compute_score({}, {}), "no image"),
        (lambda: tune(of_perfect([0, 0], np.zeros((0, 1)), np.zeros((0, 4)))), "no segment has"),
        (lambda: merge(), "there is no list to merge"),
        (lambda: analyse(SYSTEMS, []), "there is no segment"),
        (lambda: bootstrap([]), "no segment"),
    ],
    errors.TokensError: [
        (lambda: sentence_bleu_many([[[5]]], [[np.array(5)]]), "token 0 of .* is a .*ndarray"),
        (lambda: rows([[np.array(5)]], [[[5]]]), r"token 0 of .* is a \w*ndarray"),
        (lambda: check([[" "]], ["a"], tokenize="13a"), r"references\[0\]\[0\] has no token"),
        (lambda: pairs([[np.array(5)]]), r"token 0 of texts\[0\] is a ndarray"),
    ],
    errors.NotUtf8Error: [
        (lambda: rows([b"a", b"a \xff"], [b"a", b"b"]), r"hypotheses\[1\] is not UTF-8: byte 0xff at position 2"),
        (lambda: bleu([b"a"], [[b"\x80"]]), r"^references\[0\]\[0\] is not UTF-8"),
    ],
    errors.SampleError: [
        (lambda: save_page(None, "r.html", segments=0), "it must be a whole number from 1"),
        (lambda: self_bleu([["a"], ["b"]], sample=3), "from 1 to 2"),
        *((lambda call=call: call(SPARSE, samples=0), "samples is 0") for call in (pro, pro_pairs)),
        (lambda: analyse(SYSTEMS, REFERENCES, resamples=0), "samples is 0"),
        (lambda: analyse(SYSTEMS, REFERENCES, confidence=2), "confidence is 2"),
        (lambda: compare_systems({}), "there is no system"),
        (lambda: bootstrap(STATS[:1]), "there is one segment"),
        (lambda: bootstrap(STATS, samples=10**8 + 1), "samples is 100000001; .* from 1 to 100,000,000"),
        (lambda: bootstrap(STATS, seed=-1), "seed is -1"),
        (lambda: paired_bs({"a": [STATS, STATS]}), "a has several runs"),
        (lambda: paired_ar({"a": STATS}, confidence_samples=0), "samples is 0"),
    ],
    errors.UnhashableTokenError: [
        (lambda: corpus_bleu([[R], [["a", []]]], [H, H]), "segment 1: token 1 of reference 0 is a list"),
        (lambda: explain_difference([[["a"]]], [[["a"]]]), "token 0 of the hypothesis is a list"),
        (lambda: rows([["a"]], References([[["a", []]]])), "token 1 of reference"),
        (lambda: rows([["x", ["a"]]], [[["x", "y"]]], "gleu"), "token 1 of the hypothesis is a list"),
        (lambda: corpus_gleu([[R, ["a", []]]], [H]), "token 1 of reference 1 is a list"),
    ],
    errors.WeightsError: [
        (lambda: explain(H, [R], weights=["0.5"]), r"not \['0.5'\]"),
        (lambda: explain(H, [R], weights=0.5), "must be a sequence of numbers, .*; float has no length"),
        (lambda: explain(["a"], [["a"]], weights=[[None], ["b"]]), "must be finite numbers"),
        (lambda: sentence_bleu([R], H, 0.25), "float has no length"),
        (lambda: sentence_bleu([R], H, "uniform"), "order, not 'uniform'"),
        (lambda: mert_loop("run", print, [["a"]], [1.0]), "start must be finite numbers by name, such as"),
        *(
            (lambda how=how: mert_loop("run", print, [["a"]], {"a": 1.0}, **how), f"{next(iter(how))} is")
            for how in ({"iterations": 0}, {"weights_settle": "x"}, {"score_settles": NAN}, {"seed": "x"}, {"seed": -5})
        ),
        (lambda: normalised({"a": NAN}, "sum"), "the weights must be finite numbers by name, such as"),
        (lambda: write_weights("weights", [1.0]), r"must be by name, such as .*, and they are a list"),
        (lambda: tune(LIST, [0.0, 0.0]), "all start weights are 0"),
        (lambda: tune(LIST, [1.0, NAN]), "start is nan for 'tm'"),
        (lambda: tune(LIST, bounds={"lm": (1, 0)}), "bounds of 'lm' are 1 and 0"),
        (lambda: tune(LIST, [2.0, 1.0], bounds={"lm": (0, 1)}), "of 'lm' is 2.0, out of"),
        (lambda: tune(LIST, restarts=-1), "restarts is -1"),
        (lambda: tune(LIST, seed=-1), "seed is -1"),
        (lambda: line_search(LIST, [1.0, 1.0], "lm", 1, 0), "from 1.0 to 0.0"),
        (lambda: line_search(NBest([0, 1], [[1e300]], [[1.0]]), [1e300], "f0"), "can hold"),
        (lambda: kbmira(SPARSE, step=0.0), "step is 0.0"),
        (lambda: kbmira(SPARSE, iterations=0), "iterations is 0"),
        (lambda: kbmira(SPARSE, [1e308] * 8), "more than a float can hold"),
        (lambda: kbmira(NBest([0, 2, 4], [[1e308], [-1e308]] * 2, GROWING), [1e-308]), "grew beyond"),
        (lambda: pro(SPARSE, regularisation=0.0), "regularisation is 0.0"),
        (lambda: pro(SPARSE, minimum=2.0), "no pair of hypotheses differs enough"),
        (lambda: normalised({"a": 1.0}, "l1"), "normalise is 'l1'; it must be one of sum, largest, or None"),
        (lambda: pro(SPARSE, interpolation=2.0), "interpolation is 2.0; it must be at most 1"),
        (lambda: kbmira(NBest([0, 2], [[1.0], [2.0]], [[0.0], [0.0]]), [0.0]), "the weights stay 0"),
        (lambda: RepetitionPenalty(max_penalty=1.0), "max_penalty is 1.0; it must be a finite number of at most 0"),
        (lambda: kbmira(a_list(), step=None), "step is"),
        (lambda: pro(a_list(), regularisation=b"1"), "regularisation is"),
    ],
    errors.FeatureError: [
        (lambda: perceptron(NBest.from_texts([["a"], ["b"]], [["a"], ["b"]])), "no feature"),
        (lambda: tune(LIST, {"lm": 1.0}), "no weight for the feature 'tm'"),
        (lambda: line_search(a_list(), [1.0, 1.0], "x"), "no feature 'x'"),
        (lambda: linear(a_list(), [1.0]), "one number for each of the 2 features"),
        (lambda: nbest_sorted(a_list()), "either weights or scores"),
        (lambda: tune(a_list(), {1: 2.0}), "has 1, which is not a feature"),
        (lambda: tune(NBest([0, 1], np.zeros((1, 0)), [[1, 1, 1, 1]])), "no features"),
        (lambda: tune(LIST, bounds={"x": (0, 1)}), "no feature 'x'; there are lm, tm"),
        (lambda: kbmira(SPARSE, {"d0": 1, "d1": 1, "d2": 1, "s9": 1}), "has 's9', which is not a feature"),
        (lambda: linear(NBest([0, 1], [[9.0, 9.0]], [[0.0]]), [1e308] * 2), "the weighted sum of hypothesis 0 is inf"),
        (lambda: made(features=[[0, 1], [2, NAN], [4, 5]]), "'f1' of hypothesis 1 of segment 0 is nan"),
        (lambda: made(names=["a", "a"]), "'a' appears twice"),
        (lambda: made(sparse=([0, 0, 0, 1], [0], [1.0], ["f1"])), "'f1' is both dense and sparse"),
        (lambda: made(sparse=([0, 0, 0, 1], [0], [np.inf], ["a"])), "'a' of .* 0 of segment 2"),
        (lambda: merge(made(), made(names=["f0", "g"])), "list 1 of those to merge has no feature 'f1'"),
        (lambda: tune(LIST, bounds=[(0, 1)]), "bounds must be by name, and fixed a list of names"),
        (lambda: made(names="ab"), "names is the text 'ab'; it must be a list"),
        (lambda: made(names=["a b", "c"]), r"names\[0\] is 'a b'; a name is a text without blanks"),
    ],
    errors.InputFileError: [
        (lambda: read_weights("a\0b"), "cannot be the name of a file"),
        (lambda: NBest.from_texts([[]], "a\0b"), "cannot be the name of a file"),
        (lambda: NBest.from_texts([["a"]], ["no such file"]), r"No such file .*; to pass texts, give a list for each"),
    ],
    errors.SmoothingTypeError: [
        *(
            (call, r"such as SmoothingFunction\(\).method1")
            for smoothing in (*UNBOUND, "method1", SmoothingFunction, SmoothingFunction())
            for call in (
                lambda smoothing=smoothing: sentence_bleu([R], H, (0.5, 0.5), smoothing),
                lambda smoothing=smoothing: corpus_bleu([[R]], [H], smoothing_function=smoothing),
            )
        ),
    ],
    errors.SmoothingParameterError: [
        (lambda: sentence_bleu([R], H[:2], smoothing_function=SmoothingFunction(k=0).method4), "k=0"),
        (lambda: sentence_bleu([R], R[:3], smoothing_function=SmoothingFunction(alpha=0).method6), "alpha=0"),
        (lambda: score([4] * 4, smoothing="floor", smoothing_value="0.1"), "'floor' is '0.1'; .* from 0"),
        (lambda: replace(VARIANTS["sacrebleu"], smoothings=(("floor", "floor", None),)), "smoothing"),
        (lambda: replace(VARIANTS["sacrebleu"], smoothings=(("exp-by-length", "exp-by-length", 0),)), "smoothing"),
    ],
    errors.ZeroPrecisionError: [
        (lambda: sentence_bleu([R], ["the"], smoothing_function=SmoothingFunction().method6), "trigram match"),
    ],
    errors.OneShotReferencesError: [
        (lambda: sentence_bleu(iter([R]), H), "only once"),
    ],
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


@pytest.mark.parametrize(
    ("error", "call", "advice"), [(error, *row) for error, rows in REFUSED.items() for row in rows]
)
def test_what_is_refused(error, call, advice):
    with pytest.raises(error, match=f"(?s){advice}") as caught:
        call()
    message = str(caught.value)
    assert type(caught.value) is error and isinstance(caught.value, errors.CybleuError)
    assert isinstance(caught.value, OF_NLTK.get(error, error))
    assert len(message) < 400 and message[:: len(message) - 1] not in ("''", '""')  # as a KeyError shows its message
    assert str(pickle.loads(pickle.dumps(caught.value))) == message
