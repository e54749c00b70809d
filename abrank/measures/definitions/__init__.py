"""The measures themselves, one family a file.

A measure's own docstring holds a summary; a paragraph on its values (unit, range, what a query
without anything gives); its definition; and under headings the parameters that mean something else
than elsewhere, and examples. What all of them share is added by
:func:`abrank.measures.registry.complete`: the usual parameters, the shape and order of the values,
the errors, and ``source``, which stands in full in ``abrank/report/sections/sources.bib``.
"""

from abrank.measures.definitions import binary, counts, diversity, graded, textbook, user_models

__all__ = ["binary", "counts", "diversity", "graded", "textbook", "user_models"]
