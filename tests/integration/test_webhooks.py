"""Webhooks over real sockets and a real outbox: what comes, how often, what is forgotten."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lobug.agenda.alerts import Alert
from lobug.cli.app import app as commands
from lobug.cli.direct import DirectMemoryTransport
from lobug.errors import StorageError
from lobug.memory.model import ConversationKey
from lobug.settings import Settings, WebhookSettings
from lobug.turn.timeline import Outcome, Timeline
from lobug.webhooks.delivery import Sender
from lobug.webhooks.outbox import FILE, Outbox
from lobug.webhooks.service import Webhooks
from support.app_server import running, settings_for
from support.device_client import device, until
from support.memory_app import quiet_engines
from support.patience import PATIENCE_S
from support.webhook_receiver import SECRET, Receiver, receiver, status

ADA = ConversationKey("ada", "desk")


def hooks(url: str, **more: Any) -> dict[str, Any]:
    return {"url": url, "secret": SECRET, "longest_pause_s": 0.05, "timeout_s": PATIENCE_S, **more}


def house(folder: Path, found: Receiver, **more: Any) -> Settings:
    return settings_for(folder, webhooks=hooks(found.url, **more))


@asynccontextmanager
async def webhooks(folder: Path, url: str, **more: Any) -> AsyncIterator[Webhooks]:
    """The service alone, started."""
    counts: dict[str, int] = {}

    def count(ended: str, number: int) -> None:
        counts[ended] = counts.get(ended, 0) + number

    await asyncio.to_thread(folder.mkdir, exist_ok=True)
    settings = WebhookSettings.model_validate(hooks(url, **more))
    service = Webhooks(settings, folder, wall=time.time, clock=time.monotonic, counted=count)
    service.counts = counts  # type: ignore[attr-defined]  # for the tests below
    await service.start()
    try:
        yield service
    finally:
        await service.close()


def counts(service: Webhooks) -> dict[str, int]:
    found: dict[str, int] = service.counts  # type: ignore[attr-defined]
    return found


def turn(service: Webhooks, text: str, reply: str = "", user: str = "ada") -> None:
    """A turn, from its beginning to its end."""
    timeline, key = Timeline("text"), ConversationKey(user, "desk")
    service.heard(timeline, key, text)
    if reply:
        service.replied(timeline, key, reply)
    timeline.end(Outcome.RESPOND)
    service.finished(timeline)


def stored(folder: Path) -> bytes:
    """All bytes of the outbox on the disk."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob(f"{FILE}*")))


NOBODY = "http://127.0.0.1:9/nobody"
"""Where nothing listens."""


# ---- a whole server


async def test_a_server_tells_of_turns_devices_and_timers(tmp_path: Path) -> None:
    async with receiver() as found, running(house(tmp_path, found), quiet_engines()) as (http, _):
        await http.post("/chat/text", json={"text": "What do you think of rain?"})
        async with device(str(http.base_url), "AA:BB:CC:DD:EE:01"):
            await found.came(3)
        await http.post("/chat/text", json={"text": "Set a pasta timer for one second."})
        deliveries = await found.came(7)
        assert all(one.is_signed and one.path == "/lobug" for one in deliveries)
        assert all(one.headers["webhook-id"] == one.event["id"] for one in deliveries)
        assert len({one.event["id"] for one in deliveries}) == 7
        first = found.events("heard")[0]
        assert (first["door"], first["outcome"], first["device"]) == ("text", "respond", None)
        assert found.events("replied")[0]["answered_by"] == "model"
        assert found.events("replied")[1]["answered_by"] == "alerts"
        assert [one["connected"] for one in found.events("device")] == [True, False]
        (ring,) = found.events("alert")
        assert (ring["kind"], ring["late"]) == ("timer", False)
        everything = b"".join(one.body for one in deliveries)
        assert b"rain" not in everything
        assert b"pasta" not in everything
        assert b'"text":' not in everything


