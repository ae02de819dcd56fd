"""Where a rule begins and where it ends, beside the tools that define it."""

import os
import sys
from textwrap import dedent

import nltk.translate.bleu_score as nltk_bleu
import pytest
import sacrebleu
from hypothesis import example, given, strategies as st

import cybleu
from command_line import python
from cybleu import metrics
from cybleu.bleu_score import sentence_bleu
from inputs import CATCHES_WARNINGS, assert_same_calls

pytestmark = CATCHES_WARNINGS


# -------------------------------------------------------------------------------------------------------------- raw text

LOWERED = "\u0130\u0130I\u03a3\u03c3 \u1e9e\xdf\u01c5\u0149A\xc9\u212a\u2126.\U00010400"


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")
@given(st.lists(st.lists(st.sampled_from(LOWERED), max_size=9).map("".join), min_size=2, max_size=4))
def test_lower_case_is_that_of_python(lines):
    """Also of letters that become two, that become one of another width, and that depend on what follows."""
    *references, text = lines
    lower = [[line.lower() for line in references]], [text.lower()]
    for form in (str, str.encode):
        given = [form(text)], [[*map(form, references)]]
        for kind in ("13a", "intl", "zh", "char"):
            found = cybleu.rows(*given, tokenize=kind, lowercase=True).tolist()
            assert found == cybleu.rows(lower[1], lower[0], tokenize=kind).tolist(), kind
    for kind, options in ((metrics.Chrf, {"lowercase": True}), (metrics.Ter, {})):
        assert kind(**options).rows([text], [references]).tolist() == kind().rows(*lower[::-1]).tolist()


# ---------------------------------------------------------------------------------------------------------------- tokens


DIGITS = [1, "1", b"1", 12, "12", -1, "-1", 10**18, str(10**18), 2**70, str(2**70), 1.5, "1.5", "True", "None", "nan"]


@given(st.lists(st.lists(st.sampled_from(DIGITS), max_size=9) | st.just(DIGITS * 6), min_size=2, max_size=3))
@example(
    [
        [1, 12, -1, 10**18, 2**70, 1.5, True, None],
        ["1", b"1", "12", "-1", str(10**18), str(2**70), "1.5", "True", "None"],
    ]
)
@example([[1, 2, 3, 4] * 20, [*"1234"] * 20])
def test_numbers_and_their_digits_are_different_tokens(texts):
    assert_same_calls(sentence_bleu, nltk_bleu.sentence_bleu, texts[1:], texts[0], (0.5, 0.5))


def test_tokens_of_equal_hashes_are_compared(kernels):
    """With a seed that is known here, the last 16 bytes can be such that the hash depends on the length alone."""
    script = """
        import os
        urandom, os.urandom = os.urandom, lambda size: b"a" * size
        import cybleu
        from cybleu._kernels.kernels import slots_probed
        os.urandom = urandom
        from inputs import counted_row

        def words(size, count):
            # the same ones but for a byte each, at the start, in the middle, or at the end
            places = {0, size // 2 - 9, size - 17, size - 8, size - 1} - {-1, *range(size - 16, size - 8)}
            for number in range(count):
                for place in sorted(place for place in places if place >= 0):
                    word = bytearray(b"b" * (size - 16) + b"a" * 8 + b"b" * 8)
                    word[place] = ord("A") + number
                    yield word.decode()

        for size in (16, 17, 32, 33, 100):
            for count in (3, 25):
                tokens = [*words(size, count)]
                half = tokens[: len(tokens) // 2] + tokens[:2]
                row = counted_row([half], tokens, 2)
                raw, other = " ".join(tokens), " ".join(half)
                before = slots_probed() or 0
                found = [
                    cybleu.rows([tokens], [[half]], max_order=2),
                    cybleu.rows([tokens], cybleu.References([[half]]), max_order=2),
                    cybleu.rows([raw], [other], max_order=2, tokenize="none"),
                    cybleu.rows([raw], cybleu.References([other]), max_order=2, tokenize="none"),
                ]
                assert [rows.tolist() for rows in found] == [[row]] * 4, (size, count)
                of_words = cybleu.metrics.Chrf(1, 2).rows([raw], [other])[0].tolist()
                assert [of_words[5], of_words[8]] == row[2:4], (of_words, row)
                assert count < 25 or slots_probed() is None or slots_probed() > before, "the hashes are not equal"
    """
    done = python("-c", dedent(script), variables={"PYTHONPATH": os.pathsep.join(sys.path)})
    assert (done.returncode, done.stderr) == (0, "")


# ------------------------------------------------------------------------------------------------------------------- TER

WORDS = [f"w{number}" for number in range(60)]
MOVED = {
    **{f"{size} words": (WORDS[size : 2 * size] + WORDS[:size], WORDS[: 2 * size]) for size in (10, 11)},
    **{f"{far} far": (WORDS[1 : far + 1] + WORDS[:1], WORDS[: far + 1]) for far in (50, 51)},
    # of shifts that save as many edits, not the last target
    "before equal words": ([*"1114300140"], [*"4300141411"]),
    "after equal words": ([*"322010131233312"], [*"322013133301222"]),
    "between equal words": ([*"03302214210242"], [*"00223242123140"]),
}
# One word of two, or of one, at each place of a long reference: how far from the diagonal it is looked for.
BESIDE = {
    f"{' '.join(hypothesis)} in {width}": [
        (hypothesis, ["x"] * place + ["a"] + ["x"] * (width - place - 2) + ["b"]) for place in range(width - 1)
    ]
    for hypothesis, width in ((["a", "b"], 60), (["y", "a"], 60), (["a", "y"], 60), (["a"], 120), (["b", "a", "y"], 90))
}


@pytest.mark.parametrize("name", [*MOVED, *BESIDE])
def test_shifts_and_beam(name):
    """How long and how far a shift may be, which of equal ones is taken, and how far from the diagonal words are looked for."""
    hypotheses, references = ([*map(" ".join, texts)] for texts in zip(*BESIDE.get(name, [MOVED.get(name)])))
    expected = sacrebleu.TER()._extract_corpus_statistics(hypotheses, [references])
    rows = metrics.Ter().rows(hypotheses, [[text] for text in references])
    assert rows.tolist() == expected
    assert [metrics.Ter().count(text, [other]) for text, other in zip(hypotheses, references)] == expected
