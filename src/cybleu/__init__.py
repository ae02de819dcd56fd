"""NLTK's BLEU functions with the same numbers, about a hundred times faster, and more functions that use their counts.

``cybleu.BACKEND`` says which implementation runs: ``"cython"`` or ``"python"``.
"""

from __future__ import annotations

from ._backend import BACKEND
from ._catalogue import CATALOGUE
from ._runtime.later import later
from ._version import __version__
from .bleu_score import (
    SmoothingFunction,
    brevity_penalty,
    closest_ref_length,
    corpus_bleu,
    modified_precision,
    nltk_3_2,
    sentence_bleu,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import (
        chrf_score as chrf_score,
        columns as columns,
        errors as errors,
        explanations as explanations,
        frameworks as frameworks,
        gleu_score as gleu_score,
        metrics as metrics,
        nbest as nbest,
        nist_score as nist_score,
        report as report,
        rerank as rerank,
        rewards as rewards,
        rouge_score_compat as rouge_score_compat,
        sacrebleu_compat as sacrebleu_compat,
        significance as significance,
        text as text,
        tuning as tuning,
    )
    from ._runtime.replacing import uninstall as uninstall
    from .bleu_score.fraction import Fraction as Fraction
    from .bleu_score.install import install_as_nltk as install_as_nltk
    from .bleu_score.many import sentence_bleu_many as sentence_bleu_many
    from .checks import check as check
    from .explanations import explain as explain, explain_difference as explain_difference
    from .metrics import References as References, rows as rows, score as score, scores as scores
    from .metrics.bleu import bleu as bleu
    from .metrics.chrf import chrf as chrf
    from .metrics.rouge import rouge as rouge
    from .metrics.ter import ter as ter
    from .metrics.wer import cer as cer, wer as wer
    from .pairwise import pairs as pairs, self_bleu as self_bleu
    from .rewards import Reward as Reward, reward_scores as reward_scores
    from .rouge_score_compat import install_as_rouge_score as install_as_rouge_score
    from .sacrebleu_compat import install_as_sacrebleu as install_as_sacrebleu
    from .text import Ragged as Ragged


__getattr__, __dir__, _LATER = later(
    __name__,
    {
        "_runtime.replacing": "uninstall",
        "bleu_score.fraction": "Fraction",
        "bleu_score.install": "install_as_nltk",
        "bleu_score.many": "sentence_bleu_many",
        "checks": "check",
        "explanations": "explain explain_difference",
        "metrics": "References rows score scores",
        **{f"metrics.{module}": functions for module, (_, _, functions) in CATALOGUE.items()},
        "pairwise": "pairs self_bleu",
        "rewards": "Reward reward_scores",
        "rouge_score_compat": "install_as_rouge_score",
        "sacrebleu_compat": "install_as_sacrebleu",
        "text": "Ragged",
    },
    "chrf_score columns errors explanations frameworks gleu_score metrics nbest nist_score report rerank rewards "
    "rouge_score_compat sacrebleu_compat significance text tuning",
)
__all__ = [
    "BACKEND",
    "SmoothingFunction",
    "__version__",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "modified_precision",
    "nltk_3_2",
    "sentence_bleu",
    *_LATER,
]
