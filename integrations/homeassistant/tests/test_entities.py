"""Sensors, events and what becomes of devices that come and go."""

from __future__ import annotations

from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers import entity_registry as er
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    mock_restore_cache_with_extra_data,
)

from fake_lobug import DESK, PERSON, FakeLobug
from waiting import until


def state(hass: HomeAssistant, entity: str) -> str:
    found = hass.states.get(entity)
    assert found is not None, [one.entity_id for one in hass.states.async_all()]
    return found.state


def device(hass: HomeAssistant, entry: MockConfigEntry) -> dr.DeviceEntry | None:
    found = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
    identifier = ("lobug", "AB:CD-aa:bb:cc:dd:ee:01")
    return next((one for one in found if identifier in one.identifiers), None)


async def poll(entry: MockConfigEntry) -> None:
    """What happens once a minute. (Moving the clock would end requests under way as well.)"""
    await entry.runtime_data.coordinator.async_refresh()


async def test_devices_have_sensors(hass: HomeAssistant, loaded: MockConfigEntry) -> None:
    assert state(hass, "binary_sensor.desk_online") == "on"
    assert state(hass, "binary_sensor.desk_charging") == "off"
    assert state(hass, "sensor.desk_battery") == "80"
    assert state(hass, "sensor.desk_wi_fi_strength") == "-51"
    assert state(hass, "sensor.desk_wi_fi") == "strong"
    assert state(hass, "sensor.desk_last_heard") == "2026-03-01T12:00:00+00:00"
    assert state(hass, "binary_sensor.lo_bug_problem") == "off"
    desk = device(hass, loaded)
    assert desk is not None
    assert desk.model == "m5stack-core2"
    assert desk.sw_version == "lobug 2.1.0"
    assert desk.via_device_id is not None


