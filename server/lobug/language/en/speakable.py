"""Removes markup and stage directions from a reply: only words for people are left. Pure.

Models write for a screen: bold, lists, tables, code, links, tool calls. Read aloud, those are noise
("asterisk asterisk") or nonsense, so they become plain words or nothing. Small models also write
stage directions although nobody asked: ``*waves*``, ``(smiles)``, emoji, kaomoji. A person may use
asterisks for emphasis and brackets for an aside, so what is dropped must look like an act, not like
a word. Ordinary text comes through unchanged: "5 * 3 * 2", "snake_case", "(approximately)".
"""

from __future__ import annotations

import html
import json
import re

from lobug.language.en import verbs
from lobug.language.en.data import word_set

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


_HIDDEN_TAGS = "think|thinking|tool_call|tool|function_call|function|script|style"
_HIDDEN = re.compile(
    rf"<({_HIDDEN_TAGS})\b[^<>\n]{{0,80}}>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_HIDDEN_END = re.compile(rf"\A.*</(?:{_HIDDEN_TAGS})\s*>", re.DOTALL | re.IGNORECASE)
_SPECIAL_TOKEN = re.compile(r"<\|[\w ]{1,40}\|>|\[/?(?:INST|TOOL_CALLS?|TOOL_RESULTS?)\]")
_CODE_BLOCK = re.compile(r"(`{3,40}|~{3,40}).*?(?:\1|\Z)", re.DOTALL)
_CODE = re.compile(r"(`{1,2})([^`\n]{1,400})\1")
_CALL = re.compile(
    r"^[ \t]*(?:[a-z]\w*+\.\w++|[a-z][^\W_]*+_\w++|[a-z]\w*+(?=\([^()\n]*=))"
    r"\([^()\n]{0,400}\)[ \t]*(?:;[ \t]*)?$",
    re.MULTILINE,
)
_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HTML_TAG = re.compile(
    r"</?(?:a|abbr|article|b|big|blockquote|body|br|center|cite|code|dd|del|details|div|dl|dt|em"
    r"|font|footer|h[1-6]|head|header|hr|html|i|img|ins|kbd|li|mark|ol|p|pre|q|s|section|small"
    r"|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul|var|speak|prosody|break"
    r"|emphasis|say-as|voice)(?:\s[^<>]{0,400})?/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,10}|#\d{1,6}|#x[0-9a-fA-F]{1,6});")

_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,500}\)|\[[^\[\]\n]{0,80}\])")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\n]{1,40}\]:?")
_ADDRESS_IN_BRACKETS = re.compile(
    r"<((?:https?|ftp)://[^\s<>]{1,500}|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})>"
)

_RULE = re.compile(r"^[ \t]*(?:[-*_=][ \t]*){3,}$", re.MULTILINE)
_TABLE_RULE = re.compile(r"^[ \t]*(?:\|[ \t]*)?:?-{2,}:?[ \t]*(?:\|[ \t:-]*)+$", re.MULTILINE)
_TABLE_ROW = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.MULTILINE)
_LINE_START = re.compile(
    r"^[ \t]*(?:(?:>[ \t]?)+[ \t]*)?(?:#{1,6}[ \t]+|[-*+•‣◦][ \t]+(?:\[[ xX]\][ \t]+)?)?",
    re.MULTILINE,
)
_HEADING_END = re.compile(r"(?<![ \t])[ \t]+#{1,6}[ \t]*$", re.MULTILINE)
_STRUCK = re.compile(r"~~([^~\n]{1,200})~~")
_LONE_STARS = re.compile(
    r"(?<![\s\d*])\*{2,}|(?<!\*)\*{2,}+(?![\s\d])|(?<=[^\W\d_])\*(?=[^\W\d_])|(?<!\S)\*(?=[^\s\d*])|(?<=[^\s\d*])\*(?=[\s.,!?;:]|$)"
)
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!~>|-])")

_SENTENCE_END = ".!?…:;,\u3002\uff01\uff1f"
_SPACE_BEFORE_MARK = re.compile(r"(?<![ \t])[ \t]+([.,!?;:…](?=\s|$|[.,!?;:…\"']))")
_EMPTY_PAIR = re.compile(r"\([\s.,;:]*\)|\[\s*\]|\"\s*\"|“\s*”")
_INCHES = re.compile(r"(?<=\d)\"")


