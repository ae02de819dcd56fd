"""NumPy whose integers have 32 bits unless told otherwise, as on 32-bit systems and, before NumPy 2, on Windows."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.usefixtures("backend"),
    pytest.mark.thread_unsafe(reason="it runs a process of its own"),
]

# Arrays that are made of Python's integers, without a dtype, and arrays of positions. The package has NumPy from one module.
NARROW = """
import types
import numpy as np
import cybleu._runtime.arrays as arrays

def of_python(value):
    if isinstance(value, (list, tuple)):
        return all(map(of_python, value))
    return isinstance(value, np.random.Generator) or type(value) in (int, range)

def narrow(make):
    def made(*arguments, **options):
        array = make(*arguments, **options)
        if "dtype" in options or array.dtype != np.int64 or not all(map(of_python, arguments)):
            return array
        return array.astype(np.int32)
    return made

def narrow_places(find):
    def found(*arguments, **options):
        places = find(*arguments, **options)
        if isinstance(places, tuple):
            return tuple(array.astype(np.int32) for array in places)
        return places.astype(np.int32) if getattr(places, "dtype", None) == np.int64 else places
    return found

class Narrow(np.random.Generator):
    permutation = narrow(np.random.Generator.permutation)
    integers = narrow(np.random.Generator.integers)

random = types.ModuleType("random")
vars(random).update({**vars(np.random), "default_rng": lambda seed: Narrow(np.random.default_rng(seed).bit_generator)})
arrays.np = types.ModuleType("numpy")
vars(arrays.np).update(vars(np), random=random)
for name in ("append", "arange", "array", "concatenate", "cumsum", "full"):
    setattr(arrays.np, name, narrow(getattr(np, name)))
for name in ("argsort", "bincount", "flatnonzero", "nonzero", "searchsorted"):
    setattr(arrays.np, name, narrow_places(getattr(np, name)))
for name in ("ones", "zeros"):
    setattr(arrays.np, name, lambda shape, dtype=float, make=getattr(np, name): make(shape, np.int32 if dtype is int else dtype))
"""

# Each line is a call whose result is printed.
CALLS = """
import pathlib, pickle, tempfile
import cybleu
from cybleu.metrics import METRICS
from cybleu.nbest import NBest, extract, merge
from cybleu.tuning import cross_validate, kbmira, line_search, pro, random_search, tune
from cybleu.rerank import linear, mbr, oracle, perceptron
from cybleu.report import analyse

folder = pathlib.Path(tempfile.mkdtemp())
texts = ["the cat sat", "a cat sat on the mat", "the mat", "it rains in May", "it rains", "in May it rains a lot"] * 3
references = ["the cat sat on the mat", "it rains a lot in May"] * 3
sets = [[reference] for reference in references]
(folder / "list").write_text("".join(
    f"{place // 3} ||| {text} ||| a= {place % 4} b= {place % 3 - 1.5} s_{place % 5}= {place % 7} ||| {place % 5}\\n"
    for place, text in enumerate(texts)
))
(folder / "plain").write_text("".join(f"{text}\\n" for text in texts))
(folder / "references").write_text("".join(f"{text}\\n" for text in references))
lists = NBest.from_files(folder / "list", folder / "references")
dense = NBest(lists.offsets, lists.features, lists.stats, lists.names, lists.texts)
plain = NBest.from_files(folder / "plain", folder / "references", "plain", size=3)
tokens = [[text.split() for text in texts[start : start + 3]] for start in range(0, 18, 3)]
of_lists = [[reference.split()] for reference in references]
extract(folder / "list", [folder / "references"], folder / "features", folder / "scores", unique=True)
print((folder / "features").read_text(), (folder / "scores").read_text())
print(plain.stats.tolist(), plain.offsets.tolist())
print(NBest.from_texts(tokens, of_lists).stats.tolist())
for nbest in (lists, dense, dense.with_metric("gleu", sets), dense.with_metric("chrf", sets)):
    print(kbmira(nbest, iterations=5).weights, pro(nbest, samples=50).weights, tune(nbest, restarts=2).weights)
    print(oracle(nbest).rows.tolist(), linear(nbest, dict.fromkeys(nbest.names, 1.0)).rows.tolist())
    print(perceptron(nbest, epochs=2, folds=2).weights)
print(merge(lists, lists).offsets.tolist(), cross_validate(dense, folds=2, restarts=1).score)
print(mbr(lists).rows.tolist(), mbr(lists, prune=2).rows.tolist(), oracle(lists, "corpus").rows.tolist())
print(mbr([texts[:3], texts[3:6]], metric="chrf").rows.tolist())
print(pickle.loads(pickle.dumps(oracle(lists, "corpus"))).rows.tolist())
print(random_search(dense, [[1.0, 2.0]] * 3).tolist(), line_search(dense, {"a_0": 1.0, "b_0": 0.5}, "a_0").score)
for metric in ("sacrebleu", "gleu", "chrf"):
    raw = METRICS[metric].of_raw_text
    print(cybleu.pairwise_bleu(texts if raw else [text.split() for text in texts], metric=metric).tolist())
print(cybleu.segment_stats(sets, [texts[:3]] * 6, tokenize="13a").tolist())
print(cybleu.self_bleu([text.split() for text in texts], sample=5))
systems = {"one": texts[:6], "two": texts[6:12], "three": texts[3:9]}
print(analyse(sets, systems, samples=50).format())
"""


def test_results_are_the_same(backend):
    usual, narrow = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True) for code in (CALLS, NARROW + CALLS)
    )
    assert usual.returncode == 0, usual.stderr
    # warnings name the line of the caller
    errors = [re.sub(r"<string>:\d+", "", run.stderr) for run in (narrow, usual)]
    assert (narrow.stdout, errors[0]) == (usual.stdout, errors[1])
