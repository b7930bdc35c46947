"""Summarizes what was said by choosing the user's own sentences. English. Pure.

A small chat model turns a user's question into Lo-Bug's, or reverses a sentence; a sentence that
the user said, in the third person, is as true as what they said. The sentences that tell most are
chosen: names, numbers and dates, what is said of the user and their people. What somebody corrected
or took back is left out, and so is what nobody understands without the sentence before it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from lobug.language.en import fact_comparison, perspective, speech_acts, verbs, words
from lobug.language.en.data import MONTHS, WEEKDAYS
from lobug.language.en.fact_checks import NEGATED, OTHERS, PASSING

MAX_SENTENCES = 5
MAX_CHARS = 600
"""Longest summary, characters, about 150 tokens."""

QUOTE_CHARS = 120
"""Longest words that are quoted where nothing was stated, characters."""

LONGEST_MESSAGE = 6_000
"""Characters of one message that are read."""

LONGEST_SENTENCE = 240
"""Characters. A longer sentence, such as one without any punctuation, is no summary."""

ENGLISH_SHARE = 0.3
"""From this share of small English words on a text is English: people talking have 0.45 and more,
German to Spanish 0.13 to 0.17, a short German sentence with "in" 0.25."""

FEW_WORDS = 6
"""With fewer words the share says nothing: "Play some jazz"."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message of a conversation."""

    role: Literal["user", "assistant"]
    content: str
    speaker: str | None = None
    """Who said it, where several people talk; None: the user."""


@dataclass(slots=True)
class _Sentence:
    """A sentence of the user."""

    said: str
    """As said, without its filler."""
    told: str
    """In the third person, without a full stop; empty where it states nothing."""
    speaker: str
    """"The user", or a name."""
    turn: int
    """Place of its message."""
    weight: float = 0.0
    follows: _Sentence | None = None
    """The sentence that says whom its pronoun means; without it nobody would know."""
    dropped: bool = False
    """It was corrected or taken back."""


def summary_of(
    utterances: Sequence[Utterance], *, sentences: int = MAX_SENTENCES, chars: int = MAX_CHARS
) -> str:
    """What the user said in a stretch of conversation, in the third person and in the order in
    which it was said; what was asked about, where nothing was stated. Lo-Bug's words are left out.

    Empty only where the rules of English do not apply, or the user said nothing.
    """
    if not is_english(utterances):
        return ""
    found = _sentences(utterances)
    stated = [one for one in found if one.told and not one.dropped]
    chosen = _best(stated, sentences, chars)
    if chosen:
        return " ".join(_shown(one) for one in chosen)
    return _asked_about(utterances, {one.said for one in found if one.dropped}, sentences, chars)


def shortened(summaries: Sequence[str], chars: int) -> str:
    """The sentences of summaries, oldest first, that tell most, in their order; of two that
    contradict each other the later one."""
    lines: list[str] = []
    for sentence in (one for text in summaries for one in speech_acts.sentences(text)):
        plain = sentence.rstrip(".")
        lines = [
            line
            for line in lines
            if line.rstrip(".") != plain
            and not fact_comparison.contradicts(plain, line.rstrip("."))
        ]
        lines.append(sentence)
    # Of equal ones the later, which is more likely to matter for what is said next.
    order = sorted(range(len(lines)), key=lambda at: (-_weight(lines[at]), -at))
    kept: set[int] = set()
    length = 0
    for at in order:
        if length + len(lines[at]) + 1 <= chars:
            kept.add(at)
            length += len(lines[at]) + 1
    return " ".join(lines[at] for at in sorted(kept))


def is_english(utterances: Sequence[Utterance]) -> bool:
    """Whether the user talked English. Very few words are judged with Lo-Bug's replies."""
    said = " ".join(one.content for one in utterances if one.role == "user")
    if words.is_english(said, ENGLISH_SHARE):
        return True
    if len(words.words(said)) > FEW_WORDS or not words.words(said):
        return False
    return words.is_english(" ".join(one.content for one in utterances), ENGLISH_SHARE)


# ---- what was stated

