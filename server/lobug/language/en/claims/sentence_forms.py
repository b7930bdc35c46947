"""Makes sentences of the templates of ``wording.toml``: person, number, tense, articles. English.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from lobug.language.claims import Path
from lobug.language.en import verbs, words
from lobug.language.en.claims.clause_parser import MONTH
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.wording import wording_book
from lobug.language.en.data import WEEKDAYS

Mode = Literal["now", "past", "will", "not", "was not", "will not", "no longer", "used to", "since"]
Number = Literal["you", "one", "several"]

SLOT = re.compile(r"\{(?P<slot>[^}]+)\}|\[(?P<verb>[a-z]+)(?P<past>:past)?\]")
DETERMINED = re.compile(
    r"(?:an?|the|my|our|his|her|their|its|your|some|any|no|this|that|these|those|another|\d[\w.,]*"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a few|several|many|both)\b",
    re.IGNORECASE,
)
PREPOSED = re.compile(
    r"(?:in|on|at|under|behind|above|below|beneath|by|near|next to|beside|inside|outside|between"
    r"|over|with|around|opposite|across|off|upstairs|downstairs|abroad|here|there|home|somewhere"
    r"|next door|close to|not far|half an hour)\b",
    re.IGNORECASE,
)
WEEKDAY = rf"(?:{'|'.join(WEEKDAYS)})"
TIMED = re.compile(
    r"(?:in|on|at|by|around|before|after|from|until|next|this|last|every|tomorrow|today|tonight|yesterday"
    r"|soon|about|between)\b",
    re.IGNORECASE,
)
MONTH_OR_YEAR = re.compile(
    rf"(?:early |late |mid-?)?(?:{MONTH}(?:,? \d{{4}})?|(?:19|20)\d\d|spring|summer|autumn|fall"
    r"|winter)",
    re.IGNORECASE,
)
CLOCK = re.compile(
    r"\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\.?)?(?: o'?clock)?"
    r"|(?:(?:half|quarter|ten|five|twenty)(?: past| to)? )?"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"(?: (?:thirty|fifteen|forty-five))?(?: o'?clock)?|noon|midnight|midday",
    re.IGNORECASE,
)
HOBBIES = re.compile(
    "knit|garden|paint|draw|hike|climb|ski|surf|fish|hunt|box|jog|meditate|bake|sew|crochet|juggle"
    "|kayak|sail|snowboard|skateboard|row|dance|sing|swim|camp|game|blog|birdwatch|cook|run|write"
    "|read",
    re.IGNORECASE,
)
"""Verbs that are a hobby alone."""
AN = re.compile(
    r"(?:(?!one\b|once\b|eu)[aeio]|u(?!ni(?!n|m)|s[eu]|r[aeiou]|t[ei])|hour|honest|heir|8|11\b|18\b)",
    re.IGNORECASE,
)
BRITISH = re.compile(r"(?:[bdmv]|ol)our\b|theatre|programme")
HEAD_ENDS = re.compile(r" (?:of|in|at|on|with|for|from|to|near|who|that|which|called|named)\b.*")
SPEAKER = re.compile(r"\b(?:my|our|mine|ours|me|us|myself|ourselves|I)\b")
NOTED = {
    "my": "the user's", "our": "the user's", "mine": "the user's", "ours": "the user's",
    "me": "the user", "us": "the user", "i": "the user", "myself": "themself",
    "ourselves": "themself",
}  # fmt: skip
SPOKEN = {
    "my": "your", "our": "your", "mine": "yours", "ours": "yours", "me": "you", "us": "you",
    "i": "you", "myself": "yourself", "ourselves": "yourself",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a sentence is about."""

    text: str
    """ "the user", "your sister Hanna", "Hanna"."""
    owner: str
    """ "the user's", "your sister Hanna's"."""
    number: Number
    spoken: bool
    """Whether the sentence is said to the user; else it is a note about the user."""


