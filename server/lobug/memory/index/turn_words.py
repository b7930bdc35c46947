"""The text index of turns: which of a user's turns hold which words.

A row of ``turn_index`` is made, and everything derived from a turn's words is deleted, by triggers
of ``conversation_log`` (migration 3): a row without words waits to be analysed. Only this module
reads and writes the FTS5 table ``turn_text``.

Words are those of ``lobug.language.en.words`` (stop words, stems with irregular forms, numbers as
digits). In other languages than English they are compared as they are, and questions are known by
their mark.
"""

from __future__ import annotations

import json
import re
from collections import Counter
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
    HandWritten,
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
# All at once, since to count the turns that hold a word PostgreSQL has to look at each of them.
OCCURRENCES = """
WITH held AS MATERIALIZED (
    SELECT j.term, j.at, h.ids, h.lengths, coalesce(cardinality(h.ids), 0) AS turns
    FROM jsonb_array_elements_text(CAST(:tokens AS jsonb)) WITH ORDINALITY j (term, at)
    CROSS JOIN LATERAL (SELECT array_agg(message_id) AS ids, array_agg(length) AS lengths
                        FROM turn_tokens WHERE tokens @> ARRAY[j.term]) h
), added AS (
    SELECT held.*, sum(turns) OVER (ORDER BY turns, at ROWS UNBOUNDED PRECEDING) AS so_far FROM held
)
SELECT term, turns,
       CASE WHEN so_far <= :most OR so_far = turns THEN array_send(ids) END AS ids,
       CASE WHEN so_far <= :most OR so_far = turns THEN array_send(lengths) END AS lengths
FROM added ORDER BY turns, at
"""
_ARRAY_HEADER = 20
_ARRAY_ITEM = np.dtype([("size", ">i4"), ("number", ">i8")])
"""How PostgreSQL sends an array of bigint: a header, and each number with its size before it. To
read it as such takes half of the time that psycopg needs for a list."""
INSERT_TOKENS = HandWritten(
    sqlite="INSERT INTO turn_text (rowid, tokens) VALUES (:message_id, :tokens)",
    postgres="INSERT INTO turn_tokens (message_id, tokens, length)"
    " SELECT :message_id, array_agg(DISTINCT token), count(*)"
    " FROM regexp_split_to_table(:tokens, ' ') t (token) WHERE token <> ''",
)


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
    tokens = {token(totals.owner, stem): stem for stem in stems}
    asked = json.dumps(list(tokens))
    if dialect_of(connection) is not SQLITE:
        rows = run_for_bytes(connection, OCCURRENCES, tokens=asked, most=most).all()
        given = [row for row in rows if row.ids is not None]
        return Occurrences(
            {tokens[row.term]: row.turns for row in rows},
            {tokens[row.term]: _numbers(row.ids) for row in given},
            {tokens[row.term]: _numbers(row.lengths) for row in given},
        )
    counts = dict.fromkeys(stems, 0)
    counts |= {tokens[row.term]: row.doc for row in run(connection, COUNTS, tokens=asked)}
    turns = dict[str, Ints]()
    held = 0
    for stem in sorted(stems, key=lambda stem: counts[stem]):
        held += counts[stem]
        if turns and held > most:
            break
        if counts[stem]:
            holding = run(connection, MATCHING, token=token(totals.owner, stem))
            turns[stem] = np.array(holding.scalars(), np.int64)
    return Occurrences(counts, turns, None)


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
    ids = _word_ids(connection, owner, offered.words)
    run(
        connection,
        STORE_WORDS,
        of_message=message_id,
        asking=offered.asking,
        timed=int(offered.timed),
        words=json.dumps([ids[word] for word in offered.words], separators=(",", ":")),
    )
    run(connection, COUNT_TURN, owner=owner, added=len(offered.words))
    run(
        connection,
        INSERT_TOKENS,
        message_id=message_id,
        tokens=" ".join(token(owner, stem(word)) for word in offered.words),
    )


def forget_user(connection: Connection, user: str) -> None:
    """Take all turns of somebody out of the index before their messages are deleted: in PostgreSQL
    at once, since its triggers take longer for each turn the more of them there are. In SQLite the
    triggers do it."""
    if dialect_of(connection) is not SQLITE:
        run(connection, "SELECT unindex_user(CAST(:user AS text))", user=user)


COUNT_WORD = insert_or_add(turn_words, "word", "uses").returning(turn_words.c.id)
# In PostgreSQL each owner's uses of a word are a row of their own, and ``uses`` of the word itself
# stays 1; a word that is there is only looked up. Otherwise writes of different people would wait
# for each other at common words. Where another write deletes a word just then, because nobody else
# had said it, the foreign key of its uses fails in one of the two, and that one is done again. A
# new word may be another's new one, too: so it is updated, which changes nothing.
COUNT_ALL_WORDS = """
WITH said AS (
    SELECT w.word, w.stem, w.uses
    FROM jsonb_to_recordset(CAST(:words AS jsonb)) w (word text, stem text, uses bigint)
), known AS (
    SELECT word, id FROM turn_words WHERE word = ANY(ARRAY(SELECT word FROM said))
), made AS (
    INSERT INTO turn_words (word, stem, uses)
    SELECT word, stem, 1 FROM said WHERE word NOT IN (SELECT word FROM known)
    ORDER BY word COLLATE "C"
    ON CONFLICT (word) DO UPDATE SET stem = excluded.stem
    RETURNING word, id
), noted AS (
    SELECT word, id FROM known UNION ALL SELECT word, id FROM made
), counted AS (
    INSERT INTO turn_word_uses (owner, word_id, uses)
    SELECT :owner, noted.id, said.uses FROM noted JOIN said USING (word)
    ON CONFLICT (owner, word_id) DO UPDATE SET uses = turn_word_uses.uses + excluded.uses
)
SELECT word, id FROM noted
"""


def _word_ids(connection: Connection, owner: int, found: Sequence[str]) -> dict[str, int]:
    """Ids of words; their uses are counted."""
    counted = Counter(found)
    if dialect_of(connection) is SQLITE:
        return {
            word: run(connection, COUNT_WORD, word=word, stem=stem(word), uses=uses).scalar()
            for word, uses in counted.items()
        }
    words = json.dumps(
        [{"word": word, "stem": stem(word), "uses": uses} for word, uses in counted.items()]
    )
    return {row.word: row.id for row in run(connection, COUNT_ALL_WORDS, owner=owner, words=words)}


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
