"""Devices in software: one with the first firmware, one with the open streaming firmware."""
