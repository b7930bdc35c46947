"""Selection of the engine for each job, once at start, from the settings and from what is there.

Once Ollama is selected it stays selected. When it goes down it is reported as degraded, and it is
used again as soon as it answers: another model in the middle of a conversation would surprise its
user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from lobug.engines.absent import NoVoice
from lobug.engines.base import ChatModel, Embedder, SpeechToText, TextToSpeech
from lobug.engines.chat_embedded import EmbeddedChat, llama_options
from lobug.engines.embed_embedded import EmbeddedEmbedder
from lobug.engines.llama_process import LlamaProcess
from lobug.engines.model_pools import ChatPool, EmbedderPool
from lobug.engines.model_server import without_password
from lobug.engines.ollama import OllamaChat, OllamaEmbedder, OllamaProbes
from lobug.engines.openai import OpenAIChat, OpenAIEmbedder
from lobug.engines.openai_audio import OpenAIRecognizer, OpenAISynthesizer
from lobug.engines.remote_speech import PacedRemoteVoice, RemoteSpeechToText, RemoteVoice
from lobug.engines.shared_prefix import shared_prefix
from lobug.engines.speech_server import RecognitionServer
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.engines.tts_hibari import HibariVoice, voice_file
from lobug.engines.wyoming import WyomingRecognizer, WyomingSynthesizer
from lobug.settings import ChatSettings, EmbeddingSettings, Settings, SttSettings, TtsSettings
from lobug.settings.engines import addresses_in

EngineT = TypeVar("EngineT")
SectionT = TypeVar("SectionT", ChatSettings, EmbeddingSettings, SttSettings, TtsSettings)


def choose_tts(settings: Settings) -> tuple[TextToSpeech, str]:
    """Return the voice that the settings name, not started yet, or ``NoVoice``; and the reason,
    one sentence."""
    tts = settings.tts
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
        case "wyoming" | "openai":
            return _remote_voice(settings), f"The settings say so (tts.engine = {tts.engine})."


def _remote_voice(settings: Settings) -> TextToSpeech:
    tts = settings.tts
    spare = HibariVoice(settings) if tts.fallback else None
    if tts.engine == "wyoming":
        wyoming = {
            url: WyomingSynthesizer(settings.model_copy(update={"tts": one}))
            for url, one in each_address(tts, "wyoming_url").items()
        }
        return RemoteVoice(wyoming, spare, tts)
    each = each_address(tts, "openai_base_url")
    openai = {url: OpenAISynthesizer(one) for url, one in each.items()}
    return PacedRemoteVoice(openai, spare, tts)


def choose_stt(settings: Settings) -> tuple[SpeechToText, str]:
    """Return the speech-to-text engine that the settings name, not started yet, and the reason,
    one sentence."""
    stt = settings.stt
    if stt.engine == "embedded":
        return WhisperSpeechToText(settings), "The embedded model."
    servers: Mapping[str, RecognitionServer]
    if stt.engine == "wyoming":
        servers = {
            url: WyomingRecognizer(settings.model_copy(update={"stt": one}))
            for url, one in each_address(stt, "wyoming_url").items()
        }
    else:
        each = each_address(stt, "openai_base_url")
        servers = {url: OpenAIRecognizer(one) for url, one in each.items()}
    spare = WhisperSpeechToText(settings) if stt.fallback else None
    chosen = RemoteSpeechToText(servers, spare, stt)
    return chosen, f"The settings say so (stt.engine = {stt.engine})."


def each_address(section: SectionT, name: str) -> Mapping[str, SectionT]:
    """A section of the settings for each address that its setting ``name`` holds, by address."""
    return {
        address: section.model_copy(update={name: address})
        for address in addresses_in(getattr(section, name))
    }


def ollama_chat(chat: ChatSettings, probes: OllamaProbes) -> ChatModel:
    """The chat model on the Ollama servers of the settings."""
    engines: dict[str, ChatModel] = {
        host: OllamaChat(chat, probe) for host, probe in probes.by_host.items()
    }
    return _pooled(engines, lambda engines: ChatPool(engines, chat))


def openai_chat(chat: ChatSettings) -> ChatModel:
    """The chat model on the OpenAI-compatible servers of the settings."""
    each = each_address(chat, "openai_base_url")
    engines: dict[str, ChatModel] = {url: OpenAIChat(one) for url, one in each.items()}
    return _pooled(engines, lambda engines: ChatPool(engines, chat))


def _ollama_embedder(settings: Settings, probes: OllamaProbes) -> Embedder:
    engines: dict[str, Embedder] = {
        host: OllamaEmbedder(settings, probe) for host, probe in probes.by_host.items()
    }
    return _pooled(engines, EmbedderPool)


def _openai_embedder(settings: Settings) -> Embedder:
    engines: dict[str, Embedder] = {
        url: OpenAIEmbedder(settings.model_copy(update={"embeddings": one}))
        for url, one in each_address(settings.embeddings, "openai_base_url").items()
    }
    return _pooled(engines, EmbedderPool)


def _pooled(
    engines: Mapping[str, EngineT], pool: Callable[[Mapping[str, EngineT]], EngineT]
) -> EngineT:
    """The only engine as it is, several as a pool."""
    return pool(engines) if len(engines) > 1 else next(iter(engines.values()))


async def choose_chat(settings: Settings, probes: OllamaProbes) -> tuple[ChatModel, str]:
    """Return the chat model that ``chat.engine`` names, not started yet, and the reason, one
    sentence.

    ``auto`` probes Ollama for at most ``ollama.probe_timeout_s``. Raises ModelMissingError when
    the settings name an embedded model that is not in the catalog.
    """
    chat = settings.chat
    match chat.engine:
        case "ollama":
            return ollama_chat(chat, probes), "The settings say so (chat.engine = ollama)."
        case "openai":
            return openai_chat(chat), "The settings say so (chat.engine = openai)."
        case "embedded":
            return _embedded_chat(settings), "The settings say so (chat.engine = embedded)."
        case "auto":
            await probes.refresh()
            without = why_not_ollama(probes, chat.ollama_model)
            if without is None:
                return ollama_chat(chat, probes), _ollama_found(probes, chat.ollama_model)
            return _embedded_chat(settings), f"{without}, so the embedded model is used."


def choose_consolidation(settings: Settings, probes: OllamaProbes) -> ChatModel | None:
    """Return the chat model for summaries and layer identity, not started yet; None: the model of
    the conversations does that too."""
    memory, chat = settings.memory, settings.chat
    match settings.consolidation_provider:
        case "ollama":
            model = memory.consolidation_model or chat.ollama_model
            return ollama_chat(chat.model_copy(update={"ollama_model": model}), probes)
        case "openai":
            model = memory.consolidation_model or chat.openai_model
            return openai_chat(chat.model_copy(update={"openai_model": model}))
        case None:
            return None


async def choose_embedder(settings: Settings, probes: OllamaProbes) -> tuple[Embedder, str]:
    """Return the embedder that ``embeddings.engine`` names, not started yet, and the reason, one
    sentence. ``auto`` uses Ollama when it has ``memory.embedding_model``."""
    model = settings.memory.embedding_model
    match settings.embeddings.engine:
        case "ollama":
            return _ollama_embedder(settings, probes), (
                "The settings say so (embeddings.engine = ollama)."
            )
        case "openai":
            return _openai_embedder(settings), "The settings say so (embeddings.engine = openai)."
        case "embedded":
            return EmbeddedEmbedder(settings.embeddings), (
                "The settings say so (embeddings.engine = embedded)."
            )
        case "auto":
            await probes.refresh()
            without = why_not_ollama(probes, model)
            if without is None:
                return _ollama_embedder(settings, probes), _ollama_found(probes, model)
            return EmbeddedEmbedder(settings.embeddings), (
                f"{without}, so the embedded model is used."
            )


def why_not_ollama(probes: OllamaProbes, model: str) -> str | None:
    """Why Ollama cannot be used, as the beginning of a sentence; None: it can."""
    hosts = " and ".join(without_password(host) for host in probes.by_host)
    if not probes.reachable:
        return f"Ollama does not answer at {hosts}"
    if probes.having(model) is None:
        return f"Ollama at {hosts} does not have {model} (`ollama pull {model}`)"
    return None


def _ollama_found(probes: OllamaProbes, model: str) -> str:
    host = without_password(probes.having(model) or "")
    return f"Ollama answers at {host} and has {model}."


def _embedded_chat(settings: Settings) -> EmbeddedChat:
    options = llama_options(settings.chat, settings.models_dir)
    return EmbeddedChat(settings.chat, LlamaProcess(options), shared_prefix(settings, options))
