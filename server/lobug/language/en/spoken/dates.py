"""Dates and times of day in words. English. Pure."""

from __future__ import annotations

import re

from lobug.language.en.lists import MONTHS, word_list
from lobug.language.en.spoken.numbers import (
    cardinal,
    decade,
    ordinal,
    year,
)

_MONTHS = MONTHS
_SHORT = {month[:3].lower(): month for month in _MONTHS} | {"sept": "September"}
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)}|(?:{'|'.join(m.title() for m in _SHORT)})\b\.?)"
_DAY = r"(?P<day>0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[12][0-9]{3})"
_END = r"(?![\w%°]|[-/:.,–][0-9])"

_ISO = re.compile(
    r"(?<![\w.,/-])(?P<year>[12][0-9]{3})[-/](?P<month>0[1-9]|1[0-2])[-/](?P<day>0[1-9]|[12][0-9]"
    r"|3[01])(?:[T ](?P<time>[0-2][0-9]:[0-5][0-9])(?::[0-5][0-9](?:\.[0-9]+)?)?(?P<zone>Z)?)?"
    r"(?![\w/-])"
)
_MONTH_FIRST = re.compile(rf"(?<!\w){_MONTH} {_DAY}(?:,? {_YEAR})?{_END}")
_DAY_FIRST = re.compile(
    rf"(?<![\w.,:/-])(?P<the>the )?{_DAY} (?:of )?{_MONTH}(?:,? {_YEAR})?{_END}"
)
_MONTH_YEAR = re.compile(rf"(?<!\w){_MONTH} {_YEAR}{_END}")
_NUMERIC = re.compile(
    r"(?<![\w.,/:-])([0-9]{1,2})(?P<sign>[/.])([0-9]{1,2})(?P=sign)([12][0-9]{3})(?![\w/]|\.[0-9])"
)
_DECADE = re.compile(
    r"(?<![\w.,$€£])([12][0-9]{2}0)['\u2019]?s\b|(?<!\w)['\u2019]([2-9]0)s\b"
    r"|(?<=\b[Tt]he )([2-9]0)s\b|(?<=(?:arly|late|Late) )([2-9]0)s\b|(?<=[mM]id-)([2-9]0)s\b"
)
_CENTURY_YEARS = re.compile(
    r"(?<![\w.,])([12][0-9]{3})(?:\s?[-–]\s?)([12][0-9]{3}|[0-9]{2})(?![\w%]|[.,][0-9])"
)
_BEFORE_YEAR = word_list("spoken_dates", "before_year")
_COUNTED = (
    r"\s(?:(?!is\b|was\b|as\b|has\b|this\b|its\b|does\b)[a-z]+s|people|children|feet|dollars?|euros?"
    r"|km|m|cm|mm|kg|g|mg|lb|ft|mi|mph|ml|l|kcal|cal|rpm|[kMG]?Hz|[kKMGT]B|k?W|k?Wh|mAh|USD|EUR)\b"
)
"""What follows a number that counts something and is therefore no year."""
_IN_YEAR = re.compile(
    rf"(?<!\w)(?P<before>(?:{'|'.join(_BEFORE_YEAR)})\s)(?P<year>1[1-9][0-9]{{2}}|20[0-9]{{2}})"
    rf"(?![\w%°]|[.,:/-][0-9]|{_COUNTED})",
    re.IGNORECASE,
)
_ALONE_YEAR = re.compile(
    r"(?<![\w.,$€£#:/+-])(19[0-9]{2}|20[0-9]{2})"
    rf"(?![\w%°]|[.,:/-][0-9]|\s?[-+*/=×]|\s[°%$€£]|{_COUNTED})"
)

