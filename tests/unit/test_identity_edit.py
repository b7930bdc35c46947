"""Layer identity as one text: what is read from it, what it changes, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.cli.memory.identity import in_third_person, with_all_headings
from lobug.errors import IdentityChangedError, IdentityFullError, IdentityInvalidError
from lobug.language.en.prompts import SECTIONS
from lobug.memory import entries, identity, identity_edit, store
from lobug.memory.identity_edit import parse
from lobug.memory.model import Draft, Entry, Filter, Identity, MemoryScope
from lobug.memory.store import Limits
from lobug.storage import migrations
from lobug.storage.driver import Connection, connect

ADA = MemoryScope("ada", None)
LIMITS = Limits(content_chars=200, identity_chars=300)


@pytest.fixture
def connection() -> Iterator[Connection]:
    made = connect(":memory:", timeout_s=1.0)
    for step in migrations.STEPS:
        step(made, "owner")
    yield made
    made.close()


def know(connection: Connection, content: str, section: str = "User Profile") -> Entry:
    draft = Draft(content, layer="identity", section=section, source="agent")
    return store.store(connection, ADA, draft, limits=LIMITS, now=1.0)


def replace(connection: Connection, text: str, *versions: str) -> Identity:
    return identity_edit.replace(
        connection, ADA, text, versions_read=versions or None, limits=LIMITS, now=2.0
    )


# ---- the text


def test_a_text_is_read_as_lines_under_headings() -> None:
    text = "\ufeff- Named Ada\r\n\r\n# preferences #\n*  Likes\ttea\n+ Likes tea\n- Likes tea\n"
    assert parse(text) == [("User Profile", "Named Ada"), ("Preferences", "Likes tea")]
    assert parse("## Preferences\n\n## Key History\n") == []
    assert parse("- - Dash\n- ## Ongoing Topics") == [
        ("User Profile", "- Dash"),
        ("User Profile", "## Ongoing Topics"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("## Secrets\n- Named Ada", "line 1 is not one of the headings User Profile, Preferences"),
        ("## User Profile\nNamed Ada", "line 2 is neither a heading"),
        ("- Named Ada\n-Likes tea", "line 2 is neither"),
        ("- Named Ada\n- ...", "line 2 has no words"),
        ("- Named\x00Ada", "line 1 holds a character that cannot be seen"),
        ("- Named \u202eadA", "line 1 holds a character that cannot be seen"),
        ("- Named \u200bAda", "line 1 holds a character that cannot be seen"),
        ("- Named \ud800", "line 1 holds a character that cannot be seen"),
    ],
)
def test_what_is_no_such_text_is_refused_by_its_line(text: str, reason: str) -> None:
    with pytest.raises(IdentityInvalidError) as refusal:
        parse(text)
    assert str(refusal.value).startswith(reason)
    assert refusal.value.code == "identity_invalid"


WORDS = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1).map(
    lambda text: " ".join(f"a{text}".split())
)


@given(st.lists(st.tuples(st.sampled_from(SECTIONS), WORDS), unique=True))
def test_what_is_shown_reads_back_as_the_same_lines(lines: list[tuple[str, str]]) -> None:
    shown = identity.render(lines)
    assert sorted(parse(shown)) == sorted(lines)
    assert sorted(parse(with_all_headings(shown))) == sorted(lines)


def test_an_editor_shows_every_heading() -> None:
    assert with_all_headings("## Preferences\n- Likes tea\n## Hobbies\n- Chess") == (
        "## User Profile\n\n## Preferences\n- Likes tea\n\n## Ongoing Topics\n\n## Key History\n\n"
        "## Hobbies\n- Chess\n"
    )


def test_the_first_person_is_put_into_the_third() -> None:
    text = '## User Profile\n- I have a boat\n- Likes "I, Robot"\n* My dog is Rex\n'
    assert in_third_person(text) == (
        '## User Profile\n- The user has a boat\n- Likes "I, Robot"\n* The user\'s dog is Rex\n'
    )


# ---- what it changes


def test_lines_stay_come_and_go(connection: Connection) -> None:
    ada, tea = know(connection, "Named Ada"), know(connection, "Likes tea", "Preferences")
    after = replace(connection, "## User Profile\n- Named Ada\n- Keeps bees")
    assert after.text == "## User Profile\n- Named Ada\n- Keeps bees"
    assert [(e.content, e.source) for e in after.entries] == [
        ("Named Ada", "agent"),
        ("Keeps bees", "user"),
    ]
    assert after.entries[0].id == ada.id
    gone = entries.find(connection, ADA, tea.id)
    assert (gone.status, gone.reason) == ("inactive", "removed")
    store.restore(connection, ADA, tea.id, limits=LIMITS, now=3.0)
    assert "- Likes tea" in identity.document(connection, "ada")


def test_the_same_text_changes_nothing(connection: Connection) -> None:
    know(connection, "Named Ada")
    know(connection, "Moved to Oslo\nin May", "Key History")
    before = identity.identity(connection, ADA, 300)
    assert replace(connection, before.text, before.version) == before
    assert len(entries.listed(connection, ADA, Filter(status=None), limit=9, after_id=0)) == 2


def test_a_line_under_another_heading_stays_the_same_entry_and_is_the_users(
    connection: Connection,
) -> None:
    tea = know(connection, "Likes tea")
    (moved,) = replace(connection, "## Preferences\n- Likes tea").entries
    assert (moved.id, moved.section, moved.source) == (tea.id, "Preferences", "user")


def test_a_changed_line_is_a_removed_one_and_a_new_one(connection: Connection) -> None:
    old = know(connection, "The user lives in London")
    (new,) = replace(connection, "- The user lives in Oxford").entries
    assert (new.content, new.key) == ("The user lives in Oxford", "user_home")
    assert entries.find(connection, ADA, old.id).reason == "removed"


def test_a_new_line_takes_nothing_else_out_of_use(connection: Connection) -> None:
    home = store.store(connection, ADA, Draft("The user lives in London"), limits=LIMITS, now=1.0)
    replace(connection, "- The user lives in Oxford\n- The user lives in a flat in Oxford")
    assert entries.find(connection, ADA, home.id).status == "active"
    assert len(identity.lines_of(connection, "ada")) == 2


def test_a_heading_that_is_there_already_is_known(connection: Connection) -> None:
    line = know(connection, "Plays chess")
    entries.change(connection, line.id, section="Hobbies")
    with pytest.raises(IdentityInvalidError):
        replace(connection, "## Sports\n- Plays chess")
    assert replace(connection, "## hobbies\n- Plays chess").entries[0].id == line.id


def test_an_empty_text_takes_every_line_out_of_use(connection: Connection) -> None:
    know(connection, "Named Ada")
    assert replace(connection, "## User Profile\n").entries == ()


# ---- what is refused


def refused(connection: Connection, text: str, error: type[Exception], *versions: str) -> None:
    before = connection.execute("SELECT * FROM memories ORDER BY id").fetchall()
    with pytest.raises(error):
        replace(connection, text, *versions)
    assert connection.execute("SELECT * FROM memories ORDER BY id").fetchall() == before


def test_a_text_that_is_too_long_is_refused_and_evicts_nothing(connection: Connection) -> None:
    system = Draft("Distilled before", layer="identity", source="system")
    store.store(connection, ADA, system, limits=LIMITS, now=1.0)
    lines = "".join(f"- Line number {n} of the user's text\n" for n in range(12))
    refused(connection, f"- Distilled before\n{lines}", IdentityFullError)
    refused(connection, "- " + "a" * 201, IdentityInvalidError)


def test_a_change_in_between_is_noticed(connection: Connection) -> None:
    know(connection, "Named Ada")
    read = identity.identity(connection, ADA, 300).version
    know(connection, "Likes tea", "Preferences")
    refused(connection, "- Named Ada\n- Keeps bees", IdentityChangedError, read)
    now = identity.identity(connection, ADA, 300).version
    assert replace(connection, "- Named Ada", read, now).characters == len(
        "## User Profile\n- Named Ada"
    )
