"""The catalogue of measures: a judged run in, one value for each query out."""

from abrank.measures import binary, counts, graded, holes, sets  # noqa: F401 - importing enters them
from abrank.measures.entries import Entry, Measure, catalogue, measure
from abrank.measures.names import expand, parse, reading

__all__ = ["Entry", "Measure", "catalogue", "expand", "measure", "parse", "reading"]
