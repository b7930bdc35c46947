"""Tells the user what they talked about in a period. English. Pure.

"What did we talk about on Friday?": a few topics, told to the user in the second person, as they
stand now: what was put right since is told as it is right, and what is over is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lobug.language.en import summaries
from lobug.language.en.data import TALK as SAY
from lobug.language.en.perspective import sentence_to_the_user
from lobug.language.en.self_corrections import WEEKDAY
from lobug.language.en.speakable import speakable
from lobug.language.en.utterances import Utterance

TOPICS = 4
"""Topics that are told at once."""
LONGEST = 120
"""Characters of one topic."""
DAYS = frozenset({"today", "yesterday", "tonight", "last night", "last week"})
QUOTING = re.compile(r"^The user (?=(?:said|asked): \")")


def talked_about(said: str, messages: Sequence[Utterance]) -> tuple[str, ...]:
    """What the user told in a period, oldest first, or what they asked where they told nothing."""
    named = said in DAYS or said.startswith(("on ", "this ", "last ", "the last "))
    period = WEEKDAY.sub(lambda day: day.group().title(), said)
    time = period[:1].upper() + period[1:] if named else SAY["lately"]
    told = summaries.told_in(messages, sentences=TOPICS, longest=LONGEST)
    if told:
        return (SAY["talked"].format(When=time), *map(_to_the_user, told))
    asked = [_to_the_user(one) for one in summaries.asked_in(messages, sentences=TOPICS)]
    if not asked:
        nothing = "all_changed" if messages else "no_talk"
        return (SAY[nothing].format(when=time[:1].lower() + time[1:]),)
    first = asked[0].replace("You", "you", 1) if asked[0].startswith("You ") else asked[0]
    return (SAY["asked"].format(When=time, asked=first), *asked[1:])


def _to_the_user(sentence: str) -> str:
    if QUOTING.match(sentence):
        found = QUOTING.sub("You ", sentence)
    else:
        found = sentence_to_the_user(sentence.replace("asked Lo-Bug to", "asked me to"))
    return speakable(found) or SAY["unspeakable"]
