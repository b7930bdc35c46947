"""Results of requests, turns and runs, which print as a table or as JSON lines. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lobug.simulator.contract import ReplyWav
from lobug.simulator.device_audio import SpeakerAccount


def percentile(values: list[float], fraction: float) -> float | None:
    """The value at ``fraction`` (0 to 1) of the sorted values, the nearest one; None: no values."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(fraction * (len(ordered) - 1)))]


@dataclass(frozen=True, slots=True)
class HealthResult:
    """One ``GET /health``. It is good when there are no problems."""

    seconds: float
    problems: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
    """What the server reports as degraded; no problem for the device."""

    def record(self) -> dict[str, object]:
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


@dataclass(frozen=True, slots=True)
class WsTurnResult:
    """One turn. Times are seconds; those of the reply count from the last voiced sample, as the
    microphone recorded it. None: it did not happen."""

    said: str
    """The recording's name; empty: nobody had asked."""
    device: str = ""
    """Its Device-Id."""
    index: int = 0
    """Counts the device's turns from 1."""
    speech_s: float = 0.0
    """From the first to the last voiced sample."""
    transcript_s: float | None = None
    """Until ``stt`` came."""
    speaking_s: float | None = None
    """Until ``tts start`` came."""
    first_packet_s: float | None = None
    """Until the first packet of audio came."""
    first_audio_s: float | None = None
    """Until the loudspeaker played its first sample."""
    cut_short_s: float | None = None
    """Seconds of speech that were not recorded because the server spoke too early."""
    heard: str = ""
    """What the server understood."""
    sentences: tuple[str, ...] = ()
    """The words of the reply."""
    emotions: tuple[str, ...] = ()
    account: SpeakerAccount = field(default_factory=SpeakerAccount)
    """What became of the reply's audio."""
    dropped: int = 0
    """Packets that arrived while the device did not speak; it drops them."""
    out_of_order: int = 0
    """Packets out of sequence; counted only where packets have numbers."""
    interrupted_silence_s: float | None = None
    """From the interruption until the loudspeaker was silent."""
    tools_used: int = 0
    alerts: tuple[str, ...] = ()
    closed: str | None = None
    """How the connection ended, if it did."""
    provoked: bool = False
    """The device itself broke off or stopped reading: an end of the connection is no problem."""
    wav: bytes = field(default=b"", repr=False)
    """What was played; empty where nobody asked for it."""
    saved: Path | None = None
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.problems

    @property
    def unasked(self) -> bool:
        """Whether the server spoke without being asked."""
        return not self.said

    def record(self) -> dict[str, object]:
        account = self.account
        return {
            "event": "unasked" if self.unasked else "turn",
            "device": self.device,
            "turn": self.index,
            "ok": self.ok,
            "said": self.said,
            "speech_s": round(self.speech_s, 3),
            "heard": self.heard,
            "sentences": list(self.sentences),
            "emotions": list(self.emotions),
            "transcript_s": _rounded(self.transcript_s),
            "speaking_s": _rounded(self.speaking_s),
            "first_packet_s": _rounded(self.first_packet_s),
            "first_audio_s": _rounded(self.first_audio_s),
            "reply_s": round(account.seconds, 3),
            "packets": account.frames,
            "starvations": account.starvations,
            "starved_s": round(account.starved_s, 3),
            "pauses": account.pauses,
            "paused_s": round(account.paused_s, 3),
            "overflowed": account.overflowed,
            "dropped": self.dropped,
            "out_of_order": self.out_of_order,
            "discarded": account.discarded,
            "interrupted_silence_s": _rounded(self.interrupted_silence_s),
            "cut_short_s": _rounded(self.cut_short_s),
            "tools_used": self.tools_used,
            "alerts": list(self.alerts),
            "closed": self.closed,
            "reply_wav": str(self.saved) if self.saved else None,
            "problems": list(self.problems),
        }


