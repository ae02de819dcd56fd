"""Recompute the table of docs/reranking.md from real lists."""

import re
from pathlib import Path

import numpy as np
import pytest

from cybleu.metrics import score
from cybleu.nbest import NBest
from cybleu.rerank import mbr, oracle, perceptron
from cybleu.text import tokenizer

pytestmark = pytest.mark.real_data

PAGE = Path(__file__).parents[2] / "docs" / "reranking.md"
BEST_SYSTEM = "uedin-nmt.4722"


def bn_en(data, name):
    folder = data / "bn-en"
    return NBest.from_files(folder / f"{name}.nbest.gz", sorted(folder.glob("reference.en.*")))


def moses100(data):
    return NBest.from_files(data / "moses100" / "nbest.gz", [data / "moses100" / "reference"])


def wmt17(data):
    """Read the systems, the best one first, with the features system, expected BLEU and length."""
    folder = data / "wmt17-en-de"
    paths = sorted(folder.glob("*.txt"), key=lambda path: (path.stem != BEST_SYSTEM, path.stem))
    columns = [path.read_text(encoding="utf-8").split("\n")[:-1] for path in paths if path.stem != "ref"]
    lists = list(zip(*columns))
    best = mbr(lists, tokenize=str.split)
    features = np.tile(np.eye(len(columns)), (len(lists), 1))
    lengths = [len(text.split()) for texts in lists for text in texts]
    names = [*(f"system{number}" for number in range(len(columns))), "mbr", "words"]
    return NBest.from_texts(
        lists, [folder / "ref.txt"], np.column_stack([features, best.scores, lengths]), names, tokenize=str.split
    )


LISTS = {
    "Joshua, hiero": lambda data: bn_en(data, "hiero"),
    "Joshua, packed": lambda data: bn_en(data, "packed"),
    "Moses": moses100,
    "WMT17 en-de": wmt17,
}


@pytest.mark.parametrize("name", LISTS)
def test_the_table(data, name):
    nbest = LISTS[name](data)
    found = [
        score(nbest.stats[nbest.offsets[:-1]]).score,
        oracle(nbest).corpus_score().score,
        oracle(nbest, "corpus").score,
        mbr(nbest).corpus_score().score,
        perceptron(nbest).score,
    ]
    (line,) = re.findall(rf"^\| {name}[^|]*\|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.M)
    assert [f"{value:.2f}" for value in found] == line.replace(" ", "").split("|")


def test_the_samples(data):
    texts = (data / "mbr-samples" / "samples.txt").read_text(encoding="utf-8").split("\n")[:-1]
    best = mbr([texts], tokenize="13a")
    assert best.rows.tolist() == [174]
    assert (round(best.scores.max(), 2), round(best.scores.mean(), 2)) == (31.06, 18.88)
    tokens = [tokenizer("13a")(text) for text in texts]
    assert mbr([tokens]).scores.tolist() == best.scores.tolist()
