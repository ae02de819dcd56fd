"""NLTK's functions: kernels, mirror and NLTK itself on any tokens, containers, weights and smoothing."""

from __future__ import annotations

from collections import deque

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
from harness import Input, on_both, outcome, run

from cybleu import bleu_score, sentence_bleu_many
from inputs import TOKENS, same_value

ALPHABETS = [tokens for name, tokens in sorted(TOKENS.items()) if name != "not transitive"]
ALPHABETS.append([token for tokens in ALPHABETS for token in tokens][::3])
ALPHABETS.append(["a", ["unhashable"], "b"])
LONGEST = 1100
CONTAINERS = [list, tuple, deque]
ODD_WEIGHTS = [(), [], [()], [(), (1,)], {0.5}, 0.25, None, "ab", ("a",), [("a",)], (True, False), (10**400,), (1j,)]
ORDERS = [0, 1, 2, 3, 4, 5, 16, 63, 64, 65, 10**6, 2**40, 2**63, -1, True, 2.0, "2", None]


def text(take: Input, alphabet, earlier):
    """Single tokens, repeats of the last ones, stretches of another text."""
    tokens = []
    while len(tokens) < LONGEST:
        kind = take.below(4)
        if kind == 0:
            break
        if kind == 1:
            tokens += take.list(8, lambda: take.choice(alphabet))
        elif kind == 2 and tokens:
            tokens += tokens[-take.number(1, 4) :] * take.number(1, 40)
        elif kind == 3 and earlier:
            other = take.choice(earlier)
            start = take.number(0, len(other))
            tokens += other[start : take.number(start, len(other))]
    return tokens[:LONGEST]


def weights(take: Input):
    kind = take.below(6)
    if kind == 0:
        return (0.25,) * 4
    if kind == 1:
        return (1 / take.number(1, 20),) * take.number(1, 20)
    if kind == 2:
        return take.list(6, lambda: take.choice([0, 1, 0.25, -1, 0.5, -0.0]))
    if kind == 3:
        return tuple(take.list(6, take.float))
    if kind == 4:
        return take.list(3, lambda: tuple(take.list(5, lambda: take.choice([0.25, 0.5, 1, 0]))))
    return take.choice(ODD_WEIGHTS)


def halved(p_n, **kwargs):
    return [precision / 2 for precision in p_n]


def lifted(p_n, references, hypothesis, hyp_len):
    return [(precision.numerator + 1) / (precision.denominator + hyp_len) for precision in p_n]


def smoothing(take: Input):
    """The smoothing function of a module."""
    kind = take.below(11)
    if kind == 0:
        return lambda module: None
    if kind <= 2:
        function = (halved, lifted)[kind - 1]
        return lambda module: function
    parameters = {}
    for name in ("epsilon", "alpha", "k"):
        if take.flag():
            parameters[name] = take.choice([0, 1, 5, 2.5, -1, 0.0]) if take.flag() else take.float()
    return lambda module: getattr(module.SmoothingFunction(**parameters), f"method{kind - 3}")


def compare(ours, theirs, arguments):
    """Assert the same value, type and warnings, or an exception that code written for NLTK catches."""
    if theirs.error is not None:
        same = isinstance(ours.error, type(theirs.error))
    else:
        same = ours.error is None and same_value(ours.value, theirs.value) and len(ours.warned) == len(theirs.warned)
    if not same:
        raise AssertionError(f"{ours}\nNLTK gives {theirs}\nfor {arguments}") from ours.error or theirs.error


def target(take: Input):
    alphabet = take.choice(ALPHABETS)
    function = take.choice(["sentence_bleu", "corpus_bleu", "modified_precision", "many"])
    texts: list = []

    def segment():
        for _ in range(take.number(1, 4)):
            texts.append(text(take, alphabet, texts))
        hypothesis = text(take, alphabet, texts)
        kind = take.choice(CONTAINERS)
        return kind([take.choice(CONTAINERS)(text) for text in texts[take.number(0, len(texts)) :]]), kind(hypothesis)

    if function == "modified_precision":
        arguments = (*segment(), take.choice(ORDERS))
        compare(
            on_both(bleu_score.modified_precision, *arguments),
            outcome(nltk_bleu.modified_precision, *arguments),
            arguments,
        )
        return
    given, reweigh, make = weights(take), take.flag(), smoothing(take)
    if function == "sentence_bleu":
        corpus = segment()
    else:
        segments = take.list(5, segment)
        corpus = [references for references, _ in segments], [hypothesis for _, hypothesis in segments]
        if take.below(16) == 0:
            corpus[1].append(["a"])
    if function == "many":
        many = on_both(sentence_bleu_many, *corpus, given, make(bleu_score), reweigh)
        if many.error is None:
            calls = [
                outcome(bleu_score.sentence_bleu, *pair, given, make(bleu_score), reweigh) for pair in zip(*corpus)
            ]
            assert same_value(
                [float(score) for call in calls for score in np.ravel(call.value)], many.value.ravel().tolist()
            )
            assert many.warned == [warned for call in calls for warned in call.warned]
        return
    ours = on_both(getattr(bleu_score, function), *corpus, given, make(bleu_score), reweigh)
    theirs = outcome(getattr(nltk_bleu, function), *corpus, given, make(nltk_bleu), reweigh)
    compare(ours, theirs, (function, corpus, given, reweigh))


run(target)
