"""What a webhook says, how it is signed, when it is tried again; what docs/webhooks.md shows."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lobug.settings import WebhookSettings
from lobug.settings.webhooks import key_of
from lobug.turn.house_turn import ANSWERED_BY
from lobug.turn.timeline import ANSWERERS, DOORS
from lobug.webhooks.delivery import DeliveryVerdict, signature, verdict_on
from lobug.webhooks.events import (
    EVENTS,
    AlertData,
    DeviceData,
    HeardData,
    RepliedData,
    TrialData,
    body_of,
    queued,
)
from support.webhook_receiver import KEY, SECRET

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "webhooks.md").read_text(encoding="utf-8")
DUE = datetime(2026, 11, 26, 7, 30, tzinfo=UTC)
TURN = {"user": "ada", "device": "aa:bb", "door": "device", "turn": "1f3a", "outcome": "respond"}
HEARD = HeardData.model_validate({**TURN, "text": "Is it raining?"})


def test_the_signature_is_that_of_standard_webhooks() -> None:
    """The example of its specification."""
    key = base64.b64decode("plJ3nmyCDGBKInavdOK15jsl")
    body = b'{"event_type":"ping","data":{"success":true}}'
    found = signature(key, "msg_loFOjxBNrRLzqYUf", 1731705121, body)
    assert found == "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (200, DeliveryVerdict.DELIVERED),
        (204, DeliveryVerdict.DELIVERED),
        (301, DeliveryVerdict.REFUSED),
        (400, DeliveryVerdict.REFUSED),
        (410, DeliveryVerdict.REFUSED),
        (413, DeliveryVerdict.REFUSED),
        (401, DeliveryVerdict.AGAIN),
        (404, DeliveryVerdict.AGAIN),
        (429, DeliveryVerdict.AGAIN),
        (500, DeliveryVerdict.AGAIN),
        (None, DeliveryVerdict.AGAIN),
    ],
)
def test_what_an_answer_means(status: int | None, verdict: DeliveryVerdict) -> None:
    assert verdict_on(status) is verdict


def test_words_are_only_there_where_they_are_wanted() -> None:
    plain = queued(HEARD, 1.0, include_text=False)
    assert "raining" not in f"{plain}"
    assert "text" not in json.loads(body_of(plain.body, plain.content))["data"]
    told = queued(HEARD, 1.0, include_text=True)
    assert "raining" not in told.body
    assert json.loads(body_of(told.body, told.content))["data"]["text"] == "Is it raining?"
    assert json.loads(body_of(told.body, told.without_words().content))["data"].keys() == {*TURN}


@given(st.text(st.characters(codec=None)))
def test_any_words_make_a_body(text: str) -> None:
    event = queued(TrialData(message="x"), 1.0, include_text=True)
    assert json.loads(body_of(event.body, text))["type"] == "test"


def test_the_same_ring_has_the_same_id() -> None:
    ring = AlertData(user="ada", alert=4, kind="timer", due_at=DUE, late=False)
    later = ring.model_copy(update={"due_at": DUE.replace(day=27)})
    ids = [queued(one, at, include_text=False).event_id for one, at in
           ((ring, 1.0), (ring, 9.0), (later, 1.0))]  # fmt: skip
    assert ids[0] == ids[1] != ids[2]
    assert queued(HEARD, 1.0, include_text=False) != queued(HEARD, 1.0, include_text=False)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"url": "http://127.0.0.1:1880/x"}, "always signed"),
        ({"url": "http://me:word@host/x", "secret": SECRET}, "user name"),
        ({"url": "ftp://host/x", "secret": SECRET}, "pattern"),
        ({"url": "http://", "secret": SECRET}, "pattern"),
        ({"url": "http://host/a b", "secret": SECRET}, "pattern"),
        ({"secret": "hunter2"}, "lobug webhooks secret"),
        ({"secret": "whsec_c2hvcnQ="}, "lobug webhooks secret"),
        ({"secret": "whsec_!!"}, "lobug webhooks secret"),
        ({"events": ["sneezed"]}, "heard"),
        ({"timeout_s": 600}, "60"),
        ({"concurrency": 0}, "1"),
    ],
)
def test_settings_that_are_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError) as failure:
        WebhookSettings.model_validate(settings)
    assert problem in str(failure.value)


def test_a_secret_is_its_bytes() -> None:
    assert key_of(SECRET) == KEY
    assert SECRET not in repr(WebhookSettings.model_validate({"secret": SECRET}))


# ---- the page


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_file_beside_the_page_has_the_schema_of_every_event() -> None:
    shown = json.loads((DOCS / "webhooks.schema.json").read_text(encoding="utf-8"))
    assert shown == [event.model_json_schema() for event in EVENTS]


def test_doors_and_answerers_of_the_page_are_those_that_there_are() -> None:
    door, by = (HeardData, "door"), (RepliedData, "answered_by")
    for (event, name), values in ((door, DOORS), (by, ANSWERERS)):
        description = event.model_fields[name].description or ""
        for value in values:
            assert value in description
    assert {"wyoming", "device"} <= {*DOORS}
    assert ANSWERED_BY in ANSWERERS


def test_every_example_is_an_event() -> None:
    examples = [json.loads(line) for block in blocks("json event") for line in block.splitlines()]
    schemas = {
        schema["properties"]["type"]["const"]: schema
        for schema in (event.model_json_schema() for event in EVENTS)
    }
    assert [example["type"] for example in examples] == list(schemas)
    for example in examples:
        jsonschema.validate(example, schemas[example["type"]])


def test_what_is_sent_fits_the_schemas() -> None:
    schemas = [event.model_json_schema() for event in EVENTS]
    data = (
        HEARD,
        RepliedData.model_validate({**TURN, "answered_by": "model", "text": "Yes."}),
        AlertData(user="ada", alert=4, kind="alarm", due_at=DUE, late=True, text="tea"),
        DeviceData(device="aa:bb", name="", connected=False),
        TrialData(message="x"),
    )
    for one, schema in zip(data, schemas, strict=True):
        for include in (True, False):
            event = queued(one, 1_795_000_000.5, include_text=include)
            sent = json.loads(body_of(event.body, event.content))
            jsonschema.validate(sent, schema, format_checker=jsonschema.FormatChecker())


EVENT = queued(HEARD, 1.0, include_text=True)
BODY = body_of(EVENT.body, EVENT.content)
NOW = 1_795_000_000


def headers(*, body: bytes = BODY, at: int = NOW, key: bytes = KEY) -> dict[str, str]:
    return {
        "webhook-id": EVENT.event_id,
        "webhook-timestamp": str(at),
        "webhook-signature": "v1,AAAA " + signature(key, EVENT.event_id, at, body),
    }


CASES = [
    (headers(), True),
    (headers(at=NOW - 301), False),
    (headers(at=NOW + 301), False),
    (headers(key=b"another" * 4), False),
    (headers(body=BODY + b" "), False),
    ({**headers(), "webhook-timestamp": "soon"}, False),
    ({**headers(), "webhook-signature": ""}, False),
    ({**headers(), "webhook-id": "another"}, False),
]


def test_the_python_of_the_page_verifies() -> None:
    (snippet,) = blocks("python")
    scope: dict[str, Any] = {}
    exec(snippet, scope)
    for given_headers, good in CASES:
        assert scope["is_genuine"](SECRET, given_headers, BODY, now=NOW) is good, given_headers


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_javascript_of_the_page_verifies() -> None:
    snippet = blocks("javascript")[0]
    calls = ",".join(
        f"isGenuine({json.dumps(SECRET)}, {json.dumps(given_headers)},"
        f" Buffer.from({json.dumps(base64.b64encode(BODY).decode())}, 'base64'), {NOW})"
        for given_headers, _ in CASES
    )
    done = subprocess.run(
        ["node", "-e", f"{snippet}\nconsole.log(JSON.stringify([{calls}]))"],
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert json.loads(done.stdout) == [good for _, good in CASES]


def test_the_flow_of_the_page_can_be_imported() -> None:
    """Its function is checked above, as far as it goes: the nodes are wired and known."""
    flow = json.loads((Path(__file__).parents[2] / "docs" / "node-red-flow.json").read_text())
    ids = {node["id"] for node in flow}
    assert len(ids) == len(flow)
    for node in flow:
        assert {target for output in node.get("wires", []) for target in output} <= ids
        assert node["type"] in {"tab", "http in", "http response", "function", "switch", "debug"}
