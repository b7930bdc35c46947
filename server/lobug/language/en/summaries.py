"""Summarizes what was said by choosing the user's own sentences. English. Pure.

A small chat model turns a user's question into Lo-Bug's, or reverses a sentence; a sentence that
the user said, in the third person, is as true as what they said. The sentences that tell most are
chosen: names, numbers and dates, what is said of the user and their people. What somebody corrected
or took back is left out, and so is what nobody understands without the sentence before it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from lobug.language.en import fact_comparison, perspective, speech_acts, words
from lobug.language.en.fact_checks import NEGATED, OTHERS, PASSING
from lobug.language.en.quoting import is_playful, must_be_quoted
from lobug.language.en.self_corrections import (
    ENDED,
    NUMBERED,
    ONLY_NO,
    PUTS_RIGHT,
    REMEMBERED,
    TAKEN_BACK,
    UNSPECIFIC,
    Sentence,
    drop_replaced,
    put_right,
    said_anew,
)
from lobug.language.en.standalone_statements import (
    PLURAL,
    SECOND_PERSON,
    SINGULAR,
    USER,
    named,
    points,
    statement,
)
from lobug.language.en.utterances import Utterance, distinctive

MAX_SENTENCES = 5
MAX_CHARS = 600
"""Longest summary, characters, about 150 tokens."""

QUOTE_CHARS = 120
"""Longest words that are quoted where nothing was stated, characters."""

NOTHING_LEFT = "The user took back what they had said."

LONGEST_MESSAGE = 6_000
"""Characters of one message that are read."""

ENGLISH_SHARE = 0.26
"""From this share of small English words on a text is English: people talking have 0.45 and more,
German to Spanish 0.13 to 0.17, a short German sentence with "in" 0.25."""

FEW_WORDS = 6
"""With fewer words the share says nothing: "Play some jazz"."""


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


def told_in(utterances: Sequence[Utterance], *, sentences: int, longest: int) -> list[str]:
    """The sentences of ``summary_of``, without what was only asked. Of a sentence with more than
    ``longest`` characters the facts are told that memory took from it."""
    stated: list[Sentence] = []
    found = _sentences(utterances)
    for one in found:
        if not one.told or one.dropped:
            continue
        if len(_shown(one)) <= longest:
            stated.append(one)
        elif not one.quote:
            facts = utterances[one.turn].believed_of(one.said)
            stated += [
                _weighed(_believed(utterances[one.turn], one.said, f, one.turn)) for f in facts
            ]
    chosen = _best(stated, sentences, MAX_CHARS)
    if not chosen:  # rambling, from which memory took a fact
        doubtful = {one.turn for one in found if one.dropped or one.repaired}
        stated = [
            _weighed(_believed(one, fact, fact, turn))
            for turn, one in enumerate(utterances)
            for fact in one.believed
            if turn not in doubtful
            and not must_be_quoted(one.content)
            and not points(fact)
            and len(fact) <= longest
        ]
        chosen = _best(stated, sentences, MAX_CHARS)
    return [_shown(one) for one in chosen]


def asked_in(utterances: Sequence[Utterance], *, sentences: int) -> list[str]:
    """What the user asked and ordered, else their first words, as quotations; nothing of what they
    took back or what is wrong by now."""
    gone = {one.said for one in _sentences(utterances) if one.dropped}
    kept = [one for one in utterances if not one.wrong]
    text = _asked_about(kept, gone, sentences, MAX_CHARS)
    return [] if text == NOTHING_LEFT else [one for one in sentences_of(text) if one]


def _weighed(sentence: Sentence) -> Sentence:
    sentence.weight += _weight(sentence.told)
    return sentence


def settled(utterances: Sequence[Utterance]) -> list[Utterance]:
    """The utterances without what their speaker corrected or took back; a sentence whose right
    value is clear stands there with it."""
    changes = [
        (one.turn, one.said, "" if one.dropped else f"{one.quote or one.told}. ")
        for one in _sentences(utterances)
        if one.dropped or one.repaired
    ]
    found = list(utterances)
    for turn, said, instead in changes:
        old = found[turn]
        found[turn] = replace(old, content=old.content.replace(said, instead))
    return found


def shortened(summaries: Sequence[str], chars: int) -> str:
    """The sentences of summaries, oldest first, that tell most, in their order; of two that
    contradict each other the later one."""
    lines: list[str] = []
    for sentence in (one for text in summaries for one in sentences_of(text)):
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


IMPLIED = words.stems(["years", "old", "called", "named", "name"])
"""Words of a fact that a person may leave out: "I'm thirty-four", "this is my sister Anna"."""


def without(summary: str, wrong: str, instead: str) -> tuple[str, bool]:
    """A summary without the sentences that say all of ``wrong``, a statement in the third person,
    and not also ``instead``; and whether there were any."""
    old, new = _distinctive(wrong), _distinctive(instead)
    old = old - IMPLIED or old
    denied = NEGATED.search(wrong) is not None
    kept: list[str] = []
    sentences = sentences_of(summary)
    for sentence in sentences:
        said = _distinctive(sentence)
        tells_of_change = bool(new - old) and new - old <= said
        same = bool(old) and old <= said and denied == (NEGATED.search(sentence) is not None)
        if not same or tells_of_change:
            kept.append(sentence)
    return " ".join(kept), len(kept) < len(sentences)


def tellings(utterance: Utterance) -> set[str]:
    """How a summary may tell the sentences of a message that say what is wrong by now."""
    if not utterance.wrong:
        return set()
    speaker = _speaker(utterance)
    found: set[str] = set()
    before: Sentence | None = None
    for said in speech_acts.sentences(utterance.content[:LONGEST_MESSAGE]):
        one = statement(said, speaker, 0, before)
        before = one
        if any(wrong.is_told_by(said) for wrong in utterance.wrong):
            found |= {f"{speaker} said: {_quoted(said)}", *([_shown(one)] if one else [])}
    return found


def sentences_of(summary: str) -> list[str]:
    """The sentences of a summary, of which some are quotations."""
    return re.split(r"(?<=[.!?\u2026])\s+|(?<=[.!?]\")\s+(?=[A-Z])", summary.strip())


def part_of(fact: str) -> str:
    """Letters that a sentence has which says what a fact says, whatever the inflection; empty: any
    may be missing."""
    regular = [
        word
        for word in words.content_words(fact)
        if word not in words.IRREGULAR and words.stem(word) not in IMPLIED
    ]
    longest = max(regular, key=len, default="")
    return longest[:4] if longest.isascii() and len(longest) > 4 and longest.isalpha() else ""


def _distinctive(text: str) -> set[str]:
    return words.stems(words.content_words(text)) - fact_comparison.COMMON


def is_english(utterances: Sequence[Utterance]) -> bool:
    """Whether the user talked English. Very few words are judged with Lo-Bug's replies; where those
    are few as well ("Rex died." - "Oh no."), whatever they are, they are quoted or kept at most."""
    said = " ".join(one.content for one in utterances if one.role == "user")
    if words.is_english(said, ENGLISH_SHARE):
        return True
    if len(words.words(said)) > FEW_WORDS or not words.words(said):
        return False
    whole = " ".join(one.content for one in utterances)
    if len(words.words(whole)) > FEW_WORDS:
        return words.is_english(whole, ENGLISH_SHARE)
    return whole.isascii()


# ---- what was stated

TELLS_PLAINLY = speech_acts.EXPLICIT
TENTATIVE = re.compile(
    r"\b(?:i|we) (?:think|guess|suppose|hope|wonder|bet|mean|feel like|agree)\b"
    r"|\bmaybe\b|\bperhaps\b|\bmight\b|\bwish\b",
    re.I,
)
LEAST_EXPLAINED = 1.0
"""The same for a sentence that goes with the one before it."""
LEAST_WEIGHT = 1.5
"""A statement with less tells nothing: "I like music a lot"."""


DOUBT = re.compile(
    r"^\W*(?:(?:oh|wow|hm+|what)\b[\s,.!?]*)*(?:really|seriously|honestly|truly|for real"
    r"|is that (?:so|true|right)|are you (?:sure|serious|joking|kidding)"
    r"|you (?:are|do|did|have|were))\W*$",
    re.I,
)
"""Lo-Bug doubts what was said: "no" takes that back."""


def _sentences(utterances: Sequence[Utterance]) -> list[Sentence]:
    """The user's statements in their order, with what was corrected and repaired."""
    found: list[Sentence] = []
    for turn, utterance in enumerate(utterances):
        if utterance.role != "user":
            continue
        speaker = _speaker(utterance)
        before = utterances[turn - 1] if turn else utterance
        asked = before.speaker != utterance.speaker or before.role != "user"
        asked = asked and before.content.rstrip("\"'\u201d ").endswith("?")
        for number, said in enumerate(speech_acts.sentences(utterance.content[:LONGEST_MESSAGE])):
            if utterance.corrects:  # memory knows what was put right, and by what
                told = _corrected(utterance, said, turn)
                own = [one for one in found if one.speaker == speaker and not one.dropped]
                for one in told:
                    drop_replaced(one, own)
                found += told
                continue
            # Only where this speaker corrects themself: others may disagree.
            own = [one for one in found if one.speaker == speaker and not one.dropped]
            own = own[-REMEMBERED:]
            answers = asked and number == 0 and ONLY_NO.match(said) is not None
            answers = answers and DOUBT.match(before.content.strip()) is None
            rest = put_right(said, own, turn, answers=answers)
            last = found[-1] if found and found[-1].turn == turn else None
            sentence = said_anew(rest, own, turn) or statement(rest, speaker, turn, last)
            if sentence is not None:
                drop_replaced(sentence, own)
                found.append(sentence)
                found += _instead(utterance, sentence)
            elif speech_acts.statements(rest):  # "Tiger's better now" ends something all the same
                drop_replaced(Sentence(rest, perspective.about_the_user(rest), speaker, turn), own)
    for one in found:
        one.weight += _kind_weight(one.said) + _weight(one.told)
    return found


