"""The text that the voice reads: numbers, dates, addresses and signs in words. English. Pure.

A chat model writes for the eye, "at 3:45 pm it is -3 °C", and voices read that badly or not at
all. Captions keep the written form. Acronyms stay in capitals, "USB", "NASA": the voice knows
better which of them is a word.
"""

from __future__ import annotations

import re

from lobug.language.en.data import MONTHS, word_list, word_map, word_set
from lobug.language.en.spoken_numbers import cardinal, decade, ordinal, read_quantities, roman, year
from lobug.language.text import drop_pictures, tidy_spaces


def spoken_form(text: str) -> str:
    """``text``, a piece of a reply without markup, as a person would read it, on one line; never
    empty when it holds a letter."""
    text = drop_pictures(text)
    text = read_addresses(text)
    text = read_dates(text)
    text = read_times(text)
    text = read_versions(text)
    text = read_abbreviations(text)
    text = read_quantities(text)
    return tidy_spaces(read_signs(text))


_ENDINGS = word_list("spoken_form", "endings")
"""Endings of hosts that may be written without "www". With more of them "end.So" would be one."""
_FILES = word_list("spoken_form", "files")
_SPELLED = word_set("spoken_form", "spelled")
"""Endings that are no words: the voice reads them letter by letter, as capitals."""
_LONGEST_PATH = 30
"""Characters of a path that a listener follows; of a longer one only the host is read."""
_PATH_SIGNS = {"-": "dash", "_": "underscore", ".": "dot", "~": "tilde", "+": "plus"}

_HOST = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,62})(?:\.[a-zA-Z0-9-]{1,63}){0,6}"
_TAIL = r"(?::(?P<port>[0-9]{1,5}))?(?P<path>[/?#][^\s<>\"'()\[\]]*[^\s<>\"'()\[\].,!?;:]|/)?"
_URL = re.compile(
    rf"(?<![\w@.])(?:(?:https?|ftp|wss?)://|www\.)(?:www\.)?(?P<host>{_HOST}){_TAIL}",
    re.IGNORECASE,
)
_BARE = re.compile(
    rf"(?<![\w@.])(?P<host>(?:[a-zA-Z0-9-]{{1,63}}\.){{1,4}}(?:{'|'.join(_ENDINGS)})"
    rf"(?![\w@-]|\.\w)){_TAIL}"
)
_MAIL = re.compile(r"(?<![\w.+-])(?:mailto:)?([\w.+-]{1,64})@([a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+)")
_FILE = re.compile(
    rf"(?<![\w.])([A-Za-z0-9_-]{{1,60}}(?:\.[A-Za-z0-9_-]{{1,20}}){{0,2}}\.(?:{'|'.join(_FILES)}))"
    r"(?![\w-]|\.\w)"
)
_VERSION = re.compile(r"(?<![\w.])[vV](?:ersion\s)?\.?\s?([0-9]+(?:\.[0-9]+){0,4})(?![\w]|\.[0-9])")
_NUMBERS = re.compile(r"(?<![\w.,])([0-9]+(?:\.[0-9]+){2,5})(?![\w]|\.[0-9])")


def read_addresses(text: str) -> str:
    """Web and mail addresses and file names in words; the numbers in them stay digits."""
    text = _MAIL.sub(lambda mail: f"{_signs(mail[1])} at {_host(mail[2])}", text)
    text = _URL.sub(_address, text)
    text = _BARE.sub(_address, text)
    return _FILE.sub(lambda file: _host(file[1]), text)


def read_versions(text: str) -> str:
    """Version and IP numbers, "1.2.3", in words; the numbers themselves stay digits."""
    text = _VERSION.sub(lambda version: f"version {version[1].replace('.', ' point ')}", text)
    return _NUMBERS.sub(lambda number: number[1].replace(".", " point "), text)


def _address(match: re.Match[str]) -> str:
    words = [_host(match["host"])]
    if match["port"]:
        words.append(f"port {match['port']}")
    path = re.split(r"[?#]", match["path"] or "")[0]
    if len(path) <= _LONGEST_PATH and path.isascii() and "%" not in path:
        words += [f"slash {_signs(part)}" for part in path.split("/") if part]
    return " ".join(words)


def _host(name: str) -> str:
    *names, ending = name.split(".")
    spelled = ending.upper() if ending.lower() in _SPELLED else ending
    return " dot ".join(_signs(part) for part in [*names, spelled] if part)


def _signs(text: str) -> str:
    """The words of a name, with its signs."""
    parts = re.findall(r"[^\W_]+|[-_.~+]", text)
    return " ".join(_PATH_SIGNS.get(part, part) for part in parts)


_TITLES = word_map("spoken_form", "titles")
"""Abbreviations before a name."""
_AFTER_NAME = word_map("spoken_form", "after_name")
_ABBREVIATIONS = word_map("spoken_form", "abbreviations")
_WITHOUT_STOP = word_map("spoken_form", "without_stop")

_TITLE = re.compile(rf"(?<![\w.])({'|'.join(_TITLES)})\. ?(?=[A-Z])")
_SUFFIX = re.compile(rf"\b([A-Z][a-z]+,?\s)({'|'.join(_AFTER_NAME)})\.")
_LONGEST_FIRST = sorted(_ABBREVIATIONS, key=len, reverse=True)
_ABBREVIATION = re.compile(
    rf"(?<![\w.])(?!(?<=[0-9] )min\.)({'|'.join(map(re.escape, _LONGEST_FIRST))})(?!\w)"
)
_BARE_SIGN = re.compile(rf"(?<![\w.])({'|'.join(_WITHOUT_STOP)})(?![\w'’]|\.\w)")
_POINTED = re.compile(r"(?<![\w.])(?:[A-Z]\.){2,}(?=\W|$)")

