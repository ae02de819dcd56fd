from .container import NBest, SparseFeatures, merge
from .reading import Segment, read_segments

__all__ = ["NBest", "Segment", "SparseFeatures", "merge", "read_segments"]
