"""Encoding of speech into the formats that players know, piece by piece as it is synthesized."""

from __future__ import annotations

from typing import Any, cast

import av
import numpy as np

from lobug.audio.resample import resample
from lobug.audio.wav import header
from lobug.engines.base import Samples
from lobug.engines.pcm import pcm16

PCM_RATE = 24_000
"""Hz of all formats: headerless PCM has no field that could name another rate."""

MEDIA_TYPES = {
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "ogg": "audio/ogg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": f"audio/pcm;rate={PCM_RATE}",
}
"""Content type of each format. Opus is sent in Ogg."""

_SHORT_PAGES = {"page_duration": "100000"}
"""Microseconds; with ffmpeg's default, sound is held back for a second."""

_CONTAINERS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    # Container, codec, sample format, options. None goes back to write a length or an index.
    "mp3": ("mp3", "libmp3lame", "s16p", {"write_xing": "0"}),
    "opus": ("ogg", "libopus", "s16", _SHORT_PAGES),
    "ogg": ("ogg", "libopus", "s16", _SHORT_PAGES),
    "aac": ("adts", "aac", "fltp", {}),
    "flac": ("flac", "flac", "s16", {}),
}


class SpeechEncoder:
    """Encodes one stream of mono speech at 24 kHz. Uses the processor, so call it in a thread."""

    def __init__(self, format_name: str) -> None:
        """``format_name``: a key of ``MEDIA_TYPES``."""
        self._packed: _Packed | None = None
        self._first = b""
        if format_name in _CONTAINERS:
            self._packed = _Packed(*_CONTAINERS[format_name])
        elif format_name == "wav":
            self._first = header(PCM_RATE)

    def feed(self, samples: Samples, sample_rate: int) -> bytes:
        """Take the next samples, at ``sample_rate`` Hz; return the encoded bytes that are ready."""
        data = pcm16(resample(samples, sample_rate, PCM_RATE))
        first, self._first = self._first, b""
        return first + (data if self._packed is None else self._packed.feed(data))

    def finish(self) -> bytes:
        """End the stream; return the rest of the bytes."""
        first, self._first = self._first, b""
        return first + (b"" if self._packed is None else self._packed.finish())


class _Packed:
    """Encodes into a container with ffmpeg, in memory."""

    def __init__(
        self, container: str, codec: str, sample_format: str, options: dict[str, str]
    ) -> None:
        self._sink = _Sink()
        self._container = av.open(self._sink, "w", format=container, options=options)
        stream = self._container.add_stream(codec, rate=PCM_RATE, layout="mono")
        self._stream = cast("Any", stream)  # an audio stream, which its type does not say
        self._stream.codec_context.format = sample_format
        self._samples = 0

    def feed(self, data: bytes) -> bytes:
        if data:
            values = np.frombuffer(data, "<i2").reshape(1, -1)
            frame = av.AudioFrame.from_ndarray(values, format="s16", layout="mono")
            frame.sample_rate = PCM_RATE
            frame.pts = self._samples
            self._samples += values.shape[1]
            self._container.mux(self._stream.encode(frame))
        return self._sink.taken()

    def finish(self) -> bytes:
        if self._samples:
            self._container.mux(self._stream.encode(None))
        self._container.close()
        return self._sink.taken()


class _Sink:
    """Collects written bytes. It has no ``seek``, so ffmpeg cannot go back to change them."""

    def __init__(self) -> None:
        self._data = bytearray()

    def write(self, data: bytes) -> int:
        self._data += data
        return len(data)

    def taken(self) -> bytes:
        data = bytes(self._data)
        self._data.clear()
        return data
