"""Cuts text that is still being written into whole sentences, so that the voice can start early.

Pure: text in, sentences out. A boundary is decided from the text alone and only once enough of
what follows has been seen, so it does not matter in which pieces the text arrives.
"""

from __future__ import annotations

import re

_NEVER_LAST = frozenset(
    "dr mr mrs ms prof mt gen col sgt capt lt cmdr rev hon messrs mme st vs e.g i.e cf viz approx"
    " esp incl gov sen rep pres".split()
)
"""Abbreviations that something always follows."""

_SOMETIMES_LAST = frozenset(
    "a.m p.m etc inc ltd co corp jr sr ave blvd rd u.s u.k u.n e.u ph.d al jan feb mar apr jun jul"
    " aug sep sept oct nov dec dept est min max sec hr hrs oz lb lbs ft".split()
)
"""Abbreviations that end a sentence only where the next word starts with a capital letter."""

_BEFORE_NUMBER = frozenset("no nos p pp fig figs vol ch art eq sec jan feb mar apr jun".split())
"""Abbreviations in front of a digit; elsewhere ordinary words ("No. I cannot.")."""

_STARTERS = frozenset(
    "a after also an and as at because but by can do for he here how however i if in is it it's"
    " i'm let let's my no not now of on or our please she so that that's the their then there"
    " there's these they this to we what when where which who why will with would yes you your".split()
)
"""Words that start a sentence but are nobody's surname: "vitamin C. It helps", "J. Smith"."""

_TERMINATORS = ".!?…"
_WIDE_TERMINATORS = "。！？"
_CLOSERS = "\"'”’»)]}*_`~"
_MAX_ABBREVIATION = 8
_MAX_EMPHASIS = 160
"""Characters within which an emote or emphasis must close, else its asterisk is only an asterisk;
also how long a sentence may be held back for it."""
_MAX_BLOCK = 4000
"""The same for a code block, a tool call or a JSON object."""

_POINT = re.compile(r"[.!?…。！？\n{<*]|`{1,}")
_WORD_BEFORE = re.compile(r"[^\W_](?:[^\W_]|[.'])*$")
_TAG = re.compile(r"<(think|thinking|tool_call|tool|function_call|function)\b[^<>\n]{0,80}>")
_TAG_PREFIX = re.compile(r"<[a-z_]{0,13}(?:\s[^<>\n]{0,80})?$")
_JSON_OPEN = re.compile(r"\{\s*[\"}]")
_STRING_OR_BRACE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}"]', re.DOTALL)


class _NeedMoreError(Exception):
    """What follows is needed before the boundary can be decided."""


class SentenceSplitter:
    """Collects pieces of text and hands out whole sentences.

    The sentences joined are the text, white space apart. Code blocks, tool calls, JSON objects and
    emotes are never cut in two; every other line break is a boundary.
    """

    def __init__(self) -> None:
        self._text = ""

    def feed(self, delta: str) -> list[str]:
        """Add a piece of text; the sentences that are whole now, stripped, never empty."""
        self._text += delta
        return self._take(final=False)

    def flush(self) -> list[str]:
        """The text is over: what is left, as sentences. The splitter is empty afterwards."""
        sentences = self._take(final=True)
        self._text = ""
        return sentences

    def _take(self, *, final: bool) -> list[str]:
        sentences: list[str] = []
        start = 0
        while start < len(self._text):
            try:
                end = _sentence_end(self._text, start, final=final)
            except _NeedMoreError:
                break
            sentence = self._text[start:end].strip()
            if sentence:
                sentences.append(sentence)
            start = end
        self._text = self._text[start:]
        return sentences


def split_sentences(text: str) -> list[str]:
    """The sentences of a whole text; see SentenceSplitter."""
    splitter = SentenceSplitter()
    return [*splitter.feed(text), *splitter.flush()]


def _sentence_end(text: str, start: int, *, final: bool) -> int:
    """Where the sentence that begins at ``start`` ends. Raises _NeedMoreError when unknown yet."""
    position = start
    while True:
        point = _POINT.search(text, position)
        if point is None:
            if final:
                return len(text)
            raise _NeedMoreError
        mark = point.group()
        if mark == "\n":
            if text[start : point.start()].strip():
                return point.end()
            position = point.end()
        elif mark in "{<*" or mark[0] == "`":
            position = _after_block(text, point.start(), point.end(), final=final)
        else:
            end, position = _terminator(text, start, point.start(), final=final)
            if end is not None:
                return end


