"""Embeds a batch of which the model may refuse single texts, because they are too long for it or
make it fail, so that they keep no others from getting vectors."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lobug.engines.base import Vectors
from lobug.errors import ContextOverflowError, EngineError
from lobug.memory.index.entry_index import Vector

logger = logging.getLogger(__name__)

SAMPLE = "Hello."
"""A text that every model takes: a server that fails with it is at fault itself."""

LEAST_CHARS = 64
"""A text that is refused is cut to this at least, characters."""

Ask = Callable[[Sequence[str]], Awaitable[Vectors]]
"""Embeds texts, shape (texts, dimension). Raises EngineError."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text to be embedded."""

    whole: str
    own: str
    """What is embedded where the whole is refused: the whole without its context."""

    def shorter(self) -> Iterator[str]:
        """What may be embedded instead, the best first."""
        part = self.own
        if part != self.whole:
            yield part
        while len(part) >= 2 * LEAST_CHARS:
            part = part[: len(part) // 2]
            yield part


async def embed_each(texts: Sequence[Text], ask: Ask, *, failed_before: bool) -> Vectors:
    """The vectors of texts, shape (texts, dimension). A text that the model refuses has that of its
    beginning, or zeros where it refuses that too.

    ``failed_before``: whether the texts have failed several times, with pauses in between. Until
    then only an answer that says that a text is too long is a refusal; any other may be a fault of
    the server that passes. Raises EngineError where the server is at fault.
    """
    found = await _unless_refused(ask, [text.whole for text in texts], failed_before=failed_before)
    if found is not None:
        return found
    await ask([SAMPLE])
    return np.stack(await _apart(texts, ask, failed_before=failed_before))


async def _unless_refused(ask: Ask, texts: Sequence[str], *, failed_before: bool) -> Vectors | None:
    """None: one of the texts may be at fault. A server that is away, or slow, is another matter;
    EngineError itself stands for an answer that says no."""
    try:
        return await ask(texts)
    except ContextOverflowError:
        return None
    except EngineError as error:
        if failed_before and type(error) is EngineError:
            return None
        raise


async def _apart(texts: Sequence[Text], ask: Ask, *, failed_before: bool) -> list[Vector]:
    """The vectors of texts that were refused together."""
    vectors: list[Vector] = []
    middle = len(texts) // 2
    for half in filter(None, (texts[:middle], texts[middle:])):
        found = await _unless_refused(
            ask, [text.whole for text in half], failed_before=failed_before
        )
        if found is not None:
            vectors.extend(found)
        elif len(half) == 1:
            vectors.append(await _of_beginning(half[0], ask, failed_before=failed_before))
        else:
            vectors.extend(await _apart(half, ask, failed_before=failed_before))
    return vectors


async def _of_beginning(text: Text, ask: Ask, *, failed_before: bool) -> Vector:
    for part in text.shorter():
        found = await _unless_refused(ask, [part], failed_before=failed_before)
        if found is not None:
            vector: Vector = found[0]
            return vector
    sample = await ask([SAMPLE])
    logger.warning(
        "memory: the embedding model refuses a text of %d characters, however it is cut; until the"
        " text or the model changes it is found by its words only",
        len(text.whole),
    )
    return np.zeros_like(sample[0])
