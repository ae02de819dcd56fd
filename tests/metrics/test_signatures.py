"""Signatures: what is printed of a score is what a reader gets back."""

import copy
import pickle

import pytest

from cybleu import bleu
from cybleu.metrics import METRICS
from cybleu.metrics.base import Signature

PRINTED = [
    *[metric.signature for metric in METRICS.values()],
    bleu(["a b c d"], ["a b c d"]).signature,
    "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0",
    "of my own",
    "a:1|a:2",
]


@pytest.mark.parametrize("line", PRINTED)
def test_a_line_that_is_read_is_printed_again(line):
    assert Signature.read(line) == line


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda signature: pickle.loads(pickle.dumps(signature))])
def test_a_copy_has_the_fields(copied):
    signature = bleu(["a b c d"], ["a b c d"]).signature
    assert copied(signature).fields == signature.fields
    assert copied(signature) == signature
