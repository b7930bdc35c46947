"""Whether the prompt fits the chat model's window."""

from __future__ import annotations

from lobug.cli.checks.finding import Finding, fail, ok, warn
from lobug.conversation.prompt import estimate_tokens, make_persona, prefix
from lobug.settings import Settings

MESSAGE_TOKENS = 40
"""A spoken message of one to three sentences with its frame, tokens."""

FACT_TOKENS = 25
"""A remembered fact in the prompt, tokens."""

BASE_MEMORY_TOKENS = 300
"""A well-filled portrait of the user, tokens."""


def check_context(settings: Settings) -> Finding:
    """The window against what a turn puts into it."""
    persona = make_persona(
        settings.conversation.persona, ignore_and_react=settings.conversation.ignore_and_react
    )
    return judge_context(
        window=settings.chat.context_tokens,
        fixed=estimate_tokens(prefix(persona, "")),
        reply=settings.chat.max_tokens,
        memories=BASE_MEMORY_TOKENS + settings.memory.retrieval_top_k * FACT_TOKENS,
        history=settings.conversation.max_messages * MESSAGE_TOKENS,
    )


def judge_context(*, window: int, fixed: int, reply: int, memories: int, history: int) -> Finding:
    """All in tokens. Pure."""
    message = (
        f"{window} tokens: personality {fixed}, reply up to {reply}, memories about {memories},"
        f" history about {history}"
    )
    advice = "Raise LOBUG_CHAT__CONTEXT_TOKENS, or shorten LOBUG_CONVERSATION__PERSONA."
    if fixed + reply + memories >= window:
        return fail("context window", f"{message}; the prompt does not fit", advice)
    if fixed + reply + memories + history > window:
        return warn("context window", f"{message}; the history has to be cut short", advice)
    return ok("context window", message)
