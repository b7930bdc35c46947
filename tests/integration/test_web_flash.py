"""The page that flashes a device over USB and sets it up, in Chromium against the real application.

The port is an object in the page that speaks Improv (tests/support/fake_serial.js). What writes the
firmware is real up to a device that does not answer; behind that it is replaced.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, expect

from lobug.app import create_app
from lobug.ota.image import FirmwareKind
from lobug.server import LobugServer
from support.app_server import in_thread, scripted_assembler, settings_for
from support.browser import PATIENCE_S
from support.esp32_images import full_image_bytes, image_file
from support.memory_app import quiet_engines
from support.web_page import chromium, web_page

ROOT = Path(__file__).parents[1]
FAKE_SERIAL = (ROOT / "support" / "fake_serial.js").read_text(encoding="utf-8")
AXE = (ROOT / "vendor" / "axe-core@4.14.1" / "axe.min.js").read_text(encoding="utf-8")
FOUND = """() => axe.run(document, {resultTypes: ["violations"]}).then(({violations}) =>
  violations.map(({id, nodes}) => `${id}: ${nodes.map(({target}) => target).join(" ")}`))"""
CORE2 = "m5stack-core2"

FAKE_LOADER = """
export class Transport {
  constructor(port) { this.port = port; }
  async setRTS() {}
  async disconnect() { if (this.port.readable) await this.port.close(); }
}
export class ESPLoader {
  constructor({ transport, terminal }) {
    this.transport = transport;
    this.chip = { CHIP_NAME: window.fakeChip ?? "ESP32" };
    terminal.writeLine("esptool.js");
  }
  async main() { await this.transport.port.open({ baudRate: 115200 }); }
  async writeFlash({ fileArray, reportProgress }) {
    const digest = await crypto.subtle.digest("SHA-256", fileArray[0].data);
    window.flashed = {
      address: fileArray[0].address,
      files: fileArray.length,
      sha256: [...new Uint8Array(digest)].map((one) => one.toString(16).padStart(2, "0")).join(""),
    };
    reportProgress(0, 50, 100);
    await window.flashGoesOn;
    if (window.flashFails) throw new Error("Failed to write to target flash");
    reportProgress(0, 100, 100);
  }
  async after() {}
}
"""
LOADER = "**/esptool-js@*/bundle.js"

expect.set_options(timeout=1000 * PATIENCE_S)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, FastAPI]]:
    app = create_app(settings_for(folder), assembler=scripted_assembler(quiet_engines()))
    server, thread, port = in_thread(app)
    try:
        yield f"http://127.0.0.1:{port}/", app
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """A server that has a full image of one board."""
    with served(tmp_path) as (address, app):
        server: LobugServer = app.state.lobug
        file = image_file(tmp_path, full_image_bytes())
        server.firmware.library.add(file, CORE2, "2.1.0", kind=FirmwareKind.FULL)
        yield address


def opened(page: Page, **device: object) -> None:
    """Show the page, with a device at its port."""
    page.evaluate(FAKE_SERIAL, device)
    page.evaluate("() => { location.hash = '#/flash'; }")
    expect(page.get_by_role("heading", name="Set up a device over USB")).to_be_visible()


def heading(page: Page, name: str) -> Any:
    return expect(page.get_by_role("heading", name=name))


def set_up(page: Page) -> None:
    """Go on to the Wi-Fi, with a device that has its firmware already."""
    page.get_by_role("button", name="It has Lo-Bug already").click()
    heading(page, "Your Wi-Fi").to_be_visible()


def told(page: Page, text: str) -> None:
    expect(page.get_by_role("alert").filter(has_text=text)).to_be_visible()


def test_without_firmware_it_says_where_to_get_it(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path) as (url, _), web_page(browser, url) as page:
        opened(page)
        expect(page.get_by_role("button", name="Install Lo-Bug")).to_be_disabled()
        expect(page.locator(".flash-missing")).to_contain_text("lobug-VERSION-m5stack-core2-full")
        page.get_by_label("M5Stack CoreS3").check()
        expect(page.locator(".flash-missing code")).to_have_text(
            "lobug firmware add --full lobug-VERSION-m5stack-cores3-full.bin"
            " --board m5stack-cores3 --version VERSION"
        )


def test_asked_for_while_the_first_page_appears_it_is_shown(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        page.add_init_script("""
          new MutationObserver((_, observer) => {
            if (!document.querySelector("main h1")) return;
            observer.disconnect();
            location.hash = "#/flash";
          }).observe(document, { childList: true, subtree: true });
        """)
        page.reload()
        heading(page, "Set up a device over USB").to_be_visible()


def test_it_is_reached_from_adding_a_device(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        page.evaluate(FAKE_SERIAL, {})
        page.evaluate("() => { location.hash = '#/welcome/device'; }")
        page.get_by_role("link", name="An M5Stack without Lo-Bug").click()
        expect(page.get_by_label("M5Stack Core2")).to_be_checked()
        expect(page.locator(".flash")).to_contain_text("Version 2.1.0, 0.07 MB")
        expect(page.locator(".flash")).to_contain_text("No firmware here yet")


def test_a_browser_that_reaches_no_port_is_told(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        page.evaluate("() => Object.defineProperty(navigator, 'serial', {value: undefined})")
        page.evaluate("() => { location.hash = '#/flash'; }")
        told(page, "Chrome, Edge or Opera")
        expect(page.get_by_role("button", name="Install Lo-Bug")).to_have_count(0)


def test_a_page_that_is_not_secure_is_told(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        page.evaluate("() => Object.defineProperty(window, 'isSecureContext', {value: false})")
        page.evaluate("() => { location.hash = '#/flash'; }")
        told(page, "only on Lo-Bug's own computer, or over HTTPS")
        expect(page.get_by_role("link", name="How to change that")).to_be_visible()


def test_wifi_and_server_are_set_over_the_cable(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        opened(page, starts_after=2)
        set_up(page)
        expect(page.locator(".flash")).to_contain_text("Lo-Bug-1A2B is there, with version 2.1.0.")
        expect(page.get_by_label("Wi-Fi", exact=True)).to_have_value("Home")
        names = page.locator("#flash-networks option").evaluate_all("all => all.map(o => o.value)")
        assert names == ["Home", "Cafe"], "the strongest first, each once"
        page.get_by_label("Password").fill("right word")
        page.get_by_label("Lo-Bug's address").fill("http://192.168.1.5:8321")
        page.get_by_role("button", name="Join").click()
        heading(page, "It's in your Wi-Fi").to_be_visible()
        port = page.evaluate("() => ({...fakePort})")
        assert port["joined"] == [["Home", "right word"]]
        assert port["told"] == ["server http://192.168.1.5:8321"]
        assert port["readable"] is None, "the port is closed"
        assert {"usbVendorId": 0x303A} in port["pickedWith"]
        page.get_by_role("link", name="Let it in").click()
        expect(page).to_have_url(re.compile("#/welcome/device/lobug"))


def test_without_an_address_the_device_looks_for_the_server(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        opened(page)
        set_up(page)
        page.get_by_label("Password").fill("right word")
        page.get_by_label("Lo-Bug's address").fill("")
        page.get_by_role("button", name="Join").click()
        heading(page, "It's in your Wi-Fi").to_be_visible()
        assert page.evaluate("() => fakePort.told") == ["server auto"]


def test_a_wrong_password_is_told_and_typed_again(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        opened(page)
        set_up(page)
        page.get_by_label("Password").fill("wrong word")
        page.get_by_role("button", name="Join").click()
        told(page, "The Wi-Fi rejects my password.")
        page.get_by_label("Password").fill("right word")
        page.get_by_role("button", name="Join").click()
        heading(page, "It's in your Wi-Fi").to_be_visible()


def test_an_address_that_the_device_refuses_is_told(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        opened(page, refuses="An https server needs its CA: set the CA first.")
        set_up(page)
        page.get_by_label("Password").fill("right word")
        page.get_by_label("Lo-Bug's address").fill("https://desk:8322")
        page.get_by_role("button", name="Join").click()
        told(page, "An https server needs its CA")


def test_a_pulled_cable_is_told(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        opened(page)
        set_up(page)
        page.evaluate("() => fakePort.pull()")
        told(page, "The device is gone")
        heading(page, "Choose your board").to_be_visible()
        # And in the middle of joining.
        opened(page, joins=False)
        set_up(page)
        page.get_by_label("Password").fill("right word")
        page.get_by_role("button", name="Join").click()
        page.wait_for_function("() => fakePort.joined.length === 1")
        page.evaluate("() => fakePort.pull()")
        told(page, "The device is gone")
        heading(page, "Choose your board").to_be_visible()


def test_a_port_in_use_and_none_at_all_are_told(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        opened(page, nothing_chosen=True)
        page.get_by_role("button", name="Install Lo-Bug").click()
        told(page, "No port was chosen")
        opened(page, busy=True)
        page.get_by_role("button", name="It has Lo-Bug already").click()
        told(page, "The port is in use")


def test_a_device_that_says_nothing_is_told(browser: Browser, url: str) -> None:
    with web_page(browser, url) as page:
        page.clock.install()
        page.goto(url)
        opened(page, silent=True)
        page.get_by_role("button", name="It has Lo-Bug already").click()
        heading(page, "Starting").to_be_visible()
        page.wait_for_function("() => fakePort.baud.length === 1")
        page.clock.run_for(25_000)
        told(page, "Nothing on the device answers")


def test_the_image_is_written_as_it_is_and_the_device_set_up(browser: Browser, url: str) -> None:
    with web_page(browser, url, replaced={LOADER: FAKE_LOADER}) as page:
        opened(page)
        page.evaluate("() => { flashGoesOn = new Promise((go) => { window.goOn = go; }); }")
        page.get_by_role("button", name="Install Lo-Bug").click()
        expect(page.get_by_role("progressbar", name="Installed")).to_have_attribute("value", "50")
        page.evaluate("() => goOn()")
        heading(page, "Your Wi-Fi").to_be_visible()
        assert page.evaluate("() => flashed") == {
            "address": 0,
            "files": 1,
            "sha256": hashlib.sha256(full_image_bytes()).hexdigest(),
        }


def test_another_chip_is_not_written_to(browser: Browser, url: str) -> None:
    with web_page(browser, url, replaced={LOADER: FAKE_LOADER}) as page:
        opened(page)
        page.evaluate("() => { window.fakeChip = 'ESP32-S3'; }")
        page.get_by_role("button", name="Install Lo-Bug").click()
        told(page, "another chip (ESP32-S3)")
        assert page.evaluate("() => window.flashed") is None


def test_writing_that_fails_is_told(browser: Browser, url: str) -> None:
    with web_page(browser, url, replaced={LOADER: FAKE_LOADER}) as page:
        opened(page)
        page.evaluate("() => { window.flashFails = true; }")
        page.get_by_role("button", name="Install Lo-Bug").click()
        told(page, "Writing failed half way")
        assert page.evaluate("() => fakePort.readable") is None


def test_an_image_that_arrives_damaged_is_not_written(browser: Browser, url: str) -> None:
    with web_page(browser, url, replaced={LOADER: FAKE_LOADER, "**/full.bin": "damaged"}) as page:
        opened(page)
        page.get_by_role("button", name="Install Lo-Bug").click()
        told(page, "arrived damaged")
        assert page.evaluate("() => window.flashed") is None


def test_the_real_loader_runs_under_the_pages_policy(browser: Browser, url: str) -> None:
    # It is loaded and tries its ways of resetting a chip, none of which this one answers.
    with web_page(browser, url) as page:
        opened(page, silent=True)
        page.get_by_role("button", name="Install Lo-Bug").click()
        told(page, "The device doesn't answer")
        assert page.evaluate("() => fakePort.baud")[0] == 115200


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1600])
def test_every_step_is_sound(browser: Browser, url: str, width: int, theme: str) -> None:
    faults: list[str] = []

    def look(page: Page, step: str) -> None:
        page.evaluate(AXE)
        faults.extend(f"{step}: {fault}" for fault in page.evaluate(FOUND))
        if page.evaluate("() => document.documentElement.scrollWidth > innerWidth"):
            faults.append(f"{step}: wider than the screen")
        if missing := re.search(r"\bflash\.[a-z_]+", page.locator("body").inner_text()):
            faults.append(f"{step}: no sentence for {missing[0]}")

    size: Any = {"width": width, "height": 800}
    with web_page(
        browser,
        url,
        replaced={LOADER: FAKE_LOADER},
        viewport=size,
        color_scheme=theme,
        reduced_motion="reduce",
    ) as page:
        opened(page, networks=[["w" * 32, -40, True]])
        look(page, "choose")
        page.get_by_label("M5Stack CoreS3").check()
        look(page, "missing")
        page.get_by_label("M5Stack Core2").check()
        page.evaluate("() => { flashGoesOn = new Promise((go) => { window.goOn = go; }); }")
        page.get_by_role("button", name="Install Lo-Bug").click()
        page.wait_for_function("() => window.flashed")
        look(page, "flashing")
        page.evaluate("() => goOn()")
        heading(page, "Your Wi-Fi").to_be_focused()
        page.get_by_label("Password").fill("wrong word")
        page.get_by_role("button", name="Join").click()
        told(page, "rejects my password")
        look(page, "wifi")
        page.get_by_label("Password").fill("right word")
        page.get_by_role("button", name="Join").click()
        heading(page, "It's in your Wi-Fi").to_be_focused()
        look(page, "done")
    assert faults == []
