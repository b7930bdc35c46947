"""deploy/: the dashboard and the alerts name metrics, labels and values that there are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from lobug.devices.report import ResetReason
from lobug.memory.model import MemoryStats
from lobug.telemetry.metrics import DeviceFigures, Metrics, ServerState, StateCollector
from lobug.turn.timeline import STAGES, Outcome

ROOT = Path(__file__).parents[2]
DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy" / "grafana" / "lobug.json").read_text())
RULES = yaml.safe_load((ROOT / "deploy" / "prometheus" / "lobug-rules.yml").read_text())
SERVERS = yaml.safe_load((ROOT / "deploy" / "kubernetes" / "monitoring" / "rules.yaml").read_text())
"""For several servers; its first group is that of RULES."""
SCRAPE = yaml.safe_load((ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text())
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")

DOCUMENTED: Mapping[str, tuple[str, frozenset[str]]] = {
    name: (kind, frozenset(re.findall(r"`(\w+)`", labels)))
    for name, kind, labels in re.findall(
        r"^\| `(lobug_\w+)` \| (\w+) \| (.*?) ?\| ", OPERATIONS, re.M
    )
}
"""Type and labels by name; test_telemetry.py compares them with what a server tells."""

PROCESS = {"process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"}
TARGET = {"job", "instance"}
"""Labels that Prometheus adds."""

VALUES: Mapping[str, frozenset[str]] = {
    "door": frozenset({"text", "audio", "device", "openai"}),
    "stage": frozenset(STAGES),
    "reason": frozenset(ResetReason),
    "outcome": frozenset({*Outcome, "delivered", "refused", "expired", "dropped"}),
}


def exported() -> set[str]:
    """Names of all metrics, from the code."""
    metrics, state = Metrics(lambda: 0.0), StateCollector()
    figures = DeviceFigures(1, 1, 1, 1, -50)
    memory = MemoryStats()
    state.state = ServerState("0", True, 0, {}, memory, figures)
    metrics.registry.register(state)
    found = set()
    for family in metrics.registry.collect():
        ending = {"counter": "_total", "info": "_info"}.get(family.type, "")
        found.add(family.name + ending)
    return found


def panels() -> list[dict[str, Any]]:
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def queries() -> Iterator[tuple[str, str]]:
    """Where a query stands, and the query."""
    for panel in panels():
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["definition"]
    for rule in alerts():
        yield rule["alert"], rule["expr"]


def alerts() -> list[dict[str, Any]]:
    groups = (*RULES["groups"], *SERVERS["spec"]["groups"][1:])
    return [rule for group in groups for rule in group["rules"]]


def family(name: str) -> str:
    """The metric of a series: those of a histogram have endings."""
    bare = re.sub(r"_(bucket|sum|count)$", "", name)
    return bare if DOCUMENTED.get(bare, ("", ()))[0] == "histogram" else name


def test_every_metric_is_there() -> None:
    there = exported()
    assert there == set(DOCUMENTED), "the table of docs/operations.md"
    for where, query in queries():
        names = {family(name) for name in re.findall(r"\blobug_\w+", query)}
        names |= set(re.findall(r"\bprocess_\w+", query))
        assert names or "up{" in query, where
        assert names <= there | PROCESS, where


def test_every_figure_is_shown() -> None:
    shown = {family(name) for _, query in queries() for name in re.findall(r"\blobug_\w+", query)}
    assert set(DOCUMENTED) == shown


def test_labels_and_their_values_are_there() -> None:
    for where, query in queries():
        for name, selector in re.findall(r"\b(lobug_\w+)\{([^}]*)\}", query):
            own = {f"exported_{one}" if one in TARGET else one for one in labels_of(name)}
            for label, value in re.findall(r'(\w+)\s*(?:=~?|!~|!=)\s*"([^"]*)"', selector):
                assert label in own | TARGET, (where, label)
                if label in VALUES:
                    assert set(value.split("|")) <= VALUES[label], (where, value)
        for grouped in re.findall(r"by \(([^)]*)\)", query):
            names = re.findall(r"\blobug_\w+", query)
            own = {
                f"exported_{one}" if one in TARGET else one for n in names for one in labels_of(n)
            }
            asked = {label.strip() for label in grouped.split(",")}
            assert asked <= own | TARGET | {"le"}, (where, asked)


def labels_of(name: str) -> frozenset[str]:
    return DOCUMENTED[family(name)][1]


def test_the_dashboard_can_be_imported() -> None:
    assert DASHBOARD["schemaVersion"] >= 36
    assert (DASHBOARD["uid"], DASHBOARD["title"]) == ("lobug", "Lo-Bug")
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    variables = {one["name"]: one for one in DASHBOARD["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource"
    assert variables["datasource"]["query"] == "prometheus"
    used = set(re.findall(r"\$(?!__)\{?(\w+)\}?", json.dumps(DASHBOARD["panels"])))
    assert used == set(variables)
    for panel in panels():
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        references = [target["refId"] for target in panel["targets"]]
        assert len(set(references)) == len(references) > 0


def test_no_panel_lies_on_another() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        assert 0 <= at["x"] < at["x"] + at["w"] <= 24
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells


def test_the_alerts_say_what_to_do() -> None:
    names = [rule["alert"] for rule in alerts()]
    assert len(set(names)) == len(names)
    for rule in alerts():
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}
        assert set(rule["annotations"]) == {"summary", "action"}
        assert re.fullmatch(r"\d+[mhd]", rule.get("for", "1m"))


def test_the_scrape_reads_a_token_and_these_rules() -> None:
    (job,) = SCRAPE["scrape_configs"]
    assert job["authorization"] == {"type": "Bearer", "credentials_file": "lobug-token"}
    assert SCRAPE["rule_files"] == ["lobug-rules.yml"]
    assert {job["job_name"]} == set(
        re.findall(r'up\{job="(\w+)"\}', RULES["groups"][0]["rules"][0]["expr"])
    )
