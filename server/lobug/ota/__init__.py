"""Firmware updates over the air: the owner's images, and offers of them to devices."""
