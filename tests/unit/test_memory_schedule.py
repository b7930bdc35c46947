"""When messages are summed up: decided without a clock and without a database."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.memory.schedule import (
    Backlog,
    Thresholds,
    Trigger,
    messages_to_keep,
    token_threshold,
    trigger_of,
)

DEFAULTS = Thresholds(messages=30, tokens=2_048, turns=3, idle_s=600.0, keep=10, working_memory=20)


@pytest.mark.parametrize(
    ("backlog", "trigger"),
    [
        (Backlog(), None),
        (Backlog(messages=25, tokens=2_047, user_messages=29, idle_s=599.0), None),
        (Backlog(messages=1, idle_s=600.0), "idle"),
        (Backlog(messages=0, idle_s=9_999.0), None),
        (Backlog(messages=11, tokens=2_048), "tokens"),
        (Backlog(messages=10, tokens=9_999), None),  # the last ten stay as they are
        (Backlog(messages=26), "turns"),
        (Backlog(messages=25), None),
        (Backlog(messages=4, user_messages=30), "messages"),
        (Backlog(user_messages=30), "messages"),
        (Backlog(messages=26, tokens=5_000, user_messages=40), "tokens"),
        (Backlog(messages=26, tokens=5_000, user_messages=40, idle_s=601.0), "idle"),
    ],
)
def test_whichever_comes_first(backlog: Backlog, trigger: Trigger | None) -> None:
    assert trigger_of(backlog, DEFAULTS) == trigger


def test_turns_may_be_allowed_to_fall_out() -> None:
    assert trigger_of(Backlog(messages=500), replace(DEFAULTS, turns=0)) is None


def test_a_session_that_is_over_is_summed_up_whole() -> None:
    assert messages_to_keep("idle", DEFAULTS) == 0
    assert [messages_to_keep(trigger, DEFAULTS) for trigger in ("tokens", "turns", "messages")] == [
        10
    ] * 3


@pytest.mark.parametrize(
    ("context", "share", "at_most", "tokens"),
    [(4_096, 0.5, 8_000, 2_048), (32_768, 0.5, 8_000, 8_000), (1, 0.1, 100, 1)],
)
def test_tokens_are_a_share_of_the_window_up_to_a_limit(
    context: int, share: float, at_most: int, tokens: int
) -> None:
    assert token_threshold(context, share, at_most) == tokens


COUNTS = st.integers(0, 200)


@given(
    backlog=st.builds(
        Backlog, COUNTS, st.integers(0, 20_000), COUNTS, st.floats(0, 2_000, allow_nan=False)
    ),
    more=st.integers(0, 50),
)
def test_more_of_anything_never_makes_it_less_urgent(backlog: Backlog, more: int) -> None:
    if trigger_of(backlog, DEFAULTS) is None:
        return
    grown = Backlog(
        backlog.messages + more,
        backlog.tokens + more,
        backlog.user_messages + more,
        backlog.idle_s + more,
    )
    assert trigger_of(grown, DEFAULTS) is not None


@given(backlog=st.builds(Backlog, COUNTS, st.integers(0, 20_000), COUNTS))
def test_a_backlog_never_grows_beyond_what_working_memory_and_three_turns_hold(
    backlog: Backlog,
) -> None:
    if trigger_of(backlog, DEFAULTS) is None:
        assert backlog.messages < DEFAULTS.working_memory + 2 * DEFAULTS.turns
