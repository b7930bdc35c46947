"""Bodies of `/chat`, `/context` and `/health`, and of errors. Devices depend on the field names."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lobug.conversation.registry import SensorReading

Finite = Annotated[float, Field(allow_inf_nan=False)]


class TextRequest(BaseModel):
    """What somebody typed."""

    text: str = Field(description="The user's words; not blank, at most `limits.max_text_chars`.")
    voice: bool = Field(False, description="Whether the reply is to be spoken as well.")


class TextReply(BaseModel):
    """The reply to typed words."""

    response: str = Field(description="One to three sentences of plain text.")
    audio_b64: str | None = Field(
        None, description="With `voice` only: the reply as in the answer of `/chat/audio`."
    )
    speech_error: str | None = Field(
        None, description="With `voice` only: why there is no speech, a stable code."
    )


class AudioReply(BaseModel):
    """The reply to a recording."""

    transcription: str = Field(description="What was heard; empty when nothing was.")
    response: str = Field(description="One to three sentences of plain text; empty for `ignore`.")
    action: Literal["respond", "react", "ignore"] = Field(
        description="`respond`: play `audio_b64`. `react`: show `response`, say nothing."
        " `ignore`: do nothing."
    )
    audio_b64: str = Field(
        description="Base64 of a WAV with a 44-byte header, PCM16, mono; empty unless `respond`,"
        " and when no voice is available."
    )
    reason: str | None = Field(
        None, description="Why it was ignored: `no_speech`, `noise` or `model`."
    )
    speech_error: str | None = Field(
        None, description="Stable code of a text-to-speech failure; the reply is then text only."
    )
    timings: dict[str, float] = Field(
        default_factory=dict,
        description="Seconds from the start of the turn to the end of each stage.",
    )


class SensorRequest(BaseModel):
    """What a device senses. Unknown fields are ignored; absent ones have the defaults."""

    model_config = ConfigDict(extra="ignore")

    orientation: str = Field("", max_length=64, description="Such as `face_up` or `upright`.")
    is_moving: bool = Field(False, description="Whether the device is being moved.")
    is_shaking: bool = Field(False, description="Whether the device is being shaken.")
    tap_detected: bool = Field(False, description="Whether the device was just tapped.")
    accel_x: Finite = Field(0.0, description="Acceleration, g.")
    accel_y: Finite = Field(0.0, description="Acceleration, g.")
    accel_z: Finite = Field(0.0, description="Acceleration, g.")
    gyro_x: Finite = Field(0.0, description="Rotation, degrees a second.")
    gyro_y: Finite = Field(0.0, description="Rotation, degrees a second.")
    gyro_z: Finite = Field(0.0, description="Rotation, degrees a second.")

    def reading(self) -> SensorReading:
        """The reading for the conversation."""
        return SensorReading(
            # One line without brackets: in the prompt it must not look like an instruction.
            orientation=" ".join(self.orientation.replace("[", "(").replace("]", ")").split()),
            is_moving=self.is_moving,
            is_shaking=self.is_shaking,
            tap_detected=self.tap_detected,
            accel=(self.accel_x, self.accel_y, self.accel_z),
            gyro=(self.gyro_x, self.gyro_y, self.gyro_z),
        )


class SensorReply(BaseModel):
    """The reading was taken."""

    status: Literal["ok"] = "ok"


class EngineHealth(BaseModel):
    """The state of one engine."""

    name: str = Field(description="Implementation: embedded, ollama, openai, faster-whisper, ...")
    model: str = Field(description="Model name.")
    ready: bool = Field(description="Whether it can be used now.")
    degraded: bool = Field(description="Whether it works less well than it should.")
    reason: str | None = Field(description="Why it is degraded or not ready, and what to do.")
    chosen_because: str | None = Field(None, description="Why this implementation was chosen.")
    details: dict[str, Any] = Field(default_factory=dict, description="More, by implementation.")


class MemoryHealth(BaseModel):
    """Counts of what is remembered, over all users."""

    messages: int = Field(description="Rows of the conversation log.")
    facts: int = Field(description="Facts that can be recalled.")
    summaries: int = Field(description="Summaries of conversations.")
    users: int = Field(description="Users with anything remembered.")
    pending_tasks: int = Field(description="Background work that is still to be done.")
    parked_tasks: int = Field(description="Background work that failed too often; kept.")
    embedding_backlog: int = Field(description="Facts that wait for their vector.")


class BriefHealth(BaseModel):
    """The state of the server. The first three fields are the contract with devices."""

    status: Literal["ok", "degraded"] = Field(
        description="`ok` when Lo-Bug can hold a conversation, else `degraded`."
    )
    ollama: bool = Field(description="Whether an Ollama server answers.")
    timestamp: float = Field(description="Seconds since the epoch.")
    version: str = Field(description="Version of the server.")


class Health(BriefHealth):
    """The state of the server, for its owner."""

    uptime_s: float = Field(description="Seconds since the server started.")
    degraded: list[str] = Field(description="What does not work as it should, one sentence each.")
    engines: dict[str, EngineHealth] = Field(
        description="By job: chat, embeddings, stt, gate, tts."
    )
    memory: MemoryHealth
    turns: int = Field(description="Turns under way.")


class ErrorDetail(BaseModel):
    """What went wrong."""

    code: str = Field(description="Stable identifier of the error.")
    message: str = Field(description="For developers.")


class ErrorReply(BaseModel):
    """Any failure. It also has the fields of a reply, so that a device can show something."""

    error: ErrorDetail
    response: str = Field(description="A sentence that a device can show or say.")
    transcription: str = Field("", description="What was heard before it failed.")
    action: Literal["respond"] = Field("respond", description="The device may show `response`.")
    audio_b64: str = Field("", description="Always empty.")
