"""The streaming device in software against the real server, with engines that follow a script."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner, Result

from lobug.app import create_app
from lobug.cli.app import app
from lobug.devices.messages import ListenMode
from lobug.simulator.discovery import (
    DeviceStore,
    DiscoveryError,
    Endpoint,
    discover,
    identity_of,
    socket_url,
)
from lobug.simulator.link import NetworkOptions
from lobug.simulator.recordings import encode_speech
from lobug.simulator.results import WsTurnResult
from lobug.simulator.session import DeviceKind
from lobug.simulator.streaming_device import (
    NO_FAULTS,
    BargeIn,
    SimulatedWsDevice,
    TurnFaults,
)
from support.app_server import ScriptedEngines, in_thread, running, scripted_assembler, settings_for
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.scripted_ws import tone
from support.wav import pcm16

SPEECH = encode_speech("hello.wav", tone(0.4))
IDENTITY = identity_of(None, 0)
REPLY = "It is noon now, and it is time to eat."
LONG_REPLY = f"{REPLY} " * 8


def speaking(reply: str = REPLY) -> ScriptedEngines:
    """Engines that always answer this."""
    return ScriptedEngines(chat=ScriptedChatModel((reply,)))


@asynccontextmanager
async def served(folder: Path, scripted: ScriptedEngines, **sections: object) -> AsyncIterator[str]:
    async with running(settings_for(folder, **sections), scripted) as (client, _server):
        yield str(client.base_url).rstrip("/")


async def talk(
    url: str,
    kind: DeviceKind | None = None,
    *,
    index: int = 0,
    turns: int = 1,
    faults: TurnFaults = NO_FAULTS,
    network: NetworkOptions | None = None,
) -> list[WsTurnResult]:
    endpoint = Endpoint(socket_url(url))
    results = []
    async with SimulatedWsDevice(
        identity_of(None, index), endpoint, kind, network=network, seed=index
    ) as device:
        await device.connect()
        for _ in range(turns):
            results.append(await device.turn(SPEECH, faults))
            if (follow_up := await device.follow_up()) is not None:
                results.append(follow_up)
    return results


async def test_a_conversation_in_every_mode(tmp_path: Path) -> None:
    async with served(tmp_path, speaking()) as url:
        by_mode = await asyncio.gather(
            *(
                talk(url, DeviceKind(mode=mode), index=index, turns=2)
                for index, mode in enumerate(ListenMode)
            )
        )
    for turn in (turn for turns in by_mode for turn in turns):
        assert turn.heard == "Hello."
        assert " ".join(turn.sentences) == REPLY
        assert turn.first_audio_s is not None
        assert turn.first_audio_s > 0
        # A character is spoken in ten milliseconds; a packet is never split.
        assert turn.account.seconds == pytest.approx(len(REPLY) / 100, abs=0.13)
        assert (turn.dropped, turn.account.overflowed, turn.closed) == (0, 0, None)


@pytest.mark.parametrize("mode", ListenMode)
async def test_a_reply_can_be_interrupted_in_every_mode(tmp_path: Path, mode: ListenMode) -> None:
    words = None if mode is ListenMode.AUTO else SPEECH
    faults = TurnFaults(barge_in=BargeIn(0.3, words))
    async with served(tmp_path, speaking(LONG_REPLY)) as url:
        turns = await talk(url, DeviceKind(mode=mode), faults=faults)
    assert len(turns) == (1 if words is None else 2)
    first = turns[0]
    assert first.interrupted_silence_s is not None
    assert first.account.seconds < 0.5 * len(LONG_REPLY) / 100, "most of it was never played"
    assert (first.alerts, first.closed) == ((), None)
    if words is not None:
        assert turns[1].heard == "Hello."
        assert turns[1].account.frames > 0


async def test_devices_at_once_over_a_poor_network_lose_no_packet(tmp_path: Path) -> None:
    network = NetworkOptions(loss=0.02, jitter_s=0.05)
    async with served(tmp_path, speaking()) as url:
        talks = [talk(url, index=index, network=network) for index in range(6)]
        turns = [turn for turns in await asyncio.gather(*talks) for turn in turns]
    for turn in turns:
        assert turn.heard == "Hello."
        assert turn.account.seconds == pytest.approx(len(REPLY) / 100, abs=0.13)
        assert (turn.out_of_order, turn.dropped) == (0, 0)


async def test_a_device_that_breaks_off_in_mid_reply_is_served_again(tmp_path: Path) -> None:
    faults = TurnFaults(disconnect_after_s=1.2)
    async with (
        served(tmp_path, speaking(LONG_REPLY)) as url,
        SimulatedWsDevice(IDENTITY, Endpoint(socket_url(url))) as device,
    ):
        await device.connect()
        broken = await device.turn(SPEECH, faults)
        assert not device.connected
        await device.connect_again(attempts=3)
        again = await device.turn(SPEECH)
    assert (broken.closed, broken.ok) == ("it broke off", True)
    assert again.account.frames > broken.account.frames


async def test_a_new_device_shows_a_code_and_gets_a_token_once_it_is_approved(
    tmp_path: Path,
) -> None:
    store = DeviceStore(tmp_path / "devices.json")
    shown: list[str] = []
    async with served(tmp_path, speaking()) as url:

        async def approve(_pause_s: float) -> None:
            """The owner, during the device's pause between two questions."""
            async with httpx.AsyncClient(
                base_url=url, trust_env=False, timeout=PATIENCE_S
            ) as owner:
                (await owner.post("/devices/approve", json={"code": shown[-1]})).raise_for_status()

        endpoint = await discover(
            url,
            IDENTITY,
            store,
            show_code=lambda code, _message: shown.append(code),
            give_up_s=30.0,
            pause=approve,
        )
        assert len(shown) == 1
        assert endpoint.token
        assert endpoint.url == socket_url(url)
        async with SimulatedWsDevice(IDENTITY, endpoint) as device:
            await device.connect()
            assert (await device.turn(SPEECH)).heard == "Hello."
        kept = DeviceStore(tmp_path / "devices.json")
        again = await discover(
            url, IDENTITY, kept, show_code=lambda _code, _message: None, give_up_s=0.0
        )
        assert again == endpoint, "a server does not give a token twice"


