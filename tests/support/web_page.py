"""The web app in the Chromium of the system, driven by Playwright: one browser for many pages.

The tests that use it are plain functions: the server runs in a thread (`app_server.in_thread`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Route, sync_playwright

from support.browser import PATIENCE_S, QUIET_OPTIONS, need_chromium


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
