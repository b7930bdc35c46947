"""TLS of the device against OpenSSL: one pinned CA, the host verified, nothing ever insecure."""

from __future__ import annotations

import os
import ssl
import subprocess
import time
from datetime import timedelta
from pathlib import Path

import pytest

from support.firmware_device import firmware_device, pair, simulator
from support.firmware_server import scripted_server, speaking
from support.firmware_tls import DAY, Authority, Certificate, counting_relay, echo_server
from support.scripted_serve import scripted_serve
from support.wav import tone

HELLO = b"hello from a device"


def probe(url: str, ca: Path | None, said: bytes = HELLO) -> tuple[str, bytes]:
    """The device's own connection by itself: how it ended, and what came back."""
    pinned = [] if ca is None else ["--ca", str(ca)]
    done = subprocess.run(
        [str(simulator()), "probe", url, *pinned],
        input=said, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    return done.stderr.decode().strip(), done.stdout


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "ca")


def ended(certificate: Certificate | None, ca: Path | None, host: str = "127.0.0.1") -> str:
    """How a connection to a server with this certificate ends."""
    with echo_server(certificate, len(HELLO)) as server:
        how, got = probe(f"https://{host}:{server.port}/", ca)
        assert got == (HELLO.upper() if how == "closed: none" else b""), "nothing is said to it"
    return how


def test_without_tls() -> None:
    with echo_server(None, len(HELLO)) as server:
        assert probe(f"http://127.0.0.1:{server.port}/", None) == ("closed: none", HELLO.upper())


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_the_right_ca_and_the_right_host(authority: Authority, host: str) -> None:
    assert ended(authority.issue([host]), authority.file, host) == "closed: none"


def test_a_name_is_sent_and_an_address_is_not(authority: Authority) -> None:
    both = authority.issue(["localhost", "127.0.0.1"])
    with echo_server(both, len(HELLO)) as server:
        probe(f"https://localhost:{server.port}/", authority.file)
        probe(f"https://127.0.0.1:{server.port}/", authority.file)
    assert server.names == ["localhost", None]


def test_no_ca_is_refused_before_anything_is_sent(authority: Authority) -> None:
    with echo_server(authority.issue(["127.0.0.1"]), len(HELLO)) as server:
        assert probe(f"https://127.0.0.1:{server.port}/", None)[0] == "not opened: no_ca"
    assert server.errors == [], "nobody came"