SECOND_PERSON = re.compile(r"\b(?:you|your|yours|yourself|u|ya)\b|\byou['\u2019]", re.I)
PRONOUN = re.compile(
    r"\b(?:he|she|they|him|her|them|his|hers|their|theirs|it|its|this|that|these|those|there|one"
    r"|ones|both|such)\b",
    re.I,
)
PERSONAL = frozenset("he she they him her them his hers their theirs it its".split())
SUBORDINATE = re.compile(
    r"\b(?:that|there)\b(?=\s+(?:i|we|he|she|they|it|my|our|the|a|an|is|are|was|were|has|have)\b)",
    re.I,
)
""" "That" and "there" that point to nothing: "I think that my ...", "there is a ..."."""
HANGING = re.compile(r"\b(?:about|with|for|behind|from|of|word about)\s$", re.I)
"""After one of these a pronoun at the end of a sentence mostly points to what was said before."""
RELATIVE = re.compile(r"\s+(?!(?:too|as well|now|again|more|one|way|though)\b)\w", re.I)
A_THING = re.compile(r"\b(?i:my|our|a|an|the|some|his|her|their)\s+\w+|(?<=\w )[A-Z]\w+")
SEVERAL = re.compile(
    r"\b(?:my|our|the|some|many|two|three|four|five|these|all)\s+(?:\w+\s+)?\w+s\b"
    r"|\b(?:people|everyone|everybody|someone|somebody|folks|kids|children|parents|team|family|who)\b",
    re.I,
)
POINTING_AT_TIME = re.compile(
    r"\b(?:this|that|these|those) (?:morning|afternoon|evening|night|week|weekend|month|year|spring"
    r"|summer|autumn|fall|winter|time|days|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    r"|january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.I,
)
IMPERSONAL = re.compile(
    r"\bit(?:['\u2019]s| is| was)? (?:rain|snow|(?:takes?|took) (?:me|us|a|an|\d)|cold|hot|late)",
    re.I,
)
""" "It" that stands for nothing."""
WITHOUT_SUBJECT = re.compile(
    r"^(?:(?:just|really|also|even|still|finally|already|definitely|so|plus|now|yes|yeah)\b[\s,]*)*"
    r"(?:gonna|wanna|gotta|been|got|had|have(?:n['\u2019]?t)?|having|going|made|makes?|looking|trying"
    r"|following|feeling|thinking|can(?:['\u2019]?t)?|could|will|would|don['\u2019]?t|didn['\u2019]?t"
    r"|here(?:['\u2019]?s)?|there['\u2019]s|glad|happy|sorry|hope|wish|guess|agreed|thanks?|thx"
    r"|way to"
    r"|let['\u2019]?s|\w+s (?:me|us|my|how|that))\b",
    re.I,
)
"""Opens a sentence whose subject is left out: "Been there for years", "Reminds me of her"."""
ONLY_SUBORDINATE = re.compile(
    r"^(?:because|since|when|while|although|though|until|after|before|as)\b[^,]*$", re.I
)
""""Since I was seventeen": the main clause is missing."""
ADDRESSES = re.compile(
    rf",\s*(?:my )?(?!(?:{'|'.join(word.title() for word in (*MONTHS, *WEEKDAYS))})\b)"
    r"[A-Z][a-z]+[\s.!]*$"
)
"""Calls the listener by name at the end: "..., Anna". Some lists end like that, too."""
CALLS_FIRST = re.compile(r"^(?P<name>[A-Z][a-z]+),\s")
"""Perhaps calls the listener by name: "Anna, my ..."."""
OPENS = frozenset(
    "yesterday today tomorrow tonight together growing wow yes overall apparently later".split()
)
"""Words before a comma that are no names."""
INTERJECTION = re.compile(
    r"^(?:(?:yep|yup|wow|whoa|aw+|ah+|ugh|nah|hmm+|haha|omg|woohoo|yay|gosh)\b[\s,.!-]*)+", re.I
)
TOGETHER = re.compile(
    r"\b(?:together|each other|one another|let['\u2019]?s|as a (?:team|family)|this world)\b"
    r"|\bwe(?:['\u2019]re| are| were) (?:all |both )?(?:a|an|like|the|in)\b"
    r"|\b(?:bring|make|help|keep|push|teach|remind|give|let)s? us\b",
    re.I,
)
"""Says of "us" what is not true of one person."""
PLURAL = re.compile(r"\b(?:we|us|our|ours|ourselves|we['\u2019]\w+)\b", re.I)
SINGULAR = re.compile(r"\b(?:i|me|my|mine|myself|i['\u2019]\w+)\b", re.I)
NUMBERED = frozenset(words.NUMBERS) | frozenset(MONTHS) | frozenset(WEEKDAYS)
TELLS_PLAINLY = speech_acts.EXPLICIT
TENTATIVE = re.compile(
    r"\b(?:i|we) (?:think|guess|suppose|hope|wonder|bet|mean|feel like|agree)\b"
    r"|\bmaybe\b|\bperhaps\b|\bmight\b|\bwish\b",
    re.I,
)
OPINION_OF_WORDS = re.compile(
    r"^(?:(?:i|we) (?:\S+ )?(?:know|see|agree|understand|hear|mean|guess|do|did|am|was|will|would"
    r"|have|can)"
    r"(?: (?:that|so|too|what|how|it)\b.*)?"
    r"|i(?:['\u2019]m| am) (?:sorry|sure|glad|happy|not sure|just saying|kidding|joking|listening"
    r"|back|here|done|good|fine|okay|ok)\b.*"
    r"|(?:that|it|this)(?:['\u2019]s| is| was| sounds?| looks?| seems?| must| would)\b.*"
    r"|(?:sounds?|looks?|seems?)\b.*|(?:thanks|thank you|congrat)\w*.*)$",
    re.I,
)
"""Answers to what somebody else has said."""
THANKS = re.compile(r"^\W*(?:(?:oh|aw+|wow|well)\b[\s,.!]*)*(?:thanks|thank you|thx|congrat)", re.I)
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
    r"(?P<no>(?:no+|nope|nah|not|sorry|oops|wait|actually|correction|wrong|i mean|i meant|i said"
    r"|rather|i(?: already)? told you(?: that)?"
    r"|i should say|make (?:it|that)|or rather"
    r"|that(?:['\u2019]s| is| was)(?: all| quite)? (?:wrong|incorrect|not (?:right|true|correct))"
    r"|you(?:['\u2019]re| are) (?:wrong|mistaken)|you got (?:that|it) wrong)\b[\s,.:;!-]*)+",
    re.I,
)
"""The opening of a correction."""
NOT_FIRST = re.compile(
    r"^\W*(?:(?:no|oh|sorry|well)\b[\s,.!-]*)*not (?P<wrong>[^,;.]{1,60}?)(?:, ?(?:but )?| but )"
    r"(?P<right>[^,;]+)$",
    re.I,
)
SAID_ANEW = re.compile(
    r"(?:it|he|she|they) (?P<verb>[a-z]+) (?P<preposition>on|in|at|to|from|by|for|with) \S", re.I
)
HAS_SUBJECT = re.compile(
    r"\b(?:i|we|i['\u2019](?:m|ve|d|ll)|we['\u2019](?:re|ve|d|ll))\b\s+\w", re.I
)
ONLY_NO = re.compile(r"^\W*(?:no+|nope|nah)\b", re.I)
ENDED = re.compile(
    r"\b(?:no longer|not \w+ any ?more|any ?more|from now on|changed my mind|died|passed away|sold"
    r"|broke up|split up|divorced|quit|gave up|given up|stopped|left|cancell?ed|called off|lost"
    r"|used to|moved)\b",
    re.I,
)
"""Says that something is over."""
SELF_CORRECTION = re.compile(
    r"\b(?:no wait|wait no|i mean|or rather|sorry|no sorry|scratch that|i meant)\b", re.I
)
"""A correction inside a sentence: which half is wrong is unclear."""
WEEKDAY = re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})\b", re.I)
MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b", re.I)
NUMBER = re.compile(rf"\b(?:\d[\d.:]*|(?:{'|'.join(words.NUMBERS)})(?:-\w+)?)\b", re.I)
NAME = re.compile(r"\b(?!(?:The|Lo)\b)[A-Z][a-z][\w'\u2019-]*\b")
KINDS = (WEEKDAY, MONTH, NUMBER, NAME)
"""Kinds of single words, of which a correction replaces the one that a sentence has."""
REMEMBERED = 60
"""Sentences of a speaker among which those are looked for that a later one puts right."""
RIGHT_AFTER = 2
"""Messages after which a correction still means the last sentence: Lo-Bug has answered it."""
FRAGMENT_WORDS = 4
"""Longest value that puts a sentence right, words: "the ninth of October"."""
REPAIRED_WORDS = 9
"""Longest sentence whose value a correction may replace; in a longer one it is unclear which."""
LEAST_EXPLAINED = 1.0
"""The same for a sentence that goes with the one before it."""
LEAST_WEIGHT = 1.5
"""A statement with less tells nothing: "I like music a lot"."""


