"""Who may talk: every rule, as a table; and that no stranger gets in, whatever it sends."""

from __future__ import annotations

import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.access import rules, tokens
from lobug.access.addresses import (
    is_forwarded,
    is_loopback,
    is_own_name,
    keeps_session,
    source_of,
)
from lobug.access.callers import Caller, Revoked, revoked_between
from lobug.access.records import DAY_S, ApiToken, Browser, Device, Register
from lobug.access.rules import Credentials, identify, still_valid
from lobug.conversation.registry import conversation_of
from lobug.errors import AccessUnavailableError, InvalidRequestError, LobugError, TokenInvalidError
from lobug.settings import AccessSettings

DEVICE_TOKEN, ADAS_TOKEN, OWNERS_TOKEN = (tokens.PREFIX + mark * 43 for mark in "dao")
REVOKED_TOKEN = tokens.PREFIX + "r" * 43
DEVICE = Device("aa:bb", "uuid", "Desk", "ada", tokens.digest(DEVICE_TOKEN), 1.0)
ADAS = ApiToken("t1", "laptop", tokens.digest(ADAS_TOKEN), "ada", "desk", False, 1.0)
OWNERS = ApiToken("t2", "phone", tokens.digest(OWNERS_TOKEN), None, None, True, 1.0)
REVOKED = ApiToken(
    "t3", "lost", tokens.digest(REVOKED_TOKEN), None, None, True, 1.0, revoked_at=2.0
)
PHONES_TOKEN, LAPTOPS_TOKEN, LOST_TOKEN = (tokens.PREFIX + mark * 43 for mark in "plx")
PHONE = Browser("b1", "Phone", "ada", False, tokens.digest(PHONES_TOKEN), 1.0)
LAPTOP = Browser("b2", "", "ada", True, tokens.digest(LAPTOPS_TOKEN), 1.0)
LOST = Browser("b3", "", "bob", True, tokens.digest(LOST_TOKEN), 1.0, revoked_at=2.0)
REGISTER = Register.of(
    [
        DEVICE,
        Device("gone", "uuid", "", None, None, 1.0, revoked_at=2.0),
        Device("new", "uuid", "", None, None, 1.0),
    ],
    [],
    [ADAS, OWNERS, REVOKED],
    [PHONE, LAPTOP, LOST],
)
SETTINGS = AccessSettings.model_validate(
    {
        "trusted_networks": ["10.0.0.0/8", "fd00::/8"],
        "hostnames": ["Kitchen.local"],
        "public_url": "https://LoBug.example:443/bug",
    }
)
HERE, THERE, TRUSTED = "127.0.0.1", "192.168.1.7", "10.1.2.3"
HOST = "localhost:8321"


def bearer(token: str) -> str:
    return f"Bearer {token}"


def result(
    shown: Credentials,
    register: Register | None = REGISTER,
    settings: AccessSettings = SETTINGS,
    secret: str = "",
) -> str:
    """Kind and key of the caller, or the error's code."""
    try:
        caller = identify(shown, register, settings, secret)
    except LobugError as error:
        return error.code
    return f"{caller.kind} {caller.key}" + (" owner" if caller.owner else "")


SECRET = "s" * 43
WITH_TOKEN = SETTINGS.model_copy(update={"loopback": "token"})