@dataclass(slots=True)
class TurnRecorder:
    """Collects a turn while it happens. Times are readings of the device's clock."""

    said: str
    begun_at: float | None = None
    """When its first packet began to be recorded."""
    speech_start_at: float = 0.0
    speech_end_at: float = 0.0
    """When the microphone recorded the last voiced sample."""
    transcript_at: float | None = None
    speaking_at: float | None = None
    first_packet_at: float | None = None
    interrupted_at: float | None = None
    cut_short_s: float | None = None
    heard: str = ""
    sentences: list[str] = field(default_factory=list)
    emotions: list[str] = field(default_factory=list)
    alerts: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    packets: list[bytes] = field(default_factory=list)
    """Those that were accepted for playing, where they are kept."""
    dropped: int = 0
    out_of_order: int = 0
    tools_used: int = 0
    closed: str | None = None
    provoked: bool = False
    complete: bool = False
    """The server has said that its reply is over."""

    def begin(self, at: float, speech_start_s: float, speech_end_s: float) -> None:
        """The microphone begins to record the utterance."""
        self.begun_at = at
        self.speech_start_at = at + speech_start_s
        self.speech_end_at = at + speech_end_s

    def problem(self, sentence: str) -> None:
        """Note what went wrong, once."""
        if sentence not in self.problems:
            self.problems.append(sentence)

    def result(self, device: str, index: int, account: SpeakerAccount) -> WsTurnResult:
        """The turn as a value. ``account``: what became of its reply."""
        problems = [*self.problems, *self._found(account)]
        silence_s = None
        if self.interrupted_at is not None and account.silent_at is not None:
            silence_s = max(0.0, account.silent_at - self.interrupted_at)
        return WsTurnResult(
            said=self.said,
            device=device,
            index=index,
            speech_s=self.speech_end_at - self.speech_start_at,
            transcript_s=self._since_speech(self.transcript_at),
            speaking_s=self._since_speech(self.speaking_at),
            first_packet_s=self._since_speech(self.first_packet_at),
            first_audio_s=self._since_speech(account.first_at),
            cut_short_s=self.cut_short_s,
            heard=self.heard,
            sentences=tuple(self.sentences),
            emotions=tuple(self.emotions),
            account=account,
            dropped=self.dropped,
            out_of_order=self.out_of_order,
            interrupted_silence_s=silence_s,
            tools_used=self.tools_used,
            alerts=tuple(self.alerts),
            closed=self.closed,
            provoked=self.provoked,
            problems=tuple(problems),
        )

    def _since_speech(self, at: float | None) -> float | None:
        return None if at is None or self.begun_at is None else at - self.speech_end_at

    def _found(self, account: SpeakerAccount) -> list[str]:
        """Problems of the device's user, as sentences."""
        found = []
        if account.overflowed:
            found.append(f"{account.overflowed} packets found the device's buffer full")
        if account.starvations and not self.provoked:
            found.append(
                f"playback ran dry {_times(account.starvations)}, for {account.starved_s:.2f} s"
            )
        if self.dropped and self.interrupted_at is None:
            found.append(f"{self.dropped} packets came while the device was not speaking")
        if self.out_of_order:
            found.append(f"{self.out_of_order} packets were lost or out of order")
        if self.cut_short_s is not None:
            found.append(f"the server spoke {self.cut_short_s:.2f} s before the speech was over")
        if self.closed is not None and not self.provoked:
            found.append(f"the connection ended: {self.closed}")
        return found


@dataclass(slots=True)
class WsSummary:
    """A whole run."""

    devices: int
    seconds: float = 0.0
    turns: list[WsTurnResult] = field(default_factory=list)
    unasked: list[WsTurnResult] = field(default_factory=list)
    """What the server said without being asked."""
    unreachable: list[str] = field(default_factory=list)
    """Why a device could not connect, for each that could not."""
    reconnections: int = 0
    lost_segments: int = 0
    """Of the network model."""
    until: str | None = None
    """The pattern that a reply had to match; None: there was none."""
    matched: bool = False

    @property
    def failed_turns(self) -> int:
        return sum(not turn.ok for turn in self.turns)

    @property
    def ok(self) -> bool:
        """Whether every device connected, every turn went well, and ``until`` was reached."""
        reached = self.until is None or self.matched
        played = all(one.ok for one in self.unasked)
        return not self.unreachable and not self.failed_turns and played and reached

    def times(self, of: Callable[[WsTurnResult], float | None]) -> Sequence[float]:
        """One time of all turns that have it."""
        return [value for turn in self.turns if (value := of(turn)) is not None]

    def record(self) -> dict[str, object]:
        accounts = [turn.account for turn in self.turns]
        return {
            "event": "summary",
            "ok": self.ok,
            "devices": self.devices,
            "seconds": round(self.seconds, 3),
            "turns": len(self.turns),
            "failed_turns": self.failed_turns,
            "unasked": len(self.unasked),
            "unreachable": list(self.unreachable),
            "reconnections": self.reconnections,
            "lost_segments": self.lost_segments,
            **_spread("first_audio", self.times(lambda turn: turn.first_audio_s)),
            **_spread("transcript", self.times(lambda turn: turn.transcript_s)),
            **_spread("interrupted_silence", self.times(lambda turn: turn.interrupted_silence_s)),
            "reply_s": round(sum(account.seconds for account in accounts), 3),
            "packets": sum(account.frames for account in accounts),
            "starvations": sum(account.starvations for account in accounts),
            "starved_s": round(sum(account.starved_s for account in accounts), 3),
            "overflowed": sum(account.overflowed for account in accounts),
            "dropped": sum(turn.dropped for turn in self.turns),
            "out_of_order": sum(turn.out_of_order for turn in self.turns),
            "until": self.until,
            "matched": self.matched,
        }


def _spread(name: str, times: Sequence[float]) -> dict[str, object]:
    return {
        f"{name}_p50_s": _rounded(percentile(list(times), 0.5)),
        f"{name}_p95_s": _rounded(percentile(list(times), 0.95)),
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
