"""Many segments in one call equal a loop over sentence_bleu."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cybleu import SmoothingFunction, errors, nltk_3_2, sentence_bleu, sentence_bleu_many
from inputs import corpora

pytestmark = pytest.mark.usefixtures("backend")

METHODS = [None, nltk_3_2, lambda p_n, **_: [(p.numerator + 1) / (p.denominator + 1) for p in p_n]] + [
    getattr(SmoothingFunction(), f"method{number}") for number in range(8)
]
WEIGHTS = [(0.25,) * 4, [0.5, 0.5], (1, 0, 0), [(1,), (0.5, 0.5), (0.2,) * 5], (0.1,) * 20]


@given(corpora(), st.sampled_from(METHODS), st.sampled_from(WEIGHTS), st.booleans())
def test_equal_to_the_loop(corpus, method, weights, auto_reweigh):
    outcomes = []
    for call in (
        lambda: [sentence_bleu(*segment, weights, method, auto_reweigh) for segment in zip(*corpus)],
        lambda: sentence_bleu_many(*corpus, weights, method, auto_reweigh).tolist(),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                outcomes.append((call(), [str(warning.message) for warning in caught]))
            except Exception as error:
                outcomes.append((type(error), str(error).partition(": ")[2] or str(error)))
    if isinstance(outcomes[0][0], type):
        assert outcomes[1][0] is outcomes[0][0]
    else:
        assert outcomes[0] == outcomes[1]


def test_a_signal_that_changes_the_lists():
    class Text(list):
        """Declined by the kernel; shortens the corpus when it is read."""

        def __iter__(self):
            del hypotheses[2:]
            return super().__iter__()

    hypotheses = [["a"], Text(["a"]), ["a"], ["a"]]
    with pytest.raises((IndexError, errors.CybleuError)):
        sentence_bleu_many([[["a"]]] * 4, hypotheses, (1,))
