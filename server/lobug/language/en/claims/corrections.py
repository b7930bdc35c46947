"""The forms in which people put right what was said: "no, ...", "I meant", "not X but Y". English.

Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lobug.language.claims import USER, Path, Refutes
from lobug.language.en import speech_acts, words
from lobug.language.en.claims.lexicon import (
    BE,
    DO,
    HAVE,
    NEGATIONS,
    PREPOSITIONS,
    UNREAL,
    WILL,
    tokens,
)
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.sentence_parts import begins_clause
from lobug.language.en.claims.statement import resolved
from lobug.language.en.claims.subjects import noun_phrase
from lobug.language.en.claims.values import NUMBER

_OPENING = re.compile(
    r"^(?:(?:oh|well|um+|uh|er+m?|hey|but|and|ah|aha|ok|okay|lo-?bug|listen|look|yes|yeah|lol"
    r"|ha(?:ha)*"
    r"|hm+|please|ugh|gosh|god|omg|jeez|duh|shoot|crap|ew+|damn|(?:oh )?dear(?: me)?|goodness"
    r"|by the way|btw)\b"
    r"[\s,.!\u2026-]*)*"
    r"(?P<corrects>(?:(?:no way|update(?=:)|(?:nearly|almost|close)(?=[.,!])"
    r"|no,? (?:i|he|she|they|we|it|you) (?:do|does|is|are|was|did|have|has)n['\u2019]?t"
    r"(?=[,.;] | (?:i|he|she|they|we|my|it|its|hes|shes)\b)|no+|nope|nah|naw"
    r"|not quite|not exactly|wrong|incorrect|actually"
    r"|correction|not true|(?:i['\u2019]?m |i am )?(?:so |very )?sorry(?! (?:that|to"
    r"|for)\b)(?: about that)?"
    r"|oops|whoops|oopsie|pardon(?: me)?|excuse me|forgive me|(?:my )?apologies|i apologi[sz]e"
    r"|(?:i )?beg your pardon|i take (?:that|it) back|to correct (?:myself|that)|wait|hang on"
    r"|hold on|strike that|typo|slip of the tongue|(?:silly|stupid) me|what am i saying"
    r"|my (?:mistake|bad|fault|error)"
    r"|i (?:misspoke|was (?:wrong|mistaken|confused)(?: about (?:that|it"
    r"|my [\w'\u2019-]+(?= ?[,.:;])))?"
    r"|made (?:a mistake|an error)|(?:got|had|said|told you) (?:that|it) wrong"
    r"|(?:got|was) (?:it |that |them |a bit )?(?:all )?(?:mixed up|confused|muddled(?: up)?)"
    r"|mixed (?:that|it|them|something|things) up|messed (?:that|it) up|misremembered|mistyped"
    r"|never said (?:that|so|it)|didn['\u2019]?t (?:say|mean) (?:that|it|so)"
    r"|told you (?:wrong|the wrong (?:thing|one)))"
    r"|(?:i (?:have|need|want) to|let me|can you|could you|you (?:have|need) to)?"
    r" ?(?:please )?(?:correct|fix) (?:that|it|this|me)(?: please)?(?= ?[,.:;?!])"
    r"|(?:please )?(?:change|correct|update|set) (?:that|it|this) (?:to|into)"
    r"|(?:forget|ignore|delete|scrap|disregard|cancel|never ?mind) (?:that|it|this|what i"
    r" (?:just )?said)(?=\s*[,.;:!\u2013\u2014])"
    r"|that['\u2019]?s (?:nonsense|rubbish|not me|not it|not him|not her)"
    r"|scratch that|let me correct (?:that|myself|you)|let me rephrase(?: that)?"
    r"|i (?:need|have|want) to correct (?:that|myself|something)"
    r"|(?:that|it|this|what i (?:just )?(?:said|told you)(?: before| earlier)?)"
    r"(?:['\u2019]s| is| was|s)(?: all| quite| completely| totally| just)?"
    r" (?:wrong|incorrect|not (?:quite )?(?:right|true|correct|what i (?:said|meant))|a mistake"
    r"|false|outdated|an error|a lie|a typo|untrue|not my \w+(?= ?[,.:;!])"
    r"|no longer true|not accurate|not it|old news)(?! that\b)"
    r"|(?:that|it|this) (?:isn|wasn)['\u2019]?t (?:quite )?(?:right|true|correct|what i (?:said"
    r"|meant)|accurate)"
    r"|you(?:['\u2019]re| are|re) (?:wrong|mistaken|confused)"
    r"|you (?:must have |have )?(?:heard|wrote|noted|saved|have|remember) (?:that|it|me|this"
    r"|her name"
    r"|his name|my name) wrong(?:ly)?"
    r"|you(?:['\u2019]ve| must have| have)?"
    r" (?:got|misunderstood|misheard|misremember(?:ed)?|mixed)(?: (?:that|it|me|this))?"
    r"(?: (?:wrong|up))?|what i (?:meant|mean)(?: to say)? (?:is|was)(?: that)?"
    r"|did i say [^?.]{1,30}(?=\?)|i said(?! [^.;]{1,60} (?:but|and|when) (?:it|i)\b)(?: that)?"
    r"|i (?:meant|mean|told you)(?: that| to say)?|i should (?:have said|say)(?: that)?"
    r"|i (?:wanted|was trying|was going) to say(?: that)?"
    r"|make (?:that|it)"
    r"|(?:it|that) should (?:be|have been)|(?:it|that)(?:['\u2019]s| is) supposed to be"
    r"|rather|or rather)\b[\s,.:;!?\u2026\u2013\u2014-]*"
    r"(?:(?:(?:my )?(?:dear|love|honey|darling|friend|sweetie)|mate|man|dude|bro|buddy|lo-?bug"
    r"|(?:you )?(?:silly|dummy|goose)|stupid|please)[,.!]+\s*"
    r"|(?:oh|well|um+|uh|er+m?|lol|haha|let me (?:think|see))\b[\s,.!\u2026-]*)*)*)",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"(?:(?:no+|nope|nah|naw|(?:i['\u2019]?m |i am )?(?:so |very )?sorry(?! (?:that|to"
    r"|for)\b)(?: about that)?|actually|wait"
    r"|hang on|hold on|pardon(?: me)?|excuse me|forgive me|(?:my )?apologies|oops|whoops|rather"
    r"|i mean|i said|i told you|lol|haha|oh|well|um+|uh|er+m?|please|dear|love|honey|darling|mate"
    r"|man"
    r"|dude|bro|lo-?bug)(?: that)?\b[\s,.:;!?\u2026\u2013\u2014-]*)+",
    re.IGNORECASE,
)
"""Words that put something right only if what is right follows."""
_REFUTES = re.compile(r"\b(?:no+|nope|nah|naw|sorry|oops|whoops|i mean)\b", re.IGNORECASE)
_ACTUALLY = re.compile(r"\bactually\b", re.IGNORECASE)
_MOST_WORDS = 5
"""Of a value that stands alone, and of a wrong one."""
_LONGEST = 300
"""Characters of a sentence that is searched for a contrast."""
_BUT_MEANT = re.compile(
    r"^(?P<said>(?:i think )?i (?:said|told you) )?(?P<wrong>[^,.;]+?),? (?:but|and|when) "
    r"(?:i (?:really |actually )?meant|(?(said)(?:it['\u2019]?s|it is|it was|it should be)"
    r"(?: really| actually)?|i meant)) (?:to say )?(?P<right>.+)$",
    re.IGNORECASE,
)
_WAS_RIGHT = re.compile(r"(?<=\w) (?:was|is) (?:right|correct)$", re.IGNORECASE)
_ON_SECOND_THOUGHT = re.compile(
    r"(?:\s+(?:(?:no|wait|sorry|oh|oops|actually),? (?:wait|no|sorry|i mean|i meant|actually"
    r"|make that|hang on|hold on)|or rather|scratch that|make that|i mean|i meant|correction"
    r"|no sorry"
    r"|sorry no)"
    r"|(?:,|\.{2,3}|\u2026|\s[\u2013\u2014-]+)\s*(?:no|wait|hang on|hold on|sorry|i mean|i meant"
    r"|or rather|rather|actually|correction|oops|make that|scratch that)\b)"
    r"(?:[,:.\u2026\s]+(?:no|wait|hang on|hold on|sorry|oops|i mean|i meant|i think|let me think"
    r"|um+"
    r"|uh|er|actually|rather|make that|not that|it['\u2019]?s|my mistake)\b){0,3}"
    r"[,:.\u2026]*\s+(?P<right>[^,.;]+)$",
    re.IGNORECASE,
)
_NOT_SAID = re.compile(
    r"^i (?:(?:didn['\u2019]?t|did not) (?:say|mean)|never (?:said|meant)) (?P<wrong>[^,.;]+?)"
    r"[,.;]? (?:but )?i (?:said|meant|say|mean) (?P<right>[^,;]+)$",
    re.IGNORECASE,
)
_HAS = re.compile(r"\b(?:have|has|had|got|there|want|eat|drink)\b", re.IGNORECASE)
_COUNTED = re.compile(
    r"(?:an?|the|my|in|at|on|from|\d+|one|two|three|four|five|six|seven|eight|nine|ten)\b"
)
_NOT_TWO = re.compile(r"^[Nn]ot (?P<wrong>[A-Z]\w+) (?P<right>[A-Z]\w+)$")
_NOT_BUT = re.compile(
    r"^(?P<before>[^,.;]*?),?\s*(?:\bnot|(?<=\w)n['\u2019]t) (?!only\b"
    r"|just\b)(?P<wrong>[^,.;]+?),? but (?:rather )?(?P<right>[^,;]+)$",
    re.IGNORECASE,
)
_BUT_NOT = re.compile(
    r"^(?P<right>.+?)(?:,\s*(?:and |but )?|\s+[\u2013\u2014-]+\s+|\s+(?:and |but )?)"
    r"(?:not|instead of|rather than) (?P<wrong>[^,;.]+)$",
    re.IGNORECASE,
)
_NOT_ONE = re.compile(
    r"^not (?:an? )?(?P<wrong>[^,.;]+)[,.;] (?:but )?(?P<right>[^,.;]+)$", re.IGNORECASE
)
_UNWRITTEN = frozenset({"its", "hes", "shes", "im", "thats"})
_IS_NOT = re.compile(
    r"^(?P<who>it|that|she|he|they|i|(?:my|her|his|their|our|the) [\w' -]+?)\s?(?:['\u2019]?s"
    r"|['\u2019]re|['\u2019]?m| is| are| am)(?:n['\u2019]?t| not) (?P<wrong>[^,.;]+?)"
    r"(?:[,.;]\s*(?=\w)|\s+(?=(?:its|hes|shes|im|it's|he's|she's|i'm)\b))"
    r"(?P<right>(?:(?:it|that|she|he|they|i)\s?(?:['\u2019]s|['\u2019]re|['\u2019]m| is| are| am)"
    r"|its|hes|shes|im|thats) (?!not\b)[^,;]+)$",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"^(?:(?:it|that|this)['\u2019]?s|it is|it was|that is|that was|that would be|this is"
    r"|she['\u2019]?s"
    r"|he['\u2019]?s"
    r"|they['\u2019]?re|the (?:right|correct) (?:one|name|answer|word) is|in fact|just|make (?:it"
    r"|that)"
    r"|but|more like|rather)\s+(?:called |named )?",
    re.IGNORECASE,
)
_SPELLING = re.compile(
    r",? (?:with (?:an? |one |two |three )?\w+(?:['\u2019]?s)?|spelled .+|spelt .+|without .+"
    r"|at the end.*)$",
    re.IGNORECASE,
)
_OVER = re.compile(r"\b(?:any ?more|any longer|longer)\b", re.IGNORECASE)
_LETTERS = re.compile(
    r",? (?:(?:with|without) (?:an?|one|two|three|a double|double|only one|just one)"
    r" [\"'\u2018]?[a-z]{1,2}(?:['\u2019]?s)?[\"'\u2019]?(?: at the (?:end|beginning))?"
    r"|(?:it['\u2019]?s )?spel(?:led|t) .{1,40})[.! ]*$",
    re.IGNORECASE,
)
_LEADING = re.compile(rf"^(?:{'|'.join(sorted(PREPOSITIONS, key=len, reverse=True))})\s+", re.I)
_TIMED = re.compile(
    r"^(?:on|in|at|by|around) (?:the )?(?:\d{1,2}\b(?!\d)|[a-z]+day|(?:jan|feb|mar|apr|may|jun"
    r"|jul|aug|sep|oct|nov|dec)"
    r"|half|quarter|noon|midnight|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|first|second|third|morning|evening|afternoon|spring|summer|autumn|winter)",
    re.IGNORECASE,
)
_NO_VALUES = frozenset(
    """
    a about again anyway at all anymore any bye continue do don't done enough ever exactly fine for
    forget go good going he her here him his how i idea in is it it's just later leave let like
    matter me mind more much my never no none not nothing now nope of off oh on one please problem
    quiet quite really right she so sorry stop sure thank thanks that that's the them then there
    they this to too true up wait way we what why worries worry wrong yes yet you your okay ok
    secret private nonsense rubbish bit thing stuff business
    joking kidding lol nevermind maybe perhaps both neither either idea clue
    """.split()
)
_NOT_AFTER = (
    BE
    | DO
    | HAVE
    | WILL
    | UNREAL
    | frozenset(
        "'m i'm im she's shes he's hes it's its that's thats ive theyre youre we're"
        " they're you're why if or and but do".split()
    )
)


@dataclass(frozen=True, slots=True)
class Opening:
    """How a sentence begins."""

    rest: str
    """The sentence without the words that put something right."""
    marked: bool
    """It has such words."""
    sure: bool
    """They say that something was wrong, whatever follows; "no" and "sorry" need not."""
    refutes: Refutes = "not"
    """Whether they say so of what was said last: "actually" does not."""


def opening_of(sentence: str) -> Opening:
    """The words at the beginning of a sentence that put something right."""
    match = _OPENING.match(sentence)
    said = match["corrects"].strip() if match is not None else ""
    if match is None or not said:
        return Opening(sentence, _ACTUALLY.search(sentence) is not None, False)
    sure = _WEAK.fullmatch(said) is None and "?" not in said
    refutes: Refutes = "unless_asked" if _REFUTES.search(said) else "not"
    return Opening(sentence[match.end() :], True, sure, "surely" if sure else refutes)


def contrast(text: str) -> tuple[str, str | None]:
    """What is right in "not X but Y" and "Y, not X", and what is wrong; None: nothing is named."""
    bare = text.rstrip(" .!")
    if len(bare) > _LONGEST or _NO_NEGATION.search(bare):
        return text, None
    if _WAS_RIGHT.search(bare):
        return _WAS_RIGHT.sub("", bare), None
    for form in _CONTRASTS:
        found = form(bare)
        if found is not None:
            return found
    return text, None


def _on_second_thought(bare: str) -> tuple[str, str] | None:
    match = _ON_SECOND_THOUGHT.search(bare)
    if match is None or not _is_short(match["right"]):
        return None
    lists = match.group().lower().startswith((", no ", ",no ")) and match["right"].islower()
    if lists and _HAS.search(bare) and not _COUNTED.match(match["right"]):
        return None  # "I have a dog, no cats"
    return _second_thought(bare[: match.start()], match["right"].strip())


def _not_said(bare: str) -> tuple[str, str] | None:
    """ "I didn't say viola, I said cello"."""
    match = _NOT_SAID.match(bare)
    if match is None or not (_is_short(match["wrong"]) and _is_short(match["right"])):
        return None
    return match["right"].strip(), value_of(match["wrong"])


def _is_not(bare: str) -> tuple[str, str] | None:
    """ "It's not Anna, it's Hanna"."""
    match = _IS_NOT.match(bare)
    if match is None or not _is_short(match["wrong"]) or _OVER.search(match["wrong"]):
        return None
    said, wrong = match["right"].split(), match["wrong"].split()
    joined = re.search(r"['\u2019]", said[0]) or said[0].lower() in _UNWRITTEN
    value = said[1:] if joined else said[2:]
    same = wrong[0].lower() not in PREPOSITIONS
    while same and len(wrong) > 1 and len(value) > 1 and wrong[0].lower() == value[0].lower():
        del wrong[0], value[0]  # "not allergic to nuts, I'm allergic to pollen"
    right = match["right"]
    if match["who"].lower().split()[0] in {"my", "her", "his", "their", "our", "the"}:
        right = f"{match['who']} is {' '.join(value)}"
    return right, value_of(" ".join(wrong))


def _but_meant(bare: str) -> tuple[str, str] | None:
    """ "I said viola but I meant the cello"."""
    match = _BUT_MEANT.match(bare)
    if match is None or not (_is_short(match["wrong"]) and _is_short(match["right"])):
        return None
    return match["right"].strip(), value_of(match["wrong"])


def _not_but(bare: str) -> tuple[str, str] | None:
    match = _NOT_BUT.match(bare)
    if match is None or not _is_short(match["wrong"]) or begins_clause(match["right"]):
        return None
    before = re.sub(r"\b(?:do|does|did|is|are|was|am)$", _auxiliary, match["before"].rstrip())
    wrong, right = match["wrong"], match["right"]
    if match["before"].lower().endswith((" do", " does")) and not begins_clause(f"I {right}"):
        verb, _, wrong = wrong.partition(" ")  # "I don't play the trumpet but the trombone"
        right = f"{verb} {right}"
    return f"{before.rstrip()} {right}".strip(), value_of(wrong)


def _not_one(bare: str) -> tuple[str, str] | None:
    """ "Not Anna, Hanna"."""
    match = _NOT_ONE.match(bare) or _NOT_TWO.match(bare)
    if match is None or not _is_short(match["wrong"]):
        return None
    return match["right"].strip(), value_of(match["wrong"])


def _not_this_that(bare: str) -> tuple[str, str] | None:
    """ "Not ibuprofen paracetamol", "not st marys st martins": written without a comma."""
    said = bare.split()
    half = len(said) // 2
    if not bare.islower() or said[0] != "not" or len(said) not in {3, 5}:
        return None
    wrong, right = said[1 : half + 1], said[half + 1 :]
    if _NO_VALUES & {wrong[0], right[0], right[-1]} or right[0] in PREPOSITIONS:
        return None
    return " ".join(right), " ".join(wrong)


def _but_not(bare: str) -> tuple[str, str] | None:
    """ "Hanna, not Anna"."""
    match = _BUT_NOT.match(bare)
    if match is None or not _is_short(match["wrong"]):
        return None
    last = match["right"].lower().replace("\u2019", "'").split()[-1]
    if last in _NOT_AFTER or last.endswith("n't"):
        return None
    return match["right"].strip(" ,"), value_of(match["wrong"])


def _second_thought(said: str, right: str) -> tuple[str, str] | None:
    """ "I live in Derby, no, in Nottingham": the statement with the right value, and the wrong."""
    right = _VALUE.sub("", right)
    joined = said.rstrip(" ,").lower().endswith((" but", " and", " or", " so", " that", " what"))
    if joined or _STARTS_CLAUSE.match(right) or " " not in said:
        return None
    preposition = _LEADING.match(right)
    if preposition is not None:
        at = said.lower().rfind(f" {preposition.group().strip().lower()} ")
        if at < 0:
            return None
        return f"{said[:at]} {right}", value_of(said[at:])
    number = NUMBER.match(right)
    counted = list(NUMBER.finditer(said))
    if number is not None and counted:  # "two kids, no, three", "half past six, no, seven"
        last = counted[-1]
        after = said[last.end() :] if number.end() == len(right) else ""
        return f"{said[: last.start()]}{right}{after}", last.group()
    said_words = said.split()
    length = min(_alike(said_words, right.split()), len(said_words) - 1)
    before, wrong = " ".join(said_words[:-length]), " ".join(said_words[-length:])
    return f"{before} {right}", value_of(wrong)


def _alike(said: list[str], right: list[str]) -> int:
    """How many words at the end of a statement the right words stand for: "Peter Smith, no, Paul
    Smith" are two, "Marbella" is one."""
    end = said[-len(right) :]
    names = all(word[:1].isupper() for word in (*right, *end))
    if len(right) < len(said) and (names or end[0].lower() == right[0].lower()):
        return len(right)
    return 1