def _sentences(utterances: Sequence[Utterance]) -> list[_Sentence]:
    """The user's statements in their order, with what was corrected and repaired."""
    found: list[_Sentence] = []
    several = len({one.speaker for one in utterances if one.role == "user"}) > 1
    for turn, utterance in enumerate(utterances):
        if utterance.role != "user":
            continue
        speaker = _speaker(utterance)
        before = utterances[turn - 1] if turn else utterance
        asked = before.speaker != utterance.speaker or before.role != "user"
        asked = asked and before.content.rstrip("\"'\u201d ").endswith("?")
        for number, said in enumerate(speech_acts.sentences(utterance.content[:LONGEST_MESSAGE])):
            # Only where this speaker corrects themself: others may disagree.
            own = [one for one in found if one.speaker == speaker and not one.dropped]
            own = own[-REMEMBERED:]
            rest, handled = _put_right(
                said, own, turn, answers=asked and number == 0 and ONLY_NO.match(said) is not None
            )
            if handled:
                continue
            last = found[-1] if found and found[-1].turn == turn else None
            sentence = _said_anew(rest, own, turn) or _statement(
                rest, speaker, turn, last, several=several
            )
            if sentence is not None:
                _drop_what_it_replaces(sentence, own)
                found.append(sentence)
    for one in found:
        if one.told:
            one.weight += _weight(one.told)
    return found


