"""Whether words are a statement, and the contrast in one ("Alex, not Alan"). English. Pure.

Speech-to-text may omit capitals, commas and question marks.
"""

from __future__ import annotations

import re

from lobug.language.en import speech_acts, verbs
from lobug.language.en.lists import word_set

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
    parts = [part.strip(" \t,;:.!") for part in speech_acts.sentences(text)]
    if not parts or not is_statement(parts[0]):
        return ()
    kept = [parts[0]]
    for part in parts[1:]:
        if speech_acts.is_small_talk(part):
            continue
        if not is_statement(part) or speech_acts.is_question(part) or speech_acts.is_command(part):
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
