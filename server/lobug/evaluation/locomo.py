"""Reads conversations in the form of the LoCoMo benchmark (Maharana et al., ACL 2024).

Two forms of one conversation are known: as published, an object with ``sample_id``,
``conversation`` and ``qa`` (a file holds one, or a list of them), and flat, with the sessions
beside ``qa``. Of a conversation only what was said, when, and the questions with their evidence are
read: neither answers, summaries, observations nor lists of events.

Pure but for ``read``. Raises LocomoError, one sentence, for whatever is not such a conversation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

CATEGORIES: Final[Mapping[int, str]] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
}
"""Scored categories of questions, by their number in the files."""

ADVERSARIAL = 5
"""Category of questions about things that were never said, which have no evidence."""

MAX_BYTES = 200_000_000
"""Largest file that is read. The ten published conversations have 3 MB."""

SESSION = re.compile(r"session_(\d{1,6})")
REFERENCE = re.compile(r"D\s*:?\s*(\d{1,6})\s*:\s*(\d{1,6})", re.IGNORECASE)
"""A turn by session and place. Some in the files are "D:11:26" or "D30:05"."""

Place = tuple[int, int]
"""Place of a turn: number of the session, number in it (below 0: no reference cites it)."""


class LocomoError(ValueError):
    """A file is not a conversation of the benchmark. The text is one sentence."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a conversation."""

    place: Place
    speaker: str
    text: str
    """The words, with the caption of a shown picture in square brackets; never blank."""


@dataclass(frozen=True, slots=True)
class Session:
    """Turns that were said one after another."""

    number: int
    at: datetime
    """When the session began, in this computer's time zone."""
    turns: Sequence[Turn]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the turns that hold its answer."""

    text: str
    category: int
    """A key of CATEGORIES."""
    evidence: frozenset[Place]
    """Never empty."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of two people with questions about it."""

    name: str
    sessions: Sequence[Session]
    questions: Sequence[Question]
    """The scored questions."""
    adversarial: int = 0
    """Number of questions of category 5, which are not scored."""
    skipped: int = 0
    """Number of questions of scored categories without evidence that names a turn."""
    mended: int = 0
    """Number of references to evidence that were not written like the turns' ids."""
    dangling: int = 0
    """Number of references to evidence that name no turn."""

    @property
    def turns(self) -> int:
        return sum(len(session.turns) for session in self.sessions)


@dataclass(frozen=True, slots=True)
class Reading:
    """The conversations at a path."""

    conversations: Sequence[Conversation]
    ignored: Sequence[str]
    """Files of a folder that are JSON but hold no conversation."""


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


def _unicode(text: str) -> str:
    """Half a character that is written as an escape ("\\ud800") becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


_Text = Annotated[str, AfterValidator(_unicode)]


class _Turn(_Read):
    dia_id: _Text = Field(max_length=64)
    speaker: _Text = Field(min_length=1, max_length=200)
    text: _Text = ""
    blip_caption: _Text | None = None


def _listed(value: object) -> object:
    """Evidence is a list of references; some questions have none, or one without a list."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


class _Question(_Read):
    question: _Text = Field(min_length=1)
    category: int
    evidence: Annotated[list[str], BeforeValidator(_listed)] = Field(default_factory=list)


class _Questions(_Read):
    questions: list[_Question]


class _Turns(_Read):
    turns: list[_Turn]


def read(path: Path) -> Reading:
    """The conversations of a file, or of all ``*.json`` of a folder in the order of their names."""
    if path.is_dir():
        found: list[Conversation] = []
        ignored: list[str] = []
        files = sorted(path.glob("*.json"))
        if not files:
            raise LocomoError(f"There is no .json file in {path}.")
        for file in files:
            document = _document(file)
            if _holds_conversation(document):
                found += parse(document, file.stem)
            else:
                ignored.append(file.name)
        if not found:
            raise LocomoError(f"No file in {path} holds a conversation with sessions.")
        return Reading(_named_apart(found), ignored)
    if not path.exists():
        raise LocomoError(f"There is no file or folder {path}.")
    return Reading(_named_apart(parse(_document(path), path.stem)), [])


def parse(document: object, name: str) -> list[Conversation]:
    """The conversations in a parsed JSON file; ``name`` names those without an id."""
    if isinstance(document, list):
        if not document:
            raise LocomoError(f"{name}: the list of conversations is empty.")
        return [
            _conversation(each, f"{name}-{number}") for number, each in enumerate(document, start=1)
        ]
    return [_conversation(document, name)]


def references(evidence: str) -> list[Place]:
    """The turns that a reference names: one, or several in one string."""
    return [(int(number), int(turn)) for number, turn in REFERENCE.findall(evidence)]


def moment(text: str) -> datetime:
    """A session's date as the files have it ("1:56 pm on 8 May, 2023"), or in ISO 8601. Raises
    ValueError, OverflowError, OSError."""
    plain = " ".join(text.replace(",", " ").split())
    try:
        return datetime.strptime(plain, "%I:%M %p on %d %B %Y").astimezone()
    except ValueError:
        return datetime.fromisoformat(text).astimezone()


