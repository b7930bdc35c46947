"""Reads orders to do something in the world, or to look something up there. English. Pure.

An order is an imperative ("turn on the light"), a request ("would you mind turning it on"), a wish
("I want the lights off"), a few words ("lights off") or a question for a live fact of the world
outside ("what's the weather like?"). What talking alone fulfils ("tell me a joke") is no order, nor
is what is only spoken of ("how do I turn on the light?", "I turned it on").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from lobug.language.en.data import ORDERS
from lobug.language.en.order_classes import DEEDS, any_of, expanded
from lobug.language.en.speech_acts import AUXILIARIES
from lobug.language.en.verbs import is_past, possible_bases

Act = Literal["imperative", "request", "wish", "ellipsis", "question"]

LONGEST = 800
"""Characters of an order; a longer text is a story."""
MOST_SENTENCES = 12
MOST_CLAUSES = 16
MOST_WORDS = 16
"""Words after a verb among which the thing is looked for that it is done to."""
LONGEST_ELLIPSIS = 10
"""Words of an order without a verb."""


@dataclass(frozen=True, slots=True)
class Order:
    """An order in a text."""

    act: Act
    deed: str
    """The class of what is to be done: a name of ``orders.toml``, such as "lights"."""


SENTENCES: Mapping[str, str] = ORDERS["sentences"]

_PLACES = frozenset(ORDERS["places"]["nouns"].split())
_PATTERNS = ORDERS["patterns"]
_TALK = any_of(_PATTERNS["talk"])
_QUOTED = re.compile(expanded(_PATTERNS["quoted"]))
_REPORTED = re.compile(_PATTERNS["reported"])
_NARRATIVE = re.compile(_PATTERNS["narrative"])
_KNOWLEDGE = re.compile(expanded(_PATTERNS["knowledge"]))
_GENERAL = re.compile(_PATTERNS["general"])
_COUNTERFACTUAL = re.compile(_PATTERNS["counterfactual"])
_SUPPOSED = re.compile(_PATTERNS["supposed"])
_REFERRING = re.compile(_PATTERNS["referring"])
_COLLOQUIAL = re.compile(expanded(r"{colloquial} (?=(?:[\w'-]+ ){0,5}?(?:on|off|up|down)\b)"))
_NOT_REFERRED_TO = frozenset(_PATTERNS["not_referred_to"].split())
_REFERRING_VERBS = frozenset(_PATTERNS["referring_verbs"].split())
_VAGUE_VERBS = frozenset(_PATTERNS["vague_verbs"].split())
_WISH = re.compile(_PATTERNS["wish"])
_STATE = re.compile(_PATTERNS["state"])
_OPENERS = re.compile(expanded(r"(?:{openers}(?:[ !]+|$))*+"))
_ADVERBS = re.compile(expanded(r"(?:{adverbs} )*+"))
_ASKING = re.compile(expanded(r"{asking} "))
_ASKING_ING = re.compile(expanded(r"{asking_ing} "))
_ASKING_WITHIN = re.compile(_PATTERNS["asking_within"])
_ORDERED_WITHIN = re.compile(expanded(_PATTERNS["ordered_within"]))
_ASKING_TO_KNOW = re.compile(_PATTERNS["asking_to_know"])
_POLITE_END = re.compile(_PATTERNS["polite_end"])
_ASKS_AT_END = re.compile(_PATTERNS["asks_at_end"])
_WANTED = re.compile(_PATTERNS["wanted"])
_AFTER_AND = re.compile(_PATTERNS["after_and"])

_BE = frozenset({"is", "are", "was", "were"})
_ASKING_WORDS = frozenset({"if", "whether", "when", "who", "what", "where", "how"})
_VERB_WITHIN = re.compile(r"(.{2,50}?) (is|are|will|has|have) (.+)")
_HEADS = frozenset({"timer", "timers", "alarm", "alarms", "reminder", "reminders"})
_QUOTE = re.compile(r"\"[^\"]*\"|\u201c[^\u201d]*\u201d")
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s+|\n+")
_CLAUSE_END = re.compile(
    r"[,;\u2013\u2014:](?:\s+|$)|\s-\s"
    r"|\s(?=(?:so(?! (?:kind|good|nice|much|that|many))|but|because|cause|then|and|or|please)\s)"
)
_WORDS = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_ANOTHER_CLAUSE = re.compile(
    r"[,;] (?:where|who|which|what|why|how|is|are|do|i|i'm|we|he|she|they|it|it's|because|so|but)\b"
)
_JOINING = re.compile(r"(?:and then|and|or|then|so|but|because|cause) ")


def read_order(text: str) -> Order | None:
    """The first order in a text; None: it orders nothing that is done outside of talk."""
    if len(text) > LONGEST:
        return None
    low = " ".join(text.lower().replace("\u2019", "'").split(" "))
    if _QUOTED.search(low):
        return None
    low = _QUOTE.sub(" _ ", low)
    told = ""
    for sentence in _SENTENCE_END.split(low)[:MOST_SENTENCES]:
        line = " ".join(sentence.split())
        order = _in_sentence(line, told)
        if order is not None:
            return order
        told = f"{told} {line}"
    return None


def skill_of(order: Order) -> str | None:
    """The name of the skill that does what is ordered, where it is there; None: none does."""
    name = ORDERS["deeds"][order.deed].get("skill")
    return None if name is None else str(name)


def refusal_of(order: Order) -> str:
    """The sentence that says that Lo-Bug cannot do what is ordered."""
    table = ORDERS["deeds"][order.deed]
    if order.act == "question" and "question_refusal" in table:
        return str(table["question_refusal"])
    return str(table["refusal"])


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of a sentence."""

    text: str
    """Without the word that joins it to the one before."""
    joined: str
    """That word; empty: there is none."""
    before: str
    """The clause before it; empty: it is the first."""
    scope: str
    """The rest of the sentence from its beginning, up to a reason."""
    told: str
    """All that was said before it."""


