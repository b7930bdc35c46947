"""Who talks while something breaks, and what is found of their words (bench/failover.py)."""

from __future__ import annotations

import itertools
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

from failover_scenes import Server

PAUSE_S = 0.1
"""How long a person who talks alone waits after an answer, seconds."""
PAUSE_OF_MANY_S = 1.0
"""The same of several: all of them together do not fill the computer."""
CHECK_S = 1.0
"""How often a proxy asks who is ready, seconds."""
CHECK_PATIENCE_S = 2.0
FALL = 2
"""After how many bad answers in a row a proxy sends nobody to a server. One good answer brings it
back. All of this as in deploy/fleet/haproxy.cfg."""
LONG_PATIENCE_S = 30.0
"""How long an answer may take when all is over, seconds."""
CITIES = ("Rome", "Oslo", "Lima", "Cairo", "Delhi", "Quito")
"""For each person the place where their sister lives: three people are at each server."""
MARK = re.compile(r"Person (\d+) says number (\d+)\.")


@dataclass
class Answers:
    """What somebody was answered."""

    acknowledged: dict[str, float] = field(default_factory=dict)
    """When each sentence was answered, seconds."""
    took_s: dict[str, float] = field(default_factory=dict)
    """How long each answer took."""

    @classmethod
    def of(cls, parts: Iterable[Answers]) -> Answers:
        """Those of several people together."""
        merged = cls()
        for one in parts:
            merged.acknowledged |= one.acknowledged
            merged.took_s |= one.took_s
        return merged

    def take(self, words: str, began: float) -> None:
        """A sentence that was said at a moment is answered."""
        now = time.monotonic()
        self.took_s[words] = now - began
        self.acknowledged[words] = now

    def answered(self, since: float) -> bool:
        """Whether there was an answer since a moment."""
        return any(at > since for at in list(self.acknowledged.values()))

    def until(self, end: float) -> tuple[float, float]:
        """From the first answer to a moment."""
        return min(self.acknowledged.values()), end

    def silence_s(self, since: float, until: float) -> float:
        """The longest time without an answer between two moments."""
        times = sorted(t for t in self.acknowledged.values() if since < t < until)
        return max(b - a for a, b in itertools.pairwise([since, *times, until]))


@dataclass
class Talker:
    """Says a sentence after the other to whichever server is ready."""

    servers: list[Server]
    patience_s: float
    answers: Answers = field(default_factory=Answers)
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        number = 0
        at = 0
        while not self.stop.wait(PAUSE_S):
            words = f"Sentence {number} of the test is about walnuts."
            began = time.monotonic()
            if self.servers[at].say(words, self.patience_s) is not None:
                self.answers.take(words, began)
                number += 1
            else:
                at = 1 - at


@dataclass
class Check:
    """How a proxy sees a server."""

    proxy: Proxy
    place: int
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        bad = 0
        while not self.stop.wait(CHECK_S):
            if self.proxy.servers[self.place].get("/ready", CHECK_PATIENCE_S) == 200:
                bad = 0
            else:
                bad += 1
            self.proxy.ready[self.place] = bad < FALL and (bad == 0 or self.proxy.ready[self.place])


@dataclass
class Proxy:
    """Sends a person to the same server each time, and to the other while that is not ready."""

    servers: list[Server]
    ready: list[bool] = field(default_factory=lambda: [True, True])

    def server(self, home: int) -> Server | None:
        """Where somebody is sent; None: nobody is ready."""
        for place in (home, 1 - home):
            if self.ready[place]:
                return self.servers[place]
        return None


