"""``lobug simulate``: a Core2 in software, for people without one and for CI."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lobug.cli.connection import own_secret, server_address
from lobug.cli.sentences import sentence
from lobug.cli.simulate.options import (
    FilesArgument,
    JsonOption,
    MotionOptions,
    Protocol,
    ProtocolOption,
    SeedOption,
    SoakOptions,
    StreamingOptions,
    TurnOptions,
)
from lobug.cli.terminal import EXIT_USAGE, CommandError, ServerOption, with_option_sets

if TYPE_CHECKING:
    from lobug.engines.base import TextToSpeech
    from lobug.simulator.recordings import Recording
    from lobug.simulator.runs import RunOptions

REPEAT_PAUSE_S = 3.0
"""Default pause between turns with --until: background memory work runs only while nobody talks."""


@with_option_sets
def simulate(
    context: typer.Context,
    *,
    files: FilesArgument = None,
    server: ServerOption = None,
    protocol: ProtocolOption = Protocol.http,
    turns: TurnOptions,
    motion: MotionOptions,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    streaming: StreamingOptions,
    soak: SoakOptions,
) -> None:
    """Simulate a device: speak, and check every reply.

    With --protocol http it behaves as the first firmware does, byte for byte: it checks health,
    reports its sensors every 5 s, and fails for a reply that this firmware could not use. With
    --protocol ws it is a device with the open firmware: it speaks in real time and measures by its
    own clock.

    The files are spoken first, then --say, then --text.

    Exit codes: 0 every turn worked; 1 a turn, a health check or a sensor report failed, or
    --until was not reached; 2 the command line or a recording is wrong; 3 the server is not
    healthy at the start, or no device could connect.
    """
    if soak.soak is not None or soak.real_time:
        from lobug.cli.simulate.soak import simulate_soak

        simulate_soak(context, soak, streaming.devices, seed, as_json=as_json)
        return
    options = _run_options(turns)
    if turns.until is not None and not (files or turns.say or turns.text):
        raise CommandError(sentence("simulate.until_alone"), code=EXIT_USAGE)
    if turns.device_id is not None and not turns.device_id.isascii():
        raise CommandError(sentence("simulate.device_id_ascii"), code=EXIT_USAGE)
    address = server_address(server)
    address = replace(address, token=own_secret(address.url))
    if protocol is Protocol.ws:
        from lobug.cli.simulate.streaming import StreamingSimulation, simulate_streaming

        if turns.text or motion.tap or motion.shake:
            raise CommandError(sentence("simulate.http_only"), code=EXIT_USAGE)
        simulation = StreamingSimulation(
            address, streaming, options, turns.timeout, turns.device_id, seed, as_json
        )
        simulate_streaming(simulation, asyncio.run(_recordings(files or [], turns.say or [])))
        return
    from lobug.cli.simulate.http import HttpSimulation, simulate_http

    streaming.refuse_for_http()
    recordings = asyncio.run(_recordings(files or [], turns.say or []))
    simulate_http(
        HttpSimulation(address, motion, options, turns.timeout, turns.device_id, seed, as_json),
        [*recordings, *(turns.text or [])],
    )


def _run_options(turns: TurnOptions) -> RunOptions:
    """What both protocols have. Raises CommandError."""
    from lobug.simulator.runs import RunOptions

    repeat_pause_s = REPEAT_PAUSE_S if turns.until is not None else 0.0
    return RunOptions(
        until=_pattern(turns.until),
        max_turns=turns.max_turns,
        pause_s=turns.pause if turns.pause is not None else repeat_pause_s,
        wait_s=turns.wait,
        idle_s=turns.idle,
        expect_speech=turns.expect_speech,
        expect_voice=turns.expect_voice,
        replies_dir=turns.replies_dir,
    )


def _pattern(until: str | None) -> re.Pattern[str] | None:
    if until is None:
        return None
    try:
        return re.compile(until, re.IGNORECASE)
    except re.error as error:
        raise CommandError(
            sentence("simulate.bad_pattern", pattern=repr(until), error=error), code=EXIT_USAGE
        ) from error


async def _recordings(files: Sequence[Path], say: Sequence[str]) -> list[Recording]:
    """Everything that is to be spoken, recorded before the first turn so that the times of turns
    do not include it. Raises CommandError."""
    from lobug.errors import AudioError
    from lobug.simulator.recordings import find_recordings, from_file, from_voice

    found: list[Recording] = []
    try:
        for path in find_recordings(files):
            try:
                found.append(await from_file(path))
            except (AudioError, OSError) as error:
                raise CommandError(
                    sentence("simulate.unreadable", path=path, error=error), code=EXIT_USAGE
                ) from error
    except ValueError as error:
        raise CommandError(str(error), code=EXIT_USAGE) from error
    if say:
        found += await from_voice(say, _voice())
    return found


def _voice() -> TextToSpeech:
    """The embedded voice, also where the settings give the server none."""
    from lobug.cli.effective_settings import load_settings
    from lobug.engines.selection import choose_tts

    settings = load_settings().settings
    tts = settings.tts.model_copy(update={"engine": "hibari"})
    voice, _why = choose_tts(settings.model_copy(update={"tts": tts}))
    return voice
