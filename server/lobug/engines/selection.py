"""Which voice a server gets, and why.

Which engine does a job, and why: settings and what answers decide, once, at start.

An Ollama that was chosen stays chosen when it goes down later: it is then degraded, and comes
back by itself. Changing models in the middle of a conversation would surprise its user."""

from __future__ import annotations

from lobug.engines.absent import NoVoice
from lobug.engines.base import ChatModel, Embedder, TextToSpeech
from lobug.engines.chat_embedded import EmbeddedChat, llama_options
from lobug.engines.embed_embedded import EmbeddedEmbedder
from lobug.engines.llama_process import LlamaProcess
from lobug.engines.ollama import OllamaChat, OllamaEmbedder, OllamaProbe
from lobug.engines.openai import OpenAIChat, OpenAIEmbedder
from lobug.engines.tts_hibari import HibariVoice, voice_file
from lobug.engines.urls import without_password
from lobug.settings import Settings


def choose_tts(settings: Settings) -> tuple[TextToSpeech, str]:
    """The voice of the settings, else none; and one sentence that says why. Loads nothing yet."""
    if settings.tts.engine == "none":
        why = "No voice: the settings say so."
        return NoVoice(why, wanted=True), why
    if voice_file() is None:
        why = (
            "No voice: the package hibari-tts is missing or not whole; replies are text only."
            " Delete .venv, then `make run`."
        )
        return NoVoice(why, wanted=False), why
    return HibariVoice(settings), "The embedded English voice."


async def choose_chat(settings: Settings, probe: OllamaProbe) -> tuple[ChatModel, str]:
    """The chat model that ``chat.engine`` names, not started yet, and one sentence that says why.

    ``auto`` asks Ollama, at most ``ollama.probe_timeout_s``. Raises ModelMissingError when the
    settings name an embedded model that there is not.
    """
    chat = settings.chat
    match chat.engine:
        case "ollama":
            return OllamaChat(chat, probe), "The settings say so (chat.engine = ollama)."
        case "openai":
            return OpenAIChat(chat), "The settings say so (chat.engine = openai)."
        case "embedded":
            return _embedded_chat(settings), "The settings say so (chat.engine = embedded)."
        case "auto":
            await probe.refresh()
            without = why_not_ollama(probe, chat.ollama_model)
            if without is None:
                return OllamaChat(chat, probe), _ollama_found(probe, chat.ollama_model)
            return _embedded_chat(settings), f"{without}, so the embedded model is used."


async def choose_embedder(settings: Settings, probe: OllamaProbe) -> tuple[Embedder, str]:
    """The embedder that ``embeddings.engine`` names, not started yet, and why; see
    ``choose_chat``. ``auto`` wants ``memory.embedding_model`` in Ollama."""
    model = settings.memory.embedding_model
    match settings.embeddings.engine:
        case "ollama":
            return OllamaEmbedder(settings, probe), (
                "The settings say so (embeddings.engine = ollama)."
            )
        case "openai":
            return OpenAIEmbedder(settings), "The settings say so (embeddings.engine = openai)."
        case "embedded":
            return EmbeddedEmbedder(settings.embeddings), (
                "The settings say so (embeddings.engine = embedded)."
            )
        case "auto":
            await probe.refresh()
            without = why_not_ollama(probe, model)
            if without is None:
                return OllamaEmbedder(settings, probe), _ollama_found(probe, model)
            return EmbeddedEmbedder(settings.embeddings), (
                f"{without}, so the embedded model is used."
            )


def why_not_ollama(probe: OllamaProbe, model: str) -> str | None:
    """What stands against Ollama, as the beginning of a sentence; None: nothing."""
    host = without_password(probe.settings.host)
    if not probe.reachable:
        return f"Ollama does not answer at {host}"
    if not probe.has(model):
        return f"Ollama at {host} does not have {model} (`ollama pull {model}`)"
    return None


def _ollama_found(probe: OllamaProbe, model: str) -> str:
    return f"Ollama answers at {without_password(probe.settings.host)} and has {model}."


def _embedded_chat(settings: Settings) -> EmbeddedChat:
    options = llama_options(settings.chat, settings.models_dir)
    return EmbeddedChat(settings.chat, LlamaProcess(options))
