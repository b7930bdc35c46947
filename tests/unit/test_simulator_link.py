"""The network model: it delays, and keeps what TCP promises."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.simulator.link import (
    DEVICE_TIMEOUT_S,
    SEGMENT_BYTES,
    NetworkOptions,
    Sender,
    TcpPath,
)

networks = st.builds(
    NetworkOptions,
    loss=st.floats(0.0, 1.0),
    jitter_s=st.floats(0.0, 0.5),
    latency_s=st.floats(0.0, 0.5),
)


@given(
    networks,
    st.sampled_from(Sender),
    st.integers(),
    st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(1, 5_000)), min_size=1, max_size=40),
)
def test_order_is_kept_and_every_delay_is_bounded(
    network: NetworkOptions, sender: Sender, seed: int, messages: list[tuple[float, int]]
) -> None:
    path = TcpPath(network, sender, random.Random(seed))
    sent, sendings, arrivals = 100.0, [], []
    for pause_s, size in messages:
        sent += pause_s
        sendings.append(sent)
        arrivals.append(path.arrival(sent, size))
    assert all(earlier <= later for earlier, later in pairwise(arrivals))
    for sent, arrived in zip(sendings, arrivals, strict=True):
        assert network.latency_s <= arrived - sent + 1e-9
        assert arrived - sent <= network.max_delay_s(sender) + 1e-9


def test_a_perfect_network_delays_nothing() -> None:
    path = TcpPath(NetworkOptions(), Sender.SERVER, random.Random(0))
    assert NetworkOptions().perfect
    assert [path.arrival(at, 100) for at in (1.0, 1.0, 2.5)] == [1.0, 1.0, 2.5]


class LosesTheFirst(random.Random):
    """So often in a row; then nothing, and without jitter."""

    def __init__(self, losses: int) -> None:
        super().__init__(0)
        self._left = losses

    def random(self) -> float:
        self._left -= 1
        return 0.0 if self._left >= 0 else 1.0

    def uniform(self, _low: float, _high: float) -> float:
        return 0.0


@pytest.mark.parametrize(
    ("sender", "losses", "late_s"),
    [
        # The next packet, 60 ms later, is acknowledged after a round trip of 100 ms, and a quarter
        # of one is waited in addition.
        (Sender.SERVER, 1, 0.185),
        (Sender.SERVER, 2, 0.37),
        # Three packets later; then time-outs that double.
        (Sender.DEVICE, 1, 0.28),
        (Sender.DEVICE, 2, 0.28 + DEVICE_TIMEOUT_S),
        (Sender.DEVICE, 3, 0.28 + 3 * DEVICE_TIMEOUT_S),
    ],
)
def test_what_is_sent_after_a_lost_segment_waits_behind_it(
    sender: Sender, losses: int, late_s: float
) -> None:
    network = NetworkOptions(loss=0.5, latency_s=0.05)
    path = TcpPath(network, sender, LosesTheFirst(losses))
    lost = path.arrival(0.0, 100)
    assert lost == pytest.approx(0.05 + late_s)
    assert path.arrival(0.06, 100) == lost
    assert path.arrival(0.12, 100) == lost
    assert path.arrival(9.0, 100) == 9.05
    assert path.lost_segments == losses


def test_the_share_of_lost_segments_is_the_one_asked_for() -> None:
    path = TcpPath(NetworkOptions(loss=0.02), Sender.SERVER, random.Random(7))
    for number in range(20_000):
        path.arrival(0.06 * number, 200)
    assert 300 < path.lost_segments < 500


def test_a_long_message_is_many_segments_and_whole_with_the_last() -> None:
    network = NetworkOptions(loss=0.2)
    short, long = (TcpPath(network, Sender.SERVER, random.Random(3)) for _ in range(2))
    for number in range(500):
        short.arrival(10.0 * number, 1)
        long.arrival(10.0 * number, 10 * SEGMENT_BYTES)
    assert long.lost_segments > 5 * short.lost_segments


def test_the_same_seed_is_the_same_network() -> None:
    network = NetworkOptions(loss=0.1, jitter_s=0.1)
    first, second = (TcpPath(network, Sender.SERVER, random.Random(5)) for _ in range(2))
    sendings = [0.06 * number for number in range(200)]
    assert [first.arrival(at, 200) for at in sendings] == [
        second.arrival(at, 200) for at in sendings
    ]


def test_what_is_sent_in_a_row_is_delayed_alike() -> None:
    path = TcpPath(NetworkOptions(jitter_s=0.1), Sender.SERVER, random.Random(11))
    delays = [
        [path.arrival(start + 0.001 * number, 200) - start - 0.001 * number for number in range(8)]
        for start in (0.0, 1.0, 2.0)
    ]
    for burst in delays:
        assert burst == pytest.approx([burst[0]] * 8)
    assert len({round(burst[0], 6) for burst in delays}) == 3
