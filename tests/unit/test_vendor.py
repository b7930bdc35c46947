"""The web app's libraries are the files that npm published, and the page loads just those."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from lobug.http.web.page import APP_FOLDER, VENDOR_FOLDER, page_policy

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import vendor

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("folder", vendor.FOLDERS, ids=["app", "tests"])
def test_the_files_are_those_of_the_manifest(folder: Path) -> None:
    packages = vendor.read_manifest(folder)
    assert packages
    assert vendor.differences(packages, folder) == []
    for package in packages:
        assert package["folder"].endswith(f"@{package['version']}")
        assert package["integrity"].startswith("sha512-")
        assert "LICENSE" in package["files"]


def test_the_folder_of_the_app_is_the_one_that_is_served() -> None:
    assert VENDOR_FOLDER.resolve() == vendor.FOLDERS[0].resolve()


def test_the_notice_names_each_library_with_its_version() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    for package in vendor.read_manifest(VENDOR_FOLDER):
        assert f"{package['name']} {package['version']}" in notice
        assert package["license"] in {"MIT", "Apache-2.0"}


def test_the_page_loads_files_that_exist() -> None:
    page = (APP_FOLDER / "page.html").read_text(encoding="utf-8")
    named = re.findall(r'(?:href|src)="(web/[^"]+)"(?! as="fetch")', page)
    imported = re.search(r'<script type="importmap">(.*?)</script>', page, re.DOTALL)
    assert imported is not None
    imports = json.loads(imported[1])["imports"].values()
    paths = [*named, *(path.removeprefix("./") for path in imports)]
    assert len(paths) > 8
    missing = [path for path in paths if not (APP_FOLDER.parents[1] / path).is_file()]
    assert missing == []


def test_the_policy_has_the_hash_of_each_inline_script_and_no_other() -> None:
    page = '<script src="a.js"></script><script type="importmap">{"a": 1}</script>'
    digest = base64.b64encode(hashlib.sha256(b'{"a": 1}').digest()).decode()
    policy = page_policy(page)
    assert f"script-src 'self' 'sha256-{digest}';" in policy
    assert policy.count("sha256-") == 1
    assert "unsafe" not in policy


def _archive(folder: Path, files: dict[str, bytes]) -> Path:
    archive = folder / "some-1.0.0.tgz"
    with tarfile.open(archive, "w:gz") as packed:
        for name, content in files.items():
            path = folder / "content"
            path.write_bytes(content)
            packed.add(path, f"package/{name}")
    return archive


def _package(**files: str) -> dict[str, Any]:
    return {"name": "some", "version": "1.0.0", "folder": "some@1.0.0", "files": dict(files)}


def test_a_changed_file_of_an_archive_is_refused(tmp_path: Path) -> None:
    archive = _archive(tmp_path, {"a.js": b"new"})
    with pytest.raises(vendor.VendorError, match=r"a\.js is not what"):
        vendor.contents(_package(**{"a.js": vendor.sha256(b"old")}), archive)
    with pytest.raises(vendor.VendorError, match=r"has no b\.js"):
        vendor.contents(_package(**{"b.js": ""}), archive)


def test_every_difference_on_the_disk_is_found(tmp_path: Path) -> None:
    package = _package(**{"a.js": vendor.sha256(b"a"), "b.js": vendor.sha256(b"b")})
    folder = tmp_path / "some@1.0.0"
    folder.mkdir()
    (folder / "a.js").write_bytes(b"changed")
    (folder / "c.js").write_bytes(b"c")
    assert vendor.differences([package], tmp_path) == [
        "some@1.0.0/b.js is missing",
        "some@1.0.0/c.js is in no package",
        "some@1.0.0/a.js was changed",
    ]


def test_what_npm_publishes_is_compared_weekly_and_when_a_file_changes() -> None:
    """It needs the network, so it is a workflow and no test."""
    file = ROOT / ".github" / "workflows" / "vendor.yml"
    workflow: dict[str, Any] = YAML(typ="safe", pure=True).load(file)
    begins = workflow["on"]
    assert begins["schedule"][0]["cron"].split()[2:] == ["*", "*", "1"]
    for event in ("push", "pull_request"):
        for folder in vendor.FOLDERS:
            assert f"{folder.relative_to(ROOT).as_posix()}/**" in begins[event]["paths"]
    (job,) = workflow["jobs"].values()
    assert "python scripts/vendor.py --check" in [step.get("run") for step in job["steps"]]
    pinned = re.compile(r"actions/[a-z-]+@[0-9a-f]{40}")
    assert all(pinned.fullmatch(step["uses"]) for step in job["steps"] if "uses" in step)
    assert workflow["permissions"] == {"contents": "read"}
