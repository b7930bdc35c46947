"""People of ``growth.py``: a few are made by the product's own code, the others are their clones.

A template is somebody who talked: every row that memory has of them was written by memory itself,
with the vectors of the embedder in use. A clone has the same rows with a name, numbers and a time
of its own. Clones are filed in the order in which people talk, each one's turns among those of all
others, so that a search reads as many pages as it would in life.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, LiteralString, Protocol

import psycopg
from psycopg import sql

from generated_turns import NOUNS, SESSION_EVERY_S, SESSION_TURNS, TURN_EVERY_S, TurnGenerator
from lobug.engines.base import Embedder
from lobug.memory.index import entry_index, turn_vectors, turn_words
from lobug.memory.model import ConversationKey, Draft, Filter, MemoryScope
from lobug.memory.service import Memory
from lobug.storage.places import DatabasePlace
from lobug.storage.postgres.database import PostgresDatabase, PostgresOptions
from recall_curve import MeasuringEmbedder

SCHEMA = "lobug_memory"
TEMPLATES = "template"
"""The schema with the rows of those who were made by the product, while clones are made of them."""

ENDS = 1_780_000_000.0
"""When the last thing is said, seconds since the epoch."""
DAY_S = 86_400.0
EXCHANGES_A_SESSION = 5
SESSION_EVERY_DAYS = 10
"""How often an ordinary person talks: of ten sessions three are younger than the retrieval log is
kept (30 days)."""
TURNS_AN_ENTRY = 200
"""Turns of the talkative person for each entry."""
ROWS_AT_ONCE = 200_000
"""Clones that one statement inserts, about: they are sorted in memory."""
PARTS = 20
"""Parts in which the words of all people are filed, so that nobody's stand all in one place."""

Raw = psycopg.Connection[Any]
Step = Callable[[str], None]
"""Told what is done next."""

TOLD_FIRST = (
    "My name is {name} and I live in {town}. My sister is called {sister}.",
    "I work as a {work}, and I love {fond}.",
)
NAMES = "Alex Bruna Carl Dora Emil Fanny Georg Hanna Ivan Julia".split()
TOWNS = "Oxford Rome Boston Hamburg Lyon Madrid Vienna Prague Leeds Turin".split()
WORK = "teacher nurse carpenter gardener programmer baker driver".split()


class Clock(Protocol):
    """A clock of memory that is set."""

    now: float
    """Seconds since the epoch."""


class GrowthError(Exception):
    """What cannot be measured, as a sentence for people."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What searches found for one person, to be found for a clone as well."""

    user: str
    questions: tuple[str, ...]
    found: tuple[tuple[tuple[str, float], ...], ...]
    """Of each question the contents, best first, and their confidence."""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Answers:
        """Read what ``asdict`` made of it."""
        found = tuple(tuple((text, sure) for text, sure in one) for one in document["found"])
        return cls(document["user"], tuple(document["questions"]), found)


@dataclass(frozen=True, slots=True)
class Templates:
    """Those who were made by the product."""

    ordinary: tuple[Answers, ...]
    talkative: Answers

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Templates:
        """Read what ``asdict`` made of them."""
        return cls(
            tuple(Answers.of(one) for one in document["ordinary"]),
            Answers.of(document["talkative"]),
        )


def conversation_of(user: str) -> ConversationKey:
    """Where somebody talks."""
    return ConversationKey(user, f"{user}-desk")


TALKATIVE = conversation_of("talkative")


async def found_by(memory: Memory, user: str, questions: Sequence[str]) -> Answers:
    """What memory finds of somebody."""
    found = []
    for question in questions:
        hits = await memory.search(MemoryScope(user, None), question, Filter(), turns=True)
        found.append(tuple((hit.content, round(hit.confidence, 3)) for hit in hits))
    return Answers(user, tuple(questions), tuple(found))


async def check(memory: Memory, user: str, expected: Answers) -> None:
    """Raises GrowthError unless a clone is found what its template was."""
    found = await found_by(memory, user, expected.questions)
    for question, ours, theirs in zip(expected.questions, found.found, expected.found, strict=True):
        same = [one for one, _ in ours] == [one for one, _ in theirs]
        if not same or any(abs(a - b) > 0.01 for (_, a), (_, b) in zip(ours, theirs, strict=True)):
            raise GrowthError(
                f"{question!r} finds other things for {user} than for {expected.user}:"
                f" {ours!r} instead of {theirs!r}"
            )


