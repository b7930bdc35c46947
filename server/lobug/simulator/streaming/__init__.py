"""A simulated device with the streaming firmware."""
