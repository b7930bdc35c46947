"""Reading recordings: every WAV that devices write, and everything that is none."""

from __future__ import annotations

import io
import resource
import struct
import tracemalloc
import wave
from pathlib import Path

import av
import numpy as np
import pytest
from av.audio.stream import AudioStream
from hypothesis import given, settings
from hypothesis import strategies as st

from lobug.audio.decode import decode, decode_now
from lobug.audio.resample import resample
from lobug.audio.wav import HEADER_BYTES, encode
from lobug.engines.base import Samples
from lobug.errors import AudioEmptyError, AudioError, AudioTooLongError, AudioTruncatedError

RATE = 16_000
PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE


def tone(rate: int = RATE, seconds: float = 1.0, hz: float = 440.0) -> Samples:
    at = np.arange(int(rate * seconds)) / rate
    return (0.5 * np.sin(2 * np.pi * hz * at)).astype(np.float32)


def wav(
    body: bytes,
    *,
    rate: int = RATE,
    channels: int = 1,
    bits: int = 16,
    tag: int = PCM,
    before: bytes = b"",
    after: bytes = b"",
    data_size: int | None = None,
    fmt_extra: bytes = b"",
) -> bytes:
    """A WAV built field by field, as other writers build them."""
    block = channels * bits // 8
    fmt = struct.pack("<HHIIHH", tag, channels, rate, rate * block % 2**32, block, bits) + fmt_extra
    size = len(body) if data_size is None else data_size
    chunks = b"fmt " + struct.pack("<I", len(fmt)) + fmt + before
    chunks += b"data" + struct.pack("<I", size) + body + after
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def pcm(samples: Samples, bits: int) -> bytes:
    if bits == 8:
        return (np.round(samples * 127) + 128).astype(np.uint8).tobytes()
    if bits == 24:
        wide = np.round(samples * (2**23 - 1)).astype("<i4")
        return wide.view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
    return np.round(samples * (2.0 ** (bits - 1) - 1)).astype(f"<i{bits // 8}").tobytes()


def strongest_hz(samples: Samples) -> float:
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.argmax(spectrum)) * RATE / len(samples)


LIST = b"LIST" + struct.pack("<I", 26) + b"INFOISFT\x0e\0\0\0Lavf60.16.100\0"
GUID = struct.pack("<HHI", 22, 16, 4) + struct.pack("<H", PCM) + bytes.fromhex(
    "000000001000800000aa00389b71"
)  # fmt: skip
STEREO = np.repeat(tone(), 2)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(wav(pcm(tone(), 16)), id="canonical"),
        pytest.param(wav(pcm(tone(), 8), bits=8), id="8 bit"),
        pytest.param(wav(pcm(tone(), 24), bits=24), id="24 bit"),
        pytest.param(wav(pcm(tone(), 32), bits=32), id="32 bit"),
        pytest.param(wav(tone().astype("<f4").tobytes(), bits=32, tag=FLOAT), id="float"),
        pytest.param(wav(tone().astype("<f8").tobytes(), bits=64, tag=FLOAT), id="double"),
        pytest.param(wav(pcm(tone(8_000), 16), rate=8_000), id="8 kHz"),
        pytest.param(wav(pcm(tone(44_100), 16), rate=44_100), id="44.1 kHz"),
        pytest.param(wav(pcm(tone(48_000), 16), rate=48_000), id="48 kHz"),
        pytest.param(wav(pcm(STEREO, 16), channels=2), id="stereo"),
        pytest.param(
            wav(pcm(np.repeat(tone(48_000), 2), 24), rate=48_000, channels=2, bits=24),
            id="48 kHz stereo 24 bit",
        ),
        pytest.param(wav(pcm(np.repeat(tone(), 6), 16), channels=6), id="six channels"),
        pytest.param(wav(pcm(tone(), 16), before=LIST), id="LIST before the data"),
        pytest.param(wav(pcm(tone(), 16), after=LIST), id="LIST after the data"),
        pytest.param(wav(pcm(tone(), 16), before=LIST + b"JUNK\4\0\0\0abcd"), id="more chunks"),
        pytest.param(wav(pcm(tone(), 16), fmt_extra=b"\0\0"), id="18-byte format"),
        pytest.param(wav(pcm(tone(), 16), tag=EXTENSIBLE, fmt_extra=GUID), id="extensible"),
        pytest.param(wav(pcm(tone(), 16), data_size=0), id="data size 0"),
        pytest.param(wav(pcm(tone(), 16), data_size=0xFFFFFFFF), id="data size unknown"),
        pytest.param(wav(pcm(tone(), 16), data_size=10**6), id="data size too large"),
    ],
)
async def test_every_wav_is_heard_as_the_same_tone(data: bytes) -> None:
    samples = await decode(data, max_seconds=60)
    assert samples.dtype == np.float32
    assert samples.ndim == 1
    assert abs(len(samples) - RATE) <= 30
    assert strongest_hz(samples) == pytest.approx(440, abs=2)
    assert float(np.abs(samples).max()) == pytest.approx(0.5, abs=0.02)


