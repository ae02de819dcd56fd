"""Raw text on both backends: tokens, rows, numbers, invalid UTF-8."""

from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cybleu import _mirror
from cybleu.errors import NotUtf8Error
from cybleu.text.categories import categories
from inputs import called, in_bytes

NAMES = ["none", "ascii", "space", "char", "13a", "zh", "intl", "intl-unstripped"]
WORDS = ["a", "b", "the", *("x" * n for n in (15, 16, 17)), *"é|猫|\ud800|5.5|.|a\u00a0b|&amp;|\U0001f600".split("|")]

lines = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join) | st.text(max_size=12)
long_lines = st.tuples(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), st.sampled_from([12, 13, 16, 60])).map(
    lambda pair: " ".join(pair[0] * pair[1])
)
segments = st.lists(st.tuples(lines | long_lines, st.lists(lines | long_lines, min_size=1, max_size=3)), max_size=4)


def tokenisers(backend):
    return [backend.Tokenizer(name, categories() if name.startswith("intl") else None) for name in NAMES]


def rows_of(backend, tokenizer, corpus, max_order, reference_length):
    texts = backend.RawTexts([hypothesis for hypothesis, _ in corpus])
    others = backend.RawTexts([reference for _, references in corpus for reference in references])
    sets = np.cumsum([0, *(len(references) for _, references in corpus)], dtype=np.int64)
    rows = np.full((len(corpus), 2 + 2 * max_order), -1, dtype=np.int64)
    backend.raw_rows(tokenizer, texts, others, sets, max_order, reference_length, 0, len(corpus), rows)
    one_by_one = [
        backend.raw_row(tokenizer, hypothesis, references, max_order, reference_length)
        for hypothesis, references in corpus
    ]
    assert rows.tolist() == one_by_one
    return one_by_one


# more different characters than a byte has values, and fewer; in the words between spaces, too
MANY = " ".join(map(chr, range(0x4E00, 0x4F20))) * 2
FEW = "ab bca é abba c" * 40


@given(
    segments, st.sampled_from([1, 2, 4, 5, 70]), st.sampled_from(["closest", "closest-first", "shortest", "average"])
)
@example(
    [("a " * 64, ["a " * 65, "b " * 64]), ("a " * 65, ["a"]), ("", [""]), ("a " * 300, ["a b " * 200])], 4, "closest"
)
@example([(MANY, [MANY[9:], MANY[:270] * 2]), (FEW[9:], [FEW, MANY, FEW[::-1] * 3]), (FEW, [FEW[5:]])], 5, "shortest")
def test_rows(kernels, corpus, max_order, reference_length):
    for ours, theirs in zip(tokenisers(kernels), tokenisers(_mirror)):
        arguments = corpus, max_order, reference_length
        rows = rows_of(kernels, ours, *arguments)
        assert rows == rows_of(_mirror, theirs, *arguments)
        as_bytes = [(in_bytes(text), [*map(in_bytes, texts)]) for text, texts in corpus]
        assert rows == rows_of(kernels, ours, as_bytes, *arguments[1:])


LIMITS = [63, 65, 128, 255, 512, 514]


@pytest.mark.parametrize("distinct", [2, 300])
@pytest.mark.parametrize("length", LIMITS)
def test_rows_around_the_limits(kernels, length, distinct):
    """One token more or less, and one byte more or less, than the limits of the representations."""
    random = Random(f"{length} {distinct}")

    def text(size):
        return " ".join(f"w{random.randrange(distinct)}" for _ in range(size))

    hypotheses = [text(length + more) for more in (-1, 0, 1)]
    references = [[hypotheses[0][5:], text(length)], [text(length + 1)], [text(5), hypotheses[2], text(2 * length)]]
    hypotheses += ["猫" * length, "x" * length + " .,5.5-a", "ab," * length]
    references += [
        ["猫" * (length - 1) + " 。猫"],
        ["x" * (length - 1) + " .,5.5-a"],
        ["ab," * (length - 1), "b" * length],
    ]
    corpus = list(zip(hypotheses, references))
    for ours, theirs in zip(tokenisers(kernels), tokenisers(_mirror)):
        if ours.name in ("none", "char"):
            assert rows_of(kernels, ours, corpus, 4, "closest") == rows_of(_mirror, theirs, corpus, 4, "closest")
        for line in hypotheses[3:]:
            for start in (0, 1, 2):
                assert ours.tokens(line[start:]) == theirs.tokens(line[start:])


