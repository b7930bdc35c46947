"""Selection of the engine for each job, once at start, from the settings and from what is there.

Once Ollama is selected it stays selected. When it goes down it is reported as degraded, and it is
used again as soon as it answers: another model in the middle of a conversation would surprise its
user.
"""

from __future__ import annotations

from lobug.engines.absent import NoVoice
from lobug.engines.base import ChatModel, Embedder, SpeechToText, TextToSpeech
from lobug.engines.chat_embedded import EmbeddedChat, llama_options
from lobug.engines.embed_embedded import EmbeddedEmbedder
from lobug.engines.llama_process import LlamaProcess
from lobug.engines.model_server import without_password
from lobug.engines.ollama import OllamaChat, OllamaEmbedder, OllamaProbe
from lobug.engines.openai import OpenAIChat, OpenAIEmbedder
from lobug.engines.openai_audio import OpenAIRecognizer, OpenAISynthesizer
from lobug.engines.remote_speech import (
    PacedRemoteVoice,
    RecognitionServer,
    RemoteSpeechToText,
    RemoteVoice,
)
from lobug.engines.shared_prefix import shared_prefix
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.engines.tts_hibari import HibariVoice, voice_file
from lobug.engines.wyoming import WyomingRecognizer, WyomingSynthesizer
from lobug.settings import Settings


def choose_tts(settings: Settings) -> tuple[TextToSpeech, str]:
    """Return the voice that the settings name, not started yet, or ``NoVoice``; and the reason,
    one sentence."""
    tts = settings.tts
    spare = HibariVoice(settings) if tts.fallback else None
    match tts.engine:
        case "none":
            why = "No voice: the settings say so."
            return NoVoice(why, wanted=True), why
        case "hibari" if voice_file() is None:
            why = (
                "No voice: the package hibari-tts is missing or incomplete; replies are text only."
                " Delete .venv, then `make run`."
            )
            return NoVoice(why, wanted=False), why
        case "hibari":
            return HibariVoice(settings), "The embedded English voice."
        case "wyoming":
            return RemoteVoice(WyomingSynthesizer(settings), spare, tts), (
                "The settings say so (tts.engine = wyoming)."
            )
        case "openai":
            return PacedRemoteVoice(OpenAISynthesizer(tts), spare, tts), (
                "The settings say so (tts.engine = openai)."
            )


def choose_stt(settings: Settings) -> tuple[SpeechToText, str]:
    """Return the speech-to-text engine that the settings name, not started yet, and the reason,
    one sentence."""
    stt = settings.stt
    if stt.engine == "embedded":
        return WhisperSpeechToText(settings), "The embedded model."
    server: RecognitionServer
    server = WyomingRecognizer(settings) if stt.engine == "wyoming" else OpenAIRecognizer(stt)
    spare = WhisperSpeechToText(settings) if stt.fallback else None
    return RemoteSpeechToText(server, spare, stt), (
        f"The settings say so (stt.engine = {stt.engine})."
    )


async def choose_chat(settings: Settings, probe: OllamaProbe) -> tuple[ChatModel, str]:
    """Return the chat model that ``chat.engine`` names, not started yet, and the reason, one
    sentence.

    ``auto`` probes Ollama for at most ``ollama.probe_timeout_s``. Raises ModelMissingError when
    the settings name an embedded model that is not in the catalog.
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


def choose_consolidation(settings: Settings, probe: OllamaProbe) -> ChatModel | None:
    """Return the chat model for summaries and layer identity, not started yet; None: the model of
    the conversations does that too."""
    memory, chat = settings.memory, settings.chat
    match settings.consolidation_provider:
        case "ollama":
            model = memory.consolidation_model or chat.ollama_model
            return OllamaChat(chat.model_copy(update={"ollama_model": model}), probe)
        case "openai":
            model = memory.consolidation_model or chat.openai_model
            return OpenAIChat(chat.model_copy(update={"openai_model": model}))
        case None:
            return None


async def choose_embedder(settings: Settings, probe: OllamaProbe) -> tuple[Embedder, str]:
    """Return the embedder that ``embeddings.engine`` names, not started yet, and the reason, one
    sentence. ``auto`` uses Ollama when it has ``memory.embedding_model``."""
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
    """Why Ollama cannot be used, as the beginning of a sentence; None: it can."""
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
    return EmbeddedChat(settings.chat, LlamaProcess(options), shared_prefix(settings, options))