def _believed(utterance: Utterance, said: str, fact: str, turn: int) -> Sentence:
    speaker = _speaker(utterance)
    told = named(fact.rstrip(" ."), speaker)
    return Sentence(said, told, speaker, turn, weight=1.5, believed=True)


def _corrected(utterance: Utterance, said: str, turn: int) -> list[Sentence]:
    """What a sentence of a message states that put something right: the facts that memory took from
    it, or else the sentence itself."""
    opening = PUTS_RIGHT.match(said) or TAKEN_BACK.match(said)
    plain = said if opening is None else said[opening.end() :]
    own = statement(plain, _speaker(utterance), turn, None)
    if own is not None and (own.quote or (opening is None and _is_own_statement(said))):
        return [own]
    facts = utterance.believed_of(said)
    if facts:
        return [_believed(utterance, said, fact, turn) for fact in facts]
    return [] if own is None or opening is not None else [own]


def _is_own_statement(said: str) -> bool:
    """Whether a sentence speaks of its speaker and denies nothing but what is over: "My sister's
    name is Johanna, not Hanna" does."""
    contrasts = speech_acts.split_contrast(said)[1] is not None
    contrasts = contrasts or (NEGATED.search(said) is not None and ENDED.search(said) is None)
    return perspective.is_first_person(said) and not contrasts


