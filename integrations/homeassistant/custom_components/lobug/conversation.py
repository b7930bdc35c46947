"""Lo-Bug as a conversation agent of Home Assistant."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Literal

from homeassistant.components import conversation
from homeassistant.const import MATCH_ALL
from homeassistant.core import HomeAssistant
from homeassistant.helpers import intent
from homeassistant.helpers.entity import EntityDescription
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.translation import async_get_translations

from .api import AccessRefused, LobugClient, LobugError, Refused
from .const import DOMAIN, LOGGER
from .coordinator import LobugConfigEntry, LobugCoordinator
from .entity import LobugEntity

PARALLEL_UPDATES = 0

AGENT = EntityDescription(key="conversation")


async def async_setup_entry(
    hass: HomeAssistant, entry: LobugConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the agent of a server."""
    async_add_entities([LobugAgent(entry.runtime_data.coordinator)])


class LobugAgent(LobugEntity, conversation.ConversationEntity):
    """Says a person's words to Lo-Bug and gives back its reply while it is written.

    Lo-Bug remembers the conversation itself, by token; the log of Home Assistant is for showing.
    """

    _attr_name = None
    _attr_supports_streaming = True

    def __init__(self, coordinator: LobugCoordinator) -> None:
        super().__init__(coordinator, AGENT, None)

    @property
    def available(self) -> bool:
        """Always: also that the server cannot be reached is said aloud."""
        return True

    @property
    def supported_languages(self) -> list[str] | Literal["*"]:
        return MATCH_ALL

    async def _async_handle_message(
        self, user_input: conversation.ConversationInput, chat_log: conversation.ChatLog
    ) -> conversation.ConversationResult:
        data = self.coordinator.config_entry.runtime_data
        client = data.talks_as(user_input.context.user_id, user_input.device_id)
        try:
            stream = _deltas(client, user_input.text)
            async for _ in chat_log.async_add_delta_content_stream(self.entity_id, stream):
                pass
        except LobugError as error:
            LOGGER.warning("Lo-Bug did not answer: %s", error)
            if isinstance(error, AccessRefused) and client is data.client:
                self.coordinator.config_entry.async_start_reauth(self.hass)
            return await self._failed(error, user_input, chat_log)
        if not isinstance(chat_log.content[-1], conversation.AssistantContent):
            # Lo-Bug may find that words need no reply.
            chat_log.async_add_assistant_content_without_tools(
                conversation.AssistantContent(agent_id=self.entity_id, content="")
            )
        return conversation.async_get_result_from_chat_log(user_input, chat_log)

    async def _failed(
        self,
        error: LobugError,
        user_input: conversation.ConversationInput,
        chat_log: conversation.ChatLog,
    ) -> conversation.ConversationResult:
        """An error as a sentence that can be spoken, in the language of the person."""
        response = intent.IntentResponse(language=user_input.language)
        language = user_input.language.split("-", maxsplit=1)[0]  # de-CH is answered in German
        said = await async_get_translations(self.hass, language, "exceptions", {DOMAIN})
        sentence = said.get(f"component.{DOMAIN}.exceptions.{_sentence_key(error)}.message", "")
        if isinstance(error, Refused) and not sentence:
            sentence = error.sentence
        response.async_set_error(intent.IntentResponseErrorCode.UNKNOWN, sentence or str(error))
        return conversation.ConversationResult(
            response=response, conversation_id=chat_log.conversation_id
        )


async def _deltas(
    client: LobugClient, text: str
) -> AsyncIterator[conversation.AssistantContentDeltaDict]:
    begun = False
    async for delta in client.say(text):
        if not begun:
            yield {"role": "assistant"}
            begun = True
        yield {"content": delta.text}


def _sentence_key(error: LobugError) -> str:
    """Key of the sentence for an error; the server's own sentence is said where there is none."""
    match error:
        case AccessRefused():
            return "spoken_access_refused"
        case Refused(code="busy" | "too_many_requests"):
            return "spoken_busy"
        case Refused(code="text_too_long"):
            return "spoken_too_long"
        case Refused() if error.sentence:
            return "spoken_by_the_server"
        case _:
            return "spoken_unreachable"
