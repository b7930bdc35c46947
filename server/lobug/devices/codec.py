"""Decodes and encodes the audio of a connection, packet by packet.

Each object serves one stream. It may be called from any thread, but by one at a time. libopus runs
outside of Python's interpreter lock.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

import av
import av.error
import numpy as np
from av.audio.codeccontext import AudioCodecContext
from av.packet import Packet
from numpy.typing import NDArray

from lobug.audio.resample import open_resampler
from lobug.devices.frames import AudioCodec, AudioFormat
from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.errors import AudioPacketError

BIT_RATE = 28_000
"""Bits a second of Opus speech. RFC 7587 recommends 16 to 20 kbit/s for wideband and 28 to 40 for
fullband speech; 24 kHz lies between them."""

COMPLEXITY = 3
"""libopus' effort, 0 to 10. Measured on the embedded voice at 24 kHz, a packet of 60 ms takes
0.21 ms of a processor with 1, 0.35 with 3, 0.45 with 5 and 0.62 with 10; spectral distortion falls
from 5.05 dB to 4.94, 4.92 and 4.85."""

_DECODED_RATE = 48_000
"""Hz; libopus decodes to this rate, whatever the encoder's rate was."""

_MOST_PCM_S = 0.24
"""Longest packet of PCM, seconds: two of the longest frames."""


class Decoder(Protocol):
    """Decodes what a device sends into the samples that the engines take."""

    def decode(self, packet: bytes) -> Samples:
        """The next samples, 16 kHz mono. Raises AudioPacketError for a packet that is not audio;
        the stream continues with the next one."""

    def flush(self) -> Samples:
        """The last samples of an utterance, which filters still hold. The stream may continue."""


class Encoder(Protocol):
    """Encodes speech for a device."""

    @property
    def position(self) -> float:
        """Audio fed so far, in frames, fractions included: the place of the next sample."""

    def feed(self, samples: Samples) -> list[bytes]:
        """Take any number of samples at the source's rate. Returns the packets that they fill.

        Opus takes about 0.35 ms of a processor for each packet of 60 ms, so call this in a thread
        for whole sentences.
        """

    def flush(self) -> list[bytes]:
        """The rest as packets, the last one padded with silence. The stream may continue."""


def make_decoder(uplink: AudioFormat) -> Decoder:
    """A decoder for the agreed uplink."""
    return OpusDecoder() if uplink.codec is AudioCodec.OPUS else PcmDecoder(uplink)


def make_encoder(downlink: AudioFormat, source_rate: int) -> Encoder:
    """An encoder for the agreed downlink; it takes samples at ``source_rate`` Hz."""
    if downlink.codec is AudioCodec.OPUS:
        return OpusEncoder(downlink, source_rate)
    return PcmEncoder(downlink, source_rate)


class OpusDecoder:
    """Opus of any rate and frame duration; two channels are mixed. Delays by 1.25 ms, beside the
    encoder's own 6.5 ms."""

    def __init__(self) -> None:
        self._opus = _open_decoder()
        self._resampler = open_resampler(_DECODED_RATE, STT_SAMPLE_RATE)

    def decode(self, packet: bytes) -> Samples:
        """As of ``Decoder.decode``. A packet holds up to 120 ms."""
        if not packet:  # ffmpeg would take it for the end of the stream
            raise AudioPacketError("an Opus packet has no bytes")
        try:
            frames = self._opus.decode(Packet(packet))
        except (av.error.FFmpegError, ValueError) as fault:
            raise AudioPacketError("a packet is not Opus") from fault
        pieces = [frame.to_ndarray().reshape(-1) for frame in frames]
        if not pieces:
            raise AudioPacketError("an Opus packet holds no audio")
        return self._resampler.feed(_scaled(np.concatenate(pieces)))

    def flush(self) -> Samples:
        return self._resampler.flush()


class PcmDecoder:
    """Signed 16-bit samples; two channels are mixed. No delay at 16 kHz, 1.25 ms at 32 and 48 kHz,
    else up to 45 ms."""

    def __init__(self, uplink: AudioFormat) -> None:
        self._channels = uplink.channels
        self._most_bytes = int(uplink.sample_rate * _MOST_PCM_S) * 2 * uplink.channels
        self._resampler = open_resampler(uplink.sample_rate, STT_SAMPLE_RATE)

    def decode(self, packet: bytes) -> Samples:
        if not packet or len(packet) % (2 * self._channels) or len(packet) > self._most_bytes:
            raise AudioPacketError(f"{len(packet)} bytes are not a packet of PCM")
        samples = _scaled(np.frombuffer(packet, "<i2"))
        if self._channels > 1:
            samples = samples.reshape(-1, self._channels).mean(axis=1, dtype=np.float32)
        return self._resampler.feed(samples)

    def flush(self) -> Samples:
        return self._resampler.flush()


