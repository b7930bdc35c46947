"""Removes markup from a reply: only words for people are left. Pure.

Models write for a screen: bold, lists, tables, code, links, stage directions, tool calls. Read
aloud, those are noise ("asterisk asterisk") or nonsense, so they become plain words or nothing.
Ordinary text comes through unchanged: "5 * 3 * 2", "snake_case", "(approximately)".
"""

from __future__ import annotations

import html
import json
import re

from lobug.language.en.emotes import drop_emotes

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