def speakable(text: str) -> str:
    """The words of ``text`` that are for people, on one line; empty when there are none.

    Meant for a sentence or for a whole reply. Links are read by their text, table rows
    as their cells, bare addresses stay; code, tool calls, thinking, emotes and emoji are left
    out. Lines that end without punctuation get a full stop when another line follows.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _drop_blocks(text)
    text = _ESCAPE.sub(r"\1", text)
    text = _read_references(text)
    text = _drop_line_marks(text)
    text = drop_emotes(text)
    text = _CODE.sub(r"\2", text)
    text = _STRUCK.sub(r"\1", text)
    text = _LONE_STARS.sub("", text)
    text = text.replace("`", "")
    return _tidy(text)


def _drop_blocks(text: str) -> str:
    text = _HTML_COMMENT.sub(" ", text)
    text = _HIDDEN.sub(" ", text)
    text = _HIDDEN_END.sub(" ", text)
    text = _SPECIAL_TOKEN.sub(" ", text)
    text = _CODE_BLOCK.sub(" ", text)
    text = _drop_json(text)
    text = _CALL.sub("", text)
    text = _HTML_TAG.sub(" ", text)
    return _ENTITY.sub(lambda entity: html.unescape(entity.group()), text)


def _drop_json(text: str) -> str:
    """Remove valid JSON objects and lists of objects; "{not this}" stays."""
    decoder = json.JSONDecoder()
    kept: list[str] = []
    at = failures = 0
    for match in _JSON_START.finditer(text):
        if match.start() < at or failures > _MAX_JSON_FAILURES:
            continue
        try:
            _, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            failures += 1
            continue
        kept.append(text[at : match.start()])
        at = end
    return " ".join([*kept, text[at:]])


_JSON_START = re.compile(r"\[\s*\{\s*\"|\{\s*\"")
_MAX_JSON_FAILURES = 50
"""Bounds the work on hostile text; a reply of 90 tokens has far fewer braces."""


def _read_references(text: str) -> str:
    text = _IMAGE_OR_LINK.sub(r"\1", text)
    text = _FOOTNOTE.sub("", text)
    return _ADDRESS_IN_BRACKETS.sub(r"\1", text)


def _drop_line_marks(text: str) -> str:
    text = _RULE.sub("", text)
    text = _TABLE_RULE.sub("", text)
    text = _TABLE_ROW.sub(_read_row, text)
    text = _LINE_START.sub("", text)
    return _HEADING_END.sub("", text)


def _read_row(row: re.Match[str]) -> str:
    return ", ".join(cell.strip() for cell in row[1].split("|") if cell.strip())


def _tidy(text: str) -> str:
    lines = [" ".join(line.split()) for line in text.split("\n")]
    lines = [_SPACE_BEFORE_MARK.sub(r"\1", line) for line in lines]
    lines = [line for line in lines if any(c.isalnum() for c in line)]
    ended = [line if line[-1] in _SENTENCE_END + "\"')”" else line + "." for line in lines[:-1]]
    line = _EMPTY_PAIR.sub(" ", " ".join([*ended, *lines[-1:]]))
    line = _drop_stray_quote(" ".join(line.split()))
    return line if any(c.isalnum() for c in line) else ""


def _drop_stray_quote(line: str) -> str:
    """Remove quotes around the whole line, and a quote without a partner."""
    if line.startswith('"') and line.endswith('"') and line.count('"') == 2:
        return line[1:-1].strip()
    if line.startswith("“") and line.endswith("”") and line.count("“") == 1:
        return line[1:-1].strip()
    if line.count('"') % 2 == 1 and len(_INCHES.findall(line[:-1])) == 0:
        for edge in (line.removeprefix('"'), line.removesuffix('"')):
            if edge != line:
                return edge.strip()
        return line.replace('"', "")
    if line.count("“") != line.count("”"):
        return line.replace("“", "").replace("”", "")
    return line
