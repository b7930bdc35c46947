"""Replaces layer identity by a Markdown text that the user has written or edited.

The text has the form of ``identity.render``: headings, and a line "- ..." for each entry. It is all
or nothing: a text that cannot be stored changes no entry.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from lobug.errors import IdentityChangedError, IdentityFullError, IdentityInvalidError
from lobug.language.en.prompts import SECTIONS
from lobug.memory import entries, identity, store
from lobug.memory.identity import Line
from lobug.memory.model import Draft, Entry, Identity, MemoryScope
from lobug.memory.store import Limits
from lobug.storage.connection import Connection

HEADING = re.compile(r"#{1,6}\s(.*)")
BULLET = re.compile(r"[-*+]\s+(.*)")

UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode categories of characters that are not seen: an owner who reads the document must see all
that the model reads."""
JOINERS = {"\u200c", "\u200d"}
"""Of category Cf, but emoji, Persian and Indian scripts need them."""


def parse(text: str, sections: Iterable[str] = SECTIONS) -> list[Line]:
    """The lines of a document, each once, in their order; those before the first heading belong to
    the first section. Empty lines and headings without lines are left out.

    Raises IdentityInvalidError, which names the number of the wrong line and does not repeat it.
    """
    names = {name.casefold(): name for name in sections}
    section = SECTIONS[0]
    found: dict[Line, None] = {}
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), start=1):
        line = " ".join(raw.split())
        if not line:
            continue
        if _unseen(line):
            raise IdentityInvalidError(f"line {number} holds a character that cannot be seen")
        if heading := HEADING.fullmatch(line):
            known = names.get(heading[1].strip(" #").casefold())
            if known is None:
                raise IdentityInvalidError(
                    f"line {number} is not one of the headings {', '.join(names.values())}"
                )
            section = known
            continue
        bullet = BULLET.fullmatch(line)
        if bullet is None:
            raise IdentityInvalidError(
                f"line {number} is neither a heading (## {SECTIONS[0]}) nor an entry (- ...)"
            )
        if not any(character.isalnum() for character in bullet[1]):
            raise IdentityInvalidError(f"line {number} has no words")
        found[section, bullet[1]] = None
    return list(found)


def _unseen(line: str) -> bool:
    return any(unicodedata.category(c) in UNSEEN and c not in JOINERS for c in line)


def replace(
    connection: Connection,
    scope: MemoryScope,
    text: str,
    *,
    versions_read: Iterable[str] | None,
    limits: Limits,
    now: float,
) -> Identity:
    """Make a text the user's layer identity. Lines that are missing in it become inactive and can
    be restored, new ones are the user's, the others stay the entries that they are. A line under
    another heading stays the same entry, and is the user's too: distillation leaves it there.

    ``versions_read``: the versions of the document (``Identity.version``) that the text may be
    based on; None: any. Raises IdentityChangedError, IdentityInvalidError, IdentityFullError.
    """
    before = identity.identity(connection, scope, limits.identity_chars)
    if versions_read is not None and before.version not in set(versions_read):
        raise IdentityChangedError("layer identity has changed since it was read; read it again")
    known = [(line_of(entry), entry) for entry in before.entries]
    wanted = parse(text, dict.fromkeys([*SECTIONS, *(line[0] for line, _ in known)]))
    _check_length(wanted, limits)
    stay, moved = _matched(known, wanted)
    for _, entry in known:
        if entry.id not in stay and entry.id not in moved:
            store.deactivate(connection, scope, entry.id, now=now)
    for entry_id, section in moved.items():
        entries.change(connection, entry_id, section=section, source="user", updated_at=now)
    kept = {line for line, entry in known if entry.id in stay}
    kept |= {(moved[entry.id], line[1]) for line, entry in known if entry.id in moved}
    for section, content in wanted:
        if (section, content) not in kept:
            _add(connection, scope, section, content, limits, now)
    return identity.identity(connection, scope, limits.identity_chars)


def line_of(entry: Entry) -> Line:
    """An entry as ``identity.render`` shows it."""
    section = " ".join((entry.section or SECTIONS[0]).split())
    return section, " ".join(entry.content.split())


def _check_length(wanted: list[Line], limits: Limits) -> None:
    """No line is evicted for another one here: the user has seen and kept them all."""
    length = len(identity.render(wanted))
    if length > limits.identity_chars:
        raise IdentityFullError(
            f"the text has {length} characters, layer identity holds {limits.identity_chars}"
        )
    longest = max((len(content) for _, content in wanted), default=0)
    if longest > limits.content_chars:
        raise IdentityInvalidError(
            f"a line has {longest} characters, {limits.content_chars} are allowed"
        )


def _matched(
    known: list[tuple[Line, Entry]], wanted: list[Line]
) -> tuple[set[int], dict[int, str]]:
    """The ids of the entries that stay, and of those that only change their section, with the new
    one."""
    stay = {entry.id for line, entry in known if line in wanted}
    there = {line for line, _ in known}
    new = {content: section for section, content in wanted if (section, content) not in there}
    moved: dict[int, str] = {}
    for (_, content), entry in known:
        if entry.id not in stay and content in new:
            moved[entry.id] = new.pop(content)
    return stay, moved


def _add(
    connection: Connection,
    scope: MemoryScope,
    section: str,
    content: str,
    limits: Limits,
    now: float,
) -> None:
    # A key of its own: the text says all of layer identity, so a new line replaces no other one.
    key = entries.free_key(connection, scope.user, "user", None, entries.key_for(content))
    draft = Draft(content, key=key, layer="identity", section=section, source="user")
    store.store(connection, scope, draft, limits=limits, now=now)