def test_a_truncated_recording_is_used_as_far_as_it_goes() -> None:
    samples = decode_now(encode(tone(), RATE)[: HEADER_BYTES + 16_001], 60)
    assert len(samples) == 8_000
    assert strongest_hz(samples) == pytest.approx(440, abs=3)


def test_stereo_channels_are_averaged() -> None:
    both = np.zeros(2_000, np.float32)
    both[0::2] = 0.5
    assert decode_now(wav(pcm(both, 16), channels=2), 60) == pytest.approx(0.25, abs=1e-3)


def test_what_is_no_number_in_a_float_wav_becomes_sound() -> None:
    body = np.array([0.1, np.nan, np.inf, -np.inf, 7.0, 0.2], "<f4").tobytes()
    samples = decode_now(wav(body, bits=32, tag=FLOAT), 60)
    assert samples.tolist() == pytest.approx([0.1, 0.0, 1.0, -1.0, 1.0, 0.2])


def test_another_rate_can_be_asked_for() -> None:
    assert len(decode_now(encode(tone(), RATE), 60, 24_000)) == pytest.approx(24_000, abs=30)


CANONICAL = encode(tone(), RATE)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        pytest.param(b"", AudioEmptyError, id="no bytes"),
        pytest.param(encode(tone(seconds=0), RATE), AudioEmptyError, id="no samples"),
        pytest.param(CANONICAL[:45], AudioEmptyError, id="half a sample"),
        *(
            pytest.param(CANONICAL[:n], AudioTruncatedError, id=f"{n} bytes")
            for n in (1, 3, 4, 8, 11, 12, 16, 20, 35, 36, 40, 43)
        ),
        pytest.param(
            wav(b"", data_size=0xFFFFFFFF), AudioEmptyError, id="no samples, size unknown"
        ),
        pytest.param(wav(b"")[:36] + LIST, AudioTruncatedError, id="no data chunk"),
        pytest.param(b"\0" * 1_000, AudioError, id="zeros"),
        pytest.param(b"<html></html>", AudioError, id="HTML"),
        pytest.param(b"RIFF\0\0\0\0AVI " + b"x" * 99, AudioError, id="another RIFF"),
        pytest.param(wav(pcm(tone(), 16), rate=0), AudioError, id="0 Hz"),
        pytest.param(wav(pcm(tone(), 16), rate=1), AudioError, id="1 Hz"),
        pytest.param(wav(pcm(tone(), 16), rate=4_000_000_000), AudioError, id="4 GHz"),
        pytest.param(wav(pcm(tone(), 16), channels=0), AudioError, id="no channels"),
        pytest.param(wav(pcm(tone(), 16), tag=0x2000), AudioError, id="AC-3 in a WAV"),
        pytest.param(b"OggS" + b"\0" * 200, AudioError, id="broken Ogg"),
        pytest.param(b"fLaC" + b"\0" * 200, AudioError, id="broken FLAC"),
        pytest.param(b"ID3" + b"\0" * 200, AudioError, id="broken MP3"),
        pytest.param(b"\x1a\x45\xdf\xa3" + b"\0" * 200, AudioError, id="broken WebM"),
    ],
)
async def test_what_cannot_be_read_is_a_typed_error(data: bytes, error: type[AudioError]) -> None:
    with pytest.raises(error) as caught:
        await decode(data, max_seconds=60)
    assert type(caught.value) is error


def test_the_limit_is_exact() -> None:
    assert len(decode_now(encode(tone(seconds=2), RATE), 2)) == 2 * RATE
    with pytest.raises(AudioTooLongError):
        decode_now(encode(tone(seconds=2.001), RATE), 2)


def test_an_hour_is_refused_without_being_decoded_into_memory() -> None:
    hour = wav(bytes(3_600 * RATE * 2))
    tracemalloc.start()
    try:
        with pytest.raises(AudioTooLongError):
            decode_now(hour, 60)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * 60 * RATE * 4  # bytes; the hour as float32 takes 230 MB


@pytest.mark.parametrize("size", [0xC9000000, 0x7FFFFFFF, 0xFFFFFFFF])
def test_a_text_chunk_reserves_no_memory(size: int) -> None:
    """ffmpeg would; the file here has 2 kB."""
    info = b"LIST" + struct.pack("<I", 26) + b"INFOISFT" + struct.pack("<I", size) + b"a" * 14
    data = wav(pcm(tone(seconds=0.1), 16), before=info)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    assert len(decode_now(data, 60)) == RATE // 10
    touched = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    assert touched * resource.getpagesize() < 200_000_000


