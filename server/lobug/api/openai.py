"""OpenAI's interface, below ``/v1``: what the tools speak that people have already."""

from __future__ import annotations

from fastapi import APIRouter

from lobug.api import openai_chat, openai_models, openai_speech, openai_transcriptions

router = APIRouter()
for door in (openai_models, openai_chat, openai_transcriptions, openai_speech):
    router.include_router(door.router)
