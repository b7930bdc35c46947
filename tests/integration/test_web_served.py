"""The pages of `lobug serve` itself in Chromium: settings and the master switch of memory, changed
where they hold, and a phone that comes in over TLS with Lo-Bug's own certificate."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from lobug.access.tokens import COOKIE
from support.browser import PATIENCE_S
from support.scripted_serve import ScriptedServe, scripted_serve
from support.web_page import chromium, microphone_with_a_voice, web_page

HOUR = "skills.reminder_hour"
QUIET = "skills.quiet_hours"

expect.set_options(timeout=1000 * PATIENCE_S)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptedServe]:
    """Ada sits at its computer; its speaking rate is fixed by the environment."""
    with scripted_serve(
        tmp_path_factory.mktemp("served"),
        LOBUG_TLS__ENABLED="true",
        LOBUG_TLS__PORT="0",
        LOBUG_TTS__SPEED="1.5",
        LOBUG_CONVERSATION__USERS=json.dumps({"address:127.0.0.1": "ada"}),
    ) as running:
        yield running


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(*microphone_with_a_voice(tmp_path_factory.mktemp("voice"))) as running:
        yield running


@pytest.fixture
def http(server: ScriptedServe) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=PATIENCE_S) as client:
        yield client


@pytest.fixture
def page(browser: Browser, server: ScriptedServe) -> Iterator[Page]:
    refused = r"status of 4(09|22).*/settings"
    with web_page(browser, f"{server.url}/#/settings", expected_errors=[refused]) as opened:
        yield opened


def holds(http: httpx.Client, name: str) -> tuple[Any, str]:
    """A setting's value and where it comes from, by the HTTP route."""
    rows = http.get("/settings").json()["settings"]
    return next((row["value"], row["source"]) for row in rows if row["name"] == name)


def field(page: Page, name: str) -> Locator:
    return page.locator(f".setting[data-name='{name}']")


def save(place: Locator, act: Callable[[], object]) -> None:
    """Change something, and wait until the server has saved it."""
    with place.page.expect_response(lambda answer: answer.request.method == "PATCH") as answer:
        act()
    assert answer.value.ok
    expect(place.get_by_text("Saving…")).to_have_count(0)


def test_a_number_is_changed_refused_and_taken_back(page: Page, http: httpx.Client) -> None:
    place = field(page, HOUR)
    number = place.get_by_label("Hour of reminders", exact=True)
    expect(number).to_have_value("9")

    def type_in(text: str) -> None:
        number.fill(text)
        number.press("Enter")

    save(place, lambda: type_in("7"))
    assert holds(http, HOUR) == (7, "page")
    page.reload()
    expect(number).to_have_value("7")
    expect(place.get_by_text("Changed")).to_be_visible()

    type_in("24")
    told = place.get_by_role("alert")
    expect(told).to_have_text("Hour of reminders should be less than or equal to 23.")
    expect(number).to_have_attribute("aria-invalid", "true")
    expect(number).to_have_accessible_description(
        "Hour of reminders should be less than or equal to 23."
    )
    assert holds(http, HOUR) == (7, "page")
    type_in("7")
    expect(told).to_have_count(0)

    save(place, place.get_by_role("button", name="More: Hour of reminders").click)
    assert holds(http, HOUR) == (8, "page")
    place.get_by_role("button", name="Back to the default: Hour of reminders").click()
    expect(number).to_have_value("9")
    expect(place.get_by_text("Changed")).to_have_count(0)
    assert holds(http, HOUR) == (9, "default")


def test_quiet_hours_are_set_and_lifted(page: Page, http: httpx.Client) -> None:
    place = field(page, QUIET)
    begin, end = place.get_by_label("From"), place.get_by_label("Until")
    save(place, place.get_by_text("Keep quiet at night").click)
    assert holds(http, QUIET) == ("22:00-07:00", "page")

    def begin_at(time: str) -> None:
        begin.fill(time)
        begin.blur()

    save(place, lambda: begin_at("21:30"))
    page.reload()
    expect(begin).to_have_value("21:30")
    expect(end).to_have_value("07:00")
    assert holds(http, QUIET) == ("21:30-07:00", "page")

    begin_at("07:00")
    expect(place.get_by_role("alert")).to_contain_text("Quiet hours")
    assert holds(http, QUIET) == ("21:30-07:00", "page")
    save(place, place.get_by_text("Keep quiet at night").click)
    expect(begin).to_have_count(0)
    assert holds(http, QUIET)[0] == ""
    page.reload()
    expect(place.get_by_role("switch")).not_to_be_checked()


