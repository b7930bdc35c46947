"""The web app as a person uses it: Chromium, `lobug serve` and the embedded models.

The browser's microphone plays what the embedded voice says, once for each time that it is opened.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from lobug.audio.decode import decode_now
from lobug.audio.resample import resample
from lobug.audio.wav import encode
from lobug.engines.base import STT_SAMPLE_RATE
from support.browser import PATIENCE_S
from support.embedded_speech import in_the_embedded_voice, transcribed
from support.lobug_process import ServedLobug, served
from support.speech import words
from support.web_page import chromium, web_page

pytestmark = [pytest.mark.models, pytest.mark.timeout(1800)]

SENTENCE = "My name is Alex and I live in Boston."
CORRECTED = "The user lives in Seattle"
MICROPHONE_RATE = 48_000

RECORD_WHAT_IS_PLAYED = """() => {
    const connect = AudioNode.prototype.connect;
    AudioNode.prototype.connect = function (target, ...more) {
        if (target instanceof AudioDestinationNode && !window.recorder) {
            const copy = this.context.createMediaStreamDestination();
            connect.call(this, copy);
            window.recorder = new MediaRecorder(copy.stream);
            window.recorded = [];
            window.recorder.ondataavailable = ({data}) => window.recorded.push(data);
            window.recorder.start();
        }
        return connect.call(this, target, ...more);
    };
}"""
"""From now on, what the first player of the page plays is recorded, as far as it is heard."""

WHAT_WAS_PLAYED = """() => new Promise(done => {
    window.recorder.onstop = () => {
        const reader = new FileReader();
        reader.onload = () => done(reader.result.split(",")[1]);
        reader.readAsDataURL(new Blob(window.recorded));
    };
    window.recorder.stop();
})"""
"""The recording, WebM in base64."""

expect.set_options(timeout=1000 * PATIENCE_S)


@pytest.fixture(scope="module")
def lobug(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedLobug]:
    with served(tmp_path_factory.mktemp("lobug")) as server:
        server.wait(is_awake)
        yield server


def is_awake(health: dict[str, Any]) -> bool:
    """Whether the chat model has read what stands at the beginning of every prompt; before that the
    first reply is "One moment, I'm just waking up."."""
    state: str = health["engines"]["chat"]["details"]["shared_prefix"]["state"]
    return state in {"made", "restored"}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    (clip,) = asyncio.run(in_the_embedded_voice(SENTENCE))
    samples = clip.padded(before_s=0.5, after_s=0.5).samples
    wav = tmp_path_factory.mktemp("voice") / "sentence.wav"
    wav.write_bytes(encode(resample(samples, STT_SAMPLE_RATE, MICROPHONE_RATE), MICROPHONE_RATE))
    with chromium(
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={wav}%noloop",
        "--autoplay-policy=no-user-gesture-required",
    ) as running:
        yield running


def heard_again(webm: bytes) -> str:
    """The words in a recording. Playwright's own event loop runs in the thread of the test."""
    samples = decode_now(webm, 120)
    with ThreadPoolExecutor(1) as another_thread:
        return another_thread.submit(lambda: asyncio.run(transcribed(samples))).result()


def active_memories(lobug: ServedLobug, user: str) -> list[str]:
    answer = httpx.get(
        f"{lobug.url}/memory/entries", params={"user": user}, timeout=60, trust_env=False
    )
    assert answer.status_code == 200, answer.text
    return [entry["content"] for entry in answer.json()["entries"]]


def be(page: Page, name: str) -> None:
    """Go through the first run as somebody who wants no microphone now."""
    page.get_by_label("What shall I call you?").fill(name)
    page.get_by_role("button", name="That's me").click()
    page.get_by_role("button", name="I'd rather type").click()
    page.get_by_role("button", name="Start talking").click()
    expect(page.locator(".stage[data-phase=idle]")).to_be_visible()


def open_page(page: Page, name: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=name).click()


def talk(page: Page) -> str:
    """Say the sentence after a tap; returns the reply that is shown, once all of it was heard.

    It is said again, twice at most, while it was not understood: a computer that is busy with the
    models leaves gaps in what the browser's microphone plays.
    """
    page.get_by_role("radio", name="Tap").check()
    said = page.locator(".line-person:not([data-interim]) p")
    reply = page.locator(".line-lobug[data-state=done] p")
    for number in range(1, 4):
        page.get_by_role("button", name="Tap to talk").click()
        expect(reply).to_have_count(number)
        if re.search("Alex.*Boston", said.last.inner_text()):
            break
    expect(said.last).to_have_text(re.compile("Alex.*Boston"))
    return reply.last.inner_text()


