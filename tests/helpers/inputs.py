"""Generate tokens, texts and segments of all kinds, and compare what two functions or backends return for them."""

import copy
import pickle
import re
import sys
import warnings
from collections import Counter, deque
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from types import NoneType
from typing import Any

import pytest
from hypothesis import strategies as st

from cybleu.errors import CybleuError, ShapeWarning
from cybleu.metrics import VARIANTS, Metric
from on_mirror import on_mirror


class CaseBlind(str):
    """A str with its own equality, consistent with its hash."""

    __slots__ = ()

    def __eq__(self, other):
        return self.lower() == other.lower() if isinstance(other, str) else NotImplemented

    def __hash__(self):
        return hash(str(self).lower())


class OneHash:
    """Equal by value, with one hash for all."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value if isinstance(other, OneHash) else NotImplemented

    def __hash__(self):
        return 7

    def __repr__(self):
        return f"OneHash({self.value})"


class Near:
    """An equality that is not transitive: neighbours are equal."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return abs(self.value - other.value) <= 1 if isinstance(other, Near) else NotImplemented

    def __hash__(self):
        return 11

    def __repr__(self):
        return f"Near({self.value})"


class Own(Metric):
    """A metric of the user's, which reads the tokens in Python."""

    name = "own"
    scale = 1
    columns = ("shared", "words")

    def count(self, hypothesis, references):
        return [len({*hypothesis} & {*references[0]}), len({*hypothesis})]

    def evaluate(self, row):
        return row[0] / row[1] if row[1] else 0.0


NAN = float("nan")
MODULUS = 2**61 - 1  # of CPython's integer hash: these two and their multiples have equal hashes


def is_plain(token):
    """Whether the kernels count a token; others are counted by the mirror."""
    return type(token) is str or (type(token) is int and -(2**63) <= token < 2**63)


TOKENS = {
    "words": ["the", "cat", "is", "on", "mat", ","],
    "two words": ["a", "b"],
    "one word": ["a"],
    "lengths where keys change": ["x" * n for n in (0, 1, 7, 8, 9, 14, 15, 16, 17, 31, 32, 33)]
    + ["y" * n for n in (7, 8, 15, 16, 17)],
    "same ends": ["ab" + "c" * n + "ab" for n in (1, 3, 5, 12, 13, 20)]
    + ["abXcccccccccccccccab", "abYcccccccccccccccab"],
    "zero bytes": ["", "\0", "\0\0", "a\0", "\0a", "\0" * 15, "\0" * 16],
    "scripts": "straße Straße кошка на 猫 坐在 𝒳 é e\u0301 ÿ Ā x naïvetätsgefühle".split(),
    "lone surrogates": ["\ud800", "\udfff", "\ud800x", "x\udc00"],
    "bytes": [b"a", b"b", b"", b"abcdefghijklmnopqrstuvwxyz", "a", "b"],
    "numbers": [1, 1.0, True, 0, False, 0.0, -0.0, 2, -1, -2, 10**30, float(10**30), None],
    "not a number": [NAN, float("nan"), float("inf"), 1.0],
    "equal hashes": [1, 1 + MODULUS, 1 + 2 * MODULUS, 1 + 3 * MODULUS, -1, -2, 2, 2 + MODULUS],
    "ids": list(range(0, 64 * 300, 64)),
    "tuples": [("a", "b"), ("a",), (), (1, "a"), frozenset({1})],
    "str subclass": [CaseBlind("a"), CaseBlind("A"), "a", "A", CaseBlind("b")],
    "one hash": [OneHash(n) for n in range(4)],
    "not transitive": [Near(n) for n in range(4)],
}

# What a batch may have on both sides: words, or numbers that are ids.
WORD_KINDS = [
    *("words", "two words", "one word", "lengths where keys change", "same ends", "zero bytes"),
    *("scripts", "lone surrogates", "str subclass", "one hash"),
]
ID_KINDS = ["ids", "equal hashes"]

# The definitions of BLEU, each with each of its smoothings.
DEFINITIONS = [(name, smoothing) for name, variant in VARIANTS.items() for smoothing, *_ in variant.smoothings]

