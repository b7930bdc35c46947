"""Recognises the assistant's own voice when it comes back from a loudspeaker. Pure.

The words that were heard are aligned with the words that were spoken. Speech-to-text mishears some,
and the beginning or the end of an echo is often cut. A person who speaks at that moment often
repeats some of the words: to ask back, to correct, to choose one of two things named. Missing a
person's "stop" is worse than hearing an echo, so a text counts as an echo only if almost nothing in
it is new, and one or two words never do unless the microphone is known to hear the loudspeaker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from difflib import SequenceMatcher

from lobug.language.en.turn_taking import ORDERS, TURNING
from lobug.language.en.words import BELOW_HUNDRED

_LONG_ENOUGH = 4
"""Fewest words that may be an echo of any part of the speech; fewer must be most of a sentence."""
_FEW = 2
"""Words up to which a text cannot be told from a person who repeats them."""
_SHORT_SHARE = 0.7
"""Share of a sentence's words that is "most" of it."""
_ALIKE = 0.7
"""Similarity (difflib's ratio) from which one word may be the other misheard."""
_OWN = 0.8
"""Share of the words heard that must occur in the speech, in the same order."""
_SKIPPED = 0.5
"""Cost, in words, of a spoken word that was not heard: speech-to-text drops small ones."""
_MOST_WORDS = 80
"""Most words compared on either side: half a minute of speech."""

_ENDS = frozenset(".?!")
"""Characters that end a sentence."""

_Chain = tuple[int, "_Chain"] | None
_Alignment = tuple[float, "_Chain"]
"""Cost of an alignment, and the places of the heard words that were not spoken, last one first."""


def is_own_voice(
    transcript: str, spoken: Sequence[str], *, partial: bool = False, echoes: bool = False
) -> bool:
    """Whether ``transcript`` is nothing but an echo of what was spoken.

    Args:
        transcript: the words heard.
        spoken: texts of the pieces that were played, in order; the one that is being played as a
            whole.
        partial: more words will follow (an interim transcript), so a few words that were spoken in
            the same order count as the beginning of an echo, unless they are orders ("stop").
        echoes: the microphone is known to hear the loudspeaker, so one or two words that were
            spoken in the same order count as a part of an echo, unless they are orders.
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
    """``transcript`` without the echo at its beginning: what a person said over the speech.

    Empty if all of it is an echo; unchanged where no echo is certain. It is cut only where a
    sentence ends or an objection begins ("no", "stop"), so that words which a person repeated are
    kept. ``echoes`` as of ``is_own_voice``.
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
    """Whether a few words, in the same order, are most of a sentence."""
    said = [word for word, _ in _words(sentence)]
    return len(heard) >= _SHORT_SHARE * len(said) and _is_within(heard, said)


def _is_within(heard: Sequence[str], said: Sequence[str]) -> bool:
    """Whether a few words were spoken in the same order, and none of them is an order ("stop")."""
    starts = range(len(said) - len(heard) + 1)
    within = any(list(heard) == list(said[start : start + len(heard)]) for start in starts)
    return within and ORDERS.isdisjoint(heard)


def _firsts(transcript: str, words: Sequence[tuple[str, int]]) -> set[int]:
    """The places of the words that begin a sentence, but for the first."""
    return {place for place, (_, end) in enumerate(words, 1) if transcript[end : end + 1] in _ENDS}


def _longest_part(
    heard: Sequence[str], said: Sequence[str], cuts: Sequence[int], firsts: Set[int]
) -> int | None:
    """The longest beginning of ``heard`` that is an echo, misheard words aside; None: none is.

    Args:
        heard: the words heard.
        said: the words spoken.
        cuts: the counts of words that are allowed as an answer, ascending.
        firsts: places of the words that begin a sentence.
    """
    if not cuts:
        return None
    longest = None
    most = _allowed(cuts[-1])
    for count, (words_wrong, strange) in enumerate(_alignments(heard, said), start=1):
        # Two words that were written for the one cut word at the beginning count once.
        cost = words_wrong - ({0, 1} <= _places(strange))
        if cost > most or count > cuts[-1]:
            break
        if (
            count in cuts
            and cost <= _allowed(count)
            and _are_fragments(heard, strange, count, firsts)
        ):
            longest = count
    return longest


def _allowed(count: int) -> float:
    """How many of ``count`` words need not match."""
    return (1 - _OWN) * count + 1e-9


def _are_fragments(heard: Sequence[str], strange: _Chain, count: int, firsts: Set[int]) -> bool:
    """Whether the words that were not spoken are fragments of cut words, at either end. One in the
    middle is a person's, and so are a sentence of one word and an objection.

    Whisper may write two words for the cut beginning: "and he lives" for "she lives".
    """
    ends = {0} - {place - 1 for place in firsts} | {count - 1} - set(firsts)
    places = _places(strange)
    if {0, 1} <= places and 0 in ends and 1 not in firsts and 2 not in firsts:
        ends.add(1)
    while strange is not None:
        place, strange = strange
        if place not in ends or heard[place] in TURNING:
            return False
    return True


def _places(chain: _Chain) -> set[int]:
    found = set()
    while chain is not None:
        place, chain = chain
        found.add(place)
    return found


def _words(text: str) -> list[tuple[str, int]]:
    """The words in the form in which they are compared, each with its end in ``text``."""
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


def _alignments(heard: Sequence[str], said: Sequence[str]) -> Iterator[_Alignment]:
    """The best alignment of each beginning of ``heard``, one word longer each time, with any part
    of ``said`` (semi-global alignment, row by row)."""
    known = set(said)
    row: list[_Alignment] = [(0.0, None)] * (len(said) + 1)
    for at, word in enumerate(heard):
        above = row
        row = [(above[0][0] + 1.0, (at, above[0][1]))]
        for place, other in enumerate(said):
            # A word that was spoken elsewhere is not a misheard other one.
            alike = float(word == other) if word in known else _similarity(word, other)
            cost, strange = above[place]
            best: _Alignment = (cost + 1.0 - alike, strange if alike else (at, strange))
            if row[place][0] + _SKIPPED < best[0]:
                best = (row[place][0] + _SKIPPED, row[place][1])
            if above[place + 1][0] + 1.0 < best[0]:
                best = (above[place + 1][0] + 1.0, (at, above[place + 1][1]))
            row.append(best)
        yield min(row, key=lambda alignment: alignment[0])


def _similarity(word: str, other: str) -> float:
    """1 for the same word, at least ``_ALIKE`` for one that may be the other misheard, else 0."""
    if word == other:
        return 1.0
    if min(len(word), len(other)) < 3 or abs(len(word) - len(other)) > 3:
        return 0.0
    ratio = SequenceMatcher(None, word, other, autojunk=False).ratio()
    return ratio if ratio >= _ALIKE else 0.0
