"""Prepare, pickle and count references in any order, with tokens that attack, and compare with plain Python.

`fuzz/run.py` runs it for a given time.
"""

import array
import pickle
import time
import warnings
from functools import partial
from itertools import count

import numpy as np
import pytest
from hypothesis import note, settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

import cybleu
from cybleu import Ragged, References, corpus_bleu, metrics, self_bleu, sentence_bleu
from cybleu.errors import CybleuError
from inputs import counted_row
from on_mirror import on_mirror

WORDS = ["the", "cat", "sat", "é", "猫", "", "a" * 40]
IDS = [0, 1, 2, 3, -1, 2**31 - 1, -(2**31), 2**31, 2**63 - 1, -(2**63)]
ORDERS = st.sampled_from([1, 2, 3, 4, 5, 8, 16, 17, 64, 65])
LENGTHS = ["closest", "shortest", "average"]


def repeated(tokens):
    """Short texts, and long texts of repeated parts."""
    few = st.lists(st.sampled_from(tokens), max_size=6)
    return few | st.tuples(few, st.integers(2, 60)).map(lambda drawn: drawn[0] * drawn[1])


KINDS = {"words": WORDS, "ids": IDS}


# ------------------------------------------------------------------------------------------------- tokens that attack


class Refused(Exception):
    """Raised by the tokens below."""


def attacking(how, victims):
    """A token whose hash or equality does something that no token should."""

    calls = count()

    def act():
        if next(calls) > 200:  # a list that grew with each token would have no end
            return
        if how == "raises":
            raise Refused
        if how == "clears":
            for victim in victims:
                victim.clear()
        elif how == "grows":
            for victim in victims:
                victim.extend(victim[:3] or ["x"])
        elif how == "yields":
            time.sleep(0)
        elif how == "scores":
            sentence_bleu([["a", "b"]], ["a", "b"], (0.5, 0.5))
            cybleu.rows([["a"]], [[["a"]]])
        elif how == "replaces":
            for victim in victims:
                victim[:] = [object() for _ in victim]

    class Attacks:
        __slots__ = ()

        def __hash__(self):
            act()
            return 5

        def __eq__(self, other):
            act()
            return True

    return Attacks()


ATTACKS = ["raises", "clears", "grows", "yields", "scores", "replaces"]
CALLS = {
    "sentence_bleu": sentence_bleu,
    "corpus_bleu": lambda references, hypothesis: corpus_bleu([references], [hypothesis]),
    "rows": lambda references, hypothesis: cybleu.rows([hypothesis], [references]),
    "References": lambda references, hypothesis: cybleu.rows([hypothesis], References([references])),
    "pairs": lambda references, hypothesis: cybleu.pairs([hypothesis], references),
    "self_bleu": lambda references, hypothesis: self_bleu([*references, hypothesis]),
    "count": lambda references, hypothesis: metrics.Bleu().count(hypothesis, references),
    "rewards": lambda references, hypothesis: cybleu.reward_scores([hypothesis], [references]),
}


# --------------------------------------------------------------------------------------------------------- the machine


class Objects(RuleBasedStateMachine):
    prepared = Bundle("prepared")  # References, kind of tokens, sets

    def __init__(self):
        super().__init__()
        self.known = []

    # ------------------------------------------------------------------------------------------------------ references

    @rule(target=prepared, data=st.data(), kind=st.sampled_from([*KINDS]))
    def prepare(self, data, kind):
        texts = repeated(KINDS[kind])
        sets = data.draw(st.lists(st.lists(texts, min_size=1, max_size=3), min_size=1, max_size=4))
        given = sets
        if kind == "ids" and data.draw(st.booleans()):
            given = [[np.array(text, dtype=np.int64) for text in texts] for texts in sets]
        return self.remember(References(given), kind, sets)

    def remember(self, *item):
        self.known.append(item)
        return item

    @rule(target=prepared, item=prepared)
    def pickle_references(self, item):
        return self.remember(pickle.loads(pickle.dumps(item[0])), *item[1:])

    @rule(item=prepared, data=st.data(), order=ORDERS, length=st.sampled_from(LENGTHS))
    def count(self, item, data, order, length):
        references, kind, sets = item
        hypotheses = data.draw(st.lists(repeated(KINDS[kind]), max_size=4))
        owners = [data.draw(st.integers(0, len(sets) - 1)) for _ in hypotheses]
        threads = data.draw(st.sampled_from([None, 2]))
        options = {"max_order": order, "reference_length": length}
        call = partial(cybleu.rows, hypotheses, references, owner=owners, threads=threads, **options)
        expected = [counted_row(sets[owner], text, order, length) for owner, text in zip(owners, hypotheses)]
        assert call().tolist() == expected
        assert on_mirror(call).tolist() == expected

    @rule(item=prepared)
    def change_references(self, item):
        with pytest.raises(AttributeError):
            item[0].kind = "tokens"

    @rule(item=prepared, data=st.data())
    def resize_a_buffer_that_is_read(self, item, data):
        references, kind, sets = item
        if kind != "ids" or not any(len(text) for texts in sets for text in texts):
            return
        ids = array.array("q", [1, 2, 3] * 9)

        class Owners:
            def __array__(self, dtype=None, copy=None):
                ids.extend([4] * 100_000)
                return np.zeros(1, dtype=np.int64)

        with pytest.raises(BufferError):
            cybleu.rows(Ragged(ids, array.array("q", [0, 27])), references, owner=Owners())
        assert len(ids) == 27

    # ---------------------------------------------------------------------------------------- calls that keep nothing

    @rule(
        name=st.sampled_from(sorted(CALLS)),
        attack=st.sampled_from(ATTACKS),
        where=st.lists(st.integers(0, 70), min_size=1, max_size=3),
        size=st.sampled_from([1, 5, 40]),
    )
    def attack_call(self, name, attack, where, size):
        """A value or an exception, but no crash."""
        hypothesis = ["a", "b"] * size
        references = [["b", "a"] * size, ["a"]]
        token = attacking(attack, [hypothesis, *references, references])
        for place in where:
            hypothesis.insert(place, token)
            references[place % 2].insert(place, token)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                CALLS[name](references, hypothesis)
            except (CybleuError, Refused, ValueError) as error:  # NumPy raises the last for sizes that changed
                note(repr(error))

    @invariant()
    def references_stay_as_they_were(self):
        for references, _, sets in self.known[-3:]:
            assert len(references) == len(sets)
            assert [[list(text) for text in group] for group in references.lists()] == sets


# Hypothesis reads the source of the class, which up to CPython 3.12 can fail in several threads at once.
TestObjects = pytest.mark.thread_unsafe(reason="its source is read")(pytest.mark.long(Objects.TestCase))
TestObjects.settings = settings(max_examples=15, stateful_step_count=30)
