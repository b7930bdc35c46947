"""Settings of the engines."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr

from lobug.settings.section import Changeable, Fraction, Seconds, Section

SPOKEN_LANGUAGES = tuple(
    (
        "auto af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl "
        "gu ha haw he hi hr ht hu hy id is it ja jw ka kk km kn ko la lb ln lo lt lv mg "
        "mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq "
        "sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh"
    ).split()
)
"""Languages that Whisper knows, ISO 639, and `auto`: any of them."""


def addresses_in(value: str) -> tuple[str, ...]:
    """The addresses that a setting holds, in its order."""
    return tuple(value.split())


def _addresses(
    is_one: Callable[[str], bool], form: str, server: Callable[[str], object]
) -> AfterValidator:
    """Checks one or several addresses, separated by spaces. Its errors quote none, because an
    address may hold a password. ``server``: is equal for two spellings of the same address."""

    def check(value: str) -> str:
        found = addresses_in(value)
        if not found:
            raise ValueError(f"an address is needed: {form}")
        for number, address in enumerate(found, 1):
            if not is_one(address):
                which = "the address" if len(found) == 1 else f"address {number} of {len(found)}"
                raise ValueError(f"{which} is not of the form {form}")
        if len({server(address) for address in found}) < len(found):
            raise ValueError("the same address is given twice")
        return " ".join(found)

    return AfterValidator(check)


def _is_http(address: str, *, needs_host: bool = True) -> bool:
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises ValueError when it is no number
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname or not needs_host)


def _http_server(address: str) -> object:
    """Host, port and path, so that neither spelling nor password make two servers of one. Without
    a scheme it is Ollama's address."""
    has_scheme = "://" in address
    parts = urlsplit(address if has_scheme else f"http://{address}")
    usual = (443 if parts.scheme == "https" else 80) if has_scheme else 11434
    return parts.hostname or "127.0.0.1", parts.port or usual, parts.path.rstrip("/")


def _is_ollama(address: str) -> bool:
    """As the official client reads it: scheme and host may be missing."""
    return _is_http(address if "://" in address else f"http://{address}", needs_host=False)


_WYOMING = re.compile(r"tcp://[^/@\s]+:\d{1,5}|unix:///\S+")


def _is_wyoming(address: str) -> bool:
    if _WYOMING.fullmatch(address) is None:
        return False
    return address.startswith("unix:") or int(address.rpartition(":")[2]) <= _LAST_PORT


_LAST_PORT = 65_535


def _wyoming_server(address: str) -> object:
    return address if address.startswith("unix:") else address.lower()


SEVERAL = "Several are separated by spaces (docs/engines.md)."
"""Ends the description of each setting that takes several addresses."""

OpenAIAddresses = Annotated[str, _addresses(_is_http, "http://HOST:PORT/v1", _http_server)]
OllamaAddresses = Annotated[str, _addresses(_is_ollama, "http://HOST:PORT", _http_server)]
WyomingAddresses = Annotated[
    str, _addresses(_is_wyoming, "tcp://HOST:PORT or unix:///PATH", _wyoming_server)
]


class OllamaSettings(Section):
    """The Ollama server, for chat and embeddings."""

    host: OllamaAddresses = Field(
        "http://127.0.0.1:11434", description=f"Address of the Ollama server. {SEVERAL}"
    )
    keep_alive: str = Field(
        "30m", description="How long Ollama keeps a model loaded after its last use."
    )
    probe_timeout_s: Seconds = Field(
        2.0, description="At start: how long `auto` waits for Ollama before it goes without."
    )


