"""Reads what a question asks of somebody or something: subject, relation, value. English. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from lobug.language.en.claims import clause_parser
from lobug.language.en.claims.reader import Path, _tidy
from lobug.language.en.claims.clause_parser import BE, CONTRACTED, DO, HAVE, tokens, verb_group
from lobug.language.en.claims.relation_book import relation_book

ASKING = re.compile(
    r"^(?:(?:hey|ok|okay|so|and|but|well|um|uh|hi|hello|please|lo-?bug|tell me|quick question|by the way)\b[\s,.!:]*)*"
    r"(?:(?:do|can|could|would|will) you (?:still |please |maybe )*(?:remember|know|recall|tell me|remind me(?: of)?|say|happen to know)(?: again)?"
    r"|(?:please )?(?:remind me(?: of)?|tell me)(?: again)?|i(?:['\u2019]ve)? (?:forgot|forgotten|wonder|want to know|would like to know)|what do you think|any idea|do you have any idea)\s*[,:]?\s*",
    re.IGNORECASE,
)
WH = re.compile(
    r"^(?P<wh>(?:at |in |on |to |with |for |from )?(?:what|which)(?: (?:kind|sort|type|make|breed|colou?r|part) of [a-z]+| (?!do\b|does\b|did\b|is\b|are\b|was\b|were\b|am\b|have\b|has\b|had\b|will\b|can\b|i\b|my\b|the\b|his\b|her\b|our\b|their\b)[a-z]+(?: (?:size|type|group|sign|status|instrument|instruments|number))?)?"
    r"|whats|where|when|who|whom|whose [a-z]+|how (?:old|many [a-z]+(?: (?:and|or) [a-z]+)?|much(?: [a-z]+)?|tall|heavy|long|often)|how|since when)\b\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ClaimQuestion:
    """A question whose answer is a claim."""

    subject: Path
    relation: str
    kind: Literal["value", "whether"]
    """``whether``: it asks if ``value`` is so."""
    value: str = ""
    of: str | None = None
    """Of a favourite: "colour"."""
    past: bool = False


def read_question(text: str) -> ClaimQuestion | None:
    """What a question asks; None: it asks for something that no relation holds."""
    body = " ".join(text.split()).strip().rstrip("?!. ")
    body = ASKING.sub(
        "", re.sub(r"(?i)\b(what|where|who|when|how|which)['\u2019]s\b", r"\1 is", body)
    )
    body = re.sub(r"^(?:if|whether)\s+", "", body, flags=re.I)
    body = re.sub(
        r"\s+(?:again|please|now|at the moment|these days|currently|right now|exactly|by the way|lo-?bug)$",
        "",
        body,
        flags=re.I,
    )
    if not body:
        return None
    match = WH.match(body)
    wh = ""
    rest = body
    if match is not None:
        wh = " ".join(match["wh"].lower().split())
        if wh == "whats":
            wh, rest = "what", "is " + body[match.end() :]
        else:
            rest = body[match.end() :]
    found = tokens(rest)
    if not found:
        return None
    book = relation_book()
    low = CONTRACTED.get(found[0].low, found[0].low)
    low = "is" if low == "'s" else low
    inverted = low in BE | HAVE | DO | {"will", "can", "should", "would", "did"}
    past = low in {"was", "were", "did", "had"}
    if inverted:
        parsed = _subject(found[1:], rest)
        if parsed is None:
            return None
        path, after = parsed
        tail = after
        if low in DO or low in {"will", "can", "would", "should"}:
            group = verb_group(found, _index(found, after)) if after else None
            if group is None:
                return _by_noun(path, wh, past)
            verb, at = group[0].verb, group[1]
            predicate = f"{verb} {_text(rest, found, at)}".strip()
            if re.match(r"used? to ", after, re.I):
                past = True
        elif low in HAVE:
            words = tail.split(None, 1)
            if words and words[0].lower() == "got":
                predicate = f"have {words[1] if len(words) > 1 else ''}".strip()
            elif words and (
                lemma := clause_parser.PARTICIPLES.get(words[0].lower())
                or (words[0].lower().endswith("ed") and clause_parser.lemma(words[0].lower()))
            ):
                predicate = f"{lemma} {words[1] if len(words) > 1 else ''}".strip()
            else:
                predicate = f"have {tail}".strip()
        else:
            words = tail.split(None, 1)
            progressive = (
                clause_parser.lemma(words[0].lower())
                if words and words[0].lower().endswith("ing")
                else None
            )
            predicate = (
                f"{progressive} {words[1] if len(words) > 1 else ''}".strip()
                if progressive
                else f"be {tail}".strip()
            )
            if not tail:
                asked = _by_noun(path, wh, past)
                if asked is not None:
                    return asked
    else:
        # "where I live", "my name", "who works at Bosch"
        parsed = _subject(found, rest)
        if parsed is None:
            return None
        path, after = parsed
        if not after:
            return _by_noun(path, wh, past)
        group = verb_group(found, _index(found, after))
        if group is None:
            return None
        past = group[0].tense in {"past", "habit"}
        predicate = f"{group[0].verb} {_text(rest, found, group[1])}".strip()
        if predicate == "be" and wh in {"what", "who", "when", "which", ""}:
            asked = _by_noun(path, wh, past)
            if asked is not None:
                return asked
    predicate = re.sub(
        r"\s+(?:any ?more|any longer|still|now|before|again|ever)$", "", predicate, flags=re.I
    )
    predicate = re.sub(
        r"^(\w+) (?:still|ever|currently|really|actually) ", r"\1 ", predicate, flags=re.I
    )
    kind = book.kind_of(path)
    if wh:
        question = f"{wh} {predicate}"
        reading = book.asked(question, kind)
        if reading is None:
            return None
        if reading.thing is not None:
            thing = _subject([*tokens(reading.thing)], reading.thing)
            if thing is None:
                return None
            return ClaimQuestion(
                thing[0],
                "location" if reading.relation.id == "kept" else "takes_place",
                "value",
                past=past,
            )
        return ClaimQuestion(path, reading.relation.id, "value", of=reading.kind, past=past)
    reading = book.asked(predicate, kind) or book.said(predicate, kind)
    if reading is None:
        return None
    return ClaimQuestion(
        path, reading.relation.id, "whether", value=reading.value, of=reading.kind, past=past
    )


def _by_noun(path: Path, wh: str, past: bool) -> ClaimQuestion | None:
    book = relation_book()
    if len(path) > 1:
        reading = book.noun(path[-1], book.kind_of(path[:-1]))
        if reading is not None:
            return ClaimQuestion(
                path[:-1], reading.relation.id, "value", of=reading.kind, past=past
            )
    reading = book.asked(f"{wh or 'what'} be", book.kind_of(path))
    if reading is not None:
        return ClaimQuestion(path, reading.relation.id, "value", past=past)
    if len(path) > 1 and wh in {"what", "which", ""}:
        return ClaimQuestion(path, "attribute", "value", past=past)
    return None


def _subject(found: list[clause_parser.Token], rest: str) -> tuple[Path, str] | None:
    """The subject at the beginning, and the text after it. A verb need not follow it at once."""
    best = None
    for end in range(1, min(len(found), 8) + 1):
        probe = [*found[:end], clause_parser.Token("is", 0, 0)]
        parsed = clause_parser.subject_of(probe)
        if parsed is not None and parsed[1] == end:
            longer = end < len(found) and (
                found[end].low in {"'s", "'"} or found[end - 1].low in {"'s", "of"}
            )
            if longer:
                continue
            best = (parsed[0], end)
            path = parsed[0].path
            if len(path) == 1 and found[0].low in clause_parser.PRONOUNS:
                break
            if end < len(found) and (
                clause_parser.lemma(found[end].low)
                or found[end].low
                in {
                    "called",
                    "named",
                    "born",
                    "allergic",
                    "married",
                    "from",
                    "in",
                    "at",
                    "a",
                    "an",
                    "afraid",
                    "still",
                    "old",
                    "on",
                    "alive",
                    "dead",
                }
            ):
                break
    if best is None:
        return None
    phrase, end = best
    text = rest[found[end].start :] if end < len(found) else ""
    return _tidy(phrase.path), text


def _index(found: list[clause_parser.Token], after: str) -> int:
    last = found[-1].end
    return next(
        (
            i
            for i, t in enumerate(found)
            if last - t.start <= len(after) and t.start >= last - len(after)
        ),
        len(found),
    )


def _text(rest: str, found: list[clause_parser.Token], at: int) -> str:
    return rest[found[at].start :] if at < len(found) else ""
