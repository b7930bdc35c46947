"""Notices: whom they concern, how changes are joined, and what becomes of a slow watcher."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.errors import TooManyRequestsError
from lobug.live.heard import HeardLog, HeardUtterance
from lobug.live.hub import (
    CHANGED_EVERY_S,
    MAX_WAITING,
    OWNERS_TOPICS,
    WATCHERS,
    Audience,
    Changed,
    Coalescer,
    Hub,
    Notice,
    Rings,
    TurnEnded,
    WasHeard,
    concerns,
)
from lobug.memory.model import HOUSEHOLD, ConversationKey
from lobug.quota import Claimant
from lobug.telemetry.telemetry import FinishedTurn
from lobug.turn.timeline import Outcome, Timeline

ADA = Claimant("ada")
TURN = TurnEnded(FinishedTurn(Timeline("text"), 0.0))


def said(user: str, text: str = "Hello") -> WasHeard:
    return WasHeard(HeardUtterance(0.0, user, "", "text", text, Outcome.RESPOND))


OF_BOB: tuple[Notice, ...] = (
    Changed("alerts", "bob"),
    Changed("lists", "bob"),
    Changed("notes", "bob"),
    Changed("memory", "bob"),
    said("bob"),
    Rings("bob", None),
)


@pytest.mark.parametrize("notice", [*OF_BOB, TURN, *(Changed(one) for one in OWNERS_TOPICS)])
def test_a_person_is_told_nothing_of_another_nor_of_the_owner(notice: Notice) -> None:
    assert not concerns(notice, Audience("ada"))
    assert not concerns(notice, Audience("ada", household=True))


@pytest.mark.parametrize("notice", OF_BOB)
def test_a_person_is_told_of_what_is_theirs(notice: Notice) -> None:
    assert concerns(notice, Audience("bob"))


def test_an_owner_elsewhere_is_told_of_devices_but_of_no_other_person() -> None:
    owner = Audience("ada", owner=True)
    assert all(concerns(Changed(topic), owner) for topic in OWNERS_TOPICS)
    assert concerns(TURN, owner)
    assert not any(concerns(notice, owner) for notice in OF_BOB)


def test_what_is_the_households_is_told_to_those_who_may_see_it() -> None:
    shared = Changed("lists", HOUSEHOLD)
    assert concerns(shared, Audience("ada", household=True))
    assert not concerns(shared, Audience("ada"))


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.floats(0.0, 0.2)), max_size=80))
def test_changes_are_joined_and_the_last_is_never_lost(steps: list[tuple[str, float]]) -> None:
    joined = Coalescer(CHANGED_EVERY_S)
    now, told, noted = 0.0, {}, {}  # type: float, dict[Changed, float], dict[Changed, float]
    for user, pause in steps:
        now += pause
        change = Changed("memory", user)
        joined.note(change, now)
        noted[change] = now
        while (one := joined.take(now)) is not None:
            assert now - told.get(one, -1.0) >= CHANGED_EVERY_S - 1e-9
            told[one] = now
    while (at := joined.next_at()) is not None:
        now = max(now, at)
        one = joined.take(now)
        assert one is not None
        assert now - told.get(one, -1.0) >= CHANGED_EVERY_S - 1e-9
        told[one] = now
    assert all(told[change] >= at for change, at in noted.items())


async def test_a_watcher_that_reads_nothing_is_cut_off_and_delays_nobody() -> None:
    hub = Hub()
    slow, quick = (hub.subscribe(Audience("ada"), ADA) for _ in range(2))
    for number in range(MAX_WAITING + 1):
        hub.notify(said("ada", str(number)))
        assert await anext(quick) == said("ada", str(number))
    with pytest.raises(StopAsyncIteration):
        await anext(slow)
    hub.close()
    with pytest.raises(StopAsyncIteration):
        await anext(quick)


@pytest.mark.parametrize(
    ("forgotten", "left"), [("ada", ["bob"]), ("bob", ["ada"]), (None, []), ("eve", ["ada", "bob"])]
)
async def test_what_was_forgotten_is_not_told_to_a_slow_watcher(
    forgotten: str | None, left: list[str]
) -> None:
    hub = Hub()
    slow = hub.subscribe(Audience("ada", owner=True, everybody=True), ADA)
    for notice in (said("ada"), TURN, said("bob")):
        hub.notify(notice)
    hub.forget(forgotten)
    hub.publish("memory")
    told = [await anext(slow) for _ in range(len(left) + 2)]
    assert [one.utterance.user for one in told if isinstance(one, WasHeard)] == left
    assert TURN in told
    assert told[-1] == Changed("memory")


async def test_a_person_may_watch_from_so_many_pages_at_once() -> None:
    hub = Hub()
    open_ones = [hub.subscribe(Audience("ada"), ADA) for _ in range(WATCHERS.per_person)]
    with pytest.raises(TooManyRequestsError):
        hub.subscribe(Audience("ada"), ADA)
    open_ones[0].close()
    open_ones[0].close()
    hub.subscribe(Audience("ada"), ADA)


async def test_the_same_change_twice_in_a_moment_is_told_once_and_once_more_later() -> None:
    now = 10.0
    hub = Hub(lambda: now)
    watcher = hub.subscribe(Audience("ada"), ADA)
    hub.publish("memory", "ada")
    hub.publish("memory", "ada")
    assert await anext(watcher) == Changed("memory", "ada")
    hub.publish("memory", "ada")
    waiting = asyncio.ensure_future(anext(watcher))
    await asyncio.sleep(0)
    assert not waiting.done()
    now += CHANGED_EVERY_S
    assert await waiting == Changed("memory", "ada")


def heard_by(log: HeardLog, user: str, text: str) -> Timeline:
    timeline = Timeline("text")
    log.heard(timeline, ConversationKey(user, f"{user}/desk"), text)
    return timeline


def test_the_last_utterances_are_kept_with_their_outcome() -> None:
    log = HeardLog(2, lambda: 5.0)
    for text in ("one", "two", "three"):
        timeline = heard_by(log, "ada", text)
        timeline.end(Outcome.RESPOND)
        log.finished(timeline)
    assert [(one.text, one.outcome) for one in log.newest(10)] == [
        ("three", Outcome.RESPOND),
        ("two", Outcome.RESPOND),
    ]
    assert log.newest(10, "bob") == []


def test_none_are_kept_where_none_are_wanted_but_they_are_told_of() -> None:
    told: list[HeardUtterance] = []
    log = HeardLog(0, lambda: 5.0, told.append)
    log.finished(heard_by(log, "ada", "one"))
    assert log.newest(10) == []
    assert [one.text for one in told] == ["one"]


def test_what_is_erased_is_gone_also_of_a_turn_under_way() -> None:
    log = HeardLog(10, lambda: 5.0)
    log.finished(heard_by(log, "ada", "I live in Bern"))
    log.finished(heard_by(log, "bob", "I live in Basel"))
    erasing = heard_by(log, "ada", "Forget that I live in Bern")
    log.forget("ada")
    log.finished(erasing)
    assert [(one.user, one.text) for one in log.newest(10)] == [
        ("ada", ""),
        ("bob", "I live in Basel"),
    ]
    log.forget(None)
    assert log.newest(10) == []
