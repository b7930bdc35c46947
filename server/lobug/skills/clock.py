"""The time, the date and the calendar, here and elsewhere."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping
from datetime import MAXYEAR, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from lobug.language.en.clock_questions import asks_whether_over, is_elsewhere, named_place
from lobug.language.en.data import MONTHS, WEEKDAYS
from lobug.language.en.named_days import is_in_part, is_named, read_day, read_moment, read_shift
from lobug.language.en.place_mentions import mentioned_place
from lobug.language.en.places import Place, read_place, write_place
from lobug.language.en.times import say_date, say_span, say_time
from lobug.language.instants import resolve
from lobug.language.moments import Impossible, ImpossibleReason, Moment
from lobug.skills.calendar_days import date_of, distance
from lobug.skills.skill import Command, Match, Request, SkillQuestion

_DAY_S = 86_400
_HALF_DAY_S = 43_200


class Clock:
    """The skill ``clock``."""

    name = "clock"

    def unavailable(self) -> str | None:
        return None

    async def plan(self, request: Request, match: Match) -> Command | None:
        plans: Mapping[str, Callable[[Request, Match], Command | None]] = {
            "Time": _time,
            "TimeThere": _time_there,
            "TimeWhere": _time_where,
            "Gone": _gone,
            "PartThere": _part_there,
            "TimeAt": _time_at,
            "Date": _date,
            "DateThere": _date_there,
            "Month": _month,
            "Year": lambda request, _: _says(request, "year", year=request.now.year),
            "LeapYear": _leap_year,
            "Week": lambda request, _: _says(request, "week", week=request.now.isocalendar().week),
            "DateOf": _date_of,
            "Until": _until,
            "LeftOf": _left_of,
            "Since": _since,
            "Between": _between,
            "Difference": _difference,
            "Zone": _zone,
        }
        plan = plans.get(match.intent)
        return None if plan is None else plan(request, match)

    async def answer(
        self, request: Request, question: SkillQuestion, *, agrees: bool | None
    ) -> Command | None:
        words = named_place(request.text)
        if not read_place(words):
            return None
        return _time_there(request, Match(self.name, "TimeThere", {"place": words}))


def _says(request: Request, phrase: str, **values: object) -> Command:
    amount = str(values.get("amount", ""))
    values["Amount"] = amount[:1].upper() + amount[1:]
    return request.say(request.phrase(Clock.name, phrase, **values))


def _clock_time(instant: datetime) -> str:
    return say_time(instant.time().replace(second=0, microsecond=0, tzinfo=None))


def _time(request: Request, match: Match) -> Command | None:
    asked = request.text if match.chosen else match.request
    if is_elsewhere(asked):
        # Never the time here where somebody asks for the time elsewhere.
        place = mentioned_place(request.text)
        there = Match(match.skill, "TimeThere", {"place": place or ""}, match.request)
        return _time_there(request, there) if place else _time_where(request, match)
    return _says(request, "time", time=_clock_time(request.now))


def _place_words(match: Match) -> str:
    return match.slots.get("place") or match.slots.get("city") or ""


def _there(now: datetime, place: Place) -> datetime:
    return now.astimezone(ZoneInfo(place.zone))


def _time_there(request: Request, match: Match) -> Command | None:
    words = _place_words(match)
    shift = read_shift(f"in {words}") if words else None
    if shift is not None:  # "what time is it in three hours"
        return _then(request, shift)
    places = read_place(words)
    if not words:
        return None
    if not places:
        return _says(request, "unknown_place", place=write_place(words))
    if len(places) == 1:
        return _told_there(request, "time_there", places[0])
    times = [
        request.phrase(
            Clock.name,
            "one_of_several",
            time=_clock_time(_there(request.now, place)),
            place=place.name,
        )
        for place in places
    ]
    return _says(request, "several", times=f"{', '.join(times[:-1])} and {times[-1]}")


def _time_where(request: Request, _: Match) -> Command:
    """Asks for the place, which was not named or is not known."""
    question = request.phrase(Clock.name, "which_place")
    return request.ask(question, Clock.name, {})


def _gone(request: Request, match: Match) -> Command | None:
    """Tell whether a time of day is over; of two that are possible the nearest is meant."""
    how = match.slots.get("how", "")
    moment = read_moment(f"at {match.slots.get('when', '')}")
    if moment is None or moment.time is None:
        return None
    asks_over = asks_whether_over(how)
    if asks_over is None:
        return _time(request, match)
    seconds = (
        (request.now.hour - moment.time.hour) * 60 + request.now.minute - moment.time.minute
    ) * 60 + request.now.second
    cycle = _HALF_DAY_S if moment.time.ambiguous else _DAY_S
    over = (seconds + cycle // 2) % cycle >= cycle // 2
    yes = over if asks_over else not over
    return _says(request, "gone_yes" if yes else "gone_no", time=_clock_time(request.now))


def _told_there(request: Request, phrase: str, place: Place) -> Command:
    there = _there(request.now, place)
    values = {"time": _clock_time(there), "place": place.name}
    if there.date() == request.now.date():
        return _says(request, phrase, **values)
    return _says(request, f"{phrase}_day", weekday=WEEKDAYS[there.weekday()], **values)


def _part_there(request: Request, match: Match) -> Command | None:
    places = read_place(_place_words(match))
    if not places:
        return None
    if len(places) > 1:
        return _time_there(request, match)
    so = is_in_part(_there(request.now, places[0]).hour, match.slots.get("part", ""))
    if so is None:
        return None
    return _told_there(request, "part_yes" if so else "part_no", places[0])


def _time_at(request: Request, match: Match) -> Command | None:
    shift = read_shift(match.slots.get("shift", ""))
    return None if shift is None else _then(request, shift)


def _then(request: Request, shift: Moment) -> Command:
    if shift.elapsed is None:
        return _says(request, "too_far")
    seconds = shift.elapsed.seconds
    try:
        # Across a change of the clocks: elapsed time is counted in UTC by ``timestamp``.
        instant = datetime.fromtimestamp(request.now.timestamp() + seconds, request.now.tzinfo)
    except (OverflowError, ValueError, OSError):
        return _says(request, "too_far")
    phrase = "time_was" if seconds < 0 else "time_then"
    days = (instant.date() - request.now.date()).days
    if days == 0:
        return _says(request, phrase, time=_clock_time(instant))
    day = say_date(instant.date(), request.now.date())
    weekday = WEEKDAYS[instant.weekday()] if abs(days) < 7 else day
    return _says(request, f"{phrase}_day", time=_clock_time(instant), weekday=weekday)


def _date(request: Request, match: Match) -> Command:
    today = request.now.date()
    asked = [name for name in WEEKDAYS if name.lower() in match.request.lower()]
    phrase = "date"
    if len(asked) == 1 and match.intent == "Date":
        phrase = "date_yes" if WEEKDAYS[today.weekday()] in asked else "date_no"
    return _says(request, phrase, date=say_date(today, today))


def _date_there(request: Request, match: Match) -> Command | None:
    places = read_place(_place_words(match))
    if not places:
        return None
    there = _there(request.now, places[0]).date()
    said = say_date(there, request.now.date())
    return _says(request, "date_there", date=said, place=places[0].name)


def _month(request: Request, _: Match) -> Command:
    return _says(request, "month", month=MONTHS[request.now.month - 1])


def _leap_year(request: Request, match: Match) -> Command | None:
    year = request.now.year
    if "next" in match.request.lower():
        following = next(one for one in range(year + 1, year + 9) if calendar.isleap(one))
        return _says(request, "next_leap_year", year=following)
    asked = match.slots.get("year", str(year))
    if not asked.isdigit() or not 1 <= int(asked) <= 9999:
        return None
    leap = calendar.isleap(int(asked))
    return _says(request, "leap_year" if leap else "no_leap_year", year=int(asked))


def _impossible(request: Request, found: Impossible) -> Command:
    far = found.reason is ImpossibleReason.TOO_FAR
    return _says(request, "too_far" if far else "no_such_date")


def _date_of(request: Request, match: Match) -> Command | None:
    words = match.slots.get("day", "")
    moment = read_day(words)
    if moment is None:
        return None
    lower = f" {match.request.lower()} "
    past = " was " in lower or " did " in lower
    now = request.now
    if " next year " in lower and now.year < MAXYEAR:
        now = now.replace(year=now.year + 1, month=1, day=1)
    found = date_of(moment, now, past=past and "yesterday" not in words)
    if isinstance(found, Impossible):
        return _impossible(request, found)
    said = say_date(found, request.now.date())
    days = (found - request.now.date()).days
    asked = [name for name in WEEKDAYS if f" {name.lower()} " in lower.replace(words.lower(), "")]
    if asked and lower.split(maxsplit=1)[0] in {"is", "does", "will"}:
        return _says(
            request, "falls_yes" if WEEKDAYS[found.weekday()] in asked else "falls_no", date=said
        )
    if days in (-1, 0, 1):
        return _says(request, ("yesterday", "today", "tomorrow")[days + 1], date=said)
    was = "_was" if days < 0 else ""
    if is_named(moment, words):
        day = words[:1].upper() + words[1:]
        return _says(request, f"named_date{was}", Day=day, date=said)
    return _says(request, "date_was" if days < 0 else "date_of", date=said)


def _amount(days: int, unit: str) -> str:
    """A number of days in the unit that was asked for."""
    if unit in {"weeks", "week"} and days >= 7:
        weeks, rest = divmod(days, 7)
        return _counted(weeks, "week") + (f" and {_counted(rest, 'day')}" if rest else "")
    if unit in {"months", "month"} and days >= 30:
        months = round(days / 30.44)
        return f"about {_counted(months, 'month')}"
    if unit in {"years", "year"} and days >= 365:
        return f"about {_counted(round(days / 365.25), 'year')}"
    if unit in {"sleeps", "nights"}:
        return _counted(days, unit[:-1])
    return _counted(days, "day")


def _counted(count: int, unit: str) -> str:
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


def _until(request: Request, match: Match) -> Command | None:
    moment = read_moment(match.slots.get("when", ""))
    if moment is None:
        return None
    unit = match.slots.get("unit", "days").lower()
    today = request.now.date()
    if moment.time is not None or unit in {"hours", "minutes", "seconds"}:
        return _until_time(request, moment, unit)
    found = distance(moment, request.now)
    if isinstance(found, Impossible):
        return _impossible(request, found)
    said = say_date(found.day, today)
    if found.days in (0, 1, -1):
        phrase = ("yesterday", "today", "tomorrow")[found.days + 1]
        return _says(request, phrase, date=said)
    phrase = "until" if found.days > 0 else "until_passed"
    return _says(request, phrase, amount=_amount(abs(found.days), unit), date=said)


def _until_time(request: Request, moment: Moment, unit: str) -> Command:
    now = request.now
    if moment.time is None:
        day = date_of(moment, now)
        if isinstance(day, Impossible):
            return _impossible(request, day)
        instant = datetime.combine(day, time(), now.tzinfo)
    else:
        resolved = resolve(moment, now)
        if isinstance(resolved, Impossible):
            return _impossible(request, resolved)
        instant = resolved.instant
    seconds = instant.timestamp() - now.timestamp()
    if seconds < 0:
        return _says(request, "no_such_date")
    sizes = {"hours": 3600, "minutes": 60, "seconds": 1}
    if unit in sizes and seconds >= _DAY_S:
        amount = _counted(round(seconds / sizes[unit]), unit[:-1])
    else:
        amount = say_span(seconds)
    return _says(request, "until_time", amount=amount)


def _left_of(request: Request, match: Match) -> Command | None:
    today = request.now.date()
    words = match.request.lower()
    if "year" in words.split() or "year" in words.rsplit(" ", 1)[-1]:
        last = date(today.year, 12, 31)
    elif "month" in words.split():
        last = today.replace(day=calendar.monthrange(today.year, today.month)[1])
    else:
        last = today + timedelta(days=6 - today.weekday())
    unit = match.slots.get("unit", "days").lower()
    return _says(request, "left", amount=_amount((last - today).days, unit))


def _since(request: Request, match: Match) -> Command | None:
    moment = read_moment(match.slots.get("when", ""))
    if moment is None:
        return None
    found = distance(moment, request.now, past=moment.elapsed is None)
    if isinstance(found, Impossible):
        return _impossible(request, found)
    said = say_date(found.day, request.now.date())
    if found.days in (0, 1, -1):
        return _says(request, ("yesterday", "today", "tomorrow")[found.days + 1], date=said)
    far = "years" if abs(found.days) >= 2 * 365 else "days"
    amount = _amount(abs(found.days), match.slots.get("unit", far).lower())
    return _says(request, "since" if found.days < 0 else "until", amount=amount, date=said)


def _between(request: Request, match: Match) -> Command | None:
    first, second = read_day(match.slots.get("day", "")), read_day(match.slots.get("day2", ""))
    if first is None or second is None:
        return None
    start, end = date_of(first, request.now), date_of(second, request.now)
    if isinstance(start, Impossible):
        return _impossible(request, start)
    if isinstance(end, Impossible):
        return _impossible(request, end)
    days = abs((end - start).days)
    amount = _amount(days, match.slots.get("unit", "days").lower())
    return _says(request, "amount", amount=amount)


def _difference(request: Request, match: Match) -> Command | None:
    places = read_place(match.slots.get("other_city", ""))
    others = read_place(match.slots.get("city", "")) if "city" in match.slots else ()
    if len(places) != 1 or len(others) > 1 or ("city" in match.slots and not others):
        return None
    here = _there(request.now, others[0]) if others else request.now
    ahead = (_there(request.now, places[0]).utcoffset() or timedelta()) - (
        here.utcoffset() or timedelta()
    )
    amount = say_span(abs(ahead.total_seconds()))
    values = {"place": places[0].name, "amount": amount}
    if others:
        phrase = "difference_ahead" if ahead > timedelta() else "difference_behind"
        phrase = phrase if ahead else "no_difference"
        return _says(request, phrase, other=others[0].name, **values)
    phrase = "ahead_of_us" if ahead > timedelta() else "behind_us"
    return _says(request, phrase if ahead else "same_as_us", **values)


def _zone(request: Request, match: Match) -> Command | None:
    if "city" not in match.slots:
        zone = getattr(request.now.tzinfo, "key", None) or request.now.tzname() or "UTC"
        return _says(request, "zone", zone=zone.rpartition("/")[2].replace("_", " "))
    places = read_place(match.slots["city"])
    if len(places) != 1:
        return None
    there = _there(request.now, places[0])
    hours = (there.utcoffset() or timedelta()).total_seconds() / 3600
    sign = "plus" if hours >= 0 else "minus"
    offset = f"UTC {sign} {abs(hours):g}" if hours else "UTC"
    name = places[0].zone.rpartition("/")[2].replace("_", " ")
    return _says(request, "zone_of", place=places[0].name, zone=name, offset=offset)
