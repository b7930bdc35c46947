"""What the doors of memory decide without a server: times, who is local, large JSON."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.errors import ImportInvalidError, InvalidEncodingError, LobugError
from lobug.http.formats import epoch_seconds, rfc3339
from lobug.http.memory.transfer import SMALL_BYTES, in_pieces, read_json


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0.0),
        ("1970-01-02", 86_400.0),
        ("2026-03-01T12:00:00+02:00", 1_772_359_200.0),
        ("2026-03-01T12:00:00 02:00", 1_772_359_200.0),  # an unescaped plus in a query
        ("2026-03-01 12:00", 1_772_366_400.0),
        ("1772366400", 1_772_366_400.0),
        ("-0.5", -0.5),
        ("2026-03-01T12:00:00.250Z", 1_772_366_400.25),
    ],
)
def test_times_are_read(text: str, seconds: float) -> None:
    assert epoch_seconds(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "yesterday", "nan", "inf", "1e99", "99999999999999999", "2026-13-01", "0x10", "٣"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not"):
        epoch_seconds(text)


@given(st.floats())
def test_every_number_can_be_shown_as_a_time(seconds: float) -> None:
    assert rfc3339(seconds).endswith("Z")


@given(st.integers(-62_000_000_000_000, 250_000_000_000_000))
def test_times_come_back_as_they_went(milliseconds: int) -> None:
    assert math.isclose(
        epoch_seconds(rfc3339(milliseconds / 1000)), milliseconds / 1000, abs_tol=0.001
    )


@given(st.text(max_size=40))
def test_any_text_is_a_time_or_a_value_error(text: str) -> None:
    try:
        seconds = epoch_seconds(text)
    except ValueError:
        return
    assert math.isfinite(seconds)


def large(document: str) -> bytes:
    """The document with so much space before it that it is read in pieces."""
    return b" " * SMALL_BYTES + document.encode()


DOCUMENTS = [
    ('{"entries": [{"content": "Ada\\u00e9 \\ud83d\\ude00", "importance": 0.5}]}', None),
    ("[1, 2.5, true, null, -3e2]", None),
    ("{", InvalidEncodingError),
    ("", InvalidEncodingError),
    ('{"a": NaN}', ImportInvalidError),
    ('{"a": -Infinity}', ImportInvalidError),
    ('{"a": "\\ud800"}', ImportInvalidError),
    ('{"\\udc00": 1}', ImportInvalidError),
    ('{"a": "\\u0000"}', ImportInvalidError),
    ('{"a": 9223372036854775808}', ImportInvalidError),
    ("9" * 5_000, InvalidEncodingError),
    ("[" * 100_000, ImportInvalidError),
    ('{"a":' * 100_000, ImportInvalidError),
    ("[" * 5_000 + "]" * 5_000, ImportInvalidError),
]


@pytest.mark.parametrize("make", [str.encode, large], ids=["small", "large"])
@pytest.mark.parametrize(("document", "error"), DOCUMENTS, ids=range(len(DOCUMENTS)))
def test_imports_are_read_or_refused(
    document: str, error: type[LobugError] | None, make: type[bytes]
) -> None:
    body: bytes = make(document)  # type: ignore[arg-type]  # str.encode is no type
    if error is None:
        assert read_json(body) == json.loads(document)
    else:
        with pytest.raises(error):
            read_json(body)


def test_what_is_not_utf8_is_refused() -> None:
    with pytest.raises(InvalidEncodingError):
        read_json(b'{"a": "\xff"}')


def test_an_export_leaves_in_pieces_that_make_up_the_document() -> None:
    document = {"entries": [{"content": "tea — чай 🫖 " * 50, "id": n} for n in range(1_000)]}
    pieces = list(in_pieces(document))
    assert len(pieces) > 5
    assert json.loads("".join(pieces)) == document
