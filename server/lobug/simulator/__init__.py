"""Devices in software: a Core2 with the first firmware, and one with the open streaming one."""
