"""Questions that only the user could have answered, whatever they ask: "have I got a driving
licence?", "which school did my mum go to?". English. Pure.

Memory that cannot answer such a question says so; a chat model would make something up. What may
be asked of the world, of the talk, of the home or for advice is left alone: where people ask the
same words of both, little is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from lobug.language.en import speech_acts
from lobug.language.en.claims.indirect_questions import (
    Question,
    parse,
    plain,
    spoken,
    who_did,
)
from lobug.language.en.claims.lexicon import BE, DO, HAVE, TITLES, lemma, tokens
from lobug.language.en.claims.question_parser import ASKING, OPENING
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.statement_comparison import TIME, content
from lobug.language.en.claims.values import NUMBER
from lobug.language.en.data import CLAIM_ANSWERS as SAY
from lobug.language.en.data import word_set

_LASTING_HABITS = word_set("untold", "lasting_habits")
_HABITS = word_set("untold", "habits") | _LASTING_HABITS
_INSTRUCTING = word_set("untold", "instructing")
_TALK = word_set("untold", "talk")
_AT_THE_DOOR = word_set("untold", "at_the_door")
_EVALUATING = word_set("untold", "evaluating")
_NEEDING = word_set("untold", "needing")
_PASSING = word_set("untold", "passing")
_OF_ASSISTANT = word_set("untold", "of_assistant")
_OF_FORTUNE = word_set("untold", "of_fortune")
_OF_MANKIND = word_set("untold", "of_mankind")
_OF_THE_BODY = word_set("untold", "of_the_body")
_STATES = word_set("untold", "states")
_INVENTING = word_set("untold", "inventing")
_FACTS = word_set("untold", "facts")
_PLANS = word_set("untold", "plans")
_MEASURES = word_set("untold", "measures")
_LIVELY = word_set("untold", "lively")
_HOW_IT_CAME = word_set("untold", "how_it_came")
_SHARED = word_set("untold", "shared")

_POINTING = frozenset("you your yours it that this these those them if because".split())
"""What is asked of Lo-Bug, of what was said before, or of a case that is supposed."""
_FOR_A_FACT = frozenset("what which who whom where when".split())
_ARTICLES = frozenset({"a", "an"})
_BABIES = frozenset({"baby", "babies", "toddler", "newborn"})
_PLACED = frozenset("in at on from with under near".split())
_ME = frozenset({"me", "us"})
_MINE = _ME | {"my", "our"}
_HOW_MANY = re.compile(r"how (?:many|much) (?P<what>(?!do\b|does\b|did\b)[\w-]+)", re.IGNORECASE)
_ASKED_FOR = (
    (
        re.compile(r"(?:when|what time|(?:what|which) day|how long|since when)\b", re.IGNORECASE),
        re.compile(rf"{TIME.pattern}|\d|\bfor (?:an?|the|all)\b|fortnight", re.IGNORECASE),
    ),
    (re.compile(r"how (?!long\b)\w+", re.IGNORECASE), NUMBER),
    (re.compile(r"(?:what|which|who)\b", re.IGNORECASE), re.compile(r"(?<=[a-z,] )[A-Z]\w+")),
    (
        re.compile(r"where\b", re.IGNORECASE),
        re.compile(r"\b(?:in|at|on|from|to|near|next)\b", re.I),
    ),
)
"""How a time, a number, a name or a place is asked for, and what a sentence has that tells one."""


def unknown(question: str, names: Collection[str] = ()) -> str:
    """The answer to a question that memory cannot answer, where nothing else could: "You haven't
    told me how much you owe Patrick."; empty: it may be a question of the world. ``names``: of
    people and animals that the user has spoken of, in small letters."""
    body = plain(question)
    asks = speech_acts.is_question(body) or speech_acts.is_question(question)
    if not asks and ASKING.match(OPENING.sub("", question)) is None:
        return ""
    said = {token.low for token in tokens(body)}
    if said & (_POINTING | _NEEDING) or ("our" in said and said & _OF_MANKIND):
        return ""
    asked = parse(body)
    if asked is None:
        topic = _whoever(body)
    else:
        topic = asked.indirect() if _is_theirs(asked, names) else ""
    return SAY["unknown"].format(topic=topic) if topic else ""


def named(question: str) -> tuple[str, bool]:
    """The name of whom or what a question is about, in small letters, and whether people have that
    name; empty: it is about nobody by name."""
    asked = parse(plain(question))
    if asked is None or asked.whose != "named":
        return "", False
    return _name(asked), asked.subject[0].low in TITLES or _is_first_name(asked)


def may_tell(question: str, sentence: str) -> bool:
    """Whether a sentence may answer such a question in a way that no rule can read: it has half of
    its words, all of its names and what is counted, and what is asked for."""
    body = plain(question)
    counted = _HOW_MANY.match(body)
    asked = [token.text for token in tokens(body)[1:] if token.is_name]
    asked += [counted["what"]] if counted is not None else []
    wanted, told = content(body), content(sentence)
    if not content(" ".join(asked)) <= told or not 0 < len(wanted) <= 2 * len(wanted & told):
        return False
    if body.lower().startswith("where ") and not wanted <= told:
        return False
    return any(asks.match(body) and tells.search(sentence) for asks, tells in _ASKED_FOR)


def lacks(question: str, sentence: str) -> bool:
    """Whether a question asks for a time or a number that a sentence does not have."""
    body = plain(question)
    found = [tells for asks, tells in _ASKED_FOR[:2] if asks.match(body)]
    return bool(found) and not any(tells.search(sentence) for tells in found)


def _whoever(body: str) -> str:
    """ "Who taught you to swim" of "who taught me to swim?"."""
    found = who_did(body)
    if found is None:
        return ""
    verb, said = found
    low = {token.low for token in said}
    others = _INVENTING | _TALK | _AT_THE_DOOR
    return spoken(said) if low & _MINE and verb not in others else ""


def _is_theirs(asked: Question, names: Collection[str]) -> bool:
    """Whether only the user could have told what is asked."""
    wh = asked.wh.lower()
    told = {"how": _HOW_IT_CAME, "why": _LIVELY}.get(wh)
    if told is not None and not (asked.aux == "did" and asked.verb in told):
        return False
    counted = set(wh.split()) - {"time"}
    if (asked.said | counted) & _OF_THE_BODY or counted & _PASSING:
        return False
    if asked.verb in _TALK or lemma(asked.verb) in _TALK:
        return False
    match asked.whose:
        case "user":
            return _is_of_user(asked)
        case "us":
            return _is_of_us(asked)
        case "thing":
            return _is_of_thing(asked)
        case "named":
            return _is_known(asked, names) and _is_of_person(asked)
        case "person":
            return _is_of_person(asked)


def _is_of_user(asked: Question) -> bool:
    """ "Have I got a driving licence?", "what did I have for breakfast?"."""
    if asked.aux in BE:
        return _is_being(asked)
    if asked.aux in HAVE:
        return _is_done(asked)
    if asked.verb == "have" and not asked.is_past:
        return _is_had(asked)
    if asked.is_past:
        if (asked.said | {word.lower() for word in asked.wh.split()}) & _OF_ASSISTANT:
            return False
        seen = asked.verb in _AT_THE_DOOR and asked.wh.lower() == "who"
        judged = asked.verb == "do" and _said_of(asked, _EVALUATING)
        return not (seen or judged) and bool(asked.rest or asked.wh.lower() not in {"", "what"})
    return _is_habit(asked)


def _is_being(asked: Question) -> bool:
    """ "Am I vaccinated?", "where am I going on Saturday?", "was I in the navy?"."""
    if not asked.rest or (asked.wh.lower().startswith("how ") and not _measures(asked)):
        return False
    if asked.first == "going" or asked.first in _PLANS or asked.first == "doing":
        dated = TIME.search(spoken(asked.rest)) is not None
        goes = asked.wh.lower() in {"where", "when", "who"} and asked.first in _PLANS
        return not _said_of(asked, _EVALUATING - {"going", "doing"}) and (dated or goes)
    if _said_of(asked, _EVALUATING) or asked.first.endswith("ing"):
        return False
    within = asked.first == "in" and asked.said & {"a", "an", "the", "my", "our"}
    if asked.first in _ARTICLES or (asked.first in _FACTS - {"in", "from"}) or within:
        return True
    return asked.is_past and (asked.first in _PLACED or asked.first.endswith(("ed", "en")))


def _is_done(asked: Question) -> bool:
    """ "Have I ever been to Spain?", "how long have I played the cello?"."""
    base = lemma(asked.verb)
    if base in {"do", "make"} or not asked.rest or _said_of(asked, _EVALUATING):
        return False
    goes_on = asked.first.endswith("ing") and asked.verb == "been"
    return not goes_on or lemma(asked.first) in _HABITS | {"learn", "see"}


def _is_had(asked: Question) -> bool:
    """ "Have I got a driving licence?", "how many shoes do I have?"."""
    said = asked.said | {word.lower() for word in asked.wh.split()}
    if said & (_PASSING | _OF_ASSISTANT) or (asked.wh.lower() == "what" and not asked.rest):
        return False
    planned = asked.wh.lower() == "what" and TIME.search(spoken(asked.rest)) is not None
    return bool(asked.rest or asked.wh) and not planned


def _is_habit(asked: Question) -> bool:
    """ "Do I wear a helmet?", "how much do I charge for yoga?"."""
    if asked.verb in _LASTING_HABITS:
        return bool(asked.rest or asked.wh)
    if _said_of(asked, _EVALUATING):
        return False
    advice = asked.said & _INSTRUCTING
    if asked.rest and asked.rest[-1].low in {"to", "with", "for"}:  # "who do I work with?"
        advice -= {asked.rest[-1].low}
    if not asked.wh and asked.first in _ARTICLES:
        advice -= _ARTICLES
    return asked.verb in _HABITS and not advice and not asked.said & _OF_ASSISTANT


def _is_of_us(asked: Question) -> bool:
    """ "Where did we go on holiday?", "how long were we married?"; not "where do we come from?"."""
    if asked.said & _OF_MANKIND:
        return False
    if asked.aux in BE:
        return asked.is_past and (asked.first in _FACTS or asked.first == "together")
    if asked.aux in HAVE:
        return asked.verb == "been" and asked.first in _FACTS | {"together"}
    present = asked.verb in _SHARED & _HABITS | {"rehearse", "meet", "own", "move"}
    if not asked.is_past:
        return present and not asked.said & _INSTRUCTING
    return asked.verb in _SHARED and bool(asked.rest or asked.wh)


def _is_of_person(asked: Question) -> bool:
    """ "Which school did my mum go to?", "is my sister scared of dogs?"."""
    if _said_of(asked, _EVALUATING) or asked.said & _ME:
        return False
    going_on = asked.aux in BE and asked.first.endswith("ing")
    if going_on and asked.wh.lower() in {"", "what"}:
        return False
    if asked.verb == "want" and not asked.rest:
        return False
    if _is_of_its_kind(asked):
        return False
    if asked.wh.lower().startswith("how ") and not _measures(asked):
        return False
    return asked.aux not in BE or bool(asked.wh or asked.rest)


def _is_of_its_kind(asked: Question) -> bool:
    """Whether a question of a pet or a baby may be one of all of them: "does my cat see in the
    dark?", "what does my baby eat at six months?"."""
    usual = asked.aux in DO and not asked.is_past
    animal = asked.noun in relation_book().pets or asked.noun.rstrip("s") in relation_book().pets
    told = asked.verb in _LASTING_HABITS | {"have"}
    return usual and (animal or asked.noun in _BABIES) and not told


