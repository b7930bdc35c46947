"""Results of requests, turns and runs, which print as a table or as JSON lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from lobug.simulator.http.contract import ReplyWav
from lobug.simulator.runs import percentile


@dataclass(frozen=True, slots=True)
class HealthResult:
    """One ``GET /health``. It is good when there are no problems."""

    seconds: float
    problems: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
    """What the server reports as degraded; no problem for the device."""

    def record(self) -> dict[str, object]:
        """As one JSON object."""
        return {
            "event": "health",
            "ok": not self.problems,
            "seconds": round(self.seconds, 3),
            "degraded": list(self.degraded),
            "problems": list(self.problems),
        }


@dataclass(frozen=True, slots=True)
class SensorResult:
    """One ``POST /context/sensors``."""

    seconds: float
    reading: dict[str, object]
    problems: tuple[str, ...] = ()

    def record(self) -> dict[str, object]:
        """As one JSON object."""
        return {
            "event": "sensors",
            "ok": not self.problems,
            "seconds": round(self.seconds, 3),
            "reading": self.reading,
            "problems": list(self.problems),
        }


@dataclass(frozen=True, slots=True)
class TurnResult:
    """One turn, as the device saw it."""

    index: int
    """Counts from 1."""
    said: str
    """The text, or the recording's name."""
    spoken: bool
    """Through the microphone, or as text."""
    recording_s: float
    """Length of what the microphone recorded; 0 for text."""
    seconds: float
    """From the first byte sent to the last byte received."""
    first_byte_s: float | None
    """From the first byte sent to the reply's header; None: none came."""
    status: int | None
    """HTTP status; None: no answer."""
    transcription: str = ""
    response: str = ""
    action: str = ""
    wav: bytes = field(default=b"", repr=False)
    """The reply's audio."""
    wav_info: ReplyWav | None = None
    saved: Path | None = None
    """Where the reply's audio was saved."""
    error_code: str | None = None
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the device could use the reply."""
        return not self.problems

    def record(self) -> dict[str, object]:
        """As one JSON object."""
        return {
            "event": "turn",
            "turn": self.index,
            "ok": self.ok,
            "said": self.said,
            "spoken": self.spoken,
            "recording_s": round(self.recording_s, 3),
            "status": self.status,
            "error_code": self.error_code,
            "transcription": self.transcription,
            "action": self.action,
            "response": self.response,
            "reply_s": round(self.wav_info.seconds, 3) if self.wav_info else None,
            "reply_sample_rate": self.wav_info.sample_rate if self.wav_info else None,
            "reply_wav": str(self.saved) if self.saved else None,
            "first_byte_s": None if self.first_byte_s is None else round(self.first_byte_s, 3),
            "seconds": round(self.seconds, 3),
            "problems": list(self.problems),
        }


@dataclass(slots=True)
class Summary:
    """A whole run."""

    turns: list[TurnResult] = field(default_factory=list)
    health_checks: int = 0
    health_failures: int = 0
    sensor_reports: int = 0
    sensor_failures: int = 0
    until: str | None = None
    """The pattern that a response had to match; None: there was none."""
    matched: bool = False

    def add(self, result: HealthResult | SensorResult | TurnResult) -> None:
        """Count a result."""
        match result:
            case TurnResult():
                self.turns.append(result)
            case HealthResult():
                self.health_checks += 1
                self.health_failures += bool(result.problems)
            case SensorResult():
                self.sensor_reports += 1
                self.sensor_failures += bool(result.problems)

    @property
    def failed_turns(self) -> int:
        """Turns whose reply the device could not use."""
        return sum(not turn.ok for turn in self.turns)

    @property
    def ok(self) -> bool:
        """Whether everything the device asked for worked, and ``until`` was reached."""
        failures = self.failed_turns + self.health_failures + self.sensor_failures
        return failures == 0 and (self.until is None or self.matched)

    def record(self) -> dict[str, object]:
        """As one JSON object."""
        times = [turn.seconds for turn in self.turns if turn.ok]
        p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
        return {
            "event": "summary",
            "ok": self.ok,
            "turns": len(self.turns),
            "failed_turns": self.failed_turns,
            "until": self.until,
            "matched": self.matched,
            "health_checks": self.health_checks,
            "health_failures": self.health_failures,
            "sensor_reports": self.sensor_reports,
            "sensor_failures": self.sensor_failures,
            "p50_s": None if p50 is None else round(p50, 3),
            "p95_s": None if p95 is None else round(p95, 3),
        }


Result = HealthResult | SensorResult | TurnResult
