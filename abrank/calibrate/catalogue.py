"""All parts of the study but the first, in the order of the page."""

from __future__ import annotations

from abrank.calibrate.beliefs import BELIEFS
from abrank.calibrate.clusters import CLUSTERS
from abrank.calibrate.effects import EFFECTS
from abrank.calibrate.families import FAMILIES
from abrank.calibrate.margins import MARGINS
from abrank.calibrate.parts import Part
from abrank.calibrate.pooled import POOLED
from abrank.calibrate.ranks import RANKS
from abrank.calibrate.segments import SEGMENTS
from abrank.calibrate.streams import STREAMS
from abrank.calibrate.systems import SYSTEMS

PARTS: tuple[Part, ...] = (
    *RANKS,
    *EFFECTS,
    *MARGINS,
    *FAMILIES,
    *STREAMS,
    *CLUSTERS,
    *SYSTEMS,
    *SEGMENTS,
    *POOLED,
    *BELIEFS,
)
