"""Setting a server up, by its address and as it is found; another token; persons."""

from __future__ import annotations

from collections.abc import AsyncIterator
from ipaddress import ip_address
from typing import Any

import pytest
from homeassistant.config_entries import SOURCE_USER, SOURCE_ZEROCONF
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
from pytest_homeassistant_custom_component.common import MockConfigEntry
from yarl import URL

from fake_lobug import OWNER, PERSON, SCOPED, FakeLobug

FINGERPRINT = "AB:CD:EF"


async def step(hass: HomeAssistant, flow: Any, **data: Any) -> Any:
    return await hass.config_entries.flow.async_configure(flow["flow_id"], data)


async def start(hass: HomeAssistant) -> Any:
    return await hass.config_entries.flow.async_init("lobug", context={"source": SOURCE_USER})


async def found(hass: HomeAssistant, lobug: FakeLobug, **properties: str) -> Any:
    """A server announces itself as ``discovery/announcer.py`` has it."""
    address = ip_address("127.0.0.1")
    told = {"version": "0.1.0", "path": "/xiaozhi/ota/", "https": "0", "name": "Lo-Bug"}
    return await hass.config_entries.flow.async_init(
        "lobug",
        context={"source": SOURCE_ZEROCONF},
        data=ZeroconfServiceInfo(
            ip_address=address,
            ip_addresses=[address],
            port=URL(lobug.url).port,
            hostname="lobug-3f9a21c4.local.",
            type="_lobug._tcp.local.",
            name="Lo-Bug._lobug._tcp.local.",
            properties={**told, **properties},
        ),
    )


async def test_a_server_is_set_up_by_its_address(hass: HomeAssistant, lobug: FakeLobug) -> None:
    flow = await step(hass, await start(hass), url=lobug.url + "/")
    assert flow["step_id"] == "token_unencrypted"
    made = await step(hass, flow, token=f" {OWNER}\n")
    assert made["type"] is FlowResultType.CREATE_ENTRY
    assert made["data"] == {"url": lobug.url, "token": OWNER}


@pytest.mark.parametrize(
    "url", ["", "ftp://a", "http://", "http://a:b", "http://u:p@a", "http://[", "a b"]
)
async def test_what_is_no_address_is_said(hass: HomeAssistant, url: str) -> None:
    flow = await step(hass, await start(hass), url=url)
    assert flow["type"] is FlowResultType.FORM
    assert flow["errors"]


ANSWERS = [b"", b"<html>", b"[]", b"{}", b'{"version": 1, "fingerprint": null}', b"[" * 100_000,
           b'{"version": "' + b"x" * 5_000_000 + b'"}']  # fmt: skip


@pytest.mark.parametrize("raw", ANSWERS, ids=range(len(ANSWERS)))
async def test_what_is_no_lobug_is_said(hass: HomeAssistant, lobug: FakeLobug, raw: bytes) -> None:
    lobug.raw = raw
    flow = await step(hass, await start(hass), url=lobug.url)
    assert flow["errors"] == {"base": "cannot_connect"}
    lobug.raw = None
    assert (await step(hass, flow, url=lobug.url))["step_id"] == "token_unencrypted"


@pytest.mark.parametrize(
    ("token", "error"),
    [
        ("lobug_wrong", "invalid_auth"),
        (SCOPED, "wrong_scope"),
        ("a\nb", "invalid_auth"),
        ("ä", "invalid_auth"),
    ],
)
async def test_a_wrong_token_is_said(
    hass: HomeAssistant, lobug: FakeLobug, token: str, error: str
) -> None:
    flow = await step(hass, await start(hass), url=lobug.url)
    flow = await step(hass, flow, token=token)
    assert flow["errors"] == {"base": error}
    assert (await step(hass, flow, token=PERSON))["type"] is FlowResultType.CREATE_ENTRY


async def test_a_server_that_announces_itself_is_found(
    hass: HomeAssistant, lobug: FakeLobug
) -> None:
    lobug.fingerprint = FINGERPRINT
    flow = await found(hass, lobug, name="Living\nroom" + "x" * 200)
    assert flow["step_id"] == "token_unencrypted"
    made = await step(hass, flow, token=OWNER)
    assert made["title"] == ("Livingroom" + "x" * 200)[:60]
    assert made["result"].unique_id == FINGERPRINT


