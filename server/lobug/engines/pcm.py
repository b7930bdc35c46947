"""Audio as programs on other machines send it, raw or as a WAV stream, made into samples.

What arrives is not trusted: formats are checked, and nothing that a header says decides how much
memory is used.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import soxr

from lobug.engines.base import Samples

_MIN_RATE, _MAX_RATE, _MAX_CHANNELS = 4_000, 384_000, 8
_WIDTHS = range(1, 5)
"""Bytes of a whole number; of one byte it is unsigned, as in WAV, otherwise signed, the low byte
first."""

_MAX_HEADER = 65_536
"""Most bytes of a WAV before its samples; writers put a few hundred there."""
_UNKNOWN_SIZES = (0, 0x7FFFFFFF, 0xFFFFFFFF)
"""Of a WAV whose length was not known when it began."""
_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE


class PcmError(ValueError):
    """The audio is in no format that can be read. The message is the end of a sentence that begins
    with who sent it."""


@dataclass(frozen=True, slots=True)
class PcmFormat:
    """How samples are written. Raises PcmError when no engine would send that."""

    rate: int
    """Hz."""
    width: int
    """Bytes a sample."""
    channels: int
    is_float: bool = False

    def __post_init__(self) -> None:
        numbers = (self.rate, self.width, self.channels)
        if any(type(number) is not int for number in numbers):
            raise PcmError("sends audio of an unknown format")
        if not _MIN_RATE <= self.rate <= _MAX_RATE:
            raise PcmError(f"sends audio at {self.rate} Hz")
        if self.width not in ({4} if self.is_float else _WIDTHS):
            raise PcmError(f"sends samples of {self.width} bytes")
        if not 1 <= self.channels <= _MAX_CHANNELS:
            raise PcmError(f"sends {self.channels} channels")

    @property
    def frame_bytes(self) -> int:
        """Bytes of one sample of every channel."""
        return self.width * self.channels

    def samples(self, data: bytes) -> Samples:
        """The samples of whole frames, channels averaged, values in [-1, 1]."""
        if self.is_float:
            read = np.nan_to_num(np.frombuffer(data, "<f4"), nan=0.0, posinf=1.0, neginf=-1.0)
            samples = np.clip(read, -1.0, 1.0)
        else:
            samples = _whole_numbers(data, self.width)
        mono = samples.reshape(-1, self.channels).mean(axis=1)
        return np.asarray(mono, dtype=np.float32)


def _whole_numbers(data: bytes, width: int) -> Samples:
    match width:
        case 1:
            return (np.frombuffer(data, "u1").astype(np.float32) - 128.0) / 128.0
        case 2:
            return np.frombuffer(data, "<i2").astype(np.float32) / 32_768.0
        case 3:
            # As the upper three bytes of a wider number, whose sign is then right.
            wide = np.zeros((len(data) // 3, 4), np.uint8)
            wide[:, 1:] = np.frombuffer(data, "u1").reshape(-1, 3)
            numbers = wide.reshape(-1).view("<i4")
        case _:
            numbers = np.frombuffer(data, "<i4")
    return numbers.astype(np.float32) / 2_147_483_648.0


class PcmStream:
    """Turns bytes of one format into samples at ``rate`` Hz, as they arrive."""

    def __init__(self, found: PcmFormat, rate: int) -> None:
        self._format = found
        self._rest = b""
        self._resampler = (
            None
            if found.rate == rate
            else soxr.ResampleStream(found.rate, rate, 1, dtype="float32")
        )

    def feed(self, data: bytes) -> Samples:
        """Take the next bytes, any number of them."""
        data = self._rest + data
        frame = self._format.frame_bytes
        whole = len(data) // frame * frame
        self._rest = data[whole:]
        return self._resampled(self._format.samples(data[:whole]), last=False)

    def finish(self) -> Samples:
        """The samples that were held back. Part of a sample is dropped."""
        return self._resampled(np.zeros(0, np.float32), last=True)

    def _resampled(self, samples: Samples, *, last: bool) -> Samples:
        if self._resampler is None:
            return samples
        resampled: Samples = self._resampler.resample_chunk(samples, last=last)
        return np.clip(resampled, -1.0, 1.0)


class WavStream:
    """Turns a WAV into samples at ``rate`` Hz, as it arrives. Sizes in it may be unknown."""

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._header = b""
        self._format: PcmFormat | None = None
        self._stream: PcmStream | None = None
        self._left: int | None = None
        """Bytes of samples still to come; None: until the stream ends."""

    def feed(self, data: bytes) -> Samples:
        """Take the next bytes. Raises PcmError when they are no WAV that can be read."""
        if self._stream is None:
            self._header += data
            begin = self._read_header()
            if begin is None:
                if len(self._header) > _MAX_HEADER:
                    raise PcmError("sends a WAV without samples")
                return np.zeros(0, np.float32)
            data, self._header = self._header[begin:], b""
        assert self._stream is not None  # noqa: S101 - for the type checker
        if self._left is not None:
            data = data[: self._left]
            self._left -= len(data)
        return self._stream.feed(data)

    def finish(self) -> Samples:
        """The samples that were held back. Raises PcmError when it ended before them."""
        if self._stream is None:
            if not self._header:
                return np.zeros(0, np.float32)
            raise PcmError("sends a WAV that ends in its header")
        return self._stream.finish()

    def _read_header(self) -> int | None:
        """Where the samples begin, once all before them has arrived; then the format is known."""
        head = self._header
        if not (b"RIFF".startswith(head[:4]) and b"WAVE".startswith(head[8:12])):
            raise PcmError("sends no WAV")
        at = 12
        while len(head) >= at + 8:
            name, size = struct.unpack_from("<4sI", head, at)
            at += 8
            if name == b"data":
                if self._format is None:
                    raise PcmError("sends a WAV without a format")
                self._left = None if size in _UNKNOWN_SIZES else size
                self._stream = PcmStream(self._format, self._rate)
                return at
            if size > _MAX_HEADER:
                raise PcmError("sends a WAV with a broken header")
            if name == b"fmt " and len(head) >= at + size:
                self._format = _wav_format(head[at : at + size])
            at += size + size % 2
        return None


def _wav_format(chunk: bytes) -> PcmFormat:
    if len(chunk) < 16:
        raise PcmError("sends a WAV with a broken header")
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", chunk)
    if kind == _EXTENSIBLE and len(chunk) >= 26:
        kind = struct.unpack_from("<H", chunk, 24)[0]
    if kind not in {_PCM, _FLOAT}:
        raise PcmError("sends a WAV that is not raw samples")
    return PcmFormat(rate, bits // 8, channels, is_float=kind == _FLOAT)


def pcm16(samples: Samples) -> bytes:
    """Samples as little-endian 16-bit integers, clipped; NaN becomes silence."""
    clean = np.nan_to_num(samples, nan=0.0, posinf=1.0, neginf=-1.0)
    return np.round(np.clip(clean, -1.0, 1.0) * 32767.0).astype("<i2").tobytes()
