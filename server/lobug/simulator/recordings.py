"""Speech of simulated devices: recordings from files, folders or the embedded voice, their packets,
and received packets as sound.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import av.error
import numpy as np
from numpy.typing import NDArray

from lobug.audio import wav
from lobug.audio.decode import decode
from lobug.audio.resample import resample
from lobug.devices.codec import make_encoder
from lobug.devices.frames import AudioCodec, AudioFormat
from lobug.engines.base import STT_SAMPLE_RATE, Samples, TextToSpeech
from lobug.language.en.segmentation import SentenceSplitter
from lobug.simulator.protocol import FRAME_MS

MAX_FILE_SECONDS = 600.0
"""Longest recording that is read from a file; the server has its own, shorter limit."""

PAUSE_S = 0.3
"""Silence before, between and after sentences, seconds: people press the button a moment early."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording: a whole WAV file, PCM16, mono, 16 kHz."""

    name: str
    """The file's name, or the words that were spoken."""
    wav: bytes
    seconds: float


def find_recordings(paths: Sequence[Path]) -> list[Path]:
    """The WAV files named, those of folders sorted by name.

    Raises ValueError, as a sentence, for a path that does not exist and for a folder without any.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            files = sorted(file for file in path.iterdir() if file.suffix.lower() == ".wav")
            if not files:
                raise ValueError(f"the folder {path} has no .wav files")
            found.extend(files)
        elif path.is_file():
            found.append(path)
        else:
            raise ValueError(f"the file {path} does not exist")
    return found


async def from_file(path: Path) -> Recording:
    """Read a recording of any rate, width and channels. Raises AudioError and OSError."""
    data = await asyncio.to_thread(path.read_bytes)
    samples = await decode(data, max_seconds=MAX_FILE_SECONDS)
    return _recording(path.name, samples)


async def from_voice(texts: Sequence[str], voice: TextToSpeech) -> list[Recording]:
    """Speak each text. Starts the voice and closes it after. Raises EngineError."""
    await voice.start()
    try:
        return [await _spoken(text, voice) for text in texts]
    finally:
        await voice.close()


async def _spoken(text: str, voice: TextToSpeech) -> Recording:
    splitter = SentenceSplitter()
    sentences = [*splitter.feed(text), *splitter.flush()]
    spoken = [await voice.synthesize(sentence) for sentence in sentences]
    silence = np.zeros(round(PAUSE_S * voice.sample_rate), np.float32)
    parts = [silence]
    for audio in spoken:
        parts += [audio, silence]
    samples = resample(np.concatenate(parts), voice.sample_rate, STT_SAMPLE_RATE)
    return _recording(text, samples)


def _recording(name: str, samples: Samples) -> Recording:
    return Recording(name, wav.encode(samples, STT_SAMPLE_RATE), len(samples) / STT_SAMPLE_RATE)


QUIET_DB = 35.0
"""Decibels below the loudest part of a recording; what is quieter is not speech."""

_WINDOW = 160
"""Samples, 10 ms: resolution of the end of speech."""

_SILENT_FRAMES = 10
"""Frames of silence encoded after speech. After a few frames an encoder's packets are all alike, so
the last one stands for all that follow."""

_OPUS_RATE = 48_000
"""Hz of what the Opus decoder gives, whatever was encoded (RFC 7845)."""


@dataclass(frozen=True, slots=True)
class EncodedSpeech:
    """An utterance, encoded once; any number of devices may say it at the same time."""

    name: str
    """The file's name, or the words."""
    packets: tuple[bytes, ...]
    silence: tuple[bytes, ...]
    """Packets of the silence after it; the last one repeats."""
    frame_s: float
    """Length of a packet, seconds."""
    speech_start_s: float
    """Its first voiced sample, seconds from its beginning."""
    speech_end_s: float
    """Its last voiced sample."""

    @property
    def seconds(self) -> float:
        """Length of the recording, in whole packets."""
        return len(self.packets) * self.frame_s


