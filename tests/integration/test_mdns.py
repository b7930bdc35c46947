"""The announcement in the local network as a browser of multicast DNS sees it, on real sockets."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fastapi import FastAPI
from zeroconf import IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from lobug import __version__
from lobug.app import create_app
from lobug.discovery.announcer import (
    SERVICE,
    WYOMING_SERVICE,
    Announcer,
    Service,
    lan_addresses,
)
from support.app_server import scripted_assembler, settings_for
from support.memory_app import quiet_engines
from support.patience import PATIENCE_S

LOOPBACK = "127.0.0.1"
TESTS = Path(__file__).parents[1]


@dataclass
class Browser:
    """What can be found at this moment."""

    zeroconf: AsyncZeroconf
    kind: str = SERVICE
    names: set[str] = field(default_factory=set)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def changed(
        self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        assert (zeroconf, service_type) == (self.zeroconf.zeroconf, self.kind)
        if state_change is ServiceStateChange.Removed:
            self.names.discard(name.removesuffix(f".{self.kind}"))
        else:
            self.names.add(name.removesuffix(f".{self.kind}"))
        self.news.set()

    async def until(self, *names: str, without: str = "") -> None:
        """Wait until these are found, and ``without`` is not."""
        async with asyncio.timeout(PATIENCE_S):
            while not set(names) <= self.names or without in self.names:
                self.news.clear()
                await self.news.wait()

    async def resolve(self, name: str) -> AsyncServiceInfo:
        info = AsyncServiceInfo(self.kind, f"{name}.{self.kind}")
        assert await info.async_request(self.zeroconf.zeroconf, PATIENCE_S * 1000)
        return info


@asynccontextmanager
async def browsing(address: str = LOOPBACK, kind: str = SERVICE) -> AsyncIterator[Browser]:
    zeroconf = AsyncZeroconf(interfaces=[address], ip_version=IPVersion.V4Only)
    browser = Browser(zeroconf, kind)
    looking = AsyncServiceBrowser(zeroconf.zeroconf, kind, handlers=[browser.changed])
    try:
        yield browser
    finally:
        await looking.async_cancel()
        await zeroconf.async_close()


@pytest.fixture
def name() -> str:
    """A name that no other test, and nobody in this network, uses."""
    return f"Lo-Bug test {os.urandom(6).hex()}"


@pytest.fixture
def on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that listens to all addresses announces itself to this computer alone."""

    def loopback_for_all(host: str) -> Sequence[str]:
        return [LOOPBACK] if host == "0.0.0.0" else lan_addresses(host)

    original = Announcer.__init__

    def announcer(
        self: Announcer, name: str, host: str, port: int, *, also: Sequence[Service]
    ) -> None:
        original(self, name, host, port, also=also, addresses=loopback_for_all)

    monkeypatch.setattr(Announcer, "__init__", announcer)


def app_with(folder: Path, name: str, host: str, *, announce: bool = True) -> FastAPI:
    settings = settings_for(folder, discovery={"name": name, "announce": announce})
    assembler = scripted_assembler(quiet_engines())
    return create_app(settings, assembler=assembler, listens_at=(host, 4321))


@pytest.mark.usefixtures("on_loopback")
async def test_a_server_is_found_and_says_goodbye(tmp_path: Path, name: str) -> None:
    app = app_with(tmp_path, name, "0.0.0.0")
    async with browsing() as browser:
        before = asyncio.all_tasks()
        async with app.router.lifespan_context(app):
            await browser.until(name)
            found = await browser.resolve(name)
            assert found.port == 4321
            assert found.parsed_addresses() == [LOOPBACK]
            assert found.decoded_properties == {
                "version": __version__, "path": "/xiaozhi/ota/", "https": "0", "name": name,
            }  # fmt: skip
        await browser.until(without=name)  # long before its time is over
        assert asyncio.all_tasks() <= before


@pytest.mark.usefixtures("on_loopback")
async def test_the_wyoming_door_is_found_when_others_may_use_it(tmp_path: Path, name: str) -> None:
    def app(folder: str, called: str, *networks: str) -> FastAPI:
        settings = settings_for(
            tmp_path / folder,
            host="127.0.0.1",
            discovery={"name": called},
            wyoming={"enabled": True, "port": 0, "allowed_networks": networks},
        )
        assembler = scripted_assembler(quiet_engines())
        return create_app(settings, assembler=assembler, listens_at=("0.0.0.0", 4321))

    house = app("house", name, "127.0.0.1/32", "192.168.1.20/32")
    alone = app("alone", f"{name} alone", "127.0.0.0/8", "::1/128")
    async with browsing(kind=WYOMING_SERVICE) as browser, browsing() as devices:
        async with alone.router.lifespan_context(alone), house.router.lifespan_context(house):
            await devices.until(name, f"{name} alone")
            await browser.until(name)
            found = await browser.resolve(name)
            assert found.port == house.state.wyoming.port
            assert found.parsed_addresses() == [LOOPBACK]
            assert (await devices.resolve(name)).port == 4321
        await browser.until(without=name)
        assert f"{name} alone" not in browser.names