async def test_a_change_is_fetched_when_the_server_tells_of_it(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    await until(lambda: lobug.streams)
    lobug.devices[0]["connected"] = False
    lobug.tell("changed", {"topic": "devices", "user": None})
    await until(lambda: state(hass, "binary_sensor.desk_online") == "off", hass)


async def test_devices_come_and_go(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    kitchen = {**DESK, "id": "aa:bb:cc:dd:ee:02", "name": "Kitchen", "battery": 1000}
    lobug.devices = [{**DESK, "state": "revoked"}, kitchen]
    await poll(loaded)
    await until(lambda: hass.states.get("binary_sensor.kitchen_online"), hass)
    assert state(hass, "binary_sensor.desk_online") == "unavailable"
    assert state(hass, "sensor.kitchen_battery") == "unknown"


async def test_rows_of_nonsense_do_no_harm(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    odd = {"id": "x" * 200, "name": 5, "board": [], "firmware": {}, "connected": "yes"}
    worse = {"battery": True, "signal": ["strong"], "signal_dbm": 1e300, "last_heard_at": 7}
    lobug.devices = [{**odd, **worse}, dict(DESK), {"id": 5}, None]  # type: ignore[list-item]
    await poll(loaded)
    entities = er.async_entries_for_config_entry(er.async_get(hass), loaded.entry_id)
    found = {
        one.unique_id.split("-")[-1]: one.entity_id for one in entities if "xxx" in one.unique_id
    }
    await until(lambda: hass.states.get(found["battery"]), hass)
    assert {state(hass, name) for key, name in found.items()} == {"unknown"}
    assert state(hass, "sensor.desk_battery") == "80"


async def test_without_the_server_all_is_unavailable_and_returns(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    lobug.raw = b"<html>a router's page</html>"
    await poll(loaded)
    await until(lambda: state(hass, "sensor.desk_battery") == "unavailable", hass)
    lobug.raw = None
    await poll(loaded)
    await until(lambda: state(hass, "sensor.desk_battery") == "80", hass)


HEARD: dict[str, Any] = {
    "at": "2026-03-01T12:30:00Z",
    "user": "ada",
    "device": "Desk",
    "door": "device",
    "text": "my secret",
    "outcome": "respond",
    "reason": None,
}


async def test_what_is_heard_is_an_event_without_its_words(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    await until(lambda: lobug.streams)
    lobug.tell("heard", HEARD)
    await until(lambda: state(hass, "event.lo_bug_heard") != "unknown", hass)
    event = hass.states.get("event.lo_bug_heard")
    assert event is not None
    assert event.attributes["event_type"] == "respond"
    assert event.attributes["device"] == "Desk"
    assert state(hass, "sensor.lo_bug_last_heard") == "2026-03-01T12:30:00+00:00"
    assert "my secret" not in str([one.as_dict() for one in hass.states.async_all()])


async def test_when_something_was_heard_is_known_after_a_restart(
    hass: HomeAssistant, entry: MockConfigEntry
) -> None:
    time = {"__type": "<class 'datetime.datetime'>", "isoformat": "2026-03-01T12:30:00+00:00"}
    stored = {"native_value": time, "native_unit_of_measurement": None}
    last = State("sensor.lo_bug_last_heard", "2026-03-01T12:30:00+00:00")
    mock_restore_cache_with_extra_data(hass, [(last, stored)])
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    assert state(hass, "sensor.lo_bug_last_heard") == "2026-03-01T12:30:00+00:00"


async def test_words_are_shown_where_the_owner_wants_that(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    flow = await hass.config_entries.options.async_init(loaded.entry_id)
    await hass.config_entries.options.async_configure(flow["flow_id"], {"words": True})
    await hass.async_block_till_done(wait_background_tasks=False)
    await until(lambda: lobug.streams)
    lobug.tell("heard", HEARD)
    await until(lambda: state(hass, "event.lo_bug_heard") not in {"unknown", "unavailable"}, hass)
    event = hass.states.get("event.lo_bug_heard")
    assert event is not None
    assert event.attributes["text"] == "my secret"


async def test_turns_of_all_people_are_events(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    await until(lambda: lobug.streams)
    turn = {"device": "Desk", "door": "device", "outcome": "failed", "error": "engine_unavailable"}
    lobug.tell("turn", {**turn, "reason": None, "timings": {"done": 2.1}})
    await until(lambda: state(hass, "event.lo_bug_turn") != "unknown", hass)
    event = hass.states.get("event.lo_bug_turn")
    assert event is not None
    assert event.attributes["event_type"] == "failed"
    assert event.attributes["error"] == "engine_unavailable"
    assert event.attributes["seconds"] == 2.1


async def test_events_of_nonsense_change_nothing(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    await until(lambda: lobug.streams)
    wrong: list[dict[str, Any]] = [
        {},
        {"outcome": ["respond"]},
        {"outcome": "exploded"},
        {**HEARD, "at": 5},
        {**HEARD, "at": "2026-13-45T99:99:99Z"},
    ]
    for data in wrong:
        lobug.tell("heard", data)
        lobug.tell("turn", {"timings": 7, **data})
    lobug.tell("changed", {"topic": ["devices"]})
    lobug.tell("heard", HEARD)  # the stream goes on
    await until(
        lambda: state(hass, "sensor.lo_bug_last_heard") == "2026-03-01T12:30:00+00:00", hass
    )


async def test_a_stream_that_ends_is_opened_again(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    await until(lambda: lobug.streams)
    lobug.hang_up()
    await until(lambda: not lobug.streams)
    await until(lambda: lobug.streams)


async def test_a_persons_token_shows_no_devices(
    hass: HomeAssistant, lobug: FakeLobug, entry: MockConfigEntry
) -> None:
    entry.add_to_hass(hass)
    hass.config_entries.async_update_entry(entry, data={**entry.data, "token": PERSON})
    assert await hass.config_entries.async_setup(entry.entry_id)
    names = [one.entity_id for one in hass.states.async_all()]
    assert "event.lo_bug_heard" in names
    assert not [name for name in names if "desk" in name or "turn" in name]


async def test_a_server_that_is_away_is_tried_again(
    hass: HomeAssistant, lobug: FakeLobug, entry: MockConfigEntry
) -> None:
    lobug.raw = b"{"
    entry.add_to_hass(hass)
    await hass.config_entries.async_setup(entry.entry_id)
    assert entry.state is ConfigEntryState.SETUP_RETRY


async def test_a_revoked_token_asks_for_another(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    lobug.tokens.clear()
    await poll(loaded)
    await until(lambda: hass.config_entries.flow.async_progress_by_handler("lobug"), hass)
    flows = hass.config_entries.flow.async_progress_by_handler("lobug")
    assert flows[0]["context"]["source"] == "reauth"


async def test_only_devices_that_the_server_does_not_know_can_be_removed(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    from custom_components.lobug import async_remove_config_entry_device

    desk = device(hass, loaded)
    assert desk is not None
    assert not await async_remove_config_entry_device(hass, loaded, desk)
    lobug.devices = []
    await poll(loaded)
    await until(lambda: state(hass, "binary_sensor.desk_online") == "unavailable", hass)
    assert await async_remove_config_entry_device(hass, loaded, desk)


async def test_all_entities_have_an_id_and_a_name(
    hass: HomeAssistant, loaded: MockConfigEntry
) -> None:
    entities = er.async_entries_for_config_entry(er.async_get(hass), loaded.entry_id)
    assert len(entities) == 13
    assert all(one.unique_id.startswith("AB:CD") for one in entities)


async def test_unloading_ends_the_stream(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    await until(lambda: lobug.streams)
    assert await hass.config_entries.async_unload(loaded.entry_id)
    assert loaded.state is ConfigEntryState.NOT_LOADED
