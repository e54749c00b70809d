"""All parts of the study but the first, in the order of the page."""

from __future__ import annotations

from abrank.studies.calibration.beliefs import BELIEFS
from abrank.studies.calibration.clusters import CLUSTERS
from abrank.studies.calibration.effects import EFFECTS
from abrank.studies.calibration.families import FAMILIES
from abrank.studies.calibration.margins import MARGINS
from abrank.studies.calibration.notes import NOTES
from abrank.studies.calibration.parts import Part
from abrank.studies.calibration.pooled import POOLED
from abrank.studies.calibration.ranks import RANKS
from abrank.studies.calibration.segments import SEGMENTS
from abrank.studies.calibration.streams import STREAMS
from abrank.studies.calibration.systems import SYSTEMS

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
    *NOTES,
)
