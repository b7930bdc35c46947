"""Commands to memory: remember, correct, forget, recite.

Each function returns a ``Command`` that is ready to run, and changes nothing itself. Erasing cannot
be undone, so Lo-Bug asks first when it is unsure what is meant; no reply and no line of the log
repeats what is to be forgotten.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from lobug.conversation.registry import PATIENCE_S, Conversation, Question
from lobug.errors import MemoryNotFoundError
from lobug.language import language_of
from lobug.language.claims import Heard
from lobug.language.en import mentions, replies, talk, words
from lobug.language.en.fact_checks import fact_type
from lobug.language.en.fact_comparison import with_instead, with_value, wrong_entry
from lobug.language.en.perspective import about_the_user, is_first_person
from lobug.language.en.speech_acts import (
    is_statement,
    split_contrast,
    split_statements,
    value_of,
)
from lobug.language.en.speech_acts import statements as statements_in
from lobug.language.protocol import (
    Correct,
    ForgetStatement,
    ForgetTopic,
    ReciteTopic,
    Remember,
    TalkedAbout,
    Why,
)
from lobug.memory.claim_rows import CORRECTION_IMPORTANCE, STATED_IMPORTANCE
from lobug.memory.claims.lookup import Found
from lobug.memory.model import (
    Draft,
    Entry,
    Filter,
    Forgotten,
    Hit,
    LoggedMessage,
    MemoryScope,
    Purge,
    Source,
)
from lobug.memory.service import Memory
from lobug.memory.timeline import unstamped

BLANKED = "[asked to forget something]"
"""Logged instead of a request to forget, which repeats the words to be forgotten."""

LIKELY = 0.5
"""Lowest confidence at which an entry without the words said is recited or asked about."""
MAX_ASKED = 3
"""Entries that one question asks about."""
MAX_WRONG = 10
"""Entries searched for the wrong one."""
MAX_ABOUT_TOPIC = 20
"""Entries from which those about a topic are chosen."""
MAX_TALK = 60
"""Messages from which a period's topics are taken."""
MAX_ENTRIES = 1_000
"""Entries among which the most important ones are searched."""

NAMING = words.stems(["name", "called"])


@dataclass(frozen=True, slots=True)
class Answer:
    """What Lo-Bug says after a command."""

    sentences: tuple[str, ...]
    extract: bool = False
    """Whether facts are extracted from the words, because nothing was stored."""
    logged: str | None = None
    """What is logged as the reply, where it must not be what is said; None: the sentences."""
    citation: str = ""
    """Where the answer is known from: said after the sentences, and not logged, because the chat
    model would imitate it."""


@dataclass(frozen=True, slots=True)
class Command:
    """A recognized command, ready to run."""

    logged: str
    """What is logged as the user's words."""
    act: Callable[[int], Awaitable[Answer]]
    """Runs the command; takes the id of the logged message. Raises the ``Memory...Error`` classes
    and StorageError."""
    heard: Heard | None = None
    """What the words claim, where it is not what their text alone claims."""
    logged_last: bool = False
    """The words are logged after ``act`` (which gets the id 0), because ``act`` erases the log."""


