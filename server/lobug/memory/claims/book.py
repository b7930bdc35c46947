"""What a user has claimed, for the rest of Lo-Bug: what is asked for, what a message changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from lobug.language.claims import Asked, Claim, ClaimReader, Heard, Path
from lobug.memory import claim_rows, log
from lobug.memory.claim_rows import KnownClaim, Referent
from lobug.memory.claims import assertion, lookup, revisable
from lobug.memory.claims.lookup import Found
from lobug.memory.claims.relations import NAME
from lobug.memory.claims.subjects import Ambiguous, plain
from lobug.memory.index import entry_index
from lobug.memory.model import ConversationKey
from lobug.storage.connection import Connection
from lobug.storage.database import Database

MOST_CONVERSATIONS = 512
"""Conversations of which it is known what was last talked about."""
MOST_REFERENTS = 12
MOST_ASKED = 300
"""Entries with a word of a question, the latest, that are compared with it."""
MOST_UNREAD = 40
"""Messages that wait to be read, of which the statements are recited as they stand."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one message did to memory."""

    stored: tuple[KnownClaim, ...] = ()
    """What it told that was new."""
    retired: tuple[KnownClaim, ...] = ()
    """What is not believed any more since."""


@dataclass(frozen=True, slots=True)
class Telling:
    """What tells, word for word, what a question asks; all None: nothing does."""

    holding: KnownClaim | None = None
    """The latest that holds."""
    over: KnownClaim | None = None
    """Where nothing holds: the latest that is over."""
    since: KnownClaim | None = None
    """What is so instead of it, if that is known."""


