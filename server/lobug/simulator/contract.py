"""Checks whether the first device could use a reply. Pure.

Every check returns a list of problems, as sentences; an empty list means that all is well.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

ACTIONS = ("respond", "react", "ignore")

HEADER_BYTES = 44
"""Bytes that the device skips before it plays, whatever the header says."""

DEVICE_MEMORY_BYTES = 4 * 1024 * 1024
"""Usable PSRAM of a Core2. It holds the reply's JSON and the WAV decoded from it at once."""

_BODY_EXCERPT = 120


@dataclass(frozen=True, slots=True)
class ReplyWav:
    """Header of a reply's WAV."""

    sample_rate: int
    """Hz."""
    seconds: float


@dataclass(frozen=True, slots=True)
class CheckedReply:
    """A reply to a turn, as far as it could be read."""

    transcription: str = ""
    response: str = ""
    action: str = ""
    wav: bytes = b""
    """The decoded reply audio; empty when there is none."""
    wav_info: ReplyWav | None = None
    problems: tuple[str, ...] = field(default_factory=tuple)
    error_code: str | None = None
    """Lo-Bug's stable error code, when the server answered with an error."""


def check_transport(status: int, headers: Mapping[str, str], body: bytes) -> list[str]:
    """Problems of status, encoding and transfer for the device's HTTP client. Header names are in
    lower case."""
    problems = []
    if status != 200:
        code, message = read_error(body)
        reason = f" ({code})" if code else ""
        problems.append(f"the server answered {status}{reason}: {message}")
    encoding = headers.get("content-encoding", "identity")
    if encoding != "identity":
        problems.append(f"the body is compressed ({encoding}), which the device cannot read")
    transfer = headers.get("transfer-encoding", "identity")
    if transfer.lower() not in {"identity", "chunked"}:
        problems.append(f"the device cannot read the transfer encoding {transfer}")
    return problems


def read_error(body: bytes) -> tuple[str | None, str]:
    """Code and message of an error answer, from whatever shape it has."""
    try:
        document = json.loads(body)
    except ValueError:
        return None, _excerpt(body)
    for candidate in (document, *(document.values() if isinstance(document, dict) else ())):
        if isinstance(candidate, dict) and isinstance(candidate.get("code"), str):
            message = candidate.get("message") or candidate.get("detail") or ""
            return candidate["code"], str(message)
    if isinstance(document, dict) and "detail" in document:
        return None, str(document["detail"])
    return None, _excerpt(body)


def check_health(body: bytes) -> list[str]:
    """``/health``: ``status``, ``ollama`` (bool), ``timestamp``."""
    document, problems = _object(body)
    if document is None:
        return problems
    if not isinstance(document.get("status"), str):
        problems.append("`status` is missing or is not text")
    if not isinstance(document.get("ollama"), bool):
        problems.append("`ollama` is missing or is not true or false")
    if not isinstance(document.get("timestamp"), str | int | float) or isinstance(
        document.get("timestamp"), bool
    ):
        problems.append("`timestamp` is missing or is neither text nor a number")
    return problems


def read_degraded(body: bytes) -> tuple[str, ...]:
    """The sentences of ``degraded`` in ``/health``, which Lo-Bug adds to the contract."""
    document, _ = _object(body)
    listed = document.get("degraded") if document else None
    return tuple(str(item) for item in listed) if isinstance(listed, list) else ()


def check_sensors(body: bytes) -> list[str]:
    """``/context/sensors``: ``status`` is ``ok``."""
    document, problems = _object(body)
    if document is not None and document.get("status") != "ok":
        problems.append(f"`status` is {document.get('status')!r}, expected 'ok'")
    return problems


def check_text(body: bytes) -> CheckedReply:
    """``/chat/text``: ``response``."""
    document, problems = _object(body)
    if document is None:
        return CheckedReply(problems=tuple(problems))
    response = _text_field(document, "response", problems)
    return CheckedReply(response=response, action="respond", problems=tuple(problems))


