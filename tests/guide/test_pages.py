"""What the guide and README show is run: commands with their output, Python, files."""

import doctest
import io
import itertools
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

import abrank
from abrank import plots
from abrank.cli import COMMANDS, cli, run
from abrank.guide import CONTENTS, MADE, GuidePage, catalogue, find_page, read_page
from abrank.guide.site import to_html
from tests.guide.desk import lay

ROOT = Path(__file__).parents[2]
README = GuidePage("README", (ROOT / "README.md").read_text("utf-8"))
WRITTEN = [t for topics in CONTENTS.values() for t in topics if t not in MADE]
PAGES = [README, *(read_page(topic) for topic in WRITTEN)]
FENCE = re.compile(r"^```(\w*) ?([^\n]*)\n(.*?)^```$", re.M | re.S)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Block(NamedTuple):
    language: str
    about: str
    text: str


def blocks(page: GuidePage) -> list[Block]:
    return [Block(*match) for match in FENCE.findall(page.text)]


def commands(text: str):
    """Yield each command of a block, and the lines that it is shown to print."""
    for part in re.split(r"^\$ ", text.replace("\\\n", ""), flags=re.M)[1:]:
        command, *visible = part.rstrip("\n").split("\n")
        yield command, [line for line in visible if line.strip()]


@pytest.fixture(scope="module")
def laid(tmp_path_factory, no_drawer) -> Path:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plots, "svg", no_drawer)
        return lay(tmp_path_factory.mktemp("laid"))


@pytest.fixture
def desk(laid, tmp_path, monkeypatch) -> Path:
    """A folder with a reader's files, of which a page may write others."""
    for path in laid.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(command: str) -> None:
    """Run a command of abrank as a shell would; its outcome is what the page says."""
    words, _, wanted = command.partition("  # exit ")
    program, *arguments = shlex.split(words)
    assert program == "abrank", command
    target = arguments.pop() if ">" in arguments else None
    assert target is None or arguments.pop() == ">"
    arguments = [
        item
        for argument in arguments
        for item in (sorted(map(str, Path().glob(argument))) if "*" in argument else [argument])
    ]
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(arguments)
    out.seek(0)
    printed = out.read()
    assert code == int(wanted or 0), f"{command}\n{printed}{err.getvalue()}"
    assert "error: " not in err.getvalue()
    assert printed
    if target:
        Path(target).write_text(printed, encoding="utf-8")
    for written in re.findall(r"(?:--report|--pool) (?:[a-z]+:)?(\S+\.\S+)", words):
        assert Path(written).stat().st_size > 0
    return printed + err.getvalue()


# Every day what a newcomer runs, and two pages of quick calls of Python; all others by night.
EVERY_DAY = ("README", "disagree", "python")


