"""Every page of the web app, filled, at a phone's and a desk's size, light and dark: usable with a
screen reader as far as axe-core can tell, nothing wider than the screen, no error, no request to
elsewhere; and what the first page weighs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from lobug.app import create_app
from lobug.http.web.page import APP_FOLDER
from support.app_server import ScriptedEngines, in_thread, scripted_assembler, settings_for
from support.patience import PATIENCE_S
from support.scripted_speech import ScriptedTextToSpeech
from support.simulated_address import remote_headers, with_simulated_addresses
from support.web_page import chromium, web_page

AXE = Path(__file__).parents[1] / "vendor" / "axe-core@4.14.1" / "axe.min.js"
FOUND = """() => axe.run(document, {resultTypes: ["violations"]}).then(({violations}) =>
  violations.map(({id, nodes}) => `${id}: ${nodes.map(({target}) => target).join(" ")}`))"""
OUT_OF_SIGHT = """() => document.documentElement.scrollWidth - innerWidth"""
UNKNOWN_SENTENCE = re.compile(
    r"\b(shell|talk|memory|deeds|devices|turns|settings|welcome|flash|pair|trust)\.[a-z_]+\b"
)
"""What stands on a page where the catalogue has no sentence of this key."""
ANA = "ana"
HOSTILE = '<img src="x" onerror="document.title=\'markup\'"> ' + "w" * 300

PAGES = (
    "talk",
    "memory",
    "memory/search",
    "memory/identity",
    "memory/timeline",
    "memory/why",
    "memory/why?message=3",
    "memory/why?message=999",
    "memory/projects",
    "memory/numbers",
    "memory/manage",
    "memory/entry/1",
    "deeds",
    "deeds/lists",
    "deeds/notes",
    "devices",
    "devices/people",
    "devices/browsers",
    "devices/tokens",
    "turns",
    "turns/heard",
    "turns/health",
    "settings",
    "welcome",
    "welcome/device",
    "welcome/device/lobug",
    "welcome/device/other",
    "welcome/phone",
    "flash",
    "trust",
)
WAITING = {"welcome/device/lobug", "welcome/device/other"}
"""Pages that wait for something that does not come here: a device."""
DIALOGS = (
    ("memory/entry/1", "Forget"),
    ("memory/manage", "Erase everything"),
    ("deeds", "New alarm"),
    ("deeds", "Change pasta"),
    ("devices/browsers", "Let a phone in"),
    ("devices/tokens", "New token"),
)
"""Pages with a button that opens a dialog on each."""
SIZES = {"phone": (360, 780), "desk": (1600, 1000)}
MOST_BYTES = 120_000
"""Of the first page with all that it loads, compressed."""


@dataclass
class ManyVoices(ScriptedTextToSpeech):
    """A voice that may be another one."""

    voices: Sequence[str] = ("joe", "ann")
    named: list[str] = field(default_factory=list)

    def set_voice(self, name: str) -> None:
        self.named.append(name)


def fill(url: str) -> None:
    """Say who sits here, and have something on every page."""
    with httpx.Client(base_url=url, trust_env=False, timeout=60) as client:
        user = {"user": ANA}
        entries = (
            "The user lives in Portland",
            "The user's sister is called Hanna and studies marine biology in Lisbon",
            HOSTILE,
        )
        bodies: list[tuple[str, dict[str, Any]]] = [
            *(("memory/entries", {"content": content}) for content in entries),
            ("memory/projects", {"name": "garden", "description": "Beds in front"}),
            ("memory/tasks", {"title": "Dig", "project": "garden"}),
            ("alerts", {"kind": "timer", "label": "pasta", "in_s": 3_000}),
            ("alerts", {"kind": "alarm", "in_s": 50_000, "rule": "FREQ=DAILY"}),
            ("alerts", {"kind": "reminder", "label": HOSTILE, "in_s": 90_000}),
            ("lists/shopping/items", {"items": ["milk", HOSTILE[:190]]}),
            ("notes", {"content": HOSTILE}),
            ("tokens", {"name": "laptop", "user": ANA}),
        ]
        for path, body in bodies:
            answer = client.post(path, json=body, params=user)
            assert answer.status_code < 300, (path, answer.text)
        for text in ("Hello", "Tell me a story about Hanna in Lisbon."):
            assert client.post("chat/text", json={"text": text}).status_code == 200


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    users = {"users": {"address:127.0.0.1": ANA}}
    settings = settings_for(tmp_path_factory.mktemp("web"), conversation=users)
    app = create_app(settings, assembler=scripted_assembler(ScriptedEngines()))
    server, thread, port = in_thread(with_simulated_addresses(app))
    try:
        address = f"http://127.0.0.1:{port}/"
        fill(address)
        yield address
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium(
        "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"
    ) as running:
        yield running


def sit_down(page: Page, url: str) -> None:
    """Make this browser Ana's."""
    page.evaluate(
        """async user => {
            const body = JSON.stringify({user, name: "Test"});
            const headers = {"Content-Type": "application/json"};
            const answer = await fetch("/web/session", {method: "POST", headers, body});
            if (!answer.ok) throw new Error(await answer.text());
        }""",
        ANA,
    )
    page.goto(url)


