"""`GET /docs`: the routes, to be read and tried in a browser. Nothing is fetched from elsewhere."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles

PATH = "/docs"
FOLDER = Path(__file__).parents[1] / "web" / "docs"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page acts with the owner's rights: no script but our own, and no request to anywhere else.
Swagger UI draws its icons from ``data:``."""


def add_docs_page(app: FastAPI) -> None:
    """Serve the page and its files."""

    async def page() -> Response:
        return FileResponse(FOLDER / "page.html", headers={"Content-Security-Policy": POLICY})

    app.add_api_route(PATH, page, methods=["GET"], include_in_schema=False)
    app.mount(f"{PATH}/assets", StaticFiles(directory=FOLDER / "assets"), name="docs")