@dataclass
class Person:
    """Somebody at a device. A sentence after the first is said once, whatever becomes of it."""

    number: int
    home: int
    """The server to which the proxy sends them."""
    proxy: Proxy
    patience_s: float
    answers: Answers = field(default_factory=Answers)
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def device(self) -> str:
        """The name of the device."""
        return f"person-{self.number}"

    def run(self) -> None:
        sister = f"Remember that my sister Hanna lives in {CITIES[self.number]}."
        while not (self.answers.acknowledged or self.stop.is_set()):  # nothing is broken yet
            self._say(sister, LONG_PATIENCE_S)
        for number in itertools.count():
            if self.stop.wait(PAUSE_OF_MANY_S):
                return
            self._say(f"Person {self.number} says number {number}.", self.patience_s)

    def _say(self, words: str, patience_s: float) -> None:
        server = self.proxy.server(self.home)
        began = time.monotonic()
        if server is not None and server.say(words, patience_s, self.device) is not None:
            self.answers.take(words, began)


class People:
    """Several at each of two servers, and the proxy."""

    def __init__(self, servers: list[Server], patience_s: float) -> None:
        self.proxy = Proxy(servers)
        self.everybody = [
            Person(number, number % 2, self.proxy, patience_s) for number in range(len(CITIES))
        ]
        self.threads: list[Check | Person] = [Check(self.proxy, place) for place in (0, 1)]
        self.threads += self.everybody

    def unreachable(self, since: float) -> Iterator[str]:
        """Who has had no answer from a moment on, though they went on talking."""
        for person in self.everybody:
            if not person.answers.answered(since - LONG_PATIENCE_S):
                yield f"person {person.number} was not answered any more"


@dataclass
class Found:
    """What is found in the end."""

    missing: int = 0
    """Acknowledged sentences that are not in the log as those of their person."""
    crossed: int = 0
    """Words in somebody's memory that are another one's, and answers out of another one's."""
    disordered: int = 0
    """Sentences in the log twice, or after a later one of the same person."""
    notes: list[str] = field(default_factory=list)

    def note_crossed(self, what: str) -> None:
        self.crossed += 1
        self.notes.append(f"crossed: {what}")


def found_of(
    people: People, raw: psycopg.Connection[tuple[Any, ...]], servers: Sequence[Server]
) -> Found:
    """Look into the log, and ask each server for each person."""
    found = Found()
    said = defaultdict[str, list[tuple[int, int]]](list)
    texts = defaultdict[str, set[str]](set)
    query = (
        'SELECT "user", content FROM lobug_memory.conversation_log'
        " WHERE role = 'user' ORDER BY id"
    )
    for user, content in raw.execute(query):
        texts[user].add(content)
        mark = MARK.fullmatch(content)
        if mark:
            said[user].append((int(mark[1]), int(mark[2])))
    owners = dict[int, str]()
    for user, marks in said.items():
        ((owner, _),) = Counter(person for person, _ in marks).most_common(1)
        owners[owner] = user
        for stranger, number in marks:
            if stranger != owner:
                found.note_crossed(f"number {number} of person {stranger} in the log of {owner}")
        found.disordered += sum(a >= b for a, b in itertools.pairwise(marks))
    for person in people.everybody:
        lost = person.answers.acknowledged.keys() - texts[owners.get(person.number, "")]
        found.missing += len(lost)
        found.notes += [f"missing: {words}" for words in lost]
        for server in servers:
            _look_at(person, server, found)
    return found


def _look_at(person: Person, server: Server, found: Found) -> None:
    """What a server says of a person."""
    export = server.export(LONG_PATIENCE_S, person.device)
    answer = server.say("Where does my sister live?", LONG_PATIENCE_S, person.device)
    if export is None or answer is None:
        found.notes.append(f"{server.folder.name} does not answer person {person.number}")
        return
    for other, number in MARK.findall(export):
        if int(other) != person.number:
            found.note_crossed(f"number {number} of person {other} shown to {person.number}")
    for words in person.answers.acknowledged:
        if words not in export:
            found.notes.append(f"{server.folder.name} does not show: {words}")
    own = CITIES[person.number]
    for city in CITIES:
        if city != own and (city in answer or city in export):
            found.note_crossed(f"{city} told to person {person.number}: {answer}")
    if own not in answer:
        found.notes.append(f"person {person.number} is not told of {own}: {answer}")
