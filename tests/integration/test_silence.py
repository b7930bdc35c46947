"""Nothing leaves the house: the installed product in a network where every packet is seen.

Without ``CI`` in its environment, since onnxruntime reports to its maker everywhere but there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from lobug.settings import Settings
from lobug.vendor_telemetry import remove_stored_reports
from support.watched_network import MDNS, Record, unavailable, watch

ROOT = Path(__file__).parents[2]
DAY = ROOT / "tests" / "support" / "first_day.py"

NATIVE = """
import ctypes, socket
ctypes.CDLL(None).gethostbyname(b"native.example.com")
for family, address in ((socket.AF_INET, "198.51.100.9"), (socket.AF_INET6, "2001:db8::9")):
    with socket.socket(family) as link:
        link.settimeout(0.1)
        link.connect_ex((address, 443))
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
    link.sendto(b"a name server of its own", ("192.0.2.53", 53))
with socket.socket() as link:
    link.settimeout(0.1)
    link.connect_ex(("named.example.com", 80))
"""

REPORTING = """
import pathlib, time
import onnxruntime
until = time.monotonic() + 90
while "077100CB:01BB" not in pathlib.Path("/proc/net/tcp").read_text():  # 203.0.113.7:443
    assert time.monotonic() < until, "onnxruntime no longer reports"
    time.sleep(0.2)
"""

PLAYLISTS = """
import io, sys
from lobug.audio.decode import decode_now
from lobug.errors import AudioError
import av

def opened(data):
    with av.open(io.BytesIO(data), format="hls", timeout=1.0) as container:
        list(container.decode(audio=0))

read = opened if sys.argv[1] == "careless" else lambda data: decode_now(data, 60)
lines = "#EXTM3U\\n#EXT-X-TARGETDURATION:1\\n#EXTINF:1,\\nhttp://198.51.100.9/a.ts\\n#EXT-X-ENDLIST\\n"
for start in ("", "ID3", "OggS", "fLaC"):
    try:
        read((start + lines).encode())
    except (AudioError, av.error.FFmpegError):
        pass
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """An empty folder of a user; skips, and under CI fails, where no network can be watched."""
    if reason := unavailable():
        pytest.skip(f"no network of its own: {reason}")
    (tmp_path / "home").mkdir()
    (tmp_path / "cache").mkdir()
    return tmp_path


def environment(house: Path) -> dict[str, str]:
    """What a new user's shell has, and where the models are: no ``CI``, and no switch."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return kept | {
        "HOME": str(house / "home"),
        "XDG_CACHE_HOME": str(house / "cache"),
        "LANG": "C.UTF-8",
        "LOBUG_MODELS_DIR": str(Settings(_env_file=None).models_dir),
    }


def stored(house: Path) -> set[str]:
    """Files below the home and the cache folder."""
    places = (house / "home", house / "cache")
    return {path.name for place in places for path in place.rglob("*") if path.is_file()}


def asked(record: Record) -> set[str]:
    return {name.rstrip(".") for name in record.questions}


@pytest.mark.models
@pytest.mark.timeout(900)
def test_nothing_leaves_the_house(house: Path) -> None:
    """A first start, a spoken turn, extraction, and the end, after an earlier version was used."""
    left = house / "cache" / "Microsoft" / "DeveloperTools" / ".onnxruntime"
    left.mkdir(parents=True)
    (left / "deviceid").write_text("b6c53820-365c-493c-8ed5-35fe0ecf1b23")
    (left / "onnxruntime.db").write_bytes(b"reports")
    record = watch(
        [sys.executable, str(DAY), str(house / "lobug")],
        environment=environment(house),
        cwd=house,
        seconds=900,
    )
    assert record.code == 0, record.output
    assert record.questions == []
    assert record.packets == []
    assert stored(house) == set()
    log = (house / "lobug" / "serve.log").read_text(encoding="utf-8")
    assert log.count("removed what onnxruntime had stored for its maker") == 2, log
    # The one thing that it says by default, to its own network: where it is. That it was seen
    # shows that the server knew a network and that its packets were recorded.
    assert record.announced
    for name in record.announced:
        assert name.endswith("_lobug._tcp.local.") or name.startswith("lobug-"), name


def test_the_watcher_sees_what_native_code_asks_and_where_it_connects(house: Path) -> None:
    record = watch([sys.executable, "-c", NATIVE], environment=environment(house), cwd=house)
    assert record.code == 0, record.output
    assert asked(record) == {"native.example.com", "named.example.com"}
    assert set(record.packets) == {
        "tcp 198.51.100.9:443", "tcp 2001:db8::9:443", "udp 192.0.2.53:53", "tcp 203.0.113.7:80",
    }  # fmt: skip


@pytest.mark.parametrize(("reader", "reached"), [("careless", True), ("Lo-Bug's", False)])
def test_a_recording_that_names_an_address_makes_nobody_ask_it(
    reader: str, reached: bool, house: Path
) -> None:
    """FFmpeg follows playlists; the file is opened as what its first bytes say, from memory."""
    record = watch(
        [sys.executable, "-c", PLAYLISTS, reader], environment=environment(house), cwd=house
    )
    assert record.code == 0, record.output
    assert ("tcp 198.51.100.9:80" in record.packets) is reached
    assert set(record.packets) <= {"tcp 198.51.100.9:80"}


def test_the_watcher_tells_announcements_from_other_packets(house: Path) -> None:
    question = "b'\\0' * 5 + b'\\1' + b'\\0' * 6 + b'\\5phone\\5local\\0\\0\\1\\0\\1'"
    code = (
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
        f"s.sendto({question}, ('{MDNS}', 5353)); s.sendto(b'x', ('{MDNS}', 5354))"
    )
    record = watch([sys.executable, "-c", code], environment=environment(house), cwd=house)
    assert record.announced == ["phone.local."]
    assert record.packets == [f"udp {MDNS}:5354"]


def test_onnxruntime_reports_unless_it_is_switched_off(house: Path) -> None:
    """The proof above can fail. Once this does, the switch for onnxruntime may go."""
    record = watch([sys.executable, "-c", REPORTING], environment=environment(house), cwd=house)
    assert record.code == 0, record.output
    assert asked(record) == {"mobile.events.data.microsoft.com"}
    assert set(record.packets) == {"tcp 203.0.113.7:443"}
    assert {"deviceid", "onnxruntime.db"} <= stored(house)


def test_what_onnxruntime_stored_is_removed_and_nothing_else(
    house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written by onnxruntime itself, in both places where it may be."""
    monkeypatch.setenv("HOME", str(house / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(house / "cache"))
    code = "import onnxruntime"
    with_cache = environment(house)
    without = {k: v for k, v in with_cache.items() if k != "XDG_CACHE_HOME"}
    for variables in (with_cache, without):
        watch([sys.executable, "-c", code], environment=variables, cwd=house)
    others = house / "cache" / "Microsoft" / "DeveloperTools" / "deviceid"
    others.write_text("another program's")
    assert {path.name for path in remove_stored_reports()} == {"deviceid", "onnxruntime.db"}
    assert stored(house) == {"deviceid"}
    assert others.read_text() == "another program's"
    assert list((house / "home").rglob("*")) == [house / "home" / ".cache"]
    assert remove_stored_reports() == []
