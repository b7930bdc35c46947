"""Render what the device's screen shows: golden pictures for the tests, a sheet for the docs.

`python scripts/render_faces.py RENDERER` takes the host build's `lobug_face` and writes
firmware/tests/golden/*.png and docs/faces.png. Look at what changed before you commit it.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw

from lobug.devices import messages
from lobug.devices.caption_font import caption_font

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "firmware" / "tests" / "golden"
SHEET = ROOT / "docs" / "faces.png"

COLUMNS = 6
GAP, LABEL = 8, 16
"""Pixels between pictures, and for the name below each."""


SCENES = ROOT / "firmware" / "host" / "face" / "main.cpp"


def pushed_glyphs() -> str:
    """The messages with which a server sends the pictures of the scenes' characters, one for each
    line of a scene."""
    lines = SCENES.read_text(encoding="utf-8").splitlines()
    pictures = (caption_font().glyphs(line) for line in lines)
    return "".join(messages.glyphs("4f0c2a9e", each) + "\n" for each in pictures if each)


def render(renderer: Path) -> dict[str, Image.Image]:
    """Every scene by name: 320 x 240 RGB."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "glyphs.jsonl").write_text(pushed_glyphs(), encoding="utf-8")
        subprocess.run([renderer, folder], check=True)
        return {path.stem: Image.open(path).convert("RGB") for path in Path(folder).glob("*.ppm")}


def contact_sheet(pictures: dict[str, Image.Image]) -> Image.Image:
    """All scenes on one picture at half their size, named; feelings come last."""
    names = sorted(pictures, key=lambda name: (name.startswith("emotion-"), name))
    width, height = 160 + GAP, 120 + LABEL + GAP
    rows = -(-len(names) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * width + GAP, rows * height + GAP), "white")
    draw = ImageDraw.Draw(sheet)
    for index, name in enumerate(names):
        x, y = GAP + index % COLUMNS * width, GAP + index // COLUMNS * height
        sheet.paste(pictures[name].resize((160, 120), Image.Resampling.LANCZOS), (x, y))
        draw.text((x + 2, y + 122), name.removeprefix("emotion-"), fill="black")
    return sheet


def main() -> None:
    """Write the golden pictures and the sheet anew."""
    parser = argparse.ArgumentParser(description="Render what the device's screen shows.")
    parser.add_argument("renderer", type=Path, help="lobug_face of a host build")
    pictures = render(parser.parse_args().renderer)
    GOLDEN.mkdir(exist_ok=True)
    for old in GOLDEN.glob("*.png"):
        if old.stem not in pictures:
            old.unlink()
    for name, picture in pictures.items():
        picture.save(GOLDEN / f"{name}.png", optimize=True)
    contact_sheet(pictures).save(SHEET, optimize=True)
    print(f"{len(pictures)} pictures written to {GOLDEN} and {SHEET}")


if __name__ == "__main__":
    main()
