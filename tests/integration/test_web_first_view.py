"""Talk as it stands in the page, before the app has come: what it looks like, for whom it is there,
and that what is done in it counts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from lobug.app import create_app
from lobug.http.web.page import page_policy, rendered_pages
from support.app_server import ScriptedEngines, in_thread, scripted_assembler, settings_for
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText
from support.web_page import chromium, web_page

expect.set_options(timeout=1000 * PATIENCE_S)

APP = "**/main.js"
SHOWN = """root => {
    const plain = (node) => {
        if (node.nodeType === Node.TEXT_NODE) return node.data.trim();
        const attributes = [...node.attributes]
            .filter(({name}) => !["checked", "data-owner"].includes(name))
            .map(({name, value}) => `${name}=${value}`).sort();
        const inside = [...node.childNodes].map(plain).filter(Boolean);
        return [node.localName, attributes, node.checked ?? null, inside];
    };
    root = root.cloneNode(true);
    root.normalize();
    root.querySelector(".nav-person").textContent = "";  // who it is becomes known later
    return JSON.stringify([...root.children].map(plain), null, 1);
}"""
"""What an element shows, without spaces between elements and without the person's name."""
FIRST_DRAWING = f"""new MutationObserver((_, observer) => {{
    const root = document.getElementById("app");
    if (!root?.querySelector(".talk-button")) return;
    observer.disconnect();
    globalThis.firstDrawing = ({SHOWN})(root);
}}).observe(document, {{childList: true, subtree: true}});"""
PLACES = """() => [".nav", ".nav a[aria-current]", ".stage", ".modes",
    ".talk-button", ".controls-hint", ".empty-title", ".typing input", ".typing button"]
    .map((part) => {
        const {x, y, width, height} = document.querySelector(part).getBoundingClientRect();
        return [part, ...[x, y, width, height].map(Math.round)];
    })"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium(
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        "--autoplay-policy=no-user-gesture-required",
    ) as running:
        yield running


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a server whose owner at this computer is Olive."""
    settings = settings_for(
        tmp_path_factory.mktemp("web"),
        conversation={"users": {"address:127.0.0.1": "olive"}},
    )
    engines = ScriptedEngines(
        chat=ScriptedChatModel(lambda messages, options: "[]" if options.json_schema else "I see."),
        stt=ScriptedSpeechToText(("Hello",)),
    )
    server, thread, port = in_thread(create_app(settings, assembler=scripted_assembler(engines)))
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def without_app(page: Page, url: str) -> Iterator[list[Route]]:
    """Open the page while the app is on its way; it arrives at the end."""
    asked: list[Route] = []
    page.route(APP, lambda route: asked.append(route))  # noqa: PLW0108 - it wants a function
    page.goto("about:blank")
    page.goto(url, wait_until="commit")
    page.locator(".typing input").wait_for()
    yield asked
    while not asked:
        page.wait_for_timeout(20)
    asked.pop().continue_()
    page.unroute(APP)
    page.wait_for_function("() => !globalThis.firstView")


def talking(page: Page) -> None:
    page.locator(".stage[data-phase=idle]").wait_for()


@pytest.mark.parametrize("role", ["owner", "person"])
def test_it_is_what_the_app_first_draws(browser: Browser, url: str, role: str) -> None:
    pages = rendered_pages()
    policies = {
        name: {"Content-Security-Policy": page_policy(text)} for name, text in pages.items()
    }

    def as_role(page: Page, name: str) -> None:
        page.route(
            url,
            lambda route: route.fulfill(
                body=pages[name], headers=policies[name], content_type="text/html"
            ),
        )
        page.route(
            "**/web/session",
            lambda route: route.fulfill(json={**route.fetch().json(), "role": role}),
        )

    # A page that the test answers has no socket.
    with web_page(browser, url, expected_errors=["WebSocket"]) as page:
        page.add_init_script(FIRST_DRAWING)
        as_role(page, "")  # all is drawn by the app
        page.reload()
        page.wait_for_function("() => globalThis.firstDrawing")
        drawn = page.evaluate("firstDrawing")
        assert "talk-button" in drawn
        as_role(page, role)
        with without_app(page, url):
            assert page.evaluate(f"({SHOWN})(document.getElementById('app'))") == drawn


@pytest.mark.parametrize(("width", "height"), [(360, 780), (1600, 1000)])
def test_nothing_moves_when_the_app_comes(
    browser: Browser, url: str, width: int, height: int
) -> None:
    size = {"width": width, "height": height}
    with web_page(browser, url, viewport=size) as page:
        with without_app(page, url):
            before = page.evaluate(PLACES)
            page.evaluate("globalThis.field = document.querySelector('.typing input')")
        talking(page)
        assert page.evaluate(PLACES) == before
        assert page.evaluate("field.isConnected")


def test_words_typed_before_the_app_is_there_are_sent_by_it(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        with without_app(page, url):
            send = page.get_by_role("button", name="Send")
            expect(send).to_be_disabled()
            page.locator(".typing input").press_sequentially("Hello there")
            expect(send).to_be_enabled()
            page.keyboard.press("Enter")
            page.keyboard.press("Enter")
            expect(page.locator(".typing input")).to_have_value("Hello there")
        expect(page.locator(".line-person p")).to_have_text(["Hello there"])
        expect(page.locator(".line-lobug p")).to_have_text(["I see."])
        expect(page.locator(".typing input")).to_have_value("")


def test_half_a_sentence_and_its_cursor_stay(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        with without_app(page, url):
            page.locator(".typing input").press_sequentially("Hello")
            page.keyboard.press("Home")
        page.keyboard.type("Well, ")
        expect(page.locator(".typing input")).to_have_value("Well, Hello")
        page.get_by_role("button", name="Send").click()
        expect(page.locator(".line-person p")).to_have_text(["Well, Hello"])


def test_a_press_that_is_held_until_the_app_is_there_listens(browser: Browser, url: str) -> None:
    with web_page(browser, url, permissions=["microphone"]) as page:
        button = page.locator(".talk-button")
        with without_app(page, url):
            button.hover()
            page.mouse.down()
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".stage[data-phase=listening]")).to_be_visible()
        page.mouse.up()
        expect(button).to_have_attribute("aria-pressed", "false")


