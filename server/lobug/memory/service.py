"""Long-term memory as the rest of Lo-Bug uses it: one class with a verb for each operation."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from lobug.engines.base import ChatModel, Embedder
from lobug.errors import MemoryDisabledError, MemoryNotFoundError, StorageError
from lobug.language.claims import Asked, Heard
from lobug.language.en.claims.english import CLAIMS
from lobug.language.en.summary_checks import TRIALS, Trial
from lobug.language.en.utterances import Utterance
from lobug.memory import (
    entries,
    focus,
    identity,
    identity_edit,
    log,
    recall_log,
    sessions,
    statistics,
    store,
    turns,
)
from lobug.memory.claims.book import ClaimBook
from lobug.memory.counting import Counting
from lobug.memory.embedding import FactEmbedder, TurnEmbedder
from lobug.memory.erasure.forget import (
    forget_claims,
    forget_entries,
    forget_message,
    forget_text,
)
from lobug.memory.erasure.purge import cause_of, preview, purge
from lobug.memory.erasure.report import Cause, ErasureReport, ErasureReporter
from lobug.memory.exchange import export, import_
from lobug.memory.exchange.snapshot import SnapshotSource
from lobug.memory.learning.summarizer import Summarizer
from lobug.memory.model import (
    HOUSEHOLD,
    ConversationKey,
    Draft,
    Entry,
    Filter,
    Focus,
    Forgotten,
    Growth,
    Hit,
    Identity,
    Imported,
    Layer,
    LoggedMessage,
    MemoryContext,
    MemoryScope,
    MemoryStats,
    Provenance,
    Purge,
    Recall,
    RememberedUser,
    Session,
    Source,
)
from lobug.memory.projects import ProjectList
from lobug.memory.recall.recaller import Recaller
from lobug.memory.schedule import Scheduler
from lobug.memory.settled_words import settled_words
from lobug.memory.statistics import Counter
from lobug.memory.store import Limits
from lobug.memory.turns import Logged
from lobug.memory.worker import Worker
from lobug.priority import TurnPriority
from lobug.settings import MemorySettings
from lobug.storage.compaction import CompactionError, compact
from lobug.storage.connection import Connection
from lobug.storage.database import Checkpoint, no_checkpoint
from lobug.storage.places import FILES, DatabasePlace
from lobug.storage.sqlite_database import DatabaseOptions

logger = logging.getLogger(__name__)

T = TypeVar("T")


class Memory:
    """The memory of all users in one SQLite file, or in PostgreSQL.

    ``start`` first, ``close`` last. Every call names a user, by a ``MemoryScope`` or a
    ``ConversationKey``, and returns and changes only what that user may see; ``users`` and
    ``stats`` give names and counts only. Coroutines never block the event loop. They raise the
    ``Memory...Error`` classes of ``lobug.errors`` for a wrong request and StorageError for a
    database that cannot be used; until ``start`` has succeeded every call raises StorageError.

    After each exchange three independent tasks run in the background: facts are extracted, then the
    short-term and the long-term cascade where their thresholds are reached. Each is a row in the
    database until it is done.

    ``clock`` returns seconds since the epoch; ``batch_size`` is how many texts are embedded at
    once; ``working_memory`` how many messages of a conversation the prompt holds; ``checkpoint`` is
    for tests that end the process at the worst moment; ``snapshot`` is imported in the background,
    once after the start; ``consolidation`` is the chat model for summaries and layer identity
    (None: ``chat``), which must sum up ``trials`` first; ``place`` says whether it is
    kept in the file at ``path`` or in PostgreSQL.
    """

    def __init__(
        self,
        settings: MemorySettings,
        path: Path,
        *,
        chat: ChatModel,
        embedder: Embedder,
        priority: TurnPriority,
        clock: Callable[[], float],
        batch_size: int = 32,
        working_memory: int = 20,
        checkpoint: Checkpoint = no_checkpoint,
        snapshot: SnapshotSource | None = None,
        consolidation: ChatModel | None = None,
        trials: Sequence[Trial] = TRIALS,
        place: DatabasePlace = FILES,
    ) -> None:
        self.kept_in = place
        """Where a server keeps everything else as well."""
        self._settings = settings
        self._limits = Limits(settings.max_content_chars, settings.identity_chars)
        self._priority = priority
        self._clock = clock
        self._snapshot = snapshot
        self._erasure_callbacks: list[Callable[[str | None], None]] = []
        self._erasing_callbacks: list[Callable[[str | None], Awaitable[None]]] = []
        self._purge_callbacks: list[Callable[[str], Awaitable[None]]] = []
        self.changed: Callable[[str | None], None] = lambda _: None
        """Called on the event loop after each change, with the user whose memory it changed
        (``HOUSEHOLD`` is one); None: it may be anybody's."""
        self.erasures = ErasureReporter()
        self._counter = Counter()
        self._scheduler = Scheduler(settings, working_memory, lambda: chat.context_tokens)
        self._database = place.database(
            "memory",
            DatabaseOptions(
                path=path,
                busy_timeout_s=settings.busy_timeout_s,
                backups_keep=settings.backups_keep,
                legacy_user=settings.legacy_user,
            ),
            clock=clock,
            checkpoint=checkpoint,
        )
        self.claims = ClaimBook(self._database, CLAIMS)
        self._embedding = FactEmbedder(
            self._database,
            embedder,
            settings,
            priority,
            batch_size=batch_size,
            clock=clock,
            checkpoint=checkpoint,
        )
        turn_embedding = TurnEmbedder(
            self._database,
            embedder,
            settings,
            priority,
            batch_size=batch_size,
            clock=clock,
            checkpoint=checkpoint,
        )
        self._summarizer = Summarizer(settings, consolidation or chat, trials)
        self._counting = Counting(
            self._database, self._counter, self._embedding, clock=clock, checkpoint=checkpoint
        )
        self._worker = Worker(
            self._database,
            self._embedding,
            turn_embedding,
            self._counting,
            self.erasures,
            scheduler=self._scheduler,
            chat=chat,
            summarizer=self._summarizer,
            priority=priority,
            clock=clock,
            checkpoint=checkpoint,
            snapshot=snapshot,
            changed=self._changed_in_background,
            people=place.people,
        )
        self._recaller = Recaller(
            self._database, self._embedding, settings, chat, clock, working_memory=working_memory
        )
        self.projects = ProjectList(self._database, self._change)

    # ---- life

    async def start(self, *, work: bool = True) -> None:
        """Open the database and take up the tasks that the last process left. ``work`` False: no
        worker, ``process_due`` does its job when called. May be called again after a failure.
        Raises StorageError."""
        if not self._database.is_open:
            await self._database.open(self._resume)
            await self._counting.opened()
        if work:
            self._worker.start()

    def _resume(self, connection: Connection) -> None:
        self._worker.resume(connection)
        self._counting.begin(connection)

    def use(self, settings: MemorySettings) -> None:
        """Remember by these settings from now on; ``reschedule`` adds the work that they make
        due."""
        self._settings = self._scheduler.settings = settings
        self._recaller.use(settings)
        self.wake()

    async def reschedule(self) -> None:
        """Add the background work that changed settings make due. Raises StorageError."""
        await self._database.write("reschedule", self._worker.reschedule)
        await self._counting.everything()
        self.wake()

    async def close(self) -> None:
        """Stop the worker, finish what is being written, close the file. Safe to call twice, and
        when the file was never opened."""
        await self._worker.close()
        await self._counting.close()
        await self._database.close()

    @property
    def is_open(self) -> bool:
        """Whether it can be used. No I/O."""
        return self._database.is_open

    async def give_up(self) -> None:
        """Close the database and drop what was derived from it, because another server has it;
        ``check`` opens it again. Raises StorageError."""
        await self.close()
        self._recaller.drop_searches()
        self._drop_words(None)

    async def check(self) -> None:
        """Find out whether memory can be used by now; opens the file where that failed before.
        Raises StorageError."""
        if self._database.is_open:
            await self._database.check()
            await self.refresh()
        else:
            await self.start()
            await self._drop_derived()  # it may be another file, such as a restored backup
            await self._count_anew()

    async def refresh(self) -> None:
        """Notice what another program has changed, and drop what was derived from the content
        before: working memory of conversations, counts. Raises StorageError."""
        async with self._database.changed_by_others() as changed:
            if changed:
                logger.warning(
                    "another program has changed %s; conversations are read from it again",
                    self._database.place,
                )
                await self._drop_derived()
        if changed:
            await self._count_anew()

    async def _drop_derived(self) -> None:
        self._recaller.drop_searches()
        self._embedding.rescan()
        async with self._priority.turn():  # background work must not store what it has read before
            self._drop_words(None)

    async def _count_anew(self) -> None:
        """Count what another program has changed. Where that fails the worker does it; a turn that
        follows must not begin with it once more."""
        try:
            await self._counting.everything()
        finally:
            self.changed(None)
            self.wake()

    async def compact(self) -> None:
        """Rebuild the file now if something was erased since it was last rebuilt; otherwise the
        worker does it. Raises StorageError."""
        with suppress(CompactionError):  # noted, and tried again
            copies = [] if self._snapshot is None else [self._snapshot.imported]
            await compact(self._database, copies=copies)

    async def analyse_turns(self) -> None:
        """Add all waiting turns, after an import for example, to the index by words now; otherwise
        the worker does it. Raises StorageError."""
        await self._worker.analyse_turns()

    async def process_due(self) -> None:
        """Do all background work that is due, without the worker; for tests and the command line.
        What fails is due again later. Raises StorageError."""
        while await self._worker.step() or await self._counting.ended():
            pass

    def wake_by_another_server(self) -> None:
        """Tell the worker that another server has left something to embed."""
        self._worker.wake_by_another_server()

    def stop_work(self, user: str) -> None:
        """Cancel the background work for a user that runs now; it is done again."""
        self._worker.stop_work(user)

    async def resume_user(self, user: str) -> None:
        """Take up what another server has left of a user. Raises StorageError."""
        await self._worker.resume_user(user)

    async def take_over(self) -> None:
        """Take up the tasks of people whose server has stopped. Raises StorageError."""
        await self._worker.take_over()

    def drop_words(self, user: str | None) -> None:
        """Drop what the process holds of a user (None: of everybody), because another server has
        erased something."""
        self._drop_words(user)

    def wake(self) -> None:
        """Tell the worker that there may be something to do."""
        self._worker.wake()

    @property
    def place(self) -> str:
        """Where it is kept, for people: a file, or an address without its password."""
        return self._database.place

    def fault(self) -> StorageError | None:
        """Why memory cannot be used, as last known; None: it can. No I/O."""
        return self._database.fault

    def summary_fault(self) -> str:
        """Why summaries are copied although the settings want generated ones, as one sentence;
        empty: they are as the settings want them. No I/O."""
        return self._summarizer.fault

    def stats(self) -> MemoryStats:
        """Counts over all users, as last known. No I/O."""
        return self._counter.stats

    # ---- turns

    async def log_user_message(
        self,
        conversation_key: ConversationKey,
        content: str,
        *,
        speaker: str | None = None,
        said_at: float | None = None,
        heard: Heard | None = None,
    ) -> int:
        """Append a user's message to the conversation log, durably. Returns its id.

        What it claims changes memory in the same transaction; ``heard`` is that (None: what the
        rules read in the words). ``speaker`` names who said it, where several people talk
        to one device; ``said_at`` when (None: now). The extraction of its facts is noted in the
        same transaction, so that a crash before the reply does not lose them."""
        now = self._clock()
        logged = await self._database.write(
            "log",
            lambda connection: turns.log_user_message(
                connection,
                self._scheduler,
                conversation_key,
                content,
                said_at=said_at,
                speaker=speaker,
                now=now,
                referents=self.claims.referents(conversation_key),
                heard=heard,
            ),
            self._count_turn(conversation_key.user),
            of=conversation_key.user,
        )
        if logged.claimed.referents:
            self.claims.note(conversation_key, logged.claimed.referents)
        self.changed(conversation_key.user)
        return logged.message_id

    async def log_reply(
        self,
        conversation_key: ConversationKey,
        user_message_id: int,
        content: str,
        *,
        extract: bool,
        retract: bool = False,
    ) -> int:
        """Append the reply to a message and, in the same transaction, the background tasks of the
        exchange. Returns the reply's id; that of the first reply if there was one already.

        ``extract`` False: the words enter neither extracted facts nor summaries. ``retract``: they
        were not meant for Lo-Bug, and what they claimed is taken back. Of the reply to a message
        that was forgotten meanwhile no word is kept."""
        now = self._clock()
        recall = self._recaller.take_search(user_message_id)
        logged = await self._database.write(
            "reply",
            lambda connection: turns.log_reply(
                connection,
                self._scheduler,
                conversation_key,
                user_message_id,
                content,
                extract=extract,
                retract=retract,
                recall=recall,
                now=now,
            ),
            self._count_turn(conversation_key.user),
            of=conversation_key.user,
            everybody=retract,
        )
        if retract:
            self._embedding.look_again()
        self.changed(conversation_key.user)
        return logged.message_id

    async def log_unasked(self, conversation_key: ConversationKey, content: str) -> None:
        """Append words of Lo-Bug's that answer nothing: what was announced, or had waited. They
        enter neither facts nor summaries."""
        now = self._clock()
        await self._database.write(
            "unasked",
            lambda connection: turns.log_unasked(
                connection, self._scheduler, conversation_key, content, now=now
            ),
            self._count_turn(conversation_key.user),
            of=conversation_key.user,
        )
        self.changed(conversation_key.user)

    def _count_turn(self, user: str) -> Callable[[Logged], None]:
        return lambda logged: self._counter.count_turn(
            user, messages=logged.messages, tasks=logged.tasks
        )

    async def recent_messages(
        self, conversation_key: ConversationKey, limit: int
    ) -> Sequence[LoggedMessage]:
        """The conversation's last messages, oldest first."""
        return await self._database.read(lambda c: log.recent(c, conversation_key, limit))

    async def latest_conversations(self, limit: int) -> Sequence[ConversationKey]:
        """The conversations that were last active, latest first."""
        return await self._database.read(lambda c: log.latest_conversations(c, limit))

    async def retrieve_context(
        self, conversation_key: ConversationKey, query: str, *, message_id: int | None = None
    ) -> MemoryContext:
        """Layer identity and what fits ``query``, by meaning and words; by words alone while the
        embedder fails.

        ``message_id`` is the message that is being answered: it is not recalled itself, and the
        search is noted under it in the retrieval log with the reply."""
        return await self._recaller.recall(conversation_key, query, message_id)

    def note_search(self, message_id: int, context: MemoryContext) -> None:
        """Name the message that a context was retrieved for, where it was not known at the time:
        the search is noted under it in the retrieval log with the reply."""
        self._recaller.note_search(message_id, context)

    async def base_memory(self, user: str) -> str:
        """The user's layer identity as the prompt gets it; empty when there is none."""
        if not self.keeps_user_memories:
            return ""
        return await self._database.read(lambda c: identity.document(c, user))

    async def task_in_prompt(self, conversation_key: ConversationKey) -> str:
        """Title and working state of the task that the conversation is about, as the prompt gets
        them; empty when there is none."""
        if not self._settings.enabled:
            return ""
        return await self._database.read(
            lambda c: focus.in_prompt(focus.of_conversation(c, conversation_key))
        )

    async def session_summary(self, conversation_key: ConversationKey) -> str:
        """The summary of the conversation's session so far, for a prompt whose history was cut;
        empty when there is none."""
        if not (self._settings.enabled and self._settings.include_summary_on_truncation):
            return ""
        return await self._database.read(lambda c: sessions.current_summary(c, conversation_key))

    # ---- entries

    @property
    def keeps_user_memories(self) -> bool:
        """Whether what users tell about themselves is stored."""
        return self._settings.enabled and self._settings.enable_user_memories

    async def store(self, scope: MemoryScope, draft: Draft) -> Entry:
        """Store an entry, or a new version where its key exists. The same content again changes
        only importance, tags and project.

        Raises MemoryKeyError, MemoryContentError, MemoryForbiddenError, IdentityFullError, and
        MemoryDisabledError where memories of users are switched off."""
        if draft.scope == "user" and not self._settings.enable_user_memories:
            raise MemoryDisabledError("memory.enable_user_memories is off")
        return await self._change(
            "store",
            scope,
            lambda c, now: store.store(c, scope, draft, limits=self._limits, now=now),
        )

    async def edit(
        self,
        scope: MemoryScope,
        entry_id: int,
        *,
        content: str | None = None,
        importance: float | None = None,
        tags: tuple[str, ...] | None = None,
        project: str | None = None,
        layer: Layer | None = None,
    ) -> Entry:
        """Make a new version; None leaves a field unchanged. Raises MemoryNotFoundError,
        MemoryContentError, MemoryForbiddenError, IdentityFullError."""
        return await self._change(
            "edit",
            scope,
            lambda c, now: store.edit(
                c,
                scope,
                entry_id,
                content=content,
                importance=importance,
                tags=tags,
                project=project,
                layer=layer,
                limits=self._limits,
                now=now,
            ),
        )

    async def correct(
        self, scope: MemoryScope, entry_id: int, content: str, *, source: Source = "correction"
    ) -> Entry:
        """Replace a wrong entry: it becomes inactive for good, linked to the correction. The user's
        outranks everything else; another ``source`` replaces nothing that is trusted more. Raises
        MemoryNotFoundError, MemoryContentError, MemoryForbiddenError."""
        return await self._change(
            "correct",
            scope,
            lambda c, now: store.correct(
                c, scope, entry_id, content, source=source, limits=self._limits, now=now
            ),
        )

    async def deactivate(self, scope: MemoryScope, entry_id: int) -> Entry:
        """Make an entry inactive without erasing it; ``restore`` brings it back. Raises
        MemoryNotFoundError, MemoryForbiddenError."""
        return await self._change(
            "remove", scope, lambda c, now: store.deactivate(c, scope, entry_id, now=now)
        )

    async def restore(self, scope: MemoryScope, entry_id: int) -> Entry:
        """Make a version active again, as a new version; the entry that is active under its key
        becomes inactive. Raises MemoryNotFoundError, MemoryForbiddenError, IdentityFullError."""
        return await self._change(
            "restore",
            scope,
            lambda c, now: store.restore(c, scope, entry_id, limits=self._limits, now=now),
        )

    async def get(self, scope: MemoryScope, entry_id: int) -> Provenance:
        """An entry with where it comes from. Raises MemoryNotFoundError."""
        return await self._database.read(lambda c: store.provenance(c, scope, entry_id))

    async def known(self, scope: MemoryScope, ids: Sequence[int]) -> list[Entry]:
        """The entries of these ids, in their order, without those that are gone meanwhile."""
        if not ids:
            return []
        found = await self._database.read(lambda c: entries.by_ids(c, scope, ids))
        return [found[one] for one in ids if one in found]

    async def find_key(self, scope: MemoryScope, key: str) -> Entry:
        """The active entry of a key. Raises MemoryNotFoundError, MemoryKeyError."""
        entries.checked_key(key)
        return await self._database.read(lambda c: entries.find_key(c, scope, key))

    async def entries(
        self, scope: MemoryScope, where: Filter, *, limit: int = 50, after_id: int = 0
    ) -> Sequence[Entry]:
        """Entries in the order of their ids."""
        return await self._database.read(
            lambda c: entries.listed(c, scope, where, limit=limit, after_id=after_id)
        )

    async def newest(
        self, scope: MemoryScope, where: Filter, *, limit: int, skip: int = 0
    ) -> Sequence[Entry]:
        """Entries, those said last first, without the first ``skip``."""
        return await self._database.read(
            lambda c: entries.newest(c, scope, where, limit=limit, skip=skip)
        )

    async def count(self, scope: MemoryScope, where: Filter) -> int:
        """How many entries a filter lets through."""
        return await self._database.read(lambda c: entries.count(c, scope, where))

    async def history(self, scope: MemoryScope, entry_id: int) -> Sequence[Entry]:
        """All versions of an entry, oldest first. Raises MemoryNotFoundError."""
        return await self._database.read(lambda c: entries.versions(c, scope, entry_id))

    async def search(
        self, scope: MemoryScope, query: str, where: Filter, *, limit: int = 5, turns: bool = False
    ) -> Sequence[Hit]:
        """The entries, and with ``turns`` the messages, that fit a query, best first.

        By meaning and words; where nothing has its words, by substring. An empty query with a time
        range gives what was said in it, newest first."""
        return await self._recaller.search(scope, query, where, limit=limit, turns=turns)

    async def settled_words(
        self, scope: MemoryScope, messages: Sequence[LoggedMessage]
    ) -> Sequence[Utterance]:
        """Messages of the user with what memory knows of them: what is wrong by now, and what is
        believed."""
        return await self._database.read(lambda c: settled_words(c, scope.user, messages))

    async def identity(self, scope: MemoryScope) -> Identity:
        """Layer identity and its entries."""
        return await self._database.read(
            lambda c: identity.identity(c, scope, self._limits.identity_chars)
        )

    async def replace_identity(
        self, scope: MemoryScope, text: str, *, versions_read: Iterable[str] | None = None
    ) -> Identity:
        """Make a Markdown text the user's layer identity: lines that are missing become inactive,
        new ones are the user's, the others stay. All or nothing.

        ``versions_read``: the versions that the text may be based on; None: any. Raises
        IdentityChangedError, IdentityInvalidError, IdentityFullError."""
        return await self._change(
            "identity",
            scope,
            lambda c, now: identity_edit.replace(
                c, scope, text, versions_read=versions_read, limits=self._limits, now=now
            ),
        )

    # ---- focus

    async def focus(self, scope: MemoryScope, conversation: str) -> Focus:
        """What a conversation of the user is about. Raises MemoryNotFoundError."""
        return await self._database.read(
            lambda c: focus.of_conversation(c, focus.own_conversation(c, scope, conversation))
        )

    async def set_focus(
        self,
        scope: MemoryScope,
        conversation: str,
        *,
        project: str | None = None,
        tags: tuple[str, ...] = (),
        task_id: int | None = None,
    ) -> Focus:
        """Say what a conversation of the user is about from now on; with nothing given, nothing in
        particular. Raises MemoryNotFoundError, MemoryContentError."""
        return await self._change(
            "focus",
            scope,
            lambda c, _now: focus.replace(
                c,
                scope,
                conversation,
                project=project,
                tags=store.checked_tags(tags),
                task_id=task_id,
            ),
        )

    # ---- erasure

    def on_erasure(self, callback: Callable[[str | None], None]) -> None:
        """Call ``callback`` whenever something was erased, with the user it belonged to (None: it
        may have been anybody's), so that what the process holds of it is dropped."""
        self._erasure_callbacks.append(callback)

    def before_erasure(self, callback: Callable[[str | None], Awaitable[None]]) -> None:
        """Await ``callback`` with the user (None: it may be anybody's) before anything is erased,
        so that no other file holds the words when it is. If it raises, nothing is erased."""
        self._erasing_callbacks.append(callback)

    def before_user_purge(self, callback: Callable[[str], Awaitable[None]]) -> None:
        """Await ``callback`` with the user before everything of one is erased, so that what other
        files hold of the user goes too. If it raises, nothing of memory is erased."""
        self._purge_callbacks.append(callback)

    async def forget(
        self, scope: MemoryScope, entry_id: int, *, dry_run: bool = False
    ) -> Forgotten:
        """Erase an entry with all its versions, the words it came from, and what was derived from
        them. Cannot be undone. ``dry_run``: only say what would be erased. Raises
        MemoryNotFoundError, MemoryForbiddenError."""
        if dry_run:  # a write all the same, that is rolled back
            now = self._clock()
            return await self._database.write(
                "forget", lambda c: forget_entries(c, scope, [entry_id], now, dry_run=True)
            )
        return await self._erase(
            scope, "forget", "forget", lambda c, now: forget_entries(c, scope, [entry_id], now)
        )

    async def forget_key(self, scope: MemoryScope, key: str) -> Forgotten:
        """``forget`` the active entry of a key. Raises MemoryNotFoundError, MemoryKeyError."""
        entries.checked_key(key)

        def work(connection: Connection, now: float) -> Forgotten:
            entry = entries.find_key(connection, scope, key)
            return forget_entries(connection, scope, [entry.id], now)

        return await self._erase(scope, "forget", "forget", work)

    async def forget_claims(
        self,
        conversation_key: ConversationKey,
        scope: MemoryScope,
        asked: Asked,
        texts: Sequence[str],
    ) -> Forgotten:
        """Erase what a topic names ("where I live"), by what is claimed, and everything that says
        one of ``texts``. Nothing found is an empty result."""
        referents = self.claims.referents(conversation_key)
        return await self._erase(
            scope,
            "forget",
            "forget",
            lambda c, now: forget_claims(c, scope, asked, referents, texts, now),
        )

    async def forget_message(self, scope: MemoryScope, message_id: int, text: str) -> Forgotten:
        """Erase what a message of the user told, with the message and everything else that says
        ``text``, its words."""
        return await self._erase(
            scope,
            "forget",
            "forget",
            lambda c, now: forget_message(c, scope, message_id, text, now),
        )

    async def forget_text(
        self, scope: MemoryScope, text: str, *, dry_run: bool = False
    ) -> Forgotten:
        """Erase every entry and message that says this, and what was derived from them. Nothing
        found is an empty result. ``dry_run``: only say what would be erased."""
        if dry_run:  # a write all the same, that is rolled back
            now = self._clock()
            return await self._database.write(
                "forget", lambda c: forget_text(c, scope, text, now, dry_run=True)
            )
        return await self._erase(
            scope, "forget", "forget", lambda c, now: forget_text(c, scope, text, now)
        )

    async def purge(self, scope: MemoryScope, what: Purge, *, dry_run: bool = False) -> Forgotten:
        """Erase a session, a user, or what is old. The caller asks for confirmation. What the
        agenda holds of a user is erased first (``before_user_purge``). ``dry_run``: only say what
        would be erased from memory. Raises MemoryNotFoundError."""
        if dry_run:  # a write all the same, that is rolled back
            now = self._clock()
            return await self._database.write("purge", lambda c: preview(c, scope, what, now))
        async with self.kept_in.people.hold(scope.user, joining=True):
            if what.user:
                for callback in self._purge_callbacks:
                    await callback(scope.user)
            return await self._erase(
                scope, "purge", cause_of(what), lambda c, now: purge(c, scope, what, now)
            )

    # ---- sessions, retrieval log, counts

    async def sessions(
        self, scope: MemoryScope, *, limit: int = 50, before_id: int | None = None
    ) -> Sequence[Session]:
        """Sessions of the user, newest first."""
        return await self._database.read(
            lambda c: sessions.listed(c, scope.user, limit=limit, before_id=before_id)
        )

    async def explain(self, scope: MemoryScope, message_id: int | None = None) -> Recall:
        """What was recalled for a message; None: for the last turn of the scope's conversation.
        Raises MemoryNotFoundError."""

        def work(connection: Connection) -> Recall:
            if message_id is not None:
                return recall_log.of_message(connection, scope, message_id)
            found = recall_log.latest(connection, scope, 1)
            if not found:
                raise MemoryNotFoundError("nothing has been recalled yet")
            return found[0]

        return await self._database.read(work)

    async def recalls(self, scope: MemoryScope, *, limit: int = 20) -> Sequence[Recall]:
        """The retrieval log, newest first."""
        return await self._database.read(lambda c: recall_log.latest(c, scope, limit))

    async def user_stats(self, scope: MemoryScope) -> Mapping[str, Any]:
        """Counts of what is kept of the user, and the size of the file, bytes."""
        limit, place = self._limits.identity_chars, self._database.place
        return await self._database.read(lambda c: statistics.of_user(c, scope, limit, place))

    async def growth(self, scope: MemoryScope, *, since: float, last_recalls: int = 200) -> Growth:
        """How the user's memory has grown since a time, seconds since the epoch, and how long the
        last searches took."""
        return await self._database.read(
            lambda c: statistics.history(c, scope.user, since, last_recalls)
        )

    async def users(self) -> Sequence[RememberedUser]:
        """All users of whom anything is kept, last active first; without the household. Names and
        counts, for the owner at this computer."""
        return await self._database.read(statistics.users)

    async def one_user(self, user: str) -> RememberedUser | None:
        """The same of one user; None: nothing of theirs is kept."""
        return await self._database.read(lambda c: statistics.one_user(c, user))

    # ---- export and import

    async def export(self, scope: MemoryScope) -> Mapping[str, Any]:
        """All of the user's memory as one JSON document, complete and lossless."""
        now = self._clock()
        return await self._database.aside(lambda c: export.export(c, scope, now))

    async def export_markdown(self, scope: MemoryScope) -> str:
        """All of the user's memory as readable Markdown."""
        now = self._clock()
        return await self._database.aside(
            lambda c: export.export_markdown(export.export(c, scope, now))
        )

    async def import_json(self, scope: MemoryScope, document: object) -> Imported:
        """Add the content of an export, or of a ``sessions.json`` snapshot. What is there already
        is skipped. All or nothing. Raises ImportInvalidError."""
        now, limit = self._clock(), self._limits.identity_chars
        parsed = await asyncio.to_thread(import_.parse, document)
        done = await self._database.write(
            "import", lambda c: import_.import_parsed(c, scope, parsed, now, identity_chars=limit)
        )
        await self._counting.everything()
        self.changed(scope.user)
        self.wake()
        return done

    async def _change(
        self, name: str, scope: MemoryScope, work: Callable[[Connection, float], T]
    ) -> T:
        """One transaction that changes entries or projects of a scope; ``work`` takes the
        connection and the present time. Raises MemoryDisabledError."""
        if not self._settings.enabled:
            raise MemoryDisabledError("memory.enabled is off")
        now = self._clock()
        result = await self._database.write(
            name, lambda connection: work(connection, now), of=scope.user, everybody=True
        )
        shared = isinstance(result, Entry) and result.scope == "household"
        self.changed(HOUSEHOLD if shared else scope.user)
        self.wake()
        return result

    async def _erase(
        self,
        scope: MemoryScope,
        name: str,
        cause: Cause,
        work: Callable[[Connection, float], Forgotten],
    ) -> Forgotten:
        """One transaction that erases; also while memory is switched off."""
        now = self._clock()
        whose = None if scope.household == "write" else scope.user
        people = self.kept_in.people

        def erase(connection: Connection) -> Forgotten:
            gone = work(connection, now)
            people.tell_with(connection, "erased", person=whose)
            return gone

        # Background work that has read what is erased must not store anything made from it.
        async with people.hold(scope.user, joining=True), self._priority.exclusive():
            for callback in self._erasing_callbacks:
                await callback(whose)
            gone = await self._database.write(name, erase)
            self.erasures.report(cause, ErasureReport.of(gone))
            await self._report_erasure(whose)
        self.changed(scope.user)
        if scope.household == "write":
            self.changed(HOUSEHOLD)
        self.wake()
        return gone

    async def _report_erasure(self, user: str | None) -> None:
        self._drop_words(user)
        await self._counting.everything()

    def _changed_in_background(self, user: str | None) -> None:
        if user is None:  # it may have erased what was read of anybody
            self._recaller.drop_read()
        self.changed(user)

    def _drop_words(self, user: str | None) -> None:
        # At once: before the next turn of anybody can use what was erased.
        self.claims.drop(user)
        self._recaller.drop_read()
        for callback in self._erasure_callbacks:
            callback(user)
