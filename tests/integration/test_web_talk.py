"""The page Talk in Chromium against the real application: spoken and typed words, interruption, and
what goes wrong. The browser's microphone plays a recording."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import uvicorn
from playwright.sync_api import Browser, Locator, Page, expect

from lobug.app import create_app
from lobug.engines.base import ChatMessage, ChatOptions
from support.app_server import ScriptedEngines, scripted_assembler, settings_for
from support.browser import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText
from support.web_page import chromium, microphone_with_a_voice, web_page

LONG = f"This is the first sentence. {'x' * 900}."
"""Nine seconds of the scripted voice."""
OPTIONS: dict[str, Any] = {
    "log_level": "warning",
    "lifespan": "on",
    "timeout_graceful_shutdown": 1,  # a page's stream of events would never end by itself
}
HEARD = "Tell me about the sea."
LOST = (r"WebSocket connection to .* failed", r"ERR_CONNECTION_REFUSED", r"/web/events")

expect.set_options(timeout=1000 * PATIENCE_S)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(*microphone_with_a_voice(tmp_path_factory.mktemp("voice"))) as running:
        yield running


@dataclass
class Served:
    """The application on a port of loopback, in a thread; it can be stopped and started again."""

    folder: Path
    scripted: ScriptedEngines
    port: int = 0

    def start(self) -> None:
        settings = settings_for(
            self.folder,
            listening={"interim_every_s": 0.3},
            # An owner without a name would see the first run instead.
            conversation={"users": {"address:127.0.0.1": "Ada"}},
        )
        app = create_app(settings, assembler=scripted_assembler(self.scripted))
        config = uvicorn.Config(app, "127.0.0.1", self.port, **OPTIONS)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=lambda: asyncio.run(self._server._serve()))
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            time.sleep(0.01)
        self.port = self._server.servers[0].sockets[0].getsockname()[1]

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"


@contextmanager
def served(folder: Path, **replies: str) -> Iterator[Served]:
    """A server that hears `HEARD` whatever is said. ``replies``: by a word of what they answer."""

    def reply_to(messages: Sequence[ChatMessage], options: ChatOptions) -> str:
        if options.json_schema:
            return "[]"
        return next((r for word, r in replies.items() if word in messages[-1].content), "I see.")

    stt = ScriptedSpeechToText((HEARD,))
    server = Served(folder, ScriptedEngines(chat=ScriptedChatModel(reply_to), stt=stt))
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def talk_page(
    browser: Browser,
    url: str,
    *,
    microphone: bool = True,
    lost: bool = False,
    replaced: dict[str, str] | None = None,
) -> Iterator[Page]:
    """The page, once its door is open. ``replaced``: as for ``web_page``."""
    permissions = ["microphone"] if microphone else []
    with web_page(
        browser,
        url,
        permissions=permissions,
        expected_errors=LOST if lost else (),
        replaced=replaced,
    ) as page:
        opened(page)
        yield page


def talk_button(page: Page) -> Locator:
    return page.locator(".talk-button")


def opened(page: Page) -> None:
    """Wait until the door of the page is open."""
    expect(page.locator(".stage[data-phase=idle]")).to_be_visible()


def hold(page: Page) -> None:
    talk_button(page).hover()
    page.mouse.down()


def said(page: Page) -> Locator:
    return page.locator(".line-person p").last


def reply(page: Page) -> Locator:
    return page.locator(".line-lobug > p").last


def state(page: Page) -> Locator:
    return page.locator(".stage-words")


def test_holding_the_button(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, sea="It is deep.") as server, talk_page(browser, server.url) as page:
        expect(state(page)).to_have_text("I'm here.")
        hold(page)
        expect(state(page)).to_have_text("I'm listening…")
        # Words appear while the button is still held.
        expect(page.locator(".line-person[data-interim]")).to_contain_text("Tell me")
        page.mouse.up()
        expect(page.locator(".line-person[data-interim]")).to_have_count(0)
        expect(said(page)).to_have_text(HEARD)
        expect(reply(page)).to_have_text("It is deep.")
        expect(state(page)).to_have_text("I'm here.")
        loud = max(float(np.abs(audio).max()) for audio in server.scripted.stt.heard)
        assert loud > 0.05
        assert server.scripted.tts.spoken == ["It is deep."]


def test_a_browser_elsewhere_talks_opus(browser: Browser, tmp_path: Path) -> None:
    elsewhere = {"role": "owner", "user": "Ada", "at_this_computer": False, "browser": None}
    replaced = {"**/web/session": json.dumps(elsewhere)}
    with (
        served(tmp_path, sea="It is deep. It is wide.") as server,
        talk_page(browser, server.url, replaced=replaced) as page,
    ):
        agreed: list[str] = []

        def on_message(data: str | bytes) -> None:
            if isinstance(data, str) and (message := json.loads(data))["type"] == "hello":
                agreed.append(message["audio_params"]["format"])

        page.on("websocket", lambda socket: socket.on("framereceived", on_message))
        page.reload()
        opened(page)
        for count in (1, 2):
            hold(page)
            expect(page.locator(".line-person[data-interim]")).to_contain_text("Tell me")
            page.mouse.up()
            expect(page.locator(".line-lobug")).to_have_count(count)
            expect(reply(page)).to_have_text("It is deep. It is wide.")
            expect(state(page)).to_have_text("I'm here.")
        assert agreed == ["opus"], "it has not failed over to plain samples"
        loud = max(float(np.abs(audio).max()) for audio in server.scripted.stt.heard)
        assert loud > 0.05


def test_the_space_bar_and_a_tap(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, sea="It is deep.") as server, talk_page(browser, server.url) as page:
        page.keyboard.down(" ")
        expect(page.locator(".line-person[data-interim]")).to_be_visible()
        page.keyboard.up(" ")
        expect(reply(page)).to_have_text("It is deep.")
        expect(state(page)).to_have_text("I'm here.")
        page.get_by_role("radio", name="Tap").check()
        talk_button(page).click()
        expect(page.locator(".line-lobug")).to_have_count(2)
        expect(reply(page)).to_have_text("It is deep.")
        page.reload()
        expect(page.get_by_role("radio", name="Tap")).to_be_checked()


PRESSED_AT_ONCE = """new MutationObserver((_, observer) => {
    const app = document.head?.querySelector("link[rel=modulepreload]") && !globalThis.firstView;
    if (!app || !document.querySelector(".talk-button")) return;
    observer.disconnect();
    globalThis.pressedWhile = document.querySelector(".stage").dataset.phase;
    const space = new KeyboardEvent("keydown", {key: " ", bubbles: true});
    document.body.dispatchEvent(space);
}).observe(document, {childList: true, subtree: true})"""


def test_a_press_before_the_door_is_open_is_not_lost(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, sea="It is deep.") as server, talk_page(browser, server.url) as page:
        page.add_init_script(PRESSED_AT_ONCE)
        page.reload()
        expect(page.locator(".line-person[data-interim]")).to_contain_text("Tell me")
        assert page.evaluate("pressedWhile") == "connecting"
        page.evaluate(
            "document.body.dispatchEvent(new KeyboardEvent('keyup', {key: ' ', bubbles: true}))"
        )
        expect(reply(page)).to_have_text("It is deep.")


def test_typed_words(browser: Browser, tmp_path: Path) -> None:
    with (
        served(tmp_path, Hello="I see you.") as server,
        talk_page(browser, server.url) as page,
    ):
        page.get_by_label("Type a message").fill("Hello <img src=x>")
        page.keyboard.press("Enter")
        expect(said(page)).to_have_text("Hello <img src=x>")
        expect(reply(page)).to_have_text("I see you.")
        expect(state(page)).to_have_text("I'm here.")
        assert page.locator(".transcript img").count() == 0
        page.get_by_role("link", name="Why this answer?").click()
        expect(page.get_by_text("Why it answered so")).to_be_visible()
        expect(page.get_by_role("blockquote")).to_contain_text("Hello <img src=x>")


def test_spoken_and_typed_words_are_one_conversation(browser: Browser, tmp_path: Path) -> None:
    with (
        served(tmp_path, sea="It is deep.", now="It is calm.") as server,
        talk_page(browser, server.url) as page,
    ):
        hold(page)
        expect(page.locator(".line-person[data-interim]")).to_be_visible()
        page.mouse.up()
        expect(reply(page)).to_have_text("It is deep.")
        page.get_by_label("Type a message").fill("And now?")
        page.keyboard.press("Enter")
        expect(reply(page)).to_have_text("It is calm.")
        prompts = [call.messages for call in server.scripted.chat.calls]
        answered = next(one for one in prompts if "And now?" in one[-1].content)
        assert any(HEARD in message.content for message in answered[:-1])
        links = page.get_by_role("link", name="Why this answer?")
        expect(links).to_have_count(2)
        links.first.click()
        expect(page.get_by_role("blockquote")).to_contain_text(HEARD)
        # The first words were said before anything was known.
        expect(page.get_by_text("Nothing was found, so the chat model had only")).to_be_visible()


@pytest.mark.parametrize("how", ["escape", "button"])
def test_an_interruption(browser: Browser, tmp_path: Path, how: str) -> None:
    with (
        served(tmp_path, sea=LONG, there="Okay.") as server,
        talk_page(browser, server.url) as page,
    ):
        hold(page)
        expect(page.locator(".line-person[data-interim]")).to_be_visible()
        page.mouse.up()
        expect(reply(page)).to_contain_text("xxx")
        expect(state(page)).to_have_text("I'm speaking.")
        if how == "escape":
            page.keyboard.press("Escape")
        else:
            page.get_by_role("button", name="Stop").click()
        expect(state(page)).to_have_text("I'm here.")
        expect(reply(page)).to_contain_text("interrupted")
        page.get_by_label("Type a message").fill("Are you still there?")
        page.keyboard.press("Enter")
        expect(reply(page)).to_have_text("Okay.")


def test_speech_interrupts_hands_free(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, sea=LONG) as server, talk_page(browser, server.url) as page:
        page.get_by_role("radio", name="Hands free").check()
        talk_button(page).click()
        expect(page.locator(".line-lobug").first).to_contain_text("xxx")
        # The recording goes on while the reply is spoken.
        expect(page.locator(".line-lobug").first).to_contain_text("interrupted")
        talk_button(page).click()
        expect(talk_button(page)).to_have_attribute("aria-pressed", "false")


def test_a_refused_microphone(browser: Browser, tmp_path: Path) -> None:
    with (
        served(tmp_path, Hello="Fine.") as server,
        talk_page(browser, server.url, microphone=False) as page,
    ):
        hold(page)
        expect(page.get_by_role("alert")).to_contain_text("I may not use the microphone")
        page.mouse.up()
        expect(state(page)).to_have_text("I'm here.")
        page.get_by_label("Type a message").fill("Hello")
        page.keyboard.press("Enter")
        expect(reply(page)).to_have_text("Fine.")


BROKEN_MICROPHONE = """
    const devices = navigator.mediaDevices;
    const get = devices.getUserMedia.bind(devices);
    devices.getUserMedia = async (wanted) => {
        if (globalThis.broken) throw new DOMException("", globalThis.broken);
        return get(wanted);
    };
