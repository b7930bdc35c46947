"""The focus of a conversation: the project, tags and task that it is about, until that is changed.

Recall then leaves out memories of other projects and with other tags only. The task's working state
stands in the prompt, and each session that ends adds its summary to it.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import bindparam, delete, select

from lobug.errors import MemoryContentError, MemoryNotFoundError
from lobug.memory import entries, projects, sessions
from lobug.memory.model import ConversationKey, Filter, Focus, MemoryScope
from lobug.storage.connection import Connection
from lobug.storage.statements import among, insert_once, insert_or_replace, run
from lobug.storage.tables import conversation_focus, memories, task_sessions

_focus = conversation_focus.c
CURRENT = select(_focus.project, _focus.tags, _focus.task_id).where(
    _focus.user == bindparam("user"), _focus.conversation == bindparam("conversation")
)
SET = insert_or_replace(conversation_focus)
CLEAR = delete(conversation_focus).where(
    _focus.user == bindparam("user"), _focus.conversation == bindparam("conversation")
)
ADD_SESSION = insert_once(task_sessions)
SOURCES = select(memories.c.source_message_id).where(among(memories.c.source_message_id, "ids"))

NO_FOCUS = Focus()

PROMPT_CHARS = 600
"""Longest title and working state in the prompt, characters: about 150 tokens of every prompt that
has them, and 2 s on two cores after each change."""


def of_conversation(connection: Connection, conversation_key: ConversationKey) -> Focus:
    """The focus of a conversation; a task that is done is left out."""
    row = run(
        connection,
        CURRENT,
        user=conversation_key.user,
        conversation=conversation_key.conversation,
    ).first()
    if row is None:
        return NO_FOCUS
    task = None
    if row.task_id is not None:
        found = projects.task(connection, MemoryScope(conversation_key.user, None), row.task_id)
        task = found if found.status == "open" else None
    return Focus(row.project, row.tags, task)


def replace(
    connection: Connection,
    scope: MemoryScope,
    conversation: str,
    *,
    project: str | None,
    tags: tuple[str, ...],
    task_id: int | None,
) -> Focus:
    """Set the focus of a conversation; with nothing given it has none. Raises MemoryNotFoundError
    for a conversation, a project or a task that the user does not have, MemoryContentError for a
    task that is done."""
    conversation_key = own_conversation(connection, scope, conversation)
    if project is not None:
        projects.project(connection, scope, project)
    if task_id is not None and projects.task(connection, scope, task_id).status == "done":
        raise MemoryContentError(f"task {task_id} is done")
    values = {"user": conversation_key.user, "conversation": conversation}
    if project is None and not tags and task_id is None:
        run(connection, CLEAR, **values)
    else:
        run(connection, SET, **values, project=project, tags=tags, task_id=task_id)
    return of_conversation(connection, conversation_key)


def own_conversation(
    connection: Connection, scope: MemoryScope, conversation: str
) -> ConversationKey:
    """The conversation, if the scope may see it. Raises MemoryNotFoundError."""
    if scope.conversation is None:
        known = sessions.current(connection, scope.user, conversation) is not None
    else:  # a caller's own conversation may be a new one
        known = conversation == scope.conversation
    if not known:
        raise MemoryNotFoundError(f"{scope.user} has no such conversation")
    return ConversationKey(scope.user, conversation)


def filter_of(focus: Focus) -> Filter:
    """The filter of what a turn with this focus may recall: every version that fits it."""
    project = focus.project
    if project is None and focus.task is not None:
        project = focus.task.project
    return Filter(status=None, focus_project=project, focus_tags=focus.tags)


def told_elsewhere(
    connection: Connection, scope: MemoryScope, where: Filter, messages: Collection[int]
) -> frozenset[int]:
    """Those of the messages whose memories are all left out by a focus: their words are left out
    too."""
    if where == entries.EVERYTHING:
        return frozenset()
    told = entries.matching(connection, SOURCES, scope, entries.EVERYTHING, ids=messages).scalars()
    fitting = entries.matching(connection, SOURCES, scope, where, ids=messages).scalars()
    return frozenset(told) - frozenset(fitting)


def in_prompt(focus: Focus) -> str:
    """The task's title and the end of its working state, which is the newest of it, on one line;
    empty without a task."""
    if focus.task is None:
        return ""
    title, state = focus.task.title, " ".join(focus.task.state.split())
    room = PROMPT_CHARS - len(title)
    if len(state) > room:
        state = "... " + state[-(room - 4) :].split(" ", 1)[-1]
    return f"{title}: {state}" if state else title


def end_of_session(connection: Connection, session_id: int) -> None:
    """Add an ended session to the task that its conversation is about, if it is about one."""
    conversation_key = sessions.conversation_of(connection, session_id)
    if conversation_key is None:
        return
    task = of_conversation(connection, conversation_key).task
    if task is not None:
        run(connection, ADD_SESSION, task_id=task.id, session_id=session_id)