async def test_a_device_that_nobody_approves_gives_up(tmp_path: Path) -> None:
    async def pause(_pause_s: float) -> None:
        pass

    async with served(tmp_path, speaking()) as url:
        with pytest.raises(DiscoveryError, match="lobug devices approve"):
            await discover(
                url,
                IDENTITY,
                DeviceStore(None),
                show_code=lambda _code, _message: None,
                give_up_s=6.0,
                pause=pause,
            )


async def test_discovery_of_a_server_that_is_no_lo_bug(tmp_path: Path) -> None:
    async with served(tmp_path, speaking()) as url:
        with pytest.raises(DiscoveryError, match="answered 404"):
            await discover(
                f"{url}/elsewhere",
                IDENTITY,
                DeviceStore(None),
                show_code=lambda _code, _message: None,
                give_up_s=0.0,
            )


# ---- the command


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with one recording, and none of the developer's own settings."""
    for name in tuple(os.environ):
        if name.upper().startswith("LOBUG_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hello.wav").write_bytes(pcm16(tone(0.4)))
    return tmp_path


@contextmanager
def a_server(folder: Path, **sections: object) -> Iterator[str]:
    application = create_app(
        settings_for(folder, **sections), assembler=scripted_assembler(speaking())
    )
    server, thread, port = in_thread(application)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def lobug(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_simulate_with_several_devices_prints_json_lines(elsewhere: Path) -> None:
    with a_server(elsewhere) as url:
        result = lobug(
            *("simulate", "--protocol", "ws", "--server", url, "--no-discovery", "--json"),
            *("--devices", "3", "--expect-speech", "--expect-voice", "--tools", "hello.wav"),
        )
    assert result.exit_code == 0, result.output
    *turns, summary = [json.loads(line) for line in result.stdout.splitlines()]
    assert sorted(turn["device"][-2:] for turn in turns) == ["01", "02", "03"]
    assert {turn["heard"] for turn in turns} == {"Hello."}
    assert (summary["event"], summary["turns"], summary["devices"]) == ("summary", 3, 3)
    assert summary["first_audio_p50_s"] > 0


@pytest.mark.parametrize("turns", [1, 2])
def test_simulate_comes_back_after_it_broke_off(elsewhere: Path, turns: int) -> None:
    with a_server(elsewhere) as url:
        result = lobug(
            *("simulate", "--protocol", "ws", "--server", url, "--json", "hello.wav"),
            *("--disconnect-after", "0.1", "--max-turns", str(turns)),
        )
    assert result.exit_code == 0, result.output
    *taken, summary = [json.loads(line) for line in result.stdout.splitlines()]
    assert [turn["closed"] for turn in taken] == ["it broke off", None][:turns]
    assert summary["reconnections"] == 1


@pytest.mark.parametrize("reason", [["--idle", "0.1"], ["--discovery"]])
def test_simulate_without_words_for_a_reason(elsewhere: Path, reason: list[str]) -> None:
    with a_server(elsewhere, access={"pairing": False}) as url:
        result = lobug("simulate", "--protocol", "ws", "--server", url, "--json", *reason)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["unreachable"] == []


def test_simulate_for_people_and_the_saved_reply(elsewhere: Path) -> None:
    with a_server(elsewhere) as url:
        result = lobug(
            *("simulate", "--protocol", "ws", "--server", url, "--no-discovery", "hello.wav"),
            *("--until", "noon", "--mode", "manual", "--format", "pcm", "--frames", "3"),
        )
    assert result.exit_code == 0, result.output
    assert REPLY in result.output
    assert "end of speech to first audio" in result.output
    assert "a reply matched 'noon'" in result.output
    assert (elsewhere / "replies" / "001-hello.wav").read_bytes()[:4] == b"RIFF"


def test_simulate_shows_the_code_of_a_device_that_waits(elsewhere: Path) -> None:
    with a_server(elsewhere) as url:
        result = lobug(
            *(
                "simulate",
                "--protocol",
                "ws",
                "--server",
                url,
                "--discovery",
                "--json",
                "hello.wav",
            ),
            *("--approve-within", "0"),
        )
    assert result.exit_code == 3
    assert json.loads(result.stdout.splitlines()[0])["event"] == "activation"
    assert "nobody approved" in result.stderr


def test_a_reply_that_was_waited_for_and_did_not_come_is_a_failure(elsewhere: Path) -> None:
    with a_server(elsewhere) as url:
        result = lobug(
            *("simulate", "--protocol", "ws", "--server", url, "--no-discovery", "hello.wav"),
            *("--until", "midnight", "--max-turns", "1"),
        )
    assert result.exit_code == 1
    assert "no reply matched 'midnight'" in result.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--mode", "manual"], "--mode needs --protocol ws"),
        (["--jitter-ms", "5"], "--jitter-ms needs --protocol ws"),
        (["--discovery"], "--discovery needs --protocol ws"),
        (["--protocol", "ws", "--text", "hi"], "--text, --tap and --shake"),
        (
            ["--protocol", "ws", "--token", "x", "--discovery"],
            "--token or --discovery, not both",
        ),
        (["--protocol", "ws", "--pause", "200"], "--pause must be under 120 s"),
        (
            ["--protocol", "ws", "--no-discovery", "--token", "x", "--devices", "2"],
            "a token belongs to one device",
        ),
        (["--protocol", "ws", "--mode", "manual", "--wake-word", "x"], "no --wake-word"),
        (["--protocol", "ws", "silence.wav"], "silence.wav: the recording is silent"),
        (["--protocol", "ws"], "nothing to say: name a WAV file or use --say"),
    ],
)
def test_a_wrong_command_line(elsewhere: Path, arguments: list[str], sentence: str) -> None:
    (elsewhere / "silence.wav").write_bytes(pcm16(tone(0.4) * 0))
    result = lobug("simulate", "--server", "http://127.0.0.1:9", *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_no_server(elsewhere: Path) -> None:
    result = lobug("simulate", "--server", "http://127.0.0.1:9", "--protocol", "ws", "hello.wav")
    assert result.exit_code == 3
    assert "no healthy Lo-Bug server" in result.stderr


def test_ctrl_c_ends_with_what_there_is(elsewhere: Path) -> None:
    with a_server(elsewhere) as url:
        command = subprocess.Popen(
            [
                *(sys.executable, "-m", "lobug", "simulate", "--protocol", "ws", "--json"),
                *("--server", url, "--no-discovery", "--devices", "2", "--max-turns", "99"),
                "hello.wav",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell's background job ignores it, and so would its children.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no locks
        )
        assert command.stdout is not None
        turn = json.loads(command.stdout.readline())
        command.send_signal(signal.SIGINT)
        output, errors = command.communicate(timeout=30)
    assert turn["event"] == "turn"
    assert command.returncode == 130
    assert json.loads(output.splitlines()[-1])["event"] == "summary"
    assert errors == ""


def test_a_damaged_state_file(elsewhere: Path) -> None:
    (elsewhere / "state.json").write_text("{")
    with a_server(elsewhere) as url:
        result = lobug(
            *(
                "simulate",
                "--server",
                url,
                "--protocol",
                "ws",
                "--discovery",
                "--state",
                "state.json",
            ),
            "hello.wav",
        )
    assert result.exit_code == 1
    assert "state.json is damaged" in result.stderr