def subject_of(
    path: Path,
    names: Mapping[Path, str],
    *,
    spoken: bool,
    named: bool = True,
    common: bool = False,
    text: str = "",
) -> Subject:
    """The words for a subject; ``named``: with its name, if it has one; ``common``: of one word
    that is no name ("keys" is "the keys"); ``text``: the words that it was read from, which show
    its capitals."""
    if path == ("user",):
        if spoken:
            return Subject("you", "your", "you", spoken)
        return Subject("the user", "the user's", "one", spoken)
    owner = {"user": "your" if spoken else "the user's"}.get(path[0])
    if len(path) == 1:
        name = names.get(path) or (path[0] if path[0] in {"he", "she", "it", "they"} else "")
        name = name or (f"the {path[0]}" if common else _titled(path[0]))
        several = path[0] == "they" or (common and is_plural(path[0]))
        return Subject(name, possessive(name), "several" if several else "one", spoken)
    if owner is None:
        owner = subject_of(path[:1], names, spoken=spoken).owner
    for word in path[1:-1]:
        owner = possessive(f"{owner} {word}")
    at = next(words.places_of(path[-1], text), None)
    whole = f"{owner} {path[-1] if at is None else text[at : at + len(path[-1])]}"
    if named and path in names:
        whole = f"{whole} {names[path]}"
    return Subject(whole, possessive(whole), "several" if is_plural(path[-1]) else "one", spoken)


def _titled(name: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in name.split())


def possessive(text: str) -> str:
    if text.lower() in {"he", "she", "it", "they"}:
        return {"he": "his", "she": "her", "it": "its", "they": "their"}[text.lower()]
    plural = text.endswith("s") and is_plural(text)
    return f"{text}'" if plural and text[:1].islower() else f"{text}'s"


def is_plural(noun: str) -> bool:
    """Whether a noun is plural: "parents", "kids", "running shoes"."""
    book = wording_book()
    head = noun.lower().split()[-1] if noun.split() else ""
    if head in book.plural:
        return True
    return (
        len(head) > 2
        and head.endswith("s")
        and not head.endswith(("ss", "us", "is", "'s"))
        and head not in book.singular
    )


def with_article(value: str, *, of_names: bool = False) -> str:
    """A value with "a" or "an", unless it has a determiner, is a plural, a substance or a name;
    ``of_names``: also before a name ("a Volvo")."""
    if not value or DETERMINED.match(value):
        return value
    head = HEAD_ENDS.sub("", value)
    last = head.split()[-1] if head.split() else head
    capital = value[:1].isupper() and not of_names
    doing = value.split(maxsplit=1)[0].endswith("ing") and value[:1].islower()
    if (
        capital
        or doing
        or is_plural(last)
        or last.lower() in wording_book().mass
        or last.endswith("ing")
    ):
        return value
    return f"{'an' if AN.match(value) else 'a'} {value}"


def plural(value: str) -> str:
    """What several people are: "nurses"; a value that is plural already stays."""
    head = HEAD_ENDS.sub("", value)
    if DETERMINED.match(value) or is_plural(head):
        return value
    if head == "child":
        several = "children"
    elif head.endswith("man"):
        several = f"{head[:-2]}en"
    elif re.search(r"[^aeiou]y$", head):
        several = f"{head[:-1]}ies"
    else:
        several = f"{head}es" if head.endswith(("s", "x", "ch", "sh")) else f"{head}s"
    return several + value[len(head) :]


def place(value: str, preposition: str) -> str:
    """A place with its preposition: "in Rome", "on a farm", "at 12 Baker Street"."""
    if PREPOSED.match(value):
        return value
    if preposition == "in" and re.match(r"\d", value):
        preposition = "at"
    first = value.split(",", maxsplit=1)[0]
    if preposition == "in" and wording_book().on.search(first):
        preposition = "on"
    # What is not known for a place may be a name that speech-to-text wrote in small letters.
    common = wording_book().places.search(first) is not None
    return f"{preposition} {with_article(value) if common else value}"


def moment(value: str) -> str:
    """A time with its preposition: "on May 3rd", "in June", "at five o'clock"."""
    if TIMED.match(value):
        return value
    if MONTH_OR_YEAR.fullmatch(value):
        return f"in {value}"
    if CLOCK.fullmatch(value) or re.match(
        rf"(?:{CLOCK.pattern})(?: on| in the| tomorrow| every)\b", value, re.I
    ):
        return f"at {value}"
    if re.fullmatch(
        rf"{WEEKDAY}s?(?: .*)?|.*\d.*|.*\b{MONTH}\b.*|(?:the )?\w+(?:st|nd|rd|th)\b.*", value, re.I
    ):
        return f"on {value}"
    return value


def gerund(value: str) -> str:
    """A hobby as a noun: "knit" is "knitting"; what is no verb alone stays."""
    if not HOBBIES.fullmatch(value):
        return value
    if value.endswith("e"):
        return f"{value[:-1]}ing"
    if re.search(r"[^aeiou][aeiou][bdgmnpt]$", value) and value not in {"garden", "paint"}:
        return f"{value}{value[-1]}ing"
    return f"{value}ing"


