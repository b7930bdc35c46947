"""Whether what was heard is the assistant's own voice coming back from a loudspeaker. Pure.

The words that were heard are laid against the words that were spoken. Speech-to-text mishears some,
and the beginning or the end of an echo is often cut. A person who says something at that moment
shares words with it too: asks back, corrects it, chooses one of two things it named. To miss a
person's "stop" is worse than to hear an echo, so a text is only called own if next to nothing in
it is anything else, and never for one or two words that a person may have said, unless the
microphone is known to hear the loudspeaker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from difflib import SequenceMatcher

from lobug.language.en.turn_taking import ORDERS, TURNING
from lobug.language.words import BELOW_HUNDRED

_LONG_ENOUGH = 4
"""Words from which a part of what was spoken is taken for it; fewer must be most of a piece."""
_FEW = 2
"""Words up to which a text is too short to be told from what a person takes up."""
_SHORT_SHARE = 0.7
"""That "most"."""
_ALIKE = 0.7
"""Likeness (difflib's ratio) of two words from which one may be the other misheard."""
_OWN = 0.8
"""Share of the words heard that must be found in what was spoken, in its order."""
_SKIPPED = 0.5
"""What a spoken word costs that was not heard, in words: speech-to-text swallows small ones."""
_MOST_WORDS = 80
"""Words compared, of either side: half a minute of speech."""

_ENDS = frozenset(".?!")
"""Of sentences."""

_Chain = tuple[int, "_Chain"] | None
_Laid = tuple[float, "_Chain"]
"""Cost, and the places of the heard words that were not spoken, the last one first."""


def is_own_voice(
    transcript: str, spoken: Sequence[str], *, partial: bool = False, echoes: bool = False
) -> bool:
    """Whether ``transcript`` holds nothing but what was spoken lately.

    ``spoken``: the pieces that were played, in their order, as text; a piece that is still being
    played as a whole. ``partial``: more words will follow (an interim transcript), so a few that
    were spoken in just that order are taken for the beginning of an echo; orders never are.
    ``echoes``: the microphone is known to hear the loudspeaker, so one or two words that were
    spoken in just that order are taken for a splinter of an echo; orders never are.
    """
    words = _words(transcript)[:_MOST_WORDS]
    heard = [word for word, _ in words]
    if not heard:
        return False
    if len(heard) < _LONG_ENOUGH:
        if (partial or (echoes and len(heard) <= _FEW)) and _is_within(heard, _all_words(spoken)):
            return True
        sentences = [
            s for piece in spoken for s in re.split(r"(?<![.!?])[.!?]++(?:\s|$)", piece) if s
        ]
        return any(_is_most_of(heard, sentence) for sentence in sentences)
    whole = [len(heard)]
    return _longest_part(heard, _all_words(spoken), whole, _firsts(transcript, words)) is not None


def without_own_voice(transcript: str, spoken: Sequence[str], *, echoes: bool = False) -> str:
    """``transcript`` without the echo at its beginning: what a person said into it.

    Empty if there is nothing else; as it was where no echo can be told with certainty. Cut is only
    where a sentence ends or somebody turns to something else ("no", "stop"), so that words a person
    took up are left to them. ``echoes`` as of ``is_own_voice``.
    """
    if is_own_voice(transcript, spoken, echoes=echoes):
        return ""
    words = _words(transcript)[:_MOST_WORDS]
    said = _all_words(spoken)
    firsts = _firsts(transcript, words)
    cuts = [
        count
        for count in range(_LONG_ENOUGH, len(words))
        if words[count - 1][0] in said and (count in firsts or words[count][0] in TURNING)
    ]
    heard = [word for word, _ in words]
    count = _longest_part(heard, said, cuts, firsts)
    if count is None:
        return transcript
    return transcript[words[count - 1][1] :].lstrip(" .,;:!?-\u2013\u2014\u2026")


def _is_most_of(heard: Sequence[str], sentence: str) -> bool:
    """Whether a few words are most of a sentence."""
    said = [word for word, _ in _words(sentence)]
    return len(heard) >= _SHORT_SHARE * len(said) and _is_within(heard, said)


def _is_within(heard: Sequence[str], said: Sequence[str]) -> bool:
    """Whether a few words were said in just this order, and are no order."""
    starts = range(len(said) - len(heard) + 1)
    within = any(list(heard) == list(said[start : start + len(heard)]) for start in starts)
    return within and ORDERS.isdisjoint(heard)


def _firsts(transcript: str, words: Sequence[tuple[str, int]]) -> set[int]:
    """The places of the words that begin another sentence than the first."""
    return {place for place, (_, end) in enumerate(words, 1) if transcript[end : end + 1] in _ENDS}


def _longest_part(
    heard: Sequence[str], said: Sequence[str], cuts: Sequence[int], firsts: Set[int]
) -> int | None:
    """The last of ``cuts``, counts of words, up to which ``heard`` is a stretch of what was said
    but for what was misheard. None: none is. ``firsts``: words that begin a sentence."""
    if not cuts:
        return None
    longest = None
    most = _allowed(cuts[-1])
    for count, (cost, strange) in enumerate(_laid_against(heard, said), start=1):
        if cost > most or count > cuts[-1]:
            break
        if count in cuts and cost <= _allowed(count) and _is_nobodys(heard, strange, count, firsts):
            longest = count
    return longest


def _allowed(count: int) -> float:
    """How many of so many words need not fit."""
    return (1 - _OWN) * count + 1e-9


def _is_nobodys(heard: Sequence[str], strange: _Chain, count: int, firsts: Set[int]) -> bool:
    """Whether the words that were not spoken are splinters: a word that was cut in two, at either
    end. One in the middle is a person's, and so is a sentence of one word and a word that turns
    what was said."""
    splinters = {0} - {place - 1 for place in firsts} | {count - 1} - set(firsts)
    while strange is not None:
        place, strange = strange
        if place not in splinters or heard[place] in TURNING:
            return False
    return True


def _words(text: str) -> list[tuple[str, int]]:
    """The words as they are compared, each with the place in ``text`` where it ends."""
    found: list[tuple[str, int]] = []
    for match in re.finditer(r"[^\W_]+(?:['\u2019][^\W_]+)*", text):
        word = match[0].lower().replace("\u2019", "'")
        if word.isdecimal() and len(word) == 2 and word > "20" and word[1] != "0":
            found += [(f"{word[0]}0", match.end()), (word[1], match.end())]
        else:
            found.append((BELOW_HUNDRED.get(word, word), match.end()))
    return found


def _all_words(spoken: Sequence[str]) -> list[str]:
    return [word for piece in spoken for word, _ in _words(piece)][-_MOST_WORDS:]


def _laid_against(heard: Sequence[str], said: Sequence[str]) -> Iterator[_Laid]:
    """For each beginning of ``heard``, a word longer each time: the best way to lay it against any
    stretch of ``said`` (semi-global alignment, row by row)."""
    known = set(said)
    row: list[_Laid] = [(0.0, None)] * (len(said) + 1)
    for at, word in enumerate(heard):
        above = row
        row = [(above[0][0] + 1.0, (at, above[0][1]))]
        for place, other in enumerate(said):
            # A word that was spoken anywhere is not another one misheard.
            alike = float(word == other) if word in known else _likeness(word, other)
            cost, strange = above[place]
            best: _Laid = (cost + 1.0 - alike, strange if alike else (at, strange))
            if row[place][0] + _SKIPPED < best[0]:
                best = (row[place][0] + _SKIPPED, row[place][1])
            if above[place + 1][0] + 1.0 < best[0]:
                best = (above[place + 1][0] + 1.0, (at, above[place + 1][1]))
            row.append(best)
        yield min(row, key=lambda laid: laid[0])


def _likeness(word: str, other: str) -> float:
    """1 for the same word, at least ``_ALIKE`` for one that may be the other misheard, else 0."""
    if word == other:
        return 1.0
    if min(len(word), len(other)) < 3 or abs(len(word) - len(other)) > 3:
        return 0.0
    ratio = SequenceMatcher(None, word, other, autojunk=False).ratio()
    return ratio if ratio >= _ALIKE else 0.0