@dataclass(frozen=True, slots=True)
class CommandContext:
    """What a command works with in one turn."""

    memory: Memory
    conversation: Conversation
    scope: MemoryScope
    text: str
    """The user's words."""
    now: float
    """Seconds of the turns' clock."""
    today: float
    """Seconds since the epoch."""
    cites: bool = False
    """Whether the answer to a question is to end with where it is known from."""

    def say(self, *sentences: str, logged: str | None = None) -> Command:
        """A command that only answers."""

        async def act(_: int) -> Answer:
            return Answer(sentences)

        return Command(self.text if logged is None else logged, act)

    def ask(self, question: str, kind: Question, *, logged: str | None = None) -> Command:
        """A command that asks a question; the next turn may answer it."""

        async def act(_: int) -> Answer:
            self.conversation.dialogue.question = kind
            return Answer((question,))

        return Command(self.text if logged is None else logged, act)

    def until(self) -> float:
        """When a question of this turn expires, seconds of the turns' clock."""
        return self.now + PATIENCE_S

    async def search(self, query: str, limit: int) -> list[tuple[Hit, Entry]]:
        """The entries that match a query, the best first, each with its hit."""
        hits = await self.memory.search(self.scope, query, Filter(), limit=limit)
        return [(hit, hit.entry) for hit in hits if hit.entry is not None]

    async def used(self) -> tuple[Hit, ...]:
        """The hits that the last turn used: those it recited, or those of its prompt."""
        recited = self.conversation.dialogue.recited
        if recited is not None:
            return recited
        said = await self.memory.recent_messages(self.conversation.conversation_key, 8)
        last = next((message.id for message in reversed(said) if message.role == "user"), None)
        if last is None:
            return ()
        try:
            recall = await self.memory.explain(self.scope, last)
        except MemoryNotFoundError:
            return ()
        return tuple(hit for hit in recall.hits if f"{hit.kind}:{hit.id}" in recall.injected)


def hit_of(entry: Entry) -> Hit:
    """An entry as a hit with full confidence."""
    return Hit("memory", entry.id, entry.content, entry.said_at, 1.0, 1.0, entry=entry)


def remember(context: CommandContext, said: Remember) -> Command:
    """Store what was said; one entry for each statement."""
    facts = [about_the_user(statement) for statement in said.statements]
    heard = context.memory.claims.reader.read(context.text)

    async def act(message_id: int) -> Answer:
        if heard.is_kept and context.memory.keeps_user_memories:
            known = await context.memory.claims.trust(context.scope.user, message_id)
            return Answer((replies.remembered(known) if known else replies.known_already(),))
        for fact in facts:
            draft = Draft(
                fact,
                fact_type=fact_type(fact),
                importance=STATED_IMPORTANCE,
                source="user",
                source_message_id=message_id,
            )
            await context.memory.store(context.scope, draft)
        return Answer((replies.remembered(facts),))

    return Command(context.text, act)


async def ask_what_is_right(context: CommandContext) -> Command | None:
    """ "That's wrong" alone: ask what is right, if the last turn used memory."""
    entries = _entries(await context.used())
    if not entries:
        return None
    return _ask_what_is_right(context, entries, replies.WHAT_IS_RIGHT)


def _ask_what_is_right(
    context: CommandContext, entries: tuple[Entry, ...], question: str
) -> Command:
    """Ask it, and doubt what was called wrong until the answer; one of several is not known."""
    kind = Question("what_is_right", context.until(), entries)
    command = context.ask(question, kind)

    async def act(message_id: int) -> Answer:
        if len(entries) == 1:
            await context.memory.claims.doubt([entries[0].id])
        return await command.act(message_id)

    return replace(command, act=act)


def ask_for_sentence(context: CommandContext) -> Command | None:
    """A correction of what was just told from memory that no rule understands: ask for it in a
    whole sentence, since it would be told again. None: the last turn told nothing from memory."""
    entries = _entries(context.conversation.dialogue.recited or ())
    if not entries:
        return None
    return _ask_what_is_right(context, entries, replies.WHOLE_SENTENCE)


async def correct_by_answer(context: CommandContext, question: Question) -> Command | None:
    """The answer to "what is right?"; None: it is not one."""
    text, instead_of = split_contrast(value_of(context.text.strip(" .!")))
    statements = split_statements(context.text)
    if statements:
        return await correct(context, Correct(statements[0], instead_of), question.entries)
    if len(text.split()) > 4 or context.text.rstrip().endswith("?"):
        return None
    return await correct(context, Correct(text, instead_of), question.entries)


