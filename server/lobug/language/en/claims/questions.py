"""Reads what a question asks of somebody or something. English. Pure.

What no relation of ``wording.toml`` fits is left to the chat model: a wrong reading would answer an
ordinary question with "You haven't told me".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from lobug.language.claims import USER, Asked, Path
from lobug.language.en import speech_acts
from lobug.language.en.claims.clause_parser import lemma, tokens
from lobug.language.en.claims.question_parser import (
    INSIDE,
    OPENING,
    Parsed,
    Predicate,
    parse,
    whole,
)
from lobug.language.en.claims.question_phrases import EVENTS, OBJECTS, former
from lobug.language.en.claims.relation_book import Reading, relation_book
from lobug.language.en.claims.sentence_forms import is_plural
from lobug.language.en.claims.values import name_of, tidy_value
from lobug.language.en.claims.wording import Question, wording_book

LONGEST = 160
"""Most characters of a question about oneself. A longer one asks for more than a relation."""

PREFACE = re.compile(
    r"\W*(?:(?:hey|okay|ok|well|so|please|lo-?bug)\W+)*"
    r"(?:(?:can|could|may|would) (?:you help me|i ask (?:you )?(?:something|a question))"
    r"|i have a question|guess what|you know what|quick question)\b[^.?!]*[.?!]*$",
    re.IGNORECASE,
)
"""What people say before they ask."""
VAGUE = re.compile(
    r"\b(?:you|your|it|that|this|these|those|them|what|why|how|if|when|because|anything|something"
    r"|someone|anyone|anybody|somebody|her|him|me|us|yourself|enough|to (?:do|go|say|know|be)|think"
    r"|one|too much|so much|time)\b",
    re.IGNORECASE,
)
"""Words of a value that memory cannot hold, because they point or ask."""
ORDINARY = re.compile(
    r"(?:get|buy|earn|win) .+|be an? (?:boy|girl|he|she|good .*|bad .*)|"
    r"learn (?:too|so|very|fast|quick|slow|how|enough|well)\b.*|"
    r"have (?:fish|chicken|duck|rabbit|lamb|goat)"
    r"|(?:have|take) (?:.+ )?(?:coffee|tea|milk|water|juice|wine|beer|cola|coke|lemonade|cocoa)\b.*"
    r"|speak (?:to|with|up|about|too|fast|slow|loud|clear|now|here|more|soft|quiet)\b.*"
    r"|speak \w+ (?:to|with)\b.*"
    r"|take (?:my |his |her |their )?(?:pills?|medicine|medication|meds|tablets?)"
    r"|be (?:on|off|in|out|up|down|over|there|here)"
    r"|go to (?!(?-i:[A-Z])|(?:school|college|uni|university)$).+",
    re.IGNORECASE,
)
"""Predicates of ordinary questions that look like those of a relation: "do we have chicken?"."""
AFTER_THING = re.compile(
    r"\s+(?:to|at|in|on|yesterday|today|last night|this morning|last week)$", re.IGNORECASE
)
WHICH_THING = re.compile(
    r"what (?P<thing>phone|bike|bicycle|computer|laptop|camera|guitar|boat|tablet|television|tv)"
)
KIND_OF = re.compile(
    r"what (?:kind|breed|sort|type|make|model|brand) of (?P<thing>dog|cat|horse|bird|pet|phone|bike"
    r"|bicycle|computer|laptop|camera|guitar|piano|boat)"
)
ARTICLE = re.compile(r"^(?:an?|the|some|any|my|our)\s+", re.IGNORECASE)
NAME = re.compile(r"[A-Z][\w'-]+")
NOW_ANYWAY = frozenset(
    """location lent origin grew_up birthday birth_year name surname takes_place kind relative dead
    injury borrowed""".split()
)
"""Relations of which a question in the past asks what is so now: "where did I put my keys?"."""
NOT_OF_USER = frozenset("location kind dead takes_place colour opinion".split())
"""Nobody asks memory "where am I?" or "am I dead?"."""
DEVICE = frozenset(
    """alarm timer reminder volume battery brightness network order package delivery
    screen account ip bluetooth connection""".split()
)
"""Things that other parts of the assistant answer for."""
PROFESSIONS = frozenset(
    "dentist doctor therapist hairdresser lawyer vet accountant physiotherapist midwife".split()
)
ELDERS = frozenset({"mother", "father", "grandmother", "grandfather"})
"""Of whom "what did ... do?" asks for the profession."""
OF_HOUSEHOLD = frozenset({"wifi_password", "code", "licence_plate", "rent"})
"""What is asked for with "the": "what's the wifi password?"."""
OF_THINGS = frozenset({"location", "takes_place"})
"""What is asked of "the spare key", which is the user's if memory knows it."""
WHO_DOES = re.compile(
    r"who(?: else)? (?P<verb>is|has|\w+s) (?:got )?(?P<rest>(?!my\b|our\b|you).+)", re.IGNORECASE
)
WHICH_IS = re.compile(
    r"(?:what|which)(?: (?P<noun>[\w-]+))?(?:'s| is| are)"
    r" (?P<place>(?:in|on|under|behind|next to|at|near) (?:the|my|our) .+)",
    re.IGNORECASE,
)
""" "Which clock is in the hall?"."""
WHAT_I_DO = re.compile(r"what do i do[ ?!.]*", re.IGNORECASE)
STILL_HAVE = re.compile(
    r"(?:do|have) (?:i|we) still (?:have|got|own) (?:my|the|our|an?) (?P<value>[\w -]+)", re.I
)
INJURED = frozenset({"broken", "sprained", "fractured", "twisted", "hurt", "injured"})
INNER_ARTICLE = re.compile(r"(?<= )(with|at|to|for|in) (?:the|my|our|an?) ")
HAS_MINE = re.compile(r"have (?P<thing>(?:my|our) .+)", re.IGNORECASE)
ABLE = re.compile(r"^can (?!not )")
ABILITIES = frozenset({"language", "instrument", "sport", "skill"})
PARTS: Mapping[str, str] = {"eyes": "eye_colour", "hair": "hair"}
"""Relations whose questions are for a colour: "what colour are my eyes?"."""
DWELLINGS = frozenset({"home", "house", "flat", "apartment", "place"})
"""Where these are is where their owner lives."""
POINTING = frozenset({"it", "he", "she", "they"})
OF_IT = frozenset({"how old", "how tall", "what colour", "what color", "what breed", "where"})
"""What is asked of "it" that was spoken of, not of the hour or the weather."""

