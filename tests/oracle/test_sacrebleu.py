"""Compare sacreBLEU's functions with sacreBLEU: same attributes, exceptions and log."""

import inspect
import logging
import threading
from contextlib import nullcontext
from itertools import cycle, islice

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, strategies as st
from sacrebleu.metrics.bleu import BLEUScore

import cybleu
from cybleu import errors, install_as_sacrebleu, sacrebleu_compat, score
from cybleu.sacrebleu_compat import BLEU

PIECES = (
    "the|The| cat|cat.|,|1,5|10-12| |  |\t|\n|-\n|\xa0|\u3000|\x1c|\x85|"
    "&quot;|&amp;lt;|<skipped>|İ|ß|ǅ|猫|坐在。|e\u0301|\ud800|𝒳| .|_|(|$|"
).split("|")

texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.lists(
    st.sampled_from(["the", "cat", "is", "on", "The", "mat", "."]), max_size=12
).map(" ".join)

settings = st.fixed_dictionaries(
    {},
    optional={
        "smooth_method": st.sampled_from(["exp", "floor", "add-k", "none"]),
        "smooth_value": st.sampled_from([None, 0, 0.5, np.float32(0.5), 2, 1e-6]),
        "lowercase": st.booleans(),
        "tokenize": st.sampled_from(["13a", "none", "intl", "zh", "char", None]),
        "use_effective_order": st.booleans(),
    },
)


@st.composite
def documents(draw):
    """Hypotheses and one to three reference documents with missing lines, rarely all of a segment."""
    hypotheses = draw(st.lists(texts, min_size=1, max_size=5))
    references = []
    for number in range(draw(st.integers(1, 3))):
        missing = st.none() if number or draw(st.integers(0, 9)) == 0 else st.nothing()
        references.append([draw(texts | st.just(hypothesis) | missing) for hypothesis in hypotheses])
    return hypotheses, references


class Records(logging.Handler):
    """Record the log of each thread. Installed once, because removing a handler can make a logger skip another one."""

    def __init__(self):
        super().__init__()
        self.of_thread = threading.local()

    def emit(self, record):
        if hasattr(self.of_thread, "records"):
            self.of_thread.records.append((record.levelname, record.getMessage()))


RECORDS = Records()


@pytest.fixture(scope="module", autouse=True)
def handler():
    logging.getLogger("sacrebleu").addHandler(RECORDS)
    yield
    logging.getLogger("sacrebleu").removeHandler(RECORDS)


def outcome(function, *args, **kwargs):
    """The result or exception of a call, and its log. Warnings are errors."""
    records = RECORDS.of_thread.records = []
    try:
        result = function(*args, **kwargs)
    except Exception as error:
        return type(error), str(error), records
    assert type(result) is BLEUScore
    return vars(result), str(result), result.format(width=5, signature="a:b", is_json=True), records


def assert_same(ours, theirs, *args, **kwargs):
    assert outcome(ours, *args, **kwargs) == outcome(theirs, *args, **kwargs)


@given(documents(), settings)
def test_corpus(corpus, settings):
    assert_same(sacrebleu_compat.corpus_bleu, sacrebleu.corpus_bleu, *corpus, **settings)


@given(documents(), settings)
def test_sentence(corpus, settings):
    hypotheses, references = corpus
    arguments = hypotheses[0], [document[0] for document in references]
    assert_same(sacrebleu_compat.sentence_bleu, sacrebleu.sentence_bleu, *arguments, **settings)


@given(st.lists(texts, min_size=1, max_size=7), st.sampled_from([63, 64, 65, 127, 128, 129]), settings)
def test_segments_around_the_size_of_a_block(lines, number, settings):
    lines = list(islice(cycle(lines), number))
    arguments = lines, [lines[::-1], [None, *lines[1:]], tuple(lines)]
    assert_same(sacrebleu_compat.corpus_bleu, sacrebleu.corpus_bleu, *arguments, **settings)


@pytest.mark.parametrize("name", ["corpus_bleu", "sentence_bleu", "BLEU", "CHRF", "TER"])
def test_arguments_have_the_same_names_places_and_defaults(name):
    named = getattr(sacrebleu_compat, name), getattr(sacrebleu, name)
    signatures = [inspect.signature(function, follow_wrapped=False).parameters.values() for function in named]
    first, second = [[(part.name, part.kind, part.default) for part in signature] for signature in signatures]
    assert first == second


