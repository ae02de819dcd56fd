"""Out of memory, calls raise MemoryError, and everything can be used as before."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

pytestmark = [
    pytest.mark.memory,
    pytest.mark.skipif(sys.platform != "linux", reason="the system does not keep to limits of memory"),
]

SCRIPT = """
    import resource
    import numpy as np
    from cybleu import Ragged, corpus_bleu, tuning, modified_precision, rerank, sentence_bleu
    from cybleu.nbest import NBest
    from cybleu.pairwise import pairwise_bleu, self_stats
    from cybleu import scores
    from cybleu.stats import References, segment_stats

    random = np.random.default_rng(0)
    ids = random.integers(0, 5_000, (SIZE // 20, 20))
    text = Ragged(ids.reshape(-1), np.array([0, ids.size // 2, ids.size]))
    words = list(map(str, text[0].tolist()))
    lines = [" ".join(words), ", ".join(words[::-1])]
    few = [" ".join(words[start : start + 100]) for start in range(0, len(words), 100)]
    prepared = References(text)
    ignoring = References(text, ignore=[(1,), (2, 3)])
    values = random.standard_normal((SIZE // 10, 3))
    nbest = NBest(np.arange(0, len(values) + 1, 100), values, np.tile([9, 9, 5, 3, 9, 8], (len(values), 1)))
    of_sums = NBest(nbest.offsets, values, values[:, 0])
    rows = np.tile([20, 20, 15, 10, 5, 2, 20, 19, 18, 17], (SIZE, 1))

    def line_search():
        nbest._derived.clear()
        return tuning.line_search(nbest, [1.0, 2.0, 0.5], [0.5, 1.0, 1.0], surface=True).surface[1]

    calls = {
        "sentence_bleu": lambda: sentence_bleu([words[7:], words], words[::-1]),
        "corpus_bleu": lambda: corpus_bleu([[words], [words]], [words[9:], words]),
        "modified_precision": lambda: float(modified_precision([words], words[::-1], 3)),
        "segment_stats of lists": lambda: segment_stats([[words]], [words[::-1]]),
        "segment_stats of arrays": lambda: segment_stats(ids, ids[::-1]),
        "segment_stats of words": lambda: References([[words]]).stats([words[::-1]]),
        "segment_stats of raw text": lambda: segment_stats([lines], lines[:1], tokenize="13a"),
        "segment_stats of raw lines": lambda: segment_stats([[line] for line in few], few, tokenize="intl", threads=2),
        "References of raw text": lambda: References([lines], tokenize="zh").stats(lines[1:]),
        "References": lambda: References(text).stats(text),
        "stats": lambda: prepared.stats(text),
        "stats, some ignored": lambda: ignoring.stats(text),
        "pairwise_bleu": lambda: pairwise_bleu(text),
        "pairwise_bleu of others": lambda: pairwise_bleu(text, Ragged(text.ids[::-1].copy(), text.offsets)),
        "self_stats": lambda: self_stats(text),
        "scores": lambda: scores(rows),
        "line_search": line_search,
        "kbmira": lambda: list(tuning.kbmira(nbest, iterations=2).weights.values()),
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
    environment = {**os.environ, "CYBLEU_BACKEND": backend, "MALLOC_ARENA_MAX": "1", "MALLOC_TRIM_THRESHOLD_": "0"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
