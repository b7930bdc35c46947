"""Decoding of recordings that callers send: any WAV, and Ogg, FLAC, MP3 and WebM.

A recording is untrusted. Its first bytes decide which demuxer opens it, from memory, so it can
neither refer to another file or address nor choose an unusual decoder. Decoding stops as soon as
the limit is exceeded.
"""

from __future__ import annotations

import asyncio
import io
import struct
from collections.abc import Iterator
from typing import Any, Protocol

import av
import av.error
import numpy as np
import soxr
from numpy.typing import NDArray

from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.errors import AudioEmptyError, AudioError, AudioTooLongError, AudioTruncatedError

_CONTAINERS = (
    (0, b"RIFF", "wav"),
    (0, b"RIFX", "wav"),
    (0, b"RF64", "wav"),
    (0, b"OggS", "ogg"),
    (0, b"fLaC", "flac"),
    (0, b"\x1a\x45\xdf\xa3", "matroska"),
    (0, b"ID3", "mp3"),
    (0, b"\xff\xfb", "mp3"),
    (0, b"\xff\xf3", "mp3"),
    (0, b"\xff\xf2", "mp3"),
)
"""Offset, bytes there, and ffmpeg's name of the only demuxer that may read the file."""

_CODECS = frozenset(
    [
        *("pcm_u8", "pcm_s16le", "pcm_s16be", "pcm_s24le", "pcm_s24be", "pcm_s32le", "pcm_s32be"),
        *("pcm_f32le", "pcm_f32be", "pcm_f64le", "pcm_f64be", "pcm_s64le", "pcm_alaw", "pcm_mulaw"),
        *("adpcm_ima_wav", "adpcm_ms"),
        *("opus", "vorbis", "flac", "mp3", "mp3float"),
    ]
)
_MIN_RATE, _MAX_RATE = 4_000, 384_000
_MAX_CHANNELS = 32
_WHOLE_SAMPLE = 2
"""Bytes of the smallest sample that counts; a single byte of a damaged file does not."""
_SHORTEST_FORMAT, _LONGEST_FORMAT = 16, 64
"""Bytes of a format chunk: plain PCM, and the longest of the accepted codecs."""

_FAULTS = (av.error.FFmpegError, ValueError, OverflowError, EOFError, NotImplementedError)
"""What PyAV raises on damaged files."""


class StoredRecording(Protocol):
    """A recording that is stored, for example in a temporary file, until it is decoded."""

    def read(self) -> bytes:
        """Return all bytes. Blocks, so it is called in a thread."""


async def decode(
    data: bytes | StoredRecording, *, max_seconds: float, sample_rate: int = STT_SAMPLE_RATE
) -> Samples:
    """Decode a recording to mono at ``sample_rate`` Hz, values in [-1, 1], in a thread.

    Channels are averaged; NaN becomes silence. A file that ends early is decoded up to its end.

    Raises AudioEmptyError (no bytes or no samples), AudioTruncatedError (ends in its header or has
    no data chunk), AudioTooLongError (more than ``max_seconds``), AudioError (not audio, or a
    format that is not accepted).
    """
    return await asyncio.to_thread(decode_now, data, max_seconds, sample_rate)


def decode_now(
    data: bytes | StoredRecording, max_seconds: float, sample_rate: int = STT_SAMPLE_RATE
) -> Samples:
    """Do what ``decode`` does in the calling thread; for command line and tests."""
    if not isinstance(data, bytes):
        data = data.read()
    if not data:
        raise AudioEmptyError("the recording has no bytes")
    container = _recognise(data)
    if container == "wav":
        data = _minimal_wav(data, max_seconds)
    limit = int(max_seconds * sample_rate)
    pieces: list[Samples] = []
    total = 0
    try:
        for piece in _resampled(_frames(data, container), sample_rate):
            pieces.append(piece)
            total += len(piece)
            if total > limit:
                raise AudioTooLongError(f"the recording is longer than {max_seconds:g} s")
    except _FAULTS as fault:
        if not total:
            raise AudioError("the recording is damaged") from fault
    if not total:
        raise AudioError("the recording is damaged")
    return np.clip(np.concatenate(pieces), -1.0, 1.0)


def _recognise(data: bytes) -> str:
    for offset, magic, container in _CONTAINERS:
        if data.startswith(magic, offset):
            if container == "wav" and len(data) < 12:
                raise AudioTruncatedError("the recording ends inside its header")
            if container == "wav" and data[8:12] != b"WAVE":
                raise AudioError("a RIFF file, but not a WAV")
            return container
    if len(data) < 4 and any(magic.startswith(data) for _, magic, _ in _CONTAINERS):
        raise AudioTruncatedError("the recording ends inside its header")
    raise AudioError("not a WAV file")


