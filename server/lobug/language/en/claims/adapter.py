"""Temporary: the draft reader behind the contract, until its own module is merged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lobug.language.claims import Asked, Claim, Fragment, Heard, Path, RelationRules
from lobug.language.en import perspective, speech_acts
from lobug.language.en.claims import questions, reader
from lobug.language.en.claims.relation_book import relation_book


class EnglishClaims:
    def read(self, text: str) -> Heard:
        heard = reader.read(text)
        return Heard(
            tuple(self._claim(c) for c in heard.claims),
            tuple(Fragment(f.value, f.instead_of, f.text) for f in heard.fragments),
            heard.corrects,
            () if heard.claims else tuple(speech_acts.statements(text)),
        )

    def _claim(self, c):
        value = reader.ARTICLE.sub("", c.value)
        return Claim(
            tuple(c.subject),
            c.relation,
            value,
            c.kind or "",
            c.holds,
            c.ended,
            c.past,
            c.planned,
            c.corrects,
            c.instead_of,
            False,
            c.time,
            c.text,
        )

    def read_fact(self, sentence: str) -> tuple[Claim, ...]:
        first = re.sub(r"^The user's\b", "My", sentence)
        first = re.sub(r"\bthe user's\b", "my", first)
        first = re.sub(r"^The user\b", "The user", first)
        return tuple(self._claim(c) for c in reader.read(first).claims)

    def read_question(self, text: str) -> Asked | None:
        q = questions.read_question(text)
        if q is None:
            return None
        return Asked(
            tuple(q.subject), q.relation, q.of or "", None if q.kind == "value" else q.value, q.past
        )

    def read_topic(self, text: str) -> Asked | None:
        return self.read_question(text)

    def rules(self, relation: str) -> RelationRules | None:
        book = relation_book()
        for rank, r in enumerate(book.relations):
            if r.id == relation:
                return RelationRules(r.id, rank, r.one, r.id in {"origin", "birthday"}, "personal")
        return None

    def same_value(self, relation: str, one: str, other: str) -> bool:
        a, b = (
            {w for w in re.findall(r"\w+", x.lower()) if w not in {"a", "an", "the", "my"}}
            for x in (one, other)
        )
        return not one or not other or a <= b or b <= a

    def fact(self, claim: Claim, names: Mapping[Path, str]) -> str:
        r = relation_book().by_id.get(claim.relation)
        subject = (
            "The user" + "".join(f"'s {p}" for p in claim.subject[1:])
            if claim.subject[0] == "user"
            else claim.subject[0].title()
        )
        if claim.subject in names:
            subject += " " + names[claim.subject]
        template = (r.was if claim.ended else r.fact) if r else "{S} is {v}"
        template = re.sub(
            r"\[(\w+)\]",
            lambda m: {"be": "is", "have": "has", "was": "was"}.get(m[1], m[1] + "s"),
            template,
        )
        text = (
            template.replace("{S's}", subject + "'s")
            .replace("{S}", subject)
            .replace("{v}", claim.value)
            .replace("{kind}", claim.kind)
            .replace("{a} ", "a ")
            .strip()
        )
        return (
            text
            if claim.holds or claim.ended
            else "It is not so that " + text[0].lower() + text[1:]
        )

    def answer(
        self,
        asked: Asked,
        active: Sequence[Claim],
        past: Sequence[tuple[Claim, str]],
        names: Mapping[Path, str],
    ) -> str:
        yes = [c for c in active if c.holds]
        if yes:
            return " ".join(perspective.sentence_to_the_user(self.fact(c, names)) for c in yes)
        if past:
            return (
                "Not any more: " + perspective.said_to_the_user(self.fact(past[-1][0], names)) + "."
            )
        if active:
            return "No."
        return "You haven't told me that."


CLAIMS = EnglishClaims()