def _auxiliary(match: re.Match[str]) -> str:
    return "" if match.group().lower() in {"do", "does", "did"} else match.group()


def _is_short(text: str) -> bool:
    return len(text.split()) <= _MOST_WORDS


_CONTRASTS = (
    _not_said,
    _but_meant,
    _on_second_thought,
    _is_not,
    _not_but,
    _not_one,
    _but_not,
    _not_this_that,
)
DENIED = re.compile(
    r"^(?:it|that)(?:['\u2019]s| is|s) (?:not true|not (?:right|correct)|wrong|false|a lie"
    r"|untrue) that\s+",
    re.IGNORECASE,
)
_ONLY_WRONG = re.compile(r"^not (?P<wrong>[^,.;?]+)[.!]?$", re.IGNORECASE)


def only_wrong(text: str, *, marked: bool = False) -> str | None:
    """The wrong value, where a sentence has nothing else: "Not Rome." """
    match = _ONLY_WRONG.match(text)
    if match is None or len(match["wrong"].split()) > 3 or (marked and _not_this_that(text)):
        return None
    value = value_of(match["wrong"])
    if not value or value.lower().split()[0] in _NO_VALUES:
        return None
    return value


_BY_LETTER = re.compile(
    r"\b(?:is|['\u2019]s|its) (?:spel(?:led|t)"
    r"|written)[: ]\s*(?P<letters>(?:[a-z][-., ]{1,2}){2,14}"
    r"[a-z])(?=[.! ]*$)",
    re.IGNORECASE,
)
_LETTERS_FIRST = re.compile(
    r"^(?:it['\u2019]?s )?(?:with|without) (?:an?|one|two|a double) [a-z]{1,2}(?:['\u2019]?s)?"
    r"[,.:] +(?=\S)",
    re.IGNORECASE,
)
_LETTERS_ALONE = re.compile(
    r"(?i:with |it['\u2019]?s )?(?i:just |only )?(?i:an?|one|two|double|single)"
    r" (?:[A-Z]|[b-hj-z])(?:['\u2019]?s)?[.!]*"
)
_TRAILING = re.compile(
    r"(?:,\s*|\s+)(?:time flies|to be (?:honest|exact|precise)|rather"
    r"|i beg your pardon|(?:my )?apologies|(?:do )?forgive me"
    r"|(?:i )?(?:always )?(?:forget|mix (?:them|it) up)"
    r"|(?:so |very )?sorry(?: about that)?|my (?:mistake|bad)|i me?ant?|oops|silly me"
    r"|actually|in fact|lol|now that i think (?:about|of) it)[.! ]*$",
    re.IGNORECASE,
)