async def test_words_come_where_they_are_wanted(tmp_path: Path) -> None:
    async with (
        receiver() as found,
        running(house(tmp_path, found, include_text=True, events=["heard", "replied"]),
                quiet_engines()) as (http, _),
    ):  # fmt: skip
        await http.post("/chat/text", json={"text": "What do you think of rain?"})
        async with device(str(http.base_url), "AA:BB:CC:DD:EE:01"):
            pass
        await found.came(2)
        assert [one["text"] for one in found.events("heard")] == ["What do you think of rain?"]
        assert [one["text"] for one in found.events("replied")] == ["Okay."]
        assert found.events("device") == []


async def test_a_receiver_that_hangs_delays_no_turn(tmp_path: Path) -> None:
    async with receiver(lambda _: None) as found:
        settings = settings_for(tmp_path, webhooks=hooks(found.url, timeout_s=60.0))
        async with running(settings, quiet_engines()) as (http, server):
            await http.post("/chat/text", json={"text": "One."})
            await found.came(1)
            answer = await http.post("/chat/text", json={"text": "Two."})
            assert answer.json()["response"] == "Okay."
            await until(lambda: server.webhooks.waiting == 4)
            assert found.most_under_way <= 2
            assert "lobug_webhooks_waiting 4.0" in (await http.get("/metrics")).text


async def test_what_is_forgotten_is_told_to_nobody(tmp_path: Path) -> None:
    """By a turn that asks for it, while the receiver is down: its own words are withheld, and those
    that wait are gone from the disk when the answer is there."""
    folder = tmp_path / "data"
    async with receiver() as found:
        await found.shut()
        settings = house(tmp_path, found, include_text=True)
        async with running(settings, quiet_engines()) as (http, server):
            await http.post("/chat/text", json={"text": "My cousin Wilhelmina lives in Rome."})
            await until(lambda: server.webhooks.waiting == 2)
            assert b"Wilhelmina" in stored(folder)
            answer = await http.post("/chat/text", json={"text": "Forget my cousin Wilhelmina."})
            said = answer.json()["response"]
            if "?" in said:
                await http.post("/chat/text", json={"text": "Yes."})
            assert b"Wilhelmina" not in stored(folder)
            waiting = server.webhooks.waiting
            await found.open()
            deliveries = await found.came(waiting)
            assert b"Wilhelmina" not in b"".join(one.body for one in deliveries)
            assert all(one.is_signed for one in deliveries)


