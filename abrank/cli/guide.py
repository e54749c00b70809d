"""``abrank guide``: the pages of the guide in the terminal."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from typing import ClassVar

import click

from abrank.cli import _terminal

# A link to another page is told as the command that shows it.
_LINK = re.compile(r"\[([^\]]+)\]\(([\w-]+)\.md(?:#[\w-]*)?\)")
TOPIC = 14  # columns of a topic in the list


def _complete(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """Return the topics that begin as what was typed."""
    from abrank.guide import CONTENTS

    return [topic for item in CONTENTS.values() for topic in item if topic.startswith(begun)]


@click.command("guide")
@click.argument("topic", required=False, shell_complete=_complete)
def guide(topic: str | None) -> None:
    """Show the page of a TOPIC: how to begin, what decides, what a caution means.

    Without a TOPIC all are listed. A measure, a test and a caution have a page of their own:
    abrank guide nDCG, abrank guide permutation, abrank guide few-signs.
    """
    from abrank import guide

    text = _contents() if topic is None else _rendered(guide.find_page(topic).text)
    if _terminal.wants_ascii(False, sys.stdout):
        from abrank.report.cells import to_ascii

        text = to_ascii(text)
    _terminal.echo(text)


def _contents() -> str:
    from abrank import guide

    lines = ["abrank guide TOPIC shows a page; a measure, a test or a caution is a topic, too."]
    for heading, topics in guide.CONTENTS.items():
        lines += ["", heading]
        for topic in topics:
            title = topic.capitalize() if topic in guide.MADE else guide.read_page(topic).title
            lines.append(f"  {topic:{TOPIC}}{title}")
    return "\n".join(lines)


def _rendered(text: str) -> str:
    """Return Markdown as a terminal shows it, with colour where that is wanted."""
    from textwrap import wrap

    from rich.console import Console, ConsoleOptions
    from rich.markdown import CodeBlock, Markdown, TableElement
    from rich.table import Table
    from rich.text import Text

    class Code(CodeBlock):
        """A block as wide as the page, so that what the program prints is not wrapped."""

        def __rich_console__(self, _: Console, at: ConsoleOptions) -> Iterator[Text]:
            # A command that is copied runs, over however many lines it goes.
            lines = str(self.text).rstrip().splitlines()
            code = "\n".join(
                " \\\n".join(
                    wrap(
                        line,
                        at.max_width - 2,
                        subsequent_indent="    ",
                        break_long_words=False,
                        break_on_hyphens=False,
                    )
                )
                if line.startswith("$ ") and len(line) > at.max_width
                else line
                for line in lines
            )
            yield Text(code, style="markdown.code_block", overflow="fold")

    class WholeTable(TableElement):
        """A table that cuts no word: columns of single words are as wide as these, others wrap."""

        def __rich_console__(self, console: Console, at: ConsoleOptions) -> Iterator[Table]:
            for table in super().__rich_console__(console, at):
                assert isinstance(table, Table)
                for column in table.columns:
                    cells = list(map(str, column.cells))
                    column.overflow = "fold"
                    column.no_wrap = all(" " not in cell and len(cell) <= 30 for cell in cells)
                yield table

    class GuideMarkdown(Markdown):
        elements: ClassVar = {
            **Markdown.elements, "fence": Code, "code_block": Code, "table_open": WholeTable,
        }  # fmt: skip

    colored = _terminal.wants_color(sys.stdout)
    title, _, body = text.partition("\n")
    body = _LINK.sub(lambda result: f"{result[1]} (`abrank guide {result[2]}`)", body)
    console = Console(
        file=io.StringIO(),
        width=_terminal.width(),
        force_terminal=colored,
        color_system="standard" if colored else None,
        legacy_windows=False,
    )
    with console.capture() as capture:
        console.print(title.removeprefix("# "), style="bold", markup=False)
        console.print(GuideMarkdown(body, hyperlinks=False))
    return "\n".join(line.rstrip() for line in capture.get().splitlines())
