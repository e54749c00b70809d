"""What the texts of the tree link to is there; and the reference renders what is public."""

import importlib
import json
import re
from pathlib import Path

import pytest

from abrank.guide.site import PUBLIC, anchor, build_reference

ROOT = Path(__file__).parents[2]
PLACES = ("*.md", ".github/**/*.md", "reports/**/*.md", "tests/*.md")
TEXTS = sorted(path for place in PLACES for path in ROOT.glob(place)) + sorted(
    ROOT.glob("notebooks/*.ipynb")
)
LINK = re.compile(r"\]\(([^()\s]+)\)")


def text_of(path: Path) -> str:
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path) -> None:
    for target in LINK.findall(text_of(path)):
        if re.match(r"https?://|mailto:|data:", target):
            continue
        name, _, heading = target.partition("#")
        there = (path.parent / name) if name else path
        assert there.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.+)$", text_of(there), re.M)
            assert heading in map(anchor, headings), target


@pytest.mark.slow
def test_every_public_name_is_in_the_reference(tmp_path) -> None:
    pytest.importorskip("pdoc", reason="pdoc is not installed: pip install abrank[docs]")
    assert build_reference(tmp_path).exists()
    for name in PUBLIC:
        page = (tmp_path / f"{name.replace('.', '/')}.html").read_text("utf-8")
        names = getattr(importlib.import_module(name), "__all__", ())
        assert [item for item in names if f'id="{item}"' not in page] == []
        assert set(re.findall(r'(?:src|href)="(https?://[^"]*)"', page)) <= {"https://pdoc.dev"}
