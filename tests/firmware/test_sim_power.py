"""A device on its battery: dark and woken, empty and switched off; its timers and its clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image

from support.firmware_device import FirmwareDevice, firmware_device
from support.firmware_server import scripted_server, speaking
from support.firmware_tls import DAY, Authority

OPEN = {"pairing": False}
HURRY = 10
"""Seconds of the device's clock in one of ours."""


@contextmanager
def idle_device(folder: Path, **options: Any) -> Iterator[tuple[FirmwareDevice, str]]:
    with (
        scripted_server(folder / "server", speaking("It is noon."), access=OPEN) as server,
        firmware_device(folder / "device", server=server.url, **options) as device,
    ):
        device.wait_state("idle")
        yield device, server.url


def stored_timer(folder: Path, label: str, total_s: int, end: datetime) -> None:
    """A timer in the store of a device that is off."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "nvs.txt").open("a") as file:
        file.write(f"timer_0={int(end.timestamp())} {total_s} {total_s} {label}\n")


def clock_chip(folder: Path, ahead: timedelta = timedelta(0), *, good: bool = True) -> None:
    """The clock chip of a device that is off: by how much it is ahead."""
    folder.mkdir(parents=True, exist_ok=True)
    ahead_ms = int(ahead.total_seconds() * 1000)
    (folder / "clock.txt").write_text(f"{ahead_ms} {'good' if good else 'failed'}\n")


def test_left_alone_on_battery_it_goes_dark_and_a_touch_and_an_announcement_wake_it(
    tmp_path: Path,
) -> None:
    with idle_device(tmp_path, screen=True, hurry=HURRY) as (device, url):
        device.do("console", text="set dim_after 10")
        device.do("console", text="set off_after 20")
        mark = device.mark()
        device.do("battery", value=80)
        device.wait_view("power", "dim", since=mark)
        device.wait_view("radio_sleeps", True, since=mark)
        device.wait_view("power", "dark", since=mark)
        assert device.views("backlight", mark)[-2:] == [17, 0]
        frames = device.stats()["frames"]
        file = device.folder / "dark.ppm"
        device.do("picture", text=str(file))
        device.wait_event("picture", mark)
        with Image.open(file) as picture:
            assert not np.asarray(picture).any()
        assert device.stats()["frames"] == frames, "nothing is drawn that nobody sees"
        assert device.states(mark) == [], "the session stays open"

        touched = device.mark()
        device.do("touch", x=160, y=120, ms=100)
        device.wait_view("power", "awake", since=touched)
        device.wait_view("power", "dark", since=touched)
        assert device.states(touched) == [], "a touch in the dark only lights the screen"

        knocked = device.mark()
        device.do("knock")
        device.wait_view("power", "awake", since=knocked)
        device.wait_view("power", "dark", since=knocked)

        told = device.mark()
        said = httpx.post(
            f"{url}/announce",
            json={"text": "Dinner is ready.", "all": True},
            trust_env=False,
            timeout=30,
        )
        assert said.status_code == 200, said.text
        device.wait_state("speaking", told)
        device.wait_view("power", "awake", since=told)
        assert False in device.views("radio_sleeps", told)
        device.wait_state("idle", told)

        plugged = device.mark()
        device.do("usb", value=1)
        device.wait_view("power", "dim", since=plugged)
        time.sleep(40 / HURRY)
        assert "dark" not in device.views("power", plugged), "never while it is powered"


def test_an_empty_battery_is_said_before_it_switches_off_and_its_timers_go_on(
    tmp_path: Path,
) -> None:
    device_folder = tmp_path / "device"
    end = datetime.now(UTC) + timedelta(hours=2)
    stored_timer(device_folder, "bread", 7200, end)
    clock_chip(device_folder)
    with idle_device(tmp_path, hurry=HURRY) as (device, _):
        assert device.wait_view("timers") == 1
        mark = device.mark()
        device.do("battery", value=15)
        device.wait_view("notice", "My battery is low. Please plug me in.", since=mark)
        device.do("battery", value=5)
        device.wait_view(
            "notice", "My battery is empty: I'm switching off. Timers are kept.", since=mark
        )
        device.do("usb", value=1)  # just in time
        device.wait_view("power", "awake", since=mark)
        device.do("usb", value=0)
        device.wait_view("power", "farewell", since=device.mark())
        device.wait_event("switched_off", mark)
        assert device.wait_until_off() == 0
        at, left, total, label = device.stored()["timer_0"].split(" ", 3)
        assert (total, label) == ("7200", "bread")
        assert int(left) <= 7200
        assert int(at) > end.timestamp() - 7200

        again = device.mark()
        device.power_on()
        assert device.wait_view("timers", since=again) == 1
        device.wait_state("idle", again)


def test_a_timer_that_ended_while_it_was_off_rings_late_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "device"
    clock_chip(folder)
    stored_timer(folder, "tea", 300, datetime.now(UTC) - timedelta(minutes=7, seconds=20))
    with firmware_device(folder, wifi="Home", server="http://127.0.0.1:9") as device:
        device.wait_view("notice", "tea (7 min late)")
        device.wait_view("ringing", True)
        device.wait_event("sound", on=True)
        mark = device.mark()
        device.do("tap")
        device.wait_view("notice", "", since=mark)
        until = time.monotonic() + 30
        while "timer_0" in device.stored():
            assert time.monotonic() < until, device.stored()
            time.sleep(0.05)


def test_without_a_clock_a_timer_is_late_rather_than_early_until_the_server_tells_the_time(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "device"
    clock_chip(folder, good=False)
    stored_timer(folder, "tea", 3000, datetime.now(UTC) + timedelta(seconds=4))
    with idle_device(tmp_path) as (device, _):
        device.wait_event("time")
        device.wait_view("notice", "tea")  # in time, although 3,000 s were left


def test_the_clock_chip_is_believed_unless_its_supply_failed(tmp_path: Path) -> None:
    for good, known in ((True, True), (False, False)):
        folder = tmp_path / str(good)
        clock_chip(folder, good=good)
        with firmware_device(folder, server="http://127.0.0.1:9") as device:
            device.wait_view("version")  # of the device itself, which has read its clock by then
            mark = device.mark()
            device.do("console", text="status")
            answer = device.wait_event("console", mark)["answer"]
            assert ("time: not known" in answer) is not known, answer


def test_the_servers_time_is_kept_over_a_power_cut(tmp_path: Path) -> None:
    with idle_device(tmp_path) as (device, _):
        shown = device.wait_view("date")
        device.power_off()
        device.power_on()
        device.wait_state("idle", device.mark())
    with firmware_device(tmp_path / "device", server="http://127.0.0.1:9") as device:
        assert device.wait_view("date") == shown, "without any server"


@pytest.mark.parametrize("years", [-1, 12])
def test_a_wrong_clock_does_not_lock_an_https_server_out(tmp_path: Path, years: int) -> None:
    authority = Authority(tmp_path / "ca")
    folder = tmp_path / "device"
    clock_chip(folder, 365 * years * DAY)
    with (
        scripted_server(
            tmp_path / "server",
            speaking("It is noon."),
            tls=authority.issue(["127.0.0.1"]),
            access=OPEN,
        ) as server,
        firmware_device(folder, server=server.url, ca=authority.file) as device,
    ):
        device.wait_state("idle")
        device.wait_view("notice", "My clock was wrong. I've set it by my server's.")
        ahead_ms, word = (folder / "clock.txt").read_text().split()
        assert word == "good"
        assert abs(int(ahead_ms)) < 60_000


@pytest.mark.parametrize("clock", ["none", "right", "behind"])
def test_an_expired_certificate_is_not_trusted_whatever_the_clock_says(
    tmp_path: Path, clock: str
) -> None:
    authority = Authority(tmp_path / "ca")
    folder = tmp_path / "device"
    if clock != "none":
        clock_chip(folder, timedelta(0) if clock == "right" else timedelta(hours=-15))
    expired = authority.issue(
        ["127.0.0.1"], valid_from=timedelta(hours=-20), valid_for=timedelta(hours=10)
    )
    with (
        scripted_server(
            tmp_path / "server", speaking("It is noon."), tls=expired, access=OPEN
        ) as server,
        firmware_device(folder, server=server.url, ca=authority.file) as device,
    ):
        device.wait_view("trouble", "This server's certificate is out of date.")
        assert "connecting" not in device.states() or clock == "behind"
        assert "idle" not in device.states()
