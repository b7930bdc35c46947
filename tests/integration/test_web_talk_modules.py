"""The parts of the page Talk that decide, each alone, in the browser's own JavaScript."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from lobug.app import create_app
from support.app_server import ScriptedEngines, in_thread, scripted_assembler, settings_for
from support.web_page import chromium, web_page

MODULES = "/web/app/pages/talk"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder: Path = tmp_path_factory.mktemp("server")
    app = create_app(settings_for(folder), assembler=scripted_assembler(ScriptedEngines()))
    server, thread, port = in_thread(app)
    # The page with its import map, without what it does.
    nothing = {"**/web/app/main.js": ""}
    try:
        with (
            chromium() as browser,
            web_page(browser, f"http://127.0.0.1:{port}/", replaced=nothing) as opened,
        ):
            yield opened
    finally:
        server.should_exit = True
        thread.join()


# Opus.


def test_opus_there_and_back(page: Page) -> None:
    """Every frame comes out again, and messages keep their places among the frames."""
    events = page.evaluate(
        f"""async () => {{
          const opus = await import("{MODULES}/opus.js");
          const {{ OpusDecoder, OpusEncoder, Sequence, hasOpus }} = opus;
          if (!(await hasOpus(16000, 20, 16000))) throw new Error("this browser has no Opus");
          const heard = [];
          const arriving = new Sequence((event) => heard.push(event));
          const fail = (error) => heard.push(String(error));
          const decoder = new OpusDecoder(16000, 20, arriving, fail);
          const leaving = new Sequence((data) => {{
            if (typeof data === "string") arriving.push(data);
            else decoder.push(data);
          }});
          const encoder = new OpusEncoder(16000, 20, leaving, fail);
          for (let frame = 0; frame < 50; frame++) {{
            const sine = (_, at) => 12000 * Math.sin((320 * frame + at) * 0.2);
            const samples = Int16Array.from({{ length: 320 }}, sine);
            encoder.push(samples.buffer);
            if (frame % 10 === 9) leaving.push(`after ${{frame + 1}}`);
          }}
          encoder.settle();
          for (let tries = 0; heard.length < 55 && tries < 600; tries++) {{
            await new Promise((done) => setTimeout(done, 50));
          }}
          const frame = ({{ rate, samples }}) => [rate, ...new Int16Array(samples)];
          return heard.map((event) => (typeof event === "string" ? event : frame(event)));
        }}"""
    )
    words = [(at, event) for at, event in enumerate(events) if isinstance(event, str)]
    assert words == [(11 * n - 1, f"after {10 * n}") for n in range(1, 6)]
    frames = [event for event in events if not isinstance(event, str)]
    rates = {frame[0] for frame in frames}
    assert len(rates) == 1
    (rate,) = rates
    sound = np.concatenate([frame[1:] for frame in frames]) / 32_768
    assert len(sound) == pytest.approx(rate, rel=0.02), "a second, whatever rate it is played at"
    middle = sound[len(sound) // 4 : 3 * len(sound) // 4]
    assert np.sqrt(np.mean(middle**2)) == pytest.approx(12_000 / 32_768 / np.sqrt(2), rel=0.1)
    hertz = np.argmax(np.abs(np.fft.rfft(middle))) * rate / len(middle)
    assert hertz == pytest.approx(16_000 * 0.2 / (2 * np.pi), abs=5)


def test_what_never_comes_gives_up_its_place(page: Page) -> None:
    told = page.evaluate(
        f"""async () => {{
          const {{ Sequence }} = await import("{MODULES}/opus.js");
          const told = [];
          const sequence = new Sequence((event) => told.push(event));
          const [first, second] = [sequence.reserve(), sequence.reserve()];
          sequence.push("c");
          sequence.fill(second, "b");
          const before = [...told];
          sequence.fill(first, null);
          return [before, told, sequence.empty];
        }}"""
    )
    assert told == [[], ["b", "c"], True]


# What computes sound.


def resampled(page: Page, source: int, target: int, samples: np.ndarray, block: int) -> Any:
    """Resample in blocks, as a worklet does."""
    values = page.evaluate(
        f"""async ([source, target, samples, block]) => {{
          const {{ Resampler }} = await import("{MODULES}/audio-worklet.js");
          const resampler = new Resampler(source, target);
          const out = [];
          for (let at = 0; at < samples.length; at += block) {{
            out.push(...resampler.push(Float32Array.from(samples.slice(at, at + block))));
          }}
          return out;
        }}""",
        [source, target, samples.tolist(), block],
    )
    return np.array(values)


def sine(rate: int, hertz: float, seconds: float = 0.2) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * hertz * np.arange(int(rate * seconds)) / rate)


@pytest.mark.parametrize(
    ("source", "target"), [(48_000, 16_000), (44_100, 16_000), (24_000, 48_000), (16_000, 44_100)]
)
def test_a_voice_passes_the_resampler_unchanged(page: Page, source: int, target: int) -> None:
    out = resampled(page, source, target, sine(source, 1000), 128)
    assert abs(len(out) - 0.2 * target) < 0.01 * target
    wanted = sine(target, 1000)[: len(out)]
    settled = slice(200, len(out) - 200)
    assert np.abs(out[settled] - wanted[settled]).max() < 0.005


def test_what_the_lower_rate_cannot_hold_is_filtered_out(page: Page) -> None:
    out = resampled(page, 48_000, 16_000, sine(48_000, 10_000), 128)
    assert np.abs(out[200:]).max() < 0.005


def test_blocks_leave_no_trace(page: Page) -> None:
    noise = np.random.default_rng(7).uniform(-0.5, 0.5, 4_410)
    whole = resampled(page, 44_100, 16_000, noise, 4_410)
    assert np.allclose(resampled(page, 44_100, 16_000, noise, 100), whole, atol=1e-6)


def test_frames_have_exactly_the_announced_length(page: Page) -> None:
    frames = page.evaluate(
        f"""async () => {{
          const {{ FrameCutter }} = await import("{MODULES}/audio-worklet.js");
          const cutter = new FrameCutter(4);
          const frames = [[0, 0.5, 1], [2, -2, 0], [-1, 0, 0, 0]].map((some) => cutter.push(some));
          cutter.clear();
          frames.push(cutter.push([1, 1, 1]), cutter.push([1]));
          return frames.map((some) => some.map((frame) => Array.from(frame)));
        }}"""
    )
    whole = 32_767
    assert frames == [
        [],
        [[0, 16_384, whole, whole]],
        [[-whole, 0, -whole, 0]],
        [],
        [[whole] * 4],
    ]


def pulled(page: Page, script: str) -> Any:
    """Run ``script`` with a playback that waits for 4 samples; ``pull(n)`` notes what comes."""
    return page.evaluate(
        f"""async () => {{
          const {{ Playback }} = await import("{MODULES}/audio-worklet.js");
          const playback = new Playback(4);
          const heard = [];
          const push = (...values) => playback.push(Float32Array.from(values));
          const pull = (count) => {{
            const out = new Float32Array(count);
            const events = playback.pull(out);
            heard.push([Array.from(out), events.map((one) => one.mark ?? one.type)]);
          }};
          {script}
          return heard;
        }}"""
    )


def test_playback_waits_for_a_little_and_tells_where_it_is(page: Page) -> None:
    heard = pulled(
        page,
        """playback.mark("first"); push(1, 1, 1); pull(2); push(1); pull(2);
        playback.mark("second"); push(1, 1); pull(4); playback.end(); pull(2); pull(2);""",
    )
    assert heard == [
        [[0, 0], []],
        [[1, 1], ["first", "began"]],
        [[1, 1, 1, 1], ["second", "dry"]],
        [[0, 0], ["drained"]],
        [[0, 0], []],
    ]


def test_playback_that_runs_dry_waits_again(page: Page) -> None:
    heard = pulled(page, "push(1, 1, 1, 1); pull(6); push(1, 1); pull(2); playback.end(); pull(4);")
    assert heard == [
        [[1, 1, 1, 1, 0, 0], ["began", "dry"]],
        [[0, 0], []],
        [[1, 1, 0, 0], ["drained"]],
    ]


def test_playback_can_be_cut_at_once(page: Page) -> None:
    heard = pulled(
        page,
        """push(...Array(1000).fill(1)); playback.mark("late"); pull(2);
        playback.cut(); pull(512); pull(2);""",
    )
    faded, events = heard[1]
    assert faded[0] == 1
    assert faded[200] < 0.3
    assert not any(faded[256:])
    assert events == []
    assert heard[2] == [[0, 0], []]


# The conversation.


def played(page: Page, *events: dict[str, Any], mode: str = "hold") -> dict[str, Any]:
    """The state after events, with the phase and effects of each step."""
    result: dict[str, Any] = page.evaluate(
        f"""async ([mode, events]) => {{
          const {{ START, step, phaseOf }} = await import("{MODULES}/dialogue.js");
          let state = {{ ...START, mode }};
          const effects = [];
          const phases = [];
          events.forEach((event, index) => {{
            const done = step(state, {{ now: 10_000 * index, ...event }});
            state = done.state;
            effects.push(...done.effects);
            phases.push(phaseOf(state));
          }});
          return {{ ...state, interruptedAt: null, effects, phases }};
        }}""",
        [mode, list(events)],
    )
    return result


OPEN = {"type": "link", "link": "open"}
PRESS = {"type": "press"}
RELEASE = {"type": "release"}
MICROPHONE = {"type": "microphone"}
START_SPEECH = {"type": "message", "message": {"type": "tts", "state": "start"}}
STOP_SPEECH = {"type": "message", "message": {"type": "tts", "state": "stop"}}
DRAINED = {"type": "drained"}
AUDIO = {"type": "audio", "samples": "x", "rate": 24_000}


def stt(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"type": "stt", "text": text, **more}}


def llm(emotion: str) -> dict[str, Any]:
    return {"type": "message", "message": {"type": "llm", "emotion": emotion}}


def sentence(text: str) -> dict[str, Any]:
    return {
        "type": "message",
        "message": {"type": "tts", "state": "sentence_start", "text": text},
    }


def mark(line: int, index: int) -> dict[str, Any]:
    return {"type": "mark", "mark": {"line": line, "index": index}}


def typed_event(name: str, **data: Any) -> dict[str, Any]:
    return {"type": "typed_event", "name": name, "data": data}


def sent(result: dict[str, Any]) -> list[Any]:
    return [
        tuple(v for k, v in one["message"].items() if k not in {"text", "type"})
        or one["message"]["type"]
        for one in result["effects"]
        if one["type"] == "send"
    ]


def kinds(result: dict[str, Any]) -> list[str]:
    return [one["type"] for one in result["effects"]]


HEARD = (OPEN, PRESS, MICROPHONE, stt("What is", interim=True), RELEASE, stt("What is it?"))
SPOKEN = (*HEARD, llm("happy"), START_SPEECH, sentence("It is."), AUDIO)


def test_a_turn_by_the_held_button(page: Page) -> None:
    result = played(
        page, *SPOKEN, mark(2, 0), sentence("Really."), STOP_SPEECH, mark(2, 1), DRAINED
    )
    assert sent(result) == [("start", "manual"), ("stop",)]
    assert result["phases"] == [
        "idle",
        *["listening"] * 3,
        *["thinking"] * 4,
        *["speaking"] * 6,
        "idle",
    ]
    question, answer = result["lines"]
    assert (question["text"], question["interim"]) == ("What is it?", False)
    assert answer["sentences"] == ["It is.", "Really."]
    assert (answer["state"], answer["shown"], answer["current"]) == ("done", 2, -1)
    assert result["emotion"] == "happy"


def test_words_are_shown_only_when_they_are_spoken(page: Page) -> None:
    answer = played(page, *SPOKEN, sentence("Really."), mark(2, 0))["lines"][1]
    assert (answer["shown"], answer["current"]) == (1, 0)


def test_a_reply_that_pauses_is_being_thought_about(page: Page) -> None:
    begun = (*HEARD, START_SPEECH, sentence("One moment."), AUDIO, mark(2, 0))
    result = played(page, *begun, {"type": "paused"}, AUDIO, STOP_SPEECH, {"type": "paused"})
    assert result["phases"][-5:] == ["speaking", "thinking", "speaking", "speaking", "speaking"]
    assert result["lines"][-1]["current"] == -1


def test_an_interruption_keeps_what_was_heard(page: Page) -> None:
    late = (sentence("More."), AUDIO, STOP_SPEECH)
    result = played(page, *SPOKEN, mark(2, 0), {"type": "interrupt"}, *late)
    assert sent(result)[-1] == "abort"
    assert kinds(result)[-2:] == ["cut", "send"]
    assert result["phases"][-1] == "idle"
    assert result["deaf"] is False
    answer = result["lines"][1]
    assert (answer["state"], answer["shown"], answer["sentences"]) == ("interrupted", 1, ["It is."])


def test_the_button_interrupts_too(page: Page) -> None:
    result = played(page, *SPOKEN, PRESS, AUDIO, STOP_SPEECH)
    assert sent(result)[-1] == ("start", "manual")
    assert kinds(result)[-3:] == ["cut", "send", "open_microphone"]
    assert result["phases"][-1] == "listening"
    assert result["lines"][1]["state"] == "interrupted"


def test_a_reply_that_begins_after_its_interruption_is_ignored(page: Page) -> None:
    soon = {**START_SPEECH, "now": 60_100}
    stop = {"type": "interrupt", "now": 60_000}
    result = played(page, *HEARD, stop, soon, sentence("Late."), AUDIO, STOP_SPEECH)
    assert "play" not in kinds(result)
    assert len(result["lines"]) == 1
    assert result["phases"][-1] == "idle"


def test_no_words_are_said_to_be_none(page: Page) -> None:
    result = played(page, OPEN, PRESS, MICROPHONE, RELEASE, llm("confused"))
    assert result["phases"][-1] == "idle"
    assert [line["key"] for line in result["lines"]] == ["not_heard"]


def test_withdrawn_words_vanish(page: Page) -> None:
    result = played(page, OPEN, PRESS, stt("Thank you", interim=True), stt("", interim=True))
    assert result["lines"] == []


def test_what_is_not_answered_is_not_waited_for(page: Page) -> None:
    result = played(page, *HEARD, llm("neutral"), {"type": "no_speech"})
    assert result["phases"][-1] == "idle"


def test_a_tap_listens_for_one_utterance(page: Page) -> None:
    result = played(page, OPEN, PRESS, MICROPHONE, stt("Hello."), mode="tap")
    assert sent(result) == [("start", "auto")]
    assert kinds(result)[-1] == "close_microphone"
    assert result["phases"][-1] == "thinking"


def test_silence_after_a_tap_is_discarded(page: Page) -> None:
    result = played(page, OPEN, PRESS, MICROPHONE, {"type": "quiet"}, mode="tap")
    assert sent(result)[-1] == ("detect",)
    assert result["phases"][-1] == "idle"


def test_what_was_said_before_a_long_silence_is_answered(page: Page) -> None:
    quiet = {"type": "quiet", "spoken": True}
    result = played(page, OPEN, PRESS, MICROPHONE, quiet, mode="tap")
    assert sent(result)[-1] == ("stop",)
    assert result["phases"][-1] == "thinking"


def test_hands_free_listens_on_and_is_interrupted_by_speech(page: Page) -> None:
    speaks = (OPEN, PRESS, MICROPHONE, stt("Hello."), llm("happy"), START_SPEECH, sentence("Hi."))
    # The server tells a device to drop what it holds by a new start.
    barged = (STOP_SPEECH, START_SPEECH, STOP_SPEECH)
    result = played(page, *speaks, AUDIO, mark(2, 0), *barged, mode="free")
    assert sent(result) == [("start", "realtime")]
    assert result["phases"][-1] == "listening"
    assert kinds(result)[-1] == "cut"
    assert result["lines"][1]["state"] == "interrupted"


def test_hands_free_goes_on_after_a_lost_connection(page: Page) -> None:
    lost = {"type": "link", "link": "lost"}
    result = played(page, OPEN, PRESS, MICROPHONE, lost, OPEN, mode="free")
    assert sent(result) == [("start", "realtime")] * 2
    assert result["phases"][-2:] == ["lost", "listening"]


def test_a_held_button_does_not_outlast_the_connection(page: Page) -> None:
    result = played(page, OPEN, PRESS, MICROPHONE, {"type": "link", "link": "lost"}, OPEN)
    assert kinds(result)[-1] == "close_microphone"
    assert result["phases"][-1] == "idle"


def test_a_button_pressed_before_the_door_is_open_counts_once_it_is(page: Page) -> None:
    held = played(page, PRESS, OPEN, MICROPHONE, RELEASE)
    assert held["phases"] == ["connecting", "listening", "listening", "thinking"]
    assert sent(held) == [("start", "manual"), ("stop",)]
    tapped = played(page, PRESS, OPEN, mode="tap")
    assert sent(tapped) == [("start", "auto")]


@pytest.mark.parametrize(
    "ended",
    [
        RELEASE,
        PRESS,
        {"type": "interrupt"},
        {"type": "leave"},
        {"type": "mode", "mode": "tap"},
        {"type": "link", "link": "lost"},
    ],
    ids=lambda event: event["type"],
)
def test_a_button_let_go_before_the_door_is_open_does_nothing(
    page: Page, ended: dict[str, Any]
) -> None:
    result = played(page, PRESS, ended, OPEN)
    assert result["phases"][-1] == "idle"
    assert kinds(result) == []


def test_who_types_instead_is_not_listened_to(page: Page) -> None:
    asked = {"type": "typed", "text": "Hello"}
    result = played(page, PRESS, asked, OPEN, mode="free")
    assert kinds(result) == ["ask"]


def test_hands_free_can_be_ended_while_the_connection_is_lost(page: Page) -> None:
    lost = {"type": "link", "link": "lost"}
    result = played(page, OPEN, PRESS, MICROPHONE, lost, PRESS, OPEN, mode="free")
    assert kinds(result)[-1] == "close_microphone"
    assert result["phases"][-1] == "idle"


def test_a_refused_microphone_is_told_of(page: Page) -> None:
    result = played(page, OPEN, PRESS, {"type": "microphone", "fault": "refused"})
    assert (result["fault"], result["phases"][-1]) == ("refused", "idle")
    assert sent(result)[-1] == ("detect",)


def test_speech_that_nobody_asked_for_is_marked(page: Page) -> None:
    ring = (llm("neutral"), START_SPEECH, sentence("Your timer is done."), AUDIO)
    result = played(page, OPEN, *ring)
    assert result["phases"][-1] == "speaking"
    assert result["lines"][0]["unasked"] is True
    assert "play" in kinds(result)


def test_memories_belong_to_the_last_reply(page: Page) -> None:
    entries = [{"id": 7, "content": "You live in Rome."}]
    used = {"type": "memories", "message_id": 5, "entries": entries}
    result = played(page, *SPOKEN, {"type": "message", "message": used})
    assert [one["id"] for one in result["lines"][1]["memories"]] == [7]
    assert result["lines"][1]["message"] == 5


def test_typed_words_are_answered_in_the_same_transcript(page: Page) -> None:
    result = played(
        page,
        OPEN,
        {"type": "typed", "text": "Hello"},
        typed_event("reply_delta", text="Hi "),
        typed_event("piece", index=0, text="Hi there."),
        typed_event("reply_delta", text="there."),
        mark(2, 0),
        typed_event("done", response="Hi there.", message_id=5),
        DRAINED,
        {"type": "used", "line": 2, "entries": [{"kind": "memory", "id": 7}]},
    )
    assert result["phases"][1:] == ["thinking", *["speaking"] * 5, "idle", "idle"]
    assert [line["text"] for line in result["lines"]] == ["Hello", "Hi there."]
    assert kinds(result) == ["ask", "mark", "look_up", "end"]
    assert result["lines"][1]["message"] == 5
    assert [one["id"] for one in result["lines"][1]["memories"]] == [7]


def test_a_typed_reply_is_interrupted_by_hanging_up(page: Page) -> None:
    asked = ({"type": "typed", "text": "Hello"}, typed_event("reply_delta", text="Hi "))
    result = played(page, OPEN, *asked, {"type": "interrupt"}, typed_event("piece", text="Hi."))
    assert "hang_up" in kinds(result)
    assert result["lines"][1]["state"] == "interrupted"
    assert result["phases"][-1] == "idle"


def test_typed_words_need_no_open_door(page: Page) -> None:
    fault = typed_event("error", response="I cannot think right now.")
    result = played(page, {"type": "typed", "text": "Hello"}, fault)
    assert result["phases"] == ["thinking", "connecting"]
    assert result["lines"][1] == {"id": 2, "who": "fault", "text": "I cannot think right now."}


# The door, and typed words.


def test_close_codes_and_waits(page: Page) -> None:
    meanings, waits = page.evaluate(
        f"""async () => {{
          const {{ meaningOf, retryAfter }} = await import("{MODULES}/door.js");
          const meanings = [4003, 4004, 4006, 1006].map(meaningOf);
          return [meanings, [0, 3, 30].map((attempt) => retryAfter(attempt, 0.5))];
        }}"""
    )
    assert meanings == ["replaced", "revoked", "idle", "lost"]
    assert waits == [1_000, 8_000, 20_000]


def test_events_are_read_however_they_are_cut(page: Page) -> None:
    found = page.evaluate(
        f"""async () => {{
          const {{ parseEvents }} = await import("{MODULES}/typed.js");
          const event = (name, n) => `event: ${{name}}\\ndata: {{"n":${{n}}}}\\n\\n`;
          const text = `: keep-alive\\n\\n${{event("a", 1)}}${{event("b", 2)}}`;
          const names = [];
          let waiting = "";
          for (const character of text) {{
            const {{ events, rest }} = parseEvents(waiting + character);
            waiting = rest;
            names.push(...events);
          }}
          return names;
        }}"""
    )
    assert found == [{"name": "a", "data": {"n": 1}}, {"name": "b", "data": {"n": 2}}]
