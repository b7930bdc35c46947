"""The text index of turns: which of a user's turns hold which words.

A row of ``turn_index`` is made, and everything derived from a turn's words is deleted, by triggers
of ``conversation_log`` (migration 3): a row without words waits to be analysed. Only this module
reads and writes the FTS5 table ``turn_text``, and what PostgreSQL has in its place,
``turn_postings``.

Words are those of ``lobug.language.en.words`` (stop words, stems with irregular forms, numbers as
digits). In other languages than English they are compared as they are, and questions are known by
their mark.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Integer, bindparam, select, update

from lobug.language.en import speech_acts, words
from lobug.language.en.data import MONTHS
from lobug.language.en.questions import ONESELF, has_time
from lobug.storage.connection import Connection
from lobug.storage.index_tables import turn_index, turn_owners, turn_words
from lobug.storage.statements import (
    SQLITE,
    Row,
    among,
    dialect_of,
    insert_or_add,
    run,
    run_for_bytes,
)
from lobug.storage.tables import conversation_log

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TurnTotals:
    """The number of a user's analysed turns, and of the words in them."""

    owner: int
    """The user's number in the index."""
    turns: int
    words: int
    """In all of them."""


LOG = select(turn_owners.c.id.label("owner"), turn_owners.c.turns, turn_owners.c.words).where(
    turn_owners.c.user == bindparam("user")
)


def totals_of(connection: Connection, user: str) -> TurnTotals | None:
    """The user's turns; None: there are none."""
    row = run(connection, LOG, user=user).first()
    return None if row is None else TurnTotals(**row._asdict())


def token(owner: int, stem: str) -> str:
    """What the text index holds for a word; no other user's search has the same token."""
    return f"{owner}x{stem}"


COUNTS = "SELECT term, doc FROM turn_terms WHERE term IN (SELECT value FROM json_each(:tokens))"
# A stem is letters and digits, and it is quoted: nothing in it is an operator.
MATCHING = "SELECT rowid FROM turn_text WHERE turn_text MATCH '\"' || :token || '\"'"
LENGTHS = (
    "SELECT json_array_length(t.words) FROM json_each(:ids) j"
    " CROSS JOIN turn_index t WHERE t.message_id = j.value ORDER BY j.key"
)
# All at once, also those of words that are too common to be looked for: a search wants to know how
# many turns have them. LATERAL and OFFSET 0 look each word up.
POSTINGS = """
SELECT w.stem, w.id, array_send(p.turns) AS turns
FROM json_texts(:stems) j
CROSS JOIN LATERAL (SELECT id, stem FROM turn_words WHERE stem = j.value OFFSET 0) w
CROSS JOIN LATERAL (SELECT turns FROM turn_postings
                    WHERE owner = :owner AND word_id = w.id OFFSET 0) p
"""
_ARRAY_HEADER = 20
_ARRAY_ITEM = np.dtype([("size", ">i4"), ("number", ">i8")])
"""How PostgreSQL sends an array of bigint: a header, and each number with its size before it. To
read it as such takes half of the time that psycopg needs for a list."""
LENGTH_BITS = 16
"""Of a number in ``turn_postings``: the turn's words. The others are its message's id."""
INSERT_TOKENS = "INSERT INTO turn_text (rowid, tokens) VALUES (:message_id, :tokens)"


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Which of the user's turns hold some stems."""

    counts: Mapping[str, int]
    """How many turns hold each of them."""
    turns: Mapping[str, Ints]
    """Ids of the messages that hold the rarest of them, by stem."""
    lengths: Mapping[str, Ints] | None
    """Words in each of these turns; None: ``lengths_of`` looks them up."""


