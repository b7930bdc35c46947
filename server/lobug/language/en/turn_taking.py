"""Words that tell whose turn it is to speak. English. Pure.

Whisper ends half a sentence with a full stop, so punctuation proves little: the last words decide
whether an utterance is over. "Unfinished" makes the user wait, so only endings that a finished
sentence hardly ever has are called so; most halves of sentences look like whole ones and stay open.
A comma at the end proves nothing either: Whisper put as many after whole sentences as after halves.
"""

from __future__ import annotations

import re

from lobug.language.en.data import word_list, word_set
from lobug.language.protocol import Completeness


def completeness_of(text: str) -> Completeness:
    """Whether a transcript is the beginning of a sentence or a whole short command."""
    words = _words(text)
    if not words:
        return Completeness.OPEN
    if _is_unfinished(text.rstrip(), words):
        return Completeness.UNFINISHED
    if len(words) <= _LONGEST_COMMAND and _COMMAND.fullmatch(" ".join(words)):
        return Completeness.FINISHED
    return Completeness.OPEN


def _words(text: str) -> list[str]:
    """The words in lower case, except single letters ("plan A" does not end with an article)."""
    found = re.findall(r"[^\W_]+(?:['\u2019-][^\W_]+)*", text)
    return [w if len(w) == 1 else w.lower().replace("\u2019", "'") for w in found]


_TRAILING_OFF = ("...", "\u2026", "-", "\u2013", "\u2014")
"""How Whisper writes a voice that trails off or breaks off."""

_NEVER_LAST = word_set("completeness", "never_last")
"""Words that another word must follow."""

_MAY_END = word_set("completeness", "may_end")
"""Endings with a word of ``_NEVER_LAST`` that may be complete all the same."""

_CONNECTING = word_set("completeness", "connecting")
"""Endings that lead over to what comes next."""

_OPENING = re.compile(
    r"(?:(?:so|well|okay|ok|hey|and|but|please) )*"
    r"(?:so|well"
    r"|i (?:want|need|think|thought|mean|would like|would love|was wondering)"
    r"|(?:can|could|would|will) you(?: please| tell me| remind me)?"
    r"|do you know|tell me|tell me about|remind me|remind me about"
    r"|what (?:is|are|was|were|about)|who (?:is|are|was)|where (?:is|are|was)"
    r"|how (?:do|does|is|much|many|about)"
    r"|there (?:is|are|was)|set a|play some|turn|turn the|what|whose|i)"
)
"""The first words of a sentence, with nothing after them."""

_LEFT_BEHIND = word_set("completeness", "left_behind")
"""A sentence with one of these may end with a preposition or with "is": "what is it for", "I know
where it is", "the one I came with"."""

_ANSWER = word_set("completeness", "answer")
"""With one of these a short sentence leaves out its end: "yes, I want to", "so is my dad"."""

_TO_FOLLOWS = re.compile(
    r".*\b(?:wants?|wanted|needs?|needed|like|love|going|trying|tried|ha(?:ve|s|d)|supposed|how|able"
    r"|ought|decided|planning|hoping|remember|remind me|in order|next|according|due|close) to"
)
"""A "to" behind these mostly has a verb or a noun coming."""

_PREPOSITIONS = word_set("completeness", "prepositions")
_TAKES_PREPOSITION = re.compile(
    r"(?:ask|look|wait|pay|deal|liv|agree|work|com|think|thought|hear|dream|car|worr|know|laugh"
    r"|shout|smil|stand|drop|pass|forget|speak|talk|made|fond|proud|afraid|scared|tired|full|kind"
    r"|sort|here|there|tak|account|call|learn|run|better|stop|go|get|play|up|good)\w*"
)
"""Words that a preposition may belong to at the very end: "I agree with", "taken care of"."""

_BE = frozenset("is are was were".split())
_PRONOUNS = frozenset(word_list("completeness", "pronouns"))

_SHORT_ANSWER = (
    r"yes|yeah|yep|no|nope|yes please|no thanks|no thank you|thanks|thank you|thank you very much"
    r"|never mind|nevermind|cancel|cancel that|stop|stop it|stop that|stop talking|be quiet|quiet"
    r"|shut up|enough|that's enough|that's all|goodbye|bye|bye bye|good night|say that again"
    r"|repeat that|go on|continue|pause|resume|play|skip|next|next song|louder|quieter|softer"
)
_THING = (
    r"(?:it|that|them|(?:the |my )?(?:[a-z]+ )?(?:lights?|lamps?|music|radio|tv|volume|sound|fan))"
)
_SHORT_QUESTION = (
    r"what time is it(?: now)?|what day is it(?: today)?|what(?:'s| is) the (?:time|date)(?: now)?"
    r"|what(?:'s| is) the weather(?: like)?(?: now| today| tomorrow)?|what(?:'s| is) your name"
    r"|who are you|how are you(?: doing)?(?: today)?|how old are you|what can you do"
    r"|can you hear me|are you there|what did you say|tell me a joke"
)
_ORDER = (
    rf"turn {_THING} (?:up|down|on|off)|turn (?:up|down|on|off) {_THING}|turn (?:up|down)"
    rf"|volume (?:up|down)|lights? (?:on|off)|(?:stop|pause|play) the music|go to sleep|wake up"
)
_COMMAND = re.compile(
    r"(?:(?:hey|ok|okay|please|can you|could you) )?"
    rf"(?:{_SHORT_ANSWER}|{_SHORT_QUESTION}|{_ORDER})"
    r"(?: please| now| thanks)?"
)
_LONGEST_COMMAND = 8
"""Words of a command."""


def _is_unfinished(text: str, words: list[str]) -> bool:
    last = words[-1]
    before = words[-2] if len(words) > 1 else ""
    if text.endswith(_TRAILING_OFF) or f"{before} {last}" in _CONNECTING:
        return True
    if last in _NEVER_LAST:
        return f"{before} {last}" not in _MAY_END
    if text.endswith("?"):
        return False
    sentence = " ".join(words).lower()
    if _OPENING.fullmatch(sentence):
        return True
    if not _LEFT_BEHIND.isdisjoint(words) or not _ANSWER.isdisjoint(words):
        return False
    if last == "to":
        return "n't" not in sentence and _TO_FOLLOWS.fullmatch(sentence) is not None
    if last in _PREPOSITIONS:
        return _TAKES_PREPOSITION.fullmatch(before) is None
    return last in _BE and before not in _PRONOUNS and len(words) > 1


TURNING = word_set("turn_taking", "turning")
"""Words that answer, question or correct what was said: where Lo-Bug did not speak one of them, it
is the user's."""

ORDERS = word_set("turn_taking", "orders")
"""Words with which a user interrupts: in a text of few words they are always the user's."""
