"""Takes the pictures of the web app in docs/web, for a phone and a desk, light and dark.

python scripts/web_screenshots.py URL [FOLDER]

URL is that of a running server on this computer with an EMPTY data folder of its own: it is filled
with an invented household first. Needs the development environment and Chromium.
"""

from __future__ import annotations

import io
import re
import shutil
import sys
import time
from pathlib import Path
from typing import Any, Literal

import httpx
from PIL import Image
from playwright.sync_api import Browser, Page, Route, sync_playwright

ROOT = Path(__file__).parents[1]
ADA = {"user": "ada"}
SIZES = {"phone": (360, 740), "desk": (1600, 1000)}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
DESK_SCALE = 0.6
"""Pictures of a desk's size are made smaller."""
COLOURS = 96
PAGES = {
    "talk": "talk",
    "listening": "talk",
    "memory": "memory",
    "memory-search": "memory/search?q=Where%20does%20Ada%20live",
    "identity": "memory/identity",
    "timeline": "memory/timeline",
    "why": "memory/why?message=MESSAGE",
    "projects": "memory/projects",
    "numbers": "memory/numbers",
    "manage": "memory/manage",
    "entry": "memory/entry/ENTRY",
    "forget": "memory/entry/ENTRY",
    "timers": "deeds",
    "lists": "deeds/lists",
    "devices": "devices",
    "people": "devices/people",
    "browsers": "devices/browsers",
    "turns": "turns",
    "heard": "turns/heard",
    "health": "turns/health",
    "settings": "settings",
    "flash": "flash",
    "welcome": "welcome",
    "pair": "pair",
    "trust": "trust",
}
"""The pictures: the name of each, and the address of what it shows."""

MEMORIES = (
    "The user is called Ada",
    "The user lives in Lisbon",
    "The user's sister Hanna studies marine biology",
    "The user prefers tea to coffee",
    "The user is allergic to walnuts",
    "The user plays the cello on Thursdays",
    "The user's dog Biscuit is four years old",
    "The user is building a boat with Tom",
)
DAYS_AGO = (83, 71, 62, 55, 34, 27, 12, 6)
"""When each of them was said, days ago."""
TIMES = ("said_at", "created_at", "updated_at", "valid_from")
SAID = ("Hello!", "What time is it?", "What is 17 times 23?", "Where do I live?")
TYPED = ("Where do I live?", "Set a pasta timer for ten minutes.", "Is oats on my shopping list?")
"""Typed on the page Talk before its picture is taken."""
README_HEIGHT = 520
"""Of the picture in README.md, pixels."""


def fill(url: str) -> None:
    """Put an invented household into an empty server. Raises RuntimeError if it is not empty."""
    with httpx.Client(base_url=url, trust_env=False, timeout=120) as client:
        if client.get("memory/users").json()["users"]:
            raise RuntimeError("the server at this URL has memories: use an empty data folder")
        remember(client)
        bodies: list[tuple[str, dict[str, Any]]] = [
            ("memory/entries", {"content": "The user speaks Portuguese", "layer": "identity"}),
            ("memory/projects", {"name": "boat", "description": "A small one, for the river"}),
            ("memory/tasks", {"title": "Paint the hull", "project": "boat"}),
            ("alerts", {"kind": "timer", "label": "pasta", "in_s": 540}),
            ("alerts", {"kind": "timer", "label": "", "in_s": 4_200}),
            ("alerts", {"kind": "alarm", "at": "2035-03-01T06:40", "rule": "FREQ=DAILY"}),
            ("alerts", {"kind": "reminder", "label": "to call mum", "at": "2035-03-02T09:00"}),
            ("lists/shopping/items", {"items": ["milk", "oats", "coffee beans", "lemons"]}),
            ("lists/boat/items", {"items": ["sandpaper", "two brushes", "a tin of blue paint"]}),
            ("notes", {"content": "The boiler man comes on Friday between eight and ten"}),
        ]
        for path, body in bodies:
            client.post(path, json=body, params=ADA).raise_for_status()
        device = {"application": {"name": "lobug", "version": "2.0.0"}, "board": {"type": "cores3"}}
        headers = {
            "Device-Id": "aa:bb:cc:dd:ee:01",
            "Client-Id": "5c1a6d2e-0000-4000-8000-000000000001",
        }
        client.post("xiaozhi/ota/", json=device, headers=headers).raise_for_status()


def remember(client: httpx.Client) -> None:
    """Give Ada her memories, said over some weeks: stored for another, taken along with other
    times, and erased there."""
    draft = {"user": "draft"}
    for content in MEMORIES:
        client.post("memory/entries", json={"content": content}, params=draft).raise_for_status()
    taken = client.get("memory/export", params=draft).json()
    for entry, days in zip(taken["entries"], DAYS_AGO, strict=True):
        entry.update(dict.fromkeys(TIMES, time.time() - 86_400 * days))
    client.post("memory/import", json=taken, params=ADA).raise_for_status()
    everything = {"user": True, "confirm": True}
    client.post("memory/purge", json=everything, params=draft).raise_for_status()


def sit_down(page: Page, url: str) -> None:
    """Say that Ada sits at this browser, and talk a little."""
    page.goto(url)
    page.evaluate(
        """async said => {
            const post = (path, body) => fetch(path, {method: "POST",
                headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
            await post("/web/session", {user: "ada", name: "Laptop"});
            for (const text of said) await post("/chat/text", {text});
        }""",
        list(SAID),
    )