def _speaker(utterance: Utterance) -> str:
    return " ".join((utterance.speaker or "").split()) or "The user"


def _said_anew(said: str, own: Sequence[_Sentence], turn: int) -> _Sentence | None:
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
    rest = perspective.about_the_user(said[match.start("verb") :])
    told = f"{last[0].told[: at.start()]}{rest[:1].lower()}{rest[1:]}"
    return _Sentence(last[0].said, told, last[0].speaker, turn, weight=_kind_weight(last[0].said))


def _put_right(
    said: str, own: Sequence[_Sentence], turn: int, *, answers: bool
) -> tuple[str, bool]:
    """Drop or repair the speaker's sentences that ``said`` corrects. Returns what it states beyond
    that, and whether there is nothing left to be read.

    ``answers``: its "no" answers a question of Lo-Bug's.
    """
    last = [one for one in own if one.turn >= turn - RIGHT_AFTER][-1:]
    if TAKEN_BACK.match(said):
        for one in last:
            one.dropped = True
        said = TAKEN_BACK.sub("", said).lstrip(" ,.;:!-")
        return said, not said
    opening = PUTS_RIGHT.match(said)
    right, wrong = _contrast(said, said if opening is None else said[opening.end() :])
    if opening is None and wrong is None:
        return said, False
    right = speech_acts.value_of(right) if len(right.split()) <= FRAGMENT_WORDS + 2 else right
    right = right.strip(" .!?,;:-")
    states = _states(right)
    if wrong is not None:
        for one in own:
            if fact_comparison.with_instead(one.told, wrong, "") is not None:
                _repair(
                    one, None if states else fact_comparison.with_instead(one.told, wrong, right)
                )
        return right, not states
    if states:
        told = perspective.about_the_user(right)
        contradicted = [
            one for one in own if fact_comparison.contradicts(told, one.told, loosely=True)
        ]
        # Where nothing has its form, the sentence right before it is meant.
        for one in contradicted or ([] if answers else last):
            one.dropped = True
        return right, False
    if answers:
        return said[opening.end() :] if opening is not None else said, False
    if right and speech_acts.is_question(said):
        return said, False
    for one in last:
        _repair(one, _with_value(one.told, right))
    return "", True


