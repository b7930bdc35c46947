"""Prompts of the background worker: facts, summaries, base memory. English. Pure.

The constant part comes first in every prompt, so that the background lane's prompt cache stays
valid from one request to the next.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lobug.engines.base import ChatMessage
from lobug.language.facts import FACT_TYPES

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
Leave out greetings, jokes and thanks. Write nothing that is not in the conversation.
Write only the paragraph."""

SUMMARY_EXAMPLE = (
    """\
User: I am Quillon and I repair harpsichords.
Lo-Bug: What a fine craft.
User: On the ninth of October my aunt Zelda and I fly to Madeira.
Lo-Bug: Shall I remind you?
User: No need. How do I get rid of rust?
Lo-Bug: Try vinegar and a soft brush.""",
    (
        "The user said that their name is Quillon and that they repair harpsichords. They told"
        " Lo-Bug that they and their aunt Zelda fly to Madeira on the ninth of October, and"
        " declined a reminder. The user asked how to get rid of rust, and Lo-Bug advised vinegar."
    ),
)

EXAMPLE_WORDS = (
    "Quillon harpsichord harpsichords clavichord hide glue aunt Zelda October Madeira Narvik Tromso"
    " marzipan rust vinegar brush reminder"
)
"""Words of the examples, which a small model now and then repeats as if it had been given them."""

CONDENSE_RULES = """\
You shorten notes about one conversation between a user and the assistant Lo-Bug.
Write one paragraph of three to five sentences, in the third person and the past tense: what the
conversation was about, what was decided, what is still open.
Keep names, dates, numbers and decisions exactly. Leave out what was settled in passing.
Write nothing that is not in the notes. Write only the paragraph."""

CONDENSE_EXAMPLE = (
    (
        "The user said that they repair harpsichords and asked about glue. Lo-Bug advised hide"
        " glue. The user told Lo-Bug that their aunt Zelda arrives on the ninth of October. They"
        " asked how to get rid of rust, and Lo-Bug advised vinegar. The user decided to buy a"
        " clavichord from Narvik and has not settled how to fetch it."
    ),
    (
        "The user, who repairs harpsichords, asked Lo-Bug about hide glue and rust. They told"
        " Lo-Bug that their aunt Zelda arrives on the ninth of October. The user decided to buy a"
        " clavichord from Narvik and has not settled how to fetch it."
    ),
)

SECTIONS = ("User Profile", "Preferences", "Ongoing Topics", "Key History")
"""The sections of layer identity: every line stands under one of them, in this order."""

BASE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        section: {"type": "array", "maxItems": 6, "items": {"type": "string"}}
        for section in SECTIONS
    },
    "required": list(SECTIONS),
    "additionalProperties": False,
}
"""The reply to ``distill_base_memory_messages``. Asked for the document itself, the 1.5B model
repeats its instructions; the schema leaves it only the lines to fill in."""

DISTILL_RULES = """\
You keep the base memory of the assistant Lo-Bug: a short portrait of its user.
You get the current base memory, new summaries and facts. Answer with the new base memory as JSON:
a list of short lines for each of User Profile (who they are, people, home, work), Preferences,
Ongoing Topics (projects, plans) and Key History (dated events, changes).
- Keep what the current base memory says unless something newer contradicts it; then the newer.
- Keep names, dates and numbers exactly. Write only what is given, never guess.
- One thing a line, at most fifteen words, no repetition. Leave out small talk.
- All lines together: at most %d characters. Leave out what matters least."""

DISTILL_EXAMPLE = (
    """\
Current base memory:
User Profile:
- Quillon, repairs harpsichords
- Lives in Tromso

New summaries, oldest first:
- The user told Lo-Bug that they moved to Narvik in May. They are building a clavichord and asked\
 about glue.

Facts:
- The user loves marzipan""",
    (
        '{"User Profile": ["Quillon, repairs harpsichords", "Lives in Narvik"],'
        ' "Preferences": ["Loves marzipan"], "Ongoing Topics": ["Building a clavichord"],'
        ' "Key History": ["Moved to Narvik in May"]}'
    ),
)


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
    shown, summary = SUMMARY_EXAMPLE
    return [
        ChatMessage("system", SUMMARY_RULES),
        ChatMessage("user", shown),
        ChatMessage("assistant", summary),
        ChatMessage("user", conversation_text),
    ]


def condense_session_messages(notes: str) -> list[ChatMessage]:
    """Ask for a shorter summary of one conversation, from the notes on its parts."""
    shown, summary = CONDENSE_EXAMPLE
    return [
        ChatMessage("system", CONDENSE_RULES),
        ChatMessage("user", shown),
        ChatMessage("assistant", summary),
        ChatMessage("user", notes),
    ]


def distill_base_memory_messages(
    current_base: str,
    new_summaries: Sequence[str],
    recent_facts: Sequence[str],
    *,
    limit: int = 1_000,
) -> list[ChatMessage]:
    """Ask for a base memory that takes in summaries and facts, of at most ``limit`` characters; it
    fits ``BASE_SCHEMA``."""
    shown, document = DISTILL_EXAMPLE
    parts = [
        "Current base memory:\n" + (current_base or "(empty)"),
        "New summaries, oldest first:\n" + "\n".join(f"- {text}" for text in new_summaries),
    ]
    if recent_facts:
        parts.append("Facts:\n" + "\n".join(f"- {text}" for text in recent_facts))
    return [
        ChatMessage("system", DISTILL_RULES % limit),
        ChatMessage("user", shown),
        ChatMessage("assistant", document),
        ChatMessage("user", "\n\n".join(parts)),
    ]


_PLACEHOLDER = re.compile(
    r"^\(?(?:none|n/?a|empty|unknown|nothing|no (?:information|data|specific)\b.*"
    r"|not (?:specified|provided|given|mentioned|known)\b.*)\)?\.?$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^(?:the\s+)?summary\s*:\s*", re.IGNORECASE)


def is_placeholder(line: str) -> bool:
    """Whether a line of base memory only says that nothing is known: "None", "not specified"."""
    return _PLACEHOLDER.match(line) is not None


def without_heading(summary: str) -> str:
    """A summary without the heading "Summary:" that the model may have put before it."""
    return _HEADING.sub("", summary)
