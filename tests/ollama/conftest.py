"""Ollama for the tests in this folder."""

from __future__ import annotations

import pytest

from support.ollama_checks import OllamaSite, site_at, wanted


@pytest.fixture(scope="session")
def site() -> OllamaSite:
    """The server that `OLLAMA_HOST` names, which must answer, or the one on this computer, without
    which the tests are skipped. Missing models are pulled."""
    return site_at(*wanted())
