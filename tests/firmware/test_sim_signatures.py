"""Signed updates of the simulated device: its key, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from lobug.ota.signing import UpdateKey
from support.firmware_device import (
    PATIENCE_S,
    FirmwareDevice,
    firmware_device,
    pair,
    side_by_side,
)
from support.firmware_images import BOARD, Meddler, make_image, offer_of, slots
from support.firmware_server import ScriptedServer, scripted_server, speaking

OPEN = {"pairing": False}
IMAGE = make_image("2.1.0")
UNSIGNED = "That update isn't signed. I take it only over USB."
WRONG = "I don't trust that update. New server? Pair me again."
LOGGED = {
    UNSIGNED: "update refused: not signed; USB takes it",
    WRONG: "update refused: not signed with the key that I keep",
}


def key_of(server: ScriptedServer) -> UpdateKey:
    return UpdateKey(server.lobug.settings.update_key_path)


def add(server: ScriptedServer, folder: Path, version: str = "2.1.0", **how: Any) -> None:
    """`lobug firmware add`."""
    file = folder / f"{version}.bin"
    file.write_bytes(make_image(version))
    server.lobug.firmware.library.add(file, BOARD, version, **how)


def report_of(server: ScriptedServer) -> dict[str, Any]:
    """What the device has reported at its last hello."""
    answer = httpx.get(f"{server.url}/devices/02:00:00:00:00:01", trust_env=False, timeout=30)
    assert answer.status_code == 200, answer.text
    return dict(answer.json()["report"])


def restart(device: FirmwareDevice) -> int:
    """Returns the mark of the moment before."""
    mark = device.mark()
    device.do("restart")
    device.wait_event("boot", mark)
    return mark


def test_the_key_is_kept_from_the_pairing_on(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking("Yes.")) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        device.wait_view("code")
        assert "update_key" not in device.stored(), "nobody has let it in"
        pair(device, server.url)
        kept = f"{key_of(server).public()} {server.url}"
        assert device.stored()["update_key"] == kept
        mark = device.mark()
        device.do("console", text="show")
        shown = device.wait_event("console", mark)["answer"]
        assert f"update_key: {key_of(server).public()[:16]}\n" in shown
        device.wait_state("idle", restart(device))
        assert device.stored()["update_key"] == kept
        add(server, tmp_path)
        restart(device)
        assert device.wait_event("boot", version="2.1.0")["on_trial"]
        assert device.stored()["update_key"] == kept


def test_a_device_that_was_paired_before_takes_the_first_key(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking("Yes."), access=OPEN) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        device.wait_state("idle")
        device.power_off()
        file = device.folder / "nvs.txt"
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join(line for line in lines if not line.startswith("update_key=")))
        assert "update_key" not in device.stored()
        add(server, tmp_path)
        device.power_on()
        assert device.wait_event("boot", version="2.1.0")["on_trial"]
        assert device.stored()["update_key"] == f"{key_of(server).public()} {server.url}"
        assert device.wait_state("idle", device.mark() - 1)


@dataclass(frozen=True)
class Forgery:
    """What is wrong with an offer that is otherwise signed by the device's own server."""

    sentence: str = WRONG
    changes: Mapping[str, object] = field(default_factory=dict)
    """Of the offer, after it was signed."""
    board: str = BOARD
    nonce: str | None = None
    other_key: bool = False


OTHER = offer_of(make_image("2.1.0", finds_no_server=True), "2.1.0", "")
FORGERIES = {
    "unsigned": Forgery(UNSIGNED, {"signature": None}),
    "empty signature": Forgery(UNSIGNED, {"signature": ""}),
    "half a signature": Forgery(UNSIGNED, {"signature": "0" * 64}),
    "no signature of anybody": Forgery(changes={"signature": "0" * 128}),
    "another key": Forgery(other_key=True),
    "another image": Forgery(changes={"sha256": OTHER["sha256"]}),
    "another size": Forgery(changes={"size": len(IMAGE) - 1}),
    "another version": Forgery(changes={"version": "2.2.0"}),
    "for another board": Forgery(board="m5stack-core2"),
    "of yesterday": Forgery(nonce="0" * 32),
    "made to force": Forgery(changes={"force": True}),
}


@contextmanager
def meddled(folder: Path, meddler: Meddler) -> Iterator[tuple[ScriptedServer, FirmwareDevice]]:
    with scripted_server(
        folder / "server", speaking("Yes."), meddler.around, access=OPEN
    ) as server:
        meddler.offer = offer_of(IMAGE, "2.1.0", f"{server.url}/firmware/{BOARD}/2.1.0")
        meddler.key = meddler.key or key_of(server)
        with firmware_device(folder / "device", server=server.url) as device:
            yield server, device


