"""`GET /v1/models`: the names of Lo-Bug's models for OpenAI's clients."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from lobug.errors import UnknownModelError
from lobug.http.dependencies import ServerDep
from lobug.http.problems import error_responses
from lobug.server import LobugServer

router = APIRouter(prefix="/v1", tags=["openai"])

CHAT_MODEL, STT_MODEL, TTS_MODEL = "lobug", "lobug-stt", "lobug-tts"
ALIASES = {"whisper-1": STT_MODEL, "tts-1": TTS_MODEL}
"""OpenAI's names, which some tools have built in."""


class Model(BaseModel):
    """A model, as a client sees it."""

    id: str = Field(description="Its name.")
    object: Literal["model"] = Field("model", description="Always `model`.")
    created: int = Field(description="When this server started, seconds since the epoch.")
    owned_by: Literal["lobug"] = Field("lobug", description="Always `lobug`.")


class ModelList(BaseModel):
    """All models."""

    object: Literal["list"] = Field("list", description="Always `list`.")
    data: list[Model] = Field(description="The models.")


def require_model(name: str, wanted: str) -> None:
    """Raise UnknownModelError unless ``name`` is the model ``wanted`` or an alias of it."""
    if ALIASES.get(name, name) != wanted:
        raise UnknownModelError(f"the model here is {wanted!r}")


@router.get("/models")
async def models(server: ServerDep) -> ModelList:
    """The three models: conversation, speech-to-text, text-to-speech."""
    return ModelList(data=[_model(name, server) for name in (CHAT_MODEL, STT_MODEL, TTS_MODEL)])


@router.get("/models/{model_id}", responses=error_responses(UnknownModelError))
async def model(model_id: str, server: ServerDep) -> Model:
    """One model, by its name or one of its other names."""
    if ALIASES.get(model_id, model_id) not in {CHAT_MODEL, STT_MODEL, TTS_MODEL}:
        raise UnknownModelError("there is no model of this name")
    return _model(model_id, server)


def _model(name: str, server: LobugServer) -> Model:
    health = server.health()
    return Model(id=name, created=int(health.timestamp - health.uptime_s))
