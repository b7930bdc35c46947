"""What the process keeps of a talk about memory, and what it drops when something is forgotten."""

from __future__ import annotations

from pathlib import Path

from lobug.conversation.registry import Conversations, Dialogue, Exchange, Question
from lobug.engines.base import ChatMessage
from lobug.memory.model import ConversationKey
from support.app_server import settings_for


def test_only_the_next_turn_gets_the_question_and_only_in_time() -> None:
    question = Question("forget_everything", until=100.0)
    dialogue = Dialogue(question)
    assert dialogue.take_question(100.0) is question
    assert dialogue.take_question(100.0) is None
    dialogue.question = question
    assert dialogue.take_question(100.1) is None
    assert dialogue.take_question(0.0) is None


def test_forgetting_drops_all_conversations_of_the_user_and_no_other(tmp_path: Path) -> None:
    conversations = Conversations(settings_for(tmp_path))
    ada, kitchen, bob = (
        ConversationKey("ada", "a/1"),
        ConversationKey("ada", "a/2"),
        ConversationKey("bob", "b/1"),
    )
    for owner in (ada, kitchen, bob):
        conversation = conversations.get(owner)
        said = Exchange(ChatMessage("user", "I like tea"), ChatMessage("assistant", "Nice."))
        conversation.memory.add(said)
        conversation.loaded = True
        conversation.base_memory = "likes tea"
        conversation.prefix_changed = False
        conversation.dialogue.recited = ()
    conversations.forget("ada")
    for owner in (ada, kitchen):
        conversation = conversations.get(owner)
        assert (len(conversation.memory), conversation.loaded) == (0, False)
        assert (conversation.base_memory, conversation.prefix_changed) == ("", True)
        assert conversation.dialogue.recited is None
    assert len(conversations.get(bob).memory) == 2
    assert conversations.get(bob).loaded