def _contrast(said: str, rest: str) -> tuple[str, str | None]:
    """What is right and what is wrong, in "Hanna, not Anna" and "not Anna, Hanna"."""
    first = NOT_FIRST.match(said)
    if first is not None:
        return first["right"], first["wrong"]
    right, wrong = speech_acts.split_contrast(rest)
    # "I'm not a vegetarian any more" is no contrast.
    return (rest, None) if re.search(r"['\u2019]\w+$", right) else (right, wrong)


def _states(text: str) -> bool:
    """Whether words are a whole statement: they have a subject and a verb."""
    return len(re.split(r"[\s'\u2019]+", text)) > 2 and (
        speech_acts.is_statement(text) or HAS_SUBJECT.search(text) is not None
    )


def _repair(sentence: _Sentence, told: str | None) -> None:
    """Replace the words of a corrected sentence; None: it is dropped."""
    if told is None or len(sentence.told.split()) > REPAIRED_WORDS:
        sentence.dropped = True
    else:
        sentence.told = told


def _with_value(told: str, value: str) -> str | None:
    """A short sentence with another value at its end; None: which value is meant is unclear."""
    if not 0 < len(value.split()) <= FRAGMENT_WORDS:
        return None
    for kind in KINDS:
        if kind.fullmatch(value):
            alike = [match for match in kind.finditer(told) if match.start() or kind is not NAME]
            if len(alike) == 1:
                return f"{told[: alike[0].start()]}{value}{told[alike[0].end() :]}"
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
    same_kind = _has_number(old) == _has_number(value) and old[:1].isupper() == value[:1].isupper()
    return changed if same_kind and len(old.split()) <= FRAGMENT_WORDS else None


def _has_number(text: str) -> bool:
    return any(word.isdigit() or word in NUMBERED for word in words.words(text))


def _drop_what_it_replaces(sentence: _Sentence, own: Iterable[_Sentence]) -> None:
    """Drop the earlier sentences that a later one makes untrue, as far as their form shows it."""
    if not sentence.told:
        return
    ends = ENDED.search(sentence.said) is not None
    if ends:
        sentence.weight += 3.0
    denies = NEGATED.search(sentence.said) is not None
    about = words.stems(words.content_words(sentence.told)) - UNSPECIFIC
    for one in own:
        known = words.stems(words.content_words(one.told)) - UNSPECIFIC
        shared = about & known
        reverses = denies != (NEGATED.search(one.said) is not None) and (
            len(shared) > 1 or (bool(shared) and shared in (about, known))
        )
        if (ends and shared) or reverses or fact_comparison.contradicts(sentence.told, one.told):
            one.dropped = True


UNSPECIFIC = words.stems(
    "user like love want get go day year month week today yesterday people thing time lot new good"
    " great fun nice really".split()
)
"""Words that two sentences may share without being about one thing."""


def _statement(
    said: str, speaker: str, turn: int, before: _Sentence | None, *, several: bool
) -> _Sentence | None:
    """A sentence that may be chosen; None: it states nothing that stands alone."""
    stated = speech_acts.statements(said)
    if len(stated) != 1:
        return None
    kept = INTERJECTION.sub("", stated[0].strip())
    if not words.words(kept) or THANKS.match(said):
        return None
    if (
        len(kept) > LONGEST_SENTENCE
        or not _states(kept)
        or OPINION_OF_WORDS.match(kept)
        or SELF_CORRECTION.search(kept)
        or SECOND_PERSON.search(kept)
        or WITHOUT_SUBJECT.match(kept)
        or ONLY_SUBORDINATE.match(kept)
        or (PLURAL.search(kept) and TOGETHER.search(kept))
        or {"we", "us"} <= set(words.words(kept))
        or _calls_somebody(kept)
        or verbs.is_past(words.words(kept)[0])
        or kept.rstrip().endswith(("-", "\u2014", "...", "\u2026", ",", ":"))
        or (several and perspective.is_first_person(kept) and re.search(r"\blo-?bug\b", kept, re.I))
    ):
        return None
    told = perspective.about_the_user(kept)
    if speaker != "The user":
        told = _named(told, speaker)
    sentence = _Sentence(kept, told, speaker, turn)
    pointing = _unexplained(kept)
    if pointing:
        explained = before is not None and not before.dropped and pointing <= PERSONAL
        if (
            not explained
            or before is None
            or not all(_tells_whom(before.said, word) for word in pointing)
        ):
            return None
        sentence.follows = before
    sentence.weight = _kind_weight(kept)
    return sentence


