"""Ten cases where tools differ, and the score of each definition by its default smoothing: the tables of docs/variants.md.

`python tests/ten_cases.py` writes them to the page; a test compares the page with them.
"""

from pathlib import Path

import cybleu
from cybleu import errors
from cybleu.metrics import VARIANTS, score
from inputs import CASES

PAGE = Path(__file__).parent.parent / "docs" / "variants.md"
BEGIN, END = "<!-- ten cases, written by tests/ten_cases.py -->\n", "<!-- end of the ten cases -->\n"

WHAT = {
    "A": "fewer than 4 tokens, equal to the reference",
    "B": "no 4-gram matches",
    "C": "only single tokens match",
    "D": "nothing matches",
    "E": "an empty hypothesis",
    "F": "two references that are equally close in length",
    "G": "a much shorter reference, and one that is close in length",
    "H": "a corpus equal to its references, with a segment of one token",
    "I": "a corpus with an empty line",
    "J": "an ordinary pair",
}


def rows_of(case, reference_length):
    references = [[text.split() for text in texts] for texts, _ in CASES[case]]
    return cybleu.rows([text.split() for _, text in CASES[case]], references, reference_length=reference_length)


def cell(case, variant, smoothing, effective_order):
    try:
        result = score(
            rows_of(case, variant.reference_length), variant, smoothing=smoothing, effective_order=effective_order
        )
    except errors.EmptyHypothesisError:
        return "error"
    return f"{result.score / result.scale:.4g}"


def tables():
    lines = ["| case | references | hypothesis | property |", "|---|---|---|---|"]
    for case, segments in CASES.items():
        texts = [
            "; ".join(f"`{reference}`" for references, _ in segments for reference in references),
            "; ".join(f"`{hypothesis}`" if hypothesis else "nothing" for _, hypothesis in segments),
        ]
        lines.append(f"| {case} | {texts[0]} | {texts[1]} | {WHAT[case]} |")
    lines += ["", f"| definition | smoothing | {' | '.join(CASES)} |", "|---|---" + "|---" * len(CASES) + "|"]
    for variant in VARIANTS.values():
        smoothing = variant.smoothings[0][0]
        for effective in (False, True) if variant.empty_order == "end" else (False,):
            cells = " | ".join(cell(case, variant, smoothing, effective) for case in CASES)
            words = f"{smoothing}, effective order" if effective else smoothing
            lines.append(f"| {variant.name} | {words} | {cells} |")
    return "\n".join(lines) + "\n"


def parts():
    """The page before the tables, the tables in it, the page after them."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    inside, _, after = rest.partition(END)
    return before, inside.strip("\n") + "\n", after


if __name__ == "__main__":
    before, _, after = parts()
    PAGE.write_text(f"{before}{BEGIN}\n{tables()}\n{END}{after}", encoding="utf-8")