@pytest.mark.parametrize(
    ("shown", "secret", "settings", "expected"),
    [
        # access.loopback=token: this computer is nobody without the secret or a token
        (Credentials(HERE, host=HOST), SECRET, WITH_TOKEN, "token_required"),
        (Credentials("::1", host=HOST), SECRET, WITH_TOKEN, "token_required"),
        (Credentials(HERE, host=HOST, device_id="aa:bb"), SECRET, WITH_TOKEN, "token_required"),
        (Credentials(HERE, host="evil.example"), SECRET, WITH_TOKEN, "token_required"),
        (
            Credentials(HERE, host=HOST, authorization="Bearer wrong"),
            SECRET,
            WITH_TOKEN,
            "token_invalid",
        ),
        (Credentials(HERE, host=HOST, authorization="Bearer"), "", WITH_TOKEN, "token_required"),
        (Credentials(HERE, host=HOST, authorization="Bearer x"), "", WITH_TOKEN, "token_invalid"),
        (
            Credentials(HERE, host=HOST, authorization=f"Bearer {SECRET}"),
            SECRET,
            WITH_TOKEN,
            "loopback address:127.0.0.1 owner",
        ),
        (
            Credentials(HERE, host=HOST, device_id="AA:BB", authorization=f"Bearer {SECRET}"),
            SECRET,
            WITH_TOKEN,
            "loopback device:aa:bb owner",
        ),
        (
            Credentials(HERE, host=HOST, authorization=f"Bearer {OWNERS_TOKEN}"),
            SECRET,
            WITH_TOKEN,
            f"api token:{tokens.digest(OWNERS_TOKEN)[:32]} owner",
        ),
        # not from elsewhere, whoever has it, nor through a proxy
        (
            Credentials(THERE, authorization=f"Bearer {SECRET}", reached="192.168.1.5"),
            SECRET,
            WITH_TOKEN,
            "token_invalid",
        ),
        (
            Credentials(HERE, forwarded=True, host=HOST, authorization=f"Bearer {SECRET}"),
            SECRET,
            WITH_TOKEN,
            "token_invalid",
        ),
        # a server that listens to an address of the network alone, called from the same computer
        (
            Credentials(THERE, authorization=f"Bearer {SECRET}", reached=THERE),
            SECRET,
            SETTINGS,
            f"loopback address:{THERE} owner",
        ),
        (
            Credentials(THERE, forwarded=True, authorization=f"Bearer {SECRET}", reached=THERE),
            SECRET,
            SETTINGS,
            "token_invalid",
        ),
        (Credentials(THERE, reached=THERE), SECRET, SETTINGS, "token_required"),
        (Credentials(None, authorization=f"Bearer {SECRET}"), SECRET, SETTINGS, "token_invalid"),
    ],
)
def test_the_secret_of_the_data_folder(
    shown: Credentials, secret: str, settings: AccessSettings, expected: str
) -> None:
    assert result(shown, settings=settings, secret=secret) == expected


