"""The bill of materials: every package of the lock, every model, and their licences.

Writes FOLDER/lobug.cdx.json (CycloneDX 1.6) and FOLDER/licences.md; `make sbom` does it. Packages
and versions are those of requirements.txt for every platform that Lo-Bug supports. Licences are
what the installed packages say of themselves; a licence that is unknown ends this with an error.

What a wheel carries in a folder of shared libraries is listed as part of its package. What is
linked into a package's own files cannot be seen from outside and is not listed.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import re
import sys
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from license_expression import ExpressionError, Licensing, get_spdx_licensing
from packageurl import PackageURL
from packaging.markers import Marker

from lobug import __version__
from lobug.models.catalog import CATALOG, Model

ROOT: Final = Path(__file__).parents[1]
LOCK: Final = ROOT / "requirements.txt"
DIRECT: Final = "lobug"

WORDS: Final = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "BSD": "BSD-3-Clause",  # flexcache, flexparser
    "BSD License": "BSD-3-Clause",  # segno
    "Apache Software License": "Apache-2.0",
    "ISC License": "ISC",
    "MIT License": "MIT",
    "MIT License, Apache License, Version 2.0": "MIT OR Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "zlib/libpng": "Zlib",
}
"""What packages write in place of an SPDX expression, read beside their licence files."""

ELSEWHERE: Final = {
    "coloredlogs": "MIT",
    "humanfriendly": "MIT",
    "mpmath": "BSD-3-Clause",
    "pysqlite3": "Zlib",
    "pysqlite3-binary": "Zlib",
    "sympy": "BSD-3-Clause",
}
"""Packages that only some platforms get, and so may not be installed here."""

_GNU_PAIR: Final = "LGPL-3.0-or-later OR GPL-2.0-or-later"
_FFMPEG: Final = dict.fromkeys(
    ("avcodec", "avdevice", "avfilter", "avformat", "avutil", "swresample", "swscale"),
    "LGPL-3.0-or-later",  # what avutil_license() of the wheel's own FFmpeg says
)
BUNDLED: Final = _FFMPEG | {
    "SvtAv1Enc": "BSD-3-Clause-Clear",
    "Xau": "MIT",
    "asound": "LGPL-2.1-or-later",
    "ctranslate2": "MIT",
    "dav1d": "BSD-2-Clause",
    "drm": "MIT",
    "gfortran": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "gmp": _GNU_PAIR,
    "gnutls": "LGPL-2.1-or-later",
    "gomp": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "hogweed": _GNU_PAIR,
    "mp3lame": "LGPL-2.0-or-later",
    "nettle": _GNU_PAIR,
    "opencore-amrnb": "Apache-2.0",
    "opencore-amrwb": "Apache-2.0",
    "opus": "BSD-3-Clause",
    "quadmath": "LGPL-2.1-or-later",
    "scipy_openblas64_": "BSD-3-Clause",
    "sharpyuv": "BSD-3-Clause",
    "sqlite3": "blessing",
    "unistring": _GNU_PAIR,
    "vpl": "MIT",
    "vpx": "BSD-3-Clause",
    "webp": "BSD-3-Clause",
    "webpmux": "BSD-3-Clause",
    "x264": "GPL-2.0-or-later",
    "x265": "GPL-2.0-or-later",
    "xcb": "MIT",
    "xcb-shape": "MIT",
    "xcb-shm": "MIT",
    "xcb-xfixes": "MIT",
}
"""Shared libraries inside wheels, which have no metadata of their own."""

_PIN: Final = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>[^\s;]+)(?: ; (?P<when>[^\\\n]+))?")
_BUNDLED_FILE: Final = re.compile(r"^lib(?P<name>.+?)(?:-[0-9a-f]{8})*(?:\.so|\.dylib|\.\d)")


class UnknownLicenceError(Exception):
    """A licence that nobody has looked at yet."""


@dataclass(frozen=True)
class Pin:
    """One package of the lock in one version; ``parents`` are those that need it."""

    name: str
    version: str
    when: str
    parents: tuple[str, ...]

    @property
    def here(self) -> bool:
        """Whether this platform gets it."""
        return not self.when or Marker(self.when).evaluate()


def read_lock(text: str) -> list[Pin]:
    """The pins of a lock that uv wrote."""
    pins = []
    for block in re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]:
        found = _PIN.match(block)
        if found is None:
            raise ValueError(f"not a pin: {block[:60]!r}")
        parents = re.findall(r"^    #   (?:via )?([a-z0-9-]+)|^    # via ([a-z0-9-]+)", block, re.M)
        pins.append(
            Pin(
                found["name"],
                found["version"],
                (found["when"] or "").strip(),
                tuple(one or other for one, other in parents),
            )
        )
    return pins


@functools.cache
def spdx_licences() -> Licensing:
    """The licences of SPDX, whose list takes a tenth of a second to read."""
    return get_spdx_licensing()


def normalized(name: str, words: str) -> str:
    """The SPDX expression for what a package says. Raises UnknownLicenceError."""
    text = WORDS.get(words.strip(), words.strip())
    try:
        parsed = spdx_licences().parse(text, validate=True)
    except ExpressionError as error:
        raise UnknownLicenceError(f"the licence of {name} is unknown: {words[:80]!r}") from error
    if parsed is None:
        raise UnknownLicenceError(f"{name} names no licence")
    return str(parsed)


def licence_of(name: str) -> str:
    """The SPDX expression of a package. Raises UnknownLicenceError."""
    try:
        said = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return normalized(name, ELSEWHERE.get(name, ""))
    classifiers = [
        line.rsplit(" :: ", 1)[-1]
        for line in said.get_all("Classifier") or []
        if line.startswith("License :: ")
    ]
    given = [*(said.get_all("License-Expression") or []), *(said.get_all("License") or [])]
    return normalized(name, next(filter(None, given), " AND ".join(classifiers)))


def bundled_in(name: str) -> Iterator[tuple[str, str, Path]]:
    """Name, licence and file of every shared library that an installed wheel carries beside its
    own. Raises UnknownLicenceError."""
    try:
        files = metadata.files(name) or []
    except metadata.PackageNotFoundError:
        return
    for file in files:
        if not file.parent.name.endswith((".libs", ".dylibs")):
            continue
        found = _BUNDLED_FILE.match(file.name)
        if found is None or found["name"] not in BUNDLED:
            raise UnknownLicenceError(f"{name} carries {file.name}, whose licence is unknown")
        yield found["name"], BUNDLED[found["name"]], Path(str(file.locate()))


def _component(
    kind: ComponentType, name: str, version: str | None, licence: str | None, ref: str
) -> Component:
    licences = [LicenseFactory().make_from_string(licence)] if licence else []
    return Component(type=kind, name=name, version=version, licenses=licences, bom_ref=ref)


def _package(pin: Pin) -> Component:
    component = _component(
        ComponentType.LIBRARY,
        pin.name,
        pin.version,
        licence_of(pin.name),
        f"pkg:pypi/{pin.name}@{pin.version}",
    )
    component.purl = PackageURL("pypi", name=pin.name, version=pin.version)
    if pin.when:
        component.properties.add(Property(name="lobug:when", value=pin.when))
    if pin.here:
        for name, licence, file in bundled_in(pin.name):
            part = _component(
                ComponentType.LIBRARY, name, None, licence, f"{component.bom_ref.value}#{name}"
            )
            part.hashes.add(HashType(alg=HashAlgorithm.SHA_256, content=_sha256(file)))
            component.components.add(part)
    return component


def _model(model: Model) -> Component:
    component = _component(
        ComponentType.MACHINE_LEARNING_MODEL,
        model.name,
        None,
        normalized(model.name, model.licence),
        f"model:{model.name}",
    )
    component.description = f"{model.description} {model.origin}."
    carriers = [wheel.requirement for wheel in model.wheels] or [str(model.distribution)]
    component.properties.update(Property(name="lobug:carried-by", value=line) for line in carriers)
    for file in model.files:
        part = _component(
            ComponentType.FILE, file.path, None, None, f"model:{model.name}/{file.path}"
        )
        part.hashes.add(HashType(alg=HashAlgorithm.SHA_256, content=file.sha256))
        part.properties.add(Property(name="lobug:bytes", value=str(file.size)))
        component.components.add(part)
    return component


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def bill(lock: str, models: Iterable[Model]) -> Bom:
    """The bill of the packages in ``lock`` and of ``models``. Raises UnknownLicenceError."""
    program = _component(ComponentType.APPLICATION, DIRECT, __version__, "MIT", DIRECT)
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"lobug {__version__}\n{lock}"))
    bom.metadata.component = program
    digest = hashlib.sha256(lock.encode()).hexdigest()
    bom.metadata.properties.add(Property(name="lobug:lock-sha256", value=digest))
    pins = read_lock(lock)
    packages = {pin: _package(pin) for pin in pins}
    bom.components.update(packages.values())
    weights = [_model(model) for model in models]
    bom.components.update(weights)
    for parent in (DIRECT, *sorted({pin.name for pin in pins})):
        needed = [part for pin, part in packages.items() if parent in pin.parents]
        owners = [part for pin, part in packages.items() if pin.name == parent] or [program]
        for owner in owners:
            bom.register_dependency(owner, needed + (weights if owner is program else []))
    return bom


def licences(bom: Bom) -> str:
    """A page with every component and its licence, in Markdown."""

    def lines(components: Iterable[Component], inside: str = "") -> Iterator[str]:
        for part in sorted(components, key=lambda part: (part.type, part.name, part.version or "")):
            if part.licenses:
                said = ", ".join(expression(part))
                yield f"| {part.name} | {part.version or ''} | {said} | {inside} |"
            yield from lines(part.components, part.name)

    return "\n".join(
        [
            f"# Licences of what Lo-Bug {__version__} installs and fetches",
            "",
            "| what | version | licence (SPDX) | part of |",
            "| --- | --- | --- | --- |",
            *lines(bom.components),
            "",
        ]
    )


def expression(part: Component) -> list[str]:
    """The licences of a component, as SPDX ids or expressions."""
    return [
        str(getattr(one, "id", None) or getattr(one, "value", None) or getattr(one, "name", ""))
        for one in part.licenses
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "build" / "sbom")
    folder: Path = parser.parse_args().folder
    try:
        bom = bill(LOCK.read_text(encoding="utf-8"), CATALOG.values())
    except UnknownLicenceError as error:
        sys.exit(f"sbom: {error}. Look it up and add it to scripts/sbom.py.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("lobug.cdx.json", JsonV1Dot6(bom).output_as_string(indent=1)),
        ("licences.md", licences(bom)),
    ):
        (folder / name).write_text(text, encoding="utf-8")
        print(f"wrote {folder / name}")


if __name__ == "__main__":
    main()
