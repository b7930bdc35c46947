"""OpenAI's client and the streamed doors against `lobug serve` with the embedded models."""

from __future__ import annotations

import json
import wave
from collections.abc import Iterator
from pathlib import Path

import httpx
import openai
import pytest
from httpx_sse import connect_sse

from support.lobug_process import ServedLobug, served
from support.speech import pocketsphinx, wer

pytestmark = [pytest.mark.models, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def lobug(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedLobug]:
    with served(tmp_path_factory.mktemp("lobug")) as server:
        yield server


@pytest.fixture(scope="module")
def client(lobug: ServedLobug) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{lobug.url}/v1", api_key="none", timeout=180) as found:
        yield found


@pytest.mark.parametrize("form", ["wav", "mp3", "opus"])
def test_what_it_says_it_hears(client: openai.OpenAI, form: str, tmp_path: Path) -> None:
    words = "Good morning. I would like a cup of coffee with milk."
    path = tmp_path / f"said.{form}"
    with client.audio.speech.with_streaming_response.create(
        model="tts-1",
        voice="alloy",
        input=words,
        response_format=form,  # type: ignore[arg-type]  # one of them
        speed=1.1,
    ) as answer:
        answer.stream_to_file(path)
    heard = client.audio.transcriptions.create(model="whisper-1", file=path)
    assert wer([(words, heard.text)]) <= 0.2, heard.text


def test_it_remembers_over_a_history_that_the_client_keeps(client: openai.OpenAI) -> None:
    ask = client.chat.completions.create
    first = "My name is Alex. Please remember it."
    said: list[openai.types.chat.ChatCompletionMessageParam] = [{"role": "user", "content": first}]
    answer = ask(model="lobug", messages=said).choices[0].message.content
    assert answer
    said.append({"role": "assistant", "content": answer})
    said.append({"role": "user", "content": "What is my name?"})
    chunks = ask(model="lobug", messages=said, stream=True)
    assert "Alex" in "".join(c.choices[0].delta.content or "" for c in chunks)


@pytest.mark.speech
def test_recorded_speech_as_a_body_gets_events_and_sound(
    lobug: ServedLobug, tmp_path: Path
) -> None:
    clip = next(clip for clip in pocketsphinx() if clip.name == "goforward")
    headers = {"Content-Type": "audio/wav", "Device-Id": "streams"}
    url = f"{lobug.url}/chat/audio"
    with httpx.Client(timeout=180, trust_env=False) as plain:
        with connect_sse(plain, "POST", url, content=clip.wav, headers=headers) as source:
            events = [(e.event, json.loads(e.data)) for e in source.iter_sse()]
        sound = plain.post(url, content=clip.wav, headers={**headers, "Accept": "audio/wav"})
    names = [name for name, _ in events]
    assert wer([(clip.text, events[0][1]["text"])]) <= 0.34
    assert names[-1] == "done"
    assert names.index("piece") < names.index("audio")
    assert sound.status_code == 200
    path = tmp_path / "reply.wav"
    path.write_bytes(sound.content)
    with wave.open(str(path)) as file:
        assert len(file.readframes(10_000_000)) > 16_000
