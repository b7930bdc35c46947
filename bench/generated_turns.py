"""Talk that was never talked: turns and questions from templates, for measuring speed alone.

The words follow Zipf's law over a vocabulary that grows with the number of turns, as in life: first
English nouns, then made-up words. Every call with the same seed gives the same talk.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

VOCABULARY = 60_000
"""Words to draw from; 200,000 turns use about half of them."""

SESSION_TURNS = 20
SESSION_EVERY_S = 43_200.0
"""From the beginning of one session to that of the next, seconds: two a day."""
TURN_EVERY_S = 20.0

NOUNS = """
    dog cat garden house car job boss sister brother mother father daughter son friend neighbour
    doctor dentist teacher office meeting project train bus bike flight holiday beach mountain lake
    river forest city village kitchen bread soup coffee tea cake dinner lunch breakfast wine beer
    music song guitar piano concert film book story painting photo camera phone computer game chess
    football tennis race gym yoga run swim walk weather rain snow sun winter summer spring autumn
    birthday party wedding present letter email money bank rent bill tax shop market shoes coat
    dress hat glasses watch key door window roof wall floor chair table bed lamp clock mirror
    hospital medicine headache cold sleep dream idea plan problem question answer lesson exam school
    course language spanish french german recipe onion tomato potato apple cheese egg fish chicken
    rice salad chocolate horse bird rabbit puppy tree flower rose seed vegetable lawn fence
    museum theatre cinema library church bridge station airport hotel island castle desert map tent
    boat sail engine tyre battery charger cable printer screen keyboard robot radio television news
    election vote charity volunteer club choir team coach trophy medal marathon ticket passport
""".split()

TOLD = (
    "I finally took the {0} to the {1} yesterday, and the {2} was better than I thought.",
    "My {0} keeps talking about the {1}. I think we should look for another {2} next month.",
    "Honestly, the {0} was a bit much. We left early and had {1} instead, with {2} and {3}.",
    "We are going to {0} on Saturday, and I still have to find a {1} for the {2}.",
    "The {0} broke again! I called about the {1}, but nobody knew anything about the {2}.",
    "I have been learning {0} since {1}, mostly in the evening, when the {2} is quiet.",
    "Do you know a good {0}? Mine is too old, and the {1} costs more than a {2}.",
    "It was lovely. The {0} sat by the {1} the whole time, and somebody brought {2}.",
    "I don't like {0} any more. Give me {1} or {2} any day.",
    "{0} asked me about the {1}. I said that the {2} comes first.",
    "Remember the {0}? It turned out that the {1} had been behind the {2} all along.",
    "I bought a {0} for my {1}, and next week I will fetch the {2} from the {3}.",
)
ASKED = (
    "What did I say about the {0} and the {1}?",
    "When did I take the {0} to the {1}?",
    "Who asked me about the {0}?",
    "Where did we leave the {0} after the {1}?",
    "Which {0} did I buy for my {1}?",
    "Do I still like {0}?",
    "Why did the {0} break?",
    "What was behind the {0}, near the {1}?",
)

_ONSETS = ("b", "br", "d", "dr", "f", "g", "gl", "h", "k", "kr", "l", "m", "n", "p", "pl", "s", "t")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")
_ENDS = ("n", "l", "r", "m", "k", "t", "nd")


@dataclass(frozen=True, slots=True)
class GeneratedTurn:
    """A turn to be told."""

    text: str
    after_s: float
    """When it is said, seconds after the first."""


def vocabulary(size: int = VOCABULARY) -> list[str]:
    """Words, the most frequent first."""
    made = (
        first + a + middle + b + end
        for middle, a, b, end, first in itertools.product(_ONSETS, _VOWELS, _VOWELS, _ENDS, _ONSETS)
    )
    return list(itertools.islice(itertools.chain(NOUNS, made), size))


class Talk:
    """An endless talk, and questions about it."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)  # noqa: S311 - no secret
        self._numbers = np.random.default_rng(seed)
        self._words = vocabulary()
        weights = 1.0 / (np.arange(len(self._words)) + 2.7) ** 1.05
        self._until = np.cumsum(weights / weights.sum())
        self._told = 0

    def _draw(self, count: int) -> list[str]:
        ranks = np.searchsorted(self._until, self._numbers.random(count))
        return [self._words[min(int(rank), len(self._words) - 1)] for rank in ranks]

    def turns(self, count: int) -> Iterator[GeneratedTurn]:
        """The next turns, 9 to 40 words each."""
        for _ in range(count):
            templates = self._random.choices(TOLD, k=self._random.choice((1, 1, 2)))
            text = " ".join(template.format(*self._draw(4)) for template in templates)
            session, place = divmod(self._told, SESSION_TURNS)
            self._told += 1
            yield GeneratedTurn(text, session * SESSION_EVERY_S + place * TURN_EVERY_S)

    def questions(self, count: int, seed: int) -> list[str]:
        """Questions with the talk's words; the same for the same seed."""
        chooser = random.Random(seed)  # noqa: S311 - no secret
        numbers = np.random.default_rng(seed)
        asked = []
        for _ in range(count):
            ranks = np.searchsorted(self._until, numbers.random(2))
            words = (self._words[min(int(rank), len(self._words) - 1)] for rank in ranks)
            asked.append(chooser.choice(ASKED).format(*words))
        return asked