@pytest.mark.usefixtures("on_loopback")
@pytest.mark.parametrize(
    ("host", "announce"), [("0.0.0.0", False), ("127.0.0.1", True), ("::1", True)]
)
async def test_a_server_that_is_not_to_be_found_is_not(
    tmp_path: Path, name: str, host: str, announce: bool
) -> None:
    app = app_with(tmp_path / "quiet", name, host, announce=announce)
    loud = app_with(tmp_path / "loud", f"{name} loud", "0.0.0.0")
    async with browsing() as browser, app.router.lifespan_context(app):
        # Whoever announces at all is found when one is that began later.
        async with loud.router.lifespan_context(loud):
            await browser.until(f"{name} loud")
        assert name not in browser.names


@pytest.mark.usefixtures("on_loopback")
async def test_of_two_servers_of_one_name_both_are_found(tmp_path: Path, name: str) -> None:
    one = app_with(tmp_path / "one", name, "0.0.0.0")
    two = app_with(tmp_path / "two", name, "0.0.0.0")
    async with browsing() as browser, one.router.lifespan_context(one):
        await browser.until(name)
        async with two.router.lifespan_context(two):
            await browser.until(name, f"{name}-2")
            first, second = await browser.resolve(name), await browser.resolve(f"{name}-2")
            assert first.server != second.server
        await browser.until(name, without=f"{name}-2")


async def test_on_a_real_interface(tmp_path: Path, name: str) -> None:
    addresses = lan_addresses("0.0.0.0")
    if not addresses:
        pytest.skip("this computer has no network")
    app = app_with(tmp_path, name, "0.0.0.0")
    async with browsing(addresses[0]) as browser:
        async with app.router.lifespan_context(app):
            await browser.until(name)
            assert (await browser.resolve(name)).parsed_addresses() == addresses
        await browser.until(without=name)


async def test_a_port_that_another_program_keeps_is_a_line_in_the_log(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def taken(_addresses: Sequence[str]) -> AsyncZeroconf:
        raise OSError(98, "Address already in use")

    original = Announcer.__init__

    def announcer(
        self: Announcer, name: str, host: str, port: int, *, also: Sequence[Service]
    ) -> None:
        assert not also
        original(self, name, host, port, addresses=lambda _: [LOOPBACK], open_responder=taken)

    monkeypatch.setattr(Announcer, "__init__", announcer)
    app = app_with(tmp_path, name, "0.0.0.0")
    async with app.router.lifespan_context(app):
        async with asyncio.timeout(PATIENCE_S):
            while "could not be announced to devices" not in caplog.text:  # noqa: ASYNC110 - a log tells nobody
                await asyncio.sleep(0.01)
        assert app.state.lobug.health().can_talk


SERVE_SCRIPTED = """
import sys
from pathlib import Path
from rich.console import Console
from lobug.app import create_app
from lobug.cli import serve
from support.app_server import ScriptedEngines, scripted_assembler
import lobug.app

def scripted(settings, **more):
    return create_app(settings, assembler=scripted_assembler(ScriptedEngines()), **more)

lobug.app.create_app = scripted
serve._require_models = lambda settings: None
serve.serve(host=sys.argv[1], port=0)
"""


async def test_the_program_is_found_as_it_is_served(tmp_path: Path, name: str) -> None:
    addresses = lan_addresses("0.0.0.0")
    if not addresses:
        pytest.skip("this computer has no network")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LOBUG_")}
    environment |= {
        "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]),
        "LOBUG_DATA_DIR": str(tmp_path / "data"),
        "LOBUG_DISCOVERY__NAME": name,
    }
    serving = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVE_SCRIPTED, addresses[0],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, cwd=tmp_path,
    )  # fmt: skip
    try:
        async with browsing(addresses[0]) as browser:
            await browser.until(name)
            found = await browser.resolve(name)
            assert found.parsed_addresses() == addresses[:1]
            reader, writer = await asyncio.open_connection(addresses[0], found.port)
            writer.write(b"GET /health HTTP/1.0\r\n\r\n")
            answer = await reader.read()
            writer.close()
            assert json.loads(answer.partition(b"\r\n\r\n")[2])["version"] == __version__
            serving.send_signal(signal.SIGINT)
            await browser.until(without=name)
            assert await asyncio.wait_for(serving.wait(), PATIENCE_S) == 0
    finally:
        if serving.returncode is None:
            serving.kill()
        output = (await serving.communicate())[0].decode()
    assert "find it by themselves" in output
    assert "Traceback" not in output
