"""When Home Assistant is asked, and when it is tried again."""

from __future__ import annotations

from lobug.house.circuit import BACKOFF, Circuit


def test_a_failure_opens_it_and_an_answer_closes_it() -> None:
    closed = Circuit()
    assert closed.is_closed
    opened = closed.failed("unreachable", 100.0)
    assert (opened.is_closed, opened.fault) == (False, "unreachable")
    assert opened.retry_at == 100.0 + BACKOFF.first_s
    again = opened.answered()
    assert again.is_closed
    assert again.failures == 0


def test_it_is_tried_less_often_with_each_failure_up_to_a_limit() -> None:
    circuit, waits = Circuit(), []
    for _ in range(12):
        circuit = circuit.failed("slow", 0.0)
        waits.append(circuit.wait_s(0.0, 600.0))
    assert waits[:4] == [5.0, 10.0, 20.0, 40.0]
    assert waits[-1] == BACKOFF.longest_s


def test_a_probe_that_is_answered_closes_it_and_does_not_end_the_outage() -> None:
    circuit = Circuit()
    waits = []
    for _ in range(4):
        circuit = circuit.failed("slow", 0.0)
        waits.append(circuit.wait_s(0.0, 600.0))
        circuit = circuit.probed()
        assert circuit.is_closed
    assert waits == [5.0, 10.0, 20.0, 40.0]
    assert circuit.probed().failures == 0


def test_the_last_fault_is_known() -> None:
    assert Circuit().failed("slow", 0.0).failed("refused", 5.0).fault == "refused"


def test_the_background_waits_for_the_next_probe_or_the_next_refresh() -> None:
    assert Circuit().wait_s(50.0, 600.0) == 600.0
    assert Circuit().failed("slow", 0.0).wait_s(2.0, 600.0) == 3.0
    assert Circuit().failed("slow", 0.0).wait_s(99.0, 600.0) == 0.0
