"""What a web page of another site can do to its visitor's own Lo-Bug: tried by pages in Chromium,
where it is installed, and request by request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from lobug.app import create_app
from lobug.http.browser import BROWSER_RULES
from support.app_server import client_of, scripted_assembler, settings_for
from support.browser import FOREIGN_HOST, PATIENCE_S, Browser, Page, running_chromium
from support.memory_app import quiet_engines
from support.simulated_address import remote_headers, with_simulated_addresses

TRUSTED = "10.1.2.3"
FOREIGN = [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}]
LINK = {
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
}


@dataclass
class Recorder:
    """ASGI middleware: notes what arrived with a ``how`` in its query, and how it was answered."""

    app: ASGIApp
    arrived: dict[str, set[int]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        how = parse_qs(scope.get("query_string", b"").decode()).get("how", [""])[0]

        async def answering(message: Message) -> None:
            if how and "status" in message:
                self.arrived.setdefault(how, set()).add(message["status"])
            elif how and message["type"] == "websocket.accept":
                self.arrived.setdefault(how, set()).add(101)
            await send(message)

        await self.app(scope, receive, answering)


@dataclass
class World:
    http: httpx.AsyncClient
    app: FastAPI
    arrived: dict[str, set[int]] = field(default_factory=dict)
    """By ``how``: the statuses of the answers."""

    @property
    def port(self) -> int:
        assert self.http.base_url.port is not None
        return self.http.base_url.port


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    settings = settings_for(
        tmp_path,
        access={"trusted_networks": ["10.1.0.0/16"]},
        limits={"max_body_bytes": 400_000},
    )
    app = create_app(settings, assembler=scripted_assembler(quiet_engines()))

    @app.get("/broken")
    async def broken() -> None:
        raise RuntimeError("broken")

    arrived: dict[str, set[int]] = {}
    app.add_middleware(Recorder, arrived=arrived)
    async with client_of(with_simulated_addresses(app)) as http:
        yield World(http, app, arrived)


def code(answer: httpx.Response) -> str:
    return f"{answer.status_code} {answer.json()['error']['code']}"


# ---- request by request


@pytest.mark.parametrize("sent", FOREIGN)
@pytest.mark.parametrize("address", ["127.0.0.1", TRUSTED])
async def test_no_route_answers_a_foreign_page(
    world: World, sent: dict[str, str], address: str
) -> None:
    headers = remote_headers(address, **sent)
    asked = 0
    for path, methods in world.app.openapi()["paths"].items():
        if path in {"/health", "/ready"} or path.startswith("/xiaozhi/"):
            continue
        for method in methods:
            place = path.replace("{", "").replace("}", "")
            answer = await world.http.request(method, place, headers=headers, json={})
            assert code(answer) == "403 foreign_origin", (method, path)
            asked += 1
    assert asked > 35
    for path in ("/docs", "/docs/assets/docs.js", "/openapi.json", "/nowhere"):
        assert code(await world.http.get(path, headers=headers)) == "403 foreign_origin"
    health = await world.http.get("/health", headers=headers)
    assert set(health.json()) == {"status", "ollama", "timestamp", "version"}


async def test_whether_something_exists_is_not_told(world: World) -> None:
    told = await world.http.post("/memory/entries", json={"content": "I like tea"})
    there, nowhere = f"/memory/entries/{told.json()['id']}", "/memory/entries/999999"
    assert (await world.http.get(there)).status_code == 200
    assert (await world.http.get(nowhere)).status_code == 404
    for sent in FOREIGN:
        one, other = [await world.http.get(path, headers=sent) for path in (there, nowhere)]
        assert (one.status_code, one.content) == (other.status_code, other.content)


async def test_a_person_a_page_of_ours_and_a_token_are_not_foreign(world: World) -> None:
    made = (await world.http.post("/tokens", json={"name": "x"})).json()["token"]
    for sent in (
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-origin"},
        {},
        {"Sec-Fetch-Site": "cross-site", "Authorization": f"Bearer {made}"},
    ):
        answer = await world.http.get("/memory/entries", headers=sent)
        assert answer.status_code == 200, sent


async def test_a_link_on_another_site_opens_the_docs_and_nothing_else(world: World) -> None:
    assert (await world.http.get("/docs", headers=LINK)).status_code == 200
    assert code(await world.http.post("/docs", headers=LINK)) == "403 foreign_origin"
    for path in ("/memory/entries", "/openapi.json", "/docs/", "/docs/assets/docs.js"):
        assert code(await world.http.get(path, headers=LINK)) == "403 foreign_origin"
    framed = {**LINK, "Sec-Fetch-Dest": "iframe"}
    assert code(await world.http.get("/docs", headers=framed)) == "403 foreign_origin"


@pytest.mark.parametrize("host", ["0.0.0.0", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::]"])
async def test_addresses_at_which_browsers_do_not_say_where_from(world: World, host: str) -> None:
    for headers in (
        remote_headers("127.0.0.1"),
        remote_headers("::1"),
        remote_headers("::ffff:127.0.0.1"),
    ):
        headers["Host"] = f"{host}:{world.port}"
        answer = await world.http.get("/memory/entries", headers=headers)
        assert code(answer) == "403 host_unknown"


def assert_rules(headers: httpx.Headers | dict[str, str]) -> None:
    missing = [name for name in BROWSER_RULES if name.lower() not in headers]
    assert missing == []
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


async def test_every_answer_says_what_browsers_may_do_with_it(world: World) -> None:
    """Good ones, refusals of middleware, failures of routes and of the program, streams."""
    http = world.http
    streamed = {"Accept": "text/event-stream"}
    spoken = {"Accept": "audio/wav"}
    for status, method, path, headers, body in (
        (200, "GET", "/health", {}, None),
        (200, "GET", "/docs", {}, None),
        (200, "GET", "/docs/assets/docs.js", {}, None),
        (200, "POST", "/chat/text", {}, {"text": "Hi"}),
        (200, "POST", "/chat/text", streamed, {"text": "Hi"}),
        (200, "POST", "/chat/text", spoken, {"text": "Hi", "voice": True}),
        (401, "GET", "/turns", remote_headers(), None),
        (403, "GET", "/turns", FOREIGN[0], None),
        (404, "GET", "/nowhere", {}, None),
        (404, "GET", "/docs/assets/nowhere", {}, None),
        (405, "DELETE", "/chat/text", {}, None),
        (413, "POST", "/chat/text", {}, {"text": "x" * 400_000}),
        (422, "POST", "/chat/text", {}, {}),
        (401, "GET", "/v1/models", remote_headers(), None),
        (500, "GET", "/broken", {}, None),
    ):
        answer = await http.request(method, path, headers=headers, json=body)
        assert answer.status_code == status, (path, answer.text)
        assert_rules(answer.headers)
    url = f"ws://127.0.0.1:{world.port}/xiaozhi/v1/"
    with pytest.raises(InvalidStatus) as refused:
        async with connect(url, additional_headers=FOREIGN[0], compression=None, proxy=None):
            pass
    assert refused.value.response.status_code == 403
    assert_rules({k.lower(): v for k, v in refused.value.response.headers.raw_items()})


# ---- in Chromium

ATTACK = """
(async () => {
  const base = %(base)s, key = %(key)s, seen = {}
  const at = how => `${base}/memory/entries/${key}?how=${how}`
  const settled = []
  const wait = (how, start) => settled.push(
    new Promise(done => start(what => { seen[how] = what; done() })))
  const element = (how, tag, place, more = {}) => wait(how, done => {
    const made = Object.assign(document.createElement(tag), more)
    made.onload = () => done('load'); made.onerror = () => done('error')
    made[place] = at(how)
    document.body.append(made)
  })
  element('img', 'img', 'src')
  element('script', 'script', 'src')
  element('module', 'script', 'src', {type: 'module'})
  element('style', 'link', 'href', {rel: 'stylesheet'})
  element('preload', 'link', 'href', {rel: 'preload', as: 'image'})
  element('iframe', 'iframe', 'src')
  element('object', 'object', 'data')
  element('embed', 'embed', 'src')
  element('audio', 'audio', 'src')
  element('video', 'video', 'src')
  const asks = (how, options, place = at(how)) => wait(how, done =>
    fetch(place, options).then(answer => done(answer.type), () => done('error')))
  asks('no-cors', {mode: 'no-cors'})
  asks('cors', {mode: 'cors'})
  asks('credentials', {mode: 'no-cors', credentials: 'include'})
  asks('post', {mode: 'no-cors', method: 'POST', body: '{"content": "I like coffee"}'},
       `${base}/memory/entries?how=post`)
  asks('chat', {mode: 'no-cors', method: 'POST', body: '{"text": "Hi"}'},
       `${base}/chat/text?how=chat`)
  navigator.sendBeacon(`${base}/memory/entries?how=beacon`, '{"content": "I like coffee"}')
  wait('worker', done => {
    const code = new Blob([`
      try { importScripts(${JSON.stringify(at('worker'))}); postMessage('run') }
      catch { postMessage('error') }`])
    new Worker(URL.createObjectURL(code)).onmessage = message => done(message.data)
  })
  wait('events', done => {
    const source = new EventSource(at('events'))
    source.onopen = () => done('open'); source.onerror = () => { source.close(); done('error') }
  })
  wait('socket', done => {
    const socket = new WebSocket(base.replace('http', 'ws') + '/xiaozhi/v1/?how=socket')
    socket.onopen = () => done('open'); socket.onerror = () => done('error')
  })
  const form = (how, target) => {
    const made = document.createElement('form')
    made.action = at(how); made.target = target; made.method = 'GET'
    made.innerHTML = `<input name="how" value="${how}">`
    document.body.append(made); made.submit()
  }
  document.body.insertAdjacentHTML('beforeend', '<iframe name="inside"></iframe>')
  form('form', 'inside')
  form('form-window', 'other')
  open(at('window'))
  window.docs = open(`${base}/docs?how=docs`)
  const rules = document.createElement('script')
  rules.type = 'speculationrules'
  rules.textContent = JSON.stringify({
    prefetch: [{urls: [at('speculation')], eagerness: 'immediate'}],
    prerender: [{urls: [at('prerender')], eagerness: 'immediate'}],
  })
  const prefetch = document.createElement('link')
  prefetch.rel = 'prefetch'; prefetch.href = at('prefetch')
  document.body.append(rules, prefetch)
  await Promise.all(settled)
  return seen
})()
"""

SURE = {
    "img", "script", "module", "style", "preload", "iframe", "object", "embed", "audio",
    "video", "no-cors", "cors", "credentials", "post", "chat", "beacon", "worker", "events",
    "socket", "form", "form-window", "window",
}  # fmt: skip
"""What is known to arrive; else the test would prove nothing."""

SILENT = {"prefetch", "speculation", "prerender"}
"""What a browser may leave out."""


@asynccontextmanager
async def foreign_page(browser: Browser, host: str) -> AsyncIterator[Page]:
    """A page of another site, open in the browser."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):  # a connection that it opened for later
            await reader.readuntil(b"\r\n\r\n")
            body = b"<!doctype html><title>Elsewhere</title><body>Cats"
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}"
            writer.write(f"{head}\r\nConnection: close\r\n\r\n".encode() + body)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        page = await browser.open_page()
        await page.go(f"http://{host}:{server.sockets[0].getsockname()[1]}/")
        yield page