def refused(folder: Path, forgery: Forgery) -> None:
    folder.mkdir()
    meddler = Meddler(
        sent=IMAGE,
        key=UpdateKey(folder / "other.pem") if forgery.other_key else None,
        board=forgery.board,
        nonce=forgery.nonce,
        changes=forgery.changes,
    )
    with meddled(folder, meddler) as (server, device):
        device.wait_view("notice", forgery.sentence)
        device.wait_state("idle")
        device.wait_event("log", line=LOGGED[forgery.sentence])
        device.wait_state("idle", restart(device))
        code = "unsigned" if forgery.sentence == UNSIGNED else "wrong_signature"
        assert report_of(server)["update_refused"] == code
    assert meddler.fetched == 0, "refused before anything is loaded"
    assert "updating" not in device.states()
    assert slots(device.folder) == "a none"


def test_a_forged_offer_is_refused_before_the_download(tmp_path: Path) -> None:
    side_by_side(
        {name: partial(refused, tmp_path / name, forgery) for name, forgery in FORGERIES.items()}
    )


def test_the_same_offer_without_a_forgery_is_taken(tmp_path: Path) -> None:
    meddler = Meddler(sent=IMAGE)
    with meddled(tmp_path, meddler) as (_, device):
        assert device.wait_event("boot", version="2.1.0")["on_trial"]
    assert meddler.fetched == 1


def test_an_image_that_is_not_the_signed_one_is_not_started(tmp_path: Path) -> None:
    meddler = Meddler(sent=make_image("2.1.0", finds_no_server=True))
    with meddled(tmp_path, meddler) as (_, device):
        device.wait_view("notice", "The update is faulty. I'm keeping my old version.")
        device.wait_state("idle")
    assert slots(device.folder) == "a none"


def test_a_server_with_another_key_has_to_be_paired_with_again(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking("Yes.")) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        pair(device, server.url)
        old = device.stored()["update_key"]
        server.lobug.settings.update_key_path.unlink()
        add(server, tmp_path)
        mark = restart(device)
        device.wait_view("notice", WRONG, since=mark)
        device.wait_state("idle", mark)
        assert device.stored()["update_key"] == old
        mark = device.mark()
        device.do("console", text="pair")
        device.wait_view("code", since=mark)
        assert "update_key" not in device.stored()
        pair_again(device, server, mark)
        assert device.wait_event("boot", mark, PATIENCE_S, version="2.1.0")["on_trial"]
        new = device.stored()["update_key"]
        assert new != old
        assert new == f"{key_of(server).public()} {server.url}"


def pair_again(device: FirmwareDevice, server: ScriptedServer, since: int) -> None:
    """Approve it; with the token comes the update, so that it is not idle before."""
    code = device.wait_view("code", since=since)
    answer = httpx.post(
        f"{server.url}/devices/approve", json={"code": code}, trust_env=False, timeout=30
    )
    assert answer.status_code == 200, answer.text


def test_going_back_by_force_is_signed_too(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking("Yes."), access=OPEN) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        device.wait_state("idle")
        add(server, tmp_path, "1.9.0", forced=True)
        restart(device)
        assert device.wait_event("boot", version="1.9.0")["on_trial"]


def test_a_reset_forgets_the_key(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking("Yes."), access=OPEN) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        device.wait_state("idle")
        assert "update_key" in device.stored()
        server.lobug.settings.update_key_path.unlink()
        mark = device.mark()
        device.do("console", text="reset yes")
        device.wait_event("boot", mark)
        device.wait_state("idle", mark)
        assert device.stored()["update_key"] == f"{key_of(server).public()} {server.url}"


def test_whether_the_store_is_encrypted_is_told(tmp_path: Path) -> None:
    with (
        scripted_server(tmp_path / "server", speaking("Yes."), access=OPEN) as server,
        firmware_device(tmp_path / "device", server=server.url) as device,
    ):
        device.wait_state("idle")
        for value, word in ((0, "plain"), (1, "encrypted")):
            device.do("vitals", text="encrypted", value=value)
            mark = device.mark()
            device.do("wifi_down")
            device.wait_state("offline", mark)
            device.do("wifi_up")
            device.wait_state("idle", mark)
            device.do("console", text="status")
            assert f"nvs: {word}\n" in device.wait_event("console", mark)["answer"]
            assert report_of(server)["nvs"] == word