_SORRY = re.compile(r"\bsorry\b|^[^,]*$", re.IGNORECASE)
""" "Thursday, sorry" may only refuse; "Jon, actually" puts right."""
_MEANT = re.compile(r"\b(?:rather|i me?ant?)[.! ]*$", re.IGNORECASE)


def unspelled(sentence: str) -> str:
    """A sentence without how its last word is spelled: "Hanna with an H"; "it's spelled H-A-N-N-A"
    has the word itself."""
    sentence = _LETTERS_FIRST.sub("", sentence)
    letters = _BY_LETTER.search(sentence)
    if letters is not None:
        name = "".join(filter(str.isalpha, letters["letters"])).capitalize()
        joined = "'s" if letters.group()[0] in "'\u2019" else letters.group().split()[0]
        return f"{sentence[: letters.start()]}{joined} {name}"
    return _LETTERS.sub("", sentence)


def spells(sentence: str) -> bool:
    """Whether a sentence only says how something is spelled: "One L." """
    return _LETTERS_ALONE.fullmatch(sentence.strip()) is not None


def repeated(sentence: str) -> str | None:
    """The right value of "Wasps, I mean wasps"; None: it is no such sentence."""
    match = _REPEATED.match(sentence)
    return None if match is None or " " in match["said"] else match["right"]


