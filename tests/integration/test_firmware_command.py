"""`lobug firmware` as a person runs it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lobug.cli.app import app
from support.esp32_images import full_image_bytes, image_bytes, image_file

CORE2 = "m5stack-core2"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working directory, and none of the developer's own settings."""
    for name in tuple(os.environ):
        if name.upper().startswith("LOBUG_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("LOBUG_DATA_DIR", str(tmp_path / "data"))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["firmware", *arguments])


def good(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def bad(code: int, *arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.stderr


def test_add_list_and_remove(tmp_path: Path) -> None:
    assert "no firmware images" in good("list")
    file = str(image_file(tmp_path))
    added = good("add", file, "--board", CORE2, "--version", "2.1.0")
    assert f"added: {CORE2} 2.1.0, 4096 bytes, SHA-256 " in added
    forced = json.loads(
        good("add", file, "--board", CORE2, "--version", "1.0", "--force", "--json")
    )
    assert forced["forced"] is True
    listed = json.loads(good("list", "--json"))["images"]
    assert [(row["version"], row["forced"]) for row in listed] == [("1.0", True), ("2.1.0", False)]
    assert listed[0] == forced
    table = good("list")
    assert CORE2 in table
    assert forced["sha256"] in table
    assert "removed" in good("remove", CORE2, "1.0")
    assert len(json.loads(good("list", "--json"))["images"]) == 1
    assert (tmp_path / "data" / "firmware" / CORE2 / "2.1.0.bin").read_bytes() == image_bytes()


def test_the_key_of_updates(tmp_path: Path) -> None:
    shown = json.loads(good("key", "--json"))
    file = tmp_path / "data" / "update-key.pem"
    assert shown == {"key": shown["key"], "file": str(file)}
    assert file.stat().st_mode & 0o777 == 0o600
    assert shown["key"][:16] in good("key")
    added = good("add", str(image_file(tmp_path)), "--board", CORE2, "--version", "2.1.0")
    assert f"signed with the key {shown['key'][:16]}" in added
    file.write_text("no key")
    file_of = str(image_file(tmp_path))
    assert "not an Ed25519 key" in bad(1, "key")
    assert "not an Ed25519 key" in bad(1, "add", file_of, "--board", CORE2, "--version", "2.2.0")
    assert len(json.loads(good("list", "--json"))["images"]) == 1


def test_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOBUG_FIRMWARE__DIRECTORY", str(tmp_path / "elsewhere"))
    good("add", str(image_file(tmp_path)), "--board", "host", "--version", "1.0")
    assert (tmp_path / "elsewhere" / "host" / "1.0.bin").is_file()


def test_what_is_wrong_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = str(image_file(tmp_path))
    good("add", file, "--board", CORE2, "--version", "2.1")
    assert "is there already" in bad(1, "add", file, "--board", CORE2, "--version", "2.1")
    assert "not a version" in bad(1, "add", file, "--board", CORE2, "--version", "v2")
    assert "not a board" in bad(1, "add", file, "--board", "../x", "--version", "2.2")
    assert "No such file" in bad(1, "add", "missing", "--board", CORE2, "--version", "2.2")
    text = tmp_path / "text"
    text.write_text("hello, hello, hello, hello")
    assert "0xE9" in bad(1, "add", str(text), "--board", CORE2, "--version", "2.2")
    assert "chip" in bad(1, "add", file, "--board", "m5stack-cores3", "--version", "2.2")
    assert "no firmware image" in bad(1, "remove", CORE2, "9.9")
    bad(2, "add", file, "--board", CORE2)
    monkeypatch.setenv("LOBUG_FIRMWARE__MAX_IMAGE_BYTES", "2000")
    assert "max_image_bytes" in bad(1, "add", file, "--board", CORE2, "--version", "2.2")


def test_full_images(tmp_path: Path) -> None:
    file = str(image_file(tmp_path, full_image_bytes(), f"lobug-2.1.0-{CORE2}-full.bin"))
    added = good("add", "--full", file, "--board", CORE2, "--version", "2.1.0")
    assert f"added: {CORE2} 2.1.0, full image of 73728 bytes" in added
    assert "#/flash" in added
    rows = json.loads(good("list", "--json"))["images"]
    assert [(row["kind"], row["version"]) for row in rows] == [("full", "2.1.0")]
    assert "no partition table" in bad(
        1, "add", "--full", str(image_file(tmp_path)), "--board", CORE2, "--version", "2.2"
    )
    assert "only flashed over USB" in bad(
        2, "add", "--full", "--force", file, "--board", CORE2, "--version", "2.2"
    )
    assert "no firmware image" in bad(1, "remove", CORE2, "2.1.0")
    assert "no full image" in bad(1, "remove", CORE2, "2.1", "--full")
    assert "removed" in good("remove", CORE2, "2.1.0", "--full")
    assert "no firmware images" in good("list")