async def attack(world: World, page: Page, base: str, key: object) -> dict[str, Any]:
    """What the page sees of each means, once each of them has arrived at the server."""
    seen: dict[str, Any] = await page.evaluate(
        ATTACK % {"base": json.dumps(base), "key": json.dumps(str(key))}
    )
    async with asyncio.timeout(PATIENCE_S):
        while not SURE | {"docs"} <= set(world.arrived):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)
    return seen


@pytest.mark.parametrize(
    ("page_host", "called"),
    [
        (FOREIGN_HOST, "127.0.0.1"),
        (FOREIGN_HOST, "localhost"),
        (FOREIGN_HOST, "0.0.0.0"),
        ("127.0.0.1", "127.0.0.1"),
    ],
)
async def test_a_page_in_a_browser_gets_nothing(
    tmp_path: Path, world: World, page_host: str, called: str
) -> None:
    told = await world.http.post("/memory/entries", json={"content": "I like tea"})
    base = f"http://{called}:{world.port}"
    async with running_chromium(tmp_path) as browser:
        seen = []
        for key in (told.json()["id"], 999_999):
            async with foreign_page(browser, page_host) as page:
                seen.append(await attack(world, page, base, key))
                docs = world.arrived["docs"]
                let_in = {how for how, statuses in world.arrived.items() if statuses != {403}}
                assert let_in <= {"docs"}
                assert set(world.arrived) <= SURE | SILENT | {"docs"}
                if called == "0.0.0.0":
                    assert docs == {403}
                else:
                    assert docs == {200}, "a link opens it"
                    await page.until("docs.closed")  # and the page cannot reach into it
        assert seen[0] == seen[1], "a page learns whether a memory exists"
        assert set(seen[0].values()) <= {"error", "load"}
        assert {how for how, what in seen[0].items() if what == "load"} <= {"iframe", "embed"}
    notes = (await world.http.get("/memory/entries")).json()["entries"]
    assert [note["content"] for note in notes] == ["I like tea"]


