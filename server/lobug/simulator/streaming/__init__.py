"""A device with the open streaming firmware, in software."""