_REPEATED = re.compile(
    r"^(?P<said>[^,;.]{1,30})(?:,? (?:i mean|i meant)|, (?:no|sorry)),?"
    r" (?P<right>[^,;.]{1,30})[.! ]*$",
    re.IGNORECASE,
)
_JOKED = r"(?:i was |i['\u2019]?m )?(?:just |only )?(?:kidding|joking)"
_JOKED_BEFORE = re.compile(rf"^(?:(?:oh|no|haha|lol),? )*{_JOKED}[,.;! ]+(?=\w)", re.IGNORECASE)
_JOKED_AFTER = re.compile(rf"[,;.] {_JOKED}[.! ]*$", re.IGNORECASE)


def unjoked(sentence: str) -> str:
    """What is so in "just kidding, I hate it" and "no, I don't smoke, I was joking", which take
    back what was said before them; any other sentence as it is."""
    if _JOKED_BEFORE.match(sentence):
        return f"no, {_JOKED_BEFORE.sub('', sentence)}"
    return _JOKED_AFTER.sub("", sentence) if opening_of(sentence).marked else sentence


def without_trailing(sentence: str) -> str:
    """A sentence without the words at its end that put something right: "It's Paul, sorry"."""
    found = _TRAILING.sub("", sentence)
    alone = " " not in found.strip()
    weak = _SORRY.search(sentence) and not _MEANT.search(sentence)
    return sentence if alone and weak else found


