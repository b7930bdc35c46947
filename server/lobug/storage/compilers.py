"""What the compilers of statements have in common, whichever database they write for."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import BindParameter
from sqlalchemy.sql.compiler import SQLCompiler

PLAIN_WORD = re.compile(r"[a-z_:]*")


class ConstantsInText(SQLCompiler):
    """Writes a statement's own constants into its text.

    A partial index is used only where the query holds the constant of its condition:
    ``status = 'active'``, not ``status = ?``.
    """

    def visit_bindparam(  # type: ignore[override]
        self, bindparam: BindParameter[Any], *, literal_binds: bool = False, **kwargs: Any
    ) -> Any:
        constant = not bindparam.required and _is_plain(bindparam.value)
        return super().visit_bindparam(  # type: ignore[no-untyped-call]
            bindparam, literal_binds=literal_binds or constant, **kwargs
        )


def _is_plain(value: Any) -> bool:
    """Whether a value can stand in SQL as it is: a number, or a word of small letters."""
    if isinstance(value, list | tuple):
        return bool(value) and all(map(_is_plain, value))
    if isinstance(value, str):
        return PLAIN_WORD.fullmatch(value) is not None
    return value is None or isinstance(value, int)