SURELY_OF_IT = frozenset({"name", "age", "colour"})


def read_question(text: str) -> Asked | None:
    """What an utterance asks of memory; None: nothing that a relation holds, or no question."""
    sentences = speech_acts.sentences(text)
    before = [one for one in sentences[:-1] if not PREFACE.match(one)]
    if not sentences or any(map(_asks_or_orders, before)):
        return None
    body = OPENING.sub("", " ".join(sentences[-1].split()))
    if WHAT_I_DO.fullmatch(body) and len(sentences) == 1:
        return Asked(USER, "job", of_talk=True)
    if not body or len(body) > LONGEST:
        return None
    parsed = parse(body)
    if parsed is None:
        return _of_anyone(body)
    asked = first_read(parsed.readings, parsed.wh, told=parsed.told, before=parsed.before)
    if asked is None and parsed.noun is not None:
        asked = of_noun(parsed.noun, parsed.wh or "what", sure=True) or _all_of(parsed)
        if asked is None and parsed.definite:
            asked = of_household(parsed.noun)
    still = STILL_HAVE.fullmatch(body.strip(" ?!."))
    if asked is None and still is not None:
        return Asked(USER, "owns", value=still["value"])
    if asked is None:
        return _of_anyone(body)
    if asked.value and not asked.value[0].isalnum():
        return None  # "that was his old job, he's a baker now"
    past = (asked.past and not parsed.again) or parsed.before
    return in_its_time(replace(asked, past=past))


def _of_anyone(body: str) -> Asked | None:
    """ "Who plays the cello?", "which clock is in the hall?": memory answers if it knows any."""
    placed = WHICH_IS.fullmatch(body.strip(" ?!."))
    if placed is not None:
        noun = (placed["noun"] or "").lower()
        return Asked(("anyone", noun) if noun else ("anyone",), "location", value=placed["place"])
    match = WHO_DOES.match(body.strip(" ?!."))
    verb = None if match is None else lemma(match["verb"].lower())
    if match is None or verb is None or VAGUE.search(match["rest"]):
        return None
    reading = relation_book().said(f"{verb} {match['rest']}", "person")
    if reading is None or not reading.value or reading.thing is not None:
        return None
    relation = reading.relation.id
    if relation in NOT_OF_USER or relation == "name":
        return None
    kind = (reading.kind or "").lower()
    return Asked(("anyone",), relation, kind, ARTICLE.sub("", reading.value))


