"""Numbers and arrays of every kind, wherever they are accepted: read as the numbers that they are, or refused; nothing is guessed."""

from fractions import Fraction

import numpy as np
import pytest

import cybleu
from cybleu import Ragged, References, errors, explain_difference, score, scores, self_bleu
from cybleu.explanations import settings_of
from cybleu.metrics import Bleu
from cybleu.nbest import NBest
from cybleu.rerank import linear, mbr, oracle, perceptron
from cybleu.significance import Settings, compare_systems, format_comparisons, paired_ar, paired_bs, paired_test
from cybleu.tuning import kbmira, line_search, pro_pairs, tune, write_weights
from inputs import Own, bits
from nbest_lists import ROW, a_list, line, written

NUMBERS = np.array([1.0, 2.0])
IDS = np.arange(12).reshape(3, 4)
TEXTS = [["a", "b", "c"], ["a", "b"]]


def as_array(numbers):
    return np.array(numbers, dtype=object) if isinstance(numbers[1], (int, list)) else np.array(numbers)


FLOATS = {  # what takes two numbers: an array, or a list of them
    "linear": lambda numbers: linear(a_list(), numbers),
    "line_search": lambda numbers: line_search(a_list(), numbers, [1.0, 0.0]),
    "direction": lambda numbers: line_search(a_list(stats=[ROW, [5, 5, 5, 4, 3, 2, 5, 4, 3, 2]]), [2.0, 1.0], numbers),
    "tune": lambda numbers: tune(a_list(), numbers, restarts=0),
    "bounds": lambda numbers: tune(a_list(), bounds={"f0": numbers}, restarts=0),
    "fixed": lambda numbers: tune(a_list(), fixed={"f0": next(iter(numbers)), "f1": list(numbers)[1]}, restarts=0),
    "kbmira": lambda numbers: kbmira(a_list(), numbers, passes=1),
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
    "owner of another metric": lambda numbers: Own().rows([["a"]] * 3, [TEXTS] * 3, owner=numbers),
    "lengths": lambda numbers: cybleu.rows(IDS, References(IDS), lengths=numbers),
    "reference lengths": lambda numbers: References(IDS, lengths=numbers),
    "reference lengths of sets": lambda numbers: References(
        IDS.reshape(3, 1, 4), lengths=[[number] for number in numbers]
    ),
    "offsets": lambda numbers: References(Ragged(np.arange(2), as_array(numbers))),
    "ragged": lambda numbers: References(Ragged(as_array(numbers), np.array([0, 3]))),
    "offsets of a list": lambda numbers: a_list(offsets=numbers),
    "ids": lambda numbers: a_list(offsets=[0, 2, 2, 2], ids=numbers),
    "index": lambda numbers: a_list(index=list(numbers)[:2], inputs=3),
    "columns": lambda numbers: a_list(sparse=(numbers, [0, 0], [1.0, 1.0], ("x",))),
}


NUMBERS_OF_ANY_KIND = {
    "array": NUMBERS[::-1][::-1],
    "strided": np.array([1.0, 9.0, 2.0])[::2],
    "big endian": NUMBERS.astype(">f8"),
    "half": NUMBERS.astype(np.float16),
    "long": NUMBERS.astype(np.longdouble),
    "unmasked": np.ma.array([1.0, 2.0]),
    "no dimension": [np.array(1.0), np.array(2.0)],
    "fractions": [Fraction(1), Fraction(2)],
    "whole": (1, 2),
}
NO_FLOATS = [["1", "2"], [b"1", b"2"], [None, 2.0], [float("nan"), 2.0], [1j, 2.0], [[1.0], [1.0, 2.0]]]
NO_COUNTS = [*([*ROW[:-1], last] for last in (1.5, float("nan"), None, -1)), [*map(str, ROW)], ROW[:-1]]
NO_COUNTS += ["5542105432", {"a": 1}, None, 7, np.array(7)]
NO_WHOLE = [[0.5, 1.0, 2.0], ["0", "1", "2"], [None, 1, 2], [[0], [1, 2], 0]]


