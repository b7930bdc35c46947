"""Tells a user's statements, questions and orders apart. English. Pure.

Also: the statements in a text, the contrast in one ("Alex, not Alan"), corrections, and what a user
stated so plainly that it must not be missing from memory. Speech-to-text may omit capitals, commas
and question marks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lobug.language.en import verbs, words
from lobug.language.en.data import word_set

# Openings that add nothing: taken off before a sentence is judged.
FILLER = re.compile(
    r"^(?:(?:well|so|okay|ok|oh|um|uh|er|hey|hi|hello|yes|yeah|no|and|but|anyway|actually|also"
    r"|by the way|for the record|just so you know|lo-?bug|thanks|thank you|alright|right)"
    r"\b[\s,.!-]*)+",
    re.IGNORECASE,
)
# "Remember that I ..." is a command whose content is a statement.
TOLD_TO_REMEMBER = re.compile(
    r"^(?:please\s+)?(?:can you\s+|could you\s+)?(?:remember|note|keep in mind"
    r"|don['\u2019]?t forget|never forget|make a note|you should know|you must know)"
    r"\s+(?:that\s+|this\s*[:,]\s*)?"
    r"(?=(?:i|i['\u2019]\w+|my|we|we['\u2019]\w+|our)\b)",
    re.IGNORECASE,
)
CALL_ME = re.compile(r"^(?:please\s+|you can\s+)?call me\s+\w", re.IGNORECASE)

WH = word_set("speech_acts", "wh")
# After one of these, a wh-word opens a subordinate clause ("When I was a child, ...").
SUBJECTS = word_set("speech_acts", "subjects")
AUXILIARIES = word_set("speech_acts", "auxiliaries")
AFTER_AUXILIARY = word_set("speech_acts", "after_auxiliary")
COMMANDS = word_set("speech_acts", "commands")
WISH = re.compile(
    r"^i(?:\s+(?:want|need)|['\u2019]d like|\s+would like)\s+you\s+to\b", re.IGNORECASE
)
HYPOTHETICAL = word_set("speech_acts", "hypothetical")
SMALL_TALK = word_set("speech_acts", "small_talk")


QUESTION_MARKS = ("?", "\u061f", "\uff1f")
"""Question marks of the Latin, Arabic and Chinese scripts."""


def sentences(text: str) -> list[str]:
    """A text cut after each full stop, exclamation mark, question mark and line."""
    parts = re.split(r"(?<=[.!?\u2026\u061f])\s+|(?<=[\u3002\uff1f\uff01])\s*|\n+", text)
    return [part.strip() for part in parts if part.strip()]


def is_question(sentence: str) -> bool:
    """Whether a sentence asks, with or without its question mark."""
    if sentence.rstrip("\"'\u201d ").endswith(QUESTION_MARKS):
        return True
    first, second = _first_two(sentence)
    if first.split("'")[0] in WH:
        return "'" in first or second not in SUBJECTS
    return first in AUXILIARIES and second in AFTER_AUXILIARY


def is_command(sentence: str) -> bool:
    """Whether a sentence orders something."""
    if CALL_ME.match(sentence):
        return False
    first, second = _first_two(sentence)
    if WISH.match(sentence):
        return True
    # "Work is fine", "Books are my life": a noun that looks like a verb has a verb after it.
    return first in COMMANDS and second not in {"is", "are", "was", "were", "has"}


def only_orders(text: str) -> bool:
    """Whether a text only orders or asks and states nothing: "Tell me a joke"."""
    parts = sentences(text)
    return (
        bool(parts)
        and all(is_command(part) or is_question(part) for part in parts)
        and not statements(text)
    )


def is_small_talk(sentence: str) -> bool:
    """Whether a sentence has only words of small talk."""
    return all(word in SMALL_TALK for word in words.content_words(sentence))


def statements(text: str) -> list[str]:
    """The sentences of a text that may state a fact, without their filler.

    Questions, commands, suppositions and pleasantries are left out; of "My name is Ada, what is
    yours?" the first half stays.
    """
    found = []
    for sentence in sentences(text):
        kept = _statement_in(sentence)
        if kept and not is_small_talk(kept):
            found.append(kept)
    return found


def _statement_in(sentence: str) -> str:
    kept = TOLD_TO_REMEMBER.sub("", FILLER.sub("", sentence))
    if kept != FILLER.sub("", sentence):
        return kept.rstrip("? ")
    first, _ = _first_two(kept)
    if first in HYPOTHETICAL:
        return ""
    if is_question(kept):
        return _before_the_question(kept)
    return "" if is_command(kept) else kept


def _before_the_question(sentence: str) -> str:
    """What a sentence states before it asks; empty when it only asks."""
    parts = re.split(
        r"(?:(?<!\s)\s+)?[,;]\s*(?:and\s+|but\s+|so\s+)?|(?<!\s)\s+(?:and|but|so)\s+", sentence
    )
    kept: list[str] = []
    for part in parts:
        first, _ = _first_two(part)
        opens = first.split("'")[0] in WH or first in AUXILIARIES or first in {"right", "remember"}
        if opens or is_command(part):
            break
        kept.append(part)
    if not kept or len(kept) == len(parts):
        return ""
    return sentence[: sentence.index(kept[-1]) + len(kept[-1])]


def _first_two(sentence: str) -> tuple[str, str]:
    found = re.findall(r"[\w'-]+", sentence.lower().replace("\u2019", "'"))
    return (found[0] if found else "", found[1] if len(found) > 1 else "")


OWN = word_set("statements", "own")
DETERMINERS = word_set("statements", "determiners")
BE_AND_HAVE = word_set("statements", "be_and_have")
REMINISCENT = word_set("statements", "reminiscent")
NEVER_OPENS = word_set("statements", "never_opens")
SHORT_CONTRAST = 5
"""Most words after "not" that may be the wrong version of what was said."""
CONTRAST = re.compile(
    r"^(?P<right>.+?)[\s,;:.\u2013\u2014-]+(?:and\s+)?not\s+(?P<wrong>[^,;]+)$", re.I
)
VALUE = re.compile(
    r"^(?:it['\u2019]?s|it is|that['\u2019]?s|(?:he|she)(?:['\u2019]?s| is)(?: called| named)?"
    r"|(?:his|her|its|their|the) name(?:['\u2019]?s| is)|(?:he|she) lives in|i said|make it)\s+",
    re.I,
)
AFTER_WHICH_NOT_NEGATES = BE_AND_HAVE | frozenset("why if or is".split())


def tokens(text: str) -> list[str]:
    """The words of a text in small letters, with their apostrophes."""
    return re.findall(r"[^\W_]+(?:['-][^\W_]+)*", text.lower().replace("\u2019", "'"))


def is_own(text: str) -> bool:
    """Whether a text begins with the speaker: "my sister", "I live ..."."""
    found = tokens(text)
    return bool(found) and found[0] in OWN


def is_statement(text: str) -> bool:
    """Whether words after "remember that" are a statement to be kept.

    "That song we heard" and "that time I was in Rome" only look like one.
    """
    found = tokens(text)
    if len(found) < 2 or text.rstrip().endswith("?") or found[0] in NEVER_OPENS:
        return False
    verb = _verb_at(found)
    if verb is None:
        return False
    if found[0] in OWN or found[0] in DETERMINERS:
        return True
    return not any(word in REMINISCENT for word in found[1:verb])


def split_statements(text: str) -> tuple[str, ...]:
    """The statements of a text; empty: one of its sentences is something else."""
    parts = [part.strip(" \t,;:.!") for part in sentences(text)]
    if not parts or not is_statement(parts[0]):
        return ()
    kept = [parts[0]]
    for part in parts[1:]:
        if is_small_talk(part):
            continue
        if not is_statement(part) or is_question(part) or is_command(part):
            return ()
        kept.append(part)
    return tuple(kept)


def split_contrast(text: str) -> tuple[str, str | None]:
    """ "My name is Alex, not Alan" as what is right and what is wrong (None: nothing is named)."""
    match = CONTRAST.match(text)
    if match is None:
        return text, None
    right, wrong = match["right"].strip(" ,;:."), match["wrong"].strip(" .!?")
    before = tokens(right)
    negates = not before or before[-1] in AFTER_WHICH_NOT_NEGATES
    if negates or len(tokens(wrong)) > SHORT_CONTRAST:
        return text, None
    return right, wrong


def value_of(text: str) -> str:
    """The value in "it's Hannah" and "her name is Hannah": "Hannah"; other texts stay unchanged."""
    return VALUE.sub("", text).strip(" .!?")


def _verb_at(found: list[str]) -> int | None:
    """Index of the first verb; None: there is none."""
    if found[0] in {"i'm", "im", "i've", "ive", "i'd", "i'll", "we're", "we've", "we'd", "we'll"}:
        return 0
    if found[0] in {"i", "we"}:
        return 1
    for place, word in enumerate(found[1:], start=1):
        contracted = word.endswith("'s") and place + 1 < len(found) and place >= 1
        if (
            word in BE_AND_HAVE
            or verbs.is_past(word)
            or (place >= 2 and verbs.is_third(word) and place + 1 < len(found))
            or (place >= 2 and word in verbs.JOINED | set(verbs.JOINED_BEFORE))
            or (place == 1 and verbs.is_third(word) and found[0] not in OWN | DETERMINERS)
            or (contracted and found[0] in OWN)
        ):
            return place
    return None


_SPEAKER = r"(?:i|i['\u2019]\w+|im|ive|my|mine|we|we['\u2019]\w+|our)"

CORRECTING = re.compile(
    r"^(?:(?:oh|well|um|uh|sorry|hey|but|and|ah|lo-?bug)\b[\s,.!-]*)*"
    r"(?:no+\b(?:\s*+(?:,\s*+)?no\b)*|nope|not quite|wrong|incorrect|actually|correction|not true"
    r"|that(?:['\u2019]s| is| was)(?: all| quite)? (?:wrong|incorrect|not (?:right|true|correct"
    r"|what i said)|a mistake)"
    r"|you(?:['\u2019]re| are) (?:wrong|mistaken)|you got (?:that|it) wrong"
    r"|i (?:said|meant|told you)(?: that)?)\b[\s,.:;!-]*",
    re.IGNORECASE,
)
"""The opening of a correction."""

REMEMBERING = re.compile(
    r"^(?:(?:oh|well|um|uh|okay|ok|hey|and|also|lo-?bug|please)\b[\s,.!-]*)*"
    r"(?:(?:can|could|would|will) you\s+)?(?:please\s+)?"
    r"(?:remember|note|keep in mind|don['\u2019]?t forget|never forget|make a note|write down)"
    r"\b\s*(?:that\b|this\b|for me\b)?\s*[:,]?\s*",
    re.IGNORECASE,
)
EXPLICIT = re.compile(
    r"\b(?:my (?:\w+ )?name is|call me|i(?:['\u2019]m| am) (?:called|named)|i (?:much )?prefer"
    r"|my favou?rite|i(?:['\u2019]m| am) allergic|i (?:live|work|was born) (?:in|at|on|for|as)"
    r"|my birthday|for the record|you should know)\b",
    re.IGNORECASE,
)
MENTIONS_SPEAKER = re.compile(rf"\b{_SPEAKER}\b", re.IGNORECASE)
THREE_WORDS = re.compile(r"\b\w++(?:\W++\w+){2}")
"""Fewer words state nothing."""


def explicit_statements(text: str) -> list[str]:
    """The sentences of a message that correct Lo-Bug or state something expressly, without their
    opening. Questions, orders and sentences that do not mention the speaker are left out."""
    found: list[str] = []
    corrects = False
    for sentence in sentences(text):
        kept = REMEMBERING.sub("", sentence)
        asked_to_keep = kept != sentence
        if asked_to_keep:
            kept = kept.rstrip("? ")  # "Can you remember that ...?" asks nothing
        rest = CORRECTING.sub("", kept)
        corrected = rest != kept
        # "That's wrong. My dog is called Rex.": the correction is the next sentence.
        express = asked_to_keep or corrected or corrects or EXPLICIT.search(rest) is not None
        corrects = corrected and THREE_WORDS.search(rest) is None
        if express and _is_explicit(rest):
            found.append(rest)
    return found


def _is_explicit(sentence: str) -> bool:
    return (
        THREE_WORDS.search(sentence) is not None
        and MENTIONS_SPEAKER.search(sentence) is not None
        and not is_question(sentence)
        and not is_command(sentence)
        and not is_small_talk(sentence)
    )


TAKES_BACK = re.compile(
    r"^\s*(?:(?:oh|well|um|uh|hmm)[,\s]+)*"
    r"(?:no|nope|nah|not|wait|actually|sorry|oops|correction|i mean|i meant|rather)\b",
    re.IGNORECASE,
)
"""The beginning of a correction of one's own words."""
NO_MORE = re.compile(
    r"\b(?:no longer|any ?more|from now on|changed my mind|nicht mehr|ya no)\b",
    re.IGNORECASE,
)
"""Words that end something, also in German and Spanish."""


def is_taken_back(later: Sequence[str]) -> bool:
    """Whether the next messages of the same person, oldest first, may correct or end what they have
    just said, so that it must not be recalled."""
    return any(map(NO_MORE.search, later)) or any(map(TAKES_BACK.match, later[:1]))