def in_its_time(asked: Asked) -> Asked:
    """A question that asks for former times only where its relation has any."""
    if not asked.past or asked.relation is None:
        return asked
    lasting = wording_book().wordings[asked.relation].lasting or asked.relation in NOW_ANYWAY
    return replace(asked, past=not lasting)


def of_household(path: Path) -> Asked | None:
    """ "The wifi password", which is the user's."""
    shared = of_noun(("user", *path), "what") if len(path) == 1 else None
    return shared if shared is not None and shared.relation in OF_HOUSEHOLD else None


def _all_of(parsed: Parsed) -> Asked | None:
    """ "Do you know Hanna?", "tell me about my sister"."""
    path = parsed.noun
    if path is None or parsed.wh or parsed.definite or path == USER:
        return None
    somebody = relation_book().kind_of(path) in {"person", "pet", "named"}
    return Asked(path, None) if somebody else None


def _asks_or_orders(sentence: str) -> bool:
    body = OPENING.sub("", sentence)
    return speech_acts.is_question(body) or speech_acts.is_command(body)


def first_read(
    readings: Iterable[Predicate], wh: str, *, told: bool, before: bool = False
) -> Asked | None:
    """What the first reading asks that a relation fits."""
    for reading in readings:
        tidy = replace(reading, text=INSIDE.sub("", reading.text).strip())
        if (wh, reading.path, tidy.text) == ("what", USER, "play"):
            continue  # "what am I playing?" asks what goes on
        asked = _of_wh(tidy, wh, told=told, before=before) if wh else _whether(tidy)
        if asked is None:
            continue
        if reading.definite and asked.subject == reading.path and asked.relation in OF_THINGS:
            return replace(asked, subject=("user", *asked.subject))
        return asked
    return None


def _of_wh(predicate: Predicate, wh: str, *, told: bool, before: bool) -> Asked | None:
    """What a question with "what", "where" and the like asks."""
    path, past = predicate.path, predicate.past
    book = relation_book()
    if predicate.text == "be":
        if path == ("it",) and wh not in OF_IT:
            return None  # "what time is it?"
        shared = ("user", *path) if predicate.definite and len(path) == 1 else path
        asked = of_noun(shared, wh) or _who_or_what(path, wh)
        if shared != path and asked is not None and asked.relation not in OF_HOUSEHOLD:
            asked = None
        if asked is None and wh == "when" and path[-1] in PROFESSIONS:
            return _of_question(path, Question("takes_place"), past=past)
        if asked is not None:
            return asked
    if predicate.text in {"have", "own"}:
        kept = KIND_OF.fullmatch(wh) or WHICH_THING.fullmatch(wh)
        if kept is not None:
            return Asked((*path, kept["thing"]), "kind", past=past)
        if wh == "who" and len(path) > 1:
            return Asked(path, "lent")
    if wh == "where" and predicate.text in {"move", "move to", "park"}:
        parked = predicate.text == "park"
        going = Asked(path, "home", "" if past else "planned", past=past)
        return Asked((*path, "car"), "location") if parked else going
    kind = "thing" if predicate.definite else book.kind_of(path)
    question = wording_book().asked(f"{wh} {ABLE.sub('', predicate.text)}", kind)
    # "Where do I put my trash?" asks where it belongs.
    belongs = predicate.text.startswith("put ") and not (past or told)
    if question is not None and not belongs and _may_be_able(predicate, question.relation):
        married = predicate.text.startswith("marry")  # "who did I marry?" is about now
        return _of_question(path, question, past=past and not married)
    somebody = book.kind_of(path) in {"person", "named"} and (told or path != USER)
    # "What did I do before I retired?", "what did my grandfather do?"
    worked = past and (before or (len(path) > 1 and path[-1] in ELDERS))
    works = worked or (somebody and not past)
    return (
        Asked(path, "job", past=past) if (wh, predicate.text) == ("what", "do") and works else None
    )


def _may_be_able(predicate: Predicate, relation: str) -> bool:
    """Whether "can" fits a relation: "what languages can I speak?", not "what can I eat?"."""
    return not predicate.text.startswith("can ") or relation in ABILITIES | {
        "intolerance",
        "dislike",
    }


