"""The container files. No container engine is needed: schema, meaning, and the health check run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from lobug.cli.effective_settings import unknown_variables
from lobug.settings import Settings
from lobug.vendor_telemetry import SWITCHES

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "docker-compose.yml"
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.fixture
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe", pure=True).load(COMPOSE)
    return loaded


def test_the_compose_file_fits_the_compose_specification() -> None:
    result = subprocess.run(
        [
            *(sys.executable, "-m", "check_jsonschema"),
            *("--builtin-schema", "vendor.compose-spec", str(COMPOSE)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_volume_and_dependency_exists(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for service in services.values():
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in compose["volumes"]
        assert set(service.get("depends_on", {})) <= set(services)


def test_the_server_stands_beside_ollama_and_the_profile_without(compose: dict[str, Any]) -> None:
    services = compose["services"]
    address = services["lobug"]["environment"]["LOBUG_OLLAMA__HOST"]
    assert address == "http://ollama:11434"
    assert "ollama" in services["lobug"]["depends_on"]
    assert "profiles" not in services["lobug"]
    embedded = services["lobug-embedded"]
    assert embedded["profiles"] == ["embedded"]
    assert "depends_on" not in embedded
    assert embedded["environment"]["LOBUG_CHAT__ENGINE"] == "embedded"


def test_devices_reach_lo_bug_and_nobody_reaches_ollama(
    compose: dict[str, Any],
) -> None:
    ports = {name: service.get("ports") for name, service in compose["services"].items()}
    opened = [
        "${PUBLISH_ADDRESS:-0.0.0.0}:${PUBLISH_PORT:-8321}:8321",
        "${PUBLISH_ADDRESS:-0.0.0.0}:${PUBLISH_HTTPS_PORT:-8322}:8322",
    ]
    assert ports == {
        "lobug": opened, "lobug-embedded": opened, "ollama": None, "ollama-models": None,
        "fleet-a": [], "fleet-b": [], "fleet-proxy": opened, "fleet-postgres": None,
    }  # fmt: skip


def test_the_containers_settings_exist_and_are_valid(
    compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("lobug", "lobug-embedded", "fleet-a", "fleet-b"):
        environment = compose["services"][name]["environment"]
        assert not list(unknown_variables(environment))
        with monkeypatch.context() as patched:
            for variable, value in environment.items():
                patched.setenv(variable, re.sub(r"\$\{\w+:-(\w*)\}", r"\1", value))
            settings = Settings(_env_file=None)
        assert settings.host == "0.0.0.0"
        assert str(settings.data_dir) == "/data"
        assert str(settings.models_dir) == "/models"
        shared = settings.database.url.get_secret_value()
        assert bool(shared) == name.startswith("fleet-")
        assert settings.database.servers == "one"


def test_the_fleet_is_two_servers_on_one_postgresql_behind_a_proxy(compose: dict[str, Any]) -> None:
    services = compose["services"]
    fleet = {name: one for name, one in services.items() if one.get("profiles") == ["fleet"]}
    assert set(fleet) == {"fleet-a", "fleet-b", "fleet-proxy", "fleet-postgres"}
    a, b = fleet["fleet-a"], fleet["fleet-b"]
    assert a["environment"] == b["environment"]
    assert set(a["volumes"]) & set(b["volumes"]) == {"models:/models"}, "a data folder each"
    assert a["build"]["args"]["LOCK"] == "requirements-postgres.txt"
    assert "psycopg==" in (ROOT / "requirements-postgres.txt").read_text()
    proxy = fleet["fleet-proxy"]
    assert set(proxy["environment"].values()) == {"fleet-a", "fleet-b"} == set(proxy["depends_on"])


def test_the_proxy_asks_which_server_is_ready(compose: dict[str, Any]) -> None:
    text = (ROOT / "deploy/fleet/haproxy.cfg").read_text()
    backends = text.split("\nbackend ")[1:]
    assert [one.split("\n")[0] for one in backends] == ["http", "https"]
    environment = compose["services"]["fleet-proxy"]["environment"]
    for backend in backends:
        assert "uri /ready" in backend
        used = re.findall(r"^    server \w+ \"\$\{(\w+)\}:(\d+)\"$", backend, re.MULTILINE)
        assert [name for name, _ in used] == list(environment)
        assert {port for _, port in used} < {"8321", "8322"}
        # Each of several servers that answer at once may then keep what it holds of a caller.
        balance = "hdr(Device-Id)" if backend.startswith("http\n") else "source"
        assert f"\n    balance {balance}\n    hash-type consistent\n" in backend
    (base,) = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert f"FROM {base}\n" in (ROOT / "deploy/fleet/Dockerfile").read_text()


def test_the_models_that_compose_brings_are_those_of_the_settings(compose: dict[str, Any]) -> None:
    settings = Settings(_env_file=None)
    environment = compose["services"]["ollama-models"]["environment"]
    assert environment["CHAT_MODEL"].endswith(f":-{settings.chat.ollama_model}}}")
    assert environment["EMBEDDING_MODEL"].endswith(f":-{settings.memory.embedding_model}}}")


DIGEST = re.compile(r"[a-z0-9./-]+:[A-Za-z0-9_.-]+@sha256:[0-9a-f]{64}")


def test_every_image_from_elsewhere_is_pinned_by_digest(compose: dict[str, Any]) -> None:
    """The tag says to people which one it is; the digest says it to the container engine."""
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    bases += re.findall(r"^COPY --from=(\S+)", DOCKERFILE, re.MULTILINE)
    images = [
        service["image"].removeprefix("${OLLAMA_IMAGE:-").removesuffix("}")
        for service in compose["services"].values()
        if "build" not in service
    ]
    assert len(bases) == 1
    assert len(images) == 3
    for image in (*bases, *images):
        assert DIGEST.fullmatch(image), image


def test_the_image_reports_to_nobody() -> None:
    for name, value in SWITCHES.items():
        assert re.search(rf"\b{name}={value}( \\)?$", DOCKERFILE, re.MULTILINE), name


def test_the_image_is_not_root_and_installs_by_hash() -> None:
    users = re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE)
    assert users == ["10001:10001"]
    installs = re.findall(r"pip install .*", DOCKERFILE)
    assert len(installs) == 3
    assert all("--require-hashes" in x or "--no-index" in x for x in installs)
    assert 'VOLUME ["/data", "/models"]' in DOCKERFILE


def test_the_image_gets_every_file_that_it_copies() -> None:
    allowed = set(re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
    copied = {
        name
        for line in re.findall(r"^COPY (.+) \S+$", DOCKERFILE, re.MULTILINE)
        for name in line.split()
    }
    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)


@contextmanager
def health_answers(status: int) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/health" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False)])
def test_the_images_health_check(status: int, healthy: bool) -> None:
    found = re.search(r"^HEALTHCHECK.*\\\n\s+CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert found is not None
    _python, *arguments = json.loads(found[1])
    with health_answers(status) as port:
        environment = {**os.environ, "LOBUG_PORT": str(port)}
        result = subprocess.run(
            [sys.executable, *arguments], capture_output=True, env=environment, check=False
        )
    assert (result.returncode == 0) is healthy
