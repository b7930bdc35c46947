"""Which requests come from a web page of another site, by what browsers send."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from lobug.http.browser import (
    follows_link,
    from_foreign_page,
)

HERE = {"host": "127.0.0.1:8321"}
LINK = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


@pytest.mark.parametrize(
    ("sent", "foreign"),
    [
        ({}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"sec-fetch-site": "same-origin"}, False),
        ({"sec-fetch-site": "same-origin", "origin": "http://127.0.0.1:8321"}, False),
        ({"sec-fetch-site": "same-site"}, True),
        ({"sec-fetch-site": "cross-site"}, True),
        ({"sec-fetch-site": "same-origin, cross-site"}, True),
        ({"sec-fetch-site": "NONE"}, True),
        ({"sec-fetch-site": ""}, True),
        ({"sec-fetch-site": "none", "origin": "https://evil.example"}, True),
        ({"origin": "http://127.0.0.1:8321"}, False),
        ({"origin": "http://127.0.0.1:3000"}, True),
        ({"origin": "null"}, True),
        ({"origin": "http://["}, True),
    ],
)
def test_a_foreign_page(sent: dict[str, str], foreign: bool) -> None:
    assert from_foreign_page(Headers({**HERE, **sent})) is foreign


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (LINK, True),
        ({**LINK, "sec-fetch-dest": "iframe"}, False),
        ({**LINK, "sec-fetch-mode": "no-cors"}, False),
        ({**LINK, "origin": "https://evil.example"}, False),
        ({}, False),
    ],
)
def test_a_link_that_somebody_follows(sent: dict[str, str], expected: bool) -> None:
    assert follows_link(Headers({**HERE, **sent})) is expected
