"""Tuning on lists of real decoders, compared with the scores of Moses."""

import csv

import pytest

from brute_force import MOSES_WEIGHTS, score_of
from cybleu import metrics
from cybleu.nbest import NBest
from cybleu.tuning import line_search, tune

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def moses100(data):
    return NBest.from_files(data / "moses100" / "nbest.gz", data / "moses100" / "reference")


def test_each_axis_is_as_good_as_in_moses(moses100, data):
    with open(data / "moses100" / "moses-line-search.tsv", encoding="utf-8", newline="") as file:
        expected = [float(row["best_bleu"]) for row in csv.DictReader(file, delimiter="\t")]
    assert len(expected) == len(moses100.names) == 15
    for name, theirs in zip(moses100.names, expected):
        found = line_search(moses100, MOSES_WEIGHTS, name)
        assert round(found.start_score, 7) == 0.0626472
        assert found.score == score_of(moses100, found.weights.values())
        # Moses prints six digits in single precision
        assert found.score > theirs - 1e-7


def test_twenty_restarts(moses100):
    tuned = tune(moses100, MOSES_WEIGHTS, restarts=20, threads=2)
    assert tuned.score >= 0.0981532
    assert tuned.score == score_of(moses100, tuned.weights.values())
    for end in tuned.restarts:
        assert all(line_search(moses100, end.weights, name).score == end.score for name in moses100.names)


@pytest.mark.parametrize(("name", "count", "expected"), [("hiero", 805, 0.24166), ("packed", 862, 0.26621)])
def test_named_features_and_four_references(data, name, count, expected):
    references = [data / "bn-en" / f"reference.en.{number}" for number in range(4)]
    nbest = NBest.from_files(data / "bn-en" / f"{name}.nbest.gz", references)
    assert (len(nbest.features), nbest.names[0]) == (count, "lm_0")
    first = nbest.offsets[:-1]  # decoders write the best first
    best = [nbest.model_scores[nbest.segment(number)].max() for number in range(len(nbest))]
    assert nbest.model_scores[first].tolist() == best
    before = metrics.score(nbest.stats[first], "multi-bleu").score / 100
    assert round(before, 5) == expected
    tuned = tune(nbest, restarts=10, metric="multi-bleu")
    assert tuned.score / 100 > before
    assert tuned.score == score_of(nbest, tuned.weights.values(), "multi-bleu")
