"""Finds the statements of a user that can be understood without the rest. English. Pure.

Left out are answers ("I agree"), sentences without a subject ("Been there"), sentences said to
somebody ("you ..."), pronouns for what was said before, and what is true of "us" together only.
"""

from __future__ import annotations

import re

from lobug.language.en import perspective, speech_acts, verbs, words
from lobug.language.en.data import MONTHS, WEEKDAYS
from lobug.language.en.fact_checks import OTHERS
from lobug.language.en.quoting import must_be_quoted
from lobug.language.en.self_corrections import Sentence, has_number, states

USER = "The user"

SECOND_PERSON = re.compile(r"\b(?:you|your|yours|yourself|u|ya)\b|\byou['\u2019]", re.I)
PLURAL = re.compile(r"\b(?:we|us|our|ours|ourselves|we['\u2019]\w+)\b", re.I)
SINGULAR = re.compile(r"\b(?:i|me|my|mine|myself|i['\u2019]\w+)\b", re.I)
LONGEST_SENTENCE = 240
"""Characters. A longer sentence, such as one without any punctuation, is no summary."""

PRONOUN = re.compile(
    r"\b(?:he|she|they|him|her|them|his|hers|their|theirs|it|its|this|that|these|those|there|one"
    r"|ones|both|such)\b",
    re.I,
)
PERSONAL = frozenset("he she they him her them his hers their theirs it its".split())
SUBORDINATE = re.compile(
    r"\b(?:that|there)\b(?=\s+(?:i|we|he|she|they|it|my|our|the|a|an|is|are|was|were|has|have)\b)",
    re.I,
)
""" "That" and "there" that point to nothing: "I think that my ...", "there is a ..."."""
HANGING = re.compile(r"\b(?:about|with|for|behind|from|of|word about)\s$", re.I)
"""After one of these a pronoun at the end of a sentence mostly points to what was said before."""
HANGING_VERB = re.compile(r"\b(?:is|are|was|were|be|am|feels?|seems?|looks?)$", re.I)
RELATIVE = re.compile(r"(?<!\s)\s++(?!(?:too|as well|now|again|more|one|way|though)\b)\w", re.I)
A_THING = re.compile(r"\b(?i:my|our|a|an|the|some|his|her|their)\s+\w+|(?<=\w )[A-Z]\w+")
SEVERAL = re.compile(
    r"\b(?:my|our|the|some|many|two|three|four|five|these|all)\s+(?:\w+\s+)?\w+s\b"
    r"|\b(?:people|everyone|everybody|someone|somebody|folks|kids|children|parents|team|family|who)\b",
    re.I,
)
POINTING_AT_TIME = re.compile(
    r"\b(?:this|that|these|those) (?:morning|afternoon|evening|night|week|weekend|month|year|spring"
    r"|summer|autumn|fall|winter|time|days|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    r"|january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.I,
)
IMPERSONAL = re.compile(
    r"\bit(?:['\u2019]s| is| was)? (?:rain|snow|(?:takes?|took) (?:me|us|a|an|\d)|cold|hot|late)",
    re.I,
)
""" "It" that stands for nothing."""
WITHOUT_SUBJECT = re.compile(
    r"^(?:(?:just|really|also|even|still|finally|already|definitely|so|plus|now|yes|yeah)\b[\s,]*)*"
    r"(?:far|gonna|wanna|gotta|been|got|had|have(?:n['\u2019]?t)?|having|going|made|makes?|looking|trying"
    r"|following|feeling|thinking|can(?:['\u2019]?t)?|could|will|would|don['\u2019]?t|didn['\u2019]?t"
    r"|here(?:['\u2019]?s)?|there['\u2019]s|glad|happy|sorry|hope|wish|guess|agreed|thanks?|thx"
    r"|way to"
    r"|let['\u2019]?s|\w+s (?:me|us|my|how|that))\b",
    re.I,
)
"""Opens a sentence whose subject is left out: "Been there for years", "Reminds me of her"."""
ONLY_SUBORDINATE = re.compile(
    r"^(?:because|since|when|while|although|though|until|after|before|as)\b[^,]*$", re.I
)
""""Since I was seventeen": the main clause is missing."""
ADDRESSES = re.compile(
    rf",\s*(?:my )?(?!(?:{'|'.join(word.title() for word in (*MONTHS, *WEEKDAYS))})\b)"
    r"[A-Z][a-z]+[\s.!]*$"
)
"""Calls the listener by name at the end: "..., Anna". Some lists end like that, too."""
CALLS_FIRST = re.compile(r"^(?P<name>[A-Z][a-z]+),\s")
"""Perhaps calls the listener by name: "Anna, my ..."."""
OPENS = frozenset(
    "yesterday today tomorrow tonight together growing wow yes overall apparently later".split()
)
"""Words before a comma that are no names."""
INTERJECTION = re.compile(
    r"^(?:(?:yep|yup|wow|whoa|aw+|ah+|ugh|nah|hmm+|haha|omg|woohoo|yay|gosh|me too|same here"
    r"|guess what|you know what|fun fact|listen|(?:but )?seriously|honestly|to be honest"
    r"|(?:oh )?dear(?: me| oh dear)?|goodness(?: me)?|bless me|my (?:god|goodness|word))\b"
    r"[\s,.:!-]*)+",
    re.I,
)
KEEP_IT = re.compile(
    r"(?<=\w)[,;]? (?:so |and )?(?:please )?"
    r"(?:remember|note|don['\u2019]?t forget)(?: that| it| this)[.!]*$",
    re.I,
)
"""Asks to keep what was just said: "..., please remember that"."""
HABITUAL = re.compile(r"\b(?:always|usually|often|never|every|each|sometimes|normally)\b", re.I)
TOGETHER = re.compile(
    r"\b(?:together|each other|one another|let['\u2019]?s|as a (?:team|family)|this world)\b"
    r"|\bwe(?:['\u2019]re| are| were) (?:all |both )?(?:a|an|like|the|in)\b"
    r"|\bour (?:\w+ )?(?:military|veterans|education|infrastructure|future|generations?|world"
    r"|planet|society|government|lives|minds|hearts|homes|country|nation)\b"
    r"|\b(?:bring|make|help|keep|push|teach|remind|give|let)s? us\b"
    r"|\bwe(?:['\u2019]\w+)? (?:\w+ )?(?:both|all)\b|\bour collective\b|\bsince we\b"
    r"|\bwhat we (?:can|could|will|should|did|do)\b|\bboth of us\b|\ball of us\b",
    re.I,
)
"""Says of "us" what is not true of one person."""
OPINION_OF_WORDS = re.compile(
    r"^(?:(?:i|we) (?:\S+ )?(?:know|see|agree|understand|hear|mean|guess|do|did|am|was|will|would"
    r"|have|can)"
    r"(?: (?:that|so|too|what|how|it)\b.*)?"
    r"|i(?:['\u2019]m| am) (?:sorry|sure|glad|happy|not sure|just saying|kidding|joking|listening"
    r"|back|here|done|good|fine|okay|ok)\b.*"
    r"|i(?:['\u2019]m| am) (?:\S+ )?(?:keen|excited|curious|eager|dying|looking forward) to"
    r" (?:hear|see|learn|know|find)\w*\b.*"
    r"|(?:that|it|this)(?:['\u2019]s| is| was| sounds?| looks?| seems?| must| would)\b.*"
    r"|(?:sounds?|looks?|seems?)\b.*|(?:thanks|thank you|congrat)\w*.*)$",
    re.I,
)
"""Answers to what somebody else has said."""
TAG_QUESTION = re.compile(
    r",?\s(?:(?:do|does|did|am|is|are|was|were|have|has|had|can|could|will|would|should)"
    r"(?:n['\u2019]?t)? (?:i|we|you|he|she|it|they|there)"
    r"|right|correct|yeah|yes|no|eh|huh|innit|is that right|isn['\u2019]?t that right"
    r"|am i right|if i remember (?:right|rightly|correctly))(?: not)?\s*\?",
    re.I,
)
"""Makes a question of a statement: "I live in Derby, don't I?"."""
LEANS = re.compile(
    r"^(?:(?:mine|yours|his|hers|ours|theirs)\s+(?:is|are|was|were|has|had|does|did|will|would|\w+s)\b"
    r"|(?:so|neither|nor)\s+(?:do|does|did|am|is|are|was|were|have|has|had|can|will|would)\b"
    r"|(?:then|afterwards|otherwise|instead|that['\u2019]s why|after that|same)\b)"
    r"|\b(?:the )?same(?: thing)?(?=\s+(?:for|with|to|goes|happen\w*|here)\b|\s*[.!]*$)"
    r"|\b(?:some|any|every|no)(?:thing|one|body|where) else\b"
    r"|\b(?:the other|another|others|the rest|either|neither|none|otherwise|afterwards|so did \w+"
    r"|some|any|(?<!any )(?<!no )more|enough|plenty|loads|lots|a few|several|pairs|a pair"
    r"|a dozen)[\s.!]*$"
    r"|\b(?:the|my|his|her|our|their|this|another|an?|last|next|only)\s+(?:\w+\s+)?ones?\b"
    r"(?!\s+(?:of|day|time|night|morning|thing)\b)"
    r"|\bones?\s+(?:with|in|from|for|on|at|is|was|are|were|has|had|i|my)\b",
    re.I,
)
"""Words whose meaning another sentence gives: "the other one", "so does my son"."""
WITHOUT_VERB = re.compile(
    r"^(?!.*(?:,|\b(?:and|but|than|as|what|who|where|how|because|that)\b)).*"
    r"\b(?:do|does|did|have|has|had|can|could|will|would|should|is|are|was|were)"
    r"(?:n['\u2019]?t)?(?: not)?(?: too| so| either)?[\s.!]*$",
    re.I,
)
""" "My brother says don't": what, another sentence says."""
TAIL = re.compile(r",\s+(?:me|i am|i do|i have|i did|i was)(?=[\s.!]*$)", re.I)
HEADLESS_NUMBER = re.compile(
    r"\b(?:have|has|had|got|own|owns|bought|need|needs|want|wants|keep|keeps)"
    r" (?:about |only |just |around |over )?(?:\d+|[a-z]+)"
    r"(?: (?:pairs|left|more|already|now))?[\s.!]*$",
    re.I,
)
THANKS = re.compile(r"^\W*(?:(?:oh|aw+|wow|well)\b[\s,.!]*)*(?:thanks|thank you|thx|congrat)", re.I)
SELF_CORRECTION = re.compile(
    r"\b(?:no wait|wait no|i mean|or rather|sorry|no sorry|scratch that|i meant)\b", re.I
)
"""A correction inside a sentence: which half is wrong is unclear."""


