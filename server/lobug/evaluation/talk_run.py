"""Says the openings of small talk to the product, each as a person of whom nothing is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lobug.conversation.prompt import make_persona
from lobug.engines.base import ChatModel, Embedder
from lobug.evaluation.talk import Half, Opening, Played, judge, load_rules
from lobug.evaluation.truth_run import BETWEEN_S, opened
from lobug.settings import Settings


async def play_openings(
    openings: Mapping[Half, Sequence[Opening]],
    settings: Settings,
    chat: ChatModel,
    embedder: Embedder,
    *,
    repeat: int = 1,
    progress: Callable[[], None] = lambda: None,
) -> list[Played]:
    """Say every opening ``repeat`` times and judge the replies. ``progress`` is called after each.

    All people talk to one server with an empty memory; each begins a conversation of their own, so
    that the model's cache of the personality is kept. Raises StorageError.
    """
    rules, examples = load_rules(), replies_of_examples(settings)
    chosen = [
        (half, number, opening)
        for half, some in openings.items()
        for number, opening in enumerate(some)
        for _ in range(repeat)
    ]
    played = []
    async with opened(settings, chat, embedder) as product:
        for turn, (half, number, opening) in enumerate(chosen):
            product.move_on(BETWEEN_S)
            reply = await product.say(f"{half}-{number}-{turn}", "desk", opening.say)
            faults = judge(opening, reply, rules, examples)
            played.append(Played(half, opening.kind, opening.say, reply, faults))
            progress()
    return played


def replies_of_examples(settings: Settings) -> list[str]:
    """What Lo-Bug says in the examples of its personality."""
    conversation = settings.conversation
    persona = make_persona(conversation.persona, ignore_and_react=conversation.ignore_and_react)
    return [one.content for one in persona.examples if one.role == "assistant"]
