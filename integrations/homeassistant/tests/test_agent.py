"""The conversation agent, the action and the notify entities."""

from __future__ import annotations

from typing import Any

import probatio as vol
import pytest
from homeassistant.components import conversation
from homeassistant.components.diagnostics import REDACTED
from homeassistant.config_entries import ConfigSubentryData
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr
from pytest_homeassistant_custom_component.common import MockConfigEntry

from fake_lobug import OWNER, PERSON, FakeLobug

AGENT = "conversation.lo_bug"


async def ask(
    hass: HomeAssistant, text: str = "Hello", language: str = "en", **more: Any
) -> conversation.ConversationResult:
    context = more.pop("context", Context())
    given = more.pop("conversation_id", None)
    return await conversation.async_converse(hass, text, given, context, language, AGENT, **more)


def speech(result: conversation.ConversationResult) -> str:
    said: str = result.response.speech["plain"]["speech"]
    return said


async def test_words_are_answered(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    result = await ask(hass, "Hello")
    assert speech(result) == "You said: Hello"
    assert result.response.error_code is None
    assert lobug.said == [(OWNER, "Hello")]


async def test_a_conversation_goes_on(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    first = await ask(hass, "Shall I?")
    assert first.conversation_id
    assert first.continue_conversation  # the reply is a question
    second = await ask(hass, "Yes.", conversation_id=first.conversation_id)
    assert second.conversation_id == first.conversation_id
    assert not second.continue_conversation


async def test_the_reply_comes_in_pieces(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    from homeassistant.helpers.chat_session import async_get_chat_session

    pieces: list[Any] = []
    with (
        async_get_chat_session(hass) as session,
        conversation.async_get_chat_log(
            hass, session, chat_log_delta_listener=lambda _, delta: pieces.append(delta)
        ),
    ):
        await ask(hass, "Hello", conversation_id=session.conversation_id)
    assert [one.get("content") for one in pieces if one.get("content")] == ["You said: ", "Hello"]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "I cannot reach Lo-Bug right now."),
        ("de", "Ich erreiche Lo-Bug gerade nicht."),
        ("de-CH", "Ich erreiche Lo-Bug gerade nicht."),
        ("es", "Ahora mismo no puedo comunicarme con Lo-Bug."),
        ("fr", "I cannot reach Lo-Bug right now."),
    ],
)
async def test_an_unreachable_server_is_a_sentence(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry, language: str, sentence: str
) -> None:
    lobug.raw = b"<html>"
    result = await ask(hass, language=language)
    assert speech(result) == sentence
    assert result.response.error_code is not None
    assert result.conversation_id


REFUSALS = [
    ((503, "busy", "Busy."), "Lo-Bug is busy. Please ask again in a moment."),
    ((503, "engine_unavailable", "My head hurts."), "My head hurts."),
    ((500, "", ""), "I cannot reach Lo-Bug right now."),
]


@pytest.mark.parametrize(("refusal", "sentence"), REFUSALS)
async def test_a_refusal_is_a_sentence(
    hass: HomeAssistant,
    lobug: FakeLobug,
    loaded: MockConfigEntry,
    refusal: tuple[int, str, str],
    sentence: str,
) -> None:
    lobug.refusal = refusal
    result = await ask(hass)
    assert speech(result) == sentence
    assert result.response.error_code is not None


BROKEN: dict[str, tuple[list[tuple[str, dict[str, Any]]], str]] = {
    "error": (
        [
            ("reply_delta", {"text": "Well, "}),
            ("error", {"error": {"code": "engine_interrupted"}, "response": "I lost my thread."}),
        ],
        "I lost my thread.",
    ),
    "cut": ([("reply_delta", {"text": "Well, "})], "I cannot reach Lo-Bug right now."),
    "huge": ([("reply_delta", {"text": "x" * 2_000_000})], "I cannot reach Lo-Bug right now."),
    "types": (
        [("reply_delta", {"text": 5}), ("unknown", {}), ("done", {"response": "Fine."})],
        "Fine.",
    ),
    "nothing": ([("done", {"response": "", "action": "ignore"})], ""),
}


@pytest.mark.parametrize("case", BROKEN)
async def test_a_broken_reply_is_a_sentence(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry, case: str
) -> None:
    lobug.reply, sentence = BROKEN[case]
    assert speech(await ask(hass)) == sentence