def test_full_stops(kernels):
    lines = ["", ".", "a.", "a .", " .", "猫 .", "猫.", "\U0001f600 .", "é.", "..", "a . "]
    for backend in (kernels, _mirror):
        assert backend.RawTexts(lines).full_stops() == (4, 4)
        assert backend.RawTexts.of_block("\r\n".join(lines).encode()).full_stops() == (4, 4)


@given(st.lists(lines | long_lines, max_size=6), st.lists(lines | long_lines, max_size=6))
def test_numbers(kernels, known, texts):
    for ours, theirs in zip(tokenisers(kernels), tokenisers(_mirror)):
        found = []
        for backend, tokenizer in ((kernels, ours), (_mirror, theirs)):
            words = backend.RawVocabulary(tokenizer)
            ends, later = np.empty(len(known), np.int64), np.empty(len(texts), np.int64)
            added = words.add(backend.RawTexts(known), ends)
            looked_up = words.look_up(backend.RawTexts(texts), later)
            found.append((added, ends.tolist(), looked_up, later.tolist(), len(words)))
        assert found[0] == found[1]


@given(st.lists(lines | long_lines, min_size=1, max_size=4), st.lists(lines | long_lines, max_size=6))
def test_rows_of_raw_text_against_prepared_references(kernels, references, texts):
    """Each backend, and the rows of the tokens' numbers."""
    order, count = 3, len(references)
    sets, owners = np.arange(count + 1, dtype=np.int64), np.arange(len(texts), dtype=np.int64) % count
    for ours, theirs in zip(tokenisers(kernels), tokenisers(_mirror)):
        found = []
        for backend, tokenizer in ((kernels, ours), (_mirror, theirs)):
            words, ends = backend.RawVocabulary(tokenizer), np.empty(count, np.int64)
            ids = np.frombuffer(words.add(backend.RawTexts(references), ends), np.int32).astype(np.int64)
            begins = np.append(0, ends[:-1])
            numbered = backend.TokenTexts(ids, begins, ends)
            prepared = backend.PreparedReferences(numbered, sets, ends - begins, sets, order)
            views, rows, of_numbers = backend.RawTexts(texts), *np.zeros((2, len(texts), 2 + 2 * order), np.int64)
            middle = len(texts) // 2
            prepared.count_raw_rows(words, views, owners, middle, len(texts), rows)
            prepared.count_raw_rows(words, views, owners, 0, middle, rows)
            ends = np.empty(len(texts), np.int64)
            numbers = np.frombuffer(words.look_up(views, ends), np.int32)
            begins = np.append(0, ends[:-1])[: len(texts)]
            prepared.count_rows(backend.TokenTexts(numbers, begins, ends), owners, 0, len(texts), of_numbers)
            assert rows.tolist() == of_numbers.tolist()
            found.append(rows.tolist())
        assert found[0] == found[1]


@given(
    st.binary(max_size=12) | st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b"\xc3", b"\xa9"])).map(b"".join)
)
@example(b"a\xed\xa0\x80")
@example(b"\xf4\x90\x80\x80")
@example(b"\xe0\x80\x80b\n\xff")
@example(b"12345678\n\x80")
def test_blocks_of_bytes(kernels, block):
    results = []
    for backend in (kernels, _mirror):
        value, error, _ = called(backend.RawTexts.of_block, block)
        assert error is None or type(error) is NotUtf8Error
        results.append(("error", error.line, error.position, error.byte) if error else tokens_of(backend, value))
        one, error, _ = called(backend.RawTexts, [b"a", block])
        results[-1] = (results[-1], ("error", error.line, error.position) if error else tokens_of(backend, one))
    assert results[0] == results[1]
    try:
        text = block.decode()
    except UnicodeDecodeError as error:
        assert results[0][1] == ("error", 1, error.start)
    else:
        assert results[0][0] == [line.removesuffix("\r").split() for line in text.split("\n")]


def tokens_of(backend, texts):
    """The tokens of each text."""
    tokenizer = backend.Tokenizer("none")
    return [tokenizer.tokens(line) for line in texts.strings()]
