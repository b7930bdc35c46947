"""Changes the person of a statement. English. Pure.

"I live in Portland" is stored as "The user lives in Portland" and said to the user as "you live in
Portland". Grammar does it, no model, because a memory must keep the user's words. "We" becomes "the
user" too, as everywhere in memory. Where the grammar is unclear (is "play" after "and" a verb?) the
words stay unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lobug.language.en import verbs
from lobug.language.en.data import word_map, word_set

USER = "the user"

SPLIT = {
    "i'm": ("I", "am"), "im": ("I", "am"), "i've": ("I", "have"), "ive": ("I", "have"),
    "i'll": ("I", "will"), "we're": ("we", "are"), "we've": ("we", "have"),
    "we'll": ("we", "will"), "you're": ("you", "are"), "you've": ("you", "have"),
    "you'll": ("you", "will"),
}  # fmt: skip
WOULD_OR_HAD = {"i'd": "I", "we'd": "we", "you'd": "you"}

OVER = re.compile(r"\b(?:yesterday|ago|last (?:week|month|year|night|summer|winter)|as a child)\b")
ROMAN = word_set("perspective", "roman")
"""After one of these "I" is a number."""

MINE = word_set("perspective", "mine")
"""After one of these a "mine" is dug."""

OPENS_CLAUSE = word_set("perspective", "opens_clause")
TAKES_OBJECT = word_set("perspective", "takes_object")
ENDS_POSSESSION = word_set("perspective", "ends_possession")
PLURAL = word_set("perspective", "plural")
NOTED = re.compile(
    r"\bthe user(?:['\u2019]s)?\b(?! (?:interface|experience|manual|guide|account|name|agent))",
    re.IGNORECASE,
)
"""The user as the notes name them, not a term of computing."""
POLITE_END = re.compile(
    r"(?<![\s,.!;])[\s,.!;]*+\b(?:please|thanks|thank you|okay|ok|alright|all right)[\s.!?]*$",
    re.IGNORECASE,
)
LOWERED = word_set("perspective", "lowered") | {USER, f"{USER}'s"}
NO_VERB = word_set("perspective", "no_verb")
"""A word after which a pronoun is not the whole subject."""
SURE_VERBS = word_set("perspective", "sure_verbs")
THIRD_PERSON = {
    "i": USER, "me": USER, "we": USER, "us": USER, "my": f"{USER}'s", "our": f"{USER}'s",
    "mine": f"{USER}'s", "ours": f"{USER}'s", "myself": "themself", "ourselves": "themself",
    "you": "Lo-Bug", "your": "Lo-Bug's", "yours": "Lo-Bug's", "yourself": "itself",
}  # fmt: skip
SPEAKER = word_set("perspective", "speaker")


@dataclass(slots=True)
class _Word:
    before: str
    """The text between it and the word before it."""
    text: str

    @property
    def low(self) -> str:
        return self.text.lower().replace("\u2019", "'")


def is_first_person(text: str) -> bool:
    """Whether a text mentions its speaker."""
    return any(word.low in SPEAKER for word in _split(_words(text)))


def about_the_user(statement: str, *, past: bool = False) -> str:
    """A statement of the user in the third person.

    "my sister is called Anna" is "The user's sister is called Anna". A statement about something
    else stays as it is. "You" is Lo-Bug. Without the closing full stop. ``past``: a verb of either
    tense ("I put") tells of the past, as beside "yesterday".
    """
    text = POLITE_END.sub("", " ".join(statement.split())).strip(" \t.,;:!-")
    past = past or OVER.search(text.lower()) is not None
    words = _split(_words(text))
    subjects = {index for index in range(len(words)) if _is_subject(words, index)}
    finite = _verbs_of(words, subjects, _joins)
    out = []
    for index, word in enumerate(words):
        before = words[index - 1].low if index else ""
        if index in finite:
            changed = verbs.to_third(word.text, past=past)
        elif index in subjects and word.low == "you":
            changed = "Lo-Bug"
        else:
            changed = _named(word, before)
        out.append(_Word(word.before, changed))
    return _capital(_join(out))


def said_to_the_user(fact: str) -> str:
    """A memory in the second person, to follow "that": "your sister is called Anna".

    What is not about the user stays as it is. Without the closing full stop.
    """
    words = _merged(_words(" ".join(fact.split()).rstrip(" .")))
    about_user = bool(words) and words[0].low == USER
    subjects = {i for i, w in enumerate(words) if w.low == USER and _was_subject(words, i)}
    finite = _verbs_of(words, subjects, _joined)
    out = []
    for index, word in enumerate(words):
        changed = word.text
        if index in finite:
            changed = verbs.to_base(word.text)
        elif word.low == USER:
            changed = "you"
        elif word.low == f"{USER}'s":
            following = words[index + 1].low if index + 1 < len(words) else ""
            changed = "yours" if not following or following in ENDS_POSSESSION else "your"
        elif word.low == "themself":
            changed = "yourself"
        elif word.low == "their" and about_user and not _others_before(words, index):
            changed = "your"
        out.append(_Word(word.before, changed))
    said = _join(out)
    return said[:1].lower() + said[1:] if words and words[0].low in LOWERED else said


def sentence_to_the_user(fact: str) -> str:
    """A memory as a sentence in the second person: "Your sister is called Anna."."""
    said = _capital(said_to_the_user(fact))
    return said if said.endswith((".", "!", "?")) else f"{said}."


def reply_to_the_user(sentence: str) -> str:
    """A sentence of the chat model in the second person, if it repeats a note: "Anna is the user's
    sister." becomes "Anna is your sister."."""
    return sentence_to_the_user(sentence) if NOTED.search(sentence) else sentence


