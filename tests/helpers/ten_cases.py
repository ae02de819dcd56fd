"""Ten cases where tools differ, and the score of each tool by its default smoothing: the tables of docs/variants.md.

`python tests/helpers/ten_cases.py` writes them to the page; a test compares the page with them.
"""

from pathlib import Path

import cybleu
from cybleu import errors
from cybleu.metrics import VARIANTS, score
from inputs import CASES, tokens

PAGE = Path(__file__).parents[2] / "docs" / "variants.md"
BEGIN = "<!-- ten cases, written by tests/helpers/ten_cases.py -->\n"
END = "<!-- end of the ten cases -->\n"

WHAT = {
    "A": "fewer than 4 tokens",
    "B": "no 4-gram matches",
    "C": "only single tokens match",
    "D": "nothing matches",
    "E": "an empty hypothesis",
    "F": "two references equally close in length",
    "G": "one much shorter reference",
    "H": "a segment of one token",
    "I": "an empty line",
    "J": "an ordinary pair",
}


def cell(case, variant, smoothing, effective_order):
    references, hypotheses = tokens(case)
    rows = cybleu.rows(hypotheses, references, reference_length=variant.reference_length)
    try:
        result = score(rows, variant, smoothing=smoothing, effective_order=effective_order)
    except errors.EmptyHypothesisError:
        return "error"
    return f"{result.score / result.scale:.4g}"


def tables():
    lines = ["| case | references | hypothesis | property |", "|---|---|---|---|"]
    for case, segments in CASES.items():
        texts = [
            "; ".join(f"`{reference}`" for references, _ in segments for reference in references),
            "; ".join(f"`{hypothesis}`" if hypothesis else "(empty)" for _, hypothesis in segments),
        ]
        lines.append(f"| {case} | {texts[0]} | {texts[1]} | {WHAT[case]} |")
    lines += ["", f"| definition | {' | '.join(CASES)} |", "|---" * (1 + len(CASES)) + "|"]
    rows: dict[str, list[str]] = {}  # from the scores to the definitions that have them
    for variant in VARIANTS.values():
        smoothing = variant.smoothings[0][0]
        for effective in (False, True) if variant.empty_order == "end" else (False,):
            label = variant.name if smoothing in ("none", "no_smooth") else f"{variant.name} ({smoothing})"
            cells = " | ".join(cell(case, variant, smoothing, effective) for case in CASES)
            rows.setdefault(cells, []).append(f"{label}, effective order" if effective else label)
    lines += [f"| {', '.join(names)} | {cells} |" for cells, names in rows.items() if names != ["arithmetic-mean"]]
    return "\n".join(lines) + "\n"


def parts():
    """The page before the tables, the tables in it, the page after them."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    inside, _, after = rest.partition(END)
    return before, inside.strip("\n") + "\n", after


if __name__ == "__main__":
    before, _, after = parts()
    PAGE.write_text(f"{before}{BEGIN}\n{tables()}\n{END}{after}", encoding="utf-8")