async def test_forgetting_without_a_server_erases_what_waits(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    async with webhooks(folder, NOBODY, include_text=True) as service:
        turn(service, "The safe is behind Aunt Ottilie.")
        turn(service, "Somebody else's words.", user="bob")
        await until(lambda: service.waiting == 2)
    assert b"Ottilie" in stored(folder)
    settings = settings_for(tmp_path, webhooks=hooks(NOBODY, include_text=True))

    def purge() -> int:
        import httpx  # noqa: PLC0415

        with httpx.Client(
            transport=DirectMemoryTransport(settings), base_url="http://127.0.0.1"
        ) as http:
            body = {"user": True, "confirm": True}
            return http.post("/memory/purge?user=ada", json=body).status_code

    assert await asyncio.to_thread(purge) == 200
    assert b"Ottilie" not in stored(folder)
    assert b"Somebody else" in stored(folder)


async def test_an_attempt_under_way_is_made_again_without_words(tmp_path: Path) -> None:
    async with (
        receiver(lambda number: None if number == 0 else status(200)) as found,
        webhooks(tmp_path, found.url, include_text=True, timeout_s=50.0) as service,
    ):
        turn(service, "The safe is behind Aunt Ottilie.")
        await found.came(1)
        await service.erase("ada")
        first, second = await found.came(2)
        assert b"Ottilie" in first.body
        assert b"Ottilie" not in second.body
        assert first.event["id"] == second.event["id"]


async def test_the_client_is_made_once_and_beside_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import httpx  # noqa: PLC0415

    made: list[threading.Thread] = []
    client = httpx.AsyncClient

    def make(**settings: Any) -> httpx.AsyncClient:
        made.append(threading.current_thread())
        return client(**settings)

    monkeypatch.setattr(httpx, "AsyncClient", make)
    async with receiver() as found:
        sender = Sender(WebhookSettings.model_validate(hooks(found.url)))
        await asyncio.gather(sender.send("a", b"{}"), sender.send("b", b"{}"))
        await sender.close()
    assert len(made) == 1
    assert made[0] is not threading.main_thread()


# ---- delivery


async def test_every_event_comes_in_the_end(tmp_path: Path) -> None:
    """From a receiver that is set up only now, overloaded, broken and cut off in turn."""
    answers = [status(404), status(503), status(500), status(401), b"junk\r\n\r\n", b"", None]

    def answer(number: int) -> bytes | None:
        return answers[number] if number < len(answers) else status(200)

    async with receiver(answer) as found, webhooks(tmp_path, found.url, timeout_s=0.3) as service:
        turn(service, "One.")
        turn(service, "Two.")
        await until(lambda: counts(service).get("delivered") == 2)
        await until(lambda: service.waiting == 0)
        assert len(found.deliveries) >= len(answers) + 2
        assert len({one.event["id"] for one in found.deliveries}) == 2
        assert service.fault() is None


async def test_a_receiver_that_takes_nothing_is_told_of(tmp_path: Path) -> None:
    async with receiver(lambda _: status(500)) as found, webhooks(tmp_path, found.url) as service:
        turn(service, "One.")
        await until(lambda: service.fault() is not None)
        assert "it answered 500" in (service.fault() or "")
        assert "1 events wait" in (service.fault() or "")
        found.answer = lambda _: status(200)
        await until(lambda: service.fault() is None)


@pytest.mark.parametrize("code", [302, 307, 400, 410, 422])
async def test_what_is_not_wanted_is_dropped(tmp_path: Path, code: int) -> None:
    """And a redirect, wherever it leads, is not followed."""
    async with receiver() as other:
        move = status(code, f"Location: {other.url}")
        async with (
            receiver(lambda n: move if n == 0 else status(200)) as found,
            webhooks(tmp_path, found.url, concurrency=1) as service,
        ):
            turn(service, "One.")
            turn(service, "Two.")
            await until(lambda: counts(service) == {"refused": 1, "delivered": 1})
            assert len(found.deliveries) == 2
        assert other.deliveries == []


async def test_an_endless_answer_is_not_read(tmp_path: Path) -> None:
    endless = b"HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n" + b"x" * 100_000
    async with receiver(lambda _: endless) as found, webhooks(tmp_path, found.url) as service:
        turn(service, "One.")
        await until(lambda: counts(service) == {"delivered": 1})


async def test_few_requests_are_under_way_at_once(tmp_path: Path) -> None:
    async with receiver() as found, webhooks(tmp_path, found.url, concurrency=3) as service:
        for number in range(12):
            turn(service, f"Number {number}.")
        await until(lambda: counts(service).get("delivered") == 12)
        assert 1 <= found.most_under_way <= 3


async def test_an_event_that_breaks_the_receiver_does_not_hold_up_others(tmp_path: Path) -> None:
    async with receiver() as found, webhooks(tmp_path, found.url, include_text=True) as service:
        found.judge = lambda body: status(500 if b"bad" in body else 200)
        turn(service, "bad")
        turn(service, "good")
        await until(lambda: counts(service).get("delivered") == 1 and service.waiting == 1)
        assert any(one.event["data"]["text"] == "good" for one in found.deliveries)


# ---- what waits


async def test_it_survives_a_restart_and_a_power_cut(tmp_path: Path) -> None:
    ring = Alert(
        7, "ada", "desk", "timer", "pasta", 1_795_000_000.0, 60.0, None, None, "UTC", "ringing",
        None, False, 1_795_000_000.0, None,
    )  # fmt: skip
    async with webhooks(tmp_path / "old", NOBODY, include_text=True) as service:
        turn(service, "One.")
        service.alert_began(ring, False)
        await until(lambda: service.waiting == 2)
        # As the disk is when the power is cut now.
        shutil.copytree(tmp_path / "old", tmp_path / "cut")
        turn(service, "Two.")
    for folder, count in (("cut", 2), ("old", 3)):
        async with receiver() as found, webhooks(
            tmp_path / folder, found.url, include_text=True
        ) as service:  # fmt: skip
            service.alert_began(ring, False)  # it rings on after the restart
            await found.came(count)
            await until(lambda: service.waiting == 0)
            texts = [one.event["data"]["text"] for one in found.deliveries]
            assert sorted(set(texts)) == sorted(["One.", "pasta", "Two."][:count])
            assert len({one.event["id"] for one in found.deliveries}) == count


async def test_no_copy_of_it_is_kept(tmp_path: Path) -> None:
    """A migration makes one, from which nothing would ever be erased."""
    left = tmp_path / f"{FILE}.backup-v1-20260101T000000Z"
    left.write_bytes(b"Hush.")
    async with webhooks(tmp_path, NOBODY):
        assert not await asyncio.to_thread(left.exists)


async def test_words_that_waited_are_not_told_after_they_are_no_longer_wanted(
    tmp_path: Path,
) -> None:
    async with webhooks(tmp_path, NOBODY, include_text=True) as service:
        turn(service, "Hush.")
        await until(lambda: service.waiting == 1)
    async with receiver() as found, webhooks(tmp_path, found.url) as service:
        await found.came(1)
        assert b"Hush" not in found.deliveries[0].body + stored(tmp_path)


async def test_the_oldest_is_dropped_and_counted(tmp_path: Path) -> None:
    async with receiver() as found:
        await found.shut()
        async with webhooks(tmp_path, found.url, include_text=True, max_waiting=3) as service:
            for number in range(5):
                turn(service, f"Number {number}.")
                await until(lambda: not service._new)
                # From the first failure on there is a pause, so none of them is on its way.
                await until(lambda: service._failures > 0)
            await until(lambda: counts(service).get("dropped") == 2)
            await found.open()
            await until(lambda: counts(service).get("delivered") == 3)
            texts = {one.event["data"]["text"] for one in found.deliveries}
            assert texts == {"Number 2.", "Number 3.", "Number 4."}
            assert "2 events were dropped" in (service.fault() or "")


async def test_what_waits_too_long_is_dropped(tmp_path: Path) -> None:
    async with webhooks(tmp_path, NOBODY, keep_s=0.2) as service:
        turn(service, "One.")
        await until(lambda: counts(service) == {"expired": 1})
        assert service.waiting == 0


async def test_a_broken_outbox_stops_no_turn_and_is_told_of(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"not a database" * 100)
    with pytest.raises(Exception, match="database"):
        async with webhooks(tmp_path, NOBODY):
            pass
    settings = settings_for(tmp_path, webhooks=hooks(NOBODY))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / FILE).write_bytes(b"not a database" * 100)
    async with running(settings, quiet_engines()) as (http, server):
        answer = await http.post("/chat/text", json={"text": "Hello."})
        assert answer.json()["response"] == "Okay."
        assert any(one.startswith("webhooks: ") for one in server.health().degraded)
        # Forgetting does not fail for it: the file goes.
        gone = await http.post("/memory/purge", json={"older_than_days": 1, "confirm": True})
        assert gone.status_code == 200
        assert b"not a database" not in stored(tmp_path / "data")