def is_unchanged(beginning: str) -> bool:
    """Whether ``reply_to_the_user`` cannot change these first words of a sentence, joined by single
    spaces, whatever follows."""
    words = [word.low for word in _words(beginning) if word.text]
    return (
        bool(words)
        and words[-1] != "the"
        and not any(word in {"user", "user's", "themself"} for word in words)
        and _capital(beginning) == _capital(beginning[:1].lower() + beginning[1:]) == beginning
    )


_SAID_BACK = word_map("perspective", "said_back")
_TURNED = re.compile(
    rf"(?<!\w)(?:{'|'.join(sorted(_SAID_BACK, key=len, reverse=True))})(?!\w)", re.IGNORECASE
)


def said_by_lo_bug(words: str) -> str:
    """Words of the user to Lo-Bug as Lo-Bug says them back: "to call my mum and tell you" becomes
    "to call your mum and tell me". Nothing but pronouns and their "am" and "was" changes."""

    def turned(match: re.Match[str]) -> str:
        if match[0] == "US":
            return match[0]
        return _SAID_BACK[match[0].lower()]

    return _TURNED.sub(turned, words.replace("\u2019", "'"))


def spoken_back(words: str) -> str:
    """A few words of the user in the second person: "my sister" becomes "your sister"."""
    said = said_to_the_user(about_the_user(words))
    return said if words.strip()[:1].isupper() else said[:1].lower() + said[1:]


def _words(text: str) -> list[_Word]:
    """The words of a text; what follows the last one is a word without text."""
    words = []
    end = 0
    for match in re.finditer(r"[^\W_]+(?:['\u2019-][^\W_]+)*", text):
        words.append(_Word(text[end : match.start()], match.group()))
        end = match.end()
    return [*words, _Word(text[end:], "")] if end < len(text) else words


def _join(words: Sequence[_Word]) -> str:
    return "".join(word.before + word.text for word in words).strip()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _split(words: Sequence[_Word]) -> list[_Word]:
    """Contractions of speaker and listener as two words."""
    out = []
    for index, word in enumerate(words):
        if word.low in SPLIT:
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


def _merged(words: Sequence[_Word]) -> list[_Word]:
    """ "The user" and "the user's" as one word each."""
    out: list[_Word] = []
    for word in words:
        if word.low in {"user", "user's"} and out and out[-1].low == "the":
            out[-1] = _Word(out[-1].before, f"the {word.low}")
        else:
            out.append(word)
    return out


