"""OpenAI's interface, below ``/v1``: what the tools speak that people have already."""

from __future__ import annotations

from fastapi import APIRouter

from lobug.http.openai import (
    chat,
    models,
    speech,
    transcriptions,
)

router = APIRouter()
for door in (models, chat, transcriptions, speech):
    router.include_router(door.router)
