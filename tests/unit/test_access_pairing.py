"""Pairing: what a device is answered, what it says of itself, where it is sent."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lobug.access import tokens
from lobug.access.approval import (
    DiscoveryAnswer,
    answer_to,
    awaiting,
    is_activated,
    newly_activated,
)
from lobug.access.callers import RevocationListeners, Revoked, revoked_between
from lobug.access.devices import (
    MAX_BYTES,
    MAX_WORD,
    Discovery,
    Introduction,
    read_introduction,
)
from lobug.access.records import Device, Pairing, Register
from lobug.errors import InvalidRequestError
from lobug.http.devices.discovery import (
    called_url,
    reply_to,
    server_time,
    server_url,
)
from lobug.settings import AccessSettings

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=timezone(timedelta(hours=5, minutes=30)))


def device(
    *, given: bool = True, used: bool = False, revoked: bool = False, client_id: str = "mine"
) -> Device:
    return Device(
        "aa:bb",
        client_id,
        "",
        None,
        "hash" if given else None,
        1.0,
        token_used_at=2.0 if used else None,
        revoked_at=3.0 if revoked else None,
    )


@pytest.mark.parametrize(
    ("known", "with_pairing", "without"),
    [
        (None, DiscoveryAnswer.code, DiscoveryAnswer.token),
        (device(given=False), DiscoveryAnswer.token, DiscoveryAnswer.token),
        # Given, but perhaps it never arrived.
        (device(), DiscoveryAnswer.token, DiscoveryAnswer.token),
        (device(used=True), DiscoveryAnswer.welcome, DiscoveryAnswer.welcome),
        (device(client_id="other"), DiscoveryAnswer.code, DiscoveryAnswer.token),
        (device(used=True, client_id="other"), DiscoveryAnswer.code, DiscoveryAnswer.token),
        (device(used=True, revoked=True), DiscoveryAnswer.code, DiscoveryAnswer.code),
        (device(revoked=True, client_id="other"), DiscoveryAnswer.code, DiscoveryAnswer.code),
    ],
)
def test_what_a_device_gets(
    known: Device | None, with_pairing: DiscoveryAnswer, without: DiscoveryAnswer
) -> None:
    assert answer_to(known, "mine", pairing=True) is with_pairing
    assert answer_to(known, "mine", pairing=False) is without


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (None, False),
        (device(given=False), True),
        (device(used=True), True),
        (device(client_id="other"), False),
        (device(revoked=True), False),
    ],
)
def test_who_is_activated(known: Device | None, *, expected: bool) -> None:
    assert is_activated(known, "mine") is expected


def test_a_device_introduces_itself() -> None:
    body = {
        "version": 2,
        "application": {"name": "xiaozhi", "version": "2.0.1"},
        "board": {"type": "m5stack-core-s3", "name": ""},
    }
    found = read_introduction(json.dumps(body).encode())
    described = "m5stack-core-s3, xiaozhi, 2.0.1"
    assert found == Introduction("2.0.1", described, "xiaozhi", "m5stack-core-s3")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b"3",
        b'{"application": 3, "board": []}',
        b'{"application": {"version": 2}}',
        b'{"application": {"version": "\\u001b[2J"}}',
        b"[" * MAX_BYTES,
        b'{"application": {"version": "1"}, "x": "' + b"x" * MAX_BYTES + b'"}',
    ],
)
def test_what_is_no_introduction_says_nothing(body: bytes) -> None:
    assert read_introduction(body) == Introduction(None, "")


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["application", "board", "name", "version"]), inner)
    ),
    max_leaves=10,
)


@given(st.one_of(st.binary(max_size=200), json_values.map(lambda v: json.dumps(v).encode())))
def test_no_introduction_breaks_anything(body: bytes) -> None:
    found = read_introduction(body)
    assert found.description.isprintable()
    assert len(found.description) <= 3 * MAX_WORD + 4
    assert found.version is None or found.version.isprintable()


@pytest.mark.parametrize(
    ("public", "scheme", "host", "expected"),
    [
        ("", "http", "192.168.1.5:8321", "http://192.168.1.5:8321"),
        ("", "https", "lobug.lan", "https://lobug.lan"),
        ("", "http", "[fd00::1]:8321", "http://[fd00::1]:8321"),
        ("https://lobug.example/", "http", "10.0.0.1", "https://lobug.example"),
        ("wss://lobug.example/bug", "http", None, "https://lobug.example/bug"),
        ("http://[fd00::1]:80", "https", "x", "http://[fd00::1]:80"),
    ],
)
def test_where_a_device_talks(public: str, scheme: str, host: str | None, expected: str) -> None:
    assert AccessSettings(public_url=public).public_url == public
    assert server_url(public, scheme, host) == expected


@pytest.mark.parametrize(
    ("host", "forwarded", "expected"),
    [
        ("192.168.1.5:8321", False, "http://192.168.1.5:8321"),
        ("Lobug.example", False, "https://lobug.example/bug"),
        ("192.168.1.5:8321", True, "https://lobug.example/bug"),
    ],
)
def test_where_a_device_called(host: str, forwarded: bool, expected: str) -> None:
    public = "https://lobug.example/bug"
    assert called_url(public, "http", host, forwarded=forwarded) == expected
    assert called_url("", "http", host, forwarded=forwarded) == f"http://{host}"


@pytest.mark.parametrize("host", [None, "", "a b", "a/b", "user@host", "host:", "host:port", "é"])
def test_a_host_that_is_none(host: str | None) -> None:
    with pytest.raises(InvalidRequestError):
        server_url("", "http", host)


@pytest.mark.parametrize(
    "url",
    ["http://[", "http://[:]", "lobug.example", "ftp://x", "http://", "http://a b", "http://u@h"],
)
def test_a_public_url_that_is_none(url: str) -> None:
    with pytest.raises(ValidationError):
        AccessSettings(public_url=url)


def test_the_clock_that_devices_set() -> None:
    clock = server_time(NOW)
    assert clock.timestamp == int(NOW.timestamp() * 1000)
    assert clock.timezone_offset == 330
    assert server_time(NOW.astimezone(UTC)).timezone_offset == 0


def test_the_answer_has_a_place_or_a_code() -> None:
    url = "http://lobug"
    told = Introduction("2.0.1", "")
    welcome = reply_to(told, Discovery(), url=url, now=NOW).model_dump(exclude_none=True)
    assert welcome["websocket"] == {"url": "ws://lobug/xiaozhi/v1/", "version": 1}
    assert welcome["firmware"] == {"version": "2.0.1", "url": ""}
    assert "activation" not in welcome
    given = reply_to(told, Discovery(token="lobug_x"), url="https://lobug", now=NOW)
    assert given.websocket is not None
    assert given.websocket.token == "lobug_x"
    assert given.websocket.url == "wss://lobug/xiaozhi/v1/"
    pairing = Pairing("aa", "u", "012345", "challenge", "", "", 0.0, NOW.timestamp() + 90)
    shown = reply_to(Introduction(None, ""), Discovery(pairing=pairing), url=url, now=NOW)
    waiting = shown.model_dump(exclude_none=True)
    assert waiting["websocket"] == {"url": "ws://lobug/xiaozhi/v1/", "version": 1, "token": ""}
    assert waiting["firmware"] == {"version": "0.0.0", "url": ""}
    assert waiting["activation"]["code"] in waiting["activation"]["message"]
    assert waiting["activation"]["challenge"] == "challenge"
    assert waiting["activation"]["timeout_ms"] == 90_000
    own = Introduction(None, "", application="lobug")
    shown = reply_to(own, Discovery(pairing=pairing), url=url, now=NOW)
    assert shown.websocket is None, "Lo-Bug's firmware takes an address for a place to talk"


def test_what_a_device_without_a_token_waits_for() -> None:
    pairing = Pairing("aa:bb", "mine", "012345", "challenge", "", "", 0.0, 100.0)
    shows = Register.of([], [pairing], [])

    def waits(register: Register, client_id: str = "mine", now: float = 99.0) -> str | None:
        found = awaiting(register, "aa:bb", client_id, now=now, pairing=True)
        return None if found is None else found.code or "its token"

    assert waits(shows) == "012345"
    assert waits(shows, client_id="other") is None
    assert waits(shows, now=100.0) is None, "the code has expired"
    assert waits(Register.of([], [], [])) is None
    assert waits(Register.of([device(given=False)], [], [])) == "its token"
    assert waits(Register.of([device(used=True)], [], [])) is None, "it has one"
    assert waits(Register.of([device(revoked=True)], [], [])) is None
    assert waits(Register.of([device(client_id="other", given=False)], [], [])) is None
    again = Register.of([device(revoked=True)], [pairing], [])
    assert waits(again) == "012345"


def test_whom_a_change_has_approved() -> None:
    nobody, one = Register.of([], [], []), Register.of([device(given=False)], [], [])
    assert list(newly_activated(nobody, one)) == [("aa:bb", "mine")]
    assert list(newly_activated(one, Register.of([device()], [], []))) == []
    assert list(newly_activated(one, nobody)) == []
    other = Register.of([device(client_id="other")], [], [])
    assert list(newly_activated(one, other)) == [("aa:bb", "other")]
    revoked = Register.of([device(revoked=True)], [], [])
    assert list(newly_activated(nobody, revoked)) == []
    assert list(newly_activated(revoked, one)) == [("aa:bb", "mine")]


def test_tokens_and_codes_look_as_they_should() -> None:
    token = tokens.new_token()
    assert tokens.is_ours(token)
    assert len(token) == len("lobug_") + 43
    assert tokens.bearer(f"Bearer {token}") == token
    assert tokens.bearer("Bearer ") is tokens.bearer(None) is tokens.bearer("Basic x") is None
    assert {len(tokens.new_code()) for _ in range(50)} == {6}
    assert len({tokens.new_code() for _ in range(50)}) > 40


def test_who_has_to_go_after_a_change() -> None:
    before = Register.of([device(used=True)], [], [])
    same = Register.of([device(used=True)], [], [])
    assert list(revoked_between(before, same)) == []
    gone = [Revoked("device:aa:bb", "aa:bb", "hash")]
    assert list(revoked_between(before, Register.of([device(revoked=True)], [], []))) == gone
    assert list(revoked_between(before, Register())) == gone
    unpaired = Register.of([device(given=False)], [], [])
    strangers = [Revoked("device:aa:bb", "aa:bb", None)]
    assert list(revoked_between(Register(), before)) == strangers
    assert list(revoked_between(unpaired, before)) == strangers
    assert list(revoked_between(Register(), unpaired)) == []


def test_a_listener_that_fails_keeps_nobody_from_hearing() -> None:
    listeners = RevocationListeners()
    heard: list[Revoked] = []

    def fail(_: Revoked) -> None:
        raise ValueError

    listeners.add(fail)
    stop = listeners.add(heard.append)
    gone = Revoked("device:x", "x", "hash")
    listeners.notify(gone)
    stop()
    stop()
    listeners.notify(gone)
    assert heard == [gone]
