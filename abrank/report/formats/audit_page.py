"""The audit as one page: its sums in plain JavaScript, for whoever has no install."""

from __future__ import annotations

import json

from markupsafe import Markup

from abrank.planning.boards import BOARDS
from abrank.report.formats.jinja import environment


def audit_page() -> str:
    """Return the page as HTML; its numbers are those of :func:`abrank.audit`.

    Examples
    --------
    >>> audit_page().startswith("<!doctype html>")
    True
    """
    boards = {name: board._asdict() for name, board in BOARDS.items()}
    template = environment().get_template("audit.html")
    return template.render(boards=Markup(json.dumps(boards)), measures=[*BOARDS]) + "\n"
