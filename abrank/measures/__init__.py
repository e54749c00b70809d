"""The catalogue of measures: a judged run in, one value for each query out."""

from abrank.measures import definitions as _  # noqa: F401 - importing enters them
from abrank.measures.definitions.user_models import resolved
from abrank.measures.naming.parser import expand, parse, reading
from abrank.measures.registry.entries import Entry, Measure, catalogue, measure
from abrank.measures.sensitivity import ideal, unjudged  # noqa: F401 - importing enters them

__all__ = ["Entry", "Measure", "catalogue", "expand", "measure", "parse", "reading", "resolved"]