def _is_of_thing(asked: Question) -> bool:
    """ "When does my shift start?", "what's my passport number?"."""
    subject = {token.low for token in asked.subject}
    if subject & (_OF_ASSISTANT | _OF_FORTUNE | _OF_THE_BODY | _EVALUATING) or _said_of(
        asked, _EVALUATING
    ):
        return False
    if asked.wh.lower().startswith("how ") and not _measures(asked):
        return False
    if asked.aux in HAVE:
        return True
    if asked.aux in DO or asked.aux == "did":
        return bool(asked.wh) and asked.wh.lower() != "what"
    if not asked.rest:
        return bool(asked.wh)
    if asked.first in _STATES or asked.first.endswith("ing"):
        return False
    wh = asked.wh.lower().partition(" ")[0]
    return asked.first in _FACTS | _ARTICLES or wh in _FOR_A_FACT


def _measures(asked: Question) -> bool:
    """Whether a question with "how" asks for something that is measured or counted."""
    return asked.wh.lower().split()[1] in _MEASURES


def _said_of(asked: Question, words: Collection[str]) -> bool:
    return bool(asked.said & frozenset(words))


def _is_known(asked: Question, names: Collection[str]) -> bool:
    """Whether the user has spoken of whom a question names, or must have: nobody is known in the
    world as Helen's husband."""
    if _name(asked) in names:
        return True
    alone = len(asked.subject) > 1 and asked.subject[1].low == "'s"
    return alone and relation_book().is_kin(asked.noun) and _is_first_name(asked)


def _is_first_name(asked: Question) -> bool:
    return relation_book().is_first_name(asked.subject[0].text.capitalize())


def _name(asked: Question) -> str:
    """The name at the beginning of a subject: "helen" of "Helen's husband"."""
    said = []
    for token in asked.subject:
        if token.low in {"'s", "'"}:
            break
        said.append(token.low)
    return " ".join(said)
