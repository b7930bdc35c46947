"""The pages of the web app about who may talk: devices and people, first run, coming in, trust.

In Chromium, against the real application with scripted engines.
"""

from __future__ import annotations

import math
import re
import struct
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509 import load_der_x509_certificate
from playwright.sync_api import Browser, Page, expect

from lobug.app import create_app
from lobug.tls.service import Tls
from support.app_server import in_thread, scripted_assembler, settings_for
from support.browser import PATIENCE_S
from support.memory_app import quiet_engines
from support.simulated_address import remote_headers, with_simulated_addresses
from support.web_page import chromium, web_page

PHONE: dict[str, Any] = {
    "extra_http_headers": remote_headers("192.168.1.9", **{"X-Forwarded-Proto": "https"}),
    "viewport": {"width": 360, "height": 780},
}
"""A browser at another computer, over HTTPS that a proxy has ended."""
NAME = "desk.test"
"""A name of the server's computer: unlike loopback, a browser trusts it over HTTPS only."""

expect.set_options(timeout=1000 * PATIENCE_S)


def write_tone(path: Path) -> Path:
    """Write two seconds of a 440 Hz tone at half of full scale, 48 kHz."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48_000)
        tone = (16_000 * math.sin(2 * math.pi * 440 * at / 48_000) for at in range(96_000))
        file.writeframes(b"".join(struct.pack("<h", int(sample)) for sample in tone))
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    voice = write_tone(tmp_path_factory.mktemp("voice") / "tone.wav")
    with chromium(
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={voice}",
        f"--host-resolver-rules=MAP {NAME} 127.0.0.1",
    ) as running:
        yield running


@contextmanager
def served(
    folder: Path, *, https_port: int | None = None, **access: object
) -> Iterator[httpx.Client]:
    """A server, and a client as its owner at its computer. ``https_port``: where it says that
    HTTPS is; its certificate is real, but nothing listens there. ``access``: settings."""
    settings = settings_for(folder, access=access)
    tls = Tls(settings, https_port, addresses=lambda: ["192.168.1.5"])
    app = create_app(settings, assembler=scripted_assembler(quiet_engines()), tls=tls)
    server, thread, port = in_thread(with_simulated_addresses(app))
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S) as http:
        yield http
    server.should_exit = True
    thread.join()


@pytest.fixture
def http(tmp_path: Path) -> Iterator[httpx.Client]:
    with served(tmp_path) as client:
        yield client


def discover(http: httpx.Client, client: str = "client-1") -> dict[str, Any]:
    """What a device does when it starts; ``client`` is another one after it was wiped."""
    answer = http.post(
        "/xiaozhi/ota/",
        headers=remote_headers(
            "192.168.1.7", **{"Device-Id": "AA:BB:CC:DD:EE:01", "Client-Id": client}
        ),
        json={"application": {"name": "lobug", "version": "2.0.1"}, "board": {"type": "core2"}},
    )
    found: dict[str, Any] = answer.json()
    return found


def ask_for_a_code(http: httpx.Client) -> str:
    """The code that a device shows which nobody has let in."""
    code: str = discover(http)["activation"]["code"]
    return code


def let_in(http: httpx.Client, name: str) -> str:
    """Approve a device over HTTP; returns its id."""
    body = {"code": ask_for_a_code(http), "name": name, "user": "Ada"}
    answer = http.post("/devices/approve", json=body)
    assert answer.status_code == 200, answer.text
    device: str = answer.json()["id"]
    return device


def devices(http: httpx.Client) -> dict[str, Any]:
    known: dict[str, Any] = http.get("/devices").json()
    return known


def address(http: httpx.Client, place: str) -> str:
    return f"{http.base_url}/{place}".replace("//#", "/#")


def card(page: Page, name: str) -> Any:
    return page.locator(".device-card").filter(has=page.get_by_role("heading", name=name))


def test_device_appears_by_itself_and_is_let_in_by_a_tap(
    browser: Browser, http: httpx.Client
) -> None:
    with web_page(browser, address(http, "#/devices")) as page:
        expect(page.get_by_text("No device yet")).to_be_visible()
        code = ask_for_a_code(http)
        waiting = page.get_by_role("region", name="A device is waiting")
        expect(waiting.get_by_text(code, exact=True)).to_be_visible()
        expect(waiting.get_by_text("core2, lobug, 2.0.1")).to_be_visible()
        waiting.get_by_label("Name").fill("Kitchen")
        waiting.get_by_label("Person").fill("Ada")
        waiting.get_by_role("button", name="Let it in").click()
        expect(card(page, "Kitchen")).to_contain_text("Let in, not here yet")
        expect(waiting).to_have_count(0)
    (device,) = devices(http)["devices"]
    assert (device["name"], device["user"], device["state"]) == ("Kitchen", "Ada", "approved")


def test_second_device_with_the_same_address_is_warned_of(
    browser: Browser, http: httpx.Client
) -> None:
    let_in(http, "Kitchen")
    assert "token" in discover(http)["websocket"]
    assert "activation" in discover(http, "client-2")
    with web_page(browser, address(http, "#/devices")) as page:
        waiting = page.get_by_role("region", name="A device is waiting")
        expect(waiting).to_contain_text("somebody else may be using its address")


def test_device_gets_another_name_and_person(browser: Browser, http: httpx.Client) -> None:
    let_in(http, "Kitchen")
    with web_page(browser, address(http, "#/devices")) as page:
        card(page, "Kitchen").get_by_role("button", name="Change Kitchen").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name").fill("Desk")
        dialog.get_by_label("Person").fill("Bob")
        dialog.get_by_role("button", name="Save").click()
        expect(card(page, "Desk")).to_contain_text("Bob")
        expect(dialog).to_have_count(0)
    (device,) = devices(http)["devices"]
    assert (device["name"], device["user"]) == ("Desk", "Bob")


def test_revoking_asks_first(browser: Browser, http: httpx.Client) -> None:
    let_in(http, "Kitchen")
    with web_page(browser, address(http, "#/devices")) as page:
        card(page, "Kitchen").get_by_role("button", name="More for Kitchen").click()
        page.get_by_role("menuitem", name="Revoke").click()
        dialog = page.get_by_role("dialog", name="Revoke Kitchen?")
        expect(dialog).to_be_visible()
        assert devices(http)["devices"][0]["state"] == "approved"
        dialog.get_by_role("button", name="Revoke", exact=True).click()
        expect(page.get_by_text("1 revoked device")).to_be_visible()
    assert devices(http)["devices"][0]["state"] == "revoked"


def test_page_does_not_claim_that_an_absent_device_has_said_something(
    browser: Browser, http: httpx.Client
) -> None:
    let_in(http, "Kitchen")
    with web_page(browser, address(http, "#/devices")) as page:
        card(page, "Kitchen").get_by_role("button", name="Say something").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("What shall it say?").fill("Dinner is ready.")
        dialog.get_by_role("button", name="Say it").click()
        expect(page.get_by_text("Kitchen can't say it now. It waits")).to_be_visible()


def test_names_with_markup_stay_text(browser: Browser, http: httpx.Client) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    let_in(http, hostile)
    with web_page(browser, address(http, "#/devices")) as page:
        expect(page.get_by_role("heading", name=hostile)).to_be_visible()
        expect(page.locator("img[src=x]")).to_have_count(0)


def test_token_is_shown_once(browser: Browser, http: httpx.Client) -> None:
    with web_page(browser, address(http, "#/devices/tokens")) as page:
        page.get_by_role("button", name="New token").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name").fill("doorbell")
        dialog.get_by_label("Announce only").check()
        dialog.get_by_role("button", name="Make the token").click()
        shown = page.get_by_role("dialog", name="Token “doorbell”")
        token = shown.locator(".new-token").inner_text()
        expect(shown.get_by_role("img", name="QR code of the token")).to_be_visible()
        shown.get_by_role("button", name="I have kept it").click()
        expect(page.locator("dialog")).to_have_count(0)
        expect(page.get_by_text("Announce only")).to_be_visible()
        assert token not in page.content()
        page.reload()
        expect(page.get_by_role("button", name="Revoke doorbell")).to_be_visible()
        assert token not in page.content()

        what = {"name": "claude", "user": "ada", "scope": "memory:read deeds:read"}
        assert http.post("/tokens", json=what).status_code == 200
        both = "ada · Read memory (MCP) · See timers and lists (MCP)"
        expect(page.get_by_text(both)).to_be_visible()

        bearer = {"Authorization": f"Bearer {token}"}
        assert http.post("/announce", json={"text": "Ding"}, headers=bearer).status_code == 200
        page.get_by_role("button", name="Revoke doorbell").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke", exact=True).click()
        expect(page.get_by_text("1 revoked token")).to_be_visible()
        assert http.post("/announce", json={"text": "Ding"}, headers=bearer).status_code == 401


def invite(page: Page, user: str) -> str:
    """Make an invitation on the owner's page; returns its six digits."""
    page.get_by_role("button", name="Let a phone in").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Whose is it?").fill(user)
    dialog.get_by_role("button", name="Show the code").click()
    digits = dialog.locator(".digits [aria-hidden]")
    expect(digits).to_have_text(re.compile(r"^\d{6}$"))
    return digits.inner_text()


