"""Small stories with numbers, as sums in words have them. English. Pure.

"I've got 17 boxes with twenty-three tiles each, how many is that?" has the outline "i've got #
boxes with # tiles each, how many is that?" and the amounts 17 and 23. An outline shows how the
numbers belong together, whatever they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from lobug.language.en.number_words import NUMBER, in_digits

LONGEST = 320
"""Characters of a story."""
_MOST_AMOUNTS = 4
SIGNS = {"quid": "£", "pound": "£", "dollar": "$", "buck": "$", "euro": "€", "£": "£", "$": "$",
         "€": "€"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of a story."""

    value: str
    """In digits, decimal: "17", "4.50"."""
    sign: str
    """Of the currency; empty: it is no money."""

    @property
    def said(self) -> str:
        """The number as it is repeated: "£4.50", "1,250"."""
        whole, point, part = self.value.partition(".")
        return f"{self.sign}{int(whole):,}{point}{part}"


@dataclass(frozen=True, slots=True)
class Story:
    """What somebody tells and asks, with ``#`` for each number of ``amounts``."""

    outline: str
    """Lower case; a percentage is ``#%``."""
    question: str
    """The clause of the outline that asks."""
    amounts: tuple[Amount, ...]

    def at(self, position: int) -> Amount:
        """The amount whose ``#`` is the first one at or after a position of the outline."""
        return self.amounts[self.outline.count("#", 0, position)]


_ASK = re.compile(
    r"\b(?:how (?:many|much|far|long|big|old|tall|heavy|hot|cold|fast|large|wide|high|deep)"
    r"|what(?:(?:'s|'ll|'d|s)(?= )| (?:is|was|would|will|do|does|did|should|can|are|am|have|has"
    r"|percentage|(?!kind|sort|type)[a-z]+ (?:is|are|would|will|do|does|should))| ?%)|(?:can"
    r"|could|would) you (?:convert|work|figure|calculate|tell|change"
    r"|turn|put|split|add|take|divide|share|do)|work (?:it|that|this) out|convert|calculate"
    r"|(?:split|divide|share) (?:it|that|this))\b|\bmakes? how |\b(?:take|knock|add|what"
    r"|what's) (?=#)"
)
_NO_SUM = re.compile(
    r"\bwhat (?:do|would|did) you (?:think|reckon|make|say|suggest)|\bhow (?:many times|often"
    r"|come)\b"
    r"|\bwhat (?:should|shall|can|could|would) (?:i|we) (?:do|say|cook|make|wear|watch|eat|give"
    r"|get(?! paid| back)|bring|play)\b|\bwhat time\b|\bwhat (?:day|date)\b|\bhow (?:do|should"
    r"|can|could|would) (?:i|we)\b"
)
"""Questions that no sum answers."""
_CORRECTED = re.compile(
    r"#[^#]*\b(?:no,? wait|scratch that|i mean|i meant|make that|sorry,|no,)[^#]*#"
)
_CLOCK = re.compile(r"\b\d{1,2}(?::\d\d| ?[ap]\.?m\b| o'?clock)|\b(?:half|quarter) (?:past|to)\b")
_FILLERS = re.compile(r"(?:, ?)?\b(?:um+|uh+|er+|erm|hmm+|like,|you know,)\b,?(?= |$)")
_PRONOUN = re.compile(
    r"\b(?:no|any|some|every|each|the|this|that|which|roll|toss|another|for|me|us|not) one\b(?! of)"
    r"|\bone (?:of|more|each|day|night|morning|evening|thing|another)\b|\bone(?=[,.?!]|$)"
)
"""The word "one" where it counts nothing."""
_YEARS = re.compile(r"\b(1[89]|20) (\d\d)\b")
_POUNDS_AND_PENCE = re.compile(
    r"\b(\d+) (pounds?|dollars?|quid|bucks|euros?)(?:,? and)? (\d\d)(?: ?(?:p|pence|cents?))?\b"
)
_PENCE = re.compile(rf"(?<![\d.])({NUMBER}) ?(p|pence|cents?)\b")
_MONEY_WORD = re.compile(rf"({NUMBER}) (quid|dollars?|bucks|euros?|pounds?)\b")
_WEIGHT = re.compile(r"\b(?:weigh\w*|kilo\w*|grams?|stone|ounces?|kg|scales|heav\w+|lbs?)\b")
_AMOUNT = re.compile(rf"(?<![\w.])([£$€]?)({NUMBER})(?![\w(]|\.\d)( ?%)?")
_PERCENT = re.compile(r" ?\b(?:per ?cent|percents?|pct)\b")
_WRITTEN_MONEY = re.compile(r"[£$€]")


