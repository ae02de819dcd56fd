"""The metrics: where each is defined, and by which names it is found. They are imported when they are used first."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# By module of `cybleu.metrics`. A new metric is a module with an entry here:
# - the classes that the package exports, separated by spaces
# - by name the call that makes a metric: a class with its arguments
# - the functions that `cybleu` exports, separated by spaces
CATALOGUE: dict[str, tuple[str, dict[str, tuple[Any, ...]], str]] = {
    "bleu": ("Bleu BleuScore", {"bleu": ("Bleu",)}, "bleu"),  # METRICS has one for each of VARIANTS, too
    "chrf": ("Chrf", {"chrf": ("Chrf", 6, 0), "chrf+": ("Chrf", 6, 1), "chrf++": ("Chrf", 6, 2)}, "chrf"),
    "gleu": ("Gleu", {"gleu": ("Gleu",)}, ""),
    "nist": ("Nist NistInformation NistScore", {"nist": ("Nist",)}, ""),
    "rouge": (
        "Rouge RougeScore Shares",
        {f"rouge{kind}": ("Rouge", kind) for kind in (*"123456789", "L", "Lsum")},
        "rouge",
    ),
    "ter": ("Ter", {"ter": ("Ter",)}, "ter"),
    "wer": ("Cer Wer", {"wer": ("Wer",), "cer": ("Cer",)}, "cer wer"),
}
