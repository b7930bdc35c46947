"""Claims in the real memory: what is told changes what is believed in the very transaction that
logs it, whom it speaks of is found, and nothing forgotten comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lobug.language.claims import Asked, Heard
from lobug.language.en.claims.english import CLAIMS
from lobug.memory.claims.assertion import Assertion
from lobug.memory.claims.lookup import Found
from lobug.memory.claims.subjects import Ambiguous
from lobug.memory.model import Draft, Filter, MemoryScope, Purge
from lobug.memory.service import Memory
from lobug.storage.driver import connect
from support.memory_kit import ADA, BOB, Kit, exchange, look, started
from support.scripted import ScriptedChatModel

SCOPE = MemoryScope(ADA.user, ADA.conversation)
pytestmark = pytest.mark.usefixtures("asked_again")


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    chat = ScriptedChatModel(lambda _, options: "[]" if options.json_schema else "Okay.")
    return Kit(tmp_path / "memory.db", chat=chat)


async def believed(memory: Memory, user: str = ADA.user) -> list[str]:
    """What is held to be true of a user."""
    found = await memory.entries(MemoryScope(user, None), Filter(), limit=100)
    return sorted(entry.content for entry in found)


async def told(memory: Memory, *sentences: str) -> None:
    for sentence in sentences:
        await exchange(memory, sentence)


async def asked(memory: Memory, question: str) -> str:
    """The answer from claims."""
    read = CLAIMS.read_question(question)
    assert read is not None
    found = await memory.claims.find(ADA, read)
    assert isinstance(found, Found)
    return CLAIMS.answer(
        found.asked, found.claims, [(one, "") for one, _ in found.over], found.names
    )


async def test_what_is_told_is_believed_before_the_reply(kit: Kit) -> None:
    async with started(kit) as memory:
        await memory.log_user_message(ADA, "I live in Oslo.")
        assert await believed(memory) == ["The user lives in Oslo"]


async def test_what_was_not_meant_for_lo_bug_is_taken_back_with_what_it_ended(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "I live in Oslo.")
        overheard = await memory.log_user_message(ADA, "I moved to Rome.")
        assert await believed(memory) == ["The user lives in Rome"]
        await memory.log_reply(ADA, overheard, "[IGNORE]", extract=False, retract=True)
        assert await believed(memory) == ["The user lives in Oslo"]


async def test_what_is_said_last_counts_where_the_clock_of_another_server_is_behind(
    kit: Kit,
) -> None:
    async with started(kit) as memory:
        await told(memory, "I live in Rome.")
        kit.clock.advance(-2.0)
        await told(memory, "I live in Oslo.")
        assert await believed(memory) == ["The user lives in Oslo"]
        messages = await memory.recent_messages(ADA, 10)
        assert [one.content for one in messages if one.role == "user"][-1] == "I live in Oslo."
        assert [one.created_at for one in messages] == sorted(one.created_at for one in messages)


async def test_what_is_told_anew_is_learned_where_the_clock_of_another_server_is_behind(
    kit: Kit,
) -> None:
    async with started(kit) as memory:
        await told(memory, "I live in Rome.")
        await memory.forget_claims(ADA, SCOPE, Asked(("user",), "home"), [])
        kit.clock.advance(-2.0)
        await told(memory, "I live in Rome.")
        assert await believed(memory) == ["The user lives in Rome"]


async def test_a_time_in_the_far_future_does_not_become_that_of_what_follows(kit: Kit) -> None:
    kit.clock.advance(86_400.0)
    async with started(kit) as memory:
        await told(memory, "I like golf.")
        kit.clock.advance(-86_400.0)
        await told(memory, "I like tennis.")
        last = (await memory.recent_messages(ADA, 10))[-1]
        assert last.created_at == kit.clock()


async def test_the_same_again_makes_no_second_entry(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "I live in Oslo.", "I live in Oslo.", "i live in oslo")
        assert len(await believed(memory)) == 1


async def test_what_was_read_is_not_read_again_within_an_utterance(
    kit: Kit, asked_again: list[tuple[object, ...]]
) -> None:
    async with started(kit) as memory:
        await told(
            memory,
            "My name is Ada, and I live in Oslo with my partner Tom.",
            "Hanna lives in Rome. She has a dog called Rex and three hens.",
            "Hanna is my sister.",
            "No, my sister is called Anna, and the dog is called Max.",
            "I like golf and tennis.",
            "I don't like golf, I meant chess.",
            "My phone is in the drawer, and my car is at the garage.",
            "I sold my car, and my phone is in my coat now.",
            "One of her hens died.",
            "Max has died, too.",
            "I moved to Paris last week. I'm single now.",
            "My sister lives in Paris as well, and she likes golf.",
            "That's wrong, my cousin does.",
            "I live in Paris.",
        )
        assert "The user lives in Paris" in await believed(memory)
    assert len(asked_again) > 20


async def test_whom_a_name_or_a_pronoun_means_is_found(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "My sister is called Hanna.", "She lives in Rome.", "Hanna is a nurse.")
        assert look(kit.path, "SELECT DISTINCT subject FROM claims") == [("user/sister",)]
        assert "Rome" in await asked(memory, "Where does Hanna live?")
        assert "nurse" in await asked(memory, "What does my sister do for a living?")


async def test_what_was_known_of_a_name_is_known_of_its_bearer(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "Hanna lives in Rome.", "Hanna is my sister.")
        assert "Rome" in await asked(memory, "Where does my sister live?")


async def test_a_second_sister_does_not_replace_the_first(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "My sister Hanna lives in Rome.", "My sister Johanna lives in Oslo.")
        assert "Rome" in await asked(memory, "Where does Hanna live?")
        assert "Oslo" in await asked(memory, "Where does Johanna live?")


async def test_two_of_one_name_who_could_both_be_meant_are_asked_about(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "My brother Tom lives in Rome.", "My boss Tom lives in Oslo.")
        found = await memory.claims.find(ADA, Asked(("tom",), "home"))
        assert isinstance(found, Ambiguous)


async def test_a_name_put_right_is_right_in_all_sentences(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "My sister Anna lives in Jena.", "No, my sister is called Hanna.")
        assert not any("Anna " in content for content in await believed(memory))


CORRECTIONS = {
    "of_another": (
        ("I'm allergic to sesame.", "No wait, that's my cousin. I'm allergic to mustard."),
        [
            "The user is allergic to mustard",
            "The user is not allergic to sesame",
            "The user's cousin is allergic to sesame",
        ],
    ),
    "of_another_by_name": (
        ("My cat Luna is twelve.", "No, that's Milo. Luna is three."),
        [
            "Milo is twelve years old",
            "The user's cat Luna is three years old",
            "The user's cat is called Luna",
        ],
    ),
    "mine": (
        ("My hamster is called Biscuit.", "No, Biscuit is my brother's hamster, mine is Nugget."),
        ["The user's brother's hamster is called Biscuit", "The user's hamster is called Nugget"],
    ),
    "wrong_only": (
        ("I'm allergic to nuts and milk.", "No, not milk."),
        ["The user is allergic to nuts", "The user is not allergic to milk"],
    ),
    "an_unknown_medicine": (
        ("I take warfarin.", "No, not warfarin, it's apixaban."),
        ["The user takes apixaban"],
    ),
    "the_words_beside_it": (
        ("I drive to Rotterdam on Mondays.", "That's wrong, it's Antwerp."),
        ["The user drives to Antwerp on Mondays", "The user is going to Antwerp"],
    ),
    "retold": (
        ("The book club meets at my house.", "No, it meets at Rosie's house."),
        ["The book club meets at Rosie's house"],
    ),
    "over_in_passing": (
        ("I work nights.", "They've moved me to day surgery, so no more nights for me."),
        [],
    ),
    "the_one_named_again": (
        ("My son Robert's birthday is in April.", "No, that's David. Robert's is in May."),
        ["The user's son Robert's birthday is in April", "The user's son is called Robert"],
    ),
    "no_place_of_a_common_word": (
        ("I sing alto in the choir.", "I live in Oslo.", "My mistake, soprano."),
        ["The user lives in Oslo", "The user sings alto in the choir"],
    ),
    "a_denial": (
        ("I don't like coffee.", "I meant tea."),
        ["The user does not like tea"],
    ),
    "no_value_of_a_denial": (("I have no dog.", "No, a cat."), ["The user has no dog"]),
}


@pytest.mark.parametrize(("said", "wanted"), CORRECTIONS.values(), ids=CORRECTIONS.keys())
async def test_a_correction_finds_what_it_puts_right(
    kit: Kit, said: tuple[str, ...], wanted: list[str]
) -> None:
    async with started(kit) as memory:
        await told(memory, *said)
        assert await believed(memory) == sorted(wanted)


async def test_what_was_called_wrong_is_doubted_until_it_is_said_again(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "My sister is called Marta.")
        (entry,) = await memory.entries(MemoryScope(ADA.user, None), Filter(), limit=2)
        await told(memory, "That's wrong, you silly old thing from the attic.")
        assert await memory.claims.doubts(ADA.user, [entry.id])
        await told(memory, "My sister is called Marta.")
        assert not await memory.claims.doubts(ADA.user, [entry.id])


async def test_one_sentence_that_ends_two_things_is_one_entry(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "Mrs Abernathy has retired.")
        assert await believed(memory) == ["Mrs Abernathy has no job", "Mrs Abernathy is retired"]
        await told(memory, "Mrs Abernathy works at Bosch.")
        assert "Mrs Abernathy has no job" not in await believed(memory)
        assert await asked(memory, "Where does Mrs Abernathy work?") == (
            "Mrs Abernathy works at Bosch."
        )


async def test_a_name_is_put_right_in_a_sentence_of_two_claims(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "My uncle is called Bem.", "My uncle has retired.")
        assert "The user's uncle Bem has no job" in await believed(memory)
        await told(memory, "No, my uncle is called Ben.")
        found = await believed(memory)
        assert "The user's uncle Ben has no job" in found
        assert not [one for one in found if "Bem" in one]


async def test_one_users_claims_are_no_others(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "My sister is called Hanna.", "I live in Rome.")
        await exchange(memory, "Hanna lives in Oslo.", conversation_key=BOB)
        assert "Rome" in await asked(memory, "Where do I live?")
        found = await memory.claims.find(BOB, Asked(("user",), "home"))
        assert isinstance(found, Found)
        assert (found.claims, found.past) == ((), ())
        await exchange(memory, "I moved to Bergen.", conversation_key=BOB)
        assert "Rome" in await asked(memory, "Where do I live?")


async def test_an_older_reading_of_the_model_does_not_override_a_correction(kit: Kit) -> None:
    extracted = json.dumps([{"fact": "The user lives in Lisbon", "type": "personal"}])
    kit.chat = ScriptedChatModel(lambda _, options: extracted if options.json_schema else "Okay.")
    async with started(kit) as memory:
        await told(memory, "Lisbon is where I lay down my head these days.")
        kit.clock.advance(5.0)
        await told(memory, "I live in Oslo.")
        kit.clock.advance(5.0)
        await memory.process_due()
        assert await believed(memory) == ["The user lives in Oslo"]


async def test_what_was_forgotten_is_not_learned_from_older_words(kit: Kit) -> None:
    extracted = json.dumps([{"fact": "The user lives in Lisbon", "type": "personal"}])
    kit.chat = ScriptedChatModel(lambda _, options: extracted if options.json_schema else "Okay.")
    async with started(kit) as memory:
        await told(memory, "Lisbon is where I lay down my head these days.")
        kit.clock.advance(5.0)
        await memory.forget_claims(ADA, SCOPE, Asked(("user",), "home"), [])
        kit.clock.advance(5.0)
        await memory.process_due()
        assert await believed(memory) == []
        kit.clock.advance(5.0)
        await told(memory, "I live in Lisbon.")
        assert await believed(memory) == ["The user lives in Lisbon"]


async def test_a_tombstone_tells_nothing_and_goes_with_its_user(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "I live in Lisbon.")
        await memory.forget_text(SCOPE, "Lisbon")
        rows = look(kit.path, "SELECT salt || digest FROM tombstones")
        assert rows
        assert not any("lisbon" in str(row).lower() for row in rows)
        await memory.purge(MemoryScope(ADA.user, None), Purge(user=True))
        assert look(kit.path, "SELECT count(*) FROM tombstones") == [(0,)]


async def test_forgetting_takes_what_is_past_and_what_was_wrong_too(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "I live in Lisbon.", "No, I live in Porto.", "I moved to Oslo.")
        await memory.forget_claims(ADA, SCOPE, Asked(("user",), "home"), [])
        await memory.process_due()
        for word in (b"lisbon", b"porto", b"oslo"):
            assert not any(
                word in path.read_bytes().lower() for path in kit.path.parent.iterdir()
            ), word


async def test_a_sentence_of_two_claims_is_put_right_in_both(kit: Kit) -> None:
    async with started(kit) as memory:
        draft = Draft("Anna lives in Rome and works at Tesco.", source="user")
        await memory.store(SCOPE, draft)
        await told(memory, "Anna is my sister.", "My sister's name is Hanna, not Anna.")
        active = await believed(memory)
        assert not any("Anna" in one for one in active)
        assert any("Rome" in one for one in active)
        assert any("Tesco" in one for one in active)


async def test_what_was_last_told_is_forgotten_though_no_word_of_it_is_distinctive(
    kit: Kit,
) -> None:
    async with started(kit) as memory:
        message = await memory.log_user_message(ADA, "I'm married.")
        await memory.log_reply(ADA, message, "Congratulations!", extract=True)
        gone = await memory.forget_message(SCOPE, message, "I'm married.")
        assert gone.messages > 0
        assert await believed(memory) == []
        assert all("married" not in one.content for one in await memory.recent_messages(ADA, 8))


async def test_a_forgotten_surname_leaves_the_first_name_in_one_step(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "My name is Gary Hill.")
        await memory.forget_claims(ADA, SCOPE, Asked(("user",), "surname"), [])
        assert await believed(memory) == ["The user's name is Gary"]


async def test_forgetting_a_claim_takes_the_sentence_kept_beside_it(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "I'm allergic to penicillin, when I handle it in spring.")
        assert len(await believed(memory)) == 2
        await memory.forget_claims(ADA, SCOPE, Asked(("user",), "allergy"), [])
        assert await believed(memory) == []


async def test_whose_pronoun_follows_a_name_is_not_who_was_spoken_of_before(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "My daughter is called Lorna.", "They've a girl, Isla, she's four.")
        assert "The user's daughter Lorna is four years old" not in await believed(memory)


async def test_forgetting_a_person_takes_all_that_is_claimed_of_them(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "My sister Hanna lives in Rome.", "Hanna has a dog.", "I like tea.")
        await memory.forget_claims(ADA, SCOPE, Asked(("hanna",), None), ["Hanna"])
        assert await believed(memory) == ["The user likes tea"]


async def test_a_dog_that_has_died_is_no_pet_any_more(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "I have a dog called Rex.", "Rex died.")
        assert (await asked(memory, "Do I have a dog?")).startswith("Not any more")


async def test_memories_of_an_older_version_are_read_oldest_first(kit: Kit) -> None:
    async with started(kit) as memory:
        pass
    connection = connect(str(kit.path), timeout_s=5.0)
    with connection:
        for number, place in enumerate(("Lisbon", "Oslo"), start=1):
            connection.execute(
                "INSERT INTO memories (id, user, told_by, layer, category, key, content, source,"
                " said_at, created_at, updated_at, valid_from) VALUES"
                " (?, 'ada', 'ada', 'knowledge', 'knowledge', ?, ?, 'system', ?, 1, 1, 1)",
                (number, f"home_{number}", f"The user lives in {place}", 3.0 - number),
            )
        connection.execute("INSERT INTO claim_backlog SELECT id FROM memories")
    connection.close()
    async with started(kit) as memory:
        assert memory.stats().claims_unread == 2
        await memory.process_due()
        assert memory.stats().claims_unread == 0
        assert await believed(memory) == ["The user lives in Lisbon"]  # said last
        assert (await asked(memory, "Do I live in Oslo?")).startswith("Not any more")


async def test_an_entry_that_the_owner_writes_ends_what_it_contradicts(kit: Kit) -> None:
    async with started(kit) as memory:
        await told(memory, "I live in Oslo.")
        kit.clock.advance(5.0)
        await memory.store(SCOPE, Draft("The user lives in Rome"))
        assert await believed(memory) == ["The user lives in Rome"]


async def test_a_thousand_claims_of_one_subject_are_kept_and_found(kit: Kit) -> None:
    async with started(kit) as memory:
        for number in range(120):
            await memory.log_user_message(ADA, f"I like song number {number}.")
        assert len(await believed(memory)) == 100  # as many as a page has
        assert (await asked(memory, "Do I like song number 7?")).startswith("Yes")


async def test_a_fault_of_the_rules_does_not_cost_the_words(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = Assertion.state

    def fail(self: Assertion, heard: Heard, *_: object) -> None:
        assert state(self, heard.claims).stored
        raise KeyError("a fault")

    async with started(kit) as memory:
        monkeypatch.setattr(Assertion, "hear", fail)
        await memory.log_user_message(ADA, "I live in Rome.")
        assert [m.content for m in await memory.recent_messages(ADA, 9)] == ["I live in Rome."]
        assert await believed(memory) == []
