"""A browser for the report's pages; every test here is skipped where there is none."""

import re
import shutil
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from abrank import Comparison, compare, simulate_runs
from tests.report.written import html

MEASURES = ["nDCG@10", "AP", "RR", "P@10"]

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # no page reaches the network, whatever it asks for
)


# After so many milliseconds a page is taken to hang; a test that passes never waits for them.
PATIENCE = 120_000


@dataclass(frozen=True)
class Opened:
    """A page in the browser, with what it asked for and what it said."""

    page: Any
    requests: list[str]
    messages: list[str]

    def resize(self, width: int, height: int = 900) -> None:
        """Give the window another size, and wait until the page has it."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_function("width => innerWidth === width", arg=width)


@pytest.fixture(scope="session")
def browser():
    """An installed Chromium, driven by playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra browser")
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next((which for name in names if (which := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Chromium on the path: the report is not opened in a browser")
    with playwright.sync_playwright() as driver:
        playwright.expect.set_options(timeout=PATIENCE)
        started = driver.chromium.launch(
            executable_path=program, args=list(ARGUMENTS), timeout=PATIENCE
        )
        yield started
        started.close()


def scores(n: int, shift: float, ids: list[str] | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return seeded scores of two systems, with ties and clipped at 0 and 1."""
    random = np.random.default_rng(7)
    index = pd.Index(ids or [str(301 + i) for i in range(n)])
    a = pd.DataFrame(random.beta(1.6, 2.2, (n, 4)), index=index, columns=MEASURES)
    moved = np.where(random.random((n, 1)) < 0.1, 0.0, random.normal(shift, 0.16, (n, 4)))
    return a, (a + moved).clip(0, 1)


@pytest.fixture(scope="session")
def better() -> Comparison:
    """Two simulated runs, B better, with texts and segments, from files with long names."""
    collection = simulate_runs(120, effect=0.3, rng=1)
    options: dict[str, Any] = {"measures": MEASURES, "margin": 0.01, "require": "better"}
    comparison = compare(
        collection.qrels, collection.baseline, collection.candidate, topics=collection.topics,
        segments={"intent": collection.intents}, name_a="bm25", name_b="monot5", resamples=999,
        **options,
    )  # fmt: skip
    source = {"path": "a/long/way/to/the/folder/with/the/run.txt", "sha256": "0f" * 32, "rows": 9}
    inputs = dict.fromkeys(("qrels", "a", "b"), source)
    names = {"command": "abrank compare " + "x" * 300, "inputs": inputs}
    return replace(comparison, provenance=names)


@pytest.fixture(scope="session")
def text(better: Comparison) -> str:
    """The report on it."""
    return html(better)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory):
    """Where the pages of this session lie."""
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="session")
def tab(browser: Any) -> Any:
    """One tab for all pages without settings of their own: to make one takes most of a test."""
    return new_page(browser)


def new_page(browser: Any, **settings: Any) -> Any:
    """Open a tab in a fresh browser context; its pages scroll without motion."""
    context = browser.new_context(**{"reduced_motion": "reduce", **settings})
    context.set_default_timeout(PATIENCE)
    return context.new_page()


def clean(tab: Any) -> None:
    """Leave nothing of a test in a tab: no session, medium or place of the mouse."""
    if tab.url.startswith("file:"):
        tab.evaluate("sessionStorage.clear()")
    tab.emulate_media(media="null", color_scheme="light", reduced_motion="reduce")
    tab.goto("about:blank")
    tab.mouse.move(0, 0)


@pytest.fixture
def show(browser, tab, folder):
    """Open a text as a file of its own, with settings or ``fresh`` in a browser context of its own.

    The other pages of the session follow each other in one tab, which is cleaned between them.
    """
    contexts, listening = [], []

    def opened(text, *, width=1280, height=900, fresh=False, **how) -> Opened:
        path = folder / f"page{len(list(folder.iterdir()))}.html"
        path.write_text(text, encoding="utf-8")
        page = new_page(browser, **how) if fresh or how else tab
        if page is tab:
            clean(tab)
        else:
            contexts.append(page.context)
        page.set_viewport_size({"width": width, "height": height})
        opened = Opened(page, [], [])
        listeners = {
            "request": lambda request: opened.requests.append(request.url),
            "console": lambda message: opened.messages.append(message.text),
            "pageerror": lambda error: opened.messages.append(str(error)),
        }
        for event, listener in listeners.items():
            page.on(event, listener)
            listening.append((page, event, listener))
        page.goto(path.as_uri())
        if how.get("java_script_enabled", True):
            # Everything is open, as on paper; the rows of the queries travel packed.
            page.evaluate(
                "document.querySelectorAll('.lines > details').forEach(e => e.open = true)"
            )
            if "unsafe-inline" in text and 'id="query-data"' in text:
                page.wait_for_selector("#query-table[data-ready]", state="attached")
        return opened

    yield opened
    for page, event, listener in listening:
        page.remove_listener(event, listener)
    for context in contexts:
        context.close()


def set_by_dark(text: str) -> dict[str, str]:
    """Return what a page sets in dark and not in light, beside variables that are colours."""
    matches = re.findall(r"prefers-color-scheme: dark\) \{\s*:root[^{}]*\{([^{}]*)\}\s*\}", text)
    assert len(matches) == text.count("prefers-color-scheme") == 1
    declared = (part.partition(":") for part in matches[0].split(";") if part.strip())
    texts = {name.strip(): value.strip() for name, _, value in declared}
    colour = re.compile(r"#[0-9a-f]{6}")
    return {
        name: value
        for name, value in texts.items()
        if not (name.startswith("--") and colour.fullmatch(value))
    }


@pytest.fixture(scope="session")
def check_accessibility():
    """Assert that axe finds nothing in a page that keeps somebody from reading it, light or dark.

    Dark is the light page with other colours and nothing else, so that of axe's rules those that
    look at colours are tried on it, and in light every rule.
    """
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="needs the extra browser"
    )
    of_colour = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}

    def checked(page: Any) -> None:
        assert set_by_dark(page.content()) == {"color-scheme": "dark"}
        for scheme, rules in (("dark", {"runOnly": of_colour}), ("light", {})):
            page.emulate_media(color_scheme=scheme)
            # What passes is not listed node by node, which took half of the time.
            completed = axe.Axe().run(page, options={"resultTypes": ["violations"], **rules})
            assert completed.violations_count == 0, (scheme, completed.generate_report())

    return checked
