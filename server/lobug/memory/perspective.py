"""Whose words a statement is in: "I live in Portland" is kept as "The user lives in Portland", and
spoken of to the user as "you live in Portland". Pure, and English only.

Plain grammar, no model: what somebody asks to be remembered must arrive word for word. "We" becomes
"the user" as well, like everywhere in memory: "you" in the way back is one person or several. What
stays a guess (is "play" after "and" a verb?) is left as it was said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lobug.memory import verbs

USER = "the user"

SPLIT = {
    "i'm": ("I", "am"), "im": ("I", "am"), "i've": ("I", "have"), "ive": ("I", "have"),
    "i'll": ("I", "will"), "we're": ("we", "are"), "we've": ("we", "have"),
    "we'll": ("we", "will"), "you're": ("you", "are"), "you've": ("you", "have"),
    "you'll": ("you", "will"),
}  # fmt: skip
WOULD_OR_HAD = {"i'd": "I", "we'd": "we", "you'd": "you"}

OVER = re.compile(r"\b(?:yesterday|ago|last (?:week|month|year|night|summer|winter)|as a child)\b")
ROMAN = frozenset("war type part chapter phase stage class level volume act elizabeth".split())
"""After one of these "I" is a number."""

MINE = frozenset("a the this that coal gold salt silver diamond land his her their".split())
"""After one of these a "mine" is dug."""

OPENS_CLAUSE = frozenset(
    "that and but or because if when while where what which who how since so although than as"
    " before after until".split()
)
TAKES_OBJECT = frozenset(
    """
    to for with of by from at on about like against near beside around without give gave gives tell
    tells told ask asks asked call calls called make makes made let lets help helps helped send
    sends sent teach teaches taught show shows showed hate hates love loves likes see sees saw
    """.split()
)
ENDS_POSSESSION = frozenset("is are was were and or but not too isn't wasn't".split())
PLURAL = frozenset("children people kids parents men women siblings grandparents feet".split())
POLITE_END = re.compile(
    r"[\s,.!;]*\b(?:please|thanks|thank you|okay|ok|alright|all right)[\s.!?]*$", re.IGNORECASE
)
SPEAKER = frozenset("i we me us my our mine ours myself ourselves".split())


@dataclass(slots=True)
class _Word:
    before: str
    """What stands between it and the word before it."""
    text: str

    @property
    def low(self) -> str:
        return self.text.lower().replace("\u2019", "'")


def is_first_person(text: str) -> bool:
    """Whether the speaker speaks of themselves."""
    return any(
        word.low in SPEAKER or word.low in {"i'd", "we'd"} or SPLIT.get(word.low, ("you",))[0] != "you"
        for word in _words(text)[0]
    )


def about_the_user(statement: str) -> str:
    """What the user said of themselves, in the third person and standing alone.

    "my sister is called Anna" is "The user's sister is called Anna". A statement about something
    else stays as it is. "You" is Lo-Bug. Without the closing full stop.
    """
    text = POLITE_END.sub("", " ".join(statement.split())).strip(" \t.,;:!-")
    words, _ = _words(text)
    past = OVER.search(text.lower()) is not None
    words = _split(words)
    out: list[_Word] = []
    index = 0
    while index < len(words):
        word = words[index]
        before = words[index - 1].low if index else ""
        if _is_subject(words, index):
            name = "Lo-Bug" if word.low == "you" else USER
            out.append(_Word(word.before, name))
            if not _compound(words, index):
                index = _agree(words, index + 1, out, past=past)
                continue
        else:
            out.append(_Word(word.before, _named(word, before)))
        index += 1
    return _capital(_join(out))


def said_to_the_user(fact: str) -> str:
    """A memory as Lo-Bug says it to its user, to stand after "that": "your sister is called Anna".

    What is not about the user stays as it is. Without the closing full stop.
    """
    text = " ".join(fact.split()).rstrip(" .")
    words, _ = _words(text)
    about_user = len(words) > 1 and (words[0].low, words[1].low) == ("the", "user")
    out: list[_Word] = []
    index = 0
    while index < len(words):
        word = words[index]
        following = words[index + 1].low if index + 1 < len(words) else ""
        if word.low == "the" and following in {"user", "user's"}:
            out.append(_Word(word.before, ""))
            index += 2
            if following == "user's":
                possessed = words[index].low if index < len(words) else ""
                bare = not possessed or possessed in ENDS_POSSESSION
                out[-1].text = "yours" if bare else "your"
            else:
                subject = _was_subject(words, index - 2)
                out[-1].text = "you"
                if subject:
                    index = _agree_back(words, index, out)
            continue
        if word.low == "themself":
            out.append(_Word(word.before, "yourself"))
        elif word.low == "their" and about_user and not _others_before(words, index):
            out.append(_Word(word.before, "your"))
        else:
            out.append(word)
        index += 1
    said = _join(out)
    first = words[0] if words else _Word("", "")
    lowered = first.low in {"the", "a", "an", "there", "on", "in", "at", "every"}
    return said[:1].lower() + said[1:] if lowered else said


def sentence_to_the_user(fact: str) -> str:
    """The same as a sentence: "Your sister is called Anna."."""
    said = _capital(said_to_the_user(fact))
    return said if said.endswith((".", "!", "?")) else f"{said}."


def spoken_back(words: str) -> str:
    """A few words of the user, as Lo-Bug repeats them: "my sister" is "your sister"."""
    said = said_to_the_user(about_the_user(words))
    first = words.split()[0] if words.split() else ""
    return said if first[:1].isupper() or not first else said[:1].lower() + said[1:]


def _words(text: str) -> tuple[list[_Word], str]:
    words = []
    end = 0
    for match in re.finditer(r"[^\W_]+(?:['\u2019-][^\W_]+)*", text):
        words.append(_Word(text[end : match.start()], match.group()))
        end = match.end()
    if words and end < len(text):
        words[-1].text += ""
        words.append(_Word(text[end:], ""))
    return words, text[end:]


def _join(words: list[_Word]) -> str:
    return "".join(word.before + word.text for word in words).strip()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _split(words: list[_Word]) -> list[_Word]:
    """Contractions of the speaker as two words."""
    out = []
    for index, word in enumerate(words):
        if word.low in SPLIT and not word.text.isupper():
            subject, verb = SPLIT[word.low]
        elif word.low in WOULD_OR_HAD:
            after = words[index + 1].low if index + 1 < len(words) else ""
            subject = WOULD_OR_HAD[word.low]
            verb = "had" if after in {"been", "better"} or verbs.is_past(after) else "would"
        else:
            out.append(word)
            continue
        out += [_Word(word.before, subject), _Word(" ", verb)]
    return out


def _is_subject(words: list[_Word], index: int) -> bool:
    """Whether a word is a pronoun that its verb follows."""
    word = words[index]
    before = words[index - 1].low if index else ""
    after = words[index + 1].low if index + 1 < len(words) else ""
    if word.low == "i":
        return before not in ROMAN
    if word.low == "we":
        return True
    if word.low != "you":
        return False
    own = after in {"are", "were", "have", "do", "don't", "can", "will", "should", "must", "would"}
    return bool(after) and (own or not before or before in OPENS_CLAUSE)


def _compound(words: list[_Word], index: int) -> bool:
    """Whether a subject is the second of two ("my sister and I live"), and so has a plural verb."""
    if index < 2 or words[index - 1].low != "and" or index > 5:
        return False
    before = [word.low for word in words[: index - 1]]
    return not any(
        low in SPEAKER - {"my", "our", "me"}
        or low in verbs.THIRD
        or low in verbs.UNCHANGING
        or verbs.is_past(low)
        or low in verbs.BASE
        for low in before
    )


def _agree(words: list[_Word], index: int, out: list[_Word], *, past: bool) -> int:
    """Put the verb after a subject into the third person, and those joined to it. Returns the
    index of the first word that is not done yet."""
    index = _past_adverbs(words, index, out)
    if index >= len(words) or not words[index].text:
        return index
    verb = words[index]
    if verb.low in {"and", "or"} or verb.low in SPEAKER:  # "I and my wife live"
        return index
    out.append(_Word(verb.before, verbs.to_third(verb.text, past=past)))
    index += 1
    if verb.low in verbs.UNCHANGING - {"was", "had"} or verb.low in {"do", *verbs.NOT}:
        return index
    stop = index
    while stop < len(words) and words[stop].low not in {"and", "but", "or"}:
        if words[stop].low == "to" or words[stop].low in SPEAKER | {"you", "that", "who", "which"}:
            if words[stop].low in {"my", "our", "me", "us", "myself"}:
                stop += 1
                continue
            return index
        if _is_subject(words, stop):
            return index
        stop += 1
    joined = stop + 1
    while joined < len(words) and words[joined].low in verbs.ADVERBS:
        joined += 1
    if joined >= len(words) or not _joins(words, joined):
        return index
    for place in range(index, joined):
        before = words[place - 1].low
        out.append(_Word(words[place].before, _named(words[place], before)))
    return _agree(words, joined, out, past=past)


def _joins(words: list[_Word], index: int) -> bool:
    low = words[index].low
    after = words[index + 1].low if index + 1 < len(words) else ""
    return low in verbs.JOINED or after in verbs.JOINED_BEFORE.get(low, ())


def _past_adverbs(words: list[_Word], index: int, out: list[_Word]) -> int:
    while index < len(words) and words[index].low in verbs.ADVERBS:
        out.append(words[index])
        index += 1
    return index


def _named(word: _Word, before: str) -> str:
    """What a word other than a subject becomes."""
    low = word.low
    if low == "us" and (word.text == "US" or before == "the"):
        return word.text
    if low == "mine" and before in MINE:
        return word.text
    if low == "i" and before in ROMAN:
        return word.text
    return {
        "i": USER, "me": USER, "us": USER, "my": f"{USER}'s", "our": f"{USER}'s",
        "mine": f"{USER}'s", "ours": f"{USER}'s", "myself": "themself", "ourselves": "themself",
        "you": "Lo-Bug", "your": "Lo-Bug's", "yours": "Lo-Bug's", "yourself": "itself",
    }.get(low, word.text)  # fmt: skip


def _was_subject(words: list[_Word], index: int) -> bool:
    """Whether "the user", at an index, is a subject."""
    if index == 0 or words[index].before.strip():
        return True
    before = words[index - 1].low
    if before in OPENS_CLAUSE:
        return before not in {"than", "as"}
    if before in TAKES_OBJECT or verbs.is_past(before) or verbs.is_third(before):
        return False
    return any(word.low in {"the", "a", "an"} for word in words[max(0, index - 3) : index - 1])


def _agree_back(words: list[_Word], index: int, out: list[_Word]) -> int:
    index = _past_adverbs(words, index, out)
    if index >= len(words):
        return index
    out.append(_Word(words[index].before, verbs.to_base(words[index].text)))
    index += 1
    stop = index
    while stop < len(words) and words[stop].low not in {"and", "but", "or"}:
        if words[stop].low == "the" and stop + 1 < len(words) and words[stop + 1].low == "user":
            return index
        stop += 1
    joined = stop + 1
    while joined < len(words) and words[joined].low in verbs.ADVERBS:
        joined += 1
    if joined >= len(words):
        return index
    low = words[joined].low
    after = words[joined + 1].low if joined + 1 < len(words) else ""
    base = verbs.to_base(low)
    known = {"be", "are", "were", "have", "do"} | verbs.JOINED
    if low == base or not (base in known or after in verbs.JOINED_BEFORE.get(base, ())):
        return index
    done, rest = words[index:joined], words[joined:]
    out += [_Word(w.before, _back(w, done, place)) for place, w in enumerate(done)]
    out[:] = [word for word in out if word.text or word.before]
    return joined if _agree_back(rest, 0, out) == 0 else _after(words, joined, out, rest)
