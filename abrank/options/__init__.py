"""Every option once: its name, default, type, help, heading, and who takes it.

Flags of the command line, keys of a rule file, ``--help``, the keywords of the public functions and
what a call changes of a declared rule all follow from here. An option has a *key*, which a rule
file uses and the long flag repeats; in Python it is a keyword, or a field of one of the objects
``scoring=``, ``design=``, ``machine=``, ``engine=``. No library is loaded, so that help is quick.
"""

from abrank.options.option import (
    BOARD,
    JOINT_TESTS,
    MANY,
    ONE,
    PAIR,
    RUNS,
    TESTS,
    Option,
    option,
    options_in,
)
from abrank.options.parts import (
    AS,
    ROWS,
    Anytime,
    Clusters,
    DesignPart,
    Designs,
    Engine,
    Looks,
    Machine,
    Planned,
    Scoring,
    Weights,
    parts_of,
)
from abrank.options.question import Question, RankingQuestion
from abrank.options.values import (
    COMMANDS,
    DESIGN,
    HEADINGS,
    PARTS,
    every_option,
    flag_of,
    flattened,
    home_of,
    iterate,
    made,
    nested,
    options_of,
    taking,
)

__all__ = [
    "AS",
    "BOARD",
    "COMMANDS",
    "DESIGN",
    "HEADINGS",
    "JOINT_TESTS",
    "MANY",
    "ONE",
    "PAIR",
    "PARTS",
    "ROWS",
    "RUNS",
    "TESTS",
    "Anytime",
    "Clusters",
    "DesignPart",
    "Designs",
    "Engine",
    "Looks",
    "Machine",
    "Option",
    "Planned",
    "Question",
    "RankingQuestion",
    "Scoring",
    "Weights",
    "every_option",
    "flag_of",
    "flattened",
    "home_of",
    "iterate",
    "made",
    "nested",
    "option",
    "options_in",
    "options_of",
    "parts_of",
    "taking",
]