ADAS_KEY = f"token:{tokens.digest(ADAS_TOKEN)[:32]}"
OWNERS_KEY = f"token:{tokens.digest(OWNERS_TOKEN)[:32]}"
DUMMY_KEY = f"token:{tokens.digest('sk-dummy')[:32]}"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        # this computer
        (Credentials(HERE, host=HOST), "loopback address:127.0.0.1 owner"),
        (Credentials("::1", host="[::1]:8321"), "loopback address:::1 owner"),
        (Credentials("::ffff:127.0.0.1", host=HOST), "loopback address:127.0.0.1 owner"),
        (Credentials(HERE, host=HOST, device_id="AA:BB"), "loopback device:aa:bb owner"),
        (
            Credentials(HERE, host=HOST, authorization=bearer("sk-dummy")),
            f"loopback {DUMMY_KEY} owner",
        ),
        (
            Credentials(HERE, host=HOST, authorization="Basic eA=="),
            "loopback address:127.0.0.1 owner",
        ),
        (Credentials(HERE, host=None), "loopback address:127.0.0.1 owner"),
        (Credentials(HERE, host="kitchen.LOCAL:8321"), "loopback address:127.0.0.1 owner"),
        (Credentials(HERE, host="evil.example"), "host_unknown"),
        (Credentials(HERE, host="kitchen"), "host_unknown"),
        (
            Credentials(HERE, host="evil.example", authorization=bearer(ADAS_TOKEN)),
            f"api {ADAS_KEY}",
        ),
        (
            Credentials(HERE, host="evil.example", authorization=bearer("sk-dummy")),
            "host_unknown",
        ),
        (Credentials(HERE, forwarded=True, host=HOST), "token_required"),
        (Credentials(HERE, host=HOST, authorization=bearer("lobug_x")), "token_invalid"),
        (Credentials(HERE, host=HOST, authorization=bearer(REVOKED_TOKEN)), "token_invalid"),
        (Credentials(HERE, host=HOST, device_id="a b"), "invalid_request"),
        # from elsewhere
        (Credentials(THERE), "token_required"),
        (Credentials(None), "token_required"),
        (Credentials("::ffff:192.168.1.7"), "token_required"),
        (Credentials(THERE, device_id="aa:bb"), "token_required"),
        (Credentials(THERE, device_id="new"), "token_required"),
        (Credentials(THERE, authorization=bearer("sk-dummy")), "token_invalid"),
        (Credentials(THERE, authorization=bearer("lobug_")), "token_invalid"),
        (Credentials(THERE, authorization=bearer(REVOKED_TOKEN)), "token_invalid"),
        (Credentials(THERE, authorization=bearer(tokens.digest(ADAS_TOKEN))), "token_invalid"),
        (Credentials(THERE, authorization=DEVICE_TOKEN), "token_required"),
        (Credentials(THERE, authorization=bearer(DEVICE_TOKEN)), "device device:aa:bb"),
        (
            Credentials(THERE, authorization=f"bearer  {DEVICE_TOKEN} ", device_id="AA:BB"),
            "device device:aa:bb",
        ),
        (
            Credentials(THERE, authorization=bearer(DEVICE_TOKEN), device_id="cc:dd"),
            "token_wrong_device",
        ),
        (
            Credentials(HERE, host=HOST, authorization=bearer(DEVICE_TOKEN), device_id="cc:dd"),
            "token_wrong_device",
        ),
        (Credentials(THERE, authorization=bearer(ADAS_TOKEN)), f"api {ADAS_KEY}"),
        (
            Credentials(THERE, authorization=bearer(ADAS_TOKEN), device_id="aa:bb"),
            f"api {ADAS_KEY}",
        ),
        (Credentials(THERE, authorization=bearer(OWNERS_TOKEN)), f"api {OWNERS_KEY} owner"),
        # from a trusted network
        (Credentials(TRUSTED), "network address:10.1.2.3"),
        (Credentials("::ffff:10.1.2.3"), "network address:10.1.2.3"),
        (Credentials("fd00::7%eth0"), "network address:fd00::7"),
        (Credentials(TRUSTED, device_id="CC:DD"), "network device:cc:dd"),
        (Credentials(TRUSTED, device_id="AA:BB"), "token_required"),
        (Credentials(TRUSTED, authorization=bearer("sk-dummy")), f"network {DUMMY_KEY}"),
        (Credentials(TRUSTED, authorization=bearer("lobug_x")), "token_invalid"),
        (Credentials(TRUSTED, authorization=bearer(DEVICE_TOKEN)), "device device:aa:bb"),
        (Credentials(TRUSTED, forwarded=True), "token_required"),
        (Credentials("11.0.0.1"), "token_required"),
        (Credentials(TRUSTED, host="192.168.1.5:8321"), "network address:10.1.2.3"),
        (Credentials(TRUSTED, host="kitchen.local:8321"), "network address:10.1.2.3"),
        (Credentials(TRUSTED, host="lobug.example"), "network address:10.1.2.3"),
        (Credentials(TRUSTED, host="evil.example"), "host_unknown"),
    ],
)  # fmt: skip
def test_who_gets_in(shown: Credentials, expected: str) -> None:
    assert result(shown) == expected


@pytest.mark.parametrize(
    "shown",
    [
        Credentials(THERE),
        Credentials(TRUSTED),
        Credentials(THERE, authorization=bearer(ADAS_TOKEN)),
        Credentials(HERE, host=HOST, authorization=bearer(ADAS_TOKEN)),
    ],
)
def test_without_the_file_only_this_computer_gets_in(shown: Credentials) -> None:
    assert result(shown, None) == AccessUnavailableError.code
    assert result(Credentials(HERE, host=HOST), None).startswith("loopback")


addresses = st.one_of(
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map(str),
    st.ip_addresses(v=4).map(lambda address: f"::ffff:{address}"),
    st.text(max_size=20),
    st.none(),
).filter(lambda address: not is_loopback(address))
good = {DEVICE_TOKEN, ADAS_TOKEN, OWNERS_TOKEN}
anything = st.text(st.characters(max_codepoint=255), max_size=80)
authorizations = st.one_of(
    st.none(),
    anything,
    anything.map(bearer),
    st.text(string.ascii_letters + string.digits + "-_", max_size=50).map(
        lambda text: bearer(tokens.PREFIX + text)
    ),
    st.just(bearer(REVOKED_TOKEN)),
    st.sampled_from(sorted(good)).flatmap(
        lambda token: st.integers(0, len(token) - 1).map(
            lambda cut: bearer(token[:cut] + token[cut + 1 :])
        )
    ),
).filter(lambda text: tokens.bearer(text) not in good)


