"""A report on hostile files, written by the command line, in a real browser: nothing runs."""

from pathlib import Path

import pytest

from abrank.cli import run

expect = pytest.importorskip("playwright.sync_api", reason="needs the extra browser").expect


@pytest.fixture(scope="module")
def written(hostile_files: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page, as the command wrote it."""
    command = ["compare", "qrels", "a.run", "b.run", "-m", "nDCG@5", "-m", "AP", "-q"]
    context = ["--topics", "topics.jsonl", "--segments", "segments.csv", "--docs", "docs.jsonl"]
    names = [
        "--baseline", "<script>alert(8)</script>", "--candidate", "\u202e\"'><b onclick=alert(9)>",
    ]  # fmt: skip
    target = tmp_path_factory.mktemp("hostile_report") / "out.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(hostile_files)
        assert run([*command, *context, *names, "--report", str(target)]) == 0
    return target.read_text("utf-8")


@pytest.mark.slow
def test_nothing_runs_and_nothing_breaks(show, written) -> None:
    opened = show(written, width=360, fresh=True)  # what is added to the tab stays in it
    page = opened.page
    page.add_init_script("window.alert = (said) => { console.log(`ran ${said}`); };")
    page.reload()
    for i in range(10):
        page.locator(".opener").nth(i).click()
        expect(page.locator(".opener").nth(i)).to_have_attribute("aria-expanded", "true")
        expect(page.locator(".ranking li .title").first).to_contain_text("</li><img src=x>")
    page.locator("[data-segment]").select_option(index=1)
    page.locator("#query-search").fill("<script>")
    page.locator("#query-search").fill("")
    page.locator("[data-segment]").select_option(index=0)
    with page.expect_download() as download:
        page.locator("#query-csv").click()
    assert Path(download.value.path()).stat().st_size > 1000
    assert opened.messages == []
    # The page itself, whose address names the query that was opened, and the download's file.
    there, _, opened_query = page.url.partition("#")
    assert {url for url in opened.requests if not url.startswith("blob:")} == {there}
    assert opened_query.startswith("query=")
    assert page.locator("script").count() == 2
    assert page.locator("img, iframe, object, b[onclick], a[href^=javascript]").count() == 0
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for width in (360, 1280):
        opened.resize(width)
        assert page.evaluate(wide) <= 0
    assert page.locator("footer").count() == 1
