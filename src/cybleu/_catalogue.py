"""The metrics: where each is defined, and by which names it is found. They are imported when they are used first."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Entry:
    """What a module of :mod:`cybleu.metrics` has.

    :param classes: the classes that the package exports, separated by spaces
    :param metrics: by name the call that makes a metric: a class with its arguments
    :param functions: the functions that `cybleu` exports, separated by spaces
    """

    def __init__(self, classes: str, metrics: dict[str, tuple[Any, ...]], functions: str = ""):
        self.classes = classes
        self.metrics = metrics
        self.functions = functions


# By module. A new metric is a module with an entry here.
CATALOGUE = {
    "bleu": Entry("Bleu BleuScore", {"bleu": ("Bleu",)}, "bleu"),  # METRICS has one for each of VARIANTS, too
    "chrf": Entry("Chrf", {"chrf": ("Chrf", 6, 0), "chrf+": ("Chrf", 6, 1), "chrf++": ("Chrf", 6, 2)}, "chrf"),
    "gleu": Entry("Gleu", {"gleu": ("Gleu",)}),
    "nist": Entry("Nist NistInformation NistScore", {"nist": ("Nist",)}),
    "rouge": Entry(
        "Rouge RougeScore Shares",
        {f"rouge{kind}": ("Rouge", kind) for kind in (*"123456789", "L", "Lsum")},
        "rouge",
    ),
    "ter": Entry("Ter", {"ter": ("Ter",)}, "ter"),
    "wer": Entry("Cer Wer", {"wer": ("Wer",), "cer": ("Cer",)}, "cer wer"),
}