async def correct(
    context: CommandContext, said: Correct, used: tuple[Entry, ...] | None = None
) -> Command | None:
    """Correct an entry. None: memory does not seem to be meant.

    ``used``: the entries of which one is probably wrong; None: those of the last turn.
    """
    if used is None:
        used = _entries(await context.used())
    if is_statement(said.statement) and value_of(said.statement) == said.statement:
        right = about_the_user(said.statement)
        entries = (*used, *(entry for _, entry in await context.search(right, MAX_WRONG)))
        wrong = wrong_entry(right, said.instead_of, entries, {entry.id for entry in used})
        if wrong is None and not (said.sure and is_first_person(said.statement)):
            return None
        return _correction(context, wrong, right)
    found = await _value_in(context, said, used)
    if found is not None:
        return _correction(context, *found)
    if not said.sure or not used:
        return None
    question = Question("what_is_right", context.until(), used)
    return context.ask(replies.WHOLE_SENTENCE, question)


async def _value_in(
    context: CommandContext, said: Correct, used: tuple[Entry, ...]
) -> tuple[Entry, str] | None:
    """ "It's Hannah, not Anna": the entry that says Anna, and its new content."""
    value = value_of(said.statement)
    if said.instead_of is None:
        right = with_value(used[0].content, value) if len(used) == 1 and said.sure else None
        return None if right is None else (used[0], right)
    found = [entry for _, entry in await context.search(said.instead_of, MAX_WRONG)]
    for candidates in (used, found):
        changed = {
            entry.id: (entry, right)
            for entry in candidates
            if (right := with_instead(entry.content, said.instead_of, value)) is not None
        }
        if len(changed) == 1:
            return next(iter(changed.values()))
    return None


def _correction(context: CommandContext, wrong: Entry | None, right: str) -> Command:
    async def act(message_id: int) -> Answer:
        if wrong is not None:
            await context.memory.correct(context.scope, wrong.id, right)
            return Answer((replies.corrected(right),))
        draft = Draft(
            right,
            fact_type=fact_type(right),
            importance=CORRECTION_IMPORTANCE,
            source="correction",
            source_message_id=message_id,
        )
        await context.memory.store(context.scope, draft)
        return Answer((replies.remembered([right]),))

    return Command(context.text, act)


def _entries(hits: Sequence[Hit]) -> tuple[Entry, ...]:
    return tuple(hit.entry for hit in hits if hit.entry is not None)


async def forget_statement(
    context: CommandContext, said: ForgetStatement, *, guessed: bool = False
) -> Command | None:
    """Forget a statement. None: the model guessed the command, and no memory matches."""
    texts = (about_the_user(said.statement), said.statement)
    claimed = None if guessed else await _forget_claims(context, said.statement, texts)
    if claimed is None and not guessed:
        claimed = await _forget_several(context, said.statement)
    if claimed is not None:
        return claimed
    if guessed:
        return await _ask_about(context, texts)
    told = None if await _says(context, texts) else await _forget_told(context, said.statement)
    return told or _erase(context, texts)


async def forget_topic(
    context: CommandContext, said: ForgetTopic, *, guessed: bool = False
) -> Command | None:
    """Forget everything about a topic. None: the model guessed the command, or memory may not be
    meant, and nothing is known of it."""
    texts = (said.topic, about_the_user(said.topic))
    if guessed:
        return await _ask_about(context, texts)
    if not said.sure and mentions.is_pronoun(said.topic):
        return await _ask_about_somebody(context, said.topic)
    claimed = await _forget_claims(context, said.topic, ()) or await _forget_several(
        context, said.topic
    )
    if claimed is not None:
        return claimed
    known = await _says(context, texts)
    if known and (said.sure or mentions.is_definite(said.topic)):
        return _erase(context, texts)
    if known:
        question = Question("forget_words", context.until(), sentences=texts)
        return context.ask(replies.shall_i_forget_topic(said.topic), question, logged=BLANKED)
    told = await _forget_told(context, said.topic) if said.sure else None
    if told is not None:
        return told
    likely = await _likely(context, texts[1], said.topic) if said.sure else []
    if likely or not said.sure:
        return _ask(context, likely) if likely else None
    return await _ask_about_unread(context)


