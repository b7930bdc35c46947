"""The pages of timers and lists and of live turns in Chromium, against the real application: what
is changed in the page is changed on the server, and what happens there is seen without a reload."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from lobug.app import create_app
from support.app_server import ScriptedEngines, in_thread, scripted_assembler, settings_for
from support.browser import PATIENCE_S
from support.web_page import chromium, web_page

ANA = {"user": "ana"}

expect.set_options(timeout=1000 * PATIENCE_S)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def server(tmp_path: Path) -> Iterator[httpx.Client]:
    app = create_app(settings_for(tmp_path), assembler=scripted_assembler(ScriptedEngines()))
    running, thread, port = in_thread(app)
    try:
        url = f"http://127.0.0.1:{port}/"
        with httpx.Client(base_url=url, trust_env=False, timeout=60) as client:
            yield client
    finally:
        running.should_exit = True
        thread.join()


@pytest.fixture
def page(browser: Browser, server: httpx.Client) -> Iterator[Page]:
    """A page of Ana's at this computer."""
    url = str(server.base_url)
    with web_page(browser, url) as opened:
        opened.evaluate(
            """async () => {
                const body = JSON.stringify({user: "ana", name: "Test"});
                const headers = {"Content-Type": "application/json"};
                const answer = await fetch("/web/session", {method: "POST", headers, body});
                if (!answer.ok) throw new Error(await answer.text());
            }"""
        )
        opened.goto(url)
        yield opened


def go(page: Page, address: str) -> None:
    page.evaluate("address => { location.hash = address; }", address)


def rows(page: Page) -> Locator:
    return page.get_by_role("main").get_by_role("listitem")


def test_an_alarm_is_set_changed_and_cancelled(page: Page, server: httpx.Client) -> None:
    go(page, "#/deeds")
    page.get_by_role("button", name="New reminder").click()
    page.get_by_label("When").fill("2035-03-01T07:30")
    page.get_by_role("button", name="Set", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("Say what it is about.")
    page.get_by_label("What shall I remind you of?").fill("to call <b>mum</b>")
    page.get_by_role("button", name="Set", exact=True).click()
    expect(rows(page)).to_contain_text("to call <b>mum</b>")
    (alert,) = server.get("alerts", params=ANA).json()["alerts"]
    assert (alert["kind"], alert["label"]) == ("reminder", "to call <b>mum</b>")

    page.get_by_role("button", name="Change to call").click()
    page.get_by_label("What shall I remind you of?").fill("to call the bank")
    page.get_by_role("button", name="Save").click()
    expect(rows(page)).to_contain_text("to call the bank")
    (changed,) = server.get("alerts", params=ANA).json()["alerts"]
    assert (changed["label"], changed["due_at"]) == ("to call the bank", alert["due_at"])

    page.get_by_role("button", name="Cancel to call the bank").click()
    expect(page.get_by_text("Nothing is set.")).to_be_visible()
    assert server.get("alerts", params=ANA).json()["alerts"] == []


def test_how_often_an_alarm_rings_is_changed(page: Page, server: httpx.Client) -> None:
    go(page, "#/deeds")
    body = {"kind": "alarm", "label": "work", "at": "2035-03-01T07:30"}
    server.post("alerts", params=ANA, json=body)

    def rule(choice: str) -> str | None:
        page.get_by_role("button", name="Change work").click()
        page.get_by_label("Repeat").select_option(choice)
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        (alert,) = server.get("alerts", params=ANA).json()["alerts"]
        found: str | None = alert["rule"]
        return found

    assert rule("Every weekday") == "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"
    page.get_by_role("button", name="Change work").click()
    expect(page.get_by_label("Repeat")).to_have_value("weekdays")
    page.get_by_role("button", name="Cancel", exact=True).click()
    assert rule("Once") is None


def test_what_rings_is_told_on_other_pages_and_stopped_there(
    page: Page, server: httpx.Client
) -> None:
    go(page, "#/memory")
    page.get_by_role("heading", name="Memory", level=1).wait_for()
    body = {"kind": "timer", "label": "pasta", "in_s": 1.0}
    assert server.post("alerts", params=ANA, json=body).status_code == 200
    banner = page.locator(".banner")
    expect(banner).to_contain_text("pasta is ringing.")
    page.reload()  # whoever comes later is told too
    expect(banner).to_contain_text("pasta is ringing.")
    banner.get_by_role("button", name="Stop").click()
    expect(banner).to_have_count(0)
    assert server.get("alerts", params=ANA).json()["alerts"] == []


def test_a_timer_set_elsewhere_appears_rings_and_is_stopped(
    page: Page, server: httpx.Client
) -> None:
    go(page, "#/deeds")
    expect(page.get_by_text("Nothing is set.")).to_be_visible()
    body = {"kind": "timer", "label": "pasta", "in_s": 1.0}
    assert server.post("alerts", params=ANA, json=body).status_code == 200
    expect(page.get_by_role("alert")).to_contain_text("pasta is ringing.")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("Nothing is set.")).to_be_visible()
    assert server.get("alerts", params=ANA).json()["alerts"] == []