@given(
    address=addresses,
    forwarded=st.booleans(),
    host=st.one_of(st.none(), anything, st.just("localhost")),
    device_id=st.one_of(st.none(), anything, st.sampled_from(["aa:bb", "new", "gone"])),
    authorization=authorizations,
    known=st.booleans(),
)
def test_nobody_gets_in_from_elsewhere_without_a_good_token(
    address: str | None,
    forwarded: bool,
    host: str | None,
    device_id: str | None,
    authorization: str | None,
    known: bool,
) -> None:
    shown = Credentials(address, forwarded, host, device_id, authorization)
    with pytest.raises(LobugError):
        identify(shown, REGISTER if known else None, AccessSettings())


@given(device_id=st.one_of(st.none(), anything), address=st.one_of(addresses, st.just(HERE)))
def test_nothing_changes_whom_an_api_token_stands_for(
    device_id: str | None, address: str | None
) -> None:
    shown = Credentials(address, False, HOST, device_id, bearer(ADAS_TOKEN))
    try:
        caller = identify(shown, REGISTER, SETTINGS)
    except InvalidRequestError:
        return  # it is no Device-Id at all
    assert (caller.key, caller.user, caller.conversation) == (ADAS_KEY, "ada", "desk")
    assert not caller.owner


def test_a_callers_right_ends_with_its_token() -> None:
    device = identify(Credentials(THERE, authorization=bearer(DEVICE_TOKEN)), REGISTER, SETTINGS)
    api = identify(Credentials(THERE, authorization=bearer(ADAS_TOKEN)), REGISTER, SETTINGS)
    assert still_valid(device, REGISTER)
    assert still_valid(api, REGISTER)
    others = Register.of([replace(DEVICE, user="bob")], [], [replace(ADAS, revoked_at=3.0)])
    assert not still_valid(device, others)
    assert not still_valid(api, others)
    assert still_valid(Caller("loopback", "address:127.0.0.1"), Register())


def test_tokens_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return False

    monkeypatch.setattr("lobug.access.tokens.hmac.compare_digest", compare)
    for token, known in ((DEVICE_TOKEN, DEVICE.token_hash), (ADAS_TOKEN, ADAS.token_hash)):
        with pytest.raises(TokenInvalidError):
            identify(Credentials(THERE, authorization=bearer(token)), REGISTER, SETTINGS)
        assert known is not None
        assert compared[-1] == (known.encode(), known.encode())


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.0.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("192.168.1.7", False),
        ("::ffff:192.168.1.7", False),
        ("fe80::1%eth0", False),
        ("0.0.0.0", False),
        ("testclient", False),
        ("", False),
        (None, False),
    ],
)
def test_loopback(address: str | None, *, expected: bool) -> None:
    assert is_loopback(address) is expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1:8321", True),
        ("192.168.1.7:8321", True),
        ("[::1]:8321", True),
        ("::1", True),
        ("localhost", True),
        ("LOCALHOST.", True),
        ("lobug.localhost:8321", True),
        ("kitchen.local", True),
        ("127.0.1.1", True),
        ("0.0.0.0:8321", False),
        ("[::]:8321", False),
        ("[::ffff:127.0.0.1]:8321", False),
        ("[::ffff:7f00:1]", False),
        ("kitchen.local.evil.example", False),
        ("kitchen", False),
        ("evil.example:8321", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("notlocalhost", False),
        ("", False),
        (None, True),
    ],
)
def test_names_that_a_foreign_page_cannot_have(host: str | None, *, expected: bool) -> None:
    assert is_own_name(host, ("kitchen.local",)) is expected


def test_proxies_are_known_by_their_headers() -> None:
    assert is_forwarded(["host", "x-forwarded-for"])
    assert not is_forwarded(["host", "accept"])
    assert Credentials.of(HERE, {"X-Real-IP": THERE}).forwarded


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("192.168.1.7", "192.168.1.7"),
        ("::ffff:192.168.1.7", "192.168.1.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        (None, "unknown"),
    ],
)
def test_attempts_are_counted_by_source(address: str | None, expected: str) -> None:
    assert source_of(address) == expected


def test_a_tokens_user_and_conversation_come_before_the_settings() -> None:
    users = {"device:aa:bb": "settings"}
    assert conversation_of("device:AA:BB", users).user == "settings"
    assert conversation_of("device:aa:bb", users, user="ada").user == "ada"
    assert conversation_of("device:aa:bb", {}, user="ada").conversation == "ada/device:aa:bb"
    assert (
        conversation_of("token:x", {}, user="ada", conversation="desk").conversation == "ada/desk"
    )
    assert conversation_of("token:x", {}, conversation="desk").conversation == "token:x/desk"


