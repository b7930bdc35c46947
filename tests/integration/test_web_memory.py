"""The page of memory in a real browser, against the real server and database."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from lobug.memory.service import Memory
from lobug.storage.driver import driver
from support.app_server import in_thread
from support.browser import PATIENCE_S
from support.memory_app import app_with, door_settings, memory_of
from support.web_page import chromium, web_page

PHONE = {"width": 360, "height": 780}
DESK = {"width": 1280, "height": 900}

HOSTILE = (
    "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script> it said",
    "The user wrote \u202egnirts desrever\u202c and שלום and 👩‍👩‍👧‍👦🏳️‍🌈",
    "Donaudampfschifffahrt" * 95,
)
LONG_LIST = 100_000
MOST_ROWS = 80
"""Far more than fit on a screen, and far fewer than there are."""

EXPECTED = (r"/web/events", r"/settings", r"/memory/history", r"status of 4(04|12|22)")
"""Routes of other parts that a test may lack, and what a test provokes."""


@dataclass
class House:
    """A server with its browser."""

    url: str
    browser: Browser
    database: Path
    memory: Memory

    def tell(self, user: str, content: str, **more: Any) -> dict[str, Any]:
        """Store a memory of a person."""
        return self.ask("POST", "/memory/entries", user, json={"content": content, **more})

    def ask(self, method: str, path: str, user: str, **more: Any) -> dict[str, Any]:
        """The answer of a route for a person."""
        query = {"user": user, **more.pop("params", {})}
        answer = httpx.request(
            method, self.url + path, params=query, timeout=60, trust_env=False, **more
        )
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body

    @contextmanager
    def page(
        self,
        user: str | None,
        address: str = "#/memory",
        *,
        role: str = "owner",
        at_this_computer: bool = True,
        viewport: dict[str, int] = DESK,
        more: dict[str, str] | None = None,
    ) -> Iterator[Page]:
        """A page as a person sees it."""
        session = {
            "role": role,
            "user": user,
            "at_this_computer": at_this_computer,
            "browser": None,
            "version": "0",
            "instance": "",
        }
        replaced = {"**/web/session": json.dumps(session), **(more or {})}
        with web_page(
            self.browser,
            f"{self.url}/{address}",
            expected_errors=EXPECTED,
            replaced=replaced,
            viewport=viewport,
            accept_downloads=True,
        ) as page:
            yield page


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("web_memory")
    settings = door_settings(
        folder,
        limits={"max_text_chars": 4_000},
        conversation={"users": {"device:desk": "carol"}},
    )
    app = app_with(settings)
    expect.set_options(timeout=1000 * PATIENCE_S)
    with chromium() as browser:
        server, thread, port = in_thread(app)
        try:
            memory = memory_of(app)
            yield House(f"http://127.0.0.1:{port}", browser, settings.database_path, memory)
        finally:
            server.should_exit = True
            thread.join()


def rows(page: Page) -> Any:
    """The rows of the list that are in the document."""
    return page.locator(".virtual-row")


def settled(page: Page) -> None:
    """Wait until a view shows what it fetched."""
    page.locator("main h1").wait_for()
    expect(page.locator("main .loading")).to_have_count(0)


def asks_the_memory(request: Request) -> bool:
    """Whether a request is about what is remembered, and not for a file of the pages."""
    path = urlsplit(request.url).path
    return "/memory/" in path and "/web/" not in path


def visit(page: Page, address: str) -> None:
    """Go to another view of the memory and wait until it shows what it fetched.

    The view before stays for a moment, settled: the new one's first request tells that it went.
    """
    with page.expect_request(asks_the_memory):
        page.goto(address)
    settled(page)


def test_a_memory_is_edited_corrected_removed_and_restored(house: House) -> None:
    entry = house.tell("ada", "The user lives in Portland", key="user_home")
    house.tell("ada", "The user likes tea")
    with house.page("ada") as page:
        expect(page.locator(".list-count")).to_have_text("2 memories")
        page.get_by_role("link", name="The user lives in Portland").click()
        expect(page.get_by_role("heading", level=1)).to_be_focused()

        page.get_by_role("button", name="Edit").click()
        page.get_by_label("What is remembered").fill("The user lives in Porto")
        page.get_by_label("Importance").fill("0.8")
        page.get_by_label("Tags").fill("home, city")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".entry-words")).to_have_text("The user lives in Porto")
        edited = house.ask("GET", "/memory/keys/user_home", "ada")
        assert (edited["importance"], edited["tags"]) == (0.8, ["home", "city"])

        page.get_by_role("button", name="That’s wrong").click()
        page.get_by_label("What is right").fill("The user lives in Seattle")
        page.get_by_role("button", name="Put it right").click()
        expect(page.locator(".entry-words")).to_have_text("The user lives in Seattle")
        expect(page.locator(".history li")).to_have_count(3)
        expect(page.locator(".history li").nth(1)).to_contain_text("Was wrong")
        assert house.ask("GET", "/memory/keys/user_home", "ada")["source"] == "correction"

        page.get_by_role("button", name="Remove").click()
        page.get_by_role("button", name="Restore").wait_for()
        hits = house.ask("GET", "/memory/search", "ada", params={"q": "Seattle"})["hits"]
        assert "The user lives in Seattle" not in {hit["content"] for hit in hits}
        page.get_by_role("button", name="Restore").click()
        page.get_by_role("button", name="Edit").wait_for()
        assert house.ask("GET", "/memory/keys/user_home", "ada")["status"] == "active"

        page.get_by_role("link", name="All memories").click()
        expect(page.locator(".list-count")).to_have_text("2 memories")
    assert entry["id"] != house.ask("GET", "/memory/keys/user_home", "ada")["id"]


def test_a_pinned_memory_is_always_in_mind_until_it_is_unpinned(house: House) -> None:
    entry = house.tell("pia", "The user is vegan")
    with house.page("pia", f"#/memory/entry/{entry['id']}") as page:
        page.get_by_role("button", name="Pin", exact=True).click()
        page.get_by_role("button", name="Unpin").wait_for()
        assert "The user is vegan" in house.ask("GET", "/memory/identity", "pia")["text"]
        page.get_by_role("button", name="Unpin").click()
        page.get_by_role("button", name="Pin", exact=True).wait_for()
        assert house.ask("GET", "/memory/identity", "pia")["text"] == ""


def test_forgetting_shows_what_goes_asks_and_returns_to_the_list(house: House) -> None:
    house.tell("bea", "The user likes tea")
    entry = house.tell("bea", "The user has a cat called Minka", key="pet")
    with house.page("bea") as page:
        page.get_by_role("link", name="The user has a cat").click()
        page.get_by_role("button", name="Forget").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("1 version of a memory")
        expect(dialog.locator(".going")).to_have_text("The user has a cat called Minka")
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog).to_have_count(0)
        assert house.ask("GET", f"/memory/entries/{entry['id']}", "bea")["entry"]["key"] == "pet"

        page.get_by_role("button", name="Forget").click()
        dialog.get_by_role("button", name="Forget it").click()
        expect(page.locator(".list-count")).to_have_text("1 memory")
        expect(page.locator(".list-count")).to_be_focused()
    left = house.ask("GET", "/memory/entries", "bea", params={"status": "all"})["entries"]
    assert [one["content"] for one in left] == ["The user likes tea"]


def test_much_is_forgotten_by_words_or_by_name(house: House) -> None:
    house.tell("eve", "The user worked at Globex for years")
    house.tell("eve", "The user likes tea")
    with house.page("eve", "#/memory/manage") as page:
        page.get_by_label("What shall be forgotten").fill("Globex")
        page.get_by_role("button", name="Show what goes").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.locator(".going")).to_contain_text("Globex")
        dialog.get_by_role("button", name="Forget it").click()
        expect(dialog).to_have_count(0)
        left = house.ask("GET", "/memory/entries", "eve")["entries"]
        assert [one["content"] for one in left] == ["The user likes tea"]

        page.get_by_role("button", name="Erase everything").click()
        dialog.get_by_role("button", name="Erase").click()
        expect(dialog.get_by_role("alert")).to_contain_text("eve")
        assert house.ask("GET", "/memory/entries", "eve")["entries"]
        dialog.get_by_label(re.compile("Type")).fill("eve")
        dialog.get_by_role("button", name="Erase").click()
        expect(dialog).to_have_count(0)
    assert house.ask("GET", "/memory/entries", "eve")["entries"] == []


def test_search_shows_how_well_each_fits_and_what_was_said(house: House) -> None:
    said = httpx.post(
        f"{house.url}/chat/text",
        headers={"Device-Id": "desk"},
        json={"text": "My boat lies in the harbour of Lisbon."},
        timeout=60,
        trust_env=False,
    )
    assert said.status_code == 200, said.text
    house.tell("carol", "The user has a sister named Anna")
    with house.page("carol", "#/memory/search") as page:
        page.get_by_label("Search for").fill("Who is my sister Anna?")
        page.get_by_role("search").get_by_role("button", name="Search").click()
        first = page.locator(".hit").first
        expect(first).to_contain_text("The user has a sister named Anna")
        expect(first.locator(".share").first).to_contain_text(re.compile(r"\d+%"))
        first.get_by_text("Score").click()
        expect(first.locator(".score-parts")).to_contain_text("Words")
        page.goto(f"{house.url}/#/memory/timeline")
        page.locator(".session summary").click()
        expect(page.locator(".turn").first).to_contain_text("My boat lies in the harbour")
        page.goto(f"{house.url}/#/memory/why")
        expect(page.locator(".recall").first).to_contain_text("My boat lies")


def test_search_within_a_layer_finds_nothing_else(house: House) -> None:
    house.tell("gail", "The user's sister Anna sails", key="sister", layer="identity")
    house.tell("gail", "The user's sister Anna paints")
    with house.page("gail", "#/memory/search?q=Anna") as page:
        expect(page.locator(".hit")).to_have_count(2)
        page.get_by_label("Layer").select_option("Always in mind")
        expect(page.locator(".hit")).to_have_count(1)
        expect(page.locator(".hit")).to_contain_text("sails")
        # What was said is in no layer.
        expect(page.get_by_label("Also what was said")).not_to_be_checked()
        expect(page.get_by_label("Also what was said")).to_be_disabled()
        page.reload()  # it stands in the address
        expect(page.get_by_label("Layer")).to_have_value("identity")
        expect(page.locator(".hit")).to_contain_text("sails")
        page.get_by_label("Layer").select_option("Any")
        expect(page.locator(".hit")).to_have_count(2)
        expect(page.get_by_label("Also what was said")).to_be_checked()


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_hostile_text_is_never_markup_and_overflows_nothing(
    house: House, viewport: dict[str, int]
) -> None:
    user = f"mallory{viewport['width']}"
    ids = [house.tell(user, text, tags=["<b>b</b>", "x" * 60])["id"] for text in HOSTILE]
    house.tell(user, HOSTILE[0], key="always", layer="identity")
    house.ask(
        "POST", "/memory/projects", user, json={"name": HOSTILE[0][:90], "description": "x" * 900}
    )
    house.ask("POST", "/memory/tasks", user, json={"title": "x" * 100})
    views = ["", *(f"/entry/{one}" for one in ids), "/search?q=user&status=all"]
    views += ["/identity", "/timeline", "/why", "/projects", "/numbers", "/manage"]
    with house.page(user, "#/talk", viewport=viewport) as page:
        title = "Memory · Lo-Bug"
        for view in views:
            visit(page, f"{house.url}/#/memory{view}")
            assert page.title() == title, view
            assert page.locator("main img, main script, main b").count() == 0, view
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{view} is {wide} px too wide"
        page.goto(f"{house.url}/#/memory")
        expect(page.get_by_text(HOSTILE[0]).first).to_be_visible()


def fill(database: Path, user: str, number: int) -> None:
    """Store many entries at once, without the text index, which a list does not read."""
    triggers = ("memories_text_insert", "memory_lengths_insert")
    now = time.time()
    # By the server's own SQLite: two of them in one process undo each other's locks on a file.
    with closing(driver().connect(str(database), timeout=60)) as connection, connection:
        kept = [
            connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (name,)).fetchone()[
                0
            ]
            for name in triggers
        ]
        for name in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(
            """WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :number)
            INSERT INTO memories (user, told_by, layer, category, content, key, source, importance,
                                  said_at, created_at, updated_at, valid_from, compared)
            SELECT :user, :user, 'knowledge', 'knowledge', 'Memory number ' || i, 'number_' || i,
                   'user', 0.5, :now - i * 60, :now, :now, :now - i * 60, 1 FROM n""",
            {"user": user, "number": number, "now": now},
        )
        for statement in kept:
            connection.execute(statement)


def test_a_hundred_thousand_memories_are_one_list(house: House) -> None:
    fill(house.database, "olive", LONG_LIST)
    with house.page("olive") as page:
        expect(page.locator(".list-count")).to_have_text("100,000 memories")
        expect(page.get_by_role("link", name="Memory number 0 K")).to_be_visible()
        assert rows(page).count() < MOST_ROWS
        expect(rows(page).first).to_have_attribute("aria-setsize", str(LONG_LIST))
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
        expect(
            page.get_by_role("link", name=re.compile(r"Memory number (49|50)\d{3} ")).first
        ).to_be_visible()
        assert rows(page).count() < MOST_ROWS
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        last = page.get_by_role("link", name=f"Memory number {LONG_LIST - 1} K")
        expect(last).to_be_visible()
        expect(rows(page).last).to_have_attribute("aria-posinset", str(LONG_LIST))
        assert rows(page).count() < MOST_ROWS

        # Back from a memory the list stands where it was, with the same row in focus.
        place = page.evaluate("scrollY")
        last.click()
        expect(page.locator(".entry-words")).to_have_text(f"Memory number {LONG_LIST - 1}")
        page.get_by_role("link", name="All memories").click()
        expect(last).to_be_focused()
        assert abs(page.evaluate("scrollY") - place) < 10

        # By keyboard: to the beginning and on, row by row.
        page.keyboard.press("Home")
        expect(page.get_by_role("link", name="Memory number 0 K")).to_be_focused()
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("link", name="Memory number 1 K")).to_be_focused()
        assert rows(page).count() < MOST_ROWS


def test_a_filter_stands_in_the_address(house: House) -> None:
    house.tell("finn", "The user likes tea", tags=["drinks"])
    house.tell("finn", "The user has a boat")
    with house.page("finn", "#/memory?tags=drinks") as page:
        expect(page.locator(".list-count")).to_have_text("1 memory")
        expect(page.get_by_label("Tag")).to_have_value("drinks")
        page.get_by_role("button", name="Clear the filter").click()
        expect(page.locator(".list-count")).to_have_text("2 memories")
        page.get_by_label("Held to be true?").select_option("inactive")
        expect(page.get_by_text("Nothing fits this filter")).to_be_visible()
        assert page.url.endswith("#/memory?status=inactive")


def test_layer_project_and_days_are_filtered_by_keyboard_on_a_phone(house: House) -> None:
    house.ask("POST", "/memory/projects", "gus", json={"name": "boat"})
    house.tell("gus", "The user paints the hull", project="boat")
    house.tell("gus", "The user is called Gus", layer="identity")
    house.tell("gus", "The user likes tea")
    with house.page("gus", viewport=PHONE) as page:
        count = page.locator(".list-count")
        expect(count).to_have_text("3 memories")
        page.locator(".filters > summary").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.get_by_label("Layer")).to_be_focused()
        page.keyboard.type("Always")
        expect(count).to_have_text("1 memory")
        page.keyboard.press("Home")
        expect(count).to_have_text("3 memories")
        page.get_by_label("Project").focus()
        page.keyboard.type("boat")
        expect(count).to_have_text("1 memory")
        page.get_by_label("Said since").fill("2020-01-01")
        page.get_by_label("Said until").fill("2020-12-31")
        expect(page.get_by_text("Nothing fits this filter")).to_be_visible()
        assert page.url.endswith("?project=boat&since=2020-01-01&until=2020-12-31")
        page.get_by_label("Said until").fill("2099-12-31")
        expect(count).to_have_text("1 memory")
        page.reload()
        expect(count).to_have_text("1 memory")
        expect(page.get_by_label("Said since")).to_have_value("2020-01-01")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_conversation_is_counted_and_then_erased(house: House) -> None:
    old = {"Device-Id": "desk"}
    for text in ("My boat is called Wanda.", "It is blue."):
        body = {"text": text}
        httpx.post(
            f"{house.url}/chat/text", headers=old, json=body, timeout=60, trust_env=False
        ).raise_for_status()

    def kept() -> tuple[int, int]:
        stats = house.ask("GET", "/memory/stats", "carol")
        return stats["sessions"], stats["messages"]

    with house.page("carol", "#/memory/manage") as page:
        sessions, messages = kept()
        page.get_by_label("older than").fill("3000")
        page.get_by_role("button", name="Erase …").last.click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("No message and no timeline is more than 3,000 days old")
        expect(dialog.get_by_role("button", name="Forget it")).to_have_count(0)
        page.keyboard.press("Escape")
        page.get_by_label("A conversation").select_option(index=1)
        page.get_by_role("button", name="Erase …").first.click()
        expect(dialog).to_contain_text(f"{messages} messages")
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog).to_have_count(0)
        assert kept() == (sessions, messages)

        page.goto(f"{house.url}/#/memory/timeline")
        page.locator(".session summary").first.click()
        page.get_by_role("button", name="Forget this conversation").click()
        expect(dialog).to_contain_text(f"{messages} messages")
        dialog.get_by_role("button", name="Forget it").click()
        expect(page.locator(".session")).to_have_count(0)
        assert kept() == (0, 0)


def test_what_is_older_is_counted_and_then_erased(house: House) -> None:
    with house.page("hal", "#/memory/manage") as page:
        asked: list[Any] = []

        def answer(route: Route) -> None:
            asked.append(route.request.post_data_json)
            gone = {"entries": [], "keys": [], "messages": 12, "derived": 0}
            route.fulfill(json={**gone, "dry_run": asked[-1].get("dry_run", False)})

        page.route("**/memory/purge*", answer)
        page.get_by_role("button", name="Erase …").last.click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("12 messages")
        dialog.get_by_role("button", name="Forget it").click()
        expect(dialog).to_have_count(0)
        age = {"older_than_days": 90}
        assert asked == [{**age, "dry_run": True}, {**age, "confirm": True}]


@pytest.mark.parametrize(
    ("role", "at_this_computer", "named"),
    [("owner", True, True), ("owner", False, False), ("person", False, False)],
)
def test_a_user_is_named_only_where_the_caller_may(
    house: House, role: str, at_this_computer: bool, named: bool
) -> None:
    with house.page("ada", "#/talk", role=role, at_this_computer=at_this_computer) as page:
        asked: list[Request] = []

        def note(request: Request) -> None:
            asked.append(request)

        page.on("request", note)
        for view in ("", "/search?q=tea", "/identity", "/timeline", "/why", "/manage"):
            visit(page, f"{house.url}/#/memory{view}")
        queries = [urlsplit(request.url) for request in asked if asks_the_memory(request)]
        users = {
            str(parse_qs(url.query).get("user")) for url in queries if url.path != "/memory/users"
        }
        assert users == ({"['ada']"} if named else {"None"})
        assert any(url.path == "/memory/users" for url in queries) is named
        assert page.get_by_label("Person").count() == (1 if named else 0)


def test_the_owner_looks_at_another_person(house: House) -> None:
    house.tell("zoe", "The user plays the tuba")
    with house.page("nobody") as page:
        page.get_by_label("Person").select_option("zoe")
        expect(page.get_by_role("link", name="The user plays the tuba")).to_be_visible()
        assert page.url.endswith("#/memory?person=zoe")
        page.reload()  # a link leads to the same view
        expect(page.get_by_role("link", name="The user plays the tuba")).to_be_visible()
        expect(page.get_by_label("Person")).to_have_value("zoe")
        page.get_by_role("tab", name="Numbers").click()
        expect(page).to_have_url(re.compile(r"#/memory/numbers\?person=zoe$"))
        page.get_by_role("tab", name="All").click()
        page.get_by_label("Person").select_option("nobody")
        expect(page.get_by_text("Nothing is known yet")).to_be_visible()
        assert page.url.endswith("#/memory")
    with house.page("ida", "#/memory?person=zoe", role="person") as page:
        # Whoever may see only the own memory sees that, whatever a link says.
        settled(page)
        expect(page.get_by_role("link", name="The user plays the tuba")).to_have_count(0)


def test_what_is_always_in_mind_is_edited_and_a_change_in_between_is_told(house: House) -> None:
    house.tell("ida", "The user is called Ida", layer="identity", section="User Profile")
    with house.page("ida", "#/memory/identity") as page:
        page.get_by_role("button", name="Edit as text").click()
        text = page.get_by_label("Text")
        expect(text).to_have_value("## User Profile\n- The user is called Ida")
        text.fill("## User Profile\n- The user is called Ida\n## Preferences\n- Likes tea")
        house.tell("ida", "Likes coffee", layer="identity", section="Preferences")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Somebody changed this text")).to_be_visible()
        expect(page.locator("pre")).to_contain_text("Likes coffee")
        assert "tea" not in house.ask("GET", "/memory/identity", "ida")["text"]
        page.get_by_role("button", name="Keep mine").click()
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".identity")).to_contain_text("Likes tea")
    text_now = house.ask("GET", "/memory/identity", "ida")["text"]
    assert text_now == "## User Profile\n- The user is called Ida\n## Preferences\n- Likes tea"


def test_news_keep_an_open_edit_and_the_place_in_the_list(house: House) -> None:
    fill(house.database, "lena", 500)
    with house.page("lena") as page:
        refreshed: list[str] = []
        page.on("request", lambda request: refreshed.append(request.url))
        page.locator(".virtual-row a").first.wait_for()
        page.evaluate("scrollTo(0, 200 * document.querySelector('.row-measure').offsetHeight)")
        row = page.get_by_role("link", name="Memory number 203 K")
        expect(row).to_be_visible()
        before = row.bounding_box()
        assert before is not None
        house.tell("lena", "The user told something new")
        expect(page.locator(".list-count")).to_have_text("501 memories")
        after = row.bounding_box()
        assert after is not None
        assert abs(after["y"] - before["y"]) < 2, "the rows stay where they were"

        row.click()
        page.get_by_role("button", name="Edit").click()
        page.get_by_label("What is remembered").fill("Half a sent")
        refreshed.clear()
        house.tell("lena", "The user told something else")
        while not any("/history" in url for url in refreshed):
            page.wait_for_timeout(100)
        expect(page.get_by_label("What is remembered")).to_have_value("Half a sent")
        expect(page.get_by_label("What is remembered")).to_be_focused()


def test_memory_is_taken_away_and_brought_back(house: House, tmp_path: Path) -> None:
    house.tell("kim", "The user plays chess")
    with house.page("kim", "#/memory/manage") as page:
        with page.expect_download() as started:
            page.get_by_role("link", name="Export JSON").click()
        with page.expect_download() as markdown:
            page.get_by_role("link", name="Export Markdown").click()
        assert "The user plays chess" in markdown.value.path().read_text(encoding="utf-8")
        exported = tmp_path / "memory.json"
        started.value.save_as(exported)
        page.locator("input[type=file]").set_input_files(exported)
        expect(page.get_by_text("Everything in this file was there already.")).to_be_visible()
        wrong = tmp_path / "wrong.json"
        wrong.write_text('{"no": "export"}')
        page.locator("input[type=file]").set_input_files(wrong)
        expect(page.get_by_role("alert").last).to_be_visible()
    with house.page("kims-double", "#/memory/manage") as page:
        page.locator("input[type=file]").set_input_files(exported)
        expect(page.get_by_text("Brought in: 1 memory.")).to_be_visible()
    copied = house.ask("GET", "/memory/entries", "kims-double")["entries"]
    assert [entry["content"] for entry in copied] == ["The user plays chess"]


def test_the_master_switch_is_a_setting(house: House) -> None:
    setting = {"name": "memory.enabled", "value": True, "changeable": True}
    sent: list[Any] = []

    def answer(route: Route) -> None:
        if route.request.method == "PATCH":
            sent.append(route.request.post_data_json)
            setting["value"] = sent[-1]["memory.enabled"]
        route.fulfill(json={"settings": [setting]})

    with house.page("ada", "#/talk") as page:
        page.route("**/settings", answer)
        page.goto(f"{house.url}/#/memory/manage")
        switch = page.get_by_role("switch", name="Memory")
        expect(switch).to_be_checked()
        switch.uncheck(force=True)
        expect(page.get_by_text("Memory is switched off")).to_be_visible()
        assert sent == [{"memory.enabled": False}]


def test_plots_have_words_and_a_table(house: House) -> None:
    days = [
        {"date": f"2026-03-{day:02}", "memories": day % 4, "messages": 3} for day in range(1, 29)
    ]
    history = {"**/memory/history*": json.dumps({"days": days})}
    with house.page("carol", "#/memory/numbers", more=history) as page:
        expect(page.locator("[data-plot=growth] canvas")).to_be_visible()
        expect(page.locator("[data-plot=weeks] canvas")).to_be_visible()
        expect(page.get_by_text("42 memories since")).to_be_visible()
        page.get_by_text("Show as a table").first.click()
        expect(page.locator("table").first.locator("tbody tr")).to_have_count(5)