def person_in(text: str) -> Path | None:
    """Whom a text names, if it names nobody else and says nothing of them: "my cousin", "me"."""
    bare = _VALUE.sub("", text.strip(" .,;:!")).removeprefix("for ").removeprefix("about ")
    if bare.lower() in {"me", "myself", "i", "mine"}:
        return USER
    if points_at(text):
        bare = _THEIRS.sub("", _POINTS.sub("", text.strip(" .,;:!")))
    found = tokens(bare)
    if not found or len(found) > _MOST_WORDS or not _OWNED.match(bare):
        return None
    phrase = noun_phrase(found)
    if phrase is None or phrase[1] < len(found) or phrase[0].name or len(phrase[0].path) < 2:
        return None
    path = resolved(phrase[0])
    return path if relation_book().kind_of(path) in {"person", "pet"} else None


_POINTS = re.compile(r"(?:that|this|it)(?:['\u2019]?s| is| was) ", re.IGNORECASE)
_THEIRS = re.compile(r"(?<=[a-z])(?:['\u2019]s(?: [a-z]+){0,2}|s['\u2019]?(?: [a-z]+){1,2})$")


def points_at(text: str) -> bool:
    """Whether a text says what that was which was said before: "that's my sister's birthday"."""
    return _POINTS.match(text) is not None