def test_phone_comes_in_by_code_and_is_signed_out(browser: Browser, http: httpx.Client) -> None:
    with web_page(browser, address(http, "#/devices/browsers")) as page:
        code = invite(page, "Ada")
        wrong = f"{(int(code) + 1) % 1_000_000:06}"
        with web_page(
            browser, address(http, ""), expected_errors=[r"404.*/web/pair", r"401"], **PHONE
        ) as phone:
            expect(phone.get_by_role("heading", name="Come in")).to_be_visible()
            phone.get_by_label("The six digits").fill(f"{wrong[:3]} {wrong[3:]}")
            expect(phone.get_by_label("Name of this browser")).to_have_value("Chrome on Linux")
            phone.get_by_role("button", name="Come in").click()
            expect(phone.get_by_role("alert")).to_contain_text("I don't know this code")
            phone.get_by_label("The six digits").fill(code)
            phone.get_by_label("Name of this browser").fill("Ada's phone")
            phone.get_by_role("button", name="Come in").click()
            expect(phone).to_have_url(re.compile("#/talk$"))

            dialog = page.get_by_role("dialog")
            expect(dialog.get_by_text("Ada's browser is in.")).to_be_visible()
            dialog.get_by_role("button", name="Done").click()
            row = page.get_by_role("listitem").filter(has_text="Ada's phone")
            expect(row).to_contain_text("Ada · person")
            row.get_by_role("button", name="More for Ada's phone").click()
            page.get_by_role("menuitem", name="Sign out").click()
            page.get_by_role("dialog").get_by_role("button", name="Sign out", exact=True).click()
            expect(page.get_by_text("1 that was signed out")).to_be_visible()
            expect(phone.get_by_role("heading", name="Come in")).to_be_visible()


