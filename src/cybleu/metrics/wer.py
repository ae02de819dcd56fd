"""WER and CER: the word error rate and the character error rate, as jiwer computes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

from .._backend import RawTexts, edit_distance_rows
from ..text.batches import Corpus
from ..text.tokenizers import Tokenization, own_tokenizer
from .base import BuiltinMetric, Score
from .counting import align_pairs, segments_of_corpus
from .names import score_texts

if TYPE_CHECKING:
    from .._backend import Tokenizer
    from .base import Counter


BLANKS_OF_ASCII = "\t\n\v\f\r\x1c\x1d\x1e\x1f"  # but the space
OTHER_BLANKS = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


class WordsOfJiwer(Tokenization):
    """The words of jiwer: white space separates them, but one character that is no space does not."""

    edits = True

    def edited(self, texts: RawTexts) -> RawTexts:
        texts = super().edited(texts)
        lines = texts.lists()
        joined = "".join(lines)
        blanks = BLANKS_OF_ASCII if joined.isascii() else BLANKS_OF_ASCII + OTHER_BLANKS
        if not any(blank in joined for blank in blanks):
            return texts
        return RawTexts([re.sub(r"\s\s+", " ", line).strip() for line in lines])


class CharactersOfJiwer(Tokenization):
    """The characters of jiwer: all but white space at both ends."""

    edits = True
    own = True

    @cached_property
    def backend(self) -> Tokenizer:
        """The backend's tokeniser, for edited lines."""
        return own_tokenizer("characters")

    def edited(self, texts: RawTexts) -> RawTexts:
        return RawTexts([line.strip() for line in super().edited(texts).lists()])


@dataclass(frozen=True)
class Wer(BuiltinMetric):
    """Word error rate: the edits that turn hypotheses into references, divided by the words of the references.

    Edits are insertions, deletions and substitutions of words (Levenshtein 1966). Lower is better: 0 is a perfect match,
    and a rate can be above 1. The scores are equal to those of jiwer 4.0, which separates words by spaces. Texts are raw
    text, tokens or token ids.

    A row has two numbers: the edits, and the words of the reference. Of several references the one with the lowest rate
    counts, the first at a tie. Rows can be added: the row of a corpus is the sum of the rows of its segments. If no
    reference has a word, the score is the number of words of the hypotheses.

    :param tokenize: the tokeniser of raw text, by default spaces
    :param lowercase: convert raw text to lower case first

    >>> from cybleu.metrics import score
    >>> rows = Wer().rows(["the cat sat on a mat"], ["the cat sat on the mat"])
    >>> rows
    array([[1, 6]])
    >>> print(score(rows, "wer"))
    metric:wer = 16.67
    """

    name = "wer"
    papers = ("levenshtein-1966",)
    tokenizer = "space"
    _words: ClassVar[type[Tokenization]] = WordsOfJiwer
    scale = 1
    columns = ("edits", "ref_len")
    higher_is_better = False
    cost = 8

    def counter(self, corpus: Corpus) -> Counter:
        return partial(edit_distance_rows, segments_of_corpus(self, corpus))

    def formula(self, row: Sequence[int]) -> float:
        edits, length = row
        return edits / max(length, 1)

    fill_pairs = align_pairs


@dataclass(frozen=True)
class Cer(Wer):
    """Character error rate: WER of characters, blanks included, of raw text without white space at both ends.

    The other rules are those of :class:`Wer`; tokens and token ids are not read.

    >>> from cybleu.metrics import score
    >>> print(score(Cer().rows(["the cat"], ["the bat"]), "cer"))
    metric:cer = 14.29
    """

    name = "cer"
    reads = "text"
    _words = CharactersOfJiwer


def wer(hypotheses: Any, references: Any, *, threads: int | None = None, **options: Any) -> Score:
    """Score a corpus by jiwer's word error rate; lower is better, and 0 is a perfect match.

    The other parameters are those of :func:`cybleu.bleu`; lists of tokens and token ids are accepted, too.

    :param options: options of :class:`cybleu.metrics.Wer`, for example ``tokenize="13a"`` or ``lowercase=True``

    >>> wer(["the cat sat on a mat"], ["the cat sat on the mat"]).score
    0.16666666666666666
    """
    return score_texts("wer", hypotheses, references, threads, options)  # type: ignore[no-any-return]


def cer(hypotheses: Any, references: Any, *, threads: int | None = None, **options: Any) -> Score:
    """Score a corpus of raw text by jiwer's character error rate; lower is better, and 0 is a perfect match.

    The other parameters are those of :func:`cybleu.bleu`.

    :param options: options of :class:`cybleu.metrics.Cer`: ``lowercase=True``

    >>> cer(["the cat"], ["the bats"]).score
    0.25
    """
    return score_texts("cer", hypotheses, references, threads, options)  # type: ignore[no-any-return]
