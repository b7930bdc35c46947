"""What device and server agree on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.devices.connection import Agreement, negotiate
from lobug.devices.frames import (
    FRAME_DURATIONS_MS,
    OPUS_RATES,
    AudioCodec,
    AudioFormat,
)
from lobug.devices.messages import AudioParams, Hello
from lobug.errors import HelloError

OPUS, PCM = AudioCodec.OPUS, AudioCodec.PCM


def test_a_device_that_says_nothing_gets_the_protocols_own() -> None:
    assert negotiate(Hello()) == Agreement(
        version=1,
        uplink=AudioFormat(OPUS, 16_000, 60.0),
        downlink=AudioFormat(OPUS, 24_000, 60.0),
        mcp=False,
        aec=False,
    )


def test_the_firmwares_hello() -> None:
    hello = Hello(3, "websocket", True, True, AudioParams("opus", 16_000, 1, 20.0))
    agreed = negotiate(hello, "3")
    assert agreed == Agreement(
        3, AudioFormat(OPUS, 16_000, 20.0), AudioFormat(OPUS, 24_000, 20.0), True, True
    )


@pytest.mark.parametrize(
    ("audio", "downlink", "sent"),
    [
        (AudioParams(), AudioParams(sample_rate=16_000), AudioFormat(OPUS, 16_000, 60.0)),
        (AudioParams(), AudioParams(frame_duration=20.0), AudioFormat(OPUS, 24_000, 20.0)),
        (AudioParams(), AudioParams("pcm"), AudioFormat(PCM, 24_000, 60.0)),
        (AudioParams("pcm"), AudioParams(), AudioFormat(PCM, 16_000, 60.0)),
        (AudioParams("pcm", 44_100), AudioParams(), AudioFormat(PCM, 44_100, 60.0)),
        (AudioParams("pcm", 44_100), AudioParams("opus"), AudioFormat(OPUS, 24_000, 60.0)),
        (AudioParams("pcm"), AudioParams("pcm", 22_050), AudioFormat(PCM, 22_050, 60.0)),
    ],
)
def test_the_downlink_is_what_the_device_asks_for(
    audio: AudioParams, downlink: AudioParams, sent: AudioFormat
) -> None:
    assert negotiate(Hello(audio=audio, downlink=downlink)).downlink == sent


@pytest.mark.parametrize(
    ("said", "header", "version"),
    [(None, None, 1), (2, None, 2), (None, "3", 3), (2, " 2 ", 2)],
)
def test_the_version(said: int | None, header: str | None, version: int) -> None:
    assert negotiate(Hello(version=said), header).version == version


@pytest.mark.parametrize(
    ("hello", "header", "why"),
    [
        (Hello(version=4), None, "served: 1, 2, 3"),
        (Hello(version=0), None, "served: 1, 2, 3"),
        (Hello(), "4", "served: 1, 2, 3"),
        (Hello(), "one", "not a number"),
        (Hello(), "", "not a number"),
        (Hello(), "9" * 5_000, "not a number"),
        (Hello(), "\u0663", "not a number"),
        (Hello(version=1), "3", "Protocol-Version is 3"),
        (Hello(transport="udp"), None, "websocket"),
        (Hello(audio=AudioParams("mp3")), None, "opus, pcm"),
        (Hello(audio=AudioParams("opus", 44_100)), None, "48000"),
        (Hello(audio=AudioParams("pcm", 7_999)), None, "8000 to 48000"),
        (Hello(audio=AudioParams("pcm", 96_000)), None, "8000 to 48000"),
        (Hello(audio=AudioParams("pcm", 11_025, 1, 20.0)), None, "whole samples"),
        (Hello(audio=AudioParams(frame_duration=30.0)), None, "60"),
        (Hello(audio=AudioParams(frame_duration=-60.0)), None, "60"),
        (Hello(audio=AudioParams(channels=0)), None, "1 to 2"),
        (Hello(audio=AudioParams(channels=3)), None, "1 to 2"),
        (Hello(downlink=AudioParams(channels=2)), None, "1 to 1"),
        (Hello(downlink=AudioParams(sample_rate=22_050)), None, "downlink.sample_rate"),
    ],
)
def test_what_is_not_served_is_refused_and_says_what_is(
    hello: Hello, header: str | None, why: str
) -> None:
    with pytest.raises(HelloError, match=why) as refused:
        negotiate(hello, header)
    assert refused.value.code == "hello_invalid"


PARAMS = st.builds(
    AudioParams,
    st.none() | st.sampled_from(["opus", "pcm", "flac"]),
    st.none() | st.integers() | st.sampled_from([*OPUS_RATES, 44_100]),
    st.none() | st.integers(-1, 4),
    st.none() | st.floats(-10, 200) | st.sampled_from(FRAME_DURATIONS_MS),
)


@given(
    st.builds(
        Hello,
        st.none() | st.integers(-1, 5),
        st.sampled_from([None, "websocket", "udp"]),
        st.booleans(),
        st.booleans(),
        PARAMS,
        PARAMS,
    ),
    st.none() | st.text(max_size=3) | st.sampled_from(["1", "2", "3"]),
)
def test_whatever_is_agreed_on_can_be_served(hello: Hello, header: str | None) -> None:
    try:
        agreed = negotiate(hello, header)
    except HelloError:
        return
    assert agreed.version in (1, 2, 3)
    for one in (agreed.uplink, agreed.downlink):
        assert one.frame_samples * 1000 == one.sample_rate * one.frame_ms
        assert one.codec is PCM or one.sample_rate in OPUS_RATES
    assert agreed.downlink.channels == 1
    assert agreed.uplink.channels in (1, 2)