def opened(page: Page, name: str) -> None:
    """Go to a page of the app, and wait until it shows what it has."""
    page.evaluate("name => { location.hash = `#/${name}`; }", name)
    first = re.split("[/?]", name, maxsplit=1)[0]
    page.wait_for_function(
        """path => document.querySelector(
            `link[href='web/app/styles/${path}.css'], style[data-name=${path}]`)?.sheet""",
        arg=first,
    )
    page.locator("h1").first.wait_for()
    if name not in WAITING:
        page.wait_for_function("() => !document.querySelector('.loading')")
    page.evaluate("() => document.fonts.ready")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_every_page_is_sound(browser: Browser, url: str, size: str, theme: str) -> None:
    width, height = SIZES[size]
    faults = []
    with web_page(
        browser,
        url,
        viewport={"width": width, "height": height},
        color_scheme=theme,
        reduced_motion="reduce",
        # This server has no HTTPS, and there is no such message.
        expected_errors=("web/certificate", "message_id=999"),
    ) as page:
        sit_down(page, url)
        for name in PAGES:
            opened(page, name)
            faults += faults_of(page, name)
        for name, button in DIALOGS:
            opened(page, name)
            page.get_by_role("button", name=button).first.click()
            page.get_by_role("dialog").wait_for()
            faults += faults_of(page, f"{name}: {button}")
            page.keyboard.press("Escape")
            page.get_by_role("dialog").wait_for(state="hidden")
    assert faults == []


@pytest.mark.parametrize("size", SIZES)
def test_the_page_for_strangers_is_sound(browser: Browser, url: str, size: str) -> None:
    width, height = SIZES[size]
    headers = remote_headers("192.168.1.9", **{"X-Forwarded-Proto": "https"})
    screen = {"width": width, "height": height}
    with web_page(browser, url, viewport=screen, extra_http_headers=headers) as page:
        page.locator("h1").first.wait_for()
        assert faults_of(page, "pair") == []