def _verbs_of(
    words: Sequence[_Word], subjects: set[int], joins: Callable[[Sequence[_Word], int], bool]
) -> set[int]:
    """Indices of the verbs of the subjects, with those joined by "and"."""
    found: set[int] = set()
    for subject in subjects:
        if _compound(words, subject):
            continue
        index = _after_adverbs(words, subject + 1)
        while index < len(words) and words[index].text and words[index].low not in NO_VERB:
            found.add(index)
            if words[index].low in verbs.NO_JOIN:
                break
            conjunction = _next_conjunction(words, index + 1, subjects)
            if conjunction is None:
                break
            index = _after_adverbs(words, conjunction + 1)
            if index >= len(words) or not joins(words, index):
                break
    return found


def _after_adverbs(words: Sequence[_Word], index: int) -> int:
    while index < len(words):
        if words[index].low == "no" and index + 1 < len(words) and words[index + 1].low == "longer":
            index += 1
        elif words[index].low not in verbs.ADVERBS:
            break
        index += 1
    return index


def _next_conjunction(words: Sequence[_Word], index: int, subjects: set[int]) -> int | None:
    """The next "and"; None: another clause begins before it."""
    while index < len(words):
        if words[index].low in {"and", "but", "or"}:
            return index
        if index in subjects or words[index].low in {"to", "that", "who", "which"}:
            return None
        index += 1
    return None


def _joins(words: Sequence[_Word], index: int) -> bool:
    """Whether a word after "and" is a verb of the first person."""
    return _is_joined_verb(words[index].low, words, index)


def _joined(words: Sequence[_Word], index: int) -> bool:
    """Whether a word after "and" is a verb of the third person."""
    low = words[index].low
    base = verbs.to_base(low)
    return base != low and _is_joined_verb({"are": "am"}.get(base, base), words, index)


def _is_joined_verb(verb: str, words: Sequence[_Word], index: int) -> bool:
    after = words[index + 1].low if index + 1 < len(words) else ""
    return verb in verbs.JOINED or after in verbs.JOINED_BEFORE.get(verb, ())


def _is_subject(words: Sequence[_Word], index: int) -> bool:
    """Whether a word is a pronoun that its verb follows."""
    word = words[index]
    before = words[index - 1].low if index else ""
    after = words[index + 1].low if index + 1 < len(words) else ""
    if word.low == "i":
        return before not in ROMAN
    if word.low != "you":
        return word.low == "we"
    opens = not before or before in OPENS_CLAUSE or bool(word.before.strip())
    return bool(after) and (opens or after in SURE_VERBS)


def _compound(words: Sequence[_Word], index: int) -> bool:
    """Whether a subject is the second of two ("my sister and I live"), and so has a plural verb."""
    if not 2 <= index <= 5 or words[index - 1].low != "and":
        return False
    clause = SPEAKER - {"my", "our", "me"} | {USER} | set(verbs.THIRD) | set(verbs.BASE)
    clause |= {"name's", "it's", "he's", "she's", "that's", "there's"}
    return not any(
        word.low in clause or word.low in verbs.UNCHANGING or verbs.is_past(word.low)
        for word in words[: index - 1]
    )


def _was_subject(words: Sequence[_Word], index: int) -> bool:
    """Whether "the user", at an index, is the subject of a verb."""
    if index == 0 or words[index].before.strip():
        return True
    before = words[index - 1].low
    if before in OPENS_CLAUSE:
        return before not in {"than", "as"}
    if before in TAKES_OBJECT or verbs.is_past(before) or verbs.is_third(before):
        return False
    return any(word.low in {"the", "a", "an"} for word in words[max(0, index - 3) : index - 1])


def _others_before(words: Sequence[_Word], index: int) -> bool:
    """Whether "their" may be somebody else's: something in the plural comes before it."""
    return any(
        word.low in PLURAL or (word.low.endswith("s") and not word.low.endswith(("ss", "us")))
        for word in words[2:index]
    )


def _named(word: _Word, before: str) -> str:
    """A word that is no verb, in the third person."""
    low = word.low
    if (
        (low == "us" and (word.text == "US" or before == "the"))
        or (low == "mine" and before in MINE)
        or (low == "i" and before in ROMAN)
    ):
        return word.text
    return THIRD_PERSON.get(low, word.text)