@pytest.mark.parametrize("client_id", [None, "", "a b", "x" * 129, "é", "a\n"])
def test_a_client_id_that_is_none(client_id: str | None) -> None:
    with pytest.raises(LobugError) as failure:
        rules.checked_client_id(client_id)
    assert failure.value.code == "invalid_request"


@pytest.mark.parametrize(
    ("address", "device_id", "good"),
    [
        (TRUSTED, "aa:bb", False),
        (TRUSTED, "new", True),
        (TRUSTED, None, True),
        (HERE, "aa:bb", True),
    ],
)
def test_who_came_without_a_token_is_still_good_until_the_device_has_one(
    address: str, device_id: str | None, good: bool
) -> None:
    shown = Credentials(address, host=HOST, device_id=device_id)
    caller = identify(shown, Register(), SETTINGS)
    assert still_valid(caller, Register())
    assert still_valid(caller, REGISTER) is good


# ---- browsers


@pytest.mark.parametrize(
    ("shown", "settings", "expected"),
    [
        (Credentials(THERE, session=PHONES_TOKEN), SETTINGS, "browser browser:b1"),
        (Credentials(THERE, session=LAPTOPS_TOKEN), SETTINGS, "browser browser:b2 owner"),
        (Credentials(TRUSTED, session=PHONES_TOKEN), SETTINGS, "browser browser:b1"),
        (Credentials(HERE, True, HOST, session=LAPTOPS_TOKEN), SETTINGS,
         "browser browser:b2 owner"),
        (Credentials(HERE, host=HOST, session=PHONES_TOKEN), SETTINGS, "browser browser:b1"),
        (Credentials(HERE, host=HOST, session=LAPTOPS_TOKEN), SETTINGS,
         "loopback browser:b2 owner"),
        (
            Credentials(HERE, host=HOST, session=LAPTOPS_TOKEN),
            WITH_TOKEN,
            "loopback browser:b2 owner",
        ),
        # a header counts before the cookie; one for a proxy is none of ours
        (
            Credentials(THERE, authorization=bearer(ADAS_TOKEN), session=LAPTOPS_TOKEN),
            SETTINGS,
            f"api {ADAS_KEY}",
        ),
        (
            Credentials(THERE, authorization=bearer("lobug_x"), session=LAPTOPS_TOKEN),
            SETTINGS,
            "token_invalid",
        ),
        (
            Credentials(HERE, host=HOST, authorization=bearer("sk-dummy"), session=PHONES_TOKEN),
            SETTINGS,
            f"loopback {DUMMY_KEY} owner",
        ),
        (
            Credentials(THERE, authorization="Basic eA==", session=PHONES_TOKEN),
            SETTINGS,
            "browser browser:b1",
        ),
        # a session that is over counts as none
        (Credentials(THERE, session=LOST_TOKEN), SETTINGS, "token_invalid"),
        (Credentials(THERE, session="x"), SETTINGS, "token_invalid"),
        (Credentials(THERE, session=ADAS_TOKEN), SETTINGS, "token_invalid"),
        (Credentials(THERE, session=DEVICE_TOKEN), SETTINGS, "token_invalid"),
        (Credentials(TRUSTED, session=LOST_TOKEN), SETTINGS, "network address:10.1.2.3"),
        (
            Credentials(HERE, host=HOST, session=LOST_TOKEN),
            SETTINGS,
            "loopback address:127.0.0.1 owner",
        ),
        (Credentials(HERE, host=HOST, session=LOST_TOKEN), WITH_TOKEN, "token_invalid"),
        (Credentials(HERE, host="evil.example", session=LOST_TOKEN), SETTINGS, "host_unknown"),
        # a session is no bearer token
        (Credentials(THERE, authorization=bearer(PHONES_TOKEN)), SETTINGS, "token_invalid"),
        # DNS rebinding
        (Credentials(THERE, host="evil.example", session=PHONES_TOKEN), SETTINGS, "host_unknown"),
        (Credentials(HERE, host="evil.example", session=LAPTOPS_TOKEN), SETTINGS, "host_unknown"),
        (Credentials(THERE, host="kitchen.local", session=PHONES_TOKEN), SETTINGS,
         "browser browser:b1"),
        (Credentials(THERE, host="lobug.example", session=PHONES_TOKEN), SETTINGS,
         "browser browser:b1"),
        (Credentials(THERE, host="192.168.1.5:8322", session=PHONES_TOKEN), SETTINGS,
         "browser browser:b1"),
    ],
)  # fmt: skip
def test_browsers(shown: Credentials, settings: AccessSettings, expected: str) -> None:
    assert result(shown, settings=settings) == expected