def test_what_is_said_is_answered_remembered_corrected_exported_and_forgotten(
    lobug: ServedLobug, browser: Browser, tmp_path: Path
) -> None:
    with web_page(
        browser,
        lobug.url,
        permissions=["microphone"],
        accept_downloads=True,
        # The page of a memory is told that it has changed before it is left: it was forgotten.
        expected_errors=[r"404 .*/memory/entries/\d+"],
    ) as page:
        page.evaluate(RECORD_WHAT_IS_PLAYED)
        expect(page.get_by_role("heading", name="Hello! I'm Lo-Bug.")).to_be_visible()
        be(page, "Alex")
        reply = talk(page)
        played = heard_again(base64.b64decode(page.evaluate(WHAT_WAS_PLAYED)))
        shared = set(words(reply)) & set(words(played))
        assert len(shared) >= len(set(words(reply))) / 2, (reply, played)

        lobug.learned()
        open_page(page, "Memory")
        # A summary of the conversation may say it too, in other words.
        page.get_by_role("link", name=re.compile("The user lives in Boston")).click()
        correct(page, CORRECTED)
        export = exported(page, tmp_path / "export.json")
        assert "Seattle" in json.dumps(export["entries"])

        forget(page, CORRECTED)
        expect(page.locator(".entry-row", has_text="Seattle")).to_have_count(0)
    assert not [text for text in active_memories(lobug, "Alex") if "Seattle" in text]


def correct(page: Page, text: str) -> None:
    page.get_by_role("button", name="That’s wrong").click()
    page.get_by_label("What is right").fill(text)
    page.get_by_role("button", name="Put it right").click()
    expect(page.locator(".entry-words")).to_have_text(text)


def exported(page: Page, path: Path) -> dict[str, Any]:
    open_page(page, "Memory")
    page.get_by_role("tab", name="Keep & erase").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export JSON").click()
    download.value.save_as(path)
    export: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return export


def forget(page: Page, text: str) -> None:
    """Forget the one memory that says this, on its own page."""
    page.get_by_role("tab", name="All").click()
    page.get_by_role("link", name=re.compile(text)).click()
    page.get_by_role("button", name="Forget").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("This would go: ")
    expect(dialog.locator(".going")).to_contain_text(text)
    dialog.get_by_role("button", name="Forget it").click()
    expect(page.locator(".list-count")).to_be_focused()


def test_a_device_that_waits_appears_and_is_let_in_by_a_tap(
    lobug: ServedLobug, browser: Browser
) -> None:
    with web_page(browser, f"{lobug.url}/#/devices") as page:
        expect(page.get_by_text("No device yet")).to_be_visible()
        code = discovered(lobug)["activation"]["code"]
        waiting = page.get_by_role("region", name="A device is waiting")
        expect(waiting).to_contain_text(code)
        waiting.get_by_label("Name").fill("Kitchen")
        waiting.get_by_role("button", name="Let it in").click()
        expect(page.get_by_role("heading", name="Kitchen")).to_be_visible()
    assert discovered(lobug)["websocket"]["token"]


def discovered(lobug: ServedLobug) -> dict[str, Any]:
    """What a device with Lo-Bug's firmware does at its start."""
    answer = httpx.post(
        f"{lobug.url}/xiaozhi/ota/",
        headers={
            "Device-Id": "AA:BB:CC:DD:EE:01",
            "Client-Id": "7b94d69a-9808-4c59-9c9b-704333b38aff",
        },
        json={"application": {"name": "lobug", "version": "2.0.1"}, "board": {"type": "core2"}},
        timeout=60,
        trust_env=False,
    )
    found: dict[str, Any] = answer.json()
    return found


def test_a_timer_rings_in_the_page_until_it_is_stopped(
    lobug: ServedLobug, browser: Browser
) -> None:
    with web_page(browser, f"{lobug.url}/#/welcome") as page:
        be(page, "Ringo")
        open_page(page, "Timers & lists")
        page.get_by_role("button", name="New timer").click()
        page.get_by_label("Seconds").fill("2")
        page.get_by_role("button", name="Set", exact=True).click()
        row = page.locator(".alert-row")
        expect(row).to_contain_text("Ringing")
        row.get_by_role("button", name="Stop").click()
        expect(row).to_have_count(0)
        expect(page.get_by_text("Nothing is set.")).to_be_visible()


def test_the_first_page_with_a_slow_processor(lobug: ServedLobug, browser: Browser) -> None:
    """Prints how long it takes; nothing is asserted of it, since the machine may be busy."""
    with web_page(browser, f"{lobug.url}/#/welcome") as page:
        be(page, "Pat")
        devtools = page.context.new_cdp_session(page)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        for cache in ("empty", "filled"):
            devtools.send("Network.setCacheDisabled", {"cacheDisabled": cache == "empty"})
            page.goto("about:blank")
            page.goto(lobug.url)
            figures = page.evaluate(
                """async () => {
                    const frame = () => new Promise(requestAnimationFrame);
                    while (globalThis.firstView) await frame();
                    const app = performance.now();
                    while (!document.querySelector(".stage[data-phase=idle]")) await frame();
                    const connected = performance.now();
                    const paint = performance.getEntriesByName("first-contentful-paint");
                    const files = [...performance.getEntriesByType("navigation"),
                        ...performance.getEntriesByType("resource")]
                        .filter(({initiatorType}) => initiatorType !== "fetch");
                    return {
                        usable_ms: Math.round(paint[0]?.startTime),
                        app_ms: Math.round(app),
                        connected_ms: Math.round(connected),
                        files: files.length,
                        bytes: files.reduce((sum, file) => sum + file.encodedBodySize, 0),
                    };
                }"""
            )
            logging.info("first page, cache %s: %s", cache, figures)
