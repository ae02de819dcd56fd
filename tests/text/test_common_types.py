"""Lists of str and arrays of integers are read at once: with the results and errors of the same texts in other containers."""

import warnings

import numpy as np
from hypothesis import given, strategies as st

import cybleu
from inputs import CATCHES_WARNINGS

pytestmark = CATCHES_WARNINGS

WORDS = ["the", "cat", "sat", "The cat.", "a b", "a  b ", "", "\ud800 x", "\xe9"]
# A list and an array of other types, with the same names in messages.
OTHER_LIST = type("list", (list,), {})
OTHER_ARRAY = type("ndarray", (np.ndarray,), {})


def in_another_container(texts):
    if isinstance(texts, np.ndarray):
        return texts.view(OTHER_ARRAY)
    return OTHER_LIST(texts) if isinstance(texts, list) else texts


def outcome(call, *arguments, **options):
    """What a call returns or raises, and its warnings."""
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        try:
            result = call(*arguments, **options)
        except Exception as error:
            result = type(error), str(error)
    shown = result.tolist() if isinstance(result, np.ndarray) else result
    return repr(shown), [str(warning.message) for warning in issued]


lines = st.sampled_from(WORDS) | st.text("ab .", max_size=5)
arrays = st.lists(st.integers(0, 3), max_size=3).map(np.array)
numbers = st.sampled_from([np.int64, np.int32, np.int64, np.uint8, ">i8", np.float64])
texts = {
    "lines": st.just(lines),
    "ids": numbers.map(lambda dtype: arrays.map(lambda ids: ids.astype(dtype))),
    "any": st.just(lines | arrays | st.lists(lines, max_size=2) | st.sampled_from([None, b"a b", np.str_("a"), 5])),
}
kinds = st.sampled_from(["lines", "lines", "ids", "any"])
shapes = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))


@st.composite
def arguments(draw):
    """Hypotheses and references, most of them of one kind and as many of one as of the other."""
    kind = draw(kinds)
    text = draw(texts[kind])
    size = draw(st.integers(0, 3))
    count = draw(st.sampled_from([size, size, size, size, size + 1]))
    hypotheses = draw(st.lists(text, min_size=size, max_size=size))
    others = draw(texts[draw(st.sampled_from([kind, kind, kind, "any"]))])
    several = draw(st.sampled_from([None, list, list, tuple]))
    references = draw(
        st.lists(st.lists(others, max_size=2).map(several) if several else others, min_size=count, max_size=count)
    )
    if draw(st.integers(0, 5)) == 0:
        hypotheses = np.ones((size, draw(st.integers(0, 3))), draw(numbers))
    if draw(st.integers(0, 5)) == 0:
        references = np.ones((count, *draw(shapes)[: draw(st.integers(0, 2))]), draw(numbers))
    if several and draw(st.integers(0, 5)) == 0:
        references = [np.ones((draw(st.integers(0, 2)), 2), np.int64) for _ in range(count)]
    return hypotheses, references


CALLS = [
    (cybleu.bleu, {}),
    (cybleu.bleu, {"lowercase": True}),
    (cybleu.chrf, {}),
    (cybleu.ter, {}),
    (cybleu.rows, {}),
    (cybleu.rows, {"metric": "nltk"}),
    (cybleu.rows, {"metric": "chrf"}),
    (cybleu.reward_scores, {}),
    (cybleu.reward_scores, {"owner": [0, 0]}),
    (lambda hypotheses, references: cybleu.pairs(hypotheses, references), {}),
    (lambda hypotheses, references: cybleu.rows(hypotheses, cybleu.References(references)), {}),
    (lambda hypotheses, references: cybleu.Reward()(completions=hypotheses, references=references), {}),
    (lambda hypotheses, references: cybleu.rerank.mbr([hypotheses], evidence=[references]).scores, {}),
]


@given(arguments(), st.sampled_from(CALLS))
def test_common_types_are_read_as_others(given_arguments, call):
    function, options = call
    others = map(in_another_container, given_arguments)
    assert outcome(function, *given_arguments, **options) == outcome(function, *others, **options)


def test_arrays_that_are_parts_of_others():
    ids = np.arange(20).reshape(4, 5)
    hypotheses = [ids[1, :3], ids.T[1, 1:3]]
    references = [ids[:2, :3], ids.T[:2, 1:3]]
    expected = cybleu.rows(hypotheses, list(map(np.ascontiguousarray, references)))
    assert cybleu.rows(hypotheses, references).tolist() == expected.tolist()
