"""The types of what both backends export: mypy checks their callers with these, and with those of the mirror.

A result that is None says that the kernel declined its arguments.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[Any] | array[Any] | memoryview[Any]
Rows: TypeAlias = NDArray[Any] | memoryview[Any]

# ------------------------------------------------------------------------------------------------------ text and tokens
class RawTexts:
    kind: ClassVar[Literal["raw text"]]
    size: int
    characters: int
    def __init__(self, lines: Sequence[str | bytes] = ()) -> None: ...
    @staticmethod
    def of_block(block: bytes) -> RawTexts: ...
    @staticmethod
    def of_spans(block: Any, begins: Numbers, ends: Numbers) -> RawTexts: ...
    @staticmethod
    def side_by_side(parts: list[RawTexts], starts: list[int], count: int) -> RawTexts: ...
    def take(self, numbers: Numbers) -> RawTexts: ...
    def lists(self) -> list[str]: ...
    def full_stops(self) -> tuple[int, int]: ...

class Tokenizer:
    name: str
    def __init__(self, name: str, categories: bytes | None = None) -> None: ...
    def tokens(self, text: str) -> list[str]: ...

class RawVocabulary:
    tokenizer: Tokenizer
    def __init__(self, tokenizer: Tokenizer) -> None: ...
    def add(self, texts: RawTexts, ends: Numbers) -> bytes: ...
    def look_up(self, texts: RawTexts, ends: Numbers) -> bytes: ...

class TokenTexts:
    ids: Any
    begins: Any
    ends: Any
    size: int
    def __init__(self, ids: Numbers, begins: Numbers, ends: Numbers) -> None: ...

def number_tokens(tokens: list[Any], ids: Numbers) -> int | None: ...
def read_arrays(entries: list[Any], kind: type, several: bool) -> tuple[bytearray, ...] | None: ...
def types_within(texts: Iterable[Iterable[object]]) -> set[type]: ...
def trim(ids: Numbers, begins: Numbers, ends: Numbers, pad: int | None, eos: int | None) -> None: ...

# ------------------------------------------------------------------------------------------------------------- counting
def segment_counts(references: Any, hypothesis: Any, max_order: int) -> list[int] | None: ...
def clipped_matches(references: Any, hypothesis: Any, n: int) -> tuple[int, int] | None: ...
def segment_rows(
    list_of_references: Any, hypotheses: Any, max_order: int, start: int, stop: int, stats: Rows
) -> int: ...
def raw_row(tokenizer: Tokenizer, lines: Sequence[str | bytes], max_order: int) -> list[int]: ...

class Segments:
    def __init__(
        self,
        tokenizer: Tokenizer | None,
        hypotheses: RawTexts | TokenTexts,
        references: RawTexts | TokenTexts,
        sets: Numbers,
        owners: Numbers | None = None,
    ) -> None: ...

def numbered_rows(
    segments: Segments, max_order: int, reference_length: str, start: int, stop: int, rows: Rows
) -> None: ...
def numbered_gleu_rows(segments: Segments, min_len: int, max_len: int, start: int, stop: int, rows: Rows) -> None: ...

class PreparedReferences:
    def __init__(
        self, texts: TokenTexts, sets: Numbers, lengths: Numbers, length_sets: Numbers, max_order: int
    ) -> None: ...
    def count_rows(self, texts: TokenTexts, owners: Numbers, start: int, stop: int, stats: Rows) -> None: ...

class NgramInformation:
    corpus: TokenTexts
    def __init__(self, corpus: TokenTexts, max_order: int, zero: int) -> None: ...
    def fill_rows(self, segments: Segments, start: int, stop: int, rows: Rows) -> None: ...
    def weight(self, ngram: Numbers) -> float: ...

def edit_rows(segments: Segments, start: int, stop: int, rows: Rows) -> None: ...
def edit_distance_rows(segments: Segments, start: int, stop: int, rows: Rows) -> None: ...
def rouge_rows(
    hypotheses: TokenTexts,
    hypothesis_lines: Numbers,
    references: TokenTexts,
    reference_lines: Numbers,
    sets: Numbers,
    owners: Numbers | None,
    kinds: Numbers,
    start: int,
    stop: int,
    rows: Rows,
) -> None: ...
def fill_alignments(
    texts: TokenTexts, others: TokenTexts, order: Numbers, are_rates: bool, start: int, stop: int, scores: Rows
) -> None: ...
def leave_one_out(texts: TokenTexts, max_order: int, stats: Rows) -> None: ...

# -------------------------------------------------------------------------------------------------------------- scoring
class Definition:
    def __init__(self, rules: Any) -> None: ...
    def evaluate(self, row: list[int]) -> tuple[float, list[float], float] | None: ...
    def score_rows(self, stats: Rows, start: int, scores: Numbers) -> int: ...

def sum_rows(stats: Rows, totals: Numbers, too_short: Numbers) -> tuple[int, int, int, int]: ...

class PairwiseTexts:
    def __init__(
        self, definition: Definition, references: TokenTexts, hypotheses: TokenTexts | None = None
    ) -> None: ...
    def fill(self, start: int, stop: int, scores: Rows) -> int: ...

class CharacterF:
    order: int
    def __init__(self, char_order: int, word_order: int, beta: float, space: str, epsilon: bool) -> None: ...
    def row(self, hypothesis: str, references: Sequence[str]) -> list[int]: ...
    def rows(self, segments: Segments, start: int, stop: int, rows: Rows) -> None: ...
    def evaluate(self, row: Any) -> float | None: ...
    def score_rows(self, stats: Rows, start: int, scores: Numbers) -> int: ...

class CharacterTexts:
    def __init__(self, measure: CharacterF, references: RawTexts, hypotheses: RawTexts | None = None) -> None: ...
    def fill(self, start: int, stop: int, scores: Rows) -> None: ...

# ----------------------------------------------------------------------------------------------------- NLTK's functions
class Scorer:
    def __init__(self, smoothing_type: type, methods: Sequence[Any], warn: Callable[..., Any]) -> None: ...
    def corpus(
        self, list_of_references: Any, hypotheses: Any, weights: Any, smoothing_function: Any, auto_reweigh: Any
    ) -> Any: ...
    def sentences(
        self,
        list_of_references: Any,
        hypotheses: Any,
        weights: Any,
        smoothing_function: Any,
        auto_reweigh: Any,
        start: int,
        scores: Numbers,
    ) -> int: ...
    def rows(
        self, stats: Rows, weights: Any, smoothing_function: Any, auto_reweigh: Any, start: int, scores: Numbers
    ) -> int: ...

def sentence_bleu(original: Any, smoothing_type: type, methods: Sequence[Any], warn: Callable[..., Any]) -> Any: ...
def sentence_gleu(original: Any) -> Any: ...
def gleu_counts(list_of_references: Any, hypotheses: Any, min_len: int, max_len: int) -> tuple[int, int] | None: ...
def gleu_rows(
    list_of_references: Any, hypotheses: Any, min_len: int, max_len: int, start: int, stop: int, rows: Rows
) -> int: ...
def corpus_nist(list_of_references: Any, hypotheses: Any, n: int) -> float | None: ...

# --------------------------------------------------------------------------------------------- n-best lists and tuning
class Fields:
    def __init__(self, labels: list[bytes], sparse: str) -> None: ...
    def names(self) -> tuple[str, ...]: ...
    def column(self, name: str) -> int: ...
    def read(
        self,
        block: bytes,
        start: int,
        row: int,
        features: Rows,
        indptr: Numbers,
        columns: Numbers,
        values: Numbers,
        spans: Rows | None = None,
        scores: Numbers | None = None,
    ) -> tuple[int, int]: ...

class FeatureRows:
    def __init__(self, dense: Rows, indptr: Numbers, columns: Numbers, values: Numbers, compressed: int) -> None: ...
    def weigh(self, weights: Numbers, out: Numbers) -> None: ...
    def winners(self, offsets: Numbers, weights: Numbers, values: Numbers, error: float, chosen: Numbers) -> None: ...
    def mira_pass(
        self,
        offsets: Numbers,
        order: Numbers,
        stats: Rows | None,
        scores: Numbers | None,
        shares: Numbers | None,
        background: Numbers,
        weights: Numbers,
        lag: Numbers,
        averaged: int,
        step: float,
        decay: float,
        safe_ratio: float,
        model_background: bool,
        moses_rules: bool,
    ) -> int: ...

def crossings(
    base: Numbers,
    slope: Numbers,
    order: Numbers,
    offsets: Numbers,
    likely: Numbers,
    lower: float,
    upper: float,
    starts: Numbers,
    found: Numbers,
) -> int: ...
def best_interval(
    starts: Numbers,
    found: Numbers,
    stats: Rows,
    lower: float,
    upper: float,
    definition: Definition,
    best_row: Numbers,
) -> tuple[float, float, float, float] | None: ...
