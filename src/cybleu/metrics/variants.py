"""Definitions of BLEU of many tools, each as a set of rules on the same counts.

The tools agree on the counts and differ in a few rules. A :class:`Variant` states these rules. For NLTK and sacreBLEU,
the float operations and their order are also those of the tool, so that scores are equal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._definitions.bleu import SMOOTHINGS as _FORMULAS
from .._runtime.numbers import check_flags, is_one_of, plain_number
from ..errors import SmoothingParameterError, StatisticsError, UnknownNameError

REFERENCE_LENGTHS = ("closest", "closest-first", "shortest", "average")
#: The kinds of smoothing that a variant can have, see :class:`Variant`.
SMOOTHINGS = (*_FORMULAS, "zero")
_WITH_PARAMETER = {"floor", "add-k", "add-all", "exp-by-length", "floor-of-one", "add-one-to-one", "add-logs"}


class Smoothing(NamedTuple):
    """A smoothing of a variant: the name that its tool uses, the kind, and the value of its parameter, if it has one."""

    name: str
    kind: str
    value: float | None = None


@dataclass(frozen=True)
class Variant:
    """A definition of BLEU as a set of rules. ``dataclasses.replace`` makes a new one from one of :data:`VARIANTS`.

    :param name: the name that the signature shows
    :param scale: the score of a perfect match, 1 or 100 in all tools, by default 1
    :param smoothings: the smoothings of the tool, its default first; by default ``none`` alone. An entry has the name
        that the tool uses, the kind, and the default value of the parameter if it has one. The kinds are ``none``; ``add-all``, which
        adds the parameter to matches and n-grams of each order; ``add-k``, of each order but the first;
        ``add-one-to-one``, the same with at least 1 n-gram; ``add-logs``, the same with a tiny number added once more;
        ``floor`` and ``floor-of-one``, the parameter for 0 matches; ``exp``, which halves once more at each order
        without a match, and ``exp-by-length``, scaled by the logarithm of the hypothesis length; ``tiny``, the smallest
        float as a precision of 0; ``tiny-over-small``, 1e-15 and 1e-9 added to matches and n-grams; ``skip``, which
        ignores orders without a match; ``reciprocal`` and ``float32``, which multiply by the rounded reciprocal of the
        n-grams; and ``zero``, which is ``none`` with ``zero`` as the `empty_order`, and no error for a penalty of 0
    :param reference_length: the rule of the reference length: ``closest``, ``closest-first``,
        ``shortest`` or ``average``
    :param short_segments_count: whether a segment too short for an order adds 1 to its n-grams (NLTK)
    :param empty_order: the precision of an order without any n-gram: ``zero``; ``one``; or ``end``, which is 0 for this
        order and those after it, or ignores them if only effective orders count
    :param no_match_at_all: the score of a hypothesis without any match: ``zero``, with any smoothing; or ``smoothed``.
        ``zero-in-any-order`` is 0 as soon as one order has no match
    :param mean: how the precisions become a score: ``exact``, the weighted sum of the logarithms of those above 0,
        rounded once; ``logs``, the mean of the logarithms; ``fractions``, the same with precisions from 0 to 1,
        multiplied by the scale at the end; ``shares``, the sum of the logarithms divided by the number of orders one by
        one; ``arithmetic``, the arithmetic mean; ``product``, the root of the product;
        ``exact-or-zero``, as ``exact``, but a precision of 0 makes the score 0; ``log-differences``, with the logarithm
        of the matches minus that of the n-grams
    :param penalty: ``exponential``, the brevity penalty of Papineni et al.; ``none``; ``ratio``, the brevity penalty
        computed from the ratio of the lengths; ``tiny-over-small``, with 1e-15 and 1e-9 added to the lengths;
        ``added-one``, with 1 added to both lengths
    :param penalty_adds: a number from 0 that is added to the reference length in the brevity penalty, as Moses can do
    :param empty_hypothesis: the score of a hypothesis without tokens: ``zero``; or ``scored`` like any other
    :param fails: when the tool fails, so that scoring raises an error: ``never``; ``empty-hypothesis``, if the
        hypotheses have no token and the references have some; ``empty-text``, if either have no token; ``no-penalty``,
        for a corpus whose references have no token or whose brevity penalty is 0
    :param level: ``corpus``, or ``mean`` if the tool's score of a corpus is the mean of the scores of its segments
    :raises UnknownNameError: a rule has a value that is none of these
    :raises StatisticsError: the scale is not a finite number above 0, or `penalty_adds` not one from 0
    :raises SmoothingParameterError: the parameter of a smoothing has another default value

    >>> from dataclasses import replace
    >>> from cybleu import score
    >>> mine = replace(VARIANTS["sacrebleu"], name="mine", reference_length="shortest", empty_order="one")
    >>> score([3, 3, 3, 2, 1, 0, 3, 2, 1, 0], mine).signature
    'variant:mine|order:4|weights:uniform|smooth:exp|eff:no'
    """

    name: str
    scale: float = 1
    smoothings: tuple[Any, ...] = (("none", "none"),)  # tuples, which become Smoothings
    reference_length: str = "closest"
    short_segments_count: bool = False
    empty_order: str = "zero"
    no_match_at_all: str = "zero"
    mean: str = "logs"
    penalty: str = "exponential"
    penalty_adds: float = 0
    empty_hypothesis: str = "zero"
    fails: str = "never"
    level: str = "corpus"

    def __post_init__(self) -> None:
        check_flags(self, "short_segments_count")
        for field, allowed in _ALLOWED.items():
            value = getattr(self, field)
            if not is_one_of(value, allowed):
                raise UnknownNameError(
                    f"{field} of the variant {self.name!r} is {value!r}; use one of {', '.join(allowed)}"
                )
            vars(self)[field] = str.__str__(value)  # kernels take no subclasses of str, such as members of an enum
        scale = plain_number(self.scale)
        penalty_adds = plain_number(self.penalty_adds)
        if not (0 < scale < math.inf and 0 <= penalty_adds < math.inf):
            raise StatisticsError(
                f"the variant {self.name!r} has scale={self.scale!r} and penalty_adds={self.penalty_adds!r}; use 1 or 100, "
                "and a finite number from 0"
            )
        try:
            smoothings = tuple(Smoothing(*smoothing) for smoothing in self.smoothings)
        except TypeError:
            smoothings = ()
        if not smoothings or not all(is_one_of(smoothing.kind, SMOOTHINGS) for smoothing in smoothings):
            raise UnknownNameError(
                f"the smoothings of the variant {self.name!r} are {self.smoothings!r}; give tuples of a name, one of the "
                f"kinds {', '.join(SMOOTHINGS)}, and the default value of the parameter"
            )
        smoothings = tuple(map(checked, smoothings))
        vars(self).update(scale=scale, penalty_adds=penalty_adds, smoothings=smoothings)

    def smoothing(self, name: str | None, value: float | None = None) -> Smoothing:
        """The entry in `smoothings` with this name.

        :param name: by default the name of the first entry
        :param value: the value of its parameter, by default that of the entry

        :raises UnknownNameError: there is no such smoothing, or it has no parameter
        :raises SmoothingParameterError: the value is not valid
        """
        known = {smoothing.name: smoothing for smoothing in self.smoothings}
        if not (name is None or is_one_of(name, known)):
            of_texts = "; method5 to method7 require texts: use cybleu score or explain, or cybleu.bleu_score"
            more = of_texts if self.name == "nltk" else ""
            raise UnknownNameError(f"{self.name} has no smoothing {name!r}; use one of {', '.join(known)}{more}")
        smoothing: Smoothing = self.smoothings[0] if name is None else known[name]
        if value is None:
            return smoothing
        if smoothing.value is None:
            raise UnknownNameError(f"the smoothing {smoothing.name!r} of {self.name} takes no value")
        return checked(smoothing._replace(value=value))


def checked(smoothing: Smoothing) -> Smoothing:
    """Return the smoothing with its parameter as an int or a float.

    :raises SmoothingParameterError: the parameter is not a finite number from 0, or above 0 for ``exp-by-length``, which divides
        by it
    """
    name, kind, value = smoothing
    number = math.nan if kind in _WITH_PARAMETER else None
    if value is not None:
        number = plain_number(value)
    if number is not None and not (0 <= number < math.inf and (number or kind != "exp-by-length")):
        raise SmoothingParameterError(
            f"the value of the smoothing {name!r} is {value!r}; it must be a finite number "
            f"{'above 0' if kind == 'exp-by-length' else 'from 0'}"
        )
    return Smoothing(name, kind, number)


_ALLOWED = {
    "reference_length": REFERENCE_LENGTHS,
    "empty_order": ("zero", "one", "end"),
    "no_match_at_all": ("zero", "smoothed", "zero-in-any-order"),
    "mean": ("exact", "logs", "fractions", "shares", "arithmetic", "product", "exact-or-zero", "log-differences"),
    "penalty": ("exponential", "none", "ratio", "tiny-over-small", "added-one"),
    "empty_hypothesis": ("zero", "scored"),
    "fails": ("never", "empty-hypothesis", "empty-text", "no-penalty"),
    "level": ("corpus", "mean"),
}

#: The definitions of the tools, by name.
VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        Variant(
            "nltk",
            smoothings=(
                ("none", "tiny"),
                ("method0", "tiny"),
                ("method1", "floor", 0.1),
                ("method2", "add-k", 1),
                ("method3", "exp"),
                ("method4", "exp-by-length", 5),
            ),
            short_segments_count=True,
            mean="exact",
        ),
        Variant("nltk-3.2", smoothings=(("skip", "skip"),), short_segments_count=True, mean="exact"),
        Variant(
            "sacrebleu",
            scale=100,
            smoothings=(("exp", "exp"), ("floor", "floor", 0.1), ("add-k", "add-k", 1), ("none", "none")),
            empty_order="end",
        ),
        # the script of Moses; mteval-v14 is the same, and gives 0 where that fails
        Variant(
            "mteval-v13a",
            smoothings=(("exp", "exp"), ("none", "zero")),
            empty_order="one",
            no_match_at_all="smoothed",
            fails="no-penalty",
        ),
        Variant("multi-bleu", scale=100, mean="fractions", fails="empty-hypothesis"),
        Variant("moses", smoothings=(("none", "none"), ("add", "add-all", 1)), no_match_at_all="smoothed"),
        Variant(
            "huggingface",
            smoothings=(("none", "none"), ("smooth", "add-all", 1)),
            reference_length="shortest",
            no_match_at_all="smoothed",
            mean="shares",
            penalty="ratio",
            fails="empty-text",
        ),
        # the tool expects the tokens of the Penn Treebank, which it makes in Java
        Variant(
            "coco",
            smoothings=(("none", "tiny-over-small"),),
            no_match_at_all="smoothed",
            mean="product",
            penalty="tiny-over-small",
        ),
        Variant(
            "codexglue",
            scale=100,
            smoothings=(("add-one", "add-logs", 1),),
            reference_length="shortest",
            no_match_at_all="smoothed",
            mean="log-differences",
            penalty="added-one",
            empty_hypothesis="scored",
            level="mean",
        ),
        # the tool computes in single precision
        Variant(
            "torchmetrics",
            smoothings=(("none", "none"), ("smooth", "add-k", 1)),
            reference_length="closest-first",
            no_match_at_all="zero-in-any-order",
        ),
        # the tool computes in single precision
        Variant("torchtext", reference_length="closest-first", no_match_at_all="zero-in-any-order"),
        # without smoothing the precisions are matches times 1 / n-grams, for single sentences in single precision
        Variant(
            "ignite",
            smoothings=(
                ("no_smooth", "float32"),
                ("smooth1", "floor-of-one", 0.1),
                ("nltk_smooth2", "add-one-to-one", 1),
                ("smooth2", "add-k", 1),
            ),
            mean="exact-or-zero",
            level="mean",
        ),
        # the tool takes one reference, and rounds the score to single precision
        Variant(
            "tensor2tensor",
            smoothings=(("exp", "exp"),),
            empty_order="one",
            no_match_at_all="smoothed",
            penalty="ratio",
        ),
        Variant("arithmetic-mean", mean="arithmetic"),
    )
}


# of the tools that have one
PAPERS = {
    "sacrebleu": "post-2018",
    "moses": "koehn-2007",
    "multi-bleu": "koehn-2007",
    "coco": "chen-2015",
    "codexglue": "lu-2021",
    "tensor2tensor": "vaswani-2018",
}
_TOKENIZERS = {"sacrebleu": "13a", "huggingface": "13a", "mteval-v13a": "13a", "multi-bleu": "ascii"}
_TOKENIZERS |= {"codexglue": "codexglue", "tensor2tensor": "tensor2tensor"}


def tool_tokenizer(variant: str) -> str:
    """Return the name of the tokeniser of a variant's tool, which ``cybleu score`` uses.

    :param variant: a name in :data:`VARIANTS`; for any other name the result is ``none``, white space

    >>> tool_tokenizer("sacrebleu"), tool_tokenizer("multi-bleu")
    ('13a', 'ascii')
    """
    return _TOKENIZERS.get(variant, "none")