async def test_a_person_in_a_browser_gets_everything(tmp_path: Path, world: World) -> None:
    async with running_chromium(tmp_path) as browser:
        page = await browser.open_page()
        for path in ("/memory/entries", "/health", "/openapi.json"):
            await page.go(f"{world.http.base_url}{path}")
            status = "performance.getEntriesByType('navigation')[0].responseStatus"
            assert await page.evaluate(status) == 200
        await page.go(f"http://localhost:{world.port}/docs")
        health = await page.evaluate("fetch('/health').then(answer => answer.json())")
        assert "engines" in health


SIGN_IN = """
fetch('/web/session', {method: 'POST', body: '{"user": "ada"}'}).then(answer => answer.json())
"""
BORROW = """
(async () => {
  const base = %(base)s, include = {mode: 'no-cors', credentials: 'include'}
  const post = {...include, method: 'POST', body: '{"content": "I like coffee"}'}
  await fetch(`${base}/memory/entries?how=borrow`, post).catch(() => 0)
  await fetch(`${base}/web/session?how=sign-out`, {...include, method: 'DELETE', mode: 'cors'})
    .catch(() => 0)
  await new Promise(done => {
    const socket = new WebSocket(base.replace('http', 'ws') + '/xiaozhi/v1/?how=socket')
    socket.onopen = socket.onerror = done
  })
})()
"""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_browser_keeps_its_cookie_and_lends_it_to_no_page(
    tmp_path: Path, world: World, host: str
) -> None:
    """Also over plain HTTP, where a browser keeps it at its own computer alone."""
    base = f"http://{host}:{world.port}"
    async with running_chromium(tmp_path) as browser:
        page = await browser.open_page()
        await page.go(f"{base}/docs")
        assert (await page.evaluate(SIGN_IN))["user"] == "ada"
        assert await page.evaluate("document.cookie") == "", "no script reads it"
        asked = "fetch('/web/session').then(answer => answer.json())"
        assert (await page.evaluate(asked))["user"] == "ada"
        socket = "new Promise(done => { const s = new WebSocket('/xiaozhi/v1/'); s.onopen = "
        assert await page.evaluate(f"{socket}() => done(true); s.onerror = () => done(false) }})")
        for elsewhere in (FOREIGN_HOST, host):  # another site, and another port of this computer
            async with foreign_page(browser, elsewhere) as foreign:
                await foreign.evaluate(BORROW % {"base": json.dumps(base)})
        assert world.arrived["borrow"] == world.arrived["socket"] == {403}
        assert 200 not in world.arrived.get("sign-out", set())
        assert (await page.evaluate(asked))["user"] == "ada"
    notes = (await world.http.get("/memory/entries", params={"user": "ada"})).json()["entries"]
    assert notes == []