async def _forget_told(context: CommandContext, topic: str) -> Command | None:
    """Forget the one claim of another relation that tells what a topic names: "I hate my job at
    Tesco" of "where I work". Of several, ask. None: nothing tells it."""
    known = await context.memory.claims.telling(context.scope.user, topic)
    ids = tuple(dict.fromkeys(one.entry_id for one in known))
    entries = [(await context.memory.get(context.scope, one)).entry for one in ids]
    if not entries:
        return None
    return _erase(context, (), entries) if len(entries) == 1 else _ask(context, entries)


async def _ask_about_unread(context: CommandContext) -> Command:
    """Nothing is known of what is to be forgotten: it may be in words that wait to be read."""
    waiting = await context.memory.claims.unread(context.scope.user)
    if not waiting:
        return context.say(replies.NOTHING_LIKE_THAT, logged=BLANKED)
    words = waiting[:MAX_ASKED]
    question = Question("forget_words", context.until(), sentences=words)
    return context.ask(replies.shall_i_forget_words(words), question, logged=BLANKED)


async def _forget_claims(
    context: CommandContext, topic: str, texts: Iterable[str]
) -> Command | None:
    """Forget what a topic or a statement names, by what is claimed of it. None: nothing is."""
    claims, key = context.memory.claims, context.conversation.conversation_key
    asked = claims.reader.read_topic(topic)
    if asked is None or not await claims.knows_of(key, asked):
        return None
    said = tuple(dict.fromkeys(texts))
    if asked.relation is None:  # of somebody or something: also what no relation holds
        said = (*said, topic)

    async def act(_: int) -> Answer:
        gone = await context.memory.forget_claims(key, context.scope, asked, said)
        if not _any(gone):
            return Answer((replies.NOTHING_LIKE_THAT,))
        # The log must not name what is gone.
        return Answer(
            (replies.forgotten_topic(topic, words=gone.messages > 0),), logged=replies.FORGOTTEN
        )

    return Command(BLANKED, act)


async def _ask_about_somebody(context: CommandContext, pronoun: str) -> Command | None:
    """ "Forget her": ask about all that is known of whom that may be. None: of nobody."""
    claims = context.memory.claims
    asked = claims.reader.read_topic(pronoun)
    if asked is None:
        return None
    found = await claims.find(context.conversation.conversation_key, asked)
    if not isinstance(found, Found) or not found.entries:
        return None
    known = [(await context.memory.get(context.scope, one)).entry for one in found.entries]
    question = Question("forget_these", context.until(), tuple(known))
    told = [entry.content for entry in known[:MAX_ASKED]]
    return context.ask(replies.shall_i_forget(told), question, logged=BLANKED)


async def _forget_several(context: CommandContext, topic: str) -> Command | None:
    """Forget topics named in one breath: "my age and my job". None: of one of them nothing is
    claimed."""
    topics = mentions.topics_in(topic)
    if len(topics) < 2:
        return None
    each = [await _forget_claims(context, one, ()) for one in topics]
    found = [command for command in each if command is not None]
    if len(found) < len(topics):
        return None

    async def act(message_id: int) -> Answer:
        for command in found:
            await command.act(message_id)
        return Answer((replies.FORGOTTEN,))

    return Command(BLANKED, act)


async def forget_last(context: CommandContext, *, sure: bool = True) -> Command:
    """Forget the user's last words; ``sure`` False: what the last reply told from memory, if it
    did, and of words that only ask whether they are meant."""
    recited = _entries(context.conversation.dialogue.recited or ())
    if not sure and recited:
        return _erase(context, (), recited)
    messages = await context.memory.recent_messages(context.conversation.conversation_key, 8)
    said = [m for m in messages if m.role == "user" and m.content.strip()]
    if not said or said[-1].content == BLANKED:
        return context.say(replies.NOTHING_LIKE_THAT, logged=BLANKED)
    last = said[-1]
    if not sure and not statements_in(last.content):
        question = Question("forget_words", context.until(), sentences=(last.content,))
        return context.ask(replies.shall_i_forget_words([last.content]), question, logged=BLANKED)
    erase = _erase(context, (last.content,))

    async def act(message_id: int) -> Answer:
        # What it ended goes on, what it told is gone.
        await context.memory.claims.undo(context.scope.user, last.id)
        return await erase.act(message_id)

    return Command(BLANKED, act)