class ChatSettings(Section):
    """The chat model."""

    engine: Literal["auto", "embedded", "ollama", "openai"] = Field(
        "auto",
        description="`auto` takes Ollama when it answers and has the model, else the embedded one.",
    )
    ollama_model: str = Field("qwen2.5:3b", description="Model name in Ollama.")
    openai_base_url: OpenAIAddresses = Field(
        "http://127.0.0.1:8000/v1",
        description=f"Any OpenAI-compatible server: vLLM, llama.cpp, LM Studio. {SEVERAL}",
    )
    openai_model: str = Field("default", description="Model name on the OpenAI-compatible server.")
    openai_api_key: SecretStr = Field(
        SecretStr(""), description="Key for the OpenAI-compatible server, if it wants one."
    )
    embedded_model: str = Field(
        "qwen2.5-coder-1.5b",
        description="Which embedded chat model: a name of `lobug models list`.",
    )
    embedded_path: Path | None = Field(
        None, description="A GGUF file of your own instead of the embedded model."
    )
    threads: int = Field(
        0, ge=0, le=256, description="Threads of the embedded chat model; 0: all cores, at most 8."
    )
    context_tokens: int = Field(
        4096,
        ge=1024,
        description="Context window of one conversation, tokens (`num_ctx` in Ollama).",
    )
    conversation_slots: int = Field(
        2,
        ge=1,
        le=16,
        description="Conversations whose prompt prefix the embedded model keeps at once; each costs"
        " about 0.12 GB with the default model and window.",
    )
    prompt_states: int = Field(
        4,
        ge=0,
        le=100,
        description="Prompt states of the embedded model that are kept on disk, in `prompt-states`"
        " of `data_dir`: what it has computed of the personality and of other constant"
        " instructions, never of a conversation, so that they are not read anew after each start."
        " The personality's has 14 MB with the default model, that of the skills 45 MB. 0: none.",
    )
    prompt_states_mb: int = Field(
        256, ge=1, description="Largest size of all prompt states on disk together, MB."
    )
    max_tokens: Annotated[int, Changeable("Longest reply, tokens", unit="tokens")] = Field(
        90, ge=8, le=4096, description="Longest spoken reply, tokens."
    )
    max_sentences: Annotated[int, Changeable("Longest reply", unit="sentences")] = Field(
        3, ge=1, le=50, description="Longest spoken reply, sentences; the model is stopped there."
    )
    temperature: Annotated[float, Changeable("Temperature")] = Field(
        0.4, ge=0.0, le=2.0, description="Sampling temperature of replies."
    )
    timeout_s: Seconds = Field(60.0, description="Longest time for one whole reply, seconds.")
    first_token_timeout_s: Seconds = Field(
        45.0, description="Longest wait for the first or the next token, seconds."
    )
    max_requests: int = Field(
        4,
        ge=1,
        le=1024,
        description="With several servers: replies that one of them writes at a time. What it can"
        " compute in parallel; further requests go to another server or wait.",
    )
    max_waiting: int = Field(
        4,
        ge=0,
        le=1024,
        description="With several servers: requests that may wait, for each server; a further one"
        " is refused as `engine_busy`.",
    )
    hedge_s: float = Field(
        0.0,
        ge=0.0,
        le=3600.0,
        description="With several servers: when a reply has not begun after this long, seconds, a"
        " second server is asked too, and the one that begins first is heard. 0: never.",
    )
    hang_timeout_s: float = Field(
        20.0,
        ge=3.0,
        description="The embedded model's process is ended and started again when it writes, reads"
        " and answers nothing for this long, seconds. It is probed all the time, so a slow model"
        " does not count as a hung one.",
    )
    tool_prompt_tokens: int = Field(
        1350,
        ge=0,
        description="How much of the prompt may describe a device's tools, tokens; further tools"
        " are left out. 0: no tools.",
    )
    tool_quiet_s: float = Field(
        20.0,
        ge=0.0,
        description="Quiet in a conversation before the model reads about the tools of a device"
        " that has just connected, seconds: it has to read the whole conversation again then.",
    )
    max_tool_rounds: int = Field(
        3,
        ge=1,
        le=10,
        description="Calls of a device's tools that the chat model may make in a turn.",
    )


