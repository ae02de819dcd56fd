"""Out of memory, calls raise MemoryError, and everything can be used as before."""

import sys
import textwrap

import pytest

from command_line import PEAK, python

pytestmark = [
    pytest.mark.memory,
    pytest.mark.skipif(sys.platform != "linux", reason="the system does not keep to limits of memory"),
]

SCRIPT = """
    import resource
    from copy import copy
    import numpy as np
    from cybleu import Ragged, References, corpus_bleu, modified_precision, pairs, rerank, rows, scores, self_bleu
    from cybleu import sentence_bleu, tuning
    from cybleu.nbest import NBest

    random = np.random.default_rng(0)
    ids = random.integers(0, 5_000, (SIZE // 20, 20))
    text = Ragged(ids.reshape(-1), np.array([0, ids.size // 2, ids.size]))
    words = list(map(str, text.ids.tolist()))
    lines = [" ".join(words), ", ".join(words[::-1])]
    few = [" ".join(words[start : start + 100]) for start in range(0, len(words), 100)]
    prepared = References(text)
    values = random.standard_normal((SIZE // 10, 3))
    nbest = NBest(np.arange(0, len(values) + 1, 100), values, np.tile([9, 9, 5, 3, 9, 8], (len(values), 1)))
    of_sums = NBest(nbest.offsets, values, values[:, 0])
    of_segments = np.tile([20, 20, 15, 10, 5, 2, 20, 19, 18, 17], (SIZE, 1))

    def line_search():
        return tuning.line_search(copy(nbest), [1.0, 2.0, 0.5], [0.5, 1.0, 1.0], surface=True).surface[1]

    calls = {
        "sentence_bleu": lambda: sentence_bleu([words[7:], words], words[::-1]),
        "corpus_bleu": lambda: corpus_bleu([[words], [words]], [words[9:], words]),
        "modified_precision": lambda: float(modified_precision([words], words[::-1], 3)),
        "rows of lists": lambda: rows([words[::-1]], [[words]]),
        "rows of arrays": lambda: rows(ids[::-1], ids),
        "rows of words": lambda: rows([words[::-1]], References([[words]])),
        "rows of raw text": lambda: rows(lines[:1], [lines], tokenize="13a"),
        "rows of raw lines": lambda: rows(few, [[line] for line in few], tokenize="intl", threads=2),
        "References of raw text": lambda: rows(lines[1:], References([lines]), tokenize="zh"),
        "References": lambda: rows(text, References(text)),
        "rows": lambda: rows(text, prepared),
        "pairs": lambda: pairs(text),
        "pairs with others": lambda: pairs(Ragged(text.ids[::-1].copy(), text.offsets), text),
        "self_bleu": lambda: self_bleu(text, (1.0,)),
        "scores": lambda: scores(of_segments),
        "line_search": line_search,
        "kbmira": lambda: list(tuning.kbmira(nbest, passes=2).weights.values()),
        "pro": lambda: list(tuning.pro(of_sums, samples=20).weights.values()),
        "oracle": lambda: rerank.oracle(nbest, "corpus").score,
    }
    expected = {name: call() for name, call in calls.items()}
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * 4096
    failed = set()
    for name, call in calls.items():
        for more in LIMITS:
            resource.setrlimit(resource.RLIMIT_AS, (used + (more << 14), resource.RLIM_INFINITY))
            try:
                assert np.array_equal(call(), expected[name]), (name, more)
            except MemoryError:
                failed.add(name)
            finally:
                resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            assert np.array_equal(call(), expected[name]), (name, more, "after")
    print(len(failed))
"""


def test_no_memory(backend):
    script = SCRIPT.replace("SIZE", {"cython": "50_000", "python": "4_000"}[backend])
    limits = [0, 64, 512]
    script = textwrap.dedent(script).replace("LIMITS", repr(limits))
    variables = {"CYBLEU_BACKEND": backend, "MALLOC_ARENA_MAX": "1", "MALLOC_TRIM_THRESHOLD_": "0"}
    done = python("-W", "ignore", "-c", script, variables=variables)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


LONG_LINES = """
    from cybleu import ter

    count = 1_500_000
    words = [str(place % 1009) for place in range(count)]
    changed = words[:]
    changed[500::1000] = ["another"] * (count // 1000)
    for place in range(250, count, 200_000):
        changed[place], changed[place + 1] = changed[place + 1], changed[place]
    print(ter([" ".join(changed)], [" ".join(words)]).score * count / 100)
"""


def test_ter_of_long_lines(kernels):
    """Whatever the length of a line, few rows of the tables of distances are kept, and others are computed again."""
    done = python("-c", textwrap.dedent(LONG_LINES) + PEAK, check=True)
    edits, _, memory = done.stdout.splitlines()
    assert round(float(edits), 6) == 1500 + 8  # words replaced, and shifts by one word in several parts of the tables
    assert int(memory) < 500
