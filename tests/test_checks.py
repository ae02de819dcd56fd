"""Arguments of the wrong shape are found, each with its place; sound ones, however odd, raise nothing."""

from array import array
from collections import deque
from copy import deepcopy
from itertools import chain

import numpy as np
import pytest
from hypothesis import assume, given

from cybleu import check, errors
from inputs import TOKENS, corpora

WORDS = ["the", "cat", "sat"]
CHINESE = list("我用 iPhone 打电话")


def group(*references):
    return [[WORDS], list(references)]


MISTAKES = {
    errors.SequenceTypeError: [
        # the whole arguments
        ("the cat", [WORDS], "references is a str; give a list of lists"),
        ([[WORDS]], "the cat", "hypotheses is a str; give a list of token lists"),
        ([[WORDS]], None, "hypotheses is None; give a list"),
        ({(("a",),)}, [WORDS], "references is a set, which has no order"),
        # hypotheses
        (
            [[WORDS]] * 4,
            [WORDS, WORDS, WORDS, "the cat"],
            "segment 3: the hypothesis is a str, not a list of tokens; split it",
        ),
        ([[WORDS]], [iter(WORDS)], "segment 0: the hypothesis must be a list of tokens or another"),
        ([WORDS], [[WORDS]], "so the arguments look swapped: give the references first"),
        # references
        ([WORDS] * 2, [WORDS] * 2, "segment 0: the set of references looks like the token list of one"),
        (["the cat"], [WORDS], "segment 0: the set of references is a str, not a list of references"),
        (group("the cat"), [WORDS] * 2, "segment 1: reference 0 is a str, not a list of tokens; split"),
    ],
    errors.LengthMismatchError: [
        ([[WORDS]], [WORDS] * 2, "there are 2 hypotheses and 1 lists of references"),
        ([["the cat"] * 3], [WORDS] * 3, "they look transposed, as sacreBLEU takes them; give list(zip(*references))"),
        ([WORDS], WORDS, "there are 3 hypotheses, which look like the tokens of one"),
        ([[WORDS]], np.array([1, 2], dtype=np.int64), "put the hypothesis in a list: [hypothesis]"),
    ],
    errors.NoReferencesError: [
        (group(), [WORDS] * 2, "segment 1: there is no reference for the hypothesis; give at least one")
    ],
    errors.OneShotReferencesError: [
        ([iter([WORDS])], [WORDS], "segment 0: the references are a list_iterator, which can be read")
    ],
    errors.UnhashableTokenError: [
        ([[WORDS]], [["a", ("b", [])]], "token 1 of the hypothesis is a tuple, which cannot be hashed"),
        ([[WORDS]], [[WORDS]], "token 0 of the hypothesis is a list, which cannot be hashed"),
    ],
    errors.TokensError: [
        (group(WORDS, []), [WORDS] * 2, "references[1][1] has no token; leave it out"),
        ([[WORDS]], [["a", None]], "token 1 of hypotheses[0] is None; leave it out"),
        # text split into characters
        ([[WORDS]], [list("the cat")], "hypotheses[0] is a list of the characters of a text"),
    ],
    errors.MixedTokensError: [
        ([[WORDS]], [[1, 2]], "holds token ids and the other strings; give both as ids or both as tokens"),
        ([[[b"a"]]], [["a"]], "hypotheses is a str, but every token of the references is bytes"),
    ],
}


@pytest.mark.parametrize(
    ("error", "references", "hypotheses", "message"),
    [pytest.param(error, *row, id=row[2]) for error, rows in MISTAKES.items() for row in rows],
)
def test_mistakes(error, references, hypotheses, message):
    with pytest.raises(errors.CybleuError) as caught:
        check(deepcopy(references), hypotheses)  # an iterator is read
    assert type(caught.value) is error
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("references", "hypotheses"),
    [
        ([], []),
        ([[WORDS]], [[]]),
        (((WORDS,),), (tuple(WORDS),)),
        (deque([deque([deque(WORDS)])]), deque([deque(WORDS)])),
        ([{tuple(WORDS)}], [WORDS]),
        # characters that are tokens
        ([[["a", "b", "c"]]], [["a", ".", "c"]]),
        ([[CHINESE]], [CHINESE]),
        ([[list("กินข้าว กับ OK")]], [list("กิน ข้าว")]),
        # program code with its blanks
        ([[["x", " ", "=", " ", "1"]]], [["if", " ", "x", ":"]]),
        # ids in arrays
        (np.zeros((2, 3, 4), np.int32), np.zeros((2, 5), np.uint16)),
        ([[np.array([1, 2])]], [array("l", [1, 2])]),
        ([[[1, 2]]], [[np.int64(1), 2]]),
        ([[np.array(WORDS)]], [WORDS]),
        ([[WORDS, [1, "a"]]], [[1, 2]]),
        ([[[("house", "N"), 1.5, frozenset()]]], [[("house", "V")]]),
    ],
)
def test_sound_arguments(references, hypotheses):
    assert check(references=references, hypotheses=hypotheses) is None


def has_no_mistake(list_of_references, hypotheses):
    """What the generated corpora may have that is a mistake: an empty reference, None, tokens that never match."""
    texts = [*hypotheses, *(reference for references in list_of_references for reference in references)]
    return all(all(references) for references in list_of_references) and all(None not in text for text in texts)


@given(corpora())
def test_no_false_alarm_on_generated_text(corpus):
    assume(has_no_mistake(*corpus))
    try:
        check(*corpus)
    except errors.TokensError as error:
        kinds = [
            {type(token) for text in side for token in text} for side in (chain.from_iterable(corpus[0]), corpus[1])
        ]
        assert "none can match" in str(error) and not kinds[0] & kinds[1]


@pytest.mark.parametrize("name", sorted(TOKENS))
def test_tokens_of_any_kind(name):
    tokens = [token for token in TOKENS[name] if token is not None]
    assert check([[tokens]], [tokens]) is None


def read(path):
    return [line.split() for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


@pytest.mark.real_data
def test_no_false_alarm_on_real_text(data):
    systems = sorted((data / "wmt17-en-de").glob("*.txt"))
    references = [[reference] for reference in read(data / "wmt17-en-de" / "ref.txt")]
    assert len(systems) == 17
    for system in systems:
        assert check(references, read(system)) is None
    four = [read(data / "bn-en" / f"reference.en.{number}") for number in range(4)]
    assert check([list(group) for group in zip(*four[1:])], four[0]) is None