class EmbeddingSettings(Section):
    """The embedding model."""

    engine: Literal["auto", "embedded", "ollama", "openai"] = Field(
        "auto",
        description="`auto` takes Ollama when it answers and has `memory.embedding_model`, else the"
        " embedded one.",
    )
    openai_base_url: OpenAIAddresses = Field(
        "http://127.0.0.1:8000/v1",
        description=f"OpenAI-compatible server for embeddings. {SEVERAL}",
    )
    openai_model: str = Field("default", description="Embedding model name on that server.")
    openai_api_key: SecretStr = Field(SecretStr(""), description="Key for that server, if needed.")
    batch_size: int = Field(32, ge=1, le=1024, description="Texts embedded in one call.")
    timeout_s: Seconds = Field(20.0, description="Longest time for one call, seconds.")


class SpeechServerSettings(Section):
    """What speech-to-text and text-to-speech on another machine have in common."""

    engine: str
    openai_base_url: OpenAIAddresses = Field(
        "http://127.0.0.1:8000/v1",
        description=f"OpenAI-compatible server with `/audio`, for `engine = openai`. {SEVERAL}",
    )
    openai_api_key: SecretStr = Field(SecretStr(""), description="Key for that server, if needed.")
    fallback: bool = Field(
        True,
        description="Use the embedded engine while the server does not answer. Off: it is neither"
        " downloaded nor loaded, and without the server nothing replaces it.",
    )
    connect_timeout_s: Seconds = Field(
        2.0, description="Longest time until the server takes a connection, seconds."
    )
    answer_timeout_s: Seconds = Field(
        10.0, description="Longest wait for the first or the next part of its answer, seconds."
    )
    check_every_s: float = Field(
        30.0,
        ge=1.0,
        le=3600.0,
        description="How often the server is asked whether it still works, seconds; sooner after"
        " it has failed.",
    )
    max_requests: int = Field(
        2, ge=1, le=64, description="Requests to one server at a time; further ones wait."
    )
    max_waiting: int = Field(
        8,
        ge=0,
        le=1024,
        description="With several servers: requests that may wait, for each server. A further one"
        " goes to the embedded engine; without it, it is refused as `engine_busy`.",
    )
    hedge_s: float = Field(
        0.0,
        ge=0.0,
        le=3600.0,
        description="With several servers: when an answer has not begun after this long, seconds, a"
        " second server is asked too, and the one that begins first is used. 0: never.",
    )


class SttSettings(SpeechServerSettings):
    """Speech-to-text and the gate in front of it."""

    engine: Literal["embedded", "wyoming", "openai"] = Field(
        "embedded",
        description="`embedded` is faster-whisper in this process; the others ask a server:"
        " Wyoming (as Home Assistant does) or OpenAI's `/v1/audio/transcriptions`.",
    )
    wyoming_url: WyomingAddresses = Field(
        "tcp://127.0.0.1:10300",
        description="Wyoming server for speech-to-text: `tcp://HOST:PORT` or `unix:///PATH`."
        f" {SEVERAL}",
    )
    wyoming_model: str = Field(
        "", max_length=200, description="Model name on that server; empty: its own choice."
    )
    openai_model: str = Field(
        "whisper-1", description="Model name on the OpenAI-compatible server."
    )
    model: str = Field(
        "whisper-base", description="The embedded model, a name of `lobug models list`."
    )
    path: Path | None = Field(
        None, description="A CTranslate2 Whisper folder of your own instead of that model."
    )
    language: Annotated[
        str, Changeable("Language spoken to Lo-Bug", kind="choice", choices=SPOKEN_LANGUAGES)
    ] = Field(
        "en",
        pattern=r"^(auto|[a-z]{2,3})$",
        description="Language spoken to Lo-Bug (ISO 639-1), or `auto` to detect it each time.",
    )
    name_tokens: int = Field(
        160,
        ge=0,
        le=200,
        description="How many names of the house Whisper is told, tokens (a rare name has three to"
        " five). More names are heard right, and each utterance takes longer. 0: none.",
    )
    compute_type: str = Field("int8", description="CTranslate2 compute type.")
    threads: int = Field(0, ge=0, le=256, description="Threads; 0: all cores, at most 4.")
    beam_size: int = Field(1, ge=1, le=10, description="Beam width; 1 is fastest.")
    short_window: bool = Field(
        True,
        description="Give the encoder only as much of its 30 s window as the clip needs; falls back"
        " to the whole window when the result looks wrong.",
    )
    window_margin_frames: int = Field(
        300, ge=0, le=3000, description="Frames (10 ms) that the short window adds to the clip."
    )
    window_min_frames: int = Field(
        1000, ge=100, le=3000, description="Smallest short window, frames (10 ms)."
    )
    gate_threshold: Fraction = Field(
        0.5, description="Voice probability from which the gate takes a frame for speech."
    )
    min_speech_s: float = Field(
        0.15, ge=0.0, description="Less speech than this in a recording is ignored, seconds."
    )
    no_speech_threshold: Fraction = Field(
        0.6,
        description="Whisper's no-speech probability from which, together with"
        " `log_prob_threshold`, a transcript is noise.",
    )
    log_prob_threshold: float = Field(
        -1.0, le=0.0, description="Mean log probability below which a transcript is doubtful."
    )
    min_log_prob: float = Field(
        -1.6, le=0.0, description="Mean log probability below which a transcript is noise."
    )
    max_compression_ratio: float = Field(
        2.4, gt=0.0, description="Compression ratio above which Whisper is repeating itself."
    )
    timeout_s: Seconds = Field(60.0, description="Longest time for one transcription, seconds.")


