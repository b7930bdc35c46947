"""Fetches what the project has of npm's packages anew, and compares or replaces it.

python scripts/vendor.py [--check]

In ``server/lobug/web/vendor`` are the libraries of the web app, in ``tests/vendor`` those of its
tests. ``vendor.json`` in each names the packages with their versions, the integrity that npm
published for them, and the files that are taken from them, unmodified, with their SHA-256. ``npm``
brings the packages from the registry that it is set up for. ``--check`` changes nothing and fails
on any difference. To renew a library, change its version and its folder in vendor.json, empty its
integrity and its digests, run this, and look at what it wrote.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "server" / "lobug" / "web" / "vendor", ROOT / "tests" / "vendor")
MANIFEST = "vendor.json"


class VendorError(Exception):
    """What was fetched is not what vendor.json says."""


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def read_manifest(folder: Path) -> list[dict[str, Any]]:
    """The packages: name, version, folder, license, integrity, files (path to SHA-256)."""
    text = (folder / MANIFEST).read_text(encoding="utf-8")
    packages: list[dict[str, Any]] = json.loads(text)["packages"]
    return packages


def fetch(package: dict[str, Any], folder: Path) -> Path:
    """Let npm bring a package into ``folder``. Returns its archive. Raises VendorError."""
    wanted = f"{package['name']}@{package['version']}"
    packed = subprocess.run(
        ["npm", "pack", wanted, "--json", "--silent", "--pack-destination", str(folder)],
        check=False,
        capture_output=True,
        text=True,
    )
    if packed.returncode != 0:
        raise VendorError(f"npm could not bring {wanted}: {packed.stderr.strip()}")
    archive = folder / str(json.loads(packed.stdout)[0]["filename"])
    digest = hashlib.sha512(archive.read_bytes()).digest()
    found = f"sha512-{base64.b64encode(digest).decode()}"
    if package["integrity"] and found != package["integrity"]:
        raise VendorError(f"{wanted} has another integrity than vendor.json says: {found}")
    package["integrity"] = found
    return archive


def contents(package: dict[str, Any], archive: Path) -> dict[str, bytes]:
    """The wanted files of an archive, by their paths. Raises VendorError."""
    found = {}
    with tarfile.open(archive) as packed:
        for path, known in package["files"].items():
            try:
                file = packed.extractfile(f"package/{path}")
            except KeyError:
                file = None
            if file is None:
                raise VendorError(f"{package['name']} has no {path}")
            content = file.read()
            if known and sha256(content) != known:
                raise VendorError(f"{package['name']}: {path} is not what vendor.json says")
            package["files"][path] = sha256(content)
            found[path] = content
    return found


def differences(packages: list[dict[str, Any]], folder: Path) -> list[str]:
    """What of a folder's files is not what its vendor.json says, a sentence each."""
    wanted = {
        f"{package['folder']}/{path}": digest
        for package in packages
        for path, digest in package["files"].items()
    }
    present = {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST
    }
    return [
        *(f"{path} is missing" for path in sorted(wanted.keys() - present.keys())),
        *(f"{path} is in no package" for path in sorted(present.keys() - wanted.keys())),
        *(
            f"{path} was changed"
            for path in sorted(wanted.keys() & present.keys())
            if wanted[path] != present[path]
        ),
    ]


def main(arguments: list[str] | None = None) -> int:
    """Compare, or fetch and write. Returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail on a difference")
    check = parser.parse_args(arguments).check
    wrong = []
    for folder in FOLDERS:
        packages = read_manifest(folder)
        try:
            with tempfile.TemporaryDirectory() as temporary:
                fetched = [
                    (package, contents(package, fetch(package, Path(temporary))))
                    for package in packages
                ]
        except (VendorError, OSError) as error:
            print(f"vendor: {error}", file=sys.stderr)
            return 1
        if not check:
            write(folder, packages, fetched)
        wrong += differences(packages, folder)
        names = ", ".join(f"{package['name']} {package['version']}" for package in packages)
        print(f"{folder.relative_to(ROOT)}: {names}")
    for line in wrong:
        print(f"vendor: {line}", file=sys.stderr)
    if not wrong:
        print("All files are as npm published them.")
    return 1 if wrong else 0


def write(
    folder: Path,
    packages: list[dict[str, Any]],
    fetched: list[tuple[dict[str, Any], dict[str, bytes]]],
) -> None:
    """Replace everything in a folder by what was fetched."""
    for old in (path for path in folder.iterdir() if path.is_dir()):
        shutil.rmtree(old)
    for package, files in fetched:
        for path, content in files.items():
            place = folder / package["folder"] / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    manifest = json.dumps({"packages": packages}, indent=2) + "\n"
    (folder / MANIFEST).write_text(manifest, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
