"""Settings of what Lo-Bug tells about itself."""

from __future__ import annotations

from pydantic import Field

from lobug.settings.section import Seconds, Section


class TelemetrySettings(Section):
    """What Lo-Bug tells about itself: times, counts and codes, never what somebody said."""

    turns_kept: int = Field(
        200, ge=0, le=10_000, description="Turns whose stage times `/turns` and `lobug turns` show."
    )
    loop_lag_every_s: Seconds = Field(
        0.1, description="How often the event loop's lag is measured, seconds."
    )