def ask_what_to_forget(context: CommandContext) -> Command:
    """ "Forget." alone: ask what."""
    return context.ask(replies.FORGET_WHAT, Question("forget_what", context.until()))


def forget_everything(context: CommandContext) -> Command:
    """Ask whether everything is to be forgotten."""
    return context.ask(replies.REALLY_EVERYTHING, Question("forget_everything", context.until()))


def forget_confirmed(context: CommandContext, question: Question) -> Command:
    """The command after the user has said yes."""
    if question.kind == "forget_these":
        return _erase(context, (), question.entries)
    if question.kind == "forget_words":
        return _erase(context, question.sentences)

    async def act(_: int) -> Answer:
        # The user's memory in all conversations, not only in this device's.
        whole = MemoryScope(context.scope.user, None, context.scope.household)
        await context.memory.purge(whole, Purge(user=True))
        return Answer((replies.EVERYTHING_FORGOTTEN,))

    return Command(BLANKED, act, logged_last=True)


def _erase(context: CommandContext, texts: Iterable[str], entries: Iterable[Entry] = ()) -> Command:
    texts, entries = tuple(dict.fromkeys(texts)), tuple(entries)

    async def act(_: int) -> Answer:
        found = False
        for entry in entries:
            try:
                found = _any(await context.memory.forget(context.scope, entry.id)) or found
            except MemoryNotFoundError:
                found = True  # it was erased with another
        for text in texts:
            found = _any(await context.memory.forget_text(context.scope, text)) or found
        return Answer((replies.FORGOTTEN if found else replies.NOTHING_LIKE_THAT,))

    return Command(BLANKED, act)


def _ask(context: CommandContext, entries: Iterable[Entry]) -> Command:
    these = tuple(entries)[:MAX_ASKED]
    if not these:
        return context.say(replies.NOTHING_LIKE_THAT, logged=BLANKED)
    question = Question("forget_these", context.until(), these)
    return context.ask(
        replies.shall_i_forget([entry.content for entry in these]), question, logged=BLANKED
    )


async def _ask_about(context: CommandContext, texts: Iterable[str]) -> Command | None:
    found = await _found(context, texts)
    return _ask(context, found) if found else None


async def _found(context: CommandContext, texts: Iterable[str]) -> list[Entry]:
    """The entries that say this."""
    found: dict[int, Entry] = {}
    for text in texts:
        for entry_id in (
            await context.memory.forget_text(context.scope, text, dry_run=True)
        ).entries:
            found[entry_id] = (await context.memory.get(context.scope, entry_id)).entry
    return [entry for entry in found.values() if entry.status != "inactive"]


async def _likely(context: CommandContext, query: str, topic: str) -> list[Entry]:
    """Entries that may say what a topic names."""
    found = await context.search(query, MAX_ASKED)
    likely = [entry for hit, entry in found if hit.confidence >= LIKELY]
    claims = context.memory.claims
    asked = claims.reader.read_topic(topic)
    if asked is None or asked.relation is None:
        return likely
    # What claims another relation is not what a topic with a relation of its own names.
    claiming = await claims.of_relations([entry.id for entry in likely])
    return [entry for entry in likely if entry.id not in claiming]


async def _says(context: CommandContext, texts: Iterable[str]) -> bool:
    for text in texts:
        if _any(await context.memory.forget_text(context.scope, text, dry_run=True)):
            return True
    return False


def _any(forgotten: Forgotten) -> bool:
    return bool(forgotten.entries or forgotten.messages or forgotten.derived)


