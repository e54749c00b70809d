"""Options by their keys, as the keywords that a test hands to compare and its like."""

import inspect

import abrank
from abrank.options import Question
from abrank.options.parts import PAIR
from abrank.options.values import build, nested, options_of


def asked(**how):
    """Return keywords: ``asked(look="1/2", adjust="holm")`` has a design and a Question.

    ``machine_scores`` stands for ``machine.scores``, ``shared_model`` for
    ``machine.shared_model``; what is no key stays as it is.
    """
    options = options_of(*PAIR)
    if how.get("require") == "no-significant-loss":  # as a gate is recorded
        how = {**how, "require": None, "fail_on": "worse"}
    how = {("machine_" * (name == "shared_model")) + name: item for name, item in how.items()}
    keys = {name.replace("machine_", "machine.", 1): value for name, value in how.items()}
    result = nested({key: value for key, value in keys.items() if key in options})
    result |= {key: value for key, value in keys.items() if key not in options}
    flat = inspect.signature(abrank.compare).parameters.keys() | {"baseline", "candidate"}
    rare = {name: result.pop(name) for name in [*result] if name not in flat}
    return result | ({"config": build(Question, rare)} if rare else {})


def question(**how) -> Question:
    """Return a Question of options by their keys."""
    if how.get("require") == "no-significant-loss":
        how = {**how, "require": None, "fail_on": "worse"}
    return build(Question, nested(how))