def statement(said: str, speaker: str, turn: int, before: Sentence | None) -> Sentence | None:
    """A sentence that may stand in a summary; None: it states nothing that stands alone.

    ``before`` is the sentence before it in the same message, which may say whom its pronoun means.
    """
    if TAG_QUESTION.search(said):
        return None
    stated = speech_acts.statements(KEEP_IT.sub("", INTERJECTION.sub("", said)))
    if len(stated) != 1 or THANKS.match(said):
        return None
    kept = _without_tail(INTERJECTION.sub("", stated[0].strip()))
    if not words.words(kept) or len(kept) > LONGEST_SENTENCE or not states(kept):
        return None
    if _is_answer(kept) or _is_cut(kept) or _is_said_to_somebody(kept) or _is_of_several(kept):
        return None
    # "I put it in the drawer" tells of the past unless it is a habit.
    told = perspective.about_the_user(kept, past=HABITUAL.search(kept) is None)
    if HANGING_VERB.search(told):
        return None  # the last word was taken for a pleasantry: "everyone is okay"
    sentence = Sentence(kept, named(told, speaker), speaker, turn)
    if must_be_quoted(kept):
        sentence.quote = kept[:1].upper() + kept[1:].rstrip(" .,;:!-")
    pointing = _unexplained(kept) | _leaning(kept)
    if pointing:
        if before is None or before.dropped or not _explains(before.said, pointing):
            return None
        sentence.follows = before
    return sentence


