"""Reads claims from what a person says: plain statements, corrections, endings. English. Pure.

A reader of rules, not of meaning: what it is not sure of it leaves to the chat model. It takes well
under 5 ms for an utterance.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from lobug.language.claims import Claim, Fragment, Heard, Path, RelationRules
from lobug.language.en import speech_acts
from lobug.language.en.claims import clause_parser
from lobug.language.en.claims.clause_parser import Clause
from lobug.language.en.claims.relation_book import Reading, Relation, relation_book

CHANGES = frozenset(
    """move relocate settle start begin join get buy adopt marry become turn retire change switch
    take name call put leave hide store park place lay hang lend sell quit give lose break split
    divorce separate stop die pass cancel go convert finish""".split()
)
"""Verbs whose past says what is so now: "I moved to Rome"."""

OPENING = re.compile(
    r"^(?:(?:oh|well|um|uh|hey|but|and|ah|ok|okay|lo-?bug|wait|hang on|hold on)\b[\s,.!-]*)*"
    r"(?P<corrects>(?:(?:no+|nope|nah|not quite|wrong|incorrect|actually|correction|not true|sorry|oops|pardon|excuse me"
    r"|my (?:mistake|bad)|i (?:misspoke|was wrong|made a mistake|got (?:that|it) wrong)|scratch that|let me correct (?:that|myself|you)|i (?:need|have|want) to correct (?:that|myself|something)"
    r"|that(?:['\u2019]s| is| was)(?: all| quite| completely| totally)? (?:wrong|incorrect|not (?:right|true|correct|what i said)|a mistake|false|outdated|no longer true)"
    r"|that (?:isn|wasn)['\u2019]t (?:right|true|correct|what i said)"
    r"|you(?:['\u2019]re| are) (?:wrong|mistaken)|you(?:['\u2019]ve)? (?:got|misunderstood|misheard)(?: (?:that|it|me))?(?: wrong)?"
    r"|i (?:said|meant|mean|told you)(?: that| to say)?|i should have said|make that|rather|or rather)\b[\s,.:;!-]*)*)",
    re.IGNORECASE,
)
NOT_BUT = re.compile(r"^(?P<before>.*?)\bnot (?P<wrong>[^,.;]+?),? but (?P<right>.+)$", re.I)
BUT_NOT = re.compile(r"^(?P<right>.+?)[\s,;:\u2013\u2014-]+(?:and |instead of |rather than )?(?:not|instead of|rather than) (?P<wrong>[^,;.]+)$", re.I)
VALUE = re.compile(
    r"^(?:it['\u2019]?s|it is|it was|that['\u2019]?s|that is|that would be|she['\u2019]?s|he['\u2019]?s|they['\u2019]re|the (?:right|correct) (?:one|name|answer|word) is|in fact)\s+(?:called |named )?",
    re.I,
)
NAMED = re.compile(
    r"^(?P<what>.+?),? (?:(?:who|which|that)(?:['\u2019]s| is) )?(?:called|named|by the name of|whose name is) (?P<name>(?-i:[A-Z]).*)$",
    re.I,
)
APPOSED = re.compile(r"^(?P<what>an? [\w -]+), (?P<name>(?-i:[A-Z])[\w'-]+)$", re.I)
ARTICLE = re.compile(r"^(?:an?|the|some|my|our|one|two|three|four|five|six|seven|eight|nine|ten|\d+)\s+", re.I)
ADJECTIVE = re.compile(r"^(?:(?:little|big|older|younger|elder|eldest|oldest|youngest|new|baby|late|dear|old|best|half|own|only|current|favou?rite)\s+)+")
PROPER = re.compile(r"[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}")
THIRD_PERSON = re.compile(r"\bthe user(?P<owner>['\u2019]s)?\b", re.I)
TITLES = re.compile(r"^(?:Dr|Mr|Mrs|Ms|Prof)\.? ", re.I)


def read(text: str) -> Heard:
    """Read an utterance."""
    claims: list[Claim] = []
    fragments: list[Fragment] = []
    corrects = False
    any_correction = False
    unread: list[str] = []
    for sentence in speech_acts.sentences(text):
        opening = OPENING.match(sentence)
        marked = bool(opening and opening["corrects"].strip())
        rest = sentence[opening.end() :] if opening and marked else sentence
        corrects = corrects or marked
        any_correction = any_correction or marked
        rest = speech_acts.TOLD_TO_REMEMBER.sub("", rest).strip()
        if not rest or speech_acts.is_question(rest) or (
            speech_acts.is_command(rest) and not speech_acts.CALL_ME.match(rest)
        ):
            rest = speech_acts._before_the_question(rest) if rest and speech_acts.is_question(rest) else ""
            if not rest:
                continue
        stated, wrong = _contrast(rest)
        found = [
            replace(claim, corrects=corrects or wrong is not None, instead_of=claim.instead_of or wrong)
            for clause in clause_parser.clauses(stated)
            for claim in claims_of(clause)
        ]
        claims += found
        if not found:
            unread.append(sentence)
        if not found and (corrects or wrong is not None) and len(stated.split()) <= 6:
            value = VALUE.sub("", stated.strip(" .!,")).strip(" .!,")
            if value and len(value.split()) <= 5:
                fragments.append(Fragment(value, wrong, sentence))
    return Heard(tuple(claims), tuple(fragments), any_correction, tuple(unread))


def _contrast(text: str) -> tuple[str, str | None]:
    """What is right in "not X but Y" and "Y, not X", and what is wrong."""
    match = NOT_BUT.match(text)
    if match is not None and len(match["wrong"].split()) <= 5:
        return f"{match['before']}{match['right']}".strip(), match["wrong"].strip()
    match = BUT_NOT.match(text.rstrip(" .!"))
    if match is not None and len(match["wrong"].split()) <= 5:
        before = match["right"].split()
        if before and before[-1].lower() not in {"am", "is", "are", "was", "were", "'m", "do", "does", "did", "have", "has", "will", "would", "could", "can", "i'm", "she's", "he's", "it's", "why", "if", "or"}:
            return match["right"].strip(" ,"), match["wrong"].strip()
    return text, None


def claims_of(clause: Clause) -> list[Claim]:
    """The claims of one clause; none: the rules do not know what it says."""
    book = relation_book()
    path = _tidy(clause.subject.path)
    if clause.verb == "call" and path == ("lobug",) or clause.text.lower().startswith("call me "):
        return []
    if path[0] in {"lobug", "that"} or clause.tense == "unreal":
        return []
    found: list[Claim] = []
    if clause.subject.name and len(path) > 1:
        found.append(Claim(path, "name", clause.subject.name, appositive=True, text=clause.text))
    complement = clause.complement.strip(" ,")
    if complement.lower().endswith((" and", " but", " or")):
        complement = complement.rsplit(" ", 1)[0].rstrip(" ,")
    base = Claim(
        path,
        "",
        "",
        holds=not (clause.negated or clause.no_more or clause.tense == "habit"),
        ended=clause.no_more or clause.tense == "habit",
        past=clause.tense == "past" and clause.verb not in CHANGES and clause.verb != "born",
        planned=clause.tense == "future",
        time=clause.time,
        text=clause.text,
    )
    # "My sister's name is Hanna": the last noun is the relation.
    if clause.verb == "be" and len(path) > 1 and (complement or clause.time):
        owner = book.kind_of(path[:-1])
        noun = book.noun(path[-1], owner)
        if noun is not None:
            subject = path[:-1]
            return [*found, replace(base, subject=subject, relation=noun.relation.id, kind=noun.kind or "", value=_value(complement, clause, noun.relation))]
    if clause.verb == "be" and complement:
        other = clause_parser.subject_of([*clause_parser.tokens(complement), *clause_parser.tokens("is")])
        # "Hanna is my sister"
        if other is not None and len(other[0].path) > 1 and other[0].path[0] in {"user", "she", "he"} and other[0].name is None:
            whole = _tidy(other[0].path)
            reading = book.noun(whole[-1], book.kind_of(whole[:-1]))
            if reading is not None:
                return [*found, replace(base, subject=whole[:-1], relation=reading.relation.id, kind=reading.kind or "", value=clause.subject.name or " ".join(path))]
            if clause.subject.name and len(path) == 1:
                return [*found, replace(base, subject=whole, relation="name", value=clause.subject.name)]
        # "My sister is Hanna"
        if len(path) > 1 and book.kind_of(path) in {"person", "pet"} and re.fullmatch(r"[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?", TITLES.sub("", complement)):
            return [*found, replace(base, relation="name", value=complement)]
    predicate = f"{clause.verb} {complement}".strip()
    named = NAMED.match(complement) or APPOSED.match(complement)
    if clause.verb in {"have", "get", "adopt", "buy", "own"} and named is not None:
        predicate = f"{clause.verb} {named['what']}"
    kind = book.kind_of(path)
    if kind == "named" and clause.subject.name is None and path[0] != "user":
        kind = "thing"
    timed = f"{predicate} {' '.join(clause.time)}".strip()
    ending = book.said(predicate, kind, ends=True) if base.holds else None
    reading = book.said(predicate, kind)
    if clause.time and (reading is None or (reading.thing and not reading.value)):
        reading = book.said(timed, kind) or reading
    if reading is None and ending is not None and not base.past:
        found.append(replace(base, relation=ending.relation.id, value=ending.value, holds=False, ended=True, past=False))
    elif reading is not None:
        found += _of_reading(base, reading)
    elif clause.verb == "be" and path == ("user",) and PROPER.fullmatch(complement) and base.holds:
        found.append(replace(base, relation="name", value=complement))
    elif clause.verb == "be" and kind == "thing" and path[0] not in {"it", "that"} and complement and not base.past:
        found.append(replace(base, relation="attribute", value=complement))
    if named is not None and found and base.holds:
        noun = ADJECTIVE.sub("", ARTICLE.sub("", named["what"].lower())).strip()
        found.append(replace(base, subject=_tidy((*path, noun)), relation="name", value=named["name"].strip(" .")))
    return found


def _of_reading(base: Claim, reading: Reading) -> list[Claim]:
    relation = reading.relation
    subject, name = base.subject, relation.id
    if reading.thing is not None and name in {"kept", "appointment"}:
        thing = clause_parser.subject_of([*clause_parser.tokens(reading.thing), *clause_parser.tokens("is")])
        if thing is None:
            noun = ARTICLE.sub("", reading.thing.lower())
            subject = (*base.subject, noun)
        else:
            subject = _tidy(thing[0].path if len(thing[0].path) > 1 else (*base.subject, thing[0].path[-1]))
        name = "location" if name == "kept" else "takes_place"
        if not reading.value:
            return []
    found = [replace(base, subject=subject, relation=name, value=reading.value, kind=reading.kind or "", instead_of=None)]
    if reading.old:
        found.insert(0, replace(base, subject=subject, relation=name, value=reading.old, holds=False, ended=True))
    return found


def _value(complement: str, clause: Clause, relation: Relation) -> str:
    del relation
    return complement if complement else " ".join(clause.time)


def _tidy(path: Sequence[str]) -> Path:
    """A path with each kin and pet by the word that is stored."""
    book = relation_book()
    out = []
    for index, word in enumerate(path):
        if index == 0 and len(path) == 1:
            out.append(word)
            continue
        bare = ADJECTIVE.sub("", word)
        out.append(book.kin.get(bare) or book.pets.get(bare) or word)
    return tuple(out)


def read_fact(sentence: str) -> tuple[Claim, ...]:
    """The claims of a stored sentence in the third person; empty unless all of it was read."""
    heard = read(THIRD_PERSON.sub(lambda match: "My" if match["owner"] else "He", sentence))
    return () if heard.unread or heard.fragments else heard.claims


def rules(relation: str) -> RelationRules | None:
    return relation_book().rules(relation)


def same_value(relation: str, one: str, other: str) -> bool:
    del relation
    return ARTICLE.sub("", one).strip().lower() == ARTICLE.sub("", other).strip().lower()