def faults_of(page: Page, name: str) -> list[str]:
    """What is wrong with what a page shows now."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    faults = [f"{name}: {fault}" for fault in page.evaluate(FOUND)]
    if (over := page.evaluate(OUT_OF_SIGHT)) > 0:
        faults.append(f"{name}: {over} px wider than the screen")
    if missing := UNKNOWN_SENTENCE.search(page.locator("body").inner_text()):
        faults.append(f"{name}: no sentence for {missing[0]}")
    if page.title() == "markup" or page.locator("img[src=x]").count():
        faults.append(f"{name}: words became markup")
    return faults


def test_settings_offer_a_choice_of_voices_only_where_there_is_one(
    browser: Browser, url: str, tmp_path: Path
) -> None:
    with web_page(browser, f"{url}#/settings") as page:
        page.get_by_text("Lo-Bug speaks with the one voice that is built in.").wait_for()
        expect(page.get_by_label("Voice", exact=True)).to_have_count(0)
        # What nobody has measured is not promised.
        row = page.locator("[data-name='conversation.ignore_and_react']")
        expect(row).to_contain_text("Try to ignore television and radio")
        expect(row).to_contain_text("It is sometimes wrong, and nobody has measured it yet")

    voice = ManyVoices()
    settings = settings_for(tmp_path, tts={"engine": "wyoming"})
    app = create_app(settings, assembler=scripted_assembler(ScriptedEngines(tts=voice)))
    server, thread, port = in_thread(app)
    try:
        with web_page(browser, f"http://127.0.0.1:{port}/#/settings") as page:
            row = page.locator("[data-name='tts.wyoming_voice']")
            field = row.get_by_label("Voice", exact=True)
            expect(row).to_contain_text("Default: none")
            expect(field.locator("option")).to_have_text(["The server chooses", "joe", "ann"])
            field.select_option("ann")
            expect(row).to_contain_text("Saved")
            assert voice.named == ["ann"]
            expect(page.get_by_text("the one voice that is built in")).to_have_count(0)
            expect(page.locator("[data-name='tts.openai_voice']")).to_have_count(0)
            assert faults_of(page, "settings with voices") == []
    finally:
        server.should_exit = True
        thread.join()


def test_the_first_page_is_light(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        sit_down(page, url)
        opened(page, "talk")
        page.locator("svg[data-look]").wait_for()
        sizes: dict[str, int] = page.evaluate(
            """() => Object.fromEntries(performance.getEntriesByType("resource")
                .filter(({initiatorType}) => initiatorType !== "fetch")
                .map(({name, encodedBodySize}) => [name, encodedBodySize]))"""
        )
        page_bytes: int = page.evaluate(
            "() => performance.getEntriesByType('navigation')[0].encodedBodySize"
        )
    assert any(name.endswith("preact.mjs") for name in sizes)
    assert not any("uplot" in name for name in sizes)
    assert sum(sizes.values()) + page_bytes <= MOST_BYTES, sizes


def test_all_modules_of_the_first_page_are_asked_for_at_once(browser: Browser, url: str) -> None:
    """Otherwise a browser learns of each level of imports only when the one above has come. Nothing
    waits for the face: it is drawn into the finished page."""
    with web_page(browser, url) as page:
        sit_down(page, url)
        opened(page, "talk")
        page.locator("svg[data-look]").wait_for()
        loaded, preloaded = page.evaluate(
            """() => [
                performance.getEntriesByType("resource").map(({name}) => name)
                    .filter((name) => /\\.m?js$/.test(name)),
                [...document.querySelectorAll("link[rel=modulepreload]")].map(({href}) => href),
            ]"""
        )
    by_others = ("/main.js", "/pages/talk/face.js")
    assert set(preloaded) == {name for name in loaded if not name.endswith(by_others)}
    assert len(set(loaded)) == len(set(preloaded)) + len(by_others)


@pytest.mark.parametrize(("name", "role"), [("talk", "status"), ("memory", "alert")])
def test_a_page_whose_server_does_not_answer_at_first_says_so_and_tries_again(
    browser: Browser, url: str, name: str, role: Literal["status", "alert"]
) -> None:
    with web_page(browser, url, expected_errors=[r"/web/session"]) as page:
        sit_down(page, url)
        opened(page, name)
        page.route("**/web/session", lambda route: route.abort(), times=2)
        page.reload()
        page.get_by_role(role).get_by_text("I can't reach Lo-Bug.").wait_for()
        if name == "talk":
            page.get_by_label("Type a message").fill("Hello")
        page.locator(".nav-person").get_by_text(ANA).wait_for()
        if name == "talk":
            expect(page.get_by_label("Type a message")).to_have_value("Hello")


def test_all_files_are_served_compressed_and_revalidated(url: str) -> None:
    with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S) as client:
        for path in sorted(APP_FOLDER.rglob("*.js")):
            name = path.relative_to(APP_FOLDER).as_posix()
            answer = client.get(f"web/app/{name}")
            assert answer.status_code == 200, name
            assert answer.headers["Content-Type"].startswith("text/javascript"), name
            assert answer.headers["Cache-Control"] == "no-cache"
            if path.stat().st_size > 1_000:
                assert answer.headers["Content-Encoding"] == "gzip", name
            again = client.get(f"web/app/{name}", headers={"If-None-Match": answer.headers["ETag"]})
            assert again.status_code == 304, name
        page = client.get("")
        assert "unsafe" not in page.headers["Content-Security-Policy"]
        assert client.get("web/app/../../settings/access.py").status_code == 404
        assert client.get("web/app/%2e%2e/%2e%2e/settings/access.py").status_code == 404