@pytest.mark.parametrize("codec", ["flac", "libopus", "libmp3lame"])
def test_other_containers_are_a_bonus(codec: str) -> None:
    container = {"flac": "flac", "libmp3lame": "mp3"}.get(codec, "ogg")
    written = io.BytesIO()
    with av.open(written, "w", format=container) as out:
        stream = out.add_stream(codec, rate=48_000)
        assert isinstance(stream, AudioStream)
        stream.layout = "mono"
        layout = np.round(tone(48_000) * 32_767).astype(np.int16).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(layout, format="s16", layout="mono")
        frame.sample_rate = 48_000
        resampler = av.AudioResampler(format=stream.format, layout="mono", rate=48_000)
        for part in [*resampler.resample(frame), *resampler.resample(None), None]:
            for packet in stream.encode(part):
                out.mux(packet)
    assert strongest_hz(decode_now(written.getvalue(), 60)) == pytest.approx(440, abs=3)


@pytest.mark.parametrize(
    "text",
    [
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://{path}\n",
        "ffconcat version 1.0\nfile '{path}'\n",
        "[playlist]\nFile1={path}\nNumberOfEntries=1\n",
        "<?xml version='1.0'?><MPD><BaseURL>{path}</BaseURL></MPD>",
        "{path}",
    ],
)
def test_a_playlist_opens_no_other_file(text: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.wav"
    secret.write_bytes(encode(tone(), RATE))
    with pytest.raises(AudioError):
        decode_now(text.format(path=secret).encode(), 60)


def _samples_or_typed_error(data: bytes) -> None:
    try:
        samples = decode_now(data, 5)
    except AudioError:
        return
    assert samples.dtype == np.float32
    assert len(samples) > 0
    assert np.isfinite(samples).all()
    assert float(np.abs(samples).max()) <= 1.0


MAGIC = st.sampled_from([b"", b"RIFF\0\0\0\0WAVEfmt ", b"OggS", b"fLaC", b"ID3", b"\xff\xfb",
                         b"RF64\xff\xff\xff\xffWAVEds64", b"\x1a\x45\xdf\xa3"])  # fmt: skip


@given(MAGIC, st.binary(max_size=400))
@settings(max_examples=300, deadline=None)
def test_any_bytes_give_samples_or_a_typed_error(magic: bytes, rest: bytes) -> None:
    _samples_or_typed_error(magic + rest)


@given(
    st.sampled_from([CANONICAL[:4_000], wav(pcm(tone(seconds=0.1), 24), bits=24, before=LIST)]),
    st.lists(st.tuples(st.integers(0, 90), st.integers(0, 255)), max_size=6),
    st.integers(0, 4_000),
)
@settings(max_examples=500, deadline=None)
def test_a_damaged_wav_gives_samples_or_a_typed_error(
    data: bytes, changes: list[tuple[int, int]], length: int
) -> None:
    damaged = bytearray(data)
    for at, value in changes:
        damaged[at] = value
    _samples_or_typed_error(bytes(damaged[:length] if length else damaged))


def test_encoded_wav_is_canonical() -> None:
    data = encode(np.array([0.0, 1.0, -1.0, 2.0, -2.0, np.nan], np.float32), 24_000)
    assert len(data) == HEADER_BYTES + 12
    with wave.open(io.BytesIO(data)) as read:
        assert read.getparams()[:4] == (1, 2, 24_000, 6)
        values = np.frombuffer(read.readframes(6), "<i2")
    assert values.tolist() == [0, 32767, -32767, 32767, -32767, 0]
    assert np.frombuffer(data[HEADER_BYTES:], "<i2").tolist() == values.tolist()
    assert struct.unpack_from("<I", data, 4)[0] == len(data) - 8


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=50))
def test_encode_and_decode_are_inverse(values: list[float]) -> None:
    samples = np.array(values, np.float32)
    assert decode_now(encode(samples, RATE), 60) == pytest.approx(samples, abs=1e-4)


@pytest.mark.parametrize("rate", [8_000, 22_050, 24_000, 48_000])
def test_resampling_keeps_pitch_and_length(rate: int) -> None:
    changed = resample(tone(rate, 2.0), rate, RATE)
    assert len(changed) == pytest.approx(2 * RATE, abs=2)
    assert changed.dtype == np.float32
    assert strongest_hz(changed) == pytest.approx(440, abs=2)
    assert len(resample(changed[:0], rate, RATE)) == 0
