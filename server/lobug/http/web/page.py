"""The page `/` and the files that it loads: modules, styles, sentences, libraries.

Nothing of it is secret, so it is open to everybody; what it shows comes from routes that ask who is
calling.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Scope

WEB_FOLDER = Path(__file__).parents[2] / "web"
APP_FOLDER = WEB_FOLDER / "app"
VENDOR_FOLDER = WEB_FOLDER / "vendor"

REVALIDATED = "no-cache"
"""A browser asks with each use whether its copy is the newest: the app changes with the server."""
UNCHANGING = "public, max-age=31536000, immutable"
"""A library's folder has its version in its name."""
_MIN_COMPRESSED_BYTES = 500


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


class CachedFiles(StaticFiles):
    """Files of a folder, each with the same ``Cache-Control``."""

    def __init__(self, directory: Path, cache: str) -> None:
        super().__init__(directory=directory)
        self._cache = cache

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with a file, or with that of an error."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = self._cache
        return response


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
        files = GZipMiddleware(CachedFiles(folder, cache), minimum_size=_MIN_COMPRESSED_BYTES)
        app.mount(f"/web/{name}", files, name=f"web-{name}")