class TtsSettings(SpeechServerSettings):
    """Text-to-speech."""

    engine: Literal["hibari", "wyoming", "openai", "none"] = Field(
        "hibari",
        description="`hibari` is the embedded neural voice (English), `none` no voice at all; the"
        " others ask a server: Wyoming or OpenAI's `/v1/audio/speech`.",
    )
    wyoming_url: WyomingAddresses = Field(
        "tcp://127.0.0.1:10200",
        description="Wyoming server for text-to-speech: `tcp://HOST:PORT` or `unix:///PATH`."
        f" {SEVERAL}",
    )
    wyoming_voice: Annotated[str, Changeable("Voice", longest=200)] = Field(
        "",
        max_length=200,
        description="Voice name on that server; empty: its own choice for `stt.language`.",
    )
    openai_model: str = Field("tts-1", description="Model name on the OpenAI-compatible server.")
    openai_voice: Annotated[
        str, AfterValidator(lambda name: name or "alloy"), Changeable("Voice", longest=200)
    ] = Field("alloy", max_length=200, description="Voice name on that server; empty: `alloy`.")
    openai_format: Literal["wav", "pcm"] = Field(
        "wav",
        description="What is asked of that server. `pcm` has no header and is taken for 24 kHz, as"
        " OpenAI defines it.",
    )
    max_sentence_s: Seconds = Field(
        60.0,
        description="Longest audio of one sentence that is taken from a server, seconds; less for"
        " short sentences.",
    )
    speed: Annotated[float, Changeable("Speaking rate", unit="×")] = Field(
        1.0, ge=0.5, le=2.0, description="Speaking rate; 1 is normal."
    )
    timeout_s: Seconds = Field(20.0, description="Longest time for one sentence, seconds.")
    reply_sample_rate: int = Field(
        16_000,
        ge=8_000,
        le=48_000,
        description="Rate of the reply WAV of `/chat/audio`, Hz. The first firmware plays any.",
    )
    max_reply_seconds: Seconds = Field(
        40.0,
        description="Longest reply WAV of `/chat/audio`, seconds; the first device has 4 MB.",
    )

    @property
    def server_voice(self) -> str:
        """The voice of the server that ``engine`` asks; empty: the server's own choice, or no
        server is asked."""
        match self.engine:
            case "wyoming":
                return self.wyoming_voice
            case "openai":
                return self.openai_voice
            case _:
                return ""