def test_a_ca_that_is_none(authority: Authority, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pem"
    broken.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    assert ended(authority.issue(["127.0.0.1"]), broken) == "not opened: no_ca"


def test_another_ca_of_the_same_name(authority: Authority, tmp_path: Path) -> None:
    other = Authority(tmp_path / "other")
    assert ended(other.issue(["127.0.0.1"]), authority.file) == "not opened: untrusted"


@pytest.mark.parametrize(
    ("names", "host"),
    [
        (["192.168.1.5"], "127.0.0.1"),
        (["localhost"], "127.0.0.1"),
        (["127.0.0.1"], "localhost"),
        ([], "127.0.0.1"),
        (["example.org", "127.0.0.10", "::1"], "127.0.0.1"),
        (["*.example.org"], "localhost"),
    ],
)
def test_another_host(authority: Authority, names: list[str], host: str) -> None:
    assert ended(authority.issue(names), authority.file, host) == "not opened: untrusted"


def test_an_address_as_common_name_is_no_address(authority: Authority) -> None:
    certificate = authority.issue([], common_name="127.0.0.1")
    assert ended(certificate, authority.file) == "not opened: untrusted"


@pytest.mark.parametrize(("begins", "lasts"), [(-3 * DAY, DAY), (timedelta(hours=1), DAY)])
def test_outside_of_its_validity(authority: Authority, begins: timedelta, lasts: timedelta) -> None:
    certificate = authority.issue(["127.0.0.1"], valid_from=begins, valid_for=lasts)
    assert ended(certificate, authority.file) == "not opened: outdated"


def test_outside_of_its_validity_and_of_another_ca(authority: Authority, tmp_path: Path) -> None:
    other = Authority(tmp_path / "other").issue(["127.0.0.1"], valid_from=-3 * DAY, valid_for=DAY)
    assert ended(other, authority.file) == "not opened: untrusted"


def test_a_certificate_that_signed_itself(authority: Authority, tmp_path: Path) -> None:
    mine = Authority(tmp_path / "mine", name="127.0.0.1")
    assert ended(mine.issue(["127.0.0.1"], ca=True), authority.file) == "not opened: untrusted"


def test_a_server_without_tls_is_not_talked_to(authority: Authority) -> None:
    assert ended(None, authority.file) == "not opened: refused"


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_old_tls_is_not_spoken(authority: Authority) -> None:
    certificate = authority.issue(["127.0.0.1"])
    with echo_server(
        certificate, len(HELLO), oldest=ssl.TLSVersion.TLSv1, newest=ssl.TLSVersion.TLSv1_1
    ) as server:
        assert (
            probe(f"https://127.0.0.1:{server.port}/", authority.file)[0] == "not opened: refused"
        )


def test_an_end_that_tls_did_not_announce_is_a_loss(authority: Authority) -> None:
    certificate = authority.issue(["127.0.0.1"])
    with echo_server(certificate, len(HELLO), says_goodbye=False) as server:
        how, got = probe(f"https://127.0.0.1:{server.port}/", authority.file)
    assert (how, got) == ("closed: lost", HELLO.upper())


def test_many_bytes_both_ways_arrive_in_order(authority: Authority) -> None:
    """A server that takes its time makes every kind of unfinished write happen."""
    said = os.urandom(1_500_000).hex().encode()
    with echo_server(authority.issue(["127.0.0.1"]), len(said)) as server:
        how, got = probe(f"https://127.0.0.1:{server.port}/", authority.file, said)
    assert how == "closed: none"
    assert got == said.upper()


# ---- the whole device


def test_a_device_with_a_pinned_ca_talks_over_tls(tmp_path: Path, authority: Authority) -> None:
    with (
        scripted_server(
            tmp_path / "server", speaking("It is noon."), tls=authority.issue(["127.0.0.1"])
        ) as server,
        firmware_device(tmp_path / "device", server=server.url, ca=authority.file) as device,
    ):
        assert server.url.startswith("https://")
        pair(device, server.url)
        device.say(tone(1.0))
        mark = device.mark()
        device.do("tap")
        device.wait_view("heard", since=mark)
        device.wait_event("sound", mark, on=True)
        device.wait_state("idle", mark)


def test_a_device_has_one_tls_connection_at_a_time(tmp_path: Path, authority: Authority) -> None:
    """Also while what it feels changes, and in a talk: a session takes 40 KB of its memory."""
    with (
        scripted_server(
            tmp_path / "server", speaking("It is noon."), tls=authority.issue(["127.0.0.1"])
        ) as server,
        counting_relay(int(server.url.rpartition(":")[2])) as relay,
        firmware_device(
            tmp_path / "device", server=f"https://127.0.0.1:{relay.port}", ca=authority.file
        ) as device,
    ):
        pair(device, server.url)
        for turn in range(3):
            up = [0, 1000, 0] if turn % 2 else [0, 0, 1000]
            device.do("motion", accel_mg=up, gyro_mdps=[0, 0, 0])
            device.say(tone(1.0))
            mark = device.mark()
            device.do("tap")
            device.wait_event("sound", mark, on=True)
            device.wait_state("idle", mark)
        idle = relay.opened
        time.sleep(6)  # longer than the senses wait at most
    assert relay.most == 1
    assert relay.opened == idle, "nothing is opened anew"


def test_a_device_does_not_talk_to_a_server_of_another_ca(
    tmp_path: Path, authority: Authority
) -> None:
    other = Authority(tmp_path / "other")
    with (
        scripted_server(
            tmp_path / "server", speaking("It is noon."), tls=other.issue(["127.0.0.1"])
        ) as server,
        firmware_device(tmp_path / "device", server=server.url, ca=authority.file) as device,
    ):
        device.wait_view("trouble", "I don't trust this server's certificate.")
        assert "connecting" not in device.states()


def test_https_without_a_ca_is_said_and_nothing_sent(tmp_path: Path, authority: Authority) -> None:
    with (
        scripted_server(
            tmp_path / "server", speaking("It is noon."), tls=authority.issue(["127.0.0.1"])
        ) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        device.wait_view("trouble", "An https server needs a CA. Please set one.")
        stats = device.stats()
    assert stats["bytes_sent"] == 0


def test_a_device_with_lobugs_own_authority_talks_to_its_https_port(tmp_path: Path) -> None:
    settings = {"LOBUG_TLS__ENABLED": "true", "LOBUG_TLS__PORT": "0"}
    with scripted_serve(tmp_path / "server", **settings) as server:
        line = next(line for line in server.log.splitlines() if "https://" in line)
        port = line.split()[1].rstrip("/").rpartition(":")[2]
        ca = tmp_path / "server" / "data" / "tls" / "lobug-ca.crt"
        url = f"https://127.0.0.1:{port}"
        with firmware_device(tmp_path / "device", server=url, ca=ca) as device:
            pair(device, server.url)
            device.say(tone(1.0))
            mark = device.mark()
            device.do("tap")
            device.wait_view("heard", since=mark)
            device.wait_event("sound", mark, on=True)
            device.wait_state("idle", mark)
        other = Authority(tmp_path / "other")
        with firmware_device(tmp_path / "second", server=url, ca=other.file) as device:
            device.wait_view("trouble", "I don't trust this server's certificate.")