_NUMBERED_PARTS = "War|Part|Type|Chapter|Phase|Stage|Class|Level|Volume|Act|Book|Episode|Mark"
_RULERS = (
    "Elizabeth|Henry|Louis|Charles|George|James|Edward|Richard|William|Napoleon|Paul|Benedict|Pius"
    "|Alexander|Nicholas|Catherine|Philip|Ramses|Ivan|Peter|Leo|Gregory|Frederick|Wilhelm"
)
_ROMAN_PART = re.compile(rf"\b({_NUMBERED_PARTS})\s([IVXLC]+)(?![\w'’])")
_ROMAN_RULER = re.compile(rf"\b({_RULERS})\s([IVX]{{2,}}|V)(?![\w'’])")
_ROMAN_SAFE = re.compile(r"(?<=[a-z]\s)(II|III|IV|VI{1,3}|IX|XI{1,3}|XIV|XVI{0,3})(?![\w'’.])")

_POWERS = {"²": " squared", "³": " cubed"}
_SIGNS = (
    # White space before a sign is looked at from its beginning only, else a long run of it would be
    # gone through once for each of its characters.
    (re.compile(r"\bC\+\+"), "C plus plus"),
    (re.compile(r"\b([CF])#"), r"\1 sharp"),
    (re.compile(r"(?<=\w)\s*&\s*(?=\w)"), " and "),
    (re.compile(r"(?:(?<!\s)\s+)?(?:<=|≤)\s*"), " at most "),
    (re.compile(r"(?:(?<!\s)\s+)?(?:>=|≥)\s*"), " at least "),
    (re.compile(r"(?:(?<!\s)\s+)?(?:!=|≠)\s*"), " is not "),
    (re.compile(r"(?:(?<!\s)\s+)?(?:->|→|=>)\s*"), " to "),
    (re.compile(r"(?<=[\w)])\s*={1,3}\s*(?=[\w(-])"), " equals "),
    (re.compile(r"(?:(?<!\s)\s+)?≈\s*"), " about "),
    (re.compile(r"(?<!\w)~\s?(?=\w)"), "about "),
    (re.compile(r"(?<=\w)\s*±\s*|±"), " plus or minus "),
    (re.compile(r"(?<=\w)\s+\+\s+(?=\w)"), " plus "),
    (re.compile(r"(?<=\w)\s+<\s+(?=\w)"), " less than "),
    (re.compile(r"(?<=\w)\s+>\s+(?=\w)"), " greater than "),
    (re.compile(r"(?<=\w)\s+×\s+(?=\w)"), " times "),
    (re.compile(r"(?<!\w)#(?=[^\W\d_])"), "hashtag "),
    (re.compile(r"(?<!\w)@(?=\w)"), "at "),
    (re.compile(r"(?<=\s)@(?=\s)"), "at"),
    (re.compile(r"°"), " degrees"),
    (re.compile(r"(?<=\w)\s?%"), " percent"),
    (re.compile(r"(?<=\w)/(?=\w)"), " "),
    (re.compile(r"(?<=[^\W\d_])_(?=[^\W\d_])"), " "),
    (re.compile(r"(?<!\s)\s+[—–]+\s+"), ", "),
    (re.compile(r"(?<=\w)—(?=\w)"), ", "),
    (re.compile(r"(?<!\s)\s+[—–-]+$"), ","),
)
_AND_OR = re.compile(r"\band/or\b", re.IGNORECASE)
_EITHER = re.compile(r"(?<!\w)(he/she|she/he|him/her|his/her)(?!\w)", re.IGNORECASE)


def read_abbreviations(text: str) -> str:
    """Abbreviations and Roman numerals in words."""
    text = _AND_OR.sub("and or", text)
    text = _EITHER.sub(lambda m: m[0].replace("/", " or "), text)
    text = _ROMAN_PART.sub(_part, text)
    text = _ROMAN_RULER.sub(_ruler, text)
    text = _ROMAN_SAFE.sub(lambda m: cardinal(roman(m[1]) or 0), text)
    text = _TITLE.sub(lambda m: f"{_TITLES[m[1]]} ", text)
    text = _SUFFIX.sub(_suffix, text)
    text = _ABBREVIATION.sub(_abbreviation, text)
    text = _BARE_SIGN.sub(lambda m: _WITHOUT_STOP[m[1]], text)
    return _POINTED.sub(_letters, text)


def read_signs(text: str) -> str:
    """Signs in words."""
    for sign, words in _SIGNS:
        text = sign.sub(words, text)
    return "".join(_POWERS.get(sign, sign) for sign in text)


def _stop(match: re.Match[str]) -> str:
    """A full stop if the abbreviation ends the text, else nothing."""
    return "" if match.string[match.end() :].strip("\"'”’) ") else "."


def _abbreviation(match: re.Match[str]) -> str:
    stop = _stop(match) if match[1].endswith(".") else ""
    return _ABBREVIATIONS[match[1]] + stop


def _suffix(match: re.Match[str]) -> str:
    return match[1] + _AFTER_NAME[match[2]] + _stop(match)


def _letters(match: re.Match[str]) -> str:
    """U.S. is US: the voice spells what stands in capitals and is no word."""
    return match[0].replace(".", "") + _stop(match)


def _part(match: re.Match[str]) -> str:
    value = roman(match[2])
    return match[0] if value is None else f"{match[1]} {cardinal(value)}"


def _ruler(match: re.Match[str]) -> str:
    value = roman(match[2])
    return match[0] if value is None else f"{match[1]} the {ordinal(value)}"


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
