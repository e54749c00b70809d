"""The templates' environment: everything is escaped, and no text can break a page."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from abrank.report.formats.clean import clean, cut


@cache
def environment() -> Environment:
    """Return the environment of the package's own templates, with their style and script."""
    made = Environment(
        loader=PackageLoader("abrank.report.formats"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_safe,
    )
    made.filters["cut"] = cut
    folder = resources.files("abrank.report.formats") / "templates"
    for name in ("css", "js"):
        text = (folder / f"report.{name}").read_text("utf-8")
        if name == "css":
            text = re.sub(r"/\*.*?\*/", "", re.sub(r" ?([{};:,]) ", r"\1", text), flags=re.S)
        made.globals[name] = Markup("\n".join(filter(None, map(str.strip, text.splitlines()))))
    return made


def _safe(value: object) -> object:
    """Neutralise controls in every text that a template shows; markup of our own passes."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