async def test_a_revoked_token_is_said_and_asked_for(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    lobug.tokens.clear()
    assert "needs a new token" in speech(await ask(hass))
    await hass.async_block_till_done(wait_background_tasks=False)
    flows = hass.config_entries.flow.async_progress_by_handler("lobug")
    assert [flow["context"]["source"] for flow in flows] == ["reauth"]


async def test_persons_talk_with_their_own_tokens(
    hass: HomeAssistant, lobug: FakeLobug, hass_admin_user: Any
) -> None:
    bob = ConfigSubentryData(
        data={"name": "Bob", "token": PERSON, "user": hass_admin_user.id, "satellites": ["sat"]},
        subentry_type="person",
        title="Bob",
        unique_id=None,
    )
    entry = MockConfigEntry(
        domain="lobug", title="Lo-Bug", data={"url": lobug.url, "token": OWNER},
        subentries_data=[bob],
    )  # fmt: skip
    from homeassistant.setup import async_setup_component

    assert await async_setup_component(hass, "homeassistant", {})
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await ask(hass, "a")
    await ask(hass, "b", context=Context(user_id=hass_admin_user.id))
    await ask(hass, "c", device_id="sat")
    await ask(hass, "d", device_id="elsewhere")
    assert lobug.said == [(OWNER, "a"), (PERSON, "b"), (PERSON, "c"), (OWNER, "d")]


async def announce(hass: HomeAssistant, **data: Any) -> Any:
    return await hass.services.async_call(
        "lobug", "announce", data, blocking=True, return_response=True
    )


def desk(hass: HomeAssistant, entry: MockConfigEntry) -> str:
    found = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
    return next(one.id for one in found if one.name == "Desk")


async def test_announce(hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry) -> None:
    answer = await announce(hass, message="Dinner.")
    assert answer == {"status": "said", "said_on": ["aa:bb:cc:dd:ee:01"], "waits_for": []}
    await announce(hass, message="Dinner.", device_id=desk(hass, loaded), chime=False)
    await announce(hass, message="Dinner.", person="ada", wait=False, expires={"hours": 1})
    assert lobug.announced == [
        {"text": "Dinner.", "chime": True, "wait": True},
        {"text": "Dinner.", "chime": False, "wait": True, "device": "aa:bb:cc:dd:ee:01"},
        {"text": "Dinner.", "chime": True, "wait": False, "user": "ada", "expires_s": 3600.0},
    ]


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"message": ""},
        {"message": "x" * 501},
        {"message": "a", "device_id": "b", "person": "c"},
        {"message": "a", "expires": {"seconds": 0}},
        {"message": "a", "expires": {"days": 366}},
    ],
)
async def test_a_wrong_call_is_refused(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry, data: dict[str, Any]
) -> None:
    with pytest.raises(vol.Invalid):
        await announce(hass, **data)
    assert not lobug.announced


async def test_an_announcement_that_cannot_be_said_says_why(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    with pytest.raises(ServiceValidationError, match="does not know this device"):
        await announce(hass, message="a", device_id="nobody")
    with pytest.raises(ServiceValidationError, match="not set up"):
        await announce(hass, message="a", config_entry_id="other")
    lobug.refusal = (409, "quiet_hours", "Not now.")
    with pytest.raises(HomeAssistantError, match="quiet time"):
        await announce(hass, message="a")
    lobug.refusal = (500, "internal", "Oh.")
    with pytest.raises(HomeAssistantError, match=r"internal.*Oh\."):
        await announce(hass, message="a")
    lobug.raw = b"junk"
    with pytest.raises(HomeAssistantError, match="cannot be reached"):
        await announce(hass, message="a")


async def test_notify_entities_announce(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    for entity in ("notify.lo_bug_announce", "notify.desk_announce"):
        await hass.services.async_call(
            "notify",
            "send_message",
            {"entity_id": entity, "message": "Dinner.", "title": "left out"},
            blocking=True,
        )
    assert lobug.announced == [
        {"text": "Dinner."},
        {"text": "Dinner.", "device": "aa:bb:cc:dd:ee:01"},
    ]


async def test_diagnostics_hold_no_secrets(
    hass: HomeAssistant, lobug: FakeLobug, loaded: MockConfigEntry
) -> None:
    from custom_components.lobug.diagnostics import async_get_config_entry_diagnostics

    found = await async_get_config_entry_diagnostics(hass, loaded)
    assert found["devices"][0]["battery"] == 80
    assert found["devices"][0]["name"] == REDACTED
    text = str(found)
    for secret in (OWNER, lobug.url, "aa:bb", "Desk", "ada", "192.168"):
        assert secret not in text
