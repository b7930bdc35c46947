"""Sums in words and digits, read as an expression. English. Pure.

"What is 15 percent of 80" is ``(15/100)*80``. The expression holds numbers, parentheses, the
operators ``+ - * / % **`` and the functions ``sqrt``, ``cbrt`` and ``factorial``; whoever evaluates
it need trust nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from lobug.language.en.number_words import NUMBER, in_digits

LONGEST = 200
"""Characters of a sum."""


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum that somebody asks for."""

    expression: str
    said: str = ""
    """The sum as it is repeated with its result: "17 times 23"; empty where it would sound odd."""
    money: str = ""
    """The sign of the currency, where the numbers have one."""
    percent: bool = False
    """The result is a percentage."""
    each: bool = False
    """The result is a share."""
    fractions: bool = False
    """The numbers are written as fractions."""
    unit: str = ""
    """What the result measures or counts: "square metres"."""
    whole: bool = False
    """Only a whole number helps: a started box is a box."""


@lru_cache(maxsize=64)
def read_sum(text: str) -> Sum | None:
    """The sum in a text without question words: "17 times 23", "half of 37". None: it is no sum."""
    if len(text) > LONGEST:
        return None
    money = "".join(dict.fromkeys(re.findall(r"[£$€]", text)))
    if len(money) > 1:
        return None
    plain = re.sub(r"[£$€]", "", text).replace("**", "^")
    figures = in_digits(_hundreds(plain, money=bool(money)), prices=True)
    words = _tidy(figures)
    if not re.search(r"\d", words) or _LOOKS_ALIKE.fullmatch(words):
        return None
    for form, template in _FORMS:
        match = form.fullmatch(words)
        if match is None:
            continue
        operands = [_infix(operand) for operand in match.groups() if operand is not None]
        if all(operands):
            expression = template.format(*operands)
            percent = "percentage" in form.pattern
            each = bool(re.match(r"(?:split|share)|.* (?:ways|each)$", words))
            silent = _ORDERS.match(words) or re.search(r"\b(?:tip|vat|tax)\b", words)
            said = "" if silent or percent or money else _repeated(words)
            return Sum(expression, said, money, percent=percent, each=each)
    expression = _infix(words) or ""
    if not expression or re.fullmatch(rf"[- ]*{NUMBER}(?: %)?", words):
        return None
    fractions = bool(re.search(r"\d/\d", figures)) and not _DECIMAL.search(words)
    said = "" if money else _repeated(words)
    return Sum(expression, said, money, fractions=fractions)


_PRICED = re.compile(
    r"\b(?:pounds?|dollars?|quid|bucks|euros?|pence|cents?|point|split|share|tip|vat|tax|off"
    r"|discount|bill|price|cost)\b|\d\.\d|(?<![\d./])\d\d [1-9]\d(?![\d./])"
)


def _hundreds(text: str, *, money: bool) -> str:
    """ "2 89" as 289, unless it is a price."""
    words = in_digits(text)
    if money or _PRICED.search(words) or _PRICED.search(text.lower()):
        return text
    return re.sub(r"(?<![\d./])([1-9]) ([1-9]\d)(?![\d./])", r"\1\2", words)


_LOOKS_ALIKE = re.compile(r"24/7|9/11|7/7|50/50|911|\d{3}-\d{4}|\d{4}-\d{2,4}|\d{4}-\d\d?-\d\d?")
"""What is written like a sum and is none."""
_DECIMAL = re.compile(r"\d\.\d|sqrt|\^|%| of ")
"""What makes a decimal number the better answer although there are fractions in the sum."""
_ORDERS = re.compile(
    r"add|subtract|take|multiply|divide|split|share|increase|decrease|reduce|raise"
)

_WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"[?!]|\s*=\s*\??$|(?<!\d)\.$", ""),
        (r"\bper ?cent\b|\bpercents?\b|\bpct\b", "%"),
        (r"\b(?:multiplied by|times)\b|[×·*]", " * "),
        (r"(?<=[\d)])\s*x\s*(?=[\d(-])", " * "),
        (r"\b(?:divided by|divide by|over)\b|÷", " / "),
        (r"\b(?:plus|added to|and then add)\b", " + "),
        (r"\b(?:minus|take away|less|negative)\b|\u2013|\u2212", " - "),
        (r"\b(?:modulo|mod)\b", " mod "),
        (r"\b(?:to the power(?: of)?|raised to(?: the power(?: of)?)?)\b", " ^ "),
        (r"\bto the (\d+)(?:st|nd|rd|th)(?: power)?\b", r" ^ \1 "),
        (r"\b(?:squared)\b|²", " ^ 2 "),
        (r"\b(?:cubed)\b|³", " ^ 3 "),
        (r"\bthe (?=square|cube|root|product|sum|difference|average|mean|remainder|factorial)", ""),
        (r"\b(?:cube root of|cubic root of)|∛", " cbrt "),
        (r"\b(?:square root of|sqrt(?: of)?|root of)|√", " sqrt "),
        (r"\bsquare of (" + NUMBER + ")", r"\1 ^ 2"),
        (r"\bfactorial of\b", " factorial "),
        (r"(" + NUMBER + r")\s*(?:factorial\b|!)", r" factorial \1 "),
        (r"\b(?:double|twice)\b(?: of)?", " 2 * "),
        (r"\b(?:triple|thrice)\b(?: of)?", " 3 * "),
        (r"\bopen (?:bracket|parenthesis|paren)s?\b", " ( "),
        (r"\bclose (?:bracket|parenthesis|paren)s?\b", " ) "),
        (r"(?<=\d) (?:pounds|dollars|euros|bucks|quid)\b", ""),
    )
)


