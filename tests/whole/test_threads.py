"""Threads that share prepared objects and lists get the same results as single threads."""

from __future__ import annotations

import subprocess
import sys
import threading
from array import array
from random import Random

import numpy as np
import pytest

import cybleu
from cybleu import Ragged, References, SmoothingFunction, corpus_bleu, sentence_bleu
from cybleu.bleu_score import sentence_bleu_many
from cybleu.columns import row_blocks
from cybleu.metrics import score, scores
from cybleu.nbest import NBest
from cybleu.pairwise import self_bleu
from cybleu.rerank import linear, mbr, oracle, perceptron
from cybleu.rewards import Reward
from cybleu.tuning import kbmira, line_search, tune

pytestmark = [
    pytest.mark.usefixtures("backend"),
    pytest.mark.filterwarnings("ignore::UserWarning"),  # of orders without a match
]

WORDS = "the cat is on the mat and the dog is not".split()
THREADS = 4


def texts(seed, count=12, vocabulary=WORDS, longest=30):
    random = Random(seed)
    return [random.choices(vocabulary, k=random.randint(5, longest)) for _ in range(count)]


def joined(*arguments):
    return [" ".join(text) for text in texts(*arguments)]


def plain(value):
    """A value that == compares as a whole."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value


def calls_on_lists():
    """Calls on new texts, whose tokens have no cached hash."""
    hypotheses = [" ".join(text).split() for text in [*texts(0), *texts(1, 1, longest=900)]]
    references = [[" ".join(text).split() for text in texts(seed, 3)] for seed in range(2, 15)]
    smoothing = SmoothingFunction()
    for method in (None, smoothing.method1, smoothing.method4, smoothing.method5, smoothing.method7):
        yield lambda method=method: sentence_bleu(references[-1], hypotheses[-1], smoothing_function=method)
        yield lambda method=method: corpus_bleu(references, hypotheses, smoothing_function=method)
        yield lambda method=method: sentence_bleu_many(references, hypotheses, smoothing_function=method)


def calls_on_references():
    words = References([texts(seed, 3) for seed in range(12)])
    ignored = [("the",), ("the", "cat")]
    ids = np.random.default_rng(0).integers(0, 9, (12, 25))
    prepared = References(ids, pad_id=0, unk_id=3)
    lines = References([joined(seed, 3) for seed in range(12)])
    tokens = Reward()
    for seed in range(3):
        other = np.random.default_rng(seed + 1).integers(0, 9, (12, 25))
        yield lambda seed=seed: cybleu.rows(texts(seed), words, ignore=ignored)
        yield lambda other=other: cybleu.rows(other, prepared)
        yield lambda other=other: cybleu.rows(other.astype(np.int32), prepared, threads=2)
        yield lambda other=other: cybleu.reward_scores(other, prepared, smoothing="add-k")
        yield lambda seed=seed: cybleu.reward_scores(joined(seed), lines, metric="chrf++")
        yield lambda seed=seed: cybleu.reward_scores(joined(seed), lines, metric="gleu")
        yield lambda other=other: tokens(completion_ids=other.tolist(), references=ids.tolist())


def calls_on_collections():
    collection = texts(3)
    rows = cybleu.rows(texts(5), References([[text] for text in texts(4)]))
    for name in ("sacrebleu", "nltk", "nltk-3.2"):
        yield lambda name=name: cybleu.pairs(collection, metric=name)
        yield lambda name=name: cybleu.pairs(texts(6), collection, metric=name, threads=2)
        yield lambda name=name: scores(rows, name)
        yield lambda name=name: score(rows, name).score
    yield lambda: self_bleu(collection, smoothing_function=SmoothingFunction().method1)


def make_nbest():
    random = np.random.default_rng(0)
    rows = cybleu.rows(texts(5, 20), [[text] for text in texts(4, 5)], owner=[i // 4 for i in range(20)])
    return NBest([0, 4, 8, 12, 16, 20], random.normal(size=(20, 3)), rows, ["a", "b", "c"])


def calls_on_nbest():
    nbest = make_nbest()

    def searched(weights, direction):
        found = line_search(nbest, weights, direction, metric="sacrebleu", surface=True)
        return plain((found.step, found.score, found.stats, found.left, found.right, found.surface))

    for weights in ([1.0, 0.5, -1.0], [0.25, -1.0, 1.0]):
        yield lambda weights=weights: searched(weights, "b")
        yield lambda weights=weights: searched(weights, [0.5, 1.0, 2.0])
        yield lambda weights=weights: tune(nbest, weights, restarts=1, threads=2).weights
        yield lambda weights=weights: linear(nbest, weights).scores
        yield lambda weights=weights: kbmira(nbest, weights, iterations=2).weights
    yield lambda: oracle(nbest, "corpus", smoothing="add-k").rows
    yield lambda: perceptron(nbest, epochs=1, folds=2).weights
    yield lambda: mbr([texts(7, 6)]).rows


SHARED = [calls_on_lists, calls_on_references, calls_on_collections, calls_on_nbest]


@pytest.mark.thread_unsafe(reason="it has threads of its own, and the interval is the process's")
@pytest.mark.parametrize("shared", SHARED, ids=lambda calls: calls.__name__)
def test_threads_get_what_each_gets_alone(shared):
    expected = [plain(call()) for call in shared()]
    calls = list(shared())  # anew, so that nothing is prepared or remembered
    differ = []
    errors = []

    def work(number):
        try:
            for turn in range(3):
                order = list(range(len(calls)))
                Random(number * 10 + turn).shuffle(order)
                barrier.wait()
                differ.extend(place for place in order if plain(calls[place]()) != expected[place])
        except BaseException as error:
            barrier.abort()
            errors.append(error)

    barrier = threading.Barrier(THREADS)
    interval = sys.getswitchinterval()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    try:
        sys.setswitchinterval(1e-6)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not errors
    assert not differ


@pytest.mark.long
@pytest.mark.thread_unsafe(reason="it runs a process of its own")
@pytest.mark.parametrize("name", ["References", "score", "sentence_bleu_many", "Reward", "Fraction"])
def test_the_first_use_of_a_name_by_several_threads(name):
    code = f"""
import sys, threading
import cybleu
sys.setswitchinterval(1e-6)
barrier, found = threading.Barrier(8), []
def use():
    barrier.wait()
    found.append(cybleu.{name})
threads = [threading.Thread(target=use) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(found) == 8 and set(map(id, found)) == {{id(cybleu.{name})}}, found
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)


def test_buffers_are_free_when_a_call_is_back(backend):
    """Also if a helper thread ends a little later."""
    prepared = References([[[0]]])
    for _ in range(500):
        ids, offsets = array("q", [1, 2]), array("q", [0, 1, 2])
        cybleu.rows(Ragged(ids, offsets), prepared, owner=[0, 0], max_order=1, threads=2)
        ids.extend([1] * 50)
        offsets.append(3)


def test_an_iterator_has_one_reader(backend):
    table = {"hypothesis": ["a b"], "reference": ["a b"]}

    def tokenize(line):
        with pytest.raises(ValueError, match=r"row_blocks.*one thread"):
            next(blocks)
        return line.split()

    blocks = row_blocks(table, tokenize=tokenize)
    assert [block["match_2"].tolist() for block in blocks] == [[1]]
