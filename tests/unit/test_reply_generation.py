"""The reply stage: what the model writes becomes pieces, as early as asked for."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from lobug.conversation.prompt import Persona
from lobug.conversation.registry import Conversations
from lobug.engines.base import ChatMessage
from lobug.memory.model import ConversationKey
from lobug.settings import ChatSettings, Settings
from lobug.turn.events import Piece, ReplyDelta
from lobug.turn.reply import Prompt, Reply, write_reply
from lobug.turn.timeline import Timeline
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel, Step

WRITTEN = "To boil an egg, you need a pot of water. It is quick. Do try it. And again."


class Writing:
    """One reply of a scripted model."""

    def __init__(
        self, *steps: Step, clause_first: bool, max_sentences: int = 3, max_tokens: int = 90
    ) -> None:
        user = ChatMessage("user", "Hello")
        self.reply = Reply()
        self.events = write_reply(
            ScriptedChatModel([list(steps)]),
            Conversations(Settings(_env_file=None)).get(ConversationKey("ada", "ada/device:desk")),
            Prompt(Persona("You are Lo-Bug."), [user], user, (), "ada/device:desk"),
            self.reply,
            settings=ChatSettings(max_sentences=max_sentences, max_tokens=max_tokens),
            timeline=Timeline("audio"),
            must_answer=False,
            clause_first=clause_first,
        )

    async def pieces(self) -> list[str]:
        shown = ""
        pieces: list[str] = []
        async with aclosing(self.events):
            async for event in self.events:
                if isinstance(event, ReplyDelta):
                    shown += event.text
                elif isinstance(event, Piece):
                    assert event.index == len(pieces)
                    pieces.append(event.text)
        assert shown == self.reply.text == " ".join(pieces)
        return pieces


def tokens(text: str) -> list[Step]:
    return [f"{word} " for word in text.split()]


async def test_sentences_are_the_pieces_unless_clauses_are_wanted() -> None:
    writing = Writing(*tokens(WRITTEN), clause_first=False)
    pieces = await writing.pieces()
    assert pieces == ["To boil an egg, you need a pot of water.", "It is quick.", "Do try it."]


async def test_the_first_clause_is_a_piece_of_its_own_and_sentences_are_counted() -> None:
    writing = Writing(*tokens(WRITTEN), clause_first=True)
    pieces = await writing.pieces()
    assert pieces == [
        "To boil an egg,", "you need a pot of water.", "It is quick.", "Do try it.",
    ]  # fmt: skip
    assert writing.reply.sentences == 3


async def test_the_first_clause_does_not_wait_for_its_sentence() -> None:
    silent = asyncio.Event()
    writing = Writing("To boil an egg, you need a pot", silent, clause_first=True)
    async with asyncio.timeout(PATIENCE_S), aclosing(writing.events):
        assert await anext(writing.events) == ReplyDelta("To boil an egg,")
        assert await anext(writing.events) == Piece(0, "To boil an egg,")


@pytest.mark.parametrize("clause_first", [False, True])
async def test_half_a_first_sentence_is_better_than_nothing(*, clause_first: bool) -> None:
    words = tokens("To boil an egg, you need a pot of")
    writing = Writing(*words, clause_first=clause_first, max_tokens=len(words))
    await writing.pieces()
    assert writing.reply.text == "To boil an egg, you need a pot of"