def _tidy(text: str) -> str:
    """A sum with signs for words, its parts apart by single spaces."""
    text = re.sub(r"(?<=[\d)])\s*!(?=\s*(?:$|[+*/-]))", " factorial", text)
    for pattern, replacement in _WORDS:
        text = pattern.sub(replacement, text)
    text = re.sub(r"(?<=\d)\s*%", " %", text)
    return " ".join(text.split()).strip(" ,.?!")


_N = r"(.+?)"
_WAYS = r"(?: ways| people| persons| friends| parts| of us| shares)?"
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), expression)
    for pattern, expression in (
        # Percentages.
        (rf"{_N} % of {_N}", "(({0})/100)*({1})"),
        (rf"{_N} % (?:off|discount on)(?: of)? {_N}", "({1})*(1-({0})/100)"),
        (rf"(?:a )?{_N} % (?:tip|vat|tax)? ?on {_N}", "(({0})/100)*({1})"),
        (rf"{_N} \+ {_N} %(?: (?:vat|tax|tip))?", "({0})*(1+({1})/100)"),
        (rf"{_N} - {_N} %", "({0})*(1-({1})/100)"),
        (rf"add {_N} % (?:to|on|onto) {_N}", "({1})*(1+({0})/100)"),
        (rf"{_N} (?:with|and) {_N} % (?:added|more|on top)", "({0})*(1+({1})/100)"),
        (
            rf"(?:take|subtract|deduct|knock) {_N} % (?:away )?(?:off|from|off of) {_N}",
            "({1})*(1-({0})/100)",
        ),
        (rf"(?:increase|raise) {_N} by {_N} %", "({0})*(1+({1})/100)"),
        (rf"(?:decrease|reduce|cut) {_N} by {_N} %", "({0})*(1-({1})/100)"),
        (rf"(?:what )?(?:percentage|%) of {_N} is {_N}", "({1})/({0})*100"),
        (rf"{_N} is what (?:percentage|%) of {_N}", "({0})/({1})*100"),
        (rf"(?:what )?(?:percentage|%) is {_N} (?:of|out of) {_N}", "({0})/({1})*100"),
        (rf"{_N} (?:out of|of) {_N} (?:as|in) (?:a )?(?:percentage|%)",
         "({0})/({1})*100"),
        # Orders.
        (rf"add {_N} (?:and|to|with|\+) {_N}", "({0})+({1})"),
        (rf"(?:subtract|take|deduct) {_N} (?:away )?from {_N}", "({1})-({0})"),
        (rf"multiply {_N} (?:by|and|with|\*) {_N}", "({0})*({1})"),
        (rf"divide {_N} (?:by|/|between|among|into) {_N}", "({0})/({1})"),
        (
            rf"(?:split|share|divide)(?: up)? {_N} (?:between|among|by|into|in)? ?{_N}{_WAYS}",
            "({0})/({1})",
        ),
        (rf"{_N} (?:split|shared|divided) (?:between|among|by|into|in)? ?{_N}{_WAYS}",
         "({0})/({1})"),
        (rf"(?:sum|total) of {_N} and {_N}", "({0})+({1})"),
        (rf"product of {_N} and {_N}", "({0})*({1})"),
        (rf"difference (?:between|of) {_N} and {_N}", "abs(({0})-({1}))"),
        (rf"(?:average|mean) of {_N}, {_N},? and {_N}", "(({0})+({1})+({2}))/3"),
        (rf"(?:average|mean) of {_N} and {_N}", "(({0})+({1}))/2"),
        (rf"remainder (?:of|when) {_N} (?:is )?/ {_N}", "({0})%({1})"),
        (rf"(?:(?:how many times|how often) does )?{_N} (?:goes|go|fit) (?:into|in) {_N}",
         "({1})/({0})"),
        (rf"{_N} into {_N}", "({1})/({0})"),
        (rf"square {_N}", "({0})**2"),
        (rf"halve {_N}", "({0})/2"),
    )
)  # fmt: skip

_TOKEN = re.compile(r"\d+(?:\.\d+)?|\.\d+|\*\*|[-+*/^()%]|mod|of|sqrt|cbrt|factorial|\S+")
_FUNCTIONS = frozenset({"sqrt", "cbrt", "factorial"})
_POWER = 4
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "mod": 2, "of": 3, "^": _POWER}
_MOST_TOKENS = 60


class _UnreadableError(Exception):
    """The text is no expression."""


