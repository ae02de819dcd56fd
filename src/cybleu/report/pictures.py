"""Plots as inline SVG: Matplotlib's output without styles, in colours of the page, for light and dark mode."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from .plots import COLOURS, OF_PAIRS, new_figure, settings

SVG = "http://www.w3.org/2000/svg"
XLINK = "{http://www.w3.org/1999/xlink}href"
# Properties that the page sets. All others in Matplotlib's styles are also attributes of SVG.
OF_PAGE = ("font", "font-family", "font-style", "font-variant", "font-stretch", "font-weight", "line-height")
COLOUR_NAMES = {
    **{colour: f"var(--c{number})" for number, colour in enumerate(COLOURS)},
    "#000000": "currentColor",
    "#ffffff": "var(--page)",
    "#b0b0b0": "var(--line)",
    "#262626": "currentColor",
    OF_PAIRS: "var(--soft)",
}
REFERENCE = re.compile(r"url\(#([^)]+)\)")


def picture(name: str, title: str, draw: Callable[[Any], Any], width: float = 5.6, height: float = 3.6) -> str:
    """Draw a plot as an `svg` element, with text in the page's font.

    :param name: the prefix of all ids in the element
    :param title: the description for screen readers
    :param draw: a function that takes axes and draws on them, without a legend
    """
    written = BytesIO()
    with settings():
        figure = new_figure(width, height, layout="none")
        figure.patch.set_visible(False)
        axes = figure.add_subplot()
        axes.patch.set_visible(False)
        draw(axes)
        _lay_out(figure, axes, width, height)
        no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(written, format="svg", metadata=no_metadata)
    # safe to parse: Matplotlib wrote it, and it has no entities
    return _inlined(ElementTree.fromstring(written.getvalue()), name, title)


def _lay_out(figure: Any, axes: Any, width: float, height: float) -> None:
    """Set margins from the number of characters, ten times as fast as Matplotlib's layout, with the legend below."""
    names = [] if axes.get_ylabel() else [text.get_text() for text in axes.get_yticklabels()]
    left = 0.2 + 0.085 * max(map(len, names)) if names else 0.6
    handles, labels = axes.get_legend_handles_labels()
    rows = 0
    if len(labels) > 1:
        columns = max(1, min(len(labels), int(width * 12 / (max(map(len, labels)) + 7))))
        rows = -(-len(labels) // columns)
        below = figure.legend(
            handles, labels, loc="lower center", ncols=columns, frameon=False, fontsize="small", columnspacing=1.2
        )
        for text in below.get_texts():
            text.set_parse_math(False)
    below_axes = 0.5 + 0.19 * rows + (0.1 if rows else 0)
    height += below_axes - 0.5
    figure.set_size_inches(width, height)
    figure.subplots_adjust(min(left / width, 0.6), below_axes / height, 1 - 0.1 / width, 1 - 0.1 / height)


def _inlined(root: ElementTree.Element, name: str, title: str) -> str:
    ElementTree.register_namespace("", SVG)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    used = set()
    for element in root.iter():
        _without_style(element)
        target = element.attrib.pop(XLINK, None)
        if target is not None:
            element.set("href", target)
        used |= {value[1:] for key, value in element.items() if key == "href"}
        used |= {found for value in element.attrib.values() for found in REFERENCE.findall(value)}
    names = {old: f"{name}-{number}" for number, old in enumerate(sorted(used))}
    for element in root.iter():
        for key, value in list(element.items()):
            if key == "id":
                del element.attrib["id"]
                if value in names:
                    element.set("id", names[value])
            elif key == "href":
                element.set(key, f"#{names[value[1:]]}")
            else:
                element.set(key, REFERENCE.sub(lambda found: f"url(#{names[found[1]]})", value))
    for unwanted in ("width", "height", "version"):
        root.attrib.pop(unwanted, None)
    root.set("fill", "currentColor")  # Matplotlib omits black, the default
    root.set("role", "img")
    root.set("aria-label", title)
    _without_blanks(root)
    text = ElementTree.tostring(root, encoding="unicode", short_empty_elements=True)
    return text.replace(f' xmlns="{SVG}"', "")


def _without_blanks(root: ElementTree.Element) -> None:
    for element in root.iter():
        if element.tag != f"{{{SVG}}}text" and not (element.text or "").strip():
            element.text = None
        if not (element.tail or "").strip():
            element.tail = None


def _without_style(element: ElementTree.Element) -> None:
    """Replace style attributes by SVG attributes, because the page's Content-Security-Policy blocks inline styles."""
    style = element.attrib.pop("style", "")
    for rule in filter(None, map(str.strip, style.split(";"))):
        key, _, value = (part.strip() for part in rule.partition(":"))
        if key == "font":
            size = re.search(r"([\d.]+)px", value)
            if size:
                element.set("font-size", size[1])
        elif key == "font-size":
            element.set(key, value.removesuffix("px"))
        elif key not in OF_PAGE:
            element.set(key, value)
    for key in ("fill", "stroke"):
        if key in element.attrib:
            element.set(key, COLOUR_NAMES.get(element.attrib[key], element.attrib[key]))
