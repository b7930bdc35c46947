"""A device that is connected, and the web pages: its condition, its volume, what it is told to say,
its turns, and the one memory of both. In Chromium, with a simulated device on the real socket."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from lobug.app import create_app
from lobug.engines.base import ChatMessage, ChatOptions
from lobug.simulator.device_tools import DeviceState
from support.app_server import ScriptedEngines, in_thread, scripted_assembler, settings_for
from support.device_client import TOOLS, DeviceClient, answering, device
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText
from support.web_page import chromium, web_page

DEVICE = "aa:bb:cc:dd:ee:01"
INTRODUCTION = {
    "application": {"name": "lobug", "version": "2.0.1"},
    "board": {"type": "core2", "name": "core2", "rssi": -58},
}

expect.set_options(timeout=1000 * PATIENCE_S)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


PLACES = {"bike": "cellar", "boat": "harbour", "kayak": "garage", "tent": "attic"}


def answer(messages: Sequence[ChatMessage], options: ChatOptions) -> str:
    """What the chat model says: where a thing is, if its prompt has the place."""
    if options.json_schema:
        return "[]"
    prompt = "\n".join(message.content for message in messages)
    asked = prompt.splitlines()[-1]
    found = [place for thing, place in PLACES.items() if thing in asked and place in prompt]
    return f"In the {found[0]}." if found else "It is deep."


@pytest.fixture
def engines() -> ScriptedEngines:
    """Two utterances are heard; Whisper has nothing for the second."""
    return ScriptedEngines(
        chat=ScriptedChatModel(answer),
        stt=ScriptedSpeechToText(("How deep is the sea?", "")),
    )


@pytest.fixture
def http(tmp_path: Path, engines: ScriptedEngines) -> Iterator[httpx.Client]:
    """The owner at the server's computer, Ada."""
    settings = settings_for(tmp_path, conversation={"users": {"address:127.0.0.1": "ada"}})
    server, thread, port = in_thread(create_app(settings, assembler=scripted_assembler(engines)))
    with httpx.Client(
        base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S, trust_env=False
    ) as client:
        yield client
    server.should_exit = True
    thread.join()


@dataclass
class ConnectedDevice:
    """A device that is connected from a thread of its own."""

    state: DeviceState
    client: DeviceClient
    loop: asyncio.AbstractEventLoop
    token: dict[str, str]
    """The header with its token."""
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def do(self, work: Callable[[DeviceClient], Awaitable[object]]) -> None:
        """Let it do something, to the end."""

        async def done() -> None:
            await work(self.client)

        asyncio.run_coroutine_threadsafe(done(), self.loop).result(PATIENCE_S)


@contextmanager
def connected(
    http: httpx.Client, state: DeviceState, *, ask: bool = True
) -> Iterator[ConnectedDevice]:
    """A device that is let in and connected. ``ask``: wait until it has told how it is."""
    headers = {"Device-Id": DEVICE, "Client-Id": "7f1d3b3e-0d52-4b6c-9d60-4f1a3c0e2b11"}
    found = http.post("/xiaozhi/ota/", json=INTRODUCTION, headers=headers).json()
    body = {"code": found["activation"]["code"], "name": "Desk", "user": "ada"}
    assert http.post("/devices/approve", json=body).status_code == 200
    door = http.post("/xiaozhi/ota/", json=INTRODUCTION, headers=headers).json()["websocket"]
    token = {"Authorization": f"Bearer {door['token']}"}
    ready = threading.Event()
    there: list[ConnectedDevice] = []

    async def stay() -> None:
        async with (
            device(str(http.base_url), device_id=DEVICE, hello=TOOLS, headers=token) as client,
            answering(client, state),
        ):
            there.append(ConnectedDevice(state, client, asyncio.get_running_loop(), token))
            ready.set()
            await there[0].over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(stay()))
    thread.start()
    try:
        assert ready.wait(PATIENCE_S)
        deadline = time.monotonic() + PATIENCE_S
        # It is asked how it is by whoever looks, once the server has learned its tools.
        while ask and http.get("/devices").json()["devices"][0]["battery"] is None:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield there[0]
    finally:
        if there:
            there[0].loop.call_soon_threadsafe(there[0].over.set)
        thread.join()


def address(http: httpx.Client, page: str) -> str:
    return f"{http.base_url}/#/{page}".replace("//#", "/#")


def card(page: Page) -> None:
    page.get_by_role("heading", name="Desk").wait_for()


def test_its_condition_is_seen_and_its_volume_changed(browser: Browser, http: httpx.Client) -> None:
    state = DeviceState(volume=40, battery=61, charging=True)
    with connected(http, state), web_page(browser, address(http, "devices")) as page:
        card(page)
        shown = page.locator(".device-card")
        expect(shown).to_contain_text("61 %")
        expect(shown).to_contain_text("Volume 40 %")
        expect(shown).to_contain_text("lobug 2.0.1")
        expect(shown).to_contain_text("core2")
        page.get_by_role("button", name="Change Desk").click()
        slider = page.get_by_role("slider")
        slider.press("ArrowLeft")
        slider.press("ArrowLeft")
        page.get_by_role("slider", name="Volume 30 %").wait_for()
        page.get_by_role("button", name="Save").click()
        expect(shown).to_contain_text("Volume 30 %")
    assert state.volume == 30


