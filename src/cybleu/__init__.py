"""NLTK's BLEU functions with the same numbers, about a hundred times faster, and more functions that use their counts.

``cybleu.BACKEND`` says which implementation runs: ``"cython"`` or ``"python"``.
"""

from __future__ import annotations

from ._runtime.program import report_interrupts

report_interrupts()  # the imports below take most of the time

from ._backend import BACKEND
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
    from . import checks as checks
    from . import chrf_score as chrf_score
    from . import columns as columns
    from . import errors as errors
    from . import explanations as explanations
    from . import frameworks as frameworks
    from . import gleu_score as gleu_score
    from . import metrics as metrics
    from . import nbest as nbest
    from . import nist_score as nist_score
    from . import pairwise as pairwise
    from . import report as report
    from . import rerank as rerank
    from . import rewards as rewards
    from . import sacrebleu_compat as sacrebleu_compat
    from . import significance as significance
    from . import stats as stats
    from . import text as text
    from . import tuning as tuning
    from .bleu_score.fraction import Fraction as Fraction
    from .bleu_score.install import install_as_nltk as install_as_nltk
    from .bleu_score.many import sentence_bleu_many as sentence_bleu_many
    from .checks import check as check
    from .explanations import Comparison as Comparison
    from .explanations import Explanation as Explanation
    from .explanations import clipped_counts as clipped_counts
    from .explanations import explain as explain
    from .explanations import explain_difference as explain_difference
    from .explanations import ngram_counts as ngram_counts
    from .explanations import ngram_precision as ngram_precision
    from .metrics import score as score
    from .metrics import scores as scores
    from .pairwise import pairwise_bleu as pairwise_bleu
    from .pairwise import self_bleu as self_bleu
    from .rewards import BleuReward as BleuReward
    from .rewards import bleu_rewards as bleu_rewards
    from .sacrebleu_compat import install_as_sacrebleu as install_as_sacrebleu
    from .sacrebleu_compat import sacrebleu_corpus_bleu as sacrebleu_corpus_bleu
    from .sacrebleu_compat import sacrebleu_corpus_chrf as sacrebleu_corpus_chrf
    from .sacrebleu_compat import sacrebleu_corpus_ter as sacrebleu_corpus_ter
    from .sacrebleu_compat import sacrebleu_sentence_bleu as sacrebleu_sentence_bleu
    from .sacrebleu_compat import sacrebleu_sentence_chrf as sacrebleu_sentence_chrf
    from .sacrebleu_compat import sacrebleu_sentence_ter as sacrebleu_sentence_ter
    from .stats.accumulator import CorpusAccumulator as CorpusAccumulator
    from .stats.references import References as References
    from .stats.segments import segment_stats as segment_stats
    from .text import Ragged as Ragged


__getattr__, __dir__, _LATER = later(
    __name__,
    {
        "bleu_score.fraction": "Fraction",
        "bleu_score.install": "install_as_nltk",
        "bleu_score.many": "sentence_bleu_many",
        "checks": "check",
        "explanations": "Comparison Explanation clipped_counts explain explain_difference ngram_counts ngram_precision",
        "metrics": "score scores",
        "pairwise": "pairwise_bleu self_bleu",
        "rewards": "BleuReward bleu_rewards",
        "sacrebleu_compat": "install_as_sacrebleu sacrebleu_corpus_bleu sacrebleu_corpus_chrf sacrebleu_corpus_ter "
        "sacrebleu_sentence_bleu sacrebleu_sentence_chrf sacrebleu_sentence_ter",
        "stats": "CorpusAccumulator References segment_stats",
        "text": "Ragged",
    },
    "checks chrf_score columns errors explanations frameworks gleu_score metrics nbest nist_score pairwise report rerank rewards sacrebleu_compat "
    "significance stats text tuning",
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
