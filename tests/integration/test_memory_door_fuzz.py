"""Anything at all is sent to the doors of memory: the answer is always one that is documented."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lobug.errors import LobugError
from support.app_server import in_thread
from support.memory_app import app_with, door_settings

FUZZ = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,  # the same on every machine: a failure can be repeated
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
FRAMEWORK_CODES = {"not_found", "method_not_allowed"}
"""Of addresses that are no route; the document does not list them."""


class Door:
    """A running application and its OpenAPI document."""

    def __init__(self, app: FastAPI, port: int) -> None:
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False)
        paths = self.client.get("/openapi.json").json()["paths"]
        self.routes: dict[tuple[str, str], Any] = {
            (method.upper(), path): route
            for path, ways in paths.items()
            if path.startswith("/memory")
            for method, route in ways.items()
        }

    def send(
        self, method: str, path: str, filled: str, params: object = None, body: bytes | None = None
    ) -> None:
        """Send, and check that the answer is one that the document promises."""
        query: Any = params
        answer = self.client.request(method, filled, params=query, content=body)
        if answer.status_code == 200:
            return
        code = answer.json()["error"]["code"]
        assert code != LobugError.code, answer.text
        assert "Traceback" not in answer.text
        assert answer.json()["response"]
        if code in FRAMEWORK_CODES:
            return
        documented = self.routes[method, path]["responses"]
        assert str(answer.status_code) in documented, (method, path, answer.text)
        described = documented[str(answer.status_code)]["description"]
        assert f"`{code}`" in described, (method, path, answer.text)


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    app = app_with(door_settings(tmp_path_factory.mktemp("fuzz")))
    server, thread, port = in_thread(app)
    found = Door(app, port)
    yield found
    assert found.client.get("/memory/entries").status_code == 200
    found.client.close()
    _stop(server, thread)


def _stop(server: uvicorn.Server, thread: threading.Thread) -> None:
    server.should_exit = True
    thread.join(30)
    assert not thread.is_alive()


NASTY = st.sampled_from(
    [
        *('"', "'", "*", "NEAR(a b)", "a OR", "col:x", "-", "(", "%", "_", "\\", "{}", "--", ";"),
        *("🫖", "\u202e", "مرحبا", "\u0301", "x" * 501, "x" * 5_000, "\ufeff", "\r\n", "\t", "a\0"),
        *("-1", "0", "1", str(2**63), str(-(2**63)), "1e400", "nan", "Infinity", "null", "true"),
        *(
            "household:",
            "system_x",
            "user_name",
            "2024-01-01",
            "0001-01-01",
            "9999-12-31T23:59:59Z",
        ),
    ]
)
WORDS = NASTY | st.text(max_size=30)
NUMBERS = (
    st.integers()
    | st.floats()
    | st.sampled_from([2**63 - 1, 2**63, -(2**63) - 1, 10**30, 0, 1, 1e308])
)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    """content key layer category scope fact_type section importance tags project said_at text
    dry_run confirm session user older_than_days name description title state result""".split()
)
LIKELY = st.sampled_from(
    ["identity", "knowledge", "archive", "timeline", "user", "conversation", "household", 0.5, True]
)
BODIES = (
    st.binary(max_size=100)
    | ANY_JSON.map(lambda value: json.dumps(value).encode())
    | st.dictionaries(FIELDS, LIKELY | ANY_JSON, max_size=6).map(
        lambda value: json.dumps(value).encode()
    )
    | st.builds(
        lambda content, more: json.dumps({**more, "content": content}).encode(),
        WORDS,
        st.dictionaries(FIELDS, LIKELY | WORDS | NUMBERS, max_size=3),
    )
)
PARAMETERS = st.sampled_from(
    """layer category scope status project tags since until limit after before q turns message_id
    format user other""".split()
)
QUERIES = st.lists(
    st.tuples(PARAMETERS, LIKELY.map(str) | WORDS | NUMBERS.map(str)), max_size=5
).map(lambda pairs: [(name, text.encode("utf-8", "replace").decode()) for name, text in pairs])


def fill(path: str, value: str) -> str:
    """The path with a value for its parameter."""
    before, brace, rest = path.partition("{")
    if not brace:
        return path
    raw = value.encode("utf-8", "replace")
    return before + (quote(raw, safe="") or "%20") + rest.partition("}")[2]


@FUZZ
@given(data=st.data())
def test_any_question(door: Door, data: st.DataObject) -> None:
    reading = sorted(route for route in door.routes if route[0] in {"GET", "DELETE"})
    method, path = data.draw(st.sampled_from(reading))
    value = data.draw(st.integers(0, 9).map(str) | WORDS)
    door.send(method, path, fill(path, value), params=data.draw(QUERIES))


@FUZZ
@given(data=st.data())
def test_any_body(door: Door, data: st.DataObject) -> None:
    writing = sorted(route for route in door.routes if route[0] in {"POST", "PATCH"})
    method, path = data.draw(st.sampled_from(writing))
    value = data.draw(st.integers(0, 9).map(str) | WORDS)
    user = data.draw(st.sampled_from([[], [("user", "ada")], [("user", "Zoë")]]))
    door.send(method, path, fill(path, value), params=user, body=data.draw(BODIES))


@FUZZ
@given(
    content=WORDS,
    key=st.none() | st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True),
    layer=st.sampled_from(["identity", "knowledge", "archive"]),
    category=st.sampled_from(["knowledge", "timeline"]),
    said_at=st.none() | st.floats(-6e10, 2.5e11) | st.just("2024-05-06"),
    section=st.none() | st.text(max_size=20),
    tags=st.lists(st.text(min_size=1, max_size=10), max_size=3),
    project=st.none() | st.text(max_size=10),
)
def test_any_memory_can_be_told_searched_and_forgotten(door: Door, **body: Any) -> None:
    """What is taken is there word for word, and gone when it is forgotten."""
    path = "/memory/entries"
    ada = {"user": "ada"}
    sent = json.dumps(body).encode()
    answer = door.client.post(path, params=ada, content=sent)
    if answer.status_code != 200:
        door.send("POST", path, path, params=ada, body=sent)
        return
    entry = answer.json()
    assert entry["content"].endswith(body["content"].strip())  # what is dated gets its date before
    door.send("GET", "/memory/search", "/memory/search", {**ada, "q": body["content"]})
    door.send("GET", "/memory/identity", "/memory/identity", ada)
    place = f"{path}/{entry['id']}"
    assert door.client.get(place, params=ada).json()["entry"] == entry
    for export in ("json", "markdown"):
        door.send("GET", "/memory/export", "/memory/export", {**ada, "format": export})
    assert door.client.delete(place, params=ada).status_code == 200
    assert door.client.get(place, params=ada).status_code == 404


def places(value: object, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a JSON document."""
    yield here
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places(inner, (*here, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from places(inner, (*here, number))


def changed(value: Any, place: tuple[Any, ...], new: object) -> Any:
    """The document with something else at a place; ``...``: with nothing there."""
    if not place:
        return None if new is ... else new
    copy = dict(value) if isinstance(value, dict) else list(value)
    if new is ... and len(place) == 1:
        del copy[place[0]]
    else:
        copy[place[0]] = changed(copy[place[0]], place[1:], new)
    return copy


def like(value: object) -> st.SearchStrategy[Any]:
    """Something of the same type, which is refused less often."""
    match value:
        case bool():
            return st.booleans()
        case int() | float():
            return NUMBERS | st.floats(0, 1) | st.integers(0, 20)
        case str():
            return WORDS | LIKELY.filter(lambda word: isinstance(word, str))
        case list():
            return st.just([]) | st.just([*value, *value])
        case dict():
            return st.just({}) | st.dictionaries(st.sampled_from([*value, "x"]), WORDS)
        case _:
            return WORDS | NUMBERS


def at(value: Any, place: tuple[Any, ...]) -> object:
    """What stands at a place."""
    for step in place:
        value = value[step]
    return value


@pytest.fixture(scope="module")
def exported(door: Door) -> Any:
    """The export of a memory that has something of everything."""
    zoe = {"user": "zoe"}
    chat = door.client.post("/chat/text", json={"text": "I keep bees"}, headers={"Device-Id": "z"})
    assert chat.status_code == 200
    for user in (zoe, {"user": "device:z"}):
        body = {"content": "The user keeps bees", "key": "bees", "tags": ["a"], "project": "hive"}
        entry = door.client.post("/memory/entries", params=user, json=body).json()
        edit = {"content": "The user keeps hives"}
        door.client.patch(f"/memory/entries/{entry['id']}", params=user, json=edit)
        door.client.post("/memory/tasks", params=user, json={"title": "Dig", "project": "hive"})
    answer = door.client.get("/memory/export", params={"user": "device:z"})
    assert answer.status_code == 200
    return answer.json()


@FUZZ
@given(data=st.data())
def test_any_import(door: Door, exported: Any, data: st.DataObject) -> None:
    """An export with one to three things changed in it is brought in or refused, whole."""
    document = exported
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(list(places(document))))
        kind = st.just(...) | LIKELY | ANY_JSON
        near = like(at(document, place))
        document = changed(document, place, data.draw(near | near | near | kind))
    body = json.dumps(document).encode()
    eve = {"user": "eve"}
    door.send("POST", "/memory/import", "/memory/import", eve, body)
    door.send("GET", "/memory/export", "/memory/export", eve)
    everything = {**eve, "status": "all", "format": "markdown"}  # each route takes what it knows
    for path in ("entries", "sessions", "projects", "tasks", "identity", "recalls", "export"):
        answer = door.client.get(f"/memory/{path}", params=everything)
        assert answer.status_code == 200, (path, document)
