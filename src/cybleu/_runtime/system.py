"""What differs on Windows."""

from __future__ import annotations

import os

WINDOWS = os.name == "nt"
