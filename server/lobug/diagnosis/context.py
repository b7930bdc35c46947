"""Check of the chat model's context window."""

from __future__ import annotations

from lobug.conversation.prompt import estimate_tokens, make_persona, prefix
from lobug.diagnosis.findings import Finding, fail, ok, warn
from lobug.diagnosis.sentences import sentence
from lobug.settings import Settings

MESSAGE_TOKENS = 40
"""A spoken message of one to three sentences with its frame, tokens."""


FACT_TOKENS = 25
"""A remembered fact in the prompt, tokens."""


BASE_MEMORY_TOKENS = 300
"""A well-filled portrait of the user, tokens."""


def check_context(settings: Settings) -> Finding:
    """Compare the context window with what a turn puts into it."""
    persona = make_persona(
        settings.conversation.persona,
        ignore_and_react=settings.conversation.ignore_and_react,
        may_store=settings.memory.lets_model_store,
    )
    return judge_context(
        window=settings.chat.context_tokens,
        fixed=estimate_tokens(prefix(persona, "")),
        reply=settings.chat.max_tokens,
        memories=BASE_MEMORY_TOKENS + settings.memory.retrieval_top_k * FACT_TOKENS,
        history=settings.conversation.max_messages * MESSAGE_TOKENS,
    )


def judge_context(*, window: int, fixed: int, reply: int, memories: int, history: int) -> Finding:
    """Judge the context window. All sizes are tokens."""
    sizes = sentence(
        "doctor.context",
        window=window,
        fixed=fixed,
        reply=reply,
        memories=memories,
        history=history,
    )
    advice = sentence("doctor.context_advice")
    if fixed + reply + memories >= window:
        return fail("context window", sentence("doctor.context_too_small", sizes=sizes), advice)
    if fixed + reply + memories + history > window:
        return warn("context window", sentence("doctor.context_short", sizes=sizes), advice)
    return ok("context window", sizes)
