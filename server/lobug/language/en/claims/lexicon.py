"""The words that the grammar of statements knows, and how a text becomes tokens. English. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lobug.language.en import verbs
from lobug.language.en.words import IRREGULAR

LEXICON = frozenset(
    """
    abandon acquire admire adopt adore appreciate arrive attend bake be beat become begin
    believe belong bike blog board borrow bowl box break breed bring build buy call camp cancel
    catch celebrate change clear climb close collect come commute convert cook cost crash
    crochet cut cycle dance date depart despise detest diagnose die digest disappear dislike
    divorce do donate dream drink drive drop dump dye earn eat elope employ end engage enjoy
    enrol enroll escape exchange expect fail fall fancy fear feed feel find finish fire fish fix
    fly follow forget game garden get give go graduate grow hail hang hate have heal hide hike
    hit hope hunt hurt identify increase inherit intend jog join juggle kayak keep knit know lay
    lead learn lease leave lend lie like live loathe lock look lose love major make marry mean
    measure meditate meet misplace miss move name need observe open outgrow owe own paint park
    pass pay pick place plan plant play postpone practice practise pray prefer prescribe propose
    push put quit raise react read recover rehome relocate rent repair replace reschedule reside
    resign respect retire return ride rise root row run sail say scrap see sell separate settle
    sew shape share sing sit ski sleep smoke speak spend split sprain stand start stay steal
    stop store study subscribe suffer support surf swap swim switch take teach tear tell
    terminate think throw tolerate total trade train transfer travel trust turn twist use visit
    volunteer vote wake walk want watch wear weigh work worship wreck write
    """.split()
)
"""Base forms of the verbs that the grammar knows."""

_FORMS = {
    "am": "be", "is": "be", "are": "be", "was": "be", "were": "be", "been": "be", "being": "be",
    "has": "have", "had": "have", "having": "have", "does": "do", "did": "do", "done": "do",
    "got": "get", "gotten": "get", "gone": "go", "lay": "lie", "lying": "lie", "dying": "die",
    "dyed": "dye", "stole": "steal", "stolen": "steal", "forgot": "forget", "forgotten": "forget",
    "hid": "hide", "hidden": "hide", "threw": "throw", "thrown": "throw", "lent": "lend",
    "rode": "ride", "ridden": "ride", "rose": "rise", "risen": "rise", "tore": "tear",
    "torn": "tear", "hung": "hang", "drawn": "draw", "grew": "grow", "grown": "grow",
    "wore": "wear", "worn": "wear", "woke": "wake", "woken": "wake", "sang": "sing",
    "sung": "sing", "swum": "swim", "swam": "swim", "drank": "drink", "drunk": "drink",
    "begun": "begin", "broken": "break", "chosen": "choose", "flew": "fly", "flown": "fly",
    "laid": "lay", "fed": "feed", "lost": "lose", "born": "born", "fallen": "fall", "fell": "fall",
    "driven": "drive", "taught": "teach", "caught": "catch", "spent": "spend", "spoke": "speak",
    "spoken": "speak", "meant": "mean", "met": "meet", "paid": "pay", "sold": "sell",
    "slept": "sleep", "swapped": "swap", "eaten": "eat", "written": "write", "taken": "take",
    "given": "give", "seen": "see", "known": "know", "told": "tell", "said": "say",
    "come": "come", "run": "run", "put": "put", "hurt": "hurt", "split": "split", "quit": "quit",
    "cut": "cut", "cost": "cost", "read": "read", "beat": "beat", "hit": "hit", "become": "become",
    "bred": "breed", "led": "lead", "left": "leave",
    "brought": "bring", "found": "find", "outgrew": "outgrow",
}  # fmt: skip
_NO_VERBS = frozenset("kids kid mom mum dad children felt thing things need's works'".split())

BE = frozenset("am is are was were be been being".split())
HAVE = frozenset({"have", "has", "had"})
DO = frozenset({"do", "does", "did"})
WILL = frozenset({"will", "shall", "gonna"})
UNREAL = frozenset("would could should might may must can cannot ought".split())
CONTRACTED = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
NEGATED = frozenset({"not", "never", "n't", "neither", "nor"})
NEGATIONS = NEGATED | frozenset(
    "no nobody none nothing nowhere without hardly barely scarcely rarely seldom cannot".split()
)
"""Words that deny; one of them that no rule has understood makes a clause unreadable."""

OWNERS = {
    "my": "user",
    "our": "user",
    "your": "lobug",
    "his": "he",
    "her": "she",
    "their": "they",
    "its": "it",
}
PRONOUNS = {
    "i": "user",
    "we": "user",
    "you": "lobug",
    "he": "he",
    "she": "she",
    "they": "they",
    "it": "it",
    "that": "that",
    "this": "that",
}
DETERMINERS = frozenset(
    "a an the some this that these those another no one two three four five".split()
)
PREPOSITIONS = frozenset(
    """
    about above after against among around as at before behind below beneath beside between by down
    during for from in inside into like near of off on onto out outside over past since through to
    towards under until up upon with within
    """.split()
)
CONJUNCTIONS = frozenset(
    """
    and or nor but so because while although though when whenever where if unless that which who
    whom whose whether than then once what how why
    """.split()
)
ADVERBS = verbs.ADVERBS | frozenset("both each even longer now all".split())
TITLES = frozenset(
    "dr mr mrs ms miss prof professor sir aunt auntie uncle dr. mr. mrs. ms.".split()
)
PARTICIPLES = {
    form: base
    for form, base in _FORMS.items()
    if form not in {"am", "is", "are", "was", "were", "has", "does", "did", "woke", "rode", "grew"}
    and base in LEXICON | {"born"}
} | {"moved": "move", "lived": "live", "died": "die"}

TOKEN = re.compile(
    r"(?:[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof|St)\.(?= \w)"
    r"|[^\W_](?:[\w.:@/+-]*\w)?(?:['\u2019-]\w+)*['\u2019]?|[^\w\s]"
)
_CLITICS = frozenset({"'m", "'re", "'ve", "'ll", "'d", "'s", "'"})
_UNWRITTEN = {
    "im": 1, "ive": 1, "hes": 2, "shes": 3, "thats": 4, "theyre": 4, "youre": 3, "weve": 2,
    "theyve": 4, "dont": 2, "doesnt": 4, "didnt": 3, "isnt": 2, "arent": 3, "wasnt": 3,
    "werent": 4, "hasnt": 3, "havent": 4, "hadnt": 3, "cant": 2, "wont": 2, "wouldnt": 5,
    "couldnt": 5, "shouldnt": 6,
}  # fmt: skip
"""Contractions without their apostrophe, and where they are cut: "im" is "i" and "'m"."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a mark, and where it stands in its text."""

    text: str
    start: int
    end: int

    @property
    def low(self) -> str:
        return self.text.lower().replace("\u2019", "'")

    @property
    def is_name(self) -> bool:
        """Whether it is written like a name."""
        return self.text[:1].isupper() and self.low not in {"i", "i'm"}

    @property
    def is_word(self) -> bool:
        return self.text[:1].isalnum()