class ClaimBook:
    """The claims of all users; every call names one."""

    def __init__(self, database: Database, reader: ClaimReader) -> None:
        self._database = database
        self._referents: OrderedDict[ConversationKey, tuple[Referent, ...]] = OrderedDict()
        self.reader = reader

    def referents(self, conversation_key: ConversationKey) -> tuple[Referent, ...]:
        """What a conversation last talked about, latest first."""
        return self._referents.get(conversation_key, ())

    def note(self, conversation_key: ConversationKey, referents: Sequence[Referent]) -> None:
        """Note what a conversation talks about now."""
        self._referents[conversation_key] = tuple(referents[:MOST_REFERENTS])
        self._referents.move_to_end(conversation_key)
        while len(self._referents) > MOST_CONVERSATIONS:
            self._referents.popitem(last=False)

    def drop(self, user: str | None) -> None:
        """Forget what was talked about, after something was erased; None: of everybody."""
        for key in [key for key in self._referents if user is None or key.user == user]:
            del self._referents[key]

    async def find(
        self, conversation_key: ConversationKey, asked: Asked
    ) -> Found | Ambiguous | None:
        """What memory holds of what was asked; None: it knows no such subject."""
        referents = self.referents(conversation_key)
        found = await self._database.read(
            lambda c: lookup.find(c, self.reader, conversation_key.user, asked, referents)
        )
        if isinstance(found, Found):
            talked = Referent(found.subject, asked.relation or NAME, asked.kind)
            self.note(conversation_key, (talked, *referents))
        return found

    async def completes(self, conversation_key: ConversationKey, heard: Heard) -> bool:
        """Whether each bare value of an utterance fits something that was talked about."""
        referents = self.referents(conversation_key)
        return await self._database.read(
            lambda c: assertion.completes(c, self.reader, conversation_key, heard, referents)
        )

    async def knows_of(self, conversation_key: ConversationKey, asked: Asked) -> bool:
        """Whether anything is claimed, or was, of what a topic names."""
        referents = self.referents(conversation_key)
        about = await self._database.read(
            lambda c: lookup.about(c, self.reader, conversation_key.user, asked, referents)
        )
        return bool(about.entries)

    async def unread(self, user: str) -> tuple[str, ...]:
        """What the user has stated lately that the rules cannot read and the chat model has not
        read yet, as said."""
        waiting = await self._database.read(lambda c: log.not_extracted(c, user, MOST_UNREAD))
        heard = [self.reader.read(message.content) for message in waiting]
        return tuple(statement for one in heard if not one.is_kept for statement in one.unread)

    async def knows_name(self, user: str, name: str) -> bool:
        """Whether somebody or something of the user's has a name, given in small letters."""
        named = await self._database.read(lambda c: claim_rows.of_relation(c, user, NAME))
        return any(
            len(one.subject) > 1 and name in {one.value.lower(), one.value.lower().split()[0]}
            for one in named
            if one.value
        )

    async def telling_words(
        self, user: str, question: str, fits: Callable[[KnownClaim], bool]
    ) -> Telling:
        """What tells, word for word, what a question asks, as far as what holds ``fits``."""

        def work(connection: Connection) -> Telling:
            answers = self.reader.answering(question)
            ids = entry_index.with_any_of(connection, user, self.reader.asked_words(question))
            latest = ids[-MOST_ASKED:]
            known = claim_rows.of_entries(connection, user, latest)
            holding = [
                one
                for one in reversed(known)
                if one.status == "active" and answers(one.content) and fits(one)
            ]
            if holding:
                return Telling(holding[0])
            for was, now in claim_rows.replaced(connection, user, latest):
                if answers(was.content):
                    return Telling(None, was, now)
            return Telling()

        return await self._database.read(work)

    async def telling(self, user: str, topic: str) -> list[KnownClaim]:
        """What holds and tells, be it in other words, what a topic names, the latest first."""

        def work(connection: Connection) -> list[KnownClaim]:
            known = claim_rows.latest(connection, user, MOST_ASKED)
            tells = self.reader.telling(topic)
            return [one for one in known if tells(one.content)]

        return await self._database.read(work)

    async def changed_by(self, user: str, message_id: int) -> Change:
        """What a message did to memory."""

        def work(connection: Connection) -> Change:
            made = claim_rows.made_by(connection, user, message_id)
            ended = claim_rows.ended_by(connection, user, message_id)
            return Change(
                tuple(claim_rows.of_entries(connection, user, made)),
                tuple(claim_rows.of_entries(connection, user, ended)),
            )

        return await self._database.read(work)

    async def doubt(self, entry_ids: Sequence[int]) -> None:
        """Note that the user has called entries wrong and not said what is right."""

        def work(connection: Connection) -> None:
            for entry_id in entry_ids:
                claim_rows.set_confidence(connection, entry_id, claim_rows.DOUBTED)

        await self._database.write("doubt", work)

    async def doubts(self, user: str, entry_ids: Sequence[int]) -> bool:
        """Whether the user has called one of these entries wrong."""
        if not entry_ids:
            return False
        known = await self._database.read(lambda c: claim_rows.of_entries(c, user, entry_ids))
        return any(one.doubted for one in known)

    async def may_be_wrong(self, user: str, entry_ids: Sequence[int]) -> bool:
        """Whether words that the chat model has not read yet may put one of these entries right."""
        if not entry_ids:
            return False
        return await self._database.read(lambda c: revisable.may_be_wrong(c, user, entry_ids))

    async def trust(self, user: str, message_id: int) -> list[str]:
        """Mark what a message told, new or again, as what the user asked to be remembered. Returns
        the sentences."""
        return await self._database.write(
            "trust", lambda c: claim_rows.trust(c, user, message_id), of=user, everybody=True
        )

    async def having(self, ids: Sequence[int]) -> frozenset[int]:
        """Which of these entries claim something, be it only a statement of no relation."""
        if not ids:
            return frozenset()
        return await self._database.read(lambda c: claim_rows.having(c, ids))

    async def of_relations(self, ids: Sequence[int]) -> frozenset[int]:
        """Which of these entries claim something of which the rules can read the relation."""
        if not ids:
            return frozenset()
        return await self._database.read(lambda c: claim_rows.of_relations(c, ids))

    async def everything(self, user: str) -> tuple[tuple[Claim, ...], Mapping[Path, str]]:
        """All that holds, with the names of the subjects."""
        known = await self._database.read(lambda c: claim_rows.everything(c, user))
        active = [one for one in known if one.status == "active"]
        names = {
            told_of(one.subject): one.value for one in active if one.relation == NAME and one.holds
        }
        return tuple(map(_told, active)), names


def _told(known: KnownClaim) -> Claim:
    """A claim for a recitation, where two sisters are called so side by side."""
    if known.relation == NAME and known.subject != plain(known.subject):
        return replace(known.claim, subject=plain(known.subject), appositive=True)
    return replace(known.claim, subject=told_of(known.subject))


def told_of(path: Path) -> Path:
    """A path for a recitation: the second of two sisters goes by her name."""
    for index in reversed(range(len(path))):
        _, colon, name = path[index].partition(":")
        if colon:
            return (name, *path[index + 1 :])
    return path
