"""Keeps a reply from claiming what was not done, from speaking as the user and from denying what
the user has just told, before anything of it is shown or spoken.

A sentence that may turn out to be a claim is held until it is complete. If it is one, and no tool
has done anything in this turn, it and the rest of the reply are dropped, and one honest sentence
stands instead. So it is with a sentence that denies what was told. Of a sentence that speaks as the
user only itself is dropped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lobug.language.en.claimed_deeds import (
    ClaimKind,
    claims_deed,
    is_acknowledgement,
    may_become_claim,
)
from lobug.language.en.echoed_words import (
    denies_knowing,
    may_deny_knowing,
    may_speak_as_user,
    speaks_as_user,
)
from lobug.language.en.orders import SENTENCES, read_order, refusal_of
from lobug.language.en.skill_sentences import skill_sentences
from lobug.language.en.speech_acts import is_question, sentences, statements

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Part:
    """A clean part of a reply. All parts joined by spaces are its text."""

    text: str
    """Never empty."""
    ends: bool
    """Whether its sentence ends with it; False: more of the sentence follows."""
    sentence: str
    """The sentence up to the end of this part."""


class ReplyGuard:
    """Guards one reply.

    Args:
        said: the user's words.
        may_do: whether a tool may do what they ask for.
        has_done: whether a tool has done something in this turn, so far.
        ordered: the words are known to order a deed, whatever the rules read in them.
        learned: the words tell what memory keeps.
    """

    def __init__(
        self,
        said: str,
        *,
        may_do: bool = False,
        has_done: Callable[[], bool] = lambda: False,
        ordered: bool = False,
        learned: bool = False,
    ) -> None:
        self.replaced: ClaimKind | None = None
        """What the last sentence stands for, after which nothing may follow; None: nothing."""
        self.dropped: ClaimKind | None = None
        """What was left out or replaced; None: nothing."""
        self._said_any = False
        self._said = said
        self._order = read_order(said)
        self._ordered = ordered or self._order is not None or skill_sentences().orders_deed(said)
        self._told = bool(statements(said))
        """Whether the user told something. "Repeat after me: ..." tells nothing."""
        self._learned = learned and not any(map(is_question, sentences(said)))
        """Whether the user told what memory keeps, and asked nothing."""
        self._may_do = may_do
        self._has_done = has_done
        self._held: list[Part] = []
        """Acknowledgements ("Okay!") whose next sentence is not known yet."""

    def holds(self, beginning: str) -> bool:
        """Whether nothing of a sentence may be said yet that begins so."""
        if self._told and may_speak_as_user(beginning, self._said):
            return True
        if self._learned and may_deny_knowing(beginning):
            return True
        if self._has_done():
            return False
        return may_become_claim(beginning, ordered=self._ordered)

    def check(self, parts: Iterable[Part]) -> Iterator[Part]:
        """The parts that may be said; the last one stands for what is dropped, if anything is."""
        for part in parts:
            if self.replaced is not None:
                return
            kind = self._claim(part)
            if kind == "echo":
                log.info("a sentence of the reply was left out: %s", kind)
                self.dropped = kind
                continue
            if kind is not None:
                log.info("a sentence of the reply was replaced: %s", kind)
                self.replaced = self.dropped = kind
                self._held.clear()
                honest = self._honest(kind)
                yield Part(honest, ends=True, sentence=honest)
                return
            if (
                part.text == part.sentence
                and not self._has_done()
                and is_acknowledgement(part.text)
            ):
                self._held.append(part)
                continue
            yield from self.rest()
            self._said_any = True
            yield part

    def releases(self, beginning: str) -> bool:
        """Whether what is held may be said, since the sentence that follows begins like talk."""
        return bool(self._held) and len(beginning.split()) > 1 and not self.holds(beginning)

    def rest(self) -> Iterator[Part]:
        """The parts that were held."""
        held, self._held = self._held, []
        self._said_any = self._said_any or bool(held)
        yield from held

    def end(self) -> Iterator[Part]:
        """The parts that are left when the reply has ended: what was held, or, where all was left
        out, a sentence in its place."""
        yield from self.rest()
        if self.dropped == "echo" and not self._said_any:
            thanks = SENTENCES["echo"]
            yield Part(thanks, ends=True, sentence=thanks)

    def _claim(self, part: Part) -> ClaimKind | None:
        if not part.ends:
            return None  # it was not held
        whole = part.text == part.sentence
        if whole and self._told and speaks_as_user(part.sentence, self._said):
            return "echo"
        if whole and self._learned and denies_knowing(part.sentence, self._said):
            return "ignorance"
        kind = claims_deed(part.sentence, ordered=self._ordered, told=self._told)
        return None if kind == "deed" and self._has_done() else kind

    def _honest(self, kind: ClaimKind) -> str:
        """The sentence in place of a claim."""
        if kind == "ignorance":
            return SENTENCES[kind]
        if self._may_do:
            return SENTENCES["not_done"]
        if self._order is not None:
            return refusal_of(self._order)
        return SENTENCES[kind]
