"""Lists of things by voice: for shopping, to do, or of any name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lobug.agenda.lists import ItemList
from lobug.errors import ListForbiddenError
from lobug.language.en import list_names, list_references, list_words
from lobug.language.en.list_names import list_key
from lobug.language.en.requests import LONGEST, core_request
from lobug.skills import list_speech
from lobug.skills.list_access import Target, shelf_of
from lobug.skills.list_reading import ListReading
from lobug.skills.list_taking import ListTaking
from lobug.skills.list_talk import NAME, TO_DO, Talk, matching
from lobug.skills.skill import Command, CommandAnswer, Match, Request, SkillQuestion


class ListSkill(ListTaking, ListReading):
    """Adds to lists, reads them, takes things off them. ``Skill`` says what its methods do."""

    name = NAME

    def unavailable(self) -> str | None:
        return None

    async def plan(self, request: Request, match: Match) -> Command | None:
        shelf = await shelf_of(self._lists, request.user, self._household)
        talk = Talk(request, match, shelf)
        handler = self._handler(match.intent)
        if handler is None:
            return None
        try:
            return handler(talk)
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
        if len(request.text) > LONGEST:
            return None
        handler: Callable[[Talk, Mapping[str, object]], Command | None] = getattr(
            self, f"answer_{question.data['kind']}"
        )
        return handler(talk, question.data)

    def _handler(self, intent: str) -> Callable[[Talk], Command | None] | None:
        """What is done for an intent: the method of its name."""
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", intent).lower()
        found: Callable[[Talk], Command | None] | None = getattr(self, name, None)
        return found

    def answer_clear(self, talk: Talk, data: Mapping[str, object]) -> Command | None:
        """Erase what is on a list, or the list."""
        one = data["list"]
        agrees = talk.agrees
        if agrees is None and list_words.confirms(talk.request.text):
            agrees = True
        if agrees is None or not isinstance(one, ItemList):
            return None
        if not agrees:
            return talk.request.say(talk.phrase("kept"))
        if not talk.may_write(one):
            return talk.request.say(talk.phrase("forbidden_write"))
        name = list_speech.name_of(talk.phrase, one)
        is_clear = data["kind"] == "clear"

        async def act(_: int) -> CommandAnswer:
            if not is_clear:
                await self._lists.delete(one.user, one.id)
                return CommandAnswer((talk.phrase("deleted", list=name),))
            # Only what was there when Lo-Bug asked.
            gone = await self._lists.remove(one.user, one.id, [item.id for item in one.items])
            erased = tuple(item for item in gone if not item.done)
            contents = tuple(item.content for item in erased)
            talk.note(one, "removed", contents=contents, ids=tuple(item.id for item in erased))
            number = list_words.counted(len(erased))
            return CommandAnswer((talk.phrase("cleared", count=number, list=name),))

        return Command(talk.request.text, act)

    answer_delete = answer_clear

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
        thing = list_references.needed(said) or said
        items = list_words.items_in(thing, chores=target.name.key == TO_DO)
        chore = any(map(list_words.is_order, items)) and target.name.key != TO_DO
        if not items or chore or not all(map(list_words.is_thing, items)):
            return None
        if target.name.key != TO_DO and any(map(list_words.is_sentence, items)):
            return None
        if said.startswith(items[0]):
            items[0] = list_words.uncapitalised(items[0])
        return self._adding(talk, target, items)

    def answer_which_list(self, talk: Talk, data: Mapping[str, object]) -> Command | None:
        """Go on with the list that was named."""
        if talk.agrees is False:
            return talk.request.say(talk.phrase("never_mind"))
        lists = data["lists"]
        handler = self._handler(talk.match.intent)
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
        return handler(replace(talk, match=replace(talk.match, slots=slots)))

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
            found = tuple(item for asked in named for item in matching(items, asked))
            found = found if len(found) < len(items) else ()
        if not found:
            return None
        return self._taking_off(talk, one, found, (), str(data["how"]))

    def answer_others(self, talk: Talk, data: Mapping[str, object]) -> Command | None:
        """Take off the things that have another name than what was asked for."""
        one, items = data["list"], data["items"]
        names_them = list_words.is_pronoun(core_request(talk.request.text))
        agrees = talk.agrees or names_them or list_words.confirms(talk.request.text)
        if not isinstance(one, ItemList) or not isinstance(items, tuple):
            return None
        if talk.agrees is False:
            return talk.request.say(talk.phrase("kept"))
        return self._taking_off(talk, one, items, (), str(data["how"])) if agrees else None


def _chosen_list(said: str, lists: Sequence[ItemList]) -> ItemList | None:
    named = list_names.spoken_list(said)
    of_owner = [
        one for one in lists if named.whose is None or (":" in one.user) == (named.whose != "own")
    ]
    if named.name is None:
        return of_owner[0] if named.whose is not None and len(of_owner) == 1 else None
    found = list_names.best_match(list_key(named.name), [one.key for one in of_owner])
    return next((one for one in of_owner if one.key == found), None)
