"""What the background worker asks the chat model. Pure: text in, messages out.

What never changes comes first in every prompt, so that the background lane's prompt cache holds
from one request to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lobug.engines.base import ChatMessage

FACT_TYPES = ("personal", "preference", "knowledge", "event")

FACTS_SCHEMA: Mapping[str, Any] = {
    "type": "array",
    "maxItems": 6,
    "items": {
        "type": "object",
        "properties": {
            "fact": {"type": "string"},
            "type": {"type": "string", "enum": list(FACT_TYPES)},
        },
        "required": ["fact", "type"],
        "additionalProperties": False,
    },
}
"""The reply to ``fact_extraction_messages``."""

FACT_RULES = """\
You note lasting facts that a user tells about themselves or about people and things they name.
Rules:
- Each fact is one short standalone sentence in the third person that starts with "The user".
- Use only what the user said, in the user's own words. Never guess, never add.
- One fact for each thing told: two things in a sentence are two facts.
- Skip greetings, small talk, filler and passing moods: then the answer is [].
- Types: personal (who they are, people, pets, home, work), preference (likes, dislikes, habits),
  knowledge (what they know, own, use or work on), event (something dated or planned).
- Answer with a JSON array only, no comment."""

# Without examples the 1.5B model always answers []. The names and things in them are rare on
# purpose: a leaked example cannot pass the guard that wants every word from the user's mouth.
FACT_EXAMPLES: Sequence[tuple[str, str]] = (
    (
        "Hi there, I am Quillon and I repair harpsichords in Tromso.",
        (
            '[{"fact": "The user\'s name is Quillon", "type": "personal"},'
            ' {"fact": "The user repairs harpsichords", "type": "personal"},'
            ' {"fact": "The user lives in Tromso", "type": "personal"}]'
        ),
    ),
    ("That sounds good, thank you very much.", "[]"),
    (
        "My aunt Zelda can't stand marzipan, but I love it.",
        (
            '[{"fact": "The user\'s aunt is named Zelda", "type": "personal"},'
            ' {"fact": "The user\'s aunt Zelda can\'t stand marzipan", "type": "preference"},'
            ' {"fact": "The user loves marzipan", "type": "preference"}]'
        ),
    ),
    ("It is raining again and I am a bit tired.", "[]"),
    (
        "On the ninth of October we are flying to Madeira.",
        '[{"fact": "The user is flying to Madeira on the ninth of October", "type": "event"}]',
    ),
)

SUMMARY_RULES = """\
You summarize conversations between a user and the assistant Lo-Bug.
Write one paragraph of three to five sentences, in the third person and the past tense.
Keep names, dates, numbers and decisions exactly. Say who did or said what: "the user" or "Lo-Bug".
Write nothing that is not in the conversation. Write only the paragraph."""

SECTIONS = ("User Profile", "Preferences", "Ongoing Topics", "Key History")
"""The sections of base memory, in their order."""

BASE_MEMORY_WORDS = 400
"""The longest base memory."""

DISTILL_RULES = f"""\
You keep the base memory of the assistant Lo-Bug: a short portrait of its user.
Rewrite it so that it takes in the new summaries and facts.
Use exactly these four sections, each a line with a colon, then short lines that begin with "- ":
{": / ".join(SECTIONS)}:
Rules:
- Keep what the current base memory says unless something newer contradicts it; then keep the newer.
- Keep names, dates and numbers exactly. Write only what is given, never guess.
- One thing a line, no repetition, at most {BASE_MEMORY_WORDS} words in all.
- Write only the document."""


def fact_extraction_messages(user_text: str) -> list[ChatMessage]:
    """Ask for the facts in what the user said; the answer fits ``FACTS_SCHEMA``.

    Only the user's own words are shown: the assistant's reply may repeat what memory put into its
    prompt, and what was recalled must never be extracted again.
    """
    messages = [ChatMessage("system", FACT_RULES)]
    for said, answer in FACT_EXAMPLES:
        messages += [ChatMessage("user", said), ChatMessage("assistant", answer)]
    messages.append(ChatMessage("user", user_text))
    return messages


def summarize_conversation_messages(conversation_text: str) -> list[ChatMessage]:
    """Ask for a summary of a transcript ("User: ..." and "Lo-Bug: ..." lines)."""
    return [
        ChatMessage("system", SUMMARY_RULES),
        ChatMessage("user", f"The conversation:\n\n{conversation_text}\n\nThe summary:"),
    ]


def distill_base_memory_messages(
    current_base: str, new_summaries: Sequence[str], recent_facts: Sequence[str]
) -> list[ChatMessage]:
    """Ask for a base memory that takes in summaries and facts."""
    parts = [
        "Current base memory:\n" + (current_base or "(empty)"),
        "New summaries, oldest first:\n" + "\n".join(f"- {text}" for text in new_summaries),
    ]
    if recent_facts:
        parts.append("Facts:\n" + "\n".join(f"- {text}" for text in recent_facts))
    return [
        ChatMessage("system", DISTILL_RULES),
        ChatMessage("user", "\n\n".join(parts) + "\n\nThe new base memory:"),
    ]
