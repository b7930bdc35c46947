"""What ``serve.yaml`` may say below ``args``, and what Ray Serve is told of it. Knows no Ray."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from lobug.settings import Settings

STOPPING_S = 20.0
"""Longest time that a replica which is told to stop has for the request it works on, seconds; the
longest sentence takes less."""

HEALTH_EVERY_S, HEALTH_WITHIN_S = 10.0, 10.0
"""Time between two checks of a replica, and for one, seconds. After three that fail Ray replaces
it."""

_ONGOING = 2
"""Requests that a replica has at a time: one that its engine computes, and one behind it, so that
the engine is not idle while Ray finds out and sends the next. The others wait in one queue, from
which the first replica with a place takes them."""

KEY_VARIABLE = "LOBUG_RAY_KEY"
"""The variable with the key that callers must send, because a key has no place in a file that is
shown around."""


def key_of(variables: Mapping[str, str]) -> str:
    """The key. Raises ValueError: there is none, or it is one that no caller could send."""
    key = variables.get(KEY_VARIABLE, "").strip()  # a header loses spaces at its ends
    if not key:
        raise ValueError(f"door.needs_key is true, and {KEY_VARIABLE} is not set")
    if not (key.isascii() and key.isprintable()):
        raise ValueError(f"{KEY_VARIABLE} may only have letters, digits and signs of ASCII")
    return key


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Replicas(_Part):
    """Processes with the same engine, which computes one request at a time."""

    min_replicas: int = Field(1, ge=1, description="Replicas while there is nothing to do.")
    max_replicas: int = Field(1, ge=1, description="Replicas at most.")
    target_requests: float = Field(
        1.0,
        gt=0.0,
        description="Requests for each replica, waiting ones included, from which Ray starts more.",
    )
    upscale_after_s: float = Field(
        5.0, ge=0.0, description="How long there must be too many requests, seconds."
    )
    downscale_after_s: float = Field(
        300.0, ge=0.0, description="How long there must be too few, seconds."
    )
    max_queued: int = Field(
        8, ge=1, description="Requests that wait for a replica; a further one is `engine_busy`."
    )
    cpus: float = Field(
        1.0, gt=0.0, description="Cores that Ray sets aside for a replica; it does not confine it."
    )

    @model_validator(mode="after")
    def _check_range(self) -> Self:
        if self.max_replicas < self.min_replicas:
            raise ValueError("max_replicas is less than min_replicas")
        return self

    @property
    def most_requests(self) -> int:
        """Requests that are worked on or wait at most."""
        return _ONGOING * self.max_replicas + self.max_queued

    def options(self) -> dict[str, Any]:
        """The options of the deployment."""
        return {
            "max_ongoing_requests": _ONGOING,
            "max_queued_requests": self.max_queued,
            "autoscaling_config": {
                "min_replicas": self.min_replicas,
                "max_replicas": self.max_replicas,
                "target_ongoing_requests": self.target_requests,
                "upscale_delay_s": self.upscale_after_s,
                "downscale_delay_s": self.downscale_after_s,
            },
            "ray_actor_options": {"num_cpus": self.cpus},
            "graceful_shutdown_timeout_s": STOPPING_S,
            "health_check_period_s": HEALTH_EVERY_S,
            "health_check_timeout_s": HEALTH_WITHIN_S,
        }


class HearingConfig(_Replicas):
    """Speech-to-text."""

    model: str = Field("whisper-base", description="A name of `lobug models list`.")
    language: str = Field(
        "en",
        pattern=r"^(auto|[a-z]{2,3})$",
        description="For requests that name none (ISO 639-1), or `auto`.",
    )
    threads: int = Field(1, ge=1, le=256, description="Threads of a replica.")


class VoiceConfig(_Replicas):
    """Text-to-speech."""

    speed: float = Field(1.0, ge=0.5, le=2.0, description="Speaking rate; 1 is normal.")


class DoorConfig(_Part):
    """The process that takes requests."""

    needs_key: bool = Field(
        True, description=f"Whether callers must send the key in {KEY_VARIABLE}."
    )
    max_requests: int = Field(
        64,
        ge=1,
        description="Requests at once, for both engines. As many more wait at Ray itself, which"
        " answers 503 above that, without a code of Lo-Bug's.",
    )

    def options(self) -> dict[str, Any]:
        """The options of the deployment. One replica: each would have a queue of its own in front
        of the engines. It computes little, so no core is set aside for it."""
        return {
            "num_replicas": 1,
            "max_ongoing_requests": self.max_requests,
            "max_queued_requests": self.max_requests,
            "ray_actor_options": {"num_cpus": 0},
            "graceful_shutdown_timeout_s": STOPPING_S,
            "health_check_period_s": HEALTH_EVERY_S,
            "health_check_timeout_s": HEALTH_WITHIN_S,
        }


class SpeechConfig(_Part):
    """Everything below ``args``."""

    models_dir: Path | None = Field(
        None, description="Where `lobug models pull` puts models; the same path on each computer."
    )
    hearing: HearingConfig = Field(default_factory=HearingConfig)
    voice: VoiceConfig = Field(default_factory=VoiceConfig)
    door: DoorConfig = Field(default_factory=DoorConfig)

    @model_validator(mode="after")
    def _check_room(self) -> Self:
        needed = self.hearing.most_requests + self.voice.most_requests
        if self.door.max_requests <= needed:
            raise ValueError(
                f"door.max_requests must be more than {needed}, what both engines take together, or"
                " Ray refuses requests before Lo-Bug can say why"
            )
        return self

    @property
    def first_cores(self) -> float:
        """Cores that Ray sets aside before it serves. It counts in ten-thousandths of a core."""
        parts = (self.hearing, self.voice)
        return round(sum(part.cpus * part.min_replicas for part in parts), 4)

    def settings(self) -> Settings:
        """Lo-Bug's settings on this computer. What is not in ``args`` comes from the variables with
        which Ray was started there, or is the default."""
        given: dict[str, Any] = {
            "stt": {
                "model": self.hearing.model,
                "language": self.hearing.language,
                "threads": self.hearing.threads,
            },
            "tts": {"speed": self.voice.speed},
        }
        if self.models_dir is not None:
            given["models_dir"] = self.models_dir
        return Settings(_env_file=None, **given)
