"""Conversation over Wyoming (its service ``handle``): who talks, and one turn."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass

from wyoming.event import Event
from wyoming.handle import Handled, NotHandled

from lobug.conversation.registry import conversation_of
from lobug.errors import EngineInterruptedError
from lobug.memory.model import ConversationKey
from lobug.server import LobugServer
from lobug.turn.events import Action, Done, Failed
from lobug.turn.timeline import Timeline
from lobug.turn.utterance import TypedUtterance, checked_text
from lobug.wyoming.events import TalkContext, Words

DOOR = "wyoming"


@dataclass(frozen=True, slots=True)
class Talker:
    """Where words come from."""

    satellite_id: str
    """Of the device, else its entity, else the address of the client; in lower case."""
    entity: str = ""
    """Such as ``assist_satellite.kitchen``, in lower case; empty: unknown."""
    conversation: str | None = None
    """The name of its conversation; None: its only one."""

    @property
    def key(self) -> str:
        """By which a person is known who has not been named."""
        return f"{DOOR}:{self.satellite_id}"


def talker_of(context: TalkContext, address: str) -> Talker:
    """Where words come from. Pure.

    A satellite has one conversation, like any device of Lo-Bug's. Words without a satellite come
    from a page or a phone, of which there may be several at once, so each ``conversation_id`` is a
    conversation of its own there. ``address``: of the client, which stands for all of those.
    """
    entity = (context.satellite_id or "").lower()
    satellite_id = (context.device_id or "").lower() or entity
    if satellite_id:
        return Talker(satellite_id, entity)
    name = context.conversation_id
    return Talker(address, conversation=f"{DOOR}:{address}:{name}" if name else None)


def conversation_key_of(
    talker: Talker, named: str | None, users: Mapping[str, str]
) -> ConversationKey:
    """Whose words they are. ``named``: the user that the owner gave the satellite; ``users``: names
    by caller, from the settings. Whoever has neither is a person of its own. Pure."""
    known = {key.lower(): user for key, user in users.items()}
    user = named or known.get(talker.key) or known.get(f"{DOOR}:{talker.entity}")
    return conversation_of(talker.key, {}, user=user, conversation=talker.conversation)


async def take_turn(
    server: LobugServer, words: Words, address: str
) -> tuple[Event, ConversationKey]:
    """Run one turn. Returns the answer, and whose it was.

    Raises EmptyTextError, TextTooLongError, InvalidEncodingError, and what a turn fails with.
    """
    text = checked_text(words.text, server.settings.limits.max_text_chars)
    context = words.context or TalkContext()
    talker, satellites = talker_of(context, address), server.access.satellites
    await satellites.note(talker.satellite_id, entity=talker.entity, address=address)
    named = satellites.user_of(talker.satellite_id)
    conversation_key = conversation_key_of(talker, named, server.settings.conversation.users)
    timeline = Timeline(DOOR, server.clock)
    turn = server.turns.run(conversation_key, TypedUtterance(text), voice=False, timeline=timeline)
    outcome: Done | Failed | None = None
    async with aclosing(turn) as events:
        async for event in events:
            if isinstance(event, Done | Failed):
                outcome = event
    if isinstance(outcome, Failed):
        raise outcome.error
    if outcome is None:
        raise EngineInterruptedError("chat", "the turn ended without an outcome")
    told = {"conversation_id": context.conversation_id} if context.conversation_id else None
    # An order that Lo-Bug cannot carry out is understood, and answered, and still not done.
    refused = timeline.answered_by == "refusal" or timeline.carried_out is False
    handled = outcome.action is Action.RESPOND and not refused
    answer = Handled if handled else NotHandled
    return answer(outcome.response, context=told).event(), conversation_key
