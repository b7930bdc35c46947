"""Strangers who open connections by the hundred and say nothing, on real sockets: the owner and
paired devices always get in, and nothing fills up."""

from __future__ import annotations

import json
import resource
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.sync.client import connect

from lobug.admission.ledger import capacity_for
from lobug.settings.conversation import LimitSettings
from support.device_client import HELLO
from support.flooded_server import FloodedServer, count_open, flooded_server, read_rest
from support.patience import wait_until

pytestmark = pytest.mark.skipif(
    sys.platform == "darwin", reason="macOS has one loopback address only"
)

DEVICE_AT = "127.0.1.1"
STRANGER_AT = "127.0.0.2"
STRANGERS_AT = [f"127.0.0.{n}" for n in range(2, 8)]

HALF_HEADERS = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
HALF_UPGRADE = (
    b"GET /xiaozhi/v1/ HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
)
REFUSED = b"GET /devices HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF_INTRODUCTION = (
    b"POST /xiaozhi/ota/ HTTP/1.1\r\nHost: localhost\r\nDevice-Id: aa\r\nClient-Id: b\r\n"
    b"Content-Length: 1000\r\n\r\n{"
)

DESCRIPTORS = 256
PER_ADDRESS = 15
STRANGERS = capacity_for(DESCRIPTORS, LimitSettings()).strangers
FLOOD = STRANGERS + PER_ADDRESS
"""Kept of a flood at most: one address has shown a good token in another test."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FloodedServer]:
    """Its deadlines are too far off to help."""
    with flooded_server(
        tmp_path_factory.mktemp("floods"),
        DESCRIPTORS,
        headers_timeout_s=3_600,
        body_timeout_s=3_600,
        max_unknown_per_address=PER_ADDRESS,
        max_connections_per_caller=4,
    ) as server:
        yield server


@pytest.fixture(scope="module")
def paired(server: FloodedServer) -> dict[str, str]:
    return server.pair("aa:bb:cc:dd:ee:01", DEVICE_AT)


@pytest.fixture(autouse=True)
def flood_ends(server: FloodedServer) -> Iterator[None]:
    """What a test opened is closed after it, and forgotten by the server."""
    before = server.descriptors()
    yield
    server.close_connections()
    wait_until(lambda: server.descriptors() <= before)


def greeted(server: FloodedServer, headers: dict[str, str], address: str) -> bool:
    """Whether a device that comes from there is talked to."""
    with connect(
        f"ws://127.0.0.1:{server.port}/xiaozhi/v1/",
        sock=server.open(address),
        additional_headers=headers,
    ) as websocket:
        websocket.send(json.dumps(HELLO))
        return bool(json.loads(websocket.recv(timeout=60))["type"] == "hello")


@pytest.mark.parametrize(
    "sent",
    [b"", HALF_HEADERS, HALF_UPGRADE, REFUSED, HALF_INTRODUCTION],
    ids=["idle", "half headers", "half upgrade", "refused and kept alive", "half body"],
)
def test_owner_and_devices_get_in_while_strangers_hold_all_they_can(
    server: FloodedServer, paired: dict[str, str], sent: bytes
) -> None:
    server.flood([STRANGER_AT], DESCRIPTORS + 100, sent)
    wait_until(lambda: count_open(server.connections) <= PER_ADDRESS)
    server.flood(STRANGERS_AT, 30, sent)
    wait_until(lambda: count_open(server.connections) <= FLOOD)
    assert [server.get("/devices") for _ in range(10)] == [200] * 10
    assert greeted(server, paired, DEVICE_AT)
    assert greeted(server, paired, "127.0.3.3"), "an address that was never seen"
    assert greeted(server, paired, STRANGER_AT), "behind the same router as the flood"
    assert server.get("/health", "127.0.3.4") == 200, "strangers who are no flood"
    assert server.descriptors() < DESCRIPTORS - 128


def test_a_flood_that_never_rests_keeps_nobody_out(
    server: FloodedServer, paired: dict[str, str]
) -> None:
    done = threading.Event()

    def flood() -> None:
        for _ in range(30):
            if done.is_set():
                return
            server.flood(STRANGERS_AT[:2], 50, HALF_HEADERS)
            server.close_connections()

    flooding = threading.Thread(target=flood)
    flooding.start()
    try:
        assert [server.get("/devices") for _ in range(20)] == [200] * 20
        assert all(greeted(server, paired, DEVICE_AT) for _ in range(5))
        assert all(greeted(server, paired, "127.0.3.3") for _ in range(5))
    finally:
        done.set()
        flooding.join()


def test_the_owner_gets_in_while_other_programs_here_say_nothing(server: FloodedServer) -> None:
    server.flood(["127.0.0.1"], 200, HALF_HEADERS)
    assert [server.get("/devices") for _ in range(5)] == [200] * 5


def test_one_token_cannot_take_every_connection(
    server: FloodedServer, paired: dict[str, str]
) -> None:
    shown = "".join(f"{name}: {value}\r\n" for name, value in paired.items()).encode()
    request = b"POST /chat/text HTTP/1.1\r\nHost: lobug\r\n" + shown + b"Content-Length: 9\r\n\r\n"
    server.flood([DEVICE_AT], 4, request)
    wait_until(lambda: server.get("/v1/models", DEVICE_AT, **paired) == 429)
    with server.client(DEVICE_AT, **paired) as device:
        answer = device.get("/memory")
        assert answer.json()["error"]["code"] == "too_many_connections"
        assert int(answer.headers["Retry-After"]) > 0
    assert server.get("/devices") == 200, "the owner is somebody else"
    server.close_connections()
    wait_until(lambda: server.get("/v1/models", DEVICE_AT, **paired) == 200)


def test_the_log_of_all_floods_is_short(server: FloodedServer) -> None:
    """Runs after those above, whose thousands of connections it looks back at."""
    server.flood(STRANGERS_AT, 30)
    wait_until(lambda: count_open(server.connections) <= FLOOD)
    lines = server.log.read_text()
    assert "connections without a token were closed to make room" in lines
    assert "Traceback" not in lines
    assert len(lines) < 20_000


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux changes another process's limits")
def test_without_descriptors_the_log_stays_short_and_the_owner_gets_in(tmp_path: Path) -> None:
    with flooded_server(tmp_path, DESCRIPTORS, headers_timeout_s=3_600) as server:
        assert server.get("/devices") == 200
        left = server.descriptors() + 40
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (left, DESCRIPTORS))
        server.flood(STRANGERS_AT, 20)
        assert server.get("/devices") == 200
        lines = server.log.read_text()
        assert lines.count("no descriptor was free") == 1
        assert "Traceback" not in lines
        assert len(lines) < 20_000
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
        server.close_connections()


@pytest.fixture(scope="module")
def prompt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FloodedServer]:
    folder = tmp_path_factory.mktemp("deadlines")
    with flooded_server(folder, headers_timeout_s=1, body_timeout_s=1) as server:
        yield server


def trickle(caller: socket.socket, data: bytes) -> bytes:
    """Send this, a byte every 0.2 s. Returns what came until the server closed the connection."""
    caller.settimeout(0.2)
    heard = b""
    for byte in data:
        with suppress(TimeoutError):
            try:
                caller.sendall(bytes([byte]))
                piece = caller.recv(65_536)
            except ConnectionError:
                return heard
            heard += piece
            if not piece:
                return heard
    pytest.fail("it was listened to for ever")


class TestDeadlines:
    """With room for everybody, nobody may wait for ever."""

    def test_nothing_sent(self, prompt: FloodedServer) -> None:
        assert read_rest(prompt.open(STRANGER_AT)) == b""

    @pytest.mark.parametrize("sent", [HALF_HEADERS, HALF_UPGRADE, b"G"])
    @pytest.mark.parametrize("address", [STRANGER_AT, "127.0.0.1"])
    def test_half_a_request(self, prompt: FloodedServer, sent: bytes, address: str) -> None:
        answer = read_rest(prompt.open(address, sent))
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"connection: close" in answer

    @pytest.mark.parametrize("address", [STRANGER_AT, "127.0.0.1"])
    @pytest.mark.parametrize("before", [b"", REFUSED], ids=["first request", "second request"])
    def test_headers_that_trickle(self, prompt: FloodedServer, address: str, before: bytes) -> None:
        caller = prompt.open(address, before)
        heard = trickle(caller, HALF_HEADERS + b"X: " + b"x" * 500)
        assert (b" 401 " in heard or b" 200 " in heard) == bool(before)

    def test_a_refused_upload_that_goes_on(self, prompt: FloodedServer) -> None:
        caller = prompt.open(
            STRANGER_AT,
            b"POST /chat/audio HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n",
        )
        assert trickle(caller, b"x" * 500).startswith(b"HTTP/1.1 401 ")

    def test_half_an_introduction(self, prompt: FloodedServer) -> None:
        answer = read_rest(prompt.open(STRANGER_AT, HALF_INTRODUCTION))
        assert b"body_timeout" in answer

    def test_answers_that_nobody_reads(self, prompt: FloodedServer) -> None:
        before = prompt.descriptors()
        caller = prompt.open(STRANGER_AT)
        caller.settimeout(2)
        requests = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1_000
        with suppress(TimeoutError, ConnectionError):
            for _ in range(200):  # until it takes nothing more, since its answers are not read
                caller.sendall(requests)
            pytest.fail("it takes requests without end")
        wait_until(lambda: prompt.descriptors() <= before)
        caller.close()

    def test_whoever_is_known_is_not_held_to_them(self, prompt: FloodedServer) -> None:
        headers = prompt.pair("aa:bb:cc:dd:ee:02", DEVICE_AT)
        with connect(
            f"ws://127.0.0.1:{prompt.port}/xiaozhi/v1/",
            sock=prompt.open(DEVICE_AT),
            additional_headers=headers,
        ) as websocket:
            websocket.send(json.dumps(HELLO))
            websocket.recv(timeout=60)
            for sent in (b"", HALF_HEADERS, HALF_INTRODUCTION):  # as long as strangers may wait
                read_rest(prompt.open(STRANGER_AT, sent))
            assert websocket.ping().wait(60), "it is answered"

    def test_nothing_is_left(self, prompt: FloodedServer) -> None:
        baseline = prompt.descriptors()
        for _ in range(50):
            prompt.flood(STRANGERS_AT, 1, HALF_HEADERS)
        wait_until(lambda: count_open(prompt.connections) == 0)
        wait_until(lambda: prompt.descriptors() <= baseline)
        assert "Traceback" not in prompt.log.read_text()
