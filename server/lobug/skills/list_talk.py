"""One turn about lists: which list is meant, which things, and what was done before."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from lobug.agenda.lists import Item, ItemList
from lobug.conversation.registry import SkillDeed
from lobug.language.en import list_names, list_references, list_words
from lobug.language.en.list_names import NamedList, list_key
from lobug.language.en.list_words import item_key
from lobug.skills import list_speech
from lobug.skills.list_access import Shelf, Target, Unclear
from lobug.skills.skill import Command, CommandAnswer, Match, Request

NAME = "lists"
THE_LIST_S = 600.0
"""Seconds for which "the list" is the one that was spoken of last."""

TO_DO = list_key("to-do")
MOST_NAME_WORDS = 6
NAMING = frozenset({"whose", "known", "bare", "name", "rest", "errand"})
"""Slots of the words that name a list."""


@dataclass(frozen=True, slots=True)
class Talk:
    """One turn: what was asked and which lists there are."""

    request: Request
    match: Match
    shelf: Shelf
    agrees: bool | None = None
    """Whether the words say yes or no to what was asked; None: neither."""

    def phrase(self, name: str, **values: object) -> str:
        """A sentence of this skill."""
        return self.request.phrase(NAME, name, **values)

    @property
    def deed(self) -> SkillDeed | None:
        """What was done to lists in the turn before; None: that was about something else."""
        if self.request.follows != NAME:
            return None
        return self.request.conversation.dialogue.last_deed(NAME, self.request.turn_time)

    @property
    def deed_age(self) -> float:
        """Seconds since then."""
        deed = self.deed
        return 0.0 if deed is None else self.request.turn_time - deed.at

    @property
    def recent(self) -> ItemList | None:
        """The list that was spoken of last."""
        deed = self.request.conversation.dialogue.last_deed(
            NAME, self.request.turn_time, within_s=THE_LIST_S
        )
        return None if deed is None else self.shelf.of_id(deed.data.get("list_id"))

    def note(self, one: ItemList, kind: str, **data: object) -> None:
        """Keep what was done to a list, for "it" and "not that"."""
        deed = SkillDeed(
            self.request.turn_time, {"kind": kind, "list_id": one.id, "user": one.user, **data}
        )
        self.request.conversation.dialogue.note_deed(NAME, deed)

    def named(self, suffix: str = "") -> NamedList | None:
        """The list in the words; None: none is named, or what is named is no list."""
        slots = self.match.slots
        whose = slots.get(f"whose{suffix}")
        name = (
            slots.get(f"known{suffix}") or slots.get(f"bare{suffix}") or slots.get(f"name{suffix}")
        )
        rest = slots.get("rest") if not suffix else None
        if self.match.chosen and slots.get("list"):
            name = slots["list"]
        if slots.get("errand"):
            name = "shopping"
        if name is None and slots.get("aim") and self._has_list(slots["aim"]):
            name = slots["aim"]
        if (name or "").lower().startswith(
            ("a ", "an ")
        ) and self.match.intent != "Create":  # "What is a shopping list?"
            return None
        if name and whose and f"{whose}{name}" in self.match.request:  # "my" of "mystery list"
            whose, name = None, f"{whose}{name}"
        found = list_names.named_list(whose, name, rest, link=slots.get("link", "called").lower())
        most = MOST_NAME_WORDS + 2 * (found.name or "").startswith("list ")
        return found if list_names.is_list_name(found.name, most) else None

    def _has_list(self, name: str) -> bool:
        return any(one.key == list_key(name) for one in self.shelf.every)

    @property
    def before(self) -> str:
        """What was said before the request."""
        return self._around[0]

    @property
    def after(self) -> str:
        """What was said after the request."""
        return self._around[1]

    @property
    def _around(self) -> tuple[str, str]:
        text = " ".join(self.request.text.split())
        at = text.rfind(self.match.request)
        if at < 0:
            return "", ""
        return text[:at], text[at + len(self.match.request) :]

    def target(self, *, write: bool, suffix: str = "") -> Target | Unclear | None:
        """The list that is meant; None: the words name no list. Raises ListForbiddenError."""
        named = self.named(suffix)
        return None if named is None else self.shelf.find(named, write=write, recent=self.recent)

    def items(self, slot: str = "items", *, chores: bool = False) -> list[str]:
        """The things in a slot. Those that begin the words lose their capital."""
        words = self.match.slots.get(slot, "")
        at = self.match.request.find(words)
        around = self.match.request[max(0, at - 1) : at + len(words) + 1] if at >= 0 else words
        if around[:1] in "\"'\u201c\u2018" and around[-1:] in "\"'\u201d\u2019" and at > 0:
            return [words]
        if words.lower().startswith("that "):  # "that I have to renew the passport"
            words = list_references.needed(words[5:]) or words
        found = list_words.items_in(words, chores=chores)
        if found and at == 0:
            found[0] = list_words.uncapitalised(found[0])
        return found

    @property
    def names_list(self) -> bool:
        """Whether the words name a list, or say "the list"."""
        slots = self.match.slots
        if self.match.chosen:
            return bool(slots.get("list"))
        return any(slots.get(key) for key in NAMING) or bool(
            re.search(r"\blist\b", self.match.request, re.IGNORECASE)
        )

    def may_write(self, one: ItemList) -> bool:
        """Whether the person may change a list."""
        return one.user == self.request.user or self.shelf.grant == "write"

    def ask_what(self, target: Target) -> Command:
        """Ask what to put on a list."""
        question = self.phrase("what", list=list_speech.name_of(self.phrase, target))
        return self.request.ask(question, NAME, {"kind": "what", "target": target})

    def ask_which(self, lists: Sequence[ItemList]) -> Command:
        """Ask which of several lists is meant."""
        names = [list_speech.name_of(self.phrase, one) for one in lists[:6]]
        question = self.phrase("which_list", lists=list_words.joined(names, "or"))
        data = {"kind": "which_list", "match": self.match, "lists": tuple(lists)}
        return self.request.ask(question, NAME, data)

    def existing(self, *, write: bool = False) -> ItemList | Command | None:
        """The list that is meant, or what to say instead; None: the words name no list."""
        target = self.target(write=write)
        if target is None:
            return None
        if isinstance(target, Unclear):
            return self.ask_which(target.lists)
        if target.list is None and re.search(r"['\u2019]s\b", target.name.shown):
            return None  # "Schindler's list"
        if target.list is None:
            return self.request.say(list_speech.missing_list(self.phrase, target))
        return target.list


def matching(items: Sequence[Item], asked: str) -> tuple[Item, ...]:
    """The things that may be meant: the one of these words, else all that have them."""
    key = item_key(asked)
    keys = [(item, item_key(item.content)) for item in items]
    exact = tuple(item for item, known in keys if known == key)
    return exact or tuple(item for item, known in keys if list_words.is_meant(key, known))


def noting(command: Command, note: Callable[[], None]) -> Command:
    """A command that also keeps which list was spoken of."""
    inner: Callable[[int], Awaitable[CommandAnswer]] = command.act

    async def act(message_id: int) -> CommandAnswer:
        note()
        return await inner(message_id)

    return replace(command, act=act)
