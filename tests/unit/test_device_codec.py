"""Opus and PCM of the device protocol, with recorded speech."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import soxr
from hypothesis import given, settings
from hypothesis import strategies as st

from lobug.devices.codec import make_decoder, make_encoder
from lobug.devices.frames import (
    FRAME_DURATIONS_MS,
    OPUS_RATES,
    AudioCodec,
    AudioFormat,
)
from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.errors import AudioError, AudioPacketError
from support import speech

OPUS, PCM = AudioCodec.OPUS, AudioCodec.PCM
FORMATS = [
    *(AudioFormat(OPUS, rate, ms) for rate in OPUS_RATES for ms in FRAME_DURATIONS_MS),
    *(AudioFormat(PCM, rate, 60.0) for rate in (8_000, 16_000, 22_050, 24_000, 44_100, 48_000)),
    AudioFormat(PCM, 16_000, 2.5),
]
DELAY_MS = {OPUS: 6.5 + 1.25, PCM: 1.25}


def spoken(seconds: float) -> Samples:
    clips = [clip.samples for clip in speech.pocketsphinx()]
    return np.concatenate(clips)[: int(seconds * STT_SAMPLE_RATE)]


def at_rate(samples: Samples, rate: int) -> Samples:
    changed: Samples = soxr.resample(samples, STT_SAMPLE_RATE, rate).astype(np.float32)
    return changed


def same_sound(said: Samples, heard: Samples, delay_ms: float) -> float:
    """How alike the power in each band and moment is, as a correlation of decibels, 0 to 1."""
    delay = round(delay_ms * STT_SAMPLE_RATE / 1000)
    return float(np.corrcoef(_decibels(said), _decibels(heard[delay : delay + len(said)]))[0, 1])


def _decibels(samples: Samples) -> Samples:
    frames = np.lib.stride_tricks.sliding_window_view(samples, 400)[::160] * np.hanning(400)
    power = np.abs(np.fft.rfft(frames, axis=1)[:, :128]) ** 2
    bands = power.reshape(len(frames), 16, 8).mean(axis=2)
    decibels: Samples = (10 * np.log10(bands + 1e-4)).reshape(-1)
    return decibels


@pytest.mark.speech
@pytest.mark.parametrize("wire", FORMATS, ids=lambda f: f"{f.codec}-{f.sample_rate}-{f.frame_ms}")
def test_speech_stays_what_it_was(wire: AudioFormat) -> None:
    said = spoken(2.0)
    encoder = make_encoder(wire, STT_SAMPLE_RATE)
    packets = encoder.feed(said) + encoder.flush()
    decoder = make_decoder(wire)
    pieces = [decoder.decode(packet) for packet in packets]
    heard = np.concatenate([*pieces, decoder.flush()])
    needed = (2_000 + (6.5 if wire.codec is OPUS else 0)) / wire.frame_ms
    assert needed <= len(packets) <= needed + 2
    # 8 kHz carries half of the bands.
    assert same_sound(said, heard, DELAY_MS[wire.codec]) > (
        0.9 if wire.sample_rate > 8_000 else 0.6
    )


@pytest.mark.speech
def test_half_a_minute_in_single_packets_loses_nothing() -> None:
    said = spoken(30.0)
    wire = AudioFormat(OPUS, 24_000, 60.0)
    encoder, decoder = make_encoder(wire, STT_SAMPLE_RATE), make_decoder(wire)
    heard = []
    packets = 0
    for at in range(0, len(said), 1_000):
        for packet in encoder.feed(said[at : at + 1_000]):
            heard.append(decoder.decode(packet))
            assert len(heard[-1]) == 960, "a packet is one frame, always"
            packets += 1
    heard += [decoder.decode(packet) for packet in encoder.flush()]
    whole = np.concatenate([*heard, decoder.flush()])
    assert packets >= 499
    assert same_sound(said, whole, DELAY_MS[OPUS]) > 0.96
    for second in range(0, 30, 5):  # in order, and at its place
        part = slice(second * STT_SAMPLE_RATE, (second + 5) * STT_SAMPLE_RATE)
        late = slice(part.start, part.stop + 200)
        assert same_sound(said[part], whole[late], DELAY_MS[OPUS]) > 0.96


@pytest.mark.parametrize("codec", AudioCodec)
def test_the_ending_is_not_cut(codec: AudioCodec) -> None:
    said = np.zeros(16_000 * 6 // 10, np.float32)  # ten whole frames
    at = np.arange(160)
    said[-160:] = 0.5 * np.sin(2 * np.pi * 1_000 * at / 16_000)
    wire = AudioFormat(codec, 16_000, 60.0)
    encoder, decoder = make_encoder(wire, 16_000), make_decoder(wire)
    packets = encoder.feed(said) + encoder.flush()
    heard = np.concatenate([*(decoder.decode(packet) for packet in packets), decoder.flush()])
    ending = heard[len(said) - 160 :]
    assert np.sum(ending**2) > 0.7 * np.sum(said**2)


@given(
    st.sampled_from([AudioFormat(PCM, 24_000, 20.0), AudioFormat(OPUS, 24_000, 20.0)]),
    st.sampled_from([24_000, 22_050, 16_000]),
    st.lists(st.integers(0, 5_000), max_size=8),
)
@settings(max_examples=30, deadline=None)
def test_packets_are_whole_and_all_there(wire: AudioFormat, rate: int, sizes: list[int]) -> None:
    encoder = make_encoder(wire, rate)
    packets = []
    for size in sizes:
        packets += encoder.feed(np.full(size, 0.1, np.float32))
    seconds = sum(sizes) / rate
    assert encoder.position == pytest.approx(seconds / wire.frame_s)
    packets += encoder.flush()
    held_back = 0.0065 if wire.codec is OPUS else 0.0
    needed = (seconds + held_back) / wire.frame_s if sum(sizes) else 0
    assert needed - 0.1 <= len(packets) <= needed + 1.1
    assert encoder.position == len(packets)
    assert encoder.flush() == []
    if wire.codec is PCM:
        assert {len(packet) for packet in packets} <= {wire.frame_samples * 2}


def test_an_encoder_goes_on_after_a_flush() -> None:
    wire = AudioFormat(PCM, 24_000, 20.0)
    encoder = make_encoder(wire, 24_000)
    assert len(encoder.feed(np.zeros(500, np.float32)) + encoder.flush()) == 2
    assert encoder.position == 2
    assert encoder.feed(np.zeros(240, np.float32)) == []
    assert encoder.position == 2.5


def test_samples_out_of_range_are_no_fault() -> None:
    wild = np.array([np.nan, np.inf, -np.inf, 7.0, -7.0] * 192, np.float32)
    for codec in AudioCodec:
        wire = AudioFormat(codec, 16_000, 60.0)
        with np.errstate(all="raise"):
            (packet,) = make_encoder(wire, 16_000).feed(wild)
        heard = make_decoder(wire).decode(packet)
        assert np.isfinite(heard).all()
        if codec is PCM:
            assert heard[:5] == pytest.approx([0, 1, -1, 1, -1], abs=1e-4)


def test_two_channels_are_mixed() -> None:
    left_right = np.array([[8_000, 16_000]] * 960, "<i2")
    heard = make_decoder(AudioFormat(PCM, 16_000, 60.0, channels=2)).decode(left_right.tobytes())
    assert len(heard) == 960
    assert heard == pytest.approx(12_000 / 32_768, abs=1e-6)


@pytest.mark.speech
@pytest.mark.parametrize("bad", [b"", b"\xff\xff", b"\x03", bytes([3]) + b"\xff" * 400])
def test_the_stream_goes_on_after_garbage(bad: bytes) -> None:
    said = spoken(3.0)
    wire = AudioFormat(OPUS, 16_000, 60.0)
    decoder = make_decoder(wire)
    heard = []
    for packet in make_encoder(wire, STT_SAMPLE_RATE).feed(said):
        with pytest.raises(AudioError) as refused:
            decoder.decode(bad)
        assert refused.value.code == "audio_packet_invalid"
        heard.append(decoder.decode(packet))
    whole = np.concatenate(heard)
    assert same_sound(said[: len(whole) - 200], whole, DELAY_MS[OPUS]) > 0.96


@pytest.mark.parametrize("bad", [b"", b"x", bytes(3), bytes(100_000)])
def test_what_is_no_pcm_is_refused(bad: bytes) -> None:
    with pytest.raises(AudioPacketError):
        make_decoder(AudioFormat(PCM, 16_000, 60.0)).decode(bad)


@given(st.lists(st.binary(max_size=1_500), max_size=5))
@settings(deadline=None)
def test_any_packet_is_audio_or_refused(packets: list[bytes]) -> None:
    decoder = make_decoder(AudioFormat(OPUS, 16_000, 60.0))
    for packet in packets:
        try:
            samples = decoder.decode(packet)
        except AudioPacketError:
            continue
        assert samples.dtype == np.float32
        assert len(samples) <= 0.120 * STT_SAMPLE_RATE
        assert np.isfinite(samples).all()


@pytest.mark.speech
@given(st.data())
@settings(max_examples=30, deadline=None)
def test_damaged_packets_disturb_nothing_else(data: st.DataObject) -> None:
    wire = AudioFormat(OPUS, 16_000, 20.0)
    packets = make_encoder(wire, STT_SAMPLE_RATE).feed(spoken(0.5))
    decoder = make_decoder(wire)
    for packet in packets:
        damaged = bytearray(packet)
        for _ in range(data.draw(st.integers(0, 3))):
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
        try:
            decoder.decode(bytes(damaged))
        except AudioPacketError:
            continue
    assert len(decoder.decode(packets[0])) == 320


def test_streams_in_several_threads_do_not_disturb_each_other() -> None:
    wire = AudioFormat(OPUS, 24_000, 60.0)
    source = tuple(np.random.default_rng(seed).uniform(-0.3, 0.3, 24_000) for seed in range(4))

    def encoded(seed: int) -> list[bytes]:
        encoder = make_encoder(wire, 24_000)
        pieces = np.array_split(source[seed], 35)
        return [p for piece in pieces for p in encoder.feed(piece.astype(np.float32))]

    alone = [encoded(seed) for seed in range(4)]
    together: dict[int, list[bytes]] = {}
    threads = [
        threading.Thread(target=lambda seed=seed: together.update({seed: encoded(seed)}))
        for seed in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[seed] for seed in range(4)] == alone