# Where definitions of BLEU differ, as (references, hypothesis) of each segment.
CASES = {
    "A": [(["a b c"], "a b c")],
    "B": [(["a b c x"], "a b c d")],
    "C": [(["b d a c"], "a b c d")],
    "D": [(["w x y z"], "a b c d")],
    "E": [(["a b c d"], "")],
    "F": [(["a b c d e f", "a b c d"], "a b c d e")],
    "G": [(["a b c d", "a b c d e f g h i"], "a b c d e f g h")],
    "H": [(["a b c d e f"], "a b c d e f"), (["g"], "g")],
    "I": [(["a b c d x y g h i j k l"], "a b c d e f g h i j k l"), (["m n o p"], "")],
    "J": [(["a b x d e f g h"], "a b c d e f g h")],
}


def tokens(case):
    """The references and the hypotheses of a case, as lists of words."""
    references = [[text.split() for text in texts] for texts, _ in CASES[case]]
    return references, [hypothesis.split() for _, hypothesis in CASES[case]]


MANY_VALUES = [f"w{n}" for n in range(40)] + [f"ein längeres Wort {n}" for n in range(5)]


class Labelled:
    """A column that was sorted: the first entry has the last label."""

    def __init__(self, values):
        self.values = list(values)

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter(self.values)

    def __getitem__(self, label):
        return self.values[len(self.values) - 1 - label]


def token_lists(tokens, max_size=14):
    return st.lists(st.sampled_from(tokens), max_size=max_size)


VOCABULARIES = {"text": [MANY_VALUES, MANY_VALUES[:3], MANY_VALUES[:1]], "ids": [list(range(700))]}


@st.composite
def long_lists(draw, kinds=tuple(VOCABULARIES)):
    """Token lists with lengths around the limits of representations, from a vocabulary with many repeats."""
    size = draw(st.sampled_from([3, 60, 63, 64, 65, 66, 70, 120, 127, 128, 129, 140, 300, 1030]))
    vocabulary = draw(st.sampled_from([vocabulary for kind in kinds for vocabulary in VOCABULARIES[kind]]))
    random = Random(draw(st.integers(0, 2**32)))
    return [vocabulary[min(int(random.expovariate(4 / len(vocabulary))), len(vocabulary) - 1)] for _ in range(size)]


@st.composite
def segments(draw, containers=False, min_references=1, kinds=tuple(TOKENS)):
    """(references, hypothesis) with tokens of one class; references often share long runs with the hypothesis."""
    tokens = TOKENS[draw(st.sampled_from(kinds))]
    hypothesis = draw(token_lists(tokens))
    references = []
    for _ in range(draw(st.integers(min_references, 4))):
        kind = draw(st.sampled_from(["new", "same", "edited", "rotated"]))
        if kind == "new" or not hypothesis:
            references.append(draw(token_lists(tokens)))
        elif kind == "same":
            references.append(list(hypothesis))
        elif kind == "edited":
            place = draw(st.integers(0, len(hypothesis) - 1))
            references.append(hypothesis[:place] + draw(token_lists(tokens, 2)) + hypothesis[place + 1 :])
        else:
            place = draw(st.integers(0, len(hypothesis)))
            references.append(hypothesis[place:] + hypothesis[:place])
    if containers:
        kinds = st.sampled_from([list, tuple, deque])
        return draw(kinds)([draw(kinds)(reference) for reference in references]), draw(kinds)(hypothesis)
    return references, hypothesis


@st.composite
def long_segments(draw, kinds=tuple(VOCABULARIES)):
    hypothesis = draw(long_lists(kinds))
    references = [draw(long_lists(kinds))]
    if draw(st.booleans()):
        cut = draw(st.integers(0, len(hypothesis)))
        references.append(hypothesis[:cut] + draw(long_lists(kinds))[: draw(st.integers(0, 80))] + hypothesis[cut:])
    return references, hypothesis


@st.composite
def spliced_segments(draw):
    """(references, hypothesis) of a few words, where references are pieces of the hypothesis: long n-grams match and repeat."""
    random = Random(draw(st.integers(0, 2**32)))
    words = "abcdefgh"[: random.randint(2, 8)]
    hypothesis = random.choices(words, k=draw(st.sampled_from([5, 9, 17, 40, 63, 64, 65, 66, 130])))
    references = []
    for size in draw(st.lists(st.sampled_from([len(hypothesis), 64, 65]), min_size=1, max_size=3)):
        reference = []
        while len(reference) < size:
            start = random.randrange(len(hypothesis))
            reference += hypothesis[start : start + random.randint(3, 17)] + random.choice([[], ["x"]])
        references.append(reference[:size])
    return references, hypothesis


