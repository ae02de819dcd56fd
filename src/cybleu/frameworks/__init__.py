"""Metrics with the interfaces of evaluate, pycocoevalcap and torchmetrics, without network access."""

from __future__ import annotations

from .._runtime.later import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .captions import CaptionBleu as CaptionBleu
    from .hugging_face import load as load

__getattr__, __dir__, __all__ = later(__name__, {"captions": "CaptionBleu", "hugging_face": "load"})
