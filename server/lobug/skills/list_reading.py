"""Reading lists by voice, and answering what is on them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lobug.agenda.lists import ItemList
from lobug.language.en import list_words
from lobug.skills import list_speech
from lobug.skills.list_talk import NAME, Talk, matching, noting
from lobug.skills.skill import Command


class ListReading:
    """What people ask about their lists. Nothing is changed."""

    def read(self, talk: Talk) -> Command | None:
        """Say what is on a list."""
        if talk.match.intent == "ReadIt" and talk.recent is None:
            return None
        one = talk.existing()
        if not isinstance(one, ItemList):
            return one
        return self._reading(talk, one, [item.content for item in one.open])

    read_it = read

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
        return noting(ask, partial(talk.note, one, "read"))

    def count(self, talk: Talk) -> Command | None:
        """Say how much is on a list."""
        one = talk.existing()
        if not isinstance(one, ItemList):
            return one
        said = talk.request.say(list_speech.size(talk.phrase, one))
        return noting(said, partial(talk.note, one, "read"))

    def has(self, talk: Talk) -> Command | None:
        """Say whether something is on a list."""
        if not talk.names_list and talk.recent is None:
            return None
        asked = talk.items()
        if not asked or not all(map(list_words.is_thing, asked)):
            return None
        one = talk.existing()
        if not isinstance(one, ItemList):
            return one
        there: list[str] = []
        missing: list[str] = []
        for thing in asked:
            found = matching(one.open, thing)
            (there if found else missing).extend([found[0].content] if found else [thing])
        name = list_speech.name_of(talk.phrase, one)
        said = talk.request.say(list_speech.presence(talk.phrase, name, there, missing))
        return noting(said, partial(talk.note, one, "asked"))

    def which(self, talk: Talk) -> Command | None:
        """Say which lists there are, or whether there is one."""
        if not talk.names_list:
            return talk.request.say(list_speech.all_lists(talk.phrase, talk.shelf))
        one = talk.existing()
        if not isinstance(one, ItemList):
            return one
        number, name = list_words.counted(len(one.open)), list_speech.name_of(talk.phrase, one)
        how = talk.phrase("exists_with", list=name, count=number)
        said = talk.request.say(how if one.open else list_speech.size(talk.phrase, one))
        return noting(said, partial(talk.note, one, "read"))
