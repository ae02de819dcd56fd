"""Choose between the compiled kernels and the pure-Python mirror, and go on where the kernels decline.

The environment variable ``CYBLEU_BACKEND`` decides, read once at import: ``auto`` (the default, and empty) takes the kernels where
they are installed, ``cython`` insists on them, ``python`` takes the mirror. Everything asks for `chosen` when it is called,
so that :func:`choose` changes all of it at once.

What a kernel does not cover it declines, in one of two ways, and for each such function there is one function above it that
always answers. A question about one thing is declined with None (:data:`MayDecline`), and nothing has changed then; it is
:func:`answered` in another way. Work on a range says how far it got; :func:`go_on` does the one that was declined in another
way and lets the kernel go on after it. The other way is the mirror, or the general path in Python where that is the
definition already.
"""

from __future__ import annotations

import os

from . import _mirror

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeAlias, TypeVar

    Answer = TypeVar("Answer")
    MayDecline: TypeAlias = Answer | None
    Done: TypeAlias = int  # the first position of a range that is declined, or its end

    class Backend(Protocol):
        """What both packages offer. Those first may decline, or the methods of what they make; the others always answer."""

        segment_counts: Callable[..., MayDecline[list[int]]]
        clipped_matches: Callable[..., MayDecline[tuple[int, int]]]
        corpus_counts: Callable[..., MayDecline[tuple[list[int], list[int]]]]
        segment_rows: Callable[..., Done]
        gleu_counts: Callable[..., MayDecline[tuple[int, int]]]
        number_tokens: Callable[..., MayDecline[int]]
        weighted_sums: Callable[..., Done]
        Scorer: Callable[..., Any]  # its methods decline, too
        CharacterF: Callable[..., Any]  # its methods evaluate and score_rows decline
        Definition: Callable[..., Any]  # its methods, too
        best_interval: Callable[..., MayDecline[tuple[float, float, float, float, float]]]
        swap_pass: Callable[..., MayDecline[tuple[int, float]]]
        NBestLines: Callable[..., Any]  # its method read, too
        read_rows: Callable[..., tuple[int, int]]

        ArrowColumn: Any
        ArrowStream: Any
        ArrowValues: Any
        COMPILER: str
        CharacterTexts: Callable[..., Any]
        FeatureRows: Callable[..., Any]
        NamedValues: Callable[..., Any]
        PairwiseTexts: Callable[..., Any]
        PreparedReferences: Callable[..., Any]
        RawTexts: Any
        RawVocabulary: Callable[..., Any]
        Tokenizer: Callable[..., Any]
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
        winners: Callable[..., None]

        # What only the kernels have: these compile functions, and that turns them on and off.
        sentence_bleu: Callable[..., Any]
        sentence_gleu: Callable[..., Any]
        serve: Callable[[bool], None]
        winners_near: Callable[..., None]


CHOICES = ("auto", "cython", "python")


def load(choice: str) -> tuple[str, Backend]:
    """The name and the module of the backend for a value of ``CYBLEU_BACKEND``.

    An extension that is not installed is normal and falls back silently; one that is there and does not load falls back
    with a ``RuntimeWarning``, because its user is losing the speed without having asked for it.

    :raises ValueError: the choice is none of the three
    :raises ImportError: ``cython`` is asked for and the extension is missing or broken
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
            return "cython", _kernels  # type: ignore[return-value]  # names come when they are asked for
    return "python", _mirror  # type: ignore[return-value]


BACKEND, chosen = load(os.environ.get("CYBLEU_BACKEND") or "auto")


def choose(choice: str) -> None:
    """Let another backend serve from now on, for tests that compare the two."""
    global BACKEND, chosen
    if BACKEND == "cython":
        chosen.serve(False)
    BACKEND, chosen = load(choice)
    if BACKEND == "cython":
        chosen.serve(True)


def answered(found: MayDecline[Answer], general: Callable[..., Answer], *arguments: Any) -> Answer:
    """What a kernel found, or where it declined what `general(*arguments)` does."""
    return general(*arguments) if found is None else found


def go_on(work: Callable[[int], int], start: int, stop: int, general: Callable[[int], Any]) -> None:
    """Do all of a range: `work(start)` does it from there and returns the first that it declines, `general` does that one."""
    while (start := work(start)) < stop:
        general(start)
        start += 1