def tokens(text: str) -> list[Token]:
    """The words and marks of a text. "I'm" is two words, and so is "don't"."""
    found: list[Token] = []
    for match in TOKEN.finditer(text):
        word, start = match.group(), match.start()
        cut = _cut(word.lower().replace("\u2019", "'"))
        if cut is None:
            found.append(Token(word, start, match.end()))
            continue
        low = word.lower()
        rest = word[cut:]
        if low in _UNWRITTEN:
            rest = "n't" if low.endswith("nt") else f"'{rest}"
        found.append(Token(word[:cut], start, start + cut))
        found.append(Token(rest, start + cut, match.end()))
    return found


def _cut(low: str) -> int | None:
    if low.endswith("n't"):
        return len(low) - 3
    if low == "cannot":
        return 3
    if low in _UNWRITTEN:
        return _UNWRITTEN[low]
    apostrophe = low.rfind("'")
    return apostrophe if apostrophe > 0 and low[apostrophe:] in _CLITICS else None


@lru_cache(maxsize=4096)
def lemma(word: str) -> str | None:
    """The base form of a verb in lower case; None: the lexicon has no such verb."""
    if word in LEXICON:
        return word
    if word in _NO_VERBS:
        return None
    base = _FORMS.get(word) or IRREGULAR.get(word)
    if base in LEXICON:
        return base
    for ending in ("ies", "es", "s", "ied", "ed", "d", "ying", "ing"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            for option in _roots(word[: -len(ending)], ending):
                if option in LEXICON:
                    return option
    return None


def _roots(root: str, ending: str) -> list[str]:
    if ending in {"ies", "ied"}:
        return [f"{root}y"]
    if ending == "ying":
        return [f"{root}y", f"{root}ie"]
    options = [root, f"{root}e"]
    if ending in {"ed", "ing"} and len(root) > 2 and root[-1] == root[-2]:
        options.append(root[:-1])
    return options


def is_past(word: str) -> bool:
    """Whether a form in lower case is the past of a verb, and of no other tense."""
    return lemma(word) != word and (verbs.is_past(word) or word in {"got", "went", "split"})


def starts_verb(found: Sequence[Token], at: int) -> bool:
    """Whether a verb group may begin at an index."""
    low = found[at].low
    if low in BE | HAVE | DO | WILL | UNREAL or low in CONTRACTED or low in {"used", "wo", "ca"}:
        return True
    return not found[at].is_name and lemma(low) is not None


def plain(words: Sequence[Token]) -> str:
    """Tokens as text."""
    return " ".join(word.text for word in words)
