"""What memory holds of one user within a transaction. Reads only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from lobug.language.claims import STATEMENT, USER, Claim, ClaimReader, Path
from lobug.memory import claim_rows
from lobug.memory.claim_rows import KnownClaim, Referent
from lobug.memory.claims.relations import NAME
from lobug.memory.claims.subjects import Subjects, plain
from lobug.storage.connection import Connection
from lobug.storage.statements import run


class HeldClaims:
    """The claims of one user, as a transaction sees them.

    One utterance needs the same rows several times, and each query to PostgreSQL takes a third of a
    millisecond: what was read is kept until something is written (``changed``).
    """

    def __init__(self, connection: Connection, reader: ClaimReader, user: str) -> None:
        self._connection = connection
        self._reader = reader
        self._user = user
        self._kept: dict[tuple[object, ...], list[KnownClaim]] = {}
        self._subjects: frozenset[Path] | None = None

    def changed(self, *, subjects: bool = False) -> None:
        """Discard what was read: an entry was written. ``subjects``: rows of ``claims`` were added,
        moved or deleted, so discard the known subjects too."""
        self._kept.clear()
        if subjects:
            self._subjects = None

    def slot(self, subject: Path, relation: str, kind: str) -> list[KnownClaim]:
        """The claims of one subject, relation and kind, oldest first."""
        found = self._keep(
            ("subject", subject, relation),
            lambda: claim_rows.of_subject(self._connection, self._user, subject, relation),
        )
        return [one for one in found if one.kind == kind]

    def under(self, subject: Path) -> list[KnownClaim]:
        """The claims of a subject and of what belongs to it, oldest first."""
        return self._keep(
            ("under", subject), lambda: claim_rows.under(self._connection, self._user, subject)
        )

    def of_relation(self, relation: str) -> list[KnownClaim]:
        """The claims of one relation, of whomever, oldest first."""
        return self._keep(
            ("relation", relation),
            lambda: claim_rows.of_relation(self._connection, self._user, relation),
        )

    def of_message(self, message_id: int) -> list[KnownClaim]:
        """What the rules read in a message."""
        made = claim_rows.made_by(self._connection, self._user, message_id)
        return claim_rows.of_entries(self._connection, self._user, made)

    def is_held(self, subject: Path, relation: str, kind: str, value: str) -> bool:
        """Whether memory believes a claim."""
        return any(
            one.status == "active"
            and one.holds
            and self._reader.same_value(relation, one.value, value)
            for one in self.slot(subject, relation, kind)
        )

    def valued_alike(
        self, subject: Path, value: str, *, of_things: bool = False
    ) -> list[KnownClaim]:
        """What is believed of a subject that has this value, whatever the relation; ``of_things``:
        of what belongs to it too."""
        return [
            one
            for one in self.under(subject)
            if (of_things or one.subject == subject)
            and one.status == "active"
            and one.holds
            and one.value
            and one.relation != STATEMENT
            and self._reader.same_value(one.relation, one.value, value)
        ]

    def names(self) -> dict[Path, str]:
        """The names of all subjects that have one."""
        named = self.of_relation(NAME)
        return {one.subject: one.value for one in named if one.status == "active" and one.holds}

    def known_subjects(self) -> frozenset[Path]:
        """Everybody and everything that something is claimed of."""
        if self._subjects is None:
            self._subjects = known_subjects(self._connection, self._user)
        return self._subjects

    def subjects(self, referents: Sequence[Referent]) -> Subjects:
        """Whom memory knows. ``referents``: what was talked about, latest first."""
        return Subjects(self.names(), self.known_subjects(), recent(referents))

    def sentence(self, claim: Claim) -> str:
        """A claim in the third person, with the names of its subjects."""
        return sentence_of(self._reader, claim, self.names())

    def _keep(
        self, asked: tuple[object, ...], read: Callable[[], list[KnownClaim]]
    ) -> list[KnownClaim]:
        if asked not in self._kept:
            self._kept[asked] = read()
        return list(self._kept[asked])


def known_subjects(connection: Connection, user: str) -> frozenset[Path]:
    """Everybody and everything that something is claimed of."""
    found = run(connection, claim_rows.SUBJECTS, user=user).scalars()
    return frozenset(map(claim_rows.path_of, found))


def recent(referents: Iterable[Referent]) -> list[Path]:
    """Who was talked about, latest first."""
    return list(dict.fromkeys(one.subject for one in referents if one.subject != USER))


def sentence_of(reader: ClaimReader, claim: Claim, names: dict[Path, str]) -> str:
    """A claim in the third person; of several sisters the name tells which."""
    shown = {
        plain(path): name
        for path, name in names.items()
        if claim.subject[: len(path)] == path
        and not (path == claim.subject and claim.relation == NAME)
    }
    return reader.fact(replace(claim, subject=plain(claim.subject)), shown)
