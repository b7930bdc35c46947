"""The pure parts of `make bench ARGS="--streaming"`: what is counted, and what is not."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[2] / "bench"))

import playback_simulation
import stepped_tone
from bench_server import ratio, spread
from lobug.devices.codec import make_encoder
from lobug.devices.frames import AudioCodec, AudioFormat
from lobug.devices.speaker import START_DELAY_S
from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.simulator.link import NetworkOptions
from lobug.simulator.recordings import encode_speech, reply_wav
from lobug.simulator.results import WsTurnResult
from lobug.simulator.soak import engines
from recorded_speech import Clip, Said, hesitating, spaced
from sequential_server import SILENCE_S, recording_of
from socket_timing import PACKET_SAMPLES, ConnectionTiming, due
from streaming_conversation import MOST_APART_S, turn_of

DOWNLINKS = (
    AudioFormat(AudioCodec.OPUS, 24_000, 60.0),
    AudioFormat(AudioCodec.PCM, 16_000, 60.0),
)
STEPS = 24


def test_percentiles_are_by_nearest_rank() -> None:
    found = spread([float(n) for n in range(1, 21)])
    assert found == {"n": 20, "p50": 10.0, "p95": 19.0, "p99": 20.0, "max": 20.0}
    assert spread([]) == {"n": 0, "p50": None, "p95": None, "p99": None, "max": None}


def test_a_ratio_needs_both_sides() -> None:
    assert ratio([3.0], [4.0, 8.0], 0.5) == 0.75
    assert ratio([], [4.0], 0.5) is None
    assert ratio([3.0], [], 0.5) is None


# A reply's sound: nothing of it may be missing.


def _packets(downlink: AudioFormat) -> list[bytes]:
    encoder = make_encoder(downlink, 24_000)
    halves = [engines.tone(first, STEPS // 2, 24_000) for first in (0, STEPS // 2)]
    silence = np.zeros(5_000, np.float32)
    return [*encoder.feed(np.concatenate([halves[0], silence, halves[1]])), *encoder.flush()]


def _faults(packets: Sequence[bytes], downlink: AudioFormat) -> list[str]:
    wav = reply_wav(packets, downlink)
    sound = np.frombuffer(wav[44:], "<i2").astype(np.float32) / np.float32(32768)
    return stepped_tone.missing(sound, downlink.sample_rate, STEPS)


@pytest.mark.parametrize("downlink", DOWNLINKS, ids=lambda d: d.codec.value)
def test_a_lost_a_doubled_and_a_swapped_packet_are_noticed(downlink: AudioFormat) -> None:
    packets = _packets(downlink)
    assert _faults(packets, downlink) == []
    assert _faults([*packets[:7], *packets[8:]], downlink)
    assert _faults([*packets[:8], *packets[7:]], downlink)
    assert _faults([*packets[:7], packets[8], packets[7], *packets[9:]], downlink)
    assert _faults([], downlink)


# Own share.


class _Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_own_share_counts_from_the_packet_with_the_endpoint_and_without_the_deliberate_wait() -> (
    None
):
    clock = _Clock()
    passage = ConnectionTiming(clock)
    told = passage.stream_begins()
    for n in range(5):
        clock.now = 100.0 + 0.06 * n
        passage.received_message({"type": "websocket.receive", "bytes": b"audio"})
        if n < 4:  # the endpoint lies in the fourth; the fifth is not listened to
            told((n + 1) * PACKET_SAMPLES - 20)
    clock.now = 100.25
    passage.sent_message(
        {"type": "websocket.send", "text": json.dumps({"type": "stt", "text": "words"})}
    )
    passage.sent_message(
        {"type": "websocket.send", "text": json.dumps({"type": "tts", "state": "start"})}
    )
    clock.now = 100.33
    for _ in range(2):
        passage.sent_message({"type": "websocket.send", "bytes": b"audio"})
    (share,) = passage.shares
    assert share.decided_at == pytest.approx(100.18)
    assert share.seconds == pytest.approx(100.33 - 100.18 - START_DELAY_S)
    assert share.strict_s == pytest.approx(share.seconds)


def test_a_packet_that_waited_was_due_when_the_earliest_of_its_stream_says() -> None:
    assert due([1.0, 1.06, 1.12]) == pytest.approx(1.12)
    assert due([1.05, 1.06, 1.30]) == pytest.approx(1.12)


# Turns.


def _said(in_one_go: bool = True) -> Said:
    samples: Samples = np.zeros(2 * STT_SAMPLE_RATE, np.float32)
    samples[8_000:16_000] = 0.3 * np.sin(np.arange(8_000) * 0.1)
    speech = encode_speech("tone", samples, AudioCodec.PCM)
    return Said(Clip("tone", "a tone", samples), speech, 1.1, in_one_go)


def test_a_turn_counts_from_where_the_gate_finds_its_end() -> None:
    said = _said()
    assert said.speech.speech_end_s == pytest.approx(1.0)
    turn = turn_of(said, WsTurnResult("tone", first_audio_s=1.3), {"first_audio_sent": 1.25})
    assert turn.first_audio_s == pytest.approx(1.2)
    assert turn.first_audio_after_sound_s == pytest.approx(1.3)
    assert not turn.too_early


@pytest.mark.parametrize(
    ("result", "sent_s"),
    [
        (WsTurnResult("tone", first_audio_s=-0.4, cut_short_s=0.5), 1.0),
        (WsTurnResult("tone", first_audio_s=0.3), 0.2 + MOST_APART_S + 0.01),
    ],
    ids=["it spoke into the speech", "it answered a part"],
)
def test_what_was_answered_too_early_has_no_time(result: WsTurnResult, sent_s: float) -> None:
    turn = turn_of(_said(), result, {"first_audio_sent": sent_s})
    assert turn.too_early
    assert turn.first_audio_s is turn.first_audio_after_sound_s is None


def test_the_first_device_uploads_up_to_the_end_of_speech_and_the_silence_after_it() -> None:
    assert recording_of(_said()).seconds == pytest.approx(1.1 + SILENCE_S)


def test_a_pause_is_put_where_it_is_quietest_and_takes_nothing_away() -> None:
    samples: Samples = np.full(30_000, 0.5, np.float32)
    samples[14_000:16_000] = 0.0
    clip = hesitating(Clip("loud", "loud words", samples), 0.5)
    assert len(clip.samples) == 30_000 + 8_000
    silent = np.flatnonzero(clip.samples == 0.0)
    assert (silent[0], silent[-1], len(silent)) == (14_000, 23_999, 10_000)


def test_clips_are_taken_evenly_and_always_the_same() -> None:
    clips = [Clip(str(n), "words", np.zeros(1, np.float32)) for n in range(10)]
    assert [clip.name for clip in spaced(clips, 4)] == ["0", "2", "5", "7"]


# Simulated talk.


def test_over_a_perfect_network_playback_never_runs_dry() -> None:
    (talk,) = playback_simulation.compare((0.36,), NetworkOptions(), minutes=2)
    assert talk.spoken_s >= 120
    assert (talk.starvations, talk.late_pieces, talk.overflowed) == (0, 0, 0)


def test_half_a_lead_runs_dry_more_often_and_the_same_seed_gives_the_same() -> None:
    network = NetworkOptions(loss=0.02, jitter_s=0.1)
    short, long, again = playback_simulation.compare((0.12, 0.72, 0.12), network, minutes=5)
    assert short.starvations - short.at_beginning > long.starvations - long.at_beginning
    assert short == again
    assert short.starved_s > 0


def test_several_talks_are_counted_together() -> None:
    network = NetworkOptions(loss=0.05, jitter_s=0.1)
    (one,) = playback_simulation.compare((0.3,), network, minutes=1)
    (two,) = playback_simulation.compare((0.3,), network, minutes=1, seeds=2)
    assert two.spoken_s >= 120 > one.spoken_s
    assert two.frames > one.frames
    assert two.starvations >= one.starvations


def test_a_virtual_loop_says_when_nothing_will_ever_happen() -> None:
    async def forever() -> None:
        await asyncio.Event().wait()

    with pytest.raises(RuntimeError, match="nothing will ever happen"):
        playback_simulation.run_virtually(forever())
