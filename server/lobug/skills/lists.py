"""Lists of things by voice: for shopping, to do, or of any name."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from lobug.agenda.lists import Item, ItemList, ListName, Lists
from lobug.conversation.registry import SkillDeed
from lobug.errors import ListForbiddenError
from lobug.language.en import list_words
from lobug.language.en.list_words import NamedList, item_key, list_key
from lobug.language.en.requests import core_request
from lobug.language.en.speech_acts import sentences
from lobug.memory.model import HouseholdGrant
from lobug.skills import list_speech
from lobug.skills.list_access import Shelf, Target, Unclear, shelf_of
from lobug.skills.skill import Answer, Choice, Command, Match, Request, SkillQuestion

NAME = "lists"
THE_LIST_S = 600.0
"""Seconds for which "the list" is the one that was spoken of last."""

INSTEAD_S = 60.0
"""Seconds within which "I meant ..." corrects what was put on a list."""
TO_DO = list_key("to-do")
MOST_NAME_WORDS = 6


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
        """What was done to lists in the last two minutes."""
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
        if (name or "").lower().startswith(
            ("a ", "an ")
        ) and self.match.intent != "Create":  # "What is a shopping list?"
            return None
        if name and whose and f"{whose}{name}" in self.match.request:  # "my" of "mystery list"
            whose, name = None, f"{whose}{name}"
        found = list_words.named_list(whose, name, rest, link=slots.get("link", "called").lower())
        return found if list_words.is_list_name(found.name, MOST_NAME_WORDS) else None

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
            words = list_words.needed(words[5:]) or words
        found = list_words.items_in(words, chores=chores)
        if found and at == 0:
            found[0] = list_words.uncapitalised(found[0])
        return found


Handler = Callable[["ListSkill", Talk], "Command | None"]


class ListSkill:
    """Adds to lists, reads them, takes things off them. ``Skill`` says what its methods do."""

    name = NAME
    choices: Sequence[Choice] = (
        Choice(
            "Add",
            "put things on a shopping, to-do or other list",
            {"items": "the things", "list": "name of the list"},
            frozenset({"items"}),
        ),
        Choice("Read", "read what is on a list", {"list": "name of the list"}),
        Choice(
            "Remove",
            "take things off a list",
            {"items": "the things", "list": "name of the list"},
            frozenset({"items"}),
        ),
        Choice(
            "Has",
            "whether a thing is on a list",
            {"items": "the thing", "list": "name of the list"},
            frozenset({"items"}),
        ),
    )

    def __init__(self, lists: Lists, household: Mapping[str, HouseholdGrant]) -> None:
        """``household``: the setting ``memory.household``."""
        self._lists = lists
        self._household = household

    def unavailable(self) -> str | None:
        return None

    async def plan(self, request: Request, match: Match) -> Command | None:
        shelf = await shelf_of(self._lists, request.user, self._household)
        talk = Talk(request, match, shelf)
        handler = _HANDLERS.get(match.intent)
        if handler is None or (match.chosen and not _OF_LISTS.search(request.text)):
            return None
        try:
            return handler(self, talk)
        except ListForbiddenError:
            writes = match.intent not in {"Read", "Count", "Has", "Which"}
            can_read = shelf.grant != "none"
            return request.say(
                talk.phrase("forbidden_write" if writes and can_read else "forbidden_read")
            )

    async def answer(
        self, request: Request, question: SkillQuestion, *, agrees: bool | None
    ) -> Command | None:
        shelf = await shelf_of(self._lists, request.user, self._household)
        match = question.data.get("match")
        talk = Talk(request, match if isinstance(match, Match) else Match(NAME, ""), shelf, agrees)
        handler = _ANSWERS.get(str(question.data.get("kind")))
        return None if handler is None else handler(self, talk, question.data)

    # ---- adding

    def add(self, talk: Talk) -> Command | None:
        """Put things on the list that is named."""
        target = talk.target(write=True)
        if target is None:
            return None
        if isinstance(target, Unclear):
            return self._ask_which(talk, target.lists)
        items = talk.items(chores=target.name.key == TO_DO)
        if "more" in talk.match.slots:
            more = talk.items("more", chores=True)
            if not any(map(list_words.is_order, more)):
                items += more
        if items and all(map(list_words.is_pronoun, items)):
            return self._ask_what(talk, target)
        if not items or not all(map(list_words.is_thing, items)):
            return None
        return self._adding(talk, target, items)

    def add_terse(self, talk: Talk) -> Command | None:
        """ "Milk on the list": only what can be nothing but things."""
        items = talk.items()
        known = talk.match.slots.get("known") or talk.match.slots.get("bare")
        if not items or any(len(item.split()) > 4 for item in items):
            return None
        whole = {core_request(part) for part in (talk.request.text, *sentences(talk.request.text))}
        if talk.match.request not in whole or any(map(list_words.is_list_order, items)):
            return None
        if any(map(list_words.tells, items)) or not all(map(list_words.is_thing, items)):
            return None
        if any(map(list_words.is_order, items)) and (not known or list_key(known) != TO_DO):
            return None
        return self.add(talk)

    def add_it(self, talk: Talk) -> Command | None:
        """ "We're out of milk, put it on the list"."""
        target = talk.target(write=True)
        if target is None:
            return None
        if isinstance(target, Unclear):
            return self._ask_which(talk, target.lists)
        thing = list_words.needed(talk.match.slots["items"])
        items = list_words.items_in(thing, chores=target.name.key == TO_DO) if thing else []
        if not items or not all(map(list_words.is_thing, items)):
            return self._ask_what(talk, target)
        if talk.match.request.startswith(items[0]):
            items[0] = list_words.uncapitalised(items[0])
        return self._adding(talk, target, items)

    def add_what(self, talk: Talk) -> Command | None:
        """ "Add something to my list"."""
        target = talk.target(write=True)
        if target is None:
            return None
        if isinstance(target, Unclear):
            return self._ask_which(talk, target.lists)
        return self._ask_what(talk, target)

    def add_more(self, talk: Talk) -> Command | None:
        """ "And add eggs", while a list is spoken of."""
        deed, recent = talk.deed, talk.recent
        if deed is None or recent is None:
            return None
        items = talk.items(chores=recent.key == TO_DO)
        if not items or not all(map(list_words.is_thing, items)):
            return None
        if any(re.search(r"\d\s*(?:$|[-+*/x])", item) for item in items):  # a sum
            return None
        return self._adding(talk, talk.shelf.target_of(recent), items)

    def add_corrected(self, talk: Talk) -> Command | None:
        """ "Add milk to the list. Actually, make that cream"."""
        slots = {**talk.match.slots, "items": talk.match.slots["more"]}
        del slots["more"]
        return self.add(replace(talk, match=replace(talk.match, slots=slots)))

    def instead(self, talk: Talk) -> Command | None:
        """ "I meant oat milk", right after something was put on a list."""
        deed, one = talk.deed, talk.recent
        ids = deed.data.get("ids") if deed is not None else None
        if one is None or deed is None or deed.data["kind"] != "added":
            return None
        if not isinstance(ids, tuple) or not ids or talk.deed_age > INSTEAD_S:
            return None
        items = talk.items(chores=one.key == TO_DO)
        if not items or not all(map(list_words.is_thing, items)):
            return None
        target = talk.shelf.target_of(one)

        async def act(_: int) -> Answer:
            gone = await self._lists.remove(one.user, one.id, ids)
            came = await self._lists.add(target.user, target.name, items)
            talk.note(came.list, "added", ids=tuple(item.id for item in came.items))
            contents = [item.content for item in gone]
            name = list_speech.name_of(talk.phrase, one)
            off = list_speech.gone(talk.phrase, "removed", name, contents, ())
            return Answer((*off, list_speech.added(talk.phrase, target, came)))

        return Command(talk.request.text, act)

    def _adding(self, talk: Talk, target: Target, items: Sequence[str]) -> Command:
        async def act(_: int) -> Answer:
            came = await self._lists.add(target.user, target.name, items)
            ids = tuple(item.id for item in came.items)
            talk.note(came.list, "added", ids=ids)
            return Answer((list_speech.added(talk.phrase, target, came),))

        return Command(talk.request.text, act)

    def _ask_what(self, talk: Talk, target: Target) -> Command:
        question = talk.phrase("what", list=list_speech.name_of(talk.phrase, target))
        return talk.request.ask(question, NAME, {"kind": "what", "target": target})

    def _ask_which(self, talk: Talk, lists: Sequence[ItemList]) -> Command:
        names = [list_speech.name_of(talk.phrase, one) for one in lists[:6]]
        question = talk.phrase("which_list", lists=list_words.joined(names, "or"))
        data = {"kind": "which_list", "match": talk.match, "lists": tuple(lists)}
        return talk.request.ask(question, NAME, data)

    # ---- reading

    def read(self, talk: Talk) -> Command | None:
        """Say what is on a list."""
        if talk.match.intent == "ReadIt" and talk.recent is None:
            return None
        one = self._existing(talk)
        if not isinstance(one, ItemList):
            return one
        return self._reading(talk, one, [item.content for item in one.open])

    def _reading(
        self, talk: Talk, one: ItemList, things: Sequence[str], *, more: bool = False
    ) -> Command:
        name = list_speech.name_of(talk.phrase, one)
        if not things:
            said = list_speech.opened(talk.phrase("empty", list=name))
            rest: tuple[str, ...] = ()
        else:
            said, rest = list_speech.read_out(talk.phrase, name, things, more=more)
        until = {"kind": "go_on", "list": one, "things": rest}
        ask = talk.request.ask(said, NAME, until) if rest else talk.request.say(said)
        return _noting(ask, partial(talk.note, one, "read"))

    def count(self, talk: Talk) -> Command | None:
        """Say how much is on a list."""
        one = self._existing(talk)
        if not isinstance(one, ItemList):
            return one
        said = talk.request.say(list_speech.size(talk.phrase, one))
        return _noting(said, partial(talk.note, one, "read"))

    def has(self, talk: Talk) -> Command | None:
        """Say whether something is on a list."""
        if not _names_list(talk) and talk.recent is None:
            return None
        asked = talk.items()
        if not asked or not all(map(list_words.is_thing, asked)):
            return None
        one = self._existing(talk)
        if not isinstance(one, ItemList):
            return one
        there: list[str] = []
        missing: list[str] = []
        for thing in asked:
            found = _matching(one.open, thing)
            (there if found else missing).extend([found[0].content] if found else [thing])
        name = list_speech.name_of(talk.phrase, one)
        said = talk.request.say(list_speech.presence(talk.phrase, name, there, missing))
        return _noting(said, partial(talk.note, one, "asked"))

    def which(self, talk: Talk) -> Command | None:
        """Say which lists there are, or whether there is one."""
        if not _names_list(talk):
            return talk.request.say(list_speech.all_lists(talk.phrase, talk.shelf))
        one = self._existing(talk)
        if not isinstance(one, ItemList):
            return one
        number, name = list_words.counted(len(one.open)), list_speech.name_of(talk.phrase, one)
        how = talk.phrase("exists_with", list=name, count=number)
        said = talk.request.say(how if one.open else list_speech.size(talk.phrase, one))
        return _noting(said, partial(talk.note, one, "read"))

    def _existing(self, talk: Talk, *, write: bool = False) -> ItemList | Command | None:
        """The list that is meant, or what to say instead; None: the words name no list."""
        target = talk.target(write=write)
        if target is None:
            return None
        if isinstance(target, Unclear):
            return self._ask_which(talk, target.lists)
        if target.list is None:
            return talk.request.say(list_speech.missing_list(talk.phrase, target))
        return target.list

    # ---- taking off

    def remove(self, talk: Talk) -> Command | None:
        """Take things off a list."""
        items = talk.items()
        if any(map(list_words.is_list_order, items)) and " off " not in f" {items[0]} ":
            return None
        return self._off(talk, items, "removed")

    def remove_it(self, talk: Talk) -> Command | None:
        """ "I got the milk, take it off the list"."""
        said = talk.match.slots["items"]
        how = "ticked" if re.search(r"\b(?:tick|check|mark)\b", talk.match.request) else "removed"
        told = [
            (one, item)
            for one in talk.shelf.every
            for item in one.open
            if self._may_write(talk, one) and list_words.is_told_of(item_key(item.content), said)
        ]
        named = talk.target(write=True) if _names_list(talk) else None
        if isinstance(named, Target):
            told = [(one, item) for one, item in told if one == named.list]
        if len(told) == 1:
            return self._taking_off(talk, told[0][0], [told[0][1]], (), how)
        thing = list_words.obtained(said) or list_words.needed(said)
        return None if thing is None else self._off(talk, list_words.items_in(thing), how)

    def tick(self, talk: Talk) -> Command | None:
        """Tick things off: they are kept, but no longer read."""
        return self._off(talk, talk.items(), "ticked")

    def got(self, talk: Talk) -> Command | None:
        """ "I've got the milk": only while the list is being read, and only what is on it."""
        deed, recent = talk.deed, talk.recent
        if deed is None or recent is None or deed.data.get("kind") not in {"read", "ticked"}:
            return None
        items = talk.items()
        if not items or not all(_matching(recent.open, item) for item in items):
            return None
        return self._off_list(talk, recent, items, "ticked")

    def _off(self, talk: Talk, items: Sequence[str], how: str) -> Command | None:
        if not items or not all(map(list_words.is_thing, items)):
            return None
        if _names_list(talk):
            one = self._existing(talk, write=True)
            if not isinstance(one, ItemList):
                return one
            return self._off_list(talk, one, items, how)
        usable = [one for one in talk.shelf.every if self._may_write(talk, one)]
        holding = [one for one in usable if any(_matching(one.open, item) for item in items)]
        recent = talk.recent
        if recent is not None and recent in usable and (recent in holding or not holding):
            return self._off_list(talk, recent, items, how) if talk.deed or holding else None
        if len(holding) == 1:
            return self._off_list(talk, holding[0], items, how)
        return self._ask_which(talk, holding) if holding else None

    @staticmethod
    def _may_write(talk: Talk, one: ItemList) -> bool:
        return one.user == talk.request.user or talk.shelf.grant == "write"

    def _off_list(
        self, talk: Talk, one: ItemList, items: Sequence[str], how: str
    ) -> Command | None:
        found: list[Item] = []
        missing: list[str] = []
        for asked in items:
            matching = _matching(one.open, asked)
            if len(matching) > 1:
                names = list_words.joined([item.content for item in matching[:6]], "or")
                data = {"kind": "which_item", "list": one, "items": matching, "how": how}
                return talk.request.ask(talk.phrase("which_item", things=names), NAME, data)
            found += matching
            missing += [] if matching else [asked]
        return self._taking_off(talk, one, found, missing, how)

    def _taking_off(
        self,
        talk: Talk,
        one: ItemList,
        found: Sequence[Item],
        missing: Sequence[str],
        how: str,
    ) -> Command:
        async def act(_: int) -> Answer:
            ids = [item.id for item in found]
            change = self._lists.tick if how == "ticked" else self._lists.remove
            gone = await change(one.user, one.id, ids) if ids else ()
            contents = tuple(item.content for item in gone)
            left = [item.content for item in found if item.content not in contents]
            talk.note(one, how, contents=contents, ids=tuple(item.id for item in gone))
            name = list_speech.name_of(talk.phrase, one)
            return Answer(list_speech.gone(talk.phrase, how, name, contents, [*missing, *left]))

        return Command(talk.request.text, act)

    # ---- whole lists

    def clear(self, talk: Talk) -> Command | None:
        """Ask whether to erase what is on a list."""
        one = self._existing(talk, write=True)
        if not isinstance(one, ItemList):
            return one
        name = list_speech.name_of(talk.phrase, one)
        if not one.open:
            return talk.request.say(list_speech.opened(talk.phrase("empty", list=name)))
        number = list_words.counted(len(one.open))
        question = talk.phrase("sure_clear", count=number, list=name)
        data = {"kind": "clear", "list": one}
        return talk.request.ask(question, NAME, data)

    def delete(self, talk: Talk) -> Command | None:
        """Ask whether to delete a list."""
        one = self._existing(talk, write=True)
        if not isinstance(one, ItemList):
            return one
        how = "sure_delete" if one.open else "sure_delete_empty"
        name, number = list_speech.name_of(talk.phrase, one), list_words.counted(len(one.open))
        question = talk.phrase(how, list=name, count=number)
        return talk.request.ask(question, NAME, {"kind": "delete", "list": one})

    def create(self, talk: Talk) -> Command | None:
        """Make a list, perhaps with things on it."""
        named = talk.named()
        if named is None or named.name is None or list_words.is_text_order(named.name):
            return None
        exact = ListName(named.name, list_key(named.name))
        found = talk.shelf.find(named, write=True)
        if isinstance(found, Target) and found.list is not None and found.name.key == exact.key:
            target = found
        else:
            user = found.user if isinstance(found, Target) else talk.request.user
            target = Target(user, exact)
        items = talk.items() if "items" in talk.match.slots else []
        if target.list is not None and not items:
            name = list_speech.name_of(talk.phrase, target)
            said = talk.request.say(talk.phrase("exists", list=name))
            return _noting(said, partial(talk.note, target.list, "read"))
        return self._adding(talk, target, items) if items else self._creating(talk, target)

    def _creating(self, talk: Talk, target: Target) -> Command:
        async def act(_: int) -> Answer:
            one = await self._lists.create(target.user, target.name)
            talk.note(one, "created")
            name = list_speech.name_of(talk.phrase, one)
            return Answer((talk.phrase("created", list=name),))

        return Command(talk.request.text, act)

    def move(self, talk: Talk) -> Command | None:
        """Move things from a list to another one."""
        target = talk.target(write=True, suffix="2")
        items = talk.items()
        if not isinstance(target, Target) or not items:
            return None
        if any(" from " in item for item in items) or any(map(list_words.is_pronoun, items)):
            return None
        source = self._source(talk, target, items)
        if not isinstance(source, ItemList):
            return source
        found = [item for asked in items for item in _matching(source.open, asked)[:1]]
        missing = [asked for asked in items if not _matching(source.open, asked)]
        name = list_speech.name_of(talk.phrase, source)

        async def act(_: int) -> Answer:
            ids = [item.id for item in found]
            moved = (
                await self._lists.move(source.user, source.id, ids, target.user, target.name)
                if ids
                else ()
            )
            contents = [item.content for item in moved]
            said = []
            if contents:
                talk.note(source, "moved")
                where = list_speech.name_of(talk.phrase, target)
                things = list_words.joined(contents)
                said.append(talk.phrase("moved", things=things, list=name, target=where))
            said += list_speech.gone(talk.phrase, "removed", name, (), missing)
            return Answer(tuple(said))

        return Command(talk.request.text, act)

    def _source(
        self, talk: Talk, target: Target, items: Sequence[str]
    ) -> ItemList | Command | None:
        """The list that things are moved from."""
        if any(talk.match.slots.get(key) for key in ("whose", "known", "bare", "name")):
            return self._existing(talk, write=True)
        others = [one for one in talk.shelf.every if one != target.list]
        holding = [one for one in others if _matching(one.open, items[0])]
        if talk.recent is not None and talk.recent in holding:
            return talk.recent
        if len(holding) == 1:
            return holding[0]
        if holding:
            return self._ask_which(talk, holding)
        things = list_words.joined(items)
        said = talk.phrase("on_none", things=things, be=list_words.verb_for(items))
        return talk.request.say(list_speech.opened(said))

    def undo(self, talk: Talk) -> Command | None:
        """Take back what was done to a list just now."""
        deed, one = talk.deed, talk.recent
        if deed is None or one is None:
            return None
        kind, ids = deed.data.get("kind"), deed.data.get("ids")
        if kind not in {"added", "removed", "ticked"} or not isinstance(ids, tuple) or not ids:
            return None
        if kind == "added":
            return self._taking_back(talk, one, ids)
        contents = deed.data.get("contents")
        target = talk.shelf.target_of(one)
        return self._adding(talk, target, [str(c) for c in contents]) if contents else None  # type: ignore[attr-defined]

    def _taking_back(self, talk: Talk, one: ItemList, ids: tuple[int, ...]) -> Command:
        async def act(_: int) -> Answer:
            gone = await self._lists.remove(one.user, one.id, ids)
            talk.note(one, "undone")
            name = list_speech.name_of(talk.phrase, one)
            if not gone:
                return Answer((talk.phrase("nothing_left"),))
            things = list_words.joined([item.content for item in gone])
            return Answer((talk.phrase("undone", things=things, list=name),))

        return Command(talk.request.text, act)

    # ---- answers

    def answer_erase(self, talk: Talk, data: Mapping[str, object]) -> Command | None:
        """Erase what is on a list, or the list."""
        one = data["list"]
        if talk.agrees is None or not isinstance(one, ItemList):
            return None
        if not talk.agrees:
            return talk.request.say(talk.phrase("kept"))
        if not self._may_write(talk, one):
            return talk.request.say(talk.phrase("forbidden_write"))
        name = list_speech.name_of(talk.phrase, one)
        is_clear = data["kind"] == "clear"

        async def act(_: int) -> Answer:
            if not is_clear:
                await self._lists.delete(one.user, one.id)
                return Answer((talk.phrase("deleted", list=name),))
            # Only what was there when Lo-Bug asked.
            gone = await self._lists.remove(one.user, one.id, [item.id for item in one.items])
            erased = tuple(item for item in gone if not item.done)
            contents = tuple(item.content for item in erased)
            talk.note(one, "removed", contents=contents, ids=tuple(item.id for item in erased))
            number = list_words.counted(len(erased))
            return Answer((talk.phrase("cleared", count=number, list=name),))

        return Command(talk.request.text, act)

    def answer_go_on(self, talk: Talk, data: Mapping[str, object]) -> Command | None:
        """Read the rest of a list."""
        one, things = data["list"], data["things"]
        if talk.agrees is None or not isinstance(one, ItemList) or not isinstance(things, tuple):
            return None
        if not talk.agrees:
            return talk.request.say(talk.phrase("never_mind"))
        return self._reading(talk, one, things, more=True)

    def answer_what(self, talk: Talk, data: Mapping[str, object]) -> Command | None:
        """Put on a list what was asked for."""
        target = data["target"]
        if talk.agrees is False or not isinstance(target, Target):
            return talk.request.say(talk.phrase("never_mind")) if talk.agrees is False else None
        said = core_request(talk.request.text)
        if talk.request.text.rstrip().endswith("?") or list_words.is_refusal(said):
            return None
        thing = list_words.needed(said) or said
        items = list_words.items_in(thing, chores=target.name.key == TO_DO)
        chore = any(map(list_words.is_order, items)) and target.name.key != TO_DO
        if not items or chore or not all(map(list_words.is_thing, items)):
            return None
        if said.startswith(items[0]):
            items[0] = list_words.uncapitalised(items[0])
        return self._adding(talk, target, items)

    def answer_which_list(self, talk: Talk, data: Mapping[str, object]) -> Command | None:
        """Go on with the list that was named."""
        if talk.agrees is False:
            return talk.request.say(talk.phrase("never_mind"))
        lists = data["lists"]
        handler = _HANDLERS.get(talk.match.intent)
        if handler is None or not isinstance(lists, tuple):
            return None
        one = _chosen_list(core_request(talk.request.text), lists)
        if one is None:
            return None
        chosen = "own" if one.user == talk.request.user else "household"
        slots = {
            key: words
            for key, words in talk.match.slots.items()
            if key not in {"known", "bare", "name", "rest", "link", "whose", "list"}
        }
        slots |= {"name": one.name, "whose": "my" if chosen == "own" else "our"}
        return handler(self, replace(talk, match=replace(talk.match, slots=slots)))

    def answer_which_item(self, talk: Talk, data: Mapping[str, object]) -> Command | None:
        """Take off the thing that was named."""
        if talk.agrees is False:
            return talk.request.say(talk.phrase("never_mind"))
        one, items = data["list"], data["items"]
        if not isinstance(one, ItemList) or not isinstance(items, tuple):
            return None
        said = core_request(talk.request.text)
        if list_words.is_pronoun(said):  # "both", "all"
            found = items if said.lower().strip(" .") in {"both", "all", "all of them"} else ()
        else:
            named = list_words.items_in(re.sub(r"\s+ones?$", "", said))
            found = tuple(item for asked in named for item in _matching(items, asked))
            found = found if len(found) < len(items) else ()
        if not found:
            return None
        return self._taking_off(talk, one, found, (), str(data["how"]))


_OF_LISTS = re.compile(r"\b(?:lists?|shopping|grocer(?:y|ies)|to-?dos?)\b", re.IGNORECASE)
"""Without one of these words the chat model may not choose a list."""


def _names_list(talk: Talk) -> bool:
    slots = talk.match.slots
    if talk.match.chosen:
        return bool(slots.get("list"))
    return any(slots.get(key) for key in ("whose", "known", "bare", "name", "rest")) or bool(
        re.search(r"\blist\b", talk.match.request, re.IGNORECASE)
    )


def _matching(items: Sequence[Item], asked: str) -> tuple[Item, ...]:
    """The things that may be meant: the one of these words, else all that have them."""
    key = item_key(asked)
    keys = [(item, item_key(item.content)) for item in items]
    exact = tuple(item for item, known in keys if known == key)
    return exact or tuple(item for item, known in keys if list_words.is_meant(key, known))


def _chosen_list(said: str, lists: Sequence[ItemList]) -> ItemList | None:
    named = list_words.spoken_list(said)
    of_owner = [
        one for one in lists if named.whose is None or (":" in one.user) == (named.whose != "own")
    ]
    if named.name is None:
        return of_owner[0] if named.whose is not None and len(of_owner) == 1 else None
    found = list_words.best_match(list_key(named.name), [one.key for one in of_owner])
    return next((one for one in of_owner if one.key == found), None)


def _noting(command: Command, note: Callable[[], None]) -> Command:
    """A command that also keeps which list was spoken of."""
    inner: Callable[[int], Awaitable[Answer]] = command.act

    async def act(message_id: int) -> Answer:
        note()
        return await inner(message_id)

    return replace(command, act=act)


_HANDLERS: Mapping[str, Handler] = {
    "Add": ListSkill.add,
    "AddTo": ListSkill.add,
    "AddTerse": ListSkill.add_terse,
    "AddIt": ListSkill.add_it,
    "AddWhat": ListSkill.add_what,
    "AddMore": ListSkill.add_more,
    "AddCorrected": ListSkill.add_corrected,
    "Instead": ListSkill.instead,
    "Read": ListSkill.read,
    "ReadIt": ListSkill.read,
    "Count": ListSkill.count,
    "Has": ListSkill.has,
    "Which": ListSkill.which,
    "Remove": ListSkill.remove,
    "RemoveIt": ListSkill.remove_it,
    "Tick": ListSkill.tick,
    "Got": ListSkill.got,
    "Clear": ListSkill.clear,
    "Delete": ListSkill.delete,
    "Create": ListSkill.create,
    "Move": ListSkill.move,
    "Undo": ListSkill.undo,
}
_ANSWERS: Mapping[str, Callable[[ListSkill, Talk, Mapping[str, object]], Command | None]] = {
    "clear": ListSkill.answer_erase,
    "delete": ListSkill.answer_erase,
    "go_on": ListSkill.answer_go_on,
    "what": ListSkill.answer_what,
    "which_list": ListSkill.answer_which_list,
    "which_item": ListSkill.answer_which_item,
}
