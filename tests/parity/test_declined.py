"""Input beyond floats or 64 bits, which kernels leave to the mirror: the public functions agree."""

from dataclasses import replace
from types import NoneType

import numpy as np
import pytest

import cybleu
from cybleu import SmoothingFunction, metrics, sentence_bleu, tuning
from cybleu.errors import EmptyHypothesisError, StatisticsError
from cybleu.metrics import VARIANTS
from cybleu.nbest import NBest
from inputs import on_both_backends
from marks import long

pytestmark = pytest.mark.thread_unsafe(reason="one process has the mirror")

SCORES = {
    "no weight on the orders that are there": (
        [1, 1, 1, 0, 1, 0],
        {"weights": (0, 1), "effective_order": True},
        StatisticsError,
    ),
    "no weight on an order": ([3, 3, 3, 2, 3, 2], {"weights": (1, 0)}),
    "terms that are too large to sum": ([3, 4, 2, 1, 3, 2], {"weights": (1e301, -1e301)}, OverflowError),
    "a length that a float does not hold": ([2**60, 2**60, 2**59, 1, 2**60, 2**60 - 1], {}),
    "n-grams that a float does not hold": ([9, 9, 9, 1, 9, 2**60], {"metric": "nltk"}),
    "no n-grams of a text": ([9, 9, 0, 0, 0, 0], {"effective_order": True, "metric": "smoothed"}),
    "a precision that is too large": ([4, 4, 0, 0, 4, 3], {"smoothing_value": 1e307, "metric": "smoothed"}),
    "no weight on what matches": ([4, 4, 2, 0, 4, 3], {"weights": (0, 1), "metric": "exact"}),
    "nothing that the mean takes": ([4, 4, 0, 0, 4, 3], {"metric": "exact", "smoothing_value": 0}),
    "a smoothing that is too large": (
        [4, 4, 0, 0, 4, 3],
        {"smoothing": "exp-by-length", "smoothing_value": 1e-320, "metric": "by length"},
    ),
    "a mean that is too large": ([4, 4, 2, 1, 4, 3], {"weights": (1e308, 1), "metric": "arithmetic"}),
    "a mean that is too small": ([4, 4, 2, 1, 4, 3], {"weights": (1, -1e308), "metric": "arithmetic"}),
    "a precision that is infinite": ([1798, 1798, 1798, 0, 1798, 1797], {"metric": "large numbers"}),
    "a mean of large numbers": ([4, 4, 2, 1, 4, 3], {"weights": (1e25, 1), "metric": "arithmetic of large numbers"}),
    "a precision whose share is 0": (
        [9, 9, 0, 0, 9, 8],
        {"weights": (0.1, 0.9), "smoothing_value": 1e-322, "metric": "smoothed"},
    ),
    "no text": ([0, 4, 0, 0, 0, 0], {"metric": "huggingface"}, EmptyHypothesisError),
    "orders of which each has a third": ([9, 9, 8, 6, 4, 9, 8, 7], {"metric": "huggingface"}),
    "a tie": ([4, 4, 4, 3, 2, 4, 3, 2], {"weights": (1, 2**-47 / 100, 1e-62), "metric": "arithmetic"}),
}
MINE = {
    "smoothed": replace(
        VARIANTS["sacrebleu"],
        smoothings=(("floor", "floor", 0.1),),
        no_match_at_all="smoothed",
        empty_order="end",
    ),
    "arithmetic": replace(VARIANTS["sacrebleu"], mean="arithmetic"),
    "arithmetic of large numbers": replace(VARIANTS["sacrebleu"], mean="arithmetic", scale=1e280),
    "large numbers": replace(VARIANTS["sacrebleu"], scale=1e305),
    "by length": replace(
        VARIANTS["sacrebleu"],
        smoothings=(("exp-by-length", "exp-by-length", 5.0),),
        no_match_at_all="smoothed",
    ),
    "exact": replace(
        VARIANTS["sacrebleu"], mean="exact", smoothings=(("floor", "floor", 0.1),), no_match_at_all="smoothed"
    ),
}


def same(call, expected=NoneType):
    on_both_backends(call, expected)


