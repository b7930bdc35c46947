"""OpenAI's door, by the official client, over real sockets."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import threading
import wave
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import av
import httpx
import openai
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

from lobug.app import create_app
from lobug.engines.base import BACKGROUND_LANE, ChatOptions
from lobug.errors import BusyError, EngineInterruptedError, EngineUnavailableError, LobugError
from lobug.http.problems import OpenAIErrorReply
from lobug.server import LobugServer
from support.app_server import (
    ScriptedEngines,
    in_thread,
    running,
    scripted_assembler,
    settings_for,
)
from support.scripted import ChatCall, Reply, ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText
from support.wav import pcm16, tone

WAV = pcm16(tone(1.0))


def chat(*replies: Reply) -> ScriptedChatModel:
    left = list(replies)

    def reply(_: object, options: ChatOptions) -> Reply:
        if options.lane == BACKGROUND_LANE:
            return "[]"
        return left.pop(0) if len(left) > 1 else left[0]

    return ScriptedChatModel(reply)


def turn_calls(model: ScriptedChatModel) -> list[ChatCall]:
    return [call for call in model.calls if call.options.lane != BACKGROUND_LANE]


def client_for(url: str, token: str = "") -> openai.AsyncOpenAI:
    headers = {"Device-Id": token} if token else {}
    return openai.AsyncOpenAI(
        base_url=f"{url}/v1", api_key="unused", max_retries=0, default_headers=headers
    )


@asynccontextmanager
async def door(
    tmp_path: Path, scripted: ScriptedEngines, **sections: Any
) -> AsyncIterator[tuple[openai.AsyncOpenAI, LobugServer, httpx.AsyncClient]]:
    async with (
        running(settings_for(tmp_path, **sections), scripted) as (plain, server),
        client_for(str(plain.base_url).rstrip("/"), "desk") as client,
    ):
        yield client, server, plain


def user(text: str) -> list[ChatCompletionMessageParam]:
    return [{"role": "user", "content": text}]


async def test_models(tmp_path: Path) -> None:
    async with door(tmp_path, ScriptedEngines()) as (client, _, _):
        assert [m.id async for m in client.models.list()] == ["lobug", "lobug-stt", "lobug-tts"]
        assert (await client.models.retrieve("lobug")).owned_by == "lobug"
        assert (await client.models.retrieve("whisper-1")).id == "whisper-1"
        with pytest.raises(openai.NotFoundError) as caught:
            await client.models.retrieve("gpt-9")
    assert caught.value.code == "model_unknown"


async def test_a_reply_in_one(tmp_path: Path) -> None:
    async with door(tmp_path, ScriptedEngines(chat=chat("Hello, Ada. Nice day!"))) as (c, _, _):
        done = await c.chat.completions.create(model="lobug", messages=user("I am Ada"))
    assert done.object == "chat.completion"
    assert done.choices[0].message.content == "Hello, Ada. Nice day!"
    assert done.choices[0].finish_reason == "stop"
    assert done.usage is not None
    assert done.usage.total_tokens == done.usage.prompt_tokens + done.usage.completion_tokens > 0


async def test_a_reply_in_chunks_with_usage_last(tmp_path: Path) -> None:
    gate = asyncio.Event()
    scripted = ScriptedEngines(chat=chat(["Hello, Ada. Nice ", gate, "day!"]))
    chunks: list[ChatCompletionChunk] = []
    async with door(tmp_path, scripted) as (client, _, _):
        stream = await client.chat.completions.create(
            model="lobug",
            messages=user("I am Ada"),
            stream=True,
            stream_options={"include_usage": True},
        )
        async for chunk in stream:
            chunks.append(chunk)
            if chunk.choices and chunk.choices[0].delta.content:
                gate.set()  # the first sentence is here while the model still writes
    assert chunks[0].choices[0].delta.role == "assistant"
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == "Hello, Ada. Nice day!"
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert len({chunk.id for chunk in chunks}) == 1
    assert all(chunk.usage is None for chunk in chunks[:-1])


async def test_it_is_the_same_conversation_as_at_the_other_doors(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Hello, Ada.", "You are Ada.", "Yes."))
    async with door(tmp_path, scripted) as (client, _, plain):
        await client.chat.completions.create(model="lobug", messages=user("I am Ada"))
        body = {"text": "Who am I?"}
        await plain.post("/chat/text", json=body, headers={"Device-Id": "desk"})
        # The body's user says nothing of whose memory it is.
        await client.chat.completions.create(
            model="lobug", messages=user("Really?"), user="device:other"
        )
        lanes = {call.options.lane for call in turn_calls(scripted.chat)}
    last = turn_calls(scripted.chat)[-1].prompt
    assert "user: I am Ada" in last
    assert "user: Who am I?" in last
    assert len(lanes) == 1


async def test_a_history_that_is_known_is_not_sent_twice(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Hello.", "Fine.", "Good."))
    async with door(tmp_path, scripted) as (client, _, _):
        said = user("First")
        for words in ("Second", "Third"):
            done = await client.chat.completions.create(model="lobug", messages=said)
            said.append({"role": "assistant", "content": done.choices[0].message.content})
            said += user(words)
        await client.chat.completions.create(model="lobug", messages=said)
    messages = [m.content for m in turn_calls(scripted.chat)[-1].messages]
    assert messages[-5:] == ["First", "Hello.", "Second", "Fine.", "Third"]
    assert messages.count("First") == 1


async def test_a_history_of_the_callers_own_is_used_instead_and_changes_nothing(
    tmp_path: Path,
) -> None:
    scripted = ScriptedEngines(chat=chat("Hello.", "A red one.", "Yes."))
    own: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": "Talk like a pirate."},
        {"role": "user", "content": "I have a bicycle."},
        {"role": "assistant", "content": "Arr, which colour?"},
        {"role": "user", "content": "Guess."},
    ]
    async with door(tmp_path, scripted) as (client, _, plain):
        await client.chat.completions.create(model="lobug", messages=user("First"))
        await client.chat.completions.create(model="lobug", messages=own)
        body = {"text": "And?"}
        await plain.post("/chat/text", json=body, headers={"Device-Id": "desk"})
    _, theirs, ours = turn_calls(scripted.chat)
    contents = [m.content for m in theirs.messages]
    assert contents[-3:] == ["I have a bicycle.", "Arr, which colour?", "Guess."]
    assert "First" not in contents
    assert contents[0].endswith("[Instruction]\nTalk like a pirate.")
    kept = [m.content for m in ours.messages]
    assert kept[-5:] == ["First", "Hello.", "Guess.", "A red one.", "And?"]
    assert "pirate" not in ours.prompt


async def test_wishes_are_kept_within_the_limits(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Yes."))
    async with door(tmp_path, scripted) as (client, _, _):
        ask = client.chat.completions.create
        await ask(model="lobug", messages=user("Hi"), temperature=1.5, max_tokens=7)
        await ask(model="lobug", messages=user("Hi"), max_completion_tokens=10_000)
    small, large = (call.options for call in turn_calls(scripted.chat))
    assert (small.temperature, small.max_tokens) == (1.5, 7)
    assert (large.temperature, large.max_tokens) == (0.4, 90)


async def test_tool_json_and_thinking_never_leak(tmp_path: Path) -> None:
    raw = '<think>hm</think>{"tool": "x", "arguments": {}} Hello there.'
    async with door(tmp_path, ScriptedEngines(chat=chat(raw))) as (client, _, _):
        done = await client.chat.completions.create(model="lobug", messages=user("Hi"))
    assert done.choices[0].message.content == "Hello there."


async def test_a_recording_in_a_message(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Ten."), stt=ScriptedSpeechToText(["how many"]))
    data = base64.b64encode(WAV).decode()
    async with door(tmp_path, scripted) as (client, _, _):
        done = await client.chat.completions.create(
            model="lobug",
            messages=[
                {
                    "role": "user",
                    "content": [
                        {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}
                    ],
                }
            ],
        )
    assert done.choices[0].message.content == "Ten."
    assert turn_calls(scripted.chat)[0].messages[-1].content == "how many"


@pytest.mark.parametrize("stream", [False, True])
async def test_failures_are_the_clients_own_exceptions(tmp_path: Path, stream: bool) -> None:
    scripted = ScriptedEngines(chat=chat("Yes."))
    async with door(tmp_path, scripted, limits={"max_text_chars": 50}) as (client, _, plain):

        async def ask(text: str = "Hi", model: str = "lobug", **more: Any) -> None:
            await client.chat.completions.create(
                model=model, messages=user(text), stream=stream, **more
            )

        with pytest.raises(openai.BadRequestError) as caught:
            await ask(n=2)
        assert (caught.value.code, caught.value.param) == ("parameter_unsupported", "n")
        assert caught.value.type == "invalid_request_error"
        with pytest.raises(openai.BadRequestError) as caught:
            await ask(temperature=9)
        assert (caught.value.code, caught.value.param) == ("invalid_request", "temperature")
        with pytest.raises(openai.NotFoundError):
            await ask(model="gpt-9")
        with pytest.raises(openai.APIStatusError) as large:
            await ask("x" * 51)
        assert (large.value.status_code, large.value.code) == (413, "text_too_long")
        scripted.chat.fail = EngineUnavailableError("chat", "down")
        with pytest.raises(openai.InternalServerError) as down:
            await ask()
        assert (down.value.code, down.value.type) == ("engine_unavailable", "server_error")
        assert down.value.response.headers["retry-after"]
        foreign = await plain.get("/v1/models", headers={"Origin": "http://evil.example"})
        assert foreign.json()["error"]["code"] == "foreign_origin"
        stranger = client.with_options(default_headers={"X-Forwarded-For": "203.0.113.7"})
        with pytest.raises(openai.AuthenticationError) as unknown:
            await stranger.models.list()
        assert unknown.value.type == "authentication_error"
        nowhere = await plain.get("/v1/nowhere")
        assert nowhere.json()["error"]["type"] == "invalid_request_error"


async def test_a_failure_in_mid_stream_is_raised_by_the_client(tmp_path: Path) -> None:
    fault = EngineInterruptedError("chat", "gone")
    async with door(tmp_path, ScriptedEngines(chat=chat(["One is it. Two", fault]))) as (c, s, _):
        stream = await c.chat.completions.create(model="lobug", messages=user("Hi"), stream=True)
        first, second = await anext(stream), await anext(stream)
        with pytest.raises(openai.APIError) as caught:
            await anext(stream)
        assert s.priority.turns == 0
    assert first.choices[0].delta.role == "assistant"
    assert second.choices[0].delta.content == "One is it."
    assert caught.value.code == "engine_interrupted"


async def test_a_caller_that_has_gone_stops_the_turn(tmp_path: Path) -> None:
    never = asyncio.Event()
    scripted = ScriptedEngines(chat=chat(["One is it. Two ", never]))
    async with door(tmp_path, scripted) as (client, server, _):
        stream = await client.chat.completions.create(
            model="lobug", messages=user("Hi"), stream=True
        )
        async for _ in stream:
            break
        await stream.close()
        while server.priority.turns:  # noqa: ASYNC110 - the server offers no event for it
            await asyncio.sleep(0.005)
        assert turn_calls(scripted.chat)[0].cancelled


async def test_transcriptions(tmp_path: Path) -> None:
    scripted = ScriptedEngines(stt=ScriptedSpeechToText(["how many"]))
    async with door(tmp_path, scripted) as (client, _, _):
        ask = client.audio.transcriptions.create
        plain = await ask(model="whisper-1", file=("a.wav", WAV))
        text = await ask(model="lobug-stt", file=("a.wav", WAV), response_format="text")
        verbose = await ask(
            model="lobug-stt", file=("a.wav", WAV), response_format="verbose_json", language="de"
        )
        nobody = await ask(model="lobug-stt", file=("a.wav", pcm16(tone(1.0) * 0)))
        for more in (
            {"response_format": "srt"},
            {"stream": True},
            {"timestamp_granularities": ["word"], "response_format": "verbose_json"},
            {"language": "german"},
        ):
            with pytest.raises(openai.BadRequestError):
                await ask(model="lobug-stt", file=("a.wav", WAV), **more)
        with pytest.raises(openai.BadRequestError) as caught:
            await ask(model="lobug-stt", file=("a.wav", b"rubbish"))
    assert plain.text == "how many"
    assert text == "how many\n"
    assert (verbose.text, verbose.language) == ("how many", "de")
    assert verbose.duration == pytest.approx(1.0)
    assert verbose.segments is not None
    assert verbose.segments[0].avg_logprob == -0.2
    assert nobody.text == ""
    assert caught.value.code == "audio_invalid"


@pytest.mark.parametrize("form", ["mp3", "opus", "aac", "flac", "wav"])
async def test_speech_in_a_format_that_players_know(tmp_path: Path, form: Any) -> None:
    async with door(tmp_path, ScriptedEngines()) as (client, _, _):
        answer = await client.audio.speech.create(
            model="tts-1", voice="alloy", input="Hello there. How are you?", response_format=form
        )
    with av.open(io.BytesIO(answer.content), "r") as file:
        frames = list(file.decode(file.streams.audio[0]))
    seconds = sum(frame.samples for frame in frames) / frames[0].sample_rate
    # The scripted voice speaks ten milliseconds a character; codecs add some.
    assert seconds == pytest.approx(0.24, abs=0.1)


async def test_speech_is_sent_while_it_is_made(tmp_path: Path) -> None:
    scripted = ScriptedEngines()
    async with (
        door(tmp_path, scripted) as (client, _, _),
        client.audio.speech.with_streaming_response.create(
            model="lobug-tts", voice="any", input="Hello there. How are you?", response_format="pcm"
        ) as answer,
    ):
        received = b"".join([chunk async for chunk in answer.iter_bytes()])
    assert len(received) / 48_000 == pytest.approx(0.24, abs=0.01)
    assert scripted.tts.spoken == ["Hello there.", "How are you?"]


async def test_speech_that_cannot_be_made(tmp_path: Path) -> None:
    scripted = ScriptedEngines()
    async with door(tmp_path, scripted, limits={"max_text_chars": 50}) as (client, _, _):
        ask = client.audio.speech.create
        with pytest.raises(openai.BadRequestError) as caught:
            await ask(model="tts-1", voice="x", input="Hi", response_format="midi")  # type: ignore[arg-type]  # wrong on purpose
        assert caught.value.param == "response_format"
        with pytest.raises(openai.BadRequestError) as caught:
            await ask(model="tts-1", voice="x", input="Hi", speed=1.5)
        assert (caught.value.code, caught.value.param) == ("parameter_unsupported", "speed")
        with pytest.raises(openai.BadRequestError) as caught:
            await ask(model="tts-1", voice="x", input=" ... ")
        assert caught.value.code == "text_empty"
        with pytest.raises(openai.NotFoundError):
            await ask(model="lobug", voice="x", input="Hi")
        scripted.tts.fail = EngineUnavailableError("tts", "down")
        with pytest.raises(openai.InternalServerError) as down:
            await ask(model="tts-1", voice="x", input="Hi")
        assert down.value.code == "engine_unavailable"


async def test_a_crowd_is_told_that_it_is_busy(tmp_path: Path) -> None:
    gate = asyncio.Event()
    scripted = ScriptedEngines()
    scripted.tts.gate = gate
    limits = {"max_concurrent_turns": 1, "max_waiting_turns": 0}
    async with door(tmp_path, scripted, limits=limits) as (client, server, _):
        ask = client.audio.speech.create
        first = asyncio.create_task(
            ask(model="tts-1", voice="x", input="Hi", response_format="wav")
        )
        while not server.priority.turns:  # noqa: ASYNC110 - the server offers no event for it
            await asyncio.sleep(0.005)
        with pytest.raises(openai.InternalServerError) as caught:
            await ask(model="tts-1", voice="x", input="Hi")
        assert caught.value.code == BusyError.code
        gate.set()
        with wave.open(io.BytesIO((await first).content)) as file:
            assert file.getframerate() == 24_000


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    limits = {"max_body_bytes": 200_000, "max_chat_bytes": 20_000, "max_text_chars": 500}
    app = create_app(
        settings_for(tmp_path_factory.mktemp("openai"), limits=limits),
        assembler=scripted_assembler(ScriptedEngines(chat=chat("Okay."))),
    )
    server, thread, port = in_thread(app)
    yield f"http://127.0.0.1:{port}"
    assert app.state.lobug.priority.turns == 0
    server.should_exit = True
    thread.join(30)
    assert isinstance(thread, threading.Thread)
    assert not thread.is_alive()


def test_every_reference_of_the_document_leads_somewhere(served: str) -> None:
    # Made at the first request, which takes seconds on a machine that does much else.
    document = httpx.get(f"{served}/openapi.json", trust_env=False, timeout=60.0).json()
    references = set(re.findall(r'"\$ref": "([^"]+)"', json.dumps(document)))
    assert references
    for reference in references:
        found = document
        for name in reference.removeprefix("#/").split("/"):
            found = found[name]
    body = document["paths"]["/v1/chat/completions"]["post"]["requestBody"]
    fields = body["content"]["application/json"]["schema"]["properties"]
    assert all("description" in field for field in fields.values())


def test_the_document_describes_errors_as_they_are_sent(served: str) -> None:
    def ask(method: str, path: str, **what: Any) -> httpx.Response:
        return httpx.request(method, f"{served}{path}", trust_env=False, timeout=60.0, **what)

    document = ask("GET", "/openapi.json").json()
    for path, methods in document["paths"].items():
        kind = "OpenAIErrorReply" if path.startswith("/v1/") else "ErrorReply"
        schema = {"$ref": f"#/components/schemas/{kind}"}
        for method, operation in methods.items():
            for status, response in operation["responses"].items():
                if int(status) >= 400:
                    sent = response["content"]
                    assert sent == {"application/json": {"schema": schema}}, (method, path, status)
    assert "HTTPValidationError" not in document["components"]["schemas"]
    wrong = [
        ask("GET", "/v1/models/gpt-9"),
        ask("POST", "/v1/chat/completions", content=b"{"),
        ask("POST", "/v1/chat/completions", json={"model": "lobug", "messages": 5}),
        ask("POST", "/v1/audio/speech", json={"model": "tts-1", "input": " "}),
        ask("POST", "/v1/audio/transcriptions", data={"model": "whisper-1"}),
    ]
    for answer in wrong:
        OpenAIErrorReply.model_validate(answer.json())
        path = answer.request.url.path.replace("gpt-9", "{model_id}")
        responses = document["paths"][path][answer.request.method.lower()]["responses"]
        assert "422" not in responses
        code = answer.json()["error"]["code"]
        assert f"`{code}`" in responses[str(answer.status_code)]["description"]


def test_the_client_that_blocks(served: str) -> None:
    with openai.OpenAI(base_url=f"{served}/v1", api_key="unused", max_retries=0) as client:
        ask = client.chat.completions
        assert ask.create(model="lobug", messages=user("Hi")).choices[0].message.content == "Okay."
        with ask.create(model="lobug", messages=user("Hi"), stream=True) as stream:
            text = "".join(c.choices[0].delta.content or "" for c in stream)
        assert text == "Okay."
        speech = client.audio.speech.create(model="tts-1", voice="x", input="Hi there")
        assert speech.content
        heard = client.audio.transcriptions.create(model="whisper-1", file=("a.wav", WAV))
        assert heard.text == "Hello."


FUZZING = httpx.Client(timeout=30, trust_env=False)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    [
        "messages",
        "stream",
        "stream_options",
        "max_tokens",
        "temperature",
        "n",
        "tools",
        "stop",
        "input",
        "voice",
        "speed",
        "response_format",
        "user",
        "logit_bias",
    ]
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "system"]) | st.text(max_size=5)},
        optional={"content": ANY_JSON},
    ),
    max_size=4,
)
BODIES = st.binary(max_size=200) | st.builds(
    lambda head, more: json.dumps({**head, **more}).encode(),
    st.fixed_dictionaries(
        {"model": st.sampled_from(["lobug", "tts-1"])},
        optional={"messages": MESSAGES, "input": st.text(max_size=20)},
    ),
    st.dictionaries(FIELDS, ANY_JSON, max_size=3),
)


@settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(path=st.sampled_from(["/v1/chat/completions", "/v1/audio/speech"]), body=BODIES)
def test_anything_gets_an_answer_in_openais_form(served: str, path: str, body: bytes) -> None:
    answer = FUZZING.post(f"{served}{path}", content=body)
    if answer.status_code == 200:
        return
    assert answer.status_code in {400, 404, 413, 503}, answer.text
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["code"] != LobugError.code
    assert "Traceback" not in answer.text
