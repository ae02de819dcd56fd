"""Warn of arguments of the wrong shape that other tools score without a message.

The functions that have other tools' results return the tool's number all the same.
"""

from __future__ import annotations

import sys
import warnings

from .._runtime.sequences import is_sized
from ..errors import ShapeWarning
from .segments import check_numbers, refuse_missing, refuse_unhashable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Answer = TypeVar("Answer")


def warn_of(mistake: str | None) -> None:
    """Issue a warning for the line that called cybleu or sacreBLEU, if there is a mistake."""
    if mistake is None:
        return
    # the mistake is in the line of the first frame outside of the two packages
    frame = sys._getframe(1)
    level = 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("cybleu", "sacrebleu"):
        frame = frame.f_back
        level += 1
    warnings.warn(mistake, ShapeWarning, stacklevel=level)


def of_any_tokens(score: Callable[..., Answer], list_of_references: Any, hypotheses: Any, *options: Any) -> Answer:
    """Return `score` of a corpus of any texts, for functions of NLTK.

    Warn about a str where tokens are expected, and raise an error where a text is missing, a token cannot be hashed, or
    there are not as many hypotheses as lists of references.
    """
    check_numbers(hypotheses, list_of_references)
    warn_of(mistake_in_tokens(list_of_references, hypotheses))
    try:
        return score(list_of_references, hypotheses, *options)
    except TypeError:
        refuse_missing(list_of_references, hypotheses)
        for references, hypothesis in zip(list_of_references, hypotheses):
            refuse_unhashable(hypothesis, "the hypothesis")
            for number, reference in enumerate(references):
                refuse_unhashable(reference, f"reference {number}")
        raise


def mistake_in_documents(hypotheses: Any, documents: Any) -> str | None:
    """Describe what is wrong with a corpus in sacreBLEU's form, documents with a line for each hypothesis.

    If their numbers of lines differ, sacreBLEU scores only as many as all documents have.
    """
    if isinstance(hypotheses, str):
        return "the hypotheses are one str, so each of its characters counts as a hypothesis; give a list of lines"
    if isinstance(documents, str):
        return (
            "the references are one str, so each of its characters counts as a list of references; give [[references]]"
        )
    if any(isinstance(document, str) for document in documents):
        return "the references are a list of str, so each character counts as a line; give [references]"
    number = len(hypotheses) if hasattr(hypotheses, "__len__") else 0
    lengths = [len(document) for document in documents if hasattr(document, "__len__")]
    if not number or set(lengths) <= {number}:
        return None
    least = min(lengths)
    most = max(lengths)
    lines = str(least) if least == most else f"{least} to {most}"
    counted = f"so only the first {min(number, least)} hypotheses count"
    if len(lengths) == number and least:
        transpose = "zip" if least == most else "itertools.zip_longest"
        return (
            f"the references look transposed: they are {number} lists, one for each hypothesis, of {lines} lines, {counted}; "
            f"give lists that have one line for each hypothesis: [list(lines) for lines in {transpose}(*references)]"
        )
    return (
        f"the number of hypotheses is {number}, that of lines in a list of references is {lines}, {counted}; give "
        "lists that have one line for each hypothesis"
    )


def mistake_in_tokens(list_of_references: Any, hypotheses: Any) -> str | None:
    """Describe the first str in place of a list of references or of tokens, for functions of NLTK, which count its characters.

    A str of one word may be meant as a list of characters, unless the other side is a list of words.
    """
    for references, hypothesis in zip(list_of_references, hypotheses):
        if isinstance(references, str):
            if isinstance(hypothesis, str):
                told = "the references and the hypothesis are str, so each character counts as a reference or as a token; split"
                return f"{told} both and put the reference in a list, for example [reference.split()] and hypothesis.split()"
            told = "the references are a str, so each of its characters counts as a reference"
            return f"{told}; split it and put it in a list, for example [reference.split()]"
        if not is_sized(references):
            continue  # readable only once: the score must find all of it
        of_strings = any(isinstance(reference, str) for reference in references)
        if isinstance(hypothesis, str):
            several_words = len(hypothesis.split()) > 1 and not any(map(is_written_without_blanks, hypothesis))
            if any(map(_has_words, references)) or (of_strings and several_words):
                return "the hypothesis is a str, so each of its characters counts as a token; split it, for example with .split()"
        elif of_strings and _has_words(hypothesis):
            return (
                "a reference is a str, so each of its characters counts as a token; give a list of references, each split "
                "into a list of tokens"
            )
    return None


def _has_words(tokens: Any) -> bool:
    if isinstance(tokens, str) or not is_sized(tokens):
        return False
    return any(isinstance(token, str) and len(token) > 1 for token in tokens)


def is_written_without_blanks(character: str) -> bool:
    """Check for Thai to Burmese, Khmer, Chinese, Japanese or a later block of Unicode, which includes Korean."""
    return "\u0e00" <= character <= "\u109f" or "\u1780" <= character <= "\u17ff" or character >= "\u2e80"


def mistake_in_segments(references: Any, hypotheses: Any) -> str | None:
    """Describe a str in place of a list of texts, for functions of NLTK that read a str as a text."""
    arguments = {"references": references, "hypotheses": hypotheses}
    texts = [name for name, value in arguments.items() if isinstance(value, str)]
    if not texts:
        return None
    are = "are" if len(texts) > 1 else "is a"
    lists = " and ".join(f"[{name}]" for name in texts)
    return f"{' and '.join(texts)} {are} str, so each character counts as a segment; give {lists}"
