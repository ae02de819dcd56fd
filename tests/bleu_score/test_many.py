"""Many segments in one call equal a loop over sentence_bleu."""

import pytest
from hypothesis import given, strategies as st

from cybleu import SmoothingFunction, errors, nltk_3_2, sentence_bleu, sentence_bleu_many
from inputs import CATCHES_WARNINGS, called, corpora

pytestmark = CATCHES_WARNINGS

METHODS = [None, nltk_3_2, lambda p_n, **_: [(p.numerator + 1) / (p.denominator + 1) for p in p_n]] + [
    getattr(SmoothingFunction(), f"method{number}") for number in range(8)
]
WEIGHTS = [(0.25,) * 4, [0.5, 0.5], (1, 0, 0), [(1,), (0.5, 0.5), (0.2,) * 5], (0.1,) * 20]


@given(corpora(), st.sampled_from(METHODS), st.sampled_from(WEIGHTS), st.booleans())
def test_equal_to_the_loop(corpus, method, weights, auto_reweigh):
    how = weights, method, auto_reweigh
    loop = called(lambda: [sentence_bleu(*segment, *how) for segment in zip(*corpus)])
    many = called(lambda: sentence_bleu_many(*corpus, *how).tolist())
    assert many[0] == loop[0] and type(many[1]) is type(loop[1])
    assert loop[1] or [str(warning.message) for warning in many[2]] == [str(warning.message) for warning in loop[2]]


def test_a_signal_that_changes_the_lists():
    class Text(list):
        """Declined by the kernel; shortens the corpus when it is read."""

        def __iter__(self):
            del hypotheses[2:]
            return super().__iter__()

    hypotheses = [["a"], Text(["a"]), ["a"], ["a"]]
    with pytest.raises((IndexError, errors.CybleuError)):
        sentence_bleu_many([[["a"]]] * 4, hypotheses, (1,))
