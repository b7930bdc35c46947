"""Announcements: a text that is said on devices now, or waits for its people."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lobug.agenda.schedule import Chime, Said, Schedule
from lobug.agenda.waiting_speech import WaitingSpeeches
from lobug.devices.unasked_speech import Sessions, UnaskedSession, VoicedSpeech, voiced
from lobug.engines.base import TextToSpeech
from lobug.errors import DeviceOfflineError, QuietHoursError
from lobug.language.en.segmentation import split_sentences
from lobug.quota import Claimant, Quota, QuotaLedger

PATIENCE_S = 120.0
"""Seconds within which a device must have said it; it may have to wait for a long reply."""


@dataclass(frozen=True, slots=True)
class Audience:
    """To whom something is said."""

    users: frozenset[str]
    conversation: str | None = None
    """Only on the device of this conversation; None: on all devices of the users."""


@dataclass(frozen=True, slots=True)
class Announced:
    """What became of an announcement."""

    said_on: frozenset[str]
    """Devices that have played it."""
    waits_for: frozenset[str]
    """Users for whom it waits."""


class Announcements:
    """Says announcements. One for each server."""

    def __init__(
        self,
        connections: Sessions,
        schedule: Schedule,
        waiting: WaitingSpeeches,
        tts: TextToSpeech,
        speed_for: Callable[[str], float],
        quota: Quota,
        *,
        wall: Callable[[], float],
    ) -> None:
        """``speed_for`` gives how fast to speak to a user, times the voice's own speed. ``quota``:
        how many may be under way. ``wall``: seconds since the epoch."""
        self._connections = connections
        self._schedule = schedule
        self._waiting = waiting
        self._tts = tts
        self._speed_for = speed_for
        self._under_way = QuotaLedger(quota, "announcements")
        self._wall = wall

    async def announce(
        self,
        text: str,
        audience: Audience,
        claimant: Claimant,
        *,
        chime: Chime,
        wait: bool,
        expires_s: float | None,
    ) -> Announced:
        """Say a text, or let it wait. ``expires_s``: after so many seconds it waits no longer.

        Raises DeviceOfflineError or QuietHoursError when nobody hears it and it may not wait,
        TooManyRequestsError when too many are under way or wait, BusyError, StorageError.
        """
        refusal = self._under_way.refusal(claimant)
        if refusal is not None:
            raise refusal
        self._under_way.take(claimant)
        try:
            quiet = frozenset(user for user in audience.users if self._schedule.is_quiet(user))
            sessions = [one for one in self._connections.sessions() if _is_meant(one, audience)]
            loud = [one for one in sessions if _user(one) not in quiet]
            speeches = await self._voiced(text, chime, [_user(one) for one in loud])
            said = await asyncio.gather(*(_say(one, speeches[_user(one)]) for one in loud))
            heard = [one for one, outcome in zip(loud, said, strict=True) if outcome.heard]
            missing = audience.users - {_user(one) for one in heard}
            if not heard and not wait:
                if quiet:
                    raise QuietHoursError("it is in the quiet hours")
                raise DeviceOfflineError("no device of the audience could say it")
            if not wait:
                missing = frozenset()
            for user in sorted(missing):
                await self._waiting.announce(
                    user,
                    text,
                    conversation=audience.conversation,
                    expires_at=None if expires_s is None else self._wall() + expires_s,
                )
            return Announced(frozenset(one.device for one in heard), missing)
        finally:
            self._under_way.give_back(claimant)

    async def _voiced(
        self, text: str, chime: Chime, users: Sequence[str]
    ) -> dict[str, VoicedSpeech]:
        """A text as each user wants it spoken, made once for each speed."""
        speeds = {user: self._speed_for(user) for user in users}
        sentences = split_sentences(text) or [text]
        by_speed = {
            speed: await voiced(sentences, chime, self._tts, speed=speed)
            for speed in set(speeds.values())
        }
        return {user: by_speed[speed] for user, speed in speeds.items()}


def _user(session: UnaskedSession) -> str:
    return session.conversation_key.user


async def _say(session: UnaskedSession, speech: VoicedSpeech) -> Said:
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await session.say_unasked(speech)
    except TimeoutError:
        return Said()


def _is_meant(session: UnaskedSession, audience: Audience) -> bool:
    key = session.conversation_key
    if audience.conversation is not None:
        return key.conversation == audience.conversation
    return key.user in audience.users