def _calls_somebody(said: str) -> bool:
    """Whether a sentence is said to somebody by name."""
    first = CALLS_FIRST.match(said)
    if first is not None:
        word = first["name"].lower()
        known = word in words.STOP_WORDS or word in OPENS or word.endswith(("ly", "ing"))
        if not (known or _has_number(word)):
            return True
    return ADDRESSES.search(said) is not None


def _named(told: str, speaker: str) -> str:
    """A sentence about the user with the speaker's name."""
    return re.sub(r"\b[Tt]he user\b", lambda _: speaker, told)


def _unexplained(said: str) -> set[str]:
    """The pronouns of a sentence that stand for something it does not name before."""
    plain = POINTING_AT_TIME.sub(" ", IMPERSONAL.sub(" ", SUBORDINATE.sub(" ", said)))
    found = set()
    for match in PRONOUN.finditer(plain):
        word = match.group().lower()
        before, after = plain[: match.start()], plain[match.end() :]
        named = word in PERSONAL and not HANGING.search(before) and _tells_whom(before, word)
        # "The house that I sold", "the one with the garden".
        relative = word == "that" and RELATIVE.match(after) is not None and before.strip() != ""
        partitive = word in {"one", "ones", "both"} and re.match(r"\s+\w", after) is not None
        if not (named or relative or partitive):
            found.add(word)
    return found


def _tells_whom(text: str, pronoun: str) -> bool:
    """Whether a text names a person, an animal or a thing that a later pronoun may stand for."""
    if pronoun not in {"it", "its"} and any(word in OTHERS for word in words.words(text)):
        return True
    if pronoun in {"he", "him", "his", "she", "her", "hers"}:
        return words.NAME.search(text) is not None
    if pronoun in {"it", "its"}:
        return A_THING.search(text) is not None
    return SEVERAL.search(text) is not None


def _kind_weight(said: str) -> float:
    """What the words as said tell of the kind of a statement."""
    weight = 0.0
    if perspective.is_first_person(said):
        weight += 1.5
    if TELLS_PLAINLY.search(said):
        weight += 2.0
    if TENTATIVE.search(said):
        weight -= 1.0
    if PLURAL.search(said) and not SINGULAR.search(said):
        weight -= 1.0  # perhaps of everybody: "We all need friends"
    return weight


def telling(told: str) -> float:
    """How much a sentence in the third person tells, 0 and more: names, numbers, people."""
    return max(_weight(told), 0.0)


def _weight(told: str) -> float:
    found = words.content_words(told)
    stems = words.stems(found) - {"user"}
    names = {name for name in words.NAME.findall(told) if name not in {"Lo-Bug", "I"}}
    weight = 1.5 * min(len(names), 3) + 0.2 * min(len(stems), 10)
    weight += 1.0 * min(sum(word.isdigit() or word in NUMBERED for word in found), 2)
    weight += 0.7 * any(word in OTHERS for word in found)
    if stems and stems <= PASSING | UNSPECIFIC:
        weight -= 2.0
    if len(told) > 160:
        weight -= 1.0
    return weight


def _best(stated: Sequence[_Sentence], sentences: int, chars: int) -> list[_Sentence]:
    """The sentences that tell most, in their order, each with the one that explains it."""
    chosen: list[_Sentence] = []
    for one in sorted(stated, key=lambda one: -one.weight):
        needed: list[_Sentence] = []
        step: _Sentence | None = one
        while step is not None and step not in chosen:
            needed.append(step)
            step = step.follows
        least = LEAST_WEIGHT if one.follows is None else LEAST_EXPLAINED
        if one.weight < least or not needed or any(step.dropped for step in needed):
            continue
        if any(fact_comparison.is_subsumed(one.told, other.told) for other in chosen):
            continue
        after = [*chosen, *needed]
        if len(after) <= sentences and sum(len(_shown(part)) + 1 for part in after) <= chars + 1:
            chosen = after
    return [one for one in stated if one in chosen]


