"""Evaluates arithmetic exactly and within bounds. Pure.

Numbers are fractions, so 0.1 + 0.2 is 0.3. What has no exact value, such as a root, is a float.
"""

from __future__ import annotations

import ast
import math
import operator
from fractions import Fraction
from typing import Any

from simpleeval import SimpleEval

MOST_DIGITS = 60
"""Digits of the whole part of any number on the way to the result."""
LARGEST_FACTORIAL = 45

Number = Fraction | float


class DivisionByZeroError(ArithmeticError):
    """The sum divides by zero."""


class TooLargeError(ArithmeticError):
    """A number on the way to the result has more than ``MOST_DIGITS`` digits."""


class UndefinedError(ArithmeticError):
    """The sum has no real result, such as the root of a negative number."""


def evaluate(expression: str) -> Number:
    """The value of an expression of numbers, ``+ - * / % **``, parentheses and the functions
    ``sqrt``, ``cbrt``, ``factorial``, ``abs``.

    Raises DivisionByZeroError, TooLargeError, UndefinedError; any exception of ``simpleeval`` if
    the expression holds anything else.
    """
    evaluator = SimpleEval(operators=_OPERATORS, functions=_FUNCTIONS, names={})
    evaluator.nodes = {
        ast.Expr: evaluator.nodes[ast.Expr],
        ast.BinOp: evaluator.nodes[ast.BinOp],
        ast.UnaryOp: evaluator.nodes[ast.UnaryOp],
        ast.Call: evaluator.nodes[ast.Call],
        ast.Constant: _constant,
    }
    try:
        value: Number = evaluator.eval(expression)
    except ZeroDivisionError as error:
        raise DivisionByZeroError from error
    except (OverflowError, RecursionError) as error:
        raise TooLargeError from error
    return _bounded(value)


def _constant(node: ast.Constant) -> Number:
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        raise UndefinedError
    if isinstance(node.value, float) and not math.isfinite(node.value):
        raise TooLargeError
    return _bounded(Fraction(repr(node.value)))


def _bounded(value: Any) -> Number:
    if isinstance(value, complex):
        raise UndefinedError
    if isinstance(value, float):
        if not math.isfinite(value):
            raise TooLargeError
    elif max(abs(value.numerator), value.denominator) >= 10**MOST_DIGITS:
        if abs(value) >= 10**MOST_DIGITS:
            raise TooLargeError
        return float(value)
    return value  # type: ignore[no-any-return]


def _power(base: Number, exponent: Number) -> Number:
    if base == 0 and exponent < 0:
        raise DivisionByZeroError
    if base in (0, 1):
        return Fraction(1) if base == 1 or exponent == 0 else Fraction(0)
    size = abs(math.log10(base if base > 0 else -base) * float(exponent))
    if size > MOST_DIGITS:
        raise TooLargeError
    if isinstance(exponent, Fraction) and exponent.denominator == 1 and abs(exponent) <= 10_000:
        return _bounded(base ** int(exponent))
    if base < 0:
        raise UndefinedError
    return _bounded(float(base) ** float(exponent))


def _square_root(value: Number) -> Number:
    if value < 0:
        raise UndefinedError
    if isinstance(value, Fraction):
        over, under = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if over * over == value.numerator and under * under == value.denominator:
            return Fraction(over, under)
    return math.sqrt(value)


def _cube_root(value: Number) -> Number:
    root = math.cbrt(value)
    nearest = Fraction(round(root))
    return nearest if nearest**3 == value else root


def _factorial(value: Number) -> Number:
    if value < 0 or value != int(value):
        raise UndefinedError
    if value > LARGEST_FACTORIAL:
        raise TooLargeError
    return Fraction(math.factorial(int(value)))


_OPERATORS = {
    ast.Add: lambda a, b: _bounded(a + b),
    ast.Sub: lambda a, b: _bounded(a - b),
    ast.Mult: lambda a, b: _bounded(a * b),
    ast.Div: lambda a, b: _bounded(a / b),
    ast.Mod: lambda a, b: _bounded(a % b),
    ast.Pow: _power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_FUNCTIONS = {
    "sqrt": _square_root,
    "cbrt": _cube_root,
    "factorial": _factorial,
    "abs": abs,
}
