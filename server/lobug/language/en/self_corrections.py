"""Takes back sentences of a summary that their speaker put right later. English. Pure.

"My sister is called Hanna." - "No, Johanna.": the first sentence is repaired where the right value
is clear, else dropped. In doubt it is dropped: what a summary leaves out is still in the log, and
what is wrong in it is believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lobug.language.en import fact_comparison, perspective, speech_acts, words
from lobug.language.en.data import MONTHS, WEEKDAYS
from lobug.language.en.fact_checks import NEGATED


@dataclass(slots=True)
class Sentence:
    """A sentence of the user."""

    said: str
    """As said, without its filler."""
    told: str
    """In the third person, without a full stop; empty where it states nothing."""
    speaker: str
    """"The user", or a name."""
    turn: int
    """Place of its message."""
    quote: str = ""
    """The user's own words, where only those are surely true; a summary quotes them."""
    weight: float = 0.0
    follows: Sentence | None = None
    """The sentence that says whom its pronoun means; without it nobody would know."""
    repaired: bool = False
    """Its value was put right."""
    believed: bool = False
    """It is a fact that memory took from these words."""
    dropped: bool = False
    """It was corrected or taken back."""

    def repair(self, told: str | None) -> None:
        """Say something else instead; None: what is right is unclear, and the sentence goes."""
        quote = changed_alike(self.quote, self.told, told) if self.quote and told else ""
        if told is None or quote is None:
            self.dropped = True
        else:
            self.told, self.quote, self.repaired = told, quote, True


def changed_alike(text: str, old: str, new: str) -> str | None:
    """A text with the change that made ``new`` of ``old``; None: it does not have, just once, what
    was changed."""
    before, after = old.split(), new.split()
    start = end = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    rest = min(len(before), len(after)) - start
    while end < rest and before[-1 - end] == after[-1 - end]:
        end += 1
    wrong = " ".join(before[start : len(before) - end])
    right = " ".join(after[start : len(after) - end])
    found = list(re.finditer(rf"(?<!\w){re.escape(wrong)}(?!\w)", text)) if wrong else []
    if len(found) != 1:
        return None
    return f"{text[: found[0].start()]}{right}{text[found[0].end() :]}"


