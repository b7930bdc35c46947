"""A web browser as the server sees it: its cookie, and the headers that browsers add."""

from __future__ import annotations

from http.cookies import SimpleCookie
from typing import Any

import httpx

from lobug.access.tokens import COOKIE
from support.simulated_address import HEADER

ELSEWHERE = "192.168.1.7"


class WebBrowser:
    """A browser at ``address`` that shows a page of the server. Cookies are kept whatever the
    scheme; what a real browser does with them is seen in test_foreign_pages.py."""

    def __init__(self, http: httpx.AsyncClient, address: str = ELSEWHERE) -> None:
        self._http = http
        self._address = address
        self.token: str | None = None
        """The value of its cookie."""
        self.set_cookies: list[str] = []
        """The ``Set-Cookie`` headers that it got."""

    @property
    def headers(self) -> dict[str, str]:
        """The headers of its requests, for a page of the server."""
        headers = {HEADER: self._address, "Sec-Fetch-Site": "same-origin"}
        return headers | ({"Cookie": f"theme=dark; {COOKIE}={self.token}"} if self.token else {})

    async def ask(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> httpx.Response:
        """Send a request and keep the cookies of its answer."""
        answer = await self._http.request(method, path, json=body, headers=self.headers | headers)
        for text in answer.headers.get_list("set-cookie"):
            self.set_cookies.append(text)
            morsel = SimpleCookie(text)[COOKIE]
            self.token = morsel.value if morsel["max-age"] != "0" else None
        return answer

    async def good(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """The JSON of an answer that must be good."""
        answer = await self.ask(method, path, body, **headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def refused(self, method: str, path: str, body: object = None, **headers: str) -> str:
        """Status and code of an answer that must be an error."""
        answer = await self.ask(method, path, body, **headers)
        assert answer.status_code >= 400, answer.text
        return f"{answer.status_code} {answer.json()['error']['code']}"


async def invited(http: httpx.AsyncClient, user: str, role: str = "person") -> str:
    """The code of a new invitation of the owner's."""
    answer = await http.post("/web/invitations", json={"user": user, "role": role})
    assert answer.status_code == 200, answer.text
    code: str = answer.json()["code"]
    return code


async def paired(
    http: httpx.AsyncClient, user: str, role: str = "person", address: str = ELSEWHERE
) -> WebBrowser:
    """A browser that was let in."""
    browser = WebBrowser(http, address)
    await browser.good("POST", "/web/pair", {"code": await invited(http, user, role)})
    assert browser.token is not None
    return browser