def _after_block(text: str, at: int, end: int, *, final: bool) -> int:
    """Where to go on after a mark that may open something that must stay whole."""
    if end == len(text) and not final:
        raise _NeedMoreError
    mark = text[at:end]
    if mark == "*":
        return _after_emphasis(text, at, final=final)
    if mark == "{":
        return _after_json(text, at, final=final)
    if mark == "<":
        return _after_tag(text, at, final=final)
    if len(mark) >= 3:
        return _closed_by("```", text, end, end, final=final)
    return end


def _closed_by(closer: str, text: str, search_from: int, otherwise: int, *, final: bool) -> int:
    limit = search_from + _MAX_BLOCK
    found = text.find(closer, search_from, limit)
    if found >= 0:
        return found + len(closer)
    if final and len(text) < limit:
        return len(text)
    if len(text) < limit:
        raise _NeedMoreError
    return otherwise


def _after_tag(text: str, at: int, *, final: bool) -> int:
    tag = _TAG.match(text, at)
    if tag is not None:
        return _closed_by(f"</{tag[1]}>", text, tag.end(), tag.end(), final=final)
    if not final and _TAG_PREFIX.match(text, at):
        raise _NeedMoreError
    return at + 1


def _after_json(text: str, at: int, *, final: bool) -> int:
    if not _JSON_OPEN.match(text, at):
        if not final and not text[at + 1 :].strip():
            raise _NeedMoreError
        return at + 1
    limit = at + _MAX_BLOCK
    depth = 0
    for token in _STRING_OR_BRACE.finditer(text, at, limit):
        if token.group() == '"':  # a string that is not closed yet
            break
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if depth == 0:
            return token.end()
    if len(text) < limit and not final:
        raise _NeedMoreError
    return at + 1


def _after_emphasis(text: str, at: int, *, final: bool) -> int:
    stars = re.compile(r"\*{1,3}").match(text, at)
    opened = stars.end() if stars else at + 1
    if opened == len(text):
        if final:
            return opened
        raise _NeedMoreError
    if text[opened].isspace() or (at > 0 and text[at - 1].isalnum()):
        return opened
    limit = opened + _MAX_EMPHASIS
    line_end = text.find("\n", opened, limit)
    closer = text.find("*", opened, limit if line_end < 0 else line_end)
    if closer >= 0:
        while closer < len(text) and text[closer] == "*":
            closer += 1
        if closer == len(text) and not final:
            raise _NeedMoreError
        return closer
    if line_end < 0 and len(text) < limit and not final:
        raise _NeedMoreError
    return opened


def _terminator(text: str, start: int, at: int, *, final: bool) -> tuple[int | None, int]:
    """The sentence's end if the terminator at ``at`` is one, and where to go on if not."""
    end = at
    while end < len(text) and text[end] in _TERMINATORS + _WIDE_TERMINATORS:
        end += 1
    run = text[at:end]
    while end < len(text) and text[end] in _CLOSERS:
        end += 1
    if end == len(text):
        if final:
            return end, end
        raise _NeedMoreError
    if run[-1] in _WIDE_TERMINATORS:
        return end, end
    if not text[end].isspace():
        return None, end
    following = _following_word(text, end, final=final)
    if following is None:  # a line break or the end
        return end, end
    closed_quote = end - at - len(run) > 0
    if following[0].islower() and (closed_quote or run in ("...", "…", "..")):
        return None, end
    if run == "." and not closed_quote and not _ends_here(text[start:at], following):
        return None, end
    return end, end


def _following_word(text: str, at: int, *, final: bool) -> str | None:
    """The word after the white space at ``at``; None where a line break or the end follows."""
    word_start = at
    while word_start < len(text) and text[word_start].isspace():
        if text[word_start] == "\n":
            return None
        word_start += 1
    word_end = word_start
    while word_end < len(text) and not text[word_end].isspace() and word_end - word_start < 16:
        word_end += 1
    if word_end == len(text) and not final and word_end - word_start < 16:
        # "I" may become "It", so the whole word is waited for.
        raise _NeedMoreError
    return text[word_start:word_end] or None


def _ends_here(before: str, following: str) -> bool:
    """Whether a single full stop after ``before`` and in front of ``following`` ends a sentence."""
    if before.strip().isdigit():  # "1. Boil the water": the number of a list
        return False
    match = _WORD_BEFORE.search(before[-2 * _MAX_ABBREVIATION :])
    if match is None:
        return True
    word = match.group().lower()
    if word in _NEVER_LAST or (word in _BEFORE_NUMBER and following[0].isdigit()):
        return False
    if word in _SOMETIMES_LAST:
        return following[0].isupper()
    initial = len(word) == 1 and word.isalpha() and match.group().isupper() and word != "i"
    if initial:
        return following.rstrip(",.!?:;").lower().replace("’", "'") in _STARTERS
    return True
