"""Contrasts of a wrong value with the right one: "not X but Y", "Y, not X", "X, no, Y". English.

Pure.
"""

from __future__ import annotations

import re

from lobug.language.en.claims.bare_values import (
    LEADING,
    NO_VALUES,
    STARTS_CLAUSE,
    VALUE,
    is_short,
    value_of,
)
from lobug.language.en.claims.lexicon import BE, DO, HAVE, PREPOSITIONS, UNREAL, WILL
from lobug.language.en.claims.openings import unopened
from lobug.language.en.claims.sentence_parts import begins_clause
from lobug.language.en.claims.values import NUMBER

_LONGEST = 300
"""Characters of a sentence that is searched for a contrast."""
_BUT_MEANT = re.compile(
    r"^(?P<said>(?:i think )?i (?:said|told you) |did i (?:just )?(?:say|tell you) )?"
    r"(?P<wrong>[^,.;?]+?)[,?]? (?:(?:but|and|when|well) )?"
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
    r"|['\u2019]re|['\u2019]?m| is| are| am| was| were)(?:n['\u2019]?t| not)"
    r" (?!that i\b|because\b)(?P<wrong>[^,.;]+?)"
    r"(?:[,.;]\s*(?=\w)|\s+(?=(?:its|hes|shes|im|it's|he's|she's|i'm)\b))"
    r"(?P<right>(?:(?:it|that|she|he|they|i)\s?"
    r"(?:['\u2019]s|['\u2019]re|['\u2019]m| is| are| am| was| were)|its|hes|shes|im|thats)"
    r" (?!not\b)[^,;]+)$",
    re.IGNORECASE,
)
_OVER = re.compile(r"\b(?:any ?more|any longer|longer)\b", re.IGNORECASE)
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
_NO_NEGATION = re.compile(
    r"\b(?!(?:do|does|did|is|are|was)n)"
    r"\w+n['\u2019]t\b",
    re.IGNORECASE,
)
""" "00n't" denies nothing, and "can't" is not taken apart."""
DENIED = re.compile(
    r"^(?:it|that)(?:['\u2019]s| is|s) (?:not true|not (?:right|correct)|wrong|false|a lie"
    r"|untrue) that\s+",
    re.IGNORECASE,
)
_ONLY_WRONG = re.compile(r"^not (?P<wrong>[^,.;?]+)[.!]?$", re.IGNORECASE)


def contrast(text: str) -> tuple[str, str | None]:
    """What is right in "not X but Y" and "Y, not X", and what is wrong; None: nothing is named."""
    bare = text.rstrip(" .!")
    if len(bare) > _LONGEST or _NO_NEGATION.search(bare):
        return text, None
    if _WAS_RIGHT.search(bare):
        return _WAS_RIGHT.sub("", bare), None
    plain = unopened(bare)  # "By the way, her name isn't Anna, it's Hanna"
    found = _first_form(bare) or (_first_form(plain) if plain != bare else None)
    return (text, None) if found is None else found


def detached(text: str) -> tuple[str, str]:
    """A contrast and the clause after it, which is no part of it: "vegetarian, not vegan" and "she
    eats cheese"; the text and nothing where there is no such clause."""
    if "," not in text or len(text) > _LONGEST or contrast(text)[1] is not None:
        return text, ""
    for comma in re.finditer(r",\s+", text):
        before, after = text[: comma.start()], text[comma.end() :]
        goes_on = begins_clause(after) or STARTS_CLAUSE.match(after)
        if goes_on and " " in after and contrast(before)[1] is not None:
            return before, after
    return text, ""


def _first_form(bare: str) -> tuple[str, str] | None:
    return next((found for form in _CONTRASTS if (found := form(bare)) is not None), None)


def _on_second_thought(bare: str) -> tuple[str, str] | None:
    match = _ON_SECOND_THOUGHT.search(bare)
    if match is None or not is_short(match["right"]):
        return None
    lists = match.group().lower().startswith((", no ", ",no ")) and match["right"].islower()
    if lists and _HAS.search(bare) and not _COUNTED.match(match["right"]):
        return None  # "I have a dog, no cats"
    return _second_thought(bare[: match.start()], match["right"].strip())


