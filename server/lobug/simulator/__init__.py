"""Devices in software: one with the first firmware (``http_device``), one with the open firmware
(``streaming_device``), and the soak, which runs many of them for hours."""