def test_a_press_counts_although_the_field_had_the_focus(browser: Browser, url: str) -> None:
    with web_page(browser, url, permissions=["microphone"]) as page:
        with without_app(page, url):
            page.locator(".typing input").press_sequentially("Hm")
            page.locator(".talk-button").hover()
            page.mouse.down()
            expect(page.locator(".talk-button")).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".stage[data-phase=listening]")).to_be_visible()
        expect(page.locator(".typing input")).to_have_value("Hm")
        page.mouse.up()


def test_a_tap_after_tap_was_chosen_counts(browser: Browser, url: str) -> None:
    with web_page(browser, url, permissions=["microphone"]) as page:
        with without_app(page, url):
            page.get_by_role("radio", name="Tap").check()
            page.locator(".talk-button").click()
        expect(page.locator(".stage[data-phase=listening]")).to_be_visible()
        page.locator(".talk-button").click()


def test_what_is_typed_after_enter_is_not_sent(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        with without_app(page, f"{url}#/talk?say=Forget%20everything"):
            field = page.locator(".typing input")
            field.press_sequentially("Hello")
            page.keyboard.press("Enter")
            field.press_sequentially(" and")
        expect(field).to_have_value("Hello and")
        with without_app(page, f"{url}#/talk?say=Forget%20everything"):
            field.press_sequentially("a")
            page.keyboard.press("Enter")
            page.keyboard.press("Backspace")
            page.keyboard.press("Enter")
        expect(field).to_have_value("Forget everything")
        talking(page)
        assert page.locator(".line-person").count() == 0


def test_an_app_that_does_not_come_is_said(browser: Browser, url: str) -> None:
    with web_page(browser, url, expected_errors=["main.js"]) as page:
        page.route(APP, lambda route: route.abort())
        page.goto("about:blank")
        page.goto(url)
        expect(page.get_by_role("status").first).to_have_text(
            "I could not start. Please reload the page."
        )


def test_a_reply_to_words_sent_early_is_heard(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        asked: list[object] = []
        page.on(
            "request",
            lambda request: (
                asked.append(request.post_data_json) if request.url.endswith("/chat/text") else None
            ),
        )
        with without_app(page, url):
            page.locator(".typing input").press_sequentially("Hello")
            page.keyboard.press("Enter")
        expect(page.locator(".line-lobug p")).to_have_text(["I see."])
        assert asked == [{"text": "Hello", "voice": True}]


@pytest.mark.parametrize("how", ["mouse", "space"])
def test_a_press_that_was_let_go_is_over(browser: Browser, url: str, how: str) -> None:
    with web_page(browser, url, permissions=["microphone"]) as page:
        with without_app(page, url):
            if how == "mouse":
                page.locator(".talk-button").click()
            else:
                page.locator(".talk-button").focus()
                page.keyboard.press(" ")
        talking(page)
        assert page.locator(".talk-button").get_attribute("aria-pressed") == "false"


def test_the_space_bar_is_held(browser: Browser, url: str) -> None:
    with web_page(browser, url, permissions=["microphone"]) as page:
        with without_app(page, url):
            page.keyboard.down(" ")
        expect(page.locator(".stage[data-phase=listening]")).to_be_visible()
        page.keyboard.up(" ")


def test_other_controls_do_what_they_do(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        with without_app(page, url):
            page.get_by_role("radio", name="Hands free").check()
            page.get_by_role("button", name="Sound is on").click()
        talking(page)
        expect(page.get_by_role("radio", name="Hands free")).to_be_checked()
        expect(page.locator(".round-button").first).to_have_attribute("aria-pressed", "false")
        # As somebody uses Talk differently, the app draws it.
        page.route(APP, lambda route: route.fulfill(body="", content_type="text/javascript"))
        page.reload()
        assert page.locator("#app").inner_html() == ""
        page.unroute(APP)
        page.reload()
        talking(page)
        expect(page.get_by_role("radio", name="Hands free")).to_be_checked()


def test_another_page_is_not_preceded_by_talk(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        page.route(APP, lambda route: route.fulfill(body="", content_type="text/javascript"))
        page.goto("about:blank")
        page.goto(f"{url}#/memory")
        assert page.locator("#app").inner_html() == ""
        page.unroute(APP)
        page.reload()
        page.get_by_role("heading", name="Memory").first.wait_for()


def test_it_is_not_for_strangers_nor_for_an_owner_without_a_name(tmp_path: Path) -> None:
    app = create_app(settings_for(tmp_path), assembler=scripted_assembler(ScriptedEngines()))
    server, thread, port = in_thread(app)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            unnamed = client.get("/")
            assert '<div id="app"></div>' in unnamed.text
            assert '"talk-button"' not in unnamed.text
            browser = client.post("/web/session", json={"user": "ana", "name": "Test"})
            cookie = browser.headers["Set-Cookie"].split(";")[0]
            named = client.get("/", headers={"Cookie": cookie})
            assert 'class="talk-button"' in named.text
            assert named.headers["ETag"] != unnamed.headers["ETag"]
            assert "Cookie" in named.headers["Vary"]
            assert client.get("/", headers={"Cookie": f"{cookie}0"}).text == unnamed.text
    finally:
        server.should_exit = True
        thread.join()
