"""Being found: which addresses are announced, when, and that nothing is left behind. The responder
follows a script here."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from pydantic import ValidationError
from zeroconf import NonUniqueNameException
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from lobug import __version__
from lobug.discovery.announcer import (
    SERVICE,
    Announcer,
    announcer_for,
    choose,
    is_hardware,
    lan_addresses,
    network_address,
)
from lobug.settings import DiscoverySettings
from support.device_client import until

HERE = "192.168.1.5"


# ---- addresses


@pytest.mark.parametrize(
    ("interfaces", "default", "cards", "expected"),
    [
        ([("lo", "127.0.0.1"), ("eth0", HERE)], HERE, {"eth0"}, [HERE]),
        ([("wlan0", "10.0.0.2"), ("eth0", HERE)], HERE, {"eth0", "wlan0"}, [HERE, "10.0.0.2"]),
        ([("docker0", "172.17.0.1"), ("eth0", HERE)], HERE, {"eth0"}, [HERE]),
        ([("br0", HERE), ("virbr0", "192.168.122.1")], HERE, set(), [HERE]),
        ([("eth0", HERE), ("tun0", "10.8.0.1")], "10.8.0.1", {"eth0"}, ["10.8.0.1", HERE]),
        ([("eth0", "169.254.3.4")], None, {"eth0"}, ["169.254.3.4"]),
        ([("eth0", HERE), ("eth0", "192.168.1.6")], HERE, {"eth0"}, [HERE, "192.168.1.6"]),
        ([("lo", "127.0.0.1")], "127.0.0.1", {"lo"}, []),
        ([("docker0", "172.17.0.1")], None, set(), []),
        ([], None, set(), []),
    ],
)
def test_the_addresses_that_lead_to_devices(
    interfaces: list[tuple[str, str]], default: str | None, cards: set[str], expected: list[str]
) -> None:
    assert choose(interfaces, default, cards.__contains__) == expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", []),
        ("127.8.8.8", []),
        ("::1", []),
        ("localhost", []),
        ("", []),
        ("192.168.1.5", ["192.168.1.5"]),
        ("fd00::5", []),
        ("::ffff:192.168.1.5", ["192.168.1.5"]),
    ],
)
def test_a_server_that_listens_to_one_address_has_that(host: str, expected: list[str]) -> None:
    assert lan_addresses(host) == expected


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_server_that_listens_to_all_has_those_of_this_computer(host: str) -> None:
    found = lan_addresses(host)
    assert not [address for address in found if address.startswith("127.")]
    here = network_address()
    assert here is None or here in found
    assert not is_hardware("no-such-card")


# ---- settings


@pytest.mark.parametrize("name", ["Lo-Bug", "Küche 🐞", "x" * 60])
def test_a_name(name: str) -> None:
    assert DiscoverySettings(name=name).name == name


@pytest.mark.parametrize("name", ["", " x", "x ", "a.b", "a\nb", "a\0b", "x" * 61, "ü" * 31])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(ValidationError):
        DiscoverySettings(name=name)


@pytest.mark.parametrize(
    ("announce", "listens_at"),
    [
        (False, ("0.0.0.0", 8321)),
        (True, None),
        (True, ("127.0.0.1", 8321)),
        (True, ("::1", 8321)),
    ],
)
def test_nothing_is_announced(announce: bool, listens_at: tuple[str, int] | None) -> None:
    assert announcer_for(DiscoverySettings(announce=announce), listens_at) is None
    assert announcer_for(DiscoverySettings(), ("0.0.0.0", 8321)) is not None


# ---- the announcement


@dataclass
class Network:
    """Responders that write down what they are told to do."""

    addresses: list[str] = field(default_factory=lambda: [HERE])
    fault: Exception | None = None
    fault_of: str = "open"
    told: list[str] = field(default_factory=list)
    infos: list[AsyncServiceInfo] = field(default_factory=list)
    sent: asyncio.Event = field(default_factory=asyncio.Event)
    looks: int = 0

    def look(self, host: str) -> list[str]:
        assert host == "0.0.0.0"
        self.looks += 1
        self.fail("look")
        return self.addresses

    def open(self, addresses: Sequence[str]) -> AsyncZeroconf:
        self.told.append(f"open {' '.join(addresses)}")
        self.fail("open")
        return cast("AsyncZeroconf", Responder(self))

    def fail(self, where: str) -> None:
        if self.fault is not None and self.fault_of == where:
            raise self.fault


@dataclass
class Responder:
    network: Network

    async def async_register_service(self, info: AsyncServiceInfo, **how: Any) -> Any:
        assert how == {"allow_name_change": True}
        self.network.fail("register")
        self.network.told.append("register")
        self.network.infos.append(info)
        return self.network.sent.wait()

    async def async_close(self) -> None:
        self.network.told.append("close")
        self.network.fail("close")


def announcer(network: Network, **more: Any) -> Announcer:
    how = {"look_s": 0.01, "retry_s": 0.01, **more}
    return Announcer(
        "Bug", "0.0.0.0", 8321, addresses=network.look, open_responder=network.open, **how
    )


async def looked(network: Network, times: int = 3) -> None:
    """Return once it has looked so often again."""
    seen = network.looks
    await until(lambda: network.looks >= seen + times)


async def test_what_is_told_to_the_network() -> None:
    network = Network()
    network.sent.set()
    announced = announcer(network)
    announced.start()
    await looked(network)
    assert network.told == [f"open {HERE}", "register"]
    (info,) = network.infos
    assert (info.type, info.name, info.port) == (SERVICE, f"Bug.{SERVICE}", 8321)
    assert info.parsed_addresses() == [HERE]
    assert info.decoded_properties == {
        "version": __version__, "path": "/xiaozhi/ota/", "https": "0", "name": "Bug",
    }  # fmt: skip
    assert info.server is not None
    assert info.server.startswith("lobug-")
    await announced.close()
    await announced.close()
    assert network.told == [f"open {HERE}", "register", "close"]


async def test_another_network_is_announced_to_anew() -> None:
    network = Network(addresses=[])
    network.sent.set()
    announced = announcer(network)
    announced.start()
    await looked(network)
    assert network.told == [], "the Wi-Fi is not there yet"
    network.addresses = [HERE]
    await until(lambda: network.told == [f"open {HERE}", "register"])
    network.addresses = ["10.0.0.2", HERE]
    await until(lambda: network.told[2:] == ["close", f"open 10.0.0.2 {HERE}", "register"])
    network.addresses = []
    await until(lambda: network.told[5:] == ["close"])
    await announced.close()
    assert network.told[6:] == []


@pytest.mark.parametrize("where", ["look", "open", "register"])
@pytest.mark.parametrize(
    "fault",
    [OSError(98, "Address already in use"), NonUniqueNameException(), RuntimeError("none")],
    ids=lambda fault: type(fault).__name__,
)
async def test_a_failure_is_one_line_and_tried_again(
    where: str, fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    network = Network(fault=fault, fault_of=where)
    network.sent.set()
    announced = announcer(network)
    announced.start()
    await looked(network)
    warned = [r.getMessage() for r in caplog.records if r.levelname == "WARNING"]
    assert len(warned) == 1
    assert warned[0].startswith("the server could not be announced to devices: ")
    network.fault = None
    await until(lambda: network.told[-1:] == ["register"])
    await announced.close()
    opened = sum(line.startswith("open") for line in network.told)
    assert network.told.count("close") == (opened if where == "register" else 1)


@pytest.mark.parametrize("moment", ["at once", "while it announces", "close fails"])
async def test_the_end_leaves_no_task(moment: str) -> None:
    before = asyncio.all_tasks()
    network = Network()
    announced = announcer(network)
    announced.start()
    if moment != "at once":
        await until(lambda: network.told[-1:] == ["register"])
    if moment == "close fails":
        network.fault, network.fault_of = OSError("network is down"), "close"
    await announced.close()
    assert asyncio.all_tasks() == before
    assert network.told in ([], [f"open {HERE}", "register", "close"])