def _who_or_what(path: Path, wh: str) -> Asked | None:
    """ "Who is Hanna?", "who is my boss?", "what is my dog?"."""
    kind = relation_book().kind_of(path)
    if wh == "what":
        if kind == "thing":
            return Asked(path, "attribute") if len(path) > 1 else None
        return Asked(path, "kind") if kind in {"pet", "named"} else None
    if wh == "who" and kind == "thing" and len(path) > 1:
        return Asked(path, "attribute")  # "who is my psychiatrist?"
    if wh != "who" or kind in {"thing", "pet"}:
        return None
    if path == USER:
        return Asked(path, "name")
    if len(path) == 1 or is_plural(path[-1]):
        return Asked(path, None)
    return Asked(path, "name")


def _of_question(path: Path, question: Question, *, past: bool) -> Asked | None:
    relation, subject, surely = question.relation, path, False
    if question.thing is not None:
        thing = _thing(question.thing, path)
        if thing is None or (relation == "appointment" and (past or not _is_event(thing))):
            return None
        subject = thing
        surely = relation == "kept" and path == USER
        relation = {"kept": "location", "appointment": "takes_place"}.get(relation, relation)
    if relation == "location" and subject[-1] in DWELLINGS and len(subject) > 1:
        subject, relation = subject[:-1], "home"
    if relation == "colour" and subject[-1] in PARTS and len(subject) > 1:
        subject, relation = subject[:-1], PARTS[subject[-1]]
    if (subject == USER and relation in NOT_OF_USER) or _is_of_device(subject):
        return None
    visits: tuple[Path, ...] = ()
    if relation == "takes_place" and subject[-1] in PROFESSIONS:
        visits = tuple((*subject[:-1], f"{subject[-1]} {event}") for event in sorted(EVENTS))
    asked = Asked(subject, relation, question.kind, past=past, surely=surely, otherwise=visits)
    return asked if question.value is None else _with_value(asked, question.value)


def _is_of_device(path: Path) -> bool:
    """Whether another part of the assistant answers for it: a timer, but not an alarm code."""
    return path[-1].split()[-1] in DEVICE


def _is_event(path: Path) -> bool:
    """Whether somebody may ask when something of theirs is: an exam, a dentist, not a friend."""
    if path[-1] in PROFESSIONS:
        return True
    return len(path) > 1 and relation_book().kind_of(path) == "thing"


def _thing(text: str, path: Path) -> Path | None:
    """Whom or what the object of a verb is: "my keys" is ("user", "keys")."""
    found = tokens(AFTER_THING.sub("", text))
    if len(found) == 1 and found[0].low in OBJECTS:
        return (OBJECTS[found[0].low],)
    noun = whole(found, 0)
    if noun is None or len(noun) > 1 or noun[0] in POINTING or found[0].is_name:
        return noun
    return (*path, *noun)


def of_noun(path: Path, wh: str, *, sure: bool = False) -> Asked | None:
    """A relation that a noun names: "my name", "my sister's birthday"; ``sure``: memory is asked,
    so that topics count as well ("my eating habits")."""
    if len(path) < 2:
        return None
    book = relation_book()
    noun, past = path[-1], False
    owner = path[:-1]
    if _is_of_device(path):
        return None
    kind = book.kind_of(owner)
    reading = book.noun(noun, kind) or book.noun(noun.removesuffix("s"), kind)
    if reading is None:
        noun, past = former(noun)
        reading = book.noun(noun, kind)
        if path[-1].startswith("first ") and reading is not None and reading.relation.id == "car":
            return Asked(path, "kind")  # not the one before this
    if reading is not None:
        relation = reading.relation.id
        if (owner == USER and relation in NOT_OF_USER) or not _fits(wh, relation):
            return None
        if relation == "phone_number" and book.kind_of(owner) == "thing":
            return None  # of a library card
        return Asked(owner, relation, (reading.kind or "").lower(), past=past)
    topic = wording_book().topic(noun, book.kind_of(owner)) if sure else None
    return _of_question(owner, topic, past=past) if topic is not None else None


def _fits(wh: str, relation: str) -> bool:
    """Whether a word that asks fits a noun: "when is my birthday?", not "where is my job?"."""
    fitting = {
        "when": {"birthday", "anniversary", "takes_place", "working_time"},
        "where": {"home", "origin", "school", "location", "employer"},
        "who": {"favourite", "name", "supports", "partner", "employer"},
        "how much": {"rent", "salary", "weight", "cost"},
        "how many": {"children_count", "siblings_count"},
    }
    return wh == "what" or relation in fitting.get(wh, ())


