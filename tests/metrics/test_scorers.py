"""Moses's scorers on the rows of files of scores: formulas, files, searches."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute_force import nbests, score_of, tried, weight
from cybleu import score, scores
from cybleu.errors import InputFileError, OrderError, StatisticsError, UnknownNameError, WeightsError
from cybleu.metrics import Bleu, MosesScorer
from cybleu.nbest import NBest, merge
from cybleu.tuning import line_search, random_search, tune
from nbest_lists import written

pytestmark = pytest.mark.usefixtures("backend")


def error_rate(errors, length, *_):
    return 1 - Fraction(errors) / Fraction(length) if length else Fraction(1)


def per(correct, length, wanted):
    return (Fraction(correct) - max(0, length - wanted)) / wanted if wanted else Fraction(0)


FORMULAS = {
    "TER": (3, error_rate),
    "PER": (3, per),
    "WER": (2, error_rate),
    "CDER": (2, error_rate),
    "SER": (2, error_rate),
}


@given(st.sampled_from([*FORMULAS]), st.lists(st.integers(0, 50), min_size=3, max_size=3))
def test_formulas(name, numbers):
    """As Moses's scorers have them, in exact arithmetic."""
    width, formula = FORMULAS[name]
    row = numbers[:width]
    assert MosesScorer(name).evaluate(row) == pytest.approx(float(formula(*row)), abs=1e-12)
    assert len(MosesScorer(name).columns) == width


def test_scores_of_moses():
    assert MosesScorer("PER").evaluate([8, 12, 10]) == 0.6
    assert MosesScorer("TER").evaluate([250, 1000, 25]) == 0.75
    assert MosesScorer("TER").evaluate([3000, 1000, 300]) == -2.0
    assert MosesScorer("WER").evaluate([0, 0]) == MosesScorer("SER").evaluate([0, 3]) == 1.0
    row = [6, 8, 2, 7, 1, 6, 1, 5, 9]
    bleu = Bleu("moses").evaluate([8, 9, 6, 2, 1, 1, 8, 7, 6, 5])
    assert MosesScorer("BLEU").evaluate(row) == bleu
    assert MosesScorer("BLEU,WER").evaluate([*row, 3, 12]) == 0.5 * bleu + 0.5 * 0.75
    assert MosesScorer("WER,BLEU", (1, 3)).evaluate([3, 12, *row]) == 0.25 * 0.75 + 0.75 * bleu
    assert MosesScorer("BLEU", max_order=1).evaluate([6, 8, 9]) == Bleu("moses", max_order=1).evaluate([8, 9, 6, 8])


TYPES = st.sampled_from(["TER", "PER", "WER", "CDER", "SER", "BLEU", "BLEU,TER", "PER,BLEU,WER", "CDER,CDER"])


@given(TYPES, st.integers(0, 2**32 - 1), st.integers(0, 6))
def test_many_rows_at_once(types, seed, count):
    metric = MosesScorer(types, tuple(range(1, types.count(",") + 2)))
    rows = np.random.default_rng(seed).integers(0, 4, (count, len(metric.columns)))
    matches = [column for column, name in enumerate(metric.columns) if "match" in name]
    rows[:, [column + 1 for column in matches]] += rows[:, matches]  # no fewer n-grams than matches
    each = [metric.evaluate(row) for row in rows.tolist()]
    assert scores(rows, metric).tolist() == each
    assert not metric.takes_fractions or metric.scores(rows.astype(float)).tolist() == each
    assert metric.formula(rows.shape[1]).score_rows(rows).tolist() == each
    if count:
        assert score(rows, metric).score == metric.evaluate(rows.sum(axis=0).tolist())
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_rows_with_fractions():
    metric = MosesScorer("TER")
    assert str(score([[100, 1033.5, 9.7], [50, 500, 10]], metric)) == "scorer:TER = 90.22"
    with pytest.raises(StatisticsError, match="integers"):
        scores([[0.5, 2.0]], MosesScorer("WER"))


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        (("METEOR",), UnknownNameError, "'METEOR' is not known here; known are BLEU, TER, PER, WER, CDER, SER"),
        ((None,), UnknownNameError, "the types are None; give the names of scorers"),
        (("BLEU,",), UnknownNameError, "the scorer '' is not known"),
        (("BLEU,TER", (1,)), WeightsError, "give a finite number for each scorer, of a sum above 0"),
        (("BLEU,TER", (1, -1)), WeightsError, "of a sum above 0"),
        (("BLEU,TER", (1, math.inf)), WeightsError, "finite"),
        (("TER", "x"), WeightsError, "the weights of TER are 'x'; give a finite number for each scorer"),
        (("TER", b"x"), WeightsError, "finite number"),
        (("TER", ["1"]), WeightsError, "finite number"),
        (("TER", 0.5), WeightsError, "finite number"),
        (("TER", [[1]]), WeightsError, "finite number"),
        (("TER", [10**400]), WeightsError, "finite number"),
        (("BLEU", None, 0), OrderError, "max_order is 0"),
    ],
)
def test_scorers_that_cannot_be(arguments, error, reason):
    with pytest.raises(error, match=reason):
        MosesScorer(*arguments)


def test_they_do_not_count_texts():
    with pytest.raises(StatisticsError, match="does not count texts"):
        MosesScorer("WER").rows([[["a"]]], [["a"]])
    with pytest.raises(StatisticsError, match="has 2 entries"):
        MosesScorer("WER").evaluate([1, 2, 3])


