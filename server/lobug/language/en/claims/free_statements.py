"""Statements that no relation holds: which of them are worth keeping as they were said, what a
later one says is over, and which of them answers a question. English. Pure.

"I owe Sandra twenty pounds" is of no relation, and yet it is to be known, put right and asked for.
Two such statements are compared by their words: whom they are about, what they have in common, and
whether the later one tells of a change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from lobug.language.claims import USER
from lobug.language.en import speech_acts, standalone_statements, summaries, verbs, words
from lobug.language.en.claims import clause_parser
from lobug.language.en.claims.lexicon import starts_verb, tokens
from lobug.language.en.claims.openings import OPENING_WORDS
from lobug.language.en.claims.question_parser import ASKING, UNSPLIT
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.values import NUMBER
from lobug.language.en.data import word_map, word_set
from lobug.language.en.perspective import about_the_user, said_to_the_user

FEWEST_WORDS = 2
MOST_WORDS = 24
SHORT = 9
"""Words of a statement that may be without a name or number."""
TELLING = 2.0
"""Weight from which a longer one is a fact, as of ``summaries.telling``."""

NOT_ASKED_FOR = words.stems(word_set("free_statements", "not_asked_for"))
"""Stems of words that an answer need not have: "kind", "many", "name"."""
NOT_KEPT = word_set("free_statements", "not_kept")
"""Verbs in the first person that tell of the talk or of a mood: "I think", "I wonder"."""
PASSING = word_set("free_statements", "passing")
"""What one is for an hour: "tired", "hungry"."""
EPISODES = word_set("free_statements", "episodes")
"""Past forms that say what is so since: "bought", "put"."""

FIELDS: Mapping[str, frozenset[str]] = {
    word: field
    for words_of in word_map("free_statements", "fields").values()
    for field in [frozenset(words.stems(words_of.split()))]
    for word in field
}
"""Stems of words that tell of the same: "work", "job" and "boss"."""
_OPINION = re.compile(
    r"(?:what do (?:i|we) think (?:of|about)|how do (?:i|we) feel about"
    r"|what(?:['\u2019]?s| is) my opinion (?:of|on|about)|do (?:i|we) get on with)\b",
    re.IGNORECASE,
)
_ATTITUDE = re.compile(
    r"\b(?:(?:dis)?likes?|loves?|hates?|adores?|fond|fancy|fancies|stand|thinks?|respects?"
    r"|(?:dis)?trusts?|admires?|gets? on|fed up|annoy\w*|despises?|misses)\b",
    re.IGNORECASE,
)
_TO_LOBUG = re.compile(r"\b(?:you|your|yours|yourself|lo[- ]?bug)\b", re.IGNORECASE)
_SPEAKER = re.compile(
    r"\b(?:i|i['\u2019](?:m|ve|d|ll)|im|ive|we|we['\u2019](?:re|ve|d|ll)|weve|my|our|me|us|mine)\b",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"(?!(?:to|yester)?day|tomorrow|tonight|it|that|this|there|what|who|when|where|how|why|you|he|she"
    r"|they|christmas|easter|all|every|no)(?P<what>(?:[a-z][\w'\u2019-]*\s){1,4}?)(?:is|are|has|starts?|begins?"
    r"|closes?|opens?|ends?|finish(?:es)?|leaves?|moved|changed)"
    r"(?:\s(?:now|always|been|changed|moved|to|on|at|every|each|in|from|only))*\s",
    re.IGNORECASE,
)
""" "Bin day is on ...": of what a household has, before a time."""
_OWNED = re.compile(
    r"(?:(?:my|our|the|his|her|their) (?P<noun>[\w' -]{1,40}?)|(?P<name>[A-Z][\w-]+))"
    r"(?:['\u2019]s)?"
    r" (?:is|are|was|were|has|have|had|does|do|did|got|gets?|goes|go|went|will|can|isn|aren|wasn"
    r"|doesn|don|hasn|never|no|now|only|just|always|usually|\w+ed|comes?|came|broke|left|lost)\b"
)
_NOW_ONLY = re.compile(
    r"\b(?:right now|just now|at the moment|in a (?:minute|moment|second|bit)|this (?:morning"
    r"|afternoon|evening)|today|tonight|yesterday|last night)\b",
    re.IGNORECASE,
)
_GOING_ON = re.compile(
    r"^(?:i['\u2019]?m|i am|we['\u2019]re|we are) (?:just |only |still )?"
    r"(?!(?:saving|building|restoring|renovating|writing|training|revising|fostering|designing"
    r"|applying)\b)[a-z]+ing\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"^(?:maybe|perhaps|probably|possibly|i (?:don['\u2019]?t )?(?:think|believe|guess|suppose"
    r"|reckon|assume|suspect|doubt|hope|bet))\b|\b(?:might|may|could|would|should|if|wish)\b"
    r"|^(?:\w+ ){1,3}(?:says?|said|thinks?|thought|tells?|told|believes?|claims?)\b",
    re.IGNORECASE,
)
"""A statement that nobody vouches for, or that is of somebody else."""
_OF_THE_TALK = re.compile(
    r"(?:i|we)(?:['\u2019]ve| have)? (?:have|had|got|have got) (?:a |an |no |some |another |one )?"
    r"(?:more |good |bad |great )?(?:quick )?(?:news|questions?|idea|clue|feeling|minute|moment"
    r"|point|time|headache|hunch"
    r"|request|favou?r|favou?r to ask)\b"
    r"|(?:i['\u2019]?m|i am) (?:on my way|in (?:a meeting|the (?:bath|shower|car|kitchen))|in a"
    r" (?:hurry|rush|bad mood|good mood)|at the (?:moment|shops?|station))\b"
    r"|(?:i|we) (?:got|get) (?:up|home|back|there|here|an? (?:email|call|letter|message))\b"
    r"|(?:i|we) (?:put|phrased|worded|said|explained|expressed|typed|spelled|spelt|wrote|meant)"
    r" (?:that|it|this)\b"
    r"|(?:i|we) (?:love|like|hate|get|got|did|do|did) (?:it|that|this|them)$"
    r"|nobody\b|no one\b",
    re.IGNORECASE,
)
"""What is about the talk, or over in an hour."""
_QUESTION = re.compile(
    r"(?:what|who|where|when|how|which|why|whose|whom)(?:['\u2019]?s|['\u2019]re|re)?\b"
    r"|(?:do|does|did|am|is|are|was|were|can|could|will|would|should|have|has|had)(?:n['\u2019]?t)?"
    r" (?:i|we|my|our|the|he|she|it|they|there)\b|(?:do|does|did) ",
    re.IGNORECASE,
)
_JOINED = re.compile(r"(?:,? and|,? but|;|:)\s+(?=(?:i|we|my|our)\b)", re.IGNORECASE)
_BEGINS = re.compile(
    r"(?:i|we|im|ive|weve|i['\u2019]\w+|we['\u2019]\w+|my|our|the|all the|me and \w+|mums?|dads?"
    r"|(?P<name>(?-i:[A-Z])[\w-]+)(?:['\u2019]s)?) ",
    re.IGNORECASE,
)
"""Opens a statement about the speaker, theirs, or somebody by name."""
_OF_THE_WORLD = re.compile(r"the \w+ of (?-i:[A-Z])", re.IGNORECASE)
""" "The capital of Australia"."""
_EVALUATES = re.compile(
    r"\b(?:super|really|truly|totally|such|amazing|awesome|wonderful|incredible|great|tough|fun"
    r"|rewarding|important|welcoming|inspiring|dreams?|goals?|journey|passion\w*|feel(?:s|ing)?"
    r"|gonna|wanna|gotta|hopefully|we can|talked|chatted|spoken)\b",
    re.IGNORECASE,
)
_IS = re.compile(
    r"['\u2019]s (?:in|on|at|with|under|behind|by|off|over|not|now|from|gone|called|always)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^(?:(?:i|we) (?:want|would like|['\u2019]d like) to\b|(?:i|we)['\u2019]d\b"
    r"|(?:i|we) would\b|let['\u2019]?s\b|let me\b|i['\u2019]?ll\b|i will\b)",
    re.IGNORECASE,
)
_DUTY = re.compile(r"(?:i|we)(?:['\u2019]ve)? (?:need|have|got) to\b", re.IGNORECASE)
"""What has to be done, which is kept with its time: "I have to see the dentist on Friday"."""
CHANGE = re.compile(
    r"(?:n['\u2019]t\b|\b(?:not|never|no longer|no more|any ?more|any longer|now|from now on"
    r"|these days|instead|only|new|back|over|off|gone|cancel\w*|call(?:ed)? off|stop(?:ped)?"
    r"|quit|gave up|given up|drop(?:ped)?|finish(?:ed)?|end(?:ed)?|broke(?:n)?|die[ds]?|dead|sold"
    r"|lost|threw|thrown|moved?|chang(?:e|ed|ing)|switch(?:ed)?|swap(?:ped)?|replac\w+"
    r"|reschedul\w+|postpon\w+|put|healed|cured|better|recovered|shaved|cut|lasered|retired"
    r"|left|without|rid of|became|become|turned|bought|paid|repaid|returned|settled|born|found"
    r"|rehomed|c[ao]me (?:home|back|out)|shaved|outgrown|outgrew|ditched|scrapped"
    r"|fixed|mended|repaired|flogged|binned|chucked|offloaded|junked|dropped out"
    r"|f[ae]ll(?:en)? (?:out|off|through|apart)|taken (?:out|off|away)|removed|closed|shut"
    r"|took (?:\w+ ){1,4}(?:out|away|off|down)|used up|run out|ran out|renewed|extended"
    r"|dont|doesnt|isnt|arent|cant|havent|hasnt"
    r"|didnt|wont))\b",
    re.IGNORECASE,
)
"""Words of a statement that says what has become otherwise."""
_NOTED = re.compile(r"\b[Tt]he user(?P<owner>['\u2019]s)?(?=\W|$)")
TIME = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|spring|summer|autumn|winter|christmas|easter"
    r"|mornings?|evenings?|afternoons?|nights?|noon|midnight|midday|weekends?|week|month|year|days?"
    r"|years|months|weeks|hours?|minutes?|tomorrow|half|quarter|o['\u2019]?clock|every|daily|weekly"
    r"|monthly|yearly|since|until|till|ago|am|pm|from now on|now)\b|\d{1,2}[:.]\d\d"
    r"|\b(?:19|20)\d\d\b",
    re.IGNORECASE,
)
DATED = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|spring|summer|autumn|winter|christmas|easter"
    r"|mornings?|evenings?|afternoons?|noon|midnight|weekends?|(?:19|20)\d\d|\d{1,2}[:.]\d\d"
    r"|(?:for|since|every|each) (?:the )?(?:\w+ )?(?:years?|months?|weeks?|days?|other))\b",
    re.IGNORECASE,
)
"""Phrases of time that mean the same later, or can be counted from the day on which they were
said."""
_CLOCK = re.compile(
    rf"\b(?:at|by|from|until|till|around|to|past) (?:{NUMBER.pattern})", re.IGNORECASE
)
_PLACE = re.compile(
    r"\b(?:in|on|at|under|behind|next to|near|inside|with|by|into|onto|above|below|beside|between"
    r"|from|to|upstairs|downstairs|outside|home|there|here|round|over)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"^(?:when|since when|until when|how long|how often|(?:at |on |in )?(?:what|which)"
    r" (?:time|day|date|month|year))\b",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"^(?:where|in (?:what|which)|(?:what|which) (?:floor|room|street|place))", re.I
)
_WHEREABOUTS = re.compile(
    r"^where(?:'s| is| are| was| were)\b|\b(?:leave|left|put|keep|kept|store|hide|lend|go|gone)\b",
    re.IGNORECASE,
)
"""A question of where something is."""
_HOW_MANY = re.compile(r"^how (?:many|much|old|big|tall|far|high|large|long)\b", re.IGNORECASE)
_WHO = re.compile(r"^(?:who|whom|whose|(?:with|for|to|from) whom?)\b", re.IGNORECASE)
_CALLED = re.compile(r"\b(?:called|named|names?)\b", re.IGNORECASE)
_NAMED = re.compile(r"(?i:\b(?:called|named|names?|and)\b)|[,:]|(?<!^)\b[A-Z]")
"""What a statement has that tells a name."""
_ASKS_FOR = re.compile(r"^(?:what|which|who|whom|whose|where|when|why|how|since|until)\b", re.I)
_DEFINITE = re.compile(r"\bthe \w", re.IGNORECASE)
_FOR_ADVICE = re.compile(
    r"(?:(?:what|where|who|when|how|which \w+) )?(?:shall|should|could|would|can|may|will|must)\b",
    re.IGNORECASE,
)
_USER_ACTS = re.compile(r"\b(?:do|did|have|am) (?:i|we)\b", re.IGNORECASE)


def kept(sentence: str) -> str | None:
    """A statement that is worth keeping, without the words that open it; None: it tells of the talk
    itself, of a mood, of what goes on now or what happened once."""
    text = _unopened(sentence)
    if not FEWEST_WORDS <= len(text.split()) <= MOST_WORDS or not content(text):
        return None
    if _is_of_the_talk(text) or speech_acts.is_question(sentence):
        return None
    if _DUTY.match(text) and not DATED.search(text):
        return None
    changes = CHANGE.search(text) is not None
    if not _is_about_theirs(text) or not _has_verb(text):
        return None
    plain = changes and not _EVALUATES.search(text)
    if not plain and (standalone_statements.points(text) or not _is_concrete(text)):
        return None
    going_on = _GOING_ON.match(text) is not None and TIME.search(text) is None
    if not changes and (going_on or _NOW_ONLY.search(text)):
        return None
    return None if _is_passing(text, changes=changes) else text


def _is_of_the_talk(text: str) -> bool:
    """Whether a text asks, wants or supposes something, or speaks of the talk or to Lo-Bug."""
    if "?" in text or speech_acts.is_small_talk(text):
        return True
    signs = (_QUESTION.match, _REQUEST.match, _OF_THE_TALK.match, _UNSURE.search, _TO_LOBUG.search)
    return any(sign(text) for sign in signs)


def _is_about_theirs(text: str) -> bool:
    """Whether a statement is about the speaker, theirs, or somebody by name."""
    if _is_event(text):
        return True
    begins = _BEGINS.match(text)
    if begins is None or _OF_THE_WORLD.match(text):
        return False
    named = begins["name"]
    # "Lucinda owes me sixty pounds": whoever has to do with the speaker.
    return not named or relation_book().is_first_name(named) or _SPEAKER.search(text) is not None


def _is_event(text: str) -> bool:
    """Whether it says when something is of which only the noun is said: "bin day is Tuesday"."""
    match = _EVENT.match(text)
    if match is None:
        return False
    return DATED.match(text, match.end()) is not None or _OVER.search(text) is not None


def _has_verb(text: str) -> bool:
    """Whether a text is more than a noun phrase."""
    found = tokens(text)
    if len(found) > 1 and found[0].low in {"i", "we"}:
        return True
    return (
        _IS.search(text) is not None
        or CHANGE.search(text) is not None
        or any(starts_verb(found, at) for at in range(1, len(found)))
    )


def timed(sentence: str, facts: str) -> str | None:
    """A statement that was read, where the sentences of its claims lack a time of it that will mean
    the same later: "we got married in 1987" of "the user is married"."""
    times = {word.lower() for word in DATED.findall(sentence)}
    if not times - {word.lower() for word in DATED.findall(facts)}:
        return None
    text = _unopened(sentence)
    return text if len(text.split()) <= MOST_WORDS and not _TO_LOBUG.search(text) else None


def _unopened(sentence: str) -> str:
    text = sentence.strip()
    match = OPENING_WORDS.match(text)
    while match is not None and match.end() < len(text):
        text = text[match.end() :]
        match = OPENING_WORDS.match(text)
    return text.rstrip(" .!,;")


def is_mood(value: str) -> bool:
    """Whether what somebody is passes within hours: "late"."""
    said = words.WORD.findall(value.lower())
    return not said or said[0] in PASSING or said[-1] in PASSING


def _is_concrete(text: str) -> bool:
    """Whether a statement tells a fact, not what somebody thinks of it: short and plain, or with
    names, numbers or people."""
    short = len(text.split()) <= SHORT and not _EVALUATES.search(text)
    return short or summaries.telling(about_the_user(text)) >= TELLING


def _is_passing(text: str, *, changes: bool) -> bool:
    """Whether a statement tells of a mood, of the talk, or of an episode."""
    said = words.WORD.findall(text.lower())
    if said[0] in {
        "i",
        "we",
        "i'm",
        "im",
        "i've",
        "ive",
        "we're",
        "we've",
        "i\u2019m",
        "i\u2019ve",
    }:
        after = [word for word in said[1:5] if word not in verbs.ADVERBS and word != "am"]
        verb = after[0] if after else ""
        if verb in NOT_KEPT | PASSING:
            return True
        return _is_over(verb) and not changes
    return any(map(_is_over, said[:6])) and not changes


def _is_over(word: str) -> bool:
    """Whether a verb tells of what happened once, from which nothing follows for now."""
    past = verbs.is_past(word) or word in {"had", "was", "were", "did"}
    return past and word not in EPISODES


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[str]:
    """The stems of what a statement or a question is about."""
    return frozenset(words.stems(words.content_words(_spoken(text))) - NOT_ASKED_FOR)


@lru_cache(maxsize=4096)
def _about(text: str) -> frozenset[str]:
    """The stems of whom or what a statement is about; empty: of the speaker."""
    clauses = clause_parser.parse(_spoken(text)).clauses
    if clauses:
        phrase = clauses[0].subjects[0]
        if any(one.path == USER for one in clauses[0].subjects):
            return frozenset()
        whom = " ".join(part.split(":")[0] for part in phrase.path if part != "user")
        return content(whom) or content(phrase.name or "")
    match = _OWNED.match(_spoken(text))
    if match is not None:
        return content(match["noun"] or match["name"])
    event = _EVENT.match(text)
    return frozenset() if event is None else content(event["what"])


@lru_cache(maxsize=4096)
def _owners(text: str) -> frozenset[str]:
    """The stems of those to whom belongs what a statement is about, other than the speaker."""
    clauses = clause_parser.parse(_spoken(text)).clauses
    path = clauses[0].subjects[0].path if clauses else ()
    return content(" ".join(part.split(":")[0] for part in path[:-1] if part != "user"))


def _spoken(text: str) -> str:
    """A note about the user in the first person, near enough to see what it is about."""
    return _NOTED.sub(lambda match: "my" if match["owner"] else "I", text)


def _lasting(text: str) -> frozenset[str]:
    """The stems of a statement without numbers and times, which change."""
    bare = NUMBER.sub(" ", TIME.sub(" ", text))
    return content(" ".join(bare.split())) or content(text)


def _changes(text: str) -> frozenset[str]:
    """The stems of the words of a statement that tell of a change."""
    return content(" ".join(match.group() for match in CHANGE.finditer(text)))


def parts(sentence: str) -> list[str]:
    """The statements that are joined in a sentence: "I sing in a choir, and I swim on Sundays"."""
    found = _JOINED.split(sentence)
    return found if all(kept(part) is not None for part in found) else [sentence]


def overtakes(later: str, earlier: str, *, corrects: bool = False) -> bool:
    """Whether a statement says that an earlier one, of the first or the third person, is no longer
    so. ``corrects``: it says that something was wrong."""
    if not (corrects or CHANGE.search(later)):
        return False
    said, before = content(later), _lasting(earlier)
    shared = said & before
    only = said - _changes(later) <= before  # "the Fiat's gone, too"
    if not shared or not (only or len(shared) >= len(before) // 2):
        return False
    subject, former = _about(later), _about(earlier)
    if subject == former:
        return True
    # "The party is off" is about the party of "we have a party", not of "my sister has a party".
    return subject <= content(earlier) and former <= said


def asked_words(question: str) -> list[str]:
    """The words of a question that what answers it must have."""
    return [word for word in words.content_words(question) if words.stem(word) not in NOT_ASKED_FOR]


def answers(question: str, statement: str) -> bool:
    """Whether a statement tells what a question asks: it has all of its words, and a time, place or
    number where that is asked for."""
    asked = UNSPLIT.sub(r"\1 is", question.strip(" ?!."))
    opinion = _OPINION.match(asked)
    if opinion is not None and _ATTITUDE.search(statement) is None:
        return False
    wanted = content(asked[opinion.end() :] if opinion else asked)
    told = content(statement)
    for kind, those in _kinds().items():
        told = told | {kind} if told & those else told
    if not wanted or not wanted <= told or not _is_of_asked(asked, wanted, statement):
        return False
    if opinion is not None or not _ASKS_FOR.match(asked):
        return True
    return _has_value(asked, " ".join(statement.split()), more=told > wanted)


@lru_cache
def _kinds() -> Mapping[str, frozenset[str]]:
    """Kinds of things that a question may ask for, and what is of them, as stems."""
    pets = frozenset(words.stems(relation_book().pets))
    currencies = frozenset(words.stems(word_set("free_statements", "currencies")))
    return {
        **dict.fromkeys(words.stems(["animal", "pet"]), pets),
        words.stem("money"): currencies,
    }


def _is_of_asked(asked: str, wanted: frozenset[str], statement: str) -> bool:
    """Whether a statement may be about whom a question is about."""
    if _FOR_ADVICE.match(asked) or _TO_LOBUG.search(ASKING.sub("", asked)):
        return False
    about = _about(statement)
    whom = frozenset() if _WHO.match(asked) else about
    if not _owners(statement) | whom <= wanted:
        return False  # "my sister's dog" is not my dog, and what she plays tells nothing of me
    if "owe" in wanted and bool(about) == (_USER_ACTS.search(asked) is not None):
        return False  # "I owe Ann" is not "Ann owes me"
    # "How many people live in Hamburg?" asks nothing of the user.
    return bool(about or _SPEAKER.search(asked) or _DEFINITE.search(asked))


def _has_value(asked: str, statement: str, *, more: bool) -> bool:
    """Whether a statement has what the question asks for; ``more``: it says more than that."""
    if _WHEN.match(asked):
        return TIME.search(statement) is not None or _CLOCK.search(statement) is not None
    if _HOW_MANY.match(asked):
        return NUMBER.search(statement) is not None
    if _WHERE.match(asked):
        places = {match[0].lower() for match in _PLACE.finditer(statement)}
        # "I live with two cats" says nothing of where, "my key is with Ann" does.
        return bool(places if _WHEREABOUTS.search(asked) else places - {"with"})
    if _CALLED.search(asked):
        return _NAMED.search(statement) is not None
    # "I work as a nurse" says nothing of who I work for.
    if _WHO.match(asked):
        return " as a" not in statement
    return more


def tells(topic: str, sentence: str) -> bool:
    """Whether a sentence tells what a topic names: of each of its words it has one of the same
    field, and it is about the user or about what the topic names."""
    wanted = content(topic)
    fields = [FIELDS.get(word, frozenset({word})) for word in wanted]
    told = content(sentence)
    if not fields or not all(told & field for field in fields):
        return False
    return _about(sentence) <= frozenset().union(*fields)


def ends(statement: str, question: str) -> bool:
    """Whether a statement that has the words of a question says that it is over: "I've stopped
    ballet, I do street dance" of "do I do ballet?"."""
    wanted = content(question.strip(" ?!."))
    if _ASKS_FOR.match(question.strip()) or _OVER.search(question):
        return False
    part = next((one for one in _PARTS.split(statement) if wanted <= content(one)), "")
    return _OVER.search(part) is not None


_PARTS = re.compile(r"[,;]\s*(?:and |but |so |now )?| (?:and|but|so|because) ", re.IGNORECASE)
_OVER = re.compile(
    r"\b(?:any ?more|any longer|no longer|no more|stop(?:ped)?|quit|g[ai]ven? up|finish(?:ed)?"
    r"|cancel+ed|called off|is off|is over|dropped|dropped out|done with|packed in|got rid of"
    r"|sold)\b",
    re.IGNORECASE,
)


def noted(statement: str) -> str:
    """A statement as memory stores it: "The user owes Sandra twenty pounds"."""
    return about_the_user(statement)


def told(statement: str) -> str:
    """A statement as the user is told it, to stand within a sentence: "you owe Sandra twenty
    pounds"."""
    return said_to_the_user(about_the_user(statement))
