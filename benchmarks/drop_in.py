"""The drop-in beside NLTK, in one run. Results are compared with == before anything is timed.

python benchmarks/drop_in.py [--rounds N]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import nltk.translate.bleu_score as nltk_bleu
from measure import compare, machine, newstest, rounds_asked, row, seconds

import cybleu

HASH_LOOP = '''
from cpython.object cimport PyObject

cdef extern from *:
    Py_hash_t PyObject_Hash(PyObject *token) except -1
    PyObject *PyList_GET_ITEM(object items, Py_ssize_t position)


def hash_tokens(list references, list hypothesis):
    """The least that any scorer must do: look at each token."""
    cdef Py_ssize_t i
    cdef Py_hash_t mixed = 0
    cdef list reference
    for i in range(len(hypothesis)):
        mixed ^= PyObject_Hash(PyList_GET_ITEM(hypothesis, i))
    for reference in references:
        for i in range(len(reference)):
            mixed ^= PyObject_Hash(PyList_GET_ITEM(reference, i))
    return mixed
'''


def hash_loop():
    """A C loop that only hashes the tokens, compiled here."""
    folder = Path(tempfile.mkdtemp())
    (folder / "hash_loop.pyx").write_text(HASH_LOOP)
    (folder / "setup.py").write_text(
        "from Cython.Build import cythonize; from setuptools import setup; "
        "setup(ext_modules=cythonize('hash_loop.pyx', language_level=3), script_args=['build_ext', '--inplace'])"
    )
    subprocess.run([sys.executable, "setup.py"], cwd=folder, check=True, capture_output=True)
    sys.path.insert(0, str(folder))
    from hash_loop import hash_tokens

    return hash_tokens


def sentences(module, pairs, method):
    function = None if method is None else getattr(module.SmoothingFunction(), method)
    score = module.sentence_bleu

    def run():
        for references, hypothesis in pairs:
            score(references, hypothesis, smoothing_function=function)

    return run


def check(pairs, method):
    functions = [
        None if method is None else getattr(module.SmoothingFunction(), method) for module in (cybleu, nltk_bleu)
    ]
    for references, hypothesis in pairs:
        ours = cybleu.sentence_bleu(references, hypothesis, smoothing_function=functions[0])
        theirs = nltk_bleu.sentence_bleu(references, hypothesis, smoothing_function=functions[1])
        assert ours == theirs and type(ours) is type(theirs), (references, hypothesis, ours, theirs)


def bench(work, pairs, method, rounds, bar):
    check(pairs, method)
    ours, theirs = compare(sentences(cybleu, pairs, method), sentences(nltk_bleu, pairs, method), rounds)
    row(work, ours, theirs, count=len(pairs), bar=bar)
    return ours


def main():
    rounds = rounds_asked(5)
    warnings.simplefilter("ignore")
    print(f"{machine()}; cybleu {cybleu.__version__}, {cybleu.BACKEND} backend; medians of {rounds} rounds\n")
    print("| work | cybleu | NLTK 3.10.4 | times |\n|---|---|---|---|")
    list_of_references, hypotheses = newstest()
    pairs = list(zip(list_of_references, hypotheses))
    ours = bench("`sentence_bleu`, method1, one reference", pairs, "method1", rounds, 100)

    hash_tokens = hash_loop()

    def only_hash():
        for references, hypothesis in pairs:
            hash_tokens(references, hypothesis)

    only_hash()
    bound = min(seconds(only_hash) for _ in range(20))
    full = [pair for pair in pairs if len(pair[1]) > 3 and nltk_bleu.modified_precision(*pair, 4).numerator]
    bench(f"no smoothing, the {len(full)} segments that match in every order", full, None, rounds, 100)
    bench("no smoothing, all segments, warnings ignored", pairs, None, rounds, 50)
    other = [newstest(system)[1] for system in ("FBK.4870", "KIT.4950", "online-B.0")]
    four = [([reference, *others], hypothesis) for (reference,), hypothesis, *others in zip(*newstest(), *other)]
    bench("method1, 4 references", four, "method1", rounds, 100)

    # new token objects for every call, made outside the clock
    texts = [(" ".join(references[0]), " ".join(hypothesis)) for references, hypothesis in pairs]
    split_times = {cybleu: [], nltk_bleu: []}
    for _ in range(rounds):
        for module, times in split_times.items():
            fresh = [([reference.split()], hypothesis.split()) for reference, hypothesis in texts]
            times.append(seconds(sentences(module, fresh, "method1")))
    ours_split, theirs_split = (sorted(times)[rounds // 2] for times in split_times.values())
    row("method1, tokens newly split for each call", ours_split, theirs_split, count=len(pairs), bar=55)

    assert cybleu.corpus_bleu(list_of_references, hypotheses) == nltk_bleu.corpus_bleu(list_of_references, hypotheses)
    times = compare(
        lambda: cybleu.corpus_bleu(list_of_references, hypotheses),
        lambda: nltk_bleu.corpus_bleu(list_of_references, hypotheses),
        rounds,
    )
    row(f"`corpus_bleu`, {len(pairs)} segments", *times, unit="ms", scale=1e3, bar=100)
    weights = [(1.0,), (0.5, 0.5), (1 / 3,) * 3, (0.25,) * 4]
    smoothing = [module.SmoothingFunction().method1 for module in (cybleu, nltk_bleu)]
    for references, hypothesis in pairs:
        ours_at_once = cybleu.sentence_bleu(references, hypothesis, weights, smoothing[0])
        assert ours_at_once == nltk_bleu.sentence_bleu(references, hypothesis, weights, smoothing[1])

    def at_once(module, function):
        for references, hypothesis in pairs:
            module.sentence_bleu(references, hypothesis, weights, function)

    times = compare(lambda: at_once(cybleu, smoothing[0]), lambda: at_once(nltk_bleu, smoothing[1]), rounds)
    row("method1, BLEU-1 to BLEU-4 at once", *times, count=len(pairs), bar=100)
    lengths = [[None] * (1 + number * 7919 % 61) for number in range(5000)]
    assert cybleu.closest_ref_length(lengths, 33) == nltk_bleu.closest_ref_length(lengths, 33)
    times = compare(
        lambda: cybleu.closest_ref_length(lengths, 33), lambda: nltk_bleu.closest_ref_length(lengths, 33), rounds
    )
    row("`closest_ref_length`, 5,000 references", *times, bar=1)
    for method, bar in (("method2", 90), ("method3", 90), ("method4", 90)):
        bench(f"`sentence_bleu`, {method}", pairs, method, rounds, bar)
    trigrams = [pair for pair in pairs if nltk_bleu.modified_precision(*pair, 3).numerator]
    for method in ("method5", "method6", "method7"):
        bench(f"`sentence_bleu`, {method}", trigrams if method == "method6" else pairs, method, rounds, 15)
    print(
        f"\na C loop that only hashes the tokens: {bound / len(pairs) * 1e6:.3f} us a sentence; "
        f"`sentence_bleu` takes {ours / bound:.1f} times that (goal: at most 5)"
    )


if __name__ == "__main__":
    main()