def test_what_the_environment_fixes_cannot_be_changed(page: Page, http: httpx.Client) -> None:
    place = field(page, "tts.speed")
    expect(place.get_by_role("spinbutton")).to_have_value("1.5")
    expect(place.get_by_role("spinbutton")).to_be_disabled()
    for button in place.get_by_role("button").all():
        expect(button).to_be_disabled()
    expect(place).to_contain_text(
        "Set by LOBUG_TTS__SPEED in the environment of the server, so it can't be changed here."
    )
    refused = http.patch("/settings", json={"tts.speed": 1.0})
    assert refused.json()["error"]["code"] == "setting_fixed"
    assert holds(http, "tts.speed") == (1.5, "environment")


def memories(http: httpx.Client) -> list[str]:
    found = http.get("/memory/entries", params={"user": "ada"}).json()["entries"]
    return [entry["content"] for entry in found]


def tell(page: Page, text: str) -> Locator:
    """Type words in Talk; returns the reply, which is whole."""
    page.evaluate("() => { location.hash = '#/talk'; }")
    replies = page.locator(".line-lobug[data-state=done]")
    before = replies.count()
    page.get_by_label("Type a message").fill(text)
    page.keyboard.press("Enter")
    expect(replies).to_have_count(before + 1)
    return replies.last.locator("> p")


def test_memory_is_switched_off_and_on(page: Page, http: httpx.Client) -> None:
    expect(page.locator(".nav-person")).to_contain_text("ada")

    def switch(*, on: bool) -> None:
        page.evaluate("() => { location.hash = '#/memory/manage'; }")
        knob = page.get_by_role("switch", name="Memory")
        expect(knob).to_be_checked(checked=not on)
        save(page.get_by_role("main"), page.locator(".switch", has=knob).click)
        means = (
            "What you tell is remembered"
            if on
            else "Nothing new is remembered and nothing is recalled"
        )
        expect(page.get_by_text(means)).to_be_visible()
        expect(knob).to_be_checked(checked=on)

    switch(on=False)
    assert holds(http, "memory.enabled") == (False, "page")
    off = page.get_by_text("Memory is switched off: nothing new is remembered.")
    expect(off).to_be_visible()
    expect(tell(page, "Remember that my bike is in the cellar.")).to_contain_text("switched off")
    tell(page, "My name is Ada and I live in Boston.")
    page.reload()
    page.evaluate("() => { location.hash = '#/memory'; }")
    expect(off).to_be_visible()

    # It does not claim to be off when that was refused.
    switch(on=True)
    expect(off).to_have_count(0)
    page.route("**/settings", lambda route: route.fulfill(status=409, json={}), times=1)
    page.locator(".switch").first.click()
    expect(page.get_by_role("switch", name="Memory")).to_be_checked()
    assert holds(http, "memory.enabled")[0] is True

    tell(page, "Remember that my boat is in the harbour.")
    page.evaluate("() => { location.hash = '#/memory'; }")
    expect(page.locator(".list-count")).to_have_text("1 memory")
    (kept,) = memories(http)
    assert "boat" in kept


def test_a_phone_comes_in_over_tls_and_talks(
    browser: Browser, server: ScriptedServe, http: httpx.Client
) -> None:
    code = http.post("/web/invitations", json={"user": "Bea", "role": "person"}).json()["code"]
    (line,) = [line for line in server.log.splitlines() if "https://" in line][:1]
    url = f"https://127.0.0.1:{httpx.URL(line.split()[1]).port}/"
    sockets: list[str] = []
    with web_page(
        browser,
        url,
        ignore_https_errors=True,
        permissions=["microphone"],
        extra_http_headers={"X-Forwarded-For": "192.168.1.9"},  # makes it a stranger
        expected_errors=["401"],
    ) as phone:
        phone.on("websocket", lambda socket: sockets.append(socket.url))
        phone.get_by_label("The six digits").fill(code)
        phone.get_by_role("button", name="Come in").click()
        expect(phone.locator(".stage[data-phase=idle]")).to_be_visible()
        (cookie,) = phone.context.cookies()
        assert cookie["name"] == COOKIE
        assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"]) == (True, True, "Strict")
        assert (cookie["path"], cookie["domain"]) == ("/", "127.0.0.1")
        assert phone.evaluate("() => document.cookie") == ""

        phone.locator(".talk-button").hover()
        phone.mouse.down()
        expect(phone.locator(".line-person[data-interim]")).to_be_visible()
        phone.mouse.up()
        expect(phone.locator(".line-person:not([data-interim]) p")).to_have_text("Hello.")
        expect(phone.locator(".line-lobug > p")).to_have_text("I see.")
        assert [socket.partition("?")[0] for socket in sockets] == [
            f"{url.replace('https', 'wss')}xiaozhi/v1/"
        ]
        expect(phone.locator(".nav-person")).to_contain_text("Bea")
        expect(phone.get_by_role("link", name="Devices")).to_have_count(0)
    assert "Hello." in server.prompts[-1]
