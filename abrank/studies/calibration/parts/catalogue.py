"""All parts of the study but the first, in the order of the page."""

from __future__ import annotations

from abrank.studies.calibration.parts.beliefs import BELIEFS
from abrank.studies.calibration.parts.clusters import CLUSTERS
from abrank.studies.calibration.parts.effects import EFFECTS
from abrank.studies.calibration.parts.families import FAMILIES
from abrank.studies.calibration.parts.margins import MARGINS
from abrank.studies.calibration.parts.notes import NOTES
from abrank.studies.calibration.parts.part import Part
from abrank.studies.calibration.parts.pooled import POOLED
from abrank.studies.calibration.parts.ranks import RANKS
from abrank.studies.calibration.parts.segments import SEGMENTS
from abrank.studies.calibration.parts.streams import STREAMS
from abrank.studies.calibration.parts.systems import SYSTEMS

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
