"""Cuts text that is still being written into sentences and clauses, for an early voice. English.

Pure: text in, sentences or positions out. A boundary is decided from the text alone and only once
enough of what follows has been seen, so it does not matter in which pieces the text arrives. What
could be a list, a name, a date or a pair of adjectives is not cut into clauses: a pause that comes
too late costs half a second, one in a wrong place sounds like a machine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lobug.language.en.data import word_set

_NEVER_LAST = word_set("sentence_splitter", "never_last")
"""Abbreviations that something always follows."""

_SOMETIMES_LAST = word_set("sentence_splitter", "sometimes_last")
"""Abbreviations that end a sentence only where the next word starts with a capital letter."""

_BEFORE_NUMBER = word_set("sentence_splitter", "before_number")
"""Abbreviations in front of a digit; elsewhere ordinary words ("No. I cannot.")."""

_STARTERS = word_set("sentence_splitter", "starters")
"""Words that start a sentence but are nobody's surname: "vitamin C. It helps", "J. Smith"."""

_TERMINATORS = ".!?…"
_WIDE_TERMINATORS = "\u3002\uff01\uff1f"
"""Full stop, exclamation and question mark of Chinese and Japanese; no space follows them."""
_APOSTROPHE = "\u2019"
_CLOSERS = f"\"'”{_APOSTROPHE}»)]}}*_`~"
_LONGEST_ABBREVIATION = 8
"""Characters of an abbreviation."""
_MAX_EMPHASIS = 160
"""Characters within which an emote or emphasis must close, else its asterisk is only an asterisk;
also how long a sentence may be held back for it."""
_MAX_BLOCK = 2000
"""Characters within which a code block, a tool call or a JSON object must close."""
_MAX_JSON_DEPTH = 16

_POINT = re.compile(rf"[{_TERMINATORS}{_WIDE_TERMINATORS}\n{{<*]|`+")
_WORD_BEFORE = re.compile(r"[^\W_](?:[^\W_]|[.'])*$")
_LONGEST_NUMBER = 40
"""Characters of the number of a list item, with the white space around it."""
_INITIALS = re.compile(r"(?:[A-Z]\.)*[A-Z]")
_TAGS = ("think", "thinking", "tool_call", "tool", "function_call", "function")
_TAG = re.compile(rf"<({'|'.join(_TAGS)})\b[^<>\n]{{0,80}}>")
_TAG_PREFIX = re.compile(r"<([a-z_]*)(\s[^<>\n]{0,80})?\Z")
_JSON_OPEN = re.compile(r"\{\s*[\"}]")
_STRING_OR_BRACE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}"]', re.DOTALL)


class _NeedMoreError(Exception):
    """The text that follows is needed to decide about the boundary."""


class SentenceSplitter:
    """Collects pieces of text and hands out whole sentences.

    The sentences joined are the text, white space apart. Code blocks, tool calls, JSON objects and
    emotes are never cut in two; every other line break is a boundary.
    """

    def __init__(self) -> None:
        self._text = ""

    @property
    def unfinished(self) -> str:
        """The beginning of a sentence that is not complete yet."""
        return self._text

    def feed(self, delta: str) -> list[str]:
        """Add a piece of text. Returns the complete sentences, stripped, never empty."""
        self._text += delta
        return self._take(final=False)

    def flush(self) -> list[str]:
        """End the text. Returns the rest as sentences; the splitter is empty afterwards."""
        sentences = self._take(final=True)
        self._text = ""
        return sentences

    def _take(self, *, final: bool) -> list[str]:
        sentences: list[str] = []
        start = 0
        while (start := _after_space(self._text, start)) < len(self._text):
            try:
                end = _sentence_end(self._text, start, final=final)
            except _NeedMoreError:
                break
            sentences.append(self._text[start:end].rstrip())
            start = end
        self._text = self._text[start:]
        return sentences


def split_sentences(text: str) -> list[str]:
    """The sentences of a whole text; see SentenceSplitter."""
    splitter = SentenceSplitter()
    return [*splitter.feed(text), *splitter.flush()]


def _after_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


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
            return point.end()
        if mark in "{<*" or mark[0] == "`":
            position = _after_block(text, point.start(), point.end(), final=final)
        else:
            end, position = _terminator(text, start, point.start(), final=final)
            if end is not None:
                return end


def _after_block(text: str, at: int, end: int, *, final: bool) -> int:
    """Where to continue after a mark that may open a block; a block is never cut."""
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
    if not final and _may_become_tag(text, at):
        raise _NeedMoreError
    return at + 1


