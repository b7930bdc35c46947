"""The simulated device (firmware/host/sim): the firmware's own core, driven by a test."""

from __future__ import annotations

import json
import subprocess
import threading
import time
import traceback
import wave
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import httpx
import numpy as np
from numpy.typing import NDArray

from support import cpp_build
from support.wav import pcm16

PATIENCE_S = 30.0
"""Longest wait for one event, seconds, on a busy machine."""

BUFFERS_MS = 40
"""Two buffers of sound: longest delay of the device's sound that is no fault."""

Event = dict[str, Any]
Options = Mapping[str, str | Path | int | float | bool]


def simulator() -> Path:
    """Return the program, built if needed."""
    return cpp_build.build("checked", "lobug_sim") / "lobug_sim"


@dataclass
class FirmwareDevice:
    """A device. ``folder`` is what outlives its process; see firmware/host/sim/README.md for
    commands and events."""

    folder: Path
    options: Options
    program: Path
    events: list[Event] = field(default_factory=list)
    """All events since it was created, from all of its processes."""
    _process: subprocess.Popen[str] | None = None
    _news: threading.Condition = field(default_factory=threading.Condition)
    _reader: threading.Thread | None = None

    def power_on(self) -> None:
        """Start it."""
        arguments = [str(self.program), "--dir", str(self.folder)]
        for name, value in self.options.items():
            arguments += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "stderr.txt").open("a") as stderr:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )
        assert self._process.stdout is not None
        self._reader = threading.Thread(
            target=self._read, args=(self._process.stdout,), daemon=True
        )
        self._reader.start()

    def power_off(self) -> None:
        """Kill it, as a power cut does."""
        if self._process is not None:
            self._process.kill()
            self._ended()

    def quit(self) -> int:
        """Shut it down; return its exit code, which is not 0 if a sanitizer found something."""
        assert self._process is not None
        if self._process.poll() is None:
            self.do("quit")
        try:
            code = self._process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        finally:
            self._ended()
        return code

    def wait_until_off(self) -> int:
        """Wait until it has switched itself off; return its exit code."""
        assert self._process is not None
        code = self._process.wait(timeout=PATIENCE_S)
        self._ended()
        return code

    def do(self, command: str, **fields: object) -> None:
        """Send it a command."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": command, **fields}) + "\n")
        self._process.stdin.flush()

    def mark(self) -> int:
        """The number of events so far, for ``since``."""
        with self._news:
            return len(self.events)

    def since(self, mark: int, kind: str | None = None) -> list[Event]:
        """Return the events of one kind since then."""
        with self._news:
            return [e for e in self.events[mark:] if kind in (None, e["event"])]

    def wait(
        self,
        condition: Callable[[Event], object],
        since: int = 0,
        patience_s: float = PATIENCE_S,
        what: str = "an event",
    ) -> Event:
        """Wait for the first event after ``since`` that meets the condition; return it."""
        until = time.monotonic() + patience_s
        at = since
        with self._news:
            while True:
                while at < len(self.events):
                    if condition(self.events[at]):
                        return self.events[at]
                    at += 1
                left = until - time.monotonic()
                if left <= 0 or (self._process is not None and self._process.poll() is not None):
                    self._news.wait(0.2)  # what the reader still has
                    if at < len(self.events):
                        continue
                    raise AssertionError(f"never came: {what}\n{self._story()}")
                self._news.wait(min(left, 0.5))

    def wait_state(self, state: str, since: int = 0, patience_s: float = PATIENCE_S) -> Event:
        """Wait until it changes to this state."""
        return self.wait(
            lambda e: e["event"] == "state" and e["state"] == state, since, patience_s, state
        )

    def wait_view(
        self, name: str, value: object = None, since: int = 0, patience_s: float = PATIENCE_S
    ) -> Any:
        """Wait until the face shows this value, or any; return the value."""
        event = self.wait(
            lambda e: (
                e["event"] == "view"
                and (e.get(name) == value if value is not None else e.get(name))
            ),
            since,
            patience_s,
            f"{name} {value}",
        )
        return event[name]

    def wait_event(
        self, kind: str, since: int = 0, patience_s: float = PATIENCE_S, **fields: object
    ) -> Event:
        """Wait for an event of this kind with these fields."""
        return self.wait(
            lambda e: e["event"] == kind and all(e.get(k) == v for k, v in fields.items()),
            since,
            patience_s,
            f"{kind} {fields}",
        )

    def views(self, name: str, since: int = 0) -> list[Any]:
        """All values of one field of the face that were shown, in order."""
        return [e[name] for e in self.since(since, "view") if name in e]

    def states(self, since: int = 0) -> list[str]:
        """The states that it went through."""
        return [e["state"] for e in self.since(since, "state")]

    def stats(self) -> Event:
        """Its counters now."""
        mark = self.mark()
        self.do("stats")
        return self.wait_event("stats", mark)

    def say(self, samples: NDArray[np.float32], *, ms: int = 300, now: bool = False) -> None:
        """Play speech (16 kHz) to it, when it listens or at once, after a pause."""
        file = self.folder / f"said-{len(list(self.folder.glob('said-*')))}.wav"
        file.write_bytes(pcm16(samples))
        self.do("say", text=str(file), ms=ms, now=now)

    def sound(self) -> NDArray[np.int16]:
        """All that it has played so far, 16 kHz."""
        with wave.open(str(self.folder / "speaker.wav")) as file:
            assert file.getframerate() == 16_000
            return np.frombuffer(file.readframes(file.getnframes()), "<i2")

    def stored(self) -> dict[str, str]:
        """What it stores across restarts."""
        lines = (self.folder / "nvs.txt").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)

    def _read(self, stdout: IO[str]) -> None:
        for line in stdout:
            event = json.loads(line)
            with self._news:
                self.events.append(event)
                self._news.notify_all()
        with self._news:
            self._news.notify_all()

    def _ended(self) -> None:
        assert self._process is not None
        self._process.wait()
        if self._reader is not None:
            self._reader.join(5)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _story(self) -> str:
        lines = "\n".join(json.dumps(e) for e in self.events[-60:])
        stderr = (self.folder / "stderr.txt").read_text()[-4000:]
        return f"{lines}\n{stderr}"


@contextmanager
def firmware_device(
    folder: Path, **options: str | Path | int | float | bool
) -> Iterator[FirmwareDevice]:
    """Run a device; afterwards it must shut down cleanly, without a sanitizer's report."""
    device = FirmwareDevice(folder, options, simulator())
    device.power_on()
    try:
        yield device
    except BaseException:
        device.power_off()
        raise
    code = device.quit()
    said = (folder / "stderr.txt").read_text()
    assert (code, said) == (0, ""), said[-4000:]


