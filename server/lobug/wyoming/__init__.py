"""The Wyoming door: speech and conversation for Home Assistant and other voice programs."""
