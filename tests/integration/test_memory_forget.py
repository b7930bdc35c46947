"""Forgetting, on real tables: what is forgotten is gone everywhere, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lobug.errors import MemoryForbiddenError, MemoryNotFoundError
from lobug.memory import jobs
from lobug.memory.erasure.forget import forget_entries, forget_text
from lobug.memory.model import HOUSEHOLD, Forgotten, MemoryScope
from lobug.storage import migrations
from lobug.storage.database import no_checkpoint
from lobug.storage.driver import Connection, connect
from support.erasure_kit import (
    ADA,
    BOB,
    BOB_DESK,
    NOW,
    all_text,
    contents,
    distilled,
    know,
    messages,
    say,
    sum_up,
    within,
)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    path = tmp_path / "memory.db"
    opened = connect(str(path), timeout_s=1.0)
    opened.execute("PRAGMA foreign_keys = ON")
    opened.execute("PRAGMA secure_delete = ON")
    migrations.migrate(
        opened, path, legacy_user="ada", backups_keep=1, now=NOW, checkpoint=no_checkpoint
    )
    yield opened
    opened.close()


def forget(connection: Connection, *ids: int, scope: MemoryScope = ADA) -> Forgotten:
    return within(connection, lambda c: forget_entries(c, scope, ids, NOW))


def forget_said(connection: Connection, text: str, scope: MemoryScope = ADA) -> Forgotten:
    return within(connection, lambda c: forget_text(c, scope, text, NOW))


def noted(connection: Connection) -> list[tuple[str, int | None]]:
    return connection.execute(
        "SELECT kind, up_to_id FROM background_tasks ORDER BY kind"
    ).fetchall()


def test_an_entry_goes_with_its_words_the_reply_and_what_was_made_of_them(
    connection: Connection,
) -> None:
    message = say(connection, "I live in Portland.", "Portland, the city of roses!")
    other = say(connection, "I have a dog called Rex.", "Hello Rex.")
    jobs.wait_for_reply(connection, "ada", message, NOW, NOW)
    home = know(connection, "The user lives in Portland", key="user_home", message=message)
    dog = know(connection, "The user's dog is named Rex", key="dog_named_rex", message=other)
    summary = sum_up(connection, "[x] The user lives in Portland.", message, other + 1)
    line = distilled(connection, "Lives in Portland", "line_home", home, dog, summary)
    distilled(connection, "Dog: Rex", "line_dog", home, dog, summary)
    connection.execute(
        "INSERT INTO recalls (id, user, conversation, message_id, query, created_at, took_ms)"
        " VALUES (1, 'ada', 'c', ?, 'portland?', ?, 1.0)",
        (message, NOW),
    )
    connection.execute("INSERT INTO recall_hits VALUES (1, 1, ?, NULL, 1.0, 1.0, '{}', 1)", (home,))

    gone = forget(connection, home)

    assert gone == Forgotten((home,), ("user_home",), messages=2, derived=2)
    assert messages(connection) == ["", "", "I have a dog called Rex.", "Hello Rex."]
    assert contents(connection) == ["The user's dog is named Rex", "Dog: Rex"]
    assert "portland" not in all_text(connection)
    assert (summary, line) not in connection.execute("SELECT id, id FROM memories").fetchall()
    # What is left of the stretch is summed up anew; nothing is extracted from erased words.
    assert connection.execute(
        "SELECT id FROM conversation_log WHERE summarized = 0 ORDER BY id"
    ).fetchall() == [(other,), (other + 1,)]
    assert noted(connection) == [("compact", None), ("summarize", other + 1)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_all_versions_of_an_entry_go(connection: Connection) -> None:
    first = know(connection, "The user works at Nasa", key="work")
    second = know(connection, "The user works at Boeing", key="work_2")
    connection.execute(
        "UPDATE memories SET status = 'past', reason = 'superseded', replaced_by = ? WHERE id = ?",
        (second, first),
    )
    assert forget(connection, first).entries == (first, second)
    assert contents(connection) == []


def test_what_says_the_same_elsewhere_goes_and_what_does_not_stays(connection: Connection) -> None:
    say(connection, "I live in Portland. I like tea.", "Tea is good.")
    say(connection, "My sister lives in Portland.", "I see.")
    say(connection, "Portland is rainy, so I stay in.", "So it is.")
    home = know(connection, "The user lives in Portland", key="user_home")
    know(connection, "The user moved to Portland in 2019", key="moved")
    know(connection, "The user's sister lives in Portland", key="sister")

    gone = forget(connection, home)

    assert gone.keys == ("user_home", "moved")
    assert contents(connection) == ["The user's sister lives in Portland"]
    assert messages(connection) == [
        "I like tea.",
        "Tea is good.",
        "My sister lives in Portland.",
        "I see.",
        "",
        "",
    ]


def test_a_name_that_nothing_else_speaks_of_goes_wherever_it_is_said(
    connection: Connection,
) -> None:
    say(connection, "Did Rex eat?", "Rex has eaten.")
    say(connection, "Is Anna in Rome?", "She is.")
    dog = know(connection, "The user's dog is named Rex", key="dog")
    sister = know(connection, "The user's sister is named Anna", key="sister")
    know(connection, "Anna lives in Rome", key="anna_home")
    forget(connection, dog, sister)
    assert contents(connection) == ["Anna lives in Rome"]
    assert messages(connection) == ["", "", "Is Anna in Rome?", "She is."]


@pytest.mark.parametrize(
    ("forgotten", "unrelated"),
    [
        ("The user's daughter is 5 years old", "Wake me at five. Buy 5 eggs."),
        ("The user meets Tom on Monday", "On Monday the bins are emptied."),
        ("The user flies to Rome on 12 March", "Every March I plant beans. I need 12 of them."),
        ("The user moved to Berlin in 2019", "In 2019 I learned to sail."),
        ("The user's sister told Lo-Bug about Rome", "I said to Anna that Lo-Bug is funny."),
    ],
)
def test_what_is_no_name_does_not_take_what_has_nothing_to_do_with_it(
    connection: Connection, forgotten: str, unrelated: str
) -> None:
    say(connection, unrelated)
    entry = know(connection, forgotten, key="forgotten")
    forget(connection, entry)
    assert messages(connection) == [unrelated, "Noted."]


def test_a_long_number_is_a_name(connection: Connection) -> None:
    say(connection, "Then I typed 481516 and it opened.")
    code = know(connection, "The code of the user's safe is 481516", key="code")
    forget(connection, code)
    assert messages(connection) == ["", ""]


def test_a_name_that_others_told_the_household_is_not_alone(connection: Connection) -> None:
    say(connection, "Did Tom call?")
    know(
        connection, "Tom mends the boiler", key="plumber", user=HOUSEHOLD, told_by="bob",
        scope="household",
    )  # fmt: skip
    friend = know(connection, "The user's friend is named Tom", key="friend")
    forget(connection, friend, scope=MemoryScope("ada", None, "write"))
    assert contents(connection, HOUSEHOLD) == ["Tom mends the boiler"]
    assert messages(connection)[0] == "Did Tom call?"


def test_a_common_word_does_not_take_other_memories_with_it(connection: Connection) -> None:
    say(connection, "I had coffee with Tom at the station on Friday.")
    likes = know(connection, "The user likes coffee", key="likes_coffee")
    know(connection, "The user had coffee with Tom at the station", key="tom")
    forget(connection, likes)
    assert contents(connection) == ["The user had coffee with Tom at the station"]
    assert messages(connection)[0].startswith("I had coffee")


@pytest.mark.parametrize(
    ("forgotten", "other"),
    [
        ("The user likes coffee", "The user is allergic to coffee"),
        ("The user's dog is ill", "The user has a dog named Rex"),
    ],
)
def test_a_memory_that_says_more_of_the_same_thing_is_another_one(
    connection: Connection, forgotten: str, other: str
) -> None:
    entry = know(connection, forgotten, key="forgotten")
    know(connection, other, key="other")
    know(connection, f"{forgotten} really.", key="again")
    forget(connection, entry)
    assert contents(connection) == [other]


def test_nobody_elses_words_are_touched(connection: Connection) -> None:
    say(connection, "I live in Portland.", conversation_key=BOB_DESK)
    know(connection, "The user lives in Portland", key="user_home", user="bob", told_by="bob")
    home = know(connection, "The user lives in Portland", key="user_home")
    forget(connection, home)
    forget_said(connection, "Portland")
    assert contents(connection, "bob") == ["The user lives in Portland"]
    assert messages(connection, "bob") == ["I live in Portland.", "Noted."]
    with pytest.raises(MemoryNotFoundError):
        forget(connection, home + 100)
    with pytest.raises(MemoryNotFoundError):
        forget(connection, 2, scope=BOB)


def test_the_household_needs_the_grant_to_write(connection: Connection) -> None:
    told = say(connection, "The wifi password is hunter2.", conversation_key=BOB_DESK)
    wifi = know(
        connection, "The wifi password is hunter2", key="wifi", user=HOUSEHOLD, told_by="bob",
        message=told, scope="household",
    )  # fmt: skip
    reader, writer = MemoryScope("ada", None, "read"), MemoryScope("ada", None, "write")
    with pytest.raises(MemoryForbiddenError):
        forget(connection, wifi, scope=reader)
    assert forget_said(connection, "the wifi password", reader) == Forgotten()
    assert forget_said(connection, "the wifi password", writer).keys == ("wifi",)
    # Bob's own words are Bob's to forget.
    assert messages(connection, "bob")[0] == "The wifi password is hunter2."


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("that I live in Portland", ["anna", "job", "name"]),
        ("Portland", ["anna", "job", "name"]),
        ("everything you know about Portland", ["anna", "job", "name"]),
        ("my job", ["home", "anna", "name"]),
        ("where I work", ["home", "anna", "name"]),
        ("my sister", ["home", "job", "name"]),
        ("my sister's name", ["home", "job", "name"]),
        ("my name", ["home", "anna", "job"]),
        ("where I live", ["anna", "job", "name"]),
        ("that", ["home", "anna", "job", "name"]),
        ("", ["home", "anna", "job", "name"]),
        ("everything", ["home", "anna", "job", "name"]),
        ("about me", ["home", "anna", "job", "name"]),
        ("that I live in Paris", ["home", "anna", "job", "name"]),
        ('"; DROP TABLE memories; -- NEAR( * ^', ["home", "anna", "job", "name"]),
        ("\x00\u202e\ud7ff🦊", ["home", "anna", "job", "name"]),
    ],
)
def test_what_is_asked_to_be_forgotten_is_found(
    connection: Connection, text: str, kept: list[str]
) -> None:
    known = {
        "home": "The user lives in Portland",
        "anna": "The user's sister is named Anna",
        "job": "The user works as a nurse",
        "name": "The user's name is Alex",
    }
    for key, content in known.items():
        know(connection, content, key=key)
    before = all_text(connection)
    tried = within(connection, lambda c: forget_text(c, ADA, text, NOW, dry_run=True))
    assert all_text(connection) == before
    gone = forget_said(connection, text)
    assert gone == tried
    assert contents(connection) == [known[key] for key in kept]


def test_messages_without_an_entry_are_found_too(connection: Connection) -> None:
    say(connection, "We went to Zermatt. It was cold.", "Zermatt is lovely! How long?")
    assert forget_said(connection, "Zermatt").messages == 2
    assert messages(connection) == ["It was cold.", "How long?"]


def test_a_script_without_spaces(connection: Connection) -> None:
    say(connection, "我住在波特兰。", "好的。")
    know(connection, "用户住在波特兰", key="home")
    assert forget_said(connection, "波特兰").keys == ("home",)
    assert "波特兰" not in messages(connection)[0]


def test_of_a_longer_entry_the_sentence_goes(connection: Connection) -> None:
    first = know(connection, "Old notes on the garden", key="notes")
    long = know(
        connection, "The roses come from Portland. Water them on Mondays.", key="garden",
        source="user",
    )  # fmt: skip
    connection.execute(
        "UPDATE memories SET status = 'inactive', reason = 'edited', replaced_by = ? WHERE id = ?",
        (long, first),
    )
    gone = forget_said(connection, "Portland")
    assert gone == Forgotten((long,), ("garden",))
    assert contents(connection) == ["Old notes on the garden", "Water them on Mondays."]
    (new,) = connection.execute("SELECT id FROM memories WHERE key = 'garden'").fetchone()
    assert new > long  # a row of its own, to be embedded anew
    assert (
        connection.execute("SELECT replaced_by FROM memories WHERE id = ?", (first,)).fetchone()[0]
        == new
    )
    assert "portland" not in all_text(connection)


def test_an_extraction_under_way_stores_nothing_of_it(connection: Connection) -> None:
    message = say(connection, "I live in Portland. I like tea.")
    jobs.wait_for_reply(connection, "ada", message, NOW, NOW)
    task = jobs.next_due(connection, NOW)
    assert task is not None
    forget_said(connection, "Portland")
    assert not jobs.complete(connection, task)
    again = jobs.next_due(connection, NOW)
    assert again is not None
    assert (again.kind, again.message_id) == ("extract", message)


def test_texts_beside(connection: Connection) -> None:
    say(connection, "Hello.")
    connection.execute("UPDATE sessions SET summary = 'They spoke of Portland.', ended_at = 1")
    connection.execute(
        "INSERT INTO projects VALUES ('ada', 'Portland move', 'To Portland. By June.', 'active', 1)"
    )
    connection.execute(
        "INSERT INTO project_tasks (user, project, title, state, created_at)"
        " VALUES ('ada', 'Portland move', 'Find a flat in Portland', 'Rang Portland. Asked.', 1)"
    )
    connection.execute(
        "INSERT INTO recalls (user, conversation, query, created_at, took_ms)"
        " VALUES ('ada', 'c', 'flat in portland', 1, 1)"
    )
    know(connection, "Boxes are in the shed", key="portland_boxes", tags=("portland", "shed"),
         project="Portland move")  # fmt: skip
    forget_said(connection, "Portland")
    assert "portland" not in all_text(connection)
    assert connection.execute("SELECT name, description FROM projects").fetchall() == [
        ("(forgotten)", "By June.")
    ]
    assert connection.execute("SELECT project, title, state FROM project_tasks").fetchall() == [
        ("(forgotten)", "(forgotten)", "Asked.")
    ]
    assert connection.execute("SELECT key, tags, project FROM memories").fetchall() == [
        ("boxes_shed", '["shed"]', "(forgotten)")
    ]
    assert connection.execute("SELECT summary FROM sessions").fetchall() == [("",)]


def test_what_was_not_meant_for_lo_bug_is_not_summed_up_after_all(connection: Connection) -> None:
    first = say(connection, "I live in Portland.")
    second = say(connection, "And now the weather.")
    connection.execute("UPDATE conversation_log SET meant = 0 WHERE id >= ?", (second,))
    sum_up(connection, "The user lives in Portland.", first, second + 1)
    forget_said(connection, "Portland")
    assert connection.execute(
        "SELECT count(*) FROM conversation_log WHERE summarized = 0"
    ).fetchone() == (0,)


def test_a_summary_that_is_forgotten_takes_its_messages(connection: Connection) -> None:
    first = say(connection, "My illness is bad.", "I am sorry.")
    last = say(connection, "It began in May.", "I see.")
    summary = sum_up(connection, "[x] The user spoke of an illness.", first, last + 1)
    assert forget(connection, summary) == Forgotten((summary,), (f"ctx_{first}",), messages=4)
    assert messages(connection) == ["", "", "", ""]
