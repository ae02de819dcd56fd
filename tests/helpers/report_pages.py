"""Read the HTML page of a report, and check what it lets a browser run or fetch."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from xml.etree import ElementTree


class Page(HTMLParser):
    """The content of the page for a browser."""

    EMPTY = ("meta", "br", "input", "link", "img")

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.texts = []
        self._open = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in self.EMPTY:
            self._open.append((tag, dict(attributes), []))

    def handle_endtag(self, tag):
        while self._open:
            found = self._open.pop()
            self.texts.append((found[0], found[1], "".join(found[2])))
            if found[0] == tag:
                break

    def handle_data(self, data):
        if self._open and self._open[-1][0] == "dd" and self._open[-1][2] and data.startswith("\n<"):
            return
        for found in self._open:
            found[2].append(data)

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def text_of(self, tag, **wanted):
        return [text for name, attributes, text in self.texts if name == tag and wanted.items() <= attributes.items()]


def check_policy(text):
    """The policy allows only our two scripts and our style."""
    found = Page(text)
    scripts = found.of("script")
    assert scripts == [{"type": "application/json", "id": "values"}, {}]
    assert len(found.of("style")) == 1
    (policy,) = [one["content"] for one in found.of("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy and "*" not in policy
    for kind in ("script", "style"):
        body = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)[-1]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    for tag, attributes in found.elements:
        assert tag in HTML, tag
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "srcdoc", "action")]
        assert ("src" in attributes) == (tag == "img")
        for name in ("href", "xlink:href"):
            # an empty icon, or a browser would ask the server for one
            assert attributes.get(name, "#").startswith("#") or (tag, attributes["href"]) == ("link", "data:,")
    for picture in pictures_on(found):
        for element in ElementTree.fromstring(picture).iter():
            assert element.tag.rpartition("}")[2] in SVG, element.tag
            references = [value for name, value in element.items() if name.rpartition("}")[2] in ("href", "src")]
            assert all(value.startswith("#") for value in references)
            assert not [name for name, _ in element.items() if name.startswith("on")]
    return found


def pictures_on(found):
    """The pictures of a page, as XML."""
    start = "data:image/svg+xml;base64,"
    sources = [attributes["src"] for attributes in found.of("img")]
    assert sources and all(source.startswith(start) for source in sources)
    return [base64.b64decode(source.removeprefix(start)).decode() for source in sources]


HTML = set(
    "html head meta title style body header h1 h2 h3 h4 p b bdi nav main section dl div dt dd code details summary table thead "
    "tbody tr th td caption sub small br figure figcaption pre button span ol li u i em s mark abbr img svg rect label input "
    "select option optgroup output a footer script link".split()
)
SVG = set(
    "svg metadata RDF Work type date format creator Agent title defs style g path use text tspan clipPath rect pattern".split()
)


def numbers_on(page):
    """The numbers of the segments, in their order on the page."""
    return [int(number) for number in re.findall(r"<details class=s id=s\d+><summary><span class=no>(\d+)", page)]
