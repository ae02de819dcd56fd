"""Write src/cybleu/text/unicode_table.py: punctuation, symbols and numbers of the installed package `regex`.

    python .ci/make_categories.py

The description of `regex` names its version of Unicode.
"""

from __future__ import annotations

import re
import textwrap
from array import array
from importlib.metadata import metadata, version
from pathlib import Path

import regex

TARGET = Path(__file__).parent.parent / "src" / "cybleu" / "text" / "unicode_table.py"
WIDTH = 100


def main() -> None:
    about = metadata("regex")
    described = re.search(r"supports Unicode (\d+\.\d+\.\d+)", about["Description"] or about.get_payload())
    if described is None:
        raise SystemExit("regex does not say which Unicode it supports")
    characters = array("I", range(0x110000)).tobytes().decode("utf-32", "surrogatepass")
    lines = [
        '"""Written by .ci/make_categories.py: runs of code points, in hexadecimal, as the package `regex` '
        f'{version("regex")} has them."""',
        "",
        f'UNICODE = "{described[1]}"',
    ]
    for name, category in (("PUNCTUATION", "P"), ("SYMBOLS", "S"), ("NUMBERS", "N")):
        lines += ["", f"{name} = ("]
        runs = [(run.start(), run.end() - 1) for run in regex.finditer(rf"\p{{{category}}}+", characters)]
        words = " ".join(f"{first:x}" if first == last else f"{first:x}-{last:x}" for first, last in runs)
        rows = textwrap.fill(words, WIDTH, break_on_hyphens=False).replace("\n", " \n")
        lines += [f'    "{row}"' for row in rows.splitlines()] + [")"]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