def corpora(kinds=tuple(TOKENS), min_size=0):
    """(references, hypotheses) of segments."""
    pairs = st.lists(segments(kinds=kinds), min_size=min_size, max_size=5)
    return pairs.map(lambda pairs: ([references for references, _ in pairs], [hypothesis for _, hypothesis in pairs]))


def batches(min_size=0):
    """The same without what is refused: tokens on one side that no token on the other can match."""
    return corpora(WORD_KINDS, min_size) | corpora(ID_KINDS, min_size)


number = st.one_of(
    st.sampled_from([0, 1, 0.0, 0.25, 0.5, -1, -0.5, 2, 1e-3, 1e3]),
    st.floats(-3, 3, allow_nan=False),
)

weight_vectors = st.one_of(
    st.just((0.25, 0.25, 0.25, 0.25)),
    st.just([0.25, 0.25, 0.25, 0.25]),
    st.integers(1, 17).map(lambda n: (1 / n,) * n),
    st.lists(number, min_size=1, max_size=6).map(tuple),
    st.lists(number, min_size=1, max_size=6),
)

several_weights = st.one_of(
    weight_vectors,
    st.lists(weight_vectors, min_size=1, max_size=4),
    st.lists(weight_vectors, min_size=1, max_size=3).map(tuple),
    st.sampled_from([(), [], [()], [(), (1,)], [(1,), ()], {0.5}, 0.25, None, "ab", ("a",), [("a",)]]),
)

smoothing_parameters = st.fixed_dictionaries(
    {},
    optional={
        "epsilon": st.sampled_from([0.1, 0, 0.0, -1, 1, 5, 1e-9, 1e300, float("nan"), float("inf")]),
        "alpha": st.sampled_from([5, 0, 1, 2.5, -1, 0.0, 100]),
        "k": st.sampled_from([5, 0, 1, 2.5, -1, 0.0, 1e-320, 100]),
    },
)


class OnADevice:
    """An array that is not in main memory."""

    device = "cuda:0"

    def __dlpack_device__(self):
        return (2, 0)

    def __array__(self, *args, **kwargs):
        raise AssertionError("copied")


@dataclass
class Outcome:
    """Outcome of a call: value or exception, and warnings."""

    value: Any
    error: BaseException | None
    warned: list[str]


# Marks for tests that call `outcome`. Who catches warnings catches those of all threads, but on free-threaded CPython.
CATCHES_WARNINGS = (
    []
    if getattr(sys.flags, "context_aware_warnings", False)
    else [pytest.mark.thread_unsafe(reason="it catches warnings")]
)


def called(function, *args, **kwargs):
    """The value, the exception and the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return function(*args, **kwargs), None, caught
        except Exception as raised:
            return None, raised, caught


def bits(value):
    """What equal results have alike: each bit of arrays, and what they show."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, repr(value.tolist()), value.tobytes()
    return [*map(bits, value)] if isinstance(value, (list, tuple)) else repr(value)


def on_both_backends(call, expected=(CybleuError, NoneType)):
    """The value that a call has on both backends, to the last bit, or None for the same error; with the same warnings.

    This process has the kernels.
    """
    of_mirror = on_mirror(shown, call)
    value, error, caught = called(call)
    of_kernels = what_is_shown(value, error, caught)
    assert of_kernels == of_mirror, f"{of_kernels} on kernels, {of_mirror} on the mirror"
    assert isinstance(error, expected), error
    return value


def shown(call):
    return what_is_shown(*called(call))


def what_is_shown(value, error, caught):
    """A value to the last bit, an error and warnings, without addresses in memory."""
    messages = [repr(error), *(str(warning.message) for warning in caught)]
    return bits(value), [re.sub("0x[0-9a-f]+", "0x", message) for message in messages]


def outcome(function, *args, **kwargs):
    value, error, caught = called(function, *args, **kwargs)
    of_tool = [warning for warning in caught if not issubclass(warning.category, ShapeWarning)]
    return Outcome(value, error, [str(warning.message).split("\n")[1] for warning in of_tool])


