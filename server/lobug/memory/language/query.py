"""How a turn's text is put to the vector index. Pure.

Facts speak of "the user"; people ask in the first person. Small embedding models hold that against
them: with the embedded one, "Do you remember my name?" is 0.27 similar to "The user's name is
Alex", below the floor of 0.3. Asked as "the user's name?" it is 0.60. Of 16 everyday questions to
14 facts, 9 found their fact as they were asked and 16 in the third person, all of them first.
"""

from __future__ import annotations

import re

from lobug.memory.language import speech_acts

ASKING = re.compile(
    r"^\s*(?:please\s+)?(?:(?:do|can|could|would) you\s+)?(?:still\s+|please\s+)?"
    r"(?:remember|know|recall|remind me(?: of)?|tell me)\s+(?:again\s+)?",
    re.IGNORECASE,
)
THIRD_PERSON = tuple(
    (re.compile(rf"\b(?:{first})\b", re.IGNORECASE), third)
    for first, third in (
        ("i am|i['\u2019]m|am i", "the user is"),
        ("do i|did i", "does the user"),
        ("my|mine|our", "the user's"),
        ("i|me|myself|we|us", "the user"),
    )
)


def without_asking(text: str) -> str:
    """What is asked for, without the words that ask to remember it, which fit every memory or
    none: "Do you remember my name?" → "my name?"."""
    asked = ASKING.sub("", text)
    return asked if asked.strip(" ?!.") else text


def in_third_person(text: str) -> str:
    """A question or a command as it would be asked about the user; a statement as it is.

    What the user tells is left alone: every sentence of theirs would otherwise look like every
    fact about them.
    """
    asked = [
        sentence
        for sentence in speech_acts.sentences(text)
        if speech_acts.is_question(sentence) or speech_acts.is_command(sentence)
    ]
    if not asked:
        return text
    query = " ".join(map(without_asking, asked))
    for first, third in THIRD_PERSON:
        query = first.sub(third, query)
    return query if query.strip(" ?!.") else text
