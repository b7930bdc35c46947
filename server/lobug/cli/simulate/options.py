"""Options of ``lobug simulate`` that only ``--protocol ws`` has."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lobug.cli.faults import EXIT_USAGE, CommandError

PANEL = "With --protocol ws: the device"
NETWORK_PANEL = "With --protocol ws: the network, and what goes wrong"
PAIRING_PANEL = "With --protocol ws: discovery and pairing"
SOAK_PANEL = "A soak: whether a server stays as small as it was"


class Protocol(StrEnum):
    """Which door the device uses."""

    http = "http"
    ws = "ws"


class Mode(StrEnum):
    """Who finds the end of speech."""

    auto = "auto"
    manual = "manual"
    realtime = "realtime"


class Format(StrEnum):
    """How audio is written on the wire."""

    opus = "opus"
    pcm = "pcm"


ProtocolOption = Annotated[
    Protocol,
    typer.Option(help="http: the contract of the first firmware. ws: the open streaming protocol."),
]
ModeOption = Annotated[
    Mode,
    typer.Option(
        help="auto: the server finds the end of speech. manual: a button is held. realtime: the"
        " microphone stays open while the device speaks.",
        rich_help_panel=PANEL,
    ),
]
FormatOption = Annotated[
    Format, typer.Option("--format", help="Format of the audio.", rich_help_panel=PANEL)
]
FramesOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=3,
        metavar="N",
        help="Version of the binary frames. Default: what discovery says, else 1.",
        show_default=False,
        rich_help_panel=PANEL,
    ),
]
DevicesOption = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        help="So many devices at once. Default: 1, with --soak 20.",
        show_default=False,
        rich_help_panel=PANEL,
    ),
]
SpreadOption = Annotated[
    float,
    typer.Option(
        min=0.0,
        metavar="SECONDS",
        help="The devices begin within so many seconds of one another.",
        rich_help_panel=PANEL,
    ),
]
WakeWordOption = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="This wakes the device, and interrupts it, instead of a button.",
        show_default=False,
        rich_help_panel=PANEL,
    ),
]
ToolsOption = Annotated[
    bool,
    typer.Option(
        "--tools",
        help="The device has tools: volume, brightness, theme, light, battery.",
        rich_help_panel=PANEL,
    ),
]
BufferOption = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        help="Packets that the device holds before it plays them; older firmware 5.",
        rich_help_panel=PANEL,
    ),
]
LossOption = Annotated[
    float,
    typer.Option(
        min=0.0,
        max=0.9,
        metavar="SHARE",
        help="Share of TCP segments that are lost, both ways: 0.02 is 2 %.",
        rich_help_panel=NETWORK_PANEL,
    ),
]
JitterOption = Annotated[
    float,
    typer.Option(
        "--jitter-ms",
        min=0.0,
        metavar="MS",
        help="A segment's delay varies by so much.",
        rich_help_panel=NETWORK_PANEL,
    ),
]
LatencyOption = Annotated[
    float,
    typer.Option(
        "--latency-ms",
        min=0.0,
        metavar="MS",
        help="Least delay one way.",
        rich_help_panel=NETWORK_PANEL,
    ),
]
BargeInOption = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        metavar="SECONDS",
        help="Interrupt every reply so long after its first sample: by a button, in realtime mode"
        " by speech, with --wake-word by that.",
        show_default=False,
        rich_help_panel=NETWORK_PANEL,
    ),
]
DisconnectOption = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        metavar="SECONDS",
        help="Break off so long after the beginning of the first turn, and connect again: for the"
        " next turn, or without one before the end.",
        show_default=False,
        rich_help_panel=NETWORK_PANEL,
    ),
]
SlowReaderOption = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        metavar="SECONDS",
        help="In the first turn read nothing for so long, from the reply's first packet on.",
        show_default=False,
        rich_help_panel=NETWORK_PANEL,
    ),
]
DiscoveryOption = Annotated[
    bool,
    typer.Option(
        "--discovery/--no-discovery",
        help="Ask the server where to talk first, and wait for approval, as a new device does. On"
        " the server's own computer no device needs that.",
        rich_help_panel=PAIRING_PANEL,
    ),
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        metavar="TOKEN",
        help="The device's token.",
        show_default=False,
        rich_help_panel=PAIRING_PANEL,
    ),
]
StateOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Where the devices keep their tokens from one run to the next. Default: nowhere.",
        show_default=False,
        rich_help_panel=PAIRING_PANEL,
    ),
]
ApproveWithinOption = Annotated[
    float,
    typer.Option(
        min=0.0,
        metavar="SECONDS",
        help="How long the owner may take to approve a device that shows its code.",
        rich_help_panel=PAIRING_PANEL,
    ),
]
SoakOption = Annotated[
    float | None,
    typer.Option(
        metavar="HOURS",
        help="Let devices live so many hours, at most 168, against a server of its own with"
        " scripted engines, and fail when its memory, descriptors, tasks, threads or files grow."
        " Time goes by 96 times as fast. Only with --devices, --seed, --json and --real-time.",
        show_default=False,
        rich_help_panel=SOAK_PANEL,
    ),
]
RealTimeOption = Annotated[
    bool,
    typer.Option(
        "--real-time",
        help="With --soak: time goes by as it does.",
        rich_help_panel=SOAK_PANEL,
    ),
]


@dataclass(frozen=True, slots=True)
class WsChoices:
    """What was chosen for a streaming device."""

    mode: Mode = Mode.auto
    format: Format = Format.opus
    frames: int | None = None
    devices: int = 1
    spread: float = 0.0
    wake_word: str | None = None
    tools: bool = False
    buffer_frames: int = 40
    loss: float = 0.0
    jitter: float = 0.0
    """Milliseconds."""
    latency: float = 0.0
    """Milliseconds."""
    barge_in: float | None = None
    disconnect_after: float | None = None
    slow_reader: float | None = None
    discovery: bool = False
    token: str | None = None
    state: Path | None = None
    approve_within: float = 120.0

    def refuse_for_http(self) -> None:
        """Raises CommandError when anything was chosen: the HTTP contract knows none of it."""
        usual = WsChoices()
        for name in (field.name for field in fields(self)):
            if getattr(self, name) != getattr(usual, name):
                option = {"jitter": "jitter-ms", "latency": "latency-ms"}.get(name, name)
                option = option.replace("_", "-")
                raise CommandError(f"--{option} needs --protocol ws", code=EXIT_USAGE)

    def check(self) -> None:
        """Raises CommandError for choices that exclude one another."""
        if self.token is not None and self.discovery:
            raise CommandError("--token or --discovery, not both", code=EXIT_USAGE)
        if self.token is not None and self.devices > 1:
            raise CommandError("a token belongs to one device: --devices 1", code=EXIT_USAGE)
        if self.wake_word is not None and self.mode is Mode.manual:
            raise CommandError("in manual mode a button is held: no --wake-word", code=EXIT_USAGE)
