"""How long a request body may take."""

from __future__ import annotations

from lobug.http.limits import BodyDeadlines
from lobug.settings import LimitSettings

DEFAULT = LimitSettings()


def arrives(clock: BodyDeadlines, every_s: float, pieces: int) -> bool:
    """Whether a body gets here whose pieces come one after the other, each after ``every_s``."""
    now = began = 1_000.0
    for _ in range(pieces):
        deadline = clock.deadline(began, now)
        if now + every_s > deadline:
            return False
        now += every_s
    return True


def test_a_slow_but_honest_device_has_time_enough() -> None:
    clock = BodyDeadlines.of(DEFAULT, to_strangers=False)
    assert arrives(clock, every_s=20.0, pieces=14), "a radio that stops again and again"
    assert arrives(clock, every_s=0.06, pieces=1_000), "60 s, sent while they are spoken"
    assert not arrives(clock, every_s=31.0, pieces=1)


def test_a_body_that_never_ends_is_given_up() -> None:
    clock = BodyDeadlines.of(DEFAULT, to_strangers=False)
    assert not arrives(clock, every_s=1.0, pieces=301)
    assert "not all of the body came within 300 s" in str(clock.fault(0.0, 299.0))
    assert "nothing more of the body for 30 s" in str(clock.fault(0.0, 100.0))


def test_strangers_get_no_more_than_the_time_of_a_piece() -> None:
    clock = BodyDeadlines.of(DEFAULT, to_strangers=True)
    assert not arrives(clock, every_s=1.0, pieces=31)
    assert "not all of the body" in str(clock.fault(0.0, 0.0))


def test_the_longest_recording_can_be_sent_while_it_is_spoken() -> None:
    limits = LimitSettings(max_audio_seconds=900, body_deadline_s=60)
    clock = BodyDeadlines.of(limits, to_strangers=False)
    assert arrives(clock, every_s=1.0, pieces=900)