@pytest.mark.every_case
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.topic, marks=() if page.topic in EVERY_DAY else pytest.mark.slow)
        for page in PAGES
    ],
)
@pytest.mark.usefixtures("own_catalogue", "nothing_drawn")
def test_what_a_page_shows_is_so(page, desk) -> None:
    names: dict[str, Any] = {}
    for block in blocks(page):
        if block.about == "notrun":
            continue
        if block.about:
            path = desk / block.about
            path.unlink(missing_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for command, visible in commands(block.text):
                printed = " ".join(call(command).split())
                for line in visible:
                    pieces = [" ".join(piece.split()) for piece in line.split("…")]
                    match = re.search(".*?".join(map(re.escape, pieces)), printed)
                    assert match, f"{command}\nprints no {line!r}:\n{printed}"
        elif block.language == "python":
            python(block.text, names, page.topic)


def python(text: str, names: dict[str, Any], where: str) -> None:
    if ">>>" not in text:
        exec(compile(text, where, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(text, names, where, where, 0)
    runner, string_i_o = doctest.DocTestRunner(optionflags=FLAGS), io.StringIO()
    runner.run(test, out=string_i_o.write, clear_globs=False)
    names |= test.globs
    assert runner.failures == 0, string_i_o.getvalue()


def test_only_what_needs_more_than_this_is_not_run() -> None:
    left = {page.topic: b.text for page in PAGES for b in blocks(page) if b.about == "notrun"}
    assert left.keys() <= {"spark"}
    shells = {b.text for page in PAGES for b in blocks(page) if b.language == "sh"}
    assert all(
        line.startswith(("pip ", "abrank compare")) for text in shells for line in text.splitlines()
    )


@pytest.mark.parametrize("name", catalogue.names())
def test_what_the_catalogue_works_is_so(name: str) -> None:
    page = catalogue.entry(name)
    assert page is not None
    names: dict[str, Any] = {}
    for block in blocks(page):
        python(block.text, names, page.topic)


def test_every_page_of_a_topic_and_no_other_is_there() -> None:
    assert {path.stem for path in (ROOT / "abrank" / "guide").glob("*.md")} == set(WRITTEN)
    topics = [*itertools.chain(*CONTENTS.values()), *catalogue.names()]
    # Some file systems know no case.
    assert len({topic.casefold() for topic in topics}) == len(topics)


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.topic)
def test_a_page_is_two_screens_at_most(page) -> None:
    lines = page.text.splitlines()
    assert lines[0].startswith("# ")
    assert len(lines) <= 90
    assert all(len(line) <= 120 for line in lines if not line.startswith(("|", "`", ">")))


def test_every_topic_that_is_named_is_there() -> None:
    """Those that pages of the catalogue name are links of the site, which the night follows."""
    named: dict[str, str] = {}
    for page in (*PAGES, *(read_page(topic) for topic in MADE)):
        links = re.findall(r"\]\(([\w-]+)\.md", page.text)
        commands = set(re.findall(r"`abrank guide ([\w-]+)`", page.text)) - {"TOPIC"}
        named |= dict.fromkeys((*links, *commands), page.topic)
    assert len(named) > 100
    pages = {*WRITTEN, *MADE, *catalogue.names()}
    for topic in named.keys() - pages:  # another spelling
        assert find_page(topic).text, named[topic]


def test_the_migration_table_names_only_flags_that_there_are(capsys) -> None:
    rows = [line for line in read_page("migrate").text.splitlines() if line.startswith("| ")]
    flags = set(re.findall(r"--[a-z-]+", " ".join(row.rsplit("|", 2)[1] for row in rows)))
    assert len(flags) >= 6
    text = ""
    for command in ("compare", "score", "power"):
        assert run([command, "--help-all"]) == 0
        text += capsys.readouterr().out
    assert {flag for flag in flags if flag not in text} == set()


def test_every_command_stands_in_the_commands_page() -> None:
    text = read_page("commands").text + read_page("start").text
    assert [name for name in COMMANDS if f"abrank {name}" not in text] == []


def test_every_flag_that_is_named_is_one() -> None:
    top = click.Context(cli)
    commands = [cli.get_command(top, name) for name in COMMANDS]
    commands += [item for command in commands for item in getattr(command, "commands", {}).values()]
    names = {flag for command in commands for option in command.params for flag in option.opts} | {
        "--help"
    }
    of_others = {"--min-delta", "--cluster", "--check"}  # evalsig's, ruff's
    for page in PAGES:
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page.text))
        assert named - names - of_others == set(), page.topic


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.topic)
def test_every_name_of_python_that_is_told_is_there(page) -> None:
    for name in re.findall(r"\babrank\.(\w+)(?=\()", page.text):
        assert hasattr(abrank, name), name
    for name in re.findall(r"\bresult\.(\w+)", page.text):
        assert hasattr(abrank.Comparison, name) or name in abrank.Comparison.__annotations__, name


def test_cells_of_a_table_of_sentences_know_their_heading_for_a_telephone() -> None:
    sentence = "What is too long for a column of a telephone"
    html = to_html(f"| flag | what it does |\n|---|---|\n| `-m` | {sentence} |")
    assert '<table class="rows" role="table">' in html
    assert f'<td data-label="what it does" role="cell">{sentence}</td>' in html
    assert html.count('role="columnheader"') == html.count('role="cell"') == 2
    assert "data-label" not in to_html("| rank | 1 |\n|---|---|\n| score | 5 |")
