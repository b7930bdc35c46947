"""The truth scenarios in which something is forgotten, asked or recited, without a chat model."""

from __future__ import annotations

import pytest

from lobug.evaluation.truth import TruthKind
from support.truth_kit import assert_enough_pass


@pytest.mark.parametrize("kind", ["forget", "ask", "recite"])
async def test_what_is_asked(kind: TruthKind) -> None:
    await assert_enough_pass(kind)