def encode_speech(
    name: str, samples: Samples, codec: AudioCodec = AudioCodec.OPUS
) -> EncodedSpeech:
    """Encode 16 kHz samples. Takes about a hundredth of their length: not for the event loop.

    Raises ValueError for a recording without any sound.
    """
    start_s, end_s = speech_bounds(samples)
    format_ = AudioFormat(codec, STT_SAMPLE_RATE, float(FRAME_MS))
    size = format_.frame_samples
    frames = -(-len(samples) // size)
    padded = np.zeros((frames + _SILENT_FRAMES) * size, np.float32)
    padded[: len(samples)] = samples
    encoder = make_encoder(format_, STT_SAMPLE_RATE)
    packets = [*encoder.feed(padded), *encoder.flush()]
    return EncodedSpeech(
        name,
        tuple(packets[:frames]),
        tuple(packets[frames : frames + _SILENT_FRAMES]),
        format_.frame_s,
        start_s,
        end_s,
    )


def speech_bounds(samples: Samples, sample_rate: int = STT_SAMPLE_RATE) -> tuple[float, float]:
    """Where the first voiced sample is and where the last one, seconds, to 10 ms.

    By loudness: for recordings in which nothing but the speaker is loud. Raises ValueError when
    all is silent. Pure.
    """
    windows = len(samples) // _WINDOW
    loudness = np.sqrt(np.mean(samples[: windows * _WINDOW].reshape(windows, _WINDOW) ** 2, axis=1))
    if not windows or not loudness.max() > 0:
        raise ValueError("the recording is silent")
    voiced = np.flatnonzero(loudness > loudness.max() * 10 ** (-QUIET_DB / 20))
    first, last = int(voiced[0]), int(voiced[-1])
    return first * _WINDOW / sample_rate, (last + 1) * _WINDOW / sample_rate


def packet_seconds(packet: bytes, format_: AudioFormat) -> float | None:
    """How long a packet plays; None: it is no audio. Pure.

    Of an Opus packet by its first bytes (RFC 6716, section 3.1), so that a simulated device need
    not decode what nobody listens to.
    """
    if not packet:
        return None
    if format_.codec is AudioCodec.PCM:
        return None if len(packet) % 2 else len(packet) / 2 / format_.sample_rate
    configuration, code = packet[0] >> 3, packet[0] & 3
    if code == 3:
        if len(packet) < 2:
            return None
        frames = packet[1] & 63
    else:
        frames = 1 if code == 0 else 2
    seconds = frames * _frame_seconds(configuration)
    return seconds if 0 < seconds <= 0.12 + 1e-9 else None


def _frame_seconds(configuration: int) -> float:
    """Length of a frame: SILK 10 to 60 ms, hybrid 10 or 20, CELT 2.5 to 20."""
    if configuration < 12:
        return (0.01, 0.02, 0.04, 0.06)[configuration % 4]
    if configuration < 16:
        return (0.01, 0.02)[configuration % 2]
    return (0.0025, 0.005, 0.01, 0.02)[configuration % 4]


def reply_wav(packets: Sequence[bytes], format_: AudioFormat) -> bytes:
    """What was played, as a WAV file. Not for the event loop.

    A packet that cannot be decoded is left out, as on the device.
    """
    decoded = _pcm(packets) if format_.codec is AudioCodec.PCM else _opus(packets)
    rate = format_.sample_rate if format_.codec is AudioCodec.PCM else _OPUS_RATE
    return wav.encode(resample(decoded, rate, format_.sample_rate), format_.sample_rate)


def _pcm(packets: Sequence[bytes]) -> Samples:
    pcm: NDArray[np.int16] = np.frombuffer(b"".join(packets), "<i2")
    return pcm.astype(np.float32) / np.float32(32768)


def _opus(packets: Sequence[bytes]) -> Samples:
    decoder = av.CodecContext.create("libopus", "r")
    decoder.sample_rate, decoder.layout, decoder.format = _OPUS_RATE, "mono", "flt"
    parts: list[Samples] = [np.zeros(0, np.float32)]
    for data in packets:
        packet = av.Packet(data)
        packet.time_base = Fraction(1, _OPUS_RATE)
        try:
            frames = decoder.decode(packet)
        except av.error.FFmpegError:
            continue
        for frame in frames:
            sound = frame.to_ndarray()
            scale = 32768 if sound.dtype == np.int16 else 1
            parts.append((sound[0].astype(np.float32)) / np.float32(scale))
    return np.concatenate(parts)
