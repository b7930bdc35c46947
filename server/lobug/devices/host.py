"""What a device's session needs of the server that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lobug.devices.registry import Connections
from lobug.engines.base import Engines
from lobug.engines.tools import Tool
from lobug.memory.model import ConversationKey
from lobug.priority import TurnPriority
from lobug.settings import Settings
from lobug.telemetry.telemetry import Telemetry
from lobug.turn.prefetch import ReadAhead
from lobug.turn.runner import TurnRunner


class DeviceHost(Protocol):
    """The server, as sessions of devices use it."""

    @property
    def settings(self) -> Settings:
        """The server's settings."""

    @property
    def engines(self) -> Engines:
        """The engines that turns use."""

    @property
    def priority(self) -> TurnPriority:
        """Who may use the cores."""

    @property
    def telemetry(self) -> Telemetry:
        """Where turns and devices are reported."""

    @property
    def connections(self) -> Connections:
        """The devices that are connected, and what they share."""

    @property
    def turns(self) -> TurnRunner:
        """Runs turns."""

    @property
    def read_ahead(self) -> ReadAhead:
        """Lets the chat model read prompts before they are needed."""

    def offer_tools(
        self, conversation_key: ConversationKey, tools: Sequence[Tool], *, again: bool = False
    ) -> None:
        """Let the chat model read the prompt of a conversation with these tools."""

    async def after_turn(self, conversation_key: ConversationKey) -> None:
        """Prepare for the conversation's next turn."""