def _instead(utterance: Utterance, sentence: Sentence) -> list[Sentence]:
    """Drop a sentence that says what memory does not believe any more, or quote it if it was true
    when it was said. Returns what is believed of it and instead of it."""
    wrong = [one for one in utterance.wrong if one.is_told_by(sentence.said)]
    if not wrong:
        return []
    if all(one.was_true for one in wrong):
        sentence.quote = sentence.quote or sentence.said[:1].upper() + sentence.said[1:].rstrip(
            " .!"
        )
        return []
    sentence.dropped = True
    facts = [one.instead for one in wrong if one.instead] + utterance.believed_of(sentence.said)
    return [
        _believed(utterance, sentence.said, fact, sentence.turn) for fact in dict.fromkeys(facts)
    ]


def _speaker(utterance: Utterance) -> str:
    return " ".join((utterance.speaker or "").split()) or USER


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
        weight -= 0.5  # perhaps of everybody: "We need friends"
    if is_playful(said):
        weight -= 3.0
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


def _best(stated: Sequence[Sentence], sentences: int, chars: int) -> list[Sentence]:
    """The sentences that tell most, in their order, each with the one that explains it."""
    chosen: list[Sentence] = []
    stated = [
        one
        for one in stated
        if not any(_is_part_of(one, other) for other in stated if other is not one)
    ]
    for one in sorted(stated, key=lambda one: -one.weight):
        needed: list[Sentence] = []
        step: Sentence | None = one
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


def _is_part_of(one: Sentence, other: Sentence) -> bool:
    """Whether a longer sentence says what memory believes: "her dog is called Rex" is said by "her
    dog Rex is a poodle"."""
    return one.believed and distinctive(one.told) - IMPLIED < distinctive(other.told)


def _shown(sentence: Sentence) -> str:
    """A chosen sentence with its full stop; one that is not about its speaker says who said it."""
    if sentence.quote:
        return f"{sentence.speaker} said: {_in_quotes(sentence.quote)}"
    told = sentence.told.rstrip(" .!")
    about = perspective.is_first_person(sentence.said) or sentence.follows is not None
    about = about or sentence.believed
    if not about:
        told = f"{sentence.speaker} said: {told}"
    return f"{told}."