def _not_said(bare: str) -> tuple[str, str] | None:
    """ "I didn't say viola, I said cello"."""
    match = _NOT_SAID.match(bare)
    if match is None or not (is_short(match["wrong"]) and is_short(match["right"])):
        return None
    return match["right"].strip(), value_of(match["wrong"])


def _is_not(bare: str) -> tuple[str, str] | None:
    """ "It's not Anna, it's Hanna"."""
    match = _IS_NOT.match(bare)
    if match is None or not is_short(match["wrong"]) or _OVER.search(match["wrong"]):
        return None
    said, wrong = match["right"].split(), match["wrong"].split()
    joined = re.search(r"['\u2019]", said[0]) or said[0].lower() in _UNWRITTEN
    value = said[1:] if joined else said[2:]
    same = wrong[0].lower() not in PREPOSITIONS | {"a", "an", "the"}
    while same and len(wrong) > 1 and len(value) > 1 and wrong[0].lower() == value[0].lower():
        del wrong[0], value[0]  # "not allergic to nuts, I'm allergic to pollen"
    right = match["right"]
    if match["who"].lower().split()[0] in {"my", "her", "his", "their", "our", "the"}:
        verb = "was" if said[1] in {"was", "were"} and not joined else "is"
        right = f"{match['who']} {verb} {' '.join(value)}"
    return right, value_of(" ".join(wrong))


def _but_meant(bare: str) -> tuple[str, str] | None:
    """ "I said viola but I meant the cello"."""
    match = _BUT_MEANT.match(bare)
    if match is None or not (is_short(match["wrong"]) and is_short(match["right"])):
        return None
    return match["right"].strip(), value_of(match["wrong"])


def _not_but(bare: str) -> tuple[str, str] | None:
    match = _NOT_BUT.match(bare)
    if match is None or not is_short(match["wrong"]) or begins_clause(match["right"]):
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
    if match is None or not is_short(match["wrong"]):
        return None
    return match["right"].strip(), value_of(match["wrong"])


def _not_this_that(bare: str) -> tuple[str, str] | None:
    """ "Not ibuprofen paracetamol", "not st marys st martins": written without a comma."""
    said = bare.split()
    half = len(said) // 2
    if not bare.islower() or said[0] != "not" or len(said) not in {3, 5}:
        return None
    wrong, right = said[1 : half + 1], said[half + 1 :]
    if NO_VALUES & {wrong[0], right[0], right[-1]} or right[0] in PREPOSITIONS:
        return None
    return " ".join(right), " ".join(wrong)


def _but_not(bare: str) -> tuple[str, str] | None:
    """ "Hanna, not Anna"."""
    match = _BUT_NOT.match(bare)
    if match is None or not is_short(match["wrong"]):
        return None
    last = match["right"].replace("\u2019", "'").split()[-1]
    named = last in {"May", "Will"}
    if (last.lower() in _NOT_AFTER and not named) or last.lower().endswith("n't"):
        return None
    return match["right"].strip(" ,"), value_of(match["wrong"])


def _second_thought(said: str, right: str) -> tuple[str, str] | None:
    """ "I live in Derby, no, in Nottingham": the statement with the right value, and the wrong."""
    right = VALUE.sub("", right)
    joined = said.rstrip(" ,").lower().endswith((" but", " and", " or", " so", " that", " what"))
    if joined or STARTS_CLAUSE.match(right) or " " not in said:
        return None
    preposition = LEADING.match(right)
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


def only_wrong(text: str, *, marked: bool = False) -> str | None:
    """The wrong value, where a sentence has nothing else: "Not Rome." """
    match = _ONLY_WRONG.match(text)
    if match is None or len(match["wrong"].split()) > 3 or (marked and _not_this_that(text)):
        return None
    value = value_of(match["wrong"])
    if not value or value.lower().split()[0] in NO_VALUES:
        return None
    return value
