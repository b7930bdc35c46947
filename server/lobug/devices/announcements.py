"""Announcements: a text that is said on devices now, or waits for its people."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace

from lobug.agenda.schedule import Chime, Said, Schedule
from lobug.agenda.waiting_speech import WaitingSpeeches
from lobug.devices.unasked_speech import (
    OtherDevices,
    Sessions,
    UnaskedSession,
    VoicedSpeech,
    voiced,
)
from lobug.engines.base import TextToSpeech
from lobug.errors import (
    DeviceOfflineError,
    QuietHoursError,
    StorageError,
    TooManyRequestsError,
)
from lobug.language.en.segmentation import split_sentences
from lobug.memory.model import ConversationKey
from lobug.quota import Claimant, Quota, QuotaLedger

log = logging.getLogger(__name__)

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
        elsewhere: OtherDevices,
        schedule: Schedule,
        waiting: WaitingSpeeches,
        tts: TextToSpeech,
        speed_for: Callable[[str], float],
        quota: Quota,
        *,
        wall: Callable[[], float],
    ) -> None:
        """``elsewhere``: the devices of other servers. ``speed_for`` gives how fast to speak to a
        user, times the voice's own speed. ``quota``: how many may be under way. ``wall``: seconds
        since the epoch."""
        self._connections = connections
        self._elsewhere = elsewhere
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
        """Say a text, or let it wait. ``expires_s``: after so many seconds it waits no longer. For
        devices at other servers it waits in any case: those servers say it soon, if they can.

        Raises DeviceOfflineError or QuietHoursError when nobody hears it and it may not wait,
        TooManyRequestsError when too many are under way or wait, BusyError, StorageError.
        """
        refusal = self._under_way.refusal(claimant)
        if refusal is not None:
            raise refusal
        self._under_way.take(claimant)
        try:
            quiet = frozenset(user for user in audience.users if self._schedule.is_quiet(user))
            loud_audience = replace(audience, users=audience.users - quiet)
            sessions = self._connections.sessions()
            loud = [one for one in sessions if _is_meant(one.conversation_key, loud_audience)]
            # Who has no device here hears it elsewhere or, if that fails, later.
            away = loud_audience.users - {_user(one) for one in loud}
            lasting = away if wait else frozenset()
            speeches = await self._voiced(text, chime, [_user(one) for one in loud])
            passing_on = asyncio.ensure_future(
                self._pass_on(text, loud_audience, lasting, expires_s)
            )
            try:
                said = await asyncio.gather(*(_say(one, speeches[_user(one)]) for one in loud))
                heard = [one for one, outcome in zip(loud, said, strict=True) if outcome.heard]
                elsewhere = await _passed_on(passing_on, spoken=bool(heard))
            finally:
                if not passing_on.cancel() and not passing_on.cancelled():
                    passing_on.exception()  # else asyncio reports that nobody has looked at it
            if not heard and not elsewhere and not wait:
                if quiet:
                    raise QuietHoursError("it is in the quiet hours")
                raise DeviceOfflineError("no device of the audience could say it")
            missing = audience.users - {_user(one) for one in heard} - (elsewhere & away)
            if not wait:
                missing = frozenset()
            for user in sorted(missing):
                expires_at = None if expires_s is None else self._wall() + expires_s
                await self._waiting.announce(user, text, {audience.conversation: expires_at})
            return Announced(frozenset(one.device for one in heard), missing | elsewhere)
        finally:
            self._under_way.give_back(claimant)

    async def _pass_on(
        self, text: str, audience: Audience, lasting: Set[str], expires_s: float | None
    ) -> frozenset[str]:
        """Let a text wait for each device of the audience that is connected to another server.
        Returns their users. ``lasting``: users for whom one of them is to wait for as long as it
        may, rather than as long as it is news. Raises StorageError, and TooManyRequestsError when
        it could be passed on to nobody."""
        places: dict[str, list[str]] = {}
        for key in (await self._elsewhere.conversations()).values():
            if _is_meant(key, audience):
                places.setdefault(key.user, []).append(key.conversation)
        refusals: dict[str, TooManyRequestsError] = {}
        for user, conversations in sorted(places.items()):
            now = self._wall()
            news_s = PATIENCE_S if expires_s is None else min(expires_s, PATIENCE_S)
            expires_at: dict[str | None, float | None] = dict.fromkeys(conversations, now + news_s)
            if user in lasting:
                expires_at[conversations[0]] = None if expires_s is None else now + expires_s
            try:
                await self._waiting.announce(user, text, expires_at)
            except TooManyRequestsError as error:
                refusals[user] = error
        passed_on = places.keys() - refusals.keys()
        if refusals and not passed_on:
            raise next(iter(refusals.values()))
        return frozenset(passed_on)

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


async def _passed_on(passing_on: asyncio.Future[frozenset[str]], *, spoken: bool) -> frozenset[str]:
    """To whom it was passed on. Who has heard it must not hear it again because a caller repeats
    what has failed in part: a failure counts only if nothing was ``spoken``."""
    try:
        return await passing_on
    except (StorageError, TooManyRequestsError) as error:
        if not spoken:
            raise
        log.warning("an announcement was said here, but not passed on: %s", error.code)
        return frozenset()


def _is_meant(key: ConversationKey, audience: Audience) -> bool:
    if key.user not in audience.users:
        return False
    return audience.conversation in {None, key.conversation}
