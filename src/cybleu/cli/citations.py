"""References to cite: cybleu, and the papers that define a metric, as BibTeX."""

from __future__ import annotations

import re
from pathlib import Path

from .. import __version__
from ..errors import UnknownNameError
from ..metrics import METRICS, Bleu, find
from ..metrics.base import Signature

CYBLEU = f"""@software{{cybleu,
  author = {{{{The cybleu authors}}}},
  title = {{cybleu}},
  version = {{{__version__}}},
  year = {{2026}}
}}"""

# Smoothings of sentences that are described in "A Systematic Comparison of Smoothing Techniques".
SMOOTHED = re.compile(r"method[1-7]|floor|add-k")


def citations(metric: str) -> str:
    """Return BibTeX entries for cybleu and for the papers that define a metric.

    :param metric: the name of a metric, or a signature printed by ``cybleu score`` or sacreBLEU
    :raises UnknownNameError: there is no such metric
    """
    entries = Path(__file__).with_name("papers.bib").read_text(encoding="utf-8").strip().split("\n\n")
    by_key = {re.findall(r"{([^,]+)", entry)[0]: entry for entry in entries}
    return "\n\n".join([CYBLEU, *(by_key[key] for key in _papers(metric))])


def _papers(metric: str) -> list[str]:
    fields = Signature.read(metric).fields
    written = fields.get("variant") or fields.get("metric") or fields.get("") or next(iter(fields))
    name = re.sub(r"^chrf\d", "chrf", written.lower())
    if name == "nrefs":  # a signature of sacreBLEU, without the name of the metric
        name = "bleu"
        if "nc" in fields:
            name = "chrf"
        elif fields.get("tok") == "tercom":
            name = "ter"
    if name == "chrf" and fields.get("nw", "0") != "0":  # its signature tells chrF++ only by the order of words
        name = "chrf++"
    found = find("rouge1" if name == "rouge" else name)  # each kind of ROUGE is a metric
    if not found.papers:  # a metric that has been added to METRICS
        raise UnknownNameError(f"no paper is known for the metric {name!r}; use one of {', '.join(METRICS)}")
    smoothing = fields.get("smooth") or fields.get(written, "")
    smoothed = ["chen-cherry-2014"] if isinstance(found, Bleu) and SMOOTHED.match(smoothing) else []
    return [*found.papers, *smoothed]
