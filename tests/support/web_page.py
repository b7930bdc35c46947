"""The web app in the Chromium of the system, driven by Playwright: one browser for many pages.

The tests that use it are plain functions: the server runs in a thread (`app_server.in_thread`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Route, sync_playwright

from lobug.audio.wav import encode
from support.browser import PATIENCE_S, QUIET_OPTIONS, need_chromium

MICROPHONE_RATE = 48_000


@contextmanager
def chromium(*options: str) -> Iterator[Browser]:
    """A running browser. ``options``: more of its command line. Skips where there is none."""
    path = need_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*QUIET_OPTIONS, *options])
        try:
            yield browser
        finally:
            browser.close()


def microphone_with_a_voice(folder: Path) -> tuple[str, ...]:
    """Options of a browser whose microphone plays something like a voice, four bursts a second (the
    browser filters steady tones out), and a pause after it, again and again."""
    at = np.arange(int(1.6 * MICROPHONE_RATE)) / MICROPHONE_RATE
    pitch = 160 + 40 * np.sin(2 * np.pi * 1.3 * at)
    cycles = np.cumsum(pitch) / MICROPHONE_RATE
    voice = sum(np.sin(2 * np.pi * n * cycles) / n for n in range(1, 8))
    samples = 0.25 * voice * (np.sin(2 * np.pi * 4 * at) > -0.3)
    pause = np.zeros(int(2.4 * MICROPHONE_RATE))
    wav = folder / "voice.wav"
    sound = np.concatenate([samples, pause]).astype(np.float32)
    wav.write_bytes(encode(sound, MICROPHONE_RATE))
    return (
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={wav}",
        "--autoplay-policy=no-user-gesture-required",
    )


@contextmanager
def web_page(
    browser: Browser,
    url: str,
    *,
    expected_errors: Sequence[str] = (),
    replaced: Mapping[str, str] | None = None,
    **context: Any,
) -> Iterator[Page]:
    """A page at ``url`` in a profile of its own.

    ``replaced``: patterns of addresses (`**/main.js`), each with the script that is answered
    instead. ``context``: options of the profile.

    Fails at the end if the page wrote an error to the console that none of ``expected_errors``
    (patterns) matches, if a script failed, or if it asked for anything of another host.
    """
    profile = browser.new_context(**context)
    profile.set_default_timeout(1000 * PATIENCE_S)
    page = profile.new_page()
    faults: list[str] = []
    host = urlsplit(url).netloc

    def on_console(message: ConsoleMessage) -> None:
        where = f"{message.text} ({message.location.get('url', '')})"
        if message.type == "error" and not any(re.search(p, where) for p in expected_errors):
            faults.append(where)

    def on_request(request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in {"data", "blob"} and parts.netloc != host:
            faults.append(f"a request to {request.url}")

    for pattern, script in (replaced or {}).items():
        answer = partial(Route.fulfill, body=script, content_type="text/javascript")
        page.route(pattern, answer)
    page.on("console", on_console)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", on_request)
    page.on("websocket", lambda socket: _own(socket.url, host, faults))
    try:
        page.goto(url)
        yield page
    finally:
        profile.close()
    assert not faults, "\n".join(faults)


def _own(url: str, host: str, faults: list[str]) -> None:
    if urlsplit(url).netloc != host:
        faults.append(f"a connection to {url}")
