"""The catalogue of measures: functions from a judged run to one value per query."""

from abrank.measures import definitions as _  # noqa: F401 - importing enters them
from abrank.measures import sensitivity  # noqa: F401 - importing enters them
from abrank.measures.definitions.user_models import resolved
from abrank.measures.names import expand, parse, reading
from abrank.measures.registry import Measure, MeasureEntry, catalogue, complete, measure

__all__ = [
    "Measure",
    "MeasureEntry",
    "catalogue",
    "expand",
    "measure",
    "parse",
    "reading",
    "resolved",
]

for _entry in catalogue().values():
    complete(_entry)