@pytest.mark.parametrize("case", SCORES.values(), ids=SCORES)
def test_scores(kernels, case):
    row, options, *error = case
    metric = options.get("metric", "sacrebleu")
    options = {**options, "metric": MINE.get(metric, metric)}
    same(lambda: metrics.score(row, **options), *error)
    of_rows = [] if error == [EmptyHypothesisError] else error
    same(lambda: metrics.scores(np.array([row], dtype=np.int64), **options), *of_rows)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"weights": (0, 1), "effective_order": True}, [StatisticsError]),
        ({"smoothing_value": 1e307, "metric": MINE["smoothed"]}, []),
        ({"smoothing_value": 1e-320, "metric": MINE["by length"]}, []),
        ({"weights": (1, -1e308), "metric": MINE["arithmetic"]}, []),
        ({"metric": "huggingface"}, []),
    ],
    ids=str,
)
def test_pairs(kernels, options, error):
    texts = [["a", "b", "c", "a"], ["d", "a", "b", "c"], ["e"], ["f", "g"]]
    same(lambda: cybleu.pairs(texts, max_order=2, **options), *error)
    same(lambda: cybleu.pairs(texts[::-1], texts[:3], max_order=2, **options), *error)


def test_rows_of_gleu(kernels):
    texts = [["a", "b"], [("c", "d"), "e"], ["f", "g", "h"], [1.0, "i"], ["j"]]
    references = [[text[:1], [*text, "k"]] for text in texts]
    rows = on_both_backends(lambda: cybleu.rows(texts, references, "gleu"))
    assert rows.tolist() == [[3, 6], [3, 6], [6, 10], [3, 6], [1, 1]]


def lists(rows):
    """Two segments; the second has two hypotheses, each of which wins somewhere."""
    return NBest([0, 1, 3], [[1.0], [0.0], [1.0]], rows)


LISTS = {
    "add-k": ([[4, 5, 3, 2, 4, 3], [4, 4, 3, 0, 4, 3], [4, 4, 2, 2, 4, 3]], {"smoothings": (("add", "add-k", 1.0),)}),
    "float32": ([[4, 5, 3, 4], [4, 4, 3, 4], [4, 4, 2, 4]], {"smoothings": (("no", "float32", None),)}),
    "no text at all": ([[0, 3, 0, 0, 0, 0], [0, 4, 0, 0, 0, 0], [4, 4, 2, 2, 4, 3]], {"fails": "empty-text"}),
    "large counts": ([[2**60, 2**60, 9, 9, 2**60, 2**60], [9, 9, 8, 8, 9, 8], [9, 9, 8, 8, 8, 8]], {}),
    "large counts without a match": ([[2**60, 9, 9, 0, 2**60, 2**60], [9, 9, 8, 0, 9, 8], [9, 9, 7, 0, 9, 8]], {}),
    "large counts at one place": ([[9, 9, 8, 8, 9, 8], [9, 9, 8, 8, 9, 8], [2**60, 9, 2**60, 2**60, 2**60, 2**60]], {}),
    "nearly equal": (
        [
            [9, 9, 8, 8, 9, 8],
            [10**12, 9, 10**12, 10**12, 10**12, 10**12],
            [10**12, 9, 10**12 - 1, 10**12, 10**12, 10**12],
        ],
        {},
    ),
    "more orders than the kernel has": (
        [
            [20, 20, *range(20, 3, -1), *range(20, 3, -1)],
            [20, 20, *range(18, 1, -1), *range(20, 3, -1)],
            [20, 20, *range(20, 3, -1), *range(20, 3, -1)],
        ],
        {},
    ),
}


@pytest.mark.parametrize("start", [-1.0, 1.0])
@pytest.mark.parametrize("case", LISTS.values(), ids=LISTS)
def test_line_search(kernels, case, start):
    rows, changes = case
    metric = replace(VARIANTS["sacrebleu"], **changes)
    same(lambda: tuning.line_search(lists(rows), [start], "f0", metric=metric))


@pytest.mark.parametrize(
    "smoothing", [SmoothingFunction(k=1e-320).method4, SmoothingFunction(k=1e-320).method7], ids=["method4", "method7"]
)
def test_smoothing(kernels, smoothing):
    on_both_backends(
        lambda: sentence_bleu([["a", "b", "c", "d", "e"]], ["a", "c", "b", "e", "d"], smoothing_function=smoothing)
    )


@pytest.mark.parametrize("row", [(9, 9, 5) * 6, [9.0, 9, 5] * 6, [2**60, 2**60, 5] * 6, [9, 9, 5] * 6], ids=str)
def test_chrf(kernels, row):
    same(lambda: metrics.Chrf().evaluate(row))
    same(lambda: metrics.scores(np.array([row], dtype=np.int64), "chrf"))


@pytest.mark.parametrize("method", ["method5", "method6"])
@pytest.mark.parametrize("order", [4, 8, long(16)])
def test_fractions_that_integers_do_not_hold(kernels, order, method):
    text = [str(number) for number in range(10_007)]
    options = {"weights": [1 / order] * order, "smoothing_function": getattr(SmoothingFunction(), method)}
    same(lambda: sentence_bleu([text], text[5000:] + text[:5000], **options))
