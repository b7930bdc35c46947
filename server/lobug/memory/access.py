"""The SQL condition that keeps a query to the memories that its caller may see. Pure."""

from __future__ import annotations

from lobug.memory.model import HOUSEHOLD, MemoryScope


def visible(scope: MemoryScope, alias: str = "m") -> tuple[str, list[str]]:
    """The SQL condition, and its parameters, that every query over ``memories`` carries."""
    owned = f"{alias}.user = ?"
    parameters = [scope.user]
    if scope.conversation is not None:
        owned += f" AND ({alias}.scope <> 'conversation' OR {alias}.conversation = ?)"
        parameters.append(scope.conversation)
    if scope.household == "none":
        return f"({owned})", parameters
    return f"(({owned}) OR {alias}.user = ?)", [*parameters, HOUSEHOLD]
