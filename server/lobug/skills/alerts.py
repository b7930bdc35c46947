"""The skill of timers, alarms and reminders."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lobug.agenda.alerts import Alert, Alerts
from lobug.conversation.command_context import Command, CommandAnswer
from lobug.language.en.alert_cues import (
    asks_of_alerts,
    asks_what_is_left,
    is_next,
    is_soft,
    kinds_in,
    names_alerts,
    names_other_thing,
    points_back,
    sets_anew,
    shift_in,
)
from lobug.language.en.alert_reports import (
    all_question,
    cancelled_sentence,
    changed_sentence,
    left_sentence,
    list_sentence,
    none_sentence,
    unsettled_sentence,
    which_question,
)
from lobug.language.en.alert_requests import (
    name_in,
)
from lobug.language.en.alert_sentences import name_of, says
from lobug.language.en.requests import is_most_of
from lobug.language.en.time_corrections import with_minutes
from lobug.language.en.times import find_times, say_span
from lobug.language.moments import Found
from lobug.skills.alert_changes import changed
from lobug.skills.alert_selection import (
    Target,
    chosen,
    last_of,
    select,
    sharing_words,
    target_of,
)
from lobug.skills.alert_setting import KINDS, SKILL, AlertSetting
from lobug.skills.alert_times import Unsettled, settle, whens
from lobug.skills.skill import Match, Request, SkillQuestion

UNASKED = 3
"""As many alerts may be cancelled at once without a question."""
SNOOZE_S = 540.0
"""How long a snooze without a length lasts, seconds; nine minutes, as on alarm clocks."""

Handler = Callable[[Request, Match, list[Alert]], Awaitable[Command | None]]


class AlertSkill:
    """Sets, lists, changes and ends timers, alarms and reminders."""

    name = SKILL

    def __init__(self, alerts: Alerts, *, day_hour: int) -> None:
        """``day_hour``: the hour of a reminder for a day without a time."""
        self._alerts = alerts
        self._day_hour = day_hour
        self._setting = AlertSetting(alerts, day_hour=day_hour)
        self._handlers: Mapping[str, Callable[[Request, Match], Awaitable[Command | None]]] = {
            "ListAlerts": self._list,
            "TimeLeft": self._left,
            "Cancel": self._cancel,
            "Change": self._change,
            "Rename": self._rename,
            "Snooze": self._snooze,
            "SnoozeRinging": self._snooze,
            "StopRinging": self._stop,
            "Pause": self._pause,
        }

    def use_day_hour(self, day_hour: int) -> None:
        """From now on this is the hour of a reminder for a day without a time."""
        self._day_hour = day_hour
        self._setting.use_day_hour(day_hour)

    def unavailable(self) -> str | None:
        return None

    async def plan(self, request: Request, match: Match) -> Command | None:
        if match.intent in KINDS:
            return self._setting.plan(request, match)
        return await self._handlers[match.intent](request, match)

    async def answer(
        self, request: Request, question: SkillQuestion, *, agrees: bool | None
    ) -> Command | None:
        if question.data["do"] in {"set", "task"} and agrees is False:
            return request.say(says("refused"))
        if question.data["do"] == "set":
            return self._setting.answer(request, question)
        if question.data["do"] == "task":
            return None if agrees else self._setting.answer_task(request, question)
        if agrees is False:
            return request.say(says("left_alone_all"))
        ids: Any = question.data["ids"]
        alerts = [one for one in await self._alerts.of_user(request.user) if one.id in ids]
        if question.data["do"] == "cancel":
            return self._cancelling(request, alerts) if agrees else None
        target = Target(
            times=tuple(whens(find_times(request.text, bare_numbers=True))),
            several=asks_of_alerts(request.text) and agrees is None,
        )
        picked = chosen(alerts, request.text, target, request.now)
        match: Any = question.data["match"]
        if not picked:
            return None
        return await self._perform(request, match, picked)

    async def _perform(
        self, request: Request, match: Match, alerts: Sequence[Alert]
    ) -> Command | None:
        if match.intent == "Cancel":
            return self._cancelling(request, alerts)
        if match.intent == "Change":
            return self._changing(request, match, alerts[0])
        if match.intent == "Rename":
            return self._renaming(request, match, alerts[0])
        return request.say(left_sentence(alerts, request.now))

    async def _list(self, request: Request, match: Match) -> Command | None:
        target = target_of(match)
        kinds = target.kinds
        alerts = await self._alerts.of_user(request.user)
        found = select(alerts, replace(target, pointing=False), request.now, request.place)
        if is_next(match.request):
            found = found[:1]
        if not found and not names_alerts(match.request):
            return None  # "When do I get up?" may ask for what memory knows
        if not found and target.times:
            return request.say(says("none_then", what=says(f"{kinds[0]}s" if kinds else "alerts")))
        if not found and target.name:
            return request.say(none_sentence(kinds, target.name))
        return request.say(list_sentence(found, kinds, request.now))

    async def _left(self, request: Request, match: Match) -> Command | None:
        target = replace(target_of(match), pointing=False)
        alerts = await self._alerts.of_user(request.user)
        sure = names_alerts(request.text) or (
            asks_what_is_left(match.request) and is_most_of(match.request, request.text)
        )
        if not target.kinds:
            target = replace(target, kinds=("timer",) if not target.name else ())
        found = select(alerts, target, request.now, request.place)
        if not found:
            if not sure:
                return None
            return request.say(none_sentence(target.kinds or ("timer",), target.name))
        return request.say(left_sentence(found, request.now))

    async def _cancel(self, request: Request, match: Match) -> Command | None:
        target = target_of(match)
        alerts = await self._alerts.of_user(request.user)
        sure = names_alerts(request.text)
        found = select(alerts, target, request.now, request.place)
        if target.vague and points_back(match.request) and not target.several:
            return await self._cancel_that(request, match, found)
        if "about" in match.slots:
            found = sharing_words(found, match.slots["about"])
            sure = False
        if target.vague and target.several:
            found = alerts
            sure = bool(alerts)
        if not found:
            sure = sure and not is_soft(match.request)
            return request.say(none_sentence(target.kinds, target.name)) if sure else None
        ringing = [alert for alert in found if alert.state == "ringing"]
        if ringing and not target.several:
            return self._cancelling(request, ringing)
        if len(found) > 1 and not target.several:
            last = last_of(found, request.now.timestamp(), request.place)
            if target.pointing and last is not None:
                return self._cancelling(request, [last])
            return self._which(request, match, found)
        if len(found) > UNASKED:
            ids = [alert.id for alert in found]
            return request.ask(all_question(found), SKILL, {"do": "cancel", "ids": ids})
        return self._cancelling(request, found)

    async def _cancel_that(
        self, request: Request, match: Match, last: Sequence[Alert]
    ) -> Command | None:
        """Cancel "that": what the words before tell of, else what was set last (``last``). Asks
        where the last words were about something else."""
        before = request.text.partition(match.request)[0]
        other = names_other_thing(before)
        told = sharing_words(await self._alerts.of_user(request.user), before) if other else []
        if len(told) > 1:
            return self._which(request, match, told)
        if told or not last:
            return self._cancelling(request, told) if told else None
        (alert,) = last
        is_last_subject = request.follows == SKILL and not (other and alert.label)
        if alert.state == "ringing" or is_last_subject:
            return self._cancelling(request, last)
        question = says("meant", name=name_of(alert))
        return request.ask(question, SKILL, {"do": "cancel", "ids": [alert.id]})

    def _which(self, request: Request, match: Match, alerts: Sequence[Alert]) -> Command:
        ids = [alert.id for alert in alerts]
        return request.ask(
            which_question(alerts, request.now), SKILL, {"do": "which", "match": match, "ids": ids}
        )

    def _cancelling(self, request: Request, alerts: Sequence[Alert]) -> Command:
        async def act(_: int) -> CommandAnswer:
            gone = await self._alerts.cancel(request.user, [alert.id for alert in alerts])
            if not gone:
                return CommandAnswer((says("gone"),))
            if all(alert.state == "ringing" for alert in gone):
                return CommandAnswer((says("stopped"),))
            return CommandAnswer((cancelled_sentence(gone, request.now),))

        return Command(request.text, act)

    async def _change(self, request: Request, match: Match) -> Command | None:
        times = _times_of(match)
        if not times or ("follows" in match.slots and request.follows != SKILL):
            return None
        if sets_anew(match.request, times[-1]):
            kind = kinds_in(match.request)[0]
            return self._setting.plan(request, replace(match, intent=f"Set{kind.capitalize()}"))
        target = target_of(match, whens(times[:-1]) if match.times else ())
        alerts = await self._alerts.of_user(request.user)
        found = select(alerts, target, request.now, request.place)
        if not found:
            sure = names_alerts(request.text)
            return request.say(none_sentence(target.kinds, target.name)) if sure else None
        last = last_of(found, request.now.timestamp(), request.place)
        if len(found) > 1 and target.pointing and last is not None:
            found = [last]
        if len(found) > 1:
            return self._which(request, match, found)
        return self._changing(request, match, found[0])

    def _changing(self, request: Request, match: Match, alert: Alert) -> Command:
        said = match.request
        if alert.kind == "timer" and not match.times:
            said = with_minutes(said)
        times = match.times or tuple(find_times(said, bare_numbers=True))
        values = whens(times[-1:])
        words = said[times[-1].start : times[-1].end]
        result = changed(
            alert,
            values[-1],
            shift_in(said, times[-1]),
            request.now,
            day_hour=self._day_hour,
            words=words,
        )
        if isinstance(result, Unsettled):
            return request.say(unsettled_sentence(result.problem, result.words))
        return self._replacing(request, result, changed_sentence(result, request.now))

    def _replacing(self, request: Request, alert: Alert, said: str) -> Command:
        async def act(_: int) -> CommandAnswer:
            there = await self._alerts.replace(alert)
            return CommandAnswer((said if there else says("gone"),))

        return Command(request.text, act)

    async def _rename(self, request: Request, match: Match) -> Command | None:
        name = name_in(match.slots["more"])
        alerts = await self._alerts.of_user(request.user)
        target = target_of(replace(match, times=()))
        if not target.kinds:
            last = last_of(alerts, request.now.timestamp(), request.place)
            return None if last is None or not name else self._renaming(request, match, last)
        found = select(alerts, target, request.now, request.place)
        if not found or not name:
            sure = match.request.lower().startswith(("rename", "relabel", "change"))
            return request.say(none_sentence(target.kinds, target.name)) if sure else None
        if len(found) > 1:
            return self._which(request, match, found)
        return self._renaming(request, match, found[0])

    def _renaming(self, request: Request, match: Match, alert: Alert) -> Command:
        renamed = replace(alert, label=name_in(match.slots["more"]))
        said = says("renamed", kind=alert.kind, name=name_of(renamed))
        return self._replacing(request, renamed, said)

    async def _ringing(self, request: Request) -> list[Alert]:
        alerts = await self._alerts.of_user(request.user)
        return [alert for alert in alerts if alert.state == "ringing"]

    async def _snooze(self, request: Request, match: Match) -> Command | None:
        ringing = await self._ringing(request)
        if not ringing:
            sure = match.intent == "Snooze" and match.request.lower().startswith("snooze")
            return request.say(says("nothing_rings")) if sure else None
        times = match.times or tuple(find_times(match.request))
        at = request.now.timestamp() + SNOOZE_S
        if times:
            due = settle(times[0].value, request.now, "timer", day_hour=self._day_hour)
            if isinstance(due, Unsettled):
                return request.say(unsettled_sentence(due.problem, ""))
            at = due.at.timestamp()

        async def act(_: int) -> CommandAnswer:
            again = await self._alerts.snooze([alert.id for alert in ringing], at)
            if not again:
                return CommandAnswer((says("gone"),))
            span = say_span(round(at - request.now.timestamp()))
            return CommandAnswer((says("snoozed", span=span),))

        return Command(request.text, act)

    async def _stop(self, request: Request, _match: Match) -> Command | None:
        ringing = await self._ringing(request)
        if not ringing:
            return None

        async def act(_: int) -> CommandAnswer:
            await self._alerts.finish([alert.id for alert in ringing])
            return CommandAnswer((says("stopped"),))

        return Command(request.text, act)

    async def _pause(self, request: Request, match: Match) -> Command | None:
        kinds = kinds_in(match.request)
        return request.say(says("cannot_pause", kind=kinds[0] if kinds else "timer"))


def _times_of(match: Match) -> tuple[Found, ...]:
    """The times of a request, numbers alone included: "make that ten"."""
    return (
        match.times
        or tuple(find_times(match.request, bare_numbers=True))
        or tuple(find_times(with_minutes(match.request)))
    )
