"""Threads that share objects get what each gets alone, and lists that other threads change are read as at some moment."""

import sys
import threading
from array import array
from contextlib import contextmanager, suppress
from functools import partial
from itertools import product
from random import Random

import numpy as np
import pytest

import cybleu
from command_line import python
from cybleu import Ragged, References, SmoothingFunction, corpus_bleu, sentence_bleu, sentence_bleu_many
from cybleu.columns import row_blocks
from cybleu.errors import LengthMismatchError
from cybleu.gleu_score import corpus_gleu, sentence_gleu
from cybleu.metrics import scores
from cybleu.nbest import NBest
from cybleu.nist_score import corpus_nist
from cybleu.pairwise import self_bleu
from cybleu.rerank import linear, mbr, oracle, perceptron
from cybleu.rewards import Reward
from cybleu.tuning import kbmira, line_search, tune

pytestmark = [
    pytest.mark.thread_unsafe(reason="it has threads of its own, and the interval is the process's"),
    pytest.mark.filterwarnings("ignore::UserWarning"),  # of orders without a match
]

WORDS = "the cat is on the mat and the dog is not".split()
METHOD = SmoothingFunction().method1


@contextmanager
def running(*works):
    """Threads that change places often, and all of which end without an exception."""
    raised = []

    def run(work):
        try:
            work()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    interval = sys.getswitchinterval()
    try:
        sys.setswitchinterval(1e-6)
        for thread in threads:
            thread.start()
        yield
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not raised, raised


def texts(seed, count=12, longest=30):
    """New texts, whose tokens have no cached hash."""
    random = Random(seed)
    return [" ".join(random.choices(WORDS, k=random.randint(5, longest))).split() for _ in range(count)]


def joined(seed):
    return [" ".join(text) for text in texts(seed)]