def _may_become_tag(text: str, at: int) -> bool:
    prefix = _TAG_PREFIX.match(text, at)
    if prefix is None:
        return False
    if prefix[2]:
        return prefix[1] in _TAGS
    return any(tag.startswith(prefix[1]) for tag in _TAGS)


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
        if depth > _MAX_JSON_DEPTH:
            return at + 1
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
        end = closer
        while end < len(text) and text[end] == "*":
            end += 1
        if end == len(text) and not final:
            raise _NeedMoreError
        # "**Look. It works.** Next": the full stop in front of the asterisks counts.
        inside = closer
        while inside > opened and text[inside - 1] in _TERMINATORS:
            inside -= 1
        return inside if inside < closer else end
    if line_end < 0 and len(text) < limit and not final:
        raise _NeedMoreError
    return opened


def _terminator(text: str, start: int, at: int, *, final: bool) -> tuple[int | None, int]:
    """The end of the sentence if the terminator at ``at`` ends it, and where to continue if not."""
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
    is_end = run[-1] in _WIDE_TERMINATORS or (
        text[end].isspace() and _starts_anew(start, at, run, text, end, final=final)
    )
    return (end if is_end else None), end


def _starts_anew(start: int, at: int, run: str, text: str, end: int, *, final: bool) -> bool:
    """Whether a sentence starts after the white space at ``end``.

    ``start`` and ``at`` are where the sentence before and its terminators, ``run``, begin; quotes
    may stand after them.
    """
    word_start = _next_word(text, end, final=final)
    if word_start is None:
        return True
    closed_quote = text[end - 1] in _CLOSERS
    if text[word_start].islower() and (closed_quote or run in ("...", "…", "..")):
        return False
    if run != "." or closed_quote:
        return True
    return _full_stop_ends(start, at, text, word_start, final=final)


def _next_word(text: str, at: int, *, final: bool) -> int | None:
    """Where the next word of this line starts; None where a line break or the end follows."""
    while at < len(text) and text[at].isspace():
        if text[at] == "\n":
            return None
        at += 1
    if at < len(text):
        return at
    if final:
        return None
    raise _NeedMoreError


def _full_stop_ends(start: int, at: int, text: str, word_start: int, *, final: bool) -> bool:
    """Whether the single full stop at ``at``, in a sentence that begins at ``start``, ends it."""
    # Never the whole sentence: it may have as many full stops as words.
    if at - start <= _LONGEST_NUMBER and text[start:at].strip().isdigit():
        return False  # "1. Boil the water": the number of a list
    match = _WORD_BEFORE.search(text[max(start, at - 2 * _LONGEST_ABBREVIATION) : at])
    if match is None:
        return True
    word = match.group().lower().lstrip("0123456789")
    following = text[word_start]
    if word in _NEVER_LAST or (word in _BEFORE_NUMBER and following.isdigit()):
        return False
    if word in _SOMETIMES_LAST:
        return following.isupper()
    if match.group() != "I" and _INITIALS.fullmatch(match.group()):
        # Only the whole word tells a surname from the start of a sentence.
        word_end = word_start
        while word_end < len(text) and (
            text[word_end].isalpha() or text[word_end] in f"'{_APOSTROPHE}"
        ):
            word_end += 1
        if word_end == len(text) and not final:
            raise _NeedMoreError
        return text[word_start:word_end].lower().replace(_APOSTROPHE, "'") in _STARTERS
    return True


_SUBJECTS = word_set("clauses", "subjects")
"""Words that begin a clause of its own."""

_OPENERS = _SUBJECTS | word_set("clauses", "openers")
"""Words that go on after a comma and are no item of a list."""

_PHRASE_OPENERS = word_set("clauses", "phrase_openers")
"""Words that do so unless "and" follows two words later: "the sea, the hills and the wood"."""

_CONJUNCTIONS = word_set("clauses", "conjunctions")
"""A pause comes before one of them in a long sentence, also without a comma."""

_JOINED = frozenset(("and", "or", "so"))
"""A pause comes before one of them where a clause with a subject follows; otherwise they join two
words."""

_LISTING = frozenset(("and", "or", "nor", "&"))
_NOT_BEFORE_CONJUNCTION = word_set("clauses", "not_before_conjunction")
"""Words that belong together with the conjunction after them: "ask if", "in which"."""

