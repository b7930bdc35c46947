"""deploy/kubernetes/: what the manifests name is there. No cluster is needed."""

from __future__ import annotations

import re
import stat
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastapi.routing import APIRoute
from ruamel.yaml import YAML

from lobug import __version__
from lobug.app import ROUTERS
from lobug.cli.effective_settings import unknown_variables
from lobug.errors import PersonElsewhereError, StorageError
from lobug.http.authentication import OPEN_PATHS
from lobug.settings import Settings

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "kubernetes"
PAGE = (ROOT / "docs" / "kubernetes.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
STOPPING_S = 10
"""Time for the end of requests and of the database, beside what a server says to its devices."""

Document = dict[str, Any]


def load(path: Path) -> list[Document]:
    return [one for one in YAML(typ="safe", pure=True).load_all(path) if one is not None]


def listed(folder: str) -> Document:
    (document,) = load(FOLDER / folder / "kustomization.yaml")
    return document


def only(folder: str, kind: str) -> Document:
    """The one document of a kind among the resources of a folder."""
    files = [name for name in listed(folder)["resources"] if name.endswith(".yaml")]
    found = [one for name in files for one in load(FOLDER / folder / name)]
    (document,) = [one for one in found if one["kind"] == kind]
    return document


DEPLOYMENT = only("base", "Deployment")
TEMPLATE = DEPLOYMENT["spec"]["template"]
POD = TEMPLATE["spec"]
(SERVER,) = POD["containers"]
CONTAINERS = [*POD["initContainers"], SERVER]
RULES = only("monitoring", "PrometheusRule")["spec"]["groups"]


def environment(*folders: str) -> dict[str, str]:
    """What the ConfigMap holds, the later folders before the earlier."""
    found: dict[str, str] = {}
    for folder in folders:
        for line in (FOLDER / folder / "settings.env").read_text().splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.partition("=")
                found[name] = value
    return found


@pytest.fixture(params=[("base",), ("base", "example")], ids=["base", "example"])
def given(request: pytest.FixtureRequest) -> Mapping[str, str]:
    return environment(*request.param)


@pytest.fixture
def settings(given: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LOBUG_DATABASE__URL", "postgresql://lobug@db/lobug")
    return Settings(_env_file=None)


def has(labels: Mapping[str, str], selector: Document) -> bool:
    return bool(selector) and selector.items() <= labels.items()


def test_every_file_is_listed_and_every_listed_file_is_there() -> None:
    for folder in ("base", "example", "monitoring"):
        document = listed(folder)
        assert document["kind"] == "Kustomization"
        names = {*document["resources"], "kustomization.yaml"}
        names |= {patch["path"] for patch in document.get("patches", [])}
        for generator in document.get("configMapGenerator", []):
            names |= set(generator["envs"])
        there = {path.name for path in (FOLDER / folder).iterdir()}
        assert {name for name in names if not name.startswith("..")} == there
        assert all((FOLDER / folder / name).exists() for name in names)


def test_nothing_names_a_namespace_and_nothing_holds_a_secret() -> None:
    for path in FOLDER.glob("*/*.yaml"):
        for document in load(path):
            assert {"apiVersion", "kind"} <= set(document), path
            assert "namespace" not in document.get("metadata", {}), path
            assert document["kind"] != "Secret", path
    assert not [name for name in environment("base", "example") if re.search("KEY|TOKEN|URL$", name)
                and not name.endswith("PUBLIC_URL")]  # fmt: skip


def test_selectors_find_the_servers() -> None:
    labels = TEMPLATE["metadata"]["labels"]
    budget, service = only("base", "PodDisruptionBudget"), only("base", "Service")
    monitor = only("monitoring", "PodMonitor")["spec"]
    selectors = [
        DEPLOYMENT["spec"]["selector"]["matchLabels"],
        budget["spec"]["selector"]["matchLabels"],
        service["spec"]["selector"],
        monitor["selector"]["matchLabels"],
        *(one["labelSelector"]["matchLabels"] for one in POD["topologySpreadConstraints"]),
    ]
    assert all(has(labels, selector) for selector in selectors)
    jobs = {
        job
        for group in RULES
        for rule in group["rules"]
        for job in re.findall(r'\{job="(\w+)"', rule["expr"])
    }
    assert {labels[monitor["jobLabel"]]} == jobs


def test_ports_lead_from_the_ingress_to_the_server(settings: Settings) -> None:
    (port,) = SERVER["ports"]
    assert port["containerPort"] == settings.port
    service = only("base", "Service")
    (offered,) = service["spec"]["ports"]
    assert offered["targetPort"] == port["name"]
    for ingress in (only("base", "Ingress"), *load(FOLDER / "example" / "ingress-patch.yaml")):
        (rule,) = ingress["spec"]["rules"]
        (path,) = rule["http"]["paths"]
        assert path["backend"]["service"] == {
            "name": service["metadata"]["name"],
            "port": {"name": offered["name"]},
        }
        assert ingress["spec"]["tls"][0]["hosts"] == [rule["host"]]
        assert urlsplit(settings.access.public_url).hostname == rule["host"]
    (scraped,) = only("monitoring", "PodMonitor")["spec"]["podMetricsEndpoints"]
    assert scraped["port"] == port["name"]
    assert scraped["path"] in answered()


def answered() -> set[str]:
    """The paths that answer GET."""
    return {
        route.path
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and "GET" in (route.methods or ())
    }


def test_probes_ask_what_everybody_may_ask() -> None:
    (port,) = SERVER["ports"]
    asked = {}
    for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
        probe = SERVER[kind]["httpGet"]
        assert probe["port"] == port["name"]
        assert probe["path"] in answered() & OPEN_PATHS
        asked[kind] = probe["path"]
    assert asked["readinessProbe"] == "/ready"
    # A server that is not ready may become so by itself; a restart would throw its work away.
    assert asked["startupProbe"] == asked["livenessProbe"] == "/health"


def test_the_settings_are_there_and_are_what_several_servers_need(
    settings: Settings, given: Mapping[str, str]
) -> None:
    own = {one["name"]: "" for one in SERVER["env"]}
    assert not list(unknown_variables({**given, **own}))
    assert own.keys().isdisjoint(given)
    assert settings.database.servers == "all"
    assert settings.access.loopback == "token"
    assert not settings.tls.enabled
    assert not settings.discovery.announce
    assert settings.host == "0.0.0.0"
    # Or the variables that a Service named lobug brings into each pod would count as settings.
    assert POD["enableServiceLinks"] is False


def test_what_is_written_lies_on_volumes(settings: Settings) -> None:
    volumes = {volume["name"]: volume for volume in POD["volumes"]}
    mounts = {mount["mountPath"]: mount for mount in SERVER["volumeMounts"]}
    assert all(
        mount["name"] in volumes for container in CONTAINERS for mount in container["volumeMounts"]
    )
    assert settings.data_dir.parent.as_posix() in mounts
    assert settings.firmware_dir.as_posix() in mounts
    assert settings.models_dir.as_posix() in mounts
    assert "/tmp" in mounts
    written = {path for path, mount in mounts.items() if not mount.get("readOnly")}
    assert written == {"/data", "/firmware", "/tmp"}
    (patch,) = load(FOLDER / "example" / "volumes-patch.yaml")
    claims = {one["metadata"]["name"]: one for one in load(FOLDER / "example" / "volumes.yaml")}
    for volume in patch["spec"]["template"]["spec"]["volumes"]:
        # Without the null there would be two kinds in one volume.
        assert volume["emptyDir"] is None
        assert "emptyDir" in volumes[volume["name"]]
        claim = claims[volume["persistentVolumeClaim"]["claimName"]]
        assert claim["spec"]["accessModes"] == ["ReadWriteMany"]


def test_the_key_of_updates_is_copied_for_the_server_alone(
    settings: Settings, tmp_path: Path
) -> None:
    (copying,) = [one for one in POD["initContainers"] if one["name"] == "update-key"]
    shell, option, script = copying["command"]
    given = tmp_path / "update-key"
    given.mkdir()
    (given / settings.update_key_path.name).write_text("the key")
    data = tmp_path / "data"
    for _ in range(2):  # as when the pod's containers start again
        subprocess.run(
            [shell, option, script.replace("/update-key/", f"{given}/")],
            env={"LOBUG_DATA_DIR": str(data), "PATH": "/usr/bin:/bin"},
            check=True,
        )
    copy = data / settings.update_key_path.name
    assert copy.read_text() == "the key"
    assert (stat.S_IMODE(data.stat().st_mode), stat.S_IMODE(copy.stat().st_mode)) == (0o700, 0o600)


def test_a_server_that_stops_has_time_for_its_farewell(settings: Settings) -> None:
    sleep, seconds = SERVER["lifecycle"]["preStop"]["exec"]["command"]
    assert sleep == "sleep"
    needed = int(seconds) + settings.streaming.farewell_s + STOPPING_S
    assert POD["terminationGracePeriodSeconds"] > needed


def test_a_rollout_never_has_fewer_servers() -> None:
    strategy = DEPLOYMENT["spec"]["strategy"]
    assert strategy["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
    replicas = DEPLOYMENT["spec"]["replicas"]
    assert replicas >= 2
    assert only("base", "PodDisruptionBudget")["spec"]["maxUnavailable"] < replicas
    (missing,) = [
        rule for group in RULES for rule in group["rules"] if rule["alert"] == "LobugServerMissing"
    ]
    assert missing["expr"].endswith(f"< {replicas}")


def test_the_image_is_this_version_with_the_driver_of_postgresql() -> None:
    images = {container["image"] for container in CONTAINERS}
    name = f"lobug-postgres:{__version__}"
    assert images == {name}
    (replaced,) = listed("example")["images"]
    assert (replaced["name"], replaced["newTag"]) == tuple(name.split(":"))
    assert f"--build-arg LOCK=requirements-postgres.txt -t {replaced['newName']}:" in PAGE


def test_no_container_has_more_rights_than_it_needs() -> None:
    (user,) = re.findall(r"^USER (\d+):\d+$", DOCKERFILE, re.MULTILINE)
    whole = POD["securityContext"]
    assert whole["runAsNonRoot"] is True
    assert {whole["runAsUser"], whole["runAsGroup"], whole["fsGroup"]} == {int(user)}
    assert whole["seccompProfile"] == {"type": "RuntimeDefault"}
    assert POD["automountServiceAccountToken"] is False
    for container in CONTAINERS:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert "memory" in container["resources"]["limits"]
        assert {"cpu", "memory"} <= set(container["resources"]["requests"])


def secrets() -> Iterator[tuple[str, str]]:
    """The name of each Secret that is used, and the key in it."""
    for variable in SERVER["env"]:
        found = variable["valueFrom"]["secretKeyRef"]
        yield found["name"], found["key"]
    for volume in POD["volumes"]:
        if "secret" in volume:
            yield volume["secret"]["secretName"], "update-key.pem"
    (scraped,) = only("monitoring", "PodMonitor")["spec"]["podMetricsEndpoints"]
    found = scraped["authorization"]["credentials"]
    yield found["name"], found["key"]


def test_the_page_tells_how_each_secret_is_made() -> None:
    for name, key in secrets():
        assert re.search(rf"create secret generic {name} --from-file={key}\b", PAGE), name


def test_the_alerts_are_those_of_one_server_and_more() -> None:
    (path,) = (ROOT / "deploy" / "prometheus").glob("*-rules.yml")
    (one,) = load(path)
    (single,) = one["groups"]
    assert RULES[0] == single
    codes = {error.code for error in (PersonElsewhereError, StorageError)}
    named = [
        found
        for rule in RULES[1]["rules"]
        for found in re.findall(r'code=~?"([^"]+)"', rule["expr"])
    ]
    assert len(named) == len(codes)
    assert all(any(re.fullmatch(pattern, code) for pattern in named) for code in codes)
