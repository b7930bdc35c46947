"""Lists as files: iCalendar with a VTODO for each thing, and a Markdown checklist. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from icalendar import Calendar, Todo

from lobug.agenda.lists import ItemList

_MARKS = re.compile(r"([\\`*_\[\]<>#|~])")


def as_icalendar(one: ItemList, now: float) -> bytes:
    """RFC 5545; ``now``: when it is exported, seconds since the epoch."""
    calendar = Calendar()
    calendar.add("prodid", "-//Lo-Bug//Lists//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", one.name)
    stamp = datetime.fromtimestamp(int(now), UTC)
    for item in one.items:
        todo = Todo()
        todo.add("uid", f"list-{one.id}-item-{item.id}@lobug")
        todo.add("dtstamp", stamp)
        todo.add("created", datetime.fromtimestamp(int(item.created_at), UTC))
        todo.add("summary", item.content)
        todo.add("status", "COMPLETED" if item.done else "NEEDS-ACTION")
        todo.add("percent-complete", 100 if item.done else 0)
        calendar.add_component(todo)
    return bytes(calendar.to_ical())


def as_markdown(one: ItemList) -> str:
    """A heading and a checklist; signs with a meaning in Markdown are escaped."""
    lines = [f"# {_escaped(one.name)}", ""]
    lines += [f"- [{'x' if item.done else ' '}] {_escaped(item.content)}" for item in one.items]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return _MARKS.sub(r"\\\1", text)
