"""Check of Home Assistant: does it answer, does it take the token, is its certificate trusted?"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from lobug.diagnosis.findings import Finding, fail, ok
from lobug.diagnosis.sentences import sentence
from lobug.house.circuit import Fault
from lobug.settings import Settings

NAME = "home assistant"


def check_home(settings: Settings) -> Finding:
    """Ask Home Assistant, if the settings name one. Not to be called in an event loop."""
    if not settings.home.url:
        return ok(NAME, sentence("doctor.home_unused"))
    return asyncio.run(_ask(settings))


async def _ask(settings: Settings) -> Finding:
    from lobug.house.client import HomeClient, HomeError
    from lobug.house.registry import read_names
    from lobug.house.trust import fingerprint_of, seen_certificate
    from lobug.language.house import HouseNames

    home = settings.home
    client = HomeClient(home)
    try:
        await client.check(home.order_timeout_s)
        names = HouseNames.of(await read_names(home), most=home.max_names)
    except HomeError as error:
        advice = _advice(error.fault)
        if error.fault == "certificate":
            with suppress(OSError):
                seen = fingerprint_of(await asyncio.to_thread(seen_certificate, home.url))
                advice = f"{advice} {sentence('doctor.home_fingerprint', fingerprint=seen)}"
        return fail(NAME, sentence("doctor.home_fault", url=home.url, why=error), advice)
    finally:
        await client.close()
    return ok(NAME, sentence("doctor.home", url=home.url, count=len(names.names)))


def _advice(fault: Fault) -> str:
    match fault:
        case "unreachable":
            return sentence("doctor.home_unreachable_advice")
        case "slow":
            return sentence("doctor.home_slow_advice")
        case "refused":
            return sentence("doctor.home_refused_advice")
        case "unreadable":
            return sentence("doctor.home_unreadable_advice")
        case "certificate":
            return sentence("doctor.home_certificate_advice")
        case "names":
            return sentence("doctor.home_names_advice")
