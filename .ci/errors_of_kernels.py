"""Fail if valgrind reports an error whose stack has a frame of the kernels.

    python .ci/errors_of_kernels.py REPORT.xml

Errors of CPython and NumPy are ignored.
"""

from __future__ import annotations

import sys
from xml.etree import ElementTree


def stacks_of(error):
    """Yield the message and the stacks of an error, as lines."""
    for part in error:
        if part.tag == "stack":
            for frame in part:
                place = frame.findtext("fn") or frame.findtext("ip")
                yield f"  {place} ({frame.findtext('file') or frame.findtext('obj')}:{frame.findtext('line') or '?'})"
        elif part.tag in ("what", "auxwhat"):
            yield part.text
        elif part.tag == "xwhat":
            yield part.findtext("text")


errors = ElementTree.parse(sys.argv[1]).findall("error")
ours = [error for error in errors if any("/cybleu/_kernels/" in (place.text or "") for place in error.iter("obj"))]
for error in ours:
    print(*stacks_of(error), "", sep="\n")
print(f"{len(errors)} errors, {len(ours)} of them with a frame of the kernels")
sys.exit(1 if ours else 0)
