"""Working memory, sensors, the prompt made of them, and commands to memory."""
