"""The truth scenarios in which something is told, changes or is corrected, without a chat model."""

from __future__ import annotations

import pytest

from lobug.evaluation.truth import TruthKind
from support.truth_kit import assert_enough_pass


@pytest.mark.parametrize("kind", ["tell", "change", "correct"])
async def test_what_is_told(kind: TruthKind) -> None:
    await assert_enough_pass(kind)