async def test_a_server_is_found_once(hass: HomeAssistant, lobug: FakeLobug) -> None:
    assert (await found(hass, lobug))["type"] is FlowResultType.FORM
    assert (await found(hass, lobug))["reason"] == "already_in_progress"


async def test_what_announces_itself_and_is_no_lobug_is_left_out(
    hass: HomeAssistant, lobug: FakeLobug
) -> None:
    lobug.raw = b"<html>"
    assert (await found(hass, lobug))["reason"] == "cannot_connect"


async def test_a_stranger_cannot_take_the_place_of_a_server(
    hass: HomeAssistant, lobug: FakeLobug
) -> None:
    """Whoever claims its fingerprint without having its key does not get its token."""
    lobug.fingerprint = FINGERPRINT
    data = {"url": "https://192.168.1.5:8322", "token": OWNER, "authority": "PEM"}
    entry = MockConfigEntry(domain="lobug", unique_id=FINGERPRINT, data=data)
    entry.add_to_hass(hass)
    assert (await found(hass, lobug))["reason"] == "already_configured"
    flow = await step(hass, await start(hass), url=lobug.url)
    assert flow["reason"] == "already_configured"
    assert entry.data == data


async def test_a_token_is_replaced(
    hass: HomeAssistant, lobug: FakeLobug, entry: MockConfigEntry
) -> None:
    entry.add_to_hass(hass)
    hass.config_entries.async_update_entry(entry, data={**entry.data, "token": "lobug_old"})
    flow = await entry.start_reauth_flow(hass)
    flow = await step(hass, flow, token="lobug_wrong")
    assert flow["errors"] == {"base": "invalid_auth"}
    done = await step(hass, flow, token=OWNER)
    assert done["reason"] == "reauth_successful"
    assert entry.data["token"] == OWNER


async def test_an_address_is_changed(
    hass: HomeAssistant, lobug: FakeLobug, entry: MockConfigEntry
) -> None:
    entry.add_to_hass(hass)
    hass.config_entries.async_update_entry(
        entry, data={"url": "https://10.0.0.1:8322", "token": "lobug_old", "authority": "PEM"}
    )
    flow = await entry.start_reconfigure_flow(hass)
    flow = await step(hass, flow, url="http://127.0.0.1:1")
    assert flow["errors"] == {"base": "cannot_connect"}
    flow = await step(hass, flow, url=lobug.url)
    flow = await step(hass, flow, token="lobug_wrong")
    assert flow["errors"] == {"base": "invalid_auth"}
    done = await step(hass, flow, token=OWNER)
    assert done["reason"] == "reconfigure_successful"
    assert entry.data == {"url": lobug.url, "token": OWNER}


async def test_a_person_is_added_and_changed(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry, hass_admin_user: Any
) -> None:
    flows = hass.config_entries.subentries
    person = {"name": "Bob", "token": PERSON}
    flow = await flows.async_init((loaded.entry_id, "person"), context={"source": SOURCE_USER})
    flow = await flows.async_configure(flow["flow_id"], person)
    assert flow["errors"] == {"base": "nobody"}
    flow = await flows.async_configure(
        flow["flow_id"], {**person, "token": "lobug_x", "user": hass_admin_user.id}
    )
    assert flow["errors"] == {"base": "invalid_auth"}
    await flows.async_configure(flow["flow_id"], {**person, "user": hass_admin_user.id})
    await hass.async_block_till_done(wait_background_tasks=False)
    (made,) = loaded.subentries.values()
    assert (made.title, made.data["user"]) == ("Bob", hass_admin_user.id)
    assert list(loaded.runtime_data.by_user) == [hass_admin_user.id]

    flow = await loaded.start_subentry_reconfigure_flow(hass, made.subentry_id)
    shown = {str(key): (key.description or {}) for key in flow["data_schema"].schema}
    assert PERSON not in str(shown)  # a stored token is not shown again
    done = await flows.async_configure(flow["flow_id"], {**person, "satellites": ["sat"]})
    assert done["reason"] == "reconfigure_successful"
    await hass.async_block_till_done(wait_background_tasks=False)
    assert list(loaded.runtime_data.by_satellite) == ["sat"]


@pytest.fixture(autouse=True)
async def _set_up_at_once(hass: HomeAssistant) -> AsyncIterator[None]:
    from homeassistant.setup import async_setup_component

    assert await async_setup_component(hass, "homeassistant", {})
    yield
    for entry in hass.config_entries.async_entries("lobug"):
        await hass.config_entries.async_unload(entry.entry_id)