async def recite_everything(context: CommandContext) -> Command:
    """Recite what is known about the user: lines of layer identity, who they are, then one subject
    after the other, then what no relation holds, then words that still wait to be read."""
    user = context.scope.user
    claims, names = await context.memory.claims.everything(user)
    sentences = list(context.memory.claims.reader.recite(claims, names))
    identity = await context.memory.identity(context.scope)
    where = Filter(layer="knowledge", category="knowledge")
    found = await context.memory.entries(context.scope, where, limit=MAX_ENTRIES)
    claiming = await context.memory.claims.having([entry.id for entry in found])
    free = sorted(
        (entry for entry in found if entry.id not in claiming),
        key=lambda entry: (-entry.importance, -entry.said_at),
    )
    written = [entry for entry in identity.entries if entry.source != "system"]
    known = await context.memory.claims.having([entry.id for entry in written])
    first = [entry.content for entry in _once(written) if entry.id not in known]
    more = [entry.content for entry in _once(free) if entry.content not in first]
    more += [about_the_user(text) for text in await context.memory.claims.unread(user)]
    sentences = [
        *(replies.recited_fact(content) for content in first),
        *sentences,
        *(replies.recited_fact(content) for content in more),
    ]
    return _recital(context, tuple(dict.fromkeys(sentences)), (*found, *identity.entries))


def _recital(
    context: CommandContext, sentences: tuple[str, ...], entries: Sequence[Entry]
) -> Command:
    """Say the first sentences and ask whether to go on."""
    if not sentences:
        return _answer(context, (replies.KNOW_NOTHING,), ())
    now, later = sentences[: replies.MOST], sentences[replies.MOST :]
    hits = tuple(hit_of(entry) for entry in entries)[: replies.MOST]

    async def act(_: int) -> Answer:
        dialogue = context.conversation.dialogue
        dialogue.recited = hits
        if not later:
            return Answer(now)
        dialogue.question = Question("go_on", context.until(), sentences=later)
        return Answer((*now, replies.shall_i_go_on(len(later))))

    return Command(context.text, act)


def go_on(context: CommandContext, question: Question) -> Command:
    """The next sentences of a recitation, after the user has said yes."""
    return _recital(context, question.sentences, ())


async def recite_topic(context: CommandContext, said: ReciteTopic) -> Command | None:
    """Recite what is known about a topic. None: nothing is known, and memory may not have been
    meant."""
    claimed = await _recite_claims(context, said.topic)
    if claimed is not None:
        return claimed
    found = await context.search(about_the_user(said.topic), MAX_ABOUT_TOPIC)
    about = [entry for hit, entry in found if _is_about(hit.content, said.topic)]
    if not about and said.sure and not mentions.people_in(said.topic):
        # No person is named who could be confused with another: near in meaning is enough.
        about = [entry for hit, entry in found if hit.confidence >= LIKELY]
    if not about and not said.sure:
        return None
    return _recitation(context, _facts_if_any(_once(about)), replies.unknown(said.topic))


async def _recite_claims(context: CommandContext, topic: str) -> Command | None:
    """Recite what is claimed of a topic. None: nothing is."""
    claims = context.memory.claims
    asked = claims.reader.read_topic(topic)
    if asked is None:
        return None
    found = await claims.find(context.conversation.conversation_key, asked)
    if not isinstance(found, Found) or not found.claims:
        return None
    said = claims.reader.answer(found.asked, found.claims, (), found.names)
    known = [await context.memory.get(context.scope, one) for one in found.entries[: replies.MOST]]
    return _answer(context, (said,), tuple(hit_of(one.entry) for one in known))


async def recite_sources(context: CommandContext, said: Why) -> Command | None:
    """Tell where the last reply's memories come from. None: it used none, and memory may not
    have been meant."""
    if said.topic is None:
        hits = await context.used()
    else:
        hits = await _claimed(context, said.topic) or await _searched(context, said.topic)
    if hits:
        return _answer(
            context, replies.sources([_origin(hit) for hit in hits], context.today), hits
        )
    return _answer(context, (replies.USED_NONE,), ()) if said.sure else None


async def _claimed(context: CommandContext, topic: str) -> tuple[Hit, ...]:
    """The entry that claims what a topic names."""
    claims = context.memory.claims
    asked = claims.reader.read_topic(topic)
    if asked is None:
        return ()
    found = await claims.find(context.conversation.conversation_key, asked)
    if not isinstance(found, Found) or not found.entries:
        return ()
    known = await context.memory.get(context.scope, found.entries[-1])
    return (hit_of(known.entry),)


