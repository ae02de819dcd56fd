"""Misbehaving tokens and callers cause no crash, no lost exception and no leak."""

import os
import textwrap

import pytest

from command_line import python
from cybleu import corpus_bleu, modified_precision, sentence_bleu

WORDS = "the cat is on the mat and the dog is not".split()


class Refuses(Exception):
    pass


class Hashless:
    def __hash__(self):
        raise Refuses("hash")


class Unequal:
    def __hash__(self):
        return 1

    def __eq__(self, other):
        raise Refuses("eq")


@pytest.mark.parametrize(
    "function", [sentence_bleu, lambda r, h: corpus_bleu([r], [h]), lambda r, h: modified_precision(r, h, 1)]
)
@pytest.mark.parametrize("size", [1, 200])
def test_exceptions_of_tokens_come_out_unchanged(function, size):
    many = WORDS * size
    for token, text in ((Hashless(), "hash"), (Unequal(), "eq")):
        other = type(token)()
        for references, hypothesis in (
            ([[*many, token]], [*many, other]),
            ([many, [token, other]], [token, other, *many]),
        ):
            with pytest.raises(Refuses, match=text):
                function(references, hypothesis)


@pytest.mark.memory
@pytest.mark.thread_unsafe(reason="it measures a process")
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="resident size is read from /proc")
def test_memory_stays_flat(backend):
    """In a new process, because the memory of the test runner varies."""
    script = """
        import warnings
        from cybleu import SmoothingFunction, corpus_bleu, sentence_bleu

        warnings.simplefilter("ignore")
        smoothing = SmoothingFunction().method1
        words = "the cat is on the mat and the dog is not".split()
        odd = [*words, ("a", "tuple"), 1.5]

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096

        def work(rounds):
            for n in range(rounds):
                sentence_bleu([words, words[3:]], words[n % 9:], smoothing_function=smoothing)
                if n % 10 == 0:
                    sentence_bleu([odd], words)
                    sentence_bleu([words * 9], words * 8)
                    corpus_bleu([[words]] * 3, [words, [], odd], smoothing_function=smoothing)
                    try:
                        sentence_bleu([[*words, []]], words)
                    except TypeError:
                        pass

        work(ROUNDS // 10)
        before = resident()
        work(ROUNDS)
        assert resident() - before < 500_000, resident() - before
    """
    rounds = {"cython": 200_000, "python": 5_000}[backend]
    code = textwrap.dedent(script).replace("ROUNDS", str(rounds))
    python("-c", code, variables={"CYBLEU_BACKEND": backend}, check=True)
