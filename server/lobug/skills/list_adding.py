"""Putting things on lists by voice, and making lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from lobug.agenda.lists import ListName, Lists
from lobug.language.en import list_names, list_references, list_words
from lobug.language.en.list_names import list_key
from lobug.language.en.requests import core_request
from lobug.language.en.speech_acts import sentences
from lobug.memory.model import HouseholdGrant
from lobug.skills import list_speech
from lobug.skills.list_access import Target, Unclear
from lobug.skills.list_talk import TO_DO, Talk, noting
from lobug.skills.skill import Command, CommandAnswer

INSTEAD_S = 60.0
"""Seconds within which "I meant ..." corrects what was put on a list."""


class ListAdding:
    """What people ask for when something is to be put on a list."""

    def __init__(self, lists: Lists, household: Mapping[str, HouseholdGrant]) -> None:
        """``household``: the setting ``memory.household``."""
        self._lists = lists
        self._household = household

    def add(self, talk: Talk) -> Command | None:
        """Put things on the list that is named."""
        target = talk.target(write=True)
        if target is None:
            return None
        if isinstance(target, Unclear):
            return talk.ask_which(target.lists)
        items = talk.items(chores=target.name.key == TO_DO)
        if "more" in talk.match.slots:
            more = talk.items("more", chores=True)
            if not any(map(list_words.is_order, more)):
                items += more
        # "Some" alone is no article.
        bare = list_words.is_pronoun(talk.match.slots.get("items", ""))
        if bare or (items and all(map(list_words.is_pronoun, items))):
            return self._adding_told(talk, target, (talk.before, talk.after))
        if not items or not all(map(list_words.is_thing, items)):
            return None
        if len(items) == 1 and list_words.is_amount(items[0]):
            told = list_references.needed_things(talk.before, chores=False) if talk.before else []
            items = [f"{items[0]} of {told[0]}"] if len(told) == 1 else items
        if target.name.key != TO_DO and any(map(list_words.is_sentence, items)):
            return talk.ask_what(target)
        return self._adding(talk, target, items)

    add_to = add

    def add_after(self, talk: Talk) -> Command | None:
        """ "Put this on my list: milk"."""
        return self.add(talk) if ":" in talk.match.request else None

    def _adding_told(self, talk: Talk, target: Target, told: Sequence[str]) -> Command:
        """Add what the first clear one of these statements says is needed, or ask."""
        chores = target.name.key == TO_DO
        for said in told:
            items = list_references.needed_things(said, chores=chores, is_before=said != told[-1])
            if items:
                if talk.request.text.lstrip().startswith(items[0]):
                    items[0] = list_words.uncapitalised(items[0])
                return self._adding(talk, target, items)
        return talk.ask_what(target)

    def add_terse(self, talk: Talk) -> Command | None:
        """ "Milk on the list": only what can be nothing but things."""
        items = talk.items()
        known = talk.match.slots.get("known") or talk.match.slots.get("bare")
        if not items or any(len(item.split()) > 4 for item in items):
            return None
        whole = {core_request(part) for part in (talk.request.text, *sentences(talk.request.text))}
        if talk.match.request not in whole or any(map(list_words.is_list_order, items)):
            return None
        if list_words.tells(talk.match.slots["items"]) or not all(map(list_words.is_thing, items)):
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
            return talk.ask_which(target.lists)
        told = (f"{talk.before}{talk.match.slots['items']}", talk.match.slots["items"], talk.after)
        return self._adding_told(talk, target, told)

    def add_what(self, talk: Talk) -> Command | None:
        """ "Add something to my list"."""
        target = talk.target(write=True)
        if target is None:
            return None
        if isinstance(target, Unclear):
            return talk.ask_which(target.lists)
        return talk.ask_what(target)

    def add_more(self, talk: Talk) -> Command | None:
        """ "And add eggs", while a list is spoken of."""
        deed, recent = talk.deed, talk.recent
        if deed is None or recent is None:
            return None
        items = talk.items(chores=recent.key == TO_DO)
        if not items or not all(map(list_words.is_thing, items)):
            return None
        if recent.key != TO_DO and any(map(list_words.is_sentence, items)):
            return None
        if any(map(list_words.is_number, items)):  # a sum, or more time for a timer
            return None
        if any(map(list_words.has_place, items)) and not (
            recent.key == TO_DO and all(map(list_words.is_order, items))
        ):
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

        async def act(_: int) -> CommandAnswer:
            gone = await self._lists.remove(one.user, one.id, ids)
            came = await self._lists.add(target.user, target.name, items)
            talk.note(came.list, "added", ids=tuple(item.id for item in came.items))
            contents = [item.content for item in gone]
            name = list_speech.name_of(talk.phrase, one)
            off = list_speech.gone(talk.phrase, "removed", name, contents, ())
            return CommandAnswer((*off, list_speech.added(talk.phrase, target, came)))

        return Command(talk.request.text, act)

    def _adding(self, talk: Talk, target: Target, items: Sequence[str]) -> Command:
        async def act(_: int) -> CommandAnswer:
            came = await self._lists.add(target.user, target.name, items)
            ids = tuple(item.id for item in came.items)
            talk.note(came.list, "added", ids=ids)
            return CommandAnswer((list_speech.added(talk.phrase, target, came),))

        return Command(talk.request.text, act)

    def create(self, talk: Talk) -> Command | None:
        """Make a list, perhaps with things on it."""
        named = talk.named()
        if named is None or named.name is None or list_names.is_text_order(named.name):
            return None
        exact = ListName(named.name, list_key(named.name))
        found = talk.shelf.find(named, write=True)
        if isinstance(found, Target) and found.list is not None and found.name.key == exact.key:
            target = found
        else:
            user = found.user if isinstance(found, Target) else talk.request.user
            target = Target(user, exact)
        items = talk.items() if "items" in talk.match.slots else []
        if any(map(list_words.is_sentence, items)) and target.name.key != TO_DO:
            return None
        if target.list is not None and not items:
            name = list_speech.name_of(talk.phrase, target)
            said = talk.request.say(talk.phrase("exists", list=name))
            return noting(said, partial(talk.note, target.list, "read"))
        return self._adding(talk, target, items) if items else self._creating(talk, target)

    def _creating(self, talk: Talk, target: Target) -> Command:
        async def act(_: int) -> CommandAnswer:
            one = await self._lists.create(target.user, target.name)
            talk.note(one, "created")
            name = list_speech.name_of(talk.phrase, one)
            return CommandAnswer((talk.phrase("created", list=name),))

        return Command(talk.request.text, act)
