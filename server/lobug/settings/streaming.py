"""Settings of live conversation: when a speaker has finished, and how audio is sent."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lobug.settings.section import Changeable, Fraction, Seconds, Section


class ListeningSettings(Section):
    """When somebody begins and finishes speaking."""

    voice_threshold: Fraction = Field(
        0.5, description="Voice probability from which a frame of a stream is taken for speech."
    )
    begin_speech_s: float = Field(
        0.1,
        ge=0.03,
        le=1.0,
        description="Speech after which somebody has begun to speak, seconds: a click is shorter.",
    )
    end_silence_s: Annotated[float, Changeable("Silence after a sentence", unit="s")] = Field(
        0.7,
        ge=0.25,
        le=1.25,
        description="Silence after which somebody has finished speaking, seconds: lower is quicker,"
        " higher leaves time to think in mid-sentence.",
    )
    unfinished_silence_s: Annotated[float, Changeable("Silence in mid-sentence", unit="s")] = Field(
        1.2,
        ge=0.25,
        le=5.0,
        description="The same when the words so far are clearly unfinished, seconds.",
    )
    finished_silence_s: Annotated[float, Changeable("Silence after a short command", unit="s")] = (
        Field(
            0.4,
            ge=0.1,
            le=1.25,
            description="The same when the words so far are a whole short command, seconds.",
        )
    )
    pause_s: float = Field(
        0.15,
        ge=0.05,
        le=1.0,
        description="Silence after which a reply is prepared on speculation, seconds.",
    )
    no_speech_timeout_s: Seconds = Field(
        15.0, description="Listening without a word ends after this, seconds."
    )
    max_utterance_s: Seconds = Field(
        30.0, description="Longest utterance of a stream; it is answered then, seconds."
    )
    stalled_s: Seconds = Field(
        2.0,  # a network that lost a packet twice is back after less
        description="A stream that stops in mid-utterance is taken for silent when nothing has come"
        " for `end_silence_s` and this, seconds. Not while a button is held.",
    )
    max_backlog_s: Seconds = Field(
        10.0,
        description="Audio of one stream that may wait to be processed, seconds; beyond that the"
        " utterance is given up.",
    )
    interim_every_s: float = Field(
        1.0,
        ge=0.0,
        description="How often speech is transcribed while it goes on, seconds; 0: only at pauses.",
    )
    speculate: Annotated[bool, Changeable("Prepare replies at pauses")] = Field(
        True,
        description="Prepare the reply at the first pause, and throw it away if speech goes on.",
    )


class StreamingSettings(Section):
    """The streaming door for devices."""

    audio_lead_s: Seconds = Field(
        0.72,
        description="How much audio is sent ahead of its time, seconds. Devices hold 2.4.",
    )
    max_connections: int = Field(200, ge=1, description="Devices connected at once.")
    hello_timeout_s: Seconds = Field(
        10.0, description="How long a device may take to send its `hello`, seconds."
    )
    idle_timeout_s: Seconds = Field(
        120.0, description="A connection on which nothing is said is closed after this, seconds."
    )
    farewell_s: Seconds = Field(
        15.0,
        description="When the server stops, how long what is being said with a device may still"
        " take, seconds. Then the device is told to connect again.",
    )
    waiting_device_s: Seconds = Field(
        30.0,
        description="How long the connection of a device that waits for its owner's approval stays"
        " open, seconds: it is told its code. Like every caller without a token it is cut off after"
        " `limits.body_timeout_s` and `limits.headers_timeout_s` at the latest.",
    )
    send_timeout_s: Seconds = Field(
        10.0, description="A device that reads nothing for this long is disconnected, seconds."
    )
    max_message_bytes: int = Field(
        65_536, ge=1024, description="Largest message of a device, bytes."
    )
    max_messages_per_s: int = Field(
        200,
        ge=10,
        description="Messages a second from one device before it is disconnected; twice its audio"
        " frames where those are more. A packet with more audio than an agreed frame counts as"
        " several. `listening.max_backlog_s` of audio may come at once.",
    )
    tool_timeout_s: Seconds = Field(
        8.0, description="How long a device may take to answer a call of one of its tools, seconds."
    )
    max_tools: int = Field(64, ge=0, description="Tools of one device; more are left out.")
    tool_result_chars: int = Field(
        600, ge=50, description="How much of a tool's result the chat model reads, characters."
    )
    keep_alive_s: Seconds = Field(
        15.0,
        description="How often an event stream over HTTP gets a comment, so that no proxy"
        " takes it for dead, seconds.",
    )
