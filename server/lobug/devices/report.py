"""A device's report of its own condition: why it started, memory, sound, Wi-Fi, the last crash.

It is untrusted: each value has bounds, one that is not valid counts as not told, and unknown fields
are ignored, so that newer firmware keeps working.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidatorFunctionWrapHandler, WrapValidator

from lobug.telemetry.metrics import DeviceProgress

T = TypeVar("T")


def _or_none(value: object, read: ValidatorFunctionWrapHandler) -> object:
    try:
        return read(value)
    except ValueError:
        return None


Told = Annotated[T | None, WrapValidator(_or_none)]
"""A value that the device may leave out; one that is not valid counts as left out."""

Count = Annotated[int, Field(strict=True, ge=0, le=2**53)]
Bytes = Annotated[int, Field(strict=True, ge=0, le=2**32)]
Address = Annotated[str, Field(pattern=r"^[0-9a-f]{8}$")]
ReasonNumber = Annotated[str, Field(pattern=r"^[0-9]{1,3}$")]
TaskName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_. -]{1,16}$")]

MAX_LOSS_REASONS = 9
"""Reasons of one report: the firmware counts eight, and all others as one."""
MAX_TASKS = 8


class ResetReason(StrEnum):
    """Why a device started."""

    POWER_ON = "power_on"
    EXTERNAL = "external"
    SOFTWARE = "software"
    PANIC = "panic"
    INTERRUPT_WATCHDOG = "interrupt_watchdog"
    TASK_WATCHDOG = "task_watchdog"
    WATCHDOG = "watchdog"
    DEEP_SLEEP = "deep_sleep"
    BROWNOUT = "brownout"
    SDIO = "sdio"
    UNKNOWN = "unknown"

    @property
    def is_fault(self) -> bool:
        """Whether the device had not wanted to start again."""
        return self in _FAULTS


class Storage(StrEnum):
    """How a device keeps what it stores."""

    PLAIN = "plain"
    ENCRYPTED = "encrypted"


class UpdateRefusal(StrEnum):
    """Why a device does not trust an update."""

    NO_KEY = "no_key"
    """It knows no key of its server."""
    UNSIGNED = "unsigned"
    WRONG_SIGNATURE = "wrong_signature"
    """Not by the key that it keeps."""


_FAULTS = frozenset(
    {
        ResetReason.PANIC,
        ResetReason.INTERRUPT_WATCHDOG,
        ResetReason.TASK_WATCHDOG,
        ResetReason.WATCHDOG,
        ResetReason.BROWNOUT,
    }
)


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class CrashReport(_Part):
    """The core dump that the device keeps of its last crash, in short."""

    task: Told[TaskName] = Field(None, description="Which task crashed.")
    pc: Told[Address] = Field(None, description="Where, an address of the firmware's code.")
    cause: Told[Count] = Field(None, description="The processor's number for what went wrong.")
    address: Told[Address] = Field(None, description="The memory that was to be reached.")
    backtrace: Told[Annotated[list[Address], Field(max_length=16)]] = Field(
        None, description="What had called it, the innermost first."
    )
    corrupted: Told[Annotated[bool, Field(strict=True)]] = Field(
        None, description="Whether the backtrace cannot be relied on."
    )
    image: Told[Annotated[str, Field(pattern=r"^[0-9a-f]{4,64}$")]] = Field(
        None, description="Beginning of the SHA-256 of the firmware (ELF) that crashed."
    )


class AudioReport(_Part):
    """Sound since the device started."""

    gaps: Told[Count] = Field(None, description="Replies that ran dry in their middle, each time.")
    late_ms: Told[Count] = Field(None, description="How long those gaps were together, ms.")
    dropped_ms: Told[Count] = Field(
        None, description="Sound of replies that found no room and was dropped, ms."
    )
    unsent_ms: Told[Count] = Field(
        None, description="Sound of the microphone that could not be sent in time, ms."
    )


class WifiReport(_Part):
    """The Wi-Fi since the device started."""

    rssi: Told[Annotated[int, Field(strict=True, ge=-127, le=0)]] = Field(
        None, description="Strength of its signal, dBm."
    )
    reconnects: Told[Count] = Field(None, description="How often it came back.")
    losses: Told[Annotated[dict[ReasonNumber, Count], Field(max_length=MAX_LOSS_REASONS)]] = Field(
        None,
        description="Why it was lost or could not be joined, and how often: the reason numbers of"
        " ESP-IDF; 0 are all others.",
    )


class MemoryReport(_Part):
    """The chip's internal memory."""

    free: Told[Bytes] = Field(None, description="Free, bytes.")
    largest: Told[Bytes] = Field(None, description="The largest free block, bytes.")
    least: Told[Bytes] = Field(None, description="The least that was free, bytes.")


