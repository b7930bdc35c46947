"""The key that signs updates, and what it signs."""

from __future__ import annotations

import json
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from lobug.data_folder.permissions import open_paths
from lobug.ota.image import FirmwareImage
from lobug.ota.library import FirmwareLibrary
from lobug.ota.offers import FirmwareOffers
from lobug.ota.signing import Signed, UpdateKey, UpdateKeyError, message_of, read_nonce
from support.app_server import settings_for

NONCE = "0123456789abcdef0123456789abcdef"
IMAGE = FirmwareImage("m5stack-core2", "2.1.0", 1234, "ab" * 32, False, 0.0, Path("x"))


@pytest.fixture
def key(tmp_path: Path) -> UpdateKey:
    return UpdateKey(tmp_path / "data" / "update-key.pem")


def verify(signed: Signed, message: bytes) -> None:
    assert signed.signature is not None
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(signed.key)).verify(
        bytes.fromhex(signed.signature), message
    )


def test_the_message_is_what_a_device_puts_together() -> None:
    """firmware/tests/update/test_signature.cpp has the same text."""
    assert message_of(IMAGE, NONCE) == (
        b"lobug firmware update 1\nm5stack-core2\n2.1.0\n1234\n" + b"ab" * 32 + b"\nnewer\n"
        b"0123456789abcdef0123456789abcdef\n"
    )
    assert b"\nforce\n" in message_of(replace(IMAGE, forced=True), NONCE)


def test_an_offer_is_signed(key: UpdateKey) -> None:
    verify(key.sign(IMAGE, NONCE), message_of(IMAGE, NONCE))
    nothing = key.sign(None, NONCE)
    assert nothing == Signed(key.public(), None)
    assert re.fullmatch("[0-9a-f]{64}", nothing.key)


@pytest.mark.parametrize(
    "other",
    [
        replace(IMAGE, board="m5stack-cores3"),
        replace(IMAGE, version="2.1.1"),
        replace(IMAGE, size=1235),
        replace(IMAGE, sha256="cd" * 32),
        replace(IMAGE, forced=True),
    ],
    ids=["board", "version", "size", "hash", "forced"],
)
def test_a_signature_is_of_that_offer_alone(key: UpdateKey, other: FirmwareImage) -> None:
    signed = key.sign(IMAGE, NONCE)
    with pytest.raises(InvalidSignature):
        verify(signed, message_of(other, NONCE))
    with pytest.raises(InvalidSignature):
        verify(signed, message_of(IMAGE, NONCE[::-1]))


def test_the_key_is_made_once_and_only_its_owner_can_read_it(key: UpdateKey) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: UpdateKey(key.path).public(), range(32)))
    assert found == {key.public()}
    assert stat.S_IMODE(key.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(key.path.parent.stat().st_mode) == 0o700
    assert [path.name for path in key.path.parent.iterdir()] == [key.path.name]


def test_a_key_that_others_can_read_is_found(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    key = UpdateKey(settings.update_key_path)
    key.public()
    assert key.path not in open_paths(settings)
    key.path.chmod(0o644)
    assert key.path.resolve() in [path.resolve() for path in open_paths(settings)]


def other_kind() -> bytes:
    return generate_private_key(SECP256R1()).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )


@pytest.mark.parametrize("content", [b"", b"hello", other_kind()], ids=["empty", "text", "ECDSA"])
def test_a_key_that_is_none_is_left_as_it_is(key: UpdateKey, content: bytes) -> None:
    key.path.parent.mkdir()
    key.path.write_bytes(content)
    with pytest.raises(UpdateKeyError, match="not an Ed25519 key") as told:
        key.sign(IMAGE, NONCE)
    assert (told.value.code, told.value.status) == ("update_key", 503)
    assert key.path.read_bytes() == content


def test_a_key_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UpdateKeyError, match="cannot be read or made"):
        UpdateKey(tmp_path / "file" / "update-key.pem").public()


async def test_without_a_key_nothing_is_offered_to_who_verifies(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "update-key.pem").write_text("no key")
    library = FirmwareLibrary(tmp_path / "firmware", max_bytes=1)
    offers = FirmwareOffers(library, UpdateKey(tmp_path / "update-key.pem"))
    assert await offers.signed(IMAGE, NONCE) is None
    assert "not an Ed25519 key" in caplog.text


@pytest.mark.parametrize(
    ("nonce", "read"),
    [
        (NONCE, NONCE),
        (NONCE.upper(), None),
        (NONCE[:-1], None),
        (NONCE + "\n", None),
        (NONCE + "0", None),
        (7, None),
        (None, None),
        ([NONCE], None),
    ],
)
def test_what_counts_as_a_nonce(nonce: object, read: str | None) -> None:
    assert read_nonce(json.dumps({"update_nonce": nonce}).encode()) == read


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"{", b"\xff", b'"x"'])
def test_a_body_without_a_nonce(body: bytes) -> None:
    assert read_nonce(body) is None