TAKEN_BACK = re.compile(
    r"^\W*(?:(?:oh|well|um|uh|no|sorry|wait|hey|ha|haha)\b[\s,.!-]*)*"
    r"(?:(?:i(?:['\u2019]m| am| was) )?(?:just |only )?(?:kidding|joking)"
    r"|(?:that was )?(?:a|my) joke|i (?:lied|made that up|take (?:that|it) back|misspoke)"
    r"|scratch that|never ?mind|strike that"
    r"|i didn['\u2019]?t mean (?:that|it)|ignore (?:that|what i (?:just )?said)"
    r"|forget (?:that|it|what i (?:just )?said)|that(?:['\u2019]s| is| was)(?: all| quite)?"
    r" (?:wrong|incorrect|not (?:right|true|correct|what i (?:said|meant)))|not true)\b",
    re.I,
)
"""Takes back what was said before, without saying what is right."""
PUTS_RIGHT = re.compile(
    r"^\W*(?:(?:oh|well|um|uh|hmm|and|but|hey|lo-?bug)\b[\s,.!-]*)*"
    r"(?P<no>(?:no+|nope|nah|not|nearly|almost|sorry|oops|wait|actually|correction|wrong"
    r"|i mean|i meant|i said(?!,? (?:to|yes|no|so|sorry|thanks|hello|goodbye)\b)"
    r"|rather|i(?: already)? told you(?: that)?"
    r"|i (?:made a|was) (?:mistake|mistaken|wrong)|my (?:mistake|bad)"
    r"|i should say|make (?:it|that)|or rather"
    r"|that(?:['\u2019]s| is| was)(?: all| quite)? (?:wrong|incorrect|not (?:right|true|correct))"
    r"|you(?:['\u2019]re| are) (?:wrong|mistaken)|you got (?:that|it) wrong)\b[\s,.:;!-]*)+",
    re.I,
)
"""The opening of a correction."""
REALLY = re.compile(
    r"^(?:well|or)\b[\s,]*(?P<value>(?:[\w'\u2019-]+ ){1,3})"
    r"(?:really|actually|rather|to be precise)[.!]*$",
    re.I,
)
""" "Well, vegetarian really": the better word for the last one."""
HEDGE = re.compile(
    r"^(?:(?:well|so|ok|okay|or|at least|i mean)\b[\s,]*)*"
    r"(?:mostly|sort of|kind of|kinda|more or less|almost|nearly|not (?:really|exactly|quite)"
    r"|in a way|in theory|supposedly|allegedly|apparently|on paper|probably|maybe|perhaps"
    r"|(?:i|he|she|it|they) (?:was|were|did|had|used to(?: be)?)"
    r"|i (?:think|guess|suppose|hope|believe|reckon)(?: so)?|if (?:it|that)(?:['\u2019]s| is) true"
    r"|(?:so )?the (?:story|legend|rumou?r) (?:goes|has it)|as far as i know|not that i know of"
    r"|(?:or )?(?:so )?(?:he|she|they|my \w+|i|i['\u2019]m|i was|people)"
    r" (?:says?|said|told|claims?|claimed|heard|hear|thinks?|thought))(?:,? anyway| at least)?"
    r"[\s.!]*$",
    re.I,
)
""" "Well, mostly": how far the last sentence is true."""
NOT_FIRST = re.compile(
    r"^\W*(?:(?:no|oh|sorry|well)\b[\s,.!-]*)*not (?P<wrong>[^,;.]{1,60}?)(?:, ?(?:but )?| but )"
    r"(?P<right>[^,;]+)$",
    re.I,
)
MOVED = re.compile(
    r"^(?:(?:and|but|oh|so|now|well|actually)\b[\s,]*)*"
    r"(?:(?:it|that)(?:['\u2019]s| is| was| has| got)(?: been| now| just| got)*"
    r" (?:moved|changed|postponed|rescheduled|put (?:back|off|forward)|pushed (?:back|forward)"
    r"|brought forward|delayed|shifted)"
    r"|(?:they|we)(?:['\u2019]ve| have)?(?: had to| just)*"
    r" (?:moved?|changed?|postponed?|rescheduled?|put|push(?:ed)?|shift(?:ed)?) (?:it|that)"
    r"(?: back| off| forward)?)"
    r" (?:to|till|until) (?P<value>[^,;]{2,40}?)[.!]*$",
    re.I,
)
"""Gives another time of what was said last: "They've moved it to the 16th"."""
SAID_ANEW = re.compile(
    r"(?:it|he|she|they) (?P<verb>[a-z]+) (?P<preposition>on|in|at|to|from|by|for|with) \S", re.I
)
ONLY_NO = re.compile(r"^\W*(?:no+|nope|nah)\b", re.I)
ENDED = re.compile(
    r"\b(?:no longer|not \w+ any ?more|any ?more|from now on|changed my mind|died|passed away|sold"
    r"|broke up|split up|divorced|quit|gave up|given up|stopped|left|cancell?ed|called off|lost"
    r"|used to|moved|better (?:now|again)|well again|recovered|cured|back to normal)\b",
    re.I,
)
"""Says that something is over."""
WEEKDAY = re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})\b", re.I)
MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b", re.I)
NUMBER = re.compile(rf"\b(?:\d[\d.:]*|(?:{'|'.join(words.NUMBERS)})(?:-\w+)?)\b", re.I)
NAME = re.compile(r"\b(?!(?:The|Lo)\b)[A-Z][a-z][\w'\u2019-]*\b")
ORDINAL = re.compile(r"\bthe \d+(?:st|nd|rd|th)\b", re.I)
KINDS = (ORDINAL, WEEKDAY, MONTH, NUMBER, NAME)
"""Kinds of single words, of which a correction replaces the one that a sentence has."""
REMEMBERED = 60
"""Sentences of a speaker among which those are looked for that a later one puts right."""
RIGHT_AFTER = 2
"""Messages after which a correction still means the last sentence: Lo-Bug has answered it."""
FRAGMENT_WORDS = 4
"""Longest value that puts a sentence right, words: "the ninth of October"."""
REPAIRED_WORDS = 9
"""Longest sentence whose value a correction may replace; in a longer one it is unclear which."""
REPAIRED_BY_KIND_WORDS = 14
"""The same where it has one word of the kind of that value, such as a weekday."""
HAS_SUBJECT = re.compile(
    r"\b(?:i|we|i['\u2019](?:m|ve|d|ll)|we['\u2019](?:re|ve|d|ll))\b\s+\w", re.I
)
NUMBERED = frozenset(words.NUMBERS) | frozenset(MONTHS) | frozenset(WEEKDAYS)
UNSPECIFIC = words.stems(
    "user like love want get go day year month week today yesterday people thing time lot new good"
    " great fun nice really".split()
)
"""Words that two sentences may share without being about one thing."""


