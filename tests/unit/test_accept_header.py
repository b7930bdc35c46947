"""Which kind of answer a caller wants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.http.formats import (
    EVENT_STREAM,
    JSON,
    WAV,
    content_type,
    preferred,
)

OFFERED = (JSON, EVENT_STREAM, WAV)


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (None, JSON),
        ("", JSON),
        ("*/*", JSON),
        ("audio/*", JSON),
        ("image/png", JSON),
        ("text/event-stream", EVENT_STREAM),
        ("Text/Event-Stream; charset=utf-8", EVENT_STREAM),
        ("text/event-stream, */*", EVENT_STREAM),
        ("application/json, text/event-stream", JSON),
        ("application/json;q=0.5, text/event-stream", EVENT_STREAM),
        ("application/json, text/event-stream;q=0.9", JSON),
        ("audio/wav", WAV),
        ("audio/wav;q=0, application/json", JSON),
        ("text/event-stream;q=0", JSON),
        ("text/event-stream;q=often", JSON),
        ("audio/wav;q=0.2, text/event-stream;q=0.3", EVENT_STREAM),
    ],
)
def test_the_kind_of_answer(accept: str | None, kind: str) -> None:
    assert preferred(accept, OFFERED) == kind


@given(st.text(max_size=80) | st.text("audio/wvtexnsrm;q=.019,* ", max_size=60))
def test_whatever_is_sent_gets_something_that_is_offered(accept: str) -> None:
    assert preferred(accept, OFFERED) in OFFERED
    content_type(accept)


def test_parameters_of_a_content_type() -> None:
    kind = 'Audio/L16 ; Rate=24000;channels = 2; endianness="Little-Endian"'
    assert content_type(kind) == (
        "audio/l16",
        {"rate": "24000", "channels": "2", "endianness": "little-endian"},
    )
