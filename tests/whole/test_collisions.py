"""Texts whose tokens or n-grams were written to collide in a hash table.

The families know all that the source says about the hash functions, now or formerly, but not the seed of the process. Long
probes are counted, not timed: where keys collide, their number grows with the square of the number of keys.
"""

from functools import partial
from importlib import import_module
from itertools import product
from string import ascii_letters

import numpy as np
import pytest

import cybleu
from cybleu import corpus_bleu, sacrebleu_compat, self_bleu, sentence_bleu
from inputs import MODULUS

SIZE = 4096


@pytest.fixture
def probed(kernels):
    """How many slots the probes of a call looked at after the first."""
    counter = import_module("cybleu._kernels.kernels").slots_probed

    def count(function, *arguments, **options):
        before = counter()
        function(*arguments, **options)
        return counter() - before

    return count


def words_that_differ_at(position, count, length=15):
    """Words of letters that are equal but for three, so that few bits of their keys differ."""
    fill = "a" * length
    letters = product(ascii_letters, repeat=3)
    return [fill[:position] + "".join(next(letters)) + fill[position + 3 :] for _ in range(count)]


def flipped(low, high, count):
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


def regular(distance, count):
    return [(number * distance + 2**63) % 2**64 - 2**63 for number in range(count)]


def all_pairs(count):
    """Ids in an order in which the pairs of neighbours are a square of the plane."""
    side = int(count**0.5)
    return [number for first in range(side) for second in range(side) for number in (first, second)]


def of_lists(tokens):
    sentence_bleu([tokens], tokens, (1.0,))
    for start in range(0, 20 * 64, 64):  # up to 64 tokens are in a table of its own
        corpus_bleu([[tokens[start : start + 64]]], [tokens[start : start + 64]])


CHARACTERS = "".join(chr(0x4E00 + number) for number in range(250))  # whose numbers are bytes, in this order


def of_lines(words):
    text = " ".join([CHARACTERS, *words])
    cybleu.rows([text] * 2, [[text]], tokenize="none", owner=[0, 0])
    sacrebleu_compat.corpus_chrf([text], [[text]], word_order=2)


def of_ids(ids):
    texts = np.array([ids] * 2)
    cybleu.reward_scores(texts, texts[:, None])
    cybleu.rows(texts, texts[:, None])
    self_bleu(texts)
    cybleu.pairs(texts)


WORDS = {
    "letters at 4": partial(words_that_differ_at, 4),
    "halves exchanged": swapped,
    "highest bits": partial(flipped, "a", "\xe1"),
    "highest bits of characters": partial(flipped, CHARACTERS[0], CHARACTERS[128]),
}
IDS = {
    "dense": partial(regular, 1),
    "upper half": partial(regular, 2**32),
    "by 2 ** 61 - 1": partial(regular, MODULUS),
    "all pairs": all_pairs,
}
FAMILIES = {of_lists: {**WORDS, **IDS}, of_lines: WORDS, of_ids: IDS}


@pytest.mark.parametrize(("call", "name"), [(call, name) for call, families in FAMILIES.items() for name in families])
def test_growth(probed, call, name):
    """The probes of twice as many keys look at fewer than four times as many slots."""
    one, two = (probed(call, FAMILIES[call][name](size)) for size in (SIZE, 2 * SIZE))
    assert one <= 32 * SIZE, one
    assert two <= 3 * max(one, SIZE), (one, two)