"""
FAULTS = {
    "NotFoundError": "I can't find a microphone.",
    "NotReadableError": "Another program is using the microphone.",
    "NotAllowedError": "I may not use the microphone.",
}


def test_a_microphone_that_is_missing_in_use_or_refused_and_there_again(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        served(tmp_path, Hello="Fine.", sea="It is deep.") as server,
        talk_page(browser, server.url) as page,
    ):
        page.add_init_script(BROKEN_MICROPHONE)
        page.reload()
        opened(page)
        for count, (name, sentence) in enumerate(FAULTS.items(), 1):
            page.evaluate("name => { globalThis.broken = name; }", name)
            hold(page)
            expect(page.get_by_role("alert")).to_contain_text(sentence)
            page.mouse.up()
            expect(state(page)).to_have_text("I'm here.")
            page.get_by_label("Type a message").fill("Hello")
            page.keyboard.press("Enter")
            expect(page.locator(".line-lobug")).to_have_count(count)
            expect(reply(page)).to_have_text("Fine.")
            expect(state(page)).to_have_text("I'm here.")
        page.evaluate("() => { globalThis.broken = null; }")
        hold(page)
        expect(page.locator(".line-person[data-interim]")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        page.mouse.up()
        expect(reply(page)).to_have_text("It is deep.")


def test_a_lost_server_and_its_return(browser: Browser, tmp_path: Path) -> None:
    with (
        served(tmp_path, sea="Back again.") as server,
        talk_page(browser, server.url, lost=True) as page,
    ):
        server.stop()
        expect(state(page)).to_have_text("I can't reach my server. I'll keep trying.")
        expect(talk_button(page)).to_be_disabled()
        page.get_by_label("Type a message").fill("Hello?")
        page.keyboard.press("Enter")
        expect(page.locator(".line-fault").last).to_contain_text("doesn't answer")
        server.start()
        opened(page)
        hold(page)
        expect(page.locator(".line-person[data-interim]")).to_be_visible()
        page.mouse.up()
        expect(reply(page)).to_have_text("Back again.")


def test_the_newer_tab_talks(browser: Browser, tmp_path: Path) -> None:
    with (
        served(tmp_path) as server,
        talk_page(browser, server.url) as older,
        talk_page(browser, server.url) as newer,
    ):
        expect(state(older)).to_have_text("I'm talking in another tab.")
        older.get_by_role("button", name="Talk here").click()
        expect(state(older)).to_have_text("I'm here.")
        expect(state(newer)).to_have_text("I'm talking in another tab.")


def test_an_announcement_is_shown_as_such(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path) as server, talk_page(browser, server.url) as page:
        body = {"text": "Dinner is ready.", "all": True}
        httpx.post(f"{server.url}announce", json=body, timeout=60, trust_env=False)
        expect(page.locator(".line-lobug")).to_contain_text("unasked")
        expect(reply(page)).to_have_text("Dinner is ready.")


def test_a_wrong_memory_is_corrected_and_forgotten(browser: Browser, tmp_path: Path) -> None:
    with (
        served(tmp_path, walk="Along the river.") as server,
        talk_page(browser, server.url) as page,
        httpx.Client(base_url=server.url, trust_env=False, timeout=60) as http,
    ):
        words = "The user lives in Portland."
        http.post("memory/entries", json={"content": words}).raise_for_status()
        page.get_by_label("Type a message").fill("Where in Portland could I walk?")
        page.keyboard.press("Enter")
        expect(reply(page)).to_have_text("Along the river.")
        why = page.get_by_role("link", name="Why this answer?")
        href = why.get_attribute("href")
        with web_page(browser, f"{server.url}{href}") as other:
            expect(other.get_by_text("One thing was found")).to_be_visible()
            expect(other.get_by_text("It was given to the chat model")).to_be_visible()
            expect(other.locator(".hit")).to_contain_text(words)
            expect(other.locator(".share").first).to_contain_text("%")
        page.get_by_text("1 memory used").click()
        expect(page.locator(".memories li")).to_contain_text(words)
        page.get_by_role("button", name="That's wrong").click()
        page.get_by_label("What is right?").fill("The user lives in Seattle.")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".memories li")).to_contain_text("Seattle")

        def remembered() -> list[str]:
            found = http.get("memory/entries", params={"status": "active"}).json()["entries"]
            return [one["content"] for one in found]

        assert remembered() == ["The user lives in Seattle."]
        page.get_by_role("button", name="Forget this").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("This goes, and can't be brought back")
        assert remembered() == ["The user lives in Seattle."]
        dialog.get_by_role("button", name="Forget this").click()
        expect(page.locator(".memories")).to_have_count(0)
        assert remembered() == []
