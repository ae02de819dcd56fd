"""Tuning on lists of real decoders, compared with the scores of Moses."""

import csv

import pytest

from brute_force import score_of
from cybleu import metrics
from cybleu.nbest import NBest
from cybleu.tuning import line_search, tune

pytestmark = pytest.mark.real_data

START = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0.3, 0.2, 0.3, 0.2, 0.1, 1]


@pytest.fixture(scope="module")
def moses100(data):
    return NBest.from_files(data / "moses100" / "nbest.gz", data / "moses100" / "reference")


def recomputed(nbest, weights):
    """Recompute a score with NumPy's dot product and the first best hypothesis of each segment."""
    values = nbest.features @ list(weights.values())
    rows = [first + values[first:last].argmax() for first, last in zip(nbest.offsets[:-1], nbest.offsets[1:])]
    return metrics.score(nbest.stats[rows], "moses").score


@pytest.mark.usefixtures("backend")
def test_each_axis_is_as_good_as_in_moses(moses100, data):
    with open(data / "moses100" / "moses-line-search.tsv", encoding="utf-8", newline="") as file:
        expected = [float(row["best_bleu"]) for row in csv.DictReader(file, delimiter="\t")]
    assert len(expected) == len(moses100.names) == 15
    for name, theirs in zip(moses100.names, expected):
        found = line_search(moses100, START, name)
        assert round(found.start_score, 7) == 0.0626472
        assert found.score == recomputed(moses100, found.weights)
        # Moses prints six digits in single precision
        assert found.score > theirs - 1e-7


def test_twenty_restarts(moses100):
    tuned = tune(moses100, START, restarts=20, threads=2)
    assert tuned.score >= 0.0981532
    assert tuned.score == recomputed(moses100, tuned.weights)
    for end in tuned.restarts:
        assert all(line_search(moses100, end.weights, name).score == end.score for name in moses100.names)


@pytest.mark.parametrize("name", ["hiero", "packed"])
def test_named_features_and_four_references(data, name):
    references = [data / "bn-en" / f"reference.en.{number}" for number in range(4)]
    nbest = NBest.from_files(data / "bn-en" / f"{name}.nbest.gz", references)
    first = metrics.score(nbest.stats[nbest.offsets[:-1]], "multi-bleu").score / 100
    assert round(first, 5) == {"hiero": 0.24166, "packed": 0.26621}[name]
    tuned = tune(nbest, restarts=10, metric="multi-bleu")
    assert tuned.score / 100 > first
    assert tuned.score == score_of(nbest, tuned.weights.values(), "multi-bleu")
