"""Kernels refuse arrays that do not fit each other, so that they read and write no memory but that of their arguments."""

import sys

import numpy as np
import pytest

from cybleu._definitions.error_surface import CROSSING
from cybleu.bleu_score import SmoothingFunction
from cybleu.metrics import Bleu

# offsets, owners and ids of one text, and what its rows and scores are written to
NONE, ZERO, ONE, TWO, PART = (np.array(numbers, dtype=np.int64) for numbers in ([], [0], [1], [2], [0, 1]))
WORDS = np.array([0, 1], dtype=np.int32)
ROW = np.zeros((1, 10), np.int64)
SHORT = np.zeros((1, 8), np.int64)
SCORE = np.zeros(1)
TABLE = np.zeros((1, 2))


class Longer(np.ndarray):
    """An array that says that it has more items than its memory."""

    def __len__(self):
        return 1_000_000


SMALLEST = np.iinfo(np.int64).min
LARGEST = np.iinfo(np.int64).max


def test_what_does_not_fit(kernels):
    tokenizer = kernels.Tokenizer("13a")
    lines = kernels.RawTexts(["a"])
    texts = kernels.TokenTexts(WORDS, ZERO, TWO)
    wide = kernels.TokenTexts(PART, ZERO, TWO)
    raw = kernels.Segments(tokenizer, lines, lines, PART)
    ids = kernels.Segments(None, texts, texts, PART)
    chrf = kernels.CharacterF(6, 0, 2, "kept", False)
    definition = kernels.Definition(Bleu().rules())
    prepared = kernels.PreparedReferences(texts, PART, 4, "closest")
    features = kernels.FeatureRows(TABLE, ZERO.repeat(2), NONE, NONE / 1, 0)
    methods = [getattr(SmoothingFunction, f"method{number}") for number in range(8)]
    scorer = kernels.Scorer(SmoothingFunction, methods, None)
    method5 = SmoothingFunction().method5
    for function, *arguments in (
        (kernels.TokenTexts, WORDS, ZERO, PART),
        (kernels.TokenTexts, WORDS, ONE, ZERO),
        (kernels.TokenTexts, WORDS.view(Longer), ZERO, TWO * 500_000),
        (lines.take, ONE),
        (kernels.Tokenizer, "intl", b""),
        (kernels.RawTexts.of_spans, b"a", ZERO, PART),
        (kernels.RawTexts.side_by_side, [lines], [], 1),
        (kernels.RawTexts.side_by_side, [lines], [0], sys.maxsize),
        (kernels.RawVocabulary(tokenizer).numbers, lines, PART, True),
        (kernels.Segments, tokenizer, lines, lines, ZERO),
        (kernels.Segments, tokenizer, lines, lines, PART, ONE),
        (kernels.Segments, tokenizer, lines, lines, PART, NONE),
        (kernels.Segments, None, texts, texts, PART * 2),
        (kernels.numbered_rows, raw, 4, "closest", 0, 2, ROW),
        (kernels.numbered_rows, raw, 4, "closest", 0, 1, SHORT),
        (kernels.numbered_rows, ids, 4, "closest", 1, 0, ROW),
        (kernels.segment_rows, [], [], 4, 0, 2, ROW),
        (kernels.numbered_gleu_rows, raw, 1, 4, 0, 1, ROW),
        (kernels.numbered_gleu_rows, raw, 1, 17, 0, 1, ROW[:, :2].copy()),
        (kernels.gleu_rows, [], [], 1, 4, 0, 1, ROW),
        (kernels.rouge_rows, raw, ONE * 17, 0, 1, TABLE.repeat(2, axis=1)),
        (kernels.PreparedReferences, texts, ZERO, 4, "closest"),
        (kernels.PreparedReferences, texts, PART * 2, 4, "closest"),
        (prepared.count_rows, texts, PART, 0, 1, ROW),
        (prepared.count_rows, texts, ONE, 0, 1, ROW),
        (prepared.count_rows, texts, ZERO, 0, 1, SHORT),
        (kernels.leave_one_out, texts, 4, SHORT),
        (kernels.PairwiseTexts(definition, texts).fill, 0, 2, TABLE),
        (kernels.PairwiseTexts(definition, texts).fill, 0, 1, TABLE[1:]),
        (kernels.edit_rows, ids, 0, 1, ROW / 1),
        (kernels.edit_distance_rows, raw, 0, 1, ROW),
        (kernels.Alignments, texts, texts, PART),
        (kernels.Alignments, texts, texts, ONE),
        (kernels.Alignments(texts, texts, ZERO).fill, True, 0, 2, SCORE[None]),
        (kernels.Alignments(texts, texts, ZERO).fill, True, 0, 1, ROW / 1),
        (kernels.NgramInformation, wide, 4, -1),
        (kernels.NgramInformation, texts, 17, -1),
        (kernels.NgramInformation, kernels.TokenTexts(WORDS + 1, ZERO, TWO), 5, -1),
        (kernels.NgramInformation(texts, 4, -1).fill_rows, ids, 0, 1, ROW / 1),
        (kernels.NgramInformation(texts, 4, -1).fill_rows, raw, 0, 1, np.zeros((1, 9))),
        (chrf.rows, raw, 0, 1, ROW),
        (chrf.row, "a", []),
        (kernels.CharacterF, 0, 0, 2, "kept", False),
        (chrf.rows, ids, 0, 1, np.zeros((1, 18), np.int64)),
        (chrf.score_rows, ROW, 0, SCORE),
        (kernels.CharacterTexts(chrf, lines).fill, 0, 1, TABLE),
        (definition.score_rows, ROW, 0, TABLE[0]),
        (kernels.crossings, SCORE, SCORE, WORDS[1:], PART, ZERO, 0, 1, ZERO, np.zeros(1, CROSSING)),
        (kernels.best_interval, ONE, np.zeros(0, CROSSING), ROW, 0, 1, definition, ROW[0]),
        (kernels.FeatureRows, TABLE, PART, ZERO, SCORE, 0),
        (kernels.FeatureRows, TABLE, ZERO.repeat(2), NONE, NONE / 1, sys.maxsize),
        (kernels.sum_rows, ROW, ROW[0], NONE),
        (kernels.sum_rows, ROW, ROW[0], SHORT[0]),
        (scorer.sentences, [], [], (1,), None, False, 0, TABLE),
        (scorer.rows, ROW, (1,), None, False, 0, TABLE),
        (scorer.rows, ROW, (1,), method5, False, 0, SCORE[None]),
        (features.weigh, SCORE, SCORE),
        (features.winners, PART, SCORE, SCORE, 0, ZERO),
        (features.winners, np.array([0, 0, 1]), SCORE, SCORE, 0, ZERO),
        (kernels.Fields([b"f="], "none").read, b"", 1, 0, TABLE, ZERO, NONE, SCORE[1:]),
        (kernels.number_tokens, ["a"], WORDS),
        (kernels.raw_row, tokenizer, ["a"], 4),
        (features.mira_pass, PART, ONE, None, SCORE, None, SCORE, TABLE[0], TABLE[0], 0, 1, 1, 0, False, False),
    ):
        with pytest.raises(
            ValueError,
            match=r"fit|out of range|must be|no reference|not as many|32 bits|no such|ascend|few orders",
        ):
            function(*arguments)


