"""When a process that does not answer is taken for a hung one."""

from __future__ import annotations

from lobug.engines.llama_process import HELD_UP_S, MISSES, Probe, Watchdog


def fed(dog: Watchdog, pattern: str, *, start_s: float = 100.0) -> list[bool]:
    """Probes one after the other. ``+``: answered; ``-``: not; ``z``: not, and this process slept
    meanwhile; ``t``: a token came instead of a probe. Returns whether it hung after each."""
    now, verdicts = start_s, []
    for sign in pattern:
        took = {"+": 0.001, "-": dog.probe_timeout_s, "z": 3600.0}.get(sign, 0.0)
        if sign == "t":
            dog.moved()
        else:
            dog.note(Probe(now, now + took, answered=sign == "+"))
        now += took + 0.5
        verdicts.append(dog.hung)
    return verdicts


def test_it_takes_several_misses_in_a_row() -> None:
    assert fed(Watchdog(20.0), "+--+--+---") == [False] * 9 + [True]


def test_a_token_is_as_good_as_an_answer() -> None:
    assert not any(fed(Watchdog(20.0), "--t--t--t--"))


def test_a_computer_that_was_asleep_says_nothing_of_the_process() -> None:
    assert not any(fed(Watchdog(20.0), "--zzzzzz"))
    assert fed(Watchdog(20.0), "--z-")[-1], "it goes on counting"


def test_a_little_lateness_counts_all_the_same() -> None:
    dog = Watchdog(3.0)
    for n in range(MISSES):
        dog.note(Probe(float(n * 10), n * 10 + dog.probe_timeout_s + 0.9 * HELD_UP_S, False))
    assert dog.hung


def test_silence_is_counted_from_the_first_probe_without_an_answer() -> None:
    dog = Watchdog(30.0)
    assert dog.silent_s == 0.0
    fed(dog, "+--")
    assert dog.silent_s == 20.5
    fed(dog, "+")
    assert dog.silent_s == 0.0
