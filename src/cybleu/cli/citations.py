"""References to cite: cybleu, and the papers that define a metric, as BibTeX."""

from __future__ import annotations

import re

from .. import __version__
from ..errors import UnknownNameError
from ..metrics import METRICS, VARIANTS, find

CYBLEU = f"""@software{{cybleu,
  author = {{{{The cybleu authors}}}},
  title = {{cybleu}},
  version = {{{__version__}}},
  year = {{2026}}
}}"""

# key: (authors, title, conference or number of the preprint, year)
PAPERS = {
    "papineni-2002": (
        "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",
        "BLEU: a Method for Automatic Evaluation of Machine Translation",
        "Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics",
        2002,
    ),
    "post-2018": (
        "Post, Matt",
        "A Call for Clarity in Reporting BLEU Scores",
        "Proceedings of the Third Conference on Machine Translation: Research Papers",
        2018,
    ),
    "chen-cherry-2014": (
        "Chen, Boxing and Cherry, Colin",
        "A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU",
        "Proceedings of the Ninth Workshop on Statistical Machine Translation",
        2014,
    ),
    "koehn-2007": (
        "Koehn, Philipp and others",
        "Moses: Open Source Toolkit for Statistical Machine Translation",
        "Proceedings of the 45th Annual Meeting of the Association for Computational Linguistics: Demo and Poster Sessions",
        2007,
    ),
    "chen-2015": (
        "Chen, Xinlei and others",
        "Microsoft COCO Captions: Data Collection and Evaluation Server",
        "arXiv:1504.00325",
        2015,
    ),
    "lu-2021": (
        "Lu, Shuai and others",
        "CodeXGLUE: A Machine Learning Benchmark Dataset for Code Understanding and Generation",
        "arXiv:2102.04664",
        2021,
    ),
    "vaswani-2018": (
        "Vaswani, Ashish and others",
        "Tensor2Tensor for Neural Machine Translation",
        "arXiv:1803.07416",
        2018,
    ),
    "doddington-2002": (
        "Doddington, George",
        "Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence Statistics",
        "Proceedings of the Second International Conference on Human Language Technology Research",
        2002,
    ),
    "snover-2006": (
        "Snover, Matthew and Dorr, Bonnie and Schwartz, Rich and Micciulla, Linnea and Makhoul, John",
        "A Study of Translation Edit Rate with Targeted Human Annotation",
        "Proceedings of the 7th Conference of the Association for Machine Translation in the Americas",
        2006,
    ),
    "popovic-2015": (
        "Popović, Maja",
        "chrF: character n-gram F-score for automatic MT evaluation",
        "Proceedings of the Tenth Workshop on Statistical Machine Translation",
        2015,
    ),
    "popovic-2017": (
        "Popović, Maja",
        "chrF++: words helping character n-grams",
        "Proceedings of the Second Conference on Machine Translation",
        2017,
    ),
    "wu-2016": (
        "Wu, Yonghui and others",
        "Google's Neural Machine Translation System: Bridging the Gap between Human and Machine Translation",
        "arXiv:1609.08144",
        2016,
    ),
}
OF_METRICS = {
    "chrf": ["popovic-2015"],
    "chrf+": ["popovic-2015", "popovic-2017"],
    "chrf++": ["popovic-2015", "popovic-2017"],
    "gleu": ["wu-2016"],
    "nist": ["doddington-2002"],
    "ter": ["snover-2006"],
}
OF_VARIANTS = {
    "sacrebleu": ["post-2018"],
    "moses": ["koehn-2007"],
    "multi-bleu": ["koehn-2007"],
    "coco": ["chen-2015"],
    "codexglue": ["lu-2021"],
    "tensor2tensor": ["vaswani-2018"],
}
# Smoothings of sentences that are described in "A Systematic Comparison of Smoothing Techniques".
SMOOTHED = re.compile(r"method[1-7]|smooth:(?:floor|add-k)")


def citations(metric: str) -> str:
    """Return BibTeX entries of cybleu and of the papers that define a metric.

    :param metric: the name of a metric, or a signature that ``cybleu score`` or sacreBLEU has printed
    :raises UnknownNameError: there is no such metric
    """
    keys = _papers(metric)
    return "\n\n".join([CYBLEU, *(_entry(key, *PAPERS[key]) for key in keys)])


def _papers(metric: str) -> list[str]:
    signature = re.search(r"(?:variant|metric):([^|]+)", metric)
    name = re.sub(r"^chrf\d", "chrf", signature[1] if signature else re.split("[:|]", metric)[0].lower())
    name = "sacrebleu" if name == "bleu" else name
    if name == "chrf" and re.search(r"nw:[1-9]", metric):
        name = "chrf++"
    if name in OF_METRICS:
        return OF_METRICS[name]
    if name not in VARIANTS:
        find(name)  # raises UnknownNameError, unless the metric has been added to METRICS
        raise UnknownNameError(f"no paper is known for the metric {name!r}; use one of {', '.join(METRICS)}")
    smoothed = ["chen-cherry-2014"] if SMOOTHED.search(metric) else []
    return ["papineni-2002", *OF_VARIANTS.get(name, []), *smoothed]


def _entry(key: str, authors: str, title: str, published: str, year: int) -> str:
    kind, place = ("misc", "howpublished") if published.startswith("arXiv:") else ("inproceedings", "booktitle")
    return f"""@{kind}{{{key},
  author = {{{authors}}},
  title = {{{{{title}}}}},
  {place} = {{{published}}},
  year = {{{year}}}
}}"""
