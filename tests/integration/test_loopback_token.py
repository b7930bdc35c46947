"""`access.loopback=token`: at this computer too only who may read the data folder is the owner."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from lobug.data_folder.claim import RECORD, holder_of
from lobug.data_folder.permissions import hold_data_folder
from support.app_server import settings_for
from support.lobug_process import environment
from support.patience import PATIENCE_S
from support.scripted_serve import ScriptedServe, scripted_serve


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptedServe]:
    """A server that wants a token of everybody."""
    folder = tmp_path_factory.mktemp("served")
    with scripted_serve(folder, LOBUG_ACCESS__LOOPBACK="token") as served:
        yield served


def secret_of(server: ScriptedServe) -> str:
    """What the server has noted for its owner's programs."""
    record = json.loads((server.folder / "data" / RECORD).read_text())
    assert record["url"] == server.url
    return str(record["secret"])


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/chat/text", {"text": "Hello!"}),
        ("GET", "/memory/users", None),
        ("GET", "/devices", None),
        ("POST", "/tokens", {"name": "mine", "owner": True}),
        ("GET", "/turns", None),
    ],
)
def test_a_program_on_this_computer_is_a_stranger(
    server: ScriptedServe, method: str, path: str, body: dict[str, object] | None
) -> None:
    url = f"{server.url}{path}"
    refused = httpx.request(method, url, json=body, trust_env=False, timeout=PATIENCE_S)
    assert refused.status_code == 401
    assert refused.json()["error"]["code"] == "token_required"
    assert "lobug tokens create" in refused.json()["error"]["message"]
    wrong = httpx.request(
        method,
        url,
        json=body,
        headers={"Authorization": "Bearer guess"},
        trust_env=False,
        timeout=PATIENCE_S,
    )
    assert wrong.status_code == 401
    assert wrong.json()["error"]["code"] == "token_invalid"
    right = {"Authorization": f"Bearer {secret_of(server)}"}
    served = httpx.request(
        method, url, json=body, headers=right, trust_env=False, timeout=PATIENCE_S
    )
    assert served.status_code == 200


def test_health_stays_open_and_says_no_more_than_to_strangers(server: ScriptedServe) -> None:
    answer = httpx.get(f"{server.url}/health", trust_env=False, timeout=PATIENCE_S)
    assert answer.status_code == 200
    assert "engines" not in answer.json()
    assert secret_of(server) not in f"{answer.headers}{answer.text}"


def test_our_commands_send_it_by_themselves(server: ScriptedServe) -> None:
    made = server.lobug("tokens", "create", "laptop")
    assert made.stdout.startswith("lobug_"), made.stderr
    headers = {"Authorization": f"Bearer {made.stdout.strip()}"}
    assert server.say("Hello from a script.", **headers) == "I see."
    for command in (("memory", "users"), ("turns",), ("devices", "list")):
        done = server.lobug(*command)
        assert done.returncode == 0, done.stderr
    simulated = server.lobug("simulate", "--text", "Hello there.", "--json")
    assert simulated.returncode == 0, simulated.stdout + simulated.stderr
    talked = subprocess.run(
        [sys.executable, "-m", "lobug", "chat", "--server", server.url],
        input="Hello from the terminal.\n",
        env=environment(LOBUG_DATA_DIR=str(server.folder / "data")),
        cwd=server.folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert talked.stdout == "I see.\n", talked.stderr


def test_a_command_of_somebody_else_gets_nothing(server: ScriptedServe, tmp_path: Path) -> None:
    """It knows the address, and has a data folder of its own."""
    done = server.lobug(
        "memory", "users", "--server", server.url, LOBUG_DATA_DIR=str(tmp_path / "data")
    )
    assert done.returncode == 1
    assert "token_required" in done.stderr


def test_what_the_start_says_holds_no_secret(server: ScriptedServe) -> None:
    assert "Programs on this computer need a token too" in server.log
    assert "curl" not in server.log
    assert secret_of(server) not in server.log


@pytest.mark.parametrize(
    ("listens_at", "loopback", "needed"),
    [
        (("127.0.0.1", 8321), "free", False),
        (("0.0.0.0", 8321), "free", False),
        (("::", 8321), "free", False),
        (None, "free", False),
        # its owner does not come from loopback then
        (("192.168.1.5", 8321), "free", True),
        (("127.0.0.1", 8321), "token", True),
        (None, "token", True),
    ],
)
async def test_the_secret_is_made_where_it_is_needed_and_new_at_every_start(
    tmp_path: Path, listens_at: tuple[str, int] | None, loopback: str, needed: bool
) -> None:
    settings = settings_for(tmp_path, access={"loopback": loopback})
    made = set()
    for _ in range(2):
        async with hold_data_folder(settings, listens_at) as holder:
            made.add(holder.secret)
            assert holder_of(settings) == holder
        assert holder_of(settings) is None
    assert len(made) == (2 if needed else 1)
    assert ("" in made) is not needed