def make_calls():
    """Calls that share prepared references, metrics and lists."""
    sets = [texts(seed, 3) for seed in range(12)]
    long = texts(20, 1, longest=900)
    words = References(sets)
    lines = References([[" ".join(text) for text in group] for group in sets])
    ids, others = np.random.default_rng(0).integers(0, 9, (2, 12, 25))
    prepared = References(ids, pad_id=0, unk_id=3)
    random = np.random.default_rng(0)
    rows = cybleu.rows(texts(5, 20), [[text] for text in texts(4, 5)], owner=[i // 4 for i in range(20)])
    nbest = NBest(range(0, 21, 4), random.normal(size=(20, 3)), rows, ["a", "b", "c"])
    calls = [
        partial(sentence_bleu, sets[0], long[0], smoothing_function=SmoothingFunction().method5),
        partial(corpus_bleu, sets, texts(1)),
        partial(sentence_bleu_many, sets, texts(2), smoothing_function=METHOD),
        partial(cybleu.rows, texts(3), words),
        partial(cybleu.rows, others, prepared, threads=2),
        partial(cybleu.reward_scores, others.astype(np.int32), prepared, smoothing="add-k"),
        *(partial(cybleu.reward_scores, joined(4), lines, metric=name) for name in ("chrf++", "gleu")),
        lambda: Reward()(completion_ids=others.tolist(), references=ids.tolist()),
        *(partial(cybleu.pairs, texts(5), metric=name, threads=2) for name in ("sacrebleu", "nltk")),
        partial(scores, rows, "nltk"),
        partial(self_bleu, texts(6), smoothing_function=METHOD),
        lambda: linear(nbest, [1.0] * 3).scores,
        lambda: oracle(nbest, "corpus", smoothing="add-k").rows,
        lambda: mbr([texts(7, 6)]).rows,
    ]
    for weights in ([1.0, 0.5, -1.0], [0.25, -1.0, 1.0]):
        calls += [
            lambda weights=weights: line_search(nbest, weights, "b", metric="sacrebleu", surface=True).surface[1],
            lambda weights=weights: [*tune(nbest, weights, restarts=1, threads=2).weights.values()],
            lambda weights=weights: [*kbmira(nbest, weights, passes=2).weights.values()],
            lambda: [*perceptron(nbest, epochs=1, folds=2).weights.values()],
        ]
    return calls


def test_threads_get_what_each_gets_alone():
    expected = [np.array(call()).tolist() for call in make_calls()]
    calls = make_calls()  # anew, so that nothing is prepared or remembered
    barrier = threading.Barrier(4)
    differ = []

    def work(number):
        for turn in range(3):
            order = list(range(len(calls)))
            Random(number * 10 + turn).shuffle(order)
            barrier.wait(60)
            differ.extend(place for place in order if np.array(calls[place]()).tolist() != expected[place])

    with running(*(partial(work, number) for number in range(4))):
        pass
    assert not differ


@pytest.mark.long
@pytest.mark.parametrize("name", ["References", "score", "Reward", "Fraction"])
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
    done = python("-c", code)
    assert (done.stderr, done.returncode) == ("", 0)


def test_buffers_are_free_when_a_call_is_back():
    """Also if a helper thread ends a little later."""
    prepared = References([[[0]]])
    for _ in range(500):
        ids = array("q", [1, 2])
        offsets = array("q", [0, 1, 2])
        cybleu.rows(Ragged(ids, offsets), prepared, owner=[0, 0], max_order=1, threads=2)
        ids.extend([1] * 50)
        offsets.append(3)


def test_an_iterator_has_one_reader():
    def tokenize(line):
        with pytest.raises(ValueError, match="generator already executing"):
            next(blocks)
        return line.split()

    blocks = row_blocks({"hypothesis": ["a b"], "reference": ["a b"]}, tokenize=tokenize)
    assert [block["match_2"].tolist() for block in blocks] == [[1]]


# ------------------------------------------------------------------------------------------ what other threads change

LONG = [word * 9 for word in WORDS]  # longer than what a key contains
NUMBERS = [1000, 25, 10**18, 1000, 25, -7, 1000, 10**18]
STATES = [WORDS, LONG, NUMBERS, [*LONG[:4], *WORDS[:4], *NUMBERS[:4]], LONG * 9, WORDS[:3] * 40]
CALLS = {
    "sentence_bleu": lambda refs, text: sentence_bleu(refs, text, smoothing_function=METHOD),
    "corpus_bleu": lambda refs, text: corpus_bleu([refs], [text], smoothing_function=METHOD),
    "sentence_bleu_many": lambda refs, text: sentence_bleu_many([refs], [text], smoothing_function=METHOD)[0],
    "sentence_gleu": sentence_gleu,
    "corpus_gleu": lambda refs, text: corpus_gleu([refs], [text]),
    "corpus_nist": lambda refs, text: corpus_nist([refs], [text], n=1),
}


def anew(tokens):
    """Equal tokens that nothing else refers to."""
    return [int(str(token)) if isinstance(token, int) else token[:1] + token[1:] for token in tokens]


@pytest.mark.parametrize("name", CALLS)
def test_lists_that_other_threads_replace(kernels, name):
    """No crash, and each list as it was at some moment."""
    call = CALLS[name]
    sets = [references for count in (1, 2) for references in product(STATES, repeat=count)]
    expected = {call([*references], text) for text in STATES for references in sets}
    text = anew(STATES[0])
    references = [anew(STATES[0])]
    done = threading.Event()
    found = [set(), set()]

    def change(seed):
        random = Random(seed)
        while not done.is_set():
            text[:] = anew(random.choice(STATES))
            references[:] = [anew(random.choice(STATES)) for _ in range(random.randint(1, 2))]
            references[0][:] = anew(random.choice(STATES))

    def count(seen):
        for _ in range(400):
            seen.add(call(references, text))

    with running(partial(change, 0), partial(change, 1)):
        try:
            with running(*(partial(count, seen) for seen in found)):
                pass
        finally:
            done.set()
    assert found[0] and found[1] and found[0] | found[1] <= expected


def test_ids_that_another_thread_changes():
    """Wrong counts are the responsibility of the caller, but nothing outside the arrays is read or written."""
    generator = np.random.default_rng(0)
    ids = generator.integers(0, 9, (300, 40))
    others = [generator.integers(0, high, ids.shape) for high in (1, 2**40, 3)]
    references = References(ids)
    done = threading.Event()

    def change():
        while not done.is_set():
            for other in others:
                ids[...] = other

    with running(change):
        try:
            for _ in range(8):
                rows = cybleu.rows(ids, references)
                assert (rows[:, 2:6] <= rows[:, 6:]).all()
                assert np.isfinite(cybleu.pairs(ids[:40])).all()
                assert np.isfinite(self_bleu(ids[:40], (0.5, 0.5), METHOD)).all()
        finally:
            done.set()


class Shortening:
    """A token that clears a list when it is hashed the n-th time, as another thread could at that moment."""

    def __init__(self, victim, left):
        self.victim = victim
        self.left = left

    def __hash__(self):
        self.left -= 1
        if not self.left:
            self.victim.clear()
        return 5


@pytest.mark.parametrize(
    "call",
    [
        self_bleu,
        cybleu.pairs,
        lambda texts: cybleu.pairs([["a"]], texts),
        lambda texts: cybleu.rows([["a"], ["a"]], [texts], owner=[0, 0]),
        lambda texts: cybleu.rows(texts, References([[["a"]]]), owner=[0, 0]),
        lambda texts: cybleu.rows(texts, [[["a"]]], owner=[0, 0]),
    ],
    ids=["self_bleu", "pairs", "pairs with others", "references of an owner", "References", "owner"],
)
def test_lists_that_become_shorter(call, backend):
    errors = []
    for left in range(1, 10):
        text = WORDS * 9
        try:
            call([[Shortening(text, left), "a", "b", "c"], text])
        except LengthMismatchError as error:
            errors.append(str(error))
    assert errors or backend == "python"  # which reads a few tokens at one moment
    assert all(error.startswith("a list became shorter while it was read; do not change") for error in errors)


@pytest.mark.long
def test_a_list_that_another_thread_shortens():
    """Where threads run at the same time, also between two reads of one kernel."""
    text = WORDS * 9
    done = threading.Event()

    def change():
        while not done.is_set():
            del text[9:]
            text.extend(WORDS * 9)

    with running(change):
        try:
            for _ in range(2000):
                with suppress(LengthMismatchError):
                    cybleu.pairs([text, ["a"]])
        finally:
            done.set()
