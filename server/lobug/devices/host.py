"""What a device's session needs from the server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lobug.devices.connected_devices import ConnectedDevices
from lobug.engines.base import Engines
from lobug.engines.tools import Tool
from lobug.memory.model import ConversationKey
from lobug.priority import TurnPriority
from lobug.settings import Settings
from lobug.telemetry.telemetry import Telemetry
from lobug.turn.prefetch import PromptPrefetcher
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
        """Decides between turns and background work."""

    @property
    def telemetry(self) -> Telemetry:
        """Takes the records of turns and devices."""

    @property
    def connections(self) -> ConnectedDevices:
        """The devices that are connected, and what they share."""

    @property
    def turns(self) -> TurnRunner:
        """Runs turns."""

    @property
    def prefetcher(self) -> PromptPrefetcher:
        """Fills the chat model's prompt caches ahead of turns."""

    def offer_tools(
        self, conversation_key: ConversationKey, tools: Sequence[Tool], *, again: bool = False
    ) -> None:
        """Put a device's tools into the prompt of its conversation. ``again``: only if the prompt
        tells of none."""

    async def after_turn(self, conversation_key: ConversationKey) -> None:
        """Prepare for the conversation's next turn."""
