"""Check the built site: internal links and anchors resolve, it loads nothing external, and no public name is missing.

python docs/check_site.py FOLDER
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import cybleu

# Not an API; every other module and package of cybleu is on the pages.
INTERNAL = {"cli"}
# Requires a package that is not installed when the site is built.
WITH_OTHERS = "cybleu.frameworks.torch_metrics."


class Page(HTMLParser):
    """The ids, the links and the files that a page loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids.add(given.get("id") or "")
        target = given.get("href") or given.get("src")
        if target is not None:
            (self.links if tag == "a" else self.loaded).append(target)


def broken_links(folder: Path) -> list[str]:
    pages = {path.resolve(): Page(path) for path in folder.rglob("*.html")}
    found = []
    for path, page in pages.items():
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    found.append(f"{path.name} loads {link}")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                found.append(f"{path.name}: there is no {link}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                found.append(f"{path.name}: there is no place {link}")
    return found


def public_names() -> dict[str, object]:
    """Everything public, under each name that it can be imported by."""
    names = {f"cybleu.{name}": getattr(cybleu, name) for name in cybleu.__all__}
    for info in pkgutil.iter_modules(cybleu.__path__):
        if info.name.startswith("_") or info.name in INTERNAL:
            continue
        module = importlib.import_module(f"cybleu.{info.name}")
        listed = getattr(module, "__all__", None) or [name for name, _ in inspect.getmembers(module, inspect.isclass)]
        names |= {f"cybleu.{info.name}.{name}": getattr(module, name) for name in listed}
    return names


def resolved(name: str) -> object:
    """What has this name; of a field of a dataclass, which only its objects have, the name itself."""
    try:
        return pkgutil.resolve_name(name)
    except AttributeError:
        owner, _, field = name.rpartition(".")
        if field in getattr(pkgutil.resolve_name(owner), "__annotations__", {}):
            return name
        raise


def missing_names(folder: Path) -> list[str]:
    *_, packed = (folder / "objects.inv").read_bytes().split(b"\n", 4)
    entries = [line.split()[:2] for line in zlib.decompress(packed).decode().splitlines()]
    documented = {name for name, kind in entries if kind.startswith("py:") and kind != "py:module"}
    objects = [resolved(name) for name in documented if not name.startswith(WITH_OTHERS)]
    return [
        f"{name} is not documented"
        for name, value in public_names().items()
        if name not in documented and not any(value is one for one in objects)
    ]


if __name__ == "__main__":
    site = Path(sys.argv[1])
    mistakes = broken_links(site) + missing_names(site)
    print("\n".join(mistakes) or f"{len(public_names())} public names, no broken link")
    sys.exit(bool(mistakes))
