"""Every page that docs/web.md lists has its pictures, small, and no others lie about."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from PIL import Image

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import web_screenshots

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "web"
MOST_BYTES = 80_000


def test_there_are_four_pictures_of_each_view_and_no_others() -> None:
    wanted = {
        f"{name}-{size}-{theme}.png"
        for name in web_screenshots.PAGES
        for size in web_screenshots.SIZES
        for theme in web_screenshots.THEMES
    }
    assert {path.name for path in FOLDER.iterdir()} == {*wanted, "readme.png"}
    assert [path.name for path in FOLDER.iterdir() if path.stat().st_size > MOST_BYTES] == []
    for path in FOLDER.glob("*-phone-*.png"):
        with Image.open(path) as picture:
            assert picture.size == web_screenshots.SIZES["phone"], path.name


def test_every_page_of_the_documentation_leads_to_its_picture() -> None:
    text = (ROOT / "docs" / "web.md").read_text(encoding="utf-8")
    table = text.partition("| page | what it is for |")[2].partition("\n\n")[0]
    titles = [cells for row in table.splitlines()[2:] for cells in row.split("|")[1].split("**,")]
    assert len(titles) >= 10
    for title in titles:
        name = re.search(r"\]\(web/([a-z-]+)-desk-light\.png\)", title)
        assert name is not None, title
        assert name[1] in web_screenshots.PAGES
    shown = re.findall(r"!\[\]\((web/[a-z-]+\.png)\)", text)
    assert shown
    assert [path for path in shown if not (ROOT / "docs" / path).is_file()] == []
