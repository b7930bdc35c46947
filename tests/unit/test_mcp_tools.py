"""The tools of `/mcp` as they are shown: their schemas, hints and scopes, and the page about
them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from lobug.access.callers import Caller
from lobug.access.rules import MCP_SCOPES, TOKEN_SCOPES, allows, checked_scopes
from lobug.http.mcp.protocol import TOOLS
from lobug.http.mcp.resources import RESOURCES
from lobug.http.mcp.tool import McpTool

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| `([a-z:]+)` \| (\w+) \|", re.MULTILINE)


def test_the_page_shows_all_tools() -> None:
    kinds = {
        name: "reads" if tool.read_only else "changes" if tool.destructive else "adds"
        for name, tool in TOOLS.items()
    }
    assert ROW.findall(PAGE) == [(name, tool.scope, kinds[name]) for name, tool in TOOLS.items()]
    assert all(f"`{uri}`" in PAGE for uri in RESOURCES)
    assert all(f"`{scope}`" in PAGE for scope in MCP_SCOPES)


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_every_schema_is_closed_and_stands_alone(tool: McpTool) -> None:
    schema = tool.schema
    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert "$ref" not in str(schema), "some clients resolve no references"
    assert all("description" in str(one) for one in schema["properties"].values())


def test_only_reading_counts_as_reading() -> None:
    for tool in TOOLS.values():
        assert tool.read_only == tool.scope.endswith(":read"), tool.name
        assert not (tool.read_only and tool.destructive), tool.name


def test_scopes_are_written_in_one_way() -> None:
    assert checked_scopes(" deeds:read  memory:read deeds:read") == "memory:read deeds:read"
    assert checked_scopes(" ".join(reversed(TOKEN_SCOPES))).split() == list(TOKEN_SCOPES)
    for wrong in ("", " ", "memory", "memory:read,deeds:read", "Memory:read"):
        with pytest.raises(ValueError, match="scope is one or more of"):
            checked_scopes(wrong)


def test_scopes_add_up_and_give_nothing_more() -> None:
    both = "announce memory:read"
    assert allows(both, "POST", "/announce")
    assert allows(both, "POST", "/mcp")
    assert not allows(both, "GET", "/metrics")
    assert not allows(both, "GET", "/memory/entries")
    assert not allows("everything", "POST", "/mcp")
    caller = Caller("api", "token:x", scope=both)
    assert caller.may_announce
    assert not caller.may_watch
    assert caller.may_use("memory:read")
    assert not caller.may_use("memory:write")
    assert Caller("api", "token:x").may_use("memory:write"), "a token without scopes is its user"
