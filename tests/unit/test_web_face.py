"""The face on the page Talk is the device's: the numbers of both are read from their sources."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).parents[2]
FIRMWARE = PROJECT / "firmware" / "lib" / "core" / "src" / "lobug" / "face"
PAGE = (PROJECT / "server/lobug/web/app/pages/talk/face.js").read_text(encoding="utf-8")

DEVICE_LOOKS = {"trouble", "busy"}
"""Looks of a device that has no Wi-Fi or is being updated, which a page never has."""
DEVICE_TIMES = {"longestStep", "tilt", "still", "blink"}
"""Of being tilted, of saving frames, and a sum of others."""

Row = tuple[list[int], str]
"""The numbers of a feeling, and what comes with it; empty: nothing."""


def firmware(name: str) -> str:
    return (FIRMWARE / name).read_text(encoding="utf-8")


def only(pattern: str, text: str) -> str:
    """The one thing that the pattern finds."""
    (found,) = re.findall(pattern, text, re.DOTALL)
    return str(found)


def lower_first(name: str) -> str:
    return name[:1].lower() + name[1:]


def enumerated(name: str, text: str) -> list[str]:
    """The names of an enumeration, without their k."""
    body = re.sub("//.*", "", only(rf"enum (?:class )?{name} : [^{{]*\{{(.*?)\}}", text))
    return [lower_first(one) for one in re.findall(r"\bk(\w+)", body)]


def device_rows() -> dict[str, Row]:
    """The firmware's table, by the names of its enumerations."""
    table = only(r"kTable\[.*?\] = \{\n(.*?)\n\};", firmware("expression.cpp"))
    rows = re.findall(r"^ *\{\{\{([-\d, ]+)\}\}, Prop::k(\w+)\},", table, re.MULTILINE)
    assert len(rows) == table.count("Prop::")
    names = re.findall(r'"(\w+)"', firmware("emotion.cpp"))
    names += enumerated("Look", firmware("expression.h"))
    return {
        name: ([int(one) for one in numbers.split(",")], "" if prop == "None" else prop.lower())
        for name, (numbers, prop) in zip(names, rows, strict=True)
    }


def page_rows() -> dict[str, Row]:
    table = only(r"const EXPRESSIONS = \{\n(.*?)\n\};", PAGE)
    rows = re.findall(r'^ *(\w+): \[([-\d, ]+?)(?:, "(\w+)")?\],$', table, re.MULTILINE)
    assert len(rows) == table.count("[")
    return {name: ([int(one) for one in numbers.split(",")], prop) for name, numbers, prop in rows}


def test_every_feeling_has_the_devices_numbers() -> None:
    device, page = device_rows(), page_rows()
    assert set(device) == set(page) | DEVICE_LOOKS
    assert {name: device[name] for name in page} == page
    features = enumerated("Feature", firmware("expression.h"))
    names = re.findall(r'"(\w+)"', only(r"const NAMES = \[(.*?)\];", PAGE))
    renamed = {
        "smileEyes": "smile",
        "mouthWidth": "width",
        "mouthBend": "bend",
        "mouthOpen": "open",
        "mouthSkew": "skew",
        "mouthWave": "wave",
    }
    assert names == [renamed.get(feature, feature) for feature in features]
    drawn = set(re.findall(r"^  (\w+): \(s, size\)", PAGE, re.MULTILINE))
    assert drawn == {prop for _, prop in page.values() if prop}


def test_it_moves_at_the_devices_speed() -> None:
    device = {
        lower_first(name): int(value)
        for name, value in re.findall(
            r"constexpr (?:int|Millis|std::uint32_t) k(\w+?)(?:Ms)? = (\d+);", firmware("face.cpp")
        )
    }
    page = {
        name: int(value)
        for name, value in re.findall(r"(\w+): (\d+),", only(r"const MS = \{(.*?)\};", PAGE))
    }
    assert len(page) > 10
    assert page == {name: ms for name, ms in device.items() if name not in DEVICE_TIMES}


def test_it_has_the_devices_colours_and_places() -> None:
    sources = firmware("palette.h") + firmware("draw_prop.cpp")
    colours = {
        lower_first(name): f"#{int(red):02x}{int(green):02x}{int(blue):02x}"
        for name, red, green, blue in re.findall(
            r"constexpr Colour k(\w+) = rgb\((\d+), (\d+), (\d+)\);", sources
        )
    }
    renamed = {"MOUTH": "mouthInside", "TONGUE": "tongueSkin", "EYE_WHITE": "eyeWhite"}
    own = dict(re.findall(r'^const ([A-Z_]+) = "(#\w{6})";', PAGE, re.MULTILINE))
    assert len(own) > 10
    assert own == {name: colours[renamed.get(name, name.lower())] for name in own}
    glow = dict(re.findall(r'(\w+): "(#\w{6})"', only(r"const GLOW = \{(.*?)\};", PAGE)))
    assert glow == {name: colours[f"glow{name.capitalize()}"] for name in glow}
    assert len(glow) == sum(name.startswith("glow") for name in colours)

    places = firmware("drawing.h") + firmware("draw_face.cpp")
    px = {
        name: int(value)
        for name, value in re.findall(r"constexpr int k(\w+) = (?:px\()?(-?\d+)\)?;", places)
    }
    eye = "{{ x: {EyeX}, y: {EyeY}, rx: {EyeRadiusX}, ry: {EyeRadiusY} }}".format(**px)
    assert f"const EYE = {eye};" in PAGE
    assert f"const MOUTH_Y = {px['MouthY']};" in PAGE
    assert f"const COLUMNS = {px['Columns']};" in PAGE
    assert f"const STEPS = {px['Steps']};" in PAGE
    head = 'cy="{HeadY}" rx="{HeadRadiusX}" ry="{HeadRadiusY}" fill=${{HEAD}}'.format(**px)
    assert head in PAGE
