"""Arrays and numbers of the wrong kind raise exceptions of cybleu wherever they are accepted; nothing is guessed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

import cybleu
from cybleu import Ragged, References, errors, explain, explain_difference, score, scores, self_bleu, sentence_bleu_many
from cybleu.metrics import VARIANTS, Bleu, Metric
from cybleu.nbest import NBest
from cybleu.rerank import linear, mbr, nbest_sorted, perceptron
from cybleu.significance import paired_test
from cybleu.tuning import (
    cross_validate,
    kbmira,
    line_search,
    pro,
    read_weights,
    tune,
    write_weights,
)

pytestmark = pytest.mark.usefixtures("backend")

ROW = [5, 5, 4, 2, 1, 0, 5, 4, 3, 2]
ROWS = np.array([ROW, ROW])
FEATURES = [[0.0, 1.0], [1.0, 0.0]]
NUMBERS = np.array([1.0, 2.0])
IDS = np.arange(12).reshape(3, 4)
TEXTS = [["a", "b", "c"], ["a", "b"]]


def a_list(**changed):
    given = {"offsets": [0, 2], "features": FEATURES, "stats": ROWS, **changed}
    return NBest(given.pop("offsets"), given.pop("features"), given.pop("stats"), **given)


def two_segments():
    return NBest([0, 1, 2], FEATURES, ROWS)


@dataclass(frozen=True)
class Shared(Metric):
    """A metric with its own counts."""

    result: tuple = ()
    name = "shared"
    scale = 1
    columns = ("shared", "words")

    def count(self, hypothesis, references):
        return self.result or [len({*hypothesis} & {*references[0]}), len({*hypothesis})]

    def evaluate(self, row):
        return row[0] / row[1] if row[1] else 0.0


FLOATS = {  # what takes two numbers: an array, or a list of them
    "linear": lambda numbers: linear(a_list(), numbers),
    "nbest_sorted": lambda numbers: nbest_sorted(a_list(), scores=numbers),
    "line_search": lambda numbers: line_search(a_list(), numbers, [1.0, 0.0]),
    "direction": lambda numbers: line_search(a_list(), [1.0, 1.0], numbers),
    "tune": lambda numbers: tune(a_list(), numbers, restarts=0),
    "bounds": lambda numbers: tune(a_list(), bounds={"f0": numbers}, restarts=0),
    "fixed": lambda numbers: tune(a_list(), fixed={"f0": next(iter(numbers)), "f1": list(numbers)[1]}, restarts=0),
    "kbmira": lambda numbers: kbmira(a_list(), numbers, iterations=1),
    "posterior": lambda numbers: mbr([TEXTS], numbers),
    "posterior of segments": lambda numbers: mbr([TEXTS], [numbers]),
    "scores": lambda numbers: mbr([TEXTS], scores=numbers),
    "scale": lambda numbers: mbr([TEXTS], scores=[1.0, 2.0], scale=next(iter(numbers))),
    "model_scores": lambda numbers: a_list(model_scores=numbers),
    "features": lambda numbers: a_list(features=[numbers, [1.0, 0.0]]),
    "sparse": lambda numbers: a_list(sparse=([0, 1, 2], [0, 0], numbers, ("x",))),
    "Bleu": lambda numbers: Bleu(weights=numbers),
    "write_weights": lambda numbers: write_weights("/dev/null", {"a": next(iter(numbers)), "b": list(numbers)[1]}),
}
COUNTS = {  # what takes a row of counts
    "score": score,
    "score of rows": lambda row: score([row, row]),
    "scores": lambda row: scores([row, row]),
    "total": Bleu().total,
    "total of rows": lambda row: Bleu().total([ROW, row]),
    "total of NLTK's": Bleu("nltk").total,
    "stats": lambda row: a_list(stats=[row, ROW]),
}
WHOLE = {  # what takes three numbers from 0 to 2
    "owner": lambda numbers: cybleu.rows(IDS, References(IDS), owner=numbers),
    "owner of another metric": lambda numbers: Shared().rows([["a"]] * 3, [TEXTS] * 3, owner=numbers),
    "lengths": lambda numbers: cybleu.rows(IDS, References(IDS), lengths=numbers),
    "reference lengths": lambda numbers: References(IDS, lengths=numbers),
    "reference lengths of sets": lambda numbers: References(
        IDS.reshape(3, 1, 4), lengths=[[number] for number in numbers]
    ),
    "offsets": lambda numbers: References(Ragged(np.arange(2), np.array(numbers))),
    "ragged": lambda numbers: References(Ragged(np.array(numbers), np.array([0, 3]))),
    "offsets of a list": lambda numbers: NBest(numbers, FEATURES, ROWS),
    "ids": lambda numbers: NBest([0, 2, 2, 2], FEATURES, ROWS, ids=numbers),
    "index": lambda numbers: a_list(index=list(numbers)[:2], inputs=3),
    "columns": lambda numbers: a_list(sparse=(numbers, [0, 0], [1.0, 1.0], ("x",))),
    "folds": lambda numbers: cross_validate(two_segments(), list(numbers)[:2], restarts=0),
}


@pytest.mark.parametrize("call", FLOATS.values(), ids=FLOATS)
@pytest.mark.parametrize(
    "numbers",
    [
        NUMBERS[::-1][::-1],
        np.array([1.0, 9.0, 2.0])[::2],
        NUMBERS.astype(">f8"),
        NUMBERS.astype(np.float16),
        np.ma.array([1.0, 2.0]),
        [np.array(1.0), np.array(2.0)],
        [Fraction(1), Fraction(2)],
        (1, 2),
        NUMBERS.astype(np.longdouble),
    ],
    ids=["array", "strided", "big endian", "half", "unmasked", "no dimension", "fractions", "whole", "long"],
)
def test_numbers_of_any_kind(call, numbers):
    call([1.0, 2.0])
    call(numbers)


@pytest.mark.parametrize("call", FLOATS.values(), ids=FLOATS)
@pytest.mark.parametrize(
    "numbers",
    [
        ["1", "2"],
        [b"1", b"2"],
        [None, 2.0],
        [float("nan"), 2.0],
        [1j, 2.0],
        [[1.0], [1.0, 2.0]],
    ],
    ids=["str", "bytes", "None", "nan", "complex", "ragged"],
)
def test_numbers_that_are_none(call, numbers):
    with pytest.raises(errors.CybleuError):
        call(numbers)


@pytest.mark.parametrize("call", COUNTS.values(), ids=COUNTS)
@pytest.mark.parametrize(
    "row",
    [
        [*ROW[:-1], 1.5],
        [*ROW[:-1], float("nan")],
        [*ROW[:-1], None],
        [*ROW[:-1], -1],
        list(map(str, ROW)),
        "5542105432",
        {"a": 1},
        None,
        7,
        np.array(7),
        ROW[:-1],
    ],
    ids=lambda row: type(row).__name__,
)
def test_rows_that_are_none(call, row):
    if call is COUNTS["stats"] and isinstance(row, list) and isinstance(row[-1], float) and row[-1] == row[-1]:
        call(row)  # the statistics of some other metric
        return
    with pytest.raises(errors.CybleuError):
        call(row)


@pytest.mark.parametrize("call", WHOLE.values(), ids=WHOLE)
@pytest.mark.parametrize(
    "numbers",
    [
        [0.5, 1.0, 2.0],
        ["0", "1", "2"],
        [None, 1, 2],
        [[0], [1, 2], 0],
    ],
    ids=["float", "str", "None", "ragged"],
)
def test_whole_numbers_that_are_none(call, numbers):
    if call in (WHOLE["offsets"], WHOLE["ragged"]):
        numbers = np.array(numbers, dtype=object) if isinstance(numbers[1], (int, list)) else np.array(numbers)
    with pytest.raises(errors.CybleuError):
        call(numbers)


def test_masked_arrays_are_errors():
    floats, row = np.ma.array([1.0, 2.0], mask=[1, 0]), np.ma.array(ROW, mask=[0] * 9 + [1])
    ids = np.ma.array([0, 1, 2], mask=[1, 0, 1])
    for call in (
        lambda: linear(a_list(), floats),
        lambda: mbr([TEXTS], floats),
        lambda: a_list(features=np.ma.array([[1.0, 0.0]] * 2, mask=[[1, 0]] * 2)),
        lambda: a_list(model_scores=floats),
        lambda: Bleu(weights=floats),
        lambda: sentence_bleu_many([TEXTS], [["a"]], floats),
        lambda: explain(TEXTS, ["a"], floats),
        lambda: score(row),
        lambda: score([ROW, row]),
        lambda: scores(np.ma.array([ROW], mask=[row.mask])),
        lambda: cybleu.rows(IDS, References(IDS), owner=ids),
        lambda: References(Ragged(np.arange(2), ids)),
        lambda: cybleu.rows([ids], [[[1]]]),
        lambda: explain([[1, 2]], ids),
        lambda: NBest(ids, FEATURES, ROWS),
    ):
        with pytest.raises(errors.ArrayValueError, match="has masked entries; leave them out, or fill them"):
            call()


def test_weights_with_labels_are_read_by_position(pandas):
    weights = pandas.Series([9.0, 0.7, 0.3])[1:]
    segment = [["a", "b", "c"]], ["a", "b", "x"]
    expected = sentence_bleu_many([segment[0]], [segment[1]], (0.7, 0.3))
    assert sentence_bleu_many([segment[0]], [segment[1]], weights) == expected
    assert sentence_bleu_many([segment[0]], [segment[1]], [weights, weights]).tolist() == [[*expected, *expected]]
    assert self_bleu(TEXTS, weights).tolist() == self_bleu(TEXTS, (0.7, 0.3)).tolist()
    assert explain(*segment, weights).score == expected[0]
    assert tune(a_list(), weights, restarts=0).weights == tune(a_list(), [0.7, 0.3], restarts=0).weights


def test_explain_takes_the_weights_for_any_metric_and_refuses_what_it_would_ignore():
    segment = [["a", "b", "c"]], ["a", "b", "x"]
    by_metric = explain(*segment, (0.9, 0.1), metric="moses")
    assert by_metric.score == Bleu("moses", weights=(0.9, 0.1)).score(Bleu(max_order=2).count(*segment[::-1])).score
    with pytest.raises(errors.UnknownNameError, match="smoothing_function is for NLTK's"):
        explain(*segment, smoothing_function=lambda p_n, **more: p_n, metric="moses")


def test_rows_of_another_metric_are_not_rounded():
    for result in ([0.5, 1], [1], ["1", "2"], [float("nan"), 1], 3):
        with pytest.raises(errors.StatisticsError, match="shared"):
            Shared(result).rows([["a"]], [TEXTS])
        with pytest.raises(errors.StatisticsError, match="shared"):
            Shared(result).sum_of([TEXTS], [["a"]])
        with pytest.raises(errors.StatisticsError):
            score(result, Shared())
        with pytest.raises(errors.CybleuError):
            scores([result], Shared())
    assert scores([[1, 2], [3, 4]], Shared()).tolist() == [0.5, 0.75]
    assert score([[1, 2], [2, 2]], Shared()).score == score(np.array([[1, 2], [2, 2]]), Shared()).score == 0.75
    assert score([[2**62, 2**62]] * 4, Shared()).score == score(np.array([[2**62, 2**62]] * 4), Shared()).score == 1
    with pytest.raises(errors.ArrayValueError, match=r"owner\[0\] is -1"):
        Shared().rows([["a"]], [TEXTS], owner=[-1])


LISTS = [["a b", "a"], ["c d", "c"], ["e f", "e"], ["g h", "g"]]
SETS = [["a b"], ["c d"], ["e f"], ["g h"]]


@pytest.mark.parametrize("number", ["1", None, b"1", [1], 1j, math.nan, NUMBERS])
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda nbest, number: kbmira(nbest, step=number), "step is"),
        (lambda nbest, number: kbmira(nbest, decay=number), "decay"),
        (lambda nbest, number: perceptron(nbest, folds=2, good=number), "good is"),
        (lambda nbest, number: perceptron(nbest, folds=2, margin=number), "margin is"),
        (lambda nbest, number: pro(nbest, regularisation=number), "regularisation is"),
        (lambda nbest, number: pro(nbest, interpolation=number), "interpolation is"),
        (
            lambda nbest, scale: paired_test(*[nbest.stats] * 2, np.sum, scale="0" if scale is None else scale),
            "scale is",
        ),
    ],
)
def test_what_is_no_number_in_a_range(call, message, number):
    nbest = NBest.from_texts(LISTS, SETS, [[0.0], [1.0]] * 4, ["lm"], tokenize=str.split, max_order=2)
    with pytest.raises(errors.CybleuError, match=message):
        call(nbest, number)


def test_weights_that_are_not_by_name(tmp_path):
    with pytest.raises(errors.WeightsError, match=r"must be by name, such as .*, and they are a list"):
        write_weights(tmp_path / "weights", [1.0])
    with pytest.raises(errors.FeatureError, match="names 1, which is no feature"):
        tune(two_segments(), {1: 2.0})


def test_paths_that_are_none():
    for path in ("a\0b", "\ud800"):
        for read in (read_weights, lambda references: NBest.from_texts([[]], references)):
            with pytest.raises(errors.InputFileError, match="cannot be the name of a file"):
                read(path)
    with pytest.raises(TypeError, match="PathLike"):
        read_weights(True)  # the number of standard output


def test_one_variant_to_explain():
    alone = explain_difference([[TEXTS[0]]], TEXTS[:1], "moses")
    assert alone == explain_difference([[TEXTS[0]]], TEXTS[:1], ("moses",))
    assert alone == explain_difference([[TEXTS[0]]], TEXTS[:1], VARIANTS["moses"])