def test_scanned_code_needs_one_tap(browser: Browser, http: httpx.Client) -> None:
    made = http.post("/web/invitations", json={"user": "Ada", "role": "person"}).json()
    with web_page(browser, address(http, f"#/pair/{made['code']}"), **PHONE) as phone:
        expect(phone.get_by_label("The six digits")).to_have_value(made["code"])
        phone.get_by_role("button", name="Come in").click()
        expect(phone).to_have_url(re.compile("#/talk$"))
    (known,) = http.get("/web/browsers").json()["browsers"]
    assert (known["user"], known["role"], known["name"]) == ("Ada", "person", "Chrome on Linux")


def test_plain_http_from_elsewhere_says_what_it_cannot_do(
    browser: Browser, http: httpx.Client
) -> None:
    headers = remote_headers("192.168.1.9")
    with web_page(browser, address(http, "#/pair/123456"), extra_http_headers=headers) as page:
        expect(page.get_by_text("This page came without HTTPS.")).to_be_visible()
        expect(page.get_by_text("Lo-Bug's HTTPS is off")).to_be_visible()
        expect(page.get_by_label("The six digits")).to_have_count(0)


@pytest.mark.parametrize("https_port", [8322, None])
def test_talk_over_plain_http_says_what_it_cannot_do(
    browser: Browser, tmp_path: Path, https_port: int | None
) -> None:
    """From a network in which nobody needs a session."""
    access = {"trusted_networks": ["192.168.1.0/24"], "hostnames": [NAME]}
    with (
        served(tmp_path, https_port=https_port, **access) as http,
        web_page(
            browser,
            f"http://{NAME}:{http.base_url.port}/",
            extra_http_headers=remote_headers("192.168.1.9"),
            expected_errors=["Cross-Origin-Opener-Policy header has been ignored"],
        ) as page,
    ):
        assert page.evaluate("isSecureContext") is False, "the browser gives no microphone here"
        told = page.get_by_role("alert")
        expect(told).to_contain_text(
            "This page came without HTTPS, so the browser lets me neither hear nor speak; you can"
            " type."
        )
        secure = told.get_by_role("link", name="Open this page over HTTPS")
        if https_port is None:
            expect(told).to_contain_text("LOBUG_TLS__ENABLED=true switches it on")
            expect(told.get_by_role("link")).to_have_count(0)
        else:
            expect(secure).to_have_attribute("href", "https://192.168.1.5:8322/")
        page.get_by_label("Type a message").fill("Hello")
        page.keyboard.press("Enter")
        expect(page.locator(".line-lobug > p")).to_have_text("Okay.")
        expect(page.locator(".stage-words")).to_have_text("I'm here.")
        page.locator(".talk-button").click()
        expect(page.locator(".stage-words")).to_have_text("I'm here.")
        expect(told).to_contain_text("you can type.")


