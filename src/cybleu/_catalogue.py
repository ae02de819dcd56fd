"""The metrics: where each is defined, and by which names it is found. They are imported when they are used first."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# For each module of `cybleu.metrics` the classes that this exports, the functions that `cybleu` exports, and by name the
# calls that make its metrics: a class with its arguments. A new metric is a module with a row here.
CATALOGUE: dict[str, tuple[str, str, dict[str, tuple[Any, ...]]]] = {
    "bleu": ("Bleu BleuScore", "bleu", {"bleu": ("Bleu",)}),  # and one for each of VARIANTS
    "chrf": ("Chrf", "chrf", {"chrf": ("Chrf", 6, 0), "chrf+": ("Chrf", 6, 1), "chrf++": ("Chrf", 6, 2)}),
    "gleu": ("Gleu", "", {"gleu": ("Gleu",)}),
    "nist": ("Nist NistInformation NistScore", "", {"nist": ("Nist",)}),
    "rouge": (
        "Rouge RougeScore Shares",
        "rouge",
        {f"rouge{kind}": ("Rouge", kind) for kind in (*"123456789", "L", "Lsum")},
    ),
    "ter": ("Ter", "ter", {"ter": ("Ter",)}),
    "wer": ("Cer Wer", "cer wer", {"wer": ("Wer",), "cer": ("Cer",)}),
}
