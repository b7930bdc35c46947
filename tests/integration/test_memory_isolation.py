"""Nobody ever reads what belongs to another."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lobug.memory.model import ConversationKey
from support.memory_kit import (
    CASCADES,
    Kit,
    exchange,
    look,
)
from support.scripted import ScriptedChatModel

pytestmark = pytest.mark.usefixtures("each_database")

USERS = st.sampled_from(["ada", "bob", "Ada", "a'b", "ü" * 40, "x" * 300, " "])


WORDS = st.sampled_from(["bees", "owls", "tea", "chess", "NASA", "Rome"])


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(told=st.lists(st.tuples(USERS, WORDS, st.integers(0, 99)), min_size=1, max_size=12))
async def test_nothing_is_ever_read_that_belongs_to_another(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[str, str, int]]
) -> None:
    kit = Kit(tmp_path_factory.mktemp("isolation") / "m.db", settings=CASCADES)
    good = kit.chat._replies
    assert callable(good)
    # Summaries and base memory hold the user's own words, so that a leak would show.
    kit.chat = ScriptedChatModel(
        lambda m, o: (
            good(m, o)
            if o.json_schema and "base memory" not in m[0].content
            else f"User Profile:\n- the gist of it: {' '.join(sorted(set(m[-1].content.split())))}"
        )
    )
    memory = kit.memory()
    await memory.start(work=False)
    secret = {user: f"secret{number}" for number, user in enumerate({user for user, _, _ in told})}
    for user, word, number in told:
        await exchange(
            memory,
            f"I keep {word} {number} {secret[user]}",
            conversation_key=ConversationKey(user, f"{user}-{word}"),
        )
    await memory.process_due()
    for user in secret:
        others = [other for name, other in secret.items() if name != user]
        for word in ("keep bees", "secret0 secret1 secret2", "NASA"):
            context = await memory.retrieve_context(ConversationKey(user, "any"), word)
            seen = context.base_memory + " ".join(fact.content for fact in context.recalled)
            for owner in {
                ConversationKey(name, f"{name}-{told_word}") for name, told_word, _ in told
            }:
                if owner.user == user:
                    logged = await memory.recent_messages(owner, 100)
                    seen += " ".join(message.content for message in logged)
            assert not [other for other in others if other in seen.split()]
        assert await memory.recent_messages(ConversationKey(user, "nobody's"), 9) == []
    await memory.close()
    mixed = look(
        kit.path,
        "SELECT s.id FROM memory_summaries s JOIN conversation_log m ON m.id IN"
        " (s.source_from_id, s.source_to_id)"
        " WHERE m.user <> s.user OR m.conversation <> s.conversation",
    )
    assert mixed == []
