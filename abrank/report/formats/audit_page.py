"""The audit as one page: its sums in plain JavaScript, for whoever has no install."""

from __future__ import annotations

import json

from markupsafe import Markup

from abrank._support.display import GROUP
from abrank.planning.audit import BOARDS
from abrank.report.formats.jinja import environment


def audit_page() -> str:
    """Return the page as HTML; its numbers are those of :func:`abrank.audit`.

    Examples
    --------
    >>> audit_page().startswith("<!doctype html>")
    True
    """
    boards = {name: board._asdict() for name, board in BOARDS.items()}
    held = {"boards": json.dumps(boards), "group": json.dumps(GROUP)}
    ours = {name: Markup(text) for name, text in held.items()}
    return environment().get_template("audit.html").render(measures=[*BOARDS], **ours) + "\n"
