"""Chromium without a window, driven by its DevTools protocol over a WebSocket.

Names resolve inside of this computer alone: a request to anywhere else fails, and is seen in
``Page.requests``.
"""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_S = 120.0
"""Longest wait for the browser, seconds, on a slow and busy machine."""
FOREIGN_HOST = "evil.test"
"""Resolves to 127.0.0.1: a page of another site."""

LITERALS = "EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE 0.0.0.0"
"""An address that needs no name resolution."""

QUIET_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""A browser that runs in a container and calls nobody by itself."""

OPTIONS = (
    *QUIET_OPTIONS,
    "--headless=new",
    "--disable-popup-blocking",
    f"--host-resolver-rules=MAP {FOREIGN_HOST} 127.0.0.1, MAP * ~NOTFOUND, {LITERALS}",
    "--remote-debugging-port=0",
)


def need_chromium() -> str:
    """The path of the browser. Skips the test where there is none."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    pytest.skip("no Chromium (scripts/browser-packages.sh installs it, or says how to)")


class BrowserError(AssertionError):
    """The browser refused a command, or a page's script failed."""


@dataclass
class Page:
    """One tab. Its requests and messages are recorded from its opening on."""

    browser: Browser
    session: str
    requests: list[str] = field(default_factory=list)
    """Addresses that the page or its frames asked for, also those that were blocked later."""
    complaints: list[str] = field(default_factory=list)
    """Errors and warnings: of scripts, of the network, and violations of a policy."""

    async def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a DevTools command; return its result. Raises BrowserError."""
        return await self.browser.send(method, self.session, **parameters)

    async def go(self, url: str) -> None:
        """Open an address as if a person had typed it, and wait until the page has loaded."""
        answer = await self.send("Page.navigate", url=url)
        if "errorText" in answer:
            raise BrowserError(f"{url}: {answer['errorText']}")
        await self.until(f"location.href !== 'about:blank' && {LOADED}")

    async def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited. Raises BrowserError when it throws."""
        answer = await self.send(
            "Runtime.evaluate",
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
            userGesture=True,
        )
        if "exceptionDetails" in answer:
            raise BrowserError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    async def until(self, condition: str) -> None:
        """Wait until a JavaScript expression is true. Raises BrowserError when it never is."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    with suppress(BrowserError):  # between two documents there is nothing to ask
                        if await self.evaluate(f"Boolean({condition})"):
                            return
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise BrowserError(f"never true: {condition}; {self.complaints}") from None

    async def click(self, selector: str) -> None:
        """Click on the first element of a CSS selector, once it is there."""
        found = f"document.querySelector({json.dumps(selector)})"
        await self.until(found)
        await self.evaluate(f"{found}.click()")

    async def screenshot(self, *, width: int = 1200, height: int = 1600) -> bytes:
        """A picture of the page, PNG; sizes in pixels."""
        await self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        answer = await self.send("Page.captureScreenshot", format="png")
        return base64.b64decode(answer["data"])

    def note(self, method: str, parameters: dict[str, Any]) -> None:
        """Record an event."""
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(parameters["url"])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in {"error", "warning"}:
            self.complaints.append(parameters["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in {"error", "warning"}:
            self.complaints.append(json.dumps(parameters["args"])[:500])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(parameters["exceptionDetails"])[:500])
        elif method == "Audits.issueAdded" and "Policy" in parameters["issue"]["code"]:
            self.complaints.append(json.dumps(parameters["issue"])[:500])


LOADED = "document.readyState === 'complete'"


class Browser:
    """A running Chromium."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._sent = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._pages: dict[str, Page] = {}

    async def send(
        self, method: str, session: str | None = None, **parameters: Any
    ) -> dict[str, Any]:
        """Send a DevTools command; return its result. Raises BrowserError."""
        self._sent += 1
        number = self._sent
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        to = {"sessionId": session} if session else {}
        await self._socket.send(
            json.dumps({"id": number, "method": method, "params": parameters, **to})
        )
        async with asyncio.timeout(PATIENCE_S):
            message = await answer
        if "error" in message:
            raise BrowserError(f"{method}: {message['error']}")
        result: dict[str, Any] = message["result"]
        return result

    async def open_page(self) -> Page:
        """Open an empty tab."""
        target = await self.send("Target.createTarget", url="about:blank")
        attached = await self.send(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )
        page = self._pages[attached["sessionId"]] = Page(self, attached["sessionId"])
        for domain in ("Page", "Network", "Runtime", "Log", "Audits"):
            await page.send(f"{domain}.enable")
        return page

    async def listen(self) -> None:
        """Read the browser's messages until it closes the connection."""
        async for text in self._socket:
            message = json.loads(text)
            if waiting := self._waiting.pop(message.get("id"), None):
                if not waiting.done():
                    waiting.set_result(message)
            elif page := self._pages.get(message.get("sessionId", "")):
                page.note(message["method"], message["params"])


@asynccontextmanager
async def running_chromium(folder: Path) -> AsyncIterator[Browser]:
    """Start Chromium with an empty profile under ``folder``."""
    profile = folder / "chromium"
    profile.mkdir(parents=True)
    with (folder / "chromium.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            need_chromium(), *OPTIONS, f"--user-data-dir={profile}", stdout=log, stderr=log
        )
    try:
        place = profile / "DevToolsActivePort"  # port and path, once it listens
        async with asyncio.timeout(PATIENCE_S):
            while not (place.exists() and len(place.read_text().split()) == 2):
                if process.returncode is not None:
                    raise BrowserError((folder / "chromium.log").read_text()[-2000:])
                await asyncio.sleep(0.05)
        port, path = place.read_text().split()
        url = f"ws://127.0.0.1:{port}{path}"
        async with connect(url, max_size=None, compression=None, proxy=None) as socket:
            browser = Browser(socket)
            listening = asyncio.create_task(browser.listen())
            try:
                yield browser
            finally:
                with suppress(BrowserError, TimeoutError):
                    await browser.send("Browser.close")
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)
    finally:
        try:
            async with asyncio.timeout(PATIENCE_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
