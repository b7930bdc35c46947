"""The pages by keyboard alone, in Chromium: tabs, menus and dialogs, where the focus goes and where
it comes back to."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from lobug.app import create_app
from support.app_server import in_thread, scripted_assembler, settings_for
from support.browser import PATIENCE_S
from support.memory_app import quiet_engines
from support.web_page import chromium, web_page

WITHIN = """() => {
    const {activeElement} = document;
    return activeElement === document.body || !!activeElement.closest("dialog[open]");
}"""
"""Whether the focus is in the dialog, or on its way around, where the browser's bar would be."""
MOST_STOPS = 12
"""More than any dialog here has."""

expect.set_options(timeout=1000 * PATIENCE_S)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with two browsers that are let in, and a memory."""
    settings = settings_for(
        tmp_path_factory.mktemp("web"), conversation={"users": {"address:127.0.0.1": "ada"}}
    )
    app = create_app(settings, assembler=scripted_assembler(quiet_engines()))
    server, thread, port = in_thread(app)
    try:
        address = f"http://127.0.0.1:{port}/"
        with httpx.Client(base_url=address, trust_env=False, timeout=PATIENCE_S) as http:
            code = http.post("web/invitations", json={"user": "Bea", "role": "person"}).json()
            # A browser keeps a session over HTTPS, which a proxy may end.
            secure = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.168.1.9"}
            body = {"code": code["code"], "name": "phone"}
            http.post("web/pair", json=body, headers=secure).raise_for_status()
        yield address
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


def test_tabs(browser: Browser, url: str) -> None:
    with web_page(browser, f"{url}#/devices") as page:
        tabs = page.get_by_role("tab")
        tabs.first.focus()

        def press(key: str, number: int) -> None:
            """Press a key; afterwards this tab is chosen, has the focus, and is the only stop."""
            page.keyboard.press(key)
            expect(tabs.nth(number)).to_be_focused()
            expect(tabs.nth(number)).to_have_attribute("aria-selected", "true")
            expect(page.locator("[role=tab][tabindex='0']")).to_have_count(1)

        expect(tabs).to_have_count(4)
        press("ArrowRight", 1)
        expect(page).to_have_url(f"{url}#/devices/people")
        press("End", 3)
        expect(page).to_have_url(f"{url}#/devices/tokens")
        press("ArrowRight", 0)
        press("ArrowLeft", 3)
        press("Home", 0)
        expect(page).to_have_url(f"{url}#/devices")
        page.keyboard.press("Tab")
        expect(page.locator("[role=tab]:focus")).to_have_count(0)


def test_a_menu(browser: Browser, url: str) -> None:
    with web_page(browser, f"{url}#/devices/browsers") as page:
        button = page.get_by_role("button", name="More for phone")
        first, last = page.get_by_role("menuitem").first, page.get_by_role("menuitem").last
        button.focus()
        page.keyboard.press("Enter")
        expect(first).to_be_focused()
        for key, item in [
            ("ArrowDown", last),
            ("ArrowDown", first),
            ("ArrowUp", last),
            ("Home", first),
            ("End", last),
        ]:
            page.keyboard.press(key)
            expect(item).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.get_by_role("menu")).to_have_count(0)
        expect(button).to_be_focused()

        page.keyboard.press("Enter")
        expect(first).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.get_by_role("menu")).to_have_count(0)
        button.focus()
        page.keyboard.press("Enter")
        expect(first).to_be_focused()
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_contain_text("phone")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(button).to_be_focused()


def goes_around(page: Page) -> None:
    """Both ways through the dialog that is open: the focus moves, and stays in it."""
    for key in ("Tab", "Shift+Tab"):
        stops = set()
        for _ in range(MOST_STOPS):
            page.keyboard.press(key)
            assert page.evaluate(WITHIN)
            stops.add(page.evaluate("() => document.activeElement.outerHTML"))
        assert len(stops) > 2


def test_dialogs(browser: Browser, url: str) -> None:
    with web_page(browser, f"{url}#/devices/browsers") as page:
        # One with a form, that begins in its first field.
        opener = page.get_by_role("button", name="Let a phone in")
        opener.focus()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        expect(dialog.locator("input").first).to_be_focused()
        goes_around(page)
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(opener).to_be_focused()

        # One that asks whether something shall be done: Enter on what is focused does nothing bad.
        page.evaluate("() => { location.hash = '#/memory/manage'; }")
        opener = page.get_by_role("button", name="Erase everything")
        opener.focus()
        page.keyboard.press("Enter")
        expect(dialog).to_be_visible()
        goes_around(page)
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(opener).to_be_focused()
        page.keyboard.press("Enter")
        expect(dialog).to_be_visible()
        page.keyboard.press("Enter")
        expect(dialog).to_have_count(0)
        expect(opener).to_be_focused()
