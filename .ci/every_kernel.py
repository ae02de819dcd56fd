"""Call every kernel function on generated input, and print all results, floats bit by bit.

Two builds of the kernels must print the same.

    python .ci/every_kernel.py ROUNDS
"""

from __future__ import annotations

import itertools
import os
import pickle
import re
import sys
import tempfile
import warnings
from array import array
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np

from cybleu import (
    References,
    Reward,
    SmoothingFunction,
    _backend,
    chrf_score,
    columns,
    corpus_bleu,
    gleu_score,
    modified_precision,
    nist_score,
    pairs,
    reward_scores,
    rows,
    score,
    scores,
    self_bleu,
    sentence_bleu,
    sentence_bleu_many,
)
from cybleu.errors import EmptyHypothesisError, OrderError, StatisticsError, WeightsError, ZeroPrecisionError
from cybleu.frameworks import captions
from cybleu.metrics import VARIANTS, Bleu, Chrf, Nist, NistInformation, Ter
from cybleu.nbest import NBest
from cybleu.rerank import antioracle, diverse, linear, mbr, oracle, perceptron
from cybleu.stats.raw import raw_sum
from cybleu.text import tokenizer
from cybleu.text.parsing import parse_raw_references, parse_raw_texts
from cybleu.text.raw import Raw
from cybleu.tuning import kbmira, line_search, pro, pro_pairs, tune

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from arrow_capsules import AsArray, AsStream, dictionary, integers, lists, table, texts

WORDS = [*"the a cat dog is on mat , . é 猫 naïve".split(), "word" * 3, "longer" * 4, 1, 2.0, None, b"bytes"]
LENGTHS = [0, 1, 2, 3, 4, 8, 20, 21, 64, 65, 130]
NUMBERS = (0.0, 1.0, -1.0, 0.1, 1 / 3, -2.5)
TAKEN_AT_IMPORT = {"sentence_bleu", "sentence_gleu"}  # by bleu_score and gleu_score, before anything can be recorded
METHODS = [getattr(SmoothingFunction(), f"method{number}") for number in range(8)]


# ------------------------------------------------------------------------------------------------------- what is reached


def record(kernels):
    """Replace the kernels with functions that record their calls; return all names, and the set of recorded ones."""
    wanted, reached = set(), set()

    def noted(name, function):
        wanted.add(name)

        def call(*args, **kwargs):
            reached.add(name)
            return function(*args, **kwargs)

        return call

    def recorded(name, value):
        if not isinstance(value, type):
            return noted(name, value)
        methods = {
            key: function for key, function in vars(value).items() if callable(function) and not key.startswith("_")
        }
        return type(name, (value,), {key: noted(f"{name}.{key}", function) for key, function in methods.items()})

    stand_in = ModuleType("recorded kernels")
    for name in kernels.__all__:
        value = getattr(kernels, name)
        setattr(stand_in, name, recorded(name, value) if callable(value) and name not in TAKEN_AT_IMPORT else value)
    _backend.chosen = stand_in
    return wanted, reached


# ------------------------------------------------------------------------------------------------------------- the calls


def changed(random, text, vocabulary):
    return [token if random.random() < 0.7 else random.choice(vocabulary) for token in text[random.randrange(3) :]]


def corpus(random, segments, vocabulary=WORDS, lengths=LENGTHS, references=3):
    hypotheses = [random.choices(vocabulary, k=random.choice(lengths)) for _ in range(segments)]
    return [
        [changed(random, text, vocabulary) for _ in range(random.randint(1, references))] for text in hypotheses
    ], hypotheses


def weight_vectors(random):
    order = random.randint(1, 6)
    yield (0.25,) * 4
    yield tuple(random.random() for _ in range(order))
    yield [tuple(random.random() for _ in range(size)) for size in (order, 2, 16)]


def attempt(function, *args, **kwargs):
    """The result, or the class of the exception."""
    try:
        return function(*args, **kwargs)
    except (EmptyHypothesisError, StatisticsError, WeightsError, ZeroPrecisionError, OrderError) as error:
        return type(error).__name__


