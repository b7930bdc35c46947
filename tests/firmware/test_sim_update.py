"""New firmware over the air: taken, refused, taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from lobug.ota.signing import UpdateKey
from support.firmware_device import FirmwareDevice, firmware_device, pair, side_by_side
from support.firmware_images import BOARD, Meddler, make_image, offer_of, slots
from support.firmware_server import ScriptedServer, scripted_server, speaking
from support.wav import tone

REPLY = "It is noon."
OPEN = {"pairing": False}
NO_GOOD = "The update is faulty. I'm keeping my old version."


def add(server: ScriptedServer, folder: Path, version: str, **image: Any) -> None:
    """`lobug firmware add`."""
    file = folder / f"{version}.bin"
    file.write_bytes(make_image(version, **image))
    server.lobug.firmware.library.add(file, BOARD, version, forced=False)


def key_of(server: ScriptedServer) -> UpdateKey:
    """The key that signs this server's updates."""
    return UpdateKey(server.lobug.settings.update_key_path)


def talks(device: FirmwareDevice) -> None:
    notices = device.views("notice")
    if notices and notices[-1]:
        mark = device.mark()
        device.do("tap")  # read: the next tap talks
        device.wait_view("notice", "", since=mark)
    device.say(tone(1.0))
    mark = device.mark()
    device.do("tap")
    device.wait_event("sound", mark, on=True)
    device.wait_state("idle", mark)


def test_a_paired_device_takes_a_newer_firmware(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking(REPLY)) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        add(server, tmp_path, "2.1.0")
        device.wait_view("code")
        assert "updating" not in device.states(), "nobody has let it in"
        pair(device, server.url)
        started = device.wait_event("boot", version="2.1.0")
        assert started["on_trial"]
        device.wait_state("idle", device.events.index(started))
        assert device.wait_view("update_percent"), "how far it is"
        assert slots(device.folder) == "b none", "the server was reached: it stays"
        talks(device)
        mark = device.mark()
        device.do("restart")
        again = device.wait_event("boot", mark)
        device.wait_state("idle", mark)
        assert (again["version"], again["on_trial"], again["rolled_back"]) == (
            "2.1.0",
            False,
            False,
        )
        assert "updating" not in device.states(mark), "it has it"


def test_a_device_that_is_up_to_date_leaves_it_at_that(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking(REPLY), access=OPEN) as server,
        firmware_device(tmp_path / "device", server=server.url, version="2.1.0") as device,
    ):
        add(server, tmp_path, "2.0.9")
        device.wait_state("idle")
        mark = device.mark()
        device.do("restart")
        device.wait_state("idle", mark)
        assert "updating" not in device.states()


IMAGE = make_image("2.1.0")
OTHER = make_image("2.1.0", finds_no_server=True)


@dataclass(frozen=True)
class Lie:
    """What is wrong with an offer and with what is sent."""

    offer: Mapping[str, object] = field(default_factory=dict)
    sent: bytes = IMAGE
    length: int | None = None


LIES = {
    "wrong hash": Lie({"sha256": "0" * 64}),
    "no hash": Lie({"sha256": ""}),
    "other bytes": Lie(sent=OTHER),
    "longer than said": Lie({"size": len(IMAGE) - 1}),
    "shorter than said": Lie({"size": len(IMAGE) + 1}),
    "no size": Lie({"size": 0}),
    "too large": Lie({"size": 2_000_000}),
    "truncated": Lie(sent=IMAGE[:100_000]),
    "cut off": Lie(sent=IMAGE[:100_000], length=len(IMAGE)),
    "foreign host": Lie({"url": "http://127.0.0.2:PORT/firmware/x"}),
    "foreign port": Lie({"url": "http://127.0.0.1:9/firmware/x"}),
    "other scheme": Lie({"url": "https://127.0.0.1:PORT/firmware/x"}),
    "user name": Lie({"url": "http://user@127.0.0.1:PORT/firmware/x"}),
    "no version": Lie({"version": "latest"}),
    "older": Lie({"version": "1.9.9"}),
}


