"""Which of several servers is asked, and in which order."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.engines.replicas import REST, Replica, free, preferred
from lobug.settings import ChatSettings, OllamaSettings, SttSettings
from lobug.settings.engines import addresses_in

ADDRESSES = st.lists(st.text(min_size=1), min_size=1, max_size=6, unique=True)
LANES = st.text()
NOW = 100.0


@st.composite
def crowds(draw: st.DrawFn) -> list[Replica]:
    """Servers in any state."""
    return [
        Replica(
            address,
            ready=draw(st.booleans()),
            under_way=draw(st.integers(0, 4)),
            rests_until=draw(st.sampled_from([0.0, NOW, NOW + 1.0])),
        )
        for address in draw(ADDRESSES)
    ]


def asked_first(replicas: list[Replica], lane: str | None, now: float = NOW) -> str:
    return replicas[preferred(replicas, lane, now)[0]].address


@given(ADDRESSES, LANES, st.randoms(use_true_random=False))
def test_a_lane_has_its_server_in_whatever_order_they_are_named(
    addresses: list[str], lane: str, random: object
) -> None:
    shuffled = list(addresses)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first, second = ([Replica(one) for one in some] for some in (addresses, shuffled))
    assert asked_first(first, lane) == asked_first(second, lane)
    busy = [replace(one, under_way=place) for place, one in enumerate(second)]
    assert asked_first(busy, lane) == asked_first(first, lane), "load does not move a lane"


@given(ADDRESSES.filter(lambda found: len(found) > 1), st.lists(LANES, max_size=20), st.data())
def test_a_server_that_goes_moves_only_its_own_lanes(
    addresses: list[str], lanes: list[str], data: st.DataObject
) -> None:
    all_well = [Replica(one) for one in addresses]
    gone = data.draw(st.sampled_from(addresses))
    how = data.draw(st.sampled_from([{"ready": False}, {"rests_until": NOW + 1.0}]))
    without = [replace(one, **how) if one.address == gone else one for one in all_well]  # type: ignore[arg-type]
    taken_out = [one for one in all_well if one.address != gone]
    for lane in lanes:
        before, after = asked_first(all_well, lane), asked_first(without, lane)
        assert (before == after) == (before != gone)
        assert after == asked_first(taken_out, lane)


def test_lanes_are_spread() -> None:
    replicas = [Replica(f"http://gpu{number}") for number in range(4)]
    found = Counter(asked_first(replicas, f"ada/{number}") for number in range(1000))
    assert len(found) == 4
    assert min(found.values()) > 150, found


@given(crowds(), st.none() | LANES)
def test_every_server_has_its_place_and_those_that_are_well_come_first(
    replicas: list[Replica], lane: str | None
) -> None:
    order = preferred(replicas, lane, NOW)
    assert sorted(order) == list(range(len(replicas)))
    well = [replicas[place].is_well(NOW) for place in order]
    assert well == sorted(well, reverse=True)
    if lane is None:
        load = [replicas[place].under_way for place in order if replicas[place].is_well(NOW)]
        assert load == sorted(load)


@given(crowds(), st.none() | LANES, st.none() | st.integers(1, 4))
def test_only_servers_with_a_place_are_asked_and_no_dead_one_while_a_live_one_is_busy(
    replicas: list[Replica], lane: str | None, most: int | None
) -> None:
    found = free(replicas, lane, NOW, most)
    assert all(most is None or replicas[place].under_way < most for place in found)
    well = {place for place, one in enumerate(replicas) if one.is_well(NOW)}
    open_ = {place for place, one in enumerate(replicas) if most is None or one.under_way < most}
    if not well or well & open_:
        assert set(found) == open_
    else:
        assert found == []


def test_the_rest_doubles_and_ends_with_the_first_answer() -> None:
    replica, now, rests = Replica("a"), NOW, []
    for _ in range(10):
        replica = replica.failed(now)
        assert replica.failed(now + 1.0) == replica, "failures together count as one"
        assert not replica.is_well(now)
        rests.append(replica.rests_until - now)
        now = replica.rests_until
        assert replica.is_well(now)
    assert rests[:4] == [2.0, 4.0, 8.0, 16.0]
    assert rests[-1] == REST.longest_s
    assert replica.answered() == Replica("a")


# The settings


def test_one_address_or_several() -> None:
    one = ChatSettings(openai_base_url="http://gpu1:8000/v1")
    assert addresses_in(one.openai_base_url) == ("http://gpu1:8000/v1",)
    two = ChatSettings(openai_base_url=" http://gpu1:8000/v1\n  https://gpu2/v1 ")
    assert addresses_in(two.openai_base_url) == ("http://gpu1:8000/v1", "https://gpu2/v1")
    for host in ("gpu.lan:11434", "gpu.lan", "0.0.0.0", ":11434"):
        assert OllamaSettings(host=host).host == host, "as the official client takes it"
    ears = SttSettings(wyoming_url="tcp://a:1 unix:///run/ears")
    assert addresses_in(ears.wyoming_url) == ("tcp://a:1", "unix:///run/ears")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("http://gpu1/v1 gpu2:8000/v1", "address 2 of 2 is not of the form"),
        ("ftp://gpu1/v1", "the address is not of the form"),
        ("http://:secret@/v1", "the address is not of the form"),
        ("http://gpu1:port/v1", "the address is not of the form"),
        ("http://gpu1/v1 http://gpu1/v1", "given twice"),
        ("  ", "an address is needed"),
    ],
)
def test_an_address_that_is_none_is_refused_with_a_reason(value: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        ChatSettings(openai_base_url=value)
    error = caught.value.errors()[0]  # type: ignore[attr-defined]
    assert "secret" not in error["msg"]


@pytest.mark.parametrize(
    "value",
    [
        "http://gpu1/v1 http://gpu1/v1/",
        "http://gpu1/v1 http://GPU1:80/v1",
        "https://gpu1/v1 https://gpu1:443/v1",
        "http://ada:one@gpu1/v1 http://bob:two@gpu1/v1",
    ],
)
def test_another_spelling_is_not_another_server(value: str) -> None:
    with pytest.raises(ValueError, match="given twice"):
        ChatSettings(openai_base_url=value)


def test_ollama_and_wyoming_have_spellings_too() -> None:
    for hosts in ("gpu.lan gpu.lan:11434", "gpu.lan http://gpu.lan:11434/", ":11434 127.0.0.1"):
        with pytest.raises(ValueError, match="given twice"):
            OllamaSettings(host=hosts)
    OllamaSettings(host="gpu.lan http://gpu.lan")  # ports 11434 and 80
    for hosts in ("tcp://a:1 tcp://A:1", "tcp://a:70000"):
        with pytest.raises(ValueError, match="address"):
            SttSettings(wyoming_url=hosts)
    SttSettings(wyoming_url="unix:///run/a unix:///run/A")
    ChatSettings(openai_base_url="http://gpu1/one/v1 http://gpu1/two/v1 https://gpu1/one/v1")


def test_one_request_finds_out_whether_a_server_answers_again() -> None:
    failed = Replica("a").failed(NOW, "too slow")
    assert failed.fault == "too slow"
    assert failed.is_well(failed.rests_until)
    assert not replace(failed, under_way=1).is_well(failed.rests_until)
    assert replace(failed, under_way=1).answered().is_well(NOW)


def test_servers_that_were_tried_do_not_count() -> None:
    busy, resting = Replica("a", under_way=1), Replica("b", ready=False)
    assert free([busy, resting], None, NOW, 1) == []
    assert free([busy, resting], None, NOW, 1, tried={0}) == [1]
    assert free([busy, resting], None, NOW, 1, tried={0}, only_well=True) == []
    assert free([busy, resting], None, NOW, 2, only_well=True) == [0]
