"""Numbers of a text in digits, as far as sums and quantities need them. English. Pure.

"Three hundred and twelve" becomes "312", "two thirds" "(2/3)", "one and a half" "(1+1/2)".
"""

from __future__ import annotations

import re
from decimal import Decimal

from text_to_num import alpha2digit

from lobug.language.en.data import word_map

NUMBER = r"(?:\d+(?:\.\d+)?|\.\d+|\([\d.+/*()]+\))"
"""A number as ``in_digits`` leaves it, without a sign."""

_PARTS = {name: int(value) for name, value in word_map("numbers", "parts").items()}
_COUNTS = {name: int(value) for name, value in word_map("numbers", "part_counts").items()}
_VULGAR = word_map("numbers", "vulgar")
_COUNT = rf"(?:{'|'.join(_COUNTS)}|\d+)"
_PART = rf"(?:{'|'.join(sorted(_PARTS, key=len, reverse=True))})"
_SEPARATOR = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_VULGAR_SIGN = re.compile(rf"(\d*)\s?([{''.join(_VULGAR)}])")
_AND_PART = re.compile(
    rf"\b(?P<whole>[a-z\d.-]+(?: [a-z-]+)*?) and (?P<count>{_COUNT})[ -](?P<part>{_PART})\b"
)
_COUNTED_PART = re.compile(
    rf"\b(?P<count>{_COUNT})[ -](?P<part>{_PART})\b(?!-)(?! (?:mile|metre|meter|world)\b)"
)
_BARE_PART = re.compile(r"\bhalf(?= (?:of|an?|the)\b| \d)")
_WRITTEN_MIXED = re.compile(r"(?<![\d.,/])(\d+)(?: | and )(\d+)/(\d+)(?![\d/]|\.\d)")
_DOZEN = re.compile(rf"(?:({NUMBER}) )?\b(?:an? )?dozen\b")
_ARTICLE = re.compile(r"\ban? (?=\d)")
_POINT = re.compile(r"(?<![\d.])(?:(?:oh|o|0|zero|nought) )?point (\d(?: ?\d)*)\b")
_PRICE = re.compile(r"(?<![\d./])(\d{1,3}) ([1-9]\d)(?![\d./])(?! ?%| percent| per cent)")
_SCALED = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) (1000|1000000|1000000000)\b")
_ZERO = re.compile(r"\b(?:nought|naught)\b")


def in_digits(text: str, *, prices: bool = False) -> str:
    """A text in lower case with its numbers in digits. ``prices``: "twelve fifty" is 12.50."""
    text = _SEPARATOR.sub("", text.lower().replace("\u2212", "-").replace("\u2019", "'"))
    text = _ZERO.sub("zero", text)
    text = _VULGAR_SIGN.sub(_vulgar, text)
    text = _AND_PART.sub(_mixed, text)
    text = _COUNTED_PART.sub(lambda match: _ratio(match["count"], match["part"]), text)
    text = _BARE_PART.sub("(1/2)", text)
    text = _figures(text)
    text = _POINT.sub(lambda match: "0." + match[1].replace(" ", ""), text)
    text = _SCALED.sub(lambda match: str(Decimal(match[1]) * int(match[2])), text)
    text = _DOZEN.sub(lambda match: f"({match[1]}*12)" if match[1] else "12", text)
    text = _ARTICLE.sub("", text)
    text = _WRITTEN_MIXED.sub(r"(\1+\2/\3)", text)
    return _PRICE.sub(r"\1.\2", text) if prices else text


def _figures(text: str) -> str:
    return str(alpha2digit(text, "en", threshold=0.0))


def _ratio(count: str, part: str) -> str:
    return f"({_COUNTS.get(count, count)}/{_PARTS[part]})"


def _mixed(match: re.Match[str]) -> str:
    *before, last = _figures(match["whole"]).split(" ")
    if not re.fullmatch(r"\d+(?:\.\d+)?", last):
        return match.group()
    ratio = _ratio(match["count"], match["part"])
    return " ".join([*before, f"({last}+{ratio[1:-1]})"])


def _vulgar(match: re.Match[str]) -> str:
    over = _VULGAR[match[2]]
    return f"({match[1]}+{over})" if match[1] else f"({over})"
