"""The words by which people show that they put something right: "no, ..." and "I meant" before it,
"my mistake" after it, and how a name is spelled. English. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lobug.language.claims import Refutes
from lobug.language.en.claims.bare_values import NO_VALUES
from lobug.language.en.claims.contrasts import contrast, only_wrong
from lobug.language.en.claims.openings import unopened
from lobug.language.en.claims.sentence_parts import begins_clause
from lobug.language.en.claims.values import is_number
from lobug.language.en.data import word_list

_OPENING = re.compile(
    r"^(?:(?:oh|well|um+|uh|er+m?|hey|but|and|ah|aha|ok|okay|lo-?bug|listen|look|yes|yeah|lol"
    r"|ha(?:ha)*"
    r"|hm+|mm+|technically|strictly speaking|please|ugh|gosh|god|omg|jeez|duh|shoot|crap|ew+"
    r"|damn|a+r*gh+|gah|oof|eek|eh|blimey|crikey|bother|drat|blast"
    r"|bugger|sheesh|heck|(?:oh )?dear(?: me)?|goodness"
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
_LETTERS = re.compile(
    r",? (?:(?:with|without) (?:an?|one|two|three|a double|double|only one|just one)"
    r" [\"'\u2018]?[a-z]{1,2}(?:['\u2019]?s)?[\"'\u2019]?(?: at the (?:end|beginning))?"
    r"|(?:it['\u2019]?s )?spel(?:led|t) .{1,40})[.! ]*$",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"(?:,\s*|\s+)(?:time flies|to be (?:honest|exact|precise)|rather"
    r"|i beg your pardon|(?:my )?apologies|(?:do )?forgive me"
    r"|(?:i )?(?:always )?(?:forget|mix (?:them|it) up)"
    r"|(?:so |very )?sorry(?: about that)?|my (?:mistake|bad)|i me?ant?|oops|silly me"
    r"|actually|in fact|lol|now that i think (?:about|of) it)[.! ]*$",
    re.IGNORECASE,
)


_SPEAKER = "".join(word_list("corrections", "speaker"))


def _any_of(listed: Iterable[str]) -> str:
    return "|".join(listed).replace("{i}", _SPEAKER)


_ADMISSION = _any_of(word_list("corrections", "admissions"))
_ADDRESSING = _any_of(word_list("corrections", "addressing"))
_ASIDE = _any_of(word_list("corrections", "asides"))
_LAUGHED = re.compile(r"^(?:(?:lol|lmao|haha|hehe)\b[,.! ]*)+(?=\w)", re.IGNORECASE)
_ADDRESSED = re.compile(rf"(?:, (?:{_ADDRESSING})|,? (?:by the way|btw|lol))[.! ]*$", re.IGNORECASE)
# In small letters and of nobody: "My dog, Buddy, is ten", "Anna, my friend, lives in Rome".
_ADDRESSED_WITHIN = re.compile(rf"(?<=\w), (?!my\b)(?:{_ADDRESSING}), (?=\w)")
_EXCUSED = re.compile(
    r"(?:\s*[,;]\s*|\s+[\u2013\u2014-]+\s+|\s+)"
    r"(?:(?:lol|haha|sorry|but|and|cos|because|as)\b,? )*"
    rf"(?:(?P<admits>{_ADMISSION})|{_ASIDE})\b",
    re.IGNORECASE,
)
_ADMITTED = re.compile(rf"(?:{_ADMISSION})(?: (?:again|up|it|that|them))*", re.IGNORECASE)
_ADMITTED_FIRST = re.compile(
    rf"(?:{_ADMISSION})\b[^,;]{{0,50}}?(?:[,;]|,? and|,? but| [\u2013\u2014-]+)?"
    r" (?:apparently |actually )?(?=(?:it|that|its|thats)(?:['\u2019]?s| is) (?!not\b))",
    re.IGNORECASE,
)
_IT_IS = re.compile(r"(?:it|that|he|she)(?:['\u2019]?s| is)\b", re.IGNORECASE)
_SORRY = re.compile(r"\bsorry\b|^[^,]*$", re.IGNORECASE)
""" "Thursday, sorry" may only refuse; "Jon, actually" puts right."""
_MEANT = re.compile(r"\b(?:rather|i me?ant?)[.! ]*$", re.IGNORECASE)
_REPEATED = re.compile(
    r"^(?P<said>[^,;.]{1,30})(?:,? (?:i mean|i meant)|, (?:no|sorry)),?"
    r" (?P<right>[^,;.]{1,30})[.! ]*$",
    re.IGNORECASE,
)
_JOKED = r"(?:i was |i['\u2019]?m )?(?:just |only )?(?:kidding|joking|jk)"
_JOKED_BEFORE = re.compile(
    rf"^(?:(?:oh|no|nah|nope|haha|lol),? )*{_JOKED}\b[,.;! ]+(?=\w)", re.IGNORECASE
)
_JOKED_AFTER = re.compile(rf"[,;.] {_JOKED}[.! ]*$", re.IGNORECASE)


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


def unaddressed(sentence: str) -> str:
    """A sentence without "lol" at its beginning, and "dear" or "by the way" after it."""
    sentence = _ADDRESSED_WITHIN.sub(", ", _LAUGHED.sub("", sentence))
    return _ADDRESSED.sub("", sentence)


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
    if match is None or " " in match["said"] or begins_clause(match["right"]):
        return None
    return match["right"]


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


def unexcused(text: str, *, marked: bool) -> str:
    """What is right without what explains the mistake: "on Friday, not Thursday" of "on Friday, not
    Thursday, I just checked". ``marked``: words before it say that it puts something right."""
    plain = unopened(text)
    before = _ADMITTED_FIRST.match(plain)
    text = text if before is None else plain[before.end() :].lstrip()
    for excuse in _EXCUSED.finditer(text):
        head = text[: excuse.start()]
        if only_wrong(head) is not None:  # "Not Boston, what am I saying, Baltimore"
            return f"{head}, {text[excuse.end() :].partition(',')[2].strip()}".rstrip(" ,")
        if _is_right_alone(head, marked=marked, admitted=excuse["admits"] is not None):
            return without_trailing(head)
    return text


def is_excuse(text: str) -> bool:
    """Whether a sentence says no more than that a mistake was made: "Brain's fried." """
    return _ADMITTED.fullmatch(text.strip(" .!,")) is not None


def _is_right_alone(head: str, *, marked: bool, admitted: bool) -> bool:
    """Whether words before an excuse are what is right."""
    said = re.findall(r"[\w'\u2019]+", unopened(f"{head} .").lower())
    if not said or all(word in NO_VALUES for word in said):
        return False
    bare = _IT_IS.match(head) is not None or not begins_clause(head)
    return marked or (bare and admitted) or is_number(head) or contrast(head)[1] is not None
