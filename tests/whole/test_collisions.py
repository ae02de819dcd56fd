"""Texts whose tokens or n-grams were written to collide in a hash table.

The families know all that the source says about the hash functions, now or formerly, but not the seed of the process. Long
probes are counted, not timed: where keys collide, their number grows with the square of the number of keys.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from decimal import Decimal
from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from string import ascii_letters
from textwrap import dedent

import numpy as np
import pytest

import cybleu
from cybleu import (
    References,
    corpus_bleu,
    sacrebleu_compat,
    self_bleu,
    sentence_bleu,
)
from inputs import MODULUS

SIZE = 4096


@pytest.fixture
def probed(kernels):
    """How many slots the long probes of a call looked at."""
    counter = import_module("cybleu._kernels.common.hashing").slots_probed

    def count(function, *arguments, **options):
        before = counter()
        function(*arguments, **options)
        return counter() - before

    return count


# --------------------------------------------------------------------------------------------------------------- families


def words_that_differ_at(position, count, length=15):
    """Words of letters that are equal but for three, so that few bits of their keys differ."""
    fill = "a" * length
    return [
        fill[:position] + "".join(letters) + fill[position + 3 :]
        for letters, _ in zip(product(ascii_letters, repeat=3), range(count))
    ]


def flipped(count, low, high):
    """Words of blocks of 16 characters, each as it is or with the highest bits of three bytes flipped.

    In a product with an odd number the highest bit stays alone; where the product is folded by 32 bits, it meets the highest
    bit of the next word's lower half.
    """
    blocks = low * 16, (low * 7 + high) + (low * 3 + high + low * 3 + high)
    return ["".join(word) + low * 16 for word, _ in zip(product(blocks, repeat=count.bit_length()), range(count))]


def swapped(count):
    """Words of two halves, and with the halves exchanged, which are equal for a product of the two."""
    halves = words_that_differ_at(2, count // 2, 7)
    return [first + second for one in halves for first, second in ((one, "b" * 7), ("b" * 7, one))]


def without_a_half(count):
    """Words whose last 8 characters are NUL, which makes a factor 0 if the seed is 0."""
    return [word + "\0" * 8 for word in words_that_differ_at(0, count, 6)]


def complements(count):
    """Words of 15 characters in which the last 8, read as a number, and the others have the same sum."""
    codes = range(0x21, 0x7E)
    words = []
    for some, _ in zip(product(codes, repeat=3), range(count)):
        others = [0x9E - code for code in some]
        words.append(bytes([*b"aaaa", *some, *b"aaaaa", *others]).decode())
    return words


def regular(distance, count):
    return [(number * distance + 2**63) % 2**64 - 2**63 for number in range(count)]


IDS = {
    "dense": partial(regular, 1),
    "by 1000": partial(regular, 1000),
    "upper half": partial(regular, 2**32),
    "highest bits": partial(regular, 2**50),
    "divisors of 2 ** 64 - 1": partial(regular, (2**64 - 1) // 65537),
    "by 2 ** 61 - 1": partial(regular, MODULUS),
}
TOKENS = {
    "letters at 0": partial(words_that_differ_at, 0),
    "letters at 4": partial(words_that_differ_at, 4),
    "letters at 12": partial(words_that_differ_at, 12),
    "halves exchanged": swapped,
    "halves with one sum": complements,
    "no half": without_a_half,
    "highest bits": lambda count: flipped(count, "a", "\xe1"),
    **{f"ints, {name}": family for name, family in IDS.items()},
}
WORDS = {name: TOKENS[name] for name in TOKENS if name.startswith(("letters", "halves"))}


def all_pairs(count):
    """Ids in an order in which the pairs of neighbours are a square of the plane."""
    side = int(count**0.5)
    return [number for first in range(side) for second in range(side) for number in (first, second)]


ORDERS = {
    "ascending": lambda count: list(range(count)),
    "descending": lambda count: list(range(count, 0, -1)),
    "all pairs": all_pairs,
    "in steps": lambda count: [number * 7 % count for number in range(count)],
    "with one between": lambda count: [number if number % 2 else 0 for number in range(count)],
}


def of_lists(tokens):
    sentence_bleu([tokens], tokens, (1.0,))


def of_lines(words):
    text = " ".join(words)
    cybleu.rows([text], [[text]], tokenize="none")
    cybleu.rows([text] * 2, [[text]], tokenize="none", owner=[0, 0])


CHARACTERS = "".join(chr(0x4E00 + number) for number in range(250))  # whose numbers are bytes, in this order


def of_chrf(words):
    text = " ".join([CHARACTERS, *words])
    sacrebleu_compat.corpus_chrf([text], [[text]], word_order=2)


def of_ids(ids):
    ids = np.array([ids])
    cybleu.reward_scores(ids, ids[:, None])
    cybleu.rows(ids, ids[:, None])
    self_bleu(ids.repeat(2, 0))
    cybleu.pairs(ids.repeat(2, 0))


def of_ngrams(ids):
    sentence_bleu([[*map(str, ids)]], [*map(str, ids)])
    of_ids(ids)


FAMILIES = {
    of_lists: TOKENS,
    of_lines: WORDS,
    of_chrf: {**WORDS, "highest bits": lambda count: flipped(count, CHARACTERS[0], CHARACTERS[128])},
    of_ids: IDS,
    of_ngrams: ORDERS,
}


@pytest.mark.parametrize(("call", "name"), [(call, name) for call, families in FAMILIES.items() for name in families])
def test_growth(probed, call, name):
    """The long probes of twice as many keys are not four times as many, and a few a key at most."""
    one, two = (probed(call, FAMILIES[call][name](size)) for size in (SIZE, 2 * SIZE))
    assert one <= 8 * SIZE, one
    assert two <= max(3 * one, 8 * SIZE), (one, two)


VOCABULARIES = {
    "self_bleu": lambda tokens: self_bleu([tokens] * 10),
    "references": lambda tokens: References([[tokens]]),
    "pairs": lambda tokens: cybleu.pairs([tokens] * 10),
    "owners": lambda tokens: cybleu.rows([tokens, tokens], [[tokens]], owner=np.array([0, 0])),
}


@pytest.mark.parametrize("name", VOCABULARIES)
@pytest.mark.thread_unsafe(reason="it measures the time of the process")
def test_large_ints_in_dicts(name, kernels):
    """Probes of a dict are not counted, so time is measured: if the ints are keys themselves, it grows 200 times."""

    def seconds(distance):
        tokens = [(number + 8) * distance for number in range(8000)]
        started = time.process_time()
        VOCABULARIES[name](tokens)
        return time.process_time() - started

    assert seconds(MODULUS * 2**10) < 10 * seconds(2**70 + 1) + 0.2


EQUAL = [2.0**70, Decimal(2**70), Fraction(2**70), complex(2**70), np.float64(2**70)]


@pytest.mark.parametrize("token", EQUAL, ids=lambda token: type(token).__name__)
@pytest.mark.usefixtures("backend")
def test_large_ints_equal_other_numbers(token):
    large, other = 2**70, (MODULUS + 1) * 2**9

    def matched(reference, *hypotheses):
        prepared = pickle.loads(pickle.dumps(References([[reference]])))
        return cybleu.rows(hypotheses, prepared, owner=[0] * len(hypotheses))[:, 2].tolist()

    assert matched([large, "a"], ["a", token], [token, other]) == [2, 1]
    assert matched([token, "a"], ["a", large], [large, other]) == [2, 1]
    key = other.to_bytes(9, "little", signed=True)
    assert matched([other, -other], [str(other), key, repr(key)], [-other, other]) == [0, 2]


@pytest.mark.parametrize("name", TOKENS)
def test_no_probe_delays_an_interrupt(probed, name):
    """Probes do not check for Ctrl-C. Even if one probe visited all the slots that are counted, it would take microseconds."""
    tokens = TOKENS[name](40_000)
    assert probed(sentence_bleu, [tokens], tokens, (1.0,)) < SIZE


@pytest.mark.long
def test_seeds(kernels):
    """Some seeds are worse for some families if the hash is a single product, so a process is not enough."""
    script = """
        from cybleu import sentence_bleu
        from cybleu._kernels.common.hashing import slots_probed
        from test_collisions import SIZE, TOKENS

        for name, family in TOKENS.items():
            tokens, before = family(SIZE), slots_probed()
            sentence_bleu([tokens], tokens)
            assert slots_probed() - before < SIZE // 2, (name, slots_probed() - before)
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(25):
        subprocess.run([sys.executable, "-c", dedent(script)], cwd=Path(__file__).parent, env=environment, check=True)


@pytest.mark.parametrize("name", TOKENS)
def test_sentences(probed, name):
    """Up to 64 tokens are in a table of its own, and up to 512 of raw text in another."""
    tokens = TOKENS[name](64)
    assert probed(corpus_bleu, [[tokens]] * 20, [tokens] * 20) <= 20 * 64
    if all(type(token) is str and token.isascii() and token.isprintable() for token in tokens):
        text = " ".join(tokens)
        assert probed(cybleu.rows, [text] * 20, [[text]] * 20, tokenize="none") <= 20 * 64