def value_of(text: str) -> str:
    """The value in "it's Hanna" and "in Bonn": "Hanna", "Bonn". Times keep their preposition."""
    value = _SPELLING.sub("", _VALUE.sub("", text.strip(" .,;:!\"'")))
    value = re.sub(r"(?<=\w) (?:now|instead)$", "", value)
    value = re.sub(r"^(?:called|named)\s+", "", value, flags=re.IGNORECASE)
    if not _TIMED.match(value):
        value = _LEADING.sub("", value)
    return re.sub(r"^(?:(?:an?|the) (?=\S)|(?:The|An?) (?=[a-z]))", "", value).strip(" .,;:!\"'")


def _is_small_talk(value: str) -> bool:
    return bool(words.content_words(value)) and speech_acts.is_small_talk(value)


def fragment(text: str, *, marked: bool) -> str | None:
    """The value that a text without a statement consists of; ``marked``: it follows words that put
    something right. Without them only a time or a number is a value."""
    bare = text.strip(" .,;:!")
    if not bare or not _is_short(bare) or "?" in text or speech_acts.is_command(bare):
        return None
    value = value_of(_HOW_MANY.sub("", bare))
    if _GOES_ON.search(value) or _OF_A_TIME.match(value):
        return None
    place = _LEADING.match(_VALUE.sub("", bare))
    if place is not None and _OWNED.match(value) and not begins_clause(value):
        return f"{place.group()}{value}"  # "in my coat"
    owner = value.endswith(("'s", "\u2019s"))  # "St Martin's" is a place, and "it's" never ends one
    if _STARTS_CLAUSE.match(value) or (begins_clause(value) and not owner):
        return None
    alone = _STANDS_ALONE.fullmatch(_VALUE.sub("", bare)) is not None
    if _says_nothing(value) or not (marked or alone):
        return None
    return value


