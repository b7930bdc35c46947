"""Three people, any order of telling, storing, changing, forgetting and searching: nobody ever sees
another's words, what was forgotten is nowhere, and doing a thing twice is doing it once.

Every text holds a word of its own that names whose it is (``tokada7x``), so that a leak shows
wherever it comes out, and a trace wherever it is left.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from lobug.engines.base import ChatMessage, ChatOptions
from lobug.errors import IdentityFullError, MemoryForbiddenError, MemoryNotFoundError
from lobug.memory.model import (
    HOUSEHOLD,
    ConversationKey,
    Draft,
    Entry,
    EntryScope,
    Filter,
    Forgotten,
    HouseholdGrant,
    MemoryScope,
)
from support.memory_kit import CASCADES, Kit, look, model_that_listens
from support.scripted import ScriptedChatModel

T = TypeVar("T")

GRANTS: dict[str, HouseholdGrant] = {"ada": "write", "bob": "read"}
USERS = st.sampled_from(["ada", "bob", "cleo"])
DEVICES = st.sampled_from(["desk", "kitchen"])
KEYS = st.sampled_from([None, "pet", "home", "note"])
TOKEN = re.compile(r"tok(ada|bob|cleo|household)\d+x")


def echo(messages: Sequence[ChatMessage], options: ChatOptions) -> str:
    """Extracts as the kit does; summaries and identity hold the words that they are made from."""
    if options.json_schema is not None and "base memory" not in messages[0].content:
        return model_that_listens(messages, options)
    words = sorted(set(re.findall(r"tok\w+", messages[-1].content)))
    if "base memory" in messages[0].content:
        return f"User Profile:\n- The user has {' '.join(words)}"
    return f"The user has {' and '.join(words)} and a cat."


class Household(RuleBasedStateMachine):
    """One database, three people, two devices each."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory(prefix="lobug-isolation-")
        self.path = Path(self.folder.name) / "m.db"
        self.kit = Kit(
            self.path,
            settings=CASCADES.model_copy(update={"household": GRANTS}),
            chat=ScriptedChatModel(echo),
        )
        self.memory = self.kit.memory()
        self.count = 0
        self.told: set[str] = set()
        self.forgotten: set[str] = set()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something of the memory, a minute after the last thing."""
        self.kit.clock.advance(60.0)
        return self.runner.run(work)

    @initialize()
    def open(self) -> None:
        self.run(self.memory.start(work=False))

    def token(self, owner: str) -> str:
        self.count += 1
        token = f"tok{owner}{self.count}x"
        self.told.add(token)
        return token

    def access(self, user: str, device: str) -> MemoryScope:
        return MemoryScope(user, f"{user}-{device}", GRANTS.get(user, "none"))

    def pick(self, number: int) -> int:
        """An entry's id, anybody's; or one that there is not."""
        ids = [row[0] for row in look(self.path, "SELECT id FROM memories ORDER BY id")]
        return int(ids[number % len(ids)]) if ids else 1

    def whose(self, entry_id: int) -> str | None:
        rows = look(self.path, "SELECT user FROM memories WHERE id = ?", [entry_id])
        return str(rows[0][0]) if rows else None

    def may_see(self, scope: MemoryScope, owner: str) -> bool:
        return owner in {scope.user, "household" if scope.household != "none" else scope.user}

    def check(self, scope: MemoryScope, seen: object) -> None:
        """Nothing in what somebody was given is another's, or forgotten."""
        text = seen if isinstance(seen, str) else repr(seen)
        tokens = {match[0]: match[1] for match in TOKEN.finditer(text)}
        foreign = [t for t, owner in tokens.items() if not self.may_see(scope, owner)]
        assert not foreign, (scope, foreign)
        assert not tokens.keys() & self.forgotten, (scope, tokens.keys() & self.forgotten)

    # What people do

    @rule(user=USERS, device=DEVICES)
    def says(self, user: str, device: str) -> None:
        owner = ConversationKey(user, f"{user}-{device}")
        token = self.token(user)

        async def turn() -> None:
            message = await self.memory.log_user_message(owner, f"I have {token} and a cat.")
            context = await self.memory.retrieve_context(owner, f"cat {token}", message_id=message)
            self.check(self.access(user, device), context)
            await self.memory.log_reply(owner, message, f"So you have {token}.", extract=True)

        self.run(turn())

    @rule(user=USERS, device=DEVICES, key=KEYS, scope=st.sampled_from(["user", "conversation"]))
    def stores(self, user: str, device: str, key: str | None, scope: EntryScope) -> None:
        access = self.access(user, device)
        draft = Draft(f"The user likes {self.token(user)}", key=key, scope=scope)
        entry = self.run(self.memory.store(access, draft))
        assert entry.user == user
        again = self.run(self.memory.store(access, draft))
        assert (again.id, again.content) == (entry.id, entry.content)
        versions = self.run(self.memory.history(access, entry.id))
        assert [version.status for version in versions].count("active") == 1
        self.check(access, versions)

    @rule(user=USERS, device=DEVICES, key=KEYS)
    def stores_for_all(self, user: str, device: str, key: str | None) -> None:
        access = self.access(user, device)
        draft = Draft(f"The flat has {self.token('household')}", key=key, scope="household")
        if access.household == "write":
            assert self.run(self.memory.store(access, draft)).user == HOUSEHOLD
        else:
            with pytest.raises(MemoryForbiddenError):
                self.run(self.memory.store(access, draft))

    @rule(user=USERS)
    def writes_identity(self, user: str) -> None:
        draft = Draft(f"The user is {self.token(user)}", layer="identity", section="User Profile")
        with suppress(IdentityFullError):
            self.run(self.memory.store(self.access(user, "desk"), draft))

    @rule(
        user=USERS,
        device=DEVICES,
        number=st.integers(0, 200),
        how=st.sampled_from(["edit", "correct", "remove", "restore"]),
    )
    def changes(self, user: str, device: str, number: int, how: str) -> None:
        access, entry_id = self.access(user, device), self.pick(number)
        owner = self.whose(entry_id)
        if owner is None:
            return
        content = (
            f"The flat has {self.token('household')}"
            if owner == HOUSEHOLD
            else f"The user loves {self.token(owner)}"
        )
        before = look(self.path, "SELECT * FROM memories ORDER BY id")

        async def change() -> Entry:
            if how == "edit":
                return await self.memory.edit(access, entry_id, content=content)
            if how == "correct":
                return await self.memory.correct(access, entry_id, content)
            if how == "remove":
                return await self.memory.deactivate(access, entry_id)
            return await self.memory.restore(access, entry_id)

        try:
            changed = self.run(change())
        except (MemoryNotFoundError, MemoryForbiddenError) as error:
            self.check(access, str(error))
            assert look(self.path, "SELECT * FROM memories ORDER BY id") == before
        else:
            assert owner == user or (owner == HOUSEHOLD and access.household == "write")
            assert changed.user == owner
            self.check(access, changed)

    @rule(user=USERS, device=DEVICES, number=st.integers(0, 200))
    def forgets(self, user: str, device: str, number: int) -> None:
        access, entry_id = self.access(user, device), self.pick(number)
        owner = self.whose(entry_id)

        async def forget() -> set[str]:
            tokens: set[str] = set()
            for version in await self.memory.history(access, entry_id):
                if version.category == "timeline":
                    continue  # what was noted of the same talk by itself stays
                known = await self.memory.get(access, version.id)
                tokens |= set(re.findall(r"tok\w+", f"{version.content} {known.message}"))
            await self.memory.forget(access, entry_id)
            return tokens

        try:
            gone = self.run(forget())
        except (MemoryNotFoundError, MemoryForbiddenError):
            allowed = owner == user or (owner == HOUSEHOLD and access.household == "write")
            scopes = look(
                self.path, "SELECT scope, conversation FROM memories WHERE id = ?", [entry_id]
            )
            elsewhere = scopes and scopes[0][0] == "conversation"
            assert not allowed or elsewhere or owner is None
            return
        assert owner == user or (owner == HOUSEHOLD and access.household == "write")
        self.forgotten |= gone
        with pytest.raises(MemoryNotFoundError):
            self.run(self.memory.forget(access, entry_id))

    @rule(user=USERS, device=DEVICES, number=st.integers(0, 200))
    def forgets_a_word(self, user: str, device: str, number: int) -> None:
        if not self.told - self.forgotten:
            return
        left = sorted(self.told - self.forgotten)
        token = left[number % len(left)]
        # The whole person's: what belongs to one conversation is meant too.
        access = MemoryScope(user, None, GRANTS.get(user, "none"))
        found = self.run(self.memory.forget_text(access, token))
        mine = [user, *(["household"] if access.household == "write" else [])]
        if token.startswith(tuple(f"tok{owner}" for owner in mine)):
            self.forgotten.add(token)
        else:
            assert found == Forgotten(), (access, token, found)
        assert self.run(self.memory.forget_text(access, token)) == Forgotten()

    # What they see

    @rule(user=USERS, device=DEVICES, number=st.integers(0, 200))
    def looks_for_a_word(self, user: str, device: str, number: int) -> None:
        """Also for another's: the question itself is the asker's, what is found is not."""
        left = sorted(self.told - self.forgotten)
        if not left:
            return
        token, access = left[number % len(left)], self.access(user, device)
        where = Filter(status=None)
        hits = self.run(self.memory.search(access, token, where, limit=20, turns=True))
        self.check(access, hits)
        for hit in hits:
            if hit.entry is not None and hit.entry.scope == "conversation":
                assert hit.entry.conversation == access.conversation
        everything = Filter(status="active")
        active = self.run(self.memory.entries(access, everything, limit=1_000))
        mine = [entry for entry in active if token in entry.content and entry.layer == "knowledge"]
        for entry in mine:
            found = self.run(self.memory.search(access, token, everything, limit=20))
            assert entry.id in {hit.id for hit in found}, (token, entry)
        recalled = self.run(
            self.memory.retrieve_context(ConversationKey(user, f"{user}-{device}"), "cat")
        )
        self.check(access, recalled)

    @rule(user=USERS, device=DEVICES)
    def looks_at_everything(self, user: str, device: str) -> None:
        self.check(self.access(user, device), self.everything(self.access(user, device)))

    def everything(self, scope: MemoryScope) -> str:
        """All that any call gives somebody."""
        owner = ConversationKey(scope.user, scope.conversation or scope.user)
        top = look(self.path, "SELECT MAX(id) FROM memories")[0][0] or 0
        messages = look(self.path, "SELECT MAX(id) FROM conversation_log")[0][0] or 0

        async def collect() -> list[object]:
            control = self.memory
            seen: list[object] = [
                await control.entries(scope, Filter(status=None), limit=1_000),
                await control.search(scope, "", Filter(since=0.0), limit=1_000, turns=True),
                await control.search(scope, "the user has", Filter(), limit=1_000, turns=True),
                await control.identity(scope),
                await control.sessions(scope),
                await control.recalls(scope, limit=100),
                await control.projects.listed(scope),
                await control.projects.tasks(scope),
                await control.user_stats(scope),
                await control.export(scope),
                await control.export_markdown(scope),
                await self.memory.recent_messages(owner, 1_000),
                await self.memory.retrieve_context(owner, "cat"),
                await self.memory.base_memory(scope.user),
            ]
            for entry_id in range(1, top + 1):
                for call in (control.get, control.history):
                    try:
                        seen.append(await call(scope, entry_id))
                    except MemoryNotFoundError as error:
                        seen.append(str(error))
            for message_id in range(1, messages + 1):
                try:
                    seen.append(await control.explain(scope, message_id))
                except MemoryNotFoundError as error:
                    seen.append(str(error))
            return seen

        return repr(self.run(collect()))

    @rule(user=USERS)
    def brings_back_an_export(self, user: str) -> None:
        access = MemoryScope(user, None, GRANTS.get(user, "none"))

        async def there_and_back() -> tuple[str, str]:
            before = await self.memory.export(access)
            document = json.loads(json.dumps(before))
            await self.memory.import_json(access, document)
            after = await self.memory.export(access)
            return steady(before), steady(after)

        before, after = self.run(there_and_back())
        assert before == after

    @rule()
    def works_in_the_background(self) -> None:
        self.run(self.memory.process_due())

    @invariant()
    def nobody_is_stuck(self) -> None:
        """A step that failed is parked; here none has a reason to."""
        if self.memory.fault() is not None:
            raise AssertionError(self.memory.fault())

    def teardown(self) -> None:
        try:
            if self.count:
                for user in ("ada", "bob", "cleo"):
                    access = MemoryScope(user, None, GRANTS.get(user, "none"))
                    self.check(access, self.everything(access))
                self.run(self.memory.process_due())
            self.runner.run(self.memory.close())
            for file in Path(self.folder.name).iterdir():
                raw = file.read_bytes().lower()
                left = [token for token in self.forgotten if token.encode() in raw]
                assert not left, (file.name, left)
        finally:
            self.runner.close()
            self.folder.cleanup()


def steady(document: object) -> str:
    """An export as text, without when it was made."""
    if isinstance(document, dict):
        document = {k: v for k, v in document.items() if k != "exported_at"}
    return json.dumps(document, sort_keys=True, default=str)


Household.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
TestHousehold = Household.TestCase
