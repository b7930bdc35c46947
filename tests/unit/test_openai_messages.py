"""From the messages of an OpenAI request to a turn; and whether a told history is known."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.conversation.registry import Exchange
from lobug.engines.base import ChatMessage
from lobug.errors import InvalidRequestError
from lobug.http.openai.messages import ChatRequest, exchanges, turn_request
from lobug.turn.model_turn import is_end_of
from lobug.turn.utterance import SpokenUtterance, TypedUtterance


def request(*messages: tuple[str, Any], **more: Any) -> ChatRequest:
    said = [{"role": role, "content": content} for role, content in messages]
    return ChatRequest.model_validate({"model": "lobug", "messages": said, **more})


def pair(user: str, assistant: str) -> Exchange:
    return Exchange(ChatMessage("user", user), ChatMessage("assistant", assistant))


def test_the_last_words_are_the_turn_and_the_rest_is_what_was_told() -> None:
    found = turn_request(
        request(
            ("system", "Be brief."),
            ("user", "Hi"),
            ("assistant", "Hello."),
            ("developer", "In rhyme."),
            ("user", " How are you? "),
            temperature=0.1,
            max_tokens=50,
            max_completion_tokens=20,
        ),
        100,
    )
    assert found.utterance == TypedUtterance("How are you?")
    assert found.context.history == (pair("Hi", "Hello."),)
    assert found.context.instruction == "Be brief.\n\nIn rhyme."
    assert (found.context.max_tokens, found.context.temperature) == (20, 0.1)


def test_parts_of_text_are_joined_and_a_recording_is_spoken() -> None:
    text = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert turn_request(request(("user", text)), 100).utterance == TypedUtterance("a\nb")
    sound = {"data": base64.b64encode(b"RIFF").decode(), "format": "wav"}
    spoken = [{"type": "input_audio", "input_audio": sound}]
    assert turn_request(request(("user", spoken)), 100).utterance == SpokenUtterance(b"RIFF")


@pytest.mark.parametrize(
    ("messages", "more", "code", "param"),
    [
        ([("assistant", "Hi")], {}, "invalid_request", "messages.0.role"),
        ([("user", "  ")], {}, "text_empty", "messages.0.content"),
        ([("user", None)], {}, "text_empty", "messages.0.content"),
        ([("user", "x" * 101)], {}, "text_too_long", "messages.0.content"),
        ([("system", "x" * 101), ("user", "Hi")], {}, "text_too_long", "messages"),
        ([("user", "\ud83d")], {}, "invalid_encoding", "messages.0.content"),
        ([("tool", "4"), ("user", "Hi")], {}, "parameter_unsupported", "messages.0.role"),
        (
            [("user", [{"type": "image_url", "image_url": {"url": "x"}}])],
            {},
            "parameter_unsupported",
            "messages.0.content.0.type",
        ),
        (
            [("user", [{"type": "input_audio", "input_audio": {"data": "!", "format": "wav"}}])],
            {},
            "invalid_request",
            "messages.0.content",
        ),
        ([("user", "Hi")], {"n": 2}, "parameter_unsupported", "n"),
        ([("user", "Hi")], {"tools": [{"type": "function"}]}, "parameter_unsupported", "tools"),
        ([("user", "Hi")], {"logprobs": True}, "parameter_unsupported", "logprobs"),
        ([("user", "Hi")], {"stop": "."}, "parameter_unsupported", "stop"),
    ],
)
def test_what_cannot_be_asked_names_its_field(
    messages: list[tuple[str, Any]], more: dict[str, Any], code: str, param: str
) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        turn_request(request(*messages, **more), 100)
    assert (caught.value.code, caught.value.param) == (code, param)


def test_what_does_nothing_may_be_sent() -> None:
    neutral: dict[str, Any] = {
        "n": 1,
        "tools": [],
        "tool_choice": "auto",
        "logprobs": False,
        "response_format": {"type": "text"},
        "stop": None,
        "user": "somebody else",
        "top_p": 0.9,
        "seed": 4,
    }
    assert turn_request(request(("user", "Hi"), **neutral), 100).utterance == TypedUtterance("Hi")


def test_only_answered_words_are_history() -> None:
    said = [
        ("assistant", "Welcome!"),
        ("user", "lost"),
        ("user", "Hi"),
        ("assistant", "One."),
        ("assistant", ""),
        ("assistant", "Two."),
        ("user", "unanswered"),
    ]
    messages = [ChatMessage(role, text) for role, text in said]  # type: ignore[arg-type]  # literals
    assert exchanges(messages) == (pair("Hi", "One.\n\nTwo."),)


ROLES = st.sampled_from(["system", "developer", "user", "assistant", "tool"])
CONTENTS = (
    st.none()
    | st.text(max_size=20)
    | st.lists(
        st.fixed_dictionaries({"type": st.just("text"), "text": st.text(max_size=5)}), max_size=2
    )
)


@given(st.lists(st.tuples(ROLES, CONTENTS), min_size=1, max_size=8))
def test_any_history_is_taken_or_refused_with_a_code(messages: list[tuple[str, Any]]) -> None:
    try:
        found = turn_request(request(*messages), 50)
    except InvalidRequestError:
        return
    for exchange in found.context.history:
        assert (exchange.user.role, exchange.assistant.role) == ("user", "assistant")
        assert exchange.assistant.content


HELD = [
    pair("a", "A."),
    pair("<memory-context>\n- x\n</memory-context>\n\nb c", "B."),
    pair("d", "D"),
]


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ([], True),
        ([pair("d", "D")], True),
        ([pair("b  c", "B."), pair("d", "D ")], False),
        ([pair("b c", "B."), pair("d", "D ")], True),
        ([pair("", "D")], True),
        ([pair("z", "Z"), *HELD], True),
        ([pair("d", "another")], False),
        ([pair("c", "B."), pair("d", "D")], False),
        ([pair("d", "D"), pair("e", "E")], False),
    ],
)
def test_whether_a_told_history_is_held(told: list[Exchange], known: bool) -> None:
    assert is_end_of(told, HELD) is known


def test_nothing_held_is_the_end_of_nothing_told_alone() -> None:
    assert is_end_of([], [])
    assert not is_end_of([pair("a", "A")], [])