def _clauses(sentence: str, told: str) -> Iterator[_Clause]:
    """``told``: the sentences before."""
    cuts = [0, *(match.end() for match in _CLAUSE_END.finditer(sentence)), len(sentence)]
    before = ""
    for start, end in list(pairwise(cuts))[:MOST_CLAUSES]:
        part = sentence[start:end].strip(" ,;:-\u2013\u2014.!?\u2026")
        joined = _JOINING.match(part)
        text = part[joined.end() :] if joined else part
        rest = sentence[start:].strip()
        rest = rest[joined.end() :] if joined else rest
        if text:
            joint = joined.group().strip() if joined else ""
            yield _Clause(text, joint, before, rest, f"{told} {sentence[:start]}")
        before = part


def _in_sentence(sentence: str, told: str) -> Order | None:
    words = sentence.strip(" .!?,;\u2026")
    tells = False
    supposes = _COUNTERFACTUAL.search(words) is not None
    for clause in _clauses(words, told):
        if clause.joined in {"because", "cause"} or _SUPPOSED.match(clause.scope):
            continue
        if supposes and _is_asked(clause.text):
            continue
        order = _in_clause(clause, tells=tells)
        if order is not None:
            return order
        tells = tells or _tells(clause.text)
    return None


def _in_clause(clause: _Clause, *, tells: bool) -> Order | None:
    if _REPORTED.search(clause.before):
        return None
    opened = _OPENERS.match(clause.text)
    start = opened.end() if opened else 0
    text = clause.text[start:]
    scope = clause.scope[start:]
    if not text:
        return None
    ellipsis = None if clause.joined else _ellipsis(text)  # "he plays so loud"
    asked = _question(text) or ellipsis or _requested(text, scope, clause.told) or _wished(text)
    if asked is not None:
        return asked
    if (tells and not _ASKS_AT_END.search(scope)) or (
        clause.joined in {"and", "or", "then", "and then"} and not _may_follow(clause)
    ):
        return None
    if _is_asked(text):
        return None
    within = _ORDERED_WITHIN.match(text)
    at = within.end() if within else 0
    deed = _deed_of(scope[at:], text[at:])
    if deed is None and text.partition(" ")[0] in _REFERRING_VERBS:
        deed = _referred_to(text, clause.told)
    return None if deed is None else Order("imperative", deed)


def _tells(clause: str) -> bool:
    """Whether a clause tells what somebody does: "I come home", so that what follows it need not be
    an order."""
    match = _NARRATIVE.match(clause)
    return match is not None and not is_past(match["verb"])


def _may_follow(clause: _Clause) -> bool:
    """Whether an imperative may be joined by "and" to the clause before: that orders as well."""
    return not clause.before or _AFTER_AND.match(clause.before) is not None


def _question(text: str) -> Order | None:
    known = _ASKING_TO_KNOW.match(text)
    asked = text[known.end() :] if known else text
    subject, _, rest = asked.partition(" ")
    verb, _, rest = rest.partition(" ")
    inverted = f"{verb} {subject} {rest}" if known else asked  # "if it will rain"
    within = _VERB_WITHIN.match(asked) if known else None
    if within is not None:  # "whether the train to Leeds is delayed"
        inverted = f"{within[2]} {within[1]} {within[3]}"
    for name, deed in DEEDS.items():
        if deed.questions is not None and (
            deed.questions.match(asked) or deed.questions.match(inverted)
        ):
            return Order("question", name)
    return None


def _is_asked(text: str) -> bool:
    """Whether a clause asks by its word order: "do I have a dog", "have you heard any music"."""
    first, _, rest = text.partition(" ")
    second = rest.split(" ", 1)[0]
    return first in AUXILIARIES and (first != "do" or second not in {"the", "some", "all"})


def _ellipsis(text: str) -> Order | None:
    bare = _POLITE_END.sub("", text)
    if len(bare.split()) > LONGEST_ELLIPSIS:
        return None
    for name, deed in DEEDS.items():
        if deed.ellipses is not None and (
            deed.ellipses.fullmatch(bare) or deed.ellipses.fullmatch(text)
        ):
            return Order("ellipsis", name)
    return None