def explained(text: str) -> str | None:
    """The value before a clause that only explains it: "seven, I forgot Elsie"."""
    match = _EXPLAINED.match(text) or _IT_IS_SO.match(text)
    return None if match is None else fragment(match["value"], marked=True)


def retold(text: str) -> str | None:
    """A clause of something that was spoken of: "it meets at Rosie's house"."""
    match = _RETOLD.match(text.rstrip(" .!"))
    return None if match is None else match.group()


_RETOLD = re.compile(
    r"(?:it|he|she|they) (?!is\b|was\b|are\b|were\b|has\b|had\b|does|did|do\b|can|could|will"
    r"|would|should|may\b|might|must)[a-z]+ [^,;?]{2,60}$",
    re.IGNORECASE,
)
_EXPLAINED = re.compile(
    r"(?P<value>[^,;.]{1,40}?)(?:,| [\u2013\u2014-]| because| cause| cos)"
    r" (?:(?:i|we)(?:['\u2019]d|['\u2019]ve| had| have)? (?:just |always |only |must have )?"
    r"(?:forg[eo]t\w*|keep|got|had|mix\w*|was|were|said|thought|meant|remember\w*|checked|looked|miscounted)"
    r"|(?:he|she|they|it|that)(?:['\u2019]\w+)?|(?:because|cause|cos) \w+)\b.{0,80}$",
    re.IGNORECASE,
)
_IT_IS_SO = re.compile(
    r"(?:it['\u2019]?s|it is) (?P<value>[^,;.]{1,40}?),"
    r" (?:i|we|he|she|they|it|you|that|my|me|our|there)\b.{3,80}$",
    re.IGNORECASE,
)
_MAY_OPEN_VALUES = frozenset({"one", "in", "on", "at", "for", "the", "of"})