def put_right(said: str, own: Sequence[Sentence], turn: int, *, answers: bool) -> str:
    """Drop or repair the speaker's sentences that ``said`` corrects. Returns what it states beyond
    that; empty: nothing.

    ``answers``: its "no" answers a question of Lo-Bug's.
    """
    last = [one for one in own if one.turn >= turn - RIGHT_AFTER][-1:]
    if TAKEN_BACK.match(said):
        for one in last:
            one.dropped = True
        return TAKEN_BACK.sub("", said).lstrip(" ,.;:!-")
    if _amends(said, own, turn, last):
        return ""
    opening = PUTS_RIGHT.match(said)
    rest = said if opening is None else said[opening.end() :]
    right, wrong = _contrast(said, rest)
    if opening is None and wrong is None:
        return said
    if len(right.split()) <= FRAGMENT_WORDS + 2:
        right = speech_acts.value_of(right)
    right = right.strip(" .!?,;:-")
    if wrong is not None:
        return _instead(own, wrong, right)
    if states(right):
        _drop_contradicted(right, own, [] if answers else last)
        return right
    if answers or (right and speech_acts.is_question(said)):
        return rest if answers else said
    _give_value(_with_kind_of(right, own, turn) or last, right)
    return ""


def _with_kind_of(value: str, own: Sequence[Sentence], turn: int) -> list[Sentence]:
    """The last sentence that has something of the kind of a bare value, such as a weekday; empty:
    the value is of no kind, or there is none."""
    for kind in KINDS[:-1]:
        if kind.fullmatch(value):
            recent = [one for one in own if one.turn >= turn - 2 * RIGHT_AFTER]
            return [one for one in recent if kind.search(one.told)][-1:]
    return []


def _amends(said: str, own: Sequence[Sentence], turn: int, last: Sequence[Sentence]) -> bool:
    """Whether a sentence says how far the last one is true, or gives a better word or another time
    for it; that is done."""
    really, moved = REALLY.match(said), MOVED.match(said)
    if HEDGE.match(said):
        for one in last:
            hedged = f"{one.quote or one.said.rstrip(' .!')}, {said[:1].lower()}{said[1:]}"
            one.quote = hedged[:1].upper() + hedged[1:].rstrip(" .!")
    elif moved is not None:
        _give_value(_with_kind_of(moved["value"], own, turn) or last, moved["value"])
    elif really is not None:
        _give_value(last, really["value"])
    else:
        return False
    return True


def _give_value(sentences: Iterable[Sentence], value: str) -> None:
    for one in sentences:
        one.repair(_with_value(one.told, value.strip()))


def _instead(own: Sequence[Sentence], wrong: str, right: str) -> str:
    """Replace the wrong words by the right ones; where those are a statement, it takes the place of
    the sentences with the wrong ones. Returns that statement; empty: it is none."""
    stated = states(right)
    for one in own:
        changed = fact_comparison.with_instead(one.told, wrong, right)
        if changed is not None:
            one.repair(None if stated else changed)
    return right if stated else ""


def _drop_contradicted(right: str, own: Sequence[Sentence], last: Sequence[Sentence]) -> None:
    """Drop what a statement contradicts; where nothing has its form, the sentences right before
    it (``last``) are meant."""
    told = perspective.about_the_user(right)
    contradicted = [one for one in own if fact_comparison.contradicts(told, one.told, loosely=True)]
    for one in contradicted or last:
        one.dropped = True