def occurrences(
    connection: Connection, totals: TurnTotals, stems: Sequence[str], most: int
) -> Occurrences:
    """The user's turns that hold some stems, the rarest first until ``most`` turns hold them; those
    of one stem in any case."""
    if dialect_of(connection) is not SQLITE:
        return _posted(connection, totals, stems, most)
    tokens = {token(totals.owner, stem): stem for stem in stems}
    asked = json.dumps(list(tokens))
    counts = dict.fromkeys(stems, 0)
    counts |= {tokens[row.term]: row.doc for row in run(connection, COUNTS, tokens=asked)}
    turns = dict[str, Ints]()
    for stem in _rarest(counts, most):
        holding = run(connection, MATCHING, token=token(totals.owner, stem))
        turns[stem] = np.array(holding.scalars(), np.int64)
    return Occurrences(counts, turns, None)


def _posted(
    connection: Connection, totals: TurnTotals, stems: Sequence[str], most: int
) -> Occurrences:
    """``occurrences`` in PostgreSQL."""
    blocks = dict[str, list[Ints]]()
    words = defaultdict[str, set[int]](set)
    for row in run_for_bytes(connection, POSTINGS, stems=json.dumps(stems), owner=totals.owner):
        blocks.setdefault(row.stem, []).append(_numbers(row.turns))
        words[row.stem].add(row.id)
    postings = {stem: np.concatenate(found) for stem, found in blocks.items()}
    for stem, of_stem in words.items():
        if len(of_stem) > 1:  # a turn may have several of them
            postings[stem] = np.unique(postings[stem])
    counts = dict.fromkeys(stems, 0) | {stem: len(found) for stem, found in postings.items()}
    chosen = {stem: postings[stem] for stem in _rarest(counts, most)}
    return Occurrences(
        counts,
        {stem: found >> LENGTH_BITS for stem, found in chosen.items()},
        {stem: found & (1 << LENGTH_BITS) - 1 for stem, found in chosen.items()},
    )


def _rarest(counts: Mapping[str, int], most: int) -> list[str]:
    """The stems that the fewest turns hold, until ``most`` turns hold them: at least one, and none
    that no turn holds."""
    found = list[str]()
    held = 0
    for stem in sorted((stem for stem in counts if counts[stem]), key=counts.__getitem__):
        held += counts[stem]
        if found and held > most:
            break
        found.append(stem)
    return found


def lengths_of(connection: Connection, message_ids: Ints) -> Ints:
    """The number of words of each of these turns."""
    rows = run(connection, LENGTHS, ids=json.dumps(message_ids.tolist()))
    return np.array(rows.scalars(), np.int64)


def _numbers(sent: bytes) -> Ints:
    items = np.frombuffer(sent, _ARRAY_ITEM, offset=_ARRAY_HEADER)
    return items["number"].astype(np.int64)


PENDING = (
    select(turn_index.c.message_id, turn_owners.c.user)
    .join(turn_owners, turn_owners.c.id == turn_index.c.owner)
    .where(turn_index.c.words.is_(None))
    .order_by(turn_index.c.message_id.desc())
    .limit(bindparam("limit", type_=Integer))
)


def pending(connection: Connection, limit: int) -> list[Row]:
    """Messages that wait to be analysed (``message_id``, ``user``), newest first: they are asked
    for most."""
    return run(connection, PENDING, limit=limit).all()


TO_ANALYSE = (
    select(
        turn_index.c.message_id,
        turn_index.c.owner,
        conversation_log.c.content,
        conversation_log.c.created_at,
    )
    .join(conversation_log, conversation_log.c.id == turn_index.c.message_id)
    .where(among(turn_index.c.message_id, "message_ids"), turn_index.c.words.is_(None))
)


def analyse(connection: Connection, message_ids: Iterable[int]) -> None:
    """Analyse turns that wait for it; a search then finds them by their words."""
    for row in run(connection, TO_ANALYSE, message_ids=message_ids).all():
        offered = analyse_turn(row.content, _local(row.created_at))
        _analyse(connection, row.message_id, row.owner, offered)


STORE_WORDS = update(turn_index).where(turn_index.c.message_id == bindparam("of_message"))
COUNT_TURN = (
    update(turn_owners)
    .values(turns=turn_owners.c.turns + 1, words=turn_owners.c.words + bindparam("added"))
    .where(turn_owners.c.id == bindparam("owner"))
)


