"""What ``--help`` says: a sentence for each flag, and many flags in groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

import click
import pytest

from abrank.cli import COMMANDS, cli
from abrank.cli._help import GROUPS, Grouped


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command and what stands below it, by the words that call it."""
    top = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(top, name)
        assert command is not None
        yield name, command
        for below, found in getattr(command, "commands", {}).items():
            yield f"{name} {below}", found


ALL = dict(commands())
GROUPED = [name for name, command in ALL.items() if isinstance(command, Grouped)]


def flags(name: str) -> list[click.Option]:
    return [each for each in ALL[name].params if isinstance(each, click.Option)]


@pytest.mark.parametrize("name", ALL)
def test_every_flag_is_told_in_a_sentence(name: str) -> None:
    for flag in flags(name):
        said = flag.help or ""
        assert len(said.split()) >= 3, flag.opts
        assert said.endswith("."), flag.opts


@pytest.mark.parametrize("name", ALL)
def test_many_flags_stand_in_groups(name: str) -> None:
    assert (name in GROUPED) is (len(flags(name)) > 12)


@pytest.mark.parametrize("name", GROUPED)
def test_every_flag_stands_once_under_a_heading(name: str) -> None:
    parent = click.Context(cli, help_option_names=["-h", "--help"])
    shown = ALL[name].get_help(click.Context(ALL[name], info_name=name, parent=parent))
    begins = Counter(
        line.split()[0].rstrip(",") for line in shown.splitlines() if line.startswith("  -")
    )
    for flag in flags(name):
        known = chain.from_iterable(GROUPS.values())
        assert flag.name in known, f"enter {flag.name!r} in GROUPS of abrank/cli/_help.py"
        assert begins[flag.opts[0]] == 1, flag.opts
    assert begins["-h"] == 1
    assert "Options:" not in shown


def test_no_heading_names_a_flag_that_no_command_has() -> None:
    named = Counter(chain.from_iterable(GROUPS.values()))
    known = {flag.name for name in GROUPED for flag in flags(name)}
    assert set(named) == known
    assert max(named.values()) == 1
