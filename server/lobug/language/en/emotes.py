"""Finds stage directions in a reply: ``*waves*``, ``(smiles)``, emoji, kaomoji. English. Pure.

Small chat models write them although nobody asked. A person may also use asterisks for emphasis
and brackets for an aside, so what is dropped must look like an act, not like a word.
"""

from __future__ import annotations

import re

from lobug.language.en import verbs
from lobug.language.en.lists import word_set

_ACTS = word_set("emotes", "acts")
"""Verbs that are an act when a reply sets them apart; see ``_is_act`` for their forms."""

_PLAIN_WORDS_IN_S = word_set("emotes", "plain_words_in_s")
"""Words that end like a verb but are none."""

_BELONGS_AFTER = word_set("emotes", "belongs_after")
"""Words after which an emphasised verb belongs to the sentence: "She *smiles* a lot"."""

_NOUN_ACTS = word_set("emotes", "noun_acts")

_ENDS = ".!?…:;,"
_QUOTES = "\"'\u201c\u201d\u2018\u2019"
_SET_APART = re.compile(r"(?<![\w*])\*{1,3}(?=[^\s*])([^*\n]{1,160})(?<=\S)\*{1,3}(?![\w*])")
_UNDERLINED = re.compile(r"(?<![\w])_{1,2}(?=[^\s_])([^_\n]{1,160})(?<=\S)_{1,2}(?!\w)")
_IN_BRACKETS = re.compile(r"\(([a-zA-Z][^()\[\]\n]{1,60})\)|\[([a-zA-Z][^()\[\]\n]{1,60})\](?!\()")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")

_EMOJI = re.compile(
    "(?:"
    "[\U0001f1e6-\U0001f1ff]"  # flags
    "|[0-9#*]\ufe0f?\u20e3"  # keycaps
    "|[\U0001f000-\U0001faff\u2600-\u2775\u2794-\u27bf\u2b05-\u2b55\u231a-\u231b\u23e9-\u23fa"
    "\u3030\u303d\u3297\u3299]"
    "|[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa]\ufe0f"  # text unless asked to be emoji
    ")[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\u200d\U000e0020-\U000e007f]*"
)
_KEYCAP = re.compile("(?<=[0-9])\ufe0f?\u20e3")
_SHORT_CODE = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]{1,30}:(?![\w:])")
_SMILEY = re.compile(
    r"(?<![^\s.,!?])(?:[:;]['\u2019]?-?[)(DPpOo3*|\\/\]]|=[)(DP]|<3+(?=\W*$)|[xX]D"
    r"|\^[_.-]?\^|>[_.]<|[oO]_[oO]|0_0|T[_.]T|-_+-|=_+=|uwu|UwU|owo|OwO|\\o/|¯\\?_\(ツ\)_/¯)"
    r"(?=$|[\s.,!?])",
    re.MULTILINE,
)
_FACE = re.compile(
    r"[^\s\w()\[\]*.,!?\"']{0,4}[(\uff08\u0295]"
    r"([^()\n\"{}\uff08\uff09\u0295\u0294]{2,15})"
    r"[)\uff09\u0294](?:[^\s\w()\[\]*.,!?\"']{1,4})?"
)
_FACE_LETTERS = frozenset("ωツᴥДдoOTtuUvVwxっシ\u30ceﾉヮ益ಠಥᗜᵔᵕ")
_NOT_STRANGE = frozenset("\u201c\u201d\u2018\u2019\u2013\u2014…«»")
_BOX_DRAWING = re.compile(r"[\u2500-\u257f][\u2500-\u257f\s]*")


def drop_emotes(text: str) -> str:
    """The text without acts, emoji and kaomoji; emphasised words stay, without their asterisks.

    White space is not tidied.
    """
    text = _SMILEY.sub(" ", text)
    text = _FACE.sub(_face, text)
    text = _BOX_DRAWING.sub(" ", text)
    text = _KEYCAP.sub("", text)
    text = _EMOJI.sub(" ", text)
    text = _SHORT_CODE.sub(" ", text)
    text = _SET_APART.sub(_set_apart, text)
    text = _UNDERLINED.sub(_set_apart, text)
    return _IN_BRACKETS.sub(_in_brackets, text)


def _face(match: re.Match[str]) -> str:
    inside = match.group(1)
    if not all(c in _FACE_LETTERS for c in inside if c.isalnum()):
        return match.group()
    strange = sum(not (c.isascii() or c.isalnum() or c in _NOT_STRANGE) for c in inside)
    return " " if strange >= 2 or _SMILEY.fullmatch(inside) else match.group()


def _around(match: re.Match[str]) -> tuple[str, str]:
    """The text before and after the match on its line, without the white space between."""
    before = match.string[max(0, match.start() - 40) : match.start()].rstrip(" \t")
    after = match.string[match.end() : match.end() + 40].lstrip(" \t")
    return before.rpartition("\n")[2], after.partition("\n")[0]


def _set_apart(match: re.Match[str]) -> str:
    inside = match.group(1)
    words = _WORD.findall(inside)
    if not words or inside[-1] in _ENDS:
        return inside
    before, after = _around(match)
    first = words[0].lower()
    starts = not before or before[-1] in f".!?…*)>-{_QUOTES}"
    ends = not after or after[0] in f"*({_QUOTES}"
    if starts and (ends or not after[0].islower()):
        # It stands where a sentence would.
        lower_case = inside.islower() and not inside[0].isdigit()
        is_act = _is_act(first) or (
            lower_case and (_like_a_verb(first) or any(_is_act(word) for word in words))
        )
    else:
        # "*waves* hello", "Well *sighs* if"; but "*Pause* the music", "She *smiles* a lot".
        previous = _WORD.findall(before)
        belongs = not starts and bool(previous) and previous[-1].lower() in _BELONGS_AFTER
        is_act = _is_act(first) and first not in _ACTS and not belongs
    return " " if is_act else inside


def _in_brackets(match: re.Match[str]) -> str:
    words = [word.lower() for word in _WORD.findall(match.group(1) or match.group(2))]
    before, after = _around(match)
    set_apart = not before or before[-1] in ".!?…*" or not after
    is_act = words[0] in _NOUN_ACTS if len(words) == 1 else False
    is_act = is_act or (len(words) <= 4 and _is_act(words[0]) and words[0] not in _ACTS)
    return " " if set_apart and is_act else match.group()


def _is_act(word: str) -> bool:
    """Whether the lower-case word is one of the acts: wave, waves, waving, waved."""
    return any(base in _ACTS for base in verbs.possible_bases(word))


def _like_a_verb(word: str) -> bool:
    if word in _PLAIN_WORDS_IN_S or word.endswith("ss"):
        return False
    return word.endswith("s") or (word.endswith("ing") and len(word) > 5)