def read_story(text: str) -> Story | None:
    """The story in a text; None: it asks for no sum, or its numbers are not clear."""
    if len(text) > LONGEST:
        return None
    words = figures(text)
    if _CLOCK.search(words):
        return None
    amounts: list[Amount] = []
    clear = True

    def placed(match: re.Match[str]) -> str:
        nonlocal clear
        value = _decimal(match[2])
        clear = clear and value is not None
        amounts.append(Amount(value or "0", match[1]))
        return "#%" if match[3] else "#"

    outline = _AMOUNT.sub(placed, words)
    outline = " ".join(outline.split())
    question = question_of(outline)
    if not clear or not 0 < len(amounts) <= _MOST_AMOUNTS or not question:
        return None
    if len({amount.sign for amount in amounts} - {""}) > 1 or _CORRECTED.search(outline):
        return None
    return Story(outline, question, tuple(amounts))


def figures(text: str) -> str:
    """A text in lower case with its numbers in digits and its money with signs."""
    text = text.lower().replace("\u2019", "'")
    text = _FILLERS.sub("", text)
    text = _PRONOUN.sub("it", text)
    text = re.sub(r"\bdozens\b", "packs of dozen", text)
    text = re.sub(r"\ba couple of\b", "two", text)
    text = re.sub(r"(?<=[a-z])-(?=(?:metre|meter|mile|minute|hour|day|week|year|pound|gram)s?\b)",
                  " ", text)  # fmt: skip
    words = _PERCENT.sub("%", in_digits(text))
    words = re.sub(r"\(1/([24])\) off\b", lambda part: f"{100 // int(part[1])}% off", words)
    if re.search(r"\b(?:born|since|years?|old|built|founded|opened|married)\b", words):
        words = _YEARS.sub(r"\1\2", words)
    words = _hundreds(words)
    words = _POUNDS_AND_PENCE.sub(r"\1.\3 \2", words)
    if not (_WEIGHT.search(words) and "pounds" in words):
        words = _MONEY_WORD.sub(lambda match: SIGNS[match[2].rstrip("s")] + match[1], words)
        sign = _WRITTEN_MONEY.search(words)
        words = _PENCE.sub(lambda match: _in_hundreds(match, sign[0] if sign else ""), words)
    return " ".join(words.split())


def _hundreds(words: str) -> str:
    """ "2 89" is 289, or 2.89 where money is said."""
    money = _WRITTEN_MONEY.search(words) or re.search(
        r"\b(?:pounds?|dollars?|quid|bucks|euros?|costs?|bill|price|paid|pay|spent)\b", words
    )
    join = r"\1.\2" if money else r"\1\2"
    return re.sub(r"(?<![\d./])([1-9]) ([1-9]\d)(?![\d./])", join, words)


def _in_hundreds(match: re.Match[str], sign: str) -> str:
    sign = sign or ("£" if match[2] in {"p", "pence"} else "$")
    value = _decimal(match[1])
    return match.group() if value is None else f"{sign}{float(value) / 100:.2f}"


def question_of(outline: str) -> str:
    """The clause that asks; empty: none does, or no sum answers it."""
    found = list(_ASK.finditer(outline))
    if not found or _NO_SUM.search(outline):
        return ""
    clauses = [re.split(r"[,;.?!](?= |$)", outline[match.start() :])[0] for match in found]
    return " / ".join(clauses)


_FACTOR = re.compile(r"\d*\.?\d+(?:/\d+)?")


def _decimal(number: str) -> str | None:
    """A number of ``in_digits`` as a decimal; None: it has none of four decimals."""
    if re.fullmatch(r"\d+(?:\.\d+)?", number):
        whole, point, part = number.partition(".")
        return f"{int(whole)}{point}{part}"
    total = Fraction(0)
    for term in re.sub(r"[()]", "", number).split("+"):
        product = Fraction(1)
        for factor in term.split("*"):
            over, _, under = factor.partition("/")
            if not _FACTOR.fullmatch(factor) or (under and not int(under)):
                return None
            product *= Fraction(over) / Fraction(under or 1)
        total += product
    scaled = total * 10_000
    if scaled.denominator != 1:
        return None
    return f"{float(total):.4f}".rstrip("0").rstrip(".")
