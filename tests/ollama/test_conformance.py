"""A real Ollama does what Lo-Bug needs of it; run by `make test-ollama`, not by `make test`."""

from __future__ import annotations

import pytest

from support.ollama_checks import CHECKS, Check, OllamaSite


@pytest.mark.timeout(600)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
async def test_it(check: Check, site: OllamaSite) -> None:
    await check(site)