def _requested(text: str, scope: str, told: str) -> Order | None:
    for pattern in (_ASKING_ING, _ASKING):
        asking = pattern.match(text)
        if asking is not None:
            deed = _after_asking(text, scope, asking.end(), gerund=pattern is _ASKING_ING)
            deed = deed or _referred_to(_without_adverbs(text, asking.end()), told)
            return None if deed is None else Order("request", deed)
    if _KNOWLEDGE.match(text):
        return None
    within = _ASKING_WITHIN.search(text)
    if within is not None:
        deed = _after_asking(text, scope, within.end(), gerund=False)
        deed = deed or _referred_to(_without_adverbs(text, within.end()), told)
        return None if deed is None else Order("request", deed)
    return None


def _after_asking(text: str, scope: str, at: int, *, gerund: bool) -> str | None:
    phrase = _without_adverbs(text, at)
    if "ever" in text[at : len(text) - len(phrase)].split():  # "could you ever drive there"
        return None
    at = len(text) - len(phrase)
    rest = scope[at:]
    if gerund:
        return _deed_of_form(rest, phrase)
    if _GENERAL.match(phrase):
        return None
    deed = _deed_of(rest, phrase)
    if deed is None and text[:at].endswith("if you "):  # "if you turned it off"
        return _deed_of_form(rest, phrase)
    return deed


def _without_adverbs(text: str, at: int) -> str:
    adverbs = _ADVERBS.match(text, at)
    return text[adverbs.end() if adverbs else at :]


def _referred_to(phrase: str, told: str) -> str | None:
    """The deed of a verb phrase whose thing was named before: "lock it", "fire that off"."""
    match = _REFERRING.match(phrase)
    if match is None or match["verb"] in _VAGUE_VERBS or _states(_words(phrase)):
        return None
    if _TALK is not None and _TALK.match(phrase):
        return None
    words = _WORDS.findall(told)
    named = (_first_noun(words[at : at + 2], match["verb"]) for at in reversed(range(len(words))))
    return next((name for name in named if name and name not in _NOT_REFERRED_TO), None)


def _deed_of_form(scope: str, text: str) -> str | None:
    """The deed of a verb phrase whose verb ends in -ing or -ed."""
    first, _, after = text.partition(" ")
    for base in possible_bases(first)[1:]:
        deed = _deed_of(f"{base} {scope.partition(' ')[2]}", f"{base} {after}")
        if deed is not None:
            return deed
    return None


def _wished(text: str) -> Order | None:
    wish = _WISH.match(text)
    if wish is None:
        return None
    what = wish["what"]
    wanted = _WANTED.match(what)
    if wanted is not None:
        name = next(name for name, found in wanted.groupdict().items() if found)
        return Order("wish", name)
    state = None
    for state in _STATE.finditer(what):  # noqa: B007 - the last one counts
        pass
    if state is None or what.startswith(("to ", "you ")):
        return None
    found = _noun(_words(what[: state.start()]), None)
    return None if found is None else Order("wish", found)


def _deed_of(scope: str, text: str) -> str | None:
    """The deed that a verb phrase orders; ``scope``: with what follows its clause. None: talk."""
    for name, deed in DEEDS.items():
        if deed.phrases is not None and deed.phrases.match(scope):
            return name
    if _TALK is not None and _TALK.match(text):
        return None
    words = _words(scope)
    if len(words) < 2 or _states(words):
        return None
    verb = words[0]
    found = _noun(words[1:], verb)
    if found is not None:
        return found
    for name, deed in DEEDS.items():
        if (verb in deed.alone and not _counts(words)) or (
            deed.fallbacks is not None and deed.fallbacks.match(scope)
        ):
            return name
    colloquial = _COLLOQUIAL.match(scope)
    if colloquial is None:
        return None
    rest = scope[colloquial.end() :]
    plain = (_deed_of(f"{verb} {rest}", f"{verb} {rest}") for verb in ("put", "turn"))
    return next((name for name in plain if name is not None), None)


def _counts(words: list[str]) -> bool:
    """Whether a verb is a noun with its number: "message 2"."""
    return len(words) == 2 and words[1].isdigit() and len(words[1]) <= 2


def _states(words: list[str]) -> bool:
    """Whether what looks like a verb is a noun of a statement: "play is how children learn"."""
    return words[1] not in _ASKING_WORDS and not _BE.isdisjoint(words[1:3])


def _noun(words: list[str], verb: str | None) -> str | None:
    """The deed of the first thing that is named; ``verb``: what is done to it. A place counts only
    where nothing else is named: "the radio in the kitchen"."""
    things = [word for word in words if word not in _PLACES]
    return _first_noun(things, verb) or _first_noun(words, verb)


def _first_noun(words: list[str], verb: str | None) -> str | None:
    for word, after in zip(words, [*words[1:], ""], strict=False):
        if after in _HEADS:  # "the laundry timer"
            continue
        for name, deed in DEEDS.items():
            if verb is not None and verb not in deed.verbs:
                continue
            if f"{word}-{after}" in deed.nouns or word in deed.nouns:
                return name
    return None


def _words(text: str) -> list[str]:
    end = _ANOTHER_CLAUSE.search(text)
    return _WORDS.findall(text[: end.start()] if end else text)[: MOST_WORDS + 1]
