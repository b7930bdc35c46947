"""When an alert rings, waits, is over or is told; quiet hours; chimes; touches. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from lobug.agenda.alerts import Alert, AlertKind
from lobug.agenda.ringing import (
    End,
    QuietHours,
    Ring,
    RingLimits,
    Say,
    Wait,
    began_at,
    is_late,
    next_step,
)
from lobug.agenda.schedule import Chime
from lobug.devices.unasked_speech import TouchRules, chime_samples
from lobug.settings.skills import SkillSettings

LIMITS = RingLimits(seconds=60.0)


def alert(kind: AlertKind = "timer", **changed: object) -> Alert:
    made = Alert(1, "ada", "ada/desk", kind, "", 0.0, None, None, None, "UTC", "ringing", 0.0,
                 False, 0.0)  # fmt: skip
    return replace(made, **changed)  # type: ignore[arg-type]


def sound(kind: AlertKind, until: float, *, heard: bool = True, length_s: float = 2.0) -> list[int]:
    """The seconds at which an alert is said, up to its end."""
    rings, now = {1: Ring(0.0)}, 0.0
    said: list[int] = []
    while now < until:
        step = next_step([alert(kind)], rings, LIMITS, now)
        if isinstance(step, End):
            return [*said, -1]
        if isinstance(step, Wait):
            assert step.until > now
            now = step.until
            continue
        said.append(round(now))
        now += length_s if heard else 0.0
        rings[1].tried_at = now
        rings[1].times += 1 if heard else 0
    return said


def test_timers_ring_until_the_limit_and_reminders_twice() -> None:
    assert sound("timer", 100) == [*range(0, 60, 5), -1]
    assert sound("alarm", 100) == sound("timer", 100)
    assert sound("reminder", 100) == [0, 22, -1]
    # What nobody can hear is tried again until the limit.
    assert sound("reminder", 100, heard=False) == [*range(0, 60, 3), -1]


def test_what_was_silenced_makes_no_sound_and_ends_when_it_can_no_longer_be_snoozed() -> None:
    silenced = alert(silenced_at=5.0)
    rings = {1: Ring(0.0, times=1, tried_at=5.0)}
    assert next_step([silenced], rings, LIMITS, 6.0) == Wait(65.0)
    assert next_step([silenced], rings, LIMITS, 65.0) == End((silenced,))


def test_several_ring_together() -> None:
    one, other = alert(), alert("reminder", id=2)
    rings = {1: Ring(0.0), 2: Ring(0.0)}
    assert next_step([one, other], rings, LIMITS, 1.0) == Say((one, other))


def test_what_could_not_be_ended_is_silent_and_ended_later_while_others_ring() -> None:
    over, other = alert(), alert("alarm", id=2)
    rings = {1: Ring(0.0, times=3, tried_at=58.0, end_again_at=90.0), 2: Ring(61.0)}
    assert next_step([over, other], rings, LIMITS, 61.0) == Say((other,))
    assert next_step([over], rings, LIMITS, 61.0) == Wait(90.0)
    rings[2].tried_at = 89.0
    assert next_step([over, other], rings, LIMITS, 89.0) == Wait(90.0)
    assert next_step([over, other], rings, LIMITS, 90.0) == End((over,))


@pytest.mark.parametrize(
    ("due_at", "rang_at", "now", "late"),
    [
        (0.0, 1.0, 1.0, False),
        (0.0, 170.0, 171.0, False),
        (0.0, 200.0, 200.0, True),  # the server was off when it fell due
        (0.0, 0.0, 100.0, False),  # killed while it rang, and back soon
        (0.0, 0.0, 400.0, True),
    ],
)
def test_what_is_late_is_told(due_at: float, rang_at: float, now: float, late: bool) -> None:
    assert is_late(alert(due_at=due_at, rang_at=rang_at), now, LIMITS) is late


def test_a_ring_goes_on_after_a_restart_for_half_its_time_at_least() -> None:
    assert began_at(alert(rang_at=90.0), 100.0, 7.0, LIMITS) == -3.0
    assert began_at(alert(rang_at=0.0), 100.0, 7.0, LIMITS) == -23.0
    assert began_at(alert(rang_at=200.0), 100.0, 7.0, LIMITS) == 7.0  # the clock was set back


@pytest.mark.parametrize(
    ("hours", "now", "until"),
    [
        ("22:00-07:00", "2026-03-28T21:59", None),
        ("22:00-07:00", "2026-03-28T22:00", "2026-03-29T07:00+02:00"),  # clocks go forward
        ("22:00-07:00", "2026-03-29T06:59", "2026-03-29T07:00+02:00"),
        ("22:00-07:00", "2026-03-29T07:00", None),
        ("13:00-14:30", "2026-07-01T14:29", "2026-07-01T14:30+02:00"),
        ("13:00-14:30", "2026-07-01T12:00", None),
        ("", "2026-07-01T12:00", None),
    ],
)
def test_quiet_hours(hours: str, now: str, until: str | None) -> None:
    quiet = QuietHours.of(hours)
    moment = datetime.fromisoformat(now).replace(tzinfo=ZoneInfo("Europe/Berlin"))
    end = None if quiet is None else quiet.end_after(moment)
    assert end == (None if until is None else datetime.fromisoformat(until))


@pytest.mark.parametrize("hours", ["22-7", "22:00-22:00", "24:00-07:00", "22:00", "quiet"])
def test_quiet_hours_that_are_none_are_refused(hours: str) -> None:
    with pytest.raises(ValueError, match="quiet_hours"):
        SkillSettings(quiet_hours=hours)


@pytest.mark.parametrize("rate", [16_000, 22_050, 24_000])
def test_chimes(rate: int) -> None:
    gentle, insistent = (chime_samples(kind, rate) for kind in (Chime.GENTLE, Chime.INSISTENT))
    assert chime_samples(Chime.NONE, rate).size == 0
    for samples, seconds in ((gentle, 0.75), (insistent, 1.39)):
        assert samples.dtype == np.float32
        assert samples.size / rate == pytest.approx(seconds, abs=0.01)
        assert 0.1 < np.abs(samples).max() < 0.6
        assert np.abs(np.diff(samples)).max() < 0.35  # no clicks
    assert np.abs(insistent).max() > 1.5 * np.abs(gentle).max()


def test_which_listen_start_is_a_touch() -> None:
    rules = TouchRules()

    def start(
        now: float, *, held: bool = False, speaking: bool = False, audible: bool = False
    ) -> str:
        return rules.listen_start(now, held=held, speaking=speaking, audible=audible)

    assert start(0.0, speaking=True) == "early"
    assert start(0.1, speaking=True, held=True) == "touch"
    assert start(1.0, speaking=True, audible=True) == "touch"
    rules.speech_ended(2.0)
    assert start(2.4) == "automatic"
    assert start(3.0) == "touch"  # the second one: the device listened already
    rules.speech_ended(4.0)
    assert start(4.5, held=True) == "touch"
    # A device that does not listen by itself: its button may be pressed soon after the end.
    rules.speech_ended(10.0)
    rules.speech_ended(20.0)
    assert start(21.0) == "touch"
