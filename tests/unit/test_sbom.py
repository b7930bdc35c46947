"""The bill of materials names everything that is installed or fetched, with its licence."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from lobug.models.catalog import CATALOG

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import sbom

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.txt").read_text(encoding="utf-8")


@functools.cache
def whole() -> Bom:
    return sbom.bill(LOCK, CATALOG.values())


def components() -> Iterator[Component]:
    for component in whole().components:
        yield component
        yield from component.components


def obliging(component: Component) -> bool:
    """Whether a component can be had under no licence but the GPL or the AGPL (that of GCC's own
    libraries has an exception for programs that use them)."""
    (said,) = sbom.expression(component)
    return any(
        all(re.match(r"\(?A?GPL-", choice) for choice in part.split(" OR "))
        for part in said.split(" AND ")
        if "GCC-exception" not in part
    )


def test_the_bill_is_valid_cyclonedx() -> None:
    text = JsonV1Dot6(whole()).output_as_string()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None


def test_the_bill_names_every_package_of_the_lock_with_a_licence() -> None:
    pinned = set(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", LOCK, re.MULTILINE))
    assert len(pinned) > 50
    packages = {(c.name, c.version): c for c in whole().components if c.purl is not None}
    assert set(packages) == pinned
    assert all(len(component.licenses) == 1 for component in packages.values())


def test_no_package_obliges_to_the_gpl_but_for_the_video_encoders_inside_av() -> None:
    """They come with PyAV's wheels; NOTICE says so."""
    licensed = [component for component in components() if component.licenses]
    assert {c.name for c in licensed if obliging(c)} <= {"x264", "x265"}
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert "x264 and x265 (GPL-2.0-or-later)" in notice


def test_every_library_that_obliges_to_more_than_a_notice_is_in_the_notice() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    packages = [c for c in whole().components if c.purl is not None]
    strict = {c.name for c in packages if any("GPL" in said for said in sbom.expression(c))}
    assert strict == {"soxr", "zeroconf"}
    assert all(f"\n{name}\n  Licence: LGPL-2.1-or-later\n" in notice for name in strict)


def test_the_bill_names_every_model_with_the_hash_of_each_file() -> None:
    models = {c.name: c for c in whole().components if c.type.value == "machine-learning-model"}
    assert set(models) == set(CATALOG)
    for name, model in CATALOG.items():
        assert sbom.expression(models[name]) == [model.licence]
        hashes = {h.content for part in models[name].components for h in part.hashes}
        assert hashes == {file.sha256 for file in model.files}


def test_the_bill_says_what_needs_what() -> None:
    needs = {
        str(one.ref.value): {str(needed.ref.value) for needed in one.dependencies}
        for one in whole().dependencies
    }
    assert "model:silero-vad" in needs["lobug"]
    assert any(ref.startswith("pkg:pypi/faster-whisper@") for ref in needs["lobug"])
    assert not any(ref.startswith("pkg:pypi/ctranslate2@") for ref in needs["lobug"])
    (whisper,) = (ref for ref in needs if ref.startswith("pkg:pypi/faster-whisper@"))
    assert any(ref.startswith("pkg:pypi/onnxruntime@") for ref in needs[whisper])


def test_the_page_lists_every_licence() -> None:
    page = sbom.licences(whole())
    rows = [line for line in page.splitlines() if line.startswith("| ")][2:]
    assert len(rows) == sum(bool(component.licenses) for component in components())
    assert "| x264 |  | GPL-2.0-or-later | av |" in rows or "x264" not in page


@pytest.mark.parametrize("words", ["", "Free for good people", "see LICENSE", "GPL-99.0"])
def test_a_licence_that_nobody_knows_is_an_error(words: str) -> None:
    with pytest.raises(sbom.UnknownLicenceError, match="somepackage"):
        sbom.normalized("somepackage", words)


def test_a_package_that_is_not_installed_has_to_be_looked_up() -> None:
    with pytest.raises(sbom.UnknownLicenceError, match="no-such-package"):
        sbom.bill("no-such-package==1.0 \\\n    --hash=sha256:00\n    # via lobug\n", ())
