"""For any life of two people: what one forgets is in no byte on the disk afterwards, and nothing
of the other's is touched."""

from __future__ import annotations

import asyncio
import string
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from lobug.memory.model import ConversationKey, Draft, Filter, MemoryScope, Purge
from lobug.memory.service import Memory
from support.erasure_kit import bytes_of
from support.memory_kit import Kit, exchange, look

ADA, BOB = ConversationKey("ada", "ada/device:desk"), ConversationKey("bob", "bob/device:desk")
TEMPLATES = (
    "I keep {}",
    "I keep {} in the shed. It is cold today.",
    "My {} is in the garden, so I keep bees",
    "Do you know {}?",
    "我住在{}。",
    "{} {} {}!",
)

WORDS = st.text(alphabet=string.ascii_lowercase, min_size=8, max_size=8).map(lambda w: f"zq{w}w")
LINES = st.tuples(st.sampled_from(TEMPLATES), st.integers(0, 3), st.booleans())


@given(
    secrets=st.lists(WORDS, min_size=4, max_size=4, unique=True),
    lines=st.lists(LINES, min_size=1, max_size=7),
    stored=st.lists(st.integers(0, 3), max_size=3),
    forgotten=st.integers(0, 3),
    purge=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_what_is_forgotten_is_nowhere(
    secrets: list[str],
    lines: list[tuple[str, int, bool]],
    stored: list[int],
    forgotten: int,
    purge: bool,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        asyncio.run(live(path, secrets, lines, stored, forgotten, purge))


async def live(
    path: Path,
    secrets: list[str],
    lines: list[tuple[str, int, bool]],
    stored: list[int],
    forgotten: int,
    purge: bool,
) -> None:
    memory = Kit(path).memory()
    await memory.start(work=False)
    for template, number, by_bob in lines:
        owner, word = (BOB, secrets[number][::-1]) if by_bob else (ADA, secrets[number])
        said = template.replace("{}", word)
        await exchange(memory, said, f"You said: {said} Noted.", conversation_key=owner)
    for number in stored:
        word = secrets[number]
        await memory.store(
            MemoryScope(ADA.user, None), Draft(f"The box holds {word}", tags=(word,))
        )
        await memory.projects.add_task(MemoryScope(ADA.user, None), f"Look for {word}")
    await memory.process_due()
    before = await everything(memory, BOB)

    access = MemoryScope(ADA.user, ADA.conversation)
    gone = secrets if purge else [secrets[forgotten]]
    if purge:
        await memory.purge(access, Purge(user=True))
    else:
        await memory.forget_text(access, secrets[forgotten])
    await memory.process_due()

    assert await everything(memory, BOB) == before
    await memory.close()
    left = bytes_of(path).lower()
    assert [word for word in gone if word.encode() in left] == []
    told = {secrets[number] for _, number, by_bob in lines if not by_bob}
    texts = " ".join(row[0] for row in look(path, "SELECT content FROM conversation_log"))
    assert [word for word in told - set(gone) if word not in texts] == []
    assert look(path, "PRAGMA integrity_check") == [("ok",)]


async def everything(memory: Memory, conversation_key: ConversationKey) -> object:
    access = MemoryScope(conversation_key.user, None)
    document = dict(await memory.export(access))
    document.pop("exported_at")
    found = await memory.search(access, "shed", Filter(status=None), limit=50)
    return document, [(hit.kind, hit.id, hit.content) for hit in found]
