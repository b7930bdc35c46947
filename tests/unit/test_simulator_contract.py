"""The checks of a reply: everything the first device could not use is named."""

from __future__ import annotations

import base64
import json
import struct

import pytest

from lobug.simulator import contract
from support.recording_server import GOOD_HEALTH, Answer, as_json, audio_reply, tone_wav


def b64(wav: bytes) -> str:
    return base64.b64encode(wav).decode()


def wav_with(*, at: int, packed: bytes) -> bytes:
    wav = tone_wav()
    return wav[:at] + packed + wav[at + len(packed) :]


def with_list_chunk() -> bytes:
    """A valid WAV whose samples do not begin at byte 44: ffmpeg writes such files."""
    wav = tone_wav()
    chunk = b"LIST" + struct.pack("<I", 10) + b"INFOISFT\x00\x00"
    return wav[:4] + struct.pack("<I", len(wav) - 8 + len(chunk)) + wav[8:36] + chunk + wav[36:]


def test_a_good_reply_has_no_problems() -> None:
    reply = contract.check_audio(audio_reply().body)
    assert reply.problems == ()
    assert (reply.transcription, reply.response) == ("hello bug", "Hello, person.")
    assert reply.wav == tone_wav()
    assert reply.wav_info == contract.ReplyWav(sample_rate=16_000, seconds=0.5)


@pytest.mark.parametrize("action", ["react", "ignore"])
def test_silent_actions_need_no_words(action: str) -> None:
    answer = audio_reply(action=action, response="", transcription="", audio_b64="")
    assert contract.check_audio(answer.body).problems == ()


def test_a_reply_without_a_voice_is_within_the_contract() -> None:
    assert contract.check_audio(audio_reply(audio_b64="").body).problems == ()


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Answer(b""), "not JSON: (empty body)"),
        (Answer(b"<html>"), "not JSON: <html>"),
        (Answer(b"[]"), "not a JSON object"),
        (audio_reply(action="sing"), "`action` is 'sing'"),
        (audio_reply(action=None), "`action` is missing"),
        (audio_reply(transcription=None), "`transcription` is missing"),
        (audio_reply(response=3), "`response` is not text"),
        (audio_reply(response=" "), "`response` is empty"),
        (audio_reply(audio_b64=None), "`audio_b64` is missing"),
        (audio_reply(audio_b64="%%%"), "not valid base64"),
        (audio_reply(audio_b64="ab\ncd"), "not valid base64"),
        (audio_reply(action="react"), "must be empty when `action` is react"),
        (audio_reply(audio_b64=b64(b"RIFF")), "less than its 44-byte header"),
        (audio_reply(audio_b64=b64(b"\x00" * 100)), "not a WAV file"),
        (audio_reply(audio_b64=b64(with_list_chunk())), "its samples begin at byte 62"),
        (audio_reply(audio_b64=b64(tone_wav(channels=2))), "2 channels, expected 1"),
        (audio_reply(audio_b64=b64(tone_wav(rate=96_000))), "96000 Hz"),
        (audio_reply(audio_b64=b64(tone_wav(seconds=0.0))), "holds 0 bytes of samples"),
        (
            audio_reply(audio_b64=b64(tone_wav()[:-100])),
            "promises 16000 bytes of samples, but there are",
        ),
        (audio_reply(audio_b64=b64(wav_with(at=20, packed=b"\x03\x00"))), "format 3 with 16 bits"),
        (audio_reply(audio_b64=b64(wav_with(at=28, packed=b"\x01\x00"))), "byte rate"),
        (audio_reply(audio_b64=b64(tone_wav(seconds=60.0))), "4.5 MB on the device"),
    ],
)
def test_what_the_device_cannot_use(answer: Answer, problem: str) -> None:
    assert problem in "; ".join(contract.check_audio(answer.body).problems)


def test_the_default_limit_of_a_reply_fits_the_device() -> None:
    answer = audio_reply(audio_b64=b64(tone_wav(seconds=40.0)))
    assert contract.check_audio(answer.body).problems == ()


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (GOOD_HEALTH, ""),
        ({**GOOD_HEALTH, "ollama": "yes"}, "`ollama`"),
        ({**GOOD_HEALTH, "status": None}, "`status`"),
        ({**GOOD_HEALTH, "timestamp": True}, "`timestamp`"),
        ({**GOOD_HEALTH, "timestamp": "2026-01-01T00:00:00"}, ""),
        ({}, "`status`"),
    ],
)
def test_health(document: object, problem: str) -> None:
    problems = "; ".join(contract.check_health(json.dumps(document).encode()))
    assert (problem in problems) if problem else not problems


def test_sensors_and_text() -> None:
    assert contract.check_sensors(b'{"status":"ok"}') == []
    assert contract.check_sensors(b'{"status":"no"}') == ["`status` is 'no', expected 'ok'"]
    assert contract.check_text(b'{"response":"Hi."}').response == "Hi."
    assert contract.check_text(b"{}").problems == ("`response` is missing",)


@pytest.mark.parametrize(
    ("answer", "headers", "problem"),
    [
        (as_json({}), {}, ""),
        (as_json({}), {"transfer-encoding": "chunked"}, ""),
        (as_json({}), {"content-encoding": "gzip"}, "compressed (gzip)"),
        (as_json({}), {"transfer-encoding": "gzip"}, "transfer encoding gzip"),
        (
            as_json({"error": {"code": "busy", "message": "full"}}, 503),
            {},
            "the server answered 503 (busy): full",
        ),
        (as_json({"detail": "Not Found"}, 404), {}, "the server answered 404: Not Found"),
        (Answer(b"Internal Server Error", 500), {}, "answered 500: Internal Server Error"),
    ],
)
def test_the_transport(answer: Answer, headers: dict[str, str], problem: str) -> None:
    problems = "; ".join(contract.check_transport(answer.status, headers, answer.body))
    assert (problem in problems) if problem else not problems
