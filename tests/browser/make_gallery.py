"""Make ``reports/gallery``: pictures of four verdicts on the demo's data.

``python tests/browser/make_gallery.py`` needs playwright and an installed Chromium, and takes the
first screen of each report in light and in dark. The reports themselves are not kept.
"""

import os
import shutil
import tempfile
from pathlib import Path

import abrank
from abrank import Comparison, read_run
from abrank.cli.demo import EFFECT, MARGIN, MEASURES, N_QUERIES, SEED

FOLDER = Path(__file__).parents[2] / "reports" / "gallery"
EVERY = 6  # of the demo's queries, one in so many is left where too few are to be shown
WIDTH, HEIGHT = 1280, 900


def comparisons() -> dict[str, Comparison]:
    """Return the comparisons by the names of their files."""
    collection = abrank.simulate_runs(N_QUERIES, effect=EFFECT, rng=SEED)
    old, new = read_run(collection.baseline, name="old"), read_run(collection.candidate, name="new")
    query_ids = collection.qrels.query_ids[::EVERY]
    frames = [item.frame() for item in (collection.qrels, old, new)]
    few = [frame[frame["query_id"].isin(query_ids)] for frame in frames]
    options = {"measures": MEASURES, "margin": MARGIN, "topics": collection.topics, "rng": SEED}
    by_intent = {"segments": {"intent": collection.intents}}
    return {
        "better": abrank.compare(collection.qrels, old, new, **options, **by_intent),
        "worse": abrank.compare(collection.qrels, new, old, **options, **by_intent),
        "inconclusive": abrank.compare(*few, name_a="old", name_b="new", **options),
        "identical": abrank.compare(collection.qrels, old, old, name_b="old again", **options),
    }


def main() -> None:
    """Write the reports into a folder of their own, and take the pictures."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", "1795219200")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        pages = [
            comparison.report(Path(folder) / f"{name}.html")
            for name, comparison in comparisons().items()
        ]
        take_pictures(pages)


def take_pictures(pages) -> None:
    """Take the first screen of every report in both themes."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for path in pages:
            for theme in ("light", "dark"):
                page = browser.new_page(
                    viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=theme
                )
                page.goto(path.as_uri())
                page.screenshot(path=FOLDER / f"{path.stem}-{theme}.png")
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