@pytest.mark.parametrize(
    "row", ["ab", ["a", "b"], [None, 1], [1, math.nan], [1j, 1], [[1], [2]], [10**400, 1], None, 5]
)
def test_what_is_no_row(row):
    with pytest.raises(StatisticsError, match="a row of WER has finite numbers, and this is"):
        MosesScorer("WER").evaluate(row)


def test_counts_of_bleu_are_not_rounded():
    metric = MosesScorer("BLEU,TER", max_order=1)
    row = [3, 4, 5, 1, 10, 10.0]
    assert metric.evaluate([3.0, *row[1:]]) == metric.evaluate(row) == scores([row], metric)[0]
    row[0] = 3.5
    for found in (lambda: metric.evaluate(row), lambda: scores([row], metric), lambda: score([row], metric)):
        with pytest.raises(StatisticsError, match="whole numbers"):
            found()


# --------------------------------------------------------------------------------------------------------------- files

FEATURES = "FEATURES_TXT_BEGIN_0 0 2 1 lm_0\n1\n2\nFEATURES_TXT_END_0\n"


def from_scores(folder, kind, *rows, **choices):
    width = len(rows[0].split())
    lines = "\n".join([f"SCORES_TXT_BEGIN_0 0 2 {width} {kind}", *rows, "SCORES_TXT_END_0\n"])
    return NBest.from_moses(written(folder, FEATURES, "F"), written(folder, lines, "S"), **choices)


def test_files_of_scores(tmp_path):
    nbest = from_scores(tmp_path, "TER", "100 900 11.1111", "0 933.333 0")
    assert nbest.score == MosesScorer("TER")
    assert nbest.stats.tolist() == [[100, 900, 11.1111], [0, 933.333, 0]]
    assert from_scores(tmp_path, "TER", "100 900 11", "0 900 0").stats.dtype == np.float64
    nbest = from_scores(tmp_path, "PER", "5 6 7", "7 7 7")
    assert nbest.stats.tolist() == [[5, 6, 7], [7, 7, 7]] and nbest.stats.dtype == np.int64
    assert tune(nbest).score == 1.0
    nbest = from_scores(tmp_path, "BLEU,WER", "1 2 0 1 3 1 3", "2 2 1 1 2 0 2", scorer_weights=(3, 1))
    assert nbest.score == MosesScorer("BLEU,WER", (3, 1), max_order=2)
    assert random_search(nbest, [[1.0], [-1.0]])[0] == 1.0
    again = from_scores(tmp_path, "BLEU,WER", "1 2 0 1 3 1 3", "2 2 1 1 2 0 2", scorer_weights=(3, 1))
    assert len(merge(nbest, again).features) == 2


@pytest.mark.parametrize(
    ("kind", "rows", "reason"),
    [
        ("TER", ["1 2", "3 4"], "S, line 1: there are 2 statistics, and TER has 3: edits, reference_length, rate"),
        ("METEOR", ["1 2", "3 4"], "S, line 1: the statistics are of 'METEOR': .*not known here"),
        ("PER", ["5 6 7", "5 6.5 7"], "S, line 3: these are no statistics of PER: 5 6.5 7"),
        ("WER", ["-1 6", "5 6"], "S, line 2: these are no statistics of WER: -1 6"),
        ("TER", ["1 2 3", "1 2 3 x=1"], "S, line 3: these are no statistics of TER"),
        ("BLEU,WER", ["3 2 2 1 6", "1 2 2 1 6"], "S, line 2: these are no statistics of BLEU,WER"),
        ("BLEU,WER", ["3 2 2 1 6 1", "1 2 2 1 6 1"], "there are 6 statistics, and BLEU,WER has 5"),
    ],
)
def test_files_of_scores_that_cannot_be(tmp_path, kind, rows, reason):
    with pytest.raises(InputFileError, match=reason):
        from_scores(tmp_path, kind, *rows)


@given(nbests(), st.sampled_from(["TER", "PER", "BLEU,WER"]), st.lists(weight, min_size=2, max_size=2), st.data())
def test_searches(tmp_path_factory, nbest, types, weights, data):
    """Through the files, and beside brute force."""
    metric = MosesScorer(types, max_order=1)
    seed = data.draw(st.integers(0, 2**32 - 1))
    rows = np.random.default_rng(seed).integers(0, 6, (len(nbest.features), len(metric.columns)))
    if types == "TER":
        rows = rows * 0.25
    elif "BLEU" in types:
        rows[:, 1] += rows[:, 0]
    nbest = NBest(nbest.offsets, nbest.features, rows, ["d_0", "d_1"], score=metric)
    folder = tmp_path_factory.mktemp("scores")
    nbest.to_moses(folder / "F", folder / "S")
    read = NBest.from_moses(folder / "F", folder / "S", len(nbest))
    assert (read.score.types, read.score.columns) == (types, metric.columns)
    assert read.stats.tolist() == rows.tolist() and (read.features == nbest.features).all()
    found = line_search(read, weights, "d_1")

    def total(row):
        return metric.evaluate(row.tolist())

    assert found.score == pytest.approx(score_of(nbest, list(found.weights.values()), total), abs=1e-12)
    if any(weights):  # where all are 0 hypotheses are equal, which a step to weights that are not does not keep
        assert found.score >= max(tried(nbest, weights, [0.0, 1.0], metric=total)) - 1e-12
