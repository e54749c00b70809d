"""All parts of the study but the first, in the order of the page."""

from __future__ import annotations

from reports.studies.calibration.parts.clusters import CLUSTERS
from reports.studies.calibration.parts.effects import EFFECTS
from reports.studies.calibration.parts.families import FAMILIES
from reports.studies.calibration.parts.looks import LOOKS
from reports.studies.calibration.parts.margins import MARGINS
from reports.studies.calibration.parts.notes import NOTES
from reports.studies.calibration.parts.one_mean import ONE_MEAN
from reports.studies.calibration.parts.part import Part
from reports.studies.calibration.parts.pooled import POOLED
from reports.studies.calibration.parts.ranks import RANKS
from reports.studies.calibration.parts.rare_losses import RARE_LOSSES
from reports.studies.calibration.parts.segments import SEGMENTS
from reports.studies.calibration.parts.sentences import SENTENCES, SHOWN
from reports.studies.calibration.parts.single_pairs import SINGLE_PAIRS
from reports.studies.calibration.parts.streams import STREAMS
from reports.studies.calibration.parts.systems import SYSTEMS

PARTS: tuple[Part, ...] = (
    *SINGLE_PAIRS,
    *RANKS,
    *EFFECTS,
    *ONE_MEAN,
    *MARGINS,
    *RARE_LOSSES,
    *FAMILIES,
    *STREAMS,
    *LOOKS,
    *CLUSTERS,
    *SYSTEMS,
    *SEGMENTS,
    *POOLED,
    *NOTES,
    *SENTENCES,
    *SHOWN,
)