def lists_of_tokens(random):
    references, hypotheses = corpus(random, 12)
    for method, weights in itertools.product([None, *METHODS], weight_vectors(random)):
        reweigh = random.random() < 0.5
        for pair in zip(references, hypotheses):
            yield attempt(sentence_bleu, *pair, weights, method, reweigh)
        yield attempt(corpus_bleu, references, hypotheses, weights, method, reweigh)
        yield attempt(sentence_bleu_many, references, hypotheses, weights, method, reweigh)
    for method in METHODS:
        yield attempt(self_bleu, hypotheses, smoothing_function=method)
    for order in (1, 2, 5):
        yield [modified_precision(*pair, order).numerator for pair in zip(references, hypotheses)]
    yield [_backend.chosen.segment_counts(*pair, 16) for pair in zip(references, hypotheses)]
    yield _backend.chosen.corpus_counts(references, hypotheses, 7)
    yield rows(hypotheses, references, max_order=5)


def raw_text(random):
    references, hypotheses = corpus(
        random, 8, vocabulary=[str(word) for word in WORDS], lengths=[1, 2, 9, 30, 70, 130, 530]
    )
    lines = [" ".join(text) for text in hypotheses]
    groups = [[" ".join(text) for text in texts] for texts in references]
    for name in ("13a", "intl", "zh", "char", "none", "ascii"):
        yield [tokenizer(name)(line) for line in lines]
        yield rows(lines, groups, max_order=5, tokenize=name)
        yield Raw(name).row(groups[0], lines[0], 4, "closest")
        prepared = pickle.loads(pickle.dumps(References(groups)))
        yield rows(lines, prepared, tokenize=name, ignore=[("the", "cat")], threads=2)
        raw = Raw(name)
        vocabulary = _backend.chosen.RawVocabulary(raw.backend)
        vocabulary.assign(["the", "cat"])
        yield vocabulary.tokens()
        texts = _backend.chosen.RawTexts.of_block("\n".join(lines).encode())
        yield _backend.chosen.RawTexts(lines).full_stops()
        others = _backend.chosen.RawTexts.side_by_side([texts, texts], [0, 0], array("q", bytes(8 * (len(texts) + 1))))
        yield raw_sum(raw, texts, others, array("q", range(0, 2 * len(texts) + 1, 2)), 4)


def relatives(random):
    references, hypotheses = corpus(
        random, 8, vocabulary=[str(word) for word in WORDS], lengths=[0, 1, 2, 9, 30, 70, 400]
    )
    groups, lines = (
        [[" ".join(text) for text in texts] for texts in references],
        [" ".join(text) for text in hypotheses],
    )
    groups[0] = ["".join(map(chr, range(0x4E00, 0x4E00 + 300)))]
    raw = Raw("none")
    for word_order, whitespace in itertools.product((0, 2, 3), (False, True)):
        metric = Chrf(word_order=word_order, whitespace=whitespace, eps_smoothing=whitespace)
        counts = metric.rows(lines, groups, threads=2)
        yield counts
        yield scores(counts, metric)
        owner = [place % 3 for place in range(len(lines))]
        yield metric.rows(lines, References(groups), owner=owner, threads=2)
        yield metric.rows(lines, pickle.loads(pickle.dumps(References(groups))))
        texts, sets = parse_raw_texts(lines, raw), parse_raw_references(groups, raw)
        yield metric.sum_of_raw(raw, texts.lines, sets.texts.lines, sets.bounds)[0]
        yield metric.evaluate(metric.count(lines[0], groups[0]))
        yield pairs(lines, metric=metric)
        yield pairs(lines, [texts[0] for texts in groups], metric=metric)
    for chosen in ({}, {"normalized": True, "no_punct": True, "asian_support": True}, {"normalized": True}):
        metric = Ter(**chosen)
        yield metric.rows([f"{line}'s &amp;\n-" for line in lines], groups, threads=2)
        yield pairs(lines, metric=metric)
    for metric in (Nist(9, lowercase=True), Nist(2, information=NistInformation(groups[:2]))):
        yield metric.rows([f"{line} 0 1" for line in lines], groups, threads=2)
        yield metric.score(metric.count(lines[0], groups[0])).cumulative
        yield pairs(lines, metric=metric)
    yield NistInformation(groups).weight("a b")
    yield captions.CaptionBleu().compute_score(dict(enumerate(groups)), {n: [line] for n, line in enumerate(lines)})
    yield chrf_score.corpus_chrf([texts[0] for texts in groups], lines, min_len=2, max_len=12)
    for orders in ((1, 4), (2, 16)):
        yield gleu_score.corpus_gleu(references, hypotheses, *orders)
        yield [gleu_score.sentence_gleu(*segment, *orders) for segment in zip(references, hypotheses)]
    yield nist_score.corpus_nist(references, hypotheses)