TEXT = "the cat sat on the mat ."


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (([], []), {}),
        (([], [[]]), {}),
        (([TEXT], []), {}),
        (([TEXT], [[]]), {}),
        (([TEXT], None), {}),
        ((None, [[TEXT]]), {}),
        (([None], [[TEXT]]), {}),
        (([TEXT, None], [[TEXT, TEXT]]), {}),
        (([TEXT, 3], [[TEXT, TEXT]]), {}),
        (([TEXT.split()], [[TEXT]]), {}),
        (([TEXT], [[TEXT.split()]]), {}),
        ((iter([TEXT]), [[TEXT]]), {}),
        (([TEXT], iter([[TEXT]])), {}),
        (([TEXT], [[TEXT], iter([TEXT])]), {}),
        (([""], [[None]]), {}),
        (([""], [[""]]), {}),
        (((TEXT,), ((TEXT,), [None])), {}),
        (([TEXT], [[TEXT]]), {"tokenize": ["13a"]}),
        (([TEXT], [[TEXT]]), {"smooth_method": "method1"}),
        (([TEXT], [[TEXT]]), {"smooth_method": None}),
        (([TEXT], [[TEXT]]), {"smooth_method": "x", "tokenize": "x"}),
        (([TEXT], [["a cat"]]), {"smooth_method": "floor", "smooth_value": "0.1"}),
        (([TEXT] * 99, [[TEXT] * 99]), {}),
        (([TEXT] * 100, [[TEXT] * 100]), {}),
        (([TEXT] * 100, [[TEXT] * 100]), {"force": True}),
        (([TEXT + " "] * 100, [[TEXT] * 100]), {}),
    ],
)
def test_odd_arguments_of_a_corpus(args, kwargs):
    calls = []
    for function in (sacrebleu_compat.corpus_bleu, sacrebleu.corpus_bleu):
        # an iterator is for one call
        fresh = [iter([TEXT]) if hasattr(part, "__next__") else part for part in args]
        if isinstance(fresh[1], list):
            fresh[1] = [iter([TEXT]) if hasattr(part, "__next__") else part for part in fresh[1]]
        calls.append(outcome(function, *fresh, **kwargs))
    assert calls[0] == calls[1]


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((None, [TEXT]), {}),
        (([TEXT], [TEXT]), {}),
        ((TEXT, TEXT), {}),
        ((TEXT, []), {}),
        ((TEXT, [None]), {}),
        ((TEXT, [[TEXT]]), {}),
        ((TEXT, iter([TEXT])), {}),
        ((TEXT, [TEXT]), {"use_effective_order": False}),
    ],
)
def test_odd_arguments_of_a_sentence(args, kwargs):
    assert_same(sacrebleu_compat.sentence_bleu, sacrebleu.sentence_bleu, *args, **kwargs)


@pytest.mark.parametrize("name", ["moses", "", 3])
@pytest.mark.parametrize(
    "call",
    [
        lambda name: sacrebleu_compat.corpus_bleu([TEXT], [[TEXT]], tokenize=name),
        lambda name: sacrebleu_compat.sentence_bleu(TEXT, [TEXT], tokenize=name),
        lambda name: BLEU(tokenize=name),
        lambda name: BLEU(False, False, name),
    ],
)
def test_an_unknown_tokeniser(call, name):
    """sacreBLEU raises a KeyError that only has the name."""
    for installed in (False, True):
        with install_as_sacrebleu() if installed else nullcontext(), pytest.raises(KeyError) as error:
            call(name)
        assert type(error.value) is errors.UnknownNameError
        assert str(error.value).startswith(f"unknown tokeniser {name!r}; use one of none, zh, 13a, ")


@pytest.mark.real_data
@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none"])
def test_every_system_of_wmt17(data, tokenize):
    paths = sorted((data / "wmt17-en-de").glob("*.txt"))
    assert len(paths) == 17
    texts = [path.read_text(encoding="utf-8").split("\n")[:-1] for path in paths]
    documents = [texts[[path.stem for path in paths].index("ref")]]
    metric = sacrebleu.BLEU(tokenize=tokenize, force=True, references=documents)
    for lines in texts if cybleu.BACKEND == "cython" else texts[:2]:
        theirs = metric.corpus_score(lines, None)
        ours = sacrebleu_compat.corpus_bleu(lines, documents, tokenize=tokenize, force=True)
        assert vars(ours) == vars(theirs)
        rows = cybleu.rows(lines, documents[0], tokenize=tokenize, threads=2)
        assert score(rows).score == theirs.score
        assert rows.sum(axis=0).tolist() == [theirs.sys_len, theirs.ref_len, *theirs.counts, *theirs.totals]


@pytest.mark.parametrize("lowercase", [False, True])
def test_another_tokeniser_of_sacrebleu(monkeypatch, lowercase):
    """A tokeniser that cybleu does not implement, such as those of SentencePiece and MeCab, which are not installed."""
    from sacrebleu.metrics import bleu
    from sacrebleu.tokenizers import tokenizer_none

    lines = []

    class Halves(tokenizer_none.NoneTokenizer):
        __module__ = "sacrebleu.tokenizers.tokenizer_halves"

        def signature(self):
            return "halves"

        def __call__(self, line):
            lines.append(line)
            return " ".join(part for word in line.split() for part in (word[:2], word[2:]) if part)

    monkeypatch.setattr(tokenizer_none, "Halves", Halves, raising=False)
    name = f"halves, {lowercase}"  # the tokenisers of earlier calls are kept
    monkeypatch.setitem(bleu._TOKENIZERS, name, "tokenizer_none.Halves")
    hypotheses = ["The Cat sat. ", "the cat", "The Cat sat. ", "", "so it is."]  # which ends in " ." when it is split
    references = [
        ["the cat sat.", "the cat", "A cat.", "x", "so it is"],
        ["The Cat sat. ", None, "it", None, "it is so"],
    ]
    options = {"tokenize": name, "lowercase": lowercase}
    corpus = hypotheses * 100, [group * 100 for group in references]
    assert_same(sacrebleu_compat.corpus_bleu, sacrebleu.corpus_bleu, *corpus, **options)
    groups = [[line for line in group if line is not None] for group in zip(*references)]
    lines.clear()
    rows = cybleu.rows(hypotheses, groups, **options)
    assert len(lines) <= 5 + 7
    assert score(rows).score == pytest.approx(sacrebleu.corpus_bleu(*corpus, **options).score)
    assert_same(sacrebleu_compat.sentence_bleu, sacrebleu.sentence_bleu, hypotheses[0], groups[0], **options)