def _document(file: Path) -> object:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise LocomoError(f"{file.name} is too long for a conversation.")
        return json.loads(file.read_bytes().decode("utf-8"))
    except OSError as error:
        raise LocomoError(f"{file.name} cannot be read ({error.strerror}).") from error
    except (RecursionError, ValueError) as error:
        if isinstance(error, LocomoError):
            raise
        raise LocomoError(f"{file.name} is not JSON.") from error


def _holds_conversation(document: object) -> bool:
    first = document[0] if isinstance(document, list) and document else document
    if not isinstance(first, dict):
        return False
    return "conversation" in first or any(SESSION.fullmatch(str(key)) for key in first)


def _conversation(document: object, name: str) -> Conversation:
    if not isinstance(document, dict):
        raise LocomoError(f"{name}: the conversation is not a JSON object.")
    if isinstance(sample := document.get("sample_id"), str) and sample:
        name = _unicode(sample[:100])
    said = document.get("conversation", document)
    if not isinstance(said, dict):
        raise LocomoError(f"{name}: conversation is not a JSON object.")
    asked = document.get("qa", document.get("questions"))
    if asked is None:
        raise LocomoError(f"{name}: there are no questions (qa).")
    sessions, ids = _sessions(said, name)
    try:
        questions = _Questions.model_validate({"questions": asked}).questions
    except ValidationError as error:
        raise LocomoError(f"{name}: {_sentence(error)}") from error
    return _with_questions(Conversation(name, sessions, ()), questions, ids)


def _sessions(said: Mapping[object, object], name: str) -> tuple[list[Session], dict[str, Place]]:
    """The sessions in the order of their numbers, and the place of each turn by its id."""
    numbers = sorted(
        int(match[1]) for key in said if (match := SESSION.fullmatch(str(key))) is not None
    )
    sessions: list[Session] = []
    ids: dict[str, Place] = {}
    taken: set[Place] = set()
    for number in dict.fromkeys(numbers):
        key = f"session_{number}"
        if not said.get(key):
            continue
        try:
            turns = _Turns.model_validate({"turns": said[key]}).turns
        except ValidationError as error:
            raise LocomoError(f"{name}, {key}: {_sentence(error)}") from error
        spoken = []
        for order, turn in enumerate(turns, start=1):
            place = next(iter(references(turn.dia_id)), (number, order))
            if place in taken:
                # Whoever cites it means the first; this one is there to be found wrongly.
                place = (number, -order)
            taken.add(place)
            ids.setdefault(turn.dia_id, place)
            text = _with_caption(turn)
            if text:
                spoken.append(Turn(place, turn.speaker, text))
        sessions.append(Session(number, _began(said, key, name), spoken))
    if not any(session.turns for session in sessions):
        raise LocomoError(f"{name}: there are no sessions (session_1, session_2 ...).")
    return sessions, ids


def _with_caption(turn: _Turn) -> str:
    caption = f"[{turn.blip_caption.strip()}]" if turn.blip_caption else ""
    return f"{turn.text.strip()} {caption}".strip()


def _began(said: Mapping[object, object], key: str, name: str) -> datetime:
    date = said.get(f"{key}_date_time")
    if not isinstance(date, str):
        raise LocomoError(f"{name}, {key}: {key}_date_time is missing.")
    try:
        return moment(date)
    except (ValueError, OverflowError, OSError) as error:
        raise LocomoError(f"{name}, {key}: {date[:60]!r} is not a date.") from error


def _with_questions(
    conversation: Conversation, asked: Sequence[_Question], ids: Mapping[str, Place]
) -> Conversation:
    places = set(ids.values())
    questions: list[Question] = []
    adversarial = skipped = mended = dangling = 0
    for each in asked:
        if each.category == ADVERSARIAL:
            adversarial += 1
            continue
        if each.category not in CATEGORIES:
            raise LocomoError(f"{conversation.name}: there is no category {each.category}.")
        evidence: set[Place] = set()
        for reference in each.evidence:
            named = [ids[reference]] if reference in ids else references(reference)
            known = [place for place in named if place in places]
            mended += bool(known) and reference not in ids
            dangling += len(named) - len(known) if named else 1
            evidence.update(known)
        if evidence:
            questions.append(Question(each.question, each.category, frozenset(evidence)))
        else:
            skipped += 1
    return replace(
        conversation,
        questions=questions,
        adversarial=adversarial,
        skipped=skipped,
        mended=mended,
        dangling=dangling,
    )


def _sentence(error: ValidationError) -> str:
    """Place and kind of the first fault, without the file's content."""
    first = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg'][:1].lower()}{first['msg'][1:]}."


def _named_apart(conversations: Sequence[Conversation]) -> list[Conversation]:
    def apart() -> Iterator[Conversation]:
        seen: dict[str, int] = {}
        for each in conversations:
            seen[each.name] = seen.get(each.name, 0) + 1
            again = seen[each.name]
            yield each if again == 1 else replace(each, name=f"{each.name} ({again})")

    return list(apart())
