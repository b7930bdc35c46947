"""The walk over all settings, misspelt names, and the pages made from them."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from pydantic import BaseModel

from lobug.cli import config, effective_settings
from lobug.cli.app import app
from lobug.settings import Settings, inventory

ROOT = Path(__file__).parents[2]
GENERATED = config.generated_pages(typer.main.get_command(app))


def leaves(model: type[BaseModel]) -> int:
    """Counted independently of the walk that is tested."""
    count = 0
    for info in model.model_fields.values():
        inner = info.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            count += leaves(inner)
        else:
            count += 1
    return count


def test_every_setting_is_listed_once_with_a_meaning() -> None:
    settings = list(inventory.all_settings())
    names = [setting.env for setting in settings]
    assert len(names) == len(set(names)) == leaves(Settings)
    assert [s.env for s in settings if not s.description] == []
    assert Settings.model_config["env_prefix"] == inventory.PREFIX
    assert Settings.model_config["env_nested_delimiter"] == inventory.DELIMITER


@pytest.mark.parametrize(
    ("env", "type_text", "default"),
    [
        ("LOBUG_PORT", "whole number, ≥ 0 and ≤ 65535", "8321"),
        ("LOBUG_CHAT__ENGINE", "`auto`, `embedded`, `ollama`, `openai`", "auto"),
        ("LOBUG_CHAT__OPENAI_API_KEY", "secret text", ""),
        ("LOBUG_CHAT__EMBEDDED_PATH", "path", ""),
        ("LOBUG_CHAT__TIMEOUT_S", "number, > 0", "60.0"),
        ("LOBUG_STT__SHORT_WINDOW", "`true`, `false`", "true"),
        ("LOBUG_STT__LANGUAGE", "text, like `^(auto\\|[a-z]{2,3})$`", "en"),
        ("LOBUG_CONVERSATION__USERS", "JSON object", "{}"),
        ("LOBUG_DATA_DIR", "path", ""),
    ],
)
def test_types_and_defaults(env: str, type_text: str, default: str) -> None:
    setting = next(s for s in inventory.all_settings() if s.env == env)
    assert (setting.type_text, setting.default_text) == (type_text, default)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("LOBUG_PORT", None),
        ("lobug_port", None),
        ("LOBUG_CHAT", None),
        ("LOBUG_CONVERSATION__USERS__KITCHEN", None),
        ("PATH", None),
        ("LOBUG_PROT", "LOBUG_PROT is not a setting and has no effect; did you mean LOBUG_PORT?"),
        (
            "LOBUG_CHAT_ENGINE",
            (
                "LOBUG_CHAT_ENGINE is not a setting and has no effect;"
                " did you mean LOBUG_CHAT__ENGINE?"
            ),
        ),
        ("LOBUG_ZZZZZZZZZZ", "LOBUG_ZZZZZZZZZZ is not a setting and has no effect"),
    ],
)
def test_names_that_are_no_setting(name: str, sentence: str | None) -> None:
    assert effective_settings.unknown_variables([name]) == ([sentence] if sentence else [])


def test_the_pages_show_no_path_of_the_machine_that_made_them() -> None:
    home = str(Path.home())
    for page in (config.configuration_page(), config.env_example()):
        assert home not in page
        assert "~/.local/share/lobug" in page


def test_the_example_changes_nothing_until_a_line_is_uncommented() -> None:
    lines = config.env_example().splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == []
    assert sum(line.startswith("#LOBUG_") for line in lines) == leaves(Settings)


def test_the_defaults_of_the_example_are_the_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever uncomments everything changes nothing."""
    text = config.env_example().replace("\n#LOBUG_", "\nLOBUG_")
    (tmp_path / ".env").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert Settings() == Settings(_env_file=None)


def test_the_generated_pages_are_up_to_date() -> None:
    assert config.drifted(ROOT, GENERATED) == [], "run `lobug config --docs`"


def test_drift_is_noticed_and_repaired(tmp_path: Path) -> None:
    assert sorted(config.write(tmp_path, GENERATED)) == sorted(GENERATED)
    assert config.drifted(tmp_path, GENERATED) == []
    page = tmp_path / "docs" / "cli.md"
    page.write_text(page.read_text(encoding="utf-8") + "by hand\n", encoding="utf-8")
    (tmp_path / ".env.example").unlink()
    assert sorted(config.drifted(tmp_path, GENERATED)) == [".env.example", "docs/cli.md"]
    assert sorted(config.write(tmp_path, GENERATED)) == [".env.example", "docs/cli.md"]


def test_the_help_page_names_every_command() -> None:
    page = GENERATED["docs/cli.md"]
    for command in ("serve", "chat", "simulate", "doctor", "config", "models pull"):
        assert f"## `lobug {command}`" in page
