"""Options of n-best lists and weights, which the commands that tune and rerank share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._files.weights import FORMS
from ..errors import FeatureError
from ..metrics import Metric, find
from .given import argument, choice, file, number, option

if TYPE_CHECKING:
    from ..nbest import NBest


@dataclass(kw_only=True)
class MetricOptions:
    """Metric"""

    names: tuple[str, ...] = ()
    smoothing: str | None = option(metavar="NAME", help="The smoothing of BLEU.  [default: the tool's]")

    @property
    def metric(self) -> Metric:
        """The metric that the options name."""
        return find(*self.names, smoothing=self.smoothing)


@dataclass(kw_only=True)
class TokenOptions:
    """Lists"""

    first_id: int = number(least=0, default=0, help="The id of the first segment.")
    tokenize: str = option(
        metavar="NAME",
        default="unicode",
        help="The tokeniser. unicode splits at any white space, ascii only at ASCII white space (as multi-bleu.perl "
        "does), space only at spaces (as Moses does). sacreBLEU's tokenisers, such as 13a, intl, zh and char, are also "
        "available.",
    )


@dataclass(kw_only=True)
class FormatOptions(TokenOptions):
    """Lists"""

    format: str | None = choice(
        of=["moses", "joshua", "plain", "fairseq", "json"],
        help="The format of NBEST: Moses, Joshua (also cdec), plain text, the output of fairseq, or JSON lines from a "
        "model server or Sockeye.  [default: plain with --size, else moses or joshua, detected from the first lines]",
    )
    size: int | None = number(help="Number of lines for each segment in the plain format.")
    features: str | None = file(
        "--feature-table", help="The feature file of the plain format, with one line for each hypothesis."
    )


@dataclass(kw_only=True)
class NbestOptions(FormatOptions):
    """Lists"""

    nbest: str = argument("NBEST")


def output_format_option(*more: str) -> Any:
    return choice(
        of=[*FORMS, *more],
        default="names",
        help="The format of the weights. names: `lm_0 0.5`. moses: `lm= 0.5 0.2`, as in moses.ini. dense: as moses, "
        "with one weight on each line. numbers: only the numbers, in the order of the features.",
    )


def check_form(form: str, nbest: NBest) -> None:
    """Check that the weights of the features can be written in this form."""
    if form == "numbers" and nbest.sparse is not None:
        raise FeatureError(
            f"--output-format numbers does not support sparse features, and the list has {len(nbest.sparse.names)}; use "
            "--output-format names or moses"
        )


def names_of(nbest: NBest) -> tuple[str, ...]:
    """The names of all features, sparse ones last."""
    return nbest.names if nbest.sparse is None else (*nbest.names, *nbest.sparse.names)


def told(nbest: NBest, weights: dict[str, float]) -> dict[str, float]:
    """The weights that are printed: those of dense features, and of sparse ones those that are not 0."""
    dense = set(nbest.names)
    return {name: weight for name, weight in weights.items() if weight or name in dense}
