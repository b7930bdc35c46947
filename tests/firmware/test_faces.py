"""What the device's screen shows, pixel by pixel, against the pictures that were looked at."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from support import cpp_build

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import render_faces

RENEW = "python scripts/render_faces.py build/firmware/checked/lobug_face"


@pytest.fixture(scope="module")
def rendered() -> dict[str, Image.Image]:
    return render_faces.render(renderer("checked"))


def renderer(configuration: str) -> Path:
    return cpp_build.build(configuration, "lobug_face") / "lobug_face"


def differing(pictures: dict[str, Image.Image]) -> list[str]:
    """Scenes that are not as they were, a pixel being enough."""
    wrong = []
    for name, picture in sorted(pictures.items()):
        golden = render_faces.GOLDEN / f"{name}.png"
        if not golden.is_file():
            wrong.append(f"{name}: has no golden picture")
            continue
        with Image.open(golden) as before:
            box = ImageChops.difference(before.convert("RGB"), picture).getbbox()
        if box is not None:
            wrong.append(f"{name}: differs within {box}")
    return wrong


def test_every_screen_is_as_it_was_looked_at(rendered: dict[str, Image.Image]) -> None:
    wrong = differing(rendered)
    assert not wrong, "\n".join([*wrong, f"If that is how it should be: {RENEW}"])


def test_every_golden_picture_has_its_scene(rendered: dict[str, Image.Image]) -> None:
    golden = {path.stem for path in render_faces.GOLDEN.glob("*.png")}
    assert golden == set(rendered)
    assert sum(name.startswith("emotion-") for name in golden) == 21


def test_one_changed_pixel_is_noticed(rendered: dict[str, Image.Image]) -> None:
    picture = rendered["settings"].copy()
    # An RGB picture's pixel is a tuple; Pillow's types leave that open.
    red, green, blue = picture.getpixel((319, 239))  # type: ignore[misc]
    picture.putpixel((319, 239), (red ^ 1, green, blue))
    assert differing({"settings": picture}) == ["settings: differs within (319, 239, 320, 240)"]


def test_with_32_bits_it_draws_the_same() -> None:
    assert not differing(render_faces.render(renderer("m32")))


def test_another_compiler_draws_the_same() -> None:
    assert not differing(render_faces.render(renderer("host")))


def test_the_docs_show_the_same(rendered: dict[str, Image.Image]) -> None:
    with Image.open(render_faces.SHEET) as sheet:
        fresh = render_faces.contact_sheet(rendered)
        assert sheet.size == fresh.size
        # Names are drawn with a font of the machine's; the pictures are ours.
        first = (render_faces.GAP, render_faces.GAP, render_faces.GAP + 160, render_faces.GAP + 120)
        difference = ImageChops.difference(sheet.convert("RGB").crop(first), fresh.crop(first))
        assert difference.getbbox() is None
