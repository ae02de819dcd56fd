"""Tokenisers by name."""

from __future__ import annotations

import sys

import pytest
import sacrebleu

from cybleu.errors import MissingExtraError, UnknownNameError
from cybleu.text import tokenizer

LINES = ["Hello, world!", "  It's 3.5 %, isn't it?  ", "猫が好き。", "«Straße»\u00a0—\tend\n", "", "&quot;a&amp;b&lt;"]


@pytest.mark.parametrize("name", ["13a", "intl", "char", "none", "zh"])
def test_tokens_are_those_of_sacrebleu(name):
    theirs = sacrebleu.BLEU(tokenize=name, force=True).tokenizer
    assert [tokenizer(name)(line) for line in LINES] == [theirs(line.rstrip()).split() for line in LINES]


def test_an_unknown_name():
    with pytest.raises(UnknownNameError, match="unknown tokeniser '13b'; use one of unicode, ascii, 13a, char, "):
        tokenizer("13b")


def test_without_sacrebleu(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'cybleu\[sacrebleu\]'"):
        tokenizer("13a")


@pytest.mark.parametrize("line", ["a\x1fb\x1c c", "a\x1fb\x1c \u00a0\u00e9 c", "a\x0bb\x0cc\x85 d", "", " \x1d"])
def test_ascii_tokens_are_those_of_perl(line):
    assert tokenizer("ascii")(line) == [token.decode() for token in line.encode().split()]
