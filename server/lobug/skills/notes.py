"""Notes to self: kept word for word, read by date and topic, deleted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lobug.agenda.notes import Note, Notes
from lobug.conversation.registry import SkillDeed
from lobug.language.en import list_words, note_words
from lobug.language.en.requests import core_request
from lobug.language.en.spoken_numbers import cardinal
from lobug.skills.skill import Command, CommandAnswer, Match, Request, SkillQuestion

NAME = "notes"
READ_AT_ONCE = 4
"""Notes that are read before Lo-Bug asks whether to go on."""

_COLON = re.compile(r"(?:note|memo)\s*[:\u2013\u2014-]", re.IGNORECASE)
_KEPT = re.compile(r"[^:]{5,60}:\s", re.IGNORECASE)


_THAT = re.compile(r"\bnote (?:down )?that\b", re.IGNORECASE)


class NoteSkill:
    """Takes notes, reads and deletes them. ``Skill`` says what its methods do."""

    name = NAME

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def unavailable(self) -> str | None:
        return None

    async def plan(self, request: Request, match: Match) -> Command | None:
        if match.chosen and match.intent == "Add" and _THAT.search(request.text):
            return None  # "Make a note that I moved" tells a fact, which memory keeps
        if match.intent == "AddColon" and _COLON.match(match.request) is None:
            return None
        if match.intent == "AddKept" and _KEPT.match(match.request) is None:
            return None
        if match.intent in {"Add", "AddColon", "AddKept"}:
            return self._add(request, match)
        if match.intent == "AddWhat":
            return request.ask(request.phrase(NAME, "what"), NAME, {"kind": "what"})
        notes = await self._notes.of_user(request.user)
        if match.intent in {"Read", "ReadLast"}:
            return self._read(request, match, notes)
        if match.intent == "Count":
            return request.say(request.phrase(NAME, "count", count=_counted(request, len(notes))))
        return self._delete(request, match, notes)

    async def answer(
        self, request: Request, question: SkillQuestion, *, agrees: bool | None
    ) -> Command | None:
        kind = question.data["kind"]
        if kind == "what":
            return self._answer_what(request, agrees)
        notes = question.data["notes"]
        if not isinstance(notes, tuple):
            return None
        if kind == "which":
            topic = note_words.chosen_topic(core_request(request.text))
            found = [note for note in notes if note_words.is_about(topic, note.content)]
            if agrees is False:
                return request.say(request.phrase(NAME, "kept"))
            return self._deleting(request, found) if len(found) == 1 else None
        if agrees is None:
            return None
        if kind == "go_on":
            refusal = request.say(request.phrase(NAME, "never_mind"))
            return self._reading(request, notes, more=True) if agrees else refusal
        refusal = request.say(request.phrase(NAME, "kept"))
        return self._deleting(request, notes) if agrees else refusal

    # ---- taking notes

    def _add(self, request: Request, match: Match) -> Command | None:
        words = match.slots.get("content", "")
        content = note_words.noted(_as_said(request.text, words, match))
        if not content or list_words.is_of_list(content) or note_words.is_for_a_list(request.text):
            return None
        if note_words.is_text_order(content) or note_words.is_letter(match.request):
            return None
        return self._noting(request, content)

    def _answer_what(self, request: Request, agrees: bool | None) -> Command | None:  # noqa: FBT001
        said = request.text.strip()
        if agrees is False or list_words.is_refusal(core_request(said)):
            return request.say(request.phrase(NAME, "never_mind"))
        if said.endswith("?"):
            return None
        return self._noting(request, note_words.noted(said))

    def _noting(self, request: Request, content: str) -> Command:
        async def act(_: int) -> CommandAnswer:
            note = await self._notes.add(request.user, content)
            _remember(request, (note.id,))
            said = note_words.clipped(note.content)
            return CommandAnswer((request.phrase(NAME, "noted", content=said),))

        return Command(request.text, act)

    # ---- reading

    def _read(self, request: Request, match: Match, notes: Sequence[Note]) -> Command:
        topic, period = match.slots.get("topic", ""), match.slots.get("period", "")
        if match.intent == "ReadLast":
            notes = notes[:1]
        span = note_words.period_of(period or topic, request.now)
        if span is not None:
            notes = [note for note in notes if span[0] <= note.created_at < span[1]]
            if not notes:
                when = period or topic
                return request.say(request.phrase(NAME, "none_then", period=when))
        elif topic:
            contents = note_words.nearest(topic, [note.content for note in notes])
            notes = [note for note in notes if note.content in contents]
            if not notes:
                return request.say(request.phrase(NAME, "none_about", topic=topic))
        if not notes:
            return request.say(request.phrase(NAME, "none"))
        return self._reading(request, tuple(notes), last=match.intent == "ReadLast")

    def _reading(
        self,
        request: Request,
        notes: tuple[Note, ...],
        *,
        more: bool = False,
        last: bool = False,
    ) -> Command:
        first, rest = notes[:READ_AT_ONCE], notes[READ_AT_ONCE:]
        said = " ".join(_said(request, note) for note in first)
        if more or last:
            name = "rest_more" if rest else "rest"
        else:
            name = "some_more" if rest else "some" if len(notes) > 1 else "one"
        sentence = request.phrase(NAME, name, count=cardinal(len(notes)), notes=said)
        if rest:
            command = request.ask(sentence, NAME, {"kind": "go_on", "notes": rest})
        else:
            command = request.say(sentence)
        inner = command.act

        async def act(message_id: int) -> CommandAnswer:
            _remember(request, tuple(note.id for note in first))
            return await inner(message_id)

        return Command(request.text, act)

    # ---- deleting

    def _delete(self, request: Request, match: Match, notes: Sequence[Note]) -> Command | None:
        if match.intent == "DeleteAll":
            return self._ask_all(request, notes)
        if match.intent == "DeleteLast":
            found = _that_note(request, match, notes)
            if found is None:
                return request.say(request.phrase(NAME, "none")) if not notes else None
            return self._deleting(request, [found])
        topic = match.slots.get("topic", "")
        found_all = [note for note in notes if note_words.is_about(topic, note.content)]
        if not found_all:
            return None  # memory may have something of it
        if len(found_all) == 1:
            return self._deleting(request, found_all)
        listed = list_words.joined(
            [note_words.clipped(note.content, 60) for note in found_all], "or"
        )
        question = request.phrase(NAME, "which", notes=listed)
        return request.ask(question, NAME, {"kind": "which", "notes": tuple(found_all)})

    def _ask_all(self, request: Request, notes: Sequence[Note]) -> Command:
        if not notes:
            return request.say(request.phrase(NAME, "none"))
        question = request.phrase(NAME, "sure_all", count=_counted(request, len(notes)))
        data: Mapping[str, object] = {"kind": "delete", "notes": tuple(notes)}
        return request.ask(question, NAME, data)

    def _deleting(self, request: Request, notes: Sequence[Note]) -> Command:
        ids = [note.id for note in notes]

        async def act(_: int) -> CommandAnswer:
            gone = await self._notes.delete(request.user, ids)
            _remember(request, ())
            if len(gone) == 1:
                said = note_words.clipped(gone[0].content)
                return CommandAnswer((request.phrase(NAME, "deleted", content=said),))
            count = _counted(request, len(gone))
            return CommandAnswer((request.phrase(NAME, "deleted_several", count=count),))

        return Command(request.text, act)


def _as_said(text: str, words: str, match: Match) -> str:
    """The words of a note as they were said. A request has lost its politeness and hesitation; a
    note must not."""
    at = text.find(words[:12]) if words else -1
    ends = match.request.endswith(words)
    if at < 0 or not ends or core_request(text) != match.request:
        return words
    return text[at:]


def _remember(request: Request, ids: tuple[int, ...]) -> None:
    deed = SkillDeed(request.turn_time, {"notes": ids})
    request.conversation.dialogue.note_deed(NAME, deed)


def _that_note(request: Request, match: Match, notes: Sequence[Note]) -> Note | None:
    """The last note, or for "that note" the one that was just made or read."""
    words = match.request.lower()
    if " that note" not in words and " this note" not in words and " just " not in words:
        return notes[0] if notes else None
    deed = request.conversation.dialogue.last_deed(NAME, request.turn_time)
    ids = deed.data.get("notes") if deed is not None else ()
    found = [note for note in notes if isinstance(ids, tuple) and note.id in ids]
    return found[0] if len(found) == 1 else None


def _said(request: Request, note: Note) -> str:
    when = note_words.made_on(note.created_at, request.now)
    content = note_words.clipped(note.content)
    return request.phrase(NAME, "note", When=when, content=content)


def _counted(request: Request, number: int) -> str:
    if number == 1:
        return request.phrase(NAME, "one_note")
    return request.phrase(NAME, "several_notes", count=cardinal(number) if number else "no")