def _without_tail(said: str) -> str:
    """A sentence without a "me" that only stresses its speaker: "I've a good memory, me"."""
    return TAIL.sub("", said) if perspective.is_first_person(TAIL.sub("", said)) else said


def named(told: str, speaker: str) -> str:
    """A sentence about the user with the speaker's name."""
    return re.sub(r"\b[Tt]he user\b", lambda _: speaker, told) if speaker != USER else told


def points(said: str) -> bool:
    """Whether a sentence has a pronoun for something that it does not name."""
    return bool(_unexplained(said))


def _is_answer(said: str) -> bool:
    """Whether a sentence only reacts to what somebody else has said, or corrects itself."""
    return OPINION_OF_WORDS.match(said) is not None or SELF_CORRECTION.search(said) is not None


def _is_cut(said: str) -> bool:
    """Whether a sentence lacks its subject, its main clause or its end."""
    return (
        WITHOUT_SUBJECT.match(said) is not None
        or ONLY_SUBORDINATE.match(said) is not None
        or verbs.is_past(words.words(said)[0])
        or said.rstrip().endswith(("-", "\u2014", "...", "\u2026", ",", ":"))
    )


def _is_of_several(said: str) -> bool:
    """Whether a sentence tells of "us" what is not true of one person, or what the user does to
    "us": "I believe in us" is not "the user believes in the user"."""
    found = set(words.words(said))
    together = PLURAL.search(said) is not None and TOGETHER.search(said) is not None
    # "It breaks my heart that our kids ...": "our" are not only the user's.
    return together or ("us" in found and bool(found & {"i", "we"})) or {"my", "our"} <= found