_HALF_DAY = r"(?P<half>[aApP])\.?\s?[mM]\b(?P<stop>\.?)"
_CLOCK = re.compile(
    r"(?<![\w:.,/])(?P<hour>[01]?[0-9]|2[0-4]):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9]))?"
    rf"(?:\s?{_HALF_DAY})?(?!:[0-9]|[0-9])"
)
_HOUR = re.compile(rf"(?<![\w:.,/])(?P<hour>0?[1-9]|1[0-2])\s?{_HALF_DAY}")
_HOUR_RANGE = re.compile(
    r"(?<![\w:.,/])([0-9]{1,2}(?::[0-5][0-9])?)\s?[-–]\s?(?=[0-9]{1,2}(?::[0-5][0-9])?\s?[aApP]"
    r"\.?[mM]\b)|(?<![\w:.,/])([0-9]{1,2}:[0-5][0-9])\s?[-–]\s?(?=[0-9]{1,2}:[0-5][0-9])"
)


def read_dates(text: str) -> str:
    """Dates, years and decades in words."""
    text = _ISO.sub(_iso, text)
    text = _NUMERIC.sub(_numeric, text)
    text = _MONTH_FIRST.sub(lambda m: _date(m["month"], m["day"], m["year"]), text)
    text = _DAY_FIRST.sub(_day_first, text)
    text = _MONTH_YEAR.sub(lambda m: f"{_month(m['month'])} {year(int(m['year']))}", text)
    text = _DECADE.sub(lambda m: decade(int(m[m.lastindex or 0])), text)
    text = _CENTURY_YEARS.sub(_years, text)
    text = _IN_YEAR.sub(lambda m: m["before"] + year(int(m["year"])), text)
    return _ALONE_YEAR.sub(lambda m: year(int(m[1])), text)


def read_times(text: str) -> str:
    """Times of day in words: "3:45 pm" is "three forty-five PM"."""
    text = _HOUR_RANGE.sub(lambda m: f"{m[1] or m[2]} to ", text)
    text = _CLOCK.sub(_clock, text)
    return _HOUR.sub(lambda m: cardinal(int(m["hour"])) + _half(m), text)


def _month(name: str) -> str:
    return _SHORT.get(name.rstrip(".").lower(), name)


def _date(month: str, day: str, in_year: str | None) -> str:
    words = f"{_month(month)} {ordinal(int(day))}"
    return f"{words}, {year(int(in_year))}" if in_year else words


def _day_first(match: re.Match[str]) -> str:
    words = f"the {ordinal(int(match['day']))} of {_month(match['month'])}"
    return f"{words}, {year(int(match['year']))}" if match["year"] else words


def _iso(match: re.Match[str]) -> str:
    words = _date(_MONTHS[int(match["month"]) - 1], match["day"], match["year"])
    time = f" at {match['time']}" if match["time"] else ""
    return words + time + (" UTC" if match["zone"] else "")


def _numeric(match: re.Match[str]) -> str:
    """A date of numbers. The day comes first if full stops separate them, as in Germany, or if the
    first number is no month."""
    first, second = int(match[1]), int(match[3])
    day_first = match["sign"] == "." or first > 12
    month, day = (second, first) if day_first else (first, second)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return match.group()
    return _date(_MONTHS[month - 1], str(day), match[4])


def _years(match: re.Match[str]) -> str:
    first, second = match[1], match[2]
    last = cardinal(int(second)) if len(second) == 2 else year(int(second))
    return f"{year(int(first))} to {last}"


def _clock(match: re.Match[str]) -> str:
    hour, minute = int(match["hour"]), int(match["minute"])
    if minute:
        words = f"{cardinal(hour)} {'oh ' if minute < 10 else ''}{cardinal(minute)}"
    elif match["half"]:
        words = cardinal(hour)
    elif 1 <= hour <= 12:
        words = f"{cardinal(hour)} o'clock"
    else:
        words = "midnight" if hour in (0, 24) else f"{cardinal(hour)} hundred"
    if match["second"]:
        words += f" and {cardinal(int(match['second']))} seconds"
    return words + _half(match)


def _half(match: re.Match[str]) -> str:
    """AM or PM, with its full stop where that ends the sentence too."""
    if not match["half"]:
        return ""
    ends = bool(match["stop"]) and not match.string[match.end() :].strip("\"'”’) ")
    return f" {match['half'].upper()}M{'.' if ends else ''}"