def torn_or_lost(stats: Event) -> dict[str, int]:
    """What went wrong with the sound, by its name. A computer that did not let the device's sound
    have its turn for longer than its buffers last is no fault of the device."""
    names = ["torn", "lost", "uplink_lost"]
    if stats["audio_pause_ms"] < BUFFERS_MS:
        names += ["gaps", "microphone_lost"]
    return {name: stats[name] for name in names if stats[name]}


def approve(url: str, code: str, name: str = "Desk") -> None:
    """Approve the device that shows this code, as the owner."""
    answer = httpx.post(
        f"{url}/devices/approve",
        json={"code": code, "name": name},
        trust_env=False,
        timeout=30,
        verify=False,
    )
    assert answer.status_code == 200, answer.text


def pair(device: FirmwareDevice, url: str, since: int = 0) -> str:
    """Pair the device: it shows a code and is approved. Returns the code when it is ready."""
    code: str = device.wait_view("code", since=since)
    mark = device.mark()
    approve(url, code)
    device.wait_state("idle", mark)
    return code


def side_by_side(cases: Mapping[str, Callable[[], object]], at_once: int = 6) -> None:
    """Run cases that mostly wait, several at once; report all failures together."""
    with ThreadPoolExecutor(at_once) as pool:
        running = {name: pool.submit(case) for name, case in cases.items()}
    faults = {name: fault for name, done in running.items() if (fault := done.exception())}
    told = "\n\n".join(
        f"---- {name}\n{''.join(traceback.format_exception(fault)[-3:])}"
        for name, fault in faults.items()
    )
    assert not faults, f"{len(faults)} of {len(cases)}: {', '.join(faults)}\n{told}"