def token_ids(random):
    references, hypotheses = corpus(random, 8, vocabulary=range(-2, 12), lengths=[1, 2, 9, 30])
    ids = np.random.default_rng(random.randrange(2**32)).integers(0, 9, (8, 20))
    for kind in (np.int32, np.int64):
        arrays = [np.array(text, kind) for text in hypotheses]
        yield rows(arrays, References(references), max_order=6, threads=2)
        yield rows(arrays, References(references, unk_id=3, pad_id=0, eos_id=1))
        yield rows(arrays, References(references), ignore=[(4,), (5, 6), (1, 2, 3)])
        yield rows(ids[::-1].astype(kind), ids.astype(kind), pad_id=0, eos_id=1)
        yield reward_scores(arrays, references, smoothing="add-k")
        yield attempt(sentence_bleu_many, references, arrays, smoothing_function=METHODS[4])
    yield Reward()(completion_ids=hypotheses, references=references)


def columns_of_texts(random):
    lines = [
        " ".join(random.choices("the a cat dog is on mat. naïve,".split(), k=random.randrange(9))) for _ in range(9)
    ]
    for layout in ("u", "U", "vu"):
        column = texts(lines, layout)
        yield rows(AsStream([column, column], column), AsArray(texts(lines[::-1], layout)), owner=[*range(9)] * 2)
        yield rows(AsArray(texts(lines[:2])), AsArray(lists([lines[:3], lines[3:8]], texts, "+L")), tokenize="intl")
        yield rows(AsArray(dictionary(lines, texts)), References(AsArray(texts(lines))), tokenize="char")
    ids = [[random.randrange(5) for _ in range(random.randrange(9))] for _ in lines]
    yield rows(AsArray(lists(ids, integers, "+L")), AsArray(lists(ids[::-1], integers)))
    tokens = [line.split() for line in lines]
    yield rows(AsArray(lists(tokens, texts)), AsArray(lists(tokens[::-1], texts)))
    frame = table(hypothesis=texts(lines), reference=texts([None, *lines[1:]]), other=texts(lines[::-1]))
    for handed in (AsArray(frame), AsStream([frame])):
        yield list(columns.rows(handed, references=["reference", "other"]).values())
    whole = next(_backend.chosen.arrow_arrays(AsArray(texts(lines)))[1])
    yield _backend.chosen.ArrowValues([whole.part(2, 7)]).texts()


def definitions(random):
    for order in (1, 4, 9):
        references, hypotheses = corpus(random, 12, WORDS[:6], [1, 3, 8, 20])
        counts = rows(hypotheses, references, max_order=order)
        for name, variant in VARIANTS.items():
            weights = [None, [random.random() for _ in range(order)]]
            for weight, (smoothing, _, value), effective in itertools.product(
                weights, variant.smoothings, (False, True)
            ):
                options = {"weights": weight, "smoothing": smoothing, "effective_order": effective}
                if value is not None:
                    options["smoothing_value"] = random.choice([value, value * 0.7])
                yield attempt(scores, counts, name, **options)
                result = attempt(score, counts, name, **options)
                kernel = _backend.chosen.Definition(Bleu(name, **options).rules(order))
                yield kernel.evaluate(
                    counts[0].tolist(), [0] * order
                )  # for the interface of sacreBLEU, if it is installed
                yield result if isinstance(result, str) else (result.score, *result.precisions)


def all_pairs(random):
    for vocabulary in (WORDS[:7], range(7)):
        _, texts = corpus(random, 7, vocabulary, [1, 2, 5, 20])
        _, others = corpus(random, 5, vocabulary, [1, 2, 5, 20])
        for name, variant in VARIANTS.items():
            for smoothing, _, _ in variant.smoothings:
                yield attempt(pairs, texts, metric=name, smoothing=smoothing, threads=2)
                yield attempt(pairs, others, texts, metric=name, smoothing=smoothing, max_order=random.randint(1, 5))


def selected(selection):
    return selection if isinstance(selection, str) else (selection.rows, selection.scores)


