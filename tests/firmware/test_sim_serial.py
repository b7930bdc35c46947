"""The serial line of the simulated device: Improv for programs beside the console for people."""

from __future__ import annotations

from pathlib import Path

from support.firmware_device import FirmwareDevice, firmware_device
from support.firmware_server import scripted_server, speaking

HEADER = b"IMPROV\x01"
STATE, ERROR, COMMAND, RESULT = 1, 2, 3, 4


def packet(kind: int, data: bytes) -> bytes:
    """Return a packet of the protocol, with a line end."""
    whole = HEADER + bytes((kind, len(data))) + data
    return whole + bytes((sum(whole) & 0xFF,)) + b"\n"


def with_length(text: str) -> bytes:
    return bytes((len(text.encode()),)) + text.encode()


def command(number: int, data: bytes = b"") -> bytes:
    return packet(COMMAND, bytes((number, len(data))) + data)


def wifi(name: str, password: str) -> bytes:
    return command(1, with_length(name) + with_length(password))


def read(written: bytes) -> list[str]:
    """Return what the device has written: "state 2", "error 0", "result 3: a|b", or a line."""
    found = []
    while written:
        if not written.startswith(HEADER):
            line, _, written = written.partition(b"\n")
            found.append(line.decode())
            continue
        kind, length = written[7], written[8]
        data, checksum = written[9 : 9 + length], written[9 + length]
        assert checksum == sum(written[: 9 + length]) & 0xFF
        assert written[10 + length : 11 + length] == b"\n"
        written = written[11 + length :]
        if kind != RESULT:
            found.append(f"{'state' if kind == STATE else 'error'} {data[0]}")
            continue
        strings, at = [], 2
        while at < len(data):
            strings.append(data[at + 1 : at + 1 + data[at]].decode())
            at += 1 + data[at]
        found.append(f"result {data[0]}: {'|'.join(strings)}")
    return found


def send(device: FirmwareDevice, sent: bytes) -> list[str]:
    """Send bytes over the line; return what the device writes at once."""
    mark = device.mark()
    device.do("serial", text=sent.hex())
    return told(device, mark)


def told(device: FirmwareDevice, mark: int) -> list[str]:
    """What the device writes next."""
    return read(bytes.fromhex(device.wait_event("serial", mark)["hex"]))


def test_a_program_sets_a_new_device_up(tmp_path: Path) -> None:
    with (
        scripted_server(
            tmp_path / "server", speaking("It is noon."), access={"pairing": False}
        ) as server,
        firmware_device(tmp_path / "device", wifi="") as device,
    ):
        device.wait_state("setup")
        assert send(device, b"\n" + command(2)) == ["error 0", "state 2"]
        name, version, board, _ = send(device, command(3))[1].removeprefix("result 3: ").split("|")
        assert name == "Lo-Bug"
        assert version == device.wait_view("version")
        assert board == device.options.get("board", "host")
        assert send(device, command(4)) == [
            "error 0", "result 4: Home|-48|YES", "result 4: Cafe|-71|NO", "result 4: ",
        ]  # fmt: skip

        assert send(device, wifi("Home", "wrong word")) == ["error 0", "state 3"]
        device.wait_state("joining")
        mark = device.mark()
        device.do("wifi_down", now=True)
        assert told(device, mark) == ["The Wi-Fi rejects my password.", "error 3", "state 2"]

        assert send(device, wifi("Home", "right word")) == ["error 0", "state 3"]
        assert device.stored()["wifi_password"] == "right word"
        mark = device.mark()
        device.do("wifi_up")
        assert told(device, mark) == ["state 4", "result 1: "]
        # The server's address is a line of the console, on the same cable.
        assert send(device, f"server {server.url}\n".encode()) == ["Saved."]
        device.wait_state("idle")
        assert send(device, command(2)) == ["error 0", "state 4", f"result 2: {server.url}"]


def test_broken_packets_do_not_deafen_the_console(tmp_path: Path) -> None:
    with firmware_device(tmp_path / "device", wifi="") as device:
        device.wait_state("setup")
        broken = bytearray(command(2))
        broken[-2] ^= 1
        assert send(device, bytes(broken)) == ["error 1"]
        assert send(device, packet(COMMAND, b"\x01\x03\x09ab")) == ["error 1"]
        assert send(device, command(0x42)) == ["error 2"]
        mark = device.mark()
        device.do("console", text="IMPROVISE")
        assert "don't know" in device.wait_event("console", mark)["answer"]
        mark = device.mark()
        device.do("console", text="status")
        assert "state: setup" in device.wait_event("console", mark)["answer"]
