"""Three systems to write reports of, and texts that a page must show and not run."""

import functools

import numpy as np

from cybleu.report import analyse
from cybleu.significance import Settings

WORDS = "the cat is on a mat and dog sat so it was said again".split()
NAMES = ("one", "two", "three")


def lines_of(seed, count=24, longest=12):
    generator = np.random.default_rng(seed)
    return [" ".join(generator.choice(WORDS, generator.integers(1, longest))) for _ in range(count)]


def changed(lines, every, seed):
    return [other if place % every == 0 else line for place, (line, other) in enumerate(zip(lines, lines_of(seed)))]


REFERENCE = lines_of(0)
OTHER = changed(REFERENCE, 2, 1)
SYSTEMS = {name: changed(REFERENCE, every, every + 5) for name, every in zip(NAMES, (4, 3, 2))}
REFERENCES = [list(pair) for pair in zip(REFERENCE, OTHER)]
FEW = {"settings": Settings(samples=200, resamples=100)}


@functools.cache
def analysed():
    """The report of these systems, made once."""
    return analyse(SYSTEMS, REFERENCES, **FEW)


def marks_of(report, output, segment):
    """The marks of the tokens: the length of the longest match that contains each, and 5 more if it is clipped."""
    tokens = report._tokens
    begin, end = tokens.bounds[tokens.firsts[segment] + output :][:2]
    return report._ngrams.marks[begin:end].tolist()


# What must be shown as text, and run nothing.
HOSTILE = [
    "<script>alert(1)</script>",
    "</style><style>*{display:none}</style>",
    "</script><script>alert(2)//",
    '"><img src=x onerror=alert(3)>',
    "javascript:alert(4)",
    "<!-- <![CDATA[ &lt; &#60; &amp;",
    "{{ 7 * 7 }} {% raw %}",
    "a \u202etxt.exe\u202c b \u2066c\u2069 d",
    "a\x00b\x1b[31m c\x07\x7f\x85",
    "\ud800 lone \udfff",
    "\ufeffmark \ufffe",
    "",
    "   ",
    "שלום עולם مرحبا بالعالم",
    "e\u0301\u0301\u0301 Z\u0351\u0352 नमस्ते",
    "$x_1$ \\frac{1}{2} _under_",
    "𝔘𝔫𝔦 🎉👩‍👩‍👧 ok",
    "x" * 10_000,
]