def check_audio(body: bytes) -> CheckedReply:
    """``/chat/audio``: ``transcription``, ``response``, ``action``, ``audio_b64``."""
    document, problems = _object(body)
    if document is None:
        return CheckedReply(problems=tuple(problems))
    transcription = _text_field(document, "transcription", problems)
    response = _text_field(document, "response", problems)
    action = _text_field(document, "action", problems)
    encoded = _text_field(document, "audio_b64", problems)
    if "action" in document and action not in ACTIONS:
        problems.append(f"`action` is {document['action']!r}, expected one of {', '.join(ACTIONS)}")
    if action == "respond" and not response.strip():
        problems.append("`action` is respond but `response` is empty")
    wav, wav_info = b"", None
    if encoded:
        if action in {"react", "ignore"}:
            problems.append(f"`audio_b64` must be empty when `action` is {action}")
        try:
            wav = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            problems.append("`audio_b64` is not valid base64")
        else:
            wav_info, wav_problems = check_wav(wav)
            problems.extend(wav_problems)
            held = len(body) + len(wav)
            if held > DEVICE_MEMORY_BYTES:
                problems.append(
                    f"the reply needs {held / 1e6:.1f} MB on the device (the JSON and the decoded"
                    f" WAV), which has {DEVICE_MEMORY_BYTES / 1e6:.1f} MB"
                )
    return CheckedReply(
        transcription=transcription,
        response=response,
        action=action,
        wav=wav,
        wav_info=wav_info,
        problems=tuple(problems),
    )


def check_wav(wav: bytes) -> tuple[ReplyWav | None, list[str]]:
    """Whether the device can play this by skipping 44 bytes: canonical header, PCM16, mono."""
    if len(wav) < HEADER_BYTES:
        return None, [f"the WAV has {len(wav)} bytes, less than its {HEADER_BYTES}-byte header"]
    riff, riff_size, wave, fmt, fmt_size = struct.unpack_from("<4sI4s4sI", wav, 0)
    if riff != b"RIFF" or wave != b"WAVE":
        return None, ["the reply audio is not a WAV file"]
    data_at = wav.find(b"data", 12)
    if fmt != b"fmt " or fmt_size != 16 or data_at != HEADER_BYTES - 8:
        where = f"its samples begin at byte {data_at + 8}" if data_at > 0 else "it has no samples"
        problem = (
            f"the WAV header is not the canonical {HEADER_BYTES} bytes ({where}): the device would"
            " play the rest of the header as noise"
        )
        return None, [problem]
    audio_format, channels, rate, byte_rate, block, bits = struct.unpack_from("<HHIIHH", wav, 20)
    (data_size,) = struct.unpack_from("<I", wav, 40)
    held = len(wav) - HEADER_BYTES
    problems = []
    if audio_format != 1 or bits != 16:
        problems.append(f"the WAV is format {audio_format} with {bits} bits, expected PCM 16 bits")
    if channels != 1:
        problems.append(f"the WAV has {channels} channels, expected 1")
    if not 8_000 <= rate <= 48_000:
        problems.append(f"the WAV has {rate} Hz, the device plays 8000 to 48000")
    if byte_rate != rate * block or block != channels * bits // 8:
        problems.append("the WAV header's byte rate or block size is wrong")
    if data_size != held or riff_size != len(wav) - 8:
        problems.append(
            f"the WAV header promises {data_size} bytes of samples, but there are {held}"
        )
    if held == 0 or held % 2:
        problems.append(f"the WAV holds {held} bytes of samples, expected whole 16-bit samples")
    info = ReplyWav(sample_rate=rate, seconds=held / 2 / rate) if rate else None
    return info, problems


def _object(body: bytes) -> tuple[dict[str, object] | None, list[str]]:
    try:
        document = json.loads(body)
    except ValueError:
        return None, [f"the body is not JSON: {_excerpt(body)}"]
    if not isinstance(document, dict):
        return None, ["the body is not a JSON object"]
    return document, []


def _text_field(document: Mapping[str, object], name: str, problems: list[str]) -> str:
    value = document.get(name)
    if isinstance(value, str):
        return value
    problems.append(f"`{name}` is not text" if name in document else f"`{name}` is missing")
    return ""


def _excerpt(body: bytes) -> str:
    text = " ".join(body[: 4 * _BODY_EXCERPT].decode("utf-8", "replace").split())
    if not text:
        return "(empty body)"
    return text if len(text) <= _BODY_EXCERPT else f"{text[:_BODY_EXCERPT]}…"
