"""Choose between the compiled kernels and the pure-Python mirror. Nothing else imports either to compute with.

The environment variable ``CYBLEU_BACKEND`` decides, read once at import: ``auto`` (the default) takes the kernels where
they are installed, ``cython`` insists on them, ``python`` takes the mirror.
"""

import os

from . import _mirror

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

CHOICES = ("auto", "cython", "python")

# What a backend consists of.
SEAM = (
    "COMPILER",
    "Definition",
    "PairwiseTexts",
    "NBestLines",
    "PreparedReferences",
    "Scorer",
    "Words",
    "best_interval",
    "clipped_matches",
    "corpus_counts",
    "leave_one_out",
    "segment_counts",
    "segment_rows",
    "sort_lines",
    "sum_rows",
    "surface",
    "trim",
    "winners",
    "winners_near",
    "swap_pass",
    "weighted_sums",
)


def load(choice: str) -> "tuple[str, ModuleType]":
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
            return "cython", _kernels
    return "python", _mirror


BACKEND, _chosen = load(os.environ.get("CYBLEU_BACKEND", "auto"))

if TYPE_CHECKING:
    from ._mirror import COMPILER as COMPILER
    from ._mirror import Definition as Definition
    from ._mirror import NBestLines as NBestLines
    from ._mirror import PairwiseTexts as PairwiseTexts
    from ._mirror import PreparedReferences as PreparedReferences
    from ._mirror import Scorer as Scorer
    from ._mirror import Words as Words
    from ._mirror import best_interval as best_interval
    from ._mirror import clipped_matches as clipped_matches
    from ._mirror import corpus_counts as corpus_counts
    from ._mirror import leave_one_out as leave_one_out
    from ._mirror import segment_counts as segment_counts
    from ._mirror import segment_rows as segment_rows
    from ._mirror import sort_lines as sort_lines
    from ._mirror import sum_rows as sum_rows
    from ._mirror import surface as surface
    from ._mirror import swap_pass as swap_pass
    from ._mirror import trim as trim
    from ._mirror import weighted_sums as weighted_sums
    from ._mirror import winners as winners
    from ._mirror import winners_near as winners_near
else:
    globals().update({name: getattr(_chosen, name) for name in SEAM})

# These take whatever the kernels decline: any sequences of any hashable tokens, any weights and numbers.
any_segment_counts = _mirror.segment_counts
any_pairwise_texts = _mirror.PairwiseTexts
any_definition = _mirror.Definition
any_best_interval = _mirror.best_interval
any_clipped_matches = _mirror.clipped_matches
any_swap_pass = _mirror.swap_pass
ngram_counts = _mirror.ngram_counts
SMOOTHINGS = _mirror.SMOOTHINGS
recognised = _mirror.recognised
smoothed = _mirror.smoothed
