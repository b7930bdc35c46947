"""A device's report of its own condition: what is believed of it, and what follows from two."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.devices import messages
from lobug.devices.report import LATER_S, Report, ResetReason, progress, read_report
from lobug.errors import MessageError

FULL: dict[str, Any] = {
    "uptime_s": 913,
    "reset": "panic",
    "crash": {
        "task": "device",
        "pc": "400d1234",
        "cause": 28,
        "address": "00000010",
        "backtrace": ["400d1234", "4008abcd"],
        "corrupted": False,
        "image": "a1b2c3d4e5f60718",
    },
    "audio": {"gaps": 1, "late_ms": 250, "dropped_ms": 60, "unsent_ms": 20},
    "wifi": {"rssi": -58, "reconnects": 1, "losses": {"200": 1, "201": 2}},
    "memory": {"free": 81234, "largest": 40960, "least": 61234},
    "stacks": {"screen": 2500, "device": 3000},
    "nvs": "plain",
    "update_refused": "wrong_signature",
}


def read(told: object) -> dict[str, Any]:
    report = read_report(told)
    assert report is not None
    return report.model_dump(exclude_none=True, mode="json")


def test_a_report_is_read_whole_and_survives_being_stored() -> None:
    assert read(FULL) == FULL
    report = read_report(FULL)
    assert report is not None
    assert read_report(json.loads(report.model_dump_json(exclude_none=True))) == report


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("uptime_s", -1),
        ("uptime_s", True),
        ("uptime_s", "5"),
        ("uptime_s", 5.5),
        ("uptime_s", 2**60),
        ("reset", "mood"),
        ("reset", 4),
        ("crash", "yes"),
        ("audio", [1]),
        ("wifi", None),
        ("memory", 5),
        ("stacks", {"x" * 17: 1}),
        ("stacks", {"a\nb": 1}),
        ("stacks", {str(n): 1 for n in range(9)}),
        ("stacks", {"device": -1}),
        ("nvs", "soft"),
        ("nvs", True),
        ("update_refused", "<script>"),
        ("update_refused", ["unsigned"]),
    ],
)
def test_a_value_that_is_not_valid_counts_as_left_out(field: str, value: object) -> None:
    assert read({**FULL, field: value}) == {k: v for k, v in FULL.items() if k != field}


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        ("crash", "task", "\x1b[31m"),
        ("crash", "pc", "400D1234"),
        ("crash", "pc", "400d12345"),
        ("crash", "backtrace", ["400d1234"] * 17),
        ("crash", "backtrace", ["400d1234\n"]),
        ("crash", "image", "<script>"),
        ("crash", "corrupted", 1),
        ("audio", "gaps", 1e400),
        ("wifi", "rssi", 5),
        ("wifi", "losses", {"reason": 1}),
        ("wifi", "losses", {str(n): 1 for n in range(10)}),
        ("memory", "free", 2**33),
    ],
)
def test_so_does_one_within_a_part(part: str, field: str, value: object) -> None:
    left = {k: v for k, v in FULL[part].items() if k != field}
    assert read({**FULL, part: {**FULL[part], field: value}})[part] == left


def test_unknown_fields_are_ignored() -> None:
    assert read({**FULL, "mood": "fine", "wifi": {**FULL["wifi"], "channel": 6}}) == FULL


@pytest.mark.parametrize("told", [None, "report", 5, [], True])
def test_what_is_no_object_is_no_report(told: object) -> None:
    assert read_report(told) is None
    hello = messages.parse(json.dumps({"type": "hello", "report": told}))
    assert isinstance(hello, messages.Hello)
    assert hello.report is None
    with pytest.raises(MessageError):
        messages.parse(json.dumps({"type": "report", "report": told}))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*FULL, *FULL["crash"], *FULL["wifi"], *FULL["memory"], "200"]), inner
        )
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from([*FULL]), JSON))
def test_whatever_is_told_is_read_within_bounds(told: dict[str, Any]) -> None:
    found = read(told)
    assert len(json.dumps(found)) < 4_000
    assert found.keys() <= FULL.keys()
    assert found.get("uptime_s", 0) >= 0


def report(**fields: Any) -> Report:
    found = read_report({**FULL, **fields})
    assert found is not None
    return found


def test_the_first_report_of_a_device_counts_from_its_start() -> None:
    found = progress(None, None, report(), 10_000.0)
    assert found.started == "panic"
    assert (found.gaps, found.late_s, found.dropped_s, found.unsent_s) == (1, 0.25, 0.06, 0.02)
    assert (found.reconnects, found.losses) == (1, {200: 1, 201: 2})


def test_between_two_reports_of_one_run_only_what_is_new_counts() -> None:
    later = report(
        uptime_s=1813,
        audio={"gaps": 4, "late_ms": 1250},
        wifi={"reconnects": 1, "losses": {"200": 3, "8": 1}},
    )
    found = progress(report(), 10_000.0, later, 10_900.0)
    assert found.started is None
    assert (found.gaps, found.late_s, found.dropped_s) == (3, 1.0, 0.0)
    assert (found.reconnects, found.losses) == (0, {200: 2, 8: 1})


@pytest.mark.parametrize(
    ("uptime_s", "at"),
    [(5, 10_900.0), (914, 10_000.0 + 1 + LATER_S), (950, 30_000.0)],
)
def test_a_device_that_has_started_in_between_counts_anew(uptime_s: int, at: float) -> None:
    found = progress(report(), 10_000.0, report(uptime_s=uptime_s, reset="brownout"), at)
    assert (found.started, found.gaps) == ("brownout", 1)


def test_a_start_of_which_nothing_is_told_has_no_known_reason() -> None:
    assert progress(None, None, Report(), 1.0).started == ResetReason.UNKNOWN.value
