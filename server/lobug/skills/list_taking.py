"""Taking things off lists by voice, moving them, and taking back what was done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from lobug.agenda.lists import Item, ItemList
from lobug.language.en import list_references, list_words
from lobug.skills import list_speech
from lobug.skills.list_access import Target
from lobug.skills.list_adding import ListAdding
from lobug.skills.list_talk import NAME, Talk, matching
from lobug.skills.skill import Command, CommandAnswer


class ListTaking(ListAdding):
    """What people ask for when something is to come off a list."""

    def remove(self, talk: Talk) -> Command | None:
        """Take things off a list."""
        items = talk.items()
        if any(map(list_words.is_pronoun, items)) and list_words.excepts(talk.request.text):
            return None
        if talk.match.chosen and (
            list_words.excepts(talk.request.text) or not self._are_there(talk, items)
        ):
            return None
        if items and all(map(list_words.is_pronoun, items)) and talk.before:
            return self._off_told(talk, talk.before, items[0], "removed")
        if any(map(list_words.is_list_order, items)) and " off " not in f" {items[0]} ":
            return None
        return self._off(talk, items, "removed")

    def _are_there(self, talk: Talk, items: Sequence[str]) -> bool:
        """Whether each of these things is on a list."""
        every = [item for one in talk.shelf.every for item in one.open]
        return bool(items) and all(matching(every, item) for item in items)

    def remove_it(self, talk: Talk) -> Command | None:
        """ "I got the milk, take it off the list"."""
        if list_words.excepts(talk.request.text):
            return None
        how = "ticked" if re.search(r"\b(?:tick|check|mark)\b", talk.match.request) else "removed"
        return self._off_told(talk, talk.match.slots["items"], talk.match.slots.get("it", ""), how)

    def _off_told(self, talk: Talk, said: str, pronoun: str, how: str) -> Command | None:
        """Take off what ``said`` tells of: one thing, or several where ``pronoun`` is plural."""
        usable = [one for one in talk.shelf.every if talk.may_write(one)]
        named = talk.target(write=True) if talk.names_list else None
        if isinstance(named, Target):
            usable = [one for one in usable if one == named.list]
        open_items = [(one, item) for one in usable for item in one.open]
        contents = list_references.told_of(said, [item.content for _, item in open_items])
        told = [(one, item) for one, item in open_items if item.content in contents]
        lists = list(dict.fromkeys(one.id for one, _ in told))
        if len(lists) == 1 and (len(told) == 1 or not list_words.is_singular(pronoun or "it")):
            one = told[0][0]
            return self._taking_off(talk, one, [item for _, item in told], (), how)
        if len(lists) == 1:
            items = tuple(item for _, item in told)
            names = list_words.joined([item.content for item in items[:6]], "or")
            data = {"kind": "which_item", "list": told[0][0], "items": items, "how": how}
            return talk.request.ask(talk.phrase("which_item", things=names), NAME, data)
        thing = list_references.obtained(said) or list_references.needed(said)
        items_told = list_words.items_in(thing) if thing is not None else []
        if any(map(list_words.is_sentence, items_told)):
            return None
        return self._off(talk, items_told, how)

    def remove_corrected(self, talk: Talk) -> Command | None:
        """ "Take bread off the list. No, the eggs"."""
        slots = {**talk.match.slots, "items": talk.match.slots["more"]}
        del slots["more"]
        return self.remove(replace(talk, match=replace(talk.match, slots=slots)))

    def tick(self, talk: Talk) -> Command | None:
        """Tick things off: they are kept, but no longer read."""
        items = talk.items()
        if items and all(map(list_words.is_pronoun, items)) and talk.before:
            return self._off_told(talk, talk.before, items[0], "ticked")
        return self._off(talk, items, "ticked")

    def replace(self, talk: Talk) -> Command | None:
        """ "Swap the beef for cod": one thing comes off a list and another goes on it."""
        old, new = talk.items(), talk.items("more")
        if len(old) != 1 or not new or not all(map(list_words.is_thing, [*old, *new])):
            return None
        if any(map(list_words.is_sentence, [*old, *new])):
            return None
        if talk.names_list:
            one = talk.existing(write=True)
            if not isinstance(one, ItemList):
                return one
        else:
            usable = [one for one in talk.shelf.every if talk.may_write(one)]
            holding = [one for one in usable if matching(one.open, old[0])]
            if len(holding) != 1:
                return talk.ask_which(holding) if holding else None
            one = holding[0]
        found = matching(one.open, old[0])
        if len(found) > 1:
            return self._off_list(talk, one, old, "removed")
        if not found:
            return self._taking_off(talk, one, (), old, "removed")
        return self._replacing(talk, one, found, old, new)

    def _replacing(
        self,
        talk: Talk,
        one: ItemList,
        found: Sequence[Item],
        old: Sequence[str],
        new: Sequence[str],
    ) -> Command:
        target = talk.shelf.target_of(one)

        async def act(_: int) -> CommandAnswer:
            gone = await self._lists.remove(one.user, one.id, [item.id for item in found])
            came = await self._lists.add(target.user, target.name, new)
            talk.note(came.list, "added", ids=tuple(item.id for item in came.items))
            contents = [item.content for item in gone]
            name = list_speech.name_of(talk.phrase, one)
            off = list_speech.gone(talk.phrase, "removed", name, contents, [] if gone else old)
            return CommandAnswer((*off, list_speech.added(talk.phrase, target, came)))

        return Command(talk.request.text, act)

    def got(self, talk: Talk) -> Command | None:
        """ "I've got the milk": only while the list is being read, and only what is on it."""
        deed, recent = talk.deed, talk.recent
        if deed is None or recent is None or deed.data.get("kind") not in {"read", "ticked"}:
            return None
        items = talk.items()
        if not items or not all(matching(recent.open, item) for item in items):
            return None
        return self._off_list(talk, recent, items, "ticked")

    def move(self, talk: Talk) -> Command | None:
        """Move things from a list to another one."""
        target = talk.target(write=True, suffix="2")
        items = talk.items()
        if not isinstance(target, Target) or not items:
            return None
        if any(" from " in item or " off " in item for item in items) or any(
            map(list_words.is_pronoun, items)
        ):
            return None
        source = self._source(talk, target, items)
        if not isinstance(source, ItemList):
            return source
        found = [item for asked in items for item in matching(source.open, asked)[:1]]
        missing = [asked for asked in items if not matching(source.open, asked)]
        name = list_speech.name_of(talk.phrase, source)

        async def act(_: int) -> CommandAnswer:
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
            return CommandAnswer(tuple(said))

        return Command(talk.request.text, act)

    def _source(
        self, talk: Talk, target: Target, items: Sequence[str]
    ) -> ItemList | Command | None:
        """The list that things are moved from."""
        if any(talk.match.slots.get(key) for key in ("whose", "known", "bare", "name")):
            return talk.existing(write=True)
        others = [one for one in talk.shelf.every if one != target.list]
        holding = [one for one in others if matching(one.open, items[0])]
        if talk.recent is not None and talk.recent in holding:
            return talk.recent
        if len(holding) == 1:
            return holding[0]
        if holding:
            return talk.ask_which(holding)
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
        if not isinstance(contents, tuple) or not contents:
            return None
        return self._adding(talk, talk.shelf.target_of(one), [str(content) for content in contents])

    def _taking_back(self, talk: Talk, one: ItemList, ids: tuple[int, ...]) -> Command:
        async def act(_: int) -> CommandAnswer:
            gone = await self._lists.remove(one.user, one.id, ids)
            talk.note(one, "undone")
            name = list_speech.name_of(talk.phrase, one)
            if not gone:
                return CommandAnswer((talk.phrase("nothing_left"),))
            things = list_words.joined([item.content for item in gone])
            return CommandAnswer((talk.phrase("undone", things=things, list=name),))

        return Command(talk.request.text, act)

    def _off(self, talk: Talk, items: Sequence[str], how: str) -> Command | None:
        if not items or not all(map(list_words.is_thing, items)):
            return None
        every = [item for one in talk.shelf.every for item in one.open]
        if any(list_words.is_sentence(item) and not matching(every, item) for item in items):
            return None
        if talk.names_list:
            one = talk.existing(write=True)
            if not isinstance(one, ItemList):
                return one
            return self._off_list(talk, one, items, how)
        usable = [one for one in talk.shelf.every if talk.may_write(one)]
        holding = [one for one in usable if any(matching(one.open, item) for item in items)]
        recent = talk.recent
        if recent is not None and recent in usable and (recent in holding or not holding):
            return self._off_list(talk, recent, items, how) if talk.deed or holding else None
        if len(holding) == 1:
            return self._off_list(talk, holding[0], items, how)
        return talk.ask_which(holding) if holding else None

    def _off_list(
        self, talk: Talk, one: ItemList, items: Sequence[str], how: str
    ) -> Command | None:
        found: list[Item] = []
        others: list[Item] = []
        missing: list[str] = []
        for asked in items:
            meant = matching(one.open, asked)
            if len(meant) > 1:
                names = list_words.joined([item.content for item in meant[:6]], "or")
                data = {"kind": "which_item", "list": one, "items": meant, "how": how}
                return talk.request.ask(talk.phrase("which_item", things=names), NAME, data)
            missing += [] if meant else [asked]
            whole = all(list_words.is_whole_name(asked, item.content) for item in meant)
            (found if whole else others).extend(meant)
        taking = self._taking_off(talk, one, found, missing, how)
        return self._asking_of(talk, one, others, taking, how) if others else taking

    def _asking_of(
        self,
        talk: Talk,
        one: ItemList,
        others: Sequence[Item],
        taking: Command,
        how: str,
    ) -> Command:
        """Take off what was named, and ask whether things that have another name are meant too:
        "milk" may not be "oat milk"."""
        contents = [item.content for item in others]
        which = "other" if list_words.verb_for(contents) == "is" else "others"
        name = list_speech.name_of(talk.phrase, one)
        question = talk.phrase(f"{which}_{how}", things=list_words.joined(contents), list=name)
        data = {"kind": "others", "list": one, "items": tuple(others), "how": how}
        asking = talk.request.ask(question, NAME, data)

        async def act(message_id: int) -> CommandAnswer:
            taken = await taking.act(message_id)
            asked = await asking.act(message_id)
            return CommandAnswer((*taken.sentences, *asked.sentences))

        return Command(talk.request.text, act)

    def _taking_off(
        self,
        talk: Talk,
        one: ItemList,
        found: Sequence[Item],
        missing: Sequence[str],
        how: str,
    ) -> Command:
        async def act(_: int) -> CommandAnswer:
            ids = [item.id for item in found]
            change = self._lists.tick if how == "ticked" else self._lists.remove
            gone = await change(one.user, one.id, ids) if ids else ()
            contents = tuple(item.content for item in gone)
            left = [item.content for item in found if item.content not in contents]
            talk.note(one, how, contents=contents, ids=tuple(item.id for item in gone))
            name = list_speech.name_of(talk.phrase, one)
            return CommandAnswer(
                list_speech.gone(talk.phrase, how, name, contents, [*missing, *left])
            )

        return Command(talk.request.text, act)

    def clear(self, talk: Talk) -> Command | None:
        """Ask whether to erase what is on a list."""
        if list_words.excepts(talk.request.text):
            return None
        one = talk.existing(write=True)
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
        one = talk.existing(write=True)
        if not isinstance(one, ItemList):
            return one
        how = "sure_delete" if one.open else "sure_delete_empty"
        name, number = list_speech.name_of(talk.phrase, one), list_words.counted(len(one.open))
        question = talk.phrase(how, list=name, count=number)
        return talk.request.ask(question, NAME, {"kind": "delete", "list": one})