@pytest.mark.parametrize("used_at", [None, 50.0])
def test_a_session_ends_so_many_days_after_its_last_use(used_at: float | None) -> None:
    settings = AccessSettings(browser_days=2)
    register = Register.of([], [], [], [replace(PHONE, last_used_at=used_at)])
    shown = Credentials(THERE, session=PHONES_TOKEN)
    end = (used_at or PHONE.created_at) + 2 * DAY_S
    assert identify(shown, register, settings, now=end - 1).browser_id == "b1"
    with pytest.raises(TokenInvalidError):
        identify(shown, register, settings, now=end)


def test_without_the_file_no_browser_gets_in() -> None:
    assert result(Credentials(THERE, session=PHONES_TOKEN), None) == AccessUnavailableError.code
    here = Credentials(HERE, host=HOST, session=LAPTOPS_TOKEN)
    assert result(here, None) == "loopback address:127.0.0.1 owner"


def test_only_an_api_token_or_a_devices_rules_a_page_out() -> None:
    for shown, may in (
        (Credentials(THERE, authorization=bearer(ADAS_TOKEN)), False),
        (Credentials(THERE, authorization=bearer(DEVICE_TOKEN)), False),
        (Credentials(HERE, host=HOST), True),
        (Credentials(HERE, host=HOST, session=LAPTOPS_TOKEN), True),
        (Credentials(THERE, session=PHONES_TOKEN), True),
    ):
        assert identify(shown, REGISTER, SETTINGS).may_be_a_page is may


def test_a_browsers_right_ends_with_its_session() -> None:
    def changed(**what: object) -> Register:
        return Register.of([], [], [], [replace(PHONE, **what)])  # type: ignore[arg-type]

    before = changed()
    caller = identify(Credentials(THERE, session=PHONES_TOKEN), before, SETTINGS)
    gone = Revoked("browser:b1", None, PHONE.token_hash)
    assert gone.concerns(caller)
    for now in (Register(), changed(revoked_at=2.0), changed(user="bob"), changed(owner=True)):
        assert list(revoked_between(before, now)) == [gone]
        assert not still_valid(caller, now)
    for now in (before, changed(name="Tablet"), changed(last_used_at=9.0)):
        assert list(revoked_between(before, now)) == []
        assert still_valid(caller, now)


@pytest.mark.parametrize(
    ("cookies", "expected"),
    [
        (None, None),
        ("", None),
        ("a=b; c", None),
        ("__Host-lobug=", None),
        ("__Host-lobug=lobug_x", "lobug_x"),
        ("a=b;  __Host-lobug = lobug_x ;c=d", "lobug_x"),
        ("x__Host-lobug=lobug_x", None),
        ("__host-lobug=lobug_x; lobug=y", None),
        ("__Host-lobug=first; __Host-lobug=second", "first"),
        ("__Host-lobug=a=b", "a=b"),
    ],
)
def test_the_session_in_cookies(cookies: str | None, expected: str | None) -> None:
    assert tokens.session(cookies) == expected
    headers = {} if cookies is None else {"cookie": cookies}
    assert Credentials.of(THERE, headers).session == expected


@given(cookies=st.text())
def test_any_cookies_are_read(cookies: str) -> None:
    found = tokens.session(cookies)
    assert found is None or found in cookies


@pytest.mark.parametrize(
    ("host", "secure", "expected"),
    [
        ("localhost:8321", False, True),
        ("lobug.localhost", False, True),
        ("127.0.0.1:8321", False, True),
        ("[::1]:8321", False, True),
        ("192.168.1.5:8321", False, False),
        ("192.168.1.5:8322", True, True),
        ("localhost.evil.example", False, False),
        (None, False, False),
    ],
)
def test_where_browsers_keep_a_session(host: str | None, *, secure: bool, expected: bool) -> None:
    assert keeps_session(host, secure=secure) is expected