def lists_of_hypotheses(random):
    references, texts = corpus(random, 4, WORDS[:6], [3, 9, 20], references=2)
    lines = []
    for segment, text in enumerate(texts):
        for _ in range(random.randint(1, 12)):
            features = [f"{random.choice((*NUMBERS, random.gauss(0, 1)))}" for _ in range(3)]
            words = " ".join(changed(random, text, WORDS[:6]))
            total = random.gauss(0, 3)
            lines.append(f"{segment} ||| {words} ||| lm= {features[0]} tm= {' '.join(features[1:])} ||| {total}\n")
    with tempfile.NamedTemporaryFile("w", suffix=".nbest", encoding="utf-8", delete=False) as file:
        file.writelines(lines)
    try:
        nbest = NBest.from_files(file.name, references)
        with open(file.name, "w", encoding="utf-8") as again:
            again.writelines(
                re.sub(" \\|\\|\\| (?=[^|]*$)", f" p_a= 1 p_b= {random.gauss(0, 1)} ||| ", line) for line in lines
            )
        sparse = NBest.from_files(file.name, references)
    finally:
        os.unlink(file.name)
    yield nbest.features, nbest.stats, nbest.model_scores, sparse.sparse
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("features", "scores")]
        for given in (nbest, sparse):
            given.to_moses(*paths)
            yield NBest.from_moses(*paths).features
            for path in paths:
                with open(path, encoding="utf-8") as file:
                    yield file.read()
    floats = NBest(nbest.offsets, nbest.features, scores(nbest.stats, smoothing="add-k"))
    weights = [random.gauss(0, 1) for _ in nbest.names]
    for metric in (None, "sacrebleu", "nltk", "huggingface"):
        for given, direction in itertools.product((nbest, floats), (0, 1, [random.gauss(0, 1) for _ in nbest.names])):
            name = given.names[direction] if isinstance(direction, int) else direction
            if given is nbest or metric is None:
                found = line_search(given, weights, name, surface=True, metric=metric)
                yield found.step, found.score, found.stats, found.left, found.right, found.surface
    for given in (nbest, floats):
        tuning = tune(given, weights, restarts=2, threads=2, seed=random.randrange(9))
        yield tuning.score, list(tuning.weights.values()), tuning.stats
    entries = [[(name, random.choice(NUMBERS)) for name in range(5) if random.random() < 0.4] for _ in nbest.features]
    parts = list(itertools.accumulate(map(len, entries), initial=0)), *zip(*itertools.chain([(0, 1.0)], *entries))
    sparse = parts[0], parts[1][1:], parts[2][1:], ["w_a", "w_b", "w_c", "w_d", "w_e"]
    with_sparse = NBest(nbest.offsets, nbest.features, nbest.stats, nbest.names, sparse=sparse)
    start = {**dict(zip(nbest.names, weights)), "w_b": 0.5, "w_e": -1.0}
    for given in (nbest, with_sparse):
        for how in ({}, {"safe_hope": True, "model_background": True}, {"metric": sum}):
            yield list(kbmira(given, iterations=3, step=1.0, **how).weights.values())
        yield pro_pairs(given, samples=200, keep=20)
        yield str(attempt(pro, given, samples=50, minimum=0.0))
    yield list(tune(with_sparse, start, restarts=1).weights.values())
    yield selected(linear(nbest, weights))
    for level, name in itertools.product(("sentence", "corpus"), VARIANTS):
        yield selected(attempt(oracle, nbest, level, name))
        yield selected(attempt(antioracle, nbest, level, name))
    yield selected(attempt(mbr, nbest, scores=nbest.model_scores))
    yield attempt(diverse, nbest, 2)
    yield list(attempt(perceptron, nbest, epochs=2, folds=2).weights.values())


# --------------------------------------------------------------------------------------------------------------- results


def bits(value):
    """The value as text, with all bits of floats."""
    if isinstance(value, np.ndarray):
        return bits(value.tolist())
    if isinstance(value, (list, tuple)):
        return f"[{' '.join(map(bits, value))}]"
    return value.hex() if isinstance(value, float) else repr(value)


def main(rounds):
    warnings.simplefilter("ignore")
    kernels = _backend.load("cython")[1]
    if _backend.BACKEND != "cython":
        sys.exit("CYBLEU_BACKEND must be cython")
    wanted, reached = record(kernels)
    for seed in range(rounds):
        for calls in (
            lists_of_tokens,
            raw_text,
            relatives,
            token_ids,
            columns_of_texts,
            definitions,
            all_pairs,
            lists_of_hypotheses,
        ):
            for number, result in enumerate(calls(Random(seed))):
                print(seed, calls.__name__, number, bits(result))
    if wanted != reached:
        sys.exit(f"not reached: {', '.join(sorted(wanted - reached))}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