def test_more_words_than_positions_have_bits(kernels):
    """Texts may overlap, so that these take little memory."""
    words = np.zeros(1 + (1 << 17), np.int32)
    words[0] = 1
    number = 1 << 14
    texts = kernels.TokenTexts(words, np.zeros(number, np.int64), np.full(number, words.size))
    line = kernels.TokenTexts(words, ZERO, ZERO + words.size)
    together = PART * number
    for function, *arguments in (
        (kernels.numbered_rows, kernels.Segments(None, line, texts, together), 4, "closest", 0, 1, ROW),
        (kernels.rouge_rows, kernels.Segments(None, line, line, PART), -ONE, 0, 1, TABLE.repeat(2, axis=1)),
        (kernels.PreparedReferences, texts, together, 4, "closest"),
        (kernels.NgramInformation, texts, 4, -1),
        (kernels.leave_one_out, texts, 4, np.zeros((number, 10), np.int64)),
        (kernels.Alignments, line, texts, np.arange(number)),
    ):
        with pytest.raises(MemoryError, match=r"too (many|long)"):
            function(*arguments)


def test_statistics_beyond_64_bits_wrap_around(kernels):
    """They reach no kernel through the public interface, and signed overflow is undefined."""
    crossing = np.array([(0.0, 0, 1)], CROSSING)
    stats = np.array([[SMALLEST] * 10, [LARGEST] * 10])
    row = np.zeros(10, np.int64)
    kernels.best_interval(ZERO, crossing, stats, -1, 1, kernels.Definition(Bleu().rules()), row)


def test_lines_that_are_not_sorted_by_slope(kernels):
    """The order is what a caller sorts, and a line that is parallel to an earlier one would be divided by 0."""
    base = np.array([0.0, 9.0, 1.0])
    slope = np.array([1.0, 0.0, 1.0])
    order = np.array([0, 1, 2], np.int32)
    found = np.zeros(3, CROSSING)
    assert kernels.crossings(base, slope, order, PART * 3, ONE, -9, 9, np.zeros(1, np.int64), found) <= 2
