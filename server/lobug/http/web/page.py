"""The page `/` and the files that it loads: modules, styles, sentences, libraries.

Nothing of it is secret, so it is open to everybody; what it shows comes from routes that ask who is
calling.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

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
    """The Content-Security-Policy for a page: only this server's files, and the scripts inside of
    the page by their hashes. Pure."""
    hashes = [
        base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        for source in _inline_scripts(page)
    ]
    scripts = " ".join(["'self'", *(f"'sha256-{digest}'" for digest in hashes)])
    return (
        f"default-src 'self'; script-src {scripts}; img-src 'self' data:; media-src 'self' blob:;"
        " object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _inline_scripts(page: str) -> Iterator[str]:
    for tag in page.split("<script")[1:]:
        attributes, _, rest = tag.partition(">")
        if "src=" not in attributes:
            yield rest.partition("</script>")[0]


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
            file = self._files[name] = await run_in_threadpool(_web_file, path)
        headers = {"Cache-Control": self._cache, "ETag": file.etag, "Vary": "Accept-Encoding"}
        if file.etag in _etags(request.headers.get("If-None-Match", "")):
            return Response(status_code=304, headers=headers)
        body = file.body
        if file.compressed is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
            body = file.compressed
            headers["Content-Encoding"] = "gzip"
        return Response(body, headers=headers, media_type=file.media_type)


def _web_file(path: Path) -> _WebFile:
    body = path.read_bytes()
    packed = gzip.compress(body, mtime=0)
    return _WebFile(
        body,
        packed if len(packed) < _GAIN * len(body) else None,
        mimetypes.guess_type(path.name)[0] or "application/octet-stream",
        # Weak: the compressed bytes have the same tag.
        f'W/"{hashlib.sha256(body).hexdigest()[:32]}"',
    )


def _etags(header: str) -> set[str]:
    """The entity tags of an ``If-None-Match`` header. Pure."""
    return {tag.strip() for tag in header.split(",")}


def add_web_app(app: FastAPI) -> None:
    """Serve `/`, `/web/app/` and `/web/vendor/`, compressed where the browser takes it."""
    text = (APP_FOLDER / "page.html").read_text(encoding="utf-8")
    headers = {"Content-Security-Policy": page_policy(text), "Cache-Control": REVALIDATED}

    async def page() -> Response:
        return HTMLResponse(text, headers=headers)

    app.add_api_route("/", page, methods=["GET"], include_in_schema=False)
    for name, folder, cache in (
        ("app", APP_FOLDER, REVALIDATED),
        ("vendor", VENDOR_FOLDER, UNCHANGING),
    ):
        files = WebFiles(folder, cache)
        app.add_route(f"/web/{name}/{{path:path}}", files.respond, include_in_schema=False)
