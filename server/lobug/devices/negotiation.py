"""The formats that a device and the server agree on when a connection opens. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lobug.devices.frames import (
    DEFAULT_DOWNLINK_RATE,
    DEFAULT_UPLINK,
    FRAME_DURATIONS_MS,
    OPUS_RATES,
    PCM_RATES,
    VERSIONS,
    AudioCodec,
    AudioFormat,
)
from lobug.devices.messages import AudioParams, Hello
from lobug.errors import HelloError

_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Agreement:
    """The version and formats of one connection."""

    version: int
    """Version of the binary frames: 1, 2 or 3."""
    uplink: AudioFormat
    """The format that the device sends; one or two channels."""
    downlink: AudioFormat
    """The format that the server sends; always one channel."""
    mcp: bool
    """Whether the device serves tools."""
    aec: bool
    """Whether the device leaves echo cancellation to the server."""
    drops_on_abort: bool = False
    """Whether the device empties its audio queue by itself when it interrupts a reply."""


def negotiate(hello: Hello, protocol_version: str | None = None) -> Agreement:
    """The agreement that follows from a hello and the header ``Protocol-Version`` (None: not sent).

    What a device leaves out has the protocol's default: version 1, Opus at 16 kHz in frames of
    60 ms. The downlink is the one that ``Hello.downlink`` asks for. Its defaults are the uplink's
    frame duration and, for a device that sends Opus, Opus at 24 kHz; for one that sends PCM, PCM at
    the uplink's rate.

    Raises HelloError, which names what is served, if the hello asks for anything else.
    """
    if hello.transport not in (None, "websocket"):
        raise HelloError(f"transport {hello.transport!r}; served: websocket")
    uplink = _format("audio_params", hello.audio, DEFAULT_UPLINK, most_channels=2)
    downlink = _format("downlink", hello.downlink, _usual_downlink(uplink, hello), most_channels=1)
    version = _version(hello.version, protocol_version)
    return Agreement(version, uplink, downlink, hello.mcp, hello.aec, hello.drops_on_abort)


def _usual_downlink(uplink: AudioFormat, hello: Hello) -> AudioFormat:
    wants_opus = (hello.downlink.format or uplink.codec) == AudioCodec.OPUS
    if wants_opus or uplink.codec is AudioCodec.OPUS:
        codec = AudioCodec.OPUS if wants_opus else AudioCodec.PCM
        return AudioFormat(codec, DEFAULT_DOWNLINK_RATE, uplink.frame_ms)
    return AudioFormat(AudioCodec.PCM, uplink.sample_rate, uplink.frame_ms)


def _version(said: int | None, header: str | None) -> int:
    served = ", ".join(map(str, VERSIONS))
    if header is not None:
        if not _NUMBER.fullmatch(header.strip()):
            raise HelloError(f"Protocol-Version is not a number; served: {served}")
        number = int(header)
        if said is not None and said != number:
            raise HelloError(f"Protocol-Version is {number}, the hello's version {said}")
        said = number
    if said is None:
        return VERSIONS[0]
    if said not in VERSIONS:
        raise HelloError(f"protocol version {said}; served: {served}")
    return said


def _format(
    name: str, asked: AudioParams, usual: AudioFormat, *, most_channels: int
) -> AudioFormat:
    try:
        codec = AudioCodec(asked.format) if asked.format is not None else usual.codec
    except ValueError:
        served = ", ".join(AudioCodec)
        raise HelloError(f"{name}.format {asked.format!r}; served: {served}") from None
    rate = usual.sample_rate if asked.sample_rate is None else asked.sample_rate
    frame_ms = usual.frame_ms if asked.frame_duration is None else asked.frame_duration
    channels = usual.channels if asked.channels is None else asked.channels
    _check_rate(f"{name}.sample_rate", codec, rate)
    if frame_ms not in FRAME_DURATIONS_MS:
        served = ", ".join(f"{ms:g}" for ms in FRAME_DURATIONS_MS)
        raise HelloError(f"{name}.frame_duration {frame_ms:g}; served: {served}")
    if not 1 <= channels <= most_channels:
        raise HelloError(f"{name}.channels {channels}; served: 1 to {most_channels}")
    if rate * frame_ms % 1000:
        raise HelloError(f"{name}: no whole samples in {frame_ms:g} ms at {rate} Hz")
    return AudioFormat(codec, rate, frame_ms, channels)


def _check_rate(name: str, codec: AudioCodec, rate: int) -> None:
    if codec is AudioCodec.OPUS:
        if rate not in OPUS_RATES:
            raise HelloError(f"{name} {rate}; served: {', '.join(map(str, OPUS_RATES))}")
    elif not PCM_RATES[0] <= rate <= PCM_RATES[1]:
        raise HelloError(f"{name} {rate}; served: {PCM_RATES[0]} to {PCM_RATES[1]}")