class _Parser:
    """Reads an expression by precedence. One for each text."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def whole(self) -> str:
        expression = self._expression(1)
        if self._at < len(self._tokens):
            raise _UnreadableError
        return expression

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        following = self._next()
        self._at += 1
        return following

    def _expression(self, lowest: int) -> str:
        left = self._operand()
        while (level := _PRECEDENCE.get(self._next(), 0)) >= lowest:
            operator = self._take()
            if (
                operator == "of" and not left.startswith("((") and not left.endswith("/100)")
            ):  # "two thirds of 90"
                raise _UnreadableError
            right = self._expression(level if operator == "^" else level + 1)
            sign = {"mod": "%", "of": "*", "^": "**"}.get(operator, operator)
            left = f"({left}{sign}{right})"
        return left

    def _operand(self) -> str:
        sign = self._take()
        if sign == "-":
            return f"(-{self._expression(_POWER)})"
        if sign in _FUNCTIONS:
            return f"{sign}({self._expression(_POWER)})"
        if sign == "(":
            inner = self._expression(1)
            if self._take() != ")":
                raise _UnreadableError
            if re.match(r"\d", self._next()):  # "half a dozen" is (1/2) 12
                return f"({inner}*{self._operand()})"
            return self._percentage(f"({inner})")
        if not re.fullmatch(r"\d+(?:\.\d+)?|\.\d+", sign):
            raise _UnreadableError
        return self._percentage(_literal(sign))

    def _percentage(self, value: str) -> str:
        if self._next() == "%":
            self._take()
            return f"({value}/100)"
        return value


def _literal(number: str) -> str:
    """A number as Python writes it: without leading zeros."""
    whole, point, part = number.partition(".")
    return f"{whole.lstrip('0') or '0'}{point}{part}"


def _infix(text: str) -> str | None:
    """A text of numbers and signs as a Python expression; None: it is none."""
    tokens = _TOKEN.findall(text)
    if not tokens or len(tokens) > _MOST_TOKENS:
        return None
    try:
        return _Parser(tokens).whole()
    except _UnreadableError:
        return None


_SIGNS = {
    "*": "times", "/": "divided by", "+": "plus", "-": "minus", "^": "to the power of",
    "%": "percent", "mod": "modulo", "sqrt": "the square root of", "cbrt": "the cube root of",
    "factorial": "the factorial of", "sum": "the sum", "product": "the product",
    "average": "the average", "mean": "the mean", "difference": "the difference",
}  # fmt: skip
_MOST_REPEATED = 9


def _repeated(words: str) -> str:
    """A short sum in words and digits; empty: it is too long, or has parentheses."""
    words = re.sub(r"(?<![\d/.(])(\d+)\s?/\s?(\d+)(?![\d.])", _ratio, words)
    words = re.sub(r"\((\d+)\+(\d+/\d+)\)", r"\1 \2", words)
    words = re.sub(r"\((\d+/\d+)\)(?= of)", _part, words)
    words = re.sub(r"\((\d+/\d+)\)", r"\1", words)
    words = re.sub(r"(?<=\d)([*+^-])(?=[\d-])", r" \1 ", words)
    words = re.sub(r"(?<=\d) \^ 2\b(?!\.)", " squared", words)
    tokens = words.split()
    if len(tokens) > _MOST_REPEATED or any(sign in words for sign in "(),"):
        return ""
    return " ".join(_SIGNS.get(token) or _grouped(token) for token in tokens)


def _ratio(match: re.Match[str]) -> str:
    """ "3/4" stays; "144 / 12" is a division."""
    over, under = int(match[1]), int(match[2])
    return match.group().replace(" ", "") if over < under <= 20 else f"{over} / {under}"


def _part(match: re.Match[str]) -> str:
    return {"1/2": "half", "1/4": "a quarter", "1/3": "a third"}.get(match[1], match[1])


def _grouped(number: str) -> str:
    if not re.fullmatch(r"\d+(?:\.\d+)?", number):
        return number
    whole, point, part = number.partition(".")
    return f"{int(whole):,}{point}{part}"


def say_expression(expression: str) -> str:
    """An expression in digits and signs as it is read aloud: "(2+5)*7" is "2 plus 5, times 7"."""
    for sign, words in _SPOKEN_SIGNS:
        expression = expression.replace(sign, words)
    said = " ".join(expression.replace("(", ", ").replace(")", ", ").split())
    return re.sub(r"(?: ?,)+", ",", said).strip(" ,")


def money_in(text: str) -> str:
    """The sign of the money that a text speaks of; empty: of none."""
    for sign, words in _MONEY_WORDS:
        if words.search(text):
            return sign
    return ""


_SPOKEN_SIGNS = (
    ("**", " to the power of "),
    ("*", " times "),
    ("/", " divided by "),
    ("+", " plus "),
    ("-", " minus "),
    ("%", " modulo "),
)
_MONEY_WORDS = (
    ("\u00a3", re.compile(r"\u00a3|\b(?:quid|pence|p each)\b", re.IGNORECASE)),
    ("$", re.compile(r"\$|\b(?:dollars?|bucks|cents)\b", re.IGNORECASE)),
    ("\u20ac", re.compile(r"\u20ac|\beuros?\b", re.IGNORECASE)),
)