# ---- what was asked

ABOUT = (
    re.compile(
        r"^(?:what|who|where|how)(?:['\u2019]s| is| are| was| were)"
        r" (?P<topic>(?:the|my|our) .+?)(?: like)?$",
        re.I,
    ),
    re.compile(r"^(?:what|how) about (?P<topic>.+)$", re.I),
    re.compile(
        r"^(?:(?:can|could|would|will) you )?(?:please )?(?:tell|teach|show) me"
        r" (?:something |more |a bit )?about (?P<topic>.+)$",
        re.I,
    ),
)
GREETING = re.compile(
    r"^\W*(?:(?:hello|hi|hey|lo-?bug|there|good (?:morning|afternoon|evening|night))\b[\s,.!]*)*"
    r"(?:how are (?:you|things)|how['\u2019]?s (?:it going|life|things)|what['\u2019]?s up)?"
    r"(?: (?:today|doing|lo-?bug))*\W*$",
    re.I,
)
NOT_ORDERED = re.compile(
    r"(?:be|like|love|hate|mind|say|see|hear|feel|believe|imagine|have|want|know|think|understand"
    r"|go|come|live|eat|sleep|swim|fly|drive|dance|cook|smell|taste)\b",
    re.I,
)
""" "Would you be scared?" orders nothing."""
CAN_YOU = re.compile(r"^(?:can|could|would|will) you (?:please )?(?=\w)", re.I)


def _asked_about(
    utterances: Sequence[Utterance], wrong: Collection[str], sentences: int, chars: int
) -> str:
    """What the user asked and ordered, else their first words, as a quotation; nothing of what is
    wrong."""
    lines: list[str] = []
    telling: list[str] = []
    quoted: list[str] = []
    greetings: list[str] = []
    for utterance in (one for one in utterances if one.role == "user"):
        speaker = _speaker(utterance)
        for said in speech_acts.sentences(utterance.content):
            plain = speech_acts.FILLER.sub("", said).strip() or said
            taken_back = TAKEN_BACK.match(said)
            if taken_back and quoted:
                gone = quoted.pop()
                telling = [one for one in telling if one != gone]
            corrects = PUTS_RIGHT.match(said) or taken_back
            if corrects or not words.words(said) or any(one in said for one in wrong):
                continue
            if GREETING.match(said) and (lines or len(utterances) > 1):
                greetings.append(f"{speaker} said: {_quoted(said)}")
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
    for line in (lines or telling or quoted[:1] or greetings[:1])[:sentences]:
        if taken and sum(map(len, taken)) + len(line) + len(taken) > chars:
            break
        taken.append(line)
    if wrong and not taken:
        return NOTHING_LEFT
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
            and not must_be_quoted(match["topic"])
        ):
            topic = _lowered(_of(match["topic"], speaker))
            return f"{speaker} asked about {topic}."
    order = CAN_YOU.sub("", plain)
    wonders = order != plain and NOT_ORDERED.match(order) is not None
    if (
        speech_acts.is_command(order)
        and not wonders
        and (order != plain or not speech_acts.is_question(said))
    ):
        if (
            re.match(r"(?:don['\u2019]?t|let|let['\u2019]s)\b", order, re.I)
            or len(order) > QUOTE_CHARS
        ):
            return f"{speaker} said: {_quoted(said)}"
        if SECOND_PERSON.search(order) or must_be_quoted(order):
            return f"{speaker} said: {_quoted(said)}"
        return f"{speaker} asked Lo-Bug to {_lowered(_of(order, speaker))}."
    if speech_acts.is_question(said):
        return f"{speaker} asked: {_quoted(said)}"
    return None


def _of(text: str, speaker: str) -> str:
    return named(perspective.about_the_user(text), speaker)


def _lowered(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text if len(first) > 1 and not first[1:].islower() else text[:1].lower() + text[1:]


def _quoted(said: str) -> str:
    text = " ".join(said.split())
    if len(text) > QUOTE_CHARS:
        text = text[:QUOTE_CHARS].rsplit(" ", 1)[0] + " ..."
    return _in_quotes(text)


def _in_quotes(text: str) -> str:
    text = re.sub(r"[\"\u201c\u201d]", "'", text)
    return f'"{text}"' if text.endswith((".", "!", "?", "...")) else f'"{text}."'