def test_first_run_leads_to_the_first_words(browser: Browser, http: httpx.Client) -> None:
    with web_page(browser, address(http, ""), permissions=["microphone"]) as page:
        expect(page.get_by_role("heading", name="Hello! I'm Lo-Bug.")).to_be_visible()
        page.get_by_label("What shall I call you?").fill("Ada")
        page.get_by_role("button", name="That's me").click()
        expect(page.get_by_role("heading", name="Nice to meet you, Ada.")).to_be_focused()
        page.get_by_role("button", name="Try the microphone").click()
        expect(page.get_by_text("I hear you well.")).to_be_visible()
        page.get_by_role("button", name="On we go").click()
        expect(page.get_by_role("link", name="Set a timer for five minutes.")).to_be_visible()
        page.get_by_role("link", name="Set a timer for five minutes.").click()
        expect(page.get_by_role("textbox")).to_have_value("Set a timer for five minutes.")
        page.reload()
        expect(page.locator(".nav-person")).to_contain_text("Ada")
    (known,) = http.get("/web/browsers").json()["browsers"]
    assert (known["user"], known["role"]) == ("Ada", "owner")


def test_first_run_goes_on_without_a_microphone(browser: Browser, http: httpx.Client) -> None:
    with web_page(browser, address(http, "#/welcome"), permissions=[]) as page:
        page.get_by_label("What shall I call you?").fill("Ada")
        page.get_by_role("button", name="That's me").click()
        page.get_by_role("button", name="Try the microphone").click()
        expect(page.get_by_role("alert")).to_contain_text("doesn't give me the microphone")
        page.get_by_role("button", name="I'd rather type").click()
        expect(page.get_by_role("heading", name="Now say something to me")).to_be_visible()


def test_added_device_is_let_in_on_the_page_that_waits_for_it(
    browser: Browser, http: httpx.Client
) -> None:
    with web_page(browser, address(http, "#/welcome/device")) as page:
        page.get_by_role("link", name="A device with xiaozhi firmware").click()
        expect(page.get_by_text("Waiting for a device.")).to_be_visible()
        code = ask_for_a_code(http)
        expect(page.get_by_text(code, exact=True)).to_be_visible()
        page.get_by_label("Name").fill("Hall")
        page.get_by_role("button", name="Let it in").click()
        expect(page.get_by_text("Hall may come in", exact=True)).to_be_visible()


def test_people_are_shown_with_their_devices(browser: Browser, http: httpx.Client) -> None:
    let_in(http, "Kitchen")
    with web_page(browser, address(http, "#/devices/people")) as page:
        person = page.locator(".person-card").filter(has=page.get_by_role("heading", name="Ada"))
        expect(person).to_contain_text("Kitchen")
        person.get_by_role("button", name="Give to").click()
        page.get_by_role("dialog").get_by_label("Person").fill("Bob")
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        other = page.locator(".person-card").filter(has=page.get_by_role("heading", name="Bob"))
        expect(other).to_contain_text("Kitchen")


IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like"
    " Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
)


def test_trust_shows_the_own_system_and_the_fingerprint(browser: Browser, tmp_path: Path) -> None:
    with (
        served(tmp_path, https_port=8322) as http,
        web_page(browser, address(http, "#/trust"), user_agent=IPHONE, **PHONE) as page,
    ):
        systems = page.locator(".trust-system")
        expect(systems.first).to_have_attribute("open", "")
        expect(systems.first).to_contain_text("Certificate Trust Settings")
        expect(systems.nth(1)).not_to_have_attribute("open", "")
        expect(page.get_by_text("This page came over HTTPS.")).to_be_visible()
        certificate = http.get("/web/certificate").content
        shown = "".join(page.locator(".fingerprint li").all_inner_texts()).replace(" ", "")
        assert shown == load_der_x509_certificate(certificate).fingerprint(SHA256()).hex().upper()


def test_plain_page_leads_to_the_secure_one(browser: Browser, tmp_path: Path) -> None:
    headers = remote_headers("192.168.1.9")
    with (
        served(tmp_path, https_port=8322) as http,
        web_page(browser, address(http, "#/pair/123456"), extra_http_headers=headers) as page,
    ):
        expect(page.get_by_role("link", name="Open the secure page")).to_have_attribute(
            "href", "https://192.168.1.5:8322/#/pair/123456"
        )