def test_somebody_elses_timer_is_not_shown(page: Page, server: httpx.Client) -> None:
    go(page, "#/deeds")
    expect(page.get_by_text("Nothing is set.")).to_be_visible()
    for user, label in (("bob", "secret"), ("ana", "pasta")):
        body = {"kind": "timer", "label": label, "in_s": 900}
        assert server.post("alerts", params={"user": user}, json=body).status_code == 200
    expect(rows(page).filter(has_text="pasta")).to_be_visible()
    assert "secret" not in page.locator("body").inner_text()


def test_a_list_is_filled_ticked_and_cleared(page: Page, server: httpx.Client) -> None:
    go(page, "#/deeds/lists")
    page.get_by_role("button", name="New list").click()
    page.get_by_label("Name of the list").fill("shopping")
    page.get_by_role("button", name="Make it").click()
    page.get_by_label("Add to shopping").fill("milk, <i>oats</i>")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_label("<i>oats</i>", exact=True)).to_be_visible()
    page.get_by_label("milk", exact=True).check()
    expect(page.get_by_text("1 done")).to_be_visible()

    def items() -> dict[str, bool]:
        answer = server.get("lists/shopping", params=ANA).json()
        return {item["content"]: item["done"] for item in answer["items"]}

    assert items() == {"milk": True, "<i>oats</i>": False}
    server.post("lists/shopping/items", params=ANA, json={"items": ["bread"]})
    expect(page.get_by_label("bread", exact=True)).to_be_visible()

    page.get_by_role("button", name="Take bread off").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("bread", exact=True)).to_be_visible()
    page.get_by_text("Export, clear, delete").click()
    page.get_by_role("button", name="Clear the list").click()
    expect(page.get_by_role("dialog")).to_contain_text("3 things on it will be deleted.")
    page.get_by_role("dialog").get_by_role("button", name="Clear the list").click()
    expect(page.get_by_text("Nothing on it.")).to_be_visible()
    assert items() == {}


def test_a_tick_stays_while_the_list_comes_anew(page: Page, server: httpx.Client) -> None:
    server.post("lists", params=ANA, json={"name": "shopping"})
    server.post("lists/shopping/items", params=ANA, json={"items": ["milk"]})
    go(page, "#/deeds/lists")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/items/*", hold)
    page.get_by_label("milk", exact=True).check()
    server.post("lists/shopping/items", params=ANA, json={"items": ["bread"]})
    expect(page.get_by_label("bread", exact=True)).to_be_visible()
    expect(page.get_by_label("milk", exact=True)).to_be_checked()
    held[0].continue_()
    expect(page.get_by_text("1 done")).to_be_visible()


def test_a_note_is_kept_and_deleted(page: Page, server: httpx.Client) -> None:
    go(page, "#/deeds/notes")
    page.get_by_label("Write a note").fill("The boiler man comes on Friday")
    page.get_by_role("button", name="Keep").click()
    expect(rows(page)).to_contain_text("boiler man")
    page.get_by_role("button", name="Delete this note").click()
    expect(page.get_by_text("No notes yet.")).to_be_visible()
    assert server.get("notes", params=ANA).json()["notes"] == []


def test_a_turn_appears_with_its_stages_and_what_was_heard(
    page: Page, server: httpx.Client
) -> None:
    go(page, "#/turns")
    expect(page.get_by_text("No turns yet.")).to_be_visible()
    assert server.post("chat/text", json={"text": "Hello there"}).status_code == 200
    expect(page.locator(".turn")).to_have_count(1)
    page.locator(".turn summary").click()
    expect(page.locator(".turn dl")).to_contain_text("First word of the reply")
    expect(page.get_by_role("table")).to_contain_text("Memory searched")
    page.get_by_role("tab", name="Heard").click()
    expect(rows(page).filter(has_text="Hello there")).to_contain_text("answered")
    page.get_by_role("tab", name="Health").click()
    expect(rows(page).filter(has_text="Chat model")).to_contain_text("ready")
    page.get_by_role("button", name="Check this computer").click()
    expect(rows(page).filter(has_text="data folder")).to_be_visible()