def talk_of(number: int) -> TurnGenerator:
    """What an ordinary person tells: each template has words of its own."""
    return TurnGenerator(seed=100 + number)


async def make_ordinary(memory: Memory, clock: Clock, count: int, turns: int, step: Step) -> None:
    """Let people talk, with everything that follows a turn."""
    talks = [talk_of(number) for number in range(count)]
    exchanges = max(1, turns // 2)
    sessions = -(-exchanges // EXCHANGES_A_SESSION)
    for session in range(sessions):
        step(f"session {session + 1} of {sessions} of {count} people")
        begins = ENDS - (sessions - session) * SESSION_EVERY_DAYS * DAY_S
        here = range(
            session * EXCHANGES_A_SESSION, min((session + 1) * EXCHANGES_A_SESSION, exchanges)
        )
        for number, talk in enumerate(talks):
            for at, turn in zip(here, talk.turns(len(here)), strict=True):
                clock.now = begins + (at - here.start) * 2 * TURN_EVERY_S
                said = first_words(number, at) or turn.text
                await _exchange(memory, clock, f"template-{number}", said, NOUNS[(7 * at) % 90])
        clock.now = begins + DAY_S / 2
        await memory.process_due()


def first_words(number: int, at: int) -> str:
    """What somebody tells of themselves at the beginning; empty: it is over."""
    if at >= len(TOLD_FIRST):
        return ""
    return TOLD_FIRST[at].format(
        name=NAMES[number % len(NAMES)],
        town=TOWNS[number % len(TOWNS)],
        sister=NAMES[(number + 3) % len(NAMES)],
        work=WORK[number % len(WORK)],
        fond=NOUNS[number % len(NOUNS)],
    )


async def _exchange(memory: Memory, clock: Clock, user: str, said: str, noun: str) -> None:
    key = conversation_of(user)
    message = await memory.log_user_message(key, said)
    await memory.retrieve_context(key, said, message_id=message)
    clock.now += TURN_EVERY_S
    reply = f"That sounds good. Shall I remind you of the {noun}?"
    await memory.log_reply(key, message, reply, extract=True)


async def make_talkative(
    memory: Memory, embedder: Embedder, clock: Clock, url: str, turns: int, step: Step
) -> None:
    """Somebody with a long log. Its rows are copied into the tables, since logging it turn by turn
    would take half an hour: they come from the product's analysis of turns, and the vectors of
    turns are random directions. ``RECHECKED`` of the turns are indexed again by the product, which
    must make the same of them. Words that nobody else has said have random directions as well;
    entries are stored and embedded as ever.
    """
    step(f"{turns:,} turns of one person")
    before = await asyncio.to_thread(_copy_talkative, url, turns, embedder)
    clock.now = ENDS
    await memory.analyse_turns()
    if await asyncio.to_thread(_analysed, url) != before:
        raise GrowthError("the product indexes turns in another way than bench/growth_people.py")
    step("entries of that person")
    user, conversation = TALKATIVE.user, TALKATIVE.conversation
    for number, turn in enumerate(TurnGenerator(seed=9).turns(turns // TURNS_AN_ENTRY)):
        old = number % 4 > 0
        clock.now = ENDS - (turns // TURNS_AN_ENTRY - number) * DAY_S
        draft = Draft(
            f"The user said: {turn.text[:180]}",
            key=f"told_{number}",
            layer="archive" if old else "knowledge",
            category="timeline" if old else "knowledge",
            source="import",
        )
        await memory.store(MemoryScope(user, conversation), draft)
    clock.now = ENDS
    step("vectors of what is left")
    await memory.process_due()


RECHECKED = 20


def _copy_talkative(url: str, turns: int, embedder: Embedder) -> list[Any]:
    """Copy the rows of the talkative one. Returns what the index holds of some turns, which wait to
    be analysed again."""
    talk = list(TurnGenerator().turns(turns))
    first, sessions = 10_000_000, -(-turns // SESSION_TURNS)
    began = ENDS - (sessions + 1) * SESSION_EVERY_S
    times = [began + turn.after_s for turn in talk]
    analysed = [
        turn_words.analyse_turn(turn.text, datetime.fromtimestamp(at, UTC).astimezone())
        for turn, at in zip(talk, times, strict=True)
    ]
    user, conversation = TALKATIVE.user, TALKATIVE.conversation
    directions = MeasuringEmbedder(embedder).made_up
    said = sorted({word for one in analysed for word in one.words})
    with psycopg.connect(url) as raw:
        raw.execute(f"SET search_path = {SCHEMA}, public".encode())
        raw.execute("SET session_replication_role = replica")
        known = {row[0] for row in raw.execute("SELECT id FROM turn_words")}
        with raw.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO turn_words (word, stem, uses) VALUES (%s, %s, 1)"
                " ON CONFLICT (word) DO NOTHING",
                [(word, turn_words.stem(word)) for word in said],
            )
        ids: dict[str, int] = dict(raw.execute("SELECT word, id FROM turn_words").fetchall())
        new = [word for word in said if ids[word] not in known]
        owner, set_id = 1_000_000, _one(raw, "SELECT id FROM turn_vector_sets")
        raw.execute("UPDATE turn_words SET vector_set = %s WHERE vector_set = 0", (set_id,))
        _copy(
            raw,
            "turn_word_vectors",
            "word_id set_id vector",
            (
                (ids[word], set_id, turn_vectors.encode(vector))
                for word, vector in zip(new, directions(len(new)), strict=True)
            ),
        )
        every = [len(one.words) for one in analysed]
        raw.execute(
            'INSERT INTO turn_owners (id, "user", turns, words) VALUES (%s, %s, %s, %s)',
            (owner, user, turns, sum(every)),
        )
        spans = [began + session * SESSION_EVERY_S for session in range(sessions)]
        last = SESSION_TURNS * TURN_EVERY_S
        _copy(
            raw,
            "sessions",
            'id "user" conversation channel started_at last_active_at ended_at',
            (
                (first + at, user, conversation, "device", start, start + last, start + last)
                for at, start in enumerate(spans)
            ),
        )
        _copy(
            raw,
            LOG,
            'id "user" conversation role content created_at summarized session_id',
            (
                (
                    first + at,
                    user,
                    conversation,
                    "user",
                    turn.text,
                    said,
                    1,
                    first + at // SESSION_TURNS,
                )
                for at, (turn, said) in enumerate(zip(talk, times, strict=True))
            ),
        )
        _copy(
            raw,
            "turn_index",
            "message_id owner session_id place asking timed words vector_set",
            (
                (
                    first + at,
                    owner,
                    first + at // SESSION_TURNS,
                    at % SESSION_TURNS,
                    one.asking,
                    int(one.timed),
                    json.dumps([ids[word] for word in one.words], separators=(",", ":")),
                    set_id,
                )
                for at, one in enumerate(analysed)
            ),
        )
        raw.execute("SELECT post_turns(%s, %s)", (first - 1, first + turns - 1))
        blocks: list[tuple[int, int, int, bytes]] = []
        for start in range(0, turns, turn_vectors.BLOCK):
            size = min(turn_vectors.BLOCK, turns - start)
            made = directions(size)
            _copy(
                raw,
                "turn_vectors",
                "message_id set_id owner slot vector",
                (
                    (first + start + at, set_id, owner, start + at, turn_vectors.encode(vector))
                    for at, vector in enumerate(made)
                ),
            )
            codes = b"".join(turn_vectors.code(vector) for vector in made)
            blocks.append((set_id, owner, start // turn_vectors.BLOCK, codes))
        _copy(raw, "turn_codes", "set_id owner block codes", blocks)
        for name in (LOG, "sessions", "turn_owners"):
            numbers = f"pg_get_serial_sequence('{name}', 'id')"
            raw.execute(f"SELECT setval({numbers}, max(id)) FROM {name}".encode())
        raw.commit()
        before = _analysed_by(raw)
        raw.execute("SET session_replication_role = origin")
        # Their vectors stay, as they are no part of this.
        raw.execute("ALTER TABLE turn_vectors DISABLE TRIGGER USER")
        kept = raw.execute(RECHECKED_VECTORS).fetchall()
        raw.execute(f"UPDATE turn_index SET words = NULL WHERE {RECHECKED_ROWS}".encode())
        with raw.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO turn_vectors (message_id, set_id, owner, slot, vector)"
                " VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                kept,
            )
        raw.execute("ALTER TABLE turn_vectors ENABLE TRIGGER USER")
        raw.commit()
        raw.autocommit = True
        raw.execute("ANALYZE")
    return before


RECHECKED_ROWS = f"message_id >= 10000000 AND message_id < 10000000 + {RECHECKED}"
RECHECKED_VECTORS = (
    "SELECT message_id, set_id, owner, slot, vector FROM turn_vectors"
    f" WHERE message_id >= 10000000 AND message_id <= 10000000 + {RECHECKED}"
)


def _analysed(url: str) -> list[Any]:
    with psycopg.connect(url) as raw:
        raw.execute(f"SET search_path = {SCHEMA}, public".encode())
        return _analysed_by(raw)


def _analysed_by(raw: Raw) -> list[Any]:
    """What the index holds of some turns of the talkative one, and of that person."""
    return raw.execute(
        "SELECT t.message_id, t.asking, t.timed, o.turns, o.words,"
        " ARRAY(SELECT w.word FROM json_each(t.words) j JOIN turn_words w ON w.id = j.value"
        " ORDER BY j.key),"
        " ARRAY(SELECT w.word FROM turn_postings p JOIN turn_words w ON w.id = p.word_id"
        " JOIN json_each(t.words) j ON j.value = p.word_id WHERE p.owner = t.owner"
        " AND t.message_id * 65536 + json_array_length(t.words) = ANY (p.turns) ORDER BY 1),"
        " (SELECT sum(p.uses) FROM turn_postings p WHERE p.owner = t.owner)"
        " FROM turn_index t JOIN turn_owners o ON o.id = t.owner"
        f" WHERE t.{RECHECKED_ROWS.replace('AND message', 'AND t.message')} ORDER BY 1".encode()
    ).fetchall()


def _one(raw: Raw, query: LiteralString) -> Any:
    row = raw.execute(query).fetchone()
    if row is None:
        raise GrowthError(f"nothing was found: {query}")
    return row[0]


def _copy(raw: Raw, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
    """Copy rows into a table; the columns are names with spaces between them."""
    statement = f"COPY {table} ({', '.join(columns.split())}) FROM STDIN"
    with raw.cursor() as cursor, cursor.copy(statement.encode()) as copy:
        for row in rows:
            copy.write_row(row)


@dataclass(frozen=True, slots=True)
class Table:
    """How the rows of a table are cloned."""

    name: str
    by: str
    """The column by which a row belongs to somebody, and ``of``: what numbers that column has."""
    of: str
    """A table with numbers of its own, ``turn_owners`` or ``memory_owners``, or empty: a name."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Columns that hold numbers of other tables."""
    named: tuple[str, ...] = ("user",)
    """Columns that hold the person."""
    times: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    """Columns of words with the number of their owner before them."""
    postings: tuple[str, ...] = ()
    """Columns of numbers of messages, each with the length of its turn."""


LOG, MEMORIES, SESSIONS = "conversation_log", "memories", "sessions"
NUMBERED = (LOG, SESSIONS, MEMORIES, "recalls", "background_tasks", "tombstones")
"""Tables of people whose rows have numbers."""
OWNERS = ("turn_owners", "memory_owners")
SHARED = ("turn_vector_sets", "turn_words", "turn_word_vectors")
"""Tables that are everybody's: they are copied."""
MADE_ANEW = ("vector_indexes", "schema_version", "written")

CLONED = (
    Table("turn_owners", "user", ""),
    Table("memory_owners", "user", ""),
    Table(SESSIONS, "id", SESSIONS, times=("started_at", "last_active_at", "ended_at")),
    Table(LOG, "id", LOG, {"reply_to": LOG, "session_id": SESSIONS}, times=("created_at",)),
    Table("turn_index", "message_id", LOG, {"session_id": SESSIONS, "owner": "turn_owners"}, ()),
    Table("turn_vectors", "message_id", LOG, {"owner": "turn_owners"}, ()),
    Table("turn_codes", "owner", "turn_owners", named=()),
    Table("turn_postings", "owner", "turn_owners", named=(), postings=("turns",)),
    Table(
        MEMORIES,
        "id",
        MEMORIES,
        {
            "session_id": SESSIONS,
            "source_message_id": LOG,
            "from_message_id": LOG,
            "to_message_id": LOG,
            "replaced_by": MEMORIES,
        },
        ("user", "told_by"),
        ("said_at", "created_at", "updated_at", "valid_from", "valid_until", "expired_at"),
    ),
    Table("memory_sources", "memory_id", MEMORIES, {"source_id": MEMORIES}, ()),
    Table("claims", "memory_id", MEMORIES, {"ended_by": LOG}),
    Table("claim_backlog", "memory_id", MEMORIES, named=()),
    Table("memory_lengths", "memory_id", MEMORIES, {"owner": "memory_owners"}, ()),
    Table("memory_tokens", "memory_id", MEMORIES, named=(), tokens=("key", "content", "tags")),
    Table("memory_vectors", "memory_id", MEMORIES, named=()),
    Table("memory_facts", "id", MEMORIES),
    Table("recalls", "id", "recalls", {"message_id": LOG}, times=("created_at",)),
    Table("recall_hits", "recall_id", "recalls", {"memory_id": MEMORIES, "message_id": LOG}, ()),
    Table(
        "background_tasks",
        "id",
        "background_tasks",
        {"message_id": LOG, "session_id": SESSIONS, "up_to_id": LOG},
        times=("next_attempt_at", "created_at"),
    ),
    Table("tombstones", "id", "tombstones", times=("forgotten_at",)),
)
COUNTERS = {"index_id", "set_id", "word_id", "external_id", "task_id"}
"""Columns whose names look like links, and that are the same for a clone, or empty."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many rows there will be."""

    people: int
    """Ordinary clones; the talkative one is one more."""
    talkative: int
    """Turns of the talkative one."""
    rows: Mapping[str, int]
    """By table, the most that an ordinary template has."""

    def number(self, table: str, of: str, person: str = "p") -> str:
        """The number of a clone's row, by the place ``of`` of its template's row among the rows of
        its own. Everybody's first rows come first; the log of the talkative one is spread evenly
        among all others."""
        count, rows = self.people, max(1, self.rows.get(table, 1))
        if table in OWNERS:
            return f"{person}.n + 1"
        ordinary = f"{of} * {count} + {person}.n"
        if table != LOG:
            return (
                f"CASE WHEN {person}.talks THEN {rows * count} + {of} + 1 ELSE {ordinary} + 1 END"
            )
        places = max(rows * count, self.talkative)
        return (
            f"CASE WHEN {person}.talks THEN 2 * ({of} * {places} / {max(1, self.talkative)}) + 1"
            f" ELSE 2 * (({ordinary}) * {places} / {max(1, rows * count)}) + 2 END"
        )


class Cloner:
    """Fills a database, a copy of that with the templates, with their clones.

    ``prepare`` first, then ``fill``, then ``finish``.
    """

    def __init__(self, url: str, people: int, templates: int, step: Step) -> None:
        self._url = url
        self._people = people
        self._templates = templates
        self._step = step
        self._sizes = Sizes(people, 0, {})
        self._indexes: list[str] = []

    async def prepare(self, model_id: str, dimension: int) -> None:
        """Set the templates' tables aside, and let the product make empty ones."""
        with self._connected() as raw:
            raw.execute(f"ALTER SCHEMA {SCHEMA} RENAME TO {TEMPLATES}".encode())
        made = PostgresDatabase(PostgresOptions(self._url), clock=lambda: ENDS)
        await made.open(lambda c: entry_index.make_current(c, model_id, dimension, ENDS))
        await made.close()

    def fill(self) -> None:
        """Insert the clones, without indexes and triggers."""
        with self._connected() as raw:
            raw.execute(
                "SET session_replication_role = replica; SET work_mem = '256MB';"
                " SET max_parallel_workers_per_gather = 0; SET synchronous_commit = off"
            )
            self._number(raw)
            self._check_complete(raw)
            self._drop_indexes(raw)
            for name in SHARED:
                columns = ", ".join(_columns(raw, name))
                _run(
                    raw,
                    f"INSERT INTO {SCHEMA}.{name} ({columns})"
                    f" SELECT {columns} FROM {TEMPLATES}.{name}",
                )
            for table in CLONED:
                self._step(f"rows of {table.name}")
                for condition in self._parts(table):
                    _run(raw, self._insert(raw, table, condition))

    def finish(self) -> None:
        """Make the indexes, drop the templates, and let PostgreSQL look at all of it."""
        with self._connected() as raw:
            raw.execute("SET maintenance_work_mem = '1GB'")
            for index in self._indexes:
                self._step(index.partition(" ON ")[0].rpartition(" ")[2].removeprefix(f"{SCHEMA}."))
                _run(raw, index)
            self._step("sequences")
            for name in (*NUMBERED, *OWNERS, *SHARED[:2]):
                _run(
                    raw,
                    f"SELECT setval(pg_get_serial_sequence('{SCHEMA}.{name}', 'id'),"
                    f" (SELECT coalesce(max(id), 1) FROM {SCHEMA}.{name}))",
                )
            _run(raw, f"SET client_min_messages = warning; DROP SCHEMA {TEMPLATES}, growth CASCADE")
            self._step("VACUUM ANALYZE")
            raw.execute("VACUUM ANALYZE")
            raw.execute("CHECKPOINT")

    def _connected(self) -> Raw:
        return psycopg.connect(self._url, autocommit=True)

    def _number(self, raw: Raw) -> None:
        """List the people, and number the rows of each template from 0."""
        _run(raw, "DROP SCHEMA IF EXISTS growth CASCADE; CREATE SCHEMA growth")
        _run(
            raw,
            "CREATE TABLE growth.people AS"
            " SELECT n::bigint, 'person-' || lpad(n::text, 6, '0') AS name,"
            f" 'template-' || (n % {self._templates}) AS template, false AS talks,"
            f" (n % 60) * 0.5 AS later FROM generate_series(0, {self._people - 1}) n"
            f" UNION ALL SELECT {self._people}, 'talkative', 'talkative', true, 0",
        )
        for name in NUMBERED:
            _run(
                raw,
                f'CREATE TABLE growth.{name} AS SELECT id AS old, "user",'
                ' row_number() OVER (PARTITION BY "user" ORDER BY id) - 1 AS r'
                f" FROM {TEMPLATES}.{name};"
                f" CREATE INDEX ON growth.{name} (old); CREATE INDEX ON growth.{name} (r)",
            )
        for name in OWNERS:
            _run(
                raw,
                f'CREATE TABLE growth.{name} AS SELECT id AS old, "user", 0::bigint AS r'
                f" FROM {TEMPLATES}.{name}; CREATE INDEX ON growth.{name} (old)",
            )
        rows = {
            name: raw.execute(
                f"SELECT coalesce(max(r) + 1, 0) FROM growth.{name}"
                " WHERE \"user\" LIKE 'template-%'".encode()
            ).fetchone()
            for name in NUMBERED
        }
        talkative = raw.execute(
            f"SELECT count(*) FROM growth.{LOG} WHERE \"user\" = 'talkative'".encode()
        ).fetchone()
        self._sizes = Sizes(
            self._people,
            0 if talkative is None else int(talkative[0]),
            {name: 0 if row is None else int(row[0]) for name, row in rows.items()},
        )
        raw.execute("ANALYZE")

    def _check_complete(self, raw: Raw) -> None:
        """Raises GrowthError where the schema has rows or links that nobody clones."""
        known = {one.name: one for one in CLONED}
        tables = raw.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = %s"
            " AND table_type = 'BASE TABLE'",
            (TEMPLATES,),
        ).fetchall()
        for (name,) in tables:
            if name in (*SHARED, *MADE_ANEW):
                continue
            table = known.get(name)
            if table is None:
                if raw.execute(f"SELECT 1 FROM {TEMPLATES}.{name} LIMIT 1".encode()).fetchone():
                    raise GrowthError(f"the rows of {name} are not cloned: add it to CLONED")
                continue
            for column in _columns(raw, name):
                plain = column.strip('"')
                if plain.endswith(("_id", "_by", "owner")) and plain not in (
                    table.by,
                    *table.links,
                    *table.named,
                    *COUNTERS,
                ):
                    raise GrowthError(f"{name}.{column} is not known to bench/growth_people.py")

    def _drop_indexes(self, raw: Raw) -> None:
        rows = raw.execute(
            "SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i"
            " JOIN pg_class c ON c.oid = i.indrelid"
            " WHERE c.relnamespace = %s::regnamespace AND NOT EXISTS"
            " (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)"
            " ORDER BY 1",
            (SCHEMA,),
        ).fetchall()
        for name, definition in rows:
            raw.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(*name.split("."))))
            self._indexes.append(str(definition))

    def _parts(self, table: Table) -> Iterator[str]:
        """Conditions that together choose all rows to be cloned, in the order of their numbers."""
        people, most = max(1, self._people), self._sizes.rows.get(table.of, 1)
        if table.name == "turn_postings":
            yield from (f"t.word_id % {PARTS} = {part}" for part in range(PARTS))
            return
        if table.of in ("", *OWNERS):
            yield "true"
            return
        each = max(1, ROWS_AT_ONCE // people)
        for first in range(0, most, each):
            last = min(first + each, most)
            yield f"NOT p.talks AND m.r >= {first} AND m.r < {last}" + (
                f" OR p.talks AND m.r >= {first * self._sizes.talkative // most}"
                f" AND m.r < {last * self._sizes.talkative // most}"
                if table.of == LOG
                else ""
            )
        if table.of != LOG or not most:
            yield "p.talks"

    def _insert(self, raw: Raw, table: Table, condition: str) -> str:
        """The statement that clones some rows of a table."""
        columns = _columns(raw, table.name)
        joins: list[str] = []
        values = [self._value(table, column.strip('"'), joins) for column in columns]
        if table.of:
            mapped = f'growth.{table.of} m ON m."user" = p.template'
            rows = f'{mapped} JOIN {TEMPLATES}.{table.name} t ON t."{table.by}" = m.old'
        else:
            rows = f'{TEMPLATES}.{table.name} t ON t."user" = p.template'
        order = columns.index(f'"{table.by}"') + 1 if table.of in NUMBERED else 1
        return (
            f"INSERT INTO {SCHEMA}.{table.name} ({', '.join(columns)})"
            f" SELECT {', '.join(values)} FROM growth.people p JOIN {rows} {' '.join(joins)}"
            f" WHERE {condition} ORDER BY {order}"
        )

    def _value(self, table: Table, column: str, joins: list[str]) -> str:
        if column in table.links:
            return self._linked(table.links[column], column, joins)
        numbers = table.of if column == table.by else ""
        if column == "id" and table.name in OWNERS:
            numbers = table.name
        if numbers:
            return self._sizes.number(numbers, "m.r")
        if column in table.named:
            return "p.name"
        if column == "conversation":
            return "CASE WHEN t.conversation IS NOT NULL THEN p.name || '-desk' END"
        if column in table.times:
            return f"t.{column} + p.later"
        if column in table.tokens:
            # All words of a row have the same number before them.
            return (
                f"CASE WHEN t.{column} = '{{}}' THEN t.{column} ELSE"
                f" string_to_array(substr(replace(' ' || array_to_string(t.{column}, ' '),"
                f" ' ' || split_part(t.{column}[1], 'x', 1) || 'x', ' ' || (p.n + 1) || 'x'), 2),"
                " ' ') END"
            )
        if column in table.postings:
            number = self._sizes.number(LOG, "g.r")
            return (
                f"ARRAY(SELECT ({number}) * 65536 + posting % 65536 FROM unnest(t.{column}) posting"
                f" JOIN growth.{LOG} g ON g.old = posting / 65536 ORDER BY 1)"
            )
        return f't."{column}"'

    def _linked(self, to: str, column: str, joins: list[str]) -> str:
        """The number of the row of another table that the clone of a row is linked to."""
        if to in OWNERS:
            return self._sizes.number(to, "0")
        joins.append(f"LEFT JOIN growth.{to} to_{column} ON to_{column}.old = t.{column}")
        number = self._sizes.number(to, f"to_{column}.r")
        return f"CASE WHEN to_{column}.old IS NOT NULL THEN {number} END"


def _columns(raw: Raw, table: str) -> list[str]:
    """The columns of a table that are written, quoted."""
    rows = raw.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = %s"
        " AND table_name = %s AND is_identity = 'NO' ORDER BY ordinal_position",
        (SCHEMA, table),
    ).fetchall()
    return [f'"{name}"' for (name,) in rows]


def _run(raw: Raw, statement: str) -> None:
    raw.execute(statement.encode())


def place_of(url: str) -> DatabasePlace:
    """A database as a server uses it."""
    return DatabasePlace(url, connections=10, patience_s=600.0)
