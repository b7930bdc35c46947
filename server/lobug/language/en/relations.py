"""Whether a memory is about another relative or pet than a question. English. Pure.

"What is my brother's name?" is near to "The user's sister is named Anna" in words and in meaning,
and a small chat model then answers Anna. So a question about a brother gets no memory of a sister.
"""

from __future__ import annotations

from lobug.language.en import mentions, words
from lobug.language.en.lists import word_map

_SAME = word_map("relations", "same")
_ANY_OF = word_map("relations", "any_of")


def _who() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for name, others in _SAME.items():
        for word in [name, *others.split()]:
            found[words.stem(word)] = frozenset([name])
    for names, general in _ANY_OF.items():
        for word in general.split():
            found[words.stem(word)] = frozenset(names.split())
    return found


_WHO = _who()


def is_of_another(question: str, content: str) -> bool:
    """Whether a question names relatives or pets and a memory names only others, unless both have
    the same name in them."""
    asked, named = _spoken_of(question), _spoken_of(content)
    if not asked or not named or asked & named:
        return False
    return not mentions.names_in(question) & mentions.names_in(content)


def _spoken_of(text: str) -> frozenset[str]:
    stems = words.stems(words.words(text))
    return frozenset().union(*(_WHO[stem] for stem in stems if stem in _WHO))