def _minimal_wav(data: bytes, max_seconds: float) -> bytes:
    """Return the WAV with only its format and data chunks, and with the data's size corrected.

    For text chunks ffmpeg reserves as much memory as their size field says, gigabytes in a file of
    a hundred bytes; and streaming writers leave the data's size at 0 or at its highest value. At
    least a second more than ``max_seconds`` is kept, so that a recording that is too long is
    noticed.
    """
    order = ">" if data[:4] == b"RIFX" else "<"
    at = 12
    format_chunk = b""
    while at + 8 <= len(data):
        name = data[at : at + 4]
        size = int(struct.unpack_from(order + "I", data, at + 4)[0])
        at += 8
        if name == b"fmt " and size >= _SHORTEST_FORMAT and at + _SHORTEST_FORMAT <= len(data):
            format_chunk = data[at : at + min(size, _LONGEST_FORMAT)]
        elif name == b"data" and format_chunk:
            most = _bytes_per_second(format_chunk, order) * (int(max_seconds) + 2)
            body = data[at : at + min(size or len(data), most)]
            if len(body) < _WHOLE_SAMPLE:
                raise AudioEmptyError("the recording has no samples")
            total = 20 + len(format_chunk) + len(body)
            return b"".join(
                [
                    b"RIFX" if order == ">" else b"RIFF",
                    struct.pack(order + "I", total),
                    b"WAVEfmt ",
                    struct.pack(order + "I", len(format_chunk)),
                    format_chunk,
                    b"data",
                    struct.pack(order + "I", len(body)),
                    body,
                ]
            )
        at += size + size % 2
    raise AudioTruncatedError("the recording ends inside its header or has no data chunk")


def _bytes_per_second(format_chunk: bytes, order: str) -> int:
    """Return the rate of uncompressed audio; no accepted codec has a higher one."""
    _, channels, rate, _, block, bits = struct.unpack_from(order + "HHIIHH", format_chunk)
    return int(max(rate, _MIN_RATE) * max(block, channels * -(-bits // 8), 1))


def _frames(data: bytes, container: str) -> Iterator[tuple[Samples, int]]:
    """Yield mono pieces and their rate in Hz."""
    source = io.BytesIO(data)
    with av.open(source, "r", format=container, metadata_errors="ignore") as opened:
        if not opened.streams.audio:
            raise AudioError("the file has no audio")
        stream = opened.streams.audio[0]
        if stream.codec_context is None or stream.codec_context.name not in _CODECS:
            raise AudioError("the file's audio is in a format that is not accepted")
        for packet in opened.demux(stream):
            try:
                frames = packet.decode()
            except av.error.FFmpegError:
                continue  # the next packet may be intact
            for frame in frames:
                channels = frame.layout.nb_channels
                if not _MIN_RATE <= frame.sample_rate <= _MAX_RATE or channels > _MAX_CHANNELS:
                    raise AudioError(
                        f"{channels} channels at {frame.sample_rate} Hz are not accepted"
                    )
                mono = _mono(frame.to_ndarray(), channels, planar=frame.format.is_planar)
                yield mono, frame.sample_rate


def _mono(values: NDArray[Any], channels: int, *, planar: bool) -> Samples:
    """Convert any sample format, (channels, samples) or (1, samples * channels), to mono in
    [-1, 1]."""
    shaped = values if planar else values.reshape(-1, channels).T
    scaled: NDArray[Any]
    if shaped.dtype == np.uint8:
        scaled = (shaped.astype(np.float32) - 128.0) / 128.0
    elif np.issubdtype(shaped.dtype, np.signedinteger):
        scaled = shaped / -float(np.iinfo(shaped.dtype).min)
    else:
        scaled = np.nan_to_num(shaped.astype(np.float64), nan=0.0, posinf=1.0, neginf=-1.0)
    mono: Samples = np.clip(scaled, -1.0, 1.0).mean(axis=0).astype(np.float32)
    return mono


def _resampled(frames: Iterator[tuple[Samples, int]], rate: int) -> Iterator[Samples]:
    """Yield pieces at ``rate`` Hz; a new resampler is used when the source's rate changes."""
    stream: soxr.ResampleStream | None = None
    source = rate
    for samples, frame_rate in frames:
        if frame_rate != source:
            if stream is not None:
                yield stream.resample_chunk(np.zeros(0, np.float32), last=True)
            source = frame_rate
            stream = None
            if source != rate:
                stream = soxr.ResampleStream(source, rate, 1, dtype="float32")
        yield samples if stream is None else stream.resample_chunk(samples)
    if stream is not None:
        yield stream.resample_chunk(np.zeros(0, np.float32), last=True)