_QUALIFIERS = word_set("clauses", "qualifiers")
"""An adjective after one of them may be the first of two: "a small, friendly robot"."""

_FEWEST_WORDS = 2
"""Fewest words of a clause that punctuation ends: "I'm sorry," is said in one breath."""
FEWEST_BEFORE_CONJUNCTION = 4
"""Fewest words before a pause without punctuation."""

_PAUSE = re.compile(
    r"(?<=[^\s.])[,;:]\s|(?<=[^\W_])(?:…|\.\.\.)\s|\s[—–]\s|(?<=[^\W_])\s(?=[a-z]+)"
)
_WORD = re.compile(r"[^\s,.!?;:…—–]+")


def clause_end(text: str, start: int, shortest: int, *, final: bool) -> int | None:
    """Where the clause ends that begins at ``start``; white space follows it.

    Args:
        text: a sentence, or its beginning.
        start: index of the clause's first character.
        shortest: characters that the clause must have at least.
        final: nothing follows ``text``.

    Returns:
        The index after its last character; None: no pause was found yet.
    """
    comma = text.find(",", start)
    count = 0
    latest: list[str] = []
    seen = start
    for pause in _PAUSE.finditer(text, start):
        end = pause.end() - 1
        # Only what is new since the last pause: a text may have as many pauses as words.
        new = text[seen:end].split()
        count += len(new)
        latest = [*latest, *new][-2:]
        seen = end
        last = end
        while last > start and text[last - 1].isspace():
            last -= 1
        if last - start < shortest or count < _FEWEST_WORDS:
            continue
        clause = _Clause(latest, count, text[last - 1], 0 <= comma < last - 1)
        try:
            if _is_pause(clause, text, pause.end(), marked=len(pause.group()) > 1, final=final):
                return end
        except _NeedMoreError:
            return None
    return None


@dataclass(frozen=True, slots=True)
class _Clause:
    """What a clause looks like before a pause."""

    latest: Sequence[str]
    """Its last two words."""
    words: int
    ending: str
    """Its last character."""
    commas: bool
    """Whether there is a comma before its last character."""


def _is_pause(clause: _Clause, text: str, after: int, *, marked: bool, final: bool) -> bool:
    """Whether there is a pause between ``clause`` and the text at ``after``.

    ``marked``: by punctuation.
    """
    first = _word(text, after, final=final)
    if first is None or not first[0].isalpha():
        return False
    second = _word(text, after + len(first) + 1, final=final)
    if second is None:  # "..., my friend." is no piece of its own
        return False
    if not marked:
        return _is_unmarked_pause(clause, _plain(first), _plain(second))
    if clause.ending != ",":
        return True
    low = _plain(first)
    if low in _PHRASE_OPENERS:
        third = _word(text, after + len(first) + len(second) + 2, final=final)
        return third is not None and _plain(third) not in _LISTING
    return _is_comma_pause(clause, first, _plain(second))


def _is_comma_pause(clause: _Clause, first: str, second: str) -> bool:
    before = [*clause.latest[:-1], clause.latest[-1][:-1]]
    low = _plain(first)
    if first[0].isupper() and low not in _SUBJECTS and before[-1][0].isupper():
        return False  # "Portland, Oregon", "Anna, Bob"
    if low in _OPENERS:
        return True
    if low in _LISTING:  # it ends a list, or a clause
        return not clause.commas or second in _SUBJECTS
    return second not in _LISTING and _plain(before[-2]) not in _QUALIFIERS


def _is_unmarked_pause(clause: _Clause, first: str, second: str) -> bool:
    if clause.words < FEWEST_BEFORE_CONJUNCTION:
        return False
    if first in _JOINED:
        return second in _SUBJECTS or second == "then"
    return first in _CONJUNCTIONS and _plain(clause.latest[-1]) not in _NOT_BEFORE_CONJUNCTION


def _word(text: str, at: int, *, final: bool) -> str | None:
    """The word at ``at``, which another one must follow; None: it is the last before a mark, or
    there is none. Raises _NeedMoreError when that is not known yet."""
    match = _WORD.match(text, at)
    if match is None:
        if at >= len(text) and not final:
            raise _NeedMoreError
        return None
    end = match.end()
    if end + 1 >= len(text):
        if final:
            return None
        if end == len(text) or text[end] == " ":
            raise _NeedMoreError
    return match.group() if text[end] == " " and text[end + 1].isalnum() else None


def _plain(word: str) -> str:
    return word.lower().replace("\u2019", "'")