def _analyse(connection: Connection, message_id: int, owner: int, offered: TurnTerms) -> None:
    ids = _word_ids(connection, owner, message_id, offered.words)
    run(
        connection,
        STORE_WORDS,
        of_message=message_id,
        asking=offered.asking,
        timed=int(offered.timed),
        words=json.dumps([ids[word] for word in offered.words], separators=(",", ":")),
    )
    run(connection, COUNT_TURN, owner=owner, added=len(offered.words))
    if dialect_of(connection) is SQLITE:
        tokens = " ".join(token(owner, stem(word)) for word in offered.words)
        run(connection, INSERT_TOKENS, message_id=message_id, tokens=tokens)


def forget_user(connection: Connection, user: str) -> None:
    """Take all turns of somebody out of the index before their messages are deleted: in PostgreSQL
    at once, since its triggers take longer for each turn the more of them there are. In SQLite the
    triggers do it."""
    if dialect_of(connection) is not SQLITE:
        run(connection, "SELECT unindex_user(CAST(:user AS text))", user=user)


def forget_turns(connection: Connection, message_ids: Iterable[int]) -> None:
    """Take turns out of the index before their messages are deleted, as ``forget_user`` does."""
    if dialect_of(connection) is not SQLITE:
        ids = json.dumps(list(message_ids))
        run(
            connection,
            "SELECT unindex_turns(ARRAY(SELECT value FROM json_each(CAST(:ids AS text))))",
            ids=ids,
        )


COUNT_WORD = insert_or_add(turn_words, "word", "uses").returning(turn_words.c.id)
# In PostgreSQL each owner's uses of a word are counted with the turns that have it, and ``uses`` of
# the word itself stays 1; a word that is there is only looked up. Otherwise writes of different
# people would wait for each other at common words. Where another write deletes a word just then,
# because nobody else had said it, the foreign key of its postings fails in one of the two, and that
# one is done again. The 128 turns of a full block and the form of ``turns`` are those of
# ``post_turns`` (storage/postgres/steps/memory_004.sql).
POST_WORDS = """
WITH said AS (
    SELECT w.word, w.uses
    FROM jsonb_to_recordset(CAST(:words AS jsonb)) w (word text, uses bigint)
), known AS (
    SELECT id, word FROM turn_words WHERE word = ANY(ARRAY(SELECT word FROM said))
), posted AS (
    INSERT INTO turn_postings (owner, word_id, block, uses, turns)
    SELECT :owner, known.id, coalesce(last.block + last.full, 0), said.uses,
           ARRAY[CAST(:posting AS bigint)]
    FROM known JOIN said USING (word)
    LEFT JOIN LATERAL (
        SELECT block, CASE WHEN cardinality(turns) >= 128 THEN 1 ELSE 0 END AS full
        FROM turn_postings p WHERE p.owner = :owner AND p.word_id = known.id
        ORDER BY block DESC LIMIT 1
    ) last ON true
    ON CONFLICT (owner, word_id, block) DO UPDATE
        SET uses = turn_postings.uses + excluded.uses, turns = turn_postings.turns || excluded.turns
)
SELECT word, id FROM known
"""
# Whoever finds that another write adds the same word waits for that one alone, and does not hold it
# afterwards: otherwise all who say a new word would be committed one after another. Turns add their
# words in the same order: seldom do two wait for each other, and one of them is then done again.
ADD_WORDS = """
INSERT INTO turn_words (word, stem, uses)
SELECT w.word, w.stem, 1 FROM jsonb_to_recordset(CAST(:words AS jsonb)) w (word text, stem text)
ORDER BY w.word COLLATE "C"
ON CONFLICT (word) DO NOTHING
"""