def _is_said_to_somebody(said: str) -> bool:
    """Whether a sentence speaks of its listener, or names them."""
    first = CALLS_FIRST.match(said)
    if first is not None:
        word = first["name"].lower()
        known = word in words.STOP_WORDS or word in OPENS or word.endswith(("ly", "ing"))
        if not (known or has_number(word)):
            return True
    return SECOND_PERSON.search(said) is not None or ADDRESSES.search(said) is not None


def _explains(before: str, pointing: set[str]) -> bool:
    """Whether a sentence says what the pronouns of the next one stand for."""
    if pointing == {LEANING}:
        return A_THING.search(before) is not None or SEVERAL.search(before) is not None
    return pointing <= PERSONAL and all(_tells_whom(before, word) for word in pointing)


LEANING = "leaning"


def _leaning(said: str) -> set[str]:
    """Whether a sentence lacks a noun that another sentence has, as a set for ``_explains``."""
    match = LEANS.search(said)
    number = HEADLESS_NUMBER.search(said)
    counts = number is not None and has_number(number.group())
    # "I have two cars, the red one is broken" has its noun.
    leans = match is not None and A_THING.search(said, 0, match.start()) is None
    return {LEANING} if leans or counts or WITHOUT_VERB.match(said) else set()


def _unexplained(said: str) -> set[str]:
    """The pronouns of a sentence that stand for something it does not name before; those that may
    stand for anything that anybody spoke of ("hear about it") are marked as at the end."""
    plain = POINTING_AT_TIME.sub(" ", IMPERSONAL.sub(" ", SUBORDINATE.sub(" ", said)))
    found = set()
    for match in PRONOUN.finditer(plain):
        word = match.group().lower()
        before, after = plain[: match.start()], plain[match.end() :]
        named = word in PERSONAL and not HANGING.search(before) and _tells_whom(before, word)
        # "The house that I sold", "the one with the garden".
        relative = word == "that" and RELATIVE.match(after) is not None and before.strip() != ""
        partitive = word in {"one", "ones", "both"} and re.match(r"\s+\w", after) is not None
        if not (named or relative or partitive):
            found.add(f"{word} at the end" if HANGING.search(before) else word)
    return found


def _tells_whom(text: str, pronoun: str) -> bool:
    """Whether a text names a person, an animal or a thing that a later pronoun may stand for."""
    if pronoun not in {"it", "its"} and any(word in OTHERS for word in words.words(text)):
        return True
    if pronoun in {"he", "him", "his", "she", "her", "hers"}:
        return words.NAME.search(text) is not None
    if pronoun in {"it", "its"}:
        things = (match.group().lower().split()[-1] for match in A_THING.finditer(text))
        return any(not noun.endswith("s") and noun not in OTHERS for noun in things)
    return SEVERAL.search(text) is not None
