"""What goes wrong around a device: servers, networks and tokens that go and come back."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import httpx
import pytest

from support.firmware_device import (
    PATIENCE_S,
    FirmwareDevice,
    approve,
    firmware_device,
    pair,
    side_by_side,
    torn_or_lost,
)
from support.firmware_server import (
    LONG_REPLY,
    MortalServer,
    scripted_server,
    sound_of,
    speaking,
)
from support.recording_server import Answer, recording_server
from support.wav import tone

REPLY = "It is noon."
OPEN = {"pairing": False}


def talk(device: FirmwareDevice, seconds: float = 1.0) -> int:
    """Tap and say something; where its events stood before."""
    device.say(tone(seconds))
    mark = device.mark()
    device.do("tap")
    return mark


def answered(device: FirmwareDevice) -> None:
    """A whole turn works."""
    mark = talk(device)
    device.wait_view("heard", since=mark)
    device.wait_event("sound", mark, on=True)
    device.wait_state("idle", mark)


def test_a_server_that_is_killed_in_mid_reply_and_comes_back(tmp_path: Path) -> None:
    with MortalServer(tmp_path / "server", LONG_REPLY) as server:
        with firmware_device(tmp_path / "device", server=server.url) as device:
            pair(device, server.url)
            mark = talk(device)
            device.wait_event("sound", mark, on=True)
            time.sleep(0.5)
            server.kill()
            device.wait_state("offline", mark)
            assert device.wait_view("trouble", since=mark), "it says what is wrong"
            device.wait_event("sound", mark, on=False)
            assert "idle" not in device.states(device.mark())
            back = device.mark()
            server.start()
            device.wait_state("idle", back, patience_s=60)
            assert "pairing" not in device.states(mark), "it is known"
            answered(device)
            stats = device.stats()
        assert stats["torn"] == 0


def test_a_server_that_comes_later_than_the_device(tmp_path: Path) -> None:
    server = MortalServer(tmp_path / "server", REPLY)
    with firmware_device(tmp_path / "device", server=server.url) as device:
        device.wait_state("offline")
        device.wait_view("trouble")
        device.do("tap")  # whoever taps does not want to wait: nothing breaks
        with server:
            pair(device, server.url)
            answered(device)
        assert device.stats()["torn"] == 0


def test_the_wifi_goes_in_mid_reply_and_comes_back(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking(LONG_REPLY), access=OPEN) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        device.wait_state("idle")
        mark = talk(device)
        device.wait_event("sound", mark, on=True)
        device.do("wifi_down")
        device.wait_state("offline", mark)
        device.wait_view("trouble", "I can't reach the Wi-Fi.", since=mark)
        device.do("tap")
        back = device.mark()
        device.do("wifi_up")
        device.wait_state("idle", back)
        answered(device)
        assert "pairing" not in device.states(mark), "it is known"


def test_a_refused_wifi_password_is_said(tmp_path: Path) -> None:
    with firmware_device(tmp_path / "device", server="http://127.0.0.1:9") as device:
        device.wait_state("offline")
        mark = device.mark()
        device.do("wifi_down", now=True)
        assert device.wait_view("trouble", "The Wi-Fi rejects my password.", since=mark)


def test_without_a_wifi_it_opens_its_set_up(tmp_path: Path) -> None:
    with firmware_device(tmp_path / "device", wifi="") as device:
        device.wait_state("setup")
        assert "connecting" not in device.states(), "there is nothing to connect to"


def test_a_server_that_is_found_by_mdns(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking(REPLY), access=OPEN) as server,
        firmware_device(
            tmp_path / "device", server="", finder=server.url.removeprefix("http://")
        ) as device,
    ):
        device.wait_state("idle")
        answered(device)
        assert "offline" not in device.states()


def test_no_server_in_the_whole_network(tmp_path: Path) -> None:
    with firmware_device(tmp_path / "device", server="") as device:
        assert device.wait_view("trouble", "I can't find a Lo-Bug server. Is it running?")


# ---- poor networks


def over_a_poor_network(folder: Path, seed: int) -> None:
    with (
        scripted_server(folder / "server", speaking(LONG_REPLY), access=OPEN) as server,
        firmware_device(
            folder / "device", server=server.url, loss=0.02, jitter=0.1, seed=seed
        ) as device,
    ):
        device.wait_state("idle")
        mark = talk(device)
        device.wait_view("heard", since=mark)
        device.wait_state("idle", mark)
        stats = device.stats()
    assert torn_or_lost(stats) == {}
    assert len(device.sound()) == pytest.approx(len(sound_of(LONG_REPLY)), abs=3 * 960)


def test_loss_and_jitter_do_not_make_it_stutter(tmp_path: Path) -> None:
    side_by_side(
        {
            f"seed {seed}": partial(over_a_poor_network, tmp_path / str(seed), seed)
            for seed in (1, 2, 3)
        },
        at_once=3,
    )


def test_a_network_that_is_just_wide_enough(tmp_path: Path) -> None:
    """PCM needs 32 kB/s and a little."""
    with (
        scripted_server(tmp_path / "server", speaking(LONG_REPLY), access=OPEN) as server,
        firmware_device(tmp_path / "device", server=server.url, slow_network=40_000) as device,
    ):
        device.wait_state("idle")
        mark = talk(device)
        device.wait_view("heard", since=mark)
        device.wait_state("idle", mark)
        stats = device.stats()
    assert (stats["lost"], stats["uplink_lost"], stats["torn"]) == (0, 0, 0)
    assert len(device.sound()) == pytest.approx(len(sound_of(LONG_REPLY)), abs=3 * 960)


def test_a_network_that_is_too_narrow_for_talk_breaks_nothing(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking(REPLY), access=OPEN) as server,
        firmware_device(tmp_path / "device", server=server.url, slow_network=12_000) as device,
    ):
        device.wait_state("idle")
        mark = talk(device, 3.0)
        device.wait(
            lambda e: e["event"] == "state" and e["state"] in ("idle", "offline", "speaking"),
            mark,
            patience_s=60,
            what="an end of it",
        )
        device.wait_state("idle", mark, patience_s=90)
        assert device.stats()["torn"] == 0


# ---- tokens


def test_a_revoked_device_shows_a_code_again(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking(REPLY)) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        first = pair(device, server.url)
        token = device.stored()["token"]
        mark = device.mark()
        revoked = httpx.delete(f"{server.url}/devices/02:00:00:00:00:01", trust_env=False)
        assert revoked.status_code == 200, revoked.text
        second = pair(device, server.url, mark)
        assert first != second
        assert device.stored()["token"] != token
        answered(device)


def test_a_token_that_is_none_is_thrown_away(tmp_path: Path) -> None:
    with scripted_server(tmp_path / "server", speaking(REPLY)) as server:
        with firmware_device(tmp_path / "device", server=server.url) as device:
            pair(device, server.url)
        file = tmp_path / "device" / "nvs.txt"
        lines = file.read_text().splitlines()
        file.write_text(
            "".join(
                ("token=lobug_wrong" if line.startswith("token=") else line) + "\n"
                for line in lines
            )
        )
        with firmware_device(tmp_path / "device", server=server.url) as device:
            pair(device, server.url)
            assert device.stored()["token"] != "lobug_wrong"
            answered(device)


def test_a_token_is_kept_over_power_cuts(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking(REPLY)) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        pair(device, server.url)
        device.power_off()
        mark = device.mark()
        device.power_on()
        device.wait_state("idle", mark)
        assert "pairing" not in device.states(mark)
        answered(device)


def test_a_token_goes_to_no_other_server(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking(REPLY)) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        pair(device, server.url)
        token = device.stored()["token"]
    with (
        recording_server({"/xiaozhi/ota/": [Answer(b"{}", 404)]}) as thief,
        firmware_device(tmp_path / "device", server=thief.url) as device,
    ):
        device.wait_state("offline", device.mark())
        received = b"".join(thief.requests["/xiaozhi/ota/"])
    assert received, "it has asked there"
    assert token.encode() not in received


def test_the_owner_lets_it_in_late(tmp_path: Path) -> None:
    with (
        scripted_server(
            tmp_path / "server", speaking(REPLY), access={"code_lifetime_s": 60}
        ) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        code = device.wait_view("code")
        time.sleep(7)  # it has asked a few times by now
        assert device.views("code")[-1] == code
        approve(server.url, code)
        device.wait_state("idle")


# ---- servers that are none


NONE_OF_OURS = {
    "a page": Answer(b"<html>hello</html>", 200, (("Content-Type", "text/html"),)),
    "nothing in it": Answer(b"{}", 200),
    "another scheme": Answer(b'{"websocket": {"url": "gopher://x"}}', 200),
    "other types": Answer(b'{"websocket": {"url": 7, "token": []}}', 200),
    "too deep": Answer(b"[" * 5000, 200),
    "too large": Answer(b"x" * 100_000, 200),
    "a failure": Answer(b"", 500),
    "cut off": Answer(b'{"cut": "' + b"x" * 200 + b'"}', 200, cut=True),
}


def is_no_lo_bug(folder: Path, answer: Answer) -> None:
    with (
        recording_server({"/xiaozhi/ota/": [answer]}) as door,
        firmware_device(folder, server=door.url) as device,
    ):
        device.wait_state("offline")
        assert device.wait_view("trouble")
        before = len(door.requests["/xiaozhi/ota/"])
        until = time.monotonic() + PATIENCE_S
        while len(door.requests["/xiaozhi/ota/"]) <= before:
            assert time.monotonic() < until, "it never asks again"
            time.sleep(0.05)


def test_what_answers_is_no_lo_bug(tmp_path: Path) -> None:
    side_by_side(
        {name: partial(is_no_lo_bug, tmp_path / name, a) for name, a in NONE_OF_OURS.items()}
    )