def _word_ids(
    connection: Connection, owner: int, message_id: int, found: Sequence[str]
) -> dict[str, int]:
    """Ids of a turn's words; their uses are counted and, in PostgreSQL, the turn noted with each of
    them."""
    counted = Counter(found)
    if dialect_of(connection) is SQLITE:
        return {
            word: run(connection, COUNT_WORD, word=word, stem=stem(word), uses=uses).scalar()
            for word, uses in counted.items()
        }
    posting = message_id << LENGTH_BITS | min(len(found), (1 << LENGTH_BITS) - 1)
    ids: dict[str, int] = {}
    while new := [word for word in counted if word not in ids]:
        said = json.dumps([{"word": word, "uses": counted[word]} for word in new])
        rows = run(connection, POST_WORDS, owner=owner, posting=posting, words=said)
        ids |= {row.word: row.id for row in rows}
        absent = [{"word": word, "stem": stem(word)} for word in new if word not in ids]
        if absent:
            run(connection, ADD_WORDS, words=json.dumps(absent))
    return ids


def _local(at: float) -> datetime:
    """Local time; the epoch for what no calendar has."""
    try:
        return datetime.fromtimestamp(at, UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0.0, UTC)


MAX_TURN_CHARS = 16_000
"""Characters of a turn that are analysed. A message may hold a book; such a one is no answer."""

MAX_QUESTION_CHARS = 2_000

MAX_QUESTION_WORDS = 64

MAX_WORD_CHARS = 48
"""Longer ones (addresses, keys) are cut: the text index has its own limit far above."""


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """A question, analysed for retrieval."""

    words: tuple[str, ...]
    """Content words in their order, one for each stem, without names of speakers."""
    stems: tuple[str, ...]
    """Their stems, indexed like ``words``; each once."""
    speakers: frozenset[str]
    """Speakers it names, lower case; empty where speakers have no names."""
    oneself: bool
    """Whether who asks is named: "What did I say about my sister?"."""
    plain: str
    """The question without the names of speakers."""


@dataclass(frozen=True, slots=True)
class TurnTerms:
    """What is stored of a turn so that it can be found."""

    words: tuple[str, ...]
    """Content words in their order, with repetitions; then year, month and day it was said."""
    asking: float
    """Share of the text that are questions, 0 to 1."""
    timed: bool
    """Whether it has a word of time."""


def analyse_question(question: str, speakers: Iterable[str] = ()) -> QuestionTerms:
    """Analyse a question. ``speakers``: names that occur in this user's log, if any."""
    question = question[:MAX_QUESTION_CHARS]
    said = words.words(question)
    named, parts = set[str](), set[str]()
    plain = question
    for name in speakers:
        name_words = words.words(name)
        if name_words and _contains(said, name_words):
            named.add(name.lower())
            parts.update(name_words)
            pattern = rf"\b{re.escape(name)}\b(?:['\u2019]s)?"
            plain = re.sub(pattern, " ", plain, flags=re.IGNORECASE)
    by_stem: dict[str, str] = {}
    for word in words.content_words(question):
        if word not in parts and len(by_stem) < MAX_QUESTION_WORDS:
            by_stem.setdefault(stem(word), word[:MAX_WORD_CHARS])
    return QuestionTerms(
        words=tuple(by_stem.values()),
        stems=tuple(by_stem),
        speakers=frozenset(named),
        oneself=not ONESELF.isdisjoint(said),
        plain=" ".join(plain.split()) or question,
    )


def analyse_turn(text: str, when: datetime) -> TurnTerms:
    """Analyse a turn that was said at ``when``, local time."""
    text = text[:MAX_TURN_CHARS]
    sentences = speech_acts.sentences(text)
    total = sum(map(len, sentences))
    questions = sum(len(part) for part in sentences if speech_acts.is_question(part))
    content = (word[:MAX_WORD_CHARS] for word in words.words(text) if word not in words.STOP_WORDS)
    return TurnTerms(
        words=(*content, str(when.year), MONTHS[when.month - 1].lower(), str(when.day)),
        asking=questions / total if total else 0.0,
        timed=has_time(text),
    )


def stem(word: str) -> str:
    """The stem of a word, as it is indexed."""
    return words.stem(word)[:MAX_WORD_CHARS]


def _contains(said: list[str], name: list[str]) -> bool:
    return any(said[at : at + len(name)] == name for at in range(len(said) - len(name) + 1))
