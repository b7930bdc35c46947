"""Fixtures of the tests of the Home Assistant integration.

They need an environment of their own (`make test-homeassistant`); without it nothing is collected.
"""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncIterator

import pytest

if importlib.util.find_spec("pytest_homeassistant_custom_component") is None:
    collect_ignore_glob = ["test_*.py"]
else:
    from homeassistant.core import HomeAssistant
    from homeassistant.setup import async_setup_component
    from pytest_homeassistant_custom_component.common import MockConfigEntry

    import custom_components  # noqa: F401 - before that of the test kit is found
    from fake_lobug import OWNER, FakeLobug

    @pytest.fixture(autouse=True)
    def _real_sockets(socket_enabled: None, enable_custom_integrations: None) -> None:
        """The integration is found, and talks to servers on this computer."""

    @pytest.fixture
    async def lobug() -> AsyncIterator[FakeLobug]:
        fake = FakeLobug()
        server = await fake.start()
        fake.url = str(server.make_url("")).rstrip("/")
        yield fake
        fake.hang_up()
        await server.close()

    @pytest.fixture
    async def entry(hass: HomeAssistant, lobug: FakeLobug) -> MockConfigEntry:
        """The server, not yet set up."""
        assert await async_setup_component(hass, "homeassistant", {})
        return MockConfigEntry(
            domain="lobug",
            title="Lo-Bug",
            unique_id="AB:CD",
            data={"url": lobug.url, "token": OWNER},
        )

    @pytest.fixture
    async def loaded(hass: HomeAssistant, entry: MockConfigEntry) -> MockConfigEntry:
        """The server, set up."""
        entry.add_to_hass(hass)
        assert await hass.config_entries.async_setup(entry.entry_id)
        await hass.async_block_till_done()
        return entry