def test_its_condition_comes_to_a_page_that_was_open_before(
    browser: Browser, http: httpx.Client
) -> None:
    """The page has asked for the devices when this one had not named its tools."""
    with web_page(browser, address(http, "devices")) as page:
        page.get_by_role("heading", level=1).wait_for()
        with connected(http, DeviceState(volume=40, battery=61), ask=False):
            expect(page.locator(".device-card")).to_contain_text("61 %")
            expect(page.locator(".device-card")).to_contain_text("Volume 40 %")


def test_it_says_what_it_is_told_to(browser: Browser, http: httpx.Client) -> None:
    with (
        connected(http, DeviceState()) as there,
        web_page(browser, address(http, "devices")) as page,
    ):
        card(page)
        page.get_by_role("button", name="Say something").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("textbox").fill("Dinner is ready.")
        dialog.get_by_role("button", name="Say it").click()
        there.do(
            lambda client: client.until_said("tts", state="sentence_start", text="Dinner is ready.")
        )
        there.do(lambda client: client.until_said("tts", state="stop"))
        expect(dialog).to_have_count(0)


def test_its_turns_are_seen_with_the_time_at_which_it_began_to_play(
    browser: Browser, http: httpx.Client
) -> None:
    async def ask(client: DeviceClient) -> None:
        await client.listen()
        await client.speak()
        await client.until_said("tts", state="start")
        await client.until(lambda: bool(client.audio()))
        await client.say(type="playing", delay_ms=40)
        await client.until_said("tts", state="stop")

    async def mumble(client: DeviceClient) -> None:
        await client.listen()
        await client.speak()

    with (
        connected(http, DeviceState()) as there,
        web_page(browser, address(http, "turns")) as page,
    ):
        page.get_by_role("heading", name="Live turns").wait_for()
        there.do(ask)
        expect(page.locator(".turn-door").first).to_have_text("Desk")
        (turn,) = http.get("/turns").json()["turns"]
        assert turn["timings"]["first_audio_played"] > 0
        page.goto(address(http, "turns/heard"))
        expect(page.get_by_text("How deep is the sea?")).to_be_visible()
        there.do(mumble)
        expect(page.get_by_role("main").get_by_role("listitem")).to_have_count(2)
        expect(page.get_by_role("main").get_by_role("listitem").first).to_contain_text("no words")


def ask_in_talk(page: Page, text: str, reply: str) -> None:
    """Type a question in Talk, and see this reply."""
    page.get_by_label("Type a message").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator(".line-person > p").last).to_have_text(text)
    expect(page.locator(".line-lobug[data-state=done] > p").last).to_contain_text(reply)


def test_what_is_told_to_the_device_or_the_page_is_known_to_both(
    browser: Browser, http: httpx.Client, engines: ScriptedEngines
) -> None:
    engines.stt.texts = ("Remember that my bike is in the cellar.", "Where can I find my boat?")

    async def speak(client: DeviceClient) -> None:
        before = len(client.messages("tts"))
        await client.listen()
        await client.speak()
        await client.until(
            lambda: any(message["state"] == "stop" for message in client.messages("tts")[before:])
        )

    def said(client: DeviceClient) -> str:
        spoken = [message.get("text", "") for message in client.messages("tts")]
        return " ".join(spoken)

    with (
        connected(http, DeviceState()) as there,
        web_page(browser, address(http, "talk")) as page,
    ):
        expect(page.locator(".stage[data-phase=idle]")).to_be_visible()
        # Told aloud to the device, used in the page.
        there.do(speak)
        ask_in_talk(page, "Where can I find my bike?", "cellar")
        page.get_by_text("1 memory used").last.click()
        expect(page.locator(".memories li").last).to_contain_text("cellar")

        # Told in the page, used by the device: aloud, and over HTTP with its token.
        ask_in_talk(page, "Remember that my boat is in the harbour.", "harbour")
        ask_in_talk(page, "Remember that my kayak is in the garage.", "garage")
        there.do(speak)
        assert "harbour" in said(there.client)
        headers = {"Device-Id": DEVICE, **there.token}
        body = {"text": "Where can I find my kayak?"}
        told = http.post("/chat/text", json=body, headers=headers).json()
        assert "garage" in told["response"]

        # Told over HTTP with the device's token, used in the page.
        body = {"text": "Remember that my tent is in the attic."}
        http.post("/chat/text", json=body, headers=headers).raise_for_status()
        ask_in_talk(page, "Where can I find my tent?", "attic")
        page.locator(".memories").last.locator("summary").click()
        expect(page.locator(".memories").last).to_contain_text("attic")
