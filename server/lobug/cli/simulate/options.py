"""The options of ``lobug simulate``, in sets: of every run, of streaming devices, of a soak.

Each option is declared once, as a field of a dataclass, with its type, help and default.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lobug.cli.sentences import sentence
from lobug.cli.terminal import EXIT_USAGE, CommandError

DEVICE_PANEL = "With --protocol ws: the device"
NETWORK_PANEL = "With --protocol ws: the network, and what goes wrong"
PAIRING_PANEL = "With --protocol ws: discovery and pairing"
SOAK_PANEL = "A soak: does a server stay as small as it was?"


class Protocol(StrEnum):
    """Which protocol the device speaks."""

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


FilesArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILE]...",
        help="Recordings to speak: WAV files of any rate, or folders of them.",
        show_default=False,
    ),
]
ProtocolOption = Annotated[
    Protocol,
    typer.Option(help="http: the contract of the first firmware. ws: the open streaming protocol."),
]
SeedOption = Annotated[
    int, typer.Option(metavar="N", help="Seed of the sensor noise, and of the network.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object a line, a summary last.")
]


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """What is said in a run, and what is expected of the replies."""

    say: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Speak this, with the embedded voice. Repeatable.",
            show_default=False,
        ),
    ] = None
    text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Send this as text, without speech. Repeatable.",
            show_default=False,
        ),
    ] = None
    until: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="Repeat the turns until a response matches (upper and lower case are the"
            " same). No match is a failure.",
        ),
    ] = None
    max_turns: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Take at most this many turns; the inputs are repeated if there are fewer."
            " Default: every input once; with --until, 20 turns, or every input once if"
            " there are more.",
            show_default=False,
        ),
    ] = None
    pause: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="SECONDS",
            help="Wait this long between two turns. Default: 0, or 3 with --until.",
            show_default=False,
        ),
    ] = None
    wait: Annotated[
        float,
        typer.Option(
            min=0.0, metavar="SECONDS", help="How long the server may take to become healthy."
        ),
    ] = 0.0
    idle: Annotated[
        float,
        typer.Option(
            min=0.0,
            metavar="SECONDS",
            help="How long to stay connected after the last turn. With --protocol ws, what is said"
            " unasked in that time is shown, and saved like replies.",
        ),
    ] = 0.0
    timeout: Annotated[
        float,
        typer.Option(min=0.001, metavar="SECONDS", help="How long the device waits for a reply."),
    ] = 30.0
    device_id: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Send this as Device-Id. The first firmware sends none."),
    ] = None
    replies_dir: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Folder in which the replies are saved as WAV files."),
    ] = Path("replies")
    expect_speech: Annotated[
        bool, typer.Option("--expect-speech", help="Fail when a recording is not transcribed.")
    ] = False
    expect_voice: Annotated[
        bool, typer.Option("--expect-voice", help="Fail when a reply has no audio.")
    ] = False


@dataclass(frozen=True, slots=True)
class MotionOptions:
    """What the motion sensor of an HTTP device feels."""

    tap: Annotated[bool, typer.Option("--tap", help="The device is tapped at the start.")] = False
    shake: Annotated[bool, typer.Option("--shake", help="The device is being shaken.")] = False


@dataclass(frozen=True, slots=True)
class StreamingOptions:
    """What only streaming devices have."""

    mode: Annotated[
        Mode,
        typer.Option(
            help="auto: the server finds the end of speech. manual: a button is held. realtime: the"
            " microphone stays open while the device speaks.",
            rich_help_panel=DEVICE_PANEL,
        ),
    ] = Mode.auto
    format_: Annotated[
        Format, typer.Option("--format", help="Format of the audio.", rich_help_panel=DEVICE_PANEL)
    ] = Format.opus
    frames: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=3,
            metavar="N",
            help="Version of the binary frames. Default: what discovery says, else 1.",
            show_default=False,
            rich_help_panel=DEVICE_PANEL,
        ),
    ] = None
    devices: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Number of devices at once. Default: 1, or 20 with --soak.",
            show_default=False,
            rich_help_panel=DEVICE_PANEL,
        ),
    ] = 1
    spread: Annotated[
        float,
        typer.Option(
            min=0.0,
            metavar="SECONDS",
            help="The devices start at random within this many seconds.",
            rich_help_panel=DEVICE_PANEL,
        ),
    ] = 0.0
    wake_word: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="The wake word that wakes and interrupts the device, instead of a button.",
            show_default=False,
            rich_help_panel=DEVICE_PANEL,
        ),
    ] = None
    tools: Annotated[
        bool,
        typer.Option(
            "--tools",
            help="The device has tools: volume, brightness, theme, light, battery.",
            rich_help_panel=DEVICE_PANEL,
        ),
    ] = False
    buffer_frames: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Packets that the device can hold before it plays them; 5 with older firmware.",
            rich_help_panel=DEVICE_PANEL,
        ),
    ] = 40
    loss: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=0.9,
            metavar="SHARE",
            help="Share of TCP segments that are lost, both ways: 0.02 is 2 %.",
            rich_help_panel=NETWORK_PANEL,
        ),
    ] = 0.0
    jitter: Annotated[
        float,
        typer.Option(
            "--jitter-ms",
            min=0.0,
            metavar="MS",
            help="How much the delay of segments varies.",
            rich_help_panel=NETWORK_PANEL,
        ),
    ] = 0.0
    """Milliseconds."""
    latency: Annotated[
        float,
        typer.Option(
            "--latency-ms",
            min=0.0,
            metavar="MS",
            help="Smallest delay, one way.",
            rich_help_panel=NETWORK_PANEL,
        ),
    ] = 0.0
    """Milliseconds."""
    barge_in: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="SECONDS",
            help="Interrupt every reply this long after its first sample: with the button, in"
            " realtime mode by speech, with --wake-word by the wake word.",
            show_default=False,
            rich_help_panel=NETWORK_PANEL,
        ),
    ] = None
    disconnect_after: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="SECONDS",
            help="Cut the connection this long after the first turn began, and connect again:"
            " for the next turn, or before the end if there is none.",
            show_default=False,
            rich_help_panel=NETWORK_PANEL,
        ),
    ] = None
    slow_reader: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="SECONDS",
            help="In the first turn, read nothing for this long, from the first packet of the"
            " reply on.",
            show_default=False,
            rich_help_panel=NETWORK_PANEL,
        ),
    ] = None
    discovery: Annotated[
        bool,
        typer.Option(
            "--discovery/--no-discovery",
            help="First ask the server where to connect, and wait for approval, as a new"
            " device does. On the server's own computer no device needs approval.",
            rich_help_panel=PAIRING_PANEL,
        ),
    ] = False
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            help="The device's token.",
            show_default=False,
            rich_help_panel=PAIRING_PANEL,
        ),
    ] = None
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File in which the devices keep their tokens from one run to the next."
            " Default: none.",
            show_default=False,
            rich_help_panel=PAIRING_PANEL,
        ),
    ] = None
    approve_within: Annotated[
        float,
        typer.Option(
            min=0.0,
            metavar="SECONDS",
            help="How long the owner may take to approve a device that shows its code.",
            rich_help_panel=PAIRING_PANEL,
        ),
    ] = 120.0

    def refuse_for_http(self) -> None:
        """Raise CommandError when any of these was given: the HTTP contract has none of them."""
        usual = StreamingOptions()
        for name in (field.name for field in fields(self)):
            if getattr(self, name) != getattr(usual, name):
                option = {"jitter": "jitter-ms", "latency": "latency-ms"}.get(name, name)
                option = option.rstrip("_").replace("_", "-")
                raise CommandError(
                    sentence("simulate.needs_ws", option=f"--{option}"), code=EXIT_USAGE
                )

    def check(self) -> None:
        """Raise CommandError for options that exclude one another."""
        if self.token is not None and self.discovery:
            raise CommandError(sentence("simulate.token_or_discovery"), code=EXIT_USAGE)
        if self.token is not None and self.devices > 1:
            raise CommandError(sentence("simulate.token_of_one"), code=EXIT_USAGE)
        if self.wake_word is not None and self.mode is Mode.manual:
            raise CommandError(sentence("simulate.manual_wake_word"), code=EXIT_USAGE)


@dataclass(frozen=True, slots=True)
class SoakOptions:
    """A soak: many devices for hours, against a server of its own."""

    soak: Annotated[
        float | None,
        typer.Option(
            metavar="HOURS",
            help="Let devices use a server of their own with scripted engines for this many"
            " hours, at most 168, and fail if its memory, descriptors, tasks, threads or"
            " files grow. Time passes 96 times as fast. Can be combined with --devices,"
            " --seed, --json and --real-time only.",
            show_default=False,
            rich_help_panel=SOAK_PANEL,
        ),
    ] = None
    """Simulated hours; None: no soak."""
    real_time: Annotated[
        bool,
        typer.Option(
            "--real-time",
            help="With --soak: time passes at its normal speed.",
            rich_help_panel=SOAK_PANEL,
        ),
    ] = False