def _shown(sentence: _Sentence) -> str:
    """A chosen sentence with its full stop; one that is not about its speaker says who said it."""
    told = sentence.told.rstrip(" .!")
    about = perspective.is_first_person(sentence.said) or sentence.follows is not None
    if not about:
        told = f"{sentence.speaker} said: {told}"
    return f"{told}."


# ---- what was asked

ABOUT = (
    re.compile(
        r"^(?:what|who|where|how)(?:['\u2019]s| is| are| was| were) (?P<topic>(?:the|my|our) .+)$",
        re.I,
    ),
    re.compile(r"^(?:what|how) about (?P<topic>.+)$", re.I),
    re.compile(
        r"^(?:(?:can|could|would|will) you )?(?:please )?(?:tell|teach|show) me"
        r" (?:something |more |a bit )?about (?P<topic>.+)$",
        re.I,
    ),
)
CAN_YOU = re.compile(r"^(?:can|could|would|will) you (?:please )?(?=\w)", re.I)


def _asked_about(
    utterances: Sequence[Utterance], wrong: Collection[str], sentences: int, chars: int
) -> str:
    """What the user asked and ordered, else their first words, as a quotation; nothing of what is
    wrong."""
    lines: list[str] = []
    telling: list[str] = []
    quoted: list[str] = []
    for utterance in (one for one in utterances if one.role == "user"):
        speaker = _speaker(utterance)
        for said in speech_acts.sentences(utterance.content):
            plain = speech_acts.FILLER.sub("", said).strip() or said
            corrects = PUTS_RIGHT.match(said) or TAKEN_BACK.match(said)
            if corrects or not words.words(said) or any(one in said for one in wrong):
                continue
            line = _request(plain, speaker)
            if line is None:
                quote = f"{speaker} said: {_quoted(said)}"
                quoted.append(quote)
                if words.content_words(plain):
                    telling.append(quote)
            elif line not in lines:
                lines.append(line)
    taken: list[str] = []
    for line in (lines or telling or quoted[:1])[:sentences]:
        if taken and sum(map(len, taken)) + len(line) + len(taken) > chars:
            break
        taken.append(line)
    if wrong and not taken:
        return "The user took back what they had said."
    return " ".join(taken)


def _request(said: str, speaker: str) -> str | None:
    """What a question or an order is about, as a sentence; None: it is neither."""
    plain = said.rstrip(" ?!.")
    for pattern in ABOUT:
        match = pattern.match(plain)
        if (
            match is not None
            and len(plain.split()) <= 14
            and not SECOND_PERSON.search(match["topic"])
        ):
            topic = _lowered(_of(match["topic"], speaker))
            return f"{speaker} asked about {topic}."
    order = CAN_YOU.sub("", plain)
    if speech_acts.is_command(order) and (order != plain or not speech_acts.is_question(said)):
        if (
            re.match(r"(?:don['\u2019]?t|let|let['\u2019]s)\b", order, re.I)
            or len(order) > QUOTE_CHARS
        ):
            return f"{speaker} said: {_quoted(said)}"
        if SECOND_PERSON.search(order):
            return f"{speaker} said: {_quoted(said)}"
        return f"{speaker} asked Lo-Bug to {_lowered(_of(order, speaker))}."
    if speech_acts.is_question(said):
        return f"{speaker} asked: {_quoted(said)}"
    return None


def _of(text: str, speaker: str) -> str:
    told = perspective.about_the_user(text)
    return told if speaker == "The user" else _named(told, speaker)


def _lowered(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text if len(first) > 1 and not first[1:].islower() else text[:1].lower() + text[1:]


def _quoted(said: str) -> str:
    text = " ".join(said.split()).replace('"', "'")
    if len(text) > QUOTE_CHARS:
        text = text[:QUOTE_CHARS].rsplit(" ", 1)[0] + " ..."
    return f'"{text}"' if text.endswith((".", "!", "?", "...")) else f'"{text}."'