def value_text(value: str, marker: str, *, spoken: bool, several: bool = False) -> str:
    """A value as a sentence has it; ``marker``: what the template says of it ("a", "in", ...);
    ``several``: the subject is several."""
    changed = {
        "": lambda: value,
        "a": lambda: with_article(value),
        "A": lambda: with_article(value, of_names=True),
        "n": lambda: plural(value) if several else with_article(value, of_names=True),
        "in": lambda: place(value, "in"),
        "at": lambda: place(value, "at"),
        "on": lambda: moment(value),
        "ing": lambda: gerund(value),
        "place": lambda: with_article(value) if wording_book().places.search(value) else value,
        "the": lambda: value if DETERMINED.match(value) else f"the {value}",
    }[marker]()
    person = SPOKEN if spoken else NOTED
    return SPEAKER.sub(lambda match: person[match[0].lower()], changed)


def listed(items: Sequence[str], *, word: str = "and") -> str:
    """ "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def render(
    template: str,
    subject: Subject,
    values: Sequence[str],
    mode: Mode = "now",
    *,
    kind: str = "",
    denied: bool = False,
) -> str:
    """A sentence of a template, without a capital and a full stop; ``denied``: none of the values
    holds."""
    number: Number = subject.number
    first = True
    words = {
        "own": subject.owner if subject.text in {"you", "the user"} else "their",
        "kind": kind,
        "code": kind if re.search(r"(?:number|code|pin)$", kind) else f"{kind} code",
        "favorite": "favourite" if BRITISH.search(" ".join((kind, *values))) else "favorite",
    }

    def fill(match: re.Match[str]) -> str:
        nonlocal number, first
        if match["verb"] is not None:
            used = mode if first else ("past" if mode in {"past", "was not"} else "now")
            if match["past"] and used == "now":
                used = "past"
            elif match["past"] and used == "not":
                used = "was not"
            first = False
            return conjugate(match["verb"], number, used, short=subject.spoken)
        slot = match["slot"]
        if slot == "S":
            number = subject.number
            return subject.text
        if slot == "S's":
            number = "one"
            return subject.owner
        if slot == "U":
            number = "you" if subject.spoken else "one"
            return "you" if subject.spoken else "the user"
        if slot in words:
            return words[slot]
        marker = slot.removesuffix("v").strip()
        texts = [
            value_text(value, marker, spoken=subject.spoken, several=number == "several")
            for value in values
        ]
        return listed(texts, word="or" if denied else "and")

    return " ".join(SLOT.sub(fill, template).split())


def conjugate(verb: str, number: Number, mode: Mode, *, short: bool) -> str:
    """A verb in a person and a tense; ``short``: "doesn't", else "does not"."""
    third = number == "one"
    now = _present(verb, third=third, several=number != "one")
    forms: dict[Mode, str] = {
        "now": now,
        "past": past(verb, several=not third),
        "will": f"will {verb}",
        "will not": f"won't {verb}" if short else f"will not {verb}",
        "used to": f"used to {verb}",
        "since": f"{'has' if third else 'have'} {participle(verb)}",
    }
    if verb == "be":
        was = past("be", several=not third)
        forms |= {
            "not": f"{now}n't" if short else f"{now} not",
            "was not": f"{was}n't" if short else f"{was} not",
            "no longer": f"{now} no longer",
        }
    else:
        do = "does" if third else "do"
        forms |= {
            "not": f"{do}n't {verb}" if short else f"{do} not {verb}",
            "was not": f"didn't {verb}" if short else f"did not {verb}",
            "no longer": f"no longer {now}",
        }
    return forms[mode]


def _present(verb: str, *, third: bool, several: bool) -> str:
    if verb == "be":
        return "are" if several else "is"
    return verbs.to_third(verb) if third else verb


def past(verb: str, *, several: bool = False) -> str:
    """The past of a verb in its base form."""
    if verb == "be":
        return "were" if several else "was"
    known = wording_book().irregular.get(verb)
    if known is not None:
        return known
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2:-1] not in set("aeiou"):
        return f"{verb[:-1]}ied"
    return f"{verb}ed"


def participle(verb: str) -> str:
    """The past participle of a verb in its base form."""
    return wording_book().participles.get(verb) or past(verb)


def sentence(text: str) -> str:
    """A text with a capital."""
    return text[:1].upper() + text[1:]


def kin_of(path: Path) -> str:
    """The canonical word for what the last of a path is: "sister" of "older sister" and of
    "sisters"; else empty."""
    book = relation_book()
    head = path[-1].split()[-1] if path[-1].split() else ""
    one = head.removesuffix("s")
    found = (known.get(word) for word in (head, one) for known in (book.kin, book.pets))
    return next((noun for noun in found if noun), "")
