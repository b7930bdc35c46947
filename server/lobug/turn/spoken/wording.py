"""Abbreviations, Roman numerals and signs in words. English. Pure."""

from __future__ import annotations

import re
import unicodedata

from lobug.turn.spoken.number_words import cardinal, ordinal, roman

_TITLES = {
    "Dr": "Doctor", "Mr": "Mister", "Mrs": "Missus", "Ms": "Miz", "Prof": "Professor",
    "Gen": "General", "Capt": "Captain", "Lt": "Lieutenant", "Sgt": "Sergeant", "Col": "Colonel",
    "Gov": "Governor", "Sen": "Senator", "Rev": "Reverend", "Hon": "Honorable", "St": "Saint",
    "Mt": "Mount", "Ft": "Fort",
}  # fmt: skip
"""In front of a name."""
_AFTER_NAME = {
    "Jr": "Junior", "Sr": "Senior", "Inc": "Incorporated", "Ltd": "Limited", "Corp": "Corporation",
    "Co": "Company", "St": "Street", "Ave": "Avenue", "Rd": "Road", "Blvd": "Boulevard",
    "Dr": "Drive",
}  # fmt: skip
_ABBREVIATIONS = {
    "e.g.": "for example", "i.e.": "that is", "etc.": "et cetera", "vs.": "versus",
    "approx.": "approximately", "esp.": "especially", "incl.": "including", "dept.": "department",
    "est.": "estimated", "min.": "minimum", "max.": "maximum", "avg.": "average", "cf.": "compare",
    "viz.": "namely", "fig.": "figure", "Fig.": "figure", "pp.": "pages", "ca.": "about",
    "Dept.": "Department", "E.g.": "For example", "I.e.": "That is", "aka": "also known as",
    "a.k.a.": "also known as", "w/o": "without", "w/": "with",
}  # fmt: skip
_WITHOUT_STOP = {"eg": "for example", "ie": "that is", "etc": "et cetera", "vs": "versus"}

_TITLE = re.compile(rf"(?<![\w.])({'|'.join(_TITLES)})\. ?(?=[A-Z])")
_SUFFIX = re.compile(rf"\b([A-Z][a-z]+,?\s)({'|'.join(_AFTER_NAME)})\.")
_LONGEST_FIRST = sorted(_ABBREVIATIONS, key=len, reverse=True)
_ABBREVIATION = re.compile(
    rf"(?<![\w.])(?!(?<=[0-9] )min\.)({'|'.join(map(re.escape, _LONGEST_FIRST))})(?!\w)"
)
_BARE = re.compile(rf"(?<![\w.])({'|'.join(_WITHOUT_STOP)})(?![\w'’]|\.\w)")
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
_DROPPED = frozenset({"So", "Sk", "Cf", "Cs", "Co", "Cn"})
"""Unicode categories of emoji and their modifiers, and of what cannot be seen."""
_KEPT = frozenset("^`°")


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
    text = _BARE.sub(lambda m: _WITHOUT_STOP[m[1]], text)
    return _POINTED.sub(_letters, text)


def read_signs(text: str) -> str:
    """Signs in words, where they are said."""
    for sign, words in _SIGNS:
        text = sign.sub(words, text)
    return "".join(_POWERS.get(sign, sign) for sign in text)


def drop_pictures(text: str) -> str:
    """Without emoji, and with plain spaces, digits and minus signs."""
    kept = []
    for sign in text:
        category = unicodedata.category(sign)
        if category == "Nd":
            kept.append(str(unicodedata.decimal(sign)))
        elif category == "Zs":
            kept.append(" ")
        elif sign in "\u2212\u2010\u2011":
            kept.append("-")
        elif category not in _DROPPED or sign in _KEPT:
            kept.append(sign)
    return "".join(kept)


def _stop(match: re.Match[str]) -> str:
    """The full stop of an abbreviation that also ends the text."""
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