@pytest.mark.parametrize("name", FLOATS)
def test_numbers_of_any_kind(name):
    def attributes(numbers):
        return bits([*getattr(FLOATS[name](numbers), "__dict__", {}).values()])

    for numbers in NUMBERS_OF_ANY_KIND.values():
        assert attributes(numbers) == attributes([1.0, 2.0])


def test_numbers_of_an_equal_dtype_become_float64():
    equal = np.dtype(np.float64, metadata={"name": "as long double is on Windows"})
    assert a_list(model_scores=NUMBERS.astype(equal)).model_scores.dtype is NUMBERS.dtype


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        pytest.param(call, wrong, id=f"{name}-{type(wrong).__name__}{place}")
        for calls, kinds in ((FLOATS, NO_FLOATS), (COUNTS, NO_COUNTS), (WHOLE, NO_WHOLE))
        for name, call in calls.items()
        for place, wrong in enumerate(kinds)
    ],
)
def test_what_is_no_number_there(call, wrong):
    if call is COUNTS["stats"] and wrong is NO_COUNTS[0]:
        call(wrong)  # the statistics of some other metric
        return
    with pytest.raises(errors.CybleuError):
        call(wrong)


@pytest.mark.parametrize("row", [[0.5, 1], [1], ["1", "2"], [float("nan"), 1], 3], ids=str)
def test_rows_of_a_metric_of_the_user_are_not_rounded(row):
    counted = type("Counted", (Own,), {"count": lambda *texts: row})()
    with pytest.raises(errors.StatisticsError, match="own"):
        counted.rows([["a"]], [TEXTS])
    for call in (lambda: score(row, Own()), lambda: scores([row], Own())):
        with pytest.raises(errors.CybleuError):
            call()


@pytest.mark.parametrize("form", [list, np.array])
def test_sums_of_a_metric_of_the_user_may_be_large(form):
    assert score(form([[2**62, 2**62]] * 4), Own()).score == 1


# so many segments differ that all shuffles are more than samples
SYSTEMS = {"one": [ROW] * 9, "other": [[5, 6, 4, 3, 2, 1, 5, 4, 3, 2]] * 9}
TWO_SEGMENTS = a_list(offsets=[0, 2, 4], features=[[0.0, 1.0], [1.0, 0.0]] * 2, stats=[ROW, SYSTEMS["other"][0]] * 2)
WHOLE_OPTIONS = {  # a number, the largest of int8 where one more is needed, and what takes it
    "samples of a test": (127, lambda number: paired_test(*SYSTEMS.values(), samples=number).p),
    "samples of a bootstrap": (127, lambda number: paired_test(*SYSTEMS.values(), test="win-ratio", samples=number).p),
    "samples of sacreBLEU": (127, lambda number: paired_bs(SYSTEMS, samples=number)["other"].p_value),
    "shuffles of sacreBLEU": (127, lambda number: paired_ar(SYSTEMS, samples=number)["other"].p_value),
    "seed": (1, lambda seed: format_comparisons([compare_systems(SYSTEMS, settings=Settings(seed=seed))], "json")),
    "seed of self-BLEU": (1, lambda seed: self_bleu(TEXTS, (1,), sample=1, seed=seed).tolist()),
    "seed of an oracle": (1, lambda seed: oracle(TWO_SEGMENTS, "corpus", seed=seed).rows.tolist()),
    "seed of a perceptron": (1, lambda seed: perceptron(TWO_SEGMENTS, folds=2, seed=seed).weights),
    "keep": (1, lambda number: pro_pairs(TWO_SEGMENTS, samples=9, keep=number)[1].tolist()),
    "order": (2, lambda order: str(explain_difference([["a"]], [["a"]], order=order))),
    "digits": (1, lambda digits: settings_of([[*"abcd"]], [[*"abcd"]], "100.0", digits).found),
}


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.uint64])
@pytest.mark.parametrize("name", WHOLE_OPTIONS)
def test_whole_numbers_of_numpy_are_ints(name, kind):
    number, call = WHOLE_OPTIONS[name]
    assert call(kind(number)) == call(number)


def test_a_first_id_of_numpy_is_an_int(tmp_path):
    path = written(tmp_path, line(1))
    assert NBest.from_files(path, [["a"]], first_id=np.uint64(1)).ids.tolist() == [1]