def _contrast(said: str, rest: str) -> tuple[str, str | None]:
    """What is right and what is wrong, in "Hanna, not Anna" and "not Anna, Hanna"."""
    first = NOT_FIRST.match(said)
    if first is not None:
        return first["right"], first["wrong"]
    right, wrong = speech_acts.split_contrast(rest)
    # "I'm not a vegetarian any more" and "I've decided not to go" are no contrasts.
    infinitive = wrong is not None and wrong.startswith("to ") and " to " not in f" {right} "
    return (rest, None) if infinitive or re.search(r"['\u2019]\w+$", right) else (right, wrong)


def states(text: str) -> bool:
    """Whether words are a whole statement: they have a subject and a verb."""
    return len(re.split(r"[\s'\u2019]+", text)) > 2 and (
        speech_acts.is_statement(text) or HAS_SUBJECT.search(text) is not None
    )


def _with_value(told: str, value: str) -> str | None:
    """A short sentence with another value at its end; None: which value is meant is unclear."""
    if not 0 < len(value.split()) <= FRAGMENT_WORDS or len(told.split()) > REPAIRED_BY_KIND_WORDS:
        return None
    for kind in KINDS:
        if kind.fullmatch(value):
            alike = [match for match in kind.finditer(told) if match.start() or kind is not NAME]
            if len(alike) == 1:
                return f"{told[: alike[0].start()]}{value}{told[alike[0].end() :]}"
            return None
    if len(told.split()) > REPAIRED_WORDS:
        return None
    opening = value.split(maxsplit=1)[0].lower()
    if opening in fact_comparison.PREPOSITIONS and len(value.split()) > 1:
        at = re.search(rf"\b{re.escape(opening)}\b(?!.*\b{re.escape(opening)}\b)", told, re.I)
        return None if at is None else f"{told[: at.start()]}{value}"
    changed = fact_comparison.with_value(told, value)
    if changed is None:
        return None
    kept = changed[: -len(value)]
    old = told[len(kept) :] if told.startswith(kept) else ""
    same_kind = has_number(old) == has_number(value) and old[:1].isupper() == value[:1].isupper()
    return changed if same_kind and len(old.split()) <= FRAGMENT_WORDS else None


def has_number(text: str) -> bool:
    return any(word.isdigit() or word in NUMBERED for word in words.words(text))


def said_anew(said: str, own: Sequence[Sentence], turn: int) -> Sentence | None:
    """Of "It leaves on Saturday" after "My train leaves on Friday" the whole sentence."""
    match = SAID_ANEW.match(said)
    last = [one for one in own if turn - RIGHT_AFTER <= one.turn < turn][-1:]
    if match is None or not last or len(said.split()) > REPAIRED_WORDS:
        return None
    verb, preposition = match["verb"], match["preposition"]
    at = re.search(rf"\b{verb}(?= {preposition}\b)", last[0].told, re.I)
    if at is None or len(last[0].told.split()) > REPAIRED_WORDS:
        return None
    last[0].dropped = True
    if last[0].quote:
        return None
    rest = perspective.about_the_user(said[match.start("verb") :])
    told = f"{last[0].told[: at.start()]}{rest[:1].lower()}{rest[1:]}"
    return Sentence(last[0].said, told, last[0].speaker, turn)


def drop_replaced(sentence: Sentence, own: Iterable[Sentence]) -> None:
    """Drop the earlier sentences that a later one makes untrue, as far as their form shows it."""
    if not sentence.told:
        return
    ends = ENDED.search(sentence.said) is not None
    if ends:
        sentence.weight += 3.0
    denies = NEGATED.search(sentence.said) is not None
    about = words.stems(words.content_words(sentence.told)) - UNSPECIFIC
    for one in own:
        if one.believed:
            continue
        known = words.stems(words.content_words(one.told)) - UNSPECIFIC
        shared = about & known
        reverses = denies != (NEGATED.search(one.said) is not None) and (
            len(shared) > 1 or (bool(shared) and shared in (about, known))
        )
        if (ends and shared) or reverses or fact_comparison.contradicts(sentence.told, one.told):
            one.dropped = True
