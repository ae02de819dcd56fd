"""Signatures: what defines a score, in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._version import __version__

if TYPE_CHECKING:
    from typing_extensions import Self

# the fields that sacreBLEU prints for its metrics
OF_SACREBLEU = {"sacrebleu": "case eff tok smooth", "chrf": "case eff nc nw space", "ter": "case tok norm punct asian"}
# options that sacreBLEU does not print, with the values that it has
USUAL = {"order": ("4",), "weights": ("uniform",), "beta": ("2",), "smooth": ("exp", "none")}
# tokenisers that sacreBLEU does not have
OWN_TOKENIZERS = ("unicode", "ascii", "space")


class Signature(str):
    """The fields that define a score. As a str it is the line that is printed, such as ``metric:gleu|min:1|max:4``.

    :param fields: the names of the fields with their values; a field without a name is printed as its value alone

    >>> signature = Signature({"metric": "gleu", "min": 1})
    >>> signature
    'metric:gleu|min:1'
    >>> signature.with_fields(min=2, nrefs=1)
    'metric:gleu|min:2|nrefs:1'
    """

    fields: Mapping[str, Any]

    def __new__(cls, fields: Mapping[str, Any]) -> Self:
        line = "|".join([f"{name}:{value}" if name else str(value) for name, value in fields.items()])
        signature = super().__new__(cls, line)
        signature.fields = fields
        return signature

    def __getnewargs__(self) -> tuple[Any]:
        return (self.fields,)

    @classmethod
    def read(cls, line: str) -> Self:
        """Read a line that cybleu or sacreBLEU has printed; another line becomes a field without a name."""
        fields: dict[str, str] = {}
        for part in line.split("|"):
            name, colon, value = part.partition(":")
            fields |= {name: value} if colon else {"": part}
        signature = cls(fields)
        return signature if signature == line else cls({"": line})

    def with_fields(self, **fields: Any) -> Signature:
        """Return the signature with other values of fields, and with more fields at the end."""
        return Signature({**self.fields, **fields})

    def of_sacrebleu(self) -> str | None:
        """Return the signature that sacreBLEU prints for the same score; None if it has no such score."""
        fields = self.fields
        names = ["nrefs", *OF_SACREBLEU.get(fields.get("variant") or fields.get("metric", "").rstrip("+"), "").split()]
        usual = all(str(fields.get(name, values[0])) in values for name, values in USUAL.items())
        if len(names) == 1 or not usual or not {*names} <= fields.keys() or fields.get("tok") in OWN_TOKENIZERS:
            return None
        shown = {name: fields[name] for name in names}
        return Signature({**shown, "version": "2.6.0", "cybleu": __version__})


def as_signature(line: str) -> Signature:
    """Return the signature itself, or read a plain str, such as a user's metric has."""
    return line if isinstance(line, Signature) else Signature.read(line)
