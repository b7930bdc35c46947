"""English behind the protocol of a language.

Commands to memory are recognised without a model, by the templates of ``commands.yaml``. A template
alone does not make a command. "Remember that my sister is called Anna" and "remember that song we
heard" have one shape: what follows must also be a statement (`speech_acts.is_statement`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from hassil import Intents, TextSlotList

from lobug.language.en import forget_requests, mentions, speech_acts, turn_taking
from lobug.language.en.forget_requests import (
    ASKING_WORD,
    DROPPED,
    LONGEST,
    MOST_TOPIC_WORDS,
    OF_DEVICE,
    REASON,
    SPEAKER,
    without_reason,
)
from lobug.language.en.house_words import for_house
from lobug.language.en.skill_sentences import EnglishSkillSentences, skill_sentences
from lobug.language.en.speech_acts import (
    is_own,
    is_statement,
    split_contrast,
    split_statements,
    value_of,
)
from lobug.language.en.spoken_form import spoken_form
from lobug.language.en.templates import results
from lobug.language.en.templates import slots as slots_of
from lobug.language.house import ForHouse, HouseNames
from lobug.language.protocol import (
    Completeness,
    Correct,
    ForgetEverything,
    ForgetLast,
    ForgetStatement,
    ForgetTopic,
    ForgetUnsaid,
    Language,
    Meaning,
    Ordinary,
    Recite,
    ReciteTopic,
    Remember,
    SentenceKind,
    TalkedAbout,
    Why,
    Wrong,
)

MOST_SENTENCES = 8
"""Sentences of an utterance, the last ones, that are matched with the templates one by one. Each
takes a millisecond of the loop that serves everybody, and 600 characters may be 200 sentences."""

_PERSONAL = re.compile(
    r"^(?:me|myself|us|ourselves)(?: now| so far| today| by now| already| these days)?$",
    re.IGNORECASE,
)
_POINTING = re.compile(r"^(?:it|that|this|him|her|them|those|these)$", re.IGNORECASE)
_OPENING = re.compile(
    r"^\W*(?:(?:hey|hi|hello|ok|okay|yo|please|well|so|no|now|and|right|aye|anyway|oh+|ooh+"
    r"|go on(?: then)?|come on|lo-?bug|lo bug|low bug)\b[\s,.!:-]*)+",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r",? (?:i mean|will you|would you|can you|could you|won['\u2019]t you|please|thanks|thank you"
    r"|okay|ok|if you (?:can|would|could|please|don['\u2019]t mind))$",
    re.IGNORECASE,
)
_ALONE = (
    ForgetStatement | ForgetTopic | ForgetLast | ForgetUnsaid | ForgetEverything
    | Recite | ReciteTopic | TalkedAbout | Why
)  # fmt: skip
"""What one sentence of several may ask of memory."""
_WILLING = re.compile(r"\b(?:please|yes|yeah|yep|yup)\b", re.IGNORECASE)
_TO_LO_BUG = re.compile(r"\byour?\b", re.IGNORECASE)
_ABOUT_LO_BUG = re.compile(r"^(?:that'?s|that is|this is|it'?s|it is|you)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Templates:
    """The commands to memory, as ``commands.yaml`` has them."""

    intents: Intents

    def understand(self, text: str) -> Meaning | Ordinary | None:
        """What a text asks of memory. None: no template fits; ``Ordinary``: it is no command.

        Of several sentences, the last few, the first that is a request to forget or to tell
        decides; else all are one command or none: "Remember this: ...".
        """
        text = " ".join(text.split())
        if len(text) > LONGEST:
            return None
        sentences = speech_acts.sentences(text)[-MOST_SENTENCES:]
        if len(sentences) < 2:
            return self._of_sentence(text)
        for number, sentence in enumerate(sentences, start=1):
            before = " ".join(sentences[: number - 1])
            found = self._of_sentence(_TRAILING.sub("", sentence.rstrip(" .!?")), before)
            if isinstance(found, ForgetLast) and number < len(sentences):
                continue  # "Forget that. It's Pulp."
            if isinstance(found, _ALONE):
                return found
        return self._meaning(text)

    def _of_sentence(self, sentence: str, before: str = "") -> Meaning | Ordinary | None:
        """What a sentence asks of memory; ``before``: those that were said with it, before it."""
        found = self._meaning(sentence)
        unsure = isinstance(found, ForgetTopic) and not found.sure
        if unsure or isinstance(found, Ordinary | None):
            asked = forget_requests.read(sentence, before)
            # "Forget that, it's Pulp" puts right.
            return found if asked is None or (unsure and isinstance(asked, ForgetLast)) else asked
        if isinstance(found, ForgetLast) and before:
            return forget_requests.pointed(before, found)
        return found

    def _meaning(self, text: str) -> Meaning | Ordinary | None:
        """What one text asks of memory."""
        for result in results(text, self.intents):
            made = _MEANINGS.get(result.intent.name)
            if made is None:
                continue
            slots = slots_of(text, result)
            if "topic" in slots:
                slots["topic"], _ = forget_requests.tidy(without_reason(slots["topic"]))
            meaning = made(slots)
            if meaning is not None:
                return meaning
        return None

    def agrees(self, text: str) -> bool | None:
        """Whether a text answers a question with yes (True) or no (False); None: with neither."""
        if len(text) > LONGEST:
            return None
        names = {result.intent.name for result in results(text, self.intents)}
        # "Forget it" is both; what cannot be undone is not done on a doubt. "Yes, forget it" and
        # "please forget it" are none.
        if "Refuse" in names and not ("Agree" in names and _WILLING.search(text)):
            return False
        return True if "Agree" in names else None

    def possible_command(self, text: str) -> SentenceKind | None:
        """The kind of a text that fits no template and may still be meant for memory; None: it is
        not."""
        if len(text) > LONGEST:
            return None
        sentences = speech_acts.sentences(_OPENING.sub("", text))
        first = sentences[0] if sentences else ""
        kind: SentenceKind
        if speech_acts.is_question(first):
            kind = "question"
            if not _TO_LO_BUG.search(first):
                return None
        elif speech_acts.is_command(first) or speech_acts.WISH.match(first):
            kind = "order"
        elif _ABOUT_LO_BUG.match(first):
            kind = "statement"
        else:
            return None
        low = " ".join(["", *re.findall(r"[\w-]+", first.lower()), ""])
        return kind if any(f" {word} " in low for word in self._triggers(kind)) else None

    def _triggers(self, kind: SentenceKind) -> frozenset[str]:
        """Words that make a sentence of a kind worth asking the chat model."""
        words = self.intents.slot_lists[f"trigger_{kind}"]
        if not isinstance(words, TextSlotList):
            raise TypeError(f"trigger_{kind} is no list of words")
        return frozenset(str(value.value_out) for value in words.values)


@lru_cache
def templates() -> Templates:
    """The English templates, read once."""
    source = files("lobug.language.en") / "commands.yaml"
    with source.open(encoding="utf-8") as opened:
        return Templates(Intents.from_yaml(opened))


def _remember(slots: Mapping[str, str]) -> Meaning | Ordinary:
    statements = split_statements(slots["statement"])
    return Remember(statements) if statements else Ordinary()


def _remember_bare(slots: Mapping[str, str]) -> Meaning | None:
    statements = split_statements(slots["statement"])
    return Remember(statements) if statements and is_own(statements[0]) else None


def _forget_statement(slots: Mapping[str, str]) -> Meaning | Ordinary:
    statement, _ = forget_requests.tidy(slots["statement"])
    if REASON.match(statement):  # "forget that, it's embarrassing"
        return ForgetLast(sure=False)
    if is_statement(statement):
        return ForgetStatement(statement)
    if len(statement.split()) > MOST_TOPIC_WORDS or DROPPED.match(statement):
        return Ordinary()
    return ForgetTopic(f"that {statement}", sure=False)  # "forget that business with the car"


def _forget_topic(slots: Mapping[str, str]) -> Meaning | Ordinary:
    if mentions.is_pronoun(slots["topic"]):
        return ForgetTopic(slots["topic"])
    if _POINTING.match(slots["topic"]):
        return Ordinary()
    if _PERSONAL.match(slots["topic"]):
        return ForgetEverything()
    return ForgetTopic(slots["topic"])


def _forget_own(slots: Mapping[str, str]) -> Meaning | Ordinary | None:
    topic = slots["topic"]
    if mentions.is_pronoun(topic):
        return ForgetTopic(topic, sure=False)
    if _POINTING.match(topic):
        return None
    if DROPPED.match(topic):
        return Ordinary()
    own = is_own(ASKING_WORD.sub("", topic)) or (
        ASKING_WORD.match(topic) is not None and SPEAKER.search(topic) is not None
    )
    return ForgetTopic(topic, sure=own) if own or len(topic.split()) <= MOST_TOPIC_WORDS else None


def _delete_own(slots: Mapping[str, str]) -> Meaning | None:
    """ "Delete my code": of memory only if it knows that."""
    topic = slots["topic"]
    if _POINTING.match(topic) or len(topic.split()) > MOST_TOPIC_WORDS:
        return None
    if OF_DEVICE.search(topic):
        return None
    return ForgetTopic(topic, sure=False)


def _talked_about(slots: Mapping[str, str]) -> Meaning:
    return TalkedAbout(slots.get("period", "").lower())


def _recite_topic(slots: Mapping[str, str], *, sure: bool) -> Meaning:
    topic = slots["topic"]
    if _PERSONAL.match(topic):
        return Recite()
    return ReciteTopic(topic, sure or is_own(topic))


def _correct(slots: Mapping[str, str], *, sure: bool) -> Meaning | Ordinary | None:
    right, wrong = split_contrast(slots["statement"])
    if wrong is None and not sure:
        return None
    if wrong is None and not is_statement(right) and value_of(right) == right:
        return Ordinary()  # "that's wrong on so many levels"
    return Correct(right, wrong, sure)


def _why_topic(slots: Mapping[str, str]) -> Meaning | None:
    topic = slots["topic"]
    own = is_own(ASKING_WORD.sub("", topic))
    return Why(sure=False, topic=topic) if own else None


_MEANINGS: Mapping[str, Callable[[Mapping[str, str]], Meaning | Ordinary | None]] = {
    "Remember": _remember,
    "RememberBare": _remember_bare,
    "ForgetStatement": _forget_statement,
    "ForgetTopic": _forget_topic,
    "ForgetOwn": _forget_own,
    "DeleteOwn": _delete_own,
    "ForgetLast": lambda _: ForgetLast(),
    "ForgetThat": lambda _: ForgetLast(sure=False),
    "ForgetThatReason": lambda slots: (
        ForgetLast(sure=False) if REASON.match(slots["statement"]) else None
    ),
    "ForgetUnsaid": lambda _: ForgetUnsaid(),
    "ForgetEverything": lambda _: ForgetEverything(),
    "Recite": lambda _: Recite(),
    "ReciteTopicSure": lambda slots: _recite_topic(slots, sure=True),
    "ReciteTopic": lambda slots: _recite_topic(slots, sure=False),
    "TalkedAbout": _talked_about,
    "TalkedAboutWhen": _talked_about,
    "Wrong": lambda _: Wrong(),
    "Correct": lambda slots: _correct(slots, sure=True),
    "CorrectUnsure": lambda slots: _correct(slots, sure=False),
    "WhySure": lambda _: Why(sure=True),
    "Why": lambda _: Why(sure=False),
    "WhyTopic": _why_topic,
    "WhenTold": lambda slots: Why(sure=False, topic=slots["topic"]),
    "Ordinary": lambda _: Ordinary(),
}
"""What each intent of the templates means. Agree and Refuse only answer questions (`agrees`)."""


class English:
    """The rules of English."""

    code = "en"

    @property
    def commands(self) -> Templates:
        return templates()

    @property
    def skills(self) -> EnglishSkillSentences:
        return skill_sentences()

    def for_house(self, text: str, names: HouseNames) -> ForHouse | None:
        return for_house(text, names)

    def completeness(self, text: str) -> Completeness:
        return turn_taking.completeness_of(text)

    def spoken_form(self, text: str) -> str:
        return spoken_form(text)


LANGUAGE: Language = English()
