"""Rules of C that hold for every compiler, checked in the sources of the kernels."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_enumerators_fit_the_int_that_msvc_makes_them():
    values = {}
    for path in (ROOT / "src" / "cybleu" / "_kernels").rglob("*.pxi"):
        for body in re.findall(r"^cdef enum.*:\n((?:    .*\n)+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            values |= dict(re.findall(r"^    (\w+) = ([^#\s]+)", body, re.MULTILINE))
    assert [name for name, value in values.items() if not -(2**31) <= int(value, 0) < 2**31] == []
    assert values["MOST_DIGITS"] == "18"
