"""Kernels that read lists while other threads change them: no crash, and each list as it was at some moment."""

from __future__ import annotations

import sys
import threading
from itertools import product
from random import Random

import pytest

from cybleu import References, SmoothingFunction, corpus_bleu, pairs, rows, self_bleu, sentence_bleu
from cybleu.bleu_score import sentence_bleu_many
from cybleu.errors import LengthMismatchError
from cybleu.gleu_score import corpus_gleu, sentence_gleu
from cybleu.nist_score import corpus_nist

WORDS = "the cat is on the mat and the dog is not".split()
LONG = [word * 9 for word in WORDS]  # longer than what a key contains
NUMBERS = [1000, 25, 10**18, 1000, 25, -7, 1000, 10**18]
STATES = [WORDS, LONG, NUMBERS, [*LONG[:4], *WORDS[:4], *NUMBERS[:4]], LONG * 9, WORDS[:3] * 40]
METHOD = SmoothingFunction().method1


def anew(tokens):
    """Equal tokens that nothing else refers to."""
    return [type(token)(str(token)) if isinstance(token, (int, float)) else token[:1] + token[1:] for token in tokens]


CALLS = {
    "sentence_bleu": lambda refs, text: sentence_bleu(refs, text, smoothing_function=METHOD),
    "corpus_bleu": lambda refs, text: corpus_bleu([refs], [text], smoothing_function=METHOD),
    "sentence_bleu_many": lambda refs, text: sentence_bleu_many([refs], [text], smoothing_function=METHOD)[0],
    "sentence_gleu": sentence_gleu,
    "corpus_gleu": lambda refs, text: corpus_gleu([refs], [text]),
    "corpus_nist": lambda refs, text: corpus_nist([refs], [text], n=1),
}


@pytest.mark.thread_unsafe(reason="it has threads of its own")
@pytest.mark.parametrize("name", CALLS)
def test_lists_that_other_threads_replace(kernels, name):
    call = CALLS[name]
    expected = {
        call([*references], text) for text in STATES for count in (1, 2) for references in product(STATES, repeat=count)
    }
    text, references = anew(STATES[0]), [anew(STATES[0])]
    running = threading.Event()
    running.set()

    def change(seed):
        random = Random(seed)
        while running.is_set():
            text[:] = anew(random.choice(STATES))
            references[:] = [anew(random.choice(STATES)) for _ in range(random.randint(1, 2))]
            references[0][:] = anew(random.choice(STATES))

    found = [set(), set()]

    def count(seen):
        for _ in range(400):
            seen.add(call(references, text))

    interval = sys.getswitchinterval()
    changing = [threading.Thread(target=change, args=(seed,)) for seed in range(2)]
    counting = [threading.Thread(target=count, args=(seen,)) for seen in found]
    try:
        sys.setswitchinterval(1e-5)
        for thread in [*changing, *counting]:
            thread.start()
        for thread in counting:
            thread.join()
    finally:
        running.clear()
        sys.setswitchinterval(interval)
    for thread in changing:
        thread.join()
    assert found[0] and found[1]
    assert found[0] | found[1] <= expected


class Shortening:
    """A token that clears a list when it is hashed the n-th time, as another thread could at that moment."""

    def __init__(self, victim, left):
        self.victim, self.left = victim, left

    def __hash__(self):
        self.left -= 1
        if not self.left:
            self.victim.clear()
        return 5


@pytest.mark.parametrize(
    "call",
    [
        self_bleu,
        pairs,
        lambda texts: pairs([["a"]], texts),
        lambda texts: rows([["a"], ["a"]], [texts], owner=[0, 0]),
        lambda texts: rows(texts, References([[["a"]]]), owner=[0, 0]),
        lambda texts: rows(texts, [[["a"]]], owner=[0, 0]),
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
    assert set(errors) <= {
        "a list became shorter while it was read; do not change lists in another thread during the call"
    }