async def _searched(context: CommandContext, topic: str) -> tuple[Hit, ...]:
    """The entry that is about a topic, or else the words that told it."""
    query = about_the_user(topic)
    found = await context.search(query, MAX_ABOUT_TOPIC)
    about = [(hit, entry) for hit, entry in found if _is_about(hit.content, topic)]
    about.sort(key=lambda one: one[1].layer == "archive")
    if about:
        return (about[0][0],)
    said = await context.memory.search(
        context.scope, query, Filter(), limit=MAX_ABOUT_TOPIC, turns=True
    )
    return tuple(
        hit
        for hit in said
        if hit.kind == "turn" and hit.role == "user" and _is_about(hit.content, topic)
    )[:1]


async def recite_talk(context: CommandContext, said: TalkedAbout) -> Command:
    """Tell what the user said in a period, as it stands now."""
    since, until = replies.period(said.period, context.today)
    where = Filter(since=since, until=until)
    hits = await context.memory.search(context.scope, "", where, limit=MAX_TALK, turns=True)
    words = [
        LoggedMessage(hit.id, hit.role, hit.content, hit.said_at, hit.speaker)
        for hit in reversed(hits)
        if hit.kind == "turn"
        and hit.role == "user"
        and hit.content.strip()
        and not asked_of_memory(hit.content)
    ]
    known = await context.memory.settled_words(context.scope, words)
    sentences = talk.talked_about(said.period, known)
    return _answer(context, sentences, tuple(hit for hit in hits if hit.kind == "turn")[:MAX_ASKED])


def asked_of_memory(text: str) -> bool:
    """Whether a former message asked something of memory and told nothing: it is no topic of a
    talk."""
    book = language_of("en").commands
    meaning = None if book is None else book.understand(text)
    return meaning is not None and not isinstance(meaning, Remember | Correct)


def _recitation(context: CommandContext, entries: list[Entry], nothing: str) -> Command:
    contents = [unstamped(entry.content) for entry in entries]
    told = replies.recited(contents) if contents else (nothing,)
    return _answer(context, told, tuple(hit_of(entry) for entry in entries[: replies.MOST]))


def _origin(hit: Hit) -> replies.Origin:
    entry = hit.entry
    if entry is None:
        own = hit.role == "assistant"
        return replies.Origin("own turn" if own else "user turn", hit.content, hit.said_at)
    content = unstamped(hit.content)
    if entry.category == "timeline":
        return replies.Origin("notes", content, hit.said_at)
    return replies.Origin(_ORIGINS.get(entry.source, "user"), content, hit.said_at)


_ORIGINS: Mapping[Source, Literal["correction", "import", "agent"]] = {
    "correction": "correction",
    "import": "import",
    "agent": "agent",
}


def _answer(
    context: CommandContext, sentences: tuple[str, ...], recited: tuple[Hit, ...]
) -> Command:
    async def act(_: int) -> Answer:
        context.conversation.dialogue.recited = recited
        return Answer(sentences)

    return Command(context.text, act)


def _facts_if_any(entries: list[Entry]) -> list[Entry]:
    """The facts; if there are none, the summaries, which are long."""
    return [entry for entry in entries if entry.layer != "archive"] or entries


def _once(entries: list[Entry]) -> list[Entry]:
    """Each content once: identity may repeat a fact."""
    return list({" ".join(e.content.lower().split()): e for e in reversed(entries)}.values())[::-1]


def _is_about(content: str, topic: str) -> bool:
    """Whether a content has the words of a topic, or is what the topic names: for "my job" what
    the user works as."""
    named = mentions.topic_of(topic)
    if named is not None and mentions.is_about(content, named):
        return True
    wanted = words.stems(words.content_words(about_the_user(topic))) - {"user"}
    known = words.stems(words.words(content))
    if known & NAMING:  # "my sister's name" and "is called" are one thing
        wanted -= NAMING
    alike = mentions.people_in(topic) <= mentions.people_in(content)
    return bool(wanted) and alike and wanted <= known
