"""The catalog agrees with itself, with NOTICE and with what the lock installs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lobug.errors import ModelMissingError
from lobug.models import catalog, verify
from lobug.models.catalog import Job, Model, Wheel, needed_models
from lobug.models.wheels import (
    DiskFullError,
    MismatchError,
    NetworkError,
    NotServedError,
    PackageClientError,
    explain,
)
from lobug.settings import ChatSettings, Settings, SttSettings

ROOT = Path(__file__).parents[2]
MODELS = list(catalog.CATALOG.values())
PULLED = [model for model in MODELS if not model.installed_with_program]
HEX = re.compile(r"[0-9a-f]{64}")


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.name)
def test_every_model_says_what_it_is(model: Model) -> None:
    assert model.name == model.name.lower()
    assert model.files
    assert all(HEX.fullmatch(file.sha256) and file.size > 0 for file in model.files)
    assert model.licence
    assert model.origin
    assert model.languages
    assert model.description.endswith(".")
    assert bool(model.wheels) != model.installed_with_program


@pytest.mark.parametrize("model", PULLED, ids=lambda m: m.name)
def test_the_members_of_the_wheels_add_up_to_the_files(model: Model) -> None:
    sums = {file.path: 0 for file in model.files}
    for wheel in model.wheels:
        assert HEX.fullmatch(wheel.sha256)
        assert re.fullmatch(r"\d+\.\d+\.\d+", wheel.version)
        for member in wheel.members:
            sums[member.target] += member.size
    assert sums == {file.path: file.size for file in model.files}
    packages = [wheel.package for wheel in model.wheels]
    assert len(set(packages)) == len(packages)
    assert len({wheel.sha256 for wheel in model.wheels}) == len(packages)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.name)
def test_notice_names_every_model_with_its_licence(model: Model) -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    entry = re.search(rf"^{re.escape(model.name)}\n  Licence: (.+)\n", notice, re.MULTILINE)
    assert entry is not None, f"{model.name} is not in NOTICE"
    assert entry[1] == model.licence
    if model.distribution:
        assert model.distribution in notice
    assert all(re.sub(r"\d+$", "", wheel.package) in notice for wheel in model.wheels)


@pytest.mark.parametrize(
    "model", [m for m in MODELS if m.installed_with_program], ids=lambda m: m.name
)
def test_what_the_lock_installs_is_what_the_catalog_says(model: Model, tmp_path: Path) -> None:
    found = verify.check(tmp_path, model.name, deep=True)
    assert found.ok, found.message
    assert found.verified


@pytest.mark.models
def test_the_pulled_models_are_what_the_catalog_says(models_dir: Path) -> None:
    for name in needed_models(Settings(_env_file=None)):
        found = verify.check(models_dir, name, deep=True)
        assert found.ok, found.message


def test_where_a_model_is(tmp_path: Path) -> None:
    assert catalog.model_dir(tmp_path, "whisper-base") == tmp_path / "whisper-base"
    chat = catalog.main_file(tmp_path, "qwen2.5-coder-1.5b")
    assert chat == tmp_path / "qwen2.5-coder-1.5b" / "model.gguf"
    assert catalog.main_file(tmp_path, "whisper-base") == tmp_path / "whisper-base"


def test_an_unknown_name_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"qwen3.*there are:.*qwen2\.5-coder-1\.5b"):
        catalog.main_file(tmp_path, "qwen3")
    with pytest.raises(ModelMissingError, match="no chat model is called 'whisper-base'"):
        catalog.get("whisper-base", Job.CHAT)


@pytest.mark.parametrize(
    ("chat", "stt", "expected"),
    [
        ({}, {}, ("qwen2.5-coder-1.5b", "whisper-base")),
        ({"engine": "embedded"}, {}, ("qwen2.5-coder-1.5b", "whisper-base")),
        ({"engine": "ollama"}, {}, ("whisper-base",)),
        ({"engine": "openai"}, {"model": "whisper-tiny.en"}, ("whisper-tiny.en",)),
        ({"embedded_path": "/own.gguf"}, {"path": "/own"}, ()),
        ({"embedded_model": "qwen2.5-coder-0.5b"}, {"path": "/own"}, ("qwen2.5-coder-0.5b",)),
    ],
)
def test_what_the_settings_need(
    chat: dict[str, str], stt: dict[str, str], expected: tuple[str, ...]
) -> None:
    settings = Settings(
        _env_file=None,
        chat=ChatSettings.model_validate(chat),
        stt=SttSettings.model_validate(stt),
    )
    assert needed_models(settings) == expected


OFFLINE = """\
WARNING: Retrying (Retry(total=0, connect=None, read=None)) after connection broken by 'NewConn...
ERROR: Could not find a version that satisfies the requirement some-part==1.0 (from versions: none)
ERROR: No matching distribution found for some-part==1.0"""


@pytest.mark.parametrize(
    ("output", "kind", "says"),
    [
        (OFFLINE, NetworkError, "check the network"),
        ("\n".join(OFFLINE.splitlines()[1:]), NotServedError, "PIP_INDEX_URL"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM", MismatchError, "SHA-256"),
        ("ERROR: Wheel 'x' located at y is invalid.", MismatchError, "not a valid wheel"),
        ("OSError: [Errno 28] No space left on device", DiskFullError, "make room"),
        ("/usr/bin/python3: No module named pip", PackageClientError, "make run"),
        ("ERROR: 503 Server Error: busy for url", NetworkError, "goes on where it stopped"),
        ("WARNING: x\nERROR: something new", PackageClientError, "ERROR: something new"),
        ("", PackageClientError, "some-part 1.0"),
    ],
)
def test_what_pip_says_becomes_a_sentence(output: str, kind: type[Exception], says: str) -> None:
    error = explain(Wheel("some-part", "1.0", "0" * 64, 1, ()), output)
    assert type(error) is kind
    assert says in str(error)
