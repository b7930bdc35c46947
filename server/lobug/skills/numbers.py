"""Results as they are written for a reply: rounded as a person would round them. Pure.

Thousands have separators, so that the voice does not take "1,999" for a year.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from lobug.skills.evaluation import Number

_LARGEST = 10**15
"""From here on a number is told by its power of ten."""
_DECIMALS = 4
"""Most decimals of a number that is written exactly."""


@dataclass(frozen=True, slots=True)
class Written:
    """A number as text."""

    text: str
    exact: bool
    """Whether nothing was rounded."""


def write_number(value: Number, *, fractions: bool = False) -> Written:
    """A number with at most 4 decimals, or as a fraction such as "1 3/4" where ``fractions``."""
    size = value if value >= 0 else -value
    if size >= _LARGEST or 0 < size < 10**-4:
        return _scientific(value)
    if isinstance(value, Fraction):
        if fractions and 1 < value.denominator <= 20:
            return Written(_mixed(value), exact=True)
        scaled = value * 10**_DECIMALS
        if scaled.denominator == 1:
            return Written(_decimal(float(value), _DECIMALS), exact=True)
    nearest = round(float(value), 9)
    if nearest == round(nearest, _DECIMALS) and not isinstance(value, Fraction):
        return Written(_decimal(nearest, _DECIMALS), exact=False)
    return Written(_decimal(float(value), _decimals(float(value), 3)), exact=False)


def write_amount(value: float, *, whole: bool = False) -> Written:
    """A measured amount with about three digits; with ``whole`` without decimals. It is exact if
    two decimals are enough."""
    if not whole and (abs(value) >= _LARGEST or 0 < abs(value) < 10**-4):
        return _scientific(value)
    for decimals in (0, 1, 2):
        rounded = round(value, decimals)
        if math.isclose(rounded, value, rel_tol=1e-9, abs_tol=1e-9) and (value == 0 or rounded):
            return Written(_decimal(rounded, decimals), exact=True)
    return Written(_decimal(value, 0 if whole else _decimals(value, 2)), exact=False)


def _decimals(value: float, most: int) -> int:
    """How many decimals give about three digits."""
    size = abs(value)
    if size >= 1000:
        return 0 if most == 2 else 2
    if size >= 100:
        return most - 1
    if size >= 1:
        return most
    return min(6, 2 - math.floor(math.log10(size))) if size else 0


def _decimal(value: float, decimals: int) -> str:
    text = f"{value:,.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _mixed(value: Fraction) -> str:
    whole, rest = divmod(abs(value.numerator), value.denominator)
    part = f"{rest}/{value.denominator}"
    return ("-" if value < 0 else "") + (f"{whole:,} {part}" if whole else part)


def _scientific(value: Number) -> Written:
    exponent = math.floor(math.log10(value if value > 0 else -value))
    if isinstance(value, Fraction) and value == Fraction(10) ** exponent:
        return Written(f"10 to the power of {exponent}", exact=True)
    scaled = float(Fraction(value) / Fraction(10) ** exponent)
    return Written(f"{_decimal(scaled, 2)} times 10 to the power of {exponent}", exact=False)
