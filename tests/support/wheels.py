"""Wheels for tests. Imports nothing of Lo-Bug: a bare environment builds with it as well."""

from __future__ import annotations

import io
import zipfile

VERSION = "1.0.0"


def build_wheel(package: str, contents: dict[str, bytes]) -> bytes:
    """Return a wheel that pip accepts, holding ``contents`` under their names."""
    info = f"{package.replace('-', '_')}-{VERSION}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: {VERSION}\n"
    everything = {
        **contents,
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in everything.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def file_name(package: str) -> str:
    """The file name of such a wheel."""
    return f"{package.replace('-', '_')}-{VERSION}-py3-none-any.whl"
