"""Addresses, file names and versions as somebody reads them aloud. English. Pure."""

from __future__ import annotations

import re

_ENDINGS = (
    "com org net edu gov info dev app io ai eu uk de fr es it nl se ch at be us ca au nz jp cn in"
    " br me tv fm co xyz local"
).split()
"""Of hosts that are written without "www" in front; a longer list takes "end.So" for one."""
_FILES = (
    "py js ts txt md pdf doc docx xls xlsx csv json yaml yml toml ini cfg conf xml html htm css cpp"
    " cc h hpp c rs go java sh bat exe zip tar gz mp3 mp4 wav ogg flac png jpg jpeg gif svg log db"
    " sqlite bin ino"
).split()
_SPELLED = frozenset(
    "io ai eu uk de fr nl se ch us ca au nz jp cn br tv fm py js ts md pdf csv xml html htm css cpp"
    " cc hpp rs sh mp png svg db gz xls xlsx".split()
)
"""Endings that are no words: read letter by letter, as capitals are."""
_LONGEST_PATH = 30
"""Characters of a path that a listener follows; of a longer one only the host is read."""
_PATH_SIGNS = {"-": "dash", "_": "underscore", ".": "dot", "~": "tilde", "+": "plus"}

_HOST = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,62})(?:\.[a-zA-Z0-9-]{1,63}){0,6}"
_TAIL = r"(?::(?P<port>[0-9]{1,5}))?(?P<path>[/?#][^\s<>\"'()\[\]]*[^\s<>\"'()\[\].,!?;:]|/)?"
_URL = re.compile(
    rf"(?<![\w@.])(?:(?:https?|ftp|wss?)://|www\.)(?:www\.)?(?P<host>{_HOST}){_TAIL}",
    re.IGNORECASE,
)
_BARE = re.compile(
    rf"(?<![\w@.])(?P<host>(?:[a-zA-Z0-9-]{{1,63}}\.){{1,4}}(?:{'|'.join(_ENDINGS)})"
    rf"(?![\w@-]|\.\w)){_TAIL}"
)
_MAIL = re.compile(r"(?<![\w.+-])(?:mailto:)?([\w.+-]{1,64})@([a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+)")
_FILE = re.compile(
    rf"(?<![\w.])([A-Za-z0-9_-]{{1,60}}(?:\.[A-Za-z0-9_-]{{1,20}}){{0,2}}\.(?:{'|'.join(_FILES)}))"
    r"(?![\w-]|\.\w)"
)
_VERSION = re.compile(r"(?<![\w.])[vV](?:ersion\s)?\.?\s?([0-9]+(?:\.[0-9]+){0,4})(?![\w]|\.[0-9])")
_NUMBERS = re.compile(r"(?<![\w.,])([0-9]+(?:\.[0-9]+){2,5})(?![\w]|\.[0-9])")


def read_addresses(text: str) -> str:
    """Web and mail addresses and file names in words; the numbers in them stay digits."""
    text = _MAIL.sub(lambda mail: f"{_signs(mail[1])} at {_host(mail[2])}", text)
    text = _URL.sub(_address, text)
    text = _BARE.sub(_address, text)
    return _FILE.sub(lambda file: _host(file[1]), text)


def read_versions(text: str) -> str:
    """Version and IP numbers, "1.2.3", in words; the numbers themselves stay digits."""
    text = _VERSION.sub(lambda version: f"version {version[1].replace('.', ' point ')}", text)
    return _NUMBERS.sub(lambda number: number[1].replace(".", " point "), text)


def _address(match: re.Match[str]) -> str:
    words = [_host(match["host"])]
    if match["port"]:
        words.append(f"port {match['port']}")
    path = re.split(r"[?#]", match["path"] or "")[0]
    if len(path) <= _LONGEST_PATH and path.isascii() and "%" not in path:
        words += [f"slash {_signs(part)}" for part in path.split("/") if part]
    return " ".join(words)


def _host(name: str) -> str:
    *names, ending = name.split(".")
    spelled = ending.upper() if ending.lower() in _SPELLED else ending
    return " dot ".join(_signs(part) for part in [*names, spelled] if part)


def _signs(text: str) -> str:
    """The words of a name, with its signs."""
    parts = re.findall(r"[^\W_]+|[-_.~+]", text)
    return " ".join(_PATH_SIGNS.get(part, part) for part in parts)
