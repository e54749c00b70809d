"""What ``--help`` says: the flags that most need; ``--help-all`` every flag, in groups."""

from collections import Counter

import click
import pytest

from abrank.cli import COMMANDS, cli, run
from abrank.cli._flags import ALL, Flag, Grouped
from abrank.options.values import COMMANDS as TAKERS
from abrank.options.values import HEADINGS, options_of

FIRST = [
    "-m", "--margin", "--require", "--fail-on", "--guard", "--report", "--scores", "--variant",
    "--baseline", "--candidate", "--preferences", "--collections", "--segments", "--clusters",
    "--topics", "--docs", "--lower-is-better", "--config", "--format", "--seed",
]  # fmt: skip


def commands():
    """Every command and what stands below it, by the words that call it."""
    top = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(top, name)
        assert command is not None
        yield name, command
        for below, result in getattr(command, "commands", {}).items():
            yield f"{name} {below}", result


EVERY = dict(commands())
GROUPED = [name for name, command in EVERY.items() if isinstance(command, Grouped)]


def flags(name: str) -> list[click.Option]:
    return [param for param in EVERY[name].params if isinstance(param, click.Option)]


def shown(capsys: pytest.CaptureFixture[str], name: str, flag: str) -> list[str]:
    assert run([name, flag]) == 0
    lines = capsys.readouterr().out.splitlines()
    return [line.split()[0].rstrip(",") for line in lines if line.startswith("  -")]


@pytest.mark.parametrize("name", EVERY)
def test_every_flag_is_told_in_a_sentence(name: str) -> None:
    for flag in flags(name):
        text = flag.help or ""
        assert len(text.split()) >= 3, flag.opts
        assert text.endswith("."), flag.opts


@pytest.mark.parametrize("name", EVERY)
def test_many_flags_stand_in_groups(name: str) -> None:
    assert (name in GROUPED) is (len(flags(name)) > 12)


@pytest.mark.parametrize("name", GROUPED)
def test_every_flag_stands_once_under_a_heading(name: str, capsys) -> None:
    begins = Counter(shown(capsys, name, ALL))
    for flag in flags(name):
        assert isinstance(flag, Flag)
        assert flag.group in HEADINGS
        assert begins[flag.opts[0]] == 1, flag.opts
    assert begins["-h"] == begins[ALL] == 1


@pytest.mark.parametrize("name", GROUPED)
def test_help_shows_some_of_the_flags_and_how_to_see_all(name: str, command) -> None:
    head, options, lines = command([name, "--help"]).out.partition("Options:\n")
    assert options
    assert ALL in lines
    if name == "compare":
        assert all(line.startswith("  -") for line in lines.splitlines()), lines
    assert len((head + lines).splitlines()) < 64


def test_compare_has_few_flags_and_help_shows_those_that_most_need(capsys) -> None:
    assert len(flags("compare")) <= 40
    assert set(shown(capsys, "compare", "--help")) == {*FIRST, "-h", ALL}


def test_keys_that_are_no_flags_stand_below_them(command) -> None:
    below = command(["compare", ALL]).out.partition("keys of --config")[2]
    for option in options_of(*TAKERS["compare"]).values():
        if option.group and not option.is_flag(*TAKERS["compare"]):
            assert f"  {option.key} " in below


def test_a_flag_that_is_a_key_can_be_set_by_config(command) -> None:
    assert "Did you mean '--config depth=...'?" in command(["compare", "--depth", "5"], 2).err


@pytest.mark.parametrize(
    ("flag", "ours"),
    [
        ("--metric", "--measure"), ("--metrics", "--measure"), ("--threshold", "--margin"),
        ("--scheduler", "--engine"),
        ("--machine-judge", "--config machine.judge=..."), ("--spending", "--look"),
        ("--correction", "--config adjust=..."), ("--score-dtype", "--config score_dtype=..."),
    ],
)  # fmt: skip
def test_names_of_others_find_ours(flag, ours, command) -> None:
    assert f"Did you mean '{ours}'?" in command(["compare", flag, "x"], 2).err
