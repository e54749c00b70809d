"""``python -m abrank.guide build DIR`` writes the guide as a site that works offline.

``python -m abrank.guide reference DIR`` writes the reference of all public names.
"""

from __future__ import annotations

import sys
from pathlib import Path

from abrank.guide.site import build, build_reference

WAYS = {"build": build, "reference": build_reference}

if len(sys.argv) != 3 or sys.argv[1] not in WAYS:
    sys.exit("usage: python -m abrank.guide build|reference DIR")
print(WAYS[sys.argv[1]](Path(sys.argv[2])))  # noqa: T201 - where to begin to read