class _Packets(ABC):
    """Cuts a stream into packets of one frame duration each."""

    def __init__(self, downlink: AudioFormat, source_rate: int, held_back: int) -> None:
        """``held_back``: samples by which the codec delays the audio; ``flush`` sends them too."""
        self._size = downlink.frame_samples
        self._frame_s = downlink.frame_s
        self._source_rate = source_rate
        self._resampler = open_resampler(source_rate, downlink.sample_rate)
        self._held_back = held_back
        self._rest = np.zeros(0, np.float32)
        self._sent = 0
        self._flushed = 0
        """Packets sent up to the last flush."""
        self._fed = 0
        """Samples fed since the last flush, at the source's rate."""

    @property
    def position(self) -> float:
        """Audio fed so far, in frames."""
        return self._flushed + self._fed / self._source_rate / self._frame_s

    def feed(self, samples: Samples) -> list[bytes]:
        self._fed += len(samples)
        return self._cut(self._resampler.feed(samples))

    def flush(self) -> list[bytes]:
        if not self._fed:
            return []
        rest = self._resampler.flush()
        held_back = np.zeros(self._held_back, np.float32)
        packets = self._cut(np.concatenate([rest, held_back]))
        missing = -len(self._rest) % self._size
        packets += self._cut(np.zeros(missing, np.float32))
        self._flushed = self._sent
        self._fed = 0
        return packets

    def _cut(self, samples: Samples) -> list[bytes]:
        joined = np.concatenate([self._rest, samples])
        count = len(joined) // self._size
        self._rest = joined[count * self._size :]
        whole = np.nan_to_num(joined[: count * self._size]).clip(-1.0, 1.0)
        packets = [self._encode(frame) for frame in whole.reshape(count, self._size)]
        self._sent += count
        return packets

    @abstractmethod
    def _encode(self, frame: Samples) -> bytes:
        """One packet of exactly one frame."""


class PcmEncoder(_Packets):
    """Signed 16-bit samples; no delay."""

    def __init__(self, downlink: AudioFormat, source_rate: int) -> None:
        super().__init__(downlink, source_rate, held_back=0)

    def _encode(self, frame: Samples) -> bytes:
        return np.rint(frame * 32767).astype("<i2").tobytes()


class OpusEncoder(_Packets):
    """Opus for speech; delays by 6.5 ms (libopus' look-ahead), which a flush pads."""

    def __init__(self, downlink: AudioFormat, source_rate: int) -> None:
        super().__init__(downlink, source_rate, held_back=downlink.sample_rate * 65 // 10_000)
        self._rate = downlink.sample_rate
        self._opus = _open_encoder(downlink)
        self._encoded = 0

    def _encode(self, frame: Samples) -> bytes:
        audio = av.AudioFrame.from_ndarray(frame[np.newaxis], format="flt", layout="mono")
        audio.sample_rate = self._rate
        audio.pts = self._encoded
        self._encoded += len(frame)
        (packet,) = self._opus.encode(audio)
        return bytes(packet)


def _open_decoder() -> AudioCodecContext:
    # ffmpeg also has its own decoder; libopus is the one that was tested with hostile input.
    opus = AudioCodecContext.create("libopus", "r")
    opus.sample_rate = _DECODED_RATE
    opus.layout = "mono"
    return opus


def _open_encoder(downlink: AudioFormat) -> AudioCodecContext:
    opus = AudioCodecContext.create("libopus", "w")
    opus.sample_rate = downlink.sample_rate
    opus.format = "flt"
    opus.layout = "mono"
    opus.bit_rate = BIT_RATE
    opus.options = {
        "application": "voip",
        "frame_duration": f"{downlink.frame_ms:g}",
        "compression_level": str(COMPLEXITY),
    }
    opus.open()
    return opus


def _scaled(pcm16: NDArray[Any]) -> Samples:
    return pcm16.astype(np.float32) / np.float32(32768)