def same_value(ours, theirs):
    if isinstance(theirs, Fraction):
        return isinstance(ours, Fraction) and (ours.numerator, ours.denominator) == (
            theirs.numerator,
            theirs.denominator,
        )
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same_value, ours, theirs))
    return type(ours) is type(theirs) and (ours == theirs or (ours != ours and theirs != theirs))


def assert_same(ours, theirs):
    """Assert equal values of equal types and the same warnings, or an exception that code written for the other tool catches."""
    if theirs.error is not None:
        assert isinstance(ours.error, type(theirs.error)), (ours, theirs)
    else:
        assert ours.error is None, (ours, theirs)
        assert same_value(ours.value, theirs.value), (ours.value, theirs.value)
        assert ours.warned == theirs.warned


def assert_same_calls(ours, theirs, *args, **kwargs):
    """Call two functions with the same arguments and compare what they do."""
    assert_same(outcome(ours, *args, **kwargs), outcome(theirs, *args, **kwargs))


def assert_same_as_sacrebleu(ours, theirs, words=True):
    """Compare results of `called`: scores equal in every attribute, or the same exception."""
    value, error, _ = ours
    expected, wanted, _ = theirs
    assert type(error) is type(wanted) and (str(error) == str(wanted) or not words)
    if wanted is None:
        assert vars(value) == vars(expected) and str(value) == str(expected)


def assert_class_is_as_sacrebleu_s(cls, theirs, corpus, options):
    """Compare scores and signature of a class, with references as arguments or cached, copied and pickled."""
    hypotheses, references = corpus
    metric = cls(**options)
    other = theirs(**options)
    of_one = [document[0] for document in references]
    for score, texts in (("corpus_score", corpus), ("sentence_score", (hypotheses[0], of_one))):
        assert_same_as_sacrebleu(called(getattr(metric, score), *texts), called(getattr(other, score), *texts))
    assert called(lambda: str(metric.get_signature()))[0] == called(lambda: str(other.get_signature()))[0]
    (kept, error, _), (other, wanted, _) = (called(kind, references=references, **options) for kind in (cls, theirs))
    assert type(error) is type(wanted)
    if wanted is None:
        expected = called(other.corpus_score, hypotheses, None)
        for copied in (kept, copy.deepcopy(kept), pickle.loads(pickle.dumps(kept))):
            assert_same_as_sacrebleu(called(copied.corpus_score, hypotheses, None), expected)


def ngrams(text, n):
    return Counter(tuple(text[start : start + n]) for start in range(len(text) - n + 1))


def matched(references, hypothesis, n):
    """How often each n-gram of a hypothesis is matched: at most as often as in one of the references."""
    found = [ngrams(reference, n) for reference in references]
    counts = ngrams(hypothesis, n)
    return Counter({ngram: min(counts[ngram], max(counted[ngram] for counted in found)) for ngram in counts})


def counted_row(references, hypothesis, max_order, reference_length="closest"):
    """The statistics of a segment by the definition of the paper, in plain Python."""
    lengths = [len(reference) for reference in references]
    wanted = {
        "closest": min((abs(length - len(hypothesis)), length) for length in lengths)[1],
        "closest-first": min(lengths, key=lambda length: abs(length - len(hypothesis))),
        "shortest": min(lengths),
        "average": sum(lengths) // len(lengths),
    }[reference_length]
    matches = [matched(references, hypothesis, n).total() for n in range(1, max_order + 1)]
    return [len(hypothesis), wanted, *matches, *(max(0, len(hypothesis) - n) for n in range(max_order))]


@st.composite
def texts_of_one_kind(draw, kinds=(*WORD_KINDS, *ID_KINDS), min_size=1):
    """Texts with similar tokens of one class."""
    tokens = TOKENS[draw(st.sampled_from(kinds))]
    return draw(st.lists(token_lists(tokens, 9), min_size=min_size, max_size=6))


def unaligned(array):
    """A writable copy whose numbers begin at odd addresses, as in a file with a header."""
    import numpy as np

    memory = np.zeros(array.nbytes + 1, dtype=np.uint8)
    view = memory[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    assert not view.flags.aligned
    return view


def side_by_side(columns):
    """The rows of a dict of columns, as lists."""
    import numpy as np

    return np.column_stack([*columns.values()]).tolist()