def refused(folder: Path, lie: Lie) -> None:
    meddler = Meddler(sent=lie.sent, length=lie.length)
    with scripted_server(folder / "server", speaking(REPLY), meddler.around, access=OPEN) as server:
        port = server.url.rpartition(":")[2]
        meddler.key = key_of(server)
        offer = offer_of(IMAGE, "2.1.0", f"{server.url}/firmware/{BOARD}/2.1.0")
        meddler.offer = offer | {
            name: value.replace("PORT", port) if isinstance(value, str) else value
            for name, value in lie.offer.items()
        }
        with firmware_device(folder / "device", server=server.url) as device:
            device.wait_state("idle")
            assert slots(device.folder) == "a none", "nothing was activated"
            talks(device)
            mark = device.mark()
            device.do("restart")
            assert device.wait_event("boot", mark)["version"] == "2.0.0"
            device.wait_state("idle", mark)
    assert slots(folder / "device") == "a none"
    if "url" in lie.offer:
        assert meddler.fetched == 0, "nothing is fetched from elsewhere"


def test_an_image_that_is_no_good_is_refused(tmp_path: Path) -> None:
    side_by_side({name: partial(refused, tmp_path / name, lie) for name, lie in LIES.items()})


def test_what_was_refused_is_said_and_not_fetched_again_and_again(tmp_path: Path) -> None:
    meddler = Meddler(sent=OTHER)
    with scripted_server(
        tmp_path / "server", speaking(REPLY), meddler.around, access=OPEN
    ) as server:
        meddler.key = key_of(server)
        meddler.offer = offer_of(IMAGE, "2.1.0", f"{server.url}/firmware/{BOARD}/2.1.0")
        with firmware_device(tmp_path / "device", server=server.url) as device:
            device.wait_state("updating")
            device.wait_view("notice", NO_GOOD)
            device.wait_state("idle")
            mark = device.mark()
            device.do("wifi_down")
            device.wait_state("offline", mark)
            back = device.mark()
            device.do("wifi_up")
            device.wait_state("idle", back)
    assert meddler.fetched == 1


def test_an_image_that_does_not_find_its_server_is_taken_back(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking(REPLY), access=OPEN) as server,
        firmware_device(tmp_path / "device", server=server.url, hurry=8) as device,
    ):
        device.wait_state("idle")
        add(server, tmp_path, "2.1.0", finds_no_server=True)
        device.do("restart")
        trial = device.wait_event("boot", version="2.1.0", on_trial=True)
        server.lobug.firmware.library.remove(BOARD, "2.1.0")
        after = device.events.index(trial) + 1
        old = device.wait_event("boot", after, patience_s=90)
        assert old["version"] == "2.0.0"
        device.wait_state("idle", device.events.index(old))
    assert slots(device.folder) == "a none"


def test_a_power_cut_during_the_trial_takes_it_back(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking(REPLY), access=OPEN) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        device.wait_state("idle")
        add(server, tmp_path, "2.1.0", finds_no_server=True)
        device.do("restart")
        device.wait_event("boot", version="2.1.0", on_trial=True)
        device.power_off()
        assert slots(device.folder) == "b running"
        mark = device.mark()
        device.power_on()
        assert device.wait_event("boot", mark)["rolled_back"]
        device.wait(
            lambda e: e["event"] == "state" and e["state"] in ("idle", "updating"),
            mark,
            what="the old one finds its server",
        )


def test_a_power_cut_during_the_download_costs_nothing(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking(REPLY), access=OPEN) as server,
        firmware_device(tmp_path / "device", server=server.url, slow_network=60_000) as device,
    ):
        device.wait_state("idle")
        add(server, tmp_path, "2.1.0")
        device.do("restart")
        device.wait(
            lambda e: e["event"] == "view" and e.get("update_percent", 0) >= 20, what="a part of it"
        )
        device.power_off()
        assert slots(device.folder) == "a none"
        mark = device.mark()
        device.power_on()
        assert device.wait_event("boot", mark)["version"] == "2.0.0"
        assert device.wait_event("boot", mark + 1, version="2.1.0")["on_trial"], "the second try"
        device.wait_state("idle", mark)
