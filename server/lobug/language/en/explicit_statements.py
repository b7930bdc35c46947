"""What a user said so plainly that it must not be missing from memory. English. Pure.

Two kinds: corrections ("no, I live in Oslo"; "that's wrong, her name is Hanna") and explicit
statements ("remember that ...", "my name is ...").
"""

from __future__ import annotations

import re

from lobug.language.en import speech_acts

OWN = r"(?:i|i['\u2019]\w+|im|ive|my|mine|we|we['\u2019]\w+|our)"

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
STATES = re.compile(rf"\b{OWN}\b", re.IGNORECASE)
SOMETHING = re.compile(r"\b\w++(?:\W++\w+){2}")
"""Three words: fewer state nothing."""


def explicit_statements(text: str) -> list[str]:
    """The sentences of a message that correct Lo-Bug or state something expressly, without their
    opening. Questions, orders and sentences that do not mention the speaker are left out."""
    found: list[str] = []
    corrects = False
    for sentence in speech_acts.sentences(text):
        kept = REMEMBERING.sub("", sentence)
        asked_to_keep = kept != sentence
        if asked_to_keep:
            kept = kept.rstrip("? ")  # "Can you remember that ...?" asks nothing
        rest = CORRECTING.sub("", kept)
        corrected = rest != kept
        # "That's wrong. My dog is called Rex.": the correction is the next sentence.
        express = asked_to_keep or corrected or corrects or EXPLICIT.search(rest) is not None
        corrects = corrected and SOMETHING.search(rest) is None
        if express and _is_statement(rest):
            found.append(rest)
    return found


def _is_statement(sentence: str) -> bool:
    return (
        SOMETHING.search(sentence) is not None
        and STATES.search(sentence) is not None
        and not speech_acts.is_question(sentence)
        and not speech_acts.is_command(sentence)
        and not speech_acts.is_small_talk(sentence)
    )