def pictures(browser: Browser, url: str, folder: Path) -> None:
    """Take all pictures."""
    storage = None
    for theme in THEMES:
        for size, (width, height) in SIZES.items():
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme=theme,
                reduced_motion="reduce",
                storage_state=storage,
            )
            page = context.new_page()
            page.set_default_timeout(30_000)
            if storage is None:
                sit_down(page, url)
                storage = context.storage_state()
            page.goto(url)
            entry, message = first_entry(page), ""
            for name, address in PAGES.items():
                if name == "pair":
                    come_from_elsewhere(page)
                elif name == "timers":
                    keep_one_pasta_timer(page)
                go(page, address.replace("ENTRY", entry).replace("MESSAGE", message))
                if name == "talk":
                    converse(page)
                    message = last_message(page)
                elif name == "listening":
                    page.locator(".talk-button").hover()
                    page.mouse.down()
                    page.wait_for_timeout(2_500)
                elif name == "timeline":
                    page.locator(".session summary").first.click()
                    page.locator(".turn").first.wait_for()
                elif name == "forget":
                    page.get_by_role("button", name="Forget").click()
                    page.get_by_role("dialog").get_by_role("listitem").first.wait_for()
                save(page.screenshot(), folder / f"{name}-{size}-{theme}.png", size)
                if name in {"listening", "forget"}:
                    page.keyboard.press("Escape")
                    page.mouse.up()
            context.close()


def go(page: Page, address: str) -> None:
    """Show a page, with what it fetches."""
    page.evaluate("address => { location.hash = `#/${address}`; }", address)
    page.wait_for_timeout(1_500)
    page.wait_for_function("() => !document.querySelector('.loading')")


def first_entry(page: Page) -> str:
    """The id of the memory whose page is shown."""
    go(page, "memory")
    row = page.get_by_role("link", name="The user lives in Lisbon")
    return str(row.get_attribute("data-entry"))


def keep_one_pasta_timer(page: Page) -> None:
    """Cancel those that were set while Talk was photographed."""
    page.evaluate(
        """async () => {
            const { alerts } = await (await fetch("/alerts")).json();
            const more = alerts.filter(({ label }) => label === "pasta").slice(1);
            for (const { id } of more) await fetch(`/alerts/${id}`, { method: "DELETE" });
        }"""
    )


def last_message(page: Page) -> str:
    """The id of the question that memory was searched for."""
    link = page.locator(".line", has=page.locator(".memories")).last.locator(".line-why")
    (number,) = re.findall(r"message=(\d+)", link.get_attribute("href") or "")
    return str(number)


def come_from_elsewhere(page: Page) -> None:
    """Let the page take itself for that of a browser that was not let in."""
    elsewhere = {"role": "stranger", "user": None, "at_this_computer": False, "secure": True}

    def answer(route: Route) -> None:
        answered = route.fetch()
        route.fulfill(response=answered, json={**answered.json(), **elsewhere})

    page.route("**/web/session", answer)
    page.reload()


def converse(page: Page) -> None:
    """Type some sentences, and wait for each reply."""
    for number, text in enumerate(TYPED, 1):
        page.get_by_placeholder("Type a message").fill(text)
        page.keyboard.press("Enter")
        page.wait_for_function(
            """number => document.querySelectorAll(".line-lobug .line-why").length === number
                && document.querySelector(".stage[data-phase=idle]")""",
            arg=number,
            timeout=120_000,
        )
    page.wait_for_timeout(1_000)


def readme(folder: Path) -> None:
    """Put a phone's and a desk's picture of Talk side by side."""
    parts = []
    for size in ("phone-dark", "desk-light"):
        image = Image.open(folder / f"talk-{size}.png").convert("RGB")
        width = round(image.width * README_HEIGHT / image.height)
        parts.append(image.resize((width, README_HEIGHT), Image.Resampling.LANCZOS))
    gap = 16
    whole = Image.new("RGB", (sum(part.width for part in parts) + gap, README_HEIGHT), "white")
    whole.paste(parts[0], (0, 0))
    whole.paste(parts[1], (parts[0].width + gap, 0))
    whole.quantize(COLOURS, dither=Image.Dither.NONE).save(folder / "readme.png", optimize=True)


def save(picture: bytes, path: Path, size: str) -> None:
    """Keep a picture small: fewer pixels, fewer colours."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    if size == "desk":
        width, height = (int(side * DESK_SCALE) for side in image.size)
        image = image.resize((width, height), Image.Resampling.LANCZOS)
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> int:
    """Fill the server and take the pictures. Returns the exit code."""
    if len(sys.argv) not in {2, 3}:
        print((__doc__ or "").split("\n")[2], file=sys.stderr)
        return 2
    url = sys.argv[1].rstrip("/") + "/"
    folder = Path(sys.argv[2]) if len(sys.argv) == 3 else ROOT / "docs" / "web"
    folder.mkdir(parents=True, exist_ok=True)
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        print("Chromium is missing: sh scripts/browser-packages.sh", file=sys.stderr)
        return 1
    fill(url)
    with sync_playwright() as playwright:
        options = [
            "--no-sandbox",
            "--disable-gpu",
            "--use-fake-ui-for-media-stream",
            "--use-fake-device-for-media-stream",
        ]
        browser = playwright.chromium.launch(executable_path=path, args=options)
        pictures(browser, url, folder)
        browser.close()
    readme(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