async def test_a_broken_outbox_is_told_of_once_and_used_when_it_works(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lobug.webhooks.service.LONGEST_WAIT_S", 0.01)
    monkeypatch.setattr("lobug.webhooks.service.WRITE_AGAIN_S", 0.01)
    opened = 0

    async def start(outbox: Outbox) -> None:
        nonlocal opened
        opened += 1
        await original(outbox)

    original = Outbox.start
    monkeypatch.setattr(Outbox, "start", start)
    (tmp_path / FILE).write_bytes(b"not a database" * 100)
    async with receiver() as found:
        settings = WebhookSettings.model_validate(hooks(found.url))
        service = Webhooks(settings, tmp_path, wall=time.time, clock=time.monotonic)
        try:
            for _ in range(3):
                with pytest.raises(StorageError):
                    await (service.refresh() if opened else service.start())
                turn(service, "One.")
                await asyncio.sleep(0.1)  # the loops go round several times
            assert opened == 3
            assert [one for one in caplog.records if one.levelname == "WARNING"] == []
            (tmp_path / FILE).unlink()
            await service.refresh()
            await found.came(3)
        finally:
            await service.close()


async def test_an_outbox_that_cannot_be_written_is_told_of_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lobug.webhooks.service.WRITE_AGAIN_S", 0.01)
    failed = 0

    async def fail(_outbox: Outbox, *_: object) -> int:
        nonlocal failed
        failed += 1
        raise StorageError("full")

    async with receiver() as found, webhooks(tmp_path, found.url) as service:
        with monkeypatch.context() as patched:
            patched.setattr(Outbox, "add", fail)
            turn(service, "One.")
            await until(lambda: failed >= 5)
        assert caplog.text.count("cannot be kept") == 1
        await found.came(1)


async def test_without_a_receiver_nothing_is_kept(tmp_path: Path) -> None:
    async with webhooks(tmp_path, NOBODY, include_text=True) as service:
        turn(service, "Hush.")
        await until(lambda: service.waiting == 1)
    off = Webhooks(WebhookSettings(), tmp_path, wall=time.time, clock=time.monotonic)
    await off.start()
    assert stored(tmp_path) == b""
    turn(off, "One.", "Two.")
    off.device("aa:bb", True)
    await off.erase(None)
    await off.close()
    assert stored(tmp_path) == b""


async def test_what_was_not_meant_for_it_is_not_told(tmp_path: Path) -> None:
    async with receiver() as found, webhooks(tmp_path, found.url, include_text=True) as service:
        for outcome in (Outcome.IGNORE, Outcome.CANCELLED):
            timeline = Timeline("audio")
            service.heard(timeline, ADA, "The television.")
            timeline.end(outcome)
            service.finished(timeline)
        withheld = Timeline("text")
        service.heard(withheld, ADA, "Forget my code 4711.")
        await service.erase("ada")
        service.replied(withheld, ADA, "I have forgotten 4711.")
        withheld.end(Outcome.RESPOND)
        service.finished(withheld)
        deliveries = await found.came(2)
        assert [one.event["type"] for one in deliveries] == ["heard", "replied"]
        assert b"4711" not in b"".join(one.body for one in deliveries)


# ---- the commands


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOBUG_DATA_DIR", str(tmp_path / "data"))


async def test_the_command_sends_one_event(away: None, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = CliRunner()
    off = runner.invoke(commands, ["webhooks", "test"])
    assert (off.exit_code, "LOBUG_WEBHOOKS__URL" in off.output) == (1, True)
    secret = runner.invoke(commands, ["webhooks", "secret"]).output.strip()
    assert len(WebhookSettings.model_validate({"secret": secret}).secret) == len(secret) == 50

    async def run(*arguments: str) -> Any:
        return await asyncio.to_thread(runner.invoke, commands, ["webhooks", "test", *arguments])

    async with receiver() as found:
        monkeypatch.setenv("LOBUG_WEBHOOKS__URL", found.url)
        monkeypatch.setenv("LOBUG_WEBHOOKS__SECRET", SECRET)
        done = await run()
        assert (done.exit_code, "204" in done.output) == (0, True), done.output
        assert found.deliveries[0].is_signed
        assert found.deliveries[0].event["type"] == "test"
        as_json = json.loads((await run("--json")).output)
        assert (as_json["taken"], as_json["status"]) == (True, 204)
        for code, word in ((401, "try again"), (302, "not try again")):
            found.answer = lambda _, code=code: status(code)  # type: ignore[misc]
            done = await run()
            assert (done.exit_code, word in done.output) == (1, True), done.output
        await found.shut()
        done = await run()
        assert (done.exit_code, "no connection" in done.output) == (1, True), done.output
        assert SECRET not in done.output


async def test_doctor_looks_whether_something_listens(tmp_path: Path) -> None:
    from lobug.cli.doctor.webhooks import check_webhooks  # noqa: PLC0415

    async with receiver() as found:
        settings = settings_for(tmp_path, webhooks=hooks(found.url, include_text=True))
        good = await asyncio.to_thread(check_webhooks, settings)
        assert (good.level, "with their words" in good.message) == ("ok", True)
        assert found.deliveries == [], "nothing is sent"
    gone = await asyncio.to_thread(check_webhooks, settings)
    assert (gone.level, bool(gone.advice)) == ("warn", True)
    assert check_webhooks(settings_for(tmp_path)).message == "off (webhooks.url)"
