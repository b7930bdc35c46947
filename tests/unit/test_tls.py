"""Certificates of HTTPS: what they name, who may vouch for what, when they are renewed, and which
faults of their files are told of."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
)
from cryptography.x509.oid import ExtendedKeyUsageOID
from pydantic import ValidationError

from lobug.access.addresses import WebAddresses
from lobug.errors import TlsError
from lobug.tls.certificates import (
    CertificateFacts,
    fingerprint,
    names_of,
    needs_renewal,
    pem_of,
    permitted,
)
from lobug.tls.service import Tls
from lobug.tls.shown import Shown, make_context, wanted_names, warning, web_addresses
from support import tls_kit
from support.app_server import settings_for
from support.firmware_tls import Authority
from support.programs import run
from support.tls_kit import NOW, Computer

DAY = timedelta(days=1)

GOOD = CertificateFacts(
    frozenset({"localhost", "192.168.1.5"}), NOW - DAY, NOW + 300 * DAY, True, NOW + 3000 * DAY
)


@pytest.mark.parametrize(
    ("facts", "wanted", "why"),
    [
        (GOOD, ["localhost"], None),
        (GOOD, ["localhost", "192.168.1.5"], None),
        (GOOD, ["localhost", "192.168.1.6", "desk.lan"], "it lacks 192.168.1.6, desk.lan"),
        (replace(GOOD, valid_until=NOW + 30 * DAY), ["localhost"], None),
        (replace(GOOD, valid_until=NOW + 29 * DAY), ["localhost"], "it expires soon"),
        (replace(GOOD, valid_until=NOW - DAY), ["localhost"], "it expires soon"),
        (replace(GOOD, valid_from=NOW + DAY), ["localhost"], "it is not valid yet"),
        (replace(GOOD, signed=False), ["localhost"], "another authority signed it"),
        # A new one would not be valid longer than the authority either.
        (
            replace(GOOD, valid_until=NOW + DAY, authority_until=NOW + DAY),
            ["localhost"],
            None,
        ),
    ],
)
def test_when_a_certificate_is_renewed(
    facts: CertificateFacts, wanted: list[str], why: str | None
) -> None:
    assert needs_renewal(facts, wanted, NOW) == why


def test_the_names_are_those_by_which_the_server_is_reached(tmp_path: Path) -> None:
    settings = settings_for(
        tmp_path,
        access={"hostnames": ["Desk.lan"], "public_url": "https://lobug.example.org/x"},
        tls={"names": ["10.0.0.7", "desk.lan", "FD00::1"]},
    )
    assert wanted_names(settings, ["192.168.1.5"]) == [
        "localhost", "127.0.0.1", "::1", "192.168.1.5", "desk.lan", "lobug.example.org",
        "10.0.0.7", "fd00::1",
    ]  # fmt: skip


def test_a_name_written_in_a_long_form_does_not_renew_it_again_and_again(tmp_path: Path) -> None:
    access = {"public_url": "https://[FD00:0:0::7]:8322/", "hostnames": ["desk.lan."]}
    computer = Computer(tmp_path, {"access": access})
    first = computer.open()
    assert {"fd00::7", "desk.lan"} <= set(names_of(first.certificate))
    assert computer.open() == first


def test_a_certificate_is_as_browsers_and_phones_want_it(tmp_path: Path) -> None:
    shown = Computer(tmp_path).open()
    leaf, authority = shown.certificate, shown.authority
    assert authority is not None
    assert names_of(leaf) == ["localhost", "127.0.0.1", "::1", "192.168.1.5"]
    assert leaf.not_valid_after_utc - leaf.not_valid_before_utc <= 397 * DAY
    assert leaf.not_valid_before_utc <= NOW - DAY, "a device's clock may be slow"
    assert authority.not_valid_after_utc - NOW > 3640 * DAY
    leaf.verify_directly_issued_by(authority)
    basic = authority.extensions.get_extension_for_class(x509.BasicConstraints)
    assert basic.critical
    assert (basic.value.ca, basic.value.path_length) == (True, 0)
    usage = authority.extensions.get_extension_for_class(x509.KeyUsage).value
    assert usage.key_cert_sign
    assert not usage.digital_signature
    constraints = authority.extensions.get_extension_for_class(x509.NameConstraints)
    assert not constraints.critical, "mbedTLS refuses what it cannot read"
    assert not leaf.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    extended = leaf.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(extended) == [ExtendedKeyUsageOID.SERVER_AUTH]
    identifier = authority.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    issuer = leaf.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value
    assert issuer.key_identifier == identifier.digest


def test_two_authorities_are_told_apart(tmp_path: Path) -> None:
    first, second = Computer(tmp_path / "1").open(), Computer(tmp_path / "2").open()
    assert first.trusted.subject != second.trusted.subject
    assert fingerprint(first.trusted) != fingerprint(second.trusted)
    assert len(fingerprint(first.trusted)) == 32 * 3 - 1


def test_the_authority_vouches_for_the_house_and_for_what_the_owner_named(tmp_path: Path) -> None:
    computer = Computer(tmp_path, {"tls": {"names": ["lobug.example.org", "203.0.113.9"]}})
    authority = computer.open().trusted
    good = ["desk.local", "a.home.arpa", "172.16.3.4", "fe80::1", "100.64.0.9", "203.0.113.9",
            "lobug.example.org"]  # fmt: skip
    bad = ["example.org", "bank.com", "203.0.113.10", "mylocal", "8.8.8.8", "2001:db8::1"]
    assert permitted(authority, [*good, *bad]) == (good, bad)


def test_a_name_that_comes_later_is_left_out_and_told_of(tmp_path: Path) -> None:
    computer = Computer(tmp_path)
    computer.open()
    computer.sections = {"access": {"hostnames": ["lobug.example.org", "desk.lan"]}}
    shown = computer.open()
    assert shown.left_out == ("lobug.example.org",)
    assert "desk.lan" in names_of(shown.certificate)
    assert "lobug.example.org" not in names_of(shown.certificate)
    assert "does not name lobug.example.org" in (warning(shown, NOW) or "")
    renewed = computer.open("authority")
    assert renewed.left_out == ()
    assert warning(renewed, NOW) is None
    assert renewed.trusted != shown.trusted


# ---- its life


def test_nothing_changes_while_nothing_has_to(tmp_path: Path) -> None:
    computer = Computer(tmp_path)
    first = computer.open()
    written = len(computer.moments)
    computer.now += 300 * DAY
    assert computer.open() == first
    assert len(computer.moments) == written


def test_it_is_renewed_before_it_expires_and_its_authority_stays(tmp_path: Path) -> None:
    computer = Computer(tmp_path)
    first = computer.open()
    computer.now += 370 * DAY
    second = computer.open()
    assert second.certificate != first.certificate
    assert second.trusted == first.trusted
    assert second.certificate.not_valid_after_utc > computer.now + 390 * DAY


def test_another_address_renews_it_and_the_way_back_does_not(tmp_path: Path) -> None:
    computer = Computer(tmp_path, addresses=["192.168.1.5", "10.0.0.7"])
    both = computer.open()
    computer.addresses = ["10.0.0.7"]
    assert computer.open() == both
    computer.addresses = ["10.0.0.8"]
    assert "10.0.0.8" in names_of(computer.open().certificate)


def test_the_end_of_an_authority_is_told_of_and_never_silent(tmp_path: Path) -> None:
    computer = Computer(tmp_path)
    first = computer.open()
    assert first.authority is not None
    end = first.authority.not_valid_after_utc
    computer.now = end - 20 * DAY
    last = computer.open()
    assert last.certificate.not_valid_after_utc == end
    assert "--authority" in (warning(last, computer.now) or "")
    written = len(computer.moments)
    assert computer.open() == last, "one that cannot be valid longer is not made again and again"
    assert len(computer.moments) == written
    computer.now = end
    with pytest.raises(TlsError, match=r"expired on .*--authority"):
        computer.open()
    assert computer.open("authority").trusted != first.trusted


def test_a_clock_that_was_never_set_makes_no_certificate(tmp_path: Path) -> None:
    computer = Computer(tmp_path, now=datetime(1970, 1, 1, tzinfo=UTC))
    with pytest.raises(TlsError, match="clock of this computer shows 1970-01-01"):
        computer.open()
    assert not computer.settings.tls_dir.exists()


# ---- its files


def test_the_files_are_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        computer = Computer(tmp_path)
        computer.open()
    finally:
        os.umask(before)
    folder = computer.settings.tls_dir
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {"authority.pem": 0o600, "server.pem": 0o600, "lobug-ca.crt": 0o600}
    assert b"PRIVATE" not in (folder / "lobug-ca.crt").read_bytes()


@pytest.mark.parametrize("content", [b"", b"rubbish", b"\xff\x00", "half", "key", "certificate"])
def test_a_damaged_authority_is_told_of_and_not_replaced(
    tmp_path: Path, content: bytes | str
) -> None:
    computer = Computer(tmp_path)
    computer.open()
    path = computer.settings.tls_dir / "authority.pem"
    whole = path.read_bytes()
    key, begin, certificate = whole.partition(b"-----BEGIN CERTIFICATE-----")
    parts = {"half": whole[: len(whole) // 2], "key": key, "certificate": begin + certificate}
    broken = content if isinstance(content, bytes) else parts[content]
    path.write_bytes(broken)
    with pytest.raises(TlsError, match=r"authority\.pem is damaged: .*renew --authority"):
        computer.open()
    with pytest.raises(TlsError, match="is damaged"):
        computer.open("server")
    assert path.read_bytes() == broken
    assert computer.open("authority").authority is not None
    assert computer.open() is not None


def test_a_server_certificate_is_no_authority(tmp_path: Path) -> None:
    computer = Computer(tmp_path)
    computer.open()
    folder = computer.settings.tls_dir
    (folder / "authority.pem").write_bytes((folder / "server.pem").read_bytes())
    with pytest.raises(TlsError, match="is not an authority's"):
        computer.open()


def test_a_missing_authority_is_not_replaced_either(tmp_path: Path) -> None:
    computer = Computer(tmp_path)
    computer.open()
    (computer.settings.tls_dir / "authority.pem").unlink()
    with pytest.raises(TlsError, match="is missing"):
        computer.open()


@pytest.mark.parametrize("content", [b"", b"rubbish", None])
def test_a_damaged_server_certificate_is_made_anew(tmp_path: Path, content: bytes | None) -> None:
    computer = Computer(tmp_path)
    first = computer.open()
    path = computer.settings.tls_dir / "server.pem"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    again = computer.open()
    assert again.trusted == first.trusted
    assert again.certificate != first.certificate
    make_context(computer.settings, computer.files)


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    computer = Computer(tmp_path)
    computer.settings.data_dir.mkdir(parents=True)
    computer.settings.tls_dir.write_text("a file stands in the way")
    with pytest.raises(TlsError, match=r"authority\.pem"):
        computer.open()


def test_killed_at_any_step_it_starts_again_whole(tmp_path: Path) -> None:
    done = run([tls_kit.__file__, str(tmp_path)])
    assert done.returncode == 0, done.stderr
    steps = done.stdout.splitlines()
    assert len(steps) == 18, "six steps for each of three files"
    for step in steps:
        computer = Computer(tmp_path / step[:2])
        kept = (computer.settings.tls_dir / "authority.pem").is_file()
        before = computer.files.authority() if kept else None
        shown = computer.open()
        assert computer.open() == shown, step
        assert before is None or before.certificate == shown.authority, step
        left = {path.name for path in computer.settings.tls_dir.iterdir()}
        assert left == {"authority.pem", "server.pem", "lobug-ca.crt"}, step


@dataclass
class FailingComputer(Computer):
    """A computer whose disk fails at one step of writing."""

    fails_at: int | None = None

    def _checkpoint(self, name: str) -> None:
        super()._checkpoint(name)
        if len(self.moments) - 1 == self.fails_at:
            raise OSError(errno.ENOSPC, "No space left on device")


def test_an_authority_whose_renewal_failed_is_the_former_one(tmp_path: Path) -> None:
    """Otherwise every phone would have to trust another one that nobody was told of."""
    steps = FailingComputer(tmp_path / "whole")
    steps.open()
    steps.moments.clear()
    steps.open("authority")
    renamed = steps.moments.index("authority.pem: renamed")
    for step in range(renamed):
        computer = FailingComputer(tmp_path / str(step))
        first = computer.open()
        computer.moments.clear()
        computer.fails_at = step
        with pytest.raises(TlsError, match="No space left"):
            computer.open("authority")
        computer.fails_at = None
        assert computer.open().authority == first.authority, steps.moments[step]
        assert computer.files.public_path.read_bytes() == pem_of(first.trusted)
    assert steps.moments[renamed + 1 :] == ["authority.pem: written"], "nothing can fail after it"


async def test_addresses_that_cannot_be_found_out_are_those_found_before(tmp_path: Path) -> None:
    computer = Computer(tmp_path)
    found: list[list[str]] = [["192.168.1.5"]]
    tls = Tls(computer.settings, 8322, addresses=lambda: _last(found), now=lambda: NOW)
    await tls.start()
    try:
        found.clear()
        await tls.check()
        assert tls.addresses.https_url == "https://192.168.1.5:8322/"
    finally:
        await tls.close()


def _last(found: list[list[str]]) -> list[str]:
    if not found:
        raise OSError("the system does not say")
    return found[-1]


# ---- the owner's own


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "ca")


def own(tmp_path: Path, certificate: Path, key: Path) -> Computer:
    sections: dict[str, object] = {"tls": {"certificate": str(certificate), "key": str(key)}}
    return Computer(tmp_path / "own", sections, now=datetime.now(UTC))


def test_a_certificate_of_ones_own(tmp_path: Path, authority: Authority) -> None:
    files = authority.issue(["lobug.example.org"], valid_for=90 * DAY)
    computer = own(tmp_path, files.certificate, files.key)
    shown = computer.open()
    assert shown.authority is None
    assert warning(shown, computer.now) is None
    assert "expires on" in (warning(shown, computer.now + 85 * DAY) or "")
    make_context(computer.settings, computer.files)
    assert not computer.settings.tls_dir.exists(), "no authority is made beside it"
    with pytest.raises(TlsError, match="renew it where"):
        computer.open("server")


def test_faults_of_ones_own_are_told_apart(tmp_path: Path, authority: Authority) -> None:
    good = authority.issue(["desk.lan"])
    other = authority.issue(["desk.lan"])
    expired = authority.issue(["desk.lan"], valid_from=-3 * DAY, valid_for=DAY)
    early = authority.issue(["desk.lan"], valid_from=DAY)
    nameless = authority.issue([])
    rubbish, locked = tmp_path / "rubbish.pem", tmp_path / "locked.pem"
    rubbish.write_bytes(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    locked.write_bytes(
        rsa.generate_private_key(65_537, 2048).private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
        )
    )
    for certificate, key, what in (
        (tmp_path / "none.pem", good.key, "there is no file .*none.pem"),
        (good.certificate, tmp_path / "none.key", "there is no file .*none.key"),
        (tmp_path, good.key, "cannot be read"),
        (rubbish, good.key, "rubbish.pem holds no certificate"),
        (good.key, good.key, "holds no certificate"),
        (good.certificate, good.certificate, "holds no private key"),
        (good.certificate, locked, "locked.pem has a password"),
        (good.certificate, other.key, "does not belong to the certificate"),
        (expired.certificate, expired.key, "expired on"),
        (early.certificate, early.key, "is valid from"),
        (nameless.certificate, nameless.key, "has no subjectAltName"),
    ):
        with pytest.raises(TlsError, match=what):
            own(tmp_path, certificate, key).open()


def test_a_certificate_without_its_key_is_refused_by_the_settings(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="belong together"):
        settings_for(tmp_path, tls={"certificate": "a.pem"})
    for wrong in ("", "a b", "*.lan", "-" * 64, "https://desk"):
        with pytest.raises(ValidationError, match="neither a host name nor an IP address"):
            settings_for(tmp_path, tls={"names": [wrong]})


# ---- where people open the pages


def test_where_people_open_the_pages(tmp_path: Path, authority: Authority) -> None:
    computer = Computer(tmp_path)
    shown = computer.open()
    mark = fingerprint(shown.trusted)

    def found(
        addresses: list[str],
        ports: tuple[int | None, int | None],
        what: Shown | None,
        url: str = "",
    ) -> WebAddresses:
        settings = settings_for(tmp_path, access={"public_url": url})
        return web_addresses(settings, addresses, *ports, what)

    home = ["192.168.1.5"]
    assert found(home, (8321, 8322), shown) == WebAddresses(
        "http://192.168.1.5:8321/", "https://192.168.1.5:8322/", mark
    )
    assert found([], (8321, 8322), shown) == WebAddresses(
        "http://127.0.0.1:8321/", "https://localhost:8322/", mark
    )
    assert found(home, (8321, None), None) == WebAddresses("http://192.168.1.5:8321/")
    assert found(home, (None, None), None) == WebAddresses()
    assert found(home, (8321, 8322), shown, "https://a.example/x").https_url == (
        "https://a.example/x/"
    )
    public = found(home, (8321, 8322), shown, "wss://a.example/x/")
    assert public.https_url == "https://a.example/x/"
    files = authority.issue(["lobug.example.org"])
    mine = own(tmp_path, files.certificate, files.key).open()
    assert found(home, (8321, 8322), mine) == WebAddresses(
        "http://192.168.1.5:8321/",
        "https://lobug.example.org:8322/",
        fingerprint(mine.certificate),
    )