def _says_nothing(value: str) -> bool:
    """Whether words are no value: "never mind", "not really"."""
    said = re.findall(r"[\w'\u2019.:-]+", value.lower())
    if not said or all(word in _NO_VALUES for word in said) or _is_small_talk(value):
        return True
    return said[0] in NEGATIONS or said[0] in _NO_VALUES - _MAY_OPEN_VALUES


_HOW_MANY = re.compile(
    rf"^(?:(?:i|we|he|she|they)(?:['\u2019]ve)? (?:have|has|had|got|have got|has got|own)"
    rf"|there are)\s+(?=(?:only |just )?(?:{NUMBER.pattern})$)(?:only |just )?",
    re.IGNORECASE,
)
""" "No, she has three": of what, was said before."""
_NO_NEGATION = re.compile(
    r"\b(?!(?:do|does|did|is|are|was)n)"
    r"\w+n['\u2019]t\b",
    re.IGNORECASE,
)
""" "00n't" denies nothing, and "can't" is not taken apart."""
_OF_A_TIME = re.compile(r"(?:last|this|next) \w+['\u2019]s\b", re.IGNORECASE)
""" "That was last year's number"."""
_GOES_ON = re.compile(
    r"\b(?:but|because|it['\u2019]?s|i['\u2019]?m|he['\u2019]s|she['\u2019]s|i|you|is|are)\b",
    re.IGNORECASE,
)
_OWNED = re.compile(r"(?:my|his|her|our|their) \w", re.IGNORECASE)
_STARTS_CLAUSE = re.compile(
    r"(?:i|we|you|he|she|they|it|that|my|your|his|her|our|there)\b|don['\u2019]?t\b", re.IGNORECASE
)
_STANDS_ALONE = re.compile(
    r"(?:on|in|at|since|until|by)? ?(?:the )?(?:(?:19|20)\d\d|\d{1,2}(?:st|nd|rd"
    r"|th)?(?: of \w+)?|\d{1,2}:\d\d"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)(?: \d{1,2}(?:st|nd|rd|th)?)?",
    re.IGNORECASE,
)
