"""Any result in a format, as tests ask for it: composed and written in one call."""

from abrank import report
from abrank.report import compose
from abrank.report.data import csv_files, json_bytes
from abrank.report.formats.text import bibtex, junit, methods

COMPOSED = ("digits", "interval", "pairs", "depth", "measure", "measured")


def _written(writer):
    def write(result, **options):
        composed = {name: options.pop(name) for name in COMPOSED if name in options}
        return writer(compose(result, **composed), **options)

    return write


card, html, latex, markdown = map(
    _written, (report.card, report.html, report.latex, report.markdown)
)
bibtex, junit, methods = map(_written, (bibtex, junit, methods))
text_lines = _written(report.text_lines)


def table(result: object, suffix: str = ".csv") -> str:
    """Return a table as CSV, or one of those beside it; empty where there is none."""
    return csv_files(result).get(suffix, "")


def json_of(result: object) -> str:
    """Return the JSON of a result."""
    return json_bytes(result).decode()


def text(result, **options) -> str:
    """Return the text without the end of its last line, as a terminal shows it."""
    return _written(report.text)(result, **options).removesuffix("\n")


def whole_text(result, **options) -> str:
    """Return all that the text has, also what a first screen leaves out, in one line."""
    return " ".join(text(result, detail="all", **options).split())