def _whether(predicate: Predicate) -> Asked | None:
    """What a question for yes or no asks."""
    path, past = predicate.path, predicate.past
    text = predicate.text.removeprefix("not ")  # "don't I like jazz?" asks whether I do
    if text == "be" or (path == ("it",) and not text.startswith("be ")):
        return None
    if ORDINARY.fullmatch(text.removeprefix("can ")):
        return None
    able = text.startswith("can ")
    text = re.sub(r"^(\w+) any ", r"\1 ", text.removeprefix("can "))
    if text.startswith("be "):
        asked = _is_of(path, text.removeprefix("be "), past=past)
        if asked is not None:
            return asked
    kind = "thing" if predicate.definite else relation_book().kind_of(path)
    question = wording_book().asked(text, kind)
    if question is not None and not able:
        either = re.search(r"\bor\b", text) is not None
        value = None if either else question.value or ""
        return _of_question(path, replace(question, value=value), past=past)
    reading = None if VAGUE.search(text) else relation_book().said(text, kind)
    mine = HAS_MINE.fullmatch(text)
    if mine is not None and path != USER and kind in {"person", "named"}:
        return _of_lent(mine["thing"], path)
    return None if reading is None else _of_reading(path, reading, able=able, past=past)


def _of_reading(path: Path, reading: Reading, *, able: bool, past: bool) -> Asked | None:
    relation = reading.relation.id
    if able and relation not in ABILITIES:
        return None
    if relation == "appointment":
        return _of_event(path, reading)
    if reading.thing is not None or not _may_be_asked(path, relation):
        return None
    return _with_value(
        Asked(path, relation, (reading.kind or "").lower(), past=past), reading.value
    )


def _of_lent(text: str, path: Path) -> Asked | None:
    """ "Does Marcus still have my drill?"."""
    thing = _thing(text, USER)
    return None if thing is None else Asked(thing, "lent", value=path[-1])


def _of_event(path: Path, reading: Reading) -> Asked | None:
    """ "Do I have a meeting on Monday?": whether it takes place, if memory knows of it."""
    noun = INNER_ARTICLE.sub(r"\1 ", tidy_value(reading.thing or ""))
    thing = _thing(noun, path) or (*path, noun.lower())
    if _is_of_device(thing):
        return None
    return Asked(thing, "takes_place", value=reading.value)


def _may_be_asked(path: Path, relation: str) -> bool:
    """Whether a question for yes or no may be one for memory: "is it Monday?" is not."""
    if not wording_book().wordings[relation].whether or (path == USER and relation in NOT_OF_USER):
        return False
    return path[0] not in {"it", "they"} or relation in SURELY_OF_IT


def _with_value(asked: Asked, value: str) -> Asked:
    """A question for one value; with "or" it asks which."""
    several = re.search(r"\bor\b", value) is not None
    value = ARTICLE.sub("", value.strip())
    if asked.relation in {"like", "dislike"}:
        value = name_of(value)
    return replace(asked, value=None if several else value)


def _is_of(path: Path, complement: str, *, past: bool) -> Asked | None:
    """ "Is Hanna my sister?", "is my name Alex?"."""
    book = relation_book()
    other = whole(tokens(complement), 0)
    if other is not None and len(other) > 1 and len(path) == 1 and path != USER:
        noun = book.noun(other[-1], book.kind_of(other[:-1]))
        if noun is not None:
            kind = (noun.kind or "").lower()
            return Asked(other[:-1], noun.relation.id, kind, path[0], past=past)
        somebody = book.kind_of(other) in {"person", "pet"}
        return Asked(other, "name", value=path[0]) if somebody else None
    if len(path) == 1 or VAGUE.search(complement):
        return None
    if complement in INJURED and book.is_value("body", path[-1]):
        return Asked(path[:-1], "injury", value=path[-1], past=past)
    bare, was = former(path[-1])
    noun = book.noun(bare, book.kind_of(path[:-1]))
    if noun is not None and noun.relation.id not in {"car", "pet", "takes_place"}:
        asked = Asked(path[:-1], noun.relation.id, (noun.kind or "").lower(), past=past or was)
        return _with_value(asked, complement)
    if book.kind_of(path) in {"person", "pet"} and NAME.fullmatch(complement):
        return Asked(path, "name", value=complement)
    return None
