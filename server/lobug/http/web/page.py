"""The page `/` and the files that it loads: modules, styles, sentences, libraries.

No file here is secret, so all are open to everybody. `/` differs by what its caller may do, never
by what is known of a person; that comes from routes which ask who is calling.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import mimetypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from lobug.errors import LobugError
from lobug.http.dependencies import CallerDep
from lobug.http.web.session import BrowserRequestDep

WEB_FOLDER = Path(__file__).parents[2] / "web"
APP_FOLDER = WEB_FOLDER / "app"
VENDOR_FOLDER = WEB_FOLDER / "vendor"

REVALIDATED = "no-cache"
"""A browser asks with each use whether its copy is the newest: the app changes with the server."""
UNCHANGING = "public, max-age=31536000, immutable"
"""A library's folder has its version in its name."""
_GAIN = 0.9
"""A file is sent compressed if that leaves at most this share of its bytes."""


def page_policy(page: str) -> str:
    """The Content-Security-Policy for a page: only this server's files, and the scripts and styles
    inside of the page by their hashes. Pure."""
    scripts = " ".join(["'self'", *_hashes(page, "script")])
    styles = " ".join(["'self'", *_hashes(page, "style")])
    return (
        f"default-src 'self'; script-src {scripts}; style-src {styles}; img-src 'self' data:;"
        " media-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    )


def _hashes(page: str, element: str) -> Iterator[str]:
    """Sources of a policy for what stands inside of elements of a kind. Pure."""
    for tag in page.split(f"<{element}")[1:]:
        attributes, _, rest = tag.partition(">")
        if "src=" not in attributes:
            source = rest.partition(f"</{element}>")[0]
            digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
            yield f"'sha256-{digest}'"


@dataclass(frozen=True, slots=True)
class _WebFile:
    """A file as it is sent."""

    body: bytes
    compressed: bytes | None
    """By gzip; None: too small to gain by it, or a kind that is compressed already."""
    media_type: str
    etag: str


class WebFiles:
    """The files of a folder, each with the same ``Cache-Control``.

    The first page loads some 40 of them at once, so each is read and compressed once, and what is
    in the folder is looked up once: to change a file of a running server, start it again.
    """

    def __init__(self, folder: Path, cache: str) -> None:
        self._paths = {
            path.relative_to(folder).as_posix(): path
            for path in folder.rglob("*")
            if path.is_file()
        }
        self._cache = cache
        self._files: dict[str, _WebFile] = {}

    async def respond(self, request: Request) -> Response:
        """Answer with the file that the route's ``path`` names; raises HTTPException (404)."""
        name = request.path_params["path"]
        path = self._paths.get(name)
        if path is None:
            raise HTTPException(404)
        file = self._files.get(name)
        if file is None:
            file = self._files[name] = await run_in_threadpool(_read, path)
        return _answer(file, request, {"Cache-Control": self._cache, "Vary": "Accept-Encoding"})


def _answer(file: _WebFile, request: Request, headers: dict[str, str]) -> Response:
    headers = {**headers, "ETag": file.etag}
    if file.etag in _etags(request.headers.get("If-None-Match", "")):
        return Response(status_code=304, headers=headers)
    body = file.body
    if file.compressed is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
        body = file.compressed
        headers["Content-Encoding"] = "gzip"
    return Response(body, headers=headers, media_type=file.media_type)


def _read(path: Path) -> _WebFile:
    media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return _web_file(path.read_bytes(), media_type)


def _web_file(body: bytes, media_type: str) -> _WebFile:
    packed = gzip.compress(body, mtime=0)
    return _WebFile(
        body,
        packed if len(packed) < _GAIN * len(body) else None,
        media_type,
        # Weak: the compressed bytes have the same tag.
        f'W/"{hashlib.sha256(body).hexdigest()[:32]}"',
    )


def _etags(header: str) -> set[str]:
    """The entity tags of an ``If-None-Match`` header. Pure."""
    return {tag.strip() for tag in header.split(",")}


_APP_BEGINS, _APP_ENDS = "<!-- app -->\n", "<!-- /app -->\n"
"""In the page: around what loads the app."""
_EMPTY_VIEW = '<div id="app"></div>'
_OWNERS_MARK = "data-owner"
"""In the first view: the line is for the owner."""
_STYLESHEET = re.compile(r'<link rel="stylesheet" href="web/app/styles/(\w+)\.css">')


def rendered_pages() -> dict[str, str]:
    """The page by the caller's role. Whoever may talk at once gets Talk in the page; its script
    loads the app, which takes Talk over. For everybody else (``""``) the app draws everything.
    Styles stand in the page: nothing is seen before them."""
    text = (APP_FOLDER / "page.html").read_text(encoding="utf-8")
    page = _STYLESHEET.sub(_style, text)
    view = (APP_FOLDER / "first_view.html").read_text(encoding="utf-8")
    markup, mark, script = view.partition("<script>")
    # Without line breaks: the app would move elements past them, and what is moved loses its focus.
    lines = [line.strip() for line in markup.splitlines()]
    persons = [line for line in lines if _OWNERS_MARK not in line.partition("<a")[0]]
    head, _, rest = page.partition(_APP_BEGINS)
    loads, _, rest = rest.partition(_APP_ENDS)
    before, after = (head + rest).split(_EMPTY_VIEW)
    rest = f'<template id="loads">{loads}</template>\n{mark}{script}{after}'
    return {
        "": page,
        "owner": before + "".join(lines) + rest,
        "person": before + "".join(persons) + rest,
    }


def _style(stylesheet: re.Match[str]) -> str:
    name = stylesheet[1]
    text = (APP_FOLDER / "styles" / f"{name}.css").read_text(encoding="utf-8")
    return f'<style data-name="{name}">{text}</style>'


def add_web_app(app: FastAPI) -> None:
    """Serve `/`, `/web/app/` and `/web/vendor/`, compressed where the browser takes it."""
    pages = {
        role: (
            _web_file(text.encode(), "text/html"),
            {
                "Content-Security-Policy": page_policy(text),
                "Cache-Control": f"private, {REVALIDATED}",
                "Vary": "Cookie, Accept-Encoding",
            },
        )
        for role, text in rendered_pages().items()
    }

    async def page(asked: BrowserRequestDep, caller: CallerDep, request: Request) -> Response:
        try:
            session = asked.session_of_caller(caller)
            role = session.role if session.user else ""
        except LobugError:
            role = ""  # the app will be told why
        return _answer(pages[role][0], request, pages[role][1])

    app.add_api_route("/", page, methods=["GET"], include_in_schema=False)
    for name, folder, cache in (
        ("app", APP_FOLDER, REVALIDATED),
        ("vendor", VENDOR_FOLDER, UNCHANGING),
    ):
        files = WebFiles(folder, cache)
        app.add_route(f"/web/{name}/{{path:path}}", files.respond, include_in_schema=False)
