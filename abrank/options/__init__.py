"""Every option, defined once: name, default, type, help, heading, and the functions that have it.

Command-line flags, keys of rule files, ``--help``, keywords of public functions and recorded
deviations from a rule are all derived from here. An option has a *key*, which rule files use and
the long flag repeats; in Python it is a keyword, or a field of an object passed as ``scoring=``,
``design=``, ``machine=`` or ``engine=``. No library is imported, so that ``--help`` is fast.
"""

from abrank.options.parts import (
    Anytime,
    Clusters,
    Designs,
    Engine,
    Independent,
    Looks,
    Machine,
    Option,
    Planned,
    Scoring,
    Weights,
)
from abrank.options.question import Inputs, Question, RankingQuestion

__all__ = [
    "Anytime",
    "Clusters",
    "Designs",
    "Engine",
    "Independent",
    "Inputs",
    "Looks",
    "Machine",
    "Option",
    "Planned",
    "Question",
    "RankingQuestion",
    "Scoring",
    "Weights",
]