class Report(_Part):
    """What a device says of its own condition. Everything may be missing."""

    uptime_s: Told[Count] = Field(None, description="Since it started, seconds.")
    reset: Told[ResetReason] = Field(None, description="Why it started.")
    crash: Told[CrashReport] = Field(
        None,
        description="The core dump that is stored in it. The crash was before this start if `reset`"
        " is a fault, else before an earlier one.",
    )
    audio: Told[AudioReport] = Field(None, description="Sound since it started.")
    wifi: Told[WifiReport] = Field(None, description="The Wi-Fi since it started.")
    bad_glyphs: Told[Count] = Field(
        None, description="Pictures of characters that were broken or found no room."
    )
    memory: Told[MemoryReport] = Field(None, description="The chip's internal memory.")
    stacks: Told[Annotated[dict[TaskName, Bytes], Field(max_length=MAX_TASKS)]] = Field(
        None, description="The least that was free on the stack of each task, bytes."
    )
    nvs: Told[Storage] = Field(
        None, description="Whether what it stores, its token too, is encrypted in its flash memory."
    )
    update_refused: Told[UpdateRefusal] = Field(
        None, description="Why it refuses the update that it is offered; absent: it refuses none."
    )


def read_report(told: object) -> Report | None:
    """Read a report, the value of the field ``report``. None: it is no object. Pure."""
    return Report.model_validate(told) if isinstance(told, Mapping) else None


LATER_S = 120.0
"""Seconds by which the moment of a start may seem to move without another start in between."""


def progress(
    before: Report | None, before_at: float | None, now: Report, now_at: float
) -> DeviceProgress:
    """What has happened to a device between two of its reports, or since its start. Times are
    seconds of one clock. Counters that have fallen count as not moved. Pure."""
    goes_on = (
        before is not None
        and before.uptime_s is not None
        and now.uptime_s is not None
        and before_at is not None
        and now.uptime_s >= before.uptime_s
        and abs((now_at - now.uptime_s) - (before_at - before.uptime_s)) < LATER_S
    )
    since = before if goes_on and before is not None else Report()
    audio, audio_before = now.audio or AudioReport(), since.audio or AudioReport()
    wifi, wifi_before = now.wifi or WifiReport(), since.wifi or WifiReport()
    losses_before = wifi_before.losses or {}
    return DeviceProgress(
        started=None if goes_on else (now.reset or ResetReason.UNKNOWN).value,
        gaps=_grown(audio_before.gaps, audio.gaps),
        late_s=_grown(audio_before.late_ms, audio.late_ms) / 1000,
        dropped_s=_grown(audio_before.dropped_ms, audio.dropped_ms) / 1000,
        unsent_s=_grown(audio_before.unsent_ms, audio.unsent_ms) / 1000,
        reconnects=_grown(wifi_before.reconnects, wifi.reconnects),
        losses={
            int(reason): _grown(losses_before.get(reason), count)
            for reason, count in (wifi.losses or {}).items()
        },
    )


def _grown(before: int | None, now: int | None) -> int:
    return max(0, (now or 0) - (before or 0))
