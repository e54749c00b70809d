"""pytest plugin: the fixture ``abrank_gate`` compares by a rule file and fails with its gate."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from abrank.comparison import Comparison

HEADLINE_LINES = 3
# Which function compares the inputs of a rule file, by key; without these keys it is `compare`.
FUNCTIONS = {
    "scores": "compare_scores", "preferences": "compare_preferences",
    "collections": "compare_collections",
}  # fmt: skip


def run_gate(
    config: str | os.PathLike[str],
    **arguments: Any,  # noqa: ANN401 - arguments of the comparing function
) -> Comparison:
    """Compare by a rule file; if the gate fails, fail the test with the first report lines.

    Arguments such as ``b=run`` override the values in the rule file.
    """
    import abrank
    from abrank.rule_file import read_rule

    keys = {*read_rule(config).stated, *arguments}
    name = next((function for key, function in FUNCTIONS.items() if key in keys), "compare")
    sources = [arguments.pop(key) for key in FUNCTIONS if key in arguments]
    result: Comparison = getattr(abrank, name)(*sources, **arguments, config=config)
    gate = result.decision.gate
    if gate is None:
        pytest.fail(f"{config} requests no gate: add require or fail_on", pytrace=False)
    if not gate.passed:
        lines = str(result).splitlines()[:HEADLINE_LINES]
        pytest.fail("\n".join([f"{config}: gate {gate.require} failed", *lines]), pytrace=False)
    return result


@pytest.fixture
def abrank_gate() -> Callable[..., Comparison]:
    """Return :func:`run_gate`, which runs the gate of a rule file."""
    return run_gate
