"""Routes of devices: discovery, streaming, firmware, and their administration."""
