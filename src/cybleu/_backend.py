"""Backend selection, and fallback to the mirror for input that the kernels decline.

The environment variable ``CYBLEU_BACKEND`` is read once at import: ``auto`` (the default; an empty value
means the same) uses the kernels if they are installed, ``cython`` requires them, ``python`` uses the mirror. Callers
read `chosen` at every call, so :func:`choose` takes effect everywhere at once.

Kernels decline input that they do not support, in one of two ways. A function that computes a single result returns
None (:data:`MayDecline`) without side effects; :func:`answered` then calls the fallback. A function that processes a
range returns the position that it declined; :func:`go_on` processes that item with the fallback and resumes the kernel
after it. The fallback is the mirror, or general Python code if that already is the definition.
"""

from __future__ import annotations

import os
import sys

from . import _mirror
from ._runtime.program import is_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Protocol, TypeAlias, TypeVar

    Answer = TypeVar("Answer")
    MayDecline: TypeAlias = Answer | None
    Done: TypeAlias = int  # the first position that was declined, or the end of the range

    class Backend(Protocol):
        """Interface of both backends. The first group (or the methods of the returned objects) may decline input."""

        segment_counts: Callable[..., MayDecline[list[int]]]
        clipped_matches: Callable[..., MayDecline[tuple[int, int]]]
        corpus_counts: Callable[..., MayDecline[tuple[list[int], list[int]]]]
        segment_rows: Callable[..., Done]
        gleu_counts: Callable[..., MayDecline[tuple[int, int]]]
        nist_sums: Callable[..., MayDecline[tuple[list[float], list[int], int, int]]]
        number_tokens: Callable[..., MayDecline[int]]
        weighted_sums: Callable[..., Done]
        Scorer: Callable[..., Any]  # its methods may decline, too
        CharacterF: Callable[..., Any]  # its methods evaluate and score_rows may decline
        Definition: Callable[..., Any]  # its methods may decline, too
        best_interval: Callable[..., MayDecline[tuple[float, float, float, float, float]]]
        swap_pass: Callable[..., MayDecline[tuple[int, float]]]
        NBestLines: Callable[..., Any]  # its method read may decline, too
        read_rows: Callable[..., tuple[int, int]]

        ArrowValues: Any
        arrow_arrays: Callable[..., tuple[tuple[str, ...] | None, Iterator[Any]]]
        COMPILER: str
        CharacterTexts: Callable[..., Any]
        FeatureRows: Callable[..., Any]
        NamedValues: Callable[..., Any]
        NgramInformation: Callable[..., Any]
        PairwiseTexts: Callable[..., Any]
        PreparedReferences: Callable[..., Any]
        RawTexts: Any
        RawVocabulary: Callable[..., Any]
        Tokenizer: Callable[..., Any]
        edit_rows: Callable[..., None]
        leave_one_out: Callable[..., None]
        lines_of_counts: Callable[..., str]
        lines_of_numbers: Callable[..., str]
        mira_pass: Callable[..., int]
        raw_row: Callable[..., list[int]]
        raw_rows: Callable[..., None]
        raw_sum: Callable[..., tuple[list[int], list[int]]]
        sort_lines: Callable[..., None]
        sum_rows: Callable[..., tuple[int, int, int]]
        surface: Callable[..., tuple[Any, Any]]
        trim: Callable[..., None]
        types_within: Callable[..., set[type]]

        # Only in the kernels: two functions that return compiled entry points, and one that enables or disables these.
        sentence_bleu: Callable[..., Any]
        sentence_gleu: Callable[..., Any]
        serve: Callable[[bool], None]


CHOICES = ("auto", "cython", "python")


def load(choice: str) -> tuple[str, Backend]:
    """Return the name and the module of the backend for a value of ``CYBLEU_BACKEND``.

    If the extension is not installed, the mirror is used silently; if it is installed but does not load, the mirror is
    used with a ``RuntimeWarning``, because the loss of speed is unexpected.

    :raises ValueError: the value is not one of the three
    :raises ImportError: the value is ``cython`` and the extension is missing or broken
    """
    if choice not in CHOICES:
        raise ValueError(f"CYBLEU_BACKEND={choice!r} is not a backend; use one of {', '.join(CHOICES)}")
    if choice != "python":
        try:
            from . import _kernels
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("cybleu._kernels"):
                raise
            if choice == "cython":
                raise ImportError(
                    "CYBLEU_BACKEND=cython, but this installation of cybleu has no compiled extension; "
                    "install a binary wheel or build from source with a C compiler"
                ) from error
        except ImportError as error:
            if choice == "cython":
                raise
            import warnings

            warnings.warn(
                f"the compiled extension of cybleu does not load, so the slower pure-Python backend runs: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
        else:
            return "cython", _kernels  # type: ignore[return-value]  # names are imported lazily
    return "python", _mirror  # type: ignore[return-value]


try:
    BACKEND, chosen = load(os.environ.get("CYBLEU_BACKEND") or "auto")
except (ValueError, ImportError) as error:
    if not is_program():
        raise
    print(f"cybleu: error: {error}", file=sys.stderr)
    sys.exit(2)


def choose(choice: str) -> None:
    """Switch to another backend, for tests that compare both."""
    global BACKEND, chosen
    if BACKEND == "cython":
        chosen.serve(False)
    BACKEND, chosen = load(choice)
    if BACKEND == "cython":
        chosen.serve(True)


def answered(found: MayDecline[Answer], general: Callable[..., Answer], *arguments: Any) -> Answer:
    """Return the result of a kernel, or of `general(*arguments)` if the kernel declined."""
    return general(*arguments) if found is None else found


def go_on(work: Callable[[int], int], start: int, stop: int, general: Callable[[int], Any]) -> None:
    """Process a range: `work(start)` returns the first position that it declines, which `general` then processes."""
    while (start := work(start)) < stop:
        general(start)
        start += 1
