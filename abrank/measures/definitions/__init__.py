"""The measures, one family per file.

The docstring of a measure has a summary; a paragraph on its values (unit, range, value for an empty
query); its definition; descriptions of parameters that differ from the usual ones; and examples.
:func:`abrank.measures.registry.complete` adds what all measures share: the usual parameters, shape
and order of the values, errors, and ``source``, which is written in full in
``abrank/report/sections/sources.bib``.
"""

from abrank.measures.definitions import binary, counts, diversity, graded, textbook, user_models

__all__ = ["binary", "counts", "diversity", "graded", "textbook", "user_models"]
