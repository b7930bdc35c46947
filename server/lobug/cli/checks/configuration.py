"""Checks of the settings alone: does the prompt fit the chat model, and who may talk? Pure."""

from __future__ import annotations

from lobug.access.addresses import is_loopback
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
    """Compare the context window with what a turn puts into it."""
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
    """Judge the context window. All sizes are tokens."""
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


ACCESS_CHECK = "who may talk"

_HOUSEHOLD = {4: 16, 6: 48}
"""Shortest prefix of a household's network, by IP version."""


def check_openness(settings: Settings) -> list[Finding]:
    """One warning for each way to talk without the owner's approval."""
    if is_loopback(settings.host) or settings.host == "localhost":
        return [ok(ACCESS_CHECK, "only programs on this computer can reach the server")]
    access = settings.access
    findings = []
    if not access.pairing:
        findings.append(
            warn(
                ACCESS_CHECK,
                "every device in the network that asks gets a token",
                "Remove LOBUG_ACCESS__PAIRING=false once your devices are paired.",
            )
        )
    wide = [n for n in access.trusted_networks if n.prefixlen < _HOUSEHOLD[n.version]]
    if wide:
        findings.append(
            warn(
                ACCESS_CHECK,
                f"whoever calls from {', '.join(map(str, wide))} needs no token",
                "Name single devices in LOBUG_ACCESS__TRUSTED_NETWORKS, such as 192.168.1.20/32.",
            )
        )
    if findings:
        return findings
    trusted = ", ".join(map(str, access.trusted_networks))
    whoever = f"; anyone in {trusted} needs none" if trusted else ""
    return [ok(ACCESS_CHECK, f"other computers and devices need a token of yours{whoever}")]
