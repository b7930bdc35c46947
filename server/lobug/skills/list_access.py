"""Whose list is meant, and who may use it.

A person has lists of their own. The household has lists too, which those may see or change to whom
``memory.household`` grants that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lobug.agenda.lists import ItemList, ListName, Lists
from lobug.errors import ListForbiddenError
from lobug.language.en.list_names import NamedList, best_match, list_key
from lobug.memory.model import HOUSEHOLD, HouseholdGrant

SHOPPING = "shopping"


@dataclass(frozen=True, slots=True)
class Target:
    """A list that is meant; it may not exist yet."""

    user: str
    """A person, or the household."""
    name: ListName
    list: ItemList | None = None

    @property
    def shared(self) -> bool:
        """Whether it is the household's."""
        return self.user == HOUSEHOLD


@dataclass(frozen=True, slots=True)
class Unclear:
    """Several lists may be meant."""

    lists: tuple[ItemList, ...]


@dataclass(frozen=True, slots=True)
class Shelf:
    """The lists that a person may see. Pure."""

    user: str
    grant: HouseholdGrant
    own: tuple[ItemList, ...] = ()
    household: tuple[ItemList, ...] = ()
    shares: bool = True
    """Whether anybody may use lists of the household; else "our list" is the person's own."""

    @property
    def every(self) -> tuple[ItemList, ...]:
        """The person's own and the household's."""
        return (*self.own, *self.household)

    def require(self, *, write: bool) -> None:
        """Raises ListForbiddenError unless the household's lists may be seen, or changed."""
        if self.grant == "none" or (write and self.grant == "read"):
            raise ListForbiddenError("memory.household does not grant that")

    def of_id(self, list_id: object) -> ItemList | None:
        """A list of an id; None: it is gone or not to be seen."""
        return next((one for one in self.every if one.id == list_id), None)

    def target_of(self, one: ItemList) -> Target:
        """A list that exists as what is meant."""
        return Target(one.user, ListName(one.name, one.key), one)

    def find(
        self, named: NamedList, *, write: bool, recent: ItemList | None = None
    ) -> Target | Unclear:
        """The list that somebody speaks of. ``recent``: the one that was spoken of last.

        "The shopping list" is the household's if there is one that the person may change, else the
        person's own. Raises ListForbiddenError.
        """
        if named.whose == "household":
            if self.shares:
                self.require(write=write)
            else:
                named = replace(named, whose=None)
        if named.name is None:
            return self._unnamed(named, write=write, recent=recent)
        key = list_key(named.name)
        for lists in self._places(named, write=write):
            found = best_match(key, [one.key for one in lists])
            if found is not None:
                return self.target_of(next(one for one in lists if one.key == found))
        user = HOUSEHOLD if named.whose == "household" else self.user
        return Target(user, ListName(named.name, key))

    def _unnamed(
        self, named: NamedList, *, write: bool, recent: ItemList | None
    ) -> Target | Unclear:
        lists = tuple(one for place in self._places(named, write=write) for one in place)
        if recent is not None and recent in lists:
            return self.target_of(recent)
        if len(lists) == 1:
            return self.target_of(lists[0])
        shopping = list_key(SHOPPING)
        found = next((one for one in lists if one.key == shopping), None)
        if found is not None:
            return self.target_of(found)
        if lists:
            return Unclear(lists)
        user = HOUSEHOLD if named.whose == "household" else self.user
        return Target(user, ListName(SHOPPING, shopping))

    def _places(self, named: NamedList, *, write: bool) -> list[tuple[ItemList, ...]]:
        """Where to look for a list, the first place first."""
        if named.whose == "household":
            return [self.household]
        if named.whose == "own":
            return [self.own]
        if self.grant == "write":
            return [self.household, self.own]
        return [self.own] if write else [self.own, self.household]


async def shelf_of(lists: Lists, user: str, household: Mapping[str, HouseholdGrant]) -> Shelf:
    """The lists that a person may see. ``household``: the setting ``memory.household``. Raises
    StorageError."""
    grant = household.get(user, "none")
    own = await lists.of_user(user)
    shared = await lists.of_user(HOUSEHOLD) if grant != "none" else []
    return Shelf(user, grant, tuple(own), tuple(shared), shares=bool(household))
