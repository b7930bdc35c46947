"""Settings of the firmware that devices are given."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from lobug.settings.section import Section


class FirmwareSettings(Section):
    """Firmware images for devices, see `lobug firmware`."""

    directory: Path = Field(
        Path("firmware"), description="Where the images are kept; relative to `data_dir`."
    )
    max_image_bytes: int = Field(
        8 * 1024 * 1024,
        ge=1024,
        description="Largest image, bytes. A device with 16 MB of flash memory has two places of"
        " less than half of it.",
    )
